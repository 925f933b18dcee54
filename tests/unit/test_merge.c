/* Merging stores: the union of what they hold, whatever the order, and nothing from stores that
 * contradict each other. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_edit.h"
#include "store_fixture.h"
#include "store_place.h"
#include "store_random.h"

#include "table/archive.h"
#include "store/h5.h"
#include "store/lock.h"
#include "store/merge.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const rc_merge_options_t plain = {0};

/* Merge up to 4 stores; the texts end with NULL. */
static rc_merge_info_t merge(const char *out, const char *a, const char *b, const char *c)
{
    const char *const in[] = {a, b, c};
    rc_merge_info_t info;
    rc_err_t err = {0};
    int n = a ? b ? c ? 3 : 2 : 1 : 0;
    rc_status_t st = rc_merge(out, in, n, &plain, &info, &err);
    if (st < 0)
        print_message("%s\n", err.text);
    assert_int_equal(st, RC_OK);
    return info;
}

static void refused(
    const char *out, const char *a, const char *b, rc_status_t status, const char *word)
{
    const char *const in[] = {a, b};
    char tmp[2 * SCRATCH_PATH];
    rc_err_t err = {0};
    size_t n = 0;
    int there = access(out, F_OK) == 0;
    unsigned char *before = there ? slurp(out, &n) : NULL;
    rc_status_t st = rc_merge(out, in, b ? 2 : 1, &plain, NULL, &err);
    if (st != status || !strstr(err.text, word))
        print_message("%s\n", err.text);
    assert_int_equal(st, status);
    assert_int_equal(err.status, status);
    assert_non_null(strstr(err.text, word));
    assert_null(strchr(err.text, '\n'));
    snprintf(tmp, sizeof tmp, "%s.merge-tmp", out);
    assert_int_not_equal(access(tmp, F_OK), 0);
    assert_int_equal(access(out, F_OK) == 0, there);
    if (there) {
        size_t m = 0;
        unsigned char *after = slurp(out, &m);
        assert_int_equal(m, n);
        assert_memory_equal(before, after, n);
        free(after);
    }
    free(before);
}

static void same_bytes(const char *a, const char *b)
{
    size_t n;
    size_t m;
    unsigned char *x = slurp(a, &n);
    unsigned char *y = slurp(b, &m);
    assert_int_equal(n, m);
    assert_true(memcmp(x, y, n) == 0);
    free(x);
    free(y);
}

/* Three stores whose runs interleave, and which know the same matrices, cases and messages. */
static void make_three(void **state, const char *name, uint64_t seed, place_t p[3])
{
    for (int i = 0; i < 3; i++) {
        char text[64];
        snprintf(text, sizeof text, "%s%d", name, i);
        p[i] = make_place(state, text);
        for (int run = 1 + i; run < 12; run += 3)
            random_store(&p[i], seed, run, 1);
    }
}

