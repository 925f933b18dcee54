#include "config.h"
#include "analysis/papers/lane/rows.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/tuning/csrk_fit.h"

#include <stdlib.h>
#include <string.h>

rc_status_t rc_tune_rows_open(const rc_tune_fit_t *f, rc_tune_rows_t *out, rc_err_t *err)
{
    *out = (rc_tune_rows_t){.first = -1};
    RC_PASS(rc_view_read(f->store, &out->view, err));
    RC_PASS(rc_view_compile(f->where, "--where", &out->where, err));
    RC_PASS(rc_view_compile(f->test ? f->test : RC_TUNE_TEST, "--test", &out->test, err));
    rc_status_t st = rc_view_check(out->view, out->where, err);
    return st < 0 ? rc_err_context(err, "--where") : RC_OK;
}

void rc_tune_rows_close(rc_tune_rows_t *r)
{
    rc_expr_free(r->where);
    rc_expr_free(r->test);
    rc_view_free(r->view);
    free(r->matrix);
}

unsigned rc_tune_part(const rc_tune_rows_t *r, int64_t i)
{
    return (rc_view_matches(r->view, i, r->where) ? RC_TUNE_TRAINS : 0u) |
           (rc_view_matches(r->view, i, r->test) ? RC_TUNE_TESTS : 0u);
}

/* The first row that is asked is what the others are compared with. */
static rc_status_t check_alike(rc_tune_rows_t *r, int64_t i, rc_err_t *err)
{
    if (r->first < 0)
        r->first = i;
    const rc_row_result_t *x = rc_view_result(r->view, i);
    const rc_row_result_t *f = rc_view_result(r->view, r->first);
    if (x->policy != f->policy)
        return rc_fail(err, RC_EINVAL,
            "orders %s and %s have times: expected one, as by --where 'order == csr'",
            rc_view_policy(r->view, f->policy), rc_view_policy(r->view, x->policy));
    if (x->precision != f->precision || x->cache != f->cache || x->device != f->device)
        return rc_fail(err, RC_EINVAL,
            "times are of two settings: expected one precision, cache and device, as by --where "
            "'precision == %s'",
            rc_view_name(rc_precision_names, f->precision));
    return RC_OK;
}

/* A matrix that is found, as it is sorted. */
typedef struct found {
    unsigned part;
    double rdensity;
    const char *name;
    int32_t matrix;
} found_t;

static int by_part_rdensity(const void *a, const void *b)
{
    const found_t *x = a;
    const found_t *y = b;
    if (x->part != y->part)
        return x->part == RC_TUNE_TRAINS ? -1 : 1;
    if (x->rdensity != y->rdensity)
        return x->rdensity < y->rdensity ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* \param[in,out] part  [matrices of the view] what each is of */
static rc_status_t mark(rc_tune_rows_t *r, rc_tune_time_fn *time, unsigned *part, rc_err_t *err)
{
    for (int64_t i = 0; i < rc_view_count(r->view); i++) {
        const int32_t m = rc_view_result(r->view, i)->matrix;
        const unsigned of = time(r->view, i) >= 0 ? rc_tune_part(r, i) : 0;
        if (!of)
            continue;
        RC_PASS(check_alike(r, i, err));
        part[m] |= of;
        if (part[m] == (RC_TUNE_TRAINS | RC_TUNE_TESTS))
            return rc_fail(err, RC_EINVAL,
                "%s is in the test set and cannot be fitted on: --where says what is, --test what "
                "is tested",
                rc_view_matrix(r->view, m)->name);
    }
    return RC_OK;
}

rc_status_t rc_tune_find(rc_tune_rows_t *r, rc_tune_time_fn *time, rc_err_t *err)
{
    const size_t n = (size_t)rc_view_matrices(r->view);
    unsigned *part = rc_alloc0(n, sizeof *part, "matrices", err);
    found_t *list = rc_alloc(n, sizeof *list, "matrices", err);
    rc_status_t st;
    free(r->matrix);
    r->matrix = rc_alloc(n, sizeof *r->matrix, "matrices", err);
    r->count = r->trains = 0;
    RC_TRY(part && list && r->matrix ? RC_OK : RC_ENOMEM);
    RC_TRY(mark(r, time, part, err));
    for (int32_t i = 0; i < (int32_t)n; i++) {
        const rc_row_matrix_t *m = rc_view_matrix(r->view, i);
        if (part[i])
            list[r->count++] = (found_t){part[i], rc_csrk_rdensity(m->rows, m->nnz), m->name, i};
        r->trains += part[i] == RC_TUNE_TRAINS;
    }
    qsort(list, (size_t)r->count, sizeof *list, by_part_rdensity);
    for (int64_t i = 0; i < r->count; i++)
        r->matrix[i] = list[i].matrix;
done:
    free(part);
    free(list);
    return st;
}

int64_t rc_tune_place(const rc_tune_rows_t *r, int64_t i)
{
    int64_t at = rc_tune_part(r, i) ? r->count - 1 : -1;
    while (at >= 0 && r->matrix[at] != rc_view_result(r->view, i)->matrix)
        at--;
    return at;
}
