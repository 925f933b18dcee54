/* What kernels on the program's arrays take beside cuSPARSE: y = A x, and C sampled, by events.
 *   ways_cost [-k K] MATRIX...
 * Matrix Market files; fp32, operands of SDDMM by rows and by columns, indices of 4 bytes.  A line for each product and way: us
 * on the device a run, in a row, then of the host until the call returns.  cuSPARSE's lines have its default algorithm. */
#include "cost.h"

#include <cusparse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct bench {
    cost_t cost;
    cusparseHandle_t handle;
    int64_t k;
} bench_t;

/* A product with all that cuSPARSE wants of it. */
typedef struct product {
    const bench_t *bench;
    const char *matrix;
    const char *op;
    rc_asked_t p;
    void *way;
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t x;
    cusparseDnVecDescr_t y;
    cusparseDnMatDescr_t left;
    cusparseDnMatDescr_t b;
    void *buffer;
} product_t;

static const float one = 1;
static const float zero = 0;
static const cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;

static void by_way(void *arg)
{
    product_t *o = arg;
    cost_check(o->bench->cost.engine->run(o->way, &o->p, RC_CHECK_NOT, 0), "run");
}

static void spmv(void *arg)
{
    const product_t *o = arg;
    cost_check((int)cusparseSpMV(o->bench->handle, none, &one, o->a, o->x, &zero, o->y, CUDA_R_32F, CUSPARSE_SPMV_ALG_DEFAULT,
                   o->buffer),
        "cusparseSpMV");
}

static void sddmm(void *arg)
{
    const product_t *o = arg;
    cost_check((int)cusparseSDDMM(o->bench->handle, none, none, &one, o->left, o->b, &zero, o->a, CUDA_R_32F,
                   CUSPARSE_SDDMM_ALG_DEFAULT, o->buffer),
        "cusparseSDDMM");
}

static void *unconst(const void *p)
{
    void *out;
    memcpy(&out, &p, sizeof out);
    return out;
}

static void descriptor(product_t *o, void *values)
{
    const rc_plan_matrix_t *a = &o->p.a;
    cost_check((int)cusparseCreateCsr(&o->a, a->rows, a->cols, a->nnz, unconst(a->row_ptr), unconst(a->col_idx), values,
                   CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F),
        "cusparseCreateCsr");
}

static void line(const product_t *o, const char *way, double us, double host)
{
    printf("%s,%s,%lld,%lld,%lld,%s,%.2f,%.2f\n", o->matrix, o->op, (long long)o->p.a.rows, (long long)o->p.a.nnz,
        (long long)o->p.k, way, us, host);
}

static void measure(const bench_t *bench, product_t *o, void (*library)(void *))
{
    double host;
    double us = cost_time(&bench->cost, library, o, &host);
    line(o, "cuSPARSE", us, host);
    for (int i = 0; i < bench->cost.engine->directs(&o->p); i++) {
        rc_made_t made = {.bytes = 0};
        o->way = bench->cost.engine->direct(&o->p, i, &made);
        if (!o->way) /* it does not suit this matrix */
            continue;
        us = cost_time(&bench->cost, by_way, o, &host);
        line(o, made.text, us, host);
        bench->cost.engine->plan_free(o->way);
    }
    (void)cusparseDestroySpMat(o->a);
    cost_free(o->buffer);
}

static void with_vector(const bench_t *bench, const char *name, const rc_plan_matrix_t *a)
{
    size_t bytes = 0;
    product_t o = {.bench = bench, .matrix = name, .op = "spmv"};
    o.p = (rc_asked_t){.op = RC_OP_SPMV, .a = *a, .alpha = {1}, .stream = bench->cost.stream};
    o.p.b = cost_copy(NULL, (size_t)a->cols * sizeof one);
    o.p.c = cost_copy(NULL, (size_t)a->rows * sizeof one);
    descriptor(&o, unconst(a->val));
    cost_check((int)cusparseCreateDnVec(&o.x, a->cols, unconst(o.p.b), CUDA_R_32F), "cusparseCreateDnVec");
    cost_check((int)cusparseCreateDnVec(&o.y, a->rows, o.p.c, CUDA_R_32F), "cusparseCreateDnVec");
    cost_check((int)cusparseSpMV_bufferSize(bench->handle, none, &one, o.a, o.x, &zero, o.y, CUDA_R_32F,
                   CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
        "cusparseSpMV_bufferSize");
    o.buffer = cost_copy(NULL, bytes > 0 ? bytes : 1);
    measure(bench, &o, spmv);
    (void)cusparseDestroyDnVec(o.x);
    (void)cusparseDestroyDnVec(o.y);
    cost_free(o.p.b);
    cost_free(o.p.c);
}

static void sampled(const bench_t *bench, const char *name, const rc_plan_matrix_t *a)
{
    size_t bytes = 0;
    const int64_t k = bench->k;
    product_t o = {.bench = bench, .matrix = name, .op = "sddmm"};
    o.p = (rc_asked_t){.op = RC_OP_SDDMM, .a = *a, .k = k, .layout = RC_ROW_COL, .alpha = {1}, .stream = bench->cost.stream};
    o.p.left = cost_copy(NULL, (size_t)(a->rows * k) * sizeof one);
    o.p.left_by = (rc_strides_t){k, 1};
    o.p.b = cost_copy(NULL, (size_t)(a->cols * k) * sizeof one);
    o.p.b_by = (rc_strides_t){1, k};
    o.p.c = cost_copy(NULL, (size_t)a->nnz * sizeof one);
    descriptor(&o, o.p.c);
    cost_check((int)cusparseCreateDnMat(&o.left, a->rows, k, k, unconst(o.p.left), CUDA_R_32F, CUSPARSE_ORDER_ROW),
        "cusparseCreateDnMat");
    cost_check((int)cusparseCreateDnMat(&o.b, k, a->cols, k, unconst(o.p.b), CUDA_R_32F, CUSPARSE_ORDER_COL),
        "cusparseCreateDnMat");
    cost_check((int)cusparseSDDMM_bufferSize(bench->handle, none, none, &one, o.left, o.b, &zero, o.a, CUDA_R_32F,
                   CUSPARSE_SDDMM_ALG_DEFAULT, &bytes),
        "cusparseSDDMM_bufferSize");
    o.buffer = cost_copy(NULL, bytes > 0 ? bytes : 1);
    measure(bench, &o, sddmm);
    (void)cusparseDestroyDnMat(o.left);
    (void)cusparseDestroyDnMat(o.b);
    cost_free(o.p.left);
    cost_free(o.p.b);
    cost_free(o.p.c);
}

static void each(void *user, const char *name, const rc_csr_t *m)
{
    rc_plan_matrix_t a = cost_matrix(m, 4);
    with_vector(user, name, &a);
    sampled(user, name, &a);
    cost_free(a.row_ptr);
    cost_free(a.col_idx);
    cost_free(a.val);
}

int main(int argc, char **argv)
{
    bench_t bench = {.k = 64};
    const int first = cost_arguments(argc, argv, &bench.k);
    if (first == 0)
        return 2;
    if (cost_begin(&bench.cost) != 0)
        return 77;
    cost_check((int)cusparseCreate(&bench.handle), "cusparseCreate");
    cost_check((int)cusparseSetStream(bench.handle, bench.cost.stream), "cusparseSetStream");
    puts("matrix,op,rows,entries,k,way,us,host_us");
    return cost_each(argc, argv, first, each, &bench);
}
