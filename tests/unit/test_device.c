/* The CPU as a device, and what kernels take of a device's memory. */
#include "config.h"
#include "unit.h"

#include "device/device.h"
#include "kernels/kernel.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Device memory of a kernel for so many entries in 1000 rows, in the original order. */
static int64_t device_bytes(const char *kernel, int64_t nnz)
{
    rc_kernel_spec_t s;
    assert_int_equal(rc_kernel_spec_parse(kernel, RC_DEVICE_CPU, &s, NULL), RC_OK);
    rc_csr_t a = {.rows = 1000, .cols = 1 << 30, .nnz = nnz};
    rc_schedule_t schedule = {.rows = 1000, .slots = 1000};
    rc_problem_t p = {.k = 1, .a = &a, .schedule = &schedule, .identity = 1, .c_rows = 1000};
    rc_analysis_t x;
    memcpy(p.param, s.param, sizeof p.param);
    assert_int_equal(rc_kernel_analyse(s.kernel, &p, &x, NULL), RC_OK);
    return x.bytes;
}

/* A GPU's threads step past the last entry, in the type of the slot pointers: that becomes the
 * wider one before the step could overflow, and cuSPARSE is told the same type. */
static void gpu_pointers_become_wide_in_time(void **state)
{
    (void)state;
    enum { steps = 32 * 4, pointers = 1001 };
    static const int64_t lengths[] = {1 << 20, INT32_MAX - steps + 1, INT32_MAX, (1LL << 31) + 7};
    if (!rc_kernel_find("growmajor", RC_DEVICE_CUDA))
        skip();
    for (int i = 0; i < 4; i++) {
        int64_t nnz = lengths[i];
        int64_t plain = device_bytes("growmajor", nnz);
        assert_int_equal(plain, nnz * 8 + pointers * (i == 0 ? 4 : 8));
        assert_int_equal(
            device_bytes("cusparse-csr-col", nnz) - plain, i == 0 ? 0 : (nnz + pointers) * 8);
        assert_int_equal(device_bytes("cusparse-coo-row", nnz) - plain, nnz * (i == 0 ? 4 : 16));
    }
}

static void cpu_device(void **state)
{
    (void)state;
    rc_device_t *d;
    rc_err_t err = {0};
    assert_int_equal(rc_device_open_cpu(-1, &d, &err), RC_EINVAL);
    assert_int_equal(rc_device_open_cpu(0, &d, &err), RC_OK);
    assert_true(
        d->executor.threads >= 1 && d->executor.lanes32 >= 4 && d->executor.line_bytes == 64);
    assert_true(strncmp(d->uuid, "cpu", 3) == 0 && strncmp(d->class_name, "cpu:", 4) == 0);
    assert_true(strlen(d->name) > 0 && d->memory_bytes > 0);
    void *p;
    size_t big = 3 * 1024 * 1024 + 7;
    assert_int_equal(d->executor.alloc(&d->executor, big, &p, &err), RC_OK);
    assert_int_equal((uintptr_t)p % 64, 0);
    assert_int_equal(d->executor.fill(&d->executor, p, 0xff, big, &err), RC_OK);
    unsigned char byte = 0;
    assert_int_equal(
        d->executor.download(&d->executor, &byte, (unsigned char *)p + big - 1, 1, &err), RC_OK);
    assert_int_equal(byte, 0xff);
    d->executor.release(&d->executor, p);
#ifndef __SANITIZE_ADDRESS__ /* it ends the program at such a request */
    assert_int_equal(d->executor.alloc(&d->executor, SIZE_MAX / 4, &p, &err), RC_ENOMEM);
#endif
    assert_int_equal(d->flush(d, &err), RC_OK);
    rc_device_state_t clocks;
    d->read_state(d, &clocks);
    assert_true(isnan(clocks.clock_mhz) || clocks.clock_mhz > 0);
    d->watch(d, 1);
    d->watch(d, 0);
    d->read_state(d, &clocks); /* of Linux it is known who else is there */
    assert_true(isnan(clocks.others) ? clocks.crowded == -1 : clocks.others >= 0 && clocks.cpus > 0);
    const int was_alone = clocks.crowded == 0;
    const int is_alone = rc_device_is_alone(d);
    d->read_state(d, &clocks);
    assert_true(is_alone == was_alone || is_alone == (clocks.crowded == 0)); /* a host took a CPU in between */
    rc_device_close(d);
    rc_device_close(NULL);
}

