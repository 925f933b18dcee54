#include "config.h"
#include "synthetic.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/outcome.h"
#include "base/rng.h"
#include "base/str.h"
#include "base/type.h"
#include "feature/feature.h"
#include "model/model.h"
#include "order/policy.h"
#include "store/commit.h"
#include "store/journal.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const synthetic_t synthetic_default = {.matrices = 300,
    .groups = 40,
    .seed = 1,
    .noise = 0.01,
    .k = "8,32,128",
    .op = "spmm",
    .devices = 1,
    .part = -1};

const char *const synthetic_policies[SYNTHETIC_POLICIES] = {"csr", "dcsr", "lpt", "warp"};
const char *const synthetic_kernels[SYNTHETIC_KERNELS] = {
    "syn-a:strip=8", "syn-b:lanes=8", "syn-c:pre=1"};

enum { KERNEL = 2, OLD_KERNEL = 1, MOST_K = 16, MOST_OPS = 8 };

rc_geometry_t synthetic_geometry(int kernel, int value_bytes)
{
    int32_t line = 128 / value_bytes;
    return kernel == 1 ? (rc_geometry_t){128, 8, line} : (rc_geometry_t){32, 32, line};
}

/* -------------------------------------------------------------------- the rule */

/* What a matrix is made of: unit draws of (seed, matrix, what). */
static double draw(const synthetic_t *s, int64_t i, int what)
{
    uint64_t bits = rc_rng_hash((uint64_t)s->seed, (uint64_t)i * 64 + (uint64_t)what);
    return (double)(bits >> 11) * 0x1p-53;
}

static double between(const synthetic_t *s, int64_t i, int what, double low, double high)
{
    return low * pow(high / low, draw(s, i, what)); /* log-uniform */
}

static int64_t rows_of(const synthetic_t *s, int64_t i)
{
    return (int64_t)between(s, i, 0, 300, 30000);
}

static int has_empty_rows(const synthetic_t *s, int64_t i)
{
    return draw(s, i, 1) < 0.35;
}

static double mean_of(const synthetic_t *s, int64_t i)
{
    /* the drawn values keep away from the thresholds of the rule */
    if (has_empty_rows(s, i))
        return draw(s, i, 2) < 0.6 ? between(s, i, 3, 0.3, 3.6) : between(s, i, 3, 4.6, 60);
    return draw(s, i, 2) < 0.4 ? between(s, i, 3, 2, 11) : between(s, i, 3, 14, 90);
}

static void extent(double *out, double min, double mean, double max)
{
    out[0] = min;
    out[1] = mean;
    out[2] = max;
}

void synthetic_features(
    const synthetic_t *s, int64_t i, const rc_geometry_t *g, double out[RC_FEATURES_MEHRABI])
{
    double n = (double)rows_of(s, i);
    double mean = mean_of(s, i);
    double skew = draw(s, i, 4) < 0.6 ? between(s, i, 5, 1.01, 1.4) : between(s, i, 5, 1.7, 4);
    double reuse = draw(s, i, 6) < 0.5 ? between(s, i, 7, 1.05, 2.7) : between(s, i, 7, 3.4, 12);
    double longest = ceil(mean * between(s, i, 8, 1.5, 20));
    int empty = has_empty_rows(s, i);
    double load = ceil(n / g->nw) * fmax(1, mean / g->nt);
    double lines = ceil(n / g->line);
    double total = load * fmin(g->nt, 1 + 3 * draw(s, i, 9));
    out[0] = out[1] = n;
    out[2] = floor(mean * n) / (n * n);
    extent(out + 3, empty ? 0 : fmax(1, floor(mean / 3)), mean, longest);
    extent(out + 6, empty ? 0 : 1, fmin(mean, 1 + mean / 4), fmin(longest, ceil(n / g->nw)));
    extent(out + 9, floor(load / skew), load, load * skew);
    extent(out + 12, 0, total * g->nw / lines, 3 * total * g->nw / lines);
    extent(out + 15, total / reuse / 2, total / reuse, 2 * total / reuse);
    extent(out + 18, total / 2, total, 2 * total);
    extent(out + 21, 0, mean * draw(s, i, 10), longest);
}

