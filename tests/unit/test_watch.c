/* The store of a running sweep: who took it away or put its successor there is told apart, what a run has in it
 * is counted, and the end of a run compares, and saves what was taken away. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_fixture.h"
#include "store_place.h"

#include "store/watch.h"
#include "sweep/landing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A journal of a run with so many results of one matrix, folded into the store. */
static void add_run(const place_t *p, int run, int results)
{
    static const char *const policies[] = {"csr", "lpt", "warp", "cta"};
    rc_journal_t *j = open_journal(p, run, 0);
    add_source(j, run, RC_CASE_OK, "");
    for (int i = 0; i < results; i++) {
        rc_case_t c = make_case(run, policies[i], 8);
        add_result(j, &c, RC_CASE_OK, 1000 + i);
    }
    add_end(j, RC_RUN_COMPLETE);
    rc_journal_close(j);
    fold(p);
}

static rc_watch_t *watch(const char *path, int64_t results)
{
    rc_watch_t *w = NULL;
    rc_err_t err = {0};
    rc_status_t st = rc_watch_open(path, results, &w, &err);
    if (st < 0)
        print_message("%s\n", err.text);
    assert_int_equal(st, RC_OK);
    return w;
}

static void has(const rc_watch_t *w, int run, int64_t results, int64_t sources)
{
    rc_rec_run_t r = make_run(run, 0);
    int64_t found[2] = {-1, -1};
    rc_err_t err = {0};
    assert_int_equal(rc_watch_count(w, r.uuid, &found[0], &found[1], &err), RC_OK);
    assert_int_equal(found[0], results);
    assert_int_equal(found[1], sources);
}

static void refused(rc_watch_t *w, const char *word)
{
    rc_err_t err = {0};
    assert_int_equal(rc_watch_check(w, &err), RC_EIO);
    if (!strstr(err.text, word))
        fail_msg("expected '%s' in '%s'", word, err.text);
}

static void same_bytes(const char *a, const char *b)
{
    size_t n;
    size_t m;
    unsigned char *x = slurp(a, &n);
    unsigned char *y = slurp(b, &m);
    assert_int_equal(n, m);
    assert_memory_equal(x, y, n);
    free(x);
    free(y);
}

static void a_successor_is_followed(void **state)
{
    place_t p = make_place(state, "follow");
    rc_watch_t *w = watch(p.store, 0); /* it need not be there yet */
    assert_int_equal(rc_watch_check(w, NULL), RC_OK);
    has(w, 1, 0, 0);
    add_run(&p, 1, 3);
    assert_int_equal(rc_watch_check(w, NULL), RC_OK);
    has(w, 1, 3, 1);
    has(w, 2, 0, 0);
    add_run(&p, 2, 2);
    assert_int_equal(rc_watch_check(w, NULL), RC_OK);
    has(w, 1, 3, 1);
    has(w, 2, 2, 1);
    rc_watch_close(w);
    /* what was there before is not counted again */
    w = watch(p.store, 5);
    has(w, 1, 0, 1);
    rc_watch_close(w);
}

static void what_is_no_successor_is_refused(void **state)
{
    place_t p = make_place(state, "other");
    place_t q = make_place(state, "foreign");
    char older[SCRATCH_PATH];
    size_t n;
    scratch_path(state, "older.h5", older);
    add_run(&p, 1, 2);
    unsigned char *bytes = slurp(p.store, &n);
    scratch_write(older, (const char *)bytes, n);
    free(bytes);
    add_run(&p, 2, 2);
    add_run(&q, 3, 4); /* as many results, of another run */
    rc_watch_t *w = watch(p.store, 4);
    assert_int_equal(rename(older, p.store), 0);
    refused(w, "was replaced while it was in use: expected its 2 runs and 4 results");
    assert_int_equal(rename(q.store, p.store), 0);
    refused(w, "was replaced while it was in use");
    rc_watch_close(w);
    rc_err_t err = {0};
    assert_int_equal(rc_watch_open(p.store, 5, &w, &err), RC_EIO);
}

static void what_was_removed_can_be_saved(void **state)
{
    place_t p = make_place(state, "gone");
    char copy[SCRATCH_PATH];
    char to[SCRATCH_PATH];
    int saved = -1;
    rc_err_t err = {0};
    scratch_path(state, "copy.h5", copy);
    scratch_path(state, "saved.h5", to);
    add_run(&p, 1, 2);
    rc_watch_t *w = watch(p.store, 2);
    assert_int_equal(rc_watch_save(w, to, &saved, &err), RC_OK);
    assert_int_equal(saved, 0); /* it is there */
    assert_int_not_equal(access(to, F_OK), 0);
    assert_int_equal(link(p.store, copy), 0);
    assert_int_equal(unlink(p.store), 0);
    refused(w, "was removed or moved away");
    assert_int_equal(rc_watch_save(w, to, &saved, &err), RC_OK);
    assert_int_equal(saved, 1);
    same_bytes(copy, to);
    assert_int_equal(rc_watch_save(w, to, &saved, &err), RC_EIO); /* never over another file */
    assert_int_equal(saved, 0);
    rc_watch_close(w);
}

/* A landing of run number 1 alone, without MPI. */
static rc_landing_t landing_of(
    const place_t *p, const rc_session_t *alone, const char *uuid, rc_journal_t *j, rc_watch_t *w)
{
    return (rc_landing_t){.s = alone, .store = p->store, .uuid = uuid, .journal = j, .watch = w};
}

