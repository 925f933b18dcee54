#include "config.h"
#include "analysis/report/page.h"
#include "analysis/report/page_text.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/replace.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------- figures */

static int opens_section(const rc_page_t *p, int i)
{
    return i == 0 || strcmp(p->drawn[i].plot->section, p->drawn[i - 1].plot->section) != 0;
}

/* "Orders" as "orders" */
static void anchor(rc_str_t *s, const char *section)
{
    for (const char *at = section; *at; at++) {
        char c = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
        int plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        rc_str_addn(s, plain ? &c : "-", 1);
    }
}

static int is_left_out(const rc_drawn_t *d)
{
    return d->svg == NULL;
}

static void left_out(rc_str_t *s, const rc_page_t *p, int from)
{
    int shown = 0;
    for (int i = from; i < p->drawn_count && (i == from || !opens_section(p, i)); i++) {
        const rc_drawn_t *d = &p->drawn[i];
        if (!is_left_out(d))
            continue;
        rc_str_add(s, shown++ ? "" : "<p class=\"missing\">Left out: ");
        rc_str_add(s, shown > 1 ? "; " : "");
        if (d->has_csv)
            rc_str_addf(s, "<a href=\"figures/%s.csv\">", d->plot->name);
        rc_page_text(s, d->plot->title);
        rc_str_add(s, d->has_csv ? "</a> (" : " (");
        rc_page_text(s, d->text.missing.text ? d->text.missing.text : "no reason is known");
        rc_str_add(s, ")");
    }
    rc_str_add(s, shown ? ".</p>\n" : "");
}

static void figure(rc_str_t *s, const rc_drawn_t *d)
{
    static const char *const kinds[] = {"csv", "svg", "pdf"};
    rc_str_addf(s, "<figure id=\"figure-%s\">\n<h3>", d->plot->name);
    rc_page_text(s, d->plot->title);
    rc_str_add(s, "</h3>\n<div class=\"plot\">");
    rc_str_add(s, d->svg);
    rc_str_add(s, "</div>\n<figcaption>");
    rc_page_text(s, d->text.caption.text ? d->text.caption.text : "");
    if (d->plot->source && d->plot->source[0]) {
        rc_str_add(s, " <span class=\"source\">");
        rc_page_text(s, d->plot->source);
        rc_str_add(s, ".</span>");
    }
    rc_str_add(s, " <span class=\"files\">");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        rc_str_addf(s, "%s<a href=\"figures/%s.%s\">%s</a>", i ? " " : "", d->plot->name, kinds[i],
            i == 0   ? "CSV"
            : i == 1 ? "SVG"
                     : "PDF");
    rc_str_add(s, "</span></figcaption>\n</figure>\n");
}

void rc_page_figures(rc_str_t *s, const rc_page_t *p)
{
    for (int i = 0; i < p->drawn_count; i++) {
        if (opens_section(p, i)) {
            rc_str_add(s, i ? "</section>\n" : "");
            rc_str_add(s, "<section id=\"");
            anchor(s, p->drawn[i].plot->section);
            rc_str_add(s, "\" class=\"figures\">\n<h2>");
            rc_page_text(s, p->drawn[i].plot->section);
            rc_str_add(s, "</h2>\n");
            left_out(s, p, i);
        }
        if (!is_left_out(&p->drawn[i]))
            figure(s, &p->drawn[i]);
    }
    rc_str_add(s, p->drawn_count ? "</section>\n" : "");
}

void rc_page_figure_links(rc_str_t *s, const rc_page_t *p)
{
    for (int i = 0; i < p->drawn_count; i++) {
        if (!opens_section(p, i))
            continue;
        rc_str_add(s, "<a href=\"#");
        anchor(s, p->drawn[i].plot->section);
        rc_str_add(s, "\">");
        rc_page_text(s, p->drawn[i].plot->section);
        rc_str_add(s, "</a>\n");
    }
}

/* -------------------------------------------------------------------------- model */

/* Numbers of an evaluation on unseen rows, as model files have them; NaN: not there. */
static double evaluated(const json_t *file, const char *what, const char *part)
{
    const json_t *x =
        json_object_get(json_object_get(json_object_get(file, "evaluation"), "all"), what);
    if (part)
        x = json_object_get(x, part);
    x = json_is_object(x) ? json_object_get(x, "value") : x;
    return json_is_number(x) ? json_number_value(x) : NAN;
}

