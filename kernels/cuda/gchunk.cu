/* Device functions of gchunk, see gchunk.cuh. */
#include "kernels/cuda/gchunk.cuh"

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
