/* The document of a report: columns, not rows, with names in dictionaries, so that 10,000 matrices
 * in nine settings stay below 10 MB. */
#include "config.h"
#include "analysis/report/page.h"
#include "base/error.h"
#include "base/map.h"
#include "kernels/vendor/vendor.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Names that are written once. */
typedef struct names {
    rc_map_t index;
    rc_str_t text; /* their list */
    rc_json_t json;
    int64_t count;
} names_t;

typedef struct writer {
    rc_json_t *j;
    const rc_page_t *p;
    const rc_survey_t *sv;
    const rc_held_out_t *held_out;
    rc_str_t *said;
    names_t kinds;
    names_t plans;
    rc_err_t *err;
    rc_status_t st;
} writer_t;

/* The index of a name; a new one gets the next, and `*is_new` tells. */
static int64_t name_index(writer_t *w, names_t *n, const char *text, int *is_new)
{
    rc_digest_t key = rc_map_text(text);
    int64_t at = rc_map_get(&n->index, key, -1);
    *is_new = at < 0;
    if (at >= 0)
        return at;
    if (w->st == RC_OK)
        w->st = rc_map_set(&n->index, key, n->count, w->err);
    n->json.out = &n->text;
    n->json.depth = 9; /* inside of the document: no lines */
    return n->count++;
}

static const rc_row_result_t *result(const writer_t *w, int64_t row)
{
    return rc_view_result(w->sv->view, row);
}

static int64_t plan_index(writer_t *w, int64_t row)
{
    rc_str_t name = {0};
    int is_new = 0;
    if (row < 0)
        return -1;
    const char *kernel = rc_view_kernel(w->sv->view, result(w, row)->kernel);
    const char *policy = rc_view_policy(w->sv->view, result(w, row)->policy);
    rc_str_addf(&name, "%s\n%s", kernel, policy);
    int64_t at = name_index(w, &w->plans, name.text ? name.text : "", &is_new);
    w->j->out->failed |= name.failed;
    rc_str_free(&name);
    if (is_new) {
        rc_json_open(&w->plans.json, NULL, '[');
        rc_json_text(&w->plans.json, NULL, kernel);
        rc_json_text(&w->plans.json, NULL, policy);
        rc_json_close(&w->plans.json, '[');
    }
    return at;
}

static void put_names(writer_t *w, const char *key, names_t *n)
{
    rc_json_open(w->j, key, '[');
    rc_str_addn(w->j->out, n->text.text ? n->text.text : "", n->text.len);
    rc_json_close(w->j, '[');
    w->j->out->failed |= n->text.failed;
    rc_map_free(&n->index);
    rc_str_free(&n->text);
}

/* ------------------------------------------------------------------------ columns */

/* What a column of a setting holds of each pair, or of the fastest row of a choice in it. */
typedef enum what {
    MATRIX,
    CASES,
    ORDERS,
    TIME,
    PLAN,
    ORDER,
    PREPROCESS,
    BREAK_EVEN,
    CHOICE,
    CHOICE_TIME,
    CHOICE_LOSS
} what_t;

typedef struct column {
    const char *key;
    what_t what;
    rc_choice_of_t of;
} column_t;

static const column_t columns[] = {{"matrix", MATRIX, RC_CHOICE_ALL},
    {"cases", CASES, RC_CHOICE_ALL}, {"reordered", ORDERS, RC_CHOICE_ALL},
    {"reference_reordered", ORDERS, RC_CHOICE_REFERENCE}, {"best_ns", TIME, RC_CHOICE_ALL},
    {"best_plan", PLAN, RC_CHOICE_ALL}, {"csr_ns", TIME, RC_CHOICE_CSR},
    {"csr_plan", PLAN, RC_CHOICE_CSR}, {"reference_csr_ns", TIME, RC_CHOICE_REFERENCE_CSR},
    {"reference_best_ns", TIME, RC_CHOICE_REFERENCE},
    {"reference_best_plan", PLAN, RC_CHOICE_REFERENCE}, {"vendor_ns", TIME, RC_CHOICE_VENDOR_CSR},
    {"vendor_plan", PLAN, RC_CHOICE_VENDOR_CSR}, {"order_ns", ORDER, RC_CHOICE_ALL},
    {"preprocess_ns", PREPROCESS, RC_CHOICE_ALL}, {"break_even", BREAK_EVEN, RC_CHOICE_ALL}};

