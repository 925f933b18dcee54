/* The kernels of cuSPARSE: operations, kinds (an operation on a format, with all algorithms that
 * the library has for it), and a line each.
 *
 * By NVIDIA's account SpMM of CSR has algorithm 1 for column-major and 2 for row-major dense
 * matrices, 3 is deterministic, and preprocessing helps 1 and 3; of COO 1 to 3 are meant for
 * column-major and 4 for row-major ones, and preprocessing has no effect.  All of that is measured
 * here rather than believed.  What the library refuses (preprocessing of coordinates, algorithms
 * that take no transpose) is a skipped case.
 *
 * Values of 16 bits are summed in fp32.  Its account of them: all formats of SpMM and SpMV take
 * bf16 and fp16.  CSR then goes by algorithm 3 and COO by algorithm 2, whichever is asked for, and
 * what these do not do fails, as A' in CSR.  SDDMM takes fp16 alone.  The cuSPARSE of CUDA 13.1 and
 * 13.2 is said to refuse fp16 in SpMM.  So which of them multiplies is found out at run time. */
#include "config.h"
#include "base/error.h"
#include "format/bsr.h"
#include "kernels/vendor/cusparse.h"

#include <stddef.h>
#include <string.h>

/* What an older library lacks is never called. */
#if CUSPARSE_VERSION < 12100
enum { CUSPARSE_SPMV_SELL_ALG1 };
#endif
#if CUSPARSE_VERSION < 12501
enum { CUSPARSE_SPMM_BSR_ALG1 };
#endif
#if CUSPARSE_VERSION < 12603
enum { CUSPARSE_SPMV_BSR_ALG1 };
#endif

/* -------------------------------------------------------------- operations */

static cusparseStatus_t spmm(rc_cusparse_t *s, rc_cusparse_step_t step,
    const rc_cusparse_scalar_t *alpha, const rc_cusparse_scalar_t *beta, size_t *bytes)
{
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseOperation_t turned = CUSPARSE_OPERATION_TRANSPOSE;
    const cusparseOperation_t of_a = s->kind->calls->op == RC_OP_SPMM_T ? turned : plain;
    const cusparseOperation_t of_b = s->kind->calls->b_transposed ? turned : plain;
    const cusparseSpMMAlg_t alg = (cusparseSpMMAlg_t)s->algorithm;
    cusparseDnMatDescr_t b = s->operand[0].matrix;
    cusparseDnMatDescr_t c = s->operand[RC_CUSPARSE_OUT].matrix;
    switch (step) {
    case RC_CUSPARSE_SIZE:
        return cusparseSpMM_bufferSize(
            s->handle, of_a, of_b, alpha, s->a, b, beta, c, s->compute, alg, bytes);
    case RC_CUSPARSE_PREPROCESS:
        return cusparseSpMM_preprocess(
            s->handle, of_a, of_b, alpha, s->a, b, beta, c, s->compute, alg, s->workspace);
    default:
        return cusparseSpMM(
            s->handle, of_a, of_b, alpha, s->a, b, beta, c, s->compute, alg, s->workspace);
    }
}

static cusparseStatus_t spmv(rc_cusparse_t *s, rc_cusparse_step_t step,
    const rc_cusparse_scalar_t *alpha, const rc_cusparse_scalar_t *beta, size_t *bytes)
{
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseSpMVAlg_t alg = (cusparseSpMVAlg_t)s->algorithm;
    cusparseDnVecDescr_t x = s->operand[0].vector;
    cusparseDnVecDescr_t y = s->operand[RC_CUSPARSE_OUT].vector;
    switch (step) {
    case RC_CUSPARSE_SIZE:
        return cusparseSpMV_bufferSize(
            s->handle, plain, alpha, s->a, x, beta, y, s->compute, alg, bytes);
    case RC_CUSPARSE_PREPROCESS:
#if CUSPARSE_VERSION >= 12300
        return cusparseSpMV_preprocess(
            s->handle, plain, alpha, s->a, x, beta, y, s->compute, alg, s->workspace);
#else
        return CUSPARSE_STATUS_NOT_SUPPORTED;
#endif
    default:
        return cusparseSpMV(
            s->handle, plain, alpha, s->a, x, beta, y, s->compute, alg, s->workspace);
    }
}

