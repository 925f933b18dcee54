/* plain: rows by warp load L(R) = ceil(nnz_R / N_t) (Mehrabi et al. 2021, section III-A).
 * [chosen] Decreasing, because the text says that plain sort gives the largest load of each group
 * of N_w rows to the first warp.  Equal loads keep the original order; empty rows (L = 0) come
 * last.  Cost O(rows).
 *
 * flipped: as plain (decreasing warp load, ties by index), with every second group of N_w slots
 * reversed, so that the first warp does not get the largest row of every group (Mehrabi et al.
 * 2021, section III-A).  Groups 1, 3, 5, ... counted from 0 are reversed; a last group of fewer
 * than N_w rows is reversed within itself [chosen].  Cost O(rows).
 *
 * lpt: longest processing time first (Mehrabi et al. 2021, section III-A; Graham 1969).  Rows by
 * decreasing warp load, ties by index; each goes to the warp with the smallest accumulated load,
 * [chosen] ties by fewer rows, then by lower warp.  The k-th row of warp w sits in slot
 * k * N_w + w; warps with fewer rows than the longest one are padded at the end.
 *
 * Empty rows have load 0, so once a single warp has the smallest load it takes all of them: a
 * matrix with many empty rows gets many pads (the number of slots is N_w times the rows of the
 * longest warp).  Cost O(rows * log N_w + slots). */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/policy.h"
#include "sparse/ranked.h"
#include "order/rows.h"

#include <stdlib.h>

static rc_status_t build_plain(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    int32_t *load = NULL;
    rc_status_t st = rc_row_loads(a, in->geometry->nt, in->threads, &load, err);
    if (st == RC_OK)
        st = rc_schedule_alloc(a->rows, a->rows, out, err);
    if (st == RC_OK)
        st = rc_rows_by_load(load, 1, a->rows, out->row, err);
    free(load);
    return st;
}

const rc_policy_t rc_policy_plain = {
    .name = "plain",
    .summary = "rows by decreasing warp load",
    .source = "Mehrabi et al. 2021, section III-A",
    .version = 1,
    .needs_geometry = 1,
    .build = build_plain,
};

/* ----------------------------------------------------------------- flipped */

static rc_status_t build_flipped(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    RC_PASS(build_plain(in, out, err));
    int64_t nw = in->geometry->nw;
    for (int64_t first = nw; first < a->rows; first += 2 * nw) {
        int64_t last = first + nw < a->rows ? first + nw - 1 : a->rows - 1;
        for (int64_t i = first; i < last; i++, last--) {
            int32_t swap = out->row[i];
            out->row[i] = out->row[last];
            out->row[last] = swap;
        }
    }
    return RC_OK;
}

const rc_policy_t rc_policy_flipped = {
    .name = "flipped",
    .summary = "as plain, every second group of nw slots reversed",
    .source = "Mehrabi et al. 2021, section III-A",
    .version = 1,
    .needs_geometry = 1,
    .build = build_flipped,
};

/* --------------------------------------------------------------------- lpt */

/* A warp in the heap: key its load, tie its rows and its number. */
static rc_ranked_t warp_of(uint64_t load, int64_t rows, uint32_t id)
{
    return (rc_ranked_t){load, (uint64_t)rows << 32 | id};
}

/* Assign rows in the given order; slot[i] is where order[i] goes.  Returns the rows of the longest
 * warp. */
static int64_t assign(const int32_t *load, const int32_t *order, int64_t n, rc_ranked_t *heap,
    int64_t nw, int64_t *slot)
{
    int64_t longest = 0;
    /* all warps are equal but for their id, so ascending ids are a heap */
    for (int64_t w = 0; w < nw; w++)
        heap[w] = warp_of(0, 0, (uint32_t)w);
    for (int64_t i = 0; i < n; i++) {
        uint32_t id = (uint32_t)heap[0].tie;
        int64_t rows = (int64_t)(heap[0].tie >> 32);
        slot[i] = rows * nw + id;
        heap[0] = warp_of(heap[0].key + (uint64_t)load[order[i]], ++rows, id);
        longest = rows > longest ? rows : longest;
        rc_ranked_sift(heap, nw);
    }
    return longest;
}

static rc_status_t build_lpt(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    rc_status_t st;
    rc_pool_t pool = {0};
    int32_t *load = NULL;
    int64_t n = in->a->rows;
    int64_t nw = in->geometry->nw;
    int32_t *order = rc_pool_get(&pool, (size_t)n, sizeof *order);
    int64_t *slot = rc_pool_get(&pool, (size_t)n, sizeof *slot);
    rc_ranked_t *heap = rc_pool_get(&pool, (size_t)nw, sizeof *heap);
    RC_TRY(rc_pool_check(&pool, "lpt", err));
    RC_TRY(rc_row_loads(in->a, in->geometry->nt, in->threads, &load, err));
    RC_TRY(rc_rows_by_load(load, 1, n, order, err));
    int64_t longest = assign(load, order, n, heap, nw, slot);
    RC_TRY(rc_schedule_alloc(longest * nw, n, out, err));
    for (int64_t i = 0; i < n; i++)
        out->row[slot[i]] = order[i];
done:
    rc_pool_free(&pool);
    free(load);
    return st;
}

const rc_policy_t rc_policy_lpt = {
    .name = "lpt",
    .summary = "longest processing time first: each row to the least loaded warp",
    .source = "Mehrabi et al. 2021, section III-A",
    .version = 1,
    .needs_geometry = 1,
    .build = build_lpt,
};
