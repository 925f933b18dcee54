/* Plans whose output is fp32 beside operands of 16 bits, against the product in fp64. */
#include "config.h"
#include "unit.h"

#include "kernels/prepared.h"
#include "plan_fixture.h"
#include "scratch.h"

#include <stdio.h>
#include <string.h>

/* A problem of an operation by rows or by columns. */
typedef struct asked {
    rc_op_t op;
    rc_layout_t layout;
} asked_t;

static const asked_t asked[] = {{RC_OP_SPMM, RC_ROW_MAJOR}, {RC_OP_SPMM, RC_COL_MAJOR}, {RC_OP_SPMV, RC_COL_MAJOR},
    {RC_OP_SPMM_T, RC_ROW_MAJOR}};
enum { ASKED = sizeof asked / sizeof *asked };

static rc_status_t execute(rc_plan_t *plan, int64_t k, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    return rc_plan_execute(
        plan, k, alpha, o->in[0].data, o->in[0].ld, beta, o->out.data, o->out.ld, NULL, err);
}

static rc_plan_problem_t some_problem(rc_rng_t *rng, int64_t *k)
{
    const asked_t *q = &asked[below(rng, ASKED)];
    const int has_k = rc_operation_of(q->op)->has_k;
    *k = has_k ? 1 + below(rng, WIDEST) : 1;
    return (rc_plan_problem_t){.op = q->op, .layout = q->layout, .precision = some_type(rng, RC_TYPES_SHORT),
        .k = has_k ? k : NULL, .ks = has_k, .out_fp32 = 1};
}

static void check(rc_rng_t *rng, rc_plan_t *plan, const rc_plan_problem_t *p, const input_t *in, int64_t k)
{
    static input_t turned;
    if (p->op != RC_OP_SPMM_T) {
        check_run(rng, plan, execute, p, in, k);
        return;
    }
    turned.exact = in->exact;
    transpose(in, &turned);
    check_run(rng, plan, execute, p, &turned, k);
}

/* Made, cloned, given new values, saved and loaded. */
static void plans_multiply(void **state)
{
    char path[SCRATCH_PATH];
    static input_t in;
    rc_rng_t rng;
    rc_rng_seed(&rng, 31);
    scratch_path(state, "plan.json", path);
    for (int n = 0; n < 80; n++) {
        int64_t k = 1;
        const rc_plan_problem_t p = some_problem(&rng, &k);
        rc_plan_options_t o = {.orders = below(&rng, 2) ? "csr,lpt" : "dcsr", .tune = (int)below(&rng, 3), .tune_ns = 1000000,
            .threads = 1 + (int)below(&rng, 3)};
        rc_plan_t *plan = NULL, *clone = NULL, *loaded = NULL;
        rc_err_t err = {0};
        if (o.tune == 0)
            o.tune_in_use = (int)below(&rng, 3);
        in.exact = p.precision;
        make(&rng, (int)below(&rng, 2), &in);
        const rc_plan_matrix_t m = matrix_of(&in, 8, below(&rng, 2) ? RC_FP64 : p.precision);
        if (rc_plan_create_host(&p, &m, &o, &plan, &err) != RC_OK)
            fail_msg("%s", err.text);
        for (int i = 0; i < (o.tune_in_use ? 40 : 2); i++)
            check(&rng, plan, &p, &in, k);
        assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
        if (rc_plan_load_host(path, &p, &m, &o, &loaded, &err) != RC_OK)
            fail_msg("%s", err.text);
        check(&rng, loaded, &p, &in, k);
        assert_int_equal(rc_plan_clone(plan, NULL, &clone, &err), RC_OK);
        new_values(&rng, &in);
        assert_int_equal(rc_plan_update_values(clone, in.nnz, in.val64, RC_FP64, 0, NULL, &err), RC_OK);
        rc_plan_free(plan);
        check(&rng, clone, &p, &in, k);
        rc_plan_free(clone);
        rc_plan_free(loaded);
    }
}

/* Every kernel of the CPU by its name. */
static void every_kernel_multiplies(void **state)
{
    (void)state;
    static input_t in;
    rc_rng_t rng;
    rc_rng_seed(&rng, 32);
    for (int n = 0; n < 4; n++)
        for (int i = 0; rc_kernels[i]; i++) {
            const rc_kernel_t *kernel = rc_kernels[i];
            int64_t k = 1 + below(&rng, WIDEST);
            if (kernel->device != RC_DEVICE_CPU || kernel->op == RC_OP_SDDMM || !kernel->out_sums)
                continue;
            const int has_k = rc_operation_of(kernel->op)->has_k;
            k = has_k ? k : 1;
            const rc_plan_problem_t p = {.op = kernel->op, .layout = kernel->layout,
                .precision = some_type(&rng, RC_TYPES_SHORT), .k = has_k ? &k : NULL, .ks = has_k, .out_fp32 = 1};
            const rc_plan_options_t o = {.kernels = kernel->name, .orders = "flipped", .threads = 2};
            rc_plan_t *plan = NULL;
            rc_err_t err = {0};
            in.exact = p.precision;
            make(&rng, 1, &in);
            const rc_plan_matrix_t m = matrix_of(&in, 4, p.precision);
            const rc_status_t st = rc_plan_create_host(&p, &m, &o, &plan, &err);
            if (st == RC_ENOTSUP) /* padding of a matrix like this */
                continue;
            if (st != RC_OK)
                fail_msg("%s: %s", kernel->name, err.text);
            for (int again = 0; again < 3; again++)
                check(&rng, plan, &p, &in, k);
            rc_plan_free(plan);
        }
}

