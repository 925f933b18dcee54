/* Commit rounds: folding is idempotent, refuses what it must not touch, and keeps account of cases
 * that were in flight when a run died. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_fixture.h"
#include "store_place.h"

#include "store/commit.h"
#include "store/h5.h"
#include "store/scan.h"
#include "table/view.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* Newest row of a case, -1 none. */
static int64_t find(const rc_view_t *v, const rc_case_t *c)
{
    for (int64_t i = 0; i < rc_view_count(v); i++)
        if (rc_view_is_newest(v, i) &&
            memcmp(rc_view_result(v, i)->case_id, rc_digest_hex(rc_case_id(c)).text, 32) == 0)
            return i;
    return -1;
}

static int field_of(const char *name)
{
    for (int i = 0; i < rc_view_fields.count; i++)
        if (strcmp(rc_view_fields.field[i].name, name) == 0)
            return i;
    fail_msg("no field %s", name);
    return -1;
}

static double real_of(const rc_view_t *v, int64_t i, const char *field)
{
    rc_cursor_t c;
    rc_value_t value;
    rc_view_seek(v, i, &c);
    rc_view_get(&c, field_of(field), &value);
    assert_int_equal(value.kind, RC_VALUE_REAL);
    return value.r;
}

/* Two dead journals: a matrix each, csr and lpt, one of them unfinished. */
static void write_run(const place_t *p, int run)
{
    for (int rank = 0; rank < 2; rank++) {
        rc_journal_t *j = open_journal(p, run, rank);
        rc_case_t a = make_case(rank, "csr", 8);
        rc_case_t b = make_case(rank, "lpt", 8);
        add_begin_source(j, rank, RC_PHASE_LOAD);
        add_source(j, rank, RC_CASE_OK, "");
        add_begin(j, &a, RC_PHASE_TIME);
        add_result(j, &a, RC_CASE_OK, 300 + rank);
        add_begin(j, &b, RC_PHASE_TIME);
        if (rank == 0)
            add_result(j, &b, RC_CASE_OK, 200);
        rc_journal_close(j);
    }
}

static int64_t sum_of(const char *path)
{
    size_t n;
    unsigned char *data = slurp(path, &n);
    uint64_t sum = rc_digest(data, n).lo;
    free(data);
    return (int64_t)sum;
}

static void folding_twice_adds_nothing_twice(void **state)
{
    place_t p = make_place(state, "twice");
    char kept[SCRATCH_PATH];
    scratch_path(state, "twice.kept", kept);
    write_run(&p, 1);
    copy_folder(p.journals, kept);
    rc_commit_info_t info = fold(&p);
    assert_int_equal(info.results, 3);
    assert_int_equal(info.total_results, 3);
    assert_int_equal(info.journals, 2);
    assert_int_equal(info.changed, 1);
    assert_int_not_equal(access(p.journals, F_OK), 0);
    int64_t sum = sum_of(p.store);

    info = fold(&p);
    assert_int_equal(info.changed, 0);
    assert_int_equal(info.total_results, 3);
    assert_int_equal(sum_of(p.store), sum);

    /* killed after the rename, before the journals were removed */
    copy_folder(kept, p.journals);
    info = fold(&p);
    assert_int_equal(info.changed, 0);
    assert_int_equal(info.results, 0);
    assert_int_equal(info.total_results, 3);
    assert_int_equal(sum_of(p.store), sum);
    assert_int_not_equal(access(p.journals, F_OK), 0);

    /* the same, with a newer run beside them */
    copy_folder(kept, p.journals);
    rc_journal_t *j = open_journal(&p, 2, 0);
    rc_case_t c = make_case(1, "lpt", 8);
    add_result(j, &c, RC_CASE_OK, 150);
    add_end(j, RC_RUN_COMPLETE);
    rc_journal_close(j);
    info = fold(&p);
    assert_int_equal(info.results, 1);
    assert_int_equal(info.total_results, 4);
    rc_view_t *v = view(&p);
    assert_int_equal(rc_view_count(v), 4);
    assert_int_equal(rc_view_runs(v), 2);
    assert_int_equal(rc_view_run(v, 1)->state, RC_RUN_COMPLETE);
    assert_int_equal(rc_view_sources(v), 2);
    assert_int_equal(rc_view_inflights(v), 1);
    rc_view_free(v);
}

