/* What the report says of a gain, against the numbers. */
#include "config.h"
#include "unit.h"
#include "scratch.h"
#include "store_fixture.h"

#include "analysis/report/answer.h"
#include "base/rng.h"
#include "store/commit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The words of a gain agree with its sign and size, whatever the numbers. */
static void check_words(const rc_figure_t *f)
{
    const char *orders = rc_answer_of_orders(f);
    const char *vendor = rc_answer_of_vendor(f);
    double low = isnan(f->low) ? f->value : f->low;
    double high = isnan(f->high) ? f->value : f->high;
    int gains = low > 1;
    int loses = high < 1;
    int uncertain = strstr(orders, "uncertain") != NULL;
    assert_int_equal(strncmp(orders, "Reorder", 7) == 0, gains && (low > 1.01 || f->value > 1.01));
    assert_int_equal(strcmp(orders, "Reorder: it pays") == 0, low > 1.05);
    assert_int_equal(strstr(orders, "loses") != NULL, loses);
    if (strstr(orders, "hardly"))
        assert_true(gains && f->value <= 1.01);
    if (strstr(orders, "no difference"))
        assert_true(!gains && !loses && low > 0.99 && high < 1.01);
    if (uncertain)
        assert_true(
            (low <= 1.01 || high >= 1.15) && high >= 1 && (gains || low <= 0.99 || high >= 1.01));
    assert_int_equal(strcmp(vendor, "faster than") == 0, gains);
    assert_int_equal(strcmp(vendor, "slower than") == 0, loses);
    assert_int_equal(strcmp(vendor, "about as fast as") == 0, !gains && !loses);
    if (strstr(orders, "a little"))
        assert_true(low > 1.01 && high < 1.15);
}

static void the_sentence_agrees_with_the_numbers(void **state)
{
    rc_rng_t r;
    rc_figure_t edge[] = {{1, 1, 1}, {1, NAN, NAN}, {1.148, NAN, NAN}, {0.9, NAN, NAN},
        {1.148, 0.999, 1.3}, {1.148, 1.001, 1.3}, {1.008, 1.006, 1.011}, {0.7, 0.6, 0.8},
        {1.005, 0.995, 1.009}, {1.02, 1.01, 1.03}, {1.2, 1.05, 1.3}, {1e-9, 1e-10, 1e-8},
        {1e9, 1e8, 1e10}};
    (void)state;
    for (size_t i = 0; i < sizeof edge / sizeof *edge; i++)
        check_words(&edge[i]);
    rc_rng_seed(&r, 3);
    for (int i = 0; i < 100000; i++) {
        double spread = i % 2 ? 0.02 : 0.5;
        double x = exp(spread * (rc_rng_unit(&r) - 0.5));
        rc_figure_t f = {x, x * exp(-spread * rc_rng_unit(&r)), x * exp(spread * rc_rng_unit(&r))};
        check_words(&f);
    }
}

/* ------------------------------------------------------------------ of a store */

typedef struct timed {
    int matrix;
    const char *kernel;
    const char *order;
    double ns; /* 0: noisy */
} timed_t;

/* What a report of one product says. */
typedef struct said {
    char sentence[600];
    rc_headline_t headline;
    const char *library;
    const char *dense;
    int64_t with_dense;
} said_t;

static void ask(const char *store, said_t *out)
{
    rc_view_t *v;
    rc_survey_t s;
    rc_held_out_t *held_out;
    rc_headline_t *headline;
    rc_answer_t answer;
    assert_int_equal(rc_view_read(store, &v, NULL), RC_OK);
    assert_int_equal(rc_survey_make(v, NULL, -1, &s, NULL), RC_OK);
    assert_int_equal(s.settings, 1);
    assert_int_equal(rc_headline_held_out(&s, &held_out, NULL), RC_OK);
    assert_int_equal(rc_headline_make(&s, held_out, &headline, NULL), RC_OK);
    assert_int_equal(rc_answer_make(&s, 0, &headline[0], held_out, &answer, NULL), RC_OK);
    (void)snprintf(out->sentence, sizeof out->sentence, "%s", answer.sentence.text);
    out->headline = headline[0];
    out->library = s.setting[0].library;
    out->dense = s.setting[0].dense;
    out->with_dense = s.setting[0].with_dense;
    rc_answer_free(&answer);
    free(headline);
    free(held_out);
    rc_survey_free(&s);
    rc_view_free(v);
}

