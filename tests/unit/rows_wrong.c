#include "config.h"
#include "rows_wrong.h"
#include "unit.h"

#include <string.h>

static void refused(rows_fn *call, const rc_plan_matrix_t *m, const void *x, int threads, rc_status_t expected, const char *text)
{
    rc_err_t err = {0};
    rc_status_t found = call(m, x, threads, &err);
    if (found != expected || !strstr(err.text, text) || strchr(err.text, '\n'))
        fail_msg("expected %d with '%s', found %d: %s", (int)expected, text, (int)found, err.text);
}

void rows_refused(rows_fn *call, const rc_plan_matrix_t *m, const void *x, rc_status_t expected, const char *text)
{
    refused(call, m, x, 0, expected, text);
}

void rows_refused_alike(rows_fn *call, const rc_plan_matrix_t *m, const void *x, const char *complex)
{
    rc_plan_matrix_t other[] = {*m, *m, *m, *m};
    other[0].form = RC_PLAN_CSC;
    other[1].on_device = 1;
    other[2].precision = RC_C64;
    other[3].col_idx = NULL;
    rows_refused(call, NULL, x, RC_EINVAL, "NULL");
    rows_refused(call, m, NULL, RC_EINVAL, "NULL");
    refused(call, m, x, -1, RC_EINVAL, "threads");
    rows_refused(call, &other[0], x, RC_EINVAL, "matrix: expected CSR");
    rows_refused(call, &other[1], x, RC_EINVAL, "matrix: expected CSR");
    rows_refused(call, &other[2], x, RC_ENOTSUP, complex);
    rows_refused(call, &other[3], x, RC_EINVAL, "NULL");
}
