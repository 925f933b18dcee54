#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "table/print.h"
#include "operation/operand.h"
#include "table/diff.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct options {
    rc_diff_options_t how;
    const char *where;
    const char *list;
    const char *ignore;
    const char *format;
    int across_devices;
    int quiet;
    int unsealed;
};

static const rc_opt_t table[] = {
    RC_OPT("where", 'w', RC_OPT_TEXT, RC_AT(where), "EXPR",
        "Only cases whose row in either store matches, e.g. 'k == 8 && kernel ~ gstat*'; the "
        "fields are those of 'rowcast query --fields'."),
    RC_OPT("list", 0, RC_OPT_TEXT, RC_AT(list), "VERDICTS",
        "Print cases instead of groups: a list of slower, faster, unclear, same, broken, noisy, "
        "fixed, failing, only_a, only_b; all; or changed (all but same)."),
    {"threshold", 0, RC_OPT_DOUBLE, RC_AT(how.threshold), "X",
        "Least relative change that counts. Default 0.02.", 1e-9, 10},
    {"fdr", 0, RC_OPT_DOUBLE, RC_AT(how.fdr), "X",
        "False-discovery rate: the share of wrong ones among the cases that are called slower or "
        "faster, and the chance that there is any when nothing changed. Default 0.05.",
        1e-9, 0.5},
    {"noise", 0, RC_OPT_DOUBLE, RC_AT(how.noise), "X",
        "Relative standard deviation between two runs of the same case, taken as normal. Default: "
        "estimated from the two stores, tails and what the cases of a matrix share too.",
        0, 1},
    RC_OPT("ignore", 0, RC_OPT_TEXT, RC_AT(ignore), "LIST",
        "What the same case may differ in: versions (of kernel and order), device, geometry (nw, "
        "nt, line), cache, c_order; or none. Default: versions."),
    RC_OPT("across-devices", 0, RC_OPT_FLAG, RC_AT(across_devices), NULL,
        "Adds device to --ignore: compare two machines."),
    RC_FORMAT_OPTION(RC_AT(format)),
    RC_OPT("quiet", 'q', RC_OPT_FLAG, RC_AT(quiet), NULL, "No line of totals on stderr."),
    RC_UNSEALED_OPTION(RC_AT(unsealed)),
    RC_OPT_END,
};

/* ------------------------------------------------------------------ options */

enum { ALL = (1 << RC_VERDICTS) - 1 };

static int index_of(const char *const *names, const char *word)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], word) == 0)
            return i;
    return -1;
}

/* Bits of the names in a comma-separated list; the words of `whole` stand for whole_bits. */
static rc_status_t parse_bits(const char *option, const char *text, const char *const *names,
    const char *const *whole, const unsigned *whole_bits, unsigned *out, rc_err_t *err)
{
    rc_words_t words = {0};
    *out = 0;
    if (rc_words_split(text, ',', &words, err) < 0)
        return rc_err_context(err, "%s", option);
    rc_status_t st = RC_OK;
    for (int i = 0; st == RC_OK && i < words.count; i++) {
        int at = index_of(names, words.word[i]);
        int w = index_of(whole, words.word[i]);
        if (at >= 0)
            *out |= 1U << at;
        else if (w >= 0)
            *out |= whole_bits[w];
        else
            st = rc_fail(err, RC_EINVAL, "%s: expected %s, %s, ..., found '%s'", option, names[0],
                names[1], words.word[i]);
    }
    rc_words_free(&words);
    return st;
}

static rc_status_t parse_ignore(const struct options *o, unsigned *out, rc_err_t *err)
{
    static const char *const whole[] = {"none", NULL};
    static const unsigned bits[] = {0};
    rc_status_t st = parse_bits("--ignore", o->ignore, rc_diff_ignore_names, whole, bits, out, err);
    if (o->across_devices)
        *out |= RC_DIFF_DEVICE;
    return st;
}

