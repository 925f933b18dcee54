/* Verification of stores: each kind of flaw is found where it is. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_edit.h"
#include "store_fixture.h"
#include "store_found.h"
#include "store_place.h"
#include "store_random.h"

#include "store/h5.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The copy b of a has exactly one problem, on that row of that table. */
static void flawed(const char *a, const char *b, const char *table, int64_t row, const char *words)
{
    found_t f;
    char where[128];
    rc_verify_info_t info = verify(b, 0, &f);
    snprintf(where, sizeof where, "%s:%lld: ", table, (long long)row);
    if (f.count != 1 || strncmp(f.text, where, strlen(where)) != 0 || !strstr(f.text, words))
        print_message("%s %s: %s", where, words, f.text);
    assert_int_equal(f.count, 1);
    assert_int_equal(strncmp(f.text, where, strlen(where)), 0);
    assert_non_null(strstr(f.text, words));
    assert_int_equal(info.sealed, 0); /* whoever changes it drops the seal */
    store_copy(a, b);
}

/* The first row of /results with a status other than ok. */
static int64_t row_of_status(const char *store, int ok)
{
    rc_view_t *v = NULL;
    int64_t i = 0;
    assert_int_equal(rc_view_read(store, &v, NULL), RC_OK);
    while (i < rc_view_count(v) && (rc_view_result(v, i)->status == RC_CASE_OK) != ok)
        i++;
    assert_true(i < rc_view_count(v));
    rc_view_free(v);
    return i;
}

static rc_row_result_t result_of(const char *store, int64_t row)
{
    rc_view_t *v = NULL;
    assert_int_equal(rc_view_read(store, &v, NULL), RC_OK);
    rc_row_result_t r = *rc_view_result(v, row);
    rc_view_free(v);
    return r;
}

static void flaws_of_results_are_found(void **state)
{
    place_t p = make_place(state, "res.p");
    place_t q = make_place(state, "res.q");
    const char *a = p.store;
    const char *b = q.store;
    int64_t at;
    random_store(&p, 60, 1, 8);
    store_copy(a, b);
    int64_t row = store_timed_row(a, 4, &at);
    int64_t bad = row_of_status(a, 0);
    rc_row_result_t r = result_of(a, row);
#define RESULT(row, member, value, words)                                                          \
    do {                                                                                           \
        STORE_EDIT(b, RC_T_RESULT, row, rc_row_result_t, member, value);                           \
        flawed(a, b, "/results", row, words);                                                      \
    } while (0)
    RESULT(row, matrix, 1000, "matrix from 0 to ");
    RESULT(row, policy, -1, "policy from 0 to ");
    RESULT(row, kernel, INT32_MAX, "kernel from 0 to ");
    RESULT(row, device, 1, "device from 0 to 0, as /dict/device has, found 1");
    RESULT(row, run, INT32_MIN, "run from 0 to ");
    RESULT(bad, message, 1000, "message from -1 to ");
    RESULT(bad, message, -1, "a message, as the status is not ok");
    RESULT(row, k, r.k + 1, "case_id ");
    RESULT(row, case_id[5], 'x', "case_id ");
    RESULT(row, nt, r.nt + 1, "case_id ");
    RESULT(row, device_bytes, -2, "device_bytes >= -1, found -2");
    RESULT(row, permute_ns, -2, "permute_ns >= -1, found -2");
    RESULT(row, pointer_bytes, -2, "pointer_bytes >= -1, found -2");
    RESULT(row, fill, -0.5, "fill >= 0, or NaN, found -0.5");
    RESULT(row, fill, INFINITY, "fill >= 0, or NaN, found inf");
    RESULT(row, load, -0.5, "load >= 0, or NaN, found -0.5");
    RESULT(row, cpus, -2, "cpus >= -1, found -2");
    RESULT(row, hop_ns, -0.5, "hop_ns >= 0, or NaN, found -0.5");
    RESULT(row, stop, 5, "stop from 0 to 4, found 5");
    RESULT(row, stop, RC_STOP_SIGNAL, "stop target, time or count");
    RESULT(row, phase, -1, "phase from 0 to ");
    RESULT(bad, status, RC_CASE_PENDING, "a final status");
    RESULT(bad, status, 17, "status from 0 to 6, found 17");
    RESULT(row, median_ns, r.median_ns * (1 + 1e-6), "median_ns ");
    RESULT(row, min_ns, r.min_ns - 1, "min_ns ");
    RESULT(row, mean_ns, r.mean_ns + 0.01, "mean_ns ");
    RESULT(row, sd_ns, r.sd_ns + 0.01, "sd_ns ");
    RESULT(row, rel_err, NAN, "rel_err ");
    RESULT(row, error_max, 1.5, "error_max up to 1");
    RESULT(row, seq, -1, "the number of a record");
    RESULT(row, rank, -1, "rank >= 0");
    RESULT(row, sample_offset, INT64_MAX, "raw times inside of");
    RESULT(bad, sample_offset, 0, "sample_offset -1");
    found_t f;
    STORE_EDIT(b, RC_T_RESULT, row, rc_row_result_t, k, 0); /* which is another case, too */
    (void)verify(b, 0, &f);
    assert_non_null(strstr(f.text, "k >= 1, found 0"));
    store_copy(a, b);
    STORE_EDIT(b, RC_T_RESULT, row, rc_row_result_t, op, 1);
    (void)verify(b, 0, &f);
    assert_non_null(strstr(f.text, "k 0, as the operation has none, found "));
}

