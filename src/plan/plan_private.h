/** \file plan/plan_private.h  A plan from inside, as the files of this room share it. */
#ifndef RC_PLAN_PLAN_PRIVATE_H
#define RC_PLAN_PLAN_PRIVATE_H

#include "base/digest.h"
#include "device/memory.h"
#include "base/users.h"
#include "format/resident.h"
#include "order/policy.h"
#include "plan/plan.h"

/** An order that was built; several candidates may run it. */
typedef struct rc_plan_order {
    char text[RC_PLAN_ORDER_MAX];
    rc_geometry_t geometry;
    rc_schedule_t schedule; /**< `row` NULL: not on the host, see rc_plan_order_here */
    int identity;
    double ns;          /**< that building it took; 0 when it was loaded */
    rc_memory_t memory; /**< its rows in memory of the executor are the one piece; no piece: they
                             are not there */
} rc_plan_order_t;

/** A candidate that is prepared on the device. */
typedef struct rc_plan_trial {
    rc_kernel_spec_t spec;
    int order; /**< index in the plan */
    rc_problem_t problem;
    rc_analysis_t analysis;
    void *state; /**< of the kernel; NULL: not prepared */
    int shares;  /**< 1: it uses the matrix of an earlier K of the plan */
} rc_plan_trial_t;

/** Batches of a candidate that are timed at most. */
enum { RC_PLAN_SAMPLES = 25, RC_PLAN_SAMPLES_MOST = 75 };

/** How a candidate was timed; zero-initialise. */
typedef struct rc_plan_timing {
    int64_t batch; /**< products per batch; 0: it was not timed */
    int samples;
    double ns[RC_PLAN_SAMPLES_MOST]; /**< [samples] of one product, in each batch, ascending */
    double rel_err;                  /**< of their median */
    double rel_sd;                   /**< their standard deviation, relative */
    double slow_ns; /**< of a product that takes longer one batch is timed at once; 0: of none */
    double cold_ns; /**< of a cold run before another candidate was timed; 0: there was none */
    int cold;       /**< 1: that is its only sample as yet */
    int single;     /**< 1: it does */
    int again;      /**< of the end of a search, in turns with what was chosen; 2: prepared anew, in
                         turns with others of that number */
} rc_plan_timing_t;

/** One K of a plan. */
typedef struct rc_plan_entry {
    rc_plan_part_t part;
    rc_plan_candidate_t *candidate; /**< [part.candidates], owned */
    rc_plan_timing_t *timing;       /**< [part.candidates], owned; NULL: none was timed */
    int others; /**< the last of them: the vendor's others, timed beside those asked for */
    rc_plan_trial_t trial; /**< the chosen one */
    double reuse;          /**< products by which was chosen; INFINITY: by the product alone */
    int uncertain;         /**< 1: of a file, whose times disagreed (rc_plan_is_uncertain) */
    int placed;            /**< 1: the places of values were looked for */
    rc_gather_t gather;    /**< new values into the chosen one; place NULL: not yet, or it cannot */
} rc_plan_entry_t;

/** The values of the matrix. */
typedef struct rc_plan_values {
    const void *given; /**< [nnz] the caller's, in its order, during a preparation; NULL: none */
    int on_device;     /**< where they are */
    rc_precision_t type;
    void *host;       /**< [nnz] the same on the host in the plan's order, owned; NULL: not there */
    rc_executor_t *x; /**< of `there` */
    void *there; /**< [nnz] the same in its memory, in the caller's order, owned; NULL: not there */
} rc_plan_values_t;

/** The operands of the last run, which were found to be right: a run that is asked for again is not
 *  looked at again. */
typedef struct rc_plan_seen {
    const rc_kernel_t *own;    /**< that the entry had chosen; NULL: nothing was seen */
    const rc_kernel_t *kernel; /**< that or its twin */
    rc_plan_entry_t *entry;
    int64_t k;
    int transposed;
    rc_operands_t given;  /**< data and leading dimensions, as the caller has them */
    rc_operands_t shaped; /**< as the kernel takes them */
} rc_plan_seen_t;

