#include "config.h"
#include "sparse/tile_parts.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/tally.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

rc_status_t rc_tile_measure(
    const rc_tiles_t *t, int64_t slots, int64_t nnz, rc_tile_size_t *out, rc_err_t *err)
{
    rc_tile_size_t n = {.cols = t->col_ptr[t->panels], .nnz_dense = t->dense_ptr[t->panels]};
    if (t->rule.tile_cols > RC_TILE_COLS_MAX)
        return rc_fail(err, RC_ENOTSUP,
            "shape: tiles of %" PRId32 " columns, at most %d are implemented", t->rule.tile_cols,
            RC_TILE_COLS_MAX);
    for (int64_t p = 0; p < t->panels; p++) {
        int64_t cols = t->col_ptr[p + 1] - t->col_ptr[p];
        int64_t tiles = rc_tiles_of((int32_t)cols, t->rule.tile_cols);
        int64_t wide = cols < t->rule.tile_cols ? cols : t->rule.tile_cols;
        n.panels += cols > 0;
        n.ptrs += tiles * rc_panel_slots(t, slots, p);
        n.widest = wide > n.widest ? wide : n.widest;
    }
    n.nnz_rest = nnz - n.nnz_dense;
    enum {
        SPARE = 1 << 20,
        MOST = INT32_MAX - SPARE
    }; /* kernels step past the last slot by less
                                                           than that */
    if (slots > MOST || n.ptrs > MOST || n.cols > MOST)
        return rc_fail(err, RC_ENOTSUP,
            "shape: %" PRId64 " slots, %" PRId64 " columns of tiles and %" PRId64
            " of their rows, at most %d are implemented",
            slots, n.cols, n.ptrs, MOST);
    *out = n;
    return RC_OK;
}

static rc_status_t alloc_parts(rc_tile_parts_t *p, rc_err_t *err)
{
    const rc_tile_size_t *n = &p->size;
    size_t value = (size_t)p->value_bytes;
    p->pool = (rc_pool_t){0};
    p->panel = rc_pool_get(&p->pool, (size_t)n->panels, sizeof *p->panel);
    p->ptr = rc_pool_get0(&p->pool, (size_t)n->ptrs + 1, sizeof *p->ptr);
    p->col = rc_pool_get(&p->pool, (size_t)n->nnz_dense, sizeof *p->col);
    p->val = rc_pool_get(&p->pool, (size_t)n->nnz_dense, value);
    p->rest_ptr = rc_alloc0((size_t)p->slots + 1, sizeof *p->rest_ptr, "the sparse part", err);
    p->rest_col = rc_alloc((size_t)n->nnz_rest, sizeof *p->rest_col, "the sparse part", err);
    p->rest_val = rc_alloc((size_t)n->nnz_rest, value, "the sparse part", err);
    return p->rest_ptr && p->rest_col && p->rest_val ? rc_pool_check(&p->pool, "dense tiles", err)
                                                     : RC_ENOMEM;
}

/* The panels with tiles.  \param[out] of  [panels of t] number of each of them, -1 without tiles */
static void list_panels(const rc_tiles_t *t, rc_tile_parts_t *p, int32_t *of)
{
    int32_t n = 0;
    int64_t ptr = 0;
    for (int64_t i = 0; i < t->panels; i++) {
        int32_t cols = (int32_t)(t->col_ptr[i + 1] - t->col_ptr[i]);
        of[i] = cols > 0 ? n : -1;
        if (cols == 0)
            continue;
        p->panel[n++] = (rc_tile_panel_t){.slot = (int32_t)(i * t->rule.panel),
            .ptr = (int32_t)ptr,
            .col = (int32_t)t->col_ptr[i],
            .cols = cols};
        ptr += rc_tiles_of(cols, t->rule.tile_cols) * rc_panel_slots(t, p->slots, i);
    }
}

