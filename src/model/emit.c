#include "config.h"
#include "model/emit.h"
#include "base/error.h"

#include <inttypes.h>

static void begin_table(FILE *out, const char *type, const char *name, const char *suffix, size_t n)
{
    fprintf(out, "static const %s %s_%s[%zu] = {", type, name, suffix, n ? n : 1);
    if (n == 0)
        fputs("0", out);
}

static void next_value(FILE *out, size_t i, size_t per_line)
{
    fputs(i % per_line ? ", " : i ? ",\n    " : "\n    ", out);
}

void rc_emit_reals(FILE *out, const char *name, const char *suffix, const double *value, size_t n)
{
    begin_table(out, "double", name, suffix, n);
    for (size_t i = 0; i < n; i++) {
        next_value(out, i, 4);
        fprintf(out, "%a", value[i]);
    }
    fputs("};\n", out);
}

void rc_emit_ints(FILE *out, const char *name, const char *suffix, const int32_t *value, size_t n)
{
    begin_table(out, "int", name, suffix, n);
    for (size_t i = 0; i < n; i++) {
        next_value(out, i, 16);
        fprintf(out, "%" PRId32, value[i]);
    }
    fputs("};\n", out);
}

rc_status_t rc_emit_end(FILE *out, rc_err_t *err)
{
    if (fflush(out) != 0 || ferror(out))
        return rc_fail(err, RC_EIO, "the C source of a predictor cannot be written");
    return RC_OK;
}
