#include "config.h"
#include "base/error.h"
#include "base/glob.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "analysis/print/evaluation.h"
#include "cmd/named.h"
#include "analysis/learn.h"
#include "analysis/papers/hong/fit.h"
#include "kernels/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    rc_learn_options_t learn;
    rc_train_parameters_t parameters; /* the task that makes no model */
    const char *model;
    const char *format;
    const char *deterministic;
    int unsealed;
};

#define LEARN(member) RC_AT(learn.member)

static const rc_opt_t table[] = {
    RC_OPT("output", 'o', RC_OPT_TEXT, RC_AT(parameters.output), "FILE",
        "The model file. Required; a file of its name is replaced when all is done."),
    RC_OPT("model", 'm', RC_OPT_TEXT, RC_AT(model), "TRAINER",
        "Kind of model: mlp (default, the regressor of Mehrabi et al.), softmax, regret, "
        "xgboost-merit-soft; of Nisa et al.: cart, svm-nisa, xgboost-nisa, mlp-nisa, "
        "ensemble-nisa (-time, -each: times, a network for each class); an unknown name lists "
        "those of this build."),
    RC_LEARN_SELECTION(LEARN),
    RC_LEARN_PROTOCOL(LEARN),
    RC_LEARN_FIT(LEARN),
    RC_OPT("deterministic", 0, RC_OPT_TEXT, RC_AT(deterministic), "LIST",
        "Kernels, names or globs, whose runs are known to give the same bits each time, beside "
        "those of this build that say so: the model file keeps it for 'predict --deterministic'."),
    RC_OPT("costs", 0, RC_OPT_TEXT, RC_AT(parameters.costs), "FILE",
        "Task parameters: what 'rowcast calibrate' measured on the device of the store. Its K and "
        "precisions are fitted."),
    RC_OPT("training", 0, RC_OPT_TEXT, RC_AT(parameters.training), "PATTERNS",
        "Task parameters: train on the matrices of these names, e.g. 'gen/*,Gset/G2', instead of "
        "every 20th."),
    RC_OPT("onto", 0, RC_OPT_TEXT, RC_AT(parameters.onto), "FILE",
        "Task parameters: a tuning of the same device and version of the kernel; what it has for "
        "other K and precisions stays, and its training matrices are named beside the new ones."),
    RC_OPT("paths", 0, RC_OPT_TEXT, RC_AT(parameters.paths.dir), "DIR",
        "Task parameters: fit the second model too, which then chooses t and cfv: the costs with "
        "the rows of B of heavy panels, the fullest panel and the longest light row. Matrices are "
        "made by their generators or read from DIR/Group/name.mtx[.xz]. The table has what it "
        "keeps of the best on the training matrices, each group or generator held out, and both "
        "models on the others."),
    RC_OPT("format", 'f', RC_OPT_TEXT, RC_AT(format), "FORMAT",
        "Of the evaluation: table or json. Default: table."),
    RC_UNSEALED_OPTION(RC_AT(unsealed)),
    RC_OPT_END,
};

/* Whether two runs of a kernel give the same bits: this build's kernels say so; of kernels that it
 * does not have only the list does. */
static rc_deterministic_t is_deterministic(
    const char *kernel, rc_device_kind_t device, const rc_words_t *list)
{
    rc_kernel_spec_t spec;
    for (int i = 0; i < list->count; i++)
        if (rc_glob_match(list->word[i], kernel))
            return RC_DETERMINISTIC_YES;
    if (rc_kernel_spec_parse(kernel, device, &spec, NULL) < 0)
        return RC_DETERMINISTIC_UNKNOWN;
    return spec.kernel->deterministic && spec.kernel->deterministic(spec.param)
               ? RC_DETERMINISTIC_YES
               : RC_DETERMINISTIC_NO;
}

static rc_status_t mark_deterministic(const char *list, rc_dataset_t *d, rc_err_t *err)
{
    rc_words_t words = {0};
    if (list && rc_words_split(list, ',', &words, err) < 0)
        return rc_err_context(err, "--deterministic");
    rc_device_kind_t device = strncmp(d->device, "cuda:", 5) == 0 ? RC_DEVICE_CUDA : RC_DEVICE_CPU;
    for (int c = 0; c < d->classes; c++)
        d->cls[c].deterministic = is_deterministic(d->cls[c].kernel, device, &words);
    rc_words_free(&words);
    return RC_OK;
}

