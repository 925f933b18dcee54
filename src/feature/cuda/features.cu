/* The counts of src/feature/shares.h on a GPU: a lane a row, and one atomic a number and CTA. */
#include "feature/cuda/features.h"
#include "base/error.h"
#include "device/cuda/cuda.h"
#include "feature/shares.h"
#include "format/cuda/vector.cuh"

#include <string.h>

namespace
{

constexpr int THREADS = 256;
constexpr int WARPS = THREADS / 32;
constexpr int64_t CTAS = 264; /* walk over all rows, so that atomics are few */

/* Numbers in the order of rc_shares_counts_t: extremes first, as numbers that grow from 0, then
 * sums. */
enum { LACKS, MOST, SUMS, NUMBERS = sizeof(rc_shares_counts_t) / sizeof(int64_t) };

struct numbers {
    unsigned long long value[NUMBERS];
};

__device__ __forceinline__ unsigned long long merged(
    int i, unsigned long long a, unsigned long long b)
{
    return i < SUMS ? max(a, b) : a + b;
}

/* What a row of n entries adds; `longest` of its 32 rows, of the first of them alone. */
__device__ __forceinline__ void add_row(
    int64_t row, int64_t begin, int64_t n, int64_t longest, int64_t width, rc_shares_counts_t *c)
{
    const unsigned __int128 square =
        static_cast<unsigned __int128>(n) * static_cast<unsigned __int128>(n);
    c->min = max(c->min, INT64_MAX - n); /* the complement */
    c->max = max(c->max, n);
    c->empty += n == 0;
    c->over += n > width ? n - width : 0;
    c->warps += row % RC_SHARES_WARP == 0 ? RC_SHARES_WARP * longest : 0;
    c->squares_low += static_cast<uint32_t>(square);
    c->squares_high += static_cast<uint64_t>(square >> 32);
    rc_shares_add_long(row, begin, n, c);
}

__global__ void __launch_bounds__(THREADS)
    count_shares(const rc::pointers ptr, int64_t rows, int64_t width, numbers *out)
{
    __shared__ unsigned long long part[WARPS][NUMBERS];
    const int lane = threadIdx.x % 32;
    const int64_t step = static_cast<int64_t>(gridDim.x) * THREADS;
    rc_shares_counts_t c = {};
    /* whole warps: their rows are 32 that the set puts together */
    for (int64_t row = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x; row - lane < rows;
         row += step) {
        const int64_t begin = row < rows ? ptr[row] : 0;
        const int64_t n = row < rows ? ptr[row + 1] - begin : 0;
        int64_t longest = n;
        for (int far = 16; far >= 1; far /= 2)
            longest =
                max(longest, static_cast<int64_t>(__shfl_xor_sync(0xffffffffu, longest, far)));
        if (row < rows)
            add_row(row, begin, n, longest, width, &c);
    }
    numbers mine;
    memcpy(&mine, &c, sizeof mine);
#pragma unroll
    for (int i = 0; i < NUMBERS; i++) {
        for (int far = 16; far >= 1; far /= 2)
            mine.value[i] =
                merged(i, mine.value[i], __shfl_xor_sync(0xffffffffu, mine.value[i], far));
        if (lane == 0)
            part[threadIdx.x / 32][i] = mine.value[i];
    }
    __syncthreads();
    const int i = static_cast<int>(threadIdx.x);
    if (i >= NUMBERS)
        return;
    unsigned long long all = part[0][i];
    for (int w = 1; w < WARPS; w++)
        all = merged(i, all, part[w][i]);
    if (i < SUMS)
        atomicMax(&out->value[i], all);
    else if (all > 0)
        atomicAdd(&out->value[i], all);
}

rc_status_t launch(
    rc_executor_t *x, const rc_csr_t *a, const rc_resident_t *m, numbers *to, rc_err_t *err)
{
    const int64_t grid = rc::grid_for(a->rows, THREADS);
    const int current = rc_cuda_enter(x);
    count_shares<<<static_cast<unsigned>(grid < CTAS ? grid : CTAS), THREADS, 0,
        rc_cuda_stream(x)>>>(
        {m->row_ptr, m->row_ptr_bytes}, a->rows, rc_shares_width(a->rows, a->nnz), to);
    const rc_status_t st = rc_cuda_launched("features of a matrix", err);
    rc_cuda_leave(x, current);
    return st;
}

} // namespace

extern "C" rc_status_t rc_cuda_features_there(rc_executor_t *x, const char *set, const rc_csr_t *a,
    const rc_resident_t *m, double *out, rc_err_t *err)
{
    rc_shares_counts_t c = {};
    void *to = nullptr;
    if (strcmp(set, "shares") != 0)
        return rc_fail(err, RC_ENOTSUP, "features '%s': not computed on a GPU", set);
    RC_PASS(x->alloc(x, sizeof(numbers), &to, err));
    rc_status_t st = x->fill(x, to, 0, sizeof(numbers), err);
    if (st == RC_OK && a->rows > 0)
        st = launch(x, a, m, static_cast<numbers *>(to), err);
    if (st == RC_OK)
        st = x->download(x, &c, to, sizeof c, err);
    x->release(x, to);
    if (st < 0)
        return st;
    c.min = a->rows > 0 ? INT64_MAX - c.min : 0;
    rc_shares_features(&c, a->rows, a->cols, a->nnz, out);
    return RC_OK;
}
