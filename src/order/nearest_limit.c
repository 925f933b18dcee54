/* The nearest of a limited number of rows; see order/nearest.h. */
#include "config.h"
#include "order/nearest_parts.h"
#include "sparse/ranked.h"
#include "order/rows.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHOSEN = 16, /* units of lists whose distance is computed */
    WINDOW = 8,  /* units on either side of the reference, the same */
    AHEAD = 16   /* entries that the memory is asked for before they are used */
};

/* What is asked of every unit of a list, together in memory and nothing else: a search waits for
 * these. */
typedef struct spot {
    int32_t size;  /* lines of the mask */
    int32_t count; /* as in rc_nearest */
} spot_t;

struct rc_nearest_limit {
    int64_t look;
    spot_t *spot;        /* [units] */
    int64_t *mask;       /* [units] where the mask begins in line_of */
    rc_ranked_t *list;   /* [slots] lists of the reference, by length */
    unsigned char *here; /* [lines] 1: a line of the reference */
    int32_t *after;      /* [units + 1] no unit in [u, after[u]) has rows left */
    int32_t *before;     /* [units + 1] no unit in [before[u], u) has rows left */
    int32_t *live;       /* [units] of a list */
    int64_t checks;
    int32_t check[CHOSEN + 2 * WINDOW]; /* units whose distance is computed */
};

/* Give every unit and every cell its rows in the order of their ranks. */
static rc_status_t rank_rows(rc_nearest_t *nn, const int32_t *rank, rc_err_t *err)
{
    size_t n = (size_t)nn->n;
    rc_pool_t pool = {0};
    int32_t *key = rc_pool_get(&pool, n, sizeof *key);
    int32_t *order = rc_pool_get(&pool, n, sizeof *order);
    rc_status_t st;
    RC_TRY(rc_pool_check(&pool, "nearest rows", err));
    for (int64_t i = 0; i < nn->n; i++) {
        key[i] = rank[nn->rows[i]];
        order[i] = (int32_t)i;
    }
    RC_TRY(rc_sort_by_key(key, 0, nn->n, order, err));
    for (int64_t i = 0; i < nn->n; i++) {
        int32_t u = nn->row_unit[order[i]];
        nn->unit_row[nn->unit_next[u]++] = order[i];
        nn->cell_row[nn->cell_next[nn->unit[u].cell]++] = order[i];
    }
    for (int64_t i = 0; i < nn->n; i++) {
        int32_t u = nn->row_unit[i];
        nn->unit[u].head = nn->unit_row[--nn->unit_next[u]];
        nn->cell_next[nn->unit[u].cell]--;
    }
done:
    rc_pool_free(&pool);
    return st;
}

rc_status_t rc_nearest_limit(rc_nearest_t *nn, int64_t look, const int32_t *rank, rc_err_t *err)
{
    size_t units = (size_t)nn->units;
    rc_pool_t *own = &nn->pool;
    rc_nearest_limit_t *l = rc_pool_get(own, 1, sizeof *l);
    RC_PASS(rc_pool_check(own, "nearest rows", err));
    nn->limit = l;
    *l = (rc_nearest_limit_t){.look = look};
    l->spot = rc_pool_get_aligned(own, units, sizeof *l->spot);
    l->mask = rc_pool_get(own, units, sizeof *l->mask);
    l->list = rc_pool_get(own, (size_t)nn->slots, sizeof *l->list);
    l->here = rc_pool_get0(own, (size_t)nn->m->lines, 1);
    l->after = rc_pool_get(own, units + 1, sizeof *l->after);
    l->before = rc_pool_get(own, units + 1, sizeof *l->before);
    l->live = rc_pool_get(own, units, sizeof *l->live);
    RC_PASS(rc_pool_check(own, "nearest rows", err));
    for (int64_t u = 0; u < nn->units; u++) {
        int64_t row = rc_nearest_model_row(nn, u);
        l->spot[u] = (spot_t){.size = (int32_t)rc_mask_size(nn->m, row)};
        l->mask[u] = nn->m->ptr[row];
    }
    for (int64_t u = 0; u <= nn->units; u++)
        l->after[u] = l->before[u] = (int32_t)u;
    return rank_rows(nn, rank, err);
}

void rc_nearest_limit_remove(rc_nearest_limit_t *l, int32_t unit)
{
    l->spot[unit].count = RC_NEAREST_USED_UP;
    l->after[unit] = unit + 1;
    l->before[unit + 1] = unit;
}

/* ------------------------------------------------------------------- lists */

/* Count the first units of a list that are left, at most so many.  Those before them that are used
 * up leave the list.  Returns the units. */
static int64_t walk_list(rc_nearest_limit_t *l, rc_nearest_lists_t *h, int32_t slot, int64_t most)
{
    int32_t *entry = h->entry + h->start[slot];
    int32_t length = h->length[slot];
    int32_t *touched = h->touched + h->touches;
    int32_t *live = l->live;
    int64_t n = 0;
    int32_t i = 0;
    for (; i < length && n < most; i++) {
        int32_t u = entry[i];
        __builtin_prefetch(&l->spot[entry[i + AHEAD < length ? i + AHEAD : i]], 1);
        int32_t c = l->spot[u].count;
        if (c == RC_NEAREST_USED_UP)
            continue;
        live[n++] = u;
        *touched = u;
        touched += c == 0;
        l->spot[u].count = c + 1;
    }
    h->touches = touched - h->touched;
    if (n < i) {
        memcpy(entry + i - n, live, (size_t)n * sizeof *live);
        h->start[slot] += i - n;
        h->length[slot] -= (int32_t)(i - n);
    }
    return n;
}

