#include "program.h"
#include "memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

int product_failures(void)
{
    return failures;
}

static void check(cusparseStatus_t st, const char *what)
{
    if (st == CUSPARSE_STATUS_SUCCESS)
        return;
    if (failures++ == 0)
        printf("# %s failed with status %d\n", what, (int)st);
}

static void *host_new(size_t n, size_t bytes)
{
    void *p = calloc(n > 0 ? n : 1, bytes);
    if (!p)
        exit(99);
    return p;
}

uint64_t rng_next(rng_t *r)
{
    uint64_t x = r->state += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

int64_t rng_below(rng_t *r, int64_t n)
{
    return (int64_t)(rng_next(r) % (uint64_t)n);
}

double rng_value(rng_t *r)
{
    return (double)rng_below(r, 2000001) / 1e6 - 1;
}

/* -------------------------------------------------------------------- matrices */

static void put_integers(void *to, const int64_t *from, int64_t n, int base, int wide, void *stream)
{
    int32_t *narrow = host_new((size_t)n, sizeof *narrow);
    int64_t *based = host_new((size_t)n, sizeof *based);
    for (int64_t i = 0; i < n; i++) {
        based[i] = from[i] + base;
        narrow[i] = (int32_t)based[i];
    }
    device_put(to, wide ? (const void *)based : narrow, (size_t)n * (wide ? 8 : 4), stream);
    free(narrow);
    free(based);
}

static void put_values(void *to, const double *from, int64_t n, cudaDataType type, void *stream)
{
    void *stored = host_new((size_t)n, value_bytes(type));
    for (int64_t i = 0; i < n; i++)
        value_store(stored, type, i, from[i]);
    device_put(to, stored, (size_t)n * value_bytes(type), stream);
    free(stored);
}

/* Lengths of rows that add up to nnz, each at most the number of columns; sometimes half of all are in one row. */
static void random_rows(matrix_t *m, rng_t *r)
{
    int64_t *length = host_new((size_t)m->rows, sizeof *length);
    int64_t longest = rng_below(r, 4) == 0 ? m->nnz / 2 : 0;
    int64_t row_of_it = rng_below(r, m->rows);
    length[row_of_it] = longest < m->cols ? longest : m->cols;
    for (int64_t left = m->nnz - length[row_of_it]; left > 0;) {
        int64_t row = rng_below(r, m->rows);
        if (length[row] < m->cols) {
            length[row]++;
            left--;
        }
    }
    for (int64_t i = 0; i < m->rows; i++)
        m->ptr[i + 1] = m->ptr[i] + length[i];
    free(length);
}

/* Distinct columns in each row, in ascending or any order. */
static void random_columns(matrix_t *m, rng_t *r)
{
    int64_t *all = host_new((size_t)m->cols, sizeof *all);
    for (int64_t i = 0; i < m->cols; i++)
        all[i] = i;
    for (int64_t row = 0; row < m->rows; row++)
        for (int64_t i = 0, e = m->ptr[row]; e < m->ptr[row + 1]; i++, e++) {
            int64_t other = i + rng_below(r, m->cols - i);
            int64_t taken = all[other];
            all[other] = all[i];
            all[i] = taken;
            m->idx[e] = taken;
        }
    free(all);
}

static void put_pattern(matrix_t *m, void *stream)
{
    put_integers(m->d_ptr, m->ptr, m->rows + 1, m->base, m->wide_ptr, stream);
    put_integers(m->d_idx, m->idx, m->nnz, m->base, m->wide_idx, stream);
}

void matrix_change_values(matrix_t *m, rng_t *r, void *stream)
{
    for (int64_t i = 0; i < m->nnz; i++)
        m->val[i] = value_round(m->type, rng_value(r));
    put_values(m->d_val, m->val, m->nnz, m->type, stream);
}

void matrix_change_pattern(matrix_t *m, rng_t *r, void *stream)
{
    if (rng_below(r, 2) == 0)
        random_rows(m, r);
    random_columns(m, r);
    put_pattern(m, stream);
}

void matrix_new(matrix_t *m, rng_t *r, int64_t size, void *stream)
{
    static const cudaDataType types[] = {CUDA_R_32F, CUDA_R_32F, CUDA_R_64F, CUDA_R_16BF, CUDA_R_16F};
    *m = (matrix_t){.rows = 1 + rng_below(r, size), .cols = 1 + rng_below(r, size)};
    m->nnz = 1 + rng_below(r, m->rows * m->cols < 4 * m->rows ? m->rows * m->cols : 4 * m->rows);
    m->wide_idx = (int)rng_below(r, 2);
    m->wide_ptr = m->wide_idx; /* cuSPARSE does not promise more */
    m->base = rng_below(r, 8) == 0;
    m->type = types[rng_below(r, 5)];
    m->ptr = host_new((size_t)m->rows + 1, sizeof *m->ptr);
    m->idx = host_new((size_t)m->nnz, sizeof *m->idx);
    m->val = host_new((size_t)m->nnz, sizeof *m->val);
    m->d_ptr = device_new(((size_t)m->rows + 1) * (m->wide_ptr ? 8 : 4));
    m->d_idx = device_new((size_t)m->nnz * (m->wide_idx ? 8 : 4));
    m->d_val = device_new((size_t)m->nnz * value_bytes(m->type));
    random_rows(m, r);
    random_columns(m, r);
    put_pattern(m, stream);
    matrix_change_values(m, r, stream);
    if (rng_below(r, 2) == 0)
        m->descr = matrix_descr(m);
}

void matrix_renew(matrix_t *m)
{
    if (!m->buffer)
        return;
    check(cusparseDestroySpMat(m->descr), "cusparseDestroySpMat");
    device_free(m->buffer);
    m->buffer = NULL;
    m->descr = matrix_descr(m);
}

void matrix_free(matrix_t *m)
{
    if (m->buffer)
        device_free(m->buffer);
    if (m->descr)
        check(cusparseDestroySpMat(m->descr), "cusparseDestroySpMat");
    device_free(m->d_ptr);
    device_free(m->d_idx);
    device_free(m->d_val);
    free(m->ptr);
    free(m->idx);
    free(m->val);
    *m = (matrix_t){0};
}

/* The pattern with other values. */
static cusparseSpMatDescr_t descr_of(const matrix_t *m, void *values, cudaDataType type)
{
    cusparseSpMatDescr_t descr = NULL;
    check(cusparseCreateCsr(&descr, m->rows, m->cols, m->nnz, m->d_ptr, m->d_idx, values,
              m->wide_ptr ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I,
              m->wide_idx ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I,
              m->base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO, type),
        "cusparseCreateCsr");
    return descr;
}

cusparseSpMatDescr_t matrix_descr(const matrix_t *m)
{
    return descr_of(m, m->d_val, m->type);
}

/* -------------------------------------------------------------------- products */

/* What programs have with solvers: any scalars, graphs. */
static product_t vector_random(rng_t *r)
{
    static const double scalars[] = {0, 0, 1, -0.5};
    static const cusparseSpMVAlg_t algs[] = {
        CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2};
    int alg = rng_below(r, 8) ? (int)rng_below(r, 2) : 2;
    return (product_t){.op = PRODUCT_VECTOR,
        .k = 1,
        .alpha = rng_below(r, 2) ? 1 : -0.5,
        /* ALG2 of cuSPARSE 12 forgets beta where all but the last row are empty */
        .beta = alg == 2 ? 0 : scalars[rng_below(r, 4)],
        .vector_alg = algs[alg],
        .device_scalars = rng_below(r, 3) == 0,
        .c_sums = rng_below(r, 4) == 0};
}

static product_t sampled_random(rng_t *r)
{
    static const int64_t ks[] = {1, 5, 8, 24, 64};
    return (product_t){.op = PRODUCT_SAMPLED,
        .k = ks[rng_below(r, 5)],
        .b_rows = rng_below(r, 4) == 0,
        .c_rows = rng_below(r, 4) > 0,
        .turned = {rng_below(r, 4) == 0, rng_below(r, 4) == 0},
        .alpha = rng_below(r, 2) ? 1 : -0.5,
        .beta = rng_below(r, 2) ? 0 : 2,
        .device_scalars = rng_below(r, 3) == 0,
        .c_sums = rng_below(r, 4) == 0};
}

product_t product_random(rng_t *r)
{
    int64_t kind = rng_below(r, 8);
    if (kind < 3)
        return kind < 2 ? vector_random(r) : sampled_random(r);
    static const int64_t ks[] = {1, 3, 8, 32};
    static const cusparseSpMMAlg_t algs[] = {
        CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2};
    return (product_t){.k = ks[rng_below(r, 4)],
        .b_rows = rng_below(r, 4) > 0,
        .c_rows = rng_below(r, 4) > 0,
        .alpha = rng_below(r, 2) ? 1 : 0.5,
        .beta = rng_below(r, 8) ? 0 : 2,
        .alg = algs[rng_below(r, 3)],
        .device_scalars = rng_below(r, 16) == 0,
        .c_sums = rng_below(r, 4) == 0};
}

static double exact(
    const matrix_t *m, const product_t *p, const double *b, int64_t row, int64_t j, double *magnitude)
{
    double sum = 0;
    *magnitude = 0;
    for (int64_t e = m->ptr[row]; e < m->ptr[row + 1]; e++) {
        double term = p->alpha * m->val[e] * b[p->b_rows ? m->idx[e] * p->k + j : j * m->cols + m->idx[e]];
        sum += term;
        *magnitude += fabs(term);
    }
    return sum;
}

/* What rounding to the type of C may take: cuSPARSE rounds sums of 16 bits on the way, and adds to C in it. */
static double rounding_of(cudaDataType values, cudaDataType c)
{
    return value_sum(values) == c ? 0 : 3 * value_eps(c);
}

/* Sums have an error of eps for each term, of the type that they are in.  One of 16 bits is rounded to that once, by half an
 * eps of its own at most: two products of one matrix are an eps apart.  A C that is added to may be rounded before, too. */
static int right(const matrix_t *m, const product_t *p, const double *b, const double *before,
    const void *after)
{
    const cudaDataType c_type = p->c_sums ? value_sum(m->type) : m->type;
    double eps = value_eps(value_sum(m->type));
    double rounding = rounding_of(m->type, c_type);
    for (int64_t row = 0; row < m->rows; row++)
        for (int64_t j = 0; j < p->k; j++) {
            int64_t at = p->c_rows ? row * p->k + j : j * m->rows + row;
            double magnitude;
            double old = p->beta != 0 ? p->beta * before[at] : 0; /* which may be anything else */
            double want = exact(m, p, b, row, j, &magnitude) + old;
            double found = value_load(after, c_type, at);
            double bound = (rounding + eps * (double)(m->ptr[row + 1] - m->ptr[row] + 4))
                    * (magnitude + fabs(old))
                + value_least(c_type);
            if (!(fabs(found - want) <= bound)) {
                printf("# row %d, column %d: expected %.9g, found %.9g, bound %.3g\n", (int)row, (int)j, want,
                    found, bound);
                return 0;
            }
        }
    return 1;
}

/* 0: cuSPARSE has no such product, as some versions of 16 bits. */
static int has(const matrix_t *m, cusparseStatus_t st, const char *what)
{
    if (st == CUSPARSE_STATUS_NOT_SUPPORTED && value_bytes(m->type) == 2)
        return 0;
    check(st, what);
    return 1;
}

/* Alpha and beta where the product has them. */
typedef struct scalars {
    double wide[2];
    float narrow[2];
    void *device; /* NULL: on the host */
    const void *alpha;
    const void *beta;
} scalars_t;

static void scalars_begin(scalars_t *s, cusparseHandle_t handle, void *stream, const matrix_t *m, const product_t *p)
{
    *s = (scalars_t){.wide = {p->alpha, p->beta}, .narrow = {(float)p->alpha, (float)p->beta}};
    size_t bytes = value_bytes(value_sum(m->type));
    const char *at = bytes == 8 ? (const char *)s->wide : (const char *)s->narrow;
    if (p->device_scalars) {
        s->device = device_new(2 * bytes);
        device_put(s->device, at, 2 * bytes, stream);
        at = s->device;
    }
    check(cusparseSetPointerMode(handle, s->device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST),
        "cusparseSetPointerMode");
    s->alpha = at;
    s->beta = at + bytes;
}

static void scalars_end(const scalars_t *s, cusparseHandle_t handle, void *stream)
{
    char ended[1];
    if (!s->device)
        return;
    device_get(ended, s->device, 1, stream); /* waits for who reads them */
    device_free(s->device);
    check(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST), "cusparseSetPointerMode");
}

