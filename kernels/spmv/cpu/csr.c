/* y = A x row by row: slots in chunks of about as many entries, which the threads take in turn;
 * a row is summed in `lanes` sums, whatever the threads. */
#include "config.h"
#include "format/vector/csr.h"
#include "base/error.h"
#include "kernels/cpu/plain.h"

#define INSTANCES "kernels/spmv/cpu/csr.inc"
#define COMPLEX
#include "device/cpu/instances.inc"

enum { PARAM_LANES };

typedef struct csr {
    rc_plain_t plain;
    int chunks;
    int64_t *cut; /* [chunks + 1], slots of chunk i: [cut[i], cut[i + 1]) */
    int64_t lanes;
} csr_t;

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    enum {
        row_cost = 2, /* storing a value of y costs about as much as two entries */
        turns = 8     /* chunks of a thread, so that one that is held up does not hold up all */
    };
    csr_t *s = state;
    const int threads = s->plain.base.memory.x->threads;
    s->chunks = threads > 1 ? turns * threads : 1;
    s->cut = rc_prepared_array(
        &s->plain.base, (size_t)s->chunks + 1, sizeof *s->cut, "chunks of the slots", err);
    RC_PASS(s->cut ? rc_plain_build(state, p, analysis, err) : RC_ENOMEM);
    const rc_csr_view_t view = rc_slots_pattern(&s->plain.slots);
    s->lanes = rc_csr_lanes(&view, p->param[PARAM_LANES]);
    rc_slots_cut(&s->plain.slots, row_cost, s->chunks, s->cut);
    return RC_OK;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    (void)err;
    static void (*const chunk[])(const rc_slots_t *, int64_t, int64_t, const rc_cpu_run_t *,
        int64_t) = RC_INSTANCES_ANY(chunk);
    const csr_t *s = state;
    const rc_slots_t *slots = &s->plain.slots;
    const rc_cpu_run_t run = rc_cpu_run_of(o, alpha, beta);
#pragma omp parallel for num_threads(slots->threads) schedule(dynamic, 1)
    for (int i = 0; i < s->chunks; i++)
        chunk[s->plain.base.p.precision](slots, s->cut[i], s->cut[i + 1], &run, s->lanes);
    rc_slots_scale_absent(slots, &o->out, run.beta);
    return RC_OK;
}

const rc_kernel_t rc_kernel_csr = {
    .name = "csr",
    .summary = "y = A x row by row, each in `lanes` sums",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .version = 1,
    .format = "csr",
    RC_PLAIN_SPMV,
    .param = {RC_CSR_LANES_PARAM},
    .analyse = rc_slots_analyse,
    .state_bytes = RC_STATE(csr_t),
    .build = build,
    .run = run,
};