static rc_status_t parse_list(const struct options *o, unsigned *out, rc_err_t *err)
{
    static const char *const whole[] = {"all", "changed", NULL};
    static const unsigned bits[] = {ALL, ALL & ~(1U << RC_VERDICT_SAME)};
    return parse_bits("--list", o->list, rc_verdict_names, whole, bits, out, err);
}

/* ------------------------------------------------------------------- tables */

enum { K_TEXT = 24 };

/* In JSON a text, so that all rows have one type. */
static rc_table_cell_t k_of(rc_table_format_t format, const rc_diff_group_t *g, char text[K_TEXT])
{
    (void)snprintf(text, K_TEXT, "%" PRId64, g->k);
    return g->k == 0                 ? RC_MISSING
           : g->is_n                 ? RC_TEXT("n")
           : format == RC_TABLE_JSON ? RC_TEXT(text)
                                     : RC_INT(g->k);
}

enum { OP = 3 /* bytes of "op|", the first column */ };

/* The operation goes unsaid where there is none but spmm. */
static int other_operations(const rc_diff_t *d)
{
    for (int32_t i = 0; i < d->groups; i++)
        if (d->group[i].op != 0)
            return 1;
    return 0;
}

static int several_devices(const rc_diff_t *d)
{
    for (int32_t i = 1; i < d->groups; i++)
        if (strcmp(d->group[i].device, d->group[0].device) != 0)
            return 1;
    return 0;
}

static int in_one_store(const rc_diff_group_t *g)
{
    return g->verdict == RC_VERDICT_ONLY_A || g->verdict == RC_VERDICT_ONLY_B;
}

static rc_status_t print_groups(const rc_diff_t *d, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] =
        "op|kernel|k|precision|policy|same|slower|faster|unclear|broken|noisy|fixed|failing|only_a|"
        "only_b|geomean:B/A|median:B/A|q:rate|verdict|device";
    int ops = other_operations(d);
    int devices = format != RC_TABLE_TEXT || several_devices(d);
    rc_table_t *t = rc_table_of(stdout, format, columns + (ops ? 0 : OP), 18 + ops + devices, err);
    for (int32_t i = 0; i < d->groups; i++) {
        const rc_diff_group_t *g = &d->group[i];
        char k[K_TEXT];
        if (format == RC_TABLE_TEXT && in_one_store(g))
            continue; /* one line says how many */
        if (ops)
            rc_table_text(t, rc_view_name(rc_op_names, g->op));
        RC_CELLS(t, RC_TEXT(g->kernel), k_of(format, g, k),
            RC_TEXT(rc_precision_name(g->precision)), RC_TEXT(g->policy));
        for (int v = 0; v < RC_VERDICTS; v++)
            rc_table_int(t, g->count[v]);
        RC_CELLS(t, RC_REAL(g->geomean, 4), RC_REAL(g->median, 4), RC_REAL(g->q, 2),
            RC_TEXT(rc_verdict_names[g->verdict]));
        if (devices)
            rc_table_text(t, g->device);
    }
    return rc_table_end(t, err);
}

/* What a case has on one side; missing where the store does not have it. */
static rc_table_cell_t median_of(const rc_view_t *v, int64_t row)
{
    return RC_REAL(row < 0 ? NAN : rc_view_result(v, row)->median_ns, 6);
}

static rc_table_cell_t status_of(const rc_view_t *v, int64_t row)
{
    return row < 0 ? RC_MISSING
                   : RC_TEXT(rc_case_status_name((rc_case_status_t)rc_view_result(v, row)->status));
}

static rc_table_cell_t case_of(const rc_view_t *v, int64_t row, rc_cursor_t *c)
{
    if (row < 0)
        return RC_MISSING;
    rc_view_seek(v, row, c);
    return RC_TEXT(c->case_id);
}

