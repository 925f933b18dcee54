/* The GPU as a device: memory, timing behind the gate, state, and what errors become. */
#include "config.h"
#include "unit.h"

#include "base/clock.h"
#include "base/error.h"
#include "device/device.h"
#include "kernels/prepared.h"
#include "open_gpu.h"
#include "rowcast.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { US = 1000, MS = 1000000 };

static void check(rc_status_t st, const rc_err_t *err, const char *what)
{
    if (st != RC_OK)
        fail_msg("%s: %s", what, err->text);
}

static int setup(void **state)
{
    *state = open_gpu();
    return 0;
}

static int teardown(void **state)
{
    rc_device_close(*state);
    return 0;
}

/* The device of a test, which is skipped without one. */
static rc_device_t *device(void **state)
{
    if (!*state)
        skip();
    return *state;
}

/* --------------------------------------------------------------- gpufault */

/* A 3 x 3 matrix, K = 2, and gpufault on it. */
typedef struct fault {
    rc_device_t *d;
    int64_t row_ptr[4];
    int32_t col_idx[4];
    double val[4];
    int32_t row[3];
    rc_csr_t a;
    rc_schedule_t schedule;
    const rc_kernel_t *kernel;
    void *state;
    float *b;
    float *c;
    int64_t host_ns; /* that every launch sleeps before it launches */
    rc_status_t fail_with;
} fault_t;

enum { N = 3, K = 2 };
static const float b_host[N * K] = {1, 2, 3, -1, 10, 100};
static const float c_host[N * K] = {1 * 1 + 2 * 3, 0, 3 * 2 + 4 * 3, 1 * -1 + 2 * 100, 0, 430};

static void fault_begin(fault_t *f, rc_device_t *d, const char *params)
{
    rc_err_t err = {0};
    rc_kernel_spec_t spec;
    char text[96];
    memset(f, 0, sizeof *f);
    snprintf(text, sizeof text, "gpufault%s%s", params[0] ? ":" : "", params);
    check(rc_kernel_spec_parse(text, RC_DEVICE_CUDA, &spec, &err), &err, text);
    *f = (fault_t){.d = d,
        .row_ptr = {0, 2, 2, 4},
        .col_idx = {0, 2, 1, 2},
        .val = {1, 2, 3, 4},
        .row = {0, 1, 2},
        .kernel = spec.kernel};
    f->a = (rc_csr_t){.rows = N,
        .cols = N,
        .nnz = 4,
        .row_ptr = f->row_ptr,
        .col_idx = f->col_idx,
        .val = f->val};
    f->schedule = (rc_schedule_t){.slots = N, .rows = N, .row = f->row};
    rc_problem_t p = {.k = K,
        .precision = RC_FP32,
        .a = &f->a,
        .schedule = &f->schedule,
        .identity = 1,
        .geometry = spec.kernel->geometry(&d->executor, spec.param, RC_FP32),
        .c_rows = N};
    memcpy(p.param, spec.param, sizeof p.param);
    rc_analysis_t analysis;
    check(rc_kernel_analyse(f->kernel, &p, &analysis, &err), &err, "analyse");
    check(rc_kernel_prepare(f->kernel, &d->executor, &p, &analysis, &f->state, &err), &err,
        "prepare");
    check(d->executor.alloc(&d->executor, sizeof b_host, (void **)&f->b, &err), &err, "B");
    check(d->executor.alloc(&d->executor, sizeof c_host, (void **)&f->c, &err), &err, "C");
    check(d->executor.upload(&d->executor, f->b, b_host, sizeof b_host, &err), &err, "B");
    check(d->executor.fill(&d->executor, f->c, 0xff, sizeof c_host, &err), &err, "C");
}

static void fault_end(fault_t *f)
{
    rc_kernel_release(f->kernel, f->state);
    f->d->executor.release(&f->d->executor, f->b);
    f->d->executor.release(&f->d->executor, f->c);
}

static rc_status_t launch(void *state, rc_err_t *err)
{
    fault_t *f = state;
    if (f->host_ns)
        rc_sleep_ns(f->host_ns);
    if (f->fail_with < 0)
        return rc_fail(err, f->fail_with, "as asked");
    const rc_dense_t shape = {
        .rows = N, .cols = K, .ld = N, .precision = RC_FP32, .layout = RC_COL_MAJOR};
    rc_operands_t o = {.in = {shape}, .out = shape};
    o.in[0].data = f->b;
    o.out.data = f->c;
    return rc_kernel_run(f->kernel, f->state, &o, 1, 0, err);
}

