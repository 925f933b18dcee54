/* How csrk-split shares out rows of all lengths, and when it leaves them to merge: no GPU is needed for that. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "format/cuda/lanes.h"
#include "kernels/spmv/cuda/csrk_split.h"

#include <math.h>
#include <stdlib.h>

enum { SLOTS = 120000 };

/* Rows, super-rows of so many, and their cut. */
typedef struct cut {
    int64_t ptr[SLOTS + 1];
    int32_t super[SLOTS + 1];
    int64_t bound;
    int64_t items;
    rc_spmv_share_t share[SLOTS + 1];
    rc_csrk_cut_t found;
} cut_t;

static void cut_rows(cut_t *c, const int32_t *length, int64_t srs)
{
    rc_super_rows_t super = {.levels = 1, .count = {(SLOTS + srs - 1) / srs, 0}, .ptr = {c->super, NULL}};
    for (int64_t i = 0; i < SLOTS; i++)
        c->ptr[i + 1] = c->ptr[i] + length[i];
    for (int64_t k = 0; k <= super.count[0]; k++)
        c->super[k] = (int32_t)(k * srs < SLOTS ? k * srs : SLOTS);
    c->bound = rc_csrk_split_bound(SLOTS, c->ptr[SLOTS]);
    c->items = rc_csrk_split_items(SLOTS, c->ptr[SLOTS]);
    c->found = rc_csrk_split_cut(c->ptr, SLOTS, c->bound, c->items, &super, c->share);
    rc_csrk_cut_t counted = rc_csrk_split_cut(c->ptr, SLOTS, c->bound, c->items, &super, NULL);
    assert_memory_equal(&counted, &c->found, sizeof counted);
}

/* Shares are runs of slots, none empty; rows that a CTA stages fit, and the rows that it steps over are few. */
static void check_shares(const cut_t *c)
{
    int64_t most = c->items / (c->bound + 2) > 1 ? c->items / (c->bound + 2) : 1;
    assert_int_equal(c->share[0].row, 0);
    assert_int_equal(c->share[c->found.shares].row, SLOTS);
    for (int64_t k = 0; k < c->found.shares; k++) {
        int64_t held = 0;
        int64_t apart = 0;
        assert_true(c->share[k].row < c->share[k + 1].row);
        assert_int_equal(c->share[k].entry, c->ptr[c->share[k].row]);
        for (int64_t i = c->share[k].row; i < c->share[k + 1].row; i++) {
            int64_t entries = c->ptr[i + 1] - c->ptr[i];
            apart += entries > c->bound;
            held += entries > c->bound ? 0 : 1 + entries;
        }
        assert_true(held <= c->items || c->share[k + 1].row == c->share[k].row + 1);
        if (apart > most)
            fail_msg("share %d steps over %d long rows, at most %d", (int)k, (int)apart, (int)most);
    }
}

static void check_counts(const cut_t *c, const int32_t *length)
{
    rc_csrk_cut_t expected = {.shares = c->found.shares, .uneven = c->found.uneven};
    for (int64_t i = 0; i < SLOTS; i++)
        if (length[i] > c->bound) {
            int64_t n = 1 + (length[i] - c->bound) / RC_SPMV_PIECE;
            expected.pieces += n;
            expected.several += n > 1;
            expected.apart += length[i];
        }
    assert_memory_equal(&expected, &c->found, sizeof expected);
}

static void random_rows(void **state)
{
    (void)state;
    rc_rng_t rng;
    int32_t *length = calloc(SLOTS, sizeof *length);
    cut_t *c = calloc(1, sizeof *c);
    assert_true(c && length);
    rc_rng_seed(&rng, 15);
    for (int run = 0; run < 24; run++) {
        double skew = 1 + run % 6;
        for (int64_t i = 0; i < SLOTS; i++)
            length[i] = (int32_t)((run % 4 == 0 ? 12000 : 300) * pow(rc_rng_unit(&rng), 2 * skew));
        cut_rows(c, length, 1 + (int64_t)rc_rng_below(&rng, 40));
        check_shares(c);
        check_counts(c, length);
    }
    free(length);
    free(c);
}

