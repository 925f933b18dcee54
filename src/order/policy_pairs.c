/* pairs: groups of up to `rows` rows that share columns, side by side [our own rule].
 *
 * Units are rows at first.  A round looks for pairs of units and makes a unit of each, with the
 * columns of both: log2(rows) rounds.  Units are numbered by their smallest rows.  In a round the
 * units that have a column stand in its list, by number.  A free unit looks at those free ones that
 * stand up to `look` places before or behind it in the lists of its columns, and counts the columns
 * in which it meets each of them.  Its partner is the one of largest similarity (Jaccard, by
 * columns counted), of equal ones the nearest by number, then the smaller one.  A unit and its
 * partner are a pair where their similarity, by all their columns, is `sim_min` or more.  Pairs are
 * taken the most similar first, of equal ones the smaller number first, while both are free.  What
 * is left looks again, three times in a round.
 *
 * The entries of two equally long rows are 1 + similarity for each of their columns: what a kernel
 * that loads a row of B once for both saves.  Rows only; groups are the units, in the order of
 * their smallest rows, so that rows without a similar one keep their places.  Cost O(look) for
 * every entry and pass.  Memory beside the matrix: 8 bytes an entry, 24 a row and 8 for each of up
 * to 8 threads, 8 a column. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "order/graph.h"
#include "order/pairs.h"
#include "order/policy.h"
#include "sparse/csr.h"
#include "sparse/similarity.h"

#include <omp.h>
#include <stdlib.h>

enum { PARAM_ROWS, PARAM_LOOK, PARAM_SIM_MIN };
enum {
    PASSES = 3,
    TEAM_MAX = 8 /* threads: each has 8 bytes for every unit */
};

typedef struct grouping {
    rc_pool_t pool; /* of the arrays by unit and row */
    const rc_params_t *params;
    int threads;
    rc_csr_t unit;     /* columns of every unit, no values; the matrix in the first round */
    rc_csr_t columns;  /* units of every column */
    int32_t *mate;     /* [units] the other one of a pair, -1: free; then its number as a unit */
    int32_t *group;    /* [rows] unit of every row */
    rc_ranked_t *pair; /* [units] see rc_pair_list_t */
    int32_t *count;    /* [threads][units] columns in which a unit is met; 0 between searches */
    int32_t *met;      /* [threads][units] */
    int64_t distinct;  /* columns of all units */
} grouping_t;

/* ----------------------------------------------------------------- partners */

/* Count the free units around u.  \return how many */
static int64_t meet(const grouping_t *g, int32_t u, int32_t *count, int32_t *met)
{
    int64_t look = g->params->value[PARAM_LOOK];
    int64_t n = 0;
    for (int64_t e = g->unit.row_ptr[u]; e < g->unit.row_ptr[u + 1]; e++) {
        int32_t col = g->unit.col_idx[e];
        int64_t from = g->columns.row_ptr[col];
        int64_t to = g->columns.row_ptr[col + 1];
        if (to - from > look) {
            int64_t at = rc_csr_seek(&g->columns, col, u);
            from = at - from > look ? at - look : from;
            to = to - at > look ? at + look + 1 : to;
        }
        for (int64_t i = from; i < to; i++) {
            int32_t v = g->columns.col_idx[i];
            if (v != u && g->mate[v] < 0 && count[v]++ == 0)
                met[n++] = v;
        }
    }
    return n;
}

/* \return the partner of u; -1: there is none */
static int32_t partner_of(const grouping_t *g, int32_t u, int32_t *count, int32_t *met)
{
    int64_t n = meet(g, u, count, met);
    double most = 0;
    int32_t best = -1;
    for (int64_t i = 0; i < n; i++) {
        int32_t v = met[i];
        double alike = rc_jaccard(rc_csr_length(&g->unit, u), rc_csr_length(&g->unit, v), count[v]);
        count[v] = 0;
        int32_t far = abs(v - u);
        int32_t best_far = best < 0 ? INT32_MAX : abs(best - u);
        if (alike > most || (alike == most && (far < best_far || (far == best_far && v < best)))) {
            most = alike;
            best = v;
        }
    }
    return best;
}

