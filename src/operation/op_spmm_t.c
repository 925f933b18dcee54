/* C = alpha A^T B + beta C without forming A^T: B is rows x K, C is cols x K. */
#include "config.h"
#include "operation/product.h"

const rc_operation_t rc_operation_spmm_t = {
    .op = RC_OP_SPMM_T,
    .name = "spmm_t",
    .summary = "transposed sparse x dense: C = A' B, A' is not formed",
    .source = "Hong et al. 2018, section 6",
    .version = 1,
    .has_k = 1,
    .in = {{"B", RC_DIM_ROWS, 1}},
    .out = {"C", RC_DIM_COLS, 1},
    .tiles = 1,
    .transposed = 1,
    .straight = RC_OP_SPMM,
    .value = rc_product_value,
    .project = rc_product_project,
};