double synthetic_time(
    const double feature[RC_FEATURES_MEHRABI], int kernel, int policy, int64_t k, int value_bytes)
{
    double rows = feature[0];
    double mean = feature[4];
    double skew = feature[11] / feature[10];
    double reuse = feature[19] / feature[16];
    double ns = 3000 + 0.02 * (rows * mean * (double)k * (value_bytes == 8 ? 1.9 : 1));
    double factor = 1;
    if (policy == 1)
        factor = feature[3] == 0 && mean < 4 ? 0.7 : 1.03;
    else if (policy == 2)
        factor = skew > 1.5 ? fmax(0.6, 0.95 - 0.15 * (skew - 1.5)) : 1.04;
    else if (policy == 3)
        factor = reuse > 3 && skew <= 1.5 ? 0.8 : 1.1;
    if (kernel == 1)
        factor *= mean < 12 ? 0.6 : 1.4;
    else if (kernel == 2)
        factor *= k >= 128 ? 0.5 : 1.3;
    return ns * factor;
}

const double synthetic_type_factor[RC_TYPES] = {
    [RC_FP32] = 1, [RC_FP64] = 1, [RC_BF16] = 0.6, [RC_FP16] = 0.5, [RC_C64] = 1.1, [RC_C128] = 1};

/* ------------------------------------------------------------------- the store */

typedef struct writer {
    const synthetic_t *s;
    int drawn; /* the run of the journal, of those that are drawn */
    rc_journal_t *j;
    rc_str_t bytes;
    char names[1024]; /* of the features */
    int64_t k[MOST_K];
    int ks;
    int32_t op[MOST_OPS];
    int ops;
    rc_err_t *err;
} writer_t;

static rc_status_t parse_ops(writer_t *w)
{
    rc_words_t words = {0};
    rc_status_t st = rc_words_split(w->s->op ? w->s->op : "spmm", ',', &words, w->err);
    for (int i = 0; st == RC_OK && i < words.count; i++)
        st = w->ops == MOST_OPS
                 ? rc_fail(w->err, RC_EINVAL, "more than %d operations", (int)MOST_OPS)
                 : rc_model_operation_parse(words.word[i], &w->op[w->ops++], w->err);
    rc_words_free(&words);
    return st;
}

static rc_status_t parse_k(writer_t *w)
{
    rc_words_t words = {0};
    rc_status_t st = rc_words_split(w->s->k, ',', &words, w->err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        if (w->ks == MOST_K)
            st = rc_fail(w->err, RC_EINVAL, "more than %d values of K", (int)MOST_K);
        else if (strcmp(words.word[i], "n") == 0)
            w->k[w->ks++] = 0;
        else
            st = rc_parse_int(words.word[i], 1, 1 << 20, "K", &w->k[w->ks++], w->err);
    }
    rc_words_free(&words);
    return st;
}

static rc_digest_t digest_of(const synthetic_t *s, int64_t i)
{
    const int64_t key[] = {s->seed, i};
    return rc_digest(key, sizeof key);
}

static rc_status_t append(writer_t *w, rc_rec_type_t type)
{
    return rc_journal_append(w->j, type, &w->bytes, w->err);
}

static rc_status_t add_source(writer_t *w, int64_t i)
{
    static const char *const kinds[] = {
        "structural problem", "directed graph", "circuit simulation problem"};
    rc_rec_source_t r;
    memset(&r, 0, sizeof r);
    (void)snprintf(
        r.name, sizeof r.name, "G%lld/m%lld", (long long)(i % w->s->groups), (long long)i);
    (void)snprintf(r.kind, sizeof r.kind, "%s", kinds[i % 3]);
    (void)snprintf(r.location, sizeof r.location, "/nowhere/%s.mtx", r.name);
    r.bytes = 1;
    r.status = RC_CASE_OK;
    r.loaded = 1;
    r.digest = digest_of(w->s, i);
    r.rows = r.cols = rows_of(w->s, i);
    r.nnz = (int64_t)(mean_of(w->s, i) * (double)r.rows);
    rc_rec_put(&w->bytes, RC_REC_SOURCE, &r);
    return append(w, RC_REC_SOURCE);
}

static rc_status_t add_features(writer_t *w, int64_t i)
{
    rc_status_t st = RC_OK;
    if (w->s->gaps && i % 11 == 3)
        return RC_OK;
    for (int p = 0; st == RC_OK && p < 8; p++) {
        static const int bytes[] = {4, 8, 2, 16}; /* types of one size share their features */
        const int is_there[] = {1, w->s->fp64 || w->s->complexes, w->s->shorts, w->s->complexes};
        if (!is_there[p / 2])
            continue;
        double value[RC_FEATURES_MEHRABI];
        rc_geometry_t g = synthetic_geometry(p % 2, bytes[p / 2]);
        rc_rec_feature_t r;
        memset(&r, 0, sizeof r);
        r.matrix = digest_of(w->s, i);
        (void)snprintf(r.set, sizeof r.set, "mehrabi");
        r.version = rc_feature_set_find("mehrabi")->version;
        r.nw = g.nw;
        r.nt = g.nt;
        r.line = g.line;
        r.feature_ns = 1000 + 2 * (int64_t)(mean_of(w->s, i) * (double)rows_of(w->s, i));
        r.count = RC_FEATURES_MEHRABI;
        synthetic_features(w->s, i, &g, value);
        r.value = value;
        r.names = w->names;
        rc_rec_put(&w->bytes, RC_REC_FEATURE, &r);
        st = append(w, RC_REC_FEATURE);
    }
    return st;
}

