/** \file table/counted.h  Which results count for a table, and what they are compared within: the
 *  one answer that all tables, the report and the data sets of trainers share.
 *
 *  A result counts when it is the newest of its case, of the newest versions of its policy and
 *  kernel, ok with a time, and verified (rc_view_counts), and matches the filter.
 *
 *  A *setting* is what compared results have in common: operation, K, precision, row order of C,
 *  cache mode, device.  K = n (k == n_col) is one setting for all matrices: results whose k equals
 *  n_col while no matrix of another width was run with that k.  An operation without K has k = 0.
 *
 *  The original order of rows has no other order of C.  Its results stand also in the settings with
 *  C in schedule order and of symmetric orders, as their baseline, but only for the matrices that
 *  were measured there: a matrix that was not is in no table of that setting.  Local. */
#ifndef RC_TABLE_COUNTED_H
#define RC_TABLE_COUNTED_H

#include "base/expr.h"
#include "table/view.h"

typedef struct rc_setting {
    int64_t row;      /**< a row of the view that was measured in it */
    int64_t k;        /**< 0: the operation has none; of K = n that of some row */
    int64_t matrices; /**< with any result */
    int32_t device;
    int32_t op;
    int32_t precision;
    int32_t c_order;
    int32_t cache;
    int32_t layout; /**< of B and C, of settings by device; 0 where the operation has no K */
    int is_n;       /**< 1: K = n_col */
} rc_setting_t;

/** What settings are listed by, first to last. */
typedef enum rc_setting_order {
    RC_SETTINGS_BY_K = 0,     /**< operation, precision, K (n last), order of C, cache, device */
    RC_SETTINGS_BY_DEVICE = 1 /**< device, layout of B and C, operation, precision, order of C,
                                 cache, K (n last); layouts are settings apart, since no plan mixes
                                 them */
} rc_setting_order_t;

/** A result in a setting. */
typedef struct rc_counted_row {
    int64_t row; /**< of the view */
    double ns;   /**< its median */
    int32_t setting;
    int32_t matrix;  /**< id in the view */
    int32_t variant; /**< number of its kernel and order, over all settings */
    int32_t kernel;  /**< id in the view, as is the next */
    int32_t policy;
} rc_counted_row_t;

typedef struct rc_counted {
    const rc_view_t *view; /**< borrowed */
    rc_setting_t *setting; /**< [settings] */
    int settings;
    int variants;
    rc_counted_row_t *row; /**< [rows] by setting, matrix, time, row of the view */
    int64_t rows;
    int64_t results; /**< results that count, each once */
} rc_counted_t;

/** What rows of a table are compared with (rc_view_pairing), and on which cards. */
typedef struct rc_counted_pairs {
    int64_t results;
    int64_t another_run;  /**< with csr of another run */
    int64_t another_card; /**< with none: csr was timed on other cards only */
    int64_t nothing;      /**< with none */
    int64_t cells;        /**< matrices, in all settings ... */
    int64_t two_cards;    /**< ... and those with results of several cards (rc_view_card) */
} rc_counted_pairs_t;

/** \param[in] where  NULL: all.  For a baseline row its field c_order is that of the setting
 *  \param[in] op     only this operation; -1: all
 *  \param[out] out   free with rc_counted_free
 *  \return RC_OK, RC_ENOMEM.  Cost: a sort. */
rc_status_t rc_counted_make(const rc_view_t *v, const rc_expr_t *where, int32_t op,
    rc_setting_order_t order, rc_counted_t *out, rc_err_t *err);
void rc_counted_free(rc_counted_t *c);

/** Behind the last row of the setting and matrix of row i. */
int64_t rc_counted_end(const rc_counted_t *c, int64_t i);

/** 1: times of two cards (rc_view_card) may be compared: they are of one, or nobody knows. */
int rc_card_fits(int32_t a, int32_t b);

/** Each result counts once. */
rc_counted_pairs_t rc_counted_pairs(const rc_counted_t *c);

/** The rule of K = n: note the K of every row in a map (zeroed before the first; free with
 *  rc_map_free), and ask afterwards whether a row is of K = n among those that were noted. */
rc_status_t rc_counted_note_k(
    rc_map_t *widths, const rc_view_t *v, const rc_row_result_t *r, rc_err_t *err);
int rc_counted_is_n(const rc_map_t *widths, const rc_view_t *v, const rc_row_result_t *r);

#endif
