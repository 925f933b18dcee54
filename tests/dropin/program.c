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

static void put_integers(void *to, const int64_t *from, int64_t n, int wide, void *stream)
{
    int32_t *narrow = host_new((size_t)n, sizeof *narrow);
    for (int64_t i = 0; i < n; i++)
        narrow[i] = (int32_t)from[i];
    device_put(to, wide ? (const void *)from : narrow, (size_t)n * (wide ? 8 : 4), stream);
    free(narrow);
}

static void put_values(void *to, const double *from, int64_t n, int fp64, void *stream)
{
    float *narrow = host_new((size_t)n, sizeof *narrow);
    for (int64_t i = 0; i < n; i++)
        narrow[i] = (float)from[i];
    device_put(to, fp64 ? (const void *)from : narrow, (size_t)n * (fp64 ? 8 : 4), stream);
    free(narrow);
}

/* Lengths of rows that add up to nnz, each at most the number of columns. */
static void random_rows(matrix_t *m, rng_t *r)
{
    int64_t *length = host_new((size_t)m->rows, sizeof *length);
    for (int64_t left = m->nnz; left > 0;) {
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
    put_integers(m->d_ptr, m->ptr, m->rows + 1, m->wide_ptr, stream);
    put_integers(m->d_idx, m->idx, m->nnz, m->wide_idx, stream);
}

void matrix_change_values(matrix_t *m, rng_t *r, void *stream)
{
    for (int64_t i = 0; i < m->nnz; i++)
        m->val[i] = m->fp64 ? rng_value(r) : (double)(float)rng_value(r);
    put_values(m->d_val, m->val, m->nnz, m->fp64, stream);
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
    *m = (matrix_t){.rows = 1 + rng_below(r, size), .cols = 1 + rng_below(r, size)};
    m->nnz = 1 + rng_below(r, m->rows * m->cols < 4 * m->rows ? m->rows * m->cols : 4 * m->rows);
    m->wide_idx = (int)rng_below(r, 2);
    m->wide_ptr = m->wide_idx; /* cuSPARSE does not promise more */
    m->fp64 = rng_below(r, 4) == 0;
    m->ptr = host_new((size_t)m->rows + 1, sizeof *m->ptr);
    m->idx = host_new((size_t)m->nnz, sizeof *m->idx);
    m->val = host_new((size_t)m->nnz, sizeof *m->val);
    m->d_ptr = device_new(((size_t)m->rows + 1) * (m->wide_ptr ? 8 : 4));
    m->d_idx = device_new((size_t)m->nnz * (m->wide_idx ? 8 : 4));
    m->d_val = device_new((size_t)m->nnz * (m->fp64 ? 8 : 4));
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

cusparseSpMatDescr_t matrix_descr(const matrix_t *m)
{
    cusparseSpMatDescr_t descr = NULL;
    check(cusparseCreateCsr(&descr, m->rows, m->cols, m->nnz, m->d_ptr, m->d_idx, m->d_val,
              m->wide_ptr ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I,
              m->wide_idx ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
              m->fp64 ? CUDA_R_64F : CUDA_R_32F),
        "cusparseCreateCsr");
    return descr;
}

/* -------------------------------------------------------------------- products */

product_t product_random(rng_t *r)
{
    static const int64_t ks[] = {1, 3, 8, 32};
    static const cusparseSpMMAlg_t algs[] = {
        CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2};
    return (product_t){.k = ks[rng_below(r, 4)],
        .b_rows = rng_below(r, 4) > 0,
        .c_rows = rng_below(r, 4) > 0,
        .alpha = rng_below(r, 2) ? 1 : 0.5,
        .beta = rng_below(r, 8) ? 0 : 2,
        .alg = algs[rng_below(r, 3)]};
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

static int right(const matrix_t *m, const product_t *p, const double *b, const double *before,
    const void *after)
{
    double eps = m->fp64 ? 0x1p-52 : 0x1p-23;
    for (int64_t row = 0; row < m->rows; row++)
        for (int64_t j = 0; j < p->k; j++) {
            int64_t at = p->c_rows ? row * p->k + j : j * m->rows + row;
            double magnitude;
            double want = exact(m, p, b, row, j, &magnitude) + p->beta * before[at];
            double found = m->fp64 ? ((const double *)after)[at] : (double)((const float *)after)[at];
            double bound = eps * (double)(m->ptr[row + 1] - m->ptr[row] + 4)
                * (magnitude + fabs(p->beta * before[at]));
            if (!(fabs(found - want) <= bound)) {
                printf("# row %d, column %d: expected %.9g, found %.9g, bound %.3g\n", (int)row, (int)j, want,
                    found, bound);
                return 0;
            }
        }
    return 1;
}

static void call(cusparseHandle_t handle, matrix_t *m, const product_t *p, void *b, void *c)
{
    cudaDataType type = m->fp64 ? CUDA_R_64F : CUDA_R_32F;
    cusparseSpMatDescr_t a = m->descr ? m->descr : matrix_descr(m);
    cusparseDnMatDescr_t db = NULL;
    cusparseDnMatDescr_t dc = NULL;
    float narrow[2] = {(float)p->alpha, (float)p->beta};
    const void *alpha = m->fp64 ? (const void *)&p->alpha : &narrow[0];
    const void *beta = m->fp64 ? (const void *)&p->beta : &narrow[1];
    size_t bytes = 0;
    check(cusparseCreateDnMat(&db, m->cols, p->k, p->b_rows ? p->k : m->cols, b, type,
              p->b_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
    check(cusparseCreateDnMat(&dc, m->rows, p->k, p->c_rows ? p->k : m->rows, c, type,
              p->c_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
    cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    check(cusparseSpMM_bufferSize(handle, none, none, alpha, a, db, beta, dc, type, p->alg, &bytes),
        "cusparseSpMM_bufferSize");
    void *buffer = m->buffer ? m->buffer : device_new(bytes > 0 ? bytes : 1);
    if (p->preprocess && m->descr && !m->buffer) {
        check(cusparseSpMM_preprocess(handle, none, none, alpha, a, db, beta, dc, type, p->alg, buffer),
            "cusparseSpMM_preprocess");
        m->buffer = buffer;
    }
    check(cusparseSpMM(handle, none, none, alpha, a, db, beta, dc, type, p->alg, buffer), "cusparseSpMM");
    check(cusparseDestroyDnMat(db), "cusparseDestroyDnMat");
    check(cusparseDestroyDnMat(dc), "cusparseDestroyDnMat");
    if (!m->descr)
        check(cusparseDestroySpMat(a), "cusparseDestroySpMat");
    if (buffer != m->buffer)
        device_free(buffer);
}

int product_check(cusparseHandle_t handle, void *stream, matrix_t *m, const product_t *p, rng_t *r)
{
    int64_t nb = m->cols * p->k;
    int64_t nc = m->rows * p->k;
    size_t bytes = m->fp64 ? 8 : 4;
    double *b = host_new((size_t)nb, sizeof *b);
    double *before = host_new((size_t)nc, sizeof *before);
    void *after = host_new((size_t)nc, bytes);
    void *db = device_new((size_t)nb * bytes);
    void *dc = device_new((size_t)nc * bytes);
    for (int64_t i = 0; i < nb; i++)
        b[i] = m->fp64 ? rng_value(r) : (double)(float)rng_value(r);
    for (int64_t i = 0; i < nc; i++)
        before[i] = m->fp64 ? rng_value(r) : (double)(float)rng_value(r);
    put_values(db, b, nb, m->fp64, stream);
    put_values(dc, before, nc, m->fp64, stream);
    call(handle, m, p, db, dc);
    device_get(after, dc, (size_t)nc * bytes, stream);
    int ok = right(m, p, b, before, after);
    device_free(db);
    device_free(dc);
    free(b);
    free(before);
    free(after);
    return ok;
}
