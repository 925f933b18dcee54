/* The order pairs against its definition, every choice by looking at all units, and what it is for. */
#include "config.h"
#include "unit.h"

#include "order/policy.h"
#include "order_matrix.h"
#include "rowcast_io.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 40, PASSES = 3 };

typedef struct reference {
    int64_t units;
    int64_t cols;
    int64_t look;
    double least;
    unsigned char *has; /* [units][cols] */
    int64_t mate[MOST];
    int64_t group[MOST]; /* of every row */
} reference_t;

static int has(const reference_t *f, int64_t u, int64_t c)
{
    return f->has[u * f->cols + c];
}

static int64_t common(const reference_t *f, int64_t u, int64_t v, int near)
{
    int64_t n = 0;
    for (int64_t c = 0; c < f->cols; c++) {
        int64_t between = 0;
        for (int64_t w = u < v ? u : v; w < (u < v ? v : u); w++)
            between += has(f, w, c);
        n += has(f, u, c) && has(f, v, c) && (!near || between <= f->look);
    }
    return n;
}

static double alike(const reference_t *f, int64_t u, int64_t v, int near)
{
    int64_t both = common(f, u, v, near);
    int64_t all = -both;
    for (int64_t c = 0; c < f->cols; c++)
        all += has(f, u, c) + has(f, v, c);
    return both > 0 ? (double)both / (double)all : 0;
}

static int64_t partner_of(const reference_t *f, int64_t u)
{
    int64_t best = -1;
    double most = 0;
    for (int64_t far = 1; far < f->units; far++)
        for (int side = -1; side <= 1; side += 2) {
            int64_t v = u + side * far;
            if (v < 0 || v >= f->units || f->mate[v] >= 0 || alike(f, u, v, 1) <= most)
                continue;
            most = alike(f, u, v, 1);
            best = v;
        }
    return best;
}

static int64_t one_pass(reference_t *f)
{
    int64_t partner[MOST];
    int64_t taken = 0;
    for (int64_t u = 0; u < f->units; u++)
        partner[u] = f->mate[u] < 0 ? partner_of(f, u) : -1;
    for (;;) {
        int64_t x = -1;
        int64_t y = -1;
        double most = f->least;
        for (int64_t u = 0; u < f->units; u++)
            for (int64_t v = u + 1; v < f->units; v++)
                if ((partner[u] == v || partner[v] == u) && f->mate[u] < 0 && f->mate[v] < 0 &&
                    (x < 0 ? alike(f, u, v, 0) >= most : alike(f, u, v, 0) > most)) {
                    x = u;
                    y = v;
                    most = alike(f, u, v, 0);
                }
        if (x < 0)
            return taken;
        f->mate[x] = y;
        f->mate[y] = x;
        taken++;
    }
}

static void join(reference_t *f, int64_t rows)
{
    int64_t number[MOST];
    int64_t n = 0;
    for (int64_t u = 0; u < f->units; u++) {
        int first = f->mate[u] < 0 || u < f->mate[u];
        number[u] = first ? n++ : number[f->mate[u]];
        for (int64_t c = 0; c < f->cols; c++) {
            unsigned char *to = &f->has[number[u] * f->cols + c];
            *to = first ? (unsigned char)has(f, u, c) : *to | (unsigned char)has(f, u, c);
        }
    }
    for (int64_t r = 0; r < rows; r++)
        f->group[r] = number[f->group[r]];
    f->units = n;
}

static void group_by_definition(reference_t *f, const rc_csr_t *a, int64_t most)
{
    f->units = a->rows;
    for (int64_t r = 0; r < a->rows; r++) {
        f->group[r] = r;
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            f->has[r * a->cols + a->col_idx[e]] = 1;
    }
    for (int64_t rows = 2; rows <= most; rows *= 2) {
        for (int64_t u = 0; u < f->units; u++)
            f->mate[u] = -1;
        for (int pass = 0; pass < PASSES; pass++)
            if (one_pass(f) == 0)
                break;
        join(f, a->rows);
    }
}

static rc_schedule_t build(const rc_csr_t *a, int64_t rows, int64_t look, double least, int threads)
{
    char text[96];
    rc_schedule_t s = {0};
    rc_err_t err = {0};
    (void)snprintf(
        text, sizeof text, "pairs:rows=%" PRId64 ":look=%" PRId64 ":sim_min=%g", rows, look, least);
    if (rc_order_build(text, a, NULL, threads, &s, &err) < 0)
        fail_msg("%s: %s", text, err.text);
    assert_int_equal(rc_schedule_check(&s, a, NULL), RC_OK);
    return s;
}

