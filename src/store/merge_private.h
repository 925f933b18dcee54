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
    rc_row_result_t *result;     /**< [results], once they are read; likewise the raw times */
    int64_t results;
    int64_t *sample; /**< [samples] */
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

/** Replace the ids in row `row` of a table by those of the output.
 *  \param[in,out] at  the row as it is in memory
 *  \return RC_OK, or RC_ESTORE when there is no such entry */
rc_status_t rc_merge_ids(
    const rc_merge_store_t *s, const rc_schema_table_t *t, int64_t row, void *at, rc_err_t *err);

/** A row on its way to its place. */
typedef struct rc_merge_item {
    const void *row;
    size_t bytes;
    const rc_schema_field_t *const *by; /**< fields that rows are sorted by, NULL-terminated; those
                                             equal in them go by their bytes, then their store */
    int32_t from;                       /**< store */
} rc_merge_item_t;

enum { RC_MERGE_BY_MAX = 5 }; /**< fields that rows are sorted by, and the NULL */

/** Find the fields of those names.  \param[in] names  separated by commas */
void rc_merge_sort_by(
    const rc_schema_table_t *t, const char *names, const rc_schema_field_t *by[RC_MERGE_BY_MAX]);

/** Order of two items, for qsort. */
int rc_merge_compare(const void *x, const void *y);

#endif
