/** \file cmd/listing.h  Rows with named fields as a table: what --columns, --fields and the filter
 *  language share. */
#ifndef RC_CMD_LISTING_H
#define RC_CMD_LISTING_H

#include "base/expr.h"
#include "plan/plan.h"
#include "table/print.h"

typedef struct rc_listing rc_listing_t;

/** How rows are listed. */
typedef struct rc_listing_form {
    rc_table_format_t format;
    const char *columns; /**< "name,rows" or "all"; an unknown or repeated field is RC_EINVAL */
    const char
        *mark; /**< of marked rows, for people alone, before the others; NULL: there is none */
} rc_listing_form_t;

/** Start a table of some fields.
 *  \param[in] stream, fields  borrowed until the end, as is the mark
 *  \param[out] out     finish with rc_listing_end */
rc_status_t rc_listing_begin(FILE *stream, const rc_listing_form_t *form, const rc_fields_t *fields,
    rc_listing_t **out, rc_err_t *err);
void rc_listing_row(rc_listing_t *l, const void *row, int marked);
rc_status_t rc_listing_end(rc_listing_t *l, rc_err_t *err);

/** Index of a field by its name; an unknown one is RC_EINVAL with the nearest.
 *  \param[in] option  that names it, for the text of the error: "--columns"
 *  \param[out] scale  as of rc_field_find */
rc_status_t rc_listing_field(const rc_fields_t *fields, const char *option, const char *name,
    int *out, double *scale, rc_err_t *err);

/** Print the fields themselves: name, type, unit, meaning. */
rc_status_t rc_listing_fields(rc_table_format_t format, const rc_fields_t *fields, rc_err_t *err);

/** One of the figures of a single thing. */
typedef struct rc_listed {
    const char *name;
    rc_table_cell_t cell;
    const char *unit;
    const char *meaning;
} rc_listed_t;

/** Print n figures: as text, for people, a row for each with unit and meaning; else, for programs,
 *  a column for each.
 *  \param[in] head  of the column of names */
rc_status_t rc_listing_figures(
    rc_table_format_t format, const char *head, const rc_listed_t *figure, int n, rc_err_t *err);

/** For people, the sentences of n answers and a small table: of the original order the fastest
 *  rows, of each other one a row. */
rc_status_t rc_listing_answers(const rc_plan_answer_t *a, int n, rc_err_t *err);

#endif
