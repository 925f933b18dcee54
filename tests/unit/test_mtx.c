#include "config.h"
#include "unit.h"
#include "scratch.h"

#include "base/alloc.h"
#include "base/outcome.h"
#include "base/rng.h"
#include "sparse/csr.h"
#include "io/mtx.h"
#include "io/number.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------- an independent slow reader */

typedef struct plain {
    int64_t row;
    int64_t col;
    int64_t order;
    double val;
    double im;
} plain_t;

static int compare(const void *x, const void *y)
{
    const plain_t *a = x;
    const plain_t *b = y;
    if (a->row != b->row)
        return a->row < b->row ? -1 : 1;
    if (a->col != b->col)
        return a->col < b->col ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

/* Read a valid coordinate file with fscanf, expand it, and compare; `part` has complex values. */
static int64_t compare_with_fscanf(FILE *f, const rc_csr_t *a, const double *part)
{
    char line[1024];
    char field[32];
    char symmetry[32];
    long rows;
    long cols;
    long n;
    assert_non_null(fgets(line, sizeof line, f));
    assert_int_equal(
        sscanf(line, "%%%%MatrixMarket matrix coordinate %31s %31s", field, symmetry), 2);
    do
        assert_non_null(fgets(line, sizeof line, f));
    while (line[0] == '%');
    assert_int_equal(sscanf(line, "%ld %ld %ld", &rows, &cols, &n), 3);
    assert_true(rows == a->rows && cols == a->cols);
    int has_values = strcmp(field, "real") == 0 || strcmp(field, "integer") == 0;
    int is_complex = strcmp(field, "complex") == 0;
    double sign = strcmp(symmetry, "skew-symmetric") == 0 ? -1 : 1;
    plain_t *p = malloc((size_t)(2 * n + 1) * sizeof *p);
    assert_non_null(p);
    int64_t count = 0;
    for (long k = 0; k < n; k++) {
        long i;
        long j;
        double re = 0;
        double im = 0;
        assert_int_equal(fscanf(f, "%ld %ld", &i, &j), 2);
        if (has_values || is_complex)
            assert_int_equal(fscanf(f, "%lf", &re), 1);
        if (is_complex)
            assert_int_equal(fscanf(f, "%lf", &im), 1);
        p[count] = (plain_t){i - 1, j - 1, count, re, im};
        count++;
        if (i != j && strcmp(symmetry, "general") != 0) {
            p[count] = (plain_t){j - 1, i - 1, count, sign * re, strcmp(symmetry, "hermitian") == 0 ? -im : sign * im};
            count++;
        }
    }
    qsort(p, (size_t)count, sizeof *p, compare);
    int64_t at = 0;
    for (int64_t row = 0; row < a->rows; row++) {
        for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++) {
            assert_true(at < count && p[at].row == row && p[at].col == a->col_idx[k]);
            double sum = p[at].val;
            double im = p[at++].im;
            while (at < count && p[at].row == row && p[at].col == a->col_idx[k]) {
                sum += p[at].val;
                im += p[at++].im;
            }
            assert_true(has_values ? a->val[k] == sum : a->val[k] >= -1 && a->val[k] < 1);
            assert_true(part[2 * k] == (is_complex ? sum : a->val[k]) && part[2 * k + 1] == im);
        }
    }
    assert_true(at == count);
    free(p);
    return count;
}

/* [nnz][2], of the caller. */
static double *complex_values(const char *path, const rc_csr_t *a)
{
    rc_err_t err;
    double *part = calloc((size_t)a->nnz + 1, 2 * sizeof *part);
    assert_non_null(part);
    if (rc_mtx_read_complex(path, 2, a, part, &err) != RC_OK)
        fail_msg("%s", err.text);
    return part;
}