/* Count, per unit, the lists of the reference that it is in, over at most `look` entries, shortest
 * lists first.  Returns the lists with any. */
static int64_t walk(rc_nearest_t *nn, rc_nearest_lists_t *h)
{
    rc_nearest_limit_t *l = nn->limit;
    int64_t left = l->look;
    int64_t lists = 0;
    h->touches = 0;
    for (int64_t k = 0; k < nn->ref.slots && left > 0; k++) {
        if (k + 1 < nn->ref.slots)
            __builtin_prefetch(h->entry + h->start[l->list[k + 1].tie]);
        int64_t n = walk_list(l, h, (int32_t)l->list[k].tie, left);
        left -= n;
        lists += n > 0;
    }
    return lists;
}

/* Have the touched units checked that seem nearest, and forget the counts. */
static void choose(rc_nearest_t *nn, const rc_nearest_lists_t *h, int64_t lists, int64_t lines)
{
    rc_nearest_limit_t *l = nn->limit;
    rc_ranked_t heap[CHOSEN]; /* the farthest on top */
    int64_t n = 0;
    for (int64_t i = 0; i < h->touches; i++) {
        int32_t u = h->touched[i];
        spot_t *s = &l->spot[u];
        int64_t far = s->size * lists - 2 * s->count * lines;
        rc_ranked_t x = {~(uint64_t)(far + RC_NEAREST_FAR), ~(uint64_t)u};
        s->count = 0;
        if (n < CHOSEN) {
            heap[n++] = x;
            rc_ranked_lift(heap, n);
        } else if (rc_ranked_before(heap[0], x)) {
            heap[0] = x;
            rc_ranked_sift(heap, n);
        }
    }
    for (int64_t i = 0; i < n; i++)
        l->check[l->checks++] = (int32_t)~heap[i].tie;
}

/* ------------------------------------------------------------------ window */

/* The end of a chain of steps; shortens it. */
static int32_t follow(int32_t *to, int32_t at)
{
    while (to[at] != at)
        at = to[at] = to[to[at]];
    return at;
}

/* The first unit of the mask of a row, or of the first mask after it. */
static int32_t home(const rc_nearest_t *nn, int64_t row)
{
    int32_t group = nn->m->group[row];
    int64_t low = 0;
    int64_t high = nn->units;
    if (nn->maps->group[group] != RC_NEAREST_ABSENT)
        return nn->maps->group[group];
    while (low < high) {
        int64_t mid = (low + high) / 2;
        if (nn->m->group[rc_nearest_model_row(nn, mid)] < group)
            low = mid + 1;
        else
            high = mid;
    }
    return (int32_t)low;
}

/* Have the units on either side of the reference checked. */
static void add_window(rc_nearest_t *nn, int64_t ref)
{
    rc_nearest_limit_t *l = nn->limit;
    int32_t at = home(nn, ref);
    int32_t u = at;
    for (int i = 0; i < WINDOW && (u = follow(l->after, u)) < nn->units; i++)
        l->check[l->checks++] = u++;
    u = at;
    for (int i = 0; i < WINDOW && (u = follow(l->before, u)) > 0; i++)
        l->check[l->checks++] = --u;
}

/* --------------------------------------------------------------- distances */

static void check(rc_nearest_t *nn, const rc_nearest_query_t *q, int32_t u, rc_nearest_best_t *best)
{
    const rc_nearest_limit_t *l = nn->limit;
    const spot_t *s = &l->spot[u];
    const int32_t *line = nn->m->line_of + l->mask[u];
    int64_t distance = nn->ref.sparse + s->size;
    int64_t tie = 0;
    if (s->size - nn->ref.sparse > best->distance)
        return;
    for (int32_t k = 0; k < s->size; k++)
        distance -= 2 * l->here[line[k]];
    if (distance > best->distance)
        return;
    if (nn->tie == RC_NEAREST_LOAD)
        tie = rc_nearest_load_gap(nn, q, nn->unit[u].cell);
    if (q->use_second) {
        tie = nn->ref2.sparse + s->size;
        for (int32_t k = 0; k < s->size; k++)
            tie -= 2 * nn->marked[line[k]];
    }
    rc_nearest_offer(best, distance, tie, nn->unit[u].head);
}

static void mark(const rc_nearest_t *nn, int64_t row, unsigned char value)
{
    for (int64_t i = nn->m->ptr[row]; i < nn->m->ptr[row + 1]; i++)
        nn->limit->here[nn->m->line_of[i]] = value;
}

void rc_nearest_search_limited(
    rc_nearest_t *nn, const rc_nearest_query_t *q, int64_t ref, rc_nearest_best_t *best)
{
    rc_nearest_limit_t *l = nn->limit;
    const rc_nearest_side_t *side = &nn->ref;
    rc_nearest_lists_t *h = &nn->lists;
    int whole = side->entries <= l->look;
    for (int64_t k = 0; k < side->slots; k++)
        l->list[k] = (rc_ranked_t){(uint64_t)h->length[side->slot[k]], (uint64_t)side->slot[k]};
    l->checks = 0;
    if (!whole) {
        rc_ranked_sort(l->list, side->slots, 1);
        add_window(nn, ref);
    }
    int64_t lists = walk(nn, h);
    choose(nn, h, whole ? 1 : lists, whole ? 1 : side->sparse);
    for (int64_t i = 0; i < l->checks; i++)
        __builtin_prefetch(&nn->m->line_of[l->mask[l->check[i]]]);
    mark(nn, ref, 1);
    for (int64_t i = 0; i < l->checks; i++)
        check(nn, q, l->check[i], best);
    mark(nn, ref, 0);
}
