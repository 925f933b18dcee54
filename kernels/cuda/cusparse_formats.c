/* A as cuSPARSE's CSR and COO, from the slots; and SpMM and SpMV of any format. */
#include "config.h"
#include "base/error.h"
#include "kernels/cuda/cusparse_common.h"
#include "kernels/cuda/indices.h"

int rc_cusparse_wide(const rc_problem_t *p, int64_t bits)
{
    return bits == 64 || rc_cuda_slots_wide(p);
}

cusparseIndexType_t rc_cusparse_index_type(int wide)
{
    return wide ? CUSPARSE_INDEX_64I : CUSPARSE_INDEX_32I;
}

int64_t rc_cusparse_wide_bytes(int64_t count, int wide)
{
    return wide ? rc_sat_mul(count, (int64_t)sizeof(int64_t)) : 0;
}

rc_status_t rc_cusparse_indices(
    rc_cusparse_t *s, const void *from, int64_t count, int wide, void **out, rc_err_t *err)
{
    void *narrow = NULL;
    rc_status_t st;
    RC_TRY(rc_cusparse_upload(s, from, count * (int64_t)sizeof(int32_t), &narrow, err));
    *out = narrow;
    if (!wide)
        goto done;
    RC_TRY(rc_cusparse_own(s, rc_cusparse_wide_bytes(count, wide), out, err));
    RC_TRY(rc_cuda_widen(s->x, narrow, *out, count, err));
done:
    return st;
}

/* -------------------------------------------------------------------- CSR */

/* Pointers are counted also where those of the slots are wide already, and serve. */
int64_t rc_cusparse_csr_bytes(const rc_problem_t *p, int wide)
{
    return rc_cusparse_wide_bytes(rc_sat_add(p->a->nnz, p->schedule->slots + 1), wide);
}

static rc_status_t widen(rc_cusparse_t *s, void **ptr, void **col, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t bytes = (int64_t)sizeof(int64_t);
    RC_TRY(rc_cusparse_own(s, s->slots.nnz * bytes, col, err));
    RC_TRY(rc_cuda_widen(s->x, s->slots.col, *col, s->slots.nnz, err));
    if (s->slots.wide)
        goto done;
    RC_TRY(rc_cusparse_own(s, (s->slots.slots + 1) * bytes, ptr, err));
    RC_TRY(rc_cuda_widen(s->x, s->slots.ptr, *ptr, s->slots.slots + 1, err));
done:
    return st;
}

static rc_status_t upload_csr(rc_cusparse_t *s, const rc_problem_t *p, int wide, rc_err_t *err)
{
    rc_status_t st = rc_cusparse_slots(s, p, err);
    if (st < 0)
        return st;
    s->row = s->slots.ptr;
    s->col = s->slots.col;
    return wide ? widen(s, &s->row, &s->col, err) : RC_OK;
}

rc_status_t rc_cusparse_csr(rc_cusparse_t *s, const rc_problem_t *p, int wide, rc_err_t *err)
{
    rc_status_t st = s->col ? RC_OK : upload_csr(s, p, wide, err);
    return st < 0 ? st
                  : rc_cusparse_check(cusparseCreateCsr(&s->a, s->slots.slots, s->slots.cols,
                                          s->slots.nnz, s->row, s->col, s->slots.val,
                                          rc_cusparse_index_type(wide), rc_cusparse_index_type(wide),
                                          CUSPARSE_INDEX_BASE_ZERO, s->type),
                        "the descriptor of A in CSR", err);
}

/* -------------------------------------------------------------------- COO */

int64_t rc_cusparse_coo_bytes(const rc_problem_t *p, int wide)
{
    /* rows; wide: columns too */
    int64_t entry = wide ? 2 * (int64_t)sizeof(int64_t) : (int64_t)sizeof(int32_t);
    return rc_sat_mul(p->a->nnz, entry);
}

