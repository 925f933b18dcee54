#include "config.h"
#include "base/error.h"
#include "cmd/cmd.h"
#include "cmd/listing.h"
#include "store/summary.h"
#include "store/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *where;
    const char *columns;
    const char *format;
    const char *summary;
    int matrices;
    int all;
    int fields;
};

#define AT(member) offsetof(struct options, member)

static const rc_opt_t table[] = {
    {"where", 'w', RC_OPT_TEXT, AT(where), "EXPR",
        "Only rows that match, e.g. 'status == ok && k == 32 && policy ~ hybrid*'.", 0, 0},
    {"columns", 'o', RC_OPT_TEXT, AT(columns), "LIST",
        "Columns, comma-separated, or all. Default: fullname, kernel, policy, k, precision, "
        "status, "
        "median_ns, speedup, gflops.",
        0, 0},
    {"format", 'f', RC_OPT_TEXT, AT(format), "FORMAT", "table, csv or json. Default: table.", 0, 0},
    {"summary", 'S', RC_OPT_TEXT, AT(summary), "NAME",
        "A table over all matrices instead of rows: speedup (Mehrabi et al., Table I), share (of "
        "wins, figure 9), portfolio (greedy, figure 10).",
        0, 0},
    {"matrices", 'M', RC_OPT_FLAG, AT(matrices), NULL,
        "Rows are catalogue rows with their status and the number of their cases by status.", 0, 0},
    {"all", 'a', RC_OPT_FLAG, AT(all), NULL, "Also the older rows of cases that were redone.", 0,
        0},
    {"fields", 'F', RC_OPT_FLAG, AT(fields), NULL,
        "List the fields for --where and --columns (with --matrices: of catalogue rows) and exit.",
        0, 0},
    {NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0},
};

static int run(int argc, char **argv);

const rc_command_t rc_command_query = {
    .name = "query",
    .summary = "print rows or summary tables of a store",
    .usage = "[OPTIONS] FILE",
    .description = "Prints the newest result of each case, or with --summary a table of the main "
                   "paper. Summaries "
                   "take only verified results (status ok) and compare each order with csr on the "
                   "same matrix, "
                   "kernel, K, precision and device; the geometric mean stands beside the mean. "
                   "Cases that are "
                   "still in journals are not shown: see 'rowcast status' and 'rowcast fold'.",
    .examples =
        "rowcast query real.h5 --summary speedup|speedup of each policy, oracle last\n"
        "rowcast query real.h5 -w 'speedup > 1.5' -o fullname,policy,k,speedup|where reordering "
        "pays\n"
        "rowcast query real.h5 --matrices -w 'status != ok && where == file'|what could not be "
        "read\n"
        "rowcast query real.h5 -o all -f csv|everything, for other tools",
    .options = table,
    .run = run,
};

/* --------------------------------------------------------------------- rows */

static const rc_fields_t result_fields = {
    rc_view_fields, rc_view_units, RC_VIEW_FIELDS, rc_view_get};
static const rc_fields_t source_fields = {
    rc_source_fields, rc_source_units, RC_SOURCE_FIELDS, rc_source_get};

static rc_status_t print_rows(const rc_view_t *v, const struct options *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    static const char results[] =
        "fullname,kernel,policy,k,precision,status,median_ns,speedup,gflops";
    static const char matrices[] = "fullname,rows,cols,nnz,status,cases_ok,cases_wrong,"
                                   "cases_skipped,cases_failed,cases_crashed,message";
    rc_listing_t *l;
    rc_status_t st = rc_listing_begin(format, o->matrices ? &source_fields : &result_fields,
        o->columns    ? o->columns
        : o->matrices ? matrices
                      : results,
        &l, err);
    if (st < 0)
        return st;
    for (int64_t i = 0; o->matrices && i < rc_view_sources(v); i++) {
        rc_source_row_t row;
        rc_view_source(v, i, &row);
        if (rc_expr_match(where, rc_source_get, &row))
            rc_listing_row(l, &row);
    }
    for (int64_t i = 0; !o->matrices && i < rc_view_count(v); i++) {
        rc_cursor_t row;
        if (!o->all && !rc_view_is_newest(v, i))
            continue;
        rc_view_seek(v, i, &row);
        if (rc_expr_match(where, rc_view_get, &row))
            rc_listing_row(l, &row);
    }
    return rc_listing_end(l, err);
}

/* ---------------------------------------------------------------- summaries */

