#include "config.h"
#include "unit.h"

#include "evaluation_fixture.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>

const made_spec_t plain = {.matrices = 60,
    .groups = 17,
    .kinds = 4,
    .ks = 3,
    .inputs = 4,
    .classes = 4,
    .noise = 0.1,
    .seed = 3};

int near(double a, double b)
{
    return fabs(a - b) <= 1e-11 * fmax(1, fabs(a));
}

rc_dataset_t *make(const made_spec_t *spec)
{
    rc_dataset_t *d = made_data(spec);
    assert_non_null(d);
    return d;
}

void drop(rc_dataset_t *d)
{
    rc_dataset_free(d);
    free(d);
}

rc_predictions_t room(const rc_dataset_t *d, int each, int times)
{
    size_t n = (size_t)d->rows * (size_t)each;
    rc_predictions_t p = {.count = (int64_t)n};
    p.row = calloc(n, sizeof *p.row);
    p.choice = calloc(n, sizeof *p.choice);
    p.time = times ? calloc(n * (size_t)d->classes, sizeof *p.time) : NULL;
    assert_true(p.row && p.choice && (!times || p.time));
    for (int64_t i = 0; i < p.count; i++)
        p.row[i] = i / each;
    return p;
}

rc_predictions_t guess(const rc_dataset_t *d, double noise, uint64_t seed)
{
    rc_rng_t r;
    rc_predictions_t p = room(d, 1, 1);
    rc_rng_seed(&r, seed);
    for (int64_t i = 0; i < d->rows; i++)
        for (int c = 0; c < d->classes; c++) {
            double *t = p.time + i * d->classes;
            t[c] = d->time[i * d->classes + c] * exp(noise * (2 * rc_rng_unit(&r) - 1));
            if (t[c] < t[p.choice[i]])
                p.choice[i] = c;
        }
    return p;
}

rc_evaluation_t evaluate(const rc_dataset_t *d, const rc_predictions_t *p, int single)
{
    rc_err_t err = {0};
    rc_evaluation_t e;
    assert_int_equal(rc_evaluate(d, p, single, SEED, &e, &err), RC_OK);
    return e;
}

void check_same_figure(const rc_figure_t *a, const rc_figure_t *b, double tolerance)
{
    assert_true(fabs(a->value - b->value) <= tolerance);
    assert_true(fabs(a->low - b->low) <= tolerance);
    assert_true(fabs(a->high - b->high) <= tolerance);
}
