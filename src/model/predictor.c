#include "config.h"
#include "model/predictor.h"
#include "base/error.h"

#include <inttypes.h>
#include <string.h>

#define RC_PREDICTOR(id) extern const rc_predictor_kind_t rc_predictor_##id;
#include "model/predictors.def"
#undef RC_PREDICTOR

#define RC_PREDICTOR(id) &rc_predictor_##id,
const rc_predictor_kind_t *const rc_predictor_kinds[] = {
#include "model/predictors.def"
    NULL};
#undef RC_PREDICTOR

const rc_predictor_kind_t *rc_predictor_find(const char *name)
{
    for (int i = 0; rc_predictor_kinds[i]; i++)
        if (strcmp(rc_predictor_kinds[i]->name, name) == 0)
            return rc_predictor_kinds[i];
    return NULL;
}

void rc_predictor_free(rc_predictor_t *p)
{
    if (p->kind)
        p->kind->free(p->state);
    *p = (rc_predictor_t){0};
}

/* ------------------------------------------------------------------ C source */

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