static void check_text(void **state, const char *text, int64_t nnz)
{
    char path[SCRATCH_PATH];
    rc_err_t err;
    rc_csr_t a;
    rc_mtx_info_t info;
    scratch_path(state, "text.mtx", path);
    scratch_write(path, text, strlen(text));
    if (rc_mtx_read(path, 2, &a, &info, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(rc_csr_check(&a, &err), RC_OK);
    assert_int_equal(a.nnz, nnz);
    double *part = complex_values(path, &a);
    FILE *f = fopen(path, "r");
    assert_non_null(f);
    compare_with_fscanf(f, &a, part);
    fclose(f);
    free(part);
    rc_csr_free(&a);
}

#define MM "%%MatrixMarket matrix coordinate "

static void kinds_are_expanded(void **state)
{
    check_text(state, MM "real general\n3 4 3\n1 1 1.5\n3 4 -2e-3\n2 2 0\n", 3);
    check_text(state, MM "real general\n2 2 4\n1 1 1\n1 1 2\n2 1 3\n1 1 4\n", 2);
    check_text(state, MM "real symmetric\n3 3 3\n1 1 1\n3 1 .5\n3 2 5.\n", 5);
    check_text(state, MM "integer skew-symmetric\n3 3 3\n2 1 7\n3 3 0\n3 2 -4\n", 5);
    check_text(state, MM "integer general\n1 1 1\n1 1 +9007199254740992\n", 1);
    check_text(state, MM "pattern symmetric\n3 3 2\n2 1\n3 3\n", 3);
    check_text(state, MM "pattern general\n3 3 3\n2 1\n2 1\n1 3\n", 2);
    check_text(state, MM "complex hermitian\n3 3 2\n2 1 1 2\n3 3 4 0\n", 3);
    check_text(state, MM "complex general\n3 3 2\n2 1 1 2\n3 3 4 5e9\n", 2);
    check_text(state, MM "complex symmetric\n2 2 2\n2 1 1 2\n2 2 4 5\n", 3);
    check_text(state, MM "complex skew-symmetric\n2 2 1\n2 1 1 2\n", 2);
    check_text(state, MM "complex hermitian\n3 3 3\n3 2 1 2\n3 2 4 -9\n1 1 5 0\n", 3);
    check_text(state, MM "real general\n0 0 0\n", 0);
    check_text(state, MM "real general\n5 0 0", 0);
    check_text(state, MM "real general\n%\n% c\n3 4 1\n0002 00000000000000000000004 1", 1);
}

static void white_space_is_tolerated(void **state)
{
    char path[SCRATCH_PATH];
    scratch_path(state, "white.mtx", path);
    static const char *const text[] = {
        "%%matrixmarket MATRIX Coordinate REAL General\n3 3 2\n1 2 3\n3 3 4\n",
        "%%MatrixMarket matrix coordinate real general\r\n%c\r\n3 3 2\r\n1 2 3\r\n3 3 4\r\n",
        ("%%MatrixMarket  matrix\tcoordinate real general  \n\n% c\n  \n% d\n 3\t3  2 \n\n1 2 3  \n"
         "\t\n  3\t3 4\n\n\n"),
        "%%MatrixMarket matrix coordinate real general\n3 3 2\n1 2 3\n3 3 4\r",
    };
    rc_digest_t first = {0, 0};
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        rc_csr_t a;
        rc_err_t err;
        rc_digest_t d;
        scratch_write(path, text[i], strlen(text[i]));
        if (rc_mtx_read(path, 1, &a, NULL, &err) != RC_OK)
            fail_msg("text %zu: %s", i, err.text);
        rc_csr_digest(&a, &d, NULL);
        if (i == 0)
            first = d;
        assert_int_equal(rc_digest_compare(&first, &d), 0);
        rc_csr_free(&a);
    }
}

static void arrays_are_read_by_columns(void **state)
{
    static const struct {
        const char *text;
        int64_t nnz;
        double want[3][3]; /* NAN: absent */
    } c[] = {
        {"real general\n3 3\n1\n2\n3\n4\n0\n6\n7\n8\n9\n", 9, {{1, 4, 7}, {2, 0, 8}, {3, 6, 9}}},
        {"integer symmetric\n3 3\n1\n2\n3\n4\n5\n6\n", 9, {{1, 2, 3}, {2, 4, 5}, {3, 5, 6}}},
        {"real skew-symmetric\n3 3\n1\n2\n3\n", 6,
            {{(double)NAN, -1, -2}, {1, (double)NAN, -3}, {2, 3, (double)NAN}}},
    };
    char path[SCRATCH_PATH];
    char text[200];
    scratch_path(state, "array.mtx", path);
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        rc_csr_t a;
        rc_err_t err;
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix array %s", c[i].text);
        scratch_write(path, text, strlen(text));
        /* slices of a few bytes: positions must not depend on the cuts */
        if (rc_mtx_read_blocks(path, 2, 4, 4, &a, NULL, &err) != RC_OK)
            fail_msg("%s", err.text);
        assert_int_equal(a.nnz, c[i].nnz);
        for (int64_t row = 0; row < 3; row++)
            for (int64_t k = a.row_ptr[row]; k < a.row_ptr[row + 1]; k++)
                assert_true(a.val[k] == c[i].want[row][a.col_idx[k]]);
        rc_csr_free(&a);
    }
}

