#include "config.h"
#include "analysis/report/spies.h"
#include "analysis/report/png.h"
#include "analysis/report/headline.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/spy.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct maker {
    const rc_survey_t *s;
    const rc_log_t *log;
    rc_catalog_t found;   /* files of the collection */
    rc_catalog_t builtin; /* a store may have these from files that are gone */
    rc_spies_t out;
    int64_t bytes;
    int64_t left;    /* entries that matrices may have; -1: any number */
    int64_t large;   /* too many entries beside those */
    int64_t absent;  /* no file */
    int64_t other;   /* the file holds another matrix */
    int64_t refused; /* it could not be read or ordered */
    char first[700]; /* why, of the first that was refused */
    rc_err_t *err;
} maker_t;

/* ----------------------------------------------------------------------- drawing */

static double largest(const double *x, size_t n)
{
    double most = 0;
    for (size_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

static rc_status_t draw_both(
    const rc_csr_t *a, const rc_schedule_t *order, rc_page_spy_t *out, rc_err_t *err)
{
    rc_pool_t pool = {0};
    rc_status_t st;
    int *w = &out->width;
    int *h = &out->height;
    rc_spy_size(a->rows, a->cols, RC_SPIES_SIZE, w, h);
    size_t n = (size_t)*w * (size_t)*h;
    double *before = rc_pool_get(&pool, n, sizeof *before);
    double *after = rc_pool_get(&pool, n, sizeof *after);
    RC_TRY(rc_pool_check(&pool, "a plot", err));
    RC_TRY(rc_spy_ordered(a, NULL, *w, *h, before, err));
    out->full = largest(before, n);
    if (order) {
        RC_TRY(rc_spy_ordered(a, order, *w, *h, after, err));
        out->full = fmax(out->full, largest(after, n));
        out->slots = order->slots;
        RC_TRY(rc_spy_png(after, *w, *h, out->full, &out->after, err));
    }
    RC_TRY(rc_spy_png(before, *w, *h, out->full, &out->before, err));
done:
    rc_pool_free(&pool);
    return st;
}

static void spy_free(rc_page_spy_t *spy)
{
    rc_str_free(&spy->before);
    rc_str_free(&spy->after);
    *spy = (rc_page_spy_t){0};
}

static rc_status_t load(maker_t *m, int32_t i, rc_csr_t *a, int *usable, rc_err_t *err)
{
    rc_entry_t e;
    int64_t entries = m->s->matrix[i].row->nnz;
    rc_status_t st = RC_ENOENT;
    *usable = 0;
    if (rc_entry_of_matrix(m->s, i, &m->found, &m->builtin, &e)) {
        if (m->left >= 0 && entries > m->left / RC_SPIES_SHARE) {
            m->large++;
            return RC_OK;
        }
        m->left -= m->left >= 0 ? entries : 0;
        st = rc_entry_load_measured(&e, &m->s->matrix[i], a, usable, err);
    }
    if (st == RC_ENOENT) {
        m->absent++;
        return RC_OK;
    }
    if (st == RC_OK)
        m->other += !*usable;
    return st;
}

static rc_status_t one(maker_t *m, int32_t i)
{
    rc_page_spy_t *spy = &m->out.spy[i];
    rc_csr_t a = {0};
    rc_schedule_t order = {0};
    rc_err_t why = {0};
    int usable = 0;
    rc_status_t st;
    spy->shown = rc_headline_shown(m->s, i);
    RC_TRY(load(m, i, &a, &usable, &why));
    if (!usable)
        goto done;
    if (spy->shown >= 0) {
        const rc_row_result_t *r = rc_view_result(m->s->view, spy->shown);
        const rc_geometry_t g = {.nw = r->nw, .nt = r->nt, .line = r->line};
        st =
            rc_order_build(rc_view_policy(m->s->view, r->policy), &a, &g, RC_CHECKED, &order, &why);
        if (st == RC_ENOTSUP) /* of this order in this build, not of images at all */
            st = RC_ENOENT;
        RC_TRY(st);
    }
    RC_TRY(draw_both(&a, spy->shown >= 0 ? &order : NULL, spy, &why));
    /* as base64 */
    m->bytes += (int64_t)((spy->before.len + spy->after.len + 4) / 3 * 4);
    m->out.made++;
done:
    rc_schedule_free(&order);
    rc_csr_free(&a);
    if (st < 0) {
        spy_free(spy);
        if (st == RC_ENOMEM || st == RC_ENOTSUP)
            return rc_fail(m->err, st, "%s", why.text);
        if (m->refused++ == 0)
            snprintf(m->first, sizeof m->first, "%s: %s", m->s->matrix[i].name, why.text);
    }
    return RC_OK;
}

/* --------------------------------------------------------------------- which ones */

typedef struct candidate {
    double plan;
    double order;
    int32_t matrix;
} candidate_t;

static int by_gain(const void *x, const void *y)
{
    const candidate_t *a = x;
    const candidate_t *b = y;
    if (a->plan != b->plan)
        return a->plan < b->plan ? 1 : -1;
    if (a->order != b->order)
        return a->order < b->order ? 1 : -1;
    return (a->matrix > b->matrix) - (a->matrix < b->matrix);
}

static void part_of_note(rc_str_t *note, int64_t n, const char *what)
{
    if (n)
        rc_str_addf(note, "%s%" PRId64 " %s", note->len ? "; " : "", n, what);
}

static void write_note(maker_t *m, int64_t tried)
{
    rc_str_t *note = &m->out.note;
    part_of_note(note, m->absent, "without a file here");
    part_of_note(note, m->large, "with too many entries to be drawn in the time of a report");
    part_of_note(note, m->other, "whose file holds another matrix than the one that was measured");
    part_of_note(note, m->refused, "that could not be drawn, the first: ");
    if (m->refused)
        rc_str_add(note, m->first);
    part_of_note(note, m->s->matrices - tried,
        m->bytes >= RC_SPIES_BYTES ? "with a smaller gain, for the size of the page"
                                   : "with a smaller gain of reordering");
}

static rc_status_t draw_all(maker_t *m, int limit)
{
    int32_t n = m->s->matrices;
    int64_t tried = 0;
    candidate_t *list = rc_alloc((size_t)n, sizeof *list, "matrices", m->err);
    rc_status_t st = RC_OK;
    RC_PASS(list ? RC_OK : RC_ENOMEM);
    for (int32_t i = 0; i < n; i++) {
        list[i].matrix = i;
        rc_headline_gains(m->s, i, &list[i].plan, &list[i].order);
    }
    if (n)
        qsort(list, (size_t)n, sizeof *list, by_gain);
    while (st == RC_OK && tried < n && m->out.made < limit && m->bytes < RC_SPIES_BYTES) {
        int before = m->out.made;
        st = one(m, list[tried++].matrix);
        if (m->out.made > before && m->out.made % 20 == 0)
            rc_log(m->log, RC_LOG_INFO, "report", "%d matrices drawn", m->out.made);
    }
    free(list);
    if (st == RC_OK)
        write_note(m, tried);
    return st;
}

rc_status_t rc_spies_make(const rc_survey_t *s, const rc_report_options_t *o, const rc_log_t *log,
    rc_spies_t *out, rc_err_t *err)
{
    maker_t m = {.s = s, .log = log, .err = err, .left = o->spies < 0 ? RC_SPIES_ENTRIES : -1};
    rc_status_t st;
    m.out.matrices = s->matrices;
    RC_TRY(RC_NEW0(m.out.spy, s->matrices, "plots", err));
    if (o->spies == 0)
        rc_str_add(&m.out.note, "none was asked for");
    else if (rc_png_check(NULL) < 0)
        rc_str_add(&m.out.note, "this build has no libpng");
    else {
        RC_TRY(o->collection ? rc_catalog_scan(o->collection, NULL, &m.found, err) : RC_OK);
        RC_TRY(rc_catalog_builtin(&m.builtin, err));
        RC_TRY(draw_all(&m, o->spies < 0 ? RC_SPIES_DEFAULT : o->spies));
    }
    st = m.out.note.failed ? rc_fail(err, RC_ENOMEM, "no memory for a note") : RC_OK;
done:
    rc_catalog_free(&m.found);
    rc_catalog_free(&m.builtin);
    if (st < 0)
        rc_spies_free(&m.out);
    else
        *out = m.out;
    return st;
}

void rc_spies_free(rc_spies_t *s)
{
    if (!s)
        return;
    for (int32_t i = 0; s->spy && i < s->matrices; i++)
        spy_free(&s->spy[i]);
    free(s->spy);
    rc_str_free(&s->note);
    *s = (rc_spies_t){0};
}
