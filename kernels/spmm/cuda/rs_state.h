/** \file kernels/spmm/cuda/rs_state.h  A matrix that rs has prepared. */
#ifndef RC_KERNELS_SPMM_CUDA_RS_STATE_H
#define RC_KERNELS_SPMM_CUDA_RS_STATE_H

#include "device/cuda/cuda.h"
#include "format/cuda/slots.h"
#include "kernels/kernel.h"
#include "kernels/spmm/cuda/rs.h"

/** State of both kernels. */
typedef struct rc_cuda_rs {
    rc_cuda_memory_t memory;
    rc_rs_shape_t shape;
    rc_rs_parts_t parts; /**< in the memory */
    int64_t k;
    int64_t nnz;
    int64_t light; /**< entries */
    int64_t heavy; /**< segments */
    rc_precision_t precision;
    const int32_t *scaled; /**< [scaled_rows] rows of the output that are added to; NULL: all are */
    int64_t scaled_rows;
    const int32_t *absent;
    int64_t absents;
    cudaStream_t side; /**< of the light part */
    cudaEvent_t fork;
    cudaEvent_t join;
} rc_cuda_rs_t;

/** Bytes of a pointer to an entry. */
int64_t rc_cuda_rs_pointer_bytes(const rc_problem_t *p);

/** Split the matrix of a problem into the memory of a state: where the problem has its matrix on the device, there,
 *  else on the host.
 *  \param[in]  n  of rc_rs_count
 *  \param[out] s  its memory knows the executor; free that after an error too
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_rs_build(
    rc_cuda_rs_t *s, const rc_problem_t *p, const rc_analysis_t *n, rc_err_t *err);

#endif
