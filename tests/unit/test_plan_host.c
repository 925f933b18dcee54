/* The public calls of plans on the host (rowcast_plan.h), against the product in fp64. */
#include "config.h"
#include "unit.h"

#include "plan_fixture.h"
#include "scratch.h"

#include "device/cpu/crowd.h"

#include <omp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static rc_plan_t *create(const rc_plan_problem_t *p, const input_t *in, const rc_plan_options_t *o)
{
    rc_plan_matrix_t m = matrix_of(in, 4, RC_FP64);
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    if (rc_plan_create_host(p, &m, o, &plan, &err) != RC_OK)
        fail_msg("%s", err.text);
    return plan;
}

/* Made, cloned, given new values, saved and loaded: each multiplies, and the team of the caller is what it was. */
static void plans_multiply(void **state)
{
    char path[SCRATCH_PATH];
    static input_t in;
    rc_rng_t rng;
    rc_rng_seed(&rng, 21);
    scratch_path(state, "plan.json", path);
    int team = omp_get_max_threads(), levels = omp_get_max_active_levels(), dynamic = omp_get_dynamic();
    for (int n = 0; n < 40; n++) {
        int64_t k[] = {1 + below(&rng, WIDEST)};
        rc_plan_problem_t p = {.precision = (rc_precision_t)below(&rng, 2), .layout = (rc_layout_t)below(&rng, 2), .k = k, .ks = 1};
        rc_plan_options_t o = {.orders = below(&rng, 2) ? "csr,lpt" : NULL, .tune = (int)below(&rng, 3),
            .tune_ns = 1000000, .threads = 1 + (int)below(&rng, 3)};
        rc_plan_t *clone = NULL;
        rc_plan_t *loaded = NULL;
        rc_err_t err = {0};
        make(&rng, (int)below(&rng, 2), &in);
        rc_plan_t *plan = create(&p, &in, &o);
        check_run(&rng, plan, execute_host, &p, &in, k[0]);
        assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
        rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP32);
        assert_int_equal(rc_plan_load_host(path, &p, &m, &o, &loaded, &err), RC_OK);
        check_run(&rng, loaded, execute_host, &p, &in, k[0]);
        assert_int_equal(rc_plan_clone(plan, NULL, &clone, &err), RC_OK);
        new_values(&rng, &in);
        assert_int_equal(rc_plan_update_values(plan, in.nnz, values_in(&in, RC_FP32), RC_FP32, 0, NULL, &err), RC_OK);
        check_run(&rng, plan, execute_host, &p, &in, k[0]);
        assert_int_equal(rc_plan_update_values(clone, in.nnz, in.val64, RC_FP64, 0, NULL, &err), RC_OK);
        rc_plan_free(plan);
        check_run(&rng, clone, execute_host, &p, &in, k[0]);
        rc_plan_free(clone);
        rc_plan_free(loaded);
    }
    assert_true(omp_get_max_threads() == team && omp_get_max_active_levels() == levels && omp_get_dynamic() == dynamic);
}

static void the_transposed_product(void **state)
{
    (void)state;
    static input_t in, turned;
    const int64_t k = 5;
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_rng_t rng;
    rc_rng_seed(&rng, 22);
    make(&rng, 0, &in);
    transpose(&in, &turned);
    rc_plan_t *plan = create(&p, &in, &(rc_plan_options_t){.kernels = "rs", .threads = 2});
    check_run(&rng, plan, execute_host, &p, &in, k);
    check_run(&rng, plan, execute_host_transposed, &p, &turned, k);
    rc_plan_free(plan);
}