static void the_union_is_the_same_in_any_order(void **state)
{
    static const int order[6][3] = {
        {0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    for (uint64_t seed = 1; seed <= 5; seed++) {
        place_t p[3];
        char name[32];
        snprintf(name, sizeof name, "order%d.", (int)seed);
        make_three(state, name, 100 * seed, p);
        lines_t expected = {0};
        for (int i = 0; i < 3; i++) {
            lines_t l = lines_of(p[i].store);
            expected = lines_unite(expected, &l);
            lines_free(&l);
        }
        snprintf(name, sizeof name, "first%d", (int)seed);
        place_t first = make_place(state, name);
        for (int i = 0; i < 6; i++) {
            snprintf(name, sizeof name, "out%d.%d", (int)seed, i);
            place_t out = make_place(state, name);
            const char *out_path = i ? out.store : first.store;
            rc_merge_info_t info =
                merge(out_path, p[order[i][0]].store, p[order[i][1]].store, p[order[i][2]].store);
            assert_int_equal(info.stores, 3);
            assert_int_equal(info.fresh, info.results);
            assert_int_equal(info.again, 0);
            same_bytes(out_path, first.store);
        }
        lines_t found = lines_of(first.store);
        lines_equal(&found, &expected);
        assert_true(found.count > 100);
        lines_free(&found);
        lines_free(&expected);
    }
}

static void merging_in_steps_is_merging_at_once(void **state)
{
    place_t p[3];
    make_three(state, "steps", 7, p);
    place_t once = make_place(state, "once");
    place_t steps = make_place(state, "two");
    merge(once.store, p[0].store, p[1].store, p[2].store);
    rc_merge_info_t a = merge(steps.store, p[2].store, p[0].store, NULL);
    rc_merge_info_t b = merge(steps.store, p[1].store, NULL, NULL);
    assert_int_equal(b.fresh, b.results - a.results);
    assert_true(b.fresh > 0 && a.results > 0);
    same_bytes(once.store, steps.store);

    /* into one of them */
    store_copy(p[1].store, steps.store);
    merge(steps.store, p[0].store, p[2].store, NULL);
    same_bytes(once.store, steps.store);

    /* again, in part, with itself, and twice */
    b = merge(steps.store, p[1].store, steps.store, p[1].store);
    assert_int_equal(b.stores, 2);
    assert_int_equal(b.fresh, 0);
    assert_true(b.again > 0);
    same_bytes(once.store, steps.store);
    b = merge(steps.store, once.store, NULL, NULL);
    assert_int_equal(b.again, b.results);
    same_bytes(once.store, steps.store);
}

static void a_store_with_itself_is_itself(void **state)
{
    place_t p = make_place(state, "self");
    place_t out = make_place(state, "self.out");
    random_store(&p, 11, 1, 6);
    merge(out.store, p.store, p.store, NULL);
    lines_t a = lines_of(p.store);
    lines_t b = lines_of(out.store);
    lines_equal(&a, &b);
    merge(p.store, p.store, NULL, NULL);
    same_bytes(p.store, out.store);
    lines_free(&a);
    lines_free(&b);
}

/* What a sweep that goes on leaves behind at two times. */
static void a_copy_of_before_adds_nothing(void **state)
{
    place_t p = make_place(state, "later");
    place_t before = make_place(state, "before");
    place_t open = make_place(state, "open");
    place_t out = make_place(state, "later.out");
    place_t alone = make_place(state, "later.alone");
    random_store(&p, 12, 1, 3);
    store_copy(p.store, before.store);
    /* also one that was taken while a run was on */
    rc_rng_t r;
    rc_rng_seed(&r, 1);
    rc_journal_t *j = open_journal(&p, 4, 0);
    rc_case_t c = make_case(1, "csr", 8);
    add_measured(j, &r, &c, RC_CASE_OK, 4000);
    fold(&p);
    store_copy(p.store, open.store);
    add_measured(j, &r, &c, RC_CASE_OK, 4001);
    add_end(j, RC_RUN_COMPLETE);
    rc_journal_close(j);
    fold(&p);
    random_store(&p, 12, 5, 2);
    merge(alone.store, p.store, NULL, NULL);
    merge(out.store, before.store, open.store, p.store);
    same_bytes(alone.store, out.store);
    unlink(out.store);
    merge(out.store, p.store, open.store, before.store);
    same_bytes(alone.store, out.store);
    rc_view_t *v = view(&out);
    assert_int_equal(rc_view_run(v, 3)->state, RC_RUN_COMPLETE);
    rc_view_free(v);

    /* journals that both have are folded as far as the one that has most of them */
    store_copy(p.store, open.store);
    rc_view_t *a = view(&p);
    v = view(&out);
    char name[80];
    snprintf(name, sizeof name, "%s.00000.rcj", make_run(4, 0).uuid);
    assert_true(rc_view_journal_bytes(a, name) > 0);
    assert_int_equal(rc_view_journal_bytes(v, name), rc_view_journal_bytes(a, name));
    rc_view_free(a);
    rc_view_free(v);
}

static void raw_times_are_taken_from_who_has_them(void **state)
{
    place_t p = make_place(state, "raw");
    place_t bare = make_place(state, "raw.bare");
    place_t some = make_place(state, "raw.some");
    place_t alone = make_place(state, "raw.alone");
    place_t out = make_place(state, "raw.out");
    static const rc_archive_options_t no_samples = {0};
    static const rc_archive_options_t newest = {.samples = 1, .newest = 1};
    random_store(&p, 13, 1, 6);
    assert_int_equal(rc_archive(p.store, bare.store, &no_samples, NULL, NULL), RC_OK);
    assert_int_equal(rc_archive(p.store, some.store, &newest, NULL, NULL), RC_OK);
    merge(alone.store, p.store, NULL, NULL);
    merge(out.store, bare.store, p.store, some.store);
    same_bytes(alone.store, out.store);
    merge(bare.store, some.store, NULL, NULL);
    lines_t a = lines_of(bare.store);
    lines_t b = lines_of(p.store);
    assert_int_equal(a.count, b.count); /* all rows, and raw times of some */
    size_t raw = 0;
    for (size_t i = 0; i < a.count; i++)
        raw += strncmp(a.line[i], "result", 6) == 0 && strcmp(a.line[i], b.line[i]) == 0;
    assert_true(raw > 0);
    lines_free(&a);
    lines_free(&b);
}

static void the_latest_row_of_a_case_counts(void **state)
{
    place_t p[3];
    make_three(state, "latest", 21, p);
    place_t out = make_place(state, "latest.out");
    merge(out.store, p[2].store, p[1].store, p[0].store);
    rc_view_t *v = view(&out);
    int64_t newest = 0;
    int64_t older = 0;
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        newest += rc_view_is_newest(v, i);
        older += !rc_view_is_newest(v, i);
        for (int64_t k = 0; k < rc_view_count(v); k++) {
            const rc_row_result_t *q = rc_view_result(v, k);
            if (rc_view_is_newest(v, i) && memcmp(q->case_id, r->case_id, 32) == 0)
                assert_true(q->utc_ns <= r->utc_ns);
        }
    }
    assert_true(newest > 10 && older > 10);
    rc_view_free(v);
}

/* A sweep goes on in the result: what it holds counts as done, and journals are not folded twice.
 */
static void the_result_is_a_store_to_go_on_with(void **state)
{
    place_t a = make_place(state, "on.a");
    place_t b = make_place(state, "on.b");
    place_t out = make_place(state, "on.out");
    char kept[SCRATCH_PATH];
    scratch_path(state, "on.kept", kept);
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    rc_case_t c = make_case(1, "csr", 8);
    for (int i = 0; i < 2; i++) { /* the same case dies once in each */
        rc_journal_t *j = open_journal(i ? &b : &a, 1 + i, 0);
        add_begin(j, &c, RC_PHASE_TIME);
        rc_journal_died(j, 11);
        rc_journal_close(j);
        if (i == 0)
            copy_folder(a.journals, kept);
        fold(i ? &b : &a);
    }
    merge(out.store, b.store, a.store, NULL);
    rc_view_t *v = view(&out);
    assert_int_equal(rc_view_inflights(v), 2);
    assert_int_equal(rc_view_count(v), 0);
    rc_view_free(v);
    copy_folder(kept, out.journals);
    assert_int_equal(fold(&out).changed, 0);
    rc_journal_t *j = open_journal(&out, 3, 0);
    add_begin(j, &c, RC_PHASE_TIME);
    rc_journal_died(j, 11);
    rc_journal_close(j);
    assert_int_equal(fold(&out).crashed, 1);
    v = view(&out);
    assert_non_null(strstr(rc_view_message(v, rc_view_result(v, 0)->message), "3 runs that died"));
    rc_view_free(v);
}

/* Catalogue rows that are equal entry by entry are one matrix: it keeps one of their names. */
static void a_matrix_has_one_name(void **state)
{
    static const char name[RC_NAME_MAX] = "A/first";
    place_t p = make_place(state, "name.p");
    place_t q = make_place(state, "name.q");
    place_t x = make_place(state, "name.x");
    place_t y = make_place(state, "name.y");
    random_store(&p, 41, 1, 6);
    random_store(&q, 41, 7, 6);
    rc_view_t *v = view(&q);
    int32_t m = 0;
    while (rc_view_matrix(v, m)->rows < 0) /* known by its digest alone: its name does not count */
        m++;
    rc_view_free(v);
    store_edit(
        q.store, &rc_schema[RC_T_MATRIX], m, offsetof(rc_row_matrix_t, name), name, sizeof name);
    merge(x.store, p.store, q.store, NULL);
    merge(y.store, q.store, p.store, NULL);
    same_bytes(x.store, y.store);
    v = view(&x);
    int32_t first = 0;
    while (rc_view_matrix(v, first)->rows < 0)
        first++;
    assert_string_equal(rc_view_matrix(v, first)->name, name);
    rc_view_free(v);
}

static void nothing_is_a_store_too(void **state)
{
    place_t a = make_place(state, "empty.a");
    place_t p = make_place(state, "empty.p");
    place_t out = make_place(state, "empty.out");
    place_t alone = make_place(state, "empty.alone");
    rc_commit_info_t info;
    assert_int_equal(
        rc_commit(a.store, MPI_COMM_WORLD, &(rc_commit_options_t){.create = 1}, NULL, &info, NULL),
        RC_OK);
    assert_int_equal(merge(out.store, a.store, a.store, NULL).results, 0);
    random_store(&p, 3, 1, 2);
    merge(out.store, p.store, NULL, NULL);
    merge(alone.store, p.store, a.store, NULL);
    same_bytes(out.store, alone.store);
}

/* ---------------------------------------------------------------- refusals */

static void journals_are_folded_first(void **state)
{
    place_t p = make_place(state, "jour");
    place_t q = make_place(state, "jour.q");
    place_t out = make_place(state, "jour.out");
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    rc_case_t c = make_case(1, "csr", 8);
    random_store(&p, 1, 1, 2);
    random_store(&q, 1, 3, 1);
    rc_journal_t *j = open_journal(&p, 7, 0);
    add_measured(j, &r, &c, RC_CASE_OK, 1);
    refused(out.store, p.store, NULL, RC_ESTORE, "rowcast fold");
    refused(p.store, q.store, NULL, RC_ESTORE, "rowcast fold");
    static const rc_merge_options_t skip = {.skip_journals = 1};
    const char *const in[] = {p.store, q.store};
    assert_int_equal(rc_merge(out.store, in, 2, &skip, NULL, NULL), RC_OK);
    fold(&p); /* the writer lives, and there is nothing more */
    merge(out.store, p.store, q.store, NULL);
    add_begin(j, &c, RC_PHASE_TIME);
    rc_journal_close(j);
    refused(out.store, p.store, q.store, RC_ESTORE, "rowcast fold");
    fold(&p);
    merge(out.store, p.store, q.store, NULL);
    lines_t all = lines_of(p.store);
    lines_t more = lines_of(q.store);
    lines_t found = lines_of(out.store);
    all = lines_unite(all, &more);
    lines_equal(&found, &all);
    lines_free(&all);
    lines_free(&more);
    lines_free(&found);

    /* journals alone */
    place_t none = make_place(state, "jour.none");
    j = open_journal(&none, 8, 0);
    add_measured(j, &r, &c, RC_CASE_OK, 1);
    rc_journal_close(j);
    refused(out.store, none.store, NULL, RC_ENOENT, "rowcast fold");
}

/* Who waits for a lock says for whom, and for how long so far; who is quiet does not. */
static void who_waits_for_a_lock_says_so(void **state)
{
    place_t p = make_place(state, "wait");
    char text[2000] = "";
    char who[64];
    FILE *stream = tmpfile();
    assert_non_null(stream);
    rc_lock_t *lock;
    rc_lock_t *other;
    (void)snprintf(who, sizeof who, "held by process %ld", (long)getpid());
    assert_int_equal(rc_lock_take(p.journals, "commit.lock", NULL, &lock, NULL), RC_OK);
    for (int level = RC_LOG_WARN; level <= RC_LOG_INFO; level++) {
        const rc_log_t log = {stream, level, -1};
        const rc_lock_wait_t wait = {.busy_ns = 300000000, .log = &log, .tell_ns = 1};
        assert_int_equal(rc_lock_take(p.journals, "commit.lock", &wait, &other, NULL), RC_EBUSY);
        rewind(stream);
        size_t n = fread(text, 1, sizeof text - 1, stream);
        text[n] = '\0';
        assert_int_equal(strstr(text, who) != NULL, level == RC_LOG_INFO);
        assert_int_equal(strstr(text, ": waited for ") != NULL, level == RC_LOG_INFO);
    }
    rc_lock_release(lock);
    fclose(stream);
    rmdir(p.journals);
}

static void a_sweep_keeps_its_store(void **state)
{
    place_t p = make_place(state, "lock");
    place_t out = make_place(state, "lock.out");
    rc_lock_t *lock;
    random_store(&p, 1, 1, 1);
    random_store(&out, 1, 2, 1);
    assert_int_equal(rc_lock_take(out.journals, "sweep.lock", NULL, &lock, NULL), RC_OK);
    refused(out.store, p.store, NULL, RC_EBUSY, "a sweep has the store");
    rc_lock_release(lock);
    assert_int_equal(rc_lock_take(out.journals, "commit.lock", NULL, &lock, NULL), RC_OK);
    refused(out.store, p.store, NULL, RC_EBUSY, "held by process");
    rc_lock_release(lock);
    /* inputs are only read */
    assert_int_equal(rc_lock_take(p.journals, "sweep.lock", NULL, &lock, NULL), RC_OK);
    merge(out.store, p.store, NULL, NULL);
    rc_lock_release(lock);
    rmdir(p.journals);
    assert_int_not_equal(access(out.journals, F_OK), 0);
    struct stat s;
    assert_int_equal(chmod(out.store, 0440), 0);
    refused(out.store, p.store, NULL, RC_EIO, "write-protected");
    assert_int_equal(chmod(out.store, 0640), 0);
    merge(out.store, p.store, NULL, NULL);
    assert_int_equal(stat(out.store, &s), 0);
    assert_int_equal(s.st_mode & 07777, 0640);
    if (geteuid() != 0) {
        assert_int_equal(chmod(p.store, 0440), 0);
        merge(out.store, p.store, NULL, NULL);
    }
}

static void a_link_is_followed(void **state)
{
    place_t p = make_place(state, "ln.p");
    place_t real = make_place(state, "ln.real");
    place_t link = make_place(state, "ln.link");
    struct stat s;
    random_store(&p, 1, 1, 1);
    random_store(&real, 1, 2, 1);
    assert_int_equal(symlink(real.store, link.store), 0);
    rc_merge_info_t info = merge(link.store, p.store, real.store, NULL);
    assert_int_equal(info.stores, 2);
    assert_int_equal(lstat(link.store, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    rc_view_t *v = view(&real);
    assert_int_equal(rc_view_count(v), info.results);
    rc_view_free(v);
}

static void stores_that_contradict_each_other_are_refused(void **state)
{
    place_t p = make_place(state, "con");
    place_t other = make_place(state, "con.other");
    place_t q = make_place(state, "con.q");
    place_t out = make_place(state, "con.out");
    int64_t at;
    const char *a = p.store;
    const char *b = q.store;
    random_store(&p, 31, 1, 6);
    random_store(&other, 31, 7, 2);
    int64_t timed = store_timed_row(a, 1, &at);
    for (int turn = 0; turn < 2; turn++) { /* into nothing, then into a store; and either first */
#define CONTRADICT(word)                                                                           \
    do {                                                                                           \
        refused(out.store, turn ? a : b, turn ? b : a, RC_ESTORE, word);                           \
        store_copy(a, b);                                                                          \
    } while (0)
        store_copy(a, b);
        STORE_EDIT(b, RC_T_RUN, 1, rc_row_run_t, started_ns, 5);
        CONTRADICT("started_ns of run 0000000");
        STORE_EDIT(b, RC_T_RUN, 0, rc_row_run_t, version[0], '7');
        CONTRADICT("is of version");
        STORE_EDIT(b, RC_T_MATRIX, 0, rc_row_matrix_t, nnz, 7);
        CONTRADICT("nnz of matrix");
        STORE_EDIT(b, RC_T_RESULT, timed, rc_row_result_t, order_ns, -1);
        CONTRADICT("contradict each other: they are of record");
        STORE_EDIT(b, RC_T_RESULT, 1, rc_row_result_t, k, 77);
        CONTRADICT("row 1 of /results: expected case_id");
        STORE_EDIT(b, RC_T_RESULT, 2, rc_row_result_t, matrix, 99);
        CONTRADICT("row 2 of /results refers to row 99 of /dict/matrix");
        STORE_EDIT(b, RC_T_RESULT, 2, rc_row_result_t, message, -2);
        CONTRADICT("row 2 of /results refers to row -2 of /dict/message");
        STORE_EDIT(b, RC_T_RESULT, timed, rc_row_result_t, sample_offset, INT64_MAX - 1);
        CONTRADICT("raw times from");
        store_set_sample(b, at, 99);
        CONTRADICT("differ in their raw times");
        STORE_EDIT(b, RC_T_PROVENANCE, 0, rc_row_provenance_t, value[0], '7');
        CONTRADICT("host of run");
        STORE_EDIT(b, RC_T_INFLIGHT, 0, rc_row_inflight_t, utc_ns, 7);
        CONTRADICT("/inflight has case");
        STORE_EDIT(b, RC_T_SOURCE, 0, rc_row_source_t, run, 70);
        CONTRADICT("row 0 of /sources refers to row 70 of /dict/run");
        STORE_EDIT(b, RC_T_ORDER, 3, rc_row_order_t, policy, -1);
        CONTRADICT("row 3 of /orders refers to row -1 of /dict/policy");
        store_set_root(b, "schema_minor", RC_SCHEMA_MINOR + 1);
        CONTRADICT("schema version");
        store_set_root(b, "schema_major", RC_SCHEMA_MAJOR + 1);
        CONTRADICT("schema version");
        store_copy(other.store, out.store);
    }
    merge(out.store, a, b, other.store);
}

static void damaged_and_missing_inputs_are_errors(void **state)
{
    place_t p = make_place(state, "dam");
    place_t q = make_place(state, "dam.q");
    place_t out = make_place(state, "dam.out");
    size_t n;
    random_store(&p, 31, 1, 2);
    unsigned char *data = slurp(p.store, &n);
    data[n / 2] ^= 4;
    scratch_write(q.store, data, n);
    free(data);
    refused(out.store, p.store, q.store, RC_ESTORE, "the file is damaged");
    refused(q.store, p.store, NULL, RC_ESTORE, "the file is damaged");
    unlink(q.store);
    refused(out.store, p.store, q.store, RC_ENOENT, "dam.q.h5");
    refused("/nowhere/out.h5", p.store, NULL, RC_ENOENT, "folder of the store");
    scratch_write(q.store, "text", 4);
    refused(out.store, p.store, q.store, RC_ESTORE, "dam.q.h5");
    refused(q.store, p.store, NULL, RC_ESTORE, "dam.q.h5");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_union_is_the_same_in_any_order),
        cmocka_unit_test(merging_in_steps_is_merging_at_once),
        cmocka_unit_test(a_store_with_itself_is_itself),
        cmocka_unit_test(a_copy_of_before_adds_nothing),
        cmocka_unit_test(raw_times_are_taken_from_who_has_them),
        cmocka_unit_test(the_latest_row_of_a_case_counts),
        cmocka_unit_test(the_result_is_a_store_to_go_on_with),
        cmocka_unit_test(a_matrix_has_one_name),
        cmocka_unit_test(nothing_is_a_store_too),
        cmocka_unit_test(journals_are_folded_first),
        cmocka_unit_test(who_waits_for_a_lock_says_so),
        cmocka_unit_test(a_sweep_keeps_its_store),
        cmocka_unit_test(a_link_is_followed),
        cmocka_unit_test(stores_that_contradict_each_other_are_refused),
        cmocka_unit_test(damaged_and_missing_inputs_are_errors),
    };
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("merge", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
