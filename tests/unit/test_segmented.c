/* Both products of one structure against planted times. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_fixture.h"

#include "operation/operation.h"
#include "store/commit.h"
#include "base/family.h"
#include "table/segmented.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void add_time(
    rc_journal_t *j, int matrix, int op, const char *kernel, const char *params, double ns)
{
    rc_case_t c = make_case(matrix, "csr", 128);
    c.op = op;
    (void)snprintf(c.kernel, sizeof c.kernel, "%s", kernel);
    (void)snprintf(c.params, sizeof c.params, "%s", params);
    add_result(j, &c, RC_CASE_OK, ns);
}

/* Of matrix 1 the pairs with equal parameters are slower than the fastest of each product. */
static void plant(rc_journal_t *j)
{
    for (int m = 1; m <= 2; m++) {
        add_source(j, m, RC_CASE_OK, "");
        add_time(j, m, RC_OP_SPMM, "cusparse-csr-row", "alg=0", 60);
        add_time(j, m, RC_OP_SPMM, "cusparse-csr-row", "alg=2", 50 * m);
        add_time(j, m, RC_OP_SPMM_T, "cusparse-spmm_t-csr-col", "alg=0", 150);
        add_time(j, m, RC_OP_SPMM, "rs", "t=1", 10);
        add_time(j, m, RC_OP_SPMM_T, "rs-spmm_t", "t=1", 90);
        add_time(j, m, RC_OP_SPMM, "rs", "t=2", 40);
        add_time(j, m, RC_OP_SPMM_T, "rs-spmm_t", "t=2", 40 * m);
        add_time(j, m, RC_OP_SPMM_T, "rs-spmm_t", "t=3", 1); /* no product of it */
    }
    add_time(j, 1, RC_OP_SPMM, "growmajor", "vectors=0", 30);
    add_time(j, 1, RC_OP_SPMM_T, "growmajor-spmm_t", "vectors=1", 20);
}

static void both_products(void **state)
{
    char store[SCRATCH_PATH];
    char dir[2 * SCRATCH_PATH];
    rc_journal_t *j;
    rc_commit_info_t info;
    rc_view_t *v;
    rc_counted_t c;
    int seen = 0;
    scratch_path(state, "both.h5", store);
    (void)snprintf(dir, sizeof dir, "%s.journal", store);
    mkdir(dir, 0777);
    rc_rec_run_t rec = make_run(1, 0);
    assert_int_equal(rc_journal_create(dir, &rec, &j, NULL), RC_OK);
    plant(j);
    rc_journal_close(j);
    assert_int_equal(
        rc_commit(store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, NULL), RC_OK);
    assert_int_equal(rc_view_read(store, &v, NULL), RC_OK);
    assert_int_equal(rc_counted_make(v, NULL, -1, RC_SETTINGS_BY_K, &c, NULL), RC_OK);
    int other = rc_both_setting(&c, &c.setting[c.row[0].setting]);
    assert_int_equal(c.setting[c.row[0].setting].op, RC_OP_SPMM);
    assert_int_equal(c.setting[other].op, RC_OP_SPMM_T);
    for (int64_t i = 0, end; i < c.rows && c.row[i].setting != other; i = end, seen++) {
        /* the library: 50 + 150 and 60 + 150; rs: 40 + 40 and 10 + 90, not 10 + 1 */
        const int second = strcmp(rc_view_matrix(v, c.row[i].matrix)->name, "G/m2") == 0;
        const double want[] = {second ? 210 : 200, second ? 100 : 80, second ? NAN : 50};
        int64_t at[2];
        end = rc_counted_end(&c, i);
        const int64_t a[2] = {i, end};
        rc_both_rows(&c, other, c.row[i].matrix, at);
        for (int who = 0; who < 3; who++) {
            double bytes;
            double ns = rc_both_time(&c, who, a, at, &bytes);
            assert_true(isnan(want[who]) ? isnan(ns) : fabs(ns - want[who]) < 1e-9);
        }
    }
    assert_int_equal(seen, 2);
    assert_string_equal(rc_both_name(0), "cusparse");
    assert_string_equal(rc_both_name(1), "rs");
    assert_null(rc_both_name(3));
    rc_counted_free(&c);
    rc_view_free(v);
}

static void numbers_of_a_kernel(void **state)
{
    (void)state;
    const char *kernel = "rs:tune=t:t=4:cfv=2:light=add";
    assert_int_equal(rc_spec_number(kernel, "t"), 4);
    assert_int_equal(rc_spec_number(kernel, "cfv"), 2);
    assert_int_equal(rc_spec_number(kernel, "cf"), -1);
    assert_int_equal(rc_spec_number("rs", "t"), -1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_products),
        cmocka_unit_test(numbers_of_a_kernel),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("segmented", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
