/* y = A x by the inspector-executor interface of oneMKL, where a site has it. */
#include "config.h"
#include "base/error.h"
#include "kernels/vendor/library.h"

#include <mkl_service.h>
#include <mkl_spblas.h>

static const struct matrix_descr general = {.type = SPARSE_MATRIX_TYPE_GENERAL};

static rc_status_t check(sparse_status_t s, const char *what, rc_err_t *err)
{
    if (s == SPARSE_STATUS_SUCCESS)
        return RC_OK;
    return rc_fail(err, s == SPARSE_STATUS_ALLOC_FAILED ? RC_ENOMEM : RC_EDEVICE,
        "MKL: %s: status %d", what, (int)s);
}

static void release(void *state)
{
    rc_library_t *l = state;
    if (l->matrix)
        (void)mkl_sparse_destroy(l->matrix);
    rc_library_release(l);
}

static sparse_status_t create_f32(rc_library_t *l, sparse_matrix_t *m)
{
    return mkl_sparse_s_create_csr(m, SPARSE_INDEX_BASE_ZERO, (MKL_INT)l->slots.slots,
        (MKL_INT)l->slots.cols, l->ptr, l->ptr + 1, l->slots.col, l->slots.val);
}

static sparse_status_t create_f64(rc_library_t *l, sparse_matrix_t *m)
{
    return mkl_sparse_d_create_csr(m, SPARSE_INDEX_BASE_ZERO, (MKL_INT)l->slots.slots,
        (MKL_INT)l->slots.cols, l->ptr, l->ptr + 1, l->slots.col, l->slots.val);
}

static rc_status_t create(rc_library_t *l, rc_err_t *err)
{
    static sparse_status_t (*const of[])(rc_library_t *, sparse_matrix_t *) = {
        [RC_FP32] = create_f32, [RC_FP64] = create_f64};
    sparse_matrix_t m = NULL;
    sparse_status_t s = of[l->base.p.precision](l, &m);
    l->matrix = m;
    return check(s, "mkl_sparse_create_csr", err);
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    enum { many = 1000 };
    rc_library_t *l = state;
    RC_PASS(sizeof(MKL_INT) == sizeof(int32_t) ? RC_OK
                                               : rc_fail(err, RC_ENOTSUP, "MKL counts in 8 bytes"));
    mkl_set_num_threads(l->base.memory.x->threads);
    RC_PASS(rc_library_build(l, p, err));
    if (p->a->nnz > 0) {
        RC_PASS(create(l, err));
        RC_PASS(
            check(mkl_sparse_set_mv_hint(l->matrix, SPARSE_OPERATION_NON_TRANSPOSE, general, many),
                "hint", err));
        RC_PASS(check(mkl_sparse_optimize(l->matrix), "mkl_sparse_optimize", err));
    }
    return RC_OK;
}

static sparse_status_t mv_f32(
    const rc_library_t *l, double alpha, const void *x, double beta, void *y)
{
    return mkl_sparse_s_mv(
        SPARSE_OPERATION_NON_TRANSPOSE, (float)alpha, l->matrix, general, x, (float)beta, y);
}

static sparse_status_t mv_f64(
    const rc_library_t *l, double alpha, const void *x, double beta, void *y)
{
    return mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, alpha, l->matrix, general, x, beta, y);
}

static rc_status_t multiply(
    const rc_library_t *l, double alpha, const void *x, double beta, void *y, rc_err_t *err)
{
    static sparse_status_t (*const mv[])(const rc_library_t *, double, const void *, double,
        void *) = {[RC_FP32] = mv_f32, [RC_FP64] = mv_f64};
    return check(mv[l->base.p.precision](l, alpha, x, beta, y), "mkl_sparse_mv", err);
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    return rc_library_run(state, o, alpha, beta, multiply, err);
}

const rc_kernel_t rc_kernel_mkl = {
    .name = "mkl",
    .summary = "y = A x by oneMKL's inspector-executor CSR, with a hint of 1,000 products",
    .source = "Intel oneMKL",
    .version = 1,
    .build = build,
    .run = run,
    .release = release,
    RC_LIBRARY_MEMBERS,
};
