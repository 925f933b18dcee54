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
#include "sparse/csr.h"
#include "sparse/similarity.h"

/* ------------------------------------------------------------------- units */

/* Put equal rows into clusters, `size` at a time. */
static void join_equal(const rc_csr_t *a, int64_t size, const int32_t *number, int32_t *count,
    int32_t *first, rc_units_t *u)
{
    for (int64_t r = 0; r < a->rows; r++) {
        u->parent[r] = (int32_t)r;
        u->size[r] = 1;
        if (rc_csr_length(a, r) == 0)
            continue;
        int32_t k = number[r];
        if (count[k] % size == 0)
            first[k] = (int32_t)r;
        u->parent[r] = first[k];
        u->size[first[k]] = (int32_t)(count[k]++ % size) + 1;
    }
}

static int is_unit(const rc_lsh_t *s, int64_t r)
{
    const rc_units_t *u = &s->units;
    return rc_csr_length(s->a, r) > 0 && u->parent[r] == r && u->size[r] < s->rule->size;
}

rc_status_t rc_lsh_units(rc_lsh_t *s, rc_err_t *err)
{
    const rc_csr_t *a = s->a;
    const rc_lists_t lists = {.n = a->rows, .ptr = a->row_ptr, .item = a->col_idx};
    size_t rows = (size_t)a->rows;
    rc_pool_t pool = {0};
    rc_units_t *u = &s->units;
    int64_t distinct;
    rc_status_t st;
    s->pool = (rc_pool_t){0};
    u->parent = rc_pool_get(&s->pool, rows, sizeof *u->parent);
    u->size = rc_pool_get(&s->pool, rows, sizeof *u->size);
    int32_t *number = rc_pool_get(&pool, rows, sizeof *number);
    int32_t *count = rc_pool_get0(&pool, rows, sizeof *count);
    int32_t *first = rc_pool_get(&pool, rows, sizeof *first);
    RC_TRY(rc_pool_check(&s->pool, "clusters of rows", err));
    RC_TRY(rc_pool_check(&pool, "clusters of rows", err));
    RC_TRY(rc_number_lists(&lists, s->threads, number, &distinct, err));
    join_equal(a, s->rule->size, number, count, first, u);
    for (int64_t r = 0; r < a->rows; r++)
        u->count += is_unit(s, r);
    u->row = rc_pool_get(&s->pool, (size_t)u->count, sizeof *u->row);
    RC_TRY(rc_pool_check(&s->pool, "clusters of rows", err));
    u->count = 0;
    for (int64_t r = 0; r < a->rows; r++)
        if (is_unit(s, r))
            u->row[u->count++] = (int32_t)r;
done:
    rc_pool_free(&pool);
    return st;
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

/* Pairs that came later are in the place of those that have been taken from the list, as a heap:
 * each pair that is taken puts at most one back. */
typedef struct queue {
    rc_ranked_t *pair; /* the heap, what has been taken, the list */
    int64_t later;     /* pairs in the heap */
    int64_t at;        /* of the list: >= later */
    int64_t end;
    const rc_lsh_t *s;
    rc_pair_set_t seen_later; /* of the heap, also before: apart, so that the large one does not
                                 grow */
} queue_t;

/* \return 0 when it is empty */
static int pop(queue_t *q, rc_ranked_t *out)
{
    rc_ranked_t *pair = q->pair;
    int listed = q->at < q->end;
    if (q->later == 0 || (listed && rc_ranked_before(pair[q->at], pair[0]))) {
        if (listed)
            *out = pair[q->at++];
        return listed;
    }
    *out = pair[0];
    pair[0] = pair[--q->later];
    rc_ranked_sift(pair, q->later);
    return 1;
}

static void push(queue_t *q, rc_ranked_t x)
{
    q->pair[q->later++] = x;
    rc_ranked_lift(q->pair, q->later);
}

static rc_status_t push_roots(int32_t x, int32_t y, queue_t *q, rc_err_t *err)
{
    uint64_t pair = rc_pair(x, y);
    /* the small one first */
    if (rc_pair_set_has(&q->seen_later, pair) || rc_pair_set_has(&q->s->seen, pair))
        return RC_OK;
    RC_PASS(rc_pair_set_reserve(&q->seen_later, 1, err));
    rc_pair_set_add(&q->seen_later, pair);
    push(q, (rc_ranked_t){rc_pair_key(rc_row_similarity(q->s->a, x, y)), pair});
    return RC_OK;
}

static int is_sorted(const rc_pair_list_t *l)
{
    int64_t i = 1;
    while (i < l->count && !rc_ranked_before(l->pair[i], l->pair[i - 1]))
        i++;
    return i >= l->count;
}

rc_status_t rc_lsh_merge(rc_lsh_t *s, rc_err_t *err)
{
    enum { ASKED = 1 << 16 };
    const rc_pair_list_t *list = &s->list;
    rc_units_t *units = &s->units;
    int64_t size = s->rule->size;
    queue_t q = {.pair = list->pair, .end = list->count, .s = s};
    rc_ranked_t p;
    rc_status_t st = RC_OK;
    if (list->count == 0)
        return RC_OK;
    if (!is_sorted(list))
        rc_ranked_sort(list->pair, list->count, s->threads);
    for (int64_t pairs = 1; st == RC_OK && pop(&q, &p); pairs++) {
        st = pairs % ASKED == 0 ? rc_order_go_on(s->in, err) : RC_OK;
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
            st = push_roots(rx, ry, &q, err);
    }
    rc_pair_set_free(&q.seen_later);
    return st;
}

/* ------------------------------------------------------------------- order */

/* The clusters as groups, numbered by their roots. */
static rc_status_t arrange(rc_lsh_t *s, rc_schedule_t *out, rc_err_t *err)
{
    int64_t rows = s->a->rows;
    const rc_units_t *u = &s->units;
    int32_t *group = rc_pool_get(&s->pool, (size_t)rows, sizeof *group);
    RC_PASS(rc_pool_check(&s->pool, "clusters of rows", err));
    for (int64_t r = 0; r < rows; r++)
        if (u->parent[r] == r) {
            group[r] = (int32_t)s->facts.clusters++;
            s->facts.largest = u->size[r] > s->facts.largest ? u->size[r] : s->facts.largest;
        }
    for (int64_t r = 0; r < rows; r++)
        group[r] = group[root_of(u->parent, (int32_t)r)];
    return rc_schedule_of_groups(group, rows, s->facts.clusters, "cluster_ptr", out, err);
}

rc_status_t rc_lsh_schedule(rc_lsh_t *s, rc_schedule_t *out, rc_err_t *err)
{
    rc_status_t st;
    RC_TRY(rc_lsh_check(s->rule, err));
    RC_TRY(rc_lsh_units(s, err));
    s->facts.units = s->units.count;
    RC_TRY(s->find ? s->find(s, err) : rc_lsh_pairs(s, err));
    RC_TRY(rc_lsh_merge(s, err));
    RC_TRY(arrange(s, out, err));
    if (s->in && s->in->watch.placed)
        *s->in->watch.placed = s->a->rows;
done:
    rc_lsh_free(s);
    return st;
}

void rc_lsh_free(rc_lsh_t *s)
{
    rc_pool_free(&s->pool);
    rc_pair_set_free(&s->seen);
    rc_pair_list_free(&s->list);
    s->units = (rc_units_t){.count = 0};
}
