/* Plans of complex numbers on the host: every kernel that has them, in every form of a matrix and in every
 * order, against sums of products of parts that are written here. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "complex_fixture.h"
#include "kernels/kernel.h"
#include "plan/plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rc_plan_t *plan_of(const rc_plan_problem_t *p, const input_t *a, const rc_plan_options_t *o, const char *what)
{
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    const rc_plan_matrix_t m = matrix_of(a);
    if (rc_plan_create_host(p, &m, o, &plan, &err) < 0)
        fail_msg("%s: %s", what, err.text);
    return plan;
}

static number_t factor(rc_rng_t *rng, int i)
{
    static const number_t known[] = {{{1, 0}}, {{0, 0}}, {{-2, 0}}, {{0, 1}}};
    return i < 4 ? known[i] : (number_t){{2 * rc_rng_unit(rng) - 1, 2 * rc_rng_unit(rng) - 1}};
}

/* Products with one plan: as it was made, of a copy, and with new values. */
static void try_plan(rc_rng_t *rng, const rc_plan_problem_t *p, input_t *a, const rc_plan_options_t *o)
{
    char what[160];
    (void)snprintf(what, sizeof what, "%s under %s, %s of %s, form %d", o->kernels, o->orders, rc_type(p->precision)->name,
        rc_type(a->type)->name, (int)a->form);
    rc_plan_t *copy = NULL;
    rc_plan_t *plan = plan_of(p, a, o, what);
    const int64_t k = p->ks > 0 ? p->k[0] : 1;
    for (int i = 0; i < 6; i++) {
        operands_make(rng, p, a, k);
        run_and_check(plan, p, a, k, factor(rng, i), factor(rng, (i + 1) % 6), what);
    }
    assert_int_equal(rc_plan_clone(plan, NULL, &copy, NULL), RC_OK);
    new_values(rng, a, a->type == RC_C128 ? p->precision : a->type);
    assert_int_equal(rc_plan_update_values(plan, a->nnz, a->given, a->type, 0, NULL, NULL), RC_OK);
    operands_make(rng, p, a, k);
    run_and_check(plan, p, a, k, one, zero, what);
    assert_int_equal(rc_plan_update_values(copy, a->nnz, a->given, a->type, 0, NULL, NULL), RC_OK);
    operands_make(rng, p, a, k);
    run_and_check(copy, p, a, k, one, factor(rng, 5), what);
    rc_plan_free(copy);
    rc_plan_free(plan);
}

static void try_kernel(rc_rng_t *rng, const rc_kernel_t *k, rc_precision_t type)
{
    static input_t a;
    static const char *const orders[] = {"csr", "lpt", "random:seed=3", "dcsr"};
    enum { ROUNDS = 24 };
    const int has_k = rc_operation_of(k->op)->has_k;
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t columns = 1 + below(rng, i % 3 ? 9 : MOST);
        rc_plan_problem_t p = {.op = k->op, .precision = type, .layout = k->layout, .k = has_k ? &columns : NULL, .ks = has_k};
        rc_plan_options_t o = {.kernels = k->name, .orders = orders[i % 4], .threads = 1 + i % 3};
        const rc_plan_form_t form = k->op == RC_OP_SDDMM ? RC_PLAN_CSR : (rc_plan_form_t)(i / 4 % 3);
        make(rng, type, form, &a);
        try_plan(rng, &p, &a, &o);
    }
}

static void every_kernel(void **state)
{
    (void)state;
    rc_rng_t rng;
    unsigned operations = 0;
    rc_rng_seed(&rng, 21);
    for (int i = 0; rc_kernels[i]; i++)
        for (int t = 0; t < RC_TYPES; t++) {
            const rc_kernel_t *k = rc_kernels[i];
            if (k->device != RC_DEVICE_CPU || !k->computes || rc_type((rc_precision_t)t)->parts == 1 || !rc_kernel_takes(k, (rc_precision_t)t))
                continue;
            try_kernel(&rng, k, (rc_precision_t)t);
            operations |= 1u << k->op;
        }
    assert_int_equal(operations, (1u << RC_OPS) - 1);
}

