/** \file format/stages.h  A matrix as blocks of rows with few distinct columns, on the host: the
 *  rows of B that a block needs and the block's part of A fit together into the fast memory of a
 *  device.
 *
 *  A block is a run of pieces in schedule order: a piece is a part of a long row, or up to
 *  RC_STAGES_ROWS_MAX rows next to each other that share columns.  Its entries are batches of
 *  columns with a value for each row of the piece.  Columns are numbered within their block from 1
 *  on: number 0 stands for a row of zeros, which pads the last batch.  Of several rows every column
 *  of any of them is stored once, with the value 0 where a row has no such entry: where B is not
 *  finite there, the sum of that row becomes NaN.
 *
 *  Blocks are cut within spans of rows, and of parts of long rows, each for itself, so that spans
 *  can be cut at the same time (format/stages_cut.h).
 *
 *  Parts of all long rows come first.  Within a block the pieces with most batches do.  A row
 *  without entries is a piece without batches, so that it is stored; with the output in original
 *  order the rows that the schedule leaves out follow as such. */
#ifndef RC_FORMAT_STAGES_H
#define RC_FORMAT_STAGES_H

#include "format/items.h"
#include "format/parts.h"

enum {
    RC_STAGES_BATCH = 4,    /**< columns */
    RC_STAGES_ROWS_MAX = 4, /**< of a piece */
    RC_STAGES_PARTS = 256,  /**< parts of long rows that are a span */
    RC_STAGES_UNIT = 16,    /**< bytes that are copied at once: all of a block is a multiple */
    RC_STAGES_LEAST = 32768 /**< bytes that a block may always take */
};

/** What is asked for. */
typedef struct rc_stages_shape {
    int64_t rows;    /**< of a piece at most: 1 to RC_STAGES_ROWS_MAX */
    int64_t longest; /**< entries of a row that is not cut, as far as a block holds them */
    int64_t line;    /**< bytes of a row of B in fast memory: 128, 256 */
    int64_t least;   /**< bytes that the rows of B of a block take at least */
    int64_t bytes;   /**< of fast memory that a block may take, >= RC_STAGES_LEAST + least */
    int64_t pieces;  /**< of a block at most, >= 1 */
    int64_t span;    /**< items, >= 1 */
} rc_stages_shape_t;

typedef struct rc_stages_size {
    int64_t blocks;
    int64_t pieces;
    int64_t columns; /**< of all pieces */
    int64_t batches; /**< that hold them */
    int64_t lines;   /**< distinct columns of all blocks */
    int64_t most;    /**< distinct columns of a block at most */
    int64_t units;   /**< of RC_STAGES_UNIT bytes: pieces and columns of all blocks */
    int64_t bytes;   /**< of fast memory that a block takes at most */
    int64_t parts;   /**< of long rows */
    int64_t longs;   /**< rows in more than one part */
} rc_stages_size_t;

/** 32 bytes, loaded at once. */
typedef struct rc_stages_block {
    uint32_t unit; /**< its first one: words of pieces, then columns */
    uint32_t units;
    uint32_t batch; /**< its first one */
    int32_t batches;
    int32_t lines; /**< distinct columns */
    int32_t pieces;
    int32_t parts;   /**< pieces that are parts of long rows */
    int32_t columns; /**< bytes from its first unit to its columns */
} rc_stages_block_t;

/** Words of a piece: its first batch within the block in the lower 16 bits, its batches in the
 *  upper ones; then for each row of the shape the row of the output, -1: there is none, -2 - i:
 *  part i. */
typedef struct rc_stages {
    rc_stages_shape_t shape;
    rc_stages_size_t size;
    rc_stages_block_t *block; /**< [blocks] */
    int32_t *line; /**< [blocks][most] columns of a block, the first has number 1; -1 at the end */
    unsigned char
        *unit;   /**< [units * UNIT] of every block: int32_t [pieces][1 + rows], to a multiple
                                   of 8 bytes, then uint16_t [batches][BATCH] */
    void *entry; /**< [batches][rows][BATCH] places of values (format/places.h) */
    int entry_bytes;
    int32_t *of;            /**< [parts] number of the long row that a part belongs to */
    rc_long_row_t *lengthy; /**< [longs] */
} rc_stages_t;

/** \param[in] threads  >= 1  \param[out] out  of these
 *  \return RC_OK, RC_ENOMEM; RC_ENOTSUP: more than 32 bits can number.  Cost O(items + nnz). */
rc_status_t rc_stages_measure(const rc_items_t *items, const rc_stages_shape_t *shape, int threads,
    rc_stages_size_t *out, rc_err_t *err);

/** Only the `batches` of rc_stages_measure: blocks are not cut. */
rc_status_t rc_stages_batches(const rc_items_t *items, const rc_stages_shape_t *shape, int threads,
    int64_t *out, rc_err_t *err);

/** Bytes of the arrays of rc_stages_t but for `of` and `lengthy`; saturated. */
int64_t rc_stages_bytes(
    const rc_stages_shape_t *shape, const rc_stages_size_t *s, rc_precision_t precision);

/** Measured beforehand or not.  \param[in] threads  >= 1  \param[out] out  free with rc_stages_free
 *  \return as rc_stages_measure.  Cost about twice that. */
rc_status_t rc_stages_build(const rc_items_t *items, const rc_stages_shape_t *shape, int threads,
    rc_stages_t *out, rc_err_t *err);
void rc_stages_free(rc_stages_t *s);

#endif
