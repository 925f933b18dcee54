#include "config.h"
#include "unit.h"

#include "base/clock.h"
#include "build_times.h"
#include "device/cuda/executor.h"
#include "format/resident.h"
#include "kernels/prepared.h"
#include "operands.h"
#include "order/policy.h"
#include "rowcast_io.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDEST = 512 };

typedef struct timed {
    rc_executor_t *x;
    rc_csr_t a;
    rc_schedule_t s;
    rc_resident_t resident;
    void *b;
    void *c;
} timed_t;

static double ms_since(const timed_t *t, int64_t begin)
{
    rc_err_t err = {0};
    ok(rc_executor_cuda_wait(t->x, &err), &err, "waiting");
    return 1e-6 * (double)(rc_clock_ns() - begin);
}

static rc_dense_t operand(void *data, int64_t rows, int64_t k, rc_layout_t layout)
{
    return (rc_dense_t){data, rows, k, layout == RC_ROW_MAJOR ? k : rows, RC_FP32, layout};
}

/* Milliseconds of a product: the best of some batches. */
static double product_ms(const timed_t *t, const rc_kernel_t *kernel, void *state, int64_t k)
{
    enum { batches = 4, few = 10, many = 200 };
    const int batch = k > 1 ? few : many;
    rc_err_t err = {0};
    rc_operands_t o = {.in = {operand(t->b, t->a.cols, k, rc_layout_in(kernel->layout))},
        .out = operand(t->c, t->a.rows, k, rc_layout_out(kernel->layout))};
    double best = 0;
    for (int i = 0; i < batches; i++) {
        (void)ms_since(t, 0);
        int64_t begin = rc_clock_ns();
        for (int j = 0; j < batch; j++)
            ok(rc_kernel_run(kernel, state, &o, 1, 0, &err), &err, kernel->name);
        double ms = ms_since(t, begin) / batch;
        best = i == 0 || ms < best ? ms : best;
    }
    return best;
}

/* Milliseconds of analysis and preparation: the median.  \param[out] state  of the last, or NULL */
static double prepare_ms(
    const timed_t *t, const rc_kernel_t *kernel, const rc_problem_t *p, int times, void **state)
{
    double ms[9];
    *state = NULL;
    for (int i = 0; i < times; i++) {
        rc_err_t err = {0};
        rc_analysis_t analysis = {0};
        if (*state)
            rc_kernel_release(kernel, *state);
        *state = NULL;
        (void)ms_since(t, 0);
        int64_t begin = rc_clock_ns();
        if (rc_kernel_analyse(kernel, p, &analysis, &err) < 0 ||
            rc_kernel_prepare(kernel, t->x, p, &analysis, state, &err) < 0) {
            printf("#   %-10s %s\n", kernel->name, err.text);
            return 0;
        }
        double took = ms_since(t, begin);
        int at = i;
        for (; at > 0 && ms[at - 1] > took; at--)
            ms[at] = ms[at - 1];
        ms[at] = took;
    }
    return ms[times / 2];
}

static void time_kernel(timed_t *t, const rc_kernel_t *kernel, int64_t k)
{
    void *state;
    rc_kernel_spec_t spec;
    rc_err_t err = {0};
    ok(rc_kernel_spec_parse(kernel->name, kernel->device, &spec, &err), &err, kernel->name);
    rc_problem_t p = {.k = k,
        .precision = RC_FP32,
        .c_order = RC_C_ORIGINAL,
        .a = &t->a,
        .schedule = &t->s,
        .identity = 1,
        .c_rows = t->a.rows};
    memcpy(p.param, spec.param, sizeof p.param);
    p.geometry = kernel->geometry(t->x, spec.param, RC_FP32);
    double host = prepare_ms(t, kernel, &p, 1, &state);
    if (!state)
        return;
    rc_kernel_release(kernel, state);
    p.resident = &t->resident;
    double there = prepare_ms(t, kernel, &p, 9, &state);
    if (!state)
        return;
    double product = product_ms(t, kernel, state, k);
    rc_kernel_release(kernel, state);
    printf("#   %-10s K=%-4" PRId64 " product %8.4f ms  prepared in %8.4f ms = %6.1f products; from the "
           "host %8.2f ms\n",
        kernel->name, k, product, there, there / product, host);
    fflush(stdout);
}

static int is_file(const char *spec)
{
    FILE *f = fopen(spec, "r");
    if (f)
        (void)fclose(f);
    return f != NULL;
}

static void time_matrix(rc_executor_t *x, const char *spec)
{
    rc_err_t err = {0};
    timed_t t = {.x = x};
    if (is_file(spec))
        ok(rc_mtx_read(spec, 0, &t.a, NULL, &err), &err, spec);
    else
        ok(rc_generate(spec, &t.a, NULL, &err), &err, spec);
    ok(rc_schedule_alloc(t.a.rows, t.a.rows, &t.s, &err), &err, "a schedule");
    for (int64_t i = 0; i < t.a.rows; i++)
        t.s.row[i] = (int32_t)i;
    ok(rc_resident_new(x, &t.a, RC_FP32, &t.resident, &err), &err, "matrix");
    rc_resident_free(&t.resident);
    int64_t begin = rc_clock_ns();
    ok(rc_resident_new(x, &t.a, RC_FP32, &t.resident, &err), &err, "matrix");
    printf("# %s: %" PRId64 " x %" PRId64 ", %" PRId64 " entries, uploaded in %.4f ms\n", spec, t.a.rows,
        t.a.cols, t.a.nnz, ms_since(&t, begin));
    ok(x->alloc(x, (size_t)t.a.cols * WIDEST * sizeof(float), &t.b, &err), &err, "B");
    ok(x->alloc(x, (size_t)t.a.rows * WIDEST * sizeof(float), &t.c, &err), &err, "C");
    ok(x->fill(x, t.b, 0, (size_t)t.a.cols * WIDEST * sizeof(float), &err), &err, "B");
    for (int i = 0; rc_kernels[i]; i++)
        if (rc_kernels[i]->device == RC_DEVICE_CUDA && rc_kernels[i]->builds) {
            int has_k = rc_operation_of(rc_kernels[i]->op)->has_k;
            for (int64_t k = has_k ? 128 : 1; k <= (has_k ? WIDEST : 1); k *= 4)
                time_kernel(&t, rc_kernels[i], k);
        }
    x->release(x, t.b);
    x->release(x, t.c);
    rc_resident_free(&t.resident);
    rc_schedule_free(&t.s);
    rc_csr_free(&t.a);
}

void build_times(rc_executor_t *x, int count, char **spec)
{
    for (int i = 0; i < count; i++)
        time_matrix(x, spec[i]);
}