/* Pairs of free units, one at most for each.  \return how many */
static int64_t find_pairs(grouping_t *g)
{
    int64_t units = g->unit.rows;
    int64_t n = 0;
    double least = g->params->real[PARAM_SIM_MIN];
#pragma omp parallel num_threads(g->threads)
    {
        int32_t *count = g->count + omp_get_thread_num() * units;
        int32_t *met = g->met + omp_get_thread_num() * units;
#pragma omp for schedule(dynamic, 256)
        for (int64_t u = 0; u < units; u++) {
            int32_t v = g->mate[u] < 0 ? partner_of(g, (int32_t)u, count, met) : -1;
            double alike = v < 0 ? -1 : rc_row_similarity(&g->unit, u, v);
            g->pair[u] = (rc_ranked_t){
                rc_pair_key(alike), alike >= least && v >= 0 ? rc_pair((int32_t)u, v) : 0};
        }
    }
    for (int64_t u = 0; u < units; u++)
        if (g->pair[u].tie)
            g->pair[n++] = g->pair[u];
    return n;
}

/* \return pairs taken */
static int64_t take_pairs(grouping_t *g, int64_t n)
{
    int64_t taken = 0;
    rc_ranked_sort(g->pair, n, g->threads);
    for (int64_t i = 0; i < n; i++) {
        int32_t u = (int32_t)(g->pair[i].tie >> 32);
        int32_t v = (int32_t)(g->pair[i].tie & UINT32_MAX);
        if (g->mate[u] >= 0 || g->mate[v] >= 0)
            continue;
        g->mate[u] = v;
        g->mate[v] = u;
        taken++;
    }
    return taken;
}

/* ------------------------------------------------------------------- units */

/* Columns of x and of y, each once.  \param[out] out  NULL: they are counted only  \return how
 * many */
static int64_t join_columns(
    const int32_t *x, int64_t nx, const int32_t *y, int64_t ny, int32_t *out)
{
    int64_t n = 0;
    for (int64_t i = 0, j = 0; i < nx || j < ny; n++) {
        int from_x = j == ny || (i < nx && x[i] <= y[j]);
        int from_y = i == nx || (j < ny && y[j] <= x[i]);
        if (out)
            out[n] = from_x ? x[i] : y[j];
        i += from_x;
        j += from_y;
    }
    return n;
}

/* Columns of the unit that u and its mate become. */
static int64_t columns_with_mate(const grouping_t *g, int64_t u, int32_t *out)
{
    const rc_csr_t *a = &g->unit;
    int32_t v = g->mate[u];
    return join_columns(a->col_idx + a->row_ptr[u], rc_csr_length(a, u),
        v < 0 ? NULL : a->col_idx + a->row_ptr[v], v < 0 ? 0 : rc_csr_length(a, v), out);
}

static int is_first(const grouping_t *g, int64_t u)
{
    return g->mate[u] < 0 || u < g->mate[u];
}

/* The units of the next round.  \param[in] columns  0: only how many they have
 * \param[out] out  free its arrays, whatever the outcome */
static rc_status_t join_units(
    const grouping_t *g, int64_t units, int columns, rc_csr_t *out, rc_err_t *err)
{
    int64_t n = 0;
    *out = (rc_csr_t){.rows = units, .cols = g->unit.cols};
    RC_PASS(RC_NEW0(out->row_ptr, (size_t)units + 1, "groups of rows", err));
    for (int64_t u = 0; u < g->unit.rows; u++)
        if (is_first(g, u)) {
            out->row_ptr[n + 1] = out->row_ptr[n] + columns_with_mate(g, u, NULL);
            n++;
        }
    out->nnz = out->row_ptr[n];
    if (!columns)
        return RC_OK;
    RC_PASS(RC_NEW(out->col_idx, out->nnz, "groups of rows", err));
    n = 0;
    for (int64_t u = 0; u < g->unit.rows; u++)
        if (is_first(g, u))
            (void)columns_with_mate(g, u, out->col_idx + out->row_ptr[n++]);
    return RC_OK;
}

