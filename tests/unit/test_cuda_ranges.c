/* The index arithmetic of the C-stationary CUDA kernels, on the host. */
#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "device/cuda/ranges.h"

#include <string.h>

/* Every round is in exactly one part, and no part has more than its share and one round. */
static void parts_cover_the_rounds(void **state)
{
    enum { most = 70 };
    (void)state;
    for (int shape = 0; shape < 4; shape++)
        for (int32_t rounds = 0; rounds <= most; rounds++)
            for (int32_t split = 1; split <= most; split++) {
                int64_t cost[most + 1];
                int32_t part[most + 2];
                int64_t total = 0;
                int64_t largest = 0;
                for (int32_t r = 0; r < rounds; r++) {
                    int64_t random = (int64_t)(rc_rng_hash(7, (uint64_t)(r * most + split)) % 100);
                    cost[r] = shape == 0   ? 5
                              : shape == 1 ? 1000 / (r + 1) /* sorted by decreasing length */
                              : shape == 2 ? random
                                           : (r == rounds / 2 ? 10000 : 1);
                    total += cost[r];
                    largest = cost[r] > largest ? cost[r] : largest;
                }
                memset(part, 0xff, sizeof part);
                rc_parts_divide(cost, rounds, split, part);
                assert_int_equal(part[0], 0);
                assert_int_equal(part[split], rounds);
                for (int32_t i = 0; i < split; i++) {
                    int64_t sum = 0;
                    assert_true(part[i] <= part[i + 1]);
                    for (int32_t r = part[i]; r < part[i + 1]; r++)
                        sum += cost[r];
                    assert_true(sum <= total / split + 1 + largest);
                }
            }
}

/* Every column is stored by exactly one strip, and a strip loads only columns of B. */
static void strips_cover_the_columns(void **state)
{
    (void)state;
    for (int64_t k = 1; k <= 100; k++)
        for (int asked = 1; asked <= RC_STRIP_MAX; asked *= 2) {
            int strip = rc_strip_width(k, asked);
            unsigned char stored[128] = {0};
            assert_true(strip <= asked && strip <= k && 2 * strip > (asked < k ? asked : k));
            for (int64_t i = 0; i < rc_ceil_div(k, strip); i++) {
                int64_t first = rc_strip_first(k, strip, i);
                assert_true(first >= 0 && first + strip <= k && first <= i * strip);
                for (int64_t j = first; j < first + strip; j++)
                    stored[j] = (unsigned char)(stored[j] + (j >= i * strip));
            }
            for (int64_t j = 0; j < k; j++)
                assert_int_equal(stored[j], 1);
        }
}

/* The reduction as the device does it, on columns that hold powers of two per lane. */
static void lanes_hold_the_columns_that_they_store(void **state)
{
    (void)state;
    for (int lanes = 2; lanes <= 32; lanes *= 2)
        for (int strip = 1; strip <= RC_STRIP_MAX; strip *= 2) {
            double sum[32][RC_STRIP_MAX];
            double next[32][RC_STRIP_MAX];
            for (int l = 0; l < lanes; l++)
                for (int s = 0; s < strip; s++)
                    sum[l][s] = 1000.0 * s + (double)((int64_t)1 << l);
            int width = strip / 2;
            for (int step = lanes / 2; step >= 1; step /= 2, width /= 2) {
                memcpy(next, sum, sizeof sum);
                for (int l = 0; l < lanes; l++) {
                    if (width == 0)
                        next[l][0] = sum[l][0] + sum[l ^ step][0];
                    for (int i = 0; i < width; i++) {
                        int at = l & step ? i + width : i;
                        next[l][i] = sum[l][at] + sum[l ^ step][at];
                    }
                }
                memcpy(sum, next, sizeof sum);
            }
            unsigned char stored[RC_STRIP_MAX] = {0};
            for (int l = 0; l < lanes; l++) {
                int column = rc_lane_column(l, lanes, strip);
                for (int i = 0; i < (strip > lanes ? strip / lanes : 1); i++) {
                    double all = (double)(((int64_t)1 << lanes) - 1);
                    assert_true(sum[l][i] == 1000.0 * (column + i) * lanes + all);
                    if (rc_lane_stores(l, lanes, strip))
                        stored[column + i]++;
                }
            }
            for (int s = 0; s < strip; s++)
                assert_int_equal(stored[s], 1);
        }
}

static void automatic_split(void **state)
{
    (void)state;
    assert_int_equal(rc_split_auto(1, 0, 264), 1);      /* nothing to divide */
    assert_int_equal(rc_split_auto(1, 1, 264), 1);      /* fewer rounds than CTAs */
    assert_int_equal(rc_split_auto(1, 1000, 264), 238); /* 90 % of one wave */
    assert_int_equal(rc_split_auto(264, 1000, 264), 1);
    assert_int_equal(rc_split_auto(10000, 1000, 264), 1);
    for (int64_t strips = 1; strips < 3000; strips += 7) {
        int64_t split = rc_split_auto(strips, 1000, 264);
        int64_t ctas = strips * split;
        assert_true(split >= 1 && split <= 1000);
        assert_true(ctas * 100 >= 85 * rc_ceil_div(ctas, 264) * 264);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_cover_the_rounds),
        cmocka_unit_test(strips_cover_the_columns),
        cmocka_unit_test(lanes_hold_the_columns_that_they_store),
        cmocka_unit_test(automatic_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
