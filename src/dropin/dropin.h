/** \file dropin/dropin.h  The state behind the interposed functions.
 *
 *  There is one in a process, because the functions that it stands in for have no place to carry
 *  it. */
#ifndef RC_DROPIN_DROPIN_H
#define RC_DROPIN_DROPIN_H

#include "dropin/known.h"

#include <pthread.h>

enum { RC_TRUSTED_MOST = 64 };

/** A descriptor that was preprocessed, whose pattern may not change until it is preprocessed
 *  again. */
typedef struct rc_trusted {
    cusparseConstSpMatDescr_t descr; /**< NULL: free */
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
    rc_held_t *held; /**< where the plan goes */
    void *plan;
    char text[RC_ENGINE_TEXT];
    int64_t bytes;
    double seconds;
    int done;
} rc_making_job_t;

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
    uint64_t why[RC_WHYS]; /**< calls by what became of them */
    double seconds;        /**< spent in making plans */
    uint64_t made;         /**< plans begun */
    double start;          /**< of the first product, by rc_making_now */
    double entry_seconds;  /**< that a plan takes for an entry, as far as is known; 0: nothing
                                 is */
    int64_t bytes;         /**< of plans */
    uint64_t forgotten;    /**< patterns */
    int forked;            /**< 1: this is a child, whose GPU is not to be touched */
    rc_making_job_t job;
    rc_held_t *dead; /**< plans that nobody has any more, to be freed without the lock */
    pthread_t worker;
    pthread_cond_t wake;
    int working; /**< 1: there is a thread */
    int stop;
} rc_dropin_t;

/** A call between its beginning and its end. */
typedef struct rc_turn {
    rc_why_t why;      /**< RC_WHY_PLAN: it is done */
    rc_known_t *known; /**< that is being timed; NULL: none */
    void *stream;
} rc_turn_t;

/** The state, set up at the first call. */
rc_dropin_t *rc_dropin(void);

/** 1: this thread runs products of the drop-in's own, which are not for it, or the process is a
 *  child of fork: a thread that is not there may have had the lock. */
int rc_dropin_inside(void);
void rc_dropin_enter(void);
void rc_dropin_leave(void);

/** A product that is understood: run a plan, or say why not and whether cuSPARSE's run is timed. */
rc_turn_t rc_dropin_begin(rc_dropin_t *d, const rc_spmm_t *p, cusparseConstSpMatDescr_t descr);
void rc_dropin_end(rc_dropin_t *d, const rc_turn_t *turn);

/** Plans that have been idle for RC_IDLE calls go where there is no memory left in the budget. */
void rc_known_make_memory(rc_dropin_t *d);

/** It has a plan: the times say whether it stays. */
void rc_known_try(rc_known_t *known);

/** A descriptor was preprocessed with that product; it is none any more, or another one. */
void rc_trust(rc_dropin_t *d, cusparseConstSpMatDescr_t descr, const rc_spmm_t *p);
void rc_distrust(rc_dropin_t *d, cusparseConstSpMatDescr_t descr);

/* ------------------------------------------------------------------ making.c */

/** Seconds of a clock that only goes on. */
double rc_making_now(void);

/** Seconds that making a plan for a pattern may take. */
double rc_making_estimate(const rc_dropin_t *d, const rc_known_t *known);

/** Begin to make a plan for a pattern, or say in its stage why not. */
void rc_making_begin(rc_dropin_t *d, rc_known_t *known, const rc_spmm_t *p);

/** When the plan of a pattern that was being made is there, or will never be, its stage says so. */
void rc_making_end(rc_dropin_t *d, rc_known_t *known);

/** Free the dead, which waits for what they were asked for.  The lock is held before and
 *  afterwards, not meanwhile. */
void rc_making_bury(rc_dropin_t *d);

/** Wait for the thread, so that none uses the GPU when the process ends. */
void rc_making_stop(rc_dropin_t *d);

/* ----------------------------------------------------------------- summary.c */

/** To stderr: calls, patterns, plans, time saved. */
void rc_dropin_summary(const rc_dropin_t *d);

#endif