/* Times a batch; *wall is what the host saw. */
static int64_t timed(fault_t *f, int64_t batch, int64_t *wall)
{
    rc_err_t err = {0};
    int64_t ns = -1;
    int64_t begin = rc_clock_ns();
    check(f->d->time_batch(f->d, launch, f, batch, &ns, &err), &err, "time_batch");
    *wall = rc_clock_ns() - begin;
    return ns;
}

/* Values of C that are not right. */
static int wrong_values(fault_t *f)
{
    rc_err_t err = {0};
    float c[N * K];
    int wrong = 0;
    check(f->d->executor.download(&f->d->executor, c, f->c, sizeof c, &err), &err, "C");
    for (int i = 0; i < N * K; i++)
        wrong += !(c[i] == c_host[i]);
    return wrong;
}

/* ----------------------------------------------------------------- tests */

static void identity_is_that_of_the_list(void **state)
{
    rc_device_t *d = device(state);
    rc_err_t err = {0};
    rc_gpu_info_t *list = NULL;
    int n = 0;
    check(rc_gpu_list(&list, &n, &err), &err, "rc_gpu_list");
    assert_string_equal(d->name, list[0].name);
    assert_string_equal(d->uuid, list[0].uuid);
    assert_true(strncmp(d->uuid, "GPU-", 4) == 0 || strncmp(d->uuid, "MIG-", 4) == 0);
    assert_int_equal(strlen(d->uuid), strlen("GPU-00000000-0000-0000-0000-000000000000"));
    char class_name[160];
    snprintf(class_name, sizeof class_name, "cuda:%s:%dsm:cuda%d.%d", d->name, list[0].sms,
        list[0].runtime / 1000, list[0].runtime % 1000 / 10);
    assert_string_equal(d->class_name, class_name);
    assert_int_equal(d->executor.kind, RC_DEVICE_CUDA);
    assert_int_equal(d->executor.lanes32, 32);
    assert_int_equal(d->executor.line_bytes, 128);
    assert_true(d->executor.threads >= 1 && d->batch_max > 0);
    assert_true(d->cache_bytes > 0);
    assert_true(d->memory_bytes > 0 && d->memory_bytes <= list[0].memory_bytes);
    rc_device_t *none = NULL;
    assert_int_equal(rc_device_open_gpu(n, 0, &none, &err), RC_EDEVICE);
    assert_null(none);
    free(list);
}

static void memory_comes_back_as_it_went(void **state)
{
    rc_device_t *d = device(state);
    rc_err_t err = {0};
    enum { bytes = (1 << 20) + 3, filled = 1000 };
    unsigned char *host = malloc(bytes);
    unsigned char *back = calloc(bytes, 1);
    void *p = NULL;
    assert_true(host && back);
    for (int i = 0; i < bytes; i++)
        host[i] = (unsigned char)(i * 7 + i / 251);
    int64_t copy_ns = d->executor.copy_ns;
    int64_t active_ns = d->active_ns;
    check(d->executor.alloc(&d->executor, bytes, &p, &err), &err, "alloc");
    check(d->executor.upload(&d->executor, p, host, bytes, &err), &err, "upload");
    check(d->executor.download(&d->executor, back, p, bytes, &err), &err, "download");
    assert_memory_equal(host, back, bytes);
    assert_true(d->executor.copy_ns > copy_ns);
    assert_true(d->active_ns == active_ns);
    check(d->executor.fill(&d->executor, p, 0xa5, filled, &err), &err, "fill");
    check(d->executor.download(&d->executor, back, p, bytes, &err), &err, "download");
    memset(host, 0xa5, filled);
    assert_memory_equal(host, back, bytes);
    check(d->executor.upload(&d->executor, p, host, 0, &err), &err, "upload of nothing");
    check(d->executor.download(&d->executor, back, p, 0, &err), &err, "download of nothing");
    check(d->executor.fill(&d->executor, p, 0, 0, &err), &err, "fill of nothing");
    d->executor.release(&d->executor, p);
    d->executor.release(&d->executor, NULL);
    check(d->executor.alloc(&d->executor, 0, &p, &err), &err, "alloc of nothing");
    d->executor.release(&d->executor, p);
    free(host);
    free(back);
}

static void memory_that_is_not_there_is_an_error_that_passes(void **state)
{
    rc_device_t *d = device(state);
    rc_err_t err = {0};
    void *p = NULL;
    size_t much = (size_t)d->memory_bytes * 4;
    char number[32];
    assert_int_equal(d->executor.alloc(&d->executor, much, &p, &err), RC_ENOMEM);
    assert_null(p);
    snprintf(number, sizeof number, "%zu bytes", much);
    assert_non_null(strstr(err.text, number));
    check(d->executor.alloc(&d->executor, 4096, &p, &err), &err, "alloc after a failure");
    check(d->executor.fill(&d->executor, p, 0, 4096, &err), &err, "fill after a failure");
    d->executor.release(&d->executor, p);
}

