/* The table of the task format against the rule of its store. */
#include "config.h"
#include "unit.h"
#include "failing_alloc.h"
#include "scratch.h"
#include "synthetic_formats.h"

#include "analysis/dataset.h"
#include "base/str.h"

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MATRICES = 120, COO = 0, ELL = 1, CSR = 2, CSR5 = 4 };

static const synthetic_formats_t small = {
    .matrices = MATRICES, .groups = 12, .seed = 5, .noise = 0, .fp64 = 1};

static void write_store(void **state, const char *name, int without, char *path)
{
    rc_err_t err = {0};
    synthetic_formats_t s = small;
    s.without = without;
    s.cold = !without; /* which is not to be mixed in */
    scratch_path(state, name, path);
    if (synthetic_formats_write(path, &s, &err) < 0)
        fail_msg("%s", err.text);
}

static void read_set(const char *store, const rc_dataset_options_t *o, rc_dataset_t *d)
{
    rc_err_t err = {0};
    rc_dataset_options_t format = *o;
    format.task = RC_TASK_FORMAT;
    format.op = "spmv";
    if (rc_dataset_read(store, &format, d, &err) < 0)
        fail_msg("%s", err.text);
}

static void refuses(const char *store, const char *classes, const char *text)
{
    rc_dataset_t d;
    rc_err_t err = {0};
    const rc_dataset_options_t o = {.task = RC_TASK_FORMAT, .op = "spmv", .classes = classes};
    assert_int_equal(rc_dataset_read(store, &o, &d, &err), RC_EINVAL);
    if (!strstr(err.text, text))
        fail_msg("expected '%s' in: %s", text, err.text);
}

/* What the rule says of a matrix. */
typedef struct rule {
    double feature[SYNTHETIC_NISA];
    double time[RC_SIX];
    int best;
    int complete;
} rule_t;

static rule_t rule_of(int64_t matrix, int value_bytes)
{
    rule_t r = {.complete = 1};
    synthetic_nisa(&small, matrix, r.feature);
    for (int f = 0; f < RC_SIX; f++) {
        r.time[f] = synthetic_format_time(r.feature, matrix, f, value_bytes);
        r.complete &= !isnan(r.time[f]);
        r.time[f] = isnan(r.time[f]) ? INFINITY : r.time[f];
        r.best = r.time[f] < r.time[r.best] ? f : r.best;
    }
    return r;
}

static int64_t matrix_of(const rc_dataset_t *d, int64_t row)
{
    int group;
    int matrix;
    assert_int_equal(sscanf(d->sample[row].name, "G%d/m%d", &group, &matrix), 2);
    return matrix;
}

static void rows_have_all_six_formats(void **state)
{
    char store[SCRATCH_PATH];
    rc_dataset_t d;
    int64_t complete = 0;
    int64_t skipped = 0;
    write_store(state, "six.h5", 0, store);
    read_set(store, &(rc_dataset_options_t){.precision = "fp64"}, &d);
    assert_int_equal(d.classes, RC_SIX);
    assert_int_equal(d.inputs, SYNTHETIC_NISA);
    assert_string_equal(d.feature_set, "nisa");
    assert_int_equal(d.baseline, CSR);
    for (int f = 0; f < RC_SIX; f++) {
        assert_string_equal(d.cls[f].name, rc_six_names[f]);
        assert_string_equal(d.cls[f].kernel, synthetic_format_kernels[f]);
        assert_string_equal(d.cls[f].policy, "csr");
    }
    for (int64_t m = 0; m < MATRICES; m++) {
        rule_t r = rule_of(m, 8);
        complete += r.complete;
        skipped += isinf(r.time[ELL]);
    }
    assert_int_equal(d.rows, complete);
    assert_true(skipped > 0 && complete > MATRICES / 2);
    assert_int_equal(d.dropped.format[ELL][RC_CASE_SKIPPED], skipped);
    assert_int_equal(d.dropped.format[CSR5][RC_CASE_FAILED], (MATRICES - 13 + 99) / 100);
    assert_int_equal(d.dropped.incomplete, MATRICES - complete);
    for (int64_t i = 0; i < d.rows; i++) {
        rule_t r = rule_of(matrix_of(&d, i), 8);
        assert_true(r.complete);
        assert_memory_equal(d.value + i * d.inputs, r.feature, sizeof r.feature);
        assert_memory_equal(d.time + i * d.classes, r.time, sizeof r.time);
        assert_int_equal(rc_dataset_best(&d, i), r.best);
    }
    rc_dataset_free(&d);
}

static void what_failed_may_be_infinite(void **state)
{
    char store[SCRATCH_PATH];
    rc_dataset_t d;
    write_store(state, "worst.h5", 0, store);
    read_set(store, &(rc_dataset_options_t){.precision = "fp32", .missing_worst = 1}, &d);
    assert_int_equal(d.rows, MATRICES);
    assert_int_equal(d.dropped.incomplete, 0);
    for (int64_t i = 0; i < d.rows; i++) {
        rule_t r = rule_of(matrix_of(&d, i), 4);
        assert_memory_equal(d.time + i * d.classes, r.time, sizeof r.time);
        for (int f = 0; f < RC_SIX; f++)
            assert_int_equal(isnan(d.setup[i * d.classes + f]) != 0, isinf(r.time[f]) != 0);
    }
    rc_dataset_free(&d);
}

