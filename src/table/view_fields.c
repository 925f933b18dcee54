#include "config.h"
#include "base/error.h"
#include "table/floor.h"
#include "table/view_private.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* A line per field of a row; everything that a field is stands in its line. */
#define INT RC_VALUE_INT
#define REAL RC_VALUE_REAL
#define TEXT RC_VALUE_TEXT
#define BOOL RC_VALUE_BOOL

static void give_int(rc_value_t *out, int64_t x)
{
    *out = (rc_value_t){INT, x, NAN, ""};
}

static void give_real(rc_value_t *out, double x)
{
    *out = (rc_value_t){REAL, 0, x, ""};
}

static void give_text(rc_value_t *out, const char *x)
{
    *out = (rc_value_t){TEXT, 0, NAN, x};
}

static const char *short_name(const char *fullname)
{
    const char *slash = strchr(fullname, '/');
    return slash ? slash + 1 : fullname;
}

static double ratio(double a, double b)
{
    return b > 0 ? a / b : NAN;
}

/* --------------------------------------------------------- members of a row */

static const rc_row_result_t *result_of(const void *cursor)
{
    const rc_cursor_t *c = cursor;
    return &c->view->result[c->i];
}

static const void *member(const rc_field_t *f, const void *cursor)
{
    return (const char *)result_of(cursor) + f->at;
}

static void wide(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    give_int(out, *(const int64_t *)member(f, cursor));
}

static void narrow(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    give_int(out, *(const int32_t *)member(f, cursor));
}

static void real(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    give_real(out, *(const double *)member(f, cursor));
}

/* A value of an enumeration by its name. */
static void named(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    give_text(out, rc_view_name(f->names, *(const int32_t *)member(f, cursor)));
}

/* Negative: not known. */
static void known(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    int64_t x = *(const int64_t *)member(f, cursor);
    if (x < 0)
        give_real(out, NAN);
    else
        give_int(out, x);
}

/* ---------------------------------------------- what a row's ids refer to */

#define RESULT(member) offsetof(rc_row_result_t, member)
#define MATRIX(member) offsetof(rc_row_matrix_t, member)

/* Of the texts of a row, which are RC_TEXT_...: the member that has the id. */
static const struct {
    size_t id;
    rc_table_id_t table; /* whose texts are the values of the field; RC_T_COUNT: too many to list */
} dictionaries[] = {
    [RC_TEXT_FULLNAME] = {RESULT(matrix), RC_T_MATRIX},
    [RC_TEXT_GROUP] = {RESULT(matrix), RC_T_MATRIX},
    [RC_TEXT_KIND] = {RESULT(matrix), RC_T_MATRIX},
    [RC_TEXT_DIGEST] = {RESULT(matrix), RC_T_COUNT},
    [RC_TEXT_POLICY] = {RESULT(policy), RC_T_POLICY},
    [RC_TEXT_KERNEL] = {RESULT(kernel), RC_T_KERNEL},
    [RC_TEXT_DEVICE] = {RESULT(device), RC_T_DEVICE},
    [RC_TEXT_MESSAGE] = {RESULT(message), RC_T_COUNT},
    [RC_TEXT_RUN] = {RESULT(run), RC_T_COUNT},
};

static void text(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    const rc_cursor_t *c = cursor;
    const char *id = (const char *)result_of(cursor) + dictionaries[f->at].id;
    give_text(out, rc_view_text(c->view, f->at, *(const int32_t *)id));
}

static void card(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    const rc_cursor_t *c = cursor;
    (void)f;
    give_text(out, rc_view_uuid(c->view, c->i));
}

static void name(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    text(f, cursor, out);
    out->text = short_name(out->text);
}

static const rc_row_matrix_t *matrix_of(const void *cursor)
{
    const rc_cursor_t *c = cursor;
    return rc_view_matrix(c->view, result_of(cursor)->matrix);
}

static void of_matrix(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    give_int(out, *(const int64_t *)((const char *)matrix_of(cursor) + f->at));
}

static void trait(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    const rc_cursor_t *c = cursor;
    give_real(out, c->view->trait[f->at][result_of(cursor)->matrix]);
}

static void case_id(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    const rc_cursor_t *c = cursor;
    (void)f;
    give_text(out, c->case_id);
}

/* A baseline row may stand in the setting of another order of C, see table/counted.h. */
static void c_order(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    const rc_cursor_t *c = cursor;
    give_text(out, rc_view_name(f->names, c->c_order));
}

