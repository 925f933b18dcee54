#include "config.h"
#include "order/rcm.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* A search of the graph, its neighbours sorted by rank. */
typedef struct search {
    int64_t n;
    const int64_t *ptr;
    int32_t *near;   /* [ptr[n]] neighbours of each vertex by rank */
    int32_t *rank;   /* [n] position by (degree, index) */
    int64_t *seen;   /* [n] number of the last search that saw the vertex */
    int32_t *queue;  /* [n] vertices of the search in hand, in its order */
    int64_t searches;
} search_t;

typedef struct levels {
    int64_t count; /* vertices found */
    int64_t depth; /* levels */
    int64_t last;  /* where the last level begins in the queue */
} levels_t;

static void close_search(search_t *s)
{
    free(s->near);
    free(s->rank);
    free(s->seen);
    free(s->queue);
}

typedef struct keyed {
    int64_t degree;
    int32_t vertex;
} keyed_t;

static int by_degree(const void *x, const void *y)
{
    const keyed_t *a = x;
    const keyed_t *b = y;
    if (a->degree != b->degree)
        return a->degree < b->degree ? -1 : 1;
    return (a->vertex > b->vertex) - (a->vertex < b->vertex);
}

/* Vertices by (degree, index). */
static rc_status_t rank_vertices(const rc_graph_t *g, search_t *s, rc_err_t *err)
{
    keyed_t *key = rc_alloc((size_t)g->n, sizeof *key, "degrees", err);
    if (!key)
        return RC_ENOMEM;
    for (int64_t v = 0; v < g->n; v++) {
        key[v] = (keyed_t){0, (int32_t)v};
        for (int64_t e = g->ptr[v]; e < g->ptr[v + 1]; e++)
            key[v].degree += g->weight[e];
    }
    if (g->n > 0)
        qsort(key, (size_t)g->n, sizeof *key, by_degree);
    for (int64_t i = 0; i < g->n; i++) {
        s->queue[i] = key[i].vertex;
        s->rank[key[i].vertex] = (int32_t)i;
    }
    free(key);
    return RC_OK;
}

/* Each vertex, in rank order, puts itself into the lists of its neighbours: all lists come out
 * sorted without sorting each. */
static rc_status_t sort_neighbours(const rc_graph_t *g, search_t *s, rc_err_t *err)
{
    int64_t *at = rc_alloc((size_t)g->n, sizeof *at, "the lists of neighbours", err);
    if (!at)
        return RC_ENOMEM;
    memcpy(at, g->ptr, (size_t)g->n * sizeof *at);
    for (int64_t i = 0; i < g->n; i++) {
        int32_t v = s->queue[i];
        for (int64_t e = g->ptr[v]; e < g->ptr[v + 1]; e++)
            s->near[at[g->adj[e]]++] = v;
    }
    free(at);
    return RC_OK;
}

static rc_status_t open_search(const rc_graph_t *g, search_t *s, rc_err_t *err)
{
    size_t n = (size_t)g->n;
    *s = (search_t){.n = g->n, .ptr = g->ptr};
    s->near = rc_alloc((size_t)g->ptr[n], sizeof *s->near, "the lists of neighbours", err);
    s->rank = rc_alloc(n, sizeof *s->rank, "ranks", err);
    s->seen = rc_alloc0(n, sizeof *s->seen, "a search", err);
    s->queue = rc_alloc(n, sizeof *s->queue, "a search", err);
    rc_status_t st = s->near && s->rank && s->seen && s->queue ? RC_OK : RC_ENOMEM;
    if (st == RC_OK)
        st = rank_vertices(g, s, err);
    if (st == RC_OK)
        st = sort_neighbours(g, s, err);
    if (st < 0)
        close_search(s);
    return st;
}

/* Breadth first from a root: the queue holds the component in the order of Cuthill and McKee. */
static levels_t breadth_first(search_t *s, int32_t root)
{
    levels_t l = {.count = 1, .depth = 1, .last = 0};
    int64_t mark = ++s->searches;
    int64_t level_end = 1;
    s->queue[0] = root;
    s->seen[root] = mark;
    for (int64_t i = 0; i < l.count; i++) {
        if (i == level_end) {
            l.last = i;
            l.depth++;
            level_end = l.count;
        }
        int32_t v = s->queue[i];
        for (int64_t e = s->ptr[v]; e < s->ptr[v + 1]; e++)
            if (s->seen[s->near[e]] != mark) {
                s->seen[s->near[e]] = mark;
                s->queue[l.count++] = s->near[e];
            }
    }
    return l;
}

/* The vertex of least rank in part of the queue. */
static int32_t least(const search_t *s, int64_t from, int64_t to)
{
    int32_t v = s->queue[from];
    for (int64_t i = from + 1; i < to; i++)
        if (s->rank[s->queue[i]] < s->rank[v])
            v = s->queue[i];
    return v;
}

/* \param[in] v  any vertex of the component */
static int32_t find_root(search_t *s, int32_t v)
{
    levels_t l = breadth_first(s, v);
    int32_t root = least(s, 0, l.count);
    l = breadth_first(s, root);
    for (;;) {
        int32_t far = least(s, l.last, l.count);
        levels_t next = breadth_first(s, far);
        if (next.depth <= l.depth)
            return root;
        root = far;
        l = next;
    }
}

rc_status_t rc_cuthill_mckee(const rc_graph_t *g, int32_t *order, rc_err_t *err)
{
    search_t s;
    rc_status_t st = open_search(g, &s, err);
    if (st < 0)
        return st;
    int64_t placed = 0;
    for (int64_t v = 0; v < g->n; v++) {
        if (s.seen[v])
            continue; /* of an earlier component */
        levels_t l = breadth_first(&s, find_root(&s, (int32_t)v));
        memcpy(order + placed, s.queue, (size_t)l.count * sizeof *order);
        placed += l.count;
    }
    close_search(&s);
    return RC_OK;
}