static const column_t choice_columns[] = {{"choice", CHOICE, RC_CHOICE_ALL},
    {"choice_ns", CHOICE_TIME, RC_CHOICE_ALL}, {"choice_loss", CHOICE_LOSS, RC_CHOICE_ALL}};

static double real_of(const writer_t *w, what_t what, int64_t i, int64_t row)
{
    double x = w->sv->pair[i].break_even;
    switch (what) {
    case BREAK_EVEN:
        return isinf(x) ? -1 : x;
    case CHOICE_TIME:
        return w->p->choices->pair[i].time;
    case CHOICE_LOSS:
        return w->p->choices->pair[i].loss;
    case ORDER:
        return row < 0 ? NAN : (double)result(w, row)->order_ns;
    case PREPROCESS:
        return row < 0 ? NAN : (double)result(w, row)->preprocess_ns;
    default:
        return rc_survey_ns(w->sv, row);
    }
}

static void put_cell(writer_t *w, const column_t *c, int64_t i)
{
    const rc_survey_pair_t *p = &w->sv->pair[i];
    int64_t row = p->row[c->of];
    if (c->what == MATRIX || c->what == CASES)
        rc_json_int(w->j, NULL, c->what == MATRIX ? p->matrix : p->cases);
    else if (c->what == ORDERS)
        rc_json_int(w->j, NULL, p->reordered[c->of]);
    else if (c->what == PLAN || c->what == CHOICE)
        rc_json_index(
            w->j, NULL, c->what == PLAN ? plan_index(w, row) : w->p->choices->pair[i].cls);
    else
        rc_json_real(w->j, NULL, real_of(w, c->what, i, row));
}

static void put_columns(writer_t *w, const rc_survey_setting_t *a, const column_t *c, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        rc_json_open(w->j, c[k].key, '[');
        for (int64_t i = a->first; i < a->first + a->pairs; i++)
            put_cell(w, &c[k], i);
        rc_json_close(w->j, '[');
    }
}

/* ----------------------------------------------------------------------- settings */

static void put_gain(rc_json_t *j, const char *key, const rc_gain_t *g)
{
    rc_json_open(j, key, '{');
    rc_json_int(j, "matrices", g->stats.count);
    rc_json_real(j, "geomean", g->stats.geomean);
    rc_json_real(j, "mean", g->stats.mean);
    rc_json_real(j, "geomean_held_out", g->held_out.value);
    rc_json_real(j, "geomean_held_out_low", g->held_out.low);
    rc_json_real(j, "geomean_held_out_high", g->held_out.high);
    rc_json_int(j, "over_5_percent", g->over5);
    rc_json_int(j, "over_5_percent_held_out", g->over5_held_out);
    rc_json_int(j, "clear", g->clear);
    rc_json_int(j, "clear_loss", g->clear_loss);
    rc_json_int(j, "two_cards", g->two_cards);
    rc_json_close(j, '{');
}

static void put_headline(rc_json_t *j, const rc_headline_t *h)
{
    rc_json_open(j, "headline", '{');
    rc_json_int(j, "matrices", h->matrices);
    put_gain(j, "order", &h->order);
    put_gain(j, "plan", &h->plan);
    put_gain(j, "vendor", &h->vendor);
    rc_json_int(j, "noisy_csr", h->noisy_csr);
    rc_json_int(j, "noisy_orders", h->noisy_orders);
    rc_json_int(j, "reordered", h->reordered);
    rc_json_int(j, "pays", h->pays);
    rc_json_real(j, "break_even_median", h->break_even_median);
    rc_json_close(j, '{');
}