static rc_status_t print_cases(const rc_view_t *a, const rc_view_t *b, const rc_diff_t *d,
    unsigned verdicts, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] =
        "op|verdict|fullname|kernel|policy|k|precision|a_median:ns|b_median:ns|ratio:B/A|change:%|"
        "noise:%|q|a_status|b_status|a_case|b_case|device";
    int ops = other_operations(d);
    int wide = format != RC_TABLE_TEXT;
    rc_table_t *t = rc_table_of(stdout, format, columns + (ops ? 0 : OP), 14 + ops + 3 * wide, err);
    for (int64_t i = 0; i < d->cases; i++) {
        const rc_diff_case_t *c = &d->item[i];
        const rc_view_t *v = c->a >= 0 ? a : b;
        const rc_row_result_t *r = rc_view_result(v, c->a >= 0 ? c->a : c->b);
        char name[RC_NAME_MAX + 1];
        rc_cursor_t of[2];
        if (!(verdicts & 1U << c->verdict))
            continue;
        if (ops)
            rc_table_text(t, rc_view_name(rc_op_names, r->op));
        RC_CELLS(t, RC_TEXT(rc_verdict_names[c->verdict]),
            RC_TEXT(rc_field_text(rc_view_matrix(v, r->matrix)->name, RC_NAME_MAX, name)),
            RC_TEXT(rc_view_kernel(v, r->kernel)), RC_TEXT(rc_view_policy(v, r->policy)),
            r->k == 0 ? RC_MISSING : RC_INT(r->k), RC_TEXT(rc_precision_name(r->precision)),
            median_of(a, c->a), median_of(b, c->b), RC_REAL(c->ratio, 4),
            RC_REAL(100 * expm1(c->change), 3), RC_REAL(100 * c->noise, 2), RC_REAL(c->q, 2),
            status_of(a, c->a), status_of(b, c->b));
        if (wide)
            RC_CELLS(t, case_of(a, c->a, &of[0]), case_of(b, c->b, &of[1]),
                RC_TEXT(rc_view_device(v, r->device)));
    }
    return rc_table_end(t, err);
}

/* ------------------------------------------------------------------- the whole */

static void say_totals(const rc_diff_t *d)
{
    const int64_t *groups = d->group_count;
    rc_str_t s = {0};
    for (int v = 0; v < RC_VERDICTS; v++)
        if (d->count[v] || v <= RC_VERDICT_FASTER)
            rc_str_addf(&s, "%s%" PRId64 " %s", v ? ", " : "", d->count[v], rc_verdict_names[v]);
    if (!s.failed)
        fprintf(stderr,
            "rowcast compare: %" PRId64 " cases: %s; %" PRId64 " of %" PRId32
            " groups slower, %" PRId64 " faster, %" PRId64 " unclear; noise between runs %.2g %%\n",
            d->cases, s.text, groups[RC_VERDICT_SLOWER], d->groups, groups[RC_VERDICT_FASTER],
            groups[RC_VERDICT_UNCLEAR], 100 * d->noise);
    rc_str_free(&s);
    if (groups[RC_VERDICT_ONLY_A] || groups[RC_VERDICT_ONLY_B])
        fprintf(stderr,
            "rowcast compare: groups in one store only: %" PRId64 " in A, %" PRId64 " in B\n",
            groups[RC_VERDICT_ONLY_A], groups[RC_VERDICT_ONLY_B]);
}

/* What a result says of the machine meanwhile; below 0 and NaN: nothing. */
typedef double figure_fn(const rc_row_result_t *r);

static double hop_of(const rc_row_result_t *r)
{
    return r->hop_ns > 0 ? r->hop_ns : NAN;
}

static double load_of(const rc_row_result_t *r)
{
    return r->load;
}

/* The medians of both stores, of the cases that have a time in both.  \param[out] in  of A and B */
static rc_status_t middles(const rc_diff_t *d, const rc_view_t *a, const rc_view_t *b,
    figure_fn *figure, double in[2], rc_err_t *err)
{
    double *all = NULL;
    RC_PASS(RC_NEW(all, d->cases, "figures", err));
    for (int side = 0; side < 2; side++) {
        rc_stats_t s;
        int64_t n = 0;
        for (int64_t i = 0; i < d->cases; i++) {
            const rc_diff_case_t *c = &d->item[i];
            const double x = isnan(c->ratio) ? NAN
                             : side == 0     ? figure(rc_view_result(a, c->a))
                                             : figure(rc_view_result(b, c->b));
            if (x >= 0)
                all[n++] = x;
        }
        rc_stats_compute(all, n, &s);
        in[side] = s.median;
    }
    free(all);
    return RC_OK;
}

