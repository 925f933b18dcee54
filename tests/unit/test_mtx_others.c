/* Matrix Market files as other programs write them: what each is worth, and which are refused. */
#include "config.h"
#include "unit.h"
#include "scratch.h"

#include "base/rng.h"
#include "io/mtx.h"
#include "sparse/csr.h"

#include <archive.h>
#include <archive_entry.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { side = 3 };
#define NO 12345.0 /* no entry there */
#define MM "%%MatrixMarket matrix coordinate "
#define INF ((double)INFINITY)
#define NAN_ ((double)NAN)

/* As a stream, which has no end that is known before it comes. */
static void write_gzip(const char *path, const char *text, size_t n)
{
    struct archive *a = archive_write_new();
    struct archive_entry *e = archive_entry_new();
    assert_true(a && e);
    archive_entry_set_filetype(e, AE_IFREG);
    archive_entry_set_pathname(e, "x");
    assert_int_equal(archive_write_add_filter_gzip(a), ARCHIVE_OK);
    assert_int_equal(archive_write_set_format_raw(a), ARCHIVE_OK);
    assert_int_equal(archive_write_open_filename(a, path), ARCHIVE_OK);
    assert_int_equal(archive_write_header(a, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(a, text, n), n);
    assert_int_equal(archive_write_close(a), ARCHIVE_OK);
    archive_write_free(a);
    archive_entry_free(e);
}

typedef struct good {
    const char *what;
    const char *text;
    double want[side][side];
} good_t;

#define DIAGONAL {{5, NO, NO}, {NO, 6, NO}, {NO, NO, 7}}
#define LOWER {{NO, 2, NO}, {2, NO, NO}, {NO, NO, 7}}
#define PLAIN "3 3 3\n1 1 5\n2 2 6\n3 3 7\n"
#define HALF "3 3 2\n2 1 2\n3 3 7\n"

static const good_t good[] = {
    {"blanks before the banner", " \t" MM "real general\n" PLAIN, DIAGONAL},
    {"blank lines before the banner", "\n  \n" MM "real general\n" PLAIN, DIAGONAL},
    {"blanks before a comment", MM "real general\n  % c\n\t%\n" PLAIN, DIAGONAL},
    {"one % in the banner", "%MatrixMarket matrix coordinate real general\n" PLAIN, DIAGONAL},
    {"vertices and edges", "%MatrixMarket matrix coordinate real symmetric\n3 2\n2 1 2\n3 3 7\n", LOWER},
    {"more edges than vertices", "%MatrixMarket matrix coordinate real general\n3 4\n1 1 5\n2 2 6\n3 3 7\n1 2 9\n",
        {{5, 9, NO}, {NO, 6, NO}, {NO, NO, 7}}},
    {"edges to later vertices", "%MatrixMarket matrix coordinate real general\n3 2\n1 1 5\n1 3 6\n",
        {{5, NO, 6}, {NO, NO, NO}, {NO, NO, NO}}},
    {"as many edges as vertices", MM "real general\n3 3\n1 1 5\n2 2 6\n3 3 7\n", DIAGONAL},
    {"float", MM "float general\n" PLAIN, DIAGONAL},
    {"double", MM "Double symmetric\n" HALF, LOWER},
    {"unsigned-integer", MM "unsigned-integer general\n" PLAIN, DIAGONAL},
    {"no symmetry", MM "real\n" PLAIN, DIAGONAL},
    {"no symmetry, a comment", MM "real % symmetric\n" PLAIN, DIAGONAL},
    {"words after the banner", MM "real symmetric made by hand, 3\n" HALF, LOWER},
    {"comments after the size line", MM "real general\n3 3 3\n% a\n1 1 5\n  %%\n2 2 6\n%3 3 9\n3 3 7\n% end", DIAGONAL},
    {"comments in an array", "%%MatrixMarket matrix array real general\n3 1\n% a\n5\n6\n%b\n7\n",
        {{5, NO, NO}, {6, NO, NO}, {7, NO, NO}}},
    {"CR alone", MM "real general\r% c\r\r3 3 3\r1 1 5\r2 2 6\r\r3 3 7\r", DIAGONAL},
    {"CR alone, no last one", MM "real symmetric\r3 3 2\r2 1 2\r3 3 7", LOWER},
    {"CR CR LF", MM "real general\r\r\n% c\r\r\n3 3 3\r\r\n1 1 5\r\r\n2 2 6\r\r\n3 3 7\r\r\n", DIAGONAL},
    {"all line ends", MM "real general\n3 3 3\r\n1 1 5\r2 2 6\r\r\n3 3 7\r", DIAGONAL},
    {"a byte order mark", "\xef\xbb\xbf" MM "real general\n" PLAIN, DIAGONAL},
    {"a byte order mark and CR LF", "\xef\xbb\xbf" MM "real symmetric\r\n3 3 2\r\n2 1 2\r\n3 3 7\r\n", LOWER},
    {"whole numbers with a point", MM "integer general\n3 3 4\n1 1 5.\n2 2 6.000\n3 3 .7e1\n1 2 -3.e0\n",
        {{5, -3, NO}, {NO, 6, NO}, {NO, NO, 7}}},
    {"whole numbers with an exponent", MM "integer general\n3 3 5\n1 1 5e3\n2 2 +60e-1\n3 3 0.0070E+3\n1 2 -1e3\n1 3 0e99\n",
        {{5000, -1000, 0}, {NO, 6, NO}, {NO, NO, 7}}},
    {"whole numbers with more zeros than fit", MM "integer general\n3 3 4\n1 1 100000000000000000000e-18\n2 2 -3000000000000000000000.000E-20\n3 3 00000000000000000000000.0\n1 2 0000000000000000000000070\n",
        {{100, 70, NO}, {NO, -30, NO}, {NO, NO, 0}}},
    {"the largest whole number", MM "integer general\n3 3 1\n1 1 90071992547409920e-1\n",
        {{9007199254740992.0, NO, NO}, {NO, NO, NO}, {NO, NO, NO}}},
    {"not a number, infinite", MM "real general\n3 3 6\n1 1 nan\n1 2 -NaN\n2 1 Inf\n2 2 -inf\n3 1 +Infinity\n3 3 -INFINITY\n",
        {{NAN_, NAN_, NO}, {INF, -INF, NO}, {INF, NO, -INF}}},
    {"infinite and symmetric", MM "real symmetric\n3 3 2\n2 1 inf\n3 3 NaN\n", {{NO, INF, NO}, {INF, NO, NO}, {NO, NO, NAN_}}},
    {"both triangles", MM "real symmetric\n3 3 4\n1 2 2\n2 1 2\n3 3 7\n1 1 5\n", {{5, 2, NO}, {2, NO, NO}, {NO, NO, 7}}},
    {"both triangles, summed", MM "real symmetric\n3 3 4\n1 2 2\n2 1 1\n3 3 7\n2 1 1\n", LOWER},
    {"both triangles, not finite", MM "real symmetric\n3 3 2\n1 2 nan\n2 1 nan\n",
        {{NO, NAN_, NO}, {NAN_, NO, NO}, {NO, NO, NO}}},
    {"both triangles, skew", MM "integer skew-symmetric\n3 3 2\n1 2 -4\n2 1 4\n", {{NO, -4, NO}, {4, NO, NO}, {NO, NO, NO}}},
};

static void check_good(const good_t *g, const char *path, int threads, size_t block, size_t slice)
{
    rc_csr_t a;
    rc_err_t err = {0};
    if (rc_mtx_read_blocks(path, threads, block, slice, &a, NULL, &err) != RC_OK)
        fail_msg("%s: %s", g->what, err.text);
    assert_int_equal(rc_csr_check(&a, &err), RC_OK);
    double found[side][side];
    for (int i = 0; i < side * side; i++)
        found[i / side][i % side] = NO;
    assert_true(a.rows == side && a.cols <= side);
    for (int64_t row = 0; row < a.rows; row++)
        for (int64_t k = a.row_ptr[row]; k < a.row_ptr[row + 1]; k++)
            found[row][a.col_idx[k]] = a.val[k];
    for (int i = 0; i < side * side; i++) {
        double want = g->want[i / side][i % side];
        double value = found[i / side][i % side];
        if (!(value == want || (isnan(value) && isnan(want))))
            fail_msg("%s: (%d, %d): expected %g, found %g", g->what, i / side, i % side, want, value);
    }
    rc_csr_free(&a);
}

static void what_others_write_has_its_value(void **state)
{
    char path[SCRATCH_PATH];
    char packed[SCRATCH_PATH];
    static const size_t size[] = {1, 2, 3, 7, 30, 1 << 20};
    scratch_path(state, "good.mtx", path);
    scratch_path(state, "good.mtx.gz", packed);
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        rc_mtx_counts_t n;
        rc_err_t err;
        scratch_write(path, good[i].text, strlen(good[i].text));
        write_gzip(packed, good[i].text, strlen(good[i].text));
        for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
            check_good(&good[i], path, 1 + (int)k % 3, 16, size[k]);
            check_good(&good[i], packed, 1 + (int)k % 3, size[k], size[5 - k]);
        }
        int64_t entries = 0;
        for (int k = 0; k < side * side; k++)
            entries += good[i].want[k / side][k % side] != NO;
        assert_int_equal(rc_mtx_count(path, 2, NULL, &n, &err), RC_OK);
        int sums = strstr(good[i].what, "summed") != NULL;
        if (n.expanded != entries + sums)
            fail_msg("%s: counted %" PRId64, good[i].what, n.expanded);
    }
}

