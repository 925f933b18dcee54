#include "config.h"
#include "kernels/cuda/cusparse_common.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/scale.h"
#include "kernels/cuda/scatter.h"

#include <inttypes.h>
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

/* ------------------------------------------------------------------ handle */

static void destroy_handle(void *handle)
{
    (void)cusparseDestroy(handle);
}

static rc_status_t use_stream(void *handle, cudaStream_t stream, rc_err_t *err)
{
    return rc_cusparse_check(cusparseSetStream(handle, stream), "its stream", err);
}

/* The handle of an executor: making one takes milliseconds, so it is made once and the executor
 * closes it.  Scalars are on the host, which is how a handle starts. */
static rc_status_t handle_of(rc_executor_t *x, cusparseHandle_t *out, rc_err_t *err)
{
    rc_cuda_library_t *library = rc_cuda_cusparse(x);
    rc_status_t st = RC_OK;
    cusparseHandle_t handle = NULL;
    if (!library->handle) {
        RC_TRY(rc_cusparse_check(cusparseCreate(&handle), "its handle", err));
        RC_TRY(use_stream(handle, rc_cuda_stream(x), err));
        *library = (rc_cuda_library_t){
            .handle = handle, .destroy = destroy_handle, .use = use_stream};
        handle = NULL;
    }
    *out = library->handle;
done:
    if (handle)
        destroy_handle(handle);
    return st;
}

/* --------------------------------------------------------------- operands */

static void drop_operand(rc_cusparse_operand_t *o)
{
    if (o->matrix)
        (void)cusparseDestroyDnMat(o->matrix);
    if (o->vector)
        (void)cusparseDestroyDnVec(o->vector);
    o->matrix = NULL;
    o->vector = NULL;
}

static rc_layout_t layout_of(const rc_cusparse_t *s, int i)
{
    return i == RC_CUSPARSE_OUT ? rc_layout_out(s->layout) : rc_layout_in(s->layout);
}

/* The descriptor of operand number i. */
static rc_status_t make_operand(rc_cusparse_t *s, int i, int64_t ld, void *data, rc_err_t *err)
{
    const rc_operation_t *operation = rc_operation_of(s->kind->op);
    rc_cusparse_operand_t *o = &s->operand[i];
    int wide = i == RC_CUSPARSE_OUT ? operation->out.wide : operation->in[i].wide;
    cusparseOrder_t order =
        layout_of(s, i) == RC_ROW_MAJOR ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    int turned = s->kind->b_transposed && i == 0;
    drop_operand(o);
    rc_status_t st =
        wide ? rc_cusparse_check(
                   turned ? cusparseCreateDnMat(
                                &o->matrix, s->k, o->rows, ld, data, s->type, CUSPARSE_ORDER_COL)
                          : cusparseCreateDnMat(&o->matrix, o->rows, s->k, ld, data, s->type, order),
                   "the descriptor of a dense matrix", err)
             : rc_cusparse_check(cusparseCreateDnVec(&o->vector, o->rows, data, s->type),
                   "the descriptor of a vector", err);
    o->at = data;
    o->ld = ld;
    o->k = s->k;
    return st;
}

/* cuSPARSE loads several values at once where K allows it, and does not look at the leading
 * dimension of a row-major matrix: with K = 2 and rows of 5 values CSR_ALG3 of 12.6.3 reads a
 * misaligned address, which ends the context. */
static rc_status_t check_ld(const rc_cusparse_t *s, int i, int64_t ld, rc_err_t *err)
{
    enum { load_bytes = 16 };
    int64_t step = load_bytes / (int64_t)rc_precision_bytes(s->precision);
    while (step > 1 && s->k % step != 0)
        step /= 2;
    if (layout_of(s, i) != RC_ROW_MAJOR || ld % step == 0)
        return RC_OK;
    return rc_fail(err, RC_ENOTSUP,
        "cuSPARSE needs a leading dimension that is a multiple of %" PRId64 " where K = %" PRId64
        " is one, found %" PRId64,
        step, s->k, ld);
}

/* Operand number i is at `data` from now on.
 * \param[out] made  1: the descriptor is another one; not touched otherwise */
static rc_status_t set_operand(
    rc_cusparse_t *s, int i, int64_t ld, void *data, int *made, rc_err_t *err)
{
    rc_cusparse_operand_t *o = &s->operand[i];
    rc_status_t st = RC_OK;
    if (o->matrix && (ld != o->ld || s->k != o->k)) {
        if (check_ld(s, i, ld, err) < 0)
            return RC_ENOTSUP;
        *made = 1;
        return make_operand(s, i, ld, data, err);
    }
    if (data == o->at)
        return RC_OK;
    if (o->matrix)
        st = rc_cusparse_check(cusparseDnMatSetValues(o->matrix, data), "another matrix", err);
    else
        st = rc_cusparse_check(cusparseDnVecSetValues(o->vector, data), "another vector", err);
    o->at = data;
    return st;
}

