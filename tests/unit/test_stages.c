#include "config.h"
#include "unit.h"

#include "format/stages.h"
#include "random_problem.h"
#include "placed.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 300, LEAST = 5120 };

static int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

/* What the blocks make of the product with a B of one column, and how often they store each row. */
typedef struct product {
    const rc_stages_t *s;
    rc_precision_t precision;
    const rc_csr_t *a;
    double *sum;
    int *stored;
    int64_t parts;
    int64_t pieces;
    int64_t joined;
} product_t;

static double b_of(int64_t col)
{
    return (double)(1 + col * col);
}

static double value(const product_t *p, int64_t i)
{
    return placed(p->a, p->s->entry, i);
}

/* Row r of a piece, read as the device reads it: number 0 is a row of zeros. */
static double sum_of(
    const product_t *p, const rc_stages_block_t *b, const double *fast, uint32_t range, int64_t r)
{
    const unsigned char *unit = p->s->unit + (size_t)b->unit * RC_STAGES_UNIT;
    const uint16_t *number = (const uint16_t *)(const void *)(unit + b->columns);
    double sum = 0;
    for (int64_t n = range & 0xffff; n < (int64_t)(range & 0xffff) + (range >> 16); n++)
        for (int64_t u = 0; u < RC_STAGES_BATCH; u++) {
            int64_t at = (((int64_t)b->batch + n) * p->s->shape.rows + r) * RC_STAGES_BATCH + u;
            int64_t of = number[n * RC_STAGES_BATCH + u];
            assert_true(n < b->batches && of <= b->lines);
            sum += value(p, at) * fast[of];
            assert_true(of > 0 || value(p, at) == 0);
        }
    return sum;
}

static void add_row(product_t *p, int64_t row, double sum)
{
    if (row < -1) {
        int64_t part = -2 - row;
        const rc_long_row_t *l = &p->s->lengthy[p->s->of[part]];
        assert_true(part < p->s->size.parts && l->parts > 1);
        assert_true(part >= l->first && part < l->first + l->parts);
        p->parts++;
        p->stored[l->row] += part == l->first;
        p->sum[l->row] += sum;
    } else {
        p->stored[row]++;
        p->sum[row] += sum;
    }
}

/* The rows of B that a block copies. */
static double *copied(const product_t *p, int64_t block)
{
    const rc_stages_block_t *b = &p->s->block[block];
    double *fast = calloc((size_t)b->lines + 1, sizeof *fast);
    assert_non_null(fast);
    for (int64_t i = 0; i < p->s->size.most; i++) {
        int32_t col = p->s->line[block * p->s->size.most + i];
        assert_true((col >= 0) == (i < b->lines));
        if (col >= 0)
            fast[1 + i] = b_of(col);
    }
    return fast;
}

static void check_room(const product_t *p, const rc_stages_block_t *b)
{
    const rc_stages_shape_t *shape = &p->s->shape;
    int64_t lines = (b->lines + 1) * shape->line;
    int64_t bytes =
        (lines > shape->least ? lines : shape->least) + (int64_t)b->units * RC_STAGES_UNIT +
        b->batches * RC_STAGES_BATCH * shape->rows * (int64_t)rc_precision_bytes(p->precision);
    assert_true(bytes <= p->s->size.bytes && bytes <= shape->bytes);
    assert_true(b->pieces > 0 && b->pieces <= shape->pieces);
}

static void add_block(product_t *p, int64_t block)
{
    const rc_stages_block_t *b = &p->s->block[block];
    const int32_t *word =
        (const int32_t *)(const void *)(p->s->unit + (size_t)b->unit * RC_STAGES_UNIT);
    double *fast = copied(p, block);
    uint32_t most = UINT16_MAX;
    int64_t parts = p->parts;
    check_room(p, b);
    for (int64_t i = 0; i < b->pieces; i++, word += 1 + p->s->shape.rows) {
        uint32_t range = (uint32_t)word[0];
        assert_true(range >> 16 <= most); /* those with most batches first */
        most = range >> 16;
        for (int64_t r = 0; r < p->s->shape.rows; r++) {
            double sum = sum_of(p, b, fast, range, r);
            p->joined += r > 0 && word[1 + r] >= 0;
            if (word[1 + r] != -1)
                add_row(p, word[1 + r], sum);
            else
                assert_true(r > 0 && sum == 0);
        }
    }
    assert_true(p->parts - parts == b->parts);
    p->pieces += b->pieces;
    free(fast);
}

static double want_of(const random_problem_t *e, int64_t r)
{
    double sum = 0;
    for (int64_t i = e->a.row_ptr[r]; i < e->a.row_ptr[r + 1]; i++) {
        double v = e->a.val[i];
        sum += v * b_of(e->a.col_idx[i]);
    }
    return sum;
}

/* The row of A that goes to a row of the output; -1: there is none. */
static int64_t source_of(const random_problem_t *e, int64_t row)
{
    return e->problem.c_order == RC_C_ORIGINAL ? row : e->schedule.row[row];
}

