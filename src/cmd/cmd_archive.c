#include "config.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "store/archive.h"

#include <stdio.h>
#include <sys/stat.h>

struct options {
    int no_samples;
    int quiet;
};

static const rc_opt_t table[] = {
    {"no-samples", 0, RC_OPT_FLAG, offsetof(struct options, no_samples), NULL,
        "Leave out the raw times; the statistics of each case stay.", 0, 0},
    {"quiet", 'q', RC_OPT_FLAG, offsetof(struct options, quiet), NULL,
        "Say nothing when all is well.", 0, 0},
    {NULL, 0, RC_OPT_FLAG, 0, NULL, NULL, 0, 0},
};

static int run(int argc, char **argv);

const rc_command_t rc_command_archive = {
    .name = "archive",
    .summary = "write a compressed copy of a store",
    .usage = "[OPTIONS] FILE COPY",
    .description = "Copies a store with its tables compressed (shuffle and deflate, which every "
                   "HDF5 can read), to keep or to publish: about 60 bytes a case, and 2 a raw "
                   "time. The copy is a store: it can be queried, and swept into. Cases that are "
                   "still in journals are not in it; 'rowcast fold' comes first.",
    .examples = "rowcast archive real.h5 keep.h5|everything\n"
                "rowcast archive --no-samples real.h5 small.h5|without the raw times",
    .options = table,
    .run = run,
};

static double bytes_of(const char *path)
{
    struct stat s;
    return stat(path, &s) == 0 ? (double)s.st_size : 0;
}

static int run(int argc, char **argv)
{
    struct options o = {0};
    char **operands;
    rc_err_t err = {0};
    int code = rc_command_parse(&rc_command_archive, &o, argc, argv, 2, 2, &operands);
    if (code != RC_EXIT_OK)
        return code;
    if (rc_archive(operands[0], operands[1], !o.no_samples, &err) < 0)
        return rc_command_fail(&rc_command_archive, &err);
    if (!o.quiet) {
        char before[32];
        char after[32];
        rc_text_bytes(bytes_of(operands[0]), before, sizeof before);
        rc_text_bytes(bytes_of(operands[1]), after, sizeof after);
        printf("%s: %s, from %s\n", operands[1], after, before);
    }
    return RC_EXIT_OK;
}
