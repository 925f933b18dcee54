/** \file kernels/spmm/cuda/rs_state.h  A matrix that rs has prepared. */
#ifndef RC_KERNELS_SPMM_CUDA_RS_STATE_H
#define RC_KERNELS_SPMM_CUDA_RS_STATE_H

#include "device/cuda/cuda.h"
#include "kernels/prepared.h"
#include "kernels/spmm/cuda/rs.h"

/** State of both kernels. */
typedef struct rc_cuda_rs {
    rc_prepared_t base;
    rc_rs_shape_t shape;
    rc_rs_parts_t parts;   /**< in the memory */
    int64_t light;         /**< entries */
    int64_t heavy;         /**< segments */
    const int32_t *scaled; /**< [scaled_rows] rows of the output that are added to; NULL: all are */
    int64_t scaled_rows;
    const int32_t *absent;
    int64_t absents;
    /* from here on of each state */
    cudaStream_t side; /**< of the light part */
    cudaEvent_t fork;
    cudaEvent_t join;
} rc_cuda_rs_t;

/** rc_kernel_t.build: split the matrix of a problem, where the problem has its matrix on the
 *  device, there, else on the host.
 *  \param[in,out] state  rc_cuda_rs_t
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_rs_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err);

#endif