typedef struct what {
    int64_t matrix;
    int64_t k;
    int kernel;
    int policy;
    rc_precision_t type;
    int device;
    int32_t op;
    int c_order;
    int n; /* parameter of warp, 0: it has none */
} what_t;

static void name_case(const writer_t *w, const what_t *x, int version, rc_case_t *c)
{
    const char *kernel = synthetic_kernels[x->kernel];
    const char *colon = strchr(kernel, ':');
    rc_geometry_t g = synthetic_geometry(x->kernel, rc_type(x->type)->bytes);
    memset(c, 0, sizeof *c);
    c->matrix = digest_of(w->s, x->matrix);
    (void)snprintf(c->policy, sizeof c->policy, "%s", synthetic_policies[x->policy]);
    (void)snprintf(c->kernel, sizeof c->kernel, "%.*s", (int)(colon - kernel), kernel);
    (void)snprintf(c->params, sizeof c->params, "%s", colon + 1);
    (void)snprintf(
        c->device, sizeof c->device, x->device ? "syn:device%d" : "syn:device", x->device);
    c->policy_version = rc_policy_find(c->policy)->version;
    c->kernel_version = version;
    c->precision = x->type;
    c->layout = x->kernel == 2 ? (w->s->mixed ? RC_ROW_COL : RC_ROW_MAJOR) : RC_COL_MAJOR;
    if (w->s->draws && x->kernel == 0 && w->drawn % 3 == 2)
        c->layout = RC_ROW_MAJOR; /* a kernel of two layouts */
    c->nw = g.nw;
    c->nt = g.nt;
    c->line = g.line;
    c->k = x->k;
    c->op = x->op;
    c->c_order = x->c_order;
    if (x->n)
        (void)snprintf(c->policy_params, sizeof c->policy_params, "n=%d", x->n);
}

/* About normal: the sum of 12 uniform draws. */
static double normal(uint64_t seed, rc_digest_t id)
{
    double sum = -6;
    for (uint64_t i = 0; i < 12; i++)
        sum += (double)(rc_rng_hash(seed ^ id.hi, id.lo + i) >> 11) * 0x1p-53;
    return sum;
}

static double measured(const writer_t *w, const what_t *x, const rc_case_t *c)
{
    double value[RC_FEATURES_MEHRABI];
    /* the rule is of the features of kernel a's geometry, whatever kernel runs */
    rc_geometry_t g = synthetic_geometry(0, rc_type(x->type)->bytes);
    synthetic_features(w->s, x->matrix, &g, value);
    double ns = synthetic_time(value, x->kernel, x->policy, x->k ? x->k : 1, rc_type(x->type)->bytes);
    ns *= synthetic_type_factor[x->type];
    ns *= 1 + x->op; /* so that one operation cannot be taken for another */
    rc_digest_t id = rc_case_id(c);
    uint64_t seed = (uint64_t)w->s->seed + ((uint64_t)w->s->run << 32);
    if (x->kernel == 1 && w->s->slow > 0)
        ns *= w->s->slow;
    if (w->s->bursts > 0 && (double)(rc_rng_hash(seed, id.lo) >> 11) * 0x1p-53 < w->s->bursts)
        ns *= 1.5;
    if (w->s->placed > 0 && x->matrix == 0)
        ns *= 1 + w->s->placed * (double)(rc_rng_hash(seed, id.hi) >> 11) * 0x1p-53;
    return ns * exp(w->s->noise * normal(seed, id)) * (x->device ? 2 : 1) *
           (1 + 0.03 * x->c_order + 0.07 * x->n);
}

static int64_t order_ns(const writer_t *w, const what_t *x)
{
    static const double cost[SYNTHETIC_POLICIES] = {0.1, 2, 20, 300};
    return 500 + (int64_t)(cost[x->policy] * (double)rows_of(w->s, x->matrix));
}

