/* What a store says of the noise in it: the line, and noisy results, which are in no table unless asked for. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_fixture.h"
#include "store_place.h"

#include "analysis/summary/noise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A result that was timed. */
typedef struct timed {
    int matrix;
    const char *policy;
    int status;
    int stop;
    double rel_err;
    double load; /* NaN: unknown */
    int64_t throttle;
    double hop_ns; /* 0: unknown */
} timed_t;

static const char *timed_on = "cpu:test";

static void add_timed(rc_journal_t *j, const timed_t *t)
{
    int64_t ns[] = {1000, 1000, 1000};
    rc_rec_result_t r = {.c = make_case(t->matrix, t->policy, 8), .sample_ns = ns};
    snprintf(r.c.device, sizeof r.c.device, "%s", timed_on);
    r.row = (rc_row_result_t){.median_ns = t->status == RC_CASE_NOISY ? 100 : 1000,
        .rel_err = t->rel_err,
        .reps = 3,
        .batch = 1,
        .status = t->status,
        .stop = t->stop,
        .throttle = t->throttle,
        .load = t->load,
        .cpus = isnan(t->load) ? -1 : 2,
        .hop_ns = t->hop_ns > 0 ? t->hop_ns : NAN};
    snprintf(r.text, sizeof r.text, "%s", t->status == RC_CASE_OK ? "" : "noise");
    assert_int_equal(rc_journal_put(j, RC_REC_RESULT, &r, NULL), RC_OK);
}

static void add_run(const place_t *p, int number, const char *target, const timed_t *t, int n)
{
    rc_journal_t *j = open_journal(p, number, 0);
    const rc_rec_kv_t kv = {.rank = -1, .key = "measure.target_rel_err", .value = target};
    if (target)
        assert_int_equal(rc_journal_put(j, RC_REC_KV, &kv, NULL), RC_OK);
    for (int i = 0; i < n; i++) {
        add_source(j, t[i].matrix, RC_CASE_OK, "");
        add_timed(j, &t[i]);
    }
    add_end(j, RC_RUN_COMPLETE);
    rc_journal_close(j);
    (void)fold(p);
}

static void says(const place_t *p, const char *where, const char *run, const char *expected)
{
    rc_view_t *v = view(p);
    rc_expr_t *e = NULL;
    rc_str_t line = {0};
    if (where)
        assert_int_equal(rc_view_compile(where, "--where", &e, NULL), RC_OK);
    assert_int_equal(rc_noise_line(v, e, run, &line, NULL), RC_OK);
    assert_string_equal(line.text ? line.text : "", expected);
    rc_str_free(&line);
    rc_expr_free(e);
    rc_view_free(v);
}

static void the_line_counts_what_suffered(void **state)
{
    enum { T = RC_STOP_TARGET, S = RC_STOP_TIME, OK = RC_CASE_OK };
    place_t p = make_place(state, "line");
    const timed_t quiet[] = {{0, "csr", OK, T, 0.009, NAN, -1, 0}, {0, "lpt", OK, T, 0.009, 0.3, 0, 0}};
    add_run(&p, 1, "0.01", quiet, 2);
    says(&p, NULL, NULL, "");
    const timed_t loud[] = {{1, "csr", OK, S, 0.02, 4, 2, 0}, {1, "lpt", OK, S, 0.06, 5, 4, 0},
        {2, "csr", OK, RC_STOP_COUNT, 0.04, 6, -1, 0}, {2, "lpt", RC_CASE_NOISY, S, 0.4, 1, 0, 0}};
    add_run(&p, 2, "0.01", loud, 4);
    says(&p, NULL, make_run(1, 0).uuid, "");
    says(&p, NULL, make_run(2, 0).uuid,
        "3 of 3 cases missed 1 %, median 4 %; 1 of 4 are noisy: in no table; load 4 on 2 CPUs; clock held back in 1 "
        "case");
    says(&p, NULL, NULL,
        "3 of 5 cases missed 1 %, median 4 %; 1 of 6 are noisy: in no table; load 4 on 2 CPUs; clock held back in 1 "
        "case");
    says(&p, "policy == csr", NULL, "2 of 3 cases missed 1 %, median 3 %; load 5 on 2 CPUs");
    says(&p, "status == failed", NULL, "");
    const timed_t again[] = {{2, "lpt", OK, T, 0.01, NAN, 0, 0}, {1, "lpt", OK, S, 0.2, NAN, 0, 0}};
    add_run(&p, 3, "0.02", again, 2); /* the newer rows count, and their target is another one */
    says(&p, NULL, NULL, "3 of 6 cases missed their target, median 4 %; load 5 on 2 CPUs");
}

