#include "config.h"
#include "analysis/papers/paper.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/listing.h"
#include "cmd/rows.h"
#include "table/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    rc_rows_options_t rows;
    const char *columns;
    const char *sort;
    int64_t limit;
    const char *format;
    const char *name; /* of a table */
    rc_summary_options_t summary;
    int matrices;
    int all;
    int fields;
    int unsealed;
};

#define ROWS(member) RC_AT(rows.member)
#define TABLE(member) RC_AT(summary.member)

static const rc_opt_t table[] = {
    RC_OPT("summary", 'S', RC_OPT_TEXT, RC_AT(name), "SUMMARY",
        "A table over all matrices instead of rows: speedup of each order over csr, share of "
        "wins, portfolio (greedy), versus (two sides matrix by matrix), best (which kernel and "
        "order wins, and what always taking it loses), rate (Gflop/s and GB/s), "
        "errors (largest against fp64, of each kernel and precision). Tables of papers: "
        "'rowcast paper'."),
    RC_ROWS_OPTIONS(ROWS),
    RC_OPT("columns", 0, RC_OPT_TEXT, RC_AT(columns), "FIELDS",
        "Columns, comma-separated, or all. Default: fullname, kernel, order, k, precision, "
        "status, median_us, speedup, gflops; csv and json: policy and median_ns."),
    RC_OPT("sort", 0, RC_OPT_TEXT, RC_AT(sort), "FIELDS",
        "Rows in the order of fields, e.g. -speedup,fullname: '-' is the largest first, missing "
        "values come last. Default: as they are in the store."),
    RC_OPT("limit", 'l', RC_OPT_INT, RC_AT(limit), "N", "At most N rows. Default: all."),
    RC_FORMAT_OPTION(RC_AT(format)),
    RC_TABLE_OPTIONS(TABLE),
    {"top", 0, RC_OPT_INT, TABLE(top), "N",
        "Of best: the first N rows of each K and precision. Default: all.", 1, 1e6},
    RC_OPT("matrices", 'M', RC_OPT_FLAG, RC_AT(matrices), NULL,
        "Rows are catalogue rows with their status and the number of their cases by status. With "
        "--summary rate: a line for each matrix, kernel and order."),
    RC_OPT("all", 'a', RC_OPT_FLAG, RC_AT(all), NULL,
        "Also the older rows of cases that were redone."),
    RC_OPT("fields", 'F', RC_OPT_FLAG, RC_AT(fields), NULL,
        "List the fields for --where and --columns (with --matrices: of catalogue rows) and exit."),
    RC_UNSEALED_OPTION(RC_AT(unsealed)),
    RC_OPT_END,
};

/* --------------------------------------------------------------------- sort */

typedef struct sort_key {
    int field;
    int descending;
} sort_key_t;

/* A row that is wanted; qsort hands no context on, so each knows its sort. */
typedef struct sort_row {
    const struct sort *sort;
    int64_t number;
} sort_row_t;

typedef struct sort {
    const rc_view_t *view;
    int sources; /* 1: rows are catalogue rows */
    sort_key_t *key;
    int keys;
    sort_row_t *row;
    size_t rows;
    size_t capacity;
} sort_t;

/* A row of a view, as fields read it. */
typedef union any_row {
    rc_source_row_t source;
    rc_cursor_t result;
} any_row_t;

static const rc_fields_t *fields_of(const sort_t *s)
{
    return s->sources ? &rc_source_fields : &rc_view_fields;
}

static const any_row_t *seek(const sort_t *s, int64_t number, any_row_t *out)
{
    if (s->sources)
        rc_view_source(s->view, number, &out->source);
    else
        rc_view_seek(s->view, number, &out->result);
    return out;
}

/* \param[in] keys  "-speedup,name": the first counts most, '-' is descending; NULL: rows stay as
 *                  they come */
static rc_status_t sort_begin(sort_t *s, const char *keys, rc_err_t *err)
{
    rc_words_t words = {0};
    if (!keys)
        return RC_OK;
    if (rc_words_split(keys, ',', &words, err) < 0)
        return rc_err_context(err, "--sort");
    rc_status_t st = RC_NEW(s->key, words.count, "sort keys", err);
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        sort_key_t *k = &s->key[i];
        k->descending = words.word[i][0] == '-';
        st = rc_listing_field(
            fields_of(s), "--sort", words.word[i] + k->descending, &k->field, NULL, err);
        s->keys++;
    }
    rc_words_free(&words);
    return st;
}

static int is_missing(const rc_value_t *v)
{
    return v->kind == RC_VALUE_REAL && isnan(v->r);
}

/* Of two values that are there. */
static int compare_values(const rc_value_t *a, const rc_value_t *b)
{
    if (a->kind == RC_VALUE_TEXT)
        return strcmp(a->text, b->text);
    if (a->kind != RC_VALUE_REAL && b->kind != RC_VALUE_REAL)
        return (a->i > b->i) - (a->i < b->i);
    double x = a->kind == RC_VALUE_REAL ? a->r : (double)a->i;
    double y = b->kind == RC_VALUE_REAL ? b->r : (double)b->i;
    return (x > y) - (x < y);
}

