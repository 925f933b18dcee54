#include "config.h"
#include "store/record.h"
#include "base/alloc.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rc_digest_t rc_case_id(const rc_case_t *c)
{
    char text[768];
    char hex[RC_DIGEST_HEX + 1];
    rc_digest_hex(c->matrix, hex);
    int n = snprintf(text, sizeof text,
        "case|%s|%s@%d%s%s|%d,%d,%d|%s@%d:%s|%d|%" PRId64 "|%d|%d|%d|%d|%s", hex, c->policy,
        c->policy_version, c->policy_params[0] ? ":" : "", c->policy_params, c->nw, c->nt, c->line,
        c->kernel, c->kernel_version, c->params, c->op, c->k, c->precision, c->layout, c->c_order,
        c->cache, c->device);
    return rc_digest(text, (size_t)n);
}

rc_digest_t rc_source_case_id(
    const char *name, const char *location, int64_t bytes, int64_t mtime_ns)
{
    char text[RC_NAME_MAX + RC_LOCATION_MAX + 96];
    int n = snprintf(text, sizeof text, "source|%.*s|%.*s|%" PRId64 "|%" PRId64, RC_NAME_MAX, name,
        RC_LOCATION_MAX, location, bytes, mtime_ns);
    return rc_digest(text, (size_t)n);
}

rc_digest_t rc_feature_id(
    rc_digest_t matrix, const char *set, int32_t version, int32_t nw, int32_t nt, int32_t line)
{
    char text[256];
    char hex[RC_DIGEST_HEX + 1];
    rc_digest_hex(matrix, hex);
    int n = snprintf(
        text, sizeof text, "feature|%s|%.32s@%d|%d,%d,%d", hex, set, version, nw, nt, line);
    return rc_digest(text, (size_t)n);
}

void rc_bytes_free(rc_bytes_t *b)
{
    free(b->data);
    *b = (rc_bytes_t){0};
}

static void put(rc_bytes_t *b, const void *data, size_t n)
{
    void *p = b->data;
    if (b->failed || rc_grow(&p, &b->capacity, b->len + n, 1, "a journal record", NULL) < 0) {
        b->failed = 1;
        return;
    }
    b->data = p;
    if (n)
        memcpy(b->data + b->len, data, n);
    b->len += n;
}

static void put_i32(rc_bytes_t *b, int32_t v)
{
    put(b, &v, sizeof v);
}

static void put_i64(rc_bytes_t *b, int64_t v)
{
    put(b, &v, sizeof v);
}

static void put_f64(rc_bytes_t *b, double v)
{
    put(b, &v, sizeof v);
}

static void put_text(rc_bytes_t *b, const char *text)
{
    size_t n = strlen(text);
    if (n > UINT16_MAX) {
        b->failed = 1;
        return;
    }
    uint16_t len = (uint16_t)n;
    put(b, &len, sizeof len);
    put(b, text, n + 1); /* with its NUL, so that it can be borrowed when it is read */
}

static void put_digest(rc_bytes_t *b, rc_digest_t d)
{
    put(b, &d.hi, sizeof d.hi);
    put(b, &d.lo, sizeof d.lo);
}

/* A reader that goes bad at the first thing that does not fit and stays so. */
typedef struct reader {
    const unsigned char *p;
    size_t left;
    int bad;
} reader_t;

static void get(reader_t *r, void *to, size_t n)
{
    if (r->bad || r->left < n) {
        r->bad = 1;
        memset(to, 0, n);
        return;
    }
    memcpy(to, r->p, n);
    r->p += n;
    r->left -= n;
}

static void skip(reader_t *r, size_t n)
{
    if (r->bad || r->left < n) {
        r->bad = 1;
        return;
    }
    r->p += n;
    r->left -= n;
}

static int32_t get_i32(reader_t *r)
{
    int32_t v;
    get(r, &v, sizeof v);
    return v;
}

static int64_t get_i64(reader_t *r)
{
    int64_t v;
    get(r, &v, sizeof v);
    return v;
}

static double get_f64(reader_t *r)
{
    double v;
    get(r, &v, sizeof v);
    return v;
}

static const char *borrow_text(reader_t *r)
{
    uint16_t len;
    get(r, &len, sizeof len);
    if (r->bad || r->left < (size_t)len + 1 || r->p[len] != '\0' ||
        memchr(r->p, '\0', len) != NULL) {
        r->bad = 1;
        return "";
    }
    const char *text = (const char *)r->p;
    r->p += len + 1;
    r->left -= (size_t)len + 1;
    return text;
}

