/* The orders lsh and jiang: against a second, slow implementation, by hand, and what must always hold. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "lsh_reference.h"
#include "order/policy.h"
#include "order_matrix.h"
#include "real_names.h"
#include "rowcast_io.h"
#include "scratch.h"
#include "sparse/csr.h"
#include "sparse/generate.h"
#include "sparse/tiles.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const rc_lsh_rule_t usual = {128, 2, 256, 1, 8, 256, NAN};

static rc_schedule_t order(
    const rc_csr_t *a, const rc_lsh_rule_t *rule, int threads, rc_lsh_facts_t *facts)
{
    rc_schedule_t s = {0};
    rc_err_t err = {0};
    rc_lsh_t l = {.a = a, .rule = rule, .threads = threads};
    if (rc_lsh_schedule(&l, &s, &err) < 0)
        fail_msg("%s", err.text);
    if (facts)
        *facts = l.facts;
    assert_int_equal(rc_schedule_fits(&s, a, NULL), RC_OK);
    assert_int_equal(s.slots, a->rows);
    return s;
}

static void expect_facts(const char *what, const rc_lsh_facts_t *x, const rc_lsh_facts_t *y)
{
    const int64_t want[] = {x->units, x->candidates, x->pairs, x->bands, x->clusters, x->largest};
    const int64_t got[] = {y->units, y->candidates, y->pairs, y->bands, y->clusters, y->largest};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        if (want[i] != got[i])
            fail_msg(
                "%s: fact %zu: expected %" PRId64 ", found %" PRId64, what, i, want[i], got[i]);
}

static void check(const char *what, const rc_csr_t *a, const rc_lsh_rule_t *rule)
{
    static const int threads[] = {1, 2, 7};
    rc_lsh_facts_t want;
    rc_lsh_facts_t got;
    int32_t *row = calloc((size_t)a->rows + 1, sizeof *row);
    assert_non_null(row);
    lsh_reference(a, rule, row, &want);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        rc_schedule_t s = order(a, rule, threads[i], &got);
        expect_facts(what, &want, &got);
        for (int64_t p = 0; p < s.slots; p++)
            if (s.row[p] != row[p])
                fail_msg("%s: %d threads, slot %" PRId64 ": expected row %d, found %d", what, threads[i], p,
                    (int)row[p], (int)s.row[p]);
        rc_schedule_free(&s);
    }
    free(row);
}

/* ----------------------------------------------------------------- reference */

static rc_lsh_rule_t random_rule(rc_rng_t *r)
{
    static const int64_t bsize[] = {1, 2, 3, 4, 5};
    static const int64_t size[] = {1, 2, 3, 5, 16, 256};
    static const int64_t window[] = {0, 1, 2, 8};
    static const int64_t pair_max[] = {0, 1, 2, 256};
    static const double least[] = {NAN, 0, 0.3, 1};
    rc_lsh_rule_t rule = {.bsize = bsize[rc_rng_below(r, 5)],
        .size = size[rc_rng_below(r, 6)],
        .seed = (int64_t)rc_rng_below(r, 1000),
        .window = window[rc_rng_below(r, 4)],
        .pair_max = pair_max[rc_rng_below(r, 4)],
        .sim_min = least[rc_rng_below(r, 4)]};
    rule.siglen = rule.bsize * (1 + (int64_t)rc_rng_below(r, 8));
    return rule;
}

static void random_matrices(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 20);
    for (int round = 0; round < 200; round++) {
        rc_csr_t a;
        char what[32];
        (void)snprintf(what, sizeof what, "random %d", round);
        random_matrix(&r, 45, &a);
        for (int k = 0; k < 4; k++) {
            const rc_lsh_rule_t rule = random_rule(&r);
            check(what, &a, &rule);
        }
        free_matrix(&a);
    }
}

static void real_matrices(void **state)
{
    (void)state;
    int read = 0;
    for (size_t i = 0; i < REAL_NAMES; i++) {
        char name[64];
        char path[SCRATCH_PATH];
        rc_csr_t a;
        (void)snprintf(name, sizeof name, "matrices/%s.mtx.xz", real_names[i]);
        if (!shared_path(name, path) || rc_mtx_read(path, 1, &a, NULL, NULL) != RC_OK)
            continue;
        read++;
        check(real_names[i], &a, &usual);
        rc_csr_free(&a);
    }
    if (read == 0)
        skip();
}

