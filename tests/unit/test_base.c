#include "config.h"
#include "unit.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/decimal.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/opt.h"
#include "base/rng.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/visible.h"
#include "base/users.h"
#include "base/type.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Each 10 s of a wait, however often it is asked; a clock that jumps says it once. */
static void a_wait_is_said_each_ten_seconds(void **state)
{
    (void)state;
    const int64_t second = 1000000000;
    rc_wait_t w = {0};
    int said = 0;
    for (int64_t tenth = 0; tenth <= 355; tenth++) {
        double waited = rc_wait_due(&w, 7 * second + tenth * second / 10);
        said += waited > 0;
        assert_true(waited == 0 || fabs(waited - 10.0 * said) < 1e-9);
    }
    assert_int_equal(said, 3);
    assert_true(rc_wait_due(&w, 107 * second) == 100);
    assert_true(rc_wait_due(&w, 107 * second + 1) == 0);
    rc_wait_t often = {.every_ns = 5};
    assert_true(rc_wait_due(&often, 1) == 0 && rc_wait_due(&often, 5) == 0);
    assert_true(rc_wait_due(&often, 6) > 0);
}

static void stats_of_known_samples(void **state)
{
    (void)state;
    double x[] = { 4, 1, 3, 2 };
    rc_stats_t s;
    rc_stats_compute(x, 4, &s);
    assert_true(s.min == 1 && s.max == 4 && s.mean == 2.5 && s.median == 2.5);
    assert_true(fabs(s.sd - sqrt(5.0 / 3.0)) < 1e-15);
    assert_true(fabs(s.geomean - pow(24, 0.25)) < 1e-15);
    /* deviations from 2.5 are .5 .5 1.5 1.5, their median 1 */
    assert_true(fabs(s.rel_err - 1.2533 * 1.4826 * 1.0 / (2 * 2.5)) < 1e-15);
}

/* The windowed median deviation against the plain definition. */
static void median_deviation_is_exact(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 7);
    for (int round = 0; round < 500; round++) {
        int n = 3 + (int)rc_rng_below(&r, 30);
        double x[40];
        double d[40];
        for (int i = 0; i < n; i++)
            x[i] = 1 + (double)rc_rng_below(&r, 12);
        rc_stats_t s;
        rc_stats_compute(x, n, &s);
        for (int i = 0; i < n; i++)
            d[i] = fabs(x[i] - s.median);
        qsort(d, (size_t)n, sizeof *d, rc_stats_compare);
        double mad = rc_stats_quantile(d, n, 0.5);
        assert_true(fabs(s.rel_err - 1.2533 * 1.4826 * mad / (sqrt(n) * s.median)) < 1e-12);
    }
}

static void rng_is_uniform_and_seeded(void **state)
{
    (void)state;
    rc_rng_t a;
    rc_rng_t b;
    rc_rng_seed(&a, 1);
    rc_rng_seed(&b, 1);
    int hits[10] = { 0 };
    for (int i = 0; i < 100000; i++) {
        uint64_t v = rc_rng_below(&a, 10);
        assert_true(v == rc_rng_below(&b, 10));
        hits[v]++;
    }
    for (int i = 0; i < 10; i++)
        assert_in_range(hits[i], 9500, 10500);
    for (uint64_t i = 0; i < 1000; i++) {
        double v = rc_rng_signed(3, i);
        assert_true(v >= -1 && v < 1 && (double)(float)v == v);
    }
}

static void digest_survives_text(void **state)
{
    (void)state;
    rc_digest_t d = rc_digest("rowcast", 7);
    rc_digest_t e;
    rc_hex_t hex = rc_digest_hex(d);
    assert_int_equal(strlen(hex.text), RC_DIGEST_HEX);
    assert_int_equal(rc_digest_parse(hex.text, &e), RC_OK);
    assert_int_equal(rc_digest_compare(&d, &e), 0);
    hex.text[3] = 'X';
    assert_true(rc_digest_parse(hex.text, &e) < 0);
    rc_hasher_t *h = rc_hasher_new(NULL);
    assert_non_null(h);
    rc_hasher_add(h, "row", 3);
    rc_hasher_add(h, "cast", 4);
    e = rc_hasher_digest(h);
    assert_int_equal(rc_digest_compare(&d, &e), 0);
    rc_hasher_free(h);
}

