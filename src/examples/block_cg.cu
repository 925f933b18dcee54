/* Conjugate gradients on K right-hand sides at once: one product with the matrix of K columns an
 * iteration, for K = 1 with a vector, everything on the device.  The matrix is the 7-point
 * Laplacian of an N x N x N mesh, its rows and columns shuffled when SEED is not 0, as an
 * unstructured mesh may be numbered.
 *   block_cg [N [K [SEED [MODEL]]]]
 *   nvcc -c block_cg.cu $(pkg-config --cflags rowcast_cuda)
 *   c++ block_cg.o $(pkg-config --libs rowcast_cuda) -L$CUDA/lib64 -lcudart -o block_cg
 * Prints the plan, the iterations, the largest error and how long the products took, of all and
 * each. */
#include <cuda_runtime_api.h>
#include <rowcast_cuda.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

static void check(cudaError_t e)
{
    if (e != cudaSuccess) {
        std::fprintf(stderr, "%s\n", cudaGetErrorString(e));
        std::exit(1);
    }
}

static void check(rc_status_t st, const rc_err_t &err)
{
    if (st < 0) {
        std::fprintf(stderr, "%s\n", err.text);
        std::exit(1);
    }
}

struct matrix {
    std::vector<int64_t> row_ptr;
    std::vector<int32_t> col_idx;
    std::vector<double> val;
};

/* Row i of the mesh becomes row at[i]; columns likewise. */
static matrix laplacian(int n, unsigned seed)
{
    const int64_t rows = static_cast<int64_t>(n) * n * n;
    std::vector<int32_t> at(rows), of(rows);
    std::iota(at.begin(), at.end(), 0);
    uint64_t state = seed;
    for (int64_t i = rows - 1; seed != 0 && i > 0; i--) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        std::swap(at[i], at[static_cast<int64_t>((state >> 33) % static_cast<uint64_t>(i + 1))]);
    }
    for (int64_t i = 0; i < rows; i++)
        of[at[i]] = static_cast<int32_t>(i);
    matrix a;
    a.row_ptr.push_back(0);
    for (int64_t r = 0; r < rows; r++) {
        const int64_t i = of[r];
        const int64_t step[3] = {1, n, static_cast<int64_t>(n) * n};
        const int64_t place[3] = {i % n, i / n % n, i / (static_cast<int64_t>(n) * n)};
        a.col_idx.push_back(static_cast<int32_t>(r));
        a.val.push_back(6.01); /* a little more than the sum of the others: positive definite */
        for (int d = 0; d < 3; d++)
            for (int side = -1; side <= 1; side += 2)
                if (place[d] + side >= 0 && place[d] + side < n) {
                    a.col_idx.push_back(at[i + side * step[d]]);
                    a.val.push_back(-1);
                }
        a.row_ptr.push_back(static_cast<int64_t>(a.col_idx.size()));
    }
    return a;
}

/* ------------------------------------------------------- vectors, row-major, K columns */

/* out[j] += sum over r of x(r, j) y(r, j); blockDim.x is K, rows of a block go to its threads in
 * y. */
__global__ void dots(const double *x, const double *y, int64_t rows, int k, double *out)
{
    extern __shared__ double part[];
    const int j = threadIdx.x;
    double sum = 0;
    for (int64_t r = blockIdx.x * static_cast<int64_t>(blockDim.y) + threadIdx.y; r < rows;
         r += static_cast<int64_t>(gridDim.x) * blockDim.y)
        sum += x[r * k + j] * y[r * k + j];
    part[threadIdx.y * k + j] = sum;
    __syncthreads();
    if (threadIdx.y > 0)
        return;
    for (unsigned i = 1; i < blockDim.y; i++)
        sum += part[i * k + j];
    atomicAdd(out + j, sum);
}