/* What cutting a panel takes. */
typedef struct work {
    const rc_segments_source_t *a;
    const rc_tiles_t *t;
    rc_tile_parts_t *p;
    const int32_t *of;
} work_t;

/* A row without a tile: it is part of the sparse part as it is.  \return the next place there */
static int64_t copy_row(const work_t *w, int64_t slot, int64_t at)
{
    rc_tile_parts_t *p = w->p;
    for (int64_t e = w->a->ptr[slot]; e < w->a->ptr[slot + 1]; e++, at++) {
        p->rest_col[at] = w->a->col[e];
        rc_tile_move(p->rest_val, at, w->a->val, e, p->value_bytes);
    }
    return at;
}

/* The entries of a slot: those of column i of the panel to its tile, the others to the sparse part.
 * \param[in]     at     entry of the first tile of the slot
 * \param[out]    ptr    [tiles + 1] where the entries of its tiles begin
 * \param[in,out] rest   the next place in the sparse part
 * \return the entry behind its last tile */
static int64_t cut_row(const work_t *w, const rc_tally_t *tally, int64_t slot, int32_t tiles,
    int64_t at, int64_t *ptr, int64_t *rest)
{
    const int32_t tile_cols = w->t->rule.tile_cols;
    const int64_t begin = w->a->ptr[slot];
    const int64_t end = w->a->ptr[slot + 1];
    rc_tile_parts_t *p = w->p;
    /* ptr[i + 1] counts the entries of tile i, then is where they begin, then where they end */
    memset(ptr + 1, 0, (size_t)tiles * sizeof *ptr);
    for (int64_t e = begin; e < end; e++) {
        const rc_tally_slot_t *s = rc_tally_at(tally, w->a->col[e]);
        if (s->col >= 0)
            ptr[1 + (s->count - 1) / tile_cols]++;
    }
    for (int32_t i = 0; i < tiles; i++) {
        int64_t n = ptr[i + 1];
        ptr[i + 1] = at;
        at += n;
    }
    for (int64_t e = begin; e < end; e++) {
        const rc_tally_slot_t *s = rc_tally_at(tally, w->a->col[e]);
        if (s->col < 0) {
            p->rest_col[*rest] = w->a->col[e];
            rc_tile_move(p->rest_val, (*rest)++, w->a->val, e, p->value_bytes);
            continue;
        }
        int64_t to = ptr[1 + (s->count - 1) / tile_cols]++;
        p->col[to] = (uint16_t)((s->count - 1) % tile_cols);
        rc_tile_move(p->val, to, w->a->val, e, p->value_bytes);
    }
    return at;
}

static rc_status_t cut_panel(
    const work_t *w, int64_t i, rc_tally_t *tally, int64_t *ptr, rc_err_t *err)
{
    const rc_tiles_t *t = w->t;
    rc_tile_parts_t *p = w->p;
    const int64_t first = i * t->rule.panel;
    const int64_t end = first + rc_panel_slots(t, p->slots, i);
    int64_t at = t->dense_ptr[i];
    int64_t rest = w->a->ptr[first] - at;
    if (w->of[i] < 0) {
        for (int64_t s = first; s < end; s++)
            p->rest_ptr[s + 1] = rest = copy_row(w, s, rest);
        return RC_OK;
    }
    const rc_tile_panel_t *panel = &p->panel[w->of[i]];
    const int32_t tiles = rc_tiles_of(panel->cols, t->rule.tile_cols);
    RC_PASS(rc_tally_reset(tally, panel->cols, err));
    for (int32_t c = 0; c < panel->cols; c++) { /* a column counts its place, from 1 */
        rc_tally_add(tally, t->col[panel->col + c]);
        rc_tally_at(tally, t->col[panel->col + c])->count = c + 1;
    }
    for (int64_t s = first; s < end; s++) {
        at = cut_row(w, tally, s, tiles, at, ptr, &rest);
        memcpy(p->ptr + panel->ptr + (s - first) * tiles + 1, ptr + 1, (size_t)tiles * sizeof *ptr);
        p->rest_ptr[s + 1] = rest;
    }
    return RC_OK;
}

