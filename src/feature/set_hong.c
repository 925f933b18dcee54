/* The distances between adjacent entries of a row, Hong et al. 2018, section 4.2: how many of them
 * fall into each of the bins 1, 2-3, 4-15, 16-63, ..., in powers of 4.  A distance is the
 * difference of the columns; what the paper writes as "1, 1-3" is taken as 1 and 2 to 3.  The last
 * bin of the paper ends at 4^10; one more takes what is beyond, so that every pair is counted. */
#include "config.h"
#include "feature/feature.h"

#define BIN(name, what)                                                                            \
    {                                                                                              \
        name, "pairs", RC_COST_NNZ, "adjacent entries of a row at distance " what                  \
    }

static const rc_feature_t features[] = {
    BIN("distance_1", "1"),
    BIN("distance_2", "2 to 3"),
    BIN("distance_4", "4 to 15"),
    BIN("distance_16", "16 to 63"),
    BIN("distance_64", "64 to 255"),
    BIN("distance_256", "256 to 1023"),
    BIN("distance_1024", "1024 to 4095"),
    BIN("distance_4096", "4096 to 16383"),
    BIN("distance_16384", "16384 to 65535"),
    BIN("distance_65536", "65536 to 262143"),
    BIN("distance_262144", "262144 to 1048575"),
    BIN("distance_1048576", "1048576 and more"),
};
enum { COUNT = sizeof features / sizeof features[0] };

/* By the number of binary digits: 1 is bin 0, 2 is bin 1, 3 and 4 are bin 2, 5 and 6 bin 3, ... */
static inline int bin_of(uint32_t distance)
{
    int digits = 32 - __builtin_clz(distance);
    int bin = digits == 1 ? 0 : (digits + 1) / 2;
    return bin < COUNT ? bin : COUNT - 1;
}

static rc_status_t compute(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    int64_t bins[COUNT] = {0};
    (void)geometry;
    (void)err;
    threads = rc_feature_threads(a, 0, threads);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 256) reduction(+ : bins)
    for (int64_t row = 0; row < a->rows; row++)
        for (int64_t e = a->row_ptr[row] + 1; e < a->row_ptr[row + 1]; e++)
            bins[bin_of((uint32_t)(a->col_idx[e] - a->col_idx[e - 1]))]++;
    for (int i = 0; i < COUNT; i++)
        out[i] = (double)bins[i];
    return RC_OK;
}

const rc_feature_set_t rc_feature_set_hong = {
    .name = "hong",
    .summary = "histogram of the distances between adjacent entries of a row",
    .source = "Hong et al. 2018, section 4.2",
    .version = 1,
    .count = COUNT,
    .feature = features,
    .compute = compute,
};
