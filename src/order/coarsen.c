#include "config.h"
#include "order/coarsen.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/ranked.h"
#include "order/rows.h"

#include <omp.h>
#include <stdlib.h>

void rc_grouping_free(rc_grouping_t *g)
{
    free(g->group);
    free(g->ptr);
    free(g->member);
    free(g->named);
    *g = (rc_grouping_t){0};
}

int64_t rc_grouping_most(const rc_grouping_t *g)
{
    int64_t most = 0;
    for (int64_t k = 0; k < g->count; k++)
        most = g->ptr[k + 1] - g->ptr[k] > most ? g->ptr[k + 1] - g->ptr[k] : most;
    return most;
}

/* The lists of members of groups whose numbers are known.  Takes `group` over, whatever the
 * outcome. */
static rc_status_t list_members(
    int32_t *group, int64_t n, int64_t count, rc_grouping_t *out, rc_err_t *err)
{
    rc_grouping_t g = {.count = count, .group = group};
    g.ptr = rc_alloc((size_t)count + 2, sizeof *g.ptr, "groups", err);
    g.member = rc_alloc((size_t)n, sizeof *g.member, "groups", err);
    if (!g.ptr || !g.member) {
        rc_grouping_free(&g);
        return RC_ENOMEM;
    }
    rc_list_groups(group, n, count, g.ptr, g.member);
    *out = g;
    return RC_OK;
}

rc_status_t rc_group_runs(int64_t n, int64_t size, rc_grouping_t *out, rc_err_t *err)
{
    int32_t *group = rc_alloc((size_t)n, sizeof *group, "groups", err);
    RC_PASS(group ? RC_OK : RC_ENOMEM);
    for (int64_t v = 0; v < n; v++)
        group[v] = (int32_t)((n - 1 - v) / size);
    return list_members(group, n, n / size + (n % size != 0), out, err);
}

/* ------------------------------------------------------------------ growth */

/* A heap of candidates: those of the largest weight to the group first, of equal ones the first
 * vertex.  A vertex is there once for each growth of its weight; only its latest is valid. */
typedef struct heap {
    rc_ranked_t *candidate; /* key: complement of the weight; tie: the vertex */
    size_t count;
    size_t room;
} heap_t;

static rc_status_t push(heap_t *h, uint32_t weight, uint32_t vertex, rc_err_t *err)
{
    RC_PASS(RC_GROW(h->candidate, h->room, h->count + 1, "candidates of a group", err));
    h->candidate[h->count++] = (rc_ranked_t){~(uint64_t)weight, vertex};
    rc_ranked_lift(h->candidate, (int64_t)h->count);
    return RC_OK;
}

static rc_ranked_t pop(heap_t *h)
{
    rc_ranked_t top = h->candidate[0];
    h->candidate[0] = h->candidate[--h->count];
    rc_ranked_sift(h->candidate, (int64_t)h->count);
    return top;
}

typedef struct growth {
    const rc_graph_t *g;
    int32_t *group;   /* [n] -1: none yet */
    uint32_t *weight; /* [n] to the group in hand; 0 for all but candidates */
    heap_t candidate;
} growth_t;

static rc_status_t add_candidates(growth_t *w, int64_t v, rc_err_t *err)
{
    const rc_graph_t *g = w->g;
    rc_status_t st = RC_OK;
    for (int64_t e = g->ptr[v]; e < g->ptr[v + 1] && st == RC_OK; e++) {
        int32_t u = g->adj[e];
        if (w->group[u] >= 0)
            continue;
        w->weight[u] += (uint32_t)rc_graph_weight(g, e);
        st = push(&w->candidate, w->weight[u], (uint32_t)u, err);
    }
    return st;
}

/* The next member, or -1. */
static int64_t take_best(growth_t *w)
{
    while (w->candidate.count > 0) {
        rc_ranked_t best = pop(&w->candidate);
        if (w->group[best.tie] < 0 && w->weight[best.tie] == ~best.key)
            return (int64_t)best.tie;
    }
    return -1;
}