/* ------------------------------------- what is computed of row i; NaN: missing */

static const rc_row_matrix_t *matrix_at(const rc_view_t *v, int64_t i)
{
    return rc_view_matrix(v, v->result[i].matrix);
}

static double density(const rc_view_t *v, int64_t i)
{
    const rc_row_matrix_t *m = matrix_at(v, i);
    return ratio((double)m->nnz, (double)m->rows * (double)m->cols);
}

static double square(const rc_view_t *v, int64_t i)
{
    return matrix_at(v, i)->rows == matrix_at(v, i)->cols;
}

static double regular(const rc_view_t *v, int64_t i)
{
    const rc_regular_t class = rc_view_regular(v, v->result[i].matrix);
    return class == RC_REGULAR_UNKNOWN ? NAN : class == RC_REGULAR;
}

static double pattern_symmetric(const rc_view_t *v, int64_t i)
{
    const double share = v->trait[RC_TRAIT_SYMMETRY][v->result[i].matrix];
    return isnan(share) ? NAN : share == 1;
}

/* One of the two rounds of Jiang et al. 2020 (section 4) is not skipped.  Where the first is
 * skipped, the second sees the original order, so that the shares of the original order (feature
 * set jiang) decide. */
static double needs_reordering(const rc_view_t *v, int64_t i)
{
    const double most = 0.1; /* both rounds */
    const double dense = v->trait[RC_TRAIT_DENSE_RATIO][v->result[i].matrix];
    const double rest = v->trait[RC_TRAIT_REST_SIMILARITY][v->result[i].matrix];
    if (dense <= most)
        return 1;
    return isnan(dense) || isnan(rest) ? NAN : rest <= most;
}

static double generated(const rc_view_t *v, int64_t i)
{
    return rc_view_is_generated(v, v->result[i].matrix);
}

static double policy_version(const rc_view_t *v, int64_t i)
{
    return rc_view_policy_version(v, v->result[i].policy);
}

static double kernel_version(const rc_view_t *v, int64_t i)
{
    return rc_view_kernel_version(v, v->result[i].kernel);
}

static double k(const rc_view_t *v, int64_t i)
{
    return v->result[i].k == 0 ? NAN : (double)v->result[i].k;
}

/* csr was timed in the same run. */
static double paired(const rc_view_t *v, int64_t i)
{
    return rc_view_pairing(v, i) == RC_PAIRED;
}

static double breakeven(const rc_view_t *v, int64_t i)
{
    const double gain = rc_view_csr_ns(v, i) - v->result[i].median_ns;
    return gain > 0 ? rc_view_order_ns(v, i) / gain : NAN;
}

static double gflops(const rc_view_t *v, int64_t i)
{
    return ratio(rc_view_flops(v, i), v->result[i].median_ns);
}

static double gbs(const rc_view_t *v, int64_t i)
{
    return ratio((double)v->result[i].bytes_min, v->result[i].median_ns);
}

static double of_floor(const rc_view_t *v, int64_t i)
{
    return ratio(rc_floor_of(v, i), v->result[i].median_ns);
}

/* The place in this list is the `at` of a field. */
enum {
    DENSITY,
    SQUARE,
    REGULAR,
    SYMMETRIC,
    NEEDS,
    GENERATED,
    POLICY_VERSION,
    KERNEL_VERSION,
    K,
    SPEEDUP,
    PAIRED,
    COMMON,
    BREAKEVEN,
    GFLOPS,
    GBS,
    OF_FLOOR,
    OVERHEAD
};
static double (*const computations[])(const rc_view_t *v, int64_t i) = {density, square, regular,
    pattern_symmetric, needs_reordering, generated, policy_version, kernel_version, k,
    rc_view_speedup, paired, rc_view_ns, breakeven, gflops, gbs, of_floor,
    rc_view_pointer_overhead};

static void computed(const rc_field_t *f, const void *cursor, rc_value_t *out)
{
    const rc_cursor_t *c = cursor;
    const double x = computations[f->at](c->view, c->i);
    if (isnan(x) || f->kind == REAL)
        give_real(out, x);
    else
        *out = (rc_value_t){f->kind, (int64_t)x, NAN, ""};
}

#define OF(read, member) read, RESULT(member), NULL
#define COMPUTED(what) computed, what, NULL

