/** \file format/stages_cut.h  Where the pieces and blocks of format/stages.h begin and end;
 *  compiled for the device and for the host.
 *
 *  Parts of long rows are spans of RC_STAGES_PARTS, items spans of `shape.span`.  In each of
 *  them a piece begins at the first row that no piece has, and takes the next rows as long as
 *  they share half of their entries with it; a block takes pieces as long as they fit. */
#ifndef RC_FORMAT_STAGES_CUT_H
#define RC_FORMAT_STAGES_CUT_H

#include "device/cuda/ranges.h"
#include "format/stages.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RC_STAGES_NUMBERS = UINT16_MAX }; /**< of columns and batches of a block */

/** A row of a piece, or a part of a long one. */
typedef struct rc_stages_row {
    int64_t first;   /**< entry of A */
    int32_t length;  /**< entries */
    int32_t columns; /**< of the piece that it begins; -1: it belongs to the piece before */
    int32_t row;     /**< as a word of a piece says it */
} rc_stages_row_t;

typedef struct rc_stages_cut {
    int64_t first; /**< place of its first row */
    int32_t rows;
    int32_t pieces;
    int32_t batches;
    int32_t lines;
    uint32_t batch; /**< of the blocks of the span before it */
    uint32_t unit;  /**< so, units */
} rc_stages_cut_t;

/** Rows and blocks; those of a span begin at its place (rc_stages_place). */
typedef struct rc_stages_cuts {
    rc_stages_shape_t shape; /**< `longest` is at most `most` */
    int64_t most;            /**< columns of a piece */
    int64_t value;           /**< bytes of one */
    int whole;               /**< 0: pieces are found, blocks are not cut */
    int64_t part_spans;
    int64_t spans;           /**< those of parts come first */
    rc_stages_row_t *row;    /**< [parts + items] */
    rc_stages_cut_t *block;  /**< [parts + items] */
    rc_stages_size_t *total; /**< [spans + 1] of the spans before */
    int64_t *item;           /**< [longs] of long rows */
    int32_t *of;             /**< as in rc_stages_t */
    rc_long_row_t *lengthy;
} rc_stages_cuts_t;

/** Entries of each part of a long row: equal, in whole batches; not many more parts than entries
 *  of a part, because one CTA adds them, as far as a block holds them. */
RC_BOTH int64_t rc_stages_part_entries(int64_t longest, int64_t most, int64_t length)
{
    while (longest < most && longest * longest < length)
        longest += RC_STAGES_BATCH;
    longest = longest < most ? longest : most;
    return rc_ceil_div(rc_ceil_div(length, rc_ceil_div(length, longest)), RC_STAGES_BATCH) *
           RC_STAGES_BATCH;
}

/** Bytes of the words of pieces of so many rows at most. */
RC_BOTH int64_t rc_stages_words(int64_t rows, int64_t pieces)
{
    const int64_t word = sizeof(int32_t);
    return rc_ceil_div(pieces * (1 + rows), 2) * (2 * word);
}

RC_BOTH int64_t rc_stages_units(int64_t rows, int64_t pieces, int64_t batches)
{
    const int64_t number = sizeof(uint16_t);
    return rc_ceil_div(
        rc_stages_words(rows, pieces) + batches * RC_STAGES_BATCH * number, RC_STAGES_UNIT);
}

/** Fast memory of a block with the row of zeros.  \param[in] value  bytes of one */
RC_BOTH int64_t rc_stages_fast(
    const rc_stages_shape_t *shape, int64_t value, int64_t lines, int64_t pieces, int64_t batches)
{
    const int64_t rows = (1 + lines) * shape->line;
    return (rows > shape->least ? rows : shape->least) +
           rc_stages_units(shape->rows, pieces, batches) * RC_STAGES_UNIT +
           batches * RC_STAGES_BATCH * shape->rows * value;
}

/** 1: a block may have so much. */
RC_BOTH int rc_stages_fits(
    const rc_stages_shape_t *shape, int64_t value, int64_t lines, int64_t pieces, int64_t batches)
{
    return pieces <= shape->pieces && lines < RC_STAGES_NUMBERS && batches < RC_STAGES_NUMBERS &&
           rc_stages_fast(shape, value, lines, pieces, batches) <= shape->bytes;
}

/** The most columns that a piece may have for a block to hold it. */
static inline int64_t rc_stages_capacity(const rc_stages_shape_t *shape, int64_t value)
{
    int64_t n = RC_STAGES_BATCH;
    while (rc_stages_fast(shape, value, n + RC_STAGES_BATCH, 1, n / RC_STAGES_BATCH + 1) <=
           shape->bytes)
        n += RC_STAGES_BATCH;
    return n;
}

/** The place where a span begins.  \param[in] parts  of all long rows */
RC_BOTH int64_t rc_stages_place(int64_t span, int64_t part_spans, int64_t items, int64_t parts)
{
    return span < part_spans ? span * RC_STAGES_PARTS : parts + (span - part_spans) * items;
}

/** Cut.  \param[in] threads  >= 1  \param[in] whole  see `whole`  \param[out] out  free with
 *  rc_stages_cuts_free, after an error too
 *  \return RC_OK, RC_ENOMEM; RC_ENOTSUP: more than 32 bits can number.  Cost O(items + nnz). */
rc_status_t rc_stages_cut(const rc_items_t *items, const rc_stages_shape_t *shape, int threads,
    int whole, rc_stages_cuts_t *out, rc_err_t *err);
void rc_stages_cuts_free(rc_stages_cuts_t *c);

/** RC_OK, or RC_ENOTSUP: more than 32 bits can number. */
rc_status_t rc_stages_check(const rc_stages_size_t *size, rc_err_t *err);

/* --------------------------------------------------------------- sets of columns */

/** Columns with a number each, in place of an array of all columns. */
typedef struct rc_stages_set {
    int32_t *key;
    int32_t *number;
    uint32_t *stamp; /**< `now`: the place is taken */
    uint32_t now;
    int shift;
} rc_stages_set_t;

/** A set of up to `most` columns.  \return RC_OK, RC_ENOMEM.  Free with rc_stages_set_free. */
rc_status_t rc_stages_set_new(int64_t most, rc_stages_set_t *out, rc_err_t *err);
void rc_stages_set_free(rc_stages_set_t *s);

static inline void rc_stages_set_clear(rc_stages_set_t *s)
{
    s->now++;
}

/** The place of a column, or where it would be. */
static inline uint32_t rc_stages_set_find(const rc_stages_set_t *s, int32_t col)
{
    const uint32_t last = UINT32_MAX >> s->shift;
    uint32_t i = (uint32_t)col * 2654435769u >> s->shift;
    while (s->stamp[i] == s->now && s->key[i] != col)
        i = (i + 1) & last;
    return i;
}

static inline int rc_stages_set_has(const rc_stages_set_t *s, int32_t col)
{
    return s->stamp[rc_stages_set_find(s, col)] == s->now;
}

/** The number of a column; one that is new gets `number`.  \return 1: it is new */
static inline int rc_stages_set_add(rc_stages_set_t *s, int32_t col, int32_t number, int32_t *out)
{
    const uint32_t i = rc_stages_set_find(s, col);
    const int fresh = s->stamp[i] != s->now;
    if (fresh) {
        s->stamp[i] = s->now;
        s->key[i] = col;
        s->number[i] = number;
    }
    *out = s->number[i];
    return fresh;
}

#ifdef __cplusplus
}
#endif
#endif
