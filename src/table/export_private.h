/** \file table/export_private.h  What the files behind table/export.h share. */
#ifndef RC_TABLE_EXPORT_PRIVATE_H
#define RC_TABLE_EXPORT_PRIVATE_H

#include "base/str.h"
#include "table/features_read.h"
#include "store/samples.h"
#include "table/export.h"
#include "table/view_private.h"

/* Where the value of a column comes from. */
typedef enum column_kind {
    COL_FIELD, /* field `at` of the row, as the schema describes it */
    COL_FULLNAME,
    COL_DIGEST,
    COL_POLICY,
    COL_POLICY_VERSION,
    COL_RUN,
    COL_MESSAGE,
    COL_KERNEL,      /* of a row of /dict/kernel: name and parameters */
    COL_POLICY_SPEC, /* of a row of /dict/policy: the same */
    COL_LONG_VALUE,  /* of a row of /provenance: all its parts */
    COL_FEATURE,     /* value number `at` of a feature row */
    COL_RESULT,      /* field `at` of rc_view_fields */
    COL_SOURCE,      /* field `at` of rc_source_fields */
    COL_SAMPLE,      /* the raw time */
    COL_SAMPLE_INDEX /* its number in its result */
} column_kind_t;

typedef struct column {
    column_kind_t kind;
    int at;
    size_t id; /* COL_FULLNAME to COL_MESSAGE: offset of the id in the row */
} column_t;

/* What the rows of a table are. */
typedef enum table_kind {
    TABLE_ROWS,
    TABLE_FEATURES,
    TABLE_RESULTS,
    TABLE_SOURCES,
    TABLE_SAMPLES
} table_kind_t;

enum { EXPORT_COLUMNS = 128, EXPORT_TABLES = 64 };

typedef struct table {
    rc_export_table_t shown;
    table_kind_t kind;
    char name[64];
    const rc_schema_table_t *schema; /* TABLE_ROWS, TABLE_FEATURES */
    const void *rows;
    int64_t count;
    rc_feature_table_t features;
    unsigned char *keep; /* [count]; NULL: all */
    column_t *column;
    rc_field_t *field;
    size_t columns;
    size_t capacity[2];
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

/** Make the list of tables, from view and orders. */
rc_status_t rc_export_make(rc_export_t *t, const char *store, rc_err_t *err);

/** Row number i of a table of rows. */
static inline const char *rc_export_row(const table_t *b, int64_t i)
{
    return (const char *)b->rows + (size_t)i * b->schema->row_bytes;
}

#endif
