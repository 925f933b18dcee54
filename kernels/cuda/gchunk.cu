/* Device functions of gchunk, see gchunk.cuh. */
#include "kernels/cuda/gchunk_walk.cuh"

extern "C" const void *rc_cuda_gchunk_entry(
    rc_precision_t precision, int64_t col_bytes, int width, int vectors, int batch)
{
    constexpr int FORM = RC_GCHUNK_ROWS;
    if (precision == RC_FP64)
        return width == 1   ? rc::chunks_entry<double, FORM, 1>(col_bytes, vectors, batch)
               : width == 2 ? rc::chunks_entry<double, FORM, 2>(col_bytes, vectors, batch)
                            : nullptr;
    return width == 1   ? rc::chunks_entry<float, FORM, 1>(col_bytes, vectors, batch)
           : width == 2 ? rc::chunks_entry<float, FORM, 2>(col_bytes, vectors, batch)
           : width == 4 ? rc::chunks_entry<float, FORM, 4>(col_bytes, vectors, batch)
                        : nullptr;
}

extern "C" const void *rc_cuda_gchunk_walk_entry(
    rc_precision_t precision, int64_t col_bytes, int width, int batch, int longs)
{
    if (precision == RC_FP64)
        return width == 1   ? rc::walk_entry<double, 1>(col_bytes, batch, longs)
               : width == 2 ? rc::walk_entry<double, 2>(col_bytes, batch, longs)
                            : nullptr;
    return width == 1   ? rc::walk_entry<float, 1>(col_bytes, batch, longs)
           : width == 2 ? rc::walk_entry<float, 2>(col_bytes, batch, longs)
           : width == 4 ? rc::walk_entry<float, 4>(col_bytes, batch, longs)
                        : nullptr;
}
