/** \file store/verify_private.h  What the files of the verification share. */
#ifndef RC_STORE_VERIFY_PRIVATE_H
#define RC_STORE_VERIFY_PRIVATE_H

#include "store/dict.h"
#include "store/verify.h"

typedef struct rc_verify {
    const char *path;
    const rc_verify_options_t *options;
    rc_problem_fn *report;
    void *user;
    rc_verify_info_t info;
    rc_h5_t h;
    int version;      /**< RC_SCHEMA_VERSION of the store */
    rc_dicts_t dicts; /**< of a table that cannot be read: empty */
    rc_map_t seen;    /**< key -> row of the results, ... */
    int has_seen;     /**< ... when all could be read */
} rc_verify_t;

/** What is looked at: row -1 is the whole table; see rc_verify_problem_t. */
typedef struct rc_verify_at {
    rc_verify_t *v;
    const char *path;
    int64_t row;
} rc_verify_at_t;

/** Report a problem unless `ok`.
 *  \param[in] text  a format: what is expected, '|', what was found */
void rc_verify_expect(const rc_verify_at_t *at, int ok, const char *text, ...) RC_PRINTF(3, 4);

/** Report that something cannot be read, and go on: err is cleared.  RC_ENOMEM is passed on. */
rc_status_t rc_verify_unread(rc_verify_t *v, const char *path, rc_status_t st, rc_err_t *err);

/** Tables, fields, types, attributes. */
rc_status_t rc_verify_schema(rc_verify_t *v, rc_err_t *err);

/** Enumerations, texts, numbers and ids of the `n` rows of a table. */
void rc_verify_fields(
    rc_verify_t *v, const rc_schema_table_t *t, const char *path, const void *rows, int64_t n);

/** The small tables, orders and features. */
rc_status_t rc_verify_tables(rc_verify_t *v, rc_err_t *err);

/** Results and raw times; fills v->seen. */
rc_status_t rc_verify_results(rc_verify_t *v, rc_err_t *err);

/** What tells a result row from all others: its record, or of a crashed case, which is of no record
 *  (seq -1), the case. */
rc_digest_t rc_verify_key(int32_t run, int32_t rank, int64_t seq, const char *case_id);

/** Journals beside the store. */
rc_status_t rc_verify_journals(rc_verify_t *v, rc_err_t *err);

#endif
