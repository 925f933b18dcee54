#include "config.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "table/print.h"
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
    RC_OPT("deep", 0, RC_OPT_FLAG, RC_AT(deep), NULL,
        "Also look for each result that a journal beside the store holds, and that is said to be "
        "folded, in the store."),
    RC_FORMAT_OPTION(RC_AT(format)),
    RC_OPT("limit", 'l', RC_OPT_INT, RC_AT(limit), "COUNT",
        "Problems to print; a last row has the number of the others. Default: 100."),
    RC_OPT("quiet", 'q', RC_OPT_FLAG, RC_AT(quiet), NULL, "Say nothing when all is well."),
    RC_UNSEALED_OPTION(RC_AT(unsealed)),
    RC_OPT_END,
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
    static const char columns[] = "path|row|expected|found";
    if (!o->table && o->err.status == RC_OK)
        o->table = rc_table_of(stdout, o->format, columns, 0, &o->err);
    return o->table != NULL;
}

static void put(void *user, const rc_verify_problem_t *p)
{
    output_t *o = user;
    if (o->count++ >= o->limit || !begin(o))
        return;
    RC_CELLS(o->table, RC_TEXT(p->path), p->row < 0 ? RC_MISSING : RC_INT(p->row),
        RC_TEXT(p->expected), RC_TEXT(p->found));
}

static rc_status_t finish(output_t *o, rc_err_t *err)
{
    char text[64];
    if (o->format != RC_TABLE_TEXT)
        (void)begin(o);
    if (o->count <= o->limit || !begin(o))
        goto done;
    snprintf(text, sizeof text, "%" PRId64 " more problems", o->count - o->limit);
    RC_CELLS(o->table, RC_TEXT(""), RC_MISSING, RC_TEXT(""), RC_TEXT(text));
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

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    output_t out = {.format = call->format, .limit = o->limit};
    rc_verify_info_t info;
    rc_err_t unwritten = {0};
    const rc_verify_options_t options = {o->deep};
    rc_status_t st = rc_verify(call->operand[0], &options, put, &out, &info, err);
    rc_status_t written = finish(&out, &unwritten);
    if (st < 0)
        return st;
    if (written < 0) {
        *err = unwritten;
        return written;
    }
    if (info.problems || !o->quiet)
        say(call->operand[0], &info);
    call->code = info.problems ? RC_EXIT_FAILED : RC_EXIT_OK;
    return RC_OK;
}

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
    RC_COMMAND_DEFAULTS(struct options, .limit = DEFAULT_LIMIT),
    .operands = {1, 1},
    .work = run,
};
