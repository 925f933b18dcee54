/* The sampled product on a CPU. */
#include "config.h"
#include "unit.h"

#include "sddmm_properties.h"

static void values_are_in_the_order_of_the_entries(void **state)
{
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        rc_device_t *d = NULL;
        assert_int_equal(rc_device_open_cpu(threads, &d, NULL), RC_OK);
        assert_true(check_sddmm_entry_order(d) > 0);
        rc_device_close(d);
    }
}

static void special_values_are_those_of_ieee(void **state)
{
    (void)state;
    rc_device_t *d = NULL;
    assert_int_equal(rc_device_open_cpu(2, &d, NULL), RC_OK);
    assert_true(check_sddmm_special_values(d) > 0);
    rc_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_in_the_order_of_the_entries),
        cmocka_unit_test(special_values_are_those_of_ieee),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
