/** \file rowcast.h  The public interface of librowcast: sparse matrices, row orders, features, the
 *  selector, seals and pairs of stores.
 *
 *  rowcast answers: for this sparse matrix, in which row order is sparse x dense (SpMM) fastest?
 *  This header is what a solver includes; it needs no MPI, no HDF5 and no CUDA.  Files of matrices
 *  are the matter of rowcast_io.h.
 *
 *  Conventions. Functions return an rc_status_t: RC_OK is 0, errors are negative. The last argument
 *  is a caller-owned rc_err_t (NULL is allowed) that receives one line of text. Outputs are set
 *  only on success. What a function creates, the caller frees with the function named in its
 *  docstring; the free functions accept NULL and emptied objects. Every call is local (no
 *  communication) and thread-safe on distinct objects; there is no global state. `threads` is the
 *  number of OpenMP threads to use; 0 means all that the process may use, and more than it has CPUs
 *  for are not started. In a child of fork() whose parent had threads a call uses one. A NULL where
 *  there must be something, a matrix that is none (see rc_csr_check), a policy or number that is
 *  none: RC_EINVAL, or what the function says. Arrays that are shorter than their docstring says
 *  cannot be found out. */
#ifndef ROWCAST_H
#define ROWCAST_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
/** Marks what programs may call. */
#define RC_API __attribute__((visibility("default")))
/** Marks a function whose argument `fmt` is a format of printf, with arguments from `first` on. */
#define RC_PRINTF(fmt, first) __attribute__((format(printf, fmt, first)))
#else
#define RC_API
#define RC_PRINTF(fmt, first)
#endif

/** What a call says about its end. */
typedef enum rc_status {
    RC_OK = 0,
    RC_EINVAL = -1,   /**< an argument or an option is not valid */
    RC_ENOMEM = -2,   /**< memory could not be had */
    RC_EIO = -3,      /**< the operating system refused a read or write */
    RC_EFORMAT = -4,  /**< malformed input; the text names file, position, expected and found */
    RC_ERANGE = -5,   /**< a number does not fit the type that must hold it */
    RC_ENOTSUP = -6,  /**< valid, but not supported here */
    RC_ENOENT = -7,   /**< no such file, name or entry */
    RC_EBUSY = -8,    /**< somebody else holds the lock */
    RC_EWRONG = -9,   /**< a computed result failed its verification */
    RC_EINTR = -10,   /**< asked to stop */
    RC_ESTORE = -11,  /**< the store or a journal is unusable or inconsistent */
    RC_EDEVICE = -12, /**< the device failed */
    RC_EMPI = -13     /**< a communication call failed */
} rc_status_t;

/** A caller-owned error message: the first cause, with context put before it. */
typedef struct rc_err {
    rc_status_t status; /**< RC_OK while nothing failed */
    char text[500];     /**< one line, NUL-terminated, no newline */
} rc_err_t;

/** Short name of a status: "ok", "invalid", "memory", ...  Static storage. */
RC_API const char *rc_status_name(rc_status_t status);

/** Version of the library, "major.minor.patch".  Static storage. */
RC_API const char *rc_version(void);

/* ---------------------------------------------------------------- matrices */

/** A sparse matrix in compressed sparse row form, 0-based.
 *  Columns are strictly increasing within a row; explicit zeros are entries. */
typedef struct rc_csr {
    int64_t rows;     /**< n_row >= 0, at most INT32_MAX */
    int64_t cols;     /**< n_col >= 0, at most INT32_MAX */
    int64_t nnz;      /**< stored entries, row_ptr[rows] */
    int64_t *row_ptr; /**< [rows + 1] */
    int32_t *col_idx; /**< [nnz] */
    double *val;      /**< [nnz] */
} rc_csr_t;

/** Free the arrays of a matrix and zero it.  NULL and a zeroed matrix are allowed. */
RC_API void rc_csr_free(rc_csr_t *a);

/** Check every invariant of rc_csr_t. What walks a matrix calls it first, unless its `threads` have
 *  RC_CHECKED; so must whoever has changed a matrix.
 *  \param[in] a  borrowed; without entries, columns and values may be NULL
 *  \return RC_OK, RC_EINVAL: names what is NULL, or the first row that breaks one.
 *  Local.  Cost O(nnz + rows): about 1 ns an entry and 5 ns a row. */
RC_API rc_status_t rc_csr_check(const rc_csr_t *a, rc_err_t *err);

