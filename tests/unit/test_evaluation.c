/* Figures of an evaluation against small examples worked by hand, against plain definitions on
 * random data, and by what must hold of any. */
#include "config.h"
#include "unit.h"

#include "failing_alloc.h"
#include "made_data.h"
#include "analysis/bootstrap.h"
#include "analysis/evaluation.h"
#include "analysis/portfolio.h"
#include "base/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 5 };

static const made_spec_t plain = {.matrices = 60,
    .groups = 17,
    .kinds = 4,
    .ks = 3,
    .inputs = 4,
    .classes = 4,
    .noise = 0.1,
    .seed = 3};

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-11 * fmax(1, fabs(a));
}

static rc_dataset_t *make(const made_spec_t *spec)
{
    rc_dataset_t *d = made_data(spec);
    assert_non_null(d);
    return d;
}

static void drop(rc_dataset_t *d)
{
    rc_dataset_free(d);
    free(d);
}

/* Room for `each` predictions of every row, in the order of the rows. */
static rc_predictions_t room(const rc_dataset_t *d, int each, int times)
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

/* A selector that is often right: noise on the measured times, the smallest is chosen. */
static rc_predictions_t guess(const rc_dataset_t *d, double noise, uint64_t seed)
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

static rc_evaluation_t evaluate(const rc_dataset_t *d, const rc_predictions_t *p, int single)
{
    rc_err_t err = {0};
    rc_evaluation_t e;
    assert_int_equal(rc_evaluate(d, p, single, SEED, &e, &err), RC_OK);
    return e;
}

/* ------------------------------------------------------------------ worked by hand */

/* Times of three classes, the first is the baseline.  Row: best, what is chosen, loss, speedup
 *   100 110 125   c0 c0 0.00 1       100  50 200   c1 c0 1.00 1
 *    80  40  41   c1 c2 0.025 80/41   90  60  30   c2 c2 0.00 3 */