/* X += a P, R -= a Q with a = rr / pq of each column. */
__global__ void step(double *x, double *r, const double *p, const double *q, const double *rr,
    const double *pq, int64_t n, int k)
{
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
        const double d = pq[i % k];
        const double a = d > 0 ? rr[i % k] / d : 0;
        x[i] += a * p[i];
        r[i] -= a * q[i];
    }
}

/* P = R + b P with b = rr / before of each column. */
__global__ void turn(
    double *p, const double *r, const double *rr, const double *before, int64_t n, int k)
{
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < n;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x)
        p[i] = r[i] + (before[i % k] > 0 ? rr[i % k] / before[i % k] : 0) * p[i];
}

struct solver {
    rc_plan_t *plan;
    cudaStream_t stream;
    int64_t rows;
    int k;
    double *x, *r, *p, *q;    /* [rows * k] */
    double *rr, *before, *pq; /* [k] */

    void dot(const double *u, const double *v, double *out)
    {
        const dim3 block(k, 256 / k > 0 ? 256 / k : 1);
        check(cudaMemsetAsync(out, 0, k * sizeof *out, stream));
        dots<<<1024, block, block.x * block.y * sizeof(double), stream>>>(u, v, rows, k, out);
    }

    void multiply()
    {
        rc_err_t err;
        check(rc_plan_execute(plan, k, 1, p, k, 0, q, k, stream, &err), err);
    }

    void iterate()
    {
        multiply();
        dot(p, q, pq);
        step<<<2048, 256, 0, stream>>>(x, r, p, q, rr, pq, rows * k, k);
        check(cudaMemcpyAsync(before, rr, k * sizeof *rr, cudaMemcpyDeviceToDevice, stream));
        dot(r, r, rr);
        turn<<<2048, 256, 0, stream>>>(p, r, rr, before, rows * k, k);
    }

    double largest_residual()
    {
        std::vector<double> host(k);
        check(cudaMemcpyAsync(host.data(), rr, k * sizeof(double), cudaMemcpyDeviceToHost, stream));
        check(cudaStreamSynchronize(stream));
        double most = 0;
        for (double v : host)
            most = std::fmax(most, std::sqrt(v));
        return most;
    }
};

static double *vectors(int64_t n)
{
    double *p = nullptr;
    check(cudaMalloc(reinterpret_cast<void **>(&p), n * sizeof *p));
    check(cudaMemset(p, 0, n * sizeof *p));
    return p;
}

/* ms of a number of iterations, captured into a graph when it can be: no launch then waits for the
 * host. */
static float run(solver &s, cudaGraphExec_t iterations)
{
    cudaEvent_t start, stop;
    float ms = 0;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    check(cudaEventRecord(start, s.stream));
    check(cudaGraphLaunch(iterations, s.stream));
    check(cudaEventRecord(stop, s.stream));
    check(cudaEventSynchronize(stop));
    check(cudaEventElapsedTime(&ms, start, stop));
    check(cudaEventDestroy(start));
    check(cudaEventDestroy(stop));
    return ms;
}

/* `count` times what `work` puts on the stream, as a graph. */
template <typename F> static cudaGraphExec_t graph_of(solver &s, int count, F work)
{
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    check(cudaStreamBeginCapture(s.stream, cudaStreamCaptureModeThreadLocal));
    for (int i = 0; i < count; i++)
        work();
    check(cudaStreamEndCapture(s.stream, &graph));
    check(cudaGraphInstantiate(&exec, graph, 0));
    check(cudaGraphDestroy(graph));
    return exec;
}

