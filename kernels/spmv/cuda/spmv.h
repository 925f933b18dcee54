/** \file kernels/spmv/cuda/spmv.h  What the kernels of y = A x on a GPU share: their state, how it
 *  is prepared, shared and run, shares of entries that CTAs take, and the sums of rows that several
 *  shares hold.
 *
 *  A share stores the rows that lie in it.  Of a row that goes on in the next one it leaves its
 *  sum in `out`; of one that began in an earlier one in `in`.  The last of the CTAs that hold
 *  such a row adds those up in the order of the shares: one launch, no atomics on y, the same
 *  bits in every run.  A row that began at most a few entries before a share begins is left to
 *  it whole, so that most matrices have no such rows. */
#ifndef RC_KERNELS_SPMV_CUDA_SPMV_H
#define RC_KERNELS_SPMV_CUDA_SPMV_H

#include "device/cuda/overlap.h"
#include "device/cuda/scalars.h"
#include "format/vector/coo.h"
#include "format/cuda/shares.h"
#include "format/cuda/slots.h"
#include "format/cuda/vector.h"
#include "format/places.h"
#include "kernels/prepared.h"

#ifdef __cplusplus
extern "C" {
#endif

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

/** What every kernel takes. */
typedef struct rc_spmv_vectors {
    const int32_t *row; /**< [slots] place in y, -1 for a pad; NULL: slot p is place p */
    const void *x;
    void *y;
    rc_cuda_scalars_t scalars;
    rc_spmv_spans_t spans;
} rc_spmv_vectors_t;

/** A matrix as coordinates. */
typedef struct rc_spmv_coo_args {
    rc_spmv_vectors_t v;
    const int32_t *slot; /**< [entries] */
    const int32_t *col;  /**< [entries] */
    const void *val;     /**< [entries] */
    const rc_spmv_share_t *share;
} rc_spmv_coo_args_t;

/** A matrix as CSR in the order of the slots. */
typedef struct rc_spmv_csr {
    int64_t slots;
    int wide;     /**< 1: ptr is int64_t, see rc_cuda_slots_wide */
    void *ptr;    /**< [slots + 1] */
    int32_t *col; /**< [nnz] */
    void *val;    /**< [nnz] */
} rc_spmv_csr_t;

/** Where a matrix is built from: one of the two. */
typedef struct rc_spmv_source {
    rc_csr_view_t here;    /**< on the host */
    rc_build_csr_t *there; /**< on the device; NULL: on the host */
} rc_spmv_source_t;

/** The state of all of them; what a kernel has beside follows it. */
typedef struct rc_spmv {
    rc_prepared_t base;   /**< its values are in the order of the kernel */
    const int32_t *place; /**< [slots] place in y, -1 for a pad; NULL: slot p is place p */
    const int32_t *rest;  /**< [rests] places of y that no entry is for */
    int64_t rests;
    rc_places_t places; /**< of the values, while it is built */
    rc_spmv_spans_t spans;
} rc_spmv_t;

/** What is one kernel's own: rc_kernel_t.kind of the descriptor. */
typedef struct rc_spmv_kind {
    /** Make the matrix in the memory of a zeroed state.  All of it is asked for on the stream.
     *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
    rc_status_t (*build)(rc_spmv_t *s, const rc_problem_t *p, const rc_analysis_t *analysis,
        const rc_spmv_source_t *from, rc_err_t *err);
    /** Enqueue the product of all entries. */
    rc_status_t (*launch)(
        const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);
} rc_spmv_kind_t;

/** Members of the descriptors: the matrix of the problem, on the device where it has its matrix
 *  there; sums that each state has for itself; a run. */
rc_status_t rc_spmv_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err);
rc_status_t rc_spmv_own(void *state, rc_err_t *err);
rc_status_t rc_spmv_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/** What all descriptors say.  \param of  the type of the state */
#define RC_SPMV_MEMBERS(of)                                                                        \
    .device = RC_DEVICE_CUDA, .op = RC_OP_SPMV, .c_orders = RC_STORES_ANY, .computes = 1,          \
    .deterministic = rc_kernel_always, .strict = rc_kernel_always, .geometry = rc_cuda_geometry,   \
    .state_bytes = RC_STATE(of), .shares = sizeof(of), .build = rc_spmv_build, .own = rc_spmv_own, \
    .run = rc_spmv_run

/** Operands of a launch. */
rc_spmv_vectors_t rc_spmv_vectors(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta);

/** Enqueue CTAs of RC_SPMV_THREADS.  \param[in] args  what the device function takes */
rc_status_t rc_spmv_launch(const rc_spmv_t *s, const void *entry, int64_t ctas, void *args,
    const char *what, rc_err_t *err);

/* ---------------------------------------------------------------- analysis */

/** Count rows of A, on the device where the problem has its matrix there.
 *  \param[in] beyond, width  entries
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Cost O(rows). */
rc_status_t rc_spmv_count(
    const rc_problem_t *p, int64_t beyond, int64_t width, rc_spmv_counts_t *out, rc_err_t *err);

