/* What src/plan/guess.c says of problems: a line of input for each, a line of kernels, the first
 * first, as the answer.  A line: operation, layout (row or col), bytes of a value, K, rows, columns,
 * entries, entries of the longest row, empty rows, bytes of the last cache, multiprocessors. */
#include "config.h"
#include "operation/operation.h"
#include "plan/guess/guess.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    char op[16];
    char layout[16];
    rc_guess_problem_t p = {.op = RC_OP_SPMM};
    rc_guess_t g;
    while (scanf("%15s %15s %d %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64 " %" SCNd64
                 " %" SCNd64 " %d",
               op, layout, &p.value_bytes, &p.k, &p.rows, &p.cols, &p.nnz, &p.longest,
               &p.empty_rows, &p.cache_bytes, &p.multiprocessors) == 11) {
        for (int i = 0; i < RC_OPS; i++)
            if (strcmp(rc_op_name((rc_op_t)i), op) == 0)
                p.op = (rc_op_t)i;
        p.layout = strcmp(layout, "row") == 0 ? RC_ROW_MAJOR : RC_COL_MAJOR;
        rc_guess_kernels(&p, &g);
        for (int i = 0; i < g.count; i++)
            printf("%s%s", i ? " " : "", g.kernel[i]);
        printf("\n");
    }
    return 0;
}