/* The least leading dimension of operand number i, or what is looked at beyond it. */
static int64_t least_ld(const rc_cusparse_t *s, int i, int64_t rows)
{
    return s->pad + (layout_of(s, i) == RC_ROW_MAJOR ? s->k : rows);
}

/* Descriptors before the first run: the operands come with it; what stands for them is only never
 * NULL. */
static rc_status_t make_operands(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_operation_t *operation, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    void *any = s->memory.piece[0];
    for (int i = 0; i < rc_operation_inputs(operation); i++) {
        int64_t rows = rc_shape_rows(&operation->in[i], p->a);
        s->operand[i].rows = rows;
        RC_TRY(make_operand(s, i, least_ld(s, i, rows), any, err));
    }
    if (operation->out.rows == RC_DIM_NNZ)
        goto done; /* the values of a sparse matrix */
    int64_t rows = s->product ? s->product_rows : p->c_rows;
    s->operand[RC_CUSPARSE_OUT].rows = rows;
    RC_TRY(make_operand(s, RC_CUSPARSE_OUT, least_ld(s, RC_CUSPARSE_OUT, rows),
        s->product ? s->product : any, err));
done:
    return st;
}

/* ------------------------------------------------------------------- calls */

static rc_cusparse_scalar_t scalar_of(const rc_cusparse_t *s, double value)
{
    rc_cusparse_scalar_t out = {.d = value};
    if (s->precision != RC_FP64)
        out.f = (float)value;
    return out;
}

rc_status_t rc_cusparse_call(
    rc_cusparse_t *s, rc_cusparse_step_t step, double alpha, double beta, rc_err_t *err)
{
    rc_cusparse_scalar_t a = scalar_of(s, alpha);
    rc_cusparse_scalar_t b = scalar_of(s, beta);
    return rc_cusparse_check(s->kind->call(s, step, &a, &b, NULL), s->kind->call_name, err);
}

static rc_status_t workspace_size(rc_cusparse_t *s, size_t *bytes, rc_err_t *err)
{
    rc_cusparse_scalar_t one = scalar_of(s, 1);
    rc_cusparse_scalar_t zero = scalar_of(s, 0);
    *bytes = 0;
    return rc_cusparse_check(
        s->kind->call(s, RC_CUSPARSE_SIZE, &one, &zero, bytes), s->kind->call_name, err);
}

/* What operands take that are of K columns, and have leading dimensions that are longer by `pad`. */
static rc_status_t more_workspace(rc_cusparse_t *s, const rc_problem_t *p,
    const rc_operation_t *operation, int64_t k, int64_t pad, rc_err_t *err)
{
    rc_err_t why = {0};
    size_t bytes = 0;
    s->k = k;
    if (check_ld(s, 0, k + pad, &why) < 0 || check_ld(s, RC_CUSPARSE_OUT, k + pad, &why) < 0)
        return RC_OK;
    s->pad = pad;
    rc_status_t st = make_operands(s, p, operation, err);
    if (st == RC_OK)
        st = workspace_size(s, &bytes, err);
    if (bytes > s->workspace_bytes)
        s->workspace_bytes = bytes;
    return st;
}

/* The workspace for the least leading dimensions, a few others, because cuSPARSE wants more for some of
 * those that do not let it load several values at once, and a few smaller K. */
static rc_status_t largest_workspace(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_operation_t *operation, rc_err_t *err)
{
    enum { pads = 4 };
    rc_status_t st = workspace_size(s, &s->workspace_bytes, err);
    for (int64_t pad = 1; st == RC_OK && operation->has_k && pad <= pads; pad++)
        st = more_workspace(s, p, operation, p->k, pad, err);
    for (int64_t k = p->k / 2; st == RC_OK && operation->has_k && k > 0; k /= 2)
        st = more_workspace(s, p, operation, k, 0, err);
    s->k = p->k;
    s->pad = 0;
    return st < 0 ? st : make_operands(s, p, operation, err);
}

/* What another leading dimension or K takes: the workspace must do, and preprocessing is done again. */
static rc_status_t adapt(rc_cusparse_t *s, rc_err_t *err)
{
    size_t bytes = 0;
    if (s->is_preprocessed && s->k != s->preprocessed_k)
        return rc_fail(err, RC_ENOTSUP, "cuSPARSE: preprocessed for K = %" PRId64 ", found %" PRId64,
            s->preprocessed_k, s->k);
    rc_status_t st = workspace_size(s, &bytes, err);
    if (st < 0)
        return st;
    if (bytes > s->workspace_bytes)
        return rc_fail(err, RC_ENOTSUP,
            "cuSPARSE: %s wants %zu bytes of workspace for these leading dimensions or this K, and "
            "has %zu",
            s->kind->call_name, bytes, s->workspace_bytes);
    return s->is_preprocessed ? rc_cusparse_call(s, RC_CUSPARSE_PREPROCESS, 1, 0, err) : RC_OK;
}

