#include "config.h"
#include "table/export.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "store/samples.h"
#include "table/features_read.h"
#include "table/view_private.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EXPORT_COLUMNS = 128, EXPORT_TABLES = 64 };

typedef struct table {
    rc_export_table_t shown;
    char name[64];
    /* Whether row t->row is one to show, and what its fields need; may go on to the last of the
     * rows that make it up.  NULL: every row is */
    rc_status_t (*look)(rc_export_t *t, int *found, rc_err_t *err);
    const rc_schema_table_t *schema; /* of `rows` */
    const void *rows;
    int64_t count;
    rc_feature_table_t features;
    unsigned char *keep; /* [count]; NULL: all */
    rc_field_t *field;   /* [columns] each reads itself, of an rc_export_t */
    size_t columns;
    size_t capacity;
} table_t;

struct rc_export {
    rc_export_options_t options;
    rc_h5_t h;
    rc_view_t *view;
    void *orders;
    rc_samples_t samples;
    table_t table[EXPORT_TABLES];
    int tables;
    table_t *now;
    int64_t row; /* of the current table */
    rc_cursor_t cursor;
    rc_source_row_t source;
    const int64_t *sample; /* of the current result */
    int64_t sample_at;
    rc_str_t long_value;
    char (*text)[RC_LOCATION_MAX + 1]; /* [EXPORT_COLUMNS] fixed-length texts of the current row */
};

/* ------------------------------------------------------------------- values */

static rc_value_t text_value(const char *text)
{
    return (rc_value_t){RC_VALUE_TEXT, 0, NAN, text};
}

static rc_value_t int_value(int64_t i)
{
    return (rc_value_t){RC_VALUE_INT, i, NAN, ""};
}

static rc_value_t real_value(double x)
{
    return (rc_value_t){RC_VALUE_REAL, 0, x, ""};
}

/* Where field `f` of the schema is in the current row. */
static const char *member(const rc_export_t *t, const rc_schema_field_t *f)
{
    return (const char *)t->now->rows + (size_t)t->row * t->now->schema->row_bytes + f->offset;
}

/* Field `at` of the row, as the schema describes it. */
static void read_member(const rc_field_t *column, const void *export, rc_value_t *out)
{
    const rc_export_t *t = export;
    const rc_schema_field_t *f = &t->now->schema->field[column->at];
    const char *at = member(t, f);
    int32_t narrow = 0;
    int64_t wide = 0;
    double real = NAN;
    switch (f->type) {
    case RC_FT_INT32:
        memcpy(&narrow, at, sizeof narrow);
        *out = int_value(narrow);
        break;
    case RC_FT_INT64:
        memcpy(&wide, at, sizeof wide);
        *out = int_value(wide);
        break;
    case RC_FT_FLOAT64:
        memcpy(&real, at, sizeof real);
        *out = real_value(real);
        break;
    case RC_FT_TEXT:
        *out = text_value(rc_field_text(at, f->size, t->text[column - t->now->field]));
        break;
    case RC_FT_ENUM:
        memcpy(&narrow, at, sizeof narrow);
        *out = text_value(rc_view_name(f->names, narrow));
        break;
    }
}

/* Columns that stand in the place of a field that holds an id. */
static rc_field_read_fn read_reference;
static const struct {
    const char *field;
    rc_table_id_t table; /* that the id is of */
    int text;            /* RC_TEXT_...; -1: its version */
    rc_field_t shown;
} references[] = {
    {"matrix", RC_T_MATRIX, RC_TEXT_FULLNAME,
        {"fullname", RC_VALUE_TEXT, "", "Group/Name of the matrix", read_reference, 0, NULL}},
    {"matrix", RC_T_MATRIX, RC_TEXT_DIGEST,
        {"digest", RC_VALUE_TEXT, "", "identity of the matrix", read_reference, 0, NULL}},
    {"policy", RC_T_POLICY, RC_TEXT_POLICY,
        {"policy", RC_VALUE_TEXT, "", "row-order policy with its parameters", read_reference, 0,
            NULL}},
    {"policy", RC_T_POLICY, -1,
        {"policy_version", RC_VALUE_INT, "", "its version", read_reference, 0, NULL}},
    {"run", RC_T_RUN, RC_TEXT_RUN,
        {"run", RC_VALUE_TEXT, "", "identity of the run", read_reference, 0, NULL}},
    {"message", RC_T_MESSAGE, RC_TEXT_MESSAGE,
        {"message", RC_VALUE_TEXT, "", "why it is not ok", read_reference, 0, NULL}},
};
enum { REFERENCES = sizeof references / sizeof *references };

