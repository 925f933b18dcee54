/* Row-major B and column-major C over chunks of entries: the second launch of gchunk-col with B as it is.  Where loads of
 * 16 bytes cannot read it, rows that can are copied first. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "format/cuda/slots.h"
#include "kernels/kernel.h"
#include "kernels/spmm/cuda/rowmajor.h"
#include "kernels/spmm/cuda/transposed.h"

#include <stdlib.h>

enum { PARAM_ENTRIES };

typedef struct gchunk_row_col {
    rc_cuda_chunked_t a;
    rc_problem_t p;
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

static void release(void *state)
{
    gchunk_row_col_t *s = state;
    if (!s)
        return;
    rc_cuda_memory_free(&s->a.memory);
    free(s);
}

/* For K columns. */
static void choose_launches(gchunk_row_col_t *s, int64_t k)
{
    s->p.k = k;
    s->a.args.columns = (int32_t)k;
    rc_cuda_transposed_choose(&s->a, &s->p, 0, &s->launch);
    (void)rc_cuda_rows_choose(&s->rows, &s->p);
    s->a.args.lanes = s->launch.lanes;
    s->a.args.tiles = s->launch.tiles;
}

static rc_status_t share(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void *of, void **state, rc_err_t *err)
{
    gchunk_row_col_t *from = of;
    gchunk_row_col_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    rc_status_t st = rc_cuda_chunked_build(x, p, analysis, rc_cuda_chunked_spare(p->precision), 0,
        from ? &from->a : NULL, &s->a, err);
    if (st == RC_OK)
        st = rc_cuda_rows_keep(&s->a.memory, p, &s->rows, err);
    if (st < 0) {
        release(s);
        return st;
    }
    s->p = *p;
    choose_launches(s, p->k);
    *state = s;
    return RC_OK;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return share(x, p, analysis, NULL, state, err);
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
    const rc_executor_t *x = s->a.memory.x;
    size_t value = s->a.value_bytes;
    if (b->rows == 0)
        return RC_OK;
    int before = rc_cuda_enter(x);
    rc_status_t st = rc_cuda_check(
        cudaMemcpy2DAsync(s->rows.copy.to, (size_t)s->rows.copy.ldto * value, b->data,
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
    gchunk_row_col_t narrow;
    if (o->in[0].cols != s->p.k) {
        narrow = *s;
        choose_launches(&narrow, o->in[0].cols);
        s = &narrow;
    }
    rc_gchunk_args_t args = s->a.args;
    int overlaps = s->a.overlaps;
    rc_status_t st;
    RC_TRY(rc_cuda_leading(o, &args.ldb, &args.ldc, err));
    args.b = o->in[0].data;
    args.c = o->out.data;
    args.scalars = rc_cuda_scalars(alpha, beta);
    if (!is_readable(&o->in[0])) {
        RC_TRY(copy_rows(s, &o->in[0], err));
        args.b = s->rows.copy.to;
        args.ldb = (uint32_t)s->rows.copy.ldto;
        overlaps = 0; /* with a copy it may not */
    }
    st = rc_cuda_launch_overlapping(
        s->a.memory.x, &s->launch.of, overlaps, &args, "launch of gchunk-brow-ccol", err);
done:
    return st;
}

static int64_t values(void *state, void **array)
{
    const gchunk_row_col_t *s = state;
    return rc_cuda_chunked_values(&s->a, array);
}

const rc_kernel_t rc_kernel_gchunk_row_col = {
    .name = "gchunk-brow-ccol",
    .summary = "row-major B, column-major C: rows in chunks of a fixed number of entries",
    .source = "rowcast",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMM,
    .layout = RC_ROW_COL,
    .format = "chunks",
    .rank = {{1, 2, 2}},
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .builds = 1,
    .any_k = 1,
    .deterministic = rc_kernel_always,
    .param = {{"entries", "entries of a chunk", .type = RC_PARAM_CHOICE,
        .choices = rc_cuda_chunked_entries}},
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .share = share,
    .run = run,
    .release = release,
    .values = values,
};
