/* What decides how long a product with a vector takes on a GPU, from the row pointers alone: how
 * even rows are, and whether one of them goes on in a second share of a kernel, whose sums then
 * have to be added up.  A share of `coo` has 896 entries and one of `merge` 896 row ends and
 * entries; both look 128 entries back for the begin of their first row.  `csr` gives rows beyond
 * 256 entries CTAs of their own, one for 4,096 entries (kernels/spmv/cuda/spmv.h and spmv_lanes.h).
 *
 * Sums are of whole numbers.  A ratio to no entries is 1, a share of them 0. */
#include "config.h"
#include "feature/feature.h"
#include "feature/shares.h"

#include <math.h>

typedef unsigned __int128 wide_t;

enum { SHARE = RC_SHARES_SHARE, LOOK = RC_SHARES_LOOK, WARP = RC_SHARES_WARP };

static const rc_feature_t features[] = {
    {"rows", "rows", RC_COST_SHAPE, "rows of A"},
    {"cols", "columns", RC_COST_SHAPE, "columns of A"},
    {"nnz", "entries", RC_COST_SHAPE, "entries of A"},
    {"nnz_mu", "entries", RC_COST_SHAPE, "mean number of entries of a row"},
    {"nnz_min", "entries", RC_COST_ROWS, "smallest number of entries of a row"},
    {"nnz_max", "entries", RC_COST_ROWS, "largest number of entries of a row"},
    {"nnz_sigma", "entries", RC_COST_ROWS, "standard deviation of the number of entries of a row"},
    {"empty_share", "1", RC_COST_ROWS, "share of the rows that have no entries"},
    {"long_share", "1", RC_COST_ROWS, "share of the entries in rows of more than 256"},
    {"warp_fill", "1", RC_COST_ROWS,
        "32 times the longest row of every 32 that follow each other, over the entries"},
    {"over_share", "1", RC_COST_ROWS,
        "share of the entries that rows have beyond the mean number, rounded up"},
    {"pieces", "pieces", RC_COST_ROWS,
        "pieces of 4,096 entries, or up to 256 more, that rows of more than 256 are cut into"},
    {"open_entries", "shares", RC_COST_ROWS,
        "shares of 896 entries that begin more than 128 entries after the begin of the row that "
        "they begin in"},
    {"open_items", "shares", RC_COST_ROWS, "the same, of 896 row ends and entries"},
};
enum { ROWS, COLS, NNZ, MU, MIN, MAX, SIGMA, EMPTY_SHARE, LONG_SHARE, WARP_FILL, OVER_SHARE };
enum { PIECES = OVER_SHARE + 1, OPEN_ENTRIES, OPEN_ITEMS, COUNT };
_Static_assert(sizeof features / sizeof features[0] == COUNT, "features of the set");
_Static_assert((int)COUNT == (int)RC_SHARES_FEATURES, "features of the set");

/* The lengths of up to 32 rows, as sums that compilers make of vectors.  A row has fewer than 2^32
 * entries: its columns are that many.  \return the longest */
static int64_t count_warp(const int64_t *ptr, int rows, int64_t width, rc_shares_counts_t *c)
{
    int64_t least = INT64_MAX;
    int64_t most = 0;
    int64_t empty = 0;
    int64_t over = 0;
    uint64_t low = 0;
    uint64_t high = 0;
#pragma omp simd reduction(min : least) reduction(max : most) reduction(+ : empty, over, low, high)
    for (int i = 0; i < rows; i++) {
        int64_t n = ptr[i + 1] - ptr[i];
        uint64_t square = (uint64_t)n * (uint64_t)n;
        least = n < least ? n : least;
        most = n > most ? n : most;
        empty += n == 0;
        over += n > width ? n - width : 0;
        low += square & UINT32_MAX;
        high += square >> 32;
    }
    c->min = least < c->min ? least : c->min;
    c->max = most > c->max ? most : c->max;
    c->empty += empty;
    c->over += over;
    c->squares_low += low;
    c->squares_high += high;
    c->warps += WARP * most;
    return most;
}

/* Rows [first, end), of which `first` begins a warp. */
static rc_shares_counts_t count(const rc_csr_t *a, int64_t first, int64_t end)
{
    rc_shares_counts_t c = {.min = a->rows > 0 ? INT64_MAX : 0};
    int64_t width = rc_shares_width(a->rows, a->nnz);
    for (int64_t row = first; row < end; row += WARP) {
        const int64_t *ptr = a->row_ptr + row;
        int rows = end - row < WARP ? (int)(end - row) : WARP;
        /* else no row is long enough for any of it */
        if (count_warp(ptr, rows, width, &c) > LOOK + 1)
            for (int i = 0; i < rows; i++)
                rc_shares_add_long(row + i, ptr[i], ptr[i + 1] - ptr[i], &c);
    }
    return c;
}

static void add(rc_shares_counts_t *to, const rc_shares_counts_t *c)
{
    to->min = c->min < to->min ? c->min : to->min;
    to->max = c->max > to->max ? c->max : to->max;
    to->empty += c->empty;
    to->in_long += c->in_long;
    to->warps += c->warps;
    to->over += c->over;
    to->pieces += c->pieces;
    to->open_entries += c->open_entries;
    to->open_items += c->open_items;
    to->squares_low += c->squares_low;
    to->squares_high += c->squares_high;
}

