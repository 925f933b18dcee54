#include "config.h"
#include "table/portfolio.h"
#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

/* Sum over the rows of the least cost with column `i` added; fmin passes NaN over. */
static double sum_with(const rc_portfolio_costs_t *c, const double *best, int i)
{
    double sum = 0;
    for (int64_t r = 0; r < c->rows; r++)
        sum += fmin(best[r], c->cost[r * c->columns + i]);
    return sum;
}

static rc_portfolio_step_t next(
    const rc_portfolio_costs_t *c, const double *best, const unsigned char *used)
{
    rc_portfolio_step_t least = {-1, INFINITY};
    for (int i = 0; i < c->columns; i++) {
        if (used[i])
            continue;
        double sum = sum_with(c, best, i);
        if (least.added < 0 || sum < least.sum)
            least = (rc_portfolio_step_t){i, sum};
    }
    return least;
}

rc_status_t rc_portfolio_greedy(
    const rc_portfolio_costs_t *c, rc_portfolio_step_t *step, int *count, rc_err_t *err)
{
    double *best = rc_alloc((size_t)c->rows, sizeof *best, "a portfolio", err);
    unsigned char *used = rc_alloc0((size_t)c->columns, 1, "a portfolio", err);
    int n = 0;
    if (!best || !used) {
        free(best);
        free(used);
        return RC_ENOMEM;
    }
    for (int64_t r = 0; r < c->rows; r++)
        best[r] = INFINITY;
    while (n < c->columns && n < c->most) {
        rc_portfolio_step_t s = {c->first, 0};
        if (n == 0 && c->first >= 0)
            s.sum = sum_with(c, best, c->first);
        else
            s = next(c, best, used);
        used[s.added] = 1;
        for (int64_t r = 0; r < c->rows; r++)
            best[r] = fmin(best[r], c->cost[r * c->columns + s.added]);
        step[n++] = s;
        if (s.sum <= c->limit)
            break;
    }
    *count = n;
    free(best);
    free(used);
    return RC_OK;
}