static void a_left_over_copy_is_replaced(void **state)
{
    place_t p = make_place(state, "leftover");
    static char junk[1 << 20];
    memset(junk, 'x', sizeof junk);
    write_run(&p, 1);
    scratch_write(p.fresh, junk, sizeof junk);
    assert_int_equal(fold(&p).total_results, 3);
    rc_journal_t *j = open_journal(&p, 2, 0);
    rc_case_t c = make_case(1, "lpt", 8);
    add_result(j, &c, RC_CASE_OK, 150);
    rc_journal_close(j);
    scratch_write(p.fresh, junk, sizeof junk);
    assert_int_equal(fold(&p).total_results, 4);
    rc_view_t *v = view(&p);
    assert_int_equal(rc_view_count(v), 4);
    rc_view_free(v);
}

/* A commit that must fail: the status, a word of the text, and nothing is changed. */
static void refused(const place_t *p, rc_status_t status, const char *word)
{
    rc_commit_info_t info;
    rc_err_t err = {0};
    char **names;
    int64_t before;
    int64_t after;
    int64_t sum = access(p->store, R_OK) == 0 ? sum_of(p->store) : 0;
    assert_int_equal(rc_journal_list(p->journals, &names, &before, NULL), RC_OK);
    rc_journal_names_free(names, before);
    rc_status_t st =
        rc_commit(p->store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, &err);
    if (!strstr(err.text, word))
        print_message("%s\n", err.text);
    assert_int_equal(st, status);
    assert_int_equal(err.status, status);
    assert_non_null(strstr(err.text, word));
    assert_null(strchr(err.text, '\n'));
    assert_int_equal(access(p->store, R_OK) == 0 ? sum_of(p->store) : 0, sum);
    assert_int_not_equal(access(p->fresh, F_OK), 0);
    assert_int_equal(rc_journal_list(p->journals, &names, &after, NULL), RC_OK);
    rc_journal_names_free(names, after);
    assert_int_equal(after, before);
}

static void set_major(const char *path, int32_t major)
{
    hid_t f = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t a = H5Aopen(f, "schema_major", H5P_DEFAULT);
    assert_true(H5Awrite(a, H5T_NATIVE_INT32, &major) >= 0);
    H5Aclose(a);
    H5Fclose(f);
}

