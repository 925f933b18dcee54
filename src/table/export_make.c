#include "config.h"
#include "table/export_private.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdio.h>
#include <string.h>

static rc_status_t add(table_t *b, column_t c, const rc_field_t *shown, rc_err_t *err)
{
    size_t n = b->columns;
    if (n == EXPORT_COLUMNS)
        return rc_fail(
            err, RC_ESTORE, "table %s has more than %d columns", b->name, EXPORT_COLUMNS);
    RC_PASS(RC_GROW(b->column, b->capacity[0], n + 1, "columns", err));
    RC_PASS(RC_GROW(b->field, b->capacity[1], n + 1, "columns", err));
    b->column[n] = c;
    b->field[n] = *shown;
    b->columns++;
    return RC_OK;
}

#define TEXT(text, about)                                                                          \
    {                                                                                              \
        .name = (text), .kind = RC_VALUE_TEXT, .unit = "", .help = (about)                         \
    }
#define INT(text, of, about)                                                                       \
    {                                                                                              \
        .name = (text), .kind = RC_VALUE_INT, .unit = (of), .help = (about)                        \
    }

static rc_value_kind_t kind_of(rc_field_type_t t)
{
    return t == RC_FT_FLOAT64                   ? RC_VALUE_REAL
           : t == RC_FT_TEXT || t == RC_FT_ENUM ? RC_VALUE_TEXT
                                                : RC_VALUE_INT;
}

/* A field that holds an id becomes the names of what it refers to. */
static rc_status_t add_reference(table_t *b, const rc_schema_field_t *f, int *added, rc_err_t *err)
{
    static const struct {
        const char *field;
        column_kind_t kind;
        rc_field_t shown;
    } r[] = {
        {"matrix", COL_FULLNAME, TEXT("fullname", "Group/Name of the matrix")},
        {"matrix", COL_DIGEST, TEXT("digest", "identity of the matrix")},
        {"policy", COL_POLICY, TEXT("policy", "row-order policy with its parameters")},
        {"policy", COL_POLICY_VERSION, INT("policy_version", "", "its version")},
        {"run", COL_RUN, TEXT("run", "identity of the run")},
        {"message", COL_MESSAGE, TEXT("message", "why it is not ok")},
    };
    *added = 0;
    for (size_t i = 0; i < sizeof r / sizeof *r && f->type == RC_FT_INT32; i++) {
        if (strcmp(r[i].field, f->name) != 0)
            continue;
        RC_PASS(add(b, (column_t){r[i].kind, 0, f->offset}, &r[i].shown, err));
        *added = 1;
    }
    return RC_OK;
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
    static const rc_field_t kernel = TEXT("kernel", "kernel with its parameters");
    static const rc_field_t policy = TEXT("policy", "row-order policy with its parameters");
    rc_status_t st = RC_OK;
    if (strcmp(b->name, "kernels") == 0)
        st = add(b, (column_t){COL_KERNEL, 0, 0}, &kernel, err);
    if (strcmp(b->name, "policies") == 0)
        st = add(b, (column_t){COL_POLICY_SPEC, 0, 0}, &policy, err);
    for (int i = 0; st == RC_OK && i < b->schema->fields; i++) {
        const rc_schema_field_t *f = &b->schema->field[i];
        int added = 0;
        if (is_internal(b, f->name))
            continue;
        st = add_reference(b, f, &added, err);
        if (st < 0 || added)
            continue;
        int is_long = strcmp(b->name, "provenance") == 0 && strcmp(f->name, "value") == 0;
        column_t c = {is_long ? COL_LONG_VALUE : COL_FIELD, i, 0};
        const rc_field_t shown = {.name = shared_name(b->name, f->name),
            .kind = kind_of(f->type),
            .unit = f->unit,
            .help = is_long ? "its value" : f->help};
        st = add(b, c, &shown, err);
    }
    return st;
}

static table_t *start(rc_export_t *t, table_kind_t kind, const char *name, const char *help)
{
    table_t *b = &t->table[t->tables++];
    b->kind = kind;
    (void)snprintf(b->name, sizeof b->name, "%s", name);
    b->shown.name = b->name;
    b->shown.help = help;
    return b;
}

static void finish(table_t *b)
{
    b->shown.columns = (int)b->columns;
    b->shown.column = b->field;
}

static rc_status_t add_fields(
    table_t *b, column_kind_t kind, const rc_fields_t *fields, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int i = 0; st == RC_OK && i < fields->count; i++)
        st = add(b, (column_t){kind, i, 0}, &fields->field[i], err);
    finish(b);
    return st;
}

