#include "dropin/pattern.h"
#include "dropin/launch.cuh"
#include "device/cuda/overlap.cuh"
#include "device/cuda/types.cuh"

namespace
{

enum {
    THREADS = 256,
    WARP = 32,
    PIECE = 256,   /* numbers that one sum is of */
    VALUES = 4,    /* by a thread */
    SUMMING = 1024 /* CTAs that sum a pattern, at most */
};

/* Bits of a number and of its place, well mixed: two multiplications of splitmix64's finaliser. */
__device__ uint64_t mixed(uint64_t place, uint64_t number)
{
    uint64_t x = number + place * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Sum of what a lane has of a piece.  Its loads are under way at once. */
template <typename T>
__device__ uint64_t sum_of(const T *__restrict__ at, int64_t n, uint64_t seed, int64_t piece)
{
    const int64_t first = piece * PIECE + threadIdx.x % WARP;
    T number[PIECE / WARP];
    uint64_t sum = 0;
#pragma unroll
    for (int u = 0; u < PIECE / WARP; u++)
        number[u] = first + u * WARP < n ? at[first + u * WARP] : 0;
#pragma unroll
    for (int u = 0; u < PIECE / WARP; u++)
        if (first + u * WARP < n)
            sum += mixed(
                seed + first + u * WARP, static_cast<uint64_t>(static_cast<int64_t>(number[u])));
    return sum;
}

/* The sum of a warp, in its first lane. */
__device__ uint64_t of_warp(uint64_t sum)
{
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, lanes);
    return sum;
}

/* Arguments of begin_kernel. */
template <typename P, typename I> struct pattern_args {
    const P *row_ptr;
    const I *col_idx;
    int64_t rows;
    int64_t nnz;
    int64_t of_columns; /* pieces */
    int64_t pieces;     /* in all */
    rc_pattern_t *pattern;
    uint64_t *differs;
    volatile uint64_t *heard_equal;
    volatile uint64_t *heard_differs;
    uint64_t number;
    int told;
};

/* The outcome of a piece, by one lane. */
template <typename P, typename I>
__device__ void conclude(const pattern_args<P, I> &x, int64_t piece, uint64_t sum)
{
    if (x.number == 0) {
        x.pattern->expected[piece] = sum;
        return;
    }
    if (sum != x.pattern->expected[piece]) {
        *static_cast<volatile uint64_t *>(x.differs) = x.number;
        *x.heard_differs = x.number;
    }
    if (!x.told)
        return;
    __threadfence();
    if (atomicAdd(&x.pattern->arrived, 1u) != x.pieces - 1)
        return;
    x.pattern->arrived = 0;
    __threadfence();
    if (*static_cast<volatile uint64_t *>(x.differs) != x.number)
        *x.heard_equal = x.number;
}

/* A piece by a warp. */
template <typename P, typename I> __device__ void check(const pattern_args<P, I> &x, int64_t piece)
{
    if (piece >= x.pieces)
        return;
    uint64_t sum = piece < x.of_columns
                       ? sum_of(x.col_idx, x.nnz, 0, piece)
                       : sum_of(x.row_ptr, x.rows + 1, uint64_t{1} << 40, piece - x.of_columns);
    sum = of_warp(sum);
    if (threadIdx.x % WARP == 0)
        conclude(x, piece, sum);
}

/* Bits of values by their places. */
template <typename T> struct values_args {
    T *to;
    const int32_t *place;
    const T *from;
    int64_t count;
};

template <typename T> __device__ void put(const values_args<T> &v, int64_t block)
{
    const int64_t first = block * (THREADS * VALUES) + threadIdx.x;
    int32_t at[VALUES];
    T x[VALUES];
#pragma unroll
    for (int u = 0; u < VALUES; u++)
        at[u] = first + u * THREADS < v.count ? v.place[first + u * THREADS] : 0;
#pragma unroll
    for (int u = 0; u < VALUES; u++)
        x[u] = at[u] > 0 ? v.from[at[u] - 1] : 0;
#pragma unroll
    for (int u = 0; u < VALUES; u++)
        if (first + u * THREADS < v.count)
            v.to[first + u * THREADS] = x[u];
}

/* The first CTAs put values, the others check. */
template <typename T, typename P, typename I>
__global__ void __launch_bounds__(THREADS)
    begin_kernel(const values_args<T> v, const pattern_args<P, I> x, unsigned putting)
{
    if (blockIdx.x < putting)
        put(v, blockIdx.x);
    else
        check(x, (blockIdx.x - putting) * int64_t{THREADS / WARP} + threadIdx.x / WARP);
}

/* Arguments of sum_kernel. */
template <typename P, typename I> struct sum_args {
    const P *row_ptr;
    const I *col_idx;
    int64_t rows;
    int64_t nnz;
    int64_t of_columns; /* pieces */
    int64_t pieces;     /* in all */
    unsigned long long *words;
    rc_heard_t *heard;
};

/* A warp has put what it found into the words, by one of its lanes; the last one tells the host. */
__device__ void tell(unsigned long long *words, rc_heard_t *heard)
{
    const unsigned long long warps = gridDim.x * static_cast<unsigned long long>(THREADS / WARP);
    __threadfence();
    if (atomicAdd(&words[2], 1ull) != warps - 1)
        return;
    __threadfence();
    heard->columns = atomicAdd(&words[0], 0ull);
    heard->pointers = atomicAdd(&words[1], 0ull);
    __threadfence_system();
    heard->summed = 1;
}

template <typename P, typename I>
__global__ void __launch_bounds__(THREADS) sum_kernel(const sum_args<P, I> x)
{
    const int64_t step = gridDim.x * int64_t{THREADS / WARP};
    uint64_t columns = 0;
    uint64_t pointers = 0;
    for (int64_t piece = blockIdx.x * int64_t{THREADS / WARP} + threadIdx.x / WARP;
         piece < x.pieces; piece += step) {
        if (piece < x.of_columns)
            columns += sum_of(x.col_idx, x.nnz, 0, piece);
        else
            pointers += sum_of(x.row_ptr, x.rows + 1, 0, piece - x.of_columns);
    }
    columns = of_warp(columns);
    pointers = of_warp(pointers);
    if (threadIdx.x % WARP == 0) {
        atomicAdd(&x.words[0], static_cast<unsigned long long>(columns));
        atomicAdd(&x.words[1], static_cast<unsigned long long>(pointers));
        tell(x.words, x.heard);
    }
}

template <typename P>
__global__ void __launch_bounds__(THREADS)
    longest_kernel(const P *row_ptr, int64_t rows, unsigned long long *words, rc_heard_t *heard)
{
    const int64_t step = gridDim.x * int64_t{THREADS};
    unsigned long long longest = 0;
    for (int64_t r = blockIdx.x * int64_t{THREADS} + threadIdx.x; r < rows; r += step) {
        const int64_t length = row_ptr[r + 1] - row_ptr[r];
        if (length > 0 && static_cast<unsigned long long>(length) > longest)
            longest = static_cast<unsigned long long>(length);
    }
    __syncwarp();
    for (int lanes = WARP / 2; lanes > 0; lanes /= 2) {
        const unsigned long long other = __shfl_down_sync(0xffffffffu, longest, lanes);
        longest = other > longest ? other : longest;
    }
    if (threadIdx.x % WARP == 0) {
        atomicMax(&words[0], longest);
        tell(words, heard);
    }
}

__global__ void between_kernel()
{
    rc::wait_for_previous();
}

/* Arguments of copy_kernel. */
template <typename P, typename I> struct copy_args {
    const P *row_ptr;
    const I *col_idx;
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int64_t *to_ptr;
    int32_t *to_idx;
};

template <typename P, typename I> __global__ void copy_kernel(const copy_args<P, I> x)
{
    const int64_t step = gridDim.x * static_cast<int64_t>(blockDim.x);
    const int64_t first = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    for (int64_t i = first; i < x.nnz; i += step) {
        const int64_t c = x.col_idx[i];
        x.to_idx[i] = c >= 0 && c < x.cols ? static_cast<int32_t>(c) : -1;
    }
    for (int64_t i = first; i <= x.rows; i += step)
        x.to_ptr[i] = x.row_ptr[i];
}

/* Arguments of product_kernel; strides of B and C between rows and between columns. */
template <typename T, typename P, typename I> struct product_args {
    const P *row_ptr;
    const I *col_idx;
    const T *val;
    int64_t rows;
    int64_t k;
    rc::sum_of<T> alpha;
    const T *b;
    int64_t b_row;
    int64_t b_col;
    T *c;
    int64_t c_row;
    int64_t c_col;
    const volatile uint64_t *differs;
    uint64_t number;
    bool c_sums; /* c is of sums */
};

/* A thread for each value of C; threads side by side store side by side.  Sums of 16 bits are of
 * fp32, and rounded once where C is not, as those of a plan. */
template <typename T, typename P, typename I>
__global__ void product_kernel(const product_args<T, P, I> x)
{
    /* the check ended before the kernel before this one began; C is that one's until it has
     * ended */
    const bool same = *x.differs != x.number;
    rc::wait_for_previous();
    if (same)
        return;
    const int64_t step = gridDim.x * static_cast<int64_t>(blockDim.x);
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < x.rows * x.k;
         i += step) {
        const int64_t r = x.c_col == 1 ? i / x.k : i % x.rows;
        const int64_t j = x.c_col == 1 ? i % x.k : i / x.rows;
        rc::sum_of<T> sum = 0;
        for (int64_t e = x.row_ptr[r]; e < static_cast<int64_t>(x.row_ptr[r + 1]); e++)
            sum += static_cast<rc::sum_of<T>>(x.val[e]) *
                   static_cast<rc::sum_of<T>>(
                       x.b[static_cast<int64_t>(x.col_idx[e]) * x.b_row + j * x.b_col]);
        const int64_t at = r * x.c_row + j * x.c_col;
        if (sizeof(T) < sizeof(sum) && x.c_sums)
            reinterpret_cast<rc::sum_of<T> *>(x.c)[at] = x.alpha * sum;
        else
            x.c[at] = static_cast<T>(x.alpha * sum);
    }
}

