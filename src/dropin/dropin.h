/** \file dropin/dropin.h  The state behind the interposed functions.
 *
 *  There is one in a process, because the functions that it stands in for have no place to carry
 *  it. */
#ifndef RC_DROPIN_DROPIN_H
#define RC_DROPIN_DROPIN_H

#include "dropin/known.h"

#include <pthread.h>

enum { RC_TRUSTED_MOST = 64 };

/** A descriptor that was preprocessed for an operation: in products of that its pattern may not
 *  change until it is preprocessed again. */
typedef struct rc_trusted {
    cusparseConstSpMatDescr_t descr; /**< NULL: free */
    rc_op_t op;
    const void *row_ptr;
    const void *col_idx;
    const rc_known_t *known; /**< whose check counts */
    uint64_t number;         /**< of the first check since; 0: none */
} rc_trusted_t;

/** A plan to be made. */
typedef struct rc_making_job {
    rc_known_t *known; /**< NULL: none */
    void *copy;
    rc_making_t how;
    int tuned;       /**< 1: a better one, beside the first */
    int changes;     /**< of the pattern, when it was copied */
    int resets;      /**< of devices, likewise */
    rc_past_t named; /**< what `how` names */
    rc_held_t *held; /**< where the plan goes */
    void *plan;
    rc_made_t made;
    double seconds;
    int done;
} rc_making_job_t;

/** What making plans has cost and brought; seconds. */
typedef struct rc_account {
    double spent;    /**< in making, in opening the engine and in loading kernels */
    double won;      /**< by plans that are faster than cuSPARSE */
    double lost;     /**< by those that were not, and in products made twice */
    double ratio[2]; /**< of what making took to what was expected, of first and of tuned plans;
                          0: not known */
    double gains;    /**< sum of cuSPARSE's time over the plan's */
    int tried;       /**< plans in that sum */
    double better;   /**< sum of a plan's time over the tuned one's */
    int improved;    /**< plans in that sum */
    int fresh;       /**< patterns that began since a plan was kept */
} rc_account_t;

enum { RC_DEVICES = 16 };

/** What the engine asks for once. */
typedef enum rc_prepared { RC_PREPARED_NOT, RC_PREPARED_ASKED, RC_PREPARED } rc_prepared_t;

/** Everything; under its lock. */
typedef struct rc_dropin {
    pthread_mutex_t lock;
    rc_settings_t settings;
    const rc_engine_t *engine;        /**< NULL: none could be opened */
    rc_known_t *known[RC_KNOWN_MOST]; /**< the last used first */
    int count;
    rc_trusted_t trusted[RC_TRUSTED_MOST];
    uint64_t number; /**< of checks, without tags */
    uint64_t tags;   /**< of patterns, given out */
    uint64_t calls;
    uint64_t asked[RC_OPS];        /**< calls by operation */
    uint64_t done[RC_OPS][2];      /**< of them, by plans and by kernels on the program's arrays */
    uint64_t why[RC_OPS][RC_WHYS]; /**< calls by what became of them */
    rc_account_t account;
    uint64_t made;       /**< plans begun */
    double loaded;       /**< when this library was, by the system's clock */
    double start;        /**< of the first product, by rc_making_now; 0: there was none */
    int64_t bytes;       /**< of plans */
    uint64_t forgotten;  /**< patterns */
    uint64_t from_cache; /**< plans that began with a choice of an earlier run */
    rc_choice_folder_t cache;
    char device[RC_DEVICES][RC_ENGINE_TEXT]; /**< names; "": not asked */
    uint64_t context[RC_DEVICES];            /**< of each; 0: not known */
    int resets;                              /**< that a product has found */
    int forked; /**< 1: this is a child, whose GPU is not to be touched */
    rc_prepared_t prepared;
    int prepared_on; /**< the device */
    rc_making_job_t job;
    rc_held_t *dead;         /**< plans that nobody has any more, to be freed without the lock */
    rc_captured_t *captured; /**< that hold plans, the newest first */
    int in_graphs;           /**< plans */
    pthread_t worker;
    pthread_cond_t wake;
    uint64_t said; /**< to it, how often */
    int working;   /**< 1: there is a thread */
    int stop;
} rc_dropin_t;

/** A call between its beginning and its end. */
typedef struct rc_turn {
    rc_why_t why;      /**< RC_WHY_PLAN: it is done */
    rc_known_t *known; /**< that is being timed; NULL: none */
    void *stream;
    int resets; /**< of devices when it was found */
    int direct; /**< 1: by a kernel on the program's arrays, where it is done */
    int failed; /**< 1: it was not done, and cuSPARSE cannot do it any more */
} rc_turn_t;

/** The state, set up at the first call. */
rc_dropin_t *rc_dropin(void);

/** 1: this thread runs products of the drop-in's own, which are not for it, or the process is a
 *  child of fork: a thread that is not there may have had the lock. */
