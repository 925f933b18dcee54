/* The rule that is compiled in: what it names exists, and it holds for problems of any size. */
#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "kernels/specs.h"
#include "kernels/vendor/vendor.h"
#include "plan/guess/guess.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SMS = 132, L2 = 60 << 20 };

static rc_guess_problem_t problem(rc_op_t op, rc_layout_t layout)
{
    return (rc_guess_problem_t){.op = op,
        .layout = layout,
        .value_bytes = 4,
        .k = 32,
        .rows = 1000,
        .cols = 1000,
        .nnz = 7000,
        .longest = 9,
        .cache_bytes = L2,
        .multiprocessors = SMS};
}

static const struct {
    rc_op_t op;
    rc_layout_t layout;
} known[] = {{RC_OP_SPMM, RC_ROW_MAJOR}, {RC_OP_SPMM, RC_COL_MAJOR}, {RC_OP_SPMV, RC_COL_MAJOR},
    {RC_OP_SPMV, RC_ROW_MAJOR}};
enum { KNOWN = sizeof known / sizeof *known };

static void check_guess(const rc_guess_problem_t *p, const rc_guess_t *g)
{
    assert_in_range(g->count, 1, RC_GUESS_MOST);
    for (int i = 0; i < g->count; i++) {
        assert_true(isfinite(g->cost[i]));
        assert_true(i == 0 || g->cost[i - 1] <= g->cost[i]);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(g->kernel[i], g->kernel[j]);
        assert_true(rc_guess_total(p, g->kernel[i], g->cost[i], 1, 10) > 0);
    }
}

/* Each kernel can be read, of that operation and layout. */
static void kernels_exist(void **state)
{
    (void)state;
    for (int n = 0; n < KNOWN && rc_kernel_find("gchunk", RC_DEVICE_CUDA); n++) {
        rc_guess_problem_t p = problem(known[n].op, known[n].layout);
        rc_guess_t g;
        rc_guess_kernels(&p, &g);
        check_guess(&p, &g);
        for (int i = 0; i < g.count; i++) {
            rc_kernel_spec_t *spec = NULL;
            int count = 0;
            rc_err_t err = {0};
            if (rc_kernel_specs_parse(
                    g.kernel[i], RC_DEVICE_CUDA, 1u << p.op, 2, &spec, &count, &err) != RC_OK)
                fail_msg("%s: %s", g.kernel[i], err.text);
            assert_int_equal(count, 1);
            assert_true(p.op == RC_OP_SPMV || spec->kernel->layout == p.layout);
            free(spec);
        }
    }
}

/* Sizes of nothing, of one and of the largest; the same problem gives the same guess. */
static void any_size(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 3, 1000, 29999, 30001, 1 << 20, INT32_MAX};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (int n = 0; n < KNOWN * RC_TYPES; n++)
        for (int i = 0; i < SIZES * SIZES * SIZES; i++) {
            rc_guess_problem_t p = problem(known[n % KNOWN].op, known[n % KNOWN].layout);
            rc_guess_t g;
            rc_guess_t again;
            p.value_bytes = rc_type((rc_precision_t)(n / KNOWN))->bytes;
            p.rows = sizes[i % SIZES];
            p.cols = sizes[i / SIZES % SIZES];
            p.k = p.op == RC_OP_SPMV ? 1 : 1 + sizes[i / (SIZES * SIZES)] / 7;
            p.nnz = p.rows > 0 ? p.cols * 3 : 0;
            p.longest = p.nnz < p.cols ? p.nnz : p.cols;
            p.empty_rows = p.rows / 2;
            rc_guess_kernels(&p, &g);
            if (p.layout == RC_COL_MAJOR && rc_guess_ordered(&p)) {
                assert_int_equal(g.count, 0); /* by rank: of those it has seen none */
                continue;
            }
            check_guess(&p, &g);
            rc_guess_kernels(&p, &again);
            assert_int_equal(again.count, g.count);
            for (int j = 0; j < g.count; j++)
                assert_ptr_equal(again.kernel[j], g.kernel[j]);
        }
}

