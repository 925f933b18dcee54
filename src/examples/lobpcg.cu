/* The largest K / 2 singular values of a matrix that is not symmetric, by a block method like
 * LOBPCG on A' A: A and its transpose are multiplied by blocks of vectors from one plan, which
 * holds A once.  The matrix is a convolution on an N x N torus, 16 entries a row in two stretches,
 * whose singular values are known.
 *   lobpcg [N [K [KERNELS]]]
 *   nvcc -c lobpcg.cu $(pkg-config --cflags rowcast_cuda)
 *   c++ lobpcg.o $(pkg-config --libs rowcast_cuda) -L$CUDA/lib64 -lcudart -o lobpcg
 * Prints the plan, the iterations, the largest residual and error, and how long an iteration and
 * its products take. */
#include <cuda_runtime_api.h>
#include <rowcast_cuda.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

enum { ALONG = 8, ACROSS = 2, BLOCKS = 3 /* [X W P] */ };

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

/* ---------------------------------------------------------------- the matrix */

struct matrix {
    std::vector<int64_t> row_ptr{0};
    std::vector<int32_t> col_idx;
    std::vector<double> val;
};

static double weight(int along, int across)
{
    return std::pow(0.5, along + across);
}

static matrix convolution(int n)
{
    matrix a;
    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++) {
            for (int dy = 0; dy < ACROSS; dy++)
                for (int dx = 0; dx < ALONG; dx++) {
                    a.col_idx.push_back((y + dy) % n * n + (x + dx) % n);
                    a.val.push_back(weight(dx, dy));
                }
            a.row_ptr.push_back(static_cast<int64_t>(a.col_idx.size()));
        }
    return a;
}

/* Its singular values squared, the largest first. */
static std::vector<double> known(int n)
{
    const double turn = 2 * std::acos(-1.0) / n;
    std::vector<double> all;
    for (int q = 0; q < n; q++)
        for (int p = 0; p < n; p++) {
            std::complex<double> sum = 0;
            for (int dy = 0; dy < ACROSS; dy++)
                for (int dx = 0; dx < ALONG; dx++)
                    sum += weight(dx, dy) * std::polar(1.0, turn * (p * dx + q * dy));
            all.push_back(std::norm(sum));
        }
    std::sort(all.rbegin(), all.rend());
    return all;
}

/* -------------------------------------------- tall matrices, row-major, on the device */

/* out (m x m) += S' S. */
__global__ void gram(const double *s, int64_t rows, int m, double *out)
{
    enum { AT_ONCE = 16 };
    extern __shared__ double part[];
    for (int64_t r0 = static_cast<int64_t>(blockIdx.x) * AT_ONCE; r0 < rows;
         r0 += static_cast<int64_t>(gridDim.x) * AT_ONCE) {
        const int n = static_cast<int>(rows - r0 < AT_ONCE ? rows - r0 : AT_ONCE);
        for (int i = threadIdx.x; i < n * m; i += blockDim.x)
            part[i] = s[r0 * m + i];
        __syncthreads();
        for (int p = threadIdx.x; p < m * m; p += blockDim.x) {
            double sum = 0;
            for (int r = 0; r < n; r++)
                sum += part[r * m + p / m] * part[r * m + p % m];
            atomicAdd(out + p, sum);
        }
        __syncthreads();
    }
}

/* out (rows x k, lines of ld) = S (rows x m) C (m x k), of the rows of C from `first` on. */
__global__ void combine(
    const double *s, int64_t rows, int m, const double *c, int k, int first, double *out, int ld)
{
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < rows * k;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
        double sum = 0;
        for (int j = first; j < m; j++)
            sum += s[i / k * m + j] * c[j * k + i % k];
        out[i / k * ld + i % k] = sum;
    }
}

/* W = Z - X lambda, X and W as blocks of S. */
__global__ void residual(
    const double *z, const double *x, int64_t rows, int k, const double *lambda, double *w, int ld)
{
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < rows * k;
         i += static_cast<int64_t>(gridDim.x) * blockDim.x)
        w[i / k * ld + i % k] = z[i] - lambda[i % k] * x[i / k * ld + i % k];
}

/* ----------------------------------------------------- small matrices, on the host */

using dense = std::vector<double>; /* m x m, row-major */

