/* Properties of splits on random data sets. */
#include "config.h"
#include "unit.h"

#include "analysis/split.h"
#include "base/rng.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALL(x, kind, seed)                                                                         \
    &(rc_split_t)                                                                                  \
    {                                                                                              \
        &(x)->d, NULL, (x)->d.rows, kind, seed                                                     \
    }

enum { ROUNDS = 60, MOST = 400 };

typedef struct data {
    rc_dataset_t d;
    rc_sample_t sample[MOST];
    char name[MOST][16];
    char *group[MOST];
    int fold[MOST];
    int again[MOST];
} data_t;

/* Rows of matrices of groups of several sizes. */
static void make(rc_rng_t *r, int groups, data_t *x)
{
    int64_t rows = 0;
    memset(x, 0, sizeof *x);
    for (int g = 0; g < groups; g++) {
        int matrices = 1 + (int)rc_rng_below(r, g == 0 ? 20 : 4);
        (void)snprintf(x->name[g], sizeof x->name[g], "G%03d", g);
        x->group[g] = x->name[g];
        for (int m = 0; m < matrices; m++) {
            int ks = 1 + (int)rc_rng_below(r, 4);
            uint64_t id = rc_rng_next(r);
            for (int k = 0; k < ks && rows < MOST; k++) {
                rc_sample_t *s = &x->sample[rows++];
                s->group = g;
                s->k = 1 << k;
                memcpy(s->digest, rc_digest_hex(rc_digest(&id, sizeof id)).text, RC_DIGEST_HEX + 1);
            }
        }
    }
    x->d.rows = rows;
    x->d.groups = groups;
    x->d.sample = x->sample;
    x->d.group = x->group;
}

static const char *unit_of(const data_t *x, rc_split_kind_t kind, int64_t i)
{
    const rc_sample_t *s = &x->sample[i];
    return kind == RC_SPLIT_GROUP ? x->group[s->group] : s->digest;
}

/* No unit is on two sides. */
static void units_are_whole(const data_t *x, rc_split_kind_t kind, const int *side)
{
    for (int64_t i = 0; i < x->d.rows; i++)
        for (int64_t j = 0; j < i; j++)
            if (strcmp(unit_of(x, kind, i), unit_of(x, kind, j)) == 0)
                assert_int_equal(side[i], side[j]);
}

static int64_t rows_of(const data_t *x, rc_split_kind_t kind, int64_t unit)
{
    int64_t n = 0;
    for (int64_t i = 0; i < x->d.rows; i++)
        n += strcmp(unit_of(x, kind, i), unit_of(x, kind, unit)) == 0;
    return n;
}

static int units(const data_t *x, rc_split_kind_t kind)
{
    int n = 0;
    for (int64_t i = 0; i < x->d.rows; i++) {
        int first = 1;
        for (int64_t j = 0; j < i && first; j++)
            first = strcmp(unit_of(x, kind, i), unit_of(x, kind, j)) != 0;
        n += first;
    }
    return n;
}

/* Rows in another order, with the groups numbered the same. */
static void reverse(const data_t *x, data_t *y)
{
    *y = *x;
    for (int64_t i = 0; i < x->d.rows; i++)
        y->sample[i] = x->sample[x->d.rows - 1 - i];
    y->d.sample = y->sample;
    for (int g = 0; g < x->d.groups; g++)
        y->group[g] = y->name[g];
    y->d.group = y->group;
}

static int descending(const void *a, const void *b)
{
    const int64_t *x = a;
    const int64_t *y = b;
    return (*x < *y) - (*x > *y);
}