/* Large enough for a team, and for every way to find a hash; buckets longer than the window. */
static void threads_change_nothing(void **state)
{
    (void)state;
    static const char *const specs[] = {"rmat:scale=14,edges=20", "block:n=30000,size=8,between=1",
        "uniform:n=60000,cols=1000,mean=5", "uniform:n=60000,cols=900000,mean=5"};
    static const rc_lsh_rule_t rule = {24, 3, 20, 3, 4, 256, 0.2};
    int64_t largest = 0;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a = {0};
        rc_lsh_facts_t one;
        rc_err_t err = {0};
        if (rc_generate(specs[i], &a, NULL, &err) < 0)
            fail_msg("%s", err.text);
        rc_schedule_t s = order(&a, &rule, 1, &one);
        assert_in_range(one.largest, 1, 2 * rule.size - 2);
        largest = one.largest > largest ? one.largest : largest;
        for (int threads = 2; threads <= 7; threads += 5) {
            rc_lsh_facts_t many;
            rc_schedule_t t = order(&a, &rule, threads, &many);
            expect_facts(specs[i], &one, &many);
            assert_memory_equal(s.row, t.row, (size_t)s.slots * sizeof *s.row);
            rc_schedule_free(&t);
        }
        rc_schedule_free(&s);
        rc_csr_free(&a);
    }
    assert_true(largest >= rule.size);
}

/* ------------------------------------------------------------------- by hand */

/* Jiang et al., figures 1 and 6: pairs (0, 4) and (2, 4). */
static void the_example_of_the_paper(void **state)
{
    (void)state;
    static const unsigned char flag[36] = {1, 0, 0, 0, 1, 0, /* */
        0, 0, 1, 1, 0, 1,                                    /* */
        0, 1, 0, 0, 1, 0,                                    /* */
        0, 0, 0, 0, 0, 1,                                    /* */
        1, 0, 0, 1, 1, 0,                                    /* */
        0, 1, 1, 0, 0, 0};
    rc_csr_t a;
    rc_lsh_t s = {.a = &a, .rule = &usual, .threads = 1};
    matrix_from_flags(flag, 6, 6, &a);
    assert_int_equal(rc_lsh_units(&s, NULL), RC_OK);
    assert_int_equal(s.units.count, 6);
    assert_int_equal(rc_pair_set_reserve(&s.seen, 2, NULL), RC_OK);
    assert_int_equal(rc_pair_list_reserve(&s.list, 2, NULL), RC_OK);
    s.list.pair[0] = (rc_ranked_t){rc_pair_key(1.0 / 4), rc_pair(4, 2)};
    s.list.pair[1] = (rc_ranked_t){rc_pair_key(2.0 / 3), rc_pair(0, 4)};
    s.list.count = 2;
    for (int i = 0; i < 2; i++)
        assert_int_equal(rc_pair_set_add(&s.seen, s.list.pair[i].tie), 1);
    assert_int_equal(rc_lsh_merge(&s, NULL), RC_OK);
    static const int32_t parent[] = {0, 1, 0, 3, 0, 5};
    for (int r = 0; r < 6; r++)
        assert_int_equal(s.units.parent[r], parent[r]);
    assert_int_equal(s.units.size[0], 3);
    rc_lsh_free(&s);
    free_matrix(&a);
}

static void expect_original(const rc_schedule_t *s)
{
    for (int64_t p = 0; p < s->slots; p++)
        assert_int_equal(s->row[p], p);
}

/* Equal rows: of 600 with size 256 two clusters are closed, and 88 rows are a unit. */
static void equal_rows(void **state)
{
    (void)state;
    enum { rows = 600 };
    unsigned char flag[rows * 3] = {0};
    rc_csr_t a;
    rc_lsh_facts_t f;
    for (int r = 0; r < rows; r++)
        flag[3 * r] = flag[3 * r + 2] = 1;
    matrix_from_flags(flag, rows, 3, &a);
    rc_schedule_t s = order(&a, &usual, 1, &f);
    const rc_lsh_facts_t want = {1, 0, 0, 64, 3, 256};
    expect_facts("equal rows", &want, &f);
    expect_original(&s);
    assert_int_equal(s.levels, 1);
    assert_string_equal(s.group[0].name, "cluster_ptr");
    assert_int_equal(s.group[0].count, 3);
    assert_int_equal(s.group[0].ptr[2], 512);
    rc_schedule_free(&s);
    free_matrix(&a);
}

