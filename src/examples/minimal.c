/* C = A B on a GPU with a matrix of a file:  minimal a.mtx
 *   cc minimal.c $(pkg-config --cflags --libs rowcast_cuda rowcast_io) -I$CUDA/include
 *   -L$CUDA/lib64 -lcudart -o minimal */
#include <cuda_runtime_api.h>
#include <rowcast_cuda.h>
#include <rowcast_io.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int64_t k = 64; /* columns of B and C, row-major */
    rc_err_t err = {RC_OK, ""};
    rc_csr_t a;
    rc_mtx_info_t info;
    rc_plan_t *plan = NULL;
    float *b = NULL;
    float *c = NULL;
    char text[1000];
    if (argc != 2 || rc_mtx_read(argv[1], 0, &a, &info, &err) < 0) {
        fprintf(stderr, "%s\n", argc == 2 ? err.text : "usage: minimal MATRIX");
        return 1;
    }
    rc_plan_problem_t problem = {RC_OP_SPMM, RC_FP32, RC_ROW_MAJOR, &k, 1};
    rc_plan_matrix_t matrix = {a.rows, a.cols, a.nnz, a.row_ptr, 8, a.col_idx, a.val, RC_FP64, 0};
    rc_plan_options_t options = {0};
    options.tune = 5; /* the best of the first five on this matrix */
    if (rc_plan_create(&problem, &matrix, &options, NULL, &plan, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    rc_plan_describe(plan, text, sizeof text);
    fputs(text, stdout);
    cudaError_t e = cudaMalloc((void **)&b, (size_t)(a.cols * k) * sizeof *b);
    e = e == cudaSuccess ? cudaMalloc((void **)&c, (size_t)(a.rows * k) * sizeof *c) : e;
    e = e == cudaSuccess ? cudaMemset(b, 0, (size_t)(a.cols * k) * sizeof *b) : e; /* here: your
                                                                                      B */
    rc_status_t st =
        e == cudaSuccess ? rc_plan_execute(plan, k, 1, b, k, 0, c, k, NULL, &err) : RC_ENOMEM;
    e = e == cudaSuccess ? cudaDeviceSynchronize() : e;
    printf("%s\n", e != cudaSuccess ? cudaGetErrorString(e) : st < 0 ? err.text : "multiplied");
    rc_plan_free(plan);
    rc_csr_free(&a);
    return e != cudaSuccess || st < 0;
}
