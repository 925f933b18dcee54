/* format/mma.h on a GPU: a warp has a panel, a lane one of its rows, a CTA a segment. */
#include "format/cuda/build.cuh"

namespace
{

constexpr int LANES = 32;
constexpr unsigned ALL = ~0u; /* lanes */
constexpr int THREADS = 512;
constexpr int WARPS = THREADS / LANES;
constexpr int PANELS = RC_CHUNKS_SEGMENT / RC_MMA_ROWS; /* of a segment */
static_assert(RC_CHUNKS_SEGMENT % RC_MMA_ROWS == 0 && RC_MMA_ROWS <= LANES, "a panel is whole");

enum { TILES }; /* number of a segment */

/* The next entry of the lane's row, and the end of it; lanes without a row have none. */
struct walk {
    const int32_t *col;
    int64_t at;
    int64_t end;

    __device__ walk(const rc_build_items_t &items, int64_t panel)
        : col(items.col_idx), at(0), end(0)
    {
        const int lane = threadIdx.x % LANES;
        const int64_t slot = panel * RC_MMA_ROWS + lane;
        if (lane < RC_MMA_ROWS && slot < items.slots) {
            const rc::item it = rc::item_at(items, slot);
            at = it.first;
            end = it.first + it.length;
        }
    }

    /* The next column of the panel, INT32_MAX at the end.  \param[out] mine  the lane has it */
    __device__ int32_t next(bool *mine) const
    {
        const int32_t own = at < end ? col[at] : INT32_MAX;
        int32_t least = own;
        for (int step = LANES / 2; step > 0; step /= 2)
            least = min(least, __shfl_xor_sync(ALL, least, step));
        *mine = own == least && at < end;
        return least;
    }
};

/* Tiles of every panel, and of the segment. */
__global__ void __launch_bounds__(THREADS)
    count(rc_build_items_t items, int32_t *tiles, int64_t *total)
{
    __shared__ int32_t of[PANELS];
    const int64_t first = static_cast<int64_t>(blockIdx.x) * PANELS;
    for (int i = threadIdx.x / LANES; i < PANELS; i += WARPS) {
        walk w(items, first + i);
        int32_t columns = 0;
        bool mine;
        while (w.next(&mine) != INT32_MAX) {
            w.at += mine;
            columns++;
        }
        if (threadIdx.x % LANES == 0) {
            of[i] = static_cast<int32_t>(rc::ceil_div(columns, RC_MMA_COLS));
            tiles[first + i] = of[i];
        }
    }
    __syncthreads();
    if (threadIdx.x < RC_BUILD_TOTALS) {
        int64_t sum = 0;
        for (int i = 0; i < PANELS && threadIdx.x == TILES; i++)
            sum += of[i];
        total[static_cast<int64_t>(blockIdx.x) * RC_BUILD_TOTALS + threadIdx.x] = sum;
    }
}

struct filling {
    rc_build_items_t items;
    const int32_t *tiles; /* of every panel */
    const int64_t *total;
    int64_t panels;
    int32_t *ptr;
    int32_t *col;
    rc::places entry; /* zeros */
};

__device__ void fill_panel(const filling &f, int64_t panel, int64_t begin, int64_t end)
{
    const int lane = threadIdx.x % LANES;
    walk w(f.items, panel);
    int64_t at = begin * RC_MMA_COLS;
    int32_t last = 0;
    bool mine;
    for (int32_t c = w.next(&mine); c != INT32_MAX; c = w.next(&mine), at++) {
        if (mine) {
            const int place = rc_mma_place(lane, static_cast<int>(at % RC_MMA_COLS));
            f.entry.put(at / RC_MMA_COLS * RC_MMA_PLACES + place, w.at);
            w.at++;
        }
        if (lane == 0)
            f.col[at] = c;
        last = c;
    }
    if (at + lane < end * RC_MMA_COLS)
        f.col[at + lane] = last;
}

__global__ void __launch_bounds__(THREADS) place(filling f)
{
    __shared__ int64_t begin[PANELS + 1];
    const int64_t first = static_cast<int64_t>(blockIdx.x) * PANELS;
    if (threadIdx.x == 0) {
        begin[0] = f.total[static_cast<int64_t>(blockIdx.x) * RC_BUILD_TOTALS + TILES];
        for (int i = 0; i < PANELS; i++)
            begin[i + 1] = begin[i] + f.tiles[first + i];
    }
    __syncthreads();
    for (int i = threadIdx.x / LANES; i < PANELS && first + i < f.panels; i += WARPS) {
        if (threadIdx.x % LANES == 0)
            f.ptr[first + i + 1] = static_cast<int32_t>(begin[i + 1]);
        fill_panel(f, first + i, begin[i], begin[i + 1]);
    }
}

} // namespace

extern "C" rc_status_t rc_build_mma_measure(rc_build_t *b, int64_t *tiles, rc_err_t *err)
{
    int64_t total[RC_BUILD_TOTALS] = {0};
    void *room = b->chosen;
    if (!room)
        RC_PASS(rc_memory_room(
            &b->memory, static_cast<size_t>(b->segments) * PANELS * sizeof(int32_t), &room, err));
    b->chosen = room;
    {
        const rc::current gpu(b->x);
        if (b->segments > 0)
            count<<<static_cast<unsigned>(b->segments), THREADS, 0, rc_cuda_stream(b->x)>>>(
                b->items, static_cast<int32_t *>(room), b->total);
        RC_PASS(rc_cuda_launched("counting the tiles of a matrix", err));
    }
    RC_PASS(rc_build_scan(b, b->total, b->segments, err));
    RC_PASS(rc_build_totals(b, b->total, b->segments, total, err));
    *tiles = total[TILES];
    return rc_mma_check(*tiles, err);
}

extern "C" rc_status_t rc_build_mma(rc_build_t *b, const rc_mma_t *out, rc_err_t *err)
{
    const size_t places = static_cast<size_t>(out->tiles) * RC_MMA_PLACES;
    const filling f = {b->items, static_cast<const int32_t *>(b->chosen), b->total, out->panels,
        out->ptr, out->col, {out->entry, out->entry_bytes}};
    const rc::current gpu(b->x);
    cudaStream_t stream = rc_cuda_stream(b->x);
    RC_PASS(rc_cuda_check(
        cudaMemsetAsync(out->ptr, 0, sizeof *out->ptr, stream), "clearing a pointer", err));
    if (places > 0)
        RC_PASS(rc_cuda_check(
            cudaMemsetAsync(out->entry, 0, places * static_cast<size_t>(out->entry_bytes), stream),
            "clearing places", err));
    if (b->segments > 0)
        place<<<static_cast<unsigned>(b->segments), THREADS, 0, stream>>>(f);
    return rc_cuda_launched("building the tiles of a matrix", err);
}
