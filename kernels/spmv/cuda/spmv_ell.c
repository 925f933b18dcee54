/* y = A x of A in ELLPACK on a GPU. */
#include "config.h"
#include "kernels/spmv/cuda/spmv_ell.h"
#include "base/alloc.h"
#include "base/error.h"

enum { PARAM_LIMIT };

typedef struct ell {
    rc_spmv_t s;
    rc_spmv_ell_args_t args;
} ell_t;

rc_status_t rc_spmv_ell_run(
    const rc_spmv_t *s, const rc_spmv_ell_args_t *a, const rc_spmv_vectors_t *v, rc_err_t *err)
{
    rc_spmv_ell_args_t args = *a;
    args.v = *v;
    return rc_spmv_launch(s, rc_spmv_ell_entry(s->base.p.precision),
        ((int64_t)a->slots + RC_SPMV_THREADS - 1) / RC_SPMV_THREADS, &args, "launch of ell", err);
}

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

void rc_spmv_ell_keep(rc_spmv_form_t *f, int64_t width, rc_spmv_ell_args_t *out)
{
    rc_ell_t l;
    rc_spmv_keep_ell(f, width, &l);
    *out = (rc_spmv_ell_args_t){.col = l.col,
        .val = f->k.val,
        .pitch = l.pitch,
        .slots = (int32_t)l.rows,
        .width = (int32_t)l.width};
}

static void build(rc_spmv_t *s, rc_spmv_form_t *f, const rc_analysis_t *analysis)
{
    const rc_csr_view_t slots = {.rows = f->k.p->schedule->slots};
    rc_spmv_counts_t n;
    RC_CHOSEN(analysis, n);
    rc_spmv_keep_rows(f);
    (void)rc_keep_values(&f->k, NULL, n.longest * rc_ell_pitch(&slots));
    rc_spmv_ell_keep(f, n.longest, &((ell_t *)s)->args);
}

static rc_status_t launch(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const ell_t *l = (const ell_t *)s;
    const rc_spmv_vectors_t v = rc_spmv_vectors(s, o, alpha, beta);
    return rc_spmv_ell_run(s, &l->args, &v, err);
}

static const rc_spmv_kind_t kind = {build, launch};

const rc_kernel_t rc_kernel_cuda_ell = {
    .name = "ell",
    .summary = "y = A x on a GPU of A in ELLPACK: a thread a row, places for the longest",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    .format = "ell",
    .version = 2, /* 1: built on the host, which the time to prepare had in it */
    .param = {RC_ELL_LIMIT_PARAM},
    .analyse = analyse,
    .builds = 1,
    .kind = &kind,
    .layout = RC_COL_MAJOR,
    RC_SPMV_MEMBERS(ell_t),
};
