#include "config.h"
#include "bandk_reference.h"
#include "rcm_reference.h"

#include <limits.h>
#include <stdlib.h>

/* Vertices have the numbers of the definition, everything stands in full matrices, every choice is made by
 * looking at all. */
typedef struct level {
    int n;
    int *weight; /* [n * n] */
    int *group;  /* [n] of each vertex, numbered as the next level numbers its vertices */
} level_t;

static void *zeros(int n, size_t size)
{
    void *p = calloc((size_t)n + 1, size);
    if (!p)
        abort();
    return p;
}

/* ------------------------------------------------------------------- heavy */

/* Groups in the making: number by creation, -1 for none. */
typedef struct making {
    const level_t *l;
    int *of;       /* [n] */
    int *merged;   /* [n] 1: went into another one */
    int *waiting;  /* [n + 1] of key k at k + 1; -1: none */
    int count;
} making_t;

static int size_of(const making_t *m, int k)
{
    int size = 0;
    for (int v = 0; v < m->l->n; v++)
        size += m->of[v] == k;
    return size;
}

static int weight_between(const making_t *m, int k, int other)
{
    int sum = 0;
    for (int v = 0; v < m->l->n; v++)
        for (int u = 0; u < m->l->n && m->of[v] == k; u++)
            if (m->of[u] == other)
                sum += m->l->weight[v * m->l->n + u];
    return sum;
}

static int weight_to_group(const making_t *m, int v, int k)
{
    int sum = 0;
    for (int u = 0; u < m->l->n; u++)
        if (m->of[u] == k)
            sum += m->l->weight[v * m->l->n + u];
    return sum;
}

static void grow(making_t *m, const int32_t *cm, int size)
{
    for (int i = 0; i < m->l->n; i++) {
        if (m->of[cm[i]] >= 0)
            continue;
        int k = m->count++;
        m->of[cm[i]] = k;
        while (size_of(m, k) < size) {
            int best = -1;
            int most = 0;
            for (int j = 0; j < m->l->n; j++)
                if (m->of[cm[j]] < 0 && weight_to_group(m, cm[j], k) > most) {
                    best = cm[j];
                    most = weight_to_group(m, best, k);
                }
            if (best < 0)
                break;
            m->of[best] = k;
        }
    }
}

/* The neighbouring group of most weight with at most so many members; -1: none. */
static int heaviest(const making_t *m, int k, int members)
{
    int best = -1;
    int most = 0;
    for (int other = 0; other < m->count; other++)
        if (other != k && size_of(m, other) <= members && weight_between(m, k, other) > most) {
            best = other;
            most = weight_between(m, k, other);
        }
    return best;
}

static void merge_small(making_t *m, int size)
{
    for (int k = 0; k < m->count; k++) {
        int members = size_of(m, k);
        if (m->merged[k] || 2 * members > size)
            continue;
        int to = heaviest(m, k, size - members);
        if (to < 0) {
            int *waiting = &m->waiting[heaviest(m, k, INT_MAX) + 1];
            if (*waiting >= 0 && size_of(m, *waiting) + members <= size)
                to = *waiting;
            else
                *waiting = k;
        }
        if (to < 0)
            continue;
        m->merged[k] = 1;
        for (int v = 0; v < m->l->n; v++)
            if (m->of[v] == k)
                m->of[v] = to;
    }
}

/* ------------------------------------------------------------------ levels */

/* Group numbers by their smallest vertices; returns how many. */
static int number_groups(level_t *l, const int *of)
{
    int count = 0;
    for (int v = 0; v < l->n; v++) {
        l->group[v] = -1;
        for (int u = 0; u < v; u++)
            if (of[u] == of[v])
                l->group[v] = l->group[u];
        if (l->group[v] < 0)
            l->group[v] = count++;
    }
    return count;
}

