// Dense matrices on the device: fill, poison, sums of rows, single values.
//
// A matrix is lines that are contiguous in memory (its columns or its rows).  A block of threads is
// as wide as a line is long, up to 256, and takes several lines when they are short, so that both
// K = 1 and one row keep the device busy; threads that are neighbours read neighbouring values.
#include "base/rng_hash.h"
#include "device/cuda/dense_launch.h"
#include "device/cuda/types.cuh"

namespace
{

enum { BLOCK = 256, WARP = 32 };

struct Shape {
    dim3 grid;
    dim3 block;
};

int64_t ceil_div(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}

// The smallest power of two that is not below n, at most `most`.
unsigned width_for(int64_t n, unsigned most)
{
    unsigned width = 1;
    while (width < most && width < n)
        width *= 2;
    return width;
}

// Threads over a matrix; each walks down the lines, so that what it computes once pays off.
Shape shape_of(int64_t lines, int64_t length)
{
    const int64_t most_blocks = 1 << 14;
    unsigned x = width_for(length, BLOCK);
    unsigned y = BLOCK / x;
    int64_t across = ceil_div(length, x); // below 2^31: a length fits 32 bits
    int64_t down = ceil_div(lines, y);
    int64_t cap = ceil_div(most_blocks, across);
    down = down < cap ? down : cap;
    return {dim3((unsigned)across, (unsigned)down), dim3(x, y)};
}

// ------------------------------------------------------------------- fill

// Value i of line l is the number `first + l * line_step + i * value_step` of the seed.
template <typename T> struct random_value {
    static __device__ T of(uint64_t key, uint64_t number) // 24 bits: exact in float
    {
        return (T)((float)rc_rng_top(rc_rng_keyed(key, number)) * 0x1p-23f);
    }
};

template <typename R> struct random_value<rc::complex<R>> {
    static __device__ rc::complex<R> of(uint64_t key, uint64_t number)
    {
        return rc::complex<R>(
            random_value<R>::of(key, 2 * number), random_value<R>::of(key, 2 * number + 1));
    }
};

template <typename T>
__global__ void random_kernel(T *data, int64_t lines, int64_t length, int64_t ld, uint64_t key,
    uint64_t first, uint64_t line_step, uint64_t value_step)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;
    uint64_t number = first + (uint64_t)i * value_step;
    int64_t step = (int64_t)gridDim.y * blockDim.y;
    for (int64_t l = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; l < lines; l += step)
        data[l * ld + i] = random_value<T>::of(key, number + (uint64_t)l * line_step);
}

template <typename U> __device__ U bits_of(bool zero)
{
    return zero ? U(0) : (U)~U(0);
}

template <> __device__ uint4 bits_of<uint4>(bool zero)
{
    const uint32_t x = bits_of<uint32_t>(zero);
    return make_uint4(x, x, x, x);
}

// U is an unsigned integer of the size of a value, or four.
template <typename U>
__global__ void poison_kernel(
    U *data, int64_t lines, int64_t length, int64_t ld, const unsigned char *clear, int by_line)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= length)
        return;
    int64_t step = (int64_t)gridDim.y * blockDim.y;
    int zero = clear && !by_line && clear[i];
    for (int64_t l = (int64_t)blockIdx.y * blockDim.y + threadIdx.y; l < lines; l += step)
        data[l * ld + i] = bits_of<U>(zero || (clear && by_line && clear[l]));
}

// ---------------------------------------------------------------- project

// Columns are summed in chunks of at least LEAST_CHUNK, as many as keep a large GPU busy but no
// more than one thread can add up.
enum { LEAST_CHUNK = 64, MOST_CHUNKS = 1024, BUSY_THREADS = 1 << 20 };

struct Project {
    int64_t rows;
    int64_t cols;
    int64_t ld;
    int64_t chunk; // columns
    const double *sign;
    rc_cuda_sums_t to; // [chunks * rows]
};

struct Sums {
    double sum;
    double mag;
    unsigned found;
};

template <typename T> __device__ inline bool is_poison(T v)
{
    rc::word<T> bits;
    memcpy(&bits, &v, sizeof bits);
    return bits == (rc::word<T>)-1;
}

template <typename T> __device__ inline void add(Sums *s, T value, double sign)
{
    double v = (double)value;
    s->sum += sign * v; // the product is exact
    s->mag += fabs(v);
    // of a NaN both comparisons are false
    s->found |= (is_poison(value) ? RC_ROW_POISON : 0u) |
                (value < T(0) || value > T(0) ? RC_ROW_NONZERO : 0u);
}