/* O = A .* (Y X'), of a matrix of one entry a row. */
static void the_sampled_product(void **state)
{
    (void)state;
    const int64_t k = 2;
    const int32_t ptr[] = {0, 1, 2}, col[] = {1, 0};
    const double val[] = {2, 3}, y[] = {1, 2, 3, 4}, x[] = {5, 6, 7, 8};
    double out[] = {0, 0};
    const rc_plan_problem_t p = {.op = RC_OP_SDDMM, .precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    const rc_plan_matrix_t m = {2, 2, 2, ptr, 4, col, val, RC_FP64, 0, 0, RC_PLAN_CSR};
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    assert_int_equal(rc_plan_create_host(&p, &m, NULL, &plan, &err), RC_OK);
    assert_int_equal(rc_plan_execute_sddmm(plan, k, 1, y, 2, x, 2, 0, out, NULL, &err), RC_OK);
    assert_true(out[0] == 2 * (7 + 16) && out[1] == 3 * (15 + 24));
    assert_int_equal(rc_plan_execute(plan, k, 1, y, 2, 0, out, 2, NULL, &err), RC_EINVAL);
    rc_plan_free(plan);
}

static void said(rc_status_t found, rc_status_t expected, rc_err_t *err, const char *text)
{
    if (found != expected || !strstr(err->text, text) || strchr(err->text, '\n'))
        fail_msg("expected %d with '%s', found %d: %s", (int)expected, text, (int)found, err->text);
    *err = (rc_err_t){0};
}

/* What is of a GPU is refused by a line, and the next call works. */
static void pointers_of_a_gpu_are_refused(void **state)
{
    (void)state;
    static input_t in;
    static double b[MOST * 4], c[MOST * 4];
    int64_t k = 4;
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    struct CUstream_st *stream = (struct CUstream_st *)&k;
    rc_rng_t rng;
    rc_plan_t *plan = NULL, *clone = NULL;
    rc_err_t err = {0};
    rc_rng_seed(&rng, 23);
    do
        make(&rng, 1, &in);
    while (in.nnz == 0);
    rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
    m.on_device = 1;
    said(rc_plan_create_host(&p, &m, NULL, &plan, &err), RC_EINVAL, &err, "matrix");
    m.on_device = 0;
    said(rc_plan_create_host(&p, NULL, NULL, &plan, &err), RC_EINVAL, &err, "matrix");
    said(rc_plan_create_host(&p, &m, NULL, NULL, &err), RC_EINVAL, &err, "plan");
    said(rc_plan_create_host(&p, &m, &(rc_plan_options_t){.threads = -1}, &plan, &err), RC_EINVAL, &err, "threads");
    const rc_cuda_allocator_t memory = {0};
    said(rc_plan_create_host(&p, &m, &(rc_plan_options_t){.allocator = &memory}, &plan, &err), RC_EINVAL, &err, "allocator");
    said(rc_plan_load_host(NULL, &p, &m, NULL, &plan, &err), RC_EINVAL, &err, "path");
    said(rc_plan_load_host("/nowhere", &p, &m, NULL, &plan, &err), RC_ENOENT, &err, "nowhere");
    assert_null(plan);
    plan = create(&p, &in, NULL);
    said(rc_plan_execute(plan, k, 1, b, k, 0, c, k, stream, &err), RC_EINVAL, &err, "stream");
    said(rc_plan_clone(plan, stream, &clone, &err), RC_EINVAL, &err, "stream");
    said(rc_plan_clone(plan, NULL, NULL, &err), RC_EINVAL, &err, "plan");
    said(rc_plan_update_values(plan, in.nnz, in.val64, RC_FP64, 1, NULL, &err), RC_EINVAL, &err, "values");
    said(rc_plan_update_values(plan, in.nnz + 1, in.val64, RC_FP64, 0, NULL, &err), RC_EINVAL, &err, "values");
    said(rc_plan_update_values(NULL, 0, NULL, RC_FP64, 0, NULL, &err), RC_EINVAL, &err, "plan");
    said(rc_plan_execute(NULL, k, 1, b, k, 0, c, k, NULL, &err), RC_EINVAL, &err, "plan");
    said(rc_plan_execute(plan, k + 1, 1, b, k + 1, 0, c, k + 1, NULL, &err), RC_ERANGE, &err, "K");
    assert_int_equal(rc_plan_execute(plan, k, 1, b, k, 0, c, k, NULL, &err), RC_OK);
    rc_plan_free(plan);
}

/* What was right the last time is not looked at again; all else is. */
static void another_call_is_looked_at_anew(void **state)
{
    (void)state;
    enum { k = 4, WRONG = 9 };
    static input_t in;
    static double b[MOST * 8], c[MOST * 8], before[MOST * 8];
    const int64_t ks[] = {k, 2};
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = ks, .ks = 2};
    rc_rng_t rng;
    rc_err_t err = {0};
    rc_rng_seed(&rng, 26);
    do
        make(&rng, 1, &in);
    while (in.nnz == 0 || in.rows < 2 || in.cols < 2);
    rc_plan_t *plan = create(&p, &in, &(rc_plan_options_t){.threads = 2});
    for (int i = 0; i < WRONG; i++) {
        int64_t of = i == 0 ? 3 : k;
        const void *from = i == 1 ? NULL : i == 2 ? (const void *)((char *)b + 1) : i == 3 ? (const void *)(c + 1) : b;
        void *to = i == 4 ? NULL : i == 5 ? (void *)((char *)c + 1) : c;
        int64_t ldb = i == 6 ? k - 1 : k, ldc = i == 7 ? -1 : k;
        struct CUstream_st *stream = i == 8 ? (struct CUstream_st *)&rng : NULL;
        for (int again = 0; again < 2; again++) {
            assert_int_equal(rc_plan_execute(plan, k, 1, b, k, 0, c, k, NULL, &err), RC_OK);
            memcpy(before, c, sizeof c);
            rc_status_t st = rc_plan_execute(plan, of, 1, from, ldb, 0, to, ldc, stream, &err);
            assert_int_equal(st, i == 0 ? RC_ERANGE : RC_EINVAL);
            assert_memory_equal(before, c, sizeof c);
        }
    }
    for (int i = 0; i < 20; i++) { /* into the same memory, of whatever K, factors and leading dimensions */
        rc_plan_t *clone = NULL;
        check_run(&rng, plan, execute_host, &p, &in, ks[below(&rng, 2)]);
        if (i % 3 == 0)
            new_values(&rng, &in);
        if (i % 3 == 0)
            assert_int_equal(rc_plan_update_values(plan, in.nnz, in.val64, RC_FP64, 0, NULL, &err), RC_OK);
        if (i % 4 > 0)
            continue;
        assert_int_equal(rc_plan_clone(plan, NULL, &clone, &err), RC_OK);
        check_run(&rng, clone, execute_host, &p, &in, ks[below(&rng, 2)]);
        rc_plan_free(clone);
    }
    rc_plan_free(plan);
}

