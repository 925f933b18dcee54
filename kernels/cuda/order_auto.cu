/* The GPU form of src/order/policy_auto.c.  The host asks once whether the original order is good, to spare
 * the rest; in a stream that is captured it cannot, and everything is done. */
#include "kernels/cuda/orders.cuh"

extern "C" {
extern const rc_cuda_order_t rc_cuda_order_cells;
extern const rc_cuda_order_t rc_cuda_order_auto;
}

namespace
{

enum { TABLE = 2 * RC_LOCAL_RUN * RC_LOCAL_LOOK, LANES = 8 };
typedef unsigned long long count_t;

struct runs {
    count_t entries;
    count_t distinct;
};

/* 1: the column is new in the table. */
__device__ inline int enter(int32_t *table, int32_t col)
{
    uint32_t at = rc_local_hash((uint32_t)col) % TABLE;
    for (;; at = (at + 1) % TABLE) {
        const int32_t old = atomicCAS(&table[at], -1, col);
        if (old == col)
            return 0;
        if (old < 0)
            return 1;
    }
}

/* A block per run; order NULL: the original one. */
__global__ void count_runs(rc_cuda_pattern_t a, const int32_t *order, runs *sum)
{
    __shared__ int32_t table[TABLE];
    __shared__ int counts[2];
    const int64_t first = rc_local_run(blockIdx.x, gridDim.x, a.rows);
    int e = 0;
    int d = 0;
    for (int i = threadIdx.x; i < TABLE; i += blockDim.x)
        table[i] = -1;
    if (threadIdx.x < 2)
        counts[threadIdx.x] = 0;
    __syncthreads();
    for (int i = threadIdx.x / LANES; i < RC_LOCAL_RUN; i += blockDim.x / LANES) {
        const rc::entries row = rc::entries_of(a, order ? order[first + i] : first + i);
        for (int j = threadIdx.x % LANES; j < row.length; j += LANES) {
            e++;
            d += enter(table, row.col[j]);
        }
    }
    atomicAdd(&counts[0], e);
    atomicAdd(&counts[1], d);
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(&sum->entries, (count_t)counts[0]);
        atomicAdd(&sum->distinct, (count_t)counts[1]);
    }
}

/* The original order, where the other one is not better; sum NULL: in any case. */
__global__ void choose(const runs *sum, int32_t *slots, int64_t n)
{
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    if (sum && rc_local_apart(sum[0].entries, sum[0].distinct) &&
        rc_local_better(sum[0].entries, sum[0].distinct, sum[1].entries, sum[1].distinct))
        return;
    for (int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; p < n; p += step)
        slots[p] = (int32_t)p;
}

rc_status_t count(const rc_executor_t *x, const rc_cuda_pattern_t *a, const int32_t *order,
    runs *sum, rc_err_t *err)
{
    const int64_t n = rc_local_runs(a->rows);
    rc_status_t st = rc_cuda_check(
        cudaMemsetAsync(sum, 0, sizeof *sum, rc_cuda_stream(x)), "runs of rows", err);
    if (st < 0 || n == 0)
        return st;
    count_runs<<<(unsigned)n, rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(*a, order, sum);
    return rc_cuda_launched("runs of rows", err);
}

rc_status_t choose_between(
    const rc_executor_t *x, const runs *sum, int32_t *slots, int64_t n, rc_err_t *err)
{
    choose<<<rc::blocks_for(n), rc::ORDER_THREADS, 0, rc_cuda_stream(x)>>>(sum, slots, n);
    return rc_cuda_launched("the choice of an order", err);
}

/* *tried = 1: it is worth it to try another order, or the host may not ask. */
rc_status_t ask(rc_executor_t *x, const runs *sum, int *tried, rc_err_t *err)
{
    int index;
    int capturing;
    runs found = {};
    rc_status_t st = rc_cuda_stream_info(rc_cuda_stream(x), &index, &capturing, err);
    *tried = 1;
    if (st < 0 || capturing)
        return st;
    st = x->download(x, &found, sum, sizeof found, err);
    *tried = rc_local_apart((int64_t)found.entries, (int64_t)found.distinct);
    return st;
}

rc_status_t build(rc_executor_t *x, const rc_cuda_pattern_t *a, const rc_params_t *, void *work,
    int64_t *bytes, int32_t *slots, rc_err_t *err)
{
    rc_params_t params = {};
    int64_t of_cells = 0;
    int tried = 0;
    rc_status_t st = rc_cuda_order_defaults("cells", &params, err);
    if (st == RC_OK)
        st = rc_cuda_order_cells.build(x, a, &params, nullptr, &of_cells, slots, err);
    if (st < 0)
        return st;
    rc::workspace w = {(char *)work, 0};
    runs *sum = w.take<runs>(2);
    void *cells = w.take<char>(of_cells);
    *bytes = w.used;
    if (!work)
        return RC_OK;
    st = count(x, a, nullptr, &sum[0], err);
    if (st == RC_OK)
        st = ask(x, sum, &tried, err);
    if (st == RC_OK && tried)
        st = rc_cuda_order_cells.build(x, a, &params, cells, &of_cells, slots, err);
    if (st == RC_OK && tried)
        st = count(x, a, slots, &sum[1], err);
    return st < 0 ? st : choose_between(x, tried ? sum : nullptr, slots, a->rows, err);
}

} // namespace

extern "C" {
const rc_cuda_order_t rc_cuda_order_auto = {"auto", build};
}
