/** \file kernels/cuda/cusparse_common.h  What the kernels made of cuSPARSE's SpMM share: A in the
 *  order of the slots, the dense descriptors, the workspace, and the copy to the rows of C.
 *
 *  cuSPARSE knows nothing of schedules, so it computes C' = A' B where row p of A' is slot p (a pad
 *  is an empty row).  An identity schedule and C in schedule order let it store to C itself.  C in
 *  original order under another schedule costs a temporary C' and a copy of it, both within `run`:
 *  that is what a caller of the library would pay.
 *
 *  cusparseSpMM_preprocess leaves its result in the descriptor of A and in the workspace, and every
 *  later product with that descriptor may use it.  So each state has descriptors and a workspace of
 *  its own, and one with pre=0 never calls it.  B and C may change after it. */
#ifndef RC_KERNELS_CUDA_CUSPARSE_COMMON_H
#define RC_KERNELS_CUDA_CUSPARSE_COMMON_H

#include "kernels/cuda/slots.h"

#include <cusparse.h>

enum { RC_CUSPARSE_ARRAYS = 6 };

/** State of a kernel. */
typedef struct rc_cusparse {
    rc_device_t *d;
    cusparseHandle_t handle;         /**< of the device */
    rc_cuda_slots_t slots;           /**< A as CSR; unused by BSR */
    void *array[RC_CUSPARSE_ARRAYS]; /**< further arrays of A that are freed with the state */
    int arrays;
    cusparseSpMatDescr_t a; /**< NULL: A has no entries, the product is zero */
    cusparseDnMatDescr_t b;
    cusparseDnMatDescr_t c; /**< of C or of C' */
    const void *b_at;       /**< what the descriptors point to */
    const void *c_at;
    cusparseSpMMAlg_t alg;
    cudaDataType type;
    int pre;
    void *workspace;
    void *product;        /**< C'; NULL: cuSPARSE stores to C */
    const int32_t *row;   /**< [slots], device memory, or NULL; as in rc_cuda_slots_t */
    int64_t slots_stored; /**< slots, without rows that only fill up blocks */
    int64_t product_rows; /**< rows of A' */
    int64_t k;
    int64_t c_rows;
    rc_precision_t precision;
    rc_layout_t layout;
} rc_cusparse_t;

/** RC_OK; RC_ENOTSUP, RC_ENOMEM, else RC_EDEVICE with the name of the status.
 *  \param[in] what  what was called, "SpMM" */
rc_status_t rc_cusparse_check(cusparseStatus_t status, const char *what, rc_err_t *err);

/** Index type of 32 or 64 bits. */
cusparseIndexType_t rc_cusparse_index(int wide);

/** An empty state.  \param[out] out  free with rc_cusparse_release */
rc_status_t rc_cusparse_new(
    rc_device_t *d, const rc_problem_t *p, rc_cusparse_t **out, rc_err_t *err);

/** Device memory that the state owns.  \param[out] out  at least 1 byte */
rc_status_t rc_cusparse_own(rc_cusparse_t *s, int64_t bytes, void **out, rc_err_t *err);

/** Complete a state whose descriptor of A is made: dense descriptors, C', workspace; waits for the
 *  device.
 *  \param[in] row  as in rc_cuda_slots_t, owned by the state
 *  \param[in] product_rows  rows of A', >= slots */
rc_status_t rc_cusparse_ready(rc_cusparse_t *s, const rc_problem_t *p, const int32_t *row,
    int64_t product_rows, cusparseSpMMAlg_t alg, int pre, rc_err_t *err);

/** Device bytes of C', 0 when there is none; INT64_MAX when that overflows. */
int64_t rc_cusparse_product_bytes(const rc_problem_t *p, int64_t product_rows);

/** Members of the descriptors. */
rc_status_t rc_cusparse_preprocess(void *state, const void *b, void *c, rc_err_t *err);
rc_status_t rc_cusparse_run(void *state, const void *b, void *c, rc_err_t *err);
void rc_cusparse_release(void *state);

#endif
