/* The page: fixed assets with the document inside, and the document beside it. */
#include "config.h"
#include "analysis/report/page.h"
#include "base/alloc.h"
#include "base/digest.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texts of which the page is made. */
typedef struct parts {
    const char *assets; /* directory */
    rc_str_t data;
    rc_str_t pictures;
    rc_str_t nonce;
    rc_str_t figure; /* the first one, for readers without scripts */
} parts_t;

static rc_status_t read_asset(const char *assets, const char *name, rc_str_t *out, rc_err_t *err)
{
    char *path = rc_strf("a file name", err, "%s/page/%s", assets, name);
    rc_status_t st = path ? rc_report_read(path, out, err) : RC_ENOMEM;
    if (st < 0)
        rc_err_context(err, "an asset of the page");
    else if (!out->text)
        st = rc_fail(err, RC_EFORMAT, "'%s' is empty", path);
    free(path);
    return st;
}

/* What stands for "{{name}}": a text of the report, or the asset of that name. */
static rc_status_t put_part(
    rc_str_t *s, const parts_t *w, const char *name, size_t n, rc_err_t *err)
{
    const struct {
        const char *name;
        const rc_str_t *text;
    } known[] = {{"data", &w->data}, {"pictures", &w->pictures}, {"nonce", &w->nonce},
        {"figure", &w->figure}};
    char file[64];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strlen(known[i].name) == n && memcmp(known[i].name, name, n) == 0) {
            if (known[i].text->len)
                rc_str_addn(s, known[i].text->text, known[i].text->len);
            return RC_OK;
        }
    snprintf(file, sizeof file, "%.*s", (int)n, name);
    if (n >= sizeof file || !strchr(file, '.') || strchr(file, '/'))
        return rc_fail(
            err, RC_EFORMAT, "page.html: no part of a page is named '%.*s'", (int)n, name);
    return read_asset(w->assets, file, s, err);
}

static rc_status_t fill(rc_str_t *s, const parts_t *w, const char *skeleton, rc_err_t *err)
{
    const char *at = skeleton;
    rc_status_t st = RC_OK;
    while (st == RC_OK) {
        const char *open = strstr(at, "{{");
        const char *close = open ? strstr(open, "}}") : NULL;
        if (!close)
            break;
        rc_str_addn(s, at, (size_t)(open - at));
        st = put_part(s, w, open + 2, (size_t)(close - open - 2), err);
        at = close + 2;
    }
    rc_str_add(s, at);
    return st < 0 ? st : s->failed ? rc_fail(err, RC_ENOMEM, "no memory for the page") : RC_OK;
}

/* Assets without a word of their version are of the first one. */
static rc_status_t read_version(const char *assets, int64_t *out, rc_err_t *err)
{
    rc_str_t text = {0};
    rc_err_t why = {0};
    rc_status_t st = read_asset(assets, "version.txt", &text, &why);
    *out = 1;
    if (st == RC_OK) {
        text.text[strcspn(text.text, "\n")] = '\0';
        st = rc_parse_int(text.text, 1, INT32_MAX, "page/version.txt", out, &why) < 0 ? RC_EFORMAT
                                                                                      : RC_OK;
    }
    rc_str_free(&text);
    return st == RC_OK || st == RC_ENOENT ? RC_OK : rc_fail(err, st, "%s", why.text);
}

/* The page: of assets of another version a line that says so, for their scripts would show what
 * is not there.  \param[in] version  of the assets */
static rc_status_t make_html(
    rc_str_t *s, const parts_t *w, int64_t version, const char *skeleton, rc_err_t *err)
{
    if (version == RC_PAGE_VERSION)
        return fill(s, w, skeleton, err);
    rc_str_addf(s,
        "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>rowcast report</title>\n"
        "<p>The assets of this page are of version %" PRId64 ", its data of version %d: make it "
        "anew with the assets of the program. The numbers are in "
        "<a href=\"report.json\">report.json</a>.</p>\n",
        version, (int)RC_PAGE_VERSION);
    return s->failed ? rc_fail(err, RC_ENOMEM, "no memory for the page") : RC_OK;
}

static rc_status_t write_file(const char *dir, const char *name, const rc_str_t *s, rc_err_t *err)
{
    char *path = rc_strf("a file name", err, "%s/%s", dir, name);
    rc_status_t st = path ? rc_report_write(path, s, err) : RC_ENOMEM;
    free(path);
    return st;
}

/* The one of the first screen where it was drawn, else the first figure that was. */
static void make_figure(parts_t *w, const rc_page_t *page)
{
    for (int i = 0; i < page->drawn_count && !w->figure.len; i++)
        if (page->drawn[i].svg && page->drawn[i].is_home)
            rc_str_addf(&w->figure, "<figure>%s</figure>", page->drawn[i].svg);
}

rc_status_t rc_page_write(const rc_page_t *page, rc_report_made_t *made, rc_err_t *err)
{
    const rc_survey_t *s = page->in->survey;
    const rc_report_options_t *o = page->in->options;
    parts_t w = {.assets = o->assets};
    rc_json_t data = {.out = &w.data};
    rc_json_t pictures = {.out = &w.pictures};
    rc_str_t skeleton = {0};
    rc_str_t html = {0};
    rc_held_out_t *held_out = NULL;
    rc_headline_t *headline = NULL;
    rc_str_t said = {0};
    int64_t version = 0;
    rc_status_t st;
    RC_TRY(read_asset(o->assets, "page.html", &skeleton, err));
    RC_TRY(read_version(o->assets, &version, err));
    RC_TRY(rc_headline_held_out(s, &held_out, err));
    RC_TRY(rc_headline_make(s, held_out, &headline, err));
    RC_TRY(rc_page_document(&data, page, headline, held_out, &said, err));
    rc_page_pictures(&pictures, page);
    /* Only the script with this word runs, and a text in the store cannot know it: it depends on
     * that text; the same store gives the same page. */
    rc_str_add(&w.nonce, rc_digest_hex(rc_digest(w.data.text, w.data.len)).text);
    make_figure(&w, page);
    RC_TRY(w.pictures.failed || w.nonce.failed || w.figure.failed
               ? rc_fail(err, RC_ENOMEM, "no memory for pictures")
               : RC_OK);
    RC_TRY(make_html(&html, &w, version, skeleton.text, err));
    RC_TRY(write_file(o->dir, "report.json", &w.data, err));
    RC_TRY(write_file(o->dir, "index.html", &html, err));
    if (version != RC_PAGE_VERSION)
        RC_TRY(rc_fail(err, RC_EFORMAT,
            "--assets (or ROWCAST_ASSETS): '%s/page' is of version %" PRId64
            ", the data of version %d",
            o->assets, version, (int)RC_PAGE_VERSION));
    made->bytes = (int64_t)html.len;
    snprintf(made->said, sizeof made->said, "%s", said.text ? said.text : "");
done:
    free(held_out);
    free(headline);
    rc_str_free(&said);
    rc_str_free(&w.data);
    rc_str_free(&w.pictures);
    rc_str_free(&w.nonce);
    rc_str_free(&w.figure);
    rc_str_free(&html);
    rc_str_free(&skeleton);
    return st;
}
