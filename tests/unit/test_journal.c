/* Journals: what is written is read, whatever was cut off or damaged around it. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_fixture.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A journal of a few records of each kind, its path in path. */
static void write_journal(void **state, int number, char path[SCRATCH_PATH])
{
    rc_journal_t *j;
    rc_rec_run_t run = make_run(number, 0);
    char name[64];
    rc_case_t a = make_case(1, "csr", 8);
    rc_case_t b = make_case(1, "lpt", 8);
    assert_int_equal(rc_journal_create(*state, &run, &j, NULL), RC_OK);
    snprintf(name, sizeof name, "%s.%05d.rcj", run.uuid, 0);
    scratch_path(state, name, path);
    add_begin_source(j, 1, RC_PHASE_LOAD);
    add_source(j, 1, RC_CASE_OK, "");
    add_begin(j, &a, RC_PHASE_VERIFY);
    add_result(j, &a, RC_CASE_OK, 100);
    add_begin(j, &b, RC_PHASE_VERIFY);
    add_result(j, &b, RC_CASE_FAILED, 0);
    add_settled(j);
    add_end(j, RC_RUN_COMPLETE);
    rc_journal_close(j);
}

enum { record_head = 24 };

typedef struct list {
    rc_rec_type_t type[32];
    int64_t seq[32];
    uint64_t sum[32];
    int64_t begin[32];
    int64_t end[32];
    int n;
    int64_t damage;
    int64_t where;
    rc_status_t st;
} list_t;

static list_t read_all(const char *path)
{
    list_t l = {.st = RC_OK};
    rc_journal_view_t *v = NULL;
    rc_record_t r;
    l.st = rc_journal_open(path, 0, &v, NULL);
    if (l.st < 0)
        return l;
    while (rc_journal_next(v, &r)) {
        assert_in_range(l.n, 0, 31);
        l.type[l.n] = r.type;
        l.seq[l.n] = r.seq;
        l.end[l.n] = r.end;
        l.begin[l.n] = r.end - record_head - (int64_t)((r.len + 7) / 8 * 8);
        l.sum[l.n++] = rc_digest(r.payload, r.len).lo;
    }
    l.damage = rc_journal_damage(v, &l.where);
    rc_journal_view_close(v);
    return l;
}

/* Each record that was read was written, in that order; returns how many were not found. */
static int missing(const list_t *all, const list_t *read)
{
    int at = 0;
    for (int i = 0; i < read->n; i++) {
        while (at < all->n && (all->seq[at] != read->seq[i] || all->type[at] != read->type[i] ||
                                  all->sum[at] != read->sum[i]))
            at++;
        assert_in_range(at, 0, all->n - 1);
        at++;
    }
    return all->n - read->n;
}

static void what_is_written_is_read(void **state)
{
    char path[SCRATCH_PATH];
    static const rc_rec_type_t types[] = {RC_REC_RUN, RC_REC_BEGIN, RC_REC_SOURCE, RC_REC_BEGIN,
        RC_REC_RESULT, RC_REC_BEGIN, RC_REC_RESULT, RC_REC_SETTLED, RC_REC_END};
    write_journal(state, 1, path);
    list_t l = read_all(path);
    assert_int_equal(l.n, 9);
    for (int i = 0; i < l.n; i++) {
        assert_int_equal(l.type[i], types[i]);
        assert_int_equal(l.seq[i], i);
    }
    assert_int_equal(l.damage, 0);
    assert_int_equal(l.where, -1);
}

static void a_journal_can_be_cut_anywhere(void **state)
{
    char path[SCRATCH_PATH];
    char part[SCRATCH_PATH];
    size_t n;
    write_journal(state, 2, path);
    list_t all = read_all(path);
    unsigned char *data = slurp(path, &n);
    assert_int_equal(all.end[all.n - 1] + record_head, n); /* the last one is for the reader */
    scratch_path(state, "part.rcj", part);
    for (size_t cut = 0; cut <= n; cut++) {
        int whole = 0;
        while (whole < all.n && all.end[whole] <= (int64_t)cut)
            whole++;
        scratch_write(part, data, cut);
        list_t l = read_all(part);
        assert_int_equal(l.st, RC_OK);
        assert_int_equal(l.n, whole);
        assert_int_equal(missing(&all, &l), all.n - whole);
        assert_int_equal(l.damage, 0);
    }
    free(data);
}

