/* What is asked of a pattern before it has a plan, and its copy. */
#include "dropin/launch.cuh"
#include "dropin/pattern.cuh"
#include "dropin/pattern.h"
#include "device/cuda/types.cuh"

namespace
{

using namespace rc::pattern;

enum { SUMMING = 1024 }; /* CTAs that sum a pattern, at most */

/* What the warps of a launch have found, and how many have: by the number of who hears of it, and
 * zeros before and after. */
struct found {
    unsigned long long columns;
    unsigned long long pointers;
    unsigned long long warps;
};
__device__ found founds[RC_HEARD_PIECES];

/* Arguments of sum_kernel. */
template <typename P, typename I> struct sum_args {
    const P *row_ptr;
    const I *col_idx;
    int64_t pointers;
    int64_t nnz;
    int64_t of_columns; /* pieces */
    int64_t pieces;     /* in all */
    int number;         /* of who hears of it */
    rc_heard_t *heard;
};

/* A warp has put there what it found, by one of its lanes; the last one tells the host. */
__device__ void tell(found *f, rc_heard_t *heard)
{
    const unsigned long long warps = gridDim.x * static_cast<unsigned long long>(THREADS / WARP);
    __threadfence();
    if (atomicAdd(&f->warps, 1ull) != warps - 1)
        return;
    __threadfence();
    heard->columns = atomicExch(&f->columns, 0ull);
    heard->pointers = atomicExch(&f->pointers, 0ull);
    f->warps = 0;
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
            pointers += sum_of(x.row_ptr, x.pointers, 0, piece - x.of_columns);
    }
    columns = of_warp(columns);
    pointers = of_warp(pointers);
    if (threadIdx.x % WARP == 0) {
        found *f = &founds[x.number];
        atomicAdd(&f->columns, static_cast<unsigned long long>(columns));
        atomicAdd(&f->pointers, static_cast<unsigned long long>(pointers));
        tell(f, x.heard);
    }
}

template <typename P>
__global__ void __launch_bounds__(THREADS)
    longest_kernel(const P *row_ptr, int64_t rows, int number, rc_heard_t *heard)
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
        atomicMax(&founds[number].columns, longest);
        tell(&founds[number], heard);
    }
}

/* Arguments of copy_kernel. */
template <typename P, typename I> struct copy_args {
    const P *row_ptr;
    const I *col_idx;
    int64_t pointers;
    int64_t minors; /* that columns, or rows, are below */
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
        x.to_idx[i] = c >= 0 && c < x.minors ? static_cast<int32_t>(c) : -1;
    }
    for (int64_t i = first; i < x.pointers; i += step)
        x.to_ptr[i] = x.row_ptr[i];
}

int copy_blocks(int64_t n)
{
    const int64_t blocks = rc::pieces_of(n, 4 * THREADS);
    return blocks < 1 ? 1 : blocks > 4096 ? 4096 : static_cast<int>(blocks);
}

} // namespace

cudaError_t rc_pattern_copy(
    const rc_plan_matrix_t *a, int64_t *row_ptr, int32_t *col_idx, cudaStream_t stream)
{
    rc::with_widths(a->row_ptr_bytes, a->col_idx_bytes, [&](auto p, auto i) {
        const copy_args<decltype(p), decltype(i)> x = {static_cast<const decltype(p) *>(a->row_ptr),
            static_cast<const decltype(i) *>(a->col_idx), rc_view_pointers(a), rc_view_minors(a),
            a->nnz, row_ptr, col_idx};
        copy_kernel<<<copy_blocks(a->nnz + rc_view_pointers(a)), THREADS, 0, stream>>>(x);
    });
    return cudaGetLastError();
}

cudaError_t rc_pattern_sum(const rc_plan_matrix_t *a, rc_heard_t *heard, cudaStream_t stream)
{
    const int number = rc_heard_number(heard);
    const int64_t pieces = rc_pattern_pieces(a);
    const int64_t wanted = rc::pieces_of(pieces, THREADS / WARP);
    const unsigned blocks = static_cast<unsigned>(wanted < SUMMING ? wanted : int64_t{SUMMING});
    rc::with_widths(a->row_ptr_bytes, a->col_idx_bytes, [&](auto p, auto i) {
        const sum_args<decltype(p), decltype(i)> x = {static_cast<const decltype(p) *>(a->row_ptr),
            static_cast<const decltype(i) *>(a->col_idx), rc_view_pointers(a), a->nnz,
            rc::pieces_of(a->nnz, PIECE), pieces, number, heard};
        sum_kernel<<<blocks, THREADS, 0, stream>>>(x);
    });
    return cudaGetLastError();
}

cudaError_t rc_pattern_longest(const rc_plan_matrix_t *a, rc_heard_t *heard, cudaStream_t stream)
{
    const int number = rc_heard_number(heard);
    const int64_t wanted = rc::pieces_of(a->rows, THREADS);
    const unsigned blocks = static_cast<unsigned>(wanted < SUMMING ? wanted : int64_t{SUMMING});
    rc::with_widths(a->row_ptr_bytes, a->col_idx_bytes, [&](auto p, auto) {
        longest_kernel<<<blocks, THREADS, 0, stream>>>(
            static_cast<const decltype(p) *>(a->row_ptr), a->rows, number, heard);
    });
    return cudaGetLastError();
}

int64_t rc_pattern_pieces(const rc_plan_matrix_t *a)
{
    return rc::pieces_of(a->nnz, PIECE) + rc::pieces_of(rc_view_pointers(a), PIECE);
}
