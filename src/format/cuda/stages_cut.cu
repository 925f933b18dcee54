/* format/stages_cut.h on a GPU: a CTA cuts a span.  It lists the rows of the span, finds where
 * pieces begin, and takes rows into a block many at a time: a table of the columns of the block
 * says how many each row brings, and sums of those how many rows fit. */
#include "format/cuda/build.cuh"
#include "format/cuda/stages.cuh"

#include <cub/block/block_scan.cuh>

namespace
{

constexpr int THREADS = 512; /* rows that are taken at once */
constexpr int COUNT_THREADS = RC_CHUNKS_SEGMENT;
constexpr int CHOOSE_THREADS = 128;
constexpr int TABLE = 4096;
constexpr int EACH = 4;                 /* entries of a thread */
constexpr int ENTRIES = EACH * THREADS; /* that are taken at once, at most */
constexpr int LENGTHS = 1024;           /* entries of a row are not more */
constexpr int RUN = 32;                 /* rows */
constexpr int RUNS = THREADS / RUN;
constexpr int ROWS = RC_STAGES_ROWS_MAX;
constexpr int NONE = INT32_MAX;

enum { LONGS, PARTS };
enum { MOST = RC_BUILD_TOTALS, BYTES, NUMBERS }; /* after the totals of all spans */

typedef cub::BlockScan<int64_t, COUNT_THREADS, cub::BLOCK_SCAN_WARP_SCANS> count_scan;
typedef cub::BlockScan<int64_t, THREADS, cub::BLOCK_SCAN_WARP_SCANS> scan_sum;

/* -------------------------------------------------------------- long rows */

__device__ __forceinline__ bool is_long(const rc::item &it, int64_t longest)
{
    return it.row >= 0 && it.length > longest;
}

/* With no room for long rows only counts them. */
__global__ void __launch_bounds__(COUNT_THREADS)
    number_longs(rc_build_items_t items, rc_build_cuts_t c, int64_t *total, int fill)
{
    __shared__ typename count_scan::TempStorage room;
    const int64_t i = static_cast<int64_t>(blockIdx.x) * COUNT_THREADS + threadIdx.x;
    int64_t *mine = total + static_cast<int64_t>(blockIdx.x) * RC_BUILD_TOTALS;
    const rc::item it = rc::item_at(items, i);
    const bool counts = is_long(it, c.shape.longest);
    int64_t parts = 0;
    if (counts)
        parts = rc_ceil_div(it.length, rc_stages_part_entries(c.shape.longest, c.most, it.length));
    int64_t before = 0;
    int64_t number = 0;
    int64_t sum[2];
    count_scan(room).ExclusiveSum(parts, before, sum[PARTS]);
    __syncthreads();
    count_scan(room).ExclusiveSum(static_cast<int64_t>(counts), number, sum[LONGS]);
    if (!fill) {
        if (threadIdx.x < RC_BUILD_TOTALS)
            mine[threadIdx.x] = threadIdx.x == LONGS   ? sum[LONGS]
                                : threadIdx.x == PARTS ? sum[PARTS]
                                                       : 0;
    } else if (counts) {
        number += mine[LONGS];
        before += mine[PARTS];
        c.item[number] = i;
        c.lengthy[number] = {it.row, static_cast<int32_t>(before), static_cast<int32_t>(parts)};
        for (int64_t k = 0; k < parts; k++)
            c.of[before + k] = static_cast<int32_t>(number);
    }
}

/* ------------------------------------------------------------------ pieces */

/* Entries of row r that the rows before it do not have; more than half of them: a number above
 * that. Columns ascend. */
__device__ int32_t fresh_columns(const int32_t *col, const rc::item *it, int r)
{
    int64_t at[ROWS] = {};
    int32_t fresh = 0;
    for (int64_t e = 0; e < it[r].length && 2 * fresh <= it[r].length; e++) {
        const int32_t c = col[it[r].first + e];
        bool found = false;
#pragma unroll
        for (int q = 0; q < ROWS - 1; q++) {
            if (q >= r)
                continue;
            while (at[q] < it[q].length && col[it[q].first + at[q]] < c)
                at[q]++;
            found |= at[q] < it[q].length && col[it[q].first + at[q]] == c;
        }
        fresh += !found;
    }
    return fresh;
}

/* The next row that is neither a pad nor long; an empty one: there is none. */
__device__ rc::item next_short(
    const rc_build_items_t &items, int64_t longest, int64_t *next, int64_t end)
{
    while (*next < end) {
        const rc::item it = rc::item_at(items, (*next)++);
        if (it.row >= 0 && it.length <= longest)
            return it;
    }
    return {0, 0, -1};
}

/* What every item may make of itself where it begins a piece. */
__global__ void __launch_bounds__(CHOOSE_THREADS)
    choose(rc_build_items_t items, const rc_build_pieces_t p)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * CHOOSE_THREADS;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * CHOOSE_THREADS + threadIdx.x;
         i < items.count; i += step) {
        const int64_t end = min(items.count, (i / p.span + 1) * p.span);
        rc::item it[ROWS];
        rc_build_piece_t piece = {};
        it[0] = rc::item_at(items, i);
        int rows = it[0].row >= 0 && it[0].length <= p.longest;
        int32_t columns = static_cast<int32_t>(it[0].length);
        int32_t need = 1; /* longer rows are not there */
        piece.columns[0] = static_cast<uint16_t>(columns);
        piece.need[0] = static_cast<uint16_t>(rows);
        int64_t next = i + 1;
#pragma unroll
        for (int r = 1; r < ROWS; r++) {
            if (rows != r || r >= p.rows || columns == 0)
                continue;
            it[r] = next_short(items, p.longest, &next, end);
            if (it[r].length == 0)
                continue;
            const int32_t fresh = fresh_columns(items.col_idx, it, r);
            if (2 * fresh > it[r].length)
                continue;
            need = max(need, columns + static_cast<int32_t>(it[r].length));
            columns += fresh;
            piece.columns[r] = static_cast<uint16_t>(columns);
            piece.need[r] = static_cast<uint16_t>(need);
            rows = r + 1;
        }
        p.of[i] = piece;
    }
}

