#include "config.h"
#include "order/greedy.h"
#include "order/parts.h"
#include "order/policy.h"
#include "order/rows.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct greedy {
    const rc_order_input_t *in;
    const rc_greedy_rule_t *rule;
    int64_t dense_lines;
    int threads;
    int64_t nw;
    int64_t rows;
    int64_t parts;
    int32_t *load;
    rc_schedule_t number; /* of a limited search: the row of the matrix that has a number; else
                             none */
    int32_t *left;        /* rows, part after part */
    int32_t *slot;        /* [rows] */
    rc_masks_t masks;
} greedy_t;

/* Rows that are ordered by themselves, in slots of their own. */
typedef struct part {
    rc_nearest_maps_t *maps;
    int64_t rows;
    int32_t *left; /* [rows] */
    int32_t *slot; /* [rows] */
} part_t;

static void report(const greedy_t *g, int64_t rows)
{
    if (g->in->watch.placed)
        atomic_fetch_add_explicit(g->in->watch.placed, rows, memory_order_relaxed);
}

/* Fill slots [p, p + n) of a part with the n rows of `rows`, which increase; slot p has a
 * predecessor. */
static rc_status_t chain(
    const greedy_t *g, const part_t *part, const int32_t *rows, int64_t n, int64_t p, rc_err_t *err)
{
    enum { asked = 256 }; /* slots from one question whether to go on to the next */
    int64_t look = g->rule->look;
    int32_t *slot = part->slot;
    rc_nearest_t *nn = NULL;
    RC_PASS(rc_nearest_create(&g->masks, g->load, g->rule->tie, rows, n, look ? 0 : g->dense_lines,
        part->maps, &nn, err));
    rc_status_t st = RC_OK;
    if (look)
        st = rc_nearest_limit(nn, look, g->number.row, err);
    for (int64_t end = p + n; st == RC_OK && p < end; p++) {
        if (p % asked == 0)
            st = rc_order_go_on(g->in, err);
        int32_t ref = slot[g->rule->by_warp ? p - g->nw : p - 1];
        slot[p] = rc_nearest_take(nn, ref, g->load[slot[p - 1]], p >= g->nw ? slot[p - g->nw] : -1);
        report(g, 1);
    }
    rc_nearest_free(nn);
    return st;
}

/* The seeds are the rows of lowest load; the rest follows in one chain.  The rows are numbered
 * without a gap. */
static rc_status_t build_from_lowest(const greedy_t *g, const part_t *part, rc_err_t *err)
{
    int32_t *slot = part->slot;
    int32_t *left = part->left;
    int32_t first = left[0];
    rc_status_t st = RC_OK;
    memcpy(slot, left, (size_t)part->rows * sizeof *slot);
    if (g->number.row)
        st = rc_sort_by_key(g->number.row, 0, part->rows, slot, err);
    if (st == RC_OK)
        st = rc_sort_by_key(g->load, 0, part->rows, slot, err);
    if (st < 0)
        return st;
    int64_t seeds = g->rule->by_warp ? g->nw : 1;
    if (seeds > part->rows)
        seeds = part->rows;
    for (int64_t p = 0; p < seeds; p++)
        left[slot[p] - first] = -1;
    int64_t n = 0;
    for (int64_t i = 0; i < part->rows; i++)
        if (left[i] >= 0)
            left[n++] = left[i];
    report(g, seeds);
    return n ? chain(g, part, left, n, seeds, err) : RC_OK;
}

/* One chain per load, each going on from the last row of the one before.  The rows are sorted by
 * load. */
static rc_status_t build_by_load(const greedy_t *g, const part_t *part, rc_err_t *err)
{
    const int32_t *left = part->left;
    rc_status_t st = RC_OK;
    part->slot[0] = left[0];
    report(g, 1);
    for (int64_t p = 1; st == RC_OK && p < part->rows;) {
        int64_t end = p + 1;
        while (end < part->rows && g->load[left[end]] == g->load[left[p]])
            end++;
        st = chain(g, part, left + p, end - p, p, err);
        p = end;
    }
    return st;
}

static rc_status_t build_part(const greedy_t *g, int64_t k, rc_nearest_maps_t *maps, rc_err_t *err)
{
    int64_t begin = rc_part_begin(g->rows, g->parts, k);
    part_t part = {.maps = maps,
        .rows = rc_part_begin(g->rows, g->parts, k + 1) - begin,
        .left = g->left + begin,
        .slot = g->slot + begin};
    if (part.rows == 0)
        return RC_OK;
    return g->rule->within_load ? build_by_load(g, &part, err) : build_from_lowest(g, &part, err);
}

static rc_status_t take_parts(void *of, _Atomic int64_t *next, rc_err_t *err)
{
    greedy_t *g = of;
    rc_nearest_maps_t maps;
    rc_status_t st = rc_nearest_maps_alloc(&g->masks, &maps, err);
    for (int64_t k = (*next)++; st == RC_OK && k < g->parts; k = (*next)++)
        st = build_part(g, k, &maps, err);
    rc_pool_free(&maps.pool);
    return st;
}

/* Have the rows numbered by `auto` where the search is limited. */
static rc_status_t number_rows(greedy_t *g, const rc_order_input_t *in, rc_err_t *err)
{
    RC_PASS(rc_parts_number(in, &g->number, err));
    for (int64_t i = 0; i < g->rows; i++)
        g->left[i] = g->load[g->number.row[i]];
    int32_t *load = g->load;
    g->load = g->left;
    g->left = load;
    return RC_OK;
}

rc_status_t rc_greedy_build(const rc_order_input_t *in, const rc_greedy_rule_t *rule,
    int64_t dense_lines, rc_schedule_t *out, rc_err_t *err)
{
    const rc_csr_t *a = in->a;
    const rc_geometry_t *geometry = in->geometry;
    rc_status_t st;
    rc_schedule_t s = {0};
    greedy_t g = {.in = in,
        .rule = rule,
        .dense_lines = dense_lines,
        .threads = in->threads,
        .nw = geometry->nw,
        .rows = a->rows,
        .parts = rule->parts > 1 ? rule->parts : 1};
    RC_TRY(rc_schedule_alloc(a->rows, a->rows, &s, err));
    RC_TRY(rc_row_loads(a, geometry->nt, in->threads, &g.load, err));
    g.left = rc_alloc((size_t)a->rows, sizeof *g.left, "row order", err);
    if (!g.left) {
        st = RC_ENOMEM;
        goto done;
    }
    if (rule->look)
        RC_TRY(number_rows(&g, in, err));
    RC_TRY(rc_masks_build(a, g.number.row, geometry->line, in->threads, &g.masks, err));
    for (int64_t r = 0; r < a->rows; r++)
        g.left[r] = (int32_t)r;
    if (rule->within_load)
        RC_TRY(rc_sort_by_key(g.load, 1, a->rows, g.left, err));
    if (in->watch.placed)
        *in->watch.placed = 0;
    g.slot = s.row;
    RC_TRY(rc_parts_share(g.parts, g.threads, take_parts, &g, err));
    for (int64_t p = 0; g.number.row && p < a->rows; p++)
        s.row[p] = g.number.row[s.row[p]];
    *out = s;
    s = (rc_schedule_t){0};
done:
    rc_schedule_free(&s);
    rc_schedule_free(&g.number);
    free(g.load);
    free(g.left);
    rc_masks_free(&g.masks);
    return st;
}
