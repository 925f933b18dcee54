#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/type.h"
#include "cmd/cmd.h"
#include "analysis/print/evaluation.h"
#include "analysis/learn.h"
#include "cmd/named.h"
#include "cmd/rows.h"
#include "model/domain.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    rc_learn_options_t learn;
    rc_compare_command_t fits;
    const char *format;
    int seen;
    int extrapolate;
    int when;
    rc_when_command_t of_when;
    int unsealed;
};

#define LEARN(member) RC_AT(learn.member)

static const rc_opt_t table[] = {
    RC_OPT("model", 'm', RC_OPT_TEXT, RC_AT(fits.model), "MODEL",
        "The model to evaluate: a file or a name. With --compare, --ablation and --topologies: "
        "the trainers, e.g. 'mlp,regret' (default: all for --compare, mlp for the others)."),
    RC_OPT("seen", 0, RC_OPT_FLAG, RC_AT(seen), NULL,
        "Also the rows of matrices that the model was fitted on: the figures are optimistic then, "
        "and marked so."),
    RC_OPT("extrapolate", 0, RC_OPT_FLAG, RC_AT(extrapolate), NULL,
        "Also the rows that are outside of what the model knows (K, range of features); without it "
        "they are left out, and counted."),
    RC_OPT("compare", 0, RC_OPT_FLAG, RC_AT(fits.compare), NULL,
        "Fit and evaluate all trainers under the same division of the rows, side by side."),
    RC_OPT("ablation", 0, RC_OPT_FLAG, RC_AT(fits.ablation), NULL,
        "Compare all features with the matrix-only ones (n_row .. nnz_blocks_per_row)."),
    RC_OPT("topologies", 0, RC_OPT_FLAG, RC_AT(fits.topologies), NULL,
        "Compare hidden layers of a network; --hidden may then list several, separated by ';'."),
    RC_OPT("when", 0, RC_OPT_FLAG, RC_AT(when), NULL,
        "When a row order pays: decisions before it is built, by a rule and by a model, with what "
        "they cost. --kernel and --classes may then be lists of patterns: the fastest kernel "
        "counts (default '" RC_SIDE_OURS
        "'), and the first of the orders that a matrix has (default "
        "auto,cells*)."),
    RC_OPT("reuse", 'r', RC_OPT_TEXT, RC_AT(of_when.reuse), "LIST",
        "With --when: products that an order serves. Default: 100,1000."),
    RC_OPT("order-cost", 0, RC_OPT_TEXT, RC_AT(of_when.order), "NS,ROW,ENTRY",
        "With --when: building an order takes NS + ROW rows + ENTRY entries, in ns, as on a GPU. "
        "Default: the time on the host that the store has."),
    RC_OPT("feature-cost", 0, RC_OPT_TEXT, RC_AT(of_when.feature), "NS,ROW,ENTRY",
        "With --when: the same of the features."),
    RC_OPT("l2", 0, RC_OPT_BYTES, RC_AT(of_when.l2), "BYTES",
        "With --when: size of the L2 of the device. Default: that of an H200."),
    RC_LEARN_SELECTION(LEARN),
    RC_LEARN_PROTOCOL(LEARN),
    RC_LEARN_FIT(LEARN),
    RC_OPT("format", 'f', RC_OPT_TEXT, RC_AT(format), "FORMAT",
        "table (default) or json; of a comparison also csv."),
    RC_UNSEALED_OPTION(RC_AT(unsealed)),
    RC_OPT_END,
};

/* ---------------------------------------------------------------- of a model file */

