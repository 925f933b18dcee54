/* CSR5 of format/cuda/vector.h: rows set their flags, then a warp describes a tile. */
#include "format/cuda/vector.cuh"
#include "format/cuda/shares.h"

namespace
{

enum {
    OMEGA = RC_CSR5_OMEGA,
    WARPS = 4,
    SHORT = 32 /* entries of a column that go through shared memory */
};

/* What device functions take of rc_build_csr5_t. */
struct tiles {
    rc::csr from;
    int64_t nnz;
    int64_t entries; /* of a tile */
    int64_t sigma;
    int64_t all;
    int64_t full;
    int y_bits;
    int words;
    uint32_t *ptr;
    uint32_t *desc;
    int32_t *empty_ptr;
    int32_t *empty_offset;

    __device__ __forceinline__ uint32_t *word(int64_t t, int64_t c, int64_t w) const
    {
        return desc + (t * words + w) * OMEGA + c;
    }

    __device__ __forceinline__ int64_t bit(int64_t s) const
    {
        return y_bits + RC_CSR5_SEG_BITS + s;
    }

    __device__ __forceinline__ int flag(int64_t t, int64_t c, int64_t s) const
    {
        const int64_t at = bit(s);
        return *word(t, c, at / 32) >> at % 32 & 1u;
    }

    /* flags of a column before entry s */
    __device__ __forceinline__ int flags(int64_t t, int64_t c, int64_t s) const
    {
        int n = 0;
        const int64_t from_bit = bit(0);
        const int64_t to_bit = bit(s);
        for (int64_t w = from_bit / 32; w * 32 < to_bit; w++) {
            uint32_t has = *word(t, c, w);
            if (w == from_bit / 32)
                has &= ~0u << from_bit % 32;
            if (to_bit < (w + 1) * 32)
                has &= (1u << to_bit % 32) - 1;
            n += __popc(has);
        }
        return n;
    }
};

struct find_rows {
    tiles f;

    __device__ void put(int64_t t) const
    {
        const int64_t begin = min(t * f.entries, f.nnz);
        f.ptr[t] = static_cast<uint32_t>(rc::place_of(f.from.ptr, 0, f.from.slots, begin));
    }
};

/* Rows with entries set the flag of their first one; others make their tile dirty. */
struct set_flags {
    tiles f;

    __device__ void put(int64_t r) const
    {
        const int64_t begin = f.from.ptr[r];
        if (f.from.ptr[r + 1] == begin) {
            if (begin > 0) {
                uint32_t *at = f.ptr + (begin - 1) / f.entries;
                if (!(*at & RC_CSR5_DIRTY))
                    atomicOr(at, RC_CSR5_DIRTY);
            }
            return;
        }
        const int64_t t = begin / f.entries;
        if (t >= f.full)
            return;
        const int64_t place = begin - t * f.entries;
        const int64_t at = f.bit(place % f.sigma);
        atomicOr(f.word(t, place / f.sigma, at / 32), 1u << at % 32);
    }
};

/* A warp a tile: how far the sums of columns go. */
__global__ void __launch_bounds__(rc::VECTOR_THREADS) describe(const tiles f)
{
    const int lane = threadIdx.x % OMEGA;
    const int64_t t =
        static_cast<int64_t>(blockIdx.x) * (rc::VECTOR_THREADS / OMEGA) + threadIdx.x / OMEGA;
    if (t >= f.full)
        return;
    const int mine = f.flags(t, lane, f.sigma);
    const int begins = f.flag(t, 0, 0);
    int before = mine;
    for (int step = 1; step < OMEGA; step *= 2) {
        const int other = __shfl_up_sync(0xffffffffu, before, step);
        before += lane >= step ? other : 0;
    }
    before -= mine;
    const unsigned has = __ballot_sync(0xffffffffu, mine > 0);
    const unsigned later = lane < OMEGA - 1 ? has >> (lane + 1) : 0u;
    const int seg = mine == 0 ? 0 : later ? __ffs(later) - 1 : OMEGA - 1 - lane;
    const int y = lane > 0 ? before - begins : 0;
    __syncwarp();
    *f.word(t, lane, 0) |= static_cast<uint32_t>(y) | static_cast<uint32_t>(seg) << f.y_bits;
}

/* Empty offsets of a tile: of all flags but that of its first entry, where a row of it is empty. */
struct count_offsets {
    tiles f;

