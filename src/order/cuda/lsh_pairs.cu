/* Candidates of src/order/lsh.c on a GPU.  Units are sorted by the words of two bands, the last
 * word first, with a stable sort: what is equal in the words of this band is a bucket, in the
 * order that its rule asks for.  Eight lanes take the candidates of a unit; rows of many entries
 * are compared by a whole warp. */
#include "order/cuda/lsh_pairs.h"
#include "order/cuda/orders.cuh"
#include "sparse/similarity.h"

namespace
{

enum {
    TEAM = 8 /* lanes of a unit */,
    LONG = 256 /* entries of two rows from which on a warp compares them */
};

/* What device code sees of a search. */
struct view {
    rc_cuda_pattern_t a;
    const int32_t *unit;
    int64_t units;
    const uint64_t *word; /* of this band */
    int64_t words;
    const uint64_t *first; /* [units] the first words, in order */
    const int32_t *by;     /* [units] the units in order */

    /* Units at two places are in one bucket. */
    __device__ bool together(int64_t i, int64_t j) const
    {
        if (first[i] != first[j])
            return false;
        for (int64_t w = 1; w < words; w++)
            if (word[w * units + by[i]] != word[w * units + by[j]])
                return false;
        return true;
    }
};

struct row {
    const int32_t *col;
    int64_t length;
};

__device__ inline row row_of(const rc_cuda_pattern_t &a, int32_t r)
{
    const int64_t begin = a.row_ptr[r];
    return {a.col_idx + begin, a.row_ptr[r + 1] - begin};
}

/* -------------------------------------------------------------- signatures */

__global__ void sign_units(rc_cuda_pattern_t a, const int32_t *unit, int64_t units, uint64_t key,
    int64_t value, bool second, uint64_t *word)
{
    const int lane = threadIdx.x % TEAM;
    const int64_t step = (int64_t)gridDim.x * blockDim.x / TEAM;
    const int64_t rounded = (units + rc::WARP / TEAM - 1) / (rc::WARP / TEAM) * (rc::WARP / TEAM);
    for (int64_t u = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / TEAM; u < rounded;
         u += step) {
        const row r = u < units ? row_of(a, unit[u]) : row{a.col_idx, 0};
        uint32_t high = UINT32_MAX;
        uint32_t low = UINT32_MAX;
        for (int64_t e = lane; e < r.length; e += TEAM) {
            const int32_t c = r.col[e];
            high = min(high, rc_signature_hash(key, value, c));
            low = min(low, second ? rc_signature_hash(key, value + 1, c) : 0u);
        }
        high = rc::least_of<TEAM>(high);
        low = rc::least_of<TEAM>(low);
        if (u < units && lane == 0)
            word[u] = (uint64_t)high << 32 | low;
    }
}

/* -------------------------------------------------------------- candidates */

__device__ inline int64_t common_here(const row &x, const row &y)
{
    int64_t i = 0;
    int64_t j = 0;
    int64_t common = 0;
    while (i < x.length && j < y.length) {
        const int32_t c = x.col[i];
        const int32_t d = y.col[j];
        common += c == d;
        i += c <= d;
        j += d <= c;
    }
    return common;
}

/* By all lanes of a warp: each column of the shorter row is looked for in the longer one. */
__device__ inline int64_t common_of_warp(row x, row y)
{
    if (x.length > y.length) {
        const row swap = x;
        x = y;
        y = swap;
    }
    unsigned long long common = 0;
    for (int64_t e = threadIdx.x % rc::WARP; e < x.length; e += rc::WARP) {
        const int32_t c = x.col[e];
        const int64_t at = rc::seek(y.col, 0, y.length, c);
        common += at < y.length && y.col[at] == c;
    }
    for (int d = rc::WARP / 2; d > 0; d /= 2)
        common += __shfl_xor_sync(rc::ALL_LANES, common, d);
    return (int64_t)common;
}

/* Columns that rows x and y share, of the lanes that ask. */
__device__ inline int64_t common_of(const rc_cuda_pattern_t &a, bool asks, int32_t x, int32_t y)
{
    const row p = asks ? row_of(a, x) : row{a.col_idx, 0};
    const row q = asks ? row_of(a, y) : row{a.col_idx, 0};
    const bool is_long = p.length + q.length > LONG;
    int64_t common = asks && !is_long ? common_here(p, q) : 0;
    for (unsigned left = __ballot_sync(rc::ALL_LANES, asks && is_long); left; left &= left - 1) {
        const int from = __ffs(left) - 1;
        const int32_t x_of = __shfl_sync(rc::ALL_LANES, x, from);
        const int32_t y_of = __shfl_sync(rc::ALL_LANES, y, from);
        const int64_t n = common_of_warp(row_of(a, x_of), row_of(a, y_of));
        if (threadIdx.x % rc::WARP == from)
            common = n;
    }
    return common;
}

__device__ inline bool is_known(const uint64_t *slot, int bits, uint64_t pair)
{
    if (!slot)
        return false;
    const uint64_t last = (UINT64_C(1) << bits) - 1;
    uint64_t i = rc_pair_place(bits, pair);
    uint64_t there;
    while ((there = slot[i]) != 0 && there != pair)
        i = (i + 1) & last;
    return there == pair;
}

struct list {
    unsigned long long *found;
    uint64_t *similar;
    uint64_t *pair;
    int64_t room;
};

/* The pairs of the lanes that have one, behind those that are there. */
__device__ inline void append(const list &l, bool has, uint64_t similar, uint64_t pair)
{
    const int lane = threadIdx.x % rc::WARP;
    const unsigned all = __ballot_sync(rc::ALL_LANES, has);
    unsigned long long at = 0;
    if (!all)
        return;
    if (lane == 0)
        at = atomicAdd(l.found, (unsigned long long)__popc(all));
    at = __shfl_sync(rc::ALL_LANES, at, 0) + __popc(all & ((1u << lane) - 1));
    if (has && at < (unsigned long long)l.room) {
        l.similar[at] = similar;
        l.pair[at] = pair;
    }
}

__global__ void compare_units(
    view v, int64_t window, double sim_min, const uint64_t *slot, int bits, list out)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x / TEAM;
    const int64_t rounded = (v.units + rc::WARP / TEAM - 1) / (rc::WARP / TEAM) * (rc::WARP / TEAM);
    for (int64_t i = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / TEAM; i < rounded;
         i += step)
        for (int64_t k = 1 + threadIdx.x % TEAM;; k += TEAM) {
            const bool is_candidate = k <= window && i + k < v.units && v.together(i, i + k);
            if (!__any_sync(rc::ALL_LANES, is_candidate))
                break;
            int32_t x = 0;
            int32_t y = 0;
            int64_t nx = 1;
            int64_t ny = 1;
            bool asks = is_candidate;
            if (asks) {
                x = v.unit[v.by[i]];
                y = v.unit[v.by[i + k]];
                nx = v.a.row_ptr[x + 1] - v.a.row_ptr[x];
                ny = v.a.row_ptr[y + 1] - v.a.row_ptr[y];
                asks = !(rc_jaccard_most(nx, ny) < sim_min) && !is_known(slot, bits, rc_pair(x, y));
            }
            const double similarity = rc_jaccard(nx, ny, common_of(v.a, asks, x, y));
            append(out, asks && similarity >= sim_min, rc_pair_key(similarity), rc_pair(x, y));
        }
}

