/* What was in hand when a run died: which case or matrix is to blame, and which is not. */
#include "config.h"
#include "unit.h"
#include "failing_alloc.h"
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
#include <sys/stat.h>
#include <unistd.h>

/* A run that dies with the csr case of matrix 5 in flight. */
static void die_with(const place_t *p, int run, const rc_case_t *c, int signal_number)
{
    rc_journal_t *j = open_journal(p, run, 0);
    add_source(j, 5, RC_CASE_OK, "");
    add_begin(j, c, RC_PHASE_PREPARE);
    add_begin(j, c, RC_PHASE_VERIFY);
    if (signal_number)
        rc_journal_died(j, signal_number);
    rc_journal_close(j);
}

static void two_dead_runs_make_a_crashed_case(void **state)
{
    place_t p = make_place(state, "crash");
    char kept[SCRATCH_PATH];
    rc_case_t c = make_case(5, "csr", 8);
    scratch_path(state, "crash.kept", kept);
    die_with(&p, 1, &c, 6);
    copy_folder(p.journals, kept);
    rc_commit_info_t info = fold(&p);
    assert_int_equal(info.results, 0);
    assert_int_equal(info.crashed, 0);
    rc_view_t *v = view(&p);
    assert_int_equal(rc_view_count(v), 0);
    assert_int_equal(rc_view_inflights(v), 1);
    rc_view_free(v);

    /* the same journal again is the same run */
    copy_folder(kept, p.journals);
    assert_int_equal(fold(&p).crashed, 0);

    die_with(&p, 2, &c, 11);
    info = fold(&p);
    assert_int_equal(info.crashed, 1);
    assert_int_equal(info.total_results, 1);
    v = view(&p);
    assert_int_equal(rc_view_count(v), 1);
    const rc_row_result_t *r = rc_view_result(v, 0);
    assert_int_equal(r->status, RC_CASE_CRASHED);
    assert_int_equal(r->phase, RC_PHASE_VERIFY);
    assert_int_equal(r->run, 1);
    assert_string_equal(rc_view_message(v, r->message),
        "in flight in 2 runs that died, last by signal 11, last in phase verify");
    assert_int_equal(rc_view_sources(v), 1);
    rc_source_row_t s;
    rc_view_source(v, 0, &s);
    assert_string_equal(s.status, "ok");
    assert_int_equal(s.cases[RC_CASE_CRASHED], 1);
    rc_view_free(v);

    /* a redo counts afresh */
    die_with(&p, 3, &c, 11);
    assert_int_equal(fold(&p).crashed, 0);
    rc_journal_t *j = open_journal(&p, 4, 0);
    add_begin(j, &c, RC_PHASE_TIME);
    add_result(j, &c, RC_CASE_OK, 70);
    rc_journal_close(j);
    assert_int_equal(fold(&p).crashed, 0);
    die_with(&p, 5, &c, 11);
    assert_int_equal(fold(&p).crashed, 0);
    die_with(&p, 6, &c, 11);
    assert_int_equal(fold(&p).crashed, 1);
    v = view(&p);
    assert_int_equal(rc_view_count(v), 3);
    rc_view_free(v);
}

/* A kill leaves no word: two do not condemn a case, nor does one beside a death of its own. */
static void kills_do_not_make_a_crashed_case_until_the_fourth(void **state)
{
    place_t p = make_place(state, "kills");
    rc_case_t c = make_case(5, "csr", 8);
    for (int run = 1; run <= 4; run++) {
        die_with(&p, run, &c, run == 2 ? 11 : 0);
        rc_commit_info_t info = fold(&p);
        assert_int_equal(info.crashed, run == 4);
        assert_int_equal(info.suspects, run < 4);
    }
    rc_view_t *v = view(&p);
    assert_string_equal(rc_view_message(v, rc_view_result(v, 0)->message),
        "in flight in 4 runs that died, last without a word (killed, or out of memory), last in "
        "phase verify");
    rc_view_free(v);
}