static void put_parts(rc_json_t *j, const char *key, const rc_answer_part_t *part, int64_t n)
{
    rc_json_open(j, key, '[');
    for (int64_t i = 0; i < n; i++) {
        rc_json_open(j, NULL, '{');
        rc_json_text(j, "name", part[i].name);
        rc_json_int(j, "matrices", part[i].matrices);
        rc_json_real(j, "value", part[i].figure.value);
        rc_json_real(j, "low", part[i].figure.low);
        rc_json_real(j, "high", part[i].figure.high);
        rc_json_close(j, '{');
    }
    rc_json_close(j, '[');
}

/* 1: the pair was measured with that kernel of the library, in the original order. */
static int has_entry(const rc_survey_t *s, int64_t pair, const char *entry)
{
    for (int64_t i = rc_survey_first_row(s, pair); i < rc_survey_first_row(s, pair + 1); i++) {
        const rc_row_result_t *r = rc_view_result(s->view, s->rows[i]);
        if (rc_survey_is_csr(s, s->rows[i]) &&
            rc_vendor_is_entry(entry, rc_view_kernel(s->view, r->kernel)))
            return 1;
    }
    return 0;
}

/* What the baseline lacks: kernels of the library that are the fastest somewhere, and on how many
 * of the matrices that the library was measured on. */
static void put_lacks(const writer_t *w, const rc_survey_setting_t *a)
{
    const rc_row_result_t *r = result(w, a->setting.row);
    const char *op = rc_survey_name(rc_op_names, r->op);
    const char *layout = rc_survey_name(rc_layout_names, a->setting.layout);
    rc_json_open(w->j, "lacks", '[');
    for (int e = 0; op && layout && rc_vendor_timed[e]; e++) {
        int64_t without = 0;
        for (int64_t i = a->first; i < a->first + a->pairs; i++) {
            int64_t row = w->sv->pair[i].row[RC_CHOICE_VENDOR_CSR];
            without +=
                row >= 0 && !has_entry(w->sv, i, rc_vendor_timed[e]) &&
                strncmp(rc_view_kernel(w->sv->view, result(w, row)->kernel), "cusparse", 8) == 0;
        }
        if (without == 0 || !rc_vendor_is_for(rc_vendor_timed[e], op, layout))
            continue;
        rc_json_open(w->j, NULL, '{');
        rc_json_text(w->j, "kernel", rc_vendor_timed[e]);
        rc_json_int(w->j, "matrices", without);
        rc_json_close(w->j, '{');
    }
    rc_json_close(w->j, '[');
}

/* " Over the best of WHAT: 1.024 (1.018 to 1.031)." */
static void add_figure(rc_str_t *out, const char *over, const char *what, const rc_gain_t *g)
{
    if (g->stats.count == 0)
        return;
    rc_str_addf(out, " Over the %s%s: %.3f", over, what, g->held_out.value);
    if (isfinite(g->held_out.low))
        rc_str_addf(out, " (%.3f to %.3f)", g->held_out.low, g->held_out.high);
    if (g->two_cards > 0)
        rc_str_addf(
            out, ", %" PRId64 " of %" PRId64 " ratios of two GPUs", g->two_cards, g->stats.count);
    rc_str_add(out, ".");
}

/* What a command says of the page: its sentence, of what, and the numbers beside it. */
static void say(
    writer_t *w, const rc_survey_setting_t *a, const rc_answer_t *answer, const rc_headline_t *h)
{
    const char *device = strchr(a->device, ':');
    device = device ? device + 1 : a->device;
    rc_str_addn(w->said, device, strcspn(device, ":"));
    rc_str_addf(w->said, ", %s: %s", a->label, answer->sentence.text);
    add_figure(w->said, "best of ", a->library, &h->vendor);
    add_figure(w->said, "original order", "", &h->plan);
    w->j->out->failed |= w->said->failed;
}