static void real_matrices_agree_with_fscanf(void **state)
{
    char manifest[SCRATCH_PATH];
    char line[1024];
    enum { every = 20 };
    if (!shared_path("matrices/manifest.csv", manifest) || system("xz --version >/dev/null 2>&1"))
        skip();
    FILE *f = fopen(manifest, "r");
    assert_non_null(f);
    assert_non_null(fgets(line, sizeof line, f));
    int tried = 0;
    for (int i = 0; fgets(line, sizeof line, f); i++) {
        char name[256];
        char symmetry[32];
        char field[32];
        char file[300];
        char path[SCRATCH_PATH];
        char command[SCRATCH_PATH + 20];
        long rows;
        long cols;
        long nnz;
        if (sscanf(line, "%*[^,],%255[^,],%*d,%ld,%ld,%ld,%*[^,],%31[^,],%31[^,],", name, &rows,
                &cols, &nnz, symmetry, field) != 6)
            continue;
        int rare = strcmp(field, "complex") == 0 || strncmp(symmetry, "skew", 4) == 0;
        const char *at = strstr(line, ".mtx.xz");
        if ((i % every && !rare) || nnz > 300000 || !at)
            continue;
        const char *begin = at;
        while (begin[-1] != ',')
            begin--;
        snprintf(file, sizeof file, "matrices/%.*s.mtx.xz", (int)(at - begin), begin);
        assert_true(shared_path(file, path));
        rc_csr_t a;
        rc_mtx_info_t info;
        rc_err_t err;
        if (rc_mtx_read(path, 2, &a, &info, &err) != RC_OK)
            fail_msg("%s", err.text);
        assert_true(a.rows == rows && a.cols == cols && a.nnz == nnz);
        assert_string_equal(info.field, field);
        assert_string_equal(info.symmetry, symmetry);
        snprintf(command, sizeof command, "xz -dc '%s'", path);
        FILE *text = popen(command, "r");
        assert_non_null(text);
        double *part = complex_values(path, &a);
        assert_true(compare_with_fscanf(text, &a, part) == nnz);
        free(part);
        assert_int_equal(pclose(text), 0);
        rc_csr_free(&a);
        tried++;
    }
    fclose(f);
    assert_true(tried >= 30);
    (void)state;
}

/* ---------------------------------------------------------------- malformed */

#define REAL MM "real general\n"
#define SYM MM "real symmetric\n"
#define ARRAY "%%MatrixMarket matrix array real general\n"

