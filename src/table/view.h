/** \file table/view.h  A store in memory, for queries: results joined with their dictionaries, the
 *  newest row of each case marked, speedups over the original order filled in.  Local. */
#ifndef RC_TABLE_VIEW_H
#define RC_TABLE_VIEW_H

#include "base/expr.h"
#include "base/map.h"
#include "base/outcome.h"
#include "rowcast.h"
#include "store/schema.h"

typedef struct rc_view rc_view_t;

/** Read a store.  \return RC_OK, RC_ENOENT, RC_ESTORE, RC_ENOMEM.  Free with rc_view_free.
 *  Cost: reads dictionaries and results whole. */
rc_status_t rc_view_read(const char *store, rc_view_t **out, rc_err_t *err);
/** The same, with the raw times.  Cost: reads /samples whole too. */
rc_status_t rc_view_read_samples(const char *store, rc_view_t **out, rc_err_t *err);
void rc_view_free(rc_view_t *v);

/** Result rows, all of them, older ones included. */
int64_t rc_view_count(const rc_view_t *v);
const rc_row_result_t *rc_view_result(const rc_view_t *v, int64_t i);
/** Raw times of row i, [reps] total ns of batches; NULL: it has none, or they were not read. */
const int64_t *rc_view_samples(const rc_view_t *v, int64_t i);
/** 1: row i is the last one of its case. */
int rc_view_is_newest(const rc_view_t *v, int64_t i);

/** A row for expressions and columns; fill with rc_view_seek. */
typedef struct rc_cursor {
    const rc_view_t *view;
    int64_t i;
    int32_t c_order; /**< what the field of that name shows: that of the row, until it is set */
    char case_id[33];
} rc_cursor_t;
void rc_view_seek(const rc_view_t *v, int64_t i, rc_cursor_t *out);

/** Fields of a result row; index with rc_view_get. */
extern const rc_fields_t rc_view_fields;
/** rc_field_get_fn of an rc_cursor_t. */
void rc_view_get(const void *cursor, int field, rc_value_t *out);

/** 1: row i matches an expression over result rows (NULL: all). */
int rc_view_matches(const rc_view_t *v, int64_t i, const rc_expr_t *where);

/** Compile an expression over result rows; NULL: *out is none.
 *  \param[in] option  that it is of, for messages */
rc_status_t rc_view_compile(const char *text, const char *option, rc_expr_t **out, rc_err_t *err);

/** Check an expression over result rows (NULL: none): a name of a matrix, group, kind, policy,
 *  kernel or device that the store does not have is a slip, not an empty table.
 *  \return RC_OK, RC_EINVAL with the nearest name, RC_ENOMEM */
rc_status_t rc_view_check(const rc_view_t *v, const rc_expr_t *where, rc_err_t *err);

/** Of a filter that no row matches: a pattern in it that fits no row of the view.
 *  \param[out] why  that, in words
 *  \return RC_EINVAL when there is one, RC_OK, RC_ENOMEM */
rc_status_t rc_view_explain_none(const rc_view_t *v, const rc_expr_t *where, rc_err_t *why);

/** Catalogue rows: the newest of each name, in order of name. */
int64_t rc_view_sources(const rc_view_t *v);

/** A catalogue row with the state of its cases. */
typedef struct rc_source_row {
    const char *name;
    const char *kind;
    const char *location;
    const char *where;
    const char *status; /**< of loading */
    const char *phase;
    const char *message; /**< "" none */
    int64_t rows;        /**< -1 when it was not loaded */
    int64_t cols;
    int64_t nnz;
    int64_t bytes;
    int64_t mtime_ns;
    int64_t load_ns;
    int32_t status_code;
    int32_t matrix;                  /**< id, -1 */
    int32_t run;                     /**< id of the run that the row is of */
    const char *digest;              /**< "" when it was not loaded */
    int64_t cases[RC_CASE_STATUSES]; /**< newest result rows by status */
} rc_source_row_t;
void rc_view_source(const rc_view_t *v, int64_t i, rc_source_row_t *out);

/** Fields of a catalogue row. */
extern const rc_fields_t rc_source_fields;
/** rc_field_get_fn of an rc_source_row_t. */
void rc_source_get(const void *row, int field, rc_value_t *out);

/* The pairing rule of all tables and data sets (rc_store_partners).  A *session* is a run on one
 * card, a GPU.  A *cell* is what has matrix, operation, K, precision, cache mode and device class
 * in common.  In a cell the results of one kernel, layout and geometry are a *group*.  Its
 * sessions differ by what changes between runs; a group's csr, timed in both, tells by how much. */

/** The `csr` row that row i is compared with: of its group and session; where that session did not
 *  time csr, the newest one of the same card; -1 when there is none that is ok. */
int64_t rc_view_csr_row(const rc_view_t *v, int64_t i);

/** What the csr row of a result is. */
typedef enum rc_pairing {
    RC_PAIRED = 0,              /**< of its own session, timed in turns with it */
    RC_PAIRED_ANOTHER_RUN = 1,  /**< of another run: what differs between runs is in the ratio */
    RC_PAIRED_ANOTHER_CARD = 2, /**< none, since csr was timed on other cards only */
    RC_PAIRED_NOTHING = 3       /**< none */
} rc_pairing_t;
rc_pairing_t rc_view_pairing(const rc_view_t *v, int64_t i);

/** The time of row i as tables compare it with others of its cell, whatever their session: its
 *  median times rc_view_scale.  That of the csr row over that of row i is rc_view_speedup.  Times
 *  are those of the session that timed most of the cell's newest results (of equals the newest); of
 *  a group that it lacks, of the session that timed most of the group, brought there by the
 *  geometric mean of csr over csr of all groups that both timed. */
