/** \file kernels/spmv/cuda/spmv_merge.h  The device functions of merge. */
#ifndef RC_KERNELS_SPMV_CUDA_SPMV_MERGE_H
#define RC_KERNELS_SPMV_CUDA_SPMV_MERGE_H

#include "kernels/spmv/cuda/spmv.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rc_spmv_merge_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    const rc_spmv_share_t *share;
    const uint8_t *lanes; /**< [shares] that take a row of it; 0: equal parts of the merge */
} rc_spmv_merge_args_t;

/** Merge on a matrix, as a part of a kernel's state. */
typedef struct rc_spmv_merge {
    rc_spmv_merge_args_t args;
    const void *entry;
    int64_t shares;
} rc_spmv_merge_t;

/** Steps of lanes above which a share is taken in equal parts, which take about as many. */
enum { RC_SPMV_MERGE_MOST = 110 };

/** Adds what shares of so many row ends and entries take.
 *  \param[out] n  for rc_spmv_merge_build
 *  \return RC_OK, RC_ENOTSUP (more shares than are implemented), RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_spmv_merge_analyse(
    const rc_problem_t *p, int64_t items, rc_analysis_t *out, rc_spmv_counts_t *n, rc_err_t *err);

/** Everything but the vectors into the memory of a state. */
void rc_spmv_merge_build(
    rc_spmv_form_t *f, int64_t items, const rc_spmv_counts_t *n, rc_spmv_merge_t *out);

/** Enqueue it.  \param[in] what  "launch of ...", for errors */
rc_status_t rc_spmv_merge_launch(const rc_spmv_t *s, const rc_spmv_merge_t *m,
    const rc_operands_t *o, double alpha, double beta, const char *what, rc_err_t *err);

/** \param[in] wide  1: ptr is int64_t */
const void *rc_spmv_merge_entry(rc_precision_t precision, int wide);

#ifdef __cplusplus
}
#endif
#endif
