/* How much of what kernels store of a matrix is padding, and how often neighbouring rows need the
 * same rows of B.  A row is cut into chunks of N entries, at least one; blocks of N rows follow
 * each other from row 0.  Sums are of whole numbers, so nothing depends on which thread adds what.
 * A ratio to no entries is 1, a share of them 0. */
#include "config.h"
#include "feature/feature.h"
#include "base/alloc.h"
#include "base/error.h"
#include "feature/shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTHS = 9, CHUNKS = 5, BLOCKS = 5, LINE = 8 };
extern const rc_feature_set_t rc_feature_set_shares;

static const int64_t chunk_entries[CHUNKS] = {4, 8, 16, 32, 64};
static const int64_t block_rows[BLOCKS] = {2, 8, 32, 128, 512};

static const rc_feature_t features[] = {
    {"rows", "rows", RC_COST_SHAPE, "rows of A"},
    {"cols", "columns", RC_COST_SHAPE, "columns of A"},
    {"nnz", "entries", RC_COST_SHAPE, "entries of A"},
    {"nnz_mu", "entries", RC_COST_SHAPE, "mean number of entries of a row"},
    {"nnz_max", "entries", RC_COST_ROWS, "largest number of entries of a row"},
    {"nnz_sigma", "entries", RC_COST_ROWS, "standard deviation of the number of entries of a row"},
    {"empty_share", "1", RC_COST_ROWS, "share of the rows that have no entries"},
    {"long_share", "1", RC_COST_ROWS, "share of the entries in rows of more than 256"},
    {"warp_fill", "1", RC_COST_ROWS,
        "32 times the longest row of every 32 that follow each other, over the entries"},
    {"chunk_4", "1", RC_COST_ROWS, "places in chunks of 4 entries over the entries"},
    {"chunk_8", "1", RC_COST_ROWS, "the same, of 8"},
    {"chunk_16", "1", RC_COST_ROWS, "the same, of 16"},
    {"chunk_32", "1", RC_COST_ROWS, "the same, of 32"},
    {"chunk_64", "1", RC_COST_ROWS, "the same, of 64"},
    {"block_2", "entries", RC_COST_NNZ, "entries over the distinct columns of blocks of 2 rows"},
    {"block_8", "entries", RC_COST_NNZ, "the same, of 8 rows"},
    {"block_32", "entries", RC_COST_NNZ, "the same, of 32 rows"},
    {"block_128", "entries", RC_COST_NNZ, "the same, of 128 rows"},
    {"block_512", "entries", RC_COST_NNZ, "the same, of 512 rows"},
    {"line_entries", "entries", RC_COST_NNZ,
        "entries over the distinct lines of 8 columns of rows: 32 bytes of a column of B in fp32"},
    {"distance", "1", RC_COST_NNZ,
        "mean distance of an entry (i, j) from the diagonal, |j n_row - i n_col| over n_row n_col"},
};
enum { COUNT = sizeof features / sizeof features[0] };

typedef struct counts {
    int64_t lines;
    int64_t chunks[CHUNKS];
    int64_t distinct[BLOCKS];
    int64_t distance; /* in columns */
} counts_t;

static void merge(counts_t *to, const counts_t *from)
{
    to->lines += from->lines;
    for (int i = 0; i < CHUNKS; i++)
        to->chunks[i] += from->chunks[i];
    for (int i = 0; i < BLOCKS; i++)
        to->distinct[i] += from->distinct[i];
    to->distance += from->distance;
}

static void count_row(const rc_csr_t *a, int64_t row, counts_t *c)
{
    int64_t begin = a->row_ptr[row];
    int64_t n = a->row_ptr[row + 1] - begin;
    int64_t line = -1;
    /* the column that is as far along a row as the row is in its column */
    int64_t diagonal = (int64_t)((double)row * (double)a->cols / (double)a->rows);
    for (int i = 0; i < CHUNKS; i++)
        c->chunks[i] += n > 0 ? (n + chunk_entries[i] - 1) / chunk_entries[i] : 1;
    for (int64_t e = begin; e < begin + n; e++) {
        int64_t j = a->col_idx[e];
        c->lines += j / LINE != line;
        line = j / LINE;
        c->distance += j > diagonal ? j - diagonal : diagonal - j;
    }
}

/* Rows first .. end - 1, which blocks of the largest size begin and end with.
 * \param[in,out] seen  [BLOCKS][cols] the last block of each size that a column was in, from 1 */