/* Three formats: without the matrices on which coo is the fastest of them and itself. */
static void fewer_classes_leave_out_where_coo_wins(void **state)
{
    static const int three[] = {1, 2, 3};
    char store[SCRATCH_PATH];
    rc_dataset_t d;
    rc_dataset_t without;
    int64_t rows = 0;
    int64_t coo = 0;
    write_store(state, "three.h5", 0, store);
    for (int64_t m = 0; m < MATRICES; m++) {
        rule_t r = rule_of(m, 4);
        int loses = 0;
        for (int c = 0; c < 3; c++)
            loses |= r.time[three[c]] < r.time[COO];
        rows += r.complete && loses;
        coo += r.complete && !loses;
    }
    assert_true(coo > 0);
    read_set(store,
        &(rc_dataset_options_t){
            .precision = "fp32", .classes = "hyb,csr,ell", .features = "nisa-1"},
        &d);
    assert_int_equal(d.rows, rows);
    assert_int_equal(d.dropped.coo, coo);
    assert_int_equal(d.inputs, 5);
    assert_int_equal(d.classes, 3);
    for (int c = 0; c < 3; c++)
        assert_string_equal(d.cls[c].name, rc_six_names[three[c]]);
    assert_int_equal(d.baseline, 1);
    for (int64_t i = 0; i < d.rows; i++) {
        rule_t r = rule_of(matrix_of(&d, i), 4);
        assert_memory_equal(d.time + i * 3, r.time + 1, 3 * sizeof *r.time);
        assert_memory_equal(d.value + i * 5, r.feature, 5 * sizeof *r.feature);
    }
    rc_dataset_free(&d);
    read_set(store, &(rc_dataset_options_t){.precision = "fp32", .features = "nisa-2"}, &d);
    assert_int_equal(d.inputs, 11);
    const rc_dataset_part_t all = {0};
    assert_int_equal(rc_dataset_take(&d, &all, &without, NULL), RC_OK);
    assert_true(rc_digest_compare(&d.digest, &without.digest) == 0);
    rc_dataset_free(&without);
    rc_dataset_free(&d);
}

static void a_store_may_lack_formats(void **state)
{
    char store[SCRATCH_PATH];
    rc_dataset_t d;
    write_store(state, "cpu.h5", 1 << 0 | 1 << 3 | 1 << 4, store);
    refuses(store, NULL,
        "of coo (kernel coo), hyb (kernel hyb:width=mu), csr5 (kernel "
        "csr5:sigma=auto); it has ell,csr,merge");
    refuses(store, "csr,coo", "of coo (kernel coo);");
    refuses(store, "csr", "needs two formats, found 1");
    refuses(store, "csr,mergee", "unknown format 'mergee'; did you mean 'merge'?");
    read_set(store, &(rc_dataset_options_t){.classes = "merge,csr"}, &d);
    assert_int_equal(d.classes, 2);
    assert_int_equal(d.dropped.coo, 0);
    assert_string_equal(d.cls[0].name, "csr");
    assert_string_equal(d.input[d.inputs - 1].name, "value_bytes");
    rc_dataset_free(&d);
}

static void failed_allocations_are_survived(void **state)
{
    char store[SCRATCH_PATH];
    synthetic_formats_t s = small;
    s.matrices = 8;
    s.groups = 3;
    scratch_path(state, "alloc.h5", store);
    assert_int_equal(synthetic_formats_write(store, &s, NULL), RC_OK);
    for (long n = 1;; n++) { /* 0: the list of operations for a message, which may lack */
        rc_dataset_t d = {0};
        rc_err_t err = {0};
        const rc_dataset_options_t o = {.task = RC_TASK_FORMAT,
            .op = "spmv",
            .classes = "ell,csr,hyb,merge",
            .missing_worst = 1};
        failing_alloc_set(n);
        rc_status_t st = rc_dataset_read(store, &o, &d, &err);
        int failed = failing_alloc_happened();
        failing_alloc_set(-1);
        /* the store takes a text that it cannot copy for a missing one */
        if (failed ? st != RC_ENOMEM && st != RC_ESTORE : st != RC_OK)
            fail_msg("allocation %ld: %s", n, err.text);
        rc_dataset_free(&d);
        if (!failed)
            break;
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_have_all_six_formats),
        cmocka_unit_test(what_failed_may_be_infinite),
        cmocka_unit_test(fewer_classes_leave_out_where_coo_wins),
        cmocka_unit_test(a_store_may_lack_formats),
        cmocka_unit_test(failed_allocations_are_survived),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
