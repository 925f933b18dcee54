/* format/chunks.h on a GPU: a CTA finds where the rows of its segment begin.  What a row moves
 * the cursor by depends on where in a block it begins, and on nothing else: runs of rows are
 * walked from every place at once, and then put together. */
#include "format/cuda/build.cuh"

#include <cub/block/block_reduce.cuh>

namespace
{

constexpr int BLOCK = RC_CHUNKS_BLOCK;
constexpr int RUN = 32; /* rows */
constexpr int RUNS = RC_CHUNKS_SEGMENT / RUN;
constexpr int THREADS = RUNS * BLOCK;
constexpr int COPY_THREADS = 256;
constexpr int WARP = 32;

constexpr int ROWS_THREADS = 256;
constexpr int COUNTS = 1 + RC_CHUNKS_CHOICES; /* numbers of rc_chunks_rows_t */

enum { CHUNKS, PARTS, LONGS, MEET };

/* The rows of a segment; chunks from its beginning. */
struct segment_t {
    int32_t
        need[RUNS * (RUN + 1)]; /* chunks of a row, 0: a pad; a place is left out after each run */
    int32_t moved[RUNS][BLOCK]; /* by a run that begins at that chunk of a block */
    int32_t begin[RUNS];
    int32_t parts[RUNS + 1]; /* of the runs before */
    int32_t longs[RUNS + 1];
    int32_t meet;
    int32_t end;
};

__device__ __forceinline__ int need_at(int i)
{
    return i / RUN * (RUN + 1) + i % RUN;
}

__device__ __forceinline__ int32_t parts_of(int32_t chunks)
{
    return chunks > BLOCK ? (chunks + BLOCK - 1) / BLOCK : 0;
}

/* Where a row begins that wants to begin at a chunk. */
__device__ __forceinline__ int32_t placed(int32_t at, int32_t chunks)
{
    const int32_t left = -at & (BLOCK - 1); /* of a block that something is in */
    return chunks > left ? at + left : at;
}

__device__ void load_needs(const rc_build_items_t &items, int64_t first, int entries, segment_t *s)
{
    const int log_entries = __ffs(entries) - 1; /* a power of two */
    for (int i = threadIdx.x; i < RC_CHUNKS_SEGMENT; i += THREADS) {
        const rc::item it = rc::item_at(items, first + i);
        s->need[need_at(i)] = it.row < 0 ? 0
                              : it.length == 0
                                  ? 1
                                  : static_cast<int32_t>((it.length + entries - 1) >> log_entries);
    }
    if (threadIdx.x == 0)
        s->meet = 0;
    __syncthreads();
}

/* Replace the numbers of the runs by those of all before; one warp. */
__device__ void add_runs(int32_t *of)
{
    const int lane = static_cast<int>(threadIdx.x % WARP);
    const int32_t mine = of[lane];
    int32_t sum = mine;
    for (int far = 1; far < WARP; far *= 2) {
        const int32_t before = __shfl_up_sync(~0u, sum, far);
        sum += lane >= far ? before : 0;
    }
    of[lane] = sum - mine;
    if (lane == WARP - 1)
        of[RUNS] = sum;
}

/* Put the runs together. */
__device__ void join_runs(segment_t *s)
{
    static_assert(RUNS == WARP, "a lane for each run");
    if (threadIdx.x / WARP == 1)
        add_runs(s->parts);
    else if (threadIdx.x / WARP == 2)
        add_runs(s->longs);
    else if (threadIdx.x == 0) {
        int32_t at = 0;
        for (int r = 0; r < RUNS; r++) {
            s->begin[r] = at;
            at += s->moved[r][at & (BLOCK - 1)];
        }
        s->end = (at + BLOCK - 1) & -BLOCK;
    }
}

__device__ void find_places(const rc_build_items_t &items, int64_t first, int entries, segment_t *s)
{
    const int run = threadIdx.x / BLOCK;
    const int state = threadIdx.x % BLOCK;
    int32_t at = state;
    int32_t parts = 0;
    int32_t longs = 0;
    int32_t meet = 0;
    load_needs(items, first, entries, s);
    for (int i = 0; i < RUN; i++) {
        const int32_t need = s->need[run * (RUN + 1) + i];
        at = placed(at, need) + need;
        parts += parts_of(need);
        longs += need > BLOCK;
        meet += need > 1;
    }
    s->moved[run][state] = at - state;
    if (state == 0) {
        s->parts[run] = parts;
        s->longs[run] = longs;
        if (meet)
            atomicAdd(&s->meet, meet);
    }
    __syncthreads();
    join_runs(s);
    __syncthreads();
}

__global__ void __launch_bounds__(THREADS)
    count(rc_build_items_t items, int entries, int64_t *total)
{
    __shared__ segment_t s;
    find_places(items, static_cast<int64_t>(blockIdx.x) * RC_CHUNKS_SEGMENT, entries, &s);
    if (threadIdx.x < RC_BUILD_TOTALS) {
        const int w = threadIdx.x;
        total[static_cast<int64_t>(blockIdx.x) * RC_BUILD_TOTALS + w] = w == CHUNKS  ? s.end
                                                                        : w == PARTS ? s.parts[RUNS]
                                                                        : w == LONGS ? s.longs[RUNS]
                                                                        : w == MEET  ? s.meet
                                                                                     : 0;
    }
}

/* Which entries of A a chunk has. */
struct source {
    int64_t *first;
    uint8_t *entries;
};

struct placing {
    rc_build_items_t items;
    const int64_t *total;
    int entries;
    int32_t *row;
    uint8_t *count;
    int32_t *of;
    rc_long_row_t *lengthy;
    source from;
};

/* Chunk k of a row. */
__device__ __forceinline__ void put_source(
    const placing &p, const rc::item &it, int64_t chunk, int64_t k)
{
    const int64_t left = it.length - k * p.entries;
    p.from.first[chunk + k] = it.first + k * p.entries;
    p.from.entries[chunk + k] = static_cast<uint8_t>(left < p.entries ? left : p.entries);
}

__device__ void put_short(const placing &p, const rc::item &it, int64_t chunk, int32_t chunks)
{
    for (int32_t k = 0; k < chunks; k++) {
        p.row[chunk + k] = k == 0 ? it.row : -1;
        p.count[chunk + k] = static_cast<uint8_t>(k == 0 ? chunks : 0);
        put_source(p, it, chunk, k);
    }
    if (it.length == 0)
        p.count[chunk] |= RC_CHUNKS_NOTHING;
}

/* A row longer than a block, by all threads.  \param part, number  of its first part, and its
 * own */
__device__ void put_long(const placing &p, const rc::item &it, int64_t chunk, int32_t chunks,
    int32_t part, int32_t number)
{
    for (int32_t k = threadIdx.x; k < chunks; k += THREADS) {
        const int32_t left = chunks - k;
        const int first = k % BLOCK == 0;
        p.row[chunk + k] = first ? -2 - (part + k / BLOCK) : -1;
        p.count[chunk + k] = static_cast<uint8_t>(!first ? 0 : left < BLOCK ? left : BLOCK);
        put_source(p, it, chunk, k);
    }
    for (int32_t i = threadIdx.x; i < parts_of(chunks); i += THREADS)
        p.of[part + i] = number;
    if (threadIdx.x == 0)
        p.lengthy[number] = {it.row, part, parts_of(chunks)};
}

__global__ void __launch_bounds__(THREADS) place(placing p)
{
    __shared__ segment_t s;
    __shared__ int64_t start[RC_CHUNKS_SEGMENT];  /* chunk of a row */
    __shared__ int32_t number[RC_CHUNKS_SEGMENT]; /* of a long row, its first part */
    __shared__ int32_t part[RC_CHUNKS_SEGMENT];
    __shared__ int32_t longs[RC_CHUNKS_SEGMENT]; /* rows */
    const int64_t first = static_cast<int64_t>(blockIdx.x) * RC_CHUNKS_SEGMENT;
    const int64_t *before = p.total + static_cast<int64_t>(blockIdx.x) * RC_BUILD_TOTALS;
    find_places(p.items, first, p.entries, &s);
    for (int32_t i = threadIdx.x; i < s.end; i += THREADS) { /* chunks that belong to no row */
        p.row[before[CHUNKS] + i] = -1;
        p.count[before[CHUNKS] + i] = RC_CHUNKS_NOTHING;
        p.from.first[before[CHUNKS] + i] = 0;
        p.from.entries[before[CHUNKS] + i] = 0;
    }
    if (threadIdx.x < RUNS) {
        const int run = threadIdx.x;
        int32_t at = s.begin[run];
        int32_t parts = s.parts[run];
        int32_t long_rows = s.longs[run];
        for (int i = run * RUN; i < (run + 1) * RUN; i++) {
            const int32_t need = s.need[need_at(i)];
            at = placed(at, need);
            start[i] = before[CHUNKS] + at;
            at += need;
            if (need > BLOCK) {
                longs[long_rows] = i;
                number[i] = static_cast<int32_t>(before[LONGS]) + long_rows++;
                part[i] = static_cast<int32_t>(before[PARTS]) + parts;
                parts += parts_of(need);
            }
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < RC_CHUNKS_SEGMENT; i += THREADS) {
        const int32_t need = s.need[need_at(i)];
        if (need > 0 && need <= BLOCK)
            put_short(p, rc::item_at(p.items, first + i), start[i], need);
    }
    for (int j = 0; j < s.longs[RUNS]; j++) {
        const int i = longs[j];
        put_long(
            p, rc::item_at(p.items, first + i), start[i], s.need[need_at(i)], part[i], number[i]);
    }
}

/* A thread for each place of an entry; entries of a chunk: a power of two. */
template <typename C>
__global__ void __launch_bounds__(COPY_THREADS) copy(
    rc_build_items_t items, source from, int log_entries, int64_t stored, C *col, rc::places entry)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * COPY_THREADS;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * COPY_THREADS + threadIdx.x; i < stored;
         i += step) {
        const int64_t chunk = i >> log_entries;
        const int e = static_cast<int>(i & ((1 << log_entries) - 1));
        const int n = from.entries[chunk];
        const int64_t at = from.first[chunk] + (e < n ? e : n - 1);
        col[i] = n > 0 ? static_cast<C>(items.col_idx[at]) : C(0);
        entry.put(i, e < n ? at : -1);
    }
}

