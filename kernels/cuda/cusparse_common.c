#include "config.h"
#include "kernels/cuda/cusparse_common.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cpu/slots.h"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/scatter.h"

#include <stdlib.h>

rc_status_t rc_cusparse_check(cusparseStatus_t status, const char *what, rc_err_t *err)
{
    if (status == CUSPARSE_STATUS_SUCCESS)
        return RC_OK;
    (void)cudaGetLastError(); /* or the next check of a launch would report this error again */
    switch (status) {
    case CUSPARSE_STATUS_NOT_SUPPORTED:
    case CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
        return rc_fail(err, RC_ENOTSUP, "cuSPARSE: %s is not supported", what);
    case CUSPARSE_STATUS_ALLOC_FAILED:
    case CUSPARSE_STATUS_INSUFFICIENT_RESOURCES:
        return rc_fail(err, RC_ENOMEM, "cuSPARSE: %s: not enough memory (%s)", what,
            cusparseGetErrorName(status));
    default:
        return rc_fail(err, RC_EDEVICE, "cuSPARSE: %s: %s: %s", what, cusparseGetErrorName(status),
            cusparseGetErrorString(status));
    }
}

cusparseIndexType_t rc_cusparse_index(int wide)
{
    return wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
}

/* ------------------------------------------------------------------ handle */

static void destroy_handle(void *handle)
{
    (void)cusparseDestroy(handle);
}

/* The handle of a device: making one takes milliseconds, so it is made once and the device closes
 * it.  Scalars are on the host, which is how a handle starts. */
static rc_status_t handle_of(rc_device_t *d, cusparseHandle_t *out, rc_err_t *err)
{
    rc_cuda_library_t *library = rc_cuda_cusparse(d);
    rc_status_t st = RC_OK;
    cusparseHandle_t handle = NULL;
    if (!library->handle) {
        RC_TRY(rc_cusparse_check(cusparseCreate(&handle), "its handle", err));
        RC_TRY(rc_cusparse_check(cusparseSetStream(handle, rc_cuda_stream(d)), "its stream", err));
        *library = (rc_cuda_library_t){.handle = handle, .destroy = destroy_handle};
        handle = NULL;
    }
    *out = library->handle;
done:
    if (handle)
        destroy_handle(handle);
    return st;
}

/* ------------------------------------------------------------------- state */

rc_status_t rc_cusparse_new(
    rc_device_t *d, const rc_problem_t *p, rc_cusparse_t **out, rc_err_t *err)
{
    rc_cusparse_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    *s = (rc_cusparse_t){
        .d = d,
        .type = p->precision == RC_FP64 ? CUDA_R_64F : CUDA_R_32F,
        .slots_stored = p->schedule->slots,
        .k = p->k,
        .c_rows = p->c_rows,
        .precision = p->precision,
        .layout = p->layout,
    };
    rc_status_t st = handle_of(d, &s->handle, err);
    if (st < 0) {
        free(s);
        return st;
    }
    *out = s;
    return RC_OK;
}

rc_status_t rc_cusparse_own(rc_cusparse_t *s, int64_t bytes, void **out, rc_err_t *err)
{
    if (s->arrays == RC_CUSPARSE_ARRAYS)
        return rc_fail(err, RC_ERANGE, "a cuSPARSE state has at most %d arrays", s->arrays);
    rc_status_t st = s->d->alloc(s->d, bytes > 0 ? (size_t)bytes : 1, out, err);
    if (st == RC_OK)
        s->array[s->arrays++] = *out;
    return st;
}

void rc_cusparse_release(void *state)
{
    rc_cusparse_t *s = state;
    if (!s)
        return;
    if (s->a)
        (void)cusparseDestroySpMat(s->a);
    if (s->b)
        (void)cusparseDestroyDnMat(s->b);
    if (s->c)
        (void)cusparseDestroyDnMat(s->c);
    rc_cuda_slots_free(s->d, &s->slots);
    for (int i = 0; i < s->arrays; i++)
        s->d->release(s->d, s->array[i]);
    free(s);
}

/* Does cuSPARSE store to a C' of our own? */
static int needs_product(const rc_problem_t *p, int64_t product_rows)
{
    int64_t slots = p->schedule->slots;
    int permuted = !p->identity && p->c_order == RC_C_ORIGINAL;
    return slots > 0 && (permuted || product_rows != slots);
}

int64_t rc_cusparse_product_bytes(const rc_problem_t *p, int64_t product_rows)
{
    if (!needs_product(p, product_rows))
        return 0;
    int64_t row_bytes = rc_sat_mul(p->k, (int64_t)rc_precision_bytes(p->precision));
    return rc_sat_mul(row_bytes, product_rows);
}

static rc_status_t dense(const rc_cusparse_t *s, int64_t rows, int64_t ld, void *data,
    cusparseDnMatDescr_t *out, rc_err_t *err)
{
    int row_major = s->layout == RC_ROW_MAJOR;
    cusparseOrder_t order = row_major ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    return rc_cusparse_check(
        cusparseCreateDnMat(out, rows, s->k, row_major ? s->k : ld, data, s->type, order),
        "the descriptor of a dense matrix", err);
}