/* What only a fit is told has no meaning for a model that is there. */
static rc_status_t refuse_fit_options(const rc_learn_options_t *o, rc_err_t *err)
{
    const struct {
        const char *name;
        int given;
    } option[] = {{"--task", o->task != NULL}, {"--kernel", o->kernel != NULL},
        {"--classes", o->classes != NULL}, {"--portfolio", o->portfolio > 0},
        {"--baseline", o->baseline != NULL}, {"--features", o->features != NULL},
        {"--device", o->device != NULL}, {"--split", o->split != NULL},
        {"--test-share", o->test_share > 0}, {"--folds", o->folds > 0},
        {"--weights", o->weights != NULL}, {"--hidden", o->hidden != NULL}, {"--l2", o->l2 >= 0},
        {"--restarts", o->restarts > 0}, {"--members", o->members > 0},
        {"--epochs", o->epochs > 0}};
    for (size_t i = 0; i < sizeof option / sizeof *option; i++)
        if (option[i].given)
            return rc_fail(err, RC_EINVAL,
                "%s is of --compare, --ablation and --topologies; a model file has its own",
                option[i].name);
    return RC_OK;
}

static rc_status_t check_operation(const rc_learn_options_t *o, const rc_model_t *m, rc_err_t *err)
{
    int32_t wanted = m->operation;
    if (o->op && rc_model_operation_parse(o->op, &wanted, err) < 0)
        return rc_err_context(err, "--op");
    if (wanted != m->operation)
        return rc_fail(err, RC_EINVAL, "--op: the model was trained on %s, found '%s'",
            rc_model_operation(m), o->op);
    return RC_OK;
}

static const char *noted(const rc_model_t *m, const char *object, const char *key)
{
    return json_string_value(json_object_get(json_object_get(m->training, object), key));
}

/* The K that a model knows. */
static void add_known_k(rc_str_t *s, const rc_model_t *m)
{
    const rc_model_ks_t *ks = &m->ks;
    if (!ks->count && !ks->n)
        return;
    rc_str_addf(s, " && (%s", ks->n ? "k == cols" : "");
    if (ks->count && rc_model_has_input(m, "k"))
        rc_str_addf(s, "%s(k >= %" PRId64 " && k <= %" PRId64 ")", ks->n ? " || " : "", ks->k[0],
            ks->k[ks->count - 1]);
    else
        for (int i = 0; i < ks->count; i++)
            rc_str_addf(s, "%sk == %" PRId64, i || ks->n ? " || " : "", ks->k[i]);
    rc_str_add(s, ")");
}

/* The rows that the options choose.
 * \param[in]     m      whose K count where none is asked for; NULL: none
 * \param[in,out] room   zeroed; rc_str_free  \param[out] where  in it; NULL: all */
static rc_status_t make_where(const rc_learn_options_t *o, const rc_model_t *m, rc_str_t *room,
    const char **where, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    if (o->where)
        rc_str_addf(room, " && (%s)", o->where);
    if (o->k)
        st = rc_rows_add_list("--k", "k", o->k, 0, room, err);
    else if (m)
        add_known_k(room, m);
    if (st == RC_OK && o->precision)
        st = rc_rows_add_list("--precision", "precision", o->precision, 0, room, err);
    if (st == RC_OK && room->failed)
        st = rc_fail(err, RC_ENOMEM, "no memory for a filter");
    *where = room->len ? room->text + strlen(" && ") : NULL;
    return st;
}

/* The class that was best on the training part, when the model knows it; -1. */
static int single_of(const rc_model_t *m)
{
    const char *name = json_string_value(json_object_get(m->evaluation, "single"));
    const char *on = json_string_value(json_object_get(m->evaluation, "single_chosen_on"));
    for (int c = 0; name && on && strcmp(on, "the training part") == 0 && c < m->classes; c++)
        if (strcmp(m->cls[c].name, name) == 0)
            return c;
    return -1;
}

static int is_by_group(const rc_model_t *m)
{
    const char *split = noted(m, "protocol", "split");
    return !split || strcmp(split, "group") == 0;
}

