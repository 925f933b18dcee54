/* cusparseSpMM and cusparseSpMV of the drop-in with the fakes, A in each format, as it is, transposed and as the adjoint: which
 * of these have a plan or a kernel, and that they are right.  Run by dropin.t, which preloads the drop-in.
 *   forms CASE [vector]   products with K columns, or with a vector */
#include "small.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 2, COLS = 3, ENTRIES = 3, K = 2, MOST = COLS * K };

/* A 2 x 3 matrix row by row, or column by column one that is 3 x 2, and its operands, by rows. */
typedef struct formed {
    cusparseFormat_t format;
    cusparseOperation_t op;
    int vector; /* 1: cusparseSpMV */
    cusparseSpMMAlg_t alg;
    cusparseSpMVAlg_t vector_alg;
    int captured; /* what a stream is to the fake engine */
    cusparseHandle_t handle;
    int32_t ptr[ROWS + 1];
    int32_t row[ENTRIES];
    int32_t idx[ENTRIES];
    float val[ENTRIES];
    float b[MOST];
    float c[MOST];
    float alpha;
    float beta;
    cusparseSpMatDescr_t a;
    int wrong;
} formed_t;

static int by_columns(const formed_t *f)
{
    return (f->format == CUSPARSE_FORMAT_CSC) != (f->op != CUSPARSE_OPERATION_NON_TRANSPOSE);
}

/* 1: a kernel on the program's arrays can do it. */
static int by_rows(const formed_t *f)
{
    return f->format != CUSPARSE_FORMAT_COO && !by_columns(f);
}

static int rows_of(const formed_t *f)
{
    return by_columns(f) ? COLS : ROWS;
}

static void describe(formed_t *f)
{
    const cusparseIndexType_t idx = CUSPARSE_INDEX_32I;
    const cusparseIndexBase_t base = CUSPARSE_INDEX_BASE_ZERO;
    if (f->format == CUSPARSE_FORMAT_CSR)
        (void)cusparseCreateCsr(&f->a, ROWS, COLS, ENTRIES, f->ptr, f->idx, f->val, idx, idx, base, CUDA_R_32F);
    else if (f->format == CUSPARSE_FORMAT_CSC)
        (void)cusparseCreateCsc(&f->a, COLS, ROWS, ENTRIES, f->ptr, f->idx, f->val, idx, idx, base, CUDA_R_32F);
    else
        (void)cusparseCreateCoo(&f->a, ROWS, COLS, ENTRIES, f->row, f->idx, f->val, idx, base, CUDA_R_32F);
}

/* What the second argument says. */
static int with_vector;

static void formed_new(formed_t *f, cusparseFormat_t format, cusparseOperation_t op)
{
    *f = (formed_t){.format = format, .op = op, .vector = with_vector, .ptr = {0, 1, 3}, .row = {0, 1, 1}, .idx = {2, 0, 1}, .val = {1, 2, 3},
        .b = {1, 2, 3, 4, 5, 6}, .alpha = 1};
    (void)cusparseCreate(&f->handle);
    (void)cusparseSetStream(f->handle, (cudaStream_t)(void *)&f->captured);
    describe(f);
}

/* Arrays and a stream of its own for each case: one where another was would have its pattern. */
static formed_t *fresh(void)
{
    static formed_t all[64];
    static int used;
    return &all[used++];
}

static void formed_free(formed_t *f)
{
    (void)cusparseDestroySpMat(f->a);
    (void)cusparseDestroy(f->handle);
}

/* Sums over k columns of B.  \return 1: C is that */
static int is_right(const formed_t *f, const float *before, int k)
{
    float want[MOST];
    for (int i = 0; i < rows_of(f) * k; i++)
        want[i] = f->beta != 0 ? f->beta * before[i] : 0;
    for (int e = 0; e < ENTRIES; e++)
        for (int j = 0; j < k; j++) {
            int line = f->format == CUSPARSE_FORMAT_COO ? f->row[e] : e >= f->ptr[1];
            int row = by_columns(f) ? f->idx[e] : line;
            int col = by_columns(f) ? line : f->idx[e];
            want[row * k + j] += f->alpha * f->val[e] * f->b[col * k + j];
        }
    for (int i = 0; i < rows_of(f) * k; i++)
        if (f->c[i] != want[i])
            return 0;
    return 1;
}

/* Descriptors of B and C, made for one call. */
typedef struct matrices {
    cusparseDnMatDescr_t b;
    cusparseDnMatDescr_t c;
} matrices_t;

