/** \file kernels/cuda/by_rows.h  Column-major operands for kernels of row-major ones: the input is
 *  copied into rows, the product goes into rows, and those are copied to the columns of the output.
 *  What beta adds, the second copy adds.  Where one operand is row-major already, the other alone
 *  is copied.
 *
 *  A kernel becomes one of another layout by a descriptor with RC_CUDA_BY_ROWS_MEMBERS, whose
 *  `kind` is the kernel of rows and whose parameters are its own and RC_BY_ROWS_COLUMNS.  Copies
 *  beside the operands take the memory of these; of wide ones so many columns at a time as
 *  2 GiB have room for. */
#ifndef RC_KERNELS_CUDA_BY_ROWS_H
#define RC_KERNELS_CUDA_BY_ROWS_H

#include "device/cuda/scalars.h"
#include "kernels/cuda/members.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------ descriptors */

/** What a state has beside that of the kernel of rows, which it begins with. */
typedef struct rc_by_rows {
    void *in;      /**< rows of the input, each of 16 bytes or a multiple; NULL: not copied */
    void *out;     /**< likewise of the output */
    int64_t most;  /**< columns that they have room for, without those that fill up 16 bytes */
    int64_t strip; /**< columns at a time, of a run of as many as `fit` saw */
    int64_t taken; /**< columns that launches of the kernel of rows are for; 0: of none */
} rc_by_rows_t;

/** The last parameter of their descriptors. */
#define RC_BY_ROWS_COLUMNS                                                                         \
    {                                                                                              \
        "columns", "columns that are copied and multiplied at a time",                             \
            .type = RC_PARAM_CHOICE, .choices = rc_by_rows_choices                                 \
    }

/** All but name, layout, rank and version, which grows with that of the kernel of rows.
 *  \param product  type of the state of the kernel of rows
 *  \param of       type of a struct of that and, after it, rc_by_rows_t */
#define RC_CUDA_BY_ROWS_MEMBERS(of, product)                                                       \
    .source = "rowcast", .types = RC_TYPES_ANY, .out_sums = 1, .analyse = rc_by_rows_analyse,      \
    .build = rc_by_rows_build, .own = rc_by_rows_own, .fit = rc_by_rows_fit,                       \
    .run = rc_by_rows_run, RC_CUDA_SPMM_STATE(of, product, RC_BUILDS_ALONE)

extern const char *const rc_by_rows_choices[];

/* Functions of descriptors: kernels/kernel.h. */
rc_status_t rc_by_rows_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err);
rc_status_t rc_by_rows_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err);
rc_status_t rc_by_rows_own(void *state, rc_err_t *err);
rc_status_t rc_by_rows_fit(void *state, int64_t k, rc_err_t *err);
rc_status_t rc_by_rows_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err);

/* ---------------------------------------------------------- device part */

enum {
    RC_BY_ROWS_THREADS = 256,
    RC_BY_ROWS_BYTES = 16384, /**< of the values of a tile, as sums */
    RC_BY_ROWS_LOG_MIN = 2,   /**< of columns of a tile: 4 to 32 */
    RC_BY_ROWS_LOG_MAX = 5
};

/** Argument of the device functions that copy columns into rows, or rows into columns.  A tile has
 *  a power of two of columns, and as many rows as fill it. */
typedef struct rc_by_rows_copy {
    void *columns; /**< of the column-major matrix, ld values apart */
    void *rows;    /**< [height * width], of the row-major one */
    int64_t ld;
    int64_t height;
    int64_t tiles;
    int32_t count;             /**< columns of the column-major matrix */
    int32_t width;             /**< values of a row, at least as many */
    int32_t seen;              /**< of these, that are written, beyond `count` as 0, or read */
    int32_t across;            /**< tiles side by side, of `seen` columns */
    rc_cuda_scalars_t scalars; /**< beta of what is copied into columns */
} rc_by_rows_copy_t;

/** The device function that copies values of a precision, to be launched with RC_BY_ROWS_THREADS
 *  threads.  NULL: there is none.
 *  \param[in] log_columns  of a tile: RC_BY_ROWS_LOG_MIN to RC_BY_ROWS_LOG_MAX */
const void *rc_by_rows_entry(rc_precision_t precision, int log_columns, int into_rows);

#ifdef __cplusplus
}
#endif
#endif