static const rc_field_t result_fields[] = {
    {"fullname", TEXT, "", "Group/Name of the matrix", text, RC_TEXT_FULLNAME, NULL},
    {"name", TEXT, "", "name of the matrix without its group", name, RC_TEXT_FULLNAME, NULL},
    {"group", TEXT, "", "group of the matrix: its name before the slash", text, RC_TEXT_GROUP,
        NULL},
    {"kind", TEXT, "", "kind of problem", text, RC_TEXT_KIND, NULL},
    {"rows", INT, "", "n_row", of_matrix, MATRIX(rows), NULL},
    {"cols", INT, "", "n_col", of_matrix, MATRIX(cols), NULL},
    {"nnz", INT, "", "stored entries", of_matrix, MATRIX(nnz), NULL},
    {"density", REAL, "1", "nnz / (rows * cols)", COMPUTED(DENSITY)},
    {"square", BOOL, "", "rows == cols", COMPUTED(SQUARE)},
    {"variance", REAL, "entries^2", "variance of the row length; missing when its features are",
        trait, RC_TRAIT_VARIANCE, NULL},
    {"regular", BOOL, "", "variance <= 10", COMPUTED(REGULAR)},
    {"pattern_symmetric", BOOL, "", "each entry has its mirror image; missing when features are",
        COMPUTED(SYMMETRIC)},
    {"dense_ratio", REAL, "1",
        "share of the entries in dense tiles, original order; missing when features are", trait,
        RC_TRAIT_DENSE_RATIO, NULL},
    {"rest_similarity", REAL, "1",
        "Jaccard similarity of neighbouring rows outside of them, likewise", trait,
        RC_TRAIT_REST_SIMILARITY, NULL},
    {"needs_reordering", BOOL, "", "dense_ratio <= 0.1 or rest_similarity <= 0.1 (Jiang et al.)",
        COMPUTED(NEEDS)},
    {"generated", BOOL, "", "a generator made the matrix: no file holds it, or one that says so",
        COMPUTED(GENERATED)},
    {"digest", TEXT, "", "identity of the matrix", text, RC_TEXT_DIGEST, NULL},
    {"policy", TEXT, "", "row order with its parameters; also called order", text, RC_TEXT_POLICY,
        NULL},
    {"policy_version", INT, "", "version of the order", COMPUTED(POLICY_VERSION)},
    {"kernel", TEXT, "", "kernel with its parameters", text, RC_TEXT_KERNEL, NULL},
    {"kernel_version", INT, "", "version of the kernel that was timed", COMPUTED(KERNEL_VERSION)},
    {"device", TEXT, "", "device class", text, RC_TEXT_DEVICE, NULL},
    {"op", TEXT, "", "operation: spmm, spmv, spmm_t, sddmm", named, RESULT(op), rc_op_names},
    {"k", INT, "", "dense columns (k == cols: the setting K = n); missing for spmv", COMPUTED(K)},
    {"precision", TEXT, "", "value type: fp32, fp64, bf16, fp16, c64, c128", named,
        RESULT(precision), rc_precision_names},
    {"layout", TEXT, "", "of B and C: col, row, or row-col and col-row", named, RESULT(layout),
        rc_layout_names},
    {"c_order", TEXT, "",
        "numbering of the rows of C: original, schedule, or symmetric (that of B too)", c_order, 0,
        rc_c_order_names},
    {"cache", TEXT, "", "warm or cold", named, RESULT(cache), rc_cache_names},
    {"nw", INT, "", "N_w that the order was built for", OF(narrow, nw)},
    {"nt", INT, "", "N_t", OF(narrow, nt)},
    {"line", INT, "", "columns of A per cache line of B", OF(narrow, line)},
    {"status", TEXT, "", "ok, wrong, skipped, failed, crashed, noisy", named, RESULT(status),
        rc_case_status_names},
    {"phase", TEXT, "", "where it ended when not ok", named, RESULT(phase), rc_phase_names},
    {"message", TEXT, "", "why it is not ok", text, RC_TEXT_MESSAGE, NULL},
    {"median_ns", REAL, "ns", "median time of a product", OF(real, median_ns)},
    {"min_ns", REAL, "ns", "shortest time", OF(real, min_ns)},
    {"mean_ns", REAL, "ns", "mean time", OF(real, mean_ns)},
    {"sd_ns", REAL, "ns", "standard deviation", OF(real, sd_ns)},
    {"rel_err", REAL, "1", "relative standard error of the median", OF(real, rel_err)},
    {"load", REAL, "threads",
        "of other programs that wanted the CPUs meanwhile, on a GPU other processes; missing when "
        "unknown",
        OF(real, load)},
    {"cpus", INT, "", "CPUs that it shared with them; missing when unknown", OF(known, cpus)},
    {"hop_ns", REAL, "ns", "of a line of cache between neighbours of a team; missing when unknown",
        OF(real, hop_ns)},
    {"speedup", REAL, "1", "median of csr over this median, all else equal", COMPUTED(SPEEDUP)},
    {"paired", BOOL, "", "csr was timed in the same run, in turns with this row", COMPUTED(PAIRED)},
    {"common_ns", REAL, "ns",
        "time that is compared with other kernels: in turns with most of them", COMPUTED(COMMON)},
    {"card", TEXT, "", "identity of the GPU", card, 0, NULL},
    {"breakeven", REAL, "products",
        "products after which the time to build the order and to permute vectors is won back; "
        "missing when it never is",
        COMPUTED(BREAKEVEN)},
    {"gflops", REAL, "Gflop/s", "2 * nnz * k / median; of spmv 2 * nnz / median", COMPUTED(GFLOPS)},
    {"gbs", REAL, "GB/s", "compulsory traffic over the median", COMPUTED(GBS)},
    {"of_floor", REAL, "1",
        "an empty launch or the compulsory bytes with A in CSR, whichever is longer, over the "
        "median",
        COMPUTED(OF_FLOOR)},
    {"order_ns", INT, "ns", "time to build the order", OF(wide, order_ns)},
    {"permute_ns", INT, "ns",
        "of a symmetric order: time to bring x into its numbering and y out of it; missing when "
        "unknown",
        OF(known, permute_ns)},
    {"prepare_ns", INT, "ns", "time to rearrange and upload", OF(wide, prepare_ns)},
    {"preprocess_ns", INT, "ns", "the kernel's own work before its first product",
        OF(wide, preprocess_ns)},
    {"k_tile", INT, "", "columns per launch: K, or less when K was tiled", OF(wide, k_tile)},
    {"first_ns", INT, "ns", "first product", OF(wide, first_ns)},
    {"reps", INT, "", "repetitions (batches)", OF(wide, reps)},
    {"batch", INT, "", "products per batch", OF(wide, batch)},
    {"stop", TEXT, "", "why the repetition ended", named, RESULT(stop), rc_stop_names},
    {"bytes_min", INT, "bytes", "compulsory traffic of a product", OF(wide, bytes_min)},
    {"device_bytes", INT, "bytes", "of the prepared matrix on the device; missing when unknown",
        OF(known, device_bytes)},
    {"pointer_bytes", INT, "bytes", "of the pointers of groups beside CSR; missing when unknown",
        OF(known, pointer_bytes)},
    {"pointer_overhead", REAL, "1", "pointer_bytes over the bytes of CSR", COMPUTED(OVERHEAD)},
    {"fill", REAL, "1", "stored entries with padding over nnz; missing when unknown",
        OF(real, fill)},
    {"error_max", REAL, "1", "error against fp64 in units of its bound", OF(real, error_max)},
    {"error_rel", REAL, "1", "error against fp64 over sum |a||b|", OF(real, error_rel)},
    {"clock_mhz", REAL, "MHz", "compute clock", OF(real, clock_mhz)},
    {"memory_clock_mhz", REAL, "MHz", "memory clock", OF(real, memory_clock_mhz)},
    {"temperature_c", REAL, "deg C", "temperature", OF(real, temperature_c)},
    {"throttle", INT, "", "throttle reasons, 0 none, -1 unknown", OF(wide, throttle)},
    {"seed", INT, "", "of B and of the verification sample", OF(wide, seed)},
    {"utc_ns", INT, "ns", "when, since 1970", OF(wide, utc_ns)},
    {"run", TEXT, "", "identity of the run", text, RC_TEXT_RUN, NULL},
    {"rank", INT, "", "MPI rank", OF(narrow, rank)},
    {"seq", INT, "", "record number in the rank's journal", OF(wide, seq)},
    {"case", TEXT, "", "identity of the case", case_id, 0, NULL},
};

