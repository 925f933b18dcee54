#include "config.h"
#include "unit.h"

#include "format/chunks.h"
#include "random_problem.h"
#include "placed.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 300 };

static int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

/* Rows of all lengths up to several blocks, now and then more rows than a segment or columns that
 * need 32 bits. */
static void make(rc_rng_t *rng, random_problem_t *e)
{
    int large = below(rng, 20) == 0;
    int64_t rows = large ? 1000 + below(rng, 2200) : below(rng, 50);
    random_problem(rng, rows, large ? below(rng, 40) : below(rng, 400), e);
    if (below(rng, 4) == 0)
        e->problem.c_order = RC_C_SCHEDULE;
    if (below(rng, 4) == 0)
        e->a.cols = RC_CHUNKS_NARROW_COLS + below(rng, 2);
}

static int64_t column(const rc_chunks_t *c, int64_t at)
{
    if (c->size.col_bytes == 2)
        return ((uint16_t *)c->col)[at];
    return ((int32_t *)c->col)[at];
}

/* The chunks [first, first + chunks) hold row r of A in its order, and padding. */
static void check_row(
    const random_problem_t *e, const rc_chunks_t *c, int64_t r, int64_t first, int64_t chunks)
{
    int64_t length = e->a.row_ptr[r + 1] - e->a.row_ptr[r];
    int64_t room = chunks * c->size.entries;
    assert_true(length <= room);
    assert_true(length > room - c->size.entries || (length == 0 && chunks == 1));
    for (int64_t i = 0; i < room; i++) {
        int64_t at = first * c->size.entries + i;
        int64_t from = e->a.row_ptr[r] + i;
        double want = i < length ? e->a.val[from] : 0;
        int64_t pad = length ? e->a.col_idx[e->a.row_ptr[r + 1] - 1] : 0;
        assert_true(column(c, at) == (i < length ? e->a.col_idx[from] : pad));
        assert_true(placed(&e->a, c->entry, at) == want);
    }
}

/* The row of A that is to be stored to a row of the output; -1: there is none. */
static int64_t source_of(const random_problem_t *e, int64_t row)
{
    return e->problem.c_order == RC_C_ORIGINAL ? row : e->schedule.row[row];
}

/* Walks all chunks once: each belongs to a row, or is padding.  \return the rows that are stored */
static int64_t check_chunks(const random_problem_t *e, const rc_chunks_t *c, unsigned char *stored)
{
    int64_t rows = 0;
    int64_t longs = 0;
    int64_t parts = 0;
    int64_t chunks;
    for (int64_t i = 0; i < c->size.blocks * RC_CHUNKS_BLOCK; i += chunks) {
        chunks = 1;
        if (c->row[i] == -1) {
            assert_int_equal(c->count[i], RC_CHUNKS_NOTHING);
            for (int64_t k = 0; k < c->size.entries; k++)
                assert_true(column(c, i * c->size.entries + k) == 0);
            continue;
        }
        int64_t row = c->row[i];
        chunks = c->count[i] & ~RC_CHUNKS_NOTHING;
        assert_true(chunks >= 1 && chunks <= RC_CHUNKS_BLOCK - i % RC_CHUNKS_BLOCK);
        if (row < -1) {
            const rc_long_row_t *l = &c->lengthy[longs];
            row = l->row;
            assert_true(l->first == parts && l->parts > 1 && i % RC_CHUNKS_BLOCK == 0);
            for (chunks = 0; parts < l->first + l->parts; parts++) {
                int64_t at = i + (parts - l->first) * RC_CHUNKS_BLOCK;
                assert_true(c->row[at] == -2 - parts && c->of[parts] == longs);
                assert_true(c->count[at] == RC_CHUNKS_BLOCK || parts + 1 == l->first + l->parts);
                chunks += c->count[at];
            }
            longs++;
        }
        int64_t r = source_of(e, row);
        int empty = e->a.row_ptr[r + 1] == e->a.row_ptr[r];
        assert_true(empty == ((c->count[i] & RC_CHUNKS_NOTHING) != 0));
        assert_false(stored[row]++);
        rows++;
        check_row(e, c, r, i, chunks);
    }
    assert_true(longs == c->size.longs && parts == c->size.parts);
    return rows;
}

static int64_t rows_to_store(const random_problem_t *e)
{
    int64_t held = 0;
    for (int64_t i = 0; i < e->schedule.slots; i++)
        held += e->schedule.row[i] >= 0;
    return e->problem.c_order == RC_C_ORIGINAL ? e->a.rows : held;
}

static void chunks_hold_the_matrix(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 3);
    int64_t longs = 0;
    int64_t narrow = 0;
    for (int round = 0; round < ROUNDS; round++) {
        random_problem_t e;
        rc_chunks_t c = {0};
        rc_chunks_size_t size;
        int64_t entries = below(&rng, 3) ? (int64_t)4 << below(&rng, 5) : 0;
        make(&rng, &e);
        rc_problem_t *p = &e.problem;
        assert_int_equal(rc_chunks_measure(p, entries, &size, NULL), RC_OK);
        assert_true(entries == 0 || size.entries == entries);
        assert_int_equal(rc_chunks_build(p, &size, 1 + round % 3, &c, NULL), RC_OK);
        unsigned char *stored = calloc((size_t)(e.a.rows + e.schedule.slots) + 1, 1);
        assert_non_null(stored);
        assert_true(check_chunks(&e, &c, stored) == rows_to_store(&e));
        longs += size.longs;
        narrow += size.col_bytes == 2;
        free(stored);
        rc_chunks_free(&c);
        random_problem_free(&e);
    }
    assert_true(longs > 0 && narrow > 0 && narrow < ROUNDS);
}

