/* The tables of the papers against a plain computation on random results. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_fixture.h"

#include "store/commit.h"
#include "table/floor.h"
#include "table/six.h"
#include "table/speedup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MATRICES = 14, POLICIES = 5, KS = 3, ROUNDS = 12 };
static const char *const names[POLICIES] = {"csr", "lpt", "cta", "warp", "hybrid2.1"};

/* Time of (K, policy, matrix); 0: not ok, or not measured. */
/* The newest time of each case (0: not ok) and its run, and csr of each run. */
typedef struct times {
    double ns[KS][POLICIES][MATRICES];
    int run[KS][POLICIES][MATRICES];
    double csr[3][KS][MATRICES];
} times_t;

static int64_t k_of(int i, int matrix)
{
    return i == 0 ? 8 : i == 1 ? 20 : 10 * matrix + 10; /* 8, 20, n; matrix 1 has 20 columns */
}

static void fold(void **state, const char *name, rc_rng_t *r, times_t *t, char *store)
{
    char dir[2 * SCRATCH_PATH];
    rc_journal_t *j;
    rc_commit_info_t info;
    scratch_path(state, name, store);
    snprintf(dir, sizeof dir, "%s.journal", store);
    mkdir(dir, 0777);
    for (int run = 1; run <= 2; run++) {
        rc_rec_run_t rec = make_run(run, 0);
        assert_int_equal(rc_journal_create(dir, &rec, &j, NULL), RC_OK);
        for (int m = 0; m < MATRICES; m++) {
            add_source(j, m, RC_CASE_OK, "");
            for (int i = 0; i < KS; i++)
                for (int p = POLICIES - 1; p >= 0; p--) {
                    rc_case_t c = make_case(m, names[p], k_of(i, m));
                    if (i == 2 && m == 1)
                        continue; /* K = n is 20 there: a case of the setting 20 */
                    int what = (int)rc_rng_below(r, 12);
                    double ns = 50 + (double)rc_rng_below(r, 1000);
                    if (what == 0 || (run == 2 && what > 3))
                        continue; /* never measured; not redone */
                    if (what == 1) {
                        add_result(j, &c, RC_CASE_WRONG, ns);
                        t->ns[i][p][m] = 0;
                    } else if (what == 2) {
                        add_result(j, &c, RC_CASE_FAILED, ns);
                        t->ns[i][p][m] = 0;
                    } else {
                        add_result(j, &c, RC_CASE_OK, ns);
                        t->ns[i][p][m] = ns;
                        t->run[i][p][m] = run;
                        if (p == 0)
                            t->csr[run][i][m] = ns;
                    }
                }
        }
        rc_journal_close(j);
    }
    assert_int_equal(
        rc_commit(store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, NULL), RC_OK);
}

/* 1: a matrix that says something of orders. */
static int is_compared(const times_t *t, int i, int m)
{
    int others = 0;
    for (int p = 1; p < POLICIES; p++)
        others += t->ns[i][p][m] > 0;
    return t->ns[i][0][m] > 0 && others > 0;
}

static double gain(const times_t *t, int i, int p, int m)
{
    /* rows of one run are compared with its own csr, where it has one */
    double same_run = t->csr[t->run[i][p][m]][i][m];
    if (!is_compared(t, i, m) || t->ns[i][p][m] == 0)
        return 0;
    return (same_run > 0 ? same_run : t->ns[i][0][m]) / t->ns[i][p][m];
}

static int near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b);
}

/* max, mean, geomean, min over the matrices that have both */
static void check_policy(const rc_speedup_t *s, const times_t *t, int i, int p)
{
    double most = 0;
    double least = INFINITY;
    double sum = 0;
    double product = 1;
    int n = 0;
    int over5 = 0;
    for (int m = 0; m < MATRICES; m++) {
        double g = gain(t, i, p, m);
        if (g == 0)
            continue;
        n++;
        sum += g;
        product *= g;
        most = g > most ? g : most;
        least = g < least ? g : least;
        over5 += g > 1.05;
    }
    assert_int_equal(s->gain.count, n);
    assert_int_equal(s->over5, over5);
    if (n == 0)
        return;
    assert_true(near(s->gain.max, most));
    assert_true(near(s->gain.min, least));
    assert_true(near(s->gain.mean, sum / n));
    assert_true(near(s->gain.geomean, pow(product, 1.0 / n)));
}

