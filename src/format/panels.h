/** \file format/panels.h  A matrix as a list of pieces, on the host: a piece is a row, two rows
 *  next to each other that share columns, or a part of a long row.  Its entries come in batches, so
 *  that they can be loaded as vectors; the last batch is padded with the value 0 and the column 0,
 *  which nobody needs to look at, as the piece tells how many columns it has.
 *
 *  Of two rows every column of either is stored once, with a value for each of them, 0 where the
 *  row has no such entry: where B is not finite there, the sum of that row becomes NaN.
 *
 *  Rows come in schedule order, the parts of all long ones first: what takes longest should not
 *  begin last.  A row without entries is a piece without columns, so that it is stored; with the
 *  output in original order the rows that the schedule leaves out follow as such. */
#ifndef RC_FORMAT_PANELS_H
#define RC_FORMAT_PANELS_H

#include "format/items.h"
#include "format/parts.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_PANELS_BATCH = 4,      /**< columns */
    RC_PANELS_ROWS_MAX = 2,   /**< of a piece */
    RC_PANELS_SEGMENT = 1024, /**< items that are paired apart from others */
    RC_PANELS_PIECE_COST = 4  /**< of a piece, in columns: its sums are stored */
};

/** What is asked for. */
typedef struct rc_panels_shape {
    int64_t rows;      /**< of a piece at most: 1, 2 */
    int64_t longest;   /**< entries of a row that is not cut, >= RC_PANELS_BATCH; its parts have
                            about as many, of very long rows the square root of their entries */
    int64_t col_bytes; /**< of a column: 2 or 4 */
} rc_panels_shape_t;

typedef struct rc_panels_size {
    int64_t pieces;
    int64_t columns; /**< of all pieces; nothing is built from it */
    int64_t batches; /**< that hold them, and one more, which may be loaded ahead */
    int64_t parts;   /**< of long rows */
    int64_t longs;   /**< rows in more than one part */
} rc_panels_size_t;

/** 16 bytes, loaded at once. */
typedef struct rc_panels_piece {
    uint32_t first; /**< batch */
    int32_t count;  /**< columns */
    int32_t row;    /**< of the output; -1: none; -2 - i for part i */
    int32_t second; /**< the other row, -1: there is none */
} rc_panels_piece_t;

typedef struct rc_panels {
    rc_panels_shape_t shape;
    rc_panels_size_t size;
    rc_panels_piece_t *piece; /**< [pieces] */
    void *col;                /**< [batches * BATCH] of col_bytes */
    void *entry;              /**< [batches][rows][BATCH] places of values (format/places.h) */
    int entry_bytes;
    int32_t *of;            /**< [parts] number of the long row that a part belongs to */
    rc_long_row_t *lengthy; /**< [longs] */
    int64_t places;         /**< see rc_panels_places */
    int32_t *place; /**< [places + 1] pieces at which equal shares of the work begin; from 0 to
                         pieces */
} rc_panels_t;

/** \return RC_OK; RC_ENOTSUP: more than 32 bits can number */
rc_status_t rc_panels_check(const rc_panels_size_t *s, rc_err_t *err);

/** Into how many equal shares of the work the pieces are divided. */
int64_t rc_panels_places(int64_t pieces);

/** \param[out] out  of these
 *  \return RC_OK; RC_ENOTSUP: more than 32 bits can number.  Cost O(items), for two rows O(nnz). */
rc_status_t rc_panels_measure(
    const rc_items_t *items, const rc_panels_shape_t *shape, rc_panels_size_t *out, rc_err_t *err);

/** Bytes of the arrays of rc_panels_t but for `of` and `lengthy`; saturated. */
int64_t rc_panels_bytes(
    const rc_panels_shape_t *shape, const rc_panels_size_t *s, rc_precision_t precision);

/** \param[in] size  of these  \param[in] threads  >= 1  \param[out] out  free with rc_panels_free
 *  \return RC_OK, RC_ENOMEM.  Cost O(items + nnz). */
rc_status_t rc_panels_build(const rc_items_t *items, const rc_panels_shape_t *shape,
    const rc_panels_size_t *size, int threads, rc_panels_t *out, rc_err_t *err);
void rc_panels_free(rc_panels_t *p);

#ifdef __cplusplus
}
#endif
#endif
