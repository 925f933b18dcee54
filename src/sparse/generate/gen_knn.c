#include "config.h"
#include "sparse/generate.h"
#include "sparse/generate/points.h"
#include "sparse/generate/rows.h"

enum { n, dim, k, symmetric };

enum { MOST = 256 };

/* The nearest points so far, by distance, then by number. */
typedef struct nearest {
    int64_t wanted;
    int64_t count;
    int64_t squared[MOST];
    int64_t point[MOST];
} nearest_t;

static void keep(void *of, int64_t point, int64_t squared)
{
    nearest_t *m = of;
    int64_t at = m->count;
    if (at == m->wanted) {
        at--;
        if (squared > m->squared[at] || (squared == m->squared[at] && point > m->point[at]))
            return;
    } else
        m->count++;
    for (; at > 0 && (m->squared[at - 1] > squared ||
                         (m->squared[at - 1] == squared && m->point[at - 1] > point));
         at--) {
        m->squared[at] = m->squared[at - 1];
        m->point[at] = m->point[at - 1];
    }
    m->squared[at] = squared;
    m->point[at] = point;
}

static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    const rc_points_t *points = r->of;
    nearest_t m = {.wanted = r->p[k] < r->p[n] ? (int64_t)r->p[k] : r->rows - 1};
    int64_t reach = 1;
    int64_t within = INT64_MAX;
    for (int all = 0; m.wanted > 0 && !all;) {
        m.count = 0;
        all = rc_points_near(points, i, reach, within, keep, &m);
        if (m.count < m.wanted) {
            reach *= 2;
            continue;
        }
        /* what lies outside these cells is farther than `reach` cells */
        within = m.squared[m.count - 1];
        int64_t needed = reach;
        while ((needed << RC_POINT_BITS) * (needed << RC_POINT_BITS) < within)
            needed++;
        if (needed == reach)
            break;
        reach = needed;
    }
    for (int64_t j = 0; j < m.count; j++)
        rc_row_add(out, m.point[j]);
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    rc_points_t points = {.n = (int64_t)p[n], .dim = (int)p[dim], .jitter = 1};
    rc_rows_t r = rc_rows_of(p, seed, row, p[symmetric] > 0 ? 1.4 * p[k] : p[k]);
    r.mirror = p[symmetric] > 0;
    r.of = &points;
    return rc_points_rows(&points, 0, &r, out, err);
}

const rc_generator_t rc_generator_knn = {
    .name = "knn",
    .summary = "random points, each with its k nearest ones",
    .source = "Eppstein, Paterson, Yao 1997, doi:10.1007/PL00009293",
    .version = 1,
    .param = {{"n", "rows", 20000, 1, 2147483647, 1},
        {"dim", "2: in a square, 3: in a cube", 2, 2, 3, 1}, {"k", "nearest points", 8, 0, MOST, 1},
        {"symmetric", "1: with (i, j) also (j, i)", 0, 0, 1, 1}},
    .generate = generate,
};
