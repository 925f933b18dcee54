/** \file kernels/spmv/cuda/spmv.h  What the kernels of y = A x on a GPU share: their state, how it
 *  is prepared, shared and run, and the sums of rows that several shares hold.
 *
 *  A share (format/cuda/spmv.h) stores the rows that lie in it.  Of a row that goes on in the next
 *  one it leaves its sum in `out`; of one that began in an earlier one in `in`.  The last of the
 *  CTAs that hold such a row adds those up in the order of the shares: one launch, no atomics on
 *  y, the same bits in every run. */
#ifndef RC_KERNELS_SPMV_CUDA_SPMV_H
#define RC_KERNELS_SPMV_CUDA_SPMV_H

#include "device/cuda/overlap.h"
#include "device/cuda/scalars.h"
#include "format/cuda/spmv.h"
#include "kernels/prepared.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    rc_spmv_coo_t m;
} rc_spmv_coo_args_t;

/** As ELLPACK. */
typedef struct rc_spmv_ell_args {
    rc_spmv_vectors_t v;
    const int32_t *col; /**< [width * pitch] */
    const void *val;    /**< [width * pitch] */
    int64_t pitch;
    int32_t slots;
    int32_t width;
} rc_spmv_ell_args_t;

/** As rows, taken by lanes or, where they are long, in pieces: csr and csrk-split. */
typedef struct rc_spmv_csr_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    const rc_spmv_share_t
        *late; /**< [lates + 1] pieces of long rows, which CTAs take before the others; `open`
                                      of those that go on a row.  Zeros behind the last one */
    int32_t lates;
    int32_t late_ctas;            /**< that take them: one each, or a warp each */
    int32_t longest;              /**< entries of a row that lanes take; longer ones are late */
    const rc_spmv_share_t *share; /**< of the others: whole rows, those that are late left out */
    const uint8_t *lanes; /**< [shares] that take a row of it; 0: several tiles, or some are late */
    int32_t every;        /**< lanes of those; 0: what costs least */
} rc_spmv_csr_args_t;

enum {
    RC_SPMV_CSR_WARP = 1024, /**< entries of a row that a warp takes, where there are */
    RC_SPMV_CSR_MANY = 4096  /**< pieces of long rows, or more */
};

/** As equal shares of the merge of row ends and entries. */
typedef struct rc_spmv_merge_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    const rc_spmv_share_t *share;
    const uint8_t *lanes; /**< [shares] that take a row of it; 0: equal parts of the merge */
} rc_spmv_merge_args_t;

/** Steps of lanes above which a share is taken in equal parts, which take about as many. */
enum { RC_SPMV_MERGE_MOST = 110 };

/** The arrays of rc_csr5_t in device memory, and the last tile, which is not full, as
 *  coordinates. */
typedef struct rc_spmv_csr5_args {
    rc_spmv_vectors_t v;
    const int32_t *col;
    const void *val;
    const uint32_t *tile_ptr;
    const uint32_t *desc;
    const int32_t *empty_ptr; /**< NULL: no row is empty */
    const int32_t *empty_offset;
    int64_t full; /**< tiles that are */
    int32_t ctas; /**< for them; those after them take the last one */
    int32_t sigma;
    int32_t words; /**< of a descriptor */
    int32_t y_bits;
    /** [CTAs + 1], those of the last tile too.  `entry` of a CTA of full tiles: so many entries
     *  at its begin are left to the CTA before, whose last row they end; of the first one of the
     *  last tile too. */
    const rc_spmv_share_t *share;
    rc_spmv_coo_args_t tail; /**< its shares are those from `ctas` on */
} rc_spmv_csr5_args_t;

enum { RC_SPMV_CSR5_TILES = RC_SPMV_THREADS / RC_CSR5_OMEGA /**< of a CTA: a warp each */ };

/** As CSR-k: a CTA takes a super-super-row, or as many super-rows as its block has places for;
 *  parts of its block take super-rows, rows and, but for GPUSpMV-3, entries. */
typedef struct rc_spmv_csrk_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    const int32_t *sr_ptr;  /**< [super_rows + 1] into the slots */
    const int32_t *ssr_ptr; /**< [ctas + 1] into the super-rows; NULL: a CTA takes `each` (CSR-2) */
    int32_t super_rows;
    int32_t each;
} rc_spmv_csrk_args_t;

enum { RC_CSRK_THREADS_MAX = 512 };

/** One launch of a product. */
typedef struct rc_spmv_launch {
    rc_cuda_launch_t of;
    const char *what; /**< "launch of ...", for errors */
    union {
        rc_spmv_vectors_t v; /**< what all of them begin with, set in a run */
        rc_spmv_coo_args_t coo;
        rc_spmv_ell_args_t ell;
        rc_spmv_csr_args_t csr;
        rc_spmv_merge_args_t merge;
        rc_spmv_csr5_args_t csr5;
        rc_spmv_csrk_args_t csrk;
    } args;
} rc_spmv_launch_t;

