/** \file sweep/worklist.h  From catalogue, lists and store to what is left to do.  Pure: no files,
 *  no MPI; the store comes in as a view (NULL: there is none yet) and as the results that journals
 *  still hold. */
#ifndef RC_SWEEP_WORKLIST_H
#define RC_SWEEP_WORKLIST_H

#include "base/map.h"
#include "base/type.h"
#include "store/record.h"
#include "table/view.h"
#include "sweep/sweep.h"

enum { RC_WORKLIST_KERNELS_MAX = 256, RC_WORKLIST_POLICIES_MAX = 256 };

/** What a device class means for cases: its name, what its kernels can do and roughly how fast. */
typedef struct rc_profile {
    char class_name[160];
    rc_device_kind_t kind;
    rc_geometry_t geometry[RC_WORKLIST_KERNELS_MAX][RC_TYPES];
    double entry_s;       /**< guess: per entry of A and column of B, or row and column of C */
    int ranks;            /**< of this class that measure at once: a matrix may be divided over so
                           many */
    double case_s;        /**< guess: of a case, however small */
    double prepare_s;     /**< guess: loading and ordering, relative to a CPU rank's, as far as the
                           device waits for it */
    int64_t memory_limit; /**< bytes of the host, and of the device, that a rank may take: what
                               lacked */
    int64_t device_limit; /**< memory is tried again when it fits now; 0: it is left as it is */
} rc_profile_t;

/** Profile of a device under a configuration; the override of the geometry is applied. */
void rc_profile_make(const rc_sweep_config_t *c, const rc_device_t *d, rc_profile_t *out);

/** A block of cases that differ in nothing but policy: what one measurement group takes.  The
 *  exceptions are csr, whose case says `original` in each block (in schedule order it is the same
 *  product), and symmetric orders, whose case says `symmetric`. */
typedef struct rc_block {
    int kernel; /**< index into the configuration */
    rc_precision_t precision;
    int64_t k; /**< resolved; 0 where the operation has none */
    int empty; /**< 1: it has no cases */
    rc_c_order_t c_order;
    rc_geometry_t geometry;
} rc_block_t;

/** Number of blocks of a configuration: kernels x precisions x ks x row orders of C. */
int rc_worklist_blocks(const rc_sweep_config_t *c);

/** Block i for a matrix with `cols` columns.  Blocks whose K repeats an earlier one (K = n that
 *  equals a number of the list; any but the first of an operation without K), and blocks whose C
 *  the kernel cannot store in that order, are empty. */
void rc_worklist_block(
    const rc_sweep_config_t *c, const rc_profile_t *p, int i, int64_t cols, rc_block_t *out);

/** The case of a block under policy number `policy`.
 *  \return 1; 0 when the case belongs to another block of the configuration: csr and symmetric
 *          orders with C in schedule order where the original order is asked for too */
int rc_worklist_case(const rc_sweep_config_t *c, const rc_profile_t *p, const rc_block_t *b,
    int policy, rc_digest_t matrix, rc_case_t *out);

/** A configuration as it is for one matrix: of file:dir/%n.txt the order of that.
 *  \param[out] policy  [policies], which `own` borrows */
void rc_worklist_own(const rc_sweep_config_t *c, const rc_entry_t *e, rc_policy_spec_t *policy,
    rc_sweep_config_t *own);

/** State of an identity (case, feature row); what is left to do comes first. */
typedef enum rc_worklist_state {
    RC_WORKLIST_PENDING = 0,
    RC_WORKLIST_AGAIN = 1,   /**< done, and timed again beside what is pending: what differs between
                                  runs is then in neither's ratio */
    RC_WORKLIST_SUSPECT = 2, /**< pending, and in flight in a run that died: to be run alone */
    RC_WORKLIST_DONE = 3,
    RC_WORKLIST_FAILED = 4, /**< done, and wrong, failed, crashed or skipped for want of memory */
    RC_WORKLIST_TIMED = 5   /**< done, and ok, before the last run that left nothing to do */
} rc_worklist_state_t;

/** What is known of an identity, pending when nothing is.
 *  \param[in] known  case or feature id -> rc_worklist_state_t */
rc_worklist_state_t rc_worklist_state(const rc_map_t *known, rc_digest_t id);

/** 1: nothing is left to do for an identity, with whatever outcome. */
int rc_worklist_is_done(const rc_map_t *known, rc_digest_t id);