/** The pattern in memory of the executor. */
typedef struct rc_plan_pattern {
    rc_there_t there; /**< m.row_ptr NULL: it is not there.  Arrays are the caller's, its own, raw
                           ones or pieces of `kept` */
    void *raw[2];     /**< row pointers and columns of a matrix of the host, as they were, owned */
    rc_memory_t kept; /**< what later calls need; clones share it.  No piece: nothing yet */
    double ns;        /**< that bringing a matrix of the host there took */
} rc_plan_pattern_t;

/** Of the memory that a plan may take, what a matrix that is there to be prepared from may. */
enum { RC_PLAN_RESIDENT_PART = 8 };

/** What the public calls ask of where a plan lives; the begin of what that has. */
typedef struct rc_plan_home {
    /** For what is asked for next, on that stream: it can be.  \return RC_OK, RC_EINVAL,
     *  RC_ENOTSUP, RC_EDEVICE */
    rc_status_t (*use)(struct rc_plan_home *h, struct CUstream_st *stream, rc_err_t *err);
    /** rc_plan_clone of a plan that is there.  \param[out] out  not NULL */
    rc_status_t (*clone)(
        const rc_plan_t *plan, struct CUstream_st *stream, rc_plan_t **out, rc_err_t *err);
    /** rc_plan_update_values: what is given can be, in that place.  \return as `use`, which comes
     *  after it */
    rc_status_t (*takes)(const rc_plan_t *plan, const void *val, int on_device,
        struct CUstream_st *stream, rc_err_t *err);
    void (*free)(struct rc_plan_home *h);
} rc_plan_home_t;

/** What a guess has to know of the pattern beside its sizes; who reads the matrix says it. */
typedef struct rc_plan_facts {
    int64_t longest;    /**< entries of the longest row */
    int64_t empty_rows; /**< how many */
} rc_plan_facts_t;

typedef struct rc_plan_use rc_plan_use_t;

struct rc_plan {
    rc_plan_place_t place;
    rc_plan_use_t *use;           /**< tuning in use (use.h); NULL: none is going on */
    char device_class[160];       /**< of the place; "": not known */
    char company[RC_COMPANY_MAX]; /**< rc_plan_company */
    rc_plan_home_t *home; /**< what a public call made its place of; NULL: it is the caller's */
    rc_op_t op;
    rc_precision_t precision;
    int out_sums;   /**< 1: the output has the type of their sums */
    int conjugates; /**< 1: its matrices have the conjugates of the values that it is given */
    int adjoint;    /**< 1: `transpose` has the others than it */
    rc_layout_t layout;
    int64_t ld_in[RC_INPUTS_MAX]; /**< that runs will have; 0: the least */
    int64_t ld_out;
    int64_t memory; /**< 0: any */
    int deterministic;
    int threads;
    int64_t until_ns; /**< by rc_plan_now: an order that is not built by then is given up; 0: any */
    /** While a search goes on: how long orders and prepared matrices may still be made again, whose
     *  least time counts; 0: none is. */
    int64_t again_ns;
    int k_range;                /**< 1: an entry serves the K below it too */
    rc_users_t *users;          /**< plans that use the same prepared matrices */
    rc_csr_t a;                 /**< the pattern on the host; row_ptr NULL: its sizes alone, see
                     rc_plan_pattern_here; val is NULL */
    rc_plan_pattern_t *pattern; /**< the same in memory of the executor, owned */
    rc_plan_facts_t facts;
    rc_plan_values_t values;
    int stale;     /**< 1: newer values are in the prepared matrices alone */
    int64_t *from; /**< [nnz] where a value was in the caller's matrix, with the pattern on the
                        host; NULL: in its own place */
    /** The caller's row pointers alone, where the pattern was not read there, while the plan is
     *  made; row_ptr NULL: not there. */
    rc_resident_t pointers;
    rc_resident_t resident; /**< the matrix on the device, while candidates are prepared */
    double resident_ns;     /**< that its upload took, but for the pattern's */
    int64_t resident_bytes; /**< of it that are the plan's beside the pattern's */
    int resident_state;     /**< 1: it is there; 0: not yet; -1: there is no memory for it */
    /** [names] Orders that an entry was asked for: the text of one that a file gives tells the
     *  content of the file, and not where it is. */
    rc_policy_spec_t *named;
    int names;
    rc_plan_order_t **order; /**< [orders], each at an address of its own: trials point into it */
    int orders;
    rc_plan_entry_t *entry; /**< [entries] */
    int entries;
    int both;             /**< 1: made for the product with A' too */
    rc_plan_t *transpose; /**< what multiplies by A', owned, of the same executor; NULL: what is
                               prepared here does, or nothing */
    rc_plan_seen_t seen;
};

