#include "config.h"
#include "unit.h"

#include "base/clock.h"
#include "base/rng.h"
#include "device/cuda/cuda.h"
#include "format/resident.h"
#include "kernels/prepared.h"
#include "operands.h"
#include "order/cuda/orders.h"
#include "order/cuda/sample.h"
#include "order/policy.h"
#include "order_times.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const policies[] = {
    "mincol", "minlabel", "labels", "cells:rounds=0", "cells:size=32", "cells", "multilevel:rounds=0",
    "multilevel:size=32", "multilevel", "auto"};
enum { POLICIES = sizeof policies / sizeof *policies };

/* Of the host alone; timed where they are asked for. */
static const char *const host_policies[] = {"plain", "flipped", "lpt", "community", "rcm", "blk", "cta-near", "warp-near",
    "hybrid1-near", "hybrid2.1-near", "hybrid2.2-near", "hybrid2.3-near", "lsh", "metis"};
enum { HOST_POLICIES = sizeof host_policies / sizeof *host_policies };

/* ---------------------------------------------------------------- patterns */

static rc_cuda_pattern_t pattern_of(const gpu_pattern_t *g)
{
    return (rc_cuda_pattern_t){.rows = g->a->rows,
        .cols = g->a->cols,
        .nnz = g->a->nnz,
        .row_ptr = g->row_ptr,
        .col_idx = g->col_idx};
}

static void *put(rc_executor_t *x, const void *from, size_t bytes)
{
    rc_err_t err = {0};
    void *p = NULL;
    ok(x->alloc(x, bytes, &p, &err), &err, "memory for a pattern");
    ok(x->upload(x, p, from, bytes, &err), &err, "upload of a pattern");
    return p;
}

gpu_pattern_t gpu_pattern_new(rc_executor_t *x, const rc_csr_t *a)
{
    rc_err_t err = {0};
    size_t rows = (size_t)a->rows;
    gpu_pattern_t g = {.x = x,
        .a = a,
        .row_ptr = put(x, a->row_ptr, (rows + 1) * sizeof *a->row_ptr),
        .col_idx = put(x, a->col_idx, (size_t)a->nnz * sizeof *a->col_idx),
        .row = malloc((rows + 1) * sizeof(int32_t))};
    assert_non_null(g.row);
    ok(x->alloc(x, rows * sizeof *g.row, &g.slots, &err), &err, "memory for slots");
    return g;
}

void gpu_pattern_free(gpu_pattern_t *g)
{
    g->x->release(g->x, g->row_ptr);
    g->x->release(g->x, g->col_idx);
    g->x->release(g->x, g->slots);
    free(g->row);
}

rc_status_t gpu_order_ask(gpu_pattern_t *g, const char *policy, rc_err_t *err)
{
    rc_cuda_pattern_t a = pattern_of(g);
    return rc_cuda_order(g->x, policy, &a, g->slots, err);
}

void gpu_order(gpu_pattern_t *g, const char *policy)
{
    rc_err_t err = {0};
    size_t bytes = (size_t)g->a->rows * sizeof *g->row;
    ok(g->x->fill(g->x, g->slots, 0xff, bytes, &err), &err, "slots");
    ok(gpu_order_ask(g, policy, &err), &err, policy);
    ok(g->x->download(g->x, g->row, g->slots, bytes, &err), &err, policy);
}

void gpu_sample(gpu_pattern_t *g, rc_local_samples_t *out)
{
    rc_err_t err = {0};
    rc_cuda_pattern_t a = pattern_of(g);
    rc_local_samples_t *sum = NULL;
    void *memory = NULL;
    *out = (rc_local_samples_t){0};
    if (a.rows == 0)
        return;
    int before = rc_cuda_enter(g->x);
    ok(g->x->alloc(g->x, (size_t)rc_cuda_sample_bytes(), &memory, &err), &err, "samples");
    ok(rc_cuda_sample_ask(g->x, &a, memory, &sum, &err), &err, "samples");
    ok(g->x->download(g->x, out, sum, sizeof *out, &err), &err, "samples");
    g->x->release(g->x, memory);
    rc_cuda_leave(g->x, before);
}

/* ---------------------------------------------------------------- matrices */

static int by_number(const void *x, const void *y)
{
    int32_t a = *(const int32_t *)x;
    int32_t b = *(const int32_t *)y;
    return (a > b) - (a < b);
}

