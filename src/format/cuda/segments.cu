/* Heavy and light segments on a GPU. */
#include "format/cuda/segments.h"
#include "format/cuda/vector.cuh"

namespace
{

enum { WARP = 32, CHUNK = 1024 /* heavy segments that a warp places, at least */ };

constexpr uint32_t HEAVY = 0x80000000u; /* of where a segment goes: the place of a heavy one */

/* A split under way. */
struct work {
    rc::csr from;
    rc_build_segments_t to;
    rc::places entry;
    rc::places light_entry;
    int64_t nnz;
    int shift; /* log2 of w */
    int64_t chunk;
    int64_t chunks;
    uint32_t *flag; /* bit e: entry e is the first one of its row */
    int32_t *start; /* [segments + 1] */
    /* [segments + 1] light entries before, or HEAVY and a place in the list by panels */
    uint32_t *place;
    int32_t *list; /* [heavy] heavy segments in the order of rows */
    int32_t *part; /* [panels][chunks] */

    __device__ __forceinline__ int64_t length(int64_t s) const
    {
        return start[s + 1] - start[s];
    }

    __device__ __forceinline__ bool is_heavy(int64_t s) const
    {
        return length(s) > to.rule.t;
    }

    __device__ __forceinline__ int64_t panel_of(int64_t s) const
    {
        return from.col[start[s]] >> shift;
    }
};

struct flag_rows {
    work w;

    __device__ void put(int64_t r) const
    {
        const int64_t e = w.from.ptr[r];
        if (e < w.from.ptr[r + 1])
            atomicOr(w.flag + e / 32, 1u << e % 32);
    }
};

struct list_starts {
    work w;

    __device__ int64_t count(int64_t e) const
    {
        return (w.flag[e / 32] >> e % 32 & 1u) ||
               w.from.col[e] >> w.shift != w.from.col[e - 1] >> w.shift;
    }

    __device__ void put(int64_t e, int64_t before, int64_t is) const
    {
        if (is || e == w.nnz)
            w.start[before] = static_cast<int32_t>(e);
    }
};

struct light_places {
    work w;

    __device__ int64_t count(int64_t s) const
    {
        return w.is_heavy(s) ? 0 : w.length(s);
    }

    __device__ void put(int64_t s, int64_t before, int64_t) const
    {
        w.place[s] = static_cast<uint32_t>(before);
    }
};

/* Before heavy segments get their places. */
struct light_rows {
    work w;

    __device__ void put(int64_t r) const
    {
        const rc::pointers start = {w.start, 4};
        w.to.light_ptr[r] =
            static_cast<int32_t>(w.place[rc::place_of(start, 0, w.to.segments, w.from.ptr[r])]);
    }
};

struct list_heavy {
    work w;

    __device__ int64_t count(int64_t s) const
    {
        return w.is_heavy(s);
    }

    __device__ void put(int64_t s, int64_t before, int64_t is) const
    {
        if (is)
            w.list[before] = static_cast<int32_t>(s);
    }
};

struct count_parts {
    work w;

    __device__ void put(int64_t h) const
    {
        atomicAdd(w.part + w.panel_of(w.list[h]) * w.chunks + h / w.chunk, 1);
    }
};

struct add_parts {
    int32_t *part;
    int64_t all;

    __device__ int64_t count(int64_t i) const
    {
        return part[i];
    }

    __device__ void put(int64_t i, int64_t before, int64_t) const
    {
        if (i < all)
            part[i] = static_cast<int32_t>(before);
    }
};

/* Before the parts are taken. */
struct list_panels {
    work w;

    __device__ int32_t first(int64_t p) const
    {
        return p < w.to.panels ? w.part[p * w.chunks] : static_cast<int32_t>(w.to.heavy);
    }

    __device__ int64_t count(int64_t p) const
    {
        return first(p) < first(p + 1);
    }

