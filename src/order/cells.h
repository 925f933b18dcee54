/** \file order/cells.h  Cells of rows that grow from seeds through columns, and cells of cells:
 *  what the orders `cells` and `multilevel` share on the host.  Their rules are at the top of
 *  policy_cells.c; inner header of the room. */
#ifndef RC_ORDER_CELLS_H
#define RC_ORDER_CELLS_H

#include "base/alloc.h"
#include "order/policy.h"

enum { RC_CELL_LEVELS = 24 }; /**< above the cells of rows, at most: 2^23 in pairs */

/** Free its pool, also after a failure. */
typedef struct rc_cell_search {
    rc_pool_t pool;
    const rc_order_input_t *in;
    int64_t size;   /**< rows a cell, about */
    int64_t count;  /**< cells of rows */
    uint32_t *row;  /**< [rows] round and cell (rc_local_key), or RC_LOCAL_NONE: not reached */
    uint32_t *col;  /**< [cols] the same */
    uint32_t *link; /**< [rows] the cell that a row links its own with, or RC_LOCAL_NONE */
    uint32_t *at;   /**< [count] the cell of the present level that a cell of rows is in */
    uint32_t *key;  /**< [count] round and cell of the next level */
    int levels;     /**< above the cells of rows */
    int64_t n[RC_CELL_LEVELS + 1];    /**< cells of a level */
    int64_t step[RC_CELL_LEVELS + 1]; /**< rows from one link to the next */
    int32_t *up[RC_CELL_LEVELS];      /**< [n] the cell of the next level */
} rc_cell_search_t;

/** Grow the cells of rows, of about `size` rows but not more cells than there may be, and link
 *  them.
 *  \param[in]  in   borrowed as long as the search
 *  \param[out] out  `at` is the cells of rows
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_cells_grow(
    const rc_order_input_t *in, int64_t size, rc_cell_search_t *out, rc_err_t *err);

/** Join the cells of level after level to larger ones, while there are more than `most`.
 *  \param[in] branch  cells that join to one, about, from 2; 0: as rc_curve_branch says
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_cells_join(rc_cell_search_t *c, int64_t most, int64_t branch, rc_err_t *err);

/** The schedule of rows by (rank of their cell, smallest column, row number), then `rounds` of
 *  label propagation.  The cells of rows, and links, are lost.
 *  \param[in] c  `at` is the ranks of the cells of rows
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_cells_place(
    const rc_cell_search_t *c, int rounds, rc_schedule_t *out, rc_err_t *err);

#endif
