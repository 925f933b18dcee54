/* C = alpha (L B) .* spy(C) + beta C on the program's own CSR: a warp takes 32 entries, whatever
 * rows they are in, and a few lanes an entry. */
#include "dropin/direct/direct.h"
#include "dropin/launch.cuh"
#include "dropin/scalars.cuh"
#include "dropin/stream.h"
#include "device/cuda/group_sum.cuh"
#include "device/cuda/load.cuh"
#include "device/cuda/types.cuh"
#include "device/cuda/vector.cuh"

namespace
{

enum {
    THREADS = 256,
    WARP = 32,
    ENTRIES = rc::GROUP_SUMS,
    LEAST = 2,
    MOST = 5 /* lanes: 4 to 32 */
};

template <typename T, typename P, typename I> struct sddmm_args : rc::csr_args<T, P, I> {
    int32_t k;
    const T *left;
    rc_strides_t left_by;
    rc_strides_t b_by;

    explicit sddmm_args(const rc_asked_t *p)
        : rc::csr_args<T, P, I>(p), k(static_cast<int32_t>(p->k)),
          left(static_cast<const T *>(p->left)), left_by(p->left_by), b_by(p->b_by)
    {
    }
};

/* The first row from `low` on, and below `high`, that ends behind an entry, by all lanes of a warp:
 * each round leaves a 32nd. */
template <typename T, typename P, typename I>
__device__ __forceinline__ int32_t row_of(
    const sddmm_args<T, P, I> &a, int32_t entry, int32_t low, int32_t high)
{
    const int lane = threadIdx.x % WARP;
    while (low < high) {
        const int32_t step = (high - low - 1) / WARP + 1;
        const int64_t r = low + int64_t{lane} * step;
        const bool before = r < high && a.begin_of(r + 1) <= entry;
        const int count = __popc(__ballot_sync(0xffffffffu, before));
        const int64_t next = low + int64_t{count} * step;
        high = next < high ? static_cast<int32_t>(next) : high;
        low = count > 0 ? low + (count - 1) * step + 1 : high;
    }
    return low;
}

/* The same by one lane. */
template <typename T, typename P, typename I>
__device__ __forceinline__ int32_t row_between(
    const sddmm_args<T, P, I> &a, int32_t entry, int32_t low, int32_t high)
{
    while (low < high) {
        const int32_t mid = low + (high - low) / 2;
        if (a.begin_of(mid + 1) <= entry)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* WIDTH neighbouring values of a line. */
template <int WIDTH, typename T>
__device__ __forceinline__ rc::packed<T, WIDTH> piece_of(const T *line, int64_t at, int64_t by)
{
    rc::packed<T, WIDTH> x;
    x.vector = rc::load_vector<T, WIDTH>(line + at * by);
    return x;
}

/* Add the products of a lane to the sums of ENTRIES entries; row -1: none. */
template <int WIDTH, typename T, typename P, typename I>
__device__ __forceinline__ void add_products(rc::sum_of<T> (&sum)[ENTRIES],
    const sddmm_args<T, P, I> &a, const int32_t (&row)[ENTRIES], const int32_t (&col)[ENTRIES],
    int32_t lane, int32_t lanes)
{
    typedef rc::sum_of<T> S;
    for (int64_t at = int64_t{lane} * WIDTH; at < a.k; at += int64_t{lanes} * WIDTH) {
        rc::packed<T, WIDTH> x[ENTRIES];
        rc::packed<T, WIDTH> y[ENTRIES];
#pragma unroll
        for (int u = 0; u < ENTRIES; u++) {
            if (row[u] < 0)
                continue;
            if (u > 0 && row[u] == row[u - 1]) /* mostly: the loads are saved */
                x[u] = x[u - 1];
            else
                x[u] = piece_of<WIDTH>(a.left + row[u] * a.left_by.row, at, a.left_by.col);
            y[u] = piece_of<WIDTH>(a.b + col[u] * a.b_by.col, at, a.b_by.row);
        }
#pragma unroll
        for (int u = 0; u < ENTRIES; u++) {
            if (row[u] < 0)
                continue;
#pragma unroll
            for (int w = 0; w < WIDTH; w++)
                sum[u] = fma(static_cast<S>(x[u].value[w]), static_cast<S>(y[u].value[w]), sum[u]);
        }
    }
    __syncwarp();
}

/* 1 << shift lanes take ENTRIES entries at a time. */
template <int WIDTH, typename T, typename P, typename I>
__global__ void __launch_bounds__(THREADS) sddmm_kernel(const sddmm_args<T, P, I> a, int shift)
{
    typedef rc::sum_of<T> S;
    const int lane = threadIdx.x % WARP;
    const int lanes = 1 << shift;
    const int mine = lane & (lanes - 1);
    const int64_t begin = (blockIdx.x * int64_t{THREADS} + threadIdx.x - lane);
    if (begin >= a.nnz)
        return;
    const int32_t first = static_cast<int32_t>(begin);
    const int32_t count = min(a.nnz - first, static_cast<int32_t>(WARP));
    const int32_t low = row_of(a, first, 0, a.rows - 1);
    const int32_t high = row_of(a, first + count - 1, low, a.rows - 1);
    int32_t of_row = -1;
    int32_t of_col = 0;
    if (lane < count) {
        of_row = row_between(a, first + lane, low, high);
        of_col = static_cast<int32_t>(rc::load_once(a.col_idx + first + lane) - a.base);
    }
    __syncwarp();
    for (int at = 0; at < count; at += ENTRIES * (WARP >> shift)) {
        const int from = at + (lane >> shift) * ENTRIES;
        int32_t row[ENTRIES];
        int32_t col[ENTRIES];
        S sum[ENTRIES];
#pragma unroll
        for (int u = 0; u < ENTRIES; u++) {
            row[u] = __shfl_sync(0xffffffffu, of_row, from + u);
            col[u] = __shfl_sync(0xffffffffu, of_col, from + u);
            sum[u] = S(0);
        }
        add_products<WIDTH>(sum, a, row, col, mine, lanes);
        const S total = rc::add_up<S>(sum, mine, lanes);
        const int entry = from + mine / (lanes / ENTRIES);
        if (mine % (lanes / ENTRIES) == 0 && entry < count)
            a.put(int64_t{first} + entry, total);
    }
}

/* 1: each line may be loaded in pieces of 16 bytes. */
int is_wide(const rc_asked_t *p, int width, int bytes)
{
    const uintptr_t at = reinterpret_cast<uintptr_t>(p->left) | reinterpret_cast<uintptr_t>(p->b);
    return p->left_by.col == 1 && p->b_by.row == 1 && at % 16 == 0 && p->k % width == 0 &&
           p->left_by.row * bytes % 16 == 0 && p->b_by.col * bytes % 16 == 0;
}

/* The fewest lanes of which each has at most so many pieces. */
int shift_of(int64_t pieces, int64_t each)
{
    int shift = LEAST;
    while (shift < MOST && each << shift < pieces)
        shift++;
    return shift;
}

template <int WIDTH, typename T, typename P, typename I>
void launch_width(const sddmm_args<T, P, I> &a, int64_t each, cudaStream_t stream)
{
    const unsigned blocks = static_cast<unsigned>(rc::pieces_of(a.nnz, THREADS));
    const int shift = shift_of(rc::pieces_of(a.k, WIDTH), each);
    sddmm_kernel<WIDTH><<<blocks, THREADS, 0, stream>>>(a, shift);
}

template <int EACH> int launch_entries(const rc_asked_t *p, void *, int)
{
    cudaStream_t stream = static_cast<cudaStream_t>(p->stream);
    rc::with_widths(p->a.row_ptr_bytes, p->a.col_idx_bytes, [&](auto ptr, auto idx) {
        rc::pick<rc::any>(p->a.precision, [&](auto t) {
            typedef RC_VALUE(t) T;
            constexpr int WIDE = 16 / static_cast<int>(sizeof(T));
            const sddmm_args<T, decltype(ptr), decltype(idx)> a(p);
            if (is_wide(p, WIDE, static_cast<int>(sizeof(T))))
                launch_width<WIDE>(a, EACH, stream);
            else
                launch_width<1>(a, EACH, stream);
        });
    });
    return failed(cudaGetLastError()) ? -1 : 0;
}

/* Lanes that walk K with a stride load a sector for each value. */
int entries_suit(const rc_asked_t *p)
{
    const double a_sector = 0.016; /* ns: 32 bytes of 2 TB/s */
    const int strided = (p->left_by.col != 1) + (p->b_by.row != 1);
    const double sectors = static_cast<double>(p->a.nnz) * static_cast<double>(p->k) * strided;
    return p->library_ns == 0 || sectors * a_sector <= p->library_ns;
}

} // namespace

extern "C" rc_direct_list_t rc_direct_sddmm(const rc_asked_t *)
{
    static const rc_direct_t ways[] = {{"entries:each=2", entries_suit, nullptr, launch_entries<2>},
        {"entries:each=8", entries_suit, nullptr, launch_entries<8>}};
    return {ways, static_cast<int>(sizeof ways / sizeof *ways)};
}