    __device__ void put(int64_t p, int64_t before, int64_t is) const
    {
        if (is || p == w.to.panels)
            w.to.panel[before] = {static_cast<int32_t>(p), first(p)};
    }
};

/* A warp a chunk of the list: its segments take places in order. */
__global__ void __launch_bounds__(rc::VECTOR_THREADS) place_heavy(const work w)
{
    const int lane = threadIdx.x % WARP;
    const int64_t c =
        static_cast<int64_t>(blockIdx.x) * (rc::VECTOR_THREADS / WARP) + threadIdx.x / WARP;
    if (c >= w.chunks)
        return;
    const int64_t begin = c * w.chunk;
    const int64_t end = begin + w.chunk < w.to.heavy ? begin + w.chunk : w.to.heavy;
    for (int64_t first = begin; first < end; first += WARP) {
        const int64_t h = first + lane;
        const unsigned here = __ballot_sync(~0u, h < end);
        if (h < end) {
            const int64_t s = w.list[h];
            const int64_t p = w.panel_of(s);
            const unsigned same = __match_any_sync(here, static_cast<int>(p));
            const int leader = __ffs(same) - 1;
            int32_t at = 0;
            if (lane == leader) {
                int32_t *part = w.part + p * w.chunks + c;
                at = *part;
                *part = at + __popc(same);
            }
            at = __shfl_sync(same, at, leader) + __popc(same & ((1u << lane) - 1u));
            w.to.seg_row[at] =
                static_cast<int32_t>(rc::place_of(w.from.ptr, 0, w.from.slots - 1, w.start[s]));
            w.to.seg_ptr[at] = static_cast<int32_t>(w.length(s));
            w.place[s] = HEAVY | static_cast<uint32_t>(at);
        }
        __syncwarp();
    }
}

/* Entries to where their segments go. */
template <typename C> struct move_entries {
    work w;

    __device__ void put(int64_t e, int64_t s, int64_t j) const
    {
        const uint32_t place = w.place[s];
        const int32_t col = w.from.col[e];
        if (place & HEAVY) {
            const int64_t at = w.to.seg_ptr[place & ~HEAVY] + j;
            static_cast<C *>(w.to.col)[at] =
                static_cast<C>(col & static_cast<int32_t>(w.to.rule.w - 1));
            w.entry.put(at, w.from.number(e));
        } else {
            w.to.light_col[place + j] = col;
            w.light_entry.put(place + j, w.from.number(e));
        }
    }
};

struct flag_dense {
    work w;

    __device__ void put(int64_t i) const
    {
        const int32_t slot = w.to.seg_row[i];
        atomicOr(w.to.dense + slot / 32, 1u << slot % 32);
    }
};

struct list_dense {
    work w;
    rc_build_items_t items;

    __device__ int64_t count(int64_t slot) const
    {
        return w.to.dense[slot / 32] >> slot % 32 & 1u;
    }