/* Two kinds of equal rows in turn come apart; empty rows stay alone, in their places. */
static void two_kinds_of_rows(void **state)
{
    (void)state;
    const unsigned char flag[21] = {1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0};
    const int32_t want[] = {0, 2, 5, 1, 4, 3, 6};
    rc_csr_t a;
    matrix_from_flags(flag, 7, 3, &a);
    rc_schedule_t s = order(&a, &usual, 1, NULL);
    assert_memory_equal(s.row, want, sizeof want);
    rc_schedule_free(&s);
    free_matrix(&a);
}

/* A diagonal, no entries, no rows, no columns, one row, one column, a row of many columns. */
static void small_ones(void **state)
{
    (void)state;
    static const int64_t shape[][2] = {{0, 0}, {0, 4}, {4, 0}, {7, 7}, {1, 30}, {30, 1}, {2, 9}};
    for (size_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int kind = 0; kind < 3; kind++) { /* empty, full, diagonal */
            int64_t rows = shape[i][0];
            int64_t cols = shape[i][1];
            unsigned char *flag = calloc((size_t)(rows * cols) + 1, 1);
            rc_csr_t a;
            assert_non_null(flag);
            for (int64_t k = 0; k < rows * cols; k++)
                flag[k] = kind == 1 || (kind == 2 && k / cols == k % cols);
            matrix_from_flags(flag, rows, cols, &a);
            check("small", &a, &usual);
            rc_schedule_t s = order(&a, &usual, 1, NULL);
            expect_original(&s);
            rc_schedule_free(&s);
            free_matrix(&a);
            free(flag);
        }
}

/* Two rows that differ in one of 10^5 columns, far apart, in a matrix of 2^31 - 1 columns. */
static void very_long_rows(void **state)
{
    (void)state;
    enum { most = 100000, rows = 6 };
    int64_t ptr[rows + 1] = {0};
    int32_t *col = calloc(2 * most + rows, sizeof *col);
    assert_non_null(col);
    rc_csr_t a = {.rows = rows, .cols = INT32_MAX, .row_ptr = ptr, .col_idx = col};
    for (int r = 0; r < rows; r++) {
        int n = r == 1 || r == 4 ? most : 1;
        for (int i = 0; i < n; i++)
            col[a.nnz++] = n > 1 ? 20000 * i + 1 : 20000 * (7 + r) + 2;
        ptr[r + 1] = a.nnz;
    }
    col[ptr[4] + most / 2]++;
    static const rc_lsh_rule_t few = {8, 2, 256, 1, 8, 256, 0.9};
    const int32_t want[] = {0, 1, 4, 2, 3, 5};
    rc_schedule_t s = order(&a, &few, 2, NULL);
    assert_memory_equal(s.row, want, sizeof want);
    rc_schedule_free(&s);
    free(col);
}

/* ---------------------------------------------------------------- properties */

/* 40 groups of 24 columns of their own; a row has 21 of its group's and 2 of the others. */
static void hidden_clusters(rc_csr_t *a, int32_t *group)
{
    enum { rows = 3000, cols = 2000, groups = 40, own = 24, taken = 21, noise = 2 };
    rc_rng_t r;
    unsigned char *flag = calloc((size_t)rows * cols, 1);
    assert_non_null(flag);
    rc_rng_seed(&r, 40);
    for (int i = 0; i < rows; i++) {
        group[i] = (int32_t)rc_rng_below(&r, groups);
        for (int k = 0; k < taken;) {
            unsigned char *f = &flag[i * cols + group[i] * own + (int)rc_rng_below(&r, own)];
            k += !*f;
            *f = 1;
        }
        for (int k = 0; k < noise; k++)
            flag[i * cols + (int)rc_rng_below(&r, cols)] = 1;
    }
    matrix_from_flags(flag, rows, cols, a);
    free(flag);
}

