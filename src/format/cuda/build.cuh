/* What the builders on a GPU share. */
#ifndef RC_FORMAT_CUDA_BUILD_CUH
#define RC_FORMAT_CUDA_BUILD_CUH

#include "format/cuda/build.h"
#include "device/cuda/cuda.h"
#include "device/cuda/types.cuh"

namespace rc
{

/* rc_item_t */
struct item {
    int64_t first;
    int64_t length;
    int32_t row;
};

__device__ __forceinline__ int64_t pointer_at(const rc_build_items_t &s, int64_t r)
{
    return pointers{s.row_ptr, s.row_ptr_bytes}[r];
}

/* rc_item_at; nothing from `count` on */
__device__ __forceinline__ item item_at(const rc_build_items_t &s, int64_t i)
{
    if (i >= s.count)
        return {0, 0, -1};
    if (i >= s.slots)
        return {0, 0, s.absent[i - s.slots]};
    const int32_t r = s.slot ? s.slot[i] : static_cast<int32_t>(i);
    if (r < 0)
        return {0, 0, -1};
    const int64_t first = pointer_at(s, r);
    return {first, pointer_at(s, r + 1) - first, s.original ? r : static_cast<int32_t>(i)};
}

/* Places of values (format/places.h) of either width. */
struct places {
    void *at;
    int bytes;

    /* \param[in] number  of an entry, from 0 on; -1: padding */
    __device__ __forceinline__ void put(int64_t i, int64_t number) const
    {
        if (bytes == 4)
            static_cast<int32_t *>(at)[i] = static_cast<int32_t>(number + 1);
        else
            static_cast<int64_t *>(at)[i] = number + 1;
    }
};

__host__ __device__ __forceinline__ int64_t ceil_div(int64_t n, int64_t d)
{
    return (n + d - 1) / d;
}

/* Its GPU is the current one as long as this is there. */
class current
{
    const rc_executor_t *x;
    int before;

  public:
    explicit current(const rc_executor_t *of) : x(of), before(rc_cuda_enter(of))
    {
    }

    ~current()
    {
        rc_cuda_leave(x, before);
    }

    current(const current &) = delete;
    current &operator=(const current &) = delete;
};

/* On the device, on the stream. */
inline rc_status_t copy(
    rc_executor_t *x, void *to, const void *from, size_t bytes, const char *what, rc_err_t *err)
{
    if (bytes == 0)
        return RC_OK;
    const current gpu(x);
    return rc_cuda_check(
        cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, rc_cuda_stream(x)), what, err);
}

/* CTAs that walk over n pieces of work, `threads` of them each. */
inline unsigned grid_for(int64_t n, int64_t threads)
{
    const int64_t most = 1 << 20;
    const int64_t ctas = ceil_div(n, threads);
    return static_cast<unsigned>(ctas < 1 ? 1 : ctas < most ? ctas : most);
}

} // namespace rc

#endif
