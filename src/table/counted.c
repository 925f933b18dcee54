#include "config.h"
#include "table/counted.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>

/* A row that may count, in the setting of a row order of C. */
typedef struct candidate {
    int64_t row;
    int32_t c_order;
    int own; /* 1: that is its own row order of C */
} candidate_t;

typedef struct maker {
    rc_counted_t *out;
    candidate_t *candidate;
    size_t candidates;
    size_t candidate_capacity;
    size_t row_capacity;
    size_t setting_capacity;
    rc_map_t widths;
    rc_map_t setting_of;
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

static rc_status_t add_candidate(maker_t *m, int64_t row, int32_t c_order, int own)
{
    rc_status_t st = RC_GROW(
        m->candidate, m->candidate_capacity, m->candidates + 1, "results of a table", m->err);
    if (st == RC_OK)
        m->candidate[m->candidates++] = (candidate_t){row, c_order, own};
    return st;
}

static rc_status_t find_candidates(maker_t *m, const rc_expr_t *where, int32_t op)
{
    const rc_view_t *v = m->out->view;
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
                st = add_candidate(m, i, c.c_order, c.c_order == r->c_order);
            }
            c.c_order++;
        } while (st == RC_OK && baseline && rc_c_order_names[c.c_order]);
        if (st == RC_OK && found)
            st = rc_counted_note_k(&m->widths, v, r, m->err);
    }
    return st;
}

/* ----------------------------------------------------------------- settings */

static rc_digest_t setting_key(const rc_setting_t *s)
{
    const int64_t key[] = {
        s->is_n ? -1 : s->k, s->precision, s->op, s->c_order, s->cache, s->device};
    return rc_digest(key, sizeof key);
}

static rc_setting_t setting_of(const maker_t *m, const candidate_t *c)
{
    const rc_row_result_t *r = rc_view_result(m->out->view, c->row);
    return (rc_setting_t){.row = c->row,
        .k = r->k,
        .device = r->device,
        .op = r->op,
        .precision = r->precision,
        .c_order = c->c_order,
        .cache = r->cache,
        .is_n = rc_counted_is_n(&m->widths, m->out->view, r)};
}

static rc_status_t add_setting(maker_t *m, const rc_setting_t *s, int64_t *at)
{
    rc_counted_t *o = m->out;
    RC_PASS(RC_GROW(o->setting, m->setting_capacity, (size_t)o->settings + 1, "settings", m->err));
    RC_PASS(rc_map_set(&m->setting_of, setting_key(s), o->settings, m->err));
    *at = o->settings;
    o->setting[o->settings++] = *s;
    return RC_OK;
}

static rc_status_t find_variant(maker_t *m, const rc_row_result_t *r, int32_t *out)
{
    rc_digest_t key = {(uint64_t)r->kernel, (uint64_t)r->policy};
    *out = (int32_t)rc_map_get(&m->variant_of, key, -1);
    if (*out >= 0)
        return RC_OK;
    *out = m->out->variants++;
    return rc_map_set(&m->variant_of, key, *out, m->err);
}

static rc_status_t add_row(maker_t *m, int64_t row, int64_t setting)
{
    rc_counted_t *o = m->out;
    const rc_row_result_t *r = rc_view_result(o->view, row);
    rc_counted_row_t e = {.row = row,
        .ns = r->median_ns,
        .setting = (int32_t)setting,
        .matrix = r->matrix,
        .kernel = r->kernel,
        .policy = r->policy};
    rc_status_t st = find_variant(m, r, &e.variant);
    if (st == RC_OK)
        st = RC_GROW(o->row, m->row_capacity, (size_t)o->rows + 1, "results of a table", m->err);
    if (st == RC_OK)
        o->row[o->rows++] = e;
    return st;
}

static rc_digest_t measured_key(int64_t setting, int32_t matrix)
{
    return (rc_digest_t){(uint64_t)setting, (uint64_t)matrix};
}

