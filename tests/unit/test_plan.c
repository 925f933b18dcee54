#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "plan/plan_private.h"
#include "plan_small.h"
#include "sparse/csr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------- many plans */

static const char *const orders[] = {NULL, "csr", "lpt", "dcsr,csr", "random:seed=3", "all"};

static rc_plan_options_t some_options(rc_rng_t *rng, rc_layout_t layout)
{
    rc_plan_options_t o = {.orders = orders[below(rng, 6)],
        .tune = (int)below(rng, 3),
        .tune_ns = 1000000,
        .reuse = below(rng, 2) ? 100 : 0,
        .deterministic = (int)below(rng, 2),
        .threads = 1};
    if (below(rng, 2))
        o.kernels = layout == RC_ROW_MAJOR ? "rowsplit" : "cstat:strip=2";
    return o;
}

/* One problem in four is a range, where the host has a kernel for that. */
static void make_range(rc_rng_t *rng, int64_t k[2], rc_plan_problem_t *p)
{
    enum { in = 4 };
    if (p->layout != RC_ROW_MAJOR || below(rng, in) > 0)
        return;
    p->k_range = 1;
    p->ks = 2;
    if (k[0] > k[1]) {
        int64_t least = k[1];
        k[1] = k[0];
        k[0] = least;
    }
}

static void plans_multiply(void **state)
{
    (void)state;
    enum { plans = 200 };
    static input_t in;
    rc_rng_t rng;
    rc_rng_seed(&rng, 11);
    for (int n = 0; n < plans; n++) {
        rc_executor_t x;
        rc_executor_cpu(1 + (int)below(&rng, 3), &x);
        rc_plan_place_t place = {.x = &x};
        int64_t first = 1 + below(&rng, WIDEST);
        int64_t k[] = {first, first % WIDEST + 1};
        rc_plan_problem_t p = {.layout = (rc_layout_t)below(&rng, 2), .k = k, .ks = 1 + (int)below(&rng, 2)};
        rc_plan_options_t o = some_options(&rng, p.layout);
        make_range(&rng, k, &p);
        (void)pick_types(&rng, RC_DEVICE_CPU, &p, &o);
        in.exact = any_type(&rng);
        make(&rng, (int)below(&rng, 2), &in);
        if (below(&rng, 2))
            p.ld_out = 1 + (p.layout == RC_ROW_MAJOR ? WIDEST : in.rows);
        rc_plan_matrix_t m = matrix_of(&in, below(&rng, 2) ? 4 : 8, in.exact);
        rc_plan_t *plan = NULL;
        rc_err_t err = {0};
        if (rc_plan_new(&place, &p, &m, &o, &plan, &err) < 0)
            fail_msg("%s: %s", rc_type(p.precision)->name, err.text);
        for (int i = 0; i < p.ks; i++)
            check_product(&rng, plan, &p, &in, some_k(&rng, &p, i));
        for (int update = 0; update < 2; update++) { /* of any type, whatever that of the matrix was */
            in.exact = any_type(&rng);
            new_values(&rng, &in);
            assert_int_equal(rc_plan_update(plan, values_in(&in, in.exact), in.exact, 0, &err), RC_OK);
            for (int i = 0; i < p.ks; i++)
                check_product(&rng, plan, &p, &in, some_k(&rng, &p, i));
        }
        rc_plan_free(plan);
    }
}

