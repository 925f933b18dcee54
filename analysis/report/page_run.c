/* What was run, on what, when, by which build, and how complete it is. */
#include "config.h"
#include "analysis/report/page_text.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_VALUES = 6, SHOWN_FAILURES = 20, SHOWN_RUNS = 200 };

/* ------------------------------------------------------------------ provenance */

/* The distinct values of a key over all runs and ranks, in the order in which they come; the parts
 * of one value follow each other. */
static rc_status_t values_of(const rc_view_t *v, const char *key, rc_str_t *out, rc_err_t *err)
{
    rc_map_t seen = {0};
    rc_str_t value = {0};
    int64_t shown = 0;
    rc_status_t st = RC_OK;
    int64_t n = rc_view_provenances(v);
    for (int64_t i = 0; st == RC_OK && i < n; i++) {
        const rc_row_provenance_t *r = rc_view_provenance(v, i);
        char buf[RC_VALUE_MAX + 1];
        if (strncmp(r->key, key, sizeof r->key) != 0 || r->part != 0)
            continue;
        value.len = 0;
        rc_str_add(&value, rc_field_text(r->value, sizeof r->value, buf));
        for (int64_t j = i + 1; j < n; j++) {
            const rc_row_provenance_t *more = rc_view_provenance(v, j);
            if (more->part == 0 || more->run != r->run || more->rank != r->rank)
                break;
            rc_str_add(&value, rc_field_text(more->value, sizeof more->value, buf));
        }
        if (!value.text || value.failed || !value.len ||
            rc_map_get(&seen, rc_map_text(value.text), 0))
            continue;
        st = rc_map_set(&seen, rc_map_text(value.text), 1, err);
        if (shown++ < SHOWN_VALUES) {
            rc_str_add(out, shown > 1 ? "; " : "");
            rc_page_text(out, value.text);
        }
    }
    if (shown > SHOWN_VALUES)
        rc_str_addf(out, "; and %" PRId64 " more", shown - SHOWN_VALUES);
    if (st == RC_OK && value.failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for the provenance");
    rc_map_free(&seen);
    rc_str_free(&value);
    return st;
}

/* Several keys on one line of the list; those that no run has are left out, and so is an empty
 * line. */
typedef struct line {
    const char *name;
    const char *key[6];
    const char *before[6];
} line_t;

static const line_t lines[] = {
    {"Device", {"device.name", "device.class"}, {"", "class "}},
    {"Host", {"host", "system", "kernel", "machine"}, {"", "", "", ""}},
    {"CUDA", {"cuda.runtime", "cuda.driver_name", "cuda.cusparse", "cuda.nvcc", "cuda.arch"},
        {"runtime ", "driver ", "cuSPARSE ", "nvcc ", "for "}},
    {"Compiler", {"compiler", "cflags"}, {"", ""}},
    {"Libraries", {"hdf5", "mpi"}, {"HDF5 ", ""}},
    {"Catalogue", {"catalog.revision"}, {"revision "}},
    {"Timing", {"timing", "measure.target_rel_err", "measure.min_reps", "measure.max_reps"},
        {"", "until the relative error of the median is ", "repetitions at least ", "at most "}},
};

static rc_status_t provenance(rc_str_t *s, const rc_view_t *v, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (size_t i = 0; st == RC_OK && i < sizeof lines / sizeof *lines; i++) {
        rc_str_t text = {0};
        for (int k = 0; st == RC_OK && k < 6 && lines[i].key[k]; k++) {
            rc_str_t value = {0};
            st = values_of(v, lines[i].key[k], &value, err);
            if (value.text)
                rc_str_addf(&text, "%s%s%s", text.len ? ", " : "", lines[i].before[k], value.text);
            text.failed |= value.failed;
            rc_str_free(&value);
        }
        if (text.text)
            rc_str_addf(s, "<dt>%s</dt><dd>%s</dd>\n", lines[i].name, text.text);
        s->failed |= text.failed;
        rc_str_free(&text);
    }
    return st;
}

/* ---------------------------------------------------------------- completeness */

static void statuses(
    rc_str_t *s, const int64_t count[RC_CASE_STATUSES], const char *one, const char *many)
{
    int64_t all = 0;
    int some = 0;
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        all += count[i];
    rc_page_counted(s, all, one, many);
    rc_str_add(s, ": ");
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        if (count[i]) {
            rc_str_add(s, some++ ? ", " : "");
            rc_page_count(s, count[i]);
            rc_str_addf(s, " %s", rc_case_status_name((rc_case_status_t)i));
        }
    if (!some)
        rc_str_add(s, "none");
}

/* A row of the catalogue that had no file is nothing that failed. */
static int is_absent(const rc_source_row_t *r)
{
    return strcmp(r->where, "absent") == 0;
}

static void failures(rc_str_t *s, const rc_view_t *v)
{
    int64_t shown = 0;
    for (int64_t i = 0; i < rc_view_sources(v); i++) {
        rc_source_row_t r;
        rc_view_source(v, i, &r);
        if (r.status_code == RC_CASE_OK || r.status_code == RC_CASE_PENDING || is_absent(&r) ||
            shown++ >= SHOWN_FAILURES)
            continue;
        rc_str_add(s, shown == 1 ? "<ul>" : "");
        rc_str_add(s, "<li>");
        rc_page_text(s, r.name);
        rc_str_add(s, ": ");
        rc_page_text(s, r.status);
        if (r.message[0]) {
            rc_str_add(s, ", ");
            rc_page_text(s, r.message);
        }
        rc_str_add(s, "</li>\n");
    }
    if (shown > SHOWN_FAILURES)
        rc_str_addf(s, "<li>and %" PRId64 " more</li>\n", shown - SHOWN_FAILURES);
    rc_str_add(s, shown ? "</ul>" : "");
}

static void matrices(rc_str_t *s, const rc_view_t *v)
{
    int64_t count[RC_CASE_STATUSES] = {0};
    int64_t absent = 0;
    for (int64_t i = 0; i < rc_view_sources(v); i++) {
        rc_source_row_t r;
        rc_view_source(v, i, &r);
        if (is_absent(&r))
            absent++;
        else if (r.status_code >= 0 && r.status_code < RC_CASE_STATUSES)
            count[r.status_code]++;
    }
    rc_str_add(s, "<dt>Matrices</dt><dd>");
    statuses(s, count, "matrix was there", "matrices were there");
    if (absent) {
        rc_str_add(s, "; ");
        rc_page_counted(s, absent, "row", "rows");
        rc_str_add(s, " of the catalogue had no file");
    }
    failures(s, v);
    rc_str_add(s, "</dd>\n");
}

static void run_states(rc_str_t *s, const rc_view_t *v)
{
    static const char *const words[] = {"open: still running, or died without an end", "complete",
        "drained with work left", "ended by an error"};
    enum { STATES = sizeof words / sizeof *words };
    int64_t count[STATES] = {0};
    int64_t n = rc_view_runs(v);
    int64_t from = INT64_MAX;
    int64_t to = 0;
    int some = 0;
    for (int64_t i = 0; i < n; i++) {
        const rc_row_run_t *r = rc_view_run(v, i);
        if (r->state >= 0 && r->state < STATES)
            count[r->state]++;
        from = r->started_ns < from ? r->started_ns : from;
        to = r->ended_ns > to ? r->ended_ns : to;
        to = r->started_ns > to ? r->started_ns : to;
    }
    if (n == 0)
        return;
    rc_str_add(s, "<dt>When</dt><dd>");
    rc_page_when(s, from);
    rc_str_add(s, " to ");
    rc_page_when(s, to);
    rc_str_add(s, "</dd>\n<dt>Runs</dt><dd>");
    rc_page_counted(s, n, "run", "runs");
    rc_str_add(s, ": ");
    for (int i = 0; i < STATES; i++)
        if (count[i]) {
            rc_str_add(s, some++ ? "; " : "");
            rc_page_count(s, count[i]);
            rc_str_addf(s, " %s", words[i]);
        }
    if (rc_view_inflights(v) > 0) {
        rc_str_add(s, "; ");
        rc_page_counted(s, rc_view_inflights(v), "case was", "cases were");
        rc_str_add(s, " in flight when a run died");
    }
    rc_str_add(s, "</dd>\n");
}

/* ------------------------------------------------------------------------ runs */

/* As a shell takes it. */
static void command_word(rc_str_t *s, const char *word)
{
    if (*word && !strpbrk(word, " \t\n|&;<>()$`\\*?[]#~'\"")) {
        rc_page_text(s, word);
        return;
    }
    rc_str_add(s, "&#39;");
    for (const char *c = word; *c; c += strcspn(c, "'")) {
        if (*c == '\'') {
            rc_str_add(s, "&#39;\\&#39;&#39;");
            c++;
        }
        rc_str_t part = {0};
        rc_str_addn(&part, c, strcspn(c, "'"));
        if (part.text)
            rc_page_text(s, part.text);
        s->failed |= part.failed;
        rc_str_free(&part);
    }
    rc_str_add(s, "&#39;");
}

/* A word may be in several parts; a new one begins with part 0. */
static void command(rc_str_t *s, const rc_view_t *v, const int64_t *first, int32_t run)
{
    char key[RC_VALUE_MAX + 1];
    char value[RC_VALUE_MAX + 1];
    rc_str_t word = {0};
    int words = 0;
    for (int64_t i = first[run]; i >= 0 && i < rc_view_provenances(v); i++) {
        const rc_row_provenance_t *r = rc_view_provenance(v, i);
        rc_field_text(r->key, sizeof r->key, key);
        if (r->run != run || strncmp(key, "argv[", 5) != 0)
            break;
        if (r->part == 0) {
            if (words++) {
                command_word(s, word.text ? word.text : "");
                rc_str_add(s, " ");
            }
            s->failed |= word.failed;
            rc_str_free(&word);
        }
        rc_str_add(&word, rc_field_text(r->value, sizeof r->value, value));
    }
    if (words)
        command_word(s, word.text ? word.text : "");
    s->failed |= word.failed;
    rc_str_free(&word);
}

static const char *state_word(int32_t state)
{
    for (int i = 0; rc_run_state_names[i]; i++)
        if (i == state)
            return rc_run_state_names[i];
    return "?";
}

static rc_status_t runs(rc_str_t *s, const rc_view_t *v, rc_err_t *err)
{
    int64_t n = rc_view_runs(v);
    if (n == 0)
        return RC_OK;
    int64_t *results = rc_alloc0((size_t)n, sizeof *results, "runs", err);
    int64_t *first = rc_alloc((size_t)n, sizeof *first, "runs", err);
    if (!results || !first) {
        free(results);
        free(first);
        return RC_ENOMEM;
    }
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
    rc_str_add(s, "<details><summary>");
    rc_page_counted(s, n, "run", "runs");
    rc_str_add(s, " with their commands</summary>\n<div class=\"scroll\" tabindex=\"0\" "
                  "role=\"region\" aria-label=\"Runs\"><table class=\"runs\"><thead><tr><th "
                  "scope=\"col\">started</th><th scope=\"col\" class=\"n\">took, s</th><th "
                  "scope=\"col\" class=\"n\">ranks</th><th scope=\"col\">state</th><th "
                  "scope=\"col\">rowcast</th><th scope=\"col\" class=\"n\">newest "
                  "results</th><th scope=\"col\">command</th></tr></thead><tbody>\n");
    for (int64_t i = 0; i < n && i < SHOWN_RUNS; i++) {
        const rc_row_run_t *r = rc_view_run(v, i);
        char text[65];
        rc_str_add(s, "<tr><td>");
        rc_page_when(s, r->started_ns);
        rc_str_add(s, "</td><td class=\"n\">");
        if (r->ended_ns > r->started_ns)
            rc_str_addf(s, "%.0f", 1e-9 * (double)(r->ended_ns - r->started_ns));
        rc_str_addf(s, "</td><td class=\"n\">%" PRId32 "</td><td>%s</td><td>", r->ranks,
            state_word(r->state));
        rc_page_text(s, rc_field_text(r->version, sizeof r->version, text));
        rc_str_add(s, " ");
        rc_page_text(s, rc_field_text(r->git, sizeof r->git, text));
        rc_str_add(s, "</td><td class=\"n\">");
        rc_page_count(s, results[i]);
        rc_str_add(s, "</td><td><code>");
        command(s, v, first, (int32_t)i);
        rc_str_add(s, "</code></td></tr>\n");
    }
    rc_str_add(s, "</tbody></table></div>\n");
    if (n > SHOWN_RUNS)
        rc_str_addf(s, "<p>and %" PRId64 " more</p>\n", n - SHOWN_RUNS);
    rc_str_add(s, "</details>\n");
    free(results);
    free(first);
    return RC_OK;
}

static void versions(rc_str_t *s, const rc_view_t *v)
{
    int64_t n = rc_view_runs(v);
    int shown = 0;
    rc_str_add(s, "<dt>rowcast</dt><dd>");
    for (int64_t i = 0; i < n; i++) {
        const rc_row_run_t *r = rc_view_run(v, i);
        char text[65];
        int seen = 0;
        for (int64_t j = i - 1; j >= 0 && !seen && shown <= SHOWN_VALUES; j--) {
            const rc_row_run_t *o = rc_view_run(v, j);
            seen = memcmp(o->git, r->git, sizeof r->git) == 0 &&
                   memcmp(o->version, r->version, sizeof r->version) == 0;
        }
        if (seen || shown++ >= SHOWN_VALUES)
            continue;
        rc_str_add(s, shown > 1 ? "; " : "");
        rc_page_text(s, rc_field_text(r->version, sizeof r->version, text));
        rc_str_add(s, " ");
        rc_page_text(s, rc_field_text(r->git, sizeof r->git, text));
    }
    rc_str_add(s, shown > SHOWN_VALUES ? "; and more</dd>\n" : "</dd>\n");
}

rc_status_t rc_page_run(rc_str_t *s, const rc_page_t *p, rc_err_t *err)
{
    const rc_survey_t *sv = p->in->survey;
    const rc_view_t *v = sv->view;
    rc_str_add(s, "<dl class=\"facts\">\n<dt>Store</dt><dd>");
    rc_page_code(s, p->in->store);
    rc_str_add(s, ": ");
    rc_page_counted(s, sv->results, "verified result enters", "verified results enter");
    rc_str_add(s, ", of ");
    rc_page_counted(s, sv->matrices, "matrix", "matrices");
    rc_str_add(s, " in ");
    rc_page_counted(s, sv->settings, "product (K, precision)", "products (K, precision)");
    rc_str_add(s, "</dd>\n");
    if (p->where) {
        rc_str_add(s, "<dt>Filter</dt><dd>only results with ");
        rc_page_code(s, p->where);
        rc_str_add(s, "</dd>\n");
    }
    rc_str_add(s, "<dt>Cases</dt><dd>");
    statuses(s, sv->status, "case", "cases");
    rc_str_add(s, p->where ? ", whatever the filter" : "");
    rc_str_add(s, "</dd>\n");
    matrices(s, v);
    run_states(s, v);
    versions(s, v);
    rc_status_t st = provenance(s, v, err);
    rc_str_add(s, "</dl>\n");
    return st < 0 ? st : runs(s, v, err);
}
