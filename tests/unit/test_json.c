/* The JSON of a report: what enters comes out, and no text can leave its place. */
#include "config.h"
#include "unit.h"

#include "analysis/report/json.h"
#include "base/rng.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Bytes that matter to HTML and JSON, and some that do not. */
static void random_text(rc_rng_t *r, char *text, size_t size)
{
    static const char *const part[] = {"<", ">", "&", "\"", "'", "\\", "/", "</script>", "<!--",
        "a", " ", "\n", "\t", "\x01", "\x7f", "{{css}}", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xc3\xa9",
        "\xf0\x9f\x90\xa2", "&lt;"};
    size_t n = 0;
    text[0] = '\0';
    for (uint64_t i = rc_rng_below(r, 30); i > 0; i--) {
        const char *p = part[rc_rng_below(r, sizeof part / sizeof *part)];
        if (n + strlen(p) + 1 > size)
            return;
        memcpy(text + n, p, strlen(p) + 1);
        n += strlen(p);
    }
}

static void json_text_comes_back_and_holds_no_markup(void **state)
{
    rc_rng_t r;
    (void)state;
    rc_rng_seed(&r, 3);
    for (int i = 0; i < 5000; i++) {
        char text[300];
        rc_str_t s = {0};
        random_text(&r, text, sizeof text);
        rc_json_text(&(rc_json_t){.out = &s}, NULL, text);
        assert_false(s.failed);
        assert_null(strpbrk(s.text, "<>&'\n\t\x01\x7f"));
        assert_null(strstr(s.text, "\xe2\x80\xa8"));
        assert_null(strstr(s.text, "\xe2\x80\xa9"));
        json_t *back = json_loads(s.text, JSON_DECODE_ANY, NULL);
        assert_non_null(back);
        assert_string_equal(json_string_value(back), text);
        json_decref(back);
        rc_str_free(&s);
    }
}

static double json_number(double x, char *text, size_t size)
{
    rc_str_t s = {0};
    rc_json_real(&(rc_json_t){.out = &s}, NULL, x);
    assert_false(s.failed);
    assert_true(s.len < size);
    memcpy(text, s.text, s.len + 1);
    rc_str_free(&s);
    json_t *back = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(back);
    assert_true(json_is_number(back));
    double value = json_number_value(back);
    json_decref(back);
    return value;
}

static void numbers_have_six_digits_and_no_more_characters_than_printf(void **state)
{
    rc_rng_t r;
    (void)state;
    rc_rng_seed(&r, 5);
    for (int i = 0; i < 20000; i++) {
        char text[40];
        char plain[40];
        double x = (rc_rng_below(&r, 2) ? 1 : -1) * (1 + (double)rc_rng_below(&r, 900000) / 1e5) *
                   pow(10, (double)rc_rng_below(&r, 30) - 12);
        if (rc_rng_below(&r, 4) == 0)
            x = (double)rc_rng_below(&r, 2000000);
        double back = json_number(x, text, sizeof text);
        assert_true(fabs(back - x) <= 5.000001e-6 * fabs(x));
        snprintf(plain, sizeof plain, "%.6g", back);
        assert_true(strlen(text) <= strlen(plain));
    }
    char text[40];
    assert_true(json_number(0, text, sizeof text) == 0);
    assert_string_equal(text, "0");
    assert_true(json_number(1200, text, sizeof text) == 1200);
    assert_true(json_number(0.5, text, sizeof text) == 0.5);
    rc_str_t s = {0};
    rc_json_real(&(rc_json_t){.out = &s}, NULL, NAN);
    rc_json_real(&(rc_json_t){.out = &s}, NULL, INFINITY);
    assert_string_equal(s.text, "nullnull");
    rc_str_free(&s);
}

/* What a document holds comes back, whatever is written in which order. */
static void a_document_comes_back(void **state)
{
    rc_str_t s = {0};
    rc_json_t j = {.out = &s};
    (void)state;
    rc_json_open(&j, NULL, '{');
    rc_json_open(&j, "empty", '[');
    rc_json_close(&j, '[');
    rc_json_open(&j, "list", '[');
    rc_json_int(&j, NULL, INT64_MIN);
    rc_json_index(&j, NULL, -1);
    rc_json_open(&j, NULL, '{');
    rc_json_text(&j, "a\"<b", "x");
    rc_json_text(&j, "none", NULL);
    rc_json_close(&j, '{');
    rc_json_close(&j, '[');
    rc_json_real(&j, "real", -2.5);
    rc_json_base64(&j, "none", "", 0);
    rc_json_base64(&j, "one", "f", 1);
    rc_json_base64(&j, "two", "fo", 2);
    rc_json_base64(&j, "six", "foobar", 6);
    rc_json_close(&j, '{');
    assert_false(s.failed);
    assert_int_equal(j.depth, 0);
    json_t *back = json_loads(s.text, 0, NULL);
    json_t *same =
        json_loads("{\"empty\":[],\"list\":[-9223372036854775808,null,{\"a\\\"<b\":\"x\","
                   "\"none\":null}],\"real\":-2.5,\"none\":\"\",\"one\":\"Zg==\","
                   "\"two\":\"Zm8=\",\"six\":\"Zm9vYmFy\"}",
            0, NULL); /* the words of RFC 4648, section 10 */
    assert_non_null(back);
    assert_true(json_equal(back, same));
    json_decref(back);
    json_decref(same);
    rc_str_free(&s);
}

/* Bytes that are no UTF-8 would make the file unreadable for others. */
static void bytes_that_are_not_utf8_are_replaced(void **state)
{
    static const struct {
        const char *text;
        const char *json;
    } cases[] = {{"\xff", "\"\\ufffd\""}, {"a\xc3", "\"a\\ufffd\""},
        {"\xc0\xafz", "\"\\ufffd\\ufffdz\""}, {"\xe2\x80", "\"\\ufffd\\ufffd\""},
        {"\xed\xa0\x80", "\"\\ufffd\\ufffd\\ufffd\""}, {"\xc3\xa9", "\"\xc3\xa9\""},
        {"\xf0\x9f\x90\xa2", "\"\xf0\x9f\x90\xa2\""},
        {"\xf4\x90\x80\x80", "\"\\ufffd\\ufffd\\ufffd\\ufffd\""}};
    rc_rng_t r;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_str_t s = {0};
        rc_json_text(&(rc_json_t){.out = &s}, NULL, cases[i].text);
        assert_string_equal(s.text, cases[i].json);
        rc_str_free(&s);
    }
    rc_rng_seed(&r, 6);
    for (int i = 0; i < 5000; i++) {
        char text[20];
        rc_str_t s = {0};
        for (size_t k = 0; k + 1 < sizeof text; k++)
            text[k] = (char)(1 + rc_rng_below(&r, 255));
        text[sizeof text - 1] = '\0';
        rc_json_text(&(rc_json_t){.out = &s}, NULL, text);
        json_t *back = json_loads(s.text, JSON_DECODE_ANY, NULL);
        assert_non_null(back);
        json_decref(back);
        rc_str_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_text_comes_back_and_holds_no_markup),
        cmocka_unit_test(numbers_have_six_digits_and_no_more_characters_than_printf),
        cmocka_unit_test(a_document_comes_back),
        cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
