#include "config.h"
#include "kernels/spmm/cuda/row_launch.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "device/cuda/ranges.h"

enum {
    STRIP = 16, /* vectors of a row of B that CTAs take at a time where it is large */
    LARGE = 16, /* times the L2, from which strips gain more than reading A again costs */
    GRID_Y_MAX = 65535,
    WARPS_PER_SM = 64 /* that fewer rows per warp should leave busy */
};

/* Vectors per lane when the user leaves it open: two where rows are wide and there are enough. */
static int64_t vectors_for(const rc_executor_t *x, const rc_row_ask_t *a, int64_t pieces)
{
    int64_t warps = a->slots * rc_ceil_div(pieces, 2 * (int64_t)RC_ROW_LANES);
    return pieces > RC_ROW_LANES && warps >= (int64_t)WARPS_PER_SM * rc_cuda_sms(x) ? 2 : 1;
}

/* Lanes of a row when the user leaves them open: those of a strip of B that the L2 keeps until
 * neighbouring rows have used it; other strips come later in the grid. */
static int64_t lanes_for(const rc_executor_t *x, const rc_row_ask_t *a, int width)
{
    int64_t value = (int64_t)rc_precision_bytes(a->precision);
    int64_t row = rc_sat_mul(a->k, value);
    int64_t loads = RC_CUDA_VECTOR_BYTES / (width * value); /* of a vector */
    int64_t strip = a->strip;
    if (strip == 0 && a->vectors == 0 && rc_sat_mul(a->cols, row) / LARGE > rc_cuda_l2_bytes(x))
        strip = STRIP;
    return strip > 0 && strip * loads < RC_ROW_LANES ? strip * loads : RC_ROW_LANES;
}

static void choose_launch(
    const rc_executor_t *x, const rc_row_ask_t *a, int width, rc_row_launch_t *l)
{
    if (a->k % width != 0 ||
        (size_t)width * rc_precision_bytes(a->precision) > RC_CUDA_VECTOR_BYTES)
        return;
    int64_t pieces = a->k / width; /* of a row */
    int64_t vectors = a->vectors;
    l->lanes = (int32_t)lanes_for(x, a, width);
    if (vectors == 0)
        vectors = l->lanes < RC_ROW_LANES ? 1 : vectors_for(x, a, pieces);
    if (vectors > 1)
        l->lanes = RC_ROW_LANES;
    while (vectors == 1 && l->lanes / 2 >= pieces)
        l->lanes /= 2;
    l->entry = rc_cuda_growmajor_entry(a->precision, a->wide, width, (int)vectors);
    l->tiles = (int32_t)rc_ceil_div(pieces, l->lanes * vectors);
    l->ctas = (unsigned)rc_ceil_div(a->slots, RC_ROWS_THREADS / l->lanes);
}

void rc_row_launches(const rc_executor_t *x, const rc_row_ask_t *ask, rc_row_launch_t *out)
{
    for (int i = 0; i < RC_CUDA_WIDTHS; i++) {
        out[i] = (rc_row_launch_t){0};
        choose_launch(x, ask, 1 << i, &out[i]);
    }
}

rc_status_t rc_row_run(const rc_executor_t *x, const rc_row_launch_t *list,
    const rc_rowmajor_args_t *args, const rc_operands_t *o, rc_cuda_scalars_t scalars,
    rc_err_t *err)
{
    size_t value = rc_precision_bytes(o->in[0].precision);
    rc_rowmajor_args_t a = *args;
    int i = RC_CUDA_WIDTHS - 1;
    while (i > 0 && (!list[i].entry || !rc_cuda_aligned(o, value << i)))
        i--;
    const rc_row_launch_t *l = &list[i];
    if (l->ctas == 0)
        return RC_OK;
    RC_PASS(rc_cuda_leading(o, &a.ldb, &a.ldc, err));
    a.b = o->in[0].data;
    a.c = o->out.data;
    a.lanes = l->lanes;
    a.tiles = l->tiles;
    a.scalars = scalars;
    unsigned tiles = (unsigned)(l->tiles < GRID_Y_MAX ? l->tiles : GRID_Y_MAX);
    void *list_of_args[] = {&a};
    return rc_cuda_check(cudaLaunchKernel(l->entry, (dim3){l->ctas, tiles, 1},
                             (dim3){RC_ROWS_THREADS, 1, 1}, list_of_args, 0, rc_cuda_stream(x)),
        "launch of growmajor", err);
}
