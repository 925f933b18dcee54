/** \file format/sell.h  A matrix in sliced ELLPACK, on the host: slices of consecutive rows,
 *  each as wide as its longest row and stored column by column (Monakov et al. 2010,
 *  doi:10.1007/978-3-642-11515-8_10).  Rows beyond a length can be kept apart, in CSR, so that
 *  one long row does not pad its neighbours. */
#ifndef RC_FORMAT_SELL_H
#define RC_FORMAT_SELL_H

#include "format/items.h"

/** What is asked for. */
typedef struct rc_sell_shape {
    int64_t slice;     /**< rows of a slice */
    int64_t longest;   /**< entries of a row in a slice at most */
    int64_t col_bytes; /**< of a column: 2 or 4 */
    int64_t pad;       /**< column of padding */
} rc_sell_shape_t;

typedef struct rc_sell_size {
    int64_t slices;
    int64_t stored; /**< entries of the slices, padding included; saturated */
    int64_t longs;  /**< rows kept apart */
    int64_t rest;   /**< entries of those */
} rc_sell_size_t;

/** The last slice is stored whole. */
typedef struct rc_sell {
    rc_sell_shape_t shape;
    rc_sell_size_t size;
    int64_t *ptr; /**< [slices + 1] */
    void *col;    /**< [stored + rest] of col_bytes: the slices, then the rows kept apart */
    void *entry;  /**< [stored + rest] places of values (format/places.h) */
    int entry_bytes;
    int32_t *row;      /**< [slices * slice] row of the output; -1: none, or kept apart */
    int64_t *long_ptr; /**< [longs + 1] from `stored` on */
    int32_t *long_row; /**< [longs] */
} rc_sell_t;

/** Cost O(items). */
rc_sell_size_t rc_sell_measure(const rc_items_t *items, const rc_sell_shape_t *shape);

/** \param[in] size  of these  \param[in] threads  >= 1  \param[out] out  free with rc_sell_free
 *  \return RC_OK, RC_ENOMEM.  Cost O(stored + rest). */
rc_status_t rc_sell_build(const rc_items_t *items, const rc_sell_shape_t *shape,
    const rc_sell_size_t *size, int threads, rc_sell_t *out, rc_err_t *err);
void rc_sell_free(rc_sell_t *s);

#endif
