#include "config.h"
#include "base/error.h"
#include "base/outcome.h"
#include "base/str.h"
#include "store/verify_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------- fields of any table */

static void check_id(
    rc_verify_t *v, const char *path, const rc_schema_field_t *f, int64_t row, int32_t id)
{
    char what[128];
    if (f->dict == RC_T_COUNT)
        return;
    int64_t count = (int64_t)v->dicts.d[f->dict].count;
    if ((id >= 0 && id < count) || (id == -1 && f->may_be_none))
        return;
    snprintf(what, sizeof what, "%s from %d to %" PRId64 ", as %s has", f->name,
        f->may_be_none ? -1 : 0, count - 1, rc_schema[f->dict].path);
    rc_verify_say(v, path, row, what, "%d", (int)id);
}

/* Texts end where their first NUL is. */
static void check_padding(
    rc_verify_t *v, const char *path, const rc_schema_field_t *f, int64_t row, const char *text)
{
    char what[64];
    const char *end = memchr(text, '\0', f->size);
    for (const char *p = end; p && p < text + f->size; p++)
        if (*p) {
            snprintf(what, sizeof what, "NULs behind the text of %s", f->name);
            rc_verify_say(v, path, row, what, "0x%02x", (unsigned)(unsigned char)*p);
            return;
        }
}

static void check_enum(
    rc_verify_t *v, const char *path, const rc_schema_field_t *f, int64_t row, int32_t value)
{
    char what[64];
    int32_t n = 0;
    while (f->names[n])
        n++;
    if (value >= 0 && value < n)
        return;
    snprintf(what, sizeof what, "%s from 0 to %d", f->name, (int)n - 1);
    rc_verify_say(v, path, row, what, "%d", (int)value);
}

static void check_number(
    rc_verify_t *v, const char *path, const rc_schema_field_t *f, int64_t row, int32_t value)
{
    char what[64];
    int is_id = strcmp(f->name, "id") == 0;
    int is_reserved = strcmp(f->name, "reserved") == 0;
    int64_t expected = is_id ? row : 0;
    check_id(v, path, f, row, value);
    if ((!is_id && !is_reserved) || value == expected)
        return;
    snprintf(what, sizeof what, "%s %" PRId64, f->name, expected);
    rc_verify_say(v, path, row, what, "%d", (int)value);
}

void rc_verify_fields(rc_verify_t *v, const rc_schema_table_t *t, const char *path,
    const void *rows, int64_t first, int64_t n)
{
    for (int k = 0; k < t->fields; k++) {
        const rc_schema_field_t *f = &t->field[k];
        const char *at = (const char *)rows + f->offset;
        for (int64_t i = 0; i < n; i++, at += t->row_bytes) {
            int32_t value = 0;
            if (f->type == RC_FT_TEXT) {
                check_padding(v, path, f, first + i, at);
                continue;
            }
            if (f->type != RC_FT_INT32 && f->type != RC_FT_ENUM)
                break;
            memcpy(&value, at, sizeof value);
            if (f->type == RC_FT_ENUM)
                check_enum(v, path, f, first + i, value);
            else
                check_number(v, path, f, first + i, value);
        }
    }
}

/* ------------------------------------------------------------------- small tables */

static int is_digest(const char *field, size_t n)
{
    rc_digest_t d;
    char text[RC_DIGEST_HEX + 1];
    return n == RC_DIGEST_HEX && rc_digest_parse(rc_field_text(field, n, text), &d) == RC_OK;
}

static void check_matrix(rc_verify_t *v, const char *path, int64_t row, const void *at)
{
    const rc_row_matrix_t *r = at;
    if (!is_digest(r->digest, sizeof r->digest))
        rc_verify_say(v, path, row, "digest of 32 hexadecimal digits", "'%.32s'", r->digest);
    int unknown = r->rows == -1 && r->cols == -1 && r->nnz == -1;
    int fits = r->rows >= 0 && r->cols >= 0 && r->nnz >= 0 &&
               (double)r->nnz <= (double)r->rows * (double)r->cols;
    if (!unknown && !fits)
        rc_verify_say(v, path, row, "rows, cols, and nnz that fit in them",
            "%" PRId64 " x %" PRId64 " with %" PRId64, r->rows, r->cols, r->nnz);
}

