/** \file kernels/spmv/cuda/csrk_split.h  How csrk-split shares out rows of all lengths, and
 *  where it leaves them to merge: arithmetic of row lengths alone, on the host. */
#ifndef RC_KERNELS_SPMV_CUDA_CSRK_SPLIT_H
#define RC_KERNELS_SPMV_CUDA_CSRK_SPLIT_H

#include "format/super_rows.h"
#include "kernels/spmv/cuda/spmv.h"

/** What a cut is like. */
typedef struct rc_csrk_cut {
    int64_t shares;
    /** shares without a row above the bound that wait for the longest of their rows */
    int64_t uneven;
    int64_t pieces;  /**< of rows above the bound */
    int64_t several; /**< such rows of several pieces */
    int64_t apart;   /**< entries of such rows */
} rc_csrk_cut_t;

/** Entries of the longest row that is not apart: 256, or twice the mean where that is more,
 *  1,023 at most. */
int64_t rc_csrk_split_bound(int64_t rows, int64_t nnz);

/** Row ends and entries of a share: the shared memory of a CTA, or less where there would be few
 *  CTAs. */
int64_t rc_csrk_split_items(int64_t slots, int64_t nnz);

/** Cut slots into shares: runs of whole super-rows that fit; of slots where the last super-row
 *  would leave an eighth of the room empty.  A row above the bound takes its room, too, or a whole
 *  share: a CTA steps over it in a round of its own, and shares of many such rows were what version
 *  3 waited for.
 *  \param[in] ptr    [slots + 1] where the entries of each slot begin
 *  \param[in] items  row ends and entries of a share
 *  \param[out] out   [shares + 1], at most [slots + 1]; NULL: only counted Cost O(slots). */
rc_csrk_cut_t rc_csrk_split_cut(const int64_t *ptr, int64_t slots, int64_t bound, int64_t items,
    const rc_super_rows_t *super, rc_spmv_share_t *out);

/** 1: the equal shares of merge take the matrix in less time: three CTAs of 16 or more would
 *  wait for a row, or rows above the bound make 512 pieces or more and have a quarter of the
 *  entries.  Fitted to stored times of csr and merge (data/results/notebook/csrk.md). */
int rc_csrk_split_merges(const rc_csrk_cut_t *c, int64_t nnz);

#endif
