/* Figures of an evaluation against their plain definitions, on random data. */
#include "config.h"
#include "unit.h"

#include "evaluation_fixture.h"

#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums over the predictions of a part: of the choice, of the best class, of the single one. */
typedef struct sums {
    long double product[3]; /* logs of the speedups */
    long double sum[3];
    long double random_log;
    long double random_sum;
    long double loss;
    double worst;
    int64_t within[RC_LOSS_SHARES];
    int64_t accuracy[RC_TOLERANCES];
    int64_t rows;
} sums_t;

static void add_row(sums_t *s, const rc_dataset_t *d, const double *t, int choice, int single)
{
    int best = 0;
    for (int c = 1; c < d->classes; c++)
        if (t[c] < t[best])
            best = c;
    const int chosen[] = {choice, best, single};
    for (int w = 0; w < 3; w++) {
        s->product[w] += logl((long double)t[d->baseline] / t[chosen[w]]);
        s->sum[w] += (long double)t[d->baseline] / t[chosen[w]];
    }
    for (int c = 0; c < d->classes; c++) {
        s->random_log += logl((long double)t[d->baseline] / t[c]) / d->classes;
        s->random_sum += (long double)t[d->baseline] / t[c] / d->classes;
    }
    double loss = t[choice] / t[best] - 1;
    s->loss += loss;
    s->worst = fmax(s->worst, loss);
    s->within[0] += loss <= 0.02;
    s->within[1] += loss <= 0.04;
    s->within[2] += loss <= 0.05;
    s->within[3] += loss <= 0.10;
    s->accuracy[0] += choice == best;
    s->accuracy[1] += loss <= 0.02;
    s->accuracy[2] += loss <= 0.05;
    s->rows++;
}

/* Different matrices among the predictions that `in` marks. */
static int64_t count_matrices(const rc_dataset_t *d, const rc_predictions_t *p, const char *in)
{
    int64_t matrices = 0;
    for (int64_t i = 0; i < p->count; i++) {
        int first = in[i];
        for (int64_t j = 0; j < i; j++)
            first = first && !(in[j] && strcmp(d->sample[p->row[j]].digest,
                                            d->sample[p->row[i]].digest) == 0);
        matrices += first;
    }
    return matrices;
}

/* Values of a part from the predictions that `in` marks, each as its definition has it. */
static void check_part(const rc_part_t *part, const rc_dataset_t *d, const rc_predictions_t *p,
    const char *in, int single)
{
    sums_t s = {.worst = -1};
    int64_t histogram = 0;
    for (int64_t i = 0; i < p->count; i++)
        if (in[i])
            add_row(&s, d, d->time + p->row[i] * d->classes, p->choice[i], single);
    double n = (double)s.rows;
    double oracle = (double)expl(s.product[1] / s.rows);
    assert_int_equal(part->rows, s.rows);
    assert_int_equal(part->matrices, count_matrices(d, p, in));
    assert_true(near(part->selector.geomean.value, (double)expl(s.product[0] / s.rows)));
    assert_true(near(part->oracle.geomean.value, oracle));
    assert_true(near(part->single.geomean.value, (double)expl(s.product[2] / s.rows)));
    assert_true(near(part->random.geomean.value, (double)expl(s.random_log / s.rows)));
    assert_true(near(part->selector.mean.value, (double)s.sum[0] / n));
    assert_true(near(part->oracle.mean.value, (double)s.sum[1] / n));
    assert_true(near(part->single.mean.value, (double)s.sum[2] / n));
    assert_true(near(part->random.mean.value, (double)s.random_sum / n));
    assert_true(near(part->gain.value, ((double)expl(s.product[0] / s.rows) - 1) / (oracle - 1)));
    assert_true(near(part->of_oracle.value, (double)expl(s.product[0] / s.rows) / oracle));
    assert_true(near(part->mean_loss.value, (double)s.loss / n));
    assert_true(near(part->worst_loss, s.worst));
    for (int i = 0; i < RC_LOSS_SHARES; i++)
        assert_true(near(part->within[i], (double)s.within[i] / n));
    for (int i = 0; i < RC_TOLERANCES; i++)
        assert_true(near(part->accuracy[i], (double)s.accuracy[i] / n));
    /* losses of these data are not near a limit */
    for (int b = 0; b < RC_LOSS_BINS; b++) {
        histogram += part->histogram[b];
        if (rc_loss_edges[b + 1] == 0.05)
            assert_int_equal(histogram, s.within[2]);
    }
    assert_int_equal(histogram, s.rows);
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
        const double *quantile = e->all.cells.error_quantile + c * RC_ERROR_QUANTILES;
        for (int64_t i = 0; i < p->count; i++)
            sum += fabs(p->time[i * d->classes + c] / d->time[p->row[i] * d->classes + c] - 1);
        all += sum;
        assert_true(near(e->all.cells.error_mean[c], sum / (double)p->count));
        for (int q = 0; q < RC_ERROR_QUANTILES; q++) {
            int64_t below = 0; /* a quantile q has about q of the errors below it */
            for (int64_t i = 0; i < p->count; i++)
                below += fabs(p->time[i * d->classes + c] / d->time[p->row[i] * d->classes + c] -
                              1) < quantile[q];
            assert_true(fabs((double)below - rc_error_quantiles[q] * (double)p->count) <= 1.01);
        }
    }
    assert_true(near(e->all.cells.error_mean[d->classes], all / (double)(p->count * d->classes)));
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
            assert_int_equal(e->all.cells.confusion[at], n);
            assert_true(isnan(e->all.cells.confusion_loss[at]) == (n == 0));
            rows += n;
            loss += n ? (double)n * e->all.cells.confusion_loss[at] : 0;
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