/* A rank that was asked to end and is killed since: that says nothing of its case.  One that dies of
 * its own signal meanwhile is to blame. */
static void who_is_killed_after_being_asked_to_end_is_spared(void **state)
{
    for (int own = 0; own < 2; own++) {
        place_t p = make_place(state, own ? "asked.own" : "asked");
        rc_case_t c = make_case(5, "csr", 8);
        for (int run = 1; run <= 6; run++) {
            rc_journal_t *j = open_journal(&p, run, 0);
            add_source(j, 5, RC_CASE_OK, "");
            add_begin(j, &c, RC_PHASE_TIME);
            rc_journal_asked(j, 15);
            add_begin_of(j, 9, &c, RC_PHASE_TIME); /* the journal goes on behind the word */
            if (own)
                rc_journal_died(j, 11);
            rc_journal_close(j);
            rc_commit_info_t info = fold(&p);
            assert_int_equal(info.crashed, own && run % 2 == 0);
            assert_int_equal(info.suspects, own && run % 2 == 1);
        }
    }
}

static void journals_of_several_runs_make_one_crashed_row(void **state)
{
    place_t p = make_place(state, "several");
    rc_case_t c = make_case(5, "csr", 8);
    for (int run = 1; run <= 4; run++)
        die_with(&p, run, &c, 0);
    rc_commit_info_t info = fold(&p);
    assert_int_equal(info.crashed, 1);
    assert_int_equal(info.total_results, 1);
    rc_view_t *v = view(&p);
    assert_int_equal(rc_view_inflights(v), 4);
    rc_view_free(v);

    /* a row between two deaths in the same fold */
    place_t q = make_place(state, "between");
    die_with(&q, 1, &c, 0);
    rc_journal_t *j = open_journal(&q, 2, 0);
    add_result(j, &c, RC_CASE_OK, 70);
    rc_journal_close(j);
    die_with(&q, 3, &c, 0);
    info = fold(&q);
    assert_int_equal(info.crashed, 0);
    assert_int_equal(info.total_results, 1);
}

/* One rank of a run dies of a signal, the launcher kills the others: they are not to blame. */
static void ranks_that_are_killed_with_another_are_spared(void **state)
{
    for (int signal_number = 0; signal_number <= 11; signal_number += 11) {
        place_t p = make_place(state, signal_number ? "guilty" : "unknown");
        for (int run = 1; run <= 2; run++) {
            for (int rank = 0; rank < 3; rank++) {
                rc_journal_t *j = open_journal(&p, run, rank);
                rc_case_t c = make_case(rank, "csr", 8);
                add_source(j, rank, RC_CASE_OK, "");
                add_begin(j, &c, RC_PHASE_TIME);
                if (rank == 1 && signal_number) /* without a word all are suspects */
                    rc_journal_died(j, signal_number);
                rc_journal_close(j);
            }
            assert_int_equal(fold(&p).crashed, run == 2 && signal_number != 0);
        }
    }
}

static void settled_and_finished_cases_are_not_in_flight(void **state)
{
    place_t p = make_place(state, "settled");
    rc_case_t a = make_case(1, "csr", 8);
    rc_case_t b = make_case(1, "lpt", 8);
    rc_case_t c = make_case(1, "cta", 8);
    rc_journal_t *j = open_journal(&p, 1, 0);
    add_begin_source(j, 1, RC_PHASE_LOAD);
    add_begin(j, &a, RC_PHASE_ORDER); /* ends loading */
    add_begin(j, &b, RC_PHASE_ORDER); /* ends ordering a */
    add_begin(j, &a, RC_PHASE_PREPARE);
    add_begin(j, &b, RC_PHASE_PREPARE);
    add_result(j, &a, RC_CASE_OK, 10);
    rc_journal_close(j); /* b */
    j = open_journal(&p, 1, 1);
    add_begin(j, &c, RC_PHASE_PREPARE);
    add_settled(j);
    rc_journal_close(j); /* none */
    j = open_journal(&p, 1, 2);
    add_begin(j, &c, RC_PHASE_PREPARE);
    add_end(j, RC_RUN_DRAINED);
    rc_journal_close(j); /* none */
    fold(&p);
    rc_view_t *v = view(&p);
    char hex[33];
    char expected[33];
    assert_int_equal(rc_view_inflights(v), 1);
    rc_view_inflight_id(v, 0, hex);
    memcpy(expected, rc_digest_hex(rc_case_id(&b)).text, RC_DIGEST_HEX + 1);
    assert_string_equal(hex, expected);
    rc_view_free(v);
}

