/* Does a product with a vector by cuSPARSE write beside y?  A program of its calls alone (data/results/notebook/kernels.md,
 * "Products with a vector", says what it found).  Not a test: what it finds comes and goes.
 *
 * Matrices of one column and one entry, all that cusparseSpMV can do with them in CSR, indices of 32 and of
 * 64 bits in turn.  Every array has room behind it, where one of them has a pattern and the others zeros,
 * so that a read past an array does no harm and may be seen.  y lies between words that must stay.
 *
 *     tests/gpu/cusparse_beside [ROWS]     up to so many rows (default 69: 35,712 products)
 *
 * Ends with 0 when nothing was found, with 1 when something was, with 2 when a call failed or there is no GPU. */
#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arrays, each at its number times ROOM. */
enum { POINTERS, COLUMNS, VALUES, X, WORKSPACE, INPUTS, Y = 6, ARRAYS = 8 };
enum { ROOM = 1 << 15, BEHIND = 1024, WORKSPACE_MAX = 4096, PATTERNS = 6, GUARD = 256, ROWS_MAX = 4096 };
enum { BESIDE = 1, WRONG = 2, FAILED = 4 };
static const char *const names[] = {"row pointers", "columns", "values", "x", "the workspace", "nothing"};

/* One product: what it is of, and where it runs. */
typedef struct trial {
    cusparseHandle_t handle;
    unsigned char *arena; /* [ARRAYS * ROOM] of the device */
    unsigned char *host;  /* [ARRAYS * ROOM] */
    int rows;
    int at; /* row of the entry */
    int wide; /* 1: indices of 64 bits */
    int alg;
    int pre;
    int where;   /* array with a pattern behind it; INPUTS: none */
    int pattern; /* its number */
    int beyond;  /* place that was written, counted from the end of y */
} trial_t;

static int cuda(cudaError_t e, const char *what)
{
    if (e != cudaSuccess)
        fprintf(stderr, "cusparse_beside: %s: %s\n", what, cudaGetErrorString(e));
    return e == cudaSuccess;
}

static int sparse(cusparseStatus_t s, const char *what)
{
    if (s != CUSPARSE_STATUS_SUCCESS)
        fprintf(stderr, "cusparse_beside: %s: %s\n", what, cusparseGetErrorName(s));
    return s == CUSPARSE_STATUS_SUCCESS;
}

static void put_pattern(unsigned char *to, size_t bytes, int number)
{
    static const int32_t word[PATTERNS - 1] = {-1, 1, 2, 33, 1 << 30};
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
        int32_t w = number < PATTERNS - 1 ? word[number] : (int32_t)(i / 4 % 2);
        memcpy(to + i, &w, sizeof w);
    }
}

/* A, x and what lies behind them, and y full of ones between its guards. */
static int upload(const trial_t *t)
{
    const size_t index = t->wide ? 8 : 4;
    const size_t bytes[WORKSPACE] = {(size_t)(t->rows + 1) * index, index, sizeof(float), sizeof(float)};
    const float value = 1;
    const float x = 2;
    memset(t->host, 0, (size_t)INPUTS * ROOM);
    for (int i = 0; i <= t->rows; i++) /* little endian: the first bytes are the narrow number */
        t->host[(size_t)i * index] = i > t->at;
    memcpy(t->host + (size_t)VALUES * ROOM, &value, sizeof value);
    memcpy(t->host + (size_t)X * ROOM, &x, sizeof x);
    if (t->where < WORKSPACE)
        put_pattern(t->host + (size_t)t->where * ROOM + bytes[t->where], BEHIND, t->pattern);
    else if (t->where == WORKSPACE)
        put_pattern(t->host + (size_t)WORKSPACE * ROOM, 2 * (size_t)WORKSPACE_MAX, t->pattern);
    return cuda(cudaMemcpy(t->arena, t->host, (size_t)INPUTS * ROOM, cudaMemcpyHostToDevice), "upload") &&
           cuda(cudaMemset(t->arena + (size_t)Y * ROOM - 4 * GUARD, 0xff, 4 * (size_t)(t->rows + 2 * GUARD)), "y");
}

/* y = A x by the calls that the documentation asks for, and no other. */
static int multiply(const trial_t *t, cusparseSpMatDescr_t a, cusparseDnVecDescr_t x, cusparseDnVecDescr_t y)
{
    static const cusparseSpMVAlg_t algs[] = {
        CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2};
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const float one = 1;
    const float zero = 0;
    void *work = t->arena + (size_t)WORKSPACE * ROOM;
    size_t need = 0;
    if (!sparse(cusparseSpMV_bufferSize(t->handle, plain, &one, a, x, &zero, y, CUDA_R_32F, algs[t->alg], &need),
            "cusparseSpMV_bufferSize"))
        return 0;
    if (need > WORKSPACE_MAX) {
        fprintf(stderr, "cusparse_beside: expected a workspace of at most %d bytes, found %zu\n", (int)WORKSPACE_MAX, need);
        return 0;
    }
#if CUSPARSE_VERSION >= 12300 /* the first with it: CUDA 12.4; without it pre 1 is pre 0 */
    if (t->pre && !sparse(cusparseSpMV_preprocess(t->handle, plain, &one, a, x, &zero, y, CUDA_R_32F, algs[t->alg], work),
                      "cusparseSpMV_preprocess"))
        return 0;
#endif
    return sparse(cusparseSpMV(t->handle, plain, &one, a, x, &zero, y, CUDA_R_32F, algs[t->alg], work), "cusparseSpMV") &&
           cuda(cudaDeviceSynchronize(), "a product");
}

