/* The searches of cells on a GPU: two cooperative launches whose rounds end in barriers of the
 * grid, so that the host is asked for nothing. */
#include "order/cuda/search.cuh"

#include <cooperative_groups.h>

namespace
{

using namespace rc;

__device__ inline uint32_t peek(const uint32_t *p)
{
    return *(const volatile uint32_t *)p;
}

/* ----------------------------------------------------------- cells of rows */

template <int LANES> __device__ inline void plant(const rc_cuda_pattern_t &a, const cells &c)
{
    const int lane = threadIdx.x % LANES;
    const int64_t step = (int64_t)gridDim.x * blockDim.x / LANES;
    for (int64_t k = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / LANES; k < c.count;
         k += step) {
        const int64_t r = rc_local_seed(k, c.size, a.rows);
        const entries row = entries_of(a, r);
        if (row.length == 0)
            continue;
        if (lane == 0)
            c.row[r] = rc_local_key(0, (uint32_t)k);
        lower_columns<LANES>(row, lane, rc_local_key(0, (uint32_t)k), c.col);
    }
}

/* Rows of a warp that are not reached yet share its lanes. */
template <int LANES>
__device__ inline bool grow_warp(
    const rc_cuda_pattern_t &a, const cells &c, int64_t base, uint32_t round, int *list)
{
    const int lane = threadIdx.x % WARP;
    const int64_t own = base + lane;
    const bool open = own < a.rows && c.row[own] == RC_LOCAL_NONE;
    const unsigned all = __ballot_sync(ALL_LANES, open);
    const int count = __popc(all);
    bool found = false;
    if (open)
        list[__popc(all & ((1u << lane) - 1))] = lane;
    __syncwarp();
    for (int i = 0; i < count; i += WARP / LANES) {
        const int which = i + lane / LANES;
        const int64_t r = which < count ? base + list[which] : a.rows;
        const entries row = entries_of(a, r);
        const uint32_t least = least_column<LANES>(row, lane % LANES, c.col);
        if (rc_local_round(least) > round) /* columns of a later round do not count yet */
            continue;
        const uint32_t key = rc_local_key(round + 1, rc_local_cell(least));
        if (lane % LANES == 0)
            c.row[r] = key;
        lower_columns<LANES>(row, lane % LANES, key, c.col);
        found = true;
    }
    __syncwarp();
    return found;
}

template <int LANES>
__global__ void __launch_bounds__(CELL_THREADS) grow(rc_cuda_pattern_t a, cells c)
{
    __shared__ int lists[CELL_THREADS];
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    int *list = lists + threadIdx.x / WARP * WARP;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    plant<LANES>(a, c);
    grid.sync();
    for (uint32_t round = 0; round < CELL_ROUNDS; round++) {
        bool found = false;
        for (int64_t base = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / WARP * WARP;
             base < a.rows; base += step)
            found |= grow_warp<LANES>(a, c, base, round, list);
        if (found)
            c.found[round] = 1;
        grid.sync();
        if (*(volatile int *)&c.found[round] == 0)
            break;
    }
}

/* ---------------------------------------------------------- cells of cells */

/* What a row links its cell with: the first column of another cell, from a drawn entry on and
 * around. */
template <int LANES> __device__ inline void link_rows(const rc_cuda_pattern_t &a, const cells &c)
{
    const int cell_bits = 32 - RC_LOCAL_ROUND_BITS;
    const int lane = threadIdx.x % LANES;
    const int sub = threadIdx.x % WARP / LANES;
    for (int64_t base = first_row<LANES>(); base < a.rows; base += row_step<LANES>()) {
        const int64_t r = base + sub;
        const uint32_t own = r < a.rows ? c.row[r] : RC_LOCAL_NONE;
        entries row = entries_of(a, r);
        if (own == RC_LOCAL_NONE)
            row.length = 0;
        const int first = row.length ? rc_local_hash((uint32_t)r) % (uint32_t)row.length : 0;
        uint32_t best = RC_LOCAL_NONE;
        for (int e = lane; e < row.length; e += BATCH * LANES) {
            uint32_t key[BATCH];
            load_columns<LANES>(row, e, c.col, key);
#pragma unroll
            for (int i = 0; i < BATCH; i++) {
                const int at = e + i * LANES;
                const uint32_t cell = rc_local_cell(key[i]);
                const uint32_t far = at < first ? at - first + row.length : at - first;
                if (at < row.length && cell != rc_local_cell(own))
                    best = min(best, far << cell_bits | cell);
            }
        }
        best = least_of<LANES>(best);
        if (lane == 0 && r < a.rows)
            c.link[r] = best == RC_LOCAL_NONE ? best : rc_local_cell(best);
    }
}

__device__ inline bool reach(const cells &c, uint32_t from, uint32_t to, uint32_t round)
{
    const uint32_t key = peek(&c.key[from]);
    const uint32_t have = peek(&c.key[to]);
    const uint32_t next = rc_local_key(round + 1, rc_local_cell(key));
    if (rc_local_round(key) > round || rc_local_round(have) <= round)
        return false;
    if (next < have)
        atomicMin(&c.key[to], next);
    return true;
}

/* By the links of every thin-th row. */
__device__ inline bool join_once(const cells &c, int64_t rows, int64_t thin, uint32_t round)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x * thin;
    const int64_t first = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * thin;
    bool found = false;
    for (int64_t r = first; r < rows; r += step) {
        const uint32_t link = c.link[r];
        if (link == RC_LOCAL_NONE)
            continue;
        const uint32_t x = c.at[rc_local_cell(c.row[r])];
        const uint32_t y = c.at[link];
        if (x == y)
            continue;
        found |= reach(c, x, y, round);
        found |= reach(c, y, x, round);
    }
    return found;
}

