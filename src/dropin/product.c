#include "config.h"
#include "dropin/product.h"
#include "device/cuda/data_type.h"
#include "dropin/type.h"

#include <math.h>
#include <string.h>

static const char *const texts[RC_WHYS] = {
    [RC_WHY_PLAN] = "by a plan",
    [RC_WHY_OFF] = "the drop-in is off",
    [RC_WHY_UNREADABLE] = "descriptors cannot be read",
    [RC_WHY_OPERATION] = "an operation that plans do not have",
    [RC_WHY_CONJUGATED] = "a dense operand that is conjugated",
    [RC_WHY_FORMAT] = "a format that is not CSR, CSC or COO",
    [RC_WHY_ROWS] = "columns or coordinates, which have no kernel",
    [RC_WHY_BASE] = "indices from 1",
    [RC_WHY_ALGORITHM] = "an algorithm of another format",
    [RC_WHY_BITS] = "the same bits in each run are promised",
    [RC_WHY_TYPE] = "a value type that plans do not have",
    [RC_WHY_MIXED] = "value types are mixed",
    [RC_WHY_BATCH] = "batches",
    [RC_WHY_SCALARS] = "alpha and beta on the device",
    [RC_WHY_ALPHA] = "alpha is not finite",
    [RC_WHY_BETA] = "beta is not 0",
    [RC_WHY_SHAPE] = "shapes that do not fit",
    [RC_WHY_ALIGNED] = "an array that begins within a value",
    [RC_WHY_SIZE] = "empty, or more than 2^31 - 1",
    [RC_WHY_STREAM] = "not a stream of the primary context, or one for each thread",
    [RC_WHY_CAPTURE] = "captured into a graph",
    [RC_WHY_MANY] = "too many patterns or threads at once",
    [RC_WHY_WATCHING] = "the pattern is new",
    [RC_WHY_MAKING] = "the plan is being made",
    [RC_WHY_TRYING] = "the plan is compared with it",
    [RC_WHY_SLOWER] = "cuSPARSE is as fast",
    [RC_WHY_HOST] = "the program's host is the bound",
    [RC_WHY_NO_PLAN] = "there is no plan for it",
    [RC_WHY_BUDGET] = "the budget is spent",
    [RC_WHY_CHANGES] = "the pattern changes in place",
    [RC_WHY_REFUSED] = "the plan does not take the operands",
};

const char *rc_why_text(rc_why_t why)
{
    return (unsigned)why < RC_WHYS ? texts[why] : "";
}

const rc_function_t *rc_function(int op)
{
    static const rc_function_t functions[RC_OPS] = {[RC_OP_SPMM] = {"cusparseSpMM", "spmm"},
        [RC_OP_SPMV] = {"cusparseSpMV", "spmv"},
        [RC_OP_SDDMM] = {"cusparseSDDMM", "sddmm"}};
    return &functions[op];
}

static int fits(int64_t n)
{
    return n > 0 && n < INT32_MAX;
}

/* Types of what is stored. */
typedef struct indices {
    cusparseIndexType_t ptr;
    cusparseIndexType_t idx;
    cusparseIndexBase_t base;
    cudaDataType values;
} indices_t;

/* Algorithms of a function for a format, as it numbers them. */
enum { ALGORITHMS = 5 };
typedef struct algorithms {
    int among[ALGORITHMS]; /* the default, which is 0, where there are fewer */
    int promises;          /* the same bits in each run */
} algorithms_t;

/* How a format is read, what its arrays are, and the algorithms for it. */
typedef struct format {
    cusparseFormat_t format;
    rc_plan_form_t form;
    cusparseStatus_t (*get)(
        const rc_real_t *real, cusparseConstSpMatDescr_t descr, rc_plan_matrix_t *a, indices_t *of);
    const algorithms_t *algorithms; /* [RC_OPS] */
} format_t;

static cusparseStatus_t get_lines(__typeof__(&cusparseConstCsrGet) get,
    cusparseConstSpMatDescr_t descr, rc_plan_matrix_t *a, indices_t *of)
{
    return get ? get(descr, &a->rows, &a->cols, &a->nnz, &a->row_ptr, &a->col_idx, &a->val,
                     &of->ptr, &of->idx, &of->base, &of->values)
               : CUSPARSE_STATUS_NOT_SUPPORTED;
}

static cusparseStatus_t get_csr(
    const rc_real_t *real, cusparseConstSpMatDescr_t descr, rc_plan_matrix_t *a, indices_t *of)
{
    return get_lines(real->ConstCsrGet, descr, a, of);
}