/** A flag for `threads`, as in `0 | RC_CHECKED`: the matrix is one of this library's, or was
 *  checked already, and is not checked again; values that are NULL will do, for only rc_mtx_write
 *  reads them. With a matrix that is none the call may crash. */
enum { RC_CHECKED = 1 << 30 };

/* -------------------------------------------------------------- operations */

/** What is computed with a sparse matrix A (rows x cols): out = alpha f(A, in) + beta out.  Stores
 *  hold these numbers, so they never change. */
typedef enum rc_op {
    RC_OP_SPMM = 0,   /**< C = A B: B is cols x K, C rows x K */
    RC_OP_SPMV = 1,   /**< y = A x, without K */
    RC_OP_SPMM_T = 2, /**< C = A' B: B is rows x K, C cols x K */
    RC_OP_SDDMM = 3,  /**< O = A .* (Y X'): Y is rows x K, X cols x K, O one value an entry of A */
    RC_OPS            /**< how many there are */
} rc_op_t;

/** Of values, matrix and dense operands alike.  Stores hold these numbers, so they never change. */
typedef enum rc_precision {
    RC_FP32 = 0,
    RC_FP64 = 1,
    RC_BF16 = 2, /**< 8 bits of significand; sums are fp32 */
    RC_FP16 = 3, /**< 11 bits of significand, at most 65,504; sums are fp32 */
    /** Complex numbers: real and imaginary part in fp32, next to each other, as `float _Complex`
     *  and `std::complex<float>` have them. */
    RC_C64 = 4,
    RC_C128 = 5 /**< likewise in fp64 */
} rc_precision_t;

/** "fp32", "fp64", "bf16", "fp16", "c64" or "c128".  Static storage; NULL for a number that is none
 *  of them. */
RC_API const char *rc_precision_name(rc_precision_t precision);

/** Layout of the dense operands that have K columns. */
typedef enum rc_layout {
    RC_COL_MAJOR = 0, /**< value (r, j) at data[j * ld + r] */
    RC_ROW_MAJOR = 1, /**< value (r, j) at data[r * ld + j] */
    /** of operands together: the inputs are row-major, the output is column-major */
    RC_ROW_COL = 2,
    RC_COL_ROW = 3, /**< the other way round */
    RC_LAYOUTS      /**< how many there are */
} rc_layout_t;

/* -------------------------------------------------------------- row orders */

/** The machine that an order is made for: a team of `nw` workers (warps of a CTA, threads of a
 *  team) takes the slots round robin, each worker walks a row `nt` entries at a time, and `line`
 *  consecutive columns of A share a cache line of one column of B.
 *  The paper's GPU: {32, 32, 32} in fp32 (128-byte lines), {32, 32, 16} in fp64. */
typedef struct rc_geometry {
    int32_t nw;   /**< N_w >= 1 */
    int32_t nt;   /**< N_t >= 1 */
    int32_t line; /**< columns of A per cache line of a column of B, >= 1 */
} rc_geometry_t;

enum { RC_GROUP_LEVELS = 3 };

/** Groups of consecutive slots, or of consecutive groups of the level below: group i holds
 *  ptr[i] .. ptr[i + 1] - 1. */
typedef struct rc_groups {
    const char *name; /**< of the pointers: "part_ptr"; static storage, letters and _ */
    int64_t count;    /**< groups */
    int64_t *ptr; /**< [count + 1], increasing from 0; the last one: slots (of level 0) or groups
                           of the level below */
} rc_groups_t;

/** A row schedule: slot p holds a row of A, or -1 for a pad; worker p mod nw runs it, in
 *  increasing p.  A policy may leave empty rows out (dcsr); C is zero there.
 *
 *  A symmetric order renumbers the columns as well: then A is square, every row has a slot, there
 *  are no pads, and the product is one with row p of B being row col[p] of the original one.
 *  A policy may say which slots belong together: `levels` levels of groups. */
typedef struct rc_schedule {
    int64_t slots; /**< P */
    int64_t rows;  /**< n_row of the matrix it is for */
    int32_t *row;  /**< [slots], 0-based original row or -1 */
    int64_t cols;  /**< columns that are renumbered: n_col, or 0 for none */
    int32_t *col;  /**< [cols], new position -> 0-based original column; NULL: they stay */
    int levels;    /**< of groups; 0: none */
    rc_groups_t group[RC_GROUP_LEVELS]; /**< [levels], from the slots upwards */
} rc_schedule_t;

