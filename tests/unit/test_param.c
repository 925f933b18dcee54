/* Parameters of every type, and lists of the members of a family that has them. */
#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "base/family.h"
#include "base/rng.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

static const char *const colours[] = {"red", "green", "blue", NULL};
static const rc_param_t every[] = {
    {.name = "path", .help = "a file", .type = RC_PARAM_TEXT},
    {.name = "size", .help = "a power of two", .value = 8, .min = 0, .max = 64, .pow2 = 1},
    {.name = "share",
        .help = "a number",
        .type = RC_PARAM_REAL,
        .real = 0.1,
        .real_min = 0,
        .real_max = 1},
    {.name = "colour", .help = "a name", .value = 2, .type = RC_PARAM_CHOICE, .choices = colours},
    {.name = NULL},
};
static const rc_param_t numbers[] = {
    {.name = "seed", .help = "any integer", .min = INT64_MIN, .max = INT64_MAX},
    {.name = "size", .help = "a power of two", .value = 2, .min = 1, .max = 1 << 20, .pow2 = 1},
    {.name = NULL},
};
static const char *const words[] = {"auto", "most", NULL};
static const rc_param_t named[] = {
    {.name = "width", .value = -2, .min = 0, .max = 99, .choices = words},
    {.name = "lanes", .value = 4, .min = 1, .max = 32, .pow2 = 1, .choices = words},
    {.name = NULL},
};

static int member(int i, rc_member_t *out)
{
    static const rc_member_t all[] = {{"plain", NULL, NULL}, {"every", every, NULL},
        {"numbers", numbers, NULL}, {"missing", NULL, "this build lacks the library"},
        {"named", named, NULL}};
    if (i >= (int)(sizeof all / sizeof *all))
        return 0;
    *out = all[i];
    return 1;
}

static const rc_family_t things = {.noun = "thing", .plural = "things", .member = member};