static rc_status_t grow(growth_t *w, int64_t seed, int64_t size, int32_t number, rc_err_t *err)
{
    int64_t v = seed;
    w->candidate.count = 0;
    for (int64_t members = 1; v >= 0; members++) {
        w->group[v] = number;
        w->weight[v] = 0;
        if (members == size)
            break;
        RC_PASS(add_candidates(w, v, err));
        v = take_best(w);
    }
    for (size_t i = 0; i < w->candidate.count; i++)
        w->weight[w->candidate.candidate[i].tie] = 0;
    return RC_OK;
}

/* group[v] = the groups in the order of their creation.  \param[out] count  of them */
static rc_status_t grow_all(
    const rc_graph_t *g, int64_t size, int32_t *group, int64_t *count, rc_err_t *err)
{
    growth_t w = {.g = g, .group = group};
    rc_status_t st;
    RC_TRY(RC_NEW0(w.weight, g->n, "weights to a group", err));
    int64_t n = 0;
    for (int64_t v = 0; v < g->n; v++)
        group[v] = -1;
    for (int64_t v = 0; v < g->n; v++)
        if (group[v] < 0)
            RC_TRY(grow(&w, v, size, (int32_t)n++, err));
    *count = n;
    st = RC_OK;
done:
    free(w.weight);
    free(w.candidate.candidate);
    return st;
}

/* ----------------------------------------------------------------- merging */

/* Small groups go into others: lists of groups that are one now. */
typedef struct merging {
    const rc_graph_t *g;
    const rc_grouping_t *made; /* as they grew */
    int64_t size;
    int32_t *into;    /* [count] the group that it was merged into, or itself */
    int32_t *next;    /* [count] next group of the same one, -1: none */
    int32_t *last;    /* [count] of the list of a group */
    int32_t *members; /* [count] vertices of a group and what was merged into it */
    int32_t *waiting; /* [count + 1] waiting group of a key; the last for no neighbour; -1: none */
    int32_t *weight;  /* [count] edge weight to the group in hand */
    int32_t *near;    /* [count] its neighbouring groups */
    int64_t nears;
} merging_t;

static int32_t group_of(merging_t *m, int32_t k)
{
    while (m->into[k] != k) {
        m->into[k] = m->into[m->into[k]];
        k = m->into[k];
    }
    return k;
}

static void find_near(merging_t *m, int32_t k)
{
    const rc_graph_t *g = m->g;
    m->nears = 0;
    for (int32_t part = k; part >= 0; part = m->next[part])
        for (int64_t i = m->made->ptr[part]; i < m->made->ptr[part + 1]; i++) {
            int64_t v = m->made->member[i];
            for (int64_t e = g->ptr[v]; e < g->ptr[v + 1]; e++) {
                int32_t other = group_of(m, m->made->group[g->adj[e]]);
                if (other == k)
                    continue;
                if (m->weight[other] == 0)
                    m->near[m->nears++] = other;
                m->weight[other] += rc_graph_weight(g, e);
            }
        }
}

/* The neighbouring group with most weight among those with room for so many more; -1: none. */
static int32_t heaviest(const merging_t *m, int64_t more)
{
    int32_t best = -1;
    for (int64_t i = 0; i < m->nears; i++) {
        int32_t k = m->near[i];
        if (m->members[k] > m->size - more)
            continue;
        if (best < 0 || m->weight[k] > m->weight[best] ||
            (m->weight[k] == m->weight[best] && k < best))
            best = k;
    }
    return best;
}

static void merge(merging_t *m, int32_t from, int32_t to)
{
    m->into[from] = to;
    m->members[to] += m->members[from];
    m->next[m->last[to]] = from;
    m->last[to] = m->last[from];
}

static void place_small(merging_t *m, int32_t k)
{
    find_near(m, k);
    int32_t to = heaviest(m, m->members[k]);
    if (to < 0) {
        int32_t key = heaviest(m, 0);
        int32_t *waiting = &m->waiting[key < 0 ? m->made->count : key];
        if (*waiting >= 0 && m->members[*waiting] <= m->size - m->members[k])
            to = *waiting;
        else
            *waiting = k;
    }
    for (int64_t i = 0; i < m->nears; i++)
        m->weight[m->near[i]] = 0;
    if (to >= 0)
        merge(m, k, to);
}