static void check_name(rc_verify_t *v, const char *path, int64_t row, const void *at)
{
    if (*(const char *)at == '\0') /* each of these tables begins with its name */
        rc_verify_say(v, path, row, "a name", "none");
}

static void check_run(rc_verify_t *v, const char *path, int64_t row, const void *at)
{
    const rc_row_run_t *r = at;
    check_name(v, path, row, at);
    if (r->ranks < 0)
        rc_verify_say(v, path, row, "ranks >= 0", "%d", (int)r->ranks);
    if (r->started_ns < 0 || r->ended_ns < 0)
        rc_verify_say(v, path, row, "times since 1970", "%" PRId64 " and %" PRId64, r->started_ns,
            r->ended_ns);
}

static void check_source(rc_verify_t *v, const char *path, int64_t row, const void *at)
{
    const rc_row_source_t *r = at;
    check_name(v, path, row, at);
    if (r->status == RC_CASE_PENDING)
        rc_verify_say(v, path, row, "a final status", "pending");
    if (r->status == RC_CASE_OK && r->matrix < 0)
        rc_verify_say(v, path, row, "a matrix, as the status is ok", "%d", (int)r->matrix);
}

static void check_provenance(rc_verify_t *v, const char *path, int64_t row, const void *at)
{
    const rc_row_provenance_t *r = at;
    check_name(v, path, row, at);
    if (r->rank < -1 || r->part < 0)
        rc_verify_say(
            v, path, row, "rank >= -1 and part >= 0", "%d and %d", (int)r->rank, (int)r->part);
}

static void check_journal(rc_verify_t *v, const char *path, int64_t row, const void *at)
{
    const rc_row_journal_t *r = at;
    check_name(v, path, row, at);
    if (r->bytes < 0)
        rc_verify_say(v, path, row, "bytes >= 0", "%" PRId64, r->bytes);
}

static void check_inflight(rc_verify_t *v, const char *path, int64_t row, const void *at)
{
    const rc_row_inflight_t *r = at;
    if (!is_digest(r->case_id, sizeof r->case_id))
        rc_verify_say(v, path, row, "case_id of 32 hexadecimal digits", "'%.32s'", r->case_id);
    if (r->rank < 0)
        rc_verify_say(v, path, row, "rank >= 0", "%d", (int)r->rank);
}

static void check_order(rc_verify_t *v, const char *path, int64_t row, const void *at)
{
    const rc_row_order_t *r = at;
    if (r->order_ns < 0 || r->pads < 0 || r->slots < r->pads)
        rc_verify_say(v, path, row, "order_ns >= 0 and 0 <= pads <= slots",
            "%" PRId64 ", %" PRId64 ", %" PRId64, r->order_ns, r->pads, r->slots);
}

typedef void check_fn(rc_verify_t *v, const char *path, int64_t row, const void *at);
static check_fn *const checks[RC_T_COUNT] = {
    [RC_T_MATRIX] = check_matrix,
    [RC_T_POLICY] = check_name,
    [RC_T_KERNEL] = check_name,
    [RC_T_DEVICE] = check_name,
    [RC_T_MESSAGE] = check_name,
    [RC_T_RUN] = check_run,
    [RC_T_SOURCE] = check_source,
    [RC_T_PROVENANCE] = check_provenance,
    [RC_T_JOURNAL] = check_journal,
    [RC_T_INFLIGHT] = check_inflight,
    [RC_T_ORDER] = check_order,
};

