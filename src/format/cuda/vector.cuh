/* What the builders of build_vector.h share. */
#ifndef RC_FORMAT_CUDA_VECTOR_CUH
#define RC_FORMAT_CUDA_VECTOR_CUH

#include "format/cuda/vector.h"
#include "format/cuda/build.cuh"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace rc
{

enum { VECTOR_THREADS = 256, VECTOR_EACH = 4, VECTOR_SEGMENT = VECTOR_THREADS * VECTOR_EACH };

/* What device functions take of rc_build_csr_t. */
struct csr {
    pointers ptr;
    const int32_t *col;
    const void *entry;
    int entry_bytes;
    int64_t slots;

    /* The number of entry i in the matrix. */
    __device__ __forceinline__ int64_t number(int64_t i) const
    {
        return entry ? pointers{entry, entry_bytes}[i] - 1 : i;
    }
};

inline csr csr_of(const rc_build_csr_t *c)
{
    return {{c->ptr, c->ptr_bytes}, c->col, c->entry, c->entry_bytes, c->slots};
}

/* The last place from `low` to `high` whose pointer is at most `entry`; that of `low` is. */
__device__ __forceinline__ int64_t place_of(
    const pointers &ptr, int64_t low, int64_t high, int64_t entry)
{
    while (low < high) {
        const int64_t mid = low + (high - low + 1) / 2;
        if (ptr[mid] <= entry)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* ------------------------------------------------- numbers added up in order */

/* F: `int64_t count(i)` of i = 0 .. n - 1, and `void put(i, before, count)` with the sum of
 * those before i; put(n, sum of all, 0) ends it. */
template <typename F>
__global__ void __launch_bounds__(VECTOR_THREADS)
    count_segments(const F f, int64_t n, int64_t *total)
{
    typedef cub::BlockReduce<int64_t, VECTOR_THREADS> reduce;
    __shared__ typename reduce::TempStorage room;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * VECTOR_SEGMENT;
    int64_t mine = 0;
    for (int u = 0; u < VECTOR_EACH; u++) {
        const int64_t i = first + u * VECTOR_THREADS + threadIdx.x;
        if (i < n)
            mine += f.count(i);
    }
    mine = reduce(room).Sum(mine);
    if (threadIdx.x == 0)
        total[blockIdx.x] = mine;
}

template <typename F>
__global__ void __launch_bounds__(VECTOR_THREADS)
    put_segments(const F f, int64_t n, int64_t segments, const int64_t *total)
{
    typedef cub::BlockScan<int64_t, VECTOR_THREADS> scan;
    __shared__ typename scan::TempStorage room;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * VECTOR_SEGMENT;
    int64_t before = total[blockIdx.x];
    for (int u = 0; u < VECTOR_EACH; u++) {
        const int64_t i = first + u * VECTOR_THREADS + threadIdx.x;
        const int64_t mine = i < n ? f.count(i) : 0;
        int64_t at;
        int64_t all;
        scan(room).ExclusiveSum(mine, at, all);
        if (i < n)
            f.put(i, before + at, mine);
        before += all;
        __syncthreads();
    }
    if (blockIdx.x == 0 && threadIdx.x == 0)
        f.put(n, total[segments], 0);
}

/* What comes before each of the segments; one CTA. */
rc_status_t sum_segments(rc_executor_t *x, int64_t *total, int64_t segments, rc_err_t *err);

template <typename F>
rc_status_t put_in_order(rc_build_t *b, const F &f, int64_t n, const char *what, rc_err_t *err)
{
    const int64_t segments = ceil_div(n > 0 ? n : 1, VECTOR_SEGMENT);
    void *to = nullptr;
    rc_status_t st =
        rc_memory_room(&b->memory, static_cast<size_t>(segments + 1) * sizeof(int64_t), &to, err);
    int64_t *total = static_cast<int64_t *>(to);
    if (st < 0)
        return st;
    const current gpu(b->x);
    count_segments<<<static_cast<unsigned>(segments), VECTOR_THREADS, 0, rc_cuda_stream(b->x)>>>(
        f, n, total);
    RC_PASS(rc_cuda_launched(what, err));
    RC_PASS(sum_segments(b->x, total, segments, err));
    put_segments<<<static_cast<unsigned>(segments), VECTOR_THREADS, 0, rc_cuda_stream(b->x)>>>(
        f, n, segments, total);
    return rc_cuda_launched(what, err);
}

/* ------------------------------------------------------------------ entries */

/* F: `void put(i, slot, j)` for entry i = 0 .. n - 1, which is number j of its slot. */
template <typename F>
__global__ void __launch_bounds__(VECTOR_THREADS)
    walk_entries(const F f, const pointers ptr, int64_t slots, int64_t n)
{
    enum { EACH = 8, TILE = VECTOR_THREADS * EACH };
    __shared__ int64_t range[2];
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * TILE; first < n;
         first += static_cast<int64_t>(gridDim.x) * TILE) {
        if (threadIdx.x % 32 == 0 && threadIdx.x < 64) {
            const int64_t last = first + TILE < n ? first + TILE : n;
            range[threadIdx.x / 32] =
                place_of(ptr, 0, slots - 1, threadIdx.x == 0 ? first : last - 1);
        }
        __syncthreads();
        for (int u = 0; u < EACH; u++) {
            const int64_t i = first + u * VECTOR_THREADS + threadIdx.x;
            if (i >= n)
                break;
            const int64_t slot = place_of(ptr, range[0], range[1], i);
            f.put(i, slot, i - ptr[slot]);
        }
        __syncthreads();
    }
}

template <typename F>
rc_status_t put_entries(rc_executor_t *x, const F &f, const pointers &ptr, int64_t slots, int64_t n,
    const char *what, rc_err_t *err)
{
    if (n == 0)
        return RC_OK;
    const current gpu(x);
    walk_entries<<<grid_for(n, VECTOR_THREADS * 8), VECTOR_THREADS, 0, rc_cuda_stream(x)>>>(
        f, ptr, slots, n);
    return rc_cuda_launched(what, err);
}

/* ------------------------------------------------------------------- others */

/* F: `void put(i)` for i = 0 .. n - 1. */
template <typename F> __global__ void __launch_bounds__(VECTOR_THREADS) walk(const F f, int64_t n)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * VECTOR_THREADS;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * VECTOR_THREADS + threadIdx.x; i < n;
         i += step)
        f.put(i);
}

template <typename F>
rc_status_t put_each(rc_executor_t *x, const F &f, int64_t n, const char *what, rc_err_t *err)
{
    if (n == 0)
        return RC_OK;
    const current gpu(x);
    walk<<<grid_for(n, VECTOR_THREADS), VECTOR_THREADS, 0, rc_cuda_stream(x)>>>(f, n);
    return rc_cuda_launched(what, err);
}

/* Where shares of coordinates begin: as rc_spmv_coo_cut.  Entry i is one of slot row[i], whose
 * first one is ptr[row[i]] - base, or is before all of them. */
rc_status_t cut_shares(rc_executor_t *x, const int32_t *row, const pointers &ptr, int64_t base,
    int64_t entries, rc_spmv_share_t *share, rc_err_t *err);

} // namespace rc

#endif