/* Rows and columns of the piece that begins with an item, as far as a shape allows it. */
struct piece_t {
    int32_t columns; /* -1: there is none */
    int32_t rows;
};

__device__ __forceinline__ piece_t piece_at(const rc_build_cuts_t &c, int64_t i)
{
    const rc_build_piece_t of = c.pieces.of[i];
    piece_t piece = {-1, 0};
#pragma unroll
    for (int r = 0; r < ROWS; r++)
        if (piece.rows == r && r < c.shape.rows && of.need[r] != 0 && of.need[r] <= c.most)
            piece = {of.columns[r], r + 1};
    return piece;
}

/* ----------------------------------------------------------------- rows */

struct span_t {
    typename scan_sum::TempStorage room;
    int32_t key[TABLE];
    int32_t seen[TABLE]; /* first row of the block that has the column */
    int64_t first[THREADS];
    int32_t length[THREADS];
    int32_t ends[THREADS]; /* entries up to the end of a row */
    int32_t fresh[THREADS];
    int8_t rows[THREADS]; /* of the piece that would begin here */
    int8_t begins[THREADS];
    int8_t
        left[RUNS]
            [ROWS]; /* of a piece after the run, when so many rows of the run are of one before */
    int8_t before[RUNS];
    unsigned long long found[3]; /* pieces, their columns and batches */
    int fail;
    int good;
    int32_t rows_in; /* of the block, with whole pieces that fit */
    int32_t pieces_in;
    int32_t batches_in;
    int32_t lines_in;
};

/* Which of n rows begin a piece, `taken` of them belonging to one before.  \return of the next
 * ones */
__device__ int find_begins(int n, int taken, span_t *s)
{
    const int run = threadIdx.x / ROWS;
    if (run < RUNS) {
        const int length = max(0, min(RUN, n - run * RUN));
        int at = threadIdx.x % ROWS;
        while (at < length)
            at += s->rows[run * RUN + at];
        s->left[run][threadIdx.x % ROWS] = static_cast<int8_t>(at - length);
    }
    __syncthreads();
    for (int r = 0; r < RUNS; r++) {
        if (threadIdx.x == 0)
            s->before[r] = static_cast<int8_t>(taken);
        taken = s->left[r][taken];
    }
    s->begins[threadIdx.x] = 0;
    __syncthreads();
    if (threadIdx.x < RUNS) {
        const int first = threadIdx.x * RUN;
        for (int at = s->before[threadIdx.x]; at < min(RUN, n - first); at += s->rows[first + at])
            s->begins[first + at] = 1;
    }
    __syncthreads();
    return taken;
}

