#include "config.h"
#include "analysis/report/report.h"
#include "analysis/experiment.h"
#include "analysis/report/gnuplot.h"
#include "analysis/report/page.h"
#include "analysis/report/spies.h"
#include "analysis/summary/noise.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/map.h"
#include "base/type.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct work {
    const rc_report_options_t *o;
    rc_log_t log;
    rc_view_t *view;
    rc_expr_t *where;
    rc_survey_t survey;
    rc_model_t *model;
    json_t *model_file;
    json_t *topologies;
    char model_name[RC_NAME_MAX + 1];
    rc_choices_t choices;
    rc_drawn_t *drawn;
    int figures;
    rc_spies_t spies;
    rc_str_t noise;
    int64_t noisy_taken;
} work_t;

static rc_status_t load(const char *path, json_t **out, rc_err_t *err)
{
    json_error_t flaw;
    *out = json_load_file(path, 0, &flaw);
    return *out ? RC_OK : rc_fail(err, RC_EFORMAT, "%s: line %d: %s", path, flaw.line, flaw.text);
}

static rc_status_t read_given(work_t *w, rc_err_t *err)
{
    if (w->o->model) {
        RC_PASS(rc_model_read(w->o->model, &w->model, err));
        RC_PASS(load(w->o->model, &w->model_file, err));
        /* "data/models/h200-plan.json" as "h200-plan" */
        const char *slash = strrchr(w->o->model, '/');
        const char *name = slash ? slash + 1 : w->o->model;
        size_t n = strlen(name);
        n -= n > 5 && strcmp(name + n - 5, ".json") == 0 ? 5 : 0;
        snprintf(w->model_name, sizeof w->model_name, "%.*s", (int)n, name);
    }
    if (w->o->topologies)
        RC_PASS(load(w->o->topologies, &w->topologies, err));
    if (w->o->topologies && !json_is_array(w->topologies))
        return rc_fail(err, RC_EFORMAT,
            "%s: not what 'rowcast evaluate --topologies -f json' prints: expected a list",
            w->o->topologies);
    return RC_OK;
}

/* As if the noisy ones were ok; the page says how many. */
static rc_status_t take_noisy(work_t *w, rc_err_t *err)
{
    for (int64_t i = 0; i < rc_view_count(w->view); i++)
        w->noisy_taken +=
            rc_view_is_newest(w->view, i) && rc_view_result(w->view, i)->status == RC_CASE_NOISY;
    return rc_view_take_noisy(w->view, err);
}

static rc_status_t make_survey(work_t *w, rc_err_t *err)
{
    RC_PASS(rc_view_compile(w->o->where, "--where", &w->where, err));
    int32_t op = -1;
    if (w->o->op)
        for (op = 0; op < RC_STORE_OPS && strcmp(w->o->op, rc_op_names[op]) != 0;)
            op++;
    if (op == RC_STORE_OPS)
        return rc_fail(
            err, RC_EINVAL, "--op: expected spmm, spmv, spmm_t or sddmm, found '%s'", w->o->op);
    rc_log(&w->log, RC_LOG_INFO, "report", "reading %s", w->o->store);
    RC_PASS(rc_view_read_samples(w->o->store, &w->view, err));
    RC_PASS(rc_view_check(w->view, w->where, err));
    if (w->o->noisy)
        RC_PASS(take_noisy(w, err));
    RC_PASS(rc_noise_line(w->view, w->where, NULL, &w->noise, err));
    RC_PASS(rc_survey_make(w->view, w->where, op, &w->survey, err));
    if (w->o->where && w->survey.op < 0)
        return rc_fail(err, RC_EINVAL, "--where: no result matches '%s'", w->o->where);
    for (int i = 0; i < RC_STORE_OPS; i++)
        if (w->survey.left_out[i])
            rc_log(&w->log, RC_LOG_INFO, "report", "%lld results of %s are left out: see --op",
                (long long)w->survey.left_out[i], rc_op_names[i]);
    return RC_OK;
}