static void worked_example(void **state)
{
    (void)state;
    static const double time[] = {100, 110, 125, 100, 50, 200, 80, 40, 41, 90, 60, 30};
    static const int32_t choice[] = {0, 0, 2, 2};
    const made_spec_t spec = {
        .matrices = 4, .groups = 2, .kinds = 1, .ks = 1, .inputs = 2, .classes = 3, .seed = 1};
    rc_dataset_t *d = make(&spec);
    memcpy(d->time, time, sizeof time);
    rc_predictions_t p = room(d, 1, 0);
    memcpy(p.choice, choice, sizeof choice);
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
        assert_int_equal(e.confusion[i], confusion[i]);
    assert_true(e.confusion_loss[3] == 1 && near(e.confusion_loss[5], 0.025));
    assert_true(e.confusion_loss[0] == 0 && isnan(e.confusion_loss[1]));
    for (int i = 0; i < RC_LOSS_BINS; i++)
        assert_int_equal(a->histogram[i], i == 0 ? 2 : i == 3 || i == RC_LOSS_BINS - 1);
    /* products of the times: 72, 13.2, 30.75 million: c1 alone, then c2 (30 for 60), then c0 */
    assert_int_equal(e.portfolio_class[0], 1);
    assert_int_equal(e.portfolio_class[1], 2);
    assert_int_equal(e.portfolio_class[2], 0);
    assert_true(near(e.portfolio[0], pow(72 / 13.2, 0.25)));
    assert_true(near(e.portfolio[1], pow(72 / 6.6, 0.25)));
    assert_true(near(e.portfolio[2], oracle));
    assert_null(e.error_mean);
    assert_null(e.error_quantile);
    rc_evaluation_free(&e);

    e = evaluate(d, &p, -1);
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
    assert_int_equal(e.confusion[3 * 1 + 1], 1);
    assert_int_equal(e.confusion[3 * 1 + 0], 4);
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

/* ------------------------------------------------------------------ against plain definitions */

/* Values of a part from the predictions that `in` marks, each as its definition has it. */
static void check_part(const rc_part_t *part, const rc_dataset_t *d, const rc_predictions_t *p,
    const char *in, int single)
{
    long double product[3] = {0};
    long double sum[3] = {0};
    long double random_log = 0;
    long double random_sum = 0;
    long double loss_sum = 0;
    double worst = -1;
    int64_t within[RC_LOSS_SHARES] = {0};
    int64_t accuracy[RC_TOLERANCES] = {0};
    int64_t histogram = 0;
    int64_t rows = 0;
    int64_t matrices = 0;
    for (int64_t i = 0; i < p->count; i++) {
        if (!in[i])
            continue;
        const double *t = d->time + p->row[i] * d->classes;
        int best = 0;
        int first = 1;
        for (int c = 1; c < d->classes; c++)
            if (t[c] < t[best])
                best = c;
        const int chosen[] = {p->choice[i], best, single};
        for (int w = 0; w < 3; w++) {
            product[w] += logl((long double)t[d->baseline] / t[chosen[w]]);
            sum[w] += (long double)t[d->baseline] / t[chosen[w]];
        }
        for (int c = 0; c < d->classes; c++) {
            random_log += logl((long double)t[d->baseline] / t[c]) / d->classes;
            random_sum += (long double)t[d->baseline] / t[c] / d->classes;
        }
        double loss = t[p->choice[i]] / t[best] - 1;
        loss_sum += loss;
        worst = fmax(worst, loss);
        within[0] += loss <= 0.02;
        within[1] += loss <= 0.04;
        within[2] += loss <= 0.05;
        within[3] += loss <= 0.10;
        accuracy[0] += p->choice[i] == best;
        accuracy[1] += loss <= 0.02;
        accuracy[2] += loss <= 0.05;
        for (int64_t j = 0; j < i; j++)
            first = first && !(in[j] && strcmp(d->sample[p->row[j]].digest,
                                            d->sample[p->row[i]].digest) == 0);
        matrices += first;
        rows++;
    }
    double n = (double)rows;
    double oracle = (double)expl(product[1] / rows);
    assert_int_equal(part->rows, rows);
    assert_int_equal(part->matrices, matrices);
    assert_true(near(part->selector.geomean.value, (double)expl(product[0] / rows)));
    assert_true(near(part->oracle.geomean.value, oracle));
    assert_true(near(part->single.geomean.value, (double)expl(product[2] / rows)));
    assert_true(near(part->random.geomean.value, (double)expl(random_log / rows)));
    assert_true(near(part->selector.mean.value, (double)sum[0] / n));
    assert_true(near(part->oracle.mean.value, (double)sum[1] / n));
    assert_true(near(part->single.mean.value, (double)sum[2] / n));
    assert_true(near(part->random.mean.value, (double)random_sum / n));
    assert_true(near(part->gain.value, ((double)expl(product[0] / rows) - 1) / (oracle - 1)));
    assert_true(near(part->of_oracle.value, (double)expl(product[0] / rows) / oracle));
    assert_true(near(part->mean_loss.value, (double)loss_sum / n));
    assert_true(near(part->worst_loss, worst));
    for (int s = 0; s < RC_LOSS_SHARES; s++)
        assert_true(near(part->within[s], (double)within[s] / n));
    for (int t = 0; t < RC_TOLERANCES; t++)
        assert_true(near(part->accuracy[t], (double)accuracy[t] / n));
    /* losses of these data are not near a limit */
    for (int b = 0; b < RC_LOSS_BINS; b++) {
        histogram += part->histogram[b];
        if (rc_loss_edges[b + 1] == 0.05)
            assert_int_equal(histogram, within[2]);
    }
    assert_int_equal(histogram, rows);
}

/* Accuracy of each class on the rows that it is best on. */
static void check_balanced(const rc_part_t *part, const rc_dataset_t *d, const rc_predictions_t *p)
{
    for (int t = 0; t < RC_TOLERANCES; t++) {
        double sum = 0;
        int present = 0;
        for (int c = 0; c < d->classes; c++) {
            int n = 0;
            int right = 0;
            for (int64_t i = 0; i < p->count; i++)
                if (rc_dataset_best(d, p->row[i]) == c) {
                    const double *time = d->time + p->row[i] * d->classes;
                    n++;
                    right += time[p->choice[i]] / time[c] - 1 <= rc_tolerances[t];
                }
            present += n > 0;
            sum += n > 0 ? (double)right / n : 0;
        }
        assert_true(near(part->balanced[t], sum / present));
    }
}

static void check_errors(const rc_evaluation_t *e, const rc_dataset_t *d, const rc_predictions_t *p)
{
    double all = 0;
    for (int c = 0; c < d->classes; c++) {
        double sum = 0;
        const double *quantile = e->error_quantile + c * RC_ERROR_QUANTILES;
        for (int64_t i = 0; i < p->count; i++)
            sum += fabs(p->time[i * d->classes + c] / d->time[p->row[i] * d->classes + c] - 1);
        all += sum;
        assert_true(near(e->error_mean[c], sum / (double)p->count));
        for (int q = 0; q < RC_ERROR_QUANTILES; q++) {
            int64_t below = 0; /* a quantile q has about q of the errors below it */
            for (int64_t i = 0; i < p->count; i++)
                below += fabs(p->time[i * d->classes + c] / d->time[p->row[i] * d->classes + c] -
                              1) < quantile[q];
            assert_true(fabs((double)below - rc_error_quantiles[q] * (double)p->count) <= 1.01);
        }
    }
    assert_true(near(e->error_mean[d->classes], all / (double)(p->count * d->classes)));
}

static void check_confusion(
    const rc_evaluation_t *e, const rc_dataset_t *d, const rc_predictions_t *p)
{
    int64_t rows = 0;
    double loss = 0;
    for (int b = 0; b < d->classes; b++)
        for (int c = 0; c < d->classes; c++) {
            int64_t n = 0;
            int at = b * d->classes + c;
            for (int64_t i = 0; i < p->count; i++)
                n += rc_dataset_best(d, p->row[i]) == b && p->choice[i] == c;
            assert_int_equal(e->confusion[at], n);
            assert_true(isnan(e->confusion_loss[at]) == (n == 0));
            rows += n;
            loss += n ? (double)n * e->confusion_loss[at] : 0;
        }
    assert_int_equal(rows, p->count);
    assert_true(near(loss / (double)rows, e->all.mean_loss.value));
}

static void figures_are_what_plain_definitions_give(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        made_spec_t spec = plain;
        spec.seed = seed;
        rc_dataset_t *d = make(&spec);
        d->baseline = seed % 2 ? 0 : 2;
        rc_predictions_t p = guess(d, 0.4, seed);
        rc_evaluation_t e = evaluate(d, &p, seed % 2 ? 1 : -1);
        char *in = malloc((size_t)p.count);
        assert_non_null(in);
        if (seed % 2)
            assert_int_equal(e.single, 1);
        else
            assert_int_equal(e.single, rc_best_single(d, p.row, p.count));
        memset(in, 1, (size_t)p.count);
        check_part(&e.all, d, &p, in, e.single);
        check_balanced(&e.all, d, &p);
        check_errors(&e, d, &p);
        check_confusion(&e, d, &p);
        /* K: 8, 16, n */
        static const char *const ks[] = {"k=8 fp32", "k=16 fp32", "k=n fp32"};
        assert_int_equal(e.by_k_count, 3);
        for (int k = 0; k < 3; k++) {
            assert_string_equal(e.by_k[k].name, ks[k]);
            for (int64_t i = 0; i < p.count; i++) {
                const rc_sample_t *s = &d->sample[p.row[i]];
                in[i] = k == 2 ? s->k_is_n == 1 : !s->k_is_n && s->k == 8 << k;
            }
            check_part(&e.by_k[k], d, &p, in, e.single);
        }
        assert_int_equal(e.by_kind_count, spec.kinds);
        for (int k = 0; k < spec.kinds; k++) {
            const char *name = strcmp(e.by_kind[k].name, "unknown") == 0 ? "" : e.by_kind[k].name;
            for (int64_t i = 0; i < p.count; i++)
                in[i] = strcmp(d->sample[p.row[i]].kind, name) == 0;
            check_part(&e.by_kind[k], d, &p, in, e.single);
        }
        free(in);
        rc_evaluation_free(&e);
        rc_predictions_free(&p);
        drop(d);
    }
}