/* Of a pattern and of complex values: where the entries are. */
static void patterns_of_both_triangles_are_taken(void **state)
{
    static const char *const text[] = {
        MM "pattern symmetric\n3 3 3\n1 2\n2 1\n3 3\n",
        "%MatrixMarket matrix coordinate pattern symmetric\n3 3\n1 2\n2 1\n3 3\n",
        MM "complex hermitian\n3 3 3\n1 2 1 -2\n2 1 1 2\n3 3 1 0\n",
        MM "complex symmetric\n3 3 3\n1 2 1 2\n2 1 1 2\n3 3 1 nan\n",
        MM "pattern symmetric\n3 3 2\n2 1\n3 3\n",
    };
    char path[SCRATCH_PATH];
    rc_digest_t first = {0, 0};
    scratch_path(state, "pattern.mtx", path);
    for (size_t i = 0; i < sizeof text / sizeof *text; i++) {
        rc_csr_t a;
        rc_err_t err;
        rc_digest_t d;
        scratch_write(path, text[i], strlen(text[i]));
        if (rc_mtx_read_blocks(path, 2, 16, 4, &a, NULL, &err) != RC_OK)
            fail_msg("%s", err.text);
        assert_int_equal(rc_csr_digest(&a, &d, NULL), RC_OK);
        if (i == 0)
            first = d;
        assert_int_equal(rc_digest_compare(&first, &d), 0);
        rc_csr_free(&a);
    }
}

