/* format/stages.h on a GPU, after stages_cut.h: a CTA fills a block.  A table says which entry
 * of the block is the first with its column; those are numbered in their order. */
#include "format/cuda/stages.cuh"
#include "format/cuda/build.cuh"

#include <cub/block/block_scan.cuh>

namespace
{

constexpr int THREADS = 256;
constexpr int TABLE = 2048;
constexpr int BATCH = RC_STAGES_BATCH;
constexpr int LENGTHS = 1024;             /* entries of a row are fewer */
constexpr int BINS = LENGTHS / BATCH + 1; /* pieces, by their batches */

typedef cub::BlockScan<int32_t, THREADS, cub::BLOCK_SCAN_WARP_SCANS> scan_sum;

struct filling {
    rc_build_items_t items;
    rc_build_cuts_t c;
    rc_stages_block_t *block;
    int32_t *line;
    unsigned char *unit;
    rc::places entry;
    int64_t most; /* lines of a block */
    int32_t
        *named; /* [rows of all spans] columns of the block that rows before are the first with */
    int32_t *batch;  /* [the same] first batch of the piece that a row begins, in the block */
    uint16_t *place; /* [entries of A] where pieces have several rows: of the column in the piece */
};

struct block_t {
    typename scan_sum::TempStorage room;
    int32_t key[TABLE];
    uint32_t first[TABLE];  /* entry of the block with that column */
    uint16_t number[TABLE]; /* of the column */
    int32_t bin[BINS];      /* pieces with so many batches, then those before them */
    int32_t batches[THREADS];
    rc_stages_cut_t cut;
    int64_t number_of; /* of the block */
    int64_t unit;
    int64_t batch;
    int32_t parts;
};

/* The span of a block, and what is before it. */
__device__ void find_block(const filling &f, block_t *s)
{
    if (threadIdx.x == 0) {
        const int64_t number = blockIdx.x;
        int64_t span = 0;
        for (int64_t end = f.c.spans; end - span > 1;) {
            const int64_t middle = (span + end) / 2;
            if (f.c.total[middle * RC_BUILD_TOTALS + RC_CUTS_BLOCKS] <= number)
                span = middle;
            else
                end = middle;
        }
        const int64_t *before = f.c.total + span * RC_BUILD_TOTALS;
        const int64_t place = rc_stages_place(span, f.c.part_spans, f.c.shape.span, f.c.parts);
        s->cut = f.c.block[place + number - before[RC_CUTS_BLOCKS]];
        s->unit = before[RC_CUTS_UNITS] + s->cut.unit;
        s->batch = before[RC_CUTS_BATCHES] + s->cut.batch;
        s->number_of = number;
        s->parts = 0;
    }
    for (int i = threadIdx.x; i < TABLE; i += THREADS) {
        s->key[i] = -1;
        s->first[i] = UINT32_MAX;
    }
    for (int i = threadIdx.x; i < BINS; i += THREADS)
        s->bin[i] = 0;
    __syncthreads();
}

/* What is left of the arrays is 0, or no line. */
__device__ void clear(const filling &f, const block_t &s, int64_t units)
{
    uint4 *unit = reinterpret_cast<uint4 *>(f.unit) + s.unit;
    const int64_t values = static_cast<int64_t>(s.cut.batches) * BATCH * f.c.shape.rows;
    const int64_t first = s.batch * BATCH * f.c.shape.rows;
    int32_t *line = f.line + s.number_of * f.most;
    for (int64_t i = threadIdx.x; i < units; i += THREADS)
        unit[i] = make_uint4(0, 0, 0, 0);
    for (int64_t i = threadIdx.x; i < values; i += THREADS)
        f.entry.put(first + i, -1);
    for (int64_t i = s.cut.lines + threadIdx.x; i < f.most; i += THREADS)
        line[i] = -1;
}

/* Some lanes of a warp. */
struct group_t {
    int lane;
    int lanes;
    int number;
    int groups;
    unsigned mask;

