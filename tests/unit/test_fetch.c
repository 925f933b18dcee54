#include "config.h"
#include "scratch.h"
#include "unit.h"

#include "base/error.h"
#include "catalog/fetch_private.h"
#include "sparse/csr.h"
#include "sparse/generate.h"
#include "io/mtx.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* -------------------------------------------------------------------- addresses */

/* The inverse of rc_url_add, by hand. */
static void unescape(const char *url, char *out)
{
    while (*url) {
        unsigned value = (unsigned char)*url;
        if (*url == '%') {
            assert_int_equal(sscanf(url + 1, "%2X", &value), 1);
            url += 2;
        }
        url++;
        *out++ = (char)value;
    }
    *out = '\0';
}

static void test_url_every_byte(void **state)
{
    (void)state;
    for (int keep = 0; keep < 2; keep++)
        for (int c = 1; c < 256; c++) {
            char part[4] = {'a', (char)c, 'z', '\0'};
            char back[64];
            rc_str_t s = {0};
            rc_url_add(&s, part, keep);
            assert_false(s.failed);
            for (const char *p = s.text; *p; p++) /* what may stand in a path */
                assert_true(
                    (*p > ' ' && *p < 0x7f && !strchr("?#[]@!$&'()*+,;=\"<>\\^`{|}: ", *p)));
            assert_true(keep || !strchr(s.text, '/'));
            unescape(s.text, back);
            assert_string_equal(back, part);
            rc_str_free(&s);
        }
}

static void test_url_is_remote(void **state)
{
    (void)state;
    assert_true(rc_url_is_remote("https://sparse.tamu.edu"));
    assert_true(rc_url_is_remote("HTTP://127.0.0.1:80"));
    assert_false(rc_url_is_remote("file:///etc"));
    assert_false(rc_url_is_remote("ftp://x"));
    assert_false(rc_url_is_remote("/data/matrices"));
    assert_false(rc_url_is_remote("http"));
}

/* ----------------------------------------------------------------- header fields */

static void test_content_range(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t from;
        int64_t total;
    } good[] = {{"bytes 0-0/1", 0, 1}, {"bytes 500-999/1000", 500, 1000}, {"BYTES 5-9/*", 5, -1},
        {"bytes */77", -1, 77},
        {"bytes 1-922337203685477578/922337203685477579", 1, INT64_C(922337203685477579)}};
    static const char *const bad[] = {"", "bytes", "bytes ", "bytes 5", "bytes 5-", "bytes 5-4/9",
        "bytes 9-9/9", "bytes -5/9", "bytes 1-2", "bytes 1-2/", "bytes 1-2/3x", "bytes */*",
        "items 1-2/3", "bytes a-b/c", "bytes 1-99999999999999999999999/3"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        int64_t from = -7;
        int64_t total = -7;
        assert_int_equal(rc_content_range(good[i].text, &from, &total), RC_OK);
        assert_true(from == good[i].from);
        assert_true(total == good[i].total);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        int64_t from = -7;
        int64_t total = -7;
        assert_int_equal(rc_content_range(bad[i], &from, &total), RC_EFORMAT);
        assert_true(from == -7 && total == -7);
    }
}

static void test_validator(void **state)
{
    (void)state;
    assert_true(rc_validator_is_strong("\"abc\""));
    assert_false(rc_validator_is_strong("W/\"abc\""));
    assert_false(rc_validator_is_strong("w/\"abc\""));
    assert_false(rc_validator_is_strong(""));
}

static void test_retry_after(void **state)
{
    (void)state;
    enum { now = 1700000000 }; /* 14 Nov 2023 22:13:20 UTC */
    if (rc_http_retry_after("1", now) < 0)
        skip(); /* built without libcurl */
    assert_true(rc_http_retry_after("0", now) == 0);
    assert_true(rc_http_retry_after("120", now) == 120);
    /* the three forms of RFC 9110, section 5.6.7 */
    assert_true(rc_http_retry_after("Tue, 14 Nov 2023 22:14:20 GMT", now) == 60);
    assert_true(rc_http_retry_after("Tuesday, 14-Nov-23 22:13:50 GMT", now) == 30);
    assert_true(rc_http_retry_after("Tue Nov 14 22:13:21 2023", now) == 1);
    assert_true(rc_http_retry_after("Tue, 14 Nov 2023 22:00:00 GMT", now) == 0);
    assert_true(rc_http_retry_after("99999999999999", now) > 1e12); /* capped, not forgotten */
    assert_true(rc_http_retry_after("99999999999999999999999", now) > 1e12);
    assert_true(rc_http_retry_after("-99999999999999999999999", now) < 0);
    assert_true(rc_http_retry_after("soon", now) < 0);
    assert_true(rc_http_retry_after("-5", now) < 0);
}