/* Geometric mean of the best of a set of policies, csr always in; -1 without csr. */
static double oracle(const times_t *t, int i, const int *in, double *mean, int *matrices)
{
    double product = 1;
    double sum = 0;
    int n = 0;
    for (int m = 0; m < MATRICES; m++) {
        double best = 1;
        if (!is_compared(t, i, m))
            continue;
        for (int p = 1; p < POLICIES; p++)
            if (in[p] && gain(t, i, p, m) > best)
                best = gain(t, i, p, m);
        product *= best;
        sum += best;
        n++;
    }
    *matrices = n;
    *mean = sum / n;
    return pow(product, 1.0 / n);
}

static int number_of(const char *policy)
{
    for (int p = 0; p < POLICIES; p++)
        if (strcmp(names[p], policy) == 0)
            return p;
    fail();
    return -1;
}

static void check_portfolio(const rc_speedup_table_t *s, const times_t *t, int i)
{
    int in[POLICIES] = {1};
    int n;
    double mean;
    assert_string_equal(s->portfolio[0].policy, "csr");
    assert_true(s->portfolio[0].geomean == 1);
    for (int step = 1; step < s->policies; step++) {
        double best = 0;
        for (int p = 1; p < POLICIES; p++) {
            int with[POLICIES];
            memcpy(with, in, sizeof with);
            with[p] = 1;
            double g = in[p] ? 0 : oracle(t, i, with, &mean, &n);
            best = g > best ? g : best;
        }
        in[number_of(s->portfolio[step].policy)] = 1;
        double g = oracle(t, i, in, &mean, &n);
        assert_true(near(g, best)); /* no other policy would have been better */
        assert_true(near(s->portfolio[step].geomean, g));
        assert_true(near(s->portfolio[step].mean, mean));
    }
}

static void check_setting(const rc_speedup_table_t *s, const times_t *t, int i)
{
    static const int all[POLICIES] = {1, 1, 1, 1, 1};
    int64_t wins = 0;
    int n;
    double mean;
    for (int p = 0; p < s->policies; p++) {
        check_policy(&s->speedup[p], t, i, number_of(s->speedup[p].policy));
        wins += s->speedup[p].wins;
    }
    assert_string_equal(s->speedup[0].policy, "csr");
    double g = oracle(t, i, all, &mean, &n);
    const rc_speedup_t *o = &s->speedup[s->policies];
    assert_string_equal(o->policy, "oracle");
    assert_int_equal(s->matrices, n);
    assert_int_equal(wins, n);
    assert_int_equal(o->gain.count, n);
    assert_true(near(o->gain.geomean, g));
    assert_true(near(o->gain.mean, mean));
    assert_true(o->gain.min >= 1);
    for (int p = 0; p < s->policies; p++) {
        int wins_of = 0;
        int number = number_of(s->speedup[p].policy);
        for (int m = 0; m < MATRICES; m++) {
            double own = gain(t, i, number, m);
            int fastest = own > 0;
            for (int q = 0; q < POLICIES; q++)
                fastest = fastest && (q == number || own > gain(t, i, q, m));
            wins_of += fastest;
        }
        /* ties go to one of those that tie */
        assert_true(s->speedup[p].wins >= wins_of);
    }
    check_portfolio(s, t, i);
}

