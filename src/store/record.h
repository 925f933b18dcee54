/** \file store/record.h  What a journal holds: self-contained records with names instead of ids, so
 *  that a journal can be understood without the store it belongs to.
 *
 *  What later versions added to a record is at its end: a record that ends before it was written by
 *  an earlier version, and is read with what rows of that version have there. */
#ifndef RC_STORE_RECORD_H
#define RC_STORE_RECORD_H

#include "base/digest.h"
#include "base/str.h"
#include "rowcast.h"
#include "store/schema.h"

/** Identity of a measurement (design: a case). */
typedef struct rc_case {
    rc_digest_t matrix;
    char policy[33];
    char policy_params[97]; /**< canonical parameters of the policy; "" none */
    char kernel[33];
    char params[97];  /**< canonical parameters of the kernel */
    char device[161]; /**< device class */
    int32_t policy_version;
    int32_t kernel_version;
    int32_t op;
    int32_t precision;
    int32_t layout;
    int32_t c_order;
    int32_t cache;
    int32_t nw;
    int32_t nt;
    int32_t line;
    int64_t k;
} rc_case_t;

/** Digest of the canonical text of a case.  Identities outlive versions: what is added to a case
 *  must not show in the text while it has the value that all earlier cases have. */
rc_digest_t rc_case_id(const rc_case_t *c);

/** Identity of a catalogue row as a thing that can be in flight (loading, featurising). */
rc_digest_t rc_source_case_id(
    const char *name, const char *location, int64_t bytes, int64_t mtime_ns);

/** Identity of a feature row. */
rc_digest_t rc_feature_id(
    rc_digest_t matrix, const char *set, int32_t version, int32_t nw, int32_t nt, int32_t line);

/** Type of a record. */
typedef enum rc_rec_type {
    RC_REC_RUN = 1,     /**< first record of every journal */
    RC_REC_KV = 2,      /**< provenance */
    RC_REC_SOURCE = 3,  /**< outcome of a catalogue row */
    RC_REC_FEATURE = 4, /**< a row of features */
    RC_REC_ORDER = 5,   /**< an order was built */
    RC_REC_BEGIN = 6,   /**< a case or a catalogue row is in flight until its RESULT, the next
                             SETTLED of its job, or the end; up to the phase `order` also no longer
                             than until the next BEGIN of its job */
    RC_REC_RESULT = 7,  /**< a case has a final status */
    RC_REC_SETTLED = 8, /**< nothing of a job is in flight any more (without a payload: of none) */
    RC_REC_PLAN = 9,    /**< what the run means to do (rank 0) */
    RC_REC_DIED = 10,   /**< written by the handler of a fatal signal */
    RC_REC_END = 11,    /**< the rank left the run in good order */
    RC_REC_LOST = 12,   /**< the device is unusable: what is in flight of a job counts as if the
                             rank had died, whatever the rank still writes */
    RC_REC_ASKED = 13,  /**< written by the handler of a signal that asks the rank to end: what is
                             in flight when it dies afterwards is not to blame */
    RC_REC_OWNER = 14,  /**< who writes the journal (owner.h); readers keep it to themselves */
    RC_REC_CLOSED = 15  /**< the writer writes no more; likewise */
} rc_rec_type_t;

typedef struct rc_rec_run {
    char uuid[33];
    char version[33];
    char git[65];
    int64_t started_ns;
    int32_t ranks;
    int32_t rank;
} rc_rec_run_t;

typedef struct rc_rec_kv {
    int32_t rank; /**< -1: of the whole run */
    char key[65];
    const char *value; /**< borrowed; any length below 64 KiB */
} rc_rec_kv_t;

