/* Plans of complex numbers on an application's stream and pointers: every kernel that has them, in forms and orders,
 * with complex factors and new values, against sums of products of parts.  Needs a GPU: without one it skips itself, or
 * fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "application.h"
#include "base/type.h"
#include "complex_fixture.h"
#include "device/device.h"
#include "kernels/kernel.h"
#include "operands.h"
#include "rowcast_cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Operands and the arrays of a matrix in device memory. */
typedef struct there {
    cudaStream_t stream;
    void *in[2];
    void *out;
    void *array[3];
} there_t;

static void there_new(there_t *t)
{
    t->stream = new_stream();
    for (int i = 0; i < 2; i++)
        CUDA(cudaMalloc(&t->in[i], sizeof now.in[i].data));
    CUDA(cudaMalloc(&t->out, sizeof now.out.data));
    for (int i = 0; i < 3; i++)
        CUDA(cudaMalloc(&t->array[i], sizeof(double) * 2 * ENTRIES));
}

static void there_free(there_t *t)
{
    for (int i = 0; i < 2; i++)
        CUDA(cudaFree(t->in[i]));
    for (int i = 0; i < 3; i++)
        CUDA(cudaFree(t->array[i]));
    CUDA(cudaFree(t->out));
    CUDA(cudaStreamDestroy(t->stream));
}

static void *put(void *to, const void *from, size_t bytes)
{
    CUDA(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice));
    CUDA(cudaDeviceSynchronize());
    return to;
}

/* The matrix, its arrays on the GPU or on the host. */
static rc_plan_matrix_t matrix_at(const there_t *t, const input_t *a, int on_device)
{
    rc_plan_matrix_t m = matrix_of(a);
    if (on_device) {
        m.row_ptr = put(t->array[0], a->given_ptr, sizeof a->given_ptr);
        m.col_idx = put(t->array[1], a->given_col, sizeof a->given_col);
        m.val = put(t->array[2], a->given, sizeof a->given);
        m.on_device = 1;
    }
    return m;
}

static int turned; /* 1: runs are of the other product, with the conjugated transpose */

static void run(there_t *t, rc_plan_t *plan, const rc_plan_problem_t *p, const input_t *a, number_t alpha, number_t beta,
    const char *what)
{
    rc_err_t err = {0};
    for (int i = 0; i < 2; i++)
        put(t->in[i], now.in[i].data, sizeof now.in[i].data);
    put(t->out, now.out.data, sizeof now.out.data);
    const rc_plan_product_t product = {.k = p->ks > 0 ? p->k[0] : 1,
        .alpha = {alpha.part[0], alpha.part[1]},
        .beta = {beta.part[0], beta.part[1]},
        .in = {t->in[0], t->in[1]},
        .ld_in = {now.in[0].ld, now.in[1].ld},
        .out = t->out,
        .ld_out = now.out.ld,
        .transposed = turned,
        .conjugated = turned};
    const rc_status_t st = rc_plan_execute_complex(plan, &product, t->stream, &err);
    if (st == RC_ENOTSUP && strncmp(what, "cusparse", 8) == 0) /* wants other leading dimensions */
        return;
    ok(st, &err, what);
    CUDA(cudaStreamSynchronize(t->stream));
    CUDA(cudaMemcpy(now.out.data, t->out, sizeof now.out.data, cudaMemcpyDeviceToHost));
    check(p, a, alpha, beta, what);
}

static number_t factor(rc_rng_t *rng, int i)
{
    static const number_t known[] = {{{1, 0}}, {{0, 0}}, {{-2, 0}}, {{0, 1}}};
    return i < 4 ? known[i] : (number_t){{2 * rc_rng_unit(rng) - 1, 2 * rc_rng_unit(rng) - 1}};
}

