#include "config.h"
#include "unit.h"
#include "store_random.h"

#include "store/h5.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------------------ records */

static void append(rc_journal_t *j, rc_rec_type_t type, rc_str_t *b)
{
    assert_false(b->failed);
    assert_int_equal(rc_journal_append(j, type, b, NULL), RC_OK);
    rc_str_free(b);
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *x, int n)
{
    qsort(x, (size_t)n, sizeof *x, ascending);
    return n % 2 ? x[n / 2] : (x[n / 2 - 1] + x[n / 2]) / 2;
}

static void statistics(rc_row_result_t *row, const int64_t *ns)
{
    double x[16];
    int n = (int)row->reps;
    double sum = 0;
    double squares = 0;
    for (int i = 0; i < n; i++) {
        x[i] = (double)ns[i] / (double)row->batch;
        sum += x[i];
    }
    row->mean_ns = sum / n;
    for (int i = 0; i < n; i++)
        squares += pow(x[i] - row->mean_ns, 2);
    row->sd_ns = n > 1 ? sqrt(squares / (n - 1)) : 0;
    row->median_ns = median(x, n);
    row->min_ns = x[0];
    for (int i = 0; i < n; i++)
        x[i] = fabs(x[i] - row->median_ns);
    row->rel_err =
        n > 2 ? 1.2533 * 1.4826 * median(x, n) / (sqrt((double)n) * row->median_ns) : NAN;
}

void add_measured(rc_journal_t *j, rc_rng_t *r, const rc_case_t *c, int status, int64_t utc_ns)
{
    rc_str_t b = {0};
    int64_t ns[9];
    rc_rec_result_t rec;
    memset(&rec, 0, sizeof rec);
    rec.c = *c;
    rec.row.order_ns = (int64_t)rc_rng_below(r, 1000000);
    rec.row.utc_ns = utc_ns;
    rec.row.seed = (int64_t)rc_rng_next(r);
    rec.row.status = status;
    rec.row.throttle = -1;
    double *const unknown[] = {&rec.row.median_ns, &rec.row.min_ns, &rec.row.mean_ns,
        &rec.row.sd_ns, &rec.row.rel_err, &rec.row.error_max, &rec.row.error_rel,
        &rec.row.clock_mhz, &rec.row.memory_clock_mhz, &rec.row.temperature_c};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        *unknown[i] = NAN;
    if (status == RC_CASE_OK) {
        rec.row.reps = 1 + (int64_t)rc_rng_below(r, 9);
        rec.row.batch = 1 + (int64_t)rc_rng_below(r, 4);
        rec.row.stop = RC_STOP_TIME;
        rec.row.error_max = 0.5;
        for (int i = 0; i < rec.row.reps; i++)
            ns[i] = 1000 + (int64_t)rc_rng_below(r, 100000);
        statistics(&rec.row, ns);
    } else {
        rec.row.phase = RC_PHASE_VERIFY;
        snprintf(rec.text, sizeof rec.text, "reason %d", (int)rc_rng_below(r, 5));
    }
    rec.row.device_bytes = (int64_t)rc_rng_below(r, 1000);
    rec.row.fill = 1 + rc_rng_unit(r);
    rec.sample_ns = ns;
    rc_rec_put(&b, RC_REC_RESULT, &rec);
    append(j, RC_REC_RESULT, &b);
}

static void add_kv(rc_journal_t *j, int rank, const char *key, const char *value)
{
    rc_str_t b = {0};
    rc_rec_kv_t rec = {.rank = rank, .value = value};
    snprintf(rec.key, sizeof rec.key, "%s", key);
    rc_rec_put(&b, RC_REC_KV, &rec);
    append(j, RC_REC_KV, &b);
}

static void add_order(rc_journal_t *j, rc_rng_t *r, const rc_case_t *c, int64_t utc_ns)
{
    rc_str_t b = {0};
    rc_rec_order_t rec = {.matrix = c->matrix,
        .version = c->policy_version,
        .nw = c->nw,
        .nt = c->nt,
        .line = c->line,
        .order_ns = (int64_t)rc_rng_below(r, 1000),
        .slots = 64,
        .pads = 4,
        .utc_ns = utc_ns};
    snprintf(rec.policy, sizeof rec.policy, "%s", c->policy);
    rc_rec_put(&b, RC_REC_ORDER, &rec);
    append(j, RC_REC_ORDER, &b);
}

