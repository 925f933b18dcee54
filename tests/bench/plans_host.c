/* Parts of bench_plans by the clock of the host: an execute, and the first plan of a process. */
#include "config.h"
#include "plans_launch.h"
#include "plans_parts.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/stats.h"
#include "device/cuda/cuda.h"
#include "sparse/generate.h"

#include <cusparse.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ----------------------------------------------------------------------- an execute */

/* What is asked for once.  \return 0 where it cannot be */
typedef int ask_fn(void *user);

/* ns of the host for one: batches that the queue has room for, each after the one before is done.
 * \param[in] products  that one asks for */
static double host_ns(bench_subject_t *s, ask_fn *ask, void *user, int products)
{
    enum { ROOM = 128, BATCHES = 60, WARM = 5 };
    const int batch = ROOM / products;
    double ns[BATCHES];
    rc_stats_t stats;
    for (int i = -WARM; i < BATCHES; i++) {
        int done = cudaStreamSynchronize(s->stream) == cudaSuccess;
        int64_t begin = rc_clock_ns();
        for (int j = 0; j < batch && done; j++)
            done = ask(user);
        if (!done)
            return NAN;
        if (i >= 0)
            ns[i] = (double)(rc_clock_ns() - begin) / batch;
    }
    (void)cudaStreamSynchronize(s->stream);
    rc_stats_compute(ns, BATCHES, &stats);
    return stats.median;
}

typedef struct call {
    bench_subject_t *s;
    rc_plan_t *plan;
    int64_t k;
} call_t;

static int execute(void *user)
{
    const call_t *c = user;
    rc_err_t err = {0};
    return rc_plan_execute(c->plan, c->k, 1, c->s->b, c->k, 0, c->s->c, c->k, c->s->stream, &err) ==
           RC_OK;
}

enum { MANY = 16 };

typedef struct many {
    rc_plan_call_t call[MANY];
    struct CUstream_st *stream;
} many_t;

static int execute_many(void *user)
{
    const many_t *m = user;
    rc_err_t err = {0};
    return rc_plan_execute_many(m->call, MANY, m->stream, &err) == RC_OK;
}

/* ns of the host for a product of several plans that one call asks for. */
static double many_ns(bench_subject_t *s, const rc_plan_t *plan, int64_t k)
{
    many_t m = {.stream = s->stream};
    rc_status_t st = RC_OK;
    for (int i = 0; i < MANY && st == RC_OK; i++) {
        m.call[i] = (rc_plan_call_t){NULL, k, 1, s->b, k, 0, s->c, k, 0};
        st = rc_plan_clone(plan, s->stream, &m.call[i].plan, NULL);
    }
    double ns = st == RC_OK ? host_ns(s, execute_many, &m, MANY) / MANY : NAN;
    for (int i = 0; i < MANY; i++)
        rc_plan_free(m.call[i].plan);
    return ns;
}

typedef struct vendor {
    cusparseHandle_t handle;
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t b;
    cusparseDnMatDescr_t c;
    void *workspace;
} vendor_t;

static int multiply(void *user)
{
    const vendor_t *v = user;
    const float one = 1;
    const float zero = 0;
    return cusparseSpMM(v->handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
               CUSPARSE_OPERATION_NON_TRANSPOSE, &one, v->a, v->b, &zero, v->c, CUDA_R_32F,
               CUSPARSE_SPMM_ALG_DEFAULT, v->workspace) == CUSPARSE_STATUS_SUCCESS;
}

/* The call of cuSPARSE alone, as a program makes it. */
static double vendor_ns(bench_subject_t *s, int64_t k)
{
    const float one = 1;
    const float zero = 0;
    const rc_csr_t *a = s->a;
    vendor_t v = {0};
    size_t bytes = 0;
    double ns = NAN;
    int made = cusparseCreate(&v.handle) == CUSPARSE_STATUS_SUCCESS &&
               cusparseSetStream(v.handle, s->stream) == CUSPARSE_STATUS_SUCCESS &&
               cusparseCreateCsr(&v.a, a->rows, a->cols, a->nnz, s->array[0], s->array[1],
                   s->array[2], CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                   CUDA_R_32F) == CUSPARSE_STATUS_SUCCESS &&
               cusparseCreateDnMat(&v.b, a->cols, k, k, s->b, CUDA_R_32F, CUSPARSE_ORDER_ROW) ==
                   CUSPARSE_STATUS_SUCCESS &&
               cusparseCreateDnMat(&v.c, a->rows, k, k, s->c, CUDA_R_32F, CUSPARSE_ORDER_ROW) ==
                   CUSPARSE_STATUS_SUCCESS &&
               cusparseSpMM_bufferSize(v.handle, CUSPARSE_OPERATION_NON_TRANSPOSE,
                   CUSPARSE_OPERATION_NON_TRANSPOSE, &one, v.a, v.b, &zero, v.c, CUDA_R_32F,
                   CUSPARSE_SPMM_ALG_DEFAULT, &bytes) == CUSPARSE_STATUS_SUCCESS &&
               cudaMalloc(&v.workspace, bytes + 1) == cudaSuccess;
    if (made)
        ns = host_ns(s, multiply, &v, 1);
    (void)cudaFree(v.workspace);
    (void)cusparseDestroySpMat(v.a);
    (void)cusparseDestroyDnMat(v.b);
    (void)cusparseDestroyDnMat(v.c);
    (void)cusparseDestroy(v.handle);
    return ns;
}