static matrices_t matrices_new(formed_t *f)
{
    matrices_t m = {0};
    (void)cusparseCreateDnMat(&m.b, ROWS + COLS - rows_of(f), K, K, f->b, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    (void)cusparseCreateDnMat(&m.c, rows_of(f), K, K, f->c, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    return m;
}

static void matrices_free(const matrices_t *m)
{
    (void)cusparseDestroyDnMat(m->b);
    (void)cusparseDestroyDnMat(m->c);
}

/* The same of x and y, which get their values afterwards. */
typedef struct vectors {
    cusparseDnVecDescr_t x;
    cusparseDnVecDescr_t y;
} vectors_t;

static vectors_t vectors_new(formed_t *f)
{
    vectors_t v = {0};
    (void)cusparseCreateDnVec(&v.x, ROWS + COLS - rows_of(f), f->c, CUDA_R_32F);
    (void)cusparseCreateDnVec(&v.y, rows_of(f), f->b, CUDA_R_32F);
    (void)cusparseDnVecSetValues(v.x, f->b);
    (void)cusparseDnVecSetValues(v.y, f->c);
    return v;
}

static void vectors_free(const vectors_t *v)
{
    (void)cusparseDestroyDnVec(v->x);
    (void)cusparseDestroyDnVec(v->y);
}

static cusparseStatus_t call(formed_t *f)
{
    cusparseStatus_t st;
    if (f->vector) {
        vectors_t v = vectors_new(f);
        st = cusparseSpMV(f->handle, f->op, &f->alpha, f->a, v.x, &f->beta, v.y, CUDA_R_32F, f->vector_alg, f->b);
        vectors_free(&v);
    } else {
        matrices_t m = matrices_new(f);
        st = cusparseSpMM(f->handle, f->op, CUSPARSE_OPERATION_NON_TRANSPOSE, &f->alpha, f->a, m.b, &f->beta, m.c, CUDA_R_32F,
            f->alg, f->b);
        matrices_free(&m);
    }
    return st;
}

/* A product.  \return 1: one of the engine's */
static int multiply(formed_t *f)
{
    float before[MOST];
    int runs = engine()->runs;
    memcpy(before, f->c, sizeof before);
    f->wrong += call(f) != CUSPARSE_STATUS_SUCCESS;
    f->wrong += !is_right(f, before, f->vector ? 1 : K);
    return engine()->runs > runs;
}

static int multiply_many(formed_t *f, int count)
{
    int ours = 0;
    for (int i = 0; i < count; i++) {
        f->val[i % ENTRIES] = (float)(1 + i % 5);
        ours = multiply(f);
    }
    return ours;
}

/* ---------------------------------------------------------------------- cases */

static const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};
static const char *const names[] = {"CSR", "CSC", "COO"};
static const cusparseOperation_t ops[] = {
    CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};
static const char *const done[] = {"", ", transposed", ", adjoint"};
enum { TURNS = 2 }; /* operations of real numbers */

static void say(int passed, int format, int op, const char *what)
{
    char name[100];
    (void)snprintf(name, sizeof name, "%s%s%s: %s", names[format], done[op], with_vector ? ", vector" : "", what);
    ok(passed, name);
}

/* What is CSR in effect has a kernel for a vector, which knows nothing of the pattern. */
static void kernels(int format, int op)
{
    formed_t *f = fresh();
    formed_new(f, formats[format], ops[op]);
    int made = engine()->made;
    int directs = engine()->directs;
    say(multiply_many(f, 100) && engine()->directs > directs && engine()->made == made, format, op, "there is a kernel, and no plan");
    f->idx[2] = 2;
    f->alpha = -0.5F;
    f->beta = 2;
    say(multiply(f) && !f->wrong, format, op, "which is right where all changes");
    formed_free(f);
}

/* Of real numbers: cuSPARSE refuses it, or multiplies as something else. */
static void adjoint(int format)
{
    formed_t *f = fresh();
    const int op = TURNS;
    formed_new(f, formats[format], ops[op]);
    const int made = engine()->made;
    const int directs = engine()->directs;
    (void)multiply_many(f, 100);
    say(engine()->made == made && engine()->directs == directs && !f->wrong, format, op, "is passed through");
    formed_free(f);
}

static void plans(int format, int op)
{
    formed_t *f = fresh();
    formed_new(f, formats[format], ops[op]);
    if (f->vector && by_rows(f)) {
        formed_free(f);
        kernels(format, op);
        return;
    }
    int made = engine()->made;
    say(multiply_many(f, 60) && engine()->made == made + 1, format, op, "there is a plan");
    f->alpha = -0.5F;
    say(multiply_many(f, 5), format, op, "which reads values and alpha");
    int repaired = engine()->repaired;
    f->idx[2] = 2;
    say(multiply(f) && engine()->repaired == repaired + 1, format, op, "a pattern that changed in place is seen");
    say(multiply_many(f, 60), format, op, "and has a plan of its own");
    f->captured = 1;
    say(multiply_many(f, 3), format, op, "a graph holds it");
    f->captured = 0;
    say(!multiply(f) && multiply_many(f, 60), format, op, "what is not captured has another one then");
    say(engine()->strays == 0 && !f->wrong, format, op, "all are right");
    formed_free(f);
}

/* 1: the last of many products was the engine's.  C is added to from zeros. */
static int added_many(formed_t *f)
{
    int ours = 0;
    for (int i = 0; i < 100; i++) {
        memset(f->c, 0, sizeof f->c);
        ours = multiply(f);
    }
    return ours;
}

/* What no plan can do: kernels take CSR, and what is CSR in effect. */
static void added(int format, int op)
{
    formed_t *f = fresh();
    formed_new(f, formats[format], ops[op]);
    f->beta = 2;
    say(added_many(f) == by_rows(f) && !f->wrong, format, op,
        by_rows(f) ? "what is added has a kernel" : "what is added is passed through");
    formed_free(f);
    f = fresh();
    formed_new(f, formats[format], ops[op]);
    (void)cusparseSetPointerMode(f->handle, CUSPARSE_POINTER_MODE_DEVICE);
    say(added_many(f) == by_rows(f) && !f->wrong, format, op,
        by_rows(f) ? "scalars on the device have a kernel" : "scalars on the device are passed through");
    formed_free(f);
}

/* CSR that is transposed is CSC, of the same arrays. */
static void one(void)
{
    formed_t *f = fresh();
    formed_new(f, CUSPARSE_FORMAT_CSR, CUSPARSE_OPERATION_TRANSPOSE);
    (void)multiply_many(f, 100);
    int made = engine()->made;
    (void)cusparseDestroySpMat(f->a);
    f->format = CUSPARSE_FORMAT_CSC;
    f->op = CUSPARSE_OPERATION_NON_TRANSPOSE;
    describe(f);
    ok(multiply(f) && engine()->made == made && !f->wrong, "A' of CSR and CSC are one product");
    f->op = CUSPARSE_OPERATION_TRANSPOSE;
    ok(!multiply(f), "A' of CSC is another one");
    ok(multiply_many(f, 100) && engine()->made == made + !f->vector && !f->wrong, f->vector ? "with a kernel" : "with a plan of its own");
    formed_free(f);
}

/* Each format has its own, one of which promises the same bits in each run. */
static const struct algorithm {
    int alg;
    int ours[3]; /* of CSR, CSC, COO */
    const char *name;
} matrix_algorithms[] = {{CUSPARSE_SPMM_CSR_ALG1, {1, 1, 0}, "CSR_ALG1"}, {CUSPARSE_SPMM_CSR_ALG3, {0, 0, 0}, "CSR_ALG3"},
    {CUSPARSE_SPMM_COO_ALG1, {0, 0, 1}, "COO_ALG1"}, {CUSPARSE_SPMM_COO_ALG2, {0, 0, 0}, "COO_ALG2"},
    {CUSPARSE_SPMM_COO_ALG3, {0, 0, 1}, "COO_ALG3"}, {CUSPARSE_SPMM_COO_ALG4, {0, 0, 1}, "COO_ALG4"}},
  vector_algorithms[] = {{CUSPARSE_SPMV_CSR_ALG1, {1, 1, 0}, "CSR_ALG1"}, {CUSPARSE_SPMV_CSR_ALG2, {0, 0, 0}, "CSR_ALG2"},
      {CUSPARSE_SPMV_COO_ALG1, {0, 0, 1}, "COO_ALG1"}, {CUSPARSE_SPMV_COO_ALG2, {0, 0, 0}, "COO_ALG2"}};

static void algorithms(void)
{
    const struct algorithm *all = with_vector ? vector_algorithms : matrix_algorithms;
    size_t count = with_vector ? sizeof vector_algorithms / sizeof *all : sizeof matrix_algorithms / sizeof *all;
    for (size_t i = 0; i < count; i++)
        for (int format = 0; format < 3; format++) {
            formed_t *f = fresh();
            formed_new(f, formats[format], CUSPARSE_OPERATION_NON_TRANSPOSE);
            f->alg = (cusparseSpMMAlg_t)all[i].alg;
            f->vector_alg = (cusparseSpMVAlg_t)all[i].alg;
            say(multiply_many(f, with_vector ? 130 : 60) == all[i].ours[format] && !f->wrong, format, 0, all[i].name);
            formed_free(f);
        }
}

/* \return 0: this cuSPARSE has no such function */
static int preprocess(formed_t *f)
{
    if (f->vector) {
#if CUSPARSE_VERSION >= 12300
        vectors_t v = vectors_new(f);
        (void)cusparseSpMV_preprocess(
            f->handle, f->op, &f->alpha, f->a, v.x, &f->beta, v.y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT, f->b);
        vectors_free(&v);
#else
        return 0;
#endif
    } else {
        matrices_t m = matrices_new(f);
        (void)cusparseSpMM_preprocess(f->handle, f->op, CUSPARSE_OPERATION_NON_TRANSPOSE, &f->alpha, f->a, m.b, &f->beta, m.c,
            CUDA_R_32F, CUSPARSE_SPMM_ALG_DEFAULT, f->b);
        matrices_free(&m);
    }
    return 1;
}

/* With ROWCAST_TRUST=preprocess. */
static void trust(int format, int op)
{
    formed_t *f = fresh();
    formed_new(f, formats[format], ops[op]);
    (void)multiply_many(f, 40);
    int passed = fake_counts()->preprocess;
    if ((f->vector && by_rows(f)) || !preprocess(f)) { /* kernels have no check */
        formed_free(f);
        return;
    }
    say(fake_counts()->preprocess == passed + 1, format, op, "cuSPARSE preprocesses, too");
    int checked = engine()->checked;
    (void)multiply_many(f, 4);
    say(engine()->checked == checked + 1, format, op, "after preprocessing only the first product is checked");
    if (f->format == CUSPARSE_FORMAT_COO)
        (void)cusparseCooSetPointers(f->a, f->row, f->idx, f->val);
    else if (f->format == CUSPARSE_FORMAT_CSC)
        (void)cusparseCscSetPointers(f->a, f->ptr, f->idx, f->val);
    else
        (void)cusparseCsrSetPointers(f->a, f->ptr, f->idx, f->val);
    f->idx[2] = 2;
    say(multiply(f) && engine()->checked == checked + 2 && !f->wrong, format, op, "with new arrays the next one is");
    (void)multiply_many(f, 40);
    (void)preprocess(f);
    (void)multiply_many(f, 4);
    (void)cusparseDestroySpMat(f->a); /* the next one may have its address */
    describe(f);
    f->idx[2] = 1;
    checked = engine()->checked;
    say(multiply(f) && engine()->checked == checked + 1 && !f->wrong, format, op, "so it is with a new descriptor");
    formed_free(f);
}

/* Likewise: what is preprocessed for a vector says nothing of products with K columns, and the reverse. */
static void apart(int first)
{
    formed_t *f = fresh();
    formed_new(f, CUSPARSE_FORMAT_CSC, CUSPARSE_OPERATION_NON_TRANSPOSE);
    for (int vector = 0; vector < 2; vector++) {
        f->vector = vector;
        (void)multiply_many(f, 40);
    }
    f->vector = first;
    if (!preprocess(f)) {
        formed_free(f);
        return;
    }
    (void)multiply_many(f, 4);
    f->vector = !first;
    int checked = engine()->checked;
    ok(multiply_many(f, 4) && engine()->checked == checked + 4, first ? "K columns are checked after a vector was preprocessed" :
        "a vector is checked after K columns were preprocessed");
    f->idx[2] = 2;
    ok(multiply(f) && !f->wrong, "the pattern may change then");
    formed_free(f);
}

/* Products of a thread of its own, whose pattern changes once. */
static void *multiplies(void *formed)
{
    formed_t *f = formed;
    for (int i = 0; i < 200; i++) {
        f->val[i % ENTRIES] = (float)(1 + i % 7);
        f->idx[2] = i < 100 ? 1 : 2;
        (void)multiply(f);
        (void)sched_yield();
    }
    return NULL;
}

static void threads(void)
{
    enum { THREADS = 9 };
    formed_t *f[THREADS];
    pthread_t all[THREADS];
    int wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        f[i] = fresh();
        formed_new(f[i], formats[i / 3], ops[i % 3]);
    }
    for (int i = 0; i < THREADS; i++)
        if (pthread_create(&all[i], NULL, multiplies, f[i]) != 0)
            exit(99);
    for (int i = 0; i < THREADS; i++) {
        (void)pthread_join(all[i], NULL);
        wrong += f[i]->wrong;
        formed_free(f[i]);
    }
    ok(!wrong, "threads with a format and an operation each have right products");
    ok(engine()->runs > THREADS * 100, "most of them by plans");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    with_vector = argc > 2 && strcmp(argv[2], "vector") == 0;
    for (int format = 0; format < 3; format++)
        for (int op = 0; op < TURNS; op++)
            if (strcmp(what, "trust") == 0)
                trust(format, op);
            else if (strcmp(what, "added") == 0)
                added(format, op);
            else if (strcmp(what, "plans") == 0)
                plans(format, op);
    for (int format = 0; strcmp(what, "plans") == 0 && format < 3; format++)
        adjoint(format);
    if (strcmp(what, "one") == 0)
        one();
    else if (strcmp(what, "algorithms") == 0)
        algorithms();
    else if (strcmp(what, "apart") == 0)
        for (int first = 0; first < 2; first++)
            apart(first);
    else if (strcmp(what, "threads") == 0)
        threads();
    return ok_end();
}
