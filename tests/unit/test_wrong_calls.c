/* Every function of rowcast.h and rowcast_io.h with every argument wrong: a status and a line, never a signal, never
 * taken silently. */
#include "config.h"
#include "unit.h"

#include "model_fixture.h"
#include "order/policy.h"
#include "rowcast_cuda.h"
#include "rowcast_io.h"
#include "scratch.h"
#include "wrong.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Arguments of a call; what is 0 or NULL is as it should be, but for `none`. */
typedef struct with {
    int matrix;  /* -1: as it should be */
    int threads; /* RC_CHECKED: nobody looks at the matrix */
    const char *policy;
    const rc_geometry_t *geometry;
    const rc_model_t *model;
    const rc_request_t *request;
    const char *path;
    const char *none; /* name of the argument that is NULL */
} with_t;

static int is_none(const with_t *w, const char *argument)
{
    return w->none && strcmp(w->none, argument) == 0;
}

/* -------------------------------------------------------------------- calls */

static rc_status_t order(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_csr_t a = wrong_matrix(w->matrix);
    rc_schedule_t s;
    return rc_order_build(is_none(w, "policy") ? NULL : w->policy ? w->policy : "lpt", is_none(w, "a") ? NULL : &a,
        w->geometry, w->threads, is_none(w, "out") ? NULL : &s, err);
}

static rc_status_t features(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_csr_t a = wrong_matrix(w->matrix);
    double out[RC_FEATURES_MEHRABI];
    return rc_features_compute(
        is_none(w, "a") ? NULL : &a, w->geometry, w->threads, is_none(w, "out") ? NULL : out, err);
}

static rc_status_t choose(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_csr_t a = wrong_matrix(w->matrix);
    rc_request_t q = {.k = 8, .precision = RC_FP64, .threads = w->threads, .extrapolate = 1};
    rc_choice_t c;
    return rc_choose(is_none(w, "m") ? NULL : w->model, is_none(w, "a") ? NULL : &a,
        is_none(w, "request") ? NULL : w->request ? w->request : &q, is_none(w, "out") ? NULL : &c, err);
}

static rc_status_t check(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_csr_t a = wrong_matrix(w->matrix);
    return rc_csr_check(is_none(w, "a") ? NULL : &a, err);
}

