#include "config.h"
#include "store/record.h"
#include "base/family.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

rc_digest_t rc_case_id(const rc_case_t *c)
{
    char text[768];
    int n = snprintf(text, sizeof text,
        "case|%s|%s@%d%s%s|%d,%d,%d|%s@%d:%s|%d|%" PRId64 "|%d|%d|%d|%d|%s",
        rc_digest_hex(c->matrix).text, c->policy, c->policy_version, c->policy_params[0] ? ":" : "",
        rc_spec_identity(c->policy_params), c->nw, c->nt, c->line, c->kernel, c->kernel_version,
        c->params, c->op, c->k, c->precision, c->layout, c->c_order, c->cache, c->device);
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
    int n = snprintf(text, sizeof text, "feature|%s|%.32s@%d|%d,%d,%d", rc_digest_hex(matrix).text,
        set, version, nw, nt, line);
    return rc_digest(text, (size_t)n);
}

/* A record on its way to or from its bytes.  Both ways go through the same functions, so that what
 * is written is what is read.  A reader goes bad at the first thing that does not fit and stays so.
 */
typedef struct codec {
    rc_str_t *to; /* NULL: it is read */
    const unsigned char *p;
    size_t left;
    int bad;
} codec_t;

/* The next n bytes; NULL: there are not so many */
static const void *take(codec_t *c, size_t n)
{
    const void *at = c->p;
    c->bad |= c->left < n;
    if (c->bad)
        return NULL;
    c->p += n;
    c->left -= n;
    return at;
}

static void bytes(codec_t *c, void *data, size_t n)
{
    const void *from = c->to ? NULL : take(c, n);
    if (c->to)
        rc_str_addn(c->to, data, n);
    else if (from)
        memcpy(data, from, n);
    else
        memset(data, 0, n);
}

/* Whether the record goes on: what an earlier version wrote may end here. */
static int goes_on(const codec_t *c)
{
    return c->to || (!c->bad && c->left > 0);
}

static void all(codec_t *c, void *const *v, size_t n, size_t size)
{
    for (size_t i = 0; i < n; i++)
        bytes(c, v[i], size);
}

/* Numbers, by their addresses. */
#define ALL(c, type, ...)                                                                          \
    all(c, (void *const[]){__VA_ARGS__}, sizeof((type *[]){__VA_ARGS__}) / sizeof(type *),         \
        sizeof(type))
#define I32(c, ...) ALL(c, int32_t, __VA_ARGS__)
#define I64(c, ...) ALL(c, int64_t, __VA_ARGS__)
#define F64(c, ...) ALL(c, double, __VA_ARGS__)

static void digest(codec_t *c, rc_digest_t *d)
{
    bytes(c, &d->hi, sizeof d->hi);
    bytes(c, &d->lo, sizeof d->lo);
}

/* A text with its NUL, so that it can be borrowed when it is read. */
static void borrowed(codec_t *c, const char **text)
{
    size_t n = c->to ? strlen(*text) : 0;
    uint16_t len = (uint16_t)n;
    if (c->to && n > UINT16_MAX) {
        c->to->failed = 1;
        return;
    }
    bytes(c, &len, sizeof len);
    if (c->to) {
        rc_str_addn(c->to, *text, n + 1);
        return;
    }
    const char *from = take(c, (size_t)len + 1);
    c->bad |= from && (from[len] != '\0' || memchr(from, '\0', len));
    *text = c->bad ? "" : from;
}

/* n numbers of 8 bytes.  \return those that are read, which may be unaligned: callers copy them;
 * NULL when they are written: a record that is written may be constant */
static const void *numbers(codec_t *c, const void *at, int64_t n)
{
    enum { each = 8 };
    if (c->to && n > 0)
        rc_str_addn(c->to, at, (size_t)n * each);
    if (c->to)
        return NULL;
    c->bad |= n < 0 || (size_t)n > c->left / each;
    return c->bad ? NULL : take(c, (size_t)n * each);
}

static void text(codec_t *c, char *field, size_t size)
{
    const char *t = field;
    borrowed(c, &t);
    if (c->to)
        return;
    size_t n = strlen(t);
    c->bad |= n >= size;
    memset(field, 0, size);
    memcpy(field, t, c->bad ? 0 : n);
}
#define TEXT(c, field) text(c, field, sizeof(field))

/* The parameters of the policy are at the end of the record. */
static void code_case(codec_t *c, rc_case_t *r)
{
    digest(c, &r->matrix);
    TEXT(c, r->policy);
    TEXT(c, r->kernel);
    TEXT(c, r->params);
    TEXT(c, r->device);
    I32(c, &r->policy_version, &r->kernel_version, &r->op, &r->precision, &r->layout, &r->c_order,
        &r->cache, &r->nw, &r->nt, &r->line);
    I64(c, &r->k);
}

static void code_run(codec_t *c, void *record)
{
    rc_rec_run_t *r = record;
    TEXT(c, r->uuid);
    TEXT(c, r->version);
    TEXT(c, r->git);
    I64(c, &r->started_ns);
    I32(c, &r->ranks, &r->rank);
}

static void code_kv(codec_t *c, void *record)
{
    rc_rec_kv_t *r = record;
    I32(c, &r->rank);
    TEXT(c, r->key);
    borrowed(c, &r->value);
}

static void code_source(codec_t *c, void *record)
{
    rc_rec_source_t *r = record;
    TEXT(c, r->name);
    TEXT(c, r->kind);
    TEXT(c, r->location);
    TEXT(c, r->text);
    I64(c, &r->ssid, &r->bytes, &r->mtime_ns, &r->load_ns, &r->utc_ns, &r->rows, &r->cols, &r->nnz);
    digest(c, &r->digest);
    I32(c, &r->loaded, &r->values_seeded, &r->where, &r->status, &r->phase);
}