static void add_feature(rc_journal_t *j, rc_rng_t *r, const rc_case_t *c, const char *set)
{
    rc_str_t b = {0};
    double value[3];
    rc_rec_feature_t rec = {.matrix = c->matrix,
        .version = 1,
        .nw = c->nw,
        .nt = c->nt,
        .line = c->line,
        .feature_ns = (int64_t)rc_rng_below(r, 1000),
        .count = set[0] == 'a' ? 2 : 3,
        .value = value,
        .names = set[0] == 'a' ? "x,y" : "x,y,z"};
    for (int i = 0; i < 3; i++)
        value[i] = rc_rng_unit(r);
    snprintf(rec.set, sizeof rec.set, "%s", set);
    rc_rec_put(&b, RC_REC_FEATURE, &rec);
    append(j, RC_REC_FEATURE, &b);
}

/* ------------------------------------------------------------------------- stores */

enum { MATRICES = 6, SECOND = 1000000000 };

static void random_journal(const place_t *p, rc_rng_t *r, int run, int rank)
{
    static const char *const policy[] = {"csr", "lpt", "cta"};
    static const char *const set[] = {"alpha", "beta"};
    char text[600];
    rc_journal_t *j = open_journal(p, run, rank);
    int64_t now = (int64_t)run * 1000 * SECOND;
    snprintf(text, sizeof text, "node%d", (int)rc_rng_below(r, 3));
    add_kv(j, rank, "host", text);
    if (rank == 0) {
        memset(text, 'a' + run % 26, sizeof text - 1);
        text[sizeof text - 1] = '\0';
        add_kv(j, -1, "flags", text); /* in three parts */
    }
    if (rc_rng_below(r, 2)) /* else the records of two ranks never have the same number */
        add_kv(j, rank, "note", "");
    int m = 0;
    for (int n = 1 + (int)rc_rng_below(r, 3); n > 0; n--) {
        m = (int)rc_rng_below(r, MATRICES);
        now += 1 + (int64_t)rc_rng_below(r, SECOND);
        add_source(j, m, rc_rng_below(r, 5) ? RC_CASE_OK : RC_CASE_FAILED, "cannot read it");
        rc_case_t c = make_case(m, "csr", 8);
        add_feature(j, r, &c, set[rc_rng_below(r, 2)]);
        for (int i = (int)rc_rng_below(r, 8); i > 0; i--) {
            c = make_case(m, policy[rc_rng_below(r, 3)], 8 << rc_rng_below(r, 2));
            c.kernel_version = 1 + (int32_t)rc_rng_below(r, 2);
            now += 1 + (int64_t)rc_rng_below(r, SECOND);
            add_order(j, r, &c, now);
            add_measured(j, r, &c,
                rc_rng_below(r, 4) ? RC_CASE_OK : RC_CASE_SKIPPED + (int)rc_rng_below(r, 2), now);
        }
    }
    if (rc_rng_below(r, 3) == 0) {
        /* it dies, as others do in the same cases: they become crashed */
        rc_case_t c = make_case(MATRICES, "warp", 8);
        rc_case_t d = make_case(MATRICES, "warp", 16);
        add_begin(j, &c, RC_PHASE_TIME);
        add_begin(j, &d, RC_PHASE_TIME);
    } else
        add_end(j, RC_RUN_COMPLETE);
    rc_journal_close(j);
}

void random_store(const place_t *p, uint64_t seed, int first, int runs)
{
    for (int run = first; run < first + runs; run++) {
        rc_rng_t r;
        rc_rng_seed(&r, seed + (uint64_t)run);
        int ranks = 1 + (int)rc_rng_below(&r, 2);
        for (int rank = 0; rank < ranks; rank++)
            random_journal(p, &r, run, rank);
        (void)fold(p);
    }
}

/* -------------------------------------------------------------------------- lines */

static void push(lines_t *l, char *line)
{
    assert_non_null(line);
    if (l->count == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 64;
        l->line = realloc(l->line, l->capacity * sizeof *l->line);
        assert_non_null(l->line);
    }
    l->line[l->count++] = line;
}

