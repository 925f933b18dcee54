/* What the report says of a gain, against the numbers. */
#include "config.h"
#include "unit.h"

#include "analysis/report/answer.h"
#include "base/rng.h"

#include <math.h>
#include <string.h>

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
        assert_true(low <= 1.01 && high >= 1 && (gains || low <= 0.99 || high >= 1.01));
    assert_int_equal(strcmp(vendor, "faster than") == 0, gains);
    assert_int_equal(strcmp(vendor, "slower than") == 0, loses);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_sentence_agrees_with_the_numbers)};
    return cmocka_run_group_tests_name("answer", tests, NULL, NULL);
}