static void count_rows(const rc_csr_t *a, int64_t first, int64_t end, int32_t *seen, counts_t *c)
{
    for (int64_t row = first; row < end; row++) {
        count_row(a, row, c);
        for (int64_t e = a->row_ptr[row]; e < a->row_ptr[row + 1]; e++)
            for (int i = 0; i < BLOCKS; i++) {
                int32_t *at = &seen[(int64_t)a->col_idx[e] * BLOCKS + i];
                int32_t block = (int32_t)(row / block_rows[i]) + 1;
                c->distinct[i] += *at != block;
                *at = block;
            }
    }
}

/* Those that follow from row lengths, as `shares` has them. */
static rc_status_t put_lengths(const rc_csr_t *a, int threads, double *out, rc_err_t *err)
{
    enum { BEFORE = 4 }; /* nnz_min, which is none of them */
    double shares[RC_SHARES_FEATURES];
    rc_status_t st = rc_feature_set_shares.compute(a, NULL, threads, shares, err);
    memcpy(out, shares, BEFORE * sizeof *out);
    memcpy(out + BEFORE, shares + BEFORE + 1, (LENGTHS - BEFORE) * sizeof *out);
    return st;
}

static void put(const rc_csr_t *a, const counts_t *c, double *out)
{
    double nnz = (double)a->nnz;
    int some = a->nnz > 0;
    for (int i = 0; i < CHUNKS; i++)
        *out++ = some ? (double)(c->chunks[i] * chunk_entries[i]) / nnz : 1;
    for (int i = 0; i < BLOCKS; i++)
        *out++ = some ? nnz / (double)c->distinct[i] : 1;
    *out++ = some ? nnz / (double)c->lines : 1;
    *out = some ? (double)c->distance / nnz / (double)a->cols : 0;
}

static rc_status_t compute(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    const int64_t block = block_rows[BLOCKS - 1];
    counts_t all = {0};
    int failed = 0;
    (void)geometry;
#pragma omp parallel num_threads(rc_feature_threads(a, BLOCKS * a->cols, threads))
    {
        counts_t c = {0};
        rc_err_t why = {0};
        int32_t *seen =
            rc_alloc0((size_t)a->cols + 1, BLOCKS * sizeof *seen, "columns of blocks", &why);
        if (!seen) {
#pragma omp atomic write
            failed = 1;
        }
#pragma omp for schedule(dynamic, 1)
        for (int64_t first = 0; first < a->rows; first += block)
            if (seen)
                count_rows(a, first, first + block < a->rows ? first + block : a->rows, seen, &c);
        free(seen);
#pragma omp critical(rc_feature_storage)
        merge(&all, &c);
    }
    if (failed)
        return rc_fail(err, RC_ENOMEM, "no memory for the columns of blocks of rows");
    put(a, &all, out + LENGTHS);
    return put_lengths(a, threads, out, err);
}

/* ------------------------------------------------------------------- product */

/* How kernels of row-major and column-major products are launched, K and the bytes of a value
 * known.  A lane takes 16 bytes of a row of B, less where K is no multiple of that; lanes beyond
 * the row are idle, as is what a strip of 128 to 512 bytes has beyond it.  `gchunk` left alone has
 * chunks of 4, 8 or 16 entries by the mean of the rows that have some, more where a row of twice
 * the mean is longer than a block of 16 chunks: longer rows are added up in a second step
 * (format/chunks.c, kernels/spmm/cuda/gchunk.c). */
enum { LOAD = 16, LANES = 32, BLOCK = 16, STRIPS = 3, ENTRIES_MAX = 64 };
static const double strip_bytes[STRIPS] = {128, 256, 512};