typedef struct rc_rec_source {
    char name[RC_NAME_MAX + 1];
    char kind[RC_NAME_MAX + 1];
    char location[RC_LOCATION_MAX + 1];
    char text[RC_MESSAGE_MAX + 1]; /**< why not ok; "" none */
    int64_t ssid;
    int64_t bytes;
    int64_t mtime_ns;
    int64_t load_ns;
    int64_t utc_ns;
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    rc_digest_t digest; /**< of the matrix; meaningful when loaded */
    int32_t loaded;
    int32_t values_seeded;
    int32_t where;
    int32_t status;
    int32_t phase;
} rc_rec_source_t;

typedef struct rc_rec_feature {
    rc_digest_t matrix;
    char set[33];
    int32_t version;
    int32_t nw;
    int32_t nt;
    int32_t line;
    int64_t feature_ns;
    int32_t count;
    const double *value; /**< [count], borrowed */
    const char *names;   /**< comma-separated, borrowed */
} rc_rec_feature_t;

typedef struct rc_rec_order {
    rc_digest_t matrix;
    char policy[33];
    char params[97]; /**< canonical parameters of the policy; "" none */
    int32_t version;
    int32_t nw;
    int32_t nt;
    int32_t line;
    int64_t order_ns;
    int64_t slots;
    int64_t pads;
    int64_t utc_ns;
} rc_rec_order_t;

/** A rank may have several matrices in hand at once, each a job: its steps follow each other, those
 *  of two jobs mix. */
typedef struct rc_rec_begin {
    rc_digest_t id;
    int64_t utc_ns;
    int64_t job; /**< number of the matrix in hand, of this journal's own counting */
    int32_t phase;
    int32_t is_source; /**< 1: a catalogue row; `source` is meaningful, else `c` */
    rc_case_t c;
    char name[RC_NAME_MAX + 1];
    char location[RC_LOCATION_MAX + 1];
    int64_t bytes;
    int64_t mtime_ns;
    int32_t where;
} rc_rec_begin_t;

/** Payload of SETTLED and of LOST. */
typedef struct rc_rec_settled {
    int64_t job;
    int64_t utc_ns;
    int32_t over; /**< 1: the rank is done with the matrix; 0: it is prepared and waits */
} rc_rec_settled_t;

typedef struct rc_rec_result {
    rc_case_t c;
    rc_row_result_t row;           /**< numbers; ids, case_id and message are filled by the fold */
    char text[RC_MESSAGE_MAX + 1]; /**< why not ok; "" none */
    const int64_t *sample_ns;      /**< [row.reps], borrowed */
} rc_rec_result_t;

typedef struct rc_rec_plan {
    int64_t matrices;
    int64_t cases; /**< pending at the start; an estimate where matrices were not known yet */
    int64_t done;  /**< done before */
    double cost_s; /**< estimated */
} rc_rec_plan_t;

typedef struct rc_rec_end {
    int64_t utc_ns;
    int32_t state; /**< rc_run_state_t */
} rc_rec_end_t;

/** What any record says; the member is that of its type. */
typedef union rc_rec {
    rc_rec_run_t run;
    rc_rec_kv_t kv;
    rc_rec_source_t source;
    rc_rec_feature_t feature;
    rc_rec_order_t order;
    rc_rec_begin_t begin;
    rc_rec_result_t result;
    rc_rec_settled_t settled;
    rc_rec_plan_t plan;
    rc_rec_end_t end;
} rc_rec_t;

/** A record as it lies in a journal. */
typedef struct rc_record {
    rc_rec_type_t type;
    int64_t seq;
    int64_t end; /**< offset of the byte behind it */
    const unsigned char *payload;
    size_t len;
} rc_record_t;

/** Encode the payload of a record of that type, replacing what was in b; failure (no memory, or a
 *  text too long for its field) shows in b->failed. */
void rc_rec_put(rc_str_t *b, rc_rec_type_t type, const void *record);

/** Decode a payload; borrowed pointers point into it.  Of types that have no member in rc_rec_t
 *  nothing is said, and of SETTLED and LOST without a payload zeros.
 *  \return RC_OK, or RC_ESTORE when it is not such a record */
rc_status_t rc_rec_get(const rc_record_t *r, rc_rec_t *out);

#endif