/* \return bits of what is not as it should be */
static int check(trial_t *t)
{
    const size_t from = (size_t)Y * ROOM - 4 * GUARD;
    int bad = 0;
    if (!cuda(cudaMemcpy(t->host + from, t->arena + from, 4 * (size_t)(t->rows + 2 * GUARD), cudaMemcpyDeviceToHost), "y"))
        return FAILED;
    for (int i = -GUARD; i < t->rows + GUARD; i++) {
        const unsigned char *word = t->host + (ptrdiff_t)Y * ROOM + 4 * (ptrdiff_t)i;
        uint32_t bits;
        float value;
        memcpy(&bits, word, sizeof bits);
        memcpy(&value, word, sizeof value);
        int inside = i >= 0 && i < t->rows;
        if (inside && value != (i == t->at ? 2.0F : 0.0F))
            bad |= WRONG;
        if (inside || bits == UINT32_MAX)
            continue;
        t->beyond = bad & BESIDE ? t->beyond : i - t->rows;
        bad |= BESIDE;
    }
    return bad;
}

static int run(trial_t *t)
{
    const cusparseIndexType_t type = t->wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    unsigned char *at = t->arena;
    cusparseSpMatDescr_t a = NULL;
    cusparseDnVecDescr_t x = NULL;
    cusparseDnVecDescr_t y = NULL;
    int good = upload(t) &&
               sparse(cusparseCreateCsr(&a, t->rows, 1, 1, at + (size_t)POINTERS * ROOM, at + (size_t)COLUMNS * ROOM,
                          at + (size_t)VALUES * ROOM, type, type, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
                   "cusparseCreateCsr") &&
               sparse(cusparseCreateDnVec(&x, 1, at + (size_t)X * ROOM, CUDA_R_32F), "cusparseCreateDnVec") &&
               sparse(cusparseCreateDnVec(&y, t->rows, at + (size_t)Y * ROOM, CUDA_R_32F), "cusparseCreateDnVec") &&
               multiply(t, a, x, y);
    int bad = good ? check(t) : FAILED;
    if (a)
        (void)cusparseDestroySpMat(a);
    if (x)
        (void)cusparseDestroyDnVec(x);
    if (y)
        (void)cusparseDestroyDnVec(y);
    if (bad & (BESIDE | WRONG))
        printf("%d x 1, one entry in row %d, index %d, alg %d, pre %d, pattern %d behind %s:%s%s", t->rows, t->at,
            t->wide ? 64 : 32, t->alg, t->pre, t->pattern, names[t->where], bad & BESIDE ? " wrote beside y" : "",
            bad & WRONG ? " wrong" : "");
    if (bad & BESIDE)
        printf(" at %d past the end", t->beyond);
    if (bad & (BESIDE | WRONG))
        printf("\n");
    return bad;
}

/* All of a number of rows.  \return 0: a call failed */
static int run_rows(trial_t *t, long *products, long *found)
{
    enum { ALGS = 3, WAYS = ALGS * 2 * 2 * 2 };
    for (t->where = 0; t->where <= INPUTS; t->where++)
        for (t->pattern = 0; t->pattern < (t->where == INPUTS ? 1 : PATTERNS); t->pattern++)
            for (int way = 0; way < WAYS; way++) {
                t->at = way % 2 ? t->rows - 1 : 0;
                t->wide = way / 2 % 2;
                t->pre = way / 4 % 2;
                t->alg = way / 8;
                int bad = run(t);
                if (bad & FAILED)
                    return 0;
                ++*products;
                *found += bad != 0;
            }
    return 1;
}

/* Every number of rows to 40, and where a warp ends; else every fourth. */
static int next_rows(int rows)
{
    return rows < 40 || rows == 64 ? rows + 1 : rows + 4;
}

int main(int argc, char **argv)
{
    trial_t t = {0};
    long products = 0;
    long found = 0;
    int version = 0;
    char *end = NULL;
    long most = argc > 1 ? strtol(argv[1], &end, 10) : 69;
    if (argc > 2 || (end && (end == argv[1] || *end)) || most < 1 || most > ROWS_MAX) {
        fprintf(stderr, "cusparse_beside: expected a number of rows from 1 to %d\n", (int)ROWS_MAX);
        return 2;
    }
    t.host = calloc(ARRAYS, ROOM);
    int good = t.host && cuda(cudaMalloc((void **)&t.arena, (size_t)ARRAYS * ROOM), "memory") &&
               cuda(cudaMemset(t.arena, 0, (size_t)ARRAYS * ROOM), "memory") &&
               sparse(cusparseCreate(&t.handle), "cusparseCreate") &&
               sparse(cusparseGetVersion(t.handle, &version), "cusparseGetVersion");
    for (t.rows = 1; good && t.rows <= most; t.rows = next_rows(t.rows))
        good = run_rows(&t, &products, &found);
    if (good)
        printf("cuSPARSE %d: %ld products, %ld wrong or beside y\n", version, products, found);
    if (t.handle)
        (void)cusparseDestroy(t.handle);
    (void)cudaFree(t.arena);
    free(t.host);
    return !good ? 2 : found > 0;
}
