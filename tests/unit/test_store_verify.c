/* Verification of stores: what is sound is found sound, each kind of flaw is found where it is, and
 * a flipped bit is detected before anything is believed. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_edit.h"
#include "store_fixture.h"
#include "store_place.h"
#include "store_random.h"

#include "table/archive.h"
#include "store/h5.h"
#include "store/merge.h"
#include "store/seal.h"
#include "store/verify.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The problems of one verification, a line each. */
typedef struct found {
    char text[8192];
    int count;
} found_t;

static void note(void *user, const rc_verify_problem_t *p)
{
    found_t *f = user;
    size_t at = strlen(f->text);
    assert_null(strchr(p->expected, '\n'));
    assert_null(strchr(p->found, '\n'));
    f->count++;
    snprintf(f->text + at, sizeof f->text - at, "%s:%lld: expected %s, found %s\n", p->path,
        (long long)p->row, p->expected, p->found);
}

static rc_verify_info_t verify(const char *store, int deep, found_t *f)
{
    const rc_verify_options_t o = {deep};
    rc_verify_info_t info;
    rc_err_t err = {0};
    memset(f, 0, sizeof *f);
    rc_status_t st = rc_verify(store, &o, note, f, &info, &err);
    if (st < 0)
        print_message("%s\n", err.text);
    assert_int_equal(st, RC_OK);
    assert_int_equal(info.problems, f->count);
    return info;
}

static rc_verify_info_t is_sound(const char *store)
{
    found_t f;
    rc_verify_info_t info = verify(store, 1, &f);
    if (f.count)
        print_message("%s", f.text);
    assert_int_equal(info.problems, 0);
    assert_int_equal(info.stopped, 0);
    return info;
}

static void what_the_program_writes_is_sound(void **state)
{
    place_t copy = make_place(state, "sound.copy");
    place_t some = make_place(state, "sound.some");
    place_t bare = make_place(state, "sound.bare");
    place_t both = make_place(state, "sound.both");
    static const rc_archive_options_t all = {.samples = 1};
    static const rc_archive_options_t newest = {.samples = 1, .newest = 1};
    static const rc_archive_options_t no_samples = {0};
    static const rc_merge_options_t plain = {0};
    for (int seed = 0; seed < 6; seed++) {
        char name[32];
        snprintf(name, sizeof name, "sound%d", seed);
        place_t p = make_place(state, name);
        random_store(&p, 50 + (uint64_t)seed, 1, 1 + 3 * seed);
        rc_verify_info_t info = is_sound(p.store);
        assert_int_equal(info.sealed, 1);
        assert_true(seed == 0 || (info.timed > 3 && info.samples > info.timed));
        assert_int_equal(rc_archive(p.store, copy.store, &all, NULL, NULL), RC_OK);
        assert_int_equal(rc_archive(p.store, some.store, &newest, NULL, NULL), RC_OK);
        assert_int_equal(rc_archive(p.store, bare.store, &no_samples, NULL, NULL), RC_OK);
        assert_int_equal(is_sound(copy.store).timed, info.timed);
        assert_true(is_sound(some.store).timed <= info.timed);
        assert_int_equal(is_sound(bare.store).timed, 0);
        const char *const in[] = {p.store, bare.store, copy.store};
        unlink(both.store);
        assert_int_equal(rc_merge(both.store, in, 3, &plain, NULL, NULL), RC_OK);
        info = is_sound(both.store);
        assert_int_equal(info.sealed, 1);
        /* a compressed copy is swept into: it is written plain, and has a seal again */
        random_store(&copy, 50 + (uint64_t)seed, 30, 2);
        assert_int_equal(is_sound(copy.store).sealed, 1);
    }
    place_t none = make_place(state, "sound.none");
    rc_commit_info_t commit;
    assert_int_equal(rc_commit(none.store, MPI_COMM_WORLD, 1, 0, NULL, &commit, NULL), RC_OK);
    assert_int_equal(is_sound(none.store).results, 0);
}