static cusparseStatus_t get_csc(
    const rc_real_t *real, cusparseConstSpMatDescr_t descr, rc_plan_matrix_t *a, indices_t *of)
{
    return get_lines(real->ConstCscGet, descr, a, of);
}

static cusparseStatus_t get_coo(
    const rc_real_t *real, cusparseConstSpMatDescr_t descr, rc_plan_matrix_t *a, indices_t *of)
{
    if (!real->ConstCooGet)
        return CUSPARSE_STATUS_NOT_SUPPORTED;
    cusparseStatus_t st = real->ConstCooGet(descr, &a->rows, &a->cols, &a->nnz, &a->row_ptr,
        &a->col_idx, &a->val, &of->idx, &of->base, &of->values);
    of->ptr = of->idx;
    return st;
}

static const algorithms_t of_lines[RC_OPS] = {
    [RC_OP_SPMM] = {{CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2, CUSPARSE_SPMM_CSR_ALG3},
        CUSPARSE_SPMM_CSR_ALG3},
    [RC_OP_SPMV] = {{CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}, CUSPARSE_SPMV_CSR_ALG2}};
static const algorithms_t of_entries[RC_OPS] = {
    [RC_OP_SPMM] = {{CUSPARSE_SPMM_COO_ALG1, CUSPARSE_SPMM_COO_ALG2, CUSPARSE_SPMM_COO_ALG3,
                        CUSPARSE_SPMM_COO_ALG4},
        CUSPARSE_SPMM_COO_ALG2},
    [RC_OP_SPMV] = {{CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_COO_ALG2}, CUSPARSE_SPMV_COO_ALG2}};
static const format_t formats[] = {
    {CUSPARSE_FORMAT_CSR, RC_PLAN_CSR, get_csr, of_lines},
    {CUSPARSE_FORMAT_CSC, RC_PLAN_CSC, get_csc, of_lines},
    {CUSPARSE_FORMAT_COO, RC_PLAN_COO, get_coo, of_entries},
};

/* NULL: another one. */
static const format_t *format_of(cusparseFormat_t format)
{
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].format == format)
            return &formats[i];
    return NULL;
}

/* A', of the same arrays. */
static void transpose(rc_plan_matrix_t *a)
{
    static const rc_plan_form_t other[] = {
        [RC_PLAN_CSR] = RC_PLAN_CSC, [RC_PLAN_CSC] = RC_PLAN_CSR, [RC_PLAN_COO] = RC_PLAN_COO};
    const rc_plan_matrix_t of = *a;
    a->rows = of.cols;
    a->cols = of.rows;
    a->form = other[of.form];
    if (of.form == RC_PLAN_COO) { /* both are of one width */
        a->row_ptr = of.col_idx;
        a->col_idx = of.row_ptr;
    }
}

/* \param[out] turned  1: transposed, or the adjoint, whose numbers are conjugated beside */
static rc_why_t read_operation(cusparseOperation_t op, int *turned)
{
    *turned = op == CUSPARSE_OPERATION_TRANSPOSE || op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE;
    return *turned || op == CUSPARSE_OPERATION_NON_TRANSPOSE ? RC_WHY_PLAN : RC_WHY_OPERATION;
}

/* What is stored, as `p` has it: p->a and p->base. */
static rc_why_t read_stored(const rc_real_t *real, cusparseConstSpMatDescr_t descr, rc_asked_t *p,
    cudaDataType *type, const format_t **format)
{
    cusparseFormat_t named;
    indices_t of;
    int batch = 0;
    rc_plan_matrix_t *a = &p->a;
    if (real->SpMatGetFormat(descr, &named) != CUSPARSE_STATUS_SUCCESS)
        return RC_WHY_UNREADABLE;
    *format = format_of(named);
    if (!*format)
        return RC_WHY_FORMAT;
    if ((*format)->get(real, descr, a, &of) != CUSPARSE_STATUS_SUCCESS ||
        real->SpMatGetStridedBatch(descr, &batch) != CUSPARSE_STATUS_SUCCESS)
        return RC_WHY_UNREADABLE;
    if (batch > 1)
        return RC_WHY_BATCH;
    if ((of.base != CUSPARSE_INDEX_BASE_ZERO && of.base != CUSPARSE_INDEX_BASE_ONE) ||
        (of.ptr != CUSPARSE_INDEX_32I && of.ptr != CUSPARSE_INDEX_64I) ||
        (of.idx != CUSPARSE_INDEX_32I && of.idx != CUSPARSE_INDEX_64I))
        return RC_WHY_FORMAT;
    if (!fits(a->rows) || !fits(a->cols) || !fits(a->nnz))
        return RC_WHY_SIZE;
    if (!a->row_ptr || !a->col_idx || !a->val)
        return RC_WHY_SHAPE;
    a->form = (*format)->form;
    a->on_device = 1;
    a->row_ptr_bytes = of.ptr == CUSPARSE_INDEX_32I ? 4 : 8;
    a->col_idx_bytes = of.idx == CUSPARSE_INDEX_32I ? 4 : 8;
    p->base = of.base == CUSPARSE_INDEX_BASE_ONE;
    *type = of.values;
    return RC_WHY_PLAN;
}

