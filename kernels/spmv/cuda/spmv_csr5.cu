/* Device function of csr5: a warp a tile, a lane a column.  A lane stores the rows that begin
 * and end in its column; what lies before its first flag belongs to the last row of an earlier
 * column, which lanes, then warps, then CTAs hand on. */
#include "device/cuda/types.cuh"
#include "kernels/spmv/cuda/spmv.cuh"

namespace
{

enum { TILES = RC_SPMV_CSR5_TILES, BATCH = 8 };

/* What the tiles of a CTA leave; S is a type of sums. */
template <typename S> struct tiles {
    S in[TILES];         /* before the first flag */
    S out[TILES];        /* after the last flag */
    int32_t slot[TILES]; /* of that */
    int any[TILES];      /* 1: a flag */
    int start[TILES];    /* 1: the first entry has one */
    S ahead[TILES];      /* of the entries of the next CTA that this one takes, by warps */
};

/* Which slot a row of a tile is: its rows count from the one that holds the first entry. */
struct rows {
    const int32_t *offset; /* NULL: no row of the tile is empty */
    int32_t first;

    __device__ __forceinline__ rows(const rc_spmv_csr5_args_t &a, int64_t t)
    {
        const uint32_t at = __ldg(a.tile_ptr + t);
        first = static_cast<int32_t>(at & ~RC_CSR5_DIRTY);
        offset = at & RC_CSR5_DIRTY ? a.empty_offset + __ldg(a.empty_ptr + t) : nullptr;
    }

    __device__ __forceinline__ int32_t slot(int32_t i) const
    {
        return offset && i > 0 ? first + 1 + __ldg(offset + i - 1) : first + i;
    }
};

/* The flag of the first entry of a tile. */
__device__ __forceinline__ int starts(const rc_spmv_csr5_args_t &a, int64_t t)
{
    const int bit = a.y_bits + RC_CSR5_SEG_BITS;
    const uint32_t word = __ldg(a.desc + (t * a.words + bit / 32) * RC_CSR5_OMEGA);
    return word >> bit % 32 & 1u;
}

/* Flags s to s + BATCH - 1 of a column, from the lowest bit on. */
__device__ __forceinline__ uint32_t flags_from(
    const rc_spmv_csr5_args_t &a, const uint32_t *desc, int32_t s)
{
    const int bit = a.y_bits + RC_CSR5_SEG_BITS + s;
    const int word = bit / 32;
    const uint32_t low = __ldg(desc + word * RC_CSR5_OMEGA);
    const uint32_t high = word + 1 < a.words ? __ldg(desc + (word + 1) * RC_CSR5_OMEGA) : 0u;
    return __funnelshift_r(low, high, bit % 32);
}

/* What a column has of rows that it does not hold whole. */
template <typename S> struct column {
    S head;    /* before its first flag; all of it if there is none */
    S tail;    /* after its last flag */
    int32_t y; /* the row of that, counted in the tile */
    bool seen; /* a flag */
};

/* The products of a column, one entry after the other; rows that begin and end in it are stored. */
template <typename T>
__device__ __forceinline__ column<rc::sum_of<T>> sum_column(
    const rc_spmv_csr5_args_t &a, int64_t t, const rows &of, const uint32_t *desc)
{
    typedef rc::sum_of<T> S;
    const int lane = threadIdx.x % 32;
    const int64_t begin = t * a.sigma * RC_CSR5_OMEGA + lane;
    const int32_t *col = a.col + begin;
    const T *val = static_cast<const T *>(a.val) + begin;
    const T *x = static_cast<const T *>(a.v.x);
    const int32_t y = static_cast<int32_t>(__ldg(desc) & ((1u << a.y_bits) - 1));
    column<S> has = {S(0), S(0), y, false};
    for (int32_t s = 0; s < a.sigma; s += BATCH) {
        int32_t c[BATCH];
        S m[BATCH];
#pragma unroll
        for (int u = 0; u < BATCH; u++) {
            /* behind the last entry that again: no load waits for a condition */
            const int32_t at = min(s + u, a.sigma - 1) * RC_CSR5_OMEGA;
            c[u] = rc::load_once(col + at);
            m[u] = static_cast<S>(rc::load_once(val + at));
        }
        const uint32_t flags = flags_from(a, desc, s);
#pragma unroll
        for (int u = 0; u < BATCH; u++)
            m[u] *= static_cast<S>(__ldg(x + c[u]));
#pragma unroll
        for (int u = 0; u < BATCH; u++) {
            if (s + u >= a.sigma)
                break;
            if (flags >> u & 1u) {
                if (has.seen)
                    rc::store_slot<T>(a.v, of.slot(has.y), has.tail);
                else
                    has.head = has.tail;
                has.y += lane > 0 || s + u > 0;
                has.seen = true;
                has.tail = S(0);
            }
            has.tail += m[u];
        }
    }
    if (!has.seen)
        has.head = has.tail;
    return has;
}

template <typename T>
__device__ __forceinline__ void sum_tile(
    const rc_spmv_csr5_args_t &a, int64_t t, tiles<rc::sum_of<T>> *shared)
{
    typedef rc::sum_of<T> S;
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
    const rows of(a, t);
    const uint32_t *desc = a.desc + t * a.words * RC_CSR5_OMEGA + lane;
    const column<S> has = sum_column<T>(a, t, of, desc);
    __syncwarp();
    /* what this column and those after it have of a row that goes on, up to the next flag */
    S on = has.head;
    int ends = has.seen;
    const unsigned mask = __ballot_sync(0xffffffffu, has.seen);
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const S other = __shfl_down_sync(0xffffffffu, on, step);
        const int other_ends = __shfl_down_sync(0xffffffffu, ends, step);
        if (lane + step < 32 && !ends) {
            on += other;
            ends = other_ends;
        }
    }
    S after = __shfl_down_sync(0xffffffffu, on, 1);
    after = lane < 31 ? after : S(0);
    if (has.seen) {
        const int32_t slot = of.slot(has.y);
        if (lane < 31 && mask >> (lane + 1))
            rc::store_slot<T>(a.v, slot, has.tail + after);
        else {
            shared->out[warp] = has.tail + after;
            shared->slot[warp] = slot;
        }
    }
    if (lane == 0) {
        shared->in[warp] = on;
        shared->any[warp] = mask != 0;
        shared->start[warp] = starts(a, t);
    }
}

