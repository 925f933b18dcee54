/** \file base/outcome.h  How a case ends: the states, phases and stop reasons that measurement,
 * store and sweep share. */
#ifndef RC_BASE_OUTCOME_H
#define RC_BASE_OUTCOME_H

#include <stddef.h>
#include <stdint.h>

/** The state a case (or the loading of a matrix) ends in. */
typedef enum rc_case_status {
    RC_CASE_PENDING = 0,
    RC_CASE_OK = 1,
    RC_CASE_WRONG = 2,   /**< verification failed; never in an average */
    RC_CASE_SKIPPED = 3, /**< with reason: memory, shape, time limit, absent */
    RC_CASE_FAILED = 4,  /**< with phase and text */
    RC_CASE_CRASHED = 5, /**< ended its run twice: see store/commit.h */
    RC_CASE_NOISY = 6,   /**< verified and timed, but its batches disagree: its time is not known */
    RC_CASE_STATUSES = 7
} rc_case_status_t;

/** In which part a case failed. */
typedef enum rc_phase {
    RC_PHASE_NONE = 0,
    RC_PHASE_LOAD = 1,
    RC_PHASE_FEATURE = 2,
    RC_PHASE_ORDER = 3,
    RC_PHASE_PREPARE = 4,
    RC_PHASE_VERIFY = 5,
    RC_PHASE_TIME = 6
} rc_phase_t;

/** Why the repetition of a case ended. */
typedef enum rc_stop {
    RC_STOP_NONE = 0,   /**< not timed */
    RC_STOP_TARGET = 1, /**< relative error of the median met the target */
    RC_STOP_TIME = 2,   /**< the time budget of the case was used up */
    RC_STOP_COUNT = 3,  /**< the largest number of repetitions was reached */
    RC_STOP_SIGNAL = 4  /**< interrupted; the case is not final */
} rc_stop_t;

/** Names in the order of the values, NULL-terminated: "pending", "ok", ...; "none", "load", ...;
 *  "none", "target", ... */
extern const char *const rc_case_status_names[];
extern const char *const rc_phase_names[];
extern const char *const rc_stop_names[];

/** The name, "?" outside the range.  Static storage. */
const char *rc_case_status_name(rc_case_status_t s);
const char *rc_phase_name(rc_phase_t p);
const char *rc_stop_name(rc_stop_t s);

/** Why a case is skipped that needs more memory than it may have: "memory: WHAT about NEED bytes,
 *  the limit is LIMIT".
 *  \param[out] text  [size], cut when it is longer
 *  \param[in]  what  "loading takes"
 *  \param[in]  need, limit  bytes */
void rc_memory_reason(char *text, size_t size, const char *what, int64_t need, int64_t limit);

/** Bytes that a skipped case would have needed.
 *  \param[in] text  why it was skipped
 *  \return -1: the reason is not memory; 0: it needed no more than it might have, but the system
 *          had none to give then; INT64_MAX: more than its limit, the text does not say how much */
int64_t rc_memory_needed(const char *text);

#endif
