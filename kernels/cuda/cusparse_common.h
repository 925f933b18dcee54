/** \file kernels/cuda/cusparse_common.h  What the kernels made of cuSPARSE share: A in the order of
 *  the slots, descriptors of the operands, the workspace, and the copy to the rows of C.
 *
 *  cuSPARSE knows nothing of schedules, so it computes C' = A' B where row p of A' is slot p (a pad
 *  is an empty row).  An identity schedule and C in schedule order let it store to C itself.  C in
 *  original order under another schedule costs a temporary C' and a copy of it, both within `run`:
 *  that is what a caller of the library would pay.
 *
 *  Preprocessing leaves its result in the descriptor of A and in the workspace, and every later call
 *  with that descriptor may use it.  So each state has descriptors and a workspace of its own, and
 *  one with pre=0 never preprocesses.  The operands may change after it. */
#ifndef RC_KERNELS_CUDA_CUSPARSE_COMMON_H
#define RC_KERNELS_CUDA_CUSPARSE_COMMON_H

#include "kernels/cuda/slots.h"

#include <cusparse.h>

enum {
    RC_CUSPARSE_OUT = RC_INPUTS_MAX, /**< number of the output among the operands */
    RC_CUSPARSE_OPERANDS
};

/** A dense operand as cuSPARSE sees it: a matrix when it has K columns, else a vector. */
typedef struct rc_cusparse_operand {
    cusparseDnMatDescr_t matrix;
    cusparseDnVecDescr_t vector;
    const void *at; /**< what the descriptor points to */
    int64_t ld;
    int64_t rows;
    int64_t k;
} rc_cusparse_operand_t;

/** The three calls that each operation of cuSPARSE has. */
typedef enum rc_cusparse_step {
    RC_CUSPARSE_SIZE,
    RC_CUSPARSE_PREPROCESS,
    RC_CUSPARSE_RUN
} rc_cusparse_step_t;

/** A scalar in the precision of the problem. */
typedef union rc_cusparse_scalar {
    float f;
    double d;
} rc_cusparse_scalar_t;

typedef struct rc_cusparse rc_cusparse_t;

/** Make one of the calls with the descriptors and the workspace of the state.
 *  \param[out] bytes  of the workspace; of RC_CUSPARSE_SIZE alone */
typedef cusparseStatus_t rc_cusparse_call_fn(rc_cusparse_t *s, rc_cusparse_step_t step,
    const rc_cusparse_scalar_t *alpha, const rc_cusparse_scalar_t *beta, size_t *bytes);

/** What a kernel is, in either layout. */
typedef struct rc_cusparse_kind {
    rc_op_t op;
    const char *call_name; /**< "this SpMM", for messages */
    rc_cusparse_call_fn *call;
    /** Upload A, which has entries, and make its descriptor s->a; may set s->product_rows. */
    rc_status_t (*describe)(
        rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err);
    int alg_param;        /**< number of the parameter that picks from `algorithm`; -1: the first */
    const int *algorithm; /**< values of the library's enumeration */
    int pre_param;        /**< number of the parameter that asks for preprocessing; -1: none */
    int b_transposed;     /**< 1: a row-major B is described as its column-major transpose, with opB = T */
} rc_cusparse_kind_t;

/** State of a kernel. */
struct rc_cusparse {
    rc_executor_t *x;
    const rc_cusparse_kind_t *kind;
    cusparseHandle_t handle;         /**< of the executor */
    rc_cuda_memory_t memory;         /**< all that is freed with the state */
    rc_cuda_slots_t slots;           /**< A as CSR; of BSR and SELL only the rows */
    void *row;                       /**< of CSR the pointers and of COO the rows, as the descriptor has them */
    void *col;                       /**< likewise; NULL: A is not there yet */
    cusparseSpMatDescr_t a; /**< NULL: A has no entries */
    rc_cusparse_operand_t operand[RC_CUSPARSE_OPERANDS];
    int algorithm;
    cudaDataType type;
    int pre;
    int is_preprocessed;
    int64_t preprocessed_k; /**< a graph may hold runs, so the workspace stays that of one K */
    void *workspace;
    size_t workspace_bytes;
    int changed; /**< 1: leading dimensions are others than those that were last found to be possible */
    int64_t pad; /**< of leading dimensions while the workspace is looked for, else 0 */
    void *product;        /**< C'; NULL: cuSPARSE stores to the output */
    int64_t product_rows; /**< rows of A' */
    int64_t k;
    rc_precision_t precision;
    rc_layout_t layout;
};

/** RC_OK; RC_ENOTSUP, RC_ENOMEM, else RC_EDEVICE with the name of the status.
 *  \param[in] what  what was called, "this SpMM" */
rc_status_t rc_cusparse_check(cusparseStatus_t status, const char *what, rc_err_t *err);

