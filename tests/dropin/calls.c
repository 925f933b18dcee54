/* Each entry of the drop-in with a fake cuSPARSE and a fake engine: what is passed through arrives as it was, plans are used
 * when they should be, patterns are not trusted by their address.  Run by dropin.t, which preloads the drop-in. */
#include "small.h"

#include <locale.h>
#include <math.h>
#include <string.h>

/* Calls by which a plan is kept: it and cuSPARSE are timed in turns. */
static void settle(small_t *s)
{
    for (int i = 0; i < 20; i++)
        (void)plain(s);
}

/* ------------------------------------------------------------- passing through */

/* The call reaches cuSPARSE once, no plan runs, and the status is cuSPARSE's. */
static void passes(small_t *s, cusparseStatus_t want, cusparseOperation_t op_a, cusparseOperation_t op_b,
    cudaDataType type, cusparseSpMMAlg_t alg, const char *name)
{
    int seen = 0;
    int runs = engine()->runs;
    int same = 1;
    for (int i = 0; i < 12; i++) {
        int before = fake_counts()->spmm;
        cusparseStatus_t st = spmm(s, op_a, op_b, type, alg);
        const rc_spmm_call_t *l = &fake_counts()->last;
        seen += fake_counts()->spmm - before;
        same &= st == want && l->handle == s->handle && l->op_a == op_a && l->op_b == op_b
            && l->alpha == &s->alpha && l->a == s->a && l->b == s->db && l->beta == &s->beta && l->c == s->dc
            && l->type == type && l->alg == alg && fake_counts()->buffer == s->b;
    }
    ok(seen == 12 && same && engine()->runs == runs, name);
}

static void passes_plain(small_t *s, const char *name)
{
    cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    passes(s, CUSPARSE_STATUS_SUCCESS, none, none, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, name);
}

/* C in another order: what a plan cannot do is for kernels where B and C are by rows. */
static void by_columns(small_t *s, int columns)
{
    (void)cusparseDestroyDnMat(s->dc);
    (void)cusparseCreateDnMat(
        &s->dc, 2, 4, columns ? 2 : 4, s->c, CUDA_R_32F, columns ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW);
}

static void passing_by_arguments(void)
{
    small_t s;
    cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseOperation_t transposed = CUSPARSE_OPERATION_TRANSPOSE;
    cusparseStatus_t no = CUSPARSE_STATUS_NOT_SUPPORTED;
    small_new(&s);
    passes(&s, no, transposed, none, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, "shapes that fit without the transposition are passed through");
    passes(&s, no, none, transposed, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, "those of B are, too");
    passes(&s, no, none, none, CUDA_R_16F, CUSPARSE_SPMM_CSR_ALG2, "another compute type is");
    passes(&s, CUSPARSE_STATUS_SUCCESS, none, none, CUDA_R_32F, CUSPARSE_SPMM_COO_ALG1,
        "an algorithm of another format is");
    by_columns(&s, 1);
    s.beta = 1;
    passes_plain(&s, "beta that is not 0 is");
    s.beta = 0;
    (void)cusparseSetPointerMode(s.handle, CUSPARSE_POINTER_MODE_DEVICE);
    passes_plain(&s, "scalars on the device are");
    (void)cusparseSetPointerMode(s.handle, CUSPARSE_POINTER_MODE_HOST);
    by_columns(&s, 0);
    for (int kind = 1; kind <= 2; kind++) {
        (void)cusparseSetStream(s.handle, (cudaStream_t)(void *)&kind);
        passes_plain(&s, kind == 1 ? "a stream that is captured is" : "a stream of another context is");
    }
    (void)cusparseSetStream(s.handle, NULL);
    passes(&s, CUSPARSE_STATUS_SUCCESS, none, none, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG3,
        "an algorithm that promises the same bits is");
    s.alpha = INFINITY;
    passes_plain(&s, "alpha that is not finite is");
    s.alpha = 1;
    passes(&s, CUSPARSE_STATUS_SUCCESS, none, none, CUDA_R_32F, (cusparseSpMMAlg_t)99,
        "an algorithm of tomorrow is");
    small_free(&s);
}

