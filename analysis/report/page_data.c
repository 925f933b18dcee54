/* What page.js reads: columns, not rows, with names in dictionaries, so that 10,000 matrices in
 * nine settings stay below 10 MB. */
#include "config.h"
#include "analysis/report/page_text.h"
#include "base/error.h"
#include "base/map.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Names that are written once. */
typedef struct names {
    rc_map_t index;
    rc_str_t json; /* their list, without brackets */
    int64_t count;
} names_t;

static rc_status_t name_index(names_t *n, const char *text, int64_t *out, rc_err_t *err)
{
    rc_digest_t key = rc_map_text(text);
    *out = rc_map_get(&n->index, key, -1);
    if (*out >= 0)
        return RC_OK;
    rc_status_t st = rc_map_set(&n->index, key, n->count, err);
    if (st < 0)
        return st;
    rc_str_add(&n->json, n->count ? "," : "");
    rc_page_json_text(&n->json, text);
    *out = n->count++;
    return RC_OK;
}

static void put_names(rc_str_t *s, const char *key, names_t *n)
{
    rc_str_addf(s, ",\n\"%s\":[%s]", key, n->json.text ? n->json.text : "");
    s->failed |= n->json.failed;
    rc_map_free(&n->index);
    rc_str_free(&n->json);
}

typedef struct writer {
    rc_str_t *s;
    const rc_page_t *p;
    const rc_survey_t *sv;
    names_t kinds;
    names_t plans; /* "kernel\npolicy": a name may hold anything else */
    rc_err_t *err;
    rc_status_t st;
} writer_t;

static const rc_row_result_t *result(const writer_t *w, int64_t row)
{
    return rc_view_result(w->sv->view, row);
}

static int64_t plan_index(writer_t *w, int64_t row)
{
    rc_str_t name = {0};
    int64_t at = -1;
    if (row < 0 || w->st < 0)
        return -1;
    const rc_row_result_t *r = result(w, row);
    rc_str_addf(&name, "%s\n%s", rc_view_kernel(w->sv->view, r->kernel),
        rc_view_policy(w->sv->view, r->policy));
    w->st = name.failed ? rc_fail(w->err, RC_ENOMEM, "no memory for a name")
                        : name_index(&w->plans, name.text, &at, w->err);
    rc_str_free(&name);
    return at;
}

/* ---------------------------------------------------------------------- columns */

typedef void value_fn(writer_t *w, const rc_survey_setting_t *a, int64_t i);

static void column(writer_t *w, const char *key, const rc_survey_setting_t *a, value_fn *value)
{
    rc_str_addf(w->s, ",\"%s\":[", key);
    for (int64_t i = a->first; i < a->first + a->pairs; i++) {
        rc_str_add(w->s, i > a->first ? "," : "");
        value(w, a, i);
    }
    rc_str_add(w->s, "]");
}

static void put_index(writer_t *w, int64_t at)
{
    rc_str_addf(w->s, "%" PRId64, at);
}

static void put_time(writer_t *w, int64_t row)
{
    rc_page_json_real(w->s, row < 0 ? NAN : result(w, row)->median_ns);
}

static void put_matrix(writer_t *w, const rc_survey_setting_t *a, int64_t i)
{
    (void)a;
    put_index(w, w->sv->pair[i].matrix);
}

static void put_cases(writer_t *w, const rc_survey_setting_t *a, int64_t i)
{
    (void)a;
    put_index(w, w->sv->pair[i].cases);
}

#define TIME_OF(member)                                                                            \
    static void time_of_##member(writer_t *w, const rc_survey_setting_t *a, int64_t i)             \
    {                                                                                              \
        (void)a;                                                                                   \
        put_time(w, w->sv->pair[i].member);                                                        \
    }
#define PLAN_OF(member)                                                                            \
    static void plan_of_##member(writer_t *w, const rc_survey_setting_t *a, int64_t i)             \
    {                                                                                              \
        (void)a;                                                                                   \
        put_index(w, plan_index(w, w->sv->pair[i].member));                                        \
    }
TIME_OF(best)
PLAN_OF(best)
TIME_OF(best_csr)
PLAN_OF(best_csr)
TIME_OF(reference_csr)
TIME_OF(reference_best)
PLAN_OF(reference_best)
TIME_OF(vendor)
PLAN_OF(vendor)

