#include "config.h"
#include "kernels/vendor/cusparse.h"
#include "base/error.h"
#include "base/type.h"
#include "device/cuda/cuda.h"
#include "device/cuda/data_type.h"
#include "device/cuda/scale.h"
#include "format/slots.h"
#include "kernels/vendor/scatter.h"

#include <inttypes.h>
#include <stdio.h>

/* Of the library that is loaded, which may be newer than the header. */
static rc_status_t refuse(const char *what, rc_err_t *err)
{
    static const libraryPropertyType part[] = {MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL};
    int version[] = {0, 0, 0};
    for (int i = 0; i < 3; i++)
        (void)cusparseGetProperty(part[i], &version[i]);
    return rc_fail(err, RC_ENOTSUP, "cuSPARSE %d.%d.%d: %s is not supported", version[0],
        version[1], version[2], what);
}

/* RC_OK; RC_ENOTSUP, RC_ENOMEM, else RC_EDEVICE with the name of the status.
 * \param[in] what  what was called, "this SpMM" */
static rc_status_t check(cusparseStatus_t status, const char *what, rc_err_t *err)
{
    if (status == CUSPARSE_STATUS_SUCCESS)
        return RC_OK;
    (void)cudaGetLastError(); /* or the next check of a launch would report this error again */
    switch (status) {
    case CUSPARSE_STATUS_NOT_SUPPORTED:
    case CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED:
    case CUSPARSE_STATUS_ARCH_MISMATCH: /* a value type that this GPU does not have */
        return refuse(what, err);
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
    return check(cusparseSetStream(handle, stream), "its stream", err);
}

/* The handle of an executor: making one takes milliseconds, so it is made once and the executor
 * closes it.  Scalars are on the host, which is how a handle starts. */
static rc_status_t handle_of(rc_executor_t *x, cusparseHandle_t *out, rc_err_t *err)
{
    rc_cuda_library_t *library = rc_cuda_library(x, RC_CUDA_CUSPARSE);
    rc_status_t st = RC_OK;
    cusparseHandle_t handle = NULL;
    if (!library->handle) {
        RC_TRY(check(cusparseCreate(&handle), "its handle", err));
        RC_TRY(use_stream(handle, rc_cuda_stream(x), err));
        *library =
            (rc_cuda_library_t){.handle = handle, .destroy = destroy_handle, .use = use_stream};
        handle = NULL;
    }
    *out = library->handle;
done:
    if (handle)
        destroy_handle(handle);
    return st;
}

/* --------------------------------------------------------------- operands */

static const rc_operation_t *operation_of(const rc_cusparse_kind_t *kind)
{
    return rc_operation_of(kind->calls->op);
}

/* Is the output the values of a sparse matrix? */
static int samples(const rc_cusparse_kind_t *kind)
{
    return operation_of(kind)->out.rows == RC_DIM_NNZ;
}

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

static rc_precision_t type_of(const rc_problem_t *p, int i)
{
    return rc_type_out(p->precision, i == RC_CUSPARSE_OUT && p->out_sums);
}

/* The descriptor of operand number i. */
static rc_status_t make_operand(rc_cusparse_t *s, int i, int64_t ld, void *data, rc_err_t *err)
{
    const rc_operation_t *operation = operation_of(s->kind);
    rc_cusparse_operand_t *o = &s->operand[i];
    int wide = i == RC_CUSPARSE_OUT ? operation->out.wide : operation->in[i].wide;
    cusparseOrder_t order =
        layout_of(s, i) == RC_ROW_MAJOR ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    int turned = s->kind->calls->b_transposed && i == 0;
    const cudaDataType type = rc_cuda_data_type(type_of(&s->base.p, i));
    drop_operand(o);
    rc_status_t st =
        wide ? check(turned ? cusparseCreateDnMat(
                                  &o->matrix, s->k, o->rows, ld, data, type, CUSPARSE_ORDER_COL)
                            : cusparseCreateDnMat(&o->matrix, o->rows, s->k, ld, data, type, order),
                   "the descriptor of a dense matrix", err)
             : check(cusparseCreateDnVec(&o->vector, o->rows, data, type),
                   "the descriptor of a vector", err);
    o->at = data;
    o->ld = ld;
    o->k = s->k;
    return st;
}

/* cuSPARSE loads several values at once where K allows it, and does not look at the leading
 * dimension of a row-major matrix: with K = 2 and rows of 5 values CSR_ALG3 of 12.6.3 reads a
 * misaligned address, which ends the context.
 * \return values that it may load at once from operand number i; of 16 bits two in any layout */
static int64_t loaded_at_once(const rc_cusparse_t *s, int i)
{
    enum { load_bytes = 16, word_bytes = 4 };
    const int64_t value = (int64_t)rc_precision_bytes(type_of(&s->base.p, i));
    if (layout_of(s, i) != RC_ROW_MAJOR)
        return value < word_bytes ? word_bytes / value : 1;
    int64_t step = load_bytes / value;
    while (step > 1 && s->k % step != 0)
        step /= 2;
    return step;
}

static rc_status_t check_ld(const rc_cusparse_t *s, int i, int64_t ld, rc_err_t *err)
{
    const int64_t step = loaded_at_once(s, i);
    if (layout_of(s, i) != RC_ROW_MAJOR || ld % step == 0)
        return RC_OK;
    return rc_fail(err, RC_ENOTSUP,
        "cuSPARSE needs a leading dimension that is a multiple of %" PRId64 " where K = %" PRId64
        ", found %" PRId64,
        step, s->k, ld);
}

/* Values of 16 bits: others are at multiples of words that cuSPARSE loads one by one. */
static rc_status_t check_place(const rc_cusparse_t *s, int i, const void *data, rc_err_t *err)
{
    const rc_precision_t type = type_of(&s->base.p, i);
    const size_t value = rc_precision_bytes(type);
    const size_t bytes = value * (size_t)loaded_at_once(s, i);
    if (value >= sizeof(uint32_t) || (uintptr_t)data % bytes == 0)
        return RC_OK;
    return rc_fail(err, RC_ENOTSUP,
        "cuSPARSE needs an operand of %s at a multiple of %zu bytes where K = %" PRId64,
        rc_precision_name(type), bytes, s->k);
}

/* Operand number i is at `data` from now on.
 * \param[out] made  1: the descriptor is another one; not touched otherwise */
static rc_status_t set_operand(
    rc_cusparse_t *s, int i, int64_t ld, void *data, int *made, rc_err_t *err)
{
    rc_cusparse_operand_t *o = &s->operand[i];
    rc_status_t st = RC_OK;
    if (data != o->at && check_place(s, i, data, err) < 0)
        return RC_ENOTSUP;
    if (o->matrix && (ld != o->ld || s->k != o->k)) {
        if (check_ld(s, i, ld, err) < 0)
            return RC_ENOTSUP;
        *made = 1;
        return make_operand(s, i, ld, data, err);
    }
    if (data == o->at)
        return RC_OK;
    if (o->matrix)
        st = check(cusparseDnMatSetValues(o->matrix, data), "another matrix", err);
    else
        st = check(cusparseDnVecSetValues(o->vector, data), "another vector", err);
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
    void *any = s->base.memory.piece[0];
    for (int i = 0; i < rc_operation_inputs(operation); i++) {
        int64_t rows = rc_shape_rows(&operation->in[i], p->a);
        s->operand[i].rows = rows;
        RC_TRY(make_operand(s, i, least_ld(s, i, rows), any, err));
    }
    if (samples(s->kind))
        goto done;
    int64_t rows = s->product ? s->product_rows : p->c_rows;
    s->operand[RC_CUSPARSE_OUT].rows = rows;
    RC_TRY(make_operand(s, RC_CUSPARSE_OUT, least_ld(s, RC_CUSPARSE_OUT, rows),
        s->product ? s->product : any, err));
done:
    return st;
}

/* ------------------------------------------------------------------- calls */

/* A factor of a run: its real and imaginary part. */
typedef double factor_t[2];

static const factor_t none = {0, 0};
static const factor_t one = {1, 0};

static rc_cusparse_scalar_t scalar_of(const rc_cusparse_t *s, const factor_t value)
{
    rc_cusparse_scalar_t out = {.d = {0}};
    const rc_type_t *sum = rc_type(rc_type(s->base.p.precision)->sum);
    for (int i = 0; i < sum->parts; i++)
        rc_type(sum->part)->store(&out, i, value[i]);
    return out;
}

/* What is called, "this SpMM by alg=3 in fp16". */
static rc_status_t check_call(const rc_cusparse_t *s, cusparseStatus_t status, rc_err_t *err)
{
    const rc_problem_t *p = &s->base.p;
    const char *parameter = p->kernel->param[s->kind->alg].name;
    char alg[40] = "";
    char what[120];
    if (status == CUSPARSE_STATUS_SUCCESS)
        return RC_OK;
    if (parameter)
        (void)snprintf(alg, sizeof alg, " by %.16s=%d", parameter, (int)p->param[s->kind->alg]);
    (void)snprintf(what, sizeof what, "%.50s%s in %.16s", s->kind->calls->name, alg,
        rc_precision_name(p->precision));
    return check(status, what, err);
}

/* One of the calls, of bound operands.  \param[out] bytes  of SIZE */
static rc_status_t call(rc_cusparse_t *s, rc_cusparse_step_t step, const factor_t alpha,
    const factor_t beta, size_t *bytes, rc_err_t *err)
{
    rc_cusparse_scalar_t a = scalar_of(s, alpha);
    rc_cusparse_scalar_t b = scalar_of(s, beta);
    return check_call(s, s->kind->calls->call(s, step, &a, &b, bytes), err);
}

static rc_status_t workspace_size(rc_cusparse_t *s, size_t *bytes, rc_err_t *err)
{
    *bytes = 0;
    return call(s, RC_CUSPARSE_SIZE, one, none, bytes, err);
}

/* What operands take of K columns, with leading dimensions that are longer by `pad`.  Those that
 * the library refuses take nothing: a run with them says so. */
static rc_status_t more_workspace(rc_cusparse_t *s, const rc_problem_t *p,
    const rc_operation_t *operation, int64_t k, int64_t pad, rc_err_t *err)
{
    rc_err_t why = {0};
    size_t bytes = 0;
    s->k = k;
    if (check_ld(s, 0, k + pad, &why) < 0 || check_ld(s, RC_CUSPARSE_OUT, k + pad, &why) < 0)
        return RC_OK;
    s->pad = pad;
    rc_status_t st = make_operands(s, p, operation, &why);
    if (st == RC_OK)
        st = workspace_size(s, &bytes, &why);
    if (st == RC_OK && bytes > s->workspace_bytes)
        s->workspace_bytes = bytes;
    return st == RC_OK || st == RC_ENOTSUP ? RC_OK : rc_fail(err, st, "%s", why.text);
}

/* The workspace for the least leading dimensions, a few others, because cuSPARSE wants more for
 * some of those that do not let it load several values at once, and a few smaller K. */
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

/* What another leading dimension or K takes: the workspace must do, preprocessing is done again. */
static rc_status_t adapt(rc_cusparse_t *s, rc_err_t *err)
{
    size_t bytes = 0;
    if (s->is_preprocessed && s->k != s->preprocessed_k)
        return rc_fail(err, RC_ENOTSUP,
            "cuSPARSE: preprocessed for K = %" PRId64 ", found %" PRId64, s->preprocessed_k, s->k);
    RC_PASS(workspace_size(s, &bytes, err));
    if (bytes > s->workspace_bytes)
        return rc_fail(err, RC_ENOTSUP,
            "cuSPARSE: %s wants %zu bytes of workspace for these leading dimensions or this K, and "
            "has %zu",
            s->kind->calls->name, bytes, s->workspace_bytes);
    return s->is_preprocessed ? call(s, RC_CUSPARSE_PREPROCESS, one, none, NULL, err) : RC_OK;
}

/* Let the descriptors point to the operands of a run. */
static rc_status_t bind(rc_cusparse_t *s, const rc_operands_t *o, rc_err_t *err)
{
    if (operation_of(s->kind)->has_k)
        s->k = o->in[0].cols;
    /* the descriptor of a constant matrix would not take another one: data is never const */
    for (int i = 0; i < rc_operation_inputs(operation_of(s->kind)); i++)
        RC_PASS(set_operand(s, i, o->in[i].ld, o->in[i].data, &s->changed, err));
    if (!s->product)
        RC_PASS(set_operand(s, RC_CUSPARSE_OUT, o->out.ld, o->out.data, &s->changed, err));
    else if (!samples(s->kind))
        RC_PASS(set_operand(s, RC_CUSPARSE_OUT, least_ld(s, RC_CUSPARSE_OUT, s->product_rows),
            s->product, &s->changed, err));
    if (s->changed)
        RC_PASS(adapt(s, err));
    s->changed = 0;
    return RC_OK;
}

/* Operands as the library takes them: what it stores by columns is turned afterwards. */
static rc_operands_t operands_of(const rc_cusparse_t *s, const rc_operands_t *o)
{
    rc_operands_t out = *o;
    if (s->columns) {
        out.out.data = s->columns;
        out.out.ld = o->out.rows > 0 ? o->out.rows : 1;
        out.out.layout = RC_COL_MAJOR;
        out.beta_im = 0;
    }
    return out;
}

rc_status_t rc_cusparse_preprocess(void *state, const rc_operands_t *o, rc_err_t *err)
{
    rc_cusparse_t *s = state;
    if (!s->pre || !s->a)
        return RC_OK;
    const rc_operands_t to = operands_of(s, o);
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st;
    RC_TRY(bind(s, &to, err));
    RC_TRY(call(s, RC_CUSPARSE_PREPROCESS, one, none, NULL, err));
    s->is_preprocessed = 1;
    s->preprocessed_k = s->k;
    RC_TRY(rc_cuda_check(
        cudaStreamSynchronize(rc_cuda_stream(s->base.memory.x)), "preprocessing", err));
done:
    rc_cuda_leave(s->base.memory.x, before);
    if (st < 0)
        (void)rc_err_context(err, "preprocessing");
    return st;
}

/* C' to the rows of the output. */
static rc_status_t scatter(
    const rc_cusparse_t *s, const rc_operands_t *o, double beta, rc_err_t *err)
{
    const rc_dense_t *out = &o->out;
    const rc_cuda_scatter_t scatter = {
        .from = s->product,
        .to = out->data,
        .row = s->form.slots.row,
        .slots = s->form.slots.slots,
        .k = s->k,
        .ld_from = least_ld(s, RC_CUSPARSE_OUT, s->product_rows),
        .ld_to = out->ld,
        .beta = {beta, o->beta_im},
        .precision = out->precision,
        .layout = rc_layout_out(s->layout),
    };
    RC_PASS(rc_cuda_scatter(s->base.memory.x, &scatter, err));
    return rc_cuda_slots_absent(s->base.memory.x, &s->form.slots, o, beta, err);
}

rc_status_t rc_cusparse_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    rc_cusparse_t *s = state;
    const rc_operands_t to = operands_of(s, o);
    const double kept = s->columns ? 0 : beta;
    const factor_t by = {alpha, o->alpha_im};
    const factor_t old = {beta, o->beta_im};
    const factor_t added = {kept, to.beta_im};
    const int sampled = samples(s->kind);
    rc_status_t st;
    int before = rc_cuda_enter(s->base.memory.x);
    if (!s->a) {
        RC_TRY(rc_cuda_scale(s->base.memory.x, &o->out, NULL, o->out.rows, old, err));
        goto done;
    }
    RC_TRY(bind(s, &to, err));
    RC_TRY(call(s, RC_CUSPARSE_RUN, sampled ? one : by, s->product ? none : added, NULL, err));
    if (sampled)
        RC_TRY(rc_cuda_sampled(s->base.memory.x, s->form.slots.val, s->product, o,
            rc_cuda_scalars(o, alpha, beta), err));
    else if (s->product)
        RC_TRY(scatter(s, &to, kept, err));
    if (s->columns)
        RC_TRY(rc_cuda_turn(s->base.memory.x, &to.out, &o->out, old, err));
done:
    rc_cuda_leave(s->base.memory.x, before);
    return st;
}

