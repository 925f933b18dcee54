/* RS-SpMM on a CPU: both products of one prepared structure, what is measured before it is there, and
 * parameters. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "device/device.h"
#include "kernels/prepared.h"
#include "kernels/tuning/rs.h"
#include "order_matrix.h"
#include "twins.h"
#include "real_types.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rc_device_t *device(int threads)
{
    rc_device_t *d;
    assert_int_equal(rc_device_open_cpu(threads, &d, NULL), RC_OK);
    return d;
}

/* Random parameters, half of them as they come. */
static void draw_params(rc_rng_t *r, char *text, size_t size)
{
    snprintf(text, size, ":t=%d:w=%d:cfv=%d:cfh=%d", (int)rc_rng_below(r, 6),
        rc_rng_below(r, 4) ? 1 << rc_rng_below(r, 9) : 0, (int)(1u << rc_rng_below(r, 3)) & 6,
        (int)(1u << rc_rng_below(r, 3)) & 6);
}

static void both_products(void **state)
{
    (void)state;
    static const char *const policies[] = {"csr", "dcsr", "random:seed=3", "warp"};
    rc_rng_t r;
    rc_rng_seed(&r, 16);
    for (int round = 0; round < 200; round++) {
        rc_csr_t a;
        rc_schedule_t s = {0};
        char params[64];
        rc_device_t *d = device(1 + round % 3);
        draw_params(&r, params, sizeof params);
        random_matrix(&r, 80, &a);
        assert_int_equal(
            rc_order_build(policies[rc_rng_below(&r, 4)], &a, NULL, 1, &s, NULL), RC_OK);
        const twins_case_t t = {.kind = RC_DEVICE_CPU,
            .a = &a,
            .schedule = &s,
            .precision = real_type(round),
            .k = 1 + (int64_t)rc_rng_below(&r, 40),
            .params = params};
        assert_int_equal(check_twins(&d->executor, "rs", &t), 1);
        assert_int_equal(check_twins(&d->executor, "rs-spmm_t", &t), 1);
        rc_schedule_free(&s);
        free_matrix(&a);
        rc_device_close(d);
    }
}

/* Half of the shared memory of a multiprocessor takes so many rows. */
static void widths_of_panels(void **state)
{
    (void)state;
    static const int64_t want[2][3] = {{512, 256, 128}, {256, 128, 64}};
    for (int precision = 0; precision < 2; precision++)
        for (int i = 0; i < 3; i++) {
            assert_int_equal(rc_rs_width(1 << i, (rc_precision_t)precision), want[precision][i]);
        }
}

static void twins_are_mutual(void **state)
{
    (void)state;
    int pairs = 0;
    for (int i = 0; rc_kernels[i]; i++) {
        const rc_kernel_t *k = rc_kernels[i];
        if (!k->twin)
            continue;
        const rc_kernel_t *other = rc_kernel_find(k->twin, k->device);
        assert_true(other && other->device == k->device && other->op != k->op);
        assert_true(other->shares && k->shares && other->twin && strcmp(other->twin, k->name) == 0);
        for (int j = 0; j < RC_KERNEL_PARAMS_MAX && k->param[j].name; j++)
            assert_string_equal(k->param[j].name, other->param[j].name);
        pairs++;
    }
    assert_true(pairs >= 2);
}

static void bad_parameters(void **state)
{
    (void)state;
    static const char *const bad[] = {"rs:w=3", "rs:w=-1", "rs:t=-1", "rs:cfv=3", "rs:cfv=8",
        "rs:cfh=5", "rs:hblocks=65", "rs:light=none", "rs:w=2097152"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        rc_kernel_spec_t spec;
        rc_err_t err = {0};
        assert_true(rc_kernel_spec_parse(bad[i], RC_DEVICE_CPU, &spec, &err) < 0);
        assert_true(err.text[0] != 0 && !strchr(err.text, '\n'));
    }
}