/* Rows of the folds, largest first, when units are dealt by size to the fold that has fewest. */
static void plain_deal(const data_t *x, rc_split_kind_t kind, int folds, int64_t *rows)
{
    int64_t size[MOST];
    int n = 0;
    for (int64_t i = 0; i < x->d.rows; i++) {
        int first = 1;
        for (int64_t j = 0; j < i && first; j++)
            first = strcmp(unit_of(x, kind, i), unit_of(x, kind, j)) != 0;
        if (first)
            size[n++] = rows_of(x, kind, i);
    }
    qsort(size, (size_t)n, sizeof *size, descending);
    for (int i = 0; i < n; i++) {
        int to = 0;
        for (int f = 1; f < folds; f++)
            to = rows[f] < rows[to] ? f : to;
        rows[to] += size[i];
    }
    qsort(rows, (size_t)folds, sizeof *rows, descending);
}

static void folds_hold_whole_units_and_are_of_like_size(void **state)
{
    rc_rng_t r;
    (void)state;
    rc_rng_seed(&r, 3);
    data_t *x = malloc(sizeof *x);
    data_t *y = malloc(sizeof *y);
    assert_non_null(x);
    assert_non_null(y);
    for (int round = 0; round < ROUNDS; round++) {
        rc_split_kind_t kind = round % 2 ? RC_SPLIT_RANDOM : RC_SPLIT_GROUP;
        int folds = 2 + (int)rc_rng_below(&r, 6);
        int64_t rows[8] = {0};
        int64_t plain[8] = {0};
        make(&r, 8 + (int)rc_rng_below(&r, 30), x);
        assert_int_equal(rc_split_folds(ALL(x, kind, 7), folds, x->fold, NULL), RC_OK);
        units_are_whole(x, kind, x->fold);
        for (int64_t i = 0; i < x->d.rows; i++) {
            assert_in_range(x->fold[i], 0, folds - 1);
            rows[x->fold[i]]++;
        }
        qsort(rows, (size_t)folds, sizeof *rows, descending);
        plain_deal(x, kind, folds, plain);
        assert_memory_equal(rows, plain, sizeof rows);
        assert_true(rows[folds - 1] > 0);
        reverse(x, y);
        assert_int_equal(rc_split_folds(ALL(y, kind, 7), folds, y->fold, NULL), RC_OK);
        for (int64_t i = 0; i < x->d.rows; i++)
            assert_int_equal(y->fold[i], x->fold[x->d.rows - 1 - i]);
    }
    free(x);
    free(y);
}

static void a_test_part_is_as_near_to_its_share_as_units_allow(void **state)
{
    rc_rng_t r;
    (void)state;
    rc_rng_seed(&r, 4);
    data_t *x = malloc(sizeof *x);
    data_t *y = malloc(sizeof *y);
    assert_non_null(x);
    assert_non_null(y);
    for (int round = 0; round < ROUNDS; round++) {
        rc_split_kind_t kind = round % 2 ? RC_SPLIT_RANDOM : RC_SPLIT_GROUP;
        double share = 0.05 + 0.9 * rc_rng_unit(&r);
        int64_t rows = 0;
        make(&r, 2 + (int)rc_rng_below(&r, 30), x);
        double want = share * (double)x->d.rows;
        assert_int_equal(rc_split_share(ALL(x, kind, 5), share, x->fold, NULL), RC_OK);
        units_are_whole(x, kind, x->fold);
        for (int64_t i = 0; i < x->d.rows; i++) {
            assert_in_range(x->fold[i], 0, 1);
            rows += x->fold[i];
        }
        assert_in_range(rows, 1, x->d.rows - 1);
        /* a unit that went beyond the share had to bring the part nearer to it */
        int64_t largest = 0;
        int several = 0;
        for (int64_t i = 0; i < x->d.rows; i++) {
            int64_t n = x->fold[i] ? rows_of(x, kind, i) : 0;
            largest = n > largest ? n : largest;
            several |= n > 0 && n < rows;
        }
        if (several && (double)rows > want)
            assert_true(2 * ((double)rows - want) < (double)largest);
        /* no unit more would bring it nearer, unless it is the last of the other side */
        for (int64_t i = 0; i < x->d.rows; i++) {
            int64_t n = rows_of(x, kind, i);
            if (!x->fold[i] && rows + n < x->d.rows)
                assert_true(fabs((double)(rows + n) - want) >= fabs((double)rows - want));
        }
        reverse(x, y);
        assert_int_equal(rc_split_share(ALL(y, kind, 5), share, y->fold, NULL), RC_OK);
        for (int64_t i = 0; i < x->d.rows; i++)
            assert_int_equal(y->fold[i], x->fold[x->d.rows - 1 - i]);
    }
    free(x);
    free(y);
}

