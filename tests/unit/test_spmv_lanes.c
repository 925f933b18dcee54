/* How many lanes take a row of a product with a vector, and how long rows are cut: what both sides prepare. */
#include "config.h"
#include "unit.h"

#include "format/cuda/lanes.h"

static const rc_spmv_lanes_t any = {.longest = RC_SPMV_TILE};

static void equal_rows_get_lanes_that_keep_threads_busy(void **state)
{
    (void)state;
    for (int64_t length = 1; length < RC_SPMV_TILE; length++) {
        int64_t rows = RC_SPMV_TILE / (length + 1);
        int lanes = rc_spmv_lanes_of(&any, rows, rows * length, length);
        assert_true(lanes >= 1 && lanes <= 32 && (lanes & (lanes - 1)) == 0);
        assert_true(lanes == 1 || rows * lanes <= 2 * RC_SPMV_THREADS);
    }
    assert_int_equal(rc_spmv_lanes_of(&any, 128, 896, 7), 1);
    assert_int_equal(rc_spmv_lanes_of(&any, 1, 1000, 1000), 32);
}

static void steps_grow_with_the_longest_row(void **state)
{
    (void)state;
    int64_t before = 0;
    for (int64_t longest = 10; longest <= 600; longest++) {
        int64_t steps = 0;
        rc_spmv_lanes_for(60, 600, longest, &steps);
        assert_true(steps >= before);
        before = steps;
    }
}

static void only_whole_rows_of_one_tile(void **state)
{
    (void)state;
    const rc_spmv_lanes_t few = {.longest = 64, .every = 4};
    const rc_spmv_lanes_t cheap = {.longest = RC_SPMV_TILE, .most = 50};
    assert_int_equal(rc_spmv_lanes_of(&any, 0, 0, 0), 0);
    assert_int_equal(rc_spmv_lanes_of(&any, 1, RC_SPMV_TILE - 1, RC_SPMV_TILE - 1), 32);
    assert_int_equal(rc_spmv_lanes_of(&any, 1, RC_SPMV_TILE, RC_SPMV_TILE), 0);
    assert_int_equal(rc_spmv_lanes_of(&few, 10, 100, 64), 4);
    assert_int_equal(rc_spmv_lanes_of(&few, 10, 100, 65), 0);
    assert_int_equal(rc_spmv_lanes_of(&cheap, 128, 896, 7), 1);
    assert_int_equal(rc_spmv_lanes_of(&cheap, 60, 900, 700), 0);
}

static void pieces_cover_a_row(void **state)
{
    (void)state;
    enum { LONGEST = 256 };
    int64_t rows = 0;
    int64_t over = 0;
    int64_t pieces = 0;
    for (int64_t entries = LONGEST + 1; entries < 40 * RC_SPMV_PIECE; entries += 97) {
        int64_t n = rc_spmv_pieces(entries, LONGEST);
        assert_int_equal(rc_spmv_piece_at(entries, 0, n), 0);
        assert_int_equal(rc_spmv_piece_at(entries, n, n), entries);
        for (int64_t j = 0; j < n; j++) {
            int64_t size = rc_spmv_piece_at(entries, j + 1, n) - rc_spmv_piece_at(entries, j, n);
            assert_true(size > 0 && size <= RC_SPMV_PIECE + LONGEST);
        }
        rows++;
        over += entries - LONGEST;
        pieces += n;
        /* what room is made for: rows, and what all of them have over in pieces */
        assert_true(pieces <= rows + over / RC_SPMV_PIECE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_rows_get_lanes_that_keep_threads_busy),
        cmocka_unit_test(steps_grow_with_the_longest_row),
        cmocka_unit_test(only_whole_rows_of_one_tile),
        cmocka_unit_test(pieces_cover_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