/** What a plan of one product is made of. */
typedef struct rc_plan_request {
    rc_plan_place_t place;
    rc_plan_problem_t problem;
    rc_plan_matrix_t a;
} rc_plan_request_t;

/** Dense operands that hold zeros, for timing and preprocessing. */
typedef struct rc_plan_scratch {
    rc_operands_t o;
    int held; /**< 1: there is memory */
} rc_plan_scratch_t;

/** 1: what was made `times` times, in so many ns at least, is to be made once more: the first time
 *  takes up to twenty times another one, with cold code and fresh memory, or beside other programs.
 *  That is taken from plan->again_ns. */
int rc_plan_makes_again(rc_plan_t *plan, int times, double ns);

/* ---------------------------------------------------------------- matrix.c */

/** Check a matrix and copy its pattern, rows sorted by column.
 *  \param[out] from  as in rc_plan; free()
 *  \return as rc_plan_new */
rc_status_t rc_plan_matrix_read(const rc_plan_place_t *place, const rc_plan_matrix_t *m,
    rc_csr_t *out, int64_t **from, rc_err_t *err);

/** Arrays of a pattern; free with rc_csr_free, after an error too.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_plan_matrix_alloc(
    int64_t rows, int64_t cols, int64_t nnz, rc_csr_t *out, rc_err_t *err);

/** What row pointers on the host say.  Cost O(rows). */
rc_plan_facts_t rc_plan_facts_of(const rc_csr_t *a);

/** Threads that a matrix of so many entries is worth. */
int rc_plan_threads(const rc_executor_t *x, int64_t nnz);

/** Arguments of rc_pattern_read_host and rc_pattern_read.  \return RC_OK, RC_EINVAL, RC_ERANGE */
rc_status_t rc_plan_pattern_check(
    const rc_plan_matrix_t *a, int on_device, const rc_pattern_info_t *out, rc_err_t *err);

/** Digest of shape, row pointers and columns.  Cost O(nnz). */
rc_status_t rc_plan_pattern(const rc_csr_t *a, rc_digest_t *out, rc_err_t *err);

/* --------------------------------------------------------------- pattern.c */

/** Check a matrix and bring its pattern into memory of the executor where it is read there, else
 *  onto the host.  \return as rc_plan_new */
rc_status_t rc_plan_pattern_read(rc_plan_t *plan, const rc_plan_matrix_t *m, rc_err_t *err);

/** Row pointers and columns in memory of the executor, `val` NULL; NULL: they are not there. */
const rc_resident_t *rc_plan_pattern_there(const rc_plan_t *plan);

/** Bring the pattern onto the host, plan->a and plan->from, where it is not yet: for what only
 *  the host can do.  \return RC_OK, RC_ENOMEM, RC_EDEVICE.  Cost O(nnz), the first time. */
rc_status_t rc_plan_pattern_here(rc_plan_t *plan, rc_err_t *err);

/** A copy on the host of a pattern that is there.
 *  \param[out] out   free with rc_csr_free  \param[out] from  as in rc_plan, free()
 *  \return as rc_plan_pattern_here */
rc_status_t rc_plan_pattern_copy(
    const rc_plan_t *plan, rc_csr_t *out, int64_t **from, rc_err_t *err);