rc_status_t rc_cusparse_bind(rc_cusparse_t *s, const rc_operands_t *o, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    if (rc_operation_of(s->kind->op)->has_k)
        s->k = o->in[0].cols;
    /* the descriptor of a constant matrix would not take another one: data is never const */
    for (int i = 0; i < rc_operation_inputs(rc_operation_of(s->kind->op)); i++)
        RC_TRY(set_operand(s, i, o->in[i].ld, o->in[i].data, &s->changed, err));
    if (!s->product)
        RC_TRY(set_operand(s, RC_CUSPARSE_OUT, o->out.ld, o->out.data, &s->changed, err));
    else if (s->operand[RC_CUSPARSE_OUT].rows > 0) /* else the values of a sparse matrix */
        RC_TRY(set_operand(s, RC_CUSPARSE_OUT, least_ld(s, RC_CUSPARSE_OUT, s->product_rows),
            s->product, &s->changed, err));
    if (s->changed)
        RC_TRY(adapt(s, err));
    s->changed = 0;
done:
    return st;
}

rc_status_t rc_cusparse_preprocess(void *state, const rc_operands_t *o, rc_err_t *err)
{
    rc_cusparse_t *s = state;
    if (!s->pre || !s->a)
        return RC_OK;
    int before = rc_cuda_enter(s->x);
    rc_status_t st = RC_OK;
    RC_TRY(rc_cusparse_bind(s, o, err));
    RC_TRY(rc_cusparse_call(s, RC_CUSPARSE_PREPROCESS, 1, 0, err));
    s->is_preprocessed = 1;
    s->preprocessed_k = s->k;
    RC_TRY(rc_cuda_check(cudaStreamSynchronize(rc_cuda_stream(s->x)), "preprocessing", err));
done:
    rc_cuda_leave(s->x, before);
    if (st < 0)
        (void)rc_err_context(err, "preprocessing");
    return st;
}

/* C' to the rows of the output. */
static rc_status_t scatter(
    const rc_cusparse_t *s, const rc_dense_t *out, double beta, rc_err_t *err)
{
    const rc_cuda_scatter_t scatter = {
        .from = s->product,
        .to = out->data,
        .row = s->slots.row,
        .slots = s->slots.slots,
        .k = s->k,
        .ld_from = least_ld(s, RC_CUSPARSE_OUT, s->product_rows),
        .ld_to = out->ld,
        .beta = beta,
        .precision = s->precision,
        .layout = rc_layout_out(s->layout),
    };
    rc_status_t st = rc_cuda_scatter(s->x, &scatter, err);
    return st < 0 ? st : rc_cuda_slots_absent(s->x, &s->slots, out, beta, err);
}

rc_status_t rc_cusparse_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    rc_cusparse_t *s = state;
    rc_status_t st = RC_OK;
    int before = rc_cuda_enter(s->x);
    if (!s->a) {
        RC_TRY(rc_cuda_scale(s->x, &o->out, NULL, o->out.rows, beta, err));
        goto done;
    }
    RC_TRY(rc_cusparse_bind(s, o, err));
    RC_TRY(rc_cusparse_call(s, RC_CUSPARSE_RUN, alpha, s->product ? 0 : beta, err));
    if (s->product)
        RC_TRY(scatter(s, &o->out, beta, err));
done:
    rc_cuda_leave(s->x, before);
    return st;
}

/* ------------------------------------------------------------------- state */

rc_status_t rc_cusparse_own(rc_cusparse_t *s, int64_t bytes, void **out, rc_err_t *err)
{
    return rc_cuda_room(&s->memory, bytes > 0 ? (size_t)bytes : 1, out, err);
}

rc_status_t rc_cusparse_slots(rc_cusparse_t *s, const rc_problem_t *p, rc_err_t *err)
{
    rc_status_t st = rc_cuda_slots_build(s->x, p, &s->slots, err);
    return st < 0 ? st : rc_cuda_slots_keep(&s->memory, &s->slots, err);
}

rc_status_t rc_cusparse_rows(rc_cusparse_t *s, const rc_problem_t *p, rc_err_t *err)
{
    rc_status_t st = rc_cuda_slots_rows(s->x, p, &s->slots, err);
    return st < 0 ? st : rc_cuda_slots_keep(&s->memory, &s->slots, err);
}

