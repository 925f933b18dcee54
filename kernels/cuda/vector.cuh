/* Vectors of 1, 2 or 4 values: how the row-major kernels load B and store C. */
#ifndef RC_KERNELS_CUDA_VECTOR_CUH
#define RC_KERNELS_CUDA_VECTOR_CUH

#include "kernels/cuda/store.cuh"

#include <stdint.h>

namespace rc
{

template <typename T, int WIDTH> struct vector_of;
template <> struct vector_of<float, 1> {
    typedef float type;
};
template <> struct vector_of<float, 2> {
    typedef float2 type;
};
template <> struct vector_of<float, 4> {
    typedef float4 type;
};
template <> struct vector_of<double, 1> {
    typedef double type;
};
template <> struct vector_of<double, 2> {
    typedef double2 type;
};

template <typename T, int WIDTH> union packed {
    typename vector_of<T, WIDTH>::type vector;
    T value[WIDTH];
};

/* Where a row begins.  Unsigned numbers of 32 bits: one instruction, and fewer registers than signed
 * ones take. */
__device__ __forceinline__ uint64_t line_at(int32_t row, uint32_t ld)
{
    return static_cast<uint64_t>(static_cast<uint32_t>(row)) * ld;
}

/* As rc::store, of a vector. */
template <typename T, int WIDTH>
__device__ __forceinline__ void store_vector(
    T *to, packed<T, WIDTH> sum, const rc_cuda_scalars_t &s)
{
    typedef typename vector_of<T, WIDTH>::type vector;
    const T beta = beta_of(s, T());
#pragma unroll
    for (int w = 0; w < WIDTH; w++)
        sum.value[w] *= alpha_of(s, T());
    if (beta != T(0)) {
        packed<T, WIDTH> old;
        old.vector = *reinterpret_cast<const vector *>(to);
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            sum.value[w] = fma(beta, old.value[w], sum.value[w]);
    }
    __stcs(reinterpret_cast<vector *>(to), sum.vector);
}

template <typename T, int WIDTH>
__device__ __forceinline__ typename vector_of<T, WIDTH>::type load_vector(const T *from)
{
    return __ldg(reinterpret_cast<const typename vector_of<T, WIDTH>::type *>(from));
}

} // namespace rc

#endif
