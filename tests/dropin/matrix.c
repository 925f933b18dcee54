#include "matrix.h"
#include "memory.h"

#include <stdio.h>
#include <stdlib.h>

static int failures;

int product_failures(void)
{
    return failures;
}

void checked(cusparseStatus_t st, const char *what)
{
    if (st == CUSPARSE_STATUS_SUCCESS)
        return;
    if (failures++ == 0)
        printf("# %s failed with status %d\n", what, (int)st);
}

void *host_new(size_t n, size_t bytes)
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

static double rng_value(rng_t *r)
{
    return (double)rng_below(r, 2000001) / 1e6 - 1;
}

number_t rng_number(rng_t *r, cudaDataType type)
{
    number_t x = {value_round(type, rng_value(r)), 0};
    if (value_parts(type) > 1)
        x.im = value_round(type, rng_value(r));
    return x;
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

void put_values(void *to, const number_t *from, int64_t n, cudaDataType type, void *stream)
{
    void *stored = host_new((size_t)n, value_bytes(type));
    for (int64_t i = 0; i < n; i++)
        number_store(stored, type, i, from[i]);
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

static int64_t pointers_of(const matrix_t *m)
{
    return m->format == CUSPARSE_FORMAT_COO ? m->nnz : m->rows + 1;
}

int64_t *matrix_lines(const matrix_t *m)
{
    int64_t *row = host_new((size_t)m->nnz, sizeof *row);
    for (int64_t r = 0; r < m->rows; r++)
        for (int64_t e = m->ptr[r]; e < m->ptr[r + 1]; e++)
            row[e] = r;
    return row;
}

static void put_pattern(matrix_t *m, void *stream)
{
    int64_t *row = matrix_lines(m);
    const int64_t *first = m->format == CUSPARSE_FORMAT_COO ? row : m->ptr;
    put_integers(m->d_ptr, first, pointers_of(m), m->base, m->wide_ptr, stream);
    free(row);
    put_integers(m->d_idx, m->idx, m->nnz, m->base, m->wide_idx, stream);
}

void matrix_change_values(matrix_t *m, rng_t *r, void *stream)
{
    for (int64_t i = 0; i < m->nnz; i++)
        m->val[i] = rng_number(r, m->type);
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
    static const cudaDataType types[] = {
        CUDA_R_32F, CUDA_R_32F, CUDA_R_64F, CUDA_R_16BF, CUDA_R_16F, CUDA_C_32F, CUDA_C_64F};
    static const cusparseFormat_t formats[] = {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO};
    *m = (matrix_t){.rows = 1 + rng_below(r, size), .cols = 1 + rng_below(r, size)};
    if (rng_below(r, 4) == 0)
        m->cols = m->rows; /* A' has the same shape */
    m->nnz = 1 + rng_below(r, m->rows * m->cols < 4 * m->rows ? m->rows * m->cols : 4 * m->rows);
    m->wide_idx = (int)rng_below(r, 2);
    m->wide_ptr = m->wide_idx; /* cuSPARSE does not promise more */
    m->base = rng_below(r, 8) == 0;
    m->type = types[rng_below(r, 7)];
    m->format = formats[rng_below(r, 4)];
    m->ptr = host_new((size_t)m->rows + 1, sizeof *m->ptr);
    m->idx = host_new((size_t)m->nnz, sizeof *m->idx);
    m->val = host_new((size_t)m->nnz, sizeof *m->val);
    m->d_ptr = device_new((size_t)pointers_of(m) * (m->wide_ptr ? 8 : 4));
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
    checked(cusparseDestroySpMat(m->descr), "cusparseDestroySpMat");
    device_free(m->buffer);
    m->buffer = NULL;
    m->descr = matrix_descr(m);
}

void matrix_free(matrix_t *m)
{
    if (m->buffer)
        device_free(m->buffer);
    if (m->descr)
        checked(cusparseDestroySpMat(m->descr), "cusparseDestroySpMat");
    device_free(m->d_ptr);
    device_free(m->d_idx);
    device_free(m->d_val);
    free(m->ptr);
    free(m->idx);
    free(m->val);
    *m = (matrix_t){0};
}

cusparseSpMatDescr_t matrix_descr_of(const matrix_t *m, void *values, cudaDataType type)
{
    cusparseSpMatDescr_t descr = NULL;
    cusparseIndexType_t ptr = m->wide_ptr ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    cusparseIndexType_t idx = m->wide_idx ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    cusparseIndexBase_t base = m->base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
    if (m->format == CUSPARSE_FORMAT_CSC)
        checked(cusparseCreateCsc(&descr, m->cols, m->rows, m->nnz, m->d_ptr, m->d_idx, values, ptr, idx, base, type),
            "cusparseCreateCsc");
    else if (m->format == CUSPARSE_FORMAT_COO)
        checked(cusparseCreateCoo(&descr, m->rows, m->cols, m->nnz, m->d_ptr, m->d_idx, values, idx, base, type),
            "cusparseCreateCoo");
    else
        checked(cusparseCreateCsr(&descr, m->rows, m->cols, m->nnz, m->d_ptr, m->d_idx, values, ptr, idx, base, type),
            "cusparseCreateCsr");
    return descr;
}

cusparseSpMatDescr_t matrix_descr(const matrix_t *m)
{
    return matrix_descr_of(m, m->d_val, m->type);
}
