/* What the check of a pattern costs: a product by a plan with it and without it, and cuSPARSE's, by events.
 *   check_cost [-k K] MATRIX...
 * Matrix Market files; fp32, row-major B and C, columns of 4 and of 8 bytes.  A line for each: times on the device, then those of
 * the host until the call returns, with what it takes to ask about the stream.  At the end geomeans of the product with its check
 * over the product without, and in how many the check takes more than 5 %. */
#include "dropin/engine.h"
#include "rowcast_io.h"

#include <cuda_runtime_api.h>
#include <cusparse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RUNS = 10, REPEATS = 5, AHEAD = 1 << 30 };

typedef struct bench {
    const rc_engine_t *engine;
    cudaStream_t stream;
    cudaEvent_t at[2];
    void *ahead; /* memory that is cleared first: the host is ahead of the stream then */
    cusparseHandle_t handle;
    int64_t k;
    int count;
    int above; /* of these the check takes more than 5 % */
    double logs; /* of its shares */
    double logs_library; /* of the check over cuSPARSE's product */
    int above_library;
} bench_t;

typedef struct operands {
    rc_asked_t p;
    void *plan;
    rc_checking_t check;
    uint64_t number;
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t b;
    cusparseDnMatDescr_t c;
    void *buffer;
} operands_t;

static void check(int e, const char *what)
{
    if (e == 0)
        return;
    fprintf(stderr, "%s: error %d\n", what, e);
    exit(1);
}

static void *device_copy(const void *from, size_t bytes)
{
    void *p = NULL;
    check(cudaMalloc(&p, bytes > 0 ? bytes : 1), "cudaMalloc");
    check((int)(from ? cudaMemcpy(p, from, bytes, cudaMemcpyHostToDevice) : cudaMemset(p, 0, bytes)), "memory");
    return p;
}

static void *device_integers(const void *from, int bytes, int64_t n, int want)
{
    int64_t *wide = calloc((size_t)n, sizeof *wide);
    int32_t *narrow = calloc((size_t)n, sizeof *narrow);
    check(!wide || !narrow, "memory");
    for (int64_t i = 0; i < n; i++) {
        wide[i] = bytes == 8 ? ((const int64_t *)from)[i] : ((const int32_t *)from)[i];
        narrow[i] = (int32_t)wide[i];
    }
    void *there = device_copy(want == 8 ? (void *)wide : narrow, (size_t)n * (size_t)want);
    free(wide);
    free(narrow);
    return there;
}

static void by_plan(const bench_t *bench, operands_t *o)
{
    check(bench->engine->run(o->plan, &o->p, o->check, ++o->number << 16), "run");
}

static void by_library(const bench_t *bench, operands_t *o)
{
    float alpha = 1;
    float beta = 0;
    check((int)cusparseSpMM(bench->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, o->a,
              o->b, &beta, o->c, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, o->buffer),
        "cusparseSpMM");
}

static int by_size(const void *a, const void *b)
{
    float x = *(const float *)a;
    float y = *(const float *)b;
    return (x > y) - (x < y);
}

static void by_asking(const bench_t *bench, operands_t *o)
{
    int device = 0;
    check(bench->engine->stream(o->p.stream, &device), "stream");
}