    __device__ explicit group_t(int of) : lanes(of)
    {
        lane = threadIdx.x % lanes;
        number = threadIdx.x / lanes;
        groups = THREADS / lanes;
        mask = lanes == 32 ? ~0u : ((1u << lanes) - 1) << (threadIdx.x % 32 / lanes * lanes);
    }

    /* Lanes before this one for which it holds; all of them in `sum`. */
    __device__ int rank(bool holds, int *sum) const
    {
        const unsigned set = __ballot_sync(mask, holds) & mask;
        *sum = __popc(set);
        return __popc(set & ((1u << threadIdx.x % 32) - 1));
    }
};

/* Which entry is the first with its column, and how many of them every row has. */
__device__ void count_names(
    const filling &f, const rc_stages_row_t *row, const group_t &g, block_t *s)
{
    for (int r = g.number; r < s->cut.rows; r += g.groups) {
        const int32_t *col = f.items.col_idx + row[r].first;
        for (int e = g.lane; e < row[r].length; e += g.lanes)
            atomicMin(&s->first[rc::table_add<TABLE>(s->key, col[e])],
                static_cast<uint32_t>(r) * LENGTHS + e);
    }
    __syncthreads();
    for (int r = g.number; r < s->cut.rows; r += g.groups) {
        const int32_t *col = f.items.col_idx + row[r].first;
        const int32_t length = row[r].length;
        int n = 0;
        for (int from = 0; from < length; from += g.lanes) {
            const int e = from + g.lane;
            const bool first = e < length && s->first[rc::table_find<TABLE>(s->key, col[e])] ==
                                                 static_cast<uint32_t>(r) * LENGTHS + e;
            int sum;
            g.rank(first, &sum);
            n += sum;
        }
        if (g.lane == 0)
            f.named[s->cut.first + r] = n;
    }
    __syncthreads();
}

__device__ __forceinline__ int32_t batches_of(const rc_stages_row_t &x)
{
    return (x.columns + BATCH - 1) / BATCH;
}

/* What rows have before them, and the pieces by their batches. */
__device__ void add_up(const filling &f, const rc_stages_row_t *row, block_t *s)
{
    int32_t names = 0;
    int32_t batches = 0;
    for (int from = 0; from < s->cut.rows; from += THREADS) {
        const int r = from + threadIdx.x;
        const bool begins = r < s->cut.rows && row[r].columns >= 0;
        int32_t n = r < s->cut.rows ? f.named[s->cut.first + r] : 0;
        int32_t b = begins ? batches_of(row[r]) : 0;
        if (begins) {
            atomicAdd(&s->bin[b], 1);
            if (row[r].row < -1)
                atomicAdd(&s->parts, 1);
        }
        int32_t sum;
        scan_sum(s->room).ExclusiveSum(n, n, sum);
        if (r < s->cut.rows)
            f.named[s->cut.first + r] = names + n;
        names += sum;
        __syncthreads();
        scan_sum(s->room).ExclusiveSum(b, b, sum);
        if (begins)
            f.batch[s->cut.first + r] = batches + b;
        batches += sum;
        __syncthreads();
    }
    int32_t more = 0; /* pieces with more batches */
    for (int top = BINS; top > 0; top -= THREADS) {
        const int bin = top - 1 - static_cast<int>(threadIdx.x);
        int32_t n = bin >= 0 ? s->bin[bin] : 0;
        int32_t sum;
        scan_sum(s->room).ExclusiveSum(n, n, sum);
        if (bin >= 0)
            s->bin[bin] = more + n;
        more += sum;
        __syncthreads();
    }
}

/* The words of the pieces, those with more batches first. */
__device__ void put_words(const filling &f, const rc_stages_row_t *row, block_t *s)
{
    const int words = 1 + static_cast<int>(f.c.shape.rows);
    int32_t *word = reinterpret_cast<int32_t *>(f.unit + s->unit * RC_STAGES_UNIT);
    for (int from = 0; from < s->cut.rows; from += THREADS) {
        const int r = from + threadIdx.x;
        const bool begins = r < s->cut.rows && row[r].columns >= 0;
        const int32_t b = begins ? batches_of(row[r]) : -1;
        s->batches[threadIdx.x] = b;
        __syncthreads();
        int32_t before = 0; /* with as many batches */
        int32_t all = 0;
        for (int u = 0; begins && u < THREADS; u++) {
            const bool same = s->batches[u] == b;
            before += same && u < static_cast<int>(threadIdx.x);
            all += same;
        }
        const int32_t rank = begins ? s->bin[b] + before : 0;
        __syncthreads();
        if (begins && before == 0)
            s->bin[b] += all;
        if (begins) {
            int32_t *to = word + static_cast<int64_t>(rank) * words;
            to[0] = static_cast<int32_t>(
                static_cast<uint32_t>(b) << 16 | static_cast<uint32_t>(f.batch[s->cut.first + r]));
            to[1] = row[r].row;
            bool mine = true;
            for (int i = 1; i < words - 1; i++) {
                mine = mine && r + i < s->cut.rows && row[r + i].columns < 0;
                to[1 + i] = mine ? row[r + i].row : -1;
            }
        }
        __syncthreads();
    }
}

/* Columns in the order of their numbers. */
__device__ void put_names(
    const filling &f, const rc_stages_row_t *row, const group_t &g, block_t *s)
{
    int32_t *line = f.line + s->number_of * f.most;
    for (int r = g.number; r < s->cut.rows; r += g.groups) {
        const int32_t *col = f.items.col_idx + row[r].first;
        const int32_t length = row[r].length;
        int32_t names = f.named[s->cut.first + r];
        for (int from = 0; from < length; from += g.lanes) {
            const int e = from + g.lane;
            const int at = e < length ? rc::table_find<TABLE>(s->key, col[e]) : 0;
            const bool first = e < length && s->first[at] == static_cast<uint32_t>(r) * LENGTHS + e;
            int sum;
            const int32_t name = names + g.rank(first, &sum);
            if (first) {
                s->number[at] = static_cast<uint16_t>(name + 1);
                line[name] = col[e];
            }
            names += sum;
        }
    }
    __syncthreads();
}

/* Where a row that ascends has a column; its length: nowhere. */
__device__ int find_column(const int32_t *col, int length, int32_t c)
{
    int low = 0;
    int high = length;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (col[middle] < c)
            low = middle + 1;
        else
            high = middle;
    }
    return low < length && col[low] == c ? low : length;
}

