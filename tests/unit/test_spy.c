#include "config.h"
#include "unit.h"

#include "order_matrix.h"
#include "sparse/spy.h"

#include <stdlib.h>
#include <string.h>

/* Which pixels stand for row i of n, by the definition and pixel by pixel. */
static int shows(int64_t pixel, int pixels, int64_t i, int64_t n)
{
    if (pixels <= n)
        return pixel == i * pixels / n;
    return (2 * pixel + 1) * n / (2 * pixels) == i; /* the row at the centre of the pixel */
}

static void reference(
    const rc_csr_t *a, const int32_t *order, int64_t slots, int width, int height, double *count)
{
    memset(count, 0, (size_t)width * (size_t)height * sizeof *count);
    for (int64_t p = 0; p < slots; p++) {
        int64_t row = order ? order[p] : p;
        if (row < 0)
            continue;
        for (int64_t k = a->row_ptr[row]; k < a->row_ptr[row + 1]; k++)
            for (int y = 0; y < height; y++)
                for (int x = 0; shows(y, height, p, slots) && x < width; x++)
                    count[y * width + x] += shows(x, width, a->col_idx[k], a->cols);
    }
}

/* Rows shuffled, some left out, pads between them. */
static int64_t random_order(rc_rng_t *r, int64_t rows, int32_t *order)
{
    int64_t slots = 0;
    for (int64_t i = 0; i < rows; i++) {
        if (rc_rng_below(r, 8) == 0)
            continue;
        while (rc_rng_below(r, 4) == 0 && slots < 2 * rows)
            order[slots++] = -1;
        order[slots++] = (int32_t)i;
    }
    for (int64_t i = slots - 1; i > 0; i--) {
        int64_t j = (int64_t)rc_rng_below(r, (uint64_t)i + 1);
        int32_t t = order[i];
        order[i] = order[j];
        order[j] = t;
    }
    return slots;
}

static void counts_are_those_of_the_definition(void **state)
{
    (void)state;
    rc_rng_t r;
    rc_rng_seed(&r, 11);
    static double count[50 * 50];
    static double expected[50 * 50];
    for (int round = 0; round < 400; round++) {
        rc_csr_t a;
        rc_err_t err;
        random_matrix(&r, 40, &a);
        int32_t *order = malloc((3 * (size_t)a.rows + 1) * sizeof *order);
        assert_non_null(order);
        int64_t slots = round % 2 ? random_order(&r, a.rows, order) : a.rows;
        int width = 1 + (int)rc_rng_below(&r, 50);
        int height = 1 + (int)rc_rng_below(&r, 50);
        const int32_t *given = round % 2 ? order : NULL;
        const rc_schedule_t s = {.slots = slots, .rows = a.rows, .row = order};
        assert_int_equal(rc_spy_ordered(&a, given ? &s : NULL, width, height, count, &err), RC_OK);
        reference(&a, given, slots, width, height, expected);
        for (int i = 0; i < width * height; i++)
            assert_true(count[i] == expected[i]);
        if (!given && width <= a.cols && height <= a.rows) { /* nothing is lost or counted twice */
            double sum = 0;
            for (int i = 0; i < width * height; i++)
                sum += count[i];
            assert_true(sum == (double)a.nnz);
        }
        free(order);
        free_matrix(&a);
    }
}

/* The largest shape there is: an entry in each corner reaches the corner of the plot. */
static void indices_do_not_overflow(void **state)
{
    (void)state;
    int64_t rows = 2;
    int64_t cols = INT32_MAX;
    int64_t row_ptr[] = {0, 2, 4};
    int32_t col_idx[] = {0, INT32_MAX - 1, 0, INT32_MAX - 1};
    double val[] = {1, 1, 1, 1};
    rc_csr_t a = {.rows = rows, .cols = cols, .nnz = 4, row_ptr, col_idx, val};
    rc_err_t err;
    double *count = malloc(sizeof *count * RC_SPY_SIZE_MAX * RC_SPY_SIZE_MAX);
    assert_non_null(count);
    int side = RC_SPY_SIZE_MAX;
    assert_int_equal(rc_spy_ordered(&a, NULL, side, side, count, &err), RC_OK);
    assert_true(count[0] == 1 && count[side - 1] == 1);
    assert_true(count[side * (side - 1)] == 1 && count[side * side - 1] == 1);
    free(count);
}

static void the_shape_is_kept(void **state)
{
    (void)state;
    static const struct {
        int64_t rows, cols;
        int size, width, height;
    } c[] = {{100, 100, 256, 256, 256}, {100, 50, 256, 128, 256}, {50, 100, 256, 256, 128},
        {0, 0, 256, 256, 256}, {0, 4, 256, 256, 64}, {1, 1000000, 256, 256, 8},
        {1000000, 1, 16, 1, 16}, {INT32_MAX, INT32_MAX, 2048, 2048, 2048},
        {INT32_MAX, INT32_MAX / 2, 2048, 1024, 2048}, {3, 2, 100, 67, 100}};
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        int width = 0;
        int height = 0;
        rc_spy_size(c[i].rows, c[i].cols, c[i].size, &width, &height);
        assert_int_equal(width, c[i].width);
        assert_int_equal(height, c[i].height);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_those_of_the_definition),
        cmocka_unit_test(indices_do_not_overflow),
        cmocka_unit_test(the_shape_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
