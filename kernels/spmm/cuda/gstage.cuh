/* Device functions of gstage.  A CTA takes a block of rows and a strip of columns: it copies the
 * rows of B that the block needs and the block's part of A into shared memory, all at once, and
 * multiplies from there.  Copies of one CTA overlap with the sums of others.  A group of lanes
 * takes the pieces of the block in turn; each lane holds 16 bytes of B, and the sums of as many
 * values for every row of a piece.  Sums have a fixed order: two runs give the same bits. */
#ifndef RC_KERNELS_SPMM_CUDA_GSTAGE_CUH
#define RC_KERNELS_SPMM_CUDA_GSTAGE_CUH

#include "kernels/spmm/cuda/gstage.h"
#include "device/cuda/overlap.cuh"
#include "device/cuda/types.cuh"
#include "format/cuda/parts.cuh"

namespace rc
{
namespace stage
{

enum { BATCH = RC_STAGES_BATCH, VECTOR_BYTES = 16, THREADS = RC_GSTAGE_THREADS, WARP = 32 };

const uint32_t ALL = 0xffffffff; /* lanes of a warp */

template <typename T_, int ROWS_, int LANES_, int WIDTH_> struct shape {
    typedef T_ T;
    typedef sum_of<T> sum_t;
    enum {
        ROWS = ROWS_,
        LANES = LANES_,
        WIDTH = WIDTH_,
        HELD = VECTOR_BYTES / sizeof(T), /* columns of a lane */
        STRIP = LANES * HELD,
        VECTORS = HELD / WIDTH,
        GROUPS = THREADS / LANES,
        PIECES = STRIP / WIDTH, /* of a row of B that are copied at once */
        SIDE = PIECES < WARP ? PIECES : static_cast<int>(WARP),
        LINES = THREADS / SIDE, /* rows of B */
        /* values of A that are loaded at once */
        A_HELD = HELD < static_cast<int>(BATCH) ? HELD : static_cast<int>(BATCH),
        A_VECTORS = BATCH / A_HELD, /* of a batch and row */
        PARTS_BYTES = RC_GSTAGE_PARTS_BYTES(HELD * sizeof(sum_t))
    };
    typedef packed<T, HELD> vector_t;
    typedef packed<T, A_HELD> a_vector_t;
    typedef packed<sum_t, HELD> held_t;
    typedef sums<sum_t, WIDTH, VECTORS> sums_t;
};

template <int BYTES> struct piece; /* of a copy through registers */
template <> struct piece<16> {
    typedef uint4 type;
};
template <> struct piece<8> {
    typedef uint2 type;
};
template <> struct piece<4> {
    typedef uint32_t type;
};
template <> struct piece<2> {
    typedef uint16_t type;
};

template <int BYTES> __device__ __forceinline__ void copy_through(void *to, const void *from)
{
    typedef typename piece<BYTES>::type piece_t;
    *static_cast<piece_t *>(to) = __ldg(static_cast<const piece_t *>(from));
}

/* Copy BYTES of global to shared memory, without waiting.  Through registers: 2 bytes, and all
 * before compute capability 8.0, which has no such copies. */
template <int BYTES> __device__ __forceinline__ void copy(void *to, const void *from)
{
#if __CUDA_ARCH__ >= 800
    if constexpr (BYTES == 2) {
        copy_through<BYTES>(to, from);
        return;
    }
    const uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(to));
    if (BYTES == 16)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    else if (BYTES == 8)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(at), "l"(from) : "memory");
    else
        asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
#else
    copy_through<BYTES>(to, from);
#endif
}

__device__ __forceinline__ void wait_for_copies()
{
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
    __syncthreads();
}