static rc_digest_t key_of(const char *digest, int64_t k, int32_t precision)
{
    struct {
        char digest[32];
        int64_t k;
        int64_t precision;
    } key = {.k = k, .precision = precision};
    memcpy(key.digest, digest, strnlen(digest, sizeof key.digest));
    return rc_digest(&key, sizeof key);
}

/* The rows of the data set that are pairs of the survey: C in original order, on the model's
 * device and of its layout; K = n is found by its number. */
static rc_status_t match(const rc_survey_t *s, const rc_dataset_t *d, const rc_model_t *m,
    const rc_predictions_t *p, rc_choices_t *c, rc_err_t *err)
{
    rc_map_t at = {0};
    rc_status_t st = RC_OK;
    for (int64_t i = 0; st == RC_OK && i < d->rows; i++) {
        const rc_sample_t *x = &d->sample[i];
        st = rc_map_set(&at, key_of(x->digest, x->k, (int32_t)x->precision), i, err);
    }
    for (int64_t i = 0; st == RC_OK && i < s->pairs; i++) {
        if (s->pair[i].row[RC_CHOICE_ALL] < 0)
            continue;
        const rc_survey_setting_t *a = &s->setting[s->pair[i].setting];
        const rc_row_result_t *of = rc_view_result(s->view, a->setting.row);
        const rc_row_result_t *r = rc_view_result(s->view, s->pair[i].row[RC_CHOICE_ALL]);
        if (of->c_order != 0 || of->cache != 0 || strcmp(a->device, d->device) != 0)
            continue;
        int64_t row =
            rc_map_get(&at, key_of(s->matrix[s->pair[i].matrix].digest, r->k, r->precision), -1);
        int layout = row < 0 ? 0 : m->cls[p->choice[row]].layout; /* of RC_LAYOUT_*, 0: any */
        if (row < 0 || (layout && a->setting.k && layout != 1 << a->setting.layout))
            continue;
        const double *time = d->time + row * d->classes;
        double chosen = time[p->choice[row]];
        c->pair[i] =
            (rc_chosen_t){p->choice[row], chosen, chosen / time[rc_dataset_best(d, row)] - 1};
        c->known++;
    }
    rc_map_free(&at);
    return st;
}

/* Whether the fit has seen any of the matrices, with these results or others: a filter, or what a
 * store gained since, makes no seen matrix an unseen one. */
static rc_status_t is_fitted_on(const rc_model_t *m, const rc_dataset_t *d, int *out, rc_err_t *err)
{
    rc_err_t why = {0};
    int64_t n = 0;
    int64_t *row = rc_alloc((size_t)d->rows, sizeof *row, "rows of a data set", err);
    RC_PASS(row ? RC_OK : RC_ENOMEM);
    rc_status_t st = rc_unseen_rows(m, d, 0, row, &n, &why);
    free(row);
    if (st == RC_ENOMEM)
        return rc_fail(err, st, "%s", why.text);
    if (st == RC_OK) {
        *out = n < d->rows;
        return RC_OK;
    }
    /* a model without a list of its matrices */
    const char *text = json_string_value(json_object_get(m->training, "data_digest"));
    *out = text && strcmp(text, rc_digest_hex(d->digest).text) == 0;
    return RC_OK;
}

/* Ask the model about all pairs that the store has its inputs and classes for.  It may have nothing
 * to say here (another device, features that the store lacks): the note tells. */
