/* cusparseSpMV of the drop-in with the fakes: what is passed through, what kernels on the program's arrays multiply, and which
 * of them.  Run by dropin.t, which preloads the drop-in.  Each case is a process. */
#include "small.h"

#include <math.h>
#include <string.h>

enum { ROWS = 2, COLS = 3 };

/* A 2 x 3 matrix and two vectors. */
typedef struct vectors {
    cusparseHandle_t handle;
    int captured; /* what a stream is to the fake engine */
    int32_t ptr[ROWS + 1];
    int32_t idx[3];
    float val[3];
    float x[COLS];
    float y[ROWS];
    float want[ROWS];
    float alpha;
    float beta;
    cusparseSpMVAlg_t alg;
    int base;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t dx;
    cusparseDnVecDescr_t dy;
    int wrong;
} vectors_t;

static void vectors_new(vectors_t *v, int base)
{
    *v = (vectors_t){.ptr = {0, 1, 3}, .idx = {2, 0, 1}, .val = {1, 2, 3}, .x = {1, 2, 4}, .alpha = 1, .base = base};
    for (int i = 0; i < 3; i++) {
        v->ptr[i] += base;
        v->idx[i] += base;
    }
    (void)cusparseCreate(&v->handle);
    (void)cusparseSetStream(v->handle, (cudaStream_t)(void *)&v->captured);
    (void)cusparseCreateCsr(&v->a, ROWS, COLS, 3, v->ptr, v->idx, v->val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    (void)cusparseCreateDnVec(&v->dx, COLS, v->x, CUDA_R_32F);
    (void)cusparseCreateDnVec(&v->dy, ROWS, v->y, CUDA_R_32F);
}

static void vectors_free(vectors_t *v)
{
    (void)cusparseDestroySpMat(v->a);
    (void)cusparseDestroyDnVec(v->dx);
    (void)cusparseDestroyDnVec(v->dy);
    (void)cusparseDestroy(v->handle);
}

static cusparseStatus_t spmv(vectors_t *v, cusparseOperation_t op, cudaDataType type, cusparseSpMVAlg_t alg)
{
    return cusparseSpMV(v->handle, op, &v->alpha, v->a, v->dx, &v->beta, v->dy, type, alg, v->x);
}

/* A product that is compared with sums of its own.  \return 1: a kernel of the engine did it */
static int multiply(vectors_t *v)
{
    int before = engine()->directs;
    for (int r = 0; r < ROWS; r++) {
        float sum = 0;
        for (int e = v->ptr[r] - v->base; e < v->ptr[r + 1] - v->base; e++)
            sum += v->val[e] * v->x[v->idx[e] - v->base];
        v->want[r] = v->alpha * sum + (v->beta != 0 ? v->beta * v->y[r] : 0);
    }
    v->wrong += spmv(v, CUSPARSE_OPERATION_NON_TRANSPOSE, CUDA_R_32F, v->alg) != CUSPARSE_STATUS_SUCCESS;
    v->wrong += v->y[0] != v->want[0] || v->y[1] != v->want[1];
    return engine()->directs > before;
}

/* Products; 1: the last ones were by a kernel. */
static int multiply_many(vectors_t *v, int count)
{
    int ours = 0;
    for (int i = 0; i < count; i++)
        ours = multiply(v);
    return ours;
}

/* ------------------------------------------------------------- passing through */

static void passes(vectors_t *v, cusparseOperation_t op, cudaDataType type, cusparseSpMVAlg_t alg, const char *name)
{
    int other = 0;
    int runs = engine()->runs;
    int before = fake_counts()->spmv;
    for (int i = 0; i < 40; i++) {
        (void)spmv(v, op, type, alg);
        const rc_spmv_call_t *l = &fake_counts()->last_vector;
        other += l->handle != v->handle || l->op_a != op || l->alpha != &v->alpha || l->a != v->a || l->x != v->dx
            || l->beta != &v->beta || l->y != v->dy || l->type != type || l->alg != alg || fake_counts()->buffer != v->x;
    }
    ok(!other && fake_counts()->spmv == before + 40 && engine()->runs == runs, name);
}

static void passing(void)
{
    vectors_t v;
    size_t bytes = 0;
    int32_t row[3] = {0, 1, 1};
    cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    vectors_new(&v, 0);
    passes(&v, CUSPARSE_OPERATION_TRANSPOSE, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, "A transposed is passed through");
    passes(&v, none, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, "another compute type is");
    passes(&v, none, CUDA_R_32F, CUSPARSE_SPMV_CSR_ALG2, "an algorithm that promises the same bits is");
    passes(&v, none, CUDA_R_32F, CUSPARSE_SPMV_COO_ALG1, "an algorithm of another format is");
    v.alpha = INFINITY;
    passes(&v, none, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, "alpha that is not finite is");
    v.alpha = 1;
    v.captured = 2;
    passes(&v, none, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, "a stream of another context is");
    v.captured = 0;
    (void)cusparseDestroyDnVec(v.dx);
    (void)cusparseCreateDnVec(&v.dx, COLS + 1, v.x, CUDA_R_32F);
    passes(&v, none, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, "a vector of another length is");
    (void)cusparseDestroyDnVec(v.dx);
    (void)cusparseCreateDnVec(&v.dx, COLS, v.x, CUDA_R_16F);
    passes(&v, none, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, "mixed types are");
    (void)cusparseDestroyDnVec(v.dx);
    (void)cusparseCreateDnVec(&v.dx, COLS, v.x, CUDA_R_32F);
    (void)cusparseDestroySpMat(v.a);
    (void)cusparseCreateCoo(&v.a, ROWS, COLS, 3, row, v.idx, v.val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    v.beta = 2;
    passes(&v, none, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, "coordinates that are added to y are");
    ok(cusparseSpMV(NULL, none, NULL, NULL, NULL, NULL, NULL, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, NULL)
            == CUSPARSE_STATUS_INVALID_VALUE,
        "nothing at all is");
    ok(cusparseSpMV_bufferSize(
           v.handle, none, &v.alpha, v.a, v.dx, &v.beta, v.dy, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes)
                == CUSPARSE_STATUS_SUCCESS
            && bytes == 16,
        "the size of the buffer is cuSPARSE's");
    fake_counts()->refuses = 1;
    vectors_free(&v);
    vectors_new(&v, 0);
    passes(&v, none, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, "what cuSPARSE refuses is");
    vectors_free(&v);
}

/* -------------------------------------------------------------------- kernels */

/* Pattern, values and arrays may be any others in each product. */
static void kept(void)
{
    for (int base = 0; base < 2; base++) {
        vectors_t v;
        vectors_t other;
        vectors_new(&v, base);
        vectors_new(&other, base);
        ok(multiply_many(&v, 130), base ? "from 1 as well" : "a product that comes again and again has a kernel");
        v.idx[0] = base;
        v.val[1] = 7;
        ok(multiply(&v), "the pattern may change in place");
        v.ptr[1] = 2 + base;
        ok(multiply(&v), "and the rows");
        ok(multiply_many(&other, 60), "arrays elsewhere, on a stream of their own, have one too");
        ok(!v.wrong && !other.wrong, "all are right");
        vectors_free(&v);
        vectors_free(&other);
    }
    const fake_engine_t *e = engine();
    ok(e->copied == 0 && e->summed == 0 && e->made == 0 && e->checked == 0, "nothing is copied, summed, made or checked");
    ok(e->strays == 0, "each ran where it may");
}

static void scalars(void)
{
    vectors_t v;
    vectors_new(&v, 0);
    ok(multiply_many(&v, 130), "there is a kernel");
    v.alpha = -0.5F;
    v.beta = 2;
    ok(multiply_many(&v, 3), "which takes any alpha and beta");
    v.beta = 0;
    v.y[0] = v.y[1] = NAN;
    ok(multiply(&v), "beta 0 reads nothing of y");
    (void)cusparseSetPointerMode(v.handle, CUSPARSE_POINTER_MODE_DEVICE);
    v.beta = -1;
    ok(multiply_many(&v, 3), "scalars may be on the device");
    v.beta = 0;
    v.y[0] = v.y[1] = NAN;
    ok(multiply(&v), "also a beta of 0");
    ok(!v.wrong, "all are right");
    vectors_free(&v);
}

/* Which kernel stays, by what both take beside cuSPARSE's 2 ms. */
static void choice(double first, double second, int want, const char *name)
{
    vectors_t v;
    vectors_new(&v, 0);
    engine()->direct_ns[0] = first;
    engine()->direct_ns[1] = second;
    (void)multiply_many(&v, 140);
    int ours = 0;
    int others = 0;
    for (int i = 0; i < 10; i++) {
        ours += multiply(&v);
        others += engine()->way != want;
    }
    ok(want < 0 ? ours == 0 : ours == 10 && others == 0, name);
    ok(!v.wrong && engine()->ways == (want >= 0), "all were right, and nothing of the others is left");
    vectors_free(&v);
}

/* A kernel that would be slow for a long row is not asked. */
static void unsuited(void)
{
    vectors_t v;
    vectors_new(&v, 0);
    engine()->unsuited = 1;
    ok(multiply_many(&v, 130) && engine()->way == 1 && engine()->ways == 1, "the second is taken where the first does not suit");
    ok(engine()->looked == 1 && engine()->longest == 2, "the matrix was looked at once");
    ok(!v.wrong && engine()->strays == 0, "all are right");
    vectors_free(&v);
}

/* The longest row cannot be known. */
static void blind(void)
{
    vectors_t v;
    vectors_new(&v, 0);
    engine()->blind = 1;
    ok(multiply_many(&v, 130) && !v.wrong, "a matrix that cannot be looked at has a kernel");
    ok(engine()->looked == 1 && engine()->longest == INT64_MAX, "any row may be the longest there, and nothing is asked again");
    vectors_free(&v);
}

/* With ROWCAST_BUDGET=memory=50. */
static void memory(void)
{
    vectors_t v;
    vectors_new(&v, 0);
    engine()->direct_ns[0] = 1.5e6;
    engine()->direct_ns[1] = 1e6;
    ok(multiply_many(&v, 140) && engine()->way == 0 && engine()->ways == 1 && !v.wrong,
        "a kernel that needs more memory than there may be is not taken");
    vectors_free(&v);
}

/* Products after which the second kernel multiplies; `most`: it does not. */
static int until_second(vectors_t *v, int most)
{
    for (int i = 0; i < most; i++)
        if (multiply(v) && engine()->way == 1)
            return i;
    return most;
}

/* The pattern has become one that the kernel is slow for. */
static void slower(double now)
{
    vectors_t v;
    vectors_new(&v, 0);
    engine()->direct_ns[0] = 1e6;
    engine()->direct_ns[1] = 1.2e6;
    ok(multiply_many(&v, 140) && engine()->way == 0, "the first is kept");
    int marked = engine()->marked;
    ok(multiply_many(&v, 1000) && engine()->marked > marked && engine()->marked < marked + 1000 / 10 && engine()->way == 0,
        "one product in some is timed, and it stays");
    engine()->direct_ns[0] = now;
    ok(until_second(&v, 100) < 60, "where it has become slow the second is tried soon");
    ok(multiply_many(&v, 100) && engine()->way == 1 && !v.wrong, "and kept");
    ok(engine()->ways == 1 && engine()->looked == 2, "the matrix was looked at again, and nothing of the first is left");
    vectors_free(&v);
}

/* The host is ahead of the stream. */
static void ahead(void)
{
    vectors_t v;
    int runs = 0;
    vectors_new(&v, 0);
    engine()->direct_ns[0] = 1e6;
    engine()->direct_ns[1] = 1.2e6;
    (void)multiply_many(&v, 140);
    engine()->lag = 20;
    engine()->direct_ns[0] = 5e6;
    for (int i = 0; i < 90; i++) {
        engine()->calls++;
        runs += multiply(&v) && engine()->way == 0;
    }
    ok(runs < 60 && !v.wrong, "what is slow is seen when the stream has got there");
    vectors_free(&v);
}

/* The same, of a kernel that may be slow: a few products are enough to know. */
static void doubtful(double first, int most, const char *name)
{
    vectors_t v;
    vectors_new(&v, 0);
    engine()->lag = 40;
    engine()->direct_ns[0] = first;
    engine()->direct_ns[1] = 2e7;
    int slow = 0;
    for (int i = 0; i < 600; i++) {
        engine()->calls++;
        int ours = multiply(&v);
        slow += ours && engine()->direct_ns[engine()->way] > 2e6;
    }
    ok(slow > 0 && slow <= most && !v.wrong, name);
    vectors_free(&v);
}

/* With ROWCAST_BUDGET=share=0.  The pace of the program needs the clock in each call. */
static void poor(void)
{
    vectors_t v;
    vectors_new(&v, 0);
    (void)multiply_many(&v, 40);
    int before = engine()->timed;
    ok(!multiply_many(&v, 400) && !v.wrong && engine()->ways == 0, "what cannot be afforded is not tried");
    ok(engine()->timed < before + 600, "and the account is not looked at in each call");
    vectors_free(&v);
}

/* A kernel fails when it has stored a part of y, which has lost what was there. */
static void broken(void)
{
    vectors_t v;
    int told = 0;
    vectors_new(&v, 0);
    v.beta = 2;
    engine()->direct_ns[0] = 1e6;
    engine()->direct_ns[1] = 0.5e6;
    engine()->breaks = 2;
    int before = fake_counts()->spmv;
    for (int i = 0; i < 100; i++) {
        v.y[0] = v.y[1] = 1;
        cusparseStatus_t st = spmv(&v, CUSPARSE_OPERATION_NON_TRANSPOSE, CUDA_R_32F, v.alg);
        told += st == CUSPARSE_STATUS_EXECUTION_FAILED;
        v.wrong += v.y[0] != 6 || v.y[1] != 10;
    }
    ok(told == 1 && fake_counts()->spmv > before, "the program is told that a kernel failed");
    ok(!v.wrong, "cuSPARSE does not multiply once more");
    ok(engine()->ways == 0 && !multiply(&v) && !v.wrong, "and does all that come after it");
    vectors_free(&v);
}

static void graphs(void)
{
    vectors_t v;
    vectors_t other;
    vectors_new(&v, 0);
    vectors_new(&other, 0);
    (void)cusparseDestroySpMat(other.a); /* the same matrix on another stream */
    (void)cusparseCreateCsr(&other.a, ROWS, COLS, 3, v.ptr, v.idx, v.val, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    other.captured = 1;
    ok(!multiply_many(&other, 40) && engine()->marked == 0, "a graph takes cuSPARSE's product where there is no kernel");
    engine()->direct_ns[0] = 1e6;
    engine()->direct_ns[1] = 1.5e6;
    ok(multiply_many(&v, 140), "the first of both stays");
    int marked = engine()->marked;
    v.captured = 1;
    ok(multiply(&v) && engine()->in_graph == 1, "a graph takes it");
    ok(multiply(&other) && engine()->in_graph == 2, "on another stream too");
    v.captured = 0;
    ok(multiply(&v) && engine()->marked == marked, "and nothing is timed there");
    vectors_t doubled;
    vectors_new(&doubled, 0);
    (void)cusparseDestroySpMat(doubled.a); /* of other sizes */
    (void)cusparseCreateCsr(&doubled.a, ROWS, COLS, 2, doubled.ptr, doubled.idx, doubled.val, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    doubled.ptr[2] = 2;
    engine()->direct_ns[1] = 0.5e6;
    ok(multiply_many(&doubled, 140) && engine()->way == 1, "the second of both stays, which has memory of its own");
    doubled.captured = 1;
    ok(!multiply(&doubled) && engine()->strays == 0, "a graph does not take that one");
    ok(!v.wrong && !other.wrong && !doubled.wrong, "all are right");
    vectors_t stay;
    vectors_new(&stay, 0);
    (void)cusparseDestroySpMat(stay.a); /* that one, on a stream where the first stays */
    (void)cusparseCreateCsr(&stay.a, ROWS, COLS, 2, doubled.ptr, doubled.idx, doubled.val, CUSPARSE_INDEX_32I,
        CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    stay.ptr[2] = 2;
    engine()->direct_ns[1] = 1.5e6;
    ok(multiply_many(&stay, 140) && engine()->way == 0, "elsewhere the first stays");
    doubled.captured = 0;
    (void)multiply(&doubled);
    stay.captured = 1;
    ok(multiply(&stay) && engine()->strays == 0 && !stay.wrong, "a graph takes it, though the other one was used later");
    vectors_free(&v);
    vectors_free(&other);
    vectors_free(&doubled);
    vectors_free(&stay);
}

/* With ROWCAST_BITS=free. */
static void bits(void)
{
    vectors_t v;
    vectors_new(&v, 0);
    v.alg = CUSPARSE_SPMV_CSR_ALG2;
    ok(multiply_many(&v, 130) && !v.wrong, "what promises the same bits has a kernel where other bits will do");
    v.alg = CUSPARSE_SPMV_CSR_ALG1;
    ok(!multiply(&v) && multiply_many(&v, 130) && !v.wrong, "another algorithm is compared for itself");
    vectors_free(&v);
}

static void once(void)
{
    vectors_t v;
    vectors_new(&v, 0);
    ok(!multiply(&v) && engine()->marked == 0 && engine()->ways == 0 && !v.wrong, "a product that comes once costs nothing");
    vectors_free(&v);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "kept") == 0)
        kept();
    else if (strcmp(what, "scalars") == 0)
        scalars();
    else if (strcmp(what, "first") == 0)
        choice(1e6, 1.2e6, 0, "the first kernel stays where it is the fastest");
    else if (strcmp(what, "second") == 0)
        choice(2.5e6, 1.2e6, 1, "the second, where the first is slower than cuSPARSE");
    else if (strcmp(what, "neither") == 0)
        choice(2.5e6, 1.99e6, -1, "cuSPARSE, where it is as fast as both");
    else if (strcmp(what, "better") == 0)
        choice(1.5e6, 1.2e6, 1, "the second, where it is faster than the first");
    else if (strcmp(what, "unsuited") == 0)
        unsuited();
    else if (strcmp(what, "blind") == 0)
        blind();
    else if (strcmp(what, "memory") == 0)
        memory();
    else if (strcmp(what, "slower") == 0)
        slower(5e6);
    else if (strcmp(what, "rather") == 0)
        slower(1.9e6);
    else if (strcmp(what, "ahead") == 0)
        ahead();
    else if (strcmp(what, "doubtful") == 0)
        doubtful(2e7, 6, "while a kernel's first time is not known, it multiplies no more");
    else if (strcmp(what, "beside") == 0)
        doubtful(1e6, 3, "nor does it beside one that is kept");
    else if (strcmp(what, "graphs") == 0)
        graphs();
    else if (strcmp(what, "bits") == 0)
        bits();
    else if (strcmp(what, "once") == 0)
        once();
    else if (strcmp(what, "poor") == 0)
        poor();
    else if (strcmp(what, "broken") == 0)
        broken();
    else
        passing();
    return ok_end();
}
