/* Device function of extremes: neighbouring threads have neighbouring columns of a row. */
#include "kernels/extremes/extremes.h"
#include "device/cuda/cuda.h"
#include "device/cuda/types.cuh"

namespace
{

constexpr int THREADS = 256;
constexpr int64_t ROWS_MAX = 1 << 20;   /* of blocks */
constexpr int64_t PIECES_MAX = 1 << 15; /* of columns */

/* Terms times `sign` are compared, so that the least is the largest.  NaN is beyond all others, and
 * the first of equal ones stays. */
template <typename T>
__device__ __forceinline__ void column(
    const rc_plan_matrix_t &a, const rc_extremes_t &x, int64_t r, int64_t c, float sign)
{
    typedef rc::sum_of<T> S;
    const T *const val = static_cast<const T *>(a.val);
    const T *const b = static_cast<const T *>(x.b) + c;
    const int64_t begin = rc::pointers{a.row_ptr, a.row_ptr_bytes}[r];
    const int64_t end = rc::pointers{a.row_ptr, a.row_ptr_bytes}[r + 1];
    int64_t entry = a.nnz;
    S best = S(0);
    for (int64_t e = begin; e < end; e++) {
        const int64_t j = rc::pointers{a.col_idx, a.col_idx_bytes}[e];
        const S term = static_cast<S>(sign) * static_cast<S>(val[e]) * static_cast<S>(b[j * x.ldb]);
        if (e == begin || term > best || (term != term && best == best)) {
            best = term;
            entry = e;
        }
    }
    x.entry[r * x.k + c] = entry;
    if (x.out)
        static_cast<T *>(x.out)[r * x.k + c] = static_cast<T>(static_cast<S>(sign) * best);
}

template <typename T>
__global__ void extremes(const rc_plan_matrix_t a, const rc_extremes_t x, float sign)
{
    for (int64_t r = static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y; r < a.rows;
         r += static_cast<int64_t>(gridDim.x) * blockDim.y)
        for (int64_t c = static_cast<int64_t>(blockIdx.y) * blockDim.x + threadIdx.x; c < x.k;
             c += static_cast<int64_t>(gridDim.y) * blockDim.x)
            column<T>(a, x, r, c, sign);
}

template <typename T>
int launch(const rc_plan_matrix_t &a, const rc_extremes_t &x, float sign, cudaStream_t stream)
{
    int lanes = 1;
    while (lanes < THREADS && lanes < x.k)
        lanes *= 2;
    const int beside = THREADS / lanes;
    const int64_t blocks = (a.rows + beside - 1) / beside;
    const int64_t pieces = (x.k + lanes - 1) / lanes;
    const dim3 grid(static_cast<unsigned>(blocks < ROWS_MAX ? blocks : ROWS_MAX),
        static_cast<unsigned>(pieces < PIECES_MAX ? pieces : PIECES_MAX));
    extremes<T><<<grid, dim3(lanes, beside), 0, stream>>>(a, x, sign);
    return 1;
}

} // namespace

extern "C" rc_status_t rc_cuda_extremes(const rc_plan_matrix_t *a, const rc_extremes_t *x,
    double sign, int index, struct CUstream_st *stream, rc_err_t *err)
{
    int before = 0;
    rc_plan_matrix_t m = *a;
    if (a->rows == 0 || x->k == 0)
        return RC_OK; /* a grid of no blocks is an error */
    m.col_idx_bytes = a->col_idx_bytes > 0 ? a->col_idx_bytes : 4;
    RC_PASS(rc_cuda_check(cudaGetDevice(&before), "extremes", err));
    RC_PASS(rc_cuda_check(cudaSetDevice(index), "extremes", err));
    const int known = rc::pick<rc::reals>(m.precision,
        [&](auto t) { return launch<RC_VALUE(t)>(m, *x, static_cast<float>(sign), stream); });
    const rc_status_t st = known ? rc_cuda_launched("extremes", err)
                                 : rc_fail(err, RC_ENOTSUP, "values of a type that is not known");
    const rc_status_t back =
        rc_cuda_check(cudaSetDevice(before), "extremes", st < 0 ? nullptr : err);
    return st < 0 ? st : back;
}
