/* The GPU form of src/order/policy_multilevel.c.  Sums are of integers, so that the order in
 * which rows add to them does not matter. */
#include "order/cuda/search.cuh"
#include "order/curve.h"

#include <cooperative_groups.h>

namespace
{

namespace cg = cooperative_groups;

enum { PARAM_SIZE, PARAM_ROUNDS };
enum { TOP = RC_CURVE_TOP, NEAR = RC_CURVE_NEAR, DIMS = RC_CURVE_DIMS, LEVELS = 4, THREADS = TOP };
enum { WORDS = TOP / 32 };
typedef unsigned long long sum_t;

struct levels {
    int top;                  /* levels above the cells of rows */
    int64_t n[LEVELS + 1];    /* cells of a level */
    int64_t step[LEVELS + 1]; /* rows from one link to the next */
    int shift[LEVELS + 1];    /* of the cell of a level in a path */
    uint64_t mask[LEVELS + 1];
};

struct places {
    uint32_t *joined;   /* [TOP][WORDS] bits: cells of the top that a link joins */
    int32_t *top;       /* [DIMS][TOP] */
    int32_t *now[DIMS]; /* [count] of the present level */
    int32_t *above[DIMS];
    sum_t *sum[DIMS]; /* [count] */
    uint32_t *count;  /* [count] what a sum has */
};

/* ------------------------------------------------------------- at the top */

/* The cells that the link of a row joins, at the level of c.at.  false: none, or one and the
 * same */
__device__ inline bool ends_of(const rc::cells &c, int64_t r, uint32_t *x, uint32_t *y)
{
    const uint32_t link = c.link[r];
    if (link == RC_LOCAL_NONE)
        return false;
    *x = c.at[rc_local_cell(c.row[r])];
    *y = c.at[link];
    return *x != *y;
}

__device__ inline void set_bit(uint32_t *joined, uint32_t x, uint32_t y)
{
    uint32_t *word = &joined[x * WORDS + y / 32];
    const uint32_t bit = 1u << y % 32;
    if (!(*(const volatile uint32_t *)word & bit))
        atomicOr(word, bit);
}

__global__ void join_top(rc::cells c, int64_t rows, int64_t thin, uint32_t *joined)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x * thin;
    uint32_t x;
    uint32_t y;
    for (int64_t r = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * thin; r < rows; r += step)
        if (ends_of(c, r, &x, &y)) {
            set_bit(joined, x, y);
            set_bit(joined, y, x);
        }
}

/* The sum over the block, in all of its threads. */
__device__ inline int64_t total(int64_t x, int64_t *part)
{
    for (int d = rc::WARP / 2; d > 0; d /= 2)
        x += __shfl_xor_sync(rc::ALL_LANES, (long long)x, d);
    __syncthreads(); /* the last use of part is over */
    if (threadIdx.x % rc::WARP == 0)
        part[threadIdx.x / rc::WARP] = x;
    __syncthreads();
    x = 0;
    for (int w = 0; w < THREADS / rc::WARP; w++)
        x += part[w];
    return x;
}

/* Cell k, if there is one, is that of the thread. */
__device__ inline int32_t level(int32_t x, int n, int64_t *part)
{
    const bool mine = (int)threadIdx.x < n;
    const int64_t sum = total(mine ? x : 0, part);
    x -= (int32_t)(sum / n);
    const int64_t size = total(mine ? (x < 0 ? -x : x) : 0, part);
    return size > 0 ? rc_curve_level(x, n, size) : x;
}

/* A block a coordinate, one after the other. */
__device__ inline int32_t make_independent(int32_t x, int n, int32_t *top, int64_t *part)
{
    const int k = threadIdx.x;
    for (int d = 0; d < DIMS; d++) {
        if ((int)blockIdx.x == d) {
            x = level(x, n, part);
            for (int before = 0; before < d; before++) {
                const int64_t y = k < n ? __ldcg(&top[before * TOP + k]) : 0;
                const int64_t both = total(k < n ? x * y : 0, part);
                const int64_t own = total(y * y, part);
                if (own > 0)
                    x = rc_curve_without(x, (int32_t)y, both, own);
            }
            x = level(x, n, part);
            if (k < n)
                top[d * TOP + k] = x;
        }
        cg::this_grid().sync();
    }
    return x;
}

/* The neighbours of the cell of the thread, the smallest numbers first.  \return how many count */
__device__ inline int find_neighbours(const uint32_t *joined, int n, uint16_t (*near)[TOP])
{
    const int k = threadIdx.x;
    int degree = 0;
    for (int w = 0; k < n && w < WORDS; w++)
        for (uint32_t left = joined[k * WORDS + w]; left && degree < NEAR; left &= left - 1)
            near[degree++][k] = (uint16_t)(32 * w + __ffs(left) - 1);
    return degree;
}

