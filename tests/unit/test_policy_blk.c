/* The order blk against its definition, every choice by looking at all rows. */
#include "config.h"
#include "unit.h"

#include "order/policy.h"
#include "order_matrix.h"
#include "rowcast_io.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reference {
    const rc_csr_t *a;
    int64_t hub;
    unsigned char *in_block; /* [cols] */
    unsigned char *placed;   /* [rows] */
    int32_t *slot;           /* [rows] */
    int64_t *bound;          /* [rows + 1] */
    int64_t blocks;
} reference_t;

static int is_hub(const reference_t *f, int32_t col)
{
    int64_t n = 0;
    for (int64_t e = 0; e < f->a->nnz; e++)
        n += f->a->col_idx[e] == col;
    return n > f->hub;
}

/* Columns of a row that the block has, or has not. */
static int64_t count(const reference_t *f, int64_t row, int in_block)
{
    int64_t n = 0;
    for (int64_t e = f->a->row_ptr[row]; e < f->a->row_ptr[row + 1]; e++) {
        int32_t c = f->a->col_idx[e];
        n += f->in_block[c] == in_block && !is_hub(f, c);
    }
    return n;
}

static int64_t best_row(const reference_t *f)
{
    int64_t best = -1;
    int64_t first = -1;
    for (int64_t r = f->a->rows - 1; r >= 0; r--) {
        if (f->placed[r])
            continue;
        first = r;
        if (count(f, r, 1) > 0 && (best < 0 || count(f, r, 0) <= count(f, best, 0)))
            best = r;
    }
    return best >= 0 ? best : first;
}

static int64_t distinct(const reference_t *f)
{
    int64_t n = 0;
    for (int64_t c = 0; c < f->a->cols; c++)
        n += f->in_block[c];
    return n;
}

static void order_by_definition(reference_t *f, int64_t cols)
{
    for (int64_t p = 0; p < f->a->rows; p++) {
        int64_t r = best_row(f);
        if (p == 0 || distinct(f) + count(f, r, 0) > cols) {
            memset(f->in_block, 0, (size_t)f->a->cols);
            f->bound[f->blocks++] = p;
        }
        f->placed[r] = 1;
        f->slot[p] = (int32_t)r;
        for (int64_t e = f->a->row_ptr[r]; e < f->a->row_ptr[r + 1]; e++)
            if (!is_hub(f, f->a->col_idx[e]))
                f->in_block[f->a->col_idx[e]] = 1;
    }
    f->bound[f->blocks] = f->a->rows;
}

