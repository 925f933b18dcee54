#include "config.h"
#include "base/error.h"
#include "base/visible.h"
#include "cmd/cmd.h"
#include "store/merge.h"

#include <inttypes.h>
#include <stdio.h>

struct options {
    double wait;
    int skip_journals;
    int quiet;
    int unsealed;
};

static const rc_opt_t table[] = {
    RC_OPT("skip-journals", 0, RC_OPT_FLAG, RC_AT(skip_journals), NULL,
        "Take what is in the stores, also where journals beside them hold more, as while a sweep "
        "into one of them is running. Without this option that is an error."),
    {"wait", 0, RC_OPT_DOUBLE, RC_AT(wait), "SECONDS",
        "How long to wait for another process that is folding into OUT. Default: 60.", 0, 1e6},
    RC_OPT("quiet", 'q', RC_OPT_FLAG, RC_AT(quiet), NULL, "Say nothing when all is well."),
    RC_UNSEALED_OPTION(RC_AT(unsealed)),
    RC_OPT_END,
};

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    const struct options *o = call->options;
    rc_merge_info_t info;
    const rc_merge_options_t options = {o->skip_journals, (int64_t)(o->wait * 1e9)};
    const char *const *in = (const char *const *)&call->operand[1];
    RC_PASS(rc_merge(call->operand[0], in, call->operands - 1, &options, &info, err));
    if (!o->quiet)
        printf("%s: %" PRId64 " result row%s, %" PRId64 " of them new; %" PRId64
               " store%s read, %" PRId64 " row%s in several\n",
            call->operand[0], info.results, rc_plural(info.results), info.fresh, info.stores,
            rc_plural(info.stores), info.again, info.again == 1 ? " was" : "s were");
    return RC_OK;
}

const rc_command_t rc_command_merge = {
    .name = "merge",
    .summary = "put the contents of several stores into one",
    .usage = "[OPTIONS] OUT IN...",
    .description =
        "Makes OUT hold what it and the stores IN hold: results with their raw times, features, "
        "orders, runs, and what is known of the catalogue. OUT need not exist. The order of the "
        "stores does not matter, and what is in OUT already is not added again, so merging can be "
        "repeated and done in steps. Where several stores have a case, its latest row counts, by "
        "the clock of the machine that measured it; older rows stay.\n\n"
        "The stores IN are only read. Cases that are still in journals beside a store are an "
        "error: 'rowcast fold' comes first. So are stores that contradict each other, as when "
        "one of them was changed by hand; then OUT stays as it was. A sweep into OUT cannot run "
        "meanwhile.",
    .examples = "rowcast merge all.h5 slice-*.h5|what the jobs of an array measured, in one store\n"
                "rowcast merge all.h5 friday.h5|add another store to it",
    .options = table,
    RC_COMMAND_DEFAULTS(struct options, .wait = 60),
    .operands = {2, -1},
    .work = run,
};
