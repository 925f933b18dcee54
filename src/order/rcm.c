#include "config.h"
#include "order/rcm.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/ranked.h"
#include "order/rows.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ levels */

rc_status_t rc_level_of_matrix(const rc_csr_t *a, rc_level_t *out, rc_err_t *err)
{
    *out = (rc_level_t){0};
    RC_PASS(rc_graph_build(a, &out->g, err));
    RC_PASS(RC_NEW(out->index, a->rows, "names of vertices", err));
    for (int64_t v = 0; v < a->rows; v++)
        out->index[v] = (int32_t)v;
    return RC_OK;
}

void rc_level_free(rc_level_t *l)
{
    rc_graph_free(&l->g);
    free(l->index);
    free(l->rank);
    *l = (rc_level_t){0};
}

/* The edges of the new vertices, which are named anew by `at`, and their weights. */
static void take_edges(
    const rc_level_t *l, const int32_t *order, const int32_t *at, int threads, const rc_graph_t *to)
{
    enum { few = 10000 };
    const rc_graph_t *g = &l->g;
    size_t bytes = (size_t)g->weight_bytes;
#pragma omp parallel for num_threads(threads) schedule(static) if (g->n > few)
    for (int64_t p = 0; p < g->n; p++) {
        int64_t from = g->ptr[order[p]];
        int64_t n = to->ptr[p + 1] - to->ptr[p];
        for (int64_t e = 0; e < n; e++)
            to->adj[to->ptr[p] + e] = at[g->adj[from + e]];
        if (g->weight)
            memcpy((char *)to->weight + (size_t)to->ptr[p] * bytes,
                (const char *)g->weight + (size_t)from * bytes, (size_t)n * bytes);
    }
}

rc_status_t rc_level_renumber(rc_level_t *l, const int32_t *order, int threads, rc_err_t *err)
{
    size_t n = (size_t)l->g.n;
    size_t edges = (size_t)l->g.ptr[n];
    rc_graph_t to = l->g;
    rc_status_t st;
    free(l->rank); /* room for the edges: whoever asks for ranks has them found again */
    l->rank = NULL;
    to.ptr = rc_alloc(n + 1, sizeof *to.ptr, "a graph", err);
    to.adj = rc_alloc(edges, sizeof *to.adj, "a graph", err);
    to.weight = to.weight ? rc_alloc(edges, (size_t)to.weight_bytes, "a graph", err) : NULL;
    int32_t *at = rc_alloc(n, sizeof *at, "a graph", err);
    RC_TRY(to.ptr && to.adj && at && !to.weight == !l->g.weight ? RC_OK : RC_ENOMEM);
    to.ptr[0] = 0;
    for (size_t p = 0; p < n; p++) {
        to.ptr[p + 1] = to.ptr[p] + l->g.ptr[order[p] + 1] - l->g.ptr[order[p]];
        at[order[p]] = (int32_t)p;
    }
    take_edges(l, order, at, threads, &to);
    for (size_t p = 0; p < n; p++)
        at[p] = l->index[order[p]];
    memcpy(l->index, at, n * sizeof *at);
    rc_graph_t before = l->g;
    l->g = to;
    to = before;
done:
    free(at);
    rc_graph_free(&to);
    return st;
}

/* ------------------------------------------------------------------- ranks */

/* order = the vertices by index, then by degree: digits of 30 bits of the degree. */
static rc_status_t sort_by_degree(const rc_level_t *l, int32_t *order, rc_err_t *err)
{
    enum { bits = 30 };
    const rc_graph_t *g = &l->g;
    rc_status_t st = RC_OK;
    int32_t *key = rc_alloc((size_t)g->n, sizeof *key, "degrees", err);
    RC_PASS(key ? RC_OK : RC_ENOMEM);
    int64_t most = 0;
    for (int shift = 0; st == RC_OK && shift < 60 && most >> shift >= (shift > 0); shift += bits) {
        for (int64_t v = 0; v < g->n; v++) {
            int64_t degree = 0;
            for (int64_t e = g->ptr[v]; e < g->ptr[v + 1]; e++)
                degree += rc_graph_weight(g, e);
            most = degree > most ? degree : most;
            key[v] = (int32_t)(degree >> shift & ((INT64_C(1) << bits) - 1));
        }
        st = rc_sort_by_key(key, 0, g->n, order, err);
    }
    free(key);
    return st;
}