/* The first of the tiles from j on that ends the row that goes on there; adds what they have of
 * it. */
template <typename S>
__device__ __forceinline__ int follow(const tiles<S> &shared, int j, int count, S *sum)
{
    for (; j < count && !shared.start[j]; j++) {
        *sum += shared.in[j];
        if (shared.any[j])
            break;
    }
    return j;
}

/* One entry of tile t: as many as RC_SPMV_LOOK follow the last row of a CTA, a thread each. */
template <typename T> struct entry_ahead {
    int32_t col;
    T val;

    __device__ __forceinline__ entry_ahead(const rc_spmv_csr5_args_t &a, int64_t t, int32_t entries)
    {
        const int32_t i = static_cast<int32_t>(threadIdx.x);
        col = -1;
        if (i >= entries)
            return;
        const int64_t at = t * a.sigma * RC_CSR5_OMEGA +
                           (t < a.full ? i % a.sigma * RC_CSR5_OMEGA + i / a.sigma : i);
        col = __ldg(a.col + at);
        val = __ldg(static_cast<const T *>(a.val) + at);
    }

    /* the sum of a warp's, in its first lane */
    __device__ __forceinline__ rc::sum_of<T> sum(const T *x) const
    {
        typedef rc::sum_of<T> S;
        return rc::sum_lanes<32>(
            col >= 0 ? static_cast<S>(val) * static_cast<S>(__ldg(x + col)) : S(0));
    }
};

/* What a CTA knows of its neighbours. */
struct edges {
    int32_t before; /* open where it begins */
    int32_t after;  /* and where it ends */
    int32_t ahead;  /* entries of the next one that are its own */
};

/* The sums of the row that goes on from tile j to the end of the CTA, or ends before.  Returns 1
 * where it is not whole then. */
template <typename S>
__device__ __forceinline__ bool go_on(
    const tiles<S> &shared, int j, int count, const edges &at, S *sum)
{
    if (follow(shared, j, count, sum) < count)
        return false;
    for (int w = 0; w * 32 < at.ahead; w++)
        *sum += shared.ahead[w];
    return at.after > 0;
}

/* What the tile of a warp leaves, of one thread. */
template <typename T>
__device__ __forceinline__ void hand_on(const rc_spmv_csr5_args_t &a,
    const tiles<rc::sum_of<T>> &shared, int32_t cta, int warp, int count, const edges &at)
{
    typedef rc::sum_of<T> S;
    if (shared.any[warp]) {
        S sum = shared.out[warp];
        if (go_on(shared, warp + 1, count, at, &sum))
            rc::leave(a.v.spans.out, cta, sum);
        else
            rc::store_slot<T>(a.v, shared.slot[warp], sum);
    }
    if (warp == 0 && at.before > 0) {
        S sum = S(0);
        (void)go_on(shared, 0, count, at, &sum);
        rc::leave(a.v.spans.in, cta, sum);
    }
}

template <typename T>
__global__ void __launch_bounds__(RC_SPMV_THREADS, rc::resident(RC_SPMV_THREADS, 9))
    csr5(const rc_spmv_csr5_args_t a)
{
    __shared__ tiles<rc::sum_of<T>> shared;
    const int32_t cta = static_cast<int32_t>(blockIdx.x);
    rc::launch_next();
    if (cta >= a.ctas) {
        rc::coo_share<T>(a.tail, cta - a.ctas, cta);
        return;
    }
    const int64_t first = static_cast<int64_t>(cta) * TILES;
    const int count = static_cast<int>(min(a.full - first, static_cast<int64_t>(TILES)));
    const int warp = threadIdx.x / 32;
    const rc_spmv_share_t next = a.share[cta + 1];
    const edges at = {a.share[cta].open, next.open, static_cast<int32_t>(next.entry)};
    const entry_ahead<T> ahead(a, first + count, at.ahead);
    rc::wait_for_previous();
    if (warp < count)
        sum_tile<T>(a, first + warp, &shared);
    if (warp * 32 < at.ahead) {
        const rc::sum_of<T> sum = ahead.sum(static_cast<const T *>(a.v.x));
        if (threadIdx.x % 32 == 0)
            shared.ahead[warp] = sum;
    }
    __syncthreads();
    if (warp < count && threadIdx.x % 32 == 0)
        hand_on<T>(a, shared, cta, warp, count, at);
    rc::end_share<T>(a.v, at.before, at.after);
}

} // namespace

extern "C" const void *rc_spmv_csr5_entry(rc_precision_t precision)
{
    return rc::pick<rc::reals>(
        precision, [&](auto t) { return reinterpret_cast<const void *>(&csr5<RC_VALUE(t)>); });
}
