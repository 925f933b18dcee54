/* Band-k: slot by slot as its definition, groups that fill where graphs are hard, renumbered products. */
#include "config.h"
#include "unit.h"

#include "bandk_reference.h"
#include "base/error.h"
#include "failing_alloc.h"
#include "order/graph.h"
#include "order/policy.h"
#include "order_matrix.h"
#include "rowcast_io.h"
#include "scratch.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A matrix of random edges in up to four parts, of hubs, and of rows without entries. */
static void random_graph(rc_rng_t *r, int64_t most, rc_csr_t *out)
{
    int64_t n = 1 + (int64_t)rc_rng_below(r, (uint64_t)most);
    unsigned char *flag = calloc((size_t)(n * n), 1);
    assert_non_null(flag);
    int64_t parts = 1 + (int64_t)rc_rng_below(r, 4);
    int64_t edges = (int64_t)rc_rng_below(r, (uint64_t)(4 * n));
    int64_t hub = (int64_t)rc_rng_below(r, (uint64_t)n);
    for (int64_t e = 0; e < edges; e++) {
        int64_t i = (int64_t)rc_rng_below(r, (uint64_t)n);
        int64_t j = rc_rng_below(r, 3) ? (int64_t)rc_rng_below(r, (uint64_t)n) : hub;
        if (rc_rng_below(r, 3) == 0)
            j = i + 1 < n ? i + 1 : 0;
        if (i % parts != j % parts)
            continue;
        flag[i * n + j] = 1;
        if (rc_rng_below(r, 2))
            flag[j * n + i] = 1;
    }
    matrix_from_flags(flag, n, n, out);
    free(flag);
}

static void expect_reference(const rc_csr_t *a, int srs, int ssrs, int band, int threads)
{
    char text[64];
    (void)snprintf(text, sizeof text, "bandk:srs=%d:ssrs=%d:coarsen=%s", srs, ssrs,
        band ? "band" : "heavy");
    bandk_reference_t expected;
    bandk_reference(a, srs, ssrs, band, &expected);
    rc_schedule_t s = order_of(text, a, threads);
    for (int64_t p = 0; p < s.slots; p++)
        if (s.row[p] != expected.order[p])
            fail_msg("%s, %" PRId64 " rows, slot %" PRId64 ": expected %" PRId32 ", found %" PRId32,
                text, a->rows, p, expected.order[p], s.row[p]);
    assert_memory_equal(s.row, s.col, (size_t)s.slots * sizeof *s.row);
    assert_int_equal(s.levels, ssrs > 0 ? 2 : 1);
    for (int l = 0; l < s.levels; l++) {
        assert_string_equal(s.group[l].name, l == 0 ? "sr_ptr" : "ssr_ptr");
        assert_int_equal(s.group[l].count, expected.groups[l]);
        for (int64_t i = 0; i <= s.group[l].count; i++) {
            assert_int_equal(s.group[l].ptr[i], expected.ptr[l][i]);
            if (i > 0)
                assert_in_range(s.group[l].ptr[i] - s.group[l].ptr[i - 1], 1, l == 0 ? srs : ssrs);
        }
    }
    rc_schedule_free(&s);
    bandk_reference_free(&expected);
}

static void follows_its_definition(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 3, 4, 5, 8, 13, 1000};
    rc_rng_t r;
    rc_rng_seed(&r, 77);
    for (int round = 0; round < 200; round++) {
        rc_csr_t a;
        random_graph(&r, round % 10 ? 30 : 60, &a);
        int srs = sizes[rc_rng_below(&r, 8)];
        int ssrs = round % 3 ? sizes[rc_rng_below(&r, 8)] : 0;
        expect_reference(&a, srs, ssrs, round % 2, 1 + round % 3);
        free_matrix(&a);
    }
}

static void real_matrices(void **state)
{
    (void)state;
    static const char *const names[] = {"Bai/bfwa62", "Bai/bfwb62", "Bai/ck104", "Bai/rw136", "Bai/tols90",
        "DIMACS10/chesapeake", "HB/arc130", "HB/ash85", "HB/bcsstk01", "HB/bcsstk02", "HB/bcsstk03",
        "HB/bcsstk04", "HB/bcsstm01", "HB/bcsstm04", "HB/bcsstm22", "HB/curtis54", "HB/dwt_59", "HB/dwt_66",
        "HB/dwt_72", "HB/dwt_87", "HB/gent113", "HB/ibm32", "HB/impcol_b", "HB/impcol_c", "HB/jgl009",
        "HB/lap_25", "HB/nos4", "HB/steam3", "HB/will57", "Hamrle/Hamrle1", "JGD_Homology/n3c6-b1"};
    int read = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        char path[SCRATCH_PATH];
        rc_csr_t a;
        (void)snprintf(name, sizeof name, "matrices/%s.mtx.xz", names[i]);
        if (!shared_path(name, path) || rc_mtx_read(path, 1, &a, NULL, NULL) != RC_OK)
            continue;
        read++;
        expect_reference(&a, i % 3 ? 8 : 4, i % 2 ? 8 : 0, i % 5 == 0, 2);
        rc_csr_free(&a);
    }
    if (read == 0)
        skip();
}

