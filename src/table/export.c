#include "config.h"
#include "table/export.h"
#include "base/alloc.h"
#include "base/error.h"
#include "table/export_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

rc_status_t rc_export_open(
    const char *store, const rc_export_options_t *options, rc_export_t **out, rc_err_t *err)
{
    rc_status_t st;
    rc_export_t *t = rc_alloc0(1, sizeof *t, "tables", err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    t->h.file = -1;
    t->options = *options;
    t->text = rc_alloc(EXPORT_COLUMNS, sizeof *t->text, "texts", err);
    RC_TRY(t->text ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_h5_open(store, 0, &t->h, err));
    RC_TRY(rc_view_load(&t->h, &t->view, err));
    RC_TRY(rc_view_check(t->view, options->where, err));
    t->samples.h = &t->h;
    RC_TRY(rc_h5_rows(&t->h, &rc_schema_samples, &t->samples.total, err));
    RC_TRY(rc_export_make(t, store, err));
    rc_export_begin(t, 0);
    *out = t;
    t = NULL;
done:
    rc_export_free(t);
    return st;
}

void rc_export_free(rc_export_t *t)
{
    if (!t)
        return;
    for (int i = 0; i < t->tables; i++) {
        table_t *b = &t->table[i];
        rc_feature_table_free(&b->features);
        free(b->keep);
        free(b->column);
        free(b->field);
    }
    rc_samples_free(&t->samples);
    rc_str_free(&t->long_value);
    rc_view_free(t->view);
    free(t->orders);
    free(t->text);
    (void)rc_h5_close(&t->h, NULL);
    free(t);
}

int rc_export_tables(const rc_export_t *t)
{
    return t->tables;
}

const rc_export_table_t *rc_export_table(const rc_export_t *t, int table)
{
    return &t->table[table].shown;
}

/* --------------------------------------------------------------------- rows */

void rc_export_begin(rc_export_t *t, int table)
{
    t->now = &t->table[table];
    t->row = -1;
    t->sample = NULL;
}

double rc_export_done(const rc_export_t *t)
{
    return t->now->count > 0 ? (double)(t->row + 1) / (double)t->now->count : 1;
}

/* Whether a result is wanted; sets the cursor. */
static int takes(rc_export_t *t, int64_t i)
{
    if (!t->options.all && !rc_view_is_newest(t->view, i))
        return 0;
    rc_view_seek(t->view, i, &t->cursor);
    return rc_expr_match(t->options.where, rc_view_get, &t->cursor);
}

static rc_status_t seek_samples(rc_export_t *t, int *found, rc_err_t *err)
{
    const rc_row_result_t *r = rc_view_result(t->view, t->row);
    *found = takes(t, t->row) && rc_samples_has(r);
    if (!*found)
        return RC_OK;
    if (!rc_samples_inside(&t->samples, r))
        return rc_fail(err, RC_ESTORE,
            "%s: the raw times of row %" PRId64 " of /results are outside of /samples", t->h.path,
            t->row);
    t->sample_at = 0;
    return rc_samples_of(&t->samples, r, &t->sample, err);
}

static int same_key(const rc_row_provenance_t *a, const rc_row_provenance_t *b)
{
    return a->run == b->run && a->rank == b->rank && memcmp(a->key, b->key, sizeof a->key) == 0;
}

/* A long value goes on in rows with part 1, 2, ..., which follow the first. */
static rc_status_t join_parts(rc_export_t *t, rc_err_t *err)
{
    const rc_row_provenance_t *row = t->now->rows;
    const rc_row_provenance_t *first = &row[t->row];
    rc_str_free(&t->long_value);
    for (int64_t i = t->row;; i++) {
        rc_str_addn(&t->long_value, row[i].value, strnlen(row[i].value, sizeof row[i].value));
        t->row = i;
        if (i + 1 == t->now->count || row[i + 1].part != row[i].part + 1 ||
            !same_key(first, &row[i + 1]))
            break;
    }
    return t->long_value.failed ? rc_fail(err, RC_ENOMEM, "no memory for a value") : RC_OK;
}

/* Whether row t->row is one to show; may go on to the last of the rows that make it up. */
static rc_status_t look(rc_export_t *t, int *found, rc_err_t *err)
{
    *found = 1;
    switch (t->now->kind) {
    case TABLE_RESULTS:
        *found = takes(t, t->row);
        return RC_OK;
    case TABLE_SAMPLES:
        return seek_samples(t, found, err);
    case TABLE_SOURCES:
        rc_view_source(t->view, t->row, &t->source);
        return RC_OK;
    case TABLE_FEATURES:
        *found = !t->now->keep || t->now->keep[t->row];
        return RC_OK;
    case TABLE_ROWS:
        break;
    }
    return t->now->schema == &rc_schema[RC_T_PROVENANCE] ? join_parts(t, err) : RC_OK;
}

rc_status_t rc_export_next(rc_export_t *t, int *more, rc_err_t *err)
{
    *more = 1;
    if (t->sample && ++t->sample_at < rc_view_result(t->view, t->row)->reps)
        return RC_OK;
    t->sample = NULL;
    while (++t->row < t->now->count) {
        int found = 0;
        rc_status_t st = look(t, &found, err);
        if (st < 0 || found)
            return st;
    }
    t->row = t->now->count - 1;
    *more = 0;
    return rc_h5_unchanged(&t->h, err);
}

/* ------------------------------------------------------------------- values */

static rc_value_t text_value(const char *text)
{
    return (rc_value_t){RC_VALUE_TEXT, 0, NAN, text};
}

static rc_value_t int_value(int64_t i)
{
    return (rc_value_t){RC_VALUE_INT, i, NAN, ""};
}

static rc_value_t field_value(const rc_export_t *t, const rc_schema_field_t *f, char *buf)
{
    const char *at = rc_export_row(t->now, t->row) + f->offset;
    int32_t narrow = 0;
    int64_t wide = 0;
    double real = NAN;
    switch (f->type) {
    case RC_FT_INT32:
        memcpy(&narrow, at, sizeof narrow);
        return int_value(narrow);
    case RC_FT_INT64:
        memcpy(&wide, at, sizeof wide);
        return int_value(wide);
    case RC_FT_FLOAT64:
        memcpy(&real, at, sizeof real);
        return (rc_value_t){RC_VALUE_REAL, 0, real, ""};
    case RC_FT_TEXT:
        return text_value(rc_field_text(at, f->size, buf));
    case RC_FT_ENUM:
        memcpy(&narrow, at, sizeof narrow);
        return text_value(rc_view_name(f->names, narrow));
    }
    return text_value("");
}

/* What an id refers to; missing where a damaged file leads outside of its dictionary. */
static rc_value_t referred(const rc_export_t *t, const column_t *c)
{
    static const rc_table_id_t table[] = {[COL_FULLNAME] = RC_T_MATRIX,
        [COL_DIGEST] = RC_T_MATRIX,
        [COL_POLICY] = RC_T_POLICY,
        [COL_POLICY_VERSION] = RC_T_POLICY,
        [COL_RUN] = RC_T_RUN,
        [COL_MESSAGE] = RC_T_MESSAGE};
    const rc_view_t *v = t->view;
    int32_t id = -1;
    memcpy(&id, rc_export_row(t->now, t->row) + c->id, sizeof id);
    if (id < 0 || (size_t)id >= v->dicts.d[table[c->kind]].count)
        return (rc_value_t){RC_VALUE_REAL, 0, NAN, ""};
    switch (c->kind) {
    case COL_FULLNAME:
        return text_value(rc_text_at(&v->matrix_name, id));
    case COL_DIGEST:
        return text_value(rc_text_at(&v->matrix_digest, id));
    case COL_POLICY:
        return text_value(rc_view_policy(v, id));
    case COL_POLICY_VERSION:
        return int_value(rc_view_policy_version(v, id));
    case COL_RUN:
        return text_value(rc_text_at(&v->run, id));
    default:
        return text_value(rc_view_message(v, id));
    }
}

void rc_export_get(const void *export, int column, rc_value_t *out)
{
    const rc_export_t *t = export;
    const table_t *b = t->now;
    const column_t *c = &b->column[column];
    switch (c->kind) {
    case COL_FIELD:
        *out = field_value(t, &b->schema->field[c->at], t->text[column]);
        break;
    case COL_KERNEL:
        *out = text_value(rc_view_kernel(t->view, (int32_t)t->row));
        break;
    case COL_POLICY_SPEC:
        *out = text_value(rc_view_policy(t->view, (int32_t)t->row));
        break;
    case COL_LONG_VALUE:
        *out = text_value(t->long_value.text ? t->long_value.text : "");
        break;
    case COL_FEATURE:
        *out = (rc_value_t){
            RC_VALUE_REAL, 0, b->features.value[t->row * b->features.names.count + c->at], ""};
        break;
    case COL_RESULT:
        rc_view_get(&t->cursor, c->at, out);
        break;
    case COL_SOURCE:
        rc_source_get(&t->source, c->at, out);
        break;
    case COL_SAMPLE:
        *out = int_value(t->sample[t->sample_at]);
        break;
    case COL_SAMPLE_INDEX:
        *out = int_value(t->sample_at);
        break;
    default:
        *out = referred(t, c);
    }
}