/* Threads pay from RC_FEATURE_ALONE rows on: entries are not looked at. */
static rc_shares_counts_t count_all(const rc_csr_t *a, int threads)
{
    enum { turn = 1 << 16 }; /* rows: a multiple of WARP */
    if (a->rows < RC_FEATURE_ALONE || threads == 1)
        return count(a, 0, a->rows);
    rc_shares_counts_t all = {.min = INT64_MAX};
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
    for (int64_t row = 0; row < a->rows; row += turn) {
        rc_shares_counts_t c = count(a, row, a->rows - row < turn ? a->rows : row + turn);
#pragma omp critical(rc_feature_shares)
        add(&all, &c);
    }
    return all;
}

void rc_shares_features(
    const rc_shares_counts_t *c, int64_t rows, int64_t cols, int64_t nnz, double *out)
{
    wide_t squares = ((wide_t)c->squares_high << 32) + c->squares_low;
    wide_t spread = (wide_t)rows * squares - (wide_t)nnz * (wide_t)nnz;
    double all = (double)nnz;
    int some = nnz > 0;
    out[ROWS] = (double)rows;
    out[COLS] = (double)cols;
    out[NNZ] = all;
    out[MU] = rows > 0 ? all / (double)rows : 0;
    out[MIN] = (double)c->min;
    out[MAX] = (double)c->max;
    out[SIGMA] = rows > 0 ? sqrt((double)spread) / (double)rows : 0;
    out[EMPTY_SHARE] = rows > 0 ? (double)c->empty / (double)rows : 0;
    out[LONG_SHARE] = some ? (double)c->in_long / all : 0;
    out[WARP_FILL] = some ? (double)c->warps / all : 1;
    out[OVER_SHARE] = some ? (double)c->over / all : 0;
    out[PIECES] = (double)c->pieces;
    out[OPEN_ENTRIES] = (double)c->open_entries;
    out[OPEN_ITEMS] = (double)c->open_items;
}

static rc_status_t compute(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    const rc_shares_counts_t c = count_all(a, threads);
    (void)geometry;
    (void)err;
    rc_shares_features(&c, a->rows, a->cols, a->nnz, out);
    return RC_OK;
}

/* What formats read and how their shares come out, the bytes of a value known: 4 bytes a column, 4
 * a row pointer. */
static const rc_feature_t product_inputs[] = {
    {"a_bytes", "bytes", RC_COST_SHAPE, "columns, values and row pointers of A"},
    {"all_bytes", "bytes", RC_COST_SHAPE, "these, the vector and the result"},
    {"x_bytes", "bytes", RC_COST_SHAPE, "the vector"},
    {"ell_bytes", "bytes", RC_COST_SHAPE, "columns and values of rows as long as the longest"},
    {"ell_fill", "1", RC_COST_SHAPE, "their places over the entries"},
    {"warp_places", "places", RC_COST_SHAPE,
        "32 times the longest row of every 32 that follow each other"},
    {"skew", "1", RC_COST_SHAPE, "entries of the longest row over the mean"},
    {"over_entries", "entries", RC_COST_SHAPE,
        "entries that rows have beyond the mean number, rounded up"},
    {"shares_entries", "shares", RC_COST_SHAPE, "shares of 896 entries"},
    {"shares_items", "shares", RC_COST_SHAPE, "shares of 896 row ends and entries"},
    {"open_entries_share", "1", RC_COST_SHAPE,
        "share of the shares of entries that are open_entries"},
    {"open_items_share", "1", RC_COST_SHAPE, "the same of open_items"},
};

static void compute_product(const double *feature, double k, double value_bytes, double *out)
{
    double nnz = feature[NNZ];
    double items = nnz + feature[ROWS];
    double places = feature[MAX] * feature[ROWS];
    double bytes = nnz * (4 + value_bytes) + 4 * feature[ROWS];
    double columns = k > 0 ? k : 1; /* of the vector */
    *out++ = bytes;
    *out++ = bytes + (feature[ROWS] + feature[COLS]) * columns * value_bytes;
    *out++ = feature[COLS] * columns * value_bytes;
    *out++ = places * (4 + value_bytes);
    *out++ = nnz > 0 ? places / nnz : 1;
    *out++ = nnz * feature[WARP_FILL];
    *out++ = nnz > 0 ? feature[MAX] / feature[MU] : 1;
    *out++ = nnz * feature[OVER_SHARE];
    *out++ = nnz / SHARE;
    *out++ = items / SHARE;
    *out++ = nnz > 0 ? feature[OPEN_ENTRIES] * SHARE / nnz : 0;
    *out = items > 0 ? feature[OPEN_ITEMS] * SHARE / items : 0;
}

static const rc_feature_product_t product = {
    .count = sizeof product_inputs / sizeof product_inputs[0],
    .input = product_inputs,
    .compute = compute_product,
};

const rc_feature_set_t rc_feature_set_shares = {
    .name = "shares",
    .summary =
        "row lengths, and rows that go on in a second share: which format of a product with a "
        "vector suits",
    .source = "our own, at the top of src/feature/set_shares.c",
    .version = 1,
    .count = COUNT,
    .feature = features,
    .compute = compute,
    .product = &product,
};
