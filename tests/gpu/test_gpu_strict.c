/* NaN and infinity in the inputs of every kernel of every operation: one that says it is strict has them where IEEE
 * arithmetic has, and nowhere else.  What the others make of them is counted.  And sums that are beyond fp16, of every
 * kernel of ours: they are of a wider type until they are stored.  Those of a GPU are left out without one, or fail when
 * ROWCAST_GPU is 1.  ROWCAST_GPU_KERNEL=NAME,NAME,... does only those, ROWCAST_GPU_SAMPLE=N one run in N more. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/type.h"
#include "device/device.h"
#include "kernels/prepared.h"
#include "kernels/vendor/vendor.h"
#include "operands.h"
#include "real_types.h"
#include "variants.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the kernels of one name made of it. */
typedef struct tally {
    int64_t runs;
    int64_t promised; /* of these */
    int64_t values;
    int64_t differ;
} tally_t;

typedef struct world world_t;

/* Runs a prepared kernel and looks at the output.  \return RC_OK, RC_ENOTSUP */
typedef rc_status_t check_fn(world_t *w, const rc_kernel_spec_t *spec, void *state, const rc_operands_t *of);

struct world {
    gpu_operands_t o;
    check_fn *check;
    double *in[RC_INPUTS_MAX]; /* [rows * k] row by row */
    double *want;              /* of the output, row by row */
    tally_t *tally;            /* of the kernel at hand */
    int64_t turn;              /* one variant in some is run */
};

/* ---------------------------------------------------------------- inputs */

/* Of A and the inputs: a product of two is 1 beyond the largest power of two of fp16. */
enum { LOG_LARGE = 8, LARGE = 1 << LOG_LARGE };

static check_fn check_large;

static double value_of(const world_t *w, int operand, int64_t r, int64_t j)
{
    enum { one_in = 24 };
    uint64_t dice = rc_rng_hash(77 + (uint64_t)operand, (uint64_t)(r * 1000 + j));
    static const double other[] = {INFINITY, -INFINITY, INFINITY, NAN};
    if (w->check == check_large)
        return LARGE;
    return dice % one_in == 0 ? other[dice / one_in % 4] : input_value(operand, r, j);
}

/* Overwrite the aligned inputs. */
static void make_inputs(world_t *w)
{
    rc_err_t err = {0};
    rc_executor_t *x = w->o.x;
    for (int i = 0; i < rc_operation_inputs(w->o.operation); i++) {
        const rc_dense_t *m = &w->o.in[PLACE_ALIGNED][i];
        size_t n = (size_t)(m->rows * m->cols);
        void *host = calloc(n + 1, sizeof(double));
        w->in[i] = calloc(n + 1, sizeof(double));
        assert_true(host && w->in[i]);
        for (int64_t r = 0; r < m->rows; r++)
            for (int64_t j = 0; j < m->cols; j++) {
                operand_put(host, m->precision, operand_at(m, r, j), value_of(w, i, r, j));
                w->in[i][r * m->cols + j] = operand_get(host, m->precision, operand_at(m, r, j));
            }
        ok(x->upload(x, m->data, host, n * rc_precision_bytes(m->precision), &err), &err,
            "an input");
        free(host);
    }
}

/* ------------------------------------------------------------- reference */

static void add_entry(world_t *w, int64_t r, int64_t e)
{
    const rc_csr_t *a = w->o.a;
    int64_t c = a->col_idx[e];
    int64_t cols = w->o.in[PLACE_ALIGNED][0].cols;
    double v = narrowed(w->o.precision, a->val[e]);
    rc_op_t op = w->o.operation->op;
    int64_t from = op == RC_OP_SPMM_T ? r : c;
    int64_t to = op == RC_OP_SPMM_T ? c : r;
    if (op == RC_OP_SDDMM) {
        double sum = 0;
        for (int64_t j = 0; j < cols; j++)
            sum += w->in[0][r * cols + j] * w->in[1][c * cols + j];
        w->want[e] = v * sum;
        return;
    }
    for (int64_t j = 0; j < cols; j++)
        w->want[to * cols + j] += v * w->in[0][from * cols + j];
}

static void make_want(world_t *w)
{
    const rc_csr_t *a = w->o.a;
    rc_operands_t of =
        gpu_operands_of(&w->o, PLACE_ALIGNED, rc_shape_rows(&w->o.operation->out, a));
    w->want = calloc((size_t)(of.out.rows * of.out.cols) + 1, sizeof *w->want);
    assert_non_null(w->want);
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            add_entry(w, r, e);
}