/** Rearrange A as slots, or only its rows, in the memory of the state. */
rc_status_t rc_cusparse_slots(rc_cusparse_t *s, const rc_problem_t *p, rc_err_t *err);
rc_status_t rc_cusparse_rows(rc_cusparse_t *s, const rc_problem_t *p, rc_err_t *err);

/** Device memory that the state owns.  \param[out] out  at least 1 byte */
rc_status_t rc_cusparse_own(rc_cusparse_t *s, int64_t bytes, void **out, rc_err_t *err);

/** As rc_cusparse_own, with a copy of `from`. */
rc_status_t rc_cusparse_upload(
    rc_cusparse_t *s, const void *from, int64_t bytes, void **out, rc_err_t *err);

/** The analysis of A as CSR, whatever the format, so that rates of formats compare, and of C'. */
rc_status_t rc_cusparse_analyse(const rc_problem_t *p, const rc_cusparse_kind_t *kind,
    int64_t product_rows, rc_analysis_t *out, rc_err_t *err);

/** Make a state and wait for the device.
 *  \param[out] state  free with rc_cusparse_release */
rc_status_t rc_cusparse_prepare(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, const rc_cusparse_kind_t *kind, rc_layout_t layout, void **state,
    rc_err_t *err);

/** rc_kernel_t.share of CSR and COO: descriptors and workspace of its own. */
rc_status_t rc_cusparse_share(rc_executor_t *x, const rc_problem_t *p,
    const rc_analysis_t *analysis, void *of, void **state, rc_err_t *err);

/** Let the descriptors point to the operands of a run. */
rc_status_t rc_cusparse_bind(rc_cusparse_t *s, const rc_operands_t *o, rc_err_t *err);

/** The call itself, of bound operands. */
rc_status_t rc_cusparse_call(
    rc_cusparse_t *s, rc_cusparse_step_t step, double alpha, double beta, rc_err_t *err);

/** Members of the descriptors. */
rc_status_t rc_cusparse_preprocess(void *state, const rc_operands_t *o, rc_err_t *err);
rc_status_t rc_cusparse_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);
void rc_cusparse_release(void *state);
/** Of CSR and COO without preprocessing; of others nothing. */
int64_t rc_cusparse_values(void *state, void **array);

/* ---------------------------------------------------- formats and operations */

/** 1: indices of 64 bits, because the parameter says so or 32 bits are not enough.
 *  \param[in] bits  32, 64 */
int rc_cusparse_wide(const rc_problem_t *p, int64_t bits);

/** Upload A, where the state does not share it, and describe it as CSR or as coordinates.
 *  \param[in] wide  1: indices of 64 bits throughout; mixed widths are not supported everywhere */
rc_status_t rc_cusparse_csr(rc_cusparse_t *s, const rc_problem_t *p, int wide, rc_err_t *err);
rc_status_t rc_cusparse_coo(rc_cusparse_t *s, const rc_problem_t *p, int wide, rc_err_t *err);

/** Upload indices, as 64 bits where `wide`.  \param[in] from  [count] int32_t  \param[out] out  of the state */
rc_status_t rc_cusparse_indices(
    rc_cusparse_t *s, const void *from, int64_t count, int wide, void **out, rc_err_t *err);

/** The type of these, and the device memory that they take beside 4 bytes each. */
cusparseIndexType_t rc_cusparse_index_type(int wide);
int64_t rc_cusparse_wide_bytes(int64_t count, int wide);

/** The parameter `index` of the kernels of SpMV, which came after the others: `text` of what has the usual 32 bits
 *  does not name it. */
#define RC_CUSPARSE_INDEX_PARAM {"index", "bits of an index; 64 where 32 are not enough", 32, 32, 64, 1}

/** Device memory of them beside that of the slots. */
int64_t rc_cusparse_csr_bytes(const rc_problem_t *p, int wide);
int64_t rc_cusparse_coo_bytes(const rc_problem_t *p, int wide);

/** The parameters `block` and `fill` of the kernels of BSR, and `index` of that for vectors. */
enum { RC_CUSPARSE_BSR_BLOCK = 1, RC_CUSPARSE_BSR_FILL = 2, RC_CUSPARSE_BSR_INDEX = 3 };

/** Upload A and describe it as blocks; the `describe` of a kind. */
rc_status_t rc_cusparse_bsr(
    rc_cusparse_t *s, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err);

/** \return RC_OK; RC_ENOTSUP: n_col is no multiple of `block`, or `fill` is exceeded */
rc_status_t rc_cusparse_bsr_analyse(
    const rc_problem_t *p, const rc_cusparse_kind_t *of, rc_analysis_t *out, rc_err_t *err);

/** SpMM, with A or its transpose as the operation of the state says. */
rc_cusparse_call_fn rc_cusparse_spmm;
rc_cusparse_call_fn rc_cusparse_spmv;

/** RC_OK; RC_ENOTSUP when preprocessing for SpMV is asked for and this cuSPARSE has none. */
rc_status_t rc_cusparse_spmv_supports(int64_t pre, rc_err_t *err);

#endif
