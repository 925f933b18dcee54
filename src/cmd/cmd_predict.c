#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/type.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "cmd/listing.h"
#include "cmd/named.h"
#include "table/print.h"
#include "model/choose.h"
#include "plan/answer.h"
#include "table/reorder.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct options {
    rc_request_t request; /* what needs no reading is there at once */
    const char *model;
    const char *op;
    const char *k;
    const char *precision;
    int64_t reuse;
    const char *layouts;
    const char *format;
    int json;
    int64_t threads;
    int64_t memory;
};

static const rc_opt_t options[] = {
    RC_OPT("model", 'm', RC_OPT_TEXT, RC_AT(model), "MODEL",
        "The selector: a file or a name. Default: of the installed ones that fit operation, K, "
        "precision, --device and constraints the first by: of the device at hand, chooses kernels "
        "too, knows just the --layouts (row), of the most matrices, newest."),
    RC_OPT("op", 0, RC_OPT_TEXT, RC_AT(op), "OP",
        "Operation: spmm, spmv, spmm_t or sddmm. Default: that of the model, which refuses "
        "another."),
    RC_OPT("k", 'k', RC_OPT_TEXT, RC_AT(k), "N|n",
        "Columns of B; n: as many as the matrix has columns. Default: n; without --model an answer "
        "for each of 8, 32, 128 and 512. spmv has no K."),
    RC_OPT("precision", 0, RC_OPT_TEXT, RC_AT(precision), "PRECISION",
        "Value type. Default: fp32, or the first that the model was trained on."),
    RC_OPT("device", 'd', RC_OPT_TEXT, RC_AT(request.device), "NAME",
        "Class of the device that multiplies, or a glob, e.g. '*H200*'. Default: that of the "
        "model."),
    {"reuse", 'r', RC_OPT_INT, RC_AT(reuse), "N",
        "Products with this matrix: choose what is cheapest in total, features, prediction and "
        "setup included, so that the choice pays within them. Default: the fastest product, "
        "whatever its setup costs.",
        1, 1e15},
    RC_OPT("layouts", 0, RC_OPT_TEXT, RC_AT(layouts), "LIST",
        "Layouts of the dense operands that are ranked together: col, row or both. Default: one "
        "alone, that of the baseline class."),
    RC_OPT("kernels", 'x', RC_OPT_TEXT, RC_AT(request.constraints.kernels), "LIST",
        "Only these kernels: names, with or without parameters, or globs."),
    RC_OPT("orders", 'p', RC_OPT_TEXT, RC_AT(request.constraints.orders), "LIST",
        "Only these row orders: names or globs."),
    RC_OPT("c-order", 0, RC_OPT_TEXT, RC_AT(request.constraints.c_orders), "LIST",
        "Row orders of C that can be taken: original (default), schedule, symmetric. Models know "
        "C in the original order."),
    RC_OPT("device-memory", 0, RC_OPT_BYTES, RC_AT(request.constraints.memory), "BYTES",
        "Device memory that matrix and dense operands may take, by estimate. Default: any."),
    RC_OPT("deterministic", 0, RC_OPT_FLAG, RC_AT(request.constraints.deterministic), NULL,
        "Only kernels whose runs give the same bits each time."),
    RC_OPT("extrapolate", 0, RC_OPT_FLAG, RC_AT(request.extrapolate), NULL,
        "Answer also outside of what the model knows, with a warning in the answer."),
    RC_OPT("format", 'f', RC_OPT_TEXT, RC_AT(format), "FORMAT",
        "table (default); csv or json: a row per class."),
    RC_OPT("json", 0, RC_OPT_FLAG, RC_AT(json), NULL, "The same as --format json."),
    {"threads", 't', RC_OPT_INT, RC_AT(threads), "N",
        "Threads at most, for features and order; neither depends on it, and features of a small "
        "matrix take one. Default 0: all.",
        0, 4096},
    RC_MEMORY_OPTION(RC_AT(memory)),
    RC_OPT_END,
};

/* What there is to print. */
typedef struct report {
    const char *matrix;
    const char *model_word;
    const rc_model_t *m;
    const rc_csr_t *a;
    rc_request_t request;
    rc_choice_t choice;
    int *order; /* [classes] best first */
    int ranked; /* of them: those that the constraints permit */
} report_t;

/* -------------------------------------------------------------------- request */