/* The block of a CTA, and where its parts are in shared memory. */
template <typename S> struct block {
    rc_stages_block_t of;
    int32_t number;
    int32_t strip;

    __device__ __forceinline__ explicit block(const rc_gstage_args_t &a)
        : number(blockIdx.x / a.near), strip(a.strip + blockIdx.y * a.near + blockIdx.x % a.near)
    {
        const int4 *from = reinterpret_cast<const int4 *>(a.block + number);
        const int4 x = __ldg(from);
        const int4 y = __ldg(from + 1);
        of.unit = x.x;
        of.units = x.y;
        of.batch = x.z;
        of.batches = x.w;
        of.lines = y.x;
        of.pieces = y.y;
        of.parts = y.z;
        of.columns = y.w;
    }

    /* Row number 0 is zero. */
    __device__ __forceinline__ uint4 *lines() const
    {
        extern __shared__ uint4 memory[];
        return memory;
    }

    __device__ __forceinline__ uint4 *units() const
    {
        enum { LEAST = S::PARTS_BYTES / VECTOR_BYTES };
        const int32_t n = (1 + of.lines) * S::LANES;
        return lines() + (n > LEAST ? n : LEAST);
    }

    __device__ __forceinline__ typename S::a_vector_t *values() const
    {
        return reinterpret_cast<typename S::a_vector_t *>(units() + of.units);
    }

    __device__ __forceinline__ int32_t value_vectors() const
    {
        return of.batches * S::ROWS * S::A_VECTORS;
    }

    __device__ __forceinline__ const int32_t *piece(int32_t i) const
    {
        return reinterpret_cast<const int32_t *>(units()) + i * (1 + S::ROWS);
    }

    __device__ __forceinline__ const uint2 *columns() const
    {
        return reinterpret_cast<const uint2 *>(
            reinterpret_cast<const unsigned char *>(units()) + of.columns);
    }
};

/* Where the columns of a strip begin.  The last strip is moved back to be full, and stores only
 * what is its own. */
template <typename S> __device__ __forceinline__ int32_t first_column(int32_t k, int32_t strip)
{
    const int32_t begin = strip * S::STRIP;
    return begin + S::STRIP <= k || k < S::STRIP ? begin : k - S::STRIP;
}

/* The columns of C that a lane stores. */
template <typename S> __device__ __forceinline__ place place_in(int32_t k, int32_t strip)
{
    place at;
    at.lane = threadIdx.x % S::LANES;
    at.lanes = S::LANES;
    at.far = S::LANES * S::WIDTH;
    at.j = first_column<S>(k, strip) + at.lane * S::WIDTH;
    at.begin = strip * S::STRIP;
    at.end = k;
    return at;
}

template <typename V> __device__ __forceinline__ void copy_all(V *to, const V *from, int32_t n)
{
#pragma unroll 4
    for (int32_t i = threadIdx.x; i < n; i += THREADS)
        copy<static_cast<int>(sizeof(V))>(to + i, from + i);
}

/* The block's part of A, and the row of zeros. */
template <typename S>
__device__ __forceinline__ void copy_matrix(const rc_gstage_args_t &a, const block<S> &mine)
{
    typedef typename S::a_vector_t vector;
    const vector *val = static_cast<const vector *>(a.val) +
                        static_cast<uint64_t>(mine.of.batch) * (S::ROWS * S::A_VECTORS);
    copy_all(mine.units(), static_cast<const uint4 *>(a.unit) + mine.of.unit, mine.of.units);
    copy_all(mine.values(), val, mine.value_vectors());
    if (threadIdx.x < S::LANES)
        mine.lines()[threadIdx.x] = make_uint4(0, 0, 0, 0);
}

/* Numbers of the N columns that a thread copies, from line `begin` on; -1: there is none. */
template <typename S, int N>
__device__ __forceinline__ void load_columns(
    const rc_gstage_args_t &a, const block<S> &mine, int32_t begin, int32_t *column)
{
    const int32_t *from = a.line + static_cast<uint64_t>(mine.number) * a.most;
#pragma unroll
    for (int i = 0; i < N; i++) {
        const int32_t line = begin + i * S::LINES + static_cast<int32_t>(threadIdx.x) / S::SIDE;
        column[i] = line < a.most ? __ldg(from + line) : -1;
    }
}