/* Both products in turns, on the same memory. */
static void the_two_products_take_turns(void **state)
{
    (void)state;
    const int64_t k = 1;
    const int32_t ptr[] = {0, 1, 2}, col[] = {1, 1};
    const double val[] = {2, 3}, b[] = {5, 7};
    double c[2];
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    const rc_plan_matrix_t m = {.rows = 2, .cols = 2, .nnz = 2, .row_ptr = ptr, .row_ptr_bytes = 4, .col_idx = col, .val = val, .precision = RC_FP64};
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    assert_int_equal(
        rc_plan_create_host(&p, &m, &(rc_plan_options_t){.kernels = "rs", .threads = 1}, &plan, &err), RC_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(rc_plan_execute(plan, k, 1, b, 1, 0, c, 1, NULL, &err), RC_OK);
        assert_true(c[0] == 14 && c[1] == 21);
        assert_int_equal(rc_plan_execute_transposed(plan, k, 1, b, 1, 0, c, 1, NULL, &err), RC_OK);
        assert_true(c[0] == 0 && c[1] == 31);
    }
    rc_plan_free(plan);
}

/* Several plans by one call: the bits of one call after the other; with a wrong one nothing is written. */
static void several_products_by_one_call(void **state)
{
    (void)state;
    enum { PLANS = 3, CALLS = 5, k = 4, VALUES = MOST * k };
    static input_t in[PLANS];
    static double b[VALUES], c[CALLS][VALUES], alone[CALLS][VALUES], before[CALLS][VALUES];
    const int64_t ks[] = {k};
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = ks, .ks = 1};
    rc_plan_t *plan[PLANS];
    rc_plan_call_t call[CALLS];
    rc_rng_t rng;
    rc_err_t err = {0};
    rc_rng_seed(&rng, 27);
    for (int i = 0; i < VALUES; i++)
        b[i] = rc_rng_unit(&rng);
    for (int i = 0; i < PLANS; i++) {
        do
            make(&rng, 1, &in[i]);
        while (in[i].nnz == 0);
        plan[i] = create(&p, &in[i], &(rc_plan_options_t){.kernels = i == 2 ? "rs" : NULL, .threads = 1 + i % 2});
    }
    for (int i = 0; i < CALLS; i++)
        call[i] = (rc_plan_call_t){plan[i % PLANS], k, i + 1, b, k, 0.5, c[i], k, 0};
    call[2].transposed = 1;
    for (int i = 0; i < CALLS; i++)
        assert_int_equal((call[i].transposed ? rc_plan_execute_transposed : rc_plan_execute)(
                             call[i].plan, k, i + 1, b, k, 0.5, alone[i], k, NULL, &err),
            RC_OK);
    assert_int_equal(rc_plan_execute_many(call, CALLS, NULL, &err), RC_OK);
    assert_memory_equal(alone, c, sizeof c);
    memcpy(before, c, sizeof c);
    for (int i = 0; i < CALLS; i++) {
        rc_plan_call_t right = call[i];
        call[i].ldb = k - 1;
        said(rc_plan_execute_many(call, CALLS, NULL, &err), RC_EINVAL, &err, (char[]){'c', 'a', 'l', 'l', ' ', (char)('0' + i), ':', 0});
        call[i] = right;
        call[i].plan = NULL;
        said(rc_plan_execute_many(call, CALLS, NULL, &err), RC_EINVAL, &err, "plan");
        call[i] = right;
        call[i].k = k + 1;
        said(rc_plan_execute_many(call, CALLS, NULL, &err), RC_ERANGE, &err, "K");
        call[i] = right;
    }
    said(rc_plan_execute_many(call, CALLS, (struct CUstream_st *)b, &err), RC_EINVAL, &err, "stream");
    said(rc_plan_execute_many(call, -1, NULL, &err), RC_EINVAL, &err, "calls");
    said(rc_plan_execute_many(NULL, 1, NULL, &err), RC_EINVAL, &err, "calls");
    assert_int_equal(rc_plan_execute_many(NULL, 0, NULL, &err), RC_OK);
    assert_int_equal(rc_plan_execute_many(call, 0, NULL, NULL), RC_OK);
    assert_memory_equal(before, c, sizeof c);
    for (int i = 0; i < PLANS; i++)
        rc_plan_free(plan[i]);
}

