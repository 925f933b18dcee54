/* A cuSPARSE of host memory with the functions that the tests of the drop-in call.  It counts them. */
#include "fake_cusparse.h"
#include "fake_graph.h"
#include "values.h"

#include <stdlib.h>
#include <string.h>

#define FAKE __attribute__((visibility("default")))

struct cusparseContext {
    cudaStream_t stream;
    cusparsePointerMode_t mode;
};
struct cusparseSpMatDescr {
    cusparseFormat_t format;
    int64_t rows, cols, nnz;
    void *ptr, *idx, *val;
    cusparseIndexType_t ptr_type, idx_type;
    cusparseIndexBase_t base;
    cudaDataType type;
    int batch;
};
struct cusparseDnMatDescr {
    int64_t rows, cols, ld;
    void *val;
    cudaDataType type;
    cusparseOrder_t order;
    int batch;
};

struct cusparseDnVecDescr {
    int64_t size;
    void *val;
    cudaDataType type;
};

static fake_counts_t counts;

FAKE fake_counts_t *fake_counts(void)
{
    return &counts;
}

FAKE cusparseStatus_t cusparseCreate(cusparseHandle_t *handle)
{
    *handle = calloc(1, sizeof **handle);
    return *handle ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_ALLOC_FAILED;
}

FAKE cusparseStatus_t cusparseDestroy(cusparseHandle_t handle)
{
    free(handle);
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseGetVersion(cusparseHandle_t handle, int *version)
{
    *version = CUSPARSE_VERSION;
    return handle ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_NOT_INITIALIZED;
}

FAKE cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream)
{
    handle->stream = stream;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseGetStream(cusparseHandle_t handle, cudaStream_t *stream)
{
    *stream = handle->stream;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t mode)
{
    handle->mode = mode;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseGetPointerMode(cusparseHandle_t handle, cusparsePointerMode_t *mode)
{
    *mode = handle->mode;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t sparse_new(cusparseSpMatDescr_t *out, const struct cusparseSpMatDescr *m)
{
    *out = malloc(sizeof **out);
    if (!*out)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    **out = *m;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *out, int64_t rows, int64_t cols, int64_t nnz,
    void *ptr, void *idx, void *val, cusparseIndexType_t ptr_type, cusparseIndexType_t idx_type,
    cusparseIndexBase_t base, cudaDataType type)
{
    const struct cusparseSpMatDescr m = {
        CUSPARSE_FORMAT_CSR, rows, cols, nnz, ptr, idx, val, ptr_type, idx_type, base, type, 1};
    return sparse_new(out, &m);
}

FAKE cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *out, int64_t rows, int64_t cols, int64_t nnz,
    void *row, void *col, void *val, cusparseIndexType_t idx_type, cusparseIndexBase_t base,
    cudaDataType type)
{
    const struct cusparseSpMatDescr m = {
        CUSPARSE_FORMAT_COO, rows, cols, nnz, row, col, val, idx_type, idx_type, base, type, 1};
    return sparse_new(out, &m);
}

FAKE cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *out, int64_t rows, int64_t cols, int64_t nnz,
    void *ptr, void *idx, void *val, cusparseIndexType_t ptr_type, cusparseIndexType_t idx_type,
    cusparseIndexBase_t base, cudaDataType type)
{
    const struct cusparseSpMatDescr m = {
        CUSPARSE_FORMAT_CSC, rows, cols, nnz, ptr, idx, val, ptr_type, idx_type, base, type, 1};
    return sparse_new(out, &m);
}

static cusparseStatus_t set_pointers(cusparseSpMatDescr_t m, void *ptr, void *idx, void *val)
{
    m->ptr = ptr;
    m->idx = idx;
    m->val = val;
    counts.set_pointers++;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t m, void *ptr, void *idx, void *val)
{
    return set_pointers(m, ptr, idx, val);
}

FAKE cusparseStatus_t cusparseCscSetPointers(cusparseSpMatDescr_t m, void *ptr, void *idx, void *val)
{
    return set_pointers(m, ptr, idx, val);
}

FAKE cusparseStatus_t cusparseCooSetPointers(cusparseSpMatDescr_t m, void *row, void *col, void *val)
{
    return set_pointers(m, row, col, val);
}

FAKE cusparseStatus_t cusparseCsrSetStridedBatch(
    cusparseSpMatDescr_t m, int batch, int64_t offsets, int64_t columns)
{
    (void)offsets;
    (void)columns;
    m->batch = batch;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t m)
{
    counts.destroyed++;
    free((void *)(uintptr_t)m);
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseSpMatGetFormat(cusparseConstSpMatDescr_t m, cusparseFormat_t *format)
{
    *format = m->format;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseSpMatGetStridedBatch(cusparseConstSpMatDescr_t m, int *batch)
{
    *batch = m->batch;
    return CUSPARSE_STATUS_SUCCESS;
}

static cusparseStatus_t sparse_get(cusparseConstSpMatDescr_t m, cusparseFormat_t format, int64_t *rows, int64_t *cols,
    int64_t *nnz, const void **ptr, const void **idx, const void **val)
{
    if (m->format != format)
        return CUSPARSE_STATUS_INVALID_VALUE;
    *rows = m->rows;
    *cols = m->cols;
    *nnz = m->nnz;
    *ptr = m->ptr;
    *idx = m->idx;
    *val = m->val;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseConstCsrGet(cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *cols,
    int64_t *nnz, const void **ptr, const void **idx, const void **val, cusparseIndexType_t *ptr_type,
    cusparseIndexType_t *idx_type, cusparseIndexBase_t *base, cudaDataType *type)
{
    *ptr_type = m->ptr_type;
    *idx_type = m->idx_type;
    *base = m->base;
    *type = m->type;
    return sparse_get(m, CUSPARSE_FORMAT_CSR, rows, cols, nnz, ptr, idx, val);
}

FAKE cusparseStatus_t cusparseConstCscGet(cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *cols,
    int64_t *nnz, const void **ptr, const void **idx, const void **val, cusparseIndexType_t *ptr_type,
    cusparseIndexType_t *idx_type, cusparseIndexBase_t *base, cudaDataType *type)
{
    *ptr_type = m->ptr_type;
    *idx_type = m->idx_type;
    *base = m->base;
    *type = m->type;
    return sparse_get(m, CUSPARSE_FORMAT_CSC, rows, cols, nnz, ptr, idx, val);
}

FAKE cusparseStatus_t cusparseConstCooGet(cusparseConstSpMatDescr_t m, int64_t *rows, int64_t *cols, int64_t *nnz,
    const void **row, const void **col, const void **val, cusparseIndexType_t *idx_type, cusparseIndexBase_t *base,
    cudaDataType *type)
{
    *idx_type = m->idx_type;
    *base = m->base;
    *type = m->type;
    return sparse_get(m, CUSPARSE_FORMAT_COO, rows, cols, nnz, row, col, val);
}

FAKE cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *out, int64_t rows, int64_t cols, int64_t ld,
    void *val, cudaDataType type, cusparseOrder_t order)
{
    *out = malloc(sizeof **out);
    if (!*out)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    **out = (struct cusparseDnMatDescr){rows, cols, ld, val, type, order, 1};
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t m)
{
    free((void *)(uintptr_t)m);
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseDnMatSetStridedBatch(cusparseDnMatDescr_t m, int batch, int64_t stride)
{
    (void)stride;
    m->batch = batch;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseDnMatGetStridedBatch(cusparseConstDnMatDescr_t m, int *batch, int64_t *stride)
{
    *batch = m->batch;
    *stride = 0;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseConstDnMatGet(cusparseConstDnMatDescr_t m, int64_t *rows, int64_t *cols,
    int64_t *ld, const void **val, cudaDataType *type, cusparseOrder_t *order)
{
    *rows = m->rows;
    *cols = m->cols;
    *ld = m->ld;
    *val = m->val;
    *type = m->type;
    *order = m->order;
    return CUSPARSE_STATUS_SUCCESS;
}

/* ------------------------------------------------------------------- products */

static int64_t integer(const void *p, cusparseIndexType_t type, int64_t i)
{
    return type == CUSPARSE_INDEX_32I ? ((const int32_t *)p)[i] : ((const int64_t *)p)[i];
}

static int64_t at(const struct cusparseDnMatDescr *m, int64_t r, int64_t j)
{
    return m->order == CUSPARSE_ORDER_ROW ? r * m->ld + j : j * m->ld + r;
}

static int turns(cusparseOperation_t op)
{
    return op != CUSPARSE_OPERATION_NON_TRANSPOSE;
}

/* A value by an operation: of numbers that are real the adjoint is the transposed one. */
static number_t value_by(const void *val, cudaDataType type, cusparseOperation_t op, int64_t i)
{
    number_t x = number_load(val, type, i);
    return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? number_conjugate(x) : x;
}

/* Value of op(M). */
static number_t element(const struct cusparseDnMatDescr *m, cusparseOperation_t op, int64_t r, int64_t j)
{
    return value_by(m->val, m->type, op, turns(op) ? at(m, j, r) : at(m, r, j));
}

/* Store alpha sum + beta old. */
static void put(void *val, cudaDataType type, int64_t i, number_t sum, const number_t scalar[2])
{
    number_t x = number_times(scalar[0], sum);
    if (!number_is_zero(scalar[1]))
        x = number_plus(x, number_times(scalar[1], number_load(val, type, i)));
    number_store(val, type, i, x);
}

/* Row, or column where it is by columns, of each entry, and its other number.  \param[out] major  [nnz], as minor */
static void coordinates(const struct cusparseSpMatDescr *a, int64_t *major, int64_t *minor)
{
    int64_t lines = a->format == CUSPARSE_FORMAT_COO ? 0 : a->format == CUSPARSE_FORMAT_CSC ? a->cols : a->rows;
    for (int64_t e = 0; e < a->nnz; e++) {
        major[e] = lines == 0 ? integer(a->ptr, a->ptr_type, e) - (int)a->base : 0;
        minor[e] = integer(a->idx, a->idx_type, e) - (int)a->base;
    }
    for (int64_t r = 0; r < lines; r++)
        for (int64_t e = integer(a->ptr, a->ptr_type, r) - (int)a->base;
             e < integer(a->ptr, a->ptr_type, r + 1) - (int)a->base; e++)
            major[e] = r;
}

static void multiply(const struct cusparseSpMatDescr *a, cusparseOperation_t op_a, const struct cusparseDnMatDescr *b,
    cusparseOperation_t op_b, struct cusparseDnMatDescr *c, const number_t scalar[2])
{
    number_t *sum = calloc((size_t)(c->rows * c->cols) + 1, sizeof *sum);
    int64_t *place = calloc(2 * (size_t)a->nnz + 1, sizeof *place);
    if (!sum || !place)
        exit(99);
    int by_columns = (a->format == CUSPARSE_FORMAT_CSC) != turns(op_a);
    const int64_t *row = by_columns ? place + a->nnz : place;
    const int64_t *col = by_columns ? place : place + a->nnz;
    coordinates(a, place, place + a->nnz);
    for (int64_t e = 0; e < a->nnz; e++)
        for (int64_t j = 0; j < c->cols; j++)
            sum[row[e] * c->cols + j] = number_plus(sum[row[e] * c->cols + j],
                number_times(value_by(a->val, a->type, op_a, e), element(b, op_b, col[e], j)));
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t j = 0; j < c->cols; j++)
            put(c->val, c->type, at(c, r, j), sum[r * c->cols + j], scalar);
    free(sum);
    free(place);
}

/* A product in a graph. */
typedef struct again {
    struct cusparseSpMatDescr a;
    struct cusparseDnMatDescr b, c;
    cusparseOperation_t op_a, op_b;
    number_t scalar[2];
} again_t;

static void multiply_again(void *again)
{
    again_t *g = again;
    multiply(&g->a, g->op_a, &g->b, g->op_b, &g->c, g->scalar);
}

/* Now, and whenever the graph runs where the stream is captured. */
static void multiply_on(cusparseHandle_t handle, const again_t *product)
{
    again_t now = *product;
    multiply_again(&now);
    if (fake_graph_captures(handle->stream))
        fake_graph_add(multiply_again, &now, sizeof now);
}

/* 1: shapes are those of op(A) B. */
static int fits(const struct cusparseSpMatDescr *a, cusparseOperation_t op, int64_t rows, int64_t cols)
{
    return turns(op) ? a->cols == rows && a->rows == cols : a->rows == rows && a->cols == cols;
}

static int is_known(cusparseFormat_t format)
{
    return format == CUSPARSE_FORMAT_CSR || format == CUSPARSE_FORMAT_CSC || format == CUSPARSE_FORMAT_COO;
}

FAKE cusparseStatus_t cusparseSpMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a,
    cusparseOperation_t op_b, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
    const void *beta, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t alg, size_t *size)
{
    (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)type, (void)alg;
    counts.buffer_size++;
    *size = 16;
    return handle && a && b && c ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

FAKE cusparseStatus_t cusparseSpMM_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a,
    cusparseOperation_t op_b, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
    const void *beta, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t alg, void *buffer)
{
    (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)type, (void)alg, (void)buffer;
    counts.preprocess++;
    return handle && a && b && c ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

static int knows(cudaDataType type)
{
    static const cudaDataType all[] = {CUDA_R_32F, CUDA_R_64F, CUDA_R_16F, CUDA_R_16BF, CUDA_C_32F, CUDA_C_64F};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i] == type)
            return 1;
    return 0;
}

/* Multiplies only what it is: CSR, CSC or COO, all in one type or a C of fp32 with the others of 16 bits, one
 * batch.  What else arrives is counted, which is what the test of passing through asks for. */
FAKE cusparseStatus_t cusparseSpMM(cusparseHandle_t handle, cusparseOperation_t op_a,
    cusparseOperation_t op_b, const void *alpha, cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
    const void *beta, cusparseDnMatDescr_t c, cudaDataType type, cusparseSpMMAlg_t alg, void *buffer)
{
    counts.spmm++;
    counts.last = (rc_spmm_call_t){handle, op_a, op_b, alpha, a, b, beta, c, type, alg};
    counts.buffer = buffer;
    if (!handle || !a || !b || !c)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (counts.refuses || !is_known(a->format) || a->batch > 1 || b->batch > 1 || c->batch > 1
        || !knows(a->type) || value_sum(a->type) != type || b->type != a->type
        || (c->type != a->type && c->type != type) || !fits(a, op_a, c->rows, turns(op_b) ? b->cols : b->rows)
        || (turns(op_b) ? b->rows : b->cols) != c->cols)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    const again_t product = {*a, *b, *c, op_a, op_b, {number_load(alpha, type, 0), number_load(beta, type, 0)}};
    multiply_on(handle, &product);
    return CUSPARSE_STATUS_SUCCESS;
}

/* -------------------------------------------------------------------- vectors */

FAKE cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *out, int64_t size, void *val, cudaDataType type)
{
    *out = malloc(sizeof **out);
    if (!*out)
        return CUSPARSE_STATUS_ALLOC_FAILED;
    **out = (struct cusparseDnVecDescr){size, val, type};
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t v)
{
    free((void *)(uintptr_t)v);
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseConstDnVecGet(
    cusparseConstDnVecDescr_t v, int64_t *size, const void **val, cudaDataType *type)
{
    *size = v->size;
    *val = v->val;
    *type = v->type;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t v, void *val)
{
    v->val = val;
    return CUSPARSE_STATUS_SUCCESS;
}

FAKE cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a, const void *alpha,
    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType type,
    cusparseSpMVAlg_t alg, size_t *size)
{
    (void)op_a, (void)alpha, (void)beta, (void)type, (void)alg;
    *size = 16;
    return handle && a && x && y ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

#if CUSPARSE_VERSION >= 12300
FAKE cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t handle, cusparseOperation_t op_a, const void *alpha,
    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType type,
    cusparseSpMVAlg_t alg, void *buffer)
{
    (void)op_a, (void)alpha, (void)beta, (void)type, (void)alg, (void)buffer;
    counts.preprocess++;
    return handle && a && x && y ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}
#endif

/* As cusparseSpMM, with indices from 0 or 1. */
FAKE cusparseStatus_t cusparseSpMV(cusparseHandle_t handle, cusparseOperation_t op_a, const void *alpha,
    cusparseConstSpMatDescr_t a, cusparseConstDnVecDescr_t x, const void *beta, cusparseDnVecDescr_t y, cudaDataType type,
    cusparseSpMVAlg_t alg, void *buffer)
{
    counts.spmv++;
    counts.last_vector = (rc_spmv_call_t){handle, op_a, alpha, a, x, beta, y, type, alg};
    counts.buffer = buffer;
    if (!handle || !a || !x || !y)
        return CUSPARSE_STATUS_INVALID_VALUE;
    if (counts.refuses || !is_known(a->format) || a->batch > 1 || !knows(a->type) || value_sum(a->type) != type
        || x->type != a->type || (y->type != a->type && y->type != type) || !fits(a, op_a, y->size, x->size))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    struct cusparseDnMatDescr b = {x->size, 1, x->size, x->val, x->type, CUSPARSE_ORDER_COL, 1};
    struct cusparseDnMatDescr c = {y->size, 1, y->size, y->val, y->type, CUSPARSE_ORDER_COL, 1};
    const again_t product = {*a, b, c, op_a, CUSPARSE_OPERATION_NON_TRANSPOSE,
        {number_load(alpha, type, 0), number_load(beta, type, 0)}};
    multiply_on(handle, &product);
    return CUSPARSE_STATUS_SUCCESS;
}

/* -------------------------------------------------------------------- sampled */

FAKE cusparseStatus_t cusparseSDDMM_bufferSize(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
    const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c,
    cudaDataType type, cusparseSDDMMAlg_t alg, size_t *size)
{
    (void)op_a, (void)op_b, (void)alpha, (void)beta, (void)type, (void)alg;
    *size = 16;
    return handle && a && b && c ? CUSPARSE_STATUS_SUCCESS : CUSPARSE_STATUS_INVALID_VALUE;
}

FAKE cusparseStatus_t cusparseSDDMM(cusparseHandle_t handle, cusparseOperation_t op_a, cusparseOperation_t op_b,
    const void *alpha, cusparseConstDnMatDescr_t a, cusparseConstDnMatDescr_t b, const void *beta, cusparseSpMatDescr_t c,
    cudaDataType type, cusparseSDDMMAlg_t alg, void *buffer)
{
    (void)alg, (void)buffer;
    counts.sddmm++;
    if (!handle || !a || !b || !c)
        return CUSPARSE_STATUS_INVALID_VALUE;
    int64_t k = turns(op_a) ? a->rows : a->cols;
    if (counts.refuses || c->format != CUSPARSE_FORMAT_CSR || c->batch > 1 || a->batch > 1 || b->batch > 1 || !knows(a->type)
        || value_sum(a->type) != type || b->type != a->type || (c->type != a->type && c->type != type)
        || k != (turns(op_b) ? b->cols : b->rows))
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    const number_t scalar[] = {number_load(alpha, type, 0), number_load(beta, type, 0)};
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t e = integer(c->ptr, c->ptr_type, r) - (int)c->base;
             e < integer(c->ptr, c->ptr_type, r + 1) - (int)c->base; e++) {
            number_t sum = {0, 0};
            int64_t col = integer(c->idx, c->idx_type, e) - (int)c->base;
            for (int64_t i = 0; i < k; i++)
                sum = number_plus(sum, number_times(element(a, op_a, r, i), element(b, op_b, i, col)));
            put(c->val, c->type, e, sum, scalar);
        }
    return CUSPARSE_STATUS_SUCCESS;
}
