/* Device functions of gchunk and gchunk-col.  The lanes of a chunk hold neighbouring columns of C.
 * Everything that a chunk reads of A is at a place that its number tells, so its columns and values
 * are on their way at once, and then all its rows of B.  Sums are added in a fixed order: two runs
 * give the same bits. */
#ifndef RC_KERNELS_SPMM_CUDA_GCHUNK_CUH
#define RC_KERNELS_SPMM_CUDA_GCHUNK_CUH

#include "kernels/spmm/cuda/gchunk.h"
#include "device/cuda/load.cuh"
#include "device/cuda/overlap.cuh"
#include "format/cuda/parts.cuh"

namespace rc
{

/* Where a lane is: of the group of its chunk. */
struct chunk_place : place {
    int group; /* number of its chunk in the CTA */
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

/* What a lane reads of B: its columns of a row. */
template <typename T, int FORM, int WIDTH, int VECTORS> struct operand {
    const T *from[VECTORS];
    uint32_t ld;

    /* Lanes past the last column load the first one. */
    __device__ __forceinline__ operand(const rc_gchunk_args_t &a, const chunk_place &at) : ld(a.ldb)
    {
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
            from[i] =
                static_cast<const T *>(a.b) + (at.j + i * at.far < a.k ? at.j + i * at.far : 0);
    }

    __device__ __forceinline__ packed<T, WIDTH> load(int i, uint32_t row) const
    {
        packed<T, WIDTH> x;
        x.vector = load_vector<T, WIDTH>(from[i] + static_cast<uint64_t>(row) * ld);
        return x;
    }
};

template <typename T, int WIDTH, int VECTORS> struct operand<T, RC_GCHUNK_COLUMNS, WIDTH, VECTORS> {
    const T *from[VECTORS][WIDTH];

    /* A lane past the last column loads that one. */
    __device__ __forceinline__ operand(const rc_gchunk_args_t &a, const chunk_place &at)
    {
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                from[i][w] = static_cast<const T *>(a.b) +
                             line_at(min(at.j + i * at.far + w, a.columns - 1), a.ldb);
    }

    __device__ __forceinline__ packed<T, WIDTH> load(int i, uint32_t row) const
    {
        packed<T, WIDTH> x;
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            x.value[w] = __ldg(from[i][w] + row);
        return x;
    }
};

/* Padding loads a row of B that the chunk loads anyway: no load waits for a condition.  The next
 * batch of A is on its way while this one is multiplied. */
template <typename T, typename C, int FORM, int WIDTH, int VECTORS, int BATCH>
__device__ __forceinline__ void multiply(const rc_gchunk_args_t &a, size_t from,
    const chunk_place &at, batch<T, C, BATCH> now, sums<sum_of<T>, WIDTH, VECTORS> *sum)
{
    typedef sum_of<T> S;
    const operand<T, FORM, WIDTH, VECTORS> b(a, at);
#pragma unroll 1
    for (int left = a.entries - BATCH;; left -= BATCH) {
        packed<T, WIDTH> m[BATCH][VECTORS];
        batch<T, C, BATCH> next = now;
#pragma unroll
        for (int u = 0; u < BATCH; u++)
#pragma unroll
            for (int i = 0; i < VECTORS; i++)
                m[u][i] = b.load(i, static_cast<uint32_t>(now.col.value[u]));
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
                    sum->part[i].value[w] = fma(static_cast<S>(now.val.value[u]),
                        static_cast<S>(m[u][i].value[w]), sum->part[i].value[w]);
        if (left <= 0)
            return;
        now = next;
    }
}

/* A column of C is stored in pieces where neighbouring lanes have neighbouring rows. */
template <typename T, int WIDTH, int VECTORS>
__device__ __forceinline__ void store_columns(const rc_gchunk_args_t &a, int32_t row,
    const chunk_place &at, const sums<sum_of<T>, WIDTH, VECTORS> &sum)
{
    T *c = static_cast<T *>(a.c) + row;
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
#pragma unroll
        for (int w = 0; w < WIDTH; w++) {
            const int32_t j = at.j + i * at.far + w;
            if (j < a.columns)
                store(c + line_at(j, a.ldc), sum.part[i].value[w], a.scalars);
        }
}

template <typename T, int FORM, int WIDTH, int VECTORS>
__device__ __forceinline__ void store_row(const rc_gchunk_args_t &a, int32_t row,
    const chunk_place &at, const sums<sum_of<T>, WIDTH, VECTORS> &sum)
{
    if (FORM != RC_GCHUNK_ROWS) {
        store_columns<T, WIDTH, VECTORS>(a, row, at, sum);
        return;
    }
    store_sums<T, WIDTH, VECTORS>(static_cast<T *>(a.c) + line_at(row, a.ldc), at, sum, a.scalars);
}

/* The rows of a CTA to a column-major C.  They meet in shared memory, column by column, so that
 * neighbouring threads store to neighbouring rows.  All threads of the CTA are here.
 * \param tile  [lanes * WIDTH * VECTORS][groups + 1]
 * \param rows  [groups] row of each group; < 0: none to store */
template <typename T, int WIDTH, int VECTORS>
__device__ __forceinline__ void store_tile(const rc_gchunk_args_t &a, const chunk_place &at,
    const sums<sum_of<T>, WIDTH, VECTORS> &sum, sum_of<T> *tile, const int32_t *rows)
{
    const unsigned groups = blockDim.x / static_cast<unsigned>(a.lanes);
    const unsigned pitch = groups + 1;
    const unsigned g = threadIdx.x % groups;
    const int32_t first = at.j - at.lane * WIDTH; /* column of C that the tile begins with */
    if (rows[at.group] >= 0)
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                tile[((i * a.lanes + at.lane) * WIDTH + w) * pitch + at.group] =
                    sum.part[i].value[w];
    __syncthreads();
    const int32_t row = rows[g];
#pragma unroll
    for (int i = 0; i < VECTORS * WIDTH; i++) {
        const int32_t j = threadIdx.x / groups + i * a.lanes;
        if (row >= 0 && first + j < a.columns)
            store(static_cast<T *>(a.c) + line_at(first + j, a.ldc) + row, tile[j * pitch + g],
                a.scalars);
    }
}

/* As rc::arrive, by the lanes of a group: all of them have put their columns, and get the
 * answer. */
__device__ __forceinline__ int32_t arrive_together(
    const rc_gchunk_args_t &a, int32_t part, int32_t tile, const chunk_place &at)
{
    const unsigned mask = (at.lanes == 32 ? ~0u : (1u << at.lanes) - 1)
                          << ((threadIdx.x & 31) - at.lane);
    int32_t number = -1;
    __threadfence();
    __syncwarp(mask);
    if (at.lane == 0)
        number = arrive(a.parts, a.k, part, tile);
    return __shfl_sync(mask, number, 0, at.lanes);
}

/* The block whose part arrived last adds all of them: group g those with numbers g, g + 16, ...,
 * and then the first group the sums of the groups. */
template <typename T, int FORM, int WIDTH, int VECTORS>
__device__ __forceinline__ void add_parts(const rc_gchunk_args_t &a, int32_t number, int32_t tile,
    const chunk_place &at, sums<sum_of<T>, WIDTH, VECTORS> *shared)
{
    const int g = at.group % RC_CHUNKS_BLOCK;
    typedef sum_of<T> S;
    sums<S, WIDTH, VECTORS> sum;
    sum.clear();
    if (number >= 0) {
        const rc_long_row_t l = a.parts.lengthy[number];
        __threadfence();
        for (int32_t i = g; i < l.parts; i += RC_CHUNKS_BLOCK)
            sum.add(load_part<S, WIDTH, VECTORS>(a.parts, a.k, l.first + i, at));
        shared[threadIdx.x] = sum;
    }
    __syncthreads();
    if (number >= 0 && g == 0) {
        for (int i = 1; i < RC_CHUNKS_BLOCK; i++)
            sum.add(shared[threadIdx.x + i * a.lanes]);
        store_row<T, FORM, WIDTH, VECTORS>(a, a.parts.lengthy[number].row, at, sum);
        depart(a.parts, a.k, number, tile, at);
    }
}

/* The sum of a part of a long row is put where the others are; the block of the last one adds them.
 * \param row   -2 - i: the group holds part i
 * \param last  [blocks of the CTA] scratch */
template <typename T, int FORM, int WIDTH, int VECTORS>
__device__ __forceinline__ void finish_parts(const rc_gchunk_args_t &a, int32_t row, int32_t tile,
    const chunk_place &at, const sums<sum_of<T>, WIDTH, VECTORS> &sum, int32_t *last,
    sums<sum_of<T>, WIDTH, VECTORS> *shared)
{
    if (at.group % RC_CHUNKS_BLOCK == 0) {
        int32_t number = -1;
        if (row < -1) {
            put_part(a.parts, a.k, -2 - row, at, sum);
            number = arrive_together(a, -2 - row, tile, at);
        }
        if (at.lane == 0)
            last[at.group / RC_CHUNKS_BLOCK] = number;
    }
    __syncthreads();
    add_parts<T, FORM, WIDTH, VECTORS>(a, last[at.group / RC_CHUNKS_BLOCK], tile, at, shared);
}

template <typename T, typename C, int FORM, int WIDTH, int VECTORS, int BATCH>
__global__ void __launch_bounds__(
    FORM == RC_GCHUNK_COLUMNS ? RC_GCHUNK_THREADS : RC_GCHUNK_THREADS_MAX,
    FORM == RC_GCHUNK_COLUMNS ? 3 : 2) chunks(const rc_gchunk_args_t a)
{
    typedef sums<sum_of<T>, WIDTH, VECTORS> sums_t;
    extern __shared__ uint4 memory[];
    __shared__ int32_t rows[FORM == RC_GCHUNK_TRANSPOSED ? RC_GCHUNK_THREADS_MAX : 1];
    __shared__ int32_t last[RC_GCHUNK_THREADS_MAX / RC_CHUNKS_BLOCK]; /* of each block of the CTA */
    sums_t *shared = reinterpret_cast<sums_t *>(memory);
    chunk_place at;
    at.lane = threadIdx.x % static_cast<unsigned>(a.lanes);
    at.group = threadIdx.x / static_cast<unsigned>(a.lanes);
    at.lanes = a.lanes;
    at.far = a.lanes * WIDTH;
    at.begin = 0;
    at.end = a.k;
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
    if (FORM == RC_GCHUNK_TRANSPOSED) {
        if (at.lane == 0)
            rows[at.group] = row;
        __syncthreads();
    }
    wait_for_previous();
    for (int32_t tile = blockIdx.y; tile < a.tiles; tile += gridDim.y) {
        sums_t sum;
        sum.clear();
        at.j = (tile * VECTORS * a.lanes + at.lane) * WIDTH;
        if (!(count & RC_CHUNKS_NOTHING))
            multiply<T, C, FORM, WIDTH, VECTORS, BATCH>(a, from, at, first, &sum);
        if (a.meet) {
            if (count == 0)
                shared[threadIdx.x] = sum;
            __syncthreads();
            for (int i = 1; i < (count & ~RC_CHUNKS_NOTHING); i++)
                sum.add(shared[threadIdx.x + i * a.lanes]);
        }
        if (FORM == RC_GCHUNK_TRANSPOSED) {
            if (a.meet)
                __syncthreads(); /* the sums there have been read */
            store_tile<T, WIDTH, VECTORS>(a, at, sum, reinterpret_cast<sum_of<T> *>(memory), rows);
        } else if (row >= 0)
            store_row<T, FORM, WIDTH, VECTORS>(a, row, at, sum);
        if (a.longs)
            finish_parts<T, FORM, WIDTH, VECTORS>(a, row, tile, at, sum, last, shared);
        if (gridDim.y < a.tiles)
            __syncthreads(); /* before the next tile writes what this one reads */
    }
}

template <typename T, typename C, int FORM, int WIDTH>
const void *chunks_entry(int vectors, int batch)
{
    if (batch == 4)
        return vectors == 2 ? reinterpret_cast<const void *>(chunks<T, C, FORM, WIDTH, 2, 4>)
                            : reinterpret_cast<const void *>(chunks<T, C, FORM, WIDTH, 1, 4>);
    if constexpr (sizeof(T) <= 4)
        if (vectors == 1)
            return reinterpret_cast<const void *>(chunks<T, C, FORM, WIDTH, 1, 8>);
    return nullptr;
}

template <typename T, int FORM, int WIDTH>
const void *chunks_entry(int64_t col_bytes, int vectors, int batch)
{
    return col_bytes == 2 ? chunks_entry<T, uint16_t, FORM, WIDTH>(vectors, batch)
                          : chunks_entry<T, uint32_t, FORM, WIDTH>(vectors, batch);
}

} // namespace rc

#endif
