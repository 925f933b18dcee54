/** \file device/cuda/scalars.h  alpha and beta as device functions take them: in both precisions,
 *  so that one argument serves all instances and costs no conversion on the device. */
#ifndef RC_DEVICE_CUDA_SCALARS_H
#define RC_DEVICE_CUDA_SCALARS_H

#include "operation/operand.h"

typedef struct rc_cuda_scalars {
    double alpha64;
    double beta64;
    float alpha32;
    float beta32;
    double alpha64_im; /**< imaginary parts */
    double beta64_im;
    float alpha32_im;
    float beta32_im;
    /** Where the output begins that has the type of sums, which is wider than that of the values;
     *  0: it has theirs. */
    uint64_t sums;
} rc_cuda_scalars_t;

/** Of a run, whose launches store to the output of these operands. */
static inline rc_cuda_scalars_t rc_cuda_scalars(const rc_operands_t *o, double alpha, double beta)
{
    const uint64_t sums = rc_out_of(o).sums ? (uint64_t)(uintptr_t)o->out.data : 0;
    return (rc_cuda_scalars_t){alpha, beta, (float)alpha, (float)beta, o->alpha_im, o->beta_im,
        (float)o->alpha_im, (float)o->beta_im, sums};
}

#endif
