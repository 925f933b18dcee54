#include "config.h"
#include "base/type.h"
#include "base/error.h"
#include "base/value/short.h"
#include "base/str.h"
#include "base/visible.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double round_fp32(double value)
{
    return (double)(float)value;
}

static double load_fp32(const void *from, int64_t i)
{
    return (double)((const float *)from)[i];
}

static void store_fp32(void *to, int64_t i, double value)
{
    ((float *)to)[i] = (float)value;
}

static double round_fp64(double value)
{
    return value;
}

static double load_fp64(const void *from, int64_t i)
{
    return ((const double *)from)[i];
}

static void store_fp64(void *to, int64_t i, double value)
{
    ((double *)to)[i] = value;
}

/* Of a type of 16 bits, from fp64 at once: rounding to fp32 first would round twice. */
#define RC_SHORT(suffix)                                                                           \
    static double round_##suffix(double value)                                                     \
    {                                                                                              \
        return (double)rc_##suffix##_load(rc_##suffix##_of(value));                                \
    }                                                                                              \
                                                                                                   \
    static double load_##suffix(const void *from, int64_t i)                                       \
    {                                                                                              \
        return (double)rc_##suffix##_load(((const rc_##suffix##_t *)from)[i]);                     \
    }                                                                                              \
                                                                                                   \
    static void store_##suffix(void *to, int64_t i, double value)                                  \
    {                                                                                              \
        ((rc_##suffix##_t *)to)[i] = rc_##suffix##_of(value);                                      \
    }
RC_SHORT(bf16)
RC_SHORT(fp16)

/* Of a complex type, whose parts are of another one, next to each other. */
#define RC_COMPLEX(suffix, of)                                                                     \
    static double round_##suffix(double value)                                                     \
    {                                                                                              \
        return round_##of(value);                                                                  \
    }                                                                                              \
                                                                                                   \
    static double load_##suffix(const void *from, int64_t i)                                       \
    {                                                                                              \
        return load_##of(from, 2 * i);                                                             \
    }                                                                                              \
                                                                                                   \
    static void store_##suffix(void *to, int64_t i, double value)                                  \
    {                                                                                              \
        store_##of(to, 2 * i, value);                                                              \
        store_##of(to, 2 * i + 1, 0);                                                              \
    }
RC_COMPLEX(c64, fp32)
RC_COMPLEX(c128, fp64)

/* Values of the host are fp64: most gathers are from there, and need no call for each. */
#define RC_GATHER(suffix)                                                                          \
    static void gather_##suffix(void *to, const double *from, const void *place, int place_bytes,  \
        int64_t begin, int64_t end)                                                                \
    {                                                                                              \
        for (int64_t i = begin; i < end; i++) {                                                    \
            int64_t at = place ? rc_place_at(place, place_bytes, i) - 1 : i;                       \
            store_##suffix(to, i, at < 0 ? 0 : from[at]);                                          \
        }                                                                                          \
    }
RC_GATHER(fp32)
RC_GATHER(fp64)
RC_GATHER(bf16)
RC_GATHER(fp16)
RC_GATHER(c64)
RC_GATHER(c128)

#define RC_TYPE(id, text, suffix, size, sums, of, bits, most, tiny, cuda, cuda_sum)                \
    [id] = {.name = text,                                                                          \
        .bytes = size,                                                                             \
        .sum = sums,                                                                               \
        .part = of,                                                                                \
        .parts = of == id ? 1 : 2,                                                                 \
        .unit = 1.0 / (double)((uint64_t)1 << bits),                                               \
        .largest = (double)most,                                                                   \
        .least = (double)tiny,                                                                     \
        .round = round_##suffix,                                                                   \
        .load = load_##suffix,                                                                     \
        .store = store_##suffix,                                                                   \
        .gather = gather_##suffix},
static const rc_type_t all[] = {RC_FOR_EACH_TYPE(RC_TYPE)};

const rc_type_t *rc_type(rc_precision_t t)
{
    return (unsigned)t < RC_TYPES ? &all[t] : &all[RC_FP64];
}

const char *rc_precision_name(rc_precision_t precision)
{
    return (unsigned)precision < RC_TYPES ? all[precision].name : NULL;
}

rc_status_t rc_type_parse(unsigned types, const char *name, rc_precision_t *out, rc_err_t *err)
{
    const char *names[RC_TYPES];
    int known = 0;
    for (int t = 0; t < RC_TYPES; t++) {
        if (!rc_type_among(types, (rc_precision_t)t))
            continue;
        names[known++] = all[t].name;
        if (strcmp(name, all[t].name) == 0) {
            *out = (rc_precision_t)t;
            return RC_OK;
        }
    }
    return rc_fail_unknown(err, RC_EINVAL, "precision", name, names, known);
}

rc_status_t rc_type_check(rc_precision_t t, const char *what, rc_err_t *err)
{
    enum { ROOM = 80 };
    char names[ROOM] = "";
    size_t at = 0;
    if ((unsigned)t < RC_TYPES)
        return RC_OK;
    for (int i = 0; i < RC_TYPES && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", all[i].name);
    return rc_fail(
        err, RC_EINVAL, "%s: expected a type of %s, found number %d", what, names, (int)t);
}

rc_status_t rc_type_check_real(rc_precision_t t, const char *what, rc_err_t *err)
{
    RC_PASS(rc_type_check(t, what, err));
    return rc_type_among(RC_TYPES_REAL, t)
               ? RC_OK
               : rc_fail(err, RC_ENOTSUP, "%s: expected real numbers, found %s", what, all[t].name);
}

rc_status_t rc_type_becomes(rc_precision_t from, rc_precision_t to, const char *what, rc_err_t *err)
{
    return all[from].parts <= all[to].parts
               ? RC_OK
               : rc_fail(err, RC_EINVAL, "%s: expected real numbers for %s, found %s", what,
                     all[to].name, all[from].name);
}

/* Values of 4 bytes that keep their type. */
static void gather_words(uint32_t *to, const uint32_t *from, const void *place, int place_bytes,
    int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i++) {
        int64_t at = place ? rc_place_at(place, place_bytes, i) - 1 : i;
        to[i] = at < 0 ? 0 : from[at];
    }
}

void rc_type_gather(rc_precision_t to_type, void *to, rc_precision_t from_type, const void *from,
    const void *place, int place_bytes, int64_t begin, int64_t end)
{
    const rc_type_t *t = rc_type(to_type);
    const rc_type_t *f = rc_type(from_type);
    if (from_type == to_type && t->bytes == (int)sizeof(uint32_t)) {
        gather_words(to, from, place, place_bytes, begin, end);
        return;
    }
    if (from_type == RC_FP64) {
        t->gather(to, from, place, place_bytes, begin, end);
        return;
    }
    const rc_type_t *t_part = rc_type(t->part);
    const rc_type_t *f_part = rc_type(f->part);
    for (int64_t i = begin; i < end; i++) {
        int64_t at = place ? rc_place_at(place, place_bytes, i) - 1 : i;
        for (int q = 0; q < t->parts; q++)
            t_part->store(to, i * t->parts + q,
                at < 0 || q >= f->parts ? 0 : f_part->load(from, at * f->parts + q));
    }
}

static int is_beyond(const rc_type_t *type, double part)
{
    return fabs(part) > type->largest && isfinite(part) && !isfinite(type->round(part));
}

void rc_type_beyond(rc_precision_t t, const double *value, int parts, int64_t n, char *out)
{
    const rc_type_t *type = rc_type(t);
    enum { thousand = 1000, grouped = 1000000 };
    char largest[32];
    int64_t beyond = 0;
    for (int64_t i = 0; i < n; i++) {
        int found = 0;
        for (int q = 0; q < parts; q++)
            found |= is_beyond(type, value[i * parts + q]);
        beyond += found;
    }
    out[0] = 0;
    if (beyond == 0)
        return;
    if (type->largest < grouped)
        (void)snprintf(largest, sizeof largest, "%d,%03d", (int)type->largest / thousand,
            (int)type->largest % thousand);
    else
        (void)snprintf(largest, sizeof largest, "%.3g", type->largest);
    (void)snprintf(out, RC_BEYOND_MAX + 1,
        "%" PRId64 " of %" PRId64 " value%s %s beyond %s (%s) and became infinity", beyond, n,
        rc_plural(n), beyond == 1 ? "is" : "are", type->name, largest);
}
