/* What the device functions of y = A x share. */
#ifndef RC_KERNELS_SPMV_CUDA_SPMV_CUH
#define RC_KERNELS_SPMV_CUDA_SPMV_CUH

#include "kernels/spmv/cuda/spmv.h"
#include "device/cuda/load.cuh"
#include "device/cuda/overlap.cuh"
#include "device/cuda/residency.cuh"
#include "device/cuda/segments.cuh"
#include "device/cuda/store.cuh"
#include "format/cuda/lanes.h"

namespace rc
{

enum { SPMV_WARPS = RC_SPMV_THREADS / 32 };

/* Store the sum of a slot to y. */
template <typename T>
__device__ __forceinline__ void store_slot(const rc_spmv_vectors_t &v, int32_t slot, sum_of<T> sum)
{
    const int32_t to = v.row ? __ldg(v.row + slot) : slot;
    if (to >= 0)
        store(static_cast<T *>(v.y) + to, sum, v.scalars);
}

/* The product of a value of A and one of x, added to a sum. */
template <typename T>
__device__ __forceinline__ sum_of<T> add_product(T value, const T *x, sum_of<T> sum)
{
    return fma(static_cast<sum_of<T>>(value), static_cast<sum_of<T>>(__ldg(x)), sum);
}

/* The sum over the threads of a CTA, in thread 0; part: [warps].  A barrier is behind its last
 * use of `part` before, and one goes before the next. */
template <int WARPS, typename T> __device__ __forceinline__ T sum_cta(T sum, T *part)
{
    sum = sum_lanes<32>(sum);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < WARPS; w++)
            sum += part[w];
    return sum;
}

/* Loads of a thread that are under way together, where a CTA has a row and where a warp has one. */
enum { FEW = 4, MANY = 8 };

/* The entries at, at + step, ... of a row, BATCH at a time. */
template <int BATCH, typename T, typename I>
__device__ __forceinline__ sum_of<T> sum_strided(
    const int32_t *col, const T *val, const T *x, I at, I end, int step)
{
    sum_of<T> sum = 0;
    for (; at < end; at += BATCH * step) {
        int32_t c[BATCH];
        T a[BATCH];
#pragma unroll
        for (int u = 0; u < BATCH; u++) {
            const bool is = at + u * step < end;
            c[u] = is ? load_once(col + at + u * step) : -1;
            a[u] = is ? load_once(val + at + u * step) : T(0);
        }
#pragma unroll
        for (int u = 0; u < BATCH; u++)
            if (c[u] >= 0)
                sum = add_product(a[u], x + c[u], sum);
    }
    return sum;
}

/* A sum that one CTA leaves for another, as words of 64 bits: 32 bits of it, and above them 1. 
 * An empty word is 0. Whoever reads a word that is not empty has what was stored with it, so
 * that no order between words is asked for: all accesses are relaxed and of the scope of the
 * GPU.  A release and an acquire would do with plain sums, but an acquire empties the L1 of the
 * multiprocessor, where x is. */
template <typename T> struct parcel {
    enum { WORDS = sizeof(T) / sizeof(uint32_t) };
    uint32_t bits[WORDS];

    static __device__ __forceinline__ uint64_t *at(void *parcels, int32_t i)
    {
        return static_cast<uint64_t *>(parcels) + static_cast<int64_t>(i) * WORDS;
    }
};

__device__ __forceinline__ void put_word(uint64_t *at, uint64_t word)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(word) : "memory");
}

__device__ __forceinline__ uint64_t look_at_word(const uint64_t *at)
{
    uint64_t word;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(word) : "l"(at) : "memory");
    return word;
}

/* Leave a sum in place i. */
template <typename T> __device__ __forceinline__ void leave(void *parcels, int32_t i, T sum)
{
    parcel<T> p;
    memcpy(p.bits, &sum, sizeof sum);
    uint64_t *to = parcel<T>::at(parcels, i);
#pragma unroll
    for (int w = 0; w < parcel<T>::WORDS; w++)
        put_word(to + w, uint64_t(1) << 32 | p.bits[w]);
}

/* Take the sum of place i, which some CTA has left or is about to, and empty the place for the
 * next run. */
template <typename T> __device__ __forceinline__ T take(void *parcels, int32_t i)
{
    parcel<T> p;
    T sum;
    uint64_t *from = parcel<T>::at(parcels, i);
#pragma unroll
    for (int w = 0; w < parcel<T>::WORDS; w++) {
        uint64_t word;
        do
            word = look_at_word(from + w);
        while (word == 0);
        p.bits[w] = static_cast<uint32_t>(word);
        put_word(from + w, 0);
    }
    memcpy(&sum, p.bits, sizeof sum);
    return sum;
}

