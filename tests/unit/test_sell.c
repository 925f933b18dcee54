#include "config.h"
#include "unit.h"

#include "format/sell.h"
#include "random_problem.h"
#include "placed.h"

#include <stdlib.h>

enum { ROUNDS = 300, PAD = 7777 };

static int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

static int64_t column(const rc_sell_t *s, int64_t at)
{
    return s->shape.col_bytes == 2 ? ((uint16_t *)s->col)[at] : ((int32_t *)s->col)[at];
}

/* Row r of A is at `first`, every `step`-th entry, and then padding up to `room` entries. */
static void check_row(const random_problem_t *e, const rc_sell_t *s, int64_t r, int64_t first,
    int64_t step, int64_t room)
{
    int64_t length = r < 0 ? 0 : e->a.row_ptr[r + 1] - e->a.row_ptr[r];
    assert_true(length <= room);
    for (int64_t i = 0; i < room; i++) {
        int64_t at = first + i * step;
        double want = i < length ? e->a.val[e->a.row_ptr[r] + i] : 0;
        assert_true(column(s, at) == (i < length ? e->a.col_idx[e->a.row_ptr[r] + i] : PAD));
        assert_true(placed(&e->a, s->entry, at) == want);
    }
}

/* Every item is in its place of a slice, or next among the long rows. */
static void check_items(const random_problem_t *e, const rc_items_t *items, const rc_sell_t *s)
{
    int64_t longs = 0;
    int64_t slice = s->shape.slice;
    for (int64_t i = 0; i < s->size.slices * slice; i++) {
        rc_item_t it = i < items->count ? rc_item_at(items, i) : (rc_item_t){0, 0, -1};
        int64_t first = s->ptr[i / slice];
        int64_t width = (s->ptr[i / slice + 1] - first) / slice;
        int64_t r = it.row; /* the output is in original order */
        if (it.length > s->shape.longest) {
            int64_t begin = s->long_ptr[longs];
            assert_true(s->row[i] == -1 && s->long_row[longs] == it.row);
            assert_true(s->long_ptr[longs + 1] - begin == it.length);
            check_row(e, s, r, begin, 1, it.length);
            check_row(e, s, -1, first + i % slice, slice, width);
            longs++;
        } else {
            assert_true(s->row[i] == it.row);
            check_row(e, s, r, first + i % slice, slice, width);
        }
    }
    assert_true(longs == s->size.longs);
}

static void slices_hold_the_matrix(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 5);
    int64_t longs = 0;
    for (int round = 0; round < ROUNDS; round++) {
        random_problem_t e;
        rc_items_t items;
        rc_sell_t s = {.size = {0}};
        rc_sell_shape_t shape = {.slice = (int64_t)1 << below(&rng, 6),
            .longest = below(&rng, 2) ? below(&rng, 60) : INT64_MAX,
            .col_bytes = below(&rng, 2) ? 2 : 4,
            .pad = PAD};
        random_problem(&rng, below(&rng, 150), below(&rng, 100), &e);
        assert_int_equal(rc_items_new(&e.problem, &items, NULL), RC_OK);
        rc_sell_size_t size = rc_sell_measure(&items, &shape);
        assert_int_equal(rc_sell_build(&items, &shape, &size, 1 + round % 3, &s, NULL), RC_OK);
        assert_true((size.slices - 1) * shape.slice < items.count);
        assert_true(s.ptr[0] == 0 && s.ptr[size.slices] == size.stored);
        assert_true(s.long_ptr[size.longs] == size.stored + size.rest);
        check_items(&e, &items, &s);
        longs += size.longs;
        rc_sell_free(&s);
        rc_items_free(&items);
        random_problem_free(&e);
    }
    assert_true(longs > 0);
}