static rc_status_t check_schedule(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_csr_t a = wrong_matrix(w->matrix);
    int32_t row[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    rc_schedule_t s = {.slots = 12, .rows = a.rows, .row = row};
    return rc_schedule_check(is_none(w, "s") ? NULL : &s, is_none(w, "a") ? NULL : &a, err);
}

static rc_status_t write_matrix(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_csr_t a = wrong_matrix(w->matrix);
    return rc_mtx_write(is_none(w, "path") ? NULL : w->path, is_none(w, "a") ? NULL : &a, NULL, err);
}

static rc_status_t read_matrix(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_csr_t a;
    return rc_mtx_read(
        is_none(w, "path") ? NULL : w->path, w->threads, is_none(w, "out") ? NULL : &a, NULL, err);
}

static rc_status_t read_model(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_model_t *m;
    return rc_model_read(is_none(w, "path") ? NULL : w->path, is_none(w, "out") ? NULL : &m, err);
}

static rc_status_t check_store(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    int sealed;
    return rc_store_check(is_none(w, "path") ? NULL : w->path, is_none(w, "sealed") ? NULL : &sealed, err);
}

/* \param[in] with  threads: a count below 0 */
static rc_status_t partners(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    const rc_store_timed_t result = {.baseline = 1, .newest = 1};
    int64_t partner;
    return rc_store_partners(is_none(w, "result") ? NULL : &result, w->threads < 0 ? w->threads : 1,
        is_none(w, "partner") ? NULL : &partner, err);
}

/* \param[in] with  threads: the index */
static rc_status_t candidate(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_candidate_t c;
    return rc_model_candidate(
        is_none(w, "m") ? NULL : w->model, w->threads, is_none(w, "out") ? NULL : &c, err);
}

/* Functions without a status: NULL, and numbers that are none. */
static rc_status_t harmless(const void *with, rc_err_t *err)
{
    char text[8] = "";
    (void)with;
    rc_csr_free(NULL);
    rc_schedule_free(NULL);
    rc_choice_free(NULL);
    rc_model_free(NULL);
    rc_model_knows(NULL, text, sizeof text);
    rc_model_knows(NULL, NULL, 0);
    rc_model_knows(NULL, NULL, 8);
    if (rc_model_candidates(NULL) != 0 || rc_feature_name(-1) || rc_feature_name(RC_FEATURES_MEHRABI)
        || !rc_model_device(NULL) || !rc_model_operation(NULL) || !rc_status_name((rc_status_t)-1000) || !rc_version())
        return RC_OK;
    return wrong_came_back(err);
}

/* A model, but nowhere to write to. */
static rc_status_t nowhere(const void *with, rc_err_t *err)
{
    const with_t *w = with;
    rc_model_knows(w->model, NULL, 8);
    return wrong_came_back(err);
}

/* The same of plans, which need no GPU for it. */
static rc_status_t harmless_plans(const void *with, rc_err_t *err)
{
    char text[8] = "x";
    rc_plan_candidate_t c = {.time_ns = 1};
    const rc_plan_part_t of[] = {{.candidates = 1}, {.candidates = 1, .candidate = &c, .reference = 1},
        {.candidates = 1, .candidate = &c, .reference = -1}};
    const rc_plan_part_t one = {.candidates = 1, .candidate = &c};
    (void)with;
    rc_plan_free(NULL);
    int bad = rc_plan_parts(NULL) != 0 || rc_plan_describe(NULL, text, sizeof text) != 0 || text[0]
              || rc_plan_describe(NULL, NULL, 8) != 0 || !isnan(rc_plan_break_even(NULL, 0)) || rc_plan_break_even(&one, 0) != 0
              || !isnan(rc_plan_break_even(&one, 1)) || !isnan(rc_plan_break_even(&one, -1))
              || !rc_plan_why_name((rc_plan_why_t)-1) || !rc_plan_why_name((rc_plan_why_t)1000);
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        bad |= !isnan(rc_plan_break_even(&of[i], 0));
    rc_plan_part_t part;
    bad |= rc_plan_part(NULL, 0, &part, err) != RC_EINVAL || rc_plan_save(NULL, "/nowhere/x", err) != RC_EINVAL;
    return bad ? RC_OK : wrong_came_back(err);
}

/* -------------------------------------------------------------------- tests */

static void all_is_refused(const wrong_t *n, const char *what)
{
    printf("# %s: %d calls, %d by a signal or exit, %d accepted, %d without a line\n", what, n->calls, n->died,
        n->accepted, n->wordless);
    assert_true(n->calls > 0);
    assert_int_equal(n->refused, n->calls);
}

static rc_model_t *made_model(void)
{
    return model_make(1, &(model_shape_t){.matrix_inputs = 0});
}

/* Every function that takes a matrix, and every policy, with every matrix that is none. */
static void matrices_that_are_none(void **state)
{
    static const struct {
        const char *name;
        wrong_fn *call;
    } of[] = {{"rc_features_compute", features}, {"rc_choose", choose}, {"rc_csr_check", check},
        {"rc_schedule_check", check_schedule}, {"rc_mtx_write", write_matrix}};
    wrong_t n = {0};
    char name[200];
    char path[SCRATCH_PATH];
    rc_model_t *m = made_model();
    with_t w = {.model = m, .path = path};
    scratch_path(state, "none.mtx", path);
    for (w.matrix = 0; w.matrix < wrong_matrices; w.matrix++) {
        for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
            snprintf(name, sizeof name, "%s: %s", of[i].name, wrong_matrix_name(w.matrix));
            wrong_call(&n, name, of[i].call, &w);
        }
        for (int i = 0; rc_policies[i]; i++) {
            w.policy = rc_policies[i]->name;
            snprintf(name, sizeof name, "rc_order_build %s: %s", w.policy, wrong_matrix_name(w.matrix));
            wrong_call(&n, name, order, &w);
        }
    }
    all_is_refused(&n, "matrices that are none");
    assert_int_not_equal(access(path, F_OK), 0); /* nothing was written of any */
    rc_model_free(m);
}