/** Build the schedule of a matrix under a policy (`rowcast info` lists them with their parameters).
 *  \param[in]  policy    "name" or "name:key=value:key=value": "csr", "lpt", "hybrid2.1",
 *                        "random:seed=7", "rcm", "metis:part=128", "file:rows.txt"
 *  \param[in]  a         matrix, borrowed
 *  \param[in]  geometry  borrowed; NULL: the paper's {32, 32, 32}.  Many policies do not need it
 *  \param[in]  threads   0: all; | RC_CHECKED; the result does not depend on it
 *  \param[out] out       free with rc_schedule_free; it has been checked with rc_schedule_check
 *  \return RC_OK, RC_ENOENT (no such policy), RC_EINVAL (a NULL, no matrix), RC_ERANGE (a
 *          parameter), RC_EIO (a file that cannot be read, or is not there), RC_EFORMAT (what is in
 *          it), RC_ENOTSUP (a policy that this build does not have, or a matrix that it is not for:
 *          symmetric orders need a square one), RC_ENOMEM. Local. Cost: see the policy. Source:
 *          Mehrabi et al. 2021, section III; of the others: see rowcast info. */
RC_API rc_status_t rc_order_build(const char *policy, const rc_csr_t *a,
    const rc_geometry_t *geometry, int threads, rc_schedule_t *out, rc_err_t *err);

/** Check that a schedule is valid for a matrix: every row exactly once, except that empty rows may
 *  be absent; anything else in a slot is the pad -1; the column order a permutation, with neither
 *  pads nor absent rows; groups contiguous and not empty. The matrix is checked first. Cost O(nnz +
 *  rows + slots + cols).
 *  \return RC_OK or RC_EINVAL with the first offending slot, row, column or group in the text;
 *          RC_ENOMEM. */
RC_API rc_status_t rc_schedule_check(const rc_schedule_t *s, const rc_csr_t *a, rc_err_t *err);

/** Free the arrays of a schedule and zero it. */
RC_API void rc_schedule_free(rc_schedule_t *s);

/* ---------------------------------------------------------------- features */

enum { RC_FEATURES_MEHRABI = 24 };

/** The 24 features of Mehrabi et al. 2021, Table II, on the original row order.
 *  \param[in]  a, geometry, threads  as for rc_order_build
 *  \param[out] out  [24], in the order of rc_feature_name
 *  \return RC_OK, RC_EINVAL, RC_ENOMEM.  Local.  Cost O(nnz + rows + nw * cols / line). */
RC_API rc_status_t rc_features_compute(const rc_csr_t *a, const rc_geometry_t *geometry,
    int threads, double out[RC_FEATURES_MEHRABI], rc_err_t *err);

/** Name of feature i: "n_row", "n_col", "density", "nnz_per_row_min", "nnz_per_row_mean", ...
 *  Static storage; NULL when i is out of range. */
RC_API const char *rc_feature_name(int i);

/* ------------------------------------------------------------ the selector */

/** A fitted selector: a row order for a given kernel (task order), a pair of kernel and order (task
 *  plan), or the kernel of a format (task format), chosen from features. Opaque and immutable: one
 *  model may be asked by several threads at once. */
typedef struct rc_model rc_model_t;

/** Read a model file (JSON, written by `rowcast train`; pretrained ones are installed in
 *  `pkg-config --variable=modelsdir rowcast`).
 *  \param[in]  path  file name
 *  \param[out] out   free with rc_model_free
 *  \return RC_OK, RC_ENOENT, RC_EIO, RC_EFORMAT (names the member, expected and found), RC_ENOTSUP
 *          (fitted on a feature set, policy or version that this library does not have; the text
 *          names both), RC_ENOMEM.  Cost: milliseconds. */
RC_API rc_status_t rc_model_read(const char *path, rc_model_t **out, rc_err_t *err);

/** Free a model; NULL is allowed. */
RC_API void rc_model_free(rc_model_t *m);

/** What a model chooses among.  Texts are borrowed from the model. */
typedef struct rc_candidate {
    const char *name;   /**< of the class: "lpt", "gsub:lanes=8:strip=8:split=0/lpt" */
    const char *policy; /**< row order, for rc_order_build */
    const char *kernel; /**< kernel with parameters whose times were learnt */
    int is_baseline;    /**< 1: the class that the break-even is against */
    int layout; /**< of the dense operands: RC_LAYOUT_COL or _ROW; 0: the model does not say */
    int deterministic; /**< 1: two runs give the same bits; 0: they may differ; -1: the model does
                             not say */
} rc_candidate_t;