/* ------------------------------------------------------------------ runs */

static int is_alike(double a, double b)
{
    return isnan(a) ? isnan(b) : isinf(a) ? a == b : isfinite(b);
}

/* \return values that are not of the kind that they should be */
static int64_t count_other(world_t *w, const rc_dense_t *c)
{
    rc_err_t err = {0};
    size_t n = (size_t)(c->rows * c->cols);
    int64_t other = 0;
    void *host = calloc(n + 1, sizeof(double));
    assert_non_null(host);
    ok(w->o.x->download(w->o.x, host, c->data, n * rc_precision_bytes(c->precision), &err), &err,
        "the output");
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t j = 0; j < c->cols; j++)
            other += !is_alike(
                w->want[r * c->cols + j], operand_get(host, c->precision, operand_at(c, r, j)));
    free(host);
    return other;
}

static rc_status_t check_strict(world_t *w, const rc_kernel_spec_t *spec, void *state, const rc_operands_t *of)
{
    const rc_kernel_t *kernel = spec->kernel;
    const int promised = kernel->strict && kernel->strict(spec->param);
    rc_err_t err = {0};
    gpu_operands_fill(&w->o, of, 0);
    rc_status_t st = rc_kernel_run(kernel, state, of, 1, 0, &err);
    if (st == RC_ENOTSUP)
        return st;
    ok(st, &err, kernel->name);
    int64_t differ = count_other(w, &of->out);
    w->tally->promised += promised;
    w->tally->values += of->out.rows * of->out.cols;
    w->tally->differ += differ;
    if (promised && differ > 0)
        fail_msg("%s:%s, matrix '%s', K %d, %s: %d of %d values are not as IEEE arithmetic has them", kernel->name,
            spec->params, w->o.matrix, (int)w->o.k, rc_precision_name(w->o.precision), (int)differ,
            (int)(of->out.rows * of->out.cols));
    return RC_OK;
}

/* The sums are exact in fp32, in any order: alpha times them is rounded once. */
static void compare_large(world_t *w, const rc_kernel_spec_t *spec, const rc_dense_t *c, double alpha)
{
    const rc_type_t *type = rc_type(w->o.precision);
    rc_err_t err = {0};
    void *host = calloc((size_t)(c->rows * c->cols) + 1, sizeof(double));
    assert_non_null(host);
    ok(w->o.x->download(w->o.x, host, c->data, (size_t)(c->rows * c->cols) * (size_t)type->bytes, &err), &err, "the output");
    for (int64_t r = 0; r < c->rows; r++)
        for (int64_t j = 0; j < c->cols; j++) {
            double want = type->round(alpha * w->want[r * c->cols + j]);
            double found = operand_get(host, c->precision, operand_at(c, r, j));
            if (!(found == want))
                fail_msg("%s:%s, matrix '%s', K %d, %s, alpha %g, value (%d, %d): expected %.9g, found %.9g",
                    spec->kernel->name, spec->params, w->o.matrix, (int)w->o.k, rc_precision_name(w->o.precision), alpha,
                    (int)r, (int)j, want, found);
        }
    free(host);
}

/* As they are, which is infinity in fp16, and 2^10 times the number of terms. */
static rc_status_t check_large(world_t *w, const rc_kernel_spec_t *spec, void *state, const rc_operands_t *of)
{
    const int factors = 1 + rc_operation_inputs(w->o.operation);
    const double alpha[] = {1, ldexp(1, 10 - LOG_LARGE * factors)};
    rc_err_t err = {0};
    for (int i = 0; i < 2; i++) {
        gpu_operands_fill(&w->o, of, 0);
        rc_status_t st = rc_kernel_run(spec->kernel, state, of, alpha[i], 0, &err);
        if (st == RC_ENOTSUP)
            return st;
        ok(st, &err, spec->kernel->name);
        compare_large(w, spec, &of->out, alpha[i]);
        w->tally->values += of->out.rows * of->out.cols;
    }
    return RC_OK;
}

