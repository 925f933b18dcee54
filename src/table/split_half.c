#include "config.h"
#include "table/split_half.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/digest.h"
#include "base/rng.h"
#include "table/portfolio.h"

#include <math.h>
#include <stdlib.h>

const double rc_error_unknown = 0.05;

/* Standard errors that a difference has to exceed. */
static const double tie_errors = 2;

rc_timed_t rc_timed_of(const rc_view_t *v, int64_t i)
{
    const rc_row_result_t *r = rc_view_result(v, i);
    const int64_t *sample = rc_view_samples(v, i);
    return (rc_timed_t){.ns = rc_view_ns(v, i),
        .rel_err = r->rel_err,
        .seed = rc_digest(r->case_id, sizeof r->case_id).lo,
        .sample = sample,
        .samples = sample ? r->reps : 0,
        .batch = (double)r->batch / rc_view_scale(v, i)};
}

static double error_of(const rc_timed_t *t)
{
    return isfinite(t->rel_err) && t->rel_err >= 0 ? t->rel_err : rc_error_unknown;
}

int rc_timed_tie(const rc_timed_t *a, const rc_timed_t *b)
{
    return fabs(log(a->ns / b->ns)) <= tie_errors * hypot(error_of(a), error_of(b));
}

/* ------------------------------------------------------------------ one time */

/* In (0, 1]: its logarithm is finite. */
static double unit(uint64_t bits)
{
    return (double)((bits >> 11) + 1) * 0x1p-53;
}

/* Two normal numbers at a time: Box and Muller 1958, doi:10.1214/aoms/1177706645. */
static void thin(const rc_timed_t *t, double *half)
{
    const double pi = 3.14159265358979323846;
    double error = error_of(t);
    double mean = log(t->ns);
    for (int s = 0; s < RC_SPLITS; s += 2) {
        double radius = error * sqrt(-2 * log(unit(rc_rng_hash(t->seed, (uint64_t)s))));
        double angle = 2 * pi * unit(rc_rng_hash(t->seed, (uint64_t)s + 1));
        const double shift[2] = {radius * cos(angle), radius * sin(angle)};
        for (int i = 0; i < 2; i++) {
            half[2 * (s + i)] = mean + shift[i];
            half[2 * (s + i) + 1] = mean - shift[i];
        }
    }
}

typedef struct timing {
    double ns;
    int64_t round;
} timing_t;

static int by_time(const void *a, const void *b)
{
    const timing_t *x = a;
    const timing_t *y = b;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->round > y->round) - (x->round < y->round);
}

/* Of two rounds in a row one goes to either half, by a toss that all cases share. */
static int half_of(int64_t round, int split)
{
    return (int)((rc_rng_hash((uint64_t)split, (uint64_t)(round / 2)) & 1) ^ (uint64_t)(round & 1));
}

/* Medians of both halves of x[0..n), which is sorted. */
static void medians(const timing_t *x, int64_t n, int split, double median[2])
{
    int64_t size[2] = {n / 2, n / 2};
    int64_t seen[2] = {0, 0};
    size[half_of(n - 1, split)] += n % 2;
    median[0] = median[1] = 0;
    for (int64_t i = 0; i < n; i++) {
        int h = half_of(x[i].round, split);
        int64_t at = seen[h]++;
        if (at == (size[h] - 1) / 2)
            median[h] += x[i].ns / 2;
        if (at == size[h] / 2)
            median[h] += x[i].ns / 2;
    }
}

/* 1: there are samples, of this very time. */
static int has_samples(const rc_timed_t *t, const timing_t *x)
{
    int64_t n = t->samples;
    double median = (x[(n - 1) / 2].ns + x[n / 2].ns) / 2;
    return x[0].ns > 0 && fabs(median - t->ns) <= 1e-6 * t->ns;
}

/* Other programs make batches late, never early.  The median of all, which is the time of the row,
 * bears nearly half of them late, that of a half only a few.  So none counts as further above that
 * median than the fastest is below it, which leaves the median as it is. */
static void bound_late(timing_t *x, int64_t n, double median)
{
    const double latest = 2 * median - x[0].ns;
    for (int64_t i = n - 1; i >= 0 && x[i].ns > latest; i--)
        x[i].ns = latest;
}

rc_status_t rc_split_half(const rc_timed_t *t, double *half, rc_err_t *err)
{
    if (!t->sample || t->samples < 2) {
        thin(t, half);
        return RC_OK;
    }
    timing_t *x = rc_alloc((size_t)t->samples, sizeof *x, "raw times", err);
    RC_PASS(x ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < t->samples; i++)
        x[i] = (timing_t){(double)t->sample[i] / t->batch, i};
    qsort(x, (size_t)t->samples, sizeof *x, by_time);
    const int has = has_samples(t, x);
    if (has)
        bound_late(x, t->samples, t->ns);
    else
        thin(t, half);
    for (int s = 0; has && s < RC_SPLITS; s++) {
        double median[2];
        medians(x, t->samples, s, median);
        half[2 * s] = log(median[0]);
        half[2 * s + 1] = log(median[1]);
    }
    free(x);
    return RC_OK;
}

/* ------------------------------------------------------------------- a table */

static size_t cells_of(const rc_halves_t *h)
{
    return (size_t)h->rows * (size_t)h->columns;
}

