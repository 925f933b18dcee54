#include "config.h"
#include "analysis/learn.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/threads.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const double default_test_share = 0.2;
static const int64_t terminal_interval_ns = INT64_C(200000000);
static const int64_t file_interval_ns = INT64_C(10000000000);

/* --------------------------------------------------------------------- options */

/* Index of a word among names; the first for NULL. */
static rc_status_t find_name(
    const char *option, const char *word, const char *const *names, int *out, rc_err_t *err)
{
    rc_str_t list = {0};
    *out = 0;
    for (int i = 0; word && names[i]; i++)
        if (strcmp(names[i], word) == 0) {
            *out = i;
            return RC_OK;
        }
    if (!word)
        return RC_OK;
    for (int i = 0; names[i]; i++)
        rc_str_addf(&list, "%s%s", i == 0 ? "" : names[i + 1] ? ", " : " or ", names[i]);
    (void)rc_fail(err, RC_EINVAL, "%s: expected %s, found '%s'", option,
        list.text && !list.failed ? list.text : "a known name", word);
    rc_str_free(&list);
    return RC_EINVAL;
}

rc_status_t rc_learn_dataset(const rc_learn_options_t *o, rc_dataset_options_t *out, rc_err_t *err)
{
    static const char *const missing_names[] = {"drop", "worst", NULL};
    int task;
    int missing;
    RC_PASS(find_name("--task", o->task, rc_task_names, &task, err));
    RC_PASS(find_name("--missing", o->missing, missing_names, &missing, err));
    if (!o->task && o->op && strcmp(o->op, "spmv") == 0 && !o->kernel)
        task = RC_TASK_FORMAT;
    if (task == RC_TASK_PLAN && o->kernel)
        return rc_fail(err, RC_EINVAL,
            "--kernel is of task order; with plan name the pairs with "
            "--classes 'KERNEL/ORDER'");
    if (task == RC_TASK_FORMAT && o->kernel)
        return rc_fail(err, RC_EINVAL, "--kernel is of task order; a format has one kernel");
    if (task != RC_TASK_PLAN && o->portfolio)
        return rc_fail(err, RC_EINVAL, "--portfolio is of task plan");
    if (task != RC_TASK_FORMAT && missing)
        return rc_fail(err, RC_EINVAL, "--missing is of task format");
    *out = (rc_dataset_options_t){.task = (rc_task_t)task,
        .op = o->op,
        .kernel = o->kernel,
        .classes = o->classes,
        .baseline = o->baseline,
        .features = o->features,
        .k = o->k,
        .precision = o->precision,
        .device = o->device,
        .where = o->where,
        .portfolio = (int)o->portfolio,
        .missing_worst = missing};
    return RC_OK;
}

rc_status_t rc_learn_protocol(
    const rc_learn_options_t *o, int folds, rc_protocol_t *out, rc_err_t *err)
{
    int split;
    RC_PASS(find_name("--split", o->split, rc_split_names, &split, err));
    if (o->folds > 0 && o->test_share > 0)
        return rc_fail(err, RC_EINVAL, "--folds and --test-share exclude each other");
    *out = (rc_protocol_t){.split = (rc_split_kind_t)split, .seed = (uint64_t)o->seed};
    if (o->test_share <= 0)
        out->folds = o->folds > 0 ? (int)o->folds : folds;
    if (out->folds == 0)
        out->test_share = o->test_share > 0 ? o->test_share : default_test_share;
    return RC_OK;
}

rc_status_t rc_learn_fit(const rc_learn_options_t *o, rc_fit_options_t *out, rc_err_t *err)
{
    int weights;
    int split;
    RC_PASS(find_name("--weights", o->weights, rc_weighting_names, &weights, err));
    RC_PASS(find_name("--split", o->split, rc_split_names, &split, err));
    *out = (rc_fit_options_t){.seed = (uint64_t)o->seed,
        .threads = rc_thread_count((int)o->threads),
        .weights = (rc_weighting_t)weights,
        .split = (rc_split_kind_t)split,
        .hidden = o->hidden,
        .l2 = o->l2,
        .restarts = (int)o->restarts,
        .members = (int)o->members,
        .epochs = (int)o->epochs};
    return RC_OK;
}

rc_status_t rc_learn_trainer(const char *name, const rc_trainer_t **out, rc_err_t *err)
{
    enum { most = 64 };
    const char *names[most];
    int n = 0;
    *out = rc_trainer_find(name);
    if (*out)
        return RC_OK;
    for (; rc_trainers[n] && n < most; n++)
        names[n] = rc_trainers[n]->name;
    (void)rc_fail_unknown(err, RC_EINVAL, "trainer", name, names, n);
    return rc_err_context(err, "--model");
}

/* -------------------------------------------------------------------- progress */

static void show(void *context, const char *what, double done, double loss)
{
    rc_learn_progress_t *p = context;
    char text[64] = "";
    int64_t now = rc_clock_ns();
    if (isfinite(loss))
        p->loss = loss;
    if (!p->out || now - p->shown_ns < (p->terminal ? terminal_interval_ns : file_interval_ns))
        return;
    p->shown_ns = now;
    if (isfinite(p->loss))
        (void)snprintf(text, sizeof text, ", loss %.5g", p->loss);
    fprintf(p->out, "%s%s: %3.0f %%  %s%s%s%s", p->terminal ? "\r\033[K" : "", p->command,
        100 * done, p->of, what ? what : "", text, p->terminal ? "" : "\n");
    fflush(p->out);
}

