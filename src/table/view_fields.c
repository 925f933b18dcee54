#include "config.h"
#include "table/view_private.h"

#include <math.h>
#include <string.h>

typedef enum field_id {
    F_FULLNAME,
    F_NAME,
    F_GROUP,
    F_KIND,
    F_ROWS,
    F_COLS,
    F_NNZ,
    F_DENSITY,
    F_SQUARE,
    F_DIGEST,
    F_POLICY,
    F_POLICY_VERSION,
    F_KERNEL,
    F_KERNEL_VERSION,
    F_DEVICE,
    F_OP,
    F_K,
    F_PRECISION,
    F_LAYOUT,
    F_C_ORDER,
    F_CACHE,
    F_NW,
    F_NT,
    F_LINE,
    F_STATUS,
    F_PHASE,
    F_MESSAGE,
    F_MEDIAN,
    F_MIN,
    F_MEAN,
    F_SD,
    F_REL_ERR,
    F_SPEEDUP,
    F_PAIRED,
    F_BREAKEVEN,
    F_GFLOPS,
    F_GBS,
    F_ORDER,
    F_PREPARE,
    F_PREPROCESS,
    F_K_TILE,
    F_FIRST,
    F_REPS,
    F_BATCH,
    F_STOP,
    F_BYTES_MIN,
    F_ERROR_MAX,
    F_ERROR_REL,
    F_CLOCK,
    F_MEMORY_CLOCK,
    F_TEMPERATURE,
    F_THROTTLE,
    F_SEED,
    F_UTC,
    F_RUN,
    F_RANK,
    F_SEQ,
    F_CASE,
    F_COUNT
} field_id_t;

#define INT RC_VALUE_INT
#define REAL RC_VALUE_REAL
#define TEXT RC_VALUE_TEXT

const rc_field_t rc_view_fields[] = {
    [F_FULLNAME] = {"fullname", TEXT, "Group/Name of the matrix"},
    [F_NAME] = {"name", TEXT, "name of the matrix without its group"},
    [F_GROUP] = {"group", TEXT, "group of the matrix: its name before the slash"},
    [F_KIND] = {"kind", TEXT, "kind of problem"},
    [F_ROWS] = {"rows", INT, "n_row"},
    [F_COLS] = {"cols", INT, "n_col"},
    [F_NNZ] = {"nnz", INT, "stored entries"},
    [F_DENSITY] = {"density", REAL, "nnz / (rows * cols)"},
    [F_SQUARE] = {"square", RC_VALUE_BOOL, "rows == cols"},
    [F_DIGEST] = {"digest", TEXT, "identity of the matrix"},
    [F_POLICY] = {"policy", TEXT, "row-order policy"},
    [F_POLICY_VERSION] = {"policy_version", INT, "version of the policy that ordered the rows"},
    [F_KERNEL] = {"kernel", TEXT, "kernel with its parameters"},
    [F_KERNEL_VERSION] = {"kernel_version", INT, "version of the kernel that was timed"},
    [F_DEVICE] = {"device", TEXT, "device class"},
    [F_OP] = {"op", TEXT, "operation"},
    [F_K] = {"k", INT, "dense columns (k == cols: the setting K = n)"},
    [F_PRECISION] = {"precision", TEXT, "fp32 or fp64"},
    [F_LAYOUT] = {"layout", TEXT, "of B and C: col or row"},
    [F_C_ORDER] = {"c_order", TEXT, "row order of C"},
    [F_CACHE] = {"cache", TEXT, "warm or cold"},
    [F_NW] = {"nw", INT, "N_w that the order was built for"},
    [F_NT] = {"nt", INT, "N_t"},
    [F_LINE] = {"line", INT, "columns of A per cache line of B"},
    [F_STATUS] = {"status", TEXT, "ok, wrong, skipped, failed, crashed"},
    [F_PHASE] = {"phase", TEXT, "where it ended when not ok"},
    [F_MESSAGE] = {"message", TEXT, "why it is not ok"},
    [F_MEDIAN] = {"median_ns", REAL, "median time of a product"},
    [F_MIN] = {"min_ns", REAL, "shortest time"},
    [F_MEAN] = {"mean_ns", REAL, "mean time"},
    [F_SD] = {"sd_ns", REAL, "standard deviation"},
    [F_REL_ERR] = {"rel_err", REAL, "relative standard error of the median"},
    [F_SPEEDUP] = {"speedup", REAL, "median of csr over this median, all else equal"},
    [F_PAIRED] = {"paired", RC_VALUE_BOOL, "csr was timed in the same run, in turns with this row"},
    [F_BREAKEVEN] = {"breakeven", REAL,
        "products after which the time to build the order is won back; missing when it never is"},
    [F_GFLOPS] = {"gflops", REAL, "2 * nnz * k / median"},
    [F_GBS] = {"gbs", REAL, "compulsory traffic over the median"},
    [F_ORDER] = {"order_ns", INT, "time to build the order"},
    [F_PREPARE] = {"prepare_ns", INT, "time to rearrange and upload"},
    [F_PREPROCESS] = {"preprocess_ns", INT, "the kernel's own work before its first product"},
    [F_K_TILE] = {"k_tile", INT, "columns per launch: K, or less when K was tiled"},
    [F_FIRST] = {"first_ns", INT, "first product"},
    [F_REPS] = {"reps", INT, "repetitions (batches)"},
    [F_BATCH] = {"batch", INT, "products per batch"},
    [F_STOP] = {"stop", TEXT, "why the repetition ended"},
    [F_BYTES_MIN] = {"bytes_min", INT, "compulsory traffic of a product"},
    [F_ERROR_MAX] = {"error_max", REAL, "error against fp64 in units of its bound"},
    [F_ERROR_REL] = {"error_rel", REAL, "error against fp64 over sum |a||b|"},
    [F_CLOCK] = {"clock_mhz", REAL, "compute clock"},
    [F_MEMORY_CLOCK] = {"memory_clock_mhz", REAL, "memory clock"},
    [F_TEMPERATURE] = {"temperature_c", REAL, "temperature"},
    [F_THROTTLE] = {"throttle", INT, "throttle reasons, 0 none, -1 unknown"},
    [F_SEED] = {"seed", INT, "of B and of the verification sample"},
    [F_UTC] = {"utc_ns", INT, "when, since 1970"},
    [F_RUN] = {"run", TEXT, "identity of the run"},
    [F_RANK] = {"rank", INT, "MPI rank"},
    [F_SEQ] = {"seq", INT, "record number in the rank's journal"},
    [F_CASE] = {"case", TEXT, "identity of the case"},
};
_Static_assert((int)F_COUNT == (int)RC_VIEW_FIELDS, "fields of a result row");

