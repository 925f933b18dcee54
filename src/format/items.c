#include "config.h"
#include "format/items.h"
#include "format/places.h"
#include "format/slots.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>

rc_status_t rc_items_new(const rc_problem_t *p, rc_items_t *out, rc_err_t *err)
{
    *out = (rc_items_t){.p = p, .count = p->schedule->slots};
    RC_PASS(rc_slots_list_absent(p, &out->absent, err));
    out->absents = rc_slots_absents(p);
    out->count += out->absents;
    return RC_OK;
}

void rc_items_free(rc_items_t *items)
{
    free(items->absent);
    free(items->order);
    *items = (rc_items_t){0};
}

rc_item_t rc_item_at(const rc_items_t *items, int64_t i)
{
    const rc_problem_t *p = items->p;
    i = items->order ? items->order[i] : i;
    if (i >= p->schedule->slots)
        return (rc_item_t){0, 0, items->absent[i - p->schedule->slots]};
    int64_t r = p->schedule->row[i];
    if (r < 0)
        return (rc_item_t){0, 0, -1};
    int64_t first = p->a->row_ptr[r];
    int64_t to = p->c_order == RC_C_ORIGINAL ? r : i;
    return (rc_item_t){first, p->a->row_ptr[r + 1] - first, to};
}

/* Consecutive items. */
typedef struct group {
    int64_t first;
    int64_t longest;
} group_t;

static int longest_first(const void *a, const void *b)
{
    const group_t *x = a;
    const group_t *y = b;
    if (x->longest != y->longest)
        return x->longest > y->longest ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static group_t group_of(const rc_items_t *items, int64_t first, int64_t size, int64_t longest)
{
    group_t g = {first, 0};
    for (int64_t i = first; i < first + size; i++) {
        int64_t length = rc_item_at(items, i).length;
        if (length <= longest && length > g.longest)
            g.longest = length;
    }
    return g;
}

rc_status_t rc_items_sort(
    rc_items_t *items, int64_t group, int64_t window, int64_t longest, rc_err_t *err)
{
    group_t *g = rc_alloc((size_t)(window / group), sizeof *g, "groups of rows", err);
    int64_t *order = rc_alloc((size_t)items->count, sizeof *order, "order of rows", err);
    int64_t at = 0;
    if (!g || !order) {
        free(g);
        free(order);
        return RC_ENOMEM;
    }
    for (int64_t i = 0; i < items->count; i += window) {
        int64_t end = items->count - i < window ? items->count : i + window;
        int64_t n = (end - i) / group;
        for (int64_t k = 0; k < n; k++)
            g[k] = group_of(items, i + k * group, group, longest);
        qsort(g, (size_t)n, sizeof *g, longest_first);
        for (int64_t k = 0; k < n; k++)
            for (int64_t m = 0; m < group; m++)
                order[at++] = g[k].first + m;
        while (at < end) {
            order[at] = at;
            at++;
        }
    }
    free(g);
    items->order = order;
    return RC_OK;
}

void rc_item_copy(const rc_problem_t *p, const rc_item_t *it, int64_t col_bytes, int64_t to,
    int64_t step, void *col, void *entry)
{
    const int32_t *from = p->a->col_idx + it->first;
    int place_bytes = rc_places_bytes(p->a);
    for (int64_t e = 0; e < it->length; e++) {
        if (col_bytes == 2)
            ((uint16_t *)col)[to + e * step] = (uint16_t)from[e];
        else
            ((int32_t *)col)[to + e * step] = from[e];
        rc_place_put(entry, place_bytes, to + e * step, it->first + e);
    }
}
