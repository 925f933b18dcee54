/** \file base/expr_program.h  A compiled filter expression, shared by expr.c (compiles it) and
 *  expr_match.c (runs it).  Private to base. */
#ifndef RC_BASE_EXPR_PROGRAM_H
#define RC_BASE_EXPR_PROGRAM_H

#include "base/expr.h"

/* An expression is compiled to a straight program over one truth value, so that matching needs
 * neither a stack nor recursion, however long the expression is. */
typedef enum step_kind {
    STEP_TEST,       /* truth = left op right */
    STEP_NOT,        /* truth = !truth */
    STEP_SKIP_FALSE, /* go to `target` when false: the rest of an && chain */
    STEP_SKIP_TRUE   /* go to `target` when true: the rest of an || chain */
} step_kind_t;

typedef enum op {
    OP_TRUTH, /* a lone operand */
    OP_EQ,
    OP_NE,
    OP_LT,
    OP_LE,
    OP_GT,
    OP_GE,
    OP_GLOB,
    OP_NOT_GLOB
} op_t;

typedef struct operand {
    int field; /* index into the table, or -1 for the constant `value` */
    rc_value_t value;
} operand_t;

typedef struct step {
    step_kind_t kind;
    op_t op;
    operand_t left;
    operand_t right;
    size_t position; /* of the left operand in the source, from 1 */
    size_t target;
} step_t;

struct rc_expr {
    step_t *step;
    size_t steps;
    size_t capacity;
    char *texts; /* the text constants, each with its NUL */
};

#endif
