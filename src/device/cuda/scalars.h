/** \file device/cuda/scalars.h  alpha and beta as device functions take them: in both precisions,
 *  so that one argument serves all instances and costs no conversion on the device. */
#ifndef RC_DEVICE_CUDA_SCALARS_H
#define RC_DEVICE_CUDA_SCALARS_H

typedef struct rc_cuda_scalars {
    double alpha64;
    double beta64;
    float alpha32;
    float beta32;
} rc_cuda_scalars_t;

static inline rc_cuda_scalars_t rc_cuda_scalars(double alpha, double beta)
{
    rc_cuda_scalars_t s = {alpha, beta, (float)alpha, (float)beta};
    return s;
}

#endif
