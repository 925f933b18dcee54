#include "config.h"
#include "base/expr_program.h"

#include "base/glob.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void value_of(const operand_t *o, rc_field_get_fn *get, const void *row, rc_value_t *out)
{
    if (o->field < 0)
        *out = o->value;
    else
        get(row, o->field, out);
}

static int is_whole(const rc_value_t *v)
{
    return v->kind == RC_VALUE_INT || v->kind == RC_VALUE_BOOL;
}

static double as_double(const rc_value_t *v)
{
    return is_whole(v) ? (double)v->i : v->r;
}

static int truth_of(const rc_value_t *v)
{
    if (v->kind == RC_VALUE_TEXT)
        return v->text[0] != '\0';
    return is_whole(v) ? v->i != 0 : v->r != 0 && !isnan(v->r);
}

/* sign: of left - right */
static int holds(op_t op, int sign)
{
    switch (op) {
    case OP_EQ:
        return sign == 0;
    case OP_NE:
        return sign != 0;
    case OP_LT:
        return sign < 0;
    case OP_LE:
        return sign <= 0;
    case OP_GT:
        return sign > 0;
    case OP_GE:
        return sign >= 0;
    default:
        return 0;
    }
}

static int test(const step_t *s, rc_field_get_fn *get, const void *row)
{
    rc_value_t a;
    rc_value_t b;
    value_of(&s->left, get, row, &a);
    if (s->op == OP_TRUTH)
        return truth_of(&a);
    value_of(&s->right, get, row, &b);
    if (a.kind == RC_VALUE_TEXT && b.kind == RC_VALUE_TEXT) {
        if (s->op == OP_GLOB || s->op == OP_NOT_GLOB)
            return rc_glob_match(b.text, a.text) == (s->op == OP_GLOB);
        int order = strcmp(a.text, b.text);
        return holds(s->op, (order > 0) - (order < 0));
    }
    if (a.kind == RC_VALUE_TEXT || b.kind == RC_VALUE_TEXT)
        return 0; /* the other one is missing: kinds were checked */
    if (is_whole(&a) && is_whole(&b))
        return holds(s->op, (a.i > b.i) - (a.i < b.i));
    double x = as_double(&a);
    double y = as_double(&b);
    return !isnan(x) && !isnan(y) && holds(s->op, (x > y) - (x < y));
}

int rc_expr_match(const rc_expr_t *e, rc_field_get_fn *get, const void *row)
{
    int truth = 1;
    for (size_t i = 0; e && i < e->steps;) {
        const step_t *s = &e->step[i++];
        switch (s->kind) {
        case STEP_TEST:
            truth = test(s, get, row);
            break;
        case STEP_NOT:
            truth = !truth;
            break;
        case STEP_SKIP_FALSE:
            if (!truth)
                i = s->target;
            break;
        case STEP_SKIP_TRUE:
            if (truth)
                i = s->target;
            break;
        }
    }
    return truth;
}

int rc_expr_uses(const rc_expr_t *e, int field)
{
    for (size_t i = 0; e && field >= 0 && i < e->steps; i++) {
        const step_t *s = &e->step[i];
        if (s->kind == STEP_TEST &&
            (s->left.field == field || (s->op != OP_TRUTH && s->right.field == field)))
            return 1;
    }
    return 0;
}

void rc_expr_free(rc_expr_t *e)
{
    if (!e)
        return;
    free(e->step);
    free(e->texts);
    free(e);
}