/* It takes the pattern of its sparse matrix but not the values: what it stores are dot products, so
 * they go to memory of the state, and a second launch multiplies them by the values of A.  They are
 * stored as they were summed: those of fp16 would be rounded twice, and may be beyond its range. */
static cusparseStatus_t sddmm(rc_cusparse_t *s, rc_cusparse_step_t step,
    const rc_cusparse_scalar_t *alpha, const rc_cusparse_scalar_t *beta, size_t *bytes)
{
    const cusparseOperation_t plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    const cusparseOperation_t turned = CUSPARSE_OPERATION_TRANSPOSE;
    const cusparseSDDMMAlg_t alg = (cusparseSDDMMAlg_t)s->algorithm;
    cusparseDnMatDescr_t y = s->operand[0].matrix;
    cusparseDnMatDescr_t x = s->operand[1].matrix;
    switch (step) {
    case RC_CUSPARSE_SIZE:
        return cusparseSDDMM_bufferSize(
            s->handle, plain, turned, alpha, y, x, beta, s->a, s->compute, alg, bytes);
    case RC_CUSPARSE_PREPROCESS:
        return cusparseSDDMM_preprocess(
            s->handle, plain, turned, alpha, y, x, beta, s->a, s->compute, alg, s->workspace);
    default:
        return cusparseSDDMM(
            s->handle, plain, turned, alpha, y, x, beta, s->a, s->compute, alg, s->workspace);
    }
}

static const rc_cusparse_calls_t call_spmm = {RC_OP_SPMM, spmm, .name = "this SpMM"};
static const rc_cusparse_calls_t call_spmm_bt = {
    RC_OP_SPMM, spmm, .name = "this SpMM with opB = T", .b_transposed = 1};
static const rc_cusparse_calls_t call_spmm_t = {
    RC_OP_SPMM_T, spmm, .name = "this transposed SpMM", .in_order = "cuSPARSE's transposed SpMM"};
static const rc_cusparse_calls_t call_spmv = {RC_OP_SPMV, spmv, .name = "this SpMV",
    .preprocesses_since = 12300, .preprocessing_needs = "preprocessing for SpMV needs CUDA 12.4"};
static const rc_cusparse_calls_t call_sddmm = {
    RC_OP_SDDMM, sddmm, .name = "this SDDMM", .in_order = "cuSPARSE's SDDMM"};

/* ------------------------------------------------------------------- kinds */

enum { NONE = RC_CUSPARSE_NONE };

#define SPMM_CSR_ALGORITHMS                                                                        \
    .algorithm = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_CSR_ALG1, CUSPARSE_SPMM_CSR_ALG2,       \
        CUSPARSE_SPMM_CSR_ALG3}
#define SPMM_COO_ALGORITHMS                                                                        \
    .algorithm = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_COO_ALG1, CUSPARSE_SPMM_COO_ALG2,       \
        CUSPARSE_SPMM_COO_ALG3, CUSPARSE_SPMM_COO_ALG4}

