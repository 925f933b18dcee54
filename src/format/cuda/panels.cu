/* format/panels.h on a GPU: a thread has an item, a CTA a segment. */
#include "format/cuda/build.cuh"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

namespace
{

constexpr int BATCH = RC_PANELS_BATCH;
constexpr int THREADS = RC_PANELS_SEGMENT; /* an item each */
constexpr int COPY_THREADS = 256;
constexpr int LANES = 8; /* of a piece of one row */

enum { LONGS, PARTS, LONG_BATCHES, LONG_COLUMNS, PIECES, BATCHES, COLUMNS, NUMBERS };

/* The numbers of an item, or of several together. */
struct numbers {
    int64_t of[NUMBERS];
};

struct together {
    __device__ numbers operator()(const numbers &a, const numbers &b) const
    {
        numbers sum;
        for (int w = 0; w < NUMBERS; w++)
            sum.of[w] = a.of[w] + b.of[w];
        return sum;
    }
};

typedef cub::BlockReduce<numbers, THREADS, cub::BLOCK_REDUCE_WARP_REDUCTIONS> reduce_numbers;
typedef cub::BlockScan<numbers, THREADS, cub::BLOCK_SCAN_WARP_SCANS> scan_numbers;
typedef cub::BlockScan<int32_t, THREADS> scan_sum;
typedef cub::BlockScan<int32_t, THREADS> scan_max;

/* What an item makes of itself. */
struct choice {
    int32_t columns; /* of the piece that it begins; -1: it begins none */
    int32_t partner; /* item that is its second row; -1: none */
};

struct shape_t {
    int64_t longest;
    int pairs; /* 1: two rows may be a piece */
};

__device__ __forceinline__ int64_t part_entries(int64_t length, int64_t longest)
{
    while (longest * longest < length)
        longest += BATCH;
    const int64_t parts = rc::ceil_div(length, longest);
    return rc::ceil_div(rc::ceil_div(length, parts), BATCH) * BATCH;
}

__device__ int32_t union_of(const int32_t *col, const rc::item &x, const rc::item &y)
{
    int64_t i = 0;
    int64_t j = 0;
    int32_t n = 0;
    for (; i < x.length && j < y.length; n++) {
        const int32_t a = col[x.first + i];
        const int32_t b = col[y.first + j];
        i += a <= b;
        j += b <= a;
    }
    return n + static_cast<int32_t>(x.length - i + y.length - j);
}

struct larger {
    __device__ int32_t operator()(int32_t a, int32_t b) const
    {
        return a > b ? a : b;
    }
};

/* Items of a segment that are neither long nor pads, in their order. */
struct shorts_t {
    union {
        typename scan_sum::TempStorage sum;
        typename scan_max::TempStorage max;
        typename reduce_numbers::TempStorage numbers;
    } room;
    int32_t item[THREADS];
    int32_t
        shared[THREADS]; /* columns of it and the next one where they are joined when both are free,
                                else -1 */
    int32_t count;
};

/* Pairs of neighbours: of a chain of items of which each could be joined with the next, every
 * second one begins a piece. */
__device__ choice pair_up(
    const rc_build_items_t &items, int64_t first, const rc::item &it, int is_short, shorts_t *s)
{
    int32_t me;
    int32_t n;
    scan_sum(s->room.sum).ExclusiveSum(is_short, me, n);
    if (is_short)
        s->item[me] = threadIdx.x;
    __syncthreads();
    if (is_short) {
        s->shared[me] = -1;
        if (me + 1 < n && it.length > 0) {
            const rc::item next = rc::item_at(items, first + s->item[me + 1]);
            if (next.length > 0) {
                const int32_t columns = union_of(items.col_idx, it, next);
                if (4 * static_cast<int64_t>(columns) <= 3 * (it.length + next.length))
                    s->shared[me] = columns;
            }
        }
    }
    __syncthreads();
    /* thread t looks at short number t from here on */
    const int t = threadIdx.x;
    const int begins = t < n && (t == 0 || s->shared[t - 1] < 0) ? t : 0;
    int32_t chain;
    scan_max(s->room.max).InclusiveScan(begins, chain, larger());
    __syncthreads();
    __shared__ int8_t starts[THREADS];
    starts[t] = (t - chain) % 2 == 0;
    __syncthreads();
    if (!is_short || !starts[me])
        return {-1, -1};
    if (s->shared[me] < 0)
        return {static_cast<int32_t>(it.length), -1};
    return {s->shared[me], s->item[me + 1]};
}

/* The numbers that an item adds. */
__device__ numbers weigh(const rc::item &it, const choice &c, int is_long, int64_t longest)
{
    numbers n = {};
    int64_t *number = n.of;
    if (is_long) {
        const int64_t entries = part_entries(it.length, longest);
        const int64_t parts = rc::ceil_div(it.length, entries);
        number[LONGS] = 1;
        number[PARTS] = parts;
        number[LONG_BATCHES] = (parts - 1) * (entries / BATCH) +
                               rc::ceil_div(it.length - (parts - 1) * entries, BATCH);
        number[LONG_COLUMNS] = it.length;
    } else if (c.columns >= 0) {
        number[PIECES] = 1;
        number[BATCHES] = rc::ceil_div(c.columns, BATCH);
        number[COLUMNS] = c.columns;
    }
    return n;
}

__global__ void __launch_bounds__(THREADS)
    count(rc_build_items_t items, shape_t shape, choice *chosen, int64_t *total)
{
    __shared__ shorts_t s;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * THREADS;
    const rc::item it = rc::item_at(items, first + threadIdx.x);
    const int is_long = it.row >= 0 && it.length > shape.longest;
    const int is_short = it.row >= 0 && !is_long;
    choice c = {is_short ? static_cast<int32_t>(it.length) : -1, -1};
    if (shape.pairs)
        c = pair_up(items, first, it, is_short, &s);
    if (first + threadIdx.x < items.count)
        chosen[first + threadIdx.x] = c;
    __syncthreads();
    const numbers sum =
        reduce_numbers(s.room.numbers).Reduce(weigh(it, c, is_long, shape.longest), together());
    if (threadIdx.x == 0)
        for (int w = 0; w < RC_BUILD_TOTALS; w++)
            total[static_cast<int64_t>(blockIdx.x) * RC_BUILD_TOTALS + w] =
                w < NUMBERS ? sum.of[w] : 0;
}

/* Entries that a piece is made of. */
struct source {
    int64_t first[RC_PANELS_ROWS_MAX];
    int32_t length[RC_PANELS_ROWS_MAX];
};

struct placing {
    rc_build_items_t items;
    shape_t shape;
    const choice *chosen;
    const int64_t *total; /* of the segments before; the last one: of all */
    const int64_t *all;
    rc_panels_piece_t *piece;
    int32_t *of;
    rc_long_row_t *lengthy;
    source *from;
    int32_t *place;
    int64_t places;
};

/* 1: what comes before reaches share n of the work.  As the host says it. */
__device__ __forceinline__ bool reaches(double before, double places, double total, int64_t n)
{
    return __dmul_rn(before, places) >= __dmul_rn(total, static_cast<double>(n));
}

/* The last share that is reached, at most `most`. */
__device__ int64_t share_of(int64_t before, int64_t places, int64_t total)
{
    const double b = static_cast<double>(before);
    const double p = static_cast<double>(places);
    const double t = static_cast<double>(total);
    int64_t n = static_cast<int64_t>(b * p / t);
    while (n > 0 && !reaches(b, p, t, n))
        n--;
    while (n < places && reaches(b, p, t, n + 1))
        n++;
    return n < places ? n : places;
}

/* Piece i, whose work begins after `columns` of others. */
__device__ void put_place(const placing &p, int64_t i, int64_t columns, int32_t count)
{
    const int64_t pieces = p.all[PARTS] + p.all[PIECES];
    const int64_t total = p.all[LONG_COLUMNS] + p.all[COLUMNS] + RC_PANELS_PIECE_COST * pieces;
    const int64_t before = columns + RC_PANELS_PIECE_COST * i;
    int64_t n = share_of(before, p.places, total) + 1;
    const int64_t last = i + 1 == pieces
                             ? p.places
                             : share_of(before + count + RC_PANELS_PIECE_COST, p.places, total);
    if (i == 0)
        p.place[0] = 0;
    for (; n <= last; n++)
        p.place[n] = static_cast<int32_t>(i + 1);
}

__device__ void put_long(const placing &p, const rc::item &it, const int64_t *before)
{
    const int64_t entries = part_entries(it.length, p.shape.longest);
    const int32_t parts = static_cast<int32_t>(rc::ceil_div(it.length, entries));
    p.lengthy[before[LONGS]] = {it.row, static_cast<int32_t>(before[PARTS]), parts};
    for (int32_t k = 0; k < parts; k++) {
        const int64_t i = before[PARTS] + k;
        const int64_t left = it.length - k * entries;
        const int32_t n = static_cast<int32_t>(left < entries ? left : entries);
        p.of[i] = static_cast<int32_t>(before[LONGS]);
        p.piece[i] = {static_cast<uint32_t>(before[LONG_BATCHES] + k * (entries / BATCH)), n,
            static_cast<int32_t>(-2 - i), -1};
        p.from[i] = {{it.first + k * entries, 0}, {n, 0}};
        put_place(p, i, before[LONG_COLUMNS] + k * entries, n);
    }
}

__device__ void put_short(
    const placing &p, const rc::item &it, const choice &c, int64_t segment, const int64_t *before)
{
    const int64_t i = p.all[PARTS] + before[PIECES];
    rc::item other = {0, 0, -1};
    if (c.partner >= 0)
        other = rc::item_at(p.items, segment + c.partner);
    p.piece[i] = {
        static_cast<uint32_t>(p.all[LONG_BATCHES] + before[BATCHES]), c.columns, it.row, other.row};
    p.from[i] = {{it.first, other.first},
        {static_cast<int32_t>(it.length), static_cast<int32_t>(other.length)}};
    put_place(p, i, p.all[LONG_COLUMNS] + before[COLUMNS], c.columns);
}

__global__ void __launch_bounds__(THREADS) place(placing p)
{
    __shared__ typename scan_numbers::TempStorage room;
    const int64_t first = static_cast<int64_t>(blockIdx.x) * THREADS;
    const int64_t *total = p.total + static_cast<int64_t>(blockIdx.x) * RC_BUILD_TOTALS;
    const rc::item it = rc::item_at(p.items, first + threadIdx.x);
    const int is_long = it.row >= 0 && it.length > p.shape.longest;
    choice c = {-1, -1};
    if (first + threadIdx.x < p.items.count)
        c = p.chosen[first + threadIdx.x];
    numbers before;
    scan_numbers(room).ExclusiveScan(
        weigh(it, c, is_long, p.shape.longest), before, numbers{}, together());
    for (int w = 0; w < NUMBERS; w++)
        before.of[w] += total[w];
    if (is_long)
        put_long(p, it, before.of);
    else if (c.columns >= 0)
        put_short(p, it, c, first, before.of);
}

/* ----------------------------------------------------------------- entries */

template <typename C> struct copying {
    rc_build_items_t items;
    const rc_panels_piece_t *piece;
    const source *from;
    int64_t pieces;
    int64_t batches; /* the last one is padding */
    C *col;
    rc::places entry;
};

/* A piece of one row by some lanes, and the batch that is only loaded. */
template <typename C> __global__ void __launch_bounds__(COPY_THREADS) copy_rows(copying<C> p)
{
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * COPY_THREADS + threadIdx.x;
    const int64_t step = static_cast<int64_t>(gridDim.x) * (COPY_THREADS / LANES);
    for (int64_t i = thread / LANES; i < p.pieces; i += step) {
        const int64_t to = static_cast<int64_t>(p.piece[i].first) * BATCH;
        const int32_t n = p.piece[i].count;
        const int64_t from = p.from[i].first[0];
        for (int32_t e = threadIdx.x % LANES;
             e < static_cast<int32_t>(rc::ceil_div(n, BATCH)) * BATCH; e += LANES) {
            p.col[to + e] = e < n ? static_cast<C>(p.items.col_idx[from + e]) : C(0);
            p.entry.put(to + e, e < n ? from + e : -1);
        }
    }
    if (thread < BATCH) {
        p.col[(p.batches - 1) * BATCH + thread] = C(0);
        p.entry.put((p.batches - 1) * BATCH + thread, -1);
    }
}

/* A piece of one or two rows by a thread. */
template <typename C> __global__ void __launch_bounds__(COPY_THREADS) copy_pairs(copying<C> p)
{
    const int64_t thread = static_cast<int64_t>(blockIdx.x) * COPY_THREADS + threadIdx.x;
    const int64_t step = static_cast<int64_t>(gridDim.x) * COPY_THREADS;
    for (int64_t i = thread; i < p.pieces; i += step) {
        const source s = p.from[i];
        const int64_t first = static_cast<int64_t>(p.piece[i].first) * BATCH;
        const int32_t end = static_cast<int32_t>(rc::ceil_div(p.piece[i].count, BATCH)) * BATCH;
        int32_t x = 0;
        int32_t y = 0;
        for (int32_t at = 0; at < end; at++) {
            const int32_t from_x = x < s.length[0] ? p.items.col_idx[s.first[0] + x] : INT32_MAX;
            const int32_t from_y = y < s.length[1] ? p.items.col_idx[s.first[1] + y] : INT32_MAX;
            const int32_t col = from_x < from_y ? from_x : from_y;
            const bool any = x < s.length[0] || y < s.length[1];
            const int64_t to = (first + at) / BATCH * 2 * BATCH + at % BATCH;
            p.col[first + at] = any ? static_cast<C>(col) : C(0);
            p.entry.put(to, any && from_x == col ? s.first[0] + x : -1);
            p.entry.put(to + BATCH, any && from_y == col ? s.first[1] + y : -1);
            x += any && from_x == col;
            y += any && from_y == col;
        }
    }
    if (thread < BATCH) {
        p.col[(p.batches - 1) * BATCH + thread] = C(0);
        p.entry.put((p.batches - 1) * 2 * BATCH + thread, -1);
        p.entry.put((p.batches - 1) * 2 * BATCH + BATCH + thread, -1);
    }
}

template <typename C>
void launch_copy(const rc_build_t *b, const rc_panels_t *c, const source *from)
{
    const copying<C> p = {b->items, c->piece, from, c->size.pieces, c->size.batches,
        static_cast<C *>(c->col), {c->entry, c->entry_bytes}};
    if (c->shape.rows == 1)
        copy_rows<<<rc::grid_for(p.pieces * LANES, COPY_THREADS), COPY_THREADS, 0,
            rc_cuda_stream(b->x)>>>(p);
    else
        copy_pairs<<<rc::grid_for(p.pieces, COPY_THREADS), COPY_THREADS, 0, rc_cuda_stream(b->x)>>>(
            p);
}

/* What every item chooses, and the segments added up. */
rc_status_t count_segments(
    rc_build_t *b, const rc_panels_shape_t *shape, choice **chosen, rc_err_t *err)
{
    void *room = nullptr;
    rc_status_t st = RC_OK;
    if (!b->chosen)
        st = rc_memory_room(
            &b->memory, static_cast<size_t>(b->items.count) * sizeof(choice), &room, err);
    if (room)
        b->chosen = room;
    *chosen = static_cast<choice *>(b->chosen);
    if (st != RC_OK)
        return st;
    const rc::current gpu(b->x);
    if (b->segments > 0)
        count<<<static_cast<unsigned>(b->segments), THREADS, 0, rc_cuda_stream(b->x)>>>(
            b->items, shape_t{shape->longest, shape->rows > 1}, *chosen, b->total);
    RC_PASS(rc_cuda_launched("counting the pieces of a matrix", err));
    return rc_build_scan(b, b->total, b->segments, err);
}

} // namespace