static void coarsen(level_t *l, int size, int band, level_t *coarse)
{
    making_t m = {.l = l, .of = zeros(l->n, sizeof(int)), .merged = zeros(l->n, sizeof(int)),
        .waiting = zeros(l->n + 1, sizeof(int))};
    int32_t *cm = zeros(l->n, sizeof *cm);
    cuthill_mckee_reference(l->n, l->weight, cm);
    for (int v = 0; v < l->n; v++)
        m.of[v] = m.waiting[v] = -1;
    m.waiting[l->n] = -1;
    if (!band) {
        grow(&m, cm, size);
        merge_small(&m, size);
    }
    for (int i = 0; i < l->n && band; i++)
        m.of[cm[l->n - 1 - i]] = i / size;
    l->group = zeros(l->n, sizeof *l->group);
    *coarse = (level_t){.n = number_groups(l, m.of)};
    coarse->weight = zeros(coarse->n * coarse->n, sizeof *coarse->weight);
    for (int v = 0; v < l->n; v++)
        for (int u = 0; u < l->n; u++)
            if (l->group[v] != l->group[u])
                coarse->weight[l->group[v] * coarse->n + l->group[u]] += l->weight[v * l->n + u];
    free(m.of);
    free(m.merged);
    free(m.waiting);
    free(cm);
}

/* --------------------------------------------------------------- expansion */

static int degree_of(const level_t *l, int v)
{
    int sum = 0;
    for (int u = 0; u < l->n; u++)
        sum += l->weight[v * l->n + u];
    return sum;
}

/* The place of the earliest placed neighbour of another group. */
static int earliest(const level_t *l, const int *place, int v)
{
    int first = INT_MAX;
    for (int u = 0; u < l->n; u++)
        if (l->weight[v * l->n + u] && l->group[u] != l->group[v] && place[u] >= 0 && place[u] < first)
            first = place[u];
    return first;
}

/* Does x come before y, by (key, degree, index)? */
static int before(const level_t *l, int key_x, int x, int key_y, int y)
{
    if (key_x != key_y)
        return key_x < key_y;
    if (degree_of(l, x) != degree_of(l, y))
        return degree_of(l, x) < degree_of(l, y);
    return x < y;
}

/* The next member of group k: a neighbour of v, or with v < 0 where to start.  -1: none. */
static int next_member(const level_t *l, const int *place, int k, int v)
{
    int best = -1;
    for (int u = 0; u < l->n; u++) {
        if (l->group[u] != k || place[u] >= 0 || (v >= 0 && !l->weight[v * l->n + u]))
            continue;
        int key = v < 0 ? earliest(l, place, u) : 0;
        if (best < 0 || before(l, key, u, v < 0 ? earliest(l, place, best) : 0, best))
            best = u;
    }
    return best;
}

/* The order of a level from that of its groups; ptr gets where they begin. */
static int32_t *expand(const level_t *l, int32_t *coarse, int groups, int *ptr)
{
    int32_t *order = zeros(l->n, sizeof *order);
    int *place = zeros(l->n, sizeof *place);
    int end = 0;
    for (int v = 0; v < l->n; v++)
        place[v] = -1;
    for (int i = 0; i < groups; i++) {
        int start;
        ptr[i] = end;
        while ((start = next_member(l, place, coarse[i], -1)) >= 0) {
            int at = end;
            place[start] = end;
            order[end++] = start;
            for (; at < end; at++)
                for (int u; (u = next_member(l, place, coarse[i], order[at])) >= 0;) {
                    place[u] = end;
                    order[end++] = u;
                }
        }
    }
    ptr[groups] = end;
    free(place);
    free(coarse);
    return order;
}

void bandk_reference(const rc_csr_t *a, int srs, int ssrs, int band, bandk_reference_t *out)
{
    const int size[2] = {srs, ssrs};
    int tops = ssrs > 0 ? 2 : 1;
    level_t level[3] = {{.n = (int)a->rows, .weight = weights_reference(a)}};
    *out = (bandk_reference_t){0};
    for (int i = 0; i < tops; i++) {
        coarsen(&level[i], size[i], band, &level[i + 1]);
        out->groups[i] = level[i + 1].n;
        out->ptr[i] = zeros(level[i + 1].n, sizeof(int));
    }
    int n = level[tops].n;
    int32_t *cm = zeros(n, sizeof *cm);
    out->order = zeros(n, sizeof *out->order);
    cuthill_mckee_reference(n, level[tops].weight, cm);
    for (int i = 0; i < n; i++)
        out->order[i] = cm[n - 1 - i];
    free(cm);
    for (int i = tops - 1; i >= 0; i--)
        out->order = expand(&level[i], out->order, level[i + 1].n, out->ptr[i]);
    for (int i = 0; i <= tops; i++) {
        free(level[i].weight);
        free(level[i].group);
    }
}

void bandk_reference_free(bandk_reference_t *b)
{
    free(b->order);
    free(b->ptr[0]);
    free(b->ptr[1]);
}
