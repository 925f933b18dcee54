/* RS-SpMM on a GPU: both products of one prepared structure.  The kernels alone: test_gpu_kernels. */
#include "config.h"
#include "unit.h"

#include "fixture.h"
#include "kernels/device.h"
#include "operands.h"
#include "order/policy.h"
#include "twins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void both_products(void **state)
{
    (void)state;
    static const char *const params[] = {"", ":t=1:w=8", ":t=2:w=32:cfv=1:cfh=4:light=store",
        ":t=1:w=64:cfv=4:hblocks=3", ":t=1:w=1024:cfv=1:hblocks=0", ":t=100000", ":t=1:w=2:light=store"};
    static const int64_t ks[] = {1, 3, 8, 31, 33, 65, 130};
    rc_device_t *d = open_gpu();
    int taken = 0;
    if (!d)
        skip();
    for (int m = 0; m < shape_count; m++) {
        rc_csr_t a = make_matrix(&shapes[m], 300 + (uint64_t)m);
        for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
            const rc_geometry_t g = {32, 32, 32};
            int which = ((int)i + m) % schedule_count();
            rc_schedule_t s = make_schedule(&a, which, g);
            const twins_case_t t = {.kind = RC_DEVICE_CUDA,
                .a = &a,
                .schedule = &s,
                .precision = (rc_precision_t)((m + (int)i) % 2),
                .k = ks[(i * 3 + (size_t)m) % (sizeof ks / sizeof *ks)],
                .params = params[i]};
            taken += check_twins(&d->executor, "rs", &t);
            taken += check_twins(&d->executor, "rs-spmm_t", &t);
            rc_schedule_free(&s);
        }
        free_matrix(&a);
    }
    rc_device_close(d);
    assert_true(taken > shape_count);
}

/* What no CTA has room for is refused with the bytes. */
static void too_wide_a_panel(void **state)
{
    (void)state;
    const shape_t wide = {"wide", 20, 5000, 0.5, 0, 0};
    rc_device_t *d = open_gpu();
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    rc_err_t err = {0};
    void *prepared = NULL;
    if (!d)
        skip();
    rc_csr_t a = make_matrix(&wide, 3);
    const rc_geometry_t g = {32, 32, 32};
    rc_schedule_t s = make_schedule(&a, SCHEDULE_IDENTITY, g);
    assert_int_equal(rc_kernel_spec_parse("rs:w=4096:cfv=4", RC_DEVICE_CUDA, &spec, NULL), RC_OK);
    rc_problem_t p = {
        .k = 128, .a = &a, .schedule = &s, .identity = 1, .geometry = g, .c_rows = a.rows};
    for (int i = 0; i < RC_KERNEL_PARAMS_MAX; i++)
        p.param[i] = spec.param[i];
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, NULL), RC_OK);
    assert_int_equal(
        spec.kernel->prepare(&d->executor, &p, &analysis, &prepared, &err), RC_ENOTSUP);
    assert_non_null(strstr(err.text, "2097152 bytes"));
    rc_schedule_free(&s);
    free_matrix(&a);
    rc_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_products),
        cmocka_unit_test(too_wide_a_panel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