/* Without options there is a plan of every operation and layout that real numbers have one of. */
static void plans_by_default(void **state)
{
    (void)state;
    static input_t a;
    rc_rng_t rng;
    const int64_t k = 5;
    int plans = 0;
    rc_rng_seed(&rng, 22);
    for (int i = 0; i < RC_OPS * 2 * 2; i++) {
        rc_plan_problem_t p = {.op = (rc_op_t)(i % RC_OPS), .layout = i / RC_OPS % 2 ? RC_ROW_MAJOR : RC_COL_MAJOR, .precision = RC_FP64};
        const rc_precision_t type = i / RC_OPS / 2 ? RC_C128 : RC_C64;
        p.ks = rc_operation_of(p.op)->has_k;
        p.k = p.ks ? &k : NULL;
        rc_plan_t *plan = NULL;
        make(&rng, type, RC_PLAN_CSR, &a);
        rc_plan_matrix_t m = matrix_of(&a);
        m.precision = RC_FP64; /* whatever the values are */
        const rc_status_t real = rc_plan_create_host(&p, &m, NULL, &plan, NULL);
        rc_plan_free(plan);
        plan = NULL;
        p.precision = type;
        m.precision = a.type;
        assert_int_equal(rc_plan_create_host(&p, &m, NULL, &plan, NULL), real);
        if (plan) {
            operands_make(&rng, &p, &a, k);
            if (p.op == RC_OP_SPMV)
                operands_make(&rng, &p, &a, 1);
            run_and_check(plan, &p, &a, k, one, zero, rc_op_name(p.op));
            plans++;
        }
        rc_plan_free(plan);
    }
    assert_true(plans >= 2 * RC_OPS);
}

