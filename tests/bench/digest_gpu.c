/* What every CUDA kernel computes, as a digest of its bits, and what it takes: a line of CSV for each
 * kernel, order, K and value type.  Two versions of the program are compared by tests/bench/digest.py.
 *
 * Usage: digest_gpu [KEY=VALUE | SPEC]...
 *   SPEC        of a generator (default: three small matrices)
 *   k=8,32,100  dense columns
 *   reps=5      preparations, of which the median is told
 *   only=NAMES  kernels; all
 * Columns: matrix, order, kernel, operation, k, precision, status, digest of the output after a preparation from the
 * host and from the matrix on the GPU, us of a product, us of a preparation from either (-1: it has none). */
#include "config.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/stats.h"
#include "base/str.h"
#include "base/type.h"
#include "device/device.h"
#include "format/resident.h"
#include "kernels/prepared.h"
#include "order/policy.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPS_MAX = 64, ROUNDS = 7, BATCH_NS = 1500000, BATCH_MOST = 300 };

static const char *const orders[] = {"csr", "lpt"};

typedef struct bench {
    rc_device_t *d;
    const char *matrix;
    const rc_csr_t *a;
    rc_resident_t there; /* of the type in turn */
    int64_t reps;
    const char *ks;
    rc_words_t only; /* kernels; none: all */
} bench_t;

typedef struct found {
    uint64_t digest[2]; /* from the host, from the device */
    double prepare_us[2];
    double product_us;
} found_t;

typedef struct launch {
    const rc_kernel_t *kernel;
    void *state;
    rc_operands_t o;
} launch_t;

static rc_status_t launch(void *user, rc_err_t *err)
{
    launch_t *l = user;
    return rc_kernel_run(l->kernel, l->state, &l->o, 1.25, 0, err);
}

static double median(double *sample, int64_t n)
{
    rc_stats_t stats;
    rc_stats_compute(sample, n, &stats);
    return stats.median;
}

static size_t bytes_of(const rc_dense_t *m)
{
    return (size_t)(m->rows * m->cols) * rc_precision_bytes(m->precision);
}

/* An operand without gaps, filled. */
static rc_status_t operand(const bench_t *b, const rc_problem_t *p, rc_layout_t layout,
    const rc_shape_t *shape, uint64_t seed, rc_dense_t *out, rc_err_t *err)
{
    rc_executor_t *x = &b->d->executor;
    *out = (rc_dense_t){.rows = rc_shape_rows(shape, b->a),
        .cols = rc_shape_cols(shape, p->k),
        .precision = p->precision,
        .layout = shape->wide ? layout : RC_COL_MAJOR};
    out->ld = out->layout == RC_ROW_MAJOR ? out->cols : out->rows;
    rc_status_t st = x->alloc(x, bytes_of(out) + 1, &out->data, err);
    return st < 0 ? st : b->d->dense_random(b->d, out, seed, out->cols, 0, err);
}

/* FNV-1a of 4 bytes at a time. */
static rc_status_t digest(rc_executor_t *x, const rc_dense_t *m, uint64_t *out, rc_err_t *err)
{
    size_t bytes = bytes_of(m);
    unsigned char *host = calloc(1, bytes + sizeof(uint32_t));
    if (!host)
        return rc_fail(err, RC_ENOMEM, "no memory for an output");
    rc_status_t st = x->download(x, host, m->data, bytes, err);
    *out = 1469598103934665603u;
    for (size_t i = 0; i < bytes; i += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, host + i, sizeof word);
        *out = (*out ^ word) * 1099511628211u;
    }
    free(host);
    return st;
}

static rc_status_t time_product(rc_device_t *d, launch_t *l, double *us, rc_err_t *err)
{
    double sample[ROUNDS];
    int64_t ns = 0;
    rc_status_t st = d->time_batch(d, launch, l, 2, &ns, err);
    int64_t batch = ns > 0 ? BATCH_NS / (ns / 2 + 1) : 1;
    batch = batch < 1 ? 1 : batch > BATCH_MOST ? BATCH_MOST : batch;
    if (d->batch_max > 0 && batch > d->batch_max)
        batch = d->batch_max;
    for (int i = 0; i < ROUNDS && st == RC_OK; i++) {
        st = d->time_batch(d, launch, l, batch, &ns, err);
        sample[i] = (double)ns / (double)batch * 1e-3;
    }
    if (st == RC_OK)
        *us = median(sample, ROUNDS);
    return st;
}

