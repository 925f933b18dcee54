/* Device functions of gchunk-col: those of gchunk.cuh for column-major operands, and the copy of
 * B in rows. */
#include "device/cuda/types.cuh"
#include "kernels/spmm/cuda/gchunk.cuh"

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

} // namespace rc

extern "C" const void *rc_cuda_gchunk_copy_entry(rc_precision_t precision)
{
    return rc::pick<rc::any>(precision,
        [&](auto t) { return reinterpret_cast<const void *>(rc::copy_rows<RC_VALUE(t)>); });
}

extern "C" const void *rc_cuda_gchunk_col_entry(rc_gchunk_form_t form, rc_precision_t precision,
    int64_t col_bytes, int width, int vectors, int batch)
{
    constexpr int COLUMNS = RC_GCHUNK_COLUMNS;
    constexpr int TRANSPOSED = RC_GCHUNK_TRANSPOSED;
    if (form == RC_GCHUNK_COLUMNS)
        return rc::pick<rc::any>(precision, [&](auto t) {
            return rc::pick_width<RC_SUM(t)>(width, [&](auto w) {
                return rc::chunks_entry<RC_VALUE(t), COLUMNS, RC_WIDTH(w)>(
                    col_bytes, vectors, batch);
            });
        });
    return rc::pick<rc::any>(precision, [&](auto t) {
        constexpr int WIDTH = 16 / sizeof(RC_VALUE(t));
        return width == WIDTH
                   ? rc::chunks_entry<RC_VALUE(t), TRANSPOSED, WIDTH>(col_bytes, vectors, batch)
                   : nullptr;
    });
}