/* Other programs, and where CPUs of a team were, if that was not alike. */
static rc_status_t say_machine(
    const rc_diff_t *d, const rc_view_t *a, const rc_view_t *b, rc_err_t *err)
{
    const double alike = 1.5;
    const double some = 0.5; /* threads, which is none for the tables */
    const double few = 10;   /* of which tenths are said */
    double load[2];
    double hop[2];
    RC_PASS(middles(d, a, b, load_of, load, err));
    RC_PASS(middles(d, a, b, hop_of, hop, err));
    const double most = fmax(load[0], load[1]); /* where one is NaN all are the other */
    if (most >= some && most > alike * fmin(load[0], load[1]))
        fprintf(stderr,
            "rowcast compare: threads of other programs that wanted CPUs, or their processes on a "
            "GPU: %.*f in A, %.*f in B: times may differ by that\n",
            load[0] < few, load[0], load[1] < few, load[1]);
    if (fmax(hop[0], hop[1]) > alike * fmin(hop[0], hop[1]))
        fprintf(stderr,
            "rowcast compare: a line of cache took %.0f ns between neighbours of a team in A, %.0f "
            "in B: where their rows take turns, times differ by that\n",
            hop[0], hop[1]);
    return RC_OK;
}

/* 1: some case has a time in both stores. */
static int has_ratio(const rc_diff_t *d)
{
    int64_t n = 0;
    for (int v = 0; v < RC_VERDICTS; v++)
        n += v <= RC_VERDICT_UNCLEAR ? d->count[v] : 0;
    return n > 0;
}

/* 1 for what is slower or broken; else unclear when nothing is compared, or a group is unclear or
 * has no time for noise. */
static int code_of(const rc_diff_t *d)
{
    if (d->count[RC_VERDICT_SLOWER] || d->count[RC_VERDICT_BROKEN] ||
        d->group_count[RC_VERDICT_SLOWER])
        return RC_EXIT_FAILED;
    return !has_ratio(d) || d->group_count[RC_VERDICT_UNCLEAR] || d->group_count[RC_VERDICT_NOISY]
               ? RC_EXIT_UNCLEAR
               : RC_EXIT_OK;
}

static rc_status_t has_common(const rc_diff_t *d, const rc_view_t *a, const rc_view_t *b,
    const struct options *o, rc_err_t *err)
{
    if (d->cases > d->count[RC_VERDICT_ONLY_A] + d->count[RC_VERDICT_ONLY_B])
        return RC_OK;
    const char *first = rc_view_count(a) ? rc_view_device(a, rc_view_result(a, 0)->device) : "";
    const char *second = rc_view_count(b) ? rc_view_device(b, rc_view_result(b, 0)->device) : "";
    if (*first && *second && strcmp(first, second) != 0 && !o->across_devices)
        return rc_fail(err, RC_ENOENT,
            "the stores have no case in common: the device of the first is '%s', of the second "
            "'%s' (--across-devices compares them)",
            first, second);
    return rc_fail(err, RC_ENOENT, "the stores have no case in common%s",
        o->where ? " that matches --where" : "");
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    rc_diff_options_t how = o->how;
    rc_expr_t *where = NULL;
    unsigned verdicts = 0;
    rc_view_t *a = NULL;
    rc_view_t *b = NULL;
    rc_diff_t d = {0};
    rc_status_t st;
    RC_TRY(rc_view_compile(o->where, "--where", &where, err));
    how.where = where;
    RC_TRY(parse_ignore(o, &how.ignore, err));
    if (o->list)
        RC_TRY(parse_list(o, &verdicts, err));
    RC_TRY(rc_view_read(call->operand[0], &a, err));
    RC_TRY(rc_view_read(call->operand[1], &b, err));
    if (rc_view_check(a, where, NULL) < 0)
        RC_TRY(rc_view_check(b, where, err));
    RC_TRY(rc_diff(a, b, &how, &d, err));
    RC_TRY(has_common(&d, a, b, o, err));
    if (o->list)
        RC_TRY(print_cases(a, b, &d, verdicts, call->format, err));
    else
        RC_TRY(print_groups(&d, call->format, err));
    if (!o->quiet) {
        say_totals(&d);
        RC_TRY(say_machine(&d, a, b, err));
    }
    if (!has_ratio(&d))
        fprintf(
            stderr, "rowcast compare: nothing is compared: no case has a time in both stores\n");
    call->code = code_of(&d);
done:
    rc_diff_free(&d);
    rc_view_free(a);
    rc_view_free(b);
    rc_expr_free(where);
    return st;
}

