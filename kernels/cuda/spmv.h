/** \file kernels/cuda/spmv.h  What the kernels of y = A x on a GPU share: shares of entries that CTAs
 *  take, the sums of rows that several shares hold, and rows that have no entries.
 *
 *  A share stores the rows that lie in it.  Of a row that goes on in the next one it leaves its sum in
 *  `out`; of one that began in an earlier one in `in`.  A second, small launch adds those up in the order
 *  of the shares: no atomics, the same bits in every run.  A row that began at most a few entries before
 *  a share begins is left to it whole, so that most matrices have no such rows, and no second launch. */
#ifndef RC_KERNELS_CUDA_SPMV_H
#define RC_KERNELS_CUDA_SPMV_H

#include "kernels/cuda/memory.h"
#include "kernels/cuda/overlap.h"
#include "kernels/cuda/scalars.h"
#include "kernels/cuda/slots.h"
#include "kernels/format/coo.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    RC_SPMV_THREADS = 128,   /**< of a CTA that takes a share */
    RC_SPMV_TILE = 1024,     /**< row ends and entries that it holds at a time */
    RC_SPMV_LOOK = 128,      /**< entries that a share looks back for the begin of its first row */
    RC_SPMV_ENTRIES = 896    /**< of a share of coordinates: a tile without what it looks back */
};

/** Where a share begins; one more is where the last one ends. */
typedef struct rc_spmv_share {
    int64_t entry;
    int32_t row;  /**< the slot of it */
    int32_t open; /**< 1: entries of that slot are in the share before */
} rc_spmv_share_t;

/** What every kernel takes. */
typedef struct rc_spmv_vectors {
    const int32_t *row; /**< [slots] place in y, -1 for a pad; NULL: slot p is place p */
    const void *x;
    void *y;
    rc_cuda_scalars_t scalars;
    void *in;  /**< [shares] of the row that is open where a share begins */
    void *out; /**< [shares] of one that began in the share and is open where it ends */
} rc_spmv_vectors_t;

/** A matrix as coordinates. */
typedef struct rc_spmv_coo_args {
    rc_spmv_vectors_t v;
    const int32_t *slot; /**< [entries] */
    const int32_t *col;  /**< [entries] */
    const void *val;     /**< [entries] */
    const rc_spmv_share_t *share;
} rc_spmv_coo_args_t;

/** Rows that several shares hold. */
typedef struct rc_spmv_fix {
    int64_t count;
    int64_t shares;
    int32_t *span; /**< [3 count] place in y, first and last share */
    int wide;      /**< 1: some row is in so many shares that a CTA takes each of them */
    void *in;      /**< [shares] */
    void *out;     /**< [shares] */
} rc_spmv_fix_t;

typedef struct rc_spmv_fix_args {
    rc_spmv_vectors_t v;
    const int32_t *span;
    int32_t count;
} rc_spmv_fix_args_t;

/** The part of a state that all of them have; released with rc_spmv_free. */
typedef struct rc_spmv {
    rc_cuda_memory_t memory;
    rc_cuda_slots_t slots; /**< of kernels that keep CSR; else empty */
    const int32_t *place;  /**< [slots] place in y, -1 for a pad; NULL: slot p is place p */
    rc_spmv_fix_t fix;
    const int32_t *rest; /**< [rests] places of y that no entry is for */
    int64_t rests;
    int overlaps;
    int value_bytes;
    rc_precision_t precision;
} rc_spmv_t;

/** Memory and precision of a new state.  \return RC_OK, RC_EDEVICE */
rc_status_t rc_spmv_init(rc_executor_t *x, const rc_problem_t *p, rc_spmv_t *s, rc_err_t *err);
void rc_spmv_free(rc_spmv_t *s);

/** Operands of a run. */
rc_spmv_vectors_t rc_spmv_vectors(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta);

/** Enqueue a launch, then the rows that several shares hold.
 *  \param[in] args  of the launch, which begin with v */
