/* The cells of rows and of cells that the orders `cells` and `multilevel` share on a GPU, and
 * the rows sorted by them: the GPU form of src/order/cells.h. */
#ifndef RC_ORDER_CUDA_SEARCH_CUH
#define RC_ORDER_CUDA_SEARCH_CUH

#include "order/cuda/orders.cuh"

namespace rc
{

enum {
    CELL_THREADS = 512,
    CELL_LEVELS = 24,              /* of cells, at most: 2^23 in pairs */
    CELL_ROUNDS = RC_LOCAL_ROUNDS, /* of a search */
};

struct cells {
    int64_t size;   /* rows a cell */
    int64_t count;  /* cells of rows */
    uint32_t *row;  /* [rows] round and cell */
    uint32_t *col;  /* [cols] */
    uint32_t *link; /* [rows] */
    uint32_t *at;   /* [count] cell of the present level */
    uint32_t *key;  /* [count] round and cell of the next level */
    uint64_t *path; /* [words][count] cells of all levels, the top highest */
    int *found;     /* [1 + CELL_LEVELS][CELL_ROUNDS + 1], zeroed: a round found something */
};

/* Where the number of the cell of a level is in a path. */
struct path_place {
    int word;
    int shift;
};

struct paths {
    int levels; /* levels above the cells of rows */
    int words;
    int branch[CELL_LEVELS]; /* cells of a level that make a larger one */
    int bits[CELL_LEVELS];   /* of a word */
    path_place place[CELL_LEVELS];
};

struct search {
    rc_executor_t *x;
    const rc_cuda_pattern_t *a;
    int64_t rounds; /* of label propagation */
    cells c;
    paths p;
    uint64_t *cell_key[2];
    int32_t *cell_order[2];
    uint32_t *rank;       /* [count] */
    uint32_t *columns;    /* [2 cols] for votes; the first half is c.col */
    uint32_t *key_beside; /* [rows] */
    int32_t *beside;      /* [rows] */
    void *temp;
    int64_t temp_bytes;
};

/* Sizes alone: cells of about so many rows, and no levels above. */
rc_status_t search_begin(rc_executor_t *x, const rc_cuda_pattern_t *a, int64_t size, int64_t rounds,
    search *s, rc_err_t *err);

/* One more level, of the cells of one of n.  \return how many it has */
int64_t search_add_level(paths *p, int64_t n, int64_t branch);

void search_take(search *s, workspace *w);

/* Cells of rows, links, cells of cells: c.row, c.col, c.link, c.path, and in c.at those of the
 * top. */
rc_status_t search_cells(search *s, rc_err_t *err);

/* Rows by the order of the paths of their cells, then by their smallest column; then label
 * propagation. */
rc_status_t search_place(search *s, int32_t *slots, rc_err_t *err);

/* A cooperative launch of as many blocks as fit, from `least` to `blocks`. */
template <typename Kernel>
rc_status_t cooperate(const rc_executor_t *x, Kernel kernel, int64_t least, int64_t blocks,
    int threads, void **args, const char *what, rc_err_t *err)
{
    int fit = 0;
    RC_PASS(rc_cuda_check(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, threads, 0), what, err));
    const int64_t most = (int64_t)fit * rc_cuda_sms(x);
    blocks = blocks > most ? most : blocks;
    blocks = blocks < least ? least : blocks;
    const cudaError_t e = cudaLaunchCooperativeKernel(
        kernel, dim3((unsigned)blocks), dim3((unsigned)threads), args, 0, rc_cuda_stream(x));
    /* a part of the GPU, or one that cannot: the host has the order too */
    if (e == cudaErrorCooperativeLaunchTooLarge || e == cudaErrorNotSupported) {
        (void)cudaGetLastError();
        return rc_fail(err, RC_ENOTSUP, "%s: %s", what, cudaGetErrorString(e));
    }
    return rc_cuda_check(e, what, err);
}

} // namespace rc

#endif
