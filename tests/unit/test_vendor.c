#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "kernels/vendor/vendor.h"
#include "plan/plan_private.h"
#include "table/side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rc_kernel_t *kernel_of(const char *name)
{
    for (int i = 0; rc_kernels[i]; i++)
        if (strcmp(rc_kernels[i]->name, name) == 0)
            return rc_kernels[i];
    return NULL;
}

static void names_are_told_apart(void **state)
{
    (void)state;
    assert_true(rc_vendor_is("cusparse-csr-row") && rc_vendor_is("cusparse-spmv-sell:slice=32:pre=0"));
    assert_true(rc_vendor_is("mkl") && rc_vendor_is("mkl-row"));
    assert_string_equal(rc_vendor_name("cusparse-csr-row:alg=3"), "cuSPARSE");
    assert_string_equal(rc_vendor_name("mkl-row"), "oneMKL");
    assert_string_equal(rc_vendor_name("cublas-dense:fill=64"), "cuBLAS");
    assert_true(rc_vendor_is_dense("cublas-dense") && rc_vendor_is_dense("cublas-dense-col:fill=64"));
    assert_false(rc_vendor_is_dense("cusparse-csr-row") || rc_vendor_is_dense("gchunk"));
    assert_true(rc_vendor_is_baseline("cusparse-csr-row") && rc_vendor_is_baseline("mkl-row"));
    assert_false(rc_vendor_is_baseline("cublas-dense") || rc_vendor_is_baseline("gchunk"));
    assert_null(rc_vendor_name("serial-row"));
    assert_false(rc_vendor_is("gchunk:entries=8") || rc_vendor_is("") || rc_vendor_is("loop-spmv:kernel=cusparse-csr"));
    assert_true(rc_vendor_is_timed("cusparse-csr-row:alg=3:pre=1:index=32"));
    assert_true(rc_vendor_is_timed("cusparse-csr-row:alg=3:pre=1"));
    assert_false(rc_vendor_is_timed("cusparse-csr-row:alg=2:pre=0:index=32"));
    assert_false(rc_vendor_is_timed("cusparse-csr-row:alg=3:pre=10:index=32"));
    assert_false(rc_vendor_is_timed("cusparse-csr-row"));
    assert_true(rc_vendor_is_entry("a:b=1", "a:b=1:c=2") && rc_vendor_is_entry("a:b=1", "a:b=1"));
    assert_false(rc_vendor_is_entry("a:b=1", "a:b=10") || rc_vendor_is_entry("a:b=1", "a"));
}

/* Sides that nobody names have each kernel as what it is. */
static void sides_are_of_what_is_told_apart(void **state)
{
    static const char *const name[] = {"cusparse-csr-row:alg=3:pre=1", "cusparse-spmv-sell:slice=32", "cublas-dense:fill=64",
        "cublas-dense-col", "mkl", "mkl-row", "serial-row", "gchunk:entries=auto", "cstat:strip=1"};
    rc_side_t ours, vendors;
    (void)state;
    assert_int_equal(rc_side_parse(RC_SIDE_OURS, "csr", &ours, NULL), RC_OK);
    assert_int_equal(rc_side_parse(RC_SIDE_VENDOR, "csr", &vendors, NULL), RC_OK);
    for (size_t i = 0; i < sizeof name / sizeof *name; i++) {
        assert_int_equal(rc_side_has_names(&ours, name[i], "csr"), !rc_vendor_is(name[i]));
        assert_int_equal(rc_side_has_names(&vendors, name[i], "csr"), rc_vendor_is_baseline(name[i]));
    }
    rc_side_free(&ours);
    rc_side_free(&vendors);
}

/* Each is one kernel of a build that has the library's, and the first of the parameters are in their order. */
static void the_list_can_be_read(void **state)
{
    (void)state;
    if (!kernel_of("cusparse-csr-row"))
        skip();
    for (int i = 0; rc_vendor_timed[i]; i++) {
        rc_kernel_spec_t spec;
        char stored[RC_PLAN_KERNEL_MAX];
        rc_err_t err = {0};
        assert_int_equal(rc_kernel_spec_parse(rc_vendor_timed[i], RC_DEVICE_CUDA, &spec, &err), RC_OK);
        (void)snprintf(stored, sizeof stored, "%s:%s", spec.kernel->name, spec.params);
        assert_true(rc_vendor_is_timed(stored));
    }
}

