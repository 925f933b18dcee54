/* Policies with parameters, columns and groups: validity, independence of threads, each against its
 * definition, files and parameters that are wrong. */
#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "order/graph.h"
#include "order/policy.h"
#include "order_matrix.h"
#include "rcm_reference.h"
#include "rowcast_io.h"
#include "scratch.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int available(const char *name)
{
    return rc_policy_find(name) != NULL;
}

/* A square part of a random matrix. */
static void random_square(rc_rng_t *r, int64_t most, rc_csr_t *out)
{
    rc_csr_t a;
    random_matrix(r, most, &a);
    int64_t n = a.rows < a.cols ? a.rows : a.cols;
    unsigned char *flag = calloc((size_t)(n * n) + 1, 1);
    assert_non_null(flag);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = a.row_ptr[i]; e < a.row_ptr[i + 1]; e++)
            if (a.col_idx[e] < n)
                flag[i * n + a.col_idx[e]] = 1;
    matrix_from_flags(flag, n, n, out);
    free(flag);
    free_matrix(&a);
}

/* A graph of several components, hubs among them, its vertices in a random order. */
static void random_graph(rc_rng_t *r, int64_t most, rc_csr_t *out)
{
    int64_t n = 1 + (int64_t)rc_rng_below(r, (uint64_t)most);
    unsigned char *flag = calloc((size_t)(n * n), 1);
    int32_t *name = calloc((size_t)n, sizeof *name);
    assert_non_null(flag);
    assert_non_null(name);
    for (int64_t i = 0; i < n; i++) {
        int64_t j = (int64_t)rc_rng_below(r, (uint64_t)i + 1);
        name[i] = name[j];
        name[j] = (int32_t)i;
    }
    int64_t parts = 1 + (int64_t)rc_rng_below(r, 4);
    int64_t edges = (int64_t)rc_rng_below(r, (uint64_t)(3 * n));
    for (int64_t e = 0; e < edges; e++) {
        int64_t i = (int64_t)rc_rng_below(r, (uint64_t)n);
        int64_t j = (int64_t)rc_rng_below(r, (uint64_t)n);
        if (rc_rng_below(r, 4) == 0)
            j = i % parts; /* a hub of each part */
        if (i % parts != j % parts)
            continue;
        flag[name[i] * n + name[j]] = 1;
        if (rc_rng_below(r, 2))
            flag[name[j] * n + name[i]] = 1;
    }
    matrix_from_flags(flag, n, n, out);
    free(flag);
    free(name);
}

static void expect_permutation(const char *text, const int32_t *x, int64_t n)
{
    unsigned char *seen = calloc((size_t)n + 1, 1);
    assert_non_null(seen);
    for (int64_t p = 0; p < n; p++) {
        if (x[p] < 0 || x[p] >= n || seen[x[p]])
            fail_msg("%s: position %" PRId64 " holds %" PRId32, text, p, x[p]);
        seen[x[p]] = 1;
    }
    free(seen);
}

static void expect_same(const char *text, const rc_schedule_t *x, const rc_schedule_t *y)
{
    assert_int_equal(x->slots, y->slots);
    assert_int_equal(x->cols, y->cols);
    assert_int_equal(x->levels, y->levels);
    if (memcmp(x->row, y->row, (size_t)x->slots * sizeof *x->row) != 0)
        fail_msg("%s: two builds differ", text);
    for (int64_t p = 0; p < x->cols; p++)
        assert_int_equal(x->col[p], y->col[p]);
    for (int l = 0; l < x->levels; l++) {
        assert_int_equal(x->group[l].count, y->group[l].count);
        for (int64_t i = 0; i <= x->group[l].count; i++)
            assert_int_equal(x->group[l].ptr[i], y->group[l].ptr[i]);
    }
}