rc_status_t rc_spmv_run(const rc_spmv_t *s, const rc_cuda_launch_t *l, void *args,
    const rc_spmv_vectors_t *v, const char *what, rc_err_t *err);

/** Enqueue the places that no entry is for: beta times what they were. */
rc_status_t rc_spmv_rest(
    const rc_spmv_t *s, const rc_dense_t *y, double beta, rc_err_t *err);

/* ------------------------------------------------------------- preparation */

/** Upload which place of y each slot is, and which places have no entries; not for kernels that keep
 *  rc_cuda_slots_build.
 *  \param[in] e  the slots */
rc_status_t rc_spmv_places(
    const rc_problem_t *p, const rc_csr_view_t *e, rc_spmv_t *s, rc_err_t *err);

/** Device memory of that.  Cost O(rows). */
int64_t rc_spmv_places_bytes(const rc_problem_t *p);

/** List the rows that several shares hold.
 *  \param[in] share  [shares + 1]; `open` of the last is 0
 *  \param[in] most   rows that there can be at most: memory for so many is taken
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Cost O(shares). */
rc_status_t rc_spmv_fix_build(const rc_problem_t *p, const rc_spmv_share_t *share, int64_t shares,
    int64_t most, rc_spmv_t *s, rc_err_t *err);
int64_t rc_spmv_fix_bytes(int64_t shares, int64_t most, int64_t value_bytes);

/** Rows of more than `beyond` entries. */
int64_t rc_spmv_rows_beyond(const rc_csr_t *a, int64_t beyond);

/** Upload CSR in the order of the slots, places, and the rows that no slot holds; rc_cuda_slots_analyse says
 *  how much that takes.  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_spmv_csr(const rc_problem_t *p, rc_spmv_t *s, rc_err_t *err);

/** Upload places and the rows that no slot holds alone: rc_cuda_rows_bytes. */
rc_status_t rc_spmv_rows(const rc_problem_t *p, rc_spmv_t *s, rc_err_t *err);

/** Where the entries of the slots begin, [slots + 1]; free with free(). */
int64_t *rc_spmv_pointers(const rc_problem_t *p, rc_err_t *err);

/** RC_OK; RC_ENOTSUP: more slots or more shares than are implemented. */
rc_status_t rc_spmv_limits(const rc_problem_t *p, int64_t shares, rc_err_t *err);

/* ------------------------------------------------------------- coordinates */

/** Shares of so many entries. */
int64_t rc_spmv_coo_shares(int64_t entries);

/** Device memory but for the values.  \param[in] rows_beyond  rows of more than RC_SPMV_LOOK entries */
int64_t rc_spmv_coo_bytes(int64_t entries, int64_t rows_beyond, int64_t value_bytes);

/** Cut coordinates into shares.  \param[in] slot  [entries], increasing  \param[out] out  [shares + 1] */
void rc_spmv_coo_cut(const int32_t *slot, int64_t entries, rc_spmv_share_t *out);

/** Upload coordinates without values, their shares, and the rows that several of these hold.
 *  \param[out] out  without v and val  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_spmv_coo_upload(const rc_problem_t *p, const rc_coo_t *c, int64_t rows_beyond,
    rc_spmv_t *s, rc_spmv_coo_args_t *out, rc_err_t *err);

/** Enqueue the product of coordinates. */
rc_status_t rc_spmv_coo_run(const rc_spmv_t *s, const rc_spmv_coo_args_t *a, int64_t entries,
    const rc_spmv_vectors_t *v, rc_err_t *err);

/* ------------------------------------------------------- device functions */

const void *rc_spmv_fix_entry(rc_precision_t precision, int wide);
const void *rc_spmv_coo_entry(rc_precision_t precision);

enum { RC_SPMV_FIX_LANES = 8, RC_SPMV_FIX_WIDE = 256 /**< shares of a row from which a CTA takes it */ };

#ifdef __cplusplus
}
#endif
#endif
