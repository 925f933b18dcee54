/** \file format/vector/merge.h  Equal shares of the merge of row ends and entries; the matrix stays
 *  in CSR.
 *  Source: Merrill and Garland 2016, doi:10.1109/SC.2016.57, section III. */
#ifndef RC_FORMAT_VECTOR_MERGE_H
#define RC_FORMAT_VECTOR_MERGE_H

#include "format/format.h"

/** The parameter `items`, also of kernels. */
#define RC_MERGE_ITEMS_PARAM                                                                       \
    {                                                                                              \
        .name = "items", .help = "row ends and entries of a part", .value = RC_MERGE_ITEMS,        \
        .min = 1, .max = RC_MERGE_ITEMS_MAX                                                        \
    }

enum {
    RC_MERGE_ITEMS = 896, /**< 128 threads of 7 */
    RC_MERGE_ITEMS_MAX = 1 << 20
};

/** A point of the merge path: so many row ends and entries were passed. */
typedef struct rc_merge_point {
    int64_t row;
    int64_t entry;
} rc_merge_point_t;

/** Parts of `items` row ends and entries each; the last one may have fewer. */
int64_t rc_merge_parts(const rc_csr_view_t *e, int64_t items);

/** The point where part k begins, or with k = parts the end: row + entry = min(k items, rows +
 *  nnz). A row end is passed before the entry of the same number.  Cost O(log rows). */
rc_merge_point_t rc_merge_point(const rc_csr_view_t *e, int64_t items, int64_t k);

#endif