static void k_text(const rc_view_t *v, const rc_setting_t *s, char *buf, size_t size)
{
    if (s->is_n)
        snprintf(buf, size, "n");
    else
        snprintf(buf, size, "%" PRId64, rc_view_result(v, s->row)->k);
}

/* What tells settings apart beside kernel, K and precision. */
enum { SHOW_DEVICE = 1, SHOW_GEOMETRY = 2, SHOW_CACHE = 4, SHOW_ALL = 7, HEAD_MAX = 8 };

/* A table for people shows only what differs; the others have the same columns always. */
static int what_to_show(rc_table_format_t format, const rc_view_t *v, const rc_setting_t *s, int n)
{
    int show = format == RC_TABLE_TEXT ? 0 : SHOW_ALL;
    for (int i = 1; i < n; i++) {
        const rc_row_result_t *a = rc_view_result(v, s[0].row);
        const rc_row_result_t *b = rc_view_result(v, s[i].row);
        show |= a->device != b->device ? SHOW_DEVICE : 0;
        show |= a->nw != b->nw || a->nt != b->nt || a->line != b->line ? SHOW_GEOMETRY : 0;
        show |= a->cache != b->cache ? SHOW_CACHE : 0;
    }
    return show;
}

static rc_table_t *begin_summary(rc_table_format_t format, int show, const rc_column_t *own,
    int owns, rc_column_t *buffer, rc_err_t *err)
{
    int n = 0;
    buffer[n++] = (rc_column_t){"kernel", ""};
    buffer[n++] = (rc_column_t){"k", ""};
    buffer[n++] = (rc_column_t){"precision", ""};
    if (show & SHOW_DEVICE)
        buffer[n++] = (rc_column_t){"device", ""};
    if (show & SHOW_GEOMETRY) {
        buffer[n++] = (rc_column_t){"nw", ""};
        buffer[n++] = (rc_column_t){"nt", ""};
        buffer[n++] = (rc_column_t){"line", ""};
    }
    if (show & SHOW_CACHE)
        buffer[n++] = (rc_column_t){"cache", ""};
    for (int i = 0; i < owns; i++)
        buffer[n++] = own[i];
    return rc_table_begin(stdout, format, buffer, n, err);
}

static void put_setting(rc_table_t *t, const rc_view_t *v, const rc_setting_t *s, int show)
{
    const rc_row_result_t *r = rc_view_result(v, s->row);
    char k[24];
    k_text(v, s, k, sizeof k);
    rc_table_text(t, rc_view_kernel(v, r->kernel));
    rc_table_text(t, k);
    rc_table_text(t, rc_precision_names[r->precision == 1]);
    if (show & SHOW_DEVICE)
        rc_table_text(t, rc_view_device(v, r->device));
    if (show & SHOW_GEOMETRY) {
        rc_table_int(t, r->nw);
        rc_table_int(t, r->nt);
        rc_table_int(t, r->line);
    }
    if (show & SHOW_CACHE)
        rc_table_text(t, rc_cache_names[r->cache == 1]);
}

static rc_status_t print_speedup(
    rc_table_format_t format, const rc_view_t *v, const rc_setting_t *s, int n, rc_err_t *err)
{
    static const rc_column_t own[] = {{"policy", ""}, {"matrices", ""}, {"max", "x"}, {"mean", "x"},
        {"geomean", "x"}, {"median", "x"}, {"min", "x"}};
    rc_column_t columns[HEAD_MAX + 7];
    int show = what_to_show(format, v, s, n);
    rc_table_t *t = begin_summary(format, show, own, 7, columns, err);
    if (!t)
        return RC_ENOMEM;
    for (int i = 0; i < n; i++)
        /* csr against itself is 1 by definition */
        for (int p = 1; p <= s[i].policies && s[i].matrices > 0; p++) {
            const rc_speedup_t *r = &s[i].speedup[p];
            put_setting(t, v, &s[i], show);
            rc_table_text(t, r->policy);
            rc_table_int(t, r->matrices);
            rc_table_real(t, r->max, 4);
            rc_table_real(t, r->mean, 4);
            rc_table_real(t, r->geomean, 4);
            rc_table_real(t, r->median, 4);
            rc_table_real(t, r->min, 4);
        }
    return rc_table_end(t, err);
}