/* A and A' from one prepared matrix, in either role, after new values too. */
static void one_plan_serves_both(void **state)
{
    (void)state;
    enum { plans = 60, KERNELS = 3 };
    static const char *const kernels[RC_OPS][KERNELS] = {[RC_OP_SPMM] = {"rs", "rs:t=1:cfv=1:w=4", "rs:t=2:light=store:w=8"},
        [RC_OP_SPMM_T] = {"rs-spmm_t", "rs-spmm_t:t=1:cfv=1:w=4", "rs-spmm_t:t=3:w=16"}};
    static input_t in;
    static input_t turned;
    rc_rng_t rng;
    rc_rng_seed(&rng, 17);
    for (int n = 0; n < plans; n++) {
        rc_executor_t x;
        rc_executor_cpu(1 + (int)below(&rng, 2), &x);
        rc_plan_place_t place = {.x = &x};
        int64_t k[] = {1 + below(&rng, WIDEST)};
        rc_op_t op = below(&rng, 2) ? RC_OP_SPMM_T : RC_OP_SPMM;
        rc_plan_problem_t p = {.op = op, .layout = RC_ROW_MAJOR, .k = k, .ks = 1};
        rc_plan_options_t o = {.kernels = kernels[op][below(&rng, KERNELS)], .orders = orders[1 + below(&rng, 4)], .threads = 1};
        p.precision = some_type(&rng, types_for(RC_DEVICE_CPU, &p, &o));
        make(&rng, (int)below(&rng, 2), &in);
        rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
        rc_plan_t *plan = NULL;
        rc_err_t err = {0};
        if (rc_plan_new(&place, &p, &m, &o, &plan, &err) < 0)
            fail_msg("%s", err.text);
        for (int update = 0; update < 2; update++) {
            transpose(&in, &turned);
            check_run(&rng, plan, op == RC_OP_SPMM ? rc_plan_run : rc_plan_run_transposed, &p, &in, k[0]);
            check_run(&rng, plan, op == RC_OP_SPMM ? rc_plan_run_transposed : rc_plan_run, &p, &turned, k[0]);
            new_values(&rng, &in);
            assert_int_equal(rc_plan_update(plan, in.val64, RC_FP64, 0, &err), RC_OK);
        }
        rc_plan_free(plan);
    }
}

static void a_kernel_without_twin_says_so(void **state)
{
    (void)state;
    static input_t in;
    const int64_t k[] = {4};
    const rc_plan_problem_t p = {.layout = RC_ROW_MAJOR, .k = k, .ks = 1};
    const rc_operands_t none = {0};
    rc_plan_options_t o = {.kernels = "rowsplit", .threads = 1};
    rc_executor_t x;
    rc_rng_t rng;
    rc_rng_seed(&rng, 18);
    rc_executor_cpu(1, &x);
    rc_plan_place_t place = {.x = &x};
    do
        make(&rng, 1, &in);
    while (in.nnz == 0);
    rc_plan_matrix_t m = matrix_of(&in, 8, RC_FP64);
    rc_plan_t *plan = NULL;
    rc_err_t err = {0};
    assert_int_equal(rc_plan_new(&place, &p, &m, &o, &plan, &err), RC_OK);
    assert_int_equal(rc_plan_run_transposed(plan, 4, &none, 1, 0, &err), RC_ENOTSUP);
    assert_non_null(strstr(err.text, "rowsplit"));
    rc_plan_free(plan);
    o.kernels = "rs";
    assert_int_equal(rc_plan_new(&place, &p, &m, &o, &plan, &err), RC_OK);
    assert_int_equal(rc_plan_run_transposed(plan, 5, &none, 1, 0, &err), RC_ERANGE);
    assert_int_equal(rc_plan_run_transposed(plan, 4, &none, 1, 0, &err), RC_EINVAL);
    assert_int_equal(rc_plan_run_transposed(NULL, 4, &none, 1, 0, &err), RC_EINVAL);
    rc_plan_free(plan);
}