/* --------------------------------------------------------------------- flaws */

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
    RESULT(row, fill, -0.5, "fill >= 0, or NaN, found -0.5");
    RESULT(row, fill, INFINITY, "fill >= 0, or NaN, found inf");
    RESULT(row, stop, 5, "stop from 0 to 4, found 5");
    RESULT(row, stop, RC_STOP_SIGNAL, "stop target, time or count");
    RESULT(row, phase, -1, "phase from 0 to ");
    RESULT(bad, status, RC_CASE_PENDING, "a final status");
    RESULT(bad, status, 17, "status from 0 to 5, found 17");
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
    int64_t last = r.sample_offset + r.reps;
    int64_t other = row + 1;
    while (result_of(a, other).sample_offset != last)
        other++;
    STORE_EDIT(b, RC_T_RESULT, other, rc_row_result_t, sample_offset, last - 1);
    found_t f;
    (void)verify(b, 0, &f);
    assert_non_null(strstr(f.text, "raw times of its own"));
    store_copy(a, b);
    STORE_EDIT(b, RC_T_RESULT, row, rc_row_result_t, k, 0); /* which is another case, too */
    (void)verify(b, 0, &f);
    assert_non_null(strstr(f.text, "k >= 1, found 0"));
    store_copy(a, b);
    STORE_EDIT(b, RC_T_RESULT, row, rc_row_result_t, op, 1);
    (void)verify(b, 0, &f);
    assert_non_null(strstr(f.text, "k 0, as the operation has none, found "));
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

static void journals_are_looked_at(void **state)
{
    place_t p = make_place(state, "jou.p");
    place_t kept = make_place(state, "jou.kept");
    rc_rng_t r;
    rc_rng_seed(&r, 1);
    rc_case_t c = make_case(1, "csr", 8);
    rc_case_t d = make_case(1, "lpt", 8);
    found_t f;
    random_store(&p, 63, 1, 2);
    rc_journal_t *j = open_journal(&p, 5, 0);
    add_measured(j, &r, &c, RC_CASE_OK, 1);
    add_measured(j, &r, &d, RC_CASE_OK, 2);
    rc_journal_close(j);
    assert_int_equal(is_sound(p.store).journals, 1);
    copy_folder(p.journals, kept.journals);
    fold(&p);
    copy_folder(kept.journals, p.journals); /* killed before they were removed */
    assert_int_equal(is_sound(p.store).journals, 1);

    /* a result that is said to be folded and is not there */
    rc_h5_t h;
    void *rows;
    int64_t n;
    assert_int_equal(rc_h5_open(p.store, 1, &h, NULL), RC_OK);
    assert_int_equal(rc_h5_read(&h, &rc_schema[RC_T_RESULT], &rows, &n, NULL), RC_OK);
    assert_int_equal(rc_h5_replace(&h, &rc_schema[RC_T_RESULT], rows, n - 1, NULL), RC_OK);
    rc_h5_close(&h, NULL);
    free(rows);
    (void)verify(p.store, 0, &f);
    assert_int_equal(f.count, 0);
    (void)verify(p.store, 1, &f);
    assert_int_equal(f.count, 1);
    assert_non_null(strstr(f.text, "00000.rcj:"));
    assert_non_null(strstr(f.text, "the result of record 2 is not"));

    char path[2 * SCRATCH_PATH];
    snprintf(path, sizeof path, "%s/%s.00000.rcj", p.journals, make_run(5, 0).uuid);
    size_t bytes;
    unsigned char *data = slurp(path, &bytes);
    scratch_write(path, data, bytes - 8);
    (void)verify(p.store, 0, &f);
    assert_non_null(strstr(f.text, "bytes that are folded"));
    data[60] ^= 1;
    scratch_write(path, data, bytes);
    (void)verify(p.store, 0, &f);
    assert_non_null(strstr(f.text, "damaged bytes from here on"));
    data[0] ^= 1;
    scratch_write(path, data, bytes);
    (void)verify(p.store, 0, &f);
    assert_non_null(strstr(f.text, "expected a rowcast journal"));
    free(data);
}

/* ------------------------------------------------------------------ flipped bits */

static int same_lines(const char *store, const lines_t *expected)
{
    lines_t l = lines_of(store);
    int same = l.count == expected->count;
    for (size_t i = 0; same && i < l.count; i++)
        same = strcmp(l.line[i], expected->line[i]) == 0;
    lines_free(&l);
    return same;
}

/* 1: verification, or the reader, says that something is wrong. */
static int detected(const char *store, int *reader)
{
    const rc_verify_options_t o = {1};
    rc_verify_info_t info = {0};
    rc_view_t *v = NULL;
    found_t f = {0};
    *reader = rc_view_read(store, &v, NULL) < 0;
    if (!*reader)
        rc_view_free(v);
    return rc_verify(store, &o, note, &f, &info, NULL) < 0 || info.problems > 0;
}