/* ------------------------------------------------------------ hard matrices */

/* Rows r with an entry in column first(r), of n rows; a negative column is no entry. */
static void one_entry_rows(int64_t n, int64_t (*first)(int64_t r), rc_csr_t *out)
{
    assert_int_equal(rc_csr_alloc(n, n, n, out, NULL), RC_OK);
    int64_t e = 0;
    for (int64_t r = 0; r < n; r++) {
        if (first(r) >= 0) {
            out->val[e] = 1;
            out->col_idx[e++] = (int32_t)first(r);
        }
        out->row_ptr[r + 1] = e;
    }
    out->nnz = e;
}

static int64_t to_hub(int64_t r)
{
    (void)r;
    return 0;
}

static int64_t to_next(int64_t r)
{
    return r > 0 ? r - 1 : -1;
}

static int64_t to_itself(int64_t r)
{
    return r;
}

static int64_t nowhere(int64_t r)
{
    (void)r;
    return -1;
}

/* A star, a path, a diagonal and no entries at all: nearly every group is full. */
static void groups_fill(void **state)
{
    (void)state;
    enum { rows = 1000000 };
    int64_t (*const shapes[])(int64_t) = {to_hub, to_next, to_itself, nowhere};
    static const char *const orders[] = {"bandk", "bandk:coarsen=band"};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        rc_csr_t a;
        one_entry_rows(rows, shapes[i], &a);
        for (size_t k = 0; k < sizeof orders / sizeof *orders; k++) {
            rc_schedule_t s = order_of(orders[k], &a, 2);
            assert_in_range(s.group[0].count, rows / 8, rows / 8 + 1);
            assert_in_range(s.group[1].count, rows / 64, rows / 64 + 2);
            rc_schedule_free(&s);
        }
        rc_csr_free(&a);
    }
}

/* A clique, full rows, and groups of more rows than there are. */
static void hard_ones_are_the_reference(void **state)
{
    (void)state;
    static const char *const specs[] = {"block:n=48,size=48", "arrow:n=200", "mesh2d:n=7"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        for (int band = 0; band < 2; band++) {
            rc_csr_t a = {0};
            assert_int_equal(rc_generate(specs[i], &a, NULL, NULL), RC_OK);
            expect_reference(&a, 8, 8, band, 2);
            expect_reference(&a, 2, 3, band, 2); /* the graph of groups is large, the pattern symmetric */
            expect_reference(&a, 1000, 0, band, 2);
            expect_reference(&a, 1000, 1000, band, 2);
            rc_csr_free(&a);
        }
}

static void does_not_depend_on_threads(void **state)
{
    (void)state;
    rc_csr_t a = {0};
    assert_int_equal(rc_generate("rmat:scale=15,edges=4", &a, NULL, NULL), RC_OK);
    rc_schedule_t one = order_of("bandk", &a, 1);
    rc_schedule_t four = order_of("bandk", &a, 4);
    assert_memory_equal(one.row, four.row, (size_t)one.slots * sizeof *one.row);
    for (int l = 0; l < 2; l++) {
        assert_int_equal(one.group[l].count, four.group[l].count);
        assert_memory_equal(one.group[l].ptr, four.group[l].ptr,
            (size_t)(one.group[l].count + 1) * sizeof *one.group[l].ptr);
    }
    rc_schedule_free(&one);
    rc_schedule_free(&four);
    rc_csr_free(&a);
}

/* ----------------------------------------------------------------- products */

/* (P A P') (P x) = P (A x), exactly, of whole numbers. */
static void products_are_renumbered(void **state)
{
    (void)state;
    static const char *const orders[] = {"rcm", "bandk:srs=3:ssrs=2", "bandk:srs=4:ssrs=0:coarsen=band"};
    rc_rng_t r;
    rc_rng_seed(&r, 78);
    for (int round = 0; round < 60; round++) {
        rc_csr_t a;
        rc_csr_t b = {0};
        double x[70];
        random_graph(&r, 70, &a);
        for (int64_t e = 0; e < a.nnz; e++)
            a.val[e] = (double)rc_rng_below(&r, 100) - 50;
        for (int64_t c = 0; c < a.cols; c++)
            x[c] = (double)rc_rng_below(&r, 100) - 50;
        rc_schedule_t s = order_of(orders[round % 3], &a, 1);
        assert_int_equal(rc_csr_renumber_columns(&a, s.col, &b, NULL), RC_OK);
        for (int64_t p = 0; p < s.slots; p++) {
            double expected = 0;
            double found = 0;
            for (int64_t e = a.row_ptr[s.row[p]]; e < a.row_ptr[s.row[p] + 1]; e++)
                expected += a.val[e] * x[a.col_idx[e]];
            for (int64_t e = b.row_ptr[s.row[p]]; e < b.row_ptr[s.row[p] + 1]; e++)
                found += b.val[e] * x[s.col[b.col_idx[e]]];
            assert_true(expected == found);
        }
        rc_schedule_free(&s);
        rc_csr_free(&b);
        free_matrix(&a);
    }
}

/* Every allocation fails once: an error each time, and nothing is left behind. */
static void memory_that_fails(void **state)
{
    (void)state;
    static const char *const orders[] = {"rcm", "bandk:srs=3:ssrs=2", "bandk:srs=3:ssrs=0:coarsen=band"};
    rc_csr_t a = {0};
    assert_int_equal(rc_generate("rmat:scale=6,edges=2", &a, NULL, NULL), RC_OK);
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        rc_policy_spec_t spec;
        assert_int_equal(rc_policy_spec_parse(orders[i], &spec, NULL), RC_OK);
        int failed = 1;
        for (long n = 0; failed; n++) {
            rc_schedule_t s = {0};
            rc_order_stages_t stages = {.coarse = {0}};
            failing_alloc_set(n);
            rc_status_t st = rc_policy_build(&spec, &a, NULL, 1, NULL, &s, NULL);
            if (st == RC_OK && spec.policy->stages)
                st = rc_policy_stages(&spec, &a, NULL, 1, &stages, NULL);
            failed = failing_alloc_happened();
            failing_alloc_set(-1);
            assert_int_equal(st, failed ? RC_ENOMEM : RC_OK);
            rc_schedule_free(&s);
            rc_order_stages_free(&stages);
        }
    }
    rc_csr_free(&a);
}