void rc_cusparse_release(void *state)
{
    rc_cusparse_t *s = state;
    if (s->a)
        (void)cusparseDestroySpMat(s->a);
    for (int i = 0; i < RC_CUSPARSE_OPERANDS; i++)
        drop_operand(&s->operand[i]);
}

/* ---------------------------------------------------------------- analysis */

static int64_t product_rows(const rc_problem_t *p, const rc_cusparse_kind_t *kind)
{
    return kind->format->rows ? kind->format->rows(p) : p->schedule->slots;
}

/* Bytes of a column of what cuSPARSE stores to memory of ours: a C', or dot products as they were
 * summed.  0: it stores to the output. */
static int64_t product_bytes(const rc_problem_t *p, const rc_cusparse_kind_t *kind)
{
    int64_t rows = product_rows(p, kind);
    if (samples(kind))
        return rc_sat_mul(p->a->nnz, (int64_t)rc_precision_bytes(rc_type(p->precision)->sum));
    if (p->a->nnz == 0 || (!rc_slots_named(p) && rows == p->schedule->slots))
        rows = 0;
    return rc_sat_mul(rows, (int64_t)rc_precision_bytes(type_of(p, RC_CUSPARSE_OUT)));
}

/* Of one of C before it is turned. */
static int64_t column_bytes(const rc_problem_t *p, const rc_cusparse_kind_t *kind)
{
    const int64_t value = (int64_t)rc_precision_bytes(type_of(p, RC_CUSPARSE_OUT));
    return kind->turns ? rc_sat_mul(p->c_rows, value) : 0;
}