/** 1: entries of the plan are in another order than the caller's. */
int rc_plan_is_moved(const rc_plan_t *plan);

/** Bytes of it in memory of the executor that are the plan's. */
int64_t rc_plan_pattern_bytes(const rc_plan_t *plan);

/** The pattern is on the host, or of no use: release what is there. */
void rc_plan_pattern_leave(rc_plan_t *plan);

/** The caller's arrays are not borrowed any more: keep what later calls need, in memory of the
 *  executor where that allows it, asked for there and not waited for, else on the host.
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_plan_pattern_settle(rc_plan_t *plan, rc_err_t *err);

/** The pattern for a copy of a plan, which shares what is there.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_plan_pattern_clone(const rc_plan_t *plan, rc_plan_t *to, rc_err_t *err);

/* --------------------------------------------------------------- operands.c */

/** Whether a dense matrix is there, aligned, with a leading dimension that is large enough.
 *  \param[in] x  of its memory  \return RC_OK or RC_EINVAL: names it */
rc_status_t rc_plan_dense_check(
    const rc_executor_t *x, const rc_dense_t *m, const char *name, rc_err_t *err);

/** 1: two dense matrices of one type share memory. */
int rc_plan_dense_overlap(const rc_dense_t *a, const rc_dense_t *b);

/** Whether operands can be what a plan multiplies by and stores to.
 *  \param[in] op  of the plan, or of the twin of its kernels  \param[in] o  of rc_plan_operands
 *  \return RC_OK or RC_EINVAL: names the operand */
rc_status_t rc_plan_operands_check(
    const rc_executor_t *x, rc_op_t op, const rc_operands_t *o, rc_err_t *err);

/** The operands with the shapes of an operation on the matrix of the plan. */
rc_operands_t rc_plan_operands(
    const rc_plan_t *plan, rc_op_t op, int64_t k, const rc_operands_t *o);

/** Whether the leading dimensions of the problem are none or large enough for a K.
 *  \return RC_OK or RC_EINVAL: names the operand */
rc_status_t rc_plan_strides_check(const rc_plan_t *plan, int64_t k, rc_err_t *err);

/** Allocate operands of zeros, with the leading dimensions of the problem.  \return RC_OK,
 *  RC_ENOMEM (nothing is held), RC_EDEVICE */
rc_status_t rc_plan_scratch_new(
    const rc_plan_t *plan, int64_t k, rc_plan_scratch_t *out, rc_err_t *err);
void rc_plan_scratch_free(const rc_plan_t *plan, rc_plan_scratch_t *s);

/** Bytes of such operands. */
int64_t rc_plan_dense_bytes(const rc_plan_t *plan, int64_t k);

/* -------------------------------------------------------------- candidates.c */

/** List the candidates of an entry, best first as far as the model says.
 *  \param[in,out] entry  its part's k is set; gets candidates, reference and why
 *  \return as rc_plan_new */
rc_status_t rc_plan_candidates(
    rc_plan_t *plan, const rc_plan_options_t *options, rc_plan_entry_t *entry, rc_err_t *err);

/** A candidate more, of which nothing is known; those there are may move.
 *  \return RC_OK, RC_ENOMEM, RC_EINVAL (a text that is too long) */
rc_status_t rc_plan_candidate_add(
    rc_plan_entry_t *e, const char *kernel, const char *order, rc_err_t *err);

/** 1: kernels are named, and each has the product with A' too, of its one prepared matrix.
 *  \param[in] kernels  of the options */
int rc_plan_kernels_serve_both(const rc_plan_request_t *r, const char *kernels);

/* ------------------------------------------------------------------- trial.c */

/** A candidate that is to be prepared. */
typedef struct rc_plan_try {
    int64_t k;
    const rc_plan_trial_t *of; /**< NULL, or the same in another plan, whose matrix is to be shared
                                    where the kernel can */
    int64_t kept;              /**< bytes of other preparations that stay */
    rc_plan_scratch_t *scratch;
    rc_plan_candidate_t *candidate; /**< gets what is found out of it */
    int alone;                      /**< 1: it shares nothing with another K either */
} rc_plan_try_t;

