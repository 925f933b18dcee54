#include "config.h"
#include "base/error.h"
#include "cmd/cmd.h"
#include "cmd/listing.h"
#include "cmd/summary.h"
#include "table/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *where;
    const char *columns;
    const char *format;
    rc_summary_options_t summary;
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
        "status, median_ns, speedup, gflops.",
        0, 0},
    {"format", 'f', RC_OPT_TEXT, AT(format), "FORMAT", "table, csv or json. Default: table.", 0, 0},
    {"summary", 'S', RC_OPT_TEXT, AT(summary.name), "NAME",
        "A table over all matrices instead of rows: speedup (Mehrabi et al., Table I), share (of "
        "wins, figure 9), portfolio (greedy, figure 10), versus (two sides matrix by matrix, "
        "figure 3), best (which kernel and order wins, "
        "and what always taking it loses), rate (Gflop/s and "
        "GB/s).",
        0, 0},
    {"side-a", 'A', RC_OPT_TEXT, AT(summary.side_a), "SIDE",
        "Of versus: KERNELS[@ORDERS], both lists of patterns, where !PATTERN takes out; the "
        "fastest of a side counts. Default: '!cusparse*'.",
        0, 0},
    {"side-b", 'B', RC_OPT_TEXT, AT(summary.side_b), "SIDE",
        "The other side; ratios are its time over that of side A. Default: 'cusparse*'.", 0, 0},
    {"orders", 0, RC_OPT_TEXT, AT(summary.orders), "ORDERS",
        "Of versus: orders of a side that names none: csr, any or a list of patterns. Default: "
        "csr.",
        0, 0},
    {"top", 0, RC_OPT_INT, AT(summary.top), "N",
        "Of best: the first N rows of each K and precision. Default: all.", 1, 1e6},
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
                   "kernel, K, precision and device; versus and best compare across kernels; the "
                   "geometric mean stands beside the mean. "
                   "Cases that are "
                   "still in journals are not shown: see 'rowcast status' and 'rowcast fold'.",
    .examples =
        "rowcast query real.h5 --summary speedup|speedup of each policy, oracle last\n"
        "rowcast query real.h5 -S versus -A 'gstat*@any' -B 'cusparse*@csr'|the best order "
        "against the vendor's library\n"
        "rowcast query real.h5 -w 'speedup > 1.5' -o fullname,policy,k,speedup|where reordering "
        "pays\n"
        "rowcast query real.h5 --matrices -w 'status != ok && where == file'|what could not be "
        "read\n"
        "rowcast query real.h5 -o all -f csv|everything, for other tools",
    .options = table,
    .run = run,
};

/* --------------------------------------------------------------------- rows */

static rc_status_t print_rows(const rc_view_t *v, const struct options *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    static const char results[] =
        "fullname,kernel,policy,k,precision,status,median_ns,speedup,gflops";
    static const char matrices[] = "fullname,rows,cols,nnz,status,cases_ok,cases_wrong,"
                                   "cases_skipped,cases_failed,cases_crashed,message";
    rc_listing_t *l;
    rc_status_t st = rc_listing_begin(format, o->matrices ? &rc_source_fields : &rc_view_fields,
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
    const rc_fields_t *fields = o.matrices ? &rc_source_fields : &rc_view_fields;
    rc_status_t st = rc_table_format_parse(o.format, &format, &err);
    if (st == RC_OK && o.fields) {
        RC_TRY(rc_listing_fields(format, fields, &err));
        goto done;
    }
    if (st == RC_OK && !operands[0])
        st = rc_fail(&err, RC_EINVAL, "missing operand; usage: rowcast query [OPTIONS] FILE");
    RC_TRY(st);
    RC_TRY(rc_summary_check(&o.summary, &err));
    if (o.summary.name && (o.matrices || o.all || o.columns))
        RC_TRY(
            rc_fail(&err, RC_EINVAL, "--summary does not go with --matrices, --all or --columns"));
    if (o.where && rc_expr_compile(o.where, fields->field, fields->count, &where, &err) < 0)
        RC_TRY(rc_err_context(&err, "--where"));
    RC_TRY(rc_view_read(operands[0], &v, &err));
    if (o.summary.name)
        RC_TRY(rc_summary_print(v, &o.summary, where, format, &err));
    else
        RC_TRY(print_rows(v, &o, where, format, &err));
done:
    rc_expr_free(where);
    rc_view_free(v);
    return st < 0 ? rc_command_fail(&rc_command_query, &err) : RC_EXIT_OK;
}