/* In a child of fork() a plan of several threads says so instead of waiting for ever, and one that is made there works. */
static void a_child_of_fork(void **state)
{
    (void)state;
    static input_t in;
    static double b[MOST * 4], c[MOST * 4];
    const int64_t k = 4;
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_rng_t rng;
    rc_rng_seed(&rng, 24);
    make(&rng, 1, &in);
    rc_plan_t *plan = create(&p, &in, &(rc_plan_options_t){.threads = 3});
    assert_int_equal(rc_plan_execute(plan, k, 1, b, k, 0, c, k, NULL, NULL), RC_OK);
    pid_t child = fork();
    if (child == 0) {
        rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
        rc_plan_t *own = NULL;
        int right = rc_plan_execute(plan, k, 1, b, k, 0, c, k, NULL, NULL) == RC_ENOTSUP
                    && rc_plan_create_host(&p, &m, &(rc_plan_options_t){.threads = 3, .tune = 2}, &own, NULL) == RC_OK
                    && rc_plan_execute(own, k, 1, b, k, 0, c, k, NULL, NULL) == RC_OK;
        _exit(right ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    rc_plan_free(plan);
}

/* Within a team whose threads have no team of their own. */
static void within_a_team(void **state)
{
    (void)state;
    static input_t in;
    const int64_t k = 4;
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_rng_t rng;
    rc_rng_seed(&rng, 25);
    make(&rng, 1, &in);
    rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
    int made = 0;
#pragma omp parallel num_threads(2) reduction(+ : made)
    {
        rc_plan_t *plan = NULL;
        made += rc_plan_create_host(&p, &m, NULL, &plan, NULL) == RC_OK;
        rc_plan_free(plan);
    }
    assert_int_equal(made, 2);
}

/* ------------------------------------------------------------------- beside other programs */

typedef struct search {
    input_t in;
    rc_plan_t *plan;
    atomic_int is_over;
} search_t;

static void *search(void *of)
{
    search_t *s = of;
    const int64_t k = 4;
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    const rc_plan_options_t o = {.tune = RC_PLAN_SEARCH, .tune_ns = 200000000, .threads = 2};
    rc_plan_matrix_t m = matrix_of(&s->in, 8, RC_FP64);
    (void)rc_plan_create_host(&p, &m, &o, &s->plan, NULL);
    atomic_store(&s->is_over, 1);
    return NULL;
}

static int is_set(void)
{
    return strcmp(rc_crowd_waits(), "as OpenMP is set") == 0;
}

/* Where operands do not fit, the first candidate is taken without a time: then others made none. */
static void check_untimed(const input_t *in)
{
    const int64_t k = 4;
    const rc_plan_problem_t p = {.precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_plan_options_t o = {.tune = 2, .threads = 2, .memory = 1};
    const rc_plan_matrix_t m = matrix_of(in, 8, RC_FP64);
    rc_plan_t *plan = NULL;
    rc_plan_part_t part;
    while (rc_plan_create_host(&p, &m, &o, &plan, NULL) != RC_OK) {
        assert_true(o.memory < INT64_MAX / 2);
        o.memory *= 2;
    }
    assert_int_equal(rc_plan_part(plan, 0, &part, NULL), RC_OK);
    assert_true(part.tune_ns == 0 && rc_plan_company(plan)[0] == '\0');
    rc_plan_free(plan);
}

/* While it is timed its teams wait asleep, those of several searches too, and afterwards as before; and it says who was
 * there. */
static void a_search_beside_other_programs(void **state)
{
    (void)state;
    enum { SEARCHES = 2, LOOKS = 6, MOST_CPUS = 64, LIMIT_S = 120 };
    static search_t s[SEARCHES];
    pthread_t thread[SEARCHES];
    pid_t child[2 * MOST_CPUS];
    rc_rng_t rng;
    rc_rng_seed(&rng, 28);
    const int others = 2 * omp_get_num_procs();
    if (others > 2 * MOST_CPUS || getenv("GOMP_SPINCOUNT") || getenv("KMP_BLOCKTIME"))
        skip();
    assert_int_equal(unsetenv("OMP_WAIT_POLICY"), 0); /* tests have it; this one is about what is said then */
    for (int i = 0; i < others; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            (void)alarm(LIMIT_S); /* nobody may be left to end it */
            for (;;)
                ;
        }
        assert_true(child[i] > 0);
    }
    const rc_crowd_t there = rc_crowd_look("", LOOKS);
    const int seen = rc_crowd_shares(&there);
    const int set_before = is_set();
    int asleep = 0;
    for (int i = 0; i < SEARCHES; i++) {
        make(&rng, 1, &s[i].in);
        assert_int_equal(pthread_create(&thread[i], NULL, search, &s[i]), 0);
    }
    while (!asleep && !(atomic_load(&s[0].is_over) && atomic_load(&s[1].is_over)))
        asleep = strcmp(rc_crowd_waits(), "asleep") == 0;
    for (int i = 0; i < SEARCHES; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    check_untimed(&s[0].in);
    for (int i = 0; i < others; i++)
        if (kill(child[i], SIGKILL) != 0 || waitpid(child[i], NULL, 0) != child[i])
            fail();
    for (int i = 0; i < SEARCHES; i++) {
        rc_plan_t *clone = NULL;
        char text[4000];
        assert_non_null(s[i].plan);
        const char *company = rc_plan_company(s[i].plan);
        assert_true(!seen || strncmp(company, "load ", 5) == 0);
        assert_int_equal(rc_plan_clone(s[i].plan, NULL, &clone, NULL), RC_OK);
        assert_string_equal(company, rc_plan_company(clone));
        assert_true(rc_plan_describe(clone, text, sizeof text) < sizeof text && strstr(text, company));
        rc_plan_free(clone);
        rc_plan_free(s[i].plan);
    }
    assert_true(set_before && is_set() && (!seen || asleep));
    rc_plan_t *untimed = create(&(rc_plan_problem_t){.precision = RC_FP64, .k = (const int64_t[]){4}, .ks = 1}, &s[0].in, NULL);
    assert_string_equal(rc_plan_company(untimed), "");
    rc_plan_free(untimed);
    assert_string_equal(rc_plan_company(NULL), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_multiply),
        cmocka_unit_test(the_transposed_product),
        cmocka_unit_test(the_sampled_product),
        cmocka_unit_test(pointers_of_a_gpu_are_refused),
        cmocka_unit_test(another_call_is_looked_at_anew),
        cmocka_unit_test(the_two_products_take_turns),
        cmocka_unit_test(several_products_by_one_call),
        cmocka_unit_test(a_child_of_fork),
        cmocka_unit_test(within_a_team),
        cmocka_unit_test(a_search_beside_other_programs),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
