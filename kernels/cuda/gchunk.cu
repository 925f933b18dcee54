/* Device functions of gchunk.  The lanes of a chunk hold neighbouring columns of C.  Everything that
 * a chunk reads of A is at a place that its number tells, so its columns and values are on their way
 * at once, and then all its rows of B.  Sums are added in a fixed order: two runs give the same
 * bits. */
#include "kernels/cuda/gchunk.h"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/overlap.cuh"
#include "kernels/cuda/parts.cuh"

namespace rc
{

/* Some entries of a chunk. */
template <typename T, typename C, int BATCH> struct batch {
    run<C, BATCH> col;
    run<T, BATCH> val;

    __device__ __forceinline__ void load(const rc_gchunk_args_t &a, size_t from)
    {
        col = load_run<C, BATCH>(static_cast<const C *>(a.col) + from);
        val = load_run<T, BATCH>(static_cast<const T *>(a.val) + from);
    }
};

/* Lanes past the last column load the first one, and padding a row of B that the chunk loads anyway:
 * no load waits for a condition.  The next batch of A is on its way while this one is multiplied. */
template <typename T, typename C, int WIDTH, int VECTORS, int BATCH>
__device__ __forceinline__ void multiply(const rc_gchunk_args_t &a, size_t from, const place &at,
    batch<T, C, BATCH> now, sums<T, WIDTH, VECTORS> *sum)
{
    const T *b[VECTORS];
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        b[i] = static_cast<const T *>(a.b) + (at.j + i * at.far < a.k ? at.j + i * at.far : 0);
#pragma unroll 1
    for (int left = a.entries - BATCH;; left -= BATCH) {
        packed<T, WIDTH> m[BATCH][VECTORS];
        batch<T, C, BATCH> next = now;
#pragma unroll
        for (int u = 0; u < BATCH; u++)
#pragma unroll
            for (int i = 0; i < VECTORS; i++)
                m[u][i].vector = load_vector<T, WIDTH>(
                    b[i] + static_cast<uint64_t>(static_cast<uint32_t>(now.col.value[u])) * a.ldb);
        if (left > 0) {
            from += BATCH;
            next.load(a, from);
        }
#pragma unroll
        for (int u = 0; u < BATCH; u++)
#pragma unroll
            for (int i = 0; i < VECTORS; i++)
#pragma unroll
                for (int w = 0; w < WIDTH; w++)
                    sum->part[i].value[w] =
                        fma(now.val.value[u], m[u][i].value[w], sum->part[i].value[w]);
        if (left <= 0)
            return;
        now = next;
    }
}

template <typename T, int WIDTH, int VECTORS>
__device__ __forceinline__ void store_row(
    const rc_gchunk_args_t &a, int32_t row, const place &at, const sums<T, WIDTH, VECTORS> &sum)
{
    store_sums(static_cast<T *>(a.c) + line_at(row, a.ldc), at, sum, a.scalars);
}

/* The block whose part arrived last adds all of them: group g those with numbers g, g + 16, ..., and
 * then the first group the sums of the groups. */
template <typename T, int WIDTH, int VECTORS>
__device__ __forceinline__ void add_parts(const rc_gchunk_args_t &a, int32_t number, int32_t tile,
    int group, const place &at, sums<T, WIDTH, VECTORS> *shared)
{
    const int g = group % RC_CHUNKS_BLOCK;
    sums<T, WIDTH, VECTORS> sum;
    sum.clear();
    if (number >= 0) {
        const rc_long_row_t l = a.parts.lengthy[number];
        __threadfence();
        for (int32_t i = g; i < l.parts; i += RC_CHUNKS_BLOCK)
            sum.add(load_part<T, WIDTH, VECTORS>(a.parts, a.k, l.first + i, at));
        shared[threadIdx.x] = sum;
    }
    __syncthreads();
    if (number >= 0 && g == 0) {
        for (int i = 1; i < RC_CHUNKS_BLOCK; i++)
            sum.add(shared[threadIdx.x + i * a.lanes]);
        store_row(a, a.parts.lengthy[number].row, at, sum);
        depart(a.parts, a.k, number, tile, at);
    }
}

template <typename T, typename C, int WIDTH, int VECTORS, int BATCH>
__global__ void __launch_bounds__(RC_GCHUNK_THREADS_MAX, 2) chunks(const rc_gchunk_args_t a)
{
    typedef sums<T, WIDTH, VECTORS> sums_t;
    extern __shared__ uint4 memory[];
    __shared__ int32_t last[RC_GCHUNK_THREADS_MAX / RC_CHUNKS_BLOCK]; /* of each block of the CTA */
    sums_t *shared = reinterpret_cast<sums_t *>(memory);
    place at;
    at.lane = threadIdx.x % static_cast<unsigned>(a.lanes);
    at.lanes = a.lanes;
    at.far = a.lanes * WIDTH;
    at.begin = 0;
    at.end = a.k;
    const int group = threadIdx.x / static_cast<unsigned>(a.lanes);
    const int groups = blockDim.x / static_cast<unsigned>(a.lanes);
    const int32_t chunk = blockIdx.x * groups + group;
    const size_t from = static_cast<size_t>(chunk) * static_cast<unsigned>(a.entries);
    batch<T, C, BATCH> first;
    int32_t row = -1;
    int count = RC_CHUNKS_NOTHING;
    launch_next();
    if (chunk < a.chunks) {
        first.load(a, from);
        row = __ldg(a.row + chunk);
        count = __ldg(a.count + chunk);
    }
    wait_for_previous();
    for (int32_t tile = blockIdx.y; tile < a.tiles; tile += gridDim.y) {
        sums_t sum;
        sum.clear();
        at.j = (tile * VECTORS * a.lanes + at.lane) * WIDTH;
        if (!(count & RC_CHUNKS_NOTHING))
            multiply<T, C, WIDTH, VECTORS, BATCH>(a, from, at, first, &sum);
        if (a.meet) {
            if (count == 0)
                shared[threadIdx.x] = sum;
            __syncthreads();
            for (int i = 1; i < (count & ~RC_CHUNKS_NOTHING); i++)
                sum.add(shared[threadIdx.x + i * a.lanes]);
        }
        if (row >= 0)
            store_row(a, row, at, sum);
        if (a.longs) {
            if (group % RC_CHUNKS_BLOCK == 0) {
                int32_t number = -1;
                if (row < -1) {
                    put_part(a.parts, a.k, -2 - row, at, sum);
                    number = arrive(a.parts, a.k, -2 - row, tile, at);
                }
                if (at.lane == 0)
                    last[group / RC_CHUNKS_BLOCK] = number;
            }
            __syncthreads();
            add_parts(a, last[group / RC_CHUNKS_BLOCK], tile, group, at, shared);
        }
        if (gridDim.y < a.tiles)
            __syncthreads(); /* before the next tile writes what this one reads */
    }
}

template <typename T, typename C, int WIDTH> const void *chunks_entry(int vectors, int batch)
{
    if (batch == 4)
        return vectors == 2 ? reinterpret_cast<const void *>(chunks<T, C, WIDTH, 2, 4>)
                            : reinterpret_cast<const void *>(chunks<T, C, WIDTH, 1, 4>);
    if constexpr (sizeof(T) == 4)
        return vectors == 1 ? reinterpret_cast<const void *>(chunks<T, C, WIDTH, 1, 8>) : nullptr;
    return nullptr;
}

template <typename T, int WIDTH>
const void *chunks_entry(int64_t col_bytes, int vectors, int batch)
{
    return col_bytes == 2 ? chunks_entry<T, uint16_t, WIDTH>(vectors, batch)
                          : chunks_entry<T, uint32_t, WIDTH>(vectors, batch);
}

} // namespace rc

extern "C" const void *rc_cuda_gchunk_entry(
    rc_precision_t precision, int64_t col_bytes, int width, int vectors, int batch)
{
    if (precision == RC_FP64)
        return width == 1   ? rc::chunks_entry<double, 1>(col_bytes, vectors, batch)
               : width == 2 ? rc::chunks_entry<double, 2>(col_bytes, vectors, batch)
                            : nullptr;
    return width == 1   ? rc::chunks_entry<float, 1>(col_bytes, vectors, batch)
           : width == 2 ? rc::chunks_entry<float, 2>(col_bytes, vectors, batch)
           : width == 4 ? rc::chunks_entry<float, 4>(col_bytes, vectors, batch)
                        : nullptr;
}
