/* Dense tiles, groups of rows and the sparse part that a GPU cuts are those of the host, byte for byte.  Needs a GPU:
 * without one it skips itself, or fails when ROWCAST_GPU is 1.  ROWCAST_GPU_SAMPLE=N takes one random matrix in N.
 *
 * "test_gpu_tiles --time K SPEC..." instead prints what preparing for K columns takes, on the GPU and on the host. */
#include "config.h"
#include "unit.h"

#include "base/clock.h"
#include "device/device.h"
#include "format/resident.h"
#include "kernels/prepared.h"
#include "kernels/spmm/cuda/aspt_state.h"
#include "operands.h"
#include "random_problem.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 300, TEXT = 160 };

static int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

static void same(rc_executor_t *x, const void *host, const void *device, int64_t count, size_t bytes, const char *what,
    const char *label)
{
    rc_err_t err = {0};
    size_t all = (size_t)count * bytes;
    unsigned char *want = malloc(all + 1);
    unsigned char *got = malloc(all + 1);
    if (all == 0) {
        free(want);
        free(got);
        return;
    }
    assert_true(want && got && host && device);
    ok(x->download(x, want, host, all, &err), &err, what);
    ok(x->download(x, got, device, all, &err), &err, what);
    for (size_t i = 0; i < all; i++)
        if (want[i] != got[i])
            fail_msg("%s: %s differ between host and device at %zu of %" PRId64, label, what, i / bytes, count);
    free(want);
    free(got);
}

static void compare(rc_executor_t *x, const rc_cuda_aspt_t *h, const rc_cuda_aspt_t *d, const rc_problem_t *p,
    const rc_analysis_t *n, const char *label)
{
    rc_aspt_chosen_t c;
    RC_CHOSEN(n, c);
    size_t value = rc_precision_bytes(p->precision);
    int64_t nnz_rest = p->a->nnz - c.nnz_dense;
    int64_t places = c.longs > 0 ? c.longs + c.pieces : 0;
    int64_t slots = p->schedule->slots;
    assert_true(h->parts.rows == d->parts.rows && h->parts.panels == d->parts.panels &&
                h->base.stored == d->base.stored);
    assert_true(h->tile_cols == d->tile_cols && h->longs == d->longs && h->has_rest == d->has_rest);
    assert_true(h->parts.apart == d->parts.apart && h->pieces.args.slots == d->pieces.args.slots);
    assert_int_equal(rc_memory_bytes(&h->base.memory), rc_memory_bytes(&d->base.memory));
    same(x, h->parts.panel, d->parts.panel, c.panels, sizeof *h->parts.panel, "panels", label);
    same(x, h->parts.tile_col, d->parts.tile_col, c.cols, 4, "dense columns", label);
    same(x, h->parts.ptr, d->parts.ptr, c.groups.ptrs + 1, 4, "pointers of tiles", label);
    same(x, h->parts.col, d->parts.col, c.groups.columns, 2, "columns of tiles", label);
    same(x, h->parts.val, d->parts.val, c.groups.columns * c.groups.rows, value, "values of tiles",
        label);
    same(x, h->parts.rest_ptr, d->parts.rest_ptr, slots + 1, 4, "rows of the sparse part", label);
    same(x, h->parts.rest_col, d->parts.rest_col, nnz_rest, 4, "columns of the sparse part", label);
    same(x, h->parts.rest_val, d->parts.rest_val, nnz_rest, value, "values of the sparse part", label);
    same(x, h->rest.args.row, d->rest.args.row, slots, 4, "rows that go by themselves", label);
    same(x, h->long_row, d->long_row, c.longs, sizeof *h->long_row, "long rows", label);
    same(x, h->pieces.args.ptr, d->pieces.args.ptr, places ? places + 1 : 0, 4, "pointers of pieces", label);
    same(x, h->pieces.args.row, d->pieces.args.row, places, 4, "pieces", label);
}

/* \param[in,out] seen  [3] panels with tiles, of these with groups, long rows */
static void check(rc_executor_t *x, rc_problem_t *p, const rc_resident_t *r, const char *params, int64_t seen[3])
{
    rc_err_t err = {0};
    rc_kernel_spec_t spec;
    rc_analysis_t n = {0};
    void *state[2] = {NULL, NULL};
    ok(rc_kernel_spec_parse(params, RC_DEVICE_CUDA, &spec, &err), &err, params);
    memcpy(p->param, spec.param, sizeof p->param);
    p->resident = NULL;
    ok(rc_kernel_analyse(spec.kernel, p, &n, &err), &err, params);
    for (int there = 0; there < 2; there++) {
        p->resident = there ? r : NULL;
        ok(rc_kernel_prepare(spec.kernel, x, p, &n, &state[there], &err), &err, params);
    }
    compare(x, state[0], state[1], p, &n, params);
    rc_aspt_chosen_t c;
    RC_CHOSEN(&n, c);
    seen[0] += c.panels;
    seen[1] += c.groups.rows > 1 ? c.panels : 0;
    seen[2] += c.longs;
    rc_kernel_release(spec.kernel, state[0]);
    rc_kernel_release(spec.kernel, state[1]);
}

static void random_params(rc_rng_t *r, char *text)
{
    static const int panel[] = {1, 7, 64, 128, 300, 100000};
    static const int cols[] = {1, 5, 32, 128};
    static const char *const rows[] = {"auto", "1", "4"};
    int col_min = 1 + (int)below(r, 6) * (int)below(r, 4);
    snprintf(text, TEXT, "aspt:panel=%d:col_min=%d:tile_cols=%d:tile_min=%d:rows=%s", panel[below(r, 6)], col_min,
        cols[below(r, 4)], below(r, 2) ? 1 : 17, rows[below(r, 3)]);
}