static void evaluation(rc_str_t *s, const rc_page_t *p)
{
    const json_t *file = p->in->model_file;
    double selector = evaluated(file, "speedup_selector", "geomean");
    double oracle = evaluated(file, "speedup_oracle", "geomean");
    double loss = evaluated(file, "loss_mean", NULL);
    const char *baseline =
        json_string_value(json_object_get(json_object_get(file, "evaluation"), "baseline"));
    if (!isfinite(selector) || !isfinite(oracle) || !baseline)
        return;
    rc_str_add(s, "On rows that its fit had not seen, its choices are ");
    rc_page_ratio(s, selector);
    rc_str_add(s, " as fast as always ");
    rc_page_code(s, baseline);
    rc_str_add(s, " in geomean (mean ");
    rc_page_ratio(s, evaluated(file, "speedup_selector", "mean"));
    rc_str_add(s, "); the best of its candidates would be ");
    rc_page_ratio(s, oracle);
    if (isfinite(loss))
        rc_str_addf(s, ". The mean loss there is %.1f&nbsp;%%", 100 * loss);
    rc_str_add(s, ". ");
}

/* ------------------------------------------------------------------------- places */

typedef struct places {
    const rc_page_t *page;
    const rc_headline_t *headline;
    const char *css;
    const char *js;
    rc_str_t data;
    char nonce[RC_DIGEST_HEX + 1];
} places_t;

typedef rc_status_t place_fn(rc_str_t *s, const places_t *w, rc_err_t *err);

static void base_name(rc_str_t *s, const char *path)
{
    const char *slash = strrchr(path, '/');
    rc_page_text(s, slash ? slash + 1 : path);
}

static rc_status_t put_title(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)err;
    rc_str_add(s, "rowcast report: ");
    base_name(s, w->page->in->store);
    return RC_OK;
}

static rc_status_t put_store(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)err;
    base_name(s, w->page->in->store);
    return RC_OK;
}

static rc_status_t put_headline(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)err;
    rc_page_headline(s, w->page);
    return RC_OK;
}

static rc_status_t put_nonce(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)err;
    rc_str_add(s, w->nonce);
    return RC_OK;
}

static rc_status_t put_css(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)err;
    rc_str_add(s, w->css);
    return RC_OK;
}

static rc_status_t put_js(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)err;
    rc_str_add(s, w->js);
    return RC_OK;
}

static rc_status_t put_data(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)err;
    rc_str_addn(s, w->data.text, w->data.len);
    return RC_OK;
}

static rc_status_t put_answer(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)err;
    rc_page_answer(s, w->page, w->headline);
    return RC_OK;
}

static rc_status_t put_settings(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)err;
    rc_page_settings(s, w->page, w->headline);
    return RC_OK;
}

static rc_status_t put_run(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    return rc_page_run(s, w->page, err);
}

static rc_status_t put_figures(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)err;
    rc_page_figures(s, w->page);
    return RC_OK;
}

static rc_status_t put_links(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)err;
    rc_page_figure_links(s, w->page);
    return RC_OK;
}

static rc_status_t put_model(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    const rc_choices_t *c = w->page->choices;
    (void)err;
    if (!c)
        return RC_OK;
    rc_str_add(s, "<p class=\"note\">Model ");
    rc_page_code(s, w->page->in->model_name ? w->page->in->model_name : "");
    if (c->note.len) {
        rc_str_add(s, " has no choices here: ");
        rc_page_text(s, c->note.text);
        rc_str_add(s, ".</p>\n");
        return RC_OK;
    }
    rc_str_addf(s,
        ": the loss of a choice is its measured time over that of the fastest of the model&#39;s "
        "%d candidates, less 1. ",
        c->model->classes);
    evaluation(s, w->page);
    if (c->fitted_here)
        rc_str_add(s, "The table shows its choices also on matrices that its fit has seen. ");
    rc_str_add(s, "</p>\n");
    return RC_OK;
}

static rc_status_t put_version(rc_str_t *s, const places_t *w, rc_err_t *err)
{
    (void)w;
    (void)err;
    rc_page_text(s, rc_version());
    return RC_OK;
}

static const struct {
    const char *name; /* "{{name}}" in page.html */
    place_fn *put;
} places[] = {{"title", put_title}, {"store", put_store}, {"headline", put_headline},
    {"nonce", put_nonce}, {"css", put_css}, {"js", put_js}, {"data", put_data},
    {"answer", put_answer}, {"arenas", put_settings}, {"run", put_run}, {"figures", put_figures},
    {"links", put_links}, {"model", put_model}, {"version", put_version}};

