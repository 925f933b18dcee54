#include "config.h"
#include "sparse/generate/points.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/generate/rows.h"

#include <stdlib.h>

enum { UNIT = 1 << RC_POINT_BITS, CELL_STREAM = 0x43656c };

typedef struct place {
    int64_t at[3];  /* cell */
    int64_t off[3]; /* in it */
} place_t;

/* Where the points of random cells begin. */
static rc_status_t deal(rc_points_t *p, rc_err_t *err)
{
    RC_PASS(RC_NEW0(p->start, (size_t)p->n + 1, "cells of points", err));
    uint64_t key = rc_rng_keyed(rc_rng_key(p->seed), CELL_STREAM);
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < p->n; i++) {
        rc_draw_t d = {key, (uint64_t)i};
        int64_t cell = rc_draw_below(&d, p->n);
#pragma omp atomic
        p->start[cell + 1]++;
    }
    for (int64_t c = 0; c < p->n; c++)
        p->start[c + 1] += p->start[c];
    return RC_OK;
}

rc_status_t rc_points_rows(
    rc_points_t *p, int lattice, const rc_rows_t *r, rc_csr_t *out, rc_err_t *err)
{
    p->seed = r->seed;
    p->side = rc_whole_root(p->n, p->dim);
    RC_PASS(rc_rows_check(r, err));
    if (!lattice)
        RC_PASS(deal(p, err));
    rc_status_t st = rc_rows_build(r, out, err);
    free(p->start);
    p->start = NULL;
    return st;
}

static int64_t first_in(const rc_points_t *p, int64_t cell)
{
    return p->start ? p->start[cell] : cell;
}

static int64_t cell_of(const rc_points_t *p, int64_t i)
{
    return p->start ? rc_run_of(p->start, p->n, i) : i;
}

static void offset(const rc_points_t *p, int64_t i, int64_t off[3])
{
    rc_draw_t d = rc_draw_of(p->seed, i);
    for (int k = 0; k < 3; k++)
        off[k] =
            k < p->dim
                ? UNIT / 2 + (int64_t)(p->jitter * (double)(rc_draw_below(&d, UNIT) - UNIT / 2))
                : 0;
}

typedef struct search {
    const rc_points_t *p;
    int64_t i;
    int64_t within;
    place_t place;
    rc_near_fn *visit;
    void *of;
} search_t;

static void visit_cell(const search_t *s, int64_t cell, const int64_t step[3])
{
    for (int64_t j = first_in(s->p, cell); j < first_in(s->p, cell + 1); j++) {
        int64_t off[3];
        int64_t squared = 0;
        if (j == s->i)
            continue;
        offset(s->p, j, off);
        for (int k = 0; k < s->p->dim; k++) {
            int64_t d = step[k] * UNIT + off[k] - s->place.off[k];
            squared += d * d;
        }
        if (squared <= s->within)
            s->visit(s->of, j, squared);
    }
}

/* Square of the distance from the point to the cell that is so many steps away. */
static int64_t gap(const search_t *s, const int64_t step[3])
{
    int64_t squared = 0;
    for (int k = 0; k < s->p->dim; k++) {
        int64_t d = step[k] > 0   ? step[k] * UNIT - s->place.off[k]
                    : step[k] < 0 ? s->place.off[k] - (step[k] + 1) * UNIT
                                  : 0;
        squared += d * d;
    }
    return squared;
}

int rc_points_near(
    const rc_points_t *p, int64_t i, int64_t reach, int64_t within, rc_near_fn *visit, void *of)
{
    search_t s = {p, i, within, .visit = visit, .of = of};
    int64_t cell = cell_of(p, i);
    int64_t layer = p->dim == 3 ? p->side * p->side : p->n;
    s.place.at[0] = cell % p->side;
    s.place.at[1] = cell % layer / p->side;
    s.place.at[2] = cell / layer;
    offset(p, i, s.place.off);
    int64_t deep = p->dim == 3 ? reach : 0;
    for (int64_t dz = -deep; dz <= deep; dz++)
        for (int64_t dy = -reach; dy <= reach; dy++)
            for (int64_t dx = -reach; dx <= reach; dx++) {
                int64_t x = s.place.at[0] + dx;
                int64_t y = s.place.at[1] + dy;
                int64_t at = x + y * p->side + (s.place.at[2] + dz) * layer;
                if (x < 0 || x >= p->side || y < 0 || (p->dim == 3 && y >= p->side) || at < 0 ||
                    at >= p->n)
                    continue;
                const int64_t step[3] = {dx, dy, dz};
                if (gap(&s, step) <= within)
                    visit_cell(&s, at, step);
            }
    return reach >= p->side && (p->dim == 2 || reach >= p->n / layer + 1);
}

int64_t rc_points_radius(double nodes, int dimensions)
{
    int64_t low = 0;
    int64_t high = INT64_C(1) << (RC_POINT_BITS + 10);
    const double pi = 3.14159265358979323846;
    while (high - low > 1) {
        int64_t middle = (low + high) / 2;
        double r = (double)middle / (double)(1 << RC_POINT_BITS);
        double room = dimensions == 2 ? pi * r * r : 4 * pi / 3 * r * r * r;
        if (room <= nodes)
            low = middle;
        else
            high = middle;
    }
    return low;
}