static void matrices_that_kill_the_loader_are_crashed(void **state)
{
    place_t p = make_place(state, "loader");
    /* in flight once, then loaded: that death is forgiven */
    for (int run = 1; run <= 4; run++) {
        rc_journal_t *j = open_journal(&p, run, 0);
        add_begin_source(j, 3, RC_PHASE_LOAD);
        if (run != 2)
            rc_journal_died(j, 11);
        if (run == 2) {
            add_source(j, 3, RC_CASE_OK, "");
            add_settled(j);
            add_end(j, RC_RUN_COMPLETE);
        }
        rc_journal_close(j);
        rc_commit_info_t info = fold(&p);
        assert_int_equal(info.crashed_sources, run == 4);
        assert_int_equal(info.results, 0);
    }
    rc_view_t *v = view(&p);
    rc_source_row_t s;
    assert_int_equal(rc_view_sources(v), 1);
    rc_view_source(v, 0, &s);
    assert_string_equal(s.status, "crashed");
    assert_string_equal(s.phase, "load");
    assert_non_null(strstr(s.message, "in flight in 2 runs that died"));
    rc_view_free(v);

    /* loaded in both runs, and dead while it was featurised */
    place_t q = make_place(state, "featuriser");
    for (int run = 1; run <= 2; run++) {
        rc_journal_t *j = open_journal(&q, run, 0);
        add_begin_source(j, 3, RC_PHASE_LOAD);
        add_source(j, 3, RC_CASE_OK, "");
        add_begin_source(j, 3, RC_PHASE_FEATURE);
        rc_journal_died(j, 11);
        rc_journal_close(j);
        assert_int_equal(fold(&q).crashed_sources, run == 2);
    }
}

/* Exactly these things are in flight in a store. */
static void expect_in_flight(const place_t *p, const rc_digest_t *id, int n)
{
    rc_view_t *v = view(p);
    assert_int_equal(rc_view_inflights(v), n);
    for (int i = 0; i < n; i++) {
        char hex[33];
        int found = 0;
        for (int k = 0; k < n; k++) {
            char expected[33];
            rc_view_inflight_id(v, i, hex);
            memcpy(expected, rc_digest_hex(id[k]).text, RC_DIGEST_HEX + 1);
            found = found || strcmp(hex, expected) == 0;
        }
        assert_true(found);
    }
    rc_view_free(v);
}

static rc_digest_t source_id(int matrix)
{
    char name[64];
    char location[64];
    snprintf(name, sizeof name, "G/m%d", matrix);
    snprintf(location, sizeof location, "/somewhere/G/m%d.mtx", matrix);
    return rc_source_case_id(name, location, 100, 7);
}