/** Build a candidate's order (or find it), analyse and prepare, or share what another K of the plan
 *  has prepared.  What does not allow it becomes the status of the candidate.
 *  \return RC_OK (also when the candidate cannot be used: then trial->state is NULL); RC_EDEVICE */
rc_status_t rc_plan_trial_prepare(
    rc_plan_t *plan, const rc_plan_try_t *what, rc_plan_trial_t *trial, rc_err_t *err);

/** Time products of a prepared candidate that follow each other.  \param[out] ns  of all of them
 *  \return RC_OK, what a run says, RC_EDEVICE */
rc_status_t rc_plan_trial_batch(rc_plan_t *plan, const rc_plan_scratch_t *scratch,
    const rc_plan_trial_t *trial, int64_t batch, int64_t *ns, rc_err_t *err);

/** Products that last about so long. */
int64_t rc_plan_batch_of(int64_t product_ns, int64_t batch_ns);

/** A batch more, where there is room: the time of the candidate is the median of all.
 *  \param[in] ns  of the whole batch */
void rc_plan_timing_add(rc_plan_timing_t *t, int64_t ns, rc_plan_candidate_t *c);

/** The same where there are few: the error is not taken to be less than a few batches can tell. */
void rc_plan_timing_few(rc_plan_timing_t *t, int64_t ns, rc_plan_candidate_t *c);

/** The time of the candidate is that of the fastest batch, for other programs make batches longer,
 *  never shorter; the error is what the fastest quarter of them lies apart. */
void rc_plan_timing_fastest(rc_plan_timing_t *t, rc_plan_candidate_t *c);

/** Time a few batches of a prepared candidate, more than before; its time is the median of all.
 *  \param[in,out] t  with RC_PLAN_SAMPLES_MOST it stays as it is  \return RC_OK, RC_EDEVICE */
rc_status_t rc_plan_trial_time(rc_plan_t *plan, const rc_plan_scratch_t *scratch,
    rc_plan_candidate_t *c, const rc_plan_trial_t *trial, rc_plan_timing_t *t, rc_err_t *err);

void rc_plan_trial_free(rc_plan_trial_t *trial);

/** A trial at another address.  \param[in,out] from  is emptied  \param[out] to  not freed */
void rc_plan_trial_move(rc_plan_trial_t *from, rc_plan_trial_t *to);

/** A trial that is in no entry any more goes: of the entries that share its matrix one owns it. */
void rc_plan_trial_hand_over(rc_plan_t *plan, const rc_plan_trial_t *trial);

/** 1: the matrix of a trial is the one that an entry of another K owns. */
int rc_plan_trial_has_owner(const rc_plan_t *plan, const rc_plan_trial_t *trial);

/** A candidate is what was found out. */
void rc_plan_candidate_is(rc_plan_candidate_t *c, rc_status_t st, const rc_err_t *why);

/** Pattern, order and values for preparing a trial where its kernel reads them: on the device,
 *  and on the host what it reads there.
 *  \param[in] resident  NULL: all on the host  \param[in,out] p  the problem of the trial
 *  \return as rc_plan_values_here */
rc_status_t rc_plan_give(rc_plan_t *plan, const rc_plan_trial_t *trial,
    const rc_resident_t *resident, rc_problem_t *p, rc_err_t *err);

/** Memory is short: what the plan has on the device of the matrix goes, and the pattern comes to
 *  the host.  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_plan_withdraw(rc_plan_t *plan, rc_err_t *err);

/** Free the orders of a plan. */
void rc_plan_orders_free(rc_plan_t *plan);

/** Rows of an order on the host, where they are not yet.  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_plan_order_here(rc_plan_order_t *o, rc_err_t *err);

/** Whether the times of a part disagree too much to be sure of what was chosen by them.
 *  \param[in] index  of the plan's own parts  \return RC_OK, RC_ENOMEM */
rc_status_t rc_plan_is_uncertain(const rc_plan_t *plan, int index, int *out, rc_err_t *err);