/* One run of a prepared state on a zeroed output, and its digest. */
static rc_status_t run_once(rc_executor_t *x, launch_t *l, uint64_t *out, rc_err_t *err)
{
    rc_status_t st = l->kernel->preprocess ? l->kernel->preprocess(l->state, &l->o, err) : RC_OK;
    if (st == RC_OK)
        st = x->fill(x, l->o.out.data, 0, bytes_of(&l->o.out), err);
    if (st == RC_OK)
        st = launch(l, err);
    return st < 0 ? st : digest(x, &l->o.out, out, err);
}

/* Analyse and prepare some times, from the host or the device; the last state runs. */
static rc_status_t measure(const bench_t *b, const rc_problem_t *p, int there, launch_t *l,
    found_t *out, rc_err_t *err)
{
    rc_executor_t *x = &b->d->executor;
    double sample[REPS_MAX];
    rc_status_t st = RC_OK;
    for (int64_t i = 0; i < b->reps && st == RC_OK; i++) {
        rc_analysis_t analysis;
        int64_t start = rc_clock_ns();
        st = rc_kernel_analyse(l->kernel, p, &analysis, err);
        if (st == RC_OK)
            st = rc_kernel_prepare(l->kernel, x, p, &analysis, &l->state, err);
        if (st < 0)
            return st;
        sample[i] = (double)(rc_clock_ns() - start) * 1e-3;
        if (i + 1 == b->reps) {
            st = run_once(x, l, &out->digest[there], err);
            if (st == RC_OK && !there)
                st = time_product(b->d, l, &out->product_us, err);
        }
        rc_kernel_release(l->kernel, l->state);
    }
    out->prepare_us[there] = median(sample, b->reps);
    return st;
}

static rc_status_t run_case(const bench_t *b, rc_problem_t *p, const rc_kernel_t *kernel,
    found_t *out, rc_err_t *err)
{
    const rc_operation_t *op = rc_operation_of(kernel->op);
    rc_executor_t *x = &b->d->executor;
    launch_t l = {.kernel = kernel};
    rc_status_t st = RC_OK;
    for (int i = 0; i < rc_operation_inputs(op) && st == RC_OK; i++)
        st = operand(b, p, rc_layout_in(kernel->layout), &op->in[i], 7 + (uint64_t)i, &l.o.in[i], err);
    if (st == RC_OK)
        st = operand(b, p, rc_layout_out(kernel->layout), &op->out, 1, &l.o.out, err);
    if (st == RC_OK)
        st = measure(b, p, 0, &l, out, err);
    p->resident = &b->there;
    if (st == RC_OK && kernel->builds)
        st = measure(b, p, 1, &l, out, err);
    for (int i = 0; i < RC_INPUTS_MAX; i++)
        x->release(x, l.o.in[i].data);
    x->release(x, l.o.out.data);
    return st;
}

static void print_case(const bench_t *b, const char *order, const rc_kernel_spec_t *spec, int64_t k,
    rc_precision_t precision)
{
    const rc_kernel_t *kernel = spec->kernel;
    found_t f = {.prepare_us = {-1, -1}, .product_us = -1};
    rc_err_t err = {0};
    rc_schedule_t s;
    rc_problem_t p = {.k = k,
        .precision = precision,
        .a = b->a,
        .geometry = kernel->geometry(&b->d->executor, spec->param, precision),
        .c_rows = rc_shape_rows(&rc_operation_of(kernel->op)->out, b->a)};
    memcpy(p.param, spec->param, sizeof p.param);
    rc_status_t st = rc_order_build(order, b->a, &p.geometry, 0, &s, &err);
    if (st == RC_OK) {
        p.schedule = &s;
        p.identity = rc_schedule_is_identity(&s);
        st = run_case(b, &p, kernel, &f, &err);
        rc_schedule_free(&s);
    }
    printf("\"%s\",%s,\"%s%s%s\",%s,%" PRId64 ",%s,%s,%016" PRIx64 ",%016" PRIx64 ",%.3f,%.2f,%.2f\n",
        b->matrix, order, kernel->name, spec->params[0] ? ":" : "", spec->params,
        rc_op_name(kernel->op), k, rc_type(precision)->name, st == RC_OK ? "ok" : "skipped",
        f.digest[0], f.digest[1], f.product_us, f.prepare_us[0], f.prepare_us[1]);
    if (st < 0 && st != RC_ENOTSUP)
        fprintf(stderr, "digest_gpu: %s, %s: %s\n", b->matrix, kernel->name, err.text);
    fflush(stdout);
}