static void hidden_clusters_are_found(void **state)
{
    (void)state;
    static const rc_tile_rule_t tiles = RC_TILE_RULE;
    rc_csr_t a;
    rc_tile_figures_t before;
    rc_tile_figures_t after;
    int32_t *group = calloc(3000, sizeof *group);
    assert_non_null(group);
    hidden_clusters(&a, group);
    rc_schedule_t s = order_of("lsh", &a, 2);
    int64_t alike = 0;
    for (int64_t p = 1; p < s.slots; p++)
        alike += group[s.row[p]] == group[s.row[p - 1]];
    assert_true((double)alike >= 0.95 * (double)(s.slots - 1));
    assert_int_equal(rc_tile_figures(&a, NULL, &tiles, 1, &before, NULL), RC_OK);
    assert_int_equal(rc_tile_figures(&a, &s, &tiles, 1, &after, NULL), RC_OK);
    assert_true(before.dense_ratio < 0.01);
    assert_true(after.dense_ratio >= 0.8);
    rc_schedule_free(&s);
    free_matrix(&a);
    free(group);
}

/* Rows that share all but one column: without a window some 10^10 pairs, which are refused before one of
 * them is kept; with one it is done at once. */
static void too_many_pairs_are_refused(void **state)
{
    (void)state;
    enum { rows = 300000, shared = 8 };
    rc_csr_t a;
    rc_err_t err = {0};
    rc_schedule_t s = {0};
    rc_lsh_rule_t rule = usual;
    rule.siglen = 2;
    rule.sim_min = 0.5;
    rule.window = 0;
    assert_int_equal(rc_csr_alloc(rows, shared + rows, rows * (shared + 1), &a, NULL), RC_OK);
    for (int64_t r = 0; r < rows; r++) {
        for (int c = 0; c < shared; c++)
            a.col_idx[r * (shared + 1) + c] = c;
        a.col_idx[r * (shared + 1) + shared] = (int32_t)(shared + r);
        a.row_ptr[r + 1] = (r + 1) * (shared + 1);
    }
    rc_lsh_t l = {.a = &a, .rule = &rule, .threads = 2};
    assert_int_equal(rc_lsh_schedule(&l, &s, &err), RC_ENOMEM);
    assert_non_null(strstr(err.text, " pairs of rows take "));
    assert_null(s.row);
    rule.window = 1;
    rc_lsh_facts_t f;
    s = order(&a, &rule, 2, &f);
    assert_true(f.pairs > rows / 2);
    rc_schedule_free(&s);
    rc_csr_free(&a);
}

/* ----------------------------------------------------------------- jiang */

/* The rule at the threshold and on both sides; the result is one of two orders, never a mixture. */
static void the_rule_of_the_first_round(void **state)
{
    (void)state;
    enum { rows = 320, cols = 90, block = 32 };
    unsigned char *flag = calloc((size_t)rows * cols, 1);
    rc_csr_t a;
    assert_non_null(flag);
    for (int r = 0; r < rows; r++) /* ten kinds of rows in turn; a corner of 32 x 30 is dense */
        for (int c = 0; c < cols; c++)
            flag[r * cols + c] = r < block ? c < 30 : c % 10 == r % 10;
    matrix_from_flags(flag, rows, cols, &a);
    free(flag);
    double ratio = 960.0 / (960 + 288 * 9);
    static const rc_tile_rule_t rule = {32, 5, 128, 17};
    rc_tile_figures_t f;
    assert_int_equal(rc_tile_figures(&a, NULL, &rule, 1, &f, NULL), RC_OK);
    assert_true(f.dense_ratio == ratio);
    rc_schedule_t lsh = order_of("lsh", &a, 1);
    assert_false(rc_schedule_is_identity(&lsh));
    const double skip_at[] = {nextafter(ratio, 0), ratio, nextafter(ratio, 1)};
    for (int i = 0; i < 3; i++) {
        char text[128];
        (void)snprintf(text, sizeof text, "jiang:panel=32:col_min=5:skip_dense=%.17g", skip_at[i]);
        rc_schedule_t s = order_of(text, &a, 1);
        if (i == 0)
            assert_true(rc_schedule_is_identity(&s));
        else
            assert_memory_equal(s.row, lsh.row, (size_t)s.slots * sizeof *s.row);
        rc_schedule_free(&s);
    }
    rc_schedule_free(&lsh);
    free_matrix(&a);
}