/* How many CTAs of a row have come before this one. */
__device__ __forceinline__ int32_t arrive(int32_t *at)
{
    int32_t before;
    asm volatile("atom.add.relaxed.gpu.global.s32 %0, [%1], 1;"
                 : "=r"(before)
                 : "l"(at)
                 : "memory");
    return before;
}

/* None has, in the next run.  By the CTA that came last. */
__device__ __forceinline__ void forget(int32_t *at)
{
    asm volatile("st.relaxed.gpu.global.s32 [%0], 0;" ::"l"(at) : "memory");
}

/* Add up a row that several shares hold; of all threads.  part: [warps] */
template <typename T>
__device__ __forceinline__ void add_span(const rc_spmv_vectors_t &v, int32_t i, sum_of<T> *part)
{
    typedef sum_of<T> S;
    const rc_spmv_spans_t &s = v.spans;
    const int32_t to = s.span[i];
    const int32_t first = s.span[s.most + i];
    const int32_t last = s.span[2 * s.most + i];
    S sum = S(0);
    if (threadIdx.x == 0)
        sum = take<S>(s.out, first);
    for (int32_t k = first + 1 + threadIdx.x; k <= last; k += RC_SPMV_THREADS)
        sum += take<S>(s.in, k);
    __syncwarp();
    sum = sum_cta<SPMV_WARPS>(sum, part);
    if (threadIdx.x == 0) {
        forget(s.arrived + i);
        if (to >= 0)
            store(static_cast<T *>(v.y) + to, sum, v.scalars);
    }
    __syncthreads();
}

/* The end of a share whose sums of open rows are in `in` and `out`: where it is the last CTA of
 * such a row, it adds that up.  Sums of the others are there then, or on their way.  Of all
 * threads. before, after: `open` where it begins and ends */
template <typename T>
__device__ __forceinline__ void end_share(const rc_spmv_vectors_t &v, int32_t before, int32_t after)
{
    __shared__ sum_of<T> part[SPMV_WARPS];
    __shared__ int is_last[2];
    if (before == 0 && after == 0)
        return;
    __syncthreads();
    if (threadIdx.x < 2) {
        const int32_t open = threadIdx.x == 0 ? before : after != before ? after : 0;
        const rc_spmv_spans_t &s = v.spans;
        is_last[threadIdx.x] =
            open > 0 && arrive(s.arrived + open - 1) ==
                            s.span[2 * s.most + open - 1] - s.span[s.most + open - 1];
    }
    __syncthreads();
    if (is_last[0])
        add_span<T>(v, before - 1, part);
    if (is_last[1])
        add_span<T>(v, after - 1, part);
}

enum { SPMV_PLACES = RC_SPMV_TILE + RC_SPMV_TILE / 32 };

/* The sums of rows, or of what is there of them, behind their products: `lanes` lanes take a
 * row, one of them says put(row, sum).  Of all threads.  end: [rows + 1] where rows end; the
 * first one begins at end[0] */
template <typename S, typename E, typename F>
__device__ __forceinline__ void sum_each(
    int32_t rows, const E *end, const S *product, int lanes, const F &put)
{
    const int lane = static_cast<int>(threadIdx.x) & (lanes - 1);
    const int32_t group = static_cast<int32_t>(threadIdx.x) / lanes;
    const int32_t groups = RC_SPMV_THREADS / lanes;
    const E first = end[0];
    for (int32_t base = 0; base < rows; base += groups) {
        const int32_t i = base + group;
        S sum = S(0);
        if (i < rows) {
            const int32_t to = static_cast<int32_t>(end[i + 1] - first);
            for (int32_t e = static_cast<int32_t>(end[i] - first) + lane; e < to; e += lanes)
                sum += product[place_of(e)];
        }
        __syncwarp();
        for (int step = lanes / 2; step >= 1; step /= 2)
            sum += __shfl_xor_sync(0xffffffffu, sum, step);
        if (lane == 0 && i < rows)
            put(i, sum);
    }
}

/* The same of whole rows, which are the slots from `slot` on. */
template <typename T, typename E>
__device__ __forceinline__ void store_rows(const rc_spmv_vectors_t &v, int32_t slot, int32_t rows,
    const E *end, const sum_of<T> *product, int lanes)
{
    sum_each(rows, end, product, lanes,
        [&](int32_t i, sum_of<T> sum) { store_slot<T>(v, slot + i, sum); });
}