/* What it does not know it leaves to the ranks. */
static void unknown(void **state)
{
    (void)state;
    rc_guess_t g;
    rc_guess_problem_t p = problem(RC_OP_SPMM, RC_ROW_MAJOR);
    p.multiprocessors = 0;
    rc_guess_kernels(&p, &g);
    assert_int_equal(g.count, 0);
    p = problem(RC_OP_SPMM, RC_ROW_MAJOR);
    p.cache_bytes = 0;
    rc_guess_kernels(&p, &g);
    assert_int_equal(g.count, 0);
    assert_int_equal(rc_guess_ordered(&p), 0);
    static const rc_op_t others[] = {RC_OP_SPMM_T, RC_OP_SDDMM};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        p = problem(others[i], RC_ROW_MAJOR);
        p.rows = p.cols = 1 << 20;
        rc_guess_kernels(&p, &g);
        assert_int_equal(g.count, 0);
        assert_int_equal(rc_guess_ordered(&p), 0);
    }
    p = problem(RC_OP_SPMM, RC_COL_ROW);
    rc_guess_kernels(&p, &g);
    assert_int_equal(g.count, 0);
}

/* `auto` from a sixteenth of the last cache on, but for few rows. */
static void where_an_order_may_pay(void **state)
{
    (void)state;
    rc_guess_problem_t p = problem(RC_OP_SPMM, RC_ROW_MAJOR);
    p.rows = 30001;
    p.cols = L2 / 16 / 4 / 32;
    assert_int_equal(rc_guess_ordered(&p), 1);
    p.cols--;
    assert_int_equal(rc_guess_ordered(&p), 0);
    p.cols = INT32_MAX;
    p.rows = 30000;
    assert_int_equal(rc_guess_ordered(&p), 0);
}

/* More products make more preparation worth while: in all, ours and an order win in the end, and
 * the vendor's in the beginning. */
static void totals(void **state)
{
    (void)state;
    static const char vendor[] = "cusparse-csr-row";
    rc_guess_problem_t p = problem(RC_OP_SPMM, RC_ROW_MAJOR);
    assert_true(rc_vendor_is(vendor));
    p.rows = p.cols = 1 << 20;
    p.nnz = 7 << 20;
    assert_true(rc_guess_total(&p, vendor, 0, 0, 1) < rc_guess_total(&p, "gchunk", 0, 0, 1));
    assert_true(rc_guess_total(&p, "gchunk", 0, 0, 1) < rc_guess_total(&p, "gchunk", 0, 1, 1));
    assert_true(rc_guess_total(&p, "gchunk", 0, 0, 1) < rc_guess_total(&p, "gstage", 0, 0, 1));
    assert_true(rc_guess_total(&p, vendor, 0, 0, 1e4) > rc_guess_total(&p, "gchunk", 0, 0, 1e4));
    assert_true(rc_guess_total(&p, "gchunk", 0, 0, 1e4) > rc_guess_total(&p, "gchunk", 0, 1, 1e4));
    assert_true(rc_guess_total(&p, "gchunk", .3, 1, 1e6) > rc_guess_total(&p, "gstage", 0, 1, 1e6));
}

/* The more entries share a load the less a product takes, and never less than launch and one read; unknown elsewhere. */
static void sharing_saves(void **state)
{
    (void)state;
    rc_guess_problem_t p = problem(RC_OP_SPMM, RC_ROW_MAJOR);
    for (p.rows = 1000; p.rows <= 10000000; p.rows *= 100) {
        p.cols = p.rows;
        p.nnz = 9 * p.rows;
        for (double share = 1; share < 64; share *= 2) {
            double ns = rc_guess_shared(&p, share), less = rc_guess_shared(&p, 2 * share);
            assert_true(isfinite(ns) && less <= ns && less > 0);
        }
    }
    rc_guess_problem_t unknown[] = {p, p, p, p, p};
    unknown[0].op = RC_OP_SPMV;
    unknown[1].layout = RC_COL_MAJOR;
    unknown[2].k = 7;
    unknown[3].multiprocessors = 0;
    unknown[4].cache_bytes = 0;
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
        assert_true(isnan(rc_guess_shared(&unknown[i], 2)));
    assert_true(isnan(rc_guess_shared(&p, 0)) && isnan(rc_guess_shared(&p, NAN)));
}