/* \return groups of more than two rows */
static int expect_definition(
    const rc_csr_t *a, int64_t rows, int64_t look, double least, int threads)
{
    reference_t f = {.cols = a->cols, .look = look, .least = least};
    int large = 0;
    int64_t p = 0;
    f.has = calloc((size_t)(a->rows * a->cols) + 1, 1);
    assert_non_null(f.has);
    group_by_definition(&f, a, rows);
    rc_schedule_t s = build(a, rows, look, least, threads);
    assert_int_equal(s.slots, a->rows);
    if (a->rows > 0) {
        assert_int_equal(s.levels, 1);
        assert_string_equal(s.group[0].name, "pair_ptr");
        assert_int_equal(s.group[0].count, f.units);
    }
    for (int64_t u = 0; u < f.units; u++) {
        assert_int_equal(s.group[0].ptr[u], p);
        for (int64_t r = 0; r < a->rows; r++)
            if (f.group[r] == u && s.row[p++] != r)
                fail_msg("%" PRId64 " rows, look %" PRId64 ", slot %" PRId64 ": expected %" PRId64
                         ", found %" PRId32,
                    a->rows, look, p - 1, r, s.row[p - 1]);
        large += p - s.group[0].ptr[u] > 2;
    }
    rc_schedule_free(&s);
    free(f.has);
    return large;
}

static void groups_follow_the_definition(void **state)
{
    (void)state;
    static const double least[] = {0, 0.25, 0.4, 0.5, 1};
    rc_rng_t r;
    rc_rng_seed(&r, 12);
    int large = 0;
    for (int round = 0; round < 120; round++) {
        rc_csr_t a;
        random_matrix(&r, round % 4 ? 16 : MOST, &a);
        int64_t rows = INT64_C(2) << rc_rng_below(&r, 3);
        int64_t look = rc_rng_below(&r, 2) ? 16 : 1 + (int64_t)rc_rng_below(&r, 5);
        double sim_min = least[rc_rng_below(&r, sizeof least / sizeof *least)];
        large += expect_definition(&a, rows, look, sim_min, 1 + round % 3) > 0;
        free_matrix(&a);
    }
    assert_true(large > 20);
}

/* Columns of pairs of slots, each once. */
static int64_t columns_of_pairs(const rc_csr_t *a, const int32_t *row)
{
    int64_t n = 0;
    for (int64_t p = 0; p + 1 < a->rows; p += 2) {
        int64_t e = a->row_ptr[row[p]];
        n += a->row_ptr[row[p] + 1] - e;
        for (int64_t f = a->row_ptr[row[p + 1]]; f < a->row_ptr[row[p + 1] + 1]; f++) {
            while (e < a->row_ptr[row[p] + 1] && a->col_idx[e] < a->col_idx[f])
                e++;
            n += e == a->row_ptr[row[p] + 1] || a->col_idx[e] != a->col_idx[f];
        }
    }
    return n;
}

/* Rows that are there twice, far from each other, meet. */
static void equal_rows_meet(void **state)
{
    (void)state;
    enum { ROWS = 2000, HALF = ROWS / 2, EACH = 6 };
    rc_triple_t *t = calloc((size_t)ROWS * EACH, sizeof *t);
    rc_csr_t a = {0};
    rc_rng_t r;
    assert_non_null(t);
    rc_rng_seed(&r, 3);
    for (int32_t i = 0; i < HALF; i++)
        for (int32_t e = 0; e < EACH; e++) {
            int32_t col = (int32_t)rc_rng_below(&r, ROWS);
            t[i * EACH + e] = (rc_triple_t){i, col, 1};
            t[(i + HALF) * EACH + e] = (rc_triple_t){HALF + (i + 7) % HALF, col, 1};
        }
    assert_int_equal(
        rc_csr_from_triples(ROWS, ROWS, t, (int64_t)ROWS * EACH, 1, &a, NULL, NULL), RC_OK);
    rc_schedule_t s = build(&a, 2, 16, 0.4, 2);
    assert_int_equal(s.group[0].count, HALF);
    assert_int_equal(columns_of_pairs(&a, s.row), a.nnz / 2);
    rc_schedule_free(&s);
    rc_csr_free(&a);
    free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_follow_the_definition),
        cmocka_unit_test(equal_rows_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
