#include "config.h"
#include "analysis/papers/nisa/nisa.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/rows.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    rc_rows_options_t rows;
    rc_summary_options_t table;
    rc_nisa_fits_t fits;
    rc_learn_options_t learn;
    const char *format;
    int unsealed;
};

#define ROWS(member) RC_AT(rows.member)
#define TABLE(member) RC_AT(table.member)
#define FITS(member) RC_AT(fits.member)
#define LEARN(member) RC_AT(learn.member)

static const rc_opt_t options[] = {
    RC_ROWS_OPTIONS(ROWS),
    RC_FORMAT_OPTION(RC_AT(format)),
    RC_OPT("matrices", 'M', RC_OPT_FLAG, TABLE(by_matrix), NULL,
        "Of suite-rate: a line for each matrix, kernel and order."),
    RC_TABLE_OPTIONS(TABLE),
    RC_OPT("kernel", 0, RC_OPT_TEXT, TABLE(kernel), "KERNEL",
        "Of prepare (hong): the name of a kernel, without parameters. Default: rs."),
    RC_OPT("plan", 0, RC_OPT_TEXT, TABLE(plan), "PLAN",
        "Of prepare (jiang): a plan as classes takes them. What its order, tiles and second round "
        "take, and after how many products that has paid against aspt-nr. Default: aspt-rr."),
    RC_OPT("contestants", 0, RC_OPT_TEXT, TABLE(contestants), "LIST",
        "Of profile: all (rs with a tuning, cuSPARSE as the paper had it, its fastest; with --op "
        "spmm_t, its products with A'), iterated (square matrices, where C is the next B), loops "
        "(over products with a vector), or sides as of versus with ';' between; --op both adds up "
        "both products. Default: all."),
    RC_OPT("limits", 0, RC_OPT_TEXT, TABLE(limits), "FILE",
        "Of roofline: what 'rowcast calibrate --limits' wrote, or the name of such a file "
        "(without .json) in $ROWCAST_TUNING. Default: the installed ones of the device of the "
        "results, limits-h200 where there are none."),
    RC_OPT("model", 'm', RC_OPT_TEXT, FITS(models), "TRAINERS",
        "Of tables of fits: the models, comma-separated. Default: the paper's."),
    RC_OPT("features", 0, RC_OPT_TEXT, LEARN(features), "SETS",
        "Of accuracy and slowdown: 1, 1-2, 1-3, top7. Default: all."),
    RC_OPT("classes", 0, RC_OPT_TEXT, LEARN(classes), "LIST",
        "Of tables of fits: formats. Default: all six."),
    RC_OPT("missing", 0, RC_OPT_TEXT, LEARN(missing), "drop|worst",
        "Of tables of fits: a matrix on which a format failed is left out (default), or that "
        "format never fits."),
    RC_OPT("task", 0, RC_OPT_TEXT, LEARN(task), "format|time",
        "Of tables of fits: time goes with rme and indirect."),
    RC_OPT("split", 0, RC_OPT_TEXT, LEARN(split), "stratified|group",
        "Of tables of fits: stratified by the fastest format (the paper's), or by group (ours). "
        "Default: both."),
    RC_OPT("data", 0, RC_OPT_TEXT, FITS(data), "real|all",
        "Of tables of fits: the real matrices alone, or all. Default: one after the other."),
    RC_OPT("tolerance", 0, RC_OPT_TEXT, FITS(tolerance), "LIST",
        "Of tables of fits: a choice counts as right within so many percent. Default: 0,2,5; of "
        "indirect 0,5."),
    RC_OPT("tolerance-of", 0, RC_OPT_TEXT, FITS(tolerance_of), "measured|predicted",
        "Of indirect: of the least measured time (default), or the label's predicted time of the "
        "least predicted one."),
    {"seed", 0, RC_OPT_INT, LEARN(seed), "S",
        "Of tables of fits: seed of divisions and fits. Default: 1.", 0, 9007199254740991.0},
    RC_LEARN_FIT(LEARN),
    RC_UNSEALED_OPTION(RC_AT(unsealed)),
    RC_OPT_END,
};

static int run(int argc, char **argv);

const rc_command_t rc_command_paper = {
    .name = "paper",
    .summary = "print the tables and figures of five papers from a store",
    .usage = "[OPTIONS] PAPER TABLE STORE\n[PAPER [STORE]]",
    .description =
        "Prints a table or figure of a paper from the results of a store, with what the paper "
        "prints in columns paper. TABLE is a name, or what it shows: figure-7. Without TABLE it "
        "lists what there is, without PAPER of all five.\n\n"
        "Tables of rs (hong) leave out the training matrices of 'rowcast train --task "
        "parameters', and have a line for real matrices and one for all. Tables of row reordering "
        "(jiang) are for real matrices within the paper's limits, smaller ones, and generated "
        "ones.\n\n"
        "Tables of fits (nisa: accuracy, slowdown, rme, indirect, importance) are the study of y "
        "= A x in six formats. Five parts, stratified by the fastest format as in the paper, and "
        "by group as ours; each is predicted by models that are fitted on the others. Figures are "
        "means of the five, low and high their 95 % bootstrap interval over matrices, first that "
        "of the first part. Real matrices, and where a generator made some all again. accuracy: "
        "the choice is the fastest format; within_5: it takes at most 5 % longer; clear: accuracy "
        "where the fastest leads by more than two standard errors; common: of always choosing the "
        "most frequent one.",
    .examples =
        "rowcast paper|which tables and figures there are\n"
        "rowcast paper mehrabi speedup real.h5|Table I of Mehrabi et al.\n"
        "rowcast paper jiang classes tiles.h5 -A aspt-rr -B aspt-nr|plans by class of speedup\n"
        "rowcast paper nisa table-X spmv.h5|tables IV to X of Nisa et al.",
    .options = options,
    .run = run,
};

