/* The device function of gchunk for matrices of many CTAs.  A CTA takes `rounds` times as many
 * neighbouring chunks as it has groups: their rows share more of B, which L1 keeps for them, and
 * A of the next round is on its way while a round is multiplied.  The sums are those of
 * rc::chunks, bit by bit where B is finite, but for the sign of zeros: padding is not
 * multiplied. */
#ifndef RC_KERNELS_SPMM_CUDA_GCHUNK_WALK_CUH
#define RC_KERNELS_SPMM_CUDA_GCHUNK_WALK_CUH

#include "device/cuda/residency.cuh"
#include "kernels/spmm/cuda/gchunk.cuh"

namespace rc
{

/* What is to be known of a chunk before its sum is there. */
struct chunk_head {
    int32_t row;
    int count;

    /* \param there  false: the chunk belongs to no row */
    __device__ __forceinline__ chunk_head(const rc_gchunk_args_t &a, int32_t chunk, bool there)
        : row(there ? __ldg(a.row + chunk) : -1),
          count(there ? __ldg(a.count + chunk) : static_cast<int>(RC_CHUNKS_NOTHING))
    {
    }
};

/* A batch that is all padding: no entries of a row are as equal. */
template <typename T, typename C, int BATCH>
__device__ __forceinline__ bool is_padding(const batch<T, C, BATCH> &x)
{
    bool zero = x.col.value[0] == x.col.value[BATCH - 1];
#pragma unroll
    for (int u = 0; u < BATCH; u++)
        zero = zero && x.val.value[u] == T(0);
    return zero;
}

/* As rc::multiply; `now` becomes what is at `after`. */
template <typename T, typename C, int WIDTH, int BATCH>
__device__ __forceinline__ void multiply_ahead(const rc_gchunk_args_t &a,
    const operand<T, RC_GCHUNK_ROWS, WIDTH, 1> &b, size_t from, size_t after,
    batch<T, C, BATCH> *now, sums<sum_of<T>, WIDTH, 1> *sum)
{
    typedef sum_of<T> S;
#pragma unroll 1
    for (int left = a.entries - BATCH;; left -= BATCH) {
        packed<T, WIDTH> m[BATCH];
        batch<T, C, BATCH> next;
#pragma unroll
        for (int u = 0; u < BATCH; u++)
            m[u] = b.load(0, static_cast<uint32_t>(now->col.value[u]));
        from = left > 0 ? from + BATCH : after;
        next.load(a, from);
#pragma unroll
        for (int u = 0; u < BATCH; u++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                sum->part[0].value[w] = fma(static_cast<S>(now->val.value[u]),
                    static_cast<S>(m[u].value[w]), sum->part[0].value[w]);
        *now = next;
        if (left <= 0)
            return;
        if (is_padding(next)) { /* and so are all that follow */
            now->load(a, after);
            return;
        }
    }
}

/* To be launched with RC_GCHUNK_WALK_THREADS threads and, where rows have several chunks, twice the
 * shared memory of rc::chunks: what a round writes there is read before the one after the next. */
template <typename T, typename C, int WIDTH, int BATCH, bool LONGS>
__global__ void __launch_bounds__(RC_GCHUNK_WALK_THREADS,
    rc::resident(RC_GCHUNK_WALK_THREADS, sizeof(T) <= 4 && WIDTH * sizeof(sum_of<T>) <= 16 ? 5 : 4))
    walk(const rc_gchunk_args_t a)
{
    typedef sums<sum_of<T>, WIDTH, 1> sums_t;
    extern __shared__ uint4 memory[];
    __shared__ int32_t
        last[RC_GCHUNK_WALK_THREADS / RC_CHUNKS_BLOCK]; /* of each block of the CTA */
    sums_t *shared = reinterpret_cast<sums_t *>(memory);
    chunk_place at;
    at.lane = threadIdx.x % static_cast<unsigned>(a.lanes);
    at.group = threadIdx.x / static_cast<unsigned>(a.lanes);
    at.lanes = a.lanes;
    at.far = a.lanes * WIDTH;
    at.begin = 0;
    at.end = a.k;
    const int32_t groups = blockDim.x / static_cast<unsigned>(a.lanes);
    const int32_t first = blockIdx.x * groups * a.rounds;
    const int32_t end = min(a.chunks, first + groups * a.rounds);
    int side = 0; /* of shared memory that sums meet in */
    launch_next();
    wait_for_previous();
    for (int32_t tile = blockIdx.y; tile < a.tiles; tile += gridDim.y) {
        at.j = (tile * a.lanes + at.lane) * WIDTH;
        const operand<T, RC_GCHUNK_ROWS, WIDTH, 1> b(a, at);
        int32_t chunk = first + at.group;
        size_t from =
            chunk < end ? static_cast<size_t>(chunk) * static_cast<unsigned>(a.entries) : 0;
        chunk_head head(a, chunk, chunk < end);
        batch<T, C, BATCH> now;
        now.load(a, from);
        for (int32_t round = first; round < end; round += groups) {
            chunk += groups;
            const size_t after =
                chunk < end ? static_cast<size_t>(chunk) * static_cast<unsigned>(a.entries) : from;
            const chunk_head next(a, chunk, chunk < end);
            sums_t sum;
            sum.clear();
            if (!(head.count & RC_CHUNKS_NOTHING))
                multiply_ahead<T, C, WIDTH, BATCH>(a, b, from, after, &now, &sum);
            else
                now.load(a, after);
            if (a.meet) {
                sums_t *mine = shared + side * blockDim.x + threadIdx.x;
                if (head.count == 0)
                    *mine = sum;
                __syncthreads();
                for (int i = 1; i < (head.count & ~RC_CHUNKS_NOTHING); i++)
                    sum.add(mine[i * a.lanes]);
                side ^= 1;
            }
            if (head.row >= 0)
                store_row<T, RC_GCHUNK_ROWS, WIDTH, 1>(a, head.row, at, sum);
            if (LONGS && __syncthreads_or(head.row < -1)) {
                finish_parts<T, RC_GCHUNK_ROWS, WIDTH, 1>(a, head.row, tile, at, sum, last, shared);
                __syncthreads();
            }
            from = after;
            head = next;
        }
    }
}

template <typename T, typename C, int WIDTH> const void *walk_entry(int batch, int longs)
{
    if constexpr (sizeof(T) <= 4)
        if (batch == 8)
            return longs ? reinterpret_cast<const void *>(walk<T, C, WIDTH, 8, true>)
                         : reinterpret_cast<const void *>(walk<T, C, WIDTH, 8, false>);
    return longs ? reinterpret_cast<const void *>(walk<T, C, WIDTH, 4, true>)
                 : reinterpret_cast<const void *>(walk<T, C, WIDTH, 4, false>);
}

template <typename T, int WIDTH> const void *walk_entry(int64_t col_bytes, int batch, int longs)
{
    return col_bytes == 2 ? walk_entry<T, uint16_t, WIDTH>(batch, longs)
                          : walk_entry<T, uint32_t, WIDTH>(batch, longs);
}

} // namespace rc

#endif
