/* What sparse/distances.h counts, Hong et al. 2018, section 4.2. */
#include "config.h"
#include "feature/feature.h"
#include "sparse/distances.h"

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

static rc_status_t compute(
    const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err)
{
    int64_t bins[RC_DISTANCES];
    (void)geometry;
    (void)err;
    rc_distances_count(a, rc_feature_threads(a, 0, threads), bins);
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
