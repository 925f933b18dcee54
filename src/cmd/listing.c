#include "config.h"
#include "cmd/listing.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "plan/answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct rc_listing {
    rc_table_t *table;
    const rc_fields_t *fields;
    rc_column_t *head;
    rc_words_t words; /* as named */
    double *scale;    /* [columns] of a value as named */
    int *field;       /* [columns] */
    int columns;
    const char *mark; /* of some rows, in a column before these; NULL: there is none */
};

static const char *unit_of(const rc_field_t *f)
{
    return f->unit ? f->unit : "";
}

rc_status_t rc_listing_field(const rc_fields_t *f, const char *option, const char *name, int *out,
    double *scale, rc_err_t *err)
{
    *out = rc_field_find(f->field, f->count, name, strlen(name), scale);
    if (*out >= 0)
        return RC_OK;
    (void)rc_field_unknown(f->field, f->count, name, err);
    return rc_err_context(err, "%s", option);
}

static rc_status_t choose(rc_listing_t *l, rc_err_t *err)
{
    rc_column_t *head = l->head + (l->mark != NULL);
    for (int i = 0; i < l->columns; i++) {
        const char *const name = l->words.count ? l->words.word[i] : l->fields->field[i].name;
        int at;
        RC_PASS(rc_listing_field(l->fields, "--columns", name, &at, &l->scale[i], err));
        for (int k = 0; k < i; k++)
            if (l->field[k] == at)
                return rc_fail(err, RC_EINVAL, "--columns: field '%s' is there twice",
                    l->fields->field[at].name);
        l->field[i] = at;
        head[i] = (rc_column_t){name, l->scale[i] == 1 ? unit_of(&l->fields->field[at]) : "us"};
    }
    return RC_OK;
}

static void free_listing(rc_listing_t *l)
{
    if (l) {
        rc_words_free(&l->words);
        free(l->head);
        free(l->field);
        free(l->scale);
        free(l);
    }
}

rc_status_t rc_listing_begin(FILE *stream, const rc_listing_form_t *form, const rc_fields_t *fields,
    rc_listing_t **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_listing_t *l = rc_alloc0(1, sizeof *l, "a listing", err);
    RC_PASS(l ? RC_OK : RC_ENOMEM);
    l->mark = form->format == RC_TABLE_TEXT ? form->mark : NULL;
    l->fields = fields;
    l->columns = fields->count;
    if (strcmp(form->columns, "all") != 0) {
        if (rc_words_split(form->columns, ',', &l->words, err) < 0)
            RC_TRY(rc_err_context(err, "--columns"));
        l->columns = l->words.count;
    }
    RC_TRY(RC_NEW(l->head, l->columns + 1, "columns", err));
    l->head[0] = (rc_column_t){"", ""};
    RC_TRY(RC_NEW(l->field, l->columns, "columns", err));
    RC_TRY(RC_NEW(l->scale, l->columns, "columns", err));
    RC_TRY(choose(l, err));
    l->table = rc_table_begin(stream, form->format, l->head, l->columns + (l->mark != NULL), err);
    RC_TRY(l->table ? RC_OK : RC_ENOMEM);
    *out = l;
    l = NULL;
done:
    free_listing(l);
    return st;
}

void rc_listing_row(rc_listing_t *l, const void *row, int marked)
{
    if (l->mark)
        rc_table_text(l->table, marked ? l->mark : "");
    for (int i = 0; i < l->columns; i++) {
        rc_value_t v;
        l->fields->get(row, l->field[i], &v);
        if (l->scale[i] != 1)
            v = (rc_value_t){.kind = RC_VALUE_REAL,
                .r = l->scale[i] * (v.kind == RC_VALUE_INT ? (double)v.i : v.r)};
        const rc_table_cell_t as[] = {[RC_VALUE_INT] = RC_INT(v.i),
            [RC_VALUE_BOOL] = RC_BOOL(v.i != 0),
            [RC_VALUE_REAL] = RC_REAL(v.r, 5),
            [RC_VALUE_TEXT] = RC_TEXT(v.text)};
        rc_table_cells(l->table, &as[v.kind], 1);
    }
}

rc_status_t rc_listing_end(rc_listing_t *l, rc_err_t *err)
{
    rc_status_t st = rc_table_end(l->table, err);
    free_listing(l);
    return st;
}

