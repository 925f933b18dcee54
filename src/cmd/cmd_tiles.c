#include "config.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/one_matrix.h"
#include "sparse/tiles.h"

struct options {
    rc_one_matrix_options_t matrix;
    const char *policy;
    const char *rows;
    int64_t panel;
    int64_t col_min;
    int64_t tile_cols;
    int64_t tile_min;
};

#define MATRIX(member) RC_AT(matrix.member)

static const rc_opt_t options[] = {
    RC_OPT("order", 'p', RC_OPT_TEXT, RC_AT(policy), "ORDER",
        "Row order, as for rowcast order. Default csr: the original one."),
    RC_OPT("rows", 0, RC_OPT_TEXT, RC_AT(rows), "FILE",
        "Row order from a file, as rowcast order --rows writes it: the same as --order file:FILE."),
    {"panel", 0, RC_OPT_INT, RC_AT(panel), "N", "Slots of a panel. Default 128.", 1, INT32_MAX},
    {"col-min", 0, RC_OPT_INT, RC_AT(col_min), "N",
        "Entries of a panel in a column from which on the column is dense there. Default 16.", 1,
        INT32_MAX},
    {"tile-cols", 0, RC_OPT_INT, RC_AT(tile_cols), "N", "Columns of a tile. Default 128.", 1,
        INT32_MAX},
    {"tile-min", 0, RC_OPT_INT, RC_AT(tile_min), "N",
        "Dense columns of a panel below which it has no tile. Default 17.", 1, INT32_MAX},
    RC_ONE_MATRIX_OPTIONS(MATRIX),
    RC_OPT("format", 'f', RC_OPT_TEXT, MATRIX(format), "FORMAT",
        "Of what is printed: table (default), csv or json."),
    RC_OPT_END,
};

static rc_status_t print(rc_table_format_t format, const rc_tile_figures_t *f, rc_err_t *err)
{
    static const char columns[] =
        "panels|tiles|dense_columns|nnz_dense|dense_ratio|similarity|rest_similarity|panel_reuse_8|"
        "panel_reuse_128";
    enum { digits = 4 };
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    RC_CELLS(t, RC_INT(f->panels), RC_INT(f->tiles), RC_INT(f->dense_columns), RC_INT(f->nnz_dense),
        RC_REAL(f->dense_ratio, digits), RC_REAL(f->similarity, digits),
        RC_REAL(f->rest_similarity, digits), RC_REAL(f->panel_reuse_8, digits),
        RC_REAL(f->panel_reuse_128, digits));
    return rc_table_end(t, err);
}

/* The text of the order, however it was named. */
static rc_status_t name_policy(const struct options *o, rc_str_t *out, rc_err_t *err)
{
    if (o->rows)
        rc_str_addf(out, "file:rows=%s", o->rows);
    else
        rc_str_add(out, o->policy ? o->policy : "csr");
    return out->failed ? rc_fail(err, RC_ENOMEM, "no memory for a name") : RC_OK;
}

static rc_status_t tiles(const rc_one_matrix_t *m, const void *chosen, rc_err_t *err)
{
    const struct options *o = chosen;
    const rc_tile_rule_t rule = {
        (int32_t)o->panel, (int32_t)o->col_min, (int32_t)o->tile_cols, (int32_t)o->tile_min};
    rc_str_t text = {0};
    rc_policy_spec_t policy;
    rc_schedule_t s = {0};
    rc_tile_figures_t f;
    double seconds;
    rc_status_t st;
    RC_TRY(name_policy(o, &text, err));
    RC_TRY(rc_policy_spec_parse(text.text, &policy, err));
    RC_TRY(rc_one_matrix_order(&policy, m, NULL, &s, &seconds, err));
    RC_TRY(rc_tile_figures(&m->a, &s, &rule, m->threads, &f, err));
    st = print(m->format, &f, err);
done:
    rc_str_free(&text);
    rc_schedule_free(&s);
    return st;
}

static rc_status_t check(const void *chosen, int *orders, rc_err_t *err)
{
    const struct options *o = chosen;
    rc_str_t policy = {0};
    if (o->policy && o->rows)
        return rc_fail(err, RC_EINVAL, "--order and --rows both name an order");
    rc_status_t st = name_policy(o, &policy, err);
    if (st == RC_OK)
        st = rc_one_matrix_policy(policy.text, orders, err);
    rc_str_free(&policy);
    return st;
}

const rc_command_t rc_command_tiles = {
    .name = "tiles",
    .summary = "print the dense tiles and the similarity of a row order",
    .usage = "FILE [--order ORDER | --rows FILE]",
    .description = RC_FILE_HELP
    "\n\n"
    "Prints a line, after Jiang et al. 2020: panels of consecutive slots; tiles; dense columns, "
    "summed over panels; the entries in tiles and their share of all; the mean Jaccard "
    "similarity of neighbours among the rows that have entries, of the whole matrix and of the "
    "entries outside of tiles; and the entries over the distinct columns of panels of 8 and of "
    "128 slots: how many entries one load of a row of B serves.\n\n"
    "The dense columns of a panel are taken by decreasing count, then by column. Fewer than "
    "--tile-min make no tile; of more than --tile-cols a multiple of it is kept. Pads take "
    "slots. What a symmetric order does to the columns is left aside.",
    .examples = "rowcast tiles bcsstk17.mtx|of the original order\n"
                "rowcast tiles a.mtx -p metis:part=128 -f json|of another one, for a program\n"
                "rowcast tiles a.mtx --rows rows.txt --col-min 8 --tile-min 9|of a stored one",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .matrix = RC_ONE_MATRIX_DEFAULTS, .panel = 128,
        .col_min = 16, .tile_cols = 128, .tile_min = 17),
    .operands = {1, 1},
    .one_matrix = &(const rc_one_matrix_work_t){check, tiles},
};
