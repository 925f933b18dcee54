/** \file device/cuda/scalars.h  alpha and beta as device functions take them: in both precisions,
 *  so that one argument serves all instances and costs no conversion on the device. */
#ifndef RC_DEVICE_CUDA_SCALARS_H
#define RC_DEVICE_CUDA_SCALARS_H

#include "operation/operand.h"

#include <string.h>

typedef struct rc_cuda_scalars {
    /** Of values whose sums have fewer bits, which have no use for it, they say where the output
     *  begins that has the type of sums; 0: it has that of the values.  With a member for that, or
     *  a union, compilers make other instances of fp64. */
    double alpha64;
    double beta64;
    float alpha32;
    float beta32;
} rc_cuda_scalars_t;

/** Of a run, whose launches store to the output of these operands. */
static inline rc_cuda_scalars_t rc_cuda_scalars(const rc_operands_t *o, double alpha, double beta)
{
    rc_cuda_scalars_t s = {alpha, beta, (float)alpha, (float)beta};
    if (rc_sum_bytes(o->out.precision) < sizeof s.alpha64) {
        const uint64_t begin = rc_out_of(o).sums ? (uint64_t)(uintptr_t)o->out.data : 0;
        memcpy(&s.alpha64, &begin, sizeof s.alpha64);
    }
    return s;
}

#endif