/* ------------------------------------------------------------------------- waits */

static void test_backoff(void **state)
{
    (void)state;
    static const char *const what[] = {"HB/1138_bus", "HB/494_bus", "SNAP/roadNet-CA", ""};
    int distinct = 0;
    for (size_t w = 0; w < sizeof what / sizeof *what; w++)
        for (int tries = 0; tries < 2000; tries += tries < 40 ? 1 : 500) {
            double full = tries < 6 ? (double)(1 << tries) : 60;
            if (full > 60)
                full = 60;
            int64_t ns = rc_backoff_ns(1, tries, 5, what[w]);
            assert_true((double)ns >= full * 0.5e9);
            assert_true((double)ns < full * 1e9);
            assert_true(ns == rc_backoff_ns(1, tries, 5, what[w]));
            distinct += ns != rc_backoff_ns(1, tries, 6, what[w]);
            distinct += w > 0 && ns != rc_backoff_ns(1, tries, 5, what[0]);
        }
    assert_true(distinct > 200);
    assert_true(rc_backoff_ns(0, 3, 1, "x") == 0);
}

static void test_bounds(void **state)
{
    (void)state;
    rc_entry_t e = {.rows = 10, .cols = 10, .nnz = 20, .pattern_nnz = 30};
    int64_t small = rc_archive_most_bytes(&e);
    assert_true(small >= 64 << 20 && small < 65 << 20);
    e.pattern_nnz = INT64_C(1) << 33;
    assert_true(rc_archive_most_bytes(&e) > 100 * e.pattern_nnz);
    e.pattern_nnz = INT64_MAX / 2;
    assert_true(rc_archive_most_bytes(&e) == INT64_MAX);
    e = (rc_entry_t){.rows = -1, .cols = -1, .nnz = -1, .pattern_nnz = -1};
    assert_true(rc_archive_most_bytes(&e) == 64 << 20);
    assert_true(rc_archive_estimate(&e) > 0);
}

/* ---------------------------------------------------------------------- manifest */

static rc_manifest_line_t line(const char *name, int64_t bytes)
{
    rc_manifest_line_t l = {.name = name,
        .file = "G/x.tar.gz",
        .url = "http://x/\"quoted\"\\",
        .bytes = bytes,
        .mtime_ns = INT64_C(1700000000123456789),
        .digest = {UINT64_C(0xfedcba9876543210), (uint64_t)bytes},
        .rows = 3,
        .cols = 4,
        .entries = 5};
    return l;
}

static void check_line(const rc_manifest_t *m, const char *name, int64_t bytes)
{
    const rc_manifest_line_t *l = rc_manifest_find(m, name);
    rc_manifest_line_t w = line(name, bytes);
    assert_non_null(l);
    assert_string_equal(l->name, name);
    assert_string_equal(l->file, w.file);
    assert_string_equal(l->url, w.url);
    assert_true(l->bytes == bytes && l->mtime_ns == w.mtime_ns);
    assert_int_equal(rc_digest_compare(&l->digest, &w.digest), 0);
    assert_true(l->rows == 3 && l->cols == 4 && l->entries == 5);
}

/* Cut at any byte, a manifest loses its last line at most, and can be added to. */
static void test_manifest_cut(void **state)
{
    const char *dir = *state;
    char path[SCRATCH_PATH];
    rc_err_t err = {0};
    rc_manifest_t *m;
    scratch_path(state, "manifest.jsonl", path);
    assert_int_equal(rc_manifest_read(dir, NULL, &m, &err), RC_OK);
    assert_null(rc_manifest_find(m, "G/a"));
    rc_manifest_line_t a = line("G/a", 1);
    rc_manifest_line_t b = line("G/b", 2);
    rc_manifest_line_t newer = line("G/a", 3);
    assert_int_equal(rc_manifest_add(m, &a, &err), RC_OK);
    struct stat s;
    assert_int_equal(stat(path, &s), 0);
    off_t first = s.st_size;
    assert_int_equal(rc_manifest_add(m, &b, &err), RC_OK);
    check_line(m, "G/a", 1);
    check_line(m, "G/b", 2);
    rc_manifest_free(m);
    assert_int_equal(stat(path, &s), 0);
    char text[4096];
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    assert_true((off_t)n == s.st_size && n < sizeof text);
    for (size_t cut = 0; cut <= n; cut++) {
        scratch_write(path, text, cut);
        assert_int_equal(rc_manifest_read(dir, NULL, &m, &err), RC_OK);
        /* the newline may be missing: the line is whole without it */
        assert_true((rc_manifest_find(m, "G/a") != NULL) == ((off_t)cut >= first - 1));
        assert_true((rc_manifest_find(m, "G/b") != NULL) == (cut >= n - 1));
        assert_int_equal(rc_manifest_add(m, &newer, &err), RC_OK);
        rc_manifest_free(m);
        assert_int_equal(rc_manifest_read(dir, NULL, &m, &err), RC_OK);
        check_line(m, "G/a", 3);
        assert_true((rc_manifest_find(m, "G/b") != NULL) == (cut >= n - 1));
        rc_manifest_free(m);
    }
    unlink(path);
}