/** Number of classes of a model. */
RC_API int rc_model_candidates(const rc_model_t *m);

/** The class at index 0 .. rc_model_candidates - 1.  \return RC_OK or RC_EINVAL (outside) */
RC_API rc_status_t rc_model_candidate(
    const rc_model_t *m, int index, rc_candidate_t *out, rc_err_t *err);

/** Class of the device whose times the model learnt.  Borrowed. */
RC_API const char *rc_model_device(const rc_model_t *m);

/** Operation whose times the model learnt: "spmm", "spmv", "spmm_t" or "sddmm".  Borrowed. */
RC_API const char *rc_model_operation(const rc_model_t *m);

/** What a model answers for, in one line: operation, K, precisions, layouts, device.  The range of
 *  each feature is known too; a refusal names those that are outside of it.
 *  \param[out] text  [size]; cut when it is longer */
RC_API void rc_model_knows(const rc_model_t *m, char *text, size_t size);

/** Layouts of the dense operands, as bits. */
enum { RC_LAYOUT_COL = 1, RC_LAYOUT_ROW = 2 };

/** What the caller can take; all zero is no constraint.  Lists are names or globs separated by
 *  commas; a name without parameters stands for all of its parameters. */
typedef struct rc_constraints {
    int layouts;          /**< RC_LAYOUT_COL | RC_LAYOUT_ROW: rank classes of these together.  0: of
                               one layout alone, that of the class that changes nothing */
    const char *kernels;  /**< "gstat,cusparse-csr-*"; NULL: any */
    const char *orders;   /**< "csr,lpt"; NULL: any */
    const char *c_orders; /**< orders of the rows of C that the caller takes: "original",
                               "schedule", "symmetric"; NULL: original.  Models know "original" */
    int64_t memory;       /**< bytes of device memory for matrix and dense operands; 0: any */
    int deterministic;    /**< 1: only kernels whose runs give the same bits each time */
} rc_constraints_t;

/** The product that a choice is for. */
typedef struct rc_request {
    int64_t k;                /**< columns of B, >= 1; 0 for spmv, which has no K */
    rc_precision_t precision; /**< of the values; a model refuses one that it was not trained on */
    double reuse; /**< products with this matrix: what setup, `reuse` products and, for all but
                          changing nothing, features and prediction take is made smallest (needs a
                          model with times); 0: the time of a product alone */
    int threads;  /**< for features and order; 0: all; | RC_CHECKED */
    const char *operation; /**< NULL: "spmm"; a model refuses another one than its own */
    const char *device;    /**< class of the device that multiplies, or a glob; NULL: that of the
                                model */
    int extrapolate; /**< 1: answer also outside of what the model knows, and say so in the choice;
                          0: refuse */
    rc_constraints_t constraints; /**< what may be chosen */
} rc_request_t;

enum { RC_EXTRAPOLATION_MAX = 256 };

/** What was chosen, and what it took.  All times in ns; NaN is not known. */
typedef struct rc_choice {
    int candidate;            /**< index of the chosen class */
    int reference;            /**< index of the class that changes nothing: the baseline when the
                                constraints permit it, else the first permitted class in its row
                                order, else the first permitted one */
    int candidates;           /**< length of the arrays */
    unsigned char *permitted; /**< [candidates] 1: fits the constraints */
    double *time_ns;          /**< [candidates] predicted time of one product */
    double *setup_ns;    /**< [candidates] predicted time to build the order and prepare the kernel,
                                on the machine of the training data */
    double featurise_ns; /**< measured */
    double predict_ns;   /**< measured */
    double order_ns;     /**< measured: building the chosen schedule */
    double overhead_ns;  /**< features and prediction as they enter break_even and the total:
                                predicted, so that equal calls give equal answers; measured where
                                the model does not know what features take (files of version 1) */
    double break_even;   /**< products after which the chosen class has paid for features,
                                prediction and its extra setup over the reference; 0 when that was
                                chosen, INFINITY when it never does, NaN without times */
    int outside;         /**< what is outside of what the model knows: inputs, K, device; the
                                choice is an extrapolation when not 0 */
    char extrapolation[RC_EXTRAPOLATION_MAX]; /**< names it: "K = 8"; "" when there is none */
    rc_schedule_t schedule;                   /**< of the chosen order, as from rc_order_build */
    rc_geometry_t geometry; /**< that it is built for: slot p belongs to worker p mod geometry.nw */
} rc_choice_t;