/* Three matrices in hand: the steps of one say nothing of the others. */
static void matrices_in_hand_at_once_are_told_apart(void **state)
{
    place_t p = make_place(state, "hand");
    rc_case_t a = make_case(1, "csr", 8);
    rc_case_t b = make_case(2, "csr", 8);
    rc_case_t b2 = make_case(2, "lpt", 8);
    rc_journal_t *j = open_journal(&p, 1, 0);
    add_begin_source_of(j, 1, 1, RC_PHASE_LOAD);
    add_begin_source_of(j, 2, 2, RC_PHASE_LOAD);
    add_begin_of(j, 1, &a, RC_PHASE_ORDER); /* ends loading 1, not 2 */
    add_begin_source_of(j, 3, 3, RC_PHASE_FEATURE);
    rc_journal_close(j);
    fold(&p);
    expect_in_flight(&p, (rc_digest_t[]){source_id(2), rc_case_id(&a), source_id(3)}, 3);

    /* what waits, prepared, is not in flight; being done with one leaves the others */
    place_t q = make_place(state, "waits");
    j = open_journal(&q, 1, 0);
    add_begin_source_of(j, 1, 1, RC_PHASE_LOAD);
    add_begin_of(j, 1, &a, RC_PHASE_ORDER);
    add_settled_of(j, 1, 0);
    add_begin_source_of(j, 2, 2, RC_PHASE_LOAD);
    add_begin_of(j, 2, &b, RC_PHASE_PREPARE);
    add_begin_of(j, 2, &b2, RC_PHASE_PREPARE);
    add_result(j, &b2, RC_CASE_OK, 5);
    add_begin_source_of(j, 3, 3, RC_PHASE_LOAD);
    add_settled_of(j, 3, 1);
    rc_journal_close(j);
    fold(&q);
    expect_in_flight(&q, (rc_digest_t[]){rc_case_id(&b)}, 1);

    /* the end, and a word without a job, settle all */
    for (int end = 0; end < 2; end++) {
        place_t r = make_place(state, end ? "ended" : "all");
        j = open_journal(&r, 1, 0);
        add_begin_source_of(j, 1, 1, RC_PHASE_LOAD);
        add_begin_of(j, 2, &b, RC_PHASE_TIME);
        if (end)
            add_end(j, RC_RUN_DRAINED);
        else
            add_settled(j);
        rc_journal_close(j);
        fold(&r);
        expect_in_flight(&r, NULL, 0);
    }
}

/* A case whose device fails for good twice is crashed, though both runs ended in good order. */
static void a_lost_device_counts_like_a_death(void **state)
{
    place_t p = make_place(state, "lost");
    rc_case_t a = make_case(1, "csr", 8);
    rc_case_t b = make_case(1, "lpt", 8);
    rc_case_t c = make_case(2, "csr", 8);
    for (int run = 1; run <= 2; run++) {
        for (int rank = 0; rank < 2; rank++) {
            rc_journal_t *j = open_journal(&p, run, rank);
            add_source(j, 1 + rank, RC_CASE_OK, "");
            add_begin_of(j, 7, &a, RC_PHASE_TIME);
            add_begin_of(j, 7, &b, RC_PHASE_TIME);
            add_begin_of(j, 8, &c, RC_PHASE_ORDER);
            if (rank == 0) {
                add_result(j, &b, RC_CASE_OK, 10 * run);
                add_lost(j, 7);
            }
            add_settled_of(j, 7, 1);
            add_settled_of(j, 8, 1);
            add_end(j, RC_RUN_ERROR);
            rc_journal_close(j);
        }
        assert_int_equal(fold(&p).crashed, run == 2);
    }
    expect_in_flight(&p, (rc_digest_t[]){rc_case_id(&a), rc_case_id(&a)}, 2);
    rc_view_t *v = view(&p);
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        if (r->status != RC_CASE_CRASHED)
            continue;
        assert_string_equal(rc_view_message(v, r->message),
            "in flight in 2 runs that died or lost their device, last the device, last in phase "
            "time");
    }
    rc_view_free(v);
}

