#include "config.h"
#include "unit.h"

#include "experiment_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const made_spec_t plain = {.matrices = 60,
    .groups = 17,
    .kinds = 4,
    .ks = 3,
    .inputs = 4,
    .classes = 4,
    .noise = 0.1,
    .seed = 3};

spy_t spy;

static size_t no_scratch(const void *s)
{
    (void)s;
    return 0;
}

/* The time of class 0 says which fit it is, the class chosen is 1 + fit mod 3. */
static void tell(const void *s, const double *x, double *scratch, double *out)
{
    double number = *(const double *)s;
    (void)x;
    (void)scratch;
    for (int c = 0; c < 4; c++)
        out[c] = c == 1 + (int)number % 3 ? 0 : 2;
    out[0] = 1 + number;
}

static void nothing(void *s)
{
    (void)s;
}

static const rc_predictor_kind_t teller = {.name = "teller",
    .summary = "",
    .version = 1,
    .scratch = no_scratch,
    .score = tell,
    .free = nothing};

static rc_status_t look(const rc_fit_job_t *job, rc_output_t output, rc_model_t *m)
{
    const rc_fit_options_t *options = job->options;
    int f = spy.fits++;
    assert_in_range(f, 0, FITS - 1);
    spy.data[f] = job->d;
    for (int64_t i = 0; i < job->n; i++) {
        assert_false(spy.saw[f][job->row[i]]);
        spy.saw[f][job->row[i]] = 1;
    }
    spy.options = *options;
    spy.number[f] = f;
    if (options->progress) {
        options->progress(options->context, "looks", 0, NAN);
        options->progress(options->context, "looks", 1, 0.5);
    }
    if (f == spy.fail_at)
        return RC_EINVAL;
    m->output = output;
    m->predictor = (rc_predictor_t){&teller, &spy.number[f]};
    return RC_OK;
}

static rc_status_t fit_times(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    assert_string_equal(self->name, "timer");
    rc_status_t st = look(job, RC_OUTPUT_LOG_NS, m);
    if (st < 0 && err)
        *err = (rc_err_t){st, "the spy fails"};
    return st;
}

static rc_status_t fit_scores(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    assert_string_equal(self->name, "scorer");
    (void)err;
    return look(job, RC_OUTPUT_SCORE, m);
}

const rc_trainer_t timer = {.name = "timer", .version = 7, .has_times = 1, .fit = fit_times};

const rc_trainer_t scorer = {.name = "scorer", .version = 1, .fit = fit_scores};

void start(void)
{
    memset(&spy, 0, sizeof spy);
    spy.fail_at = FAIL_NEVER;
}

rc_dataset_t *make(void)
{
    rc_dataset_t *d = made_data(&plain);
    assert_non_null(d);
    assert_int_equal(d->rows, ROWS);
    return d;
}

void drop(rc_dataset_t *d)
{
    rc_dataset_free(d);
    free(d);
}

int knew(const rc_dataset_t *d, int fit, int64_t row, rc_split_kind_t split)
{
    for (int64_t i = 0; i < d->rows; i++)
        if (spy.saw[fit][i] &&
            (split == RC_SPLIT_GROUP ? d->sample[i].group == d->sample[row].group
                                     : d->sample[i].matrix == d->sample[row].matrix))
            return 1;
    return 0;
}

int rows_seen(int fit)
{
    int n = 0;
    for (int i = 0; i < ROWS; i++)
        n += spy.saw[fit][i];
    return n;
}

void hear(void *context, const char *what, double done, double loss)
{
    heard_t *h = context;
    assert_in_range(h->calls, 0, 23);
    assert_true(done >= h->done && done <= 1);
    assert_true(h->calls % 2 ? loss == 0.5 : isnan(loss));
    h->first = h->calls == 0 ? done : h->first;
    h->done = done;
    snprintf(h->what[h->calls++], sizeof h->what[0], "%s", what);
}
