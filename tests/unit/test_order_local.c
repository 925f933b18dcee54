/* The orders mincol, minlabel, labels, cells, multilevel and auto against their definitions; and what they are for:
 * a shuffled mesh and shuffled communities come together again. */
#include "config.h"
#include "unit.h"

#include "order/curve.h"
#include "order/local.h"
#include "order/policy.h"
#include "order/sample.h"
#include "order_local_reference.h"
#include "order_matrix.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NONE = -1 };

/* Entries and distinct columns of the runs of an order. */
static void count_runs(const rc_csr_t *a, const int64_t *order, int64_t *entries, int64_t *distinct)
{
    enum { run = 64 };
    int64_t runs = a->rows / run < 256 ? a->rows / run : 256;
    *entries = *distinct = 0;
    for (int64_t i = 0; i < runs; i++) {
        int64_t *seen = define_numbers(a->cols, 0);
        for (int64_t p = i * a->rows / runs, end = p + run; p < end; p++)
            for (int64_t e = 0; e < define_length(a, order[p]); e++) {
                int64_t c = a->col_idx[a->row_ptr[order[p]] + e];
                ++*entries;
                *distinct += !seen[c];
                seen[c] = 1;
            }
        free(seen);
    }
}

enum { CSR, MINCOL, MULTILEVEL, LABELS };

static int is_skewed(const rc_csr_t *a)
{
    int64_t longest = 0;
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t n = a->row_ptr[r + 1] - a->row_ptr[r];
        longest = n > longest ? n : longest;
    }
    return longest > 128 * a->nnz / (a->rows > 0 ? a->rows : 1);
}

static int64_t *define_auto(const rc_csr_t *a, int *chosen)
{
    int64_t e[4];
    int64_t d[4];
    int64_t *order[] = {
        define_original(a->rows), define_mincol(a), define_multilevel(a, 64, 2), define_labels(a, 8)};
    for (int i = 0; i < 4; i++)
        count_runs(a, order[i], &e[i], &d[i]);
    *chosen = CSR;
    if (4 * e[CSR] < 5 * d[CSR]) {
        rc_sharing_t ball;
        rc_sharing_t column;
        rc_sample_balls(a, 1, &ball);
        assert_int_equal(rc_sample_columns(a, 1, &column, NULL), RC_OK);
        if (is_skewed(a) && 9 * e[MINCOL] * d[CSR] >= 10 * e[CSR] * d[MINCOL] &&
            e[MINCOL] * ball.distinct >= ball.entries * d[MINCOL] &&
            e[MINCOL] * column.distinct >= column.entries * d[MINCOL])
            *chosen = MINCOL;
        else if (9 * e[MULTILEVEL] * d[CSR] >= 10 * e[CSR] * d[MULTILEVEL])
            *chosen = MULTILEVEL;
        if (*chosen == MULTILEVEL && !is_skewed(a) &&
            9 * ball.entries * d[MULTILEVEL] < 10 * e[MULTILEVEL] * ball.distinct &&
            20 * e[LABELS] * d[MULTILEVEL] >= 21 * e[MULTILEVEL] * d[LABELS])
            *chosen = LABELS;
    }
    for (int i = 0; i < 4; i++)
        if (i != *chosen)
            free(order[i]);
    return order[*chosen];
}

/* ------------------------------------------------------------------- tests */

static void expect(const char *text, const rc_csr_t *a, int64_t *order)
{
    for (int threads = 1; threads <= 3; threads++) {
        rc_schedule_t s = {0};
        rc_err_t err = {0};
        if (rc_order_build(text, a, NULL, threads, &s, &err) < 0)
            fail_msg("%s: %s", text, err.text);
        assert_int_equal(s.slots, a->rows);
        for (int64_t p = 0; p < s.slots; p++)
            if (s.row[p] != order[p])
                fail_msg("%s, %" PRId64 " rows, %d threads, slot %" PRId64 ": expected %" PRId64
                         ", found %" PRId32, text, a->rows, threads, p, order[p], s.row[p]);
        rc_schedule_free(&s);
    }
    free(order);
}

