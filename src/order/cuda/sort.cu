#include "order/cuda/sort.h"
#include "device/cuda/cuda.h"

#include <cub/device/device_radix_sort.cuh>

namespace
{

template <typename Pairs, typename Key>
cudaError_t sort(void *temp, size_t &bytes, Pairs &p, int bits, cudaStream_t stream)
{
    cub::DoubleBuffer<Key> key(p.key, p.key_beside);
    cub::DoubleBuffer<int32_t> value(p.value, p.value_beside);
    cudaError_t e =
        cub::DeviceRadixSort::SortPairs(temp, bytes, key, value, (int)p.n, 0, bits, stream);
    if (temp) {
        p.key = key.Current();
        p.key_beside = key.Alternate();
        p.value = value.Current();
        p.value_beside = value.Alternate();
    }
    return e;
}

template <typename Pairs, typename Key>
rc_status_t ask(int64_t n, int bits, int64_t *bytes, rc_err_t *err)
{
    size_t need = 0;
    Pairs p = {};
    p.n = n;
    rc_status_t st = rc_cuda_check(
        sort<Pairs, Key>(nullptr, need, p, bits, nullptr), "memory for sorting rows", err);
    *bytes = (int64_t)need;
    return st;
}

} // namespace

rc_status_t rc_cuda_sort_bytes(int64_t n, int64_t *bytes, rc_err_t *err)
{
    return ask<rc_cuda_pairs_t, uint32_t>(n, 32, bytes, err);
}

rc_status_t rc_cuda_sort64_bytes(int64_t n, int64_t *bytes, rc_err_t *err)
{
    return ask<rc_cuda_pairs64_t, uint64_t>(n, 64, bytes, err);
}

rc_status_t rc_cuda_sort(
    const rc_executor_t *x, void *temp, int64_t bytes, rc_cuda_pairs_t *p, int bits, rc_err_t *err)
{
    size_t have = (size_t)bytes;
    return rc_cuda_check((sort<rc_cuda_pairs_t, uint32_t>(temp, have, *p, bits, rc_cuda_stream(x))),
        "sorting rows", err);
}

rc_status_t rc_cuda_sort64(const rc_executor_t *x, void *temp, int64_t bytes, rc_cuda_pairs64_t *p,
    int bits, rc_err_t *err)
{
    size_t have = (size_t)bytes;
    return rc_cuda_check(
        (sort<rc_cuda_pairs64_t, uint64_t>(temp, have, *p, bits, rc_cuda_stream(x))),
        "sorting cells", err);
}
