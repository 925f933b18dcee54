/* What a lane sums up of a row of C, and the parts of long rows (parts.h). */
#ifndef RC_FORMAT_CUDA_PARTS_CUH
#define RC_FORMAT_CUDA_PARTS_CUH

#include "format/cuda/parts.h"
#include "device/cuda/vector.cuh"

namespace rc
{

/* The columns of C that a lane holds in one tile; T is a type of sums. */
template <typename T, int WIDTH, int VECTORS> struct sums {
    packed<T, WIDTH> part[VECTORS];

    __device__ __forceinline__ void clear()
    {
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                part[i].value[w] = T(0);
    }

    __device__ __forceinline__ void add(const sums &x)
    {
#pragma unroll
        for (int i = 0; i < VECTORS; i++)
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                part[i].value[w] += x.part[i].value[w];
    }
};

/* Where a lane is: its vectors begin at columns j, j + far, ...; those from `begin` up to `end` are
 * its own to store. */
struct place {
    int lane;  /* of its group */
    int lanes; /* of the group: a power of two up to 32 */
    int32_t j;
    int32_t far;
    int32_t begin;
    int32_t end;

    __device__ __forceinline__ bool stores(int i) const
    {
        return j + i * far >= begin && j + i * far < end;
    }
};

/* Where the value of a place is in a row that begins at `row`. */
template <typename T, int WIDTH, int VECTORS>
__device__ __forceinline__ void store_sums(T *row, const place &at,
    const sums<sum_of<T>, WIDTH, VECTORS> &sum, const rc_cuda_scalars_t &scalars)
{
    T *to = row + at.j;
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        if (at.stores(i))
            store_vector<T, WIDTH>(to + i * at.far, sum.part[i], scalars);
}

/* The sum of a part of a long row, past L1. */
template <typename T, int WIDTH, int VECTORS>
__device__ __forceinline__ sums<T, WIDTH, VECTORS> load_part(
    const rc_cuda_parts_t &p, int32_t k, int32_t part, const place &at)
{
    typedef typename vector_of<T, WIDTH>::type vector;
    const T *from = static_cast<const T *>(p.partial) + static_cast<size_t>(part) * k + at.j;
    sums<T, WIDTH, VECTORS> x;
    x.clear();
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        if (at.stores(i))
            x.part[i].vector = load_far(reinterpret_cast<const vector *>(from + i * at.far));
    return x;
}

/* Put the sum of a part where the others are.  K is a multiple of WIDTH. */
template <typename T, int WIDTH, int VECTORS>
__device__ __forceinline__ void put_part(const rc_cuda_parts_t &p, int32_t k, int32_t part,
    const place &at, const sums<T, WIDTH, VECTORS> &sum)
{
    typedef typename vector_of<T, WIDTH>::type vector;
    T *to = static_cast<T *>(p.partial) + static_cast<size_t>(part) * k + at.j;
#pragma unroll
    for (int i = 0; i < VECTORS; i++)
        if (at.stores(i))
            store_far(reinterpret_cast<vector *>(to + i * at.far), sum.part[i].vector);
}

/* By one thread, after the parts and a fence: \return the number of the long row when this part
 * is the last one to arrive, else -1 */
__device__ __forceinline__ int32_t arrive(
    const rc_cuda_parts_t &p, int32_t k, int32_t part, int32_t tile)
{
    const int32_t number = p.of[part];
    const int32_t before = atomicAdd(p.arrived + static_cast<size_t>(number) * k + tile, 1);
    return before == p.lengthy[number].parts - 1 ? number : -1;
}

/* All parts of a long row and tile are added: the next run begins anew. */
__device__ __forceinline__ void depart(
    const rc_cuda_parts_t &p, int32_t k, int32_t number, int32_t tile, const place &at)
{
    if (at.lane == 0)
        p.arrived[static_cast<size_t>(number) * k + tile] = 0;
}

} // namespace rc

#endif
