/** \file store/verify.h  Is a store what it claims to be?  Local. */
#ifndef RC_STORE_VERIFY_H
#define RC_STORE_VERIFY_H

#include "rowcast.h"

/** Something that is not as it has to be. */
typedef struct rc_verify_problem {
    const char *path; /**< of a table, "bytes" of the file, or the name of a journal */
    int64_t row;      /**< of the table; offset in the file or journal; -1: the whole */
    const char *expected;
    const char *found;
} rc_verify_problem_t;

/** Told of each problem; the texts are one line each and last until it returns. */
typedef void rc_problem_fn(void *user, const rc_verify_problem_t *p);

typedef struct rc_verify_options {
    int deep; /**< 1: also look for each result that a journal beside the store holds, and that is
                   said to be folded, in the store */
} rc_verify_options_t;

typedef struct rc_verify_info {
    int64_t problems;
    int64_t results;  /**< rows of /results */
    int64_t timed;    /**< of them those whose statistics were made again from raw times */
    int64_t samples;  /**< raw times */
    int64_t journals; /**< beside the store */
    int sealed;       /**< 1: the bytes were compared with their digests */
    int stopped;      /**< 1: the rest was not looked at: bytes or tables cannot be believed */
} rc_verify_info_t;

/** Check bytes against their digests; tables, fields, types and attributes against the schema; ids,
 *  enumerations, texts and keys; case_id against what it is the digest of; statuses; statistics
 *  against raw times; ranges of raw times; features; journals beside the store.
 *  \return RC_OK, with problems or without; RC_ENOENT, RC_EIO, RC_ESTORE (it cannot be opened as a
 *          store at all), RC_ENOMEM.
 *  Cost: memory for all but the raw times; reads the file twice. */
rc_status_t rc_verify(const char *store, const rc_verify_options_t *options, rc_problem_fn *report,
    void *user, rc_verify_info_t *out, rc_err_t *err);

#endif
