/* Random graphs, drawn as a list of entries on one thread. */
#include "config.h"
#include "base/error.h"
#include "sparse/generate/entries.h"

static void fill_uniform(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    enum { n, cols, mean };
    e->rows = (int64_t)p[n];
    e->cols = p[cols] > 0 ? (int64_t)p[cols] : e->rows;
    for (int64_t i = 0; i < e->rows && !e->failed; i++)
        rc_entries_add_uniform(e, r, i, e->cols, rc_entries_count(r, p[mean]));
}

const rc_generator_t rc_generator_uniform = {
    .name = "uniform",
    .summary = "random columns, the same mean in every row",
    .source = "Erdos-Renyi graphs; square or rectangular",
    .version = 1,
    .param = {{"n", "rows", 10000, 1, 100000000, 1},
        {"cols", "columns, 0: as many as rows", 0, 0, 100000000, 1},
        {"mean", "mean entries drawn per row; equal ones count once", 10, 0, 100000, 0}},
    .fill = fill_uniform,
};

static void fill_manyempty(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    enum { n, empty, run, mean };
    int64_t rows = e->rows = e->cols = (int64_t)p[n];
    int is_empty = 0;
    for (int64_t i = 0; i < rows && !e->failed; i++) {
        if (i % (int64_t)p[run] == 0)
            is_empty = rc_rng_unit(r) < p[empty];
        if (!is_empty)
            rc_entries_add_uniform(e, r, i, rows, rc_entries_count(r, p[mean]));
    }
}

const rc_generator_t rc_generator_manyempty = {
    .name = "manyempty",
    .summary = "many empty rows, scattered or in runs",
    .source = "graphs in which most vertices have no outgoing edge",
    .version = 1,
    .param = {{"n", "rows", 20000, 1, 100000000, 1}, {"empty", "share of empty rows", 0.8, 0, 1, 0},
        {"run", "length of the runs that are empty or not together", 1, 1, 1000000, 1},
        {"mean", "mean entries drawn of a row that is not empty", 20, 0, 100000, 0}},
    .fill = fill_manyempty,
};

static void fill_powerlaw(const double *p, rc_rng_t *r, rc_entries_t *e)
{
    enum { n, shortest, tail, longest };
    int64_t rows = e->rows = e->cols = (int64_t)p[n];
    int64_t most = p[longest] > 0 ? (int64_t)p[longest] : rows;
    for (int64_t i = 0; i < rows && !e->failed; i++) {
        int64_t base = (int64_t)p[shortest];
        while (base < most && rc_rng_unit(r) < p[tail])
            base *= 2;
        int64_t count = base + (int64_t)rc_rng_below(r, (uint64_t)base);
        rc_entries_add_uniform(e, r, i, rows, count < most ? count : most);
    }
}

const rc_generator_t rc_generator_powerlaw = {
    .name = "powerlaw",
    .summary = "row lengths that follow a power law, uniform columns",
    .source = "discrete power law by doubling: exponent 1 + log2(1 / tail)",
    .version = 1,
    .param = {{"n", "rows", 20000, 1, 100000000, 1},
        {"shortest", "entries drawn of the shortest rows", 2, 1, 100000, 1},
        {"tail", "share of the rows that are at least twice as long as any length", 0.4, 0, 0.95,
            0},
        {"longest", "entries drawn of the longest rows, 0: rows", 0, 0, 100000000, 1}},
    .fill = fill_powerlaw,
};

enum { scale, edges, a, b, c }; /* keys of rmat */

static void fill_rmat(const double *p, rc_rng_t *r, rc_entries_t *e)
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

static rc_status_t generate_rmat(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
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
    .param = {{"scale", "rows = 2^scale", 14, 1, 30, 1},
        {"edges", "entries drawn per row; equal ones count once", 8, 0, 1000, 0},
        {"a", "probability of the upper left quarter", 0.57, 0, 1, 0},
        {"b", "probability of the upper right quarter", 0.19, 0, 1, 0},
        {"c", "probability of the lower left quarter", 0.19, 0, 1, 0}},
    .generate = generate_rmat,
    .fill = fill_rmat,
};
