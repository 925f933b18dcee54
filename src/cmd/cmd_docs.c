#include "config.h"
#include "analysis/papers/paper.h"
#include "analysis/trainer.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/named.h"
#include "feature/feature.h"
#include "format/format.h"
#include "kernels/kernel.h"
#include "operation/operation.h"
#include "order/policy.h"
#include "table/view.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const rc_opt_t options[] = {
    RC_OPT_END,
};

static rc_status_t run(rc_call_t *call, rc_err_t *err);

const rc_command_t rc_command_docs = {
    .name = "docs",
    .summary = "print the manual pages and the completion of shells",
    .usage = "man [COMMAND] | completion bash|zsh|fish",
    .description =
        "Prints, on stdout, the manual page of rowcast or of one of its commands (troff with the "
        "man macros), or a script that lets a shell complete commands, options and their values: "
        "orders, kernels, operations, models, summaries, devices, files. Both come from the same "
        "tables as --help. The build runs this; an installation already has the files.\n\n"
        "'docs -- complete WORD...' prints what can stand for the last word; the scripts ask it.",
    .examples =
        "rowcast docs man info | man -l -|read the manual page of a command\n"
        "source <(rowcast docs completion bash)|complete commands, options and their values",
    .options = options,
    .operands = {1, -1},
    .work = run,
};

/* ---------------------------------------------------------------- manual pages */

/* n bytes of text as troff shows them unchanged.
 * line_start: the text begins a line, where '.' and ' would be requests. */
static void troff_n(FILE *out, const char *text, size_t n, int line_start)
{
    static const struct {
        char c;
        const char *as;
    } special[] = {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"},
        {'~', "\\(ti"}, {'"', "\\(dq"}};
    for (size_t i = 0; i < n; i++) {
        const char *as = NULL;
        for (size_t j = 0; j < sizeof special / sizeof *special; j++)
            if (special[j].c == text[i])
                as = special[j].as;
        if (line_start && text[i] == '.')
            fputs("\\&", out);
        if (as)
            fputs(as, out);
        else
            fputc(text[i], out);
        line_start = text[i] == '\n';
    }
}

static void troff(FILE *out, const char *text)
{
    troff_n(out, text, strlen(text), 1);
}

/* Paragraphs separated by empty lines; one with an indented line is kept as it is. */
static void paragraphs(FILE *out, const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        size_t n = end ? (size_t)(end - text) : strlen(text);
        int literal = n > 0 && text[0] == ' ';
        for (size_t i = 1; i < n; i++)
            if (text[i - 1] == '\n' && text[i] == ' ')
                literal = 1;
        fputs(literal ? ".PP\n.nf\n" : ".PP\n", out);
        troff_n(out, text, n, 1);
        fputs(literal ? "\n.fi\n" : "\n", out);
        text += n;
        text += strspn(text, "\n");
    }
}

static void option_rows(FILE *out, const rc_opt_t *o)
{
    for (; o->name; o++) {
        fputs(".TP\n\\fB", out);
        if (o->letter)
            fprintf(out, "\\-%c\\fR, \\fB", o->letter);
        fputs("\\-\\-", out);
        troff(out, o->name);
        fputs("\\fR", out);
        if (o->arg) {
            fputs("=\\fI", out);
            troff(out, o->arg);
            fputs("\\fR", out);
        }
        fputc('\n', out);
        troff(out, o->help);
        fputc('\n', out);
    }
}

static void example_rows(FILE *out, const char *text)
{
    while (*text) {
        size_t n = strcspn(text, "\n");
        size_t bar = n; /* the last one: a command may hold a pipe */
        for (size_t i = 0; i < n; i++)
            if (text[i] == '|')
                bar = i;
        fputs(".TP\n.EX\n", out);
        troff_n(out, text, bar, 1);
        fputs("\n.EE\n", out);
        if (bar < n) {
            troff_n(out, text + bar + 1, n - bar - 1, 1);
            fputc('\n', out);
        }
        text += n;
        text += strspn(text, "\n");
    }
}

static void page_begin(FILE *out, const char *name, const char *dash, const char *summary)
{
    fprintf(out, ".TH ROWCAST%s", *name ? "\\-" : "");
    for (const char *c = name; *c; c++)
        fputc(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, out);
    fprintf(out, " 1 \"\" \"rowcast %s\" \"User Commands\"\n", rc_version());
    fputs(".nh\n.ad l\n.SH NAME\nrowcast", out);
    fputs(dash, out);
    troff(out, name);
    fputs(" \\- ", out);
    troff(out, summary);
    fputs("\n.SH SYNOPSIS\n", out);
}