/* Neighbouring lanes copy neighbouring values of B; where K has no such column, the first one. */
template <typename S, int N>
__device__ __forceinline__ void copy_lines(
    const rc_gstage_args_t &a, const block<S> &mine, int32_t begin, const int32_t *column)
{
    typedef typename S::T T;
    const int32_t lane = threadIdx.x % S::SIDE;
    const int32_t j = first_column<S>(a.k, mine.strip) + lane * S::WIDTH;
    const T *b = static_cast<const T *>(a.b);
    T *to = reinterpret_cast<T *>(mine.lines()) + (1 + begin + threadIdx.x / S::SIDE) * S::STRIP +
            lane * S::WIDTH;
#pragma unroll
    for (int i = 0; i < N; i++) {
        if (column[i] < 0)
            continue;
        const T *from = b + line_at(column[i], a.ldb);
#pragma unroll
        for (int v = 0; v < S::STRIP; v += S::SIDE * S::WIDTH)
            copy<S::WIDTH *static_cast<int>(sizeof(T))>(
                to + i * (S::LINES * S::STRIP) + v, from + (j + v < a.k ? j + v : 0));
    }
}

/* What one batch adds to the sums of a piece. */
template <typename S>
__device__ __forceinline__ void multiply(const typename S::T *b, uint2 columns,
    const typename S::a_vector_t *val, typename S::held_t *sum)
{
    typedef typename S::sum_t sum_t;
    typename S::vector_t m[BATCH];
    typename S::a_vector_t v[S::ROWS][S::A_VECTORS];
    const uint32_t number[BATCH] = {
        columns.x & 0xffff, columns.x >> 16, columns.y & 0xffff, columns.y >> 16};
#pragma unroll
    for (int u = 0; u < BATCH; u++)
        m[u].vector =
            reinterpret_cast<const typename S::vector_t *>(b + number[u] * S::STRIP)->vector;
#pragma unroll
    for (int r = 0; r < S::ROWS; r++)
#pragma unroll
        for (int i = 0; i < S::A_VECTORS; i++)
            v[r][i].vector = val[r * S::A_VECTORS + i].vector;
#pragma unroll
    for (int u = 0; u < BATCH; u++)
#pragma unroll
        for (int r = 0; r < S::ROWS; r++)
#pragma unroll
            for (int h = 0; h < S::HELD; h++) {
                const sum_t x = static_cast<sum_t>(v[r][u / S::A_HELD].value[u % S::A_HELD]);
                sum[r].value[h] = fma(x, static_cast<sum_t>(m[u].value[h]), sum[r].value[h]);
            }
}

/* value[i] becomes that of (i + by) % N.  (No index that is not a constant: registers have
 * none.) */
template <typename V, int N> __device__ __forceinline__ void rotate(V *value, int by)
{
#pragma unroll
    for (int bit = 1; bit < N; bit *= 2) {
        V old[N];
#pragma unroll
        for (int i = 0; i < N; i++)
            old[i] = value[i];
#pragma unroll
        for (int i = 0; i < N; i++)
            value[i] = by & bit ? old[(i + bit) % N] : old[i];
    }
}

/* The sums of a group in the vectors that its lanes store: a lane holds neighbouring columns,
 * and stores such that neighbouring lanes store neighbouring ones.  By all lanes of the group:
 * in round r a lane gives the vector that one other needs, and takes one that it needs itself. */
template <typename S>
__device__ __forceinline__ typename S::sums_t in_widths(const typename S::held_t &sum)
{
    enum { N = S::VECTORS, FAR = S::LANES / N };
    typedef packed<typename S::sum_t, S::WIDTH> vector;
    const int lane = threadIdx.x % S::LANES;
    const uint32_t group = (ALL >> (WARP - S::LANES)) << (threadIdx.x % WARP / S::LANES * S::LANES);
    typename S::sums_t x;
    vector v[N];
#pragma unroll
    for (int h = 0; h < S::HELD; h++)
        v[h / S::WIDTH].value[h % S::WIDTH] = sum.value[h];
    if (N > 1) {
        rotate<vector, N>(v, lane / FAR);
#pragma unroll
        for (int r = 0; r < N; r++)
#pragma unroll
            for (int w = 0; w < S::WIDTH; w++)
                v[r].value[w] = __shfl_sync(
                    group, v[r].value[w], (lane % N - r + N) % N * FAR + lane / N, S::LANES);
        rotate<vector, N>(v, lane % N);
    }
#pragma unroll
    for (int i = 0; i < N; i++)
        x.part[i] = v[(N - i) % N];
    return x;
}