/* The units of the matrix are borrowed. */
static void drop_units(const grouping_t *g, const rc_csr_t *a)
{
    if (g->unit.row_ptr != a->row_ptr) {
        free(g->unit.row_ptr);
        free(g->unit.col_idx);
    }
}

/* Number the units of the next round. */
static int64_t number_units(grouping_t *g, int64_t rows)
{
    int64_t n = 0;
    for (int64_t u = 0; u < g->unit.rows; u++)
        g->mate[u] = (int32_t)(is_first(g, u) ? n++ : g->mate[g->mate[u]]);
    for (int64_t r = 0; r < rows; r++)
        g->group[r] = g->mate[g->group[r]];
    return n;
}

/* ------------------------------------------------------------------ rounds */

/* \param[out] pairs  made units */
static rc_status_t one_round(grouping_t *g, int64_t *pairs, rc_err_t *err)
{
    int64_t taken = 1;
    RC_PASS(rc_pattern_transpose(&g->unit, &g->columns, err));
    *pairs = 0;
    for (int64_t u = 0; u < g->unit.rows; u++)
        g->mate[u] = -1;
    for (int pass = 0; pass < PASSES && taken > 0; pass++) {
        taken = take_pairs(g, find_pairs(g));
        *pairs += taken;
    }
    rc_csr_free(&g->columns);
    return RC_OK;
}

/* \param[out] units  groups in the end */
static rc_status_t all_rounds(grouping_t *g, const rc_csr_t *a, int64_t *units, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    *units = a->rows;
    for (int64_t rows = 2; st == RC_OK && rows <= g->params->value[PARAM_ROWS]; rows *= 2) {
        int64_t pairs = 0;
        rc_csr_t next = {0};
        st = one_round(g, &pairs, err);
        if (st < 0 || pairs == 0)
            break;
        *units -= pairs;
        st = join_units(g, *units, 2 * rows <= g->params->value[PARAM_ROWS], &next, err);
        g->distinct = next.nnz;
        (void)number_units(g, a->rows);
        drop_units(g, a);
        g->unit = next;
    }
    return st;
}

static rc_status_t allocate(grouping_t *g, int64_t rows, rc_err_t *err)
{
    size_t n = (size_t)rows;
    size_t team = (size_t)g->threads;
    g->mate = rc_pool_get(&g->pool, n, sizeof *g->mate);
    g->group = rc_pool_get(&g->pool, n, sizeof *g->group);
    g->pair = rc_pool_get(&g->pool, n, sizeof *g->pair);
    g->count = rc_pool_get0(&g->pool, n * team, sizeof *g->count);
    g->met = rc_pool_get(&g->pool, n * team, sizeof *g->met);
    return rc_pool_check(&g->pool, "pairs of rows", err);
}

static rc_status_t build(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    grouping_t g = {.params = in->params,
        .threads = in->threads < TEAM_MAX ? in->threads : TEAM_MAX,
        .unit = *a,
        .distinct = a->nnz};
    int64_t units = 0;
    rc_status_t st = allocate(&g, a->rows, err);
    for (int64_t r = 0; st == RC_OK && r < a->rows; r++)
        g.group[r] = (int32_t)r;
    if (st == RC_OK)
        st = all_rounds(&g, a, &units, err);
    if (st == RC_OK)
        st = rc_schedule_of_groups(g.group, a->rows, units, "pair_ptr", out, err);
    if (st == RC_OK) {
        rc_fact_number(in->watch.facts, "groups", units);
        rc_fact_number(in->watch.facts, "columns", g.distinct);
    }
    drop_units(&g, a);
    rc_pool_free(&g.pool);
    return st;
}

const rc_policy_t rc_policy_pairs = {
    .name = "pairs",
    .summary = "pairs of rows that share columns side by side, the others in their places",
    .source = "rowcast",
    .version = 1,
    .rows_only = 1,
    .on_request = 1,
    .param = {{"rows", "of a group at most", 2, 2, 1024, 1},
        {"look", "units looked at to either side in the list of a column", 16, 1, 1 << 20, 0},
        {.name = "sim_min",
            .help = "least similarity of a pair",
            .type = RC_PARAM_REAL,
            .real = 0.4,
            .real_min = 0,
            .real_max = 1}},
    .build = build,
};
