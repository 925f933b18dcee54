/* Products of complex numbers by the drop-in with the fakes: scalars with an imaginary part, adjoints, and what is passed
 * through.  Numbers are small integers, so that all are exact.  Run by dropin.t, which preloads the drop-in.
 *   parts CASE [double]   in parts of fp32 or of fp64 */
#include "small.h"

#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 2, COLS = 3, ENTRIES = 3, K = 2, MOST = COLS * K, MANY = 100 };

/* A 2 x 3 matrix row by row, or column by column one that is 3 x 2, with operands by rows. */
typedef struct parts {
    cusparseHandle_t handle;
    cusparseFormat_t format;
    cusparseOperation_t op;
    cusparseOperation_t op_b;
    cudaDataType compute;
    int vector;
    int away; /* 1: arrays begin at a multiple of a part alone */
    int32_t ptr[ROWS + 1];
    int32_t idx[ENTRIES];
    double complex val[ENTRIES];
    double complex b[MOST];
    double complex c[MOST];
    double complex alpha;
    double complex beta;
    int wrong;
    _Alignas(16) char stored[5][16 * (MOST + 1)]; /* val, b, c, alpha and beta in the type of the program */
} parts_t;

/* What the second argument says. */
static cudaDataType type = CUDA_C_32F;

static size_t part_bytes(void)
{
    return type == CUDA_C_32F ? sizeof(float) : sizeof(double);
}

static void *array(parts_t *p, int which)
{
    return p->stored[which] + (p->away && which < 3 ? part_bytes() : 0);
}

static void put(void *to, const double complex *from, int n)
{
    for (int i = 0; i < 2 * n; i++) {
        double x = i % 2 ? cimag(from[i / 2]) : creal(from[i / 2]);
        if (type == CUDA_C_32F)
            ((float *)to)[i] = (float)x;
        else
            memcpy((char *)to + (size_t)i * sizeof x, &x, sizeof x);
    }
}

static double complex get(const void *from, int i)
{
    double x[2];
    float narrow[2];
    if (type == CUDA_C_32F) {
        memcpy(narrow, (const char *)from + (size_t)i * sizeof narrow, sizeof narrow);
        return CMPLX((double)narrow[0], (double)narrow[1]);
    }
    memcpy(x, (const char *)from + (size_t)i * sizeof x, sizeof x);
    return CMPLX(x[0], x[1]);
}

static int by_columns(const parts_t *p)
{
    return (p->format == CUSPARSE_FORMAT_CSC) != (p->op != CUSPARSE_OPERATION_NON_TRANSPOSE);
}

static int rows_of(const parts_t *p)
{
    return by_columns(p) ? COLS : ROWS;
}

static int columns_of(const parts_t *p)
{
    return p->vector ? 1 : K;
}

/* A case of its own; one where another was would have its pattern. */
static parts_t *fresh(void)
{
    static parts_t all[24];
    static int used;
    parts_t *p = &all[used++];
    *p = (parts_t){.format = CUSPARSE_FORMAT_CSR, .op = CUSPARSE_OPERATION_NON_TRANSPOSE, .op_b = CUSPARSE_OPERATION_NON_TRANSPOSE,
        .compute = type, .ptr = {0, 1, 3}, .idx = {2, 0, 1}, .alpha = 1};
    for (int i = 0; i < ENTRIES; i++)
        p->val[i] = CMPLX(i + 1, 2 - i);
    for (int i = 0; i < MOST; i++)
        p->b[i] = CMPLX(2 * i - 3, i + 1);
    (void)cusparseCreate(&p->handle);
    return p;
}

static cusparseSpMatDescr_t sparse(parts_t *p, void *values)
{
    cusparseSpMatDescr_t a = NULL;
    const cusparseIndexType_t idx = CUSPARSE_INDEX_32I;
    if (p->format == CUSPARSE_FORMAT_CSC)
        (void)cusparseCreateCsc(&a, COLS, ROWS, ENTRIES, p->ptr, p->idx, values, idx, idx, CUSPARSE_INDEX_BASE_ZERO, type);
    else
        (void)cusparseCreateCsr(&a, ROWS, COLS, ENTRIES, p->ptr, p->idx, values, idx, idx, CUSPARSE_INDEX_BASE_ZERO, type);
    return a;
}