static void run_variant(const rc_kernel_spec_t *spec, void *user)
{
    world_t *w = user;
    const rc_kernel_t *kernel = spec->kernel;
    const int64_t one_in = w->o.x->kind == RC_DEVICE_CPU ? 32 : 8 * sample_of_runs();
    if (w->turn++ % one_in != 0)
        return;
    rc_analysis_t analysis;
    rc_err_t err = {0};
    void *state = NULL;
    rc_schedule_t s = make_schedule(
        w->o.a, SCHEDULE_IDENTITY, kernel->geometry(w->o.x, spec->param, w->o.precision));
    rc_problem_t p = gpu_problem(&w->o, spec, &s, RC_C_ORIGINAL);
    rc_operands_t of = gpu_operands_of(&w->o, PLACE_ALIGNED, p.c_rows);
    rc_status_t st = rc_kernel_analyse(kernel, &p, &analysis, &err);
    if (st == RC_OK)
        st = rc_kernel_prepare(kernel, w->o.x, &p, &analysis, &state, &err);
    if (st == RC_OK && kernel->preprocess)
        st = kernel->preprocess(state, &of, &err);
    if (st != RC_ENOTSUP)
        ok(st, &err, kernel->name);
    if (st == RC_OK)
        st = w->check(w, spec, state, &of);
    w->tally->runs += st == RC_OK;
    if (state)
        rc_kernel_release(kernel, state);
    rc_schedule_free(&s);
}

static void run_kernel(rc_executor_t *x, const rc_kernel_t *kernel, const rc_csr_t *a, int matrix,
    rc_precision_t precision, check_fn *check, tally_t *tally)
{
    enum { VARIANTS = 64 };
    static const int64_t ks[] = {5, 33, 64};
    const rc_operation_t *op = rc_operation_of(kernel->op);
    for (size_t i = 0; i < (op->has_k ? sizeof ks / sizeof *ks : 1); i++) {
        world_t w = {.o = {.x = x,
                         .operation = op,
                         .matrix = shapes[matrix].name,
                         .a = a,
                         .precision = precision,
                         .layout = kernel->layout,
                         .k = op->has_k ? ks[i] : 1},
            .check = check,
            .tally = tally};
        gpu_operands_new(&w.o);
        make_inputs(&w);
        make_want(&w);
        for_some_variants(kernel, VARIANTS, 5, run_variant, &w);
        gpu_operands_free(&w.o);
        for (int in = 0; in < RC_INPUTS_MAX; in++)
            free(w.in[in]);
        free(w.want);
    }
}

/* What of a library rounds where, its maker knows. */
static int is_checked(const rc_kernel_t *k, check_fn *check)
{
    if (check == check_strict)
        return !k->for_testing || k->strict;
    return !k->for_testing && !rc_vendor_is(k->name) && strcmp(k->name, "loop-spmv") != 0;
}

static void run_kernels(rc_device_t *d, check_fn *check)
{
    for (int i = 0; rc_kernels[i]; i++) {
        const rc_kernel_t *k = rc_kernels[i];
        tally_t tally = {0};
        if (k->device != d->executor.kind || !k->computes || !is_checked(k, check) || !kernel_is_wanted(k->name))
            continue;
        for (int m = 0; m < shape_count; m++)
            for (int t = 0; t < REAL_TYPES; t++) {
                const rc_precision_t precision = real_type(t);
                if (!rc_kernel_takes(k, precision))
                    continue;
                rc_csr_t a = make_matrix(&shapes[m], 100 + (uint64_t)m);
                for (int64_t e = 0; check == check_large && e < a.nnz; e++)
                    a.val[e] = LARGE;
                run_kernel(&d->executor, k, &a, m, precision, check, &tally);
                free_matrix(&a);
            }
        printf("# %-22s %6.0f runs, %6.0f promised; %.0f of %.0f values differ\n", k->name,
            (double)tally.runs, (double)tally.promised, (double)tally.differ, (double)tally.values);
        assert_true(tally.runs > 0);
    }
    rc_device_close(d);
}

static void strict_kernels_of_the_cpu(void **state)
{
    (void)state;
    rc_device_t *d = NULL;
    assert_int_equal(rc_device_open_cpu(2, &d, NULL), RC_OK);
    run_kernels(d, check_strict);
}

static void strict_kernels_of_the_gpu(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    run_kernels(d, check_strict);
}

static void large_sums_of_the_cpu(void **state)
{
    (void)state;
    rc_device_t *d = NULL;
    assert_int_equal(rc_device_open_cpu(2, &d, NULL), RC_OK);
    run_kernels(d, check_large);
}

static void large_sums_of_the_gpu(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    run_kernels(d, check_large);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strict_kernels_of_the_cpu),
        cmocka_unit_test(strict_kernels_of_the_gpu),
        cmocka_unit_test(large_sums_of_the_cpu),
        cmocka_unit_test(large_sums_of_the_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
