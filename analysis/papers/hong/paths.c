#include "config.h"
#include "analysis/papers/hong/paths.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "kernels/tuning/rs.h"
#include "sparse/csr.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    T = RC_RS_PATHS_T,
    CFVS = RC_RS_COSTS,
    CELLS = RC_PARAMETERS_CELLS,
    STEPS = RC_PARAMETERS_STEPS,
    TERMS = RC_RS_PATHS_TERMS
};

/* --------------------------------------------------------------- parameters */

/* Numbers of 1, 2 and 4 are 0, 1 and 2. */
static int cell_of(int t, int v, int h)
{
    return (t * STEPS + v) * STEPS + h;
}

int rc_parameters_cell(int t, int cfv, int cfh)
{
    return cell_of(t - 1, cfv / 2, cfh / 2);
}

/* The fastest cell of a matrix; v, h: that number alone, or -1: all.  -1: it has no time there. */
static int fastest(const double *ns, int v, int h)
{
    int best = -1;
    for (int i = 0; i < CELLS; i++)
        if ((h < 0 || i % STEPS == h) && (v < 0 || i / STEPS % STEPS == v) && ns[i] > 0 &&
            (best < 0 || ns[i] < ns[best]))
            best = i;
    return best;
}

static int most_frequent(const int64_t *count, int n)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        if (count[i] > count[best])
            best = i;
    return best;
}

rc_status_t rc_parameters_choose(
    const double *ns, int64_t n, int32_t *label, rc_parameters_t *out, rc_err_t *err)
{
    int64_t by_h[STEPS] = {0};
    int64_t by_v[STEPS] = {0};
    int64_t by_t[RC_PARAMETERS_T] = {0};
    int64_t counted = 0;
    for (int64_t i = 0; i < n; i++) {
        int at = fastest(ns + i * CELLS, -1, -1);
        if (at >= 0)
            by_h[at % STEPS]++;
    }
    int h = most_frequent(by_h, STEPS);
    for (int64_t i = 0; i < n; i++) {
        int at = fastest(ns + i * CELLS, -1, h);
        if (at >= 0)
            by_v[at / STEPS % STEPS]++;
    }
    int v = most_frequent(by_v, STEPS);
    for (int64_t i = 0; i < n; i++) {
        int at = fastest(ns + i * CELLS, v, h);
        label[i] = at < 0 ? -1 : at / STEPS / STEPS;
        if (at >= 0) {
            by_t[label[i]]++;
            counted++;
        }
    }
    if (counted == 0)
        return rc_fail(err, RC_EINVAL, "no training matrix has a time");
    *out = (rc_parameters_t){.cfh = 1 << h,
        .cfv = 1 << v,
        .t = 1 + most_frequent(by_t, RC_PARAMETERS_T),
        .counted = counted};
    return RC_OK;
}

/* -------------------------------------------------------------- least squares */

enum { MAX = RC_NONNEGATIVE_MAX, TURNS = 200000 };

/* Inputs of length 1, so that a step of one is as good as that of another. */
typedef struct normal {
    double g[MAX][MAX];
    double h[MAX];
    double length[MAX];
} normal_t;

static void make(const double *x, int64_t rows, int inputs, const double *y, normal_t *n)
{
    *n = (normal_t){.h = {0}};
    for (int64_t r = 0; r < rows; r++)
        for (int i = 0; i < inputs; i++) {
            const double xi = x[r * inputs + i];
            n->h[i] += xi * y[r];
            for (int j = 0; j < inputs; j++)
                n->g[i][j] += xi * x[r * inputs + j];
        }
    for (int i = 0; i < inputs; i++)
        n->length[i] = sqrt(n->g[i][i]);
    for (int i = 0; i < inputs; i++) {
        n->h[i] = n->length[i] > 0 ? n->h[i] / n->length[i] : 0;
        for (int j = 0; j < inputs; j++)
            n->g[i][j] = n->length[i] > 0 && n->length[j] > 0
                             ? n->g[i][j] / (n->length[i] * n->length[j])
                             : 0;
    }
}