static int32_t *permutation(int64_t n, uint64_t seed)
{
    rc_rng_t rng;
    int32_t *p = malloc(((size_t)n + 1) * sizeof *p);
    assert_non_null(p);
    rc_rng_seed(&rng, seed);
    for (int64_t i = 0; i < n; i++) {
        int64_t j = (int64_t)rc_rng_below(&rng, (uint64_t)i + 1);
        p[i] = p[j];
        p[j] = (int32_t)i;
    }
    return p;
}

rc_csr_t shuffled(const rc_csr_t *a, int apart, int32_t *place)
{
    rc_csr_t b = {0};
    rc_err_t err = {0};
    int32_t *row = permutation(a->rows, 3); /* row p of b is row[p] */
    int32_t *col = permutation(a->cols, apart || a->rows != a->cols ? 4 : 3);
    int32_t *at = malloc(((size_t)a->cols + 1) * sizeof *at);
    assert_non_null(at);
    ok(rc_csr_alloc(a->rows, a->cols, a->nnz, &b, &err), &err, "a shuffled matrix");
    for (int64_t c = 0; c < a->cols; c++)
        at[col[c]] = (int32_t)c;
    for (int64_t p = 0; p < a->rows; p++) {
        b.row_ptr[p + 1] = b.row_ptr[p] + a->row_ptr[row[p] + 1] - a->row_ptr[row[p]];
        if (place)
            place[row[p]] = (int32_t)p;
    }
#pragma omp parallel for schedule(dynamic, 4096)
    for (int64_t p = 0; p < a->rows; p++) {
        int64_t from = a->row_ptr[row[p]];
        int64_t n = b.row_ptr[p + 1] - b.row_ptr[p];
        for (int64_t e = 0; e < n; e++) {
            b.col_idx[b.row_ptr[p] + e] = at[a->col_idx[from + e]];
            b.val[b.row_ptr[p] + e] = 1;
        }
        qsort(b.col_idx + b.row_ptr[p], (size_t)n, sizeof *b.col_idx, by_number);
    }
    free(row);
    free(col);
    free(at);
    return b;
}

/* Rows of 16 entries, 9 in 10 of them in the community of 256 rows. */
static rc_csr_t communities(int64_t n)
{
    enum { degree = 16, size = 256 };
    rc_csr_t a = {0};
    rc_err_t err = {0};
    ok(rc_csr_alloc(n, n, n * degree, &a, &err), &err, "communities");
    for (int64_t r = 0; r < n; r++) {
        int32_t col[degree];
        int64_t at = a.row_ptr[r];
        int64_t first = r / size * size;
        int64_t room = n - first < size ? n - first : size;
        for (int e = 0; e < degree; e++) {
            uint64_t x = rc_rng_hash(7, (uint64_t)(r * degree + e));
            col[e] = (int32_t)((x >> 32) % 10 == 0 ? (int64_t)(x % (uint64_t)n)
                                                   : first + (int64_t)(x % (uint64_t)room));
        }
        qsort(col, degree, sizeof *col, by_number);
        for (int e = 0; e < degree; e++)
            if (e == 0 || col[e] != col[e - 1]) {
                a.val[at] = 1;
                a.col_idx[at++] = col[e];
            }
        a.row_ptr[r + 1] = at;
    }
    a.nnz = a.row_ptr[n];
    return a;
}

/* ------------------------------------------------------------------- times */

enum { KS = 2 };
static const int64_t wide[KS] = {32, 128};

typedef struct timed {
    rc_executor_t *x;
    struct CUstream_st *stream;
    const rc_csr_t *a;
    rc_resident_t there; /* the same on the device */
    void *b;
    void *c;
    double before[KS]; /* us of a product, shuffled and ... */
    double ideal[KS];  /* ... with the rows in natural order */
} timed_t;

static void wait(const timed_t *t)
{
    rc_err_t err = {0};
    ok(rc_executor_cuda_wait(t->x, &err), &err, "waiting");
}

