/* The sampled product on a GPU: the properties that the CPU is held to, rows of any length in segments of any
 * size, and many K from one prepared matrix.  Needs a GPU: without one it skips itself, or fails when ROWCAST_GPU
 * is 1. */
#include "config.h"
#include "unit.h"

#include "device/device.h"
#include "kernels/prepared.h"
#include "operands.h"
#include "sddmm_properties.h"

#include <stdio.h>
#include <string.h>

static void on_gpu(int (*check)(rc_device_t *d))
{
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    assert_true(check(d) > 0);
    rc_device_close(d);
}

static void values_are_in_the_order_of_the_entries(void **state)
{
    (void)state;
    on_gpu(check_sddmm_entry_order);
}

static void special_values_are_those_of_ieee(void **state)
{
    (void)state;
    on_gpu(check_sddmm_special_values);
}

/* The output of row-sddmm, bit by bit, of a state for K columns or (`of` not NULL) of a shared one.
 * \param[out] to  [nnz] */
static void run_with(gpu_operands_t *o, const char *text, const rc_schedule_t *s, float *to)
{
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    rc_err_t err = {0};
    void *state = NULL;
    ok(rc_kernel_spec_parse(text, RC_DEVICE_CUDA, &spec, &err), &err, text);
    rc_problem_t p = gpu_problem(o, &spec, s, RC_C_ORIGINAL);
    ok(rc_kernel_analyse(spec.kernel, &p, &analysis, &err), &err, text);
    p.k = o->k > 1 ? o->k * 2 : 1; /* prepared for more columns than are asked for */
    ok(rc_kernel_prepare(spec.kernel, o->x, &p, &analysis, &state, &err), &err, text);
    void *shared = NULL;
    ok(rc_kernel_share(spec.kernel, o->x, &p, state, &shared, &err), &err, text);
    rc_kernel_release(spec.kernel, state);
    rc_operands_t of = gpu_operands_of(o, PLACE_ALIGNED, p.c_rows);
    gpu_operands_fill(o, &of, 0);
    ok(rc_kernel_run(spec.kernel, shared, &of, 1, 0, &err), &err, text);
    ok(o->x->download(o->x, to, of.out.data, (size_t)o->a->nnz * sizeof *to, &err), &err, text);
    gpu_operands_check(o, &of, &p, 1, 0, 0, text);
    rc_kernel_release(spec.kernel, shared);
}

/* Segments are who computes, not what: every size gives the same bits, also of a shared state. */
static void segments_do_not_change_values(void **state)
{
    (void)state;
    enum { most = 40000 };
    static const char *const entries[] = {"row-sddmm:entries=0", "row-sddmm", "row-sddmm:entries=1", "row-sddmm:entries=4",
        "row-sddmm:entries=32", "row-sddmm:entries=1024"};
    static float out[2][most];
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    for (int m = 0; m < shape_count; m++) {
        rc_csr_t a = make_matrix(&shapes[m], 100 + (uint64_t)m);
        gpu_operands_t o = {.x = &d->executor, .operation = rc_operation_of(RC_OP_SDDMM), .matrix = shapes[m].name,
            .a = &a, .precision = RC_FP32, .layout = RC_ROW_MAJOR, .k = m % 2 ? 36 : 129};
        rc_schedule_t s = make_schedule(&a, SCHEDULE_PADS, (rc_geometry_t){32, 32, 32});
        assert_true(a.nnz <= most);
        gpu_operands_new(&o);
        for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++) {
            run_with(&o, entries[i], &s, out[i > 0]);
            if (i > 0 && memcmp(out[0], out[1], (size_t)a.nnz * sizeof out[0][0]) != 0)
                fail_msg("%s: other values than entries=0, matrix '%s'", entries[i], o.matrix);
        }
        gpu_operands_free(&o);
        rc_schedule_free(&s);
        free_matrix(&a);
    }
    rc_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_in_the_order_of_the_entries),
        cmocka_unit_test(special_values_are_those_of_ieee),
        cmocka_unit_test(segments_do_not_change_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
