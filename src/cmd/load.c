#include "config.h"
#include "cmd/load.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "sparse/generate.h"
#include "io/mtx.h"
#include "order/policy.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A file of a few bytes that asks for gigabytes is taken at its word only when the user says so. */
static int64_t memory_for(const char *path)
{
    enum { free_bytes = 1 << 30, per_byte = 4096 };
    struct stat s;
    int64_t available = rc_memory_available();
    if (stat(path, &s) != 0 || !S_ISREG(s.st_mode))
        return available;
    int64_t most = rc_sat_add(2 * (int64_t)free_bytes, rc_sat_mul((int64_t)s.st_size, per_byte));
    return most < available ? most : available;
}

rc_status_t rc_command_load(const char *word, int threads, int64_t memory, int orders,
    rc_csr_t *out, rc_mtx_info_t *info, rc_err_t *err)
{
    memset(info, 0, sizeof *info);
    const char *spec = rc_builtin_spec(word);
    if (strncmp(word, RC_TWIN, strlen(RC_TWIN)) == 0)
        return rc_fail(err, RC_EINVAL,
            "'%s' needs a catalogue: 'rowcast generate %s --catalog CSV' prints the spec that "
            "stands for it",
            word, word);
    if (access(word, F_OK) == 0 || (!spec && (strchr(word, '/') || strstr(word, ".mtx")))) {
        const rc_log_t log = {.stream = stderr, .level = RC_LOG_WARN, .rank = -1};
        const rc_mtx_bound_t bound = {.bytes = memory > 0 ? memory : memory_for(word),
            .row_work = orders ? RC_ORDER_ROW_BYTES : 0,
            .entry_work = orders ? RC_ORDER_ENTRY_BYTES : 0,
            .option = "--memory",
            .log = &log};
        rc_status_t read = rc_mtx_read_within(word, threads, &bound, out, info, err);
        if (read == RC_OK && strcmp(info->field, "complex") == 0)
            fprintf(stderr, "%s: " RC_COMPLEX_NOTICE "\n", word);
        return read;
    }
    rc_status_t st = rc_generate(spec ? spec : word, out, NULL, err);
    return st == RC_ENOENT ? rc_err_context(err, "no file and no built-in matrix '%s'", word) : st;
}

rc_status_t rc_command_name_file(const char *word, rc_status_t st, rc_err_t *err)
{
    int names_another = st == RC_EIO || strncmp(err->text, "--", 2) == 0;
    if (st < 0 && !names_another && strncmp(err->text, word, strlen(word)) != 0)
        rc_err_context(err, "%s", word);
    return st;
}
