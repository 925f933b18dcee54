/* y = alpha A x + beta y: x has cols values, y has rows.  K is no parameter. */
#include "config.h"
#include "operation/product.h"

const rc_operation_t rc_operation_spmv = {
    .op = RC_OP_SPMV,
    .name = "spmv",
    .summary = "sparse x vector: y = A x",
    .source = "Nisa et al. 2018, section II",
    .version = 1,
    .has_k = 0,
    .in = {{"x", RC_DIM_COLS, 0}},
    .out = {"y", RC_DIM_ROWS, 0},
    .tiles = 0,
    .value = rc_product_value,
    .project = rc_product_project,
};
