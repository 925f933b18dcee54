#include "config.h"
#include "kernels/prepared.h"
#include "product.h"
#include "base/clock.h"

#include <string.h>

static rc_dense_t dense(float *data, int64_t rows, int64_t k, rc_layout_t layout)
{
    return (rc_dense_t){.data = data,
        .rows = rows,
        .cols = k,
        .ld = layout == RC_ROW_MAJOR ? k : rows,
        .precision = RC_FP32,
        .layout = layout};
}

double bench_product_seconds(rc_device_t *d, const char *kernel, const bench_product_t *o, int rounds,
    int64_t *traffic, rc_err_t *err)
{
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    void *state = NULL;
    if (rc_kernel_spec_parse(kernel, d->executor.kind, &spec, err) < 0)
        return -1;
    const rc_kernel_t *k = spec.kernel;
    rc_problem_t p = {
        .k = o->k,
        .precision = RC_FP32,
        .a = o->a,
        .schedule = o->identity,
        .identity = 1,
        .geometry = k->geometry(&d->executor, spec.param, RC_FP32),
        .c_rows = o->a->rows,
    };
    memcpy(p.param, spec.param, sizeof p.param);
    if (rc_kernel_analyse(k, &p, &analysis, err) < 0 ||
        rc_kernel_prepare(k, &d->executor, &p, &analysis, &state, err) < 0)
        return -1;
    if (traffic)
        *traffic = rc_analysis_traffic(&analysis, rc_operation_of(k->op), &p, o->k);
    const rc_operands_t operands = {.in = {dense(o->b, o->a->cols, o->k, k->layout)},
        .out = dense(o->c, o->a->rows, o->k, k->layout)};
    double best = 1e300;
    for (int i = 0; i < rounds && best > 0; i++) {
        int64_t start = rc_clock_ns();
        rc_status_t st = rc_kernel_run(k, state, &operands, 1, 0, err);
        double t = (double)(rc_clock_ns() - start) * 1e-9;
        best = st < 0 ? -1 : t < best ? t : best;
    }
    rc_kernel_release(k, state);
    return best;
}
