#include "config.h"
#include "table/six.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_six_names[RC_SIX] = {"coo", "ell", "csr", "hyb", "csr5", "merge"};
const char *const rc_six_kernels[RC_SIX] = {"coo", "ell:limit=none", "csr:lanes=auto",
    "hyb:width=mu", "csr5:sigma=auto", "merge:items=896"};

/* A result of a format. */
typedef struct entry {
    int64_t row; /* of the view */
    int32_t setting;
    int32_t matrix;
    rc_six_format_t format;
} entry_t;

typedef struct maker {
    const rc_view_t *v;
    rc_counted_t counted;
    entry_t *entry; /* newest results of formats in the original order, also what is not ok */
    size_t entries;
    size_t capacity;
    rc_err_t *err;
} maker_t;

int rc_six_of(const char *kernel)
{
    for (int f = 0; f < RC_SIX; f++)
        if (strcmp(rc_six_kernels[f], kernel) == 0)
            return f;
    return -1;
}

int rc_six_named(const char *name)
{
    for (int f = 0; f < RC_SIX; f++)
        if (strcmp(rc_six_names[f], name) == 0)
            return f;
    return -1;
}

/* The setting of a result in the original order; -1: none that counts is like it. */
static int setting_of(const rc_counted_t *c, const rc_row_result_t *r)
{
    for (int s = 0; s < c->settings; s++) {
        const rc_setting_t *x = &c->setting[s];
        if (x->op == r->op && x->precision == r->precision && x->cache == r->cache &&
            x->device == r->device && x->c_order == r->c_order)
            return s;
    }
    return -1;
}

static rc_status_t find_entries(maker_t *m, const rc_expr_t *where)
{
    const rc_view_t *v = m->v;
    rc_status_t st = RC_OK;
    for (int64_t i = 0; st == RC_OK && i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        int format = rc_six_of(rc_view_kernel(v, r->kernel));
        if (r->op != RC_OP_SPMV || r->c_order != 0 || format < 0 || !rc_view_is_csr(v, r) ||
            !rc_view_is_newest(v, i) || !rc_view_is_current(v, i) || !rc_view_matches(v, i, where))
            continue;
        int setting = setting_of(&m->counted, r);
        if (setting < 0)
            continue;
        st = RC_GROW(m->entry, m->capacity, m->entries + 1, "results of formats", m->err);
        if (st == RC_OK)
            m->entry[m->entries++] = (entry_t){i, setting, r->matrix, (rc_six_format_t)format};
    }
    return st;
}

static int by_matrix(const void *a, const void *b)
{
    const entry_t *x = a;
    const entry_t *y = b;
    const int64_t left[] = {x->setting, x->matrix, x->format, x->row};
    const int64_t right[] = {y->setting, y->matrix, y->format, y->row};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static rc_six_row_t empty_row(const rc_view_t *v, int32_t matrix)
{
    rc_six_row_t r = {.matrix = matrix, .generated = rc_view_is_generated(v, matrix)};
    for (int c = 0; c < RC_SIX; c++) {
        r.row[c] = -1;
        r.ns[c] = NAN;
    }
    return r;
}

/* One matrix, entries [i, end).  Of a kernel with several geometries the fastest counts. */
static void fill_row(const maker_t *m, const entry_t *e, size_t n, rc_six_t *f)
{
    rc_six_row_t *r = &f->row[f->rows++];
    int state[RC_SIX] = {RC_CASE_PENDING};
    *r = empty_row(m->v, e->matrix);
    for (size_t i = 0; i < n; i++) {
        const rc_row_result_t *x = rc_view_result(m->v, e[i].row);
        int c = (int)e[i].format;
        state[c] = x->status;
        if (rc_view_counts(m->v, e[i].row) && !(r->ns[c] <= x->median_ns)) {
            r->row[c] = e[i].row;
            r->ns[c] = x->median_ns;
        }
    }
    for (int c = 0; c < RC_SIX; c++)
        if (r->row[c] < 0 && state[c] >= 0 && state[c] < RC_CASE_STATUSES) {
            f->missing[0][c][state[c]] += !r->generated;
            f->missing[1][c][state[c]]++;
        }
}

/* Entries of one setting, sorted. */
static rc_status_t make_one(const maker_t *m, const entry_t *e, size_t n, rc_six_t *f)
{
    f->setting = m->counted.setting[e->setting];
    f->row = rc_alloc(n, sizeof *f->row, "matrices", m->err);
    for (size_t i = 0, end; f->row && i < n; i = end) {
        for (end = i; end < n && e[end].matrix == e[i].matrix;)
            end++;
        fill_row(m, e + i, end - i, f);
    }
    return f->row ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_six_make(
    const rc_view_t *v, const rc_expr_t *where, rc_six_t **out, int *count, rc_err_t *err)
{
    maker_t m = {.v = v, .err = err};
    rc_six_t *list = NULL;
    int n = 0;
    rc_status_t st;
    RC_TRY(rc_counted_make(v, where, RC_OP_SPMV, RC_SETTINGS_BY_K, &m.counted, err));
    RC_TRY(find_entries(&m, where));
    list = rc_alloc0((size_t)m.counted.settings, sizeof *list, "tables of formats", err);
    RC_TRY(list ? RC_OK : RC_ENOMEM);
    if (m.entries)
        qsort(m.entry, m.entries, sizeof *m.entry, by_matrix);
    for (size_t i = 0, end; i < m.entries; i = end) {
        for (end = i; end < m.entries && m.entry[end].setting == m.entry[i].setting;)
            end++;
        st = make_one(&m, m.entry + i, end - i, &list[n++]);
        RC_TRY(st);
    }
    *out = list;
    *count = n;
    list = NULL;
done:
    rc_six_free(list, n);
    free(m.entry);
    rc_counted_free(&m.counted);
    return st;
}

void rc_six_free(rc_six_t *f, int count)
{
    for (int i = 0; f && i < count; i++)
        free(f[i].row);
    free(f);
}

int rc_six_best(const rc_six_row_t *r, unsigned set, double *margin)
{
    int best = -1;
    double second = NAN;
    if (margin)
        *margin = NAN;
    for (int c = 0; c < RC_SIX; c++) {
        if (!(set & 1u << c))
            continue;
        if (isnan(r->ns[c]))
            return -1;
        if (best < 0 || r->ns[c] < r->ns[best]) {
            second = best < 0 ? NAN : r->ns[best];
            best = c;
        } else {
            second = fmin(second, r->ns[c]);
        }
    }
    if (margin && best >= 0)
        *margin = second / r->ns[best] - 1;
    return best;
}
