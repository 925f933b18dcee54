/* C = A B on the CPUs with a matrix of a file:  host a.mtx
 *   cc host.c $(pkg-config --cflags --libs rowcast_plan rowcast_io) -o host */
#include <rowcast_io.h>
#include <rowcast_plan.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int64_t k = 16; /* columns of B and C, row-major */
    rc_err_t err = {RC_OK, ""};
    rc_csr_t a = {0};
    rc_mtx_info_t info;
    rc_plan_t *plan = NULL;
    char text[1000];
    if (argc != 2 || rc_mtx_read(argv[1], 0, &a, &info, &err) < 0) {
        fprintf(stderr, "%s\n", argc == 2 ? err.text : "usage: host MATRIX");
        return 1;
    }
    rc_plan_problem_t problem = {RC_OP_SPMM, RC_FP64, RC_ROW_MAJOR, &k, 1};
    rc_plan_matrix_t matrix = {a.rows, a.cols, a.nnz, a.row_ptr, 8, a.col_idx, a.val, RC_FP64, 0};
    rc_plan_options_t options = {0};
    options.tune = 3;    /* the best of the first three on this matrix */
    options.threads = 0; /* all */
    double *b = malloc((size_t)(a.cols * k) * sizeof *b + 1);
    double *c = malloc((size_t)(a.rows * k) * sizeof *c + 1);
    rc_status_t st = b && c ? RC_OK : RC_ENOMEM;
    if (st == RC_OK)
        st = rc_plan_create_host(&problem, &matrix, &options, &plan, &err);
    for (int64_t i = 0; st == RC_OK && i < a.cols * k; i++)
        b[i] = 1; /* here: your B */
    if (st == RC_OK)
        st = rc_plan_execute(plan, k, 1, b, k, 0, c, k, NULL, &err);
    if (st == RC_OK) {
        rc_plan_describe(plan, text, sizeof text);
        printf("%sfirst row of A adds up to %g\n", text, a.rows > 0 ? c[0] : 0);
    } else
        fprintf(stderr, "%s\n", b && c ? err.text : "no memory for B and C");
    rc_plan_free(plan);
    rc_csr_free(&a);
    free(b);
    free(c);
    return st < 0;
}