static int at_end(const reader_t *r)
{
    return !r->bad && r->left == 0;
}

static void get_text(reader_t *r, char *to, size_t size)
{
    const char *text = borrow_text(r);
    size_t n = strlen(text);
    if (n >= size) {
        r->bad = 1;
        n = 0;
    }
    memset(to, 0, size);
    memcpy(to, text, n);
}

static rc_digest_t get_digest(reader_t *r)
{
    rc_digest_t d;
    get(r, &d.hi, sizeof d.hi);
    get(r, &d.lo, sizeof d.lo);
    return d;
}

static rc_status_t finish(const reader_t *r)
{
    return r->bad || r->left ? RC_ESTORE : RC_OK;
}

static void put_case(rc_bytes_t *b, const rc_case_t *c)
{
    put_digest(b, c->matrix);
    put_text(b, c->policy);
    put_text(b, c->kernel);
    put_text(b, c->params);
    put_text(b, c->device);
    const int32_t v[] = {c->policy_version, c->kernel_version, c->op, c->precision, c->layout,
        c->c_order, c->cache, c->nw, c->nt, c->line};
    put(b, v, sizeof v);
    put_i64(b, c->k);
}

static void get_case(reader_t *r, rc_case_t *c)
{
    c->matrix = get_digest(r);
    get_text(r, c->policy, sizeof c->policy);
    memset(c->policy_params, 0, sizeof c->policy_params); /* at the end of the record */
    get_text(r, c->kernel, sizeof c->kernel);
    get_text(r, c->params, sizeof c->params);
    get_text(r, c->device, sizeof c->device);
    int32_t *const v[] = {&c->policy_version, &c->kernel_version, &c->op, &c->precision, &c->layout,
        &c->c_order, &c->cache, &c->nw, &c->nt, &c->line};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        *v[i] = get_i32(r);
    c->k = get_i64(r);
}

static void start(rc_bytes_t *b)
{
    b->len = 0;
    b->failed = 0;
}

void rc_rec_put_run(rc_bytes_t *b, const rc_rec_run_t *r)
{
    start(b);
    put_text(b, r->uuid);
    put_text(b, r->version);
    put_text(b, r->git);
    put_i64(b, r->started_ns);
    put_i32(b, r->ranks);
    put_i32(b, r->rank);
}

rc_status_t rc_rec_get_run(const unsigned char *p, size_t n, rc_rec_run_t *out)
{
    reader_t r = {p, n, 0};
    get_text(&r, out->uuid, sizeof out->uuid);
    get_text(&r, out->version, sizeof out->version);
    get_text(&r, out->git, sizeof out->git);
    out->started_ns = get_i64(&r);
    out->ranks = get_i32(&r);
    out->rank = get_i32(&r);
    return finish(&r);
}

void rc_rec_put_kv(rc_bytes_t *b, const rc_rec_kv_t *r)
{
    start(b);
    put_i32(b, r->rank);
    put_text(b, r->key);
    put_text(b, r->value);
}

rc_status_t rc_rec_get_kv(const unsigned char *p, size_t n, rc_rec_kv_t *out)
{
    reader_t r = {p, n, 0};
    out->rank = get_i32(&r);
    get_text(&r, out->key, sizeof out->key);
    out->value = borrow_text(&r);
    return finish(&r);
}

void rc_rec_put_source(rc_bytes_t *b, const rc_rec_source_t *r)
{
    start(b);
    put_text(b, r->name);
    put_text(b, r->kind);
    put_text(b, r->location);
    put_text(b, r->text);
    const int64_t v[] = {
        r->ssid, r->bytes, r->mtime_ns, r->load_ns, r->utc_ns, r->rows, r->cols, r->nnz};
    put(b, v, sizeof v);
    put_digest(b, r->digest);
    const int32_t w[] = {r->loaded, r->values_seeded, r->where, r->status, r->phase};
    put(b, w, sizeof w);
}

rc_status_t rc_rec_get_source(const unsigned char *p, size_t n, rc_rec_source_t *out)
{
    reader_t r = {p, n, 0};
    get_text(&r, out->name, sizeof out->name);
    get_text(&r, out->kind, sizeof out->kind);
    get_text(&r, out->location, sizeof out->location);
    get_text(&r, out->text, sizeof out->text);
    int64_t *const v[] = {&out->ssid, &out->bytes, &out->mtime_ns, &out->load_ns, &out->utc_ns,
        &out->rows, &out->cols, &out->nnz};
    for (size_t i = 0; i < sizeof v / sizeof *v; i++)
        *v[i] = get_i64(&r);
    out->digest = get_digest(&r);
    int32_t *const w[] = {
        &out->loaded, &out->values_seeded, &out->where, &out->status, &out->phase};
    for (size_t i = 0; i < sizeof w / sizeof *w; i++)
        *w[i] = get_i32(&r);
    return finish(&r);
}

