/* y = A x of CSR-k on a GPU for rows of all lengths.  Super-rows are those of the order or of a size; super-super-rows are
 * cut here, as many super-rows as fill the shared memory of a CTA, because a size that does not fit it costs more
 * than any formula of the mean row gains.  Rows above a bound are apart: CTAs of their own take pieces of them, in the same
 * launch, which is that of csr.  Where many CTAs would wait for the longest of their rows all the same, no bound helps:
 * such a matrix is taken in the equal shares of merge. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cuda/spmv_csr.h"
#include "kernels/cuda/spmv_lanes.h"
#include "kernels/cuda/spmv_merge.h"
#include "kernels/csrk.h"
#include "kernels/format/merge.h"
#include "kernels/super_rows.h"

#include <math.h>
#include <stdlib.h>

enum { PARAM_SRS, PARAM_BOUND };

enum {
    AUTO = -1,
    FEWEST = 128, /* row ends and entries of a CTA */
    ENOUGH = 256, /* CTAs that keep a GPU busy */
    LONGEST = 256, /* entries of a row that lanes take, or twice the mean row */
    PARTS = 16,    /* super-rows of a CTA where their size is ours */
    UNEVEN = 8     /* merge takes all where one CTA of so many or more would wait for a long row */
};

/* What the analysis leaves in `chosen`. */
enum {
    CHOSEN_BOUND,
    CHOSEN_SHARES,
    CHOSEN_LATES, /* pieces of rows that are apart */
    CHOSEN_SEVERAL, /* rows of several pieces */
    CHOSEN_MERGE    /* 1: the shares of merge, whose choices the others are then */
};

typedef struct split {
    rc_spmv_t s;
    rc_spmv_csr_args_t args;
    const void *entry;
    int64_t ctas;
    int merges; /* 1: `merge` takes all, and what is above is empty */
    rc_spmv_merge_t merge;
} split_t;

static int64_t bound_of(const rc_problem_t *p)
{
    int64_t twice = (int64_t)ceil(2 * rc_csrk_rdensity(p->a->rows, p->a->nnz));
    if (p->param[PARAM_BOUND] != AUTO)
        return p->param[PARAM_BOUND];
    return twice <= LONGEST ? LONGEST : twice < RC_SPMV_TILE ? twice : RC_SPMV_TILE - 1;
}

/* Row ends and entries of a CTA: its shared memory, or less where there would be few CTAs. */
static int64_t items_of(const rc_problem_t *p)
{
    int64_t all = rc_sat_add(p->schedule->slots, p->a->nnz) / ENOUGH;
    return all < FEWEST ? FEWEST : all < RC_SPMV_TILE ? all : RC_SPMV_TILE;
}

static rc_status_t super_rows_of(const rc_problem_t *p, rc_super_rows_t *out, rc_err_t *err)
{
    double each = (double)items_of(p) / PARTS / (1 + rc_csrk_rdensity(p->a->rows, p->a->nnz));
    const int64_t tuned = each >= 1 ? (int64_t)each : 1;
    return rc_super_rows_build(p, 1, &p->param[PARAM_SRS], &tuned, out, err);
}

/* Where CTAs begin: runs of whole super-rows that fit; of slots where the last super-row would leave an eighth of the
 * room empty.  ptr: [slots + 1].  out: [shares + 1], or NULL.  Returns how many there are. */
