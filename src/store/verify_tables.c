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

static void check_id(const rc_verify_at_t *at, const rc_schema_field_t *f, int32_t id)
{
    if (f->dict == RC_T_COUNT)
        return;
    int64_t count = (int64_t)at->v->dicts.d[f->dict].count;
    rc_verify_expect(at, (id >= 0 && id < count) || (id == -1 && f->may_be_none),
        "%s from %d to %" PRId64 ", as %s has|%d", f->name, f->may_be_none ? -1 : 0, count - 1,
        rc_schema[f->dict].path, (int)id);
}

/* Texts end where their first NUL is. */
static void check_padding(const rc_verify_at_t *at, const rc_schema_field_t *f, const char *text)
{
    const char *end = text + f->size;
    const char *p = memchr(text, '\0', f->size);
    while (p && p < end && !*p)
        p++;
    if (p && p < end)
        rc_verify_expect(at, 0, "NULs behind the text of %s|0x%02x", f->name, (unsigned char)*p);
}

static void check_enum(const rc_verify_at_t *at, const rc_schema_field_t *f, int32_t value)
{
    int32_t n = 0;
    while (f->names[n])
        n++;
    rc_verify_expect(
        at, value >= 0 && value < n, "%s from 0 to %d|%d", f->name, (int)n - 1, (int)value);
}

static void check_number(const rc_verify_at_t *at, const rc_schema_field_t *f, int32_t value)
{
    int is_id = strcmp(f->name, "id") == 0;
    int is_reserved = strcmp(f->name, "reserved") == 0;
    int64_t expected = is_id ? at->row : 0;
    check_id(at, f, value);
    rc_verify_expect(at, (!is_id && !is_reserved) || value == expected, "%s %" PRId64 "|%d",
        f->name, expected, (int)value);
}

void rc_verify_fields(
    rc_verify_t *v, const rc_schema_table_t *t, const char *path, const void *rows, int64_t n)
{
    for (int k = 0; k < t->fields; k++) {
        const rc_schema_field_t *f = &t->field[k];
        const char *from = (const char *)rows + f->offset;
        for (rc_verify_at_t at = {v, path, 0}; at.row < n; at.row++, from += t->row_bytes) {
            int32_t value = 0;
            if (f->type == RC_FT_INT32 || f->type == RC_FT_ENUM)
                memcpy(&value, from, sizeof value);
            if (f->type == RC_FT_TEXT)
                check_padding(&at, f, from);
            else if (f->type == RC_FT_ENUM)
                check_enum(&at, f, value);
            else if (f->type == RC_FT_INT32)
                check_number(&at, f, value);
        }
    }
}

static int is_digest(const char *field, size_t n)
{
    rc_digest_t d;
    char text[RC_DIGEST_HEX + 1];
    return n == RC_DIGEST_HEX && rc_digest_parse(rc_field_text(field, n, text), &d) == RC_OK;
}

static void check_matrix(const rc_verify_at_t *at, const rc_row_matrix_t *r)
{
    rc_verify_expect(at, is_digest(r->digest, sizeof r->digest),
        "digest of 32 hexadecimal digits|'%.32s'", r->digest);
    int unknown = r->rows == -1 && r->cols == -1 && r->nnz == -1;
    int fits = r->rows >= 0 && r->cols >= 0 && r->nnz >= 0 &&
               (double)r->nnz <= (double)r->rows * (double)r->cols;
    rc_verify_expect(at, unknown || fits,
        "rows, cols, and nnz that fit in them|%" PRId64 " x %" PRId64 " with %" PRId64, r->rows,
        r->cols, r->nnz);
}

/* What is asked of a row of a table beside its fields. */
static void check_row(const rc_verify_at_t *at, rc_table_id_t t, const void *row)
{
    const rc_row_run_t *run = row;
    const rc_row_source_t *source = row;
    const rc_row_provenance_t *kv = row;
    const rc_row_journal_t *journal = row;
    const rc_row_inflight_t *lost = row;
    const rc_row_order_t *order = row;
    if (t != RC_T_MATRIX && t != RC_T_INFLIGHT && t != RC_T_ORDER) /* begins with its name */
        rc_verify_expect(at, *(const char *)row != '\0', "a name|none");
    switch (t) {
    case RC_T_MATRIX:
        check_matrix(at, row);
        break;
    case RC_T_RUN:
        rc_verify_expect(at, run->ranks >= 0, "ranks >= 0|%d", (int)run->ranks);
        rc_verify_expect(at, run->started_ns >= 0 && run->ended_ns >= 0,
            "times since 1970|%" PRId64 " and %" PRId64, run->started_ns, run->ended_ns);
        break;
    case RC_T_SOURCE:
        rc_verify_expect(at, source->status != RC_CASE_PENDING, "a final status|pending");
        rc_verify_expect(at, source->status != RC_CASE_OK || source->matrix >= 0,
            "a matrix, as the status is ok|%d", (int)source->matrix);
        break;
    case RC_T_PROVENANCE:
        rc_verify_expect(at, kv->rank >= -1 && kv->part >= 0, "rank >= -1 and part >= 0|%d and %d",
            (int)kv->rank, (int)kv->part);
        break;
    case RC_T_JOURNAL:
        rc_verify_expect(at, journal->bytes >= 0, "bytes >= 0|%" PRId64, journal->bytes);
        break;
    case RC_T_INFLIGHT:
        rc_verify_expect(at, is_digest(lost->case_id, sizeof lost->case_id),
            "case_id of 32 hexadecimal digits|'%.32s'", lost->case_id);
        rc_verify_expect(at, lost->rank >= 0, "rank >= 0|%d", (int)lost->rank);
        break;
    case RC_T_ORDER:
        rc_verify_expect(at,
            order->order_ns >= 0 && order->pads >= 0 && order->slots >= order->pads,
            "order_ns >= 0 and 0 <= pads <= slots|%" PRId64 ", %" PRId64 ", %" PRId64,
            order->order_ns, order->pads, order->slots);
        break;
    default:
        break;
    }
}

static void check_rows(rc_verify_t *v, rc_table_id_t t, const void *rows, int64_t n)
{
    const rc_schema_table_t *s = &rc_schema[t];
    rc_verify_fields(v, s, s->path, rows, n);
    for (rc_verify_at_t at = {v, s->path, 0}; at.row < n; at.row++)
        check_row(&at, t, (const char *)rows + (size_t)at.row * s->row_bytes);
}

/* Two rows with one key: an id would be one of two. */
static rc_status_t check_keys(rc_verify_t *v, const rc_dict_t *d, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_map_t seen = {0};
    for (size_t i = 0; i < d->count && st == RC_OK; i++) {
        rc_digest_t key;
        const rc_verify_at_t at = {v, d->table->path, (int64_t)i};
        if (!rc_dict_key(d, (const char *)d->rows + i * d->table->row_bytes, &key))
            break;
        int64_t before = rc_map_get(&seen, key, -1);
        rc_verify_expect(&at, before < 0, "another key than row %" PRId64 "|the same", before);
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
    rc_verify_fields(v, &rc_schema_feature_rows, path, row, n);
    snprintf(path, sizeof path, "%s/%.100s/values", RC_FEATURES_PATH, set);
    for (rc_verify_at_t at = {v, path, 0}; at.row < n; at.row++)
        for (int k = 0; k < columns; k++) {
            double x = value[at.row * columns + k];
            rc_verify_expect(&at, isfinite(x), "finite values|%g in column %d", x, k);
            if (!isfinite(x))
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