/* op(A), as what is multiplied by: the one place that knows of transposed ones. */
static rc_why_t read_sparse(const rc_real_t *real, cusparseConstSpMatDescr_t descr,
    cusparseOperation_t op, rc_asked_t *p, cudaDataType *type, const format_t **format)
{
    int turned = 0;
    rc_why_t why = read_operation(op, &turned);
    if (why == RC_WHY_PLAN)
        why = read_stored(real, descr, p, type, format);
    if (why == RC_WHY_PLAN && turned)
        transpose(&p->a);
    return why;
}

/* The algorithm of p->op. */
static rc_why_t read_algorithm(const format_t *format, int bits, rc_asked_t *p)
{
    const algorithms_t *of = &format->algorithms[p->op];
    int at = 0;
    while (at < ALGORITHMS && of->among[at] != p->algorithm)
        at++;
    /* a plan gives the same bits in each run, too, but they are not those of cuSPARSE */
    p->promises = p->algorithm == of->promises;
    return at == ALGORITHMS ? RC_WHY_ALGORITHM : p->promises && !bits ? RC_WHY_BITS : RC_WHY_PLAN;
}

/* That of the values of A.  Sums and scalars are of the type that plans sum it in. */
static rc_why_t read_type(cudaDataType type, cudaDataType compute, rc_precision_t *out)
{
    for (int t = 0; t < RC_TYPES; t++) {
        *out = (rc_precision_t)t;
        if (rc_cuda_data_type(*out) == type)
            return rc_cuda_data_type(rc_dropin_type(*out)->sum) == compute ? RC_WHY_PLAN
                                                                           : RC_WHY_MIXED;
    }
    return RC_WHY_TYPE;
}

/* 1: values of a type are conjugated.  Real numbers stay what they are. */
static int conjugates(cusparseOperation_t op, rc_precision_t precision)
{
    return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && rc_dropin_type(precision)->parts > 1;
}

/* op(A) of a call, the type of its sums, and whether other bits will do. */
typedef struct factor {
    cusparseConstSpMatDescr_t a;
    cusparseOperation_t op;
    cudaDataType sums;
    int bits;
} factor_t;

/* What is multiplied by, its algorithm and its types.
 * \param[in,out] p     in: its operation and algorithm
 * \param[out]    type  of the values */
static rc_why_t read_factor(
    const rc_real_t *real, const factor_t *f, rc_asked_t *p, cudaDataType *type)
{
    const format_t *format = NULL;
    rc_why_t why = read_sparse(real, f->a, f->op, p, type, &format);
    if (why == RC_WHY_PLAN)
        why = read_algorithm(format, f->bits, p);
    if (why == RC_WHY_PLAN)
        why = read_type(*type, f->sums, &p->a.precision);
    p->conjugated = why == RC_WHY_PLAN && conjugates(f->op, p->a.precision);
    /* the adjoint of real numbers cuSPARSE refuses, or multiplies as something else */
    return why == RC_WHY_PLAN && f->op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE && !p->conjugated
               ? RC_WHY_OPERATION
               : why;
}

typedef struct dense {
    int64_t rows;
    int64_t cols;
    int64_t ld;
    const void *data;
    int row_major;
    cudaDataType type;
} dense_t;

/* A dense operand of a type and the shape that the product needs.
 * \param[in]     want  either of two types
 * \param[in,out] out   in: its rows and columns; 0: any */
