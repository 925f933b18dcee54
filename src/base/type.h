/** \file base/type.h  Value types: a line each.  What depends on a type asks rc_type, or has an
 *  instance for each type in a list; nothing else names one. */
#ifndef RC_BASE_TYPE_H
#define RC_BASE_TYPE_H

#include "rowcast.h"

#include <float.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** X(id, name, suffix of functions, bytes, type of sums, type of the parts: itself of real numbers,
 *  bits of the significand, largest and least positive value of a part, CUDA type, CUDA type of
 *  sums).  Stores hold the ids, so lines are added at the end. */
#define RC_FOR_EACH_TYPE(X)                                                                        \
    X(RC_FP32, "fp32", fp32, 4, RC_FP32, RC_FP32, 24, FLT_MAX, FLT_TRUE_MIN, float, float)         \
    X(RC_FP64, "fp64", fp64, 8, RC_FP64, RC_FP64, 53, DBL_MAX, DBL_TRUE_MIN, double, double)       \
    X(RC_BF16, "bf16", bf16, 2, RC_FP32, RC_BF16, 8, 0x1.fep127, 0x1p-133, __nv_bfloat16, float)   \
    X(RC_FP16, "fp16", fp16, 2, RC_FP32, RC_FP16, 11, 65504, 0x1p-24, __half, float)               \
    X(RC_C64, "c64", c64, 8, RC_C64, RC_FP32, 24, FLT_MAX, FLT_TRUE_MIN, rc::complex<float>,       \
        rc::complex<float>)                                                                        \
    X(RC_C128, "c128", c128, 16, RC_C128, RC_FP64, 53, DBL_MAX, DBL_TRUE_MIN, rc::complex<double>, \
        rc::complex<double>)

/** How many there are: ids are 0 to that, left out. */
#define RC_TYPE_COUNTED(...) +1
enum { RC_TYPES = 0 RC_FOR_EACH_TYPE(RC_TYPE_COUNTED) };

/** Those of a kernel unless its descriptor says otherwise, as bits 1 << rc_precision_t. */
enum { RC_TYPES_IEEE = 1 << RC_FP32 | 1 << RC_FP64 };

/** X(id, suffix of functions) of the types of real numbers, which are those of most commands.  A
 *  kernel that has no others and a file for the device functions of each lists them by it. */
#define RC_FOR_EACH_REAL(X) X(RC_FP32, fp32) X(RC_FP64, fp64) X(RC_BF16, bf16) X(RC_FP16, fp16)

#define RC_TYPE_BIT(id, ...) | 1 << id
enum { RC_TYPES_REAL = 0 RC_FOR_EACH_REAL(RC_TYPE_BIT) };
enum { RC_TYPES_ANY = 0 RC_FOR_EACH_TYPE(RC_TYPE_BIT) };

/** Those whose sums have their own type. */
#define RC_TYPE_WHOLE(id, name, suffix, bytes, sums, ...) | (id == sums ? 1 << id : 0)
enum { RC_TYPES_WHOLE = 0 RC_FOR_EACH_TYPE(RC_TYPE_WHOLE) };

/** Those of 16 bits. */
enum { RC_TYPES_SHORT = 1 << RC_BF16 | 1 << RC_FP16 };

/** Of values on the host: of rc_csr_t. */
#define RC_HOST_TYPE RC_FP64

/** Of complex ones there. */
#define RC_HOST_COMPLEX RC_C128

typedef struct rc_type {
    const char *name;
    int bytes;
    rc_precision_t sum;  /**< products are added up in */
    rc_precision_t part; /**< of the real and the imaginary part; itself of real numbers */
    int parts;           /**< 1 of real numbers, 2 of complex ones: the real part comes first */
    double unit;         /**< of a part: half of the distance from 1 to the next number */
    double largest;
    double least;                                     /**< above 0 */
    double (*round)(double value);                    /**< a part, to nearest */
    double (*load)(const void *from, int64_t i);      /**< the real part */
    void (*store)(void *to, int64_t i, double value); /**< rounded, with an imaginary part of 0 */
    /** to[i] = from[place[i] - 1] for i = begin .. end - 1, as rc_type_gather. */
    void (*gather)(void *to, const double *from, const void *place, int place_bytes, int64_t begin,
        int64_t end);
} rc_type_t;

/** \return a line of the list; that of RC_FP64 for no type */
const rc_type_t *rc_type(rc_precision_t t);

/** Of the output of a product of values of a type.  \param[in] sums  1: that of sums */
static inline rc_precision_t rc_type_out(rc_precision_t t, int sums)
{
    return sums ? rc_type(t)->sum : t;
}

/** 1: of the types of a list of bits. */
static inline int rc_type_among(unsigned types, rc_precision_t t)
{
    return (unsigned)t < RC_TYPES && (types >> t & 1u) != 0;
}

/** The type of that name.
 *  \param[in] types  that it may be, as bits: RC_TYPES_ANY
 *  \return RC_OK; RC_EINVAL, with those that there are */
rc_status_t rc_type_parse(unsigned types, const char *name, rc_precision_t *out, rc_err_t *err);

/** Whether a number of a caller is a type.
 *  \param[in] what  has it: "values"
 *  \return RC_OK; RC_EINVAL, with those that there are */
rc_status_t rc_type_check(rc_precision_t t, const char *what, rc_err_t *err);

/** The same, and it is one of real numbers.  \return RC_ENOTSUP: it is not */
rc_status_t rc_type_check_real(rc_precision_t t, const char *what, rc_err_t *err);

/** Whether values of a type, which is one, can become those of another: an imaginary part is not
 *  left out.
 *  \param[in] what  they are: "values"  \return RC_OK, RC_EINVAL */
rc_status_t rc_type_becomes(
    rc_precision_t from, rc_precision_t to, const char *what, rc_err_t *err);

/** Place i of an array of them.  \param[in] bytes  of one: 4 or 8 */
static inline int64_t rc_place_at(const void *place, int bytes, int64_t i)
{
    return bytes == 4 ? ((const int32_t *)place)[i] : ((const int64_t *)place)[i];
}

/** to[i] = from[place[i] - 1], 0 where place[i] is 0, for i = begin .. end - 1.  A real number
 *  becomes a complex one with an imaginary part of 0.
 *  \param[in] place  NULL: to[i] = from[i] */
void rc_type_gather(rc_precision_t to_type, void *to, rc_precision_t from_type, const void *from,
    const void *place, int place_bytes, int64_t begin, int64_t end);

enum { RC_BEYOND_MAX = 127 };

/** Say how many finite values a type has infinity for: "12 of 345 values are beyond fp16 (65,504)
 *  and became infinity".  Cost O(n).
 *  \param[in] value  [n * parts]: of complex numbers one with such a part is counted
 *  \param[out] out  [RC_BEYOND_MAX + 1] "" when there are none */
void rc_type_beyond(rc_precision_t t, const double *value, int parts, int64_t n, char *out);

#ifdef __cplusplus
}
#endif
#endif
