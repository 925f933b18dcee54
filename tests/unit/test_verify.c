#include "config.h"
#include "dense_plain.h"
#include "unit.h"

#include "base/rng.h"
#include "base/type.h"
#include "measure/measure.h"
#include "measure/tiling.h"
#include "operation/exact.h"
#include "sparse/csr.h"
#include "verify_properties.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static rc_device_t *open_cpu(void)
{
    rc_device_t *d = NULL;
    assert_int_equal(rc_device_open_cpu(2, &d, NULL), RC_OK);
    return d;
}

/* With dense operations of every type. */
static rc_device_t *open_plain(void)
{
    rc_device_t *d = open_cpu();
    dense_plain(d);
    return d;
}

/* ------------------------------------------------------------------ bounds */

static int by_size(const void *a, const void *b)
{
    const double x = fabs(*(const double *)a);
    const double y = fabs(*(const double *)b);
    return (x > y) - (x < y);
}

static double from_array(const void *user, int operand, int64_t row, int64_t col)
{
    const double *x = user;
    (void)operand;
    return x[col > 0 ? col : row];
}

/* Sums of n terms in the type of sums, in one of several orders; the terms are used up. */
enum { FORWARD, BACKWARD, PAIRS, ANY, ORDERS };

static double sum_up(rc_precision_t type, double *x, int64_t n, int order, rc_rng_t *rng)
{
    const rc_type_t *sum = rc_type(rc_type(type)->sum);
    for (int64_t i = 0; i < n; i++)
        x[i] = sum->round(x[i]);
    for (; n > 1; n--) {
        /* the two that are added next, and where the sum goes */
        int64_t a = order == FORWARD ? 0 : order == BACKWARD ? n - 2 : (int64_t)rc_rng_below(rng, (uint64_t)n);
        int64_t b = order == FORWARD || order == BACKWARD ? n - 1 : (a + 1 + (int64_t)rc_rng_below(rng, (uint64_t)(n - 1))) % n;
        double both = sum->round(x[a] + x[b]);
        x[a] = both;
        x[b] = x[n - 1];
        if (order == PAIRS && n % 2 == 0) /* sums of about as many terms meet */
            qsort(x, (size_t)(n - 1), sizeof *x, by_size);
    }
    return rc_type(type)->round(x[0]);
}

/* Products of random values that are computed as kernels do stay inside the bound, whatever the
 * order and the signs.  Of one sign, four units of the last place are outside where the output is
 * rounded further than the sums. */
static void sums_in_any_order_are_right(void **state)
{
    (void)state;
    enum { most = 600, rounds = 400 };
    static const double scales[] = {1, 1e-3, 1e-6, 100};
    rc_rng_t rng;
    rc_rng_seed(&rng, 5);
    for (int t = 0; t < RC_TYPES; t++)
        for (int i = 0; i < rounds; i++) {
            const rc_precision_t type = (rc_precision_t)t;
            const rc_type_t *of = rc_type(type);
            double term[most];
            int64_t n = 1 + (int64_t)rc_rng_below(&rng, i % 3 ? 12 : most);
            int one_sign = i / ORDERS % 2;
            rc_exact_t want = {.terms = n};
            for (int64_t e = 0; e < n; e++) {
                double a = of->round(scales[i % 4] * (2 * rc_rng_unit(&rng) - 1));
                double b = of->round(2 * rc_rng_unit(&rng) - 1);
                term[e] = one_sign ? fabs(a * b) : a * b;
                want.value += term[e];
                want.mag += fabs(term[e]);
            }
            double c = sum_up(type, term, n, i % ORDERS, &rng);
            double off = rc_exact_error(type, &want, c);
            if (!(off <= 1))
                fail_msg("%s, %d terms: %g is %g times the bound from %g", of->name, (int)n, c, off, want.value);
            if (!one_sign || of->sum == type)
                continue;
            int exponent;
            (void)frexp(c, &exponent);
            double units = 4 * fmax(ldexp(of->unit, exponent), of->least);
            for (int way = -1; way <= 1; way += 2)
                if (!(rc_exact_error(type, &want, c + way * units) > 1))
                    fail_msg("%s, %d terms: %g may be %g", of->name, (int)n, want.value, c + way * units);
        }
}

