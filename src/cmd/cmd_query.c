#include "config.h"
#include "base/error.h"
#include "cmd/cmd.h"
#include "cmd/unsealed.h"
#include "cmd/listing.h"
#include "cmd/sort.h"
#include "cmd/summary.h"
#include "cmd/summary_segmented.h"
#include "base/glob.h"
#include "base/str.h"
#include "operation/operation.h"
#include "table/view.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    const char *op;
    const char *kernels;
    const char *k;
    const char *precision;
    const char *device;
    const char *generated;
    const char *where;
    const char *columns;
    const char *sort;
    int64_t limit;
    const char *format;
    rc_summary_options_t summary;
    int matrices;
    int all;
    int fields;
    int unsealed;
};

#define AT(member) offsetof(struct options, member)

static const rc_opt_t table[] = {
    {"where", 'w', RC_OPT_TEXT, AT(where), "EXPR",
        "Only rows that match, e.g. 'status == ok && k == 32 && policy ~ hybrid*'.", 0, 0},
    {"op", 0, RC_OPT_TEXT, AT(op), "OPS",
        "Only rows of these operations, comma-separated: spmm, spmv, spmm_t, sddmm; as --where 'op == OP'. Default: all.", 0, 0},
    {"kernels", 'x', RC_OPT_TEXT, AT(kernels), "PATTERNS",
        "Only rows of these kernels, comma-separated, e.g. 'rs*,cusparse*'; as --where 'kernel ~ PATTERN'. Default: all.", 0, 0},
    {"k", 'k', RC_OPT_TEXT, AT(k), "LIST",
        "Only rows of these K, comma-separated; n is the number of columns of the matrix; as --where 'k == K'. Default: all.", 0, 0},
    {"precision", 0, RC_OPT_TEXT, AT(precision), "LIST", "Likewise fp32, fp64 or both. Default: both.", 0, 0},
    {"device", 'd', RC_OPT_TEXT, AT(device), "DEVICE",
        "Only rows of device classes that begin so: cpu, cuda, or more of the name; as --where 'device ~ \"DEVICE:*\"'. Default: all.",
        0, 0},
    {"generated", 0, RC_OPT_TEXT, AT(generated), "EXPR",
        "Take matrices for generated, too, that have a result that matches, e.g. 'group == vector': files "
        "that do not say, as those of rowcast generate do, who made them.",
        0, 0},
    {"columns", 'o', RC_OPT_TEXT, AT(columns), "FIELDS",
        "Columns, comma-separated, or all. Default: fullname, kernel, policy, k, precision, "
        "status, median_ns, speedup, gflops.",
        0, 0},
    {"sort", 's', RC_OPT_TEXT, AT(sort), "FIELDS",
        "Rows in the order of fields, e.g. -speedup,fullname: '-' is the largest first, missing "
        "values come last. Default: as they are in the store.",
        0, 0},
    {"limit", 'l', RC_OPT_INT, AT(limit), "N", "At most N rows. Default: all.", 0, 0},
    {"format", 'f', RC_OPT_TEXT, AT(format), "FORMAT", "table, csv or json. Default: table.", 0, 0},
    {"summary", 'S', RC_OPT_TEXT, AT(summary.name), "SUMMARY",
        "A table over all matrices instead of rows: speedup (Mehrabi et al., Table I), share (of "
        "wins, figure 9), portfolio (greedy, figure 10), versus (two sides matrix by matrix, "
        "figure 3), best (which kernel and order wins, and what always taking it loses), rate "
        "(Gflop/s and GB/s); of spmv in six formats (Nisa et al.): ranges (Table I), formats (which win, what "
        "each loses always taken, what is missing), coo (section V.A); of spmv by class of matrix (Lane and Booth): suite "
        "(Table 1: the matrices), suite-rate (Figures 6 and 7: rates, what is gained over cuSPARSE's CSR in natural order "
        "and under rcm, what the order takes and after how many products it has paid), scaling (Figure 5: by threads of a "
        "CPU over the plain row loop), each with what the paper prints in columns paper; of rs, without the training matrices of 'rowcast train --task parameters' (Hong et al.): "
        "modelling (figure 7: what fixed parameters and rs:t=0:cfv=0 reach of the best measured), prepare (figure 13: products "
        "that pay the split), both (figures 14 and 15: A B and A' B, the times added up), profile (figures 10 to 12, 14 and 15: the share of the matrices "
        "within a factor of the fastest contestant; --op both adds up both products), rate --by heavy_ratio (figure 16); roofline (figure "
        "1: the fastest of --kernels over what memory allows); of row reordering (Jiang et al.), for real "
        "matrices within the paper's limits, smaller ones, generated ones: tiles (what needs reordering), classes (figure 8, tables 1 "
        "and 2: plans by class of speedup), forced (figure 9: both rounds whatever the rules say), prepare --plan (figure 12, tables 3 and 4).",
        0, 0},
    {"side-a", 'A', RC_OPT_TEXT, AT(summary.side_a), "SIDE",
        "Of versus: KERNELS[@ORDERS] (also KERNELS/ORDERS), both lists of patterns, where !PATTERN takes out; the "
        "fastest of a side counts. Default: '!cusparse*'. Of classes: a list of plans (aspt-nr, aspt-rr, aspt-forced, aspt-tried, "
        "cusparse), of KERNEL[@ORDER], and of max(A,B) for the faster of them. Default: aspt-nr,aspt-rr.",
        0, 0},
    {"side-b", 'B', RC_OPT_TEXT, AT(summary.side_b), "SIDE",
        "The other side; ratios are its time over that of side A. Default: 'cusparse*'; of classes, cusparse.", 0, 0},
    {"kernel", 0, RC_OPT_TEXT, AT(summary.kernel), "KERNEL",
        "Of prepare: the name of a kernel, without parameters. Default: rs.", 0, 0},
    {"plan", 0, RC_OPT_TEXT, AT(summary.plan), "PLAN",
        "Of prepare: a plan as classes takes them, e.g. aspt-rr: what its order, tiles and second round take, and after how many "
        "products that has paid against aspt-nr.",
         0, 0},
    {"contestants", 0, RC_OPT_TEXT, AT(summary.contestants), "LIST",
        "Of profile: all (rs with a tuning, cuSPARSE as the paper had it, its fastest; with --op spmm_t, its products with A'), "
        "iterated (square matrices, where C is the next B), loops (over products with a vector), or sides as of versus with ';' "
        "between. Default: all.",
        0, 0},
    {"by", 0, RC_OPT_TEXT, AT(summary.by), "FEATURE",
        "Of rate: a line for each quarter of a feature of the store that is a share, e.g. heavy_ratio.", 0, 0},
    {"limits", 0, RC_OPT_TEXT, AT(summary.limits), "FILE",
        "Of roofline: what 'rowcast calibrate --limits' wrote, or the name of such a file (without .json) in $ROWCAST_TUNING. "
        "Default: the installed ones of the device of the results, limits-h200 where there are none.",
        0, 0},
    {"tuning", 0, RC_OPT_TEXT, AT(summary.tuning), "FILE",
        "Of versus, modelling, prepare of rs, both, profile and rate: the tuning of rs whose training matrices, by name, are left out. Default: the "
        "installed one; where there is none, those that training on the store would choose.",
        0, 0},
    {"orders", 0, RC_OPT_TEXT, AT(summary.orders), "ORDERS",
        "Of versus: orders of a side that names none: csr, any or a list of patterns. Default: "
        "csr.",
        0, 0},
    {"top", 0, RC_OPT_INT, AT(summary.top), "N",
        "Of best: the first N rows of each K and precision. Default: all.", 1, 1e6},
    {"matrices", 'M', RC_OPT_FLAG, AT(matrices), NULL,
        "Rows are catalogue rows with their status and the number of their cases by status. With --summary rate and "
        "suite-rate: a line for each matrix, kernel and order.",
        0, 0},
    {"all", 'a', RC_OPT_FLAG, AT(all), NULL, "Also the older rows of cases that were redone.", 0,
        0},
    {"fields", 'F', RC_OPT_FLAG, AT(fields), NULL,
        "List the fields for --where and --columns (with --matrices: of catalogue rows) and exit.",
        0, 0},
    RC_UNSEALED_OPTION(AT(unsealed)),
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
                   "geometric mean stands beside the mean.\n\n"
                   "The best of several noisy times is too good, as luck is chosen with it. "
                   "Columns held_out have it chosen on one half of what was measured and scored on "
                   "the other (halves of the raw times; where a store has none, drawn from the "
                   "stored errors), averaged over 32 splits in both directions; they are missing "
                   "where nothing was chosen. What differs between runs is in both halves of one, "
                   "so a second run may show less. wins and share count whoever has the shortest "
                   "time; clear, how many of these lead by more than two standard errors; ties, "
                   "on how many matrices one is the fastest or within that of it, but not alone.\n\n"
                   "Cases that are "
                   "still in journals are not shown: see 'rowcast status' and 'rowcast fold'.",
    .examples =
        "rowcast query real.h5 --summary speedup|speedup of each policy, oracle last\n"
        "rowcast query real.h5 -S versus -A 'gstat*@any' -B 'cusparse*@csr'|the best order "
        "against the vendor's library\n"
        "rowcast query real.h5 -w 'speedup > 1.5' -o fullname,policy,k,speedup|where reordering "
        "pays\n"
        "rowcast query real.h5 -w 'k == 32' --sort=-speedup --limit 10|the ten largest speedups\n"
        "rowcast query real.h5 --matrices -w 'status != ok && where == file'|what could not be "
        "read\n"
        "rowcast query real.h5 -o all -f csv|everything, for other tools",
    .options = table,
    .run = run,
};

