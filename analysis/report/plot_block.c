#include "config.h"
#include "analysis/report/plot_block.h"
#include "base/alloc.h"
#include "base/rng.h"
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

enum { GROUPS_MAX = 16, GROUP_MIN = 8 };

void rc_plot_block_begin(rc_plot_text_t *t, const char *name)
{
    rc_str_addf(&t->define, "$%s << END_OF_BLOCK\n", name);
}

void rc_plot_block_end(rc_plot_text_t *t)
{
    rc_str_add(&t->define, "END_OF_BLOCK\n");
}

static int is_point(const double *x, const double *y, int64_t i)
{
    return isfinite(x[i]) && isfinite(y[i]);
}

int64_t rc_plot_block_points(
    rc_plot_text_t *t, const double *x, const double *y, int64_t n, int64_t most)
{
    int64_t there = 0;
    int64_t put = 0;
    for (int64_t i = 0; i < n; i++)
        there += is_point(x, y, i);
    /* the most-th part of all hashes, about */
    uint64_t limit =
        there > most ? (uint64_t)((double)UINT64_MAX / (double)there * (double)most) : UINT64_MAX;
    for (int64_t i = 0; i < n; i++)
        if (is_point(x, y, i) && rc_rng_hash(1, (uint64_t)i) <= limit) {
            rc_str_addf(&t->define, "%.5g,%.5g\n", x[i], y[i]);
            put++;
        }
    rc_str_add(&t->define, put ? "\n\n" : "NaN,NaN\n\n\n");
    return there - put;
}

typedef struct point {
    double x;
    double y;
} point_t;

static int by_x(const void *a, const void *b)
{
    const point_t *p = a;
    const point_t *q = b;
    if (p->x != q->x)
        return p->x < q->x ? -1 : 1;
    return (p->y > q->y) - (p->y < q->y);
}

rc_status_t rc_plot_block_trend(
    rc_plot_text_t *t, const double *x, const double *y, int64_t n, rc_err_t *err)
{
    int64_t there = 0;
    point_t *p = rc_alloc((size_t)n, sizeof *p, "points", err);
    double *group = rc_alloc((size_t)n, sizeof *group, "points", err);
    if (!p || !group) {
        free(p);
        free(group);
        return RC_ENOMEM;
    }
    for (int64_t i = 0; i < n; i++)
        if (is_point(x, y, i))
            p[there++] = (point_t){x[i], y[i]};
    if (there)
        qsort(p, (size_t)there, sizeof *p, by_x);
    int64_t groups = there / GROUP_MIN > GROUPS_MAX ? GROUPS_MAX : there / GROUP_MIN;
    for (int64_t g = 0; g < groups; g++) {
        int64_t from = g * there / groups;
        int64_t m = (g + 1) * there / groups - from;
        for (int64_t i = 0; i < m; i++)
            group[i] = p[from + i].y;
        qsort(group, (size_t)m, sizeof *group, rc_stats_compare);
        rc_str_addf(&t->define, "%.5g,%.5g,%.5g,%.5g\n",
            0.5 * (p[from + (m - 1) / 2].x + p[from + m / 2].x), rc_stats_quantile(group, m, 0.5),
            rc_stats_quantile(group, m, 0.25), rc_stats_quantile(group, m, 0.75));
    }
    rc_str_add(&t->define, groups ? "\n\n" : "NaN,NaN,NaN,NaN\n\n\n");
    free(p);
    free(group);
    return RC_OK;
}