static const char *const orders[] = {"random", "random:seed=9", "rcm", "bandk",
    "bandk:srs=3:ssrs=0", "bandk:srs=2:ssrs=2:coarsen=band", "blk", "blk:cols=5:hub=9", "pairs",
    "pairs:rows=8:look=2:sim_min=0.1", "amd", "metis", "metis:part=3", "metis:parts=7", "lsh",
    "lsh:siglen=8:size=3:window=0", "lsh-packed", "lsh-packed:siglen=8:size=3:panel=4", "jiang", "jiang:panel=4:col_min=2:tile_min=1:skip_dense=0.5",
    "mincol", "minlabel", "labels", "community", "community:rounds=2", "cells", "cells:size=4:branch=2:rounds=0", "multilevel", "multilevel:size=2:rounds=0", "auto",
    "warp-near", "cta-near:look=1", "hybrid1-near", "hybrid2.1-near", "hybrid2.2-near", "hybrid2.3-near"};
enum { ORDERS = sizeof orders / sizeof *orders };

static void check_order(const char *text, const rc_csr_t *a)
{
    rc_policy_spec_t spec;
    assert_int_equal(rc_policy_spec_parse(text, &spec, NULL), RC_OK);
    rc_schedule_t one = order_of(text, a, 1);
    rc_schedule_t three = order_of(text, a, 3);
    assert_int_equal(one.slots, a->rows);
    expect_permutation(text, one.row, a->rows);
    assert_int_equal(one.cols, spec.policy->columns ? a->cols : 0);
    if (one.cols)
        assert_memory_equal(one.col, one.row, (size_t)one.slots * sizeof *one.row);
    for (int l = 0; l < one.levels; l++) {
        const rc_groups_t *g = &one.group[l];
        assert_int_equal(g->ptr[0], 0);
        assert_int_equal(g->ptr[g->count], l == 0 ? one.slots : one.group[l - 1].count);
        for (int64_t i = 0; i < g->count; i++)
            assert_true(g->ptr[i] < g->ptr[i + 1]);
    }
    expect_same(text, &one, &three);
    rc_schedule_free(&one);
    rc_schedule_free(&three);
}

static void orders_are_valid(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 21);
    for (int round = 0; round < 60; round++) {
        rc_csr_t a;
        if (round % 2)
            random_square(&r, 70, &a);
        else
            random_graph(&r, 70, &a);
        for (int i = 0; i < ORDERS; i++) {
            char name[32];
            (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(orders[i], ":"), orders[i]);
            if (available(name))
                check_order(orders[i], &a);
        }
        free_matrix(&a);
    }
}

/* A matrix of no rows, of one, and one without entries. */
static void small_ones(void **state)
{
    (void)state;
    for (int64_t n = 0; n < 4; n++) {
        unsigned char flag[16] = {0};
        for (int full = 0; full < 2; full++) {
            rc_csr_t a;
            memset(flag, full, sizeof flag);
            matrix_from_flags(flag, n, n, &a);
            for (int i = 0; i < ORDERS; i++) {
                char name[32];
                (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(orders[i], ":"), orders[i]);
                if (available(name))
                    check_order(orders[i], &a);
            }
            free_matrix(&a);
        }
    }
}

static void random_is_uniform(void **state)
{
    (void)state;
    enum { rows = 4, orders_of_4 = 24, per_order = 200, seeds = orders_of_4 * per_order };
    int count[256] = {0};
    rc_csr_t a;
    const unsigned char flag[rows * rows] = {1};
    matrix_from_flags(flag, rows, rows, &a);
    for (int seed = 0; seed < seeds; seed++) {
        char text[64];
        (void)snprintf(text, sizeof text, "random:seed=%d", seed);
        rc_schedule_t s = order_of(text, &a, 1);
        int key = 0;
        for (int p = 0; p < rows; p++)
            key = 4 * key + s.row[p];
        count[key]++;
        rc_schedule_free(&s);
    }
    double chi = 0; /* squared, of 23 degrees of freedom: 49.7 is passed once in 1,000 */
    int found = 0;
    for (int key = 0; key < 256; key++) {
        found += count[key] > 0;
        if (count[key])
            chi += (count[key] - per_order) * (double)(count[key] - per_order) / per_order;
    }
    assert_int_equal(found, orders_of_4);
    assert_true(chi < 49.7);
    free_matrix(&a);
}

/* --------------------------------------------------------------------- rcm */