/* The answer of a setting; that of the main one is what is said. */
static void put_answer(writer_t *w, int setting, const rc_headline_t *h)
{
    rc_answer_t answer = {.sentence = {0}};
    if (w->st == RC_OK)
        w->st = rc_answer_make(w->sv, setting, h, w->held_out, &answer, w->err);
    rc_json_open(w->j, "answer", '{');
    rc_json_text(w->j, "sentence", answer.sentence.text);
    put_parts(w->j, "kinds", answer.kind, answer.kinds);
    put_parts(w->j, "kernels", answer.kernel, answer.kernels);
    rc_json_real(w->j, "lead", answer.lead.value);
    rc_json_real(w->j, "lead_low", answer.lead.low);
    rc_json_int(w->j, "measured_kernels", answer.measured_kernels);
    rc_json_int(w->j, "measured_orders", answer.measured_orders);
    put_lacks(w, &w->sv->setting[setting]);
    rc_json_close(w->j, '{');
    if (w->st == RC_OK && setting == w->sv->main_setting)
        say(w, &w->sv->setting[setting], &answer, h);
    rc_answer_free(&answer);
}

static void put_setting(writer_t *w, int setting, const rc_headline_t *h)
{
    const rc_survey_setting_t *a = &w->sv->setting[setting];
    const rc_row_result_t *r = result(w, a->setting.row);
    rc_json_open(w->j, NULL, '{');
    rc_json_text(w->j, "label", a->label);
    rc_json_text(w->j, "slug", a->slug);
    rc_json_text(w->j, "layout", a->layout[0] ? a->layout : NULL);
    rc_json_text(w->j, "library", a->library[0] ? a->library : NULL);
    rc_json_int(w->j, "vendor_alone", a->is_vendors);
    rc_json_text(w->j, "dense", a->dense[0] ? a->dense : NULL);
    rc_json_int(w->j, "with_dense", a->with_dense);
    rc_json_text(w->j, "operation", rc_survey_name(rc_op_names, r->op));
    rc_json_text(w->j, "precision", rc_survey_name(rc_precision_names, r->precision));
    rc_json_text(w->j, "device", a->device);
    rc_json_text(w->j, "reference", a->reference[0] ? a->reference : NULL);
    if (a->setting.is_n)
        rc_json_text(w->j, "k", "n");
    else
        rc_json_index(w->j, "k", r->k > 0 ? r->k : -1); /* null: the operation has no K */
    put_answer(w, setting, h);
    put_headline(w->j, h);
    put_columns(w, a, columns, sizeof columns / sizeof *columns);
    if (w->p->choices && w->p->choices->known > 0)
        put_columns(w, a, choice_columns, sizeof choice_columns / sizeof *choice_columns);
    rc_json_close(w->j, '{');
}

static void put_matrices(writer_t *w)
{
    static const char *const key[] = {"name", "kind", "ssid", "rows", "cols", "nnz"};
    enum { NAME, KIND };
    rc_json_open(w->j, "matrix", '{');
    for (int k = 0; k < (int)(sizeof key / sizeof *key); k++) {
        rc_json_open(w->j, key[k], '[');
        for (int i = 0; i < w->sv->matrices; i++) {
            const rc_survey_matrix_t *m = &w->sv->matrix[i];
            const int64_t number[] = {m->row->ssid, m->row->rows, m->row->cols, m->row->nnz};
            int is_new = 0;
            if (k == NAME)
                rc_json_text(w->j, NULL, m->name);
            else if (k == KIND)
                rc_json_int(w->j, NULL, name_index(w, &w->kinds, m->kind, &is_new));
            else
                rc_json_int(w->j, NULL, number[k - KIND - 1]);
            if (is_new)
                rc_json_text(&w->kinds.json, NULL, m->kind);
        }
        rc_json_close(w->j, '[');
    }
    rc_json_close(w->j, '{');
}

