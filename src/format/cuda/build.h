/** \file format/cuda/build.h  The forms of format/chunks.h, format/mma.h, format/panels.h,
 *  format/sell.h and format/stages.h, built on a GPU from a matrix that is there: every array is
 *  that of the host, byte for byte.
 *
 *  Rows are taken in segments.  A CTA finds what those of its segment need, one CTA adds the
 *  segments up, and a second look puts everything in its place (count, scan and scatter). */
#ifndef RC_FORMAT_CUDA_BUILD_H
#define RC_FORMAT_CUDA_BUILD_H

#include "device/memory.h"
#include "format/chunks.h"
#include "format/mma.h"
#include "format/panels.h"
#include "format/places.h"
#include "format/problem.h"
#include "format/resident.h"
#include "format/sell.h"
#include "format/stages_cut.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RC_BUILD_TOTALS = 8 }; /* numbers that segments are added up in */

/** The rows that a product stores (format/items.h), on the device. */
typedef struct rc_build_items {
    const void *row_ptr; /**< as in rc_resident_t */
    const int32_t *col_idx;
    int row_ptr_bytes;
    int original;          /**< 1: C in original order */
    const int32_t *slot;   /**< [slots] row of A, negative: a pad; NULL: row i */
    const int32_t *absent; /**< [count - slots] */
    int64_t slots;
    int64_t count;
} rc_build_items_t;

/** What an item may make of itself where it begins a piece of format/stages.h: number i is of a
 *  piece with i rows more. */
typedef struct rc_build_piece {
    uint16_t columns[RC_STAGES_ROWS_MAX];
    uint16_t
        need[RC_STAGES_ROWS_MAX]; /**< columns that a piece must be able to have; 0: there is no
                                            such piece: it is a pad, a long row, or shares too
                                            little */
} rc_build_piece_t;

/** Numbers that spans are added up in. */
enum {
    RC_CUTS_BLOCKS,
    RC_CUTS_PIECES,
    RC_CUTS_COLUMNS,
    RC_CUTS_BATCHES,
    RC_CUTS_LINES,
    RC_CUTS_UNITS
};

/** Pieces, which do not depend on how large blocks are. */
typedef struct rc_build_pieces {
    rc_build_piece_t *of; /**< [items]; NULL: not yet */
    int64_t rows;         /**< of a piece at most, as of rc_stages_shape_t */
    int64_t longest;
    int64_t span;
} rc_build_pieces_t;

/** rc_stages_cuts_t on the device. */
typedef struct rc_build_cuts {
    rc_memory_t memory;
    rc_stages_shape_t shape;
    int64_t most;
    int64_t value;
    int64_t parts;
    int64_t longs;
    int64_t part_spans;
    int64_t spans;
    int lanes;   /**< of a row */
    int entries; /**< that a CTA takes into a block at once */
    int whole;   /**< 0: blocks are not cut */
    rc_stages_row_t *row;
    rc_stages_cut_t *block;
    int64_t *total; /**< [spans + 1][RC_BUILD_TOTALS] */
    int64_t *item;
    int32_t *of;
    rc_long_row_t *lengthy;
    rc_build_pieces_t pieces; /**< where pieces may have several rows */
} rc_build_cuts_t;

/** What one build keeps for itself. */
typedef struct rc_build {
    rc_executor_t *x;
    rc_build_items_t items;
    int64_t nnz;
    int64_t segments;
    int64_t *total; /**< [segments + 1][RC_BUILD_TOTALS], device: what comes before a segment */
    void *chosen;   /**< of panels: what every item makes of itself, of tiles how many every panel
                         has; NULL: not yet */
    rc_build_cuts_t cuts; /**< of stages, since they were measured */
    rc_build_pieces_t pieces; /**< of stages with so many rows in a piece, and of fewer */
    rc_memory_t memory;
} rc_build_t;

/** Begin a build of a problem whose `resident` is there.
 *  \param[out] out  end with rc_build_end, after an error too
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Uploads the schedule where it is neither there nor
 *          the original order. */
rc_status_t rc_build_begin(const rc_problem_t *p, rc_build_t *out, rc_err_t *err);

/** Release what a build kept for itself; a zeroed one is allowed.  Does not wait. */
void rc_build_end(rc_build_t *b);

/** Replace the numbers of the segments by those of all before, asked for on the stream.
 *  \param[in,out] total  [segments + 1][RC_BUILD_TOTALS], device */
rc_status_t rc_build_scan(rc_build_t *b, int64_t *total, int64_t segments, rc_err_t *err);