/* The n cells of a level get their cells of the next one. */
__device__ inline void join_level(
    const cells &c, int64_t rows, int64_t n, int64_t branch, int64_t thin, int *found)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = first; k * branch < n; k += step) { /* its own `branch` cells */
        const int64_t end = (k + 1) * branch < n ? (k + 1) * branch : n;
        const int64_t seed = rc_local_seed(k, branch, n);
        for (int64_t i = k * branch; i < end; i++)
            c.key[i] = i == seed ? rc_local_key(0, (uint32_t)k) : RC_LOCAL_NONE;
    }
    grid.sync();
    for (uint32_t round = 0; round < CELL_ROUNDS; round++) {
        if (join_once(c, rows, thin, round))
            found[round] = 1;
        grid.sync();
        if (*(volatile int *)&found[round] == 0)
            break;
    }
}

template <int LANES>
__global__ void __launch_bounds__(CELL_THREADS) join(rc_cuda_pattern_t a, cells c, paths p)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    const int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    int64_t n = c.count;
    int64_t thin = 1;
    link_rows<LANES>(a, c);
    for (int64_t k = first; k < c.count; k += step) {
        c.at[k] = (uint32_t)k;
        for (int w = 0; w < p.words; w++)
            c.path[w * c.count + k] = 0;
    }
    for (int l = 0; l < p.levels; l++) {
        grid.sync();
        const int64_t branch = p.branch[l];
        join_level(c, a.rows, n, branch, thin, c.found + (l + 1) * (CELL_ROUNDS + 1));
        for (int64_t k = first; k < c.count; k += step) {
            const uint32_t at = c.at[k];
            const uint32_t key = c.key[at];
            const uint32_t up = key == RC_LOCAL_NONE ? (uint32_t)(at / branch) : rc_local_cell(key);
            c.at[k] = up;
            c.path[p.place[l].word * c.count + k] |= (uint64_t)up << p.place[l].shift;
        }
        n = (n + branch - 1) / branch;
        thin *= rc_local_thinning(branch);
    }
}

/* ------------------------------------------------------------------- ranks */

__global__ void rank_cells(const int32_t *order, uint32_t *rank, int64_t n)
{
    rc::for_each(n, [=](int64_t k) { rank[order[k]] = (uint32_t)k; });
}