/* Missing where a damaged file leads outside of its dictionary. */
static void read_reference(const rc_field_t *column, const void *export, rc_value_t *out)
{
    const rc_export_t *t = export;
    int32_t id = -1;
    int r = 0;
    while (references[r].shown.name != column->name)
        r++;
    memcpy(&id, member(t, &t->now->schema->field[column->at]), sizeof id);
    if (id < 0 || (size_t)id >= t->view->dicts.d[references[r].table].count)
        *out = real_value(NAN);
    else if (references[r].text >= 0)
        *out = text_value(rc_view_text(t->view, (size_t)references[r].text, id));
    else
        *out = int_value(rc_view_policy_version(t->view, id));
}

/* Name and parameters of a row of /dict/kernel or of /dict/policy. */
static void read_spec(const rc_field_t *f, const void *export, rc_value_t *out)
{
    const rc_export_t *t = export;
    *out = text_value(rc_view_text(t->view, f->at, t->row));
}

/* All parts of a row of /provenance. */
static void read_long_value(const rc_field_t *f, const void *export, rc_value_t *out)
{
    const rc_export_t *t = export;
    (void)f;
    *out = text_value(t->long_value.text ? t->long_value.text : "");
}

static void read_feature(const rc_field_t *f, const void *export, rc_value_t *out)
{
    const rc_export_t *t = export;
    const rc_feature_table_t *x = &t->now->features;
    *out = real_value(x->value[t->row * x->names.count + (int64_t)f->at]);
}

static void read_result(const rc_field_t *f, const void *export, rc_value_t *out)
{
    rc_view_get(&((const rc_export_t *)export)->cursor, (int)f->at, out);
}

static void read_source(const rc_field_t *f, const void *export, rc_value_t *out)
{
    rc_source_get(&((const rc_export_t *)export)->source, (int)f->at, out);
}

static void read_sample(const rc_field_t *f, const void *export, rc_value_t *out)
{
    const rc_export_t *t = export;
    (void)f;
    *out = int_value(t->sample[t->sample_at]);
}

static void read_sample_index(const rc_field_t *f, const void *export, rc_value_t *out)
{
    (void)f;
    *out = int_value(((const rc_export_t *)export)->sample_at);
}

void rc_export_get(const void *export, int column, rc_value_t *out)
{
    const rc_field_t *f = &((const rc_export_t *)export)->now->field[column];
    f->read(f, export, out);
}

/* --------------------------------------------------------------------- rows */

/* Whether a result is wanted; sets the cursor. */
static rc_status_t look_at_result(rc_export_t *t, int *found, rc_err_t *err)
{
    (void)err;
    *found = t->options.all || rc_view_is_newest(t->view, t->row);
    if (*found) {
        rc_view_seek(t->view, t->row, &t->cursor);
        *found = rc_expr_match(t->options.where, rc_view_get, &t->cursor);
    }
    return RC_OK;
}

static rc_status_t look_at_samples(rc_export_t *t, int *found, rc_err_t *err)
{
    const rc_row_result_t *r = rc_view_result(t->view, t->row);
    (void)look_at_result(t, found, err);
    *found = *found && rc_samples_has(r);
    if (!*found)
        return RC_OK;
    if (!rc_samples_inside(&t->samples, r))
        return rc_fail(err, RC_ESTORE,
            "%s: the raw times of row %" PRId64 " of /results are outside of /samples", t->h.path,
            t->row);
    t->sample_at = 0;
    return rc_samples_of(&t->samples, r, &t->sample, err);
}