/* The place in its piece of a column that an earlier row of the piece has; -1: none has. */
__device__ int32_t earlier_place(const filling &f, const rc_stages_row_t *row, int i, int32_t col)
{
    for (int q = 0; q < i; q++) {
        const int e = find_column(f.items.col_idx + row[q].first, row[q].length, col);
        if (e < row[q].length)
            return f.place[row[q].first + e];
    }
    return -1;
}

/* Numbers and values of the piece that begins with a row, `left` rows before the end of the
 * block. */
__device__ void put_piece(const filling &f, const rc_stages_row_t *row, int left, int32_t batch,
    const group_t &g, const block_t &s, uint16_t *number)
{
    const int rows = static_cast<int>(f.c.shape.rows);
    const int64_t first = (s.batch + batch) * BATCH * rows;
    int32_t columns = 0;
    number += batch * BATCH;
    for (int i = 0; i < rows && i < left && (i == 0 || row[i].columns < 0); i++) {
        const int32_t length = row[i].length;
        for (int from = 0; from < length; from += g.lanes) {
            const int e = from + g.lane;
            const int64_t at = row[i].first + e;
            const int32_t col = e < length ? f.items.col_idx[at] : 0;
            int32_t place = e < length && i > 0 ? earlier_place(f, row, i, col) : -1;
            const bool fresh = e < length && place < 0;
            int sum;
            const int32_t rank = columns + g.rank(fresh, &sum);
            columns += sum;
            if (fresh) {
                place = rank;
                number[place] = s.number[rc::table_find<TABLE>(s.key, col)];
            }
            if (e < length) {
                f.entry.put(first + (place / BATCH * rows + i) * BATCH + place % BATCH, at);
                if (rows > 1)
                    f.place[at] = static_cast<uint16_t>(place);
            }
        }
        __syncwarp(g.mask);
    }
}

