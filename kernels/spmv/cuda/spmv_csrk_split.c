/* y = A x of CSR-k on a GPU for rows of all lengths.  Super-rows are those of the order or of a
 * size; super-super-rows are cut here, as many super-rows as fill the shared memory of a CTA,
 * because a size that does not fit it costs more than any formula of the mean row gains.  Rows
 * above a bound are apart: CTAs of their own take pieces of them, in the same launch, which is
 * that of csr.  Where many CTAs would wait for the longest of their rows all the same, or much
 * of the work is in rows that are apart, the matrix is taken in the equal shares of merge
 * (kernels/spmv/cuda/csrk_split.h). */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/super_rows.h"
#include "format/vector/merge.h"
#include "kernels/spmv/cuda/csrk_split.h"
#include "kernels/spmv/cuda/spmv.h"
#include "kernels/tuning/csrk.h"

#include <stdlib.h>

enum { PARAM_SRS, PARAM_BOUND };

enum {
    AUTO = -1,
    PARTS = 16 /* super-rows of a CTA where their size is ours */
};

/* What an analysis chose. */
typedef struct chosen {
    int64_t bound;
    int64_t shares;
    int64_t lates;   /* pieces of rows that are apart */
    int64_t several; /* rows of several pieces */
    int64_t merges;  /* 1: the shares of merge, by these counts */
    rc_spmv_counts_t of;
} chosen_t;

static int64_t bound_of(const rc_problem_t *p)
{
    return p->param[PARAM_BOUND] != AUTO ? p->param[PARAM_BOUND]
                                         : rc_csrk_split_bound(p->a->rows, p->a->nnz);
}

static int64_t items_of(const rc_problem_t *p)
{
    return rc_csrk_split_items(p->schedule->slots, p->a->nnz);
}

static rc_status_t super_rows_of(const rc_problem_t *p, rc_super_rows_t *out, rc_err_t *err)
{
    double each = (double)items_of(p) / PARTS / (1 + rc_csrk_rdensity(p->a->rows, p->a->nnz));
    const int64_t tuned = each >= 1 ? (int64_t)each : 1;
    return rc_super_rows_build(p, 1, &p->param[PARAM_SRS], &tuned, out, err);
}

/* Pointers of the slots, of the lengths of rows alone; free. */
static int64_t *slot_pointers(const rc_problem_t *p, rc_err_t *err)
{
    const int32_t *row = p->schedule->row;
    int64_t slots = p->schedule->slots;
    int64_t *ptr = rc_alloc((size_t)slots + 1, sizeof *ptr, "slot pointers", err);
    if (!ptr)
        return NULL;
    ptr[0] = 0;
    for (int64_t i = 0; i < slots; i++)
        ptr[i + 1] = ptr[i] + (row[i] < 0 ? 0 : p->a->row_ptr[row[i] + 1] - p->a->row_ptr[row[i]]);
    return ptr;
}

/* What rows and pieces take. */
static rc_status_t analyse_rows(
    const rc_problem_t *p, const rc_csrk_cut_t *cut, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_spmv_limits(p, rc_sat_add(cut->shares, cut->pieces), err);
    int64_t points = rc_spmv_shares_bytes(cut->shares) + rc_spmv_late_bytes(cut->pieces);
    out->traffic = rc_sat_add(out->traffic, points);
    out->bytes = rc_sat_add(out->bytes, points);
    out->pointers = points;
    out->bytes =
        rc_sat_add(out->bytes, rc_spmv_spans_bytes(cut->pieces,
                                   rc_spmv_most_spans(cut->pieces, cut->several), p->precision));
    return st;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_super_rows_t super = {0};
    chosen_t n = {.bound = bound_of(p)};
    int64_t *ptr = NULL;
    rc_status_t st;
    RC_TRY(rc_cuda_slots_analyse(p, out, err));
    RC_TRY(rc_spmv_limits(p, 0, err));
    RC_TRY(super_rows_of(p, &super, err));
    ptr = slot_pointers(p, err);
    RC_TRY(ptr ? RC_OK : RC_ENOMEM);
    const rc_csrk_cut_t cut =
        rc_csrk_split_cut(ptr, p->schedule->slots, n.bound, items_of(p), &super, NULL);
    n.shares = cut.shares;
    n.lates = cut.pieces;
    n.several = cut.several;
    n.merges = p->param[PARAM_BOUND] == AUTO && rc_csrk_split_merges(&cut, p->a->nnz);
    st = n.merges ? rc_spmv_merge_analyse(p, RC_MERGE_ITEMS, out, &n.of, err)
                  : analyse_rows(p, &cut, out, err);
    RC_CHOSE(out, n);
done:
    free(ptr);
    rc_super_rows_free(&super);
    return st;
}

static void keep_shares(rc_spmv_form_t *f, int64_t bound, int64_t count, rc_spmv_shares_t *shares)
{
    const rc_problem_t *p = f->k.p;
    const rc_spmv_lanes_t rule = {.longest = bound};
    rc_super_rows_t super = {0};
    rc_spmv_share_t *share =
        rc_keep_host(&f->k, (size_t)count + 1, sizeof *share, "super-super-rows");
    if (share)
        f->k.st = super_rows_of(p, &super, f->k.err);
    if (f->k.st == RC_OK)
        (void)rc_csrk_split_cut(f->here.ptr, p->schedule->slots, bound, items_of(p), &super, share);
    rc_spmv_keep_cut(f, share, count, &rule, shares);
    rc_super_rows_free(&super);
    free(share);
}

static void build(rc_spmv_t *s, rc_spmv_form_t *f, const rc_analysis_t *analysis)
{
    static const char what[] = "launch of csrk-split";
    chosen_t n;
    RC_CHOSEN(analysis, n);
    if (n.merges) {
        rc_spmv_take_merge(f, RC_MERGE_ITEMS, &n.of, s->launch, what);
        return;
    }
    rc_spmv_rows_t rows = {
        .longest = n.bound, .lates = n.lates, .most = rc_spmv_most_spans(n.lates, n.several)};
    rc_spmv_keep_rows(f);
    keep_shares(f, n.bound, n.shares, &rows.shares);
    rc_spmv_take_rows(f, &rows, s->launch, what);
}

static const rc_spmv_kind_t kind = {build};

const rc_kernel_t rc_kernel_cuda_csrk_split = {
    .name = "csrk-split",
    .summary =
        "y = A x on a GPU: a CTA takes super-rows that fill its shared memory, others rows above "
        "a bound, in one launch",
    .source = "ours, beyond Lane and Booth 2022",
    /* 1: groups as csr35, a thread or lanes a row; rows apart as coordinates. 2: no merge; csr as
     * it was before its version 5. 3: many rows apart in one share; merge by waiting CTAs alone */
    .version = 4,
    .format = "super_rows",
    .param = {{.name = "srs",
                  .help =
                      "slots of a super-row; auto: the groups of the order, else a sixteenth of a "
                      "CTA's entries",
                  .value = RC_SUPER_ROWS_AUTO,
                  .min = 1,
                  .max = INT32_MAX,
                  .choices = rc_super_rows_choices},
        {.name = "bound",
            .help = "entries of the longest row that is not apart; auto: 256, at least twice the "
                    "mean, at most 1,023, or "
                    "the shares of merge where many CTAs would wait for a long row",
            .value = AUTO,
            .min = 0,
            .max = RC_SPMV_TILE - 1,
            .choices = rc_super_rows_choices}},
    .kind = &kind,
    .types = RC_TYPES_REAL,
    .out_sums = 1,
    RC_SPMV_MEMBERS,
};