int log2_of(int64_t n)
{
    int log = 0;
    while ((static_cast<int64_t>(1) << log) < n)
        log++;
    return log;
}

template <typename C>
void launch_copy(const rc_build_t *b, const rc_chunks_t *c, const source &from)
{
    const int64_t stored = c->size.blocks * BLOCK * c->size.entries;
    copy<C><<<rc::grid_for(stored, COPY_THREADS), COPY_THREADS, 0, rc_cuda_stream(b->x)>>>(b->items,
        from, log2_of(c->size.entries), stored, static_cast<C *>(c->col),
        rc::places{c->entry, c->entry_bytes});
}

/* ----------------------------------------------------------------- sectors */

template <typename C> struct sampling {
    const C *col;
    const uint8_t *count;
    int entries;
    int64_t values;
    int64_t warps;
    int64_t step;
    unsigned long long *sum;
};

template <typename C> __global__ void __launch_bounds__(WARP) sectors(sampling<C> s)
{
    const int64_t chunk = blockIdx.x * s.step * WARP + threadIdx.x;
    const bool nothing = s.count[chunk] & RC_CHUNKS_NOTHING;
    unsigned long long found = 0;
    for (int e = 0; e < s.entries; e++) {
        const int64_t at = chunk * s.entries + e;
        const bool counts = !nothing && (e == 0 || s.col[at] != s.col[at - 1]);
        const unsigned lanes = __ballot_sync(~0u, counts);
        if (!counts)
            continue;
        const unsigned same = __match_any_sync(lanes, static_cast<long long>(s.col[at]) / s.values);
        found += __ffs(same) - 1 == static_cast<int>(threadIdx.x);
    }
    __syncwarp();
    for (int lane = WARP / 2; lane > 0; lane /= 2)
        found += __shfl_xor_sync(~0u, found, lane);
    if (threadIdx.x == 0)
        atomicAdd(s.sum, found);
}

