#include "config.h"
#include "unit.h"

#include "format/bsr.h"
#include "random_problem.h"
#include "placed.h"

enum { ROUNDS = 300 };

static int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

/* Columns a multiple of the block. */
static void make(rc_rng_t *rng, int64_t block, random_problem_t *e)
{
    int64_t rows = below(rng, 70);
    random_problem(rng, rows, block * below(rng, 8), e);
}

/* Slot p, column c of the matrix as it should be. */
static double entry(const random_problem_t *e, int64_t p, int64_t c)
{
    int64_t r = p < e->schedule.slots ? e->schedule.row[p] : -1;
    for (int64_t i = r < 0 ? 0 : e->a.row_ptr[r]; r >= 0 && i < e->a.row_ptr[r + 1]; i++)
        if (e->a.col_idx[i] == c)
            return e->a.val[i];
    return 0;
}

/* The blocks of a block row are in order, none is empty, and what they hold is what the matrix has
 * there; what they hold in all is then all of it. */
static int64_t check_block_row(const random_problem_t *e, const rc_bsr_t *b, int64_t i)
{
    int64_t entries = 0;
    for (int64_t n = b->ptr[i]; n < b->ptr[i + 1]; n++) {
        int64_t before = entries;
        assert_true(b->col[n] >= 0 && b->col[n] < e->a.cols / b->block);
        assert_true(n == b->ptr[i] || b->col[n - 1] < b->col[n]);
        for (int64_t at = 0; at < b->block * b->block; at++) {
            double want =
                entry(e, i * b->block + at / b->block, b->col[n] * b->block + at % b->block);
            double found = placed(&e->a, b->entry, n * b->block * b->block + at);
            assert_true(want == found);
            entries += found != 0;
        }
        assert_true(entries > before);
    }
    return entries;
}

static void blocks_hold_the_matrix(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 3);
    for (int round = 0; round < ROUNDS; round++) {
        random_problem_t e;
        rc_bsr_t b = {0};
        rc_err_t err = {0};
        int64_t block = (int64_t)1 << below(&rng, 6);
        make(&rng, block, &e);
        assert_int_equal(rc_bsr_build(&e.problem, block, 1 + round % 3, &b, &err), RC_OK);
        assert_true(b.block == block);
        assert_true(b.block_rows * block >= e.schedule.slots);
        assert_true((b.block_rows - 1) * block < e.schedule.slots);
        assert_true(b.ptr[0] == 0 && b.ptr[b.block_rows] == b.blocks);
        int64_t entries = 0;
        for (int64_t i = 0; i < b.block_rows; i++)
            entries += check_block_row(&e, &b, i);
        assert_true(entries == e.a.nnz);
        rc_bsr_free(&b);
        random_problem_free(&e);
    }
}

/* Counting agrees with building, and stops at the first block row that exceeds the bound. */
static void counts(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 4);
    for (int round = 0; round < ROUNDS; round++) {
        random_problem_t e;
        rc_bsr_t b = {0};
        rc_err_t err = {0};
        int64_t rows = -1;
        int64_t block = (int64_t)1 << below(&rng, 6);
        make(&rng, block, &e);
        assert_int_equal(rc_bsr_build(&e.problem, block, 2, &b, &err), RC_OK);
        assert_true(rc_bsr_count(&e.problem, block, b.blocks, &rows) == b.blocks);
        assert_true(rows == b.block_rows);
        if (b.blocks > 0) {
            int64_t most = below(&rng, b.blocks);
            int64_t found = rc_bsr_count(&e.problem, block, most, &rows);
            assert_true(found > most && found == b.ptr[rows] && b.ptr[rows - 1] <= most);
        }
        rc_bsr_free(&b);
        random_problem_free(&e);
    }
}

/* Bytes are those of the arrays; blocks of one value are CSR. */
static void bytes(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 5);
    for (int round = 0; round < ROUNDS; round++) {
        random_problem_t e;
        int64_t block = (int64_t)1 << below(&rng, 6);
        int64_t blocks = below(&rng, 1000);
        make(&rng, block, &e);
        int64_t value = (int64_t)rc_precision_bytes(e.problem.precision);
        int64_t rows = (e.schedule.slots + block - 1) / block;
        assert_true(rc_bsr_bytes(&e.problem, block, blocks) ==
                    4 * (rows + 1) + 4 * blocks + value * blocks * block * block);
        assert_true(rc_bsr_bytes(&e.problem, 1, e.a.nnz) == rc_bsr_csr_bytes(&e.problem));
        assert_true(rc_bsr_bytes(&e.problem, 32, INT64_MAX / 8) == INT64_MAX);
        random_problem_free(&e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_hold_the_matrix),
        cmocka_unit_test(counts),
        cmocka_unit_test(bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
