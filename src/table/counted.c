#include "config.h"
#include "table/counted.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"

#include <stdlib.h>
#include <string.h>

enum { KEYS = 8 };

/* A row that may count, in the setting of a row order of C. */
typedef struct candidate {
    rc_counted_row_t e; /* its setting is known once all are sorted */
    int64_t key[KEYS];  /* what tells settings apart, in the order that they are listed by */
    int32_t c_order;
    int own;    /* 1: that is its own row order of C */
    int counts; /* 0: a baseline where its matrix was not measured */
} candidate_t;

typedef struct maker {
    const rc_view_t *v;
    candidate_t *candidate;
    size_t candidates;
    size_t capacity;
    int variants;
    rc_map_t widths;
    rc_map_t variant_of;
    rc_map_t measured; /* (setting, matrix) with a row of its own */
    rc_err_t *err;
} maker_t;

/* ------------------------------------------------------------------- K = n */

static rc_digest_t k_key(const rc_row_result_t *r)
{
    return (rc_digest_t){(uint64_t)r->op, (uint64_t)r->k};
}

/* (operation, K) -> width of the matrices that were run with it, -2 when there are several */
rc_status_t rc_counted_note_k(
    rc_map_t *widths, const rc_view_t *v, const rc_row_result_t *r, rc_err_t *err)
{
    int64_t cols = rc_view_matrix(v, r->matrix)->cols;
    int64_t before = rc_map_get(widths, k_key(r), cols);
    return rc_map_set(widths, k_key(r), before == cols ? cols : -2, err);
}

int rc_counted_is_n(const rc_map_t *widths, const rc_view_t *v, const rc_row_result_t *r)
{
    return r->k > 0 && r->k == rc_view_matrix(v, r->matrix)->cols &&
           rc_map_get(widths, k_key(r), -1) != -2;
}

/* -------------------------------------------------------------- which rows */

static rc_status_t add_candidate(maker_t *m, int64_t row, int32_t c_order)
{
    const rc_row_result_t *r = rc_view_result(m->v, row);
    RC_PASS(RC_GROW(m->candidate, m->capacity, m->candidates + 1, "results of a table", m->err));
    m->candidate[m->candidates++] = (candidate_t){.e = {.row = row,
                                                      .ns = rc_view_ns(m->v, row),
                                                      .matrix = r->matrix,
                                                      .kernel = r->kernel,
                                                      .policy = r->policy},
        .c_order = c_order,
        .own = c_order == r->c_order,
        .counts = 1};
    return RC_OK;
}

static rc_status_t find_candidates(maker_t *m, const rc_expr_t *where, int32_t op)
{
    const rc_view_t *v = m->v;
    rc_status_t st = RC_OK;
    for (int64_t i = 0; st == RC_OK && i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        rc_cursor_t c;
        int found = 0;
        if (!rc_view_counts(v, i) || (op >= 0 && r->op != op))
            continue;
        rc_view_seek(v, i, &c);
        int baseline = rc_view_is_csr(v, r); /* in the settings of the other orders of C too */
        do {
            if (rc_expr_match(where, rc_view_get, &c)) {
                found = 1;
                st = add_candidate(m, i, c.c_order);
            }
            c.c_order++;
        } while (st == RC_OK && baseline && rc_c_order_names[c.c_order]);
        if (st == RC_OK && found)
            st = rc_counted_note_k(&m->widths, v, r, m->err);
    }
    return st;
}

/* ----------------------------------------------------------------- settings */

static void make_key(const maker_t *m, rc_setting_order_t order, candidate_t *c)
{
    const rc_row_result_t *r = rc_view_result(m->v, c->e.row);
    const int is_n = rc_counted_is_n(&m->widths, m->v, r);
    const int64_t k = is_n ? 0 : r->k;
    const int64_t layout = r->k ? r->layout : 0;
    const int64_t by_k[KEYS] = {r->op, r->precision, is_n, k, c->c_order, r->cache, r->device};
    const int64_t by_device[KEYS] = {
        r->device, layout, r->op, r->precision, c->c_order, r->cache, is_n, k};
    memcpy(c->key, order == RC_SETTINGS_BY_DEVICE ? by_device : by_k, sizeof c->key);
}

static rc_status_t find_variant(maker_t *m, rc_counted_row_t *e)
{
    rc_digest_t key = {(uint64_t)e->kernel, (uint64_t)e->policy};
    e->variant = (int32_t)rc_map_get(&m->variant_of, key, -1);
    if (e->variant >= 0)
        return RC_OK;
    e->variant = m->variants++;
    return rc_map_set(&m->variant_of, key, e->variant, m->err);
}

static rc_digest_t measured_key(const candidate_t *c)
{
    int64_t key[KEYS + 1];
    memcpy(key, c->key, sizeof c->key);
    key[KEYS] = c->e.matrix;
    return rc_digest(key, sizeof key);
}