static void the_end_compares_what_was_finished_with_what_landed(void **state)
{
    place_t p = make_place(state, "compare");
    const rc_session_t alone = {.comm = MPI_COMM_NULL, .node = MPI_COMM_NULL, .size = 1, .node_size = 1};
    rc_rec_run_t run = make_run(1, 0);
    rc_err_t err = {0};
    rc_watch_t *w = watch(p.store, 0);
    add_run(&p, 1, 3);
    rc_landing_t l = landing_of(&p, &alone, run.uuid, NULL, w);
    rc_sweep_result_t r = {0};
    r.now.measured[RC_CASE_OK] = 2;
    r.now.measured[RC_CASE_WRONG] = 1;
    r.now.named = 1;
    assert_int_equal(rc_landing_compare(&l, &r, &err), RC_OK);
    r.now.measured[RC_CASE_SKIPPED] = 1;
    assert_int_equal(rc_landing_compare(&l, &r, &err), RC_EIO);
    assert_non_null(strstr(err.text, "expected the 4 cases and 1 catalogue rows that this run finished, found 3 and 1"));
    r.now.measured[RC_CASE_SKIPPED] = 0;
    r.now.named = 2;
    assert_int_equal(rc_landing_compare(&l, &r, &err), RC_EIO);
    r.now.named = 1;
    assert_int_equal(unlink(p.store), 0);
    assert_int_equal(rc_landing_compare(&l, &r, &err), RC_EIO);
    assert_non_null(strstr(err.text, "was removed"));
    rc_watch_close(w);
}

static void the_end_is_written_and_missing_files_are_told(void **state)
{
    place_t p = make_place(state, "end");
    const rc_session_t alone = {.comm = MPI_COMM_NULL, .node = MPI_COMM_NULL, .size = 1, .node_size = 1};
    rc_rec_run_t run = make_run(1, 0);
    rc_case_t c = make_case(1, "csr", 8);
    char path[2 * SCRATCH_PATH];
    rc_err_t err = {0};
    rc_journal_t *j = open_journal(&p, 1, 0);
    add_source(j, 1, RC_CASE_OK, "");
    add_result(j, &c, RC_CASE_OK, 1000);
    rc_landing_t l = landing_of(&p, &alone, run.uuid, j, NULL);
    assert_int_equal(rc_landing_end(&l, RC_RUN_DRAINED, &err), RC_OK);
    fold(&p); /* the lock was given back */
    rc_journal_close(j);
    rc_view_t *v = view(&p);
    assert_int_equal(rc_view_run(v, 0)->state, RC_RUN_DRAINED);
    rc_view_free(v);

    run = make_run(2, 0);
    j = open_journal(&p, 2, 0);
    add_result(j, &c, RC_CASE_OK, 900);
    snprintf(path, sizeof path, "%s/%s.00000.rcj", p.journals, run.uuid);
    assert_int_equal(unlink(path), 0);
    l = landing_of(&p, &alone, run.uuid, j, NULL);
    assert_int_equal(rc_landing_end(&l, RC_RUN_COMPLETE, &err), RC_EIO);
    assert_non_null(strstr(err.text, ".rcj"));
    rc_journal_close(j);
}

static void what_was_taken_away_is_saved_under_a_new_name(void **state)
{
    place_t p = make_place(state, "rescue");
    const rc_session_t alone = {.comm = MPI_COMM_NULL, .node = MPI_COMM_NULL, .size = 1, .node_size = 1};
    rc_rec_run_t run = make_run(2, 0);
    rc_case_t c = make_case(2, "csr", 8);
    char path[2 * SCRATCH_PATH];
    place_t q;
    add_run(&p, 1, 3);
    rc_watch_t *w = watch(p.store, 3);
    rc_journal_t *j = open_journal(&p, 2, 0);
    add_source(j, 2, RC_CASE_OK, "");
    add_result(j, &c, RC_CASE_OK, 1000);
    snprintf(path, sizeof path, "%s/%s.00000.rcj", p.journals, run.uuid);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(unlink(p.store), 0);
    rc_landing_t l = landing_of(&p, &alone, run.uuid, j, w);
    rc_landing_save(&l);
    rc_journal_close(j);
    rc_watch_close(w);
    snprintf(path, sizeof path, "rescue.h5.rescued-%s", run.uuid);
    q = make_place(state, path);
    q.store[strlen(q.store) - 3] = '\0'; /* "BASE", not "BASE.h5" */
    snprintf(path, sizeof path, "%s.journal", q.store);
    assert_int_equal(access(path, F_OK), 0);
    snprintf(q.fresh, sizeof q.fresh, "%s.commit-tmp", q.store);
    fold(&q);
    rc_view_t *v = view(&q);
    assert_int_equal(rc_view_count(v), 4);
    assert_int_equal(rc_view_runs(v), 2);
    rc_view_free(v);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_successor_is_followed),
        cmocka_unit_test(what_is_no_successor_is_refused),
        cmocka_unit_test(what_was_removed_can_be_saved),
        cmocka_unit_test(the_end_compares_what_was_finished_with_what_landed),
        cmocka_unit_test(the_end_is_written_and_missing_files_are_told),
        cmocka_unit_test(what_was_taken_away_is_saved_under_a_new_name),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("watch", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