/* Numbers of the parameters alg, pre and index; algorithms; since when. */
static const rc_cusparse_kind_t
    spmm_csr = {&call_spmm, &rc_cusparse_csr, 0, 1, 2, SPMM_CSR_ALGORITHMS},
    spmm_csr_bt = {&call_spmm_bt, &rc_cusparse_csr, 0, 1, 2, SPMM_CSR_ALGORITHMS},
    spmm_csr_turned = {&call_spmm_bt, &rc_cusparse_csr, 0, 1, 2, SPMM_CSR_ALGORITHMS, .turns = 1},
    spmm_coo = {&call_spmm, &rc_cusparse_coo, 0, 1, 2, SPMM_COO_ALGORITHMS},
    spmm_bsr = {&call_spmm, &rc_cusparse_bsr, 0, NONE, NONE,
        .algorithm = {CUSPARSE_SPMM_ALG_DEFAULT, CUSPARSE_SPMM_BSR_ALG1}, .since = 12501,
        .needs = "SpMM of BSR needs CUDA 12.5.1"},
    spmm_t_csr = {&call_spmm_t, &rc_cusparse_csr, 0, 1, NONE, SPMM_CSR_ALGORITHMS},
    spmm_t_coo = {&call_spmm_t, &rc_cusparse_coo, 0, 1, NONE, SPMM_COO_ALGORITHMS},
    spmv_csr = {&call_spmv, &rc_cusparse_csr, 0, 1, NONE,
        .algorithm = {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_CSR_ALG1, CUSPARSE_SPMV_CSR_ALG2}},
    spmv_coo = {&call_spmv, &rc_cusparse_coo, 0, 1, 2,
        .algorithm = {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_COO_ALG1, CUSPARSE_SPMV_COO_ALG2}},
    spmv_sell = {&call_spmv, &rc_cusparse_sell, NONE, 1, 2, .algorithm = {CUSPARSE_SPMV_SELL_ALG1},
        .since = 12100, .needs = "SpMV of SELL needs CUDA 12.1.1"},
    spmv_bsr = {&call_spmv, &rc_cusparse_bsr, 0, NONE, 3,
        .algorithm = {CUSPARSE_SPMV_ALG_DEFAULT, CUSPARSE_SPMV_BSR_ALG1},
        .since = 12603, /* the first header that is known to have it */
        .needs = "SpMV of BSR needs CUDA 12.6.3"},
    sddmm_csr = {
        &call_sddmm, &rc_cusparse_csr, NONE, 0, NONE, .algorithm = {CUSPARSE_SDDMM_ALG_DEFAULT}};

/* ----------------------------------------------------------------- kernels */

/* NVIDIA promises equal bits of these algorithms alone: the third of SpMM in CSR, the second of the
 * others, for all types.  That other numbers are theirs with 16 bits is no promise. */
static int is_alg2(const int64_t *param)
{
    return param[0] == 2;
}

static int is_alg3(const int64_t *param)
{
    return param[0] == 3;
}

/* SpMV got `index` after the others: `text` of what has the usual 32 bits does not name it. */
static rc_status_t identify(
    const rc_param_t *param, const rc_params_t *values, char *text, rc_err_t *err)
{
    int index = 0;
    while (param[index].name && strcmp(param[index].name, "index") != 0)
        index++;
    return rc_params_text_older(param, index, values, text, err);
}

#define SHARED                                                                                     \
    .version = 1, .device = RC_DEVICE_CUDA, .computes = 1, .out_sums = 1,                          \
    .geometry = rc_cuda_geometry, .analyse = rc_cusparse_analyse,                                  \
    .state_bytes = RC_STATE(rc_cusparse_t), .build = rc_cusparse_build, .own = rc_cusparse_own,    \
    .run = rc_cusparse_run, .release = rc_cusparse_release

/* A kernel of a kind and a layout; its other members, of operation and format, stand below. */
#define KERNEL(id, of, in, called, about, ...)                                                     \
    const rc_kernel_t rc_kernel_cusparse_##id = {.name = "cusparse-" called,                       \
        .summary = "cuSPARSE " about,                                                              \
        .layout = in,                                                                              \
        .kind = &(of),                                                                             \
        SHARED,                                                                                    \
        __VA_ARGS__}

#define SOURCE(call) .source = "NVIDIA cuSPARSE documentation, cusparse" call
#define PRE_SPMV                                                                                   \
    "pre", "1: cusparseSpMV_preprocess once before the first product (CUDA 12.4)", .max = 1
#define BLOCK(most) "block", "rows and columns of a block; must divide n_col", 2, 2, most, 1
#define FILL(of) "fill", "bytes of BSR over bytes of CSR" of ", at most", 4, 1, 1024, 0
#define COO_ALG "alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1 to 4: CUSPARSE_SPMM_COO_ALG1 to 4", .max = 4