/* \return 1: there is such a plan; 0: the library or the kernel has none */
static int try_plan(rc_rng_t *rng, there_t *t, const rc_plan_problem_t *p, input_t *a, const rc_plan_options_t *o,
    int on_device)
{
    char what[160];
    rc_err_t err = {0};
    rc_plan_t *plan = NULL;
    const int64_t k = p->ks > 0 ? p->k[0] : 1;
    const rc_plan_matrix_t m = matrix_at(t, a, on_device);
    (void)snprintf(what, sizeof what, "%s under %s, %s of %s, form %d, K %d%s", o->kernels ? o->kernels : "any kernel",
        o->orders, rc_type(p->precision)->name, rc_type(a->type)->name, (int)a->form, (int)k,
        on_device ? ", of the GPU" : "");
    const rc_status_t st = rc_plan_create(p, &m, o, t->stream, &plan, &err);
    if (st == RC_ENOTSUP)
        return 0;
    ok(st, &err, what);
    for (int i = 0; i < 6; i++) {
        operands_make(rng, p, a, k);
        run(t, plan, p, a, factor(rng, i), factor(rng, (i + 1) % 6), what);
    }
    new_values(rng, a, a->type == RC_C128 ? p->precision : a->type);
    const void *val = on_device ? put(t->array[2], a->given, sizeof a->given) : (const void *)a->given;
    ok(rc_plan_update_values(plan, a->nnz, val, a->type, on_device, t->stream, &err), &err, what);
    operands_make(rng, p, a, k);
    run(t, plan, p, a, one, factor(rng, 5), what);
    rc_plan_free(plan);
    return 1;
}

static int try_kernel(rc_rng_t *rng, there_t *t, const rc_kernel_t *k, rc_precision_t type)
{
    static input_t a;
    static const char *const orders[] = {"csr", "lpt", "random:seed=3", "dcsr"};
    enum { ROUNDS = 24 };
    const int has_k = rc_operation_of(k->op)->has_k;
    int plans = 0;
    for (int i = 0; i < ROUNDS; i++) {
        const int64_t columns = 1 + below(rng, i % 3 ? 9 : MOST);
        const rc_plan_problem_t p = {
            .op = k->op, .precision = type, .layout = k->layout, .k = has_k ? &columns : NULL, .ks = has_k};
        const rc_plan_options_t o = {.kernels = k->name, .orders = orders[i % 4], .threads = 1};
        const rc_plan_form_t form = k->op == RC_OP_SDDMM ? RC_PLAN_CSR : (rc_plan_form_t)(i / 4 % 3);
        make(rng, type, form, &a);
        plans += try_plan(rng, t, &p, &a, &o, i % 2);
    }
    return plans;
}

static void every_kernel(void **state)
{
    (void)state;
    rc_rng_t rng;
    unsigned operations = 0;
    there_t t;
    rc_device_t *d = open_gpu(); /* says when there must be one */
    if (!d)
        skip();
    rc_device_close(d);
    there_new(&t);
    rc_rng_seed(&rng, 61);
    for (int i = 0; rc_kernels[i]; i++)
        for (int type = 0; type < RC_TYPES; type++) {
            const rc_kernel_t *k = rc_kernels[i];
            if (k->device != RC_DEVICE_CUDA || !k->computes || rc_type((rc_precision_t)type)->parts == 1 ||
                !rc_kernel_takes(k, (rc_precision_t)type) || !kernel_is_wanted(k->name))
                continue;
            const int plans = try_kernel(&rng, &t, k, (rc_precision_t)type);
            print_message("%s in %s: %d plans\n", k->name, rc_type((rc_precision_t)type)->name, plans);
            operations |= plans > 0 ? 1u << k->op : 0;
        }
    assert_true(operations == (1u << RC_OPS) - 1 || getenv("ROWCAST_GPU_KERNEL"));
    there_free(&t);
}

/* Without a kernel, tuned, in every operation and layout. */
static void any_kernel(void **state)
{
    (void)state;
    static input_t a;
    rc_rng_t rng;
    there_t t;
    const int64_t k = 12;
    int plans = 0;
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    rc_device_close(d);
    there_new(&t);
    rc_rng_seed(&rng, 62);
    for (int i = 0; i < RC_OPS * RC_LAYOUTS * 2 * 2; i++) {
        rc_plan_problem_t p = {.op = (rc_op_t)(i % RC_OPS),
            .layout = (rc_layout_t)(i / RC_OPS % RC_LAYOUTS),
            .precision = i / RC_OPS / RC_LAYOUTS % 2 ? RC_C128 : RC_C64};
        const rc_plan_options_t o = {.orders = "csr,lpt", .tune = i / RC_OPS / RC_LAYOUTS / 2 ? 6 : 0, .threads = 1};
        p.ks = rc_operation_of(p.op)->has_k;
        p.k = p.ks ? &k : NULL;
        if (p.op != RC_OP_SPMM && p.layout > RC_ROW_MAJOR)
            continue; /* mixed ones are of spmm */
        make(&rng, p.precision, RC_PLAN_CSR, &a);
        plans += try_plan(&rng, &t, &p, &a, &o, i % 2);
    }
    assert_true(plans > 0);
    there_free(&t);
}

