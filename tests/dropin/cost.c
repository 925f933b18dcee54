#include "cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 10, REPEATS = 5, AHEAD = 1 << 30 };

void cost_check(int e, const char *what)
{
    if (e == 0)
        return;
    fprintf(stderr, "%s: error %d\n", what, e);
    exit(1);
}

int cost_arguments(int argc, char **argv, int64_t *k)
{
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "-k") == 0) {
        *k = strtoll(argv[2], NULL, 10);
        first = 3;
    }
    if (first < argc && *k >= 1)
        return first;
    fprintf(stderr, "usage: %s [-k K] MATRIX...\n", argv[0]);
    return 0;
}

int cost_each(int argc, char **argv, int first, void (*work)(void *user, const char *name, const rc_csr_t *m), void *user)
{
    for (int i = first; i < argc; i++) {
        rc_err_t err;
        rc_csr_t m;
        if (rc_mtx_read(argv[i], 1, &m, NULL, &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        work(user, argv[i], &m);
        rc_csr_free(&m);
    }
    return 0;
}

void *cost_copy(const void *from, size_t bytes)
{
    void *p = NULL;
    cost_check(cudaMalloc(&p, bytes > 0 ? bytes : 1), "cudaMalloc");
    cost_check((int)(from ? cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice) : cudaMemset(p, 0, bytes)), "memory");
    return p;
}

void *cost_integers(const void *from, int bytes, int64_t n, int want)
{
    int64_t *wide = calloc((size_t)n, sizeof *wide);
    int32_t *narrow = calloc((size_t)n, sizeof *narrow);
    cost_check(!wide || !narrow, "memory");
    for (int64_t i = 0; i < n; i++) {
        wide[i] = bytes == 8 ? ((const int64_t *)from)[i] : ((const int32_t *)from)[i];
        narrow[i] = (int32_t)wide[i];
    }
    void *there = cost_copy(want == 8 ? (void *)wide : narrow, (size_t)n * (size_t)want);
    free(wide);
    free(narrow);
    return there;
}

void cost_free(const void *p)
{
    void *there;
    memcpy(&there, &p, sizeof there);
    (void)cudaFree(there);
}

rc_plan_matrix_t cost_matrix(const rc_csr_t *m, int bytes)
{
    float *val = calloc((size_t)m->nnz, sizeof *val);
    cost_check(!val, "memory");
    for (int64_t i = 0; i < m->nnz; i++)
        val[i] = 1 + (float)(i % 7);
    rc_plan_matrix_t a = {.rows = m->rows,
        .cols = m->cols,
        .nnz = m->nnz,
        .row_ptr = cost_integers(m->row_ptr, 8, m->rows + 1, bytes),
        .col_idx = cost_integers(m->col_idx, 4, m->nnz, bytes),
        .val = cost_copy(val, (size_t)m->nnz * sizeof *val),
        .row_ptr_bytes = bytes,
        .col_idx_bytes = bytes,
        .precision = RC_FP32,
        .on_device = 1};
    free(val);
    return a;
}

int cost_begin(cost_t *c)
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 1) {
        fprintf(stderr, "no GPU\n");
        return 77;
    }
    c->engine = rc_dropin_engine();
    cost_check(cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    cost_check(cudaEventCreate(&c->at[0]), "cudaEventCreate");
    cost_check(cudaEventCreate(&c->at[1]), "cudaEventCreate");
    c->ahead = cost_copy(NULL, AHEAD);
    return 0;
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a;
    float y = *(const float *)b;
    return (x > y) - (x < y);
}

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Median of us a run, of the device, and of the host until the call returns. */
double cost_time(const cost_t *c, void (*work)(void *), void *arg, double *host)
{
    float ms[REPEATS];
    float on_host[REPEATS];
    work(arg);
    for (int i = 0; i < REPEATS; i++) {
        cost_check(cudaMemsetAsync(c->ahead, 0, AHEAD, c->stream), "cudaMemsetAsync");
        cost_check(cudaEventRecord(c->at[0], c->stream), "cudaEventRecord");
        double begin = now_ms();
        for (int run = 0; run < RUNS; run++)
            work(arg);
        on_host[i] = (float)(now_ms() - begin);
        cost_check(cudaEventRecord(c->at[1], c->stream), "cudaEventRecord");
        cost_check(cudaEventSynchronize(c->at[1]), "cudaEventSynchronize");
        cost_check(cudaEventElapsedTime(&ms[i], c->at[0], c->at[1]), "cudaEventElapsedTime");
    }
    qsort(ms, REPEATS, sizeof *ms, by_size);
    qsort(on_host, REPEATS, sizeof *on_host, by_size);
    *host = 1e3 * (double)on_host[REPEATS / 2] / RUNS;
    return 1e3 * (double)ms[REPEATS / 2] / RUNS;
}