const char *const rc_view_units[] = {
    [F_FULLNAME] = "",
    [F_NAME] = "",
    [F_GROUP] = "",
    [F_KIND] = "",
    [F_ROWS] = "",
    [F_COLS] = "",
    [F_NNZ] = "",
    [F_DENSITY] = "1",
    [F_SQUARE] = "",
    [F_DIGEST] = "",
    [F_POLICY] = "",
    [F_POLICY_VERSION] = "",
    [F_KERNEL] = "",
    [F_KERNEL_VERSION] = "",
    [F_DEVICE] = "",
    [F_OP] = "",
    [F_K] = "",
    [F_PRECISION] = "",
    [F_LAYOUT] = "",
    [F_C_ORDER] = "",
    [F_CACHE] = "",
    [F_NW] = "",
    [F_NT] = "",
    [F_LINE] = "",
    [F_STATUS] = "",
    [F_PHASE] = "",
    [F_MESSAGE] = "",
    [F_MEDIAN] = "ns",
    [F_MIN] = "ns",
    [F_MEAN] = "ns",
    [F_SD] = "ns",
    [F_REL_ERR] = "1",
    [F_SPEEDUP] = "1",
    [F_PAIRED] = "",
    [F_BREAKEVEN] = "products",
    [F_GFLOPS] = "Gflop/s",
    [F_GBS] = "GB/s",
    [F_ORDER] = "ns",
    [F_PREPARE] = "ns",
    [F_PREPROCESS] = "ns",
    [F_K_TILE] = "",
    [F_FIRST] = "ns",
    [F_REPS] = "",
    [F_BATCH] = "",
    [F_STOP] = "",
    [F_BYTES_MIN] = "bytes",
    [F_ERROR_MAX] = "1",
    [F_ERROR_REL] = "1",
    [F_CLOCK] = "MHz",
    [F_MEMORY_CLOCK] = "MHz",
    [F_TEMPERATURE] = "deg C",
    [F_THROTTLE] = "",
    [F_SEED] = "",
    [F_UTC] = "ns",
    [F_RUN] = "",
    [F_RANK] = "",
    [F_SEQ] = "",
    [F_CASE] = "",
};

static const char *short_name(const char *fullname)
{
    const char *slash = strchr(fullname, '/');
    return slash ? slash + 1 : fullname;
}