int rc_dropin_inside(void);
void rc_dropin_enter(void);
void rc_dropin_leave(void);

/** A product that is understood: run a plan, or say why not and whether cuSPARSE's run is timed. */
rc_turn_t rc_dropin_begin(rc_dropin_t *d, const rc_asked_t *p, cusparseConstSpMatDescr_t descr);
/** \param[in] done  0: cuSPARSE refused it, which has no time */
void rc_dropin_end(rc_dropin_t *d, const rc_turn_t *turn, int done);

/** Plans that have been idle for RC_IDLE calls go where there is no memory left in the budget. */
void rc_known_make_memory(rc_dropin_t *d);

/** The number of the next check for a pattern. */
uint64_t rc_known_number(rc_dropin_t *d, const rc_known_t *known);

/** After the last user a plan is among the dead; NULL is allowed. */
void rc_known_leave(rc_dropin_t *d, rc_held_t *held);

/** The trial of a better plan, if there is one, is over: the plan that is not kept goes. */
void rc_known_leave_next(rc_dropin_t *d, rc_known_t *known);

/** The pattern has no plan any more. */
void rc_known_drop(rc_dropin_t *d, rc_known_t *known);

/** The pattern is another one from now on. */
void rc_known_changed(rc_dropin_t *d, rc_known_t *known);

/** A product is of that context.  Where its device had another one all that the engine has made is
 *  gone with it, and nothing of it is given back. */
void rc_known_context(rc_dropin_t *d, int device, uint64_t context);

/** What is known of a descriptor that is trusted; NULL: it is not. */
rc_trusted_t *rc_known_trusted(
    rc_dropin_t *d, cusparseConstSpMatDescr_t descr, const rc_asked_t *p);

/** A descriptor was preprocessed for an operation, with that product, or, where that is NULL, one
 *  that is not understood. */
void rc_trust(rc_dropin_t *d, cusparseConstSpMatDescr_t descr, rc_op_t op, const rc_asked_t *p);
/** It is none any more, or another one. */
void rc_distrust(rc_dropin_t *d, cusparseConstSpMatDescr_t descr);

/** The entry of a product, made where there is none; NULL: no room. */
rc_known_t *rc_known_find(rc_dropin_t *d, const rc_asked_t *p, int device);

/** 1: such a product is cuSPARSE's for good, or in this call.  Nothing more is asked of the host,
 *  which may be the bound.  \param[out] why  set with 1 */
int rc_known_passes(rc_dropin_t *d, const rc_asked_t *p, rc_why_t *why);

/** The entry of such a product on any stream, with a plan that is kept and that a graph may hold;
 *  NULL: there is none. */
rc_known_t *rc_known_kept(rc_dropin_t *d, const rc_asked_t *p, int device);

/** 1: the entry has a plan of the same pattern at another address now. */
int rc_known_adopt(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p);

/** 1: a plan of what may be the same pattern is being made or tried: this one may have it, too. */
int rc_known_waits(const rc_dropin_t *d, const rc_known_t *known);

/** What the checks of a plan have said until now. */
void rc_known_changes(rc_dropin_t *d, const rc_held_t *held);

/* ------------------------------------------------------------------- trial.c */

/** The middle one; 0: none. */
double rc_times_median(const rc_times_t *t);
void rc_times_free(rc_dropin_t *d, rc_times_t *t);

/** Take the times of earlier calls that the stream has got to. */
void rc_trial_take(rc_dropin_t *d, rc_known_t *known);

/** Times of cuSPARSE are taken anew; the last ones are only an estimate. */
void rc_times_renew(rc_known_t *known);

/** Begin to time a call.  1: its end is to be marked. */
int rc_times_begin(rc_dropin_t *d, rc_known_t *known, rc_times_t *t, void *stream);
void rc_times_end(rc_dropin_t *d, rc_known_t *known, rc_times_t *t, void *stream);

/** It has a plan: the times say whether it stays. */
void rc_trial_plan(rc_known_t *known);
/** It has a better one beside it: they say which of both stays. */
void rc_trial_better(rc_dropin_t *d, rc_known_t *known, rc_held_t *next);
/** Time the kernel that is kept again and again: see whether it is as fast as it was. */
void rc_trial_again(rc_dropin_t *d, rc_known_t *known);
/** ns that the plan takes: the longer, of what it took and takes.  0: not known */
double rc_trial_kept(const rc_known_t *known);
/** What the times say until now. */
void rc_trial_decide(rc_dropin_t *d, rc_known_t *known);

/** A call begins: see pace.c. */
void rc_pace_call(rc_dropin_t *d, rc_known_t *known, void *stream);

/** 1: the program's host is the bound, and it is slower with the plan.  Asked once. */
int rc_pace_suffers(rc_known_t *known);

/** Who multiplies in this call of a trial: RC_WHY_PLAN or RC_WHY_TRYING. */
rc_why_t rc_trial_turn(const rc_dropin_t *d, const rc_known_t *known);
/** The plan of this call, and where its time goes; NULL: it is not timed. */
rc_held_t *rc_trial_held(rc_known_t *known, rc_times_t **times);

