/** \file format/cuda/shares.h  Sizes of the shares of entries that the kernels of y = A x take, and
 *  what is counted of rows for them. */
#ifndef RC_FORMAT_CUDA_SHARES_H
#define RC_FORMAT_CUDA_SHARES_H

enum {
    RC_SPMV_THREADS = 128,   /**< of a CTA that takes a share */
    RC_SPMV_TILE = 1024,     /**< row ends and entries that it holds at a time */
    RC_SPMV_LOOK = 128,      /**< entries that a share looks back for the begin of its first row */
    RC_SPMV_ENTRIES = 896,   /**< of a share of coordinates: a tile without what it looks back */
    RC_SPMV_PIECE = 4096     /**< entries of a long row that a CTA takes */
};

/** Numbers that rc_build_count and rc_spmv_count count. */
enum {
    RC_SPMV_LONGEST, /**< entries of the longest row */
    RC_SPMV_FILLED,  /**< rows with entries */
    RC_SPMV_BEYOND,  /**< rows of more entries than asked for */
    RC_SPMV_OVER,    /**< entries that rows have beyond the width */
    RC_SPMV_WIDTH    /**< that was asked for */
};

#endif
