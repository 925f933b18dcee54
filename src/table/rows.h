/** \file table/rows.h  What all summaries and the report share: which rows of a view enter an
 *  average, and which of them are of the setting K = n. */
#ifndef RC_TABLE_ROWS_H
#define RC_TABLE_ROWS_H

#include "base/expr.h"
#include "table/view.h"

/** A row that enters the averages: newest of its case, of the newest versions of its policy and
 *  kernel, ok, verified, and matching. */
typedef struct rc_summary_row {
    int64_t row; /**< of the view */
    int is_n;    /**< 1: of the setting K = n: k equals n_col, and no matrix of another width was
                      run with that k */
} rc_summary_row_t;

/** \param[in] where  NULL: all
 *  \param[out] out   [*count] in the order of the view; free with free()
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_summary_rows(const rc_view_t *v, const rc_expr_t *where, rc_summary_row_t **out,
    int64_t *count, rc_err_t *err);

/** Note the K of a row in a map (zeroed before the first; free with rc_map_free), and say
 * afterwards whether a row is of the setting K = n among those that were noted. */
rc_status_t rc_summary_note_k(
    rc_map_t *matrices, const rc_view_t *v, const rc_row_result_t *r, rc_err_t *err);
int rc_summary_is_n(const rc_map_t *matrices, const rc_view_t *v, const rc_row_result_t *r);

/** 1: the row was measured in the original order of rows; every row order of C is compared with it,
 *  since C of the original order has no other. */
int rc_summary_is_csr(const rc_view_t *v, const rc_row_result_t *r);

#endif