/* A copy on another executor gives the same product, after new values too. */
static void copies_multiply_alike(void **state)
{
    (void)state;
    enum { plans = 40 };
    static input_t in;
    static input_t before;
    rc_rng_t rng;
    rc_rng_seed(&rng, 12);
    for (int n = 0; n < plans; n++) {
        rc_executor_t x;
        rc_executor_t other;
        rc_executor_cpu(1, &x);
        rc_executor_cpu(2, &other);
        int64_t k[] = {3, 8};
        rc_plan_problem_t p = {.layout = (rc_layout_t)below(&rng, 2), .k = k, .ks = 2};
        rc_plan_options_t o = some_options(&rng, p.layout);
        (void)pick_types(&rng, RC_DEVICE_CPU, &p, &o);
        in.exact = any_type(&rng);
        make(&rng, (int)below(&rng, 2), &in);
        rc_plan_matrix_t m = matrix_of(&in, 4, in.exact);
        rc_plan_t *plan = NULL;
        rc_plan_t *copy = NULL;
        rc_plan_part_t part[2];
        rc_err_t err = {0};
        assert_int_equal(rc_plan_new(&(rc_plan_place_t){.x = &x}, &p, &m, &o, &plan, &err), RC_OK);
        new_values(&rng, &in);
        if (below(&rng, 2)) /* the copy has the newest values */
            assert_int_equal(rc_plan_update(plan, values_in(&in, in.exact), in.exact, 0, &err), RC_OK);
        else {
            rc_plan_free(plan);
            assert_int_equal(rc_plan_new(&(rc_plan_place_t){.x = &x}, &p, &m, &o, &plan, &err), RC_OK);
        }
        assert_int_equal(rc_plan_copy(plan, &(rc_plan_place_t){.x = &other}, &copy, &err), RC_OK);
        assert_int_equal(rc_plan_part(plan, 1, &part[0], &err), RC_OK);
        assert_int_equal(rc_plan_part(copy, 1, &part[1], &err), RC_OK);
        assert_int_equal(part[0].chosen, part[1].chosen);
        assert_memory_equal(part[0].candidate, part[1].candidate, (size_t)part[0].candidates * sizeof *part[0].candidate);
        check_product(&rng, copy, &p, &in, 3);
        before = in;
        new_values(&rng, &in);
        for (int i = 0; i < 2; i++) { /* the second time the matrix is not shared any more */
            assert_int_equal(rc_plan_update(copy, values_in(&in, in.exact), in.exact, 0, &err), RC_OK);
            check_product(&rng, copy, &p, &in, 8);
            check_product(&rng, plan, &p, &before, 3);
        }
        int first = (int)below(&rng, 2);
        rc_plan_free(first ? plan : copy);
        check_product(&rng, first ? copy : plan, &p, first ? &in : &before, 8);
        rc_plan_free(first ? copy : plan);
    }
}

/* -------------------------------------------------------------------- one plan to look at */

static void the_matrix_of_several_k_is_one(void **state)
{
    (void)state;
    fixture_t *f = begin();
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.kernels = "rowsplit"});
    rc_plan_part_t part[2];
    rc_err_t err = {0};
    for (int i = 0; i < 2; i++)
        assert_int_equal(rc_plan_part(plan, i, &part[i], &err), RC_OK);
    assert_true(part[0].candidate[0].bytes > 0);
    assert_int_equal(part[1].candidate[0].bytes, 0);
    rc_plan_free(plan);
}

/* A copy that has a prepared matrix of its own leaves new values of the plan where they are put in place. */
static void copies_of_their_own_do_not_count(void **state)
{
    (void)state;
    const struct {
        const char *kernel;
        int alone; /* 1: the copy is freed before */
        int in_place;
    } cases[] = {{"cstat", 0, 1}, {"rowsplit", 0, 0}, {"rowsplit", 1, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fixture_t *f = begin();
        rc_executor_t other;
        rc_plan_t *copy = NULL;
        rc_err_t err = {0};
        f->p.layout = i == 0 ? RC_COL_MAJOR : RC_ROW_MAJOR;
        rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.kernels = cases[i].kernel});
        rc_executor_cpu(1, &other);
        assert_int_equal(rc_plan_update(plan, f->in.val64, RC_FP64, 0, &err), RC_OK);
        assert_true(rc_plan_updates_async(plan));
        assert_int_equal(rc_plan_copy(plan, &(rc_plan_place_t){.x = &other}, &copy, &err), RC_OK);
        if (cases[i].alone)
            rc_plan_free(copy);
        assert_int_equal(rc_plan_updates_async(plan), cases[i].in_place);
        for (int n = 0; n < 2; n++) /* a shared matrix is prepared anew the first time */
            assert_int_equal(rc_plan_update(plan, f->in.val64, RC_FP64, 0, &err), RC_OK);
        assert_true(rc_plan_updates_async(plan));
        if (!cases[i].alone)
            rc_plan_free(copy);
        rc_plan_free(plan);
    }
}