static int64_t check_product(const random_problem_t *e, const rc_stages_t *s)
{
    int64_t outputs = e->problem.c_order == RC_C_ORIGINAL ? e->a.rows : e->schedule.slots;
    product_t got = {.s = s,
        .precision = e->problem.precision,
        .a = &e->a,
        .sum = calloc((size_t)outputs + 1, sizeof(double)),
        .stored = calloc((size_t)outputs + 1, sizeof(int))};
    assert_non_null(got.sum);
    assert_non_null(got.stored);
    for (int64_t i = 0; i < s->size.blocks; i++)
        add_block(&got, i);
    assert_true(got.parts == s->size.parts && got.pieces == s->size.pieces);
    for (int64_t r = 0; r < outputs; r++) {
        int64_t from = source_of(e, r);
        assert_int_equal(got.stored[r], from >= 0);
        if (from >= 0) /* values are above 0: no cancellation */
            assert_true(got.sum[r] >= want_of(e, from) * (1 - 1e-12) &&
                        got.sum[r] <= want_of(e, from) * (1 + 1e-12));
    }
    free(got.sum);
    free(got.stored);
    return got.joined;
}

static void blocks_hold_the_matrix(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 6);
    int64_t longs = 0;
    int64_t joined = 0;
    int64_t several = 0;
    for (int round = 0; round < ROUNDS; round++) {
        random_problem_t e;
        rc_stages_t s;
        rc_items_t items;
        int64_t rows = below(&rng, 20) ? below(&rng, 60) : 1000 + below(&rng, 2000);
        random_problem(&rng, rows, rows < 1000 ? below(&rng, 900) : below(&rng, 20), &e);
        repeat_rows(&e);
        if (below(&rng, 4) == 0)
            e.problem.c_order = RC_C_SCHEDULE;
        rc_stages_shape_t shape = {.rows = 1 + below(&rng, RC_STAGES_ROWS_MAX),
            .longest = RC_STAGES_BATCH + below(&rng, 400),
            .line = 128 << below(&rng, 2),
            .least = LEAST,
            .bytes = RC_STAGES_LEAST + LEAST + below(&rng, 65536),
            .pieces = 1 + below(&rng, 500),
            .span = 1 + below(&rng, 300)};
        rc_stages_size_t size;
        int64_t batches;
        int threads = 1 + (int)below(&rng, 3);
        assert_int_equal(rc_items_new(&e.problem, &items, NULL), RC_OK);
        assert_int_equal(rc_stages_measure(&items, &shape, threads, &size, NULL), RC_OK);
        assert_int_equal(rc_stages_build(&items, &shape, threads, &s, NULL), RC_OK);
        assert_memory_equal(&size, &s.size, sizeof size);
        assert_int_equal(rc_stages_batches(&items, &shape, threads, &batches, NULL), RC_OK);
        assert_int_equal(batches, size.batches);
        joined += check_product(&e, &s);
        longs += size.longs;
        several += size.blocks > 1;
        rc_stages_free(&s);
        rc_items_free(&items);
        random_problem_free(&e);
    }
    assert_true(longs > 0 && joined > 0 && several > 0);
}

/* Rows are joined while they share half of their entries, and columns are named as they come. */
static void rows_that_share_are_joined(void **state)
{
    (void)state;
    int64_t ptr[] = {0, 4, 8, 12, 12, 14};
    int32_t col[] = {0, 1, 2, 3, /**/ 0, 1, 7, 8, /**/ 8, 7, 5, 6, /* none */ 4, 5};
    double val[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    int32_t row[] = {0, -1, 1, 2, 3, 4};
    rc_csr_t a = {.rows = 5, .cols = 9, .nnz = 14, .row_ptr = ptr, .col_idx = col, .val = val};
    rc_schedule_t sched = {.slots = 6, .rows = 5, .row = row};
    rc_problem_t p = {.k = 1, .a = &a, .schedule = &sched, .c_rows = 5};
    rc_stages_shape_t shape = {
        .rows = 2, .longest = 4, .line = 128, .bytes = RC_STAGES_LEAST, .pieces = 3, .span = 9};
    rc_stages_size_t size;
    rc_stages_t s;
    rc_items_t items;
    assert_int_equal(rc_items_new(&p, &items, NULL), RC_OK);
    assert_int_equal(rc_stages_measure(&items, &shape, 1, &size, NULL), RC_OK);
    assert_int_equal(rc_stages_build(&items, &shape, 2, &s, NULL), RC_OK);
    static const int32_t words[] = {2 << 16, 0, 1, /**/ 1 << 16 | 2, 2, -1, /**/ 3, 3, -1};
    static const int32_t lines[] = {0, 1, 2, 3, 7, 8, 5, 6, /**/ 4, 5, -1, -1, -1, -1, -1, -1};
    static const uint16_t numbers[] = {1, 2, 3, 4, 5, 6, 0, 0, 6, 5, 7, 8};
    static const int32_t entries[] = {1, 2, 3, 4, 5, 6, 0, 0, /**/ 0, 0, 0, 0, 7, 8, 0, 0};
    assert_int_equal(size.blocks, 2);
    assert_int_equal(size.most, 8);
    assert_int_equal(s.block[0].pieces, 3);
    assert_memory_equal(s.unit, words, sizeof words);
    assert_memory_equal(s.unit + s.block[0].columns, numbers, sizeof numbers);
    assert_memory_equal(s.line, lines, sizeof lines);
    assert_memory_equal(s.entry, entries, sizeof entries);
    rc_stages_free(&s);
    rc_items_free(&items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blocks_hold_the_matrix),
        cmocka_unit_test(rows_that_share_are_joined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