static rc_why_t read_dense(
    const rc_real_t *real, cusparseConstDnMatDescr_t m, const cudaDataType want[2], dense_t *out)
{
    dense_t d = {0};
    int64_t stride = 0;
    int batch = 0;
    cusparseOrder_t order;
    if (real->ConstDnMatGet(m, &d.rows, &d.cols, &d.ld, &d.data, &d.type, &order) !=
            CUSPARSE_STATUS_SUCCESS ||
        real->DnMatGetStridedBatch(m, &batch, &stride) != CUSPARSE_STATUS_SUCCESS)
        return RC_WHY_UNREADABLE;
    if (batch > 1)
        return RC_WHY_BATCH;
    if (d.type != want[0] && d.type != want[1])
        return RC_WHY_MIXED;
    d.row_major = order == CUSPARSE_ORDER_ROW;
    if ((out->rows != 0 && out->rows != d.rows) || (out->cols != 0 && out->cols != d.cols) ||
        !d.data || d.ld < (d.row_major ? d.cols : d.rows) ||
        (!d.row_major && order != CUSPARSE_ORDER_COL))
        return RC_WHY_SHAPE;
    *out = d;
    return fits(d.rows) && fits(d.cols) ? RC_WHY_PLAN : RC_WHY_SIZE;
}

/* op(M) of rows x cols; 0 rows or columns: any. */
typedef struct operand {
    int64_t rows;
    int64_t cols;
    const void *data;
    int64_t ld;
    rc_strides_t by;
    int by_rows; /* 1: values of a row are next to each other */
} operand_t;

/* Plans and kernels multiply by values of A that are conjugated, not by others.  What cuSPARSE
 * makes of the adjoint of real numbers is its own.
 * \param[in,out] out  in: its rows and columns */
static rc_why_t read_operand(const rc_real_t *real, cusparseConstDnMatDescr_t m,
    cusparseOperation_t op, rc_precision_t precision, operand_t *out)
{
    const cudaDataType type = rc_cuda_data_type(precision);
    const cudaDataType want[] = {type, type};
    int turned = 0;
    rc_why_t why = op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? RC_WHY_CONJUGATED
                                                                : read_operation(op, &turned);
    dense_t d = {.rows = turned ? out->cols : out->rows, .cols = turned ? out->rows : out->cols};
    if (why == RC_WHY_PLAN)
        why = read_dense(real, m, want, &d);
    if (why != RC_WHY_PLAN)
        return why;
    *out = (operand_t){.rows = turned ? d.cols : d.rows,
        .cols = turned ? d.rows : d.cols,
        .data = d.data,
        .ld = d.ld,
        .by_rows = d.row_major != turned};
    out->by = out->by_rows ? (rc_strides_t){d.ld, 1} : (rc_strides_t){1, d.ld};
    return RC_WHY_PLAN;
}

static rc_layout_t layout_of(int b_rows, int c_rows)
{
    if (b_rows)
        return c_rows ? RC_ROW_MAJOR : RC_ROW_COL;
    return c_rows ? RC_COL_ROW : RC_COL_MAJOR;
}

static double load_fp32(const void *p)
{
    float value;
    memcpy(&value, p, sizeof value);
    return (double)value;
}

static double load_fp64(const void *p)
{
    double value;
    memcpy(&value, p, sizeof value);
    return value;
}

/* A scalar of a product: of the type of its sums.
 * \param[out] out  [2] real and imaginary part */
static void read_scalar(const void *p, rc_precision_t precision, double *out)
{
    static double (*const load[])(const void *) = {[RC_FP32] = load_fp32, [RC_FP64] = load_fp64};
    const rc_dropin_type_t *type = rc_dropin_type(rc_dropin_type(precision)->sum);
    for (int i = 0; i < type->parts; i++)
        out[i] = load[type->part]((const char *)p + i * rc_dropin_type(type->part)->bytes);
}

/* Scalars, which are of the type of sums, wherever they are.
 * \param[in]  alpha, beta  of the program
 * \param[out] p            its scalars, with p->a.precision set */
static rc_why_t read_scalars(const rc_real_t *real, cusparseHandle_t handle, const void *alpha,
    const void *beta, rc_asked_t *p)
{
    cusparsePointerMode_t mode;
    if (real->GetPointerMode(handle, &mode) != CUSPARSE_STATUS_SUCCESS)
        return RC_WHY_UNREADABLE;
    if (!alpha || !beta)
        return RC_WHY_SCALARS;
    if (mode == CUSPARSE_POINTER_MODE_DEVICE) {
        p->alpha_at = alpha;
        p->beta_at = beta;
        return RC_WHY_PLAN;
    }
    read_scalar(alpha, p->a.precision, p->alpha);
    read_scalar(beta, p->a.precision, p->beta);
    return isfinite(p->alpha[0]) && isfinite(p->alpha[1]) ? RC_WHY_PLAN : RC_WHY_ALPHA;
}