__global__ void __launch_bounds__(THREADS) smooth_top(const uint32_t *joined, int n, int32_t *top)
{
    __shared__ uint16_t near[NEAR][TOP];
    __shared__ int32_t at[TOP];
    __shared__ int64_t part[THREADS / rc::WARP];
    const int k = threadIdx.x;
    const int degree = find_neighbours(joined, n, near);
    int32_t x = rc_curve_begin(k, blockIdx.x);
    x = make_independent(x, n, top, part);
    for (int i = 1; i <= RC_CURVE_TIMES; i++) {
        at[k] = x;
        __syncthreads();
        for (int e = 0; e < degree; e++)
            x += at[near[e][k]];
        x /= degree + 1;
        __syncthreads();
        if (i % RC_CURVE_EVERY == 0)
            x = make_independent(x, n, top, part);
    }
}

/* A warp a coordinate of a cell. */
__global__ void rank_top(const int32_t *top, int n, places p)
{
    const int lane = threadIdx.x % rc::WARP;
    const int i = (int)((blockIdx.x * blockDim.x + threadIdx.x) / rc::WARP);
    if (i >= DIMS * n)
        return;
    const int k = i % n;
    const int d = i / n;
    const int32_t *x = top + d * TOP;
    int rank = 0;
    for (int j = lane; j < n; j += rc::WARP)
        rank += x[j] < x[k] || (x[j] == x[k] && j < k);
    for (int s = rc::WARP / 2; s > 0; s /= 2)
        rank += __shfl_xor_sync(rc::ALL_LANES, rank, s);
    if (lane == 0)
        p.now[d][k] = rc_curve_rank(rank, n);
}

/* ----------------------------------------------------------- below the top */

__device__ inline uint32_t cell_at(const levels &s, int l, uint64_t path, int64_t k)
{
    return l == 0 ? (uint32_t)k : (uint32_t)(path >> s.shift[l] & s.mask[l]);
}

/* Cells begin where those are that they belong to; c.at becomes the cells of level l. */
__device__ inline void descend(const rc::cells &c, const levels &s, int l, const places &p)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < c.count; k += step) {
        const uint32_t own = cell_at(s, l, c.path[k], k);
        const uint32_t up = cell_at(s, l + 1, c.path[k], k);
        c.at[k] = own;
        for (int d = 0; d < DIMS; d++)
            p.now[d][own] = p.above[d][up];
    }
}

__device__ inline void add_links(
    const rc::cells &c, int64_t rows, int64_t thin, const places &p, bool count)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x * thin;
    uint32_t x;
    uint32_t y;
    for (int64_t r = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) * thin; r < rows; r += step) {
        if (!ends_of(c, r, &x, &y))
            continue;
        for (int d = 0; d < DIMS; d++) {
            atomicAdd(&p.sum[d][x], (sum_t)p.now[d][y]);
            atomicAdd(&p.sum[d][y], (sum_t)p.now[d][x]);
        }
        if (count) {
            atomicAdd(&p.count[x], 1u);
            atomicAdd(&p.count[y], 1u);
        }
    }
}

/* A new round of sums; begin: of places as they are, else of the means of the last one. */
__device__ inline void take_means(int64_t n, const places &p, bool begin)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; k < n; k += step) {
        const uint32_t count = begin ? 1 : p.count[k];
        if (begin)
            p.count[k] = 1;
        for (int d = 0; d < DIMS; d++) {
            if (!begin)
                p.now[d][k] = (int32_t)(p.sum[d][k] / count);
            p.sum[d][k] = (sum_t)p.now[d][k];
        }
    }
}

__global__ void __launch_bounds__(rc::CELL_THREADS)
    refine(rc::cells c, int64_t rows, levels s, places p)
{
    cg::grid_group grid = cg::this_grid();
    for (int l = s.top - 1; l >= 0; l--) {
        for (int d = 0; d < DIMS; d++) {
            int32_t *const swap = p.now[d];
            p.now[d] = p.above[d];
            p.above[d] = swap;
        }
        descend(c, s, l, p);
        grid.sync();
        take_means(s.n[l], p, true);
        grid.sync();
        for (int i = 0; i < RC_CURVE_REFINE; i++) {
            add_links(c, rows, s.step[l] * RC_CURVE_THINNING, p, i == 0);
            grid.sync();
            take_means(s.n[l], p, false);
            grid.sync();
        }
    }
}