static int64_t cut(const rc_problem_t *p, const int64_t *ptr, int64_t bound, const rc_super_rows_t *super,
    rc_spmv_share_t *out)
{
    const int64_t items = items_of(p);
    const int64_t slots = p->schedule->slots;
    int64_t shares = 0;
    int64_t begin = 0;
    int64_t held = 0; /* row ends and entries from there on */
    int64_t end[2] = {0, 0}; /* the last end of a super-row that is near enough to a full CTA, and what was held there */
    for (int64_t i = 0, next = 0; i < slots; i++) {
        int64_t entries = ptr[i + 1] - ptr[i];
        int64_t cost = 1 + (entries > bound ? 0 : entries);
        if (next < super->count[0] && super->ptr[0][next] == i) {
            next++;
            if (8 * held >= 7 * items) {
                end[0] = i;
                end[1] = held;
            }
        }
        while (held + cost > items && i > begin) {
            int64_t to = end[0] > begin ? end[0] : i;
            held -= end[0] > begin ? end[1] : held;
            if (out)
                out[shares] = (rc_spmv_share_t){.entry = ptr[begin], .row = (int32_t)begin};
            shares++;
            begin = to;
        }
        held += cost;
    }
    if (out) {
        out[shares] = (rc_spmv_share_t){.entry = ptr[begin], .row = (int32_t)begin};
        out[shares + 1] = (rc_spmv_share_t){.entry = ptr[slots], .row = (int32_t)slots};
    }
    return shares + 1;
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

/* 1: many of the CTAs would wait for the longest of their rows.  \param[in] ptr  [slots + 1] */
static rc_status_t is_uneven(const rc_problem_t *p, const int64_t *ptr, int64_t bound,
    const rc_super_rows_t *super, int64_t shares, int *uneven, rc_err_t *err)
{
    const rc_spmv_lanes_t rule = {.longest = bound, .most = RC_SPMV_MERGE_MOST};
    const rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz, .ptr = ptr};
    rc_spmv_share_t *share = rc_alloc((size_t)shares + 1, sizeof *share, "super-super-rows", err);
    uint8_t *lanes = rc_alloc((size_t)shares, sizeof *lanes, "super-super-rows", err);
    rc_status_t st = share && lanes ? RC_OK : RC_ENOMEM;
    int64_t waiting = 0;
    if (st == RC_OK) {
        (void)cut(p, ptr, bound, super, share);
        rc_spmv_count_lanes(&e, share, shares, &rule, 1, lanes);
    }
    for (int64_t k = 0; st == RC_OK && k < shares; k++)
        waiting += lanes[k] == 0 && share[k + 1].row > share[k].row;
    *uneven = waiting * UNEVEN >= shares && waiting > 0;
    free(share);
    free(lanes);
    return st;
}

/* What rows and pieces take.  \param[in] ptr  [slots + 1] */
static rc_status_t analyse_rows(
    const rc_problem_t *p, const int64_t *ptr, int64_t bound, int64_t shares, rc_analysis_t *out, rc_err_t *err)
{
    int64_t lates = 0;
    int64_t several = 0;
    for (int64_t i = 0; i < p->schedule->slots; i++) {
        int64_t entries = ptr[i + 1] - ptr[i];
        int64_t n = entries > bound ? rc_spmv_pieces(entries, bound) : 0;
        lates += n;
        several += n > 1;
    }
    rc_status_t st = rc_spmv_limits(p, rc_sat_add(shares, lates), err);
    out->chosen[CHOSEN_BOUND] = bound;
    out->chosen[CHOSEN_SHARES] = shares;
    out->chosen[CHOSEN_LATES] = lates;
    out->chosen[CHOSEN_SEVERAL] = several;
    int64_t points = rc_spmv_shares_bytes(shares) + rc_spmv_csr_late_bytes(lates);
    out->traffic = rc_sat_add(out->traffic, points);
    out->bytes = rc_sat_add(out->bytes, points);
    out->pointers = points;
    out->bytes = rc_sat_add(out->bytes, rc_spmv_spans_bytes(lates, rc_spmv_most_spans(lates, several),
        (int64_t)rc_precision_bytes(p->precision)));
    return st;
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_super_rows_t super = {0};
    int64_t bound = bound_of(p);
    int64_t *ptr = NULL;
    int merges = 0;
    rc_status_t st;
    RC_TRY(rc_cuda_slots_analyse(p, out, err));
    RC_TRY(rc_spmv_limits(p, 0, err));
    RC_TRY(super_rows_of(p, &super, err));
    ptr = slot_pointers(p, err);
    RC_TRY(ptr ? RC_OK : RC_ENOMEM);
    int64_t shares = cut(p, ptr, bound, &super, NULL);
    if (p->param[PARAM_BOUND] == AUTO)
        RC_TRY(is_uneven(p, ptr, bound, &super, shares, &merges, err));
    st = merges ? rc_spmv_merge_analyse(p, RC_MERGE_ITEMS, out, err)
                : analyse_rows(p, ptr, bound, shares, out, err);
    out->chosen[CHOSEN_MERGE] = merges;
done:
    free(ptr);
    rc_super_rows_free(&super);
    return st;
}

