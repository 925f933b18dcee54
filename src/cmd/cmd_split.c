#include "config.h"
#include "base/error.h"
#include "cmd/numbers.h"
#include "cmd/one_matrix.h"
#include "sparse/segments.h"

struct options {
    rc_one_matrix_options_t matrix;
    int64_t w;
    int64_t t;
    const char *dump;
};

#define MATRIX(member) RC_AT(matrix.member)

static const rc_opt_t options[] = {
    {"w", 0, RC_OPT_INT, RC_AT(w), "W", "Columns of a panel, a power of two. Default 256.", 1,
        1 << 30},
    {"t", 0, RC_OPT_INT, RC_AT(t), "T",
        "Entries of a row in a panel beyond which they are a heavy segment. Default 4. 0: all are "
        "heavy; W or more: none is.",
        0, INT32_MAX},
    RC_OPT("dump", 0, RC_OPT_TEXT, RC_AT(dump), "DIR",
        "Split the matrix and write the arrays, one number a line, into DIR/NAME.txt. DIR is made "
        "when it is not there."),
    RC_ONE_MATRIX_READING(MATRIX),
    RC_OPT("format", 'f', RC_OPT_TEXT, MATRIX(format), "FORMAT",
        "Of what is printed: table (default), csv or json."),
    RC_OPT_END,
};

static rc_status_t print(rc_table_format_t format, const rc_segments_size_t *s, rc_err_t *err)
{
    static const char columns[] =
        "w|t|panels|segments|heavy_segments|heavy_panels|nnz_heavy|nnz_light|light_rows|"
        "heavy_ratio";
    const int64_t count[] = {s->rule.w, s->rule.t, s->panels, s->segments, s->heavy,
        s->heavy_panels, s->nnz_heavy, s->nnz_light, s->light_rows};
    enum { digits = 4 };
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (size_t i = 0; i < sizeof count / sizeof *count; i++)
        rc_table_int(t, count[i]);
    rc_table_real(t, rc_segments_ratio(s), digits);
    return rc_table_end(t, err);
}

/* -------------------------------------------------------------------- dump */

static int64_t local_col(const void *s, int64_t i)
{
    return rc_segments_col(s, i);
}

static rc_status_t put_values(
    rc_numbers_t *to, const char *name, const double *value, int64_t n, rc_err_t *err)
{
    FILE *f = NULL;
    rc_status_t st = rc_numbers_open(to, name, &f, err);
    for (int64_t i = 0; st == RC_OK && i < n && !ferror(f); i++)
        fprintf(f, "%.17g\n", value[i]);
    return st < 0 ? st : rc_numbers_close(to, err);
}

static rc_status_t dump(const char *dir, const rc_segments_t *s, rc_err_t *err)
{
    const rc_segments_size_t *n = &s->size;
    const struct {
        const char *name;
        rc_format_at_fn *at;
        const void *from;
        int64_t count;
    } whole[] = {{"panel_ptr", rc_format_at_int64, s->panel_ptr, n->panels + 1},
        {"seg_row", rc_format_at_int32, s->row, n->heavy},
        {"seg_ptr", rc_format_at_int64, s->ptr, n->heavy + 1},
        {"heavy_col", local_col, s, n->nnz_heavy},
        {"light_ptr", rc_format_at_int64, s->light_ptr, n->rows + 1},
        {"light_col", rc_format_at_int32, s->light_col, n->nnz_light}};
    rc_numbers_t to = {0};
    rc_status_t st;
    RC_TRY(rc_numbers_begin(&to, dir, err));
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        RC_TRY(rc_numbers_put(&to, whole[i].name, whole[i].at, whole[i].from, whole[i].count, err));
    RC_TRY(put_values(&to, "heavy_val", s->val, n->nnz_heavy, err));
    st = put_values(&to, "light_val", s->light_val, n->nnz_light, err);
done:
    return rc_numbers_end(&to, st, err);
}

/* --------------------------------------------------------------------- run */

static rc_status_t check(const void *chosen, int *orders, rc_err_t *err)
{
    (void)orders;
    const struct options *o = chosen;
    const rc_segments_rule_t rule = {o->w, o->t};
    return rc_segments_check(&rule, err);
}

static rc_status_t split(const rc_one_matrix_t *m, const void *chosen, rc_err_t *err)
{
    const struct options *o = chosen;
    const rc_segments_rule_t rule = {o->w, o->t};
    const rc_segments_source_t source = rc_segments_source_of(&m->a);
    rc_segments_t parts;
    rc_segments_size_t size;
    if (!o->dump) {
        RC_PASS(rc_segments_measure(&source, &rule, m->threads, &size, err));
        return print(m->format, &size, err);
    }
    RC_PASS(rc_segments_split(&source, &rule, m->threads, &parts, err));
    rc_status_t st = dump(o->dump, &parts, err);
    if (st == RC_OK)
        st = print(m->format, &parts.size, err);
    rc_segments_free(&parts);
    return st;
}

const rc_command_t rc_command_split = {
    .name = "split",
    .summary = "print how RS-SpMM splits a matrix into heavy and light row segments",
    .usage = "FILE [--w W] [--t T] [--dump DIR]",
    .description = RC_FILE_HELP
    "\n\n"
    "Prints a line, after Hong et al. 2018, section 3: W, T and the panels of W columns; the "
    "segments, which are the entries of a row in a panel; those of more than T entries, which are "
    "heavy, and the panels that have one; the entries in heavy segments and the other, light ones; "
    "the rows with a light entry; and the share of heavy entries, 0 where there are none.\n\n"
    "--dump writes: panel_ptr, the heavy segments before each panel; seg_row and seg_ptr, row and "
    "first entry of each, panel after panel; heavy_col, which counts from the first column of the "
    "panel, and heavy_val; light_ptr over all rows, light_col and light_val.",
    .examples = "rowcast split bcsstk17.mtx --w 256 --t 4 -f json|for a program\n"
                "rowcast split mesh3d:n=20 --w 64 --t 2 --dump parts|with the arrays",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .matrix = RC_ONE_MATRIX_DEFAULTS, .w = 256, .t = 4),
    .operands = {1, 1},
    .one_matrix = &(const rc_one_matrix_work_t){check, split},
};
