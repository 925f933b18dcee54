/** \file sweep/ledger.h  What a rank writes down: its journal, a record at a time from any of its
 *  threads, and the counts of its result.  Local. */
#ifndef RC_SWEEP_LEDGER_H
#define RC_SWEEP_LEDGER_H

#include "catalog/catalog.h"
#include "measure/measure.h"
#include "store/journal.h"
#include "store/lock.h"
#include "store/watch.h"
#include "sweep/sweep.h"
#include "sweep/watchdog.h"

typedef struct rc_ledger rc_ledger_t;

/** Which catalogue rows a rank has given a final status: each once, however many parts or tries of
 *  it do. */
typedef struct rc_named {
    const rc_catalog_t *catalog; /**< borrowed */
    unsigned char *status;       /**< [count of the catalogue] the highest status of the row;
                                      RC_CASE_PENDING: none */
} rc_named_t;

/** \param[in]     journal  borrowed
 *  \param[in]     watch    of the store, on one rank; borrowed; elsewhere NULL
 *  \param[in]     lock     of the store, likewise
 *  \param[in]     watchdog told of what is in flight; borrowed; may be NULL
 *  \param[in]     named    marked; borrowed
 *  \param[in,out] result   counted up; read it when no thread uses the ledger any more
 *  Free with rc_ledger_close. */
rc_status_t rc_ledger_open(rc_journal_t *journal, rc_watch_t *watch, const rc_lock_t *lock,
    rc_watchdog_t *watchdog, const rc_named_t *named, rc_sweep_result_t *result, rc_ledger_t **out,
    rc_err_t *err);
void rc_ledger_close(rc_ledger_t *l);

/** Whether what was finished is still where it belongs: the journal, and with a watch the store.
 *  \return RC_OK; RC_EIO and others with a text that says what became of which file */
rc_status_t rc_ledger_files(const rc_journal_t *journal, rc_watch_t *watch, rc_err_t *err);

/* Each returns RC_OK, RC_EIO (the journal cannot be written) or RC_ENOMEM.  `job` is the number of
 * the matrix in hand. */

/** Something that may crash begins.  Every few seconds this looks whether journal and store are
 *  still there (rc_ledger_files), and refuses when they are not: what is finished can still be
 *  written, and nothing new is measured.  \param[in] c  the case; NULL: the catalogue row e */
rc_status_t rc_ledger_begin(rc_ledger_t *l, int64_t job, const rc_entry_t *e, const rc_case_t *c,
    rc_phase_t phase, rc_err_t *err);

/** Nothing of a job is in flight any more, or the device became unusable with what is.
 *  \param[in] type  RC_REC_SETTLED or RC_REC_LOST
 *  \param[in] over  1: the rank is done with the matrix */
rc_status_t rc_ledger_settled(
    rc_ledger_t *l, rc_rec_type_t type, int64_t job, int over, rc_err_t *err);

/** A catalogue row has its final status.
 *  Of a name or path that is too long for a record it is rc_digest_shorten's that is written.
 *  \param[in] a, digest, info  NULL: it was not loaded.  A file that says that it was generated is
 *      so recorded */
rc_status_t rc_ledger_source(rc_ledger_t *l, const rc_entry_t *e, const rc_csr_t *a,
    const rc_digest_t *digest, const rc_mtx_info_t *info, int64_t load_ns, rc_case_status_t status,
    rc_phase_t phase, const char *text, rc_err_t *err);

/** The final status of one that is not read (rc_worklist_t): skipped when it is absent, else failed
 *  with a line. */
rc_status_t rc_ledger_unread(
    rc_ledger_t *l, const rc_entry_t *e, const rc_log_t *log, rc_err_t *err);

/** Features or an order, in a record. */
rc_status_t rc_ledger_put(rc_ledger_t *l, rc_rec_type_t type, const void *record, rc_err_t *err);

/** What is known of a case besides its measurement. */
typedef struct rc_order_time {
    int64_t order_ns;   /**< to build it */
    int64_t permute_ns; /**< to bring x into its numbering, and y out of it; 0: it leaves them as
                             they are; -1: unknown */
    int again;          /**< 1: this run found the case noisy before */
    int stands;         /**< 1: an earlier row of the case is ok, and stays so when this is noisy */
} rc_order_time_t;

/** A case has its final status. */
rc_status_t rc_ledger_result(rc_ledger_t *l, const rc_case_t *c, const rc_measured_t *m,
    rc_order_time_t order, uint64_t seed, rc_err_t *err);

/** A catalogue row equals another one's matrix. */
void rc_ledger_alias(rc_ledger_t *l);

/** A matrix took this long to prepare and to measure. */
void rc_ledger_span(rc_ledger_t *l, const char *name, int64_t ns);

#endif
