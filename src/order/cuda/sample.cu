/* The GPU form of src/order/sample.c: a block a sample; but for the rows of sampled columns,
 * which a look at all entries finds, by a hash table of the columns in shared memory. */
#include "order/cuda/sample.h"
#include "order/cuda/orders.cuh"

namespace
{

enum { TABLE = 2 * RC_LOCAL_RUN * RC_LOCAL_LOOK, LANES = 8, SLOTS = RC_LOCAL_RUN, KEYS = 2048 };
const int32_t NONE = -1;
typedef unsigned long long count_t;
static_assert((int)RC_LOCAL_RUNS <= (int)rc::ORDER_THREADS, "a thread a sample");
static_assert((int)KEYS >= 4 * (int)RC_LOCAL_RUNS, "most places are free");

/* ------------------------------------------------------------------ device */

/* Distinct numbers, in shared memory. */
struct table {
    int32_t place[TABLE];

    __device__ void clear()
    {
        for (int i = threadIdx.x; i < TABLE; i += blockDim.x)
            place[i] = NONE;
        __syncthreads();
    }

    /* 1: it is new */
    __device__ int enter(int32_t number)
    {
        uint32_t at = rc_local_hash((uint32_t)number) % TABLE;
        for (;; at = (at + 1) % TABLE) {
            const int32_t old = atomicCAS(&place[at], NONE, number);
            if (old == number)
                return 0;
            if (old == NONE)
                return 1;
        }
    }

