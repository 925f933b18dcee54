#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/replace.h"
#include "base/str.h"
#include "base/type.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "cmd/listing.h"
#include "cmd/named.h"
#include "cmd/plan/verify.h"
#include "cmd/select.h"
#include "kernels/rs_notice.h"
#include "kernels/specs.h"
#include "order/cuda/orders.h"
#include "plan/plan.h"
#include "sweep/drain.h"
#include "table/print.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    rc_plan_options_t how; /* what needs no reading is there at once */
    const char *k;
    const char *op;
    const char *precision;
    const char *layout;
    const char *device;
    const char *model;
    int64_t tune; /* -1: not given */
    double tune_time;
    double budget; /* s; -1: not given */
    int deterministic;
    int strict;
    const char *save;
    const char *load;
    const char *format;
    int64_t threads;
    int64_t memory;
};

static const rc_opt_t options[] = {
    RC_OPT("k", 'k', RC_OPT_TEXT, RC_AT(k), "N,N,...|N..N",
        "Columns of B that the plan is for, each or a range; n: as many as the matrix has "
        "columns. spmv has no K."),
    RC_OPT(
        "op", 0, RC_OPT_TEXT, RC_AT(op), "OP", "Operation: spmm (default), spmv, spmm_t or sddmm."),
    RC_OPT("precision", 0, RC_OPT_TEXT, RC_AT(precision), "PRECISION",
        "Value type of B and C: fp32 (default), fp64, bf16, fp16, c64 or c128. Of a complex file "
        "these take its values; others have imaginary parts of 0, generated ones generated "
        "parts."),
    RC_OPT("layout", 0, RC_OPT_TEXT, RC_AT(layout), "row|col|row-col|col-row",
        "Of the operands with K columns, or of B and of C. Default: row."),
    RC_OPT("device", 'd', RC_OPT_TEXT, RC_AT(device), "cpu|cuda|auto",
        "Where it runs. Default auto: the first GPU when there is one, else the CPU."),
    RC_OPT("kernels", 'x', RC_OPT_TEXT, RC_AT(how.kernels), "LIST",
        "Only these kernels, as 'rowcast sweep' takes them. Default: all that fit."),
    RC_OPT("orders", 'p', RC_OPT_TEXT, RC_AT(how.orders), "LIST",
        "Only these row orders. Default: those of a search or of the model, else csr, and auto "
        "before it where B is large on a GPU."),
    RC_OPT(
        "model", 'm', RC_OPT_TEXT, RC_AT(model), "MODEL", "A selector that ranks the candidates."),
    RC_OPT("extrapolate", 0, RC_OPT_FLAG, RC_AT(how.extrapolate), NULL,
        "Ask the model also outside of what it knows."),
    {"budget", 0, RC_OPT_DOUBLE, RC_AT(budget), "SECONDS",
        "Search for the answer for about so long: time kernels and the vendor's algorithms, then "
        "row orders, from the cheapest on. Two candidates are timed at least. Default 5, and no "
        "search with --tune, --tune-time, --kernels, --orders, --model or --load.",
        0, 1e6},
    {"tune", 0, RC_OPT_INT, RC_AT(tune), "N",
        "Time at most N candidates on the matrix, the vendor's default kernel before them and, "
        "without --kernels, up to three other algorithms of it after them, and take the best. "
        "0: the first one that can. Default: a search, see --budget.",
        0, 10000},
    {"tune-time", 0, RC_OPT_DOUBLE, RC_AT(tune_time), "SECONDS",
        "Time no more candidates after this long, for each K. Default 2.", 0, 1e6},
    {"reuse", 'r', RC_OPT_DOUBLE, RC_AT(how.reuse), "N",
        "Products with this matrix: take what costs least in total, order and preparation "
        "included, and time another candidate only while that has taken less than 5 % of them, "
        "the first that is not the vendor's while less than 20 %. Default: 0, "
        "the fastest product; of a search, with what an order costs over 1000 products.",
        0, 1e15},
    RC_OPT("deterministic", 0, RC_OPT_FLAG, RC_AT(deterministic), NULL,
        "Only kernels whose runs give the same bits each time."),
    RC_OPT("strict", 0, RC_OPT_FLAG, RC_AT(strict), NULL,
        "Only kernels that take NaN and infinity in B to the values of C that IEEE arithmetic "
        "says, and to no others; the vendor's promise no such thing."),
    RC_OPT("transposed", 0, RC_OPT_FLAG, RC_AT(how.transposed), NULL,
        "For the product with the transposed matrix, too: with kernels and orders of its own, "
        "timed as long, in half of the memory each. Of spmm_t, kernels are those of spmm."),
    RC_OPT("device-memory", 0, RC_OPT_BYTES, RC_AT(how.memory), "BYTES",
        "Device memory that the plan and its timing may take. Default: any."),
    RC_OPT("save", 0, RC_OPT_TEXT, RC_AT(save), "PLAN", "Write choices and orders to a file."),
    RC_OPT("load", 0, RC_OPT_TEXT, RC_AT(load), "PLAN", "Take choices and orders of such a file."),
    RC_OPT("format", 'f', RC_OPT_TEXT, RC_AT(format), "FORMAT", "table (default), csv or json."),
    {"threads", 't', RC_OPT_INT, RC_AT(threads), "N", "Threads of the host. Default 0: all.", 0,
        4096},
    RC_MEMORY_OPTION(RC_AT(memory)),
    RC_OPT_END,
};

