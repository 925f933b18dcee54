/* y = A x row by row on a GPU: a few lanes take a row. */
#include "config.h"
#include "kernels/spmv/cuda/spmv_csr.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/ranges.h"
#include "format/vector/csr.h"
#include "format/vector/merge.h"

enum { PARAM_LANES };

enum { WARP = 32 }; /* threads */

typedef struct csr {
    rc_spmv_t s;
    rc_spmv_csr_args_t args;
    const void *entry;
    int64_t ctas;
} csr_t;

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

int64_t rc_spmv_csr_late_ctas(int64_t lates)
{
    return lates < RC_SPMV_CSR_MANY ? lates : rc_ceil_div(lates, RC_SPMV_THREADS / WARP);
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
    out->bytes = rc_sat_add(out->bytes,
        rc_spmv_spans_bytes(c.lates, c.most, (int64_t)rc_precision_bytes(p->precision)));
    RC_CHOSE(out, n);
    return RC_OK;
}

static void build(rc_spmv_t *s, rc_spmv_form_t *f, const rc_analysis_t *analysis)
{
    csr_t *c = (csr_t *)s;
    const rc_problem_t *p = f->k.p;
    rc_spmv_counts_t n;
    rc_spmv_shares_t shares;
    RC_CHOSEN(analysis, n);
    const cuts_t cuts = cuts_of(p, &n);
    const int64_t lanes = p->param[PARAM_LANES];
    const rc_spmv_cut_t cut = {.items = cuts.items,
        .look = INT64_MAX,
        .rule = {.longest = cuts.longest, .every = lanes == RC_CSR_LANES_AUTO ? 0 : (int)lanes}};
    rc_spmv_keep_rows(f);
    rc_spmv_keep_merge(f, &cut, 0, &shares);
    c->args.late = rc_spmv_keep_late(f, cuts.longest, cuts.lates, cuts.most);
    rc_spmv_keep_csr(f);
    c->args.lates = (int32_t)cuts.lates;
    c->args.late_ctas = (int32_t)rc_spmv_csr_late_ctas(cuts.lates);
    c->args.ptr = f->slots.ptr;
    c->args.col = f->slots.col;
    c->args.val = f->slots.val;
    c->args.longest = (int32_t)cuts.longest;
    c->args.share = shares.share;
    c->args.lanes = shares.lanes;
    c->args.every = cut.rule.every;
    c->entry = rc_spmv_csr_entry(p->precision, f->slots.wide);
    c->ctas = c->args.late_ctas + cuts.shares;
}

static rc_status_t launch(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const csr_t *c = (const csr_t *)s;
    rc_spmv_csr_args_t args = c->args;
    args.v = rc_spmv_vectors(s, o, alpha, beta);
    return rc_spmv_launch(s, c->entry, c->ctas, &args, "launch of csr", err);
}

static const rc_spmv_kind_t kind = {build, launch};

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
    .analyse = analyse,
    .builds = 1,
    .kind = &kind,
    .layout = RC_COL_MAJOR,
    .format = "csr",
    RC_SPMV_MEMBERS(csr_t),
};