static void the_seed_decides(void **state)
{
    rc_rng_t r;
    (void)state;
    rc_rng_seed(&r, 5);
    data_t *x = malloc(sizeof *x);
    assert_non_null(x);
    make(&r, 40, x);
    int differ[2] = {0, 0};
    for (uint64_t seed = 1; seed < 6; seed++) {
        assert_int_equal(rc_split_share(ALL(x, RC_SPLIT_GROUP, 0), 0.3, x->fold, NULL), RC_OK);
        assert_int_equal(rc_split_share(ALL(x, RC_SPLIT_GROUP, seed), 0.3, x->again, NULL), RC_OK);
        differ[0] += memcmp(x->fold, x->again, (size_t)x->d.rows * sizeof *x->fold) != 0;
        assert_int_equal(rc_split_folds(ALL(x, RC_SPLIT_RANDOM, 0), 5, x->fold, NULL), RC_OK);
        assert_int_equal(rc_split_folds(ALL(x, RC_SPLIT_RANDOM, seed), 5, x->again, NULL), RC_OK);
        differ[1] += memcmp(x->fold, x->again, (size_t)x->d.rows * sizeof *x->fold) != 0;
    }
    assert_true(differ[0] >= 4 && differ[1] == 5);
    free(x);
}

/* A part of the rows is divided as a data set of just these rows would be. */
static void some_rows_are_divided_by_themselves(void **state)
{
    rc_rng_t r;
    (void)state;
    rc_rng_seed(&r, 6);
    data_t *x = malloc(sizeof *x);
    data_t *y = malloc(sizeof *y);
    assert_non_null(x);
    assert_non_null(y);
    make(&r, 30, x);
    int64_t row[MOST];
    int64_t n = 0;
    *y = *x;
    for (int64_t i = 0; i < x->d.rows; i++)
        if (x->sample[i].group % 3) {
            y->sample[n] = x->sample[i];
            row[n++] = i;
        }
    y->d.sample = y->sample;
    y->d.rows = n;
    assert_int_equal(
        rc_split_share(&(rc_split_t){&x->d, row, n, RC_SPLIT_GROUP, 9}, 0.25, x->fold, NULL),
        RC_OK);
    assert_int_equal(rc_split_share(ALL(y, RC_SPLIT_GROUP, 9), 0.25, y->fold, NULL), RC_OK);
    assert_memory_equal(x->fold, y->fold, (size_t)n * sizeof *x->fold);
    free(x);
    free(y);
}

/* Times so that the label of each matrix is drawn, a rare one among them. */
static void draw_labels(rc_rng_t *r, data_t *x, double *time)
{
    for (int64_t i = 0; i < x->d.rows; i++) {
        int same = i > 0 && strcmp(x->sample[i].digest, x->sample[i - 1].digest) == 0;
        int label = rc_rng_below(r, 40) == 0 ? 2 : (int)rc_rng_below(r, 2);
        for (int c = 0; c < 3; c++)
            time[3 * i + c] = same ? time[3 * (i - 1) + c] : c == label ? 1 : 2;
    }
    x->d.classes = 3;
    x->d.time = time;
}

/* One row of each matrix stays. */
static void thin(data_t *x)
{
    int64_t n = 0;
    for (int64_t i = 0; i < x->d.rows; i++)
        if (n == 0 || strcmp(x->sample[n - 1].digest, x->sample[i].digest) != 0)
            x->sample[n++] = x->sample[i];
    x->d.rows = n;
}

