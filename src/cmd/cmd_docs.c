#include "config.h"
#include "base/error.h"
#include "cmd/cmd.h"
#include "cmd/complete.h"

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
        "policies, kernels, operations, models, summaries, devices, files. Both come from the same "
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

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    char *const *operands = call->operand;
    int n = call->operands;
    rc_status_t st = RC_OK;
    int complete = strcmp(operands[0], "complete") == 0;
    if (n > 2 && !complete)
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
        st = rc_complete_script(n < 2 ? "" : operands[1], stdout, err);
    else if (complete)
        st = rc_complete(operands + 1, n - 1, stdout, err);
    else
        return rc_fail(
            err, RC_EINVAL, "expected 'man', 'completion' or 'complete', found '%s'", operands[0]);
    if (st < 0)
        return st;
    if (fflush(stdout) != 0 || ferror(stdout))
        return rc_fail_errno(err, RC_EIO, errno, "cannot write to stdout");
    return RC_OK;
}
