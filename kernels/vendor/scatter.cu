/* What cuSPARSE has stored to where it belongs.  Of rows in slot order bits are copied with beta 0:
 * the words are as wide as pitch and alignment allow. */
#include "kernels/vendor/scatter.h"
#include "device/cuda/cuda.h"
#include "device/cuda/store.cuh"
#include "device/cuda/types.cuh"

#include <cstdint>

namespace
{

enum {
    THREADS = 256,
    COLUMNS = 8, /* column-major: of one thread, so that a row number is read once for them */
    GRID_MAX = 1 << 20, /* blocks; what is beyond is walked in strides */
    GRID_Y_MAX = 65535,
    SAMPLED_MAX = 1 << 16, /* blocks, likewise */
    SIDE = 32,             /* of a tile */
    ROWS = 8
};

template <typename Word> struct rows_of {
    const Word *from;
    Word *to;
    const int32_t *row;
    int64_t slots;
    int64_t words; /* row-major: of a row; column-major: K */
    int64_t ld_from;
    int64_t ld_to;
};

/* What is stored where a word `from` goes to `to`. */
struct copy_of {
    template <typename Word> __device__ Word operator()(Word from, const Word *) const
    {
        return from;
    }
};

/* Of 16 bits C' is rounded already, and the sum is rounded once more. */
template <typename T> struct sum_with {
    typedef rc::sum_of<T> S;
    rc_cuda_scalars_t scalars;
    __device__ T operator()(T from, const T *to) const
    {
        return static_cast<T>(
            fma(rc::beta_of(scalars, S()), static_cast<S>(*to), static_cast<S>(from)));
    }
};

/* blockDim.x threads along a row, blockDim.y rows at once. */
template <typename Word, typename Join>
__global__ void scatter_row_major(rows_of<Word> s, Join join)
{
    int64_t first = (int64_t)blockIdx.x * blockDim.y + threadIdx.y;
    int64_t step = (int64_t)gridDim.x * blockDim.y;
    for (int64_t p = first; p < s.slots; p += step) {
        int64_t r = s.row ? s.row[p] : p;
        if (r < 0)
            continue;
        const Word *from = s.from + p * s.ld_from;
        Word *to = s.to + r * s.ld_to;
        for (int64_t i = threadIdx.x; i < s.words; i += blockDim.x)
            to[i] = join(from[i], &to[i]);
    }
}

/* Threads along the slots: loads are coalesced, stores of a column fall into one column of C. */
template <typename Word, typename Join>
__global__ void scatter_col_major(rows_of<Word> s, Join join)
{
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t p = first; p < s.slots; p += step) {
        int64_t r = s.row ? s.row[p] : p;
        if (r < 0)
            continue;
        for (int64_t j0 = (int64_t)blockIdx.y * COLUMNS; j0 < s.words;
             j0 += (int64_t)gridDim.y * COLUMNS) {
            int64_t end = j0 + COLUMNS < s.words ? j0 + COLUMNS : s.words;
#pragma unroll 4
            for (int64_t j = j0; j < end; j++) {
                Word *to = &s.to[j * s.ld_to + r];
                *to = join(s.from[j * s.ld_from + p], to);
            }
        }
    }
}

int64_t blocks_for(int64_t items, int64_t per_block, int64_t most)
{
    int64_t n = (items + per_block - 1) / per_block;
    return n < most ? n : most;
}

template <typename Word, typename Join>
rc_status_t row_major(const rc_executor_t *x, const rc_cuda_scatter_t *s, Join join, rc_err_t *err)
{
    const int64_t value = (int64_t)rc_precision_bytes(s->precision);
    const int64_t word = (int64_t)sizeof(Word);
    rows_of<Word> rows = {(const Word *)s->from, (Word *)s->to, s->row, s->slots,
        s->k * value / word, s->ld_from * value / word, s->ld_to * value / word};
    unsigned along = 1;
    while (along < THREADS && along < rows.words)
        along *= 2;
    dim3 block(along, THREADS / along);
    unsigned grid = (unsigned)blocks_for(s->slots, THREADS / along, GRID_MAX);
    scatter_row_major<<<grid, block, 0, rc_cuda_stream(x)>>>(rows, join);
    return rc_cuda_check(cudaGetLastError(), "storing to the rows of C", err);
}