static void code_feature(codec_t *c, void *record)
{
    rc_rec_feature_t *r = record;
    digest(c, &r->matrix);
    TEXT(c, r->set);
    I32(c, &r->version, &r->nw, &r->nt, &r->line);
    I64(c, &r->feature_ns);
    borrowed(c, &r->names);
    I32(c, &r->count);
    const void *value = numbers(c, r->value, r->count);
    if (value)
        r->value = value;
}

static void code_order(codec_t *c, void *record)
{
    rc_rec_order_t *r = record;
    digest(c, &r->matrix);
    TEXT(c, r->policy);
    I32(c, &r->version, &r->nw, &r->nt, &r->line);
    I64(c, &r->order_ns, &r->slots, &r->pads, &r->utc_ns);
    if (goes_on(c))
        TEXT(c, r->params);
}

static void code_begin(codec_t *c, void *record)
{
    rc_rec_begin_t *r = record;
    digest(c, &r->id);
    I64(c, &r->utc_ns);
    I32(c, &r->phase, &r->is_source);
    if (r->is_source) {
        TEXT(c, r->name);
        TEXT(c, r->location);
        I64(c, &r->bytes, &r->mtime_ns);
        I32(c, &r->where);
    } else
        code_case(c, &r->c);
    /* journals of earlier versions had one matrix in hand */
    if (goes_on(c))
        I64(c, &r->job);
    char none[sizeof r->c.policy_params] = "";
    if (goes_on(c))
        text(c, c->to && r->is_source ? none : r->c.policy_params, sizeof none);
}

static void code_settled(codec_t *c, void *record)
{
    rc_rec_settled_t *r = record;
    I64(c, &r->job, &r->utc_ns);
    I32(c, &r->over);
}

static void code_result(codec_t *c, void *record)
{
    rc_rec_result_t *r = record;
    rc_row_result_t *w = &r->row;
    code_case(c, &r->c);
    TEXT(c, r->text);
    I64(c, &w->order_ns, &w->prepare_ns, &w->preprocess_ns, &w->first_ns, &w->throttle, &w->reps,
        &w->batch, &w->k_tile, &w->bytes_min, &w->seed, &w->utc_ns);
    F64(c, &w->median_ns, &w->min_ns, &w->mean_ns, &w->sd_ns, &w->rel_err, &w->error_max,
        &w->error_rel, &w->clock_mhz, &w->memory_clock_mhz, &w->temperature_c);
    I32(c, &w->status, &w->phase, &w->stop);
    const void *sample_ns = numbers(c, r->sample_ns, w->reps);
    if (sample_ns)
        r->sample_ns = sample_ns;
    if (!c->to) {
        w->device_bytes = w->permute_ns = w->pointer_bytes = -1;
        w->fill = w->load = w->hop_ns = NAN;
        w->cpus = -1;
    }
    if (goes_on(c)) {
        TEXT(c, r->c.policy_params);
        I64(c, &w->device_bytes);
        F64(c, &w->fill);
    }
    if (goes_on(c))
        I64(c, &w->permute_ns, &w->pointer_bytes);
    if (goes_on(c)) {
        F64(c, &w->load);
        I64(c, &w->cpus);
    }
    if (goes_on(c))
        F64(c, &w->hop_ns);
}

static void code_plan(codec_t *c, void *record)
{
    rc_rec_plan_t *r = record;
    I64(c, &r->matrices, &r->cases, &r->done);
    F64(c, &r->cost_s);
}

static void code_end(codec_t *c, void *record)
{
    rc_rec_end_t *r = record;
    I64(c, &r->utc_ns);
    I32(c, &r->state);
}

static const struct {
    void (*code)(codec_t *c, void *record);
    size_t bytes; /* of the record in memory */
} kinds[] = {
    [RC_REC_RUN] = {code_run, sizeof(rc_rec_run_t)},
    [RC_REC_KV] = {code_kv, sizeof(rc_rec_kv_t)},
    [RC_REC_SOURCE] = {code_source, sizeof(rc_rec_source_t)},
    [RC_REC_FEATURE] = {code_feature, sizeof(rc_rec_feature_t)},
    [RC_REC_ORDER] = {code_order, sizeof(rc_rec_order_t)},
    [RC_REC_BEGIN] = {code_begin, sizeof(rc_rec_begin_t)},
    [RC_REC_RESULT] = {code_result, sizeof(rc_rec_result_t)},
    [RC_REC_SETTLED] = {code_settled, sizeof(rc_rec_settled_t)},
    [RC_REC_PLAN] = {code_plan, sizeof(rc_rec_plan_t)},
    [RC_REC_END] = {code_end, sizeof(rc_rec_end_t)},
    [RC_REC_LOST] = {code_settled, sizeof(rc_rec_settled_t)},
};

void rc_rec_put(rc_str_t *b, rc_rec_type_t type, const void *record)
{
    codec_t c = {.to = b};
    b->len = 0;
    b->failed = 0;
    /* what is written is not changed, though one function does both */
    kinds[type].code(&c, (void *)(uintptr_t)record);
}

rc_status_t rc_rec_get(const rc_record_t *r, rc_rec_t *out)
{
    codec_t c = {.p = r->payload, .left = r->len};
    if ((size_t)r->type >= sizeof kinds / sizeof *kinds || !kinds[r->type].code)
        return RC_OK;
    memset(out, 0, kinds[r->type].bytes);
    /* earlier versions had one matrix in hand, and named no job */
    if (r->len > 0 || kinds[r->type].code != code_settled)
        kinds[r->type].code(&c, out);
    return c.bad || c.left ? RC_ESTORE : RC_OK;
}