/* ------------------------------------------------------------------ request */

/* \param[out] out  free(), after an error too */
static rc_status_t parse_ks(
    const char *text, const rc_csr_t *a, rc_plan_problem_t *p, int64_t **out, rc_err_t *err)
{
    const char *dots = strstr(text, "..");
    char ends[64]; /* of a range, as a list */
    p->k_range = dots != NULL;
    if (dots && (dots == text || !dots[2] || strstr(dots + 2, "..") || strchr(text, ',') ||
                    strlen(text) >= sizeof ends))
        return rc_fail(err, RC_EINVAL, "--k: expected a range as in 8..512, found '%.40s'", text);
    if (dots)
        (void)snprintf(ends, sizeof ends, "%.*s,%s", (int)(dots - text), text, dots + 2);
    RC_PASS(rc_select_ks(dots ? ends : text, out, &p->ks, err));
    for (int i = 0; i < p->ks; i++) {
        if ((*out)[i] == 0 && a->cols < 1)
            return rc_fail(err, RC_EINVAL, "--k n: the matrix has no columns");
        if ((*out)[i] == 0)
            (*out)[i] = a->cols;
    }
    return RC_OK;
}

static rc_status_t parse_problem(
    const struct options *o, const rc_csr_t *a, rc_plan_problem_t *p, int64_t **k, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    p->layout = RC_ROW_MAJOR;
    if (o->op && rc_op_parse(o->op, &p->op, err) < 0) {
        rc_err_context(err, "--op");
        return err->status = RC_EINVAL;
    }
    if (o->layout && rc_layout_parse(o->layout, &p->layout, err) < 0)
        return rc_err_context(err, "--layout");
    int has_k = rc_operation_of(p->op)->has_k;
    if (st == RC_OK && has_k != (o->k != NULL))
        st = rc_fail(err, RC_EINVAL,
            has_k ? "--k: expected the columns of B, found none" : "--k: %s has no K",
            rc_op_name(p->op));
    if (st == RC_OK && has_k)
        st = parse_ks(o->k, a, p, k, err);
    p->k = *k;
    return st;
}

/* -------------------------------------------------------------------- output */

static void print_candidate(rc_table_t *t, const rc_plan_problem_t *p, const rc_plan_part_t *part,
    const rc_plan_answer_t *a, const rc_plan_row_t *r)
{
    const rc_plan_candidate_t *c = &part->candidate[r->candidate];
    RC_CELLS(t, p->ks > 0 ? RC_INT(part->k) : RC_MISSING, RC_TEXT(c->kernel), RC_TEXT(c->order),
        RC_BOOL(r->chosen), RC_REAL(c->time_ns, 4), RC_REAL(r->speedup, 4),
        RC_REAL(c->predicted_ns, 4), RC_REAL(c->order_ns, 4), RC_REAL(c->prepare_ns, 4),
        RC_REAL(rc_plan_break_even(part, r->candidate), 6),
        c->bytes >= 0 ? RC_INT(c->bytes) : RC_MISSING, RC_TEXT(r->chosen ? c->text : r->note),
        RC_BOOL(r->baseline),
        RC_TEXT(rc_plan_why_name(part->why)), RC_REAL(r->error, 2), RC_REAL(r->pays_after, 6),
        RC_BOOL(r->again), RC_REAL(c->predicted_setup_ns, 4),
        RC_TEXT(r->chosen ? a->sentence : NULL), RC_BOOL(part->transposed));
}

