/* Sums of rows whose entries are dealt out in equal parts: a row goes on from one thread to the
 * next. */
#ifndef RC_DEVICE_CUDA_SEGMENTS_CUH
#define RC_DEVICE_CUDA_SEGMENTS_CUH

#include <cstdint>

namespace rc
{

/* The sum over groups of LANES neighbouring lanes, in each of them. */
template <int LANES, typename T> __device__ __forceinline__ T sum_lanes(T sum)
{
#pragma unroll
    for (int step = LANES / 2; step >= 1; step /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, step);
    return sum;
}

/* How many of `rows` row ends are passed at a diagonal; a row end goes before the entry of its
 * number. As rc_merge_point. */
__device__ __forceinline__ int32_t passed(
    const int32_t *end, int32_t rows, int32_t entries, int32_t diagonal)
{
    int32_t low = max(diagonal - entries, 0);
    int32_t high = min(diagonal, rows);
    while (low < high) {
        const int32_t mid = (low + high) >> 1;
        if (end[mid] <= diagonal - mid - 1)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* What threads have of rows that go on from one thread to the next. */
template <typename T, int WARPS> struct carries {
    T value[WARPS];
    int ends[WARPS];
};

/* Every thread has a sum of what follows the last row end in its part (of all of it if there is
 * none). Returns what of the row that is open where its part begins lies in earlier threads,
 * `before` where that is the first of the CTA; `tail`: what is open where the last part ends. 
 * All threads get here, with a barrier behind the use before of `shared`. */
template <typename T, int WARPS>
__device__ __forceinline__ T carry_in(
    T value, int ends, T before, carries<T, WARPS> *shared, T *tail)
{
    const int lane = threadIdx.x % 32;
    const int warp = threadIdx.x / 32;
#pragma unroll
    for (int step = 1; step < 32; step *= 2) {
        const T other = __shfl_up_sync(0xffffffffu, value, step);
        const int other_ends = __shfl_up_sync(0xffffffffu, ends, step);
        if (lane >= step && !ends) {
            value = other + value;
            ends = other_ends;
        }
    }
    if (lane == 31) {
        shared->value[warp] = value;
        shared->ends[warp] = ends;
    }
    T in = __shfl_up_sync(0xffffffffu, value, 1);
    int in_ends = __shfl_up_sync(0xffffffffu, ends, 1);
    if (lane == 0) {
        in = T(0);
        in_ends = 0;
    }
    __syncthreads();
    T fold = before;
    T mine = before;
#pragma unroll
    for (int w = 0; w < WARPS; w++) {
        if (w == warp)
            mine = fold;
        fold = shared->ends[w] ? shared->value[w] : fold + shared->value[w];
    }
    *tail = fold;
    return in_ends ? in : mine + in;
}

/* Where product e of a tile is in shared memory: one place in 33 is left out, so that rows of 8,
 * 16 or 32 entries do not begin in the same bank. */
__device__ __forceinline__ int32_t place_of(int32_t e)
{
    return e + (e >> 5);
}

/* The sums of the rows that end in a tile, behind its products; returns what is left of the row
 * after them.  `before`: what the CTA has already of the first of them. */
template <int THREADS, typename S>
__device__ __forceinline__ S sum_rows(S *product, const int32_t *end, int32_t rows, int32_t entries,
    S before, carries<S, THREADS / 32> *shared)
{
    const int32_t items = rows + entries;
    const int32_t each = (items + THREADS - 1) / THREADS;
    const int32_t from = min(static_cast<int32_t>(threadIdx.x) * each, items);
    const int32_t to = min(from + each, items);
    int32_t r = passed(end, rows, entries, from);
    int32_t e = from - r;
    int32_t first_row = -1;
    S first = S(0);
    S sum = S(0);
    for (int32_t i = from; i < to; i++) {
        if (r < rows && end[r] <= e) {
            if (first_row < 0) {
                first = sum;
                first_row = r;
            } else
                product[place_of(entries + r)] = sum;
            sum = S(0);
            r++;
        } else
            sum += product[place_of(e++)];
    }
    S tail;
    first += carry_in(sum, first_row >= 0, before, shared, &tail);
    if (first_row >= 0)
        product[place_of(entries + first_row)] = first;
    return tail;
}

} // namespace rc

#endif