static double now_ms(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* Median of us a run, of the device, and of the host until the call returns. */
static double time_of(const bench_t *bench, operands_t *o, void (*work)(const bench_t *, operands_t *), double *host)
{
    float ms[REPEATS];
    float on_host[REPEATS];
    work(bench, o);
    for (int i = 0; i < REPEATS; i++) {
        check(cudaMemsetAsync(bench->ahead, 0, AHEAD, bench->stream), "cudaMemsetAsync");
        check(cudaEventRecord(bench->at[0], bench->stream), "cudaEventRecord");
        double begin = now_ms();
        for (int run = 0; run < RUNS; run++)
            work(bench, o);
        on_host[i] = (float)(now_ms() - begin);
        check(cudaEventRecord(bench->at[1], bench->stream), "cudaEventRecord");
        check(cudaEventSynchronize(bench->at[1]), "cudaEventSynchronize");
        check(cudaEventElapsedTime(&ms[i], bench->at[0], bench->at[1]), "cudaEventElapsedTime");
    }
    qsort(ms, REPEATS, sizeof *ms, by_size);
    qsort(on_host, REPEATS, sizeof *on_host, by_size);
    *host = 1e3 * (double)on_host[REPEATS / 2] / RUNS;
    return 1e3 * (double)ms[REPEATS / 2] / RUNS;
}

static void descriptors(const bench_t *bench, operands_t *o)
{
    const rc_sparse_view_t *a = &o->p.a;
    cusparseIndexType_t type = a->col_idx_bytes == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    void *ptr[3];
    memcpy(&ptr[0], &a->row_ptr, sizeof ptr[0]);
    memcpy(&ptr[1], &a->col_idx, sizeof ptr[1]);
    memcpy(&ptr[2], &a->val, sizeof ptr[2]);
    size_t bytes = 0;
    float alpha = 1;
    float beta = 0;
    check((int)cusparseCreateCsr(&o->a, a->rows, a->cols, a->nnz, ptr[0], ptr[1], ptr[2], type, type,
              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
        "cusparseCreateCsr");
    memcpy(&ptr[0], &o->p.b, sizeof ptr[0]);
    check((int)cusparseCreateDnMat(&o->b, a->cols, o->p.k, o->p.k, ptr[0], CUDA_R_32F, CUSPARSE_ORDER_ROW), "cusparseCreateDnMat");
    check((int)cusparseCreateDnMat(&o->c, a->rows, o->p.k, o->p.k, o->p.c, CUDA_R_32F, CUSPARSE_ORDER_ROW), "cusparseCreateDnMat");
    check((int)cusparseSpMM_bufferSize(bench->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
              &alpha, o->a, o->b, &beta, o->c, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, &bytes),
        "cusparseSpMM_bufferSize");
    o->buffer = device_copy(NULL, bytes > 0 ? bytes : 1);
}

static void operands_free(const bench_t *bench, operands_t *o)
{
    bench->engine->plan_free(o->plan);
    (void)cusparseDestroySpMat(o->a);
    (void)cusparseDestroyDnMat(o->b);
    (void)cusparseDestroyDnMat(o->c);
    const void *all[] = {o->p.a.row_ptr, o->p.a.col_idx, o->p.a.val, o->p.b, o->p.c, o->buffer};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        void *p;
        memcpy(&p, &all[i], sizeof p);
        (void)cudaFree(p);
    }
}

static void one(bench_t *bench, const char *name, const rc_csr_t *m, int bytes)
{
    rc_made_t made = {.bytes = 0};
    float *val = calloc((size_t)m->nnz, sizeof *val);
    check(!val, "memory");
    for (int64_t i = 0; i < m->nnz; i++)
        val[i] = 1 + (float)(i % 7);
    operands_t o = {.p = {.a = {m->rows, m->cols, m->nnz, device_integers(m->row_ptr, 8, m->rows + 1, bytes),
                                  device_integers(m->col_idx, 4, m->nnz, bytes), device_copy(val, (size_t)m->nnz * 4), bytes,
                                  bytes, 0, RC_FP32},
                        .k = bench->k,
                        .layout = RC_ROW_MAJOR,
                        .alpha = 1,
                        .b = device_copy(NULL, (size_t)(m->cols * bench->k) * 4),
                        .ldb = bench->k,
                        .c = device_copy(NULL, (size_t)(m->rows * bench->k) * 4),
                        .ldc = bench->k,
                        .stream = bench->stream}};
    free(val);
    descriptors(bench, &o);
    rc_making_t how = {.ns = 200000000, .memory = 4000000000};
    o.plan = bench->engine->make(bench->engine->copy(&o.p), &how, &made);
    if (!o.plan)
        printf("# %s: no plan: %s\n", name, made.text);
    else {
        double host[4];
        o.check = RC_CHECK_QUIET;
        double checked = time_of(bench, &o, by_plan, &host[2]);
        o.check = RC_CHECK_NOT;
        double alone = time_of(bench, &o, by_plan, &host[1]);
        double library = time_of(bench, &o, by_library, &host[0]);
        (void)time_of(bench, &o, by_asking, &host[3]);
        printf("%s,%lld,%lld,%d,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%.2f,%s\n", name, (long long)m->rows, (long long)m->nnz, bytes,
            library, alone, checked, host[0], host[1], host[2], host[3], made.text);
        bench->count++;
        bench->logs += log(checked / alone);
        bench->above += checked > 1.05 * alone;
        bench->logs_library += log(1 + fmax(checked - alone, 0) / library);
        bench->above_library += checked - alone > 0.05 * library;
    }
    operands_free(bench, &o);
}

static void start(bench_t *bench)
{
    bench->engine = rc_dropin_engine();
    check(cudaStreamCreateWithFlags(&bench->stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    check(cudaEventCreate(&bench->at[0]), "cudaEventCreate");
    check(cudaEventCreate(&bench->at[1]), "cudaEventCreate");
    bench->ahead = device_copy(NULL, AHEAD);
    check((int)cusparseCreate(&bench->handle), "cusparseCreate");
    check((int)cusparseSetStream(bench->handle, bench->stream), "cusparseSetStream");
}

int main(int argc, char **argv)
{
    bench_t bench = {.k = 32};
    int devices = 0;
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "-k") == 0) {
        bench.k = strtoll(argv[2], NULL, 10);
        first = 3;
    }
    if (first >= argc || bench.k < 1) {
        fprintf(stderr, "usage: %s [-k K] MATRIX...\n", argv[0]);
        return 2;
    }
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices < 1) {
        fprintf(stderr, "no GPU\n");
        return 77;
    }
    start(&bench);
    puts("matrix,rows,entries,index_bytes,cusparse_us,plan_us,plan_with_check_us,host_cusparse_us,host_plan_us,"
         "host_plan_with_check_us,host_stream_us,kernel");
    for (int i = first; i < argc; i++) {
        rc_err_t err;
        rc_csr_t m;
        if (rc_mtx_read(argv[i], 1, &m, NULL, &err) < 0) {
            fprintf(stderr, "%s\n", err.text);
            return 1;
        }
        for (int bytes = 4; bytes <= 8 && m.nnz > 0; bytes += 4)
            one(&bench, argv[i], &m, bytes);
        rc_csr_free(&m);
    }
    double n = bench.count;
    printf("# K = %lld, %d cases: the check takes %.1f %% of the plan's product (geomean), more than 5 %% in %d; %.1f %% of"
           " cuSPARSE's, more than 5 %% in %d\n",
        (long long)bench.k, bench.count, 100 * (exp(bench.logs / n) - 1), bench.above, 100 * (exp(bench.logs_library / n) - 1),
        bench.above_library);
    return bench.count > 0 ? 0 : 1;
}