static rc_plan_t *plan_for(const matrix &a, int k, const char *model_file, cudaStream_t stream)
{
    const int64_t columns[] = {k};
    const int64_t rows = static_cast<int64_t>(a.row_ptr.size()) - 1;
    const int64_t nnz = static_cast<int64_t>(a.col_idx.size());
    rc_plan_problem_t problem = {RC_OP_SPMM, RC_FP64, RC_ROW_MAJOR, columns, 1};
    if (k == 1)
        problem = {RC_OP_SPMV, RC_FP64}; /* an operation without K */
    rc_plan_matrix_t m = {
        rows, rows, nnz, a.row_ptr.data(), 8, a.col_idx.data(), a.val.data(), RC_FP64, 0};
    rc_plan_options_t options = {};
    rc_model_t *model = nullptr;
    rc_plan_t *plan = nullptr;
    rc_err_t err;
    char text[1000];
    if (model_file)
        check(rc_model_read(model_file, &model, &err), err);
    options.model = model;
    options.extrapolate = 1; /* the models of the collection end at some 30,000 rows */
    options.tune = 6;
    options.reuse = 2000; /* products that this solver is expected to ask for */
    check(rc_plan_create(&problem, &m, &options, stream, &plan, &err), err);
    rc_plan_describe(plan, text, sizeof text);
    std::fputs(text, stdout);
    rc_model_free(model);
    return plan;
}

int main(int argc, char **argv)
{
    enum { AT_ONCE = 25, MOST = 4000 };
    const int n = argc > 1 ? std::atoi(argv[1]) : 60;
    solver s = {};
    s.k = argc > 2 ? std::atoi(argv[2]) : 32;
    if (n < 2 || n > 1000 || s.k < 1 || s.k > 256) {
        std::fprintf(stderr, "usage: block_cg [N [K [SEED [MODEL]]]], N 2 to 1000, K 1 to 256\n");
        return 2;
    }
    const matrix a = laplacian(n, argc > 3 ? std::atoi(argv[3]) : 0);
    s.rows = static_cast<int64_t>(n) * n * n;
    const int64_t all = s.rows * s.k;
    check(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    s.plan = plan_for(a, s.k, argc > 4 ? argv[4] : nullptr, s.stream);
    s.x = vectors(all), s.r = vectors(all), s.p = vectors(all), s.q = vectors(all);
    s.rr = vectors(s.k), s.before = vectors(s.k), s.pq = vectors(s.k);

    /* the solution is known: B = A X for a random X, which is then forgotten */
    std::vector<double> want(all), found(all);
    for (int64_t i = 0; i < all; i++)
        want[i] = std::sin(0.37 * static_cast<double>(i % 100003));
    check(
        cudaMemcpyAsync(s.p, want.data(), all * sizeof(double), cudaMemcpyHostToDevice, s.stream));
    s.multiply();
    check(cudaMemcpyAsync(s.r, s.q, all * sizeof(double), cudaMemcpyDeviceToDevice, s.stream));
    check(cudaMemcpyAsync(s.p, s.q, all * sizeof(double), cudaMemcpyDeviceToDevice, s.stream));
    s.dot(s.r, s.r, s.rr);
    const double first = s.largest_residual();
    cudaGraphExec_t iterations = graph_of(s, AT_ONCE, [&] { s.iterate(); });
    cudaGraphExec_t products = graph_of(s, AT_ONCE, [&] { s.multiply(); });
    double ms = 0;
    int count = 0;
    for (; count < MOST && s.largest_residual() > 1e-10 * first; count += AT_ONCE)
        ms += run(s, iterations);
    check(cudaMemcpy(found.data(), s.x, all * sizeof(double), cudaMemcpyDeviceToHost));
    double error = 0;
    for (int64_t i = 0; i < all; i++)
        error = std::fmax(error, std::fabs(found[i] - want[i]));
    std::printf(
        "%d iterations of %d columns, %.3f ms each; a product alone %.3f ms; largest error %.2g\n",
        count, s.k, count > 0 ? ms / count : 0.0, run(s, products) / AT_ONCE, error);
    rc_plan_free(s.plan);
    check(cudaGraphExecDestroy(iterations));
    check(cudaGraphExecDestroy(products));
    for (double *v : {s.x, s.r, s.p, s.q, s.rr, s.before, s.pq})
        check(cudaFree(v));
    check(cudaStreamDestroy(s.stream));
    return error < 1e-6 ? 0 : 1;
}