static rc_status_t look_at_source(rc_export_t *t, int *found, rc_err_t *err)
{
    (void)found;
    (void)err;
    rc_view_source(t->view, t->row, &t->source);
    return RC_OK;
}

static int same_key(const rc_row_provenance_t *a, const rc_row_provenance_t *b)
{
    return a->run == b->run && a->rank == b->rank && memcmp(a->key, b->key, sizeof a->key) == 0;
}

/* A long value goes on in rows with part 1, 2, ..., which follow the first. */
static rc_status_t join_parts(rc_export_t *t, int *found, rc_err_t *err)
{
    const rc_row_provenance_t *row = t->now->rows;
    const rc_row_provenance_t *first = &row[t->row];
    (void)found;
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

void rc_export_begin(rc_export_t *t, int table)
{
    t->now = &t->table[table];
    t->row = -1;
    t->sample = NULL;
}

rc_status_t rc_export_next(rc_export_t *t, int *more, rc_err_t *err)
{
    *more = 1;
    if (t->sample && ++t->sample_at < rc_view_result(t->view, t->row)->reps)
        return RC_OK;
    t->sample = NULL;
    while (++t->row < t->now->count) {
        int found = !t->now->keep || t->now->keep[t->row];
        rc_status_t st = t->now->look ? t->now->look(t, &found, err) : RC_OK;
        if (st < 0 || found)
            return st;
    }
    t->row = t->now->count - 1;
    *more = 0;
    return rc_h5_unchanged(&t->h, err);
}

double rc_export_done(const rc_export_t *t)
{
    return t->now->count > 0 ? (double)(t->row + 1) / (double)t->now->count : 1;
}

/* ------------------------------------------------------------------ columns */

static rc_status_t add(table_t *b, const rc_field_t *shown, size_t at, rc_err_t *err)
{
    if (b->columns == EXPORT_COLUMNS)
        return rc_fail(
            err, RC_ESTORE, "table %s has more than %d columns", b->name, EXPORT_COLUMNS);
    RC_PASS(RC_GROW(b->field, b->capacity, b->columns + 1, "columns", err));
    b->field[b->columns] = *shown;
    b->field[b->columns++].at = at;
    return RC_OK;
}

static rc_value_kind_t kind_of(rc_field_type_t t)
{
    return t == RC_FT_FLOAT64                   ? RC_VALUE_REAL
           : t == RC_FT_TEXT || t == RC_FT_ENUM ? RC_VALUE_TEXT
                                                : RC_VALUE_INT;
}

/* What other tables call a column. */
static const char *shared_name(const char *table, const char *field)
{
    static const char *const same[][3] = {{"matrices", "name", "fullname"},
        {"policies", "version", "policy_version"}, {"kernels", "version", "kernel_version"},
        {"devices", "class_name", "device"}, {"runs", "uuid", "run"}};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        if (strcmp(same[i][0], table) == 0 && strcmp(same[i][1], field) == 0)
            return same[i][2];
    return field;
}

static int is_internal(const table_t *b, const char *field)
{
    return strcmp(field, "id") == 0 || strcmp(field, "reserved") == 0 ||
           (strcmp(b->name, "provenance") == 0 && strcmp(field, "part") == 0);
}

static rc_status_t add_schema(table_t *b, rc_err_t *err)
{
    static const rc_field_t kernel = {
        "kernel", RC_VALUE_TEXT, "", "kernel with its parameters", read_spec, 0, NULL};
    static const rc_field_t policy = {
        "policy", RC_VALUE_TEXT, "", "row-order policy with its parameters", read_spec, 0, NULL};
    if (strcmp(b->name, "kernels") == 0)
        RC_PASS(add(b, &kernel, RC_TEXT_KERNEL, err));
    if (strcmp(b->name, "policies") == 0)
        RC_PASS(add(b, &policy, RC_TEXT_POLICY, err));
    for (int i = 0; i < b->schema->fields; i++) {
        const rc_schema_field_t *f = &b->schema->field[i];
        const int is_long = strcmp(b->name, "provenance") == 0 && strcmp(f->name, "value") == 0;
        const size_t before = b->columns;
        if (is_internal(b, f->name))
            continue;
        for (int r = 0; r < REFERENCES && f->type == RC_FT_INT32; r++)
            if (strcmp(references[r].field, f->name) == 0)
                RC_PASS(add(b, &references[r].shown, (size_t)i, err));
        if (b->columns > before)
            continue;
        const rc_field_t shown = {shared_name(b->name, f->name), kind_of(f->type), f->unit,
            is_long ? "its value" : f->help, is_long ? read_long_value : read_member, 0, NULL};
        RC_PASS(add(b, &shown, (size_t)i, err));
    }
    return RC_OK;
}

/* Field `at` of fields that read another row. */
static rc_status_t add_field(
    table_t *b, const rc_fields_t *fields, int at, rc_field_read_fn *read, rc_err_t *err)
{
    rc_field_t shown = fields->field[at];
    shown.read = read;
    return add(b, &shown, (size_t)at, err);
}

/* ------------------------------------------------------------------- tables */

static table_t *start(rc_export_t *t, const char *name, int64_t count)
{
    table_t *b = &t->table[t->tables++];
    (void)snprintf(b->name, sizeof b->name, "%s", name);
    b->shown.name = b->name;
    b->count = count;
    return b;
}

static rc_status_t make_rows(rc_export_t *t, const char *name, const rc_dict_t *of, rc_err_t *err)
{
    table_t *b = start(t, name, (int64_t)of->count);
    b->schema = of->table;
    b->rows = of->rows;
    b->look = of->table == &rc_schema[RC_T_PROVENANCE] ? join_parts : NULL;
    return add_schema(b, err);
}

/* Only the last row of a matrix and geometry. */
static rc_status_t keep_last(table_t *b, rc_err_t *err)
{
    rc_map_t seen = {0};
    rc_status_t st = RC_OK;
    RC_PASS(RC_NEW0(b->keep, b->count, "marks", err));
    for (int64_t i = b->count - 1; st == RC_OK && i >= 0; i--) {
        const rc_row_feature_t *r = &b->features.row[i];
        const int32_t key[] = {r->matrix, r->nw, r->nt, r->line};
        rc_digest_t digest = rc_digest(key, sizeof key);
        b->keep[i] = rc_map_get(&seen, digest, -1) < 0;
        st = rc_map_set(&seen, digest, i, err);
    }
    rc_map_free(&seen);
    return st;
}

static rc_status_t make_features(rc_export_t *t, const char *store, const char *set, rc_err_t *err)
{
    char name[64];
    if (t->tables >= EXPORT_TABLES - 1)
        return rc_fail(err, RC_ESTORE, "%s: more than %d feature sets", store, t->tables);
    (void)snprintf(name, sizeof name, "features_%s", set);
    table_t *b = start(t, name, 0);
    RC_PASS(rc_feature_table_read(store, set, &b->features, err));
    b->schema = &rc_schema_feature_rows;
    b->rows = b->features.row;
    b->count = b->features.rows;
    RC_PASS(add_schema(b, err));
    for (int i = 0; i < b->features.names.count; i++) {
        const rc_field_t shown = {
            b->features.names.word[i], RC_VALUE_REAL, "", "feature", read_feature, 0, NULL};
        RC_PASS(add(b, &shown, (size_t)i, err));
    }
    return t->options.all ? RC_OK : keep_last(b, err);
}

static rc_status_t make_all_features(rc_export_t *t, const char *store, rc_err_t *err)
{
    rc_words_t sets = {0};
    rc_status_t st = rc_feature_tables(store, &sets, err);
    for (int i = 0; st == RC_OK && i < sets.count; i++)
        st = make_features(t, store, sets.word[i], err);
    rc_words_free(&sets);
    return st;
}

static rc_status_t make_samples(rc_export_t *t, rc_err_t *err)
{
    static const rc_field_t index = {"sample", RC_VALUE_INT, "",
        "number of the batch in its result, from 0", read_sample_index, 0, NULL};
    static const rc_field_t time = {
        "ns", RC_VALUE_INT, "ns", "time of the batch", read_sample, 0, NULL};
    static const char *const of_result[] = {"case", "run", "rank", "seq", "batch"};
    table_t *b = start(t, "samples", t->view->results);
    b->look = look_at_samples;
    for (size_t i = 0; i < sizeof of_result / sizeof *of_result; i++)
        for (int f = 0; f < rc_view_fields.count; f++)
            if (strcmp(rc_view_fields.field[f].name, of_result[i]) == 0)
                RC_PASS(add_field(b, &rc_view_fields, f, read_result, err));
    RC_PASS(add(b, &index, 0, err));
    return add(b, &time, 0, err);
}

static rc_status_t make_tables(rc_export_t *t, const char *store, rc_err_t *err)
{
    const rc_dict_t *dict = t->view->dicts.d;
    rc_dict_t of_orders = {.table = &rc_schema[RC_T_ORDER]};
    int64_t orders = 0;
    table_t *b = start(t, "results", t->view->results);
    b->look = look_at_result;
    for (int i = 0; i < rc_view_fields.count; i++)
        RC_PASS(add_field(b, &rc_view_fields, i, read_result, err));
    RC_PASS(make_rows(t, "matrices", &dict[RC_T_MATRIX], err));
    b = start(t, "sources", rc_view_sources(t->view));
    b->look = look_at_source;
    for (int i = 0; i < rc_source_fields.count; i++)
        RC_PASS(add_field(b, &rc_source_fields, i, read_source, err));
    RC_PASS(make_rows(t, "policies", &dict[RC_T_POLICY], err));
    RC_PASS(make_rows(t, "kernels", &dict[RC_T_KERNEL], err));
    RC_PASS(make_rows(t, "devices", &dict[RC_T_DEVICE], err));
    RC_PASS(make_rows(t, "runs", &dict[RC_T_RUN], err));
    RC_PASS(make_rows(t, "provenance", &dict[RC_T_PROVENANCE], err));
    RC_PASS(rc_h5_read(&t->h, &rc_schema[RC_T_ORDER], &t->orders, &orders, err));
    of_orders.rows = t->orders;
    of_orders.count = (size_t)orders;
    RC_PASS(make_rows(t, "orders", &of_orders, err));
    RC_PASS(make_all_features(t, store, err));
    return t->options.samples ? make_samples(t, err) : RC_OK;
}

rc_status_t rc_export_open(
    const char *store, const rc_export_options_t *options, rc_export_t **out, rc_err_t *err)
{
    rc_status_t st;
    rc_export_t *t = rc_alloc0(1, sizeof *t, "tables", err);
    RC_PASS(t ? RC_OK : RC_ENOMEM);
    t->h.file = -1;
    t->options = *options;
    RC_TRY(RC_NEW(t->text, EXPORT_COLUMNS, "texts", err));
    RC_TRY(rc_h5_open(store, 0, &t->h, err));
    RC_TRY(rc_view_load(&t->h, &t->view, err));
    RC_TRY(rc_view_check(t->view, options->where, err));
    t->samples.h = &t->h;
    RC_TRY(rc_h5_rows(&t->h, &rc_schema_samples, &t->samples.total, err));
    RC_TRY(make_tables(t, store, err));
    for (int i = 0; i < t->tables; i++) {
        t->table[i].shown.columns = (int)t->table[i].columns;
        t->table[i].shown.column = t->table[i].field;
    }
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
        rc_feature_table_free(&t->table[i].features);
        free(t->table[i].keep);
        free(t->table[i].field);
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