/** All candidates were tried: no order has rows on the device but those that are there alone and
 *  that a part runs. */
void rc_plan_orders_settle(rc_plan_t *plan);

/** The matrix on the device, which rc_plan_resident_drop ends; NULL: memory is short. */
const rc_resident_t *rc_plan_resident(rc_plan_t *plan);

/** The matrix is not needed on the device any more: no candidate is prepared for now. */
void rc_plan_resident_drop(rc_plan_t *plan);

/** 1: orders that are made for one are those for the other. */
int rc_plan_same_geometry(const rc_geometry_t *a, const rc_geometry_t *b);

/** 1: an order of that text was built, and leaves the rows where they are. */
int rc_plan_order_keeps(const rc_plan_t *plan, const char *text);

/** The order of a text for a geometry, built when it is not there yet.
 *  \param[out] index  in plan->order
 *  \return RC_OK; what building returns; RC_ENOTSUP: it renumbers columns too; RC_EDEVICE */
rc_status_t rc_plan_order_get(
    rc_plan_t *plan, const char *text, const rc_geometry_t *g, int *index, rc_err_t *err);

/** Rows of an order in memory of the executor; NULL: no memory, and they are on the host. */
const int32_t *rc_plan_order_there(rc_plan_t *plan, rc_plan_order_t *o);

/** Take an order.  \param[in] order  its schedule and memory are the plan's afterwards, also after
 *  an error; with rows on the host `identity` is found out  \param[out] index  in plan->order */
rc_status_t rc_plan_order_add(
    rc_plan_t *plan, const rc_plan_order_t *order, int *index, rc_err_t *err);

/* -------------------------------------------------------------------- tune.c */

/** Time by the clock of the place. */
int64_t rc_plan_now(const rc_plan_place_t *place);

/** What a time may be off by: two standard errors, in ns. */
double rc_plan_timing_margin(const rc_plan_timing_t *timing, double time_ns);

/** 1: another algorithm of the vendor's may be faster than a candidate that was timed.
 *  \param[in] best  its index; -1: none was */
int rc_plan_others_can_win(const rc_plan_entry_t *e, int best);

/** Choose among the candidates of an entry and prepare the chosen one.
 *  \return as rc_plan_new */
rc_status_t rc_plan_choose(
    rc_plan_t *plan, const rc_plan_options_t *options, rc_plan_entry_t *entry, rc_err_t *err);

/* ------------------------------------------------------------------ values.c */

/** Whether a number of a caller is a type that a plan on an executor can have.
 *  \param[in] what  has it: "values"
 *  \return RC_OK; RC_EINVAL: it is none; RC_ENOTSUP */
rc_status_t rc_plan_type_check(
    const rc_executor_t *x, rc_precision_t t, const char *what, rc_err_t *err);

/** Values of a caller, borrowed. */
rc_plan_values_t rc_plan_values_of(const void *val, rc_precision_t type, int on_device);
void rc_plan_values_free(rc_plan_values_t *v);

/** The values on the host, in the plan's order and of plan->values.type; borrowed.
 *  \param[out] out  NULL without entries
 *  \return RC_OK, RC_ENOTSUP (the plan has none), RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_plan_values_here(rc_plan_t *plan, const void **out, rc_err_t *err);

/** The values in memory of the executor, in the plan's order and precision; asked for and on a GPU
 *  not waited for.
 *  \param[out] out  release() of the executor, after an error too; NULL without entries
 *  \return as rc_plan_values_here */
rc_status_t rc_plan_values_there(rc_plan_t *plan, void **out, rc_err_t *err);

/** The caller's are not borrowed any more: a plan whose copies cannot share its matrices keeps a
 *  copy, on the device where the pattern is there and any memory may be taken, else on the host;
 *  another one keeps nothing.
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_plan_values_settle(rc_plan_t *plan, rc_err_t *err);

/** The newest values, as a copy of the plan keeps them: to->values.
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_plan_values_newest(const rc_plan_t *plan, rc_plan_t *to, rc_err_t *err);

/** The caller's values in memory of the executor, where they are in the plan's order and serve as
 *  they are, in their own type; NULL: rc_plan_values_there makes some. */
