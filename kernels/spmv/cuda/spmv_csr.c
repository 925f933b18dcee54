/* y = A x row by row on a GPU: a few lanes take a row. */
#include "config.h"
#include "kernels/spmv/cuda/spmv.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/ranges.h"
#include "format/vector/csr.h"
#include "format/vector/merge.h"

enum { PARAM_LANES };

enum { WARP = 32 }; /* threads */

enum {
    FEWEST = 128, /* row ends and entries of a share */
    ENOUGH = 256, /* shares that keep a GPU busy */
    SHORT = 64,   /* entries of the longest row where shares may fill their tile */
    LONGEST = 256 /* of one that lanes take, else */
};

/* How a matrix is shared out. */
typedef struct cuts {
    int64_t longest; /* entries of a row that lanes take */
    /* row ends and entries of a share: as many as leave room in a tile for the rest of a row */
    int64_t items;
    int64_t shares;
    int64_t lates; /* room for pieces of long rows */
    int64_t most;  /* rows of several pieces */
} cuts_t;

static cuts_t cuts_of(const rc_problem_t *p, const rc_spmv_counts_t *n)
{
    const rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    int64_t all = rc_sat_add(e.rows, e.nnz);
    cuts_t c = {.longest = n->longest > SHORT ? LONGEST : SHORT};
    c.items = RC_SPMV_TILE - c.longest;
    if (c.items > all / ENOUGH)
        c.items = all / ENOUGH;
    if (c.items < FEWEST)
        c.items = FEWEST;
    c.shares = rc_merge_parts(&e, c.items);
    c.lates = n->beyond;
    if (n->longest >= LONGEST + RC_SPMV_PIECE) {
        c.lates += n->over / RC_SPMV_PIECE;
        c.most = rc_spmv_most_spans(c.lates, n->beyond);
    }
    return c;
}

void rc_spmv_take_rows(
    rc_spmv_form_t *f, const rc_spmv_rows_t *rows, rc_spmv_launch_t *l, const char *what)
{
    rc_spmv_csr_args_t *a = &l->args.csr;
    a->late = rc_spmv_keep_late(f, rows->longest, rows->lates, rows->most);
    rc_spmv_keep_csr(f);
    a->ptr = f->slots.ptr;
    a->col = f->slots.col;
    a->val = f->slots.val;
    a->lates = (int32_t)rows->lates;
    a->late_ctas = (int32_t)(rows->lates < RC_SPMV_CSR_MANY
                                 ? rows->lates
                                 : rc_ceil_div(rows->lates, RC_SPMV_THREADS / WARP));
    a->longest = (int32_t)rows->longest;
    a->share = rows->shares.share;
    a->lanes = rows->shares.lanes;
    a->every = rows->every;
    rc_spmv_set(l, rc_spmv_csr_entry(f->k.p->precision, f->slots.wide),
        a->late_ctas + rows->shares.count, what);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_spmv_counts_t n;
    RC_PASS(rc_cuda_slots_analyse(p, out, err));
    RC_PASS(rc_spmv_count(p, LONGEST, LONGEST, &n, err));
    const cuts_t c = cuts_of(p, &n);
    RC_PASS(rc_spmv_limits(p, rc_sat_add(c.shares, c.lates), err));
    int64_t points = rc_spmv_shares_bytes(c.shares) + rc_spmv_late_bytes(c.lates);
    out->traffic = rc_sat_add(out->traffic, points);
    out->bytes = rc_sat_add(out->bytes, points);
    out->bytes = rc_sat_add(out->bytes, rc_spmv_spans_bytes(c.lates, c.most, p->precision));
    RC_CHOSE(out, n);
    return RC_OK;
}

static void build(rc_spmv_t *s, rc_spmv_form_t *f, const rc_analysis_t *analysis)
{
    const int64_t lanes = f->k.p->param[PARAM_LANES];
    rc_spmv_counts_t n;
    RC_CHOSEN(analysis, n);
    const cuts_t cuts = cuts_of(f->k.p, &n);
    rc_spmv_rows_t rows = {.longest = cuts.longest,
        .lates = cuts.lates,
        .most = cuts.most,
        .every = lanes == RC_CSR_LANES_AUTO ? 0 : (int)lanes};
    const rc_spmv_cut_t cut = {.items = cuts.items,
        .look = INT64_MAX,
        .rule = {.longest = rows.longest, .every = rows.every}};
    rc_spmv_keep_rows(f);
    rc_spmv_keep_merge(f, &cut, 0, &rows.shares);
    rc_spmv_take_rows(f, &rows, s->launch, "launch of csr");
}

static const rc_spmv_kind_t kind = {build};

const rc_kernel_t rc_kernel_cuda_csr = {
    .name = "csr",
    .summary =
        "y = A x on a GPU, row by row: `lanes` lanes of a warp take a row, CTAs a very long one",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    /* 1: no products in shared memory; built on the host. 2: as many lanes everywhere, a CTA a long
     * row. 3: one row pointer under way at a time. 4: a CTA a row of 257 to 1,024 entries; a fence
     * in the last CTA of a row */
    .version = 5,
    .param = {{.name = "lanes",
        .help = "that take a row together; auto: of each CTA's rows, as many as add them up in the "
                "fewest steps",
        .value = RC_CSR_LANES_AUTO,
        .min = 1,
        .max = RC_CSR_LANES_MAX,
        .pow2 = 1,
        .choices = rc_csr_lanes_names}},
    .builds = RC_BUILDS_ALONE,
    .kind = &kind,
    .format = "csr",
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .rank = {{1, 3, 3}},
    RC_SPMV_MEMBERS,
};
