#include "config.h"
#include "store/contents.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct rc_contents_entry {
    rc_digest_t key;
    rc_contents_kind_t kind;
    char name[96]; /* for messages, may be cut */
    int64_t rows;
    uint64_t sum[2];
} entry_t;

void rc_contents_free(rc_contents_t *t)
{
    free(t->entry);
    *t = (rc_contents_t){0};
}

static entry_t *find(const rc_contents_t *t, rc_digest_t key, rc_contents_kind_t kind)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->entry[i].kind == kind && rc_digest_compare(&t->entry[i].key, &key) == 0)
            return &t->entry[i];
    return NULL;
}

static const char *without_slash(const char *path)
{
    return path[0] == '/' ? path + 1 : path;
}

/* The entry of a path, made when it is missing; NULL: no memory. */
static entry_t *entry_of(rc_contents_t *t, const char *path, rc_contents_kind_t kind)
{
    const char *rest = without_slash(path);
    entry_t *e = find(t, rc_map_text(rest), kind);
    if (e)
        return e;
    if (RC_GROW(t->entry, t->capacity, t->count + 1, "what a store holds", NULL) < 0) {
        t->failed = 1;
        return NULL;
    }
    e = &t->entry[t->count++];
    *e = (entry_t){.key = rc_map_text(rest), .kind = kind};
    snprintf(
        e->name, sizeof e->name, "%s%s", kind == RC_CONTENTS_ROWS ? "/" : "attributes of /", rest);
    return e;
}

static uint64_t mix(uint64_t digest, int64_t number)
{
    uint64_t x = digest + (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

int rc_contents_knows(const rc_contents_t *t, rc_contents_kind_t kind, const char *path)
{
    return find(t, rc_map_text(without_slash(path)), kind) != NULL;
}

void rc_contents_add(rc_contents_t *t, rc_contents_kind_t kind, const char *path, int64_t first,
    const void *rows, int64_t n, size_t row_bytes)
{
    entry_t *e = t ? entry_of(t, path, kind) : NULL;
    const char *row = rows;
    for (int64_t i = 0; e && i < n; i++) {
        rc_digest_t d = rc_digest(row + (size_t)i * row_bytes, row_bytes);
        e->sum[0] += mix(d.lo, first + i);
        e->sum[1] += mix(d.hi, first + i);
        e->rows++;
    }
}

void rc_contents_forget(rc_contents_t *t, const char *path)
{
    entry_t *e = t ? entry_of(t, path, RC_CONTENTS_ROWS) : NULL;
    if (e) {
        e->rows = 0;
        e->sum[0] = e->sum[1] = 0;
    }
}

static rc_status_t differs(
    const char *path, const char *name, int64_t expected, int64_t found, rc_err_t *err)
{
    return rc_fail(err, RC_EIO,
        "%s: the disk lost what was written: %s: expected %" PRId64 " rows, found %" PRId64 "%s",
        path, name, expected, found, expected == found ? " with other contents" : "");
}

rc_status_t rc_contents_compare(
    const rc_contents_t *expected, const rc_contents_t *found, const char *path, rc_err_t *err)
{
    if (expected->failed || found->failed)
        return rc_fail(err, RC_ENOMEM, "no memory for what %s holds", path);
    for (size_t i = 0; i < expected->count; i++) {
        const entry_t *e = &expected->entry[i];
        const entry_t *f = find(found, e->key, e->kind);
        if (!f || e->rows != f->rows || memcmp(e->sum, f->sum, sizeof e->sum) != 0)
            return differs(path, e->name, e->rows, f ? f->rows : 0, err);
    }
    for (size_t i = 0; i < found->count; i++)
        if (!find(expected, found->entry[i].key, found->entry[i].kind))
            return differs(path, found->entry[i].name, 0, found->entry[i].rows, err);
    return RC_OK;
}
