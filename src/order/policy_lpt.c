/* lpt: longest processing time first (Mehrabi et al. 2021, section III-A; Graham 1969).  Rows by
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
#include "order/rows.h"

#include <stdlib.h>

typedef struct warp {
    int64_t load;
    int64_t rows;
    int32_t id;
} warp_t;

static int before(const warp_t *a, const warp_t *b)
{
    if (a->load != b->load)
        return a->load < b->load;
    if (a->rows != b->rows)
        return a->rows < b->rows;
    return a->id < b->id;
}

/* The root of the binary heap got larger: move it down. */
static void sift_down(warp_t *heap, int64_t n)
{
    int64_t at = 0;
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= n)
            return;
        if (child + 1 < n && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &heap[at]))
            return;
        warp_t swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

/* Assign rows in the given order; slot[i] is where order[i] goes.  Returns the rows of the longest
 * warp. */
static int64_t assign(
    const int32_t *load, const int32_t *order, int64_t n, warp_t *heap, int64_t nw, int64_t *slot)
{
    int64_t longest = 0;
    /* all warps are equal but for their id, so ascending ids are a heap */
    for (int64_t w = 0; w < nw; w++)
        heap[w] = (warp_t){.load = 0, .rows = 0, .id = (int32_t)w};
    for (int64_t i = 0; i < n; i++) {
        slot[i] = heap[0].rows * nw + heap[0].id;
        heap[0].rows++;
        heap[0].load += load[order[i]];
        if (heap[0].rows > longest)
            longest = heap[0].rows;
        sift_down(heap, nw);
    }
    return longest;
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    rc_status_t st;
    int32_t *load = NULL;
    int64_t n = in->a->rows;
    int64_t nw = in->geometry->nw;
    int32_t *order = rc_alloc((size_t)n, sizeof *order, "lpt", err);
    int64_t *slot = rc_alloc((size_t)n, sizeof *slot, "lpt", err);
    warp_t *heap = rc_alloc((size_t)nw, sizeof *heap, "lpt", err);
    if (!order || !slot || !heap) {
        st = RC_ENOMEM;
        goto done;
    }
    RC_TRY(rc_row_loads(in->a, in->geometry->nt, in->threads, &load, err));
    RC_TRY(rc_rows_by_load(load, 1, n, order, err));
    int64_t longest = assign(load, order, n, heap, nw, slot);
    RC_TRY(rc_schedule_alloc(longest * nw, n, out, err));
    for (int64_t i = 0; i < n; i++)
        out->row[slot[i]] = order[i];
done:
    free(heap);
    free(slot);
    free(order);
    free(load);
    return st;
}

const rc_policy_t rc_policy_lpt = {
    .name = "lpt",
    .summary = "longest processing time first: each row to the least loaded warp",
    .source = "Mehrabi et al. 2021, section III-A",
    .version = 1,
    .needs_geometry = 1,
    .build = build,
};
