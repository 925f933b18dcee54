/** \file feature/cuda/features.h  Feature sets (src/feature) of a matrix that is in the memory of a
 *  GPU. */
#ifndef RC_FEATURE_CUDA_FEATURES_H
#define RC_FEATURE_CUDA_FEATURES_H

#include "format/resident.h"

#ifdef __cplusplus
extern "C" {
#endif

/** The features of a set, equal to those of the host; of `shares` so far, from row pointers alone.
 *  Waits.
 *  \param[in] a  the shape  \param[in] m  row_ptr and row_ptr_bytes are read
 *  \param[out] out  [features of the set]
 *  \return RC_OK; RC_ENOTSUP (another set; a build without CUDA); RC_ENOMEM, RC_EDEVICE.  Cost
 *      O(rows). */
rc_status_t rc_cuda_features_there(rc_executor_t *x, const char *set, const rc_csr_t *a,
    const rc_resident_t *m, double *out, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
