/** \file plan/plan.h  Plans: for one sparse matrix, one operation and the K that a program will ask
 *  for, which kernel and which row order multiply fastest, prepared and ready to run.
 *
 *  A plan is made on an executor (kernels/executor.h), whose memory holds the prepared matrix.  What
 *  it multiplies by and stores to is memory that the executor's device reads: an application's own.
 *  C is in original row order always.  A plan is used by one thread at a time.  Local. */
#ifndef RC_PLAN_PLAN_H
#define RC_PLAN_PLAN_H

#include "kernels/device.h"
#include "kernels/kernel.h"

/** A CSR matrix as an application has it.  Columns of a row may come in any order, each once. */
typedef struct rc_plan_matrix {
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    const void *row_ptr;    /**< [rows + 1] */
    int row_ptr_bytes;      /**< of one of them: 4 or 8 */
    const int32_t *col_idx; /**< [nnz] */
    const void *val;        /**< [nnz] */
    int value_bytes;        /**< of one of them: 4 or 8 */
    int on_device; /**< 1: the arrays are memory of the executor's device; 0: of the host */
} rc_plan_matrix_t;

/** What is to be computed. */
typedef struct rc_plan_problem {
    rc_op_t op;
    rc_precision_t precision;
    rc_layout_t layout; /**< of the dense operands with K columns */
    const int64_t *k;   /**< [ks], each >= 1 and once; operations without K: NULL */
    int ks;             /**< 0 for operations without K */
} rc_plan_problem_t;

/** How to choose; zero-initialise for the defaults. */
typedef struct rc_plan_options {
    const char *kernels;     /**< "gchunk:entries=16", or several and globs with commas; NULL: any */
    const char *orders;      /**< likewise "csr,lpt"; NULL: those of the model, or "csr" */
    const rc_model_t *model; /**< that predicts times, borrowed during the call; NULL: none */
    int extrapolate;         /**< 1: ask the model also outside of what it knows */
    int tune;           /**< time this many candidates at most on the matrix itself; 0: none */
    int64_t tune_ns;    /**< stop timing more of them after this long for each K; 0: two seconds */
    int64_t memory;     /**< bytes of device memory that the plan and its timing may take; 0: any */
    double reuse;       /**< expected products: what costs least in total is chosen, and timing
                             ends before it takes 5 % of that; 0: the fastest product */
    int deterministic;  /**< 1: only kernels that promise the same bits in each run */
    int threads;        /**< of the host, for orders and features; 0: all */
} rc_plan_options_t;

/** Time `batch` launches back to back.  \param[out] ns  of all of them
 *  \return RC_OK or what a launch returned */
typedef rc_status_t rc_plan_time_fn(void *user, rc_launch_fn *launch, void *state, int64_t batch,
    int64_t *ns, rc_err_t *err);

/** Where a plan runs. */
typedef struct rc_plan_place {
    rc_executor_t *x;         /**< borrowed until the plan is freed */
    rc_plan_time_fn *time;    /**< NULL: the host's clock around launches that are waited for: CPUs */
    void *user;               /**< for `time` */
    const char *device_class; /**< for models; NULL: that of the model.  Borrowed in create */
} rc_plan_place_t;

/** Why a candidate was chosen. */
typedef enum rc_plan_why {
    RC_PLAN_NAMED = 0,   /**< one kernel and one order were named: nothing was left to choose */
    RC_PLAN_TIMED = 1,   /**< the best of those timed on the matrix */
    RC_PLAN_MODEL = 2,   /**< the best that the model predicts */
    RC_PLAN_DEFAULT = 3, /**< the first candidate that can */
    RC_PLAN_LOADED = 4   /**< as an earlier plan of this pattern */
} rc_plan_why_t;

/** "named", "timed", "model", "default", "loaded". */
const char *rc_plan_why_name(rc_plan_why_t why);

enum { RC_PLAN_KERNEL_MAX = 160, RC_PLAN_ORDER_MAX = 128 };

/** A pair of kernel and row order.  Times are ns; NaN: not known. */
typedef struct rc_plan_candidate {
    char kernel[RC_PLAN_KERNEL_MAX]; /**< with parameters */
    char order[RC_PLAN_ORDER_MAX];
    double predicted_ns;       /**< of one product, by the model */
    double predicted_setup_ns; /**< order and preparation, by the model */
    double order_ns;           /**< measured: building the order */
    double prepare_ns;         /**< measured: rearranging, uploading, preprocessing */
    double time_ns;            /**< measured: of one product, median of batches */
    int64_t bytes;             /**< of device memory that the prepared matrix takes; -1 not known */
    rc_status_t status;        /**< RC_OK, or why it cannot be used */
    char text[200];            /**< of that status */
} rc_plan_candidate_t;

