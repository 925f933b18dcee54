/* y = A x of A in CSR5 on a GPU. */
#include "config.h"
#include "kernels/spmv/cuda/spmv.h"
#include "base/alloc.h"
#include "base/error.h"

enum { PARAM_SIGMA };

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    int64_t index = (int64_t)sizeof(int32_t);
    rc_spmv_counts_t n = {0};
    const rc_build_csr5_t shape = rc_spmv_csr5_size(p, p->param[PARAM_SIGMA], &n);
    RC_PASS(rc_spmv_limits(p, shape.shares, err));
    RC_PASS(rc_spmv_count(p, shape.look, 0, &n, err));
    const rc_build_csr5_t z = rc_spmv_csr5_size(p, p->param[PARAM_SIGMA], &n);
    int64_t bytes = rc_sat_mul(p->a->nnz, index + value);
    bytes = rc_sat_add(bytes, (z.size.tiles + 1) * index);
    bytes = rc_sat_add(bytes, rc_sat_mul(z.size.tiles * z.size.words, RC_CSR5_OMEGA * index));
    out->traffic = bytes;
    if (z.offsets > 0)
        bytes = rc_sat_add(bytes, (z.size.tiles + 1 + z.offsets) * index);
    bytes = rc_sat_add(
        bytes, z.tail_entries * index + (z.shares + 1) * (int64_t)sizeof(rc_spmv_share_t));
    bytes = rc_sat_add(bytes, rc_spmv_spans_bytes(z.shares, z.most, p->precision));
    out->bytes = rc_sat_add(bytes, rc_spmv_filled_bytes(p, n.filled));
    out->stored_rows = rc_stored_rows(p);
    out->fill = 1;
    RC_CHOSE(out, n);
    return RC_OK;
}

static void build(rc_spmv_t *s, rc_spmv_form_t *f, const rc_analysis_t *analysis)
{
    rc_spmv_csr5_args_t *a = &s->launch[0].args.csr5;
    rc_spmv_counts_t n;
    RC_CHOSEN(analysis, n);
    rc_build_csr5_t b = rc_spmv_csr5_size(f->k.p, f->k.p->param[PARAM_SIGMA], &n);
    const int64_t before = f->k.p->a->nnz - b.tail_entries;
    rc_spmv_keep_filled(f, n.filled);
    rc_spmv_keep_csr5(f, &b);
    *a = (rc_spmv_csr5_args_t){.col = b.col,
        .val = f->k.val,
        .tile_ptr = b.tile_ptr,
        .desc = b.desc,
        .empty_ptr = b.empty_ptr,
        .empty_offset = b.empty_offset,
        .share = b.share,
        .full = b.size.full,
        .ctas = (int32_t)b.ctas,
        .sigma = (int32_t)b.size.sigma,
        .words = b.size.words,
        .y_bits = b.size.y_bits};
    if (f->k.st == RC_OK && b.tail_entries > 0)
        a->tail.m = (rc_spmv_coo_t){.slot = b.tail,
            .col = b.col + before,
            .val = rc_keep_value_at(&f->k, before),
            .share = b.share + b.ctas};
    s->tail = 1;
    rc_spmv_set(s->launch, rc_spmv_csr5_entry(f->k.p->precision), b.shares, "launch of csr5");
}

static const rc_spmv_kind_t kind = {build};

const rc_kernel_t rc_kernel_cuda_csr5 = {
    .name = "csr5",
    .summary =
        "y = A x on a GPU in tiles of 32 x sigma entries, a warp each; segmented sums by bit flags",
    .source = "Liu and Vinter 2015, doi:10.1145/2751205.2751209",
    /* 1: rows of several shares in a second launch; built on the host. 2: all rows that go on
     * counted as such. 3: a fence in the last CTA of such rows */
    .version = 4,
    .param = {RC_CSR5_SIGMA_PARAM},
    .builds = RC_BUILDS_ALONE,
    .kind = &kind,
    .format = "csr5",
    .types = RC_TYPES_REAL,
    .out_sums = 1,
    RC_SPMV_MEMBERS,
};
