/** \file sparse/spy.h  Where the entries of a matrix are, counted on a grid of pixels: the numbers
 *  behind a spy plot. */
#ifndef RC_SPARSE_SPY_H
#define RC_SPARSE_SPY_H

#include "rowcast.h"

enum { RC_SPY_SIZE_MIN = 16, RC_SPY_SIZE_MAX = 2048 };

/** The shape of a plot of a matrix of `rows` (or slots) times `cols`: the longer side has `size`
 *  pixels, the other one keeps the proportion, but not below size / 32, so that a single row stays
 *  visible.  A side of 0 rows or columns counts as one.
 *  \param[in]  size  1 .. RC_SPY_SIZE_MAX
 *  \param[out] width, height  pixels, >= 1 */
void rc_spy_size(int64_t rows, int64_t cols, int size, int *width, int *height);

/** Count the entries that each pixel stands for.
 *
 *  Where there are at most as many pixels as rows, row p belongs to pixel floor(p * height / rows);
 *  where there are more, a pixel shows the row at its centre, so that a row is a block of pixels
 *  and an entry is counted in each of its block.  The same holds for columns.  Without enlargement
 *  the counts sum to the number of entries drawn.
 *
 *  \param[in]  order  its slots are the rows, a pad an empty one; a symmetric order renumbers the
 *                     columns too; NULL: the original order
 *  \param[out] count  [height * width], row by row from the top; all zero for a matrix without
 *                     rows, columns or entries
 *  \return RC_OK, RC_ENOMEM.  Local, serial.  Cost O(entries + slots + width * height). */
rc_status_t rc_spy_ordered(const rc_csr_t *a, const rc_schedule_t *order, int width, int height,
    double *count, rc_err_t *err);

#endif
