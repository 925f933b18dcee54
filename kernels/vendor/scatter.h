/** \file kernels/vendor/scatter.h  From what cuSPARSE has stored to the output: rows of a product
 *  in slot order, columns that are to be rows, dot products that are to be multiplied by A; and
 *  entries of A to their places in a dense matrix.  All is enqueued on the stream of the executor,
 *  whose GPU is the current one. */
#ifndef RC_KERNELS_VENDOR_SCATTER_H
#define RC_KERNELS_VENDOR_SCATTER_H

#include "device/cuda/scalars.h"
#include "format/cuda/slots.h"
#include "kernels/kernel.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is copied where; both matrices have K columns of the layout, are in device memory and do
 *  not overlap. */
typedef struct rc_cuda_scatter {
    const void *from; /**< slot p is row p */
    void *to;
    const int32_t *row; /**< [slots] row of `to` that a slot stores to, -1: none; device memory;
                             NULL: slot p stores to row p */
    int64_t slots;
    int64_t k;
    int64_t ld_from; /**< column-major: >= slots; row-major: >= K */
    int64_t ld_to;   /**< column-major: rows of `to` or more; row-major: >= K */
    double beta[2];  /**< to = from + beta to, real and imaginary part; 0: `to` is not read */
    rc_precision_t precision;
    rc_layout_t layout;
} rc_cuda_scatter_t;

/** Rows that no slot names are left alone.  Reads and writes slots * K values; column-major stores
 *  to a column in no order, and relies on the L2 to join them.  \return RC_OK, RC_EDEVICE */
rc_status_t rc_cuda_scatter(const rc_executor_t *x, const rc_cuda_scatter_t *s, rc_err_t *err);

/** to = from + beta to; with beta 0 `to` is not read.
 *  \param[in] from  column-major  \param[in,out] to  row-major, of the same shape and precision
 *  \return RC_OK, RC_EDEVICE */
rc_status_t rc_cuda_turn(const rc_executor_t *x, const rc_dense_t *from, const rc_dense_t *to,
    const double beta[2], rc_err_t *err);

/** out[e] = alpha val[e] dot[e] + beta out[e].
 *  \param[in] val  [rows of the output], device memory, in the precision of the inputs
 *  \param[in] dot  likewise, in the type that this is summed in
 *  \param[in] o    of the run that they are of */
rc_status_t rc_cuda_sampled(const rc_executor_t *x, const void *val, const void *dot,
    const rc_operands_t *o, rc_cuda_scalars_t scalars, rc_err_t *err);

/** What there is of each entry of A to its place in a dense matrix by rows.
 *  \param[in] of     [nnz] in the order of the slots, device memory
 *  \param[in] bytes  of one of them: 2, 4, 8 or 16
 *  \param[in,out] to  [rows * s->cols], likewise; what has no entry stays as it is */
rc_status_t rc_cuda_spread(const rc_executor_t *x, const rc_cuda_slots_t *s, const void *of,
    int bytes, void *to, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