/* Rows in the settings that they were measured in, then the original order in the others. */
static rc_status_t add_rows(maker_t *m)
{
    const rc_view_t *v = m->out->view;
    rc_status_t st = RC_OK;
    for (int own = 1; own >= 0; own--)
        for (size_t i = 0; st == RC_OK && i < m->candidates; i++) {
            const candidate_t *c = &m->candidate[i];
            if (c->own != own)
                continue;
            rc_setting_t s = setting_of(m, c);
            int32_t matrix = rc_view_result(v, c->row)->matrix;
            int64_t at = rc_map_get(&m->setting_of, setting_key(&s), -1);
            if (!own && (at < 0 || !rc_map_get(&m->measured, measured_key(at, matrix), 0)))
                continue;
            if (at < 0)
                st = add_setting(m, &s, &at);
            if (st == RC_OK && own && s.c_order != 0)
                st = rc_map_set(&m->measured, measured_key(at, matrix), 1, m->err);
            if (st == RC_OK)
                st = add_row(m, c->row, at);
            m->out->results += own;
        }
    return st;
}

/* ------------------------------------------------------------------ sorting */

enum { KEYS = 7 };

typedef struct place {
    rc_setting_t setting;
    int32_t before;
    int64_t key[KEYS];
} place_t;

static place_t place_of(const rc_setting_t *s, int32_t before, rc_setting_order_t order)
{
    int64_t k = s->is_n ? 0 : s->k;
    if (order == RC_SETTINGS_BY_DEVICE)
        return (place_t){
            *s, before, {s->device, s->op, s->precision, s->c_order, s->cache, s->is_n, k}};
    return (place_t){
        *s, before, {s->op, s->precision, s->is_n, k, s->c_order, s->cache, s->device}};
}

static int by_key(const void *a, const void *b)
{
    const place_t *x = a;
    const place_t *y = b;
    for (int i = 0; i < KEYS; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return 0;
}

static rc_status_t sort_settings(maker_t *m, rc_setting_order_t order)
{
    rc_counted_t *o = m->out;
    size_t n = (size_t)o->settings;
    place_t *place = rc_alloc(n, sizeof *place, "settings", m->err);
    int32_t *rank = rc_alloc(n, sizeof *rank, "settings", m->err);
    int ok = place && rank;
    for (size_t i = 0; ok && i < n; i++)
        place[i] = place_of(&o->setting[i], (int32_t)i, order);
    if (ok && n)
        qsort(place, n, sizeof *place, by_key);
    for (size_t i = 0; ok && i < n; i++) {
        o->setting[i] = place[i].setting;
        rank[place[i].before] = (int32_t)i;
    }
    for (int64_t i = 0; ok && i < o->rows; i++)
        o->row[i].setting = rank[o->row[i].setting];
    free(place);
    free(rank);
    return ok ? RC_OK : RC_ENOMEM;
}

static int by_setting_matrix_time(const void *a, const void *b)
{
    const rc_counted_row_t *x = a;
    const rc_counted_row_t *y = b;
    if (x->setting != y->setting)
        return x->setting < y->setting ? -1 : 1;
    if (x->matrix != y->matrix)
        return x->matrix < y->matrix ? -1 : 1;
    if (x->ns != y->ns)
        return x->ns < y->ns ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
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
    rc_counted_t o = {.view = v};
    maker_t m = {.out = &o, .err = err};
    rc_status_t st = find_candidates(&m, where, op);
    if (st == RC_OK)
        st = add_rows(&m);
    if (st == RC_OK)
        st = sort_settings(&m, order);
    if (st == RC_OK && o.rows)
        qsort(o.row, (size_t)o.rows, sizeof *o.row, by_setting_matrix_time);
    for (int64_t i = 0; st == RC_OK && i < o.rows; i = rc_counted_end(&o, i))
        o.setting[o.row[i].setting].matrices++;
    free(m.candidate);
    rc_map_free(&m.widths);
    rc_map_free(&m.setting_of);
    rc_map_free(&m.variant_of);
    rc_map_free(&m.measured);
    if (st == RC_OK)
        *out = o;
    else
        rc_counted_free(&o);
    return st;
}

void rc_counted_free(rc_counted_t *c)
{
    free(c->setting);
    free(c->row);
    *c = (rc_counted_t){0};
}
