/* What the check of a pattern costs: a product by a plan with it and without it, and cuSPARSE's, by events.
 *   check_cost [-k K] MATRIX...
 * Matrix Market files; fp32, row-major B and C, columns of 4 and of 8 bytes.  A line for each: times on the device, then those of
 * the host until the call returns, with what it takes to ask about the stream.  At the end geomeans of the product with its check
 * over the product without, and in how many the check takes more than 5 %. */
#include "cost.h"

#include <cusparse.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    cost_t cost;
    cusparseHandle_t handle;
    int64_t k;
    int count;
    int above; /* of these the check takes more than 5 % */
    double logs; /* of its shares */
    double logs_library; /* of the check over cuSPARSE's product */
    int above_library;
} bench_t;

typedef struct operands {
    const bench_t *bench;
    rc_asked_t p;
    void *plan;
    rc_checking_t check;
    uint64_t number;
    cusparseSpMatDescr_t a;
    cusparseDnMatDescr_t b;
    cusparseDnMatDescr_t c;
    void *buffer;
} operands_t;

static void by_plan(void *arg)
{
    operands_t *o = arg;
    cost_check(o->bench->cost.engine->run(o->plan, &o->p, o->check, ++o->number << 16), "run");
}

static void by_library(void *arg)
{
    operands_t *o = arg;
    float alpha = 1;
    float beta = 0;
    cost_check((int)cusparseSpMM(o->bench->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, o->a,
              o->b, &beta, o->c, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, o->buffer),
        "cusparseSpMM");
}

static void by_asking(void *arg)
{
    operands_t *o = arg;
    int device = 0;
    uint64_t context = 0;
    cost_check(o->bench->cost.engine->stream(o->p.stream, &device, &context), "stream");
}

static void descriptors(const bench_t *bench, operands_t *o)
{
    const rc_plan_matrix_t *a = &o->p.a;
    cusparseIndexType_t type = a->col_idx_bytes == 8 ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
    void *ptr[3];
    memcpy(&ptr[0], &a->row_ptr, sizeof ptr[0]);
    memcpy(&ptr[1], &a->col_idx, sizeof ptr[1]);
    memcpy(&ptr[2], &a->val, sizeof ptr[2]);
    size_t bytes = 0;
    float alpha = 1;
    float beta = 0;
    cost_check((int)cusparseCreateCsr(&o->a, a->rows, a->cols, a->nnz, ptr[0], ptr[1], ptr[2], type, type,
              CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
        "cusparseCreateCsr");
    memcpy(&ptr[0], &o->p.b, sizeof ptr[0]);
    cost_check((int)cusparseCreateDnMat(&o->b, a->cols, o->p.k, o->p.k, ptr[0], CUDA_R_32F, CUSPARSE_ORDER_ROW), "cusparseCreateDnMat");
    cost_check((int)cusparseCreateDnMat(&o->c, a->rows, o->p.k, o->p.k, o->p.c, CUDA_R_32F, CUSPARSE_ORDER_ROW), "cusparseCreateDnMat");
    cost_check((int)cusparseSpMM_bufferSize(bench->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_NON_TRANSPOSE,
              &alpha, o->a, o->b, &beta, o->c, CUDA_R_32F, CUSPARSE_SPMM_CSR_ALG2, &bytes),
        "cusparseSpMM_bufferSize");
    o->buffer = cost_copy(NULL, bytes > 0 ? bytes : 1);
}

static void operands_free(const bench_t *bench, operands_t *o)
{
    bench->cost.engine->plan_free(o->plan);
    (void)cusparseDestroySpMat(o->a);
    (void)cusparseDestroyDnMat(o->b);
    (void)cusparseDestroyDnMat(o->c);
    const void *all[] = {o->p.a.row_ptr, o->p.a.col_idx, o->p.a.val, o->p.b, o->p.c, o->buffer};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        cost_free(all[i]);
}

static void one(bench_t *bench, const char *name, const rc_csr_t *m, int bytes)
{
    rc_made_t made = {.bytes = 0};
    operands_t o = {.bench = bench,
        .p = {.a = cost_matrix(m, bytes),
            .k = bench->k,
            .layout = RC_ROW_MAJOR,
            .alpha = {1},
            .b = cost_copy(NULL, (size_t)(m->cols * bench->k) * 4),
            .ldb = bench->k,
            .c = cost_copy(NULL, (size_t)(m->rows * bench->k) * 4),
            .ldc = bench->k,
            .stream = bench->cost.stream}};
    descriptors(bench, &o);
    rc_making_t how = {.ns = 200000000, .memory = 4000000000};
    o.plan = bench->cost.engine->make(bench->cost.engine->copy(&o.p), &how, &made);
    if (!o.plan)
        printf("# %s: no plan: %s\n", name, made.text);
    else {
        double host[4];
        o.check = RC_CHECK_QUIET;
        double checked = cost_time(&bench->cost, by_plan, &o, &host[2]);
        o.check = RC_CHECK_NOT;
        double alone = cost_time(&bench->cost, by_plan, &o, &host[1]);
        double library = cost_time(&bench->cost, by_library, &o, &host[0]);
        (void)cost_time(&bench->cost, by_asking, &o, &host[3]);
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

/* With indices of either width. */
static void each(void *user, const char *name, const rc_csr_t *m)
{
    for (int bytes = 4; bytes <= 8 && m->nnz > 0; bytes += 4)
        one(user, name, m, bytes);
}

int main(int argc, char **argv)
{
    bench_t bench = {.k = 32};
    const int first = cost_arguments(argc, argv, &bench.k);
    if (first == 0)
        return 2;
    if (cost_begin(&bench.cost) != 0)
        return 77;
    cost_check((int)cusparseCreate(&bench.handle), "cusparseCreate");
    cost_check((int)cusparseSetStream(bench.handle, bench.cost.stream), "cusparseSetStream");
    puts("matrix,rows,entries,index_bytes,cusparse_us,plan_us,plan_with_check_us,host_cusparse_us,host_plan_us,"
         "host_plan_with_check_us,host_stream_us,kernel");
    if (cost_each(argc, argv, first, each, &bench) != 0)
        return 1;
    double n = bench.count;
    printf("# K = %lld, %d cases: the check takes %.1f %% of the plan's product (geomean), more than 5 %% in %d; %.1f %% of"
           " cuSPARSE's, more than 5 %% in %d\n",
        (long long)bench.k, bench.count, 100 * (exp(bench.logs / n) - 1), bench.above, 100 * (exp(bench.logs_library / n) - 1),
        bench.above_library);
    return bench.count > 0 ? 0 : 1;
}
