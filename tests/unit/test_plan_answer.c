/* What an answer says of the times that it has. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "plan/answer.h"

#include <math.h>
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
        assert_int_equal(strncmp(a.sentence, cases[i].equal ? "Keep the order: " : "Uncertain: rowsplit in the given order took ", 16), 0);
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

/* The order that is best after many products is named with their number, unless it is the chosen one, errors or other
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
        {reordered, {1.1e5, 2e5, 1e5, 2e5}, {1e6, 0, 1e8, 1e4}, 0.01, 0, 1000, "; best from 9,900 products on is order metis, 1.1 times as fast."},
        {reordered, {1.1e5, 2e5, 1e5, 2e5}, {1e6, 0, 1e8, 1e4}, 0.04, 0, 1000, NULL},
        {reordered, {1.1e5, 2e5, 1e5, 2e5}, {1e6, 0, 1e8, 1e4}, 0.01, 4, 1000, NULL},
        {reordered, {1.1e5, 2e5, 1e5, 2e5}, {1e6, 0, 1e8, 1e4}, 0.01, 0, 10000, NULL},
        {reordered, {1e5, 2e5, 1.1e5, 2e5}, {1e6, 0, 1e8, 1e4}, 0.01, 0, 1000, NULL},
        {kept, {2e5, 1.5e5, 1e5, 3e5}, {0, 1e8, 5e8, 0}, 0.01, 0, 1000,
            "; for 1,000 products no other order is surely better; lpt is 1.33 times as fast and pays after 2,000 products; best from 8,000 products on is order metis, 2 times as fast."},
        {kept, {2e5, 1.5e5, 1e5, 3e5}, {0, 1e8, 1.5e8, 0}, 0.01, 0, 1000,
            "; for 1,000 products no other order is surely better; metis is 2 times as fast and pays after 1,500 products."},
        /* lpt saves most within the products, though mincol pays sooner and metis within them, too */
        {kept, {2e5, 1.7e5, 1.6e5, 1.9e5}, {0, 1e7, 3.5e7, 1e6}, 0.01, 0, 1000,
            "; for 1,000 products lpt may be better, which is uncertain; it is 1.18 times as fast and pays after 334 products; "
            "best from 2,500 products on is order metis, 1.25 times as fast."},
        {kept, {2e5, 1.7e5, 1.6e5, 1.9e5}, {0, 1e7, 5e7, 1e6}, 0.01, 0, INFINITY, "; metis may be 1.25 times as fast, which is uncertain."},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_plan_answer_t a;
        answer_of(&a, cases[i].order, cases[i].time, cases[i].setup, cases[i].error, cases[i].alone, cases[i].reuse);
        const char *at = strstr(a.sentence, cases[i].says ? cases[i].says : "best from");
        if ((at != NULL) != (cases[i].says != NULL) || strstr(a.sentence, "disagree"))
            fail_msg("case %d: %s", (int)i, a.sentence);
        rc_plan_answer_free(&a);
    }
}

/* What it says is so: with so many products the order costs no more in total than any that is slower, and with a tenth
 * less one of them costs less. */
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
        double time[LASTING], setup[LASTING];
        for (int i = 0; i < LASTING; i++) {
            time[i] = 1e5 * (1 + rc_rng_unit(&rng));
            setup[i] = 1e5 * exp(12 * rc_rng_unit(&rng));
        }
        answer_of(&a, order, time, setup, 0.02, 0, 0);
        const char *at = strstr(a.sentence, "; best from ");
        char digits[32] = "";
        double from = 0, least = INFINITY, before = INFINITY;
        int best = 0, cheapest = 0;
        for (const char *c = at ? at + 12 : "x"; strchr("0123456789,", *c); c++)
            if (*c != ',')
                strncat(digits, c, 1);
        for (int i = 0; at && i < LASTING; i++)
            best = strstr(at, order[i]) ? i : best;
        from = strtod(digits, NULL);
        for (int i = 0; i < LASTING; i++) {
            if (i != best && !(time[i] - time[best] > 0.04 * hypot(time[i], time[best])))
                continue;
            double total = setup[i] + from * time[i];
            least = fmin(least, total);
            cheapest = setup[i] + 0.9 * from * time[i] < before ? i : cheapest;
            before = fmin(before, setup[i] + 0.9 * from * time[i]);
        }
        if (at && (setup[best] + from * time[best] > least * (1 + 1e-9) || (from > 100 && cheapest == best)))
            fail_msg("%s: order %d from %g", a.sentence, best, from);
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
    enum { SHORT = 44, LONGER = 110, LONGEST = 120 };
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
            assert_int_equal(strstr(a.sentence, "; best from ") != NULL, length <= SHORT);
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
