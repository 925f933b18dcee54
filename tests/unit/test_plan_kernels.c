/* Plans of every kernel of the host: a plan has no values in its matrix, so each must take them where
 * they are, when it is made and with new values. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "plan/plan_private.h"
#include "plan_fixture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { K = 6 };

/* What the others are compared with; of spmm the other one. */
static const char *reference_of(const rc_kernel_t *k)
{
    static const char *const names[RC_OPS] = {[RC_OP_SPMV] = "plain-spmv",
        [RC_OP_SPMM_T] = "plain-spmm_t",
        [RC_OP_SDDMM] = "plain-sddmm"};
    if (k->op == RC_OP_SPMM)
        return k->layout == RC_ROW_MAJOR ? "rowsplit" : "cstat";
    return names[k->op];
}

static rc_plan_t *plan_by(
    rc_executor_t *x, const rc_kernel_t *k, const char *name, rc_precision_t precision, const rc_plan_matrix_t *m)
{
    const int64_t ks[] = {K};
    int has_k = rc_operation_of(k->op)->has_k;
    rc_plan_place_t place = {.x = x};
    rc_plan_problem_t p = {.op = k->op,
        .precision = precision,
        .layout = k->layout,
        .k = has_k ? ks : NULL,
        .ks = has_k};
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    if (rc_plan_new(&place, &p, m, &(rc_plan_options_t){.kernels = name}, &plan, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    return plan;
}

static int64_t count_of(const rc_dense_t *d)
{
    return d->rows * d->cols; /* leading dimensions are the least */
}

/* The same operands for every plan of a problem: values of a type. */
static rc_plan_scratch_t operands_for(const rc_plan_t *plan, rc_precision_t type)
{
    rc_plan_scratch_t s;
    rc_rng_t rng;
    rc_rng_seed(&rng, 4);
    assert_int_equal(rc_plan_scratch_new(plan, K, &s, NULL), RC_OK);
    for (int i = 0; i < rc_operation_inputs(rc_operation_of(plan->op)); i++)
        for (int64_t e = 0; e < count_of(&s.o.in[i]); e++)
            rc_type(plan->precision)->store(s.o.in[i].data, e, rc_type(type)->round(2 * rc_rng_unit(&rng) - 1));
    return s;
}

/* With a plan of fp64, as far as the roundings of a sum, and of what is stored, may be off. */
static void compare(rc_plan_t *plan, rc_plan_t *other, const char *name)
{
    enum { ROUNDINGS = 2000 };
    const rc_type_t *type = rc_type(plan->precision);
    rc_plan_scratch_t a = operands_for(plan, plan->precision);
    rc_plan_scratch_t b = operands_for(other, plan->precision);
    rc_err_t err = {0};
    if (rc_plan_run(plan, K, &a.o, 1, 0, &err) < 0 || rc_plan_run(other, K, &b.o, 1, 0, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    for (int64_t e = 0; e < count_of(&a.o.out); e++) {
        double found = type->load(a.o.out.data, e);
        double want = rc_type(other->precision)->load(b.o.out.data, e);
        if (!(fabs(found - want) <= ROUNDINGS * rc_type(type->sum)->unit + 2 * type->unit * fabs(want) + MOST * type->least))
            fail_msg("%s in %s: value %d: expected %g, found %g", name, type->name, (int)e, want, found);
    }
    rc_plan_scratch_free(plan, &a);
    rc_plan_scratch_free(other, &b);
}

/* \param[in] type  of the plan  \param[in] of  of the matrix */
static void check(const rc_kernel_t *k, rc_precision_t type, rc_precision_t of)
{
    static input_t in;
    rc_rng_t rng;
    rc_executor_t x;
    rc_rng_seed(&rng, 3);
    rc_executor_cpu(2, &x);
    in.exact = rc_type(type)->unit > rc_type(of)->unit ? type : of;
    do
        make(&rng, 1, &in);
    while (in.nnz < 20);
    rc_plan_matrix_t m = matrix_of(&in, 8, of);
    rc_plan_matrix_t same = matrix_of(&in, 8, RC_FP64);
    rc_plan_t *plan = plan_by(&x, k, k->name, type, &m);
    rc_plan_t *other = plan_by(&x, k, reference_of(k), RC_FP64, &same);
    compare(plan, other, k->name);
    rc_plan_free(other);
    new_values(&rng, &in);
    other = plan_by(&x, k, reference_of(k), RC_FP64, &same);
    assert_int_equal(rc_plan_update(plan, m.val, of, 0, NULL), RC_OK);
    compare(plan, other, k->name);
    rc_plan_free(other);
    rc_plan_free(plan);
}

/* In each type that it has an instance for, of a matrix of any type; for others it says so. */
static void every_kernel_of_the_host(void **state)
{
    (void)state;
    int kernels = 0;
    for (int i = 0; rc_kernels[i]; i++) {
        const rc_kernel_t *k = rc_kernels[i];
        if (k->device != RC_DEVICE_CPU || !k->computes || strcmp(k->name, "fault") == 0)
            continue;
        for (int t = 0; t < RC_TYPES; t++)
            for (int of = 0; of < RC_TYPES && rc_kernel_takes(k, (rc_precision_t)t); of++)
                if (rc_type((rc_precision_t)of)->parts <= rc_type((rc_precision_t)t)->parts)
                    check(k, (rc_precision_t)t, (rc_precision_t)of);
        kernels++;
    }
    assert_true(kernels > 12);
}

static void a_type_without_an_instance_is_refused(void **state)
{
    (void)state;
    static input_t in;
    char say[80];
    rc_rng_t rng;
    rc_executor_t x;
    rc_rng_seed(&rng, 6);
    rc_executor_cpu(1, &x);
    make(&rng, 1, &in);
    const int64_t ks[] = {K};
    const rc_plan_place_t place = {.x = &x};
    const rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
    for (int i = 0; rc_kernels[i]; i++)
        for (int t = 0; t < RC_TYPES; t++) {
            const rc_kernel_t *k = rc_kernels[i];
            if (k->device != RC_DEVICE_CPU || !k->computes || rc_kernel_takes(k, (rc_precision_t)t))
                continue;
            int has_k = rc_operation_of(k->op)->has_k;
            rc_plan_problem_t p = {
                .op = k->op, .precision = (rc_precision_t)t, .layout = k->layout, .k = has_k ? ks : NULL, .ks = has_k};
            rc_plan_options_t o = {.kernels = k->name};
            rc_plan_t *plan = NULL;
            rc_err_t err = {0};
            (void)snprintf(say, sizeof say, "no instance for %s", rc_type((rc_precision_t)t)->name);
            assert_int_equal(rc_plan_new(&place, &p, &m, &o, &plan, &err), RC_ENOTSUP);
            assert_non_null(strstr(err.text, say));
            o.kernels = NULL; /* without a name it is no candidate */
            if (types_for(RC_DEVICE_CPU, &p, &o) >> t & 1u) {
                assert_int_equal(rc_plan_new(&place, &p, &m, &o, &plan, &err), RC_OK);
                for (int c = 0; c < plan->entry->part.candidates; c++)
                    assert_string_not_equal(plan->entry->candidate[c].kernel, k->name);
                rc_plan_free(plan);
                continue;
            }
            (void)snprintf(say, sizeof say, "no kernel of this build computes %s in %s there", rc_op_name(k->op),
                rc_type((rc_precision_t)t)->name);
            assert_int_equal(rc_plan_new(&place, &p, &m, &o, &plan, &err), RC_ENOTSUP);
            assert_non_null(strstr(err.text, say));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel_of_the_host),
        cmocka_unit_test(a_type_without_an_instance_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