template <typename C>
void launch_sectors(const rc_build_t *b, const rc_chunks_t *c, int64_t values, int64_t step,
    int64_t looked, unsigned long long *sum)
{
    const sampling<C> s = {static_cast<const C *>(c->col), c->count,
        static_cast<int>(c->size.entries), values, c->size.blocks * BLOCK / WARP, step, sum};
    sectors<C><<<static_cast<unsigned>(looked), WARP, 0, rc_cuda_stream(b->x)>>>(s);
}

rc_status_t count_segments(rc_build_t *b, int64_t entries, rc_err_t *err)
{
    const rc::current gpu(b->x);
    if (b->segments > 0)
        count<<<static_cast<unsigned>(b->segments), THREADS, 0, rc_cuda_stream(b->x)>>>(
            b->items, static_cast<int>(entries), b->total);
    RC_PASS(rc_cuda_launched("counting the chunks of a matrix", err));
    return rc_build_scan(b, b->total, b->segments, err);
}

/* rc_chunks_rows_of */
__global__ void __launch_bounds__(ROWS_THREADS)
    count_rows(const void *ptr, int bytes, int64_t rows, unsigned long long *out)
{
    typedef cub::BlockReduce<int64_t, ROWS_THREADS> reduce;
    __shared__ typename reduce::TempStorage room[COUNTS];
    const rc_build_items_t items = {ptr, nullptr, bytes};
    const int64_t step = static_cast<int64_t>(gridDim.x) * ROWS_THREADS;
    int64_t n[COUNTS] = {0};
    for (int64_t r = static_cast<int64_t>(blockIdx.x) * ROWS_THREADS + threadIdx.x; r < rows;
         r += step) {
        const int64_t length = rc::pointer_at(items, r + 1) - rc::pointer_at(items, r);
        n[0] += length > 0;
#pragma unroll
        for (int i = 0; i < RC_CHUNKS_CHOICES; i++)
            n[1 + i] += rc_chunks_of_row(length, i);
    }
#pragma unroll
    for (int i = 0; i < COUNTS; i++) {
        const int64_t sum = reduce(room[i]).Sum(n[i]);
        if (threadIdx.x == 0)
            atomicAdd(&out[i], static_cast<unsigned long long>(sum));
    }
}

} // namespace

