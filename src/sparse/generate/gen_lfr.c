#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/generate.h"
#include "sparse/generate/permute.h"
#include "sparse/generate/rows.h"

#include <stdlib.h>

enum { n, mean, outside, skew, smallest, largest };

typedef struct graph {
    int64_t n;
    int64_t communities;
    int32_t *first;  /* [communities + 1] first row of each */
    int32_t *member; /* [n] those of each community by rank, from its first row on */
    uint64_t seed;
} graph_t;

static int64_t community_of(const graph_t *g, int64_t i)
{
    return rc_run_of(g->first, g->communities, i);
}

/* Sizes double with probability 0.4: a power law of exponent 1 + log2(1 / 0.4) = 2.3. */
static rc_status_t deal(graph_t *g, int64_t least, int64_t most, rc_err_t *err)
{
    size_t capacity = 0;
    rc_draw_t d = {rc_rng_keyed(rc_rng_key(g->seed), 0x4c6652), 0};
    int64_t at = 0;
    for (;;) {
        RC_PASS(RC_GROW(g->first, capacity, (size_t)g->communities + 1, "communities", err));
        g->first[g->communities] = (int32_t)at;
        if (at == g->n)
            return RC_OK;
        int64_t size = least;
        while (size < most && rc_draw_unit(&d) < 0.4)
            size *= 2;
        size += rc_draw_below(&d, size);
        size = size < most ? size : most;
        at = g->n - at < size + least ? g->n : at + size;
        g->communities++;
    }
}

/* A member of a community, some far more often than others. */
static int64_t member(const graph_t *g, int64_t community, int skewness, rc_draw_t *d)
{
    int64_t first = g->first[community];
    int64_t size = g->first[community + 1] - first;
    return g->member[first + rc_draw_skewed(d, size, skewness)];
}

/* Which rows the ranks in a community are: a row is drawn many times, and computed once. */
static rc_status_t rank_members(graph_t *g, rc_err_t *err)
{
    RC_PASS(RC_NEW(g->member, g->n, "members of communities", err));
#pragma omp parallel for schedule(dynamic, 64)
    for (int64_t c = 0; c < g->communities; c++) {
        int64_t first = g->first[c];
        int64_t size = g->first[c + 1] - first;
        rc_permute_t p = rc_permute_make(g->seed + (uint64_t)c, size);
        for (int64_t rank = 0; rank < size; rank++)
            g->member[first + rank] = (int32_t)(first + rc_permute_at(&p, rank));
    }
    return RC_OK;
}

static void row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    const graph_t *g = r->of;
    rc_draw_t d = rc_draw_of(r->seed, i);
    int64_t community = community_of(g, i);
    int64_t count = rc_draw_count(&d, r->p[mean] / 2 * 2 * rc_draw_unit(&d));
    for (int64_t k = 0; k < count; k++) {
        int far = rc_draw_unit(&d) < r->p[outside];
        int64_t where = far ? community_of(g, rc_draw_below(&d, g->n)) : community;
        rc_row_add(out, member(g, where, (int)r->p[skew], &d));
    }
}

static rc_status_t generate(const double *p, uint64_t seed, rc_csr_t *out, rc_err_t *err)
{
    graph_t g = {.n = (int64_t)p[n], .seed = seed};
    int64_t most = p[largest] > 0 ? (int64_t)p[largest] : g.n;
    rc_status_t st = deal(&g, (int64_t)p[smallest], most, err);
    rc_rows_t r = rc_rows_of(p, seed, row, p[mean]);
    r.mirror = 1;
    r.of = &g;
    if (st == RC_OK)
        st = rc_rows_check(&r, err);
    if (st == RC_OK)
        st = rank_members(&g, err);
    if (st == RC_OK)
        st = rc_rows_build(&r, out, err);
    free(g.first);
    free(g.member);
    return st;
}

const rc_generator_t rc_generator_lfr = {
    .name = "lfr",
    .summary = "communities whose sizes and degrees follow power laws",
    .source =
        "after Lancichinetti, Fortunato, Radicchi 2008, doi:10.1103/PhysRevE.78.046110; the share "
        "outside holds on average, degrees come from skewed draws",
    .version = 1,
    .param = {{"n", "rows", 20000, 1, 2147483647, 1},
        {"mean", "mean entries of a row; equal ones count once", 16, 0, 100000, 0},
        {"outside", "share of the entries in other communities", 0.2, 0, 1, 0},
        {"skew", "1: even; degrees have the exponent 1 + skew / (skew - 1)", 2, 1, 8, 1},
        {"smallest", "rows of the smallest communities", 20, 1, 2147483647, 1},
        {"largest", "rows of the largest one, 0: all", 0, 0, 2147483647, 1}},
    .generate = generate,
};