/* Rows in descending length, as a symmetric order of a graph with hubs has them: what version 3 put into one share. */
static void long_rows_side_by_side(void **state)
{
    (void)state;
    int32_t *length = calloc(SLOTS, sizeof *length);
    cut_t *c = calloc(1, sizeof *c);
    assert_true(c && length);
    for (int64_t i = 0; i < SLOTS; i++)
        length[i] = i < 300 ? 700 : 12;
    cut_rows(c, length, 16);
    check_shares(c);
    assert_int_equal(c->found.pieces, 300);
    assert_int_equal(rc_csrk_split_merges(&c->found, c->ptr[SLOTS]), 0);
    for (int64_t i = 0; i < 1200; i++)
        length[i] = 700;
    cut_rows(c, length, 16);
    check_shares(c);
    assert_int_equal(rc_csrk_split_merges(&c->found, c->ptr[SLOTS]), 1);
    free(length);
    free(c);
}

/* Two rows of 250 among 300 of 2, about what a share has: nearly all CTAs wait for one. */
static void rows_that_others_wait_for(void **state)
{
    (void)state;
    int32_t *length = calloc(SLOTS, sizeof *length);
    cut_t *c = calloc(1, sizeof *c);
    assert_true(c && length);
    for (int64_t i = 0; i < SLOTS; i++)
        length[i] = i % 150 == 0 ? 250 : 2;
    cut_rows(c, length, 1);
    check_shares(c);
    assert_int_equal(c->found.pieces, 0);
    assert_true(c->found.uneven > c->found.shares / 2);
    assert_int_equal(rc_csrk_split_merges(&c->found, c->ptr[SLOTS]), 1);
    for (int64_t i = 0; i < SLOTS; i++)
        length[i] = 10;
    cut_rows(c, length, 1);
    assert_int_equal(c->found.uneven, 0);
    assert_int_equal(rc_csrk_split_merges(&c->found, c->ptr[SLOTS]), 0);
    free(length);
    free(c);
}

static void the_rule_at_its_bounds(void **state)
{
    (void)state;
    static const struct {
        rc_csrk_cut_t cut;
        int64_t nnz;
        int merges;
    } cases[] = {
        {{.shares = 16, .uneven = 3}, 100, 1},
        {{.shares = 16, .uneven = 2}, 100, 0},
        {{.shares = 1000, .uneven = 187}, 100, 0},
        {{.shares = 1000, .uneven = 188}, 100, 1},
        {{.shares = 100, .pieces = 512, .apart = 250}, 1000, 1},
        {{.shares = 100, .pieces = 511, .apart = 1000}, 1000, 0},
        {{.shares = 100, .pieces = 9000, .apart = 249}, 1000, 0},
        {{.shares = 1}, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (rc_csrk_split_merges(&cases[i].cut, cases[i].nnz) != cases[i].merges)
            fail_msg("case %d: expected %d", (int)i, cases[i].merges);
}

static void bounds_and_room(void **state)
{
    (void)state;
    assert_int_equal(rc_csrk_split_bound(0, 0), 256);
    assert_int_equal(rc_csrk_split_bound(100, 12800), 256);
    assert_int_equal(rc_csrk_split_bound(100, 12801), 257);
    assert_int_equal(rc_csrk_split_bound(10, 1000000), RC_SPMV_TILE - 1);
    assert_int_equal(rc_csrk_split_items(0, 0), 128);
    assert_int_equal(rc_csrk_split_items(56000, 200000), 1000);
    assert_int_equal(rc_csrk_split_items(1000000, 200000), RC_SPMV_TILE);
}

static void no_rows(void **state)
{
    (void)state;
    const int64_t ptr[1] = {0};
    int32_t none[1] = {0};
    const rc_super_rows_t super = {.levels = 1, .ptr = {none, NULL}};
    rc_spmv_share_t share[2];
    rc_csrk_cut_t c = rc_csrk_split_cut(ptr, 0, 256, 128, &super, share);
    assert_int_equal(c.shares, 1);
    assert_int_equal(share[1].row, 0);
    assert_int_equal(rc_csrk_split_merges(&c, 0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_rows),
        cmocka_unit_test(long_rows_side_by_side),
        cmocka_unit_test(rows_that_others_wait_for),
        cmocka_unit_test(the_rule_at_its_bounds),
        cmocka_unit_test(bounds_and_room),
        cmocka_unit_test(no_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
