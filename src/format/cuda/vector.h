/** \file format/cuda/vector.h  The formats of src/format and what the kernels of y = A x add to
 *  them, built on a GPU from a matrix that is there: every array is that of the host, byte for
 *  byte.
 *
 *  Numbers of rows, entries or tiles are added up in segments, which one CTA adds up; what is
 *  needed of an entry's row is found by bisection of the pointers, so that long and empty rows
 *  cost no more than others. */
#ifndef RC_FORMAT_CUDA_VECTOR_H
#define RC_FORMAT_CUDA_VECTOR_H

#include "format/cuda/build.h"
#include "format/cuda/shares.h"
#include "format/problem.h"
#include "format/vector/coo.h"
#include "format/vector/csr5.h"
#include "format/vector/ell.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Where a share of entries begins; one more is where the last one ends. */
typedef struct rc_spmv_share {
    int64_t entry;
    int32_t row; /**< the slot of it */
    /** 0: that row begins here; else entries of it are in the share before, and it is span open - 1
     *  of those that several shares hold */
    int32_t open;
} rc_spmv_share_t;

/** What a share may be for lanes to take its rows, or what it has of them (spmv_lanes.h). */
typedef struct rc_spmv_lanes {
    int64_t longest; /**< entries of a row, at most */
    int every;       /**< lanes that are asked for; 0: as many as cost least */
    int most;        /**< steps that they may take then; 0: any number */
} rc_spmv_lanes_t;

/** How the merge path is cut into shares. */
typedef struct rc_spmv_cut {
    int64_t items; /**< row ends and entries of a share */
    int64_t look;  /**< entries that it looks back for the begin of its first row */
    rc_spmv_lanes_t rule;
} rc_spmv_cut_t;

/** Rows that several shares hold. */
typedef struct rc_spmv_spans {
    int64_t most; /**< that there can be: room for so many; 0: none, and all pointers are NULL */
    int64_t shares;
    int32_t *span; /**< [3 most] place in y, first and last share */
    void *in;      /**< [shares] parcels (spmv.cuh) of the row that is open where a share begins */
    /** [shares] of one that began in the share and is open where it ends; all empty between runs */
    void *out;
    int32_t *arrived; /**< [most] CTAs that have left their sum, 0 between runs */
} rc_spmv_spans_t;

/** CSR on the device in the order of the slots.  Borrowed from the matrix where that is its own. */
typedef struct rc_build_csr {
    rc_build_t b;
    int64_t slots;
    int64_t nnz;
    const void *ptr;    /**< [slots + 1] */
    int ptr_bytes;      /**< of one of them: 4 or 8 */
    const int32_t *col; /**< [nnz] */
    const void *entry;  /**< [nnz] their numbers in the matrix plus one; NULL: its own order */
    int entry_bytes;    /**< of a place (format/places.h): 4 or 8 */
} rc_build_csr_t;

/** The entries of a problem whose `resident` is there; all of it is asked for on the stream.
 *  \param[out] out  end with rc_build_csr_end, after an error too
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_build_csr_begin(const rc_problem_t *p, rc_build_csr_t *out, rc_err_t *err);
void rc_build_csr_end(rc_build_csr_t *c);

/** Count the rows of A; waits.  \param[out] out  but for `width` */
rc_status_t rc_build_count(
    const rc_problem_t *p, int64_t beyond, int64_t width, rc_spmv_counts_t *out, rc_err_t *err);

/** Copies of the arrays.  \param[in] wide  1: pointers of 8 bytes, else 4
 *  \param[out] ptr, col, entry  room for them; places of `entry_bytes`, NULL: not asked for */
rc_status_t rc_build_csr_copy(
    rc_build_csr_t *c, int wide, void *ptr, int32_t *col, void *entry, rc_err_t *err);

/** The entries of a problem whose `resident` is there in the order of the slots, asked for on the
 *  stream: beside the arrays it takes room for pointers alone.
 *  \param[in] wide  1: pointers of 8 bytes, else 4
 *  \param[out] ptr, col, entry  room for [slots + 1], [nnz] and [nnz]; places of rc_places_bytes,
 *          NULL in the matrix's own order: not asked for
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Cost O(nnz + slots). */
rc_status_t rc_build_slots(
    const rc_problem_t *p, int wide, void *ptr, int32_t *col, void *entry, rc_err_t *err);

/** The pieces (format/cuda/lanes.h) of the slots of more than `longest` entries, in their order.
 *  \param[out] out  zeroed, room for one more than they are */
rc_status_t rc_build_late(rc_build_csr_t *c, int64_t longest, rc_spmv_share_t *out, rc_err_t *err);

/** The slots without entries, or the rows of A where `rows` is set, increasing. */
rc_status_t rc_build_empty(
    rc_build_csr_t *c, int64_t rows, int rows_of_a, int32_t *out, rc_err_t *err);

/** As rc_ell_build.  \param[out] out  has rows, width and pitch, and room */
rc_status_t rc_build_ell(rc_build_csr_t *c, const rc_ell_t *out, rc_err_t *err);

/** As rc_coo_build and rc_spmv_coo_cut.
 *  \param[in] skip  entries of each slot that are left out  \param[out] out  has its entries, and
 *          room  \param[out] share  [shares + 1] */
rc_status_t rc_build_coo(
    rc_build_csr_t *c, int64_t skip, const rc_coo_t *out, rc_spmv_share_t *share, rc_err_t *err);

/** The points of the merge path, a little back where a row began, and how many lanes take the rows
 *  of a share.
 *  \param[out] share  [shares + 1]  \param[out] lanes  [shares] */
rc_status_t rc_build_merge(rc_build_csr_t *c, const rc_spmv_cut_t *cut, int64_t shares,
    rc_spmv_share_t *share, uint8_t *lanes, rc_err_t *err);

/** Number the open rows of shares.  \param[in] place  [slots] or NULL  \param[out] out  has counts,
 *  and its span room of zeros */
rc_status_t rc_build_spans(rc_build_csr_t *c, rc_spmv_share_t *share, const int32_t *place,
    const rc_spmv_spans_t *out, rc_err_t *err);

/** Arrays of csr5 on the device, and the shares of its CTAs. */
typedef struct rc_build_csr5 {
    rc_csr5_size_t size;
    int64_t ctas; /**< of `tiles_each` full tiles */
    int64_t tiles_each;
    int64_t look;           /**< entries at the begin of a CTA that the one before takes, at most */
    int64_t tail_entries;   /**< of the last tile, which is not full */
    int64_t shares;         /**< of that, too */
    int64_t offsets;        /**< room for empty offsets; 0: no slot is empty */
    int64_t most;           /**< rows that several CTAs can hold */
    uint32_t *tile_ptr;     /**< [tiles + 1] */
    uint32_t *desc;         /**< [tiles * words * OMEGA] */
    int32_t *empty_ptr;     /**< [tiles + 1]; NULL: no slot is empty */
    int32_t *empty_offset;  /**< [offsets] zeroed before */
    int32_t *col;           /**< [nnz] */
    void *entry;            /**< [nnz] places */
    int32_t *tail;          /**< slots of the entries of the last tile */
    rc_spmv_share_t *share; /**< [shares + 1] */
} rc_build_csr5_t;

/** As rc_csr5_build. */
rc_status_t rc_build_csr5(rc_build_csr_t *c, const rc_build_csr5_t *out, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
