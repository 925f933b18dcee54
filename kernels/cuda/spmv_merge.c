/* y = A x on a GPU in equal shares of the merge of row ends and entries. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cuda/spmv_merge.h"
#include "kernels/format/merge.h"

#include <stdlib.h>

enum { PARAM_ITEMS };

typedef struct merge {
    rc_spmv_t s;
    const rc_spmv_share_t *share; /* [shares + 1] */
    int64_t shares;
} merge_t;

static void release(void *state)
{
    merge_t *m = state;
    if (!m)
        return;
    rc_spmv_free(&m->s);
    free(m);
}

static int64_t shares_of(const rc_problem_t *p)
{
    rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    return rc_merge_parts(&e, p->param[PARAM_ITEMS]);
}

/* Entries that a share looks back. */
static int64_t look_of(const rc_problem_t *p)
{
    int64_t quarter = p->param[PARAM_ITEMS] / 4;
    return quarter < RC_SPMV_LOOK ? quarter : RC_SPMV_LOOK;
}

/* Rows that several shares can hold. */
static int64_t most_spans(const rc_problem_t *p)
{
    int64_t shares = shares_of(p);
    int64_t rows = rc_spmv_rows_beyond(p->a, look_of(p));
    return shares <= 1 ? 0 : rows < shares - 1 ? rows : shares - 1;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t shares = shares_of(p);
    rc_status_t st;
    RC_TRY(rc_cuda_slots_analyse(p, out, err));
    RC_TRY(rc_spmv_limits(p, shares, err));
    int64_t points = (shares + 1) * (int64_t)sizeof(rc_spmv_share_t);
    out->traffic = rc_sat_add(out->traffic, points);
    out->bytes = rc_sat_add(out->bytes, points);
    out->bytes = rc_sat_add(out->bytes, rc_spmv_fix_bytes(shares, most_spans(p),
                                            (int64_t)rc_precision_bytes(p->precision)));
done:
    return st;
}

/* The points of the merge path, a little back where a row began. */
static void cut(const rc_csr_view_t *e, int64_t items, int64_t look, int64_t shares, int threads,
    rc_spmv_share_t *out)
{
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t k = 0; k <= shares; k++) {
        rc_merge_point_t at = rc_merge_point(e, items, k);
        if (at.row < e->rows && at.entry - e->ptr[at.row] <= look)
            at.entry = e->ptr[at.row];
        out[k] = (rc_spmv_share_t){.entry = at.entry,
            .row = (int32_t)at.row,
            .open = at.row < e->rows && at.entry > e->ptr[at.row]};
    }
}

static rc_status_t upload_shares(const rc_problem_t *p, merge_t *m, rc_err_t *err)
{
    rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    size_t points = (size_t)m->shares + 1;
    void *device = NULL;
    rc_status_t st = RC_ENOMEM;
    int64_t *ptr = rc_spmv_pointers(p, err);
    rc_spmv_share_t *share = rc_alloc(points, sizeof *share, "shares of a matrix", err);
    if (!ptr || !share)
        goto done;
    e.ptr = ptr;
    cut(&e, p->param[PARAM_ITEMS], look_of(p), m->shares, m->s.memory.x->threads, share);
    RC_TRY(rc_cuda_keep(&m->s.memory, share, points * sizeof *share, &device, err));
    m->share = device;
    st = rc_spmv_fix_build(p, share, m->shares, most_spans(p), &m->s, err);
done:
    free(ptr);
    free(share);
    return st;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    (void)analysis;
    rc_status_t st;
    merge_t *m = rc_alloc0(1, sizeof *m, "kernel state", err);
    if (!m)
        return RC_ENOMEM;
    m->shares = shares_of(p);
    RC_TRY(rc_spmv_init(x, p, &m->s, err));
    RC_TRY(rc_spmv_csr(p, &m->s, err));
    RC_TRY(upload_shares(p, m, err));
    *state = m;
done:
    if (st < 0)
        release(m);
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const merge_t *m = state;
    const rc_cuda_slots_t *a = &m->s.slots;
    rc_spmv_merge_args_t args = {.v = rc_spmv_vectors(&m->s, o, alpha, beta),
        .ptr = a->ptr,
        .col = a->col,
        .val = a->val,
        .share = m->share};
    rc_cuda_launch_t l = {.entry = rc_spmv_merge_entry(m->s.precision, a->wide),
        .ctas = (unsigned)m->shares,
        .rows = 1,
        .threads = RC_SPMV_THREADS};
    rc_status_t st = rc_spmv_run(&m->s, &l, &args, &args.v, "launch of merge", err);
    return st == RC_OK ? rc_spmv_rest(&m->s, &o->out, beta, err) : st;
}

static int64_t values(void *state, void **array)
{
    const merge_t *m = state;
    *array = m->s.slots.val;
    return m->s.slots.nnz;
}

const rc_kernel_t rc_kernel_cuda_merge = {
    .name = "merge",
    .summary = "y = A x on a GPU: equal shares of row ends and entries, a CTA each; a fix-up in their order",
    .source = "Merrill and Garland 2016, doi:10.1109/SC.2016.57, section III",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .param = {RC_MERGE_ITEMS_PARAM},
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .run = run,
    .release = release,
    .values = values,
};