static rc_status_t make_choices(work_t *w, rc_err_t *err)
{
    const rc_survey_t *s = &w->survey;
    const rc_model_t *m = w->model;
    rc_choices_t *c = &w->choices;
    rc_dataset_t d = {0};
    rc_predictions_t p = {0};
    rc_err_t why = {0};
    rc_log(&w->log, RC_LOG_INFO, "report", "asking the model %s", w->model_name);
    RC_PASS(RC_NEW(c->pair, s->pairs, "choices", err));
    for (int64_t i = 0; i < s->pairs; i++)
        c->pair[i] = (rc_chosen_t){-1, NAN, NAN};
    rc_status_t st = rc_dataset_read_for(w->o->store, m, w->o->where, &d, &why);
    if (st == RC_OK)
        st = rc_predict_rows(m, &d, NULL, d.rows, &p, &why);
    if (st == RC_ENOMEM || st == RC_ESTORE || st == RC_EIO)
        RC_TRY(rc_fail(err, st, "%s", why.text));
    if (st < 0) {
        rc_str_add(&c->note, why.text);
    } else {
        RC_TRY(is_fitted_on(m, &d, &c->fitted_here, err));
        RC_TRY(match(s, &d, m, &p, c, err));
        if (c->known == 0)
            rc_str_add(&c->note, "no result of the store has its device, precision and classes");
    }
    st = c->note.failed ? rc_fail(err, RC_ENOMEM, "no memory for a note") : RC_OK;
done:
    rc_predictions_free(&p);
    rc_dataset_free(&d);
    return st;
}

static void release(work_t *w)
{
    rc_spies_free(&w->spies);
    rc_drawn_free(w->drawn, w->figures);
    free(w->choices.pair);
    rc_str_free(&w->choices.note);
    rc_str_free(&w->noise);
    json_decref(w->model_file);
    json_decref(w->topologies);
    rc_model_free(w->model);
    rc_survey_free(&w->survey);
    rc_expr_free(w->where);
    rc_view_free(w->view);
}

rc_status_t rc_report_make(const rc_report_options_t *options, rc_report_made_t *out, rc_err_t *err)
{
    work_t w = {.o = options,
        .log = {.stream = options->quiet ? NULL : stderr, .level = RC_LOG_INFO, .rank = -1}};
    rc_report_made_t made = {0};
    rc_status_t st;
    RC_TRY(read_given(&w, err));
    RC_TRY(make_survey(&w, err));
    struct stat there;
    if (mkdir(options->dir, 0777) != 0 &&
        (errno != EEXIST || stat(options->dir, &there) != 0 || !S_ISDIR(there.st_mode)))
        RC_TRY(rc_fail_errno(err, RC_EIO, errno, "cannot make the directory '%s'", options->dir));
    const rc_plot_input_t in = {.survey = &w.survey,
        .options = options,
        .model = w.model,
        .model_name = w.model ? w.model_name : NULL,
        .model_file = w.model_file,
        .topologies = w.topologies};
    if (w.model)
        RC_TRY(make_choices(&w, err));
    rc_log(&w.log, RC_LOG_INFO, "report", "drawing figures");
    RC_TRY(rc_plots_draw(&in, &w.drawn, &w.figures, err));
    rc_log(&w.log, RC_LOG_INFO, "report", "drawing matrices");
    RC_TRY(rc_spies_make(&w.survey, options, &w.log, &w.spies, err));
    const rc_page_t page = {.in = &in,
        .drawn = w.drawn,
        .drawn_count = w.figures,
        .spies = &w.spies,
        .choices = w.model ? &w.choices : NULL,
        .noise = w.noise.text ? w.noise.text : "",
        .noisy_taken = w.noisy_taken};
    rc_log(&w.log, RC_LOG_INFO, "report", "writing the page");
    RC_TRY(rc_page_write(&page, &made, err));
    made.rows = w.survey.results;
    made.matrices = w.survey.matrices;
    for (int i = 0; i < w.figures; i++) {
        made.figures += w.drawn[i].is_home && w.drawn[i].svg != NULL;
        made.left_out += w.drawn[i].is_home && w.drawn[i].svg == NULL;
    }
    rc_str_t program = {0};
    made.without_gnuplot = rc_plot_program(&program, NULL) == RC_ENOENT;
    rc_str_free(&program);
    made.spies = w.spies.made;
    if (w.noise.len > 0)
        rc_log(&w.log, RC_LOG_INFO, "report", "%s", w.noise.text);
    *out = made;
done:
    release(&w);
    return st;
}
