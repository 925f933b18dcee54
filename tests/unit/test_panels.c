#include "config.h"
#include "unit.h"

#include "format/panels.h"
#include "random_problem.h"
#include "placed.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 300, ROOT = 20 /* of the longest row, 400 entries */ };

static int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

static int64_t column(const rc_panels_t *c, int64_t at)
{
    if (c->shape.col_bytes == 2)
        return ((uint16_t *)c->col)[at];
    return ((int32_t *)c->col)[at];
}

/* Of the row r (0, 1) of a piece. */
static double value(const rc_panels_t *c, const rc_csr_t *a, int64_t at, int64_t r)
{
    int64_t i = (at / RC_PANELS_BATCH * c->shape.rows + r) * RC_PANELS_BATCH + at % RC_PANELS_BATCH;
    return placed(a, c->entry, i);
}

/* The sum of a row of the output times a B of one column, as a kernel would compute it. */
static double sum_of(const rc_panels_t *c, const rc_csr_t *a, int64_t piece, int64_t r)
{
    const rc_panels_piece_t *p = &c->piece[piece];
    double sum = 0;
    for (int64_t e = 0; e < p->count; e++) {
        int64_t at = (int64_t)p->first * RC_PANELS_BATCH + e;
        sum += value(c, a, at, r) * (double)(1 + column(c, at) * column(c, at));
    }
    return sum;
}

static void check_padding(const rc_panels_t *c, const rc_csr_t *a, int64_t piece)
{
    const rc_panels_piece_t *p = &c->piece[piece];
    for (int64_t e = p->count; e % RC_PANELS_BATCH != 0; e++)
        for (int64_t r = 0; r < c->shape.rows; r++) {
            assert_true(column(c, (int64_t)p->first * RC_PANELS_BATCH + e) == 0);
            assert_true(value(c, a, (int64_t)p->first * RC_PANELS_BATCH + e, r) == 0);
        }
}

/* What the pieces make of the product, and how often they store each row. */
typedef struct product {
    double *sum;
    int *stored;
    int64_t batches;
    int64_t pairs;
} product_t;

static void add_piece(
    const rc_panels_t *c, const rc_csr_t *a, int64_t i, product_t *out, int64_t *part)
{
    const rc_panels_piece_t *p = &c->piece[i];
    assert_true(p->first == out->batches && p->row != -1 && p->second >= -1);
    out->batches += (p->count + RC_PANELS_BATCH - 1) / RC_PANELS_BATCH;
    int64_t row = p->row;
    if (row < -1) {
        assert_true(-2 - row == *part && p->count > 0 && p->second == -1);
        const rc_long_row_t *l = &c->lengthy[c->of[*part]];
        assert_true(l->parts > 1 && *part >= l->first && *part < l->first + l->parts);
        row = l->row;
        out->stored[row] += *part == l->first;
        ++*part;
    } else {
        out->stored[row]++;
    }
    int64_t longest = c->shape.longest > ROOT ? c->shape.longest : ROOT;
    assert_true(p->count < (longest + 2 * RC_PANELS_BATCH) * (p->second >= 0 ? 2 : 1));
    out->sum[row] += sum_of(c, a, i, 0);
    if (p->second >= 0) {
        out->pairs++;
        out->stored[p->second]++;
        out->sum[p->second] += sum_of(c, a, i, 1);
    }
    check_padding(c, a, i);
}

static double want_of(const random_problem_t *e, int64_t r)
{
    double sum = 0;
    for (int64_t i = e->a.row_ptr[r]; i < e->a.row_ptr[r + 1]; i++) {
        double v = e->a.val[i];
        sum += v * (double)(1 + (int64_t)e->a.col_idx[i] * e->a.col_idx[i]);
    }
    return sum;
}

/* The row of A that goes to a row of the output; -1: there is none. */
static int64_t source_of(const random_problem_t *e, int64_t row)
{
    return e->problem.c_order == RC_C_ORIGINAL ? row : e->schedule.row[row];
}

static int64_t check_product(const random_problem_t *e, const rc_panels_t *c)
{
    int64_t outputs = e->problem.c_order == RC_C_ORIGINAL ? e->a.rows : e->schedule.slots;
    product_t got = {.sum = calloc((size_t)outputs + 1, sizeof(double)),
        .stored = calloc((size_t)outputs + 1, sizeof(int))};
    int64_t part = 0;
    int64_t columns = 0;
    assert_non_null(got.sum);
    assert_non_null(got.stored);
    for (int64_t i = 0; i < c->size.pieces; i++) {
        assert_true((c->piece[i].row < -1) == (i < c->size.parts)); /* parts come first */
        add_piece(c, &e->a, i, &got, &part);
        columns += c->piece[i].count;
    }
    assert_true(part == c->size.parts && columns == c->size.columns);
    assert_true(got.batches + 1 == c->size.batches);
    for (int64_t r = 0; r < outputs; r++) {
        int64_t from = source_of(e, r);
        assert_int_equal(got.stored[r], from >= 0);
        if (from >= 0) /* values are above 0: no cancellation */
            assert_true(got.sum[r] >= want_of(e, from) * (1 - 1e-12) &&
                        got.sum[r] <= want_of(e, from) * (1 + 1e-12));
    }
    free(got.sum);
    free(got.stored);
    return got.pairs;
}

