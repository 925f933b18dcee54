/* The clusters of Jiang et al. 2020, Algorithm 3, mended where it contradicts its text: sizes are
 * added up; of clusters of equal size the smaller row represents the merged one (text); all
 * clusters come out at the end, by their representing rows (algorithm).  Pairs of equal similarity:
 * the smaller x first, then the smaller y, x < y.  A pair whose rows are not both roots puts the
 * pair of its roots into the queue, whatever its similarity, if that was never there.
 *
 * Equal rows are one unit: they share every bucket, and similarity 1 merges them before anything
 * else. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/graph.h"
#include "order/lsh.h"
#include "order/rows.h"
#include "sparse/similarity.h"

#include <stdlib.h>

/* ------------------------------------------------------------------- units */

static int64_t length_of(const rc_csr_t *a, int64_t r)
{
    return a->row_ptr[r + 1] - a->row_ptr[r];
}

static rc_status_t list_units(const rc_csr_t *a, int64_t size, rc_units_t *u, rc_err_t *err)
{
    for (int pass = 0; pass < 2; pass++) {
        u->count = 0;
        for (int64_t r = 0; r < a->rows; r++)
            if (length_of(a, r) > 0 && u->parent[r] == r && u->size[r] < size) {
                if (pass)
                    u->row[u->count] = (int32_t)r;
                u->count++;
            }
        if (pass == 0)
            u->row = rc_alloc((size_t)u->count, sizeof *u->row, "units of rows", err);
        RC_PASS(u->row ? RC_OK : RC_ENOMEM);
    }
    return RC_OK;
}

/* Put equal rows into clusters, `size` at a time. */
static void join_equal(const rc_csr_t *a, int64_t size, const int32_t *number, int32_t *count,
    int32_t *first, rc_units_t *u)
{
    for (int64_t r = 0; r < a->rows; r++) {
        u->parent[r] = (int32_t)r;
        u->size[r] = 1;
        if (length_of(a, r) == 0)
            continue;
        int32_t k = number[r];
        if (count[k] % size == 0)
            first[k] = (int32_t)r;
        u->parent[r] = first[k];
        u->size[first[k]] = (int32_t)(count[k]++ % size) + 1;
    }
}

rc_status_t rc_units_find(
    const rc_csr_t *a, int64_t size, int threads, rc_units_t *out, rc_err_t *err)
{
    size_t rows = (size_t)a->rows;
    rc_room_t room = {.what = "equal rows", .err = err};
    rc_units_t u = {0};
    rc_status_t st;
    u.parent = rc_alloc(rows, sizeof *u.parent, "clusters of rows", err);
    u.size = rc_alloc(rows, sizeof *u.size, "clusters of rows", err);
    int32_t *number = rc_room_take(&room, rows, sizeof *number);
    int32_t *count = rc_room_take0(&room, rows, sizeof *count);
    int32_t *first = rc_room_take(&room, rows, sizeof *first);
    RC_TRY(u.parent && u.size ? rc_room_status(&room) : RC_ENOMEM);
    const rc_lists_t lists = {.n = a->rows, .ptr = a->row_ptr, .item = a->col_idx};
    int64_t distinct;
    RC_TRY(rc_number_lists(&lists, threads, number, &distinct, err));
    join_equal(a, size, number, count, first, &u);
    RC_TRY(list_units(a, size, &u, err));
    *out = u;
    u = (rc_units_t){0};
done:
    rc_room_free(&room);
    rc_units_free(&u);
    return st;
}

void rc_units_free(rc_units_t *u)
{
    free(u->row);
    free(u->parent);
    free(u->size);
    *u = (rc_units_t){0};
}

/* ------------------------------------------------------------------- merge */

static int32_t root_of(int32_t *parent, int32_t r)
{
    while (parent[r] != r) {
        parent[r] = parent[parent[r]];
        r = parent[r];
    }
    return r;
}