/* A tuning file that is another one than when the kernel was named is refused: its choice would stand under the old name. */
static void a_replaced_tuning_is_refused(void **state)
{
    (void)state;
    const char *source = getenv("top_srcdir");
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    rc_schedule_t s = {0};
    rc_csr_t a;
    rc_rng_t r;
    rc_err_t err = {0};
    char text[1000];
    char other[sizeof spec.params];
    rc_rng_seed(&r, 4);
    random_matrix(&r, 80, &a);
    assert_int_equal(rc_order_build("csr", &a, NULL, 1, &s, NULL), RC_OK);
    (void)snprintf(text, sizeof text, "rs:tune=%s/data/tuning/rs-h200.json", source ? source : ".");
    assert_int_equal(rc_kernel_spec_parse(text, RC_DEVICE_CPU, &spec, &err), RC_OK);
    rc_problem_t p = {.k = 8, .precision = RC_FP32, .a = &a, .schedule = &s, .identity = 1, .c_rows = a.rows,
        .text = spec.text, .named = spec.params};
    memcpy(p.param, spec.param, sizeof p.param);
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, &err), RC_OK);
    memcpy(other, spec.params, sizeof other);
    char *digit = strstr(other, "tune=") + strlen("tune=");
    *digit = *digit == '0' ? '1' : '0';
    p.named = other;
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, &err), RC_EFORMAT);
    assert_non_null(strstr(err.text, "another one than when"));
    p.named = "tune=auto:t=0"; /* a file that came later, which is no usual value */
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, &err), RC_EFORMAT);
    p.text = "auto"; /* and one that went: $ROWCAST_TUNING is empty in tests */
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, &err), RC_OK);
    p.named = spec.params;
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, &err), RC_EFORMAT);
    rc_schedule_free(&s);
    free_matrix(&a);
}

/* NaN and infinity in the values reach the sums that they are in, and no other. */
static void values_that_are_no_numbers(void **state)
{
    (void)state;
    enum { ROWS = 3, COLS = 4, NNZ = 9 };
    int64_t ptr[] = {0, 4, 6, NNZ};
    int32_t col[] = {0, 1, 2, 3, 0, 1, 1, 2, 3};
    double val[] = {1, 1, 1, 1, NAN, 1, 1, INFINITY, 1};
    const rc_csr_t a = {ROWS, COLS, NNZ, ptr, col, val};
    static const char *const names[] = {"rs:t=2:cfv=1:w=4", "rs-spmm_t:t=2:cfv=1:w=4"};
    for (int op = 0; op < 2; op++) {
        rc_device_t *d = device(1);
        rc_schedule_t s = {0};
        rc_kernel_spec_t spec;
        rc_analysis_t analysis;
        rc_err_t err = {0};
        void *prepared = NULL;
        double in[COLS] = {1, 1, 1, 1};
        double out[COLS] = {7, 7, 7, 7};
        assert_int_equal(rc_kernel_spec_parse(names[op], RC_DEVICE_CPU, &spec, &err), RC_OK);
        assert_int_equal(rc_order_build("csr", &a, NULL, 1, &s, NULL), RC_OK);
        const int64_t rows_out = op ? COLS : ROWS;
        rc_problem_t p = {.k = 1, .precision = RC_FP64, .a = &a, .schedule = &s, .identity = 1, .c_rows = rows_out};
        memcpy(p.param, spec.param, sizeof p.param);
        assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, &err), RC_OK);
        assert_int_equal(
            rc_kernel_prepare(spec.kernel, &d->executor, &p, &analysis, &prepared, &err), RC_OK);
        const rc_operands_t o = {.in = {{in, op ? ROWS : COLS, 1, 1, RC_FP64, RC_ROW_MAJOR}},
            .out = {out, rows_out, 1, 1, RC_FP64, RC_ROW_MAJOR}};
        assert_int_equal(rc_kernel_run(spec.kernel, prepared, &o, 1, 0, &err), RC_OK);
        if (op == 0)
            assert_true(out[0] == 4 && isnan(out[1]) && isinf(out[2]));
        else
            assert_true(isnan(out[0]) && out[1] == 3 && isinf(out[2]) && out[3] == 2);
        rc_kernel_release(spec.kernel, prepared);
        rc_schedule_free(&s);
        rc_device_close(d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_products),
        cmocka_unit_test(widths_of_panels),
        cmocka_unit_test(twins_are_mutual),
        cmocka_unit_test(bad_parameters),
        cmocka_unit_test(a_replaced_tuning_is_refused),
        cmocka_unit_test(values_that_are_no_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
