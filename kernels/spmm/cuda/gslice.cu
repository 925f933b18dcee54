/* Device functions of gslice.  In the first form a CTA keeps a strip of columns of B in shared
 * memory, row by row, so that an entry of A costs one load from there, whatever its column; a
 * lane has a row, so that the entries of 32 rows are loaded at once and a column of C is stored
 * in pieces.  The warps of a CTA take slices as they come; the lanes of a warp share a long
 * row.  No sums are added with atomics, and those of a row have one order: two runs give the
 * same bits.  In the second form, at the end, a strip is loaded from B itself. */
#include "kernels/spmm/cuda/gslice.h"
#include "device/cuda/load.cuh"
#include "device/cuda/overlap.cuh"
#include "device/cuda/store.cuh"
#include "device/cuda/types.cuh"

namespace rc
{

/* Values of a row of the strip are loaded from shared memory in pieces of up to 16 bytes. */
template <typename T, int STRIP>
struct alignas(STRIP * sizeof(T) < 16 ? STRIP * sizeof(T) : 16) strip_row {
    T value[STRIP];
};

__device__ __forceinline__ int32_t load_column(const uint16_t *p)
{
    uint16_t x;
    asm("ld.global.nc.L1::evict_first.u16 %0, [%1];" : "=h"(x) : "l"(p));
    return x;
}

__device__ __forceinline__ int32_t load_column(const int32_t *p)
{
    return load_once(p);
}

/* The strip of B, and a row of zeros for padding.  The loads of several rows are on their way at
 * once. */
template <typename T, int STRIP>
__device__ __forceinline__ void load_strip(
    const rc_gslice_args_t &a, int64_t j, strip_row<T, STRIP> *strip)
{
    constexpr int VALUES = 64 / static_cast<int>(sizeof(sum_of<T>)); /* that registers hold */
    constexpr int ROWS = STRIP < VALUES ? (VALUES / STRIP < 8 ? VALUES / STRIP : 8) : 1;
    const T *b = static_cast<const T *>(a.b);
    for (int32_t i = threadIdx.x; i <= a.cols; i += ROWS * blockDim.x) {
        strip_row<T, STRIP> x[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
#pragma unroll
            for (int w = 0; w < STRIP; w++) {
                const int32_t at = i + r * static_cast<int32_t>(blockDim.x);
                x[r].value[w] = at < a.cols && j + w < a.k ? __ldg(b + (j + w) * a.ldb + at) : T(0);
            }
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            if (i + r * static_cast<int32_t>(blockDim.x) <= a.cols)
                strip[i + r * blockDim.x] = x[r];
    }
}

template <typename T, int STRIP>
__device__ __forceinline__ void add_entry(T v, const strip_row<T, STRIP> &x, sum_of<T> *sum)
{
    typedef sum_of<T> S;
#pragma unroll
    for (int w = 0; w < STRIP; w++)
        sum[w] = fma(static_cast<S>(v), static_cast<S>(x.value[w]), sum[w]);
}

template <typename T, int STRIP>
__device__ __forceinline__ void store_sums(
    const rc_gslice_args_t &a, int32_t row, int64_t j, const sum_of<T> *sum)
{
    T *c = static_cast<T *>(a.c) + row;
#pragma unroll
    for (int w = 0; w < STRIP; w++)
        if (j + w < a.k)
            store(c + (j + w) * a.ldc, sum[w], a.scalars);
}

/* Rows of the strip where they are: in shared memory, or in B, whose columns 32 lanes read side
 * by side where neighbouring rows have neighbouring columns. */
template <typename T, int STRIP> struct in_shared {
    static constexpr int AT_ONCE = 4; /* entries of a lane */
    const strip_row<T, STRIP> *strip;

    __device__ __forceinline__ strip_row<T, STRIP> at(int32_t col) const
    {
        return strip[col];
    }
};

/* \param[in] FULL  true: B has all columns of the strip */
template <typename T, int STRIP, bool FULL> struct in_columns {
    static constexpr int AT_ONCE = 1;
    const T *b;
    int64_t ld;
    int32_t cols;
    int32_t width;

    __device__ __forceinline__ in_columns(const rc_gslice_args_t &a, int64_t j)
        : b(static_cast<const T *>(a.b) + j * a.ldb), ld(a.ldb), cols(a.cols),
          width(static_cast<int32_t>(a.k - j))
    {
    }

    __device__ __forceinline__ strip_row<T, STRIP> at(int32_t col) const
    {
        strip_row<T, STRIP> x;
#pragma unroll
        for (int w = 0; w < STRIP; w++)
            x.value[w] = col < cols && (FULL || w < width) ? __ldg(b + w * ld + col) : T(0);
        return x;
    }
};

/* Where the entries of a slice are, and the row of a lane. */
struct slice {
    int32_t begin;
    int32_t end;
    int32_t row;

    /* One past the last has no entries. */
    __device__ __forceinline__ void load(const rc_gslice_args_t &a, int32_t i)
    {
        begin = end = 0;
        row = -1;
        if (i < a.slices) {
            begin = __ldg(a.ptr + i);
            end = __ldg(a.ptr + i + 1);
            row = __ldg(
                a.row + static_cast<int64_t>(i) * RC_GSLICE_ROWS + threadIdx.x % RC_GSLICE_ROWS);
        }
    }
};

/* Some entries of the row of a lane: fewer where the sums take many registers. */
template <typename T, typename C, int STRIP, int COUNT = (STRIP * sizeof(sum_of<T>) < 64 ? 4 : 2)>
struct piece {
    static constexpr int ENTRIES = COUNT;
    int32_t col[ENTRIES];
    T val[ENTRIES];

    __device__ __forceinline__ void load(const rc_gslice_args_t &a, int32_t from, int32_t end)
    {
#pragma unroll
        for (int u = 0; u < ENTRIES; u++) {
            const int64_t at =
                static_cast<int64_t>(from + u) * RC_GSLICE_ROWS + threadIdx.x % RC_GSLICE_ROWS;
            const bool has = from + u < end;
            col[u] = has ? load_column(static_cast<const C *>(a.col) + at) : a.cols;
            val[u] = has ? load_once(static_cast<const T *>(a.val) + at) : T(0);
        }
    }
};

/* What a warp has of A before it needs it: a piece of its slice, and where the next slice is. */
template <typename T, typename C, int STRIP> struct ahead {
    slice now;
    slice next;
    piece<T, C, STRIP> head;

    __device__ __forceinline__ void load(const rc_gslice_args_t &a, int32_t i, int32_t step)
    {
        now.load(a, i);
        next.load(a, i + step);
        head.load(a, now.begin, now.end);
    }
};

/* Slices differ in length: a warp takes a number when it begins one, for the slice after the
 * next. */
__device__ __forceinline__ int32_t take_number(int32_t *taken)
{
    return threadIdx.x % RC_GSLICE_ROWS == 0 ? atomicAdd(taken, 1) : 0;
}

/* The slice of a number that lane 0 took; a.slices: there is none. */
__device__ __forceinline__ int32_t slice_of(const rc_gslice_args_t &a, int32_t part, int32_t number)
{
    const int32_t n = __shfl_sync(~0u, number, 0);
    return n < (a.slices - part + a.split - 1) / a.split ? n * a.split + part : a.slices;
}

/* Slices of 32 rows by a warp: i, `then`, and those that it takes.  While a piece of a slice is
 * multiplied, the next one, of this slice or of the next, is on its way. */
template <typename T, typename C, int STRIP>
__device__ __forceinline__ void multiply_slices(const rc_gslice_args_t &a, int32_t i, int32_t then,
    int32_t part, int32_t *taken, int64_t j, ahead<T, C, STRIP> x, const strip_row<T, STRIP> *strip)
{
    sum_of<T> sum[STRIP];
#pragma unroll
    for (int w = 0; w < STRIP; w++)
        sum[w] = sum_of<T>(0);
    int32_t e = x.now.begin;
    int32_t number = take_number(taken);
#pragma unroll 1
    while (i < a.slices) {
        const piece<T, C, STRIP> head = x.head;
        const int32_t row = x.now.row;
        e += piece<T, C, STRIP>::ENTRIES;
        const bool last = e >= x.now.end;
        if (last) {
            x.now = x.next;
            e = x.now.begin;
            i = then;
            then = slice_of(a, part, number);
            number = take_number(taken);
            x.next.load(a, then);
        }
        x.head.load(a, e, x.now.end);
#pragma unroll
        for (int u = 0; u < piece<T, C, STRIP>::ENTRIES; u++)
            add_entry<T, STRIP>(head.val[u], strip[head.col[u]], sum);
        if (!last)
            continue;
        if (row >= 0)
            store_sums<T, STRIP>(a, row, j, sum);
#pragma unroll
        for (int w = 0; w < STRIP; w++)
            sum[w] = sum_of<T>(0);
    }
}

/* A long row by a warp: lane l takes its entries l, l + 32, ... */
template <typename T, typename C, int STRIP, typename SOURCE>
__device__ __forceinline__ void multiply_long(
    const rc_gslice_args_t &a, int32_t i, int64_t j, const SOURCE &strip)
{
    const int lane = threadIdx.x % RC_GSLICE_ROWS;
    const int64_t end = a.long_ptr[i + 1];
    const C *col = static_cast<const C *>(a.col);
    const T *val = static_cast<const T *>(a.val);
    sum_of<T> sum[STRIP];
#pragma unroll
    for (int w = 0; w < STRIP; w++)
        sum[w] = sum_of<T>(0);
#pragma unroll SOURCE::AT_ONCE
    for (int64_t e = a.long_ptr[i] + lane; e < end; e += RC_GSLICE_ROWS)
        add_entry<T, STRIP>(load_once(val + e), strip.at(load_column(col + e)), sum);
#pragma unroll
    for (int step = RC_GSLICE_ROWS / 2; step > 0; step /= 2)
#pragma unroll
        for (int w = 0; w < STRIP; w++)
            sum[w] += __shfl_down_sync(~0u, sum[w], step);
    if (lane == 0)
        store_sums<T, STRIP>(a, a.long_row[i], j, sum);
}

template <typename T, typename C, int STRIP>
__global__ void __launch_bounds__(RC_GSLICE_THREADS_MAX) slices(const rc_gslice_args_t a)
{
    extern __shared__ uint4 memory[];
    __shared__ int32_t taken; /* slices of the part */
    strip_row<T, STRIP> *strip = reinterpret_cast<strip_row<T, STRIP> *>(memory);
    const int32_t part = blockIdx.x % static_cast<unsigned>(a.split);
    const int64_t j = static_cast<int64_t>(blockIdx.x / static_cast<unsigned>(a.split)) * STRIP;
    const int32_t warps = blockDim.x / RC_GSLICE_ROWS;
    const int32_t warp = threadIdx.x / RC_GSLICE_ROWS;
    const int32_t first = warp * a.split + part;
    const int32_t step = warps * a.split;
    ahead<T, C, STRIP> x;
    launch_next();
    x.load(a, first, step);
    wait_for_previous();
    if (threadIdx.x == 0)
        taken = 2 * warps;
    load_strip<T, STRIP>(a, j, strip);
    __syncthreads();
    for (int32_t i = first; i < a.longs; i += step)
        multiply_long<T, C, STRIP>(a, i, j, in_shared<T, STRIP>{strip});
    multiply_slices<T, C, STRIP>(a, first, first + step, part, &taken, j, x, strip);
}

/* A slice, and long rows, of B as it is: a row of the strip is many loads, so that one at a time
 * will do. */
template <typename T, typename C, int STRIP, bool FULL>
__device__ __forceinline__ void multiply_columns(
    const rc_gslice_args_t &a, const slice &s, int32_t i, int32_t warps, int64_t j)
{
    const in_columns<T, STRIP, FULL> strip(a, j);
    sum_of<T> sum[STRIP];
#pragma unroll
    for (int w = 0; w < STRIP; w++)
        sum[w] = sum_of<T>(0);
    for (int32_t e = s.begin; e < s.end; e++) {
        piece<T, C, STRIP, 1> x;
        x.load(a, e, s.end);
        add_entry<T, STRIP>(x.val[0], strip.at(x.col[0]), sum);
    }
    if (s.row >= 0)
        store_sums<T, STRIP>(a, s.row, j, sum);
    for (int32_t l = i; l < a.longs; l += warps)
        multiply_long<T, C, STRIP>(a, l, j, strip);
}

/* As slices, of B as it is: a warp has a slice; the strips of the same rows are next to each
 * other in the grid, so that they find A in the L2. */
template <typename T, typename C, int STRIP>
__global__ void __launch_bounds__(RC_GSLICE_COLUMNS_THREADS, RC_GSLICE_COLUMNS_CTAS)
    columns(const rc_gslice_args_t a)
{
    const unsigned strips = static_cast<unsigned>((a.k + STRIP - 1) / STRIP);
    const int64_t j = static_cast<int64_t>(blockIdx.x % strips) * STRIP;
    const int32_t each = blockDim.x / RC_GSLICE_ROWS;
    const int32_t i = blockIdx.x / strips * each + threadIdx.x / RC_GSLICE_ROWS;
    const int32_t warps = gridDim.x / strips * each;
    slice s;
    launch_next();
    s.load(a, i);
    wait_for_previous();
    if (j + STRIP <= a.k)
        multiply_columns<T, C, STRIP, true>(a, s, i, warps, j);
    else
        multiply_columns<T, C, STRIP, false>(a, s, i, warps, j);
}

template <typename T, typename C, int STRIP = RC_GSLICE_STRIP_MAX>
const void *columns_entry(int strip)
{
    if constexpr (STRIP * sizeof(sum_of<T>) <= RC_GSLICE_STRIP_BYTES)
        if (strip == STRIP)
            return reinterpret_cast<const void *>(columns<T, C, STRIP>);
    if constexpr (STRIP > 1)
        return columns_entry<T, C, STRIP / 2>(strip);
    else
        return nullptr;
}

template <typename T, typename C, int STRIP = RC_GSLICE_STRIP_MAX>
const void *slices_entry(int strip)
{
    if constexpr (STRIP * sizeof(sum_of<T>) <= RC_GSLICE_STRIP_BYTES)
        if (strip == STRIP)
            return reinterpret_cast<const void *>(slices<T, C, STRIP>);
    if constexpr (STRIP > 1)
        return slices_entry<T, C, STRIP / 2>(strip);
    else
        return nullptr;
}

} // namespace rc

extern "C" const void *rc_cuda_gslice_columns_entry(
    rc_precision_t precision, int64_t col_bytes, int strip)
{
    return rc::pick<rc::any>(precision, [&](auto t) {
        return col_bytes == 2 ? rc::columns_entry<RC_VALUE(t), uint16_t>(strip)
                              : rc::columns_entry<RC_VALUE(t), int32_t>(strip);
    });
}

extern "C" const void *rc_cuda_gslice_entry(rc_precision_t precision, int64_t col_bytes, int strip)
{
    return rc::pick<rc::any>(precision, [&](auto t) {
        return col_bytes == 2 ? rc::slices_entry<RC_VALUE(t), uint16_t>(strip)
                              : rc::slices_entry<RC_VALUE(t), int32_t>(strip);
    });
}