/** RC_OK; RC_ENOTSUP: more slots or more shares than are implemented. */
rc_status_t rc_spmv_limits(const rc_problem_t *p, int64_t shares, rc_err_t *err);

/** Device memory of rc_spmv_places. */
int64_t rc_spmv_places_bytes(const rc_problem_t *p, int64_t filled);

/** Rows that several shares can hold, of so many that are long enough; and what they take. */
int64_t rc_spmv_most_spans(int64_t shares, int64_t rows);
int64_t rc_spmv_spans_bytes(int64_t shares, int64_t most, int64_t value_bytes);

/* ------------------------------------------------------------- preparation */

/** Room for so many values, and for their places (rc_places_keep), which `build` of a kind writes:
 *  values follow. */
rc_status_t rc_spmv_room(const rc_problem_t *p, int64_t values, rc_spmv_t *s, rc_err_t *err);

/** Place i of them, in memory of the executor; NULL without values, or where it is on the host. */
void *rc_spmv_place_at(const rc_spmv_t *s, int64_t i);

/** Which place of y each slot is, and which places have no entries.
 *  \param[in] filled  rows with entries */
rc_status_t rc_spmv_places(const rc_problem_t *p, const rc_spmv_source_t *from, int64_t filled,
    rc_spmv_t *s, rc_err_t *err);

/** Which place of y each slot is, and which places have no slot: rc_cuda_rows_bytes. */
rc_status_t rc_spmv_rows(const rc_problem_t *p, rc_spmv_t *s, rc_err_t *err);

/** The entries as CSR, and rc_spmv_rows; rc_cuda_slots_analyse says how much that takes. */
rc_status_t rc_spmv_csr(const rc_problem_t *p, const rc_spmv_source_t *from, rc_spmv_t *s,
    rc_spmv_csr_t *out, rc_err_t *err);

/** Number the rows that several shares hold, on the device or on the host: the first that is open
 *  is 1.
 *  \param[in] place  [slots] as rc_spmv_t.place, in the same memory as the shares
 *  \param[in,out] share  [shares + 1]; `open` of the last is 0
 *  \param[in] most  of rc_spmv_most_spans */
rc_status_t rc_spmv_spans(const rc_problem_t *p, const rc_spmv_source_t *from,
    rc_spmv_share_t *share, int64_t shares, int64_t most, rc_spmv_t *s, rc_err_t *err);

/** Equal shares of the merge of row ends and entries (format/vector/merge.h), rc_spmv_spans of
 *  them, and how many lanes take their rows.
 *  \param[in] look  entries that a share looks back for the begin of its first row
 *  \param[in] rule  format/cuda/lanes.h
 *  \param[out] out  [rc_merge_parts + 1] in the memory of the state
 *  \param[out] lanes  [rc_merge_parts] the same; 0: the rows of the share are not taken so */
rc_status_t rc_spmv_shares(const rc_problem_t *p, const rc_spmv_source_t *from, int64_t items,
    int64_t look, int64_t most, const rc_spmv_lanes_t *rule, rc_spmv_t *s, rc_spmv_share_t **out,
    uint8_t **lanes, rc_err_t *err);

/** How many lanes take the rows of each share, on the host.  \param[out] out  [shares] as
 *  `lanes` above */
void rc_spmv_count_lanes(const rc_csr_view_t *e, const rc_spmv_share_t *share, int64_t shares,
    const rc_spmv_lanes_t *rule, int threads, uint8_t *out);

/** Device memory of shares and lanes. */
int64_t rc_spmv_shares_bytes(int64_t shares);

/* ------------------------------------------------------------- coordinates */

/** Shares of so many entries. */
int64_t rc_spmv_coo_shares(int64_t entries);

/** Device memory but for the values.  \param[in] beyond  rows of more than RC_SPMV_LOOK entries */
int64_t rc_spmv_coo_bytes(int64_t entries, int64_t beyond, int64_t value_bytes);

/** Cut coordinates into shares.  \param[in] slot  [entries], increasing  \param[out] out
 *  [shares + 1] */
void rc_spmv_coo_cut(const int32_t *slot, int64_t entries, rc_spmv_share_t *out);

/** Coordinates of the entries of the slots but the first `skip` of each.
 *  \param[in] entries  that these are  \param[in] beyond  rows of more than RC_SPMV_LOOK of them
 *  \param[in] first  of their values in those of the state
 *  \param[out] out  without v  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_spmv_coo_build(const rc_problem_t *p, const rc_spmv_source_t *from, int64_t skip,
    int64_t entries, int64_t beyond, int64_t first, rc_spmv_t *s, rc_spmv_coo_args_t *out,
    rc_err_t *err);

/** Enqueue the product of coordinates. */
rc_status_t rc_spmv_coo_run(const rc_spmv_t *s, const rc_spmv_coo_args_t *a, int64_t entries,
    const rc_spmv_vectors_t *v, rc_err_t *err);

/* ------------------------------------------------------- device functions */

const void *rc_spmv_coo_entry(rc_precision_t precision);

#ifdef __cplusplus
}
#endif
#endif
