/* cuSPARSE's SpMV with A in sliced ELLPACK: slices of `slice` consecutive slots, each as wide as its
 * longest row and stored column by column.  The order of the rows decides how much padding there is,
 * so this is where an order by length pays most.  The last slice is stored whole. */
#include "config.h"
#include "base/error.h"
#include "kernels/cuda/cusparse_common.h"
#include "kernels/sell.h"

#include <inttypes.h>
#include <string.h>

enum { PARAM_SLICE, PARAM_PRE, PARAM_INDEX, CHOSEN_STORED = 0 };

/* The first release of SpMV for SELL: CUDA 12.1 update 1. */
#if CUSPARSE_VERSION >= 12100
enum { HAVE_SELL = 1, SELL_ALG1 = CUSPARSE_SPMV_SELL_ALG1 };
#else
enum { HAVE_SELL = 0, SELL_ALG1 = CUSPARSE_SPMV_ALG_DEFAULT };
#endif

static const int algorithms[] = {SELL_ALG1};

/* The rows in order, those that the schedule leaves out not among them: they are copied from a
 * product in schedule order. */
static rc_items_t slots_of(const rc_problem_t *p)
{
    return (rc_items_t){.p = p, .count = p->schedule->slots};
}

static rc_sell_shape_t shape_of(const rc_problem_t *p)
{
    return (rc_sell_shape_t){.slice = p->param[PARAM_SLICE],
        .longest = INT64_MAX,
        .col_bytes = (int64_t)sizeof(int32_t),
        .pad = -1};
}

/* The pointers as 32-bit numbers, in the memory of the wide ones: each is read before its place is
 * overwritten. */
static const void *narrowed(rc_sell_t *s)
{
    unsigned char *to = (unsigned char *)s->ptr;
    for (int64_t i = 0; i <= s->size.slices; i++) {
        int32_t at = (int32_t)s->ptr[i];
        memcpy(to + (size_t)i * sizeof at, &at, sizeof at);
    }
    return to;
}

static rc_status_t describe(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_sell_t a = {0};
    rc_items_t items = slots_of(p);
    rc_sell_shape_t shape = shape_of(p);
    rc_sell_size_t size = rc_sell_measure(&items, &shape);
    int64_t stored = analysis->chosen[CHOSEN_STORED];
    rc_status_t st = RC_OK;
    int wide = rc_cusparse_wide(p, p->param[PARAM_INDEX]);
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    void *ptr = NULL;
    void *col = NULL;
    void *val = NULL;
    RC_TRY(rc_cusparse_rows(s, p, err));
    RC_TRY(rc_sell_build(&items, &shape, &size, s->x->threads, &a, err));
    RC_TRY(rc_cusparse_indices(s, narrowed(&a), size.slices + 1, wide, &ptr, err));
    RC_TRY(rc_cusparse_indices(s, a.col, stored, wide, &col, err));
    RC_TRY(rc_cusparse_upload(s, a.val, stored * value, &val, err));
#if CUSPARSE_VERSION >= 12100
    RC_TRY(rc_cusparse_check(cusparseCreateSlicedEll(&s->a, p->schedule->slots, p->a->cols,
                                 p->a->nnz, stored, shape.slice, ptr, col, val,
                                 rc_cusparse_index_type(wide), rc_cusparse_index_type(wide),
                                 CUSPARSE_INDEX_BASE_ZERO, s->type),
        "the descriptor of A in SELL", err));
#endif
done:
    rc_sell_free(&a);
    return st;
}

static const rc_cusparse_kind_t kind = {.op = RC_OP_SPMV,
    .call_name = "this SpMV",
    .call = rc_cusparse_spmv,
    .describe = describe,
    .alg_param = -1,
    .algorithm = algorithms,
    .pre_param = PARAM_PRE};

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_cusparse_spmv_supports(p->param[PARAM_PRE], err);
    rc_analysis_t csr = {0};
    if (st == RC_OK && !HAVE_SELL)
        st = rc_fail(err, RC_ENOTSUP, "cuSPARSE: SpMV of SELL needs CUDA 12.1.1 or newer");
    if (st == RC_OK)
        st = rc_cuda_slots_analyse(p, &csr, err);
    if (st == RC_OK)
        st = rc_cusparse_analyse(p, &kind, p->schedule->slots, out, err);
    if (st < 0)
        return st;
    rc_items_t items = slots_of(p);
    rc_sell_shape_t shape = shape_of(p);
    rc_sell_size_t size = rc_sell_measure(&items, &shape);
    int64_t stored = size.stored;
    if (stored > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "shape: slices of %" PRId64 " rows store %" PRId64
            " entries with their padding, at most "
            "%d are implemented",
            p->param[PARAM_SLICE], stored, INT32_MAX);
    int64_t product = out->bytes - csr.bytes; /* of C' */
    int64_t entry = (int64_t)(sizeof(int32_t) + rc_precision_bytes(p->precision));
    out->bytes = rc_sat_add(stored * entry, (size.slices + 1) * (int64_t)sizeof(int32_t));
    out->bytes = rc_sat_add(out->bytes,
        rc_cusparse_wide_bytes(rc_sat_add(stored, size.slices + 1), rc_cusparse_wide(p, p->param[PARAM_INDEX])));
    out->bytes = rc_sat_add(out->bytes, rc_cuda_rows_bytes(p) + product);
    if (p->a->nnz > 0)
        out->fill = (double)stored / (double)p->a->nnz;
    out->chosen[CHOSEN_STORED] = stored;
    return RC_OK;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return rc_cusparse_prepare(x, p, analysis, &kind, RC_COL_MAJOR, state, err);
}

extern const rc_kernel_t rc_kernel_cusparse_spmv_sell;

static rc_status_t identify(const rc_params_t *values, char *text, rc_err_t *err)
{
    return rc_params_text_older(rc_kernel_cusparse_spmv_sell.param, PARAM_INDEX, values, text, err);
}

const rc_kernel_t rc_kernel_cusparse_spmv_sell = {
    .name = "cusparse-spmv-sell",
    .summary = "cuSPARSE SpMV of A in sliced ELLPACK",
    .source = "NVIDIA cuSPARSE documentation, cusparseSpMV",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .param =
        {
            {"slice", "rows of a slice", 32, 2, 64, 1},
            {"pre", "1: cusparseSpMV_preprocess once before the first product (CUDA 12.4)",
                .max = 1},
            RC_CUSPARSE_INDEX_PARAM,
        },
    .identify = identify,
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .preprocess = rc_cusparse_preprocess,
    .run = rc_cusparse_run,
    .release = rc_cusparse_release,
};
