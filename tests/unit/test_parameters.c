/* What is chosen on training matrices, and which these are; tunings of rs: which K they take, what the tree and the
 * costs choose. */
#include "config.h"
#include "unit.h"

#include "analysis/papers/hong/paths.h"
#include "kernels/tuning/rs.h"
#include "kernels/tuning/rs_tuning.h"
#include "order_matrix.h"
#include "table/training.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MATRICES = 2000 };

/* Matrices of the given numbers of entries, in another order. */
static int64_t choose(const int64_t *nnz, int64_t n, rc_training_matrix_t *list, char (*name)[16])
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = (i * 7919 + 5) % n; /* 7919 is prime, n is not a multiple of it */
        (void)snprintf(name[i], sizeof name[i], "m%06lld", (long long)at);
        list[i] = (rc_training_matrix_t){.nnz = nnz[at], .name = name[i], .id = (int32_t)at};
    }
    return rc_training_choose(list, n);
}

static void exactly_every_twentieth(void **state)
{
    (void)state;
    static int64_t nnz[MATRICES];
    static rc_training_matrix_t list[MATRICES];
    static char name[MATRICES][16];
    for (int i = 0; i < MATRICES; i++)
        nnz[i] = i < 1000 ? 10 * i : 100000 + i / 3; /* some are equal: by name */
    assert_int_equal(choose(nnz, MATRICES, list, name), 50);
    for (int i = 0; i < MATRICES; i++) {
        assert_int_equal(list[i].id, i);
        assert_int_equal(list[i].chosen, i >= 1000 && (i - 1000) % 20 == 19);
    }
}

/* 39 is fewer than 40: then every 5th of a tenth of the entries. */
static void fewer_than_forty(void **state)
{
    (void)state;
    static int64_t nnz[MATRICES];
    static rc_training_matrix_t list[MATRICES];
    static char name[MATRICES][16];
    for (int i = 0; i < 899; i++)
        nnz[i] = i < 50 ? 9950 + i : i < 100 ? 10000 + i : 100000 + i;
    assert_int_equal(choose(nnz, 899, list, name), 849 / 5);
    for (int i = 0; i < 899; i++)
        assert_int_equal(list[i].chosen, i >= 50 && (i - 50) % 5 == 4);
    nnz[899] = 200000; /* 800 of 100,000: 40 */
    assert_int_equal(choose(nnz, 900, list, name), 40);
    for (int i = 0; i < 900; i++)
        assert_int_equal(list[i].chosen, i >= 100 && (i - 100) % 20 == 19);
    assert_int_equal(rc_training_choose(list, 0), 0);
}

static void set_time(double *ns, int matrix, int t, int cfv, int cfh, double time)
{
    ns[matrix * RC_PARAMETERS_CELLS + rc_parameters_cell(t, cfv, cfh)] = time;
}

/* cfh first, of all; cfv at that; t at both. */
static void frequencies(void **state)
{
    (void)state;
    enum { n = 5 };
    static double ns[n * RC_PARAMETERS_CELLS];
    int32_t label[n];
    rc_parameters_t p;
    rc_err_t err = {0};
    for (int i = 0; i < n * RC_PARAMETERS_CELLS; i++)
        ns[i] = NAN;
    assert_int_equal(rc_parameters_choose(ns, n, label, &p, &err), RC_EINVAL);
    for (int m = 0; m < 3; m++) {
        set_time(ns, m, 16, 4, 2, 5); /* best of three: cfh 2 */
        set_time(ns, m, 3 + m, 1, 2, 6);
    }
    for (int m = 3; m < n; m++) {
        set_time(ns, m, 9, 1, 4, 1); /* best of two: cfh 4 */
        set_time(ns, m, 7, 1, 2, 2);
        set_time(ns, m, 8, 1, 2, 2); /* equally fast: the smaller t */
    }
    set_time(ns, 0, 1, 1, 2, 4); /* at cfh 2: cfv 1 of three */
    assert_int_equal(rc_parameters_choose(ns, n, label, &p, &err), RC_OK);
    assert_int_equal(p.cfh, 2);
    assert_int_equal(p.cfv, 1);
    assert_int_equal(p.t, 7);
    assert_int_equal(p.counted, n);
    const int32_t want[n] = {0, 3, 4, 6, 6};
    assert_memory_equal(label, want, sizeof want);
}