/** What is known from a store and from unfolded journals.
 *  Cases that match `redo` are left out, so that they are pending again; so are those that lacked
 *  memory and may not any more.
 *  \param[in] profile  [profiles] device classes of this sweep, for their memory
 *  \param[in] fresh, fresh_count  case ids that journals hold and the store does not */
rc_status_t rc_worklist_gather(const rc_view_t *v, const rc_expr_t *redo_cases,
    const rc_profile_t *profile, int profiles, const rc_digest_t *fresh, size_t fresh_count,
    rc_map_t *out, rc_err_t *err);

/** 1: a case of a state is left to do.  \param[in] policy  its number */
int rc_worklist_is_left(const rc_sweep_config_t *c, int policy, rc_worklist_state_t state);

/** A block of a matrix that is known, while its baselines are looked for. */
typedef struct rc_known_block {
    rc_block_t block;
    rc_digest_t csr;
    rc_worklist_state_t csr_state;
} rc_known_block_t;

/** A matrix whose digest is known, on a device class. */
typedef struct rc_known_matrix {
    const rc_sweep_config_t *c;
    const rc_profile_t *profile;
    rc_digest_t digest;
    int64_t cols;
    rc_map_t *known;
    rc_known_block_t *block; /**< [rc_worklist_blocks] to work in */
} rc_known_matrix_t;

/** With `repeat`, make baselines of a matrix that are ok AGAIN beside its pending cases: csr of the
 *  block; csr of the vendor's kernels that are selected, of the same operation, K and precision;
 *  where there is neither csr of another kernel.
 *  \param[in,out] few  matrices with such another one, of which there are at most eight */
void rc_worklist_repeat(const rc_known_matrix_t *a, int *few);

typedef struct rc_worklist {
    rc_sweep_item_t *item; /**< longest first */
    int64_t items;
    rc_sweep_plan_t plan;
    int64_t *absent; /**< entries to be recorded without being read: absent, or rc_worklist_unfit */
    int64_t absents;
    rc_effort_t effort;
} rc_worklist_t;

/** What cases of a matrix are thought to take, and what loading and ordering it is.
 *  \param[in] k  0: the operation has none */
rc_effort_t rc_worklist_effort(
    const rc_profile_t *p, const rc_work_size_t *size, int64_t k, int64_t cases);
rc_effort_t rc_worklist_load_effort(
    const rc_profile_t *p, const rc_work_size_t *size, int policies);

/** In how many parts a matrix is dealt out.  Each part loads it and builds its orders again, so
 *  none takes less time than that.
 *  \param[in] cost_s, lead_s  estimated time of all of it, and until there is something to measure
 *  \param[in] share_s  estimated time of a rank, of all matrices
 *  \param[in] blocks   with work left: what is timed in turns stays together
 *  \return 1 to blocks */
int64_t rc_worklist_parts(double cost_s, double lead_s, double share_s, int64_t blocks);

/** Cut blocks into parts that take about as long.
 *  \param[in]  cost_s  [blocks]; 0: nothing is left to do there
 *  \param[out] first   [parts + 1] first block of each part, and `blocks` behind the last; each
 *      part has one with work
 *  \return parts there are, at most `parts` */
int64_t rc_worklist_cut(const double *cost_s, int64_t blocks, int64_t parts, int64_t *first);

/** Whether a record has no room for the name of an entry, or for its path.
 *  \param[out] why  of size RC_MESSAGE_MAX + 1
 *  \return 1, or 0: it has room */
int rc_worklist_unfit(const rc_entry_t *e, char *why);

/** Expand the selection over the device classes; what takes too long for one rank is divided.
 *  \param[in] redo_sources  catalogue rows that match are loaded again; NULL: none
 *  Free with rc_worklist_free. */
rc_status_t rc_worklist_make(const rc_sweep_config_t *c, const rc_profile_t *profile, int profiles,
    const rc_view_t *v, const rc_expr_t *redo_sources, rc_map_t *known, rc_worklist_t *out,
    rc_err_t *err);
void rc_worklist_free(rc_worklist_t *p);

/** Give the items of rank 0, and what it knows of the cases, to all ranks.  Collective.
 *  \return RC_OK, RC_ENOMEM, RC_EMPI */
rc_status_t rc_worklist_share(
    const rc_session_t *s, rc_worklist_t *work, rc_map_t *known, rc_err_t *err);

#endif
