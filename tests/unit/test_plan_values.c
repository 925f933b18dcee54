/* Where a plan has the values of its matrix. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "plan/plan_private.h"
#include "plan_small.h"
#include "real_types.h"

#include <stdlib.h>
#include <string.h>

enum { NNZ = 5 };

static const float narrow[NNZ] = {1, 2, 3, 4, 5};
static const double wide[NNZ] = {1.25 + 0x1p-40, 2, 3 - 0x1p-9, 4, 5.5};

/* A plan of nothing but a type and places of entries. */
static rc_plan_t bare(rc_executor_t *x, rc_precision_t precision, int64_t *from)
{
    static rc_plan_pattern_t nowhere;
    return (rc_plan_t){.place = {.x = x},
        .precision = precision,
        .a = {.nnz = NNZ},
        .pattern = &nowhere,
        .from = from};
}

/* A caller's values of any type, sorted or not, are found on the host and on the device. */
static void values_are_found(void **state)
{
    (void)state;
    int64_t from[NNZ] = {4, 0, 1, 3, 2};
    rc_executor_t x;
    rc_executor_cpu(1, &x);
    for (int i = 0; i < 4 * RC_TYPES * RC_TYPES; i++) {
        rc_precision_t type = (rc_precision_t)(i / 4 % RC_TYPES);
        rc_plan_t plan = bare(&x, (rc_precision_t)(i / (4 * RC_TYPES)), i & 1 ? from : NULL);
        double given[2 * NNZ];
        const void *here = NULL;
        void *there = NULL;
        for (int64_t e = 0; e < NNZ; e++)
            rc_type(type)->store(given, e, wide[e]);
        plan.values = rc_plan_values_of(given, type, i >> 1 & 1);
        for (int first = 0; first < 2; first++) {
            assert_int_equal(rc_plan_values_there(&plan, &there, NULL), RC_OK);
            assert_int_equal(rc_plan_values_here(&plan, &here, NULL), RC_OK);
            for (int64_t e = 0; e < NNZ; e++) {
                double want = rc_type(type)->load(given, plan.from ? from[e] : e);
                assert_true(rc_type(type)->load(here, e) == want);
                want = rc_type(plan.precision)->round(want);
                assert_true(rc_type(plan.precision)->load(there, e) == want);
            }
            x.release(&x, there);
        }
        rc_plan_values_free(&plan.values);
    }
}

/* What can be shared keeps no values on a GPU; then they are not there for preparing once more. */
static void values_are_kept_for_copies(void **state)
{
    (void)state;
    rc_kernel_t kernel = *rc_kernel_find("rowsplit", RC_DEVICE_CPU);
    rc_executor_t x;
    rc_executor_cpu(1, &x);
    for (int i = 0; i < 4; i++) {
        rc_plan_entry_t e = {.trial.spec.kernel = &kernel};
        rc_plan_t plan = bare(&x, RC_FP64, NULL);
        rc_err_t err = {0};
        const void *here = NULL;
        int kept = i != 3;
        plan.entry = &e;
        plan.entries = 1;
        x.kind = i & 1 ? RC_DEVICE_CUDA : RC_DEVICE_CPU;
        kernel.shares = i & 2 ? rc_kernel_find("rowsplit", RC_DEVICE_CPU)->shares : 0;
        plan.values = rc_plan_values_of(narrow, RC_FP32, 0);
        assert_int_equal(rc_plan_values_settle(&plan, &err), RC_OK);
        assert_null(plan.values.given);
        assert_int_equal(plan.values.host != NULL, kept);
        assert_int_equal(rc_plan_values_here(&plan, &here, &err), kept ? RC_OK : RC_ENOTSUP);
        if (kept)
            assert_memory_equal(here, narrow, sizeof narrow);
        rc_plan_values_free(&plan.values);
    }
}

/* On the host a plan has no values but in their own type, for copies with other teams; new ones take
 * their place where everything is prepared anew. */
static void values_keep_their_type(void **state)
{
    (void)state;
    fixture_t *f = begin();
    rc_err_t err = {0};
    for (int i = 0; i < REAL_TYPES; i++) {
        f->m = matrix_of(&f->in, 8, real_type(i));
        rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.kernels = "rs"});
        assert_null(plan->a.val);
        assert_null(plan->values.given);
        assert_int_equal(plan->values.type, real_type(i));
        assert_memory_equal(plan->values.host, f->m.val, (size_t)(f->m.nnz * rc_type(f->m.precision)->bytes));
        assert_int_equal(rc_plan_update(plan, f->in.val64, RC_FP64, 0, &err), RC_OK);
        assert_int_equal(plan->values.type, RC_FP64);
        assert_memory_equal(plan->values.host, f->in.val64, (size_t)f->m.nnz * sizeof(double));
        rc_plan_free(plan);
    }
}

/* A kernel that reads values where they are says so in a run. */
static void values_are_not_where_they_were(void **state)
{
    (void)state;
    static dense_t b;
    static dense_t c;
    fixture_t *f = begin();
    rc_err_t err = {0};
    f->p.layout = RC_COL_MAJOR;
    b.ld = c.ld = MOST;
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.kernels = "fault"});
    const rc_operands_t o = operands(&f->p, &b, &c);
    assert_int_equal(rc_plan_run(plan, 4, &o, 1, 0, &err), RC_ENOTSUP);
    assert_non_null(strstr(err.text, "reads values of the host"));
    rc_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found),
        cmocka_unit_test(values_are_kept_for_copies),
        cmocka_unit_test(values_keep_their_type),
        cmocka_unit_test(values_are_not_where_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
