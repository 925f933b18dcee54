/* The filter language: text is an expression or an error, `!` is its opposite, and it means the
 * same each time. */
#include "config.h"
#include "fuzz.h"

#include "base/error.h"
#include "base/expr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char fuzz_target[] = "expr";

static const rc_field_t field[] = {
    {.name = "rows", .kind = RC_VALUE_INT, .help = "whole"},
    {.name = "density", .kind = RC_VALUE_REAL, .help = "real"},
    {.name = "name", .kind = RC_VALUE_TEXT, .help = "text"},
    {.name = "square", .kind = RC_VALUE_BOOL, .help = "flag"},
};
enum { FIELDS = sizeof field / sizeof *field, ROWS = 6 };

static const rc_value_t table[ROWS][FIELDS] = {
    {{RC_VALUE_INT, 7, 0, ""}, {RC_VALUE_REAL, 0, 0.5, ""}, {RC_VALUE_TEXT, 0, 0, "HB/a"},
        {RC_VALUE_BOOL, 1, 0, ""}},
    {{RC_VALUE_INT, INT64_MAX, 0, ""}, {RC_VALUE_REAL, 0, 1e308, ""}, {RC_VALUE_TEXT, 0, 0, ""},
        {RC_VALUE_BOOL, 0, 0, ""}},
    {{RC_VALUE_INT, INT64_MIN, 0, ""}, {RC_VALUE_REAL, 0, -INFINITY, ""},
        {RC_VALUE_TEXT, 0, 0, "lpt"}, {RC_VALUE_BOOL, 1, 0, ""}},
    {{RC_VALUE_REAL, 0, NAN, ""}, {RC_VALUE_REAL, 0, NAN, ""}, {RC_VALUE_REAL, 0, NAN, ""},
        {RC_VALUE_REAL, 0, NAN, ""}},
    {{RC_VALUE_INT, 0, 0, ""}, {RC_VALUE_REAL, 0, -0.0, ""}, {RC_VALUE_TEXT, 0, 0, "[a-z]*?"},
        {RC_VALUE_BOOL, 0, 0, ""}},
    {{RC_VALUE_INT, -1, 0, ""}, {RC_VALUE_REAL, 0, 3, ""},
        {RC_VALUE_TEXT, 0, 0, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab"},
        {RC_VALUE_BOOL, 1, 0, ""}},
};

static void get(const void *row, int i, rc_value_t *out)
{
    *out = ((const rc_value_t *)row)[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_err_t err = {0};
    rc_expr_t *e = NULL;
    char *text = fuzz_text(data, size);
    rc_status_t st = rc_expr_compile(text, field, FIELDS, &e, &err);
    FUZZ_CHECK((st == RC_OK) == (e != NULL));
    FUZZ_CHECK(st == RC_OK || (err.status == st && err.text[0] && !strchr(err.text, '\n')));
    if (st == RC_OK) {
        rc_expr_t *opposite = NULL;
        char *negated = malloc(size + 4);
        FUZZ_CHECK(negated != NULL);
        snprintf(negated, size + 4, "!(%s)", text);
        /* one level of brackets more may be one too many */
        if (rc_expr_compile(negated, field, FIELDS, &opposite, NULL) == RC_OK)
            for (int i = 0; i < ROWS; i++)
                FUZZ_CHECK(
                    rc_expr_match(e, get, table[i]) == !rc_expr_match(opposite, get, table[i]));
        rc_expr_free(opposite);
        free(negated);
    }
    rc_expr_free(e);
    free(text);
    return 0;
}