/** Choose for a matrix: features, prediction, and the schedule of the chosen order.
 *
 *  Among the classes that the constraints permit: the one of the fastest product, or with `reuse`
 *  the one that is cheapest in total, so that what is chosen pays within the reuse.  Never one that
 *  is predicted at less than 0.95 of the speed of changing nothing, also not where so few products
 *  are asked for that its cheaper setup would make up for it: predictions err by more than that
 *  saves.  (A classifier predicts no times: its best score among the permitted.)
 *  \param[in]  m, a, request  borrowed
 *  \param[out] out  free with rc_choice_free
 *  \return RC_OK, RC_EINVAL (a NULL, no matrix, bad request; reuse with a model that predicts no
 *          times), RC_ENOTSUP (an operation or precision that the model was not trained on; without
 *          `extrapolate` also K, device and features that it does not know; no class that the
 *          constraints permit: the text says what there is), RC_ENOMEM. Local. Cost: that of
 *          rc_features_compute and of the chosen policy; the prediction takes microseconds. */
RC_API rc_status_t rc_choose(const rc_model_t *m, const rc_csr_t *a, const rc_request_t *request,
    rc_choice_t *out, rc_err_t *err);

/** Free the arrays of a choice and zero it. */
RC_API void rc_choice_free(rc_choice_t *c);

/* ------------------------------------------------------------------ stores */

/** Compare the bytes of a store of `rowcast sweep` with the digests at its end, as the programs do
 *  before HDF5 sees them: damaged ones can make it crash.
 *  \param[in]  path    file name
 *  \param[out] sealed  1: they are what was written; 0: the file has no digests
 *  \return RC_OK (also without digests), RC_EINVAL (a NULL), RC_ENOENT, RC_EIO, RC_ESTORE (damaged,
 *          or no file), RC_ENOMEM. Local. Cost: reads the file once. */
RC_API rc_status_t rc_store_check(const char *path, int *sealed, rc_err_t *err);

/** A row of /results, as rc_store_partners sees it.  Members have the names and numbers of its
 *  columns. Those up to `line` are what two results that are compared have in common. */
typedef struct rc_store_timed {
    int64_t matrix;    /**< number of the matrix */
    int64_t op;        /**< operation */
    int64_t k;         /**< columns of the dense operands */
    int64_t precision; /**< value type */
    int64_t cache;     /**< cold or warm */
    int64_t device;    /**< device class */
    int64_t kernel;    /**< with its parameters */
    int64_t layout;    /**< of the dense operands */
    int64_t nw;        /**< of rc_geometry_t */
    int64_t nt;        /**< of rc_geometry_t */
    int64_t line;      /**< of rc_geometry_t */
    int64_t run;       /**< the run that timed it */
    int64_t card;      /**< equal numbers, the same GPU; -1: not known, or the device is none */
    int64_t baseline;  /**< 1: ok, and of the order that others are compared with; 0: it is not */
    int64_t newest;    /**< 1: no later result of its case; 0: there is one */
} rc_store_timed_t;

/** What rc_store_partners says of a result without a partner. */
enum {
    RC_PARTNER_NONE = -1, /**< no baseline, or none that is the newest of its case */
    RC_PARTNER_APART = -2 /**< there are such, of other GPUs */
};

/** The pairing rule of all tables, of the trainers and of Python: which baseline each result is
 *  compared with.  That is the last one of its run and GPU, which were timed in turns with it; else
 *  the last one of its GPU, if one is the newest of its case.  A GPU that is not known may be any.
 *  \param[in]  result   [count] in the order of the store, borrowed
 *  \param[in]  count    of results, >= 0
 *  \param[out] partner  [count] index of the baseline in `result`, or RC_PARTNER_...; a baseline
 *                       may be its own
 *  \return RC_OK, RC_EINVAL (a NULL, a negative count), RC_ENOMEM. Local. Cost O(count): about
 *          0.5 us a result. */
RC_API rc_status_t rc_store_partners(
    const rc_store_timed_t *result, int64_t count, int64_t *partner, rc_err_t *err);

#ifdef __cplusplus
}
#endif
#endif