/* The candidates of a plan on a GPU, which nothing is asked of; options by the caller. */
static void candidates(rc_op_t op, rc_layout_t layout, const rc_plan_options_t *o, rc_plan_entry_t *e)
{
    rc_executor_t x = {.kind = RC_DEVICE_CUDA};
    rc_plan_t plan = {.place.x = &x, .op = op, .layout = layout, .precision = RC_FP32};
    rc_err_t err = {0};
    *e = (rc_plan_entry_t){.part.k = 32};
    assert_int_equal(rc_plan_candidates(&plan, o, e, &err), RC_OK);
}

static int times(const rc_plan_entry_t *e, const char *kernel)
{
    int n = 0;
    for (int i = 0; i < e->part.candidates; i++)
        n += strcmp(e->candidate[i].kernel, kernel) == 0;
    return n;
}

static void a_plan_times_them(void **state)
{
    (void)state;
    rc_plan_entry_t e;
    if (!kernel_of("cusparse-csr-row"))
        skip();
    candidates(RC_OP_SPMM, RC_ROW_MAJOR, &(rc_plan_options_t){.tune = 3}, &e);
    assert_int_equal(e.others, 3);
    assert_int_equal(times(&e, "cusparse-csr-row:alg=3:pre=0"), 1);
    assert_int_equal(times(&e, "cusparse-csr-row:alg=3:pre=1"), 1);
    assert_int_equal(times(&e, "cusparse-coo-row:alg=4:pre=0"), 1);
    assert_string_equal(e.candidate[e.part.candidates - 1].kernel, "cusparse-coo-row:alg=4:pre=0");
    assert_int_equal(times(&e, "cusparse-csr-row"), 1);
    assert_true(rc_vendor_is(e.candidate[e.part.reference].kernel));
    free(e.candidate);
    candidates(RC_OP_SPMM, RC_COL_MAJOR, &(rc_plan_options_t){.tune = 3}, &e);
    assert_int_equal(e.others, 2);
    free(e.candidate);
    candidates(RC_OP_SPMV, RC_COL_MAJOR, &(rc_plan_options_t){.tune = 3}, &e);
    assert_int_equal(e.others, 3);
    free(e.candidate);
}

/* Neither without timing, nor where the kernels are named, nor where the orders leave the original one out. */
static void else_they_are_no_candidates(void **state)
{
    (void)state;
    rc_plan_entry_t e;
    if (!kernel_of("cusparse-csr-row"))
        skip();
    candidates(RC_OP_SPMM, RC_ROW_MAJOR, &(rc_plan_options_t){.tune = 0}, &e);
    assert_int_equal(e.others, 0);
    free(e.candidate);
    candidates(RC_OP_SPMM, RC_ROW_MAJOR, &(rc_plan_options_t){.tune = 3, .kernels = "gchunk"}, &e);
    assert_int_equal(e.others, 0);
    assert_int_equal(e.part.candidates, 1);
    free(e.candidate);
    candidates(RC_OP_SPMM, RC_ROW_MAJOR, &(rc_plan_options_t){.tune = 3, .orders = "lpt"}, &e);
    assert_int_equal(e.others, 0);
    free(e.candidate);
    candidates(RC_OP_SPMM, RC_ROW_MAJOR, &(rc_plan_options_t){.tune = 3, .orders = "lpt,csr"}, &e);
    assert_int_equal(e.others, 3);
    free(e.candidate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_told_apart), cmocka_unit_test(sides_are_of_what_is_told_apart),
        cmocka_unit_test(the_list_can_be_read),
        cmocka_unit_test(a_plan_times_them),
        cmocka_unit_test(else_they_are_no_candidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
