/** \file operation/operand.h  Dense operands: what they hold, and where. */
#ifndef RC_OPERATION_OPERAND_H
#define RC_OPERATION_OPERAND_H

#include "base/alloc.h"
#include "rowcast.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Row order of the output. */
typedef enum rc_c_order {
    RC_C_ORIGINAL = 0, /**< original row order */
    RC_C_SCHEDULE = 1, /**< row p of C is slot p (what is stored for a pad means nothing); absent
                            rows: none.  An identity schedule is always RC_C_ORIGINAL */
    RC_C_SYMMETRIC = 2 /**< as RC_C_SCHEDULE, and the rows of B are in the column order: rows and
                            columns of A were renumbered alike */
} rc_c_order_t;

/** A dense matrix in the memory of an executor: an operand, or a tile of K columns of one. */
typedef struct rc_dense {
    void *data;
    int64_t rows;
    int64_t cols;
    int64_t ld; /**< >= rows when column-major, >= cols when row-major */
    rc_precision_t precision;
    rc_layout_t layout;
} rc_dense_t;

/** Inputs of an operation at most. */
enum { RC_INPUTS_MAX = 2 };

/** The dense operands of one run, as the operation lists them. */
typedef struct rc_operands {
    rc_dense_t in[RC_INPUTS_MAX]; /**< only read; those that the operation has */
    rc_dense_t out;
    double alpha_im; /**< imaginary parts of the factors of a run; of real numbers 0 */
    double beta_im;
} rc_operands_t;

/** An output as kernels store to it. */
typedef struct rc_out {
    void *data;
    int sums; /**< 1: it has the type of sums, which is not that of the inputs */
} rc_out_t;

static inline rc_out_t rc_out_of(const rc_operands_t *o)
{
    return (rc_out_t){o->out.data, o->out.precision != o->in[0].precision};
}

const char *rc_layout_name(rc_layout_t l);   /* "col", "row", "row-col", "col-row" */
const char *rc_c_order_name(rc_c_order_t o); /* "original", "schedule", "symmetric" */

/** The layout of the inputs and of the output, RC_COL_MAJOR or RC_ROW_MAJOR. */
rc_layout_t rc_layout_in(rc_layout_t l);
rc_layout_t rc_layout_out(rc_layout_t l);

/** \return RC_OK, RC_EINVAL (the text names what there is) */
rc_status_t rc_layout_parse(const char *text, rc_layout_t *out, rc_err_t *err);

/** One of real numbers: of commands that have no others. */
rc_status_t rc_precision_parse(const char *text, rc_precision_t *out, rc_err_t *err);

/** Bytes of one value. */
size_t rc_precision_bytes(rc_precision_t p);

/** Bytes of a sum of products of values of that type. */
size_t rc_sum_bytes(rc_precision_t p);

/** Nearest value of a precision. */
double rc_precision_round(rc_precision_t p, double value);

#ifdef __cplusplus
}
#endif
#endif
