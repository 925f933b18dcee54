#include "config.h"
#include "kernels/items.h"
#include "base/alloc.h"

#include <stdlib.h>

rc_status_t rc_items_new(const rc_problem_t *p, rc_items_t *out, rc_err_t *err)
{
    const rc_schedule_t *s = p->schedule;
    *out = (rc_items_t){.p = p, .count = s->slots};
    if (p->identity || p->c_order != RC_C_ORIGINAL || p->a->rows == 0)
        return RC_OK;
    unsigned char *held = rc_alloc0((size_t)p->a->rows, 1, "the rows of the schedule", err);
    if (!held)
        return RC_ENOMEM;
    int64_t absents = p->a->rows;
    for (int64_t i = 0; i < s->slots; i++)
        if (s->row[i] >= 0) {
            held[s->row[i]] = 1;
            absents--;
        }
    out->absent = rc_alloc((size_t)absents, sizeof *out->absent, "rows without a slot", err);
    for (int64_t r = 0; out->absent && r < p->a->rows; r++)
        if (!held[r])
            out->absent[out->absents++] = (int32_t)r;
    out->count += out->absents;
    free(held);
    return out->absent ? RC_OK : RC_ENOMEM;
}

void rc_items_free(rc_items_t *items)
{
    free(items->absent);
    *items = (rc_items_t){0};
}

rc_item_t rc_item_at(const rc_items_t *items, int64_t i)
{
    const rc_problem_t *p = items->p;
    if (i >= p->schedule->slots)
        return (rc_item_t){0, 0, items->absent[i - p->schedule->slots]};
    int64_t r = p->schedule->row[i];
    if (r < 0)
        return (rc_item_t){0, 0, -1};
    int64_t first = p->a->row_ptr[r];
    int64_t to = p->c_order == RC_C_ORIGINAL ? r : i;
    return (rc_item_t){first, p->a->row_ptr[r + 1] - first, to};
}

void rc_item_copy(const rc_problem_t *p, const rc_item_t *it, int64_t col_bytes, int64_t step,
    void *col, void *val)
{
    const int32_t *from = p->a->col_idx + it->first;
    const double *value = p->a->val + it->first;
    for (int64_t e = 0; e < it->length; e++) {
        if (col_bytes == 2)
            ((uint16_t *)col)[e * step] = (uint16_t)from[e];
        else
            ((int32_t *)col)[e * step] = from[e];
        if (p->precision == RC_FP32)
            ((float *)val)[e * step] = (float)value[e];
        else
            ((double *)val)[e * step] = value[e];
    }
}