static rc_rs_tuning_t tuning_of(rc_rs_setting_t *s, int n)
{
    return (rc_rs_tuning_t){.device = "here", .setting = s, .settings = n};
}

static void nearest_k(void **state)
{
    (void)state;
    rc_rs_setting_t s[] = {{.k = 8}, {.k = 128}, {.k = 32}, {.k = 8, .precision = RC_FP64}};
    const rc_rs_tuning_t t = tuning_of(s, 4);
    static const int64_t k[][2] = {
        {1, 8}, {8, 8}, {15, 8}, {16, 8}, {17, 32}, {32, 32}, {64, 32}, {65, 128}, {4096, 128}};
    for (size_t i = 0; i < sizeof k / sizeof *k; i++)
        assert_int_equal(rc_rs_tuning_setting(&t, k[i][0], RC_FP32)->k, k[i][1]);
    assert_ptr_equal(rc_rs_tuning_setting(&t, 512, RC_FP64), &s[3]);
    const rc_rs_tuning_t narrow = tuning_of(s, 3);
    assert_null(rc_rs_tuning_setting(&narrow, 8, RC_FP64));
}

/* The inputs are the features of the sets hong and segments, and a tree asks by their numbers. */
static void choice(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 5);
    for (int round = 0; round < 50; round++) {
        rc_csr_t a;
        double x[RC_RS_INPUTS];
        random_matrix(&r, 200, &a);
        assert_int_equal(rc_rs_inputs(&a, 1, x, NULL), RC_OK);
        double pairs = 0;
        for (int i = 0; i < RC_DISTANCES; i++)
            pairs += x[i];
        int64_t rows = 0;
        for (int64_t i = 0; i < a.rows; i++)
            rows += a.row_ptr[i + 1] > a.row_ptr[i];
        assert_true(pairs == (double)(a.nnz - rows));
        assert_true(x[RC_DISTANCES] == (double)rows); /* one panel of 256 columns */
        rc_question_t node[] = {
            {RC_DISTANCES, 1, 2, 0, x[RC_DISTANCES]}, {-1, -1, -1, 3, 0}, {-1, -1, -1, 9, 0}};
        rc_rs_setting_t s = {.node = node, .nodes = 3, .cost = {{5, 5, 5}, {1, 1, 1}, 7, 2}};
        rc_rs_choice_t c = {.w = 64};
        assert_int_equal(rc_rs_tuning_choose(&s, &a, RC_FP32, &c, NULL), RC_OK);
        assert_int_equal(c.t, 3);
        assert_int_equal(c.cfv, 1); /* equal costs: the smallest */
        assert_int_equal(c.size.rule.w, 64);
        assert_int_equal(c.size.rule.t, 3);
        node[0].threshold = x[RC_DISTANCES] - 1;
        s.cost.heavy_entry[0] = s.cost.heavy_segment[0] = 1e9;
        s.cost.heavy_entry[2] = s.cost.heavy_segment[2] = 0;
        c = (rc_rs_choice_t){.w = 64};
        assert_int_equal(rc_rs_tuning_choose(&s, &a, RC_FP32, &c, NULL), RC_OK);
        assert_int_equal(c.t, 9);
        assert_int_equal(c.cfv, c.size.heavy ? 4 : 1);
        c = (rc_rs_choice_t){.t = 2, .w = 32, .cfv = 2}; /* what is given stays */
        assert_int_equal(rc_rs_tuning_choose(&s, &a, RC_FP32, &c, NULL), RC_OK);
        assert_true(c.t == 2 && c.cfv == 2 && c.size.rule.w == 32 && c.size.rule.t == 2);
        free_matrix(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exactly_every_twentieth),
        cmocka_unit_test(fewer_than_forty),
        cmocka_unit_test(frequencies),
        cmocka_unit_test(nearest_k),
        cmocka_unit_test(choice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