static const struct {
    const char *text;
    int64_t line;
    const char *words;
    rc_status_t status; /* RC_OK stands for RC_EFORMAT */
} bad[] = {
    {"", 1, "empty file", 0},
    {"\n", 1, "banner", 0},
    {"hello\n", 1, "found 'hello'", 0},
    {"%%MatrixMarket\n", 1, "'matrix'", 0},
    {"%%MatrixMarket vector coordinate real general\n", 1, "found 'vector'", 0},
    {"%%MatrixMarket matrix sparse real general\n", 1, "'coordinate' or 'array'", 0},
    {"%%MatrixMarket matrix coordinate quad general\n", 1, "found 'quad'", 0},
    {"%%MatrixMarket matrix coordinate\n", 1, "the end of the line", 0},
    {"%%MatrixMarket matrix coordinate real lower\n", 1, "found 'lower'", 0},
    {MM "real hermitian\n", 1, "complex", 0},
    {MM "pattern skew-symmetric\n", 1, "pattern", 0},
    {MM "pattern hermitian\n", 1, "complex", 0},
    {"%%MatrixMarket matrix array pattern general\n", 1, "pattern", 0},
    {REAL, 2, "size line", 0},
    {REAL "% only\n% comments\n", 4, "size line", 0},
    {REAL "1 1\n", 2, "entries", 0},
    {REAL "x 1 1\n", 2, "rows", 0},
    {REAL "1 -1 1\n", 2, "found '-1'", 0},
    {REAL "1 1 1.0\n", 2, "found '1.0'", 0},
    {REAL "1 1 1 1\n1 1 1\n", 2, "end of the size line", 0},
    {REAL "2147483648 1 0\n", 2, "2147483647 rows", RC_ERANGE},
    {REAL "1 99999999999999999999999 0\n", 2, "columns", RC_ERANGE},
    {REAL "1 1 9999999999999999999\n", 2, "entries", RC_ERANGE},
    {REAL "3 3 1000000000000\n1 1 1\n", 2, "at most 1", 0},
    {REAL "3 3 3\n1 1 1\n", 2, "hold at most", 0},
    {ARRAY "30000 30000\n1\n", 2, "hold at most", 0},
    {ARRAY "2 2 4\n1\n2\n3\n4\n", 2, "end of the size line", 0},
    {SYM "2 3 0\n", 2, "square", 0},
    {REAL "3 3 2\n1 1 1.2500000\n", 4, "expected 2 entries, found the end of the file after 1", 0},
    {REAL "3 3 1\n1 1 1\n\n2 2 2\n", 5, "end of the file after 1 entries", 0},
    {REAL "3 3 1\n1 1 1\njunk\n", 4, "found 'junk'", 0},
    {REAL "3 3 0\n1 1 1\n", 3, "after 0 entries", 0},
    {REAL "3 3 1\n0 1 1\n", 3, "row from 1 to 3, found '0'", 0},
    {REAL "3 3 1\n4 1 1\n", 3, "row from 1 to 3", 0},
    {REAL "3 3 1\n1 4 1\n", 3, "column from 1 to 3", 0},
    {REAL "3 3 1\n1 0 1\n", 3, "column", 0},
    {REAL "3 3 1\n-1 1 1\n", 3, "row", 0},
    {REAL "3 3 1\n+1 1 1\n", 3, "row", 0},
    {REAL "3 3 1\n1.0 1 1\n", 3, "found '1.0'", 0},
    {REAL "3 3 1\n1,1,1  \n", 3, "found '1,1,1'", 0},
    {REAL "3 3 1\n99999999999999999999999999 1 1\n", 3, "row from 1 to 3", 0},
    {REAL "3 3 1\n1 1     \n", 3, "a value", 0},
    {REAL "3 3 1\n1       \n", 3, "column", 0},
    {REAL "3 3 2\n1 1 1\n1 2 x\n", 4, "found 'x'", 0},
    {REAL "3 3 1\n1 2 0x10\n", 3, "found '0x10'", 0},
    {REAL "3 3 1\n1 2 1e\n", 3, "found '1e'", 0},
    {REAL "3 3 1\n1 2 1d5\n", 3, "found '1d5'", 0},
    {REAL "3 3 1\n1 2 .\n", 3, "found '.'", 0},
    {REAL "3 3 1\n1 2 1e999\n", 3, "fits a double", RC_ERANGE},
    {REAL "3 3 1\n1 2 3 4\n", 3, "found '4'", 0},
    {REAL "3 3 1\n1 2 3 % c\n", 3, "end of the line", 0},
    {REAL "3 3 1\n1 2\r 3\n", 3, "found the end of the line", 0},
    {REAL "3 3 1\n1 2 3\v\n", 3, "found '3?'", 0},
    {MM "integer general\n3 3 1\n1 2 1.5\n", 3, "whole number", 0},
    {MM "integer general\n3 3 1\n1 2 9007199254740993\n", 3, "exactly", RC_ERANGE},
    {MM "pattern general\n3 3 1\n1 2 1\n", 3, "found '1'", 0},
    {MM "complex general\n3 3 1\n1 2 1.25\n", 3, "imaginary", 0},
    {MM "complex general\n3 3 1\n1 2 1 x\n", 3, "found 'x'", 0},
    {MM "complex hermitian\n3 3 1\n2 2 1 1\n", 3, "imaginary part of 0", 0},
    {SYM "3 3 2\n1 1 1\n1 2 1\n", 4, "below the diagonal", 0},
    {MM "real skew-symmetric\n3 3 1\n2 2 1\n", 3, "0 on the diagonal", 0},
    {ARRAY "2 1\n1\n2\n3\n", 5, "after 2 entries", 0},
    {ARRAY "2 1\n1 2\n", 3, "found '2'", 0},
    {ARRAY "2 1\n1    \n", 4, "after 1", 0},
};