/* --------------------------------------------------------------------- rows */

/* The rows that are wanted, in their order. */
static rc_status_t choose_rows(const rc_view_t *v, const struct options *o, const rc_expr_t *where,
    rc_sort_t *sort, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t n = o->matrices ? rc_view_sources(v) : rc_view_count(v);
    for (int64_t i = 0; i < n && st == RC_OK; i++) {
        rc_source_row_t source;
        rc_cursor_t result;
        if (o->matrices) {
            rc_view_source(v, i, &source);
            if (rc_expr_match(where, rc_source_get, &source))
                st = rc_sort_add(sort, &source, i, err);
        } else if (o->all || rc_view_is_newest(v, i)) {
            rc_view_seek(v, i, &result);
            if (rc_expr_match(where, rc_view_get, &result))
                st = rc_sort_add(sort, &result, i, err);
        }
    }
    return st;
}

static rc_status_t print_rows(const rc_view_t *v, const struct options *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    static const char results[] =
        "fullname,kernel,policy,k,precision,status,median_ns,speedup,gflops";
    static const char matrices[] = "fullname,rows,cols,nnz,status,cases_ok,cases_wrong,"
                                   "cases_skipped,cases_failed,cases_crashed,message";
    const rc_fields_t *fields = o->matrices ? &rc_source_fields : &rc_view_fields;
    rc_listing_t *l;
    rc_sort_t *sort = NULL;
    const int64_t *row;
    int64_t rows;
    rc_status_t st;
    RC_TRY(rc_sort_begin(fields, o->sort, &sort, err));
    RC_TRY(choose_rows(v, o, where, sort, err));
    RC_TRY(rc_sort_end(sort, &row, &rows, err));
    RC_TRY(rc_listing_begin(format, fields,
        o->columns    ? o->columns
        : o->matrices ? matrices
                      : results,
        &l, err));
    for (int64_t i = 0; i < rows && (o->limit < 0 || i < o->limit); i++) {
        rc_source_row_t source;
        rc_cursor_t result;
        if (o->matrices)
            rc_view_source(v, row[i], &source);
        else
            rc_view_seek(v, row[i], &result);
        rc_listing_row(l, o->matrices ? (const void *)&source : &result);
    }
    st = rc_listing_end(l, err);
done:
    rc_sort_free(sort);
    return st;
}