rc_status_t rc_cusparse_upload(
    rc_cusparse_t *s, const void *from, int64_t bytes, void **out, rc_err_t *err)
{
    rc_status_t st = rc_cusparse_own(s, bytes, out, err);
    return st < 0 ? st : s->x->upload(s->x, *out, from, (size_t)bytes, err);
}

void rc_cusparse_release(void *state)
{
    rc_cusparse_t *s = state;
    if (!s)
        return;
    if (s->a)
        (void)cusparseDestroySpMat(s->a);
    for (int i = 0; i < RC_CUSPARSE_OPERANDS; i++)
        drop_operand(&s->operand[i]);
    rc_cuda_memory_free(&s->memory);
    free(s);
}

/* Does cuSPARSE store to a C' of our own? */
static int needs_product(const rc_problem_t *p, const rc_cusparse_kind_t *kind, int64_t rows)
{
    return p->a->nnz > 0 && rc_operation_of(kind->op)->out.rows != RC_DIM_NNZ &&
           (rc_cuda_slots_named(p) || rows != p->schedule->slots);
}

rc_status_t rc_cusparse_analyse(const rc_problem_t *p, const rc_cusparse_kind_t *kind,
    int64_t product_rows, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_cuda_slots_analyse(p, out, err);
    if (st < 0 || !needs_product(p, kind, product_rows))
        return st;
    int64_t column = rc_sat_mul(product_rows, (int64_t)rc_precision_bytes(p->precision));
    if (rc_operation_of(kind->op)->has_k)
        out->bytes_per_column = column;
    else
        out->bytes = rc_sat_add(out->bytes, column);
    return RC_OK;
}

static rc_status_t complete(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    const rc_operation_t *operation = rc_operation_of(s->kind->op);
    rc_status_t st = RC_OK;
    RC_TRY(handle_of(s->x, &s->handle, err));
    if (p->a->nnz == 0)
        goto done;
    RC_TRY(s->kind->describe(s, p, analysis, err));
    if (!s->memory.users)
        rc_cuda_memory_seal(&s->memory);
    if (needs_product(p, s->kind, s->product_rows)) {
        int64_t column = rc_sat_mul(s->product_rows, (int64_t)rc_precision_bytes(p->precision));
        RC_TRY(rc_cusparse_own(s, rc_sat_mul(column, s->k), &s->product, err));
    }
    RC_TRY(make_operands(s, p, operation, err));
    RC_TRY(largest_workspace(s, p, operation, err));
    RC_TRY(rc_cusparse_own(s, (int64_t)s->workspace_bytes, &s->workspace, err));
    RC_TRY(rc_cuda_check(cudaStreamSynchronize(rc_cuda_stream(s->x)), "preparing a matrix", err));
done:
    return st;
}

static rc_status_t finish(rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    int before = rc_cuda_enter(s->x);
    rc_status_t st = complete(s, p, analysis, err);
    rc_cuda_leave(s->x, before);
    if (st < 0)
        rc_cusparse_release(s);
    else
        *state = s;
    return st;
}

rc_status_t rc_cusparse_prepare(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, const rc_cusparse_kind_t *kind, rc_layout_t layout, void **state,
    rc_err_t *err)
{
    rc_cusparse_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    *s = (rc_cusparse_t){
        .x = x,
        .kind = kind,
        .memory = {.x = x},
        .algorithm = kind->algorithm[kind->alg_param < 0 ? 0 : p->param[kind->alg_param]],
        .type = p->precision == RC_FP64 ? CUDA_R_64F : CUDA_R_32F,
        .pre = kind->pre_param >= 0 && p->param[kind->pre_param] != 0,
        .product_rows = p->schedule->slots,
        .k = p->k,
        .precision = p->precision,
        .layout = layout,
    };
    return finish(s, p, analysis, state, err);
}

rc_status_t rc_cusparse_share(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, void *of, void **state, rc_err_t *err)
{
    rc_cusparse_t *from = of;
    rc_cusparse_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    *s = (rc_cusparse_t){
        .x = x,
        .kind = from->kind,
        .slots = from->slots,
        .row = from->row,
        .col = from->col,
        .algorithm = from->algorithm,
        .type = from->type,
        .pre = from->pre,
        .product_rows = from->product_rows,
        .k = p->k,
        .precision = from->precision,
        .layout = from->layout,
    };
    rc_status_t st = rc_cuda_memory_share(&from->memory, x, &s->memory, err);
    if (st < 0) {
        free(s);
        return st;
    }
    return finish(s, p, analysis, state, err);
}

int64_t rc_cusparse_values(void *state, void **array)
{
    const rc_cusparse_t *s = state;
    *array = s->pre ? NULL : s->slots.val;
    return *array ? s->slots.nnz : 0;
}