static void strata_have_equal_shares_in_each_fold(void **state)
{
    static double time[3 * MOST];
    static double turned[3 * MOST];
    rc_rng_t r;
    (void)state;
    rc_rng_seed(&r, 12);
    data_t *x = malloc(sizeof *x);
    data_t *y = malloc(sizeof *y);
    assert_non_null(x);
    assert_non_null(y);
    for (int round = 0; round < ROUNDS; round++) {
        int rows[5][4] = {{0}}; /* by label, and all */
        make(&r, 10 + (int)rc_rng_below(&r, 60), x);
        if (round % 4)
            thin(x);
        draw_labels(&r, x, time);
        assert_int_equal(rc_split_folds(ALL(x, RC_SPLIT_STRATIFIED, 7), 5, x->fold, NULL), RC_OK);
        units_are_whole(x, RC_SPLIT_STRATIFIED, x->fold);
        for (int64_t i = 0; i < x->d.rows; i++) {
            rows[x->fold[i]][rc_dataset_best(&x->d, i)]++;
            rows[x->fold[i]][3]++;
        }
        for (int f = 1; f < 5 && round % 4; f++)
            for (int c = 0; c < 4; c++)
                for (int g = 0; g < f; g++)
                    assert_in_range(rows[f][c] - rows[g][c] + 1, 0, 2);
        reverse(x, y);
        for (int64_t i = 0; i < 3 * x->d.rows; i++)
            turned[i] = time[3 * (x->d.rows - 1 - i / 3) + i % 3];
        y->d.time = turned;
        assert_int_equal(rc_split_folds(ALL(y, RC_SPLIT_STRATIFIED, 7), 5, y->fold, NULL), RC_OK);
        for (int64_t i = 0; i < x->d.rows; i++)
            assert_int_equal(x->fold[i], y->fold[x->d.rows - 1 - i]);
    }
    free(x);
    free(y);
}

static void what_cannot_be_divided_is_refused(void **state)
{
    rc_rng_t r;
    rc_err_t err = {0};
    (void)state;
    rc_rng_seed(&r, 8);
    data_t *x = malloc(sizeof *x);
    assert_non_null(x);
    make(&r, 3, x);
    assert_int_equal(rc_split_folds(ALL(x, RC_SPLIT_GROUP, 1), 4, x->fold, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "4 folds of 3 groups"));
    assert_int_equal(rc_split_folds(ALL(x, RC_SPLIT_GROUP, 1), 1, x->fold, NULL), RC_EINVAL);
    assert_int_equal(
        rc_split_folds(ALL(x, RC_SPLIT_RANDOM, 1), units(x, RC_SPLIT_RANDOM), x->fold, NULL),
        RC_OK);
    assert_int_equal(rc_split_share(ALL(x, RC_SPLIT_GROUP, 1), 0, x->fold, NULL), RC_EINVAL);
    assert_int_equal(rc_split_share(ALL(x, RC_SPLIT_GROUP, 1), 1, x->fold, NULL), RC_EINVAL);
    assert_int_equal(rc_split_share(ALL(x, RC_SPLIT_GROUP, 1), NAN, x->fold, NULL), RC_EINVAL);
    make(&r, 1, x);
    assert_int_equal(rc_split_share(ALL(x, RC_SPLIT_GROUP, 1), 0.2, x->fold, &err), RC_EINVAL);
    assert_non_null(strstr(err.text, "two groups, found 1"));
    free(x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_hold_whole_units_and_are_of_like_size),
        cmocka_unit_test(a_test_part_is_as_near_to_its_share_as_units_allow),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(some_rows_are_divided_by_themselves),
        cmocka_unit_test(strata_have_equal_shares_in_each_fold),
        cmocka_unit_test(what_cannot_be_divided_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
