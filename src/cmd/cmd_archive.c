#include "config.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "cmd/rows.h"
#include "store/journal.h"
#include "store/path.h"
#include "table/archive.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

struct options {
    const char *where;
    int newest;
    int no_samples;
    int quiet;
    int unsealed;
};

static const rc_opt_t table[] = {
    RC_OPT("where", 'w', RC_OPT_TEXT, RC_AT(where), "EXPR",
        "Only results that match, e.g. 'k == 8 && status == ok'; the fields are those of 'rowcast "
        "query --fields'. Of a case whose newest row does not match, nothing is kept."),
    RC_OPT("newest", 0, RC_OPT_FLAG, RC_AT(newest), NULL,
        "Leave out results that a newer row of the same case, or a newer version of the same "
        "kernel or order, has superseded."),
    RC_OPT("no-samples", 0, RC_OPT_FLAG, RC_AT(no_samples), NULL,
        "Leave out the raw times; the statistics of each case stay."),
    RC_OPT("quiet", 'q', RC_OPT_FLAG, RC_AT(quiet), NULL, "Say nothing when all is well."),
    RC_UNSEALED_OPTION(RC_AT(unsealed)),
    RC_OPT_END,
};

/* The copy is of the last commit, whole, whatever a sweep does meanwhile: it replaces the store,
 * and never writes into it.  What is finished since is elsewhere. */
static rc_status_t tell_journals(const char *from, const char *to, rc_err_t *err)
{
    char *path = NULL;
    char *dir = NULL;
    char **names = NULL;
    int64_t n = 0;
    rc_status_t st = rc_store_path(from, &path, err);
    if (st == RC_OK)
        dir = rc_journal_dir(path, err);
    if (st == RC_OK)
        st = dir ? rc_journal_list(dir, &names, &n, err) : RC_ENOMEM;
    if (st == RC_OK && n > 0)
        fprintf(stderr,
            "%s: %" PRId64
            " journals beside it, of a sweep that runs or died: what they hold beyond the "
            "last commit is not in %s; 'rowcast fold %s' first\n",
            from, n, to, from);
    rc_journal_names_free(names, n);
    free(dir);
    free(path);
    return st;
}

static double bytes_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (double)s.st_size : 0;
}

static void say(
    const struct options *o, const char *from, const char *to, const rc_archive_info_t *info)
{
    printf("%s: %s, from %s\n", to, rc_text_bytes(bytes_of(to)).text,
        rc_text_bytes(bytes_of(from)).text);
    if (o->where || o->newest)
        printf("%s: %" PRId64 " result rows kept, %" PRId64 " left out\n", to, info->kept,
            info->left_out);
    if (info->rebased)
        printf("%s: %" PRId64
               " of them were compared with csr rows that are left out: their speedup "
               "changes, or is missing\n",
            to, info->rebased);
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    rc_status_t st = RC_OK;
    rc_expr_t *where = NULL;
    rc_archive_info_t info;
    RC_TRY(rc_view_compile(o->where, "--where", &where, err));
    const rc_archive_options_t options = {!o->no_samples, o->newest, where};
    RC_TRY(tell_journals(call->operand[0], call->operand[1], err));
    RC_TRY(rc_archive(call->operand[0], call->operand[1], &options, &info, err));
    if (!o->quiet)
        say(o, call->operand[0], call->operand[1], &info);
done:
    rc_expr_free(where);
    return st;
}

const rc_command_t rc_command_archive = {
    .name = "archive",
    .summary = "write a compressed copy of a store",
    .usage = "[OPTIONS] FILE COPY",
    .description =
        "Copies a store with its tables compressed (shuffle and deflate, which every "
        "HDF5 can read), to keep or to publish: about 60 bytes a case, and 2 a raw "
        "time. The copy is a store: it can be queried, and swept into; a file of its "
        "name is replaced. The copy of a store that an older version wrote is one of this version. "
        "Cases that are "
        "still in journals are not in it, which a line says; 'rowcast fold' comes first. While a "
        "sweep runs the copy is that of its last commit, whole. With --where or --newest only "
        "some results are copied, with their raw times, and all of the rest: matrices, features, "
        "runs, what is known of the catalogue. For a sweep into such a copy the cases that it "
        "lacks are pending again, and speedups are over the csr rows that it has.",
    .examples = "rowcast archive real.h5 keep.h5|everything\n"
                "rowcast archive --no-samples real.h5 small.h5|without the raw times\n"
                "rowcast archive --newest --where 'k == 8' real.h5 k8.h5|what counts of one K",
    .options = table,
    RC_COMMAND_DEFAULTS(struct options, 0),
    .operands = {2, 2},
    .work = run,
};
