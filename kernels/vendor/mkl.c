/* y = A x and C = A B by the inspector-executor interface of oneMKL, where a site has it.  Its team
 * is set for the time of a call: what the program has set of MKL stays as it is. */
#include "config.h"
#include "base/error.h"
#include "kernels/vendor/library.h"

#include <inttypes.h>
#include <mkl_service.h>
#include <mkl_spblas.h>

static const struct matrix_descr general = {.type = SPARSE_MATRIX_TYPE_GENERAL};
static const sparse_operation_t as_it_is = SPARSE_OPERATION_NON_TRANSPOSE;

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

/* [layout] of B and C */
static const sparse_layout_t layouts[] = {
    [RC_COL_MAJOR] = SPARSE_LAYOUT_COLUMN_MAJOR, [RC_ROW_MAJOR] = SPARSE_LAYOUT_ROW_MAJOR};

/* Create, hint and optimise.  \param[in] layout  of B and C; NULL: a product with a vector */
static rc_status_t optimise(rc_library_t *l, const sparse_layout_t *layout, rc_err_t *err)
{
    enum { many = 1000 }; /* products */
    RC_PASS(create(l, err));
    sparse_status_t s = layout ? mkl_sparse_set_mm_hint(l->matrix, as_it_is, general, *layout,
                                     (MKL_INT)l->base.p.k, many)
                               : mkl_sparse_set_mv_hint(l->matrix, as_it_is, general, many);
    RC_PASS(check(s, "hint", err));
    return check(mkl_sparse_optimize(l->matrix), "mkl_sparse_optimize", err);
}

static rc_status_t build_as(
    rc_library_t *l, const rc_problem_t *p, const sparse_layout_t *layout, rc_err_t *err)
{
    RC_PASS(sizeof(MKL_INT) == sizeof(int32_t) ? RC_OK
                                               : rc_fail(err, RC_ENOTSUP, "MKL counts in 8 bytes"));
    /* the team of OpenMP that there is, where the program has not begun another */
    (void)mkl_set_threading_layer(MKL_THREADING_GNU);
    RC_PASS(rc_library_build(l, p, err));
    int before = mkl_set_num_threads_local(l->base.memory.x->threads);
    rc_status_t st = p->a->nnz > 0 ? optimise(l, layout, err) : RC_OK;
    (void)mkl_set_num_threads_local(before);
    return st;
}

static rc_status_t build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    return build_as(state, p, NULL, err);
}

static rc_status_t build_row(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    return build_as(state, p, &layouts[RC_ROW_MAJOR], err);
}

static rc_status_t build_col(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    (void)analysis;
    return build_as(state, p, &layouts[RC_COL_MAJOR], err);
}

/* --------------------------------------------------------------------- runs */

/* A product of one value type. */
typedef sparse_status_t product_fn(
    const rc_library_t *l, double alpha, const rc_dense_t *x, double beta, const rc_dense_t *y);

static sparse_status_t mv_f32(
    const rc_library_t *l, double alpha, const rc_dense_t *x, double beta, const rc_dense_t *y)
{
    return mkl_sparse_s_mv(
        as_it_is, (float)alpha, l->matrix, general, x->data, (float)beta, y->data);
}

static sparse_status_t mv_f64(
    const rc_library_t *l, double alpha, const rc_dense_t *x, double beta, const rc_dense_t *y)
{
    return mkl_sparse_d_mv(as_it_is, alpha, l->matrix, general, x->data, beta, y->data);
}

static sparse_status_t mm_f32(
    const rc_library_t *l, double alpha, const rc_dense_t *b, double beta, const rc_dense_t *c)
{
    return mkl_sparse_s_mm(as_it_is, (float)alpha, l->matrix, general, layouts[c->layout], b->data,
        (MKL_INT)c->cols, (MKL_INT)b->ld, (float)beta, c->data, (MKL_INT)c->ld);
}

static sparse_status_t mm_f64(
    const rc_library_t *l, double alpha, const rc_dense_t *b, double beta, const rc_dense_t *c)
{
    return mkl_sparse_d_mm(as_it_is, alpha, l->matrix, general, layouts[c->layout], b->data,
        (MKL_INT)c->cols, (MKL_INT)b->ld, beta, c->data, (MKL_INT)c->ld);
}

static rc_status_t mv(const rc_library_t *l, double alpha, const rc_dense_t *x, double beta,
    const rc_dense_t *y, rc_err_t *err)
{
    static product_fn *const of[] = {[RC_FP32] = mv_f32, [RC_FP64] = mv_f64};
    return check(of[l->base.p.precision](l, alpha, x, beta, y), "mkl_sparse_mv", err);
}

static rc_status_t mm(const rc_library_t *l, double alpha, const rc_dense_t *b, double beta,
    const rc_dense_t *c, rc_err_t *err)
{
    static product_fn *const of[] = {[RC_FP32] = mm_f32, [RC_FP64] = mm_f64};
    /* MKL 2020.4 stores some such C at other places, and says nothing */
    if (c->layout == RC_ROW_MAJOR && c->ld != c->cols)
        return rc_fail(err, RC_ENOTSUP,
            "MKL: C: expected a leading dimension of %" PRId64 ", found %" PRId64, c->cols, c->ld);
    return check(of[l->base.p.precision](l, alpha, b, beta, c), "mkl_sparse_mm", err);
}

static rc_status_t run_with(rc_library_t *l, const rc_operands_t *o, double alpha, double beta,
    rc_library_multiply_fn *multiply, rc_err_t *err)
{
    int before = mkl_set_num_threads_local(l->base.memory.x->threads);
    rc_status_t st = rc_library_run(l, o, alpha, beta, multiply, err);
    (void)mkl_set_num_threads_local(before);
    return st;
}

static rc_status_t run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    return run_with(state, o, alpha, beta, mv, err);
}

static rc_status_t run_mm(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    return run_with(state, o, alpha, beta, mm, err);
}

#define MKL_MEMBERS .source = "Intel oneMKL", .version = 2, .release = release
#define MKL_MM MKL_MEMBERS, RC_LIBRARY_MEMBERS, .op = RC_OP_SPMM, .run = run_mm

const rc_kernel_t rc_kernel_mkl = {
    .name = "mkl",
    .summary = "y = A x by oneMKL's inspector-executor CSR, with a hint of 1,000 products",
    MKL_MEMBERS,
    RC_LIBRARY_SPMV,
    .build = build,
    .run = run,
};

const rc_kernel_t rc_kernel_mkl_row = {
    .name = "mkl-row",
    .summary = "row-major B: oneMKL's inspector-executor CSR, with a hint of 1,000 products",
    MKL_MM,
    .layout = RC_ROW_MAJOR,
    .build = build_row,
};

const rc_kernel_t rc_kernel_mkl_col = {
    .name = "mkl-col",
    .summary = "column-major B: oneMKL's inspector-executor CSR, with a hint of 1,000 products",
    MKL_MM,
    .layout = RC_COL_MAJOR,
    .build = build_col,
};