/* RC_OK; RC_ENOTSUP: this cuSPARSE is too old, or does not do that. */
static rc_status_t check_kind(const rc_problem_t *p, const rc_cusparse_kind_t *kind, rc_err_t *err)
{
    const rc_cusparse_calls_t *c = kind->calls;
    if (p->param[kind->pre] && CUSPARSE_VERSION < c->preprocesses_since)
        return rc_fail(err, RC_ENOTSUP, "cuSPARSE: %s or newer", c->preprocessing_needs);
    if (CUSPARSE_VERSION < kind->since)
        return rc_fail(err, RC_ENOTSUP, "cuSPARSE: %s or newer", kind->needs);
    return c->in_order ? rc_cuda_identity_only(p, c->in_order, err) : RC_OK;
}

rc_status_t rc_cusparse_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_cusparse_kind_t *kind = p->kernel->kind;
    int64_t product = product_bytes(p, kind);
    RC_PASS(check_kind(p, kind, err));
    RC_PASS(rc_cuda_slots_analyse(p, out, err));
    RC_PASS(kind->format->measure(p, kind, out, err));
    if (samples(kind) || !operation_of(kind)->has_k)
        out->bytes = rc_sat_add(out->bytes, product);
    else
        out->bytes_per_column = rc_sat_add(product, column_bytes(p, kind));
    return RC_OK;
}

