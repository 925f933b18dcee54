#include "config.h"
#include "rcm_reference.h"

#include <stdlib.h>
#include <string.h>

/* Everything on a full matrix of weights, every choice by trying all vertices. */
typedef struct full {
    int n;
    int *weight; /* [n * n] */
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

void rcm_reference(const rc_csr_t *a, int32_t *order)
{
    full_t f = {.n = (int)a->rows};
    size_t n = (size_t)f.n;
    f.weight = calloc(n * n + 1, sizeof *f.weight);
    f.degree = calloc(n + 1, sizeof *f.degree);
    int *distance = calloc(n + 1, sizeof *distance);
    int *placed = calloc(n + 1, sizeof *placed);
    if (!f.weight || !f.degree || !distance || !placed)
        abort();
    for (int r = 0; r < f.n; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            if (a->col_idx[e] != r) {
                f.weight[r * f.n + a->col_idx[e]]++;
                f.weight[a->col_idx[e] * f.n + r]++;
            }
    for (int r = 0; r < f.n; r++)
        for (int c = 0; c < f.n; c++)
            f.degree[r] += f.weight[r * f.n + c];
    int end = 0;
    for (int v = 0; v < f.n; v++)
        if (!placed[v])
            end = append(&f, root_of(&f, v, distance), order, end, placed);
    for (int i = 0, j = f.n - 1; i < j; i++, j--) {
        int32_t swap = order[i];
        order[i] = order[j];
        order[j] = swap;
    }
    free(f.weight);
    free(f.degree);
    free(distance);
    free(placed);
}
