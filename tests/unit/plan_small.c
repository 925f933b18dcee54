#include "config.h"
#include "unit.h"

#include "plan_small.h"

#include <string.h>

fixture_t *begin(void)
{
    static fixture_t f;
    rc_rng_t rng;
    rc_rng_seed(&rng, 5);
    f = (fixture_t){.k = {4, 8}};
    rc_executor_cpu(1, &f.x);
    f.place.x = &f.x;
    f.p = (rc_plan_problem_t){.layout = RC_ROW_MAJOR, .k = f.k, .ks = 2};
    do
        make(&rng, 1, &f.in);
    while (f.in.rows < 8 || f.in.cols < 8 || f.in.ptr64[2] - f.in.ptr64[1] < 2);
    f.m = matrix_of(&f.in, 8, RC_FP64);
    return &f;
}

rc_plan_t *plan_of(const fixture_t *f, const rc_plan_options_t *o)
{
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    if (rc_plan_new(&f->place, &f->p, &f->m, o, &plan, &err) != RC_OK)
        fail_msg("%s", err.text);
    return plan;
}

/* No plan, the status, and a text that names what is wrong. */
void refused(const fixture_t *f, const rc_plan_options_t *o, rc_status_t status, const char *text)
{
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    rc_status_t st = rc_plan_new(&f->place, &f->p, &f->m, o, &plan, &err);
    if (st != status || plan || !strstr(err.text, text) || strchr(err.text, '\n'))
        fail_msg("expected status %d with '%s', found %d: %s", status, text, st, err.text);
}
