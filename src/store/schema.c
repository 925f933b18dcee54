#include "config.h"
#include "store/schema.h"
#include "base/error.h"
#include "base/outcome.h"
#include "base/type.h"

#include <math.h>
#include <string.h>

const char *const rc_run_state_names[] = {"open", "complete", "drained", "error", NULL};
const char *const rc_where_names[] = {"file", "generated", "absent", NULL};
const char *const rc_op_names[RC_STORE_OPS + 1] = {"spmm", "spmv", "spmm_t", "sddmm", NULL};
#define NAME_OF(id, name, ...) [id] = name,
const char *const rc_precision_names[] = {RC_FOR_EACH_TYPE(NAME_OF) NULL};
const char *const rc_layout_names[] = {"col", "row", "row-col", "col-row", NULL};
const char *const rc_c_order_names[] = {"original", "schedule", "symmetric", NULL};
const char *const rc_cache_names[] = {"warm", "cold", NULL};

#define AT(row, member) offsetof(row, member), sizeof(((row *)0)->member)
#define FIELD(row, member, type, unit, help, names, since, missing)                                \
    {                                                                                              \
#member, type, AT(rc_row_##row##_t, member), unit, help, names, since, missing,            \
            RC_T_COUNT, 0                                                                          \
    }
#define REF(row, member, table, none, help)                                                        \
    {                                                                                              \
#member, RC_FT_INT32, AT(rc_row_##row##_t, member), "", help, NULL, 0, 0, table, none      \
    }
#define I32(row, member, unit, help) FIELD(row, member, RC_FT_INT32, unit, help, NULL, 0, 0)
#define I64(row, member, unit, help) FIELD(row, member, RC_FT_INT64, unit, help, NULL, 0, 0)
#define F64(row, member, unit, help) FIELD(row, member, RC_FT_FLOAT64, unit, help, NULL, 0, 0)
#define TXT(row, member, help) FIELD(row, member, RC_FT_TEXT, "", help, NULL, 0, 0)
#define ENM(row, member, names, help) FIELD(row, member, RC_FT_ENUM, "", help, names, 0, 0)