/* Part number i of a long row. */
__device__ rc::item part_at(const rc_build_items_t &items, const rc_build_cuts_t &c, int64_t i)
{
    const int32_t number = c.of[i];
    rc::item it = rc::item_at(items, c.item[number]);
    const int64_t entries = rc_stages_part_entries(c.shape.longest, c.most, it.length);
    const int64_t from = (i - c.lengthy[number].first) * entries;
    const int64_t left = it.length - from;
    return {it.first + from, left < entries ? left : entries, static_cast<int32_t>(-2 - i)};
}

/* The rows from one place to another, of parts or of items. \return how many there are */
__device__ int64_t list_rows(const rc_build_items_t &items, const rc_build_cuts_t &c, int64_t place,
    int64_t end, bool parts, span_t *s)
{
    int64_t rows = 0;
    int64_t found[3] = {0, 0, 0};
    int taken = 0;
    for (int64_t from = place; from < end; from += THREADS) {
        const int64_t i = from + threadIdx.x;
        rc::item it = {0, 0, -1};
        piece_t piece = {-1, 0};
        if (i < end) {
            it = parts ? part_at(items, c, i) : rc::item_at(items, i - c.parts);
            if (!parts && c.shape.rows > 1)
                piece = piece_at(c, i - c.parts);
            else if (parts || (it.row >= 0 && it.length <= c.shape.longest))
                piece = {static_cast<int32_t>(it.length), 1};
        }
        int64_t rank;
        int64_t n;
        __syncthreads();
        scan_sum(s->room).ExclusiveSum(static_cast<int64_t>(piece.columns >= 0), rank, n);
        bool begins = piece.columns >= 0;
        if (!parts && c.shape.rows > 1) {
            if (begins)
                s->rows[rank] = static_cast<int8_t>(piece.rows);
            __syncthreads();
            taken = find_begins(static_cast<int>(n), taken, s);
            begins = begins && s->begins[rank];
        }
        if (piece.columns >= 0)
            c.row[place + rows + rank] = {
                it.first, static_cast<int32_t>(it.length), begins ? piece.columns : -1, it.row};
        if (begins) {
            found[0]++;
            found[1] += piece.columns;
            found[2] += (piece.columns + RC_STAGES_BATCH - 1) / RC_STAGES_BATCH;
        }
        rows += n;
    }
    for (int i = 0; i < 3; i++) {
        for (int lane = 16; lane > 0; lane /= 2)
            found[i] += __shfl_xor_sync(~0u, found[i], lane);
        if (threadIdx.x % 32 == 0)
            atomicAdd(&s->found[i], static_cast<unsigned long long>(found[i]));
    }
    __syncthreads();
    return rows;
}

/* ------------------------------------------------------------------ blocks */

/* What a round adds, in one number: lines, batches and pieces. */
constexpr int BITS = 21;

__device__ __forceinline__ int32_t field(int64_t sum, int i)
{
    return static_cast<int32_t>(sum >> (i * BITS) & ((1 << BITS) - 1));
}

/* Of a row that is the first with so many columns of the block. */
__device__ __forceinline__ int64_t added(const rc_stages_row_t &x, int32_t fresh)
{
    if (x.columns < 0)
        return fresh;
    const int64_t batches = rc_ceil_div(x.columns, RC_STAGES_BATCH);
    return (static_cast<int64_t>(1) << (2 * BITS)) + (batches << BITS) + fresh;
}

