/** \file store/dict.h  The small tables of a store in memory: grown by name, looked up by key. */
#ifndef RC_STORE_DICT_H
#define RC_STORE_DICT_H

#include "base/map.h"
#include "store/h5.h"
#include "store/record.h"

/** Rows of one table, with an index over their keys when the table has keys. */
typedef struct rc_dict {
    const rc_schema_table_t *table;
    void *rows;
    size_t count;
    size_t capacity;
    rc_map_t index; /**< key -> row number */
} rc_dict_t;

/** All tables but the results and the orders. */
enum { RC_DICTS = RC_T_INFLIGHT + 1 };
typedef struct rc_dicts {
    rc_dict_t d[RC_DICTS];
} rc_dicts_t;

/** Empty dictionaries.  Free with rc_dicts_free. */
void rc_dicts_init(rc_dicts_t *d);
void rc_dicts_free(rc_dicts_t *d);

/** Read one from an open store. */
rc_status_t rc_dict_read(rc_dict_t *d, const rc_h5_t *h, rc_err_t *err);

/** Read all of them from an open store (after rc_dicts_init). */
rc_status_t rc_dicts_read(rc_dicts_t *d, const rc_h5_t *h, rc_err_t *err);

/** Write all of them to an open store. */
rc_status_t rc_dicts_write(const rc_dicts_t *d, const rc_h5_t *h, rc_err_t *err);

/** Append a row without a key. */
rc_status_t rc_dict_push(rc_dict_t *d, const void *row, rc_err_t *err);

/** Row number of the row with the key of `row`, of which no other field is looked at; -1: none. */
int32_t rc_dict_find(const rc_dict_t *d, const void *row);

/** Key of a row as it lies in its table.  \return 1, or 0 when rows of the table have none */
int rc_dict_key(const rc_dict_t *d, const void *row, rc_digest_t *key);

/** What a result row is of, by its ids; its case_id is the rc_case_id of that.
 *  \return RC_OK, or RC_ESTORE, without a text, when an id is outside of its dictionary */
rc_status_t rc_dicts_case(const rc_dicts_t *d, const rc_row_result_t *r, rc_case_t *out);

/** Row number of an entry, which is added when it is not there.  `*id` is -1 for an empty message.
 */
rc_status_t rc_dict_policy(rc_dicts_t *d, const char *name, int32_t version, const char *params,
    int32_t *id, rc_err_t *err);
rc_status_t rc_dict_kernel(rc_dicts_t *d, const char *name, int32_t version, const char *params,
    int32_t *id, rc_err_t *err);
rc_status_t rc_dict_device(rc_dicts_t *d, const char *class_name, int32_t *id, rc_err_t *err);
rc_status_t rc_dict_message(rc_dicts_t *d, const char *text, int32_t *id, rc_err_t *err);
rc_status_t rc_dict_matrix(
    rc_dicts_t *d, rc_digest_t digest, const rc_rec_source_t *s, int32_t *id, rc_err_t *err);
rc_status_t rc_dict_run(rc_dicts_t *d, const rc_rec_run_t *r, int32_t *id, rc_err_t *err);

/** Note how far a journal has been folded. */
rc_status_t rc_dict_journal(rc_dicts_t *d, const char *name, int64_t bytes, rc_err_t *err);
/** How far; 0 when it has not been. */
int64_t rc_dict_journal_bytes(const rc_dicts_t *d, const char *name);

#endif
