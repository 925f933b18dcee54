/* RS-SpMM on a GPU: both products of one prepared structure, and the split that the GPU makes, which is that
 * of the host, byte for byte.  The kernels alone: test_gpu_kernels. */
#include "config.h"
#include "unit.h"

#include "fixture.h"
#include "device/device.h"
#include "format/resident.h"
#include "kernels/prepared.h"
#include "kernels/spmm/cuda/rs_state.h"
#include "operands.h"
#include "random_problem.h"
#include "sparse/generate.h"
#include "twins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void both_products(void **state)
{
    (void)state;
    static const char *const params[] = {"", ":t=1:w=8", ":t=2:w=32:cfv=1:cfh=4:light=store",
        ":t=1:w=64:cfv=4:hblocks=3", ":t=1:w=1024:cfv=1:hblocks=0", ":t=100000", ":t=1:w=2:light=store"};
    static const int64_t ks[] = {1, 3, 8, 31, 33, 65, 130};
    rc_device_t *d = open_gpu();
    int taken = 0;
    if (!d)
        skip();
    for (int m = 0; m < shape_count; m++) {
        rc_csr_t a = make_matrix(&shapes[m], 300 + (uint64_t)m);
        for (size_t i = 0; i < sizeof params / sizeof *params; i++) {
            const rc_geometry_t g = {32, 32, 32};
            int which = ((int)i + m) % schedule_count();
            rc_schedule_t s = make_schedule(&a, which, g);
            const twins_case_t t = {.kind = RC_DEVICE_CUDA,
                .a = &a,
                .schedule = &s,
                .precision = (rc_precision_t)((m + (int)i) % 2),
                .k = ks[(i * 3 + (size_t)m) % (sizeof ks / sizeof *ks)],
                .params = params[i]};
            taken += check_twins(&d->executor, "rs", &t);
            taken += check_twins(&d->executor, "rs-spmm_t", &t);
            rc_schedule_free(&s);
        }
        free_matrix(&a);
    }
    rc_device_close(d);
    assert_true(taken > shape_count);
}

/* What no CTA has room for is refused with the bytes. */
static void too_wide_a_panel(void **state)
{
    (void)state;
    const shape_t wide = {"wide", 20, 5000, 0.5, 0, 0, 0};
    rc_device_t *d = open_gpu();
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    rc_err_t err = {0};
    void *prepared = NULL;
    if (!d)
        skip();
    rc_csr_t a = make_matrix(&wide, 3);
    const rc_geometry_t g = {32, 32, 32};
    rc_schedule_t s = make_schedule(&a, SCHEDULE_IDENTITY, g);
    assert_int_equal(rc_kernel_spec_parse("rs:w=4096:cfv=4", RC_DEVICE_CUDA, &spec, NULL), RC_OK);
    rc_problem_t p = {
        .k = 128, .a = &a, .schedule = &s, .identity = 1, .geometry = g, .c_rows = a.rows};
    for (int i = 0; i < RC_KERNEL_PARAMS_MAX; i++)
        p.param[i] = spec.param[i];
    assert_int_equal(rc_kernel_analyse(spec.kernel, &p, &analysis, NULL), RC_OK);
    assert_int_equal(
        rc_kernel_prepare(spec.kernel, &d->executor, &p, &analysis, &prepared, &err), RC_ENOTSUP);
    assert_non_null(strstr(err.text, "2097152 bytes"));
    rc_schedule_free(&s);
    free_matrix(&a);
    rc_device_close(d);
}

static void same(rc_executor_t *x, const void *here, const void *there, int64_t bytes, const char *what)
{
    rc_err_t err = {0};
    unsigned char *a = malloc((size_t)bytes + 1);
    unsigned char *b = malloc((size_t)bytes + 1);
    assert_true(a && b);
    if (bytes > 0) {
        ok(x->download(x, a, here, (size_t)bytes, &err), &err, what);
        ok(x->download(x, b, there, (size_t)bytes, &err), &err, what);
    }
    if (memcmp(a, b, (size_t)bytes) != 0)
        fail_msg("%s differ between host and device", what);
    free(a);
    free(b);
}