static void foreign_files_are_left_alone(void **state)
{
    place_t p = make_place(state, "foreign");
    rc_view_t *v;
    rc_err_t err = {0};
    write_run(&p, 1);
    scratch_write(p.store, "not HDF5 at all", 15);
    refused(&p, RC_ESTORE, "foreign.h5");
    assert_int_equal(rc_view_read(p.store, &v, &err), RC_ESTORE);
    scratch_write(p.store, "", 0);
    refused(&p, RC_ESTORE, "foreign.h5");

    unlink(p.store);
    hid_t f = H5Fcreate(p.store, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(f >= 0);
    H5Fclose(f);
    refused(&p, RC_ESTORE, "expected a rowcast store");
    assert_int_equal(rc_view_read(p.store, &v, &err), RC_ESTORE);

    unlink(p.store);
    assert_int_equal(fold(&p).total_results, 3);
    write_run(&p, 2);
    size_t n;
    unsigned char *data = slurp(p.store, &n);
    set_major(p.store, RC_SCHEMA_MAJOR + 1);
    refused(&p, RC_ESTORE, "schema version");
    assert_int_equal(rc_view_read(p.store, &v, &err), RC_ESTORE);
    set_major(p.store, RC_SCHEMA_MAJOR); /* as it was, but another program wrote it */
    refused(&p, RC_ESTORE, "has no seal");

    /* half of a store */
    scratch_write(p.store, data, n / 2);
    refused(&p, RC_ESTORE, "foreign.h5");
    scratch_write(p.store, data, n);
    free(data);
    /* three of each run; what was in flight in both is a suspect still */
    assert_int_equal(fold(&p).total_results, 6);
    assert_int_equal(rc_view_read("/nowhere/none.h5", &v, &err), RC_ENOENT);
}

static void a_store_that_is_protected_stays_as_it_is(void **state)
{
    place_t p = make_place(state, "protected");
    struct stat s;
    write_run(&p, 1);
    fold(&p);
    assert_int_equal(chmod(p.store, 0440), 0);
    write_run(&p, 2);
    refused(&p, RC_EIO, "write-protected");
    assert_int_equal(chmod(p.store, 0660), 0);
    fold(&p);
    assert_int_equal(stat(p.store, &s), 0);
    assert_int_equal(s.st_mode & 07777, 0660);
}

static void a_link_is_followed(void **state)
{
    place_t p = make_place(state, "link");
    place_t real = make_place(state, "real");
    struct stat s;
    write_run(&real, 1);
    fold(&real);
    assert_int_equal(symlink(real.store, p.store), 0);
    write_run(&p, 2);
    assert_int_equal(fold(&p).total_results, 6);
    assert_int_equal(lstat(p.store, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    rc_view_t *v = view(&real);
    assert_int_equal(rc_view_count(v), 6);
    rc_view_free(v);
}

static void a_folder_that_cannot_be_written_is_an_error(void **state)
{
    place_t p = make_place(state, "none/x");
    rc_commit_info_t info;
    rc_err_t err = {0};
    assert_int_equal(
        rc_commit(p.store, MPI_COMM_WORLD, &(rc_commit_options_t){.create = 1}, NULL, &info, &err),
        RC_EIO);
    assert_non_null(strstr(err.text, "cannot make the folder"));
    if (geteuid() != 0)
        skip();
    /* root may write anywhere: be somebody else for a moment */
    place_t q = make_place(state, "q");
    assert_int_equal(chmod(*state, 0755), 0);
    write_run(&q, 1);
    assert_int_equal(seteuid(65534), 0);
    rc_status_t st =
        rc_commit(q.store, MPI_COMM_WORLD, &(rc_commit_options_t){.create = 1}, NULL, &info, &err);
    assert_int_equal(seteuid(0), 0);
    assert_int_equal(st, RC_EIO);
    assert_non_null(strstr(err.text, "Permission denied"));
}

static void folding_waits_for_another_one(void **state)
{
    place_t p = make_place(state, "locked");
    char lock[2 * SCRATCH_PATH];
    write_run(&p, 1);
    snprintf(lock, sizeof lock, "%s/commit.lock", p.journals);
    scratch_write(lock, "process 1 on there since then\n", 30);
    int fd = open(lock, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    refused(&p, RC_EBUSY, "held by process 1 on there since then");
    close(fd);
    assert_int_equal(fold(&p).total_results, 3);
}

/* ---------------------------------------------------------------- live, damaged */

static void a_live_journal_is_folded_as_far_as_it_is(void **state)
{
    place_t p = make_place(state, "live");
    rc_journal_t *j = open_journal(&p, 1, 0);
    rc_case_t a = make_case(1, "csr", 8);
    rc_case_t b = make_case(1, "lpt", 8);
    add_source(j, 1, RC_CASE_OK, "");
    add_result(j, &a, RC_CASE_OK, 10);
    add_begin(j, &b, RC_PHASE_TIME);
    assert_int_equal(fold(&p).results, 1);
    assert_int_equal(fold(&p).changed, 0);
    assert_int_equal(access(p.journals, F_OK), 0);
    rc_view_t *v = view(&p);
    assert_int_equal(rc_view_inflights(v), 0); /* its writer lives */
    rc_view_free(v);
    add_result(j, &b, RC_CASE_OK, 5);
    assert_int_equal(fold(&p).results, 1);
    add_end(j, RC_RUN_COMPLETE);
    rc_journal_close(j);
    rc_commit_info_t info = fold(&p);
    assert_int_equal(info.results, 0);
    assert_int_equal(info.total_results, 2);
    assert_int_not_equal(access(p.journals, F_OK), 0);
    v = view(&p);
    assert_int_equal(rc_view_runs(v), 1);
    assert_int_equal(rc_view_run(v, 0)->state, RC_RUN_COMPLETE);
    assert_true(rc_view_speedup(v, find(v, &b)) == 2);
    rc_view_free(v);
}

/* One byte of each record of rank 0's journal in turn: the rest of it and the other are kept. */
static void damaged_journals_give_what_is_whole(void **state)
{
    place_t p = make_place(state, "whole");
    rc_journal_view_t *jv;
    rc_record_t r;
    char path[2 * SCRATCH_PATH];
    int64_t begin[16];
    int64_t bytes[16];
    rc_rec_type_t type[16] = {0};
    int n = 0;
    write_run(&p, 1);
    snprintf(path, sizeof path, "%s/%s.00000.rcj", p.journals, make_run(1, 0).uuid);
    assert_int_equal(rc_journal_open(path, 0, &jv, NULL), RC_OK);
    while (rc_journal_next(jv, &r)) {
        type[n] = r.type;
        bytes[n] = 24 + (int64_t)((r.len + 7) / 8 * 8);
        begin[n] = r.end - bytes[n];
        n++;
    }
    rc_journal_view_close(jv);
    assert_int_equal(n, 7);
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "hit%d", i);
        place_t q = make_place(state, name);
        copy_folder(p.journals, q.journals);
        snprintf(path, sizeof path, "%s/%s.00000.rcj", q.journals, make_run(1, 0).uuid);
        int fd = open(path, O_RDWR);
        assert_true(fd >= 0);
        unsigned char byte;
        assert_int_equal(pread(fd, &byte, 1, begin[i] + 26), 1);
        byte ^= 0x40;
        assert_int_equal(pwrite(fd, &byte, 1, begin[i] + 26), 1);
        close(fd);
        rc_commit_info_t info = fold(&q);
        assert_int_equal(info.results, type[i] == RC_REC_RESULT ? 2 : 3);
        assert_int_equal(info.damaged_bytes, bytes[i]);
        rc_view_t *v = view(&q);
        assert_int_equal(rc_view_runs(v), 1);
        assert_int_equal(rc_view_run(v, 0)->ranks, 2);
        for (int64_t k = 0; k < rc_view_count(v); k++) {
            const rc_row_result_t *row = rc_view_result(v, k);
            double expected = strcmp(rc_view_policy(v, row->policy), "lpt") == 0 ? 200
                              : row->rank == 0                                   ? 300
                                                                                 : 301;
            assert_true(row->median_ns == expected);
        }
        rc_view_free(v);
    }
}

/* A file system that lost the first block of a journal: the file's name says whose records the
 * others are. */
static void a_journal_without_its_head_is_folded(void **state)
{
    place_t p = make_place(state, "headless");
    char path[2 * SCRATCH_PATH];
    char zeros[64] = "";
    write_run(&p, 1);
    snprintf(path, sizeof path, "%s/%s.00000.rcj", p.journals, make_run(1, 0).uuid);
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, zeros, sizeof zeros, 0), sizeof zeros);
    close(fd);
    rc_commit_info_t info = fold(&p);
    assert_int_equal(info.results, 3);
    assert_true(info.damaged_bytes >= (int64_t)sizeof zeros);
    rc_view_t *v = view(&p);
    assert_int_equal(rc_view_runs(v), 1);
    for (int64_t k = 0; k < rc_view_count(v); k++)
        assert_int_equal(rc_view_result(v, k)->rank, rc_view_result(v, k)->median_ns == 301);
    rc_view_free(v);
}

