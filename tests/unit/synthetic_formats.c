#include "config.h"
#include "synthetic_formats.h"

#include "base/error.h"
#include "base/outcome.h"
#include "base/rng.h"
#include "base/type.h"
#include "feature/feature.h"
#include "model/model.h"
#include "store/commit.h"
#include "store/journal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

const char *const synthetic_format_kernels[SYNTHETIC_FORMATS] = {"coo", "ell:limit=none",
    "csr:lanes=auto", "hyb:width=mu", "csr5:sigma=auto", "merge:items=896"};

enum { COO, ELL, CSR, HYB, CSR5, MERGE };

/* -------------------------------------------------------------------- the rule */

static double draw(const synthetic_formats_t *s, int64_t i, int what)
{
    uint64_t bits = rc_rng_hash((uint64_t)s->seed + 77, (uint64_t)i * 64 + (uint64_t)what);
    return (double)(bits >> 11) * 0x1p-53;
}

static double between(const synthetic_formats_t *s, int64_t i, int what, double low, double high)
{
    return low * pow(high / low, draw(s, i, what)); /* log-uniform */
}

void synthetic_nisa(const synthetic_formats_t *s, int64_t i, double out[SYNTHETIC_NISA])
{
    double rows = floor(between(s, i, 0, 300, 2e6));
    double mean = between(s, i, 1, 1.5, 80);
    double nnz = floor(rows * mean);
    double skew = draw(s, i, 2) < 0.4 ? between(s, i, 3, 1.01, 1.3) : between(s, i, 3, 2, 3000);
    double longest = fmin(rows, ceil(mean * skew));
    double size = between(s, i, 4, 1, mean);
    const double value[SYNTHETIC_NISA] = {rows, rows, nnz, nnz / rows, nnz / (rows * rows), longest,
        mean * sqrt(skew - 1) / 3, mean / size, draw(s, i, 5), size, size * draw(s, i, 6),
        floor(mean / skew), floor(nnz / size), floor(mean / skew / size), ceil(longest / size), 1,
        fmin(longest, ceil(4 * size))};
    memcpy(out, value, sizeof value);
}

double synthetic_format_time(
    const double feature[SYNTHETIC_NISA], int64_t i, int format, int value_bytes)
{
    const double per_byte = 1 / 2000.0; /* ns: 2 TB/s */
    double rows = feature[0];
    double nnz = feature[2];
    double longest = feature[5];
    double uneven = feature[6] / feature[3];
    double csr = nnz * (4 + value_bytes) + 4 * rows;
    if (format == ELL)
        return rows * longest > 2147483648.0
                   ? NAN
                   : 3500 + per_byte * 0.9 * rows * longest * (4 + value_bytes);
    if (format == CSR5 && i % 100 == 13)
        return NAN;
    switch (format) {
    case COO:
        return 5000 + per_byte * 1.1 * nnz * (8 + value_bytes);
    case CSR:
        return 3800 + per_byte * csr * (1 + 0.4 * uneven) + 2 * longest;
    case HYB:
        return 6500 + per_byte * csr * (0.95 + 0.2 * fmin(uneven, 2));
    case CSR5:
        return 7000 + per_byte * csr * 1.12;
    default:
        return 7500 + per_byte * csr * 1.08 + per_byte * 8 * rows;
    }
}

/* ------------------------------------------------------------------- the store */

typedef struct writer {
    const synthetic_formats_t *s;
    rc_journal_t *j;
    rc_str_t bytes;
    char names[1024];
    rc_err_t *err;
} writer_t;

static rc_digest_t digest_of(const synthetic_formats_t *s, int64_t i)
{
    const int64_t key[] = {s->seed, i, 17};
    return rc_digest(key, sizeof key);
}

static rc_status_t append(writer_t *w, rc_rec_type_t type)
{
    return rc_journal_append(w->j, type, &w->bytes, w->err);
}

