/* C = alpha A B + beta C: B is cols x K, C is rows x K. */
#include "config.h"
#include "operation/product.h"

const rc_operation_t rc_operation_spmm = {
    .op = RC_OP_SPMM,
    .name = "spmm",
    .summary = "sparse x dense: C = A B, B with K columns",
    .source = "Mehrabi et al. 2021, section II",
    .version = 1,
    .has_k = 1,
    .in = {{"B", RC_DIM_COLS, 1}},
    .out = {"C", RC_DIM_ROWS, 1},
    .tiles = 1,
    .value = rc_product_value,
    .project = rc_product_project,
};