static rc_status_t cut_all(const work_t *w, int threads, rc_err_t *err)
{
    enum { alone = 1 << 16 }; /* below it a team costs more than it brings */
    const rc_tiles_t *t = w->t;
    size_t most = 0; /* tiles of a panel */
    rc_status_t st = RC_OK;
    for (int64_t i = 0; i < w->p->size.panels; i++) {
        size_t tiles = (size_t)rc_tiles_of(w->p->panel[i].cols, t->rule.tile_cols);
        most = tiles > most ? tiles : most;
    }
#pragma omp parallel num_threads(threads) if (w->a->ptr[w->p->slots] + w->p->slots >= alone)
    {
        rc_tally_t tally = {0};
        rc_err_t said = {0};
        int64_t *ptr = rc_alloc(most + 1, sizeof *ptr, "tiles of a panel", &said);
        rc_status_t s = ptr ? RC_OK : RC_ENOMEM;
#pragma omp for schedule(dynamic, 8)
        for (int64_t i = 0; i < t->panels; i++)
            if (s == RC_OK)
                s = cut_panel(w, i, &tally, ptr, &said);
        rc_tally_free(&tally);
        free(ptr);
        rc_err_keep(s, &said, &st, err);
    }
    return st;
}

rc_status_t rc_tile_parts_cut(const rc_segments_source_t *a, const rc_tiles_t *t, int threads,
    rc_tile_parts_t *out, rc_err_t *err)
{
    rc_tile_parts_t p = {.slots = a->rows, .value_bytes = a->value_bytes};
    int32_t *of = NULL;
    rc_status_t st;
    RC_TRY(rc_tile_measure(t, a->rows, a->ptr[a->rows], &p.size, err));
    RC_TRY(alloc_parts(&p, err));
    RC_TRY(RC_NEW(of, t->panels, "panels with tiles", err));
    list_panels(t, &p, of);
    const work_t w = {a, t, &p, of};
    RC_TRY(cut_all(&w, threads, err));
    *out = p;
    p = (rc_tile_parts_t){.slots = 0};
done:
    free(of);
    rc_tile_parts_free(&p);
    return st;
}

rc_status_t rc_tile_parts_reorder(rc_tile_parts_t *p, const int32_t *row, rc_err_t *err)
{
    size_t value = (size_t)p->value_bytes;
    int64_t *ptr = rc_alloc((size_t)p->slots + 1, sizeof *ptr, "the sparse part", err);
    int32_t *col = rc_alloc((size_t)p->size.nnz_rest, sizeof *col, "the sparse part", err);
    char *val = rc_alloc((size_t)p->size.nnz_rest, value, "the sparse part", err);
    if (!ptr || !col || !val) {
        free(ptr);
        free(col);
        free(val);
        return RC_ENOMEM;
    }
    ptr[0] = 0;
    for (int64_t s = 0; s < p->slots; s++) {
        int64_t from = p->rest_ptr[row[s]];
        size_t n = (size_t)(p->rest_ptr[row[s] + 1] - from);
        ptr[s + 1] = ptr[s] + (int64_t)n;
        if (n == 0)
            continue;
        memcpy(col + ptr[s], p->rest_col + from, n * sizeof *col);
        memcpy(val + (size_t)ptr[s] * value, (char *)p->rest_val + (size_t)from * value, n * value);
    }
    free(p->rest_ptr);
    free(p->rest_col);
    free(p->rest_val);
    p->rest_ptr = ptr;
    p->rest_col = col;
    p->rest_val = val;
    return RC_OK;
}

void rc_tile_parts_free(rc_tile_parts_t *p)
{
    rc_pool_free(&p->pool);
    free(p->rest_ptr);
    free(p->rest_col);
    free(p->rest_val);
    *p = (rc_tile_parts_t){.slots = 0};
}
