/** \file store/merge.h  The union of stores: what several sweeps measured apart, in one file.
 *  Local. */
#ifndef RC_STORE_MERGE_H
#define RC_STORE_MERGE_H

#include "rowcast.h"

typedef struct rc_merge_options {
    int skip_journals;    /**< 1: take what is in the stores, also where journals beside them hold
                               more; 0: that is an error */
    int64_t lock_wait_ns; /**< how long to wait for a process that folds into the output */
} rc_merge_options_t;

typedef struct rc_merge_info {
    int64_t stores;  /**< that were read, the output of before included, each file once */
    int64_t results; /**< rows of /results in the output */
    int64_t fresh;   /**< of them such that the output did not have */
    int64_t again;   /**< rows that more than one store had: they are in the output once */
} rc_merge_info_t;

/** Make `out` hold what it and the inputs hold.  The contents do not depend on the order of the
 *  inputs, nor on what is merged first; merging again adds nothing.  Rows are the same when they
 *  are of the same record of the same run; of a case the row with the latest utc_ns comes last, and
 *  so counts.  Raw times follow their rows; where only one store has them, they are taken from it.
 *  The output has no filters, and a seal.  Inputs are only read; the output is replaced
 *  (store/replace.h), or on failure stays as it was.  A sweep into the output is kept out
 *  meanwhile.
 *  \param[in] out    need not exist
 *  \param[in] in     [count] stores; `out` and repeats of a file are allowed
 *  \param[out] info  may be NULL
 *  \return RC_OK; RC_ENOENT; RC_EBUSY (a sweep or a fold has the output); RC_ESTORE: an input is
 *          damaged, of a newer schema, contradicts another one or itself, or has journals to fold;
 *          RC_EIO; RC_ENOMEM.
 *  Cost: memory for all that the stores hold, which is read once; written in blocks. */
rc_status_t rc_merge(const char *out, const char *const *in, int count,
    const rc_merge_options_t *options, rc_merge_info_t *info, rc_err_t *err);

#endif