static const rc_feature_t product_inputs[] = {
    {"chunks_4", "chunks", RC_COST_SHAPE, "chunks of 4 entries"},
    {"chunks_8", "chunks", RC_COST_SHAPE, "the same, of 8"},
    {"chunks_16", "chunks", RC_COST_SHAPE, "the same, of 16"},
    {"chunks_32", "chunks", RC_COST_SHAPE, "the same, of 32"},
    {"chunks_64", "chunks", RC_COST_SHAPE, "the same, of 64"},
    {"threads_4", "threads", RC_COST_SHAPE,
        "loads of 16 bytes that chunks of 4 entries have side by side, one for each thread"},
    {"threads_8", "threads", RC_COST_SHAPE, "the same, of 8"},
    {"threads_16", "threads", RC_COST_SHAPE, "the same, of 16"},
    {"threads_32", "threads", RC_COST_SHAPE, "the same, of 32"},
    {"threads_64", "threads", RC_COST_SHAPE, "the same, of 64"},
    {"auto_entries", "entries", RC_COST_SHAPE, "entries of the chunks of gchunk left alone"},
    {"auto_chunks", "chunks", RC_COST_SHAPE, "chunks of so many"},
    {"auto_threads", "threads", RC_COST_SHAPE, "loads of 16 bytes that they have side by side"},
    {"auto_blocks", "1", RC_COST_SHAPE,
        "entries of the longest row over those of a block of such chunks"},
    {"filled_mu", "entries", RC_COST_SHAPE, "mean number of entries of the rows that have some"},
    {"skew", "1", RC_COST_SHAPE, "entries of the longest row over the mean"},
    {"work_bytes", "bytes", RC_COST_SHAPE, "rows of B that all entries take"},
    {"longest_bytes", "bytes", RC_COST_SHAPE, "rows of B that the longest row takes"},
    {"b_bytes", "bytes", RC_COST_SHAPE, "all of B"},
    {"c_bytes", "bytes", RC_COST_SHAPE, "all of C"},
    {"row_bytes", "bytes", RC_COST_SHAPE, "a row of B"},
    {"load_values", "values", RC_COST_SHAPE, "values that a lane loads at once: K is a multiple"},
    {"loads", "loads", RC_COST_SHAPE, "such loads of a row of B"},
    {"idle_lanes", "1", RC_COST_SHAPE,
        "lanes that take a row of B, in teams of a power of two up to 32, over its loads"},
    {"idle_128", "1", RC_COST_SHAPE,
        "bytes of the strips of 128 that a row of B begins, over its bytes"},
    {"idle_256", "1", RC_COST_SHAPE, "the same, of 256"},
    {"idle_512", "1", RC_COST_SHAPE, "the same, of 512"},
};

/* Of gchunk left alone, as rc_chunks_entries has it; the number of the size. */
static int auto_chunk(double mean)
{
    int c = mean < 5 ? 0 : mean < 14 ? 1 : 2;
    while (chunk_entries[c] < ENTRIES_MAX && 2 * mean > (double)(chunk_entries[c] * BLOCK))
        c++;
    return c;
}

/* Loads of a row of B, and the lanes that take them. */
static void put_row(double k, double value_bytes, double *out)
{
    double values = LOAD / value_bytes;
    double lanes = LANES;
    while (values > 1 && fmod(k, values) != 0)
        values /= 2;
    double loads = k / values;
    while (lanes > 1 && lanes / 2 >= loads)
        lanes /= 2;
    *out++ = k * value_bytes;
    *out++ = values;
    *out++ = loads;
    *out++ = ceil(loads / lanes) * lanes / loads;
    for (int i = 0; i < STRIPS; i++)
        *out++ = ceil(k * value_bytes / strip_bytes[i]) * strip_bytes[i] / (k * value_bytes);
}

static void compute_product(const double *feature, double k, double value_bytes, double *out)
{
    enum { ROWS, COLS, NNZ, MU, MAX, SIGMA, EMPTY_SHARE, LONG_SHARE, WARP_FILL, CHUNK };
    double columns = k > 0 ? k : 1; /* a product with a vector */
    double wide = columns * value_bytes;
    double filled = feature[ROWS] * (1 - feature[EMPTY_SHARE]);
    double mean = feature[NNZ] > 0 ? feature[NNZ] / filled : 0;
    int alone = auto_chunk(mean);
    double chunks[CHUNKS];
    for (int i = 0; i < CHUNKS; i++)
        *out++ = chunks[i] = feature[NNZ] * feature[CHUNK + i] / (double)chunk_entries[i];
    for (int i = 0; i < CHUNKS; i++)
        *out++ = chunks[i] * wide / LOAD;
    *out++ = (double)chunk_entries[alone];
    *out++ = chunks[alone];
    *out++ = chunks[alone] * wide / LOAD;
    *out++ = feature[MAX] / (double)(BLOCK * chunk_entries[alone]);
    *out++ = mean;
    *out++ = feature[NNZ] > 0 ? feature[MAX] / feature[MU] : 1;
    *out++ = feature[NNZ] * wide;
    *out++ = feature[MAX] * wide;
    *out++ = feature[COLS] * wide;
    *out++ = feature[ROWS] * wide;
    put_row(columns, value_bytes, out);
}

static const rc_feature_product_t product = {
    .count = sizeof product_inputs / sizeof product_inputs[0],
    .input = product_inputs,
    .compute = compute_product,
};

const rc_feature_set_t rc_feature_set_storage = {
    .name = "storage",
    .summary = "padding of chunks and warps, columns that blocks of rows share: which kernel suits",
    .source = "our own, at the top of src/feature/set_storage.c",
    .version = 1,
    .count = COUNT,
    .feature = features,
    .compute = compute,
    .product = &product,
};
