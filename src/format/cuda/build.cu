/* The segments of a build, added up. */
#include "format/cuda/build.cuh"

#include <cub/block/block_scan.cuh>

namespace
{

constexpr int THREADS = 512;

/* A row of numbers for each segment; a CTA for each number. */
__global__ void __launch_bounds__(THREADS) add_up(int64_t *total, int64_t segments)
{
    typedef cub::BlockScan<int64_t, THREADS> scan;
    __shared__ typename scan::TempStorage room;
    int64_t *of = total + blockIdx.x;
    int64_t before = 0;
    for (int64_t first = 0; first < segments; first += THREADS) {
        const int64_t i = first + threadIdx.x;
        int64_t mine = i < segments ? of[i * RC_BUILD_TOTALS] : 0;
        int64_t sum;
        scan(room).ExclusiveSum(mine, mine, sum);
        if (i < segments)
            of[i * RC_BUILD_TOTALS] = before + mine;
        before += sum;
        __syncthreads();
    }
    if (threadIdx.x == 0)
        of[segments * RC_BUILD_TOTALS] = before;
}

} // namespace

extern "C" rc_status_t rc_build_scan(rc_build_t *b, int64_t *total, int64_t segments, rc_err_t *err)
{
    const rc::current gpu(b->x);
    add_up<<<RC_BUILD_TOTALS, THREADS, 0, rc_cuda_stream(b->x)>>>(total, segments);
    return rc_cuda_launched("adding up the segments of a matrix", err);
}