/* Of both triangles, and of arrays, too. */
static void complex_values_are_kept(void **state)
{
    static const struct {
        const char *text;
        double part[8];
    } file[] = {
        {MM "complex hermitian\n2 2 3\n1 2 1 -2\n2 1 1 2\n2 2 7 0\n", {1, -2, 1, 2, 7, 0}},
        {MM "complex skew-symmetric\n2 2 2\n1 2 -3 -1\n2 1 3 1\n", {-3, -1, 3, 1}},
        {MM "complex symmetric\n2 2 3\n1 2 1 2\n2 1 1 2\n1 1 0 5\n", {0, 5, 1, 2, 1, 2}},
        {"%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 3\n4 0\n", {1, 0, 2, -3, 2, 3, 4, 0}},
        {"%%MatrixMarket matrix array complex general\n2 2\n1 2\n3 4\n5 6\n7 8\n", {1, 2, 5, 6, 3, 4, 7, 8}},
        {MM "real symmetric\n2 2 2\n1 1 3\n2 1 4\n", {3, 0, 4, 0, 4, 0}},
    };
    char path[SCRATCH_PATH];
    rc_csr_t a = {0};
    rc_err_t err;
    double part[8];
    scratch_path(state, "complex.mtx", path);
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        rc_csr_free(&a);
        scratch_write(path, file[i].text, strlen(file[i].text));
        if (rc_mtx_read(path, 2, &a, NULL, &err) != RC_OK)
            fail_msg("%s", err.text);
        if (rc_mtx_read_complex(path, 2, &a, part, &err) != RC_OK)
            fail_msg("%s", err.text);
        for (int64_t k = 0; k < 2 * a.nnz; k++)
            assert_true(part[k] == file[i].part[k]);
    }
    scratch_write(path, file[0].text, strlen(file[0].text));
    /* the last one has as many entries, at other places */
    assert_int_equal(rc_mtx_read_complex(path, 2, &a, part, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "the matrix of that file"));
    assert_int_equal(rc_mtx_read_complex(NULL, 2, &a, part, &err), RC_EINVAL);
    assert_int_equal(rc_mtx_read_complex(path, -1, &a, part, &err), RC_EINVAL);
    assert_int_equal(rc_mtx_read_complex(path, 2, &a, NULL, &err), RC_EINVAL);
    rc_csr_free(&a);
}