/* Shares of the work are equal but for the piece that begins in one and ends in the next. */
static void check_places(const rc_panels_t *c)
{
    enum { COST = 4 };
    double total = (double)(c->size.columns + COST * c->size.pieces);
    int64_t most = 0;
    assert_true(c->places == rc_panels_places(c->size.pieces));
    assert_true(c->place[0] == 0 && c->place[c->places] == c->size.pieces);
    for (int64_t i = 0; i < c->size.pieces; i++)
        most = c->piece[i].count + COST > most ? c->piece[i].count + COST : most;
    for (int64_t n = 0; n < c->places; n++) {
        int64_t work = 0;
        assert_true(c->place[n] <= c->place[n + 1]);
        for (int64_t i = c->place[n]; i < c->place[n + 1]; i++)
            work += c->piece[i].count + COST;
        assert_true((double)work <= total / (double)c->places + (double)most);
    }
}

static void panels_hold_the_matrix(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 5);
    int64_t longs = 0;
    int64_t pairs = 0;
    for (int round = 0; round < ROUNDS; round++) {
        random_problem_t e;
        rc_panels_t c = {0};
        rc_items_t items;
        int64_t rows = below(&rng, 20) ? below(&rng, 60) : 1000 + below(&rng, 2000);
        random_problem(&rng, rows, rows < 1000 ? below(&rng, 400) : below(&rng, 20), &e);
        repeat_rows(&e);
        if (below(&rng, 4) == 0)
            e.problem.c_order = RC_C_SCHEDULE;
        rc_panels_shape_t shape = {.rows = 1 + below(&rng, 2),
            .longest = RC_PANELS_BATCH + below(&rng, 200),
            .col_bytes = below(&rng, 2) ? 2 : 4};
        rc_panels_size_t size;
        assert_int_equal(rc_items_new(&e.problem, &items, NULL), RC_OK);
        assert_int_equal(rc_panels_measure(&items, &shape, &size, NULL), RC_OK);
        int64_t columns = size.columns;
        size.columns = 0; /* of a caller that did not keep it */
        assert_int_equal(rc_panels_build(&items, &shape, &size, 1 + round % 3, &c, NULL), RC_OK);
        assert_memory_equal(&c.size, &size, sizeof size);
        c.size.columns = columns;
        int64_t here = check_product(&e, &c);
        check_places(&c);
        assert_true(here == 0 || shape.rows == 2);
        pairs += here;
        longs += size.longs;
        rc_panels_free(&c);
        rc_items_free(&items);
        random_problem_free(&e);
    }
    assert_true(longs > 0 && pairs > 0);
}

/* Two rows are a piece when they share a quarter of their entries. */
static void rows_that_share_are_pairs(void **state)
{
    (void)state;
    int64_t ptr[] = {0, 4, 8, 12, 12, 16};
    int32_t col[] = {0, 1, 2, 3, /**/ 0, 1, 7, 8, /**/ 0, 1, 2, 8, /* none */ 0, 1, 2, 8};
    double val[16] = {0};
    int32_t row[] = {0, -1, 1, 2, 3, 4};
    rc_csr_t a = {.rows = 5, .cols = 9, .nnz = 16, .row_ptr = ptr, .col_idx = col, .val = val};
    rc_schedule_t s = {.slots = 6, .rows = 5, .row = row};
    rc_problem_t p = {.k = 1, .a = &a, .schedule = &s, .c_rows = 5};
    rc_panels_shape_t shape = {.rows = 2, .longest = 4, .col_bytes = 2};
    rc_panels_size_t size;
    rc_panels_t c;
    rc_items_t items;
    assert_int_equal(rc_items_new(&p, &items, NULL), RC_OK);
    assert_int_equal(rc_panels_measure(&items, &shape, &size, NULL), RC_OK);
    assert_int_equal(rc_panels_build(&items, &shape, &size, 1, &c, NULL), RC_OK);
    static const rc_panels_piece_t want[] = {
        {0, 6, 0, 1}, {2, 4, 2, -1}, {3, 0, 3, -1}, {3, 4, 4, -1}};
    assert_int_equal(size.pieces, 4);
    assert_memory_equal(c.piece, want, sizeof want);
    rc_panels_free(&c);
    rc_items_free(&items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panels_hold_the_matrix),
        cmocka_unit_test(rows_that_share_are_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