static void numbers_are_parsed_whole(void **state)
{
    (void)state;
    static const char *const bad[] = { "", " 1", "1 ", "1x", "0x10", "--1", "9999999999999999999" };
    int64_t v;
    rc_err_t err;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_true(rc_parse_int(bad[i], INT64_MIN, INT64_MAX, "n", &v, &err) < 0);
    assert_int_equal(rc_parse_int("-12", -12, 0, "n", &v, &err), RC_OK);
    assert_true(v == -12);
    assert_int_equal(rc_parse_int("-13", -12, 0, "n", &v, &err), RC_ERANGE);
    assert_int_equal(rc_parse_bytes("1.5K", "b", &v, &err), RC_OK);
    assert_true(v == 1536);
    assert_true(rc_parse_bytes("1.5X", "b", &v, &err) < 0);
    assert_true(rc_parse_bytes("-1", "b", &v, &err) < 0);
}

static void words_and_near_names(void **state)
{
    (void)state;
    rc_words_t w;
    assert_int_equal(rc_words_split("a,bb,c", ',', &w, NULL), RC_OK);
    assert_int_equal(w.count, 3);
    assert_string_equal(w.word[1], "bb");
    rc_words_free(&w);
    assert_true(rc_words_split("a,,c", ',', &w, NULL) < 0);
    static const char *const names[] = { "rows", "cols", "nnz" };
    assert_string_equal(rc_similar("row", names, 3), "rows");
    assert_null(rc_similar("density", names, 3));
    rc_err_t err = { 0 };
    assert_int_equal(rc_fail_unknown(&err, RC_ENOENT, "field", "row", names, 3), RC_ENOENT);
    assert_string_equal(
        err.text, "unknown field 'row'; did you mean 'rows'?; known: rows, cols, nnz");
    static const char *const ended[] = { "one", NULL };
    assert_int_equal(rc_fail_unknown(&err, RC_EINVAL, "word", "density", ended, -1), RC_EINVAL);
    assert_string_equal(err.text, "unknown word 'density'; known: one");
}

struct opts {
    int64_t number;
    int flag;
    const char *text;
};

static const rc_opt_t table[] = {
    { "number", 'n', RC_OPT_INT, offsetof(struct opts, number), "N", "A number.", 0, 100 },
    { "flag", 'f', RC_OPT_FLAG, offsetof(struct opts, flag), NULL, "A flag.", 0, 0 },
    { "text", 0, RC_OPT_TEXT, offsetof(struct opts, text), "TEXT", "A text.", 0, 0 },
    { NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0 },
};

static void options_and_operands_mix(void **state)
{
    (void)state;
    char *argv[] = { "cmd", "one", "--number=7", "two", "-f", "--text", "--x", "three", "--",
        "--four", NULL };
    struct opts o = { 0, 0, NULL };
    int first;
    rc_err_t err;
    assert_int_equal(rc_opt_parse(table, &o, 10, argv, &first, &err), RC_OK);
    assert_true(o.number == 7 && o.flag == 1);
    assert_string_equal(o.text, "--x");
    assert_int_equal(10 - first, 4);
    assert_string_equal(argv[first], "one");
    assert_string_equal(argv[first + 1], "two");
    assert_string_equal(argv[first + 2], "three");
    assert_string_equal(argv[first + 3], "--four");
}