static void exit_status(FILE *out)
{
    static const struct {
        int code;
        const char *meaning;
    } rows[] = {{RC_EXIT_OK, "Done."},
        {RC_EXIT_FAILED, "It ran, and something failed: a case, a comparison."},
        {RC_EXIT_USAGE,
            "Options or operands are wrong, or ask of an input what it does not have; nothing was "
            "done."},
        {RC_EXIT_ERROR,
            "Input that is not there or damaged, store, memory or machine: the line on stderr "
            "says which."},
        {RC_EXIT_UNCLEAR,
            "It ran, and a comparison has no answer: noise hides it, or there is nothing to "
            "compare."},
        {RC_EXIT_AGAIN, "Drained on request with work left: run it again."}};
    fputs(".SH \"EXIT STATUS\"\n", out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        fprintf(out, ".TP\n%d\n%s\n", rows[i].code, rows[i].meaning);
}

static void see_also(FILE *out, const rc_command_t *self)
{
    const char *separator = "";
    fputs(".SH \"SEE ALSO\"\n", out);
    if (self) {
        fputs("\\fBrowcast\\fR(1)", out);
        separator = ",\n";
    }
    for (int i = 0; rc_commands[i]; i++)
        if (rc_commands[i] != self) {
            fprintf(out, "%s\\fBrowcast\\-", separator);
            troff(out, rc_commands[i]->name);
            fputs("\\fR(1)", out);
            separator = ",\n";
        }
    fputc('\n', out);
}

/* A line for each form. */
static void usage_forms(FILE *out, const rc_command_t *c)
{
    for (const char *form = c->usage;; form++) {
        size_t n = strcspn(form, "\n");
        fputs("\\fBrowcast ", out);
        troff(out, c->name);
        fputs("\\fR ", out);
        troff_n(out, form, n, 1);
        fputc('\n', out);
        form += n;
        if (!*form)
            return;
        fputs(".br\n", out);
    }
}

static void command_page(FILE *out, const rc_command_t *c)
{
    page_begin(out, c->name, "\\-", c->summary);
    usage_forms(out, c);
    fputs(".SH DESCRIPTION\n", out);
    paragraphs(out, c->description);
    fputs(".SH OPTIONS\n", out);
    option_rows(out, c->options);
    option_rows(out, rc_command_help_row);
    if (c->examples) {
        fputs(".SH EXAMPLES\n", out);
        example_rows(out, c->examples);
    }
    exit_status(out);
    see_also(out, c);
}

static void main_page(FILE *out)
{
    page_begin(out, "", "", "find the row order in which sparse x dense is fastest");
    fputs(
        "\\fBrowcast\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] [\\fIOPERANDS\\fR]\n"
        ".SH DESCRIPTION\n"
        "Measures, for a sparse matrix and a number of dense columns, in which row order and with "
        "which kernel the product sparse x dense is fastest, over whole collections of matrices "
        "and many ranks, and keeps the results in one HDF5 file.\n"
        ".SH COMMANDS\n",
        out);
    for (int i = 0; rc_commands[i]; i++) {
        if (rc_command_group(i))
            fprintf(out, ".SS %s\n", rc_command_group(i));
        fputs(".TP\n\\fBrowcast\\-", out);
        troff(out, rc_commands[i]->name);
        fputs("\\fR(1)\n", out);
        troff(out, rc_commands[i]->summary);
        fputs(".\n", out);
    }
    fputs(".SH OPTIONS\n.TP\n\\fB\\-h\\fR, \\fB\\-\\-help\\fR\nPrint the commands and exit.\n"
          ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\nPrint the version and exit.\n",
        out);
    exit_status(out);
    see_also(out, NULL);
}

/* ----------------------------------------------------------------- completion */

/* The word under the cursor. */
typedef struct completion {
    FILE *out;
    const char *head; /* of the word, printed before each candidate: "--op=spmm," */
    size_t head_size;
    const char *rest; /* what a candidate must begin with */
} completion_t;

static void offer(const completion_t *c, const char *candidate)
{
    if (strncmp(candidate, c->rest, strlen(c->rest)) == 0)
        fprintf(c->out, "%.*s%s\n", (int)c->head_size, c->head, candidate);
}

static void offer_words(const completion_t *c, const char *const *words)
{
    for (int i = 0; words[i]; i++)
        offer(c, words[i]);
}

/* ------------------------------------------------------ kinds of values */

/* The names of a registry: descriptors by pointer, the last one NULL. */
#define NAMES_OF(kind, registry)                                                                   \
    static void kind(const completion_t *c)                                                        \
    {                                                                                              \
        for (int i = 0; (registry)[i]; i++)                                                        \
            offer(c, (registry)[i]->name);                                                         \
    }
NAMES_OF(policies, rc_policies)
NAMES_OF(storage_formats, rc_formats)
NAMES_OF(operations, rc_operations)
NAMES_OF(trainers, rc_trainers)
NAMES_OF(feature_sets, rc_feature_sets)
NAMES_OF(summaries, rc_summaries)
NAMES_OF(commands, rc_commands)

static void precisions(const completion_t *c)
{
    offer_words(c, rc_precision_names);
}

static void kernels(const completion_t *c)
{
    for (int i = 0; rc_kernels[i]; i++)
        if (rc_kernel_find(rc_kernels[i]->name, RC_DEVICE_CPU) == rc_kernels[i]) /* a name once */
            offer(c, rc_kernels[i]->name);
}

static void formats(const completion_t *c)
{
    offer_words(c, (const char *const[]){"table", "csv", "json", NULL});
}

static void fields(const completion_t *c)
{
    for (int i = 0; i < rc_view_fields.count; i++)
        offer(c, rc_view_fields.field[i].name);
}

static void files(const completion_t *c)
{
    fputs(":files\n", c->out);
}

static void folders(const completion_t *c)
{
    fputs(":dirs\n", c->out);
}

static void models(const completion_t *c)
{
    rc_str_t names = {0};
    rc_words_t word = {0};
    rc_command_model_names(&names);
    if (!names.failed && names.len > 0 && rc_words_split(names.text, '\n', &word, NULL) == RC_OK)
        for (int i = 0; i < word.count; i++)
            offer(c, word.word[i]);
    rc_words_free(&word);
    rc_str_free(&names);
    files(c);
}

enum { LIST = 1 /* separated by commas */, ALL = 2 /* or "all" */ };

/* By the placeholder of an option. */
static const struct {
    const char *placeholder;
    void (*offer)(const completion_t *c);
    int also;
} kinds[] = {{"ORDER", policies, 0}, {"ORDERS", policies, LIST | ALL}, {"KERNEL", kernels, 0},
    {"KERNELS", kernels, LIST | ALL}, {"SPEC", storage_formats, 0}, {"OP", operations, 0},
    {"OPS", operations, LIST}, {"PRECISION", precisions, 0}, {"PRECISIONS", precisions, LIST},
    {"FORMAT", formats, 0}, {"TRAINER", trainers, 0}, {"SET", feature_sets, 0},
    {"SUMMARY", summaries, 0}, {"FIELDS", fields, LIST}, {"MODEL", models, 0}, {"FILE", files, 0},
    {"CSV", files, 0}, {"DIR", folders, 0}};

/* One part of a placeholder: a kind, or a word that is meant as it stands. */
static void offer_part(const completion_t *c, const char *part)
{
    completion_t last = *c; /* of a list */
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].placeholder, part) != 0)
            continue;
        const char *comma = kinds[i].also & LIST ? strrchr(c->rest, ',') : NULL;
        if (comma) {
            last.rest = comma + 1;
            last.head_size = (size_t)(last.rest - c->head);
        }
        kinds[i].offer(&last);
        if (kinds[i].also & ALL)
            offer(&last, "all");
        return;
    }
    if (part[0] >= 'a' && part[0] <= 'z')
        offer(c, part);
}

