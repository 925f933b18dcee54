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

/* Rows of all matrices, without times.  \param[out] f  [settings of c] */
static rc_status_t begin(const rc_counted_t *c, rc_six_t *f, rc_err_t *err)
{
    const int32_t n = rc_view_matrices(c->view);
    for (int s = 0; s < c->settings; s++) {
        f[s].setting = c->setting[s];
        RC_PASS(RC_NEW(f[s].row, n, "matrices", err));
        for (int32_t m = 0; m < n; m++) {
            rc_six_row_t *r = &f[s].row[m];
            *r = (rc_six_row_t){.matrix = -1, .generated = rc_view_is_generated(c->view, m)};
            for (int k = 0; k < RC_SIX; k++) {
                r->row[k] = -1;
                r->ns[k] = NAN;
                r->state[k] = RC_CASE_PENDING;
            }
        }
    }
    return RC_OK;
}

/* Newest results of formats in the original order, also what is not ok.  Of a kernel with several
 * geometries the fastest counts. */
static void fill(const rc_counted_t *c, const rc_expr_t *where, rc_six_t *f)
{
    const rc_view_t *v = c->view;
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        const int format = rc_six_of(rc_view_kernel(v, r->kernel));
        if (r->op != RC_OP_SPMV || r->c_order != 0 || format < 0 || !rc_view_is_csr(v, r) ||
            !rc_view_is_newest(v, i) || !rc_view_is_current(v, i) || !rc_view_matches(v, i, where))
            continue;
        const int setting = setting_of(c, r);
        if (setting < 0)
            continue;
        rc_six_row_t *own = &f[setting].row[r->matrix];
        own->matrix = r->matrix;
        own->state[format] = r->status;
        if (rc_view_counts(v, i) && !(own->ns[format] <= rc_view_ns(v, i))) {
            own->row[format] = i;
            own->ns[format] = rc_view_ns(v, i);
        }
    }
}

/* Matrices with a result, to the front, and what they miss. */
static void finish(rc_six_t *f, int32_t matrices)
{
    for (int32_t m = 0; m < matrices; m++) {
        const rc_six_row_t r = f->row[m];
        if (r.matrix < 0)
            continue;
        f->row[f->rows++] = r;
        for (int c = 0; c < RC_SIX; c++)
            if (r.row[c] < 0 && r.state[c] >= 0 && r.state[c] < RC_CASE_STATUSES) {
                f->missing[0][c][r.state[c]] += !r.generated;
                f->missing[1][c][r.state[c]]++;
            }
    }
}

rc_status_t rc_six_make(
    const rc_view_t *v, const rc_expr_t *where, rc_six_t **out, int *count, rc_err_t *err)
{
    rc_counted_t c = {0};
    rc_six_t *list = NULL;
    rc_status_t st;
    RC_TRY(rc_counted_make(v, where, RC_OP_SPMV, RC_SETTINGS_BY_K, &c, err));
    RC_TRY(RC_NEW0(list, c.settings, "tables of formats", err));
    RC_TRY(begin(&c, list, err));
    fill(&c, where, list);
    *count = 0;
    for (int s = 0; s < c.settings; s++) {
        rc_six_t f = list[s];
        list[s].row = NULL;
        finish(&f, rc_view_matrices(v));
        if (f.rows > 0)
            list[(*count)++] = f;
        else
            free(f.row);
    }
    *out = list;
    list = NULL;
done:
    rc_six_free(list, c.settings);
    rc_counted_free(&c);
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
