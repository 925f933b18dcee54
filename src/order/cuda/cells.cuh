/* The searches of cells on a GPU: two cooperative launches whose rounds end in barriers of the
 * grid, so that the host is asked for nothing. */
#ifndef RC_ORDER_CUDA_CELLS_CUH
#define RC_ORDER_CUDA_CELLS_CUH

#include "order/cuda/search.cuh"

#include <cooperative_groups.h>

namespace rc
{

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

} // namespace rc

#endif