/* "op == a || op == b" of the operations; where `both` is 1 that word is A B and A' B.  RC_EINVAL: a wrong word on the command line */
static rc_status_t add_ops(const char *list, int both, rc_str_t *text, rc_err_t *err)
{
    rc_words_t words = {0};
    rc_op_t op;
    rc_status_t st = rc_words_split(list, ',', &words, err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        if (both && strcmp(words.word[i], "both") == 0) {
            rc_str_addf(text, "%sop == spmm || op == spmm_t", i ? " || " : "");
            continue;
        }
        st = rc_op_parse(words.word[i], &op, err);
        if (st < 0)
            err->status = st = RC_EINVAL;
        else
            rc_str_addf(text, "%sop == %s", i ? " || " : "", rc_op_name(op));
    }
    rc_words_free(&words);
    return st < 0 ? rc_err_context(err, "--op") : st;
}

static rc_status_t add_kernels(const char *list, rc_str_t *text, rc_err_t *err)
{
    rc_words_t words = {0};
    rc_status_t st = rc_words_split(list, ',', &words, err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        if (!words.word[i][0] || rc_glob_flaw(words.word[i]) >= 0 || strpbrk(words.word[i], "'\"\\"))
            st = rc_fail(err, RC_EINVAL, "not a pattern: '%s'", words.word[i]);
        else
            rc_str_addf(text, "%skernel ~ '%s' || kernel ~ '%s:*'", i ? " || " : "", words.word[i], words.word[i]);
    }
    rc_words_free(&words);
    return st < 0 ? rc_err_context(err, "--kernels") : st;
}

