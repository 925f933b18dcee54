#include "config.h"
#include "store/schema.h"
#include "base/error.h"
#include "base/outcome.h"
#include "base/type.h"

#include <math.h>
#include <string.h>

/* rows are written as they lie in memory: a hole would be a file type that differs from the
 * memory type */
#define SUM_TEXT(row, bytes, words64, words32)                                                     \
    _Static_assert(sizeof(row) == (bytes) + 8 * (words64) + 4 * (words32), #row " has padding")
SUM_TEXT(rc_row_matrix_t, 32 + 2 * RC_NAME_MAX, 4, 2);
SUM_TEXT(rc_row_source_t, RC_NAME_MAX + RC_LOCATION_MAX, 4, 6);
SUM_TEXT(rc_row_policy_t, 128, 0, 2);
SUM_TEXT(rc_row_kernel_t, 128, 0, 2);
SUM_TEXT(rc_row_device_t, 160, 0, 2);
SUM_TEXT(rc_row_message_t, RC_MESSAGE_MAX, 0, 0);
SUM_TEXT(rc_row_run_t, 128, 2, 4);
SUM_TEXT(rc_row_provenance_t, 64 + RC_VALUE_MAX, 0, 4);
SUM_TEXT(rc_row_journal_t, 64, 1, 0);
SUM_TEXT(rc_row_inflight_t, 32, 1, 4);
SUM_TEXT(rc_row_order_t, 0, 4, 6);
SUM_TEXT(rc_row_feature_t, 0, 1, 6);
SUM_TEXT(rc_row_result_t, 32, 30, 18);

const char *const rc_run_state_names[] = {"open", "complete", "drained", "error", NULL};
const char *const rc_where_names[] = {"file", "generated", "absent", NULL};
const char *const rc_op_names[RC_STORE_OPS + 1] = {"spmm", "spmv", "spmm_t", "sddmm", NULL};
#define NAME_OF(id, text, ...) text,
const char *const rc_precision_names[] = {RC_FOR_EACH_TYPE(NAME_OF) NULL};
const char *const rc_layout_names[] = {"col", "row", "row-col", "col-row", NULL};
const char *const rc_c_order_names[] = {"original", "schedule", "symmetric", NULL};
const char *const rc_cache_names[] = {"warm", "cold", NULL};

#define AT(row, member) offsetof(row, member), sizeof(((row *)0)->member)
#define FIELD(row, member, type, unit, help, names, since, missing)                                \
    {                                                                                              \
#member, type, AT(row, member), unit, help, names, since, missing, RC_T_COUNT, 0           \
    }
#define REF(row, member, table, none, help)                                                        \
    {                                                                                              \
#member, RC_FT_INT32, AT(row, member), "", help, NULL, 0, 0, table, none                   \
    }
#define I32(row, member, unit, help) FIELD(row, member, RC_FT_INT32, unit, help, NULL, 0, 0)
#define I64(row, member, unit, help) FIELD(row, member, RC_FT_INT64, unit, help, NULL, 0, 0)
#define F64(row, member, unit, help) FIELD(row, member, RC_FT_FLOAT64, unit, help, NULL, 0, 0)
#define TXT(row, member, help) FIELD(row, member, RC_FT_TEXT, "", help, NULL, 0, 0)
#define ENM(row, member, names, help) FIELD(row, member, RC_FT_ENUM, "", help, names, 0, 0)

#define R rc_row_matrix_t
static const rc_schema_field_t matrix_fields[] = {
    TXT(R, digest, "128-bit XXH3 of the canonical CSR, hexadecimal"),
    TXT(R, name, "Group/Name of the first source it was read from"),
    TXT(R, kind, "kind of problem, as the catalogue words it"),
    I64(R, rows, "rows", "n_row"),
    I64(R, cols, "columns", "n_col"),
    I64(R, nnz, "entries", "stored entries, explicit zeros included"),
    I64(R, ssid, "", "SuiteSparse id; 0 when not catalogued"),
    I32(R, id, "", "row number of this table"),
    I32(R, values_seeded, "", "1: values were generated (pattern and complex files)"),
};
#undef R
#define R rc_row_source_t
static const rc_schema_field_t source_fields[] = {
    TXT(R, name, "Group/Name; the last row of a name counts"),
    TXT(R, location, "path in the collection, or generator spec"),
    I64(R, bytes, "bytes", "size of the file; 0 when generated"),
    I64(R, mtime_ns, "ns", "modification time since 1970; version of the generator when generated"),
    I64(R, load_ns, "ns", "time to load the matrix"),
    I64(R, utc_ns, "ns", "when, since 1970"),
    ENM(R, where, rc_where_names, "what the location is"),
    REF(R, matrix, RC_T_MATRIX, 1, "id in /dict/matrix; -1 when it was not loaded"),
    ENM(R, status, rc_case_status_names, "ok: it was loaded; its cases have their own status"),
    ENM(R, phase, rc_phase_names, "where it ended when not ok"),
    REF(R, message, RC_T_MESSAGE, 1, "id in /dict/message; -1 none"),
    REF(R, run, RC_T_RUN, 0, "id in /dict/run"),
};
#undef R
#define R rc_row_policy_t
static const rc_schema_field_t policy_fields[] = {
    TXT(R, name, "row-order policy"),
    I32(R, id, "", "row number of this table"),
    I32(R, version, "", "raised when schedules may differ"),
    FIELD(R, params, RC_FT_TEXT, "", "all parameters, name=value:...; empty: it has none", NULL,
        RC_SCHEMA_VERSION(2, 0), 0),
};
#undef R
#define R rc_row_kernel_t
static const rc_schema_field_t kernel_fields[] = {
    TXT(R, name, "kernel"),
    TXT(R, params, "all parameters, name=value:..."),
    I32(R, id, "", "row number of this table"),
    I32(R, version, "", "raised when times or numbers may differ"),
};
#undef R
#define R rc_row_device_t
static const rc_schema_field_t device_fields[] = {
    TXT(R, class_name, "device class: devices that should measure the same"),
    I32(R, id, "", "row number of this table"),
    I32(R, reserved, "", "0"),
};
#undef R
#define R rc_row_message_t
static const rc_schema_field_t message_fields[] = {
    TXT(R, text, "why something was not ok; the id is the row number"),
};
#undef R
#define R rc_row_run_t
static const rc_schema_field_t run_fields[] = {
    TXT(R, uuid, "identity of the run; sorts by start time"),
    TXT(R, version, "version of rowcast"),
    TXT(R, git, "commit it was built from"),
    I64(R, started_ns, "ns", "since 1970"),
    I64(R, ended_ns, "ns", "since 1970; 0 while open"),
    I32(R, id, "", "row number of this table"),
    I32(R, ranks, "ranks", "size of the MPI job"),
    ENM(R, state, rc_run_state_names, "open: no end was recorded (running, or died)"),
    I32(R, reserved, "", "0"),
};
#undef R
#define R rc_row_provenance_t
static const rc_schema_field_t provenance_fields[] = {
    TXT(R, key, "what: argv[2], host, compiler, ..."),
    TXT(R, value, "its value; longer ones go on in part 1, 2, ..."),
    REF(R, run, RC_T_RUN, 0, "id in /dict/run"),
    I32(R, rank, "", "MPI rank; -1: of the whole run"),
    I32(R, part, "", "0, 1, ... of a long value"),
    I32(R, reserved, "", "0"),
};
#undef R
#define R rc_row_journal_t
static const rc_schema_field_t journal_fields[] = {
    TXT(R, name, "file name of a journal"),
    I64(R, bytes, "bytes", "how much of it is in this store"),
};
#undef R
#define R rc_row_inflight_t
static const rc_schema_field_t inflight_fields[] = {
    TXT(R, case_id, "case (or matrix) that was in flight when its run died"),
    I64(R, utc_ns, "ns", "when it was begun, since 1970"),
    REF(R, run, RC_T_RUN, 0, "id in /dict/run"),
    I32(R, rank, "", "MPI rank"),
    ENM(R, phase, rc_phase_names, "what was being done"),
    I32(R, signal, "", "signal that the rank saw; 0 none"),
};
#undef R
#define R rc_row_order_t
static const rc_schema_field_t order_fields[] = {
    I64(R, order_ns, "ns", "time to build the order, masks included"),
    I64(R, slots, "slots", "length of the schedule"),
    I64(R, pads, "slots", "of them pads"),
    I64(R, utc_ns, "ns", "when, since 1970"),
    REF(R, matrix, RC_T_MATRIX, 0, "id in /dict/matrix"),
    REF(R, policy, RC_T_POLICY, 0, "id in /dict/policy"),
    I32(R, nw, "workers", "N_w, warps per CTA"),
    I32(R, nt, "lanes", "N_t, lanes per warp"),
    I32(R, line, "columns", "columns of A per cache line of B"),
    REF(R, run, RC_T_RUN, 0, "id in /dict/run"),
};
#undef R
#define R rc_row_feature_t
static const rc_schema_field_t feature_fields[] = {
    I64(R, feature_ns, "ns", "time to compute the row"),
    REF(R, matrix, RC_T_MATRIX, 0, "id in /dict/matrix"),
    I32(R, nw, "workers", "N_w, warps per CTA"),
    I32(R, nt, "lanes", "N_t, lanes per warp"),
    I32(R, line, "columns", "columns of A per cache line of B"),
    I32(R, version, "", "of the feature set"),
    REF(R, run, RC_T_RUN, 0, "id in /dict/run"),
};
#undef R
#define R rc_row_result_t
static const rc_schema_field_t result_fields[] = {
    TXT(R, case_id, "digest of the case; the last row of a case counts"),
    I64(R, k, "columns", "dense columns; 0: the operation has none"),
    I64(R, order_ns, "ns", "time to build the order"),
    I64(R, prepare_ns, "ns", "time to rearrange and upload the matrix"),
    I64(R, preprocess_ns, "ns", "the kernel's own work before its first product, 0 for none"),
    I64(R, first_ns, "ns", "first product"),
    F64(R, median_ns, "ns", "median time of a product"),
    F64(R, min_ns, "ns", "shortest"),
    F64(R, mean_ns, "ns", "mean"),
    F64(R, sd_ns, "ns", "standard deviation over batches"),
    F64(R, rel_err, "1", "relative standard error of the median"),
    F64(R, error_max, "1", "largest error against fp64, in units of its bound; right when <= 1"),
    F64(R, error_rel, "1", "largest error against fp64, relative to sum |a||b|"),
    F64(R, clock_mhz, "MHz", "compute clock after the measurement"),
    F64(R, memory_clock_mhz, "MHz", "memory clock"),
    F64(R, temperature_c, "deg C", "temperature"),
    I64(R, throttle, "", "bit set of throttle reasons; 0 none, -1 unknown"),
    I64(R, reps, "batches", "repetitions"),
    I64(R, batch, "products", "products per repetition"),
    I64(R, k_tile, "", "columns per launch: K, or less when B and C do not fit and K is tiled"),
    I64(R, bytes_min, "bytes", "compulsory traffic of one product"),
    I64(R, sample_offset, "", "first of the `reps` raw times in /samples; -1 none"),
    I64(R, seed, "", "of B and of the verification sample"),
    I64(R, utc_ns, "ns", "when it ended, since 1970"),
    I64(R, seq, "",
        "number of the record in its journal: (run, rank, seq) is unique; -1 for crashed"),
    REF(R, matrix, RC_T_MATRIX, 0, "id in /dict/matrix"),
    REF(R, policy, RC_T_POLICY, 0, "id in /dict/policy"),
    REF(R, kernel, RC_T_KERNEL, 0, "id in /dict/kernel"),
    REF(R, device, RC_T_DEVICE, 0, "id in /dict/device"),
    REF(R, run, RC_T_RUN, 0, "id in /dict/run"),
    I32(R, rank, "", "MPI rank"),
    I32(R, nw, "workers", "N_w that the order was built for"),
    I32(R, nt, "lanes", "N_t"),
    I32(R, line, "columns", "columns of A per cache line of B"),
    ENM(R, op, rc_op_names, "operation"),
    ENM(R, precision, rc_precision_names, "of A, B and C"),
    ENM(R, layout, rc_layout_names, "of B and C: one for both, or that of B and that of C"),
    ENM(R, c_order, rc_c_order_names,
        "row order of C; symmetric: rows and columns of the matrix are renumbered, and B with "
        "them"),
    ENM(R, cache, rc_cache_names, "cold: caches flushed before each product"),
    ENM(R, status, rc_case_status_names,
        "only ok rows may enter an average; noisy: timed, but its batches disagree"),
    ENM(R, phase, rc_phase_names, "where it ended when not ok"),
    ENM(R, stop, rc_stop_names, "why the repetition ended"),
    REF(R, message, RC_T_MESSAGE, 1, "id in /dict/message; -1 none"),
    FIELD(R, device_bytes, RC_FT_INT64, "bytes",
        "of the prepared matrix in the memory of the device; -1 unknown", NULL,
        RC_SCHEMA_VERSION(2, 0), -1),
    FIELD(R, fill, RC_FT_FLOAT64, "1", "stored entries, padding included, per entry of the matrix",
        NULL, RC_SCHEMA_VERSION(2, 0), NAN),
    FIELD(R, permute_ns, RC_FT_INT64, "ns",
        "to bring x into the numbering of a symmetric order, and y out of it, on the host; 0 for "
        "other orders, -1 unknown",
        NULL, RC_SCHEMA_VERSION(2, 2), -1),
    FIELD(R, pointer_bytes, RC_FT_INT64, "bytes",
        "of the pointers of groups beside CSR that the kernel has; -1 unknown", NULL,
        RC_SCHEMA_VERSION(2, 2), -1),
    FIELD(R, load, RC_FT_FLOAT64, "threads",
        "of other programs that wanted the CPUs while it was timed, on average, and CPUs that a "
        "hypervisor withheld; on a GPU other processes that compute",
        NULL, RC_SCHEMA_VERSION(2, 4), NAN),
    FIELD(R, cpus, RC_FT_INT64, "", "CPUs that it shared with them, 1 of a GPU; -1 unknown", NULL,
        RC_SCHEMA_VERSION(2, 4), -1),
};
#undef R

#define TABLE(path, title, row, fields, chunk)                                                     \
    {                                                                                              \
        path, title, sizeof(row), fields, (int)(sizeof fields / sizeof *fields), chunk, 0, 0       \
    }

const rc_schema_table_t rc_schema[RC_T_COUNT] = {
    [RC_T_MATRIX] = TABLE("/dict/matrix", "Matrices", rc_row_matrix_t, matrix_fields, 512),
    [RC_T_POLICY] = TABLE("/dict/policy", "Row-order policies", rc_row_policy_t, policy_fields, 64),
    [RC_T_KERNEL] = TABLE("/dict/kernel", "Kernels", rc_row_kernel_t, kernel_fields, 64),
    [RC_T_DEVICE] = TABLE("/dict/device", "Device classes", rc_row_device_t, device_fields, 64),
    [RC_T_MESSAGE] = TABLE("/dict/message", "Messages", rc_row_message_t, message_fields, 256),
    [RC_T_RUN] = TABLE("/dict/run", "Runs", rc_row_run_t, run_fields, 64),
    [RC_T_SOURCE] = TABLE("/sources", "Catalogue rows", rc_row_source_t, source_fields, 256),
    [RC_T_PROVENANCE] =
        TABLE("/provenance", "Provenance of the runs", rc_row_provenance_t, provenance_fields, 256),
    [RC_T_JOURNAL] = TABLE("/journals", "Folded journals", rc_row_journal_t, journal_fields, 256),
    [RC_T_INFLIGHT] =
        TABLE("/inflight", "In flight when a run died", rc_row_inflight_t, inflight_fields, 256),
    [RC_T_RESULT] = TABLE("/results", "Measured cases", rc_row_result_t, result_fields, 1024),
    [RC_T_ORDER] =
        TABLE("/orders", "Times to build the orders", rc_row_order_t, order_fields, 1024),
};

const rc_schema_table_t rc_schema_feature_rows =
    TABLE("rows", "What each row of values is for", rc_row_feature_t, feature_fields, 1024);

const rc_schema_table_t rc_schema_samples = {
    RC_SAMPLES_PATH, "Raw times", sizeof(int64_t), NULL, 0, 16384, RC_FT_INT64, 0};

int rc_schema_fields(const rc_schema_table_t *t, int version, size_t *bytes)
{
    int n = 0;
    *bytes = 0;
    while (n < t->fields && t->field[n].since <= version)
        *bytes += t->field[n++].size;
    return n;
}

const rc_schema_field_t *rc_schema_field(const rc_schema_table_t *t, const char *name)
{
    for (int i = 0; i < t->fields; i++)
        if (strcmp(t->field[i].name, name) == 0)
            return &t->field[i];
    return NULL;
}

void rc_schema_set_missing(
    const rc_schema_table_t *t, const rc_schema_field_t *f, void *rows, size_t n)
{
    const int32_t i32 = f->type == RC_FT_INT32 || f->type == RC_FT_ENUM ? (int32_t)f->missing : 0;
    const int64_t i64 = f->type == RC_FT_INT64 ? (int64_t)f->missing : 0;
    char *at = (char *)rows + f->offset;
    for (size_t i = 0; i < n; i++, at += t->row_bytes)
        switch (f->type) {
        case RC_FT_INT32:
        case RC_FT_ENUM:
            memcpy(at, &i32, sizeof i32);
            break;
        case RC_FT_INT64:
            memcpy(at, &i64, sizeof i64);
            break;
        case RC_FT_FLOAT64:
            memcpy(at, &f->missing, sizeof f->missing);
            break;
        case RC_FT_TEXT:
            memset(at, 0, f->size);
            break;
        }
}

const char *rc_field_text(const char *field, size_t n, char *buf)
{
    memcpy(buf, field, n);
    buf[n] = '\0';
    return buf;
}

rc_status_t rc_field_set(char *field, size_t n, const char *text, const char *what, rc_err_t *err)
{
    size_t len = strlen(text);
    if (len > n)
        return rc_fail(
            err, RC_ERANGE, "%s: %zu characters, at most %zu fit: %.60s...", what, len, n, text);
    memset(field, 0, n);
    memcpy(field, text, len);
    return RC_OK;
}