template <typename T, typename P, typename I>
void product(const rc_asked_t *p, const rc_pattern_t *pattern, uint64_t number, int blocks,
    int overlaps, cudaStream_t stream)
{
    const bool b_rows = p->layout == RC_ROW_MAJOR || p->layout == RC_ROW_COL;
    const bool c_rows = p->layout == RC_ROW_MAJOR || p->layout == RC_COL_ROW;
    const product_args<T, P, I> x = {static_cast<const P *>(p->a.row_ptr),
        static_cast<const I *>(p->a.col_idx), static_cast<const T *>(p->a.val), p->a.rows, p->k,
        static_cast<rc::sum_of<T>>(p->alpha), static_cast<const T *>(p->b), b_rows ? p->ldb : 1,
        b_rows ? 1 : p->ldb, static_cast<T *>(p->c), c_rows ? p->ldc : 1, c_rows ? 1 : p->ldc,
        &pattern->differs, number, p->c_sums != 0};
    rc::launch_over(product_kernel<T, P, I>, blocks, THREADS, overlaps, stream, x);
}

int copy_blocks(int64_t n)
{
    const int64_t blocks = rc::pieces_of(n, 4 * THREADS);
    return blocks < 1 ? 1 : blocks > 4096 ? 4096 : static_cast<int>(blocks);
}

