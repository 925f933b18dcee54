/** \file store/schema.h  The tables of a store: one row struct each, described field by field.
 *
 *  The description is all that creation, appending and reading need.  Rows have no padding and the
 *  file type equals the memory type: HDF5 then never converts.  Texts are NUL-padded UTF-8; one
 *  that does not fit is refused.  README.md says how the schema grows. */
#ifndef RC_STORE_SCHEMA_H
#define RC_STORE_SCHEMA_H

#include "rowcast.h"

enum {
    RC_SCHEMA_MAJOR = 2, /**< raised when a program of the old schema would go wrong */
    RC_SCHEMA_MINOR = 7  /**< raised when something is added: programs from 2.0 on refuse a newer
                              minor version, and convert an older one */
};
/** A version as one number, which sorts. */
#define RC_SCHEMA_VERSION(major, minor) ((major)*1000 + (minor))
enum { RC_SCHEMA_NOW = RC_SCHEMA_VERSION(RC_SCHEMA_MAJOR, RC_SCHEMA_MINOR) };
#define RC_SCHEMA_FORMAT "rowcast-store"

enum { RC_NAME_MAX = 128, RC_LOCATION_MAX = 512, RC_MESSAGE_MAX = 256, RC_VALUE_MAX = 256 };

/** Type of a field. */
typedef enum rc_field_type {
    RC_FT_INT32 = 0,
    RC_FT_INT64 = 1,
    RC_FT_FLOAT64 = 2,
    RC_FT_TEXT = 3,
    RC_FT_ENUM = 4 /**< int32 with names */
} rc_field_type_t;

/** The tables, in the order of creation. */
typedef enum rc_table_id {
    RC_T_MATRIX = 0,
    RC_T_POLICY,
    RC_T_KERNEL,
    RC_T_DEVICE,
    RC_T_MESSAGE,
    RC_T_RUN,
    RC_T_SOURCE,
    RC_T_PROVENANCE,
    RC_T_JOURNAL,
    RC_T_INFLIGHT,
    RC_T_RESULT,
    RC_T_ORDER,
    RC_T_COUNT
} rc_table_id_t;

/** One field of a row. */
typedef struct rc_schema_field {
    const char *name;
    rc_field_type_t type;
    size_t offset;
    size_t size;      /**< bytes */
    const char *unit; /**< "" for none */
    const char *help;
    const char *const *names; /**< RC_FT_ENUM: names of 0, 1, ...; NULL-terminated */
    int since;                /**< RC_SCHEMA_VERSION that added it; 0: it was always there */
    double missing;           /**< added: what rows of older files have there; of a text: "" */
    rc_table_id_t dict; /**< RC_FT_INT32: the dictionary whose ids it holds; RC_T_COUNT: none */
    int may_be_none;    /**< of an id: 1: -1 stands for none */
} rc_schema_field_t;

/** One table, or an array of plain numbers. */
typedef struct rc_schema_table {
    const char *path; /**< "/results" */
    const char *title;
    size_t row_bytes;
    const rc_schema_field_t *field; /**< [fields] */
    int fields;                     /**< 0: rows are plain numbers ... */
    int64_t chunk_rows;             /**< rows per HDF5 chunk, 64 KiB to 1 MiB */
    rc_field_type_t plain;          /**< ... of that type, ... */
    int columns;                    /**< ... so many in a row of rank 2; 0: one, of rank 1 */
} rc_schema_table_t;

/** A matrix: identity is the digest of its canonical CSR. */
typedef struct rc_row_matrix {
    char digest[32];
    char name[RC_NAME_MAX]; /**< "Group/Name" of the first source it came from */
    char kind[RC_NAME_MAX];
    int64_t rows;
    int64_t cols;
    int64_t nnz;
    int64_t ssid;
    int32_t id;
    int32_t values_seeded;
} rc_row_matrix_t;

/** What became of a catalogue row; the last row of a name counts. */
typedef struct rc_row_source {
    char name[RC_NAME_MAX];
    char location[RC_LOCATION_MAX];
    int64_t bytes;
    int64_t mtime_ns;
    int64_t load_ns;
    int64_t utc_ns;
    int32_t where;
    int32_t matrix;
    int32_t status;
    int32_t phase;
    int32_t message;
    int32_t run;
} rc_row_source_t;

typedef struct rc_row_policy {
    char name[32];
    int32_t id;
    int32_t version;
    char params[96]; /**< canonical; "" for a policy without parameters */
} rc_row_policy_t;

typedef struct rc_row_kernel {
    char name[32];
    char params[96];
    int32_t id;
    int32_t version;
} rc_row_kernel_t;

typedef struct rc_row_device {
    char class_name[160];
    int32_t id;
    int32_t reserved; /**< 0; keeps the row a multiple of 8 bytes */
} rc_row_device_t;

typedef struct rc_row_message {
    char text[RC_MESSAGE_MAX];
} rc_row_message_t;

typedef struct rc_row_run {
    char uuid[32];
    char version[32];
    char git[64];
    int64_t started_ns;
    int64_t ended_ns;
    int32_t id;
    int32_t ranks;
    int32_t state;
    int32_t reserved;
} rc_row_run_t;