/* The widest row makes the slice: entries of all slices are counted from the rows alone. */
static void a_slice_is_as_wide_as_its_longest_row(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 6);
    for (int round = 0; round < ROUNDS; round++) {
        random_problem_t e;
        rc_items_t items;
        rc_sell_shape_t shape = {
            .slice = 1 + below(&rng, 9), .longest = INT64_MAX, .col_bytes = 4, .pad = PAD};
        random_problem(&rng, below(&rng, 80), below(&rng, 50), &e);
        assert_int_equal(rc_items_new(&e.problem, &items, NULL), RC_OK);
        int64_t stored = 0;
        int64_t width = 0;
        for (int64_t i = 0; i < items.count; i++) {
            int64_t length = rc_item_at(&items, i).length;
            width = length > width ? length : width;
            if ((i + 1) % shape.slice == 0 || i + 1 == items.count) {
                stored += width * shape.slice;
                width = 0;
            }
        }
        rc_sell_size_t size = rc_sell_measure(&items, &shape);
        assert_true(size.stored == stored && size.longs == 0 && size.rest == 0);
        rc_items_free(&items);
        random_problem_free(&e);
    }
}

static int64_t longest_of(const rc_items_t *items, int64_t first, int64_t group, int64_t longest)
{
    int64_t most = 0;
    for (int64_t i = first; i < first + group; i++) {
        int64_t length = rc_item_at(items, i).length;
        most = length <= longest && length > most ? length : most;
    }
    return most;
}

/* Whole groups stay together and in their window, longest first, and equal ones in their order; what
 * is left of a window stays at its end. */
static void check_sorted(const rc_items_t *items, int64_t group, int64_t window, int64_t longest)
{
    for (int64_t i = 0; i < items->count; i += window) {
        int64_t end = i + window < items->count ? i + window : items->count;
        int64_t whole = (end - i) / group;
        int64_t sum = 0;
        for (int64_t k = 0; k < whole; k++) {
            const int64_t *at = items->order + i + k * group;
            assert_true(at[0] >= i && (at[0] - i) % group == 0 && at[0] < i + whole * group);
            for (int64_t m = 1; m < group; m++)
                assert_true(at[m] == at[0] + m);
            sum += (at[0] - i) / group;
            if (k == 0)
                continue;
            int64_t before = longest_of(items, i + (k - 1) * group, group, longest);
            int64_t this = longest_of(items, i + k * group, group, longest);
            assert_true(before > this || (before == this && at[-group] < at[0]));
        }
        assert_true(sum == whole * (whole - 1) / 2);
        for (int64_t k = i + whole * group; k < end; k++)
            assert_true(items->order[k] == k);
    }
}

static void groups_of_rows_are_sorted(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 7);
    int64_t moved = 0;
    for (int round = 0; round < ROUNDS; round++) {
        random_problem_t e;
        rc_items_t items;
        rc_sell_t s = {.size = {0}};
        int64_t group = 1 + below(&rng, 5);
        int64_t window = group * (1 + below(&rng, 9));
        rc_sell_shape_t shape = {.slice = 1 + below(&rng, 9),
            .longest = below(&rng, 2) ? below(&rng, 60) : INT64_MAX,
            .col_bytes = 4,
            .pad = PAD};
        random_problem(&rng, below(&rng, 150), below(&rng, 100), &e);
        assert_int_equal(rc_items_new(&e.problem, &items, NULL), RC_OK);
        assert_int_equal(rc_items_sort(&items, group, window, shape.longest, NULL), RC_OK);
        check_sorted(&items, group, window, shape.longest);
        rc_sell_size_t size = rc_sell_measure(&items, &shape);
        assert_int_equal(rc_sell_build(&items, &shape, &size, 1, &s, NULL), RC_OK);
        check_items(&e, &items, &s);
        for (int64_t i = 0; i < items.count; i++)
            moved += items.order[i] != i;
        rc_sell_free(&s);
        rc_items_free(&items);
        random_problem_free(&e);
    }
    assert_true(moved > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slices_hold_the_matrix),
        cmocka_unit_test(a_slice_is_as_wide_as_its_longest_row),
        cmocka_unit_test(groups_of_rows_are_sorted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