const rc_command_t rc_command_compare = {
    .name = "compare",
    .summary = "say what became slower or faster between two stores",
    .usage = "[OPTIONS] A B",
    .description =
        "Compares the newest results of two stores, A (before) and B (after), case by case. Prints "
        "a line per kernel, order, K, precision and device: how many cases are slower, faster, the "
        "same within noise, unclear, and so on, the geometric mean and the median of the ratios "
        "(time of B over time of A), and whether the group as a whole is slower, faster, the same "
        "or unclear; slowest first. A table leaves out groups of one store only; a line on stderr "
        "counts them. With --list it prints the cases themselves.\n\n"
        "The error of a result is that within its run; runs of one program differ by more. What "
        "lies between the runs is estimated from how far the cases of a group spread around the "
        "middle of the group, and a case is slower or faster when median and shortest time both "
        "moved beyond the threshold, by more than that noise explains with the "
        "false-discovery rate held over all cases. Noise has no direction: a change that as many "
        "cases made the other way, or that some made nearly, is unclear. So is any other change "
        "beyond the threshold, and a case whose noise is beyond it: noise makes cases unclear, "
        "never the same. They want another measurement, or a larger --threshold. "
        "The cases of a matrix move together, so what is slower has to be of enough "
        "matrices, 20 with the default rate, else it is unclear too; on fewer, give the --noise of "
        "the machine. A group of 10 or more cases is slower when the ranks of its changes say so "
        "and mean and median are above the threshold by as much as the noise of a case. It is the "
        "same when its mean, give or take an error of 5 % to either side, is within the threshold, "
        "and fewer than half of its cases are unclear; else it is unclear.\n\n"
        "The column q is the false-discovery rate at which a case or a group would just be called "
        "slower or faster: the smaller, the surer that it moved. It does not say how far. Groups "
        "of fewer than 10 cases have none.\n\n"
        "broken is ok in A only (wrong, failed, skipped or crashed in B), fixed the reverse, "
        "failing ok in neither. What is noisy counts as ok there, for its product is right; where "
        "nothing else is amiss the verdict is noisy: measure again. Cases that are still in "
        "journals are not seen: 'rowcast fold' comes first.\n\n"
        "Exit code: 0 when nothing is slower or broken and every group is clear; 1 when a case or "
        "a group is slower, or a case broken; 4 when none is, but a group is unclear, or noisy as "
        "a whole, or no case has a time in both stores; 3 also when the stores have no case in "
        "common.",
    .examples =
        "rowcast compare before.h5 after.h5|what a change of the code did\n"
        "rowcast compare before.h5 after.h5 --list slower,broken|which cases it slowed "
        "down\n"
        "rowcast compare a100.h5 h200.h5 --across-devices --ignore versions,geometry|two machines",
    .options = table,
    RC_COMMAND_DEFAULTS(struct options, .ignore = "versions",
        .how = {.threshold = 0.02, .fdr = 0.05, .noise = NAN}),
    .operands = {2, 2},
    .work = run,
};