void rc_view_get(const void *cursor, int field, rc_value_t *out)
{
    result_fields[field].read(&result_fields[field], cursor, out);
}

/* rc_field_value_fn of a view. */
static const char *dictionary_value(const void *view, int field, int64_t i)
{
    const rc_view_t *v = view;
    const rc_field_t *f = &result_fields[field];
    if ((f->read != text && f->read != name) || dictionaries[f->at].table == RC_T_COUNT ||
        i >= (int64_t)v->dicts.d[dictionaries[f->at].table].count)
        return NULL;
    const char *value = rc_view_text(v, f->at, i);
    return f->read == name ? short_name(value) : value;
}

int rc_view_matches(const rc_view_t *v, int64_t i, const rc_expr_t *where)
{
    rc_cursor_t c;
    rc_view_seek(v, i, &c);
    return rc_expr_match(where, rc_view_get, &c);
}

rc_status_t rc_view_compile(const char *text, const char *option, rc_expr_t **out, rc_err_t *err)
{
    *out = NULL;
    if (!text || rc_expr_compile(text, result_fields, rc_view_fields.count, out, err) == RC_OK)
        return RC_OK;
    return rc_err_context(err, "%s", option);
}

rc_status_t rc_view_check(const rc_view_t *v, const rc_expr_t *where, rc_err_t *err)
{
    if (rc_expr_check(where, result_fields, dictionary_value, v, 0, err) < 0)
        return rc_err_context(err, "--where");
    return RC_OK;
}