/* A unit draw of a run and a case. */
static double of_run(const writer_t *w, uint64_t what, int draw)
{
    const uint64_t seed = (uint64_t)w->s->seed * 1000 + (uint64_t)w->drawn * 10 + (uint64_t)draw;
    return (double)(rc_rng_hash(seed, what) >> 11) * 0x1p-53;
}

/* In a drawn run a part of the kernels and orders is measured, and the more often csr; few fail. */
static int is_drawn(const writer_t *w, const what_t *x)
{
    const uint64_t at = (uint64_t)x->matrix * 1000 + (uint64_t)x->kernel * 100 +
                        (uint64_t)x->policy * 10 + (uint64_t)x->c_order;
    if (of_run(w, (uint64_t)x->kernel, 1) < 0.2 ||
        of_run(w, (uint64_t)x->policy + 50, 1) < (x->policy ? 0.5 : 0.3))
        return 0;
    return of_run(w, at, 2) < 0.85;
}

/* What superseded rows have wrong: their times, and that they are ok. */
static rc_status_t add_result(writer_t *w, const what_t *x, int version, double factor)
{
    rc_rec_result_t r;
    memset(&r, 0, sizeof r);
    name_case(w, x, version, &r.c);
    double ns = measured(w, x, &r.c) * factor;
    ns *= w->s->draws ? 1 + of_run(w, 0, 3) : 1;
    int failed = w->s->draws && of_run(w, rc_case_id(&r.c).lo, 4) < 0.04;
    const int lacks = factor == 1 && (x->matrix * 7 + x->kernel + 2 * x->policy) % 29 == 0;
    failed |= w->s->gaps && lacks;
    r.row.status = failed ? RC_CASE_FAILED : w->s->noisy && lacks ? RC_CASE_NOISY : RC_CASE_OK;
    r.row.median_ns = r.row.min_ns = r.row.mean_ns = failed ? NAN : ns;
    r.row.order_ns = order_ns(w, x);
    r.row.preprocess_ns = x->kernel == 2 ? 10 * rows_of(w->s, x->matrix) : 0;
    r.row.rel_err = 0.01;
    r.row.error_rel = w->s->shorts ? rc_type(x->type)->unit / (x->type == RC_BF16 ? 4 : 2) : 0;
    r.row.batch = 1;
    r.row.device_bytes = x->kernel ? 1000 * x->kernel : -1; /* -1: unknown */
    r.row.fill = x->kernel ? 1.5 : NAN;
    if (failed)
        (void)snprintf(r.text, sizeof r.text, "made to fail");
    rc_rec_put(&w->bytes, RC_REC_RESULT, &r);
    return append(w, RC_REC_RESULT);
}

static rc_status_t add_results(writer_t *w, const what_t *x)
{
    rc_status_t st = RC_OK;
    if (w->s->draws && !is_drawn(w, x))
        return RC_OK;
    if (w->s->stale) {
        st = add_result(w, x, OLD_KERNEL, 0.01); /* another case: of an older version */
        if (st == RC_OK)
            st = add_result(w, x, KERNEL, 100);
    }
    int version = w->s->version ? (int)w->s->version : KERNEL;
    return st == RC_OK ? add_result(w, x, version, 1) : st;
}

/* A case with the orders of C and the parameters that were asked for. */
static rc_status_t add_all(writer_t *w, const what_t *of)
{
    rc_status_t st = RC_OK;
    for (int c_order = 0; c_order <= w->s->schedule; c_order++)
        for (int n = 0; st == RC_OK && n <= (w->s->params && of->policy == 3 ? 4 : 0); n += 2) {
            what_t x = *of;
            x.c_order = c_order;
            x.n = n;
            if (c_order && (x.policy == 0 || x.matrix % 3 == 0))
                continue;
            st = add_results(w, &x);
        }
    return st;
}

/* \return how many */
static int types_of(const synthetic_t *s, rc_precision_t *out)
{
    int n = 0;
    out[n++] = RC_FP32;
    if (s->fp64)
        out[n++] = RC_FP64;
    if (s->shorts) {
        out[n++] = RC_BF16;
        out[n++] = RC_FP16;
    }
    if (s->complexes) {
        out[n++] = RC_C64;
        out[n++] = RC_C128;
    }
    return n;
}

