/* Texts and numbers of a page: what enters comes out, and nothing can leave its place. */
#include "config.h"
#include "unit.h"

#include "analysis/report/page_text.h"
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
        rc_page_json_text(&s, text);
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

static void html_text_holds_no_markup_and_comes_back(void **state)
{
    static const struct {
        const char *reference;
        char c;
    } known[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&#39;", '\''}};
    rc_rng_t r;
    (void)state;
    rc_rng_seed(&r, 4);
    for (int i = 0; i < 5000; i++) {
        char text[300];
        char back[300];
        size_t n = 0;
        rc_str_t s = {0};
        random_text(&r, text, sizeof text);
        rc_str_add(&s, "");
        rc_page_text(&s, text);
        assert_false(s.failed);
        const char *at = s.text ? s.text : "";
        assert_null(strpbrk(at, "<>\"'"));
        while (*at) {
            size_t used = 1;
            back[n] = *at;
            for (size_t k = 0; *at == '&' && k < sizeof known / sizeof *known; k++)
                if (strncmp(at, known[k].reference, strlen(known[k].reference)) == 0) {
                    back[n] = known[k].c;
                    used = strlen(known[k].reference);
                }
            assert_true(*at != '&' || used > 1); /* no other reference */
            at += used;
            n++;
        }
        back[n] = '\0';
        assert_string_equal(back, text);
        rc_str_free(&s);
    }
}

static double json_number(double x, char *text, size_t size)
{
    rc_str_t s = {0};
    rc_page_json_real(&s, x);
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
    rc_page_json_real(&s, NAN);
    rc_page_json_real(&s, INFINITY);
    assert_string_equal(s.text, "nullnull");
    rc_str_free(&s);
}

static void counts_have_commas(void **state)
{
    static const struct {
        int64_t n;
        const char *text;
    } cases[] = {{0, "0"}, {7, "7"}, {999, "999"}, {1000, "1,000"}, {164969, "164,969"},
        {1234567, "1,234,567"}, {-1234, "-1,234"}, {-123, "-123"}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_str_t s = {0};
        rc_page_count(&s, cases[i].n);
        assert_string_equal(s.text, cases[i].text);
        rc_str_free(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(json_text_comes_back_and_holds_no_markup),
        cmocka_unit_test(html_text_holds_no_markup_and_comes_back),
        cmocka_unit_test(numbers_have_six_digits_and_no_more_characters_than_printf),
        cmocka_unit_test(counts_have_commas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
