/* Figures of an evaluation against small examples worked by hand, and by what must hold of any. */
#include "config.h"
#include "unit.h"

#include "evaluation_fixture.h"
#include "failing_alloc.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ worked by hand */

/* Times of three classes, the first is the baseline.  Row: best, what is chosen, loss, speedup
 *   100 110 125   c0 c0 0.00 1       100  50 200   c1 c0 1.00 1
 *    80  40  41   c1 c2 0.025 80/41   90  60  30   c2 c2 0.00 3 */
static rc_dataset_t *worked(rc_predictions_t *p)
{
    static const double time[] = {100, 110, 125, 100, 50, 200, 80, 40, 41, 90, 60, 30};
    static const int32_t choice[] = {0, 0, 2, 2};
    const made_spec_t spec = {
        .matrices = 4, .groups = 2, .kinds = 1, .ks = 1, .inputs = 2, .classes = 3, .seed = 1};
    rc_dataset_t *d = make(&spec);
    memcpy(d->time, time, sizeof time);
    *p = room(d, 1, 0);
    memcpy(p->choice, choice, sizeof choice);
    return d;
}

static void speedups_worked_by_hand(void **state)
{
    (void)state;
    rc_predictions_t p;
    rc_dataset_t *d = worked(&p);
    rc_evaluation_t e = evaluate(d, &p, 2);
    const rc_part_t *a = &e.all;
    assert_int_equal(a->rows, 4);
    assert_int_equal(a->matrices, 4);
    double selector = pow(80.0 / 41 * 3, 0.25);
    double oracle = pow(2 * 2 * 3, 0.25);
    assert_true(near(a->selector.geomean.value, selector));
    assert_true(near(a->selector.mean.value, (1 + 1 + 80.0 / 41 + 3) / 4));
    assert_true(a->selector.min == 1 && a->selector.max == 3);
    assert_true(near(a->oracle.geomean.value, oracle));
    assert_true(near(a->oracle.mean.value, 2));
    assert_true(a->oracle.min == 1 && a->oracle.max == 3);
    assert_int_equal(e.single, 2);
    assert_int_equal(e.single_is_given, 1);
    assert_true(near(a->single.mean.value, (0.8 + 0.5 + 80.0 / 41 + 3) / 4));
    assert_true(near(a->single.geomean.value, pow(0.8 * 0.5 * 80 / 41 * 3, 0.25)));
    assert_true(a->single.min == 0.5);
    assert_true(near(a->random.mean.value,
        (1 + 100.0 / 110 + 0.8 + 1 + 2 + 0.5 + 1 + 2 + 80.0 / 41 + 1 + 1.5 + 3) / 12));
    assert_true(near(a->random.geomean.value,
        pow(100.0 / 110 * 0.8 * 2 * 0.5 * 2 * 80 / 41 * 1.5 * 3, 1.0 / 12)));
    assert_true(a->random.min == 0.5 && a->random.max == 3);
    assert_true(near(a->gain.value, (selector - 1) / (oracle - 1)));
    assert_true(near(a->of_oracle.value, selector / oracle));
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

static void losses_worked_by_hand(void **state)
{
    (void)state;
    rc_predictions_t p;
    rc_dataset_t *d = worked(&p);
    rc_evaluation_t e = evaluate(d, &p, 2);
    const rc_part_t *a = &e.all;
    assert_true(near(a->mean_loss.value, 1.025 / 4));
    assert_true(a->worst_loss == 1);
    assert_int_equal(a->worst_row, 1);
    /* 2, 4, 5, 10 %; then 0, 2, 5 % */
    static const double within[] = {0.5, 0.75, 0.75, 0.75};
    static const double accuracy[] = {0.5, 0.5, 0.75};
    /* of c0 all, of c2 all; of c1 none, within 5 % one of two */
    static const double balanced[] = {2.0 / 3, 2.0 / 3, 2.5 / 3};
    for (int i = 0; i < RC_LOSS_SHARES; i++)
        assert_true(a->within[i] == within[i]);
    for (int i = 0; i < RC_TOLERANCES; i++) {
        assert_true(a->accuracy[i] == accuracy[i]);
        assert_true(near(a->balanced[i], balanced[i]));
    }
    static const int64_t confusion[] = {1, 0, 0, 1, 0, 1, 0, 0, 1};
    for (int i = 0; i < 9; i++)
        assert_int_equal(e.all.cells.confusion[i], confusion[i]);
    assert_true(e.all.cells.confusion_loss[3] == 1 && near(e.all.cells.confusion_loss[5], 0.025));
    assert_true(e.all.cells.confusion_loss[0] == 0 && isnan(e.all.cells.confusion_loss[1]));
    for (int i = 0; i < RC_LOSS_BINS; i++)
        assert_int_equal(a->histogram[i], i == 0 ? 2 : i == 3 || i == RC_LOSS_BINS - 1);
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

static void portfolio_worked_by_hand(void **state)
{
    (void)state;
    rc_predictions_t p;
    rc_dataset_t *d = worked(&p);
    rc_evaluation_t e = evaluate(d, &p, 2);
    double oracle = pow(2 * 2 * 3, 0.25);
    /* products of the times: 72, 13.2, 30.75 million: c1 alone, then c2 (30 for 60), then c0 */
    assert_int_equal(e.portfolio_class[0], 1);
    assert_int_equal(e.portfolio_class[1], 2);
    assert_int_equal(e.portfolio_class[2], 0);
    assert_true(near(e.portfolio[0], pow(72 / 13.2, 0.25)));
    assert_true(near(e.portfolio[1], pow(72 / 6.6, 0.25)));
    assert_true(near(e.portfolio[2], oracle));
    assert_null(e.all.cells.error_mean);
    assert_null(e.all.cells.error_quantile);
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

static void single_worked_by_hand(void **state)
{
    (void)state;
    rc_predictions_t p;
    rc_dataset_t *d = worked(&p);
    rc_evaluation_t e = evaluate(d, &p, -1);
    assert_int_equal(e.single, 1);
    assert_int_equal(e.single_is_given, 0);
    assert_true(near(e.all.single.geomean.value, pow(72 / 13.2, 0.25)));
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

/* A limit includes what equals it: 102 of 100 is within 2 %. */
static void limits_are_inclusive(void **state)
{
    (void)state;
    static const double worse[] = {100, 102, 104, 105, 110, 110.001};
    static const double within[] = {2, 3, 4, 5};
    static const double accuracy[] = {1, 2, 4};
    const made_spec_t spec = {
        .matrices = 6, .groups = 2, .kinds = 1, .ks = 1, .inputs = 2, .classes = 2, .seed = 1};
    rc_dataset_t *d = make(&spec);
    rc_predictions_t p = room(d, 1, 0);
    for (int i = 0; i < 6; i++) {
        d->time[2 * i] = worse[i];
        d->time[2 * i + 1] = 100;
    }
    rc_evaluation_t e = evaluate(d, &p, -1);
    for (int i = 0; i < RC_LOSS_SHARES; i++)
        assert_true(e.all.within[i] == within[i] / 6);
    for (int i = 0; i < RC_TOLERANCES; i++)
        assert_true(e.all.accuracy[i] == accuracy[i] / 6);
    /* at most: 2 % is in the bin that ends there; edges 0, .5, 1, 2, 3, 4, 5, 7, 10, 15, ... % */
    static const int64_t histogram[RC_LOSS_BINS] = {1, 0, 1, 0, 1, 1, 0, 1, 1, 0, 0, 0};
    for (int i = 0; i < RC_LOSS_BINS; i++)
        assert_int_equal(e.all.histogram[i], histogram[i]);
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

/* Equal classes and equal rows: the first one, everywhere. */
static void ties_go_to_the_first(void **state)
{
    (void)state;
    const made_spec_t spec = {
        .matrices = 5, .groups = 2, .kinds = 1, .ks = 1, .inputs = 2, .classes = 3, .seed = 1};
    rc_dataset_t *d = make(&spec);
    rc_predictions_t p = room(d, 1, 0);
    for (int64_t i = 0; i < d->rows; i++) {
        p.choice[i] = i == 0 ? 1 : 0;
        for (int c = 0; c < 3; c++)
            d->time[3 * i + c] = c == 0 ? 20 : 10;
    }
    rc_evaluation_t e = evaluate(d, &p, -1);
    assert_int_equal(e.single, 1);
    assert_int_equal(e.all.worst_row, 1);
    assert_true(e.all.worst_loss == 1);
    static const int added[] = {1, 0, 2}; /* c0 and c2 gain nothing more: in their order */
    assert_memory_equal(e.portfolio_class, added, sizeof added);
    assert_int_equal(e.all.cells.confusion[3 * 1 + 1], 1);
    assert_int_equal(e.all.cells.confusion[3 * 1 + 0], 4);
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

/* ------------------------------------------------------------------ parts */

static void parts_divide_the_rows(void **state)
{
    (void)state;
    made_spec_t spec = plain;
    /* 60 matrices in kinds of 30, 20, 8 and 2 matrices, a row each; three precisions */
    spec.ks = 1;
    rc_dataset_t *d = make(&spec);
    for (int64_t i = 0; i < d->rows; i++) {
        rc_sample_t *s = &d->sample[i];
        s->k_is_n = 0;
        s->k = i % 3 ? 128 : 8;
        s->precision = i % 5 ? RC_FP32 : i % 2 ? RC_BF16 : RC_FP16; /* of one size */
        snprintf(s->kind, sizeof s->kind, "%s",
            i < 30   ? "b"
            : i < 50 ? "a"
            : i < 58 ? "few"
                     : "least");
    }
    rc_predictions_t p = guess(d, 0.4, 1);
    rc_evaluation_t e = evaluate(d, &p, -1);
    static const char *const ks[] = {
        "k=8 fp32", "k=8 bf16", "k=8 fp16", "k=128 fp32", "k=128 bf16", "k=128 fp16"};
    assert_int_equal(e.by_k_count, 6);
    int64_t rows = 0;
    double loss = 0;
    int64_t cells[16] = {0};
    for (int i = 0; i < 6; i++) {
        assert_string_equal(e.by_k[i].name, ks[i]);
        for (int c = 0; c < d->classes * d->classes; c++)
            cells[c] += e.by_k[i].cells.confusion[c];
        rows += e.by_k[i].rows;
        loss += (double)e.by_k[i].rows * e.by_k[i].mean_loss.value;
    }
    assert_int_equal(rows, 60);
    assert_memory_equal(cells, e.all.cells.confusion, sizeof cells);
    assert_null(e.by_kind[0].cells.confusion);
    assert_true(near(loss / 60, e.all.mean_loss.value));
    assert_int_equal(e.by_kind_count, 3);
    assert_string_equal(e.by_kind[0].name, "b");
    assert_int_equal(e.by_kind[0].rows, 30);
    assert_string_equal(e.by_kind[1].name, "a");
    assert_int_equal(e.by_kind[1].rows, 20);
    assert_string_equal(e.by_kind[2].name, "other");
    assert_int_equal(e.by_kind[2].rows, 10);
    rc_evaluation_free(&e);

    /* a row that counts twice does not make a kind larger */
    rc_predictions_t twice = room(d, 2, 0);
    e = evaluate(d, &twice, -1);
    assert_int_equal(e.by_kind_count, 3);
    assert_int_equal(e.by_kind[2].rows, 20);
    rc_evaluation_free(&e);
    rc_predictions_free(&twice);
    rc_predictions_free(&p);
    drop(d);
}

/* ------------------------------------------------------------------ known selectors */

static void the_oracle_recovers_everything(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&plain);
    rc_predictions_t p = room(d, 1, 1);
    for (int64_t i = 0; i < d->rows; i++)
        p.choice[i] = rc_dataset_best(d, i);
    memcpy(p.time, d->time, (size_t)(d->rows * d->classes) * sizeof *p.time);
    rc_evaluation_t e = evaluate(d, &p, -1);
    assert_true(e.all.gain.value == 1 && e.all.gain.low == 1 && e.all.gain.high == 1);
    assert_true(e.all.of_oracle.value == 1);
    assert_true(e.all.mean_loss.value == 0 && e.all.mean_loss.high == 0 && e.all.worst_loss == 0);
    for (int t = 0; t < RC_TOLERANCES; t++)
        assert_true(e.all.accuracy[t] == 1 && e.all.balanced[t] == 1);
    for (int s = 0; s < RC_LOSS_SHARES; s++)
        assert_true(e.all.within[s] == 1);
    assert_int_equal(e.all.histogram[0], d->rows);
    for (int i = 0; i < (d->classes + 1) * RC_ERROR_QUANTILES; i++)
        assert_true(e.all.cells.error_quantile[i] == 0);
    /* times twice too long for class 1 */
    for (int64_t i = 0; i < d->rows; i++)
        p.time[i * d->classes + 1] *= 2;
    rc_evaluation_free(&e);
    e = evaluate(d, &p, -1);
    for (int c = 0; c < d->classes; c++) {
        assert_true(e.all.cells.error_mean[c] == (c == 1));
        for (int q = 0; q < RC_ERROR_QUANTILES; q++)
            assert_true(e.all.cells.error_quantile[c * RC_ERROR_QUANTILES + q] == (c == 1));
    }
    assert_true(near(e.all.cells.error_mean[d->classes], 1.0 / d->classes));
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

static void the_baseline_recovers_nothing(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&plain);
    d->baseline = 1;
    rc_predictions_t p = room(d, 1, 0);
    for (int64_t i = 0; i < d->rows; i++)
        p.choice[i] = 1;
    rc_evaluation_t e = evaluate(d, &p, -1);
    assert_true(e.all.gain.value == 0 && e.all.gain.low == 0 && e.all.gain.high == 0);
    assert_true(e.all.selector.geomean.value == 1 && e.all.selector.mean.value == 1);
    assert_true(e.all.selector.min == 1 && e.all.selector.max == 1);
    /* always the same class is right about one class of those that are best somewhere */
    assert_true(near(e.all.balanced[0], 1.0 / d->classes));
    rc_evaluation_free(&e);

    /* where nothing can be gained there is no share of it */
    for (int64_t i = 0; i < d->rows; i++)
        for (int c = 0; c < d->classes; c++)
            d->time[i * d->classes + c] = c == 1 ? 1000 : 999.5 + c;
    e = evaluate(d, &p, -1);
    assert_true(e.all.oracle.geomean.value > 1);
    assert_true(isnan(e.all.gain.value) && isnan(e.all.gain.low) && isnan(e.all.gain.high));
    assert_true(e.all.of_oracle.low < 1);
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

/* Every class of every row once is what choosing at random comes to. */
static void random_is_the_mean_over_all_choices(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&plain);
    rc_predictions_t p = room(d, d->classes, 0);
    for (int64_t i = 0; i < p.count; i++)
        p.choice[i] = (int32_t)(i % d->classes);
    rc_evaluation_t e = evaluate(d, &p, -1);
    const rc_choosing_t *s = &e.all.selector;
    const rc_choosing_t *r = &e.all.random;
    assert_int_equal(e.all.rows, d->rows * d->classes);
    assert_true(near(s->geomean.value, r->geomean.value) && near(s->mean.value, r->mean.value));
    assert_true(near(s->geomean.low, r->geomean.low) && near(s->mean.high, r->mean.high));
    assert_true(s->min == r->min && s->max == r->max);
    assert_true(near(e.all.accuracy[0], 1.0 / d->classes));
    assert_true(near(e.all.balanced[0], 1.0 / d->classes));
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

/* ------------------------------------------------------------------ what figures do not depend on
 */

static void check_same_part(const rc_part_t *a, const rc_part_t *b, double tolerance)
{
    const rc_choosing_t *x[] = {&a->selector, &a->oracle, &a->single, &a->random};
    const rc_choosing_t *y[] = {&b->selector, &b->oracle, &b->single, &b->random};
    assert_string_equal(a->name, b->name);
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->matrices, b->matrices);
    for (int w = 0; w < 4; w++) {
        check_same_figure(&x[w]->geomean, &y[w]->geomean, tolerance);
        check_same_figure(&x[w]->mean, &y[w]->mean, tolerance);
    }
    check_same_figure(&a->gain, &b->gain, tolerance);
    check_same_figure(&a->of_oracle, &b->of_oracle, tolerance);
    check_same_figure(&a->mean_loss, &b->mean_loss, tolerance);
    assert_memory_equal(a->within, b->within, sizeof a->within);
    assert_memory_equal(a->accuracy, b->accuracy, sizeof a->accuracy);
    assert_memory_equal(a->balanced, b->balanced, sizeof a->balanced);
    assert_memory_equal(a->histogram, b->histogram, sizeof a->histogram);
}

static void check_same(const rc_evaluation_t *a, const rc_evaluation_t *b, double tolerance)
{
    int classes = a->classes;
    check_same_part(&a->all, &b->all, tolerance);
    assert_int_equal(a->by_k_count, b->by_k_count);
    for (int i = 0; i < a->by_k_count; i++)
        check_same_part(&a->by_k[i], &b->by_k[i], tolerance);
    assert_int_equal(a->by_kind_count, b->by_kind_count);
    for (int i = 0; i < a->by_kind_count; i++)
        check_same_part(&a->by_kind[i], &b->by_kind[i], tolerance);
    for (int c = 0; c < classes; c++) {
        assert_int_equal(a->portfolio_class[c], b->portfolio_class[c]);
        assert_true(fabs(a->portfolio[c] - b->portfolio[c]) <= tolerance);
    }
    assert_memory_equal(a->all.cells.confusion, b->all.cells.confusion,
        (size_t)(classes * classes) * sizeof *a->all.cells.confusion);
    for (int c = 0; c <= classes; c++)
        assert_true(fabs(a->all.cells.error_mean[c] - b->all.cells.error_mean[c]) <= tolerance);
}

/* Rows of the data set and predictions in another order: the same figures, to the bit. */
static void order_does_not_matter(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&plain);
    rc_dataset_t *o = make(&plain);
    rc_predictions_t p = guess(d, 0.4, 9);
    rc_predictions_t q = guess(d, 0.4, 9);
    rc_evaluation_t a = evaluate(d, &p, -1);
    rc_rng_t r;
    size_t row = (size_t)d->classes * sizeof *d->time;
    rc_rng_seed(&r, 11);
    int64_t *to = malloc((size_t)d->rows * sizeof *to);
    assert_non_null(to);
    for (int64_t i = 0; i < d->rows; i++) {
        int64_t j = (int64_t)rc_rng_below(&r, (uint64_t)i + 1);
        to[i] = to[j];
        to[j] = i;
    }
    for (int64_t i = 0; i < d->rows; i++) {
        int64_t at = (i * 7) % d->rows; /* 180 rows: a permutation */
        o->sample[to[i]] = d->sample[i];
        memcpy(o->time + to[i] * d->classes, d->time + i * d->classes, row);
        q.row[at] = to[p.row[i]];
        q.choice[at] = p.choice[i];
        memcpy(q.time + at * d->classes, p.time + i * d->classes, row);
    }
    rc_evaluation_t b = evaluate(o, &q, -1);
    check_same(&a, &b, 0);
    assert_int_equal(to[a.all.worst_row], b.all.worst_row);
    rc_evaluation_free(&b);
    free(to);

    /* all times of a row longer: as if the clock were another one */
    for (int64_t i = 0; i < d->rows; i++)
        for (int c = 0; c < d->classes; c++) {
            double factor = (double)(1 + i % 13);
            d->time[i * d->classes + c] *= factor;
            p.time[i * d->classes + c] *= factor;
        }
    b = evaluate(d, &p, -1);
    check_same(&a, &b, 1e-12);
    rc_evaluation_free(&b);
    rc_evaluation_free(&a);
    rc_predictions_free(&p);
    rc_predictions_free(&q);
    drop(d);
    drop(o);
}

/* ------------------------------------------------------------------ the portfolio */

/* Oracle over a set of classes, by its definition. */
static double oracle_over(const rc_dataset_t *d, const char *in)
{
    long double sum = 0;
    for (int64_t i = 0; i < d->rows; i++) {
        const double *t = d->time + i * d->classes;
        double best = INFINITY;
        for (int c = 0; c < d->classes; c++)
            if (in[c] && t[c] < best)
                best = t[c];
        sum += logl((long double)t[d->baseline] / best);
    }
    return (double)expl(sum / d->rows);
}

static void portfolio_is_greedy_and_ends_at_the_oracle(void **state)
{
    (void)state;
    made_spec_t spec = plain;
    spec.classes = 7;
    rc_dataset_t *d = make(&spec);
    d->baseline = 3;
    rc_predictions_t p = guess(d, 0.4, 2);
    rc_evaluation_t e = evaluate(d, &p, -1);
    char in[7] = {0};
    assert_int_equal(e.portfolio_class[0], rc_best_single(d, p.row, p.count));
    for (int step = 0; step < d->classes; step++) {
        double best = 0;
        for (int c = 0; c < d->classes; c++)
            if (!in[c]) {
                in[c] = 1;
                best = fmax(best, oracle_over(d, in));
                in[c] = 0;
            }
        assert_false(in[e.portfolio_class[step]]);
        in[e.portfolio_class[step]] = 1;
        assert_true(near(e.portfolio[step], best)); /* no other class would have been better */
        assert_true(near(e.portfolio[step], oracle_over(d, in)));
        if (step > 0)
            assert_true(e.portfolio[step] >= e.portfolio[step - 1]);
    }
    assert_true(near(e.portfolio[d->classes - 1], e.all.oracle.geomean.value));
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

/* ------------------------------------------------------------------ bad input, no memory */

static void nothing_to_evaluate_is_refused(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&plain);
    rc_evaluation_t e;
    rc_err_t err = {0};
    rc_predictions_t none = {0};
    assert_int_equal(rc_evaluate(d, &none, -1, SEED, &e, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "no rows"));
    drop(d);
}

static void failed_allocations_are_survived(void **state)
{
    (void)state;
    made_spec_t spec = plain;
    spec.matrices = 8;
    rc_dataset_t *d = make(&spec);
    rc_predictions_t p = guess(d, 0.4, 2);
    int failed = 1;
    long n;
    for (n = 0; failed; n++) {
        rc_err_t err = {0};
        rc_evaluation_t e = {0};
        failing_alloc_set(n);
        rc_status_t st = rc_evaluate(d, &p, -1, SEED, &e, &err);
        failed = failing_alloc_happened();
        failing_alloc_set(-1);
        assert_int_equal(st, failed ? RC_ENOMEM : RC_OK);
        assert_true(failed == (e.all.cells.confusion == NULL));
        rc_evaluation_free(&e);
    }
    assert_true(n > 20);
    rc_predictions_free(&p);
    drop(d);
}

/* What is timed is what a sort by predicted times puts first, and its best is the one taken. */
typedef struct ranked {
    double predicted;
    double measured;
} ranked_t;

static int by_prediction(const void *a, const void *b)
{
    const ranked_t *x = a;
    const ranked_t *y = b;
    return (x->predicted > y->predicted) - (x->predicted < y->predicted);
}

static void the_best_of_those_timed_is_taken(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&plain);
    rc_predictions_t p = guess(d, 0.5, 3);
    rc_evaluation_t e = evaluate(d, &p, 0);
    double logs = 0;
    for (int64_t i = 0; i < p.count; i++) {
        ranked_t c[8];
        double best = INFINITY;
        double timed = INFINITY;
        assert_true(d->classes > RC_TIMED && d->classes <= 8);
        for (int j = 0; j < d->classes; j++) {
            c[j] = (ranked_t){p.time[i * d->classes + j], d->time[p.row[i] * d->classes + j]};
            best = fmin(best, c[j].measured);
        }
        qsort(c, (size_t)d->classes, sizeof *c, by_prediction);
        for (int j = 0; j < RC_TIMED; j++)
            timed = fmin(timed, c[j].measured);
        logs += log(best / timed);
    }
    assert_true(near(e.all.of_oracle_timed.value, exp(logs / (double)p.count)));
    assert_true(e.all.of_oracle_timed.value < 1);
    assert_true(e.all.of_oracle_timed.value > e.all.of_oracle.value);
    assert_true(e.all.of_oracle_timed.low <= e.all.of_oracle_timed.value);
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    p = room(d, 1, 0); /* no times */
    for (int64_t i = 0; i < p.count; i++)
        p.choice[i] = 0;
    e = evaluate(d, &p, 0);
    assert_true(isnan(e.all.of_oracle_timed.value));
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(speedups_worked_by_hand),
        cmocka_unit_test(losses_worked_by_hand),
        cmocka_unit_test(portfolio_worked_by_hand),
        cmocka_unit_test(single_worked_by_hand),
        cmocka_unit_test(limits_are_inclusive),
        cmocka_unit_test(ties_go_to_the_first),
        cmocka_unit_test(parts_divide_the_rows),
        cmocka_unit_test(the_oracle_recovers_everything),
        cmocka_unit_test(the_baseline_recovers_nothing),
        cmocka_unit_test(random_is_the_mean_over_all_choices),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(portfolio_is_greedy_and_ends_at_the_oracle),
        cmocka_unit_test(nothing_to_evaluate_is_refused),
        cmocka_unit_test(the_best_of_those_timed_is_taken),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("evaluation", tests, NULL, NULL);
}
