/* y = A x row by row: slots in chunks of about as many entries, which the threads take in turn; a row
 * is summed in `lanes` sums, whatever the threads. */
#include "config.h"
#include "base/alloc.h"
#include "format/csr.h"
#include "format/slots.h"

#include <stdlib.h>

#define INSTANCES "kernels/spmv/cpu/csr.inc"
#include "device/cpu/instances.inc"
#include "kernels/kernel.h"

enum { PARAM_LANES };

typedef struct csr {
    rc_slots_t slots;
    int chunks;
    int64_t *cut; /* [chunks + 1], slots of chunk i: [cut[i], cut[i + 1]) */
    int64_t lanes;
    rc_precision_t precision;
} csr_t;

static void release(void *state)
{
    csr_t *s = state;
    if (!s)
        return;
    rc_slots_free(&s->slots);
    free(s->cut);
    free(s);
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    (void)analysis;
    enum {
        row_cost = 2, /* storing a value of y costs about as much as two entries */
        turns = 8     /* chunks of a thread, so that one that is held up does not hold up all */
    };
    csr_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    s->chunks = x->threads > 1 ? turns * x->threads : 1;
    s->cut = rc_alloc((size_t)s->chunks + 1, sizeof *s->cut, "chunks of the slots", err);
    if (!s->cut || rc_slots_build(x, p, &s->slots, err) < 0) {
        release(s);
        return RC_ENOMEM;
    }
    rc_csr_view_t view = rc_slots_pattern(&s->slots);
    s->lanes = rc_csr_lanes(&view, p->param[PARAM_LANES]);
    s->precision = p->precision;
    rc_slots_cut(&s->slots, row_cost, s->chunks, s->cut);
    *state = s;
    return RC_OK;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    static void (*const chunk[])(const rc_slots_t *, int64_t, int64_t, const rc_cpu_run_t *,
        int64_t) = RC_INSTANCES(chunk);
    const csr_t *s = state;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
#pragma omp parallel for num_threads(s->slots.threads) schedule(dynamic, 1)
    for (int i = 0; i < s->chunks; i++)
        chunk[s->precision](&s->slots, s->cut[i], s->cut[i + 1], &run, s->lanes);
    rc_slots_scale_absent(&s->slots, &o->out, beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_csr = {
    .name = "csr",
    .summary = "y = A x row by row, each in `lanes` sums",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .version = 1,
    .device = RC_DEVICE_CPU,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .format = "csr",
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .strict = rc_kernel_always,
    .deterministic = rc_kernel_always,
    .param = {RC_CSR_LANES_PARAM},
    .analyse = rc_slots_analyse,
    .geometry = rc_cpu_geometry,
    .prepare = prepare,
    .run = run,
    .release = release,
};
