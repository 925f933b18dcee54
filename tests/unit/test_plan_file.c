/* Plans in files: they come back, as sure as they were, and others are refused. */
#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "plan/plan_private.h"
#include "plan_small.h"
#include "scratch.h"

#include <stdio.h>
#include <string.h>

static void a_plan_comes_back(void **state)
{
    char path[SCRATCH_PATH];
    rc_rng_t rng;
    rc_err_t err = {0};
    rc_plan_part_t part;
    fixture_t *f = begin();
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.orders = "random:seed=9"});
    rc_plan_t *again = NULL;
    scratch_path(state, "plan.json", path);
    rc_rng_seed(&rng, 3);
    assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
    rc_plan_free(plan);
    assert_int_equal(rc_plan_open(&(rc_plan_file_t){.path = path}, &f->place, &f->p, &f->m, &again, &err), RC_OK);
    assert_int_equal(rc_plan_part(again, 0, &part, NULL), RC_OK);
    assert_int_equal(part.why, RC_PLAN_LOADED);
    assert_string_equal(part.candidate[part.chosen].order, "random:seed=9");
    assert_true(part.candidate[part.chosen].order_ns == 0);
    check_product(&rng, again, &f->p, &f->in, 8);
    rc_plan_free(again);
}

/* What it says when it is kept twice.  \param[in] error  of the time that is chosen by */
static void says_after(void **state, fixture_t *f, double error, const char *load, const char *expected)
{
    char path[SCRATCH_PATH];
    rc_err_t err = {0};
    rc_plan_answer_t a;
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.kernels = "rowsplit,serial-row", .orders = "csr", .tune = 2});
    rc_plan_entry_t *e = &plan->entry[0];
    scratch_path(state, "sure.json", path);
    assert_int_equal(e->part.candidates, 2);
    for (int i = 0; i < 2; i++) {
        int is_chosen = i == e->part.chosen;
        e->candidate[i].time_ns = is_chosen ? 2e6 : 4e6;
        e->timing[i] = (rc_plan_timing_t){.batch = 1, .rel_err = is_chosen ? error : 0.01};
    }
    (void)snprintf(plan->company, sizeof plan->company, "%s", load);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
        rc_plan_free(plan);
        assert_int_equal(rc_plan_open(&(rc_plan_file_t){.path = path}, &f->place, &f->p, &f->m, &plan, &err), RC_OK);
        assert_int_equal(rc_plan_answer(plan, 0, &a, NULL), RC_OK);
        const char *at = strstr(a.sentence, ", which took ");
        assert_string_equal(at ? at : a.sentence, expected);
        assert_string_equal(rc_plan_company(plan), load);
        assert_true(rc_plan_time_err(plan, 0, 0) == error);
        rc_plan_answer_free(&a);
    }
    rc_plan_free(plan);
}

/* A plan that comes back is no surer of its time than the one that was kept. */
static void a_file_is_as_sure_as_its_times(void **state)
{
    fixture_t *f = begin();
    says_after(state, f, 0.02, "", ", which took 2.00 ms in fp32 when it was chosen.");
    says_after(state, f, 0.07, "load 3.0 on 2 CPUs",
        ", which took 2.00 ms in fp32 (error 7 %) beside other programs when it was chosen.");
    says_after(state, f, 0.4, "load 9.0 on 2 CPUs",
        ", which took 2.00 ms in fp32 (error 40 %) beside other programs when it was chosen; the times disagreed too much to be sure of it.");
}

static void not_loaded(const fixture_t *f, const char *path, rc_status_t status, const char *text)
{
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    rc_status_t st = rc_plan_open(&(rc_plan_file_t){.path = path}, &f->place, &f->p, &f->m, &plan, &err);
    if (st != status || plan || !strstr(err.text, text))
        fail_msg("expected status %d with '%s', found %d: %s", status, text, st, err.text);
}

static void other_plans_are_refused(void **state)
{
    char path[SCRATCH_PATH];
    fixture_t *f = begin();
    rc_plan_t *plan = plan_of(f, NULL);
    scratch_path(state, "other.json", path);
    assert_int_equal(rc_plan_save(plan, path, NULL), RC_OK);
    rc_plan_free(plan);
    f->p.precision = RC_FP64;
    not_loaded(f, path, RC_EINVAL, "precision: expected fp64, found fp32");
    f = begin();
    f->k[1] = 16;
    not_loaded(f, path, RC_EINVAL, "expected K = 16");
    f = begin();
    f->m.rows--; /* its last row without entries, or one of another pattern */
    f->m.nnz = f->in.ptr64[f->m.rows];
    not_loaded(f, path, RC_EINVAL, "matrix.pattern: expected");
    f = begin();
    not_loaded(f, "/nonexistent/plan.json", RC_ENOENT, "/nonexistent/plan.json");
    f = begin();
    f->place.device_class = "one";
    plan = plan_of(f, NULL);
    assert_int_equal(rc_plan_save(plan, path, NULL), RC_OK);
    rc_plan_free(plan);
    f->place.device_class = "another";
    not_loaded(f, path, RC_EINVAL, "device: expected another, found one");
    scratch_write(path, "{\"format\": 3}", 13);
    not_loaded(f, path, RC_EFORMAT, "format");
    scratch_write(path, "{\"format\": \"rowcast-plan\", \"version\": 2}", 40);
    not_loaded(f, path, RC_ENOTSUP, "version");
    scratch_write(path, "{\"for", 5);
    not_loaded(f, path, RC_EFORMAT, "other.json:1:");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plan_comes_back),
        cmocka_unit_test(a_file_is_as_sure_as_its_times),
        cmocka_unit_test(other_plans_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