/* ------------------------------------------------------------------------ views */

static void the_newest_row_wins(void **state)
{
    place_t p = make_place(state, "newest");
    rc_case_t a = make_case(1, "csr", 8);
    rc_case_t b = make_case(1, "lpt", 8);
    for (int run = 1; run <= 3; run++) {
        rc_journal_t *j = open_journal(&p, run, 0);
        add_source(j, 1, RC_CASE_OK, "");
        add_result(j, &a, RC_CASE_OK, 100.0 * run);
        if (run < 3)
            add_result(j, &b, run == 1 ? RC_CASE_OK : RC_CASE_FAILED, 50);
        rc_journal_close(j);
        if (run != 1)
            fold(&p);
    }
    rc_view_t *v = view(&p);
    assert_int_equal(rc_view_count(v), 5);
    int64_t i = find(v, &a);
    assert_true(rc_view_result(v, i)->median_ns == 300);
    assert_int_equal(rc_view_result(v, find(v, &b))->status, RC_CASE_FAILED);
    assert_true(isnan(rc_view_speedup(v, find(v, &b))));
    int newest = 0;
    for (int64_t k = 0; k < rc_view_count(v); k++)
        newest += rc_view_is_newest(v, k);
    assert_int_equal(newest, 2);
    rc_view_free(v);
}