__global__ void __launch_bounds__(THREADS) fill(filling f)
{
    __shared__ block_t s;
    find_block(f, &s);
    const rc_stages_row_t *row = f.c.row + s.cut.first;
    const group_t g(f.c.lanes);
    const int64_t units = rc_stages_units(f.c.shape.rows, s.cut.pieces, s.cut.batches);
    const int64_t words = rc_stages_words(f.c.shape.rows, s.cut.pieces);
    clear(f, s, units);
    count_names(f, row, g, &s);
    add_up(f, row, &s);
    put_words(f, row, &s);
    put_names(f, row, g, &s);
    uint16_t *number = reinterpret_cast<uint16_t *>(f.unit + s.unit * RC_STAGES_UNIT + words);
    for (int r = g.number; r < s.cut.rows; r += g.groups)
        if (row[r].columns >= 0)
            put_piece(f, row + r, s.cut.rows - r, f.batch[s.cut.first + r], g, s, number);
    if (threadIdx.x == 0)
        f.block[s.number_of] = {static_cast<uint32_t>(s.unit), static_cast<uint32_t>(units),
            static_cast<uint32_t>(s.batch), s.cut.batches, s.cut.lines, s.cut.pieces, s.parts,
            static_cast<int32_t>(words)};
}

rc_status_t launch_fill(rc_build_t *b, const rc_stages_t *out, rc_err_t *err)
{
    rc_build_cuts_t *c = &b->cuts;
    const size_t places = static_cast<size_t>(c->parts + b->items.count);
    const size_t entries = c->shape.rows > 1 ? static_cast<size_t>(b->nnz) : 0;
    void *named;
    void *batch = nullptr;
    void *place = nullptr;
    rc_status_t st = rc_memory_room(&b->memory, places * sizeof(int32_t), &named, err);
    if (st == RC_OK)
        st = rc_memory_room(&b->memory, places * sizeof(int32_t), &batch, err);
    if (st == RC_OK)
        st = rc_memory_room(&b->memory, entries * sizeof(uint16_t), &place, err);
    if (st != RC_OK)
        return st;
    const filling f = {b->items, *c, out->block, out->line, out->unit,
        {out->entry, out->entry_bytes}, out->size.most, static_cast<int32_t *>(named),
        static_cast<int32_t *>(batch), static_cast<uint16_t *>(place)};
    const rc::current gpu(b->x);
    fill<<<static_cast<unsigned>(out->size.blocks), THREADS, 0, rc_cuda_stream(b->x)>>>(f);
    return rc_cuda_launched("filling the blocks of a matrix", err);
}

} // namespace

extern "C" rc_status_t rc_build_stages(rc_build_t *b, const rc_stages_t *out, rc_err_t *err)
{
    const rc_build_cuts_t *c = &b->cuts;
    static const char what[] = "copying the long rows of a matrix";
    const size_t longs = static_cast<size_t>(c->longs) * sizeof *c->lengthy;
    RC_PASS(
        rc::copy(b->x, out->of, c->of, static_cast<size_t>(c->parts) * sizeof *c->of, what, err));
    RC_PASS(rc::copy(b->x, out->lengthy, c->lengthy, longs, what, err));
    if (out->size.blocks == 0)
        return RC_OK;
    return launch_fill(b, out, err);
}