template <typename S>
__device__ __forceinline__ void store_row(
    const rc_gstage_args_t &a, int32_t row, const place &at, const typename S::sums_t &sum)
{
    store_sums(static_cast<typename S::T *>(a.c) + line_at(row, a.ldc), at, sum, a.scalars);
}

/* All pieces of a group. */
template <typename S>
__device__ __forceinline__ void walk(
    const rc_gstage_args_t &a, const block<S> &mine, const place &at)
{
    typedef typename S::T T;
    enum { VECTORS = S::ROWS * S::A_VECTORS }; /* of the values of a batch */
    const T *b = reinterpret_cast<const T *>(mine.lines()) + at.lane * S::HELD;
    const uint2 *columns = mine.columns();
    const typename S::a_vector_t *val = mine.values();
#pragma unroll 1
    for (int32_t i = threadIdx.x / S::LANES; i < mine.of.pieces; i += S::GROUPS) {
        const int32_t *piece = mine.piece(i);
        const uint32_t range = static_cast<uint32_t>(piece[0]);
        const uint32_t begin = range & 0xffff;
        const uint32_t end = begin + (range >> 16);
        typename S::held_t sum[S::ROWS];
#pragma unroll
        for (int r = 0; r < S::ROWS; r++)
#pragma unroll
            for (int h = 0; h < S::HELD; h++)
                sum[r].value[h] = 0;
#pragma unroll 2
        for (uint32_t n = begin; n < end; n++)
            multiply<S>(b, columns[n], val + n * VECTORS, sum);
#pragma unroll
        for (int r = 0; r < S::ROWS; r++) {
            const int32_t row = piece[1 + r];
            if (row == -1)
                continue;
            const typename S::sums_t x = in_widths<S>(sum[r]);
            if (row >= 0)
                store_row<S>(a, row, at, x);
            else if (r == 0)
                put_part(a.parts, a.k, -2 - row, at, x);
        }
    }
}

/* Add the parts of a long row of few, by a group: in the order of add_parts, to which groups
 * without a part add nothing. */
template <typename S>
__device__ __forceinline__ void add_few(
    const rc_gstage_args_t &a, int32_t number, int32_t strip, const place &at)
{
    const rc_long_row_t l = a.parts.lengthy[number];
    typename S::sums_t sum;
    sum.clear();
#pragma unroll 2
    for (int32_t n = 0; n < l.parts; n++)
        sum.add(load_part<typename S::sum_t, S::WIDTH, S::VECTORS>(a.parts, a.k, l.first + n, at));
    store_row<S>(a, l.row, at, sum);
    depart(a.parts, a.k, number, strip, at);
}

/* Add the parts of a long row: each group some of them, and then the first one the sums of the
 * groups.  By the whole CTA. */
