#include "dropin/pattern.h"

namespace {

enum { THREADS = 256 };

/* Bits of a number and of its place, well mixed: two multiplications of splitmix64's finaliser. */
__device__ uint64_t mixed(uint64_t place, uint64_t number)
{
    uint64_t x = number + place * 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* Four loads are under way at once; otherwise each waits for the one before. */
template <typename T>
__device__ uint64_t sum_of(const T *__restrict__ at, int64_t n, uint64_t seed, int64_t first, int64_t step)
{
    uint64_t sum = 0;
    int64_t i = first;
    for (; i + 3 * step < n; i += 4 * step) {
        const T a = at[i], b = at[i + step], c = at[i + 2 * step], d = at[i + 3 * step];
        sum += mixed(seed + i, static_cast<uint64_t>(static_cast<int64_t>(a)));
        sum += mixed(seed + i + step, static_cast<uint64_t>(static_cast<int64_t>(b)));
        sum += mixed(seed + i + 2 * step, static_cast<uint64_t>(static_cast<int64_t>(c)));
        sum += mixed(seed + i + 3 * step, static_cast<uint64_t>(static_cast<int64_t>(d)));
    }
    for (; i < n; i += step)
        sum += mixed(seed + i, static_cast<uint64_t>(static_cast<int64_t>(at[i])));
    return sum;
}

__device__ uint64_t sum_of_block(uint64_t sum)
{
    __shared__ uint64_t part[THREADS / 32];
    for (int lanes = 16; lanes > 0; lanes /= 2)
        sum += __shfl_down_sync(0xffffffffu, sum, lanes);
    if (threadIdx.x % 32 == 0)
        part[threadIdx.x / 32] = sum;
    __syncthreads();
    sum = 0;
    for (int i = 0; threadIdx.x == 0 && i < THREADS / 32; i++)
        sum += part[i];
    return sum;
}

/* The last block to arrive has the whole sum. */
__device__ void conclude(uint64_t sum, rc_pattern_sum_t *check, rc_heard_t *heard, uint64_t number, int other)
{
    if (threadIdx.x != 0)
        return;
    atomicAdd(reinterpret_cast<unsigned long long *>(&check->sum), static_cast<unsigned long long>(sum));
    __threadfence();
    if (atomicAdd(&check->arrived, 1u) != gridDim.x - 1)
        return;
    const uint64_t all = atomicExch(reinterpret_cast<unsigned long long *>(&check->sum), 0ull);
    check->arrived = 0;
    if (number == 0)
        check->expected = all;
    const bool differs = all != check->expected;
    check->differs = differs;
    if (number == 0)
        return;
    if (other)
        *(differs ? &heard->other_differs : &heard->other_equal) = number;
    else
        *(differs ? &heard->differs : &heard->equal) = number;
}

template <typename P, typename I>
__global__ void __launch_bounds__(THREADS) check_kernel(const P *row_ptr, int64_t rows, const I *col_idx,
    int64_t nnz, rc_pattern_sum_t *check, rc_heard_t *heard, uint64_t number, int other)
{
    const int64_t first = blockIdx.x * static_cast<int64_t>(THREADS) + threadIdx.x;
    const int64_t step = gridDim.x * static_cast<int64_t>(THREADS);
    uint64_t sum = sum_of(col_idx, nnz, 0, first, step);
    sum += sum_of(row_ptr, rows + 1, uint64_t{1} << 40, first, step);
    conclude(sum_of_block(sum), check, heard, number, other);
}

template <typename P, typename I>
__global__ void copy_kernel(const P *row_ptr, int64_t rows, const I *col_idx, int64_t cols, int64_t nnz,
    int64_t *to_ptr, int32_t *to_idx)
{
    const int64_t step = gridDim.x * static_cast<int64_t>(blockDim.x);
    const int64_t first = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
    for (int64_t i = first; i < nnz; i += step) {
        const int64_t c = col_idx[i];
        to_idx[i] = c >= 0 && c < cols ? static_cast<int32_t>(c) : -1;
    }
    for (int64_t i = first; i <= rows; i += step)
        to_ptr[i] = row_ptr[i];
}

/* A thread for each value of C; threads side by side store side by side. */
template <typename T, typename P, typename I>
__global__ void product_kernel(const P *row_ptr, const I *col_idx, const T *val, int64_t rows, int64_t k,
    T alpha, const T *b, int64_t b_row, int64_t b_col, T *c, int64_t c_row, int64_t c_col,
    const rc_pattern_sum_t *check)
{
    if (check->differs == 0)
        return;
    const int64_t step = gridDim.x * static_cast<int64_t>(blockDim.x);
    for (int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; i < rows * k; i += step) {
        const int64_t r = c_col == 1 ? i / k : i % rows;
        const int64_t j = c_col == 1 ? i % k : i / rows;
        T sum = 0;
        for (int64_t e = row_ptr[r]; e < static_cast<int64_t>(row_ptr[r + 1]); e++)
            sum += val[e] * b[static_cast<int64_t>(col_idx[e]) * b_row + j * b_col];
        c[r * c_row + j * c_col] = alpha * sum;
    }
}

template <typename T, typename P, typename I>
void product(const rc_spmm_t *p, const rc_pattern_sum_t *check, int blocks, cudaStream_t stream)
{
    const bool b_rows = p->layout == RC_ROW_MAJOR || p->layout == RC_ROW_COL;
    const bool c_rows = p->layout == RC_ROW_MAJOR || p->layout == RC_COL_ROW;
    product_kernel<T, P, I><<<blocks, THREADS, 0, stream>>>(static_cast<const P *>(p->a.row_ptr),
        static_cast<const I *>(p->a.col_idx), static_cast<const T *>(p->a.val), p->a.rows, p->k,
        static_cast<T>(p->alpha), static_cast<const T *>(p->b), b_rows ? p->ldb : 1, b_rows ? 1 : p->ldb,
        static_cast<T *>(p->c), c_rows ? p->ldc : 1, c_rows ? 1 : p->ldc, check);
}

/* The four widths of row pointers and columns, as types. */
template <typename F> void with_types(const rc_sparse_view_t *a, F f)
{
    if (a->row_ptr_bytes == 4)
        a->col_idx_bytes == 4 ? f(int32_t(), int32_t()) : f(int32_t(), int64_t());
    else
        a->col_idx_bytes == 4 ? f(int64_t(), int32_t()) : f(int64_t(), int64_t());
}

int check_blocks(int64_t n, int most)
{
    const int64_t blocks = (n + 4 * THREADS - 1) / (4 * THREADS);
    return blocks < 1 ? 1 : blocks > most ? most : static_cast<int>(blocks);
}

} // namespace

cudaError_t rc_pattern_copy(
    const rc_sparse_view_t *a, int64_t *row_ptr, int32_t *col_idx, cudaStream_t stream)
{
    with_types(a, [&](auto p, auto i) {
        copy_kernel<<<check_blocks(a->nnz + a->rows, 4096), THREADS, 0, stream>>>(
            static_cast<const decltype(p) *>(a->row_ptr), a->rows, static_cast<const decltype(i) *>(a->col_idx),
            a->cols, a->nnz, row_ptr, col_idx);
    });
    return cudaGetLastError();
}

cudaError_t rc_pattern_check(const rc_sparse_view_t *a, rc_pattern_sum_t *check, rc_heard_t *heard, uint64_t number,
    int other, int blocks, cudaStream_t stream)
{
    with_types(a, [&](auto p, auto i) {
        check_kernel<<<check_blocks(a->nnz + a->rows, blocks), THREADS, 0, stream>>>(
            static_cast<const decltype(p) *>(a->row_ptr), a->rows, static_cast<const decltype(i) *>(a->col_idx),
            a->nnz, check, heard, number, other);
    });
    return cudaGetLastError();
}

cudaError_t rc_pattern_product(
    const rc_spmm_t *p, const rc_pattern_sum_t *check, int blocks, cudaStream_t stream)
{
    with_types(&p->a, [&](auto ptr, auto idx) {
        if (p->a.value_bytes == 4)
            product<float, decltype(ptr), decltype(idx)>(p, check, blocks, stream);
        else
            product<double, decltype(ptr), decltype(idx)>(p, check, blocks, stream);
    });
    return cudaGetLastError();
}