/* Rows that are equal in all keys stay as they came; missing values come last either way. */
static int compare_rows(const void *left, const void *right)
{
    const sort_row_t *a = left;
    const sort_row_t *b = right;
    const sort_t *s = a->sort;
    any_row_t rows[2];
    (void)seek(s, a->number, &rows[0]);
    (void)seek(s, b->number, &rows[1]);
    for (int i = 0; i < s->keys; i++) {
        rc_value_t x, y;
        fields_of(s)->get(&rows[0], s->key[i].field, &x);
        fields_of(s)->get(&rows[1], s->key[i].field, &y);
        int order = is_missing(&x) - is_missing(&y);
        if (order == 0 && !is_missing(&x))
            order = s->key[i].descending ? compare_values(&y, &x) : compare_values(&x, &y);
        if (order != 0)
            return order;
    }
    return (a->number > b->number) - (a->number < b->number);
}

/* --------------------------------------------------------------------- rows */

/* The rows that are wanted, in their order. */
static rc_status_t choose_rows(
    sort_t *s, const struct options *o, const rc_expr_t *where, rc_err_t *err)
{
    int64_t n = s->sources ? rc_view_sources(s->view) : rc_view_count(s->view);
    for (int64_t i = 0; i < n; i++) {
        any_row_t row;
        if ((!s->sources && !o->all && !rc_view_is_newest(s->view, i)) ||
            !rc_expr_match(where, fields_of(s)->get, seek(s, i, &row)))
            continue;
        RC_PASS(RC_GROW(s->row, s->capacity, s->rows + 1, "rows", err));
        s->row[s->rows++] = (sort_row_t){s, i};
    }
    if (s->keys > 0 && s->rows > 0)
        qsort(s->row, s->rows, sizeof *s->row, compare_rows);
    return RC_OK;
}

static int is_noisy(const sort_t *s, int64_t i)
{
    return !s->sources && rc_view_result(s->view, s->row[i].number)->status == RC_CASE_NOISY;
}

static rc_status_t print_rows(const rc_view_t *v, const struct options *o, const rc_expr_t *where,
    rc_table_format_t format, rc_err_t *err)
{
    static const char results[] =
        "fullname,kernel,policy,k,precision,status,median_ns,speedup,gflops";
    static const char matrices[] = "fullname,rows,cols,nnz,status,cases_ok,cases_wrong,"
                                   "cases_skipped,cases_failed,cases_crashed,message";
    rc_listing_t *l;
    static const char mark[] = "~";
    rc_listing_form_t form = {format,
        o->columns    ? o->columns
        : o->matrices ? matrices
                      : results,
        NULL};
    sort_t sort = {.view = v, .sources = o->matrices};
    int noisy = 0;
    int64_t rows;
    rc_status_t st;
    RC_TRY(sort_begin(&sort, o->sort, err));
    RC_TRY(choose_rows(&sort, o, where, err));
    rows = (int64_t)sort.rows;
    if (o->matrices && where && rows == 0) /* of results that is said before */
        fputs("rowcast query: no row of the catalogue matches\n", stderr);
    if (o->limit >= 0 && o->limit < rows)
        rows = o->limit;
    for (int64_t i = 0; i < rows; i++)
        noisy |= is_noisy(&sort, i);
    form.mark = noisy ? mark : NULL;
    RC_TRY(rc_listing_begin(stdout, &form, fields_of(&sort), &l, err));
    for (int64_t i = 0; i < rows; i++) {
        any_row_t row;
        rc_listing_row(l, seek(&sort, sort.row[i].number, &row), is_noisy(&sort, i));
    }
    st = rc_listing_end(l, err);
    if (noisy && format == RC_TABLE_TEXT)
        printf("\n%s noisy: in no table\n", mark);
done:
    free(sort.key);
    free(sort.row);
    return st;
}

static rc_status_t check(const struct options *o, const rc_summary_t *s, rc_err_t *err)
{
    const rc_rows_options_t *r = &o->rows;
    enum { most = 32 };
    const char *names[most];
    int n = 0;
    if (s && (o->all || o->columns || o->sort || o->limit >= 0))
        return rc_fail(
            err, RC_EINVAL, "--summary does not go with --all, --columns, --sort or --limit");
    if ((r->op || r->kernels || r->k || r->precision || r->device) && o->matrices && !s)
        return rc_fail(err, RC_EINVAL,
            "--op, --kernels, --k, --precision and --device are of results, --matrices lists "
            "catalogue rows");
    if (s || !o->name) {
        const rc_summary_t none = {.name = "of rows"};
        return rc_summary_check(s ? s : &none, &o->summary, err);
    }
    for (; rc_summaries[n] && n < most; n++)
        names[n] = rc_summaries[n]->name;
    (void)rc_fail_unknown(err, RC_EINVAL, "table here or of 'rowcast paper'", o->name, names, n);
    return rc_err_context(err, "--summary");
}

