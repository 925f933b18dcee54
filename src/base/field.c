#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/expr.h"
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields that people call otherwise. */
static const struct {
    const char *said;
    const char *field;
} others[] = {{"order", "policy"}, {"order_version", "policy_version"}};

const char *rc_field_said(const rc_field_t *field)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(field->name, others[i].field) == 0)
            return others[i].said;
    return field->name;
}

int rc_field_find(const rc_field_t *fields, int count, const char *word, size_t n, double *scale)
{
    enum { most = 64, unit = 3 }; /* letters of "_us" */
    char own[most];
    const char *name = own;
    snprintf(own, sizeof own, "%.*s", (int)(n < most ? n : 0), word);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(own, others[i].said) == 0)
            name = others[i].field;
    for (int us = 0; us < 2; us++) {
        for (int i = 0; i < count; i++)
            if (strcmp(fields[i].name, name) == 0) {
                if (scale)
                    *scale = us ? 1e-3 : 1;
                return i;
            }
        if (n <= unit || n >= most || strcmp(own + n - unit, "_us") != 0)
            return -1;
        own[n - unit + 1] = 'n';
    }
    return -1;
}

rc_status_t rc_field_unknown(const rc_field_t *fields, int count, const char *word, rc_err_t *err)
{
    const char **names = rc_alloc((size_t)count, sizeof *names, "field names", err);
    RC_PASS(names ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < count; i++)
        names[i] = fields[i].name;
    (void)rc_fail_unknown(err, RC_EINVAL, "field", word, names, count);
    free(names);
    return RC_EINVAL;
}