/* O = alpha A .* (Y X') + beta O, in fp32: 2^-12 is lost beside 1 in 16 bits. */
static void the_sampled_product(void **state)
{
    (void)state;
    const int64_t k = 2;
    const int32_t ptr[] = {0, 1, 2}, col[] = {1, 0};
    const double val[] = {1, 2}, from[] = {1, 0x1p-12, 1, 1}, old[] = {0.5, 0x1p-13};
    for (int t = 0; t < RC_TYPES; t++) {
        double y[4], x[4];
        float out[2];
        const rc_type_t *type = rc_type((rc_precision_t)t);
        const rc_plan_problem_t p = {.op = RC_OP_SDDMM, .precision = (rc_precision_t)t, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1,
            .out_fp32 = 1};
        const rc_plan_matrix_t m = {2, 2, 2, ptr, 4, col, val, RC_FP64, 0, 0, RC_PLAN_CSR};
        rc_plan_t *plan = NULL;
        rc_err_t err = {0};
        if (!(RC_TYPES_SHORT >> t & 1))
            continue;
        for (int i = 0; i < 4; i++) {
            type->store(y, i, from[i]);
            type->store(x, i, 1);
        }
        for (int i = 0; i < 2; i++)
            out[i] = (float)old[i];
        assert_int_equal(rc_plan_create_host(&p, &m, NULL, &plan, &err), RC_OK);
        assert_int_equal(rc_plan_execute_sddmm(plan, k, 0.5, y, 2, x, 2, 2, out, NULL, &err), RC_OK);
        assert_true(out[0] == 0.5 + 0x1p-13 + 1 && out[1] == 2 + 0x1p-12);
        rc_plan_free(plan);
    }
}

static void said(rc_status_t found, rc_status_t expected, rc_err_t *err, const char *text)
{
    if (found != expected || !strstr(err->text, text) || strchr(err->text, '\n'))
        fail_msg("expected %d with '%s', found %d: %s", (int)expected, text, (int)found, err->text);
    *err = (rc_err_t){0};
}

/* What cannot be is said in a line, and operands are looked at by the bytes that they have. */
static void wrong_problems_are_refused(void **state)
{
    enum { ROWS = 8, k = 4 };
    char path[SCRATCH_PATH];
    const int64_t ks[] = {k};
    const int32_t ptr[ROWS + 1] = {0};
    const rc_plan_matrix_t m = {.rows = ROWS, .cols = ROWS, .row_ptr = ptr, .row_ptr_bytes = 4};
    rc_plan_problem_t p = {.precision = RC_BF16, .layout = RC_ROW_MAJOR, .k = ks, .ks = 1};
    uint16_t memory[4 * ROWS * k] = {0};
    rc_plan_t *plan = NULL, *other = NULL;
    rc_err_t err = {0};
    scratch_path(state, "wrong.json", path);
    assert_int_equal(rc_plan_create_host(&p, &m, NULL, &plan, &err), RC_OK);
    assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
    p.out_fp32 = 1;
    said(rc_plan_load_host(path, &p, &m, NULL, &other, &err), RC_EINVAL, &err, "output: expected fp32, found bf16");
    rc_plan_free(plan);
    assert_int_equal(rc_plan_create_host(&p, &m, NULL, &plan, &err), RC_OK);
    assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
    /* C takes twice the bytes of B: it reaches into a B that begins behind so many values of its own */
    said(rc_plan_execute(plan, k, 1, memory + ROWS * k, k, 0, memory, k, NULL, &err), RC_EINVAL, &err, "overlap");
    said(rc_plan_execute(plan, k, 1, memory, k, 0, memory + ROWS * k + 1, k, NULL, &err), RC_EINVAL, &err, "aligned to 4 bytes");
    assert_int_equal(rc_plan_execute(plan, k, 1, memory + 2 * ROWS * k, k, 0, memory, k, NULL, &err), RC_OK);
    rc_plan_free(plan);
    p.out_fp32 = 0;
    said(rc_plan_load_host(path, &p, &m, NULL, &other, &err), RC_EINVAL, &err, "output: expected bf16, found fp32");
    p.out_fp32 = 1;
    said(rc_plan_create_host(&p, &m, &(rc_plan_options_t){.kernels = "fault"}, &plan, &err), RC_ENOTSUP, &err, "fault");
    for (int t = 0; t < 2; t++) {
        p.precision = t ? RC_FP64 : RC_FP32;
        said(rc_plan_create_host(&p, &m, NULL, &plan, &err), RC_EINVAL, &err, "out_fp32: expected dense operands of 16 bits, found fp");
    }
    assert_true(!plan && !other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_multiply),
        cmocka_unit_test(every_kernel_multiplies),
        cmocka_unit_test(the_sampled_product),
        cmocka_unit_test(wrong_problems_are_refused),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