/* ------------------------------------------------------------------- worth.c */

/** Calls of a pattern that are not looked at: few, until many patterns did not come back. */
int rc_worth_patience(const rc_dropin_t *d);

/** 1: the account is looked at in this call, as it is not in each. */
int rc_worth_is_time(const rc_known_t *known);

/** Seconds that making a plan is expected to take.  \param[in] tuned  1: a better one */
double rc_worth_estimate(const rc_dropin_t *d, const rc_known_t *known, int tuned);
/** What it may take, in doubt. */
double rc_worth_most(const rc_dropin_t *d, const rc_known_t *known, int tuned);
void rc_worth_learn(rc_dropin_t *d, const rc_known_t *known, int tuned, double seconds);

/** 1: the calls so far would have won this part of what a plan costs.  \param[in] part  of that */
int rc_worth_calls(const rc_dropin_t *d, const rc_known_t *known, double part);
/** The same of a better plan beside the one that it has. */
int rc_worth_better(const rc_dropin_t *d, const rc_known_t *known);
/** 1: the program can lose that much and is not slower than the share allows. */
int rc_worth_budget(rc_dropin_t *d, const rc_known_t *known, int tuned);
/** 1: the program can lose what the first kernel on its arrays costs, which is loading and trial,
 *  and the calls so far would have won that.  \param[in] making  seconds, beside these */
int rc_worth_way(rc_dropin_t *d, const rc_known_t *known, double making);
/** 1: it can lose what another one costs, and the one that it has would have won half of `making`,
 *  as better ones win. */
int rc_worth_trial(rc_dropin_t *d, const rc_known_t *known, double making);

/** What the plan of a pattern has brought since the last time is put into the account. */
void rc_worth_settle(rc_dropin_t *d, rc_known_t *known);
/** The same of the better plan that is tried, whose trial is over. */
void rc_worth_tried(rc_dropin_t *d, rc_known_t *known);
/** A check found another pattern: that product was made twice. */
void rc_worth_repaired(rc_dropin_t *d, const rc_known_t *known);

/* ------------------------------------------------------------------- ways.c */

/** Products of kernels on the program's arrays: try the first of them, or the next where all before
 *  were slower than cuSPARSE. */
void rc_ways_watch(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p);
/** One is kept: try the next beside it. */
void rc_ways_improve(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p);
/** One that is kept multiplies where the stream is captured.  \return RC_WHY_PLAN or
 *  RC_WHY_CAPTURE */
rc_why_t rc_ways_capture(rc_dropin_t *d, const rc_asked_t *p, int device);

/* ------------------------------------------------------------------ graph.c */

/** A product where the stream is captured: by a plan that is kept, which becomes the graph's.
 *  \return RC_WHY_PLAN or RC_WHY_CAPTURE */
rc_why_t rc_graph_capture(rc_dropin_t *d, const rc_asked_t *p, int device);

/* ------------------------------------------------------------------ past.c */

/** Ask for the sums of a pattern, or hear them, where they are wanted.  \return 1: they are those
 *  of an earlier call, or cannot be had */
int rc_past_sum(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p, int wanted);
/** Look for the choice of an earlier run, once the sums are there. */
void rc_past_load(rc_dropin_t *d, rc_known_t *known);
/** Keep the choice of a pattern with a plan for a later run: now, or by the thread. */
void rc_past_save(rc_dropin_t *d, rc_known_t *known);
void rc_past_save_later(rc_dropin_t *d, rc_known_t *known);
/** By the thread.  The lock is held before and afterwards, not meanwhile. */
void rc_past_write(rc_dropin_t *d);

/* ------------------------------------------------------------------ making.c */

/** Seconds since the process began. */
double rc_making_now(const rc_dropin_t *d);

/** Begin to make a plan for a pattern, or say in its stage why not.
 *  \param[in] tuned  1: a better one beside the one that it has */
void rc_making_begin(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p, int tuned);

/** When the plan of a pattern that was being made is there, or will never be, its stage says so. */
void rc_making_end(rc_dropin_t *d, rc_known_t *known);

/** The thread has something to do.  \return 1: there is one */
int rc_making_wake(rc_dropin_t *d);

/** 1: what the engine asks for once is there; else the thread asks for it, or this call where there
 *  is none.  \param[in] device  the current one */
int rc_making_prepare(rc_dropin_t *d, int device);

/** Free the dead, which waits for what they were asked for.  The lock is held before and
 *  afterwards, not meanwhile. */
void rc_making_bury(rc_dropin_t *d);

/** Wait for the thread, so that none uses the GPU when the process ends. */
void rc_making_stop(rc_dropin_t *d);

/* ----------------------------------------------------------------- summary.c */

/** To stderr: calls, patterns, plans, time saved. */
void rc_dropin_summary(const rc_dropin_t *d);

#endif