/* What the pool kept of one request must not stand in the way of another one. */
static void released_memory_serves_other_sizes(void **state)
{
    rc_device_t *d = device(state);
    rc_err_t err = {0};
    void *p[2] = {NULL, NULL};
    size_t part = (size_t)d->memory_bytes / 10;
    for (int i = 0; i < 2; i++)
        check(d->executor.alloc(&d->executor, 3 * part, &p[i], &err), &err, "three tenths");
    for (int i = 0; i < 2; i++)
        d->executor.release(&d->executor, p[i]);
    check(d->executor.alloc(&d->executor, 7 * part, &p[0], &err), &err, "seven tenths");
    d->executor.release(&d->executor, p[0]);
}

static void flush_can_be_repeated(void **state)
{
    rc_device_t *d = device(state);
    rc_err_t err = {0};
    fault_t f;
    int64_t wall;
    fault_begin(&f, d, "");
    for (int i = 0; i < 3; i++) {
        check(d->flush(d, &err), &err, "flush");
        timed(&f, 1, &wall);
    }
    assert_int_equal(wrong_values(&f), 0);
    fault_end(&f);
}

static void gpufault_misbehaves_as_asked(void **state)
{
    rc_device_t *d = device(state);
    static const struct {
        const char *params;
        int first; /* wrong values after the first run, */
        int second;
    } expected[] = {{"", 0, 0}, {"mode=1", 1, 1}, {"mode=1:after=1", 0, 1}, {"mode=1:rows=4", 0, 0},
        {"mode=6:at=2", K, K}, {"mode=2", 0, 0}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        fault_t f;
        int64_t wall;
        fault_begin(&f, d, expected[i].params);
        timed(&f, 1, &wall);
        assert_int_equal(wrong_values(&f), expected[i].first);
        timed(&f, 1, &wall);
        assert_int_equal(wrong_values(&f), expected[i].second);
        fault_end(&f);
    }
}

static void a_known_time_is_measured(void **state)
{
    rc_device_t *d = device(state);
    fault_t f;
    int64_t wall;
    enum { batch = 8 };
    fault_begin(&f, d, "mode=3:delay_us=500");
    timed(&f, 1, &wall); /* cold code */
    int64_t active = d->active_ns;
    int64_t ns = timed(&f, batch, &wall);
    /* the clock that it spins by may tick once in a microsecond */
    assert_true(ns >= (int64_t)batch * 495 * US);
    assert_true(ns <= (int64_t)batch * 600 * US);
    assert_true(wall >= ns);
    assert_true(d->active_ns >= active + ns);
    fault_end(&f);
}

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The host takes far longer for a launch than the device for the work. */
static void the_host_is_not_in_the_time(void **state)
{
    rc_device_t *d = device(state);
    fault_t f;
    int64_t wall;
    enum { batch = 10, samples = 9 };
    int64_t ns[samples];
    fault_begin(&f, d, "");
    timed(&f, 1, &wall);
    f.host_ns = MS / 10; /* all of it less than the gate stays closed */
    for (int i = 0; i < samples; i++) {
        ns[i] = timed(&f, batch, &wall);
        assert_true(wall >= (int64_t)batch * MS / 10);
    }
    qsort(ns, samples, sizeof *ns, by_value);
    assert_true(ns[0] > 0);
    assert_true(ns[samples / 2] < (int64_t)batch * 50 * US);
    fault_end(&f);
}

static void full_batches_do_not_block(void **state)
{
    rc_device_t *d = device(state);
    fault_t f;
    int64_t wall;
    enum { samples = 9 };
    int64_t walls[samples];
    fault_begin(&f, d, "mode=1"); /* two launches in a run */
    timed(&f, 1, &wall);
    for (int i = 0; i < samples; i++) {
        int64_t ns = timed(&f, d->batch_max, &walls[i]);
        assert_true(ns > 0 && ns < d->batch_max * 50 * US);
    }
    qsort(walls, samples, sizeof *walls, by_value);
    assert_true(walls[samples / 2] < 20 * MS); /* the gate opens by itself after 27 ms */
    fault_end(&f);
}

/* A run that waits for its own work cannot be behind a gate, which then opens by itself: four that were held
 * up would take four times 27 ms.  The best of many tries, since other programs use the GPU too. */
static void runs_that_wait_are_not_held_up_for_long(void **state)
{
    rc_device_t *d = device(state);
    fault_t f;
    int64_t wall;
    int64_t least = INT64_MAX;
    fault_begin(&f, d, "mode=2");
    for (int i = 0; i < 50 && least >= 10 * MS; i++) {
        timed(&f, 4, &wall);
        assert_true(wall < 1000 * (int64_t)MS);
        least = wall < least ? wall : least;
    }
    assert_true(least < 50 * MS);
    assert_int_equal(wrong_values(&f), 0);
    fault_end(&f);
}