/* "exclusive|shared", "FILE|URL" */
static rc_status_t offer_values(const completion_t *c, const char *placeholder, rc_err_t *err)
{
    rc_words_t part;
    RC_PASS(rc_words_split(placeholder, '|', &part, err));
    for (int i = 0; i < part.count; i++)
        offer_part(c, part.word[i]);
    rc_words_free(&part);
    return RC_OK;
}

/* -------------------------------------------------------------- the words */

static void offer_options(const completion_t *c, const rc_opt_t *o)
{
    for (; o->name; o++) {
        char text[64];
        snprintf(text, sizeof text, "--%s", o->name);
        offer(c, text);
        snprintf(text, sizeof text, "-%c", o->letter);
        if (o->letter)
            offer(c, text);
    }
    offer(c, "--help");
    offer(c, "-h");
}

/* The option with a value that a word names: "-k", "--k" or "--k=..."; NULL: none. */
static const rc_opt_t *option_of(const rc_opt_t *o, const char *word)
{
    size_t n = strcspn(word, "=");
    for (; o->name; o++)
        if (o->kind != RC_OPT_FLAG &&
            ((n == 2 && word[0] == '-' && word[1] == o->letter) ||
                (n > 2 && strncmp(word, "--", 2) == 0 && strlen(o->name) == n - 2 &&
                    memcmp(word + 2, o->name, n - 2) == 0)))
            return o;
    return NULL;
}

