#include "config.h"
#include "rcm_reference.h"

#include <stdlib.h>

/* Everything on a full matrix of weights, every choice by trying all vertices. */
typedef struct full {
    int n;
    const int *weight; /* [n * n] */
    long *degree;
} full_t;

/* Does x come before y, by (degree, index)? */
static int before(const full_t *f, int x, int y)
{
    return f->degree[x] < f->degree[y] || (f->degree[x] == f->degree[y] && x < y);
}

/* Distance of every vertex from a root, -1 where it cannot be reached; returns the largest. */
static int distances(const full_t *f, int root, int *distance)
{
    int most = 0;
    for (int v = 0; v < f->n; v++)
        distance[v] = v == root ? 0 : -1;
    for (int changed = 1, level = 0; changed; level++) {
        changed = 0;
        for (int v = 0; v < f->n; v++)
            for (int u = 0; u < f->n && distance[v] == level; u++)
                if (f->weight[v * f->n + u] && distance[u] < 0) {
                    distance[u] = level + 1;
                    most = level + 1;
                    changed = 1;
                }
    }
    return most;
}

/* The first vertex at a distance (any when `at` is negative) among those that are reached. */
static int first_at(const full_t *f, const int *distance, int at)
{
    int best = -1;
    for (int v = 0; v < f->n; v++)
        if (distance[v] >= 0 && (at < 0 || distance[v] == at) && (best < 0 || before(f, v, best)))
            best = v;
    return best;
}

static int root_of(const full_t *f, int v, int *distance)
{
    (void)distances(f, v, distance);
    int root = first_at(f, distance, -1);
    for (;;) {
        int depth = distances(f, root, distance);
        int far = first_at(f, distance, depth);
        if (distances(f, far, distance) <= depth)
            return root;
        root = far;
    }
}

/* Cuthill-McKee from a root, appended at order[at]; returns the new end. */
static int append(const full_t *f, int root, int32_t *order, int at, int *placed)
{
    int end = at + 1;
    order[at] = root;
    placed[root] = 1;
    for (int i = at; i < end; i++)
        for (;;) {
            int best = -1;
            for (int u = 0; u < f->n; u++)
                if (f->weight[order[i] * f->n + u] && !placed[u] && (best < 0 || before(f, u, best)))
                    best = u;
            if (best < 0)
                break;
            placed[best] = 1;
            order[end++] = best;
        }
    return end;
}

static void *zeros(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);
    if (!p)
        abort();
    return p;
}

int *weights_reference(const rc_csr_t *a)
{
    size_t n = (size_t)a->rows;
    int *weight = zeros(n * n, sizeof *weight);
    for (size_t r = 0; r < n; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            if (a->col_idx[e] != (int)r) {
                weight[r * n + (size_t)a->col_idx[e]]++;
                weight[(size_t)a->col_idx[e] * n + r]++;
            }
    return weight;
}

void cuthill_mckee_reference(int vertices, const int *weight, int32_t *order)
{
    full_t f = {.n = vertices, .weight = weight};
    size_t n = (size_t)f.n;
    f.degree = zeros(n, sizeof *f.degree);
    int *distance = zeros(n, sizeof *distance);
    int *placed = zeros(n, sizeof *placed);
    for (int r = 0; r < f.n; r++)
        for (int c = 0; c < f.n; c++)
            f.degree[r] += f.weight[r * f.n + c];
    int end = 0;
    for (int v = 0; v < f.n; v++)
        if (!placed[v])
            end = append(&f, root_of(&f, v, distance), order, end, placed);
    free(f.degree);
    free(distance);
    free(placed);
}

void rcm_reference(const rc_csr_t *a, int32_t *order)
{
    int n = (int)a->rows;
    int *weight = weights_reference(a);
    cuthill_mckee_reference(n, weight, order);
    for (int i = 0, j = n - 1; i < j; i++, j--) {
        int32_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    free(weight);
}
