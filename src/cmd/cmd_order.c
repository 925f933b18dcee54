#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/replace.h"
#include "base/str.h"
#include "cmd/numbers.h"
#include "cmd/one_matrix.h"
#include "io/mtx.h"
#include "order/mask.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    rc_one_matrix_options_t matrix;
    const char *policy;
    const char *output;
    const char *rows;
    const char *columns;
    const char *inverse;
    const char *groups;
    int explain;
};

#define MATRIX(member) RC_AT(matrix.member)

static const rc_opt_t options[] = {
    RC_OPT("order", 'p', RC_OPT_TEXT, RC_AT(policy), "ORDER",
        "Order with its parameters: lpt, random:seed=7, rcm, metis:part=128, file:rows.txt. "
        "'rowcast info' lists all. Required."),
    RC_OPT("output", 'o', RC_OPT_TEXT, RC_AT(output), "FILE",
        "Write the matrix with its rows in slot order (Matrix Market). Pads and rows that the "
        "order leaves out are not in it; columns stay as they are, unless the order is a "
        "symmetric one. - is stdout; then the table goes to stderr."),
    RC_OPT("rows", 0, RC_OPT_TEXT, RC_AT(rows), "FILE",
        "Write the order of the rows: lines starting with '#', then line p (from 0) holds the "
        "0-based original row that slot p takes, or -1 for a pad. It maps new position to "
        "original row."),
    RC_OPT("columns", 0, RC_OPT_TEXT, RC_AT(columns), "FILE",
        "Write the column order of a symmetric order likewise: new position to original column."),
    RC_OPT("inverse", 0, RC_OPT_TEXT, RC_AT(inverse), "FILE",
        "Write where each row went: line r (from 0) holds the slot that original row r is in, or "
        "-1 for a row that is left out."),
    RC_OPT("groups", 0, RC_OPT_TEXT, RC_AT(groups), "DIR",
        "Write the groups of an order that has them (parts, communities), a file a level: "
        "DIR/part_ptr.txt holds the first slot of each group and, last, the number of slots. DIR "
        "is made when it is not there; groups that an earlier order left in it are removed."),
    RC_OPT("explain", 0, RC_OPT_FLAG, RC_AT(explain), NULL,
        "Say in the summary how the order came about, where the order knows (blk, bandk, lsh, "
        "lsh-packed, jiang, pairs, auto)."),
    RC_ONE_MATRIX_OPTIONS(MATRIX),
    RC_OPT("format", 'f', RC_OPT_TEXT, MATRIX(format), "FORMAT",
        "Of the summary: table (default), csv or json."),
    RC_OPT_END,
};

/* ---------------------------------------------------------------- the matrix */

/* The rows in slot order, pads left out. */
static rc_status_t permute_rows(
    const rc_csr_t *a, const rc_schedule_t *s, rc_csr_t *out, rc_err_t *err)
{
    int64_t rows = 0;
    for (int64_t p = 0; p < s->slots; p++)
        rows += s->row[p] >= 0;
    RC_PASS(rc_csr_alloc(rows, a->cols, a->nnz, out, err));
    int64_t r = 0;
    for (int64_t p = 0; p < s->slots; p++) {
        if (s->row[p] < 0)
            continue;
        int64_t from = a->row_ptr[s->row[p]];
        int64_t n = a->row_ptr[s->row[p] + 1] - from;
        int64_t to = out->row_ptr[r];
        memcpy(out->col_idx + to, a->col_idx + from, (size_t)n * sizeof *a->col_idx);
        memcpy(out->val + to, a->val + from, (size_t)n * sizeof *a->val);
        out->row_ptr[++r] = to + n;
    }
    return RC_OK;
}

static rc_status_t permute(const rc_csr_t *a, const rc_schedule_t *s, rc_csr_t *out, rc_err_t *err)
{
    rc_csr_t b = {0};
    if (s->cols == 0)
        return permute_rows(a, s, out, err);
    rc_status_t st = rc_csr_renumber_columns(a, s->col, &b, err);
    if (st == RC_OK)
        st = permute_rows(&b, s, out, err);
    rc_csr_free(&b);
    return st;
}

/* --------------------------------------------------------------- the summary */

typedef struct summary {
    int64_t slots;
    int64_t pads;
    int64_t left_out;
    double distance; /* mean over adjacent rows; NaN for fewer than two */
    double load_max;
    double load_mean;
    double seconds;
} summary_t;