/* "k == 8 || k == cols" of the words of --k. */
static rc_status_t add_ks(const char *list, rc_str_t *text, rc_err_t *err)
{
    rc_words_t words = {0};
    int64_t k;
    rc_status_t st = rc_words_split(list, ',', &words, err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        int is_n = strcmp(words.word[i], "n") == 0;
        st = is_n ? RC_OK : rc_parse_int(words.word[i], 1, INT32_MAX, "--k", &k, err);
        if (st < 0)
            err->status = st = RC_EINVAL; /* a wrong word on the command line */
        else
            rc_str_addf(text, "%sk == %s", i ? " || " : "", is_n ? "cols" : words.word[i]);
    }
    rc_words_free(&words);
    return st;
}

static rc_status_t add_precisions(const char *list, rc_str_t *text, rc_err_t *err)
{
    rc_words_t words = {0};
    rc_precision_t precision;
    rc_status_t st = rc_words_split(list, ',', &words, err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        st = rc_precision_parse(words.word[i], &precision, err);
        if (st < 0)
            err->status = st = RC_EINVAL;
        else
            rc_str_addf(text, "%sprecision == %s", i ? " || " : "", rc_precision_name(precision));
    }
    rc_words_free(&words);
    return st < 0 ? rc_err_context(err, "--precision") : st;
}

static rc_status_t add_device(const char *name, rc_str_t *text, rc_err_t *err)
{
    if (!name[0] || rc_glob_flaw(name) >= 0 || strpbrk(name, "'\"\\"))
        return rc_fail(err, RC_EINVAL, "--device: not a pattern: '%s'", name);
    rc_str_addf(text, "device ~ '%s' || device ~ '%s:*'", name, name);
    return RC_OK;
}

/* --op, --kernels, --k, --precision, --device and --where as one expression.  \param[out] out  NULL: all rows */
static rc_status_t compile(const struct options *o, const rc_fields_t *fields, rc_expr_t **out, rc_err_t *err)
{
    rc_str_t text = {0};
    rc_status_t st = RC_OK;
    if (o->where && rc_expr_compile(o->where, fields->field, fields->count, out, err) < 0)
        return rc_err_context(err, "--where");
    if (!o->op && !o->kernels && !o->k && !o->precision && !o->device)
        return RC_OK;
    rc_str_add(&text, "(1 == 1)");
    if (o->op) {
        rc_str_add(&text, " && (");
        RC_TRY(add_ops(o->op, o->summary.name && strcmp(o->summary.name, "profile") == 0, &text, err));
        rc_str_add(&text, ")");
    }
    if (o->kernels) {
        rc_str_add(&text, " && (");
        RC_TRY(add_kernels(o->kernels, &text, err));
        rc_str_add(&text, ")");
    }
    if (o->k) {
        rc_str_add(&text, " && (");
        RC_TRY(add_ks(o->k, &text, err));
        rc_str_add(&text, ")");
    }
    if (o->precision) {
        rc_str_add(&text, " && (");
        RC_TRY(add_precisions(o->precision, &text, err));
        rc_str_add(&text, ")");
    }
    if (o->device) {
        rc_str_add(&text, " && (");
        RC_TRY(add_device(o->device, &text, err));
        rc_str_add(&text, ")");
    }
    if (o->where)
        rc_str_addf(&text, " && (%s)", o->where);
    rc_expr_free(*out);
    *out = NULL;
    st = text.failed ? rc_fail(err, RC_ENOMEM, "no memory for a filter")
                     : rc_expr_compile(text.text, fields->field, fields->count, out, err);
done:
    rc_str_free(&text);
    return st;
}