rc_status_t rc_level_rank(rc_level_t *l, rc_err_t *err)
{
    int64_t n = l->g.n;
    free(l->rank);
    l->rank = rc_alloc((size_t)n, sizeof *l->rank, "ranks", err);
    int32_t *order = rc_alloc((size_t)n, sizeof *order, "ranks", err);
    if (!l->rank || !order) {
        free(order);
        return RC_ENOMEM;
    }
    for (int64_t v = 0; v < n; v++)
        order[l->index[v]] = (int32_t)v;
    rc_status_t st = sort_by_degree(l, order, err);
    for (int64_t i = 0; st == RC_OK && i < n; i++)
        l->rank[order[i]] = (int32_t)i;
    free(order);
    return st;
}

/* -------------------------------------------------------------- components */

static int see(uint64_t *seen, int32_t v)
{
    uint64_t bit = UINT64_C(1) << (v & 63);
    int before = (seen[v >> 6] & bit) != 0;
    seen[v >> 6] |= bit;
    return before;
}

/* Component after component by the smallest index, each breadth first: neighbours get close
 * numbers.
 * \param[out] order  [n]
 * \param[out] start  [n] bit p: a component begins at position p */
static rc_status_t walk_components(
    const rc_level_t *l, int32_t *order, uint64_t *start, rc_err_t *err)
{
    const rc_graph_t *g = &l->g;
    rc_pool_t pool = {0};
    uint64_t *seen = rc_pool_get0(&pool, (size_t)(g->n / 64 + 1), sizeof *seen);
    int32_t *by_index = rc_pool_get(&pool, (size_t)g->n, sizeof *by_index);
    rc_status_t st;
    RC_TRY(rc_pool_check(&pool, "a search", err));
    for (int64_t v = 0; v < g->n; v++)
        by_index[l->index[v]] = (int32_t)v;
    int64_t end = 0;
    for (int64_t i = 0; i < g->n; i++) {
        if (see(seen, by_index[i]))
            continue;
        int64_t at = end;
        (void)see(start, (int32_t)end);
        order[end++] = by_index[i];
        for (; at < end; at++)
            for (int64_t e = g->ptr[order[at]]; e < g->ptr[order[at] + 1]; e++)
                if (!see(seen, g->adj[e]))
                    order[end++] = g->adj[e];
    }
done:
    rc_pool_free(&pool);
    return st;
}

/* ---------------------------------------------------------------- searches */

/* A search of one component after the other. */
typedef struct search {
    rc_graph_t *g; /* the neighbours of each vertex by rank, once sorted */
    const int32_t *rank;
    uint32_t *seen;  /* [n] number of the last search that saw the vertex */
    uint32_t number; /* of the search in hand */
} search_t;

typedef struct levels {
    int64_t depth; /* levels */
    int64_t last;  /* where the last level begins in the queue */
} levels_t;

/* \param[out] near  [neighbours of v], scratch: their ranks, and with each its weight */
static void sort_list(search_t *s, int64_t v, rc_ranked_t *near)
{
    rc_graph_t *g = s->g;
    int64_t first = g->ptr[v];
    int64_t n = g->ptr[v + 1] - first;
    for (int64_t e = 0; e < n; e++) {
        int32_t u = g->adj[first + e];
        near[e] = (rc_ranked_t){
            (uint64_t)s->rank[u], (uint64_t)u << 32 | (uint32_t)rc_graph_weight(g, first + e)};
    }
    rc_ranked_sort(near, n, 1);
    for (int64_t e = 0; e < n; e++) {
        g->adj[first + e] = (int32_t)(near[e].tie >> 32);
        rc_graph_set_weight(g, first + e, (int32_t)(uint32_t)near[e].tie);
    }
}

/* The neighbours of each vertex by rank, in place.  Long lists come one after the other: their
 * scratch is there once, not once a thread. */
static rc_status_t sort_neighbours(search_t *s, int threads, rc_err_t *err)
{
    const rc_graph_t *g = s->g;
    int64_t most = 0;
    for (int64_t v = 0; v < g->n; v++)
        most = g->ptr[v + 1] - g->ptr[v] > most ? g->ptr[v + 1] - g->ptr[v] : most;
    const int64_t few = most < 4096 ? most : 4096;
    rc_ranked_t *all =
        rc_alloc((size_t)(most + few * threads), sizeof *all, "the lists of neighbours", err);
    RC_PASS(all ? RC_OK : RC_ENOMEM);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4096) if (g->n > 10000)
    for (int64_t v = 0; v < g->n; v++)
        if (g->ptr[v + 1] - g->ptr[v] <= few)
            sort_list(s, v, all + most + few * omp_get_thread_num());
    for (int64_t v = 0; v < g->n && most > few; v++)
        if (g->ptr[v + 1] - g->ptr[v] > few)
            sort_list(s, v, all);
    free(all);
    return RC_OK;
}