/* Every case of matrix i and an operation. */
static rc_status_t add_cases(writer_t *w, int64_t i, int32_t op)
{
    rc_status_t st = RC_OK;
    rc_precision_t type[RC_TYPES];
    int precisions = types_of(w->s, type);
    int has_k = rc_model_operation_has_k(op);
    int ks = has_k ? w->ks : 1;
    int n = w->s->devices * precisions * ks * SYNTHETIC_KERNELS * SYNTHETIC_POLICIES;
    for (int at = 0; st == RC_OK && at < n; at++) {
        int q = w->s->shuffle ? n - 1 - at : at;
        what_t x = {.matrix = i, .op = op};
        x.policy = q % SYNTHETIC_POLICIES;
        q /= SYNTHETIC_POLICIES;
        x.kernel = q % SYNTHETIC_KERNELS;
        q /= SYNTHETIC_KERNELS;
        x.k = w->k[q % ks];
        x.k = x.k ? x.k : rows_of(w->s, i);
        x.k = has_k ? x.k : 0;
        q /= ks;
        x.type = type[q % precisions];
        x.device = q / precisions;
        st = add_all(w, &x);
    }
    return st;
}

/* The card of a drawn run: one of two, or none is known. */
static rc_status_t add_card(writer_t *w)
{
    static const char *const cards[] = {"GPU-one", "GPU-two", "cpu-0-1"};
    rc_rec_kv_t kv = {.value = cards[(int)(2.3 * of_run(w, 1, 5))]};
    (void)snprintf(kv.key, sizeof kv.key, "device.uuid");
    return rc_journal_put(w->j, RC_REC_KV, &kv, w->err);
}

static rc_status_t write_journal(writer_t *w, const char *dir)
{
    rc_rec_run_t run;
    rc_rec_end_t end = {.utc_ns = 2, .state = RC_RUN_COMPLETE};
    int64_t n = w->s->matrices;
    memset(&run, 0, sizeof run);
    (void)snprintf(run.uuid, sizeof run.uuid, "%032d", 1 + w->drawn);
    (void)snprintf(run.version, sizeof run.version, "synthetic");
    run.started_ns = 1 + w->drawn;
    run.ranks = 1;
    if (mkdir(dir, 0777) < 0 && errno != EEXIST)
        return rc_fail(w->err, RC_EIO, "%s: cannot be made", dir);
    rc_status_t st = rc_journal_create(dir, &run, &w->j, w->err);
    if (st == RC_OK && w->s->draws)
        st = add_card(w);
    for (int64_t i = 0; st == RC_OK && i < n; i++) {
        int64_t at = w->s->shuffle ? n - 1 - i : i;
        st = add_source(w, at);
        if (st == RC_OK)
            st = add_features(w, at);
        for (int op = 0; st == RC_OK && op < w->ops; op++)
            st = add_cases(w, at, w->op[op]);
    }
    rc_rec_put(&w->bytes, RC_REC_END, &end);
    if (st == RC_OK)
        st = append(w, RC_REC_END);
    if (w->j)
        rc_journal_close(w->j);
    w->j = NULL;
    return st;
}

/* The journals of all runs, which are committed one by one. */
static rc_status_t write_runs(writer_t *w, const char *dir, const char *store)
{
    rc_commit_info_t info;
    rc_status_t st = RC_OK;
    const int runs = w->s->draws ? w->s->draws : 1;
    for (w->drawn = 0; st == RC_OK && w->drawn < runs; w->drawn++) {
        if (w->s->part >= 0 && w->drawn % 2 != w->s->part)
            continue;
        st = write_journal(w, dir);
        if (st == RC_OK)
            st = rc_commit(store, MPI_COMM_SELF, &(rc_commit_options_t){0}, NULL, &info, w->err);
    }
    return st;
}

rc_status_t synthetic_write(const char *store, const synthetic_t *s, rc_err_t *err)
{
    writer_t w = {.s = s, .err = err};
    size_t at = 0;
    const rc_feature_set_t *set = rc_feature_set_find("mehrabi");
    if (s->matrices < 1 || s->groups < 1 || s->devices < 1 || !(s->noise >= 0))
        return rc_fail(err, RC_EINVAL, "expected matrices, groups and devices >= 1, noise >= 0");
    for (int i = 0; i < set->count; i++)
        at += (size_t)snprintf(
            w.names + at, sizeof w.names - at, "%s%s", i ? "," : "", set->feature[i].name);
    char *dir = rc_journal_dir(store, err);
    rc_status_t st = dir ? parse_k(&w) : RC_ENOMEM;
    if (st == RC_OK)
        st = parse_ops(&w);
    if (st == RC_OK)
        st = write_runs(&w, dir, store);
    rc_str_free(&w.bytes);
    free(dir);
    return st;
}