rc_status_t rc_halves_make(int64_t rows, int columns, rc_halves_t *out, rc_err_t *err)
{
    rc_halves_t h = {.rows = rows, .columns = columns};
    RC_PASS(RC_NEW(h.cost, cells_of(&h) * RC_HALVES, "halves of times", err));
    for (size_t i = 0; i < cells_of(&h) * RC_HALVES; i++)
        h.cost[i] = NAN;
    *out = h;
    return RC_OK;
}

void rc_halves_free(rc_halves_t *h)
{
    free(h->cost);
    *h = (rc_halves_t){0};
}

static double *cell(const rc_halves_t *h, int64_t row, int column)
{
    return h->cost + (row * h->columns + column) * RC_HALVES;
}

rc_status_t rc_halves_set(rc_halves_t *h, int64_t row, int column, const rc_timed_t *t,
    const rc_timed_t *base, rc_err_t *err)
{
    double under[RC_HALVES] = {0};
    double *own = cell(h, row, column);
    rc_status_t st = rc_split_half(t, own, err);
    if (st == RC_OK && base)
        st = rc_split_half(base, under, err);
    for (int i = 0; st == RC_OK && i < RC_HALVES; i++)
        own[i] -= under[i];
    return st;
}

static double mean_of(const double *half)
{
    double sum = 0;
    for (int i = 0; i < RC_HALVES; i++)
        sum += half[i];
    return sum / RC_HALVES;
}

double rc_halves_mean(const rc_halves_t *h, int64_t row, int column)
{
    return mean_of(cell(h, row, column));
}

rc_smallest_t rc_smallest_none(void)
{
    rc_smallest_t c;
    for (int i = 0; i < RC_HALVES; i++) {
        c.least[i] = INFINITY;
        c.score[i] = NAN;
    }
    return c;
}

void rc_smallest_add(rc_smallest_t *c, const double *half)
{
    for (int i = 0; i < RC_HALVES; i++)
        if (half[i] < c->least[i]) {
            c->least[i] = half[i];
            c->score[i] = half[i ^ 1];
        }
}

double rc_smallest_score(const rc_smallest_t *c)
{
    return mean_of(c->score);
}

double rc_halves_best(const rc_halves_t *h, int64_t row, int columns)
{
    rc_smallest_t best = rc_smallest_none();
    for (int c = 0; c < columns; c++)
        rc_smallest_add(&best, cell(h, row, c));
    return rc_smallest_score(&best);
}

/* What the portfolio of one half needs. */
typedef struct chosen {
    const rc_halves_t *h;
    const int64_t *row; /* NULL: all */
    int64_t rows;
    int first;
    double *cost;  /* [rows][columns] of the half */
    double *least; /* [rows] cost of the choice among the members so far */
    double *score; /* [rows] and what the other half says of it */
    rc_portfolio_step_t *step;
} chosen_t;

static const double *halves_of(const chosen_t *p, int64_t r, int column)
{
    return cell(p->h, p->row ? p->row[r] : r, column);
}

/* The portfolio of one half, scored in the other: added to sum[columns][rows]. */
static rc_status_t add_portfolio(const chosen_t *p, int half, double *sum, rc_err_t *err)
{
    int columns = p->h->columns;
    int count = 0;
    for (int64_t r = 0; r < p->rows; r++) {
        p->least[r] = INFINITY;
        p->score[r] = NAN;
        for (int c = 0; c < columns; c++)
            p->cost[r * columns + c] = halves_of(p, r, c)[half];
    }
    const rc_portfolio_costs_t costs = {.cost = p->cost,
        .rows = p->rows,
        .columns = columns,
        .first = p->first,
        .most = columns,
        .limit = -INFINITY};
    rc_status_t st = rc_portfolio_greedy(&costs, p->step, &count, err);
    for (int s = 0; st == RC_OK && s < count; s++)
        for (int64_t r = 0; r < p->rows; r++) {
            const double *own = halves_of(p, r, p->step[s].added);
            if (own[half] < p->least[r]) {
                p->least[r] = own[half];
                p->score[r] = own[half ^ 1];
            }
            sum[s * p->rows + r] += p->score[r];
        }
    return st;
}

rc_status_t rc_halves_portfolio(
    const rc_halves_t *h, int first, const int64_t *row, int64_t rows, double *cost, rc_err_t *err)
{
    size_t n = (size_t)rows;
    size_t cells = n * (size_t)h->columns;
    chosen_t p = {.h = h, .row = row, .rows = rows, .first = first};
    p.cost = rc_alloc(cells + 2 * n, sizeof *p.cost, "a portfolio", err);
    p.least = p.cost ? p.cost + cells : NULL;
    p.score = p.cost ? p.least + n : NULL;
    p.step = rc_alloc((size_t)h->columns, sizeof *p.step, "a portfolio", err);
    rc_status_t st = p.cost && p.step ? RC_OK : RC_ENOMEM;
    for (size_t i = 0; st == RC_OK && i < cells; i++)
        cost[i] = 0;
    for (int i = 0; st == RC_OK && i < RC_HALVES; i++)
        st = add_portfolio(&p, i, cost, err);
    for (size_t i = 0; st == RC_OK && i < cells; i++)
        cost[i] /= RC_HALVES;
    free(p.cost);
    free(p.step);
    return st;
}