/* ------------------------------------------------------------------- state */

/* At least 1 byte. */
static rc_status_t room(rc_cusparse_t *s, int64_t bytes, void **out, rc_err_t *err)
{
    return rc_memory_room(&s->base.memory, bytes > 0 ? (size_t)bytes : 1, out, err);
}

/* Memory for what is not the output itself. */
static rc_status_t own_product(rc_cusparse_t *s, const rc_problem_t *p, rc_err_t *err)
{
    int64_t product = product_bytes(p, s->kind);
    int64_t columns = column_bytes(p, s->kind);
    int64_t k = samples(s->kind) ? 1 : s->k;
    if (columns > 0)
        RC_PASS(room(s, rc_sat_mul(columns, k), &s->columns, err));
    if (product > 0)
        RC_PASS(room(s, rc_sat_mul(product, k), &s->product, err));
    if (samples(s->kind))
        return check(cusparseSpMatSetValues(s->a, s->product), "the pattern of A in CSR", err);
    return RC_OK;
}

/* With the GPU current. */
static rc_status_t complete(rc_cusparse_t *s, rc_err_t *err)
{
    const rc_problem_t *p = &s->base.p;
    const rc_operation_t *operation = operation_of(s->kind);
    char what[80];
    rc_status_t st = RC_OK;
    s->k = p->k;
    RC_TRY(handle_of(s->base.memory.x, &s->handle, err));
    if (p->a->nnz == 0)
        goto done;
    (void)snprintf(what, sizeof what, "the descriptor of A in %.16s and %.16s",
        s->kind->format->name, rc_precision_name(p->precision));
    RC_TRY(check(s->kind->format->describe(s), what, err));
    RC_TRY(own_product(s, p, err));
    RC_TRY(make_operands(s, p, operation, err));
    RC_TRY(largest_workspace(s, p, operation, err));
    RC_TRY(room(s, (int64_t)s->workspace_bytes, &s->workspace, err));
    RC_TRY(rc_cuda_check(
        cudaStreamSynchronize(rc_cuda_stream(s->base.memory.x)), "preparing a matrix", err));
done:
    return st;
}