static void a_flipped_byte_costs_one_record(void **state)
{
    char path[SCRATCH_PATH];
    char bad[SCRATCH_PATH];
    size_t n;
    write_journal(state, 3, path);
    list_t all = read_all(path);
    unsigned char *data = slurp(path, &n);
    scratch_path(state, "bad.rcj", bad);
    scratch_write(bad, data, n);
    int fd = open(bad, O_WRONLY);
    assert_true(fd >= 0);
    for (size_t at = 0; at < n; at++) {
        for (int bit = 0; bit < 9; bit++) {
            int flip = bit < 8 ? 1 << bit : 0xff;
            unsigned char other = (unsigned char)(data[at] ^ flip);
            assert_int_equal(pwrite(fd, &other, 1, (off_t)at), 1);
            list_t l = read_all(bad);
            assert_int_equal(pwrite(fd, &data[at], 1, (off_t)at), 1);
            if (at == 7) { /* the version */
                assert_int_equal(l.st, RC_ESTORE);
                continue;
            }
            assert_int_equal(l.st, RC_OK);
            if (at < 16) {
                assert_int_equal(missing(&all, &l), 0);
                assert_int_equal(l.damage, 16);
                assert_int_equal(l.where, 0);
                continue;
            }
            int lost = missing(&all, &l);
            assert_in_range(lost, 0, 1);
            int hit = 0;
            while (hit < all.n && all.end[hit] <= (int64_t)at)
                hit++;
            /* padding may change; the last record of all may as well have been torn */
            if (lost) {
                assert_in_range(at, all.begin[hit], all.end[hit] - 1);
                assert_int_equal(l.damage, all.end[hit] - all.begin[hit]);
                assert_int_equal(l.where, all.begin[hit]);
            } else if (hit == 1 && (int64_t)at < all.begin[1]) /* who wrote it */
                assert_true(l.damage == 0 || l.damage == all.begin[1] - all.end[0]);
            else
                assert_int_equal(l.damage, 0);
        }
    }
    close(fd);
    free(data);
}

static void what_is_no_journal_is_refused(void **state)
{
    char path[SCRATCH_PATH];
    rc_err_t err = {0};
    rc_journal_view_t *v;
    scratch_path(state, "text.rcj", path);
    scratch_write(path, "a text that is longer than a header\n", 36);
    assert_int_equal(rc_journal_open(path, 0, &v, &err), RC_ESTORE);
    assert_non_null(strstr(err.text, "text.rcj"));
    scratch_path(state, "none.rcj", path);
    assert_int_equal(rc_journal_open(path, 0, &v, &err), RC_ENOENT);
}

static void a_journal_is_never_opened_twice(void **state)
{
    rc_rec_run_t run = make_run(4, 3);
    rc_journal_t *j;
    rc_journal_t *second;
    rc_err_t err = {0};
    assert_int_equal(rc_journal_create(*state, &run, &j, NULL), RC_OK);
    assert_int_equal(rc_journal_create(*state, &run, &second, &err), RC_EIO);
    assert_non_null(strstr(err.text, "cannot create the journal"));
    rc_journal_close(j);
}

