#include "config.h"
#include "catalog/list.h"

#include "base/alloc.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/str.h"
#include "sparse/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *rc_entry_short_name(const rc_entry_t *e)
{
    return e->name + strlen(e->group) + 1;
}

int rc_entry_compare(const void *a, const void *b)
{
    const rc_entry_t *x = a;
    const rc_entry_t *y = b;
    int order = strcmp(x->group, y->group);
    return order ? order : strcmp(rc_entry_short_name(x), rc_entry_short_name(y));
}

static void free_entry(rc_entry_t *e)
{
    free(e->name);
    free(e->group);
    free(e->kind);
    free(e->location);
}

rc_status_t rc_catalog_append(rc_catalog_t *c, const char *group, const char *name,
    const char *kind, rc_entry_t **out, rc_err_t *err)
{
    RC_PASS(RC_GROW(c->entry, c->capacity, (size_t)c->count + 1, "the catalogue", err));
    rc_entry_t e = {.where = RC_WHERE_ABSENT,
        .rows = -1,
        .cols = -1,
        .nnz = -1,
        .pattern_nnz = -1,
        .real = -1,
        .binary = -1,
        .nd = -1,
        .posdef = -1,
        .pattern_symmetry = NAN,
        .numerical_symmetry = NAN};
    e.name = rc_strf("a matrix name", err, "%s/%s", group, name);
    e.group = e.name ? rc_strdup(group, err) : NULL;
    e.kind = e.group ? rc_strdup(kind, err) : NULL;
    e.location = e.kind ? rc_strdup("", err) : NULL;
    if (!e.location) {
        free_entry(&e);
        return RC_ENOMEM;
    }
    *out = &c->entry[c->count++];
    **out = e;
    return RC_OK;
}

rc_status_t rc_catalog_append_copy(
    rc_catalog_t *b, const rc_entry_t *entry, rc_entry_t **out, rc_err_t *err)
{
    RC_PASS(rc_catalog_append(b, entry->group, rc_entry_short_name(entry), entry->kind, out, err));
    rc_entry_t own = **out;
    **out = *entry;
    (*out)->name = own.name;
    (*out)->group = own.group;
    (*out)->kind = own.kind;
    (*out)->location = own.location;
    return rc_entry_set_location(*out, entry->where, entry->location, err);
}

rc_status_t rc_entry_set_location(
    rc_entry_t *e, rc_where_t where, const char *location, rc_err_t *err)
{
    char *copy = rc_strdup(location, err);
    RC_PASS(copy ? RC_OK : RC_ENOMEM);
    free(e->location);
    e->location = copy;
    e->where = where;
    return RC_OK;
}

rc_status_t rc_catalog_builtin(rc_catalog_t *out, rc_err_t *err)
{
    rc_catalog_t b = {0};
    rc_status_t st = RC_OK;
    for (int i = 0; i < rc_builtin_count; i++) {
        const rc_builtin_t *from = &rc_builtins[i];
        rc_entry_t *e;
        RC_TRY(rc_catalog_append(&b, "builtin", from->name, from->kind, &e, err));
        RC_TRY(rc_entry_set_location(e, RC_WHERE_GENERATED, from->spec, err));
        e->rows = from->rows;
        e->cols = from->cols;
        e->nnz = from->nnz;
        e->pattern_nnz = from->nnz;
        e->real = 1;
        e->binary = 0;
        e->mtime_ns = rc_generator_version(from->spec);
    }
    if (b.count > 1)
        qsort(b.entry, (size_t)b.count, sizeof *b.entry, rc_entry_compare);
done:
    if (st < 0)
        rc_catalog_free(&b);
    else
        *out = b;
    return st;
}

const rc_entry_t *rc_catalog_find(const rc_catalog_t *c, const char *name)
{
    for (int64_t i = 0; i < c->count; i++)
        if (strcmp(c->entry[i].name, name) == 0)
            return &c->entry[i];
    return NULL;
}

/* Entry i moves to place `kept`; the one that was there goes to i, to be freed. */
static void keep_entry(rc_catalog_t *c, int64_t i, int64_t kept)
{
    rc_entry_t keep = c->entry[i];
    c->entry[i] = c->entry[kept];
    c->entry[kept] = keep;
}

static void drop_behind(rc_catalog_t *c, int64_t kept)
{
    for (int64_t i = kept; i < c->count; i++)
        free_entry(&c->entry[i]);
    c->count = kept;
}

void rc_catalog_select(rc_catalog_t *c, const rc_expr_t *where, int64_t limit)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < c->count; i++)
        if ((limit < 0 || kept < limit) && rc_expr_match(where, rc_entry_get, &c->entry[i]))
            keep_entry(c, i, kept++);
    drop_behind(c, kept);
}

void rc_catalog_limit(rc_catalog_t *c, int64_t limit)
{
    int64_t kept = 0;
    for (int64_t present = 0; kept < c->count && present < limit; kept++)
        present += c->entry[kept].where != RC_WHERE_ABSENT;
    drop_behind(c, kept);
}

void rc_catalog_slice(rc_catalog_t *c, int64_t index, int64_t count)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < c->count; i++) {
        rc_digest_t d = rc_digest(c->entry[i].name, strlen(c->entry[i].name));
        if ((int64_t)(d.lo % (uint64_t)count) == index - 1)
            keep_entry(c, i, kept++);
    }
    drop_behind(c, kept);
}

void rc_catalog_free(rc_catalog_t *c)
{
    if (!c)
        return;
    drop_behind(c, 0);
    free(c->entry);
    free(c->passed);
    *c = (rc_catalog_t){0};
}
