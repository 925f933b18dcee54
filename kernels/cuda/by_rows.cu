/* Copies between a column-major and a row-major matrix, tile by tile through shared memory:
 * neighbouring threads read neighbouring values of the one and write neighbouring values of the
 * other.  Tiles of the same rows are next to each other in the grid, so that a row of the
 * row-major matrix is complete before others. */
#include "device/cuda/overlap.cuh"
#include "device/cuda/store.cuh"
#include "kernels/cuda/by_rows.h"

namespace rc
{

/* A place in a tile. */
struct turn_at {
    int32_t row;
    int32_t column;
};

/* A tile of 1 << LOG columns, and the part of both matrices that it is of. */
template <typename T, int LOG> struct turn_tile {
    static constexpr int COLUMNS = 1 << LOG;
    static constexpr int ROWS = RC_BY_ROWS_BYTES / static_cast<int>(sizeof(sum_of<T>)) / COLUMNS;
    static constexpr int EACH = ROWS * COLUMNS / RC_BY_ROWS_THREADS; /* of a thread */
    static constexpr int PITCH = COLUMNS | 1; /* odd: a column is in all banks, too */
    T *columns;
    T *rows;
    int64_t ld;
    int32_t width;
    int32_t height; /* rows that are there: others stick out */
    int32_t count;  /* columns that are there */
    int32_t seen;   /* of the rows */

    __device__ __forceinline__ turn_tile(const rc_by_rows_copy_t &a, int64_t number)
        : ld(a.ld), width(a.width)
    {
        const int64_t row = number / a.across * ROWS;
        const int32_t column = static_cast<int32_t>(number % a.across) * COLUMNS;
        columns = static_cast<T *>(a.columns) + column * a.ld + row;
        rows = static_cast<T *>(a.rows) + row * a.width + column;
        height = static_cast<int32_t>(min(a.height - row, static_cast<int64_t>(ROWS)));
        count = a.count - column;
        seen = a.seen - column;
    }

    /* Value e of this thread, column by column, or row by row. */
    __device__ __forceinline__ turn_at down(int e) const
    {
        constexpr int THREADS =
            ROWS < RC_BY_ROWS_THREADS ? ROWS : RC_BY_ROWS_THREADS; /* of a column */
        constexpr int TURNS = ROWS / THREADS;
        const int32_t row = threadIdx.x % THREADS;
        const int32_t column = threadIdx.x / THREADS;
        return {row + e % TURNS * THREADS, column + e / TURNS * (RC_BY_ROWS_THREADS / THREADS)};
    }

    __device__ __forceinline__ turn_at across(int e) const
    {
        const int32_t row = threadIdx.x / COLUMNS;
        const int32_t column = threadIdx.x % COLUMNS;
        return {row + e * (RC_BY_ROWS_THREADS / COLUMNS), column};
    }

    __device__ __forceinline__ bool in_columns(const turn_at &at) const
    {
        return at.row < height && at.column < count;
    }

    __device__ __forceinline__ bool in_rows(const turn_at &at) const
    {
        return at.row < height && at.column < seen;
    }

    __device__ __forceinline__ T *of_columns(const turn_at &at) const
    {
        return columns + at.column * ld + at.row;
    }

    __device__ __forceinline__ T *of_rows(const turn_at &at) const
    {
        return rows + static_cast<int64_t>(at.row) * width + at.column;
    }

    /* By L2: the launch may have begun when other CTAs still read older values here. */
    __device__ __forceinline__ T load_columns(const turn_at &at) const
    {
        return in_columns(at) ? __ldcg(of_columns(at)) : T(0);
    }

    __device__ __forceinline__ T load_rows(const turn_at &at) const
    {
        return in_rows(at) ? __ldcg(of_rows(at)) : T(0);
    }
};

/* The next kernel is launched after the one before this has ended, not earlier: it may read what
 * this one writes by an L1 that has the older values. */
template <typename T, int LOG>
__global__ void __launch_bounds__(RC_BY_ROWS_THREADS, 4) into_rows(const rc_by_rows_copy_t a)
{
    typedef turn_tile<T, LOG> tile_t;
    __shared__ T tile[tile_t::ROWS * tile_t::PITCH];
    wait_for_previous();
    launch_next();
    for (int64_t n = blockIdx.x; n < a.tiles; n += gridDim.x) {
        const tile_t of(a, n);
        T value[tile_t::EACH];
#pragma unroll
        for (int e = 0; e < tile_t::EACH; e++)
            value[e] = of.load_columns(of.down(e));
#pragma unroll
        for (int e = 0; e < tile_t::EACH; e++)
            tile[of.down(e).row * tile_t::PITCH + of.down(e).column] = value[e];
        __syncthreads();
#pragma unroll
        for (int e = 0; e < tile_t::EACH; e++) {
            const turn_at at = of.across(e);
            if (of.in_rows(at))
                *of.of_rows(at) = tile[at.row * tile_t::PITCH + at.column];
        }
        __syncthreads(); /* before the next tile writes what this one reads */
    }
}

/* What is added to is on its way with what is copied. */
template <typename T, int LOG>
__global__ void __launch_bounds__(RC_BY_ROWS_THREADS, 4) into_columns(const rc_by_rows_copy_t a)
{
    typedef turn_tile<T, LOG> tile_t;
    typedef sum_of<T> S;
    __shared__ T tile[tile_t::ROWS * tile_t::PITCH];
    const auto beta = beta_of(a.scalars, S());
    wait_for_previous();
    launch_next();
    for (int64_t n = blockIdx.x; n < a.tiles; n += gridDim.x) {
        const tile_t of(a, n);
        T value[tile_t::EACH];
        T old[tile_t::EACH];
#pragma unroll
        for (int e = 0; e < tile_t::EACH; e++)
            value[e] = of.load_rows(of.across(e));
#pragma unroll
        for (int e = 0; e < tile_t::EACH; e++)
            old[e] = beta != S(0) ? of.load_columns(of.down(e)) : T(0);
#pragma unroll
        for (int e = 0; e < tile_t::EACH; e++)
            tile[of.across(e).row * tile_t::PITCH + of.across(e).column] = value[e];
        __syncthreads();
#pragma unroll
        for (int e = 0; e < tile_t::EACH; e++) {
            const turn_at at = of.down(e);
            S x = static_cast<S>(tile[at.row * tile_t::PITCH + at.column]);
            if (beta != S(0))
                x = fma(beta, static_cast<S>(old[e]), x);
            if (of.in_columns(at))
                __stcs(of.of_columns(at), static_cast<T>(x));
        }
        __syncthreads(); /* before the next tile writes what this one reads */
    }
}

template <typename T, int LOG = RC_BY_ROWS_LOG_MIN> const void *turn_entry(int log, bool rows)
{
    if constexpr (LOG < RC_BY_ROWS_LOG_MAX)
        if (log > LOG)
            return turn_entry<T, LOG + 1>(log, rows);
    return rows ? reinterpret_cast<const void *>(into_rows<T, LOG>)
                : reinterpret_cast<const void *>(into_columns<T, LOG>);
}

} // namespace rc

extern "C" const void *rc_by_rows_entry(rc_precision_t precision, int log_columns, int into_rows)
{
    return rc::pick<rc::any>(precision,
        [&](auto t) { return rc::turn_entry<RC_VALUE(t)>(log_columns, into_rows != 0); });
}
