#include "config.h"
#include "unit.h"

#include "sweep/placement.h"
#include "sweep/threads.h"

#include <stdio.h>

static void a_rank_takes_the_gpu_of_its_number(void **state)
{
    (void)state;
    for (int rank = 0; rank < 8; rank++)
        assert_int_equal(rc_seat_choose(rank, 8, 0), rank);
    assert_int_equal(rc_seat_choose(1, 2, 1), 1);
}

static void the_only_visible_gpu_is_taken(void **state)
{
    (void)state;
    /* a launcher that shows each rank its own: the comparison of UUIDs tells */
    for (int rank = 0; rank < 8; rank++)
        assert_int_equal(rc_seat_choose(rank, 1, 0), 0);
}

static void more_ranks_than_gpus_share_only_when_told(void **state)
{
    (void)state;
    assert_int_equal(rc_seat_choose(2, 2, 0), -1);
    assert_int_equal(rc_seat_choose(2, 2, 1), 0);
    assert_int_equal(rc_seat_choose(5, 2, 1), 1);
    assert_int_equal(rc_seat_choose(0, 0, 0), -1);
    assert_int_equal(rc_seat_choose(0, 0, 1), -1);
}

static void a_gpu_is_known_by_host_and_uuid(void **state)
{
    (void)state;
    rc_seat_t seat[5] = {
        {"a", "GPU-1"}, {"a", "GPU-2"}, {"b", "GPU-1"}, {"b", "GPU-2"}, {"c", "GPU-1"}};
    int first = -1;
    int second = -1;
    assert_int_equal(rc_seat_shared(seat, 5, &first, &second), 0);
    assert_int_equal(rc_seat_shared(seat, 1, &first, &second), 0);
    snprintf(seat[4].host, sizeof seat[4].host, "b");
    assert_int_equal(rc_seat_shared(seat, 5, &first, &second), 1);
    assert_int_equal(first, 2);
    assert_int_equal(second, 4);
}

static void a_class_with_other_threads_is_known(void **state)
{
    (void)state;
    static const char *const other[] = {"cpu:a:1t:b:2t:avx2", "cpu:a:1t:b:8t:avx512",
        "cpu:a:1t:b:t:avx2", "cpu:a:1t:b:0t:avx2", "cpu:a:1t:b:8:avx2", "cpu:a:1t:b:8tt:avx2",
        "cpu:a:8t:b:8t:avx2", "cuda:8t:avx2", "", "cpu:a"};
    rc_device_t d = {.executor = {.kind = RC_DEVICE_CPU, .threads = 2}};
    snprintf(d.class_name, sizeof d.class_name, "cpu:a:1t:b:2t:avx2");
    for (size_t i = 0; i < sizeof other / sizeof *other; i++)
        assert_int_equal(rc_threads_of_class(&d, other[i]), 0); /* its own is no other */
    for (int threads = 1; threads < 2000; threads += 7) {
        char text[160];
        snprintf(text, sizeof text, "cpu:a:1t:b:%dt:avx2", threads);
        assert_int_equal(rc_threads_of_class(&d, text), threads);
    }
    d.executor.kind = RC_DEVICE_CUDA;
    assert_int_equal(rc_threads_of_class(&d, "cpu:a:1t:b:8t:avx2"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rank_takes_the_gpu_of_its_number),
        cmocka_unit_test(the_only_visible_gpu_is_taken),
        cmocka_unit_test(more_ranks_than_gpus_share_only_when_told),
        cmocka_unit_test(a_gpu_is_known_by_host_and_uuid),
        cmocka_unit_test(a_class_with_other_threads_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