/* \param[in] of  [n] */
static said_t say(void **state, const char *name, const timed_t *of, int n)
{
    char store[SCRATCH_PATH];
    char dir[2 * SCRATCH_PATH];
    rc_journal_t *j;
    rc_commit_info_t info;
    said_t said;
    rc_rec_run_t run = make_run(1, 0);
    scratch_path(state, name, store);
    (void)snprintf(dir, sizeof dir, "%s.journal", store);
    mkdir(dir, 0777);
    assert_int_equal(rc_journal_create(dir, &run, &j, NULL), RC_OK);
    for (int m = 0; m < 4; m++)
        add_source(j, m, RC_CASE_OK, "");
    for (int i = 0; i < n; i++) {
        rc_case_t c = make_case(of[i].matrix, of[i].order, 8);
        (void)snprintf(c.kernel, sizeof c.kernel, "%s", of[i].kernel);
        add_result(j, &c, of[i].ns > 0 ? RC_CASE_OK : RC_CASE_NOISY, of[i].ns > 0 ? of[i].ns : NAN);
    }
    rc_journal_close(j);
    assert_int_equal(
        rc_commit(store, MPI_COMM_WORLD, &(rc_commit_options_t){0}, NULL, &info, NULL), RC_OK);
    ask(store, &said);
    return said;
}
#define SAY(name, ...)                                                                             \
    say(state, name, (const timed_t[]){__VA_ARGS__},                                               \
        (int)(sizeof((timed_t[]){__VA_ARGS__}) / sizeof(timed_t)))

#define IS_SAID(s, part)                                                                           \
    do {                                                                                           \
        if (!strstr((s).sentence, part))                                                           \
            fail_msg("no '%s' in: %s", part, (s).sentence);                                        \
    } while (0)

/* Orders that were measured are not said to be missing, where noise hides one side. */
static void noise_is_named(void **state)
{
    said_t s = SAY("csr.h5", {0, "gstat", "csr", 100}, {0, "gstat", "lpt", 50},
        {1, "gstat", "csr", 0}, {1, "gstat", "lpt", 50}, {2, "gstat", "csr", 100});
    IS_SAID(s, ", on the 1 of 3 matrices with times of the original order and another "
               "(on 1 the original order was noisy);");
    assert_int_equal(s.headline.noisy_csr, 1);
    s = SAY("orders.h5", {0, "gstat", "csr", 100}, {0, "gstat", "lpt", 50},
        {1, "gstat", "csr", 100}, {1, "gstat", "lpt", 0}, {2, "gstat", "csr", 0},
        {2, "gstat", "lpt", 9});
    IS_SAID(s, "(on 1 the original order was noisy, on 1 the other orders);");
    s = SAY("all.h5", {0, "gstat", "csr", 100}, {0, "gstat", "lpt", 0});
    IS_SAID(s, "Nothing can be said of reordering, since no matrix has times of the original "
               "order and another (on 1 the other orders were noisy);");
    /* what another kernel has is enough */
    s = SAY("other.h5", {0, "gstat", "csr", 0}, {0, "gstat", "lpt", 50}, {0, "gsub", "csr", 100});
    assert_null(strstr(s.sentence, "noisy"));
}

/* A library's product with a dense A is no plan, and not what plans are held against. */
static void a_dense_product_is_neither(void **state)
{
    said_t s = SAY("dense.h5", {0, "gstat", "csr", 100}, {0, "gstat", "lpt", 90},
        {0, "cusparse-csr-row", "csr", 180}, {0, "cublas-dense", "csr", 10},
        {1, "gstat", "csr", 100}, {1, "cusparse-csr-row", "csr", 200},
        {1, "cublas-dense-col", "csr", 1});
    IS_SAID(s, "gstat is the only ");
    IS_SAID(s, "faster than the best of cuSPARSE.");
    assert_true(fabs(s.headline.vendor.stats.geomean - 2) < 1e-9);
    assert_string_equal(s.library, "cuSPARSE");
    assert_string_equal(s.dense, "cuBLAS");
    s = SAY("alone.h5", {0, "cusparse-csr-row", "csr", 180}, {0, "cublas-dense", "csr", 10});
    IS_SAID(s, "cusparse-csr-row is the only ");
    IS_SAID(s, "; cuSPARSE alone has times.");
    s = SAY("own.h5", {0, "gstat", "csr", 180}, {0, "cublas-dense", "csr", 10});
    IS_SAID(s, "; no sparse library was measured beside it.");
    assert_int_equal(s.with_dense, 1);
    s = SAY("only.h5", {0, "cublas-dense", "csr", 10});
    IS_SAID(s, "; cuBLAS alone has times.");
    assert_int_equal(s.with_dense, 0);
}

/* A mean and a geometric mean on two sides of 1: the words are of the one that is held out. */
static void words_are_of_the_geometric_mean(void **state)
{
    said_t s = SAY("sides.h5", {0, "gstat", "csr", 100}, {0, "cusparse-csr-row", "csr", 300},
        {1, "gstat", "csr", 100}, {1, "cusparse-csr-row", "csr", 25}, {2, "gstat", "csr", 100});
    assert_true(s.headline.vendor.stats.mean > 1 && s.headline.vendor.stats.geomean < 1);
    IS_SAID(s, "; the best plan is in geomean about as fast as the best of cuSPARSE, though the "
               "interval is wide, on the 2 of 3 matrices with both.");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_sentence_agrees_with_the_numbers),
        cmocka_unit_test(noise_is_named), cmocka_unit_test(a_dense_product_is_neither),
        cmocka_unit_test(words_are_of_the_geometric_mean)};
    MPI_Init(&argc, &argv);
    int failed = cmocka_run_group_tests_name("answer", tests, scratch_setup, scratch_teardown);
    MPI_Finalize();
    return failed;
}
