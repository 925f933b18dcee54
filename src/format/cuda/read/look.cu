/* format/cuda/read/read.h: the looks at a caller's matrix. */
#include "format/cuda/read/read.h"
#include "device/cuda/types.cuh"
#include "format/cuda/vector.cuh"

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
    const rc_read_arrays_t &a, int64_t i, C before, C c, int32_t *narrow, rc_read_look_t *mine)
{
    mine->unordered += i > 0 && c <= before;
    if (c < 0 || c >= a.minors)
        mine->no_column = max(mine->no_column, ~static_cast<uint64_t>(i));
    rc_given_mix(rc_given_column_word(i, c), mine->sum);
    if (narrow)
        narrow[i] = static_cast<int32_t>(c);
}

template <typename C>
__device__ void look_at_columns(
    const rc_read_arrays_t &a, int64_t first, int64_t last, int32_t *narrow, rc_read_look_t *mine)
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
__device__ void look_at_pointer(const rc_read_arrays_t &a, int64_t r, rc_read_look_t *mine)
{
    const P *__restrict__ ptr = static_cast<const P *>(a.ptr);
    const C *__restrict__ col = static_cast<const C *>(a.col);
    const int64_t p = ptr[r];
    const int64_t before = r > 0 ? ptr[r - 1] : 0;
    rc_given_mix(rc_given_pointer_word(r, p), mine->sum);
    if (!rc_given_follows(r, a.majors, a.nnz, before, p)) {
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

/* What the threads of a CTA have found, into what all have. */
__device__ void conclude(rc_read_look_t mine, rc_read_look_t *look)
{
    typedef cub::BlockReduce<rc_read_look_t, THREADS> reduce;
    __shared__ typename reduce::TempStorage room;
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

/* A CTA has the same share of the entries and of the rows, which are near each other. */
template <typename P, typename C>
__global__ void __launch_bounds__(THREADS)
    look_kernel(const rc_read_arrays_t a, int32_t *narrow, rc_read_look_t *look)
{
    const int64_t cta = blockIdx.x;
    const int64_t ctas = gridDim.x;
    const int64_t entries = rc::ceil_div(a.nnz, ctas);
    const int64_t pointers = rc::ceil_div(a.majors + 1, ctas);
    rc_read_look_t mine = {};
    look_at_columns<C>(a, cta * entries, min((cta + 1) * entries, a.nnz), narrow, &mine);
    const int64_t last = min((cta + 1) * pointers, a.majors + 1);
    for (int64_t r = cta * pointers + threadIdx.x; r < last; r += THREADS)
        look_at_pointer<P, C>(a, r, &mine);
    conclude(mine, look);
}

/* Entry i of COO, which comes after the one before it in the order of CSR, or counts. */
template <typename P, typename C>
__device__ void look_at_pair(
    const rc_read_arrays_t &a, int64_t i, int32_t *narrow, rc_read_look_t *mine)
{
    const P *__restrict__ row = static_cast<const P *>(a.ptr);
    const C *__restrict__ col = static_cast<const C *>(a.col);
    const P r = row[i];
    const C c = col[i];
    if (i > 0) {
        const P above = row[i - 1];
        mine->unordered += r < above || (r == above && c <= col[i - 1]);
    }
    if (r < 0 || r >= a.majors)
        mine->no_pointer = max(mine->no_pointer, ~static_cast<uint64_t>(i));
    if (c < 0 || c >= a.minors)
        mine->no_column = max(mine->no_column, ~static_cast<uint64_t>(i));
    if (narrow)
        narrow[i] = static_cast<int32_t>(c);
}

template <typename P, typename C>
__global__ void __launch_bounds__(THREADS)
    pairs_kernel(const rc_read_arrays_t a, int32_t *narrow, rc_read_look_t *look)
{
    rc_read_look_t mine = {};
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; i < a.nnz; i += step)
        look_at_pair<P, C>(a, i, narrow, &mine);
    conclude(mine, look);
}

struct find_twice {
    rc_read_arrays_t a;
    rc_read_look_t *look;

    __device__ void put(int64_t i) const
    {
        const int32_t *col = static_cast<const int32_t *>(a.col);
        const rc::pointers ptr = {a.ptr, a.ptr_bytes};
        if (i > 0 && col[i] == col[i - 1] && ptr[rc::place_of(ptr, 0, a.majors - 1, i)] < i)
            raise(&look->no_column, ~static_cast<uint64_t>(i));
    }
};

/* Where a row begins among rows that do not fall. */
struct begin_rows {
    rc::pointers row;
    int64_t nnz;
    int64_t *ptr;

    __device__ void put(int64_t r) const
    {
        int64_t low = 0;
        int64_t high = nnz;
        while (low < high) {
            const int64_t mid = low + (high - low) / 2;
            if (row[mid] < r)
                low = mid + 1;
            else
                high = mid;
        }
        ptr[r] = low;
    }
};

} // namespace

/* CTAs for so many loads. */
static unsigned ctas_for(const rc_executor_t *x, int64_t loads)
{
    const int64_t most = static_cast<int64_t>(rc_cuda_sms(x)) * CTAS;
    const int64_t ctas = rc::ceil_div(loads > 0 ? loads : 1, THREADS * EACH);
    return static_cast<unsigned>(ctas < most ? ctas : most);
}

extern "C" rc_status_t rc_read_look(rc_executor_t *x, const rc_read_arrays_t *a, int32_t *narrow,
    rc_read_look_t *look, rc_err_t *err)
{
    const rc::current gpu(x);
    rc::with_widths(a->ptr_bytes, a->col_bytes, [&](auto p, auto c) {
        look_kernel<decltype(p), decltype(c)>
            <<<ctas_for(x, a->nnz + a->majors + 1), THREADS, 0, rc_cuda_stream(x)>>>(
                *a, narrow, look);
    });
    return rc_cuda_launched("a look at a matrix", err);
}

extern "C" rc_status_t rc_read_look_pairs(rc_executor_t *x, const rc_read_arrays_t *a,
    int32_t *narrow, rc_read_look_t *look, rc_err_t *err)
{
    const rc::current gpu(x);
    rc::with_widths(a->ptr_bytes, a->col_bytes, [&](auto p, auto c) {
        pairs_kernel<decltype(p), decltype(c)>
            <<<ctas_for(x, 2 * a->nnz), THREADS, 0, rc_cuda_stream(x)>>>(*a, narrow, look);
    });
    return rc_cuda_launched("a look at a matrix", err);
}

extern "C" rc_status_t rc_read_twice(
    rc_executor_t *x, const rc_read_arrays_t *a, rc_read_look_t *look, rc_err_t *err)
{
    return rc::put_each(x, find_twice{*a, look}, a->nnz, "a column that a row has twice", err);
}

extern "C" rc_status_t rc_read_copy(
    rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err)
{
    return rc::copy(x, to, from, bytes, "copying a matrix", err);
}

extern "C" rc_status_t rc_read_pointers(
    rc_executor_t *x, const rc_read_rows_t *of, int64_t *ptr, rc_err_t *err)
{
    const begin_rows f = {{of->row, of->row_bytes}, of->nnz, ptr};
    return rc::put_each(x, f, of->rows + 1, "row pointers", err);
}