/* A writer that lives left its name; a reader sees what it wrote, and when it is gone. */
static void a_journal_tells_whether_the_writer_lives(void **state)
{
    rc_rec_run_t run = make_run(5, 0);
    rc_journal_t *j;
    rc_journal_view_t *v;
    rc_record_t r;
    char name[64];
    char path[SCRATCH_PATH];
    assert_int_equal(rc_journal_create(*state, &run, &j, NULL), RC_OK);
    snprintf(name, sizeof name, "%s.%05d.rcj", run.uuid, 0);
    scratch_path(state, name, path);
    assert_int_equal(rc_journal_open(path, 0, &v, NULL), RC_OK);
    assert_int_equal(rc_journal_next(v, &r), 1);
    assert_int_equal(r.type, RC_REC_RUN);
    assert_int_equal(rc_journal_next(v, &r), 0);
    assert_int_equal(rc_journal_writer(v, NULL), RC_OWNER_ALIVE);
    rc_journal_view_close(v);
    rc_journal_close(j);
    assert_int_equal(rc_journal_open(path, 0, &v, NULL), RC_OK);
    while (rc_journal_next(v, &r))
        ;
    assert_int_equal(rc_journal_writer(v, NULL), RC_OWNER_GONE);
    rc_journal_view_close(v);
}

