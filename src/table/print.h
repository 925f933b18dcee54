/** \file table/print.h  Results on stdout as an aligned table, CSV (RFC 4180) or JSON, through the
 *  same calls, so that the three cannot disagree.  CSV and JSON are written row by row. */
#ifndef RC_TABLE_PRINT_H
#define RC_TABLE_PRINT_H

#include "rowcast.h"
#include <stdio.h>

typedef enum rc_table_format {
    RC_TABLE_TEXT = 0,
    RC_TABLE_CSV = 1,
    RC_TABLE_JSON = 2
} rc_table_format_t;

/** "table", "csv" or "json"; NULL is "table". */
rc_status_t rc_table_format_parse(const char *text, rc_table_format_t *out, rc_err_t *err);

typedef struct rc_column {
    const char *name;
    const char *unit; /**< "" for none; shown under the name in a table, in "columns" in JSON */
} rc_column_t;

typedef struct rc_table rc_table_t;

/** Start a table of n columns on a stream (all borrowed until rc_table_end).
 *  \return NULL with err set when there is no memory: all functions below take it, and rc_table_end
 *      returns the status of that error */
rc_table_t *rc_table_begin(
    FILE *out, rc_table_format_t format, const rc_column_t *columns, int n, rc_err_t *err);

/** The same of columns in one text: "kernel|matrices|median:ns", units behind colons.
 *  \param[in] n  the first so many of them; 0 and less: all less so many */
rc_table_t *rc_table_of(
    FILE *out, rc_table_format_t format, const char *columns, int n, rc_err_t *err);

/** The next cell of the current row; a row ends by itself after its last cell. */
void rc_table_int(rc_table_t *t, int64_t value);
/** \param digits  significant digits in a table; CSV and JSON always get all 17; NaN is missing */
void rc_table_real(rc_table_t *t, double value, int digits);
void rc_table_text(rc_table_t *t, const char *value); /**< NULL: missing */
void rc_table_bool(rc_table_t *t, int value);
void rc_table_missing(rc_table_t *t);

/** A cell as a value, for rows that are written at once. */
typedef struct rc_table_cell {
    enum { RC_CELL_MISSING, RC_CELL_INT, RC_CELL_REAL, RC_CELL_TEXT, RC_CELL_BOOL } kind;
    int digits; /**< of a real */
    int64_t whole;
    double real;
    const char *text;
} rc_table_cell_t;
#define RC_INT(value) ((rc_table_cell_t){.kind = RC_CELL_INT, .whole = (value)})
#define RC_REAL(value, figures)                                                                    \
    ((rc_table_cell_t){.kind = RC_CELL_REAL, .real = (value), .digits = (figures)})
#define RC_TEXT(value) ((rc_table_cell_t){.kind = RC_CELL_TEXT, .text = (value)})
#define RC_BOOL(value) ((rc_table_cell_t){.kind = RC_CELL_BOOL, .whole = (value)})
#define RC_MISSING ((rc_table_cell_t){.kind = RC_CELL_MISSING})

/** The next n cells, as by the functions above. */
void rc_table_cells(rc_table_t *t, const rc_table_cell_t *cell, size_t n);

/** The same for cells that stand here: RC_CELLS(t, RC_TEXT(name), RC_INT(rows)). */
#define RC_CELLS(t, ...)                                                                           \
    rc_table_cells(t, (const rc_table_cell_t[]){__VA_ARGS__},                                      \
        sizeof((rc_table_cell_t[]){__VA_ARGS__}) / sizeof(rc_table_cell_t))

/** Finish, write what is left, free.
 *  \param[in] t  NULL: nothing was begun, or in vain; err, of which the status is returned, says so
 *  \return RC_OK, RC_EIO (stdout closed, disk full), RC_ENOMEM */
rc_status_t rc_table_end(rc_table_t *t, rc_err_t *err);

/** The same behind something that may have failed with `st`: then that and err stay. */
rc_status_t rc_table_end_after(rc_status_t st, rc_table_t *t, rc_err_t *err);

#endif