static rc_status_t keep_shares(const rc_problem_t *p, const rc_csr_view_t *e, int64_t bound, int64_t shares,
    split_t *k, rc_err_t *err)
{
    const rc_spmv_lanes_t rule = {.longest = bound};
    rc_super_rows_t super = {0};
    rc_spmv_share_t *share = rc_alloc((size_t)shares + 1, sizeof *share, "super-super-rows", err);
    uint8_t *lanes = rc_alloc((size_t)shares, sizeof *lanes, "super-super-rows", err);
    void *device[2] = {NULL, NULL};
    rc_status_t st = share && lanes ? RC_OK : RC_ENOMEM;
    RC_TRY(st);
    RC_TRY(super_rows_of(p, &super, err));
    (void)cut(p, e->ptr, bound, &super, share);
    rc_spmv_count_lanes(e, share, shares, &rule, k->s.memory.x->threads, lanes);
    RC_TRY(rc_cuda_keep(&k->s.memory, share, ((size_t)shares + 1) * sizeof *share, &device[0], err));
    RC_TRY(rc_cuda_keep(&k->s.memory, lanes, (size_t)shares * sizeof *lanes, &device[1], err));
    k->args.share = device[0];
    k->args.lanes = device[1];
done:
    rc_super_rows_free(&super);
    free(share);
    free(lanes);
    return st;
}

static rc_status_t build(rc_spmv_t *s, const rc_problem_t *p, const rc_analysis_t *analysis,
    const rc_spmv_source_t *from, rc_err_t *err)
{
    split_t *k = (split_t *)s;
    const int64_t *chosen = analysis->chosen;
    rc_spmv_csr_t a;
    rc_status_t st;
    k->merges = (int)chosen[CHOSEN_MERGE];
    if (k->merges)
        return rc_spmv_merge_build(s, p, RC_MERGE_ITEMS, analysis, from, &k->merge, err);
    RC_TRY(rc_spmv_csr(p, from, s, &a, err));
    RC_TRY(keep_shares(p, &from->here, chosen[CHOSEN_BOUND], chosen[CHOSEN_SHARES], k, err));
    RC_TRY(rc_spmv_csr_late(p, from, chosen[CHOSEN_BOUND], chosen[CHOSEN_LATES],
        rc_spmv_most_spans(chosen[CHOSEN_LATES], chosen[CHOSEN_SEVERAL]), s, &k->args, err));
    k->args.ptr = a.ptr;
    k->args.col = a.col;
    k->args.val = a.val;
    k->args.longest = (int32_t)chosen[CHOSEN_BOUND];
    k->entry = rc_spmv_csr_entry(p->precision, a.wide);
    k->ctas = k->args.late_ctas + chosen[CHOSEN_SHARES];
done:
    return st;
}

static rc_status_t launch(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const split_t *k = (const split_t *)s;
    rc_spmv_csr_args_t args = k->args;
    if (k->merges)
        return rc_spmv_merge_launch(s, &k->merge, o, alpha, beta, "launch of csrk-split", err);
    args.v = rc_spmv_vectors(s, o, alpha, beta);
    return rc_spmv_launch(s, k->entry, k->ctas, &args, "launch of csrk-split", err);
}

static const rc_spmv_kind_t kind = {sizeof(split_t), build, launch};

static rc_status_t share(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void *of, void **state, rc_err_t *err)
{
    return rc_spmv_prepare(x, p, analysis, &kind, of, state, err);
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return share(x, p, analysis, NULL, state, err);
}

const rc_kernel_t rc_kernel_cuda_csrk_split = {
    .name = "csrk-split",
    .summary = "y = A x on a GPU: a CTA takes super-rows that fill its shared memory, others rows above a bound, in one launch",
    .source = "ours, beyond Lane and Booth 2022",
    .version = 3, /* 1: groups as csr35, a thread or lanes a row; rows apart as coordinates.  2: no merge; csr as it was
                      before its version 5 */
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .param = {{.name = "srs",
                  .help = "slots of a super-row; auto: the groups of the order, else a sixteenth of a CTA's entries",
                  .value = RC_SUPER_ROWS_AUTO,
                  .min = 1,
                  .max = INT32_MAX,
                  .choices = rc_super_rows_choices},
        {.name = "bound",
            .help = "entries of the longest row that is not apart; auto: 256, at least twice the mean, at most 1,023, or "
                    "the shares of merge where an eighth of the CTAs would wait for a long row",
            .value = AUTO,
            .min = 0,
            .max = RC_SPMV_TILE - 1,
            .choices = rc_super_rows_choices}},
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .share = share,
    .run = rc_spmv_run,
    .release = rc_spmv_release,
    .values = rc_spmv_values,
};
