#include "config.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "table/print.h"
#include "cmd/unsealed.h"
#include "store/verify.h"

#include <inttypes.h>
#include <stdio.h>

struct options {
    const char *format;
    int64_t limit;
    int deep;
    int quiet;
    int unsealed;
};

enum { DEFAULT_LIMIT = 100 };

static const rc_opt_t table[] = {
    {"deep", 'd', RC_OPT_FLAG, offsetof(struct options, deep), NULL,
        "Also look for each result that a journal beside the store holds, and that is said to be "
        "folded, in the store.",
        0, 0},
    {"format", 'f', RC_OPT_TEXT, offsetof(struct options, format), "FORMAT",
        "table, csv or json. Default: table.", 0, 0},
    {"limit", 'l', RC_OPT_INT, offsetof(struct options, limit), "COUNT",
        "Problems to print; a last row has the number of the others. Default: 100.", 0, 0},
    {"quiet", 'q', RC_OPT_FLAG, offsetof(struct options, quiet), NULL,
        "Say nothing when all is well.", 0, 0},
    RC_UNSEALED_OPTION(offsetof(struct options, unsealed)),
    {NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0},
};

static int run(int argc, char **argv);

const rc_command_t rc_command_verify = {
    .name = "verify",
    .summary = "check that a store is whole and consistent",
    .usage = "[OPTIONS] FILE",
    .description =
        "Compares the bytes of a store with the digests at its end, its tables with the schema, "
        "ids with the tables that they refer to, the identity of each case with its digest, and "
        "statistics with the raw times; looks for results that are there twice, statuses that are "
        "not final, raw times that two results share, features that are no numbers, and damage in "
        "the journals beside the store. Nothing is changed.\n\n"
        "Each problem is a row: where (a table, 'bytes' of the file, a journal), which row of the "
        "table or offset in the file, what was expected and what was found. The exit code is 0 "
        "when there is none, 1 when there are some, 3 when the file cannot be read as a store at "
        "all.\n\n"
        "A store without digests was written by rowcast before it wrote any, or changed by "
        "another program, and is only read with --unsealed; 'rowcast archive --unsealed' and "
        "every sweep into it write new ones. Where bytes "
        "are not what was written, the rest is not looked at: use a copy of the store.",
    .examples = "rowcast verify real.h5|before it is kept, or after it was copied\n"
                "rowcast verify -f json real.h5|problems for a script",
    .options = table,
    .run = run,
};

/* The problems; begun with the first one, so that a sound store prints no empty table as text. */
typedef struct output {
    rc_table_format_t format;
    rc_table_t *table;
    int64_t limit;
    int64_t count;
    rc_err_t err;
} output_t;

static int begin(output_t *o)
{
    static const rc_column_t columns[] = {
        {"path", ""}, {"row", ""}, {"expected", ""}, {"found", ""}};
    if (!o->table && o->err.status == RC_OK)
        o->table =
            rc_table_begin(stdout, o->format, columns, sizeof columns / sizeof *columns, &o->err);
    return o->table != NULL;
}

static void put(void *user, const rc_verify_problem_t *p)
{
    output_t *o = user;
    if (o->count++ >= o->limit || !begin(o))
        return;
    rc_table_text(o->table, p->path);
    if (p->row < 0)
        rc_table_missing(o->table);
    else
        rc_table_int(o->table, p->row);
    rc_table_text(o->table, p->expected);
    rc_table_text(o->table, p->found);
}

static rc_status_t finish(output_t *o, rc_err_t *err)
{
    char text[64];
    if (o->format != RC_TABLE_TEXT)
        (void)begin(o);
    if (o->count <= o->limit || !begin(o))
        goto done;
    snprintf(text, sizeof text, "%" PRId64 " more problems", o->count - o->limit);
    rc_table_text(o->table, "");
    rc_table_missing(o->table);
    rc_table_text(o->table, "");
    rc_table_text(o->table, text);
done:
    if (o->err.status < 0)
        *err = o->err;
    else if (o->table)
        return rc_table_end(o->table, err);
    return o->err.status;
}

static void say(const char *store, const rc_verify_info_t *i)
{
    if (i->problems)
        fprintf(stderr, "%s: %" PRId64 " problem%s%s\n", store, i->problems, rc_plural(i->problems),
            i->stopped ? "; the rest was not looked at" : "");
    else
        fprintf(stderr,
            "%s: sound: %" PRId64 " result row%s, %" PRId64
            " of them with raw times that give their statistics; %" PRId64 " journal%s\n",
            store, i->results, rc_plural(i->results), i->timed, i->journals,
            rc_plural(i->journals));
    if (!i->sealed && !i->stopped)
        fprintf(stderr,
            "%s: has no digests of its bytes: a flipped bit can only be seen where it contradicts "
            "something\n",
            store);
}

static int run(int argc, char **argv)
{
    struct options o = {.limit = DEFAULT_LIMIT};
    char **operands;
    rc_err_t err = {0};
    rc_err_t unwritten = {0};
    output_t out = {0};
    rc_verify_info_t info;
    int code = rc_command_parse(&rc_command_verify, &o, argc, argv, 1, 1, &operands);
    if (code != RC_EXIT_OK)
        return code;
    if (rc_command_unsealed(&rc_command_verify, o.unsealed, operands, 1, &code))
        return code;
    if (rc_table_format_parse(o.format, &out.format, &err) < 0)
        return rc_command_fail(&rc_command_verify, &err);
    out.limit = o.limit;
    const rc_verify_options_t options = {o.deep};
    rc_status_t st = rc_verify(operands[0], &options, put, &out, &info, &err);
    rc_status_t written = finish(&out, &unwritten);
    if (st < 0 || written < 0)
        return rc_command_fail(&rc_command_verify, st < 0 ? &err : &unwritten);
    if (info.problems || !o.quiet)
        say(operands[0], &info);
    return info.problems ? RC_EXIT_FAILED : RC_EXIT_OK;
}