void rc_learn_progress_start(
    rc_learn_progress_t *p, const char *command, int quiet, rc_fit_options_t *fit)
{
    *p = (rc_learn_progress_t){
        .command = command, .out = quiet ? NULL : stderr, .started_ns = rc_clock_ns(), .loss = NAN};
    p->terminal = p->out && isatty(fileno(p->out));
    p->shown_ns = p->started_ns;
    fit->progress = show;
    fit->context = p;
}

void rc_learn_progress_next(rc_learn_progress_t *p, const char *of)
{
    (void)snprintf(p->of, sizeof p->of, "%s", of);
    p->loss = NAN; /* of another */
}

void rc_learn_progress_end(rc_learn_progress_t *p, const char *what)
{
    if (!p->out)
        return;
    if (p->terminal)
        fputs("\r\033[K", p->out);
    rc_text_t seconds = rc_text_seconds((double)(rc_clock_ns() - p->started_ns) * 1e-9);
    if (what && isfinite(p->loss))
        fprintf(p->out, "%s: %s in %s, validation loss %.5g\n", p->command, what, seconds.text,
            p->loss);
    else if (what)
        fprintf(p->out, "%s: %s in %s\n", p->command, what, seconds.text);
    fflush(p->out);
}

/* ----------------------------------------------------------------------- texts */

int64_t rc_learn_matrices(const rc_dataset_t *d)
{
    int64_t n = 0;
    for (int64_t i = 0; i < d->rows; i++) /* sorted by digest */
        n += i == 0 || strcmp(d->sample[i].digest, d->sample[i - 1].digest) != 0;
    return n;
}

/* Formats, how often each is fastest, and why matrices lack some. */
static void describe_formats(const rc_dataset_t *d, const char *command, FILE *out)
{
    fprintf(out, "%s: formats", command);
    for (int c = 0; c < d->classes; c++) {
        int64_t wins = 0;
        for (int64_t i = 0; i < d->rows; i++)
            wins += rc_dataset_best(d, i) == c;
        fprintf(out, "%s %s (%s, best of %" PRId64 ")", c ? "," : "", d->cls[c].name,
            d->cls[c].kernel, wins);
    }
    fprintf(out, ", baseline %s\n", d->cls[d->baseline].name);
    for (int f = 0; f < RC_SIX; f++)
        for (int s = 0; s < RC_CASE_STATUSES; s++)
            if (d->dropped.format[f][s])
                fprintf(out, "%s: %s: %" PRId64 " (matrix, precision) %s\n", command,
                    rc_six_names[f], d->dropped.format[f][s],
                    s == RC_CASE_PENDING ? "not measured"
                                         : rc_case_status_name((rc_case_status_t)s));
    if (d->dropped.coo)
        fprintf(out, "%s: left out: %" PRId64 " where coo, no class here, is fastest\n", command,
            d->dropped.coo);
}

void rc_learn_describe(const rc_dataset_t *d, const char *command, FILE *out)
{
    fprintf(out,
        "%s: %" PRId64 " rows of %" PRId64 " matrices in %d groups, %d inputs, operation %s, "
        "device %s\n",
        command, d->rows, rc_learn_matrices(d), d->groups, d->inputs,
        rc_model_operation_names[d->operation], d->device);
    if (d->task == RC_TASK_ORDER)
        fprintf(out, "%s: orders for the kernel %s, baseline %s\n", command, d->cls[0].kernel,
            d->cls[d->baseline].name);
    else if (d->task == RC_TASK_PLAN)
        fprintf(out, "%s: %d pairs of kernel and order, baseline %s\n", command, d->classes,
            d->cls[d->baseline].name);
    else
        describe_formats(d, command, out);
    if (d->dropped.incomplete || d->dropped.features)
        fprintf(out,
            "%s: left out: %" PRId64 " (matrix, K, precision) without a result of every class, "
            "%" PRId64 " without features\n",
            command, d->dropped.incomplete, d->dropped.features);
}

void rc_learn_protocol_text(const rc_protocol_t *p, char *text, size_t size)
{
    const char *by = p->split == RC_SPLIT_GROUP ? "group" : "matrix";
    if (p->folds > 0)
        (void)snprintf(text, size, "%d folds by %s, seed %" PRIu64, p->folds, by, p->seed);
    else
        (void)snprintf(text, size, "a test part of %g %% by %s, seed %" PRIu64, 100 * p->test_share,
            by, p->seed);
}

/* ------------------------------------------------------------------------ JSON */

json_t *rc_learn_about(const rc_dataset_t *d, const char *store, const char *model, rc_err_t *err)
{
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:s, s:s?, s:s, s:I, s:I, s:i, s:{s:I, s:I}}",
        "store", store, "model", model, "task", rc_task_names[d->task], "operation",
        rc_model_operation_names[d->operation], "device", d->device, "kernel",
        d->task == RC_TASK_ORDER ? d->cls[0].kernel : NULL, "data_digest",
        rc_digest_hex(d->digest).text, "data_rows", (json_int_t)d->rows, "data_matrices",
        (json_int_t)rc_learn_matrices(d), "data_groups", d->groups, "left_out", "incomplete",
        (json_int_t)d->dropped.incomplete, "without_features", (json_int_t)d->dropped.features);
    if (!o)
        rc_fail(err, RC_ENOMEM, "an evaluation as JSON: no memory, or a name is not UTF-8");
    return o;
}

json_t *rc_learn_selection(const rc_learn_options_t *o)
{
    json_t *to = json_pack("{s:s?, s:s?, s:s?, s:s?, s:s?, s:s?, s:s?}", "kernel", o->kernel,
        "classes", o->classes, "features", o->features, "k", o->k, "precision", o->precision,
        "device", o->device, "where", o->where);
    if (!o->missing || json_object_set_new(to, "missing", json_string(o->missing)) == 0)
        return to;
    json_decref(to);
    return NULL;
}