static void passing_by_descriptors(void)
{
    small_t s;
    cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseStatus_t no = CUSPARSE_STATUS_NOT_SUPPORTED;
    small_new(&s);
    (void)cusparseCsrSetStridedBatch(s.a, 2, 0, 3);
    passes(&s, no, none, none, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, "a batch of A is passed through");
    (void)cusparseCsrSetStridedBatch(s.a, 1, 0, 0);
    (void)cusparseDnMatSetStridedBatch(s.db, 2, 12);
    passes(&s, no, none, none, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, "a batch of B is");
    (void)cusparseDnMatSetStridedBatch(s.db, 1, 0);
    (void)cusparseDestroySpMat(s.a);
    int64_t from_one_ptr[] = {1, 2, 4};
    int64_t from_one_idx[] = {1, 2, 3};
    (void)cusparseCreateCsr(&s.a, 2, 3, 3, from_one_ptr, from_one_idx, s.val, CUSPARSE_INDEX_64I,
        CUSPARSE_INDEX_64I, CUSPARSE_INDEX_BASE_ONE, CUDA_R_32F);
    by_columns(&s, 1);
    passes_plain(&s, "indices from 1 are");
    by_columns(&s, 0);
    (void)cusparseDestroySpMat(s.a);
    (void)cusparseCreateCsr(&s.a, 2, 4, 3, s.ptr, s.idx, s.val, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    passes(&s, no, none, none, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, "shapes that do not fit are");
    (void)cusparseDestroySpMat(s.a);
    s.ptr[1] = s.ptr[2] = 0;
    (void)cusparseCreateCsr(&s.a, 2, 3, 0, s.ptr, s.idx, s.val, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    passes_plain(&s, "a matrix without entries is");
    ok(cusparseSpMM(NULL, none, none, NULL, NULL, NULL, NULL, NULL, CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, NULL)
            == CUSPARSE_STATUS_INVALID_VALUE,
        "nothing at all is");
    small_free(&s);
}

static void other_entries(void)
{
    small_t s;
    size_t bytes = 0;
    fake_counts_t before = *fake_counts();
    cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    small_new(&s);
    ok(cusparseSpMM_bufferSize(s.handle, none, none, &s.alpha, s.a, s.db, &s.beta, s.dc, CUDA_R_32F,
           CUSPARSE_SPMM_CSR_ALG2, &bytes)
                == CUSPARSE_STATUS_SUCCESS
            && bytes == 16 && fake_counts()->buffer_size == before.buffer_size + 1,
        "the size of the buffer is cuSPARSE's");
    ok(cusparseSpMM_preprocess(s.handle, none, none, &s.alpha, s.a, s.db, &s.beta, s.dc, CUDA_R_32F,
           CUSPARSE_SPMM_CSR_ALG2, s.b)
                == CUSPARSE_STATUS_SUCCESS
            && fake_counts()->preprocess == before.preprocess + 1,
        "so is preprocessing");
    (void)cusparseCsrSetPointers(s.a, s.ptr, s.idx, s.val);
    ok(fake_counts()->set_pointers == before.set_pointers + 1, "new arrays reach it");
    small_free(&s);
    ok(fake_counts()->destroyed == before.destroyed + 1, "so does the end of a descriptor");
}

/* ---------------------------------------------------------------------- plans */

static void plans(void)
{
    small_t s;
    small_new(&s);
    int spmm_before = fake_counts()->spmm;
    ok(until_plan(&s, 40), "a pattern that comes again and again gets a plan");
    ok(fake_counts()->spmm >= spmm_before + 3, "its first products were cuSPARSE's");
    settle(&s);
    spmm_before = fake_counts()->spmm;
    s.val[1] = 7;
    s.alpha = 0.5F;
    ok(until_plan(&s, 1) && fake_counts()->spmm == spmm_before, "new values and scalars are read");
    int repaired = engine()->repaired;
    s.idx[1] = 0;
    ok(until_plan(&s, 1), "a pattern that changed in place is seen");
    ok(engine()->repaired == repaired + 1, "on the device");
    ok(until_plan(&s, 40) && engine()->repaired == repaired + 1, "it gets a plan of its own");
    settle(&s);
    cusparseSpMatDescr_t again = NULL;
    (void)cusparseDestroySpMat(s.a);
    (void)cusparseCreateCsr(&again, 2, 3, 3, s.ptr, s.idx, s.val, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    s.a = again;
    ok(until_plan(&s, 1), "another descriptor of the same arrays has the plan too");
    for (int i = 0; i < 3; i++) {
        s.idx[1] = i % 2;
        (void)until_plan(&s, 40);
        s.idx[1] = (i + 1) % 2;
        (void)plain(&s);
        (void)plain(&s);
    }
    ok(!until_plan(&s, 40) && right(&s), "one that changes again and again is left to cuSPARSE");
    small_free(&s);
}

static void decisions(void)
{
    small_t s;
    int32_t ptr[3] = {0, 1, 3};
    int32_t idx[3] = {2, 0, 1};
    small_new(&s);
    (void)cusparseDestroySpMat(s.a);
    (void)cusparseCreateCsr(&s.a, 2, 3, 3, s.ptr, idx, s.val, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    engine()->plan_ns = 1.99e6;
    int plans_before = engine()->plans;
    for (int i = 0; i < 60; i++)
        (void)plain(&s);
    int runs = engine()->runs;
    for (int i = 0; i < 10; i++)
        (void)plain(&s);
    ok(engine()->runs == runs && engine()->plans == plans_before, "a plan that gains nothing is given up");
    engine()->plan_ns = 1e6;
    engine()->refuses = 1;
    (void)cusparseCsrSetPointers(s.a, ptr, idx + 0, s.val);
    (void)cusparseDestroySpMat(s.a);
    (void)cusparseCreateCsr(&s.a, 2, 3, 3, ptr, idx, s.val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    runs = engine()->runs;
    for (int i = 0; i < 60; i++)
        (void)plain(&s);
    engine()->refuses = 0;
    ok(engine()->runs == runs && engine()->copies == engine()->plans, "where there is none nothing is kept");
    small_free(&s);
}

/* The same pattern somewhere else: one plan does for both. */
static void siblings(void)
{
    small_t s;
    small_t t;
    small_new(&s);
    small_new(&t);
    t.val[0] = 9;
    int made = engine()->made;
    ok(until_plan(&s, 40) && engine()->made == made + 1, "one pattern has a plan");
    for (int i = 0; i < 12; i++)
        (void)until_plan(&s, 1); /* it is kept */
    ok(until_plan(&t, 40) && engine()->made == made + 1, "its copy has the same one");
    settle(&t);
    ok(until_plan(&s, 1) && until_plan(&t, 1) && until_plan(&s, 1), "each with its values");
    int repaired = engine()->repaired;
    t.idx[1] = 0;
    ok(until_plan(&t, 1) && engine()->repaired == repaired + 1, "one of them changes");
    ok(until_plan(&s, 1) && engine()->repaired == repaired + 1, "the other one keeps its plan");
    ok(until_plan(&t, 40) && engine()->made == made + 2 && engine()->plans >= 2, "the changed one gets another");
    small_t u;
    small_new(&u);
    u.idx[2] = 0;
    u.idx[0] = 2;
    ok(until_plan(&u, 40) && engine()->made == made + 3 && engine()->repaired == repaired + 1,
        "another pattern of these sizes is told apart before it runs");
    small_free(&s);
    small_free(&t);
    small_free(&u);
}

/* Two matrices that share a plan change and are multiplied in turns: each message overwrites the other's. */
static void both_change(void)
{
    small_t s;
    small_t t;
    small_new(&s);
    small_new(&t);
    int there = until_plan(&s, 40);
    for (int i = 0; i < 12; i++)
        (void)until_plan(&s, 1);
    ok(there && until_plan(&t, 40) && engine()->plans == 1, "two matrices share a plan");
    int repaired = engine()->repaired;
    s.idx[1] = 0;
    t.idx[1] = 0;
    int wrong = 0;
    for (int i = 0; i < 100; i++) {
        wrong += plain(&s) != CUSPARSE_STATUS_SUCCESS || !right(&s);
        wrong += plain(&t) != CUSPARSE_STATUS_SUCCESS || !right(&t);
    }
    ok(!wrong && engine()->repaired == repaired + 2, "each change is found, once, when both change");
    small_free(&s);
    small_free(&t);
}

/* What a plan is compared with are times of the copy's own, as many as of any pattern. */
static void twin(void)
{
    small_t s;
    small_t copy;
    small_new(&s);
    small_new(&copy);
    for (int i = 0; i < 60; i++)
        (void)plain(&s);
    ok(until_plan(&s, 1), "a pattern keeps its plan");
    int before = engine()->runs;
    (void)plain(&copy);
    ok(engine()->runs == before, "cuSPARSE multiplies first by its copy");
    (void)plain(&copy);
    ok(engine()->runs == before + 1, "then the plan, which is known to be that of the copy");
    for (int i = 0; i < 60; i++)
        (void)plain(&copy);
    ok(until_plan(&copy, 1) && engine()->made == 1, "which keeps the plan too");
    small_free(&s);
    small_free(&copy);
}

/* The first pattern of the process, whose plan does not take the operands. */
static void refused(void)
{
    small_t s;
    small_new(&s);
    engine()->run_refuses = 1;
    for (int i = 0; i < 40; i++)
        (void)plain(&s);
    ok(engine()->made == 1 && right(&s), "a plan that refuses is made once");
    engine()->run_refuses = 0;
    for (int i = 0; i < 40; i++)
        (void)plain(&s);
    ok(engine()->made == 1 && engine()->runs == 0 && right(&s), "and not asked again");
    ok(engine()->plans == 0 && engine()->copies == 0, "nothing of it is kept");
    small_free(&s);
}

/* What cuSPARSE has no product for stays refused, as some versions do it with 16 bits. */
static void unsupported(void)
{
    small_t s;
    int other = 0;
    small_new(&s);
    fake_counts()->refuses = 1;
    for (int i = 0; i < 100; i++)
        other += plain(&s) != CUSPARSE_STATUS_NOT_SUPPORTED;
    ok(!other && engine()->made == 0 && engine()->runs == 0, "a product that cuSPARSE refuses gets no plan");
    fake_counts()->refuses = 0;
    ok(until_plan(&s, 40), "one that it does not refuse any more does");
    small_free(&s);
}

/* Little is not worth a plan. */
static void patience(void)
{
    small_t s;
    small_new(&s);
    engine()->other_ns = 2000;
    int made = engine()->made;
    engine()->plan_ns = 1000;
    engine()->refuses = 1;
    small_t none;
    small_new(&none);
    none.idx[1] = 0;
    engine()->other_ns = 2e6;
    for (int i = 0; i < 10; i++)
        (void)plain(&none);
    engine()->refuses = 0;
    engine()->other_ns = 2000;
    ok(engine()->copied == 1, "no plan for the first pattern, which says nothing of what one costs");
    for (int i = 0; i < 100; i++)
        (void)plain(&s);
    ok(engine()->made == made && right(&s), "100 products of 2 us are not worth a plan");
    for (int i = 0; i < 10000; i++)
        (void)plain(&s);
    ok(engine()->made > made && right(&s), "10,000 are");
    engine()->other_ns = 2e6;
    small_free(&s);
    small_free(&none);
}

/* A better plan is tried beside the one of two matrices, and one of these changes meanwhile. */
static void improved(void)
{
    small_t s;
    small_t t;
    int wrong = 0;
    small_new(&s);
    small_new(&t);
    engine()->tuned_ns = 5e5;
    (void)until_plan(&s, 40);
    settle(&s);
    ok(until_plan(&t, 40) && engine()->plans == 1, "two matrices share a plan");
    settle(&t);
    for (int i = 0; i < 5000 && engine()->tuned == 0; i++)
        wrong += plain(&s) != CUSPARSE_STATUS_SUCCESS || !right(&s);
    ok(engine()->tuned == 1 && engine()->plans == 2 && !wrong, "a better one is made for it");
    t.idx[1] = 0;
    wrong += plain(&t) != CUSPARSE_STATUS_SUCCESS || !right(&t);
    wrong += plain(&s) != CUSPARSE_STATUS_SUCCESS || !right(&s);
    settle(&s);
    settle(&t);
    ok(!wrong && right(&s) && right(&t) && engine()->repaired == 1, "one of both changes while it is tried");
    int runs = engine()->runs;
    ok(until_plan(&s, 1) && engine()->last_ns == 5e5 && engine()->runs == runs + 1, "the better one stays");
    ok(until_plan(&t, 1) && engine()->plans <= 3, "the other one goes, and the changed matrix has its own");
    t.idx[1] = 1;
    (void)plain(&t);
    ok(right(&t) && until_plan(&s, 1), "a pattern changes back");
    for (int i = 0; i < 40; i++)
        wrong += plain(&t) != CUSPARSE_STATUS_SUCCESS || !right(&t);
    ok(!wrong && engine()->plans <= 3, "and has a plan again");
    small_free(&s);
    small_free(&t);
}

/* A better plan is tried for a matrix that is not used any more: others are tried even so. */
static void abandoned(void)
{
    small_t s;
    small_t t;
    small_new(&s);
    small_new(&t);
    t.idx[1] = 0;
    for (int i = 0; i < 5000 && engine()->tuned == 0; i++)
        (void)plain(&s);
    ok(engine()->tuned == 1, "a better plan is made for one matrix, and never tried to the end");
    for (int i = 0; i < 5000 && engine()->tuned == 1; i++)
        (void)plain(&t);
    ok(engine()->tuned == 2 && right(&t), "another one has a better one, too");
    small_free(&s);
    small_free(&t);
}

/* A pattern whose products are another one's in time, in the same place. */
static void quicker(void)
{
    small_t s;
    small_new(&s);
    ok(until_plan(&s, 40), "a pattern has a plan");
    settle(&s);
    s.idx[1] = 0;
    engine()->other_ns = 9e5;
    for (int i = 0; i < 100; i++)
        (void)plain(&s);
    int runs = engine()->runs;
    (void)plain(&s);
    ok(engine()->made == 2 && engine()->runs == runs && right(&s), "of the next one the plan is slower than cuSPARSE");
    engine()->other_ns = 2e6;
    small_free(&s);
}

/* Values of 16 bits, sums and scalars of fp32; what is mixed is cuSPARSE's. */
static void types(void)
{
    static const cudaDataType all[] = {CUDA_R_32F, CUDA_R_16BF, CUDA_R_16F};
    small_t one;
    small_t s;
    int made = engine()->made;
    small_new(&one);
    ok(until_plan(&one, 40), "a pattern has a plan in fp32");
    settle(&one);
    for (int i = 1; i < 3; i++) {
        small_typed(&s, all[i], all[i], &one);
        s.alpha = 0.5F;
        ok(until_plan(&s, 40) && engine()->made == made + 1 + i, i == 1 ? "in bf16 it has one of its own" : "in fp16 too");
        settle(&s);
        s.val[1] = 7;
        int before = fake_counts()->spmm;
        ok(until_plan(&s, 1) && fake_counts()->spmm == before, "which reads new values");
        small_free(&s);
    }
    ok(until_plan(&one, 1) && engine()->repaired == 0, "each multiplies in its type");
    made = engine()->made;
    for (int i = 1; i < 3; i++) {
        small_typed(&s, all[i], CUDA_R_32F, &one);
        s.alpha = 0.5F;
        s.val[1] = 4.03125F; /* whose products bf16 has not */
        ok(until_plan(&s, 40) && engine()->made == made + i, i == 1 ? "a C of fp32 beside bf16 has one too" : "and beside fp16");
        settle(&s);
        small_free(&s);
    }
    int runs = engine()->runs;
    int wrong = 0;
    small_typed(&s, CUDA_R_16F, CUDA_R_16BF, NULL);
    for (int n = 0; n < 40; n++)
        wrong += plain(&s) != CUSPARSE_STATUS_NOT_SUPPORTED;
    ok(!wrong && engine()->runs == runs, "a C of other 16 bits is left to cuSPARSE");
    small_free(&s);
    small_typed(&s, CUDA_R_16F, CUDA_R_16F, NULL);
    s.compute = CUDA_R_16F;
    for (int n = 0; n < 40; n++)
        wrong += plain(&s) != CUSPARSE_STATUS_NOT_SUPPORTED;
    ok(!wrong && engine()->runs == runs, "so are sums of fp16");
    small_free(&s);
    small_typed(&s, CUDA_R_8I, CUDA_R_8I, NULL);
    s.compute = CUDA_R_32I;
    for (int n = 0; n < 40; n++)
        wrong += plain(&s) != CUSPARSE_STATUS_NOT_SUPPORTED;
    ok(!wrong && engine()->runs == runs, "and integers");
    small_free(&s);
    small_free(&one);
}

/* With ROWCAST_TRUST=preprocess. */
static void trust(void)
{
    small_t s;
    cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    small_new(&s);
    (void)until_plan(&s, 40);
    int checked = engine()->checked;
    (void)until_plan(&s, 1);
    ok(engine()->checked == checked + 1, "without preprocessing each product is checked");
    for (int turn = 0; turn < 2; turn++) {
        (void)cusparseSpMM_preprocess(s.handle, none, none, &s.alpha, s.a, s.db, &s.beta, s.dc, CUDA_R_32F,
            CUSPARSE_SPMM_CSR_ALG2, s.b);
        checked = engine()->checked;
        engine()->deaf = turn == 1;
        for (int i = 0; i < 4; i++)
            (void)until_plan(&s, 1);
        ok(engine()->checked == checked + (turn == 0 ? 1 : 4),
            turn == 0 ? "after it only the first is" : "until its outcome is known");
        engine()->deaf = 0;
    }
    (void)until_plan(&s, 1);
    checked = engine()->checked;
    for (int i = 0; i < 40; i++) {
        s.beta = i % 2 ? 0 : 1;
        (void)plain(&s);
    }
    ok(engine()->directs > 0 && engine()->checked == checked, "a kernel for another beta takes no trust away");
    (void)cusparseDestroySpMat(s.a);
    (void)cusparseCreateCsr(&s.a, 2, 3, 3, s.ptr, s.idx, s.val, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    s.idx[1] = 0;
    ok(until_plan(&s, 1) && engine()->checked == checked + 1, "a new descriptor is not trusted for its address");
    small_free(&s);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    (void)setlocale(LC_ALL, "");
    if (strcmp(what, "trust") == 0)
        trust();
    else if (strcmp(what, "twin") == 0)
        twin();
    else if (strcmp(what, "improved") == 0)
        improved();
    else if (strcmp(what, "abandoned") == 0)
        abandoned();
    else if (strcmp(what, "quicker") == 0)
        quicker();
    else if (strcmp(what, "refused") == 0)
        refused();
    else if (strcmp(what, "siblings") == 0)
        siblings();
    else if (strcmp(what, "both") == 0)
        both_change();
    else if (strcmp(what, "decisions") == 0)
        decisions();
    else if (strcmp(what, "patience") == 0)
        patience();
    else if (strcmp(what, "unsupported") == 0)
        unsupported();
    else if (strcmp(what, "types") == 0)
        types();
    else if (strcmp(what, "plans") == 0)
        plans();
    else {
        passing_by_arguments();
        passing_by_descriptors();
        other_entries();
    }
    return ok_end();
}