static void speedup_and_breakeven_are_what_they_say(void **state)
{
    place_t p = make_place(state, "numbers");
    rc_journal_t *j = open_journal(&p, 1, 0);
    rc_case_t csr = make_case(1, "csr", 8);
    rc_case_t fast = make_case(1, "lpt", 8);
    rc_case_t slow = make_case(1, "cta", 8);
    rc_case_t other_k = make_case(1, "lpt", 9);
    rc_case_t wrong = make_case(1, "warp", 8);
    add_source(j, 1, RC_CASE_OK, "");
    add_result(j, &fast, RC_CASE_OK, 80);
    add_result(j, &csr, RC_CASE_OK, 100);
    add_result(j, &slow, RC_CASE_OK, 125);
    add_result(j, &other_k, RC_CASE_OK, 10);
    add_result(j, &wrong, RC_CASE_WRONG, 10);
    rc_journal_close(j);
    fold(&p);
    rc_view_t *v = view(&p);
    assert_true(rc_view_speedup(v, find(v, &csr)) == 1);
    assert_true(rc_view_speedup(v, find(v, &fast)) == 1.25);
    assert_true(rc_view_speedup(v, find(v, &slow)) == 0.8);
    assert_true(isnan(rc_view_speedup(v, find(v, &other_k))));
    assert_true(isnan(rc_view_speedup(v, find(v, &wrong))));
    /* 1000 ns of ordering, 20 ns won by each product */
    assert_true(real_of(v, find(v, &fast), "breakeven") == 50);
    assert_true(isnan(real_of(v, find(v, &slow), "breakeven")));
    assert_true(isnan(real_of(v, find(v, &other_k), "breakeven")));
    /* 20 entries, K = 8: 320 operations in 80 ns */
    assert_true(real_of(v, find(v, &fast), "gflops") == 4);
    rc_view_free(v);
}

static void samples_belong_to_their_rows(void **state)
{
    place_t p = make_place(state, "samples");
    rc_h5_t h;
    for (int run = 1; run <= 2; run++) {
        write_run(&p, run);
        fold(&p);
    }
    rc_view_t *v = view(&p);
    assert_int_equal(rc_h5_open(p.store, 0, &h, NULL), RC_OK);
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        int64_t ns[3];
        if (r->status == RC_CASE_CRASHED) {
            assert_int_equal(r->reps, 0);
            assert_int_equal(r->sample_offset, -1);
            continue;
        }
        assert_int_equal(r->reps, 3);
        assert_int_equal(
            rc_h5_read_rows(&h, &rc_schema_samples, r->sample_offset, r->reps, ns, NULL), RC_OK);
        for (int k = 0; k < 3; k++)
            assert_int_equal(ns[k], (int64_t)r->median_ns);
    }
    rc_h5_close(&h, NULL);
    rc_view_free(v);
}

/* A sweep of a thousand ranks leaves more journals than the usual soft limit of open files. */
static void more_journals_than_files_may_be_open(void **state)
{
    enum { journals = 90, files = 40 };
    struct rlimit before;
    place_t p = make_place(state, "many");
    rc_commit_info_t info;
    rc_err_t err = {0};
    for (int rank = 0; rank < journals; rank++) {
        rc_journal_t *j = open_journal(&p, 1, rank);
        rc_case_t c = make_case(rank, "csr", 8);
        add_source(j, rank, RC_CASE_OK, "");
        add_result(j, &c, RC_CASE_OK, 300);
        rc_journal_close(j);
    }
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    struct rlimit few = {files, before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    rc_status_t st =
        rc_commit(p.store, MPI_COMM_WORLD, &(rc_commit_options_t){.create = 1}, NULL, &info, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_string_equal(err.text, "");
    assert_int_equal(st, RC_OK);
    assert_int_equal(info.results, journals);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folding_twice_adds_nothing_twice),
        cmocka_unit_test(a_left_over_copy_is_replaced),
        cmocka_unit_test(foreign_files_are_left_alone),
        cmocka_unit_test(a_store_that_is_protected_stays_as_it_is),
        cmocka_unit_test(a_link_is_followed),
        cmocka_unit_test(a_folder_that_cannot_be_written_is_an_error),
        cmocka_unit_test(folding_waits_for_another_one),
        cmocka_unit_test(a_live_journal_is_folded_as_far_as_it_is),
        cmocka_unit_test(damaged_journals_give_what_is_whole),
        cmocka_unit_test(a_journal_without_its_head_is_folded),
        cmocka_unit_test(the_newest_row_wins),
        cmocka_unit_test(speedup_and_breakeven_are_what_they_say),
        cmocka_unit_test(samples_belong_to_their_rows),
        cmocka_unit_test(more_journals_than_files_may_be_open),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("store", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