static rc_status_t print_programs(const rc_plan_t *plan, const rc_plan_problem_t *p,
    const rc_plan_answer_t *answer, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] =
        "k|kernel|order|chosen|time_ns:ns|speedup:x|predicted_ns:ns|order_ns:ns|prepare_ns:ns|"
        "break_even:products|memory:bytes|note|reference|why|rel_err|pays_after:products|again|"
        "predicted_setup_ns:ns|sentence|transposed";
    rc_status_t st = RC_OK;
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (int i = 0; st == RC_OK && i < rc_plan_parts(plan); i++) {
        rc_plan_part_t part;
        st = rc_plan_part(plan, i, &part, err);
        for (int j = 0; st == RC_OK && j < answer[i].rows; j++)
            print_candidate(t, p, &part, &answer[i], &answer[i].row[j]);
    }
    return rc_table_end_after(st, t, err);
}

static rc_status_t print_plan(
    const rc_plan_t *plan, const rc_plan_problem_t *p, rc_table_format_t format, rc_err_t *err)
{
    int n = rc_plan_parts(plan);
    rc_plan_answer_t *answer = rc_alloc0((size_t)n, sizeof *answer, "the answers", err);
    rc_status_t st = answer ? RC_OK : RC_ENOMEM;
    for (int i = 0; st == RC_OK && i < n; i++)
        st = rc_plan_answer(plan, i, &answer[i], err);
    if (st == RC_OK)
        st = format == RC_TABLE_TEXT ? rc_listing_answers(answer, n, err)
                                     : print_programs(plan, p, answer, format, err);
    for (int i = 0; answer && i < n; i++)
        rc_plan_answer_free(&answer[i]);
    free(answer);
    return st;
}

/* ------------------------------------------------------------------- command */

/* The answer is searched for, unless an option says what to time. */
static int is_search(const struct options *o)
{
    return o->budget >= 0 || (o->tune < 0 && !(o->tune_time > 0) && !o->how.kernels &&
                                 !o->how.orders && !o->model && !o->load);
}

typedef struct watch {
    int64_t said_ns; /* when */
    int is_terminal;
} watch_t;

/* Says what is tried, in place on a terminal, else whole lines of a long search.  A signal ends
 * it. */
static int watch_search(void *user, const rc_plan_candidate_t *next, int timed)
{
    const int64_t often_ns = 100000000;
    const int64_t seldom_ns = 10000000000;
    watch_t *w = user;
    int64_t now = rc_clock_ns();
    if (next && now - w->said_ns > (w->is_terminal ? often_ns : seldom_ns)) {
        fprintf(stderr, "%srowcast plan: %d timed, now %s in order %s%s",
            w->is_terminal ? "\r\033[K" : "", timed, next->kernel, next->order,
            w->is_terminal ? "" : "\n");
        w->said_ns = now;
    }
    return rc_drain_asked() != 0;
}

/* What a file refuses is input that does not fit, not a wrong word: exit code 3. */
static rc_status_t open_plan(const struct options *o, const rc_plan_place_t *place,
    const rc_plan_problem_t *p, const rc_plan_matrix_t *m, rc_plan_t **out, rc_err_t *err)
{
    const rc_plan_file_t file = {o->load, o->how.transposed};
    rc_status_t st = rc_plan_open(&file, place, p, m, out, err);
    if (st == RC_EINVAL || st == RC_ENOTSUP)
        st = err->status = RC_EFORMAT;
    return st;
}

