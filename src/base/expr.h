/** \file base/expr.h  The filter language of --where and --redo, over named fields.
 *
 *  Grammar (C precedence):  or:  and ('||' and)*      and:  not ('&&' not)*
 *    not:  '!' not | '(' or ')' | operand (op operand)?      op:  == != < <= > >= ~ !~
 *    operand:  number | 'text' | "text" | field name
 *  Words are made of letters, digits and _ . + - / : @ * ?; a word is a field, a number, `true`
 *  (1) or `false` (0).  Numbers may end in k, M or G (powers of 1000).  `~` matches a glob pattern
 * (* ? [..]), ignoring case.  A lone field is true when it is a non-zero number or a non-empty
 * text.  Beside a text field a bare word that is no field is taken as text: `policy == lpt`.
 * Comparing text with a number, or an unknown field, is an error that names the position and the
 * nearest field; so is == or != between an enumeration and a text that it does not have.
 *
 *  Two whole numbers are compared exactly, others as doubles, texts in byte order.  A missing value
 *  makes every comparison false, `!=` too, and is false alone; `!` then makes it true. */
#ifndef RC_BASE_EXPR_H
#define RC_BASE_EXPR_H

#include "rowcast.h"

#include <stddef.h>

typedef enum rc_value_kind {
    RC_VALUE_INT = 0,
    RC_VALUE_REAL = 1,
    RC_VALUE_TEXT = 2,
    RC_VALUE_BOOL = 3
} rc_value_kind_t;

/** A field's value; text is borrowed for as long as the row. */
typedef struct rc_value {
    rc_value_kind_t kind;
    int64_t i;        /**< RC_VALUE_INT, RC_VALUE_BOOL */
    double r;         /**< RC_VALUE_REAL; NaN: missing, compares false with everything */
    const char *text; /**< RC_VALUE_TEXT, never NULL */
} rc_value_t;

typedef struct rc_field rc_field_t;

/** Gives the value of a field that reads itself, of a row: as of rc_field_get_fn. */
typedef void rc_field_read_fn(const rc_field_t *f, const void *row, rc_value_t *out);

/** A field that expressions may name. */
struct rc_field {
    const char *name;
    rc_value_kind_t kind;
    const char *unit;         /**< "" or NULL: none */
    const char *help;         /**< what it is */
    rc_field_read_fn *read;   /**< NULL: the table of fields has one rc_field_get_fn for all */
    size_t at;                /**< for `read`: of a member in its row */
    const char *const *names; /**< of an enumeration, NULL-terminated; else NULL */
};

/** Gives the value of field number `field` (an index into the table) of the current row: one of the
 *  field's kind, or RC_VALUE_REAL with NaN when it is missing (whatever the field's kind). */
typedef void rc_field_get_fn(const void *row, int field, rc_value_t *out);

/** The fields of a kind of row. */
typedef struct rc_fields {
    const rc_field_t *field;
    int count;
    rc_field_get_fn *get;
} rc_fields_t;

typedef struct rc_expr rc_expr_t;

/** Value number i of a field in a table, in any order; NULL behind the last one, and for a field of
 *  which the values are not listed. */
typedef const char *rc_field_value_fn(const void *table, int field, int64_t i);

/** The field that a word names, by its name or as people read it: `order` is the field policy, and
 *  NAME_us a time NAME_ns in us.
 *  \param[in]  word   n bytes
 *  \param[out] scale  of its value as named: 1, or 1e-3 of a time in us; may be NULL
 *  \return its place in the table, -1: no field has the name */
int rc_field_find(const rc_field_t *fields, int count, const char *word, size_t n, double *scale);

/** The name of a field as people read it. */
const char *rc_field_said(const rc_field_t *field);

/** Fail with RC_EINVAL: no field has the name.  The text has the nearest one. */
rc_status_t rc_field_unknown(const rc_field_t *fields, int count, const char *word, rc_err_t *err);

/** Compile an expression over a table of fields (borrowed; must outlive the result).
 *  \return RC_OK, RC_EINVAL with position, expected and found in the text, RC_ENOMEM.
 *  Free with rc_expr_free. */
rc_status_t rc_expr_compile(
    const char *text, const rc_field_t *fields, int field_count, rc_expr_t **out, rc_err_t *err);

/** Check the texts that an expression compares (== or !=) with fields of listed values: one that no
 *  row of the table can have is a slip.
 *  \param[in] fields    that the expression was compiled over
 *  \param[in] patterns  1: also a pattern (~) that no row fits, to explain why no row matches
 *  \return RC_OK (also without an expression), RC_EINVAL with the nearest value, RC_ENOMEM */
rc_status_t rc_expr_check(const rc_expr_t *e, const rc_field_t *fields, rc_field_value_fn *value,
    const void *table, int patterns, rc_err_t *err);

/** 1 when the row matches, else 0.  A NULL expression matches everything.  Allocates nothing. */
int rc_expr_match(const rc_expr_t *e, rc_field_get_fn *get, const void *row);

void rc_expr_free(rc_expr_t *e);

#endif