static rc_status_t query_rows(
    const struct options *o, const char *store, rc_table_format_t format, rc_err_t *err)
{
    const rc_fields_t *fields = o->matrices ? &rc_source_fields : &rc_view_fields;
    rc_expr_t *where = NULL;
    rc_view_t *v = NULL;
    rc_status_t st;
    RC_TRY(rc_rows_compile(&o->rows, fields, 0, &where, err));
    RC_TRY(rc_view_read(store, &v, err));
    RC_TRY(o->rows.noisy ? rc_view_take_noisy(v, err) : RC_OK);
    if (!o->matrices) {
        RC_TRY(rc_view_check(v, where, err));
        if (where)
            rc_rows_warn_of_none("query", v, where, o->all);
    }
    if (o->rows.generated)
        RC_TRY(rc_rows_mark_generated(v, o->rows.generated, err));
    RC_TRY(print_rows(v, o, where, format, err));
    if (!o->matrices)
        st = rc_rows_tell_noise(store, v, where, NULL, err);
done:
    rc_expr_free(where);
    rc_view_free(v);
    return st;
}

/* The value of --summary at argv[i] and how many words it takes; NULL: argv[i] is something
 * else. */
static const char *summary_at(char **argv, int i, int argc, int *words)
{
    const char *word = argv[i];
    *words = 1;
    if (strncmp(word, "--summary=", 10) == 0)
        return word + 10;
    if (strncmp(word, "-S", 2) == 0 && word[2])
        return word + 2;
    *words = 2;
    return (strcmp(word, "-S") == 0 || strcmp(word, "--summary") == 0) && i + 1 < argc ? argv[i + 1]
                                                                                       : NULL;
}

/* Tables of papers were summaries: 'query -S tiles STORE' is 'paper jiang tiles STORE'.
 * \return 1: it was one, with its exit code */
static int run_as_paper(int argc, char **argv, int *code)
{
    for (int i = 1, words; i < argc && strcmp(argv[i], "--") != 0; i++) {
        const char *name = summary_at(argv, i, argc, &words);
        if (!name || rc_summary_find(rc_summaries, name))
            continue;
        int is_plan = 0; /* two papers have a table prepare */
        for (int k = 1; k < argc; k++)
            is_plan |= strncmp(argv[k], "--plan", 6) == 0;
        const rc_paper_t *p = is_plan ? &rc_paper_jiang : rc_paper_of_table(name);
        if (!p)
            return 0;
        for (int k = i; k < i + words; k++)
            argv[k] = NULL;
        *code = rc_paper_run_as(p->name, name, argc, argv);
        return 1;
    }
    return 0;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    struct options *o = call->options;
    const rc_summary_t *s = o->name ? rc_summary_find(rc_summaries, o->name) : NULL;
    o->summary.store = call->operand[0];
    o->summary.op = o->rows.op;
    o->summary.by_matrix = o->name && o->matrices;
    if (o->fields)
        return rc_listing_fields(
            call->format, o->matrices ? &rc_source_fields : &rc_view_fields, err);
    if (!o->summary.store)
        return rc_fail(err, RC_EINVAL, "missing operand; usage: rowcast query [OPTIONS] FILE");
    RC_PASS(check(o, s, err));
    return s ? rc_rows_summary("query", s, &o->rows, &o->summary, call->format, err)
             : query_rows(o, o->summary.store, call->format, err);
}

const rc_command_t rc_command_query = {
    .name = "query",
    .summary = "print rows or summary tables of a store",
    .usage = "[OPTIONS] FILE",
    .description =
        "Prints the newest result of each case, or with --summary a table. Summaries "
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
        "A listing marks rows of status noisy with ~, for they are in no table; csv and json say "
        "it in the column status alone. Cases that are "
        "still in journals are not shown: see 'rowcast status' and 'rowcast fold'.",
    .examples =
        "rowcast query real.h5 --summary speedup|speedup of each order, oracle last\n"
        "rowcast query real.h5 -S versus -A 'gstat*@any' -B 'cusparse*@csr'|the best order "
        "against the vendor's library\n"
        "rowcast query real.h5 -w 'speedup > 1.5' --columns fullname,order,k,speedup|where "
        "reordering pays\n"
        "rowcast query real.h5 -w 'k == 32' --sort=-speedup --limit 10|the ten largest speedups\n"
        "rowcast query real.h5 --matrices -w 'status != ok && where == file'|what could not be "
        "read\n"
        "rowcast query real.h5 --columns all -f csv|everything, for other tools",
    .options = table,
    RC_COMMAND_DEFAULTS(struct options, .limit = -1),
    .operands = {0, 1},
    .instead = run_as_paper,
    .work = run,
};