static void check_bad(void **state, size_t i, int threads, size_t slice)
{
    char path[SCRATCH_PATH];
    char place[32];
    rc_csr_t a;
    rc_err_t err = {0};
    scratch_path(state, "bad.mtx", path);
    scratch_write(path, bad[i].text, strlen(bad[i].text));
    rc_status_t want = bad[i].status ? bad[i].status : RC_EFORMAT;
    rc_status_t st = rc_mtx_read_blocks(path, threads, 16, slice, &a, NULL, &err);
    snprintf(place, sizeof place, "bad.mtx:%" PRId64 ": ", bad[i].line);
    if (st != want || err.status != want || !strstr(err.text, place) ||
        !strstr(err.text, bad[i].words))
        fail_msg("case %zu: expected %d, '%s' and '%s'; found %d, '%s'", i, (int)want, place,
            bad[i].words, (int)st, err.text);
}

static void malformed_files_are_explained(void **state)
{
    assert_true(sizeof bad / sizeof *bad >= 50);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        check_bad(state, i, 1, 1 << 20);
        check_bad(state, i, 3, 3);
    }
}

static void unreadable_files_are_explained(void **state)
{
    char path[SCRATCH_PATH];
    rc_csr_t a;
    rc_err_t err;
    scratch_path(state, "absent.mtx", path);
    assert_int_equal(rc_mtx_read(path, 1, &a, NULL, &err), RC_ENOENT);
    assert_non_null(strstr(err.text, "absent.mtx"));
    assert_int_equal(rc_mtx_read(*state, 1, &a, NULL, &err), RC_EIO);
    assert_non_null(strstr(err.text, "found a folder"));
    if (geteuid() != 0) {
        scratch_path(state, "closed.mtx", path);
        scratch_write(path, "x", 1);
        assert_int_equal(chmod(path, 0), 0);
        assert_int_equal(rc_mtx_read(path, 1, &a, NULL, &err), RC_EIO);
    }
}

