/** \file store/verify_private.h  What the files of the verification share. */
#ifndef RC_STORE_VERIFY_PRIVATE_H
#define RC_STORE_VERIFY_PRIVATE_H

#include "store/dict.h"
#include "store/verify.h"

/** A result row: what it is of. */
typedef struct rc_verify_key {
    int64_t seq;
    int64_t row;
    uint64_t case_hi; /**< of rows without a record (seq -1) */
    int32_t run;
    int32_t rank;
} rc_verify_key_t;

typedef struct rc_verify {
    const char *path;
    const rc_verify_options_t *options;
    rc_problem_fn *report;
    void *user;
    rc_verify_info_t info;
    rc_h5_t h;
    int version;          /**< RC_SCHEMA_VERSION of the store */
    rc_dicts_t dicts;     /**< of a table that cannot be read: empty */
    rc_verify_key_t *key; /**< [info.results] in order, NULL when they could not be read */
} rc_verify_t;

/** Report a problem; `found` is a format. */
void rc_verify_say(rc_verify_t *v, const char *path, int64_t row, const char *expected,
    const char *found, ...) RC_PRINTF(5, 6);

/** Report that something cannot be read, and go on: err is cleared.  RC_ENOMEM is passed on. */
rc_status_t rc_verify_unread(rc_verify_t *v, const char *path, rc_status_t st, rc_err_t *err);

/** Tables, fields, types, attributes. */
rc_status_t rc_verify_schema(rc_verify_t *v, rc_err_t *err);

/** Enumerations, texts, numbers and ids of `n` rows from row `first` of a table. */
void rc_verify_fields(rc_verify_t *v, const rc_schema_table_t *t, const char *path,
    const void *rows, int64_t first, int64_t n);

/** The small tables, orders and features. */
rc_status_t rc_verify_tables(rc_verify_t *v, rc_err_t *err);

/** Results and raw times; fills v->key. */
rc_status_t rc_verify_results(rc_verify_t *v, rc_err_t *err);

/** Order of v->key. */
int rc_verify_compare(const void *a, const void *b);

/** Journals beside the store. */
rc_status_t rc_verify_journals(rc_verify_t *v, rc_err_t *err);

#endif