static void ranges_have_ends(void **state)
{
    (void)state;
    fixture_t *f = begin();
    rc_err_t err = {0};
    rc_plan_part_t part;
    f->p.k_range = 1;
    f->k[0] = 9;
    refused(f, NULL, RC_EINVAL, "expected a range in 1 to 2^31 - 1, found 9 to 8");
    f->k[0] = 0;
    refused(f, NULL, RC_EINVAL, "found 0 to 8");
    f->p.ks = 1;
    refused(f, NULL, RC_EINVAL, "the least and the most");
    f->p.ks = 2;
    f->k[0] = 3;
    refused(f, &(rc_plan_options_t){.kernels = "null"}, RC_ENOTSUP, "");
    rc_plan_t *plan = plan_of(f, &(rc_plan_options_t){.kernels = "rowsplit"});
    assert_int_equal(rc_plan_parts(plan), 2);
    assert_int_equal(rc_plan_part(plan, 1, &part, &err), RC_OK);
    assert_int_equal(part.k_least, 5);
    assert_int_equal(part.k, 8);
    for (int64_t k = 2; k < 10; k += 7) {
        rc_operands_t none = {0};
        assert_int_equal(rc_plan_run(plan, k, &none, 1, 0, &err), RC_ERANGE);
        assert_non_null(strstr(err.text, "the plan is for 3 to 8"));
    }
    rc_plan_free(plan);
}

static void wrong_matrices_are_refused(void **state)
{
    (void)state;
    fixture_t *f = begin();
    f->m.rows = (int64_t)INT32_MAX + 1;
    refused(f, NULL, RC_ERANGE, "rows and columns");
    f = begin();
    f->m.nnz = -1;
    refused(f, NULL, RC_EINVAL, "entries, found -1");
    f = begin();
    f->m.row_ptr_bytes = 2;
    refused(f, NULL, RC_EINVAL, "4 or 8 bytes, found 2");
    f = begin();
    f->m.precision = (rc_precision_t)RC_TYPES;
    refused(f, NULL, RC_EINVAL, "matrix: values: expected a type of fp32, fp64, ");
    f = begin();
    f->m.row_ptr = NULL;
    refused(f, NULL, RC_EINVAL, "row pointers: expected an array");
    f = begin();
    f->m.col_idx = NULL;
    refused(f, NULL, RC_EINVAL, "columns: expected an array");
    f = begin();
    f->m.val = NULL;
    refused(f, NULL, RC_EINVAL, "values: expected an array");
    f = begin();
    f->in.ptr64[0] = 1;
    refused(f, NULL, RC_EFORMAT, "row pointer 0: expected 0 to 0, found 1");
    f = begin();
    f->in.ptr64[3] = -7;
    refused(f, NULL, RC_EFORMAT, "row pointer 3: ");
    f = begin();
    f->in.ptr64[f->in.rows]--;
    refused(f, NULL, RC_EFORMAT, "row pointer");
    f = begin();
    f->in.col[f->in.ptr64[1]] = (int32_t)f->in.cols;
    refused(f, NULL, RC_EFORMAT, "row 1: expected columns 0 to");
    f = begin();
    f->in.col[f->in.ptr64[1]] = -1;
    refused(f, NULL, RC_EFORMAT, "found -1");
    f = begin();
    f->in.col[f->in.ptr64[1]] = f->in.col[f->in.ptr64[1] + 1];
    refused(f, NULL, RC_EFORMAT, "row 1: expected each column once");
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    fixture_t *f = begin();
    f->k[1] = 0;
    refused(f, NULL, RC_EINVAL, "K: expected 1 to 2^31 - 1, found 0");
    f = begin();
    f->k[1] = f->k[0];
    refused(f, NULL, RC_EINVAL, "found 4 twice");
    f = begin();
    f->p.ks = 0;
    refused(f, NULL, RC_EINVAL, "K: expected at least one");
    f = begin();
    f->p.op = RC_OP_SPMV;
    refused(f, NULL, RC_EINVAL, "spmv has none");
    f = begin();
    f->p.layout = (rc_layout_t)7;
    refused(f, NULL, RC_EINVAL, "no layout of number 7");
    f = begin();
    f->p.ld_out = 7;
    refused(f, NULL, RC_EINVAL, "C: expected a leading dimension of at least 8, found 7");
    f = begin();
    f->p.ld_in[0] = -9;
    refused(f, NULL, RC_EINVAL, "B: expected a leading dimension of at least");
    f = begin();
    f->p.ld_in[1] = 1; /* of an operand that there is not: ignored */
    rc_plan_free(plan_of(f, NULL));
    f = begin();
    refused(f, &(rc_plan_options_t){.kernels = "rowsplitt"}, RC_EINVAL, "rowsplit");
    refused(f, &(rc_plan_options_t){.kernels = "cstat"}, RC_ENOTSUP, "takes operands of layout col, expected row");
    refused(f, &(rc_plan_options_t){.kernels = "plain-spmv"}, RC_EINVAL, "plain-spmv");
    refused(f, &(rc_plan_options_t){.orders = "lptt"}, RC_EINVAL, "lpt");
    refused(f, &(rc_plan_options_t){.reuse = -1}, RC_EINVAL, "reuse");
    refused(f, &(rc_plan_options_t){.reuse = NAN}, RC_EINVAL, "reuse");
    refused(f, &(rc_plan_options_t){.tune = RC_PLAN_SEARCH - 1}, RC_EINVAL, "negative");
    refused(f, &(rc_plan_options_t){.memory = 16}, RC_ENOMEM, "expected at most 16");
}

