/** \file device/executor.h  What a kernel runs on: memory and, on a GPU, a stream.  A device that
 *  measures has one (device/device.h); an application makes one of its own stream and allocator.
 *
 *  An executor is used by one thread at a time. */
#ifndef RC_DEVICE_EXECUTOR_H
#define RC_DEVICE_EXECUTOR_H

#include "base/type.h"
#include "operation/operand.h"

typedef enum rc_device_kind { RC_DEVICE_CPU = 0, RC_DEVICE_CUDA = 1 } rc_device_kind_t;

typedef struct rc_executor rc_executor_t;

/** to[i] = from[place[i] - 1], or 0 where place[i] is 0, in memory of an executor. */
typedef struct rc_gather {
    void *to;               /**< [count] */
    rc_precision_t to_type; /**< values are rounded where it has fewer bits */
    const void *place;      /**< [count]; NULL: to[i] = from[i] */
    int place_bytes;        /**< of one of them: 4 or 8 */
    int64_t count;
    const void *from;
    rc_precision_t from_type;
    int conjugates; /**< 1: complex numbers become their conjugates */
} rc_gather_t;

/** Value (p, j) of `to` is value (row[p], j) of `from`, in memory of an executor: bits are copied.
 *  Steps, in values, are from a row to the next, and from a column to the next; one is 1. */
typedef struct rc_take {
    void *to;
    const void *from;
    const int32_t *row; /**< [rows] */
    int64_t rows;
    int64_t cols;
    int64_t to_step[2];
    int64_t from_step[2];
    rc_precision_t type;
} rc_take_t;

/** On a GPU all work goes on its one stream, in the order in which it is asked for. */
struct rc_executor {
    rc_device_kind_t kind;
    int threads;     /**< CPU: size of the team; else host threads for preparation */
    int lanes32;     /**< SIMD lanes (CPU) or warp size in fp32 */
    int line_bytes;  /**< cache line of B: 64 on a CPU, 128 on a GPU */
    unsigned types;  /**< of values that it moves, as bits 1 << rc_precision_t; 0: RC_TYPES_REAL */
    int64_t copy_ns; /**< so far spent in upload and download; 0 where they are not timed */
    void *impl;      /**< of the kind of device */
    /** Memory that kernels see; every pointer is freed with release, after the work on it that was
     *  asked for.  \param[out] out  aligned to 64 bytes at least
     *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
    rc_status_t (*alloc)(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err);
    void (*release)(rc_executor_t *x, void *p); /**< NULL is allowed */
    /** Copies return when the bytes are there. */
    rc_status_t (*upload)(
        rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err);
    rc_status_t (*download)(
        rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err);
    /** From memory of the executor to it, asked for and on a GPU not waited for. */
    rc_status_t (*move)(rc_executor_t *x, void *to, const void *from, size_t bytes, rc_err_t *err);
    rc_status_t (*fill)(rc_executor_t *x, void *p, int byte, size_t bytes, rc_err_t *err);
    /** Asked for and on a GPU not waited for. */
    rc_status_t (*gather)(rc_executor_t *x, const rc_gather_t *g, rc_err_t *err);
    /** Likewise. */
    rc_status_t (*take)(rc_executor_t *x, const rc_take_t *t, rc_err_t *err);
    /** m = beta m, likewise: with beta 0 it is not read, with beta 1 nothing is done.
     *  \param[in] beta  real and imaginary part */
    rc_status_t (*scale)(
        rc_executor_t *x, const rc_dense_t *m, const double beta[2], rc_err_t *err);
    /** Wait for what was asked for. */
    rc_status_t (*wait)(rc_executor_t *x, rc_err_t *err);
};

/** 1: values of that type can be in its memory. */
static inline int rc_executor_takes(const rc_executor_t *x, rc_precision_t t)
{
    const unsigned real = RC_TYPES_REAL;
    return rc_type_among(x->types ? x->types : real, t);
}

/** Bytes that values in its memory are at multiples of: those of a part, and on a GPU, which loads
 *  both at once, of a value. */
static inline int rc_executor_aligned(const rc_executor_t *x, rc_precision_t t)
{
    return rc_type(x->kind == RC_DEVICE_CUDA ? t : rc_type(t)->part)->bytes;
}

/** rc_executor_t.gather in memory of the host, with so many threads. */
void rc_gather_host(const rc_gather_t *g, int threads);

/** An executor of host memory.  \param[in] threads  >= 1  Nothing is to be freed. */
void rc_executor_cpu(int threads, rc_executor_t *out);

#endif