template <typename T, typename P, typename I>
void begin(const rc_sparse_view_t *a, const rc_plan_places_t *values, rc_pattern_t *pattern,
    rc_heard_t *heard, const rc_pattern_ask_t *ask, cudaStream_t stream)
{
    values_args<T> v = {};
    if (values)
        v = {static_cast<T *>(values->to), static_cast<const int32_t *>(values->place),
            static_cast<const T *>(a->val), values->count};
    const pattern_args<P, I> x = {static_cast<const P *>(a->row_ptr),
        static_cast<const I *>(a->col_idx), a->rows, a->nnz, rc::pieces_of(a->nnz, PIECE),
        ask->check ? rc_pattern_pieces(a) : 0, pattern,
        ask->other ? &pattern->other_differs : &pattern->differs,
        ask->other ? &heard->other_equal : &heard->equal,
        ask->other ? &heard->other_differs : &heard->differs, ask->number, ask->told};
    const int64_t putting = rc::pieces_of(v.count, THREADS * VALUES);
    const int64_t blocks = putting + rc::pieces_of(x.pieces, THREADS / WARP);
    if (blocks > 0)
        begin_kernel<T, P, I><<<static_cast<unsigned>(blocks), THREADS, 0, stream>>>(
            v, x, static_cast<unsigned>(putting));
}

} // namespace

