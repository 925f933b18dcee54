/** \file sparse/distances.h  The distances between adjacent entries of a row, Hong et al. 2018,
 *  section 4.2.  Local.
 *
 *  The difference of the columns falls into one of the bins 1, 2-3, 4-15, 16-63, ..., in powers of
 *  4.  What the paper writes as "1, 1-3" is taken as 1 and 2 to 3.  The last bin of the paper ends
 *  at 4^10; one more takes what is beyond, so that every pair is counted. */
#ifndef RC_SPARSE_DISTANCES_H
#define RC_SPARSE_DISTANCES_H

#include "rowcast.h"

enum { RC_DISTANCES = 12 };

/** Count.  \param[in] threads  >= 1  \param[out] out  [RC_DISTANCES] pairs in each bin.  Cost O(nnz
 *  + rows). */
void rc_distances_count(const rc_csr_t *a, int threads, int64_t *out);

#endif