static rc_status_t put_place(
    rc_str_t *s, const places_t *w, const char *name, size_t n, rc_err_t *err)
{
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        if (strlen(places[i].name) == n && memcmp(places[i].name, name, n) == 0)
            return places[i].put(s, w, err);
    return rc_fail(err, RC_EFORMAT, "page.html: no part of a page is named '%.*s'", (int)n, name);
}

static rc_status_t fill(rc_str_t *s, const places_t *w, const char *skeleton, rc_err_t *err)
{
    const char *at = skeleton;
    rc_status_t st = RC_OK;
    while (st == RC_OK) {
        const char *open = strstr(at, "{{");
        const char *close = open ? strstr(open, "}}") : NULL;
        if (!close)
            break;
        rc_str_addn(s, at, (size_t)(open - at));
        st = put_place(s, w, open + 2, (size_t)(close - open - 2), err);
        at = close + 2;
    }
    rc_str_add(s, at);
    return st < 0 ? st : s->failed ? rc_fail(err, RC_ENOMEM, "no memory for the page") : RC_OK;
}

/* -------------------------------------------------------------------------- files */

static rc_status_t read_asset(const char *dir, const char *name, rc_str_t *out, rc_err_t *err)
{
    rc_str_t path = {0};
    char block[16384];
    size_t n;
    rc_str_addf(&path, "%s/%s", dir, name);
    if (path.failed)
        return rc_fail(err, RC_ENOMEM, "no memory for a file name");
    FILE *f = fopen(path.text, "rb");
    if (!f) {
        rc_fail_errno(err, RC_ENOENT, errno, "cannot read '%s', an asset of the page", path.text);
        rc_str_free(&path);
        return RC_ENOENT;
    }
    while ((n = fread(block, 1, sizeof block, f)) > 0)
        rc_str_addn(out, block, n);
    rc_status_t st = RC_OK;
    if (ferror(f))
        st = rc_fail(err, RC_EIO, "cannot read '%s'", path.text);
    else if (out->failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for '%s'", path.text);
    else if (!out->text)
        st = rc_fail(err, RC_EFORMAT, "'%s' is empty", path.text);
    fclose(f);
    rc_str_free(&path);
    return st;
}

static rc_status_t write_page(const char *dir, const rc_str_t *html, rc_err_t *err)
{
    rc_str_t path = {0};
    rc_replace_t r = {0};
    rc_str_addf(&path, "%s/index.html", dir);
    if (path.failed)
        return rc_fail(err, RC_ENOMEM, "no memory for a file name");
    rc_status_t st = rc_replace_begin(path.text, &r, err);
    if (st == RC_OK) {
        int whole = fwrite(html->text, 1, html->len, r.file) == html->len;
        st = rc_replace_end(&r, whole, err);
        if (st == RC_OK && !whole)
            st = rc_fail(err, RC_EIO, "cannot write '%s'", path.text);
    }
    rc_str_free(&path);
    return st;
}

rc_status_t rc_page_write(
    const rc_page_t *page, const char *assets, const char *dir, int64_t *bytes, rc_err_t *err)
{
    rc_str_t skeleton = {0};
    rc_str_t css = {0};
    rc_str_t js = {0};
    rc_str_t html = {0};
    rc_headline_t *headline = NULL;
    places_t w = {.page = page};
    rc_status_t st;
    RC_TRY(read_asset(assets, "page.html", &skeleton, err));
    RC_TRY(read_asset(assets, "page.css", &css, err));
    RC_TRY(read_asset(assets, "page.js", &js, err));
    RC_TRY(rc_headline_make(page->in->survey, &headline, err));
    RC_TRY(rc_page_data(&w.data, page, err));
    w.headline = headline;
    w.css = css.text;
    w.js = js.text;
    /* only the script with this word runs, and a text in the store cannot know it: it depends on
     * that text; the same store gives the same page */
    rc_digest_hex(rc_digest(w.data.text, w.data.len), w.nonce);
    RC_TRY(fill(&html, &w, skeleton.text, err));
    RC_TRY(write_page(dir, &html, err));
    if (bytes)
        *bytes = (int64_t)html.len;
done:
    free(headline);
    rc_str_free(&w.data);
    rc_str_free(&html);
    rc_str_free(&js);
    rc_str_free(&css);
    rc_str_free(&skeleton);
    return st;
}