static void random_matrices(void **state)
{
    (void)state;
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    rc_rng_t rng;
    rc_err_t err = {0};
    int64_t seen[3] = {0};
    int64_t sample = sample_of_runs();
    rc_rng_seed(&rng, 171);
    for (int64_t round = 0; round < ROUNDS; round++) {
        rc_executor_t *x = &d->executor;
        random_problem_t e;
        rc_resident_t r;
        char text[TEXT];
        int is_wide = below(&rng, 4) == 0;
        random_problem(&rng, is_wide ? below(&rng, 60) : below(&rng, 1500), is_wide ? below(&rng, 3000) : below(&rng, 200), &e);
        if (below(&rng, 3) == 0) {
            for (int64_t s = 0; s < e.a.rows; s++)
                e.schedule.row[s] = (int32_t)s;
            e.schedule.slots = e.a.rows;
            e.problem.identity = 1;
        }
        if (below(&rng, 3) == 0)
            e.problem.c_order = RC_C_SCHEDULE;
        ok(rc_resident_new(x, &e.a, below(&rng, 2) ? e.problem.precision : RC_FP64, &r, &err), &err, "matrix");
        for (int i = 0; i < 3; i++) {
            random_params(&rng, text);
            if (round % sample == 0)
                check(x, &e.problem, &r, text, seen);
        }
        rc_resident_free(&r);
        random_problem_free(&e);
    }
    if (sample == 1)
        assert_true(seen[0] > 1000 && seen[1] > 100 && seen[2] > 100);
    rc_device_close(d);
}

/* Large, as they come; the second round is the host's and must be as it was. */
static void generated_matrices(void **state)
{
    (void)state;
    static const char *const specs[] = {"rowclusters:rows=60000,clusters=800,own=24,share=0.875",
        "block:n=30000,size=48,between=1", "rmat:scale=15,edges=16", "banded:n=200000,lower=9,upper=9", "arrow:n=300000,width=2"};
    static const char *const params[] = {"aspt", "aspt:rows=4:col_min=8:tile_min=9", "aspt:rows=1:panel=1000:tile_cols=64",
        "aspt:rest=2:siglen=16"};
    rc_device_t *d = open_gpu();
    if (!d)
        skip();
    rc_err_t err = {0};
    int64_t seen[3] = {0};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_csr_t a;
        rc_schedule_t s;
        rc_resident_t r;
        ok(rc_generate(specs[i], &a, NULL, &err), &err, specs[i]);
        ok(rc_order_build("csr", &a, NULL, 1, &s, &err), &err, "csr");
        ok(rc_resident_new(&d->executor, &a, RC_FP64, &r, &err), &err, "matrix");
        rc_problem_t p = {.a = &a, .schedule = &s, .identity = 1, .k = 1};
        for (size_t k = 0; k < sizeof params / sizeof *params; k++)
            if ((i + k) % (size_t)sample_of_runs() == 0)
                check(&d->executor, &p, &r, params[k], seen);
        rc_resident_free(&r);
        rc_schedule_free(&s);
        rc_csr_free(&a);
    }
    rc_device_close(d);
}

/* ------------------------------------------------------------------- times */

static double prepare_ms(rc_executor_t *x, const rc_kernel_t *k, const rc_problem_t *p, const rc_analysis_t *n)
{
    double best = 1e30;
    for (int i = 0; i < 4; i++) {
        rc_err_t err = {0};
        void *state = NULL;
        int64_t since = rc_clock_ns();
        ok(rc_kernel_prepare(k, x, p, n, &state, &err), &err, "prepare");
        double ms = (double)(rc_clock_ns() - since) * 1e-6;
        best = ms < best ? ms : best;
        rc_kernel_release(k, state);
    }
    return best;
}

/* Preparing where the matrix is there, and where it is not. */
static void time_one(rc_device_t *d, int64_t columns, const char *text)
{
    rc_err_t err = {0};
    rc_csr_t a;
    rc_schedule_t s;
    rc_resident_t r;
    rc_kernel_spec_t spec;
    rc_analysis_t n = {0};
    ok(rc_generate(text, &a, NULL, &err), &err, text);
    ok(rc_order_build("csr", &a, NULL, 1, &s, &err), &err, "csr");
    ok(rc_resident_new(&d->executor, &a, RC_FP32, &r, &err), &err, "matrix");
    ok(rc_kernel_spec_parse("aspt", RC_DEVICE_CUDA, &spec, &err), &err, "aspt");
    rc_problem_t p = {.a = &a, .schedule = &s, .identity = 1, .k = columns};
    memcpy(p.param, spec.param, sizeof p.param);
    ok(rc_kernel_analyse(spec.kernel, &p, &n, &err), &err, text);
    rc_aspt_chosen_t c;
    RC_CHOSEN(&n, c);
    double host = prepare_ms(&d->executor, spec.kernel, &p, &n);
    p.resident = &r;
    double there = prepare_ms(&d->executor, spec.kernel, &p, &n);
    printf("%s: %" PRId64
           " entries, dense_ratio %.3f, prepared on the GPU in %.3f ms, on the host in %.3f ms\n",
        text, a.nnz, (double)c.nnz_dense / (double)a.nnz, there, host);
    fflush(stdout);
    rc_resident_free(&r);
    rc_schedule_free(&s);
    rc_csr_free(&a);
}

static int time_all(int count, char **spec)
{
    rc_device_t *d = open_gpu();
    if (!d)
        return 77;
    for (int i = 1; i < count; i++)
        time_one(d, strtol(spec[0], NULL, 10), spec[i]);
    rc_device_close(d);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_matrices),
        cmocka_unit_test(generated_matrices),
    };
    if (argc > 3 && strcmp(argv[1], "--time") == 0)
        return time_all(argc - 2, argv + 2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