/* -------------------------------------------------------------------------- model */

static void put_model(writer_t *w)
{
    static const struct {
        const char *key;
        const char *what;
        const char *part;
    } figure[] = {{"selector_geomean", "speedup_selector", "geomean"},
        {"selector_mean", "speedup_selector", "mean"},
        {"oracle_geomean", "speedup_oracle", "geomean"},
        {"oracle_geomean_held_out", "speedup_oracle_held_out_geomean", NULL},
        {"loss_mean", "loss_mean", NULL}};
    const rc_choices_t *c = w->p->choices;
    const json_t *file = w->p->in->model_file;
    const json_t *e = json_object_get(file, "evaluation");
    if (!c)
        return;
    rc_json_open(w->j, "model", '{');
    rc_json_text(w->j, "name", w->p->in->model_name ? w->p->in->model_name : "");
    rc_json_text(w->j, "no_choices", c->note.len ? c->note.text : NULL);
    rc_json_int(w->j, "fitted_here", c->fitted_here);
    rc_json_open(w->j, "classes", '[');
    for (int i = 0; i < w->p->in->model->classes; i++)
        rc_json_text(w->j, NULL, w->p->in->model->cls[i].name);
    rc_json_close(w->j, '[');
    rc_json_open(w->j, "evaluation", '{');
    rc_json_text(w->j, "baseline", json_string_value(json_object_get(e, "baseline")));
    for (size_t i = 0; i < sizeof figure / sizeof *figure; i++)
        rc_json_real(
            w->j, figure[i].key, rc_answer_evaluated(file, figure[i].what, figure[i].part).value);
    rc_json_close(w->j, '{');
    rc_json_close(w->j, '{');
}

/* ----------------------------------------------------------------------- pictures */

static void put_figures(writer_t *w)
{
    rc_json_open(w->j, "figures", '[');
    for (int i = 0; i < w->p->drawn_count; i++) {
        const rc_drawn_t *d = &w->p->drawn[i];
        const char *missing = d->text.missing.text ? d->text.missing.text : "no reason is known";
        rc_json_open(w->j, NULL, '{');
        rc_json_text(w->j, "name", d->plot->name);
        rc_json_text(w->j, "title", d->plot->title);
        rc_json_text(w->j, "section", d->plot->section);
        rc_json_text(w->j, "source", d->plot->source && *d->plot->source ? d->plot->source : NULL);
        rc_json_text(w->j, "caption", d->text.caption.text);
        rc_json_text(w->j, "missing", d->svg ? NULL : missing);
        rc_json_index(w->j, "missing_at", !d->svg && d->text.of_shown ? d->setting : -1);
        rc_json_int(w->j, "csv", d->has_csv);
        rc_json_int(w->j, "svg", d->has_svg);
        rc_json_index(w->j, "setting", d->setting);
        rc_json_int(w->j, "home", d->is_home);
        rc_json_text(w->j, "folder", d->folder);
        rc_json_close(w->j, '{');
    }
    rc_json_close(w->j, '[');
}

/* What the pictures show: pixels, entries of full ink, and the plan whose order is the second. */
static void put_spies(writer_t *w)
{
    char key[16];
    rc_json_open(w->j, "spies", '{');
    for (int i = 0; i < w->sv->matrices; i++) {
        const rc_page_spy_t *spy = &w->p->spies->spy[i];
        if (!spy->before.len)
            continue;
        snprintf(key, sizeof key, "%d", i);
        rc_json_open(w->j, key, '{');
        rc_json_int(w->j, "width", spy->width);
        rc_json_int(w->j, "height", spy->height);
        rc_json_real(w->j, "full", spy->full);
        rc_json_index(w->j, "plan", spy->after.len ? plan_index(w, spy->shown) : -1);
        rc_json_index(w->j, "slots", spy->after.len ? spy->slots : -1);
        rc_json_close(w->j, '{');
    }
    rc_json_close(w->j, '{');
    rc_json_text(w->j, "spies_note", w->p->spies->note.text);
}