static void nobody_else(rc_device_t *d, rc_device_state_t *out)
{
    (void)d;
    *out = rc_device_state_unknown();
    out->others = 0;
    out->crowded = 0;
}

/* Its host makes batches of short launches longer, too, and nobody looks at that. */
static void who_has_the_host_of_a_gpu_is_not_known(void **state)
{
    (void)state;
    rc_device_t d = {.executor = {.kind = RC_DEVICE_CUDA}, .read_state = nobody_else};
    assert_int_equal(rc_device_is_alone(&d), 0);
}

/* A device of the test: cores that others have until so many looks. */
typedef struct lent {
    rc_device_t d;
    int looks;  /* that find others, of which each batch has two */
    int looked;
    int batches;
} lent_t;

static double lent_lost(rc_device_t *d, int anew)
{
    lent_t *l = (lent_t *)d; /* its first member */
    (void)anew;
    return l->looked++ < l->looks ? 0.4 : 0.01;
}

static rc_status_t lent_time(
    rc_device_t *d, rc_launch_fn *launch, void *state, int64_t batch, int64_t *ns, rc_err_t *err)
{
    static const int64_t took[] = {900, 700, 800, 950};
    lent_t *l = (lent_t *)d;
    (void)batch;
    *ns = took[l->batches++ % 4];
    return launch(state, err);
}

static rc_status_t no_launch(void *state, rc_err_t *err)
{
    (void)err;
    return *(const rc_status_t *)state;
}

static void shared_cores_are_timed_again(void **state)
{
    static const struct {
        int looks;
        int batches;
        int64_t ns;
        int64_t shared;
    } cases[] = {{0, 1, 900, 0}, {1, 2, 700, 0}, {2, 2, 700, 0}, {4, 3, 800, 0}, {99, 4, 700, 1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        lent_t l = {.d = {.lost = lent_lost, .time_batch = lent_time}, .looks = cases[i].looks};
        rc_status_t st = RC_OK;
        rc_err_t err = {0};
        int64_t ns = 0;
        assert_int_equal(rc_device_time_alone(&l.d, no_launch, &st, 1, &ns, &err), RC_OK);
        assert_int_equal(l.batches, cases[i].batches);
        assert_int_equal(ns, cases[i].ns);
        assert_true(l.d.timed == 1 && l.d.shared == cases[i].shared);
        st = RC_EDEVICE;
        assert_int_equal(rc_device_time_alone(&l.d, no_launch, &st, 1, &ns, &err), RC_EDEVICE);
        assert_int_equal(l.d.timed, 1);
    }
}

/* A plan's times name them, and nobody is alone. */
static void shared_cores_are_company(void **state)
{
    (void)state;
    rc_device_t *d = NULL;
    rc_err_t err = {0};
    char text[RC_COMPANY_MAX];
    assert_int_equal(rc_device_open_cpu(1, &d, &err), RC_OK);
    d->watch(d, 1);
    d->timed = 90;
    d->shared = 23;
    rc_device_company(d, text);
    assert_string_equal(text, "the host shares cores: 23 of 90 batches were timed beside others");
    assert_int_equal(rc_device_is_alone(d), 0);
    d->shared = 22;
    rc_device_company(d, text);
    assert_null(strstr(text, "cores"));
    d->watch(d, 1);
    assert_int_equal(d->timed + d->shared, 0);
    rc_device_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gpu_pointers_become_wide_in_time),
        cmocka_unit_test(cpu_device),
        cmocka_unit_test(who_has_the_host_of_a_gpu_is_not_known),
        cmocka_unit_test(shared_cores_are_timed_again),
        cmocka_unit_test(shared_cores_are_company),
    };
    return cmocka_run_group_tests_name("device", tests, NULL, NULL);
}