static void order_time(writer_t *w, const rc_survey_setting_t *a, int64_t i)
{
    (void)a;
    int64_t best = w->sv->pair[i].best;
    rc_page_json_real(w->s, best < 0 ? NAN : (double)result(w, best)->order_ns);
}

static void preprocess_time(writer_t *w, const rc_survey_setting_t *a, int64_t i)
{
    (void)a;
    int64_t best = w->sv->pair[i].best;
    rc_page_json_real(w->s, best < 0 ? NAN : (double)result(w, best)->preprocess_ns);
}

static void break_even(writer_t *w, const rc_survey_setting_t *a, int64_t i)
{
    (void)a;
    double x = w->sv->pair[i].break_even;
    rc_page_json_real(w->s, isinf(x) ? -1 : x); /* never */
}

static void choice(writer_t *w, const rc_survey_setting_t *a, int64_t i)
{
    (void)a;
    put_index(w, w->p->choices->cls[i]);
}

static void choice_time(writer_t *w, const rc_survey_setting_t *a, int64_t i)
{
    (void)a;
    rc_page_json_real(w->s, w->p->choices->time[i]);
}

static void choice_loss(writer_t *w, const rc_survey_setting_t *a, int64_t i)
{
    (void)a;
    rc_page_json_real(w->s, w->p->choices->loss[i]);
}

static int has_choices(const writer_t *w)
{
    return w->p->choices && w->p->choices->known > 0;
}

static void put_setting(writer_t *w, const rc_survey_setting_t *a)
{
    const rc_row_result_t *r = result(w, a->setting.row);
    rc_str_add(w->s, "{\"label\":");
    rc_page_json_text(w->s, a->label);
    rc_str_add(w->s, ",\"slug\":");
    rc_page_json_text(w->s, a->slug);
    rc_str_add(w->s, ",\"device\":");
    rc_page_json_text(w->s, a->device);
    rc_str_add(w->s, ",\"reference\":");
    rc_page_json_text(w->s, a->reference);
    rc_str_addf(w->s, ",\"k\":%" PRId64, a->setting.is_n ? 0 : r->k); /* 0: as many as columns */
    column(w, "m", a, put_matrix);
    column(w, "cases", a, put_cases);
    column(w, "t", a, time_of_best);
    column(w, "p", a, plan_of_best);
    column(w, "c", a, time_of_best_csr);
    column(w, "cp", a, plan_of_best_csr);
    column(w, "rc", a, time_of_reference_csr);
    column(w, "r", a, time_of_reference_best);
    column(w, "rp", a, plan_of_reference_best);
    column(w, "v", a, time_of_vendor);
    column(w, "vp", a, plan_of_vendor);
    column(w, "o", a, order_time);
    column(w, "pre", a, preprocess_time);
    column(w, "be", a, break_even);
    if (has_choices(w)) {
        column(w, "ch", a, choice);
        column(w, "ct", a, choice_time);
        column(w, "l", a, choice_loss);
    }
    rc_str_add(w->s, "}");
}

static void put_settings(writer_t *w)
{
    rc_str_addf(w->s, "\"main\":%d,\n\"arenas\":[", w->sv->main_setting);
    for (int i = 0; i < w->sv->settings; i++) {
        rc_str_add(w->s, i ? ",\n" : "\n");
        put_setting(w, &w->sv->setting[i]);
    }
    rc_str_add(w->s, "]");
}

