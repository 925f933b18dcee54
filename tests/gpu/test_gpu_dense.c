/* The dense operations and the verification on a GPU: the properties that the CPU is held to, and
 * the sizes that only a GPU has.  Needs a GPU: without one it skips itself, or fails when
 * ROWCAST_GPU is 1. */
#include "config.h"
#include "unit.h"

#include "base/clock.h"
#include "base/rng.h"
#include "dense_properties.h"
#include "open_gpu.h"
#include "verify_properties.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void on_gpu(void (*check)(rc_device_t *d))
{
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    check(d);
    rc_device_close(d);
}

static void random_values(void **state)
{
    (void)state;
    on_gpu(check_dense_random);
}

static void poison(void **state)
{
    (void)state;
    on_gpu(check_dense_poison);
}

static void projections(void **state)
{
    (void)state;
    on_gpu(check_dense_project);
}

static void single_values(void **state)
{
    (void)state;
    on_gpu(check_dense_gather);
}

static void right_products_pass(void **state)
{
    (void)state;
    on_gpu(check_right_products);
}

static void overflow_is_checked(void **state)
{
    (void)state;
    on_gpu(check_overflow);
}

static void wrong_values_are_found(void **state)
{
    (void)state;
    on_gpu(check_wrong_products);
}

static void tiles_are_the_product(void **state)
{
    (void)state;
    on_gpu(check_tiles);
}

static void wrong_values_in_tiles_are_found(void **state)
{
    (void)state;
    on_gpu(check_wrong_tiles);
}

/* ----------------------------------------------------------- many shapes */

/* A matrix on the GPU and the same on the CPU give the same sums within the rounding of fp64. */
static void compare_devices(rc_device_t *gpu, rc_device_t *cpu, int64_t rows, int64_t cols, int v)
{
    rc_precision_t precision = (rc_precision_t)(v & 1);
    rc_layout_t layout = (rc_layout_t)(v >> 1);
    rc_device_t *device[2] = {gpu, cpu};
    double *sign = random_signs(cols);
    double *sum[2];
    double *mag[2];
    unsigned char *found[2];
    for (int i = 0; i < 2; i++) {
        sum[i] = malloc((size_t)rows * sizeof(double));
        mag[i] = malloc((size_t)rows * sizeof(double));
        found[i] = malloc((size_t)rows);
        assert_true(sum[i] && mag[i] && found[i]);
        rc_dense_t m = random_dense(device[i], rows, cols, precision, layout, 12);
        assert_int_equal(
            device[i]->dense_project(device[i], &m, sign, sum[i], mag[i], found[i], NULL), RC_OK);
        device[i]->executor.release(&device[i]->executor, m.data);
    }
    for (int64_t r = 0; r < rows; r++) {
        double bound = 4 * DBL_EPSILON * (double)cols * mag[1][r];
        assert_true(fabs(sum[0][r] - sum[1][r]) <= bound);
        assert_true(fabs(mag[0][r] - mag[1][r]) <= bound);
        assert_int_equal(found[0][r], found[1][r]);
    }
    for (int i = 0; i < 2; i++) {
        free(sum[i]);
        free(mag[i]);
        free(found[i]);
    }
    free(sign);
}

static void the_gpu_agrees_with_the_cpu(void **state)
{
    (void)state;
    static const int64_t shapes[][2] = {{1, 1000000}, {1000000, 1}, {2, 300001}, {31, 100003},
        {100003, 31}, {1023, 1025}, {4000, 128}, {30000, 64}, {2000000, 3}};
    rc_device_t *gpu = open_gpu();
    rc_device_t *cpu = NULL;
    if (!gpu)
        skip();
    assert_int_equal(rc_device_open_cpu(0, &cpu, NULL), RC_OK);
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int v = 0; v < 4; v++)
            compare_devices(gpu, cpu, shapes[s][0], shapes[s][1], v);
    rc_device_close(cpu);
    rc_device_close(gpu);
}

/* ------------------------------------------------------------------ large */