/* Leave out the rows that the model does not know.  \param[in,out] n  of row */
static rc_status_t keep_known(const struct options *o, const rc_model_t *m, const rc_dataset_t *d,
    int64_t *row, int64_t *n, int64_t *outside, rc_err_t *err)
{
    int64_t kept = 0;
    rc_str_t first = {0};
    rc_status_t st = RC_OK;
    for (int64_t i = 0; i < *n; i++) {
        const rc_sample_t *s = &d->sample[row[i]];
        const double *value = d->value + row[i] * d->inputs;
        int known = rc_model_outside(m, s->k, s->cols, NULL, value, *outside ? NULL : &first) == 0;
        *outside += !known;
        if (known || o->extrapolate)
            row[kept++] = row[i];
    }
    if (kept == 0 && *n > 0) {
        char knows[256];
        rc_model_knows(m, knows, sizeof knows);
        st = rc_fail(err, RC_EINVAL,
            "%s does not know any of these %" PRId64 " rows, e.g. %.100s; it knows %.200s; "
            "--extrapolate counts them all the same",
            o->fits.model, *n, first.text ? first.text : "", knows);
    }
    rc_str_free(&first);
    *n = kept;
    return st;
}

static rc_status_t choose_rows(const struct options *o, const rc_model_t *m, const rc_dataset_t *d,
    int64_t *row, int64_t *n, int64_t *unseen, rc_err_t *err)
{
    *unseen = -1;
    rc_status_t st = rc_unseen_rows(m, d, is_by_group(m), row, unseen, err);
    if (st == RC_EINVAL && o->seen) { /* it does not say what it was fitted on */
        *err = (rc_err_t){0};
        st = RC_OK;
    }
    if (st < 0)
        return st;
    *n = *unseen;
    if (!o->seen && *n == 0)
        return rc_fail(err, RC_EINVAL,
            "%s was fitted on all %" PRId64 " matrices of these rows%s: figures on them would be "
            "optimistic; --seen prints them all the same",
            o->fits.model, rc_learn_matrices(d),
            is_by_group(m) ? ", or on others of their groups" : "");
    if (o->seen)
        for (*n = 0; *n < d->rows; (*n)++)
            row[*n] = *n;
    return RC_OK;
}

typedef struct counts {
    int64_t chosen;  /* rows to be evaluated, before those outside are left out */
    int64_t unseen;  /* -1: unknown */
    int64_t outside; /* of what the model knows */
} counts_t;

static rc_status_t print_model(const struct options *o, const char *store, const rc_model_t *m,
    const rc_dataset_t *d, const rc_evaluation_t *e, const counts_t *rows, rc_table_format_t format,
    rc_err_t *err)
{
    char text[320];
    int64_t n = rows->chosen;
    int64_t unseen = rows->unseen;
    if (!o->seen)
        (void)snprintf(text, sizeof text,
            "%" PRId64 " of %" PRId64 " rows, of matrices%s that the model was not fitted on", n,
            d->rows, is_by_group(m) ? " and groups" : "");
    else if (unseen >= 0)
        (void)snprintf(text, sizeof text,
            "all %" PRId64 " rows, %" PRId64 " of them of matrices%s that the model was fitted on: "
            "optimistic",
            n, n - unseen, is_by_group(m) ? " or groups" : "");
    else
        (void)snprintf(text, sizeof text,
            "all %" PRId64
            " rows; the model does not say what it was fitted on: perhaps optimistic",
            n);
    size_t length = strlen(text);
    if (rows->outside > 0)
        (void)snprintf(text + length, sizeof text - length,
            "; %" PRId64 " of them outside of what the model knows: %s", rows->outside,
            o->extrapolate ? "extrapolated" : "left out");
    json_t *about = rc_learn_about(d, store, o->fits.model, err);
    RC_PASS(about ? RC_OK : RC_ENOMEM);
    if (format == RC_TABLE_TEXT)
        printf("%s (%s), task %s: %s.\n", o->fits.model, m->kind, rc_task_names[m->task], text);
    rc_status_t st = RC_OK;
    if (json_object_set_new(about, "evaluated", json_string(text)) < 0 ||
        json_object_set_new(about, "kind", json_string(m->kind)) < 0 ||
        json_object_set_new(about, "seen", json_boolean(o->seen)) < 0)
        st = rc_fail(err, RC_ENOMEM, "no memory for an evaluation");
    if (st == RC_OK)
        st = rc_evaluation_print(d, e, format, about, err);
    json_decref(about);
    return st;
}

