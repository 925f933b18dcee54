/* Device functions of the softmax.  A group of lanes, a power of two up to a warp, takes a row; a
 * row of many entries is taken by the whole block, after the others of its rows. */
#include "kernels/softmax/softmax.h"
#include "device/cuda/cuda.h"
#include "device/cuda/types.cuh"

namespace
{

constexpr int THREADS = 256;
constexpr int WARP = 32;
constexpr int LONG = 1024; /* entries, from which on a block takes a row */
constexpr int64_t BLOCKS_MAX = 1 << 20;
constexpr unsigned FULL = 0xffffffffu;

struct add {
    template <typename S> __device__ static S of(S a, S b)
    {
        return a + b;
    }
};

/* NaN stays. */
struct larger {
    template <typename S> __device__ static S of(S a, S b)
    {
        return a > b || a != a ? a : b;
    }
};

/* Neighbouring lanes of a warp.  All lanes of the warp come to each step together. */
struct group {
    int rank;
    int size;

    template <typename Op, typename S> __device__ __forceinline__ S all(S value) const
    {
        for (int step = size / 2; step > 0; step /= 2)
            value = Op::of(value, __shfl_xor_sync(FULL, value, step));
        return value;
    }
};

/* All threads of the block. */
struct block {
    int rank;
    int size;

