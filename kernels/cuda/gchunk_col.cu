/* Device functions of gchunk-col: those of gchunk.cuh for column-major operands, and the copy of B in
 * rows. */
#include "kernels/cuda/gchunk.cuh"

namespace rc
{

/* A thread has a piece of 16 bytes of a row of the copy.  The threads of a warp have up to four
 * neighbouring pieces of 8 rows or more: a column of B is read, and a row of the copy written, in
 * whole sectors of 32 bytes. */
template <typename T> __global__ void copy_rows(const rc_gchunk_copy_t a)
{
    constexpr int WIDTH = 16 / static_cast<int>(sizeof(T));
    const unsigned side = static_cast<unsigned>(a.side);
    const int64_t row = static_cast<int64_t>(blockIdx.x) * (blockDim.x / side) + threadIdx.x / side;
    const int32_t pieces = a.ldto / WIDTH;
    wait_for_previous();
    launch_next(); /* not earlier: what the kernel before read of the copy may still be in L1 */
    if (row >= a.rows)
        return;
    const T *from = static_cast<const T *>(a.from) + row;
    T *to = static_cast<T *>(a.to) + row * a.ldto;
    for (int32_t i = blockIdx.y * side + threadIdx.x % side; i < pieces; i += gridDim.y * side) {
        packed<T, WIDTH> x;
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            x.value[w] = i * WIDTH + w < a.columns
                             ? __ldg(from + static_cast<int64_t>(i * WIDTH + w) * a.ld)
                             : T(0);
        *reinterpret_cast<decltype(x.vector) *>(to + i * WIDTH) = x.vector;
    }
}

template <int FORM>
const void *form_entry(
    rc_precision_t precision, int64_t col_bytes, int width, int vectors, int batch)
{
    if (precision == RC_FP64)
        return width == 2 ? chunks_entry<double, FORM, 2>(col_bytes, vectors, batch) : nullptr;
    return width == 4 ? chunks_entry<float, FORM, 4>(col_bytes, vectors, batch) : nullptr;
}

} // namespace rc

extern "C" const void *rc_cuda_gchunk_copy_entry(rc_precision_t precision)
{
    return precision == RC_FP64 ? reinterpret_cast<const void *>(rc::copy_rows<double>)
                                : reinterpret_cast<const void *>(rc::copy_rows<float>);
}

extern "C" const void *rc_cuda_gchunk_col_entry(rc_gchunk_form_t form, rc_precision_t precision,
    int64_t col_bytes, int width, int vectors, int batch)
{
    constexpr int COLUMNS = RC_GCHUNK_COLUMNS;
    if (form == RC_GCHUNK_TRANSPOSED)
        return rc::form_entry<RC_GCHUNK_TRANSPOSED>(precision, col_bytes, width, vectors, batch);
    if (width == 1)
        return precision == RC_FP64
                   ? rc::chunks_entry<double, COLUMNS, 1>(col_bytes, vectors, batch)
                   : rc::chunks_entry<float, COLUMNS, 1>(col_bytes, vectors, batch);
    if (width == 2 && precision == RC_FP32)
        return rc::chunks_entry<float, COLUMNS, 2>(col_bytes, vectors, batch);
    return rc::form_entry<COLUMNS>(precision, col_bytes, width, vectors, batch);
}
