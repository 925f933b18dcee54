/* Products that take what the one before made, C = A B, B = A C, ..., asked for without a wait: the bits are
 * those of products with a wait after each.  Few CTAs: then several launches are on the GPU at once, where
 * they may overlap (device/cuda/overlap.h).
 * Needs a GPU: without one it skips itself, or fails when ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "base/clock.h"
#include "device/cuda/cuda.h"
#include "device/device.h"
#include "kernels/prepared.h"
#include "operands.h"
#include "order/policy.h"
#include "sparse/generate.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRODUCTS = 60, RUNS = 30 };

/* Few CTAs, some more, and long rows. */
static const char *const matrices[] = {"mesh2d:n=12", "mesh2d:n=40", "rmat:scale=10", "arrow:n=3000"};

typedef struct chain {
    rc_executor_t *x;
    const rc_csr_t *a;
    const rc_kernel_t *kernel;
    void *state;
    const char *label;
    rc_dense_t side[2]; /* device */
    size_t bytes;
    double alpha; /* keeps what is computed within range */
    void *begin;  /* host: the first B */
    void *serial; /* host: what products with waits give */
    void *found;  /* host */
} chain_t;

/* Holds a stream until it is told to go on, or a second has passed: a kernel may wait in its run. */
static void hold(void *user)
{
    const int64_t most = 1000000000;
    atomic_int *go = user;
    int64_t begin = rc_clock_ns();
    while (!atomic_load(go) && rc_clock_ns() - begin < most)
        ;
}

static void check_cuda(cudaError_t e, const char *label)
{
    if (e != cudaSuccess)
        fail_msg("%s: %s", label, cudaGetErrorString(e));
}

static void run(chain_t *c, int waits)
{
    rc_err_t err = {0};
    cudaStream_t stream = rc_cuda_stream(c->x);
    atomic_int go;
    atomic_init(&go, 0);
    ok(c->x->upload(c->x, c->side[0].data, c->begin, c->bytes, &err), &err, c->label);
    ok(c->x->fill(c->x, c->side[1].data, 0, c->bytes, &err), &err, c->label);
    if (!waits)
        check_cuda(cudaLaunchHostFunc(stream, hold, &go), c->label);
    for (int i = 0; i < PRODUCTS; i++) {
        const rc_operands_t o = {.in = {c->side[i % 2]}, .out = c->side[(i + 1) % 2]};
        ok(rc_kernel_run(c->kernel, c->state, &o, c->alpha, 0, &err), &err, c->label);
        if (waits)
            check_cuda(cudaStreamSynchronize(stream), c->label);
    }
    atomic_store(&go, 1);
    ok(c->x->download(
           c->x, waits ? c->serial : c->found, c->side[PRODUCTS % 2].data, c->bytes, &err),
        &err, c->label);
}

static double alpha_for(const rc_csr_t *a)
{
    double most = 1;
    for (int64_t r = 0; r < a->rows; r++) {
        double sum = 0;
        for (int64_t i = a->row_ptr[r]; i < a->row_ptr[r + 1]; i++)
            sum += fabs(a->val[i]);
        most = fmax(most, sum);
    }
    return 1.5 / most;
}

static void chain_new(chain_t *c, const rc_problem_t *p)
{
    rc_err_t err = {0};
    rc_layout_t layout = c->kernel->layout;
    int64_t n = c->a->rows;
    c->bytes = (size_t)(n * p->k) * rc_precision_bytes(p->precision);
    c->begin = malloc(c->bytes);
    c->serial = malloc(c->bytes);
    c->found = malloc(c->bytes);
    assert_true(c->begin && c->serial && c->found);
    for (int64_t i = 0; i < n * p->k; i++)
        if (p->precision == RC_FP64)
            ((double *)c->begin)[i] = input_value(0, i, 0);
        else
            ((float *)c->begin)[i] = (float)input_value(0, i, 0);
    for (int s = 0; s < 2; s++) {
        c->side[s] = (rc_dense_t){.rows = n,
            .cols = p->k,
            .ld = layout == RC_ROW_MAJOR ? p->k : n,
            .precision = p->precision,
            .layout = layout};
        ok(c->x->alloc(c->x, c->bytes, &c->side[s].data, &err), &err, c->label);
    }
    c->alpha = alpha_for(c->a);
}

static void chain_free(chain_t *c)
{
    for (int s = 0; s < 2; s++)
        c->x->release(c->x, c->side[s].data);
    free(c->begin);
    free(c->serial);
    free(c->found);
}

static void run_chain(chain_t *c, const rc_problem_t *p)
{
    chain_new(c, p);
    run(c, 1);
    for (int i = 0; i < RUNS; i++) {
        run(c, 0);
        if (memcmp(c->serial, c->found, c->bytes) != 0)
            fail_msg("%s: run %d gave other bits than products with a wait after each", c->label, i);
    }
    chain_free(c);
}

static void run_kernel(rc_executor_t *x, const rc_csr_t *a, const char *matrix, const rc_kernel_t *k,
    int64_t columns, rc_precision_t precision)
{
    rc_kernel_spec_t spec;
    rc_schedule_t s;
    rc_analysis_t analysis;
    rc_err_t err = {0};
    char label[128];
    ok(rc_kernel_spec_parse(k->name, RC_DEVICE_CUDA, &spec, &err), &err, k->name);
    if (!k->deterministic(spec.param))
        return;
    rc_problem_t p = {.k = columns,
        .precision = precision,
        .a = a,
        .schedule = &s,
        .identity = 1,
        .geometry = k->geometry(x, spec.param, precision),
        .c_rows = a->rows};
    memcpy(p.param, spec.param, sizeof p.param);
    (void)snprintf(label, sizeof label, "%s, %s, K = %d, %s", k->name, matrix, (int)columns,
        rc_precision_name(precision));
    chain_t c = {.x = x, .a = a, .kernel = k, .label = label};
    ok(rc_order_build("csr", a, &p.geometry, 0, &s, &err), &err, "order");
    if (rc_kernel_analyse(k, &p, &analysis, &err) == RC_OK) {
        ok(rc_kernel_prepare(k, x, &p, &analysis, &c.state, &err), &err, label);
        run_chain(&c, &p);
        rc_kernel_release(k, c.state);
    }
    rc_schedule_free(&s);
}

static int is_tested(const rc_kernel_t *k)
{
    return k->device == RC_DEVICE_CUDA && k->computes && !k->for_testing && k->deterministic &&
           (k->op == RC_OP_SPMM || k->op == RC_OP_SPMV) &&
           (k->layout == RC_ROW_MAJOR || k->layout == RC_COL_MAJOR);
}

static void products_of_products(void **test)
{
    static const int64_t widths[] = {1, 8, 32};
    (void)test;
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    rc_err_t err = {0};
    for (size_t m = 0; m < sizeof matrices / sizeof *matrices; m++) {
        rc_csr_t a;
        ok(rc_generate(matrices[m], &a, NULL, &err), &err, matrices[m]);
        for (int i = 0; rc_kernels[i]; i++)
            for (size_t w = 0; is_tested(rc_kernels[i]) && w < sizeof widths / sizeof *widths; w++)
                if (rc_kernels[i]->op == RC_OP_SPMM || widths[w] == 1)
                    for (int precision = 0; precision < 2; precision++)
                        run_kernel(&d->executor, &a, matrices[m], rc_kernels[i], widths[w],
                            (rc_precision_t)precision);
        rc_csr_free(&a);
    }
    rc_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_of_products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
