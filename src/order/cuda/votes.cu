/* Rounds of label propagation.  What rows draw does not depend on labels, so a row is looked at
 * once a round: it votes, and gives its columns what it draws for the next round. */
#include "order/cuda/orders.cuh"

namespace
{

struct votes {
    uint32_t *label;       /* [rows] */
    const uint32_t *heard; /* [cols] labels, NULL: no round yet */
    uint32_t *draw;        /* [cols] smallest draws of the next round, NULL: there is none */
    int round;             /* the next one */
};

enum { HELD = 16 }; /* votes that a lane holds */

/* How many of the votes in the lanes of a row are for a label; each lane asks for its own. */
template <int LANES> __device__ inline int count_votes(const uint32_t (&vote)[HELD], uint32_t label)
{
    int count = 0;
#pragma unroll
    for (int j = 0; j < HELD; j++)
        count += vote[j] == label;
    for (int d = 1; d < LANES; d++) {
#pragma unroll
        for (int j = 0; j < HELD; j++) {
            const uint32_t other = __shfl_xor_sync(rc::ALL_LANES, vote[j], d);
            count += other == label;
        }
    }
    return count;
}

/* The label that most votes of a row have, of at most HELD LANES votes; for no votes anything. */
template <int LANES>
__device__ inline uint32_t elect(const rc::entries &row, int lane, const uint32_t *heard)
{
    const int votes = rc_local_votes(row.length);
    uint32_t vote[HELD];
    uint64_t best = 0;
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        const int v = lane + i * LANES;
        vote[i] = v < votes ? heard[row.col[rc_local_vote(v, row.length)]] : RC_LOCAL_NONE;
    }
#pragma unroll
    for (int i = 0; i < HELD; i++) {
        if (!__any_sync(rc::ALL_LANES, lane + i * LANES < votes))
            break;
        const int count = count_votes<LANES>(vote, vote[i]);
        const uint64_t rank = rc_local_rank(count, vote[i]);
        if (lane + i * LANES < votes && rank > best)
            best = rank;
    }
    return rc_local_winner(rc::most_of<LANES>(best));
}

/* Rows of more votes than their lanes hold: the whole warp, one row after the other. */
template <int LANES>
__device__ inline void elect_long(
    const rc_cuda_pattern_t &a, int64_t base, bool is_long, const votes &v)
{
    unsigned left = __ballot_sync(rc::ALL_LANES, is_long && threadIdx.x % LANES == 0);
    for (; left; left &= left - 1) {
        const int64_t r = base + (__ffs(left) - 1) / LANES;
        const int lane = threadIdx.x % rc::WARP;
        const rc::entries row = rc::entries_of(a, r);
        const bool mine = lane < rc_local_votes(row.length);
        const uint32_t label =
            mine ? v.heard[row.col[rc_local_vote(lane, row.length)]] : RC_LOCAL_NONE;
        const int count = __popc(__match_any_sync(rc::ALL_LANES, label));
        const uint64_t best = rc::most_of<rc::WARP>(mine ? rc_local_rank(count, label) : 0);
        if (lane == 0)
            v.label[r] = rc_local_winner(best);
    }
}

template <int LANES> __global__ void vote(rc_cuda_pattern_t a, votes v)
{
    const int lane = threadIdx.x % LANES;
    const int sub = threadIdx.x % rc::WARP / LANES;
    for (int64_t base = rc::first_row<LANES>(); base < a.rows; base += rc::row_step<LANES>()) {
        const int64_t r = base + sub;
        const rc::entries row = rc::entries_of(a, r);
        if (v.heard) {
            const bool is_long = rc_local_votes(row.length) > HELD * LANES;
            const uint32_t winner = elect<LANES>(row, lane, v.heard);
            if (lane == 0 && row.length > 0 && !is_long)
                v.label[r] = winner;
            elect_long<LANES>(a, base, is_long, v);
        }
        if (v.draw)
            rc::lower_columns<LANES>(row, lane, rc_local_draw((uint32_t)r, v.round), v.draw);
    }
}

/* From draws to the labels of those who drew them; a column without rows has no row that would
 * ask. */
__global__ void hear(const uint32_t *label, int64_t rows, uint32_t *column, int64_t cols, int round)
{
    rc::for_each(cols, [=](int64_t c) {
        const uint32_t r = rc_local_drawer(column[c], round);
        column[c] = r < rows ? label[r] : RC_LOCAL_NONE;
    });
}

rc_status_t launch(
    const rc_executor_t *x, const rc_cuda_pattern_t *a, const votes &v, rc_err_t *err)
{
    const int lanes = 3 * (a->nnz / a->rows) < 2 * HELD ? 1 : 2;
    const unsigned blocks = rc::blocks_for(a->rows * lanes);
    const cudaStream_t s = rc_cuda_stream(x);
    if (lanes == 1)
        vote<1><<<blocks, rc::ORDER_THREADS, 0, s>>>(*a, v);
    else
        vote<2><<<blocks, rc::ORDER_THREADS, 0, s>>>(*a, v);
    return rc_cuda_launched("votes for labels", err);
}

} // namespace

rc_status_t rc_cuda_votes(rc_executor_t *x, const rc_cuda_pattern_t *a, int rounds, uint32_t *label,
    uint32_t *columns, rc_err_t *err)
{
    for (int round = 0; round <= rounds && rounds > 0; round++) {
        uint32_t *heard = round > 0 ? columns + (round + 1) % 2 * a->cols : nullptr;
        uint32_t *draw = round < rounds ? columns + round % 2 * a->cols : nullptr;
        if (heard && a->cols > 0) {
            hear<<<rc::blocks_for(a->cols), rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(
                label, a->rows, heard, a->cols, round - 1);
            RC_PASS(rc_cuda_launched("labels of columns", err));
        }
        if (draw)
            RC_PASS(rc::fill_none(x, draw, a->cols, err));
        const votes v = {label, heard, draw, round};
        RC_PASS(launch(x, a, v, err));
    }
    return RC_OK;
}
