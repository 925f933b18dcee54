/* What was run, on what, when, by which build, and how complete it is. */
#include "config.h"
#include "analysis/report/page.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"

#include <math.h>
#include <string.h>

static const double seconds = 1e-9; /* of a ns */

/* The whole value of row i, whose parts follow each other; \return the row behind them. */
static int64_t whole_value(const rc_view_t *v, int64_t i, rc_str_t *out)
{
    const rc_row_provenance_t *r = rc_view_provenance(v, i);
    char part[RC_VALUE_MAX + 1];
    out->len = 0;
    do {
        const rc_row_provenance_t *more = rc_view_provenance(v, i);
        rc_str_add(out, rc_field_text(more->value, sizeof more->value, part));
    } while (++i < rc_view_provenances(v) && rc_view_provenance(v, i)->part > 0 &&
             rc_view_provenance(v, i)->run == r->run && rc_view_provenance(v, i)->rank == r->rank);
    return i;
}

/* The distinct values of a key over all runs and ranks, in the order in which they come. */
static rc_status_t values_of(rc_json_t *j, const rc_view_t *v, const char *key, rc_err_t *err)
{
    rc_map_t seen = {0};
    rc_str_t value = {0};
    rc_status_t st = RC_OK;
    rc_json_open(j, key, '[');
    for (int64_t i = 0; st == RC_OK && i < rc_view_provenances(v); i++) {
        const rc_row_provenance_t *r = rc_view_provenance(v, i);
        if (strncmp(r->key, key, sizeof r->key) != 0 || r->part != 0)
            continue;
        (void)whole_value(v, i, &value);
        if (!value.len || rc_map_get(&seen, rc_map_text(value.text), 0))
            continue;
        st = rc_map_set(&seen, rc_map_text(value.text), 1, err);
        rc_json_text(j, NULL, value.text);
    }
    rc_json_close(j, '[');
    if (st == RC_OK && value.failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for the provenance");
    rc_map_free(&seen);
    rc_str_free(&value);
    return st;
}

static rc_status_t provenance(rc_json_t *j, const rc_view_t *v, rc_err_t *err)
{
    static const char *const key[] = {"device.name", "device.class", "host", "system", "kernel",
        "machine", "cuda.runtime", "cuda.driver_name", "cuda.cusparse", "cuda.nvcc", "cuda.arch",
        "compiler", "cflags", "hdf5", "mpi", "catalog.revision", "timing", "measure.target_rel_err",
        "measure.min_reps", "measure.max_reps"};
    rc_status_t st = RC_OK;
    rc_json_open(j, "provenance", '{');
    for (size_t i = 0; st == RC_OK && i < sizeof key / sizeof *key; i++)
        st = values_of(j, v, key[i], err);
    rc_json_close(j, '{');
    return st;
}

/* ---------------------------------------------------------------- completeness */

static void statuses(rc_json_t *j, const char *key, const int64_t count[RC_CASE_STATUSES])
{
    rc_json_open(j, key, '{');
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        if (count[i])
            rc_json_int(j, rc_case_status_name((rc_case_status_t)i), count[i]);
    rc_json_close(j, '{');
}

static void catalogue(rc_json_t *j, const rc_view_t *v)
{
    int64_t count[RC_CASE_STATUSES] = {0};
    int64_t absent = 0;
    rc_json_open(j, "failures", '[');
    for (int64_t i = 0; i < rc_view_sources(v); i++) {
        rc_source_row_t r;
        rc_view_source(v, i, &r);
        if (strcmp(r.where, "absent") == 0) { /* it had no file, which is nothing that failed */
            absent++;
            continue;
        }
        if (r.status_code >= 0 && r.status_code < RC_CASE_STATUSES)
            count[r.status_code]++;
        if (r.status_code == RC_CASE_OK || r.status_code == RC_CASE_PENDING)
            continue;
        rc_json_open(j, NULL, '{');
        rc_json_text(j, "name", r.name);
        rc_json_text(j, "status", r.status);
        rc_json_text(j, "message", r.message);
        rc_json_close(j, '{');
    }
    rc_json_close(j, '[');
    statuses(j, "matrices", count);
    rc_json_int(j, "absent", absent);
}

/* ------------------------------------------------------------------------ runs */

/* The words of the command of a run, from row i on. */
static void command(rc_json_t *j, const rc_view_t *v, int64_t i, int32_t run)
{
    rc_str_t word = {0};
    rc_json_open(j, "argv", '[');
    while (i >= 0 && i < rc_view_provenances(v)) {
        const rc_row_provenance_t *r = rc_view_provenance(v, i);
        if (r->run != run || strncmp(r->key, "argv[", 5) != 0)
            break;
        i = whole_value(v, i, &word);
        rc_json_text(j, NULL, word.text ? word.text : "");
    }
    rc_json_close(j, '[');
    j->out->failed |= word.failed;
    rc_str_free(&word);
}

static void one_run(
    rc_json_t *j, const rc_view_t *v, int64_t i, const int64_t *results, const int64_t *first)
{
    const rc_row_run_t *r = rc_view_run(v, i);
    char text[65];
    rc_json_open(j, NULL, '{');
    rc_json_int(j, "started_s", r->started_ns / INT64_C(1000000000));
    rc_json_real(j, "took_s",
        r->ended_ns > r->started_ns ? seconds * (double)(r->ended_ns - r->started_ns) : NAN);
    rc_json_int(j, "ranks", r->ranks);
    rc_json_text(j, "state", rc_survey_name(rc_run_state_names, r->state));
    rc_json_text(j, "version", rc_field_text(r->version, sizeof r->version, text));
    rc_json_text(j, "git", rc_field_text(r->git, sizeof r->git, text));
    rc_json_int(j, "newest_results", results[i]);
    command(j, v, first[i], (int32_t)i);
    rc_json_close(j, '{');
}

static rc_status_t runs(rc_json_t *j, const rc_view_t *v, rc_err_t *err)
{
    int64_t n = rc_view_runs(v);
    rc_pool_t pool = {0};
    int64_t *results = rc_pool_get0(&pool, (size_t)n + 1, sizeof *results);
    int64_t *first = rc_pool_get(&pool, (size_t)n + 1, sizeof *first);
    rc_status_t st;
    RC_TRY(rc_pool_check(&pool, "runs", err));
    for (int64_t i = 0; i < rc_view_count(v); i++)
        if (rc_view_is_newest(v, i))
            results[rc_view_result(v, i)->run]++;
    for (int64_t i = 0; i < n; i++)
        first[i] = -1;
    for (int64_t i = rc_view_provenances(v) - 1; i >= 0; i--) {
        const rc_row_provenance_t *r = rc_view_provenance(v, i);
        if (strncmp(r->key, "argv[0]", sizeof r->key) == 0 && r->run >= 0 && r->run < n)
            first[r->run] = i;
    }
    rc_json_open(j, "runs", '[');
    for (int64_t i = 0; i < n; i++)
        one_run(j, v, i, results, first);
    rc_json_close(j, '[');
done:
    rc_pool_free(&pool);
    return st;
}

rc_status_t rc_page_run(rc_json_t *j, const rc_page_t *p, rc_err_t *err)
{
    const rc_view_t *v = p->in->survey->view;
    rc_json_open(j, "run", '{');
    statuses(j, "cases", p->in->survey->status);
    catalogue(j, v);
    rc_json_text(j, "noise", p->noise);
    rc_json_int(j, "noisy_taken", p->noisy_taken);
    rc_json_int(j, "in_flight", rc_view_inflights(v));
    rc_status_t st = provenance(j, v, err);
    if (st == RC_OK)
        st = runs(j, v, err);
    rc_json_close(j, '{');
    return st;
}