void rc_nonnegative(const double *x, int64_t rows, int inputs, const double *y, double *coef)
{
    const double still = 1e-12;
    normal_t n;
    double moved = INFINITY;
    make(x, rows, inputs, y, &n);
    for (int i = 0; i < inputs; i++)
        coef[i] = 0;
    for (int turn = 0; turn < TURNS && moved > still; turn++) {
        moved = 0;
        for (int i = 0; i < inputs; i++) {
            double slope = n.h[i];
            for (int j = 0; j < inputs; j++)
                slope -= n.g[i][j] * coef[j];
            const double to = n.length[i] > 0 ? fmax(0, coef[i] + slope) : 0;
            moved = fmax(moved, fabs(to - coef[i]) / (1 + fabs(to)));
            coef[i] = to;
        }
    }
    for (int i = 0; i < inputs; i++)
        coef[i] = n.length[i] > 0 ? coef[i] / n.length[i] : 0;
}

/* ----------------------------------------------------------------- matrices */

static rc_status_t count(const rc_csr_t *a, rc_path_matrix_t *m, rc_err_t *err)
{
    rc_status_t st = rc_rs_inputs(a, 1, m->input, err);
    m->rows = a->rows;
    for (int p = 0; p < RC_TYPES; p++)
        for (int i = 0; i < CFVS && st == RC_OK; i++)
            st = rc_rs_paths_count(a, rc_rs_width(1 << i, (rc_precision_t)p), m->count[p][i], err);
    return st;
}

/* What to load, and the family.
 * \param[in]  location  spec of a generator; NULL: none made it
 * \param[out] word      rc_str_free */
static rc_status_t find(const rc_row_matrix_t *row, const char *location, const char *dir,
    rc_path_matrix_t *out, rc_str_t *word, rc_err_t *err)
{
    const char *of = location ? location : row->name;
    (void)snprintf(
        out->family, sizeof out->family, "%.*s", (int)strcspn(of, location ? ":" : "/"), of);
    if (location)
        rc_str_addf(word, "%s", location);
    else
        rc_str_addf(word, "%s/%s.mtx", dir, row->name);
    if (!location && !word->failed && access(word->text, R_OK) != 0)
        rc_str_addf(word, ".xz");
    if (word->failed)
        return rc_fail(err, RC_ENOMEM, "no memory for a name");
    return location || access(word->text, R_OK) == 0
               ? RC_OK
               : rc_fail(err, RC_ENOENT, "%s: --paths has no file of that matrix: %s", row->name,
                     word->text);
}

static rc_status_t read_one(const rc_view_t *v, int32_t id, const char *location,
    const rc_path_source_t *from, rc_path_matrix_t *out, rc_err_t *err)
{
    const rc_row_matrix_t *row = rc_view_matrix(v, id);
    rc_csr_t a = {0};
    rc_str_t word = {0};
    rc_status_t st =
        find(row, rc_view_is_generated(v, id) ? location : NULL, from->dir, out, &word, err);
    if (st == RC_OK)
        st = from->load(word.text, &a, err);
    if (st == RC_OK && (a.rows != row->rows || a.cols != row->cols || a.nnz != row->nnz))
        st = rc_fail(err, RC_EINVAL, "%s: expected the %lld entries of the store, found %lld: %s",
            row->name, (long long)row->nnz, (long long)a.nnz, word.text);
    if (st == RC_OK)
        st = count(&a, out, err);
    rc_csr_free(&a);
    rc_str_free(&word);
    return st;
}

rc_status_t rc_path_matrices(const rc_view_t *v, const int32_t *id, int64_t n,
    const rc_path_source_t *from, rc_path_matrix_t *out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int64_t i = 0; i < n && st == RC_OK; i++) {
        const char *location = "";
        for (int64_t s = 0; s < rc_view_sources(v); s++) {
            rc_source_row_t row;
            rc_view_source(v, s, &row);
            if (row.matrix == id[i])
                location = row.location;
        }
        st = read_one(v, id[i], location, from, &out[i], err);
    }
    return st;
}

/* -------------------------------------------------------------------- times */

static double ns_of(const rc_path_times_t *t, int64_t m, int i, int at)
{
    return t->ns[m * CELLS + rc_parameters_cell(at, 1 << i, t->cfh)];
}

/* Times of a matrix at the cfh.  \param[out] best  of all its times, whatever the cfh */
static int times_of(const rc_path_times_t *t, int64_t m, double *best)
{
    int n = 0;
    *best = NAN;
    for (int c = 0; c < CELLS; c++)
        *best = fmin(*best, t->ns[m * CELLS + c]);
    for (int i = 0; i < CFVS; i++)
        for (int at = 1; at <= T; at++)
            n += !isnan(ns_of(t, m, i, at));
    return n;
}

