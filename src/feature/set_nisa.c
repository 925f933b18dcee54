/* The 17 features of Nisa et al. 2018, Table II.  Set 3 is said to bring their number from 11 to 17
 * but the table lists five; the sixth is nnz_min, the counterpart of nnz_max: the data scripts of
 * the group's earlier study (Sedaghati, Mu, Pouchet, Parthasarathy and Sadayappan, Automatic
 * selection of sparse matrix representation on GPUs, ICS 2015) list exactly these 17.
 *
 * A chunk is a longest run of entries in consecutive columns of a row; sizes are over all chunks of
 * the matrix, numbers over all rows, empty ones included.  Standard deviations are of the whole
 * (divided by the count).  Where there is nothing to take a mean, a minimum or a maximum of, the
 * feature is 0. */
#include "config.h"
#include "feature/feature.h"
#include "feature/walk.h"

#include <math.h>
#include <string.h>

static const rc_feature_t features[] = {
    {"rows", "rows", RC_COST_SHAPE, "rows of A"},
    {"cols", "columns", RC_COST_SHAPE, "columns of A"},
    {"nnz", "entries", RC_COST_SHAPE, "entries of A"},
    {"nnz_mu", "entries", RC_COST_SHAPE, "mean number of entries of a row"},
    {"density", "1", RC_COST_SHAPE, "entries over rows times columns"},
    {"nnz_max", "entries", RC_COST_ROWS, "largest number of entries of a row"},
    {"nnz_sigma", "entries", RC_COST_ROWS, "standard deviation of the number of entries of a row"},
    {"row_block_count_mean", "chunks", RC_COST_NNZ,
        "mean number of chunks (runs of consecutive columns) of a row"},
    {"row_block_count_sd", "chunks", RC_COST_NNZ,
        "standard deviation of the number of chunks of a row"},
    {"row_block_size_mean", "entries", RC_COST_NNZ, "mean number of entries of a chunk"},
    {"row_block_size_sd", "entries", RC_COST_NNZ,
        "standard deviation of the number of entries of a chunk"},
    {"nnz_min", "entries", RC_COST_ROWS, "smallest number of entries of a row"},
    {"block_count", "chunks", RC_COST_NNZ, "chunks of all rows"},
    {"row_block_count_min", "chunks", RC_COST_NNZ, "smallest number of chunks of a row"},
    {"row_block_count_max", "chunks", RC_COST_NNZ, "largest number of chunks of a row"},
    {"row_block_size_min", "entries", RC_COST_NNZ, "smallest number of entries of a chunk"},
    {"row_block_size_max", "entries", RC_COST_NNZ, "largest number of entries of a chunk"},
};
enum { COUNT = sizeof features / sizeof features[0] };

typedef unsigned __int128 wide_t;

/* Sums of whole numbers are exact, so nothing depends on which thread adds what. */
typedef struct moments {
    rc_extent_t of;
    wide_t squares;
} moments_t;

static inline void add(moments_t *m, int64_t value)
{
    rc_extent_add(&m->of, value);
    m->squares += (wide_t)value * (wide_t)value;
}

static void merge(moments_t *to, const moments_t *from)
{
    rc_extent_merge(&to->of, &from->of);
    to->squares += from->squares;
}

/* The difference is exact up to 2^48 entries: each product is at most entries^2 2^31. */
static double deviation(const moments_t *m)
{
    wide_t n = (wide_t)m->of.count;
    wide_t spread = n * m->squares - (wide_t)m->of.sum * (wide_t)m->of.sum;
    return m->of.count ? sqrt((double)spread) / (double)m->of.count : 0;
}

typedef struct counts {
    moments_t entries; /* over rows */
    moments_t chunks;  /* over rows */
    moments_t sizes;   /* over chunks */
} counts_t;

static void count_row(const rc_csr_t *a, int64_t row, counts_t *c)
{
    int64_t begin = a->row_ptr[row];
    int64_t end = a->row_ptr[row + 1];
    int64_t chunks = 0;
    for (int64_t e = begin; e < end; chunks++) {
        int64_t start = e;
        for (e++; e < end && a->col_idx[e] - 1 == a->col_idx[e - 1]; e++)
            ;
        add(&c->sizes, e - start);
    }
    add(&c->entries, end - begin);
    add(&c->chunks, chunks);
}

static rc_status_t compute(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    counts_t all;
    (void)geometry;
    (void)err;
    memset(&all, 0, sizeof all);
#pragma omp parallel num_threads(rc_feature_threads(a, 0, threads))
    {
        counts_t c;
        memset(&c, 0, sizeof c);
#pragma omp for schedule(dynamic, 256)
        for (int64_t row = 0; row < a->rows; row++)
            count_row(a, row, &c);
#pragma omp critical(rc_feature_nisa)
        {
            merge(&all.entries, &c.entries);
            merge(&all.chunks, &c.chunks);
            merge(&all.sizes, &c.sizes);
        }
    }
    double values = (double)a->rows * (double)a->cols;
    const double value[COUNT] = {
        (double)a->rows,
        (double)a->cols,
        (double)a->nnz,
        rc_extent_mean(&all.entries.of),
        values > 0 ? (double)a->nnz / values : 0,
        (double)all.entries.of.max,
        deviation(&all.entries),
        rc_extent_mean(&all.chunks.of),
        deviation(&all.chunks),
        rc_extent_mean(&all.sizes.of),
        deviation(&all.sizes),
        (double)all.entries.of.min,
        (double)all.sizes.of.count,
        (double)all.chunks.of.min,
        (double)all.chunks.of.max,
        (double)all.sizes.of.min,
        (double)all.sizes.of.max,
    };
    memcpy(out, value, sizeof value);
    return RC_OK;
}

const rc_feature_set_t rc_feature_set_nisa = {
    .name = "nisa",
    .summary = "sizes, row lengths and runs of consecutive columns",
    .source = "Nisa et al. 2018, Table II",
    .version = 1,
    .count = COUNT,
    .feature = features,
    .compute = compute,
};