/* Microseconds of a product by gchunk: the best of some batches. */
static double product_us(const timed_t *t, rc_schedule_t *s, int identity, int64_t k)
{
    enum { batches = 4, batch = 10 };
    rc_err_t err = {0};
    rc_kernel_spec_t spec;
    rc_analysis_t analysis;
    void *state = NULL;
    double best = 0;
    ok(rc_kernel_spec_parse("gchunk", RC_DEVICE_CUDA, &spec, &err), &err, "gchunk");
    rc_problem_t p = {.k = k,
        .precision = RC_FP32,
        .c_order = RC_C_ORIGINAL,
        .a = t->a,
        .resident = &t->there,
        .schedule = s,
        .identity = identity,
        .c_rows = t->a->rows};
    memcpy(p.param, spec.param, sizeof p.param);
    p.geometry = spec.kernel->geometry(t->x, spec.param, RC_FP32);
    ok(rc_kernel_analyse(spec.kernel, &p, &analysis, &err), &err, "gchunk");
    ok(rc_kernel_prepare(spec.kernel, t->x, &p, &analysis, &state, &err), &err, "gchunk");
    rc_operands_t o = {.out = {t->c, t->a->rows, k, k, RC_FP32, RC_ROW_MAJOR}};
    o.in[0] = (rc_dense_t){t->b, t->a->cols, k, k, RC_FP32, RC_ROW_MAJOR};
    for (int i = 0; i < batches; i++) {
        wait(t);
        int64_t begin = rc_clock_ns();
        for (int j = 0; j < batch; j++)
            ok(rc_kernel_run(spec.kernel, state, &o, 1, 0, &err), &err, "gchunk");
        wait(t);
        double us = 1e-3 * (double)(rc_clock_ns() - begin) / batch;
        best = i == 0 || us < best ? us : best;
    }
    rc_kernel_release(spec.kernel, state);
    return best;
}

/* Milliseconds of an order, or (policy NULL) of the samples, memory included: the median. */
static double order_ms(const timed_t *t, gpu_pattern_t *g, const char *policy)
{
    enum { times = 9 };
    double ms[times];
    rc_err_t err = {0};
    for (int i = -2; i < times; i++) {
        wait(t);
        int64_t begin = rc_clock_ns();
        rc_local_samples_t samples;
        if (policy)
            ok(gpu_order_ask(g, policy, &err), &err, policy);
        else
            gpu_sample(g, &samples);
        wait(t);
        double took = 1e-6 * (double)(rc_clock_ns() - begin);
        int at = i < 0 ? 0 : i;
        for (; at > 0 && ms[at - 1] > took; at--)
            ms[at] = ms[at - 1];
        ms[at] = took;
    }
    return ms[times / 2];
}

/* An order of the host.  \return seconds */
static double build_on_host(const rc_csr_t *a, const char *policy, rc_schedule_t *out)
{
    rc_err_t err = {0};
    int64_t begin = rc_clock_ns();
    ok(rc_order_build(policy, a, NULL, 0, out, &err), &err, policy);
    return 1e-9 * (double)(rc_clock_ns() - begin);
}

static int is_wanted(const char *policy, int unasked)
{
    const char *only = getenv("ROWCAST_GPU_ORDERS");
    return only ? strstr(only, policy) != NULL : unasked;
}

/* What products in an order take, and when one of so many ms has paid. */
static void print_products(const timed_t *t, rc_schedule_t *s, double ms)
{
    for (int j = 0; j < KS; j++) {
        double us = product_us(t, s, 0, wide[j]);
        double before = t->before[j];
        printf("  K=%" PRId64 " %8.1f us", wide[j], us);
        if (before > 1.02 * t->ideal[j])
            printf(" %4.0f %%", 100 * (before - us) / (before - t->ideal[j]));
        if (before > 1.02 * us)
            printf(" even after %.1f", 1e3 * ms / (before - us));
    }
    printf("\n");
    fflush(stdout);
}

static void time_plain(timed_t *t, const int32_t *place, rc_schedule_t *s)
{
    for (int i = 0; i < KS; i++) {
        for (int64_t p = 0; p < s->slots; p++)
            s->row[p] = (int32_t)p;
        t->before[i] = product_us(t, s, 1, wide[i]);
        memcpy(s->row, place, (size_t)s->slots * sizeof *s->row);
        t->ideal[i] = product_us(t, s, 0, wide[i]);
        printf("#   K=%-4" PRId64 " shuffled %8.1f us  ideal %8.1f us  %.2fx\n", wide[i], t->before[i],
            t->ideal[i], t->before[i] / t->ideal[i]);
    }
}

/* Device memory that an order needs while it is built. */
static int64_t order_bytes(rc_executor_t *x, const char *policy, const rc_cuda_pattern_t *a)
{
    rc_err_t err = {0};
    rc_params_t params;
    size_t length = strcspn(policy, ":");
    int64_t bytes = 0;
    int before = rc_cuda_enter(x);
    ok(rc_cuda_order_defaults(policy, &params, &err), &err, policy);
    for (int i = 0; rc_cuda_orders[i]; i++)
        if (strlen(rc_cuda_orders[i]->policy) == length &&
            strncmp(rc_cuda_orders[i]->policy, policy, length) == 0)
            ok(rc_cuda_orders[i]->build(x, a, &params, NULL, &bytes, NULL, &err), &err, policy);
    rc_cuda_leave(x, before);
    return bytes;
}