/* Where the bucket of place i ends. */
__device__ inline int64_t end_of(const view &v, int64_t i)
{
    int64_t low = i + 1;
    int64_t high = v.units;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (v.together(i, middle))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

__global__ void count_candidates(view v, unsigned long long *sum)
{
    rc::for_each(v.units, [=](int64_t i) {
        const int64_t more = end_of(v, i) - i - 1;
        if (more > 0)
            atomicAdd(sum, (unsigned long long)more);
    });
}

/* --------------------------------------------------------------------- set */

__global__ void put_pairs(const uint64_t *pair, int64_t n, unsigned long long *slot, int bits)
{
    const uint64_t last = (UINT64_C(1) << bits) - 1;
    rc::for_each(n, [=](int64_t k) {
        uint64_t i = rc_pair_place(bits, pair[k]);
        while (atomicCAS(slot + i, 0ull, (unsigned long long)pair[k]) != 0)
            i = (i + 1) & last;
    });
}

__global__ void join_pairs(
    const uint64_t *similar, const uint64_t *pair, const int32_t *by, rc_ranked_t *out, int64_t n)
{
    rc::for_each(n, [=](int64_t i) {
        const int64_t from = by ? by[i] : i;
        out[i] = {similar[from], pair[from]};
    });
}

/* -------------------------------------------------------------------- host */

view view_of(const rc_cuda_lsh_t *l)
{
    return {l->a, l->unit, l->units, l->word[0], l->words, l->by.key, l->by.value};
}

/* Sort by the words from the last to the first; keys are those of the first one. */
rc_status_t sort_by(rc_cuda_lsh_t *l, const uint64_t *word, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int64_t w = l->words - 1; st == RC_OK && w >= 0; w--) {
        st = rc::take(l->x, word + w * l->units, l->by.value, l->by.key, l->units, err);
        if (st == RC_OK)
            st = rc_cuda_sort64(l->x, l->temp, l->temp_bytes, &l->by, 64, err);
    }
    return st;
}

