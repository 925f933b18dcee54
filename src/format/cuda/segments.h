/** \file format/cuda/segments.h  The split of sparse/segments.h, made on a GPU from a matrix that
 *  is there: every array is that of the host, byte for byte.
 *
 *  Starts of segments are flagged and listed; light entries keep their order, and where they go
 *  is the sum of the light ones before; heavy segments are counted by panel and part of their
 *  list, and take their places in the order of that list.  Nothing is sorted.  Hong et al. 2018,
 *  section 5.2. */
#ifndef RC_FORMAT_CUDA_SEGMENTS_H
#define RC_FORMAT_CUDA_SEGMENTS_H

#include "format/cuda/keep.h"
#include "format/cuda/vector.h"
#include "sparse/segments.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A panel that has heavy segments: from `first` to the next one's. */
typedef struct rc_rs_panel {
    int32_t panel;
    int32_t first;
} rc_rs_panel_t;

/** What is known of a split before (rc_segments_size_t), and where it goes: device memory. */
typedef struct rc_build_segments {
    rc_segments_rule_t rule;
    int64_t panels; /**< all of them */
    int64_t segments;
    int64_t heavy;
    rc_rs_panel_t *panel; /**< [heavy_panels + 1] */
    int32_t *seg_row;     /**< [heavy] */
    int32_t *seg_ptr;     /**< [heavy + 1] */
    void *col;   /**< [nnz_heavy] of 2 bytes up to RC_SEGMENTS_NARROW columns a panel, else 4 */
    void *entry; /**< [nnz_heavy] places */
    int32_t *light_ptr; /**< [slots + 1] */
    int32_t *light_col; /**< [nnz_light] */
    void *light_entry;  /**< [nnz_light] places */
    /** [slots / 32] zeroed before: bits of slots with heavy segments; NULL: not wanted */
    uint32_t *dense;
    int32_t *scaled; /**< [heavy_rows] the rows of the output that they are; of `dense` */
} rc_build_segments_t;

/** Split, asked for on the stream.
 *  \param[in] c  with entries, fewer than 2^31
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Cost O(nnz log(slots) + panels). */
rc_status_t rc_build_segments(rc_build_csr_t *c, const rc_build_segments_t *out, rc_err_t *err);

/** Split the matrix of a problem into the memory of a state, with values, heavy ones first.
 *  \param[in] n      of rc_segments_measure
 *  \param[in] dense  1: `dense` and `scaled` are wanted
 *  \param[out] out   arrays; pointers of 8 bytes where slots are wide
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_cuda_segments_keep(
    rc_keeping_t *k, const rc_segments_size_t *n, int dense, rc_build_segments_t *out);

#ifdef __cplusplus
}
#endif
#endif