static rc_status_t evaluate_model(
    const struct options *o, const char *store, rc_table_format_t format, rc_err_t *err)
{
    rc_model_t *m = NULL;
    rc_dataset_t d = {0};
    rc_predictions_t p = {0};
    rc_evaluation_t e = {0};
    rc_str_t room = {0};
    const char *where;
    int64_t *row = NULL;
    int64_t n = 0;
    counts_t rows = {0};
    rc_status_t st;
    RC_TRY(refuse_fit_options(&o->learn, err));
    RC_TRY(rc_command_model(o->fits.model, &m, err));
    RC_TRY(make_where(&o->learn, m, &room, &where, err));
    RC_TRY(check_operation(&o->learn, m, err));
    RC_TRY(rc_dataset_read_for(store, m, where, &d, err));
    RC_TRY(RC_NEW(row, d.rows, "rows", err));
    RC_TRY(choose_rows(o, m, &d, row, &rows.chosen, &rows.unseen, err));
    n = rows.chosen;
    RC_TRY(keep_known(o, m, &d, row, &n, &rows.outside, err));
    RC_TRY(rc_predict_rows(m, &d, row, n, &p, err));
    RC_TRY(rc_evaluate(&d, &p, single_of(m), (uint64_t)o->learn.seed, &e, err));
    if (!o->learn.quiet)
        rc_learn_describe(&d, "evaluate", stderr);
    RC_TRY(print_model(o, store, m, &d, &e, &rows, format, err));
done:
    rc_str_free(&room);
    free(row);
    rc_evaluation_free(&e);
    rc_predictions_free(&p);
    rc_dataset_free(&d);
    rc_model_free(m);
    return st;
}

static rc_status_t when(
    const struct options *o, const char *store, rc_table_format_t format, rc_err_t *err)
{
    rc_str_t room = {0};
    rc_when_command_t w = o->of_when;
    rc_status_t st = make_where(&o->learn, NULL, &room, &w.where, err);
    w.kernels = o->learn.kernel;
    w.orders = o->learn.classes;
    if (st == RC_OK)
        st = rc_when_print(store, &w, format, err);
    rc_str_free(&room);
    return st;
}

static rc_status_t check(const struct options *o, rc_table_format_t format, rc_err_t *err)
{
    const rc_when_command_t *w = &o->of_when;
    int modes = o->fits.compare + o->fits.ablation + o->fits.topologies + o->when;
    if (modes > 1)
        return rc_fail(
            err, RC_EINVAL, "--compare, --ablation, --topologies and --when exclude each other");
    if (!o->when && (w->reuse || w->order || w->feature || w->l2))
        return rc_fail(
            err, RC_EINVAL, "--reuse, --order-cost, --feature-cost and --l2 are of --when");
    if (o->when && (o->fits.model || o->learn.device))
        return rc_fail(err, RC_EINVAL, "%s does not go with --when; choose rows by --where",
            o->fits.model ? "--model" : "--device");
    if (modes && (o->seen || o->extrapolate))
        return rc_fail(
            err, RC_EINVAL, "%s is of a model file", o->seen ? "--seen" : "--extrapolate");
    if (!modes && !o->fits.model)
        return rc_fail(err, RC_EINVAL,
            "nothing to evaluate: name a model with --model, or use --compare, --ablation, "
            "--topologies or --when");
    if (!modes && format == RC_TABLE_CSV)
        return rc_fail(err, RC_EINVAL, "--format: csv is of comparisons; expected table or json");
    return RC_OK;
}

/* The study was a protocol of this: 'evaluate --protocol nisa --tables STORE' is 'paper nisa
 * accuracy STORE'.
 * \return 1: it was asked for, with its exit code */