static rc_status_t parse_layouts(const char *text, int *out, rc_err_t *err)
{
    rc_words_t words = {0};
    rc_status_t st = RC_OK;
    if (text && rc_words_split(text, ',', &words, err) < 0)
        return rc_err_context(err, "--layouts");
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        if (strcmp(words.word[i], "col") == 0)
            *out |= RC_LAYOUT_COL;
        else if (strcmp(words.word[i], "row") == 0)
            *out |= RC_LAYOUT_ROW;
        else if (strcmp(words.word[i], "both") == 0)
            *out |= RC_LAYOUT_COL | RC_LAYOUT_ROW;
        else
            st = rc_fail(err, RC_EINVAL, "--layouts: expected col, row or both, found '%.40s'",
                words.word[i]);
    }
    rc_words_free(&words);
    return st;
}

static rc_status_t parse_request(
    const struct options *o, const rc_model_t *m, const rc_csr_t *a, rc_request_t *r, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int32_t operation = m->operation;
    if (o->op && rc_model_operation_parse(o->op, &operation, err) < 0)
        return rc_err_context(err, "--op");
    int has_k = rc_model_operation_has_k(operation);
    *r = o->request;
    r->operation = rc_model_operation_names[operation];
    r->k = has_k ? a->cols : 0;
    if (!has_k)
        st = o->k ? rc_fail(err, RC_EINVAL, "--k: %s has no K", r->operation) : RC_OK;
    else if (o->k && strcmp(o->k, "n") != 0)
        st = rc_parse_int(o->k, 1, INT32_MAX, "--k", &r->k, err);
    else if (a->cols < 1)
        st = rc_fail(err, RC_EINVAL, "--k n: the matrix has no columns");
    r->precision = (rc_precision_t)rc_model_first_type(&m->geometry);
    if (o->precision && rc_type_parse(RC_TYPES_ANY, o->precision, &r->precision, err) < 0)
        return rc_err_context(err, "--precision");
    r->reuse = (double)o->reuse;
    r->threads = (int)o->threads;
    if (st == RC_OK)
        st = parse_layouts(o->layouts, &r->constraints.layouts, err);
    if (st == RC_ERANGE)
        err->status = RC_EINVAL; /* a wrong word on the command line */
    return st;
}

/* ------------------------------------------------------------------ the model */

/* Whether an installed model answers the request, as far as that is known before the features. */
static rc_status_t fits(
    const struct options *of, const rc_csr_t *a, const rc_model_t *m, rc_err_t *err)
{
    struct options o = *of;
    rc_request_t r = {0};
    o.op = o.op ? o.op : "spmm";
    RC_PASS(parse_request(&o, m, a, &r, err));
    return rc_choose_possible(m, a, &r, err);
}

/* Of two models that fit the one is taken that comes first here. */
enum { OF_THIS_DEVICE, WITH_KERNELS, OF_THESE_LAYOUTS, MATRICES, NEWEST, MERITS };

static void weigh(const struct options *o, const rc_model_t *m, const char *path, const char *here,
    int64_t *merit)
{
    int asked = 0;
    int known = 0;
    rc_err_t err;
    struct stat s;
    for (int c = 0; c < m->classes; c++)
        known |= m->cls[c].layout;
    (void)parse_layouts(o->layouts ? o->layouts : "row", &asked, &err); /* none fits no model */
    merit[OF_THIS_DEVICE] = strcmp(m->device, here) == 0;
    merit[WITH_KERNELS] = m->task == RC_TASK_PLAN;
    merit[OF_THESE_LAYOUTS] = known == asked;
    merit[MATRICES] = (int64_t)json_array_size(json_object_get(m->training, "matrices"));
    merit[NEWEST] = stat(path, &s) == 0 ? (int64_t)s.st_mtime : 0;
}

/* Look at a model.  \return 1: it fits
 * \param[in,out] list  gets a line about it  \param[out] m  NULL: cannot be read */
static int look_at(
    const struct options *o, const rc_csr_t *a, const char *path, rc_model_t **m, rc_str_t *list)
{
    rc_err_t why = {0};
    char knows[256] = "";
    if (rc_model_read(path, m, &why) < 0) {
        rc_str_addf(list, "%s\n", why.text);
        return 0;
    }
    if (fits(o, a, *m, &why) == RC_OK)
        return 1;
    rc_model_knows(*m, knows, sizeof knows);
    rc_str_addf(list, "%s: knows %s; %s\n", path, knows, why.text);
    return 0;
}

/* The installed model that fits best; when none does, all are listed.
 * \param[in] here  class of the device at hand  \param[out] name  of its file; free() */