/* C = A B.  \return 0: cuSPARSE has no such product */
static int call_matrix(
    cusparseHandle_t handle, void *stream, matrix_t *m, const product_t *p, const scalars_t *s, void *b, void *c)
{
    cudaDataType type = value_sum(m->type);
    cusparseSpMatDescr_t a = m->descr ? m->descr : matrix_descr(m);
    cusparseDnMatDescr_t db = NULL;
    cusparseDnMatDescr_t dc = NULL;
    size_t bytes = 0;
    check(cusparseCreateDnMat(&db, m->cols, p->k, p->b_rows ? p->k : m->cols, b, m->type,
              p->b_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
    check(cusparseCreateDnMat(&dc, m->rows, p->k, p->c_rows ? p->k : m->rows, c, p->c_sums ? type : m->type,
              p->c_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
    cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    int there = has(m, cusparseSpMM_bufferSize(handle, none, none, s->alpha, a, db, s->beta, dc, type, p->alg, &bytes),
        "cusparseSpMM_bufferSize");
    void *buffer = m->buffer ? m->buffer : device_new(bytes > 0 ? bytes : 1);
    if (there && p->preprocess && m->descr && !m->buffer) {
        there = has(m, cusparseSpMM_preprocess(handle, none, none, s->alpha, a, db, s->beta, dc, type, p->alg, buffer),
            "cusparseSpMM_preprocess");
        m->buffer = buffer;
    }
    if (there && p->captured)
        capture_begin(stream);
    int asked = there;
    there = there
        && has(m, cusparseSpMM(handle, none, none, s->alpha, a, db, s->beta, dc, type, p->alg, buffer), "cusparseSpMM");
    if (asked && p->captured)
        capture_end(stream);
    check(cusparseDestroyDnMat(db), "cusparseDestroyDnMat");
    check(cusparseDestroyDnMat(dc), "cusparseDestroyDnMat");
    if (!m->descr)
        check(cusparseDestroySpMat(a), "cusparseDestroySpMat");
    if (buffer != m->buffer)
        device_free(buffer);
    return there;
}

/* y = A x, likewise. */
static int call_vector(
    cusparseHandle_t handle, void *stream, matrix_t *m, const product_t *p, const scalars_t *s, void *x, void *y)
{
    cudaDataType type = value_sum(m->type);
    cusparseSpMatDescr_t a = m->descr ? m->descr : matrix_descr(m);
    cusparseDnVecDescr_t dx = NULL;
    cusparseDnVecDescr_t dy = NULL;
    size_t bytes = 0;
    check(cusparseCreateDnVec(&dx, m->cols, x, m->type), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&dy, m->rows, y, p->c_sums ? type : m->type), "cusparseCreateDnVec");
    cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    int there = has(m, cusparseSpMV_bufferSize(handle, none, s->alpha, a, dx, s->beta, dy, type, p->vector_alg, &bytes),
        "cusparseSpMV_bufferSize");
    void *buffer = device_new(bytes > 0 ? bytes : 1);
    if (there) {
        if (p->captured)
            capture_begin(stream);
        there = has(m, cusparseSpMV(handle, none, s->alpha, a, dx, s->beta, dy, type, p->vector_alg, buffer), "cusparseSpMV");
        if (p->captured)
            capture_end(stream);
    }
    check(cusparseDestroyDnVec(dx), "cusparseDestroyDnVec");
    check(cusparseDestroyDnVec(dy), "cusparseDestroyDnVec");
    if (!m->descr)
        check(cusparseDestroySpMat(a), "cusparseDestroySpMat");
    device_free(buffer);
    return there;
}

static int call(cusparseHandle_t handle, void *stream, matrix_t *m, const product_t *p, void *b, void *c)
{
    scalars_t s;
    scalars_begin(&s, handle, stream, m, p);
    int there = p->op == PRODUCT_VECTOR ? call_vector(handle, stream, m, p, &s, b, c) : call_matrix(handle, stream, m, p, &s, b, c);
    scalars_end(&s, handle, stream);
    return there;
}

/* A dense operand of a sampled product: rows x cols, in memory by rows or by columns, or transposed. */
typedef struct operand {
    int64_t rows;
    int64_t cols;
    int by_rows; /* values of a row are next to each other */
    int turned;
    double *at;
    void *device;
    cusparseDnMatDescr_t descr;
} operand_t;

static void operand_new(operand_t *o, cudaDataType type, rng_t *r, void *stream)
{
    int64_t n = o->rows * o->cols;
    o->at = host_new((size_t)n, sizeof *o->at);
    for (int64_t i = 0; i < n; i++)
        o->at[i] = value_round(type, rng_value(r));
    o->device = device_new((size_t)n * value_bytes(type));
    put_values(o->device, o->at, n, type, stream);
    check(cusparseCreateDnMat(&o->descr, o->turned ? o->cols : o->rows, o->turned ? o->rows : o->cols,
              o->by_rows ? o->cols : o->rows, o->device, type,
              o->by_rows != o->turned ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
}

static void operand_free(operand_t *o)
{
    check(cusparseDestroyDnMat(o->descr), "cusparseDestroyDnMat");
    device_free(o->device);
    free(o->at);
}

static double operand_at(const operand_t *o, int64_t row, int64_t col)
{
    return o->at[o->by_rows ? row * o->cols + col : col * o->rows + row];
}

static cusparseOperation_t op_of(const operand_t *o)
{
    return o->turned ? CUSPARSE_OPERATION_TRANSPOSE : CUSPARSE_OPERATION_NON_TRANSPOSE;
}

/* \return 0: cuSPARSE has no such product */
static int call_sampled(cusparseHandle_t handle, void *stream, const matrix_t *m, const product_t *p, const operand_t o[2],
    cusparseSpMatDescr_t c)
{
    const cudaDataType type = value_sum(m->type);
    scalars_t s;
    size_t bytes = 0;
    scalars_begin(&s, handle, stream, m, p);
    int there = has(m, cusparseSDDMM_bufferSize(handle, op_of(&o[0]), op_of(&o[1]), s.alpha, o[0].descr, o[1].descr, s.beta,
        c, type, CUSPARSE_SDDMM_ALG_DEFAULT, &bytes), "cusparseSDDMM_bufferSize");
    void *buffer = device_new(bytes > 0 ? bytes : 1);
    if (there) {
        if (p->captured)
            capture_begin(stream);
        there = has(m, cusparseSDDMM(handle, op_of(&o[0]), op_of(&o[1]), s.alpha, o[0].descr, o[1].descr, s.beta, c, type,
            CUSPARSE_SDDMM_ALG_DEFAULT, buffer), "cusparseSDDMM");
        if (p->captured)
            capture_end(stream);
    }
    scalars_end(&s, handle, stream);
    device_free(buffer);
    return there;
}

static int right_sampled(const matrix_t *m, const product_t *p, const operand_t o[2], const double *before, const void *after)
{
    const cudaDataType c_type = p->c_sums ? value_sum(m->type) : m->type;
    double eps = value_eps(value_sum(m->type));
    double rounding = rounding_of(m->type, c_type);
    for (int64_t row = 0; row < m->rows; row++)
        for (int64_t e = m->ptr[row]; e < m->ptr[row + 1]; e++) {
            double want = p->beta * before[e];
            double magnitude = fabs(want);
            for (int64_t i = 0; i < p->k; i++) {
                double term = p->alpha * operand_at(&o[0], row, i) * operand_at(&o[1], i, m->idx[e]);
                want += term;
                magnitude += fabs(term);
            }
            double found = value_load(after, c_type, e);
            double bound = (rounding + eps * (double)(p->k + 4)) * magnitude + value_least(c_type);
            if (!(fabs(found - want) <= bound)) {
                printf("# row %d, entry %d: expected %.9g, found %.9g, bound %.3g\n", (int)row, (int)e, want, found, bound);
                return 0;
            }
        }
    return 1;
}

static int sampled_check(cusparseHandle_t handle, void *stream, const matrix_t *m, const product_t *p, rng_t *r)
{
    const cudaDataType c_type = p->c_sums ? value_sum(m->type) : m->type;
    const size_t bytes = value_bytes(c_type);
    operand_t o[2] = {{.rows = m->rows, .cols = p->k, .by_rows = p->c_rows, .turned = p->turned[0]},
        {.rows = p->k, .cols = m->cols, .by_rows = p->b_rows, .turned = p->turned[1]}};
    double *before = host_new((size_t)m->nnz, sizeof *before);
    void *after = host_new((size_t)m->nnz, bytes);
    void *values = device_new((size_t)m->nnz * bytes);
    for (int i = 0; i < 2; i++)
        operand_new(&o[i], m->type, r, stream);
    for (int64_t i = 0; i < m->nnz; i++)
        before[i] = value_round(c_type, rng_value(r));
    put_values(values, before, m->nnz, c_type, stream);
    cusparseSpMatDescr_t c = descr_of(m, values, c_type);
    int there = call_sampled(handle, stream, m, p, o, c);
    device_get(after, values, (size_t)m->nnz * bytes, stream);
    int ok = !there || right_sampled(m, p, o, before, after);
    check(cusparseDestroySpMat(c), "cusparseDestroySpMat");
    for (int i = 0; i < 2; i++)
        operand_free(&o[i]);
    device_free(values);
    free(before);
    free(after);
    return ok;
}

int product_check(cusparseHandle_t handle, void *stream, matrix_t *m, const product_t *p, rng_t *r)
{
    if (p->op == PRODUCT_SAMPLED)
        return sampled_check(handle, stream, m, p, r);
    int64_t nb = m->cols * p->k;
    int64_t nc = m->rows * p->k;
    const cudaDataType c_type = p->c_sums ? value_sum(m->type) : m->type;
    size_t bytes = value_bytes(c_type);
    double *b = host_new((size_t)nb, sizeof *b);
    double *before = host_new((size_t)nc, sizeof *before);
    void *after = host_new((size_t)nc, bytes);
    void *db = device_new((size_t)nb * value_bytes(m->type));
    void *dc = device_new((size_t)nc * bytes);
    for (int64_t i = 0; i < nb; i++)
        b[i] = value_round(m->type, rng_value(r));
    for (int64_t i = 0; i < nc; i++)
        before[i] = p->op == PRODUCT_VECTOR && p->beta == 0 ? (double)NAN : value_round(c_type, rng_value(r));
    put_values(db, b, nb, m->type, stream);
    put_values(dc, before, nc, c_type, stream);
    int there = call(handle, stream, m, p, db, dc);
    device_get(after, dc, (size_t)nc * bytes, stream);
    int ok = !there || right(m, p, b, before, after);
    device_free(db);
    device_free(dc);
    free(b);
    free(before);
    free(after);
    return ok;
}
