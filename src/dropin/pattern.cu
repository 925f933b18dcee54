#include "dropin/pattern.h"
#include "dropin/launch.cuh"
#include "dropin/pattern.cuh"
#include "dropin/scalars.cuh"
#include "device/cuda/overlap.cuh"
#include "device/cuda/types.cuh"

namespace
{

using namespace rc::pattern;

enum { VALUES = 4 }; /* by a thread */

/* Arguments of begin_kernel. */
template <typename P, typename I> struct pattern_args {
    const P *row_ptr;
    const I *col_idx;
    int64_t pointers;
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
                       : sum_of(x.row_ptr, x.pointers, uint64_t{1} << 40, piece - x.of_columns);
    sum = of_warp(sum);
    if (threadIdx.x % WARP == 0)
        conclude(x, piece, sum);
}

/* The last bit of a value, of complex ones the sign of the imaginary part. */
template <typename T> T last_bit()
{
    return static_cast<T>(T{1} << (8 * sizeof(T) - 1));
}

template <> uint4 last_bit()
{
    return {0, 0, 0, 0x80000000u};
}

template <typename T> __device__ __forceinline__ T flipped(T x, T bits)
{
    return x ^ bits;
}

__device__ __forceinline__ uint4 flipped(uint4 x, uint4 bits)
{
    return {x.x ^ bits.x, x.y ^ bits.y, x.z ^ bits.z, x.w ^ bits.w};
}

/* Bits of values by their places. */
template <typename T> struct values_args {
    T *to;
    const int32_t *place;
    const T *from;
    int64_t count;
    T flips; /* bits that become others */
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
        x[u] = at[u] > 0 ? flipped(v.from[at[u] - 1], v.flips) : T{};
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

__global__ void between_kernel()
{
    rc::wait_for_previous();
}

/* Where the values of C go, unless the check of that number found the pattern of the plan; strides
 * between rows and between columns. */
template <typename T> struct target {
    typedef rc::sum_of<T> S;
    int64_t rows;
    int64_t k;
    T *c;
    int64_t c_row;
    int64_t c_col;
    S *sums; /* that entries are added to: C, or memory of the plan */
    int64_t sums_row;
    int64_t sums_col;
    const volatile uint64_t *differs;
    uint64_t number;
    bool c_sums; /* c is of sums */

    /* The check ended before the kernel before this one began; C is that one's until it has
     * ended. */
    __device__ bool is_there() const
    {
        const bool same = *differs != number;
        rc::wait_for_previous();
        return same;
    }

    /* Sums of 16 bits are rounded once where C is not of sums, as those of a plan. */
    __device__ void store(int64_t r, int64_t j, S sum) const
    {
        const int64_t at = r * c_row + j * c_col;
        if (sizeof(T) < sizeof(S) && c_sums)
            reinterpret_cast<S *>(c)[at] = sum;
        else
            c[at] = static_cast<T>(sum);
    }

    /* f of row and column of each value of C; threads side by side store side by side. */
    template <typename F> __device__ void each(F f) const
    {
        const int64_t step = gridDim.x * static_cast<int64_t>(blockDim.x);
        for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < rows * k;
             i += step)
            c_col == 1 ? f(i / k, i % k) : f(i % rows, i / rows);
    }
};

/* What is multiplied: what is made again is rare, and its code need not be there for each width. */
template <typename T> struct factors {
    rc::pointers row_ptr;
    rc::pointers col_idx;
    const T *val;
    bool columns;   /* of pointers and rows; else rows and columns */
    int64_t majors; /* columns, or entries, whose entries are added */
    rc::factor_of<rc::sum_of<T>> alpha;
    const T *b;
    int64_t b_row;
    int64_t b_col;
    bool conjugated; /* values are */

    __device__ rc::sum_of<T> term(int64_t e, int64_t from, int64_t j) const
    {
        typedef rc::sum_of<T> S;
        return rc::as_read(static_cast<S>(val[e]), conjugated) *
               static_cast<S>(b[from * b_row + j * b_col]);
    }
};

/* CSR: a thread for each value of C. */
template <typename T> __global__ void product_kernel(const factors<T> x, const target<T> to)
{
    if (to.is_there())
        return;
    to.each([&](int64_t r, int64_t j) {
        rc::sum_of<T> sum(0);
        for (int64_t e = x.row_ptr[r]; e < x.row_ptr[r + 1]; e++)
            sum += x.term(e, x.col_idx[e], j);
        to.store(r, j, x.alpha * sum);
    });
}

/* Other forms: zeros, to which entries are added in any order. */
template <typename T> __global__ void clear_kernel(const target<T> to)
{
    if (to.is_there())
        return;
    to.each([&](int64_t r, int64_t j) {
        to.sums[r * to.sums_row + j * to.sums_col] = rc::sum_of<T>(0);
    });
}

/* A thread for a column of C and a column of A, or an entry. */
template <typename T> __global__ void add_kernel(const factors<T> x, const target<T> to)
{
    if (to.is_there())
        return;
    const int64_t step = gridDim.x * static_cast<int64_t>(blockDim.x);
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
         i < x.majors * to.k; i += step) {
        const int64_t major = i / to.k;
        const int64_t j = i % to.k;
        const int64_t end = x.columns ? x.row_ptr[major + 1] : major + 1;
        for (int64_t e = x.columns ? x.row_ptr[major] : major; e < end; e++) {
            const int64_t r = x.columns ? x.col_idx[e] : x.row_ptr[e];
            const int64_t from = x.columns ? major : x.col_idx[e];
            atomicAdd(to.sums + r * to.sums_row + j * to.sums_col, x.alpha * x.term(e, from, j));
        }
    }
}