/* Rows that were not reached come last. */
__global__ void take_ranks(const uint32_t *cell, const uint32_t *rank, int64_t count,
    const int32_t *row, uint32_t *key, int64_t n)
{
    rc::for_each(n, [=](int64_t p) {
        const uint32_t x = cell[row[p]];
        key[p] = x == RC_LOCAL_NONE ? (uint32_t)count : rank[rc_local_cell(x)];
    });
}

/* start[rank of a cell] = its first slot. */
__global__ void find_starts(const uint32_t *key, uint32_t *start, int64_t count, int64_t n)
{
    rc::for_each(n, [=](int64_t p) {
        if (key[p] < count && (p == 0 || key[p - 1] != key[p]))
            start[key[p]] = (uint32_t)p;
    });
}

__global__ void begin_labels(const uint32_t *key, const int32_t *row, const uint32_t *start,
    int64_t count, uint32_t *label, int64_t n)
{
    rc::for_each(
        n, [=](int64_t p) { label[row[p]] = key[p] < count ? start[key[p]] : (uint32_t)p; });
}

/* ---------------------------------------------------------------- the steps */

int64_t blocks_of(int64_t threads)
{
    return (threads + rc::CELL_THREADS - 1) / rc::CELL_THREADS;
}

template <int LANES> rc_status_t search_with(search *s, rc_err_t *err)
{
    rc_cuda_pattern_t a = *s->a;
    void *of_grow[] = {&a, &s->c};
    void *of_join[] = {&a, &s->c, &s->p};
    RC_PASS(rc::cooperate(
        s->x, grow<LANES>, 1, blocks_of(a.rows), rc::CELL_THREADS, of_grow, "cells of rows", err));
    return rc::cooperate(s->x, join<LANES>, 1, blocks_of(a.rows * LANES), rc::CELL_THREADS, of_join,
        "cells of cells", err);
}

rc_status_t rank(search *s, rc_err_t *err)
{
    const int64_t n = s->c.count;
    rc_cuda_pairs64_t p = {s->cell_key[0], s->cell_key[1], s->cell_order[0], s->cell_order[1], n};
    RC_PASS(rc::number(s->x, p.value, n, err));
    for (int w = 0; w < s->p.words; w++) {
        RC_PASS(rc::take(s->x, s->c.path + w * n, p.value, p.key, n, err));
        RC_PASS(rc_cuda_sort64(s->x, s->temp, s->temp_bytes, &p, s->p.bits[w], err));
    }
    rank_cells<<<rc::blocks_for(n), rc::ORDER_THREADS, 0, rc_cuda_stream(s->x)>>>(
        p.value, s->rank, n);
    return rc_cuda_launched("ranks of cells", err);
}

/* Label propagation from the cells on; p is sorted by rank.  Ranks of cells are not needed any
 * more. */
rc_status_t gather(search *s, rc_cuda_pairs_t *p, rc_err_t *err)
{
    const int64_t n = p->n;
    const unsigned blocks = rc::blocks_for(n);
    const cudaStream_t stream = rc_cuda_stream(s->x);
    uint32_t *label = p->key_beside;
    find_starts<<<blocks, rc::ORDER_THREADS, 0, stream>>>(p->key, s->rank, s->c.count, n);
    begin_labels<<<blocks, rc::ORDER_THREADS, 0, stream>>>(
        p->key, p->value, s->rank, s->c.count, label, n);
    RC_PASS(rc_cuda_launched("labels of rows", err));
    RC_PASS(rc_cuda_votes(s->x, s->a, (int)s->rounds, label, s->columns, err));
    RC_PASS(rc::take(s->x, label, p->value, p->key, n, err));
    return rc_cuda_sort(s->x, s->temp, s->temp_bytes, p, rc::bits_of(n), err);
}

/* By the smallest column, then by the rank of the cell. */
rc_status_t sort_rows(search *s, rc_cuda_pairs_t *p, rc_err_t *err)
{
    const unsigned blocks = rc::blocks_for(p->n);
    const cudaStream_t stream = rc_cuda_stream(s->x);
    RC_PASS(rc_cuda_sort_first_columns(s->x, s->a, s->temp, s->temp_bytes, p, err));
    take_ranks<<<blocks, rc::ORDER_THREADS, 0, stream>>>(
        s->c.row, s->rank, s->c.count, p->value, p->key, p->n);
    RC_PASS(rc_cuda_launched("keys of rows", err));
    return rc_cuda_sort(s->x, s->temp, s->temp_bytes, p, rc::bits_of(s->c.count), err);
}

} // namespace