    __device__ int has(int32_t number) const
    {
        uint32_t at = rc_local_hash((uint32_t)number) % TABLE;
        while (place[at] != NONE && place[at] != number)
            at = (at + 1) % TABLE;
        return place[at] == number;
    }
};

__device__ inline void add(rc_sharing_t *sum, int entries, int distinct)
{
    atomicAdd((count_t *)&sum->entries, (count_t)entries);
    atomicAdd((count_t *)&sum->distinct, (count_t)distinct);
}

/* What the rows row(i), i < rows, share, NONE being no row; without entries in one column. */
template <typename Row>
__device__ inline void count_rows(
    const rc_cuda_pattern_t &a, table &t, int rows, Row row, int32_t without, rc_sharing_t *sum)
{
    __shared__ int counts[2];
    int e = 0;
    int d = 0;
    if (threadIdx.x < 2)
        counts[threadIdx.x] = 0;
    t.clear();
    for (int i = threadIdx.x / LANES; i < rows; i += blockDim.x / LANES) {
        const int64_t r = row(i);
        if (r < 0)
            continue;
        const rc::entries of = rc::entries_of(a, r);
        for (int j = threadIdx.x % LANES; j < of.length; j += LANES) {
            if (of.col[j] == without)
                continue;
            e++;
            d += t.enter(of.col[j]);
        }
    }
    atomicAdd(&counts[0], e);
    atomicAdd(&counts[1], d);
    __syncthreads();
    if (threadIdx.x == 0)
        add(sum, counts[0], counts[1]);
}

__device__ inline bool is_long(const rc_cuda_pattern_t &a, int64_t r, double limit)
{
    return (double)(a.row_ptr[r + 1] - a.row_ptr[r]) > limit;
}

/* A block per run; order NULL: the original one. */
__global__ void count_runs(rc_cuda_pattern_t a, const int32_t *order, rc_sharing_t *sum)
{
    __shared__ table t;
    const int64_t first = rc_local_run(blockIdx.x, gridDim.x, a.rows);
    const auto row = [=](int i) { return order ? (int64_t)order[first + i] : first + i; };
    count_rows(a, t, RC_LOCAL_RUN, row, NONE, sum);
}

/* By one warp: the rows of a ball, in the order in which they are found.  \return how many */
__device__ inline int grow_ball(
    const rc_cuda_pattern_t &a, double limit, int64_t seed, table &t, int32_t *ball)
{
    const int lane = threadIdx.x;
    int found = 0;
    if (!is_long(a, seed, limit)) {
        if (lane == 0) {
            ball[0] = (int32_t)seed;
            t.enter(ball[0]);
        }
        found = 1;
    }
    __syncwarp();
    for (int next = 0; next < found && found < RC_LOCAL_RUN; next++) {
        const rc::entries of = rc::entries_of(a, ball[next]);
        for (int first = 0; first < of.length && found < RC_LOCAL_RUN; first += rc::WARP) {
            const int32_t c = first + lane < of.length ? of.col[first + lane] : NONE;
            const bool joins = c >= 0 && c < a.rows && !is_long(a, c, limit) && !t.has(c);
            const unsigned joining = __ballot_sync(rc::ALL_LANES, joins);
            const int place = found + __popc(joining & ((1u << lane) - 1));
            __syncwarp();
            if (joins && place < RC_LOCAL_RUN) {
                ball[place] = c;
                t.enter(c);
            }
            found = min((int)RC_LOCAL_RUN, found + __popc(joining));
            __syncwarp();
        }
    }
    return found;
}

__global__ void count_balls(rc_cuda_pattern_t a, double limit, rc_sharing_t *sum)
{
    __shared__ table t;
    __shared__ int32_t ball[RC_LOCAL_RUN];
    __shared__ int rows;
    t.clear();
    if (threadIdx.x < rc::WARP) {
        const int found = grow_ball(a, limit, rc_local_run(blockIdx.x, gridDim.x, a.rows), t, ball);
        if (threadIdx.x == 0)
            rows = found;
    }
    __syncthreads();
    count_rows(
        a, t, rows, [&](int i) { return (int64_t)ball[i]; }, NONE, sum);
}

/* One block: a column of each seed, NONE where there is none or an earlier one has it. */
__global__ void choose_columns(rc_cuda_pattern_t a, int samples, int32_t *col)
{
    __shared__ int32_t chosen[RC_LOCAL_RUNS];
    const int i = threadIdx.x;
    int32_t c = NONE;
    if (i < samples) {
        const int64_t seed = rc_local_run(i, samples, a.rows);
        const rc::entries of = rc::entries_of(a, seed);
        if (of.length > 0)
            c = of.col[rc_local_hash((uint32_t)seed) % (uint32_t)of.length];
    }
    if (i < RC_LOCAL_RUNS)
        chosen[i] = c;
    __syncthreads();
    for (int k = 0; k < i && k < samples && c != NONE; k++)
        if (chosen[k] == c)
            c = NONE;
    if (i < samples)
        col[i] = c;
}

/* Number of the sample of a column. */
struct keys {
    int32_t col[KEYS];
    int sample[KEYS];

    __device__ void fill(const int32_t *chosen, int samples)
    {
        for (int i = threadIdx.x; i < KEYS; i += blockDim.x)
            col[i] = NONE;
        __syncthreads();
        for (int i = threadIdx.x; i < samples; i += blockDim.x) {
            if (chosen[i] == NONE)
                continue;
            uint32_t at = rc_local_hash((uint32_t)chosen[i]) % KEYS;
            while (atomicCAS(&col[at], NONE, chosen[i]) != NONE)
                at = (at + 1) % KEYS;
            sample[at] = i;
        }
        __syncthreads();
    }