static rc_status_t make_rows(rc_export_t *t, const char *name, const char *help, rc_table_id_t id,
    const void *rows, int64_t count, rc_err_t *err)
{
    table_t *b = start(t, TABLE_ROWS, name, help);
    b->schema = &rc_schema[id];
    b->rows = rows;
    b->count = count;
    rc_status_t st = add_schema(b, err);
    finish(b);
    return st;
}

static rc_status_t make_dict(
    rc_export_t *t, const char *name, const char *help, rc_table_id_t id, rc_err_t *err)
{
    const rc_dict_t *d = &t->view->dicts.d[id];
    return make_rows(t, name, help, id, d->rows, (int64_t)d->count, err);
}

/* ----------------------------------------------------------------- features */

/* Only the last row of a matrix and geometry. */
static rc_status_t keep_last(table_t *b, rc_err_t *err)
{
    rc_map_t seen = {0};
    rc_status_t st = RC_OK;
    b->keep = rc_alloc0((size_t)b->count, 1, "marks", err);
    RC_PASS(b->keep ? RC_OK : RC_ENOMEM);
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
    table_t *b = start(t, TABLE_FEATURES, name, "the features of a matrix under a geometry");
    rc_status_t st = rc_feature_table_read(store, set, &b->features, err);
    b->schema = &rc_schema_feature_rows;
    b->rows = b->features.row;
    b->count = b->features.rows;
    if (st == RC_OK)
        st = add_schema(b, err);
    for (int i = 0; st == RC_OK && i < b->features.names.count; i++) {
        const rc_field_t shown = {.name = b->features.names.word[i],
            .kind = RC_VALUE_REAL,
            .unit = "",
            .help = "feature"};
        st = add(b, (column_t){COL_FEATURE, i, 0}, &shown, err);
    }
    finish(b);
    return st == RC_OK && !t->options.all ? keep_last(b, err) : st;
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

/* ------------------------------------------------------------------ samples */

static rc_status_t make_samples(rc_export_t *t, rc_err_t *err)
{
    static const rc_field_t index = INT("sample", "", "number of the batch in its result, from 0");
    static const rc_field_t time = INT("ns", "ns", "time of the batch");
    static const char *const of_result[] = {"case", "run", "rank", "seq", "batch"};
    table_t *b = start(t, TABLE_SAMPLES, "samples",
        "a raw time of a result; (run, rank, seq) tells which, the time of a product is ns / "
        "batch");
    b->count = t->view->results;
    rc_status_t st = RC_OK;
    for (size_t i = 0; i < sizeof of_result / sizeof *of_result; i++)
        for (int f = 0; st == RC_OK && f < rc_view_fields.count; f++)
            if (strcmp(rc_view_fields.field[f].name, of_result[i]) == 0)
                st = add(b, (column_t){COL_RESULT, f, 0}, &rc_view_fields.field[f], err);
    if (st == RC_OK)
        st = add(b, (column_t){COL_SAMPLE_INDEX, 0, 0}, &index, err);
    if (st == RC_OK)
        st = add(b, (column_t){COL_SAMPLE, 0, 0}, &time, err);
    finish(b);
    return st;
}

rc_status_t rc_export_make(rc_export_t *t, const char *store, rc_err_t *err)
{
    int64_t orders = 0;
    table_t *b = start(t, TABLE_RESULTS, "results", "a measured case");
    b->count = t->view->results;
    RC_PASS(add_fields(b, COL_RESULT, &rc_view_fields, err));
    RC_PASS(make_dict(t, "matrices", "a matrix", RC_T_MATRIX, err));
    b = start(t, TABLE_SOURCES, "sources", "what became of a catalogue row");
    b->count = rc_view_sources(t->view);
    RC_PASS(add_fields(b, COL_SOURCE, &rc_source_fields, err));
    RC_PASS(make_dict(t, "policies", "a version of a row-order policy", RC_T_POLICY, err));
    RC_PASS(make_dict(t, "kernels", "a version of a kernel with its parameters", RC_T_KERNEL, err));
    RC_PASS(make_dict(t, "devices", "a device class", RC_T_DEVICE, err));
    RC_PASS(make_dict(t, "runs", "a run", RC_T_RUN, err));
    RC_PASS(make_dict(
        t, "provenance", "a key and value of a run or of one of its ranks", RC_T_PROVENANCE, err));
    RC_PASS(rc_h5_read(&t->h, &rc_schema[RC_T_ORDER], &t->orders, &orders, err));
    RC_PASS(make_rows(t, "orders", "an order that was built, and how long that took", RC_T_ORDER,
        t->orders, orders, err));
    RC_PASS(make_all_features(t, store, err));
    if (t->options.samples)
        RC_PASS(make_samples(t, err));
    return RC_OK;
}