static rc_status_t make_plan(const struct options *o, rc_device_t *d, const rc_valued_t *g,
    const rc_plan_problem_t *p, rc_plan_t **out, rc_err_t *err)
{
    const rc_csr_t *a = &g->a;
    const double ns = 1e9;
    watch_t watch = {rc_clock_ns(), isatty(STDERR_FILENO)};
    rc_plan_place_t place = {.x = &d->executor,
        .watch = watch_search,
        .watcher = &watch,
        .order = d->executor.kind == RC_DEVICE_CUDA ? rc_cuda_order_there : NULL,
        .cache_bytes = d->cache_bytes,
        .multiprocessors = d->multiprocessors,
        .device_class = d->class_name};
    rc_plan_place_watched(&place, d);
    rc_plan_matrix_t m = {a->rows, a->cols, a->nnz, a->row_ptr, (int)sizeof *a->row_ptr, a->col_idx,
        a->val, RC_HOST_TYPE, 0, 0, RC_PLAN_CSR};
    if (g->parts) {
        m.val = g->parts;
        m.precision = RC_HOST_COMPLEX;
    }
    rc_plan_options_t how = o->how;
    how.tune = is_search(o) ? RC_PLAN_SEARCH : o->tune < 0 ? 0 : (int)o->tune;
    how.tune_ns = (int64_t)((o->budget < 0 ? o->tune_time : fmax(o->budget, 1e-9)) * ns);
    how.deterministic =
        (o->deterministic ? RC_PLAN_SAME_BITS : 0) | (o->strict ? RC_PLAN_STRICT : 0);
    how.threads = d->executor.threads;
    rc_model_t *model = NULL;
    rc_status_t st = o->model ? rc_command_model(o->model, &model, err) : RC_OK;
    how.model = model;
    if (st == RC_OK && is_search(o))
        st = rc_drain_listen(err);
    if (st == RC_OK)
        st = o->load ? open_plan(o, &place, p, &m, out, err)
                     : rc_plan_new(&place, p, &m, &how, out, err);
    rc_model_free(model);
    if (watch.is_terminal && is_search(o))
        fputs("\r\033[K", stderr);
    return st;
}

/* An option may leave nothing to time, or one candidate, and others cannot run. */
static void tell_choice(const struct options *o, const rc_plan_t *plan)
{
    rc_plan_part_t part;
    const rc_plan_candidate_t *refused = NULL;
    int timed = 0;
    int refusals = 0;
    if (o->load || is_search(o) || rc_plan_part(plan, 0, &part, NULL) < 0)
        return;
    for (int i = 0; i < part.candidates; i++) {
        timed += !isnan(part.candidate[i].time_ns);
        if (part.candidate[i].status != RC_OK && refusals++ == 0)
            refused = &part.candidate[i];
    }
    if (timed > 1)
        return;
    printf("\n%s of %d candidate%s was timed: ", timed ? "One" : "None", part.candidates,
        rc_plural(part.candidates));
    if (part.candidates == 1)
        puts(o->how.kernels || o->how.orders
                 ? "--kernels and --orders leave nothing to choose"
                 : "one kernel and one order are the default; --budget SECONDS searches others");
    else if (refused && timed + refusals == part.candidates)
        printf("%s with order %s: %s\n", refused->kernel, refused->order, refused->text);
    else
        puts("--tune N times N, --budget SECONDS searches");
}

/* A line for each kernel that was asked for whose tuning was made for something else. */
static rc_status_t tell_tuning(
    const struct options *o, const rc_device_t *d, const rc_plan_problem_t *p, rc_err_t *err)
{
    rc_kernel_spec_t *spec = NULL;
    int n = 0;
    rc_status_t st = RC_OK;
    const rc_operation_t *op = rc_operation_of(p->op);
    const int straight = o->how.transposed && op->transposed; /* its kernels are */
    if (o->how.kernels)
        st = rc_kernel_specs_parse(o->how.kernels, d->executor.kind,
            1u << (straight ? op->straight : op->op), INT_MAX, &spec, &n, err);
    for (int i = 0; st == RC_OK && i < n * p->ks; i++) {
        rc_str_t line = {0};
        rc_rs_tuning_notice(&spec[i / p->ks], d->class_name, p->k[i % p->ks], p->precision, &line);
        if (line.text)
            fprintf(stderr, "rowcast plan: %s\n", line.text);
        st = line.failed ? rc_fail(err, RC_ENOMEM, "no memory for a line") : RC_OK;
        rc_str_free(&line);
    }
    free(spec);
    return st;
}