static rc_status_t mark_generated(rc_view_t *v, const char *which, rc_err_t *err)
{
    rc_expr_t *expr = NULL;
    if (rc_expr_compile(which, rc_view_fields.field, rc_view_fields.count, &expr, err) < 0)
        return rc_err_context(err, "--generated");
    rc_status_t st = rc_view_check(v, expr, err);
    if (st == RC_OK)
        rc_view_mark_generated(v, expr);
    rc_expr_free(expr);
    return st < 0 ? rc_err_context(err, "--generated") : RC_OK;
}

static rc_status_t check(struct options *o, const char *store, rc_err_t *err)
{
    o->summary.store = store;
    o->summary.op = o->op;
    o->summary.by_matrix = o->summary.name && o->matrices;
    rc_status_t st = rc_summary_check(&o->summary, err);
    if (st < 0)
        return st;
    if (o->summary.name && (o->all || o->columns || o->sort || o->limit >= 0))
        return rc_fail(
            err, RC_EINVAL, "--summary does not go with --all, --columns, --sort or --limit");
    if ((o->op || o->kernels || o->k || o->precision || o->device) && o->matrices && !o->summary.name)
        return rc_fail(err, RC_EINVAL,
            "--op, --kernels, --k, --precision and --device are of results, --matrices lists catalogue rows");
    if (o->summary.name)
        o->matrices = 0;
    return RC_OK;
}

/* What nothing matches makes an empty table, which is no error: a line says so. */
static void warn_of_nothing(const rc_view_t *v, const rc_expr_t *where, int all)
{
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        rc_cursor_t row;
        rc_view_seek(v, i, &row);
        if ((all || rc_view_is_newest(v, i)) && rc_expr_match(where, rc_view_get, &row))
            return;
    }
    fprintf(stderr, "rowcast query: no result matches\n");
}

static int run(int argc, char **argv)
{
    struct options o = {.limit = -1};
    char **operands;
    rc_err_t err = {0};
    rc_view_t *v = NULL;
    rc_expr_t *where = NULL;
    rc_table_format_t format;
    int code = rc_command_parse(&rc_command_query, &o, argc, argv, 0, 1, &operands);
    if (code != RC_EXIT_OK)
        return code;
    if (rc_command_unsealed(&rc_command_query, o.unsealed, operands, 1, &code))
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
    RC_TRY(check(&o, operands[0], &err));
    fields = o.matrices ? &rc_source_fields : &rc_view_fields;
    RC_TRY(compile(&o, fields, &where, &err));
    RC_TRY((o.summary.name ? rc_view_read_samples : rc_view_read)(operands[0], &v, &err));
    if (!o.matrices)
        RC_TRY(rc_view_check(v, where, &err));
    if (!o.matrices && where)
        warn_of_nothing(v, where, o.all);
    if (o.summary.name)
        RC_TRY(rc_summary_mark_training(v, &o.summary, &err));
    if (o.generated)
        RC_TRY(mark_generated(v, o.generated, &err));
    if (o.summary.name)
        RC_TRY(rc_summary_print(v, &o.summary, where, format, &err));
    else
        RC_TRY(print_rows(v, &o, where, format, &err));
done:
    rc_expr_free(where);
    rc_view_free(v);
    return st < 0 ? rc_command_fail(&rc_command_query, &err) : RC_EXIT_OK;
}