    __device__ int find(int32_t c) const
    {
        uint32_t at = rc_local_hash((uint32_t)c) % KEYS;
        while (col[at] != NONE && col[at] != c)
            at = (at + 1) % KEYS;
        return col[at] == c ? sample[at] : NONE;
    }
};

/* \param[out] row  [samples][SLOTS], RC_LOCAL_NONE before */
__global__ void find_rows(
    rc_cuda_pattern_t a, double limit, const int32_t *chosen, int samples, uint32_t *row)
{
    __shared__ keys k;
    const int64_t step = (int64_t)gridDim.x * blockDim.x / LANES;
    k.fill(chosen, samples);
    for (int64_t r = ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / LANES; r < a.rows;
         r += step) {
        if (is_long(a, r, limit))
            continue;
        const rc::entries of = rc::entries_of(a, r);
        for (int j = threadIdx.x % LANES; j < of.length; j += LANES) {
            const int sample = k.find(of.col[j]);
            if (sample != NONE)
                atomicMin(&row[sample * SLOTS + rc_local_hash((uint32_t)r) % SLOTS], (uint32_t)r);
        }
    }
}

__global__ void count_columns(
    rc_cuda_pattern_t a, const int32_t *chosen, const uint32_t *row, rc_sharing_t *sum)
{
    __shared__ table t;
    const uint32_t *of = row + (int64_t)blockIdx.x * SLOTS;
    if (chosen[blockIdx.x] == NONE)
        return;
    const auto slot = [=](int i) {
        return of[i] == RC_LOCAL_NONE ? (int64_t)NONE : (int64_t)of[i];
    };
    count_rows(a, t, SLOTS, slot, chosen[blockIdx.x], sum);
}

__device__ inline bool holds(const rc_cuda_pattern_t &a, int64_t r, int32_t col)
{
    const int64_t end = a.row_ptr[r + 1];
    const int64_t at = rc::seek(a.col_idx, a.row_ptr[r], end, col);
    return at < end && a.col_idx[at] == col;
}

/* A thread takes an entry of the seed, and the seed's number or another of its columns to be
 * found there. */
__global__ void count_agreement(rc_cuda_pattern_t a, rc_sharing_t *sum)
{
    __shared__ int found[RC_LOCAL_LOOK];
    const int64_t seed = rc_local_run(blockIdx.x, gridDim.x, a.rows);
    const rc::entries of = rc::entries_of(a, seed);
    if (threadIdx.x < RC_LOCAL_LOOK)
        found[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < of.length * (of.length + 1); i += blockDim.x) {
        const int k = i / of.length - 1; /* -1: the seed's number, which is tried first */
        const int j = i % of.length;
        const int32_t r = of.col[j];
        if (r == seed || r >= a.rows || k == j || (k < 0 && seed >= a.cols))
            continue;
        if (!atomicOr(&found[j], 0) && holds(a, r, k < 0 ? (int32_t)seed : of.col[k]))
            atomicOr(&found[j], 1);
    }
    __syncthreads();
    if (threadIdx.x < (unsigned)of.length && of.col[threadIdx.x] != seed)
        add(sum, 1, found[threadIdx.x]);
}

__global__ void find_longest(rc_cuda_pattern_t a, int64_t *longest)
{
    __shared__ count_t most;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    count_t own = 0;
    if (threadIdx.x == 0)
        most = 0;
    __syncthreads();
    for (int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; r < a.rows; r += step) {
        const count_t n = (count_t)(a.row_ptr[r + 1] - a.row_ptr[r]);
        own = n > own ? n : own;
    }
    atomicMax(&most, own);
    __syncthreads();
    if (threadIdx.x == 0)
        atomicMax((count_t *)longest, most);
}

/* -------------------------------------------------------------------- host */

/* Device memory of the samples. */
struct scratch {
    rc_local_samples_t *sum;
    int32_t *col;  /* [RC_LOCAL_RUNS] */
    uint32_t *row; /* [RC_LOCAL_RUNS][SLOTS] */
};

/* Few blocks: each begins with a table, and has many rows. */
unsigned blocks_for_rows(int64_t threads)
{
    const unsigned n = rc::blocks_for(threads);
    return n < 1024 ? n : 1024;
}

rc_status_t find_longest_row(
    const rc_executor_t *x, const rc_cuda_pattern_t *a, int64_t *longest, rc_err_t *err)
{
    find_longest<<<blocks_for_rows(a->rows), rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(
        *a, longest);
    return rc_cuda_launched("the longest row", err);
}

rc_status_t launch(
    const rc_executor_t *x, const rc_cuda_pattern_t *a, const scratch *s, rc_err_t *err)
{
    const cudaStream_t stream = rc_cuda_stream(x);
    const int samples = (int)rc_local_runs(a->rows);
    const double limit = rc_local_limit(a->rows, a->nnz);
    rc_status_t st = find_longest_row(x, a, &s->sum->longest, err);
    if (st < 0 || samples == 0)
        return st;
    count_runs<<<samples, rc::ORDER_THREADS, 0, stream>>>(*a, nullptr, &s->sum->run);
    count_balls<<<samples, rc::ORDER_THREADS, 0, stream>>>(*a, limit, &s->sum->ball);
    count_agreement<<<samples, rc::ORDER_THREADS, 0, stream>>>(*a, &s->sum->agreement);
    choose_columns<<<1, rc::ORDER_THREADS, 0, stream>>>(*a, samples, s->col);
    find_rows<<<blocks_for_rows(a->rows * LANES), rc::ORDER_THREADS, 0, stream>>>(
        *a, limit, s->col, samples, s->row);
    count_columns<<<samples, rc::ORDER_THREADS, 0, stream>>>(*a, s->col, s->row, &s->sum->column);
    return rc_cuda_launched("samples of rows", err);
}

scratch take_scratch(rc::workspace *w)
{
    scratch s;
    s.sum = w->take<rc_local_samples_t>(1);
    s.col = w->take<int32_t>(RC_LOCAL_RUNS);
    s.row = w->take<uint32_t>((int64_t)RC_LOCAL_RUNS * SLOTS);
    return s;
}

} // namespace