template <typename T> __global__ void round_kernel(const target<T> to)
{
    if (to.is_there())
        return;
    to.each(
        [&](int64_t r, int64_t j) { to.store(r, j, to.sums[r * to.sums_row + j * to.sums_col]); });
}

template <typename T> target<T> target_of(const rc_asked_t *p, const rc_pattern_again_t *how)
{
    typedef rc::sum_of<T> S;
    const bool by_rows = p->layout == RC_ROW_MAJOR || p->layout == RC_COL_ROW;
    const int64_t row = by_rows ? p->ldc : 1;
    const int64_t col = by_rows ? 1 : p->ldc;
    return {p->a.rows, p->k, static_cast<T *>(p->c), row, col,
        static_cast<S *>(how->sums ? how->sums : p->c),
        !how->sums ? row
        : by_rows  ? p->k
                   : 1,
        !how->sums ? col
        : by_rows  ? 1
                   : p->a.rows,
        &how->pattern->differs, how->number, p->c_sums != 0};
}

template <typename T>
void product(const rc_asked_t *p, const rc_pattern_again_t *how, cudaStream_t stream)
{
    const bool b_rows = p->layout == RC_ROW_MAJOR || p->layout == RC_ROW_COL;
    const bool columns = p->a.form == RC_PLAN_CSC;
    const factors<T> x = {{p->a.row_ptr, p->a.row_ptr_bytes}, {p->a.col_idx, p->a.col_idx_bytes},
        static_cast<const T *>(p->a.val), columns, columns ? p->a.cols : p->a.nnz,
        rc::factor_type<rc::sum_of<T>>::of(p->alpha), static_cast<const T *>(p->b),
        b_rows ? p->ldb : 1, b_rows ? 1 : p->ldb, p->conjugated != 0};
    const target<T> to = target_of<T>(p, how);
    const auto launch = [&](auto kernel, auto... args) {
        rc::launch_over(kernel, how->blocks, THREADS, how->overlaps, stream, args...);
    };
    if (p->a.form == RC_PLAN_CSR) {
        launch(product_kernel<T>, x, to);
        return;
    }
    launch(clear_kernel<T>, to);
    launch(add_kernel<T>, x, to);
    if (how->sums)
        launch(round_kernel<T>, to);
}

template <typename T, typename P, typename I>
void begin(const rc_plan_matrix_t *a, const rc_plan_places_t *values, rc_pattern_t *pattern,
    rc_heard_t *heard, const rc_pattern_ask_t *ask, cudaStream_t stream)
{
    values_args<T> v = {};
    if (values)
        v = {static_cast<T *>(values->to), static_cast<const int32_t *>(values->place),
            static_cast<const T *>(a->val), values->count, ask->conjugated ? last_bit<T>() : T{}};
    const pattern_args<P, I> x = {static_cast<const P *>(a->row_ptr),
        static_cast<const I *>(a->col_idx), rc_view_pointers(a), a->nnz,
        rc::pieces_of(a->nnz, PIECE), ask->check ? rc_pattern_pieces(a) : 0, pattern,
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

cudaError_t rc_pattern_begin(const rc_plan_matrix_t *a, const rc_plan_places_t *values,
    rc_pattern_t *pattern, rc_heard_t *heard, const rc_pattern_ask_t *ask, cudaStream_t stream)
{
    rc::with_widths(a->row_ptr_bytes, a->col_idx_bytes, [&](auto p, auto i) {
        rc::pick<rc::any>(a->precision, [&](auto t) {
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

int64_t rc_pattern_sums_bytes(const rc_asked_t *p)
{
    int64_t bytes = 0;
    rc::pick<rc::any>(p->a.precision, [&](auto t) {
        typedef RC_VALUE(t) T;
        typedef rc::sum_of<T> S;
        if (p->a.form != RC_PLAN_CSR && sizeof(T) < sizeof(S) && !p->c_sums)
            bytes = p->a.rows * p->k * static_cast<int64_t>(sizeof(S));
    });
    return bytes;
}

cudaError_t rc_pattern_product(
    const rc_asked_t *p, const rc_pattern_again_t *how, cudaStream_t stream)
{
    rc::pick<rc::any>(p->a.precision, [&](auto t) { product<RC_VALUE(t)>(p, how, stream); });
    return cudaGetLastError();
}
