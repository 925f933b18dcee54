/* Row-major B and column-major C over chunks of entries: the second launch of gchunk-col with B
 * as it is.  Where loads of 16 bytes cannot read it, rows that can are copied first. */
#include "config.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "format/cuda/slots.h"
#include "kernels/cuda/members.h"
#include "kernels/spmm/cuda/rowmajor.h"
#include "kernels/spmm/cuda/transposed.h"

enum { PARAM_ENTRIES };

typedef struct gchunk_row_col {
    rc_cuda_chunked_t a;
    rc_cuda_chunked_launch_t launch;
    rc_cuda_rows_t rows;
} gchunk_row_col_t;

static rc_status_t analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    int64_t spare = rc_cuda_chunked_spare(p->precision);
    int64_t column = rc_cuda_rows_column_bytes(p);
    rc_status_t st = rc_cuda_chunked_analyse(p, p->param[PARAM_ENTRIES], spare, out, err);
    if (st == RC_OK) {
        out->bytes = rc_sat_add(out->bytes, rc_sat_mul(spare, column));
        out->bytes_per_column = rc_sat_add(out->bytes_per_column, column);
    }
    return st;
}

static rc_status_t fit(void *state, int64_t k, rc_err_t *err)
{
    (void)err;
    gchunk_row_col_t *s = state;
    s->a.base.p.k = k;
    s->a.args.columns = (int32_t)k;
    rc_cuda_transposed_choose(&s->a, &s->a.base.p, 0, &s->launch);
    (void)rc_cuda_rows_choose(&s->rows, &s->a.base.p);
    s->a.args.lanes = s->launch.lanes;
    s->a.args.tiles = s->launch.tiles;
    return RC_OK;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    return rc_cuda_chunked_build(state, p, analysis, 0, err);
}

static rc_status_t own(void *state, rc_err_t *err)
{
    gchunk_row_col_t *s = state;
    const rc_problem_t *p = &s->a.base.p;
    RC_PASS(rc_cuda_chunked_own(&s->a, rc_cuda_chunked_spare(p->precision), err));
    return rc_cuda_rows_keep(&s->a.base.memory, p, &s->rows, err);
}

/* Loads of 16 bytes read rows of B up to their end. */
static int is_readable(const rc_dense_t *b)
{
    size_t value = rc_precision_bytes(b->precision);
    int64_t width = RC_CUDA_VECTOR_BYTES / (int64_t)value;
    return b->cols % width == 0 && b->ld % width == 0 &&
           (uintptr_t)b->data % RC_CUDA_VECTOR_BYTES == 0;
}

static rc_status_t copy_rows(const gchunk_row_col_t *s, const rc_dense_t *b, rc_err_t *err)
{
    const rc_executor_t *x = s->a.base.memory.x;
    size_t value = s->a.base.value_bytes;
    if (b->rows == 0)
        return RC_OK;
    int before = rc_cuda_enter(x);
    rc_status_t st =
        rc_cuda_check(cudaMemcpy2DAsync(s->rows.copy.to, (size_t)s->rows.copy.ldto * value, b->data,
                          (size_t)b->ld * value, (size_t)b->cols * value, (size_t)b->rows,
                          cudaMemcpyDeviceToDevice, rc_cuda_stream(x)),
            "a copy of the rows of B", err);
    rc_cuda_leave(x, before);
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const gchunk_row_col_t *s = state;
    rc_gchunk_args_t args = s->a.args;
    rc_cuda_launch_t of = s->launch.of;
    RC_PASS(rc_cuda_leading(o, &args.ldb, &args.ldc, err));
    args.b = o->in[0].data;
    args.c = o->out.data;
    args.scalars = rc_cuda_scalars(alpha, beta);
    if (!is_readable(&o->in[0])) {
        RC_PASS(copy_rows(s, &o->in[0], err));
        args.b = s->rows.copy.to;
        args.ldb = (uint32_t)s->rows.copy.ldto;
        of.alone = 1; /* with a copy it may not overlap */
    }
    return rc_cuda_launch_overlapping(
        s->a.base.memory.x, &of, &args, "launch of gchunk-brow-ccol", err);
}

const rc_kernel_t rc_kernel_gchunk_row_col = {
    .name = "gchunk-brow-ccol",
    .summary = "row-major B, column-major C: rows in chunks of a fixed number of entries",
    .source = "rowcast",
    .version = 1,
    .layout = RC_ROW_COL,
    .format = "chunks",
    .rank = {{1, 2, 2}},
    .param = {{"entries", "entries of a chunk", .type = RC_PARAM_CHOICE,
        .choices = rc_cuda_chunked_entries}},
    .analyse = analyse,
    RC_CUDA_SPMM_MEMBERS(gchunk_row_col_t),
    .k_max = RC_CUDA_CHUNKED_K_MAX,
    .build = build,
    .own = own,
    .fit = fit,
    .run = run,
};
