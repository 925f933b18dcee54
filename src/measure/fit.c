#include "config.h"
#include "base/error.h"
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

/* Bytes of the operands, `width` columns of the wide ones. */
static int64_t dense_bytes(const rc_measuring_t *s, int64_t width)
{
    return rc_operation_dense_bytes(
        s->op, s->g->a, s->c_rows, width, s->g->precision, s->g->precision);
}

/* Bytes of a case's states under a tiling. */
static int64_t state_bytes(const rc_trial_t *j, const rc_tiling_t *t)
{
    int64_t bytes = rc_analysis_bytes(&j->analysis, t->width);
    return t->last == t->width ? bytes
                               : rc_sat_add(bytes, rc_analysis_bytes(&j->analysis, t->last));
}

static rc_tiling_t narrowest(const rc_measuring_t *s)
{
    return rc_tiling_of(s->g->k, s->op->tiles ? smaller(s->g->k, RC_TILE_STEP) : s->g->k);
}

/* Bytes that a tiling should leave for states: room for the largest one, of those that can fit at
 * all; when K is tiled also for all of them together, so that they can be timed in turn, as long as
 * that costs little of what the operands may have. */
static int64_t beside(const rc_measuring_t *s, const rc_tiling_t *t)
{
    enum { part = 4 };
    rc_tiling_t least = narrowest(s);
    int64_t room = s->g->memory_limit - dense_bytes(s, least.width);
    int64_t most = 0;
    int64_t all = 0;
    for (int i = 0; i < s->n; i++) {
        if (s->job[i].tried || state_bytes(&s->job[i], &least) > room)
            continue;
        int64_t bytes = state_bytes(&s->job[i], t);
        most = larger(most, bytes);
        all = rc_sat_add(all, bytes);
    }
    return t->count == 1 ? most : larger(most, smaller(all, s->g->memory_limit / part));
}

/* The fewest tiles that fit.  0: not even the narrowest tile of the operands does. */
static int choose_tiles(rc_measuring_t *s)
{
    int64_t k = s->g->k;
    int64_t limit = s->g->memory_limit;
    rc_tiling_t least = narrowest(s);
    int64_t per_column = dense_bytes(s, 1);
    if (dense_bytes(s, least.width) > limit)
        return 0;
    int64_t widest = per_column > 0 && s->op->tiles ? smaller(k, limit / per_column) : k;
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
    char columns[64] = "";
    char what[128];
    char text[200];
    int64_t width = s->tiling.width;
    int64_t need = dense_bytes(s, width);
    if (with_matrix)
        need = rc_sat_add(need, j->bytes);
    if (width < s->g->k)
        snprintf(columns, sizeof columns, " (%lld of %lld columns)", (long long)width,
            (long long)s->g->k);
    snprintf(
        what, sizeof what, "the operands%s%s take", columns, with_matrix ? " and the matrix" : "");
    rc_memory_reason(text, sizeof text, what, need, s->g->memory_limit);
    rc_trial_end(j->m, RC_CASE_SKIPPED, RC_PHASE_PREPARE, text);
    j->tried = 1;
}

static int64_t product_bytes(const rc_measuring_t *s, const rc_trial_t *j)
{
    const rc_problem_t *p = &j->problem[RC_WIDE];
    int64_t wide = rc_analysis_traffic(&j->analysis, s->op, p, s->tiling.width);
    int64_t last = rc_analysis_traffic(&j->analysis, s->op, p, s->tiling.last);
    if (!s->kernel->computes)
        return 0;
    return rc_sat_add(rc_sat_mul(wide, s->tiling.count - 1), last);
}

/* What one case is under the tiling. */
static void settle_case(rc_measuring_t *s, rc_trial_t *j, int dense_fits)
{
    j->problem[RC_WIDE].k = s->tiling.width;
    j->problem[RC_LAST].k = s->tiling.last;
    j->m->k_tile = s->tiling.width;
    j->m->bytes_min = product_bytes(s, j);
    j->m->device_bytes = j->analysis.bytes;
    j->m->fill = j->analysis.fill;
    j->m->pointer_bytes = j->analysis.pointers;
    j->bytes = state_bytes(j, &s->tiling);
    if (!dense_fits)
        skip_for_memory(s, j, 0);
    else if (j->bytes > s->g->memory_limit - dense_bytes(s, s->tiling.width))
        skip_for_memory(s, j, 1);
}

/* A symmetric order renumbers B and C: that is said of products with A itself alone, and needs the
 * renumbered matrix. */
static rc_status_t check_symmetric(const rc_measuring_t *s, const rc_measured_t *m, rc_err_t *why)
{
    if (m->schedule->cols == 0)
        return RC_OK;
    if (!s->op->project || s->op->transposed)
        return rc_fail(why, RC_ENOTSUP, "symmetric orders are not measured for %s", s->op->name);
    return m->a ? RC_OK : rc_fail(why, RC_EINVAL, "a symmetric order without its matrix");
}

static rc_status_t analyse(rc_measuring_t *s, rc_trial_t *j, rc_err_t *why)
{
    rc_status_t st = rc_kernel_analyse(s->kernel, &j->problem[RC_WIDE], &j->analysis, why);
    if (st != RC_ENOMEM || !rc_measuring_leave_device(s))
        return st;
    *why = (rc_err_t){0};
    return rc_kernel_analyse(s->kernel, &j->problem[RC_WIDE], &j->analysis, why);
}

/* Analyse every case once; unsupported ones end here. */
static rc_status_t analyse_all(rc_measuring_t *s, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int i = 0; i < s->n && st == RC_OK; i++) {
        rc_trial_t *j = &s->job[i];
        rc_err_t why = {0};
        if (check_symmetric(s, j->m, &why) < 0 || analyse(s, j, &why) < 0) {
            j->tried = 1;
            st = rc_trial_fail(s, j, RC_PHASE_PREPARE, &why, err);
        }
    }
    return st;
}

rc_status_t rc_measuring_fit(rc_measuring_t *s, rc_err_t *err)
{
    s->c_rows = 0;
    for (int i = 0; i < s->n; i++)
        s->c_rows = larger(s->c_rows, s->job[i].problem[RC_WIDE].c_rows);
    RC_PASS(analyse_all(s, err));
    int dense_fits = choose_tiles(s);
    if (!dense_fits)
        s->tiling = narrowest(s);
    for (int i = 0; i < s->n; i++)
        if (!s->job[i].tried)
            settle_case(s, &s->job[i], dense_fits);
    return RC_OK;
}

int64_t rc_measuring_wanted(const rc_measuring_t *s)
{
    int64_t bytes = 0;
    for (int i = 0; i < s->n; i++)
        if (!s->job[i].tried)
            bytes = rc_sat_add(bytes, s->job[i].bytes);
    return bytes;
}