/* A bit in each stretch of `step` bytes, of a plain store and of a compressed one. */
static void flipped_bits_are_detected(void **state)
{
    enum { step = 397 };
    static const rc_archive_options_t all = {.samples = 1};
    place_t p = make_place(state, "flip.p");
    place_t small = make_place(state, "flip.small");
    place_t q = make_place(state, "flip.q");
    random_store(&p, 64, 1, 5);
    assert_int_equal(rc_archive(p.store, small.store, &all, NULL, NULL), RC_OK);
    for (int k = 0; k < 2; k++) {
        const char *store = k ? small.store : p.store;
        lines_t expected = lines_of(store);
        rc_rng_t r;
        rc_rng_seed(&r, 7);
        size_t n;
        unsigned char *data = slurp(store, &n);
        int flips = 0;
        int unseen = 0;
        scratch_write(q.store, data, n);
        int fd = open(q.store, O_RDWR);
        assert_true(fd >= 0);
        int stride = k ? 23 : step;
        for (size_t i = 0; i < n; i += (size_t)stride) {
            size_t at = i + (size_t)rc_rng_below(&r, (uint64_t)stride);
            at = at < n ? at : n - 1;
            unsigned char byte = data[at] ^ (unsigned char)(1 << rc_rng_below(&r, 8));
            int reader;
            assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
            int seen = detected(q.store, &reader);
            if (!seen || !reader) { /* only where it does not matter */
                unseen++;
                assert_true(at >= n - 64);
                assert_true(same_lines(q.store, &expected));
            }
            assert_int_equal(pwrite(fd, &data[at], 1, (off_t)at), 1);
            flips++;
        }
        /* every bit of the seal */
        for (size_t at = n - 80; at < n; at++)
            for (int bit = 0; bit < 8; bit++) {
                unsigned char byte = data[at] ^ (unsigned char)(1 << bit);
                int reader;
                assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
                if (!detected(q.store, &reader) || !reader)
                    assert_true(same_lines(q.store, &expected));
                assert_int_equal(pwrite(fd, &data[at], 1, (off_t)at), 1);
            }
        close(fd);
        is_sound(q.store);
        print_message("%d flips, %d of them harmless\n", flips, unseen);
        assert_true(flips > 1000 && unseen <= 2);
        free(data);
        lines_free(&expected);
    }
}

static void cut_files_are_detected(void **state)
{
    place_t p = make_place(state, "cut.p");
    place_t q = make_place(state, "cut.q");
    size_t n;
    int reader;
    random_store(&p, 65, 1, 3);
    unsigned char *data = slurp(p.store, &n);
    lines_t expected = lines_of(p.store);
    for (size_t m = 200; m < n; m += 1 + n / 97) {
        scratch_write(q.store, data, n - m);
        assert_true(detected(q.store, &reader) && reader);
    }
    for (size_t m = 1; m <= 160; m++) { /* in and about the seal */
        scratch_write(q.store, data, n - m);
        if (!detected(q.store, &reader) || !reader)
            assert_true(same_lines(q.store, &expected));
    }
    /* something behind it */
    unsigned char *more = malloc(n + 5);
    assert_non_null(more);
    memcpy(more, data, n);
    memcpy(more + n, "noise", 5);
    scratch_write(q.store, more, n + 5);
    assert_true(detected(q.store, &reader));
    assert_true(same_lines(q.store, &expected));
    free(more);
    free(data);
    lines_free(&expected);
}

static void a_damaged_store_is_not_extended(void **state)
{
    place_t p = make_place(state, "ext");
    place_t copy = make_place(state, "ext.copy");
    static const rc_archive_options_t all = {.samples = 1};
    rc_commit_info_t info;
    rc_err_t err = {0};
    size_t n;
    random_store(&p, 66, 1, 2);
    unsigned char *data = slurp(p.store, &n);
    data[n - 200] ^= 1;
    scratch_write(p.store, data, n);
    rc_journal_t *j = open_journal(&p, 9, 0);
    rc_rng_t r;
    rc_rng_seed(&r, 1);
    rc_case_t c = make_case(1, "csr", 8);
    add_measured(j, &r, &c, RC_CASE_OK, 1);
    rc_journal_close(j);
    assert_int_equal(rc_commit(p.store, MPI_COMM_WORLD, 0, 0, NULL, &info, &err), RC_ESTORE);
    assert_non_null(strstr(err.text, "the file is damaged"));
    assert_int_equal(rc_archive(p.store, copy.store, &all, NULL, &err), RC_ESTORE);
    data[n - 200] ^= 1;
    scratch_write(p.store, data, n); /* the journal was kept */
    assert_int_equal(rc_commit(p.store, MPI_COMM_WORLD, 0, 0, NULL, &info, &err), RC_OK);
    assert_int_equal(info.results, 1);
    free(data);
}

