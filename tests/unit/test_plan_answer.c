/* What an answer says of the times that it has. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "plan/answer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Times that differ by six, of which one may be anything, are not called equal; those that agree are. */
static void what_errors_hide_is_not_equal(void **state)
{
    (void)state;
    static const struct {
        double ns;
        double error;
        int equal;
    } cases[] = {{1.88e6, 0.74, 0}, {3.01e5, 0.02, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_plan_answer_t a;
        assert_int_equal(rc_plan_answer_begin(&a, 2, NULL), RC_OK);
        a.row[0] = (rc_plan_row_t){.kernel = "rowsplit", .order = "csr", .time_ns = 3e5, .error = 0.02, .chosen = 1, .note = ""};
        a.row[1] = (rc_plan_row_t){.candidate = 1, .kernel = "serial-row", .order = "csr", .time_ns = cases[i].ns,
            .error = cases[i].error, .baseline = 1, .note = ""};
        rc_plan_answer_end(&a, RC_FP64, 0, 0, 0);
        assert_true((strstr(a.sentence, "as fast as serial-row") != NULL) == cases[i].equal);
        assert_true((strstr(a.sentence, "disagree too much") == NULL) == cases[i].equal);
        assert_string_equal(a.sentence, cases[i].equal
            ? "Keep the order: rowsplit takes 300.00 us in fp64, as fast as serial-row; no other order was tried."
            : "Keep the order: rowsplit takes 300.00 us in fp64, and the times of serial-row disagree too much to compare; "
              "no other order was tried.");
        rc_plan_answer_free(&a);
    }
}

/* Times beside other programs are said to be such ones, and no number is made of errors. */
static void what_others_made_of_it_is_said(void **state)
{
    (void)state;
    for (int beside = 0; beside < 2; beside++) {
        rc_plan_answer_t a;
        assert_int_equal(rc_plan_answer_begin(&a, 2, NULL), RC_OK);
        a.row[0] = (rc_plan_row_t){.kernel = "rowsplit", .order = "csr", .time_ns = 3e5, .error = beside ? 1.37 : 0.02, .chosen = 1, .note = ""};
        a.row[1] = (rc_plan_row_t){.candidate = 1, .kernel = "serial-row", .order = "csr", .time_ns = 3e6, .error = 0.02, .baseline = 1, .note = ""};
        rc_plan_answer_end(&a, RC_FP64, 0, 0, beside);
        assert_string_equal(a.sentence, beside
            ? "Uncertain: rowsplit in the given order took 300.00 us in fp64 (error over 100 %) beside other programs, faster than serial-row; "
              "the times disagree too much to tell more: ask again on a quiet machine."
            : "Keep the order: rowsplit takes 300.00 us in fp64, 10 times as fast as serial-row; no other order was tried.");
        rc_plan_answer_free(&a);
    }
}

enum { LASTING = 4 };

/* An answer of four orders of one kernel, each timed in turns but for those that `alone` has as bits, the first chosen. */
static void answer_of(rc_plan_answer_t *a, const char *const order[LASTING], const double time[LASTING],
    const double setup[LASTING], double error, unsigned alone, double reuse)
{
    assert_int_equal(rc_plan_answer_begin(a, LASTING, NULL), RC_OK);
    for (int i = 0; i < LASTING; i++)
        a->row[i] = (rc_plan_row_t){.candidate = i, .kernel = "rowsplit", .order = order[i], .time_ns = time[i],
            .error = error, .order_ns = setup[i], .setup_ns = setup[i] + 1e5, .again = !(alone >> i & 1u), .chosen = i == 0,
            .baseline = strcmp(order[i], "csr") == 0, .note = ""};
    rc_plan_answer_end(a, RC_FP64, 0, reuse, 0);
}

/* The order that is best after many products is named, with its gain and what pays for it over the one base, unless it is the chosen one, errors or other
 * batches hide it, or the choice is for so many products. */
static void what_is_best_in_the_long_run_is_said(void **state)
{
    (void)state;
    static const char *const reordered[] = {"multilevel", "csr", "metis", "lpt"};
    static const char *const kept[] = {"csr", "lpt", "metis", "mincol"};
    static const struct {
        const char *const *order;
        double time[LASTING];
        double setup[LASTING];
        double error;
        unsigned alone;
        double reuse;
        const char *says; /* NULL: nothing of it */
    } cases[] = {
        {reordered, {1.1e5, 2e5, 1e5, 2e5}, {1e6, 0, 1e8, 1e4}, 0.01, 0, 1000, "; best in the long run: order metis, over this choice 1.1 times as fast and paid after 9,900 products."},
        {reordered, {1.1e5, 2e5, 1e5, 2e5}, {1e6, 0, 1e8, 1e4}, 0.04, 0, 1000, NULL},
        {reordered, {1.1e5, 2e5, 1e5, 2e5}, {1e6, 0, 1e8, 1e4}, 0.01, 4, 1000, NULL},
        {reordered, {1.1e5, 2e5, 1e5, 2e5}, {1e6, 0, 1e8, 1e4}, 0.01, 0, 10000, NULL},
        {reordered, {1e5, 2e5, 1.1e5, 2e5}, {1e6, 0, 1e8, 1e4}, 0.01, 0, 1000, NULL},
        {kept, {2e5, 1.5e5, 1e5, 3e5}, {0, 1e8, 5e8, 0}, 0.01, 0, 1000,
            "; no other order surely pays within 1,000 products: lpt, 1.33 times as fast, does after 2,000 products; best in the long run: order metis, over this choice 2 times as fast and paid after 5,000 products."},
        {kept, {2e5, 1.5e5, 1e5, 3e5}, {0, 1e8, 1.5e8, 0}, 0.01, 0, 1000,
            "; no other order surely pays within 1,000 products: metis, 2 times as fast, does after 1,500 products."},
        /* lpt saves most within the products, though mincol pays sooner and metis within them, too */
        {kept, {2e5, 1.7e5, 1.6e5, 1.9e5}, {0, 1e7, 3.5e7, 1e6}, 0.01, 0, 1000,
            "; for 1,000 products lpt may be better, which is uncertain; by these times it is 1.18 times as fast and pays after 334 products; "
            "best in the long run: order metis, over this choice 1.25 times as fast and paid after 875 products."},
        {kept, {2e5, 1.7e5, 1.6e5, 1.9e5}, {0, 1e7, 5e7, 1e6}, 0.01, 0, INFINITY, "; metis may be 1.25 times as fast, which is uncertain."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_plan_answer_t a;
        answer_of(&a, cases[i].order, cases[i].time, cases[i].setup, cases[i].error, cases[i].alone, cases[i].reuse);
        const char *at = strstr(a.sentence, cases[i].says ? cases[i].says : "long run");
        if ((at != NULL) != (cases[i].says != NULL) || strstr(a.sentence, "disagree"))
            fail_msg("case %d: %s", (int)i, a.sentence);
        rc_plan_answer_free(&a);
    }
}

/* What it says is so, over the choice: a product takes so many times less, and with so many products the order costs no more
 * in total, with a tenth less of them more.  With ever more of them it costs least of those that errors do not hide. */
static void the_long_run_begins_where_it_says(void **state)
{
    (void)state;
    enum { rounds = 20000, named = rounds / 50 };
    static const char *const order[] = {"csr", "lpt", "metis", "mincol"};
    rc_rng_t rng;
    int said = 0;
    rc_rng_seed(&rng, 11);
    for (int n = 0; n < rounds; n++) {
        rc_plan_answer_t a;
        double time[LASTING], setup[LASTING], gain = 0, after = 0;
        for (int i = 0; i < LASTING; i++) {
            time[i] = 1e5 * (1 + rc_rng_unit(&rng));
            setup[i] = 1e5 * exp(12 * rc_rng_unit(&rng));
        }
        answer_of(&a, order, time, setup, 0.02, 0, 0);
        char name[16] = "", digits[32] = "", plain[32] = "";
        const char *at = strstr(a.sentence, "; best in the long run: ");
        int best = 0, slower = 1;
        if (at)
            assert_int_equal(sscanf(at, "; best in the long run: order %15[a-z], over this choice %lf times as fast and paid after %31[0-9,]",
                                 name, &gain, digits), 3);
        for (size_t c = 0, to = 0; digits[c]; c++)
            if (digits[c] != ',')
                plain[to++] = digits[c];
        after = strtod(plain, NULL);
        for (int i = 0; at && i < LASTING; i++)
            best = strcmp(name, order[i]) == 0 ? i : best;
        for (int i = 0; i < LASTING; i++)
            slower &= !(time[best] - time[i] > 0.04 * hypot(time[i], time[best]));
        const double each = time[0] - time[best], cost = setup[best] - setup[0];
        if (at && (best == 0 || !slower || fabs(gain * time[best] / time[0] - 1) > 0.006 || after * each < cost * (1 - 1e-9) ||
                      (after > 100 && 0.9 * after * each >= cost)))
            fail_msg("%s: order %d after %g", a.sentence, best, after);
        said += at != NULL;
        rc_plan_answer_free(&a);
    }
    assert_in_range(said, named, rounds);
}

/* An order that is chosen, with three names that long. */
static void one_reordered(int length)
{
    enum { LONGEST = 120, ROWS = 3 };
    static const char *const order[ROWS] = {"metis", "csr", "csr"};
    static const double time[ROWS] = {1e5, 2e5, 3e5};
    char kernel[ROWS][LONGEST + 1] = {""};
    rc_plan_answer_t a;
    assert_int_equal(rc_plan_answer_begin(&a, ROWS, NULL), RC_OK);
    a.transposed = 1;
    a.k = 128;
    for (int i = 0; i < ROWS; i++) {
        memset(kernel[i], 'a' + i, (size_t)length);
        a.row[i] = (rc_plan_row_t){.candidate = i, .kernel = kernel[i], .order = order[i], .time_ns = time[i], .error = 0.06,
            .order_ns = i ? 0 : 1e8, .setup_ns = i ? 0 : 1e8, .again = 1, .chosen = i == 0, .baseline = i == 2, .note = ""};
    }
    rc_plan_answer_end(&a, RC_FP64, 65, 1000, 0);
    assert_int_equal(a.sentence[strlen(a.sentence) - 1], '.');
    rc_plan_answer_free(&a);
}

/* Names of kernels that are as long as they get leave it out sooner than its end. */
static void no_sentence_is_cut(void **state)
{
    (void)state;
    static const char *const order[] = {"csr", "lpt", "metis", "mincol"};
    static const double time[LASTING] = {2e5, 1.5e5, 1e5, 3e5};
    static const double setup[LASTING] = {0, 1e8, 5e8, 0};
    enum { SHORT = 36, LONGER = 110, LONGEST = 120 };
    char kernel[2][LONGEST + 1] = {""};
    for (int length = 1; length <= LONGEST; length++)
        one_reordered(length);
    for (int length = 1; length <= LONGEST; length++) {
        rc_plan_answer_t a;
        assert_int_equal(rc_plan_answer_begin(&a, LASTING, NULL), RC_OK);
        for (int i = 0; i < 2; i++)
            memset(kernel[i], 'a' + i, (size_t)length);
        for (int i = 0; i < LASTING; i++)
            a.row[i] = (rc_plan_row_t){.candidate = i, .kernel = kernel[i == 2], .order = order[i], .time_ns = time[i],
                .error = 0.01, .order_ns = setup[i], .setup_ns = setup[i], .again = 1, .chosen = i == 0, .baseline = i == 3, .note = ""};
        rc_plan_answer_end(&a, RC_FP64, 0, 1000, 0);
        assert_int_equal(a.sentence[strlen(a.sentence) - 1], '.');
        if (length <= SHORT || length >= LONGER)
            assert_int_equal(strstr(a.sentence, "; best in the long run: ") != NULL, length <= SHORT);
        rc_plan_answer_free(&a);
    }
}

/* Rows whose times were taken in turns are listed before earlier ones, and what pays is over the first in original order. */
static void what_pays_is_over_the_first_in_original_order(void **state)
{
    (void)state;
    enum { ROWS = 4 };
    static const struct {
        const char *order;
        double time;
        int again;
    } rows[ROWS] = {{"csr", 0.9e5, 0}, {"lpt", 1e5, 1}, {"csr", 2e5, 1}, {"csr", 1.8e5, 0}};
    rc_plan_answer_t a;
    assert_int_equal(rc_plan_answer_begin(&a, ROWS, NULL), RC_OK);
    for (int i = 0; i < ROWS; i++)
        a.row[i] = (rc_plan_row_t){.candidate = i, .kernel = "rowsplit", .order = rows[i].order, .time_ns = rows[i].time, .error = 0.01,
            .order_ns = i == 1 ? 1e6 : 0, .setup_ns = 1e6, .again = rows[i].again, .chosen = i == 1, .baseline = i == 2, .note = ""};
    rc_plan_answer_end(&a, RC_FP64, 0, 1000, 0);
    static const int expected[ROWS] = {1, 2, 0, 3};
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(a.row[i].candidate, expected[i]);
    assert_true(a.row[0].pays_after == 10 && a.row[1].pays_after == 0 && isnan(a.row[2].pays_after) && isnan(a.row[3].pays_after));
    assert_non_null(strstr(a.sentence, "Reorder by lpt: rowsplit takes 100.00 us in fp64; it is 2 times as fast as rowsplit in the given order and pays after 10 products."));
    rc_plan_answer_free(&a);
}

/* A row that costs less than the choice by its figures, within the products, was not confirmed: it says so. */
static void what_was_not_confirmed_says_so(void **state)
{
    (void)state;
    static const char *const order[] = {"csr", "lpt", "metis", "mincol"};
    static const double time[LASTING] = {2e5, 1.7e5, 1.6e5, 1.9e5};
    static const double setup[LASTING] = {0, 1e7, 3.5e7, 1e6};
    static const double reuse[] = {1000, 400, 50, 0};
    static const int said[] = {3, 2, 0, 0}; /* they pay after 334, 875 and 100 products */
    for (size_t n = 0; n < 2 * sizeof reuse / sizeof *reuse; n++) {
        const size_t i = n / 2;
        rc_plan_answer_t a;
        int found = 0;
        answer_of(&a, order, time, setup, 0.01, n % 2 ? 15 : 0, reuse[i]); /* with and without a comparison in the end */
        for (int j = 0; j < a.rows; j++)
            found += strcmp(a.row[j].note, "not confirmed") == 0;
        assert_int_equal(found, said[i]);
        assert_int_equal(strstr(a.sentence, "may be better, which is uncertain") != NULL, found > 0);
        rc_plan_answer_free(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_errors_hide_is_not_equal),
        cmocka_unit_test(what_others_made_of_it_is_said),
        cmocka_unit_test(what_is_best_in_the_long_run_is_said),
        cmocka_unit_test(the_long_run_begins_where_it_says),
        cmocka_unit_test(no_sentence_is_cut),
        cmocka_unit_test(what_pays_is_over_the_first_in_original_order),
        cmocka_unit_test(what_was_not_confirmed_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
