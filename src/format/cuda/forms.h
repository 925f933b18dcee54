/** \file format/cuda/forms.h  The forms of format/cuda/build.h in the memory of a state, with
 *  values: built on the device where the problem has its matrix there, else on the host and
 *  uploaded. */
#ifndef RC_FORMAT_CUDA_FORMS_H
#define RC_FORMAT_CUDA_FORMS_H

#include "format/cuda/build.h"
#include "format/cuda/keep.h"

/** Chunks.
 *  \param[in]     values   of a sector; 0: they are not counted
 *  \param[in,out] c        has its size; gets arrays in the memory, without places
 *  \param[out]    sectors  rc_chunks_sectors; not touched where it is not counted
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_chunks_keep(rc_keeping_t *k, int64_t values, rc_chunks_t *c, double *sectors);

/** Tiles.  \param[out] c  arrays in the memory, but for places
 *  \return RC_OK, RC_ENOMEM, RC_ENOTSUP, RC_EDEVICE */
rc_status_t rc_cuda_mma_keep(rc_keeping_t *k, rc_mma_t *c);

/** Panels.  \param[in,out] c  has shape, size and places; gets arrays
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_panels_keep(rc_keeping_t *k, rc_panels_t *c);

/** Where the problem has a handover: leave to rc_cuda_stages_keep what was measured last.
 *  \param[in,out] b  it; empty then  \param[in] shape, size  of it */
void rc_cuda_stages_leave(const rc_problem_t *p, rc_build_t *b, const rc_stages_shape_t *shape,
    const rc_stages_size_t *size);

/** Stages of some items of the problem.  \param[in,out] c  has its shape; gets size and arrays
 *  \return RC_OK, RC_ENOMEM, RC_ENOTSUP, RC_EDEVICE */
rc_status_t rc_cuda_stages_keep(rc_keeping_t *k, const rc_items_t *items, rc_stages_t *c);

/** Slices as gslice takes them.  \param[in,out] c  has shape and size; gets arrays
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_slices_keep(rc_keeping_t *k, rc_slices_t *c);

/** The rows of a problem in the order of the slices.  \param[out] out  free with rc_items_free
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_slices_items(
    const rc_problem_t *p, const rc_sell_shape_t *shape, rc_items_t *out, rc_err_t *err);

#endif
