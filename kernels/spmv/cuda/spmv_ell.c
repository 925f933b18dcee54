/* y = A x of A in ELLPACK on a GPU. */
#include "config.h"
#include "kernels/spmv/cuda/spmv.h"
#include "base/alloc.h"
#include "base/error.h"

enum { PARAM_LIMIT };

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_csr_view_t slots = {
        .rows = p->schedule->slots, .nnz = p->a->nnz, .precision = p->precision};
    rc_format_size_t size = {0};
    rc_analysis_t csr = {0};
    rc_spmv_counts_t n;
    RC_PASS(rc_cuda_slots_analyse(p, &csr, err));
    RC_PASS(rc_spmv_count(p, 0, 0, &n, err));
    rc_ell_add(&size, &slots, n.longest, "col", "val");
    RC_PASS(rc_ell_limit(&size, p->a->nnz, p->param[PARAM_LIMIT], err));
    out->traffic = rc_format_bytes(&size);
    out->bytes = rc_sat_add(out->traffic, rc_cuda_rows_bytes(p));
    out->stored_rows = csr.stored_rows;
    out->fill = rc_format_fill(&size, &slots);
    RC_CHOSE(out, n);
    return RC_OK;
}

static void build(rc_spmv_t *s, rc_spmv_form_t *f, const rc_analysis_t *analysis)
{
    const rc_csr_view_t slots = {.rows = f->k.p->schedule->slots};
    rc_spmv_counts_t n;
    RC_CHOSEN(analysis, n);
    rc_spmv_keep_rows(f);
    (void)rc_keep_values(&f->k, NULL, n.longest * rc_ell_pitch(&slots));
    rc_spmv_take_ell(f, n.longest, s->launch);
}

static const rc_spmv_kind_t kind = {build};

const rc_kernel_t rc_kernel_cuda_ell = {
    .name = "ell",
    .summary = "y = A x on a GPU of A in ELLPACK: a thread a row, places for the longest",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .format = "ell",
    .version = 2, /* 1: built on the host, which the time to prepare had in it */
    .param = {RC_ELL_LIMIT_PARAM},
    .builds = RC_BUILDS_ALONE,
    .kind = &kind,
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .rank = {{1, 4, 4}},
    RC_SPMV_MEMBERS,
};