__device__ inline void store(const rc_cuda_sums_t &to, int64_t at, const Sums &s)
{
    to.sum[at] = s.sum;
    to.mag[at] = s.mag;
    to.found[at] = (unsigned char)s.found;
}

// Column-major: a thread takes a row through a chunk of columns.
template <typename T>
__global__ void __launch_bounds__(BLOCK)
    project_columns_kernel(const T *__restrict__ data, Project p)
{
    int64_t chunk = (int64_t)blockIdx.y * blockDim.y + threadIdx.y;
    int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t first = chunk * p.chunk;
    if (r >= p.rows || first >= p.cols)
        return;
    int64_t end = first + p.chunk < p.cols ? first + p.chunk : p.cols;
    const T *x = data + first * p.ld + r;
    Sums s = {0, 0, 0};
#pragma unroll 8
    for (int64_t j = first; j < end; j++) {
        add(&s, *x, __ldg(&p.sign[j]));
        x += p.ld;
    }
    store(p.to, chunk * p.rows + r, s);
}

// Row-major: `width` lanes (a power of two, at most a warp) take a row through a chunk of columns,
// then add up in a tree.
template <typename T>
__global__ void __launch_bounds__(BLOCK)
    project_rows_kernel(const T *__restrict__ data, Project p, int width)
{
    int lane = (int)threadIdx.x & (width - 1);
    int64_t r = (int64_t)blockIdx.x * (BLOCK / width) + (int)threadIdx.x / width;
    int64_t chunk = blockIdx.y;
    int64_t first = chunk * p.chunk;
    int64_t end = first + p.chunk < p.cols ? first + p.chunk : p.cols;
    Sums s = {0, 0, 0};
    if (r < p.rows) {
        const T *x = data + r * p.ld;
#pragma unroll 8
        for (int64_t j = first + lane; j < end; j += width)
            add(&s, x[j], __ldg(&p.sign[j]));
    }
    // every lane of the warp gets here
    for (int off = width / 2; off > 0; off /= 2) {
        s.sum += __shfl_down_sync(0xffffffffu, s.sum, off, width);
        s.mag += __shfl_down_sync(0xffffffffu, s.mag, off, width);
        s.found |= __shfl_down_sync(0xffffffffu, s.found, off, width);
    }
    if (lane == 0 && r < p.rows)
        store(p.to, chunk * p.rows + r, s);
}

// Add the chunks of each row, in their order.
__global__ void fold_kernel(rc_cuda_sums_t part, rc_cuda_sums_t out, int64_t rows, int64_t chunks)
{
    int64_t r = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows)
        return;
    Sums s = {0, 0, 0};
#pragma unroll 8
    for (int64_t c = 0; c < chunks; c++) {
        s.sum += part.sum[c * rows + r];
        s.mag += part.mag[c * rows + r];
        s.found |= part.found[c * rows + r];
    }
    store(out, r, s);
}

template <typename T> void launch_project(cudaStream_t stream, const rc_dense_t *m, Project p)
{
    const T *data = static_cast<const T *>(m->data);
    int64_t chunks = ceil_div(p.cols, p.chunk);
    if (m->layout == RC_ROW_MAJOR) {
        unsigned width = width_for(m->cols, WARP);
        dim3 grid((unsigned)ceil_div(m->rows, BLOCK / width), (unsigned)chunks);
        project_rows_kernel<T><<<grid, BLOCK, 0, stream>>>(data, p, (int)width);
        return;
    }
    unsigned x = width_for(m->rows, BLOCK);
    unsigned y = BLOCK / x;
    dim3 grid((unsigned)ceil_div(m->rows, x), (unsigned)ceil_div(chunks, y));
    project_columns_kernel<T><<<grid, dim3(x, y), 0, stream>>>(data, p);
}

// ----------------------------------------------------------------- gather

template <typename T>
__global__ void gather_kernel(const T *data, int64_t row_step, int64_t col_step, const int64_t *row,
    const int64_t *col, int64_t n, double *out, unsigned char *poison)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    T v = data[row[i] * row_step + col[i] * col_step];
    out[i] = (double)v;
    poison[i] = is_poison(v) ? 1 : 0;
}

int64_t lines_of(const rc_dense_t *m)
{
    return m->layout == RC_ROW_MAJOR ? m->rows : m->cols;
}