static rc_status_t find_model(const struct options *o, const rc_csr_t *a, const char *here,
    rc_model_t **out, char **name, rc_err_t *err)
{
    rc_words_t path = {0};
    rc_str_t list = {0};
    int64_t best[MERITS];
    rc_status_t st;
    RC_TRY(rc_command_model_paths(&path, err));
    for (int i = 0; i < path.count; i++) {
        rc_model_t *m = NULL;
        int64_t merit[MERITS] = {0};
        int fit = look_at(o, a, path.word[i], &m, &list);
        if (fit)
            weigh(o, m, path.word[i], here, merit);
        if (fit && (!*out || rc_compare_lists(merit, best, MERITS) > 0)) {
            memcpy(best, merit, sizeof best);
            rc_model_free(*out);
            *out = m;
            m = NULL;
            free(*name);
            *name = rc_strdup(path.word[i], err);
            RC_TRY(*name ? RC_OK : RC_ENOMEM);
        }
        rc_model_free(m);
    }
    if (*out)
        goto done;
    fputs(list.text ? list.text : "", stderr);
    st = rc_fail(err, RC_ENOENT, "--model: none of %d installed models fits", path.count);
done:
    rc_words_free(&path);
    rc_str_free(&list);
    return st;
}

/* -------------------------------------------------------------------- figures */

static double total_of(const report_t *r, int c)
{
    return r->request.reuse > 0 ? rc_choice_total(&r->choice, r->request.reuse, c) : NAN;
}

/* The chosen class first, then by what was made smallest; without times in the model's order. */
static int comes_before(const report_t *r, int a, int b)
{
    if (a == r->choice.candidate || b == r->choice.candidate)
        return a == r->choice.candidate;
    double x = r->request.reuse > 0 ? total_of(r, a) : r->choice.time_ns[a];
    double y = r->request.reuse > 0 ? total_of(r, b) : r->choice.time_ns[b];
    return x < y;
}

static void sort_classes(report_t *r)
{
    for (int i = 0; i < r->m->classes; i++) {
        int at = r->ranked;
        if (!r->choice.permitted[i])
            continue;
        for (; at > 0 && comes_before(r, i, r->order[at - 1]); at--)
            r->order[at] = r->order[at - 1];
        r->order[at] = i;
        r->ranked++;
    }
}

/* -------------------------------------------------------------- for programs */

static const char columns[] =
    "matrix|rows|cols|nnz|operation|k|precision|reuse:products|model|kind|device|class|policy|"
    "kernel|baseline|chosen|time_ns:ns|speedup:x|setup_ns:ns|total_ns:ns|break_even:products|"
    "outside:inputs|featurise_ns:ns|predict_ns:ns|order_ns:ns|overhead_ns:ns|layout|deterministic|"
    "memory:bytes|extrapolation|plan";

static void print_programs(const report_t *r, rc_table_t *t)
{
    enum { digits = 17 };
    const rc_choice_t *h = &r->choice;
    for (int i = 0; i < r->ranked; i++) {
        int c = r->order[i];
        const rc_model_class_t *k = &r->m->cls[c];
        const char *plan = ""; /* of row reordering, table/reorder.h */
        (void)rc_reorder_plan_of(k->kernel, k->policy, &plan, NULL);
        RC_CELLS(t, RC_TEXT(r->matrix), RC_INT(r->a->rows), RC_INT(r->a->cols), RC_INT(r->a->nnz),
            RC_TEXT(r->request.operation), r->request.k > 0 ? RC_INT(r->request.k) : RC_MISSING,
            RC_TEXT(rc_type(r->request.precision)->name),
            r->request.reuse > 0 ? RC_INT((int64_t)r->request.reuse) : RC_MISSING,
            RC_TEXT(r->model_word), RC_TEXT(r->m->kind), RC_TEXT(r->m->device), RC_TEXT(k->name),
            RC_TEXT(k->policy), RC_TEXT(k->kernel), RC_BOOL(c == h->reference),
            RC_BOOL(c == h->candidate), RC_REAL(h->time_ns[c], digits),
            RC_REAL(h->time_ns[h->reference] / h->time_ns[c], digits),
            RC_REAL(h->setup_ns[c], digits), RC_REAL(total_of(r, c), digits),
            RC_REAL(
                rc_break_even(h->reference, h->time_ns, h->setup_ns, h->overhead_ns, c), digits),
            RC_INT(h->outside), RC_REAL(h->featurise_ns, digits), RC_REAL(h->predict_ns, digits),
            RC_REAL(h->order_ns, digits), RC_REAL(h->overhead_ns, digits),
            RC_TEXT(rc_layout_bit_names[k->layout]),
            RC_TEXT(rc_deterministic_names[k->deterministic]),
            RC_REAL(rc_model_memory(r->m, c, r->a, &r->request), 9), RC_TEXT(h->extrapolation),
            RC_TEXT(plan));
    }
}