static void same_parts(
    rc_executor_t *x, const rc_cuda_rs_t *h, const rc_cuda_rs_t *d, const rc_analysis_t *n, int64_t slots)
{
    const rc_rs_parts_t *a = &h->parts;
    const rc_rs_parts_t *b = &d->parts;
    rc_rs_chosen_t chosen;
    RC_CHOSEN(n, chosen);
    const int64_t nnz_heavy = chosen.nnz_heavy;
    int64_t value = (int64_t)h->base.value_bytes;
    assert_int_equal(a->panels, b->panels);
    assert_int_equal(a->col_bytes, b->col_bytes);
    assert_int_equal(h->scaled_rows, d->scaled_rows);
    same(x, a->panel, b->panel, (a->panels + 1) * (int64_t)sizeof *a->panel, "panels");
    same(x, a->seg_row, b->seg_row, h->heavy * 4, "rows of segments");
    same(x, a->seg_ptr, b->seg_ptr, (h->heavy + 1) * 4, "pointers of segments");
    same(x, a->col, b->col, nnz_heavy * a->col_bytes, "heavy columns");
    same(x, a->val, b->val, h->base.stored * value, "values");
    same(x, a->light_ptr, b->light_ptr, (slots + 1) * 4, "pointers of light rows");
    same(x, a->light_col, b->light_col, h->light * 4, "light columns");
    if (a->dense)
        same(x, a->dense, b->dense, (slots + 31) / 32 * 4, "bits of rows");
    same(x, h->scaled, d->scaled, h->scaled_rows * 4, "rows with heavy segments");
}

static void check_build(rc_executor_t *x, rc_problem_t *p)
{
    rc_resident_t r;
    rc_err_t err = {0};
    const size_t value = rc_precision_bytes(p->precision);
    rc_cuda_rs_t here = {.base = {.memory = {.x = x}, .p = *p, .value_bytes = value}};
    rc_cuda_rs_t there = here;
    rc_analysis_t n;
    const rc_kernel_t *kernel = rc_kernel_find("rs", RC_DEVICE_CUDA);
    p->resident = NULL;
    ok(rc_kernel_analyse(kernel, p, &n, &err), &err, "analysis");
    ok(rc_cuda_rs_build(&here, p, &n, &err), &err, "split on the host");
    ok(rc_resident_new(x, p->a, RC_FP64, &r, &err), &err, "matrix");
    p->resident = &r;
    ok(rc_cuda_rs_build(&there, p, &n, &err), &err, "split on the device");
    assert_int_equal(rc_memory_bytes(&here.base.memory), n.bytes);
    assert_int_equal(rc_memory_bytes(&there.base.memory), n.bytes);
    same_parts(x, &here, &there, &n, p->schedule->slots);
    rc_memory_free(&here.base.memory);
    rc_memory_free(&there.base.memory);
    rc_resident_free(&r);
}

static void splits_of_the_device(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    rc_rng_t rng;
    if (!d)
        skip();
    rc_rng_seed(&rng, 5);
    for (int round = 0; round < 150; round++) {
        random_problem_t e;
        int64_t rows = 1 + (int64_t)rc_rng_below(&rng, round % 3 ? 60 : 3000);
        random_problem(&rng, rows, 1 + (int64_t)rc_rng_below(&rng, round % 3 ? 3000 : 60), &e);
        if (round % 10 == 9)
            e.a.cols = 1 << 22; /* many panels, and local columns of 4 bytes */
        e.problem.param[RC_RS_T] = (int64_t)rc_rng_below(&rng, 6);
        e.problem.param[RC_RS_W] = round % 20 == 9 ? 1 << 17 : (int64_t)1 << rc_rng_below(&rng, 10);
        e.problem.param[RC_RS_LIGHT] = round % 2;
        check_build(&d->executor, &e.problem);
        random_problem_free(&e);
    }
    rc_device_close(d);
}

/* Many parts of the list of heavy segments. */
static void a_large_split(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    rc_csr_t a = {0};
    rc_err_t err = {0};
    if (!d)
        skip();
    ok(rc_generate("rmat:scale=15,edges=30", &a, NULL, &err), &err, "matrix");
    const rc_geometry_t g = {32, 32, 32};
    rc_schedule_t s = make_schedule(&a, SCHEDULE_RANDOM, g);
    rc_problem_t p = {.k = 1, .a = &a, .schedule = &s, .geometry = g, .c_rows = a.rows};
    p.param[RC_RS_T] = 1;
    p.param[RC_RS_W] = 512;
    p.param[RC_RS_LIGHT] = 1;
    check_build(&d->executor, &p);
    rc_schedule_free(&s);
    rc_csr_free(&a);
    rc_device_close(d);
}

