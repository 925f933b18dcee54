#include "config.h"
#include "unit.h"

#include "measure/measure.h"
#include "measure/tiling.h"
#include "sparse/csr.h"
#include "verify_properties.h"

#include <stdlib.h>
#include <string.h>

static rc_device_t *open_cpu(void)
{
    rc_device_t *d = NULL;
    assert_int_equal(rc_device_open_cpu(2, &d, NULL), RC_OK);
    return d;
}

static void right_products_pass(void **state)
{
    (void)state;
    rc_device_t *d = open_cpu();
    check_right_products(d);
    rc_device_close(d);
}

static void wrong_values_are_found(void **state)
{
    (void)state;
    rc_device_t *d = open_cpu();
    check_wrong_products(d);
    rc_device_close(d);
}

static void tiles_are_the_product(void **state)
{
    (void)state;
    rc_device_t *d = open_cpu();
    check_tiles(d);
    rc_device_close(d);
}

static void wrong_values_in_tiles_are_found(void **state)
{
    (void)state;
    rc_device_t *d = open_cpu();
    check_wrong_tiles(d);
    rc_device_close(d);
}

/* Few and even tiles that cover K. */
static void tilings(void **state)
{
    (void)state;
    for (int64_t k = 1; k < 700; k++)
        for (int64_t widest = 32; widest < 720; widest += 5) {
            rc_tiling_t t = rc_tiling_of(k, widest);
            int64_t steps = widest / RC_TILE_STEP * RC_TILE_STEP;
            assert_true(t.k == k && t.width <= widest && t.last >= 1 && t.last <= t.width);
            assert_true((t.count - 1) * t.width + t.last == k);
            if (widest >= k) {
                assert_true(t.count == 1 && t.width == k);
                continue;
            }
            assert_true(t.width % RC_TILE_STEP == 0 && t.count == (k + steps - 1) / steps);
            assert_true(t.width < (k + t.count - 1) / t.count + RC_TILE_STEP);
            int64_t next = 0;
            for (int64_t i = 0; i < t.count; i++) {
                rc_columns_t c = rc_tiling_columns(&t, i);
                assert_true(c.k == k && c.j0 == next && c.width > 0);
                next += c.width;
            }
            assert_true(next == k);
        }
    /* 100,000 rows and columns, K = n, fp32, in 24 GB: 80 GB of B and C in four tiles */
    rc_tiling_t t = rc_tiling_of(100000, INT64_C(24000000000) / (200000 * 4));
    assert_true(t.count == 4 && t.width == 25024 && t.last == 24928);
}

/* ---------------------------------------------------------------- context */

static rc_status_t (*real_project)(rc_device_t *d, const rc_dense_t *m, const double *sign,
    double *sum, double *mag, unsigned char *found, rc_err_t *err);
static rc_status_t (*real_alloc)(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err);
static int projections_of_b;
static int allocations;

static rc_status_t counting_project(rc_device_t *d, const rc_dense_t *m, const double *sign,
    double *sum, double *mag, unsigned char *found, rc_err_t *err)
{
    projections_of_b += mag != NULL; /* of C no magnitudes are asked for */
    return real_project(d, m, sign, sum, mag, found, err);
}

static rc_status_t counting_alloc(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err)
{
    allocations++;
    return real_alloc(x, bytes, out, err);
}

/* What was computed for a matrix serves the next group of the same product, also in the other
 * layout, and no other. */
static void a_context_keeps_what_it_can(void **state)
{
    (void)state;
    enum { groups = 11, rows = 5 };
    static const struct {
        const char *kernel;
        uint64_t digest;
        int64_t k;
        rc_precision_t precision;
        double scale;
        int projected;
        int allocated;
    } step[groups] = {
        {"cstat", 7, 9, RC_FP32, 1, 1, 2}, {"cstat", 7, 9, RC_FP32, 1, 0, 0},
        {"rowsplit", 7, 9, RC_FP32, 1, 0, 0}, {"cstat", 7, 5, RC_FP32, 1, 1, 0},
        {"rowsplit", 7, 9, RC_FP32, 1, 0, 0}, /* still there */
        {"rowsplit", 7, 5, RC_FP32, 1, 0, 0},
        {"cstat", 8, 5, RC_FP32, 2, 1, 0}, /* other values at the same place */
        {"cstat", 8, 5, RC_FP64, 2, 1, 2}, {"cstat", 0, 5, RC_FP64, 3, 1, 0},
        {"cstat", 0, 5, RC_FP64, 4, 1, 0}, {"cstat", 7, 9, RC_FP32, 1, 1, 0}, /* gone */
    };
    int64_t row_ptr[rows + 1] = {0, 1, 2, 3, 4, 5};
    int32_t col_idx[rows] = {0, 4, 2, 1, 3};
    double val[rows];
    int32_t row[rows] = {0, 1, 2, 3, 4};
    rc_csr_t a = {rows, rows, rows, row_ptr, col_idx, val};
    rc_schedule_t schedule = {.slots = rows, .rows = rows, .row = row};
    rc_device_t *d = open_cpu();
    rc_measure_context_t *ctx = NULL;
    assert_int_equal(rc_measure_context_new(d, &ctx, NULL), RC_OK);
    real_project = d->dense_project;
    real_alloc = d->executor.alloc;
    d->dense_project = counting_project;
    d->executor.alloc = counting_alloc;
    for (int i = 0; i < groups; i++) {
        rc_kernel_spec_t spec;
        rc_measure_config_t cfg;
        rc_measured_t m = {.schedule = &schedule};
        rc_measure_defaults(&cfg, RC_DEVICE_CPU);
        cfg.budget_ns = 1;
        assert_int_equal(rc_kernel_spec_parse(step[i].kernel, RC_DEVICE_CPU, &spec, NULL), RC_OK);
        for (int e = 0; e < rows; e++)
            val[e] = step[i].scale * (e + 1);
        rc_group_t g = {.a = &a,
            .digest = {0, step[i].digest},
            .kernel = &spec,
            .k = step[i].k,
            .precision = step[i].precision,
            .geometry = spec.kernel->geometry(&d->executor, spec.param, step[i].precision),
            .memory_limit = INT64_MAX};
        projections_of_b = allocations = 0;
        assert_int_equal(rc_measure_group(ctx, &cfg, &g, &m, 1, NULL, NULL, NULL, NULL), RC_OK);
        if (m.status != RC_CASE_OK)
            fail_msg("group %d: %s", i, m.text);
        assert_int_equal(projections_of_b, step[i].projected);
        assert_int_equal(allocations, step[i].allocated);
        rc_measured_free(&m);
    }
    rc_measure_context_free(ctx);
    rc_device_close(d);
}