/** State of a run. */
typedef enum rc_run_state {
    RC_RUN_OPEN = 0,     /**< no end was recorded: running, or died */
    RC_RUN_COMPLETE = 1, /**< ended with nothing left to do */
    RC_RUN_DRAINED = 2,  /**< ended on request with work left */
    RC_RUN_ERROR = 3     /**< ended by an error of the run itself */
} rc_run_state_t;

/** A key and a value of a run's provenance; long values go on in rows with part 1, 2, ... */
typedef struct rc_row_provenance {
    char key[64];
    char value[RC_VALUE_MAX];
    int32_t run;
    int32_t rank; /**< -1: of the whole run */
    int32_t part;
    int32_t reserved;
} rc_row_provenance_t;

/** How far each journal has been folded in: what makes folding idempotent. */
typedef struct rc_row_journal {
    char name[64];
    int64_t bytes;
} rc_row_journal_t;

/** In the place of a signal: not the rank died, its device failed for good. */
enum { RC_SIGNAL_DEVICE = -1 };

/** A case that was in flight when its run died. */
typedef struct rc_row_inflight {
    char case_id[32];
    int64_t utc_ns;
    int32_t run;
    int32_t rank;
    int32_t phase;
    int32_t signal; /**< that killed the rank, as far as it could tell; 0 unknown,
                         RC_SIGNAL_DEVICE */
} rc_row_inflight_t;

/** The time that building an order took. */
typedef struct rc_row_order {
    int64_t order_ns;
    int64_t slots;
    int64_t pads;
    int64_t utc_ns;
    int32_t matrix;
    int32_t policy;
    int32_t nw;
    int32_t nt;
    int32_t line;
    int32_t run;
} rc_row_order_t;

/** Which matrix and geometry a row of a feature array is for. */
typedef struct rc_row_feature {
    int64_t feature_ns;
    int32_t matrix;
    int32_t nw;
    int32_t nt;
    int32_t line;
    int32_t version;
    int32_t run;
} rc_row_feature_t;

/** One measured case. */
typedef struct rc_row_result {
    char case_id[32];
    int64_t k;
    int64_t order_ns;
    int64_t prepare_ns;
    int64_t preprocess_ns;
    int64_t first_ns;
    double median_ns;
    double min_ns;
    double mean_ns;
    double sd_ns;
    double rel_err;
    double error_max;
    double error_rel;
    double clock_mhz;
    double memory_clock_mhz;
    double temperature_c;
    int64_t throttle;
    int64_t reps;
    int64_t batch;
    int64_t k_tile;
    int64_t bytes_min;
    int64_t sample_offset;
    int64_t seed;
    int64_t utc_ns;
    int64_t seq;
    int32_t matrix;
    int32_t policy;
    int32_t kernel;
    int32_t device;
    int32_t run;
    int32_t rank;
    int32_t nw;
    int32_t nt;
    int32_t line;
    int32_t op;
    int32_t precision;
    int32_t layout;
    int32_t c_order;
    int32_t cache;
    int32_t status;
    int32_t phase;
    int32_t stop;
    int32_t message;
    int64_t device_bytes;
    double fill;
    int64_t permute_ns;
    int64_t pointer_bytes;
    double load;
    int64_t cpus;
    double hop_ns;
} rc_row_result_t;

extern const rc_schema_table_t rc_schema[RC_T_COUNT];

/** Raw batch times: a flat int64 dataset of ns; a result's are [sample_offset, +reps). */
#define RC_SAMPLES_PATH "/samples"
extern const rc_schema_table_t rc_schema_samples;
/** Group of the feature sets: /features/<set>/rows (table) and /features/<set>/values (2-D). */
#define RC_FEATURES_PATH "/features"

/** The table of a feature set's rows, with the given path. */
extern const rc_schema_table_t rc_schema_feature_rows;

/** Number of the fields that a table has in a version, which are its first ones, and the bytes of
 *  its rows there. */
int rc_schema_fields(const rc_schema_table_t *t, int version, size_t *bytes);

/** The field of that name; NULL: the table has none. */
const rc_schema_field_t *rc_schema_field(const rc_schema_table_t *t, const char *name);

/** Give a field the value that rows of older files have there, in n rows. */
void rc_schema_set_missing(
    const rc_schema_table_t *t, const rc_schema_field_t *f, void *rows, size_t n);

/** Names of the enumerations, NULL-terminated; index = value. */
extern const char *const rc_run_state_names[];
extern const char *const rc_where_names[];
extern const char *const rc_op_names[];
enum { RC_STORE_OPS = 4 }; /**< operations that a store names */
extern const char *const rc_precision_names[];
extern const char *const rc_layout_names[];
extern const char *const rc_c_order_names[];
extern const char *const rc_cache_names[];

/** Copy of a NUL-padded field of n bytes as a C string into buf[n + 1]; returns buf. */
const char *rc_field_text(const char *field, size_t n, char *buf);

/** Fill a NUL-padded field of n bytes; RC_ERANGE when the text is longer than n. */
rc_status_t rc_field_set(char *field, size_t n, const char *text, const char *what, rc_err_t *err);

#endif
