/* y = A x of A in ELLPACK on a GPU. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cpu/slots.h"
#include "kernels/cuda/spmv_ell.h"

#include <inttypes.h>
#include <stdlib.h>

enum { PARAM_LIMIT, CHOSEN_WIDTH = 0 };

typedef struct ell {
    rc_spmv_t s;
    rc_spmv_ell_args_t args;
    void *val; /* [width * pitch] */
} ell_t;

rc_status_t rc_spmv_ell_run(const rc_spmv_t *s, const rc_spmv_ell_args_t *a,
    const rc_spmv_vectors_t *v, rc_err_t *err)
{
    rc_spmv_ell_args_t args = *a;
    rc_cuda_launch_t l = {.entry = rc_spmv_ell_entry(s->precision),
        .ctas = (unsigned)((a->slots + RC_SPMV_ELL_THREADS - 1) / RC_SPMV_ELL_THREADS),
        .rows = 1,
        .threads = RC_SPMV_ELL_THREADS};
    args.v = *v;
    return rc_cuda_launch_overlapping(
        s->memory.x, &l, s->overlaps, &args, "launch of ell", err);
}

static void release(void *state)
{
    ell_t *l = state;
    if (!l)
        return;
    rc_spmv_free(&l->s);
    free(l);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_csr_view_t original = {.rows = p->a->rows, .ptr = p->a->row_ptr};
    const rc_csr_view_t slots = {
        .rows = p->schedule->slots, .nnz = p->a->nnz, .precision = p->precision};
    rc_format_size_t size = {0};
    rc_analysis_t csr = {0};
    rc_status_t st;
    int64_t width = rc_format_longest(&original);
    RC_TRY(rc_cuda_slots_analyse(p, &csr, err));
    rc_ell_add(&size, &slots, width, "col", "val");
    RC_TRY(rc_ell_limit(&size, p->a->nnz, p->param[PARAM_LIMIT], err));
    out->chosen[CHOSEN_WIDTH] = width;
    out->traffic = rc_format_bytes(&size);
    out->bytes = rc_sat_add(out->traffic, rc_cuda_rows_bytes(p));
    out->stored_rows = csr.stored_rows;
    out->fill = rc_format_fill(&size, &slots);
done:
    return st;
}

static rc_status_t upload(const rc_ell_t *host, ell_t *l, rc_err_t *err)
{
    size_t places = (size_t)host->width * (size_t)host->pitch;
    void *device = NULL;
    rc_status_t st;
    RC_TRY(rc_cuda_keep(&l->s.memory, host->col, places * sizeof *host->col, &device, err));
    l->args.col = device;
    RC_TRY(rc_cuda_keep(
        &l->s.memory, host->val, places * (size_t)l->s.value_bytes, &l->val, err));
    l->args.val = l->val;
    l->args.pitch = host->pitch;
    l->args.slots = (int32_t)host->rows;
    l->args.width = (int32_t)host->width;
done:
    return st;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    rc_slots_t slots = {0};
    rc_ell_t host = {0};
    rc_status_t st;
    ell_t *l = rc_alloc0(1, sizeof *l, "kernel state", err);
    if (!l)
        return RC_ENOMEM;
    RC_TRY(rc_spmv_init(x, p, &l->s, err));
    RC_TRY(rc_spmv_rows(p, &l->s, err));
    RC_TRY(rc_slots_build(x, p, &slots, err));
    const rc_csr_view_t e = rc_slots_view(&slots, p->precision);
    RC_TRY(rc_ell_build(&e, analysis->chosen[CHOSEN_WIDTH], x->threads, &host, err));
    RC_TRY(upload(&host, l, err));
    *state = l;
done:
    rc_slots_free(&slots);
    rc_ell_free(&host);
    if (st < 0)
        release(l);
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const ell_t *l = state;
    const rc_spmv_vectors_t v = rc_spmv_vectors(&l->s, o, alpha, beta);
    rc_status_t st = rc_spmv_ell_run(&l->s, &l->args, &v, err);
    return st == RC_OK ? rc_spmv_rest(&l->s, &o->out, beta, err) : st;
}

static int64_t values(void *state, void **array)
{
    const ell_t *l = state;
    *array = l->val;
    return l->args.width * l->args.pitch;
}

const rc_kernel_t rc_kernel_cuda_ell = {
    .name = "ell",
    .summary = "y = A x on a GPU of A in ELLPACK: a thread a row, places for the longest",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .param = {RC_ELL_LIMIT_PARAM},
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .run = run,
    .release = release,
    .values = values,
};
