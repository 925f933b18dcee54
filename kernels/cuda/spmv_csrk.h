/** \file kernels/cuda/spmv_csrk.h  What the GPU kernels of CSR-k share (Lane and Booth 2022, Listings 3 and 4): a CTA
 *  takes a super-super-row, or as many super-rows as its block has places for; parts of its block take super-rows, rows
 *  and, but for GPUSpMV-3, entries. */
#ifndef RC_KERNELS_CUDA_SPMV_CSRK_H
#define RC_KERNELS_CUDA_SPMV_CSRK_H

#include "kernels/csrk.h"
#include "kernels/cuda/spmv.h"
#include "kernels/super_rows.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RC_CSRK_THREADS_MAX = 512 };

typedef struct rc_spmv_csrk_args {
    rc_spmv_vectors_t v;
    const void *ptr;
    const int32_t *col;
    const void *val;
    const int32_t *sr_ptr;  /**< [super_rows + 1] into the slots */
    const int32_t *ssr_ptr; /**< [ctas + 1] into the super-rows; NULL: a CTA takes `each` of them (CSR-2) */
    int32_t super_rows;
    int32_t each;
} rc_spmv_csrk_args_t;

/** How a block of threads is divided: lanes of a row, rows of a super-row and super-rows side by side. */
typedef struct rc_csrk_shape {
    int32_t lanes; /**< 1, 4, 8 or 16 */
    int32_t rows;
    int32_t super_rows;
} rc_csrk_shape_t;

/** Which of them a kernel is, and what it was asked for. */
typedef struct rc_csrk_choice {
    int levels;      /**< 1: CSR-2, 2: CSR-3 */
    int serial;      /**< 1: GPUSpMV-3 whatever the rows are like */
    int64_t size[2]; /**< SRS, SSRS, or RC_SUPER_ROWS_AUTO */
    int shuffle;     /**< 1: sums of a row by shuffles, 0: in shared memory, as published */
    rc_csrk_reading_t reading;
} rc_csrk_choice_t;

/** What that comes to for a matrix. */
typedef struct rc_csrk_form {
    rc_csrk_sizes_t sizes; /**< of the tuning; its block is as published */
    rc_csrk_shape_t shape;
    int64_t size[2];  /**< as rc_csrk_choice_t */
    int64_t tuned[2]; /**< SRS and SSRS of the tuning */
    int levels;
} rc_csrk_form_t;

/** Parameters; `tune` comes first. */
#define RC_CSRK_TUNE_PARAM                                                                                    \
    {                                                                                                         \
        .name = "tune",                                                                                       \
        .help = "sizes where neither a number nor the order says them: volta or ampere, as published, or a "  \
                "file of rowcast tune csrk",                                                                  \
        .type = RC_PARAM_TEXT, .text = "auto"                                                                 \
    }
#define RC_CSRK_SIZE_PARAM(level, of)                                                                         \
    {                                                                                                         \
        .name = level, .help = of "; auto: the groups of the order, else the tuning",                         \
        .value = RC_SUPER_ROWS_AUTO, .min = 1, .max = INT32_MAX, .choices = rc_super_rows_choices             \
    }
#define RC_CSRK_SRS_PARAM RC_CSRK_SIZE_PARAM("srs", "slots of a super-row")
#define RC_CSRK_SSRS_PARAM RC_CSRK_SIZE_PARAM("ssrs", "super-rows of a super-super-row")
#define RC_CSRK_REDUCE_PARAM                                                                                  \
    {                                                                                                         \
        .name = "reduce", .help = "sums of a row in shared memory, as published, or by shuffles",             \
        .type = RC_PARAM_CHOICE, .choices = rc_csrk_reduce_names                                              \
    }
#define RC_CSRK_READING_PARAM                                                                                 \
    {                                                                                                         \
        .name = "reading", .help = "what the formulas of srs mean by SSRS in cases 3 and 4",                  \
        .type = RC_PARAM_CHOICE, .choices = rc_csrk_reading_names                                             \
    }
extern const char *const rc_csrk_reduce_names[];

/** Sizes and shape for a problem.  \return RC_OK, or as rc_csrk_tuning_open */
rc_status_t rc_csrk_form(
    const rc_problem_t *p, const rc_csrk_choice_t *c, rc_csrk_form_t *out, rc_err_t *err);

/** rc_kernel_t.analyse: CSR and the pointers. */
rc_status_t rc_csrk_gpu_analyse(
    const rc_problem_t *p, const rc_csrk_choice_t *c, rc_analysis_t *out, rc_err_t *err);

/** The pointers in the memory of a state.
 *  \param[out] out  sr_ptr, ssr_ptr, super_rows, each  \param[out] ctas  that take them */
rc_status_t rc_csrk_pointers(const rc_problem_t *p, const rc_csrk_form_t *f, rc_spmv_t *s,
    rc_spmv_csrk_args_t *out, int64_t *ctas, rc_err_t *err);

typedef struct rc_spmv_csrk {
    rc_spmv_t s;
    rc_spmv_csrk_args_t args;
    rc_cuda_launch_t launch;
} rc_spmv_csrk_t;

/** rc_spmv_kind_t.build and .launch of all of them; the state is rc_spmv_csrk_t. */
rc_status_t rc_csrk_gpu_build(rc_spmv_t *s, const rc_problem_t *p, const rc_csrk_choice_t *c,
    const rc_spmv_source_t *from, rc_err_t *err);
rc_status_t rc_csrk_gpu_launch(
    const rc_spmv_t *s, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/** What a run of csr2, csr3 or csr35 launches, for tests.  \param[in] state  prepared; borrowed */
const rc_cuda_launch_t *rc_csrk_launched(const void *state);

/** \param[in] wide   1: ptr is int64_t  \param[in] lanes  1, 4, 8 or 16
 *  \param[in] shuffle  as rc_csrk_choice_t */
const void *rc_spmv_csrk_entry(rc_precision_t precision, int wide, int32_t lanes, int shuffle);

#ifdef __cplusplus
}
#endif
#endif