/* Of two roots: the larger cluster takes the smaller one, of equal ones the smaller row. */
static void merge(rc_units_t *u, int32_t x, int32_t y)
{
    int32_t into = u->size[x] > u->size[y] || (u->size[x] == u->size[y] && x < y) ? x : y;
    int32_t from = into == x ? y : x;
    u->parent[from] = into;
    u->size[into] += u->size[from];
}

/* Pairs that came later are in the place of those that have been taken from the list: each pair
 * that is taken puts at most one back.  A heap has those that come before the end of the list;
 * others wait in no order after it, and are the list when it is used up.  Rows of few entries have
 * few similarities, and nearly all wait. */
typedef struct queue {
    rc_ranked_t *pair; /* the heap, those that wait, what has been taken, the list */
    int64_t later;     /* pairs in the heap */
    int64_t waiting;
    int64_t at; /* of the list: >= later + waiting */
    int64_t end;
    rc_ranked_t last; /* of the list, also when its place is taken */
    int threads;
    const rc_pair_set_t *seen; /* of the list */
    rc_pair_set_t
        seen_later; /* of all that came later: apart, so that the large one does not grow */
} queue_t;

/* The next list, when this one and the heap are used up: those that wait. */
static void list_waiting(queue_t *q)
{
    q->at = 0;
    q->end = q->waiting;
    q->waiting = 0;
    rc_ranked_sort(q->pair, q->end, q->threads);
    if (q->end > 0)
        q->last = q->pair[q->end - 1];
}

/* \return 0 when it is empty */
static int pop(queue_t *q, rc_ranked_t *out)
{
    rc_ranked_t *pair = q->pair;
    if (q->at == q->end && q->later == 0)
        list_waiting(q);
    int listed = q->at < q->end;
    if (q->later == 0 || (listed && rc_ranked_before(pair[q->at], pair[0]))) {
        if (listed)
            *out = pair[q->at++];
        return listed;
    }
    *out = pair[0];
    pair[0] = pair[--q->later];
    pair[q->later] = pair[q->later + q->waiting]; /* no gap before those that wait */
    rc_ranked_sift(pair, q->later);
    return 1;
}

static void push(queue_t *q, rc_ranked_t x)
{
    rc_ranked_t *pair = q->pair;
    int64_t behind = q->later + q->waiting;
    if (!rc_ranked_before(x, q->last)) {
        pair[behind] = x;
        q->waiting++;
        return;
    }
    pair[behind] = pair[q->later];
    pair[q->later++] = x;
    rc_ranked_lift(pair, q->later);
}

static rc_status_t push_roots(const rc_csr_t *a, int32_t x, int32_t y, queue_t *q, rc_err_t *err)
{
    uint64_t pair = rc_pair(x, y);
    if (rc_pair_set_has(&q->seen_later, pair) || rc_pair_set_has(q->seen, pair)) /* the small one
                                                                                    first */
        return RC_OK;
    RC_PASS(rc_pair_set_reserve(&q->seen_later, 1, err));
    rc_pair_set_add(&q->seen_later, pair);
    push(q, (rc_ranked_t){rc_pair_key(rc_row_similarity(a, x, y)), pair});
    return RC_OK;
}

static int is_sorted(const rc_pair_list_t *l)
{
    int64_t i = 1;
    while (i < l->count && !rc_ranked_before(l->pair[i], l->pair[i - 1]))
        i++;
    return i >= l->count;
}