/* The line of an error far down, with every cut into slices and many threads. */
static void lines_are_counted_across_slices(void **state)
{
    enum { n = 2000, line = 1777 };
    char path[SCRATCH_PATH];
    scratch_path(state, "long.mtx", path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fprintf(f, "%%%%MatrixMarket matrix coordinate pattern general\n%%\n%d %d %d\n", n, n, n);
    for (int i = 4; i < n; i++)
        fprintf(f, i == line || i == line + 30 ? "1 x\n" : i % 7 ? "%d %d\n" : "\n", i % 99 + 1, i);
    fclose(f);
    static const size_t slice[] = {1, 7, 100, 4096, 1 << 20};
    for (size_t i = 0; i < 5; i++) {
        rc_csr_t a;
        rc_err_t err;
        char place[32];
        assert_int_equal(rc_mtx_read_blocks(path, 4, 1, slice[i], &a, NULL, &err), RC_EFORMAT);
        snprintf(place, sizeof place, "long.mtx:%d: ", line);
        if (!strstr(err.text, place))
            fail_msg("expected '%s' in '%s'", place, err.text);
    }
}

/* ------------------------------------------------------------------- memory */

/* One rule: what is needed against the limit, however few entries the rows have. */
static void rows_without_entries_are_a_matter_of_the_limit(void **state)
{
    enum { rows = 150 * 1000 * 1000 };
    char path[SCRATCH_PATH];
    char text[128];
    char reason[256];
    rc_csr_t a;
    rc_err_t err = {0};
    scratch_path(state, "hollow.mtx", path);
    snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate real general\n%d 10 1\n%d 1 1\n",
        rows, rows);
    scratch_write(path, text, strlen(text));
    int64_t need = rc_mtx_bytes(rows, 1, 1);
    assert_true(need >= 16 * (int64_t)rows && need < 17 * (int64_t)rows);
    if (rc_memory_available() < 2 * need)
        skip();
    assert_int_equal(rc_mtx_read(path, 1, &a, NULL, &err), RC_OK);
    assert_true(a.rows == rows && a.nnz == 1 && a.row_ptr[rows] == 1);
    rc_csr_free(&a);
    rc_mtx_bound_t bound = {.bytes = need, .option = "--that"};
    assert_int_equal(rc_mtx_read_within(path, 1, &bound, &a, NULL, &err), RC_OK);
    rc_csr_free(&a);
    bound.bytes--;
    assert_int_equal(rc_mtx_read_within(path, 1, &bound, &a, NULL, &err), RC_ENOMEM);
    assert_non_null(strstr(err.text, "150000000 x 10 with up to 1 entry takes about "));
    assert_non_null(strstr(err.text, "; --that sets it"));
    snprintf(reason, sizeof reason, "memory: %.240s", err.text);
    assert_true(rc_memory_needed(reason) == need);
    /* what is done with it counts too */
    bound = (rc_mtx_bound_t){.bytes = 2 * need, .row_work = 100, .entry_work = 8};
    assert_int_equal(rc_mtx_read_within(path, 1, &bound, &a, NULL, &err), RC_ENOMEM);
    snprintf(reason, sizeof reason, "memory: %.240s", err.text);
    assert_true(rc_memory_needed(reason) == need + 100 * (int64_t)rows + 8);
    assert_null(strstr(err.text, "sets it"));
}

static void no_number_of_bytes_wraps(void **state)
{
    (void)state;
    assert_true(rc_mtx_bytes(INT64_MAX / 2, 1, 1) == INT64_MAX);
    assert_true(rc_mtx_bytes(1, INT64_MAX / 2, 1) == INT64_MAX);
    assert_true(rc_mtx_bytes(1, 1, INT64_MAX) == INT64_MAX);
    assert_true(rc_mtx_bytes(10, 7, 5) >= 10 * 16 + 7 * 12 + 5 * 16);
}

/* ------------------------------------------------------------------ numbers */

static void check_number(const char *text, locale_t c)
{
    double x = -7;
    const char *after;
    rc_number_t kind = rc_number_parse(text, text + strlen(text), c, &x, &after);
    double want = strtod(text, NULL);
    if (!isfinite(want)) {
        assert_int_equal(kind, RC_NUMBER_HUGE);
        return;
    }
    if (kind != RC_NUMBER_OK || memcmp(&x, &want, sizeof x) != 0 || *after)
        fail_msg("'%s': expected %.17g, found %.17g", text, want, x);
}

static void numbers_are_rounded_correctly(void **state)
{
    (void)state;
    static const char *const hard[] = {"0", "-0", "0.0e5", "1", "9007199254740993",
        "9007199254740992.5", "9007199254740993e0", "18014398509481985", "4503599627370496.5",
        "4503599627370497.5", "9999999999999999999", "1e22", "1e23", "8.5e22", "1e27", "1e28",
        "123456789012345678e-27", "9007199254740993e-1", "2.2250738585072011e-308", "4.9e-324",
        "2.4e-324", "1.7976931348623157e308", "1.7976931348623159e308", "1e309", "1e-400",
        "0.000000000000000000000000000000000001", "00000000000000000000000000001.5",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124", "1e99999999999999999999",
        "0e99999999999999999999", "123456789.123456789e+3", "1e-99999999999999999999"};
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    assert_true(c != (locale_t)0);
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
        check_number(hard[i], c);
    rc_rng_t r;
    rc_rng_seed(&r, 11);
    char text[80];
    for (int i = 0; i < 400000; i++) {
        uint64_t bits = rc_rng_next(&r);
        double x;
        memcpy(&x, &bits, sizeof x);
        if (i % 2)
            x = ldexp(rc_rng_unit(&r) - 0.5, (int)rc_rng_below(&r, 120) - 60);
        if (!isfinite(x))
            continue;
        snprintf(text, sizeof text, "%.*e", 10 + (int)rc_rng_below(&r, 12), x);
        check_number(text, c);
        /* around the middle between two doubles, where rounding is decided */
        snprintf(text, sizeof text, "%" PRIu64 "%se%d", (bits >> 10) | 1, i % 3 ? "" : ".5",
            (int)rc_rng_below(&r, 60) - 30);
        check_number(text, c);
    }
    freelocale(c);
}