/* What a call took, or that it was refused.  \return 1: it was */
static int note_ns(bench_notes_t *n, const char *key, const char *name, int64_t k, double ns)
{
    const double ns_per_us = 1000;
    if (!isnan(ns))
        bench_note(n, key, name, k, ns / ns_per_us);
    else
        fprintf(stderr, "bench_plans: %s of %s: refused\n", key, name);
    return isnan(ns);
}

static rc_status_t host_of(bench_notes_t *n, bench_subject_t *s, rc_err_t *err)
{
    static const char *const kernels[] = {NULL, "growmajor", "gchunk", "cusparse-csr-row"};
    const int64_t k = s->ks->k[0];
    int refused = 0;
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++) {
        const bench_ask_t ask = {
            .layout = RC_ROW_MAJOR, .k = &k, .ks = 1, .kernels = kernels[i], .orders = "csr"};
        call_t call = {.s = s, .k = k};
        RC_PASS(bench_plan(s, &ask, &call.plan, NULL, err));
        refused += note_ns(n, kernels[i] ? "host.named" : "host", kernels[i] ? kernels[i] : s->name,
            k, host_ns(s, execute, &call, 1));
        if (!kernels[i])
            refused += note_ns(n, "host.many", s->name, k, many_ns(s, call.plan, k));
        rc_plan_free(call.plan);
    }
    refused += note_ns(n, "host.vendor", s->name, k, vendor_ns(s, k));
    for (int i = 0; i < BENCH_LAUNCH_WAYS; i++) {
        bench_launch_t *l = NULL;
        bench_launch_way_t way = (bench_launch_way_t)i;
        if (bench_launch_new(s->stream, way, &l))
            refused += note_ns(n, bench_launch_key(way), "a kernel that ends at once", 0,
                host_ns(s, bench_launch_once, l, 1));
    }
    return refused ? rc_fail(err, RC_EDEVICE, "%d calls were refused", refused) : RC_OK;
}

rc_status_t bench_host(bench_notes_t *n, rc_device_t *d, rc_err_t *err)
{
    static const char spec[] = "mesh2d:n=30";
    rc_csr_t a;
    bench_subject_t s;
    RC_PASS(rc_generate(spec, &a, NULL, err));
    rc_status_t st = bench_subject_open(d, spec, &a, RC_FP32, &bench_ks_usual, &s, err);
    if (st == RC_OK) {
        st = host_of(n, &s, err);
        bench_subject_close(&s);
    }
    rc_csr_free(&a);
    return st;
}

/* ---------------------------------------------------------- the first of a process */

enum { FIRST_CONTEXT, FIRST_PLAN, FIRST_LATER, FIRSTS };

static double ms_since(int64_t begin)
{
    return (double)(rc_clock_ns() - begin) * 1e-6;
}

/* As a program that has CUDA and its matrix there when it makes its first plan. */
rc_status_t bench_first_child(rc_err_t *err)
{
    static const char spec[] = "mesh3d:n=40";
    const int64_t k = 32;
    const bench_ask_t ask = {.layout = RC_ROW_MAJOR, .k = &k, .ks = 1};
    double ms[FIRSTS] = {0};
    rc_csr_t a;
    rc_device_t *d = NULL;
    bench_subject_t s;
    RC_PASS(rc_generate(spec, &a, NULL, err));
    int64_t begin = rc_clock_ns();
    if (cudaFree(NULL) != cudaSuccess)
        return rc_fail(err, RC_EDEVICE, "CUDA does not start");
    ms[FIRST_CONTEXT] = ms_since(begin);
    RC_PASS(rc_device_open_gpu(0, 0, &d, err));
    rc_status_t st = bench_subject_open(d, spec, &a, RC_FP32, &bench_ks_usual, &s, err);
    for (int i = FIRST_PLAN; i < FIRSTS && st == RC_OK; i++) {
        rc_plan_t *plan = NULL;
        st = bench_plan(&s, &ask, &plan, &ms[i], err);
        rc_plan_free(plan);
    }
    if (st == RC_OK)
        printf("%.4f %.4f %.4f\n", ms[FIRST_CONTEXT], ms[FIRST_PLAN], ms[FIRST_LATER]);
    return st;
}

rc_status_t bench_first(bench_notes_t *n, const char *program, rc_err_t *err)
{
    enum { TIMES = 3 };
    static const char spec[] = "mesh3d:n=40";
    char command[4200];
    snprintf(command, sizeof command, "'%s' child=1", program);
    for (int i = 0; i < TIMES; i++) {
        double ms[FIRSTS];
        FILE *f = popen(command, "r");
        int got = f ? fscanf(f, "%lf %lf %lf", &ms[0], &ms[1], &ms[2]) : 0;
        if (f)
            (void)pclose(f);
        if (got != FIRSTS)
            return rc_fail(err, RC_EIO, "the first plan of a process: nothing was printed");
        bench_note(n, "first.context", spec, 0, ms[FIRST_CONTEXT]);
        bench_note(n, "first.plan", spec, 0, ms[FIRST_PLAN]);
        bench_note(n, "first", spec, 0, ms[FIRST_PLAN] - ms[FIRST_LATER]);
    }
    return RC_OK;
}