static int most_times(const rc_path_times_t *t)
{
    double best;
    int most = 1;
    for (int64_t m = 0; m < t->n; m++)
        most = times_of(t, m, &best) > most ? times_of(t, m, &best) : most;
    return most;
}

rc_status_t rc_path_fit(const rc_path_times_t *t, const char *without, double *cost, rc_err_t *err)
{
    const size_t most = (size_t)t->n * CFVS * T;
    double *x = rc_alloc(most * TERMS, sizeof *x, "times", err);
    double *y = rc_alloc(most, sizeof *y, "times", err);
    int64_t rows = 0;
    for (int64_t m = 0; x && y && m < t->n; m++) {
        const rc_path_matrix_t *own = &t->matrix[m];
        double best;
        const int times = times_of(t, m, &best);
        if (without && strcmp(own->family, without) == 0)
            continue;
        for (int i = 0; i < CFVS; i++)
            for (int at = 1; at <= T; at++) {
                const double ns = ns_of(t, m, i, at);
                if (isnan(ns))
                    continue;
                const double weight = best / (ns * ns * sqrt(times));
                double *row = x + rows * TERMS;
                rc_rs_paths_terms(&own->count[t->precision][i][at], 1 << i, own->rows, row);
                for (int j = 0; j < TERMS; j++)
                    row[j] *= weight;
                y[rows++] = ns * weight;
            }
    }
    if (x && y)
        rc_nonnegative(x, rows, TERMS, y, cost);
    rc_status_t st = x && y ? RC_OK : RC_ENOMEM;
    free(x);
    free(y);
    return st;
}

/* ------------------------------------------------------------ what is kept */

void rc_path_keep(const rc_path_times_t *t, const double *cost, const char *only, rc_sums_t *kept)
{
    const int most = most_times(t);
    for (int64_t m = 0; m < t->n; m++) {
        const rc_path_matrix_t *own = &t->matrix[m];
        double best;
        double least = INFINITY;
        double chosen = NAN;
        if (times_of(t, m, &best) < most || (only && strcmp(own->family, only) != 0))
            continue;
        for (int i = 0; i < CFVS; i++)
            for (int at = 1; at <= T; at++) {
                double time =
                    rc_rs_paths_time(cost, &own->count[t->precision][i][at], 1 << i, own->rows);
                if (isnan(ns_of(t, m, i, at)) || !(time < least))
                    continue;
                least = time;
                chosen = ns_of(t, m, i, at);
            }
        rc_sums_add(kept, best / chosen);
    }
}

void rc_path_keep_published(
    const rc_path_times_t *t, const rc_c45_t *tree, const rc_rs_cost_t *cost, rc_sums_t *kept)
{
    const int most = most_times(t);
    for (int64_t m = 0; m < t->n; m++) {
        const rc_path_matrix_t *own = &t->matrix[m];
        rc_segments_size_t size[CFVS] = {{.rows = 0}};
        double best;
        const int at = 1 + rc_tree_predict(tree->node, own->input);
        for (int i = 0; i < CFVS; i++) {
            const rc_rs_counts_t *c = &own->count[t->precision][i][at];
            size[i].heavy = c->heavy;
            size[i].nnz_heavy = c->nnz_heavy;
            size[i].light_rows = c->light_rows;
            size[i].nnz_light = c->nnz_light;
        }
        const double chosen = ns_of(t, m, rc_rs_cost_choose(cost, size), at);
        if (times_of(t, m, &best) == most && !isnan(chosen))
            rc_sums_add(kept, best / chosen);
    }
}

rc_status_t rc_path_held_out(const rc_path_times_t *t, rc_sums_t *kept, rc_err_t *err)
{
    for (int64_t m = 0; m < t->n; m++) {
        double cost[TERMS];
        int seen = 0;
        for (int64_t before = 0; before < m; before++)
            seen |= strcmp(t->matrix[before].family, t->matrix[m].family) == 0;
        if (seen)
            continue;
        RC_PASS(rc_path_fit(t, t->matrix[m].family, cost, err));
        rc_path_keep(t, cost, t->matrix[m].family, kept);
    }
    return RC_OK;
}