/* Times of all rows measured with a relative error, and split by it. */
static void measure(rc_dataset_t *d, double error, double spread, uint64_t seed)
{
    rc_rng_t r;
    rc_rng_seed(&r, seed);
    rc_halves_free(&d->half);
    assert_int_equal(rc_halves_make(d->rows, d->classes, &d->half, NULL), RC_OK);
    for (int64_t i = 0; i < d->rows; i++)
        for (int c = 0; c < d->classes; c++) {
            double *time = &d->time[i * d->classes + c];
            double z = -6;
            for (int k = 0; k < 12; k++)
                z += rc_rng_unit(&r);
            if (spread == 0)
                *time = 1e4; /* all classes are equal in truth */
            *time *= exp(error * z);
            const rc_timed_t t = {.ns = *time, .rel_err = error, .seed = rc_rng_next(&r)};
            assert_int_equal(rc_halves_set(&d->half, i, c, &t, NULL, NULL), RC_OK);
        }
}

/* Without noise there is nothing to hold out; and where no error is known nothing is claimed. */
static void without_noise_held_out_is_plain(void **state)
{
    rc_dataset_t *d = make(&plain);
    rc_predictions_t p = guess(d, 0.2, 3);
    rc_evaluation_t e = evaluate(d, &p, 0);
    (void)state;
    assert_true(isnan(e.all.gain_held_out.value) && isnan(e.all.gain_held_out.low));
    assert_true(isnan(e.all.oracle_held_out.value) && isnan(e.portfolio_held_out[1]));
    rc_evaluation_free(&e);
    measure(d, 0, 1, 1);
    e = evaluate(d, &p, 0);
    check_same_figure(&e.all.gain, &e.all.gain_held_out, 1e-9);
    check_same_figure(&e.all.of_oracle, &e.all.of_oracle_held_out, 1e-9);
    check_same_figure(&e.all.oracle.geomean, &e.all.oracle_held_out, 1e-9);
    for (int c = 0; c < d->classes; c++)
        assert_true(near(e.portfolio[c], e.portfolio_held_out[c]));
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

/* Classes that are equal: the oracle gains by luck, and held out nothing.  A selector that knows
 * nothing recovers a share of it that no selector could. */
static void an_oracle_over_noise_gains_nothing_held_out(void **state)
{
    rc_dataset_t *d = make(&plain);
    rc_predictions_t p = room(d, 1, 0);
    (void)state;
    measure(d, 0.02, 0, 2);
    for (int64_t i = 0; i < p.count; i++)
        p.choice[i] = (int32_t)(i % d->classes);
    rc_evaluation_t e = evaluate(d, &p, 0);
    /* the largest of 4 standard normal numbers has a mean of 1.03 */
    assert_true(e.all.oracle.geomean.value > 1.015);
    /* 180 rows of error sqrt(2) 2 %: five of them */
    assert_true(fabs(e.all.oracle_held_out.value - 1) < 0.01);
    assert_true(e.all.of_oracle.value < 0.99);
    assert_true(fabs(e.all.of_oracle_held_out.value - 1) < 0.01);
    assert_true(fabs(e.portfolio_held_out[d->classes - 1] - e.all.oracle_held_out.value) < 1e-9);
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    drop(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_what_plain_definitions_give),
        cmocka_unit_test(without_noise_held_out_is_plain),
        cmocka_unit_test(an_oracle_over_noise_gains_nothing_held_out),
    };
    return cmocka_run_group_tests_name("evaluation_definitions", tests, NULL, NULL);
}