    __device__ int64_t count(int64_t t) const
    {
        if (t >= f.full || !(f.ptr[t] & RC_CSR5_DIRTY))
            return 0;
        const int64_t last = OMEGA - 1;
        const uint32_t y = *f.word(t, last, 0) & ((1u << f.y_bits) - 1);
        return y + f.flags(t, last, f.sigma);
    }

    __device__ void put(int64_t t, int64_t before, int64_t) const
    {
        f.empty_ptr[t] = static_cast<int32_t>(before);
    }
};

struct set_offsets {
    tiles f;

    __device__ void put(int64_t r) const
    {
        const int64_t begin = f.from.ptr[r];
        const int64_t t = begin / f.entries;
        if (f.from.ptr[r + 1] == begin || t >= f.full || !(f.ptr[t] & RC_CSR5_DIRTY))
            return;
        const int64_t place = begin - t * f.entries;
        const int64_t c = place / f.sigma;
        if (place == 0)
            return;
        const int y = static_cast<int>(*f.word(t, c, 0) & ((1u << f.y_bits) - 1));
        const int before = f.flags(t, c, place % f.sigma) - (c == 0 ? f.flag(t, 0, 0) : 0);
        f.empty_offset[f.empty_ptr[t] + y + before] =
            static_cast<int32_t>(r - (f.ptr[t] & ~RC_CSR5_DIRTY) - 1);
    }
};

/* One array of a tile in stored order.  F: what entry i of CSR has */
template <typename T, typename F>
__device__ __forceinline__ void store_tile(const F &from, int64_t begin, int sigma, T *to, T *room)
{
    const int lane = threadIdx.x % OMEGA;
    if (sigma > SHORT) {
        for (int64_t s = 0; s < sigma; s++)
            to[s * OMEGA + lane] = from(begin + static_cast<int64_t>(lane) * sigma + s);
        return;
    }
    for (int s = 0; s < sigma; s++) {
        const int i = s * OMEGA + lane;
        room[i + i / 32] = from(begin + i);
    }
    __syncwarp();
    for (int s = 0; s < sigma; s++) {
        const int i = lane * sigma + s;
        to[s * OMEGA + lane] = room[i + i / 32];
    }
    __syncwarp();
}

/* A warp a full tile; the warps behind them copy the last one.  I: of places */
template <typename I>
__global__ void __launch_bounds__(OMEGA *WARPS) store_tiles(const tiles f, int32_t *col, I *entry)
{
    __shared__ I room[WARPS][OMEGA * (SHORT + 1)];
    const int lane = threadIdx.x % OMEGA;
    const int warp = threadIdx.x / OMEGA;
    const int64_t t = static_cast<int64_t>(blockIdx.x) * WARPS + warp;
    const int64_t begin = t * f.entries;
    const rc::csr &a = f.from;
    const auto col_of = [&](int64_t i) { return a.col[i]; };
    const auto place_of = [&](int64_t i) { return static_cast<I>(a.number(i) + 1); };
    if (t < f.full) {
        store_tile(col_of, begin, static_cast<int>(f.sigma), col + begin,
            reinterpret_cast<int32_t *>(room[warp]));
        store_tile(place_of, begin, static_cast<int>(f.sigma), entry + begin, room[warp]);
    } else if (t == f.full)
        for (int64_t i = begin + lane; i < f.nnz; i += OMEGA) {
            col[i] = col_of(i);
            entry[i] = place_of(i);
        }
}

/* Slots of the entries of the last tile. */
struct tail_rows {
    tiles f;
    int32_t *slot;

    __device__ void put(int64_t i) const
    {
        const int64_t low = f.ptr[f.full] & ~RC_CSR5_DIRTY;
        slot[i] = static_cast<int32_t>(
            rc::place_of(f.from.ptr, low, f.from.slots - 1, f.full * f.entries + i));
    }
};

/* The shares of full tiles, and what the first of the others is. */
struct tile_shares {
    tiles f;
    int64_t each;
    int64_t ctas;
    int64_t look;
    int has_tail;
    rc_spmv_share_t *share;

