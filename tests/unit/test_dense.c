#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "dense_properties.h"
#include "real_types.h"

#include <stdlib.h>

static rc_device_t *open_cpu(int threads)
{
    rc_device_t *d = NULL;
    assert_int_equal(rc_device_open_cpu(threads, &d, NULL), RC_OK);
    return d;
}

static void random_values(void **state)
{
    (void)state;
    rc_device_t *d = open_cpu(2);
    check_dense_random(d);
    rc_device_close(d);
}

static void poison(void **state)
{
    (void)state;
    rc_device_t *d = open_cpu(2);
    check_dense_poison(d);
    rc_device_close(d);
}

static void projections(void **state)
{
    (void)state;
    rc_device_t *d = open_cpu(2);
    check_dense_project(d);
    rc_device_close(d);
}

static void single_values(void **state)
{
    (void)state;
    rc_device_t *d = open_cpu(1);
    check_dense_gather(d);
    rc_device_close(d);
}

/* Every bit is the same for any number of threads. */
static void threads_do_not_matter(void **state)
{
    (void)state;
    enum { rows = 1001, cols = 203, teams = 4 };
    double *sign = random_signs(cols);
    for (int variant = 0; variant < 2 * REAL_TYPES; variant++) {
        static double sum[teams][rows];
        static double mag[teams][rows];
        static double b[teams][rows * cols];
        const rc_precision_t precision = real_type(variant);
        size_t bytes = rows * cols * rc_precision_bytes(precision);
        for (int t = 0; t < teams; t++) {
            rc_device_t *d = open_cpu(t + 1);
            rc_dense_t m = random_dense(d, rows, cols, precision, (rc_layout_t)(variant / REAL_TYPES), 4);
            assert_int_equal(d->dense_project(d, &m, sign, sum[t], mag[t], NULL, NULL), RC_OK);
            assert_int_equal(d->executor.download(&d->executor, b[t], m.data, bytes, NULL), RC_OK);
            assert_true(d->active_ns > 0);
            assert_memory_equal(sum[t], sum[0], sizeof sum[0]);
            assert_memory_equal(mag[t], mag[0], sizeof mag[0]);
            assert_memory_equal(b[t], b[0], bytes);
            d->executor.release(&d->executor, m.data);
            rc_device_close(d);
        }
    }
    free(sign);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_values),
        cmocka_unit_test(poison),
        cmocka_unit_test(projections),
        cmocka_unit_test(single_values),
        cmocka_unit_test(threads_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