/* What a journal that is being written has in hand, as "job phase waits" of each. */
static void expect_hands(const place_t *p, const char *expected)
{
    rc_scan_t s;
    char text[200] = "";
    assert_int_equal(rc_scan_journals(p->store, NULL, NULL, &s, NULL), RC_OK);
    assert_int_equal(s.journals, 1);
    for (int64_t i = 0; i < s.journal[0].hands; i++) {
        const rc_scan_hand_t *h = &s.journal[0].hand[i];
        size_t n = strlen(text);
        snprintf(text + n, sizeof text - n, "%s %d %d;", h->name, (int)h->phase, (int)h->waits);
    }
    assert_string_equal(text, expected);
    rc_scan_free(&s);
}

static void what_is_in_hand_is_told(void **state)
{
    place_t p = make_place(state, "told");
    rc_case_t a = make_case(1, "csr", 8);
    rc_journal_t *j = open_journal(&p, 1, 0);
    add_begin_source_of(j, 1, 1, RC_PHASE_LOAD);
    add_begin_source_of(j, 2, 2, RC_PHASE_LOAD);
    add_begin_of(j, 1, &a, RC_PHASE_ORDER);
    expect_hands(&p, "G/m1 3 0;G/m2 1 0;");
    add_settled_of(j, 1, 0);
    expect_hands(&p, "G/m2 1 0;G/m1 3 1;"); /* what waits is last */
    add_begin_of(j, 1, &a, RC_PHASE_TIME);
    expect_hands(&p, "G/m1 6 0;G/m2 1 0;");
    add_settled_of(j, 1, 1);
    add_settled_of(j, 2, 0);
    expect_hands(&p, "G/m2 1 1;");
    add_end(j, RC_RUN_COMPLETE);
    expect_hands(&p, "");
    rc_journal_close(j);
}

/* A fold that cannot ask the store when a case was last measured is an error: without the answer, a
 * death from before that row would count, and the case be given up one death too early. */
static void a_store_that_cannot_be_asked_is_an_error(void **state)
{
    place_t p = make_place(state, "asked");
    char kept_journals[SCRATCH_PATH];
    scratch_path(state, "asked.kept", kept_journals);
    rc_case_t c = make_case(5, "csr", 8);
    die_with(&p, 1, &c, 0);
    fold(&p);
    rc_journal_t *j = open_journal(&p, 2, 0);
    add_result(j, &c, RC_CASE_OK, 70);
    rc_journal_close(j);
    fold(&p);
    die_with(&p, 3, &c, 0);
    copy_folder(p.journals, kept_journals);
    size_t bytes;
    unsigned char *kept = slurp(p.store, &bytes);
    int failed = 1;
    int errors = 0;
    for (long n = 0; failed; n++) {
        rc_err_t err = {0};
        rc_commit_info_t info = {0};
        copy_folder(kept_journals, p.journals);
        scratch_write(p.store, kept, bytes);
        failing_alloc_set(n);
        rc_status_t st =
            rc_commit(p.store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, &err);
        failed = failing_alloc_happened();
        failing_alloc_set(-1);
        assert_true(st == RC_OK || (failed && err.text[0]));
        assert_int_equal(info.crashed, 0);
        errors += st < 0;
    }
    assert_true(errors > 10);
    free(kept);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_dead_runs_make_a_crashed_case),
        cmocka_unit_test(kills_do_not_make_a_crashed_case_until_the_fourth),
        cmocka_unit_test(who_is_killed_after_being_asked_to_end_is_spared),
        cmocka_unit_test(journals_of_several_runs_make_one_crashed_row),
        cmocka_unit_test(ranks_that_are_killed_with_another_are_spared),
        cmocka_unit_test(settled_and_finished_cases_are_not_in_flight),
        cmocka_unit_test(matrices_that_kill_the_loader_are_crashed),
        cmocka_unit_test(matrices_in_hand_at_once_are_told_apart),
        cmocka_unit_test(a_lost_device_counts_like_a_death),
        cmocka_unit_test(what_is_in_hand_is_told),
        cmocka_unit_test(a_store_that_cannot_be_asked_is_an_error),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("inflight", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