static rc_status_t summarise(const rc_csr_t *a, const rc_geometry_t *g, const rc_masks_t *masks,
    const rc_schedule_t *s, summary_t *out, rc_err_t *err)
{
    int64_t *load = rc_alloc0((size_t)g->nw, sizeof *load, "warp loads", err);
    RC_PASS(load ? RC_OK : RC_ENOMEM);
    int64_t rows = 0;
    double distance = 0;
    int32_t before = -1;
    int64_t sum = 0;
    int64_t most = 0;
    for (int64_t p = 0; p < s->slots; p++) {
        int32_t r = s->row[p];
        if (r < 0)
            continue;
        int64_t w = p % g->nw;
        int64_t l = (a->row_ptr[r + 1] - a->row_ptr[r] + g->nt - 1) / g->nt;
        load[w] += l;
        sum += l;
        if (load[w] > most)
            most = load[w];
        if (rows++)
            distance += (double)rc_mask_distance(masks, before, r);
        before = r;
    }
    free(load);
    out->slots = s->slots;
    out->pads = s->slots - rows;
    out->left_out = s->rows - rows;
    out->distance = rows > 1 ? distance / (double)(rows - 1) : NAN;
    out->load_max = (double)most;
    out->load_mean = (double)sum / (double)g->nw;
    return RC_OK;
}

static void print_summary(rc_table_t *t, const rc_policy_spec_t *p, const summary_t *s)
{
    char name[RC_POLICY_TEXT];
    rc_policy_spec_text(p, name);
    RC_CELLS(t, RC_TEXT(name), RC_INT(p->policy->version), RC_INT(s->slots), RC_INT(s->pads),
        RC_INT(s->left_out), RC_REAL(s->distance, 5), RC_REAL(s->load_max, 9),
        RC_REAL(s->load_mean, 5), RC_REAL(s->load_mean > 0 ? s->load_max / s->load_mean : NAN, 4),
        RC_REAL(s->seconds, 3));
}

static void print_fact(rc_table_t *t, const rc_fact_t *f)
{
    if (f->text[0])
        rc_table_text(t, f->text);
    else
        rc_table_int(t, f->value);
}

/* What is said of the order alone comes last. */
static rc_status_t print_both(FILE *out, rc_table_format_t format, const rc_policy_spec_t *csr,
    const summary_t *before, const rc_policy_spec_t *policy, const summary_t *after,
    const rc_facts_t *facts, rc_err_t *err)
{
    enum { always = 10 };
    rc_column_t columns[always + RC_FACTS_MAX] = {{"order", ""}, {"version", ""}, {"slots", ""},
        {"pads", ""}, {"left_out", "rows"}, {"distance_mean", "lines"}, {"load_max", "iterations"},
        {"load_mean", "iterations"}, {"imbalance", "max/mean"}, {"time", "s"}};
    for (int i = 0; i < facts->count; i++)
        columns[always + i] = (rc_column_t){facts->fact[i].name, ""};
    rc_table_t *t = rc_table_begin(out, format, columns, always + facts->count, err);
    print_summary(t, csr, before);
    for (int i = 0; i < facts->count; i++)
        rc_table_missing(t);
    print_summary(t, policy, after);
    for (int i = 0; i < facts->count; i++)
        print_fact(t, &facts->fact[i]);
    return rc_table_end(t, err);
}

/* ----------------------------------------------------------------- the files */

/* An order and what is said about it in the files. */
typedef struct made {
    const rc_one_matrix_t *m;
    const rc_policy_t *policy;
    char name[RC_POLICY_TEXT]; /* with its parameters */
    const rc_schedule_t *s;
    const summary_t *sum;
} made_t;

/* "# ..." lines; what says what a line holds. */
static void print_head(FILE *f, const char *what, const made_t *o)
{
    const rc_geometry_t *g = &o->m->geometry;
    fprintf(f,
        "%s# matrix: %s\n# order: %s@%d\n# nw: %" PRId32 "  nt: %" PRId32 "  line: %" PRId32 "\n"
        "# rows: %" PRId64 "  slots: %" PRId64 "  pads: %" PRId64 "  left out (empty): %" PRId64
        "\n",
        what, o->m->word, o->name, o->policy->version, g->nw, g->nt, g->line, o->s->rows,
        o->s->slots, o->sum->pads, o->sum->left_out);
}

/* n numbers, one a line: narrow, or else wide. */
static void put_numbers(FILE *f, const char *what, const made_t *o, const int32_t *narrow,
    const int64_t *wide, int64_t n)
{
    print_head(f, what, o);
    for (int64_t i = 0; i < n && !ferror(f); i++)
        fprintf(f, "%" PRId64 "\n", narrow ? narrow[i] : wide[i]);
}

/* The same, into a file that the user named. */
static rc_status_t write_numbers(const char *path, const char *what, const made_t *o,
    const int32_t *narrow, const int64_t *wide, int64_t n, rc_err_t *err)
{
    rc_replace_t r = {0};
    RC_PASS(rc_replace_begin(path, &r, err));
    put_numbers(r.file, what, o, narrow, wide, n);
    return rc_replace_end(&r, 1, err);
}