/* ------------------------------------------------------------------------- parts */

static void write_part(
    rc_fetch_part_t *p, int64_t keep, const char *mark, const char *text, int64_t total)
{
    rc_err_t err = {0};
    assert_int_equal(rc_fetch_part_begin(p, keep, mark, total, &err), RC_OK);
    assert_int_equal(rc_fetch_part_write(p, text, strlen(text), &err), RC_OK);
    rc_fetch_part_pause(p);
}

static void test_part(void **state)
{
    char dir[SCRATCH_PATH];
    char name[SCRATCH_PATH + 32];
    rc_err_t err = {0};
    rc_fetch_part_t p;
    scratch_path(state, "deep/er", dir);
    assert_int_equal(rc_fetch_part_look(dir, "x.gz", "http://a/x", &p, &err), RC_OK);
    assert_true(p.bytes == 0 && p.total == -1 && !p.mark[0] && !p.is_there);
    assert_int_equal(access(dir, F_OK), -1); /* looking makes nothing */
    write_part(&p, 0, "\"v1\"", "hello ", 11);
    rc_fetch_part_free(&p);

    assert_int_equal(rc_fetch_part_look(dir, "x.gz", "http://other/x", &p, &err), RC_OK);
    assert_true(p.bytes == 0); /* of another address */
    rc_fetch_part_free(&p);
    assert_int_equal(rc_fetch_part_look(dir, "x.gz", "http://a/x", &p, &err), RC_OK);
    assert_true(p.bytes == 6 && p.total == 11);
    assert_string_equal(p.mark, "\"v1\"");
    write_part(&p, p.bytes, p.mark, "world", 11);
    assert_true(p.bytes == 11);
    assert_int_equal(rc_fetch_part_finish(&p, 0, &err), RC_OK);
    rc_fetch_part_free(&p);
    snprintf(name, sizeof name, "%s/x.gz", dir);
    char text[32] = "";
    FILE *f = fopen(name, "r");
    assert_non_null(f);
    assert_non_null(fgets(text, sizeof text, f));
    fclose(f);
    assert_string_equal(text, "hello world");

    /* without a mark there is nothing to continue */
    assert_int_equal(rc_fetch_part_look(dir, "y.gz", "http://a/y", &p, &err), RC_OK);
    write_part(&p, 0, "", "abc", -1);
    rc_fetch_part_free(&p);
    assert_int_equal(rc_fetch_part_look(dir, "y.gz", "http://a/y", &p, &err), RC_OK);
    assert_true(p.bytes == 0 && p.is_there);
    /* and a mark that does not fit is none */
    char longest[RC_FETCH_MARK_MAX + 8];
    memset(longest, 'm', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    write_part(&p, 0, longest, "abc", 3);
    rc_fetch_part_free(&p);
    assert_int_equal(rc_fetch_part_look(dir, "y.gz", "http://a/y", &p, &err), RC_OK);
    assert_true(p.bytes == 0);
    rc_fetch_part_discard(&p);
    rc_fetch_part_free(&p);
    assert_int_equal(rc_fetch_part_look(dir, "y.gz", "http://a/y", &p, &err), RC_OK);
    assert_false(p.is_there);
    rc_fetch_part_free(&p);
}

/* Whatever a kill leaves of the file that tells where the bytes are from, they are continued with
 * the right mark or not at all. */
static void test_part_cut(void **state)
{
    static const char from[] = "http://a/z\n\"mark\"\n9\n";
    char dir[SCRATCH_PATH];
    char path[SCRATCH_PATH];
    char side[SCRATCH_PATH];
    rc_err_t err = {0};
    scratch_path(state, "", dir);
    scratch_path(state, ".z.part", path);
    scratch_path(state, ".z.part.from", side);
    scratch_write(path, "12345", 5);
    for (size_t cut = 0; cut < sizeof from; cut++) {
        rc_fetch_part_t p;
        scratch_write(side, from, cut);
        assert_int_equal(rc_fetch_part_look(dir, "z", "http://a/z", &p, &err), RC_OK);
        assert_true(p.bytes == (cut == sizeof from - 1 ? 5 : 0));
        if (p.bytes)
            assert_string_equal(p.mark, "\"mark\"");
        rc_fetch_part_free(&p);
    }
    unlink(path);
    unlink(side);
}

/* ----------------------------------------------------------------- counting, checks */

/* Counting a file agrees with reading it, for every generator's matrix and both kinds of file. */
static void test_count(void **state)
{
    char path[SCRATCH_PATH];
    scratch_path(state, "m.mtx", path);
    for (int i = 0; i < rc_builtin_count; i++) {
        rc_err_t err = {0};
        rc_csr_t a = {0};
        rc_mtx_counts_t n = {0};
        if (rc_builtins[i].nnz > 300000)
            continue;
        assert_int_equal(rc_generate(rc_builtins[i].spec, &a, NULL, &err), RC_OK);
        for (int64_t k = 0; k < a.nnz; k += 7)
            a.val[k] = 0;
        assert_int_equal(rc_mtx_write(path, &a, NULL, &err), RC_OK);
        assert_int_equal(rc_mtx_count(path, 2, NULL, &n, &err), RC_OK);
        assert_true(n.rows == a.rows && n.cols == a.cols);
        assert_true(n.entries == a.nnz && n.expanded == a.nnz);
        rc_csr_free(&a);
    }
}

static void test_count_symmetric(void **state)
{
    static const struct {
        const char *text;
        int64_t entries;
        int64_t expanded;
    } t[] = {
        {"%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 0\n2 1 5\n3 2 0\n", 3, 5},
        {"%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 2 1\n", 2, 4},
        {"%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 2\n3 1\n", 2, 3},
        {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 1 0\n2 1 1 1\n", 2, 3},
        {"%%MatrixMarket matrix array real general\n2 2\n0\n1\n2\n3\n", 4, 4},
        {"%%MatrixMarket matrix array real symmetric\n2 2\n0\n1\n2\n", 3, 4},
    };
    char path[SCRATCH_PATH];
    scratch_path(state, "s.mtx", path);
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        rc_err_t err = {0};
        rc_mtx_counts_t n = {0};
        scratch_write(path, t[i].text, strlen(t[i].text));
        assert_int_equal(rc_mtx_count(path, 1, NULL, &n, &err), RC_OK);
        assert_true(n.entries == t[i].entries);
        assert_true(n.expanded == t[i].expanded);
    }
}

static int always(void *arg)
{
    (void)arg;
    return 1;
}

static void test_check(void **state)
{
    static const char text[] =
        "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 0\n2 1 5\n3 2 1\n";
    char path[SCRATCH_PATH];
    char name[] = "G/m";
    char group[] = "G";
    scratch_path(state, "c.mtx", path);
    scratch_write(path, text, strlen(text));
    rc_entry_t e = {.name = name, .group = group, .rows = 3, .cols = 3, .nnz = 4, .pattern_nnz = 5};
    rc_check_t c = {.entry = &e, .path = path};
    rc_check_file(&c, 1, NULL, NULL);
    assert_int_equal(c.status, RC_OK);
    assert_true(c.line.entries == 5 && c.line.bytes == (int64_t)strlen(text));
    rc_digest_t d = rc_digest(text, strlen(text));
    assert_int_equal(rc_digest_compare(&c.line.digest, &d), 0);
    e.nnz = 5; /* a copy without the zeros of the collection's */
    e.pattern_nnz = 6;
    rc_check_file(&c, 1, NULL, NULL);
    assert_int_equal(c.status, RC_OK);
    e.nnz = 4;
    rc_check_file(&c, 1, NULL, NULL);
    assert_int_equal(c.status, RC_EFORMAT);
    e.pattern_nnz = 5;
    e.rows = 4;
    rc_check_file(&c, 1, NULL, NULL);
    assert_int_equal(c.status, RC_EFORMAT);
    e.rows = 3;
    rc_check_file(&c, 1, always, NULL);
    assert_int_equal(c.status, RC_EINTR);
    c.is_archive = 1;
    rc_check_file(&c, 1, NULL, NULL);
    assert_int_equal(c.status, RC_EFORMAT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_url_every_byte),
        cmocka_unit_test(test_url_is_remote),
        cmocka_unit_test(test_content_range),
        cmocka_unit_test(test_validator),
        cmocka_unit_test(test_retry_after),
        cmocka_unit_test(test_backoff),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_manifest_cut),
        cmocka_unit_test(test_part),
        cmocka_unit_test(test_part_cut),
        cmocka_unit_test(test_count),
        cmocka_unit_test(test_count_symmetric),
        cmocka_unit_test(test_check),
    };
    return cmocka_run_group_tests_name("fetch", tests, scratch_setup, scratch_teardown);
}
