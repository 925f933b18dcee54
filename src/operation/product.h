/** \file operation/product.h  What the products of a matrix with dense columns share. */
#ifndef RC_OPERATION_PRODUCT_H
#define RC_OPERATION_PRODUCT_H

#include "operation/operation.h"

/** Members of rc_operation_t for out = M in[0], M the matrix or its transpose. */
void rc_product_value(const rc_reference_matrix_t *m, int64_t r, int64_t j, int64_t k,
    rc_input_fn *input, const void *user, rc_exact_t *out);
void rc_product_project(
    const rc_reference_matrix_t *m, const double *x, const double *xmag, double *y, double *ymag);

#endif