/* The operands of paper: a paper, one of its tables, a store. */
static void offer_papers(const completion_t *c, char *const *word, int words)
{
    const rc_paper_t *p = words > 1 ? rc_paper_find(word[0]) : NULL;
    for (int i = 0; words == 1 && rc_papers[i]; i++)
        offer(c, rc_papers[i]->name);
    for (int i = 0; words == 2 && p && p->tables[i]; i++)
        offer(c, p->tables[i]->name);
    if (words > 2)
        files(c);
}

static rc_status_t complete_command(
    const rc_command_t *command, char *const *word, int words, completion_t *c, rc_err_t *err)
{
    const char *now = word[words - 1];
    const char *before = words > 1 ? word[words - 2] : "";
    const char *equals = strncmp(now, "--", 2) == 0 ? strchr(now, '=') : NULL;
    if (equals) {
        before = now;
        c->rest = equals + 1;
        c->head_size = (size_t)(c->rest - now);
    } else if (strcmp(now, "=") == 0) /* bash cuts there */
        c->rest = c->head = "";
    else if (strcmp(before, "=") == 0 && words > 2)
        before = word[words - 3];
    const rc_opt_t *option = option_of(command->options, before);
    if (option)
        return offer_values(c, option->arg ? option->arg : "", err);
    if (now[0] == '-')
        offer_options(c, command->options);
    else if (strcmp(command->name, "paper") == 0)
        offer_papers(c, word, words);
    else if (strstr(command->usage, "FILE") || strstr(command->usage, "STORE"))
        files(c);
    return RC_OK;
}

/* Print the candidates, one a line; ":files" and ":dirs" stand for those of the shell.  The scripts
 * ask for it, so that they know no option themselves.
 * \param[in] word  [words] what follows "rowcast", up to the word under the cursor, which may be
 *                  "".  "--name=value" is one word, or three as bash cuts it */
static rc_status_t complete(char *const *word, int words, FILE *out, rc_err_t *err)
{
    static const char *const others[] = {"help", "--help", "--version", NULL};
    if (words < 1)
        return RC_OK;
    completion_t c = {.out = out, .head = word[words - 1], .rest = word[words - 1]};
    const rc_command_t *command = rc_command_find(word[0]);
    if (words == 1) {
        commands(&c);
        offer_words(&c, others);
    } else if (command)
        return complete_command(command, word + 1, words - 1, &c, err);
    else if (strcmp(word[0], "help") == 0)
        commands(&c);
    return RC_OK;
}

/* ------------------------------------------------------------ the scripts */

static const struct {
    const char *shell;
    const char *script;
} scripts[] = {
#include "cmd/shells.inc" /* of the files in src/cmd/shells */
};

/* bash, zsh or fish. */
static rc_status_t print_script(const char *shell, FILE *out, rc_err_t *err)
{
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(scripts[i].shell, shell) == 0) {
            fputs(scripts[i].script, out);
            return RC_OK;
        }
    return rc_fail(err, RC_EINVAL, "completion: expected bash, zsh or fish, found '%s'", shell);
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    char *const *operands = call->operand;
    int n = call->operands;
    rc_status_t st = RC_OK;
    int completes = strcmp(operands[0], "complete") == 0;
    if (n > 2 && !completes)
        return rc_fail(err, RC_EINVAL, "unexpected operand '%s'; usage: rowcast docs %s",
            operands[2], rc_command_docs.usage);
    if (strcmp(operands[0], "man") == 0) {
        const rc_command_t *c = n > 1 ? rc_command_find(operands[1]) : NULL;
        if (n > 1 && !c)
            return rc_fail(err, RC_EINVAL, "unknown command '%s'", operands[1]);
        if (c)
            command_page(stdout, c);
        else
            main_page(stdout);
    } else if (strcmp(operands[0], "completion") == 0)
        st = print_script(n < 2 ? "" : operands[1], stdout, err);
    else if (completes)
        st = complete(operands + 1, n - 1, stdout, err);
    else
        return rc_fail(
            err, RC_EINVAL, "expected 'man', 'completion' or 'complete', found '%s'", operands[0]);
    if (st < 0)
        return st;
    if (fflush(stdout) != 0 || ferror(stdout))
        return rc_fail_errno(err, RC_EIO, errno, "cannot write to stdout");
    return RC_OK;
}