/* Up to RC_SPMV_TILE entries on their way to products in shared memory. */
template <typename T> struct products {
    enum { EACH = RC_SPMV_TILE / RC_SPMV_THREADS };
    int32_t col[EACH];
    sum_of<T> val[EACH];

    __device__ __forceinline__ void load(const int32_t *cols, const T *vals, int32_t n)
    {
#pragma unroll
        for (int u = 0; u < EACH; u++) {
            const int32_t i = threadIdx.x + u * RC_SPMV_THREADS;
            col[u] = i < n ? load_once(cols + i) : -1;
            val[u] = static_cast<sum_of<T>>(i < n ? load_once(vals + i) : T(0));
        }
    }

    __device__ __forceinline__ void multiply(const T *x, sum_of<T> *to)
    {
#pragma unroll
        for (int u = 0; u < EACH; u++)
            if (col[u] >= 0)
                val[u] *= static_cast<sum_of<T>>(__ldg(x + col[u]));
#pragma unroll
        for (int u = 0; u < EACH; u++)
            if (col[u] >= 0)
                to[place_of(threadIdx.x + u * RC_SPMV_THREADS)] = val[u];
    }
};

/* Pointers of rows on their way to shared memory.  A thread has several loads under way, so that
 * a share of many short rows does not wait for one after the other. */
template <typename I> struct row_pointers {
    enum { FIRST = 2, BATCH = 4 };
    I first[FIRST];

    __device__ __forceinline__ void load(const I *ptr, int32_t n)
    {
#pragma unroll
        for (int u = 0; u < FIRST; u++) {
            const int32_t i = threadIdx.x + u * RC_SPMV_THREADS;
            first[u] = i < n ? rc::load(ptr + i) : I(0);
        }
    }

    /* f(i, pointer) of all, those that load() has left out too. */
    template <typename F>
    __device__ __forceinline__ void put(const I *ptr, int32_t n, const F &f) const
    {
        for (int32_t base = FIRST * RC_SPMV_THREADS; base < n; base += BATCH * RC_SPMV_THREADS) {
            I at[BATCH];
#pragma unroll
            for (int u = 0; u < BATCH; u++) {
                const int32_t i = base + threadIdx.x + u * RC_SPMV_THREADS;
                at[u] = i < n ? rc::load(ptr + i) : I(0);
            }
#pragma unroll
            for (int u = 0; u < BATCH; u++) {
                const int32_t i = base + threadIdx.x + u * RC_SPMV_THREADS;
                if (i < n)
                    f(i, at[u]);
            }
        }
#pragma unroll
        for (int u = 0; u < FIRST; u++) {
            const int32_t i = threadIdx.x + u * RC_SPMV_THREADS;
            if (i < n)
                f(i, first[u]);
        }
    }
};

/* One share of coordinates: its products first, then a segmented sum across the threads.
 * number: of it among all shares */
template <typename T>
__device__ __forceinline__ void coo_share(
    const rc_spmv_coo_args_t &a, int32_t share, int32_t number)
{
    typedef sum_of<T> S;
    __shared__ S product[SPMV_PLACES];
    __shared__ int32_t slot[RC_SPMV_TILE];
    __shared__ carries<S, SPMV_WARPS> shared;
    const rc_spmv_share_t begin = a.m.share[share];
    const rc_spmv_share_t end = a.m.share[share + 1];
    const int32_t n = static_cast<int32_t>(end.entry - begin.entry);
    wait_for_previous();
    products<T> entries;
    entries.load(a.m.col + begin.entry, static_cast<const T *>(a.m.val) + begin.entry, n);
#pragma unroll
    for (int u = 0; u < products<T>::EACH; u++) {
        const int32_t i = threadIdx.x + u * RC_SPMV_THREADS;
        if (i < n)
            slot[i] = load_once(a.m.slot + begin.entry + i);
    }
    entries.multiply(static_cast<const T *>(a.v.x), product);
    __syncthreads();
    /* an odd number, so that the threads of a warp read slots from different banks */
    const int32_t each = ((n + RC_SPMV_THREADS - 1) / RC_SPMV_THREADS) | 1;
    const int32_t from = min(static_cast<int32_t>(threadIdx.x) * each, n);
    const int32_t to = min(from + each, n);
    S sum = S(0);
    S first = S(0);
    int32_t first_slot = -1;
    for (int32_t i = from; i < to; i++) {
        const int32_t s = slot[i];
        sum += product[place_of(i)];
        if (i + 1 < n ? slot[i + 1] == s : end.open)
            continue;
        if (first_slot < 0) {
            first = sum;
            first_slot = s;
        } else
            store_slot<T>(a.v, s, sum);
        sum = S(0);
    }
    S tail;
    first += carry_in(sum, first_slot >= 0, S(0), &shared, &tail);
    if (first_slot >= 0) {
        if (begin.open && first_slot == begin.row)
            leave(a.v.spans.in, number, first);
        else
            store_slot<T>(a.v, first_slot, first);
    }
    if (threadIdx.x == 0 && end.open)
        leave(begin.open && end.row == begin.row ? a.v.spans.in : a.v.spans.out, number, tail);
    end_share<T>(a.v, begin.open, end.open);
}

} // namespace rc

#endif