static void tables_are_what_a_plain_computation_gives(void **state)
{
    rc_rng_t r;
    rc_rng_seed(&r, 7);
    for (int round = 0; round < ROUNDS; round++) {
        times_t t;
        char name[32];
        char store[SCRATCH_PATH];
        rc_view_t *v;
        rc_speedup_table_t *s;
        int n;
        memset(&t, 0, sizeof t);
        snprintf(name, sizeof name, "random%d.h5", round);
        fold(state, name, &r, &t, store);
        assert_int_equal(rc_view_read(store, &v, NULL), RC_OK);
        assert_int_equal(rc_speedup_make(v, NULL, &s, &n, NULL), RC_OK);
        assert_int_equal(n, KS);
        /* 8, 20, and n last */
        for (int i = 0; i < KS; i++) {
            assert_int_equal(s[i].setting.is_n, i == 2);
            if (i < 2)
                assert_int_equal(rc_view_result(v, s[i].row)->k, k_of(i, 0));
            check_setting(&s[i], &t, i);
        }
        rc_speedup_free(s, n);

        rc_expr_t *e;
        assert_int_equal(rc_expr_compile("policy == csr || policy == lpt", rc_view_fields.field,
                             rc_view_fields.count, &e, NULL),
            RC_OK);
        assert_int_equal(rc_speedup_make(v, e, &s, &n, NULL), RC_OK);
        for (int i = 0; i < n; i++)
            assert_in_range(s[i].policies, 1, 2);
        rc_speedup_free(s, n);
        rc_expr_free(e);
        rc_view_free(v);
    }
}

/* Without csr there is nothing to compare with: no numbers, no failure. */
static void settings_without_csr_are_empty(void **state)
{
    char store[SCRATCH_PATH];
    char dir[2 * SCRATCH_PATH];
    rc_journal_t *j;
    rc_commit_info_t info;
    rc_view_t *v;
    rc_speedup_table_t *s;
    int n;
    rc_rec_run_t run = make_run(1, 0);
    scratch_path(state, "nocsr.h5", store);
    snprintf(dir, sizeof dir, "%s.journal", store);
    mkdir(dir, 0777);
    assert_int_equal(rc_journal_create(dir, &run, &j, NULL), RC_OK);
    for (int m = 0; m < 3; m++) {
        rc_case_t c = make_case(m, "lpt", 8);
        rc_case_t d = make_case(m, "csr", 8);
        add_source(j, m, RC_CASE_OK, "");
        add_result(j, &c, RC_CASE_OK, 10);
        add_result(j, &d, RC_CASE_WRONG, 10);
    }
    rc_journal_close(j);
    assert_int_equal(
        rc_commit(store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, NULL), RC_OK);
    assert_int_equal(rc_view_read(store, &v, NULL), RC_OK);
    assert_int_equal(rc_speedup_make(v, NULL, &s, &n, NULL), RC_OK);
    assert_int_equal(n, 1);
    assert_int_equal(s[0].matrices, 0);
    rc_speedup_free(s, n);
    rc_view_free(v);
}

/* Results of a kernel by version and device: those of an older version do not count, but a CPU's version says nothing of
 * a GPU's kernel of that name. */
static void versions_are_of_a_kind_of_device(void **state)
{
    static const struct {
        const char *device;
        int version;
        int counts;
    } is[] = {{"cuda:one", 1, 1}, {"cpu:one", 1, 0}, {"cpu:two", 2, 1}, {"cpu:one", 2, 1},
        {"cuda:two", 1, 1}};
    enum { CASES = sizeof is / sizeof *is };
    char store[SCRATCH_PATH];
    char dir[2 * SCRATCH_PATH];
    rc_journal_t *j;
    rc_commit_info_t info;
    rc_view_t *v;
    rc_rec_run_t run = make_run(1, 0);
    scratch_path(state, "versions.h5", store);
    snprintf(dir, sizeof dir, "%s.journal", store);
    mkdir(dir, 0777);
    assert_int_equal(rc_journal_create(dir, &run, &j, NULL), RC_OK);
    add_source(j, 1, RC_CASE_OK, "");
    for (int i = 0; i < CASES; i++) {
        rc_case_t c = make_case(1, "csr", 8);
        snprintf(c.device, sizeof c.device, "%s", is[i].device);
        snprintf(c.params, sizeof c.params, "strip=%d", i); /* any parameters of the name */
        c.kernel_version = is[i].version;
        add_result(j, &c, RC_CASE_OK, 10);
    }
    rc_journal_close(j);
    assert_int_equal(
        rc_commit(store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, NULL), RC_OK);
    assert_int_equal(rc_view_read(store, &v, NULL), RC_OK);
    assert_int_equal(rc_view_count(v), CASES);
    for (int i = 0; i < CASES; i++) {
        char text[32];
        int64_t at = 0;
        snprintf(text, sizeof text, "kernel:strip=%d", i);
        while (strcmp(rc_view_kernel(v, rc_view_result(v, at)->kernel), text) != 0)
            at++;
        assert_int_equal(rc_view_counts(v, at), is[i].counts);
    }
    rc_view_free(v);
}

