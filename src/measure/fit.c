#include "config.h"
#include "base/str.h"
#include "measure/session.h"

#include <stdio.h>

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t add(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Bytes of B and C, `width` columns of each. */
static int64_t dense_bytes(const rc_measuring_t *s, int64_t width)
{
    return add(rc_operands_b_bytes(s->g, width), rc_operands_c_bytes(s->g, s->c_rows, width));
}

/* Bytes of a case's states under a tiling. */
static int64_t state_bytes(const rc_measuring_t *s, const rc_trial_t *j, const rc_tiling_t *t)
{
    rc_problem_t p = j->problem[RC_WIDE];
    p.k = t->width;
    int64_t bytes = s->kernel->bytes_device(&p);
    p.k = t->last;
    return t->last == t->width ? bytes : add(bytes, s->kernel->bytes_device(&p));
}

static rc_tiling_t narrowest(const rc_measuring_t *s)
{
    return rc_tiling_of(s->g->k, smaller(s->g->k, RC_TILE_STEP));
}

/* Bytes that a tiling should leave for states: room for the largest one, of those that can fit at
 * all; when K is tiled also for all of them together, so that they can be timed in turn, as long as
 * that costs little of what B and C may have. */
static int64_t beside(const rc_measuring_t *s, const rc_tiling_t *t)
{
    enum { part = 4 };
    rc_tiling_t least = narrowest(s);
    int64_t room = s->g->memory_limit - dense_bytes(s, least.width);
    int64_t most = 0;
    int64_t all = 0;
    for (int i = 0; i < s->n; i++) {
        if (state_bytes(s, &s->job[i], &least) > room)
            continue;
        int64_t bytes = state_bytes(s, &s->job[i], t);
        most = larger(most, bytes);
        all = add(all, bytes);
    }
    return t->count == 1 ? most : larger(most, smaller(all, s->g->memory_limit / part));
}

/* The fewest tiles that fit.  0: not even the narrowest tile of B and C does. */
static int choose_tiles(rc_measuring_t *s)
{
    int64_t k = s->g->k;
    int64_t limit = s->g->memory_limit;
    rc_tiling_t least = narrowest(s);
    int64_t per_column = dense_bytes(s, 1);
    if (dense_bytes(s, least.width) > limit)
        return 0;
    int64_t widest = per_column > 0 ? smaller(k, limit / per_column) : k;
    for (;;) {
        s->tiling = rc_tiling_of(k, widest);
        if (s->tiling.width <= least.width ||
            beside(s, &s->tiling) <= limit - dense_bytes(s, s->tiling.width))
            return 1;
        /* K itself need not be a multiple */
        widest = (s->tiling.width - 1) / RC_TILE_STEP * RC_TILE_STEP;
    }
}

static void skip_for_memory(const rc_measuring_t *s, rc_trial_t *j, int with_matrix)
{
    char need[32];
    char have[32];
    char both[32];
    char columns[64] = "";
    char matrix[64] = "";
    char text[200];
    int64_t width = s->tiling.width;
    rc_text_bytes((double)j->bytes, need, sizeof need);
    rc_text_bytes((double)dense_bytes(s, width), both, sizeof both);
    rc_text_bytes((double)s->g->memory_limit, have, sizeof have);
    if (width < s->g->k)
        snprintf(columns, sizeof columns, " (%lld of %lld columns)", (long long)width,
            (long long)s->g->k);
    if (with_matrix)
        snprintf(matrix, sizeof matrix, ", the matrix %s", need);
    snprintf(text, sizeof text, "memory: B and C take %s%s%s, the limit is %s", both, columns,
        matrix, have);
    rc_trial_end(j->m, RC_CASE_SKIPPED, RC_PHASE_PREPARE, text);
    j->tried = 1;
}

static int64_t product_bytes(const rc_measuring_t *s, const rc_trial_t *j)
{
    int64_t wide = s->kernel->bytes_min(&j->problem[RC_WIDE]);
    int64_t tiles = s->tiling.count - 1;
    if (tiles == 0)
        return wide;
    if (wide > INT64_MAX / tiles)
        return INT64_MAX;
    return add(wide * tiles, s->kernel->bytes_min(&j->problem[RC_LAST]));
}

/* What one case is under the tiling; unsupported ones end here. */
static rc_status_t settle_case(rc_measuring_t *s, rc_trial_t *j, int dense_fits, rc_err_t *err)
{
    rc_err_t why = {0};
    j->problem[RC_WIDE].k = s->tiling.width;
    j->problem[RC_LAST].k = s->tiling.last;
    j->m->k_tile = s->tiling.width;
    for (int w = 0; w < RC_WIDTHS; w++)
        if (s->kernel->supports(&j->problem[w], &why) < 0) {
            j->tried = 1;
            return rc_trial_fail(s, j, RC_PHASE_PREPARE, &why, err);
        }
    j->m->bytes_min = product_bytes(s, j);
    j->bytes = state_bytes(s, j, &s->tiling);
    if (!dense_fits)
        skip_for_memory(s, j, 0);
    else if (j->bytes > s->g->memory_limit - dense_bytes(s, s->tiling.width))
        skip_for_memory(s, j, 1);
    return RC_OK;
}

rc_status_t rc_measuring_fit(rc_measuring_t *s, rc_err_t *err)
{
    s->c_rows = 0;
    for (int i = 0; i < s->n; i++)
        s->c_rows = larger(s->c_rows, s->job[i].problem[RC_WIDE].c_rows);
    int dense_fits = choose_tiles(s);
    if (!dense_fits)
        s->tiling = narrowest(s);
    for (int i = 0; i < s->n; i++) {
        rc_status_t st = settle_case(s, &s->job[i], dense_fits, err);
        if (st < 0)
            return st;
    }
    return RC_OK;
}

int64_t rc_measuring_wanted(const rc_measuring_t *s)
{
    int64_t bytes = 0;
    for (int i = 0; i < s->n; i++)
        if (!s->job[i].tried)
            bytes = add(bytes, s->job[i].bytes);
    return bytes;
}