rc_status_t rc::search_cells(search *s, rc_err_t *err)
{
    RC_PASS(rc::fill_none(s->x, s->c.row, s->a->rows, err));
    RC_PASS(rc::fill_none(s->x, s->c.col, s->a->cols, err));
    RC_PASS(rc_cuda_check(cudaMemsetAsync(s->c.found, 0,
                              sizeof *s->c.found * (1 + rc::CELL_LEVELS) * (rc::CELL_ROUNDS + 1),
                              rc_cuda_stream(s->x)),
        "cells of rows", err));
    return rc::with_lanes(s->a, [&](auto lanes) { return search_with<lanes.value>(s, err); });
}

rc_status_t rc::search_place(search *s, int32_t *slots, rc_err_t *err)
{
    rc_cuda_pairs_t p = {s->c.link, s->key_beside, slots, s->beside, s->a->rows};
    RC_PASS(rank(s, err));
    RC_PASS(sort_rows(s, &p, err));
    if (s->rounds > 0)
        RC_PASS(gather(s, &p, err));
    return deliver(s->x, &p, slots, err);
}

/* ------------------------------------------------------------ the workspace */

/* Levels go into words from the lowest on, as many as fit. */
int64_t rc::search_add_level(paths *p, int64_t n, int64_t branch)
{
    n = (n + branch - 1) / branch;
    const int bits = bits_of(n - 1);
    if (p->bits[p->words - 1] + bits > 64)
        p->bits[p->words++] = 0;
    p->place[p->levels] = {p->words - 1, p->bits[p->words - 1]};
    p->bits[p->words - 1] += bits;
    p->branch[p->levels++] = (int)branch;
    return n;
}

void rc::search_take(search *s, workspace *w)
{
    const int64_t rows = s->a->rows;
    const int64_t n = s->c.count;
    s->c.row = w->take<uint32_t>(rows);
    s->c.link = w->take<uint32_t>(rows);
    s->key_beside = w->take<uint32_t>(rows);
    s->beside = w->take<int32_t>(rows);
    s->columns = w->take<uint32_t>((s->rounds > 0 ? 2 : 1) * s->a->cols);
    s->c.col = s->columns;
    s->c.at = w->take<uint32_t>(n);
    s->c.key = w->take<uint32_t>(n);
    s->rank = w->take<uint32_t>(n);
    s->c.path = w->take<uint64_t>(s->p.words * n);
    for (int i = 0; i < 2; i++) {
        s->cell_key[i] = w->take<uint64_t>(n);
        s->cell_order[i] = w->take<int32_t>(n);
    }
    s->c.found = w->take<int>((1 + rc::CELL_LEVELS) * (rc::CELL_ROUNDS + 1));
    s->temp = w->take<char>(s->temp_bytes);
}

rc_status_t rc::search_begin(rc_executor_t *x, const rc_cuda_pattern_t *a, int64_t size,
    int64_t rounds, search *s, rc_err_t *err)
{
    const int64_t most = (int64_t)1 << RC_LOCAL_CELL_BITS;
    const int64_t least = (a->rows + most - 1) / most;
    int64_t of_cells = 0;
    *s = {};
    s->x = x;
    s->a = a;
    s->rounds = rounds;
    s->c.size = size < least ? least : size;
    s->c.count = (a->rows + s->c.size - 1) / s->c.size;
    s->p.words = 1;
    RC_PASS(rc_cuda_sort_bytes(a->rows, &s->temp_bytes, err));
    RC_PASS(rc_cuda_sort64_bytes(s->c.count, &of_cells, err));
    s->temp_bytes = s->temp_bytes > of_cells ? s->temp_bytes : of_cells;
    return RC_OK;
}
