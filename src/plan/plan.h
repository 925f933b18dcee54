/** \file plan/plan.h  Plans on any executor (device/executor.h), whose memory holds the prepared
 *  matrix; rowcast_cuda.h has what they are, and makes them on an application's stream.
 *
 *  What a plan multiplies by and stores to is memory that the executor's device reads.  A plan
 *  is used by one thread at a time.  Local. */
#ifndef RC_PLAN_PLAN_H
#define RC_PLAN_PLAN_H

#include "device/device.h"
#include "format/given.h"
#include "kernels/kernel.h"

/** Time `batch` launches back to back.  \param[out] ns  of all of them
 *  \return RC_OK or what a launch returned */
typedef rc_status_t rc_plan_time_fn(
    void *user, rc_launch_fn *launch, void *state, int64_t batch, int64_t *ns, rc_err_t *err);

/** Times that a plan waits for at once. */
enum { RC_PLAN_LAPS = 16 };

/** Times of single products that are not waited for, each under a number: of a plan from
 *  place.first_lap on, RC_PLAN_LAPS of them, and as many after those of one for A and A'. */
typedef struct rc_plan_laps {
    /** 1: what is asked for now becomes part of a graph and runs later, or that is not known. */
    int (*capturing)(void *user);
    /** Between them one product is asked for.  \return RC_OK, RC_EDEVICE */
    rc_status_t (*begin)(void *user, int lap, rc_err_t *err);
    rc_status_t (*end)(void *user, int lap, rc_err_t *err);
    /** \param[out] ns  that it took; -1: it is not over yet  \return RC_OK, RC_EDEVICE */
    rc_status_t (*ns)(void *user, int lap, int64_t *ns, rc_err_t *err);
} rc_plan_laps_t;

/** Where a plan runs. */
typedef struct rc_plan_place {
    rc_executor_t *x;      /**< borrowed until the plan is freed */
    rc_plan_time_fn *time; /**< NULL: the host's clock around launches that are waited for: CPUs */
    /** Look who else uses the machine, before each batch that is timed; NULL: nobody does.
     *  \param[in] anew  1: candidates are compared from here on, whatever was before */
    void (*look)(void *user, int anew);
    /** Build a row order where the matrix is; NULL: all are built on the host.
     *  \param[in] order  with parameters  \param[in] a  its sizes alone
     *  \param[in] m  row pointers and columns there; NULL: only say whether it can be built
     *  \param[in,out] out  has room for [rows]; gets every row once, which was checked
     *  \return RC_OK, RC_ENOTSUP (this order is built on the host), RC_ENOMEM, RC_EDEVICE */
    rc_status_t (*order)(rc_executor_t *x, const char *order, const rc_csr_t *a,
        const rc_resident_t *m, rc_resident_rows_t *out, rc_err_t *err);
    /** Compute a feature set where the matrix is; NULL: all are computed on the host.
     *  \param[in] a  its sizes alone
     *  \param[in] m  its row pointers are there  \param[out] out  [features of the set], those of
     *          the host
     *  \return RC_OK, RC_ENOTSUP (this set is computed on the host), RC_ENOMEM, RC_EDEVICE */
    rc_status_t (*features)(rc_executor_t *x, const char *set, const rc_csr_t *a,
        const rc_resident_t *m, double *out, rc_err_t *err);
    /** Read a matrix that is in the memory of the executor; NULL: the host reads it.
     *  \param[out] out  free with rc_there_free, after an error too
     *  \return RC_OK; RC_ENOTSUP (the host has to read it); as rc_plan_new */
    rc_status_t (*read)(
        rc_executor_t *x, const rc_plan_matrix_t *m, rc_there_t *out, rc_err_t *err);
    /** 1: no other program had a part of the machine since the plan was begun, as far as can be
     *  seen; NULL: nobody knows. */
    int (*alone)(void *user);
    int64_t (*now)(void *user); /**< ns by which timing candidates ends; NULL: the host's clock */
    void *user;                 /**< for `time`, `look`, `alone` and `now` */
    /** Watches a search, while an order is built by any thread; NULL: nobody does.
     *  \param[in] next   what is tried next; NULL: nothing new
     *  \param[in] timed  candidates so far  \return 1: it is to end with what it has */
    int (*watch)(void *user, const rc_plan_candidate_t *next, int timed);
    void *watcher;            /**< for `watch` */
    int64_t cache_bytes;      /**< of the last cache; 0: not known */
    const char *device_class; /**< for models; NULL: that of the model.  Borrowed in create */
    /** Products of the reference that timing the candidates of a K may take, where the caller gives
     *  no time; 0: any */
    double tune_products;
    /** 1: a short product may have one time in all batches and another one when it is prepared
     *  again, so another order is confirmed.  CPUs: caches, where memory lies, other programs. */
    int unsteady;
    const rc_plan_laps_t *laps; /**< NULL: by `now` around runs, which are waited for.  Borrowed */
    int first_lap;              /**< of those that are this plan's */
    int multiprocessors;        /**< of a GPU, for the guess; 0: not known, kernels go by rank */
    /** Bytes of memory of the executor that no program has; NULL: not known, so no guess takes A as
     *  a dense matrix. */
    int64_t (*memory)(const rc_executor_t *x);
} rc_plan_place_t;