/* A full disk: the record is cut off again, and the journal can go on. */
static void a_failed_write_leaves_whole_records(void **state)
{
    char path[SCRATCH_PATH];
    rc_rec_run_t run = make_run(6, 0);
    rc_journal_t *j;
    char name[64];
    rc_err_t err = {0};
    snprintf(name, sizeof name, "%s.%05d.rcj", run.uuid, 0);
    scratch_path(state, name, path);
    /* RLIMIT_FSIZE stands in for the disk; in a child, for it holds for the whole process */
    pid_t child = fork();
    if (child == 0) {
        rc_case_t c = make_case(1, "csr", 8);
        if (rc_journal_create(*state, &run, &j, NULL) < 0)
            _exit(2);
        int status = 0;
        rc_str_t b = {0};
        rc_rec_begin_t r;
        memset(&r, 0, sizeof r);
        r.c = c;
        rc_rec_put(&b, RC_REC_BEGIN, &r);
        rc_journal_append(j, RC_REC_BEGIN, &b, NULL);
        struct stat s;
        struct rlimit limit;
        if (stat(path, &s) != 0 || getrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(3);
        rlim_t before = limit.rlim_cur;
        limit.rlim_cur = (rlim_t)s.st_size + 21;
        signal(SIGXFSZ, SIG_IGN);
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(4);
        if (rc_journal_append(j, RC_REC_BEGIN, &b, &err) != RC_EIO)
            status = 5;
        limit.rlim_cur = before;
        if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
            _exit(4);
        if (rc_journal_append(j, RC_REC_BEGIN, &b, NULL) != RC_OK)
            status = 6;
        rc_str_free(&b);
        rc_journal_close(j);
        _exit(status);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    list_t l = read_all(path);
    assert_int_equal(l.n, 3);
    assert_int_equal(l.damage, 0);
}

static void a_death_is_written_down(void **state)
{
    rc_rec_run_t run = make_run(7, 0);
    rc_journal_t *j;
    char name[64];
    char path[SCRATCH_PATH];
    assert_int_equal(rc_journal_create(*state, &run, &j, NULL), RC_OK);
    rc_journal_died(j, 11);
    rc_journal_close(j);
    snprintf(name, sizeof name, "%s.%05d.rcj", run.uuid, 0);
    scratch_path(state, name, path);
    list_t l = read_all(path);
    assert_int_equal(l.n, 2);
    assert_int_equal(l.type[1], RC_REC_DIED);
    int64_t number = 11;
    assert_true(l.sum[1] == rc_digest(&number, sizeof number).lo);
}

/* A file system may lose the first blocks of a file: what is behind them counts. */
static void a_lost_head_costs_what_was_in_it(void **state)
{
    char path[SCRATCH_PATH];
    char bad[SCRATCH_PATH];
    size_t n;
    write_journal(state, 8, path);
    list_t all = read_all(path);
    unsigned char *data = slurp(path, &n);
    scratch_path(state, "bad.rcj", bad);
    for (size_t cut = 1; cut <= n; cut++) {
        data[cut - 1] = 0;
        scratch_write(bad, data, n);
        list_t l = read_all(bad);
        int lost = 0;
        while (lost < all.n && (lost ? all.end[lost - 1] : 16) < (int64_t)cut)
            lost++;
        if (lost == all.n) { /* the padding of the last one may be all that is gone */
            assert_true(l.st == RC_ESTORE || l.n == 1);
            continue;
        }
        assert_int_equal(l.st, RC_OK);
        assert_in_range(missing(&all, &l), lost > 0 ? lost - 1 : 0, lost);
        assert_int_equal(l.where, 0);
    }
    free(data);
}

/* Open a journal, read a few records, cut the file off, read on. */
static void read_while_it_shrinks(const char *path, int64_t records, int64_t left)
{
    rc_journal_view_t *v;
    rc_record_t r;
    int64_t n = 0;
    assert_int_equal(rc_journal_open(path, 0, &v, NULL), RC_OK);
    for (; n < 3; n++)
        assert_int_equal(rc_journal_next(v, &r), 1);
    assert_int_equal(truncate(path, (off_t)left), 0);
    while (rc_journal_next(v, &r))
        n++;
    assert_in_range(n, 3, records - 1);
    assert_int_equal(rc_journal_read_status(v, NULL), RC_OK);
    rc_journal_view_close(v);
}

static void a_journal_may_shrink_under_its_reader(void **state)
{
    enum { records = 4000, kibibyte = 1024 };
    static const int64_t left[] = {2000000, 5000, 16, 0};
    for (int i = 0; i < 4; i++) {
        char name[64];
        char path[SCRATCH_PATH];
        rc_journal_t *j;
        rc_rec_run_t run = make_run(10 + i, 0);
        static unsigned char payload[kibibyte];
        const rc_str_t b = {.text = (char *)payload, .len = sizeof payload};
        assert_int_equal(rc_journal_create(*state, &run, &j, NULL), RC_OK);
        for (int k = 1; k < records; k++)
            assert_int_equal(rc_journal_append(j, RC_REC_KV, &b, NULL), RC_OK);
        rc_journal_close(j);
        snprintf(name, sizeof name, "%s.%05d.rcj", run.uuid, 0);
        scratch_path(state, name, path);
        read_while_it_shrinks(path, records, left[i]);
    }
}

/* A record longer than what is read at a time, between short ones. */
static void records_may_be_long(void **state)
{
    enum { long_bytes = 5 << 20 };
    char name[64];
    char path[SCRATCH_PATH];
    rc_journal_t *j;
    rc_rec_run_t run = make_run(9, 0);
    rc_case_t c = make_case(1, "csr", 8);
    rc_str_t b = {.text = calloc(1, long_bytes), .len = long_bytes};
    assert_non_null(b.text);
    for (size_t i = 0; i < long_bytes; i += 1000)
        b.text[i] = (char)(i / 1000);
    assert_int_equal(rc_journal_create(*state, &run, &j, NULL), RC_OK);
    add_begin(j, &c, RC_PHASE_VERIFY);
    assert_int_equal(rc_journal_append(j, RC_REC_KV, &b, NULL), RC_OK);
    add_end(j, RC_RUN_COMPLETE);
    rc_journal_close(j);
    snprintf(name, sizeof name, "%s.%05d.rcj", run.uuid, 0);
    scratch_path(state, name, path);
    list_t l = read_all(path);
    assert_int_equal(l.n, 4);
    assert_true(l.sum[2] == rc_digest(b.text, b.len).lo);
    assert_int_equal(l.type[3], RC_REC_END);
    free(b.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(a_journal_can_be_cut_anywhere),
        cmocka_unit_test(a_flipped_byte_costs_one_record),
        cmocka_unit_test(a_lost_head_costs_what_was_in_it),
        cmocka_unit_test(a_journal_may_shrink_under_its_reader),
        cmocka_unit_test(records_may_be_long),
        cmocka_unit_test(what_is_no_journal_is_refused),
        cmocka_unit_test(a_journal_is_never_opened_twice),
        cmocka_unit_test(a_journal_tells_whether_the_writer_lives),
        cmocka_unit_test(a_failed_write_leaves_whole_records),
        cmocka_unit_test(a_death_is_written_down),
    };
    return cmocka_run_group_tests_name("journal", tests, scratch_setup, scratch_teardown);
}