/* Also on stderr: whoever reads a column of the answer should see it. */
static void warn(const report_t *r)
{
    if (r->choice.outside > 0)
        fprintf(stderr, "%s: an extrapolation, outside of what the model knows: %s\n", r->matrix,
            r->choice.extrapolation);
    if (r->m->file_version == 1)
        fprintf(stderr,
            "%s: a file of version 1 does not say layouts, what is deterministic, memory and what "
            "features take%s: train it anew\n",
            r->model_word,
            rc_model_operation_has_k(r->m->operation) && !r->m->ks.count && !r->m->ks.n
                ? ", nor its K"
                : "");
}

/* ------------------------------------------------------------------- command */

/* For the K of the options: the choice, and the classes that are ranked. */
static rc_status_t choose(report_t *r, const struct options *o, rc_err_t *err)
{
    RC_PASS(parse_request(o, r->m, r->a, &r->request, err));
    RC_PASS(RC_NEW0(r->order, r->m->classes, "the classes of a model", err));
    rc_status_t st = rc_choose_featured(r->m, r->a, &r->request, NULL, &r->choice, err);
    if (st == RC_OK) {
        sort_classes(r);
        warn(r);
    }
    return rc_command_name_file(r->matrix, st, err);
}

static void report_free(report_t *r)
{
    rc_choice_free(&r->choice);
    free(r->order);
    r->order = NULL;
    r->ranked = 0;
}

/* What was chosen for a K, as an answer.  \param[out] out  rc_plan_answer_free */
static rc_status_t answer(const report_t *r, rc_plan_answer_t *out, rc_err_t *err)
{
    RC_PASS(rc_plan_answer_begin(out, r->ranked, err));
    out->k = r->request.k;
    for (int i = 0; i < r->ranked; i++) {
        int c = r->order[i];
        int changes = c != r->choice.reference;
        out->row[i] = (rc_plan_row_t){.candidate = i,
            .kernel = r->m->cls[c].kernel,
            .order = r->m->cls[c].policy,
            .time_ns = r->choice.time_ns[c],
            .error = NAN,
            .order_ns = NAN,
            .setup_ns = r->choice.setup_ns[c] + changes * r->choice.overhead_ns,
            .chosen = c == r->choice.candidate,
            .baseline = !changes,
            .note = ""};
    }
    rc_plan_answer_end(out, r->request.precision, out->k, -1, 0);
    return RC_OK;
}

static const char *const usual_k[] = {"8", "32", "128", "512"};
enum { USUAL = sizeof usual_k / sizeof *usual_k };

static void print_head(const report_t *r)
{
    const rc_model_t *m = r->m;
    const char *slash = strrchr(r->model_word, '/');
    printf("matrix  %s: %" PRId64 " x %" PRId64 ", %" PRId64 " entr%s\nproduct %s, %s\n", r->matrix,
        r->a->rows, r->a->cols, r->a->nnz, r->a->nnz == 1 ? "y" : "ies", r->request.operation,
        rc_type(r->request.precision)->name);
    printf("model   %s: %s@%d, features %s@%d, %zu matrices on %s\n\n",
        slash ? slash + 1 : r->model_word, m->kind, (int)m->kind_version, m->feature_set,
        (int)m->feature_version, json_array_size(json_object_get(m->training, "matrices")),
        m->device);
}

/* What the model chooses, for the K of the options or for usual ones.
 * \param[in] t  for programs; NULL: people */
static rc_status_t print_choices(
    report_t *r, const struct options *of, rc_table_t *t, rc_err_t *err)
{
    rc_plan_answer_t a[USUAL] = {{0}};
    int n = 0;
    int usual = !of->model && !of->k && rc_model_operation_has_k(r->m->operation);
    rc_status_t st = RC_OK;
    for (int i = 0; st == RC_OK && i < (usual ? USUAL : 1); i++) {
        struct options o = *of;
        rc_err_t why = {0};
        o.k = usual ? usual_k[i] : of->k;
        if (usual && fits(&o, r->a, r->m, &why) < 0)
            continue;
        st = choose(r, &o, err);
        if (st == RC_OK && t)
            print_programs(r, t);
        else if (st == RC_OK)
            st = answer(r, &a[n++], err);
        report_free(r);
    }
    if (st == RC_OK && !t) {
        print_head(r);
        st = rc_listing_answers(a, n, err);
    }
    for (int i = 0; i < n; i++)
        rc_plan_answer_free(&a[i]);
    return st;
}

