/* Fields by the names that people read, and filters that no row matches. */
#include "config.h"
#include "unit.h"

#include "base/expr.h"

#include <string.h>

static const rc_field_t fields[] = {
    {.name = "rows", .kind = RC_VALUE_INT}, {.name = "name", .kind = RC_VALUE_TEXT}};

static const char *listed(const void *table, int field, int64_t i)
{
    return field == 1 ? ((const char *const *)table)[i] : NULL;
}

static rc_status_t check(const char *text, const char *const *table, rc_err_t *err)
{
    rc_expr_t *e = NULL;
    assert_int_equal(rc_expr_compile(text, fields, 2, &e, err), RC_OK);
    rc_status_t st = rc_expr_check(e, fields, listed, table, 1, err);
    rc_expr_free(e);
    return st;
}

static void a_pattern_that_no_row_fits_is_explained(void **state)
{
    static const char *const specs[] = {
        "gsub:lanes=8", "rowsplit", "rowsplit", "hybrid1:a=1", "hybrid1:a=2", "hybrid2", NULL};
    static const char *const fine[] = {"name ~ gsub", "name ~ 'g*:lanes=?'", "name ~ ROW*",
        "name !~ nothing*", "name ~ row* && rows > 5", "name == rowsplit"};
    static const char *const slips[][2] = {
        {"name ~ rowspilt", "no name is like 'rowspilt'; did you mean 'rowsplit'?"},
        {"rows > 1 || name ~ 'gsbu*'", "no name is like 'gsbu*'; values: gsub, "
                                         "rowsplit, hybrid1, hybrid2"},
        {"name ~ hybrid", "no name is like 'hybrid'; did you mean name ~ 'hybrid*'?"},
        {"name ~ gsubb", "no name is like 'gsubb'; did you mean 'gsub'?"},
        {"name ~ ro", "no name is like 'ro'; did you mean 'rowsplit'?"},
        {"name == gsub", "no name is 'gsub'; did you mean 'gsub:lanes=8'?"}};
    rc_err_t err = {0};
    (void)state;
    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++)
        assert_int_equal(check(fine[i], specs, &err), RC_OK);
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        err = (rc_err_t){0};
        assert_int_equal(check(slips[i][0], specs, &err), RC_EINVAL);
        assert_string_equal(strstr(err.text, ": ") + 2, slips[i][1]);
    }
}

static void fields_have_other_names(void **state)
{
    static const rc_field_t field[] = {{.name = "policy", .kind = RC_VALUE_TEXT},
        {.name = "median_ns", .kind = RC_VALUE_REAL}, {.name = "k", .kind = RC_VALUE_INT},
        {.name = "bytes_us", .kind = RC_VALUE_INT}};
    static const struct {
        const char *word;
        int at;
        double scale;
    } words[] = {{"policy", 0, 1}, {"order", 0, 1}, {"median_ns", 1, 1}, {"median_us", 1, 1e-3},
        {"k", 2, 1}, {"bytes_us", 3, 1}, {"bytes_ns", -1, 0}, {"k_us", -1, 0}, {"_us", -1, 0},
        {"orders", -1, 0}, {"", -1, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        double scale = 0;
        const size_t n = strlen(words[i].word);
        assert_int_equal(rc_field_find(field, 4, words[i].word, n, &scale), words[i].at);
        assert_true(scale == words[i].scale);
    }
    assert_int_equal(rc_field_find(field, 4, "order == lpt", 5, NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pattern_that_no_row_fits_is_explained),
        cmocka_unit_test(fields_have_other_names),
    };
    return cmocka_run_group_tests_name("field", tests, NULL, NULL);
}