    __device__ void put(int64_t slot, int64_t before, int64_t is) const
    {
        if (is)
            w.to.scaled[before] = rc::item_at(items, slot).row;
    }
};

template <typename T> rc_status_t scratch_of(rc_memory_t *m, int64_t count, T **out, rc_err_t *err)
{
    void *to = nullptr;
    const rc_status_t st = rc_memory_room(m, static_cast<size_t>(count) * sizeof(T), &to, err);
    *out = static_cast<T *>(to);
    return st;
}

template <typename T> rc_status_t zeros_of(rc_memory_t *m, int64_t count, T **out, rc_err_t *err)
{
    void *to = nullptr;
    const rc_status_t st =
        rc_memory_keep(m, nullptr, static_cast<size_t>(count) * sizeof(T), &to, err);
    *out = static_cast<T *>(to);
    return st;
}

/* As many chunks as an eighth of the scratch has room for. */
void cut_chunks(work *w)
{
    const int64_t most = w->nnz / (2 * (w->to.panels > 0 ? w->to.panels : 1));
    const int64_t chunks = rc::ceil_div(w->to.heavy, CHUNK);
    w->chunks = chunks < most ? chunks : most < 1 ? 1 : most;
    w->chunk = rc::ceil_div(w->to.heavy, w->chunks);
    w->chunk = rc::ceil_div(w->chunk, WARP) * WARP;
}

rc_status_t find_segments(rc_build_csr_t *c, rc_memory_t *m, work *w, rc_err_t *err)
{
    rc_executor_t *x = c->b.x;
    RC_PASS(zeros_of(m, w->nnz / 32 + 1, &w->flag, err));
    RC_PASS(scratch_of(m, w->to.segments + 1, &w->start, err));
    RC_PASS(scratch_of(m, w->to.segments + 1, &w->place, err));
    RC_PASS(rc::put_each(x, flag_rows{*w}, c->slots, "rows of segments", err));
    RC_PASS(rc::put_in_order(&c->b, list_starts{*w}, w->nnz, "segments", err));
    RC_PASS(rc::put_in_order(&c->b, light_places{*w}, w->to.segments, "light segments", err));
    RC_PASS(rc::put_each(x, light_rows{*w}, c->slots + 1, "light rows", err));
    return RC_OK;
}

rc_status_t place_segments(rc_build_csr_t *c, rc_memory_t *m, work *w, rc_err_t *err)
{
    rc_executor_t *x = c->b.x;
    const int64_t warps = rc::VECTOR_THREADS / WARP;
    int64_t parts = 0;
    rc_status_t st;
    cut_chunks(w);
    parts = w->to.panels * w->chunks;
    RC_TRY(scratch_of(m, w->to.heavy, &w->list, err));
    RC_TRY(zeros_of(m, parts, &w->part, err));
    RC_TRY(rc::put_in_order(&c->b, list_heavy{*w}, w->to.segments, "heavy segments", err));
    RC_TRY(rc::put_each(x, count_parts{*w}, w->to.heavy, "heavy segments of panels", err));
    RC_TRY(
        rc::put_in_order(&c->b, add_parts{w->part, parts}, parts, "heavy segments of panels", err));
    RC_TRY(rc::put_in_order(&c->b, list_panels{*w}, w->to.panels, "panels", err));
    {
        const rc::current gpu(x);
        place_heavy<<<static_cast<unsigned>(rc::ceil_div(w->chunks, warps)), rc::VECTOR_THREADS, 0,
            rc_cuda_stream(x)>>>(*w);
        st = rc_cuda_launched("places of heavy segments", err);
    }
    if (st == RC_OK)
        st = rc::put_in_order(&c->b, add_parts{w->to.seg_ptr, w->to.heavy + 1}, w->to.heavy,
            "pointers of segments", err);
done:
    return st;
}

rc_status_t move_all(rc_build_csr_t *c, const work &w, rc_err_t *err)
{
    const rc::pointers start = {w.start, 4};
    return w.to.rule.w <= RC_SEGMENTS_NARROW
               ? rc::put_entries(c->b.x, move_entries<uint16_t>{w}, start, w.to.segments, w.nnz,
                     "entries of segments", err)
               : rc::put_entries(c->b.x, move_entries<int32_t>{w}, start, w.to.segments, w.nnz,
                     "entries of segments", err);
}

/* No heavy segments: nothing of the list by panels but its end. */
rc_status_t end_lists(rc_executor_t *x, const rc_build_segments_t *to, rc_err_t *err)
{
    const rc_rs_panel_t end = {static_cast<int32_t>(to->panels), 0};
    const rc_status_t st = x->upload(x, to->panel, &end, sizeof end, err);
    return st < 0 ? st : x->fill(x, to->seg_ptr, 0, sizeof *to->seg_ptr, err);
}

rc_status_t split(rc_build_csr_t *c, rc_memory_t *m, work *w, rc_err_t *err)
{
    rc_executor_t *x = c->b.x;
    RC_PASS(find_segments(c, m, w, err));
    RC_PASS(w->to.heavy > 0 ? place_segments(c, m, w, err) : end_lists(x, &w->to, err));
    RC_PASS(move_all(c, *w, err));
    if (w->to.dense && w->to.heavy > 0) {
        RC_PASS(rc::put_each(x, flag_dense{*w}, w->to.heavy, "rows with heavy segments", err));
        RC_PASS(rc::put_in_order(
            &c->b, list_dense{*w, c->b.items}, c->slots, "rows with heavy segments", err));
    }
    return RC_OK;
}

} // namespace

extern "C" rc_status_t rc_build_segments(
    rc_build_csr_t *c, const rc_build_segments_t *out, rc_err_t *err)
{
    rc_memory_t scratch = {};
    work w = {};
    scratch.x = c->b.x;
    w.from = rc::csr_of(c);
    w.to = *out;
    w.entry = {out->entry, c->entry_bytes};
    w.light_entry = {out->light_entry, c->entry_bytes};
    w.nnz = c->nnz;
    while ((int64_t(1) << w.shift) < out->rule.w)
        w.shift++;
    const rc_status_t st = split(c, &scratch, &w, err);
    rc_memory_free(&scratch);
    return st;
}
