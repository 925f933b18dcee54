#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "kernels/specs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

typedef struct list {
    rc_kernel_spec_t *spec;
    int count;
} list_t;

static list_t parse(const char *text)
{
    list_t l = {0};
    rc_err_t err = {0};
    if (rc_kernel_specs_parse(text, RC_DEVICE_CPU, 1u << RC_OP_SPMM, MOST, &l.spec, &l.count, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return l;
}

static void expect_error(const char *text, int most, const char *say)
{
    list_t l = {0};
    rc_err_t err = {0};
    rc_status_t st = rc_kernel_specs_parse(text, RC_DEVICE_CPU, 1u << RC_OP_SPMM, most, &l.spec, &l.count, &err);
    if ((st != RC_EINVAL && st != RC_ERANGE) || !strstr(err.text, say))
        fail_msg(
            "%s: expected a usage error with '%s', found %d '%s'", text, say, (int)st, err.text);
    assert_null(l.spec);
}

/* "name:params,..." of a list, to compare it as a whole. */
static void expect(const char *text, const char *members)
{
    char found[4096] = "";
    list_t l = parse(text);
    for (int i = 0; i < l.count; i++) {
        size_t at = strlen(found);
        snprintf(found + at, sizeof found - at, "%s%s%s%s", i ? "," : "", l.spec[i].kernel->name,
            l.spec[i].params[0] ? ":" : "", l.spec[i].params);
    }
    free(l.spec);
    if (strcmp(found, members) != 0)
        fail_msg("%s: expected %s, found %s", text, members, found);
}

static void lists(void **state)
{
    (void)state;
    expect("rowsplit", "rowsplit");
    expect("rowsplit,cstat:strip=7", "rowsplit,cstat:strip=7");
    expect("all", "cstat:strip=4,rowsplit");
    expect("*", "cstat:strip=4,rowsplit");
}

static void ranges(void **state)
{
    (void)state;
    expect("cstat:strip=2..4", "cstat:strip=2,cstat:strip=3,cstat:strip=4");
    expect("cstat:strip=5..5", "cstat:strip=5");
    expect("fault:mode=3..4:at=-1..0",
        "fault:mode=3:rows=0:delay_us=0:at=-1,fault:mode=3:rows=0:delay_us=0:at=0,"
        "fault:mode=4:rows=0:delay_us=0:at=-1,fault:mode=4:rows=0:delay_us=0:at=0");
    expect("rowsplit,cstat:strip=1..2", "rowsplit,cstat:strip=1,cstat:strip=2");
}

static void globs(void **state)
{
    (void)state;
    expect("c*", "cstat:strip=4");
    expect("*s*t*", "cstat:strip=4,rowsplit");
    expect("*tat", "cstat:strip=4");
    expect("**split", "rowsplit");
    expect("row*split", "rowsplit"); /* a * may be empty */
    expect("cst*:strip=8..9", "cstat:strip=8,cstat:strip=9");
}

/* Twice from a glob or range is once; written twice is an error. */
static void twice(void **state)
{
    (void)state;
    expect("cstat:strip=1..3,cstat:strip=3..4,*",
        "cstat:strip=1,cstat:strip=2,cstat:strip=3,cstat:strip=4,rowsplit");
    expect("cstat:strip=2,cstat:strip=1..2", "cstat:strip=2,cstat:strip=1");
    expect("cstat:strip=1..2,cstat:strip=2", "cstat:strip=1,cstat:strip=2");
    expect_error("cstat:strip=4,cstat", MOST, "named twice");
    expect_error("cstat:strip=1..4,cstat,cstat", MOST, "named twice");
}

static void errors(void **state)
{
    (void)state;
    expect_error("rowspit", MOST, "rowsplit");
    expect_error("rowspit:a=1..2", MOST, "rowsplit");
    expect_error("z*", MOST, "'z*'");
    expect_error("nul*", MOST, "'nul*'"); /* computes nothing: not in all */
    expect_error("cstat:strip=4..2", MOST, "empty");
    expect_error("cstat:strip=0..2", MOST, "strip");
    expect_error("cstat:strip=1..17", MOST, "strip");
    expect_error("cstat:strip=..2", MOST, "strip");
    expect_error("cstat:strip=1..", MOST, "strip");
    expect_error("cstat:strip=1...3", MOST, "strip");
    expect_error("cstat:strip=1..2..3", MOST, "strip");
    expect_error("cstat:strip=00000000000000000000000000000000001..2", MOST, "strip");
    expect_error("cstat:strop=1..2", MOST, "did you mean 'strip'");
    expect_error("cstat:strip=1..2:strip=1..2", MOST, "twice");
    expect_error("*:strip=1..2", MOST, "rowsplit");
    expect_error("*:strip", MOST, "key=value");
    expect_error("*:", MOST, "empty word");
    expect_error("cstat,,rowsplit", MOST, "empty word");
    expect_error("", MOST, "empty word");
    expect_error("cstat:strip=1..9", 8, "more than 8");
    expect_error("fault:delay_us=0..1000000000", MOST, "more than 256");
}

/* ------------------------------------------------------ over the registry */

static int64_t next_value(const rc_param_t *p, int64_t v)
{
    return !p->pow2 ? v + 1 : v > 0 ? 2 * v : 1;
}

/* A random range that a parameter takes: writes "first..last" and returns how many values it has.
 */
static int random_range(rc_rng_t *rng, const rc_param_t *p, char *text, size_t size)
{
    int64_t first = p->min;
    if (p->type == RC_PARAM_TEXT) { /* nor have texts, which may name files */
        snprintf(text, size, "%s=%s", p->name, p->text);
        return 1;
    }
    if (p->type == RC_PARAM_CHOICE) { /* choices have no ranges */
        int count = 0;
        while (p->choices[count])
            count++;
        snprintf(text, size, "%s=%s", p->name, p->choices[rc_rng_below(rng, (uint64_t)count)]);
        return 1;
    }
    for (int skip = (int)rc_rng_below(rng, 3); skip > 0 && next_value(p, first) <= p->max; skip--)
        first = next_value(p, first);
    int64_t last = first;
    int n = 1;
    for (int more = (int)rc_rng_below(rng, 3); more > 0 && next_value(p, last) <= p->max; more--) {
        last = next_value(p, last);
        n++;
    }
    snprintf(text, size, "%s=%" PRId64 "..%" PRId64, p->name, first, last);
    return n;
}

/* Values that go with each other alone are refused together: a text that is too long, or what a kernel says of two
 * parameters. */
static int is_refused(rc_status_t st, const rc_err_t *err)
{
    return st < 0
        && (strstr(err->text, "its parameters take more than") || strstr(err->text, "expected a multiple of bsize"));
}

/* The expansion holds as many members as the product of the ranges, no two alike, and each member
 * alone gives itself.  \return 0: it was refused */
static int check_expansion(const rc_kernel_t *k, const char *text, int members)
{
    list_t l = {0};
    rc_err_t err = {0};
    rc_status_t st = rc_kernel_specs_parse(text, k->device, 1u << k->op, MOST * 4, &l.spec, &l.count, &err);
    if (is_refused(st, &err))
        return 0;
    if (st != RC_OK)
        fail_msg("%s: %s", text, err.text);
    if (l.count != members)
        fail_msg("%s: expected %d members, found %d", text, members, l.count);
    for (int i = 0; i < l.count; i++) {
        char alone[256];
        rc_kernel_spec_t again;
        assert_ptr_equal(l.spec[i].kernel, k);
        snprintf(alone, sizeof alone, "%s%s%s", k->name, l.spec[i].params[0] ? ":" : "",
            l.spec[i].params);
        assert_int_equal(rc_kernel_spec_parse(alone, k->device, &again, &err), RC_OK);
        assert_string_equal(again.params, l.spec[i].params);
        assert_memory_equal(again.param, l.spec[i].param, sizeof again.param);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(l.spec[i].params, l.spec[j].params);
    }
    free(l.spec);
    return 1;
}

static void every_kernel(void **state)
{
    enum { rounds = 40 };
    (void)state;
    for (int i = 0; rc_kernels[i]; i++) {
        rc_rng_t rng;
        int checked = 0;
        rc_rng_seed(&rng, 11); /* of each: another kernel in the list changes nothing for the others */
        for (int round = 0; round < rounds; round++) {
            const rc_kernel_t *k = rc_kernels[i];
            char text[512];
            int members = 1;
            snprintf(text, sizeof text, "%s", k->name);
            for (int j = 0; j < RC_KERNEL_PARAMS_MAX && k->param[j].name; j++) {
                char range[96];
                if (rc_rng_below(&rng, 2))
                    continue;
                members *= random_range(&rng, &k->param[j], range, sizeof range);
                size_t at = strlen(text);
                snprintf(text + at, sizeof text - at, ":%s", range);
            }
            checked += check_expansion(k, text, members);
        }
        if (checked < rounds / 8)
            fail_msg("%s: %d of %d lists are taken", rc_kernels[i]->name, checked, rounds);
    }
}

/* The lists of the documentation, in a build that has these kernels. */
static void libraries(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int members;
    } lists[] = {
        {"cusparse-csr-*:alg=0..3:pre=0..1", 48},
        {"cusparse-coo-*:alg=0..4:pre=0..1", 20},
        {"cusparse-bsr-row:block=2..32", 5},
        {"cusparse-csr-row:index=32..64", 2},
        {"cusparse-*-row,cusparse-csr-*:alg=0..3", 26},
    };
    if (!rc_kernel_find("cusparse-csr-row", RC_DEVICE_CPU))
        skip();
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        list_t l = {0};
        rc_err_t err = {0};
        assert_int_equal(
            rc_kernel_specs_parse(lists[i].text, RC_DEVICE_CUDA, 1u << RC_OP_SPMM, MOST, &l.spec, &l.count, &err),
            RC_OK);
        assert_int_equal(l.count, lists[i].members);
        free(l.spec);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(ranges),
        cmocka_unit_test(globs),
        cmocka_unit_test(twice),
        cmocka_unit_test(errors),
        cmocka_unit_test(every_kernel),
        cmocka_unit_test(libraries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