/* What a plan cannot do beside what is read: then p->direct is set, and a kernel on the program's
 * arrays may do it. */
static rc_why_t plan_takes(rc_asked_t *p)
{
    rc_why_t why = p->base == 0 ? RC_WHY_PLAN : RC_WHY_BASE;
    if (p->alpha_at)
        why = RC_WHY_SCALARS;
    /* the plan stores C before the pattern is known to be the same, so an old C would be lost */
    else if (p->beta[0] != 0 || p->beta[1] != 0)
        why = RC_WHY_BETA;
    p->direct = why != RC_WHY_PLAN;
    return why;
}

/* Arrays of complex numbers may begin at a multiple of a part, which kernels cannot load. */
static rc_why_t read_places(const rc_asked_t *p)
{
    const rc_dropin_type_t *type = rc_dropin_type(p->a.precision);
    const int of_c = p->c_sums ? rc_dropin_type(type->sum)->bytes : type->bytes;
    const uintptr_t read = (uintptr_t)p->a.val | (uintptr_t)p->left | (uintptr_t)p->b;
    return read % (uintptr_t)type->bytes == 0 && (uintptr_t)p->c % (uintptr_t)of_c == 0
               ? RC_WHY_PLAN
               : RC_WHY_ALIGNED;
}

/* Scalars and stream, which the handle tells of. */
static rc_why_t read_handle(const rc_real_t *real, cusparseHandle_t handle, const void *alpha,
    const void *beta, rc_asked_t *p)
{
    cudaStream_t stream = NULL;
    rc_why_t why = read_scalars(real, handle, alpha, beta, p);
    if (why == RC_WHY_PLAN && real->GetStream(handle, &stream) != CUSPARSE_STATUS_SUCCESS)
        why = RC_WHY_UNREADABLE;
    p->stream = stream;
    return why;
}

/* B and C = op(A) B, where the type of A's values is known. */
static rc_why_t read_both(
    const rc_real_t *real, const rc_spmm_call_t *call, cudaDataType type, rc_asked_t *p)
{
    /* C may have the type of sums, which read_type has seen */
    const cudaDataType of_c[] = {type, call->type};
    operand_t b = {.rows = p->a.cols};
    rc_why_t why = read_operand(real, call->b, call->op_b, p->a.precision, &b);
    dense_t c = {.rows = p->a.rows, .cols = b.cols};
    if (why == RC_WHY_PLAN)
        why = read_dense(real, call->c, of_c, &c);
    if (why != RC_WHY_PLAN)
        return why;
    p->k = b.cols;
    p->b = b.data;
    p->ldb = b.ld;
    memcpy(&p->c, &c.data, sizeof p->c);
    p->ldc = c.ld;
    p->c_sums = c.type != type;
    p->layout = layout_of(b.by_rows, c.row_major);
    return read_places(p);
}

rc_why_t rc_product_read(
    const rc_real_t *real, const rc_spmm_call_t *call, int bits, rc_asked_t *out)
{
    const factor_t f = {call->a, call->op_a, call->type, bits};
    rc_asked_t p = {.op = RC_OP_SPMM, .algorithm = (int)call->alg};
    cudaDataType type;
    if (!call->handle || !call->a || !call->b || !call->c)
        return RC_WHY_UNREADABLE;
    rc_why_t why = read_factor(real, &f, &p, &type);
    if (why == RC_WHY_PLAN)
        why = read_both(real, call, type, &p);
    if (why == RC_WHY_PLAN)
        why = read_handle(real, call->handle, call->alpha, call->beta, &p);
    if (why != RC_WHY_PLAN)
        return why;
    why = plan_takes(&p);
    if (p.direct && (p.layout != RC_ROW_MAJOR || p.a.form != RC_PLAN_CSR))
        return why; /* kernels are for rows */
    *out = p;
    return RC_WHY_PLAN;
}

/* A vector of a length and either of two types. */
static rc_why_t read_vector(const rc_real_t *real, cusparseConstDnVecDescr_t v,
    const cudaDataType want[2], int64_t length, const void **data, cudaDataType *type)
{
    int64_t size = 0;
    if (real->ConstDnVecGet(v, &size, data, type) != CUSPARSE_STATUS_SUCCESS)
        return RC_WHY_UNREADABLE;
    if (*type != want[0] && *type != want[1])
        return RC_WHY_MIXED;
    return size == length && *data ? RC_WHY_PLAN : RC_WHY_SHAPE;
}