static rc_status_t write_inverse(const char *path, const made_t *o, rc_err_t *err)
{
    int64_t *slot = rc_alloc((size_t)o->s->rows, sizeof *slot, "the inverse of an order", err);
    RC_PASS(slot ? RC_OK : RC_ENOMEM);
    for (int64_t r = 0; r < o->s->rows; r++)
        slot[r] = -1;
    for (int64_t p = 0; p < o->s->slots; p++)
        if (o->s->row[p] >= 0)
            slot[o->s->row[p]] = p;
    rc_status_t st = write_numbers(path,
        "# rowcast inverse of a row order: line r below (from 0) is original row r and holds the\n"
        "# slot that it is in, or -1 when it is left out; it maps original row -> slot\n",
        o, NULL, slot, o->s->rows, err);
    free(slot);
    return st;
}

static rc_status_t write_groups(const char *dir, const made_t *o, rc_err_t *err)
{
    /* another order's groups are not this one's */
    rc_numbers_t to = {.old_end = "_ptr.txt", .old_first = "# rowcast groups of "};
    if (o->s->levels == 0)
        return rc_fail(err, RC_EINVAL, "--groups: %s has no groups", o->name);
    rc_status_t st;
    RC_TRY(rc_numbers_begin(&to, dir, err));
    for (int l = 0; l < o->s->levels; l++) {
        const rc_groups_t *g = &o->s->group[l];
        FILE *f = NULL;
        RC_TRY(rc_numbers_open(&to, g->name, &f, err));
        put_numbers(f,
            l == 0
                ? "# rowcast groups of slots: line i below (from 0) is the first slot of group i,\n"
                  "# the last line the number of slots\n"
                : "# rowcast groups of groups: line i below (from 0) is the first group (of the "
                  "level\n# below) of group i, the last line their number\n",
            o, NULL, g->ptr, g->count + 1);
        RC_TRY(rc_numbers_close(&to, err));
    }
done:
    return rc_numbers_end(&to, st, err);
}

static rc_status_t write_matrix(const char *path, const made_t *o, rc_err_t *err)
{
    const rc_one_matrix_t *m = o->m;
    const rc_geometry_t *g = &m->geometry;
    rc_csr_t b = {0};
    rc_str_t comment = {0};
    rc_status_t st;
    RC_TRY(permute(&m->a, o->s, &b, err));
    rc_str_addf(&comment,
        "rows%s of %s in the order %s@%d, nw %" PRId32 ", nt %" PRId32 ", line %" PRId32
        "\n%" PRId64 " pads and %" PRId64 " empty rows are left out",
        o->s->cols > 0 ? " and columns" : "", m->word, o->name, o->policy->version, g->nw, g->nt,
        g->line, o->sum->pads, o->sum->left_out);
    if (m->info.values_are_seeded)
        rc_str_addf(&comment, "\nthe values are seeded ones: the file is %s", m->info.field);
    st = comment.failed ? rc_fail(err, RC_ENOMEM, "no memory for a comment")
                        : rc_mtx_write(path, &b, comment.text, err);
done:
    rc_str_free(&comment);
    rc_csr_free(&b);
    return st;
}

static rc_status_t write_files(const struct options *o, const made_t *made, rc_err_t *err)
{
    const rc_schedule_t *s = made->s;
    rc_status_t st = RC_OK;
    if (o->rows)
        st = write_numbers(o->rows,
            "# rowcast row order: line p below (from 0) is slot p and holds the 0-based original\n"
            "# row that it takes, or -1 for a pad; it maps slot (new position) -> original row\n",
            made, s->row, NULL, s->slots, err);
    if (st == RC_OK && o->columns && !made->policy->columns)
        st = rc_fail(err, RC_EINVAL, "--columns: %s leaves the columns as they are", made->name);
    else if (st == RC_OK && o->columns)
        st = write_numbers(o->columns,
            "# rowcast column order: line p below (from 0) is the new position p and holds the "
            "0-based\n"
            "# original column; it maps new position -> original column\n",
            made, s->col, NULL, s->cols, err);
    if (st == RC_OK && o->inverse)
        st = write_inverse(o->inverse, made, err);
    if (st == RC_OK && o->groups)
        st = write_groups(o->groups, made, err);
    if (st == RC_OK && o->output)
        st = write_matrix(o->output, made, err);
    return st;
}

/* Lines of B are those of the new columns where an order renumbers them. */
static rc_status_t look_at(const rc_one_matrix_t *m, const rc_policy_spec_t *policy,
    rc_facts_t *facts, rc_schedule_t *s, summary_t *sum, rc_err_t *err)
{
    rc_csr_t renumbered = {0};
    rc_masks_t masks = {0};
    rc_status_t st;
    RC_TRY(rc_one_matrix_order(policy, m, facts, s, &sum->seconds, err));
    if (s->cols > 0)
        RC_TRY(rc_csr_renumber_columns(&m->a, s->col, &renumbered, err));
    RC_TRY(
        rc_masks_build(s->cols > 0 ? &renumbered : &m->a, NULL, m->geometry.line, 1, &masks, err));
    st = summarise(&m->a, &m->geometry, &masks, s, sum, err);
done:
    rc_masks_free(&masks);
    rc_csr_free(&renumbered);
    return st;
}