static void facts_are_said(void **state)
{
    (void)state;
    rc_csr_t a = {0};
    rc_policy_spec_t spec;
    rc_schedule_t s = {0};
    assert_int_equal(rc_generate("block:n=4000,size=64", &a, NULL, NULL), RC_OK);
    assert_int_equal(rc_policy_spec_parse("jiang", &spec, NULL), RC_OK);
    rc_facts_t facts = {0};
    const rc_order_watch_t watch = {.facts = &facts};
    assert_int_equal(rc_policy_build(&spec, &a, NULL, 1, &watch, &s, NULL), RC_OK);
    assert_int_equal(facts.count, 2);
    assert_string_equal(facts.fact[0].name, "round_1");
    assert_non_null(strstr(facts.fact[0].text, "skipped: dense_ratio "));
    assert_string_equal(facts.fact[1].name, "round_2");
    assert_non_null(strstr(facts.fact[1].text, "skipped: "));
    rc_schedule_free(&s);
    assert_int_equal(rc_policy_spec_parse("jiang:skip_dense=1", &spec, NULL), RC_OK);
    facts.count = 0;
    assert_int_equal(rc_policy_build(&spec, &a, NULL, 1, &watch, &s, NULL), RC_OK);
    assert_int_equal(facts.count, 8);
    assert_string_equal(facts.fact[0].name, "units");
    assert_int_equal(facts.fact[0].value, 63); /* blocks of equal rows */
    assert_non_null(strstr(facts.fact[6].text, "lsh: dense_ratio "));
    rc_schedule_free(&s);
    rc_csr_free(&a);
}

static void parameters(void **state)
{
    (void)state;
    static const refused_order_t bad[] = {
        {"lsh:bsize=0", RC_ERANGE, "bsize"},
        {"lsh:siglen=127", RC_EINVAL, "siglen: expected a multiple of bsize, found 127 and 2"},
        {"jiang:siglen=8:bsize=16", RC_EINVAL, "multiple of bsize"},
        {"lsh:size=0", RC_ERANGE, "size"},
        {"lsh:sim_min=-0.1", RC_ERANGE, "sim_min"},
        {"lsh:sim_min=1.1", RC_ERANGE, "sim_min"},
        {"lsh:window=-1", RC_ERANGE, "window"},
        {"lsh:panel=64", RC_EINVAL, "unknown parameter 'panel'"},
        {"jiang:panel=0", RC_ERANGE, "panel"},
        {"jiang:skip_dense=2", RC_ERANGE, "skip_dense"},
    };
    static const char *const same[][2] = {
        {"lsh", "lsh:siglen=128:bsize=2:size=256:seed=1:sim_min=auto:window=8:pair_max=256"},
        {"lsh:sim_min=0.5:bsize=4",
            "lsh:siglen=128:bsize=4:size=256:seed=1:sim_min=0.5:window=8:pair_max=256"},
        {"jiang:window=8", "jiang:siglen=128"},
        {"jiang:tile_min=9:col_min=8:sim_min=0.25",
            "jiang:siglen=128:sim_min=0.25:col_min=8:tile_min=9"},
    };
    rc_policy_spec_t spec;
    rc_err_t err = {0};
    char text[RC_POLICY_TEXT];
    expect_refused(bad, sizeof bad / sizeof *bad);
    assert_true(rc_policy_spec_parse("lsh:sim_min=nan", &spec, &err) < 0);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        assert_int_equal(rc_policy_spec_parse(same[i][0], &spec, NULL), RC_OK);
        rc_policy_spec_text(&spec, text);
        assert_string_equal(text, same[i][1]);
        assert_int_equal(rc_policy_spec_parse(text, &spec, NULL), RC_OK);
        rc_policy_spec_text(&spec, text);
        assert_string_equal(text, same[i][1]);
    }
    assert_int_equal(rc_pairs_check_memory(7, INT64_MAX - 1, &err), RC_ENOMEM);
    assert_non_null(strstr(err.text, "7 pairs of rows take 9223372036854775806 bytes"));
}

/* ------------------------------------------------------------------- sorting */

static int by_item(const void *x, const void *y)
{
    return rc_ranked_before(*(const rc_ranked_t *)x, *(const rc_ranked_t *)y)   ? -1
           : rc_ranked_before(*(const rc_ranked_t *)y, *(const rc_ranked_t *)x) ? 1
                                                                                : 0;
}

