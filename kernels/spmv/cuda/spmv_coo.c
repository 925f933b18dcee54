/* y = A x of coordinates on a GPU: all products first, then a segmented sum across threads. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/spmv/cuda/spmv.h"

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t nnz = p->a->nnz;
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    rc_spmv_counts_t n;
    RC_PASS(rc_spmv_limits(p, rc_spmv_coo_shares(nnz), err));
    RC_PASS(rc_spmv_count(p, RC_SPMV_LOOK, 0, &n, err));
    int64_t bytes = rc_spmv_coo_bytes(nnz, n.beyond, p->precision);
    bytes = rc_sat_add(bytes, rc_sat_mul(nnz, value));
    out->bytes = rc_sat_add(bytes, rc_spmv_filled_bytes(p, n.filled));
    out->traffic = rc_sat_mul(nnz, 2 * (int64_t)sizeof(int32_t) + value);
    out->stored_rows = rc_stored_rows(p);
    out->fill = 1;
    RC_CHOSE(out, n);
    return RC_OK;
}

static void build(rc_spmv_t *s, rc_spmv_form_t *f, const rc_analysis_t *analysis)
{
    rc_spmv_counts_t n;
    RC_CHOSEN(analysis, n);
    const rc_spmv_coo_size_t size = {.entries = f->k.p->a->nnz, .beyond = n.beyond};
    rc_spmv_keep_filled(f, n.filled);
    (void)rc_keep_values(&f->k, NULL, size.entries);
    rc_spmv_take_coo(f, &size, s->launch);
}

static const rc_spmv_kind_t kind = {build};

const rc_kernel_t rc_kernel_cuda_coo = {
    .name = "coo",
    .summary = "y = A x on a GPU of coordinates: products, then a segmented sum; no atomics on y",
    .source = "Bell and Garland 2009, doi:10.1145/1654059.1654078",
    /* 1: rows of several shares in a second launch; built on the host; 2: a fence in every CTA of
     * such rows. 3: in the last one */
    .version = 4,
    .builds = RC_BUILDS_ALONE,
    .kind = &kind,
    .format = "coo",
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .rank = {{1, 5, 5}},
    RC_SPMV_MEMBERS,
};