/* ------------------------------------------------------------------- memory */

enum { BLOCKS = 64 };

/* An executor's memory, counted. */
static struct {
    rc_status_t (*alloc)(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err);
    void (*release)(rc_executor_t *x, void *p);
    int64_t now;
    int64_t most;
    struct {
        void *at;
        int64_t bytes;
    } block[BLOCKS];
} counted;

static rc_status_t counted_alloc(rc_executor_t *x, size_t bytes, void **out, rc_err_t *err)
{
    rc_status_t st = counted.alloc(x, bytes, out, err);
    int i = 0;
    while (i < BLOCKS && counted.block[i].at)
        i++;
    assert_true(i < BLOCKS);
    if (st == RC_OK) {
        counted.block[i].at = *out;
        counted.block[i].bytes = (int64_t)bytes;
        counted.now += (int64_t)bytes;
        counted.most = counted.now > counted.most ? counted.now : counted.most;
    }
    return st;
}

static void counted_release(rc_executor_t *x, void *p)
{
    for (int i = 0; i < BLOCKS; i++)
        if (p && counted.block[i].at == p) {
            counted.now -= counted.block[i].bytes;
            counted.block[i].at = NULL;
        }
    counted.release(x, p);
}

/* The structure takes what the analysis says and at most 1.15 of CSR, the split at most 16 bytes an entry beside it. */
static void memory_of_the_split(void **state)
{
    (void)state;
    static const char *const specs[] = {"rmat:scale=15,edges=30", "mesh3d:n=30,points=27", "uniform:n=30000,mean=20",
        "block:n=20000,size=32,between=1"};
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    rc_executor_t *x = &d->executor;
    counted.alloc = x->alloc;
    counted.release = x->release;
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a = {0};
        rc_resident_t r;
        rc_analysis_t n;
        rc_err_t err = {0};
        void *prepared = NULL;
        const rc_geometry_t g = {32, 32, 32};
        const rc_kernel_t *kernel = rc_kernel_find("rs", RC_DEVICE_CUDA);
        ok(rc_generate(specs[i], &a, NULL, &err), &err, "matrix");
        rc_schedule_t s = make_schedule(&a, SCHEDULE_IDENTITY, g);
        ok(rc_resident_new(x, &a, RC_FP32, &r, &err), &err, "matrix");
        rc_problem_t p = {.k = 1, .a = &a, .resident = &r, .schedule = &s, .identity = 1, .geometry = g, .c_rows = a.rows};
        p.param[RC_RS_T] = 4;
        p.param[RC_RS_CFV] = p.param[RC_RS_CFH] = 2;
        p.param[RC_RS_HBLOCKS] = 1;
        ok(rc_kernel_analyse(kernel, &p, &n, &err), &err, "analysis");
        counted.now = counted.most = 0;
        x->alloc = counted_alloc;
        x->release = counted_release;
        ok(rc_kernel_prepare(kernel, x, &p, &n, &prepared, &err), &err, "rs");
        assert_true((double)counted.now <= 1.01 * (double)n.bytes && (double)counted.now >= 0.99 * (double)n.bytes);
        assert_true((double)n.bytes <= 1.15 * (double)(8 * a.nnz + 4 * (a.rows + 1)));
        if (counted.most - counted.now > 16 * a.nnz + 4096)
            fail_msg("%s: %.1f bytes of scratch an entry", specs[i], (double)(counted.most - counted.now) / (double)a.nnz);
        rc_kernel_release(kernel, prepared);
        x->alloc = counted.alloc;
        x->release = counted.release;
        assert_int_equal(counted.now, 0);
        rc_resident_free(&r);
        rc_schedule_free(&s);
        rc_csr_free(&a);
    }
    rc_device_close(d);
}

/* Argument: a pattern of what is run, all without. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_products),
        cmocka_unit_test(too_wide_a_panel),
        cmocka_unit_test(splits_of_the_device),
        cmocka_unit_test(a_large_split),
        cmocka_unit_test(memory_of_the_split),
    };
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
