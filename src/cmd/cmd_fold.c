#include "config.h"
#include "base/error.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "store/commit.h"
#include "store/journal.h"
#include "store/path.h"
#include "sweep/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

struct options {
    double wait;
    double take_over;
    int quiet;
};

static const rc_opt_t table[] = {
    {"wait", 0, RC_OPT_DOUBLE, RC_AT(wait), "SECONDS",
        "How long to wait for another process that is folding. Default: 60.", 0, 1e6},
    {"take-over", 0, RC_OPT_DOUBLE, RC_AT(take_over), "SECONDS",
        "Take a run on another machine for gone that has given no sign of life for so long: it "
        "gives one every 10 s. Default: 60.",
        0, 1e9},
    RC_OPT("quiet", 'q', RC_OPT_FLAG, RC_AT(quiet), NULL, "Say nothing when all is well."),
    RC_OPT_END,
};

static int run(int argc, char **argv);

const rc_command_t rc_command_fold = {
    .name = "fold",
    .summary = "move finished cases from the journals into the store",
    .usage = "[OPTIONS] FILE",
    .description = "Commits what the journals beside a store hold (FILE.journal/) into the store, "
                   "also while a "
                   "sweep is running. A sweep does this itself at its start and end; after a kill, "
                   "or to look at "
                   "results half-way, it can be done by hand. Folding twice adds nothing twice. "
                   "Under mpirun rank 0 does the work. A store that an older version wrote is "
                   "converted when something is added to it, and older versions refuse it then.",
    .examples = "rowcast fold real.h5|make the results of a running sweep visible to query",
    .options = table,
    .run = run,
};

/* The real path of a store; there must be one, or journals beside where it will be.
 * \param[out] out  free(), after an error too */
static rc_status_t find_store(const char *word, char **out, rc_err_t *err)
{
    RC_PASS(rc_store_path(word, out, err));
    char *dir = rc_journal_dir(*out, err);
    rc_status_t st = dir ? RC_OK : RC_ENOMEM;
    if (dir && access(*out, F_OK) != 0 && access(dir, F_OK) != 0)
        st = rc_fail(err, RC_ENOENT, "%s: no such store, and no journals beside it", word);
    free(dir);
    return st;
}

static int fold(const rc_session_t *s, const struct options *o, const char *store)
{
    rc_err_t err = {0};
    rc_commit_info_t info;
    char *path = NULL;
    const rc_commit_options_t how = {.lock_wait_ns = (int64_t)(o->wait * 1e9),
        .writers = {.silent_ns = (int64_t)(o->take_over * 1e9)}};
    rc_log_t log = {.stream = stderr, .level = RC_LOG_INFO, .rank = s->size > 1 ? s->rank : -1};
    rc_status_t st = rc_session_agree(s, find_store(store, &path, &err), &err);
    if (st == RC_OK)
        st = rc_commit(path, s->comm, &how, &log, &info, &err);
    free(path);
    if (st < 0)
        return s->rank == 0 ? rc_command_fail(&rc_command_fold, &err)
                            : (st == RC_EINVAL ? RC_EXIT_USAGE : RC_EXIT_ERROR);
    if (s->rank == 0 && !o->quiet) {
        if (info.changed)
            printf("%s: %" PRId64 " result%s from %" PRId64 " journal%s; %" PRId64
                   " result%s in the store\n",
                store, info.results, rc_plural(info.results), info.journals,
                rc_plural(info.journals), info.total_results, rc_plural(info.total_results));
        else
            printf("%s: nothing to fold; %" PRId64 " result%s in the store\n", store,
                info.total_results, rc_plural(info.total_results));
    }
    return RC_EXIT_OK;
}

static int run(int argc, char **argv)
{
    struct options o = {.wait = 60};
    char **operands;
    rc_err_t err = {0};
    rc_session_t s;
    if (rc_session_open(&argc, &argv, &s, &err) < 0)
        return rc_command_fail(&rc_command_fold, &err);
    int code = rc_command_parse(
        &rc_command_fold, &o, argc, argv, 1, 1, &operands, s.rank == 0 ? stderr : NULL);
    if (code == RC_EXIT_OK)
        code = fold(&s, &o, operands[0]);
    rc_session_close(&s);
    return code;
}
