#include "config.h"
#include "unit.h"
#include "store_older.h"

#include "store/h5_private.h"
#include "store_edit.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS = 64, NAMES = 16 };

/* A table with fewer fields and names. */
typedef struct less {
    rc_schema_table_t table;
    rc_schema_field_t field[FIELDS];
    const char *name[FIELDS][NAMES];
} less_t;

/* Largest value of an enumeration in the rows. */
static int32_t largest(
    const rc_schema_table_t *t, const rc_schema_field_t *f, const void *rows, int64_t n)
{
    int32_t most = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t value;
        memcpy(&value, (const char *)rows + (size_t)i * t->row_bytes + f->offset, sizeof value);
        most = value > most ? value : most;
    }
    return most;
}

static void reduce(
    less_t *l, const rc_schema_table_t *t, const char *without, const void *rows, int64_t n)
{
    size_t at = 0;
    memset(l, 0, sizeof *l);
    l->table = *t;
    l->table.field = l->field;
    l->table.fields = 0;
    for (int i = 0; i < t->fields; i++) {
        int k = l->table.fields;
        const rc_schema_field_t *f = &t->field[i];
        if (without ? strcmp(f->name, without) == 0 : f->since > 0)
            continue;
        l->field[k] = *f;
        l->field[k].offset = at;
        at += f->size;
        for (int32_t v = 0; f->type == RC_FT_ENUM && v <= largest(t, f, rows, n); v++)
            l->name[k][v] = f->names[v];
        if (f->type == RC_FT_ENUM && !without)
            l->field[k].names = l->name[k];
        l->table.fields++;
    }
    l->table.row_bytes = at;
}

/* The rows as the smaller table has them; free(). */
static void *pack(const less_t *l, const rc_schema_table_t *t, const void *rows, int64_t n)
{
    char *out = calloc((size_t)n + 1, l->table.row_bytes);
    assert_non_null(out);
    for (int64_t i = 0; i < n; i++)
        for (int k = 0, old = 0; k < l->table.fields; k++, old++) {
            while (strcmp(t->field[old].name, l->field[k].name) != 0)
                old++;
            memcpy(out + (size_t)i * l->table.row_bytes + l->field[k].offset,
                (const char *)rows + (size_t)i * t->row_bytes + t->field[old].offset,
                l->field[k].size);
        }
    return out;
}

static void rewrite(const char *store, rc_table_id_t id, const char *without)
{
    const rc_schema_table_t *t = &rc_schema[id];
    rc_h5_t h;
    less_t l;
    void *rows = NULL;
    int64_t n = 0;
    assert_int_equal(rc_h5_open(store, 1, &h, NULL), RC_OK);
    assert_int_equal(rc_h5_read(&h, t, &rows, &n, NULL), RC_OK);
    reduce(&l, t, without, rows, n);
    void *packed = pack(&l, t, rows, n);
    assert_true(H5Ldelete(h.file, t->path, H5P_DEFAULT) >= 0);
    assert_true(rc_h5_make_table(h.file, &l.table));
    assert_int_equal(rc_h5_replace(&h, &l.table, packed, n, NULL), RC_OK);
    free(packed);
    free(rows);
    assert_int_equal(rc_h5_close(&h, NULL), RC_OK);
}

void store_make_older(const char *store)
{
    for (int i = 0; i < RC_T_COUNT; i++)
        rewrite(store, (rc_table_id_t)i, NULL);
    store_set_root(store, "schema_major", 1);
    store_set_root(store, "schema_minor", 0);
}

void store_drop_field(const char *store, rc_table_id_t table, const char *field)
{
    rewrite(store, table, field);
}