extern "C" rc_status_t rc_build_panels_measure(
    rc_build_t *b, const rc_panels_shape_t *shape, rc_panels_size_t *out, rc_err_t *err)
{
    int64_t total[RC_BUILD_TOTALS] = {0};
    choice *chosen;
    rc_status_t st = count_segments(b, shape, &chosen, err);
    if (st == RC_OK)
        st = rc_build_totals(b, b->total, b->segments, total, err);
    *out = {total[PARTS] + total[PIECES], total[LONG_COLUMNS] + total[COLUMNS],
        total[LONG_BATCHES] + total[BATCHES] + 1, total[PARTS], total[LONGS]};
    return st == RC_OK ? rc_panels_check(out, err) : st;
}

extern "C" rc_status_t rc_build_panels(rc_build_t *b, const rc_panels_t *out, rc_err_t *err)
{
    choice *chosen;
    void *from = nullptr;
    rc_status_t st = count_segments(b, &out->shape, &chosen, err);
    if (st == RC_OK)
        st = rc_memory_room(
            &b->memory, static_cast<size_t>(out->size.pieces) * sizeof(source), &from, err);
    if (st != RC_OK)
        return st;
    const placing p = {b->items, {out->shape.longest, out->shape.rows > 1}, chosen, b->total,
        b->total + b->segments * RC_BUILD_TOTALS, out->piece, out->of, out->lengthy,
        static_cast<source *>(from), out->place, out->places};
    const rc::current gpu(b->x);
    if (b->segments > 0)
        place<<<static_cast<unsigned>(b->segments), THREADS, 0, rc_cuda_stream(b->x)>>>(p);
    if (out->shape.col_bytes == 2)
        launch_copy<uint16_t>(b, out, p.from);
    else
        launch_copy<int32_t>(b, out, p.from);
    return rc_cuda_launched("building the panels of a matrix", err);
}