static void a_failed_launch_ends_the_batch(void **state)
{
    rc_device_t *d = device(state);
    fault_t f;
    rc_err_t err = {0};
    int64_t ns = 0;
    int64_t wall;
    fault_begin(&f, d, "");
    f.fail_with = RC_EWRONG;
    int64_t begin = rc_clock_ns();
    assert_int_equal(d->time_batch(d, launch, &f, 3, &ns, &err), RC_EWRONG);
    assert_string_equal(err.text, "as asked");
    assert_true(rc_clock_ns() - begin < 1000 * (int64_t)MS);
    f.fail_with = RC_OK;
    assert_true(timed(&f, 2, &wall) > 0);
    assert_int_equal(wrong_values(&f), 0);
    fault_end(&f);
}

static void state_is_plausible_or_unknown(void **state)
{
    rc_device_t *d = device(state);
    rc_device_state_t s;
    d->read_state(d, &s);
    int64_t begin = rc_clock_ns();
    d->read_state(d, &s);
    printf("# %.0f MHz, memory %.0f MHz, %.0f C, throttle %lld, read in %.0f us\n", s.clock_mhz,
        s.memory_clock_mhz, s.temperature_c, (long long)s.throttle,
        (double)(rc_clock_ns() - begin) / US);
    assert_true(isnan(s.clock_mhz) || (s.clock_mhz > 50 && s.clock_mhz < 10000));
    assert_true(
        isnan(s.memory_clock_mhz) || (s.memory_clock_mhz > 50 && s.memory_clock_mhz < 50000));
    assert_true(isnan(s.temperature_c) || (s.temperature_c > 0 && s.temperature_c < 130));
    assert_true(s.throttle >= -1);
}

static void two_devices_do_not_disturb_each_other(void **state)
{
    rc_device_t *d = device(state);
    rc_device_t *other = open_gpu();
    fault_t f;
    fault_t g;
    int64_t wall;
    fault_begin(&f, d, "");
    fault_begin(&g, other, "");
    timed(&f, 3, &wall);
    timed(&g, 3, &wall);
    assert_int_equal(wrong_values(&f), 0);
    assert_int_equal(wrong_values(&g), 0);
    fault_end(&g);
    rc_device_close(other);
    timed(&f, 3, &wall);
    assert_int_equal(wrong_values(&f), 0);
    fault_end(&f);
}

/* Last: the process has no use for the GPU afterwards. */
static void an_illegal_address_is_a_device_error_for_good(void **state)
{
    rc_device_t *d = device(state);
    fault_t f;
    rc_err_t err = {0};
    int64_t ns = 0;
    int64_t wall;
    void *p = NULL;
    fault_begin(&f, d, "mode=4:after=2");
    timed(&f, 2, &wall);
    assert_int_equal(wrong_values(&f), 0);
    assert_int_equal(d->time_batch(d, launch, &f, 2, &ns, &err), RC_EDEVICE);
    assert_non_null(strstr(err.text, "cudaErrorIllegalAddress"));
    printf("# %s\n", err.text);
    assert_int_equal(d->time_batch(d, launch, &f, 1, &ns, &err), RC_EDEVICE);
    assert_int_equal(d->executor.alloc(&d->executor, 64, &p, &err), RC_EDEVICE);
    assert_int_equal(d->executor.download(&d->executor, &ns, f.c, sizeof ns, &err), RC_EDEVICE);
    rc_device_state_t s;
    d->read_state(d, &s);
    fault_end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(identity_is_that_of_the_list),
        cmocka_unit_test(memory_comes_back_as_it_went),
        cmocka_unit_test(memory_that_is_not_there_is_an_error_that_passes),
        cmocka_unit_test(released_memory_serves_other_sizes),
        cmocka_unit_test(flush_can_be_repeated),
        cmocka_unit_test(gpufault_misbehaves_as_asked),
        cmocka_unit_test(a_known_time_is_measured),
        cmocka_unit_test(the_host_is_not_in_the_time),
        cmocka_unit_test(full_batches_do_not_block),
        cmocka_unit_test(runs_that_wait_are_not_held_up_for_long),
        cmocka_unit_test(a_failed_launch_ends_the_batch),
        cmocka_unit_test(state_is_plausible_or_unknown),
        cmocka_unit_test(two_devices_do_not_disturb_each_other),
        cmocka_unit_test(an_illegal_address_is_a_device_error_for_good),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