static double breakeven(const rc_view_t *v, int64_t i)
{
    double gain = rc_view_csr_ns(v, i) - v->result[i].median_ns;
    return gain > 0 ? (double)v->result[i].order_ns / gain : NAN;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

void rc_view_get(const void *cursor, int field, rc_value_t *out)
{
    const rc_cursor_t *c = cursor;
    const rc_view_t *v = c->view;
    const rc_row_result_t *r = &v->result[c->i];
    const rc_row_matrix_t *m = rc_view_matrix(v, r->matrix);
    const char *text = "";
    double real = NAN;
    int64_t whole = 0;
    switch ((field_id_t)field) {
    case F_FULLNAME:
        text = rc_text_at(&v->matrix_name, r->matrix);
        break;
    case F_NAME:
        text = short_name(rc_text_at(&v->matrix_name, r->matrix));
        break;
    case F_GROUP:
        text = rc_text_at(&v->matrix_group, r->matrix);
        break;
    case F_KIND:
        text = rc_text_at(&v->matrix_kind, r->matrix);
        break;
    case F_ROWS:
        whole = m->rows;
        break;
    case F_COLS:
        whole = m->cols;
        break;
    case F_NNZ:
        whole = m->nnz;
        break;
    case F_DENSITY:
        real = ratio((double)m->nnz, (double)m->rows * (double)m->cols);
        break;
    case F_SQUARE:
        whole = m->rows == m->cols;
        break;
    case F_DIGEST:
        text = rc_text_at(&v->matrix_digest, r->matrix);
        break;
    case F_POLICY:
        text = rc_view_policy(v, r->policy);
        break;
    case F_POLICY_VERSION:
        whole = rc_view_policy_version(v, r->policy);
        break;
    case F_KERNEL:
        text = rc_view_kernel(v, r->kernel);
        break;
    case F_KERNEL_VERSION:
        whole = rc_view_kernel_version(v, r->kernel);
        break;
    case F_DEVICE:
        text = rc_view_device(v, r->device);
        break;
    case F_OP:
        text = rc_name_of(rc_op_names, r->op);
        break;
    case F_K:
        whole = r->k;
        break;
    case F_PRECISION:
        text = rc_name_of(rc_precision_names, r->precision);
        break;
    case F_LAYOUT:
        text = rc_name_of(rc_layout_names, r->layout);
        break;
    case F_C_ORDER:
        text = rc_name_of(rc_c_order_names, r->c_order);
        break;
    case F_CACHE:
        text = rc_name_of(rc_cache_names, r->cache);
        break;
    case F_NW:
        whole = r->nw;
        break;
    case F_NT:
        whole = r->nt;
        break;
    case F_LINE:
        whole = r->line;
        break;
    case F_STATUS:
        text = rc_name_of(rc_case_status_names, r->status);
        break;
    case F_PHASE:
        text = rc_name_of(rc_phase_names, r->phase);
        break;
    case F_MESSAGE:
        text = rc_view_message(v, r->message);
        break;
    case F_MEDIAN:
        real = r->median_ns;
        break;
    case F_MIN:
        real = r->min_ns;
        break;
    case F_MEAN:
        real = r->mean_ns;
        break;
    case F_SD:
        real = r->sd_ns;
        break;
    case F_REL_ERR:
        real = r->rel_err;
        break;
    case F_SPEEDUP:
        real = rc_view_speedup(v, c->i);
        break;
    case F_PAIRED:
        whole = rc_view_is_paired(v, c->i);
        break;
    case F_BREAKEVEN:
        real = breakeven(v, c->i);
        break;
    case F_GFLOPS:
        real = ratio(2.0 * (double)m->nnz * (double)r->k, r->median_ns);
        break;
    case F_GBS:
        real = ratio((double)r->bytes_min, r->median_ns);
        break;
    case F_ORDER:
        whole = r->order_ns;
        break;
    case F_PREPARE:
        whole = r->prepare_ns;
        break;
    case F_PREPROCESS:
        whole = r->preprocess_ns;
        break;
    case F_K_TILE:
        whole = r->k_tile;
        break;
    case F_FIRST:
        whole = r->first_ns;
        break;
    case F_REPS:
        whole = r->reps;
        break;
    case F_BATCH:
        whole = r->batch;
        break;
    case F_STOP:
        text = rc_name_of(rc_stop_names, r->stop);
        break;
    case F_BYTES_MIN:
        whole = r->bytes_min;
        break;
    case F_ERROR_MAX:
        real = r->error_max;
        break;
    case F_ERROR_REL:
        real = r->error_rel;
        break;
    case F_CLOCK:
        real = r->clock_mhz;
        break;
    case F_MEMORY_CLOCK:
        real = r->memory_clock_mhz;
        break;
    case F_TEMPERATURE:
        real = r->temperature_c;
        break;
    case F_THROTTLE:
        whole = r->throttle;
        break;
    case F_SEED:
        whole = r->seed;
        break;
    case F_UTC:
        whole = r->utc_ns;
        break;
    case F_RUN:
        text = rc_text_at(&v->run, r->run);
        break;
    case F_RANK:
        whole = r->rank;
        break;
    case F_SEQ:
        whole = r->seq;
        break;
    case F_CASE:
        text = c->case_id;
        break;
    case F_COUNT:
        break;
    }
    *out = (rc_value_t){rc_view_fields[field].kind, whole, real, text};
}

typedef enum source_field_id {
    S_FULLNAME,
    S_NAME,
    S_KIND,
    S_ROWS,
    S_COLS,
    S_NNZ,
    S_STATUS,
    S_PHASE,
    S_MESSAGE,
    S_WHERE,
    S_LOCATION,
    S_BYTES,
    S_LOAD,
    S_OK,
    S_WRONG,
    S_SKIPPED,
    S_FAILED,
    S_CRASHED,
    S_DIGEST,
    S_COUNT
} source_field_id_t;

const rc_field_t rc_source_fields[] = {
    [S_FULLNAME] = {"fullname", TEXT, "Group/Name"},
    [S_NAME] = {"name", TEXT, "name without its group"},
    [S_KIND] = {"kind", TEXT, "kind of problem"},
    [S_ROWS] = {"rows", INT, "n_row, -1 when not loaded"},
    [S_COLS] = {"cols", INT, "n_col"},
    [S_NNZ] = {"nnz", INT, "stored entries"},
    [S_STATUS] = {"status", TEXT, "of loading: ok, skipped, failed, crashed"},
    [S_PHASE] = {"phase", TEXT, "where it ended when not ok"},
    [S_MESSAGE] = {"message", TEXT, "why it is not ok"},
    [S_WHERE] = {"where", TEXT, "file, generated or absent"},
    [S_LOCATION] = {"location", TEXT, "path in the collection, or generator spec"},
    [S_BYTES] = {"bytes", INT, "size of the file"},
    [S_LOAD] = {"load_ns", INT, "time to load"},
    [S_OK] = {"cases_ok", INT, "cases that are ok"},
    [S_WRONG] = {"cases_wrong", INT, "cases that failed verification"},
    [S_SKIPPED] = {"cases_skipped", INT, "cases that were skipped"},
    [S_FAILED] = {"cases_failed", INT, "cases that failed"},
    [S_CRASHED] = {"cases_crashed", INT, "cases that crashed"},
    [S_DIGEST] = {"digest", TEXT, "identity of the matrix"},
};
_Static_assert((int)S_COUNT == (int)RC_SOURCE_FIELDS, "fields of a catalogue row");

const char *const rc_source_units[] = {
    [S_FULLNAME] = "",
    [S_NAME] = "",
    [S_KIND] = "",
    [S_ROWS] = "",
    [S_COLS] = "",
    [S_NNZ] = "",
    [S_STATUS] = "",
    [S_PHASE] = "",
    [S_MESSAGE] = "",
    [S_WHERE] = "",
    [S_LOCATION] = "",
    [S_BYTES] = "bytes",
    [S_LOAD] = "ns",
    [S_OK] = "cases",
    [S_WRONG] = "cases",
    [S_SKIPPED] = "cases",
    [S_FAILED] = "cases",
    [S_CRASHED] = "cases",
    [S_DIGEST] = "",
};

void rc_source_get(const void *row, int field, rc_value_t *out)
{
    const rc_source_row_t *r = row;
    const char *text = "";
    int64_t whole = 0;
    switch ((source_field_id_t)field) {
    case S_FULLNAME:
        text = r->name;
        break;
    case S_NAME:
        text = short_name(r->name);
        break;
    case S_KIND:
        text = r->kind;
        break;
    case S_ROWS:
        whole = r->rows;
        break;
    case S_COLS:
        whole = r->cols;
        break;
    case S_NNZ:
        whole = r->nnz;
        break;
    case S_STATUS:
        text = r->status;
        break;
    case S_PHASE:
        text = r->phase;
        break;
    case S_MESSAGE:
        text = r->message;
        break;
    case S_WHERE:
        text = r->where;
        break;
    case S_LOCATION:
        text = r->location;
        break;
    case S_BYTES:
        whole = r->bytes;
        break;
    case S_LOAD:
        whole = r->load_ns;
        break;
    case S_OK:
    case S_WRONG:
    case S_SKIPPED:
    case S_FAILED:
    case S_CRASHED:
        whole = r->cases[field - S_OK + 1];
        break;
    case S_DIGEST:
        text = r->digest;
        break;
    case S_COUNT:
        break;
    }
    *out = (rc_value_t){rc_source_fields[field].kind, whole, NAN, text};
}
