/** \file feature/shares.h  What the set `shares` counts in row pointers, and the arithmetic of a
 *  row, inline, so that a GPU (feature/cuda/features.cu) counts exactly what the host does.  All of
 *  it is sums and extremes of whole numbers: the order of threads does not matter. */
#ifndef RC_FEATURE_SHARES_H
#define RC_FEATURE_SHARES_H

#include "base/rng_hash.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_SHARES_SHARE = 896, /**< entries, or row ends and entries, of a share */
    RC_SHARES_LOOK = 128,  /**< entries that it looks back for the begin of its first row */
    RC_SHARES_LONG = 256,  /**< entries beyond which a row is cut into pieces */
    RC_SHARES_PIECE = 4096,
    RC_SHARES_WARP = 32, /**< rows */
    RC_SHARES_FEATURES = 14
};

/** Counts of rows and entries. */
typedef struct rc_shares_counts {
    int64_t min; /**< entries of the shortest row; 0 without rows */
    int64_t max;
    int64_t empty;
    int64_t in_long;
    int64_t warps; /**< places of rows that are as long as the longest of their 32 */
    int64_t over;
    int64_t pieces;
    int64_t open_entries;
    int64_t open_items;
    uint64_t squares_low; /**< sum of the low 32 bits of the squares of row lengths, and of what is
                               above them */
    uint64_t squares_high;
} rc_shares_counts_t;

/** Entries that a row has before what is over the mean: the mean, rounded up. */
RC_HOST_DEVICE static inline int64_t rc_shares_width(int64_t rows, int64_t nnz)
{
    return rows > 0 ? (nnz + rows - 1) / rows : 0;
}

/** Shares that begin inside of a row that begins at place `from` of what is shared out, far enough
 *  from there. */
RC_HOST_DEVICE static inline int64_t rc_shares_open(int64_t from, int64_t entries)
{
    return entries > RC_SHARES_LOOK + 1
               ? (from + entries - 1) / RC_SHARES_SHARE - (from + RC_SHARES_LOOK) / RC_SHARES_SHARE
               : 0;
}

/** What a row of n entries adds that is 0 of short ones.  \param[in] begin  its first entry */
RC_HOST_DEVICE static inline void rc_shares_add_long(
    int64_t row, int64_t begin, int64_t n, rc_shares_counts_t *c)
{
    c->in_long += n > RC_SHARES_LONG ? n : 0;
    c->pieces += n > RC_SHARES_LONG ? 1 + (n - RC_SHARES_LONG) / RC_SHARES_PIECE : 0;
    c->open_entries += rc_shares_open(begin, n);
    c->open_items += rc_shares_open(begin + row, n);
}

/** The features of the set.  \param[out] out  [RC_SHARES_FEATURES] */
void rc_shares_features(
    const rc_shares_counts_t *c, int64_t rows, int64_t cols, int64_t nnz, double *out);

#ifdef __cplusplus
}
#endif
#endif
