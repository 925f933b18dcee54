#include "config.h"
#include "base/expr_program.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/map.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

enum { NAMED_VALUES = 12 }; /* in the text of an error */

static rc_status_t unknown_value(const step_t *s, const char *found, const char *field,
    const char *const *value, int values, rc_err_t *err)
{
    rc_str_t list = {0};
    const char *near = rc_similar(found, value, values);
    for (int i = 0; i < values && i < NAMED_VALUES && !near; i++)
        rc_str_addf(&list, "%s%s", i ? ", " : "; values: ", value[i]);
    if (values > NAMED_VALUES && !near)
        rc_str_add(&list, ", ...");
    rc_fail(err, RC_EINVAL, "position %zu: no %s is '%.60s'%s%s%s%s", s->position, field, found,
        near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "",
        list.text && !list.failed ? list.text : "");
    rc_str_free(&list);
    return RC_EINVAL;
}

static rc_status_t check_value(const step_t *s, int field, const char *found,
    const rc_field_t *fields, rc_field_value_fn *value, const void *table, rc_err_t *err)
{
    int n = 0;
    for (const char *v; (v = value(table, field, n)) != NULL; n++)
        if (strcmp(v, found) == 0)
            return RC_OK;
    if (n == 0)
        return RC_OK;
    rc_map_t seen = {0};
    int distinct = 0;
    rc_status_t st = RC_OK;
    const char **all = rc_alloc((size_t)n, sizeof *all, "values of a field", err);
    RC_PASS(all ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < n && st == RC_OK; i++) {
        const char *v = value(table, field, i);
        rc_digest_t key = rc_map_text(v);
        if (!v[0] || rc_map_get(&seen, key, 0))
            continue; /* "" is no help, nor is the same once more */
        all[distinct++] = v;
        st = rc_map_set(&seen, key, 1, err);
    }
    if (st == RC_OK)
        st = unknown_value(s, found, fields[field].name, all, distinct, err);
    rc_map_free(&seen);
    free(all);
    return st;
}

rc_status_t rc_expr_check(const rc_expr_t *e, const rc_field_t *fields, rc_field_value_fn *value,
    const void *table, rc_err_t *err)
{
    for (size_t i = 0; e && i < e->steps; i++) {
        const step_t *s = &e->step[i];
        const operand_t *side[] = {&s->left, &s->right};
        if (s->kind != STEP_TEST || (s->op != OP_EQ && s->op != OP_NE))
            continue;
        for (int k = 0; k < 2; k++) {
            const rc_value_t *found = &side[1 - k]->value;
            if (side[k]->field < 0 || side[1 - k]->field >= 0 || found->kind != RC_VALUE_TEXT)
                continue;
            RC_PASS(check_value(s, side[k]->field, found->text, fields, value, table, err));
        }
    }
    return RC_OK;
}