rc_status_t rc_listing_fields(rc_table_format_t format, const rc_fields_t *fields, rc_err_t *err)
{
    static const char *const kinds[] = {"integer", "number", "text", "yes or no"};
    static const char columns[] = "field|type|unit|meaning";
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (int i = 0; i < fields->count; i++) {
        RC_CELLS(t, RC_TEXT(fields->field[i].name), RC_TEXT(kinds[fields->field[i].kind]),
            RC_TEXT(unit_of(&fields->field[i])), RC_TEXT(fields->field[i].help));
    }
    return rc_table_end(t, err);
}

rc_status_t rc_listing_figures(
    rc_table_format_t format, const char *head, const rc_listed_t *figure, int n, rc_err_t *err)
{
    const rc_column_t rows[] = {{head, ""}, {"value", ""}, {"unit", ""}, {"meaning", ""}};
    int is_text = format == RC_TABLE_TEXT;
    rc_column_t *columns = rc_alloc((size_t)n, sizeof *columns, "columns", err);
    RC_PASS(columns ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n; i++)
        columns[i] = (rc_column_t){figure[i].name, figure[i].unit};
    rc_table_t *t = rc_table_begin(stdout, format, is_text ? rows : columns, is_text ? 4 : n, err);
    for (int i = 0; i < n; i++)
        if (is_text)
            RC_CELLS(t, RC_TEXT(figure[i].name), figure[i].cell, RC_TEXT(figure[i].unit),
                RC_TEXT(figure[i].meaning));
        else
            rc_table_cells(t, &figure[i].cell, 1);
    rc_status_t st = rc_table_end(t, err);
    free(columns);
    return st;
}

/* ------------------------------------------------------------------ answers */

/* Of an order without any time the first row that says why. */
static int is_shown(const rc_plan_answer_t *a, int i, int most)
{
    const rc_plan_row_t *r = &a->row[i];
    int before = 0;
    int timed = 0;
    int others = 0; /* rows of this order before this one that say why */
    for (int j = 0; j < a->rows; j++) {
        if (strcmp(a->row[j].order, r->order) != 0)
            continue;
        const int has_time = !isnan(a->row[j].time_ns);
        before +=
            has_time && (a->row[j].again > r->again || (j < i && a->row[j].again == r->again));
        timed += has_time;
        others += j < i && a->row[j].note[0];
    }
    if (r->chosen || r->baseline || (timed == 0 && others == 0 && r->note[0]))
        return 1;
    return !isnan(r->time_ns) && before < (strcmp(r->order, "csr") == 0 ? most : 1);
}

/* What is inside the errors is no figure. */
static rc_table_cell_t pays_after(const rc_plan_answer_t *a, int row)
{
    const double products = a->row[row].pays_after;
    if (isnan(products))
        return RC_MISSING;
    if (!rc_plan_answer_is_sure(a, row))
        return RC_TEXT("unsure");
    return isinf(products) ? RC_TEXT("never") : RC_REAL(products, 6);
}

rc_status_t rc_listing_answers(const rc_plan_answer_t *a, int n, rc_err_t *err)
{
    static const rc_column_t columns[] = {{"k", ""}, {"", ""}, {"order", ""}, {"kernel", ""},
        {"time", "ns"}, {"error", "%"}, {"speedup", "x"}, {"setup", "ms"},
        {"pays_after", "products"}, {"note", ""}};
    static const char *const marks[2][2] = {{"", "*"}, {"T", "T *"}}; /* of chosen ones */
    int first = n < 2;                                                /* without K */
    int left_out = 0;
    for (int i = 0; i < n; i++)
        puts(a[i].sentence);
    putchar('\n');
    rc_table_t *t = rc_table_begin(stdout, RC_TABLE_TEXT, columns + first,
        (int)(sizeof columns / sizeof *columns) - first, err);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < a[i].rows; j++) {
            const rc_plan_row_t *r = &a[i].row[j];
            if (!is_shown(&a[i], j, n > 1 ? 2 : 6)) {
                left_out++;
                continue;
            }
            if (!first)
                rc_table_int(t, a[i].k);
            RC_CELLS(t, RC_TEXT(marks[a[i].transposed][r->chosen]), RC_TEXT(r->order),
                RC_TEXT(r->kernel), RC_REAL(r->time_ns, 4), RC_REAL(r->error * 100, 2),
                RC_REAL(r->speedup, 3), RC_REAL(r->setup_ns * 1e-6, 3), pays_after(&a[i], j),
                RC_TEXT(r->baseline ? "baseline" : r->note));
        }
    RC_PASS(rc_table_end(t, err));
    if (left_out > 0)
        printf("\n%d more: --format csv\n", left_out);
    return RC_OK;
}