/* All K of a kernel under an order. */
static void print_kernel(const bench_t *b, const char *order, const rc_kernel_t *kernel,
    const rc_words_t *ks, rc_precision_t precision)
{
    rc_kernel_spec_t spec;
    if (rc_kernel_spec_parse(kernel->name, RC_DEVICE_CUDA, &spec, NULL) < 0)
        return;
    for (int i = 0; i < (kernel->op == RC_OP_SPMV ? 1 : ks->count); i++)
        print_case(b, order, &spec, kernel->op == RC_OP_SPMV ? 1 : strtoll(ks->word[i], NULL, 10),
            precision);
}

static int is_named(const rc_words_t *names, const char *name)
{
    int found = names->count == 0;
    for (int i = 0; i < names->count; i++)
        found |= strcmp(names->word[i], name) == 0;
    return found;
}

static int is_asked(const bench_t *b, const rc_kernel_t *kernel, rc_precision_t t)
{
    unsigned types = kernel->types ? kernel->types : RC_TYPES_IEEE;
    return kernel->device == RC_DEVICE_CUDA && !kernel->for_testing && kernel->computes &&
           (types >> t & 1u) && is_named(&b->only, kernel->name);
}

static rc_status_t print_matrix(bench_t *b, rc_err_t *err)
{
    rc_words_t ks;
    rc_status_t st = rc_words_split(b->ks, ',', &ks, err);
    for (int t = 0; t < RC_TYPES && st == RC_OK; t++) {
        if (!rc_type_among(RC_TYPES_REAL, (rc_precision_t)t))
            continue;
        st = rc_resident_new(&b->d->executor, b->a, (rc_precision_t)t, &b->there, err);
        for (size_t o = 0; o < sizeof orders / sizeof *orders && st == RC_OK; o++)
            for (int i = 0; rc_kernels[i]; i++)
                if (is_asked(b, rc_kernels[i], (rc_precision_t)t))
                    print_kernel(b, orders[o], rc_kernels[i], &ks, (rc_precision_t)t);
        rc_resident_free(&b->there);
    }
    rc_words_free(&ks);
    return st;
}

/* \return 1 for KEY=VALUE of its own */
static int take_option(bench_t *b, const char *word)
{
    if (strncmp(word, "k=", 2) == 0)
        b->ks = word + 2;
    else if (strncmp(word, "only=", 5) == 0)
        return rc_words_split(word + 5, ',', &b->only, NULL) == RC_OK;
    else if (strncmp(word, "reps=", 5) == 0)
        b->reps = strtoll(word + 5, NULL, 10);
    else
        return 0;
    return 1;
}

int main(int argc, char **argv)
{
    static char *usual[] = {"uniform:n=20000,mean=20", "circuit:n=20000", "rmat:scale=14"};
    bench_t b = {.reps = 5, .ks = "8,32,100"};
    rc_err_t err = {0};
    int specs = 0;
    for (int i = 1; i < argc; i++)
        if (!take_option(&b, argv[i]))
            argv[1 + specs++] = argv[i];
    if (b.reps < 1 || b.reps > REPS_MAX) {
        fprintf(stderr, "digest_gpu: reps: expected 1 to %d\n", REPS_MAX);
        return 2;
    }
    rc_status_t st = rc_device_open_gpu(0, 0, &b.d, &err);
    int count = specs > 0 ? specs : (int)(sizeof usual / sizeof *usual);
    for (int i = 0; i < count && st == RC_OK; i++) {
        rc_csr_t a;
        b.matrix = specs > 0 ? argv[1 + i] : usual[i];
        st = rc_generate(b.matrix, &a, NULL, &err);
        if (st < 0)
            break;
        b.a = &a;
        st = print_matrix(&b, &err);
        rc_csr_free(&a);
    }
    if (st < 0)
        fprintf(stderr, "digest_gpu: %s\n", err.text);
    rc_device_close(b.d);
    rc_words_free(&b.only);
    return st < 0 ? 3 : 0;
}