/* ------------------------------------------------------------------ parts */

static void parts_divide_the_rows(void **state)
{
    (void)state;
    made_spec_t spec = plain;
    /* 60 matrices in kinds of 30, 20, 8 and 2 matrices, a row each; two precisions */
    spec.ks = 1;
    rc_dataset_t *d = make(&spec);
    for (int64_t i = 0; i < d->rows; i++) {
        rc_sample_t *s = &d->sample[i];
        s->k_is_n = 0;
        s->k = i % 3 ? 128 : 8;
        s->value_bytes = i % 5 ? 4 : 8;
        snprintf(s->kind, sizeof s->kind, "%s",
            i < 30   ? "b"
            : i < 50 ? "a"
            : i < 58 ? "few"
                     : "least");
    }
    rc_predictions_t p = guess(d, 0.4, 1);
    rc_evaluation_t e = evaluate(d, &p, -1);
    static const char *const ks[] = {"k=8 fp32", "k=8 fp64", "k=128 fp32", "k=128 fp64"};
    assert_int_equal(e.by_k_count, 4);
    int64_t rows = 0;
    double loss = 0;
    for (int i = 0; i < 4; i++) {
        assert_string_equal(e.by_k[i].name, ks[i]);
        rows += e.by_k[i].rows;
        loss += (double)e.by_k[i].rows * e.by_k[i].mean_loss.value;
    }
    assert_int_equal(rows, 60);
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
        assert_true(e.error_quantile[i] == 0);
    /* times twice too long for class 1 */
    for (int64_t i = 0; i < d->rows; i++)
        p.time[i * d->classes + 1] *= 2;
    rc_evaluation_free(&e);
    e = evaluate(d, &p, -1);
    for (int c = 0; c < d->classes; c++) {
        assert_true(e.error_mean[c] == (c == 1));
        for (int q = 0; q < RC_ERROR_QUANTILES; q++)
            assert_true(e.error_quantile[c * RC_ERROR_QUANTILES + q] == (c == 1));
    }
    assert_true(near(e.error_mean[d->classes], 1.0 / d->classes));
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

static void check_same_figure(const rc_figure_t *a, const rc_figure_t *b, double tolerance)
{
    assert_true(fabs(a->value - b->value) <= tolerance);
    assert_true(fabs(a->low - b->low) <= tolerance);
    assert_true(fabs(a->high - b->high) <= tolerance);
}

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
    assert_memory_equal(
        a->confusion, b->confusion, (size_t)(classes * classes) * sizeof *a->confusion);
    for (int c = 0; c <= classes; c++)
        assert_true(fabs(a->error_mean[c] - b->error_mean[c]) <= tolerance);
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

/* ------------------------------------------------------------------ the bootstrap */

static void mean_of(const double *sum, double *out)
{
    out[0] = sum[1] / sum[0];
}

/* Means of independent numbers: nearly the normal interval, and narrower with the root of n. */
static void intervals_have_the_known_width(void **state)
{
    (void)state;
    enum { MOST = 4000 };
    double *unit = malloc(2 * MOST * sizeof *unit);
    double before = INFINITY;
    rc_rng_t r;
    assert_non_null(unit);
    rc_rng_seed(&r, 1);
    for (int i = 0; i < MOST; i++) {
        unit[2 * i] = 1;
        unit[2 * i + 1] = rc_rng_unit(&r);
    }
    for (int n = 40; n <= MOST; n *= 10) {
        rc_figure_t f;
        rc_figure_t again;
        assert_int_equal(rc_bootstrap(unit, n, 2, mean_of, 1, SEED, &f, NULL), RC_OK);
        double half = 1.96 * sqrt(1.0 / 12 / n);
        assert_true(f.low < f.value && f.value < f.high);
        assert_true(f.value - f.low > 0.8 * half && f.value - f.low < 1.25 * half);
        assert_true(f.high - f.value > 0.8 * half && f.high - f.value < 1.25 * half);
        assert_true(f.high - f.low < before);
        before = f.high - f.low;
        assert_int_equal(rc_bootstrap(unit, n, 2, mean_of, 1, SEED, &again, NULL), RC_OK);
        assert_memory_equal(&f, &again, sizeof f);
        assert_int_equal(rc_bootstrap(unit, n, 2, mean_of, 1, SEED + 1, &again, NULL), RC_OK);
        assert_true(f.low != again.low);
    }
    /* the mean of two of {0, 1}: 0 and 1 come up in a quarter of the draws each */
    static const double two[] = {1, 0, 1, 1};
    rc_figure_t f2;
    assert_int_equal(rc_bootstrap(two, 2, 2, mean_of, 1, SEED, &f2, NULL), RC_OK);
    assert_true(f2.value == 0.5 && f2.low == 0 && f2.high == 1);
    rc_figure_t one;
    assert_int_equal(rc_bootstrap(unit, 1, 2, mean_of, 1, SEED, &one, NULL), RC_OK);
    assert_true(one.value == unit[1] && isnan(one.low) && isnan(one.high));
    free(unit);
}

/* Odd sums lack the first figure, all sums the second. */
static void even_or_none(const double *sum, double *out)
{
    out[0] = fmod(sum[0], 2) == 0 ? sum[0] : NAN;
    out[1] = NAN;
}

static void draws_without_a_figure_are_left_out(void **state)
{
    (void)state;
    double unit[10];
    rc_figure_t f[2];
    for (int i = 0; i < 10; i++)
        unit[i] = i % 5; /* sum 20 */
    assert_int_equal(rc_bootstrap(unit, 10, 1, even_or_none, 2, SEED, f, NULL), RC_OK);
    assert_true(f[0].low < f[0].value && f[0].value < f[0].high);
    assert_true(isnan(f[1].value) && isnan(f[1].low) && isnan(f[1].high));
}

/* All rows of a matrix are drawn together: the same matrix at ten more K says nothing new. */
static void rows_of_a_matrix_are_drawn_together(void **state)
{
    (void)state;
    made_spec_t spec = plain;
    spec.ks = 1;
    spec.noise = 0;
    rc_dataset_t *one = make(&spec);
    spec.ks = 10; /* without noise, ratios of times are the same for every K */
    rc_dataset_t *ten = make(&spec);
    rc_predictions_t p = room(one, 1, 0);
    rc_predictions_t q = room(ten, 1, 0);
    for (int64_t i = 0; i < one->rows; i++)
        p.choice[i] = (int32_t)(i % 4);
    for (int64_t i = 0; i < ten->rows; i++)
        q.choice[i] = (int32_t)(i / 10 % 4);
    rc_evaluation_t a = evaluate(one, &p, -1);
    rc_evaluation_t b = evaluate(ten, &q, -1);
    assert_int_equal(a.all.matrices, b.all.matrices);
    check_same_figure(&a.all.gain, &b.all.gain, 1e-11);
    check_same_figure(&a.all.mean_loss, &b.all.mean_loss, 1e-11);
    check_same_figure(&a.all.selector.mean, &b.all.selector.mean, 1e-11);
    assert_true(a.all.mean_loss.high - a.all.mean_loss.low > 0.01);
    rc_evaluation_free(&a);
    rc_evaluation_free(&b);
    rc_predictions_free(&p);
    rc_predictions_free(&q);
    drop(one);
    drop(ten);
}

static void intervals_contain_their_value(void **state)
{
    (void)state;
    double width[2];
    for (int i = 0; i < 2; i++) {
        made_spec_t spec = plain;
        spec.matrices = i ? 600 : 60;
        rc_dataset_t *d = make(&spec);
        rc_predictions_t p = guess(d, 0.4, 2);
        rc_evaluation_t e = evaluate(d, &p, 1);
        const rc_part_t *a = &e.all;
        const rc_figure_t *f[] = {&a->selector.geomean, &a->selector.mean, &a->oracle.geomean,
            &a->oracle.mean, &a->single.geomean, &a->single.mean, &a->random.geomean,
            &a->random.mean, &a->gain, &a->of_oracle, &a->mean_loss};
        for (size_t k = 0; k < sizeof f / sizeof *f; k++)
            assert_true(f[k]->low < f[k]->value && f[k]->value < f[k]->high);
        width[i] = a->gain.high - a->gain.low;
        rc_evaluation_free(&e);
        rc_predictions_free(&p);
        drop(d);
    }
    assert_true(width[1] < 0.6 * width[0]);
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

/* ------------------------------------------------------------------ predictions of a model */

/* Output c is input c with its sign turned for odd c; scratch is used, so its size counts. */
static size_t turn_scratch(const void *s)
{
    (void)s;
    return 4;
}

static void turn(const void *s, const double *x, double *scratch, double *out)
{
    (void)s;
    for (int c = 0; c < 4; c++)
        scratch[c] = c % 2 ? -x[c] : x[c];
    memcpy(out, scratch, 4 * sizeof *out);
}

static void nothing(void *s)
{
    (void)s;
}

static const rc_predictor_kind_t turner = {.name = "turner",
    .summary = "",
    .version = 1,
    .scratch = turn_scratch,
    .score = turn,
    .free = nothing};

static rc_model_t *make_model(const rc_dataset_t *d)
{
    rc_model_t *m = rc_model_new(NULL);
    assert_non_null(m);
    m->inputs = d->inputs;
    m->classes = d->classes;
    m->input = malloc((size_t)d->inputs * sizeof *m->input);
    m->cls = malloc((size_t)d->classes * sizeof *m->cls);
    assert_true(m->input && m->cls);
    memcpy(m->input, d->input, (size_t)d->inputs * sizeof *m->input);
    memcpy(m->cls, d->cls, (size_t)d->classes * sizeof *m->cls);
    m->output = RC_OUTPUT_LOG_NS;
    m->predictor.kind = &turner;
    return m;
}

static void a_model_is_asked_row_by_row(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&plain);
    rc_model_t *m = make_model(d);
    rc_err_t err = {0};
    rc_predictions_t p;
    static const int64_t row[] = {17, 3, 99, 3};
    assert_int_equal(rc_predict_rows(m, d, row, 4, &p, &err), RC_OK);
    assert_int_equal(p.count, 4);
    for (int i = 0; i < 4; i++) {
        int best = 0;
        assert_int_equal(p.row[i], row[i]);
        for (int c = 0; c < 4; c++) {
            double x = log(d->value[row[i] * 4 + c]);
            double time = exp(c % 2 ? -x : x);
            assert_true(fabs(p.time[i * 4 + c] / time - 1) < 1e-12);
            best = p.time[i * 4 + c] < p.time[i * 4 + best] ? c : best;
        }
        assert_int_equal(p.choice[i], best);
    }
    rc_predictions_free(&p);
    m->output = RC_OUTPUT_SCORE;
    assert_int_equal(rc_predict_rows(m, d, row, 4, &p, &err), RC_OK);
    assert_null(p.time);
    rc_predictions_free(&p);

    static const int64_t beyond[] = {180};
    assert_int_equal(rc_predict_rows(m, d, beyond, 1, &p, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "180"));
    snprintf(m->input[2].name, sizeof m->input[2].name, "other");
    assert_int_equal(rc_predict_rows(m, d, row, 4, &p, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "'other'"));
    m->input[2] = d->input[2];
    snprintf(m->cls[1].name, sizeof m->cls[1].name, "lpt");
    assert_int_equal(rc_predict_rows(m, d, row, 4, &p, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "'lpt'"));
    m->classes = 3;
    assert_int_equal(rc_predict_rows(m, d, row, 4, &p, &err), RC_EINVAL);
    m->inputs = 3;
    assert_int_equal(rc_predict_rows(m, d, row, 4, &p, &err), RC_EINVAL);
    rc_model_free(m);
    drop(d);
}

/* ------------------------------------------------------------------ JSON, bad input, no memory */

static double real_at(const json_t *object, const char *a, const char *b, const char *c)
{
    const json_t *x = json_object_get(json_object_get(object, a), b);
    x = c ? json_object_get(x, c) : x;
    assert_true(json_is_number(x));
    return json_number_value(x);
}

static void json_says_the_same(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&plain);
    rc_predictions_t p = guess(d, 0.05, 2);
    rc_evaluation_t e = evaluate(d, &p, -1);
    rc_err_t err = {0};
    int empty = 0;
    json_t *j = rc_evaluation_json(d, &e, 0, &err);
    assert_non_null(j);
    char *text = json_dumps(j, JSON_REAL_PRECISION(17));
    json_decref(j);
    assert_non_null(text);
    j = json_loads(text, 0, NULL);
    assert_non_null(j);
    free(text);
    assert_true(real_at(j, "all", "gain_recovered", "value") == e.all.gain.value);
    assert_true(real_at(j, "all", "gain_recovered", "low") == e.all.gain.low);
    assert_true(real_at(j, "all", "loss_mean", "high") == e.all.mean_loss.high);
    assert_true(real_at(j, "all", "loss_worst", NULL) == e.all.worst_loss);
    assert_true(real_at(j, "all", "share_of_loss_within", "0.05") == e.all.within[2]);
    assert_true(real_at(j, "all", "accuracy_at_tolerance", "0.02") == e.all.accuracy[1]);
    assert_true(real_at(j, "all", "balanced_accuracy_at_tolerance", "0") == e.all.balanced[0]);
    assert_string_equal(
        json_string_value(json_object_get(
            json_object_get(json_object_get(j, "all"), "loss_worst_row"), "matrix")),
        d->sample[e.all.worst_row].name);
    assert_string_equal(
        json_string_value(json_object_get(j, "single_chosen_on")), "the evaluated rows");
    const json_t *rows = json_object_get(json_object_get(j, "confusion"), "rows_best_by_chosen");
    const json_t *loss =
        json_object_get(json_object_get(j, "confusion"), "loss_mean_best_by_chosen");
    for (int b = 0; b < 4; b++)
        for (int c = 0; c < 4; c++) {
            const json_t *n = json_array_get(json_array_get(rows, (size_t)b), (size_t)c);
            const json_t *l = json_array_get(json_array_get(loss, (size_t)b), (size_t)c);
            assert_int_equal(json_integer_value(n), e.confusion[b * 4 + c]);
            assert_true(json_is_null(l) == (e.confusion[b * 4 + c] == 0)); /* NaN is null */
            empty += json_is_null(l);
        }
    assert_true(empty > 0);
    const json_t *error =
        json_object_get(json_object_get(j, "time_error"), "absolute_relative_error");
    assert_int_equal(json_array_size(error), 5);
    for (int i = 0; i < 5; i++) /* all, then the classes */
        assert_true(json_number_value(json_object_get(json_array_get(error, (size_t)i), "mean")) ==
                    e.error_mean[(i + 4) % 5]);
    assert_int_equal(json_array_size(json_object_get(j, "by_k")), 3);
    assert_int_equal(json_array_size(json_object_get(j, "by_kind")), 4);
    assert_int_equal(json_array_size(json_object_get(j, "portfolio")), 4);
    json_decref(j);

    j = rc_evaluation_json(d, &e, 1, &err);
    assert_non_null(json_object_get(j, "all"));
    assert_null(json_object_get(j, "by_k"));
    assert_null(json_object_get(j, "by_kind"));
    assert_null(json_object_get(j, "portfolio"));
    json_decref(j);
    d->sample[e.all.worst_row].name[0] = (char)0xff;
    assert_null(rc_evaluation_json(d, &e, 0, &err));
    assert_non_null(strstr(err.text, "UTF-8"));
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

static void bad_predictions_are_refused(void **state)
{
    (void)state;
    rc_dataset_t *d = make(&plain);
    rc_predictions_t p = room(d, 1, 0);
    rc_evaluation_t e;
    rc_err_t err = {0};
    rc_predictions_t none = {0};
    assert_int_equal(rc_evaluate(d, &none, -1, SEED, &e, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "no rows"));
    assert_int_equal(rc_evaluate(d, &p, 4, SEED, &e, &err), RC_EINVAL);
    p.row[7] = 180;
    assert_int_equal(rc_evaluate(d, &p, -1, SEED, &e, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "prediction 7"));
    p.row[7] = 7;
    p.choice[8] = 4;
    assert_int_equal(rc_evaluate(d, &p, -1, SEED, &e, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "prediction 8"));
    p.choice[8] = -1;
    assert_int_equal(rc_evaluate(d, &p, -1, SEED, &e, &err), RC_EINVAL);
    rc_predictions_free(&p);
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
        assert_true(failed == (e.confusion == NULL));
        rc_evaluation_free(&e);
    }
    assert_true(n > 20);
    rc_predictions_free(&p);
    drop(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_example),
        cmocka_unit_test(limits_are_inclusive),
        cmocka_unit_test(ties_go_to_the_first),
        cmocka_unit_test(figures_are_what_plain_definitions_give),
        cmocka_unit_test(parts_divide_the_rows),
        cmocka_unit_test(the_oracle_recovers_everything),
        cmocka_unit_test(the_baseline_recovers_nothing),
        cmocka_unit_test(random_is_the_mean_over_all_choices),
        cmocka_unit_test(order_does_not_matter),
        cmocka_unit_test(intervals_have_the_known_width),
        cmocka_unit_test(draws_without_a_figure_are_left_out),
        cmocka_unit_test(rows_of_a_matrix_are_drawn_together),
        cmocka_unit_test(intervals_contain_their_value),
        cmocka_unit_test(portfolio_is_greedy_and_ends_at_the_oracle),
        cmocka_unit_test(a_model_is_asked_row_by_row),
        cmocka_unit_test(json_says_the_same),
        cmocka_unit_test(bad_predictions_are_refused),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    return cmocka_run_group_tests_name("evaluation", tests, NULL, NULL);
}