/* -------------------------------------------------------------------- write */

static void written_values_come_back(void **state)
{
    char path[SCRATCH_PATH];
    enum { n = 20000 };
    rc_triple_t *t = malloc(n * sizeof *t);
    assert_non_null(t);
    rc_rng_t r;
    rc_rng_seed(&r, 12);
    for (int i = 0; i < n; i++) {
        uint64_t bits = rc_rng_next(&r);
        t[i] = (rc_triple_t){i / 100, i % 100, 0};
        memcpy(&t[i].val, &bits, sizeof bits);
        if (!isfinite(t[i].val) || i % 2)
            t[i].val = (double)(int64_t)bits / 1024;
    }
    rc_csr_t a;
    rc_csr_t b;
    rc_err_t err;
    assert_int_equal(rc_csr_from_triples(n / 100, 100, t, n, 1, &a, NULL, &err), RC_OK);
    free(t);
    scratch_path(state, "write.mtx", path);
    assert_int_equal(rc_mtx_write(path, &a, NULL, &err), RC_OK);
    assert_int_equal(rc_mtx_write(path, &a, "again", &err), RC_OK);
    assert_int_equal(rc_mtx_read(path, 2, &b, NULL, &err), RC_OK);
    assert_memory_equal(a.val, b.val, n * sizeof *a.val);
    int64_t rows;
    int64_t cols;
    int64_t entries;
    rc_mtx_info_t info;
    assert_int_equal(rc_mtx_peek(path, &rows, &cols, &entries, &info, &err), RC_OK);
    assert_true(rows == n / 100 && cols == 100 && entries == n);
    assert_string_equal(info.format, "coordinate");
    rc_csr_free(&b);
    a.val[7] = (double)INFINITY;
    assert_int_equal(rc_mtx_write(path, &a, NULL, &err), RC_EINVAL);
    assert_int_equal(rc_mtx_write(*state, &a, NULL, &err), RC_EIO);
    scratch_path(state, "no/such/folder.mtx", path);
    assert_int_equal(rc_mtx_write(path, &a, NULL, &err), RC_EIO);
    rc_csr_free(&a);
    /* nothing half-written is left, and the good file stands */
    scratch_path(state, "write.mtx", path);
    assert_int_equal(rc_mtx_read(path, 1, &a, NULL, &err), RC_OK);
    rc_csr_free(&a);
    char command[SCRATCH_PATH + 40];
    snprintf(command, sizeof command, "! ls '%s' | grep -q part", (const char *)*state);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_are_expanded),
        cmocka_unit_test(white_space_is_tolerated),
        cmocka_unit_test(arrays_are_read_by_columns),
        cmocka_unit_test(real_matrices_agree_with_fscanf),
        cmocka_unit_test(malformed_files_are_explained),
        cmocka_unit_test(unreadable_files_are_explained),
        cmocka_unit_test(lines_are_counted_across_slices),
        cmocka_unit_test(rows_without_entries_are_a_matter_of_the_limit),
        cmocka_unit_test(no_number_of_bytes_wraps),
        cmocka_unit_test(numbers_are_rounded_correctly),
        cmocka_unit_test(written_values_come_back),
    };
    return cmocka_run_group_tests_name("mtx", tests, scratch_setup, scratch_teardown);
}
