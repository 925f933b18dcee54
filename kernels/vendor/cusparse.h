/** \file kernels/vendor/cusparse.h  What the kernels made of cuSPARSE are: an operation, a format
 *  of A, a kind, which is an operation on a format, and a state.
 *
 *  cuSPARSE knows nothing of schedules, so it computes C' = A' B where row p of A' is slot p (a pad
 *  is an empty row).  An identity schedule and C in schedule order let it store to C itself.  C in
 *  original order under another schedule costs a temporary C' and a copy of it, both within `run`:
 *  that is what a caller of the library would pay.
 *
 *  Preprocessing leaves its result in the descriptor of A and in the workspace, and every later
 *  call with that descriptor may use it.  So each state has descriptors and a workspace of its own,
 *  and one with pre=0 never preprocesses.  The operands may change after it. */
#ifndef RC_KERNELS_VENDOR_CUSPARSE_H
#define RC_KERNELS_VENDOR_CUSPARSE_H

#include "format/cuda/indexed.h"
#include "kernels/prepared.h"

#include <cusparse.h>

enum {
    RC_CUSPARSE_OUT = RC_INPUTS_MAX, /**< number of the output among the operands */
    RC_CUSPARSE_OPERANDS,
    RC_CUSPARSE_ALGORITHMS = 5,
    RC_CUSPARSE_NONE = RC_KERNEL_PARAMS_MAX - 1 /**< number of a parameter that no kernel has: 0 */
};

typedef struct rc_cusparse rc_cusparse_t;
typedef struct rc_cusparse_kind rc_cusparse_kind_t;

/** The three calls that each operation of cuSPARSE has. */
typedef enum rc_cusparse_step {
    RC_CUSPARSE_SIZE,
    RC_CUSPARSE_PREPROCESS,
    RC_CUSPARSE_RUN
} rc_cusparse_step_t;

/** A scalar in the type that the problem sums in, float for types of 16 bits: its parts. */
typedef union rc_cusparse_scalar {
    float f[2];
    double d[2];
} rc_cusparse_scalar_t;

/** An operation. */
typedef struct rc_cusparse_calls {
    rc_op_t op;
    /** Make one of the calls with the descriptors and the workspace of the state.
     *  \param[out] bytes  of the workspace; of RC_CUSPARSE_SIZE alone */
    cusparseStatus_t (*call)(rc_cusparse_t *s, rc_cusparse_step_t step,
        const rc_cusparse_scalar_t *alpha, const rc_cusparse_scalar_t *beta, size_t *bytes);
    const char *name;     /**< "this SpMM", for messages */
    const char *in_order; /**< NULL, or what takes no other order of the rows of A */
    int b_transposed; /**< 1: opB = T on a row-major B, described as its column-major transpose */
    int preprocesses_since;          /**< CUSPARSE_VERSION of the first library that does */
    const char *preprocessing_needs; /**< which that is */
} rc_cusparse_calls_t;

/** A format of A. */
typedef struct rc_cusparse_format {
    const char *name;
    int size; /**< number of the parameter for rc_indexed_t.size, where it has one */
    /** Rows of A'; NULL: the slots. */
    int64_t (*rows)(const rc_problem_t *p);
    /** Turn the analysis of A as CSR into that of the format; the traffic stays, so that rates of
     *  formats compare.  \return RC_OK; RC_ENOTSUP with the reason */
    rc_status_t (*measure)(
        const rc_problem_t *p, const rc_cusparse_kind_t *kind, rc_analysis_t *out, rc_err_t *err);
    rc_indexed_fn *build; /**< A, which has entries */
    /** Make its descriptor s->a. */
    cusparseStatus_t (*describe)(rc_cusparse_t *s);
} rc_cusparse_format_t;

extern const rc_cusparse_format_t rc_cusparse_csr;
extern const rc_cusparse_format_t rc_cusparse_coo;
extern const rc_cusparse_format_t rc_cusparse_bsr;
extern const rc_cusparse_format_t rc_cusparse_sell;

/** Numbers of the parameters of formats. */
enum { RC_CUSPARSE_SLICE = 0, RC_CUSPARSE_BLOCK = 1, RC_CUSPARSE_FILL = 2 };

/** What a kernel is, in any layout. */
struct rc_cusparse_kind {
    const rc_cusparse_calls_t *calls;
    const rc_cusparse_format_t *format;
    int alg;   /**< number of the parameter that picks an algorithm, or RC_CUSPARSE_NONE */
    int pre;   /**< of that which asks for preprocessing, likewise */
    int index; /**< of the bits of an index, likewise */
    int algorithm[RC_CUSPARSE_ALGORITHMS]; /**< values of the library's enumeration */
    int since;                             /**< CUSPARSE_VERSION of the first library that has it */
    const char *needs;                     /**< which that is, "SpMM of BSR needs CUDA 12.5.1" */
    int turns; /**< 1: C is column-major there, and a dense transpose makes it row-major */
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

/** State of a kernel. */
struct rc_cusparse {
    rc_prepared_t base;
    const rc_cusparse_kind_t *kind;
    rc_indexed_t form; /**< A as the descriptor has it */
    int algorithm;
    cudaDataType compute; /**< of sums and scalars */
    cudaDataType stored;  /**< of the values of A's descriptor: dot products are not rounded yet */
    int pre;
    int64_t product_rows; /**< rows of A' */
    rc_layout_t layout;
    /* from here on of each state */
    cusparseHandle_t handle; /**< of the executor */
    cusparseSpMatDescr_t a;  /**< NULL: A has no entries */
    rc_cusparse_operand_t operand[RC_CUSPARSE_OPERANDS];
    int is_preprocessed;
    int64_t preprocessed_k; /**< a graph may hold runs, so the workspace stays that of one K */
    void *workspace;
    size_t workspace_bytes;
    int changed;   /**< 1: other leading dimensions than those last found to be possible */
    int64_t pad;   /**< of leading dimensions while the workspace is looked for, else 0 */
    void *product; /**< C', or of SDDMM dot products; NULL: cuSPARSE stores to the output */
    void *columns; /**< C before it is turned; NULL: it is not */
    int64_t k;
};

/** 1: indices of 64 bits throughout, because the parameter says so or 32 bits are not enough; mixed
 *  widths are not supported everywhere. */
int rc_cusparse_is_wide(const rc_problem_t *p, const rc_cusparse_kind_t *kind);

/** Members of the descriptors, whose `kind` is an rc_cusparse_kind_t.  Values are told
 *  without preprocessing, but not of a sampled product. */
rc_status_t rc_cusparse_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err);
rc_status_t rc_cusparse_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err);
rc_status_t rc_cusparse_own(void *state, rc_err_t *err);
rc_status_t rc_cusparse_preprocess(void *state, const rc_operands_t *o, rc_err_t *err);
rc_status_t rc_cusparse_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);
void rc_cusparse_release(void *state);

/** Parameters that SpMM with A in CSR has. */
#define RC_CUSPARSE_CSR_ALG                                                                        \
    "alg", "0: CUSPARSE_SPMM_ALG_DEFAULT, 1 to 3: CUSPARSE_SPMM_CSR_ALG1 to 3", .max = 3
#define RC_CUSPARSE_SPMM_PRE                                                                       \
    "pre", "1: cusparseSpMM_preprocess once before the first product", .max = 1
#define RC_CUSPARSE_INDEX "index", "bits of an index; 64 where 32 are not enough", 32, 32, 64, 1

#endif