typedef union scalar {
    float f;
    double d;
} scalar_t;

static scalar_t scalar_of(const rc_cusparse_t *s, int value)
{
    scalar_t out = {.d = value};
    if (s->precision != RC_FP64)
        out.f = (float)value;
    return out;
}

static rc_status_t make_workspace(rc_cusparse_t *s, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    size_t bytes = 0;
    scalar_t one = scalar_of(s, 1);
    scalar_t zero = scalar_of(s, 0);
    RC_TRY(rc_cusparse_check(cusparseSpMM_bufferSize(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                 CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->a, s->b, &zero, s->c,
                                 s->type, s->alg, &bytes),
        "this SpMM", err));
    RC_TRY(rc_cusparse_own(s, (int64_t)bytes, &s->workspace, err));
done:
    return st;
}

rc_status_t rc_cusparse_ready(rc_cusparse_t *s, const rc_problem_t *p, const int32_t *row,
    int64_t product_rows, cusparseSpMMAlg_t alg, int pre, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    s->alg = alg;
    s->pre = pre;
    s->product_rows = product_rows;
    s->row = p->c_order == RC_C_ORIGINAL ? row : NULL;
    int64_t bytes = rc_cusparse_product_bytes(p, product_rows);
    if (bytes > 0)
        RC_TRY(rc_cusparse_own(s, bytes, &s->product, err));
    if (s->a) {
        /* The real operands come with the first product; what stands for them is only never NULL.
         */
        void *b = s->array[0] ? s->array[0] : s->slots.val;
        void *c = s->product ? s->product : b;
        RC_TRY(dense(s, p->a->cols, p->a->cols, b, &s->b, err));
        RC_TRY(dense(s, product_rows, s->product ? product_rows : s->c_rows, c, &s->c, err));
        s->b_at = b;
        s->c_at = c;
        RC_TRY(make_workspace(s, err));
    }
    RC_TRY(rc_cuda_check(cudaStreamSynchronize(rc_cuda_stream(s->d)), "preparing a matrix", err));
done:
    return st;
}

/* ----------------------------------------------------------------- product */

static rc_status_t set_operands(rc_cusparse_t *s, const void *b, void *c, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    if (b != s->b_at) {
        /* the descriptor of a constant matrix would not take another one */
        RC_TRY(rc_cusparse_check(cusparseDnMatSetValues(s->b, (void *)b), "another B", err));
        s->b_at = b;
    }
    if (c != s->c_at) {
        RC_TRY(rc_cusparse_check(cusparseDnMatSetValues(s->c, c), "another C", err));
        s->c_at = c;
    }
done:
    return st;
}

rc_status_t rc_cusparse_preprocess(void *state, const void *b, void *c, rc_err_t *err)
{
    rc_cusparse_t *s = state;
    if (!s->pre || !s->a)
        return RC_OK;
    rc_status_t st = RC_OK;
    scalar_t one = scalar_of(s, 1);
    scalar_t zero = scalar_of(s, 0);
    RC_TRY(set_operands(s, b, s->product ? s->product : c, err));
    RC_TRY(rc_cusparse_check(cusparseSpMM_preprocess(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                 CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->a, s->b, &zero, s->c,
                                 s->type, s->alg, s->workspace),
        "preprocessing for this SpMM", err));
    RC_TRY(rc_cuda_check(cudaStreamSynchronize(rc_cuda_stream(s->d)), "preprocessing", err));
done:
    return st;
}

static rc_status_t store_zero(const rc_cusparse_t *s, void *c, rc_err_t *err)
{
    int64_t values = s->k * (s->product ? s->product_rows : s->c_rows);
    return rc_cuda_check(cudaMemsetAsync(c, 0, (size_t)values * rc_precision_bytes(s->precision),
                             rc_cuda_stream(s->d)),
        "storing zero to C", err);
}

rc_status_t rc_cusparse_run(void *state, const void *b, void *c, rc_err_t *err)
{
    rc_cusparse_t *s = state;
    rc_status_t st = RC_OK;
    if (s->slots_stored == 0)
        return RC_OK;
    void *product = s->product ? s->product : c;
    scalar_t one = scalar_of(s, 1);
    scalar_t zero = scalar_of(s, 0);
    if (!s->a)
        RC_TRY(store_zero(s, product, err));
    else {
        RC_TRY(set_operands(s, b, product, err));
        RC_TRY(rc_cusparse_check(cusparseSpMM(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                     CUSPARSE_OPERATION_NON_TRANSPOSE, &one, s->a, s->b, &zero,
                                     s->c, s->type, s->alg, s->workspace),
            "this SpMM", err));
    }
    if (!s->product)
        return RC_OK;
    const rc_cuda_scatter_t scatter = {
        .from = product,
        .to = c,
        .row = s->row,
        .slots = s->slots_stored,
        .k = s->k,
        .ld_from = s->layout == RC_ROW_MAJOR ? s->k : s->product_rows,
        .ld_to = s->layout == RC_ROW_MAJOR ? s->k : s->c_rows,
        .precision = s->precision,
        .layout = s->layout,
    };
    RC_TRY(rc_cuda_scatter(s->d, &scatter, err));
done:
    return st;
}
