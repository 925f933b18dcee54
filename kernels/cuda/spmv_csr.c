/* y = A x row by row on a GPU: a few lanes take a row. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cuda/spmv_csr.h"
#include "kernels/format/csr.h"

#include <stdlib.h>

enum { PARAM_LANES };

typedef struct csr {
    rc_spmv_t s;
    rc_cuda_launch_t launch;
    const int32_t *late; /* [lates] slots that a CTA takes each */
    int64_t lates;
} csr_t;

static void release(void *state)
{
    csr_t *c = state;
    if (!c)
        return;
    rc_spmv_free(&c->s);
    free(c);
}

static int64_t lanes_of(const rc_problem_t *p)
{
    rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    return rc_csr_lanes(&e, p->param[PARAM_LANES]);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_status_t st = rc_cuda_slots_analyse(p, out, err);
    int64_t lates = rc_spmv_rows_beyond(p->a, RC_SPMV_CSR_LONGEST(lanes_of(p)));
    out->bytes = rc_sat_add(out->bytes, lates * (int64_t)sizeof(int32_t));
    return st;
}

/* The slots that are too long for a group. */
static rc_status_t upload_late(const rc_problem_t *p, csr_t *c, rc_err_t *err)
{
    int64_t longest = RC_SPMV_CSR_LONGEST(lanes_of(p));
    const rc_csr_t *a = p->a;
    void *device = NULL;
    c->lates = rc_spmv_rows_beyond(a, longest);
    int32_t *late = rc_alloc((size_t)c->lates, sizeof *late, "long rows", err);
    if (!late)
        return RC_ENOMEM;
    int64_t n = 0;
    for (int64_t i = 0; i < p->schedule->slots; i++) {
        int64_t r = p->schedule->row[i];
        if (r >= 0 && a->row_ptr[r + 1] - a->row_ptr[r] > longest)
            late[n++] = (int32_t)i;
    }
    rc_status_t st =
        rc_cuda_keep(&c->s.memory, late, (size_t)c->lates * sizeof *late, &device, err);
    c->late = device;
    free(late);
    return st;
}

static rc_cuda_launch_t launch_of(const rc_problem_t *p, int64_t lates)
{
    int64_t lanes = lanes_of(p);
    int64_t rows = RC_SPMV_THREADS / 32 * RC_SPMV_CSR_ROWS(lanes);
    return (rc_cuda_launch_t){
        .entry = rc_spmv_csr_entry(p->precision, rc_cuda_slots_wide(p), (int)lanes),
        .ctas = (unsigned)(lates + (p->schedule->slots + rows - 1) / rows),
        .rows = 1,
        .threads = RC_SPMV_THREADS};
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    (void)analysis;
    rc_status_t st;
    csr_t *c = rc_alloc0(1, sizeof *c, "kernel state", err);
    if (!c)
        return RC_ENOMEM;
    RC_TRY(rc_spmv_init(x, p, &c->s, err));
    RC_TRY(rc_spmv_csr(p, &c->s, err));
    RC_TRY(upload_late(p, c, err));
    c->launch = launch_of(p, c->lates);
    *state = c;
done:
    if (st < 0)
        release(c);
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const csr_t *c = state;
    const rc_cuda_slots_t *a = &c->s.slots;
    rc_spmv_csr_args_t args = {.v = rc_spmv_vectors(&c->s, o, alpha, beta),
        .ptr = a->ptr,
        .col = a->col,
        .val = a->val,
        .late = c->late,
        .lates = (int32_t)c->lates,
        .slots = (int32_t)a->slots};
    rc_status_t st = rc_spmv_run(&c->s, &c->launch, &args, &args.v, "launch of csr", err);
    return st == RC_OK ? rc_spmv_rest(&c->s, &o->out, beta, err) : st;
}

static int64_t values(void *state, void **array)
{
    const csr_t *c = state;
    *array = c->s.slots.val;
    return c->s.slots.nnz;
}

const rc_kernel_t rc_kernel_cuda_csr = {
    .name = "csr",
    .summary = "y = A x on a GPU, row by row: `lanes` lanes of a warp take a row, a CTA a very long one",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .param = {RC_CSR_LANES_PARAM},
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .run = run,
    .release = release,
    .values = values,
};