static const struct {
    const char *text;
    int64_t line;
    const char *words;
} bad[] = {
    {MM "real symmetric\n3 3 2\n2 1 2\n% c\n1 2 3\n", 2 + 3, "to agree (the banner says symmetric), found 3 and 2"},
    {MM "real symmetric\n3 3 2\n1 2 3\n\n2 1 2\n", 3, "to agree"},
    {MM "real symmetric\n3 3 3\n1 2 3\n2 1 3\n1 3 4\n", 5, "found (1, 3) without (3, 1)"},
    {MM "real symmetric\n3 3 3\n1 2 3\n2 1 3\n3 1 4\n", 5, "found (3, 1) without (1, 3)"},
    {MM "real symmetric\n3 3 2\n1 2 nan\n2 1 1\n", 3, "to agree"},
    {MM "real skew-symmetric\n3 3 2\n1 2 3\n2 1 3\n", 3, "to agree"},
    {MM "complex hermitian\n3 3 2\n1 2 3 1\n2 1 3 1\n", 3, "to agree"},
    {MM "complex symmetric\n3 3 2\n2 1 3 1\n1 2 3 -1\n", 4, "to agree"},
    {MM "complex skew-symmetric\n3 3 2\n2 1 3 1\n1 2 -3 1\n", 4, "to agree"},
    {MM "pattern symmetric\n3 3 2\n2 1\n1 3\n", 4, "without"},
    {MM "real general\n3 2\n1 1 1\n2 2 2\n", 2, "3 vertices and 2 edges may be 3 rows and 2 columns"},
    {MM "real general\n3 4\n1 1 1\n2 2 2\n", 2, "at most 2"},
    {MM "real symmetric\n2 2\n1 1 1\n3 2 2\n", 4, "row from 1 to 2"},
    {MM "real general symmetric\n" HALF, 1, "one symmetry"},
    {MM "real symetric\n" HALF, 1, "found 'symetric'"},
    {MM "double\n3 3 1\n1 1 x\n", 3, "found 'x'"},
    {MM "unsigned-integer general\n3 3 1\n1 1 -1\n", 3, "not negative"},
    {MM "unsigned-integer skew-symmetric\n3 3 0\n", 1, "both signs"},
    {MM "integer general\n3 3 1\n1 1 1.5\n", 3, "whole number"},
    {MM "integer general\n3 3 1\n1 1 1e-1\n", 3, "whole number"},
    {MM "integer general\n3 3 1\n1 1 1.00000000000000000001\n", 3, "whole number"},
    {MM "integer general\n3 3 1\n1 1 90071992547409930e-1\n", 3, "exactly"},
    {MM "integer general\n3 3 1\n1 1 1e16\n", 3, "exactly"},
    {MM "integer general\n3 3 1\n1 1 nan\n", 3, "found 'nan'"},
    {MM "integer general\n3 3 1\n1 1 1e\n", 3, "found '1e'"},
    {MM "real general\n3 3 1\n1 1 nano\n", 3, "found 'nano'"},
    {MM "real general\n3 3 1\n1 1 infinite\n", 3, "found 'infinite'"},
    {MM "real skew-symmetric\n3 3 1\n1 1 nan\n", 3, "0 on the diagonal"},
    {MM "real general\r3 3 2\r1 1 1\r1 9 1\r", 4, "column from 1 to 3"},
    {MM "real general\r\r\n3 3 2\r\r\n1 1 1\r\r\n1 9 1\r\r\n", 4, "column from 1 to 3"},
    {MM "pattern general\n3 3 1\n1\r2\n", 3, "column"},
    {MM "real general\n3 3 1\n% a\n1 1 1\n% b\n2 2 2\n", 6, "after 1 entries"},
    {MM "real general\n3 3 2\n% a\n1 1 1    \n% b\n", 6, "expected 2 entries"},
    {"\n \n\n", 1, "banner"},
    {"\xff\xfe%\0%\0", 1, "banner"},
    {"% a comment\n" MM "real general\n" PLAIN, 1, "banner"},
};

static void what_may_mean_two_things_is_refused(void **state)
{
    char path[SCRATCH_PATH];
    scratch_path(state, "bad.mtx", path);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int small = 0; small < 2; small++) {
            char place[32];
            rc_csr_t a;
            rc_err_t err = {0};
            rc_mtx_counts_t n;
            scratch_write(path, bad[i].text, strlen(bad[i].text));
            snprintf(place, sizeof place, "bad.mtx:%" PRId64 ": ", bad[i].line);
            rc_status_t st = rc_mtx_read_blocks(
                path, 1 + 2 * small, 16, small ? 3 : 1 << 20, &a, NULL, &err);
            if ((st != RC_EFORMAT && st != RC_ERANGE) || !strstr(err.text, place) ||
                !strstr(err.text, bad[i].words))
                fail_msg("case %zu: expected '%s' and '%s'; found %d, '%s'", i, place, bad[i].words,
                    (int)st, err.text);
            assert_int_equal(rc_mtx_count(path, 1, NULL, &n, NULL), st);
        }
}