static void tell_beyond(const char *word, const rc_valued_t *g, rc_precision_t type)
{
    char text[RC_BEYOND_MAX + 1];
    rc_type_beyond(type, g->parts ? g->parts : g->a.val, g->parts ? 2 : 1, g->a.nnz, text);
    if (text[0])
        fprintf(stderr, "rowcast plan: %s: %s\n", word, text);
}

/* Infinity and NaN are values, as of IEEE, but seldom what somebody wanted. */
static void tell_not_finite(const char *word, const rc_valued_t *g)
{
    const double *value = g->parts ? g->parts : g->a.val;
    const int parts = g->parts ? 2 : 1;
    int64_t count = 0;
    int64_t row_of_first = 0;
    int64_t first = 0;
    for (int64_t row = 0; row < g->a.rows; row++)
        for (int64_t i = g->a.row_ptr[row]; i < g->a.row_ptr[row + 1]; i++) {
            if (isfinite(value[i * parts]) && isfinite(value[i * parts + parts - 1]))
                continue;
            row_of_first = count == 0 ? row : row_of_first;
            first = count == 0 ? i : first;
            count++;
        }
    if (count > 0)
        fprintf(stderr,
            "rowcast plan: %s: %" PRId64 " of %" PRId64
            " values %s infinity or NaN, the first at row %" PRId64 ", column %" PRId64 "\n",
            word, count, g->a.nnz, count == 1 ? "is" : "are", row_of_first + 1,
            (int64_t)g->a.col_idx[first] + 1);
}

/* \param[out] type  of the values that the plan is for */
static rc_status_t load(const char *word, const struct options *o, rc_precision_t *type,
    rc_valued_t *out, rc_err_t *err)
{
    const rc_command_loading_t how = {(int)o->threads, o->memory, 1};
    rc_mtx_info_t info;
    if (o->precision && rc_type_parse(RC_TYPES_ANY, o->precision, type, err) < 0)
        return rc_err_context(err, "--precision");
    return rc_type(*type)->parts > 1
               ? rc_command_load_complex(word, &how, &out->a, &out->parts, err)
               : rc_command_load(word, how.threads, how.memory, how.orders, &out->a, &info, err);
}

static rc_status_t plan_matrix(
    const char *word, const struct options *o, rc_table_format_t format, rc_err_t *err)
{
    rc_valued_t g = {.parts = NULL};
    rc_plan_problem_t p = {0};
    int64_t *k = NULL;
    rc_device_t *d = NULL;
    rc_plan_t *plan = NULL;
    rc_status_t st;
    RC_TRY(load(word, o, &p.precision, &g, err));
    RC_TRY(parse_problem(o, &g.a, &p, &k, err));
    tell_beyond(word, &g, p.precision);
    tell_not_finite(word, &g);
    RC_TRY(rc_command_open_device(o->device, (int)o->threads, &d, err));
    RC_TRY(tell_tuning(o, d, &p, err));
    d->watch(d, RC_WATCH_BEGIN);
    RC_TRY(rc_command_name_file(word, make_plan(o, d, &g, &p, &plan, err), err));
    RC_TRY(
        rc_command_name_file(word, rc_plan_verify(d, plan, &p, &g, o->how.transposed, err), err));
    if (format == RC_TABLE_TEXT)
        printf("matrix  %s: %" PRId64 " x %" PRId64 ", %" PRId64
               " entries\nproduct %s, %s, layout %s\n"
               "device  %s\n\n",
            word, g.a.rows, g.a.cols, g.a.nnz, rc_op_name(p.op), rc_precision_name(p.precision),
            rc_layout_name(p.layout), d->class_name);
    if (o->tune > 0 || is_search(o))
        rc_plan_note_company(plan, d);
    RC_TRY(print_plan(plan, &p, format, err));
    if (*rc_plan_company(plan))
        fprintf(stderr, "rowcast plan: %s\n", rc_plan_company(plan));
    if (format == RC_TABLE_TEXT)
        tell_choice(o, plan);
    if (o->save)
        st = rc_plan_save(plan, o->save, err);
    if (st == RC_OK && is_search(o) && rc_drain_asked())
        st = rc_fail(err, RC_EINTR, "stopped early: the answer is of what was timed until then");
done:
    rc_plan_free(plan);
    rc_device_close(d);
    free(k);
    rc_valued_free(&g);
    return st;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    if (o->budget >= 0 && (o->load || o->tune >= 0 || o->tune_time > 0))
        return rc_fail(err, RC_EINVAL, "--budget: excludes --load, --tune and --tune-time");
    if (o->load &&
        (o->how.kernels || o->how.orders || o->model || o->tune > 0 || o->how.transposed))
        return rc_fail(err, RC_EINVAL,
            "--load: excludes --kernels, --orders, --model, --tune and --transposed");
    if (o->save) /* a search should not end in a folder that is not there */
        RC_PASS(rc_replace_check(o->save, err));
    return plan_matrix(call->operand[0], o, call->format, err);
}