static void expect_rcm(const rc_csr_t *a)
{
    int32_t *expected = calloc((size_t)a->rows + 1, sizeof *expected);
    assert_non_null(expected);
    rcm_reference(a, expected);
    rc_schedule_t s = order_of("rcm", a, 1);
    for (int64_t p = 0; p < s.slots; p++)
        if (s.row[p] != expected[p])
            fail_msg("%" PRId64 " rows, position %" PRId64 ": expected %" PRId32 ", found %" PRId32,
                a->rows, p, expected[p], s.row[p]);
    free(expected);
    rc_schedule_free(&s);
}

static void rcm_follows_its_definition(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 33);
    for (int round = 0; round < 400; round++) {
        rc_csr_t a;
        if (round % 4 == 0)
            random_square(&r, 40, &a);
        else
            random_graph(&r, 60, &a);
        expect_rcm(&a);
        free_matrix(&a);
    }
}

static int64_t bandwidth(const rc_csr_t *a, const rc_schedule_t *s)
{
    int64_t most = 0;
    int64_t *at = calloc((size_t)a->rows, sizeof *at);
    assert_non_null(at);
    for (int64_t p = 0; p < s->slots; p++)
        at[s->row[p]] = p;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
            int64_t off = at[r] - at[a->col_idx[e]];
            off = off < 0 ? -off : off;
            most = off > most ? off : most;
        }
    free(at);
    return most;
}

/* A shuffled grid of n x n gets a band of about n back. */
static void rcm_finds_the_band(void **state)
{
    (void)state;
    enum { side = 40 };
    rc_csr_t mesh = {0};
    rc_csr_t b = {0};
    rc_err_t err = {0};
    assert_int_equal(rc_generate("mesh2d:n=40", &mesh, NULL, &err), RC_OK);
    rc_schedule_t shuffle = order_of("random:seed=3", &mesh, 1);
    int64_t before = bandwidth(&mesh, &shuffle);
    int32_t *at = calloc((size_t)mesh.rows, sizeof *at);
    rc_triple_t *t = calloc((size_t)mesh.nnz, sizeof *t);
    assert_non_null(at);
    assert_non_null(t);
    for (int64_t p = 0; p < mesh.rows; p++)
        at[shuffle.row[p]] = (int32_t)p;
    for (int64_t r = 0; r < mesh.rows; r++)
        for (int64_t e = mesh.row_ptr[r]; e < mesh.row_ptr[r + 1]; e++)
            t[e] = (rc_triple_t){at[r], at[mesh.col_idx[e]], mesh.val[e]};
    assert_int_equal(
        rc_csr_from_triples(mesh.rows, mesh.cols, t, mesh.nnz, 1, &b, NULL, &err), RC_OK);
    rc_schedule_t s = order_of("rcm", &b, 1);
    assert_true(before > 10 * side);
    assert_true(bandwidth(&b, &s) <= 2 * side);
    free(at);
    free(t);
    rc_schedule_free(&shuffle);
    rc_schedule_free(&s);
    rc_csr_free(&mesh);
    rc_csr_free(&b);
}

/* Very many components: rows alone, and pairs.  A search over all rows for each would not end. */
static void rcm_of_many_components(void **state)
{
    (void)state;
    enum { pairs = 200000 };
    rc_csr_t a;
    assert_int_equal(rc_csr_alloc(3 * pairs, 3 * pairs, pairs, &a, NULL), RC_OK);
    for (int64_t r = 0; r < a.rows; r++)
        a.row_ptr[r + 1] = a.row_ptr[r] + (r < pairs);
    for (int64_t r = 0; r < pairs; r++) {
        a.col_idx[r] = (int32_t)(r + pairs);
        a.val[r] = 1;
    }
    rc_schedule_t s = order_of("rcm", &a, 1);
    expect_permutation("rcm", s.row, a.rows);
    for (int64_t r = 0; r < pairs; r++) { /* pair r, by its smaller vertex; reversed as a whole */
        assert_int_equal(s.row[a.rows - 1 - 2 * r], r);
        assert_int_equal(s.row[a.rows - 2 - 2 * r], r + pairs);
    }
    rc_schedule_free(&s);
    rc_csr_free(&a);
}