/* The model is that of --model, else one that fits.  \param[out] found  its file; free() */
static rc_status_t get_model(
    const struct options *o, const rc_csr_t *a, rc_model_t **m, char **found, rc_err_t *err)
{
    struct options at = *o;
    rc_device_t *d = NULL;
    int32_t op = 0;
    if (o->op)
        RC_PASS(rc_model_operation_parse(o->op, &op, err));
    if (o->model)
        return rc_command_model(o->model, m, err);
    if (!o->k && rc_model_operation_has_k(op))
        at.k = usual_k[1];
    RC_PASS(rc_command_open_device(NULL, (int)o->threads, &d, err));
    rc_status_t st = find_model(&at, a, d->class_name, m, found, err);
    if (st == RC_OK && strcmp((*m)->device, d->class_name) != 0 && !o->request.device)
        fprintf(stderr, "rowcast predict: no model is of this device, %s: this one is of %s\n",
            d->class_name, (*m)->device);
    rc_device_close(d);
    return st;
}

static rc_status_t predict(
    const char *word, const struct options *o, rc_table_format_t format, rc_err_t *err)
{
    report_t r = {.matrix = word, .model_word = o->model};
    rc_model_t *m = NULL;
    char *found = NULL;
    rc_csr_t a = {0};
    rc_mtx_info_t info;
    rc_table_t *t = NULL;
    rc_status_t st;
    RC_TRY(rc_command_load(word, (int)o->threads, o->memory, 1, &a, &info, err));
    RC_TRY(get_model(o, &a, &m, &found, err));
    if (found)
        r.model_word = found;
    r.m = m;
    r.a = &a;
    if (format != RC_TABLE_TEXT) {
        t = rc_table_of(stdout, format, columns, 0, err);
        RC_TRY(t ? RC_OK : RC_ENOMEM);
    }
    st = print_choices(&r, o, t, err);
    st = t ? rc_table_end_after(st, t, err) : st;
done:
    free(found);
    rc_csr_free(&a);
    rc_model_free(m);
    return st;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    if (o->json && o->format)
        return rc_fail(err, RC_EINVAL, "--json and --format exclude each other");
    rc_precision_t type; /* before any model is asked whether it knows it */
    if (o->precision && rc_type_parse(RC_TYPES_ANY, o->precision, &type, err) < 0)
        return rc_err_context(err, "--precision");
    return predict(call->operand[0], o, o->json ? RC_TABLE_JSON : call->format, err);
}

const rc_command_t rc_command_predict = {
    .name = "predict",
    .summary = "choose the row order, or kernel and order, for a matrix",
    .usage = "FILE [--model MODEL] [--k N] [--reuse N]",
    .description = RC_FILE_HELP
    " " RC_MODELS_HELP "\n\n"
    "Prints what the model chooses, and for every class that fits the constraints the "
    "predicted time of one product, its speedup over the baseline class, the predicted setup "
    "(building the order and preprocessing by the kernel), and its break-even: the products "
    "after which it has paid for its setup, the features and the prediction. All of these are "
    "predictions for the machine that the model learnt from, so that equal calls give equal "
    "answers; what features, prediction and order took here is shown apart. A class that is "
    "predicted at less than 0.95 of the speed of the baseline is never chosen. A classifier "
    "predicts no times.\n\n"
    "The baseline class changes nothing. Where the constraints exclude that of the model, it "
    "is the first class of its row order that they permit, else the first one.\n\n"
    "A model knows the operation, K, precisions, layouts, device and range of features that it "
    "was fitted on; outside it refuses. Between two K it was fitted at it knows K, too, when K "
    "is one of its inputs. In csv and json an empty break_even beside a time means never.",
    .examples =
        "rowcast predict matrix.mtx|for usual K, by an installed model\n"
        "rowcast predict matrix.mtx --model model.json --k 128|which order, for K = 128\n"
        "rowcast predict matrix.mtx -m model.json -k 128 --reuse 50|for 50 products\n"
        "rowcast predict matrix.mtx -m h200-plan-row -k 128 --deterministic|with an installed "
        "model\n"
        "rowcast predict mesh3d:n=20 -m model.json --json|for a program",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .format = NULL),
    .operands = {1, 1},
    .work = run,
};