void rc_page_pictures(rc_json_t *j, const rc_page_t *p)
{
    char key[16];
    rc_json_open(j, NULL, '{');
    rc_json_open(j, "figures", '{');
    for (int i = 0; i < p->drawn_count; i++)
        if (p->drawn[i].svg) {
            char name[160];
            snprintf(name, sizeof name, "%s%s", p->drawn[i].folder, p->drawn[i].plot->name);
            rc_json_text(j, name, p->drawn[i].svg);
        }
    rc_json_close(j, '{');
    rc_json_open(j, "spies", '{');
    for (int i = 0; i < p->in->survey->matrices; i++) {
        const rc_page_spy_t *spy = &p->spies->spy[i];
        if (!spy->before.len)
            continue;
        snprintf(key, sizeof key, "%d", i);
        rc_json_open(j, key, '[');
        rc_json_base64(j, NULL, spy->before.text, spy->before.len);
        if (spy->after.len)
            rc_json_base64(j, NULL, spy->after.text, spy->after.len);
        rc_json_close(j, '[');
    }
    rc_json_close(j, '{');
    rc_json_close(j, '{');
}

/* ----------------------------------------------------------------------- document */

rc_status_t rc_page_document(rc_json_t *j, const rc_page_t *p, const rc_headline_t *headline,
    const rc_held_out_t *held_out, rc_str_t *said, rc_err_t *err)
{
    const rc_survey_t *sv = p->in->survey;
    writer_t w = {.j = j, .p = p, .sv = sv, .held_out = held_out, .said = said, .err = err};
    rc_json_open(j, NULL, '{');
    rc_json_text(j, "format", "rowcast report");
    rc_json_int(j, "version", RC_PAGE_VERSION);
    rc_json_text(j, "rowcast", rc_version());
    rc_json_text(j, "store", p->in->options->store);
    rc_json_text(j, "where", p->in->options->where);
    rc_json_text(j, "op", sv->op < 0 ? NULL : rc_op_names[sv->op]);
    rc_json_open(j, "left_out", '{'); /* results of other operations */
    for (int i = 0; i < RC_STORE_OPS; i++)
        if (sv->left_out[i])
            rc_json_int(j, rc_op_names[i], sv->left_out[i]);
    rc_json_close(j, '{');
    rc_json_int(j, "results", sv->results);
    rc_json_open(j, "pairs", '{'); /* results without csr of their run; matrices of several cards */
    rc_json_int(j, "another_run", sv->paired.another_run);
    rc_json_int(j, "another_card", sv->paired.another_card);
    rc_json_int(j, "nothing", sv->paired.nothing);
    rc_json_int(j, "cells", sv->paired.cells);
    rc_json_int(j, "two_cards", sv->paired.two_cards);
    rc_json_close(j, '{');
    rc_json_index(j, "main", sv->main_setting);
    rc_json_open(j, "settings", '[');
    for (int i = 0; i < sv->settings; i++)
        put_setting(&w, i, &headline[i]);
    rc_json_close(j, '[');
    put_matrices(&w);
    put_figures(&w);
    put_spies(&w);
    put_model(&w);
    put_names(&w, "kinds", &w.kinds);
    put_names(&w, "plans", &w.plans);
    if (w.st == RC_OK)
        w.st = rc_page_run(j, p, err);
    rc_json_close(j, '{');
    rc_str_add(j->out, "\n");
    if (w.st == RC_OK && j->out->failed)
        w.st = rc_fail(err, RC_ENOMEM, "no memory for the document of the report");
    return w.st;
}