static rc_status_t upload_coo(rc_cusparse_t *s, const rc_problem_t *p, int wide, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    void *row = NULL;
    RC_TRY(rc_cusparse_slots(s, p, err));
    int64_t nnz = s->slots.nnz;
    void *col = s->slots.col;
    int64_t bytes = wide ? (int64_t)sizeof(int64_t) : (int64_t)sizeof(int32_t);
    RC_TRY(rc_cusparse_own(s, nnz * bytes, &row, err));
    RC_TRY(rc_cuda_expand(s->x, s->slots.ptr, s->slots.wide, s->slots.slots, row, wide, err));
    if (wide) {
        RC_TRY(rc_cusparse_own(s, nnz * bytes, &col, err));
        RC_TRY(rc_cuda_widen(s->x, s->slots.col, col, nnz, err));
    }
    s->row = row;
    s->col = col;
done:
    return st;
}

rc_status_t rc_cusparse_coo(rc_cusparse_t *s, const rc_problem_t *p, int wide, rc_err_t *err)
{
    rc_status_t st = s->col ? RC_OK : upload_coo(s, p, wide, err);
    return st < 0 ? st
                  : rc_cusparse_check(
                        cusparseCreateCoo(&s->a, s->slots.slots, s->slots.cols, s->slots.nnz,
                            s->row, s->col, s->slots.val, rc_cusparse_index_type(wide),
                            CUSPARSE_INDEX_BASE_ZERO, s->type),
                        "the descriptor of A in COO", err);
}

/* ------------------------------------------------------------------- calls */

cusparseStatus_t rc_cusparse_spmm(rc_cusparse_t *s, rc_cusparse_step_t step,
    const rc_cusparse_scalar_t *alpha, const rc_cusparse_scalar_t *beta, size_t *bytes)
{
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseOperation_t of_a =
        s->kind->op == RC_OP_SPMM_T ? CUSPARSE_OPERATION_TRANSPOSE : plain;
    const cusparseOperation_t of_b = s->kind->b_transposed ? CUSPARSE_OPERATION_TRANSPOSE : plain;
    const cusparseSpMMAlg_t alg = (cusparseSpMMAlg_t)s->algorithm;
    cusparseDnMatDescr_t b = s->operand[0].matrix;
    cusparseDnMatDescr_t c = s->operand[RC_CUSPARSE_OUT].matrix;
    switch (step) {
    case RC_CUSPARSE_SIZE:
        return cusparseSpMM_bufferSize(
            s->handle, of_a, of_b, alpha, s->a, b, beta, c, s->type, alg, bytes);
    case RC_CUSPARSE_PREPROCESS:
        return cusparseSpMM_preprocess(
            s->handle, of_a, of_b, alpha, s->a, b, beta, c, s->type, alg, s->workspace);
    default:
        return cusparseSpMM(
            s->handle, of_a, of_b, alpha, s->a, b, beta, c, s->type, alg, s->workspace);
    }
}

/* The first release with cusparseSpMV_preprocess: CUDA 12.4. */
#if CUSPARSE_VERSION >= 12300
enum { HAVE_PREPROCESS = 1 };
#else
enum { HAVE_PREPROCESS = 0 };
#endif

rc_status_t rc_cusparse_spmv_supports(int64_t pre, rc_err_t *err)
{
    if (pre && !HAVE_PREPROCESS)
        return rc_fail(
            err, RC_ENOTSUP, "cuSPARSE: preprocessing for SpMV needs CUDA 12.4 or newer");
    return RC_OK;
}

cusparseStatus_t rc_cusparse_spmv(rc_cusparse_t *s, rc_cusparse_step_t step,
    const rc_cusparse_scalar_t *alpha, const rc_cusparse_scalar_t *beta, size_t *bytes)
{
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseSpMVAlg_t alg = (cusparseSpMVAlg_t)s->algorithm;
    cusparseDnVecDescr_t x = s->operand[0].vector;
    cusparseDnVecDescr_t y = s->operand[RC_CUSPARSE_OUT].vector;
    switch (step) {
    case RC_CUSPARSE_SIZE:
        return cusparseSpMV_bufferSize(
            s->handle, plain, alpha, s->a, x, beta, y, s->type, alg, bytes);
    case RC_CUSPARSE_PREPROCESS:
#if CUSPARSE_VERSION >= 12300
        return cusparseSpMV_preprocess(
            s->handle, plain, alpha, s->a, x, beta, y, s->type, alg, s->workspace);
#else
        return CUSPARSE_STATUS_NOT_SUPPORTED;
#endif
    default:
        return cusparseSpMV(s->handle, plain, alpha, s->a, x, beta, y, s->type, alg, s->workspace);
    }
}
