/** \file store/merge_private.h  What the files of the merge share. */
#ifndef RC_STORE_MERGE_PRIVATE_H
#define RC_STORE_MERGE_PRIVATE_H

#include "store/dict.h"
#include "store/merge.h"

/** Dictionaries: the tables whose ids others refer to. */
enum { RC_MERGE_DICTS = RC_T_RUN + 1 };

/** A store that is merged. */
typedef struct rc_merge_store {
    char *path; /**< without links */
    rc_h5_t h;
    rc_dicts_t dicts;
    int32_t *id[RC_MERGE_DICTS]; /**< id in its dictionary -> id in the output */
    int64_t results;
    int64_t samples;
} rc_merge_store_t;

typedef struct rc_merge {
    rc_merge_store_t *store; /**< [stores], the output of before first when it is there */
    int stores;
    int has_out;      /**< 1: store[0] is the output of before */
    rc_dicts_t dicts; /**< of the output */
    rc_h5_t h;        /**< the output */
    rc_merge_info_t info;
} rc_merge_t;

/** Unite the dictionaries in an order of their own and fill rc_merge_store_t.id. */
rc_status_t rc_merge_dicts(rc_merge_t *m, rc_err_t *err);

/** Unite the small tables, which are written with the dictionaries. */
rc_status_t rc_merge_tables(rc_merge_t *m, rc_err_t *err);

/** Unite and write the orders and the features. */
rc_status_t rc_merge_orders(rc_merge_t *m, rc_err_t *err);
rc_status_t rc_merge_features(rc_merge_t *m, rc_err_t *err);

/** Unite and write the results and their raw times; fills m->info. */
rc_status_t rc_merge_results(rc_merge_t *m, rc_err_t *err);

/** Replace an id of row `row` of the table at `path` by that of the output.
 *  \param[in] none  1: -1 is allowed, and stays
 *  \return RC_OK, or RC_ESTORE when there is no such entry */
rc_status_t rc_merge_id(const rc_merge_store_t *s, rc_table_id_t dict, int none, const char *path,
    int64_t row, int32_t *id, rc_err_t *err);

#endif