struct rank_work {
    rc_cuda_pairs64_t by;
    void *temp;
    int64_t temp_bytes;
    int64_t bytes;
};

rc_status_t rank_work_of(int64_t n, void *work, rank_work *out, rc_err_t *err)
{
    RC_PASS(rc_cuda_sort64_bytes(n, &out->temp_bytes, err));
    rc::workspace w = {(char *)work, 0};
    out->by = {w.take<uint64_t>(n), w.take<uint64_t>(n), w.take<int32_t>(n), w.take<int32_t>(n), n};
    out->temp = w.take<char>(out->temp_bytes);
    out->bytes = w.used;
    return RC_OK;
}

} // namespace

rc_status_t rc_cuda_lsh_sign(const rc_cuda_lsh_t *l, int64_t band, uint64_t *word, rc_err_t *err)
{
    for (int64_t w = 0; w < l->words; w++)
        sign_units<<<rc::blocks_for(TEAM * l->units), rc::ORDER_THREADS, 0, rc_cuda_stream(l->x)>>>(
            l->a, l->unit, l->units, l->key, band * l->bsize + 2 * w, 2 * w + 1 < l->bsize,
            word + w * l->units);
    return rc_cuda_launched("signatures of rows", err);
}

rc_status_t rc_cuda_lsh_sort(rc_cuda_lsh_t *l, rc_err_t *err)
{
    RC_PASS(rc::number(l->x, l->by.value, l->units, err));
    RC_PASS(sort_by(l, l->word[1], err));
    return sort_by(l, l->word[0], err);
}

rc_status_t rc_cuda_lsh_compare(const rc_cuda_lsh_t *l, rc_err_t *err)
{
    const list out = {l->found, l->similar, l->pair, l->room};
    compare_units<<<rc::blocks_for(TEAM * l->units), rc::ORDER_THREADS, 0, rc_cuda_stream(l->x)>>>(
        view_of(l), l->window, l->sim_min, l->slot, l->bits, out);
    return rc_cuda_launched("similarities of rows", err);
}

rc_status_t rc_cuda_lsh_count(const rc_cuda_lsh_t *l, rc_err_t *err)
{
    count_candidates<<<rc::blocks_for(l->units), rc::ORDER_THREADS, 0, rc_cuda_stream(l->x)>>>(
        view_of(l), l->found);
    return rc_cuda_launched("pairs of a band", err);
}

rc_status_t rc_cuda_lsh_remember(const rc_cuda_lsh_t *l, int64_t first, int64_t end, rc_err_t *err)
{
    if (first >= end)
        return RC_OK;
    put_pairs<<<rc::blocks_for(end - first), rc::ORDER_THREADS, 0, rc_cuda_stream(l->x)>>>(
        l->pair + first, end - first, (unsigned long long *)l->slot, l->bits);
    return rc_cuda_launched("pairs of rows", err);
}

rc_status_t rc_cuda_lsh_rank_bytes(int64_t pairs, int64_t *bytes, rc_err_t *err)
{
    rank_work w;
    const rc_status_t st = rank_work_of(pairs, nullptr, &w, err);
    *bytes = st == RC_OK ? w.bytes : 0;
    return st;
}

rc_status_t rc_cuda_lsh_rank(const rc_cuda_lsh_t *l, void *work, rc_ranked_t *out, rc_err_t *err)
{
    rank_work w = {};
    if (work) {
        RC_PASS(rank_work_of(l->pairs, work, &w, err));
        RC_PASS(rc::number(l->x, w.by.value, l->pairs, err));
        const uint64_t *const keys[] = {l->pair, l->similar}; /* the last one first */
        for (int i = 0; i < 2; i++) {
            RC_PASS(rc::take(l->x, keys[i], w.by.value, w.by.key, l->pairs, err));
            RC_PASS(rc_cuda_sort64(l->x, w.temp, w.temp_bytes, &w.by, 64, err));
        }
    }
    join_pairs<<<rc::blocks_for(l->pairs), rc::ORDER_THREADS, 0, rc_cuda_stream(l->x)>>>(
        l->similar, l->pair, work ? w.by.value : nullptr, out, l->pairs);
    return rc_cuda_launched("pairs in order", err);
}