static rc_status_t open_merging(merging_t *m, rc_pool_t *pool, rc_err_t *err)
{
    size_t n = (size_t)m->made->count;
    m->into = rc_pool_get(pool, n, sizeof *m->into);
    m->next = rc_pool_get(pool, n, sizeof *m->next);
    m->last = rc_pool_get(pool, n, sizeof *m->last);
    m->members = rc_pool_get(pool, n, sizeof *m->members);
    m->waiting = rc_pool_get(pool, n + 1, sizeof *m->waiting);
    m->weight = rc_pool_get0(pool, n, sizeof *m->weight);
    m->near = rc_pool_get(pool, n, sizeof *m->near);
    RC_PASS(rc_pool_check(pool, "groups", err));
    for (size_t k = 0; k < n; k++) {
        m->into[k] = m->last[k] = (int32_t)k;
        m->next[k] = m->waiting[k] = -1;
        m->members[k] = (int32_t)(m->made->ptr[k + 1] - m->made->ptr[k]);
    }
    m->waiting[n] = -1;
    return RC_OK;
}

/* group[v] = the group that is left of its own, numbered without gaps.  \return how many are
 * left */
static int64_t number_left(merging_t *m, int32_t *group)
{
    int64_t left = 0;
    for (int64_t k = 0; k < m->made->count; k++)
        if (m->into[k] == k)
            m->last[k] = (int32_t)left++;
    for (int64_t v = 0; v < m->g->n; v++)
        group[v] = m->last[group_of(m, group[v])];
    return left;
}

rc_status_t rc_group_heavy(const rc_graph_t *g, int64_t size, rc_grouping_t *out, rc_err_t *err)
{
    size_t n = (size_t)g->n;
    rc_pool_t pool = {0};
    rc_grouping_t made = {.group = rc_alloc(n, sizeof *made.group, "groups", err)};
    merging_t m = {.g = g, .made = &made, .size = size};
    rc_status_t st;
    RC_TRY(made.group ? RC_OK : RC_ENOMEM);
    RC_TRY(grow_all(g, size, made.group, &made.count, err));
    made.ptr = rc_pool_get(&pool, (size_t)made.count + 2, sizeof *made.ptr);
    made.member = rc_pool_get(&pool, n, sizeof *made.member);
    RC_TRY(rc_pool_check(&pool, "groups", err));
    rc_list_groups(made.group, g->n, made.count, made.ptr, made.member);
    RC_TRY(open_merging(&m, &pool, err));
    for (int64_t k = 0; k < made.count; k++)
        if (m.into[k] == k && m.members[k] <= size / 2)
            place_small(&m, (int32_t)k);
    made.count = number_left(&m, made.group);
done:
    rc_pool_free(&pool);
    if (st == RC_OK)
        return list_members(made.group, g->n, made.count, out, err);
    free(made.group);
    return st;
}

/* ------------------------------------------------------------ coarse graph */

/* The edges of one group.  at[k]: where group k is in its list, -1: it is not, as for all before
 * and after. */
static void coarse_edges(
    const rc_graph_t *g, const rc_grouping_t *groups, int64_t k, int32_t *at, rc_graph_t *out)
{
    int64_t first = out->ptr[k];
    int32_t *adj = out->adj + first;
    int32_t n = 0;
    for (int64_t i = groups->ptr[k]; i < groups->ptr[k + 1]; i++) {
        int64_t v = groups->member[i];
        for (int64_t e = g->ptr[v]; e < g->ptr[v + 1]; e++) {
            int32_t other = groups->group[g->adj[e]];
            if (other == k)
                continue;
            int32_t weight = rc_graph_weight(g, e);
            if (at[other] < 0) {
                adj[n] = other;
                at[other] = n++;
            } else
                weight += rc_graph_weight(out, first + at[other]);
            rc_graph_set_weight(out, first + at[other], weight);
        }
    }
    for (int32_t i = 0; i < n; i++)
        at[adj[i]] = -1;
}