/* Random, few values, sorted, reversed, up and down; long enough for tasks. */
static void items_are_sorted(void **state)
{
    (void)state;
    static const int64_t sizes[] = {0, 1, 2, 24, 25, 1000, 300000};
    rc_rng_t r;
    rc_rng_seed(&r, 3);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int kind = 0; kind < 5; kind++) {
            int64_t n = sizes[i];
            rc_ranked_t *x = calloc((size_t)n + 1, sizeof *x);
            rc_ranked_t *y = calloc((size_t)n + 1, sizeof *y);
            assert_true(x && y);
            for (int64_t k = 0; k < n; k++) {
                const uint64_t key[] = {rc_rng_next(&r), rc_rng_below(&r, 3), (uint64_t)k,
                    (uint64_t)(n - k), (uint64_t)(k < n / 2 ? k : n - k)};
                x[k] = y[k] = (rc_ranked_t){key[kind], rc_rng_below(&r, 1000)};
            }
            rc_ranked_sort(x, n, 3);
            qsort(y, (size_t)n, sizeof *y, by_item);
            assert_memory_equal(x, y, (size_t)n * sizeof *x);
            free(x);
            free(y);
        }
}

/* Sets of many pairs have a power of two of slots, or one and a half: never more than 13.8 bytes a pair. */
static void many_pairs(void **state)
{
    (void)state;
    enum { most = 1 << 20, full = most / 8 * 7 };
    static const int64_t want[][2] = {{full, most}, {full + 1, most / 2 * 3}, {full / 2 * 3 + 1, 2 * most}};
    rc_pair_list_t list = {0};
    rc_pair_set_t seen = {0};
    assert_int_equal(rc_pair_list_reserve(&list, 2 * full, NULL), RC_OK);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        for (; list.count < want[i][0]; list.count++)
            list.pair[list.count] = (rc_ranked_t){0, rc_pair((int32_t)list.count, INT32_MAX - (int32_t)(list.count % 7))};
        assert_int_equal(rc_pair_set_follow(&seen, &list, NULL), RC_OK);
        assert_true(seen.count == list.count && seen.slots == want[i][1]);
        for (int64_t k = 0; k < list.count; k++)
            assert_true(rc_pair_set_has(&seen, list.pair[k].tie));
        for (int32_t k = 0; k < 1000; k++)
            assert_false(rc_pair_set_has(&seen, rc_pair(k, INT32_MAX - 7)));
    }
    rc_pair_set_free(&seen);
    rc_pair_list_free(&list);
}

static int by_key_and_tie(const void *x, const void *y)
{
    const rc_ranked_t *a = x;
    const rc_ranked_t *b = y;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return (a->tie > b->tie) - (a->tie < b->tie);
}

/* As qsort, where keys differ anywhere, little, in no bit, or in many copies. */
static void sorts_of_many(void **state)
{
    (void)state;
    static const int64_t counts[] = {0, 1, 2047, 2048, 5000, 300000};
    static const uint64_t masks[][2] = {{UINT64_MAX, UINT64_MAX}, {0, UINT64_MAX}, {3, 0xff}, {UINT64_C(1) << 63 | 1, 0}, {0, 0},
        {0xff00, 7}};
    rc_ranked_t *x = malloc(300000 * sizeof *x);
    rc_ranked_t *want = malloc(300000 * sizeof *want);
    rc_rng_t r;
    assert_true(x && want);
    rc_rng_seed(&r, 5);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            for (int64_t i = 0; i < counts[c]; i++)
                want[i] = x[i] = (rc_ranked_t){rc_rng_next(&r) & masks[m][0], rc_rng_next(&r) & masks[m][1]};
            qsort(want, (size_t)counts[c], sizeof *want, by_key_and_tie);
            rc_ranked_sort(x, counts[c], 1 + (int)(m % 3));
            assert_true(counts[c] == 0 || memcmp(x, want, (size_t)counts[c] * sizeof *x) == 0);
        }
    free(x);
    free(want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_pairs),
        cmocka_unit_test(sorts_of_many),
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(real_matrices),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(the_example_of_the_paper),
        cmocka_unit_test(equal_rows),
        cmocka_unit_test(two_kinds_of_rows),
        cmocka_unit_test(small_ones),
        cmocka_unit_test(very_long_rows),
        cmocka_unit_test(hidden_clusters_are_found),
        cmocka_unit_test(too_many_pairs_are_refused),
        cmocka_unit_test(the_rule_of_the_first_round),
        cmocka_unit_test(facts_are_said),
        cmocka_unit_test(parameters),
        cmocka_unit_test(items_are_sorted),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
