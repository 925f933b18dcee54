/* Largest errors against fp64 by kernel and value type. */
#include "config.h"
#include "analysis/summary/summary.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A kernel of an operation in a type, its parameters included. */
typedef struct line {
    int32_t op;
    int32_t precision;
    const char *kernel;
    int64_t results; /* verified */
    int64_t wrong;
    double rel; /* largest of the verified ones, over the sum of the terms' absolute values */
    double max; /* and over the bound; NaN: none was compared */
} line_t;

typedef struct errors {
    line_t *line;
    size_t lines;
    size_t capacity;
} errors_t;

static int by_type(const void *a, const void *b)
{
    const line_t *x = a;
    const line_t *y = b;
    if (x->op != y->op)
        return x->op < y->op ? -1 : 1;
    int c = strcmp(x->kernel, y->kernel);
    return c ? c : (x->precision > y->precision) - (x->precision < y->precision);
}

/* The line of a result; a new one where there is none. */
static rc_status_t find(
    errors_t *e, const rc_view_t *v, const rc_row_result_t *r, line_t **out, rc_err_t *err)
{
    const char *kernel = rc_view_kernel(v, r->kernel);
    for (size_t i = e->lines; i > 0; i--) {
        line_t *l = &e->line[i - 1];
        *out = l;
        if (l->op == r->op && l->precision == r->precision && strcmp(l->kernel, kernel) == 0)
            return RC_OK;
    }
    RC_PASS(RC_GROW(e->line, e->capacity, e->lines + 1, "errors", err));
    *out = &e->line[e->lines++];
    **out =
        (line_t){.op = r->op, .precision = r->precision, .kernel = kernel, .rel = NAN, .max = NAN};
    return RC_OK;
}

static rc_status_t collect(errors_t *e, const rc_summary_options_t *o, rc_err_t *err)
{
    for (int64_t i = 0; i < rc_view_count(o->view); i++) {
        const rc_row_result_t *r = rc_view_result(o->view, i);
        line_t *l;
        int wrong = r->status == RC_CASE_WRONG && rc_view_is_newest(o->view, i) &&
                    rc_view_is_current(o->view, i);
        if (!(wrong || rc_view_counts(o->view, i)) || !rc_view_matches(o->view, i, o->where))
            continue;
        RC_PASS(find(e, o->view, r, &l, err));
        l->wrong += wrong;
        l->results += !wrong;
        if (wrong)
            continue;
        l->rel = fmax(l->rel, r->error_rel); /* of a NaN and a number the number */
        l->max = fmax(l->max, r->error_max);
    }
    return RC_OK;
}

static rc_status_t print_errors(const rc_summary_options_t *o, rc_err_t *err)
{
    errors_t e = {.lines = 0};
    rc_status_t st = collect(&e, o, err);
    if (st == RC_OK) {
        if (e.lines > 0)
            qsort(e.line, e.lines, sizeof *e.line, by_type);
        rc_table_t *t = rc_table_of(stdout, o->format,
            "op|kernel|precision|results|wrong|error_rel:sum abs|error_units:unit roundoff|"
            "error_max:bound",
            0, err);
        for (const line_t *l = e.line; l < e.line + e.lines; l++)
            RC_CELLS(t, RC_TEXT(rc_view_name(rc_op_names, l->op)), RC_TEXT(l->kernel),
                RC_TEXT(rc_view_name(rc_precision_names, l->precision)), RC_INT(l->results),
                RC_INT(l->wrong), RC_REAL(l->rel, 3),
                RC_REAL(l->rel / rc_type((rc_precision_t)l->precision)->unit, 3),
                RC_REAL(l->max, 3));
        st = rc_table_end(t, err);
    }
    free(e.line);
    return st;
}

const rc_summary_t rc_summary_errors = {.name = "errors",
    .summary = "largest errors against fp64 of each kernel and precision",
    .print = print_errors};