/* Where a virtual machine's CPUs were is said where that was not one place. */
static void the_line_says_that_cpus_moved(void **state)
{
    enum { T = RC_STOP_TARGET, OK = RC_CASE_OK };
    place_t p = make_place(state, "moved");
    const timed_t t[] = {{0, "csr", OK, T, 0, NAN, -1, 30}, {0, "lpt", OK, T, 0, NAN, -1, 40},
        {1, "csr", OK, T, 0, NAN, -1, 0}, {1, "lpt", RC_CASE_NOISY, T, 0, NAN, -1, 500},
        {2, "csr", OK, T, 0, NAN, -1, 160}};
    add_run(&p, 1, "0.01", t, 3);
    says(&p, NULL, NULL, "");
    add_run(&p, 2, "0.01", t + 3, 2);
    says(&p, "status == ok", NULL, "neighbours of a team were 30 to 160 ns apart");
    says(&p, NULL, NULL, "1 of 5 are noisy: in no table; neighbours of a team were 30 to 160 ns apart");
}

/* A larger team is farther apart, and another machine's, wherever their CPUs are. */
static void teams_of_two_devices_are_no_move(void **state)
{
    enum { T = RC_STOP_TARGET, OK = RC_CASE_OK };
    place_t p = make_place(state, "devices");
    const timed_t t[] = {{0, "csr", OK, T, 0, NAN, -1, 25}, {0, "lpt", OK, T, 0, NAN, -1, 160},
        {1, "csr", OK, T, 0, NAN, -1, 35}, {1, "lpt", OK, T, 0, NAN, -1, 170},
        {2, "csr", OK, T, 0, NAN, -1, 300}};
    for (int i = 0; i < 4; i++) {
        timed_on = i % 2 ? "cpu:large" : "cpu:test";
        add_run(&p, i + 1, "0.01", t + i, 1);
    }
    says(&p, NULL, NULL, "");
    add_run(&p, 5, "0.01", t + 4, 1);
    says(&p, NULL, NULL, "neighbours of a team were 160 to 300 ns apart");
    timed_on = "cpu:test";
}

/* Of a noisy row there is no time, no speedup and no baseline; when asked for, it is as an ok one. */
static void noisy_results_are_in_no_table(void **state)
{
    place_t p = make_place(state, "noisy");
    const timed_t t[] = {{0, "csr", RC_CASE_OK, RC_STOP_TIME, 0.02, NAN, 0, 0},
        {0, "lpt", RC_CASE_NOISY, RC_STOP_TIME, 0.5, NAN, 0, 0}, {1, "csr", RC_CASE_NOISY, RC_STOP_TIME, 0.5, NAN, 0, 0},
        {1, "lpt", RC_CASE_OK, RC_STOP_TIME, 0.02, NAN, 0, 0}};
    add_run(&p, 1, NULL, t, 4);
    rc_view_t *v = view(&p);
    for (int pass = 0; pass < 2; pass++) {
        int counted = 0;
        int compared = 0;
        rc_source_row_t source;
        for (int64_t i = 0; i < rc_view_count(v); i++) {
            counted += rc_view_counts(v, i);
            compared += !isnan(rc_view_speedup(v, i));
        }
        rc_view_source(v, 0, &source);
        assert_int_equal(counted, pass ? 4 : 2);
        assert_int_equal(compared, pass ? 4 : 1);
        assert_int_equal(source.cases[RC_CASE_OK], pass ? 2 : 1);
        assert_int_equal(source.cases[RC_CASE_NOISY], pass ? 0 : 1);
        assert_int_equal(rc_view_take_noisy(v, NULL), RC_OK);
    }
    rc_view_free(v);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_line_counts_what_suffered),
        cmocka_unit_test(the_line_says_that_cpus_moved),
        cmocka_unit_test(teams_of_two_devices_are_no_move),
        cmocka_unit_test(noisy_results_are_in_no_table),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("noise", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