cudaError_t rc_pattern_copy(
    const rc_sparse_view_t *a, int64_t *row_ptr, int32_t *col_idx, cudaStream_t stream)
{
    rc::with_types(a, [&](auto p, auto i) {
        const copy_args<decltype(p), decltype(i)> x = {static_cast<const decltype(p) *>(a->row_ptr),
            static_cast<const decltype(i) *>(a->col_idx), a->rows, a->cols, a->nnz, row_ptr,
            col_idx};
        copy_kernel<<<copy_blocks(a->nnz + a->rows), THREADS, 0, stream>>>(x);
    });
    return cudaGetLastError();
}

cudaError_t rc_pattern_sum(
    const rc_sparse_view_t *a, uint64_t *words, rc_heard_t *heard, cudaStream_t stream)
{
    static_assert(sizeof(uint64_t) == sizeof(unsigned long long), "atomicAdd knows this one");
    const int64_t pieces = rc_pattern_pieces(a);
    const int64_t wanted = rc::pieces_of(pieces, THREADS / WARP);
    const unsigned blocks = static_cast<unsigned>(wanted < SUMMING ? wanted : int64_t{SUMMING});
    rc::with_types(a, [&](auto p, auto i) {
        const sum_args<decltype(p), decltype(i)> x = {static_cast<const decltype(p) *>(a->row_ptr),
            static_cast<const decltype(i) *>(a->col_idx), a->rows, a->nnz,
            rc::pieces_of(a->nnz, PIECE), pieces, reinterpret_cast<unsigned long long *>(words),
            heard};
        sum_kernel<<<blocks, THREADS, 0, stream>>>(x);
    });
    return cudaGetLastError();
}

cudaError_t rc_pattern_longest(
    const rc_sparse_view_t *a, uint64_t *words, rc_heard_t *heard, cudaStream_t stream)
{
    const int64_t wanted = rc::pieces_of(a->rows, THREADS);
    const unsigned blocks = static_cast<unsigned>(wanted < SUMMING ? wanted : int64_t{SUMMING});
    rc::with_types(a, [&](auto p, auto) {
        longest_kernel<<<blocks, THREADS, 0, stream>>>(static_cast<const decltype(p) *>(a->row_ptr),
            a->rows, reinterpret_cast<unsigned long long *>(words), heard);
    });
    return cudaGetLastError();
}

int64_t rc_pattern_pieces(const rc_sparse_view_t *a)
{
    return rc::pieces_of(a->nnz, PIECE) + rc::pieces_of(a->rows + 1, PIECE);
}

cudaError_t rc_pattern_begin(const rc_sparse_view_t *a, const rc_plan_places_t *values,
    rc_pattern_t *pattern, rc_heard_t *heard, const rc_pattern_ask_t *ask, cudaStream_t stream)
{
    rc::with_types(a, [&](auto p, auto i) {
        rc::pick<rc::reals>(a->precision, [&](auto t) {
            begin<rc::word<RC_VALUE(t)>, decltype(p), decltype(i)>(
                a, values, pattern, heard, ask, stream);
        });
    });
    return cudaGetLastError();
}

cudaError_t rc_pattern_between(int overlaps, cudaStream_t stream)
{
    rc::launch_over(between_kernel, 1, 1, overlaps, stream);
    return cudaGetLastError();
}

cudaError_t rc_pattern_product(const rc_asked_t *p, const rc_pattern_t *pattern, uint64_t number,
    int blocks, int overlaps, cudaStream_t stream)
{
    rc::with_types(&p->a, [&](auto ptr, auto idx) {
        rc::pick<rc::reals>(p->a.precision, [&](auto t) {
            product<RC_VALUE(t), decltype(ptr), decltype(idx)>(
                p, pattern, number, blocks, overlaps, stream);
        });
    });
    return cudaGetLastError();
}
