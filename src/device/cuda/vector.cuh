/* Vectors of 1, 2, 4 or 8 values: how the row-major kernels load B and store C. */
#ifndef RC_DEVICE_CUDA_VECTOR_CUH
#define RC_DEVICE_CUDA_VECTOR_CUH

#include "device/cuda/store.cuh"

#include <stdint.h>

namespace rc
{

/* What is loaded at once: a vector of the type, or else so many bytes. */
template <int BYTES> struct vector_of_bytes;
template <> struct vector_of_bytes<2> {
    typedef unsigned short type;
};
template <> struct vector_of_bytes<4> {
    typedef unsigned type;
};
template <> struct vector_of_bytes<8> {
    typedef uint2 type;
};
template <> struct vector_of_bytes<16> {
    typedef uint4 type;
};
/* Sums of 16 bytes of values: no load has so many. */
struct alignas(16) two_vectors {
    uint4 part[2];
};
template <> struct vector_of_bytes<32> {
    typedef two_vectors type;
};
template <typename T, int WIDTH> struct vector_of {
    typedef typename vector_of_bytes<WIDTH * sizeof(T)>::type type;
};
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

/* Where a row begins. Unsigned numbers of 32 bits: one instruction, and fewer registers than signed
 * ones take. */
__device__ __forceinline__ uint64_t line_at(int32_t row, uint32_t ld)
{
    return static_cast<uint64_t>(static_cast<uint32_t>(row)) * ld;
}

/* What is loaded or stored at once where the output has the type of sums S: 16 bytes at most. */
template <typename S, int WIDTH> struct piece_of {
    static constexpr int MOST = 16 / static_cast<int>(sizeof(S));
    static constexpr int VALUES = WIDTH < MOST ? WIDTH : MOST;
    static constexpr int PIECES = WIDTH / VALUES;
    typedef typename vector_of<S, VALUES>::type vector;
};

/* As rc::load_old, of a vector. */
template <typename T, int WIDTH>
__device__ __forceinline__ packed<sum_of<T>, WIDTH> load_old_vector(
    const T *from, const rc_cuda_scalars_t &s)
{
    typedef sum_of<T> S;
    typedef piece_of<S, WIDTH> pieces;
    typedef typename pieces::vector piece;
    packed<S, WIDTH> old;
    if constexpr (sizeof(T) < sizeof(S))
        if (s.sums) {
#pragma unroll
            for (int i = 0; i < pieces::PIECES; i++)
                reinterpret_cast<piece *>(&old)[i] =
                    reinterpret_cast<const piece *>(sum_at(from, s))[i];
            return old;
        }
    packed<T, WIDTH> value;
    value.vector = *reinterpret_cast<const typename vector_of<T, WIDTH>::type *>(from);
#pragma unroll
    for (int w = 0; w < WIDTH; w++)
        old.value[w] = static_cast<S>(value.value[w]);
    return old;
}

/* As rc::store, of a vector. */
template <typename T, int WIDTH>
__device__ __forceinline__ void store_vector(
    T *to, packed<sum_of<T>, WIDTH> sum, const rc_cuda_scalars_t &s)
{
    typedef typename vector_of<T, WIDTH>::type vector;
    typedef sum_of<T> S;
    const auto beta = beta_of(s, S());
    packed<T, WIDTH> out;
#pragma unroll
    for (int w = 0; w < WIDTH; w++)
        sum.value[w] *= alpha_of(s, S());
    if (beta != S(0)) {
        const packed<S, WIDTH> old = load_old_vector<T, WIDTH>(to, s);
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            sum.value[w] = fma(beta, old.value[w], sum.value[w]);
    }
    if constexpr (sizeof(T) < sizeof(S))
        if (s.sums) {
            typedef piece_of<S, WIDTH> pieces;
            typedef typename pieces::vector piece;
            piece *at = reinterpret_cast<piece *>(sum_at(to, s));
#pragma unroll
            for (int i = 0; i < pieces::PIECES; i++)
                __stcs(at + i, reinterpret_cast<const piece *>(&sum)[i]);
            return;
        }
#pragma unroll
    for (int w = 0; w < WIDTH; w++)
        out.value[w] = static_cast<T>(sum.value[w]);
    __stcs(reinterpret_cast<vector *>(to), out.vector);
}

template <typename T, int WIDTH>
__device__ __forceinline__ typename vector_of<T, WIDTH>::type load_vector(const T *from)
{
    return __ldg(reinterpret_cast<const typename vector_of<T, WIDTH>::type *>(from));
}

/* Past L1. */
template <typename V> __device__ __forceinline__ V load_far(const V *from)
{
    return __ldcg(from);
}

__device__ __forceinline__ two_vectors load_far(const two_vectors *from)
{
    return {{__ldcg(from->part), __ldcg(from->part + 1)}};
}

template <typename V> __device__ __forceinline__ void store_far(V *to, const V &x)
{
    __stcg(to, x);
}

__device__ __forceinline__ void store_far(two_vectors *to, const two_vectors &x)
{
    __stcg(to->part, x.part[0]);
    __stcg(to->part + 1, x.part[1]);
}

} // namespace rc

#endif