static rc_status_t order(const rc_one_matrix_t *m, const void *chosen, rc_err_t *err)
{
    const struct options *o = chosen;
    rc_policy_spec_t csr;
    rc_policy_spec_t policy;
    rc_schedule_t original = {0};
    rc_schedule_t s = {0};
    summary_t before = {0};
    summary_t after = {0};
    rc_facts_t facts = {0};
    FILE *out = rc_replace_is_stdout(o->output) || rc_replace_is_stdout(o->rows) ||
                        rc_replace_is_stdout(o->columns) || rc_replace_is_stdout(o->inverse)
                    ? stderr
                    : stdout;
    rc_status_t st;
    RC_TRY(rc_policy_spec_parse("csr", &csr, err));
    RC_TRY(rc_policy_spec_parse(o->policy, &policy, err));
    RC_TRY(look_at(m, &csr, NULL, &original, &before, err));
    RC_TRY(look_at(m, &policy, o->explain ? &facts : NULL, &s, &after, err));
    made_t made = {.m = m, .policy = policy.policy, .s = &s, .sum = &after};
    rc_policy_spec_text(&policy, made.name);
    RC_TRY(write_files(o, &made, err));
    st = print_both(out, m->format, &csr, &before, &policy, &after, &facts, err);
done:
    rc_schedule_free(&original);
    rc_schedule_free(&s);
    return st;
}

static rc_status_t check(const void *chosen, int *orders, rc_err_t *err)
{
    const struct options *o = chosen;
    return o->policy ? rc_one_matrix_policy(o->policy, orders, err)
                     : rc_fail(err, RC_EINVAL, "--order is missing");
}

const rc_command_t rc_command_order = {
    .name = "order",
    .summary = "put the rows of a matrix in an order",
    .usage = "FILE --order ORDER [-o FILE] [--rows FILE] [--columns FILE] [--groups DIR]",
    .description = RC_FILE_HELP
    "\n\n"
    "Prints two lines, for the original order and for the one asked for: slots, pads and rows left "
    "out, the mean distance of rows in adjacent slots (cache lines that only one of the two "
    "needs, pads skipped), the largest and mean load of a warp (iterations of nt entries), "
    "their ratio, and the time to build the order.\n\n"
    "The rows file maps from slot to original row: if its line p, counted from 0 "
    "after the '#' lines, holds r >= 0, then slot p takes row r of FILE, and row number of "
    "-o's matrix is the number of slots before p that are not pads.\n\n"
    "With --explain, for lsh and jiang (Jiang et al. 2020), the line of the order goes on: "
    "units, the rows that are compared, of equal ones one; candidates looked at, summed over "
    "bands; pairs kept; bands used; clusters, rows alone included; rows of the largest cluster. "
    "lsh-packed adds how many straddle two panels (pieces, where clusters are larger than a "
    "panel), jiang what the rule says of the first round and of the second one, which belongs to "
    "a kernel with tiles. Of blk and pairs: blocks or groups, and the distinct columns of each, "
    "summed. Of auto: what was chosen, and entries and distinct columns of sampled runs of 64 "
    "slots, before and in that order or the one tried last (0: none). Of bandk: super-rows and "
    "super-super-rows.\n\n"
    "A symmetric order (rcm, bandk, amd) renumbers rows and columns of a square matrix alike; the "
    "mean distance and -o's matrix are in the new numbering.",
    .examples =
        "rowcast order bcsstk17.mtx --order lpt|what balancing the load would do\n"
        "rowcast order a.mtx -p cta -o b.mtx --rows rows.txt|reorder, and keep the map\n"
        "rowcast order a.mtx -p rcm -o b.mtx --columns cols.txt|renumber rows and columns\n"
        "rowcast order a.mtx -p metis:part=64 --rows rows.txt --groups parts|a partition\n"
        "rowcast order a.mtx -p bandk:srs=8:ssrs=8 --rows rows.txt --groups dir|rows and pointers "
        "of CSR-3\n"
        "rowcast order a.mtx -p lsh:size=128 --rows rows.txt --explain|similar rows side by side\n"
        "rowcast order mesh3d:n=20 -p warp --nw 8 --nt 16 --line 16|a CPU, in fp32",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .matrix = RC_ONE_MATRIX_DEFAULTS),
    .operands = {1, 1},
    .one_matrix = &(const rc_one_matrix_work_t){check, order},
};
