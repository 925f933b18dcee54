#include "config.h"
#include "cmd/load.h"
#include "base/error.h"
#include "sparse/generate.h"
#include "io/mtx.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

rc_status_t rc_command_load(
    const char *word, int threads, rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    memset(info, 0, sizeof *info);
    if (access(word, F_OK) == 0 || strchr(word, '/') || strstr(word, ".mtx")) {
        rc_status_t read = rc_mtx_read(word, threads, out, info, err);
        if (read == RC_OK && strcmp(info->field, "complex") == 0)
            fprintf(stderr, "%s: " RC_COMPLEX_NOTICE "\n", word);
        return read;
    }
    const char *spec = word;
    for (int i = 0; i < rc_builtin_count; i++)
        if (strcmp(rc_builtins[i].name, word) == 0)
            spec = rc_builtins[i].spec;
    rc_status_t st = rc_generate(spec, out, NULL, err);
    return st == RC_ENOENT ? rc_err_context(err, "no file and no built-in matrix '%s'", word) : st;
}