/* rc_plan_execute takes real factors, and so do several by one call. */
static void other_calls(void **state)
{
    (void)state;
    static input_t a;
    rc_rng_t rng;
    rc_err_t err = {0};
    const int64_t k = 4;
    const rc_plan_problem_t p = {.op = RC_OP_SPMM, .precision = RC_C64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_rng_seed(&rng, 23);
    make(&rng, RC_C64, RC_PLAN_CSR, &a);
    rc_plan_t *plan = plan_of(&p, &a, NULL, "a plan");
    const number_t two = {{2, 0}}, half = {{0.5, 0}}, turned = {{0.25, -1.5}};
    operands_make(&rng, &p, &a, k);
    assert_int_equal(rc_plan_execute(plan, k, 2, now.in[0].data, now.in[0].ld, 0.5, now.out.data, now.out.ld, NULL, &err), RC_OK);
    check(&p, &a, two, half, "real factors");
    now.out = now.before;
    /* the same operands again, which are not looked at again: other factors */
    assert_int_equal(execute(plan, k, turned, half, &err), RC_OK);
    check(&p, &a, turned, half, "complex factors");
    now.out = now.before;
    assert_int_equal(rc_plan_execute(plan, k, 2, now.in[0].data, now.in[0].ld, 0.5, now.out.data, now.out.ld, NULL, &err), RC_OK);
    check(&p, &a, two, half, "real factors again");
    now.out = now.before;
    const rc_plan_call_t call = {.plan = plan, .k = k, .alpha = 2, .b = now.in[0].data,
        .ldb = now.in[0].ld, .beta = 0.5, .c = now.out.data, .ldc = now.out.ld};
    assert_int_equal(rc_plan_execute_many(&call, 1, NULL, &err), RC_OK);
    check(&p, &a, two, half, "a call of several");
    rc_plan_free(plan);
}

/* One product of a plan for two. */
static rc_status_t execute_either(rc_plan_t *plan, int64_t k, number_t alpha, int transposed, int conjugated, rc_err_t *err)
{
    const rc_plan_product_t p = {.k = k, .alpha = {alpha.part[0], alpha.part[1]}, .in = {now.in[0].data, now.in[1].data},
        .ld_in = {now.in[0].ld, now.in[1].ld}, .out = now.out.data, .ld_out = now.out.ld, .transposed = transposed,
        .conjugated = conjugated};
    return rc_plan_execute_complex(plan, &p, NULL, err);
}

static const input_t *conjugate_if(int yes, const input_t *a, input_t *room)
{
    if (!yes)
        return a;
    *room = *a;
    for (int64_t e = 0; e < a->nnz; e++)
        room->val[e].part[1] = -a->val[e].part[1];
    return room;
}

/* Both products of a plan with these bits, against those of the matrix. */
static void check_turned(rc_rng_t *rng, rc_plan_t *plan, const rc_plan_problem_t *p, const input_t *a, int bits,
    const char *what)
{
    static input_t room;
    const int64_t k = p->ks > 0 ? p->k[0] : 1;
    rc_err_t err = {0};
    for (int transposed = 0; transposed < (bits & 3 ? 2 : 1); transposed++) {
        rc_plan_problem_t q = *p;
        const int adjoint = transposed && bits & RC_PLAN_ADJOINT;
        const int conjugates = ((bits & RC_PLAN_CONJUGATED) != 0) != (adjoint != 0);
        const number_t alpha = factor(rng, 5);
        if (transposed)
            q.op = p->op == RC_OP_SPMM_T ? RC_OP_SPMM : RC_OP_SPMM_T;
        operands_make(rng, &q, a, k);
        if (execute_either(plan, k, alpha, transposed, adjoint, &err) < 0)
            fail_msg("%s: %s", what, err.text);
        check(&q, conjugate_if(conjugates, a, &room), alpha, zero, what);
        if (transposed)
            assert_int_equal(execute_either(plan, k, alpha, 1, !adjoint, &err), RC_ENOTSUP);
    }
    assert_int_equal(execute_either(plan, k, one, 0, 1, &err), RC_EINVAL);
}

/* A file of a plan has the same products; what it has not is refused. */
static void check_file(rc_rng_t *rng, const rc_plan_t *plan, const rc_plan_problem_t *p, const input_t *a,
    const rc_plan_options_t *made, const char *what)
{
    char path[] = "/tmp/rowcast-complex-XXXXXX";
    const rc_plan_matrix_t m = matrix_of(a);
    const int file = mkstemp(path);
    rc_err_t err = {0};
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
    for (int bits = 0; bits < 8; bits++) {
        const int asked = bits & 3;
        const int is_there = !asked || asked == (made->transposed & 3);
        rc_plan_options_t o = *made;
        rc_plan_t *loaded = NULL;
        o.transposed = bits;
        const rc_status_t st = rc_plan_load_host(path, p, &m, &o, &loaded, &err);
        if (asked == 3 || !is_there || ((bits ^ made->transposed) & RC_PLAN_CONJUGATED))
            assert_int_equal(st, RC_EINVAL);
        else if (st < 0)
            fail_msg("%s: a file for %d: %s", what, bits, err.text);
        if (loaded)
            check_turned(rng, loaded, p, a, made->transposed, what);
        rc_plan_free(loaded);
    }
    assert_int_equal(unlink(path), 0);
}

static void conjugated_products(void **state)
{
    (void)state;
    static input_t a;
    static const int choices[] = {RC_PLAN_ADJOINT, RC_PLAN_TRANSPOSED, RC_PLAN_CONJUGATED,
        RC_PLAN_ADJOINT | RC_PLAN_CONJUGATED, RC_PLAN_TRANSPOSED | RC_PLAN_CONJUGATED};
    rc_rng_t rng;
    rc_err_t err = {0};
    rc_rng_seed(&rng, 31);
    for (int i = 0; i < 5 * 3 * 2 * 3; i++) {
        static const rc_op_t ops[] = {RC_OP_SPMM, RC_OP_SPMV, RC_OP_SPMM_T};
        const int64_t k = 1 + below(&rng, 9);
        const int bits = choices[i % 5];
        rc_plan_problem_t p = {.op = ops[i / 5 % 3], .layout = i / 15 % 2 ? RC_COL_MAJOR : RC_ROW_MAJOR,
            .precision = i % 2 ? RC_C128 : RC_C64, .k = &k, .ks = 1};
        char what[80];
        rc_plan_t *copy = NULL;
        if (p.op == RC_OP_SPMV) {
            p.k = NULL;
            p.ks = 0;
            p.layout = RC_COL_MAJOR;
        }
        if (p.op == RC_OP_SPMM_T && !(bits & 3))
            p.layout = RC_ROW_MAJOR; /* whose kernels there are */
        (void)snprintf(what, sizeof what, "bits %d of %s, round %d", bits, rc_op_name(p.op), i);
        make(&rng, p.precision, (rc_plan_form_t)(i / 30), &a);
        const rc_plan_options_t o = {.transposed = bits, .threads = 1 + i % 2, .orders = i % 3 ? "csr" : "lpt"};
        rc_plan_t *plan = plan_of(&p, &a, &o, what);
        check_turned(&rng, plan, &p, &a, bits, what);
        new_values(&rng, &a, a.type == RC_C128 ? p.precision : a.type);
        assert_int_equal(rc_plan_update_values(plan, a.nnz, a.given, a.type, 0, NULL, NULL), RC_OK);
        check_turned(&rng, plan, &p, &a, bits, what);
        assert_int_equal(rc_plan_clone(plan, NULL, &copy, NULL), RC_OK);
        check_turned(&rng, copy, &p, &a, bits, what);
        new_values(&rng, &a, a.type == RC_C128 ? p.precision : a.type);
        assert_int_equal(rc_plan_update_values(copy, a.nnz, a.given, a.type, 0, NULL, NULL), RC_OK);
        check_turned(&rng, copy, &p, &a, bits, what);
        check_file(&rng, plan, &p, &a, &o, what);
        rc_plan_free(copy);
        rc_plan_free(plan);
    }
    const rc_plan_matrix_t m = matrix_of(&a);
    const int64_t k = 3;
    const rc_plan_problem_t p = {.op = RC_OP_SPMM, .precision = RC_C64, .k = &k, .ks = 1};
    static const int wrong[] = {3, 8, -1, 7};
    for (int i = 0; i < 4; i++) {
        rc_plan_t *plan = NULL;
        assert_int_equal(rc_plan_create_host(&p, &m, &(rc_plan_options_t){.transposed = wrong[i]}, &plan, &err), RC_EINVAL);
    }
}

/* Products are right while candidates are measured in them. */
static void tuned_in_use(void **state)
{
    (void)state;
    static input_t a;
    rc_rng_t rng;
    const int64_t k = 6;
    const rc_plan_problem_t p = {.op = RC_OP_SPMM, .precision = RC_C128, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    const rc_plan_options_t o = {.kernels = "rowsplit", .orders = "csr,lpt,random:seed=3", .tune_in_use = 3};
    rc_rng_seed(&rng, 29);
    make(&rng, RC_C128, RC_PLAN_CSR, &a);
    rc_plan_t *plan = plan_of(&p, &a, &o, "tuning in use");
    for (int i = 0; i < 100; i++) {
        operands_make(&rng, &p, &a, k);
        run_and_check(plan, &p, &a, k, factor(&rng, i % 8), factor(&rng, i % 3 + 4), "tuning in use");
    }
    rc_plan_free(plan);
}

/* A choice that was kept is that of complex numbers alone. */
static void kept_choices(void **state)
{
    (void)state;
    static input_t a;
    rc_rng_t rng;
    rc_err_t err = {0};
    char path[] = "/tmp/rowcast-complex-XXXXXX";
    const int64_t k = 7;
    rc_plan_problem_t p = {.op = RC_OP_SPMM, .precision = RC_C128, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(close(file), 0);
    rc_rng_seed(&rng, 24);
    make(&rng, RC_C128, RC_PLAN_CSC, &a);
    rc_plan_t *plan = plan_of(&p, &a, &(rc_plan_options_t){.tune = 2}, "a tuned plan");
    assert_int_equal(rc_plan_save(plan, path, &err), RC_OK);
    rc_plan_free(plan);
    const rc_plan_matrix_t m = matrix_of(&a);
    if (rc_plan_load_host(path, &p, &m, NULL, &plan, &err) < 0)
        fail_msg("%s", err.text);
    operands_make(&rng, &p, &a, k);
    run_and_check(plan, &p, &a, k, one, factor(&rng, 5), "a plan of a file");
    rc_plan_free(plan);
    p.precision = RC_C64;
    assert_int_equal(rc_plan_load_host(path, &p, &m, NULL, &plan, &err), RC_EINVAL);
    assert_int_equal(unlink(path), 0);
}

/* NaN and infinity by parts: those of the sum of the products of the parts, in any order of it. */
static int kind_of(double x)
{
    return isnan(x) ? 2 : isinf(x) ? (x > 0 ? 1 : -1) : 0;
}

static void special_values(void **state)
{
    (void)state;
    static input_t a;
    static const double values[] = {(double)INFINITY, -(double)INFINITY, (double)NAN, 0, 1, -2, 3, 0.5};
    rc_rng_t rng;
    int specials = 0;
    rc_rng_seed(&rng, 25);
    for (int i = 0; rc_kernels[i]; i++)
        for (int round = 0; round < 60; round++) {
            const rc_kernel_t *k = rc_kernels[i];
            const rc_precision_t type = round % 2 ? RC_C64 : RC_C128;
            if (k->device != RC_DEVICE_CPU || !k->computes || !k->strict || !rc_kernel_takes(k, type))
                continue;
            const int has_k = rc_operation_of(k->op)->has_k;
            const int64_t columns = 1 + below(&rng, 9);
            const rc_plan_problem_t p = {.op = k->op, .precision = type, .layout = k->layout, .k = has_k ? &columns : NULL, .ks = has_k};
            make(&rng, type, RC_PLAN_CSR, &a);
            a.type = type;
            for (int64_t e = 0; e < a.nnz; e++) {
                a.val[e] = (number_t){{values[below(&rng, 30) ? 3 + below(&rng, 5) : below(&rng, 3)], values[3 + below(&rng, 5)]}};
                number_put(type, a.given, e, a.val[e]);
            }
            rc_plan_t *plan = plan_of(&p, &a, &(rc_plan_options_t){.kernels = k->name, .threads = 2}, k->name);
            operands_make(&rng, &p, &a, has_k ? columns : 1);
            for (int64_t v = 0; v < VALUES; v++) {
                const number_t x = {{values[3 + below(&rng, 5)], values[below(&rng, 30) ? 3 + below(&rng, 5) : below(&rng, 3)]}};
                number_put(type, now.in[0].data, v, x);
                number_put(type, now.in[1].data, v, (number_t){{values[3 + below(&rng, 5)], values[3 + below(&rng, 5)]}});
                number_put(type, now.out.data, v, (number_t){{(double)NAN, (double)NAN}}); /* not read */
            }
            /* a real factor leaves an infinite part alone */
            assert_int_equal(execute(plan, columns, (number_t){{2, 0}}, zero, NULL), RC_OK);
            for (int64_t r = 0; r < now.out.rows; r++)
                for (int64_t j = 0; j < now.out.cols; j++) {
                    const sum_t s = expected(p.op, type, &a, r, j);
                    const number_t found = number_get(type, now.out.data, at(&now.out, r, j));
                    for (int q = 0; q < 2; q++) {
                        if (kind_of((double)s.part[q]) != kind_of(found.part[q]) ||
                            (isfinite(found.part[q]) && found.part[q] != 2 * (double)s.part[q]))
                            fail_msg("%s in %s: part %d: expected twice %Lg, found %g", k->name, rc_type(type)->name, q, s.part[q], found.part[q]);
                        specials += !isfinite(found.part[q]);
                    }
                }
            rc_plan_free(plan);
        }
    assert_true(specials > 1000);
}

/* alpha 0 reads neither A nor B, and beta multiplies what is there. */
static void factors_of_nothing(void **state)
{
    (void)state;
    static input_t a;
    rc_rng_t rng;
    const int64_t k = 3;
    const rc_plan_problem_t p = {.op = RC_OP_SPMM, .precision = RC_C128, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_rng_seed(&rng, 26);
    make(&rng, RC_C128, RC_PLAN_CSR, &a);
    rc_plan_t *plan = plan_of(&p, &a, NULL, "a plan");
    for (int i = 0; i < 6; i++) {
        const number_t beta = factor(&rng, i);
        const sum_t none = {0};
        operands_make(&rng, &p, &a, k);
        for (int64_t v = 0; v < VALUES; v++)
            number_put(RC_C128, now.in[0].data, v, (number_t){{(double)NAN, (double)NAN}});
        assert_int_equal(execute(plan, k, zero, beta, NULL), RC_OK);
        for (int64_t r = 0; r < now.out.rows; r++)
            for (int64_t j = 0; j < now.out.cols; j++) {
                const sum_t want = sum_end(&none, zero, beta, number_get(RC_C128, now.before.data, at(&now.before, r, j)));
                same(RC_C128, &want, number_get(RC_C128, now.out.data, at(&now.out, r, j)), "alpha 0");
            }
    }
    /* an imaginary alpha is not 0 */
    operands_make(&rng, &p, &a, k);
    run_and_check(plan, &p, &a, k, (number_t){{0, 1}}, zero, "alpha i");
    rc_plan_free(plan);
}

/* Memory that has real numbers alone. */
static void a_place_of_real_numbers(void **state)
{
    (void)state;
    static input_t a;
    rc_rng_t rng;
    rc_err_t err = {0};
    rc_executor_t x;
    const int64_t k = 2;
    rc_plan_problem_t p = {.op = RC_OP_SPMM, .precision = RC_C64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_plan_t *plan = NULL;
    rc_executor_cpu(1, &x);
    x.types = 0;
    rc_rng_seed(&rng, 28);
    make(&rng, RC_C64, RC_PLAN_CSR, &a);
    rc_plan_matrix_t m = matrix_of(&a);
    const rc_plan_place_t place = {.x = &x};
    assert_int_equal(rc_plan_new(&place, &p, &m, NULL, &plan, &err), RC_ENOTSUP);
    assert_string_equal(err.text, "problem: this device has no values of c64");
    p.precision = RC_FP32;
    m.precision = RC_C128;
    err = (rc_err_t){0};
    assert_int_equal(rc_plan_new(&place, &p, &m, NULL, &plan, &err), RC_ENOTSUP);
    assert_non_null(strstr(err.text, "matrix: values: this device has no values of c128"));
    assert_null(plan);
}

static void refusals(void **state)
{
    (void)state;
    static input_t a;
    rc_rng_t rng;
    rc_err_t err = {0};
    const int64_t k = 2;
    rc_plan_problem_t p = {.op = RC_OP_SPMM, .precision = RC_FP64, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_plan_t *plan = NULL;
    rc_rng_seed(&rng, 27);
    make(&rng, RC_C64, RC_PLAN_CSR, &a);
    rc_plan_matrix_t m = matrix_of(&a);
    m.precision = RC_C64;
    assert_int_equal(rc_plan_create_host(&p, &m, NULL, &plan, &err), RC_EINVAL);
    assert_string_equal(err.text, "matrix: values: expected real numbers for fp64, found c64");
    assert_null(plan);
    m.precision = RC_FP32;
    assert_int_equal(rc_plan_create_host(&p, &m, NULL, &plan, NULL), RC_OK);
    err = (rc_err_t){0};
    assert_int_equal(rc_plan_update_values(plan, a.nnz, a.given, RC_C64, 0, NULL, &err), RC_EINVAL);
    assert_string_equal(err.text, "values: expected real numbers for fp64, found c64");
    operands_make(&rng, &p, &a, k);
    err = (rc_err_t){0};
    assert_int_equal(execute(plan, k, (number_t){{1, 2}}, zero, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "expected real numbers for a plan of fp64"));
    assert_memory_equal(now.out.data, now.before.data, sizeof now.out.data);
    assert_int_equal(execute(plan, k, one, zero, NULL), RC_OK);
    assert_int_equal(rc_plan_execute_complex(plan, NULL, NULL, &err), RC_EINVAL);
    assert_int_equal(rc_plan_execute_complex(NULL, NULL, NULL, &err), RC_EINVAL);
    rc_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel),
        cmocka_unit_test(plans_by_default),
        cmocka_unit_test(other_calls),
        cmocka_unit_test(conjugated_products),
        cmocka_unit_test(tuned_in_use),
        cmocka_unit_test(kept_choices),
        cmocka_unit_test(special_values),
        cmocka_unit_test(factors_of_nothing),
        cmocka_unit_test(refusals),
        cmocka_unit_test(a_place_of_real_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
