/* Device functions of gmma.  A warp has 16 rows of C and a strip of 8 * WIDTH columns; a tile of A
 * is matrix A of mma.m16n8k16, 8 values a lane.  Lane 4 g + t loads columns g * WIDTH and following
 * of the four rows of B that its values meet, 4 t to 4 t + 3 of the tile.  Column j of those of
 * each lane g makes the j-th matrix B, so that what is loaded is what is multiplied: two
 * neighbouring rows are packed into registers, and shared memory is not needed.  Of C a lane then
 * has columns 2 t WIDTH and following of rows g and g + 8, 2 * WIDTH that stand together. */
#include "kernels/spmm/cuda/mma/gmma.h"
#include "device/cuda/types.cuh"
#include "device/cuda/vector.cuh"
#include "format/mma.h"

#include <cstdint>

namespace rc
{

constexpr int LANES = 32;
constexpr int LOADS = 4; /* rows of B that a lane loads of a tile */

/* Values of one row of B, as words of two. */
template <int WIDTH> struct pairs {
    uint32_t word[WIDTH / 2];
};

__device__ __forceinline__ void multiply(
    float (&c)[4], const uint4 &a, uint32_t b0, uint32_t b1, __half)
{
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
#endif
}

__device__ __forceinline__ void multiply(
    float (&c)[4], const uint4 &a, uint32_t b0, uint32_t b1, __nv_bfloat16)
{
#if __CUDA_ARCH__ >= 800
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
#endif
}

/* Columns from `from` on: all of them at once, or those that there are one by one. */
template <int WIDTH, bool WHOLE>
__device__ __forceinline__ pairs<WIDTH> load_pairs(const uint16_t *from, int32_t left)
{
    pairs<WIDTH> p;
#pragma unroll
    for (int w = 0; w < WIDTH / 2; w++)
        p.word[w] = 0;
    if constexpr (WHOLE && WIDTH == 8) {
        if (left > 0) {
            const uint4 v = __ldg(reinterpret_cast<const uint4 *>(from));
            p.word[0] = v.x, p.word[1] = v.y, p.word[2] = v.z, p.word[3] = v.w;
        }
    } else if constexpr (WHOLE && WIDTH == 4) {
        if (left > 0) {
            const uint2 v = __ldg(reinterpret_cast<const uint2 *>(from));
            p.word[0] = v.x, p.word[1] = v.y;
        }
    } else if constexpr (WHOLE) {
        if (left > 0)
            p.word[0] = __ldg(reinterpret_cast<const uint32_t *>(from));
    } else {
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            if (w < left)
                p.word[w / 2] |= static_cast<uint32_t>(__ldg(from + w)) << w % 2 * 16;
    }
    return p;
}

/* The low or high halves of two words: column j of two rows. */
__device__ __forceinline__ uint32_t column_of(uint32_t first, uint32_t second, int j)
{
    return __byte_perm(first, second, j % 2 ? 0x7632 : 0x5410);
}

/* One tile: sum[j] is C of matrix j. */
template <typename T, int WIDTH>
__device__ __forceinline__ void multiply_tile(
    float (&sum)[WIDTH][4], const uint4 &a, const pairs<WIDTH> (&b)[LOADS])
{
#pragma unroll
    for (int j = 0; j < WIDTH; j++)
        multiply(sum[j], a, column_of(b[0].word[j / 2], b[1].word[j / 2], j),
            column_of(b[2].word[j / 2], b[3].word[j / 2], j), T());
}

/* Columns of a row of C that a lane has, WIDTH of them: number c & 1 of each matrix. */
template <typename T, int WIDTH, bool WHOLE>
__device__ __forceinline__ void store_columns(
    T *to, const float (&sum)[WIDTH][4], int c, int32_t left, const rc_cuda_scalars_t &s)
{
    constexpr int PIECE = WIDTH < 4 ? WIDTH : 4; /* as the sums are vectors of 16 bytes */
    if constexpr (WHOLE) {
#pragma unroll
        for (int at = 0; at < WIDTH; at += PIECE) {
            packed<float, PIECE> piece;
#pragma unroll
            for (int w = 0; w < PIECE; w++)
                piece.value[w] = sum[at + w][c];
            if (left > 0)
                store_vector<T, PIECE>(to + at, piece, s);
        }
    } else {
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            if (w < left)
                store(to + w, sum[w][c], s);
    }
}

/* Both runs of a lane of a row of C. */
template <typename T, int WIDTH, bool WHOLE>
__device__ __forceinline__ void store_row(
    const rc_gmma_args_t &a, int32_t slot, int32_t column, const float (&sum)[WIDTH][4], int half)
{
    if (slot >= a.slots)
        return;
    const int32_t row = a.row ? __ldg(a.row + slot) : slot;
    if (row < 0)
        return;
    T *to = static_cast<T *>(a.c) + line_at(row, a.ldc) + column;
    store_columns<T, WIDTH, WHOLE>(to, sum, 2 * half, a.k - column, a.scalars);
    store_columns<T, WIDTH, WHOLE>(to + WIDTH, sum, 2 * half + 1, a.k - column - WIDTH, a.scalars);
}

template <typename T, int WIDTH, bool WHOLE>
__global__ void __launch_bounds__(RC_GMMA_THREADS) mma_panels(const rc_gmma_args_t a)
{
    const int lane = threadIdx.x % LANES;
    const int g = lane / 4;
    const int t = lane % 4;
    const int64_t warp =
        static_cast<int64_t>(blockIdx.x) * (RC_GMMA_THREADS / LANES) + threadIdx.x / LANES;
    const int32_t panel = static_cast<int32_t>(warp / a.strips);
    const int32_t base = static_cast<int32_t>(warp % a.strips) * (RC_GMMA_LANES * WIDTH);
    if (panel >= a.panels)
        return;
    const int32_t begin = __ldg(a.ptr + panel);
    const int32_t end = __ldg(a.ptr + panel + 1);
    const int4 *col = reinterpret_cast<const int4 *>(a.col) + t;
    const uint4 *val = static_cast<const uint4 *>(a.val) + lane;
    const int32_t column = base + g * WIDTH;
    const uint16_t *b = static_cast<const uint16_t *>(a.b) + column;
    const int32_t left = a.k - column;
    float sum[WIDTH][4];
#pragma unroll
    for (int j = 0; j < WIDTH; j++)
#pragma unroll
        for (int i = 0; i < 4; i++)
            sum[j][i] = 0;
    int4 next = {0, 0, 0, 0};
    if (begin < end)
        next = __ldg(col + static_cast<int64_t>(begin) * (RC_MMA_COLS / 4));
#pragma unroll 1
    for (int32_t tile = begin; tile < end; tile++) {
        const int4 c = next;
        const pairs<WIDTH> rows[LOADS] = {load_pairs<WIDTH, WHOLE>(b + line_at(c.x, a.ldb), left),
            load_pairs<WIDTH, WHOLE>(b + line_at(c.y, a.ldb), left),
            load_pairs<WIDTH, WHOLE>(b + line_at(c.z, a.ldb), left),
            load_pairs<WIDTH, WHOLE>(b + line_at(c.w, a.ldb), left)};
        const uint4 values = __ldg(val + static_cast<int64_t>(tile) * LANES);
        if (tile + 1 < end)
            next = __ldg(col + static_cast<int64_t>(tile + 1) * (RC_MMA_COLS / 4));
        multiply_tile<T, WIDTH>(sum, values, rows);
    }
    const int32_t first = base + 2 * t * WIDTH;
    store_row<T, WIDTH, WHOLE>(a, panel * RC_MMA_ROWS + g, first, sum, 0);
    store_row<T, WIDTH, WHOLE>(a, panel * RC_MMA_ROWS + g + 8, first, sum, 1);
}

template <typename T> const void *mma_entry(int width, int whole)
{
    switch (width) {
    case 2:
        return whole ? reinterpret_cast<const void *>(mma_panels<T, 2, true>)
                     : reinterpret_cast<const void *>(mma_panels<T, 2, false>);
    case 4:
        return whole ? reinterpret_cast<const void *>(mma_panels<T, 4, true>)
                     : reinterpret_cast<const void *>(mma_panels<T, 4, false>);
    case 8:
        return whole ? reinterpret_cast<const void *>(mma_panels<T, 8, true>)
                     : reinterpret_cast<const void *>(mma_panels<T, 8, false>);
    default:
        return nullptr;
    }
}

} // namespace rc

extern "C" const void *rc_cuda_gmma_entry(rc_precision_t precision, int width, int whole)
{
    return rc::pick<rc::shorts>(
        precision, [&](auto t) { return rc::mma_entry<RC_VALUE(t)>(width, whole); });
}