static rc_schedule_t build(const rc_csr_t *a, int64_t cols, int64_t hub)
{
    char text[64];
    rc_schedule_t s = {0};
    rc_err_t err = {0};
    (void)snprintf(text, sizeof text, "blk:cols=%" PRId64 ":hub=%" PRId64, cols, hub);
    if (rc_order_build(text, a, NULL, 1 | RC_CHECKED, &s, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    return s;
}

/* \return the blocks */
static int64_t expect_definition(const rc_csr_t *a, int64_t cols, int64_t hub)
{
    reference_t f = {.a = a,
        .hub = hub,
        .in_block = calloc((size_t)a->cols + 1, 1),
        .placed = calloc((size_t)a->rows + 1, 1),
        .slot = calloc((size_t)a->rows + 1, sizeof(int32_t)),
        .bound = calloc((size_t)a->rows + 1, sizeof(int64_t))};
    assert_true(f.in_block && f.placed && f.slot && f.bound);
    order_by_definition(&f, cols);
    rc_schedule_t s = build(a, cols, hub);
    assert_int_equal(s.slots, a->rows);
    for (int64_t p = 0; p < s.slots; p++)
        if (s.row[p] != f.slot[p])
            fail_msg("%" PRId64 " rows, cols %" PRId64 ", slot %" PRId64 ": expected %" PRId32
                     ", found %" PRId32,
                a->rows, cols, p, f.slot[p], s.row[p]);
    assert_int_equal(s.levels, 1);
    assert_string_equal(s.group[0].name, "block_ptr");
    assert_int_equal(s.group[0].count, f.blocks);
    assert_memory_equal(s.group[0].ptr, f.bound, (size_t)(f.blocks + 1) * sizeof *s.group[0].ptr);
    rc_schedule_free(&s);
    free(f.in_block);
    free(f.placed);
    free(f.slot);
    free(f.bound);
    return f.blocks;
}

static void blocks_follow_the_definition(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 8);
    int several = 0;
    for (int round = 0; round < 300; round++) {
        rc_csr_t a;
        random_matrix(&r, 40, &a);
        int64_t cols = 1 + (int64_t)rc_rng_below(&r, 30);
        int64_t hub = rc_rng_below(&r, 2) ? 1024 : 1 + (int64_t)rc_rng_below(&r, 20);
        several += expect_definition(&a, cols, hub) > 2;
        free_matrix(&a);
    }
    assert_true(several > 50);
}

/* Columns that the blocks of an order need, all of them together. */
static int64_t columns_of(const rc_csr_t *a, const int32_t *row, const rc_groups_t *g)
{
    int32_t *last = calloc((size_t)a->cols, sizeof *last);
    int64_t n = 0;
    assert_non_null(last);
    for (int32_t i = 0; i < g->count; i++)
        for (int64_t p = g->ptr[i]; p < g->ptr[i + 1]; p++)
            for (int64_t e = a->row_ptr[row[p]]; e < a->row_ptr[row[p] + 1]; e++)
                if (last[a->col_idx[e]] != i + 1) {
                    last[a->col_idx[e]] = i + 1;
                    n++;
                }
    free(last);
    return n;
}

/* A block of a mesh is round: it needs fewer columns than as many rows in their order. */
static void blocks_of_a_mesh_are_round(void **state)
{
    (void)state;
    rc_csr_t mesh = {0};
    rc_err_t err = {0};
    if (rc_generate("mesh2d:n=150", &mesh, NULL, &err) < 0)
        fail_msg("mesh2d: %s", err.text);
    rc_schedule_t s = build(&mesh, 432, 1024);
    int32_t *natural = calloc((size_t)mesh.rows, sizeof *natural);
    assert_non_null(natural);
    for (int64_t p = 0; p < mesh.rows; p++)
        natural[p] = (int32_t)p;
    int64_t grown = columns_of(&mesh, s.row, &s.group[0]);
    assert_true(columns_of(&mesh, natural, &s.group[0]) > grown * 4 / 3);
    free(natural);
    rc_schedule_free(&s);
    rc_csr_free(&mesh);
}

/* Rows [begin, end) of the numbering as a matrix, under `blk`, are these slots. */
static void expect_part(const rc_csr_t *a, const rc_schedule_t *number, int64_t begin, int64_t end,
    const rc_schedule_t *s)
{
    rc_csr_t part = {.rows = end - begin, .cols = a->cols};
    int64_t n = 0;
    part.row_ptr = calloc((size_t)part.rows + 1, sizeof *part.row_ptr);
    part.col_idx = calloc((size_t)a->nnz + 1, sizeof *part.col_idx);
    assert_true(part.row_ptr && part.col_idx);
    for (int64_t r = 0; r < part.rows; r++) {
        int64_t row = number->row[begin + r];
        for (int64_t e = a->row_ptr[row]; e < a->row_ptr[row + 1]; e++)
            part.col_idx[n++] = a->col_idx[e];
        part.row_ptr[r + 1] = n;
    }
    part.nnz = n;
    rc_schedule_t alone = build(&part, 432, 1024);
    int64_t block = 0;
    while (s->group[0].ptr[block] < begin)
        block++;
    for (int64_t p = begin; p < end; p++)
        assert_int_equal(s->row[p], number->row[begin + alone.row[p - begin]]);
    for (int64_t i = 0; i < alone.group[0].count; i++)
        assert_int_equal(s->group[0].ptr[block + i], begin + alone.group[0].ptr[i]);
    rc_schedule_free(&alone);
    free(part.row_ptr);
    free(part.col_idx);
}

/* From 262,145 rows on parts of the order `auto` are ordered each by itself, by any number of threads. */
static void large_matrices_have_parts(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int64_t parts;
    } cases[] = {
        {"mesh2d:nx=512,ny=513,shuffle=both", 2}, {"banded:n=600001,lower=1,upper=0,shuffle=both", 3}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_csr_t a = {0};
        rc_schedule_t number = {0};
        rc_schedule_t three = {0};
        assert_int_equal(rc_generate(cases[i].spec, &a, NULL, NULL), RC_OK);
        assert_int_equal(rc_order_build("auto", &a, NULL, 2, &number, NULL), RC_OK);
        assert_int_equal(rc_order_build("blk", &a, NULL, 3, &three, NULL), RC_OK);
        rc_schedule_t s = build(&a, 432, 1024);
        assert_memory_equal(s.row, three.row, (size_t)a.rows * sizeof *s.row);
        assert_int_equal(s.group[0].count, three.group[0].count);
        for (int64_t k = 0; k < cases[i].parts; k++)
            expect_part(&a, &number, a.rows * k / cases[i].parts, a.rows * (k + 1) / cases[i].parts, &s);
        rc_schedule_free(&s);
        rc_schedule_free(&three);
        rc_schedule_free(&number);
        rc_csr_free(&a);
    }
}

/* Asked once in 256 rows of a part. */
static int stop_at_third(void *user)
{
    return ++*(int *)user >= 3;
}

static void it_ends_when_asked(void **state)
{
    (void)state;
    const rc_geometry_t g = {32, 32, 32};
    rc_policy_spec_t spec;
    rc_csr_t a;
    assert_int_equal(rc_policy_spec_parse("blk", &spec, NULL), RC_OK);
    assert_int_equal(rc_generate("mesh2d:n=50", &a, NULL, NULL), RC_OK);
    int asked = 0;
    const rc_order_watch_t watch = {.stop = stop_at_third, .user = &asked};
    rc_err_t err = {0};
    rc_schedule_t s = {0};
    assert_int_equal(rc_policy_build(&spec, &a, &g, 2, &watch, &s, &err), RC_EINTR);
    assert_int_equal(asked, 3);
    assert_string_equal(err.text, "order blk: drained");
    assert_null(s.row);
    rc_csr_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_ends_when_asked),
        cmocka_unit_test(blocks_follow_the_definition),
        cmocka_unit_test(blocks_of_a_mesh_are_round),
        cmocka_unit_test(large_matrices_have_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
