/** \file format/chunks.h  A matrix as chunks: every row is cut into pieces of a fixed number of
 *  entries, the last one padded, so that what a chunk holds follows from its number and no row
 *  pointer is read.  On the host.  Padding repeats a column of its chunk with the value 0: where B
 *  is not finite, nor is the sum, but an infinite one may become NaN.
 *
 *  Chunks are grouped in blocks of RC_CHUNKS_BLOCK.  A row of at most that many chunks lies within
 *  one block.  A longer one begins a block and fills as many as it needs; each of them is a part of
 *  the row, and the sums of the parts are added at the end.  Where rows do not fill a block, chunks
 *  that belong to no row do.
 *
 *  Rows come in schedule order.  A row without entries has one chunk of padding, so that it is
 *  stored; with the output in original order the rows that the schedule leaves out follow as
 *  such. */
#ifndef RC_FORMAT_CHUNKS_H
#define RC_FORMAT_CHUNKS_H

#include "base/rng_hash.h"
#include "format/parts.h"
#include "format/problem.h"

enum {
    RC_CHUNKS_BLOCK = 16,      /**< chunks of a block */
    RC_CHUNKS_SEGMENT = 1024,  /**< rows that begin at a block of their own, to be packed apart */
    RC_CHUNKS_ENTRIES_MIN = 4, /**< of a chunk; a power of two */
    RC_CHUNKS_ENTRIES_MAX = 64,
    RC_CHUNKS_CHOICES = 5,                  /**< 4, 8, 16, 32, 64 */
    RC_CHUNKS_NARROW_COLS = UINT16_MAX + 1, /**< up to so many columns are stored in 16 bits */
    RC_CHUNKS_NARROW_BYTES = 2,             /**< of such a column */
    RC_CHUNKS_NOTHING = 128,                /**< bit of a count: the chunk has no entries */
    RC_CHUNKS_WARP = 32,   /**< chunks that load at a time, where each has a lane */
    RC_CHUNKS_SAMPLE = 512 /**< such groups that rc_chunks_sectors looks at, about */
};

/** How large a matrix is as chunks. */
typedef struct rc_chunks_size {
    int64_t entries; /**< of a chunk */
    int64_t blocks;
    int64_t parts;     /**< of rows longer than a block */
    int64_t longs;     /**< rows longer than a block */
    int64_t col_bytes; /**< of a column: 2 or 4 */
    int64_t meet;      /**< rows of more than one chunk */
} rc_chunks_size_t;

typedef struct rc_chunks {
    rc_chunks_size_t size;
    void *col;   /**< [chunks * entries] of col_bytes; padding: a column that the chunk has, 0
                          in a chunk without entries */
    void *entry; /**< [chunks * entries] places (format/places.h) */
    int entry_bytes;
    int32_t *row;   /**< [chunks] row of the output; -2 - i for the first chunk of part i; -1: the
                          chunk is not the first one of a row or part, or belongs to none */
    uint8_t *count; /**< [chunks] chunks of the row in this block for the first one, else 0; and
                          RC_CHUNKS_NOTHING */
    int32_t *of;    /**< [parts] number of the long row that a part belongs to */
    rc_long_row_t *lengthy; /**< [longs] rows longer than a block */
} rc_chunks_t;

/** What tells how many entries chunks should have; of all rows together. */
typedef struct rc_chunks_rows {
    int64_t filled;                    /**< rows with entries */
    int64_t chunks[RC_CHUNKS_CHOICES]; /**< of RC_CHUNKS_ENTRIES_MIN << i entries */
} rc_chunks_rows_t;

/** Count them.  Cost O(rows). */
rc_chunks_rows_t rc_chunks_rows_of(const rc_csr_t *a);

/** Chunks of RC_CHUNKS_ENTRIES_MIN << i entries that a row of so many has. */
RC_HOST_DEVICE static inline int64_t rc_chunks_of_row(int64_t length, int i)
{
    int64_t entries = (int64_t)RC_CHUNKS_ENTRIES_MIN << i;
    return (length + entries - 1) / entries;
}

/** Entries of a chunk for a matrix: half of the mean row or less, within 4 and 16, more where rows
 *  would be longer than a block. */
int64_t rc_chunks_entries(int64_t nnz, const rc_chunks_rows_t *n);

/** Entries of a chunk for a matrix of many columns: what takes least when a chunk costs as much
 *  as 16 entries more, which is about so on seven generated matrices of .5 to 5 million rows
 *  (H200, K = 32 and 128). */
int64_t rc_chunks_entries_large(const rc_chunks_rows_t *n);

/** Bytes of a column. */
int64_t rc_chunks_col_bytes(const rc_csr_t *a);

/** \return RC_OK, RC_ENOTSUP (more chunks than 32 bits can number) */
rc_status_t rc_chunks_check(const rc_chunks_size_t *s, rc_err_t *err);

/** \param[in] entries  of a chunk, a power of two in the range; 0: rc_chunks_entries
 *  \return RC_OK, RC_ENOMEM, RC_ENOTSUP (more chunks than 32 bits can number).
 *  Cost O(slots + rows). */
rc_status_t rc_chunks_measure(
    const rc_problem_t *p, int64_t entries, rc_chunks_size_t *out, rc_err_t *err);

/** Bytes of the arrays of rc_chunks_t, and of those that one product reads; saturated. */
int64_t rc_chunks_bytes(const rc_chunks_size_t *s, rc_precision_t precision);

/** \param[in] size  of this problem  \param[in] threads  >= 1  \param[out] out  free with
 *  rc_chunks_free  \return RC_OK, RC_ENOMEM.  Cost O(chunks * entries). */
rc_status_t rc_chunks_build(const rc_problem_t *p, const rc_chunks_size_t *size, int threads,
    rc_chunks_t *out, rc_err_t *err);
void rc_chunks_free(rc_chunks_t *c);

/** Sectors that RC_CHUNKS_WARP neighbouring chunks load of a column of a column-major B, one
 *  entry of each at a time, padding left out: how far their columns are from being neighbours. 
 *  Estimated from a sample of the chunks.  \param[in] values  of a sector  \return between
 *  stored entries / RC_CHUNKS_WARP and stored entries; 0 without chunks.  Cost O(chunks of the
 *  sample * entries). */
double rc_chunks_sectors(const rc_chunks_t *c, int64_t values);

#endif