void rc_rec_put_feature(rc_bytes_t *b, const rc_rec_feature_t *r)
{
    start(b);
    put_digest(b, r->matrix);
    put_text(b, r->set);
    const int32_t v[] = {r->version, r->nw, r->nt, r->line};
    put(b, v, sizeof v);
    put_i64(b, r->feature_ns);
    put_text(b, r->names);
    put_i32(b, r->count);
    put(b, r->value, (size_t)r->count * sizeof *r->value);
}

rc_status_t rc_rec_get_feature(const unsigned char *p, size_t n, rc_rec_feature_t *out)
{
    reader_t r = {p, n, 0};
    out->matrix = get_digest(&r);
    get_text(&r, out->set, sizeof out->set);
    out->version = get_i32(&r);
    out->nw = get_i32(&r);
    out->nt = get_i32(&r);
    out->line = get_i32(&r);
    out->feature_ns = get_i64(&r);
    out->names = borrow_text(&r);
    out->count = get_i32(&r);
    /* the values are at the end and may be unaligned: callers copy them */
    if (!r.bad && (out->count < 0 || r.left != (size_t)out->count * sizeof(double)))
        r.bad = 1;
    out->value = (const void *)r.p;
    r.left = 0;
    return finish(&r);
}

void rc_rec_put_order(rc_bytes_t *b, const rc_rec_order_t *r)
{
    start(b);
    put_digest(b, r->matrix);
    put_text(b, r->policy);
    const int32_t v[] = {r->version, r->nw, r->nt, r->line};
    put(b, v, sizeof v);
    const int64_t w[] = {r->order_ns, r->slots, r->pads, r->utc_ns};
    put(b, w, sizeof w);
    put_text(b, r->params);
}

rc_status_t rc_rec_get_order(const unsigned char *p, size_t n, rc_rec_order_t *out)
{
    reader_t r = {p, n, 0};
    out->matrix = get_digest(&r);
    get_text(&r, out->policy, sizeof out->policy);
    out->version = get_i32(&r);
    out->nw = get_i32(&r);
    out->nt = get_i32(&r);
    out->line = get_i32(&r);
    out->order_ns = get_i64(&r);
    out->slots = get_i64(&r);
    out->pads = get_i64(&r);
    out->utc_ns = get_i64(&r);
    memset(out->params, 0, sizeof out->params);
    if (!at_end(&r))
        get_text(&r, out->params, sizeof out->params);
    return finish(&r);
}

void rc_rec_put_begin(rc_bytes_t *b, const rc_rec_begin_t *r)
{
    start(b);
    put_digest(b, r->id);
    put_i64(b, r->utc_ns);
    put_i32(b, r->phase);
    put_i32(b, r->is_source);
    if (r->is_source) {
        put_text(b, r->name);
        put_text(b, r->location);
        put_i64(b, r->bytes);
        put_i64(b, r->mtime_ns);
        put_i32(b, r->where);
    } else
        put_case(b, &r->c);
    put_i64(b, r->job);
    put_text(b, r->is_source ? "" : r->c.policy_params);
}

rc_status_t rc_rec_get_begin(const unsigned char *p, size_t n, rc_rec_begin_t *out)
{
    reader_t r = {p, n, 0};
    memset(out, 0, sizeof *out);
    out->id = get_digest(&r);
    out->utc_ns = get_i64(&r);
    out->phase = get_i32(&r);
    out->is_source = get_i32(&r);
    if (out->is_source) {
        get_text(&r, out->name, sizeof out->name);
        get_text(&r, out->location, sizeof out->location);
        out->bytes = get_i64(&r);
        out->mtime_ns = get_i64(&r);
        out->where = get_i32(&r);
    } else
        get_case(&r, &out->c);
    /* journals of earlier versions had one matrix in hand */
    if (!at_end(&r))
        out->job = get_i64(&r);
    if (!at_end(&r))
        get_text(&r, out->c.policy_params, sizeof out->c.policy_params);
    return finish(&r);
}

void rc_rec_put_settled(rc_bytes_t *b, const rc_rec_settled_t *r)
{
    start(b);
    put_i64(b, r->job);
    put_i64(b, r->utc_ns);
    put_i32(b, r->over);
}