/* Random words into random rows, without a seal: whatever is found, nothing crashes or hangs. */
static void nonsense_does_no_harm(void **state)
{
    place_t p = make_place(state, "non.p");
    place_t q = make_place(state, "non.q");
    place_t out = make_place(state, "non.out");
    static const rc_merge_options_t plain = {0};
    random_store(&p, 67, 1, 6);
    lines_t expected = lines_of(p.store);
    rc_rng_t r;
    rc_rng_seed(&r, 3);
    int seen = 0;
    for (int i = 0; i < 300; i++) {
        const rc_schema_table_t *t = &rc_schema[rc_rng_below(&r, RC_T_COUNT)];
        rc_h5_t h;
        int64_t n = 0;
        uint64_t junk = rc_rng_below(&r, 2) ? rc_rng_next(&r) : rc_rng_below(&r, 4) - 2;
        size_t bytes = (size_t)1 << rc_rng_below(&r, 4);
        size_t offset = (size_t)rc_rng_below(&r, t->row_bytes / bytes) * bytes;
        store_copy(p.store, q.store);
        assert_int_equal(rc_h5_open(q.store, 0, &h, NULL), RC_OK);
        assert_int_equal(rc_h5_rows(&h, t, &n, NULL), RC_OK);
        rc_h5_close(&h, NULL);
        store_edit(q.store, t, (int64_t)rc_rng_below(&r, (uint64_t)n), offset, &junk, bytes);
        int reader;
        seen += detected(q.store, &reader);
        const char *const in[] = {q.store};
        unlink(out.store);
        (void)rc_merge(out.store, in, 1, &plain, NULL, NULL);
    }
    assert_true(seen > 100);
    lines_free(&expected);
}

static void what_is_no_store_is_an_error(void **state)
{
    place_t p = make_place(state, "not");
    const rc_verify_options_t o = {0};
    rc_verify_info_t info;
    rc_err_t err = {0};
    found_t f = {0};
    assert_int_equal(rc_verify(p.store, &o, note, &f, &info, &err), RC_ENOENT);
    scratch_write(p.store, "no HDF5", 7);
    assert_int_equal(rc_verify(p.store, &o, note, &f, &info, &err), RC_ESTORE);
    scratch_write(p.store, "", 0);
    assert_int_equal(rc_verify(p.store, &o, note, &f, &info, &err), RC_ESTORE);
    assert_int_equal(rc_verify(*state, &o, note, &f, &info, &err), RC_ESTORE);
    unlink(p.store);
    random_store(&p, 1, 1, 1);
    store_set_root(p.store, "schema_minor", RC_SCHEMA_MINOR + 1);
    assert_int_equal(rc_verify(p.store, &o, note, &f, &info, &err), RC_ESTORE);
    assert_non_null(strstr(err.text, "schema version"));
    store_set_root(p.store, "schema_major", RC_SCHEMA_MAJOR + 1);
    assert_int_equal(rc_verify(p.store, &o, note, &f, &info, &err), RC_ESTORE);
    assert_non_null(strstr(err.text, "schema version"));
    assert_int_equal(f.count, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_program_writes_is_sound),
        cmocka_unit_test(flaws_of_results_are_found),
        cmocka_unit_test(flaws_of_other_tables_are_found),
        cmocka_unit_test(flaws_of_structure_are_found),
        cmocka_unit_test(journals_are_looked_at),
        cmocka_unit_test(flipped_bits_are_detected),
        cmocka_unit_test(cut_files_are_detected),
        cmocka_unit_test(a_damaged_store_is_not_extended),
        cmocka_unit_test(nonsense_does_no_harm),
        cmocka_unit_test(what_is_no_store_is_an_error),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("verify", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