const rc_command_t rc_command_plan = {
    .name = "plan",
    .summary = "make the fastest product for a matrix, and say what it is",
    .usage = "FILE --k LIST [--budget SECONDS] [--reuse N]\n"
             "FILE --k LIST --tune N [--kernels LIST] [--orders LIST] [--model MODEL]",
    .description = RC_FILE_HELP
    " " RC_MODELS_HELP "\n\n"
    "A plan is, for each K, a pair of kernel and row order, with the matrix prepared for "
    "both. Without another option it is searched for (--budget), and the answer is a sentence: "
    "keep the order or not, with which kernel, how fast, when another order would pay, and "
    "which is the best in the long run. The fastest kernel wins beyond the errors of the times, "
    "and an order that pays within 1000 "
    "products; with --reuse, what order, preparation and so many products take together. "
    "Times of the chosen one and the baseline are then taken anew. A "
    "signal ends the search with the answer so far and exit code 75.\n\n"
    "Orders of rows alone are candidates. What renumbers columns too, such as rcm, would need B "
    "and C in that order: rc_order_system does it for a solver.\n\n"
    "With --kernels, --orders or --model the candidates are those: each kernel with each "
    "order, or the classes of the model, best first. --tune times them on the matrix.\n\n"
    "The baseline is the vendor's kernel in original order where it is among them (of those "
    "timed the fastest), else the first in original order; speedup is over it.\n\n"
    "pays_after says after how many products a row has paid over the first row with order csr: "
    "its setup less that of the other, by the time that a product saves, rounded up. Here setup "
    "is order_ns, and with another kernel order_ns + prepare_ns; without any time_ns it is "
    "predicted_setup_ns, by predicted_ns. Never, in csv and json empty, is where a product "
    "saves nothing; the table says unsure inside the errors of the times. It is empty where "
    "`again` differs: 1 says that times were taken in turns in "
    "the end, and others do not compare with them. What is cheap to set up is made up to three "
    "times, and the least time counts; below some ms it still differs by up to five times "
    "between runs, for memory is fresh or not.\n\n"
    "The plan that was made is run once on random operands, and a sample of the output is "
    "compared with sums in fp64; a plan that is wrong is an error. Values that overflow are "
    "counted on standard error.\n\n"
    "--save keeps choices and orders; --load makes the same plan of the same pattern without "
    "ordering, predicting or timing anything.",
    .examples =
        "rowcast plan matrix.mtx -k 64|which kernel, and whether to reorder\n"
        "rowcast plan matrix.mtx -k 8,128 --tune 5|the best of these and of cuSPARSE on this "
        "machine\n"
        "rowcast plan matrix.mtx -k 128 --orders csr,lpt --tune 9 --reuse 200|for 200 products\n"
        "rowcast plan matrix.mtx -k 128 --tune 5 --save m.plan|keep it\n"
        "rowcast plan matrix.mtx -k 128 --load m.plan -f json|for a program",
    .options = options,
    RC_COMMAND_DEFAULTS(struct options, .tune = -1, .budget = -1),
    .operands = {1, 1},
    .work = run,
};