/* Eigenvalues of a symmetric matrix and the vectors, as columns, by Jacobi's rotations. */
static dense jacobi(dense &a, int m, dense &vectors)
{
    dense values(m);
    vectors.assign(static_cast<size_t>(m) * m, 0);
    for (int i = 0; i < m; i++)
        vectors[i * m + i] = 1;
    for (int sweep = 0; sweep < 30; sweep++)
        for (int p = 0; p < m; p++)
            for (int q = p + 1; q < m; q++) {
                const double off = a[p * m + q];
                if (std::fabs(off) <= 1e-17 * std::sqrt(std::fabs(a[p * m + p] * a[q * m + q])) ||
                    off == 0)
                    continue;
                const double theta = (a[q * m + q] - a[p * m + p]) / (2 * off);
                const double t =
                    (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
                const double c = 1 / std::sqrt(t * t + 1), s = t * c;
                for (int i = 0; i < m; i++) {
                    const double x = a[i * m + p], y = a[i * m + q];
                    a[i * m + p] = c * x - s * y, a[i * m + q] = s * x + c * y;
                    const double u = vectors[i * m + p], v = vectors[i * m + q];
                    vectors[i * m + p] = c * u - s * v, vectors[i * m + q] = s * u + c * v;
                }
                for (int i = 0; i < m; i++) {
                    const double x = a[p * m + i], y = a[q * m + i];
                    a[p * m + i] = c * x - s * y, a[q * m + i] = s * x + c * y;
                }
            }
    for (int i = 0; i < m; i++)
        values[i] = a[i * m + i];
    return values;
}

/* T' A T of a basis T (m x n). */
static dense project(const dense &a, int m, const dense &t, int n)
{
    dense half(static_cast<size_t>(m) * n), out(static_cast<size_t>(n) * n);
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < m; l++)
                half[i * n + j] += a[i * m + l] * t[l * n + j];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int l = 0; l < m; l++)
                out[i * n + j] += t[l * n + i] * half[l * n + j];
    return out;
}

/* The k largest of H c = lambda G c, in c (m x k): G is singular where vectors of the basis depend
 * on each other, or are 0.  Fewer than k: c has zeros. */
static dense ritz(const dense &g, const dense &h, int m, int k, dense &c)
{
    const double least = 1e-11; /* of what a direction of unit vectors may have left */
    dense scaled(g), vectors;
    std::vector<double> unit(m);
    for (int i = 0; i < m; i++)
        unit[i] = g[i * m + i] > 0 ? 1 / std::sqrt(g[i * m + i]) : 0;
    for (int i = 0; i < m * m; i++)
        scaled[i] *= unit[i / m] * unit[i % m];
    const dense length = jacobi(scaled, m, vectors);
    std::vector<int> kept;
    for (int i = 0; i < m; i++)
        if (length[i] > least)
            kept.push_back(i);
    const int n = static_cast<int>(kept.size());
    dense basis(static_cast<size_t>(m) * n), turned;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            basis[i * n + j] = unit[i] * vectors[i * m + kept[j]] / std::sqrt(length[kept[j]]);
    dense inner = project(h, m, basis, n);
    const dense values = jacobi(inner, n, turned);
    std::vector<int> order(n);
    for (int i = 0; i < n; i++)
        order[i] = i;
    std::sort(order.begin(), order.end(), [&](int x, int y) { return values[x] > values[y]; });
    dense lambda(k);
    c.assign(static_cast<size_t>(m) * k, 0);
    for (int j = 0; j < k && j < n; j++) {
        lambda[j] = values[order[j]];
        for (int i = 0; i < m; i++)
            for (int l = 0; l < n; l++)
                c[i * k + j] += basis[i * n + l] * turned[l * n + order[j]];
    }
    return lambda;
}

/* ------------------------------------------------------------------ the method */

struct solver {
    rc_plan_t *plan;
    cudaStream_t stream;
    int64_t rows;
    int k, m;
    double *s, *next, *as, *y, *z; /* S and its successor, A S: rows x m; A X and A' A X: rows x
                                      k */
    double *small, *lambda;
    cudaEvent_t start, stop;
    double product_ms;

    /* A product with A or A', and its time. */
    template <typename F> void timed(F work)
    {
        float ms = 0;
        check(cudaEventRecord(start, stream));
        work();
        check(cudaEventRecord(stop, stream));
        check(cudaEventSynchronize(stop));
        check(cudaEventElapsedTime(&ms, start, stop));
        product_ms += ms;
    }

    dense gram_of(const double *of)
    {
        dense host(static_cast<size_t>(m) * m);
        check(cudaMemsetAsync(small, 0, host.size() * sizeof(double), stream));
        gram<<<256, 256, 16 * m * sizeof(double), stream>>>(of, rows, m, small);
        check(cudaMemcpyAsync(
            host.data(), small, host.size() * sizeof(double), cudaMemcpyDeviceToHost, stream));
        check(cudaStreamSynchronize(stream));
        return host;
    }

    /* One iteration.  \return the largest residual of the first `wanted` before it, over the value;
     * \param values squared */
    double iterate(int wanted, dense &values)
    {
        rc_err_t err;
        dense c;
        double worst = values.empty() ? INFINITY : 0;
        timed([&] { check(rc_plan_execute(plan, m, 1, s, m, 0, as, m, stream, &err), err); });
        const dense g = gram_of(s), h = gram_of(as);
        for (int j = 0; j < wanted && !values.empty(); j++)
            worst = std::fmax(worst, std::sqrt(g[(k + j) * m + k + j]) / values[j]);
        values = ritz(g, h, m, k, c);
        check(cudaMemcpyAsync(
            small, c.data(), c.size() * sizeof(double), cudaMemcpyHostToDevice, stream));
        check(cudaMemcpyAsync(
            lambda, values.data(), k * sizeof(double), cudaMemcpyHostToDevice, stream));
        combine<<<512, 256, 0, stream>>>(s, rows, m, small, k, 0, next, m);
        combine<<<512, 256, 0, stream>>>(s, rows, m, small, k, k, next + 2 * k, m);
        combine<<<512, 256, 0, stream>>>(as, rows, m, small, k, 0, y, k);
        timed([&] {
            check(rc_plan_execute_transposed(plan, k, 1, y, k, 0, z, k, stream, &err), err);
        });
        residual<<<512, 256, 0, stream>>>(z, next, rows, k, lambda, next + k, m);
        std::swap(s, next);
        return worst;
    }
};

