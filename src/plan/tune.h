/** \file plan/tune.h  While the candidates of an entry are tried.  Local. */
#ifndef RC_PLAN_TUNE_H
#define RC_PLAN_TUNE_H

#include "plan/plan_private.h"

typedef struct rc_tuning {
    rc_plan_t *plan;
    const rc_plan_options_t *options;
    rc_plan_entry_t *entry;
    rc_plan_scratch_t scratch;
    int64_t dense_bytes;
    double reuse;    /**< products that costs are for; 0: one, without what comes before it */
    int searches;    /**< 1: RC_PLAN_SEARCH */
    int64_t most_ns; /**< that it may take */
    int64_t start_ns;
    int64_t race_ns; /**< when the reference was timed */
    int timed;
    int ours; /**< of those timed: not the vendor's, and not the reference */
    int best; /**< index of the one that entry->trial has prepared; -1: none yet */
    int others; /**< 1: other programs had a part of the machine, as was seen in the end */
} rc_tuning_t;

/* -------------------------------------------------------------------- tune.c */

/** Batches of one candidate at first. */
enum { RC_TUNING_FEW = 3 };

/** ns that a candidate takes in total where a product takes so many. */
double rc_tuning_cost_at(const rc_tuning_t *t, int i, double product);

/** The same by what is known of its product; the reference needs no order. */
double rc_tuning_cost(const rc_tuning_t *t, int i);

/** ns that its cost may be off. */
double rc_tuning_margin(const rc_tuning_t *t, int i);

/** 1: a batch of it is one product that takes long, and so is steadier. */
int rc_tuning_is_long(const rc_tuning_t *t, int i);

/** 1: it is not the vendor's, and none that is not was timed. */
int rc_tuning_is_first(const rc_tuning_t *t, int i);

/** That a candidate cannot run becomes its status.  \return RC_OK, or what else went wrong */
rc_status_t rc_tuning_settle(
    rc_plan_candidate_t *c, rc_status_t st, const rc_err_t *why, rc_err_t *err);

/** 1: a candidate is better than another by more than both may be off. */
int rc_tuning_beats(const rc_tuning_t *t, int a, int b);

/** 1: whoever watches wants an end.  \param[in] next  what is tried now, or NULL */
int rc_tuning_is_asked(const rc_tuning_t *t, const rc_plan_candidate_t *next);

/** 1: timing a candidate would cost more than it may; none does while none was timed. */
int rc_tuning_is_over(const rc_tuning_t *t, int i);

/** Bytes that stay while a candidate is tried. */
int64_t rc_tuning_kept_bytes(const rc_tuning_t *t);

/** A candidate becomes the best.  \param[in,out] trial  it, which is the entry's then */
void rc_tuning_take(rc_tuning_t *t, int i, rc_plan_trial_t *trial);

/** Prepare a candidate and, when wanted, time it; it becomes the best, or is released.
 *  \return RC_OK, also when it cannot be used; RC_EDEVICE, RC_ENOMEM */
rc_status_t rc_tuning_try(rc_tuning_t *t, int i, int timing, rc_err_t *err);

/** The fastest in original order: of the vendor's kernels that can run, or of the others.
 *  \param[in] but  not this of the others  \param[in] best  so far; -1: none */
int rc_tuning_fastest(const rc_plan_entry_t *e, int vendors, int but, int best);

/* -------------------------------------------------------------------- race.c */

/** Time a candidate against the best: as few batches as tell them apart, first of its own, then
 *  in turns.  \return RC_OK, also when it cannot run; RC_EDEVICE, RC_ENOMEM */
rc_status_t rc_tuning_race(rc_tuning_t *t, int i, const rc_plan_trial_t *trial, rc_err_t *err);

/** The best, if it was run cold only, is run warm, and its cold run counts no more.
 *  \return RC_OK, RC_EDEVICE, RC_ENOTSUP */
rc_status_t rc_tuning_warm_best(rc_tuning_t *t, rc_err_t *err);

/* ------------------------------------------------------------------ search.c */

/** Row orders with the fastest kernel, and with the second where that does not harm the first.
 *  \return as rc_tuning_try */
rc_status_t rc_tuning_search_orders(rc_tuning_t *t, rc_err_t *err);

/** 1: what was chosen is to be confirmed: always by a search, else where batches disagree, and
 *  another order in an unsteady place. */
int rc_tuning_is_doubtful(const rc_tuning_t *t);

/** Time what is compared once more, in turns.  One half of the batches chooses, the figures are
 *  those of the other, and where it does not confirm the choice that is given up.  Where
 *  another order was chosen for a slight gain, by a search or in an unsteady place, that is
 *  compared again, prepared anew.
 *  \return as rc_tuning_try */
rc_status_t rc_tuning_confirm(rc_tuning_t *t, rc_err_t *err);

#endif
