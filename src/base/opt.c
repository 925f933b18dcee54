#include "config.h"
#include "base/opt.h"
#include "base/error.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* \param letter  of the option; 0: it has the name */
static const rc_opt_t *find(const rc_opt_t *table, char letter, const char *name, size_t n)
{
    for (; table->name; table++)
        if (letter ? table->letter == letter
                   : strlen(table->name) == n && strncmp(table->name, name, n) == 0)
            return table;
    return NULL;
}

/* Older spellings, which go on to work: names, and letters that another option has elsewhere. */
static const struct spelling {
    const char *old;
    const char *name;
} spellings[] = {{"policies", "orders"}, {"policy", "orders"}, {"order", "orders"},
    {"policies", "order"}, {"policy", "order"}, {"orders", "order"}, {"c", "c"}, {"d", "deep"},
    {"i", "ignore"}, {"l", "list"}, {"m", "memory"}, {"m", "mirror"}, {"n", "name"},
    {"n", "newest"}, {"o", "columns"}, {"o", "op"}, {"r", "retries"}, {"s", "sort"},
    {"t", "threshold"}, {"t", "to"}, {"w", "w"}, {"w", "wait"}};

static const rc_opt_t *find_older(const rc_opt_t *table, const char *old, size_t n)
{
    const rc_opt_t *o = NULL;
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings && !o; i++)
        if (strlen(spellings[i].old) == n && strncmp(spellings[i].old, old, n) == 0)
            o = find(table, 0, spellings[i].name, strlen(spellings[i].name));
    return o;
}

static rc_status_t unknown(const rc_opt_t *table, const char *name, size_t n, rc_err_t *err)
{
    enum { most = 64 };
    const char *names[most];
    int count = 0;
    char copy[64];
    for (; table->name && count < most; table++)
        names[count++] = table->name;
    snprintf(copy, sizeof copy, "%.*s", (int)n, name);
    const char *near = rc_similar(copy, names, count);
    if (near)
        return rc_fail(err, RC_EINVAL, "unknown option --%s; did you mean --%s?", copy, near);
    return rc_fail(err, RC_EINVAL, "unknown option --%s", copy);
}

static rc_status_t store(const rc_opt_t *o, void *options, const char *text, rc_err_t *err)
{
    void *value = (char *)options + o->offset;
    char what[80];
    snprintf(what, sizeof what, "--%s", o->name);
    switch (o->kind) {
    case RC_OPT_FLAG:
        *(int *)value = 1;
        return RC_OK;
    case RC_OPT_INT: {
        int64_t max =
            o->max > o->min ? (o->max >= 0x1p63 ? INT64_MAX : (int64_t)o->max) : INT64_MAX;
        return rc_parse_int(text, (int64_t)o->min, max, what, value, err);
    }
    case RC_OPT_DOUBLE: {
        double number;
        RC_PASS(rc_parse_double(text, what, &number, err));
        if (o->max > o->min && (number < o->min || number > o->max))
            return rc_fail(
                err, RC_ERANGE, "%s: expected %g to %g, found %s", what, o->min, o->max, text);
        *(double *)value = number;
        return RC_OK;
    }
    case RC_OPT_BYTES:
        return rc_parse_bytes(text, what, value, err);
    case RC_OPT_TEXT:
        *(const char **)value = text;
        return RC_OK;
    }
    return rc_fail(err, RC_EINVAL, "%s: option of unknown kind", what);
}

/* Take the option at argv[*i]; moves *i over a value that is a word of its own. */
static rc_status_t take(
    const rc_opt_t *table, void *options, int argc, char **argv, int *i, rc_err_t *err)
{
    const char *word = argv[*i];
    const rc_opt_t *o;
    const char *value = NULL;
    if (word[1] == '-') {
        const char *name = word + 2;
        const char *equals = strchr(name, '=');
        size_t n = equals ? (size_t)(equals - name) : strlen(name);
        o = find(table, 0, name, n);
        if (!o && n > 1)
            o = find_older(table, name, n);
        if (!o)
            return unknown(table, name, n, err);
        if (equals)
            value = equals + 1;
    } else {
        o = find(table, word[1], "", 0);
        if (!o) {
            o = find_older(table, word + 1, 1);
            if (!o)
                return rc_fail(err, RC_EINVAL, "unknown option -%c", word[1]);
            if (err)
                snprintf(err->text, sizeof err->text, "-%c is an old letter of --%s: write --%s",
                    word[1], o->name, o->name);
        }
        if (word[2])
            value = word + 2;
    }
    if (o->kind == RC_OPT_FLAG) {
        if (value)
            return rc_fail(err, RC_EINVAL, "option --%s takes no value", o->name);
        return store(o, options, "1", err);
    }
    if (!value) {
        if (*i + 1 >= argc)
            return rc_fail(err, RC_EINVAL, "option --%s needs a value (%s)", o->name, o->arg);
        value = argv[++*i];
    }
    return store(o, options, value, err);
}

rc_status_t rc_opt_parse(
    const rc_opt_t *table, void *options, int argc, char **argv, int *first_operand, rc_err_t *err)
{
    int operands = 0; /* found so far, kept at the end of what was read: argv[i - operands .. i) */
    int ended = 0;
    int i = 1;
    while (i < argc && !ended) {
        if (argv[i][0] != '-' || argv[i][1] == '\0') {
            operands++;
            i++;
            continue;
        }
        int last = i;
        ended = strcmp(argv[i], "--") == 0;
        if (!ended)
            RC_PASS(take(table, options, argc, argv, &last, err));
        /* move the option's one or two words before the operands */
        for (; i <= last; i++) {
            char *word = argv[i];
            memmove(argv + i - operands + 1, argv + i - operands, (size_t)operands * sizeof *argv);
            argv[i - operands] = word;
        }
    }
    *first_operand = i - operands;
    return RC_OK;
}

void rc_wrap(const char *text, int column, int width, FILE *out)
{
    int at = column;
    while (*text) {
        size_t n = strcspn(text, " ");
        if (at > column && at + 1 + (int)n > width) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        } else if (at > column) {
            fputc(' ', out);
            at++;
        }
        fwrite(text, 1, n, out);
        at += (int)n;
        text += n;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

void rc_opt_help(const rc_opt_t *table, FILE *out)
{
    enum { column = 26, width = 80 };
    for (; table->name; table++) {
        char head[96];
        char letter[8] = "    ";
        if (table->letter)
            snprintf(letter, sizeof letter, "-%c, ", table->letter);
        snprintf(head, sizeof head, "  %s--%s%s%s", letter, table->name, table->arg ? " " : "",
            table->arg ? table->arg : "");
        if (strlen(head) + 1 >= column)
            fprintf(out, "%s\n%*s", head, column, "");
        else
            fprintf(out, "%-*s", column, head);
        rc_wrap(table->help, column, width, out);
    }
}
