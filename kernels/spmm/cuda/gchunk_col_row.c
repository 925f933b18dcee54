/* Column-major B and row-major C: a first launch copies B into rows, as in gchunk-col, and gchunk multiplies. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/cuda/slots.h"
#include "kernels/kernel.h"
#include "kernels/spmm/cuda/rowmajor.h"
#include "kernels/spmm/cuda/transposed.h"

#include <stdlib.h>

extern const rc_kernel_t rc_kernel_gchunk;

typedef struct gchunk_col_row {
    rc_problem_t p;
    rc_cuda_memory_t memory;
    rc_cuda_rows_t rows;
    int overlaps;
    void *product; /* state of gchunk */
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

static void release(void *state)
{
    gchunk_col_row_t *s = state;
    if (!s)
        return;
    rc_kernel_gchunk.release(s->product);
    rc_cuda_memory_free(&s->memory);
    free(s);
}

static rc_status_t share(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void *of, void **state, rc_err_t *err)
{
    const gchunk_col_row_t *from = of;
    rc_status_t st;
    gchunk_col_row_t *s = rc_alloc0(1, sizeof *s, "kernel state", err);
    if (!s)
        return RC_ENOMEM;
    s->p = *p;
    s->memory.x = x;
    RC_TRY(rc_cuda_rows_keep(&s->memory, p, &s->rows, err));
    RC_TRY(rc_cuda_overlaps(x, &s->overlaps, err));
    st = from ? rc_kernel_gchunk.share(x, p, analysis, from->product, &s->product, err)
              : rc_kernel_gchunk.prepare(x, p, analysis, &s->product, err);
done:
    if (st < 0)
        release(s);
    else
        *state = s;
    return st;
}

static rc_status_t prepare(rc_executor_t *x, const rc_problem_t *p, const rc_analysis_t *analysis,
    void **state, rc_err_t *err)
{
    return share(x, p, analysis, NULL, state, err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const gchunk_col_row_t *s = state;
    rc_operands_t by_rows = *o;
    rc_dense_t *b = &by_rows.in[0];
    rc_cuda_rows_t rows = s->rows;
    rc_problem_t p = s->p;
    uint32_t ldb;
    uint32_t ldc;
    rc_status_t st;
    p.k = b->cols;
    RC_TRY(rc_cuda_leading(o, &ldb, &ldc, err));
    b->ld = rc_cuda_rows_choose(&rows, &p);
    b->data = rows.copy.to;
    b->layout = RC_ROW_MAJOR;
    RC_TRY(rc_cuda_rows_copy(s->memory.x, &rows, s->overlaps, &o->in[0], ldb, err));
    st = rc_kernel_gchunk.run(s->product, &by_rows, alpha, beta, err);
done:
    return st;
}

static int64_t values(void *state, void **array)
{
    const gchunk_col_row_t *s = state;
    return rc_kernel_gchunk.values(s->product, array);
}

const rc_kernel_t rc_kernel_gchunk_col_row = {
    .name = "gchunk-bcol-crow",
    .summary = "column-major B, row-major C: a copy of B in rows, then gchunk",
    .source = "rowcast",
    .version = 1,
    .device = RC_DEVICE_CUDA,
    .op = RC_OP_SPMM,
    .layout = RC_COL_ROW,
    .format = "chunks",
    .rank = {{1, 2, 2}},
    .c_orders = RC_STORES_ANY,
    .computes = 1,
    .builds = 1,
    .any_k = 1,
    .deterministic = rc_kernel_always,
    .param =
        {
            {"entries", "entries of a chunk", .type = RC_PARAM_CHOICE,
                .choices = rc_cuda_chunked_entries},
            {"vectors", "vectors of 16 bytes per lane and entry, 0: automatic", 0, 0,
                RC_GCHUNK_VECTORS_MAX, 1},
        },
    .analyse = analyse,
    .geometry = rc_cuda_geometry,
    .prepare = prepare,
    .share = share,
    .run = run,
    .release = release,
    .values = values,
};
