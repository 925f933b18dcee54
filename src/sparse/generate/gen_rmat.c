#include "config.h"
#include "sparse/generate/entries.h"
#include "base/error.h"

/* Indices of the parameters, in the order of the descriptor. */
enum { scale, edges, a, b, c };

static void fill(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    double upper = p[a] + p[b];
    double left = upper + p[c];
    int64_t rows = e->rows = e->cols = INT64_C(1) << (int)p[scale];
    int64_t count = (int64_t)(p[edges] * (double)rows);
    for (int64_t k = 0; k < count && !e->failed; k++) {
        int64_t i = 0;
        int64_t j = 0;
        for (int64_t bit = rows / 2; bit > 0; bit /= 2) {
            double u = rc_rng_unit(r);
            i += u >= upper ? bit : 0;
            j += u >= left || (u >= p[a] && u < upper) ? bit : 0;
        }
        rc_entries_add(e, i, j);
    }
}

extern const rc_generator_t rc_generator_rmat;

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    double all = p[a] + p[b] + p[c];
    if (all > 1)
        return rc_fail(err, RC_EINVAL, "a + b + c: expected at most 1, found %g", all);
    return rc_entries_build(&rc_generator_rmat, p, seed, out, err);
}

const rc_generator_t rc_generator_rmat = {
    .name = "rmat",
    .summary = "recursive graph with skewed degrees of rows and columns",
    .source = "Chakrabarti, Zhan, Faloutsos 2004, doi:10.1137/1.9781611972740.43",
    .version = 1,
    .param =
        {
            {"scale", "rows = 2^scale", 14, 1, 30, 1},
            {"edges", "entries drawn per row; equal ones count once", 8, 0, 1000, 0},
            {"a", "probability of the upper left quarter", 0.57, 0, 1, 0},
            {"b", "probability of the upper right quarter", 0.19, 0, 1, 0},
            {"c", "probability of the lower left quarter", 0.19, 0, 1, 0},
        },
    .generate = generate,
    .fill = fill,
};
