/* C = alpha A B + beta C on the program's own CSR, B and C by rows: a few lanes take a row of A and
 * some columns. */
#include "dropin/direct/direct.h"
#include "dropin/launch.cuh"
#include "dropin/scalars.cuh"
#include "dropin/stream.h"
#include "device/cuda/load.cuh"
#include "device/cuda/types.cuh"
#include "device/cuda/vector.cuh"

namespace
{

enum { THREADS = 256, BATCH = 4 /* rows of B that are under way together */, MOST = 5 };

template <typename T, typename P, typename I> struct spmm_args : rc::csr_args<T, P, I> {
    int64_t k;
    int64_t ldb;
    int64_t ldc;

    explicit spmm_args(const rc_asked_t *p)
        : rc::csr_args<T, P, I>(p), k(p->k), ldb(p->ldb), ldc(p->ldc)
    {
    }
};

/* Store WIDTH sums from place `at` of C on. */
template <int WIDTH, typename T, typename P, typename I>
__device__ __forceinline__ void put_piece(
    const spmm_args<T, P, I> &a, int64_t at, const rc::sum_of<T> (&sum)[WIDTH])
{
    typedef rc::sum_of<T> S;
    if (sizeof(T) < sizeof(S) && a.sums) {
#pragma unroll
        for (int w = 0; w < WIDTH; w++)
            a.put(at + w, sum[w]);
        return;
    }
    rc::packed<T, WIDTH> x;
#pragma unroll
    for (int w = 0; w < WIDTH; w++)
        x.value[w] = static_cast<T>(a.by.of(sum[w], a.c + at + w));
    *reinterpret_cast<typename rc::vector_of<T, WIDTH>::type *>(a.c + at) = x.vector;
}

/* 1 << shift lanes take WIDTH columns each of a row; `tiles` of them make it up. */
template <int WIDTH, typename T, typename P, typename I>
__global__ void __launch_bounds__(THREADS)
    spmm_kernel(const spmm_args<T, P, I> a, int shift, int64_t tiles)
{
    typedef rc::sum_of<T> S;
    const int64_t thread = blockIdx.x * int64_t{THREADS} + threadIdx.x;
    const int64_t group = thread >> shift;
    const int64_t row = group / tiles;
    const int64_t piece = ((group % tiles) << shift) + (thread & ((1 << shift) - 1));
    const int64_t column = piece * WIDTH;
    if (row >= a.rows || column >= a.k)
        return;
    S sum[WIDTH] = {};
    const uint32_t end = static_cast<uint32_t>(a.begin_of(row + 1));
    for (uint32_t e = static_cast<uint32_t>(a.begin_of(row)); e < end; e += BATCH) {
        S val[BATCH];
        rc::packed<T, WIDTH> x[BATCH];
#pragma unroll
        for (int u = 0; u < BATCH; u++) {
            if (e + u >= end)
                continue;
            const int64_t col = static_cast<int64_t>(rc::load(a.col_idx + e + u)) - a.base;
            val[u] = rc::as_read(static_cast<S>(__ldg(a.val + e + u)), a.conjugated);
            x[u].vector = rc::load_vector<T, WIDTH>(a.b + col * a.ldb + column);
        }
#pragma unroll
        for (int u = 0; u < BATCH; u++) {
            if (e + u >= end)
                continue;
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                sum[w] = fma(val[u], static_cast<S>(x[u].value[w]), sum[w]);
        }
    }
    put_piece<WIDTH>(a, row * a.ldc + column, sum);
}

/* 1: each row of B and C may be loaded and stored in pieces of 16 bytes of B's type. */
int is_wide(const rc_asked_t *p, int width, int bytes)
{
    const uintptr_t at = reinterpret_cast<uintptr_t>(p->b) | reinterpret_cast<uintptr_t>(p->c);
    return at % 16 == 0 && p->k % width == 0 && p->ldb * bytes % 16 == 0 &&
           p->ldc * bytes % 16 == 0;
}

template <int WIDTH, typename T, typename P, typename I>
void launch_width(const spmm_args<T, P, I> &a, cudaStream_t stream)
{
    const int64_t pieces = rc::pieces_of(a.k, WIDTH);
    int shift = 0;
    while (shift < MOST && int64_t{1} << shift < pieces)
        shift++;
    const int64_t tiles = rc::pieces_of(pieces, int64_t{1} << shift);
    const int64_t blocks = rc::pieces_of(a.rows * tiles << shift, THREADS);
    spmm_kernel<WIDTH><<<static_cast<unsigned>(blocks), THREADS, 0, stream>>>(a, shift, tiles);
}

int launch_rows(const rc_asked_t *p, void *, int)
{
    cudaStream_t stream = static_cast<cudaStream_t>(p->stream);
    rc::with_widths(p->a.row_ptr_bytes, p->a.col_idx_bytes, [&](auto ptr, auto idx) {
        rc::pick<rc::any>(p->a.precision, [&](auto t) {
            typedef RC_VALUE(t) T;
            constexpr int WIDE = 16 / static_cast<int>(sizeof(T));
            const spmm_args<T, decltype(ptr), decltype(idx)> a(p);
            if (is_wide(p, WIDE, static_cast<int>(sizeof(T))))
                launch_width<WIDE>(a, stream);
            else
                launch_width<1>(a, stream);
        });
    });
    return failed(cudaGetLastError()) ? -1 : 0;
}

/* The longest row is one load after the other, and no other row waits for it. */
int rows_suit(const rc_asked_t *p)
{
    const double a_step = 700; /* ns */
    const double least = 4000;
    const double most_blocks = 2147483647.0;
    const double steps = static_cast<double>(p->longest) / BATCH;
    return steps * a_step <= (p->library_ns > 2 * least ? p->library_ns / 2 : least) &&
           static_cast<double>(p->a.rows) * static_cast<double>(p->k + 32) / THREADS < most_blocks;
}

} // namespace

extern "C" rc_direct_list_t rc_direct_spmm(const rc_asked_t *)
{
    static const rc_direct_t ways[] = {{"row", rows_suit, nullptr, launch_rows}};
    return {ways, static_cast<int>(sizeof ways / sizeof *ways)};
}