static void wrong_operands_write_nothing(void **state)
{
    (void)state;
    static dense_t b;
    static dense_t c;
    static dense_t before;
    fixture_t *f = begin();
    rc_plan_t *plan = plan_of(f, NULL);
    rc_rng_t rng;
    rc_rng_seed(&rng, 1);
    fill(&rng, &f->p, &b);
    fill(&rng, &f->p, &c);
    b.ld = c.ld = WIDEST;
    before = c;
    const rc_operands_t good = operands(&f->p, &b, &c);
    for (int i = 0; i < 7; i++) {
        rc_operands_t o = good;
        rc_err_t err = {0};
        int64_t k = 8;
        rc_status_t want = RC_EINVAL;
        switch (i) {
        case 0: o.out.data = NULL; break;
        case 1: o.in[0].data = NULL; break;
        case 2: o.out.ld = 7; break;
        case 3: o.in[0].ld = -1; break;
        case 4: o.out.data = (char *)o.out.data + 1; break;
        case 5: o.in[0].data = (float *)o.out.data + 9; break;
        default: k = 5; want = RC_ERANGE; break;
        }
        assert_int_equal(rc_plan_run(plan, k, &o, 1, 0, &err), want);
        assert_true(err.text[0]);
        assert_memory_equal(&before, &c, sizeof c);
    }
    rc_operands_t o = good;
    assert_int_equal(rc_plan_run(plan, 8, &o, 1, 0, NULL), RC_OK);
    assert_memory_not_equal(&before, &c, sizeof c);
    rc_plan_free(plan);
}

static void wrong_values_leave_the_old_ones(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_err_t err = {0};
    fixture_t *f = begin();
    rc_plan_t *plan = plan_of(f, NULL);
    rc_rng_seed(&rng, 2);
    assert_int_equal(rc_plan_update(plan, NULL, RC_FP64, 0, &err), RC_EINVAL);
    assert_int_equal(rc_plan_update(plan, f->in.val64, (rc_precision_t)RC_TYPES, 0, &err), RC_EINVAL);
    assert_int_equal(rc_plan_update(plan, f->in.val64, (rc_precision_t)-1, 0, &err), RC_EINVAL);
    check_product(&rng, plan, &f->p, &f->in, 4);
    rc_plan_free(plan);
}

/* ------------------------------------------------------------------- other operations */

static double input_value(const void *user, int operand, int64_t row, int64_t col)
{
    const rc_operands_t *o = user;
    const rc_dense_t *m = &o->in[operand];
    return ((const double *)m->data)[m->layout == RC_ROW_MAJOR ? row * m->ld + col
                                                               : col * m->ld + row];
}

