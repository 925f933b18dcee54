/* What the environment says to the drop-in. */
#include "config.h"
#include "dropin/known.h"
#include "dropin/point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1: the variable is there and is the word; another word is named. */
static int is(const char *name, const char *word, const char *other)
{
    const char *value = getenv(name);
    if (!value || !*value || (other && strcmp(value, other) == 0))
        return 0;
    if (strcmp(value, word) == 0)
        return 1;
    fprintf(stderr, "rowcast: %s=%s: expected '%s'%s%s%s; it is not heeded\n", name, value, word,
        other ? " or '" : "", other ? other : "", other ? "'" : "");
    return 0;
}

/* One "name=number" with a unit of k, M or G.  \return bytes read, 0: it is none */
static size_t one(const char *text, const char *name, double *out)
{
    const double most = 1e18; /* as an int64_t */
    size_t n = strlen(name);
    char *end;
    if (strncmp(text, name, n) != 0 || text[n] != '=')
        return 0;
    double value = strtod(text + n + 1, &end);
    if (end == text + n + 1 || !(value >= 0))
        return 0;
    double unit = *end == 'k' ? 1e3 : *end == 'M' ? 1e6 : *end == 'G' ? 1e9 : 1;
    end += unit > 1;
    if (value * unit > most || (*end != '\0' && *end != ','))
        return 0;
    *out = value * unit;
    return (size_t)(end - text);
}

static void budget(rc_settings_t *s)
{
    const char *value = getenv("ROWCAST_BUDGET");
    double memory = (double)s->memory;
    for (const char *at = value; at && *at;) {
        size_t n = one(at, "time", &s->seconds);
        n = n > 0 ? n : one(at, "share", &s->share);
        n = n > 0 ? n : one(at, "memory", &memory);
        if (n == 0) {
            fprintf(stderr,
                "rowcast: ROWCAST_BUDGET=%s: expected time=SECONDS,share=PART,memory=BYTES at "
                "'%s'\n",
                value, at);
            break;
        }
        at += n + (at[n] == ',');
    }
    s->memory = (int64_t)memory;
}

/* FOLDER, or FOLDER,bytes=BYTES. */
static void cache(rc_settings_t *s)
{
    const char *value = getenv("ROWCAST_CACHE");
    const char *comma = value ? strrchr(value, ',') : NULL;
    double bytes = (double)s->cache_most;
    if (!value || !*value)
        return;
    if (comma && strncmp(comma, ",bytes=", 7) == 0 &&
        one(comma + 1, "bytes", &bytes) != strlen(comma + 1)) {
        fprintf(stderr, "rowcast: ROWCAST_CACHE=%s: expected FOLDER,bytes=BYTES\n", value);
        return;
    }
    int bounded = comma && strncmp(comma, ",bytes=", 7) == 0;
    s->cache_most = (int64_t)bytes;
    s->cache = strndup(value, bounded ? (size_t)(comma - value) : strlen(value));
}

rc_settings_t rc_settings_read(void)
{
    rc_settings_t s = {.seconds = 30,
        .share = 0.02,
        .memory = 4000000000,
        .cache_most = 64000000,
        .engine = getenv("ROWCAST_ENGINE")};
    s.off = is("ROWCAST_DROPIN", "off", "on");
    s.trust = is("ROWCAST_TRUST", "preprocess", "nothing");
    s.bits = is("ROWCAST_BITS", "free", "same");
    s.summary = is("ROWCAST_LOG", "summary", "nothing");
    s.always = getenv("ROWCAST_WAIT") && strcmp(getenv("ROWCAST_WAIT"), "always") == 0;
    s.wait = s.always || is("ROWCAST_WAIT", "1", "0");
    locale_t before = rc_point_begin();
    budget(&s);
    cache(&s);
    rc_point_end(before);
    return s;
}
