/** \file order/sample.h  What a few hundred samples of a matrix say about its rows: how often rows
 *  share a column next to each other, and near each other in the graph.  Bounded work but for
 *  rc_sample_columns; integers, the same for any number of threads; inner header of the room, and
 *  of the feature set `regime`.
 *
 *  Samples are the m = min(256, floor(rows / 64)) runs of order/local.h: run i begins at slot
 *  floor(i rows / m), the row there is its seed.  Only the first 64 entries of a row count.  A row
 *  is long that has more than 4 nnz / rows + 8 entries.  Local. */
#ifndef RC_ORDER_SAMPLE_H
#define RC_ORDER_SAMPLE_H

#include "order/local.h"
#include "rowcast.h"

/** The 64 rows of each run.
 *  \param[in] order  [rows] row of each slot, NULL: the original order */
void rc_sample_runs(const rc_csr_t *a, const int32_t *order, int threads, rc_sharing_t *out);

/** Up to 64 rows around each seed, breadth first: a row leads to the rows that have the numbers of
 *  its columns, in their order.  Long rows are left out, seeds too. */
void rc_sample_balls(const rc_csr_t *a, int threads, rc_sharing_t *out);

/** Up to 64 rows that hold a column of a seed: entry h(seed) mod (entries that count), h as in
 *  order/local.h, of each column once.  Of several rows that are equal in h(row) mod 64 the first
 *  one stands for all.  Long rows are left out; the column itself is not counted.  Unlike balls, it
 *  asks nothing of how rows and columns are numbered.
 *  \return RC_OK, RC_ENOMEM (82 KB).  Cost O(nnz) */
rc_status_t rc_sample_columns(const rc_csr_t *a, int threads, rc_sharing_t *out, rc_err_t *err);

/** Entries (i, j), j not i, of the seeds, and those of them where row j holds column i, or a column
 *  of row i other than j (of its entries that count): where rows and columns are numbered alike.
 *  \param[out] out  `entries`, and in `distinct` the latter */
void rc_sample_agreement(const rc_csr_t *a, int threads, rc_sharing_t *out);

/** All of these, and the longest row.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_sample_all(const rc_csr_t *a, int threads, rc_local_samples_t *out, rc_err_t *err);

#endif