rc_status_t rc_cusparse_own(void *state, rc_err_t *err)
{
    rc_cusparse_t *s = state;
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st = complete(s, err);
    rc_cuda_leave(s->base.memory.x, before);
    return st;
}

rc_status_t rc_cusparse_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    rc_cusparse_t *s = state;
    const rc_cusparse_kind_t *kind = p->kernel->kind;
    s->kind = kind;
    s->algorithm = kind->algorithm[p->param[kind->alg]];
    s->compute = rc_cuda_data_type(rc_type(p->precision)->sum);
    s->stored = samples(kind) ? s->compute : rc_cuda_data_type(p->precision);
    s->pre = p->param[kind->pre] != 0;
    s->product_rows = product_rows(p, kind);
    s->form.wide = rc_cusparse_is_wide(p, kind);
    s->form.size = p->param[kind->format->size];
    s->layout = kind->turns ? RC_ROW_COL : p->kernel->layout;
    if (p->a->nnz == 0)
        return RC_OK;
    int before = rc_cuda_enter(s->base.memory.x);
    rc_status_t st = kind->format->build(&s->base.memory, p, &s->form, err);
    rc_cuda_leave(s->base.memory.x, before);
    if (!s->pre && !samples(kind))
        s->base.val = s->form.val;
    s->base.stored = s->form.stored;
    return st;
}