/* The row that an entry belongs to, of n rows of which each ends at `ends`. */
__device__ __forceinline__ int row_of(const int32_t *ends, int n, int entry)
{
    int low = 0;
    for (int high = n - 1; low < high;) {
        const int middle = (low + high) / 2;
        if (ends[middle] > entry)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Columns of n rows into the table, and how many each row is the first with.  A thread has some
 * entries.
 * \param[in] number  of the first row in the block */
__device__ void take_columns(const int32_t *col, int n, int32_t number, span_t *s)
{
    const int all = s->ends[n - 1];
    int row[EACH];
    int32_t at[EACH]; /* a column, then its place */
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        const int entry = k * THREADS + static_cast<int>(threadIdx.x);
        row[k] = row_of(s->ends, n, entry);
        at[k] =
            entry < all ? col[s->first[row[k]] + entry - s->ends[row[k]] + s->length[row[k]]] : -1;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (at[k] >= 0) {
            at[k] = rc::table_add<TABLE>(s->key, at[k]);
            atomicMin(&s->seen[at[k]], number + row[k]);
        }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < EACH; k++)
        if (at[k] >= 0 && s->seen[at[k]] == number + row[k])
            atomicAdd(&s->fresh[row[k]], 1);
    __syncthreads();
}

/* A block that begins with a row of the list.  What it has is in s->..._in. */
__device__ void cut_block(const rc_build_items_t &items, const rc_build_cuts_t &c,
    const rc_stages_row_t *row, int64_t rows, span_t *s)
{
    const int t = threadIdx.x;
    int32_t lines = 0;
    int32_t batches = 0;
    int32_t pieces = 0;
    int64_t at = 0;
    bool open = true;
    for (int i = t; i < TABLE; i += THREADS) {
        s->key[i] = -1;
        s->seen[i] = NONE;
    }
    while (open) {
        const bool mine = at + t < rows;
        rc_stages_row_t x = {0, 0, -1, 0};
        if (mine)
            x = row[at + t];
        const bool ends = mine && (at + t + 1 == rows || row[at + t + 1].columns >= 0);
        int64_t sum;
        int64_t all;
        s->first[t] = x.first;
        s->length[t] = x.length;
        s->fresh[t] = 0;
        if (t == 0) {
            s->fail = NONE;
            s->good = -1;
        }
        scan_sum(s->room).InclusiveSum(static_cast<int64_t>(x.length), sum);
        s->ends[t] = static_cast<int32_t>(sum);
        const int n = __syncthreads_count(mine && sum <= c.entries);
        take_columns(items.col_idx, n, static_cast<int32_t>(at), s);
        scan_sum(s->room).InclusiveSum(t < n ? added(x, s->fresh[t]) : 0, sum, all);
        const int32_t l = lines + field(sum, 0);
        const int32_t b = batches + field(sum, 1);
        const int32_t p = pieces + field(sum, 2);
        if (t < n && ends && p > 1 && !rc_stages_fits(&c.shape, c.value, l, p, b))
            atomicMin(&s->fail, t);
        __syncthreads();
        if (t < n && ends && t < s->fail)
            atomicMax(&s->good, t);
        __syncthreads();
        if (t == s->good) {
            s->rows_in = static_cast<int32_t>(at) + t + 1;
            s->lines_in = l;
            s->batches_in = b;
            s->pieces_in = p;
        }
        at += n;
        open = s->fail == NONE && at < rows;
        lines += field(all, 0);
        batches += field(all, 1);
        pieces += field(all, 2);
        __syncthreads();
    }
}

__global__ void __launch_bounds__(THREADS)
    cut(rc_build_items_t items, rc_build_cuts_t c, unsigned long long *all)
{
    __shared__ span_t s;
    const int64_t span = blockIdx.x;
    const bool parts = span < c.part_spans;
    const int64_t place = rc_stages_place(span, c.part_spans, c.shape.span, c.parts);
    const int64_t last = parts ? c.parts : c.parts + items.count;
    const int64_t next = rc_stages_place(span + 1, c.part_spans, c.shape.span, c.parts);
    if (threadIdx.x < 3)
        s.found[threadIdx.x] = 0;
    __syncthreads();
    const int64_t rows = list_rows(items, c, place, next < last ? next : last, parts, &s);
    int64_t at = 0;
    int64_t blocks = 0;
    int64_t batches = 0;
    int64_t lines = 0;
    int64_t units = 0;
    int64_t most = 0;
    int64_t bytes = 0;
    while (c.whole && at < rows) {
        cut_block(items, c, c.row + place + at, rows - at, &s);
        if (threadIdx.x == 0)
            c.block[place + blocks] = {place + at, s.rows_in, s.pieces_in, s.batches_in, s.lines_in,
                static_cast<uint32_t>(batches), static_cast<uint32_t>(units)};
        const int64_t fast =
            rc_stages_fast(&c.shape, c.value, s.lines_in, s.pieces_in, s.batches_in);
        at += s.rows_in;
        blocks++;
        batches += s.batches_in;
        lines += s.lines_in;
        units += rc_stages_units(c.shape.rows, s.pieces_in, s.batches_in);
        most = s.lines_in > most ? s.lines_in : most;
        bytes = fast > bytes ? fast : bytes;
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        int64_t *total = c.total + span * RC_BUILD_TOTALS;
        for (int w = 0; w < RC_BUILD_TOTALS; w++)
            total[w] = 0;
        total[RC_CUTS_BLOCKS] = blocks;
        total[RC_CUTS_PIECES] = static_cast<int64_t>(s.found[0]);
        total[RC_CUTS_COLUMNS] = static_cast<int64_t>(s.found[1]);
        total[RC_CUTS_BATCHES] = static_cast<int64_t>(s.found[2]);
        total[RC_CUTS_LINES] = lines;
        total[RC_CUTS_UNITS] = units;
        atomicMax(all + MOST, static_cast<unsigned long long>(most));
        atomicMax(all + BYTES, static_cast<unsigned long long>(bytes));
    }
}

/* -------------------------------------------------------------------- host */

void launch_longs(const rc_build_t *b, int fill)
{
    if (b->segments > 0)
        number_longs<<<static_cast<unsigned>(b->segments), COUNT_THREADS, 0,
            rc_cuda_stream(b->x)>>>(b->items, b->cuts, b->total, fill);
}

/* The long rows and their parts counted. */
rc_status_t count_longs(rc_build_t *b, rc_err_t *err)
{
    int64_t total[RC_BUILD_TOTALS];
    const rc::current gpu(b->x);
    launch_longs(b, 0);
    rc_status_t st = rc_cuda_launched("counting the long rows of a matrix", err);
    if (st == RC_OK)
        st = rc_build_scan(b, b->total, b->segments, err);
    if (st == RC_OK)
        st = rc_build_totals(b, b->total, b->segments, total, err);
    if (st == RC_OK) {
        b->cuts.longs = total[LONGS];
        b->cuts.parts = total[PARTS];
    }
    return st;
}

rc_status_t make_room(rc_build_t *b, rc_err_t *err)
{
    rc_build_cuts_t *c = &b->cuts;
    const size_t places = static_cast<size_t>(c->parts + b->items.count);
    void *to[6];
    const size_t bytes[6] = {places * sizeof *c->row, places * sizeof *c->block,
        (static_cast<size_t>(c->spans) * RC_BUILD_TOTALS + NUMBERS) * sizeof *c->total,
        static_cast<size_t>(c->longs) * sizeof *c->item,
        static_cast<size_t>(c->parts) * sizeof *c->of,
        static_cast<size_t>(c->longs) * sizeof *c->lengthy};
    rc_status_t st = RC_OK;
    for (int i = 0; st == RC_OK && i < 6; i++)
        st = rc_memory_room(&c->memory, bytes[i], &to[i], err);
    if (st != RC_OK)
        return st;
    c->row = static_cast<rc_stages_row_t *>(to[0]);
    c->block = static_cast<rc_stages_cut_t *>(to[1]);
    c->total = static_cast<int64_t *>(to[2]);
    c->item = static_cast<int64_t *>(to[3]);
    c->of = static_cast<int32_t *>(to[4]);
    c->lengthy = static_cast<rc_long_row_t *>(to[5]);
    return st;
}

/* The pieces of a shape, unless they are there. */
rc_status_t find_pieces(rc_build_t *b, rc_err_t *err)
{
    const rc_stages_shape_t *shape = &b->cuts.shape;
    rc_build_pieces_t *p = &b->pieces;
    const size_t bytes = static_cast<size_t>(b->items.count) * sizeof *p->of;
    void *to = p->of;
    if (shape->rows == 1 || b->items.count == 0)
        return RC_OK;
    if (!to)
        RC_PASS(rc_memory_room(&b->memory, bytes, &to, err));
    else if (p->rows >= shape->rows && p->longest == shape->longest && p->span == shape->span)
        return RC_OK;
    *p = {static_cast<rc_build_piece_t *>(to), shape->rows, shape->longest, shape->span};
    choose<<<rc::grid_for(b->items.count, CHOOSE_THREADS), CHOOSE_THREADS, 0,
        rc_cuda_stream(b->x)>>>(b->items, *p);
    return rc_cuda_launched("pieces of rows", err);
}

/* The spans cut and added up.  \param[out] total  [NUMBERS] */
rc_status_t cut_spans(rc_build_t *b, int64_t *total, rc_err_t *err)
{
    rc_build_cuts_t *c = &b->cuts;
    int64_t *all = c->total + c->spans * RC_BUILD_TOTALS;
    rc_status_t st = b->x->fill(b->x, all, 0, NUMBERS * sizeof *all, err);
    if (st != RC_OK)
        return st;
    const rc::current gpu(b->x);
    if (c->longs > 0)
        launch_longs(b, 1);
    RC_PASS(find_pieces(b, err));
    c->pieces = b->pieces;
    if (c->spans > 0)
        cut<<<static_cast<unsigned>(c->spans), THREADS, 0, rc_cuda_stream(b->x)>>>(
            b->items, *c, reinterpret_cast<unsigned long long *>(all));
    st = rc_cuda_launched("cutting a matrix into blocks", err);
    if (st == RC_OK)
        st = rc_build_scan(b, c->total, c->spans, err);
    return st == RC_OK ? b->x->download(b->x, total, all, NUMBERS * sizeof *total, err) : st;
}

rc_status_t measure(rc_build_t *b, const rc_stages_shape_t *shape, rc_precision_t precision,
    int whole, rc_stages_size_t *out, rc_err_t *err)
{
    rc_build_cuts_t *c = &b->cuts;
    int64_t total[NUMBERS];
    rc_memory_free(&c->memory);
    *c = {};
    c->memory.x = b->x;
    c->shape = *shape;
    c->whole = whole;
    c->value = static_cast<int64_t>(rc_precision_bytes(precision));
    c->most = rc_stages_capacity(shape, c->value);
    c->lanes = b->nnz < rc::WIDE * b->items.count ? rc::NARROW_LANES : rc::WIDE_LANES;
    if (c->shape.longest > c->most)
        c->shape.longest = c->most;
    const int64_t room = TABLE / 8 * 7 - shape->bytes / shape->line - c->most;
    c->entries = static_cast<int>(room < ENTRIES ? room : ENTRIES);
    if (c->most > LENGTHS || c->most > c->entries)
        return rc_fail(err, RC_ENOTSUP, "shape: a block of %lld bytes is too large for this device",
            static_cast<long long>(shape->bytes));
    rc_status_t st = count_longs(b, err);
    if (st != RC_OK)
        return st;
    c->part_spans = rc_ceil_div(c->parts, RC_STAGES_PARTS);
    c->spans = c->part_spans + rc_ceil_div(b->items.count, shape->span);
    st = make_room(b, err);
    if (st == RC_OK)
        st = cut_spans(b, total, err);
    if (st != RC_OK)
        return st;
    *out = {total[RC_CUTS_BLOCKS], total[RC_CUTS_PIECES], total[RC_CUTS_COLUMNS],
        total[RC_CUTS_BATCHES], total[RC_CUTS_LINES], total[MOST], total[RC_CUTS_UNITS],
        total[BYTES], c->parts, c->longs};
    return rc_stages_check(out, err);
}

} // namespace

extern "C" rc_status_t rc_build_stages_measure(rc_build_t *b, const rc_stages_shape_t *shape,
    rc_precision_t precision, rc_stages_size_t *out, rc_err_t *err)
{
    return measure(b, shape, precision, 1, out, err);
}

extern "C" rc_status_t rc_build_stages_batches(rc_build_t *b, const rc_stages_shape_t *shape,
    rc_precision_t precision, int64_t *out, rc_err_t *err)
{
    rc_stages_size_t size = {};
    const rc_status_t st = measure(b, shape, precision, 0, &size, err);
    *out = size.batches;
    return st;
}