static void older_spellings_work(void **state)
{
    static const rc_opt_t later[] = {
        { "orders", 'p', RC_OPT_TEXT, 0, "ORDERS", "Orders.", 0, 0 },
        { "columns", 0, RC_OPT_TEXT, 0, "FIELDS", "Fields.", 0, 0 },
        { NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0 },
    };
    static const struct {
        const char *word;
        const char *said; /* a part of it; NULL: nothing */
    } known[] = { { "--orders", NULL }, { "--policies", NULL }, { "--policy", NULL },
        { "-p", NULL }, { "--columns", NULL }, { "-o", "write --columns" } };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char word[16], value[] = "lpt";
        char *argv[] = { "cmd", word, value, NULL };
        const char *found = NULL;
        int first;
        rc_err_t err = { 0 };
        snprintf(word, sizeof word, "%s", known[i].word);
        assert_int_equal(rc_opt_parse(later, &found, 3, argv, &first, &err), RC_OK);
        assert_string_equal(found, "lpt");
        assert_int_equal(err.text[0] != '\0', known[i].said != NULL);
        assert_true(!known[i].said || strstr(err.text, known[i].said));
    }
}

static void bad_options_are_named(void **state)
{
    (void)state;
    static char *const bad[][3] = { { "c", "--numbr=1", "--number" }, { "c", "--flag=1", "no value" },
        { "c", "--number", "needs a value" }, { "c", "--number=101", "0 to 100" },
        { "c", "-q", "-q" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char *argv[] = { bad[i][0], bad[i][1], NULL };
        struct opts o = { 0, 0, NULL };
        int first;
        rc_err_t err = { 0 };
        assert_true(rc_opt_parse(table, &o, 2, argv, &first, &err) < 0);
        assert_non_null(strstr(err.text, bad[i][2]));
    }
}

static void text_from_outside_is_visible(void **state)
{
    (void)state;
    static const char *const pair[][2] = {{"", ""}, {"plain, text", "plain, text"},
        {"gr\xc3\xb6\xc3\x9f" "e", "gr\xc3\xb6\xc3\x9f" "e"}, {"\xf0\x9f\x8d\x8c", "\xf0\x9f\x8d\x8c"},
        {"a\x1b[2J", "a\\x1b[2J"}, {"a\nb\tc\x7f", "a\\x0ab\\x09c\\x7f"}, {"\xc2\x9b" "2J", "\\u009b2J"},
        {"\xff\xc3", "\\xff\\xc3"}, {"\xc0\xaf", "\\xc0\\xaf"}, {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, {"a\xe2\x80\xae" "b", "a\\u202eb"},
        {"\xe2\x81\xa6\xe2\x80\xa8", "\\u2066\\u2028"}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        char text[64];
        rc_str_t s = {0};
        rc_visible(pair[i][0], text, sizeof text);
        assert_string_equal(text, pair[i][1]);
        rc_str_add_visible(&s, pair[i][0]);
        rc_str_add_visible(&s, text); /* twice is as once */
        assert_string_equal(s.text + strlen(text), text);
        assert_int_equal(rc_is_visible(pair[i][0]), strcmp(pair[i][0], pair[i][1]) == 0);
        rc_str_free(&s);
    }
    char cut[6];
    rc_visible("abc\xc3\xb6\xc3\xb6", cut, sizeof cut);
    assert_string_equal(cut, "abc\xc3\xb6");
    rc_visible("abc\x1b", cut, sizeof cut);
    assert_string_equal(cut, "abc");
    rc_err_t err;
    rc_fail(&err, RC_EIO, "found '%s'", "\x1b]0;x\x07\n\xe2\x80\xae");
    assert_string_equal(err.text, "found '\\x1b]0;x\\x07 \\u202e'");
}

static void cells_are_no_formulas(void **state)
{
    (void)state;
    static const char *const pair[][2] = {{"a b", "a b"}, {"a,b", "\"a,b\""}, {"a\"b", "\"a\"\"b\""},
        {"-1.5e3", "-1.5e3"}, {"+7", "+7"}, {"-", "-"}, {"=1+1", "\"'=1+1\""}, {"@x", "\"'@x\""},
        {"-1+cmd|' /C calc'!A0", "\"'-1+cmd|' /C calc'!A0\""}, {"+1-2", "\"'+1-2\""},
        {"=a,\"b\"", "\"'=a,\"\"b\"\"\""}, {"a\nb", "a\\x0ab"}, {"", ""}};
    for (size_t i = 0; i < sizeof pair / sizeof *pair; i++) {
        rc_str_t s = {0};
        rc_str_add_csv(&s, pair[i][0]);
        assert_string_equal(s.text, pair[i][1]);
        rc_str_free(&s);
    }
}

static void width_is_columns_not_bytes(void **state)
{
    static const struct {
        const char *text;
        int width;
    } t[] = {{"", 0}, {"abc", 3}, {"gr\xc3\xb6\xc3\x9f" "e", 5}, {"e\xcc\x81", 1}, {"\xe7\x9f\xa9\xe9\x98\xb5", 4},
        {"\xf0\x9f\x98\x80!", 3}, {"\xff\xfe", 2}, {"\xc3", 1}, {"\xe2\x82\xac", 1}, {"\xed\x95\x9c", 2}};
    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (rc_text_width(t[i].text) != t[i].width)
            fail_msg("'%s': expected %d, found %d", t[i].text, t[i].width, rc_text_width(t[i].text));
}

static void words_fit_numbers(void **state)
{
    (void)state;
    assert_string_equal(rc_plural(1), "");
    assert_string_equal(rc_plural(0), "s");
    assert_string_equal(rc_plural(2), "s");
    assert_string_equal(rc_matrices(1), "matrix");
    assert_string_equal(rc_matrices(0), "matrices");
}

static void the_last_user_is_told(void **state)
{
    (void)state;
    rc_users_t *users = NULL;
    rc_err_t err = {0};
    assert_true(rc_users_leave(NULL));
    assert_false(rc_users_others(NULL));
    assert_int_equal(rc_users_new(&users, &err), RC_OK);
    assert_false(rc_users_others(users));
    rc_users_join(users);
    rc_users_join(users);
    assert_true(rc_users_others(users));
    assert_false(rc_users_leave(users));
    assert_false(rc_users_leave(users));
    assert_false(rc_users_others(users));
    assert_true(rc_users_leave(users));
}

static void like_printf(double x, int n)
{
    char want[RC_DECIMAL_BYTES];
    char found[RC_DECIMAL_BYTES];
    snprintf(want, sizeof want, "%.*g", n, x);
    rc_decimal_real(x, n, found);
    assert_string_equal(found, want);
}

/* Any bits; many magnitudes; whole numbers; halves, where the nearest is the even one; next to powers of ten. */
static void numbers_are_as_printf_writes_them(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 3);
    for (int i = 0; i < 200000; i++) {
        uint64_t bits = rc_rng_next(&r);
        int n = 1 + i % RC_DECIMAL_MOST;
        int down = (int)rc_rng_below(&r, 120);
        double ten = pow(10, (double)rc_rng_below(&r, 40) - 20);
        double any;
        char want[RC_DECIMAL_BYTES];
        char found[RC_DECIMAL_BYTES];
        memcpy(&any, &bits, sizeof any);
        const double x[] = {any, ldexp((double)(bits >> 11), -down), (double)(int64_t)(bits >> down % 60),
            -ldexp((double)(bits % 8192) + 0.5, -(down % 40)), (double)(bits % 100000) / 1000, ten, nextafter(ten, 0)};
        for (size_t k = 0; k < sizeof x / sizeof *x; k++)
            if (isfinite(x[k]))
                like_printf(x[k], n);
        snprintf(want, sizeof want, "%" PRId64, (int64_t)bits >> down % 64);
        rc_decimal_int((int64_t)bits >> down % 64, found);
        assert_string_equal(found, want);
    }
    like_printf(0, 5);
    like_printf(-0.0, 17);
}

/* Every number of 16 bits comes back, and what lies between two of them goes to the nearer one, or to
 * the even one. */
static void every_short_rounds_to_nearest(rc_precision_t precision, uint32_t infinite, double beyond)
{
    const rc_type_t *type = rc_type(precision);
    for (uint32_t bits = 0; bits < infinite; bits++) {
        uint16_t here[2] = {(uint16_t)bits, (uint16_t)(bits + 1)};
        uint16_t got = 0;
        double a = type->load(here, 0);
        double b = bits + 1 < infinite ? type->load(here, 1) : beyond;
        const double between[] = {a, (a + b) / 2 * (1 - 0x1p-40), (a + b) / 2, (a + b) / 2 * (1 + 0x1p-40)};
        const uint32_t want[] = {bits, bits, bits + bits % 2, bits + 1};
        for (int i = 0; i < 4; i++) {
            type->store(&got, 0, between[i]);
            if (got != want[i])
                fail_msg("%a became %04x, not %04x", between[i], got, want[i]);
            type->store(&got, 0, -between[i]);
            assert_int_equal(got, want[i] | 0x8000);
            assert_true(type->round(between[i]) == type->load(here, want[i] != bits) || want[i] == infinite);
        }
    }
    assert_true(isinf(type->round(beyond)) && isinf(type->round(-INFINITY)) && isnan(type->round(NAN)));
    uint16_t odd[2] = {0};
    type->store(odd, 0, -INFINITY);
    type->store(odd, 1, NAN);
    assert_int_equal(odd[0], infinite | 0x8000);
    assert_true(type->load(odd, 0) == -INFINITY && isnan(type->load(odd, 1)));
}

static void sixteen_bits_round_to_nearest(void **state)
{
    (void)state;
    every_short_rounds_to_nearest(RC_BF16, 0x7f80, 0x1p128);
    every_short_rounds_to_nearest(RC_FP16, 0x7c00, 0x1p16);
}

/* What a type says of itself is so. */
static void types_keep_their_word(void **state)
{
    (void)state;
    for (int t = 0; t < RC_TYPES; t++) {
        const rc_type_t *type = rc_type((rc_precision_t)t);
        rc_precision_t found;
        assert_int_equal(rc_type_parse(RC_TYPES_ANY, type->name, &found, NULL), RC_OK);
        assert_int_equal(found, t);
        assert_int_equal(rc_type_parse(RC_TYPES_ANY & ~(1u << t), type->name, &found, NULL), RC_EINVAL);
        assert_int_equal(type->bytes, type->parts * rc_type(type->part)->bytes);
        assert_int_equal(rc_type(type->sum)->parts, type->parts);
        assert_int_equal(rc_type(type->part)->parts, 1);
        assert_true(type->round(1 + 2 * type->unit) == 1 + 2 * type->unit);
        assert_true(type->round(1 + type->unit) == 1);
        assert_true(type->round(type->largest) == type->largest);
        assert_true(type->round(type->least) == type->least);
        assert_true(rc_type(type->sum)->unit <= type->unit);
    }
}

/* Finite values beyond a type are counted; infinities and NaN of the file are none. */
static void values_beyond_a_type_are_said(void **state)
{
    (void)state;
    const double value[] = {65504, -65519.99, 65520, -1e300, (double)INFINITY, (double)NAN, 0};
    static const struct {
        rc_precision_t type;
        int parts;
        int64_t n;
        const char *text;
    } says[] = {{RC_FP16, 1, 7, "2 of 7 values are beyond fp16 (65,504) and became infinity"},
        {RC_FP16, 1, 3, "1 of 3 values is beyond fp16 (65,504) and became infinity"},
        {RC_FP16, 1, 2, ""}, {RC_BF16, 1, 7, "1 of 7 values is beyond bf16 (3.39e+38) and became infinity"},
        {RC_FP64, 1, 7, ""}, {RC_C64, 2, 3, "1 of 3 values is beyond c64 (3.4e+38) and became infinity"}, {RC_C128, 2, 3, ""}};
    for (size_t i = 0; i < sizeof says / sizeof says[0]; i++) {
        char text[RC_BEYOND_MAX + 1];
        rc_type_beyond(says[i].type, value, says[i].parts, says[i].n, text);
        assert_string_equal(text, says[i].text);
    }
}

/* A request that cannot be met makes all further ones fail, and is named; what was there is kept. */
static void a_pool_fails_once(void **state)
{
    (void)state;
    rc_pool_t pool = {0};
    rc_err_t err = {0};
    for (int i = 0; i < 100; i++) {
        int64_t *x = rc_pool_get0(&pool, 10, sizeof *x);
        assert_non_null(x);
        assert_true(x[0] == 0 && x[9] == 0);
        x[0] = i;
    }
    assert_non_null(rc_pool_get(&pool, 0, 8));
    assert_int_equal((uintptr_t)rc_pool_get_aligned(&pool, 3, 8) % 64, 0);
    assert_int_equal(rc_pool_check(&pool, "a test", &err), RC_OK);
    assert_null(rc_pool_get(&pool, SIZE_MAX / 2, 16));
    assert_null(rc_pool_get0(&pool, 1, 1));
    assert_int_equal(rc_pool_check(&pool, "a test", &err), RC_ENOMEM);
    assert_non_null(strstr(err.text, "a test"));
    assert_non_null(strstr(err.text, " x 16 bytes"));
    rc_pool_free(&pool);
    assert_non_null(rc_pool_get(&pool, 1, 1));
    assert_int_equal(rc_pool_check(&pool, "a test", NULL), RC_OK);
    rc_pool_free(&pool);
}

static void counts_have_commas(void **state)
{
    (void)state;
    assert_string_equal(rc_text_count(0).text, "0");
    assert_string_equal(rc_text_count(999).text, "999");
    assert_string_equal(rc_text_count(999.1).text, "1,000");
    assert_string_equal(rc_text_count(-1234567).text, "-1,234,567");
    assert_string_equal(rc_text_count(123456789012345).text, "123,456,789,012,345");
    assert_string_equal(rc_text_count(1e300).text, "1e+300");
}

static void lists_and_texts_have_an_order(void **state)
{
    (void)state;
    const int64_t a[] = {1, INT64_MIN, 3};
    const int64_t b[] = {1, INT64_MAX, 2};
    const char *text[] = {"b", "", "ab"};
    assert_true(rc_compare_lists(a, b, 3) < 0 && rc_compare_lists(b, a, 3) > 0);
    assert_true(rc_compare_lists(a, b, 1) == 0 && rc_compare_lists(a, b, 0) == 0);
    qsort(text, 3, sizeof *text, rc_str_compare);
    assert_string_equal(text[0], "");
    assert_string_equal(text[1], "ab");
    assert_string_equal(text[2], "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_from_outside_is_visible),
        cmocka_unit_test(cells_are_no_formulas),
        cmocka_unit_test(stats_of_known_samples),
        cmocka_unit_test(median_deviation_is_exact),
        cmocka_unit_test(rng_is_uniform_and_seeded),
        cmocka_unit_test(digest_survives_text),
        cmocka_unit_test(numbers_are_parsed_whole),
        cmocka_unit_test(words_and_near_names),
        cmocka_unit_test(options_and_operands_mix),
        cmocka_unit_test(older_spellings_work),
        cmocka_unit_test(bad_options_are_named),
        cmocka_unit_test(width_is_columns_not_bytes),
        cmocka_unit_test(words_fit_numbers),
        cmocka_unit_test(the_last_user_is_told),
        cmocka_unit_test(numbers_are_as_printf_writes_them),
        cmocka_unit_test(sixteen_bits_round_to_nearest),
        cmocka_unit_test(types_keep_their_word),
        cmocka_unit_test(values_beyond_a_type_are_said),
        cmocka_unit_test(a_pool_fails_once),
        cmocka_unit_test(a_wait_is_said_each_ten_seconds),
        cmocka_unit_test(counts_have_commas),
        cmocka_unit_test(lists_and_texts_have_an_order),
    };
    return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
