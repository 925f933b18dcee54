/* The split of RS-SpMM beside what it is compared with: on the CPU a copy of the CSR (goal: at most 3), on a GPU where there is
 * one, the matrix being there, products of rs at K = 128 (goal: at most 2 from 10^6 entries on).  Beside them what choosing t and cfv takes, one
 * thread, by the published model and by the second, where the tuning files are found.
 *
 * Usage: bench_split [MATRIX]...   generator specs or .mtx files (default: generated ones of 10^6 entries and more) */
#include "config.h"

#include "base/clock.h"
#include "base/error.h"
#include "device/device.h"
#include "format/resident.h"
#include "kernels/prepared.h"
#include "kernels/tuning/rs_tuning.h"
#include "order/policy.h"
#include "rowcast_io.h"
#include "sparse/csr.h"
#include "sparse/generate.h"
#include "sparse/segments.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 5, W = 256, T = 4, K = 128 };

/* What is summed up over the matrices. */
typedef struct sums {
    double log_copies;
    double worst_copies;
    int matrices;
    double log_products;
    double worst_products;
    int timed;
} sums_t;

static double least(double a, double b)
{
    return a > 0 && a < b ? a : b;
}

/* Seconds of a copy into new memory, and of a split, the fastest of some. */
static rc_status_t time_cpu(const rc_csr_t *a, double *copy, double *split, rc_err_t *err)
{
    const rc_segments_source_t source = rc_segments_source_of(a);
    const rc_segments_rule_t rule = {W, T};
    rc_status_t st = RC_OK;
    for (int i = 0; i < ROUNDS && st == RC_OK; i++) {
        rc_csr_t b = {0};
        rc_segments_t s;
        int64_t begin = rc_clock_ns();
        st = rc_csr_alloc(a->rows, a->cols, a->nnz, &b, err);
        if (st < 0)
            return st;
        memcpy(b.row_ptr, a->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
        memcpy(b.col_idx, a->col_idx, (size_t)a->nnz * sizeof *a->col_idx);
        memcpy(b.val, a->val, (size_t)a->nnz * sizeof *a->val);
        *copy = least(*copy, 1e-9 * (double)(rc_clock_ns() - begin));
        rc_csr_free(&b);
        begin = rc_clock_ns();
        st = rc_segments_split(&source, &rule, 1, &s, err);
        *split = least(*split, 1e-9 * (double)(rc_clock_ns() - begin));
        if (st == RC_OK)
            rc_segments_free(&s);
    }
    return st;
}

/* Seconds to choose by the fp64 setting of K, the least of some; 0: there is no such file. */
static double time_choice(const rc_csr_t *a, const char *tuning)
{
    rc_rs_tuning_t t = {.settings = 0};
    double seconds = INFINITY;
    if (rc_rs_tuning_read(tuning, &t, NULL) < 0)
        return 0;
    const rc_rs_setting_t *s = rc_rs_tuning_setting(&t, K, RC_FP64);
    for (int i = 0; i < ROUNDS && s; i++) {
        rc_rs_choice_t choice = {.t = 0};
        int64_t begin = rc_clock_ns();
        if (rc_rs_tuning_choose(s, a, RC_FP64, &choice, NULL) == RC_OK)
            seconds = least(seconds, 1e-9 * (double)(rc_clock_ns() - begin));
    }
    rc_rs_tuning_free(&t);
    return isinf(seconds) ? 0 : seconds;
}

/* ------------------------------------------------------------------ on a GPU */

typedef struct gpu {
    rc_device_t *d;
    const rc_kernel_t *kernel;
    rc_operands_t o;
    void *state;
} gpu_t;

static rc_status_t launch(void *user, rc_err_t *err)
{
    gpu_t *g = user;
    return rc_kernel_run(g->kernel, g->state, &g->o, 1, 0, err);
}

static rc_status_t operand(gpu_t *g, int64_t rows, rc_dense_t *out, rc_err_t *err)
{
    rc_executor_t *x = &g->d->executor;
    *out = (rc_dense_t){.rows = rows, .cols = K, .ld = K, .layout = RC_ROW_MAJOR};
    rc_status_t st = x->alloc(x, (size_t)rows * K * sizeof(float) + 1, &out->data, err);
    return st < 0 ? st : x->fill(x, out->data, 0, (size_t)rows * K * sizeof(float), err);
}

/* Preparations and products in ns, the least of some each. */
static rc_status_t time_rounds(gpu_t *g, const rc_problem_t *p, double *prepare, double *product, rc_err_t *err)
{
    rc_analysis_t analysis;
    rc_status_t st = rc_kernel_analyse(g->kernel, p, &analysis, err);
    for (int i = 0; i < ROUNDS && st == RC_OK; i++) {
        int64_t ns = 0;
        int64_t begin = rc_clock_ns();
        st = rc_kernel_prepare(g->kernel, &g->d->executor, p, &analysis, &g->state,
            err); /* waits for what it asks for */
        *prepare = least(*prepare, (double)(rc_clock_ns() - begin));
        if (st == RC_OK)
            st = g->d->time_batch(g->d, launch, g, ROUNDS, &ns, err);
        if (i > 0)
            *product = least(*product, (double)ns / ROUNDS);
        rc_kernel_release(g->kernel, g->state);
        g->state = NULL;
    }
    return st;
}

/* \param[out] products  that a split takes; 0: there is no GPU with rs */
static rc_status_t time_gpu(rc_device_t *d, const rc_csr_t *a, double *products, rc_err_t *err)
{
    gpu_t g = {.d = d};
    rc_kernel_spec_t spec;
    rc_schedule_t s = {0};
    rc_resident_t there = {0};
    double prepare = INFINITY;
    double product = INFINITY;
    rc_status_t st;
    RC_TRY(rc_kernel_spec_parse("rs:t=4:cfv=2:cfh=2", RC_DEVICE_CUDA, &spec, err));
    g.kernel = spec.kernel;
    RC_TRY(rc_order_build("csr", a, NULL, 0, &s, err));
    RC_TRY(rc_resident_new(&d->executor, a, RC_FP32, &there, err));
    RC_TRY(operand(&g, a->cols, &g.o.in[0], err));
    RC_TRY(operand(&g, a->rows, &g.o.out, err));
    rc_problem_t p = {.k = K, .precision = RC_FP32, .a = a, .resident = &there, .schedule = &s, .identity = 1,
        .geometry = g.kernel->geometry(&d->executor, spec.param, RC_FP32), .c_rows = a->rows};
    memcpy(p.param, spec.param, sizeof p.param);
    RC_TRY(time_rounds(&g, &p, &prepare, &product, err));
    *products = prepare / product;
done:
    d->executor.release(&d->executor, g.o.in[0].data);
    d->executor.release(&d->executor, g.o.out.data);
    rc_resident_free(&there);
    rc_schedule_free(&s);
    return st;
}

/* --------------------------------------------------------------------- all */

static rc_status_t bench(rc_device_t *gpu, const char *spec, sums_t *all, rc_err_t *err)
{
    rc_csr_t a = {0};
    double copy = INFINITY;
    double split = INFINITY;
    double products = 0;
    rc_status_t st = strstr(spec, ".mtx") ? rc_mtx_read(spec, 0, &a, NULL, err) : rc_generate(spec, &a, NULL, err);
    if (st == RC_OK)
        st = time_cpu(&a, &copy, &split, err);
    if (st == RC_OK && gpu)
        st = time_gpu(gpu, &a, &products, err);
    if (st == RC_OK) {
        printf("%-40s %10" PRId64 " entries  copy %8.2f ms  split %8.2f ms = %.2f copies", spec, a.nnz, 1e3 * copy,
            1e3 * split, split / copy);
        printf("; choice %.2f, published %.2f copies", time_choice(&a, RC_RS_TUNING_USUAL) / copy,
            time_choice(&a, RC_RS_TUNING_USUAL "-published") / copy);
        printf(products > 0 ? "; on the GPU %.2f products\n" : "\n", products);
        all->log_copies += log(split / copy);
        all->worst_copies = fmax(all->worst_copies, split / copy);
        all->matrices++;
        if (products > 0) {
            all->log_products += log(products);
            all->worst_products = fmax(all->worst_products, products);
            all->timed++;
        }
    }
    rc_csr_free(&a);
    return st;
}

int main(int argc, char **argv)
{
    static const char *const usual[] = {"mesh2d:n=500,points=9", "mesh3d:n=40,points=27", "banded:n=100000",
        "block:n=20000,size=32,between=1", "rmat:scale=16,edges=16", "powerlaw:n=100000", "uniform:n=100000,mean=20"};
    const int specs = argc > 1 ? argc - 1 : (int)(sizeof usual / sizeof *usual);
    sums_t all = {0};
    rc_device_t *gpu = NULL;
    rc_err_t err = {0};
    rc_status_t st = RC_OK;
    if (rc_device_open_gpu(0, 0, &gpu, NULL) < 0)
        gpu = NULL;
    for (int i = 0; i < specs && st == RC_OK; i++)
        st = bench(gpu, argc > 1 ? argv[i + 1] : usual[i], &all, &err);
    if (st < 0)
        fprintf(stderr, "bench_split: %s\n", err.text);
    else {
        printf("split over a copy of the CSR, one thread: geomean %.2f, worst %.2f (goal 3, next 3.5)\n",
            exp(all.log_copies / all.matrices), all.worst_copies);
        if (all.timed > 0)
            printf("split on the GPU over a product of rs at K = %d: geomean %.2f, worst %.2f (goal 2, next 2.5)\n", K,
                exp(all.log_products / all.timed), all.worst_products);
    }
    if (gpu)
        rc_device_close(gpu);
    return st < 0;
}