static void add(lines_t *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void add(lines_t *l, const char *fmt, ...)
{
    char text[4096];
    va_list list;
    va_start(list, fmt);
    int n = vsnprintf(text, sizeof text, fmt, list);
    va_end(list);
    assert_in_range(n, 1, sizeof text - 1);
    push(l, strdup(text));
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void lines_free(lines_t *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->line[i]);
    free(l->line);
    *l = (lines_t){0};
}

/* A store as it lies in its file. */
typedef struct raw {
    rc_h5_t h;
    void *row[RC_T_COUNT];
    int64_t count[RC_T_COUNT];
} raw_t;

#define ROW(raw, table, type, i) ((const type *)(raw)->row[table])[i]

static const char *hex_of(const void *data, size_t bytes, char hex[RC_DIGEST_HEX + 1])
{
    memcpy(hex, rc_digest_hex(rc_digest(data, bytes)).text, RC_DIGEST_HEX + 1);
    return hex;
}

static const char *message_of(const raw_t *s, int32_t id)
{
    return id < 0 ? "" : ROW(s, RC_T_MESSAGE, rc_row_message_t, id).text;
}

static void add_dicts(lines_t *l, const raw_t *s)
{
    for (int64_t i = 0; i < s->count[RC_T_MATRIX]; i++) {
        rc_row_matrix_t r = ROW(s, RC_T_MATRIX, rc_row_matrix_t, i);
        assert_int_equal(r.id, i);
        add(l, "matrix %.32s", r.digest);
        if (r.rows >= 0) /* another store may not have loaded it */
            add(l, "size %.32s %" PRId64 " %" PRId64 " %" PRId64 " %.128s", r.digest, r.rows,
                r.cols, r.nnz, r.name);
    }
    for (int64_t i = 0; i < s->count[RC_T_POLICY]; i++) {
        rc_row_policy_t r = ROW(s, RC_T_POLICY, rc_row_policy_t, i);
        assert_int_equal(r.id, i);
        add(l, "policy %.32s %.96s %d", r.name, r.params, (int)r.version);
    }
    for (int64_t i = 0; i < s->count[RC_T_KERNEL]; i++) {
        rc_row_kernel_t r = ROW(s, RC_T_KERNEL, rc_row_kernel_t, i);
        assert_int_equal(r.id, i);
        add(l, "kernel %.32s %.96s %d", r.name, r.params, (int)r.version);
    }
    for (int64_t i = 0; i < s->count[RC_T_DEVICE]; i++)
        add(l, "device %.160s", ROW(s, RC_T_DEVICE, rc_row_device_t, i).class_name);
    for (int64_t i = 0; i < s->count[RC_T_MESSAGE]; i++)
        add(l, "message %.256s", message_of(s, (int32_t)i));
    for (int64_t i = 0; i < s->count[RC_T_RUN]; i++) {
        rc_row_run_t r = ROW(s, RC_T_RUN, rc_row_run_t, i);
        assert_int_equal(r.id, i);
        assert_true(
            i == 0 || memcmp(r.uuid, (&ROW(s, RC_T_RUN, rc_row_run_t, i))[-1].uuid, 32) > 0);
        add(l, "run %.32s %.32s %.64s %" PRId64 " %d", r.uuid, r.version, r.git, r.started_ns,
            (int)r.ranks);
    }
}

static void add_small(lines_t *l, const raw_t *s)
{
    char hex[RC_DIGEST_HEX + 1];
    const rc_row_run_t *run = s->row[RC_T_RUN];
    const rc_row_matrix_t *matrix = s->row[RC_T_MATRIX];
    for (int64_t i = 0; i < s->count[RC_T_SOURCE]; i++) {
        rc_row_source_t r = ROW(s, RC_T_SOURCE, rc_row_source_t, i);
        rc_row_source_t bare = r;
        bare.matrix = bare.message = bare.run = 0;
        add(l, "source %s %.32s %.256s %.32s", hex_of(&bare, sizeof bare, hex),
            r.matrix < 0 ? "" : matrix[r.matrix].digest, message_of(s, r.message), run[r.run].uuid);
    }
    for (int64_t i = 0; i < s->count[RC_T_PROVENANCE]; i++) {
        rc_row_provenance_t r = ROW(s, RC_T_PROVENANCE, rc_row_provenance_t, i);
        add(l, "provenance %.32s %d %.64s %d %.256s", run[r.run].uuid, (int)r.rank, r.key,
            (int)r.part, r.value);
    }
    for (int64_t i = 0; i < s->count[RC_T_JOURNAL]; i++)
        add(l, "journal %.64s", ROW(s, RC_T_JOURNAL, rc_row_journal_t, i).name);
    for (int64_t i = 0; i < s->count[RC_T_INFLIGHT]; i++) {
        rc_row_inflight_t r = ROW(s, RC_T_INFLIGHT, rc_row_inflight_t, i);
        add(l, "inflight %.32s %" PRId64 " %.32s %d %d %d", r.case_id, r.utc_ns, run[r.run].uuid,
            (int)r.rank, (int)r.phase, (int)r.signal);
    }
    for (int64_t i = 0; i < s->count[RC_T_ORDER]; i++) {
        rc_row_order_t r = ROW(s, RC_T_ORDER, rc_row_order_t, i);
        rc_row_order_t bare = r;
        bare.matrix = bare.policy = bare.run = 0;
        add(l, "order %s %.32s %.32s %.32s", hex_of(&bare, sizeof bare, hex),
            matrix[r.matrix].digest, ROW(s, RC_T_POLICY, rc_row_policy_t, r.policy).name,
            run[r.run].uuid);
    }
}

static void add_features(lines_t *l, const raw_t *s)
{
    rc_words_t sets;
    assert_int_equal(rc_h5_feature_sets(&s->h, &sets, NULL), RC_OK);
    for (int k = 0; k < sets.count; k++) {
        rc_row_feature_t *row;
        double *value;
        int64_t n;
        int columns;
        char *names;
        char a[RC_DIGEST_HEX + 1];
        char b[RC_DIGEST_HEX + 1];
        assert_int_equal(
            rc_h5_read_features(&s->h, sets.word[k], &row, &value, &n, &columns, &names, NULL),
            RC_OK);
        for (int64_t i = 0; i < n; i++) {
            rc_row_feature_t bare = row[i];
            bare.matrix = bare.run = 0;
            add(l, "feature %s %s %s %s %.32s %.32s", sets.word[k], names,
                hex_of(&bare, sizeof bare, a),
                hex_of(value + i * columns, (size_t)columns * sizeof *value, b),
                ROW(s, RC_T_MATRIX, rc_row_matrix_t, row[i].matrix).digest,
                ROW(s, RC_T_RUN, rc_row_run_t, row[i].run).uuid);
        }
        free(row);
        free(value);
        free(names);
    }
    rc_words_free(&sets);
}

static void add_results(lines_t *l, const raw_t *s)
{
    for (int64_t i = 0; i < s->count[RC_T_RESULT]; i++) {
        rc_row_result_t r = ROW(s, RC_T_RESULT, rc_row_result_t, i);
        rc_row_result_t bare = r;
        char hex[RC_DIGEST_HEX + 1];
        char raw[256] = "";
        bare.matrix = bare.policy = bare.kernel = bare.device = bare.run = bare.message = 0;
        bare.sample_offset = 0;
        for (int64_t k = 0; r.sample_offset >= 0 && k < r.reps; k++) {
            int64_t ns;
            size_t at = strlen(raw);
            assert_int_equal(
                rc_h5_read_rows(&s->h, &rc_schema_samples, r.sample_offset + k, 1, &ns, NULL),
                RC_OK);
            snprintf(raw + at, sizeof raw - at, " %" PRId64, ns);
        }
        add(l, "result %s %.32s %.32s@%d %.32s@%d %.160s %.32s %.256s:%s",
            hex_of(&bare, sizeof bare, hex), ROW(s, RC_T_MATRIX, rc_row_matrix_t, r.matrix).digest,
            ROW(s, RC_T_POLICY, rc_row_policy_t, r.policy).name,
            (int)ROW(s, RC_T_POLICY, rc_row_policy_t, r.policy).version,
            ROW(s, RC_T_KERNEL, rc_row_kernel_t, r.kernel).name,
            (int)ROW(s, RC_T_KERNEL, rc_row_kernel_t, r.kernel).version,
            ROW(s, RC_T_DEVICE, rc_row_device_t, r.device).class_name,
            ROW(s, RC_T_RUN, rc_row_run_t, r.run).uuid, message_of(s, r.message), raw);
    }
}

lines_t lines_of(const char *store)
{
    lines_t l = {0};
    raw_t s;
    assert_int_equal(rc_h5_open(store, 0, &s.h, NULL), RC_OK);
    for (int i = 0; i < RC_T_COUNT; i++)
        assert_int_equal(rc_h5_read(&s.h, &rc_schema[i], &s.row[i], &s.count[i], NULL), RC_OK);
    add_dicts(&l, &s);
    add_small(&l, &s);
    add_features(&l, &s);
    add_results(&l, &s);
    for (int i = 0; i < RC_T_COUNT; i++)
        free(s.row[i]);
    rc_h5_close(&s.h, NULL);
    qsort(l.line, l.count, sizeof *l.line, by_text);
    return l;
}

lines_t lines_unite(lines_t a, const lines_t *b)
{
    lines_t out = {0};
    size_t i = 0;
    size_t k = 0;
    while (i < a.count || k < b->count) {
        int c = i == a.count ? 1 : k == b->count ? -1 : strcmp(a.line[i], b->line[k]);
        push(&out, strdup(c <= 0 ? a.line[i] : b->line[k]));
        i += c <= 0;
        k += c >= 0;
    }
    lines_free(&a);
    return out;
}

void lines_equal(const lines_t *a, const lines_t *b)
{
    for (size_t i = 0; i < a->count && i < b->count; i++)
        assert_string_equal(a->line[i], b->line[i]);
    assert_int_equal(a->count, b->count);
}