/* What the table would find: the same calls where nobody looks, and with the matrix as it should be. */
static void matrices_that_are_none_do_harm(void **state)
{
    (void)state;
    wrong_t harm = {0};
    wrong_t good = {0};
    rc_model_t *m = made_model();
    with_t w = {.threads = 1 | RC_CHECKED, .model = m};
    for (w.matrix = 0; w.matrix < wrong_matrices; w.matrix++)
        wrong_call(&harm, NULL, features, &w);
    assert_true(harm.died > 0 && harm.accepted > 0);
    w.matrix = -1;
    for (w.threads = 0; w.threads <= 4; w.threads++) {
        wrong_call(&good, NULL, features, &w);
        wrong_call(&good, NULL, order, &w);
        wrong_call(&good, NULL, choose, &w);
        wrong_call(&good, NULL, check, &w);
        wrong_call(&good, NULL, check_schedule, &w);
    }
    assert_int_equal(good.accepted, good.calls);
    rc_model_free(m);
}

static void pointers_that_are_null(void **state)
{
    static const struct {
        const char *name;
        wrong_fn *call;
        const char *none[5];
    } of[] = {{"rc_order_build", order, {"policy", "a", "out"}}, {"rc_features_compute", features, {"a", "out"}},
        {"rc_choose", choose, {"m", "a", "request", "out"}}, {"rc_csr_check", check, {"a"}},
        {"rc_schedule_check", check_schedule, {"s", "a"}}, {"rc_mtx_write", write_matrix, {"path", "a"}},
        {"rc_mtx_read", read_matrix, {"path", "out"}}, {"rc_store_check", check_store, {"path", "sealed"}},
        {"rc_store_partners", partners, {"result", "partner"}},
        {"rc_model_read", read_model, {"path", "out"}},
        {"rc_model_candidate", candidate, {"m", "out"}}};
    wrong_t n = {0};
    char name[100];
    rc_model_t *m = made_model();
    with_t w = {.matrix = -1, .model = m, .path = "/nowhere/x"};
    (void)state;
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        for (int k = 0; of[i].none[k]; k++)
            for (int flag = 0; flag < 2; flag++) {
                w.none = of[i].none[k];
                w.threads = flag && of[i].call != candidate && of[i].call != read_matrix ? RC_CHECKED : 0;
                snprintf(name, sizeof name, "%s: %s NULL", of[i].name, w.none);
                wrong_call(&n, name, of[i].call, &w);
            }
    wrong_call(&n, "functions without a status", harmless, &w);
    wrong_call(&n, "functions of plans without a status", harmless_plans, &w);
    wrong_call(&n, "rc_model_knows without a text", nowhere, &w);
    all_is_refused(&n, "NULL");
    rc_model_free(m);
}