double rc_view_ns(const rc_view_t *v, int64_t i);
double rc_view_scale(const rc_view_t *v, int64_t i);

/** The card whose times rc_view_ns is one of: equal numbers, the same card; -1: not known, or the
 *  device is none.  Times of two cards are not compared. */
int32_t rc_view_card(const rc_view_t *v, int64_t i);

/** Identity of the card that timed row i; "" not known. */
const char *rc_view_uuid(const rc_view_t *v, int64_t i);

/** Median of that row; NaN when there is none. */
double rc_view_csr_ns(const rc_view_t *v, int64_t i);

/** rc_view_csr_ns over the median of row i; NaN when either is missing or not ok. */
double rc_view_speedup(const rc_view_t *v, int64_t i);

/** Floating-point operations of the product of row i: 2 nnz K, and 2 nnz where there is no K. */
double rc_view_flops(const rc_view_t *v, int64_t i);

/** Bytes of the pointers of groups over those of CSR with indices of 4 bytes, 8 where entries need
 *  them; NaN unknown. */
double rc_view_pointer_overhead(const rc_view_t *v, int64_t i);

/** Nanoseconds to build the order of a row, and to permute vectors where that is known; NaN
 *  unknown. */
double rc_view_order_ns(const rc_view_t *v, int64_t i);

/** 1: the store has no newer version of the row's policy, nor results of one of its kernel on the
 *  same kind of device (`cpu`, `cuda`): a kernel of each may have one name, and each has its own
 *  versions. */
int rc_view_is_current(const rc_view_t *v, int64_t i);

/** 1: the row enters tables: newest of its case, current, ok with a time, and verified. */
int rc_view_counts(const rc_view_t *v, int64_t i);

/** 1: the row was measured in the original order of rows, the baseline of its setting.  C of the
 *  original order has no other order, so it is the baseline of every order of C. */
int rc_view_is_csr(const rc_view_t *v, const rc_row_result_t *r);

/** Entries of the dictionaries: ids are below. */
int32_t rc_view_matrices(const rc_view_t *v);
int32_t rc_view_policies(const rc_view_t *v);
int32_t rc_view_kernels(const rc_view_t *v);

/** Names by id, "name:params" of policies and kernels; "" for -1. */
const char *rc_view_policy(const rc_view_t *v, int32_t id);
const char *rc_view_kernel(const rc_view_t *v, int32_t id); /**< "cstat:strip=4" */
const char *rc_view_device(const rc_view_t *v, int32_t id);
const char *rc_view_message(const rc_view_t *v, int32_t id);
const rc_row_matrix_t *rc_view_matrix(const rc_view_t *v, int32_t id);

/** 1: a generator made the matrix, and no file of the store's sources holds it. */
int rc_view_is_generated(const rc_view_t *v, int32_t id);

/** Classes of Lane and Booth 2022, Table 1: a matrix is regular where the variance of its row
 *  length is at most 10. */
typedef enum rc_regular {
    RC_REGULAR = 0,
    RC_IRREGULAR = 1,
    RC_REGULAR_UNKNOWN = 2, /**< its features are missing */
    RC_REGULAR_CLASSES = 3
} rc_regular_t;
extern const char *const rc_regular_names[]; /**< "regular", ...; NULL-terminated */
rc_regular_t rc_view_regular(const rc_view_t *v, int32_t matrix);

/** Take matrices with a result that matches for generated, too: files of others than rowcast
 *  generate do not say who made them. */
void rc_view_mark_generated(rc_view_t *v, const rc_expr_t *which);

/** Take noisy results for ok: their times enter tables.  To be called before any other.
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_view_take_noisy(rc_view_t *v, rc_err_t *err);

/** Take matrices for those that parameters were chosen on.
 *  \param[in] marks  [matrices] 1: is one; the view frees it */
void rc_view_take_training(rc_view_t *v, unsigned char *marks);

/** \return [matrices] 1: named for training; NULL: nobody named any (rc_view_take_training).
 *  Borrowed */
const unsigned char *rc_view_training(const rc_view_t *v);

/** Versions by id, of a policy or kernel that a result row names. */
int32_t rc_view_policy_version(const rc_view_t *v, int32_t id);
int32_t rc_view_kernel_version(const rc_view_t *v, int32_t id);

/** Name of an enumeration's value (rc_op_names, ...), "?" outside. */
const char *rc_view_name(const char *const *names, int32_t i);

/** Key that rows share when only the policy differs, and with it the row order of C: the original
 *  order has no C in schedule order, so rows of both orders of C are compared with the same one. */
rc_digest_t rc_view_group(const rc_row_result_t *r);

/** Runs of the store. */
int64_t rc_view_runs(const rc_view_t *v);
const rc_row_run_t *rc_view_run(const rc_view_t *v, int64_t i);

/** Rows of /provenance, as they lie in the store: a long value goes on in rows with part 1, 2,
 *  ... */
int64_t rc_view_provenances(const rc_view_t *v);
const rc_row_provenance_t *rc_view_provenance(const rc_view_t *v, int64_t i);

/** Rows of /inflight, and the case of row i as text in hex[33]. */
int64_t rc_view_inflights(const rc_view_t *v);
void rc_view_inflight_id(const rc_view_t *v, int64_t i, char hex[33]);
/** Id of the run that died, later runs have larger ones. */
int32_t rc_view_inflight_run(const rc_view_t *v, int64_t i);

/** Feature rows of all sets, and the identity (rc_feature_id) of row i. */
int64_t rc_view_feature_rows(const rc_view_t *v);
rc_digest_t rc_view_feature_row(const rc_view_t *v, int64_t i);

/** Bytes of a journal that are in the store.  \param[in] view  an rc_view_t; NULL: no store */
int64_t rc_view_journal_bytes(void *view, const char *name);

#endif
