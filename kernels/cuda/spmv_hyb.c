/* y = A x on a GPU: the first entries of every row in ELLPACK, which stores y; coordinates add the others. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/cpu/slots.h"
#include "kernels/cuda/spmv_ell.h"
#include "kernels/format/hyb.h"

#include <stdlib.h>

enum { PARAM_WIDTH, CHOSEN_WIDTH = 0, CHOSEN_OVER };

typedef struct hyb {
    rc_spmv_t s;
    rc_spmv_ell_args_t ell;
    rc_spmv_coo_args_t coo;
    int64_t over; /* entries of coo */
    void *val;    /* of both, those of ell first */
    int64_t places;
} hyb_t;

static void release(void *state)
{
    hyb_t *h = state;
    if (!h)
        return;
    rc_spmv_free(&h->s);
    free(h);
}

/* The rule asks how many slots have so many entries: their order does not matter. */
static rc_status_t choose_width(const rc_problem_t *p, int64_t *out, rc_err_t *err)
{
    rc_csr_view_t e = {.rows = p->schedule->slots, .nnz = p->a->nnz};
    if (p->param[PARAM_WIDTH] != RC_HYB_BELL)
        return rc_hyb_width(&e, p->param[PARAM_WIDTH], out, err);
    int64_t *ptr = rc_spmv_pointers(p, err);
    if (!ptr)
        return RC_ENOMEM;
    e.ptr = ptr;
    rc_status_t st = rc_hyb_width(&e, RC_HYB_BELL, out, err);
    free(ptr);
    return st;
}

static int64_t rows_beyond(const rc_problem_t *p, int64_t width)
{
    return rc_spmv_rows_beyond(p->a, width + RC_SPMV_LOOK);
}

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_csr_view_t original = {.rows = p->a->rows, .ptr = p->a->row_ptr};
    const rc_csr_view_t slots = {
        .rows = p->schedule->slots, .nnz = p->a->nnz, .precision = p->precision};
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    rc_format_size_t size = {0};
    rc_analysis_t csr = {0};
    int64_t width = 0;
    rc_status_t st;
    RC_TRY(rc_cuda_slots_analyse(p, &csr, err));
    RC_TRY(choose_width(p, &width, err));
    int64_t over = rc_coo_count(&original, width);
    RC_TRY(rc_spmv_limits(p, rc_spmv_coo_shares(over), err));
    rc_ell_add(&size, &slots, width, "col", "val");
    int64_t bytes = rc_format_bytes(&size);
    rc_coo_add(&size, &slots, over, "coo_row", "coo_col", "coo_val");
    bytes = rc_sat_add(bytes, rc_spmv_coo_bytes(over, rows_beyond(p, width), value));
    bytes = rc_sat_add(bytes, rc_sat_mul(over, value));
    out->bytes = rc_sat_add(bytes, rc_cuda_rows_bytes(p));
    out->traffic = rc_format_bytes(&size);
    out->stored_rows = csr.stored_rows;
    out->fill = rc_format_fill(&size, &slots);
    out->chosen[CHOSEN_WIDTH] = width;
    out->chosen[CHOSEN_OVER] = over;
done:
    return st;
}

/* Values of both parts in one array. */
static rc_status_t upload_values(const rc_hyb_t *host, hyb_t *h, rc_err_t *err)
{
    size_t value = (size_t)h->s.value_bytes;
    size_t ell = (size_t)h->places * value;
    size_t coo = (size_t)h->over * value;
    rc_executor_t *x = h->s.memory.x;
    rc_status_t st;
    RC_TRY(rc_cuda_room(&h->s.memory, ell + coo, &h->val, err));
    if (ell > 0)
        RC_TRY(x->upload(x, h->val, host->ell.val, ell, err));
    if (coo > 0)
        RC_TRY(x->upload(x, (char *)h->val + ell, host->coo.val, coo, err));
    h->ell.val = h->val;
    h->coo.val = (const char *)h->val + ell;
done:
    return st;
}

static rc_status_t upload(const rc_problem_t *p, const rc_hyb_t *host, hyb_t *h, rc_err_t *err)
{
    void *device = NULL;
    rc_status_t st;
    h->places = host->ell.width * host->ell.pitch;
    h->over = host->coo.entries;
    RC_TRY(rc_cuda_keep(&h->s.memory, host->ell.col, (size_t)h->places * sizeof *host->ell.col,
        &device, err));
    h->ell.col = device;
    h->ell.pitch = host->ell.pitch;
    h->ell.slots = (int32_t)host->ell.rows;
    h->ell.width = (int32_t)host->ell.width;
    RC_TRY(rc_spmv_coo_upload(
        p, &host->coo, rows_beyond(p, host->ell.width), &h->s, &h->coo, err));
    st = upload_values(host, h, err);
done:
    return st;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    rc_slots_t slots = {0};
    rc_hyb_t host = {.ell = {0}};
    rc_status_t st;
    hyb_t *h = rc_alloc0(1, sizeof *h, "kernel state", err);
    if (!h)
        return RC_ENOMEM;
    RC_TRY(rc_spmv_init(x, p, &h->s, err));
    RC_TRY(rc_spmv_rows(p, &h->s, err));
    RC_TRY(rc_slots_build(x, p, &slots, err));
    const rc_csr_view_t e = rc_slots_view(&slots, p->precision);
    RC_TRY(rc_hyb_build(&e, analysis->chosen[CHOSEN_WIDTH], x->threads, &host, err));
    RC_TRY(upload(p, &host, h, err));
    *state = h;
done:
    rc_slots_free(&slots);
    rc_hyb_free(&host);
    if (st < 0)
        release(h);
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const hyb_t *h = state;
    const rc_spmv_vectors_t all = rc_spmv_vectors(&h->s, o, alpha, beta);
    const rc_spmv_vectors_t more = rc_spmv_vectors(&h->s, o, alpha, 1);
    rc_status_t st;
    RC_TRY(rc_spmv_ell_run(&h->s, &h->ell, &all, err));
    RC_TRY(rc_spmv_coo_run(&h->s, &h->coo, h->over, &more, err));
    st = rc_spmv_rest(&h->s, &o->out, beta, err);
done:
    return st;
}

static int64_t values(void *state, void **array)
{
    const hyb_t *h = state;
    *array = h->val;
    return h->places + h->over;
}

const rc_kernel_t rc_kernel_cuda_hyb = {
    .name = "hyb",
    .summary = "y = A x on a GPU: the first `width` entries of every row in ELLPACK, the others as coordinates",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMV,
    .layout = RC_COL_MAJOR,
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .deterministic = rc_kernel_always,
    .param = {RC_HYB_WIDTH_PARAM},
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .run = run,
    .release = release,
    .values = values,
};