static rc_status_t print_share(
    rc_table_format_t format, const rc_view_t *v, const rc_setting_t *s, int n, rc_err_t *err)
{
    static const rc_column_t own[] = {
        {"policy", ""}, {"matrices", ""}, {"wins", ""}, {"share", "%"}, {"gain_over_5", "%"}};
    rc_column_t columns[HEAD_MAX + 5];
    int show = what_to_show(format, v, s, n);
    rc_table_t *t = begin_summary(format, show, own, 5, columns, err);
    if (!t)
        return RC_ENOMEM;
    for (int i = 0; i < n; i++)
        for (int p = 0; p <= s[i].policies && s[i].matrices > 0; p++) {
            const rc_speedup_t *r = &s[i].speedup[p];
            double all = (double)s[i].matrices;
            put_setting(t, v, &s[i], show);
            rc_table_text(t, r->policy);
            rc_table_int(t, r->matrices);
            rc_table_int(t, r->wins);
            rc_table_real(t, 100 * (double)r->wins / all, 3);
            rc_table_real(t, 100 * (double)r->over5 / all, 3);
        }
    return rc_table_end(t, err);
}

static rc_status_t print_portfolio(
    rc_table_format_t format, const rc_view_t *v, const rc_setting_t *s, int n, rc_err_t *err)
{
    static const rc_column_t own[] = {
        {"policies", ""}, {"added", ""}, {"geomean", "x"}, {"mean", "x"}};
    rc_column_t columns[HEAD_MAX + 4];
    int show = what_to_show(format, v, s, n);
    rc_table_t *t = begin_summary(format, show, own, 4, columns, err);
    if (!t)
        return RC_ENOMEM;
    for (int i = 0; i < n; i++)
        for (int p = 0; p < s[i].policies && s[i].matrices > 0; p++) {
            put_setting(t, v, &s[i], show);
            rc_table_int(t, p + 1);
            rc_table_text(t, s[i].portfolio[p].policy);
            rc_table_real(t, s[i].portfolio[p].geomean, 4);
            rc_table_real(t, s[i].portfolio[p].mean, 4);
        }
    return rc_table_end(t, err);
}

static rc_status_t print_summary(const rc_view_t *v, const char *name, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    rc_setting_t *s = NULL;
    int n = 0;
    rc_status_t st = rc_summary_make(v, where, &s, &n, err);
    if (st < 0)
        return st;
    if (strcmp(name, "portfolio") == 0)
        st = print_portfolio(format, v, s, n, err);
    else
        st = strcmp(name, "share") == 0 ? print_share(format, v, s, n, err)
                                        : print_speedup(format, v, s, n, err);
    rc_summary_free(s, n);
    return st;
}

static rc_status_t check_summary(const char *name, rc_err_t *err)
{
    if (!name || strcmp(name, "speedup") == 0 || strcmp(name, "share") == 0 ||
        strcmp(name, "portfolio") == 0)
        return RC_OK;
    return rc_fail(
        err, RC_EINVAL, "--summary: expected speedup, share or portfolio, found '%s'", name);
}

static int run(int argc, char **argv)
{
    struct options o = {0};
    char **operands;
    rc_err_t err = {0};
    rc_view_t *v = NULL;
    rc_expr_t *where = NULL;
    rc_table_format_t format;
    int code = rc_command_parse(&rc_command_query, &o, argc, argv, 0, 1, &operands);
    if (code != RC_EXIT_OK)
        return code;
    const rc_fields_t *fields = o.matrices ? &source_fields : &result_fields;
    rc_status_t st = rc_table_format_parse(o.format, &format, &err);
    if (st == RC_OK && o.fields) {
        RC_TRY(rc_listing_fields(format, fields, &err));
        goto done;
    }
    if (st == RC_OK && !operands[0])
        st = rc_fail(&err, RC_EINVAL, "missing operand; usage: rowcast query [OPTIONS] FILE");
    RC_TRY(st);
    RC_TRY(check_summary(o.summary, &err));
    if (o.summary && (o.matrices || o.all || o.columns))
        RC_TRY(
            rc_fail(&err, RC_EINVAL, "--summary does not go with --matrices, --all or --columns"));
    if (o.where && rc_expr_compile(o.where, fields->field, fields->count, &where, &err) < 0)
        RC_TRY(rc_err_context(&err, "--where"));
    RC_TRY(rc_view_read(operands[0], &v, &err));
    if (o.summary)
        RC_TRY(print_summary(v, o.summary, where, format, &err));
    else
        RC_TRY(print_rows(v, &o, where, format, &err));
done:
    rc_expr_free(where);
    rc_view_free(v);
    return st < 0 ? rc_command_fail(&rc_command_query, &err) : RC_EXIT_OK;
}