enum { SAYS_NOTHING = 0, IS_RIGHT = 1, IS_WRONG = 2 };

static int judge(rc_precision_t type, double value, double mag, double found)
{
    const rc_exact_t want = {value, mag, 4};
    double off = rc_exact_error(type, &want, found);
    return isnan(off) ? SAYS_NOTHING : off <= 1 ? IS_RIGHT : IS_WRONG;
}

/* The largest number of fp16 is 65,504; from 65,520 on values round to infinity. */
static void what_overflows_is_infinite(void **state)
{
    (void)state;
    const double inf = (double)INFINITY;
    const double nan = (double)NAN;
    const struct {
        rc_precision_t type;
        double value, mag, found;
        int verdict;
    } cases[] = {
        /* far beyond: that infinity and nothing else */
        {RC_FP16, 1e5, 1e5, inf, IS_RIGHT}, {RC_FP16, 1e5, 1e5, -inf, IS_WRONG},
        {RC_FP16, 1e5, 1e5, 65504, IS_WRONG}, {RC_FP16, 1e5, 1e5, nan, IS_WRONG},
        {RC_FP16, -1e5, 2e5, -inf, IS_RIGHT}, {RC_FP16, -1e5, 2e5, inf, IS_WRONG},
        /* far below: a finite value, also where the terms are large and cancel */
        {RC_FP16, 60000, 60000, inf, IS_WRONG}, {RC_FP16, 60000, 60000, 60000, IS_RIGHT},
        {RC_FP16, 60000, 60000, 60096, IS_WRONG}, {RC_FP16, 1, 1e7, inf, IS_WRONG},
        {RC_FP16, 1, 1e7, nan, IS_WRONG}, {RC_FP16, 1, 1e7, 1, IS_RIGHT},
        /* between: either */
        {RC_FP16, 65519, 65519, inf, SAYS_NOTHING}, {RC_FP16, 65519, 65519, 65504, IS_RIGHT},
        {RC_FP16, 65521, 65521, inf, SAYS_NOTHING}, {RC_FP16, 65521, 65521, 65504, IS_RIGHT},
        {RC_FP16, 65521, 65521, -inf, IS_WRONG}, {RC_FP16, 65521, 65521, nan, IS_WRONG},
        {RC_FP16, 0, 1e8, inf, SAYS_NOTHING}, {RC_FP16, 0, 1e8, -inf, SAYS_NOTHING},
        /* sums of fp32 end there themselves, and their parts may before */
        {RC_FP32, 4e38, 4e38, inf, IS_RIGHT}, {RC_FP32, 4e38, 4e38, 3.4e38, IS_WRONG},
        {RC_FP32, 4e38, 4e38, nan, SAYS_NOTHING}, {RC_FP32, 1, 4e38, inf, SAYS_NOTHING},
        {RC_FP32, 1, 4e38, -inf, SAYS_NOTHING}, {RC_FP32, 1, 4e38, nan, SAYS_NOTHING},
        {RC_FP32, 1, 4e38, 1e36, IS_WRONG}, {RC_FP32, 1, 4e38, 1e30, IS_RIGHT},
        {RC_FP32, 1, 3e38, inf, IS_WRONG}, {RC_FP32, 1, 3e38, nan, IS_WRONG},
        {RC_BF16, 4e38, 4e38, inf, IS_RIGHT}, {RC_BF16, 1, 4e38, nan, SAYS_NOTHING},
        {RC_BF16, 1e38, 1e38, inf, IS_WRONG},
        /* infinities and NaN of operands */
        {RC_FP16, inf, 3, inf, IS_RIGHT}, {RC_FP16, inf, 3, -inf, IS_WRONG},
        {RC_FP16, inf, 3, 65504, IS_WRONG}, {RC_FP16, inf, 3, nan, IS_WRONG},
        {RC_FP16, nan, 3, nan, IS_RIGHT}, {RC_FP16, nan, 3, inf, IS_WRONG}, {RC_FP16, nan, 3, 3, IS_WRONG},
        {RC_FP32, -inf, 4e38, nan, SAYS_NOTHING}, {RC_FP32, -inf, 4e38, -inf, IS_RIGHT},
        {RC_FP32, -inf, 4e38, 3, IS_WRONG},
        /* beyond fp64 itself */
        {RC_FP64, inf, inf, 1, SAYS_NOTHING}, {RC_FP64, 1, inf, nan, SAYS_NOTHING},
        {RC_FP64, 1.7e308, 1.7e308, inf, IS_WRONG}, {RC_FP64, 1, 1e308, 1, IS_RIGHT},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        if (judge(cases[i].type, cases[i].value, cases[i].mag, cases[i].found) != cases[i].verdict)
            fail_msg("%s: expected %g (terms of %g), found %g", rc_precision_name(cases[i].type), cases[i].value,
                cases[i].mag, cases[i].found);
    /* without terms zero is the only value */
    const rc_exact_t none = {0};
    assert_true(rc_exact_error(RC_FP16, &none, 0) == 0 && rc_exact_error(RC_FP16, &none, 0x1p-24) > 1);
}

/* An entry that is infinite in fp16 makes values infinite, two make NaN where their signs differ;
 * of SDDMM the sum decides. */
static void infinite_entries_are_terms(void **state)
{
    (void)state;
    int64_t row_ptr[] = {0, 3};
    int32_t col_idx[] = {0, 1, 2};
    double val[] = {1e6, 2, -1e6};
    rc_csr_t a = {1, 3, 3, row_ptr, col_idx, val};
    rc_reference_matrix_t m = {.a = &a, .precision = RC_FP16, .threads = 1};
    const double b[] = {0.5, 3, 0.25};
    rc_exact_t e;
    const rc_operation_t *spmv = rc_operation_of(RC_OP_SPMV);
    spmv->value(&m, 0, 0, 1, from_array, b, &e);
    assert_true(isnan(e.value) && e.mag == 6 && e.terms == 3);
    val[2] = -1;
    spmv->value(&m, 0, 0, 1, from_array, b, &e);
    assert_true(e.value == (double)INFINITY && e.mag == 6.25);
    val[0] = 65520; /* rounds to infinity; 65,519 does not */
    spmv->value(&m, 0, 0, 1, from_array, b, &e);
    assert_true(e.value == (double)INFINITY);
    val[0] = 65519;
    spmv->value(&m, 0, 0, 1, from_array, b, &e);
    assert_true(e.value == 65504 * 0.5 + 6 - 0.25 && e.mag == 65504 * 0.5 + 6.25);
    val[0] = -1e6;
    rc_operation_of(RC_OP_SDDMM)->value(&m, 0, 0, 3, from_array, b, &e); /* 0.25 + 9 + 0.0625 */
    assert_true(e.value == -(double)INFINITY && isfinite(e.mag) && e.terms == 4);
}

static void right_products_pass(void **state)
{
    (void)state;
    rc_device_t *d = open_plain();
    check_right_products(d);
    rc_device_close(d);
}

static void wrong_values_are_found(void **state)
{
    (void)state;
    rc_device_t *d = open_plain();
    check_wrong_products(d);
    rc_device_close(d);
}

static void overflow_is_checked(void **state)
{
    (void)state;
    rc_device_t *d = open_plain();
    check_overflow(d);
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
    rc_device_t *d = open_plain();
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
        cmocka_unit_test(sums_in_any_order_are_right),
        cmocka_unit_test(what_overflows_is_infinite),
        cmocka_unit_test(infinite_entries_are_terms),
        cmocka_unit_test(right_products_pass),
        cmocka_unit_test(wrong_values_are_found),
        cmocka_unit_test(overflow_is_checked),
        cmocka_unit_test(tiles_are_the_product),
        cmocka_unit_test(wrong_values_in_tiles_are_found),
        cmocka_unit_test(tilings),
        cmocka_unit_test(a_context_keeps_what_it_can),
        cmocka_unit_test(a_context_keeps_what_orders_make_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