template <typename S>
__device__ __forceinline__ void add_parts(const rc_gstage_args_t &a, int32_t number, int32_t strip,
    const place &at, typename S::sums_t *shared)
{
    enum { AHEAD = 2 }; /* parts on their way */
    const int32_t group = threadIdx.x / S::LANES;
    const rc_long_row_t l = a.parts.lengthy[number];
    typename S::sums_t sum;
    sum.clear();
#pragma unroll 1
    for (int32_t n = group; n < l.parts; n += AHEAD * S::GROUPS) {
        const int32_t other = n + S::GROUPS < l.parts ? n + S::GROUPS : n;
        const typename S::sums_t x =
            load_part<typename S::sum_t, S::WIDTH, S::VECTORS>(a.parts, a.k, l.first + n, at);
        const typename S::sums_t y =
            load_part<typename S::sum_t, S::WIDTH, S::VECTORS>(a.parts, a.k, l.first + other, at);
        sum.add(x);
        if (other != n)
            sum.add(y);
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
    if (group == 0) {
#pragma unroll 1
        for (int32_t g = 1; g < S::GROUPS; g++)
            sum.add(shared[threadIdx.x + g * S::LANES]);
        store_row<S>(a, l.row, at, sum);
        depart(a.parts, a.k, number, strip, at);
    }
    __syncthreads();
}

/* After the CTA has put its parts where the others are: add those of the long rows of which they
 * were the last.  The rows of B in shared memory are not needed any more. */
template <typename S> __device__ __noinline__ void finish_parts(const rc_gstage_args_t &a)
{
    enum { FEW = 8 }; /* parts, of which groups add one row each */
    const block<S> mine(a);
    const place at = place_in<S>(a.k, mine.strip);
    typename S::sums_t *shared = reinterpret_cast<typename S::sums_t *>(mine.lines());
    int32_t *number = reinterpret_cast<int32_t *>(shared + THREADS);
#pragma unroll 1
    for (int32_t begin = 0; begin < mine.of.pieces; begin += THREADS) {
        const int32_t i = begin + static_cast<int32_t>(threadIdx.x);
        const int32_t row = i < mine.of.pieces ? mine.piece(i)[1] : -1;
        __threadfence();
        __syncthreads();
        number[threadIdx.x] = row < -1 ? arrive(a.parts, a.k, -2 - row, mine.strip) : -1;
        __threadfence();
        __syncthreads();
        const int32_t left = mine.of.pieces - begin;
        const int32_t count = left < THREADS ? left : THREADS;
#pragma unroll 1
        for (int32_t n = threadIdx.x / S::LANES; n < count; n += S::GROUPS)
            if (number[n] >= 0 && a.parts.lengthy[number[n]].parts <= FEW)
                add_few<S>(a, number[n], mine.strip, at);
#pragma unroll 1
        for (int32_t n = 0; n < count; n++)
            if (number[n] >= 0 && a.parts.lengthy[number[n]].parts > FEW)
                add_parts<S>(a, number[n], mine.strip, at, shared);
        __syncthreads();
    }
}

template <typename S>
__global__ void __launch_bounds__(THREADS, RC_GSTAGE_CTAS)
    stages(const __grid_constant__ rc_gstage_args_t a)
{
    enum { AHEAD = 8, STEP = AHEAD * S::LINES }; /* columns that a thread loads at once */
    int32_t column[AHEAD];
    launch_next();
    const block<S> mine(a);
    load_columns<S, AHEAD>(a, mine, 0, column);
    copy_matrix<S>(a, mine);
    wait_for_previous();
    if (mine.strip >= a.strips)
        return;
    copy_lines<S, AHEAD>(a, mine, 0, column);
#pragma unroll 1
    for (int32_t begin = STEP; begin < mine.of.lines; begin += STEP) {
        load_columns<S, AHEAD>(a, mine, begin, column);
        copy_lines<S, AHEAD>(a, mine, begin, column);
    }
    wait_for_copies();
    walk<S>(a, mine, place_in<S>(a.k, mine.strip));
    if (mine.of.parts > 0)
        finish_parts<S>(a);
}

/* ------------------------------------------------------------------ choice */

template <typename T, int ROWS, int LANES> const void *entry_of(const rc_gstage_instance_t *of)
{
    return pick_width<T>(of->width, [](auto w) {
        return reinterpret_cast<const void *>(stages<shape<T, ROWS, LANES, RC_WIDTH(w)>>);
    });
}

template <typename T, int ROWS> const void *entry_of(const rc_gstage_instance_t *of)
{
    return of->lanes == 8    ? entry_of<T, ROWS, 8>(of)
           : of->lanes == 16 ? entry_of<T, ROWS, 16>(of)
                             : nullptr;
}

template <typename T> const void *entry_of(const rc_gstage_instance_t *of)
{
    return of->rows == 1   ? entry_of<T, 1>(of)
           : of->rows == 2 ? entry_of<T, 2>(of)
           : of->rows == 3 ? entry_of<T, 3>(of)
           : of->rows == 4 ? entry_of<T, 4>(of)
                           : nullptr;
}

} // namespace stage
} // namespace rc

#endif
