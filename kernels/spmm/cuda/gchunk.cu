/* Device functions of gchunk, see gchunk.cuh. */
#include "device/cuda/types.cuh"
#include "kernels/spmm/cuda/gchunk_walk.cuh"

extern "C" const void *rc_cuda_gchunk_entry(
    rc_precision_t precision, int64_t col_bytes, int width, int vectors, int batch)
{
    return rc::pick_wide<rc::any>(precision, width, [&](auto t, auto w) {
        return rc::chunks_entry<RC_VALUE(t), RC_GCHUNK_ROWS, RC_WIDTH(w)>(
            col_bytes, vectors, batch);
    });
}

extern "C" const void *rc_cuda_gchunk_walk_entry(
    rc_precision_t precision, int64_t col_bytes, int width, int batch, int longs)
{
    return rc::pick_wide<rc::any>(precision, width, [&](auto t, auto w) {
        return rc::walk_entry<RC_VALUE(t), RC_WIDTH(w)>(col_bytes, batch, longs);
    });
}