/* Real matrices, when the shared data are there: every order, and rcm against its definition. */
static void real_matrices(void **state)
{
    (void)state;
    static const char *const names[] = {"Bai/bfwa398", "HB/494_bus", "HB/lshp_577", "HB/impcol_d",
        "Pajek/GD97_b", "SNAP/email-Eu-core", "YZhou/circuit204", "Gset/G1",
        "MathWorks/Harvard500", "DIMACS10/delaunay_n10"};
    const int64_t most_rows = 600; /* of the brute force */
    int read = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        char path[SCRATCH_PATH];
        rc_csr_t a;
        (void)snprintf(name, sizeof name, "matrices/%s.mtx.xz", names[i]);
        if (!shared_path(name, path) || rc_mtx_read(path, 1, &a, NULL, NULL) != RC_OK)
            continue;
        read++;
        for (int k = 0; k < ORDERS; k++) {
            char policy[32];
            (void)snprintf(policy, sizeof policy, "%.*s", (int)strcspn(orders[k], ":"), orders[k]);
            if (available(policy))
                check_order(orders[k], &a);
        }
        if (a.rows <= most_rows)
            expect_rcm(&a);
        rc_csr_free(&a);
    }
    if (read == 0)
        skip();
}

/* --------------------------------------------------------------- libraries */

/* Two cliques of six rows, interleaved, with one edge between them. */
static void two_cliques(rc_csr_t *a)
{
    enum { n = 12 };
    unsigned char flag[n * n] = {0};
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            flag[i * n + j] = i % 2 == j % 2;
    flag[0 * n + 1] = 1;
    matrix_from_flags(flag, n, n, a);
}

static void expect_halves(const char *text)
{
    rc_csr_t a;
    two_cliques(&a);
    rc_schedule_t s = order_of(text, &a, 1);
    assert_int_equal(s.levels, 1);
    assert_int_equal(s.group[0].count, 2);
    assert_int_equal(s.group[0].ptr[1], 6);
    for (int p = 0; p < 12; p++)
        assert_int_equal(s.row[p] % 2, s.row[p / 6 * 6] % 2);
    for (int p = 1; p < 12; p++)
        if (p != 6)
            assert_true(s.row[p] > s.row[p - 1]); /* in original order inside of a group */
    rc_schedule_free(&s);
    free_matrix(&a);
}

static void partitions_find_what_is_there(void **state)
{
    (void)state;
    if (available("metis"))
        expect_halves("metis:part=6"), expect_halves("metis:parts=2"), expect_halves("metis:part=1:parts=2");
    else
        skip();
}

static void metis_parts_have_their_size(void **state)
{
    (void)state;
    rc_csr_t mesh = {0};
    if (!available("metis"))
        skip();
    assert_int_equal(rc_generate("mesh2d:n=40", &mesh, NULL, NULL), RC_OK);
    rc_schedule_t s = order_of("metis:parts=16", &mesh, 1);
    assert_int_equal(s.group[0].count, 16);
    rc_schedule_free(&s);
    s = order_of("metis:parts=5000", &mesh, 1); /* no more parts than rows */
    rc_schedule_t most = order_of("metis:parts=1600", &mesh, 1);
    expect_same("metis:parts=5000", &s, &most);
    rc_schedule_free(&most);
    rc_schedule_free(&s);
    s = order_of("metis:part=100", &mesh, 1);
    assert_string_equal(s.group[0].name, "part_ptr");
    assert_int_equal(s.group[0].count, 16);
    for (int i = 0; i < 16; i++)
        assert_in_range(s.group[0].ptr[i + 1] - s.group[0].ptr[i], 90, 110);
    rc_schedule_free(&s);
    s = order_of("metis:part=1600", &mesh, 1);
    assert_int_equal(s.group[0].count, 1);
    for (int64_t p = 0; p < s.slots; p++)
        assert_int_equal(s.row[p], p);
    rc_schedule_free(&s);
    rc_csr_free(&mesh);
}