rc_why_t rc_product_read_spmv(
    const rc_real_t *real, const rc_spmv_call_t *call, int bits, rc_asked_t *out)
{
    rc_asked_t p = {.op = RC_OP_SPMV,
        .algorithm = (int)call->alg,
        .k = 1,
        .ldb = 1,
        .ldc = 1,
        .layout = RC_ROW_MAJOR};
    const factor_t f = {call->a, call->op_a, call->type, bits};
    cudaDataType type;
    cudaDataType x_type;
    cudaDataType y_type;
    const void *y = NULL;
    if (!call->handle || !call->a || !call->x || !call->y)
        return RC_WHY_UNREADABLE;
    rc_why_t why = read_factor(real, &f, &p, &type);
    if (why != RC_WHY_PLAN)
        return why;
    /* y may have the type of sums, which read_type has seen */
    const cudaDataType of_x[] = {type, type};
    const cudaDataType of_y[] = {type, call->type};
    why = read_vector(real, call->x, of_x, p.a.cols, &p.b, &x_type);
    if (why == RC_WHY_PLAN)
        why = read_vector(real, call->y, of_y, p.a.rows, &y, &y_type);
    if (why == RC_WHY_PLAN)
        why = read_handle(real, call->handle, call->alpha, call->beta, &p);
    p.direct = p.a.form == RC_PLAN_CSR;
    if (why == RC_WHY_PLAN && !p.direct) /* kernels are for rows */
        why = plan_takes(&p);
    if (why != RC_WHY_PLAN)
        return why;
    memcpy(&p.c, &y, sizeof p.c);
    p.c_sums = y_type != type;
    *out = p;
    return read_places(out);
}

/* The values of C, whose pattern is that of p->a, are of type or of sums. */
static void take_values(rc_asked_t *p, int sums)
{
    memcpy(&p->c, &p->a.val, sizeof p->c);
    p->a.val = NULL;
    p->c_sums = sums;
}

rc_why_t rc_product_read_sddmm(
    const rc_real_t *real, const rc_sddmm_call_t *call, int bits, rc_asked_t *out)
{
    rc_asked_t p = {.op = RC_OP_SDDMM, .direct = 1, .algorithm = (int)call->alg, .promises = 1};
    cudaDataType c_type;
    const format_t *format = NULL;
    cusparseOrder_t order;
    dense_t any = {0};
    if (!call->handle || !call->a || !call->b || !call->c)
        return RC_WHY_UNREADABLE;
    if (call->alg != CUSPARSE_SDDMM_ALG_DEFAULT)
        return RC_WHY_ALGORITHM;
    if (!bits) /* its only algorithm gives the same in each run */
        return RC_WHY_BITS;
    rc_why_t why = read_stored(real, call->c, &p, &c_type, &format);
    if (why == RC_WHY_PLAN && p.a.form != RC_PLAN_CSR)
        why = RC_WHY_ROWS;
    if (why != RC_WHY_PLAN)
        return why;
    if (real->ConstDnMatGet(call->a, &any.rows, &any.cols, &any.ld, &any.data, &any.type, &order) !=
        CUSPARSE_STATUS_SUCCESS)
        return RC_WHY_UNREADABLE;
    why = read_type(any.type, call->type, &p.a.precision);
    if (why == RC_WHY_PLAN && c_type != any.type && c_type != call->type)
        why = RC_WHY_MIXED;
    operand_t left = {.rows = p.a.rows};
    if (why == RC_WHY_PLAN)
        why = read_operand(real, call->a, call->op_a, p.a.precision, &left);
    operand_t b = {.rows = left.cols, .cols = p.a.cols};
    if (why == RC_WHY_PLAN)
        why = read_operand(real, call->b, call->op_b, p.a.precision, &b);
    if (why == RC_WHY_PLAN)
        why = read_handle(real, call->handle, call->alpha, call->beta, &p);
    if (why != RC_WHY_PLAN)
        return why;
    p.k = left.cols;
    p.left = left.data;
    p.left_by = left.by;
    p.b = b.data;
    p.b_by = b.by;
    p.layout = layout_of(left.by_rows, b.by_rows);
    take_values(&p, c_type != any.type);
    *out = p;
    return read_places(out);
}