static int run_as_paper(int argc, char **argv, int *code)
{
    static const struct {
        const char *option;
        const char *name;
    } list[] = {{"--tables", "accuracy"}, {"--slowdown", "slowdown"}, {"--rme", "rme"},
        {"--indirect", "indirect"}, {"--importance", "importance"}};
    const char *name = NULL;
    int is_study = 0;
    for (int i = 1; i < argc; i++)
        is_study |= strncmp(argv[i], "--protocol", 10) == 0;
    for (int i = 1; is_study && i < argc; i++) {
        for (size_t k = 0; argv[i] && k < sizeof list / sizeof *list; k++)
            if (strcmp(argv[i], list[k].option) == 0) {
                name = list[k].name;
                argv[i] = NULL;
            }
        if (!argv[i] || strncmp(argv[i], "--protocol", 10) != 0)
            continue;
        if (!argv[i][10] && i + 1 < argc)
            argv[i + 1] = NULL;
        argv[i] = NULL;
    }
    if (is_study)
        *code = rc_paper_run_as("nisa", name ? name : "accuracy", argc, argv);
    return is_study;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    struct options *o = call->options;
    const char *store = call->operand[0];
    RC_PASS(check(o, call->format, err));
    o->fits.learn = &o->learn;
    if (o->when)
        return when(o, store, call->format, err);
    if (o->fits.compare || o->fits.ablation || o->fits.topologies)
        return rc_compare_print(store, &o->fits, call->format, err);
    return evaluate_model(o, store, call->format, err);
}

const rc_command_t rc_command_evaluate = {
    .name = "evaluate",
    .summary = "evaluate a selector, or compare trainers, on the results of a store",
    .usage = "[OPTIONS] STORE",
    .description =
        "With a model file: what it chooses on the rows of a store, against the measured times. "
        "Only rows of matrices that it was not fitted on count, and of other groups when it was "
        "trained with --split group. A model that was fitted on all matrices of the store (train "
        "--folds) is refused unless --seen; its evaluation by folds is in the model file. --where, "
        "--k and --precision choose among the rows; by default the K that the model knows; the "
        "operation is that of the model. Rows with a K or features that it does not know are left "
        "out unless --extrapolate. " RC_MODELS_HELP "\n\n"
        "With --compare, --ablation or --topologies: fits from the store alone, with the options "
        "of 'rowcast train', by default in 5 folds by group; a line per trainer, set of features "
        "or topology, and for always taking the best single class, choosing at random, and the "
        "oracle. gain: (geomean speedup - 1) / (that of the oracle - 1) with its 95 % bootstrap "
        "interval; held_out: the same with an oracle that chooses on one half of what was measured "
        "and is scored, as the model is, on the other (see 'rowcast query --help'), since an "
        "oracle that chooses on the times that score it gains too much; loss: chosen time over "
        "best time less 1; mape: mean absolute error of predicted times.\n\n"
        "With --when: a line for each reuse, origin of the matrices (of: real, twin, generated), "
        "K (all: -) and way of deciding whether to order at all: always, rule, model (least "
        "squares on the matrices of other generators and groups; a twin is of the group of its "
        "real matrix), oracle (the faster one of each). ordered: rows that were; geomean: time "
        "without an order over time with what was decided, the order and the features that were "
        "looked at included; gain: (geomean - 1) / (that of the oracle - 1); worst: the smallest "
        "ratio. Times are held out.",
    .examples =
        "rowcast evaluate new.h5 --model order.json|matrices that the model has not seen\n"
        "rowcast evaluate real.h5 --compare --k n|all trainers, 5 folds by group\n"
        "rowcast evaluate real.h5 --ablation --model mlp,regret|how much the features of the "
        "warps matter\n"
        "rowcast evaluate h200-orders.h5 --when --reuse 1000|whether to order at all\n"
        "rowcast evaluate real.h5 --topologies --hidden '16;64,32;128,64'|layer sizes of the mlp",
    .options = table,
    RC_COMMAND_DEFAULTS(struct options, .learn = RC_LEARN_DEFAULTS),
    .operands = {1, 1},
    .instead = run_as_paper,
    .work = run,
};