/* Eliminating the hub of a star last makes no fill. */
static void amd_keeps_the_hub_for_last(void **state)
{
    (void)state;
    enum { n = 50, hub = 17 };
    unsigned char *flag = calloc(n * n, 1);
    rc_csr_t a;
    if (!available("amd")) {
        free(flag);
        skip();
    }
    assert_non_null(flag);
    for (int i = 0; i < n; i++)
        flag[i * n + i] = flag[hub * n + i] = 1; /* half of it: A + A' has the rest */
    matrix_from_flags(flag, n, n, &a);
    rc_schedule_t s = order_of("amd", &a, 1);
    assert_true(s.row[n - 1] == hub || s.row[n - 2] == hub);
    rc_schedule_free(&s);
    free_matrix(&a);
    free(flag);
}

static void not_for_other_shapes(void **state)
{
    (void)state;
    const unsigned char flag[6] = {1, 0, 1, 0, 1, 0};
    static const char *const square_only[] = {"rcm", "bandk", "amd", "metis"};
    rc_csr_t a;
    matrix_from_flags(flag, 2, 3, &a);
    for (size_t i = 0; i < sizeof square_only / sizeof *square_only; i++) {
        rc_schedule_t s = {0};
        rc_err_t err = {0};
        if (!available(square_only[i]))
            continue;
        assert_int_equal(rc_order_build(square_only[i], &a, NULL, 1, &s, &err), RC_ENOTSUP);
        if (!strstr(err.text, "square matrix, this one is 2 x 3"))
            fail_msg("%s: %s", square_only[i], err.text);
        assert_null(s.row);
    }
    check_order("random", &a);
    free_matrix(&a);
}

/* -------------------------------------------------------------- parameters */

static void specs(void **state)
{
    (void)state;
    static const refused_order_t bad[] = {
        {"random:seed=-1", RC_ERANGE, "order random: seed"},
        {"random:seed=1:seed=2", RC_EINVAL, "seed is given twice"},
        {"random:sed=1", RC_EINVAL, "did you mean 'seed'"},
        {"lpt:seed=1", RC_EINVAL, "order lpt: it has no parameters"},
        {"csrr", RC_ENOENT, "did you mean 'csr'"},
        {"file", RC_EINVAL, "order file: rows is missing"},
        {"file:/there/is/no/such", RC_EIO, "/there/is/no/such: cannot open"},
    };
    rc_policy_spec_t s;
    char text[RC_POLICY_TEXT];
    assert_int_equal(rc_policy_spec_parse("random", &s, NULL), RC_OK);
    rc_policy_spec_text(&s, text);
    assert_string_equal(text, "random:seed=1");
    assert_int_equal(rc_policy_spec_parse("lpt", &s, NULL), RC_OK);
    rc_policy_spec_text(&s, text);
    assert_string_equal(text, "lpt");
    expect_refused(bad, sizeof bad / sizeof *bad);
    for (int i = 0; rc_policies_absent[i].name; i++) {
        rc_err_t err = {0};
        assert_int_equal(rc_policy_spec_parse(rc_policies_absent[i].name, &s, &err), RC_ENOTSUP);
        assert_non_null(strstr(err.text, rc_policies_absent[i].reason));
    }
}

static void lists(void **state)
{
    (void)state;
    rc_policy_spec_t *l = NULL;
    int n = 0;
    rc_err_t err = {0};
    assert_int_equal(rc_policy_specs_parse("all", 64, &l, &n, &err), RC_OK);
    assert_int_equal(n, 11);
    free(l);
    assert_int_equal(
        rc_policy_specs_parse("csr,hybrid2*,random:seed=3..5", 64, &l, &n, &err), RC_OK);
    assert_int_equal(n, 7);
    assert_string_equal(l[6].params, "seed=5");
    free(l);
    assert_int_equal(rc_policy_specs_parse("random,random:seed=1", 64, &l, &n, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "named twice"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_valid),
        cmocka_unit_test(small_ones),
        cmocka_unit_test(random_is_uniform),
        cmocka_unit_test(rcm_follows_its_definition),
        cmocka_unit_test(rcm_finds_the_band),
        cmocka_unit_test(rcm_of_many_components),
        cmocka_unit_test(real_matrices),
        cmocka_unit_test(partitions_find_what_is_there),
        cmocka_unit_test(metis_parts_have_their_size),
        cmocka_unit_test(amd_keeps_the_hub_for_last),
        cmocka_unit_test(not_for_other_shapes),
        cmocka_unit_test(specs),
        cmocka_unit_test(lists),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