const void *rc_plan_values_borrow(const rc_plan_t *plan);

/** Release those that are the plan's in memory of the executor. */
void rc_plan_values_leave(rc_plan_t *plan);

/* ------------------------------------------------------------------ update.c */

/** 1: new values in device memory are put in place without waiting for anything. */
int rc_plan_updates_async(const rc_plan_t *plan);

void rc_plan_gather_free(rc_plan_t *plan, rc_plan_entry_t *e);

/** What an entry has chosen, prepared once more of the values that the plan has now.
 *  \param[in]  of   as in rc_plan_try_t
 *  \param[out] out  free with rc_plan_trial_free
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE, what the kernel says */
rc_status_t rc_plan_prepare_again(rc_plan_t *plan, const rc_plan_entry_t *e,
    const rc_plan_trial_t *of, rc_plan_trial_t *out, rc_err_t *err);

/* -------------------------------------------------------------------- plan.c */

/** The entry that runs a K.  \return RC_OK or RC_ERANGE: the text names those that there are */
rc_status_t rc_plan_entry_of(
    const rc_plan_t *plan, int64_t k, rc_plan_entry_t **out, rc_err_t *err);

/** A plan of a checked problem without choices: matrix and empty entries.  For rc_plan_open
 *  too.  \param[in] memory  that it may take; 0: any  \param[out] out  free with rc_plan_free */
rc_status_t rc_plan_begin(const rc_plan_place_t *place, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, int64_t memory, rc_plan_t **out, rc_err_t *err);

/** A plan that has chosen borrows nothing of the caller any more.  Waits.
 *  \return RC_OK, RC_ENOMEM, RC_EDEVICE */
rc_status_t rc_plan_settle(rc_plan_t *plan, rc_err_t *err);

/** \return RC_OK or RC_EINVAL: names what is wrong */
rc_status_t rc_plan_problem_check(const rc_plan_problem_t *p, rc_err_t *err);

/** Whether bits are those of rc_plan_options_t.transposed.  \return RC_OK, RC_EINVAL */
rc_status_t rc_plan_turn_check(int transposed, rc_err_t *err);

/** As rc_plan_new of checked options, of one product. */
rc_status_t rc_plan_make(const rc_plan_place_t *place, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, const rc_plan_options_t *options, rc_plan_t **out, rc_err_t *err);

/* ------------------------------------------------------------------- both.c */

/** What the two plans of one for A and A' are made of: of the arrays of the caller.
 *  \param[out] out  of the product itself and of the one with the transposed matrix
 *  \return RC_OK, RC_EINVAL */
rc_status_t rc_plan_both_of(
    const rc_plan_request_t *asked, rc_plan_request_t out[2], rc_err_t *err);

/** As rc_plan_new, of options that ask for both products. */
rc_status_t rc_plan_both_new(const rc_plan_request_t *asked, const rc_plan_options_t *options,
    rc_plan_t **out, rc_err_t *err);

/** A plan gets the other one.  \param[in] transpose  owned by it then; NULL: it needs none */
void rc_plan_both_join(rc_plan_t *plan, rc_plan_t *transpose);

/** The plan that has a part.  \param[in,out] index  of all parts; of that plan's */
const rc_plan_t *rc_plan_of_part(const rc_plan_t *plan, int *index);

/* ------------------------------------------------------------------ calls.c */

/** A plan that was made takes over its home, once all that was asked for is done; without a plan
 *  the home is freed.
 *  \param[in,out] out  the plan, where `st` is RC_OK; else NULL afterwards
 *  \return `st`, or what waiting says */
rc_status_t rc_plan_give_home(
    rc_plan_home_t *home, rc_executor_t *x, rc_status_t st, rc_plan_t **out, rc_err_t *err);

/** \return RC_OK; RC_EINVAL: no plan, or one that has no home */
rc_status_t rc_plan_has_home(const rc_plan_t *plan, rc_err_t *err);

#endif
