#include "config.h"
#include "kernels/spmm/cuda/transposed.h"
#include "base/error.h"
#include "device/cuda/ranges.h"
#include "kernels/spmm/cuda/rowmajor.h"

enum {
    TILE = 64,         /* columns of a tile of B in rows */
    VECTORS_TILE = 64, /* of so many columns in fp32 a lane has two vectors */
    COPY_THREADS = 128,
    COPY_SIDE = 4,
    COPY_GRID_Y_MAX = 65535
};

/* Values of a load. */
static int width_of(rc_precision_t precision)
{
    return RC_CUDA_VECTOR_BYTES / (int)rc_precision_bytes(precision);
}

/* -------------------------------------------------------------- rows of B */

int64_t rc_cuda_rows_column_bytes(const rc_problem_t *p)
{
    return rc_sat_mul(p->a->cols, (int64_t)rc_precision_bytes(p->precision));
}

rc_status_t rc_cuda_rows_keep(
    rc_memory_t *m, const rc_problem_t *p, rc_cuda_rows_t *out, rc_err_t *err)
{
    int64_t columns = p->k + rc_cuda_chunked_spare(p->precision);
    *out = (rc_cuda_rows_t){0};
    return rc_memory_keep(
        m, NULL, (size_t)rc_sat_mul(columns, rc_cuda_rows_column_bytes(p)), &out->copy.to, err);
}

int64_t rc_cuda_rows_choose(rc_cuda_rows_t *rows, const rc_problem_t *p)
{
    rc_gchunk_copy_t *copy = &rows->copy;
    int width = width_of(p->precision);
    int64_t pieces = rc_ceil_div(p->k, width);
    copy->rows = p->a->cols;
    copy->columns = (int32_t)p->k;
    copy->ldto = (int32_t)(pieces * width);
    copy->side = COPY_SIDE;
    while (copy->side > 1 && copy->side / 2 >= pieces)
        copy->side /= 2;
    int64_t of_ctas = rc_ceil_div(pieces, copy->side);
    rows->launch = (rc_cuda_launch_t){.entry = rc_cuda_gchunk_copy_entry(p->precision),
        .threads = COPY_THREADS,
        .ctas = (unsigned)rc_ceil_div(copy->rows, COPY_THREADS / copy->side),
        .rows = (unsigned)(of_ctas < COPY_GRID_Y_MAX ? of_ctas : COPY_GRID_Y_MAX)};
    return copy->ldto;
}

rc_status_t rc_cuda_rows_copy(const rc_executor_t *x, const rc_cuda_rows_t *rows,
    const rc_dense_t *b, uint32_t ld, rc_err_t *err)
{
    rc_gchunk_copy_t copy = rows->copy;
    copy.from = b->data;
    copy.ld = ld;
    return rc_cuda_launch_overlapping(
        x, &rows->launch, &copy, "launch of a copy of B in rows", err);
}

/* ------------------------------------------------------------ into columns */

void rc_cuda_transposed_choose(
    rc_cuda_chunked_t *s, const rc_problem_t *p, int tile, rc_cuda_chunked_launch_t *out)
{
    int width = width_of(p->precision);
    int most = tile > 0 ? tile : TILE;
    int vectors = most >= VECTORS_TILE && p->k >= VECTORS_TILE && s->base.value_bytes <= 4 ? 2 : 1;
    int64_t pieces = rc_ceil_div(p->k, width);
    rc_cuda_chunked_launch_t *l = out;
    *l = (rc_cuda_chunked_launch_t){.lanes = 1};
    while (l->lanes < RC_GCHUNK_LANES_MAX && (int64_t)l->lanes * vectors < pieces &&
           l->lanes * width * vectors < most)
        l->lanes *= 2;
    l->of.entry = rc_cuda_gchunk_col_entry(RC_GCHUNK_TRANSPOSED, p->precision, s->size.col_bytes,
        width, vectors, rc_cuda_chunked_batch(s, vectors));
    rc_cuda_chunked_place(s, pieces, width, vectors, l);
    l->of.shared += (size_t)(l->lanes * width * vectors) * s->base.sum_bytes;
    s->args.k = (int32_t)(pieces * width);
}