static cusparseStatus_t call(parts_t *p)
{
    const int rows = rows_of(p), cols = ROWS + COLS - rows, turned = p->op_b != CUSPARSE_OPERATION_NON_TRANSPOSE;
    cusparseSpMatDescr_t a = sparse(p, array(p, 0));
    cusparseStatus_t st;
    if (p->vector) {
        cusparseDnVecDescr_t x = NULL, y = NULL;
        (void)cusparseCreateDnVec(&x, cols, array(p, 1), type);
        (void)cusparseCreateDnVec(&y, rows, array(p, 2), type);
        st = cusparseSpMV(p->handle, p->op, p->stored[3], a, x, p->stored[4], y, p->compute, CUSPARSE_SPMV_ALG_DEFAULT, p->stored);
        (void)cusparseDestroyDnVec(x);
        (void)cusparseDestroyDnVec(y);
    } else {
        cusparseDnMatDescr_t b = NULL, c = NULL;
        (void)cusparseCreateDnMat(
            &b, turned ? K : cols, turned ? cols : K, K, array(p, 1), type, turned ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW);
        (void)cusparseCreateDnMat(&c, rows, K, K, array(p, 2), type, CUSPARSE_ORDER_ROW);
        st = cusparseSpMM(p->handle, p->op, p->op_b, p->stored[3], a, b, p->stored[4], c, p->compute, CUSPARSE_SPMM_ALG_DEFAULT,
            p->stored);
        (void)cusparseDestroyDnMat(b);
        (void)cusparseDestroyDnMat(c);
    }
    (void)cusparseDestroySpMat(a);
    return st;
}

/* \param[out] want  [rows x K] */
static void expect(const parts_t *p, double complex *want)
{
    const int k = columns_of(p);
    for (int i = 0; i < rows_of(p) * k; i++)
        want[i] = p->beta != 0 ? p->beta * p->c[i] : 0;
    for (int e = 0; e < ENTRIES; e++) {
        int line = e >= p->ptr[1];
        int row = by_columns(p) ? p->idx[e] : line;
        int col = by_columns(p) ? line : p->idx[e];
        double complex a = p->op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj(p->val[e]) : p->val[e];
        for (int j = 0; j < k; j++) {
            double complex b = p->b[col * k + j];
            want[row * k + j] += p->alpha * a * (p->op_b == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj(b) : b);
        }
    }
}

/* A product.  \return 1: one of the engine's */
static int multiply(parts_t *p)
{
    double complex want[MOST];
    int runs = engine()->runs;
    for (int i = 0; i < MOST; i++)
        p->c[i] = CMPLX(i, -2);
    put(array(p, 0), p->val, ENTRIES);
    put(array(p, 1), p->b, MOST);
    put(array(p, 2), p->c, MOST);
    put(p->stored[3], &p->alpha, 1);
    put(p->stored[4], &p->beta, 1);
    expect(p, want);
    p->wrong += call(p) != CUSPARSE_STATUS_SUCCESS;
    for (int i = 0; i < rows_of(p) * columns_of(p); i++)
        p->wrong += get(array(p, 2), i) != want[i];
    return engine()->runs > runs;
}

static int multiply_many(parts_t *p)
{
    int ours = 0;
    for (int i = 0; i < MANY; i++) {
        p->val[i % ENTRIES] = CMPLX(i % 5, i % 3 - 1);
        ours = multiply(p);
    }
    return ours;
}

/* ---------------------------------------------------------------------- cases */

static void planned(parts_t *p, const char *what)
{
    int made = engine()->made;
    ok(multiply_many(p) && engine()->made == made + 1, what);
    p->alpha = CMPLX(-2, 3);
    ok(multiply(p) && !p->wrong, "which reads values and an alpha with an imaginary part");
    p->alpha = I;
    ok(multiply(p) && engine()->made == made + 1 && !p->wrong, "or without a real one");
}

static void matrix(void)
{
    parts_t *p = fresh();
    planned(p, "complex numbers have a plan");
    p->op_b = CUSPARSE_OPERATION_TRANSPOSE;
    ok(multiply(p) && !p->wrong, "with a B that is transposed, too");
    p->op_b = CUSPARSE_OPERATION_NON_TRANSPOSE;
    int repaired = engine()->repaired;
    p->idx[2] = 2;
    ok(multiply(p) && engine()->repaired == repaired + 1 && !p->wrong, "a pattern that changed in place is seen");
}

/* A plan has its values anew in each product, so that they may be conjugated in one and not in the next. */
static void adjoint(int vector)
{
    parts_t *p = fresh();
    p->vector = vector;
    p->op = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    planned(p, "the adjoint has a plan");
    int made = engine()->made;
    p->op = CUSPARSE_OPERATION_TRANSPOSE;
    ok(multiply(p) && engine()->made == made && !p->wrong, "which is that of the transposed one");
    p->op = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    int repaired = engine()->repaired;
    p->idx[2] = 2;
    ok(multiply(p) && engine()->repaired == repaired + 1 && !p->wrong, "a pattern that changed in place is seen");
}

/* By kernels on the program's arrays; the adjoint of CSC is CSR with other values. */
static void kernels(cusparseFormat_t format, cusparseOperation_t op, int vector)
{
    parts_t *p = fresh();
    int made = engine()->made;
    p->format = format;
    p->op = op;
    p->vector = vector;
    p->beta = CMPLX(0, 2);
    ok(multiply_many(p) && engine()->made == made && engine()->directs > 0, "a beta without a real part is one: there is a kernel");
    p->alpha = CMPLX(1, -3);
    p->beta = CMPLX(-1, 2);
    p->idx[2] = 2;
    ok(multiply(p) && !p->wrong, "which is right where all changes");
    (void)cusparseSetPointerMode(p->handle, CUSPARSE_POINTER_MODE_DEVICE);
    ok(multiply(p) && !p->wrong, "scalars may be on the device");
    p->beta = 0;
    ok(multiply(p) && !p->wrong, "also a beta of 0");
}