/* Paths of one word, by which cells are sorted then. */
__global__ void take_keys(places p, uint64_t *path, int64_t count)
{
    rc::for_each(count, [=](int64_t k) {
        const int32_t place[DIMS] = {p.now[0][k], p.now[1][k], p.now[2][k]};
        path[k] = rc_curve_key(place);
    });
}

/* ---------------------------------------------------------------- the steps */

rc_status_t place_top(const rc::search *s, const levels *l, places *p, rc_err_t *err)
{
    const int64_t thin = l->step[l->top];
    const cudaStream_t stream = rc_cuda_stream(s->x);
    int n = (int)l->n[l->top];
    void *args[] = {&p->joined, &n, &p->top};
    RC_PASS(rc_cuda_check(cudaMemsetAsync(p->joined, 0, sizeof(uint32_t) * TOP * WORDS, stream),
        "places of cells", err));
    join_top<<<rc::blocks_for(s->a->rows / thin + 1), rc::ORDER_THREADS, 0, stream>>>(
        s->c, s->a->rows, thin, p->joined);
    RC_PASS(rc_cuda_launched("places of cells", err));
    RC_PASS(rc::cooperate(s->x, smooth_top, DIMS, DIMS, THREADS, args, "places of cells", err));
    rank_top<<<rc::blocks_for((int64_t)DIMS * n * rc::WARP), rc::ORDER_THREADS, 0, stream>>>(
        p->top, n, *p);
    return rc_cuda_launched("places of cells", err);
}

rc_status_t place_cells(rc::search *s, levels *l, places *p, rc_err_t *err)
{
    int64_t rows = s->a->rows;
    int64_t thin = RC_CURVE_THINNING;
    void *args[] = {&s->c, &rows, l, p};
    RC_PASS(place_top(s, l, p, err));
    if (l->top > 0)
        RC_PASS(rc::cooperate(s->x, refine, 1, rows / thin / rc::CELL_THREADS + 1, rc::CELL_THREADS,
            args, "places of cells", err));
    for (int d = 0; d < DIMS && l->top % 2 == 1; d++) { /* as the kernel left them */
        int32_t *const swap = p->now[d];
        p->now[d] = p->above[d];
        p->above[d] = swap;
    }
    take_keys<<<rc::blocks_for(s->c.count), rc::ORDER_THREADS, 0, rc_cuda_stream(s->x)>>>(
        *p, s->c.path, s->c.count);
    s->p.words = 1;
    s->p.bits[0] = DIMS * RC_CURVE_KEY_BITS;
    return rc_cuda_launched("places of cells", err);
}

void add_levels(rc::search *s, levels *l)
{
    l->n[0] = s->c.count;
    l->step[0] = 1;
    for (int i = 0; l->n[i] > TOP; i++) {
        const int64_t branch = rc_curve_branch(l->n[i]);
        l->n[i + 1] = rc::search_add_level(&s->p, l->n[i], branch);
        l->step[i + 1] = l->step[i] * rc_local_thinning(branch);
        l->shift[i + 1] = s->p.place[i].shift; /* all in the first word: at most 16 and 9 bits */
        l->mask[i + 1] = ((uint64_t)1 << rc::bits_of(l->n[i + 1] - 1)) - 1;
        l->top = i + 1;
    }
}

void take_places(rc::workspace *w, int64_t n, places *p)
{
    p->joined = w->take<uint32_t>(TOP * WORDS);
    p->top = w->take<int32_t>(DIMS * TOP);
    p->count = w->take<uint32_t>(n);
    for (int d = 0; d < DIMS; d++) {
        p->now[d] = w->take<int32_t>(n);
        p->above[d] = w->take<int32_t>(n);
        p->sum[d] = w->take<sum_t>(n);
    }
}

rc_status_t build(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *params,
    void *work, int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    levels l = {};
    places p = {};
    rc::search s;
    RC_PASS(
        rc::search_begin(x, a, params->value[PARAM_SIZE], params->value[PARAM_ROUNDS], &s, err));
    add_levels(&s, &l);
    rc::workspace w = {(char *)work, 0};
    rc::search_take(&s, &w);
    take_places(&w, s.c.count, &p);
    *bytes = w.used;
    if (!work)
        return RC_OK;
    RC_PASS(rc::search_cells(&s, err));
    RC_PASS(place_cells(&s, &l, &p, err));
    return rc::search_place(&s, slots, err);
}

} // namespace

extern "C" {
extern const rc_cuda_order_t rc_cuda_order_multilevel;
const rc_cuda_order_t rc_cuda_order_multilevel = {"multilevel", build};
}
