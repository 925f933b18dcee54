/* The host side of a build. */
#include "config.h"
#include "format/cuda/build.h"
#include "base/error.h"
#include "format/items.h"

#include <string.h>

rc_status_t rc_build_begin(const rc_problem_t *p, rc_build_t *out, rc_err_t *err)
{
    const rc_resident_t *r = p->resident;
    rc_items_t items = {0};
    void *to;
    rc_status_t st;
    *out = (rc_build_t){.x = r->x, .memory = {.x = r->x}};
    RC_TRY(rc_items_new(p, &items, err));
    out->items = (rc_build_items_t){.row_ptr = r->row_ptr,
        .col_idx = r->col_idx,
        .row_ptr_bytes = r->row_ptr_bytes,
        .original = p->c_order == RC_C_ORIGINAL,
        .slots = p->schedule->slots,
        .count = items.count};
    if (!p->identity) {
        const rc_schedule_t *s = p->schedule;
        RC_TRY(rc_memory_keep(&out->memory, s->row, (size_t)s->slots * sizeof *s->row, &to, err));
        out->items.slot = to;
        RC_TRY(rc_memory_keep(
            &out->memory, items.absent, (size_t)items.absents * sizeof *items.absent, &to, err));
        out->items.absent = to;
    }
    out->nnz = p->a->nnz;
    out->segments = (items.count + RC_CHUNKS_SEGMENT - 1) / RC_CHUNKS_SEGMENT;
    RC_TRY(rc_memory_room(&out->memory,
        ((size_t)out->segments + 1) * RC_BUILD_TOTALS * sizeof *out->total, &to, err));
    out->total = to;
done:
    rc_items_free(&items);
    return st;
}

void rc_build_end(rc_build_t *b)
{
    rc_memory_free(&b->cuts.memory);
    rc_memory_free(&b->memory);
    *b = (rc_build_t){0};
}

rc_status_t rc_build_totals(
    rc_build_t *b, const int64_t *total, int64_t segments, int64_t *out, rc_err_t *err)
{
    const int64_t *last = total + segments * RC_BUILD_TOTALS;
    return b->x->download(b->x, out, last, RC_BUILD_TOTALS * sizeof *out, err);
}