template <typename Word, typename Join>
rc_status_t col_major(const rc_executor_t *x, const rc_cuda_scatter_t *s, Join join, rc_err_t *err)
{
    rows_of<Word> rows = {
        (const Word *)s->from, (Word *)s->to, s->row, s->slots, s->k, s->ld_from, s->ld_to};
    dim3 grid((unsigned)blocks_for(s->slots, THREADS, GRID_MAX),
        (unsigned)blocks_for(s->k, COLUMNS, GRID_Y_MAX));
    scatter_col_major<<<grid, THREADS, 0, rc_cuda_stream(x)>>>(rows, join);
    return rc_cuda_check(cudaGetLastError(), "storing to the rows of C", err);
}

/* Bytes of the widest word that every row can be copied in. */
int word_of(const rc_cuda_scatter_t *s)
{
    int64_t value = (int64_t)rc_precision_bytes(s->precision);
    uint64_t all = (uint64_t)(uintptr_t)s->from | (uint64_t)(uintptr_t)s->to |
                   (uint64_t)(s->k * value) | (uint64_t)(s->ld_from * value) |
                   (uint64_t)(s->ld_to * value);
    return all % 16 == 0 ? 16 : all % 8 == 0 ? 8 : all % 4 == 0 ? 4 : 2;
}

rc_cuda_scalars_t scalars_of(const double beta[2])
{
    const rc_operands_t of = {{}, {}, 0, beta[1]};
    return rc_cuda_scalars(&of, 1, beta[0]);
}

template <typename T>
rc_status_t add(const rc_executor_t *x, const rc_cuda_scatter_t *s, rc_err_t *err)
{
    const sum_with<T> join = {scalars_of(s->beta)};
    return s->layout == RC_COL_MAJOR ? col_major<T>(x, s, join, err)
                                     : row_major<T>(x, s, join, err);
}

/* Tiles of a column-major matrix through shared memory into rows: both sides are walked along their
 * lines. */
template <typename T>
__global__ void __launch_bounds__(SIDE *ROWS)
    turn(const rows_of<T> m, const rc_cuda_scalars_t scalars)
{
    typedef rc::sum_of<T> S;
    const sum_with<T> join = {scalars};
    const bool reads = rc::beta_of(scalars, S()) != S(0);
    __shared__ T tile[SIDE][SIDE + 1]; /* a column of it is in different banks */
    const int64_t r0 = (int64_t)blockIdx.x * SIDE;
    for (int64_t c0 = (int64_t)blockIdx.y * SIDE; c0 < m.words; c0 += (int64_t)gridDim.y * SIDE) {
        for (int i = threadIdx.y; i < SIDE; i += ROWS)
            if (r0 + threadIdx.x < m.slots && c0 + i < m.words)
                tile[i][threadIdx.x] = m.from[(c0 + i) * m.ld_from + r0 + threadIdx.x];
        __syncthreads();
        for (int i = threadIdx.y; i < SIDE; i += ROWS)
            if (r0 + i < m.slots && c0 + threadIdx.x < m.words) {
                T *at = m.to + (r0 + i) * m.ld_to + c0 + threadIdx.x;
                const T value = tile[threadIdx.x][i];
                *at = reads ? join(value, at) : value;
            }
        __syncthreads();
    }
}

template <typename T>
void launch_turn(const rc_executor_t *x, const rc_dense_t *from, const rc_dense_t *to,
    const rc_cuda_scalars_t &scalars)
{
    const dim3 grid(
        (unsigned)((to->rows + SIDE - 1) / SIDE), (unsigned)blocks_for(to->cols, SIDE, GRID_Y_MAX));
    const rows_of<T> m = {static_cast<const T *>(from->data), static_cast<T *>(to->data), nullptr,
        to->rows, to->cols, from->ld, to->ld};
    turn<T><<<grid, dim3(SIDE, ROWS), 0, rc_cuda_stream(x)>>>(m, scalars);
}

/* Values of A times dot products, which are as they were summed. */
template <typename T>
__global__ void sampled(
    const T *val, const rc::sum_of<T> *dot, T *out, int64_t n, const rc_cuda_scalars_t scalars)
{
    const int64_t step = static_cast<int64_t>(gridDim.x) * blockDim.x;
    int64_t e = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; e < n; e += step)
        rc::store(out + e, static_cast<rc::sum_of<T>>(val[e]) * dot[e], scalars);
}