/* Threads change nothing. */
static void the_same_from_any_threads(void **state)
{
    (void)state;
    rc_rng_t rng;
    rc_rng_seed(&rng, 4);
    random_problem_t e;
    rc_chunks_t c[2];
    rc_chunks_size_t size;
    random_problem(&rng, 5000, 30, &e);
    assert_int_equal(rc_chunks_measure(&e.problem, 0, &size, NULL), RC_OK);
    assert_true(size.blocks > 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(rc_chunks_build(&e.problem, &size, 1 + 3 * i, &c[i], NULL), RC_OK);
    size_t chunks = (size_t)size.blocks * RC_CHUNKS_BLOCK;
    size_t stored = chunks * (size_t)size.entries;
    assert_memory_equal(c[0].row, c[1].row, chunks * sizeof *c[0].row);
    assert_memory_equal(c[0].count, c[1].count, chunks);
    assert_memory_equal(c[0].col, c[1].col, stored * (size_t)size.col_bytes);
    assert_memory_equal(c[0].entry, c[1].entry, stored * (size_t)c[0].entry_bytes);
    rc_chunks_free(&c[0]);
    rc_chunks_free(&c[1]);
    random_problem_free(&e);
}

/* The longer the rows, the longer the chunks; twice the mean fits a block. */
static void entries_follow_the_rows(void **state)
{
    (void)state;
    enum { rows = 10 };
    static const int64_t want[][2] = {
        {0, 4}, {4, 4}, {5, 8}, {13, 8}, {14, 16}, {128, 16}, {129, 32}, {512, 64}, {100000, 64}};
    int64_t ptr[rows + 1];
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        for (int r = 0; r <= rows; r++)
            ptr[r] = r / 2 * want[i][0]; /* every other row is empty */
        rc_csr_t a = {.rows = rows, .cols = 1, .nnz = ptr[rows], .row_ptr = ptr};
        const rc_chunks_rows_t n = rc_chunks_rows_of(&a);
        assert_int_equal(rc_chunks_entries(a.nnz, &n), want[i][1]);
    }
}

/* A row is one chunk where the padding allows it. */
static void large_matrices_get_few_chunks(void **state)
{
    (void)state;
    enum { rows = 10 };
    static const int64_t want[][3] = {{0, 0, 4}, {4, 4, 4}, {5, 5, 8}, {7, 6, 8}, {9, 9, 16},
        {9, 3, 4}, {27, 27, 32}, {16, 15, 16}, {100000, 100000, 64}};
    int64_t ptr[rows + 1] = {0};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        for (int r = 0; r < rows; r++)
            ptr[r + 1] = ptr[r] + want[i][r == 0 ? 0 : 1]; /* the first row may be longer */
        rc_csr_t a = {.rows = rows, .cols = 1, .nnz = ptr[rows], .row_ptr = ptr};
        const rc_chunks_rows_t n = rc_chunks_rows_of(&a);
        assert_int_equal(rc_chunks_entries_large(&n), want[i][2]);
    }
}

/* Entry e of chunk i is at column (i mod RC_CHUNKS_WARP) * far + 10000 e; from entry `length` on it is
 * padding. */
static double sectors_of(int64_t warps, int64_t far, int64_t length, int64_t values, uint8_t count)
{
    enum { ENTRIES = 4 };
    size_t chunks = (size_t)warps * RC_CHUNKS_WARP;
    rc_chunks_t c = {.size = {.entries = ENTRIES,
                         .blocks = warps * RC_CHUNKS_WARP / RC_CHUNKS_BLOCK,
                         .col_bytes = 2},
        .col = malloc(chunks * ENTRIES * sizeof(uint16_t)),
        .count = malloc(chunks)};
    assert_true(c.col && c.count);
    for (size_t i = 0; i < chunks; i++) {
        c.count[i] = count;
        for (int64_t e = 0; e < ENTRIES; e++)
            ((uint16_t *)c.col)[i * ENTRIES + (size_t)e] =
                (uint16_t)((int64_t)(i % RC_CHUNKS_WARP) * far +
                           10000 * (e < length ? e : length - 1));
    }
    double n = rc_chunks_sectors(&c, values);
    free(c.col);
    free(c.count);
    return n;
}

static void sectors_tell_how_far_columns_are(void **state)
{
    (void)state;
    assert_true(sectors_of(3, 1, 4, 8, 1) == 3 * 4 * RC_CHUNKS_WARP / 8); /* neighbours */
    assert_true(sectors_of(3, 1, 4, 4, 1) == 3 * 4 * RC_CHUNKS_WARP / 4);
    assert_true(sectors_of(3, 2, 4, 8, 1) == 3 * 4 * RC_CHUNKS_WARP / 4);
    assert_true(sectors_of(3, 8, 4, 8, 1) == 3 * 4 * RC_CHUNKS_WARP); /* one for each */
    assert_true(sectors_of(3, 0, 4, 8, 1) == 3 * 4);                  /* one for all */
    assert_true(sectors_of(3, 8, 3, 8, 1) == 3 * 3 * RC_CHUNKS_WARP);
    assert_true(sectors_of(3, 8, 4, 8, RC_CHUNKS_NOTHING) == 0);
    assert_true(sectors_of(0, 8, 4, 8, 1) == 0);
    assert_true(sectors_of(1700, 8, 4, 8, 1) == 1700.0 * 4 * RC_CHUNKS_WARP); /* a sample */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_hold_the_matrix),
        cmocka_unit_test(the_same_from_any_threads),
        cmocka_unit_test(entries_follow_the_rows),
        cmocka_unit_test(large_matrices_get_few_chunks),
        cmocka_unit_test(sectors_tell_how_far_columns_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