/* Any number whose digits say that it is whole is read as strtod does, and no other is read. */
static void whole_numbers_are_those_of_their_digits(void **state)
{
    char path[SCRATCH_PATH];
    rc_rng_t r;
    rc_rng_seed(&r, 33);
    scratch_path(state, "whole.mtx", path);
    for (int i = 0; i < 3000; i++) {
        char number[64];
        char text[160];
        uint64_t digits = rc_rng_next(&r) >> (14 + rc_rng_below(&r, 40));
        int shift = (int)rc_rng_below(&r, 7) - 3;
        int zeros = (int)rc_rng_below(&r, 4);
        /* DIGITS 0..0 . 0..0 e SHIFT: whole when the digits end in as many zeros as it takes */
        int n = snprintf(number, sizeof number, "%s%" PRIu64 "%.*s%s%.*se%d", i % 2 ? "-" : "", digits,
            zeros, "000", i % 3 ? "." : "", i % 3 ? i % 4 : 0, "000", shift);
        assert_true(n > 0 && n < (int)sizeof number);
        int64_t scale = 1;
        for (int k = 0; k < (shift + zeros < 0 ? -(shift + zeros) : shift + zeros); k++)
            scale *= 10;
        int is_whole = shift + zeros >= 0 || digits % (uint64_t)scale == 0;
        double want = strtod(number, NULL);
        int fits = fabs(want) < 0x1p53;
        n = snprintf(text, sizeof text, MM "integer general\n3 3 1\n1 1 %s\n", number);
        scratch_write(path, text, (size_t)n);
        rc_csr_t a;
        rc_err_t err;
        rc_status_t st = rc_mtx_read(path, 1, &a, NULL, &err);
        if ((st == RC_OK) != (is_whole && fits))
            fail_msg("%s: %s", number, st == RC_OK ? "was read" : err.text);
        if (st == RC_OK) {
            if (a.val[0] != want)
                fail_msg("%s: found %.17g", number, a.val[0]);
            rc_csr_free(&a);
        }
    }
}

/* A file with both triangles is the matrix of the file with one, and of the general file. */
static void both_triangles_are_one_matrix(void **state)
{
    enum { n = 40, rounds = 30 };
    char path[SCRATCH_PATH];
    rc_rng_t r;
    rc_rng_seed(&r, 34);
    scratch_path(state, "both.mtx", path);
    for (int round = 0; round < rounds; round++) {
        static const char *const says[] = {"symmetric", "skew-symmetric", "symmetric", "general"};
        int skew = round % 2;
        int most = (int)rc_rng_below(&r, 200);
        rc_digest_t digest[3];
        uint64_t seed = rc_rng_next(&r);
        for (int form = 0; form < 3; form++) { /* lower, both, general */
            FILE *f = fopen(path, "w");
            assert_non_null(f);
            fprintf(f, MM "real %s\n%d %d %d\n", form == 2 ? says[3] : says[skew], n, n,
                form == 0 ? most : 2 * most);
            rc_rng_t same;
            rc_rng_seed(&same, seed);
            for (int k = 0; k < most; k++) {
                int i = 2 + (int)rc_rng_below(&same, n - 1);
                int j = 1 + (int)rc_rng_below(&same, (uint64_t)i - 1);
                double v = (double)rc_rng_below(&same, 1000) / 8;
                fprintf(f, "%d %d %g\n", i, j, v);
                if (form > 0)
                    fprintf(f, "%d %d %g\n", j, i, skew ? -v : v);
            }
            fclose(f);
            rc_csr_t a;
            rc_err_t err;
            if (rc_mtx_read_blocks(path, 3, 64, 50, &a, NULL, &err) != RC_OK)
                fail_msg("%s", err.text);
            assert_int_equal(rc_csr_digest(&a, &digest[form], NULL), RC_OK);
            rc_csr_free(&a);
        }
        assert_int_equal(rc_digest_compare(&digest[0], &digest[1]), 0);
        assert_int_equal(rc_digest_compare(&digest[0], &digest[2]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_others_write_has_its_value),
        cmocka_unit_test(patterns_of_both_triangles_are_taken),
        cmocka_unit_test(complex_values_are_kept),
        cmocka_unit_test(what_may_mean_two_things_is_refused),
        cmocka_unit_test(whole_numbers_are_those_of_their_digits),
        cmocka_unit_test(both_triangles_are_one_matrix),
    };
    return cmocka_run_group_tests_name("mtx_others", tests, scratch_setup, scratch_teardown);
}