/* \return 1: the order is not that of the host */
static int time_policy(const timed_t *t, gpu_pattern_t *g, const char *policy, rc_schedule_t *s)
{
    rc_schedule_t host = {0};
    rc_cuda_pattern_t a = pattern_of(g);
    int64_t bytes;
    size_t size = (size_t)t->a->rows * sizeof *s->row;
    double ms = order_ms(t, g, policy);
    gpu_order(g, policy);
    double seconds = build_on_host(t->a, policy, &host);
    int same = memcmp(host.row, g->row, size) == 0;
    rc_schedule_free(&host);
    bytes = order_bytes(t->x, policy, &a);
    printf("#   %-15s %7.3f ms  %6.1f MB  host %6.3f s%s", policy, ms, 1e-6 * (double)bytes, seconds,
        same ? "" : "  DIFFERS");
    memcpy(s->row, g->row, size);
    print_products(t, s, ms);
    return !same;
}

static int time_policies(timed_t *t, const int32_t *place)
{
    rc_err_t err = {0};
    gpu_pattern_t g = gpu_pattern_new(t->x, t->a);
    rc_schedule_t s = {0};
    int wrong = 0;
    ok(rc_schedule_alloc(t->a->rows, t->a->rows, &s, &err), &err, "a schedule");
    time_plain(t, place, &s);
    printf("#   samples         %7.3f ms\n", order_ms(t, &g, NULL));
    for (int i = 0; i < POLICIES; i++)
        if (is_wanted(policies[i], 1))
            wrong += time_policy(t, &g, policies[i], &s);
    for (int i = 0; i < HOST_POLICIES; i++) {
        rc_schedule_t host = {0};
        if (!is_wanted(host_policies[i], 0))
            continue;
        double seconds = build_on_host(t->a, host_policies[i], &host);
        host.cols = 0; /* of a symmetric order its rows alone */
        printf("#   %-15s       - ms       - MB  host %6.3f s", host_policies[i], seconds);
        print_products(t, &host, 1e3 * seconds);
        rc_schedule_free(&host);
    }
    rc_schedule_free(&s);
    gpu_pattern_free(&g);
    return wrong;
}

static rc_csr_t matrix_of(const char *spec)
{
    static const char own[] = "communities:";
    rc_csr_t a = {0};
    rc_err_t err = {0};
    if (strncmp(spec, own, strlen(own)) == 0)
        return communities(strtoll(spec + strlen(own), NULL, 10));
    ok(rc_generate(spec, &a, NULL, &err), &err, spec);
    return a;
}

int order_times(rc_executor_t *x, struct CUstream_st *stream, int count, char **spec)
{
    enum { widest = 128 };
    static const char *const ways[] = {"alike", "apart", "natural"};
    enum { WAYS = 3, NATURAL = 2 };
    int wrong = 0;
    int way = 0;
    for (int i = 0; i < count; i++) {
        rc_err_t err = {0};
        int other = 0;
        while (other < WAYS && strcmp(spec[i], ways[other]) != 0)
            other++;
        if (other < WAYS) {
            way = other;
            continue;
        }
        rc_csr_t natural = matrix_of(spec[i]);
        int32_t *place = malloc(((size_t)natural.rows + 1) * sizeof *place);
        assert_non_null(place);
        rc_csr_t a = way == NATURAL ? natural : shuffled(&natural, way, place);
        for (int64_t p = 0; way == NATURAL && p < a.rows; p++)
            place[p] = (int32_t)p;
        timed_t t = {.x = x, .stream = stream, .a = &a};
        size_t b = (size_t)a.cols * widest * sizeof(float);
        size_t c = (size_t)a.rows * widest * sizeof(float);
        if (way != NATURAL)
            rc_csr_free(&natural);
        ok(x->alloc(x, b, &t.b, &err), &err, "B");
        ok(x->alloc(x, c, &t.c, &err), &err, "C");
        ok(x->fill(x, t.b, 0x3c, b, &err), &err, "B");
        ok(rc_resident_new(x, &a, RC_FP32, &t.there, &err), &err, "A");
        printf("# %s, rows and columns %s: %" PRId64 " x %" PRId64 ", %" PRId64 " entries\n",
            spec[i], way == NATURAL ? "natural" : way ? "shuffled apart" : "shuffled alike", a.rows,
            a.cols, a.nnz);
        wrong += time_policies(&t, place);
        rc_resident_free(&t.there);
        x->release(x, t.b);
        x->release(x, t.c);
        rc_csr_free(&a);
        free(place);
    }
    return wrong > 0;
}
