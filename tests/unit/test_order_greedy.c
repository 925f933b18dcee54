/* The greedy policies, slot by slot, against the definition. */
#include "config.h"
#include "unit.h"

#include "order_matrix.h"
#include "order_reference.h"
#include "order/greedy.h"
#include "order/nearest_parts.h"
#include "order/policy.h"
#include "base/str.h"
#include "rowcast_io.h"
#include "sparse/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The rules again, so that the search can be tuned; that the policies use the same ones follows
 * from comparing them with the reference, too. */
static const struct {
    const char *name;
    rc_greedy_rule_t rule;
} greedy[] = {
    {"warp", {.by_warp = 1, .tie = RC_NEAREST_INDEX}},
    {"cta", {.tie = RC_NEAREST_INDEX}},
    {"hybrid1", {.within_load = 1, .tie = RC_NEAREST_INDEX}},
    {"hybrid2.1", {.tie = RC_NEAREST_LOAD}},
    {"hybrid2.2", {.tie = RC_NEAREST_SECOND}},
    {"hybrid2.3", {.by_warp = 1, .tie = RC_NEAREST_LOAD}},
};
enum { greedy_count = sizeof greedy / sizeof *greedy };

static void same(const char *name, const char *how, const rc_csr_t *a, const rc_geometry_t *g,
    const rc_schedule_t *s, const int32_t *expected)
{
    assert_int_equal(s->slots, a->rows);
    for (int64_t p = 0; p < s->slots; p++)
        if (s->row[p] != expected[p])
            fail_msg("%s (%s), %ld x %ld, nw %d nt %d line %d: slot %ld: expected %d, found %d",
                name, how, (long)a->rows, (long)a->cols, g->nw, g->nt, g->line, (long)p,
                expected[p], s->row[p]);
}

static void tuned(int which, const char *how, int64_t dense_lines, const rc_csr_t *a,
    const rc_geometry_t *g, const int32_t *expected)
{
    rc_err_t err = {0};
    rc_schedule_t s = {0};
    _Atomic int64_t placed = 0;
    const rc_order_input_t in = {.a = a, .geometry = g, .threads = 1, .watch.placed = &placed};
    assert_int_equal(rc_greedy_build(&in, &greedy[which].rule, dense_lines, &s, &err), RC_OK);
    if (a->rows > g->nw)
        assert_int_equal(placed, a->rows);
    same(greedy[which].name, how, a, g, &s, expected);
    rc_schedule_free(&s);
}

/* The search as the policies run it. */
static void by_cost(const rc_csr_t *a, const rc_geometry_t *g)
{
    int32_t *expected = malloc(((size_t)a->rows + 1) * sizeof *expected);
    assert_non_null(expected);
    for (int k = 0; k < greedy_count; k++) {
        rc_err_t err = {0};
        rc_schedule_t s = {0};
        assert_true(reference_order(greedy[k].name, a, g, expected));
        assert_int_equal(rc_order_build(greedy[k].name, a, g, 2, &s, &err), RC_OK);
        same(greedy[k].name, "by cost", a, g, &s, expected);
        rc_schedule_free(&s);
    }
    free(expected);
}

/* Every path of the search over one matrix. */
static void all_paths(const rc_csr_t *a, const rc_geometry_t *g)
{
    int32_t *expected = malloc(((size_t)a->rows + 1) * sizeof *expected);
    assert_non_null(expected);
    for (int k = 0; k < greedy_count; k++) {
        rc_err_t err = {0};
        rc_schedule_t s = {0};
        assert_true(reference_order(greedy[k].name, a, g, expected));
        assert_int_equal(rc_order_build(greedy[k].name, a, g, 2, &s, &err), RC_OK);
        same(greedy[k].name, "by cost", a, g, &s, expected);
        rc_schedule_free(&s);
        tuned(k, "lists only", 0, a, g, expected);
        tuned(k, "1 dense line", 1, a, g, expected);
        tuned(k, "5 dense lines", 5, a, g, expected);
        tuned(k, "70 dense lines", 70, a, g, expected);
        tuned(k, "dense lines only", INT64_MAX, a, g, expected);
    }
    free(expected);
}

static void small_matrices_follow_the_definition(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 20210601);
    for (int round = 0; round < 600; round++) {
        rc_csr_t a;
        random_matrix(&r, 60, &a);
        rc_geometry_t g = random_geometry(&r);
        all_paths(&a, &g);
        free_matrix(&a);
    }
}

/* Enough rows for lists to be compacted and the scan to be laid out again. */
static void larger_matrices_follow_the_definition(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 11);
    for (int round = 0; round < 12; round++) {
        rc_csr_t a;
        random_matrix(&r, 600, &a);
        rc_geometry_t g = random_geometry(&r);
        all_paths(&a, &g);
        free_matrix(&a);
    }
}