extern "C" rc_status_t rc_build_chunks_rows(
    const rc_problem_t *p, rc_chunks_rows_t *out, rc_err_t *err)
{
    const rc_resident_t *r = p->resident;
    rc_executor_t *x = r->x;
    const unsigned most = 1024; /* CTAs walk over all rows, so that atomics are few */
    unsigned long long n[COUNTS] = {0};
    void *to = nullptr;
    *out = {};
    if (p->a->rows == 0)
        return RC_OK;
    RC_PASS(x->alloc(x, sizeof n, &to, err));
    rc_status_t st = x->fill(x, to, 0, sizeof n, err);
    if (st == RC_OK) {
        const rc::current gpu(x);
        const unsigned all = rc::grid_for(p->a->rows, ROWS_THREADS);
        count_rows<<<all < most ? all : most, ROWS_THREADS, 0, rc_cuda_stream(x)>>>(
            r->row_ptr, r->row_ptr_bytes, p->a->rows, static_cast<unsigned long long *>(to));
        st = rc_cuda_launched("counting the chunks of rows", err);
    }
    if (st == RC_OK)
        st = x->download(x, n, to, sizeof n, err);
    x->release(x, to);
    out->filled = static_cast<int64_t>(n[0]);
    for (int i = 0; i < RC_CHUNKS_CHOICES; i++)
        out->chunks[i] = static_cast<int64_t>(n[1 + i]);
    return st;
}

extern "C" rc_status_t rc_build_chunks_measure(
    rc_build_t *b, int64_t entries, rc_chunks_size_t *out, rc_err_t *err)
{
    int64_t total[RC_BUILD_TOTALS] = {0};
    rc_status_t st = count_segments(b, entries, err);
    if (st == RC_OK)
        st = rc_build_totals(b, b->total, b->segments, total, err);
    out->entries = entries;
    out->blocks = total[CHUNKS] / BLOCK;
    out->parts = total[PARTS];
    out->longs = total[LONGS];
    out->meet = total[MEET];
    return st;
}

extern "C" rc_status_t rc_build_chunks(rc_build_t *b, const rc_chunks_t *out, rc_err_t *err)
{
    const size_t chunks = static_cast<size_t>(out->size.blocks) * BLOCK;
    void *first = nullptr;
    void *entries = nullptr;
    rc_status_t st = rc_memory_room(&b->memory, chunks * sizeof(int64_t), &first, err);
    if (st == RC_OK)
        st = rc_memory_room(&b->memory, chunks, &entries, err);
    if (st == RC_OK && chunks > 0)
        st = count_segments(b, out->size.entries, err);
    if (st != RC_OK || chunks == 0)
        return st;
    const source from = {static_cast<int64_t *>(first), static_cast<uint8_t *>(entries)};
    const placing p = {b->items, b->total, static_cast<int>(out->size.entries), out->row,
        out->count, out->of, out->lengthy, from};
    const rc::current gpu(b->x);
    place<<<static_cast<unsigned>(b->segments), THREADS, 0, rc_cuda_stream(b->x)>>>(p);
    if (out->size.col_bytes == 2)
        launch_copy<uint16_t>(b, out, from);
    else
        launch_copy<int32_t>(b, out, from);
    return rc_cuda_launched("building the chunks of a matrix", err);
}

extern "C" rc_status_t rc_build_chunks_sectors(
    rc_build_t *b, const rc_chunks_t *c, int64_t values, double *out, rc_err_t *err)
{
    const int64_t sample = RC_CHUNKS_SAMPLE;
    const int64_t warps = c->size.blocks * BLOCK / WARP;
    const int64_t step = warps > sample ? warps / sample : 1;
    const int64_t looked = rc::ceil_div(warps, step);
    unsigned long long found = 0;
    void *sum;
    *out = 0;
    if (looked == 0)
        return RC_OK;
    rc_status_t st = rc_memory_keep(&b->memory, nullptr, sizeof found, &sum, err);
    if (st != RC_OK)
        return st;
    const rc::current gpu(b->x);
    if (c->size.col_bytes == 2)
        launch_sectors<uint16_t>(
            b, c, values, step, looked, static_cast<unsigned long long *>(sum));
    else
        launch_sectors<int32_t>(b, c, values, step, looked, static_cast<unsigned long long *>(sum));
    st = rc_cuda_launched("counting sectors of B", err);
    if (st == RC_OK)
        st = b->x->download(b->x, &found, sum, sizeof found, err);
    *out = static_cast<double>(found) * static_cast<double>(warps) / static_cast<double>(looked);
    return st;
}