static void expect_all(const rc_csr_t *a)
{
    expect("mincol", a, define_mincol(a));
    expect("minlabel", a, define_minlabel(a, 1, 2, 5));
    expect("minlabel:fine=0:middle=0:coarse=2", a, define_minlabel(a, 0, 0, 2));
    expect("labels", a, define_labels(a, 8));
    expect("labels:rounds=1", a, define_labels(a, 1));
    expect("cells", a, define_cells(a, 64, 16, 2));
    expect("cells:size=2:branch=2:rounds=0", a, define_cells(a, 2, 2, 0));
    expect("cells:size=5:branch=3:rounds=1", a, define_cells(a, 5, 3, 1));
    expect("cells:size=2:branch=4:rounds=0", a, define_cells(a, 2, 4, 0));
    expect("multilevel", a, define_multilevel(a, 64, 2));
    expect("multilevel:size=2:rounds=0", a, define_multilevel(a, 2, 0));
    int chosen;
    expect("auto", a, define_auto(a, &chosen));
}

static void they_follow_their_definitions(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 91);
    for (int round = 0; round < 40; round++) {
        rc_csr_t a;
        random_matrix(&r, 120, &a);
        expect_all(&a);
        free_matrix(&a);
    }
}

static void also_on_generated_matrices(void **state)
{
    (void)state;
    static const char *const specs[] = {"mesh2d:n=22", "powerlaw:n=500", "lp:rows=200,cols=700",
        "manyempty:n=600", "banded:n=700,lower=1,upper=0", "uniform:n=400,cols=90"};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a;
        rc_err_t err = {0};
        if (rc_generate(specs[i], &a, NULL, &err) < 0)
            fail_msg("%s", err.text);
        expect_all(&a);
        rc_csr_free(&a);
    }
}

/* More cells than the top may have. */
static void levels_of_cells(void **state)
{
    (void)state;
    rc_csr_t a;
    rc_err_t err = {0};
    if (rc_generate("mesh2d:n=45", &a, NULL, &err) < 0)
        fail_msg("%s", err.text);
    expect("multilevel:size=2:rounds=1", &a, define_multilevel(&a, 2, 1));
    rc_csr_free(&a);
}

static void the_hash_has_its_inverse(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t x = i * 42949u;
        assert_int_equal(rc_local_hash(x), define_hash(x));
        assert_int_equal(rc_local_unhash(define_hash(x)), x);
        assert_int_equal(rc_local_drawer(rc_local_draw(x, (int)(i % 9)), (int)(i % 9)), x);
    }
}

/* Every octant of an octant of an octant once, each next to the one before. */
static void the_curve_goes_from_place_to_place(void **state)
{
    (void)state;
    enum { edge = 8, places = edge * edge * edge, shift = RC_CURVE_PLACE_BITS - 3 };
    int32_t at[places][3];
    int seen[places] = {0};
    for (int i = 0; i < places; i++) {
        const int32_t x[3] = {i / 64, i / 8 % 8, i % 8};
        const int32_t place[3] = {x[0] << shift, x[1] << shift, x[2] << shift};
        uint32_t key = rc_curve_key(place) >> (3 * (RC_CURVE_KEY_BITS - 3));
        assert_true(key < places);
        assert_int_equal(seen[key]++, 0);
        memcpy(at[key], x, sizeof x);
    }
    for (int i = 1; i < places; i++)
        assert_int_equal(abs(at[i][0] - at[i - 1][0]) + abs(at[i][1] - at[i - 1][1]) +
                abs(at[i][2] - at[i - 1][2]), 1);
}

static int by_number(const void *x, const void *y)
{
    return *(const int32_t *)x < *(const int32_t *)y ? -1 : 1;
}

/* Rows and columns in random orders, which need not agree. */
static void shuffle(const rc_csr_t *a, rc_csr_t *out)
{
    rc_schedule_t rows = {0};
    rc_schedule_t cols = {0};
    assert_int_equal(a->rows, a->cols);
    assert_int_equal(rc_order_build("random:seed=3", a, NULL, 1, &rows, NULL), RC_OK);
    assert_int_equal(rc_order_build("random:seed=4", a, NULL, 1, &cols, NULL), RC_OK);
    assert_int_equal(rc_csr_alloc(a->rows, a->cols, a->nnz, out, NULL), RC_OK);
    for (int64_t p = 0; p < a->rows; p++) {
        int64_t begin = a->row_ptr[rows.row[p]];
        int64_t n = a->row_ptr[rows.row[p] + 1] - begin;
        int32_t *to = out->col_idx + out->row_ptr[p];
        for (int64_t e = 0; e < n; e++)
            to[e] = cols.row[a->col_idx[begin + e]];
        qsort(to, (size_t)n, sizeof *to, by_number);
        memset(out->val + out->row_ptr[p], 0, (size_t)n * sizeof *out->val);
        out->row_ptr[p + 1] = out->row_ptr[p] + n;
    }
    rc_schedule_free(&rows);
    rc_schedule_free(&cols);
}

