/** \file store/journal.h  A rank's append-only journal: the first place a finished case is safe in.
 *
 *  File: a 16-byte header ("RCJRNL" 0x00 version, 8 bytes of native byte-order mark), then records:
 *  mark, type, length, sequence number (4 bytes each), checksum (8 bytes, XXH3 of the 16 before and
 *  the payload), payload padded to 8 bytes.  A record is written with one write(): a killed process
 *  loses at most the record it was writing.  fdatasync() runs at most once per sync interval and
 *  on request: after a power cut at most that interval is lost.
 *  Header, run and the owner's line are one write; the owner touches the file now and then
 *  (owner.h), and its last record says that there are no more.  Journals live in the folder
 *  STORE.journal/, named <run uuid>.<rank>.rcj. */
#ifndef RC_STORE_JOURNAL_H
#define RC_STORE_JOURNAL_H

#include "store/owner.h"
#include "store/record.h"

typedef struct rc_journal rc_journal_t;

/** Create a new journal, and sync it with its name and its folder's.  Never opens an
 *  existing file.
 *  \param[in] run  written as the first record
 *  \return RC_OK, RC_EIO, RC_ENOMEM.  Free with rc_journal_close. */
rc_status_t rc_journal_create(
    const char *dir, const rc_rec_run_t *run, rc_journal_t **out, rc_err_t *err);

/** Append the payload of a record as it is.
 *  On a failed write the file is cut back to its last whole record.
 *  \return RC_OK, RC_EIO (the text says which file and why), RC_ENOMEM when b->failed */
rc_status_t rc_journal_append(
    rc_journal_t *j, rc_rec_type_t type, const rc_str_t *b, rc_err_t *err);

/** Encode a record of that type and append it. */
rc_status_t rc_journal_put(rc_journal_t *j, rc_rec_type_t type, const void *record, rc_err_t *err);

/** Sync what was written to the device now. */
rc_status_t rc_journal_sync(rc_journal_t *j, rc_err_t *err);

/** Whether what was appended is still under the journal's name: it may have been removed, moved,
 *  replaced or cut off.  Cost: two system calls.
 *  \return RC_OK, RC_EIO (the text says what became of it) */
rc_status_t rc_journal_check(const rc_journal_t *j, rc_err_t *err);

/** Write the last record, and sync: from here on whoever reads the journal takes it for finished,
 *  and may remove it.  What it holds can still be saved.  Nothing may be appended any more.
 *  \return RC_OK, RC_EIO */
rc_status_t rc_journal_release(rc_journal_t *j, rc_err_t *err);

/** Copy what the open file holds into a folder, under the name that the journal had.
 *  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_journal_save(const rc_journal_t *j, const char *dir, rc_err_t *err);

/** Async-signal-safe: append a DIED record with the signal number.  For handlers only. */
void rc_journal_died(rc_journal_t *j, int signal_number);

/** Async-signal-safe: append an ASKED record with the signal number.  For handlers only. */
void rc_journal_asked(rc_journal_t *j, int signal_number);

/** Release, close, free. */
void rc_journal_close(rc_journal_t *j);

/* ------------------------------------------------------------------ reading */

/** A journal open for reading.  It may grow, shrink or vanish meanwhile. */
typedef struct rc_journal_view rc_journal_view_t;

/** Open a journal.  One whose header is damaged is read all the same when a valid record follows.
 *  \param[in] at_least  bytes that are known to be there; where NFS does not show them yet, they
 *                       are waited for, up to RC_JOURNAL_VISIBLE_NS; 0: as it is
 *  \return RC_OK, RC_ENOENT, RC_EIO, RC_ESTORE (not a journal), RC_ENOMEM */
rc_status_t rc_journal_open(
    const char *path, int64_t at_least, rc_journal_view_t **out, rc_err_t *err);

/** What another node has written is seen by then: NFS keeps attributes for at most 60 s. */
#define RC_JOURNAL_VISIBLE_NS INT64_C(75000000000)

/** Next valid record within the size that the file had when it was opened.  Damaged stretches are
 *  stepped over; see rc_journal_damage.
 *  \param[out] out  its payload is valid until the next call
 *  \return 1; or 0 at the end, and where it cannot be read: see rc_journal_read_status */
int rc_journal_next(rc_journal_view_t *v, rc_record_t *out);

/** Whether all could be read that there is.  \return RC_OK, RC_EIO, RC_ENOMEM */
rc_status_t rc_journal_read_status(const rc_journal_view_t *v, rc_err_t *err);

/** What became of the writer, after rc_journal_next has come to the end.
 *  \param[out] who  the writer; NULL: is not asked for
 *  \return GONE: all that will ever be there was there when the journal was opened; UNKNOWN: it was
 *  written by an older version, or its writer has just begun; it may live where the file system has
 *  no locks */
rc_owner_state_t rc_journal_writer(const rc_journal_view_t *v, rc_owner_t *who);

/** Bytes before the last valid record that belonged to no valid record, and where they began.  A
 *  torn last record (a kill while writing) is no damage. */
int64_t rc_journal_damage(const rc_journal_view_t *v, int64_t *first_offset);

/** Size of the file when it was opened, or what was left of that when it was read. */
int64_t rc_journal_size(const rc_journal_view_t *v);

void rc_journal_view_close(rc_journal_view_t *v);

/** The journal folder of a store: "STORE.journal".  Free with free(). */
char *rc_journal_dir(const char *store, rc_err_t *err);

/** Bytes of the journal, of whole records. */
int64_t rc_journal_bytes(const rc_journal_t *j);

enum { RC_JOURNAL_NAME = 64 };

/** The name of a rank's journal within its folder.
 *  \return RC_OK, RC_ERANGE */
rc_status_t rc_journal_name(const char *uuid, int rank, char out[RC_JOURNAL_NAME], rc_err_t *err);

/** Names of the journals in a folder, sorted (which is by start of run, then rank).  A missing
 *  folder has none.  Free the names and the array with rc_journal_names_free. */
rc_status_t rc_journal_list(const char *dir, char ***names, int64_t *count, rc_err_t *err);
void rc_journal_names_free(char **names, int64_t count);

/** What whoever folds knows of the writers of the journals. */
typedef struct rc_fold_writers {
    int64_t silent_ns;    /**< see rc_lock_wait_t */
    int owns_store;       /**< 1: it has sweep.lock, so no other run is beginning */
    const char *uuid;     /**< of a run that has written its last record; NULL: none */
    const int64_t *bytes; /**< [ranks] of its journals; -1: not known.  They are waited for where
                               NFS does not show them yet */
    int ranks;
} rc_fold_writers_t;

#endif
