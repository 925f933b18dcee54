/* cuSPARSE's SpMV with A in sliced ELLPACK: slices of `slice` consecutive slots, each as wide as its
 * longest row and stored column by column.  The order of the rows decides how much padding there is,
 * so this is where an order by length pays most.  The last slice is stored whole. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cuda/cusparse_common.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PARAM_SLICE, PARAM_PRE, CHOSEN_STORED = 0 };

/* The first release of SpMV for SELL: CUDA 12.1 update 1. */
#if CUSPARSE_VERSION >= 12100
enum { HAVE_SELL = 1, SELL_ALG1 = CUSPARSE_SPMV_SELL_ALG1 };
#else
enum { HAVE_SELL = 0, SELL_ALG1 = CUSPARSE_SPMV_ALG_DEFAULT };
#endif

static const int algorithms[] = {SELL_ALG1};

/* A on the host. */
typedef struct sell {
    int64_t slice;
    int64_t slices;
    int64_t stored; /* entries with padding */
    int32_t *ptr;   /* [slices + 1] */
    int32_t *col;   /* [stored], -1: padding */
    void *val;      /* [stored] */
} sell_t;

static int64_t slices_of(const rc_problem_t *p)
{
    int64_t slice = p->param[PARAM_SLICE];
    return (p->schedule->slots + slice - 1) / slice;
}

/* Entries of the row in a slot; none beyond the last slot.
 * \param[out] first  number of the first one in A */
static int64_t row_of(const rc_problem_t *p, int64_t slot, int64_t *first)
{
    int64_t r = slot < p->schedule->slots ? p->schedule->row[slot] : -1;
    *first = r < 0 ? 0 : p->a->row_ptr[r];
    return r < 0 ? 0 : p->a->row_ptr[r + 1] - *first;
}

/* Entries of the longest row of a slice. */
static int64_t width_of(const rc_problem_t *p, int64_t i)
{
    int64_t slice = p->param[PARAM_SLICE];
    int64_t width = 0;
    int64_t first;
    for (int64_t slot = i * slice; slot < (i + 1) * slice; slot++) {
        int64_t length = row_of(p, slot, &first);
        width = length > width ? length : width;
    }
    return width;
}

static void fill_slice(const rc_problem_t *p, int64_t i, sell_t *s)
{
    int64_t width = (s->ptr[i + 1] - s->ptr[i]) / s->slice;
    for (int64_t k = 0; k < s->slice; k++) {
        int64_t first;
        int64_t length = row_of(p, i * s->slice + k, &first);
        for (int64_t e = 0; e < width; e++) {
            int64_t to = s->ptr[i] + e * s->slice + k;
            double v = e < length ? p->a->val[first + e] : 0;
            s->col[to] = e < length ? p->a->col_idx[first + e] : -1;
            if (p->precision == RC_FP64)
                ((double *)s->val)[to] = v;
            else
                ((float *)s->val)[to] = (float)v;
        }
    }
}

static void sell_free(sell_t *s)
{
    free(s->ptr);
    free(s->col);
    free(s->val);
}

/* \param[out] out  free with sell_free */
static rc_status_t sell_build(const rc_problem_t *p, int64_t stored, sell_t *out, rc_err_t *err)
{
    size_t n = (size_t)stored;
    sell_t s = {.slice = p->param[PARAM_SLICE], .slices = slices_of(p), .stored = stored};
    s.ptr = rc_alloc((size_t)s.slices + 1, sizeof *s.ptr, "slice pointers", err);
    s.col = rc_alloc(n, sizeof *s.col, "columns of slices", err);
    s.val = rc_alloc(n, rc_precision_bytes(p->precision), "values of slices", err);
    if (!s.ptr || !s.col || !s.val) {
        sell_free(&s);
        return RC_ENOMEM;
    }
    s.ptr[0] = 0;
    for (int64_t i = 0; i < s.slices; i++) {
        s.ptr[i + 1] = (int32_t)(s.ptr[i] + width_of(p, i) * s.slice);
        fill_slice(p, i, &s);
    }
    *out = s;
    return RC_OK;
}

static rc_status_t describe(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    sell_t a = {0};
    rc_status_t st = RC_OK;
    int64_t index = (int64_t)sizeof(int32_t);
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    void *ptr = NULL;
    void *col = NULL;
    void *val = NULL;
    RC_TRY(rc_cuda_slots_rows(s->x, p, &s->slots, err));
    RC_TRY(sell_build(p, analysis->chosen[CHOSEN_STORED], &a, err));
    RC_TRY(rc_cusparse_upload(s, a.ptr, (a.slices + 1) * index, &ptr, err));
    RC_TRY(rc_cusparse_upload(s, a.col, a.stored * index, &col, err));
    RC_TRY(rc_cusparse_upload(s, a.val, a.stored * value, &val, err));
#if CUSPARSE_VERSION >= 12100
    RC_TRY(rc_cusparse_check(cusparseCreateSlicedEll(&s->a, p->schedule->slots, p->a->cols,
                                 p->a->nnz, a.stored, a.slice, ptr, col, val, CUSPARSE_INDEX_32I,
                                 CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, s->type),
        "the descriptor of A in SELL", err));
#endif
done:
    sell_free(&a);
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
    int64_t stored = 0;
    if (st == RC_OK && !HAVE_SELL)
        st = rc_fail(err, RC_ENOTSUP, "cuSPARSE: SpMV of SELL needs CUDA 12.1.1 or newer");
    if (st == RC_OK)
        st = rc_cuda_slots_analyse(p, &csr, err);
    if (st == RC_OK)
        st = rc_cusparse_analyse(p, &kind, p->schedule->slots, out, err);
    if (st < 0)
        return st;
    for (int64_t i = 0; i < slices_of(p); i++)
        stored = rc_sat_add(stored, width_of(p, i) * p->param[PARAM_SLICE]);
    if (stored > INT32_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "shape: slices of %" PRId64 " rows store %" PRId64
            " entries with their padding, at most "
            "%d are implemented",
            p->param[PARAM_SLICE], stored, INT32_MAX);
    int64_t product = out->bytes - csr.bytes; /* of C' */
    int64_t entry = (int64_t)(sizeof(int32_t) + rc_precision_bytes(p->precision));
    out->bytes = rc_sat_add(stored * entry, (slices_of(p) + 1) * (int64_t)sizeof(int32_t));
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
    .param =
        {
            {"slice", "rows of a slice", 32, 2, 64, 1},
            {"pre", "1: cusparseSpMV_preprocess once before the first product (CUDA 12.4)",
                .max = 1},
        },
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .preprocess = rc_cusparse_preprocess,
    .run = rc_cusparse_run,
    .release = rc_cusparse_release,
};