static void check_rows(rc_verify_t *v, rc_table_id_t t, const void *rows, int64_t n)
{
    const rc_schema_table_t *s = &rc_schema[t];
    rc_verify_fields(v, s, s->path, rows, 0, n);
    for (int64_t i = 0; i < n; i++)
        checks[t](v, s->path, i, (const char *)rows + (size_t)i * s->row_bytes);
}

/* Two rows with one key: an id would be one of two. */
static rc_status_t check_keys(rc_verify_t *v, const rc_dict_t *d, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_map_t seen = {0};
    for (size_t i = 0; i < d->count && st == RC_OK; i++) {
        rc_digest_t key;
        char what[64];
        if (!rc_dict_key(d, (const char *)d->rows + i * d->table->row_bytes, &key))
            break;
        int64_t before = rc_map_get(&seen, key, -1);
        if (before >= 0) {
            snprintf(what, sizeof what, "another key than row %" PRId64, before);
            rc_verify_say(v, d->table->path, (int64_t)i, what, "the same");
        }
        st = rc_map_set(&seen, key, (int64_t)i, err);
    }
    rc_map_free(&seen);
    return st;
}

static rc_status_t check_orders(rc_verify_t *v, rc_err_t *err)
{
    void *rows = NULL;
    int64_t n = 0;
    rc_status_t st = rc_h5_read(&v->h, &rc_schema[RC_T_ORDER], &rows, &n, err);
    if (st < 0)
        return rc_verify_unread(v, rc_schema[RC_T_ORDER].path, st, err);
    check_rows(v, RC_T_ORDER, rows, n);
    free(rows);
    return RC_OK;
}

/* ----------------------------------------------------------------------- features */

static rc_status_t check_set(rc_verify_t *v, const char *set, rc_err_t *err)
{
    char path[160];
    rc_row_feature_t *row = NULL;
    double *value = NULL;
    int64_t n = 0;
    int columns = 0;
    rc_status_t st = rc_h5_read_features(&v->h, set, &row, &value, &n, &columns, NULL, err);
    snprintf(path, sizeof path, "%s/%.100s", RC_FEATURES_PATH, set);
    if (st < 0)
        return rc_verify_unread(v, path, st, err);
    snprintf(path, sizeof path, "%s/%.100s/rows", RC_FEATURES_PATH, set);
    rc_verify_fields(v, &rc_schema_feature_rows, path, row, 0, n);
    snprintf(path, sizeof path, "%s/%.100s/values", RC_FEATURES_PATH, set);
    for (int64_t i = 0; i < n; i++)
        for (int k = 0; k < columns; k++)
            if (!isfinite(value[i * columns + k])) {
                rc_verify_say(
                    v, path, i, "finite values", "%g in column %d", value[i * columns + k], k);
                break;
            }
    free(row);
    free(value);
    return RC_OK;
}

static rc_status_t check_features(rc_verify_t *v, rc_err_t *err)
{
    rc_words_t sets = {0};
    rc_status_t st = rc_h5_feature_sets(&v->h, &sets, err);
    if (st < 0)
        return rc_verify_unread(v, RC_FEATURES_PATH, st, err);
    for (int i = 0; i < sets.count && st == RC_OK; i++)
        st = check_set(v, sets.word[i], err);
    rc_words_free(&sets);
    return st;
}

rc_status_t rc_verify_tables(rc_verify_t *v, rc_err_t *err)
{
    for (int i = 0; i < RC_DICTS; i++)
        RC_PASS(
            rc_verify_unread(v, rc_schema[i].path, rc_dict_read(&v->dicts.d[i], &v->h, err), err));
    for (int i = 0; i < RC_DICTS; i++) {
        check_rows(v, (rc_table_id_t)i, v->dicts.d[i].rows, (int64_t)v->dicts.d[i].count);
        RC_PASS(check_keys(v, &v->dicts.d[i], err));
    }
    RC_PASS(check_orders(v, err));
    return check_features(v, err);
}
