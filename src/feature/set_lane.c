/* What Lane and Booth 2022, Table 1, say of a matrix: a *regular* one has a variance of the row
 * length of at most 10 (of the whole population [chosen]), a symmetric one a pattern symmetry of 1.
 *
 * Pattern symmetry is that of the SuiteSparse collection: the share of the entries off the diagonal
 * whose mirror image is an entry; 1 where there are none; 0 for matrices that are not square. */
#include "config.h"
#include "feature/feature.h"
#include "sparse/csr.h"

/* Sums of whole numbers are exact, so nothing depends on how a mean is rounded. */
typedef unsigned __int128 wide_t;

static const rc_feature_t features[] = {
    {"rdensity", "entries", RC_COST_SHAPE, "mean number of entries of a row"},
    {"nnz_max", "entries", RC_COST_ROWS, "largest number of entries of a row"},
    {"nnz_variance", "entries^2", RC_COST_ROWS, "variance of the number of entries of a row"},
    {"pattern_symmetry", "1", RC_COST_NNZ,
        "share of the entries off the diagonal whose mirror image is an entry"},
};
enum { RDENSITY, NNZ_MAX, NNZ_VARIANCE, PATTERN_SYMMETRY, COUNT };
_Static_assert(sizeof features / sizeof features[0] == COUNT, "features of the set");

static double symmetry(const rc_csr_t *a, int threads)
{
    int64_t off = 0;
    int64_t mirrored = 0;
    if (a->rows != a->cols)
        return 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256) reduction(+ : off, mirrored)
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++) {
            if (a->col_idx[e] == r)
                continue;
            off++;
            mirrored += rc_csr_has(a, a->col_idx[e], r);
        }
    return off ? (double)mirrored / (double)off : 1;
}

static rc_status_t compute(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    int64_t most = 0;
    wide_t squares = 0;
    (void)geometry;
    (void)err;
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t n = a->row_ptr[r + 1] - a->row_ptr[r];
        most = n > most ? n : most;
        squares += (wide_t)n * (wide_t)n;
    }
    double rows = (double)a->rows;
    wide_t n = (wide_t)a->rows;
    wide_t spread = n * squares - (wide_t)a->nnz * (wide_t)a->nnz;
    out[RDENSITY] = a->rows ? (double)a->nnz / rows : 0;
    out[NNZ_MAX] = (double)most;
    out[NNZ_VARIANCE] = a->rows ? (double)spread / (rows * rows) : 0;
    out[PATTERN_SYMMETRY] = symmetry(a, rc_feature_threads(a, 0, threads));
    return RC_OK;
}

const rc_feature_set_t rc_feature_set_lane = {
    .name = "lane",
    .summary = "row lengths and symmetry: which class of matrices it is of",
    .source = "Lane and Booth 2022, Table 1",
    .version = 1,
    .count = COUNT,
    .feature = features,
    .compute = compute,
};
