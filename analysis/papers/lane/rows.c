#include "config.h"
#include "analysis/papers/lane/rows.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static rc_status_t compile(const rc_tune_fit_t *f, rc_tune_rows_t *r, rc_err_t *err)
{
    const rc_fields_t *fields = &rc_view_fields;
    rc_status_t st = RC_OK;
    if (f->where && rc_expr_compile(f->where, fields->field, fields->count, &r->where, err) < 0)
        return rc_err_context(err, "--where");
    if (rc_expr_compile(
            f->test ? f->test : RC_TUNE_TEST, fields->field, fields->count, &r->test, err) < 0)
        return rc_err_context(err, "--test");
    if (f->where)
        st = rc_view_check(r->view, r->where, err);
    return st < 0 ? rc_err_context(err, "--where") : RC_OK;
}

rc_status_t rc_tune_rows_open(const rc_tune_fit_t *f, rc_tune_rows_t *out, rc_err_t *err)
{
    *out = (rc_tune_rows_t){.first = -1};
    rc_status_t st = rc_view_read(f->store, &out->view, err);
    return st == RC_OK ? compile(f, out, err) : st;
}

void rc_tune_rows_close(rc_tune_rows_t *r)
{
    rc_expr_free(r->where);
    rc_expr_free(r->test);
    rc_view_free(r->view);
}

unsigned rc_tune_part(const rc_tune_rows_t *r, int64_t i)
{
    rc_cursor_t row;
    rc_view_seek(r->view, i, &row);
    return (!r->where || rc_expr_match(r->where, rc_view_get, &row) ? RC_TUNE_TRAINS : 0u) |
           (rc_expr_match(r->test, rc_view_get, &row) ? RC_TUNE_TESTS : 0u);
}

rc_status_t rc_tune_alike(rc_tune_rows_t *r, int64_t i, rc_err_t *err)
{
    if (r->first < 0)
        r->first = i;
    const rc_row_result_t *x = rc_view_result(r->view, i);
    const rc_row_result_t *f = rc_view_result(r->view, r->first);
    if (x->policy != f->policy)
        return rc_fail(err, RC_EINVAL,
            "orders %s and %s have times: expected one, as by --where 'policy == csr'",
            rc_view_policy(r->view, f->policy), rc_view_policy(r->view, x->policy));
    if (x->precision != f->precision || x->cache != f->cache || x->device != f->device)
        return rc_fail(err, RC_EINVAL,
            "times are of two settings: expected one precision, cache and device, as by --where "
            "'precision == %s'",
            rc_view_name(rc_precision_names, f->precision));
    return RC_OK;
}

rc_status_t rc_tune_part_check(unsigned part, const char *matrix, rc_err_t *err)
{
    return part != (RC_TUNE_TRAINS | RC_TUNE_TESTS)
               ? RC_OK
               : rc_fail(err, RC_EINVAL,
                     "%s is in the test set and cannot be fitted on: --where says what is, --test "
                     "what is tested",
                     matrix);
}