static void policies_and_numbers_that_are_none(void **state)
{
    static const char *const policies[] = {"", ":", " ", "lpt:", "lpt:no=1", "lpt,csr", "*", "all", "nope", "LPT", "random:seed=x",
        "random:seed=-1", "random:seed", "random:seed=1:seed=2", "random:seed=99999999999999999999", "file", "file:", "file:/nowhere/rows",
        "lsh:siglen=0", "lsh:siglen=-5", "blk:depth=-1", "metis:part=0", "csr\n", "csr\x01", "\xff\xfe", "%s%n"};
    static const rc_geometry_t geometry[] = {{0, 32, 32}, {32, 0, 32}, {32, 32, 0}, {-1, 32, 32}, {32, INT32_MIN, 32},
        {32, 32, 65537}, {INT32_MAX, 1, 1}};
    static const int threads[] = {-1, INT32_MIN};
    static const int index[] = {-1, INT32_MIN, 4, INT32_MAX};
    char *length = calloc(1, 100001);
    wrong_t n = {0};
    rc_model_t *m = made_model();
    with_t w = {.matrix = -1, .model = m, .path = "/nowhere/x"};
    (void)state;
    assert_non_null(length);
    memset(length, 'x', 100000);
    for (size_t i = 0; i <= sizeof policies / sizeof *policies; i++) {
        w.policy = i < sizeof policies / sizeof *policies ? policies[i] : length;
        wrong_call(&n, w.policy == length ? "100,000 letters" : w.policy, order, &w);
    }
    w.policy = NULL;
    for (size_t i = 0; i < sizeof geometry / sizeof *geometry; i++) {
        w.geometry = &geometry[i];
        wrong_call(&n, "rc_order_build: geometry", order, &w);
        wrong_call(&n, "rc_features_compute: geometry", features, &w);
    }
    w.geometry = NULL;
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        w.threads = threads[i];
        wrong_call(&n, "rc_order_build: threads", order, &w);
        wrong_call(&n, "rc_features_compute: threads", features, &w);
        wrong_call(&n, "rc_choose: threads", choose, &w);
        wrong_call(&n, "rc_mtx_read: threads", read_matrix, &w);
        wrong_call(&n, "rc_store_partners: count", partners, &w);
    }
    for (size_t i = 0; i < sizeof index / sizeof *index; i++) {
        w.threads = index[i];
        wrong_call(&n, "rc_model_candidate: index", candidate, &w);
    }
    all_is_refused(&n, "policies and numbers");
    free(length);
    rc_model_free(m);
}

static void requests_that_are_none(void **state)
{
    const rc_request_t usual = {.k = 8, .precision = RC_FP64, .extrapolate = 1};
    enum { REQUESTS = 17 };
    rc_request_t q[REQUESTS];
    wrong_t n = {0};
    for (int i = 0; i < REQUESTS; i++)
        q[i] = usual;
    q[0].k = 0;
    q[1].k = -1;
    q[2].k = INT64_MIN;
    q[3].precision = (rc_precision_t)RC_TYPES;
    q[4].precision = (rc_precision_t)8;
    q[5].precision = (rc_precision_t)-1;
    q[6].reuse = -1;
    q[7].reuse = NAN;
    q[8].reuse = INFINITY;
    q[9].operation = "";
    q[10].operation = "nope";
    q[11].operation = "sddmm";
    q[12].constraints.kernels = "nope";
    q[13].constraints.orders = "nope";
    q[14].constraints.c_orders = "nope";
    q[15].constraints.layouts = 1 << 20;
    q[16].constraints.memory = -1;
    char name[40];
    rc_model_t *m = made_model();
    (void)state;
    for (int i = 0; i < REQUESTS; i++) {
        with_t w = {.matrix = -1, .model = m, .request = &q[i]};
        snprintf(name, sizeof name, "rc_choose: request %d", i);
        wrong_call(&n, name, choose, &w);
    }
    all_is_refused(&n, "requests");
    rc_model_free(m);
}

/* ---------------------------------------------------------------- schedules */

static rc_status_t check_this(const void *with, rc_err_t *err)
{
    rc_csr_t a = wrong_matrix(-1);
    return rc_schedule_check(with, &a, err);
}