static void expect(const char *text, const char *params)
{
    rc_spec_t s;
    rc_err_t err = {0};
    if (rc_spec_parse(&things, text, &s, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    assert_string_equal(s.params, params);
}

static void expect_error(const char *text, rc_status_t status, const char *say)
{
    rc_spec_t s;
    rc_err_t err = {0};
    rc_status_t st = rc_spec_parse(&things, text, &s, &err);
    if (st != status || err.status != status || !strstr(err.text, say))
        fail_msg("%s: expected %d with '%s', found %d '%s'", text, (int)status, say, (int)st,
            err.text);
}

static void canonical_texts(void **state)
{
    (void)state;
    expect("plain", "");
    expect("every:a.txt", "path=a.txt:size=8:share=0.1:colour=blue");
    expect("every:path=../b=c", "path=../b=c:size=8:share=0.1:colour=blue");
    expect("every:colour=red:share=1e-3:size=0:x", "path=x:size=0:share=0.001:colour=red");
    expect("numbers", "seed=0:size=2");
    expect("named", "width=most:lanes=4");
    expect("named:width=0:lanes=auto", "width=0:lanes=auto");
    expect("numbers:size=01024:seed=-9223372036854775808", "seed=-9223372036854775808:size=1024");
}

static void errors(void **state)
{
    (void)state;
    expect_error("plainn", RC_ENOENT, "did you mean 'plain'");
    expect_error("zzzzzz", RC_ENOENT, "plain, every, numbers");
    expect_error("missing", RC_ENOTSUP, "thing missing: this build lacks the library");
    expect_error("plain:size=1", RC_EINVAL, "no parameters");
    expect_error("plain:size", RC_EINVAL, "key=value");
    expect_error("numbers:4", RC_EINVAL, "key=value");
    expect_error("numbers:", RC_EINVAL, "empty word");
    expect_error("numbers:sise=4", RC_EINVAL, "did you mean 'size'?; known: seed, size");
    expect_error("numbers:=4", RC_EINVAL, "known: seed, size");
    expect_error("numbers:size=3", RC_EINVAL, "power of two");
    expect_error("numbers:size=0", RC_ERANGE, "size");
    expect_error("numbers:size=x", RC_EINVAL, "size");
    expect_error("numbers:size=2:seed=1:size=2", RC_EINVAL, "size is given twice");
    expect_error("numbers:seed=9223372036854775808", RC_ERANGE, "seed");
    expect_error("every", RC_EINVAL, "path is missing");
    expect_error("every:a:b", RC_EINVAL, "path is given twice");
    expect_error("every:path=", RC_EINVAL, "found nothing");
    expect_error("every:a:share=1.01", RC_ERANGE, "from 0 to 1, found 1.01");
    expect_error("every:a:share=nan", RC_EINVAL, "share");
    expect_error("every:a:share=1x", RC_EINVAL, "share");
    expect_error("every:a:colour=gren", RC_EINVAL, "red, green, blue; found 'gren'");
    expect_error("named:width=-1", RC_ERANGE, "width: expected auto, most or 0 to 99, found '-1'");
    expect_error("named:width=mast", RC_EINVAL, "expected auto, most or 0 to 99, found 'mast'");
    expect_error("named:lanes=3", RC_EINVAL, "power of two");
    expect_error("named:lanes=64", RC_ERANGE, "lanes: expected auto, most or 1 to 32, found '64'");
    char text[2 * RC_PARAM_VALUE];
    memset(text, 'x', sizeof text);
    memcpy(text, "every:", 6);
    text[sizeof text - 1] = '\0';
    expect_error(text, RC_ERANGE, "path"); /* longer than a value */
    text[200] = '\0';
    expect_error(text, RC_ERANGE, "more than 95 bytes"); /* than a canonical text */
}

static int in_all(int i, const void *user)
{
    (void)user;
    return i == 0 || i == 2;
}

static rc_status_t allowed(int i, const void *user, rc_err_t *err)
{
    (void)user;
    return i == 1 ? rc_fail(err, RC_EINVAL, "every is not for now") : RC_OK;
}

/* "name:params,..." of a list; of an error its text. */
static void expect_list(const char *text, int strict, const char *want)
{
    const rc_specs_rule_t rule = {.in_all = in_all,
        .allowed = strict ? allowed : NULL,
        .where = " for today",
        .most = MOST};
    char found[4096] = "";
    rc_spec_t *spec = NULL;
    int count = 0;
    rc_err_t err = {0};
    if (rc_specs_parse(&things, &rule, text, &spec, &count, &err) < 0)
        snprintf(found, sizeof found, "%s", err.text);
    for (int i = 0; i < count; i++) {
        rc_member_t m = {0};
        size_t at = strlen(found);
        assert_true(member(spec[i].member, &m));
        snprintf(found + at, sizeof found - at, "%s%s%s%s", i ? "," : "", m.name,
            spec[i].params[0] ? ":" : "", spec[i].params);
    }
    free(spec);
    if (strcmp(found, want) != 0)
        fail_msg("%s: expected '%s', found '%s'", text, want, found);
}

static void lists(void **state)
{
    (void)state;
    expect_list("all", 0, "plain,numbers:seed=0:size=2");
    expect_list("n*:size=1..8", 0,
        "numbers:seed=0:size=1,numbers:seed=0:size=2,numbers:seed=0:size=4,numbers:seed=0:size=8");
    expect_list("numbers:seed=-1..0,plain", 0,
        "numbers:seed=-1:size=2,numbers:seed=0:size=2,plain");
    /* a file name is neither range nor glob */
    expect_list("every:../*:share=0.5", 0, "every:path=../*:size=8:share=0.5:colour=blue");
    expect_list("every:a..b:size=1..2", 0,
        "every:path=a..b:size=1:share=0.1:colour=blue,every:path=a..b:size=2:share=0.1:colour="
        "blue");
    expect_list("every:a", 1, "every is not for now");
    expect_list("m*", 0, "no thing for today fits 'm*'");
    expect_list("named:lanes=1..4", 0,
        "named:width=most:lanes=1,named:width=most:lanes=2,named:width=most:lanes=4");
    expect_list("plain,plain", 0, "plain is named twice");
    expect_list("every:a:share=0..1", 0,
        "thing every: share: only an integer takes a range, found '0..1'");
    expect_list("numbers:seed=0..1000", 0, "the list gives more than 64 things");
    expect_list("numbers:seed=9223372036854775806..9223372036854775807", 0,
        "numbers:seed=9223372036854775806:size=2,numbers:seed=9223372036854775807:size=2");
}

/* Numbers come back from their texts, whatever they are. */
static void numbers_come_back(void **state)
{
    (void)state;
    static const rc_param_t one[] = {
        {.name = "x", .type = RC_PARAM_REAL, .real_min = -INFINITY, .real_max = INFINITY},
        {.name = NULL}};
    rc_rng_t rng;
    rc_rng_seed(&rng, 5);
    for (int i = 0; i < 20000; i++) {
        uint64_t bits = rc_rng_next(&rng);
        double x;
        char text[RC_PARAMS_TEXT];
        rc_err_t err = {0};
        memcpy(&x, &bits, sizeof x);
        if (!isfinite(x))
            continue;
        rc_params_t v = {.real = {x}};
        rc_params_t again;
        char *word = text;
        assert_int_equal(rc_params_text(one, &v, text, &err), RC_OK);
        if (fabs(x) > 0 && fabs(x) < 1e-300)
            continue; /* may be refused as too small */
        assert_int_equal(rc_params_parse(one, &word, 1, &again, &err), RC_OK);
        assert_true(again.real[0] == x);
    }
}

/* Parameters that came later are named only where they are not what they were before. */
static void texts_without_later_ones(void **state)
{
    (void)state;
    static const rc_param_t list[] = {{.name = "alg", .max = 2}, {.name = "pre", .max = 1},
        {.name = "index", .value = 32, .min = 32, .max = 64, .pow2 = 1}, {.name = NULL}};
    const rc_params_t usual = {.value = {0, 0, 32}};
    const rc_params_t other = {.value = {2, 1, 64}};
    char text[RC_PARAMS_TEXT];
    assert_int_equal(rc_params_text_older(list, 2, &usual, text, NULL), RC_OK);
    assert_string_equal(text, "alg=0:pre=0");
    assert_int_equal(rc_params_text_older(list, 2, &other, text, NULL), RC_OK);
    assert_string_equal(text, "alg=2:pre=1:index=64");
    assert_int_equal(rc_params_text_older(list, 1, &usual, text, NULL), RC_OK);
    assert_string_equal(text, "alg=0");
}

static void descriptions(void **state)
{
    (void)state;
    char text[160];
    rc_param_describe(&every[0], text, sizeof text);
    assert_string_equal(text, "text");
    rc_param_describe(&every[1], text, sizeof text);
    assert_string_equal(text, "integer, 0 to 64, a power of two; default 8");
    rc_param_describe(&every[2], text, sizeof text);
    assert_string_equal(text, "number, 0 to 1; default 0.1");
    rc_param_describe(&every[3], text, sizeof text);
    assert_string_equal(text, "one of red, green, blue; default blue");
    rc_param_describe(&named[0], text, sizeof text);
    assert_string_equal(text, "auto, most, or integer, 0 to 99; default most");
    rc_param_describe(&named[1], text, sizeof text);
    assert_string_equal(text, "auto, most, or integer, 1 to 32, a power of two; default 4");
}

/* A failure is one also for a caller that asks for no text. */
static void failures_without_an_error(void **state)
{
    (void)state;
    static const char *const bad[] = {"", ":", "thing::", "nothing", "thing:x=1:x=1", "thing:x"};
    rc_spec_t s;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        rc_err_t err = {0};
        rc_status_t told = rc_spec_parse(&things, bad[i], &s, &err);
        assert_true(told < 0);
        assert_int_equal(rc_spec_parse(&things, bad[i], &s, NULL), told);
    }
    assert_true(rc_err_context(NULL, "context") < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(canonical_texts),
        cmocka_unit_test(errors),
        cmocka_unit_test(lists),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(texts_without_later_ones),
        cmocka_unit_test(descriptions),
        cmocka_unit_test(failures_without_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