extern "C" int64_t rc_cuda_sample_bytes(void)
{
    rc::workspace w = {nullptr, 0};
    (void)take_scratch(&w);
    return w.used;
}

extern "C" rc_status_t rc_cuda_sample_ask(const rc_executor_t *x, const rc_cuda_pattern_t *a,
    void *memory, rc_local_samples_t **out, rc_err_t *err)
{
    rc::workspace w = {(char *)memory, 0};
    const scratch s = take_scratch(&w);
    *out = s.sum;
    RC_PASS(rc_cuda_check(
        cudaMemsetAsync(memory, 0, (size_t)w.used, rc_cuda_stream(x)), "samples of rows", err));
    RC_PASS(rc::fill_none(x, s.row, (int64_t)RC_LOCAL_RUNS * SLOTS, err));
    return launch(x, a, &s, err);
}

extern "C" rc_status_t rc_cuda_sample_longest(
    const rc_executor_t *x, const rc_cuda_pattern_t *a, int64_t *out, rc_err_t *err)
{
    RC_PASS(rc_cuda_check(
        cudaMemsetAsync(out, 0, sizeof *out, rc_cuda_stream(x)), "the longest row", err));
    return find_longest_row(x, a, out, err);
}

extern "C" rc_status_t rc_cuda_sample_balls(
    const rc_executor_t *x, const rc_cuda_pattern_t *a, rc_sharing_t *out, rc_err_t *err)
{
    const int64_t n = rc_local_runs(a->rows);
    const double limit = rc_local_limit(a->rows, a->nnz);
    rc_status_t st =
        rc_cuda_check(cudaMemsetAsync(out, 0, sizeof *out, rc_cuda_stream(x)), "balls", err);
    if (st < 0 || n == 0)
        return st;
    count_balls<<<(unsigned)n, rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(*a, limit, out);
    return rc_cuda_launched("balls", err);
}

extern "C" rc_status_t rc_cuda_sample_runs(const rc_executor_t *x, const rc_cuda_pattern_t *a,
    const int32_t *order, rc_sharing_t *out, rc_err_t *err)
{
    const int64_t n = rc_local_runs(a->rows);
    rc_status_t st =
        rc_cuda_check(cudaMemsetAsync(out, 0, sizeof *out, rc_cuda_stream(x)), "runs of rows", err);
    if (st < 0 || n == 0)
        return st;
    count_runs<<<(unsigned)n, rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(*a, order, out);
    return rc_cuda_launched("runs of rows", err);
}
