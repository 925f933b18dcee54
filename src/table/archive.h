/** \file table/archive.h  A compressed copy of a store, or of a part of its results, for keeping
 *  and publishing.  Local. */
#ifndef RC_TABLE_ARCHIVE_H
#define RC_TABLE_ARCHIVE_H

#include "base/expr.h"
#include "rowcast.h"

/** What goes into the copy. */
typedef struct rc_archive_options {
    int samples; /**< 0: /samples is left empty; results keep `reps` and get sample_offset -1 */
    int newest;  /**< 1: only newest rows of their cases (rc_view_is_newest) that are of the newest
                      versions of their policy and kernel (rc_view_is_current) */
    const rc_expr_t *where; /**< over rc_view_fields, borrowed; NULL: all.  A row has to match, and
                                 the newest row of its case too: no older row becomes the newest */
} rc_archive_options_t;

/** What became of the rows of /results. */
typedef struct rc_archive_info {
    int64_t kept;
    int64_t left_out;
    int64_t rebased; /**< kept and with a speedup, but the csr row that they were compared with is
                        left out: in the copy they are compared with another one, or with none */
} rc_archive_info_t;

/** Write a copy of a store with its tables compressed (shuffle and deflate, which every HDF5 can
 *  read).  Results are chosen, with their raw times, in the order in which they were; whatever else
 *  the file holds is copied whole, attributes included.  The copy is a store: a sweep into it takes
 *  the cases that it lacks as pending.  The original is only read.
 *  \param[in] to    replaced, by a rename, when it is there; a failure leaves it as it was
 *  \param[out] out  may be NULL
 *  \return RC_OK, RC_ENOENT, RC_EIO, RC_ESTORE, RC_ENOTSUP (this HDF5 cannot deflate), RC_EINVAL
 *          (both are the same file), RC_ENOMEM.  Cost: reads each table whole. */
rc_status_t rc_archive(const char *from, const char *to, const rc_archive_options_t *options,
    rc_archive_info_t *out, rc_err_t *err);

#endif