static int64_t count_edges(
    const rc_graph_t *g, const rc_grouping_t *groups, int64_t k, int32_t *seen)
{
    int64_t n = 0;
    for (int64_t i = groups->ptr[k]; i < groups->ptr[k + 1]; i++) {
        int64_t v = groups->member[i];
        for (int64_t e = g->ptr[v]; e < g->ptr[v + 1]; e++) {
            int32_t other = groups->group[g->adj[e]];
            n += other != k && seen[other] != k;
            seen[other] = (int32_t)k;
        }
    }
    return n;
}

/* named = the groups by the smallest index among their members, index = the other way round. */
static rc_status_t name_groups(
    const rc_level_t *fine, rc_grouping_t *groups, int32_t *index, rc_err_t *err)
{
    int64_t n = fine->g.n;
    int32_t named = 0;
    int32_t *vertex = rc_alloc((size_t)n, sizeof *vertex, "names of groups", err);
    groups->named = rc_alloc((size_t)groups->count, sizeof *groups->named, "names of groups", err);
    if (!vertex || !groups->named) {
        free(vertex);
        return RC_ENOMEM;
    }
    for (int64_t v = 0; v < n; v++)
        vertex[fine->index[v]] = (int32_t)v;
    for (int64_t k = 0; k < groups->count; k++)
        index[k] = -1;
    for (int64_t i = 0; i < n; i++) {
        int32_t k = groups->group[vertex[i]];
        if (index[k] >= 0)
            continue;
        groups->named[named] = k;
        index[k] = named++;
    }
    free(vertex);
    return RC_OK;
}

/* No edge between groups is heavier: all members of both are neighbours, with the heaviest
 * edges. */
static int32_t heaviest_between(const rc_graph_t *g, const rc_grouping_t *groups)
{
    int64_t most = rc_grouping_most(groups);
    int64_t bound = rc_sat_mul(g->heaviest, rc_sat_mul(most, most));
    return bound < INT32_MAX ? (int32_t)bound : INT32_MAX;
}

rc_status_t rc_coarse_level(
    const rc_level_t *fine, rc_grouping_t *groups, int threads, rc_level_t *out, rc_err_t *err)
{
    const rc_graph_t *g = &fine->g;
    rc_status_t st;
    int64_t n = groups->count;
    int64_t pay = 1 + g->ptr[g->n] / (n + 1); /* threads whose tables take less than the edges */
    threads = threads < pay ? threads : (int)pay;
    *out = (rc_level_t){.g = {.n = n}};
    int32_t *at = rc_alloc((size_t)(n * threads), sizeof *at, "a graph of groups", err);
    out->g.ptr = rc_alloc0((size_t)n + 1, sizeof *out->g.ptr, "a graph of groups", err);
    out->index = rc_alloc((size_t)n, sizeof *out->index, "a graph of groups", err);
    RC_TRY(at && out->g.ptr && out->index ? RC_OK : RC_ENOMEM);
    RC_TRY(name_groups(fine, groups, out->index, err));
    for (int64_t i = 0; i < n * threads; i++)
        at[i] = -1;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024) if (n > 10000)
    for (int64_t k = 0; k < n; k++)
        out->g.ptr[k + 1] = count_edges(g, groups, k, at + n * omp_get_thread_num());
    for (int64_t k = 0; k < n; k++)
        out->g.ptr[k + 1] += out->g.ptr[k];
    RC_TRY(rc_graph_alloc_edges(&out->g, heaviest_between(g, groups), "a graph of groups", err));
    for (int64_t i = 0; i < n * threads; i++)
        at[i] = -1;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1024) if (n > 10000)
    for (int64_t k = 0; k < n; k++)
        coarse_edges(g, groups, k, at + n * omp_get_thread_num(), &out->g);
    rc_graph_narrow(&out->g);
done:
    free(at);
    return st;
}