/** Make a plan, as rc_plan_create does.  options->allocator is not read: the executor has memory.
 *  \param[in]  place  its executor is borrowed until rc_plan_free
 *  \param[out] out    free with rc_plan_free
 *  \return RC_OK; RC_EINVAL (arguments; no such kernel or order); RC_EFORMAT (a matrix that is
 *          none: the text names row and column); RC_ENOTSUP (none can; the model does not know
 *          the request); RC_ERANGE (more rows or columns than 2^31 - 1); RC_ENOMEM; RC_EDEVICE.
 *          After an error there is no plan and nothing is kept.
 *  Cost: the orders and preparations that are tried; O(nnz) host memory. */
rc_status_t rc_plan_new(const rc_plan_place_t *place, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, const rc_plan_options_t *options, rc_plan_t **out, rc_err_t *err);

/** The plan's operation once: out = alpha f(A, in) + beta out.  On a GPU it is asked for on the
 *  executor's stream and not waited for; nothing is allocated.
 *  \param[in] k  one of the plan's; ignored for operations without K
 *  \param[in] o  of the shapes of the operation: data and, of those with K columns, leading
 *          dimension are read; precision and layout are the plan's, one column is contiguous.  With
 *          beta 0 what `out` held is not read
 *  \return RC_OK; RC_EINVAL (a null pointer, a leading dimension that is too small, misaligned
 *          or overlapping operands); RC_ERANGE (a K that the plan does not have); RC_EDEVICE.
 *          Nothing is written after RC_EINVAL and RC_ERANGE. */
rc_status_t rc_plan_run(
    rc_plan_t *plan, int64_t k, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/** As rc_plan_run, with the transposed matrix: by what a plan made for both has for it, else by the
 *  other operation of the chosen kernel's pair (`twin` of kernels/kernel.h), spmm_t of a plan of
 *  spmm and the reverse.
 *  \param[in] o  of the shapes of that operation
 *  \return as rc_plan_run; RC_ENOTSUP: neither is there */
rc_status_t rc_plan_run_transposed(
    rc_plan_t *plan, int64_t k, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/** New values on the same pattern, in the order in which the matrix of rc_plan_new had them, as
 *  rc_plan_update_values says.
 *  \param[in] val  [nnz], on the host or the device
 *  \return RC_OK; RC_EINVAL; RC_ENOMEM; RC_EDEVICE.  After an error the old values are in use. */
rc_status_t rc_plan_update(
    rc_plan_t *plan, const void *val, rc_precision_t type, int on_device, rc_err_t *err);

/** A file of a plan. */
typedef struct rc_plan_file {
    const char *path;
    int transposed; /**< what it must have, as of rc_plan_options_t */
} rc_plan_file_t;

/** As rc_plan_new, with the choices and orders of a file: nothing is ordered, predicted or timed.
 *  \return as rc_plan_load */
rc_status_t rc_plan_open(const rc_plan_file_t *file, const rc_plan_place_t *place,
    const rc_plan_problem_t *problem, const rc_plan_matrix_t *a, rc_plan_t **out, rc_err_t *err);

/** A plan with the same matrix, choices and orders on another executor of the same kind of device.
 *  \return RC_OK, RC_ENOTSUP (what was chosen cannot be prepared there), RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_plan_copy(
    const rc_plan_t *plan, const rc_plan_place_t *place, rc_plan_t **out, rc_err_t *err);

/** Relative standard error of the time of a candidate; NaN: it was not timed.
 *  \param[in] part, index  of rc_plan_part */
double rc_plan_time_err(const rc_plan_t *plan, int part, int index);

/** Candidates are timed on a device, by batches that others have no part of where that can be had:
 *  `time`, `look`, `alone`, `unsteady` and `user` of a place.
 *  \param[in] d  the one whose executor the place has; borrowed as that */
void rc_plan_place_watched(rc_plan_place_t *place, rc_device_t *d);

/** What rc_plan_company says from now on: who had a part of the device since RC_WATCH_BEGIN. */
void rc_plan_note_company(rc_plan_t *plan, rc_device_t *d);

#endif