/* Rows in the settings that they were measured in, then the original order in the others. */
static rc_status_t choose(maker_t *m, rc_setting_order_t order)
{
    for (int own = 1; own >= 0; own--)
        for (size_t i = 0; i < m->candidates; i++) {
            candidate_t *c = &m->candidate[i];
            if (c->own != own)
                continue;
            make_key(m, order, c);
            if (own && c->c_order != 0)
                RC_PASS(rc_map_set(&m->measured, measured_key(c), 1, m->err));
            c->counts = own || rc_map_get(&m->measured, measured_key(c), 0);
            if (c->counts)
                RC_PASS(find_variant(m, &c->e));
        }
    return RC_OK;
}

static int by_setting_matrix_time(const void *a, const void *b)
{
    const candidate_t *x = a;
    const candidate_t *y = b;
    int d = y->counts - x->counts;
    d = d ? d : rc_compare_lists(x->key, y->key, KEYS);
    if (d || x->e.matrix != y->e.matrix)
        return d ? d : x->e.matrix < y->e.matrix ? -1 : 1;
    if (x->e.ns != y->e.ns)
        return x->e.ns < y->e.ns ? -1 : 1;
    return (x->e.row > y->e.row) - (x->e.row < y->e.row);
}

static rc_setting_t setting_of(const maker_t *m, const candidate_t *c)
{
    const rc_row_result_t *r = rc_view_result(m->v, c->e.row);
    return (rc_setting_t){.row = c->e.row,
        .k = r->k,
        .device = r->device,
        .op = r->op,
        .precision = r->precision,
        .c_order = c->c_order,
        .cache = r->cache,
        .layout = r->k ? r->layout : 0,
        .is_n = rc_counted_is_n(&m->widths, m->v, r)};
}

/* Settings and rows from the candidates, which are sorted.  A setting is described by the first
 * row of the view that was measured in it. */
static rc_status_t fill(const maker_t *m, rc_counted_t *o)
{
    size_t capacity = 0;
    RC_PASS(RC_NEW(o->row, m->candidates, "results of a table", m->err));
    int64_t first = -1; /* of the setting, measured there; -1: none yet */
    for (size_t i = 0; i < m->candidates && m->candidate[i].counts; i++) {
        const candidate_t *c = &m->candidate[i];
        const int is_new = i == 0 || rc_compare_lists(c->key, c[-1].key, KEYS) != 0;
        if (is_new) {
            RC_PASS(RC_GROW(o->setting, capacity, (size_t)o->settings + 1, "settings", m->err));
            o->setting[o->settings++] = setting_of(m, c);
            first = -1;
        }
        rc_setting_t *s = &o->setting[o->settings - 1];
        const int64_t matrices = s->matrices + (is_new || c->e.matrix != c[-1].e.matrix);
        if (c->own && (first < 0 || c->e.row < first)) {
            first = c->e.row;
            *s = setting_of(m, c);
        }
        s->matrices = matrices;
        o->results += c->own;
        o->row[o->rows] = c->e;
        o->row[o->rows++].setting = o->settings - 1;
    }
    return RC_OK;
}

int64_t rc_counted_end(const rc_counted_t *c, int64_t i)
{
    int64_t end = i;
    while (end < c->rows && c->row[end].setting == c->row[i].setting &&
           c->row[end].matrix == c->row[i].matrix)
        end++;
    return end;
}

rc_status_t rc_counted_make(const rc_view_t *v, const rc_expr_t *where, int32_t op,
    rc_setting_order_t order, rc_counted_t *out, rc_err_t *err)
{
    maker_t m = {.v = v, .err = err};
    rc_counted_t o = {.view = v};
    rc_status_t st;
    RC_TRY(find_candidates(&m, where, op));
    RC_TRY(choose(&m, order));
    if (m.candidates)
        qsort(m.candidate, m.candidates, sizeof *m.candidate, by_setting_matrix_time);
    RC_TRY(fill(&m, &o));
    o.variants = m.variants;
    *out = o;
    o = (rc_counted_t){.rows = 0};
done:
    free(m.candidate);
    rc_map_free(&m.widths);
    rc_map_free(&m.variant_of);
    rc_map_free(&m.measured);
    rc_counted_free(&o);
    return st;
}

/* -------------------------------------------------------------------- cards */

int rc_card_fits(int32_t a, int32_t b)
{
    return a == b || a < 0 || b < 0;
}

rc_counted_pairs_t rc_counted_pairs(const rc_counted_t *c)
{
    rc_counted_pairs_t n = {.results = c->results};
    for (int64_t i = 0, end; i < c->rows; i = end) {
        int mixed = 0;
        end = rc_counted_end(c, i);
        for (int64_t k = i; k < end; k++) {
            const int64_t row = c->row[k].row;
            const rc_pairing_t how = rc_view_pairing(c->view, row);
            mixed |=
                !rc_card_fits(rc_view_card(c->view, c->row[i].row), rc_view_card(c->view, row));
            if (rc_view_result(c->view, row)->c_order != c->setting[c->row[k].setting].c_order)
                continue; /* a baseline, which counts in its own setting */
            n.another_run += how == RC_PAIRED_ANOTHER_RUN;
            n.another_card += how == RC_PAIRED_ANOTHER_CARD;
            n.nothing += how == RC_PAIRED_NOTHING;
        }
        n.cells++;
        n.two_cards += mixed;
    }
    return n;
}

void rc_counted_free(rc_counted_t *c)
{
    free(c->setting);
    free(c->row);
    *c = (rc_counted_t){0};
}