static const rc_schema_field_t matrix_fields[] = {
    TXT(matrix, digest, "128-bit XXH3 of the canonical CSR, hexadecimal"),
    TXT(matrix, name, "Group/Name of the first source it was read from"),
    TXT(matrix, kind, "kind of problem, as the catalogue words it"),
    I64(matrix, rows, "rows", "n_row"),
    I64(matrix, cols, "columns", "n_col"),
    I64(matrix, nnz, "entries", "stored entries, explicit zeros included"),
    I64(matrix, ssid, "", "SuiteSparse id; 0 when not catalogued"),
    I32(matrix, id, "", "row number of this table"),
    I32(matrix, values_seeded, "", "1: values were generated (pattern and complex files)"),
};
static const rc_schema_field_t source_fields[] = {
    TXT(source, name, "Group/Name; the last row of a name counts"),
    TXT(source, location, "path in the collection, or generator spec"),
    I64(source, bytes, "bytes", "size of the file; 0 when generated"),
    I64(source, mtime_ns, "ns",
        "modification time since 1970; version of the generator when generated"),
    I64(source, load_ns, "ns", "time to load the matrix"),
    I64(source, utc_ns, "ns", "when, since 1970"),
    ENM(source, where, rc_where_names, "what the location is"),
    REF(source, matrix, RC_T_MATRIX, 1, "id in /dict/matrix; -1 when it was not loaded"),
    ENM(source, status, rc_case_status_names, "ok: it was loaded; its cases have their own status"),
    ENM(source, phase, rc_phase_names, "where it ended when not ok"),
    REF(source, message, RC_T_MESSAGE, 1, "id in /dict/message; -1 none"),
    REF(source, run, RC_T_RUN, 0, "id in /dict/run"),
};
static const rc_schema_field_t policy_fields[] = {
    TXT(policy, name, "row-order policy"),
    I32(policy, id, "", "row number of this table"),
    I32(policy, version, "", "raised when schedules may differ"),
    FIELD(policy, params, RC_FT_TEXT, "", "all parameters, name=value:...; empty: it has none",
        NULL, RC_SCHEMA_VERSION(2, 0), 0),
};
static const rc_schema_field_t kernel_fields[] = {
    TXT(kernel, name, "kernel"),
    TXT(kernel, params, "all parameters, name=value:..."),
    I32(kernel, id, "", "row number of this table"),
    I32(kernel, version, "", "raised when times or numbers may differ"),
};
static const rc_schema_field_t device_fields[] = {
    TXT(device, class_name, "device class: devices that should measure the same"),
    I32(device, id, "", "row number of this table"),
    I32(device, reserved, "", "0"),
};
static const rc_schema_field_t message_fields[] = {
    TXT(message, text, "why something was not ok; the id is the row number"),
};
static const rc_schema_field_t run_fields[] = {
    TXT(run, uuid, "identity of the run; sorts by start time"),
    TXT(run, version, "version of rowcast"),
    TXT(run, git, "commit it was built from"),
    I64(run, started_ns, "ns", "since 1970"),
    I64(run, ended_ns, "ns", "since 1970; 0 while open"),
    I32(run, id, "", "row number of this table"),
    I32(run, ranks, "ranks", "size of the MPI job"),
    ENM(run, state, rc_run_state_names, "open: no end was recorded (running, or died)"),
    I32(run, reserved, "", "0"),
};
static const rc_schema_field_t provenance_fields[] = {
    TXT(provenance, key, "what: argv[2], host, compiler, ..."),
    TXT(provenance, value, "its value; longer ones go on in part 1, 2, ..."),
    REF(provenance, run, RC_T_RUN, 0, "id in /dict/run"),
    I32(provenance, rank, "", "MPI rank; -1: of the whole run"),
    I32(provenance, part, "", "0, 1, ... of a long value"),
    I32(provenance, reserved, "", "0"),
};
static const rc_schema_field_t journal_fields[] = {
    TXT(journal, name, "file name of a journal"),
    I64(journal, bytes, "bytes", "how much of it is in this store"),
};
static const rc_schema_field_t inflight_fields[] = {
    TXT(inflight, case_id, "case (or matrix) that was in flight when its run died"),
    I64(inflight, utc_ns, "ns", "when it was begun, since 1970"),
    REF(inflight, run, RC_T_RUN, 0, "id in /dict/run"),
    I32(inflight, rank, "", "MPI rank"),
    ENM(inflight, phase, rc_phase_names, "what was being done"),
    I32(inflight, signal, "", "signal that the rank saw; 0 none"),
};
static const rc_schema_field_t order_fields[] = {
    I64(order, order_ns, "ns", "time to build the order, masks included"),
    I64(order, slots, "slots", "length of the schedule"),
    I64(order, pads, "slots", "of them pads"),
    I64(order, utc_ns, "ns", "when, since 1970"),
    REF(order, matrix, RC_T_MATRIX, 0, "id in /dict/matrix"),
    REF(order, policy, RC_T_POLICY, 0, "id in /dict/policy"),
    I32(order, nw, "workers", "N_w, warps per CTA"),
    I32(order, nt, "lanes", "N_t, lanes per warp"),
    I32(order, line, "columns", "columns of A per cache line of B"),
    REF(order, run, RC_T_RUN, 0, "id in /dict/run"),
};
static const rc_schema_field_t feature_fields[] = {
    I64(feature, feature_ns, "ns", "time to compute the row"),
    REF(feature, matrix, RC_T_MATRIX, 0, "id in /dict/matrix"),
    I32(feature, nw, "workers", "N_w, warps per CTA"),
    I32(feature, nt, "lanes", "N_t, lanes per warp"),
    I32(feature, line, "columns", "columns of A per cache line of B"),
    I32(feature, version, "", "of the feature set"),
    REF(feature, run, RC_T_RUN, 0, "id in /dict/run"),
};
static const rc_schema_field_t result_fields[] = {
    TXT(result, case_id, "digest of the case; the last row of a case counts"),
    I64(result, k, "columns", "dense columns; 0: the operation has none"),
    I64(result, order_ns, "ns", "time to build the order"),
    I64(result, prepare_ns, "ns", "time to rearrange and upload the matrix"),
    I64(result, preprocess_ns, "ns", "the kernel's own work before its first product, 0 for none"),
    I64(result, first_ns, "ns", "first product"),
    F64(result, median_ns, "ns", "median time of a product"),
    F64(result, min_ns, "ns", "shortest"),
    F64(result, mean_ns, "ns", "mean"),
    F64(result, sd_ns, "ns", "standard deviation over batches"),
    F64(result, rel_err, "1", "relative standard error of the median"),
    F64(result, error_max, "1",
        "largest error against fp64, in units of its bound; right when <= 1"),
    F64(result, error_rel, "1", "largest error against fp64, relative to sum |a||b|"),
    F64(result, clock_mhz, "MHz", "compute clock after the measurement"),
    F64(result, memory_clock_mhz, "MHz", "memory clock"),
    F64(result, temperature_c, "deg C", "temperature"),
    I64(result, throttle, "", "bit set of throttle reasons; 0 none, -1 unknown"),
    I64(result, reps, "batches", "repetitions"),
    I64(result, batch, "products", "products per repetition"),
    I64(result, k_tile, "",
        "columns per launch: K, or less when B and C do not fit and K is tiled"),
    I64(result, bytes_min, "bytes", "compulsory traffic of one product"),
    I64(result, sample_offset, "", "first of the `reps` raw times in /samples; -1 none"),
    I64(result, seed, "", "of B and of the verification sample"),
    I64(result, utc_ns, "ns", "when it ended, since 1970"),
    I64(result, seq, "",
        "number of the record in its journal: (run, rank, seq) is unique; -1 for crashed"),
    REF(result, matrix, RC_T_MATRIX, 0, "id in /dict/matrix"),
    REF(result, policy, RC_T_POLICY, 0, "id in /dict/policy"),
    REF(result, kernel, RC_T_KERNEL, 0, "id in /dict/kernel"),
    REF(result, device, RC_T_DEVICE, 0, "id in /dict/device"),
    REF(result, run, RC_T_RUN, 0, "id in /dict/run"),
    I32(result, rank, "", "MPI rank"),
    I32(result, nw, "workers", "N_w that the order was built for"),
    I32(result, nt, "lanes", "N_t"),
    I32(result, line, "columns", "columns of A per cache line of B"),
    ENM(result, op, rc_op_names, "operation"),
    ENM(result, precision, rc_precision_names, "of A, B and C"),
    ENM(result, layout, rc_layout_names, "of B and C: one for both, or that of B and that of C"),
    ENM(result, c_order, rc_c_order_names,
        "row order of C; symmetric: rows and columns of the matrix are renumbered, and B with "
        "them"),
    ENM(result, cache, rc_cache_names, "cold: caches flushed before each product"),
    ENM(result, status, rc_case_status_names,
        "only ok rows may enter an average; noisy: timed, but its batches disagree"),
    ENM(result, phase, rc_phase_names, "where it ended when not ok"),
    ENM(result, stop, rc_stop_names, "why the repetition ended"),
    REF(result, message, RC_T_MESSAGE, 1, "id in /dict/message; -1 none"),
    FIELD(result, device_bytes, RC_FT_INT64, "bytes",
        "of the prepared matrix in the memory of the device; -1 unknown", NULL,
        RC_SCHEMA_VERSION(2, 0), -1),
    FIELD(result, fill, RC_FT_FLOAT64, "1",
        "stored entries, padding included, per entry of the matrix", NULL, RC_SCHEMA_VERSION(2, 0),
        NAN),
    FIELD(result, permute_ns, RC_FT_INT64, "ns",
        "to bring x into the numbering of a symmetric order, and y out of it, on the host; 0 for "
        "other orders, -1 unknown",
        NULL, RC_SCHEMA_VERSION(2, 2), -1),
    FIELD(result, pointer_bytes, RC_FT_INT64, "bytes",
        "of the pointers of groups beside CSR that the kernel has; -1 unknown", NULL,
        RC_SCHEMA_VERSION(2, 2), -1),
    FIELD(result, load, RC_FT_FLOAT64, "threads",
        "of other programs that wanted the CPUs while it was timed, on average, and CPUs that a "
        "hypervisor withheld; on a GPU other processes that compute",
        NULL, RC_SCHEMA_VERSION(2, 4), NAN),
    FIELD(result, cpus, RC_FT_INT64, "", "CPUs that it shared with them, 1 of a GPU; -1 unknown",
        NULL, RC_SCHEMA_VERSION(2, 4), -1),
    FIELD(result, hop_ns, RC_FT_FLOAT64, "ns",
        "that a line of cache took from a thread of the team to its neighbour, of the two farthest "
        "apart; NaN unknown",
        NULL, RC_SCHEMA_VERSION(2, 7), NAN),
};