/* ------------------------------------------------------------- six formats */

static void same(double a, double b)
{
    assert_true(fabs(a - b) <= 1e-12 * fabs(b));
}

static int best_of(const double ns[RC_SIX], unsigned set, double *margin)
{
    rc_six_row_t r = {0};
    memcpy(r.ns, ns, sizeof r.ns);
    return rc_six_best(&r, set, margin);
}

static void the_best_format_is_the_first_of_equals(void **state)
{
    (void)state;
    const double ties[RC_SIX] = {5, 4, 3, 3, 9, 3};
    const double lacks[RC_SIX] = {5, 4, 3, 8, 9, NAN};
    double margin;
    assert_int_equal(best_of(ties, RC_SIX_ALL, &margin), RC_SIX_CSR);
    same(margin, 0);
    assert_int_equal(best_of(lacks, RC_SIX_ALL, &margin), -1);
    assert_true(isnan(margin));
    assert_int_equal(best_of(lacks, RC_SIX_BASIC, &margin), RC_SIX_CSR);
    same(margin, 4.0 / 3 - 1);
    assert_int_equal(best_of(lacks, 1u << RC_SIX_HYB, &margin), RC_SIX_HYB);
    assert_true(isnan(margin));
}

static void floors_are_those_that_were_measured(void **state)
{
    (void)state;
    const rc_floor_device_t *d = rc_floor_device("cuda:NVIDIA H200:132sm:cuda13.0");
    assert_non_null(d);
    assert_null(rc_floor_device("cpu:Intel(R) Xeon(R) Processor:1t:avx512"));
    assert_true(isnan(rc_floor_ns(NULL, 1e6)));
    same(rc_floor_ns(d, 0), 3500);
    same(rc_floor_ns(d, 1000), 3500);
    same(rc_floor_ns(d, 4e6), 4e6 / 900);
    same(rc_floor_ns(d, 16e6), 16e6 / 2700);
    same(rc_floor_ns(d, 1e9), 1e9 / 4700);
    same(rc_floor_bytes(RC_OP_SPMV, 10, 20, 100, 7, 8), 100 * 12 + 4 * 11 + 8 * 30);
    same(rc_floor_bytes(RC_OP_SPMV, 1, 1, INT64_C(1) << 31, 0, 4),
        12.0 * (double)(INT64_C(1) << 31) + 16 + 8);
    same(rc_floor_bytes(RC_OP_SPMM, 10, 20, 100, 7, 8), 100 * 12 + 4 * 11 + 8 * 7 * 30);
    same(rc_floor_bytes(RC_OP_SPMM_T, 10, 20, 100, 7, 8), 100 * 12 + 4 * 11 + 8 * 7 * 30);
    same(rc_floor_bytes(RC_OP_SDDMM, 10, 20, 100, 7, 4), 100 * 8 + 4 * 11 + 4 * (7 * 30 + 100));
    same(rc_floor_bytes(RC_OP_SPMM, 10, 20, 100, 7, 2), 100 * 6 + 4 * 11 + 2 * 7 * 30);
    same(rc_roofline_bound(10, 20, 100, 7, 2, 900),
        2 * 7 * 100 * 900.0 / (100 * 6 + 4 * 11 + 2 * 7 * 30));
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_format_is_the_first_of_equals),
        cmocka_unit_test(floors_are_those_that_were_measured),
        cmocka_unit_test(tables_are_what_a_plain_computation_gives),
        cmocka_unit_test(settings_without_csr_are_empty),
        cmocka_unit_test(versions_are_of_a_kind_of_device),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("summary", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