/* Every value of the output of a run with alpha = 2. */
static void check_output(
    const rc_operation_t *operation, const rc_reference_matrix_t *m, const rc_csr_t *a, rc_operands_t *o)
{
    enum { k = 4 };
    int64_t rows = rc_shape_rows(&operation->out, a);
    int64_t cols = rc_shape_cols(&operation->out, k);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < cols; j++) {
            rc_exact_t want;
            operation->value(m, r, j, k, input_value, o, &want);
            double found = ((const double *)o->out.data)[r * cols + j];
            if (!(fabs(found - 2 * want.value) <= 1e-13 * (want.mag + 1)))
                fail_msg("%s (%d, %d): expected %g, found %g", operation->name, (int)r, (int)j,
                    2 * want.value, found);
        }
}

static void plan_operation(fixture_t *f, rc_op_t op, double data[RC_INPUTS_MAX + 1][MOST * MOST + 1])
{
    enum { k = 4 };
    const rc_operation_t *operation = rc_operation_of(op);
    f->p = (rc_plan_problem_t){.op = op,
        .precision = RC_FP64,
        .layout = RC_ROW_MAJOR,
        .k = f->k,
        .ks = operation->has_k};
    rc_csr_t a = {.rows = f->in.rows, .cols = f->in.cols, .nnz = f->in.nnz,
        .row_ptr = f->in.ptr64, .col_idx = f->in.col, .val = f->in.val64};
    rc_csr_t t = {0};
    assert_int_equal(rc_csr_transpose(&a, &t, NULL), RC_OK);
    rc_reference_matrix_t m = {.a = operation->transposed ? &t : &a, .precision = RC_FP64, .threads = 1};
    rc_operands_t o = {.out = {.data = data[RC_INPUTS_MAX], .ld = k}};
    for (int i = 0; i < rc_operation_inputs(operation); i++)
        o.in[i] = (rc_dense_t){.data = data[i],
            .ld = operation->in[i].wide ? k : 1,
            .layout = RC_ROW_MAJOR};
    rc_plan_t *plan = plan_of(f, NULL);
    rc_err_t err = {0};
    assert_int_equal(rc_plan_run(plan, k, &o, 2, 0, &err), RC_OK);
    check_output(operation, &m, &a, &o);
    rc_plan_free(plan);
    rc_csr_free(&t);
}

static void every_operation_is_planned(void **state)
{
    (void)state;
    static double data[RC_INPUTS_MAX + 1][MOST * MOST + 1];
    rc_rng_t rng;
    rc_rng_seed(&rng, 21);
    for (int i = 0; i < RC_INPUTS_MAX; i++)
        for (int j = 0; j < MOST * MOST; j++)
            data[i][j] = rc_rng_unit(&rng);
    for (int op = 0; op < RC_OPS; op++)
        plan_operation(begin(), (rc_op_t)op, data);
}

static void a_plan_describes_itself(void **state)
{
    (void)state;
    char text[400];
    char little[10];
    rc_plan_t *plan = plan_of(begin(), NULL);
    size_t n = rc_plan_describe(plan, text, sizeof text);
    assert_int_equal(n, strlen(text));
    assert_non_null(strstr(text, "spmm, fp32, layout row, "));
    assert_non_null(strstr(text, "\nK = 4: Take rowsplit in order csr; no time of it is known. "));
    assert_non_null(strstr(text, "\nK = 8: "));
    assert_int_equal(rc_plan_describe(plan, little, sizeof little), n);
    assert_int_equal(strlen(little), sizeof little - 1);
    assert_int_equal(strncmp(text, little, sizeof little - 1), 0);
    assert_int_equal(rc_plan_describe(plan, NULL, 0), n);
    rc_plan_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_multiply),
        cmocka_unit_test(one_plan_serves_both),
        cmocka_unit_test(a_kernel_without_twin_says_so),
        cmocka_unit_test(copies_multiply_alike),
        cmocka_unit_test(the_matrix_of_several_k_is_one),
        cmocka_unit_test(copies_of_their_own_do_not_count),
        cmocka_unit_test(ranges_have_ends),
        cmocka_unit_test(a_plan_describes_itself),
        cmocka_unit_test(wrong_matrices_are_refused),
        cmocka_unit_test(wrong_requests_are_refused),
        cmocka_unit_test(wrong_operands_write_nothing),
        cmocka_unit_test(wrong_values_leave_the_old_ones),
        cmocka_unit_test(every_operation_is_planned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
