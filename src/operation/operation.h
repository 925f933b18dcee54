/** \file operation/operation.h  What can be computed with a sparse matrix A (rows x cols, nnz
 *  entries) and dense operands.  An operation is one file that ends in one constant descriptor, and
 *  one word in src/operation/operation.am.
 *
 *  A run computes out = alpha f(A, in...) + beta out; with beta 0 what `out` held is not read.
 *  Entries are counted as they are stored: explicit zeros are entries. */
#ifndef RC_OPERATION_OPERATION_H
#define RC_OPERATION_OPERATION_H

#include "operation/operand.h"

/** What the rows of an operand are as many as. */
typedef enum rc_dim { RC_DIM_ROWS = 0, RC_DIM_COLS = 1, RC_DIM_NNZ = 2 } rc_dim_t;

/** One dense operand. */
typedef struct rc_shape {
    const char *name; /**< "B"; NULL: there is no such operand */
    rc_dim_t rows;
    int wide; /**< 1: it has K columns, 0: one */
} rc_shape_t;

/** One value of the output in fp64. */
typedef struct rc_exact {
    double value; /**< infinite or NaN where that is of a term */
    double mag;   /**< sum of the absolute values of its finite terms; infinite: too large for fp64,
                        and nothing is known of the value */
    int64_t terms; /**< that are added up */
} rc_exact_t;

/** Value (row, col) of input `operand`, in fp64. */
typedef double rc_input_fn(const void *user, int operand, int64_t row, int64_t col);

/** A matrix of real numbers for the reference, or a part of one of complex ones; values are rounded
 *  to a precision as they are used. */
typedef struct rc_reference_matrix {
    const rc_csr_t *a;        /**< as the operation reads it: the transpose when `transposed` */
    rc_precision_t precision; /**< of the values */
    int threads;
    const double
        *parts; /**< NULL, or [2 * nnz] complex values of the entries of `a`, in the place of
                              its own */
    int part;   /**< of them: 0 or 1; of real values part 1 is 0 */
} rc_reference_matrix_t;

/** Value of entry e as it is used. */
static inline double rc_reference_value(const rc_reference_matrix_t *m, int64_t e)
{
    const double v = m->parts ? m->parts[2 * e + m->part] : m->part ? 0 : m->a->val[e];
    return rc_precision_round(m->precision, v);
}

typedef struct rc_operation {
    rc_op_t op;
    const char *name;
    const char *summary;
    const char *source;
    int version;                  /**< bump when the meaning of a result changes */
    int has_k;                    /**< 0: K is no parameter, wide operands do not exist */
    rc_shape_t in[RC_INPUTS_MAX]; /**< ends at the first NULL name */
    rc_shape_t out;
    int tiles;      /**< 1: columns of the output depend on the same columns of the inputs alone, so
                         that K can be cut into tiles */
    int transposed; /**< 1: the reference reads the transpose of A, whose rows are those of `out` */
    rc_op_t straight; /**< where `transposed`: the same product of a matrix as it is */
    /** One value of the output in fp64, in the given order of terms.
     *  \param[in] k  columns of the wide inputs
     *  Cost: its terms. */
    void (*value)(const rc_reference_matrix_t *m, int64_t r, int64_t j, int64_t k,
        rc_input_fn *input, const void *user, rc_exact_t *out);
    /** Freivalds' check: the product of A with a vector, for all rows of the output.  NULL: the
     *  operation is no product, values are sampled instead.
     *  \param[in] x, xmag    [rows of in[0]] the input times a vector, and |input| times ones
     *  \param[out] y, ymag   [rows of out] A x and |A| xmag
     *  Cost O(nnz).  Source: Freivalds 1979. */
    void (*project)(const rc_reference_matrix_t *m, const double *x, const double *xmag, double *y,
        double *ymag);
} rc_operation_t;

/** All operations in the order of their numbers; NULL-terminated. */
extern const rc_operation_t *const rc_operations[];

/** The operation of a number.  Never NULL for a number below RC_OPS. */
const rc_operation_t *rc_operation_of(rc_op_t op);

/** "spmm", ...; "unknown" for a number that is none. */
const char *rc_op_name(rc_op_t op);

/** \return as rc_spec_parse: RC_OK; RC_ENOENT with the known names in the text */
rc_status_t rc_op_parse(const char *text, rc_op_t *out, rc_err_t *err);

/** Inputs whose values have one part or two. */
typedef struct rc_input_parts {
    rc_input_fn *value; /**< part part[i] of a value of input i */
    const void *user;   /**< of it */
    int parts;          /**< of a value, of the matrix too */
    int64_t k;          /**< columns of the wide ones */
    int *part;          /**< [RC_INPUTS_MAX] written before `value` is called */
} rc_input_parts_t;

/** The parts of one value of the output, as rc_operation_t.value has them of real numbers.
 *  \param[in] m  `part` is not looked at  \param[out] out  [parts] */
void rc_operation_value(const rc_operation_t *o, const rc_reference_matrix_t *m,
    const rc_input_parts_t *in, int64_t r, int64_t j, rc_exact_t *out);

/** Number of inputs. */
int rc_operation_inputs(const rc_operation_t *o);

/** Rows of an operand for a matrix. */
int64_t rc_shape_rows(const rc_shape_t *s, const rc_csr_t *a);

/** Columns of an operand when the wide ones have k. */
int64_t rc_shape_cols(const rc_shape_t *s, int64_t k);

/** Bytes of all dense operands when the wide ones have k columns and the output out_rows rows;
 *  INT64_MAX when that overflows.
 *  \param[in] in, out  types of the inputs and of the output */
int64_t rc_operation_dense_bytes(const rc_operation_t *o, const rc_csr_t *a, int64_t out_rows,
    int64_t k, rc_precision_t in, rc_precision_t out);

#endif
