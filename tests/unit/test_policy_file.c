/* Orders that are given in a file. */
#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "order/policy.h"
#include "order_matrix.h"
#include "scratch.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void file_text(void **state, const char *content, char *text)
{
    char path[SCRATCH_PATH];
    scratch_path(state, "rows.txt", path);
    scratch_write(path, content, strlen(content));
    (void)snprintf(text, SCRATCH_PATH + 8, "file:%s", path);
}

static void files_give_the_order(void **state)
{
    char text[SCRATCH_PATH + 8];
    const unsigned char flag[12] = {1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    const int32_t expected[] = {3, -1, 0, 2};
    rc_csr_t a;
    rc_policy_spec_t first;
    rc_policy_spec_t second;
    matrix_from_flags(flag, 4, 3, &a);
    file_text(state, "# a comment\n3\n-1\n0\r\n2", text);
    rc_schedule_t s = order_of(text, &a, 1);
    assert_int_equal(s.slots, 4);
    assert_memory_equal(s.row, expected, sizeof expected);
    rc_schedule_free(&s);
    /* its identity is the order, whatever the file looks like */
    assert_int_equal(rc_policy_spec_parse(text, &first, NULL), RC_OK);
    assert_int_equal(strlen(first.params), strlen("name=rows.txt:rows=") + 32);
    assert_memory_equal(first.params, "name=rows.txt:rows=", strlen("name=rows.txt:rows="));
    assert_int_equal(strlen(rc_spec_identity(first.params)), strlen("rows=") + 32);
    file_text(state, "3\n-1\n# another\n0\n2\n", text);
    assert_int_equal(rc_policy_spec_parse(text, &second, NULL), RC_OK);
    assert_string_equal(first.params, second.params);
    file_text(state, "3\n-1\n2\n0\n", text);
    rc_err_t err = {0};
    assert_int_equal(rc_policy_build(&second, &a, NULL, 1, NULL, &s, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "has changed"));
    assert_int_equal(rc_policy_spec_parse(text, &second, NULL), RC_OK);
    assert_string_not_equal(first.params, second.params);
    free_matrix(&a);
}

static void wrong_files_name_the_line(void **state)
{
    const unsigned char flag[12] = {1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1};
    static const struct {
        const char *content;
        rc_status_t status;
        const char *says;
    } cases[] = {
        {"0\n1\nx\n", RC_EFORMAT, "rows.txt:3: expected a row from 0, or -1 for a pad, found 'x'"},
        {"0\n\n1\n", RC_EFORMAT, "rows.txt:2: expected a row from 0"},
        {"0\n-2\n1\n", RC_EFORMAT,
            "rows.txt:2: expected a row from 0, or -1 for a pad, found '-2'"},
        {"0 1\n", RC_EFORMAT, "found '0 1'"},
        {"0\n99999999999\n", RC_EFORMAT, "rows.txt:2: expected"},
        {"0\n#\n4\n2\n3\n", RC_ENOTSUP, "rows.txt:3: row 4 of a matrix with 4 rows"},
        {"0\n2\n3\n0\n", RC_EFORMAT, "rows.txt:4: row 0 is there twice, first in line 1"},
        {"0\n2\n", RC_ENOTSUP, "row 3 has entries and is not there (2 slots, 4 rows)"},
        {"", RC_ENOTSUP, "row 0 has entries and is not there"},
    };
    rc_csr_t a;
    matrix_from_flags(flag, 4, 3, &a);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[SCRATCH_PATH + 8];
        rc_schedule_t s = {0};
        rc_err_t err = {0};
        file_text(state, cases[i].content, text);
        rc_status_t st = rc_order_build(text, &a, NULL, 1, &s, &err);
        if (st != cases[i].status || !strstr(err.text, cases[i].says))
            fail_msg("expected %d '%s', found %d '%s'", (int)cases[i].status, cases[i].says,
                (int)st, err.text);
        assert_null(s.row);
    }
    free_matrix(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_give_the_order),
        cmocka_unit_test(wrong_files_name_the_line),
    };
    return cmocka_run_group_tests_name("policy file", tests, scratch_setup, scratch_teardown);
}