#define TABLE(row, path, title, chunk)                                                             \
    {                                                                                              \
        path, title, sizeof(rc_row_##row##_t), row##_fields,                                       \
            (int)(sizeof row##_fields / sizeof *row##_fields), chunk, 0, 0                         \
    }

const rc_schema_table_t rc_schema[RC_T_COUNT] = {
    [RC_T_MATRIX] = TABLE(matrix, "/dict/matrix", "Matrices", 512),
    [RC_T_POLICY] = TABLE(policy, "/dict/policy", "Row-order policies", 64),
    [RC_T_KERNEL] = TABLE(kernel, "/dict/kernel", "Kernels", 64),
    [RC_T_DEVICE] = TABLE(device, "/dict/device", "Device classes", 64),
    [RC_T_MESSAGE] = TABLE(message, "/dict/message", "Messages", 256),
    [RC_T_RUN] = TABLE(run, "/dict/run", "Runs", 64),
    [RC_T_SOURCE] = TABLE(source, "/sources", "Catalogue rows", 256),
    [RC_T_PROVENANCE] = TABLE(provenance, "/provenance", "Provenance of the runs", 256),
    [RC_T_JOURNAL] = TABLE(journal, "/journals", "Folded journals", 256),
    [RC_T_INFLIGHT] = TABLE(inflight, "/inflight", "In flight when a run died", 256),
    [RC_T_RESULT] = TABLE(result, "/results", "Measured cases", 1024),
    [RC_T_ORDER] = TABLE(order, "/orders", "Times to build the orders", 1024),
};

const rc_schema_table_t rc_schema_feature_rows =
    TABLE(feature, "rows", "What each row of values is for", 1024);

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