rc_status_t rc_lsh_merge(const rc_csr_t *a, rc_units_t *units, int64_t size, int threads,
    const rc_pair_set_t *seen, rc_pair_list_t *list, const rc_order_input_t *in, rc_err_t *err)
{
    enum { ASKED = 1 << 16 };
    queue_t q = {.pair = list->pair, .end = list->count, .threads = threads, .seen = seen};
    rc_ranked_t p;
    rc_status_t st = RC_OK;
    if (list->count == 0)
        return RC_OK;
    if (!is_sorted(list))
        rc_ranked_sort(list->pair, list->count, threads);
    q.last = list->pair[list->count - 1];
    for (int64_t pairs = 1; st == RC_OK && pop(&q, &p); pairs++) {
        st = pairs % ASKED == 0 ? rc_order_go_on(in, err) : RC_OK;
        if (st < 0)
            break;
        int32_t x = (int32_t)(p.tie >> 32);
        int32_t y = (int32_t)(p.tie & UINT32_MAX);
        int32_t rx = root_of(units->parent, x);
        int32_t ry = root_of(units->parent, y);
        if (rx == ry || units->size[rx] >= size || units->size[ry] >= size)
            continue;
        if (rx == x && ry == y)
            merge(units, x, y);
        else
            st = push_roots(a, rx, ry, &q, err);
    }
    rc_pair_set_free(&q.seen_later);
    return st;
}

/* ------------------------------------------------------------------- order */

/* The clusters as groups, numbered by their roots. */
static rc_status_t arrange(
    int64_t rows, rc_units_t *u, rc_schedule_t *out, rc_lsh_facts_t *facts, rc_err_t *err)
{
    int32_t *group = rc_alloc((size_t)rows, sizeof *group, "clusters of rows", err);
    RC_PASS(group ? RC_OK : RC_ENOMEM);
    facts->clusters = 0;
    facts->largest = 0;
    for (int64_t r = 0; r < rows; r++)
        if (u->parent[r] == r) {
            group[r] = (int32_t)facts->clusters++;
            facts->largest = u->size[r] > facts->largest ? u->size[r] : facts->largest;
        }
    for (int64_t r = 0; r < rows; r++)
        group[r] = group[root_of(u->parent, (int32_t)r)];
    rc_status_t st = rc_schedule_of_groups(group, rows, facts->clusters, "cluster_ptr", out, err);
    free(group);
    return st;
}

rc_status_t rc_lsh_schedule_by(const rc_csr_t *a, const rc_lsh_rule_t *rule,
    const rc_lsh_finder_t *by, rc_schedule_t *out, rc_lsh_facts_t *facts, rc_err_t *err)
{
    rc_lsh_facts_t f = {0};
    rc_units_t units = {0};
    rc_pair_set_t seen = {0};
    rc_pair_list_t list = {0};
    rc_status_t st;
    RC_PASS(rc_lsh_check(rule, err));
    RC_TRY(rc_units_find(a, rule->size, by->threads, &units, err));
    f.units = units.count;
    RC_TRY(by->find(by, a, &units, rule, &seen, &list, &f, err));
    RC_TRY(rc_lsh_merge(a, &units, rule->size, by->threads, &seen, &list, by->in, err));
    RC_TRY(arrange(a->rows, &units, out, &f, err));
    if (by->in && by->in->watch.placed)
        *by->in->watch.placed = a->rows;
    if (facts)
        *facts = f;
done:
    rc_units_free(&units);
    rc_pair_set_free(&seen);
    rc_pair_list_free(&list);
    return st;
}

static rc_status_t find_here(const rc_lsh_finder_t *f, const rc_csr_t *a, const rc_units_t *units,
    const rc_lsh_rule_t *rule, rc_pair_set_t *seen, rc_pair_list_t *list, rc_lsh_facts_t *facts,
    rc_err_t *err)
{
    return rc_lsh_pairs(a, units, rule, f->threads, f->in, seen, list, facts, err);
}

rc_lsh_finder_t rc_lsh_here(int threads, const rc_order_input_t *in)
{
    return (rc_lsh_finder_t){.find = find_here, .threads = threads, .in = in};
}

rc_status_t rc_lsh_schedule(const rc_csr_t *a, const rc_lsh_rule_t *rule, int threads,
    _Atomic int64_t *placed, rc_schedule_t *out, rc_lsh_facts_t *facts, rc_err_t *err)
{
    const rc_order_input_t told = {.watch.placed = placed};
    const rc_lsh_finder_t here = rc_lsh_here(threads, &told);
    return rc_lsh_schedule_by(a, rule, &here, out, facts, err);
}
