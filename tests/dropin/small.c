#include "small.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int tests;

void ok(int passed, const char *name)
{
    printf("%sok %d - %s\n", passed ? "" : "not ", ++tests, name);
}

int ok_end(void)
{
    printf("1..%d\n", tests);
    return 0;
}

fake_engine_t *engine(void)
{
    fake_engine_fn *get = NULL;
    const char *path = getenv("ROWCAST_ENGINE");
    void *handle = dlopen(path ? path : "", RTLD_NOW);
    void *symbol = handle ? dlsym(handle, "fake_engine") : NULL;
    memcpy(&get, &symbol, sizeof get);
    if (!get)
        exit(99);
    return get();
}

void small_new(small_t *s)
{
    *s = (small_t){.ptr = {0, 1, 3}, .idx = {0, 1, 2}, .val = {1, 2, 3}, .alpha = 1,
        .type = CUDA_R_32F, .c_type = CUDA_R_32F, .compute = CUDA_R_32F};
    for (int i = 0; i < 12; i++)
        s->b[i] = (float)i;
    (void)cusparseCreate(&s->handle);
    (void)cusparseCreateCsr(&s->a, 2, 3, 3, s->ptr, s->idx, s->val, CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
        CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
    (void)cusparseCreateDnMat(&s->db, 3, 4, 4, s->b, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    (void)cusparseCreateDnMat(&s->dc, 2, 4, 4, s->c, CUDA_R_32F, CUSPARSE_ORDER_ROW);
    (void)cusparseCreateDnVec(&s->dx, 3, s->b, CUDA_R_32F);
    (void)cusparseCreateDnVec(&s->dy, 2, s->c, CUDA_R_32F);
}

void small_typed(small_t *s, cudaDataType type, cudaDataType c_type, small_t *of)
{
    small_new(s);
    (void)cusparseDestroySpMat(s->a);
    (void)cusparseDestroyDnMat(s->db);
    (void)cusparseDestroyDnMat(s->dc);
    s->type = type;
    s->c_type = c_type;
    s->compute = value_sum(type);
    of = of ? of : s;
    (void)cusparseCreateCsr(&s->a, 2, 3, 3, of->ptr, of->idx, s->stored[0], CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
        CUSPARSE_INDEX_BASE_ZERO, type);
    (void)cusparseCreateDnMat(&s->db, 3, 4, 4, s->stored[1], type, CUSPARSE_ORDER_ROW);
    (void)cusparseCreateDnMat(&s->dc, 2, 4, 4, s->stored[2], c_type, CUSPARSE_ORDER_ROW);
}

void small_free(small_t *s)
{
    (void)cusparseDestroySpMat(s->a);
    (void)cusparseDestroyDnMat(s->db);
    (void)cusparseDestroyDnMat(s->dc);
    (void)cusparseDestroyDnVec(s->dx);
    (void)cusparseDestroyDnVec(s->dy);
    (void)cusparseDestroy(s->handle);
}

cusparseStatus_t spmm(small_t *s, cusparseOperation_t op_a, cusparseOperation_t op_b,
    cudaDataType type, cusparseSpMMAlg_t alg)
{
    return cusparseSpMM(
        s->handle, op_a, op_b, &s->alpha, s->a, s->db, &s->beta, s->dc, type, alg, s->b);
}

static int is_typed(const small_t *s)
{
    return s->type != CUDA_R_32F;
}

cusparseStatus_t plain(small_t *s)
{
    cusparseOperation_t none = CUSPARSE_OPERATION_NON_TRANSPOSE;
    for (int i = 0; is_typed(s) && i < 3; i++)
        value_store(s->stored[0], s->type, i, s->val[i]);
    for (int i = 0; is_typed(s) && i < 12; i++)
        value_store(s->stored[1], s->type, i, s->b[i]);
    cusparseStatus_t st = spmm(s, none, none, s->compute, CUSPARSE_SPMM_CSR_ALG2);
    for (int i = 0; is_typed(s) && i < 8; i++)
        s->c[i] = (float)value_load(s->stored[2], s->c_type, i);
    return st;
}

int right(const small_t *s)
{
    for (int r = 0; r < 2; r++)
        for (int j = 0; j < 4; j++) {
            float want = 0;
            for (int64_t e = s->ptr[r]; e < s->ptr[r + 1]; e++)
                want += s->alpha * s->val[e] * s->b[s->idx[e] * 4 + j];
            if (s->c[r * 4 + j] != want)
                return 0;
        }
    return 1;
}

cusparseStatus_t vector(small_t *s)
{
    return cusparseSpMV(s->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &s->alpha, s->a, s->dx, &s->beta, s->dy, CUDA_R_32F,
        CUSPARSE_SPMV_ALG_DEFAULT, s->b);
}

int right_vector(const small_t *s)
{
    for (int r = 0; r < 2; r++) {
        float want = 0;
        for (int64_t e = s->ptr[r]; e < s->ptr[r + 1]; e++)
            want += s->alpha * s->val[e] * s->b[s->idx[e]];
        if (s->c[r] != want)
            return 0;
    }
    return 1;
}

int until_plan(small_t *s, int most)
{
    int runs = engine()->runs;
    for (int i = 0; i < most; i++) {
        memset(s->c, 0, sizeof s->c);
        if (plain(s) != CUSPARSE_STATUS_SUCCESS || !right(s))
            return 0;
        if (engine()->runs > runs)
            return 1;
    }
    return 0;
}