rc_status_t rc_view_explain_none(const rc_view_t *v, const rc_expr_t *where, rc_err_t *why)
{
    return rc_expr_check(where, result_fields, dictionary_value, v, 1, why);
}

const rc_fields_t rc_view_fields = {
    result_fields, sizeof result_fields / sizeof *result_fields, rc_view_get};

/* ------------------------------------------------------------ catalogue rows */

static void source_text(const rc_field_t *f, const void *row, rc_value_t *out)
{
    give_text(out, *(const char *const *)((const char *)row + f->at));
}

static void source_name(const rc_field_t *f, const void *row, rc_value_t *out)
{
    source_text(f, row, out);
    out->text = short_name(out->text);
}

static void source_int(const rc_field_t *f, const void *row, rc_value_t *out)
{
    give_int(out, *(const int64_t *)((const char *)row + f->at));
    if (out->i < 0) /* not loaded */
        give_real(out, NAN);
}

#define SOURCE(read, member) read, offsetof(rc_source_row_t, member), NULL

static const rc_field_t source_fields[] = {
    {"fullname", TEXT, "", "Group/Name", SOURCE(source_text, name)},
    {"name", TEXT, "", "name without its group", SOURCE(source_name, name)},
    {"kind", TEXT, "", "kind of problem", SOURCE(source_text, kind)},
    {"rows", INT, "", "n_row; missing when not loaded", SOURCE(source_int, rows)},
    {"cols", INT, "", "n_col; likewise", SOURCE(source_int, cols)},
    {"nnz", INT, "", "stored entries; likewise", SOURCE(source_int, nnz)},
    {"status", TEXT, "", "of loading: ok, skipped, failed, crashed", source_text,
        offsetof(rc_source_row_t, status), rc_case_status_names},
    {"phase", TEXT, "", "where it ended when not ok", source_text, offsetof(rc_source_row_t, phase),
        rc_phase_names},
    {"message", TEXT, "", "why it is not ok", SOURCE(source_text, message)},
    {"where", TEXT, "", "file, generated or absent", SOURCE(source_text, where)},
    {"location", TEXT, "", "path in the collection, or generator spec",
        SOURCE(source_text, location)},
    {"bytes", INT, "bytes", "size of the file", SOURCE(source_int, bytes)},
    {"load_ns", INT, "ns", "time to load", SOURCE(source_int, load_ns)},
    {"cases_ok", INT, "cases", "cases that are ok", SOURCE(source_int, cases[RC_CASE_OK])},
    {"cases_wrong", INT, "cases", "cases that failed verification",
        SOURCE(source_int, cases[RC_CASE_WRONG])},
    {"cases_skipped", INT, "cases", "cases that were skipped",
        SOURCE(source_int, cases[RC_CASE_SKIPPED])},
    {"cases_failed", INT, "cases", "cases that failed", SOURCE(source_int, cases[RC_CASE_FAILED])},
    {"cases_crashed", INT, "cases", "cases that crashed",
        SOURCE(source_int, cases[RC_CASE_CRASHED])},
    {"cases_noisy", INT, "cases", "cases whose time is not known for noise",
        SOURCE(source_int, cases[RC_CASE_NOISY])},
    {"digest", TEXT, "", "identity of the matrix", SOURCE(source_text, digest)},
};

void rc_source_get(const void *row, int field, rc_value_t *out)
{
    source_fields[field].read(&source_fields[field], row, out);
}

const rc_fields_t rc_source_fields = {
    source_fields, sizeof source_fields / sizeof *source_fields, rc_source_get};
