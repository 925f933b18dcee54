/* format/cuda/read.h: the looks at a caller's matrix. */
#include "format/cuda/read.h"
#include "format/cuda/build.cuh"

#include <cub/block/block_reduce.cuh>

namespace
{

enum { THREADS = 256, EACH = 8, CTAS = 16 /* of a multiprocessor at most */ };

struct join {
    __device__ rc_read_look_t operator()(const rc_read_look_t &a, const rc_read_look_t &b) const
    {
        return {{a.sum[0] + b.sum[0], a.sum[1] + b.sum[1]}, a.unordered + b.unordered,
            max(a.no_pointer, b.no_pointer), max(a.no_column, b.no_column),
            max(a.longest, b.longest), a.empty + b.empty};
    }
};

__device__ void add(uint64_t *to, uint64_t x)
{
    if (x)
        atomicAdd(reinterpret_cast<unsigned long long *>(to), static_cast<unsigned long long>(x));
}

__device__ void raise(uint64_t *to, uint64_t x)
{
    if (x)
        atomicMax(reinterpret_cast<unsigned long long *>(to), static_cast<unsigned long long>(x));
}

/* Entries are told apart by 64 bits: one that is not above the one before it counts, wherever the
 * rows begin. */
template <typename C>
__device__ void look_at_column(
    const rc_read_csr_t &a, int64_t i, C before, C c, int32_t *narrow, rc_read_look_t *mine)
{
    mine->unordered += i > 0 && c <= before;
    if (c < 0 || c >= a.cols)
        mine->no_column = max(mine->no_column, ~static_cast<uint64_t>(i));
    rc_given_mix(rc_given_column_word(i, c), mine->sum);
    if (narrow)
        narrow[i] = static_cast<int32_t>(c);
}

template <typename C>
__device__ void look_at_columns(
    const rc_read_csr_t &a, int64_t first, int64_t last, int32_t *narrow, rc_read_look_t *mine)
{
    const C *__restrict__ col = static_cast<const C *>(a.col);
    for (; first < last; first += THREADS * EACH) {
        C before[EACH];
        C c[EACH];
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            const int64_t i = first + u * THREADS + threadIdx.x;
            c[u] = i < last ? col[i] : 0;
            before[u] = i < last && i > 0 ? col[i - 1] : 0;
        }
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            const int64_t i = first + u * THREADS + threadIdx.x;
            if (i < last)
                look_at_column(a, i, before[u], c[u], narrow, mine);
        }
    }
}

/* Pointer r and the row that it ends.  Where a row begins, its first entry may be below the one
 * before: what look_at_column counted there is taken back. */
template <typename P, typename C>
__device__ void look_at_pointer(const rc_read_csr_t &a, int64_t r, rc_read_look_t *mine)
{
    const P *__restrict__ ptr = static_cast<const P *>(a.ptr);
    const C *__restrict__ col = static_cast<const C *>(a.col);
    const int64_t p = ptr[r];
    const int64_t before = r > 0 ? ptr[r - 1] : 0;
    rc_given_mix(rc_given_pointer_word(r, p), mine->sum);
    if (!rc_given_follows(r, a.rows, a.nnz, before, p)) {
        mine->no_pointer = max(mine->no_pointer, ~static_cast<uint64_t>(r));
        return;
    }
    if (r == 0)
        return;
    mine->empty += p == before;
    mine->longest = max(mine->longest, static_cast<uint64_t>(p - before));
    if (before < p && before > 0) /* p is at most nnz */
        mine->unordered -= col[before] <= col[before - 1];
}

/* A CTA has the same share of the entries and of the rows, which are near each other. */
template <typename P, typename C>
__global__ void __launch_bounds__(THREADS)
    look_kernel(const rc_read_csr_t a, int32_t *narrow, rc_read_look_t *look)
{
    typedef cub::BlockReduce<rc_read_look_t, THREADS> reduce;
    __shared__ typename reduce::TempStorage room;
    const int64_t cta = blockIdx.x;
    const int64_t ctas = gridDim.x;
    const int64_t entries = rc::ceil_div(a.nnz, ctas);
    const int64_t pointers = rc::ceil_div(a.rows + 1, ctas);
    rc_read_look_t mine = {};
    look_at_columns<C>(a, cta * entries, min((cta + 1) * entries, a.nnz), narrow, &mine);
    const int64_t last = min((cta + 1) * pointers, a.rows + 1);
    for (int64_t r = cta * pointers + threadIdx.x; r < last; r += THREADS)
        look_at_pointer<P, C>(a, r, &mine);
    mine = reduce(room).Reduce(mine, join());
    if (threadIdx.x != 0)
        return;
    add(&look->sum[0], mine.sum[0]);
    add(&look->sum[1], mine.sum[1]);
    add(&look->unordered, mine.unordered);
    raise(&look->no_pointer, mine.no_pointer);
    raise(&look->no_column, mine.no_column);
    raise(&look->longest, mine.longest);
    add(&look->empty, mine.empty);
}

/* The widths of pointers and columns, as types. */
template <typename F> void with_types(int ptr_bytes, int col_bytes, F f)
{
    if (ptr_bytes == 4)
        col_bytes == 4 ? f(int32_t(), int32_t()) : f(int32_t(), int64_t());
    else
        col_bytes == 4 ? f(int64_t(), int32_t()) : f(int64_t(), int64_t());
}

} // namespace

extern "C" rc_status_t rc_read_look(
    rc_executor_t *x, const rc_read_csr_t *a, int32_t *narrow, rc_read_look_t *look, rc_err_t *err)
{
    const int64_t most = static_cast<int64_t>(rc_cuda_sms(x)) * CTAS;
    const int64_t ctas = rc::ceil_div(a->nnz + a->rows + 1, THREADS * EACH);
    const unsigned grid = static_cast<unsigned>(ctas < most ? ctas : most);
    const rc::current gpu(x);
    with_types(a->ptr_bytes, a->col_bytes, [&](auto p, auto c) {
        look_kernel<decltype(p), decltype(c)>
            <<<grid, THREADS, 0, rc_cuda_stream(x)>>>(*a, narrow, look);
    });
    return rc_cuda_launched("a look at a matrix", err);
}

extern "C" rc_status_t rc_read_copy(
    rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
{
    return rc::copy(x, to, from, bytes, "copying a matrix", err);
}