template <typename T>
void launch_sampled(const rc_executor_t *x, const void *val, const void *dot, const rc_dense_t *out,
    rc_cuda_scalars_t scalars)
{
    sampled<T><<<static_cast<unsigned>(blocks_for(out->rows, THREADS, SAMPLED_MAX)), THREADS, 0,
        rc_cuda_stream(x)>>>(static_cast<const T *>(val), static_cast<const rc::sum_of<T> *>(dot),
        static_cast<T *>(out->data), out->rows, scalars);
}

/* A warp for each slot. */
template <typename Word, typename Pointer>
__global__ void spread(const Pointer *ptr, const rc_cuda_slots_t s, const Word *of, Word *to)
{
    const int64_t warps = static_cast<int64_t>(gridDim.x) * blockDim.y;
    int64_t p = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y;
    for (; p < s.slots; p += warps) {
        const int64_t r = s.row ? s.row[p] : p;
        const int64_t end = ptr[p + 1];
        for (int64_t e = ptr[p] + threadIdx.x; e < end; e += blockDim.x)
            to[r * s.cols + s.col[e]] = of[e];
    }
}

template <typename Word>
rc_status_t launch_spread(
    const rc_executor_t *x, const rc_cuda_slots_t *s, const void *from, void *into, rc_err_t *err)
{
    const dim3 block(SIDE, ROWS);
    const unsigned grid = static_cast<unsigned>(blocks_for(s->slots, ROWS, GRID_MAX));
    const Word *of = static_cast<const Word *>(from);
    Word *to = static_cast<Word *>(into);
    if (s->wide)
        spread<<<grid, block, 0, rc_cuda_stream(x)>>>(
            static_cast<const int64_t *>(s->ptr), *s, of, to);
    else
        spread<<<grid, block, 0, rc_cuda_stream(x)>>>(
            static_cast<const int32_t *>(s->ptr), *s, of, to);
    return rc_cuda_launched("entries of a dense matrix", err);
}

} // namespace

extern "C" rc_status_t rc_cuda_spread(const rc_executor_t *x, const rc_cuda_slots_t *s,
    const void *of, int bytes, void *to, rc_err_t *err)
{
    if (s->nnz == 0)
        return RC_OK;
    return bytes == 16  ? launch_spread<uint4>(x, s, of, to, err)
           : bytes == 8 ? launch_spread<uint64_t>(x, s, of, to, err)
           : bytes == 4 ? launch_spread<uint32_t>(x, s, of, to, err)
                        : launch_spread<uint16_t>(x, s, of, to, err);
}

extern "C" rc_status_t rc_cuda_scatter(
    const rc_executor_t *x, const rc_cuda_scatter_t *s, rc_err_t *err)
{
    const copy_of copy = {};
    if (s->slots == 0 || s->k == 0)
        return RC_OK;
    if (s->beta[0] != 0 || s->beta[1] != 0)
        return rc::pick<rc::any>(s->precision, [&](auto t) { return add<RC_VALUE(t)>(x, s, err); });
    if (s->layout == RC_COL_MAJOR)
        return rc::pick<rc::any>(s->precision,
            [&](auto t) { return col_major<rc::word<RC_VALUE(t)>>(x, s, copy, err); });
    int word = word_of(s);
    return word == 16  ? row_major<uint4>(x, s, copy, err)
           : word == 8 ? row_major<uint64_t>(x, s, copy, err)
           : word == 4 ? row_major<uint32_t>(x, s, copy, err)
                       : row_major<uint16_t>(x, s, copy, err);
}

extern "C" rc_status_t rc_cuda_turn(const rc_executor_t *x, const rc_dense_t *from,
    const rc_dense_t *to, const double beta[2], rc_err_t *err)
{
    if (to->rows == 0 || to->cols == 0)
        return RC_OK;
    rc::pick<rc::any>(
        to->precision, [&](auto t) { launch_turn<RC_VALUE(t)>(x, from, to, scalars_of(beta)); });
    return rc_cuda_launched("turning columns into rows", err);
}

extern "C" rc_status_t rc_cuda_sampled(const rc_executor_t *x, const void *val, const void *dot,
    const rc_operands_t *o, rc_cuda_scalars_t scalars, rc_err_t *err)
{
    if (o->out.rows == 0)
        return RC_OK;
    rc::pick<rc::any>(o->in[0].precision,
        [&](auto t) { launch_sampled<RC_VALUE(t)>(x, val, dot, &o->out, scalars); });
    return rc_cuda_launched("values of A times dot products", err);
}