/* Plans for A and A^H, whose values are conjugated when they are put there, of the host and of the GPU. */
static void adjoints(void **state)
{
    (void)state;
    static input_t a;
    static input_t other;
    rc_rng_t rng;
    there_t t;
    const int64_t k = 9;
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    rc_device_close(d);
    there_new(&t);
    rc_rng_seed(&rng, 64);
    for (int i = 0; i < 24; i++) {
        rc_err_t err = {0};
        rc_plan_t *plan = NULL;
        const int on_device = i % 2;
        const rc_plan_problem_t p = {.op = RC_OP_SPMM, .precision = i / 2 % 2 ? RC_C128 : RC_C64,
            .layout = i / 4 % 2 ? RC_COL_MAJOR : RC_ROW_MAJOR, .k = &k, .ks = 1};
        rc_plan_problem_t q = p;
        q.op = RC_OP_SPMM_T;
        const rc_plan_options_t o = {.transposed = RC_PLAN_ADJOINT, .orders = i % 3 ? "csr" : "lpt", .threads = 1};
        make(&rng, p.precision, (rc_plan_form_t)(i / 8), &a);
        const rc_plan_matrix_t m = matrix_at(&t, &a, on_device);
        ok(rc_plan_create(&p, &m, &o, t.stream, &plan, &err), &err, "a plan of A and its adjoint");
        for (int anew = 0; anew < 2; anew++) {
            other = a;
            for (int64_t e = 0; e < a.nnz; e++)
                other.val[e].part[1] = -a.val[e].part[1];
            turned = 0;
            operands_make(&rng, &p, &a, k);
            run(&t, plan, &p, &a, factor(&rng, 5), factor(&rng, 4), "with A");
            turned = 1;
            operands_make(&rng, &q, &a, k);
            run(&t, plan, &q, &other, factor(&rng, 5), factor(&rng, 4), "with the adjoint of A");
            turned = 0;
            new_values(&rng, &a, a.type == RC_C128 ? p.precision : a.type);
            const void *val = on_device ? put(t.array[2], a.given, sizeof a.given) : (const void *)a.given;
            ok(rc_plan_update_values(plan, a.nnz, val, a.type, on_device, t.stream, &err), &err, "new values");
        }
        rc_plan_free(plan);
    }
    there_free(&t);
}

/* Loads of both parts at once: memory at multiples of a value. */
static void memory_that_is_not_aligned(void **state)
{
    (void)state;
    static input_t a;
    rc_rng_t rng;
    rc_err_t err = {0};
    there_t t;
    rc_plan_t *plan = NULL;
    const int64_t k = 3;
    const rc_plan_problem_t p = {
        .op = RC_OP_SPMM, .precision = RC_C128, .layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    rc_device_close(d);
    there_new(&t);
    rc_rng_seed(&rng, 63);
    do
        make(&rng, RC_C128, RC_PLAN_CSR, &a);
    while (a.nnz == 0);
    const rc_plan_matrix_t m = matrix_at(&t, &a, 0);
    ok(rc_plan_create(&p, &m, NULL, t.stream, &plan, &err), &err, "a plan");
    assert_int_equal(rc_plan_execute(plan, k, 1, (char *)t.in[0] + 8, k, 0, t.out, k, t.stream, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "aligned to 16 bytes"));
    assert_int_equal(
        rc_plan_update_values(plan, a.nnz, (char *)t.array[2] + 8, RC_C128, 1, t.stream, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "aligned to 16 bytes"));
    rc_plan_free(plan);
    there_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel),
        cmocka_unit_test(any_kernel),
        cmocka_unit_test(adjoints),
        cmocka_unit_test(memory_that_is_not_aligned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
