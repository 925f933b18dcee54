/** \file analysis/dataset_private.h  The steps that make a data set, and what they pass on: rows of
 *  the store that take part (selection), the classes among them, the table. */
#ifndef RC_ANALYSIS_DATASET_PRIVATE_H
#define RC_ANALYSIS_DATASET_PRIVATE_H

#include "analysis/dataset.h"
#include "base/alloc.h"
#include "base/str.h"
#include "table/view.h"

/** What to select.  Borrowed texts; from the command line, or from a model. */
typedef struct rc_query {
    const char *store;
    int32_t operation;
    const rc_dataset_options_t *options; /**< task, K, precision, device, where */
    const rc_model_t *model; /**< its device, kernels, versions and geometry apply; NULL: none */
} rc_query_t;

/** A (matrix, K, precision): a row of the data set to be. */
typedef struct rc_cell {
    char digest[33];
    int32_t matrix;
    int32_t precision; /**< 0: fp32 */
    int64_t k;
    int is_n;
    int32_t of; /**< one of its picks */
} rc_cell_t;

/** A kernel and an order. */
typedef struct rc_pair {
    int32_t kernel; /**< ids in the store */
    int32_t policy;
    const char *kernel_name; /**< with parameters; borrowed from the view */
    const char *policy_name;
    int64_t cells; /**< that have a result of it */
    int32_t of;    /**< one of its picks */
} rc_pair_t;

/** A result that takes part. */
typedef struct rc_pick {
    int64_t row; /**< of the view */
    int32_t cell;
    int32_t pair;
} rc_pick_t;

/** What takes part: independent of the order of rows in the store, but for the row numbers. */
typedef struct rc_selection {
    rc_pool_t memory;
    rc_view_t *view; /**< owned */
    int32_t device;
    rc_cell_t *cell; /**< [cells], by digest, precision, K */
    int64_t cells;
    rc_pair_t *pair; /**< [pairs], by kernel; csr first, then by order */
    int pairs;
    rc_pick_t *pick; /**< [picks] at most one of each cell and pair */
    int64_t picks;
    rc_pick_t *miss; /**< [misses] newest results of current versions that failed or were skipped,
                          in cells and pairs that may have no pick; only of the task format without
                          a model */
    int64_t misses;
} rc_selection_t;

/** Read and select.  Free with rc_selection_free.  Errors as of rc_dataset_read. */
rc_status_t rc_select(const rc_query_t *q, rc_selection_t *out, rc_err_t *err);
void rc_selection_free(rc_selection_t *s);

/** The classes: numbers of pairs.  Order task: those of one kernel.
 *  \param[out] pair  [*classes], free() */
rc_status_t rc_choose_classes(const rc_selection_t *s, const rc_dataset_options_t *o, int **pair,
    int *classes, rc_err_t *err);

/** The formats of the task format that the store has an ok result of, as pairs.
 *  \param[out] pair  [*count] in the order of rc_six_names, free()
 *  \return RC_OK, RC_EINVAL (one that is named, or of all six, is not there; a name of none) */
rc_status_t rc_formats_find(
    const rc_selection_t *s, const char *classes, int **pair, int *count, rc_err_t *err);

/** What became of each class in each cell: RC_CASE_PENDING nothing.
 *  \param[out] status  [cells * n], free() */
rc_status_t rc_formats_status(
    const rc_selection_t *s, const int *pair, int n, unsigned char **status, rc_err_t *err);

/** Leave the classes that are named, and without coo the rows where that is not the fastest. */
rc_status_t rc_formats_restrict(const char *classes, rc_dataset_t *d, rc_err_t *err);

/** The pairs of a model's classes. */
rc_status_t rc_find_classes(
    const rc_selection_t *s, const rc_model_t *m, int **pair, rc_err_t *err);

/** The view's row of cell c under pair p at [c * n + i], p = pair[i]; -1 where there is none.
 *  \param[out] row  free() */
rc_status_t rc_tabulate(
    const rc_selection_t *s, const int *pair, int n, int64_t **row, rc_err_t *err);

/** Of every cell the times of the vendor's library.
 *  \param[out] best  [cells], free() */
rc_status_t rc_find_library(const rc_selection_t *s, rc_library_time_t **best, rc_err_t *err);

/** What the inputs are to be: fills d's inputs (names and transforms), feature_set and version.
 *  \param[in] features  as of rc_dataset_options */
rc_status_t rc_choose_inputs(const char *features, rc_dataset_t *d, rc_err_t *err);

/** Append the inputs "k" and "value_bytes": both for a plan, for an order those that vary over the
 *  cells with a result of every class.  K = n alone does not vary: it is n_col. */
rc_status_t rc_add_problem_inputs(
    const rc_selection_t *s, const int *pair, rc_dataset_t *d, rc_err_t *err);

/** The geometry of most picks of some pairs, by precision; nw 0 where there is none. */
rc_status_t rc_common_geometry(
    const rc_selection_t *s, const int *pair, int n, rc_model_geometry_t *out, rc_err_t *err);

/** The table: rows of d from the cells that have a result of every class and features of the set,
 *  version and geometry of d.  d has its classes and inputs.
 *  \param[in] o  what misses are; NULL: the defaults */
rc_status_t rc_fill_rows(const rc_selection_t *s, const int *pair, const char *store,
    const rc_dataset_options_t *o, rc_dataset_t *d, rc_err_t *err);

/** Room for the table of some rows; d has its classes and inputs. */
rc_status_t rc_allocate_rows(rc_dataset_t *d, int64_t rows, rc_err_t *err);

/** "a, b, c and 12 more" of names, for messages.
 *  \param[in,out] text  empty; free with rc_str_free, which ends what is returned */
const char *rc_list_names(rc_str_t *text, const char *const *name, int n, int most);

#endif