rc_status_t rc_rec_get_settled(const unsigned char *p, size_t n, rc_rec_settled_t *out)
{
    reader_t r = {p, n, 0};
    out->job = get_i64(&r);
    out->utc_ns = get_i64(&r);
    out->over = get_i32(&r);
    return finish(&r);
}

void rc_rec_put_result(rc_bytes_t *b, const rc_rec_result_t *r)
{
    const rc_row_result_t *w = &r->row;
    start(b);
    put_case(b, &r->c);
    put_text(b, r->text);
    const int64_t whole[] = {w->order_ns, w->prepare_ns, w->preprocess_ns, w->first_ns, w->throttle,
        w->reps, w->batch, w->k_tile, w->bytes_min, w->seed, w->utc_ns};
    put(b, whole, sizeof whole);
    const double real[] = {w->median_ns, w->min_ns, w->mean_ns, w->sd_ns, w->rel_err, w->error_max,
        w->error_rel, w->clock_mhz, w->memory_clock_mhz, w->temperature_c};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++)
        put_f64(b, real[i]);
    const int32_t kind[] = {w->status, w->phase, w->stop};
    put(b, kind, sizeof kind);
    put(b, r->sample_ns, (size_t)w->reps * sizeof *r->sample_ns);
    put_text(b, r->c.policy_params);
    put_i64(b, w->device_bytes);
    put_f64(b, w->fill);
    put_i64(b, w->permute_ns);
    put_i64(b, w->pointer_bytes);
}

rc_status_t rc_rec_get_result(const unsigned char *p, size_t n, rc_rec_result_t *out)
{
    reader_t r = {p, n, 0};
    memset(out, 0, sizeof *out);
    rc_row_result_t *w = &out->row;
    get_case(&r, &out->c);
    get_text(&r, out->text, sizeof out->text);
    int64_t *const whole[] = {&w->order_ns, &w->prepare_ns, &w->preprocess_ns, &w->first_ns,
        &w->throttle, &w->reps, &w->batch, &w->k_tile, &w->bytes_min, &w->seed, &w->utc_ns};
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        *whole[i] = get_i64(&r);
    double *const real[] = {&w->median_ns, &w->min_ns, &w->mean_ns, &w->sd_ns, &w->rel_err,
        &w->error_max, &w->error_rel, &w->clock_mhz, &w->memory_clock_mhz, &w->temperature_c};
    for (size_t i = 0; i < sizeof real / sizeof *real; i++)
        *real[i] = get_f64(&r);
    w->status = get_i32(&r);
    w->phase = get_i32(&r);
    w->stop = get_i32(&r);
    out->sample_ns = (const void *)r.p; /* unaligned: callers copy */
    if (w->reps < 0 || (size_t)w->reps > r.left / sizeof(int64_t))
        r.bad = 1;
    else
        skip(&r, (size_t)w->reps * sizeof(int64_t));
    w->device_bytes = -1;
    w->fill = NAN;
    w->permute_ns = -1;
    w->pointer_bytes = -1;
    if (!at_end(&r)) {
        get_text(&r, out->c.policy_params, sizeof out->c.policy_params);
        w->device_bytes = get_i64(&r);
        w->fill = get_f64(&r);
    }
    if (!at_end(&r)) {
        w->permute_ns = get_i64(&r);
        w->pointer_bytes = get_i64(&r);
    }
    return finish(&r);
}

void rc_rec_put_plan(rc_bytes_t *b, const rc_rec_plan_t *r)
{
    start(b);
    put_i64(b, r->matrices);
    put_i64(b, r->cases);
    put_i64(b, r->done);
    put_f64(b, r->cost_s);
}

rc_status_t rc_rec_get_plan(const unsigned char *p, size_t n, rc_rec_plan_t *out)
{
    reader_t r = {p, n, 0};
    out->matrices = get_i64(&r);
    out->cases = get_i64(&r);
    out->done = get_i64(&r);
    out->cost_s = get_f64(&r);
    return finish(&r);
}

void rc_rec_put_end(rc_bytes_t *b, const rc_rec_end_t *r)
{
    start(b);
    put_i64(b, r->utc_ns);
    put_i32(b, r->state);
}

rc_status_t rc_rec_get_end(const unsigned char *p, size_t n, rc_rec_end_t *out)
{
    reader_t r = {p, n, 0};
    out->utc_ns = get_i64(&r);
    out->state = get_i32(&r);
    return finish(&r);
}