/* Until the device has done what was asked for. */
static double seconds_since(rc_device_t *d, const void *data, int64_t start)
{
    char byte;
    assert_int_equal(d->executor.download(&d->executor, &byte, data, 1, NULL), RC_OK);
    return (double)(rc_clock_ns() - start) * 1e-9;
}

static double naive_sum(int64_t r, int64_t cols, const double *sign)
{
    double sum = 0;
    for (int64_t j = 0; j < cols; j++)
        sum += sign[j] * rc_rng_signed(12, (uint64_t)r * (uint64_t)cols + (uint64_t)j);
    return sum;
}

/* Sums of some rows of an n x n matrix, poison in its last row, and what it all took. */
static void large(rc_device_t *d, int64_t n, rc_layout_t layout)
{
    const double rounds = 1e-15; /* of a sum of n values below 1, per value */
    double *sign = random_signs(n);
    double *sum = malloc((size_t)n * sizeof *sum);
    unsigned char *found = malloc((size_t)n);
    unsigned char *clear = malloc((size_t)n);
    assert_true(sum && found && clear);
    rc_dense_t m = random_dense(d, n, n, RC_FP32, layout, 12);
    (void)seconds_since(d, m.data, 0);
    int64_t start = rc_clock_ns();
    assert_int_equal(d->dense_random(d, &m, 12, n, 0, NULL), RC_OK);
    double fill_s = seconds_since(d, m.data, start);
    assert_int_equal(d->dense_project(d, &m, sign, sum, NULL, found, NULL), RC_OK);
    start = rc_clock_ns();
    assert_int_equal(d->dense_project(d, &m, sign, sum, NULL, found, NULL), RC_OK);
    double sum_s = (double)(rc_clock_ns() - start) * 1e-9;
    for (int64_t r = 0; r < n; r += n / 7) {
        assert_true(fabs(sum[r] - naive_sum(r, n, sign)) <= rounds * (double)n);
        assert_int_equal(found[r], RC_ROW_NONZERO);
    }
    assert_true(fabs(sum[n - 1] - naive_sum(n - 1, n, sign)) <= rounds * (double)n);
    memset(clear, 1, (size_t)n);
    clear[n - 1] = 0;
    start = rc_clock_ns();
    assert_int_equal(d->dense_poison(d, &m, clear, NULL), RC_OK);
    double poison_s = seconds_since(d, m.data, start);
    assert_int_equal(d->dense_project(d, &m, sign, sum, NULL, found, NULL), RC_OK);
    for (int64_t r = 0; r < n; r++)
        assert_true(found[r] == (r == n - 1 ? RC_ROW_POISON : 0) && (r == n - 1 || sum[r] == 0));
    double gb = (double)(n * n) * sizeof(float) * 1e-9;
    print_message("# %lld x %lld, %s: fill %.2f ms (%.0f GB/s), sums %.2f ms (%.0f GB/s), "
                  "poison %.2f ms\n",
        (long long)n, (long long)n, rc_layout_name(layout), fill_s * 1e3, gb / fill_s, sum_s * 1e3,
        gb / sum_s, poison_s * 1e3);
    d->executor.release(&d->executor, m.data);
    free(sign);
    free(sum);
    free(found);
    free(clear);
}

static void large_matrices(void **state)
{
    (void)state;
    /* the second has more values than 32 bits count */
    static const int64_t n[] = {30000, 70000};
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    for (int i = 0; i < 2; i++)
        for (int layout = 0; layout < 2; layout++)
            if (n[i] * n[i] * (int64_t)sizeof(float) < d->memory_bytes / 2)
                large(d, n[i], (rc_layout_t)layout);
    rc_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_values),
        cmocka_unit_test(poison),
        cmocka_unit_test(projections),
        cmocka_unit_test(single_values),
        cmocka_unit_test(right_products_pass),
        cmocka_unit_test(wrong_values_are_found),
        cmocka_unit_test(overflow_is_checked),
        cmocka_unit_test(tiles_are_the_product),
        cmocka_unit_test(wrong_values_in_tiles_are_found),
        cmocka_unit_test(the_gpu_agrees_with_the_cpu),
        cmocka_unit_test(large_matrices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
