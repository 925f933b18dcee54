/* Column-major B and row-major C: a first launch copies B into rows, as in gchunk-col, and
 * gchunk multiplies. */
#include "config.h"
#include "base/error.h"
#include "format/cuda/slots.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/rowmajor.h"
#include "kernels/spmm/cuda/transposed.h"

extern const rc_kernel_t rc_kernel_gchunk;

typedef struct gchunk_col_row {
    rc_gchunk_t product;
    rc_cuda_rows_t rows;
} gchunk_col_row_t;

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t column = rc_cuda_rows_column_bytes(p);
    rc_status_t st = rc_kernel_gchunk.analyse(p, out, err);
    if (st == RC_OK) {
        out->bytes =
            rc_sat_add(out->bytes, rc_sat_mul(rc_cuda_chunked_spare(p->precision), column));
        out->bytes_per_column = rc_sat_add(out->bytes_per_column, column);
    }
    return st;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    return rc_kernel_gchunk.build(state, p, analysis, err);
}

static rc_status_t own(void *state, rc_err_t *err)
{
    gchunk_col_row_t *s = state;
    rc_prepared_t *base = &s->product.a.base;
    RC_PASS(rc_kernel_gchunk.own(state, err));
    return rc_cuda_rows_keep(&base->memory, &base->p, &s->rows, err);
}

static rc_status_t fit(void *state, int64_t k, rc_err_t *err)
{
    gchunk_col_row_t *s = state;
    rc_status_t st = rc_kernel_gchunk.fit(state, k, err);
    (void)rc_cuda_rows_choose(&s->rows, &s->product.a.base.p);
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const gchunk_col_row_t *s = state;
    rc_operands_t by_rows = *o;
    rc_dense_t *b = &by_rows.in[0];
    uint32_t ldb;
    uint32_t ldc;
    RC_PASS(rc_cuda_leading(o, &ldb, &ldc, err));
    b->ld = s->rows.copy.ldto;
    b->data = s->rows.copy.to;
    b->layout = RC_ROW_MAJOR;
    RC_PASS(rc_cuda_rows_copy(s->product.a.base.memory.x, &s->rows, &o->in[0], ldb, err));
    return rc_kernel_gchunk.run(state, &by_rows, alpha, beta, err);
}

const rc_kernel_t rc_kernel_gchunk_col_row = {
    .name = "gchunk-bcol-crow",
    .summary = "column-major B, row-major C: a copy of B in rows, then gchunk",
    .source = "rowcast",
    .version = 1,
    .layout = RC_COL_ROW,
    .format = "chunks",
    .rank = {{1, 2, 2}},
    .types = RC_TYPES_ANY,
    .out_sums = 1,
    .param =
        {
            {"entries", "entries of a chunk", .type = RC_PARAM_CHOICE,
                .choices = rc_cuda_chunked_entries},
            {"vectors", "vectors of 16 bytes per lane and entry, 0: automatic", 0, 0,
                RC_GCHUNK_VECTORS_MAX, 1},
        },
    .analyse = analyse,
    RC_CUDA_SPMM_MEMBERS(gchunk_col_row_t, RC_BUILDS_ALONE),
    .k_max = RC_CUDA_CHUNKED_K_MAX,
    .build = build,
    .own = own,
    .fit = fit,
    .run = run,
};
