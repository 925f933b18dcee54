/* What decides how long a product with a vector takes on a GPU, from the row pointers alone: how even rows are, and
 * whether one of them goes on in a second share of a kernel, whose sums then have to be added up.  A share of `coo` has
 * 896 entries and one of `merge` 896 row ends and entries; both look 128 entries back for the begin of their first row.
 * `csr` gives rows beyond 256 entries CTAs of their own, one for 4,096 entries (kernels/cuda/spmv.h and spmv_lanes.h).
 *
 * Sums are of whole numbers.  A ratio to no entries is 1, a share of them 0. */
#include "config.h"
#include "feature/feature.h"

#include <math.h>

typedef unsigned __int128 wide_t;

enum { SHARE = 896, LOOK = 128, LONG = 256, PIECE = 4096, WARP = 32 };

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
    {"warp_fill", "1", RC_COST_ROWS, "32 times the longest row of every 32 that follow each other, over the entries"},
    {"over_share", "1", RC_COST_ROWS, "share of the entries that rows have beyond the mean number, rounded up"},
    {"pieces", "pieces", RC_COST_ROWS, "pieces of 4,096 entries, or up to 256 more, that rows of more than 256 are cut into"},
    {"open_entries", "shares", RC_COST_ROWS,
        "shares of 896 entries that begin more than 128 entries after the begin of the row that they begin in"},
    {"open_items", "shares", RC_COST_ROWS, "the same, of 896 row ends and entries"},
};
enum {
    ROWS,
    COLS,
    NNZ,
    MU,
    MIN,
    MAX,
    SIGMA,
    EMPTY_SHARE,
    LONG_SHARE,
    WARP_FILL,
    OVER_SHARE,
    PIECES,
    OPEN_ENTRIES,
    OPEN_ITEMS,
    COUNT
};
_Static_assert(sizeof features / sizeof features[0] == COUNT, "features of the set");

typedef struct counts {
    int64_t min;
    int64_t max;
    int64_t empty;
    int64_t in_long;
    int64_t warps;
    int64_t over;
    int64_t pieces;
    int64_t open_entries;
    int64_t open_items;
    wide_t squares;
} counts_t;

/* Shares that begin inside of a row that begins at place `from` of what is shared out, far enough from there. */
static int64_t open_shares(int64_t from, int64_t entries)
{
    return entries > LOOK + 1 ? (from + entries - 1) / SHARE - (from + LOOK) / SHARE : 0;
}

static void count_row(const rc_csr_t *a, int64_t row, int64_t width, counts_t *c)
{
    int64_t begin = a->row_ptr[row];
    int64_t n = a->row_ptr[row + 1] - begin;
    c->min = n < c->min ? n : c->min;
    c->max = n > c->max ? n : c->max;
    c->empty += n == 0;
    c->in_long += n > LONG ? n : 0;
    c->over += n > width ? n - width : 0;
    c->pieces += n > LONG ? 1 + (n - LONG) / PIECE : 0;
    c->open_entries += open_shares(begin, n);
    c->open_items += open_shares(begin + row, n);
    c->squares += (wide_t)n * (wide_t)n;
}

static counts_t count(const rc_csr_t *a)
{
    counts_t c = {.min = a->rows > 0 ? INT64_MAX : 0};
    int64_t width = a->rows > 0 ? (a->nnz + a->rows - 1) / a->rows : 0;
    int64_t longest = 0;
    for (int64_t row = 0; row < a->rows; row++) {
        int64_t n = a->row_ptr[row + 1] - a->row_ptr[row];
        count_row(a, row, width, &c);
        longest = n > longest ? n : longest;
        if (row % WARP == WARP - 1 || row + 1 == a->rows) {
            c.warps += WARP * longest;
            longest = 0;
        }
    }
    return c;
}

static rc_status_t compute(const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    const counts_t c = count(a);
    double nnz = (double)a->nnz;
    double rows = (double)a->rows;
    wide_t spread = (wide_t)a->rows * c.squares - (wide_t)a->nnz * (wide_t)a->nnz;
    int some = a->nnz > 0;
    (void)geometry;
    (void)threads; /* a pass over row pointers is over before a second thread has begun */
    (void)err;
    out[ROWS] = rows;
    out[COLS] = (double)a->cols;
    out[NNZ] = nnz;
    out[MU] = a->rows > 0 ? nnz / rows : 0;
    out[MIN] = (double)c.min;
    out[MAX] = (double)c.max;
    out[SIGMA] = a->rows > 0 ? sqrt((double)spread) / rows : 0;
    out[EMPTY_SHARE] = a->rows > 0 ? (double)c.empty / rows : 0;
    out[LONG_SHARE] = some ? (double)c.in_long / nnz : 0;
    out[WARP_FILL] = some ? (double)c.warps / nnz : 1;
    out[OVER_SHARE] = some ? (double)c.over / nnz : 0;
    out[PIECES] = (double)c.pieces;
    out[OPEN_ENTRIES] = (double)c.open_entries;
    out[OPEN_ITEMS] = (double)c.open_items;
    return RC_OK;
}

/* What formats read and how their shares come out, the bytes of a value known: 4 bytes a column, 4 a row pointer. */
static const rc_feature_t product_inputs[] = {
    {"a_bytes", "bytes", RC_COST_SHAPE, "columns, values and row pointers of A"},
    {"all_bytes", "bytes", RC_COST_SHAPE, "these, the vector and the result"},
    {"x_bytes", "bytes", RC_COST_SHAPE, "the vector"},
    {"ell_bytes", "bytes", RC_COST_SHAPE, "columns and values of rows as long as the longest"},
    {"ell_fill", "1", RC_COST_SHAPE, "their places over the entries"},
    {"warp_places", "places", RC_COST_SHAPE, "32 times the longest row of every 32 that follow each other"},
    {"skew", "1", RC_COST_SHAPE, "entries of the longest row over the mean"},
    {"over_entries", "entries", RC_COST_SHAPE, "entries that rows have beyond the mean number, rounded up"},
    {"shares_entries", "shares", RC_COST_SHAPE, "shares of 896 entries"},
    {"shares_items", "shares", RC_COST_SHAPE, "shares of 896 row ends and entries"},
    {"open_entries_share", "1", RC_COST_SHAPE, "share of the shares of entries that are open_entries"},
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
    .summary = "row lengths, and rows that go on in a second share: which format of a product with a vector suits",
    .source = "our own, at the top of src/feature/set_shares.c",
    .version = 1,
    .count = COUNT,
    .feature = features,
    .compute = compute,
    .product = &product,
};