#define SPMM .op = RC_OP_SPMM, .types = RC_TYPES_ANY, .c_orders = RC_STORES_ANY
#define SPMM_VALUES                                                                                \
    SPMM, .format = "slots", .builds = RC_BUILDS_ALONE, .any_k = 1,                                \
          .preprocess = rc_cusparse_preprocess, .shares = offsetof(rc_cusparse_t, handle)
#define SPMM_CSR                                                                                   \
    SPMM_VALUES, .deterministic = is_alg3,                                                         \
                 .param = {{RC_CUSPARSE_CSR_ALG}, {RC_CUSPARSE_SPMM_PRE}, {RC_CUSPARSE_INDEX}}

KERNEL(csr_col, spmm_csr, RC_COL_MAJOR, "csr-col", "SpMM of A in CSR, column-major B and C",
    SPMM_CSR, SOURCE("SpMM"));
KERNEL(csr_row, spmm_csr, RC_ROW_MAJOR, "csr-row", "SpMM of A in CSR, row-major B and C", SPMM_CSR,
    SOURCE("SpMM"));
KERNEL(csr_col_row, spmm_csr, RC_COL_ROW, "csr-bcol-crow",
    "SpMM of A in CSR, column-major B, row-major C", SPMM_CSR, SOURCE("SpMM"));
KERNEL(csr_row_col, spmm_csr, RC_ROW_COL, "csr-brow-ccol",
    "SpMM of A in CSR, row-major B, column-major C", SPMM_CSR, SOURCE("SpMM"));

/* As Hong et al. 2018 had it: B is given transposed, C is column-major; and their iterated product,
 * where C is the next B, so that a dense transpose makes it row-major again. */
KERNEL(csr_bt_col, spmm_csr_bt, RC_ROW_COL, "csr-bt-ccol",
    "SpMM of A in CSR with opB = T: row-major B, column-major C", SPMM_CSR, SOURCE("SpMM"));
KERNEL(csr_bt_turned, spmm_csr_turned, RC_ROW_MAJOR, "csr-bt-turned",
    "SpMM of A in CSR with opB = T and a dense transpose of C: "
    "row-major B and C, an iterated product",
    SPMM_CSR, .source = "Hong et al. 2018, doi:10.1145/3208040.3208062");

#define SPMM_COO                                                                                   \
    SPMM_VALUES, SOURCE("SpMM"), .deterministic = is_alg2,                                         \
                                 .param = {{COO_ALG}, {RC_CUSPARSE_SPMM_PRE}, {RC_CUSPARSE_INDEX}}

KERNEL(
    coo_col, spmm_coo, RC_COL_MAJOR, "coo-col", "SpMM of A in COO, column-major B and C", SPMM_COO);
KERNEL(coo_row, spmm_coo, RC_ROW_MAJOR, "coo-row", "SpMM of A in COO, row-major B and C", SPMM_COO);

#define SPMM_BSR                                                                                   \
    SPMM, SOURCE("SpMM"),                                                                          \
        .format = "bsr",                                                                           \
        .param = {{"alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1: CUSPARSE_SPMM_BSR_ALG1", .max = 1},    \
            {BLOCK(RC_BSR_BLOCK_MAX)}, {FILL("")}}

KERNEL(
    bsr_col, spmm_bsr, RC_COL_MAJOR, "bsr-col", "SpMM of A in BSR, column-major B and C", SPMM_BSR);
KERNEL(bsr_row, spmm_bsr, RC_ROW_MAJOR, "bsr-row", "SpMM of A in BSR, row-major B and C", SPMM_BSR);

#define SPMM_T                                                                                     \
    SOURCE("SpMM"), .op = RC_OP_SPMM_T, .types = RC_TYPES_ANY, .format = "slots",                 \
                    .c_orders = RC_STORES_ORIGINAL, .preprocess = rc_cusparse_preprocess