static void flaws_of_raw_times_are_found(void **state)
{
    place_t p = make_place(state, "raw.p");
    place_t q = make_place(state, "raw.q");
    const char *a = p.store;
    const char *b = q.store;
    int64_t at;
    random_store(&p, 60, 1, 8);
    store_copy(a, b);
    int64_t row = store_timed_row(a, 4, &at);
    rc_row_result_t r = result_of(a, row);
    int64_t last = r.sample_offset + r.reps;
    int64_t other = row + 1;
    while (result_of(a, other).sample_offset != last)
        other++;
    STORE_EDIT(b, RC_T_RESULT, other, rc_row_result_t, sample_offset, last - 1);
    found_t f;
    (void)verify(b, 0, &f);
    assert_non_null(strstr(f.text, "raw times of its own"));
    store_copy(a, b);
    store_set_sample(b, at, -5);
    char where[32];
    snprintf(where, sizeof where, "%s", RC_SAMPLES_PATH);
    flawed(a, b, where, at, "a time >= 0, found -5");
    store_set_sample(b, at + 1, 1 << 30);
    (void)verify(b, 0, &f);
    assert_non_null(strstr(f.text, "mean_ns "));
    assert_non_null(strstr(f.text, "sd_ns "));
    store_copy(a, b);
    /* a row twice: the same record, and the same raw times */
    rc_h5_t h;
    assert_int_equal(rc_h5_open(b, 1, &h, NULL), RC_OK);
    int64_t n = 0;
    assert_int_equal(rc_h5_append(&h, &rc_schema[RC_T_RESULT], &r, 1, &n, NULL), RC_OK);
    rc_h5_close(&h, NULL);
    (void)verify(b, 0, &f);
    assert_int_equal(f.count, 2);
    assert_non_null(strstr(f.text, "a run, rank and seq of its own"));
    assert_non_null(strstr(f.text, "raw times of its own"));
    snprintf(where, sizeof where, "/results:%lld:", (long long)n);
    assert_int_equal(strncmp(f.text, where, strlen(where)), 0);
}