static double *vectors(int64_t n)
{
    double *p = nullptr;
    check(cudaMalloc(reinterpret_cast<void **>(&p), n * sizeof *p));
    check(cudaMemset(p, 0, n * sizeof *p));
    return p;
}

static rc_plan_t *plan_for(const matrix &a, int k, const char *kernels, cudaStream_t stream)
{
    const int64_t columns[] = {k, BLOCKS * k}; /* of A' A X and of A S, which share what is
                                                  prepared */
    const int64_t rows = static_cast<int64_t>(a.row_ptr.size()) - 1;
    const int64_t nnz = static_cast<int64_t>(a.col_idx.size());
    const rc_plan_problem_t problem = {RC_OP_SPMM, RC_FP64, RC_ROW_MAJOR, columns, 2};
    const rc_plan_matrix_t m = {
        rows, rows, nnz, a.row_ptr.data(), 8, a.col_idx.data(), a.val.data(), RC_FP64, 0};
    rc_plan_options_t options = {};
    rc_plan_t *plan = nullptr;
    rc_err_t err;
    char text[1000];
    options.kernels = kernels; /* the one with both products */
    check(rc_plan_create(&problem, &m, &options, stream, &plan, &err), err);
    rc_plan_describe(plan, text, sizeof text);
    std::fputs(text, stdout);
    return plan;
}

static solver solver_for(const matrix &a, int n, int k, const char *kernels)
{
    solver s = {};
    s.k = k;
    s.m = BLOCKS * k;
    s.rows = static_cast<int64_t>(n) * n;
    check(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    check(cudaEventCreate(&s.start));
    check(cudaEventCreate(&s.stop));
    s.plan = plan_for(a, k, kernels, s.stream);
    s.s = vectors(s.rows * s.m), s.next = vectors(s.rows * s.m), s.as = vectors(s.rows * s.m);
    s.y = vectors(s.rows * k), s.z = vectors(s.rows * k);
    s.small = vectors(static_cast<int64_t>(s.m) * s.m), s.lambda = vectors(k);
    std::vector<double> first(s.rows * s.m); /* random X; W and P are 0 */
    uint64_t state = 1;
    for (int64_t i = 0; i < s.rows * k; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        first[i / k * s.m + i % k] = static_cast<double>(state >> 33) / 4294967296.0 - 0.25;
    }
    check(cudaMemcpy(s.s, first.data(), first.size() * sizeof(double), cudaMemcpyHostToDevice));
    return s;
}

int main(int argc, char **argv)
{
    enum { MOST = 1000 };
    const double enough = 1e-7; /* the error of a value is of the order of its square */
    const int n = argc > 1 ? std::atoi(argv[1]) : 64;
    const int k = argc > 2 ? std::atoi(argv[2]) : 16;
    if (n < 2 * ALONG || n > 2000 || k < 2 || k > 32) {
        std::fprintf(
            stderr, "usage: lobpcg [N [K [KERNELS]]], N %d to 2000, K 2 to 32\n", 2 * ALONG);
        return 2;
    }
    solver s = solver_for(convolution(n), n, k, argc > 3 ? argv[3] : "rs");
    const std::vector<double> want = known(n);
    dense values;
    cudaEvent_t start, stop;
    float ms = 0;
    double left = INFINITY, error = 0;
    int count = 0;
    check(cudaEventCreate(&start));
    check(cudaEventCreate(&stop));
    check(cudaEventRecord(start, s.stream));
    for (; count < MOST && left > enough; count++)
        left = s.iterate(k / 2, values);
    check(cudaEventRecord(stop, s.stream));
    check(cudaEventSynchronize(stop));
    check(cudaEventElapsedTime(&ms, start, stop));
    for (int j = 0; j < k / 2; j++)
        error = std::fmax(error, std::fabs(values[j] - want[j]) / want[j]);
    std::printf("%d iterations of %d columns, %.3f ms each, of which the products %.3f ms; largest "
                "residual %.2g, error %.2g\n",
        count, k, ms / count, s.product_ms / count, left, error);
    rc_plan_free(s.plan);
    for (double *p : {s.s, s.next, s.as, s.y, s.z, s.small, s.lambda})
        check(cudaFree(p));
    for (cudaEvent_t e : {s.start, s.stop, start, stop})
        check(cudaEventDestroy(e));
    check(cudaStreamDestroy(s.stream));
    return error < 1e-10 ? 0 : 1;
}