/** What a plan does for one K.  All borrowed from the plan. */
typedef struct rc_plan_part {
    int64_t k;                            /**< 1 for operations without K */
    int candidates;                       /**< >= 1 */
    const rc_plan_candidate_t *candidate; /**< [candidates] in the order in which they were tried */
    int chosen;                           /**< index */
    int reference; /**< index of the one that changes nothing: the first in original order */
    rc_plan_why_t why;
    double tune_ns; /**< spent in timing candidates, preparations of those not chosen included */
} rc_plan_part_t;

/** Products after which a candidate has paid for its setup over the reference of its part: by measured
 *  times where both were timed, else by predicted ones.  0 for the reference itself, INFINITY when it
 *  never does, NaN when times are missing. */
double rc_plan_break_even(const rc_plan_part_t *part, int index);

typedef struct rc_plan rc_plan_t;

/** Make a plan.  The matrix is read during the call alone.
 *
 *  Candidates are: with a model its classes that fit, best first; else each of the kernels (of the
 *  device, operation and layout) with each of the orders.  One that the matrix, the memory or the
 *  options do not allow is passed over and says why.
 *  \param[in]  place  its executor is borrowed until rc_plan_free
 *  \param[out] out    free with rc_plan_free
 *  \return RC_OK; RC_EINVAL (arguments; no such kernel or order); RC_EFORMAT (a matrix that is none:
 *          the text names row and column); RC_ENOTSUP (none can; the model does not know
 *          the request); RC_ERANGE (more rows or columns than 2^31 - 1); RC_ENOMEM; RC_EDEVICE.
 *          After an error there is no plan and nothing is kept.
 *  Cost: the orders and preparations that are tried; O(nnz) host memory. */
rc_status_t rc_plan_new(const rc_plan_place_t *place, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, const rc_plan_options_t *options, rc_plan_t **out, rc_err_t *err);

/** Free a plan, after the runs that were asked for; NULL is allowed. */
void rc_plan_free(rc_plan_t *plan);

/** The plan's operation once: out = alpha f(A, in) + beta out.  On a GPU it is asked for on the
 *  executor's stream and not waited for; nothing is allocated.
 *  \param[in] k  one of the plan's; ignored for operations without K
 *  \param[in] o  of the shapes of the operation: data and, of those with K columns, leading dimension
 *                are read; precision and layout are the plan's, one column is contiguous.  With beta 0
 *                what `out` held is not read
 *  \return RC_OK; RC_EINVAL (a null pointer, a leading dimension that is too small, misaligned or
 *          overlapping operands); RC_ERANGE (a K that the plan does not have); RC_EDEVICE.
 *          Nothing is written after RC_EINVAL and RC_ERANGE. */
rc_status_t rc_plan_run(rc_plan_t *plan, int64_t k, const rc_operands_t *o, double alpha,
    double beta, rc_err_t *err);

/** New values on the same pattern, in the order in which the matrix of rc_plan_new had them.  The
 *  choices stay.
 *  \param[in] val  [nnz], of value_bytes each (4 or 8), on the host or the device
 *  \return RC_OK; RC_EINVAL; RC_ENOMEM; RC_EDEVICE.  After an error the old values are in use.
 *  Cost: the preparations of the plan, and their memory once more on the way. */
rc_status_t rc_plan_update(
    rc_plan_t *plan, const void *val, int value_bytes, int on_device, rc_err_t *err);

/** Number of parts: one per K. */
int rc_plan_parts(const rc_plan_t *plan);

/** Part at index 0 .. rc_plan_parts - 1, in the order of the problem's K.
 *  \return RC_OK or RC_EINVAL (outside) */
rc_status_t rc_plan_part(const rc_plan_t *plan, int index, rc_plan_part_t *out, rc_err_t *err);

/** Write the choices and orders to a file, for the next run on the same pattern.  The file is
 *  replaced as a whole.
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_plan_save(const rc_plan_t *plan, const char *path, rc_err_t *err);

/** As rc_plan_new, with the choices and orders of a file: nothing is ordered, predicted or timed.
 *  \return as rc_plan_new; RC_ENOENT, RC_EIO, RC_EFORMAT (the file); RC_EINVAL (of another pattern,
 *          problem or device: the text names found and expected); RC_ENOTSUP (a kernel or version that
 *          this program does not have) */
rc_status_t rc_plan_load(const char *path, const rc_plan_place_t *place,
    const rc_plan_problem_t *problem, const rc_plan_matrix_t *a, rc_plan_t **out, rc_err_t *err);

#endif