/* What an order takes at once, over the pattern of A + A' without its diagonal. */
static double memory_over_pattern(const char *order, const rc_csr_t *a)
{
    rc_graph_t g;
    assert_int_equal(rc_graph_build(a, &g, NULL), RC_OK);
    double pattern = (double)g.ptr[g.n] * sizeof *g.adj + ((double)g.n + 1) * sizeof *g.ptr;
    rc_graph_free(&g);
    failing_alloc_count();
    rc_schedule_t s = order_of(order, a, 1);
    double peak = (double)failing_alloc_peak();
    rc_schedule_free(&s);
    return peak / pattern;
}

/* Random graphs are the hard ones: groups have as many neighbours as all their members together. */
static void memory_has_a_bound(void **state)
{
    (void)state;
    static const char *const orders[] = {"rcm", "bandk", "bandk:coarsen=band", "bandk:srs=24", "bandk:ssrs=0"};
    static const char *const matrices[] = {"uniform:n=200000,mean=6", "rmat:scale=15,edges=16",
        "mesh2d:n=200,shuffle=both", "mesh3d:n=20,points=27", "road:n=50000"};
    const double most = 3;
    for (size_t m = 0; m < sizeof matrices / sizeof *matrices; m++) {
        rc_csr_t a = {0};
        assert_int_equal(rc_generate(matrices[m], &a, NULL, NULL), RC_OK);
        for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
            double found = memory_over_pattern(orders[i], &a);
            if (!(found > 1 && found <= most))
                fail_msg("%s of %s takes %.2f patterns of A + A', at most %g expected", orders[i], matrices[m], found, most);
        }
        rc_csr_free(&a);
    }
}

static void parameters(void **state)
{
    (void)state;
    static const refused_order_t bad[] = {
        {"bandk:srs=0", RC_ERANGE, "order bandk: srs"},
        {"bandk:ssrs=-1", RC_ERANGE, "order bandk: ssrs"},
        {"bandk:coarsen=light", RC_EINVAL, "heavy"},
    };
    rc_policy_spec_t s;
    assert_int_equal(rc_policy_spec_parse("bandk:srs=12", &s, NULL), RC_OK);
    assert_string_equal(s.params, "srs=12:ssrs=8:coarsen=heavy");
    expect_refused(bad, sizeof bad / sizeof *bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(follows_its_definition),
        cmocka_unit_test(real_matrices),
        cmocka_unit_test(groups_fill),
        cmocka_unit_test(hard_ones_are_the_reference),
        cmocka_unit_test(does_not_depend_on_threads),
        cmocka_unit_test(products_are_renumbered),
        cmocka_unit_test(memory_that_fails),
        cmocka_unit_test(memory_has_a_bound),
        cmocka_unit_test(parameters),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