static rc_status_t add_source(writer_t *w, int64_t i, const double *feature)
{
    rc_rec_source_t r;
    memset(&r, 0, sizeof r);
    (void)snprintf(
        r.name, sizeof r.name, "G%lld/m%lld", (long long)(i % w->s->groups), (long long)i);
    (void)snprintf(r.kind, sizeof r.kind, "%s", i % 2 ? "2D/3D problem" : "optimization problem");
    (void)snprintf(r.location, sizeof r.location, "/nowhere/%s.mtx", r.name);
    r.bytes = 1;
    r.status = RC_CASE_OK;
    r.loaded = 1;
    r.digest = digest_of(w->s, i);
    r.rows = r.cols = (int64_t)feature[0];
    r.nnz = (int64_t)feature[2];
    rc_rec_put(&w->bytes, RC_REC_SOURCE, &r);
    return append(w, RC_REC_SOURCE);
}

static rc_geometry_t geometry_of(int format, int bytes)
{
    return (rc_geometry_t){format == CSR5 ? 128 : 32, 32, 128 / bytes};
}

/* 1: the store has the type. */
static int has(const synthetic_formats_t *s, rc_precision_t type)
{
    const int asked[RC_TYPES] = {[RC_FP32] = 1, [RC_FP64] = s->fp64, [RC_BF16] = s->shorts, [RC_FP16] = s->shorts};
    return asked[type] != 0;
}

/* As a sweep does: for every geometry. */
static rc_status_t add_features(writer_t *w, int64_t i, const double *feature)
{
    static const int formats[] = {CSR, CSR5};
    rc_status_t st = RC_OK;
    for (int p = 0; st == RC_OK && p < 2 * RC_TYPES; p++) {
        const rc_precision_t type = (rc_precision_t)(p / 2);
        if (!has(w->s, type) || type == RC_FP16) /* those of bf16 are its own */
            continue;
        rc_geometry_t g = geometry_of(formats[p % 2], rc_type(type)->bytes);
        rc_rec_feature_t r;
        memset(&r, 0, sizeof r);
        r.matrix = digest_of(w->s, i);
        (void)snprintf(r.set, sizeof r.set, "nisa");
        r.version = rc_feature_set_find("nisa")->version;
        r.nw = g.nw;
        r.nt = g.nt;
        r.line = g.line;
        r.feature_ns = 1000 + (int64_t)(feature[2] / 4);
        r.count = SYNTHETIC_NISA;
        r.value = feature;
        r.names = w->names;
        rc_rec_put(&w->bytes, RC_REC_FEATURE, &r);
        st = append(w, RC_REC_FEATURE);
    }
    return st;
}

/* About normal: the sum of 12 uniform draws. */
static double normal(uint64_t seed, rc_digest_t id)
{
    double sum = -6;
    for (uint64_t i = 0; i < 12; i++)
        sum += (double)(rc_rng_hash(seed ^ id.hi, id.lo + i) >> 11) * 0x1p-53;
    return sum;
}

static void name_case(const writer_t *w, int64_t i, int format, rc_precision_t type, rc_case_t *c)
{
    const char *kernel = synthetic_format_kernels[format];
    const char *colon = strchr(kernel, ':');
    size_t name = colon ? (size_t)(colon - kernel) : strlen(kernel);
    rc_geometry_t g = geometry_of(format, rc_type(type)->bytes);
    int32_t spmv = 0;
    memset(c, 0, sizeof *c);
    (void)rc_model_operation_parse("spmv", &spmv, NULL);
    c->matrix = digest_of(w->s, i);
    (void)snprintf(c->policy, sizeof c->policy, "csr");
    (void)snprintf(c->kernel, sizeof c->kernel, "%.*s", (int)name, kernel);
    (void)snprintf(c->params, sizeof c->params, "%s", colon ? colon + 1 : "");
    (void)snprintf(c->device, sizeof c->device, "syn:gpu");
    c->policy_version = 1;
    c->kernel_version = 1;
    c->precision = type;
    c->nw = g.nw;
    c->nt = g.nt;
    c->line = g.line;
    c->op = spmv;
}