static void flaws_of_other_tables_are_found(void **state)
{
    place_t p = make_place(state, "tab.p");
    place_t q = make_place(state, "tab.q");
    const char *a = p.store;
    const char *b = q.store;
    char text[80];
    random_store(&p, 61, 1, 8);
    store_copy(a, b);
#define TABLE(table, row, type, member, value, words)                                              \
    do {                                                                                           \
        STORE_EDIT(b, table, row, type, member, value);                                            \
        flawed(a, b, rc_schema[table].path, row, words);                                           \
    } while (0)
    /* a matrix that no result has: else its cases are wrong too */
    rc_rng_t r;
    rc_rng_seed(&r, 1);
    rc_journal_t *j = open_journal(&p, 20, 0);
    add_source(j, 90, RC_CASE_OK, "");
    add_end(j, RC_RUN_COMPLETE);
    rc_journal_close(j);
    fold(&p);
    store_copy(a, b);
    rc_view_t *v = view(&p);
    int64_t m = 0;
    while (strcmp("G/m90", rc_view_matrix(v, (int32_t)m)->name) != 0)
        m++;
    rc_view_free(v);
    TABLE(RC_T_MATRIX, m, rc_row_matrix_t, digest[3], 'X', "32 hexadecimal digits");
    TABLE(RC_T_MATRIX, m, rc_row_matrix_t, nnz, INT64_MAX, "nnz that fit");
    TABLE(RC_T_MATRIX, m, rc_row_matrix_t, id, 0, "id ");
    TABLE(RC_T_MATRIX, m, rc_row_matrix_t, name[127], 'x', "NULs behind the text of name");
    TABLE(RC_T_DEVICE, 0, rc_row_device_t, reserved, 1, "reserved 0");
    TABLE(RC_T_RUN, 1, rc_row_run_t, state, 4, "state from 0 to 3");
    TABLE(RC_T_RUN, 1, rc_row_run_t, ranks, -1, "ranks >= 0");
    TABLE(RC_T_SOURCE, 1, rc_row_source_t, run, 100, "run from 0 to");
    TABLE(RC_T_SOURCE, 1, rc_row_source_t, where, 3, "where from 0 to 2");
    TABLE(RC_T_PROVENANCE, 2, rc_row_provenance_t, part, -1, "part >= 0");
    TABLE(RC_T_JOURNAL, 1, rc_row_journal_t, bytes, -1, "bytes >= 0");
    TABLE(RC_T_INFLIGHT, 0, rc_row_inflight_t, case_id[31], 'g', "32 hexadecimal digits");
    TABLE(RC_T_INFLIGHT, 0, rc_row_inflight_t, run, 100, "run from 0 to");
    TABLE(RC_T_ORDER, 4, rc_row_order_t, pads, 1000, "pads <= slots");
    TABLE(RC_T_ORDER, 4, rc_row_order_t, matrix, -1, "matrix from 0 to");
    rc_row_run_t run;
    v = view(&p);
    run = *rc_view_run(v, 0);
    rc_view_free(v);
    memcpy(text, run.uuid, sizeof run.uuid);
    store_edit(b, &rc_schema[RC_T_RUN], 2, offsetof(rc_row_run_t, uuid), text, sizeof run.uuid);
    flawed(a, b, "/dict/run", 2, "another key than row 0");
}

