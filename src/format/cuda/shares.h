/** \file format/cuda/shares.h  Sizes of the shares of entries that the kernels of y = A x take, and
 *  what is counted of rows for them. */
#ifndef RC_FORMAT_CUDA_SHARES_H
#define RC_FORMAT_CUDA_SHARES_H

#include <stdint.h>

enum {
    RC_SPMV_THREADS = 128, /**< of a CTA that takes a share */
    RC_SPMV_TILE = 1024,   /**< row ends and entries that it holds at a time */
    RC_SPMV_LOOK = 128,    /**< entries that a share looks back for the begin of its first row */
    RC_SPMV_ENTRIES = 896, /**< of a share of coordinates: a tile without what it looks back */
    RC_SPMV_PIECE = 4096,  /**< entries of a long row that a CTA takes */
    RC_SPMV_PARCEL = 2     /**< bytes of a parcel over those of a sum: 64 bits for 32 */
};

/** Of the rows of A, what an analysis keeps. */
typedef struct rc_spmv_counts {
    int64_t longest; /**< entries of the longest */
    int64_t filled;  /**< rows with entries */
    int64_t beyond;  /**< rows of more entries than were asked for */
    int64_t over;    /**< entries beyond `width` of each */
    int64_t width;
} rc_spmv_counts_t;

#endif