/** What all segments need together, after that.  Waits.  \param[out] out  [RC_BUILD_TOTALS] */
rc_status_t rc_build_totals(
    rc_build_t *b, const int64_t *total, int64_t segments, int64_t *out, rc_err_t *err);

/* ------------------------------------------------------------------ chunks */

/** As rc_chunks_rows_of, of a problem whose `resident` is there.  Waits. */
rc_status_t rc_build_chunks_rows(const rc_problem_t *p, rc_chunks_rows_t *out, rc_err_t *err);

/** As rc_chunks_measure.  Waits. */
rc_status_t rc_build_chunks_measure(
    rc_build_t *b, int64_t entries, rc_chunks_size_t *out, rc_err_t *err);

/** As rc_chunks_build, asked for on the stream.
 *  \param[in] out  its arrays are device memory of the sizes of rc_chunks_t
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_build_chunks(rc_build_t *b, const rc_chunks_t *out, rc_err_t *err);

/** As rc_chunks_sectors, of chunks on the device.  Waits. */
rc_status_t rc_build_chunks_sectors(
    rc_build_t *b, const rc_chunks_t *c, int64_t values, double *out, rc_err_t *err);

/* ------------------------------------------------------------------ tiles */

/** As rc_mma_count.  Waits.  What was counted stays for rc_build_mma.
 *  \return RC_OK, RC_ENOMEM, RC_ENOTSUP (rc_mma_check), RC_EDEVICE */
rc_status_t rc_build_mma_measure(rc_build_t *b, int64_t *tiles, rc_err_t *err);

/** As rc_mma_build, after rc_build_mma_measure, asked for on the stream.
 *  \param[in] out  as for rc_build_chunks */
rc_status_t rc_build_mma(rc_build_t *b, const rc_mma_t *out, rc_err_t *err);

/* ------------------------------------------------------------------ panels */

/** As rc_panels_measure.  Waits. */
rc_status_t rc_build_panels_measure(
    rc_build_t *b, const rc_panels_shape_t *shape, rc_panels_size_t *out, rc_err_t *err);

/** As rc_panels_build, asked for on the stream.  \param[in] out  as for rc_build_chunks */
rc_status_t rc_build_panels(rc_build_t *b, const rc_panels_t *out, rc_err_t *err);

/* ------------------------------------------------------------------ slices */

/** Slices as gslice takes them. */
enum {
    RC_GSLICE_ROWS = 32,    /**< of a slice of A: a lane each */
    RC_GSLICE_GROUP = 4,    /**< rows that stay side by side when they are sorted by length ... */
    RC_GSLICE_WINDOW = 1024 /**< ... within so many */
};

/** rc_sell_t of sorted items (rc_items_sort), as gslice takes it. */
typedef struct rc_slices {
    rc_sell_shape_t shape; /**< slices of RC_GSLICE_ROWS */
    rc_sell_size_t size;
    int32_t *ptr; /**< [slices + 1] in units of RC_GSLICE_ROWS entries */
    void *col;
    void *entry; /**< places, as in rc_sell_t */
    int entry_bytes;
    int32_t *row;
    int64_t *long_ptr;
    int32_t *long_row;
} rc_slices_t;

/** As rc_sell_measure of items that rc_items_sort has sorted in groups of RC_GSLICE_GROUP within
 *  RC_GSLICE_WINDOW.  Waits. */
rc_status_t rc_build_slices_measure(
    rc_build_t *b, const rc_sell_shape_t *shape, rc_sell_size_t *out, rc_err_t *err);

/** As rc_sell_build of those, asked for on the stream.  \param[in] out  as for rc_build_chunks */
rc_status_t rc_build_slices(rc_build_t *b, const rc_slices_t *out, rc_err_t *err);

/* ------------------------------------------------------------------ stages */

/** As rc_stages_measure.  Waits.  What was cut stays for rc_build_stages. */
rc_status_t rc_build_stages_measure(rc_build_t *b, const rc_stages_shape_t *shape,
    rc_precision_t precision, rc_stages_size_t *out, rc_err_t *err);

/** As rc_stages_batches.  Waits. */
rc_status_t rc_build_stages_batches(rc_build_t *b, const rc_stages_shape_t *shape,
    rc_precision_t precision, int64_t *out, rc_err_t *err);

/** As rc_stages_build, after rc_build_stages_measure, asked for on the stream.
 *  \param[in] out  as for rc_build_chunks, of the shape and size that were measured */
rc_status_t rc_build_stages(rc_build_t *b, const rc_stages_t *out, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