/* Measured on an H200: the dense product over ours, in 1/1000, for K = 64, 512 and 4096. */
static const struct {
    int value_bytes;
    int64_t n;
    int64_t nnz;
    int ratio[3];
} pruned[] = {{2, 2048, 1090519, {297, 169, 119}}, {2, 2048, 398000, {771, 172, 159}},
    {2, 2048, 204000, {1224, 306, 273}}, {2, 8192, 17448304, {149, 84, 120}}, {2, 8192, 6390000, {398, 131, 112}},
    {2, 8192, 3270000, {757, 232, 223}}, {2, 16384, 13088000, {679, 224, 210}}, {4, 2048, 1090519, {509, 617, 643}},
    {4, 2048, 398000, {2046, 1611, 1501}}, {4, 2048, 204000, {3071, 1606, 1510}},
    {4, 8192, 17448304, {359, 579, 447}}, {4, 8192, 6390000, {880, 1477, 1119}},
    {4, 8192, 3270000, {1962, 2656, 2104}}, {4, 16384, 13088000, {2071, 2171, 1982}}};

/* It is chosen where it was faster alone, and where it was twice as fast it is timed at least. */
static void dense_products_as_measured(void **state)
{
    (void)state;
    static const int64_t k[] = {64, 512, 4096};
    int surely = 0;
    for (size_t i = 0; i < sizeof pruned / sizeof *pruned; i++)
        for (int j = 0; j < 3; j++) {
            rc_guess_problem_t p = problem(RC_OP_SPMM, RC_ROW_MAJOR);
            p.value_bytes = pruned[i].value_bytes;
            p.rows = p.cols = pruned[i].n;
            p.nnz = pruned[i].nnz;
            p.k = k[j];
            const double ratio = rc_guess_over_dense(&p);
            surely += ratio >= rc_guess_dense_surely;
            if (ratio >= rc_guess_dense_surely && pruned[i].ratio[j] >= 900)
                fail_msg("%d bytes, %d rows, %d entries, K %d: %g", p.value_bytes, (int)p.rows, (int)p.nnz, (int)p.k, ratio);
            if (pruned[i].ratio[j] <= 500 && ratio < rc_guess_dense_surely)
                fail_msg("%d bytes, %d rows, %d entries, K %d: %g", p.value_bytes, (int)p.rows, (int)p.nnz, (int)p.k, ratio);
        }
    assert_true(surely > 0);
}

/* It is known for some sizes alone, grows with the entries, and is bounded by the full matrix. */
static void dense_products_of_any_size(void **state)
{
    (void)state;
    for (int bytes = 2; bytes <= 16; bytes *= 2)
        for (int64_t n = 128; n <= 1 << 20; n *= 2)
            for (int64_t k = 1; k <= 8192; k *= 2) {
                rc_guess_problem_t p = problem(RC_OP_SPMM, RC_ROW_MAJOR);
                double before = 0;
                p.value_bytes = bytes;
                p.rows = p.cols = n;
                p.k = k;
                for (double density = 1e-4; density <= 1; density *= 10) {
                    p.nnz = (int64_t)(density * (double)n * (double)n);
                    const double ratio = rc_guess_over_dense(&p);
                    const int known_there = bytes <= 4 && n >= 512 && k >= 64;
                    assert_true(isfinite(ratio) && (known_there ? ratio > before : ratio == 0));
                    before = ratio;
                    if (density < 1e-3) /* 99.99 % zeros */
                        assert_true(ratio < rc_guess_dense_maybe);
                    if (bytes == 4 && density < .11)
                        assert_true(ratio < rc_guess_dense_surely);
                    if (known_there)
                        assert_true(rc_guess_total(&p, "cublas-dense", 0, 0, 1) > 0 &&
                                    rc_guess_total(&p, "cublas-dense", 0, 0, 2) > rc_guess_total(&p, "cublas-dense", 0, 0, 1));
                    else
                        assert_true(isinf(rc_guess_total(&p, "cublas-dense", 0, 0, 1)));
                }
            }
    rc_guess_problem_t other = problem(RC_OP_SPMV, RC_COL_MAJOR);
    assert_true(rc_guess_over_dense(&other) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_exist),
        cmocka_unit_test(any_size),
        cmocka_unit_test(unknown),
        cmocka_unit_test(where_an_order_may_pay),
        cmocka_unit_test(totals),
        cmocka_unit_test(sharing_saves),
        cmocka_unit_test(dense_products_as_measured),
        cmocka_unit_test(dense_products_of_any_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
