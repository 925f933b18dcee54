/* Device functions of gchunk.  The lanes of a chunk hold neighbouring columns of C.  Everything that
 * a chunk reads of A is at a place that its number tells, so its columns and values are on their way
 * at once, and then all its rows of B.  Sums are added in a fixed order: two runs give the same
 * bits. */
#include "kernels/cuda/gchunk.h"
#include "kernels/cuda/overlap.cuh"
#include "kernels/cuda/vector.cuh"

namespace rc
{

/* N neighbouring values, loaded in pieces of up to 16 bytes.  Their address is a multiple of their
 * size, or of 16.  A is read once: it leaves L1 first. */
template <typename T, int N> struct run {
    T value[N];
};

template <typename T, int N> __device__ __forceinline__ run<T, N> load_run(const T *from)
{
    constexpr int BYTES = N * static_cast<int>(sizeof(T));
    run<T, N> r;
    if (BYTES % 16 == 0) {
        uint4 *to = reinterpret_cast<uint4 *>(&r);
#pragma unroll
        for (int i = 0; i < BYTES / 16; i++)
            asm("ld.global.nc.L1::evict_first.v4.u32 {%0, %1, %2, %3}, [%4];"
                : "=r"(to[i].x), "=r"(to[i].y), "=r"(to[i].z), "=r"(to[i].w)
                : "l"(reinterpret_cast<const uint4 *>(from) + i));
    } else {
        uint2 *to = reinterpret_cast<uint2 *>(&r);
        asm("ld.global.nc.L1::evict_first.v2.u32 {%0, %1}, [%2];"
            : "=r"(to->x), "=r"(to->y)
            : "l"(from));
    }
    return r;
}

/* The columns of C that a lane holds in one tile. */
template <typename T, int WIDTH, int VECTORS> struct sums {
    packed<T, WIDTH> part[VECTORS];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                part[i].value[w] = T(0);
    }

    __device__ __forceinline__ void add(const sums &x)
    {
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                part[i].value[w] += x.part[i].value[w];
    }
};

/* Where a lane is. */
struct place {
    int lane;    /* of its chunk */
    int group;   /* number of its chunk in the CTA */
    int32_t j;   /* first column */
    int32_t far; /* from one vector of the lane to the next */
};

/* A piece of a chunk. */
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
    T *to = static_cast<T *>(a.c) + line_at(row, a.ldc) + at.j;
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        if (at.j + i * at.far < a.k)
            store_vector<T, WIDTH>(to + i * at.far, sum.part[i], a.scalars);
}

/* The sum of a part of a long row, past L1. */
template <typename T, int WIDTH, int VECTORS>
__device__ __forceinline__ sums<T, WIDTH, VECTORS> load_part(
    const rc_gchunk_args_t &a, int32_t part, const place &at)
{
    const T *from = static_cast<const T *>(a.partial) + static_cast<size_t>(part) * a.k + at.j;
    sums<T, WIDTH, VECTORS> x;
    x.clear();
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            if (at.j + i * at.far < a.k)
                x.part[i].value[w] = __ldcg(from + i * at.far + w);
    return x;
}

/* Put the sum of a part where the others are.  \return the number of the long row when this part is
 * the last one to arrive, else -1; the same for all lanes of the group */
template <typename T, int WIDTH, int VECTORS>
__device__ __forceinline__ int32_t arrive(const rc_gchunk_args_t &a, int32_t part, int32_t tile,
    const place &at, const sums<T, WIDTH, VECTORS> &sum)
{
    T *to = static_cast<T *>(a.partial) + static_cast<size_t>(part) * a.k + at.j;
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            if (at.j + i * at.far < a.k)
                __stcg(to + i * at.far + w, sum.part[i].value[w]);
    const unsigned mask =
        (a.lanes == 32 ? ~0u : (1u << a.lanes) - 1) << ((threadIdx.x & 31) - at.lane);
    const int32_t number = a.of[part];
    int32_t before = 0;
    __threadfence();
    __syncwarp(mask);
    if (at.lane == 0)
        before = atomicAdd(a.arrived + static_cast<size_t>(number) * a.k + tile, 1);
    before = __shfl_sync(mask, before, 0, a.lanes);
    return before == a.lengthy[number].parts - 1 ? number : -1;
}

/* The block whose part arrived last adds all of them: group g those with numbers g, g + 16, ..., and
 * then the first group the sums of the groups. */
template <typename T, int WIDTH, int VECTORS>
__device__ __forceinline__ void add_parts(const rc_gchunk_args_t &a, int32_t number, int32_t tile,
    const place &at, sums<T, WIDTH, VECTORS> *shared)
{
    const int g = at.group % RC_CHUNKS_BLOCK;
    sums<T, WIDTH, VECTORS> sum;
    sum.clear();
    if (number >= 0) {
        const rc_chunks_long_t l = a.lengthy[number];
        __threadfence();
        for (int32_t i = g; i < l.parts; i += RC_CHUNKS_BLOCK)
            sum.add(load_part<T, WIDTH, VECTORS>(a, l.first + i, at));
        shared[threadIdx.x] = sum;
    }
    __syncthreads();
    if (number >= 0 && g == 0) {
        for (int i = 1; i < RC_CHUNKS_BLOCK; i++)
            sum.add(shared[threadIdx.x + i * a.lanes]);
        store_row(a, a.lengthy[number].row, at, sum);
        if (at.lane == 0)
            a.arrived[static_cast<size_t>(number) * a.k + tile] = 0;
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
    at.group = threadIdx.x / static_cast<unsigned>(a.lanes);
    at.far = a.lanes * WIDTH;
    const int groups = blockDim.x / static_cast<unsigned>(a.lanes);
    const int32_t chunk = blockIdx.x * groups + at.group;
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
            if (at.group % RC_CHUNKS_BLOCK == 0) {
                int32_t number = row < -1 ? arrive(a, -2 - row, tile, at, sum) : -1;
                if (at.lane == 0)
                    last[at.group / RC_CHUNKS_BLOCK] = number;
            }
            __syncthreads();
            add_parts(a, last[at.group / RC_CHUNKS_BLOCK], tile, at, shared);
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
