#include "config.h"
#include "cmd/load.h"
#include "base/error.h"
#include "sparse/generate.h"
#include "io/mtx.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

rc_status_t rc_command_bounded(rc_status_t st, int64_t memory, rc_err_t *err)
{
    return st == RC_ENOMEM && memory > 0
               ? rc_err_context(err, "within --memory %" PRId64, memory)
               : st;
}

rc_status_t rc_command_load(const char *word, int threads, int64_t memory, rc_csr_t *out,
    rc_mtx_info_t *info, rc_err_t *err)
{
    memset(info, 0, sizeof *info);
    const char *spec = rc_builtin_spec(word);
    if (access(word, F_OK) == 0 || (!spec && (strchr(word, '/') || strstr(word, ".mtx")))) {
        rc_status_t read = rc_mtx_read_within(word, threads, memory, out, info, err);
        if (read == RC_OK && strcmp(info->field, "complex") == 0)
            fprintf(stderr, "%s: " RC_COMPLEX_NOTICE "\n", word);
        return read;
    }
    rc_status_t st = rc_generate(spec ? spec : word, out, NULL, err);
    return st == RC_ENOENT ? rc_err_context(err, "no file and no built-in matrix '%s'", word) : st;
}
