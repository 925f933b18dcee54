/* y = A x on a GPU in equal shares of the merge of row ends and entries. */
#include "config.h"
#include "kernels/spmv/cuda/spmv.h"
#include "base/error.h"
#include "format/vector/merge.h"

enum { PARAM_ITEMS };

static int64_t shares_of(const rc_problem_t *p, int64_t items)
{
    rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    return rc_merge_parts(&e, items);
}

/* Entries that a share looks back. */
static int64_t look_of(int64_t items)
{
    int64_t quarter = items / 4;
    return quarter < RC_SPMV_LOOK ? quarter : RC_SPMV_LOOK;
}

rc_status_t rc_spmv_merge_analyse(
    const rc_problem_t *p, int64_t items, rc_analysis_t *out, rc_spmv_counts_t *n, rc_err_t *err)
{
    int64_t shares = shares_of(p, items);
    RC_PASS(rc_spmv_limits(p, shares, err));
    RC_PASS(rc_spmv_count(p, look_of(items), 0, n, err));
    int64_t points = rc_spmv_shares_bytes(shares);
    int64_t most = rc_spmv_most_spans(shares, n->beyond);
    out->traffic = rc_sat_add(out->traffic, points);
    out->bytes = rc_sat_add(out->bytes, points);
    out->pointers = points;
    out->bytes = rc_sat_add(out->bytes, rc_spmv_spans_bytes(shares, most, p->precision));
    return RC_OK;
}

void rc_spmv_take_merge(rc_spmv_form_t *f, int64_t items, const rc_spmv_counts_t *n,
    rc_spmv_launch_t *l, const char *what)
{
    const rc_spmv_cut_t cut = {.items = items,
        .look = look_of(items),
        .rule = {.longest = RC_SPMV_TILE, .most = RC_SPMV_MERGE_MOST}};
    const int64_t count = shares_of(f->k.p, items);
    rc_spmv_shares_t shares;
    rc_spmv_keep_rows(f);
    rc_spmv_keep_merge(f, &cut, rc_spmv_most_spans(count, n->beyond), &shares);
    rc_spmv_keep_csr(f);
    l->args.merge.ptr = f->slots.ptr;
    l->args.merge.col = f->slots.col;
    l->args.merge.val = f->slots.val;
    l->args.merge.share = shares.share;
    l->args.merge.lanes = shares.lanes;
    rc_spmv_set(l, rc_spmv_merge_entry(f->k.p->precision, f->slots.wide), count, what);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_spmv_counts_t n;
    rc_status_t st = rc_cuda_slots_analyse(p, out, err);
    if (st == RC_OK)
        st = rc_spmv_merge_analyse(p, p->param[PARAM_ITEMS], out, &n, err);
    if (st == RC_OK)
        RC_CHOSE(out, n);
    return st;
}

static void build(rc_spmv_t *s, rc_spmv_form_t *f, const rc_analysis_t *analysis)
{
    rc_spmv_counts_t n;
    RC_CHOSEN(analysis, n);
    rc_spmv_take_merge(f, f->k.p->param[PARAM_ITEMS], &n, s->launch, "launch of merge");
}

static const rc_spmv_kind_t kind = {build};

const rc_kernel_t rc_kernel_cuda_merge = {
    .name = "merge",
    .summary =
        "y = A x on a GPU: equal shares of row ends and entries, a CTA each; the last CTA of a "
        "row adds it up",
    .source = "Merrill and Garland 2016, doi:10.1109/SC.2016.57, section III",
    /* 1: rows of several shares in a second launch; built on the host. 2: a thread a row or equal
     * parts. 3: one row end under way at a time. 4: a fence in the last CTA of a row; equal parts
     * in shares of rows that go on */
    .version = 5,
    .param = {RC_MERGE_ITEMS_PARAM},
    .builds = RC_BUILDS_ALONE,
    .kind = &kind,
    .format = "merge",
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .rank = {{1, 1, 1}},
    RC_SPMV_MEMBERS,
};
