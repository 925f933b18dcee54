/* base/map.c: keys that are small numbers are spread over the slots like random ones, and a map
 * holds what was set last. */
#include "config.h"
#include "base/map.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

/* Share of the slots that rows x columns keys fill, over that of random keys. */
static double filled(uint64_t rows, uint64_t columns, uint64_t step, size_t capacity)
{
    size_t used = 0;
    unsigned char *slot = calloc(capacity, 1);
    assert_non_null(slot);
    for (uint64_t a = 0; a < rows; a++)
        for (uint64_t b = 0; b < columns; b++) {
            size_t at = rc_map_slot((rc_digest_t){a * step, b * step}, capacity);
            assert_true(at < capacity);
            used += !slot[at];
            slot[at] = 1;
        }
    free(slot);
    double load = (double)(rows * columns) / (double)capacity;
    return (double)used / ((double)capacity * (1 - exp(-load)));
}

static void small_numbers_are_spread(void **state)
{
    static const uint64_t steps[] = {1, 2, 64, 4096, UINT64_C(1) << 32};
    (void)state;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        assert_true(fabs(filled(500, 500, steps[i], 1 << 19) - 1) < 0.02);
        assert_true(fabs(filled(1, 50000, steps[i], 1 << 16) - 1) < 0.02);
        assert_true(fabs(filled(50000, 1, steps[i], 1 << 16) - 1) < 0.02);
    }
}

static void the_last_value_counts(void **state)
{
    enum { ROWS = 300, COLUMNS = 70 };
    rc_map_t m = {0};
    rc_err_t err = {0};
    (void)state;
    assert_int_equal(rc_map_get(&m, (rc_digest_t){0, 0}, -7), -7);
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t a = 0; a < ROWS; a++)
            for (uint64_t b = 0; b < COLUMNS; b++)
                assert_int_equal(rc_map_set(&m, (rc_digest_t){a, b},
                                     (int64_t)(a * COLUMNS + b) * (pass ? 3 : 1), &err),
                    RC_OK);
    assert_int_equal(m.count, ROWS * COLUMNS);
    for (uint64_t a = 0; a <= ROWS; a++)
        for (uint64_t b = 0; b <= COLUMNS; b++) {
            int there = a < ROWS && b < COLUMNS;
            assert_int_equal(rc_map_get(&m, (rc_digest_t){a, b}, -1),
                there ? 3 * (int64_t)(a * COLUMNS + b) : -1);
        }
    rc_map_free(&m);
    assert_int_equal(m.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_numbers_are_spread),
        cmocka_unit_test(the_last_value_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
