/** \file store/scan.h  Looking into journals without folding them: for status, and for a dry run.
 *  Local; takes no lock that lasts. */
#ifndef RC_STORE_SCAN_H
#define RC_STORE_SCAN_H

#include "base/outcome.h"
#include "store/record.h"

/** A matrix that a rank has in hand. */
typedef struct rc_scan_hand {
    char name[RC_NAME_MAX + 1];
    int64_t job;
    int32_t phase; /**< that it is in */
    int32_t waits; /**< 1: it is prepared, and waits to be measured */
} rc_scan_hand_t;

/** One journal. */
typedef struct rc_scan_journal {
    char name[64];
    rc_rec_run_t run;
    int64_t end;    /**< behind its last whole record */
    int alive;      /**< 1: its writer is running, as far as can be seen from here */
    char host[129]; /**< of a writer that cannot be seen from here; else "" */
    int ended;      /**< 1: its writer left in good order */
    int32_t state;  /**< rc_run_state_t when ended */
    int has_plan;
    rc_rec_plan_t plan;              /**< rank 0's */
    int64_t cases[RC_CASE_STATUSES]; /**< results in the new stretch, by status */
    int64_t matrices;                /**< catalogue rows in the new stretch */
    int64_t last_utc_ns;             /**< of the newest record that has a time */
    rc_scan_hand_t *hand; /**< [hands] matrices in hand, the one that is measured first, then what
                             is worked on, then what waits */
    int64_t hands;
} rc_scan_journal_t;

typedef struct rc_scan {
    rc_scan_journal_t *journal;
    int64_t journals;
    rc_digest_t *fresh; /**< [freshes] cases with a final status that the store lacks */
    size_t freshes;
    size_t capacity;
} rc_scan_t;

/** How many bytes of a journal the store has already. */
typedef int64_t rc_scan_folded_fn(void *user, const char *name);

/** \param[in] folded  NULL: there is no store
 *  \return RC_OK, RC_EIO, RC_ESTORE, RC_ENOMEM.  Free with rc_scan_free. */
rc_status_t rc_scan_journals(
    const char *store, rc_scan_folded_fn *folded, void *user, rc_scan_t *out, rc_err_t *err);
void rc_scan_free(rc_scan_t *s);

#endif