/* The same through symmetric orders: one reference for each order, whatever the kernel. */
static void a_context_keeps_what_orders_make_of_it(void **state)
{
    (void)state;
    enum { rows = 5, orders = 3, groups = 4 };
    static const char *const kernel[groups] = {"cstat", "rowsplit", "cstat", "rowsplit"};
    static const int64_t k[groups] = {9, 9, 5, 5};
    static const int projected[groups] = {orders, 0, orders, 0};
    int64_t row_ptr[rows + 1] = {0, 1, 2, 4, 5, 6};
    int32_t col_idx[] = {0, 4, 1, 2, 1, 3};
    double val[] = {1, 2, 3, 4, 5, 6};
    int32_t to[orders][rows] = {{0, 1, 2, 3, 4}, {4, 2, 0, 1, 3}, {1, 0, 3, 2, 4}};
    rc_csr_t a = {rows, rows, 6, row_ptr, col_idx, val};
    rc_csr_t renumbered[orders] = {{0}};
    rc_schedule_t order[orders];
    for (int o = 0; o < orders; o++) {
        order[o] = (rc_schedule_t){.slots = rows, .rows = rows, .row = to[o]};
        if (o == 0)
            continue;
        order[o].cols = rows;
        order[o].col = to[o];
        assert_int_equal(rc_csr_renumber_columns(&a, to[o], &renumbered[o], NULL), RC_OK);
    }
    rc_device_t *d = open_cpu();
    rc_measure_context_t *ctx = NULL;
    assert_int_equal(rc_measure_context_new(d, &ctx, NULL), RC_OK);
    real_project = d->dense_project;
    d->dense_project = counting_project;
    for (int i = 0; i < groups; i++) {
        rc_kernel_spec_t spec;
        rc_measure_config_t cfg;
        rc_measured_t m[orders] = {{.schedule = NULL}};
        rc_measure_defaults(&cfg, RC_DEVICE_CPU);
        cfg.budget_ns = 1;
        assert_int_equal(rc_kernel_spec_parse(kernel[i], RC_DEVICE_CPU, &spec, NULL), RC_OK);
        for (int o = 0; o < orders; o++)
            m[o] = (rc_measured_t){.schedule = &order[o], .a = o > 0 ? &renumbered[o] : NULL};
        rc_group_t g = {.a = &a,
            .digest = {0, 7},
            .kernel = &spec,
            .k = k[i],
            .precision = RC_FP32,
            .geometry = spec.kernel->geometry(&d->executor, spec.param, RC_FP32),
            .memory_limit = INT64_MAX};
        projections_of_b = 0;
        assert_int_equal(rc_measure_group(ctx, &cfg, &g, m, orders, NULL, NULL, NULL, NULL), RC_OK);
        for (int o = 0; o < orders; o++) {
            if (m[o].status != RC_CASE_OK)
                fail_msg("group %d, order %d: %s", i, o, m[o].text);
            rc_measured_free(&m[o]);
        }
        assert_int_equal(projections_of_b, projected[i]);
    }
    rc_measure_context_free(ctx);
    rc_device_close(d);
    for (int o = 1; o < orders; o++)
        rc_csr_free(&renumbered[o]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_products_pass),
        cmocka_unit_test(wrong_values_are_found),
        cmocka_unit_test(tiles_are_the_product),
        cmocka_unit_test(wrong_values_in_tiles_are_found),
        cmocka_unit_test(tilings),
        cmocka_unit_test(a_context_keeps_what_it_can),
        cmocka_unit_test(a_context_keeps_what_orders_make_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