/** The state of all of them. */
typedef struct rc_spmv {
    rc_prepared_t base;    /**< its values are in the order of the kernel */
    rc_cuda_slots_t slots; /**< which place of y a slot is, and CSR where the kernel takes it */
    rc_spmv_spans_t spans;
    rc_spmv_launch_t launch[2]; /**< the second one adds to what the first one stores */
    int tail;                   /**< 1: it has a last tile (rc_spmv_csr5_args_t.tail) */
} rc_spmv_t;

/** Makes the format, and the launches of it in a zeroed state; errors are in form->k:
 *  rc_kernel_t.kind of the descriptor points to one. */
typedef struct rc_spmv_kind {
    void (*build)(rc_spmv_t *s, rc_spmv_form_t *form, const rc_analysis_t *analysis);
} rc_spmv_kind_t;

/** Members of the descriptors: the matrix of the problem, on the device where it has its matrix
 *  there; sums that each state has for itself; a run. */
rc_status_t rc_spmv_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err);
rc_status_t rc_spmv_own(void *state, rc_err_t *err);
rc_status_t rc_spmv_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/** What all descriptors say. */
#define RC_SPMV_MEMBERS                                                                            \
    .device = RC_DEVICE_CUDA, .op = RC_OP_SPMV, .layout = RC_COL_MAJOR, .computes = 1,             \
    .c_orders = RC_STORES_ANY, .deterministic = rc_kernel_always, .strict = rc_kernel_always,      \
    .geometry = rc_cuda_geometry, .analyse = analyse, .state_bytes = RC_STATE(rc_spmv_t),          \
    .shares = sizeof(rc_spmv_t), .build = rc_spmv_build, .own = rc_spmv_own, .run = rc_spmv_run

/** RC_OK; RC_ENOTSUP: more slots or more shares than are implemented. */
rc_status_t rc_spmv_limits(const rc_problem_t *p, int64_t shares, rc_err_t *err);

/* ---------------------------------------------------- launches of a format */

/** CTAs of RC_SPMV_THREADS. */
void rc_spmv_set(rc_spmv_launch_t *l, const void *entry, int64_t ctas, const char *what);

/** Keep coordinates (rc_spmv_keep_coo), or the first `width` entries of every slot
 *  (rc_spmv_keep_ell), and launch them. */
void rc_spmv_take_coo(rc_spmv_form_t *f, const rc_spmv_coo_size_t *size, rc_spmv_launch_t *l);
void rc_spmv_take_ell(rc_spmv_form_t *f, int64_t width, rc_spmv_launch_t *l);

/** The same of rows whose shares are kept: the pieces of long ones, and CSR.
 *  \param[in] longest, lates, most  as in rc_spmv_keep_late */
typedef struct rc_spmv_rows {
    rc_spmv_shares_t shares;
    int64_t longest;
    int64_t lates;
    int64_t most;
    int every; /**< lanes of a row; 0: what costs least */
} rc_spmv_rows_t;
void rc_spmv_take_rows(
    rc_spmv_form_t *f, const rc_spmv_rows_t *rows, rc_spmv_launch_t *l, const char *what);

/** The same of merge.
 *  \param[in] n  of the analysis, which adds what shares of so many row ends and entries take.
 *  \return RC_OK, RC_ENOTSUP (more shares than are implemented), RC_ENOMEM, RC_EDEVICE */
void rc_spmv_take_merge(rc_spmv_form_t *f, int64_t items, const rc_spmv_counts_t *n,
    rc_spmv_launch_t *l, const char *what);
rc_status_t rc_spmv_merge_analyse(
    const rc_problem_t *p, int64_t items, rc_analysis_t *out, rc_spmv_counts_t *n, rc_err_t *err);

/* ------------------------------------------------------- device functions */

/** \param[in] wide  1: ptr is int64_t */
const void *rc_spmv_coo_entry(rc_precision_t precision);
const void *rc_spmv_ell_entry(rc_precision_t precision);
const void *rc_spmv_csr_entry(rc_precision_t precision, int wide);
const void *rc_spmv_merge_entry(rc_precision_t precision, int wide);
const void *rc_spmv_csr5_entry(rc_precision_t precision);

/** \param[in] wide   1: ptr is int64_t  \param[in] lanes  1, 4, 8 or 16
 *  \param[in] shuffle  1: sums of a row by shuffles, 0: in shared memory, as published */
const void *rc_spmv_csrk_entry(rc_precision_t precision, int wide, int32_t lanes, int shuffle);

#ifdef __cplusplus
}
#endif
#endif