#define SPMM_T_CSR SPMM_T, .param = {{RC_CUSPARSE_CSR_ALG}, {RC_CUSPARSE_SPMM_PRE}}
#define SPMM_T_COO SPMM_T, .param = {{COO_ALG}, {RC_CUSPARSE_SPMM_PRE}}

KERNEL(spmm_t_csr_col, spmm_t_csr, RC_COL_MAJOR, "spmm_t-csr-col",
    "SpMM of the transpose of A in CSR, column-major B and C", SPMM_T_CSR);
KERNEL(spmm_t_csr_row, spmm_t_csr, RC_ROW_MAJOR, "spmm_t-csr-row",
    "SpMM of the transpose of A in CSR, row-major B and C", SPMM_T_CSR);
KERNEL(spmm_t_coo_col, spmm_t_coo, RC_COL_MAJOR, "spmm_t-coo-col",
    "SpMM of the transpose of A in COO, column-major B and C", SPMM_T_COO);
KERNEL(spmm_t_coo_row, spmm_t_coo, RC_ROW_MAJOR, "spmm_t-coo-row",
    "SpMM of the transpose of A in COO, row-major B and C", SPMM_T_COO);

#define SPMV                                                                                       \
    SOURCE("SpMV"), .op = RC_OP_SPMV, .types = RC_TYPES_ANY, .c_orders = RC_STORES_ANY,           \
                    .identify = identify
#define SPMV_VALUES                                                                                \
    SPMV, .format = "slots", .builds = RC_BUILDS_ALONE, .deterministic = is_alg2,                  \
          .preprocess = rc_cusparse_preprocess
#define SPMV_ALG(of)                                                                               \
    "alg", "0: CUSPARSE_SPMV_ALG_DEFAULT, 1 and 2: CUSPARSE_SPMV_" of "_ALG1 and 2", .max = 2

KERNEL(spmv_csr, spmv_csr, RC_COL_MAJOR, "spmv-csr", "SpMV of A in CSR", SPMV_VALUES,
    .param = {{SPMV_ALG("CSR")}, {PRE_SPMV}});
KERNEL(spmv_coo, spmv_coo, RC_COL_MAJOR, "spmv-coo", "SpMV of A in COO", SPMV_VALUES,
    .param = {{SPMV_ALG("COO")}, {PRE_SPMV}, {RC_CUSPARSE_INDEX}});
KERNEL(spmv_sell, spmv_sell, RC_COL_MAJOR, "spmv-sell", "SpMV of A in sliced ELLPACK", SPMV,
    .format = "sell", .deterministic = rc_kernel_always, .preprocess = rc_cusparse_preprocess,
    .param = {{"slice", "rows of a slice", 32, 2, 64, 1}, {PRE_SPMV}, {RC_CUSPARSE_INDEX}});
KERNEL(spmv_bsr, spmv_bsr, RC_COL_MAJOR, "spmv-bsr", "SpMV of A in BSR", SPMV, .format = "bsr",
    .param = {{"alg", "0: CUSPARSE_SPMV_ALG_DEFAULT, 1: CUSPARSE_SPMV_BSR_ALG1", .max = 1},
        {BLOCK(16)}, {FILL(" with indices of 32 bits")}, {RC_CUSPARSE_INDEX}});

#define SDDMM                                                                                      \
    SOURCE("SDDMM"),                                                                               \
        .op = RC_OP_SDDMM, .types = RC_TYPES_ANY & ~(1 << RC_BF16), .format = "slots",             \
        .c_orders = RC_STORES_ORIGINAL, .deterministic = rc_kernel_always,                         \
        .preprocess = rc_cusparse_preprocess,                                                      \
        .param = {{"pre", "1: cusparseSDDMM_preprocess once before the first product", .max = 1}}

KERNEL(sddmm_col, sddmm_csr, RC_COL_MAJOR, "sddmm-col",
    "SDDMM, column-major Y and X, then times the values of A", SDDMM);
KERNEL(sddmm_row, sddmm_csr, RC_ROW_MAJOR, "sddmm-row",
    "SDDMM, row-major Y and X, then times the values of A", SDDMM);