/* \param[in] only  NULL: all papers */
static rc_status_t list(const rc_paper_t *only, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] = "paper|table|shows|what";
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (int i = 0; rc_papers[i]; i++)
        for (int k = 0; rc_papers[i]->tables[k] && (!only || only == rc_papers[i]); k++) {
            const rc_summary_t *s = rc_papers[i]->tables[k];
            RC_CELLS(t, RC_TEXT(rc_papers[i]->name), RC_TEXT(s->name),
                RC_TEXT(s->shows ? s->shows : ""), RC_TEXT(s->summary));
        }
    return rc_table_end(t, err);
}

static rc_status_t no_table(const rc_paper_t *p, const char *word, rc_err_t *err)
{
    enum { most = 64 };
    const char *names[most];
    int n = 0;
    for (; p->tables[n] && n < most; n++)
        names[n] = p->tables[n]->name;
    (void)rc_fail_unknown(err, RC_EINVAL, "table", word, names, n);
    return rc_err_context(err, "%s", p->name);
}

static rc_status_t check(const struct options *o, const rc_summary_t *s, rc_err_t *err)
{
    const struct {
        const char *option;
        int given;
    } of_fits[] = {{"--model", o->fits.models != NULL}, {"--features", o->learn.features != NULL},
        {"--classes", o->learn.classes != NULL}, {"--missing", o->learn.missing != NULL},
        {"--task", o->learn.task != NULL}, {"--split", o->learn.split != NULL},
        {"--data", o->fits.data != NULL}, {"--tolerance", o->fits.tolerance != NULL},
        {"--tolerance-of", o->fits.tolerance_of != NULL}};
    for (size_t i = 0; i < sizeof of_fits / sizeof *of_fits && !s->fits; i++)
        if (of_fits[i].given)
            return rc_fail(
                err, RC_EINVAL, "%s does not go with the table %s", of_fits[i].option, s->name);
    return rc_summary_check(s, &o->table, err);
}

static rc_status_t print(struct options *o, const rc_summary_t *s, const char *store,
    rc_table_format_t format, rc_err_t *err)
{
    o->table.store = store;
    o->table.op = o->rows.op;
    o->table.paper = 1;
    o->table.fits = &o->fits;
    o->fits.generated = o->rows.generated;
    o->fits.learn = &o->learn;
    o->learn.op = o->rows.op;
    o->learn.k = o->rows.k;
    o->learn.precision = o->rows.precision;
    o->learn.device = o->rows.device;
    o->learn.where = o->rows.where;
    return rc_rows_summary("paper", s, &o->rows, &o->table, format, err);
}

static int run(int argc, char **argv)
{
    struct options o = {.learn = RC_LEARN_DEFAULTS};
    char **word;
    rc_err_t err = {0};
    rc_table_format_t format;
    int code = rc_command_parse(&rc_command_paper, &o, argc, argv, 0, 3, &word, stderr);
    if (code != RC_EXIT_OK)
        return code;
    int words = (int)(argv + argc - word);
    const rc_paper_t *p = words > 0 ? rc_paper_find(word[0]) : NULL;
    const rc_summary_t *s = words > 1 && p ? rc_paper_table(p, word[1]) : NULL;
    rc_status_t st = rc_table_format_parse(o.format, &format, &err);
    if (st == RC_OK && words > 0 && !p)
        st = rc_fail(
            &err, RC_EINVAL, "expected mehrabi, hong, nisa, jiang or lane, found '%s'", word[0]);
    else if (st == RC_OK && !s && (words == 3 || (words == 2 && access(word[1], F_OK) != 0)))
        st = no_table(p, word[1], &err);
    else if (st == RC_OK && words == 2 && s)
        st = rc_fail(&err, RC_EINVAL, "missing operand; usage: rowcast paper PAPER TABLE STORE");
    else if (st == RC_OK && s)
        st = check(&o, s, &err);
    if (st == RC_OK && words > 1 &&
        rc_command_unsealed(&rc_command_paper, o.unsealed, word + words - 1, 1, &code))
        return code;
    if (st == RC_OK)
        st = s ? print(&o, s, word[2], format, &err) : list(p, format, &err);
    return st < 0 ? rc_command_fail(&rc_command_paper, &err) : RC_EXIT_OK;
}

int rc_paper_run_as(const char *paper, const char *table, int argc, char **argv)
{
    char **moved = calloc((size_t)argc + 3, sizeof *moved);
    int n = 0;
    if (!moved)
        return RC_EXIT_ERROR;
    moved[n++] = argv[0];
    moved[n++] = (char *)(uintptr_t)paper;
    moved[n++] = (char *)(uintptr_t)table;
    for (int i = 1; i < argc; i++)
        if (argv[i])
            moved[n++] = argv[i];
    int code = run(n, moved);
    free(moved);
    return code;
}