static rc_status_t add_result(
    writer_t *w, int64_t i, const double *feature, int format, rc_precision_t type, int cold)
{
    static const double factor[RC_TYPES] = {[RC_FP32] = 1, [RC_FP64] = 1, [RC_BF16] = 0.6, [RC_FP16] = 0.5};
    rc_rec_result_t r;
    memset(&r, 0, sizeof r);
    name_case(w, i, format, type, &r.c);
    r.c.cache = cold;
    double ns = synthetic_format_time(feature, cold ? 0 : i, format, rc_type(type)->bytes) * (cold ? 3 : 1);
    ns *= factor[type];
    ns *= exp(w->s->noise * normal((uint64_t)w->s->seed, rc_case_id(&r.c)));
    r.row.status = !isnan(ns) ? RC_CASE_OK : format == ELL ? RC_CASE_SKIPPED : RC_CASE_FAILED;
    r.row.median_ns = r.row.min_ns = ns;
    r.row.mean_ns = 1.25 * ns;
    r.row.order_ns = 10;
    r.row.preprocess_ns = format == CSR ? 0 : (int64_t)(5000 + (isnan(ns) ? 0 : 3 * ns));
    r.row.rel_err = 0.01;
    r.row.batch = 1;
    r.row.device_bytes = -1;
    r.row.fill = 1;
    if (isnan(ns))
        (void)snprintf(r.text, sizeof r.text, "memory: needs more than there is");
    rc_rec_put(&w->bytes, RC_REC_RESULT, &r);
    return append(w, RC_REC_RESULT);
}

static rc_status_t add_matrix(writer_t *w, int64_t i)
{
    double feature[SYNTHETIC_NISA];
    synthetic_nisa(w->s, i, feature);
    rc_status_t st = add_source(w, i, feature);
    if (st == RC_OK)
        st = add_features(w, i, feature);
    for (int p = 0; p < RC_TYPES; p++)
        for (int f = 0; st == RC_OK && f < SYNTHETIC_FORMATS; f++)
            if (has(w->s, (rc_precision_t)p) && !(w->s->without >> f & 1))
                st = add_result(w, i, feature, f, (rc_precision_t)p, 0);
    for (int p = 0; st == RC_OK && w->s->cold && p < RC_TYPES; p++)
        if (has(w->s, (rc_precision_t)p))
            st = add_result(w, i, feature, CSR5, (rc_precision_t)p, 1);
    return st;
}

static rc_status_t write_journal(writer_t *w, const char *dir)
{
    rc_rec_run_t run;
    rc_rec_end_t end = {.utc_ns = 2, .state = RC_RUN_COMPLETE};
    memset(&run, 0, sizeof run);
    (void)snprintf(run.uuid, sizeof run.uuid, "%032d", 1);
    (void)snprintf(run.version, sizeof run.version, "synthetic");
    run.started_ns = 1;
    run.ranks = 1;
    if (mkdir(dir, 0777) < 0)
        return rc_fail(w->err, RC_EIO, "%s: cannot be made", dir);
    rc_status_t st = rc_journal_create(dir, &run, &w->j, w->err);
    for (int64_t i = 0; st == RC_OK && i < w->s->matrices; i++)
        st = add_matrix(w, i);
    rc_rec_put(&w->bytes, RC_REC_END, &end);
    if (st == RC_OK)
        st = append(w, RC_REC_END);
    if (w->j)
        rc_journal_close(w->j);
    return st;
}

rc_status_t synthetic_formats_write(const char *store, const synthetic_formats_t *s, rc_err_t *err)
{
    writer_t w = {.s = s, .err = err};
    rc_commit_info_t info;
    size_t at = 0;
    const rc_feature_set_t *set = rc_feature_set_find("nisa");
    if (s->matrices < 1 || s->groups < 1 || !(s->noise >= 0))
        return rc_fail(err, RC_EINVAL, "expected matrices and groups >= 1, noise >= 0");
    for (int i = 0; i < set->count; i++)
        at += (size_t)snprintf(
            w.names + at, sizeof w.names - at, "%s%s", i ? "," : "", set->feature[i].name);
    char *dir = rc_journal_dir(store, err);
    rc_status_t st = dir ? write_journal(&w, dir) : RC_ENOMEM;
    if (st == RC_OK)
        st = rc_commit(store, MPI_COMM_SELF, &(rc_commit_options_t){0}, NULL, &info, err);
    rc_str_free(&w.bytes);
    free(dir);
    return st;
}