/* C = alpha (L B) .* spy(C) + beta C, where L is 2 x K.  \return 1: one of the engine's */
static int sample(parts_t *p, cusparseOperation_t op)
{
    const int turned = op != CUSPARSE_OPERATION_NON_TRANSPOSE;
    int runs = engine()->runs;
    cusparseDnMatDescr_t left = NULL, b = NULL;
    cusparseSpMatDescr_t c = sparse(p, p->stored[0]);
    (void)cusparseCreateDnMat(
        &left, turned ? K : ROWS, turned ? ROWS : K, K, p->stored[1], type, turned ? CUSPARSE_ORDER_COL : CUSPARSE_ORDER_ROW);
    (void)cusparseCreateDnMat(&b, K, COLS, COLS, p->stored[2], type, CUSPARSE_ORDER_ROW);
    put(p->stored[0], p->val, ENTRIES);
    put(p->stored[1], p->b, ROWS * K);
    put(p->stored[2], p->b, K * COLS);
    put(p->stored[3], &p->alpha, 1);
    put(p->stored[4], &p->beta, 1);
    p->wrong += cusparseSDDMM(p->handle, op, CUSPARSE_OPERATION_NON_TRANSPOSE, p->stored[3], left, b, p->stored[4], c, type,
                    CUSPARSE_SDDMM_ALG_DEFAULT, p->stored)
        != CUSPARSE_STATUS_SUCCESS;
    for (int e = 0; e < ENTRIES; e++) {
        double complex sum = 0;
        for (int j = 0; j < K; j++) {
            double complex x = p->b[(e >= p->ptr[1]) * K + j];
            sum += (op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conj(x) : x) * p->b[j * COLS + p->idx[e]];
        }
        p->wrong += get(p->stored[0], e) != p->alpha * sum + p->beta * p->val[e];
    }
    (void)cusparseDestroyDnMat(left);
    (void)cusparseDestroyDnMat(b);
    (void)cusparseDestroySpMat(c);
    return engine()->runs > runs;
}

/* With ROWCAST_BITS=free. */
static void sampled(void)
{
    parts_t *p = fresh();
    int ours = 0;
    p->alpha = CMPLX(2, -1);
    p->beta = CMPLX(0, 1);
    for (int i = 0; i < MANY; i++)
        ours = sample(p, CUSPARSE_OPERATION_NON_TRANSPOSE);
    ok(ours && !p->wrong, "sampled products have a kernel");
    ok(sample(p, CUSPARSE_OPERATION_TRANSPOSE) && !p->wrong, "an operand may be transposed");
    for (int i = 0; i < MANY; i++)
        ours = sample(p, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE);
    ok(!ours && !p->wrong, "the adjoint of one is cuSPARSE's");
}

static void passes(parts_t *p, int is_right, const char *name)
{
    int before = p->vector ? fake_counts()->spmv : fake_counts()->spmm;
    int runs = engine()->runs;
    (void)multiply_many(p);
    int after = p->vector ? fake_counts()->spmv : fake_counts()->spmm;
    ok(after == before + MANY && engine()->runs == runs && (!is_right || !p->wrong), name);
}

static void passing(int vector)
{
    parts_t *p = fresh();
    p->vector = vector;
    p->away = 1;
    passes(p, 1, "arrays that begin within a value are cuSPARSE's");
    p = fresh();
    p->vector = vector;
    p->compute = type == CUDA_C_32F ? CUDA_C_64F : CUDA_C_32F;
    passes(p, 0, "sums of another type are");
    p = fresh();
    p->vector = vector;
    p->alpha = CMPLX(1, INFINITY);
    passes(p, 0, "an alpha that is not finite in one part is");
    if (vector)
        return;
    p = fresh();
    p->op_b = CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    passes(p, 1, "the adjoint of B is");
    p = fresh();
    p->format = CUSPARSE_FORMAT_CSC;
    p->beta = I;
    passes(p, 1, "columns that are added to C are");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (argc > 2 && strcmp(argv[2], "double") == 0)
        type = CUDA_C_64F;
    if (strcmp(what, "matrix") == 0)
        matrix();
    else if (strcmp(what, "sampled") == 0)
        sampled();
    else
        for (int vector = 0; vector < 2; vector++) {
            if (strcmp(what, "adjoint") == 0)
                adjoint(vector);
            else if (strcmp(what, "kernels") == 0) {
                kernels(CUSPARSE_FORMAT_CSR, CUSPARSE_OPERATION_NON_TRANSPOSE, vector);
                kernels(CUSPARSE_FORMAT_CSC, CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE, vector);
            } else
                passing(vector);
        }
    return ok_end();
}