/* Breadth first from a root; the queue gets the component in the order of Cuthill and McKee. */
static levels_t breadth_first(search_t *s, int32_t root, int32_t *queue)
{
    const int64_t *ptr = s->g->ptr;
    const int32_t *near = s->g->adj;
    levels_t l = {.depth = 1, .last = 0};
    int64_t end = 1;
    int64_t level_end = 1;
    if (s->number == UINT32_MAX) {
        memset(s->seen, 0, (size_t)s->g->n * sizeof *s->seen);
        s->number = 0;
    }
    uint32_t mark = ++s->number;
    queue[0] = root;
    s->seen[root] = mark;
    for (int64_t i = 0; i < end; i++) {
        if (i == level_end) {
            l.last = i;
            l.depth++;
            level_end = end;
        }
        int32_t v = queue[i];
        for (int64_t e = ptr[v]; e < ptr[v + 1]; e++)
            if (s->seen[near[e]] != mark) {
                s->seen[near[e]] = mark;
                queue[end++] = near[e];
            }
    }
    return l;
}

/* The vertex of least rank in part of a queue. */
static int32_t least(const search_t *s, const int32_t *queue, int64_t from, int64_t to)
{
    int32_t v = queue[from];
    for (int64_t i = from + 1; i < to; i++)
        if (s->rank[queue[i]] < s->rank[v])
            v = queue[i];
    return v;
}

/* The order of the component of vertices [from, to), at order[from].
 * \param[out] other  [to - from], scratch */
static void order_component(search_t *s, int64_t from, int64_t to, int32_t *order, int32_t *other)
{
    int32_t *found = order + from;
    int32_t *next = other;
    int64_t n = to - from;
    for (int64_t p = 0; p < n; p++)
        found[p] = (int32_t)(from + p);
    if (n == 1)
        return;
    levels_t l = breadth_first(s, least(s, found, 0, n), found);
    for (;;) {
        levels_t farther = breadth_first(s, least(s, found, l.last, n), next);
        if (farther.depth <= l.depth)
            break;
        int32_t *swap = found;
        found = next;
        next = swap;
        l = farther;
    }
    if (found != order + from)
        memcpy(order + from, found, (size_t)n * sizeof *order);
}

static rc_status_t order_components(
    rc_level_t *l, const uint64_t *start, int threads, int32_t *order, rc_err_t *err)
{
    size_t n = (size_t)l->g.n;
    search_t s = {.g = &l->g, .rank = l->rank};
    rc_pool_t pool = {0};
    rc_status_t st;
    int32_t *other = rc_pool_get(&pool, n, sizeof *other);
    s.seen = rc_pool_get0(&pool, n, sizeof *s.seen);
    RC_TRY(rc_pool_check(&pool, "a search", err));
    RC_TRY(sort_neighbours(&s, threads, err));
    for (int64_t from = 0; from < l->g.n;) {
        int64_t to = from + 1;
        while (to < l->g.n && !(start[to >> 6] >> (to & 63) & 1))
            to++;
        order_component(&s, from, to, order, other);
        from = to;
    }
done:
    rc_pool_free(&pool);
    return st;
}

rc_status_t rc_cuthill_mckee(rc_level_t *l, int threads, int32_t *order, rc_err_t *err)
{
    rc_status_t st;
    uint64_t *start = rc_alloc0((size_t)(l->g.n / 64 + 1), sizeof *start, "components", err);
    RC_TRY(start ? RC_OK : RC_ENOMEM);
    RC_TRY(walk_components(l, order, start, err));
    RC_TRY(rc_level_renumber(l, order, threads, err));
    RC_TRY(rc_level_rank(l, err));
    st = order_components(l, start, threads, order, err);
done:
    free(start);
    return st;
}

rc_status_t rc_reverse_cuthill_mckee(const rc_csr_t *a, int threads, int32_t *order, rc_err_t *err)
{
    rc_level_t l;
    int64_t n = a->rows;
    rc_status_t st = rc_level_of_matrix(a, &l, err);
    if (st == RC_OK)
        st = rc_cuthill_mckee(&l, threads, order, err);
    for (int64_t i = 0, j = n - 1; st == RC_OK && i <= j; i++, j--) {
        int32_t first = l.index[order[i]];
        order[i] = l.index[order[j]];
        order[j] = first;
    }
    rc_level_free(&l);
    return st;
}