/* Minutes of fitting should not end in a directory that is not there. */
static rc_status_t check_output(const char *path, rc_err_t *err)
{
    const char *slash = strrchr(path, '/');
    char *dir =
        rc_strf("a path", err, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    RC_PASS(dir ? RC_OK : RC_ENOMEM);
    rc_status_t st = RC_OK;
    if (access(dir, W_OK | X_OK) < 0)
        st = rc_fail_errno(err, RC_EIO, errno, "%s: cannot be written", path);
    free(dir);
    return st;
}

static rc_status_t record(rc_model_t *m, const rc_learn_options_t *o, rc_err_t *err)
{
    if (!m->training)
        m->training = json_object();
    if (!m->training || json_object_set_new(m->training, "selection", rc_learn_selection(o)) < 0)
        return rc_fail(err, RC_ENOMEM, "the record of a fit: no memory, or an option is not UTF-8");
    return RC_OK;
}

/* The figures, and what the model says of its inputs. */
static rc_status_t print(const struct options *o, const char *store, const rc_dataset_t *d,
    const rc_protocol_t *p, const rc_evaluation_t *e, const rc_model_t *m, rc_table_format_t format,
    rc_err_t *err)
{
    json_t *importance = json_object_get(m->training, "importance");
    char protocol[96];
    rc_learn_protocol_text(p, protocol, sizeof protocol);
    json_t *about = rc_learn_about(d, store, o->model, err);
    RC_PASS(about ? RC_OK : RC_ENOMEM);
    if (format == RC_TABLE_TEXT)
        printf("%s, task %s of %s, %s; all figures are of rows that the fit did not see.\n",
            o->model, rc_task_names[d->task], rc_model_operation_names[d->operation], protocol);
    int failed = json_object_set_new(about, "protocol", json_string(protocol)) < 0 ||
                 (importance && json_object_set(about, "importance", importance) < 0);
    rc_status_t st = failed ? rc_fail(err, RC_ENOMEM, "no memory for an evaluation")
                            : rc_evaluation_print(d, e, format, about, err);
    if (st == RC_OK && format == RC_TABLE_TEXT)
        st = rc_importance_print(m, err);
    json_decref(about);
    return st;
}

static rc_status_t train(
    const struct options *o, const char *store, rc_table_format_t format, rc_err_t *err)
{
    rc_dataset_options_t selection;
    rc_protocol_t protocol;
    rc_fit_options_t fit;
    rc_learn_progress_t progress;
    const rc_trainer_t *trainer;
    rc_dataset_t d = {0};
    rc_model_t *m = NULL;
    rc_predictions_t predictions = {0};
    rc_evaluation_t e = {0};
    int single = -1;
    rc_status_t st;
    RC_TRY(rc_learn_dataset(&o->learn, &selection, err));
    RC_TRY(rc_learn_protocol(&o->learn, 0, &protocol, err));
    RC_TRY(rc_learn_fit(&o->learn, &fit, err));
    RC_TRY(rc_learn_trainer(o->model, &trainer, err));
    RC_TRY(check_output(o->parameters.output, err));
    RC_TRY(rc_dataset_read(store, &selection, &d, err));
    RC_TRY(mark_deterministic(o->deterministic, &d, err));
    if (!o->learn.quiet)
        rc_learn_describe(&d, "train", stderr);
    rc_learn_progress_start(&progress, "train", o->learn.quiet, &fit);
    st = rc_experiment(trainer, &d, &protocol, &fit, &m, &predictions, &single, NULL, err);
    if (m && json_is_real(json_object_get(m->training, "validation_loss")))
        progress.loss = json_real_value(json_object_get(m->training, "validation_loss"));
    rc_learn_progress_end(&progress, st == RC_OK ? "fitted" : NULL);
    RC_TRY(st);
    RC_TRY(record(m, &o->learn, err));
    RC_TRY(rc_evaluate(&d, &predictions, single, protocol.seed, &e, err));
    RC_TRY(rc_model_write(m, o->parameters.output, err));
    RC_TRY(print(o, store, &d, &protocol, &e, m, format, err));
done:
    rc_evaluation_free(&e);
    rc_predictions_free(&predictions);
    rc_model_free(m);
    rc_dataset_free(&d);
    return st;
}

static rc_status_t load(const char *word, rc_csr_t *out, rc_err_t *err)
{
    rc_mtx_info_t info;
    return rc_command_load(word, 0, 0, 0, out, &info, err);
}

static rc_status_t train_parameters(
    const struct options *o, const char *store, rc_table_format_t format, rc_err_t *err)
{
    rc_train_parameters_t p = o->parameters;
    p.store = store;
    p.kernel = o->learn.kernel;
    p.paths.load = load;
    p.where = o->learn.where;
    p.quiet = o->learn.quiet;
    return rc_train_parameters(&p, format, err);
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    const rc_train_parameters_t *p = &o->parameters;
    int parameters = o->learn.task && strcmp(o->learn.task, "parameters") == 0;
    if ((p->costs || p->training || p->onto || p->paths.dir) && !parameters)
        return rc_fail(err, RC_EINVAL,
            "--costs, --training, --onto and --paths go with --task parameters only");
    if (call->format == RC_TABLE_CSV && !parameters)
        return rc_fail(err, RC_EINVAL, "--format: expected table or json, found 'csv'");
    if (!o->parameters.output)
        return rc_fail(err, RC_EINVAL, "no model file: name one with -o");
    RC_PASS(rc_command_not_stdout(p->output, "a file for the model", err));
    return (parameters ? train_parameters : train)(o, call->operand[0], call->format, err);
}

const rc_command_t rc_command_train = {
    .name = "train",
    .summary = "fit a selector to the results of a store",
    .usage = "[OPTIONS] STORE -o MODEL",
    .description =
        "Fits a model that chooses, from the features of a matrix, the row order for a kernel "
        "(task order), the pair of kernel and order (task plan) or the format (task format), and "
        "evaluates it on matrices that it has not seen. A row of the data is a (matrix, K, "
        "precision); newest verified results of the current versions enter, with C in the "
        "original order, of one device and one operation. spmv has no K.\n\n"
        "By default 20 % of the rows test, whole groups of the collection at a time, and the model "
        "is fitted on the others. With --folds every row is predicted by a fit that did not see "
        "its group; the model that is written is then fitted on all rows.\n\n"
        "The evaluation goes to stdout: speedup of the selector, the oracle, the best single class "
        "and a random choice; gain recovered, (geomean of the selector - 1) / (geomean of the "
        "oracle - 1); loss, the chosen time over the best one less 1; confusion; error of "
        "predicted times; all by K and by kind of matrix. Progress and the loss go to stderr. The "
        "model file is JSON and holds what it was fitted on, how, and the evaluation; and what it "
        "knows: operation, K, precisions, layouts, device, range of features, and the time of the "
        "features, fitted to those of the store without what a busy machine added. A model of "
        "xgboost-nisa also holds how often each input splits, which is printed.\n\n"
        "Task parameters makes no model but the tuning file that rs reads where t, cfv or cfh is "
        "0, after Hong et al. 2018, section 4: for each K and precision of --costs, from a sweep "
        "of rs:t=1..16:cfv=1..4:cfh=1..4 in natural order. The training set is every 20th of the "
        "store's matrices with at least 100,000 entries, by their number; where fewer than 40 "
        "come out, every 5th of those with at least 10,000. cfh is the value most often best, cfv "
        "the one most often best at that cfh; t comes from a tree of C4.5 (inputs: the sets hong "
        "and segments), and per matrix cfv from the costs. It takes --kernel, --costs, "
        "--training, --onto, --paths, --where and --output, and no other option of fits. The "
        "table says what the tree keeps of the best times of the training set: it is not a test.",
    .examples =
        "rowcast train real.h5 -o order.json|the paper's selector on all K\n"
        "rowcast train real.h5 -o paper.json --k n --split random|the paper's protocol\n"
        "rowcast train real.h5 -o plan.json --task plan --model regret --folds 5|kernel and "
        "order, evaluated on all rows, fitted on all\n"
        "rowcast train spmv.h5 -o format.json --op spmv --model ensemble-nisa-time|which format y "
        "= A x takes, with the times that --reuse needs\n"
        "rowcast train rs.h5 -o rs.json --task parameters --kernel rs --costs costs.json|what t, "
        "cfv and cfh are where rs is given 0\n"
        "rowcast train real.h5 -o gsub.json --kernel 'gsub:lanes=8:strip=8*' --classes all|any "
        "order, for another kernel",
    .options = table,
    RC_COMMAND_DEFAULTS(struct options, .learn = RC_LEARN_DEFAULTS, .model = "mlp"),
    .operands = {1, 1},
    .work = run,
};
