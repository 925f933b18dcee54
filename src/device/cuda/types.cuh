/* Instances of device functions for value types.
 *
 *     rc::pick<rc::ieee>(precision, [&](auto t) { return entry_of<RC_VALUE(t)>(width); })
 *
 * is the instance of the list that a precision asks for; a list without it gives a zero of its
 * type.
 *
 *     rc::pick_wide<rc::ieee>(precision, width, [&](auto t, auto w) {
 *         return entry_of<RC_VALUE(t), RC_WIDTH(w)>(vectors); })
 *
 * is that of loads of 1, 2, 4, ... values, 16 bytes at most. */
#ifndef RC_DEVICE_CUDA_TYPES_CUH
#define RC_DEVICE_CUDA_TYPES_CUH

#include "base/type.h"
#include "device/cuda/complex.cuh"

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#define RC_VALUE(t) typename decltype(t)::value
#define RC_SUM(t) typename decltype(t)::sum
#define RC_WIDTH(w) decltype(w)::value

namespace rc
{

template <rc_precision_t P> struct type_of;

/* What products of values of type T are added up in. */
template <typename T> struct sum_type;
template <typename T> using sum_of = typename sum_type<T>::type;

#define RC_CUDA_TYPE(id, text, suffix, size, sums, part, bits, most, tiny, cuda, cuda_sum)         \
    template <> struct type_of<id> {                                                               \
        typedef cuda value;                                                                        \
        typedef cuda_sum sum;                                                                      \
    };                                                                                             \
    template <> struct sum_type<cuda> {                                                            \
        typedef cuda_sum type;                                                                     \
    };
RC_FOR_EACH_TYPE(RC_CUDA_TYPE)
#undef RC_CUDA_TYPE

template <rc_precision_t... P> struct types {
};

/* As RC_TYPES_IEEE, RC_TYPES_REAL and RC_TYPES_ANY. */
typedef types<RC_FP32, RC_FP64> ieee;
typedef types<RC_BF16, RC_FP16> shorts; /* those of 16 bits */
#define RC_CUDA_NEXT(id, ...) , id
template <rc_precision_t First, rc_precision_t... Rest> struct listed {
    typedef types<Rest...> rest;
};
typedef listed<RC_FP32 RC_FOR_EACH_REAL(RC_CUDA_NEXT)>::rest reals;
typedef listed<RC_FP32 RC_FOR_EACH_TYPE(RC_CUDA_NEXT)>::rest any;
#undef RC_CUDA_NEXT

template <typename F, rc_precision_t P> auto pick_from(types<P>, rc_precision_t p, const F &f)
{
    typedef decltype(f(type_of<P>{})) result;
    return p == P ? f(type_of<P>{}) : result();
}

template <typename F, rc_precision_t P, rc_precision_t Q, rc_precision_t... R>
auto pick_from(types<P, Q, R...>, rc_precision_t p, const F &f)
{
    return p == P ? f(type_of<P>{}) : pick_from(types<Q, R...>{}, p, f);
}

template <typename L, typename F> auto pick(rc_precision_t p, const F &f)
{
    return pick_from(L{}, p, f);
}

template <typename T, int W = 1, typename F> auto pick_width(int width, const F &f)
{
    typedef decltype(f(std::integral_constant<int, 1>{})) result;
    if constexpr (W * sizeof(T) > 16)
        return result();
    else
        return width == W ? f(std::integral_constant<int, W>{}) : pick_width<T, 2 * W>(width, f);
}

template <typename L, typename F> auto pick_wide(rc_precision_t p, int width, const F &f)
{
    return pick<L>(
        p, [&](auto t) { return pick_width<RC_VALUE(t)>(width, [&](auto w) { return f(t, w); }); });
}

/* The unsigned number of so many bytes; of 16 four of them. */
template <int BYTES> struct word_of;
template <> struct word_of<2> {
    typedef uint16_t word;
};
template <> struct word_of<4> {
    typedef uint32_t word;
};
template <> struct word_of<8> {
    typedef uint64_t word;
};
template <> struct word_of<16> {
    typedef uint4 word;
};
template <typename T> using word = typename word_of<sizeof(T)>::word;

/* Pointers, columns or places of 4 or 8 bytes. */
struct pointers {
    const void *at;
    int bytes;

    __device__ __forceinline__ int64_t operator[](int64_t i) const
    {
        return bytes == 4 ? static_cast<const int32_t *>(at)[i]
                          : static_cast<const int64_t *>(at)[i];
    }
};

/* f(pointer, column): the widths of pointers and columns, 4 or 8 bytes, as types. */
template <typename F> void with_widths(int ptr_bytes, int col_bytes, F f)
{
    if (ptr_bytes == 4)
        col_bytes == 4 ? f(int32_t(), int32_t()) : f(int32_t(), int64_t());
    else
        col_bytes == 4 ? f(int64_t(), int32_t()) : f(int64_t(), int64_t());
}

} // namespace rc

#endif