static void put_matrices(writer_t *w)
{
    const rc_survey_t *sv = w->sv;
    rc_str_t kind = {0};
    rc_str_add(w->s, ",\n\"matrix\":{\"name\":[");
    for (int i = 0; i < sv->matrices; i++) {
        int64_t at = -1;
        rc_str_add(w->s, i ? "," : "");
        rc_page_json_text(w->s, sv->matrix[i].name);
        if (w->st == RC_OK)
            w->st = name_index(&w->kinds, sv->matrix[i].kind, &at, w->err);
        rc_str_addf(&kind, "%s%" PRId64, i ? "," : "", at);
    }
    rc_str_addf(w->s, "],\n\"kind\":[%s],\n\"rows\":[", kind.text ? kind.text : "");
    for (int i = 0; i < sv->matrices; i++)
        rc_str_addf(w->s, "%s%" PRId64, i ? "," : "", sv->matrix[i].row->rows);
    rc_str_add(w->s, "],\n\"cols\":[");
    for (int i = 0; i < sv->matrices; i++)
        rc_str_addf(w->s, "%s%" PRId64, i ? "," : "", sv->matrix[i].row->cols);
    rc_str_add(w->s, "],\n\"nnz\":[");
    for (int i = 0; i < sv->matrices; i++)
        rc_str_addf(w->s, "%s%" PRId64, i ? "," : "", sv->matrix[i].row->nnz);
    rc_str_add(w->s, "],\n\"ssid\":[");
    for (int i = 0; i < sv->matrices; i++)
        rc_str_addf(w->s, "%s%" PRId64, i ? "," : "", sv->matrix[i].row->ssid);
    rc_str_add(w->s, "]}");
    w->s->failed |= kind.failed;
    rc_str_free(&kind);
}

/* ----------------------------------------------------------------------- images */

static void put_base64(rc_str_t *s, const unsigned char *data, size_t n)
{
    static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    rc_str_add(s, "\"");
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        unsigned x = (unsigned)data[i] << 16 | (left > 1 ? (unsigned)data[i + 1] << 8 : 0) |
                     (left > 2 ? (unsigned)data[i + 2] : 0);
        char four[4] = {digit[x >> 18], digit[x >> 12 & 63], left > 1 ? digit[x >> 6 & 63] : '=',
            left > 2 ? digit[x & 63] : '='};
        rc_str_addn(s, four, sizeof four);
    }
    rc_str_add(s, "\"");
}

static void put_spies(writer_t *w)
{
    int shown = 0;
    rc_str_add(w->s, ",\n\"spy\":{");
    for (int i = 0; w->p->spy && i < w->sv->matrices; i++) {
        const rc_page_spy_t *spy = &w->p->spy[i];
        if (!spy->before)
            continue;
        rc_str_addf(w->s, "%s\"%d\":{\"w\":%d,\"h\":%d,\"full\":", shown++ ? ",\n" : "\n", i,
            spy->width, spy->height);
        rc_page_json_real(w->s, spy->full);
        rc_str_add(w->s, ",\"before\":");
        put_base64(w->s, spy->before, spy->before_bytes);
        if (spy->after) {
            rc_str_addf(w->s, ",\"slots\":%" PRId64 ",\"plan\":%" PRId64 ",\"after\":", spy->slots,
                plan_index(w, spy->shown));
            put_base64(w->s, spy->after, spy->after_bytes);
        }
        rc_str_add(w->s, "}");
    }
    rc_str_add(w->s, "}");
}

static void put_model(writer_t *w)
{
    const rc_choices_t *c = w->p->choices;
    if (!has_choices(w))
        return;
    rc_str_add(w->s, ",\n\"model\":{\"name\":");
    rc_page_json_text(w->s, w->p->in->model_name ? w->p->in->model_name : "");
    rc_str_add(w->s, ",\"classes\":[");
    for (int i = 0; i < c->model->classes; i++) {
        rc_str_add(w->s, i ? "," : "");
        rc_page_json_text(w->s, c->model->cls[i].name);
    }
    rc_str_addf(w->s, "],\"fitted\":%d}", c->fitted_here);
}

rc_status_t rc_page_data(rc_str_t *s, const rc_page_t *p, rc_err_t *err)
{
    writer_t w = {.s = s, .p = p, .sv = p->in->survey, .err = err};
    rc_str_add(s, "{");
    put_settings(&w);
    put_matrices(&w);
    put_spies(&w);
    put_model(&w);
    if (p->spy_note) {
        rc_str_add(s, ",\n\"spyNote\":");
        rc_page_json_text(s, p->spy_note);
    }
    put_names(s, "kinds", &w.kinds);
    put_names(s, "plans", &w.plans);
    rc_str_add(s, "}\n");
    if (w.st == RC_OK && s->failed)
        w.st = rc_fail(err, RC_ENOMEM, "no memory for the data of the page");
    return w.st;
}
