/* Verification of stores: what is sound is found sound, and a flipped bit is detected before anything
 * is believed. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_edit.h"
#include "store_fixture.h"
#include "store_found.h"
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
    assert_int_equal(rc_commit(none.store, MPI_COMM_WORLD, &(rc_commit_options_t){.create = 1},
                         NULL, &commit, NULL),
        RC_OK);
    assert_int_equal(is_sound(none.store).results, 0);
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
    scratch_write(path, data, bytes - 32); /* the last record is only for the reader */
    (void)verify(p.store, 0, &f);
    assert_non_null(strstr(f.text, "bytes that are folded"));
    data[60] ^= 1;
    scratch_write(path, data, bytes);
    (void)verify(p.store, 0, &f);
    assert_non_null(strstr(f.text, "damaged bytes from here on"));
    memset(data, 'x', bytes); /* with records behind it a head that is lost is damage, no more */
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
    assert_int_equal(
        rc_commit(p.store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, &err),
        RC_ESTORE);
    assert_non_null(strstr(err.text, "the file is damaged"));
    assert_int_equal(rc_archive(p.store, copy.store, &all, NULL, &err), RC_ESTORE);
    data[n - 200] ^= 1;
    scratch_write(p.store, data, n); /* the journal was kept */
    assert_int_equal(
        rc_commit(p.store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, &err), RC_OK);
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