    __device__ void put(int64_t k) const
    {
        if (k == ctas && !has_tail)
            return;
        const int64_t t = k < ctas ? k * each : f.full;
        const int64_t row = f.ptr[t] & ~RC_CSR5_DIRTY;
        const int64_t at = t * f.entries;
        const int64_t rest = f.from.ptr[row] < at ? f.from.ptr[row + 1] - at : 0;
        share[k] = {rest <= look ? rest : 0, static_cast<int32_t>(row), rest > look};
    }
};

tiles tiles_of(const rc_build_csr_t *c, const rc_build_csr5_t *o)
{
    tiles f;
    f.from = rc::csr_of(c);
    f.nnz = c->nnz;
    f.sigma = o->size.sigma;
    f.entries = o->size.sigma * OMEGA;
    f.all = o->size.tiles;
    f.full = o->size.full;
    f.y_bits = o->size.y_bits;
    f.words = o->size.words;
    f.ptr = o->tile_ptr;
    f.desc = o->desc;
    f.empty_ptr = o->empty_ptr;
    f.empty_offset = o->empty_offset;
    return f;
}

rc_status_t describe_tiles(rc_build_csr_t *c, const tiles &f, rc_err_t *err)
{
    rc_executor_t *x = c->b.x;
    rc_status_t st = rc::put_each(x, find_rows{f}, f.all + 1, "rows of tiles", err);
    if (st == RC_OK)
        st = rc::put_each(x, set_flags{f}, c->slots, "flags of tiles", err);
    if (st < 0 || f.full == 0)
        return st;
    const rc::current gpu(x);
    describe<<<static_cast<unsigned>(rc::ceil_div(f.full, rc::VECTOR_THREADS / OMEGA)),
        rc::VECTOR_THREADS, 0, rc_cuda_stream(x)>>>(f);
    return rc_cuda_launched("describing tiles", err);
}

template <typename I>
rc_status_t store_all(rc_executor_t *x, const tiles &f, int32_t *col, I *entry, rc_err_t *err)
{
    if (f.all == 0)
        return RC_OK;
    const rc::current gpu(x);
    store_tiles<<<static_cast<unsigned>(rc::ceil_div(f.all, WARPS)), OMEGA * WARPS, 0,
        rc_cuda_stream(x)>>>(f, col, entry);
    return rc_cuda_launched("entries of tiles", err);
}

rc_status_t list_shares(rc_executor_t *x, const tiles &f, const rc_build_csr5_t *o, rc_err_t *err)
{
    rc_status_t st =
        rc::put_each(x, tail_rows{f, o->tail}, o->tail_entries, "rows of the last tile", err);
    if (st == RC_OK)
        st = rc::cut_shares(
            x, o->tail, f.from.ptr, f.full * f.entries, o->tail_entries, o->share + o->ctas, err);
    return st < 0
               ? st
               : rc::put_each(x,
                     tile_shares{f, o->tiles_each, o->ctas, o->look, o->tail_entries > 0, o->share},
                     o->ctas + 1, "shares of tiles", err);
}

} // namespace

extern "C" rc_status_t rc_build_csr5(rc_build_csr_t *c, const rc_build_csr5_t *out, rc_err_t *err)
{
    rc_executor_t *x = c->b.x;
    const tiles f = tiles_of(c, out);
    rc_status_t st = describe_tiles(c, f, err);
    if (st == RC_OK && out->empty_ptr)
        st = rc::put_in_order(&c->b, count_offsets{f}, f.all, "empty offsets of tiles", err);
    if (st == RC_OK && out->empty_ptr)
        st = rc::put_each(x, set_offsets{f}, c->slots, "empty offsets of tiles", err);
    if (st == RC_OK)
        st = c->entry_bytes == 4
                 ? store_all(x, f, out->col, static_cast<int32_t *>(out->entry), err)
                 : store_all(x, f, out->col, static_cast<long long *>(out->entry), err);
    return st < 0 ? st : list_shares(x, f, out, err);
}
