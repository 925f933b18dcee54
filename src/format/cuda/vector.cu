/* Rows, entries and shares of format/cuda/vector.h. */
#include "format/cuda/vector.cuh"
#include "format/cuda/lanes.h"
#include "base/error.h"

#include <cuda_runtime.h>

namespace
{

/* ------------------------------------------------------------------ segments */

constexpr int SUM_THREADS = 1024;
constexpr int SUM_EACH = 4;

__global__ void __launch_bounds__(SUM_THREADS) add_up(int64_t *total, int64_t segments)
{
    typedef cub::BlockScan<int64_t, SUM_THREADS> scan;
    __shared__ typename scan::TempStorage room;
    int64_t before = 0;
    for (int64_t first = 0; first < segments; first += SUM_THREADS * SUM_EACH) {
        const int64_t at = first + static_cast<int64_t>(threadIdx.x) * SUM_EACH;
        int64_t mine[SUM_EACH];
        int64_t sum;
        for (int u = 0; u < SUM_EACH; u++)
            mine[u] = at + u < segments ? total[at + u] : 0;
        scan(room).ExclusiveSum(mine, mine, sum);
        for (int u = 0; u < SUM_EACH; u++)
            if (at + u < segments)
                total[at + u] = before + mine[u];
        before += sum;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        total[segments] = before;
}

/* ---------------------------------------------------------------------- rows */

struct counts {
    unsigned long long longest;
    unsigned long long filled;
    unsigned long long beyond;
    unsigned long long over;
};

__global__ void __launch_bounds__(rc::VECTOR_THREADS)
    count_rows(const rc::pointers ptr, int64_t rows, int64_t beyond, int64_t width, counts *out)
{
    typedef cub::BlockReduce<int64_t, rc::VECTOR_THREADS> reduce;
    __shared__ typename reduce::TempStorage room[4];
    int64_t longest = 0;
    int64_t filled = 0;
    int64_t more = 0;
    int64_t over = 0;
    const int64_t step = static_cast<int64_t>(gridDim.x) * rc::VECTOR_THREADS;
    for (int64_t r = static_cast<int64_t>(blockIdx.x) * rc::VECTOR_THREADS + threadIdx.x; r < rows;
         r += step) {
        const int64_t length = ptr[r + 1] - ptr[r];
        longest = max(longest, length);
        filled += length > 0;
        more += length > beyond;
        over += length > width ? length - width : 0;
    }
    longest = reduce(room[0]).Reduce(longest, [](int64_t a, int64_t b) { return a > b ? a : b; });
    filled = reduce(room[1]).Sum(filled);
    more = reduce(room[2]).Sum(more);
    over = reduce(room[3]).Sum(over);
    if (threadIdx.x != 0)
        return;
    atomicMax(&out->longest, static_cast<unsigned long long>(longest));
    atomicAdd(&out->filled, static_cast<unsigned long long>(filled));
    atomicAdd(&out->beyond, static_cast<unsigned long long>(more));
    atomicAdd(&out->over, static_cast<unsigned long long>(over));
}

/* Pieces of slots of more than `longest` entries. */
struct late_pieces {
    rc::pointers ptr;
    int64_t longest;
    rc_spmv_share_t *out;

    __device__ int64_t count(int64_t i) const
    {
        const int64_t length = ptr[i + 1] - ptr[i];
        return length > longest ? rc_spmv_pieces(length, longest) : 0;
    }

    __device__ void put(int64_t i, int64_t before, int64_t n) const
    {
        if (n == 0)
            return;
        const int64_t first = ptr[i]; /* not read again behind every store */
        const int64_t length = ptr[i + 1] - first;
        for (int64_t j = 0; j < n; j++)
            out[before + j] = {
                first + rc_spmv_piece_at(length, j, n), static_cast<int32_t>(i), j > 0};
    }
};

/* Slots of no entries. */
struct empty_rows {
    rc::pointers ptr;
    int32_t *out;

    __device__ int64_t count(int64_t i) const
    {
        return ptr[i + 1] == ptr[i];
    }

    __device__ void put(int64_t i, int64_t before, int64_t is) const
    {
        if (is)
            out[before] = static_cast<int32_t>(i);
    }
};

/* What slots have beyond their first entries. */
struct over_pointers {
    rc::pointers ptr;
    int64_t skip;
    int64_t *out;

    __device__ int64_t count(int64_t i) const
    {
        return max(ptr[i + 1] - ptr[i] - skip, int64_t(0));
    }

    __device__ void put(int64_t i, int64_t before, int64_t) const
    {
        out[i] = before;
    }
};

/* ------------------------------------------------------------------ formats */

constexpr int ELL_DEEP = 64; /* places of a row that a thread fills at a time */

__global__ void __launch_bounds__(rc::VECTOR_THREADS)
    fill_ell(const rc::csr c, int64_t width, int64_t pitch, int32_t *col, rc::places entry)
{
    const int64_t r = static_cast<int64_t>(blockIdx.x) * rc::VECTOR_THREADS + threadIdx.x;
    if (r >= pitch)
        return;
    const int64_t first = r < c.slots ? c.ptr[r] : 0;
    const int64_t length = r < c.slots ? c.ptr[r + 1] - first : 0;
    const int64_t step = static_cast<int64_t>(gridDim.y) * ELL_DEEP;
    for (int64_t from = static_cast<int64_t>(blockIdx.y) * ELL_DEEP; from < width; from += step)
        for (int64_t k = from; k < width && k < from + ELL_DEEP; k++) {
            const bool held = k < length;
            col[k * pitch + r] = held ? c.col[first + k] : RC_ELL_PAD;
            entry.put(k * pitch + r, held ? c.number(first + k) : -1);
        }
}

/* Coordinates of what slots have beyond their first entries. */
struct coordinates {
    rc::csr c;
    int64_t skip;
    int32_t *row;
    int32_t *col;
    rc::places entry;

    __device__ void put(int64_t i, int64_t slot, int64_t j) const
    {
        const int64_t from = c.ptr[slot] + skip + j;
        row[i] = static_cast<int32_t>(slot);
        col[i] = c.col[from];
        entry.put(i, c.number(from));
    }
};

struct coo_shares {
    const int32_t *row;
    rc::pointers ptr;
    int64_t base;
    int64_t entries;
    int64_t shares;
    rc_spmv_share_t *share;

    __device__ void put(int64_t k) const
    {
        const int64_t at = k * RC_SPMV_ENTRIES;
        if (k == shares) {
            share[k] = {entries, -1, 0};
            return;
        }
        const int32_t r = row[at];
        const int64_t begin = max(ptr[r] - base, int64_t(0));
        const int is_open = at - begin > RC_SPMV_LOOK;
        share[k] = {is_open ? at : begin, r, is_open};
    }
};

/* As rc_merge_point. */
struct merge_shares {
    rc::pointers ptr;
    int64_t rows;
    int64_t nnz;
    int64_t items;
    int64_t look;
    rc_spmv_share_t *share;

    __device__ void put(int64_t k) const
    {
        const int64_t all = rows + nnz;
        const int64_t diagonal = k < all / items + 1 && k * items < all ? k * items : all;
        int64_t low = diagonal > nnz ? diagonal - nnz : 0;
        int64_t high = diagonal < rows ? diagonal : rows;
        while (low < high) {
            const int64_t mid = low + (high - low) / 2;
            if (ptr[mid + 1] <= diagonal - mid - 1)
                low = mid + 1;
            else
                high = mid;
        }
        int64_t entry = diagonal - low;
        const int64_t begin = low < rows ? ptr[low] : entry;
        if (entry - begin <= look)
            entry = begin;
        share[k] = {entry, static_cast<int32_t>(low), entry > begin};
    }
};

/* As rc_spmv_shares has them on the host; a warp a share. */
__global__ void __launch_bounds__(rc::VECTOR_THREADS) count_lanes(const rc::pointers ptr,
    const rc_spmv_share_t *share, int64_t shares, const rc_spmv_lanes_t rule, uint8_t *out)
{
    const int lane = threadIdx.x % 32;
    const int64_t k =
        static_cast<int64_t>(blockIdx.x) * (rc::VECTOR_THREADS / 32) + threadIdx.x / 32;
    if (k >= shares)
        return;
    const rc_spmv_share_t begin = share[k];
    const rc_spmv_share_t end = share[k + 1];
    const int64_t rows = end.row - begin.row + (end.open ? 1 : 0);
    int64_t longest = 0;
    for (int64_t i = begin.row + lane; i < begin.row + rows; i += 32)
        longest = max(longest, min(ptr[i + 1], end.entry) - max(ptr[i], begin.entry));
    for (int step = 16; step >= 1; step /= 2)
        longest = max(longest, static_cast<int64_t>(__shfl_xor_sync(0xffffffffu, longest, step)));
    if (lane == 0)
        out[k] =
            static_cast<uint8_t>(rc_spmv_lanes_of(&rule, rows, end.entry - begin.entry, longest));
}

/* Open rows: `before` counts those that begin in earlier shares. */
struct spans {
    rc_spmv_share_t *share;
    int64_t shares;
    const int32_t *place;
    int64_t most;
    int32_t *span;

    __device__ bool goes_on(int64_t k) const /* from share k to k + 1, as from k - 1 to k */
    {
        return k + 1 < shares && share[k].open && share[k + 1].open &&
               share[k].row == share[k + 1].row;
    }

    __device__ int64_t count(int64_t k) const
    {
        return k > 0 && share[k].open && !goes_on(k - 1);
    }

    __device__ void put(int64_t k, int64_t before, int64_t is) const
    {
        if (k == 0 || k == shares || !share[k].open)
            return;
        const int64_t i = before + is - 1;
        if (is) {
            const int32_t slot = share[k].row;
            span[i] = place ? place[slot] : slot;
            span[most + i] = static_cast<int32_t>(k - 1);
        }
        if (!goes_on(k))
            span[2 * most + i] = static_cast<int32_t>(k);
        share[k].open = static_cast<int32_t>(i + 1);
    }
};

} // namespace

namespace rc
{

rc_status_t sum_segments(rc_executor_t *x, int64_t *total, int64_t segments, rc_err_t *err)
{
    add_up<<<1, SUM_THREADS, 0, rc_cuda_stream(x)>>>(total, segments);
    return rc_cuda_launched("adding up the segments of a matrix", err);
}

rc_status_t cut_shares(rc_executor_t *x, const int32_t *row, const pointers &ptr, int64_t base,
    int64_t entries, rc_spmv_share_t *share, rc_err_t *err)
{
    const int64_t shares = ceil_div(entries, RC_SPMV_ENTRIES);
    const coo_shares f = {row, ptr, base, entries, shares, share};
    return put_each(x, f, shares + 1, "cutting coordinates into shares", err);
}

} // namespace rc

extern "C" rc_status_t rc_build_count(
    const rc_problem_t *p, int64_t beyond, int64_t width, rc_spmv_counts_t *out, rc_err_t *err)
{
    const rc_resident_t *r = p->resident;
    rc_executor_t *x = r->x;
    const int64_t ctas = 1024; /* walk over all rows, so that atomics are few */
    void *to = nullptr;
    counts got;
    RC_PASS(x->alloc(x, sizeof got, &to, err));
    rc_status_t st = x->fill(x, to, 0, sizeof got, err);
    if (st == RC_OK && p->a->rows > 0) {
        const rc::current gpu(x);
        const unsigned all = rc::grid_for(p->a->rows, rc::VECTOR_THREADS);
        const unsigned grid = all < ctas ? all : ctas;
        count_rows<<<grid, rc::VECTOR_THREADS, 0, rc_cuda_stream(x)>>>(
            {r->row_ptr, r->row_ptr_bytes}, p->a->rows, beyond, width, static_cast<counts *>(to));
        st = rc_cuda_launched("counting the entries of rows", err);
    }
    if (st == RC_OK)
        st = x->download(x, &got, to, sizeof got, err);
    x->release(x, to);
    if (st < 0)
        return st;
    out->longest = static_cast<int64_t>(got.longest);
    out->filled = static_cast<int64_t>(got.filled);
    out->beyond = static_cast<int64_t>(got.beyond);
    out->over = static_cast<int64_t>(got.over);
    return RC_OK;
}

extern "C" rc_status_t rc_build_late(
    rc_build_csr_t *c, int64_t longest, rc_spmv_share_t *out, rc_err_t *err)
{
    return rc::put_in_order(
        &c->b, late_pieces{rc::csr_of(c).ptr, longest, out}, c->slots, "listing long rows", err);
}

extern "C" rc_status_t rc_build_empty(
    rc_build_csr_t *c, int64_t rows, int rows_of_a, int32_t *out, rc_err_t *err)
{
    const rc_build_items_t *items = &c->b.items;
    const rc::pointers ptr =
        rows_of_a ? rc::pointers{items->row_ptr, items->row_ptr_bytes} : rc::csr_of(c).ptr;
    return rc::put_in_order(
        &c->b, empty_rows{ptr, out}, rows_of_a ? rows : c->slots, "listing empty rows", err);
}

extern "C" rc_status_t rc_build_ell(rc_build_csr_t *c, const rc_ell_t *out, rc_err_t *err)
{
    const int64_t width = out->width;
    const int64_t pitch = out->pitch;
    const int64_t parts = rc::ceil_div(width, ELL_DEEP);
    const int64_t most = 65535;
    rc_executor_t *x = c->b.x;
    if (width == 0 || pitch == 0)
        return RC_OK;
    const dim3 grid(static_cast<unsigned>(rc::ceil_div(pitch, rc::VECTOR_THREADS)),
        static_cast<unsigned>(parts < most ? parts : most));
    const rc::current gpu(x);
    fill_ell<<<grid, rc::VECTOR_THREADS, 0, rc_cuda_stream(x)>>>(
        rc::csr_of(c), width, pitch, out->col, rc::places{out->entry, c->entry_bytes});
    return rc_cuda_launched("filling ELLPACK", err);
}

extern "C" rc_status_t rc_build_coo(
    rc_build_csr_t *c, int64_t skip, const rc_coo_t *out, rc_spmv_share_t *share, rc_err_t *err)
{
    const int64_t entries = out->entries;
    rc::pointers ptr = rc::csr_of(c).ptr;
    rc_status_t st = RC_OK;
    if (skip > 0 && entries > 0) {
        void *over = nullptr;
        st = rc_memory_room(
            &c->b.memory, static_cast<size_t>(c->slots + 1) * sizeof(int64_t), &over, err);
        if (st == RC_OK)
            st = rc::put_in_order(&c->b, over_pointers{ptr, skip, static_cast<int64_t *>(over)},
                c->slots, "entries beyond the width", err);
        ptr = {over, sizeof(int64_t)};
    }
    if (st < 0)
        return st;
    RC_PASS(rc::put_entries(c->b.x,
        coordinates{rc::csr_of(c), skip, out->row, out->col, {out->entry, c->entry_bytes}}, ptr,
        c->slots, entries, "coordinates", err));
    return rc::cut_shares(c->b.x, out->row, ptr, 0, entries, share, err);
}

extern "C" rc_status_t rc_build_merge(rc_build_csr_t *c, const rc_spmv_cut_t *cut, int64_t shares,
    rc_spmv_share_t *share, uint8_t *lanes, rc_err_t *err)
{
    const rc::pointers ptr = rc::csr_of(c).ptr;
    const rc_status_t st =
        rc::put_each(c->b.x, merge_shares{ptr, c->slots, c->nnz, cut->items, cut->look, share},
            shares + 1, "cutting the merge path", err);
    if (st < 0 || shares == 0)
        return st;
    const rc::current gpu(c->b.x);
    count_lanes<<<static_cast<unsigned>(rc::ceil_div(shares, rc::VECTOR_THREADS / 32)),
        rc::VECTOR_THREADS, 0, rc_cuda_stream(c->b.x)>>>(ptr, share, shares, cut->rule, lanes);
    return rc_cuda_launched("lanes of shares", err);
}

extern "C" rc_status_t rc_build_spans(rc_build_csr_t *c, rc_spmv_share_t *share,
    const int32_t *place, const rc_spmv_spans_t *out, rc_err_t *err)
{
    return rc::put_in_order(&c->b, spans{share, out->shares, place, out->most, out->span},
        out->shares, "rows that several shares hold", err);
}