int64_t length_of(const rc_dense_t *m)
{
    return m->layout == RC_ROW_MAJOR ? m->cols : m->rows;
}

} // namespace

extern "C" rc_status_t rc_cuda_launch_random(cudaStream_t stream, const rc_dense_t *m, uint64_t key,
    int64_t stride, int64_t j0, rc_err_t *err)
{
    bool row_major = m->layout == RC_ROW_MAJOR;
    uint64_t line_step = row_major ? (uint64_t)stride : 1;
    uint64_t value_step = row_major ? 1 : (uint64_t)stride;
    int64_t lines = lines_of(m);
    int64_t length = length_of(m);
    Shape s = shape_of(lines, length);
    rc::pick<rc::any>(m->precision, [&](auto t) {
        random_kernel<<<s.grid, s.block, 0, stream>>>(static_cast<RC_VALUE(t) *>(m->data), lines,
            length, m->ld, key, (uint64_t)j0, line_step, value_step);
    });
    return rc_cuda_launched("dense_random", err);
}

extern "C" rc_status_t rc_cuda_launch_poison(
    cudaStream_t stream, const rc_dense_t *m, const unsigned char *clear, rc_err_t *err)
{
    int by_line = m->layout == RC_ROW_MAJOR;
    int64_t lines = lines_of(m);
    int64_t length = length_of(m);
    Shape s = shape_of(lines, length);
    rc::pick<rc::any>(m->precision, [&](auto t) {
        poison_kernel<<<s.grid, s.block, 0, stream>>>(
            static_cast<rc::word<RC_VALUE(t)> *>(m->data), lines, length, m->ld, clear, by_line);
    });
    return rc_cuda_launched("dense_poison", err);
}

static int64_t threads_per_chunk(const rc_dense_t *m)
{
    if (m->layout == RC_ROW_MAJOR)
        return m->rows * width_for(m->cols, WARP);
    return ceil_div(m->rows, WARP) * WARP;
}

// Columns of a chunk.
static int64_t chunk_of(const rc_dense_t *m)
{
    int64_t chunks = BUSY_THREADS / threads_per_chunk(m);
    if (chunks > MOST_CHUNKS)
        chunks = MOST_CHUNKS;
    else if (chunks < 1)
        chunks = 1;
    int64_t least = LEAST_CHUNK;
    if (m->layout == RC_ROW_MAJOR)
        least *= width_for(m->cols, WARP); // so many for each lane
    int64_t chunk = ceil_div(m->cols, chunks);
    return chunk < least ? least : chunk;
}

extern "C" int64_t rc_cuda_project_chunks(const rc_dense_t *m)
{
    return ceil_div(m->cols, chunk_of(m));
}

extern "C" rc_status_t rc_cuda_launch_project(cudaStream_t stream, const rc_dense_t *m,
    const double *sign, const rc_cuda_sums_t *part, const rc_cuda_sums_t *out, rc_err_t *err)
{
    int64_t chunks = rc_cuda_project_chunks(m);
    Project p = {m->rows, m->cols, m->ld, chunk_of(m), sign, chunks > 1 ? *part : *out};
    rc::pick<rc::reals>(m->precision, [&](auto t) { launch_project<RC_VALUE(t)>(stream, m, p); });
    rc_status_t st = rc_cuda_launched("dense_project", err);
    if (st < 0 || chunks == 1)
        return st;
    fold_kernel<<<(unsigned)ceil_div(m->rows, BLOCK), BLOCK, 0, stream>>>(
        *part, *out, m->rows, chunks);
    return rc_cuda_launched("dense_project", err);
}

extern "C" rc_status_t rc_cuda_launch_gather(cudaStream_t stream, const rc_dense_t *m,
    const int64_t *row, const int64_t *col, int64_t n, double *out, unsigned char *poison,
    rc_err_t *err)
{
    int64_t row_step = m->layout == RC_ROW_MAJOR ? m->ld : 1;
    int64_t col_step = m->layout == RC_ROW_MAJOR ? 1 : m->ld;
    unsigned blocks = (unsigned)ceil_div(n, BLOCK);
    rc::pick<rc::reals>(m->precision, [&](auto t) {
        gather_kernel<<<blocks, BLOCK, 0, stream>>>(static_cast<const RC_VALUE(t) *>(m->data),
            row_step, col_step, row, col, n, out, poison);
    });
    return rc_cuda_launched("dense_gather", err);
}
