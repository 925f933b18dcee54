#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/one_matrix.h"
#include "store/guard.h"

#include <stdlib.h>
#include <string.h>

#define RC_COMMAND(id, group) extern const rc_command_t rc_command_##id;
#include "cmd/commands.def"
#undef RC_COMMAND

#define RC_COMMAND(id, group) &rc_command_##id,
const rc_command_t *const rc_commands[] = {
#include "cmd/commands.def"
    NULL};
#undef RC_COMMAND

enum { EVERYDAY, ONE_MATRIX, STORES, PAPERS };
#define RC_COMMAND(id, group) group,
static const unsigned char groups[] = {
#include "cmd/commands.def"
    0};
#undef RC_COMMAND

const char *rc_command_group(int i)
{
    static const char *const names[] = {"Everyday", "One matrix", "Stores and models", "Papers"};
    return i == 0 || groups[i] != groups[i - 1] ? names[groups[i]] : NULL;
}

const rc_command_t *rc_command_find(const char *name)
{
    for (int i = 0; rc_commands[i]; i++)
        if (strcmp(rc_commands[i]->name, name) == 0)
            return rc_commands[i];
    return NULL;
}

/* A usage has a line for each form; its first is the ordinary one. */
static int first_form(const rc_command_t *c)
{
    return (int)strcspn(c->usage, "\n");
}

static int usage_error(const rc_command_t *c, const char *text, FILE *errors)
{
    if (errors)
        fprintf(errors, "rowcast %s: %s\ntry 'rowcast %s --help'\n", c->name, text, c->name);
    return RC_EXIT_USAGE;
}

int rc_command_parse(const rc_command_t *c, void *options, int argc, char **argv, int min_operands,
    int max_operands, char ***operands, FILE *errors)
{
    rc_err_t err = {0};
    int first = 1;
    if (rc_opt_parse(c->options, options, argc, argv, &first, &err) < 0)
        return usage_error(c, err.text, errors);
    if (errors && err.text[0])
        fprintf(errors, "rowcast %s: %s\n", c->name, err.text);
    int n = argc - first;
    if (n < min_operands)
        rc_fail(&err, RC_EINVAL, "missing operand; usage: rowcast %s %.*s", c->name, first_form(c),
            c->usage);
    else if (max_operands >= 0 && n > max_operands)
        rc_fail(&err, RC_EINVAL, "unexpected operand '%s'; usage: rowcast %s %.*s",
            argv[first + max_operands], c->name, first_form(c), c->usage);
    if (err.status)
        return usage_error(c, err.text, errors);
    *operands = argv + first;
    return RC_EXIT_OK;
}

int rc_command_fail(const rc_command_t *c, const rc_err_t *err)
{
    if (err->status == RC_EINVAL || err->status == RC_ENOTSUP)
        return usage_error(c, err->text, stderr);
    fprintf(stderr, "rowcast %s: %s\n", c->name, err->text);
    return err->status == RC_EINTR ? RC_EXIT_AGAIN : RC_EXIT_ERROR;
}

int rc_command_unsealed(const rc_command_t *c, int allowed, char *const *stores, int n, int *code)
{
    int child = 0;
    const char *found = NULL;
    rc_guard_limits_t limits = {.file = stores, .files = n};
    rc_err_t err = {0};
    rc_status_t st = RC_OK;
    for (int i = 0; i < n && stores[i] && !found && st == RC_OK; i++) {
        int unsealed = 0;
        st = rc_guard_look(stores[i], &unsealed, &err);
        found = unsealed ? stores[i] : NULL;
    }
    if (st == RC_OK && !found)
        return 0;
    if (st == RC_OK && !allowed)
        st = rc_fail(&err, RC_ESTORE,
            "%s: has no seal: an older rowcast wrote it, it was cut short, or another program "
            "changed it, and damage can crash its reader; --unsealed reads it all the same, "
            "'rowcast archive --unsealed' makes a sealed copy",
            found);
    if (st == RC_OK)
        st = rc_guard_idle(&limits.idle_s, &err);
    if (st == RC_OK)
        st = rc_guard_fork(found, &limits, &child, code, &err);
    if (st < 0)
        *code = rc_command_fail(c, &err);
    return !child;
}

/* The value of an option that the table may have; NULL: it has none of that name. */
static void *option_of(const rc_command_t *c, const rc_call_t *call, const char *name)
{
    for (const rc_opt_t *o = c->options; o->name; o++)
        if (strcmp(o->name, name) == 0)
            return (char *)call->options + o->offset;
    return NULL;
}

static int run_call(const rc_command_t *c, rc_call_t *call, int argc, char **argv)
{
    rc_err_t err = {0};
    call->code = rc_command_parse(
        c, call->options, argc, argv, c->operands[0], c->operands[1], &call->operand, stderr);
    if (call->code != RC_EXIT_OK)
        return call->code;
    call->operands = (int)(argv + argc - call->operand);
    const int *unsealed = option_of(c, call, "unsealed");
    if (unsealed && rc_command_unsealed(c, *unsealed, call->operand, call->operands, &call->code))
        return call->code;
    char *const *format = option_of(c, call, "format");
    rc_status_t st = rc_table_format_parse(format ? *format : NULL, &call->format, &err);
    if (st == RC_OK)
        st = c->one_matrix ? rc_one_matrix_work(c->one_matrix, call, &err) : c->work(call, &err);
    if (st == RC_ENOTSUP && call->words_are_right) {
        fprintf(stderr, "rowcast %s: %s\n", c->name, err.text);
        return RC_EXIT_ERROR;
    }
    return st < 0 ? rc_command_fail(c, &err) : call->code;
}

int rc_command_run(const rc_command_t *c, int argc, char **argv)
{
    rc_err_t err = {0};
    rc_call_t call = {0};
    int code;
    if (c->run)
        return c->run(argc, argv);
    if (c->instead && c->instead(argc, argv, &code))
        return code;
    call.options = rc_alloc0(1, c->options_bytes, "options", &err);
    if (!call.options)
        return rc_command_fail(c, &err);
    if (c->defaults)
        memcpy(call.options, c->defaults, c->options_bytes);
    call.name = c->name;
    code = run_call(c, &call, argc, argv);
    free(call.options);
    return code;
}

const rc_opt_t rc_command_help_row[] = {
    RC_OPT("help", 'h', RC_OPT_FLAG, 0, NULL, "Print this and exit."),
    RC_OPT_END,
};

void rc_command_help(const rc_command_t *c, FILE *out)
{
    fprintf(out, "rowcast %s: %s\n\n", c->name, c->summary);
    for (const char *form = c->usage, *end; form; form = end ? end + 1 : NULL) {
        end = strchr(form, '\n');
        fprintf(out, "%s rowcast %s %.*s\n", form == c->usage ? "Usage:" : "      ", c->name,
            (int)strcspn(form, "\n"), form);
    }
    fprintf(out, "\n%s\n\nOptions:\n", c->description);
    rc_opt_help(c->options, out);
    rc_opt_help(rc_command_help_row, out);
    if (c->examples) {
        fputs("\nExamples:\n", out);
        rc_words_t lines;
        if (rc_words_split(c->examples, '\n', &lines, NULL) < 0)
            return;
        for (int i = 0; i < lines.count; i++) {
            char *bar = strrchr(lines.word[i], '|'); /* a command may hold a pipe */
            if (bar)
                *bar = '\0';
            fprintf(out, "  %s\n", lines.word[i]);
            if (bar)
                fprintf(out, "      %s\n", bar + 1);
        }
        rc_words_free(&lines);
    }
}