/* Distinct columns of every 128 slots. */
static int64_t distinct(const rc_csr_t *a, const char *text)
{
    enum { window = 128 };
    rc_schedule_t s = {0};
    int64_t count = 0;
    int64_t *last = define_numbers(a->cols, NONE);
    assert_int_equal(rc_order_build(text, a, NULL, 2, &s, NULL), RC_OK);
    for (int64_t p = 0; p < s.slots; p++)
        for (int64_t e = a->row_ptr[s.row[p]]; e < a->row_ptr[s.row[p] + 1]; e++) {
            count += last[a->col_idx[e]] != p / window;
            last[a->col_idx[e]] = p / window;
        }
    free(last);
    rc_schedule_free(&s);
    return count;
}

/* That many entries for each distinct column of 128 rows, where shuffled rows have about one. */
static void shuffled_rows_come_together(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        const char *policy;
        double least;
    } want[] = {{"mesh2d:n=120", "cells", 2.5}, {"mesh2d:n=120", "cells:rounds=0", 2.5},
        {"mesh2d:n=120", "minlabel", 2}, {"mesh2d:n=120", "labels", 2},
        {"mesh2d:n=120", "mincol", 1.2}, {"block:n=6000,size=20,between=2", "labels", 5},
        {"block:n=6000,size=20,between=2", "cells", 3},
        {"mesh2d:n=120", "multilevel", 2.5}, {"block:n=6000,size=20,between=2", "multilevel", 3}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        rc_csr_t a;
        rc_csr_t b = {0};
        assert_int_equal(rc_generate(want[i].spec, &a, NULL, NULL), RC_OK);
        shuffle(&a, &b);
        double before = (double)b.nnz / (double)distinct(&b, "csr");
        double after = (double)b.nnz / (double)distinct(&b, want[i].policy);
        if (before > 2 || after < want[i].least)
            fail_msg("%s, %s: %g before, expected %g, found %g", want[i].spec, want[i].policy, before,
                want[i].least, after);
        rc_csr_free(&a);
        rc_csr_free(&b);
    }
}

/* What auto does: it orders a shuffled mesh, an R-MAT graph and communities, and neither a natural mesh nor what has
 * nothing to gain. */
static void auto_orders_where_it_pays(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        int shuffled;
        int ordered;
    } want[] = {{"mesh2d:n=40", 1, MULTILEVEL}, {"mesh2d:n=40,points=9", 0, CSR}, {"uniform:n=2000,mean=6", 0, CSR},
        {"mesh2d:n=7", 1, CSR}, {"rmat:scale=13,edges=4", 1, MINCOL}, {"sbm:n=3000,communities=60", 1, LABELS},
        {"lfr:n=3000", 1, LABELS}, {"geometric:n=3000", 1, MULTILEVEL}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        rc_csr_t a;
        rc_csr_t b = {0};
        int chosen;
        assert_int_equal(rc_generate(want[i].spec, &a, NULL, NULL), RC_OK);
        shuffle(&a, &b);
        const rc_csr_t *m = want[i].shuffled ? &b : &a;
        expect("auto", m, define_auto(m, &chosen));
        if (chosen != want[i].ordered)
            fail_msg("%s: expected %d, found %d", want[i].spec, want[i].ordered, chosen);
        rc_csr_free(&a);
        rc_csr_free(&b);
    }
}

static void rounds_must_ascend(void **state)
{
    (void)state;
    rc_csr_t a;
    rc_schedule_t s = {0};
    rc_err_t err = {0};
    const unsigned char flag[4] = {1, 0, 0, 1};
    matrix_from_flags(flag, 2, 2, &a);
    assert_int_equal(
        rc_order_build("minlabel:fine=3:middle=2", &a, NULL, 1, &s, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "fine <= middle <= coarse, found 3, 2, 5"));
    free_matrix(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_hash_has_its_inverse),
        cmocka_unit_test(the_curve_goes_from_place_to_place),
        cmocka_unit_test(they_follow_their_definitions),
        cmocka_unit_test(also_on_generated_matrices),
        cmocka_unit_test(levels_of_cells),
        cmocka_unit_test(shuffled_rows_come_together),
        cmocka_unit_test(auto_orders_where_it_pays),
        cmocka_unit_test(rounds_must_ascend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