static void schedules_that_are_none(void **state)
{
    static int32_t row[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    static int32_t twice[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10};
    static int32_t beyond[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12};
    static int64_t ptr[] = {0, 6, 12};
    static int64_t down[] = {0, 13, 12};
    static int64_t within[] = {0, 6, 11};
#define USUAL .slots = 12, .rows = 12, .row = row
    const rc_schedule_t s[] = {{.slots = 12, .rows = 11, .row = row}, {.slots = 11, .rows = 12, .row = row},
        {.slots = -1, .rows = 12, .row = row}, {.slots = 12, .rows = 12}, {.slots = 12, .rows = 12, .row = twice},
        {.slots = 12, .rows = 12, .row = beyond}, {.slots = 0, .rows = 12}, {USUAL, .cols = 12}, {USUAL, .col = row},
        {USUAL, .cols = 11, .col = row}, {USUAL, .cols = INT64_MAX, .col = row}, {USUAL, .cols = 12, .col = twice},
        {USUAL, .cols = 12, .col = beyond}, {USUAL, .levels = -1}, {USUAL, .levels = 4}, {USUAL, .levels = INT32_MAX},
        {USUAL, .levels = 1}, {USUAL, .levels = 1, .group = {{NULL, 2, ptr}}},
        {USUAL, .levels = 1, .group = {{"part_ptr", 2, NULL}}}, {USUAL, .levels = 1, .group = {{"part_ptr", -1, ptr}}},
        {USUAL, .levels = 1, .group = {{"part_ptr", INT64_MAX, ptr}}},
        {USUAL, .levels = 1, .group = {{"part_ptr", INT64_MAX / 16, ptr}}},
        {USUAL, .levels = 1, .group = {{"part_ptr", 2, down}}}, {USUAL, .levels = 1, .group = {{"part_ptr", 2, within}}},
        {USUAL, .levels = 2, .group = {{"part_ptr", 2, ptr}, {"more_ptr", 2, ptr}}}};
    const rc_schedule_t good[] = {{USUAL}, {USUAL, .cols = 12, .col = row},
        {USUAL, .levels = 1, .group = {{"part_ptr", 2, ptr}}}};
#undef USUAL
    (void)state;
    wrong_t n = {0};
    char name[40];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        wrong_call(&n, NULL, check_this, &good[i]);
    assert_int_equal(n.accepted, n.calls);
    n = (wrong_t){0};
    for (size_t i = 0; i < sizeof s / sizeof *s; i++) {
        snprintf(name, sizeof name, "rc_schedule_check: schedule %zu", i);
        wrong_call(&n, name, check_this, &s[i]);
    }
    all_is_refused(&n, "schedules");
}

/* Without entries there is nothing that columns and values must be. */
static void no_entries_need_no_arrays(void **state)
{
    int64_t ptr[4] = {0};
    rc_csr_t a = {.rows = 3, .cols = 3, .row_ptr = ptr};
    double out[RC_FEATURES_MEHRABI];
    rc_err_t err = {0};
    (void)state;
    assert_int_equal(rc_csr_check(&a, &err), RC_OK);
    assert_int_equal(rc_features_compute(&a, NULL, 1, out, &err), RC_OK);
    for (int i = 0; rc_policies[i]; i++) {
        rc_schedule_t s = {0};
        if (strcmp(rc_policies[i]->name, "file") == 0)
            continue;
        if (rc_order_build(rc_policies[i]->name, &a, NULL, 2, &s, &err) < 0)
            fail_msg("%s: %s", rc_policies[i]->name, err.text);
        rc_schedule_free(&s);
    }
}

static void files_that_are_none(void **state)
{
    wrong_t n = {0};
    char pipe[SCRATCH_PATH];
    scratch_path(state, "pipe", pipe);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const char *const paths[] = {"", "/nowhere/x", *state, pipe, "/dev/null"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        with_t w = {.matrix = -1, .path = paths[i]};
        wrong_call(&n, paths[i], check_store, &w);
        if (paths[i] != pipe) { /* another test's */
            wrong_call(&n, paths[i], read_matrix, &w);
            wrong_call(&n, paths[i], read_model, &w);
        }
    }
    all_is_refused(&n, "files");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_that_are_none),
        cmocka_unit_test(matrices_that_are_none_do_harm),
        cmocka_unit_test(pointers_that_are_null),
        cmocka_unit_test(policies_and_numbers_that_are_none),
        cmocka_unit_test(requests_that_are_none),
        cmocka_unit_test(schedules_that_are_none),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(no_entries_need_no_arrays),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