static void popcount_variants_agree(void **state)
{
    (void)state;
    enum { blocks = 5, words = 9 };
    static uint64_t scan[blocks * words * RC_NEAREST_BLOCK];
    uint64_t ref[words];
    uint64_t out[blocks * RC_NEAREST_BLOCK];
    for (size_t i = 0; i < sizeof scan / sizeof *scan; i++)
        scan[i] = rc_rng_hash(3, i);
    for (size_t i = 0; i < words; i++)
        ref[i] = rc_rng_hash(4, i);
    for (int variant = 0; variant < 3; variant++) {
        if (!rc_nearest_variant(variant))
            continue;
        rc_nearest_variant(variant)(scan, blocks, words, ref, out);
        for (int s = 0; s < blocks * RC_NEAREST_BLOCK; s++) {
            uint64_t expected = 0;
            for (int w = 0; w < words; w++)
                for (int b = 0; b < 64; b++) {
                    uint64_t x = scan[(s / RC_NEAREST_BLOCK * words + w) * RC_NEAREST_BLOCK +
                                      s % RC_NEAREST_BLOCK];
                    expected += (x ^ ref[w]) >> b & 1;
                }
            assert_true(out[s] == expected);
        }
    }
}

/* Real matrices, when the shared data are there: each group's smaller ones. */
static void real_matrices_follow_the_definition(void **state)
{
    (void)state;
    static const char *const names[] = {"Bai/bfwa398", "Bai/bfwa782", "HB/bcsstk05", "HB/494_bus",
        "HB/662_bus", "HB/impcol_d", "SNAP/email-Eu-core", "YZhou/circuit204", "HB/lshp_577",
        "Pajek/GD97_b", "JGD_Trefethen/Trefethen_300", "Mycielski/mycielskian9",
        "LPnetlib/lp_25fv47", "DIMACS10/delaunay_n10", "LPnetlib/lp_share1b", "PARSEC/Si2",
        "VDOL/dynamicSoaringProblem_1", "Gset/G1", "TOKAMAK/utm300", "MathWorks/Harvard500"};
    const rc_geometry_t geometries[] = {{32, 32, 32}, {2, 16, 16}};
    const int64_t most_rows = 1500;
    const char *shared = getenv("ROWCAST_SHARED");
    const char *top = getenv("top_srcdir");
    rc_str_t base = {0};
    if (shared)
        rc_str_add(&base, shared);
    else
        rc_str_addf(&base, "%s/../shared", top ? top : ".");
    int compared = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        rc_str_t path = {0};
        rc_csr_t a;
        rc_str_addf(&path, "%s/matrices/%s.mtx.xz", base.text, names[i]);
        assert_false(path.failed || base.failed);
        rc_status_t st = rc_mtx_read(path.text, 1, &a, NULL, NULL);
        rc_str_free(&path);
        if (st != RC_OK)
            continue;
        for (size_t g = 0; g < 2 && a.rows <= most_rows; g++)
            by_cost(&a, &geometries[g]);
        compared += a.rows <= most_rows;
        rc_csr_free(&a);
    }
    rc_str_free(&base);
    if (compared == 0)
        skip();
    print_message("# %d real matrices\n", compared);
}

typedef struct patience {
    int64_t questions;
    int64_t most; /* the last one of them is answered with yes; 0: none is */
} patience_t;

static int stop_at_last(void *user)
{
    patience_t *p = user;
    return ++p->questions == p->most;
}

/* An order that takes long is given up soon after it is asked to be, and has asked often enough. */
static void builds_end_when_asked(void **state)
{
    (void)state;
    enum { least = 8 };
    const rc_geometry_t g = {4, 32, 32};
    rc_csr_t a = {0};
    assert_int_equal(rc_generate("uniform:n=4000,mean=6", &a, NULL, NULL), RC_OK);
    for (int k = 0; k < 2 * greedy_count; k++) {
        char text[64];
        rc_policy_spec_t spec;
        rc_schedule_t s = {0};
        rc_err_t err = {0};
        patience_t all = {0};
        patience_t some = {.most = 3};
        const rc_order_watch_t watch_all = {.stop = stop_at_last, .user = &all};
        const rc_order_watch_t watch_some = {.stop = stop_at_last, .user = &some};
        snprintf(text, sizeof text, "%s%s", greedy[k / 2].name, k % 2 ? "-near" : "");
        assert_int_equal(rc_policy_spec_parse(text, &spec, NULL), RC_OK);
        assert_int_equal(rc_policy_build(&spec, &a, &g, 1, &watch_all, &s, NULL), RC_OK);
        rc_schedule_free(&s);
        if (all.questions < least)
            fail_msg("%s asked %ld times", text, (long)all.questions);
        assert_int_equal(rc_policy_build(&spec, &a, &g, 1, &watch_some, &s, &err), RC_EINTR);
        assert_int_equal(some.questions, some.most);
        assert_null(s.row);
    }
    rc_csr_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_matrices_follow_the_definition),
        cmocka_unit_test(larger_matrices_follow_the_definition),
        cmocka_unit_test(real_matrices_follow_the_definition),
        cmocka_unit_test(popcount_variants_agree),
        cmocka_unit_test(builds_end_when_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