static void flaws_of_features_are_found(void **state)
{
    place_t p = make_place(state, "fea.p");
    place_t q = make_place(state, "fea.q");
    const char *a = p.store;
    const char *b = q.store;
    random_store(&p, 61, 1, 8);
    store_copy(a, b);
    rc_schema_table_t t = rc_schema_feature_rows;
    t.path = "/features/alpha/rows";
    int32_t none = -1;
    store_edit(b, &t, 0, offsetof(rc_row_feature_t, matrix), &none, sizeof none);
    flawed(a, b, t.path, 0, "matrix from 0 to");
    hid_t h = H5Fopen(b, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t d = H5Dopen2(h, "/features/alpha/values", H5P_DEFAULT);
    double value[1024];
    assert_true(H5Dread(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    value[3] = INFINITY;
    assert_true(H5Dwrite(d, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, value) >= 0);
    H5Dclose(d);
    H5Fclose(h);
    flawed(a, b, "/features/alpha/values", 1, "finite values, found inf in column 1");
}

/* Change the structure with a function on the open file. */
static void restructure(const char *store, void (*change)(hid_t f))
{
    hid_t f = H5Fopen(store, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(f >= 0);
    change(f);
    assert_true(H5Fclose(f) >= 0);
}

static void drop_attribute(hid_t f)
{
    assert_true(H5Adelete_by_name(f, "/orders", "FIELD_0_UNITS", H5P_DEFAULT) >= 0);
}

static void rename_field(hid_t f)
{
    assert_true(H5Adelete_by_name(f, "/results", "FIELD_2_NAME", H5P_DEFAULT) >= 0);
}

static void drop_writer(hid_t f)
{
    assert_true(H5Adelete(f, "writer") >= 0);
}

static void drop_samples(hid_t f)
{
    assert_true(H5Ldelete(f, "/samples", H5P_DEFAULT) >= 0);
}

static void drop_dict(hid_t f)
{
    assert_true(H5Ldelete(f, "/dict/policy", H5P_DEFAULT) >= 0);
}

static void drop_features(hid_t f)
{
    assert_true(H5Ldelete(f, "/features", H5P_DEFAULT) >= 0);
}

static void drop_columns(hid_t f)
{
    assert_true(H5Adelete_by_name(f, "/features/beta/values", "names", H5P_DEFAULT) >= 0);
}

static void swap_tables(hid_t f)
{
    assert_true(H5Ldelete(f, "/inflight", H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_hard(f, "/journals", f, "/inflight", H5P_DEFAULT, H5P_DEFAULT) >= 0);
}

static void flaws_of_structure_are_found(void **state)
{
    static const struct {
        void (*change)(hid_t f);
        const char *path;
        const char *words;
    } flaw[] = {
        {drop_attribute, "/orders:-1: ", "FIELD_0_UNITS = 'ns', found none"},
        {rename_field, "/results:-1: ", "FIELD_2_NAME = 'order_ns', found none"},
        {drop_writer, "/:-1: ", "attribute writer"},
        {drop_samples, "/samples:-1: ", "a dataset with 1 dimension, found none"},
        {drop_dict, "/dict/policy:-1: ", "a dataset with 1 dimension, found none"},
        {drop_features, "/features:-1: ", "something that can be read"},
        {drop_columns, "/features/beta/values:-1: ", "names of the columns"},
        {swap_tables, "/inflight:-1: ", "rows of 6 fields in 56 bytes"},
    };
    place_t p = make_place(state, "str.p");
    place_t q = make_place(state, "str.q");
    found_t f;
    random_store(&p, 62, 1, 6);
    for (size_t i = 0; i < sizeof flaw / sizeof *flaw; i++) {
        store_copy(p.store, q.store);
        restructure(q.store, flaw[i].change);
        rc_verify_info_t info = verify(q.store, 0, &f);
        if (strncmp(f.text, flaw[i].path, strlen(flaw[i].path)) != 0)
            print_message("%s %s", flaw[i].path, f.text);
        assert_int_equal(strncmp(f.text, flaw[i].path, strlen(flaw[i].path)), 0);
        assert_non_null(strstr(f.text, flaw[i].words));
        assert_int_equal(info.stopped, 1);
    }
}

/* Put copies of a store under the name of another one, without end. */
static void replace_for_ever(const char *from, const char *to)
{
    char next[SCRATCH_PATH + 8];
    snprintf(next, sizeof next, "%s.next", to);
    for (unsigned pause = 1;; pause = pause * 7 % 1009) {
        store_copy(from, next);
        if (rename(next, to) != 0)
            _exit(1);
        usleep(1000 + 3 * pause); /* an open takes less, most times */
    }
}

/* Who opens a store while others are put under its name gets one of them. */
static void a_store_that_is_replaced_opens(void **state)
{
    enum { OPENS = 300 };
    place_t p = make_place(state, "was.p");
    place_t q = make_place(state, "was.q");
    random_store(&p, 63, 1, 6);
    store_copy(p.store, q.store);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        replace_for_ever(p.store, q.store);
    int opened = 0;
    rc_err_t err = {0};
    rc_h5_t h;
    while (opened < OPENS && rc_h5_open(q.store, 0, &h, &err) == RC_OK && rc_h5_close(&h, NULL) == RC_OK)
        opened++;
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    if (opened < OPENS)
        fail_msg("%d of %d opened: %s", opened, OPENS, err.text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flaws_of_results_are_found),
        cmocka_unit_test(flaws_of_raw_times_are_found),
        cmocka_unit_test(flaws_of_other_tables_are_found),
        cmocka_unit_test(flaws_of_features_are_found),
        cmocka_unit_test(flaws_of_structure_are_found),
        cmocka_unit_test(a_store_that_is_replaced_opens),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("flaws", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