    template <typename Op, typename S> __device__ __forceinline__ S all(S value) const
    {
        __shared__ S part[THREADS / WARP];
        value = group{0, WARP}.all<Op>(value);
        __syncthreads(); /* the parts of before were read */
        if (rank % WARP == 0)
            part[rank / WARP] = value;
        __syncthreads();
        value = part[0];
        for (int i = 1; i < THREADS / WARP; i++)
            value = Op::of(value, part[i]);
        return value;
    }
};

/* A row. */
template <typename T> struct scores {
    typedef rc::sum_of<T> S;
    const rc_plan_matrix_t &a;
    const rc_softmax_t &x;
    int64_t begin;
    int64_t end;
    S row;

    /* Of row r; beyond the last one: none. */
    __device__ __forceinline__ scores(
        const rc_plan_matrix_t &matrix, const rc_softmax_t &asked, int64_t r)
        : a(matrix), x(asked), begin(0), end(0), row(0)
    {
        if (r >= a.rows)
            return;
        begin = rc::pointers{a.row_ptr, a.row_ptr_bytes}[r];
        end = rc::pointers{a.row_ptr, a.row_ptr_bytes}[r + 1];
        if (x.row)
            row = static_cast<S>(static_cast<const T *>(x.row)[r]);
    }

    /* Of entry e before the slope. */
    __device__ __forceinline__ S raw(int64_t e) const
    {
        S score = row;
        if (x.entry)
            score += static_cast<S>(static_cast<const T *>(x.entry)[e]);
        if (x.col)
            score += static_cast<S>(
                static_cast<const T *>(x.col)[rc::pointers{a.col_idx, a.col_idx_bytes}[e]]);
        return score;
    }

    __device__ __forceinline__ S of(int64_t e) const
    {
        const S score = raw(e);
        return score > S(0) ? score : score * static_cast<S>(x.slope);
    }
};

/* Scores less the largest: no power is beyond the type. */
template <typename T, typename Lanes>
__device__ __forceinline__ void values(const scores<T> &s, const Lanes &lanes)
{
    typedef rc::sum_of<T> S;
    T *const out = static_cast<T *>(s.x.out);
    S most = s.begin < s.end ? s.of(s.begin) : S(0);
    S sum = S(0);
    for (int64_t e = s.begin + lanes.rank; e < s.end; e += lanes.size)
        most = larger::of(most, s.of(e));
    most = lanes.template all<larger>(most);
    for (int64_t e = s.begin + lanes.rank; e < s.end; e += lanes.size) {
        const S power = exp(s.of(e) - most);
        sum += power;
        out[e] = static_cast<T>(power);
    }
    sum = lanes.template all<add>(sum);
    for (int64_t e = s.begin + lanes.rank; e < s.end; e += lanes.size)
        out[e] = static_cast<T>(static_cast<S>(out[e]) / sum);
}

template <typename T, typename Lanes>
__device__ __forceinline__ void gradient(const scores<T> &s, const Lanes &lanes, int64_t r)
{
    typedef rc::sum_of<T> S;
    const T *const out = static_cast<const T *>(s.x.out);
    const T *const g = static_cast<const T *>(s.x.gradient);
    S mean = S(0);
    S sum = S(0);
    for (int64_t e = s.begin + lanes.rank; e < s.end; e += lanes.size)
        mean += static_cast<S>(out[e]) * static_cast<S>(g[e]);
    mean = lanes.template all<add>(mean);
    for (int64_t e = s.begin + lanes.rank; e < s.end; e += lanes.size) {
        const S slope = s.raw(e) > S(0) ? S(1) : static_cast<S>(s.x.slope);
        const S of = static_cast<S>(out[e]) * (static_cast<S>(g[e]) - mean) * slope;
        sum += of;
        static_cast<T *>(s.x.of_entry)[e] = static_cast<T>(of);
    }
    sum = lanes.template all<add>(sum);
    if (s.x.of_row && lanes.rank == 0 && r < s.a.rows)
        static_cast<T *>(s.x.of_row)[r] = static_cast<T>(sum);
}

template <typename T, typename Lanes>
__device__ __forceinline__ void whole(const scores<T> &s, const Lanes &lanes, int64_t r)
{
    if (s.x.gradient)
        gradient(s, lanes, r);
    else
        values(s, lanes);
}

template <typename T>
__global__ void __launch_bounds__(THREADS)
    softmax(const rc_plan_matrix_t a, const rc_softmax_t x, int lanes)
{
    const int beside = THREADS / lanes;
    const group mine = {static_cast<int>(threadIdx.x) % lanes, lanes};
    for (int64_t first = static_cast<int64_t>(blockIdx.x) * beside; first < a.rows;
         first += static_cast<int64_t>(gridDim.x) * beside) {
        const int64_t r = first + threadIdx.x / lanes;
        scores<T> s(a, x, r);
        const int is_long = s.end - s.begin >= LONG;
        if (is_long)
            s.end = s.begin;
        whole(s, mine, is_long ? a.rows : r);
        if (!__syncthreads_or(is_long))
            continue;
        for (int i = 0; i < beside; i++) {
            const scores<T> other(a, x, first + i);
            if (other.end - other.begin >= LONG)
                whole(other, block{static_cast<int>(threadIdx.x), THREADS}, first + i);
        }
    }
}

template <typename T>
int launch(const rc_plan_matrix_t &a, const rc_softmax_t &x, cudaStream_t stream)
{
    int lanes = 4;
    while (lanes < WARP && 2 * lanes * a.rows < a.nnz)
        lanes *= 2;
    const int64_t blocks = (a.rows + THREADS / lanes - 1) / (THREADS / lanes);
    softmax<T>
        <<<static_cast<unsigned>(blocks < BLOCKS_MAX ? blocks : BLOCKS_MAX), THREADS, 0, stream>>>(
            a, x, lanes);
    return 1;
}

} // namespace

extern "C" rc_status_t rc_cuda_softmax(const rc_plan_matrix_t *a, const rc_softmax_t *x, int index,
    struct CUstream_st *stream, rc_err_t *err)
{
    int before = 0;
    rc_plan_matrix_t m = *a;
    if (a->rows == 0)
        return RC_OK; /* a grid of no blocks is an error */
    m.col_idx_bytes = a->col_idx_bytes > 0 ? a->col_idx_bytes : 4;
    RC_PASS(rc_cuda_check(cudaGetDevice(&before), "softmax", err));
    RC_PASS(rc_cuda_check(cudaSetDevice(index), "softmax", err));
    const int known = rc::pick<rc::reals>(
        m.precision, [&](auto t) { return launch<RC_VALUE(t)>(m, *x, stream); });
    const rc_status_t st = known ? rc_cuda_launched("softmax", err)
                                 : rc_fail(err, RC_ENOTSUP, "scores of a type that is not known");
    const rc_status_t back =
        rc_cuda_check(cudaSetDevice(before), "softmax", st < 0 ? nullptr : err);
    return st < 0 ? st : back;
}
