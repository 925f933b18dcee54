/* The parts of a matrix in the memory of a GPU: cut there, or on the host and uploaded. */
#include "config.h"
#include "base/alloc.h"
#include "device/cuda/executor.h"
#include "format/cuda/keep.h"
#include "format/cuda/tiles.h"
#include "format/places.h"
#include "format/slots.h"
#include "kernels/kernel.h"
#include "kernels/spmm/cuda/aspt_state.h"

#include <stdlib.h>

static int64_t pointer_bytes(const rc_problem_t *p)
{
    return (int64_t)(rc_cuda_slots_wide(p) ? sizeof(int64_t) : sizeof(int32_t));
}

int64_t rc_cuda_aspt_tile_bytes(const rc_problem_t *p, const rc_aspt_size_t *n)
{
    const rc_tile_size_t *t = &n->tiles;
    int64_t value = (int64_t)rc_precision_bytes(p->precision);
    int64_t index = (int64_t)sizeof(int32_t);
    int64_t bytes =
        rc_sat_mul(n->groups.columns, (int64_t)sizeof(uint16_t) + n->groups.rows * value);
    bytes = rc_sat_add(bytes, rc_sat_mul(t->nnz_rest, index + value));
    bytes = rc_sat_add(bytes, (n->groups.ptrs + 1) * pointer_bytes(p));
    bytes = rc_sat_add(bytes, t->panels * (int64_t)sizeof(rc_tile_panel_t) + t->cols * index);
    return rc_sat_add(bytes, rc_cuda_rows_bytes(p));
}

int64_t rc_cuda_aspt_bytes(const rc_problem_t *p, const rc_aspt_size_t *n)
{
    int64_t index = (int64_t)sizeof(int32_t);
    int64_t slots = p->schedule->slots;
    int64_t bytes = rc_cuda_aspt_tile_bytes(p, n);
    bytes = rc_sat_add(bytes, (slots + 1) * pointer_bytes(p));
    bytes = rc_sat_add(bytes, slots * index); /* where rows of the sparse part go */
    if (n->longs > 0)
        bytes = rc_sat_add(bytes,
            (n->pieces + n->longs) * (pointer_bytes(p) + index) + pointer_bytes(p) +
                n->longs * (int64_t)sizeof(rc_long_row_t));
    return bytes;
}

/* Room for the values of both parts in one array, and their places, tiles first.
 * \param[in] tiles  places of them; s->values is of both */
static rc_status_t keep_values(
    rc_cuda_aspt_t *s, const rc_problem_t *p, int64_t tiles, rc_places_t *places, rc_err_t *err)
{
    size_t value = rc_precision_bytes(s->precision);
    void *to = NULL;
    rc_status_t st = rc_cuda_room(&s->memory, (size_t)s->values * value, &to, err);
    s->parts.val = to;
    s->parts.rest_val = to ? (char *)to + (size_t)tiles * value : NULL;
    return st < 0 ? st : rc_places_keep(s->memory.x, p, NULL, s->values, places, err);
}

/* Their places, from the host. */
static rc_status_t put_places(rc_cuda_aspt_t *s, const rc_problem_t *p, const rc_aspt_cut_t *c,
    rc_places_t *places, rc_err_t *err)
{
    const rc_tile_parts_t *from = &c->parts;
    const rc_tile_group_size_t *g = &c->groups.size;
    int64_t tiles = g->rows > 1 ? g->columns * g->rows : from->size.nnz_dense;
    rc_status_t st;
    s->values = tiles + from->size.nnz_rest;
    RC_TRY(keep_values(s, p, tiles, places, err));
    RC_TRY(rc_places_put(places, 0, g->rows > 1 ? c->groups.val : from->val, tiles, err));
    RC_TRY(rc_places_put(places, tiles, from->rest_val, from->size.nnz_rest, err));
done:
    return st;
}

rc_aspt_parts_t rc_cuda_aspt_parts(const rc_problem_t *p)
{
    return (rc_aspt_parts_t){.slots = (int32_t)p->schedule->slots,
        .panel_slots = (int32_t)p->param[RC_ASPT_PANEL],
        .tile_cols = (int32_t)p->param[RC_ASPT_TILE_COLS],
        .ptr_bytes = (int)pointer_bytes(p)};
}

rc_status_t rc_cuda_aspt_keep_tiles(
    rc_cuda_memory_t *m, rc_aspt_cut_t *c, rc_aspt_parts_t *a, rc_err_t *err)
{
    rc_tile_parts_t *from = &c->parts;
    const rc_tile_size_t *n = &from->size;
    const int grouped = c->groups.size.rows > 1;
    const rc_tile_panel_t *panel = grouped ? c->groups.panel : from->panel;
    const uint16_t *col = grouped ? c->groups.col : from->col;
    int64_t ptrs = grouped ? c->groups.size.ptrs : n->ptrs;
    int64_t columns = grouped ? c->groups.size.columns : n->nnz_dense;
    void *to = NULL;
    rc_status_t st;
    a->rows = grouped ? (int)c->groups.size.rows : 1;
    RC_TRY(rc_cuda_keep(m, panel, (size_t)n->panels * sizeof *panel, &to, err));
    a->panel = to;
    RC_TRY(rc_cuda_keep_pointers(
        m, grouped ? c->groups.ptr : from->ptr, ptrs + 1, a->ptr_bytes, &a->ptr, err));
    RC_TRY(rc_cuda_keep(m, c->tile_col, (size_t)n->cols * sizeof *c->tile_col, &to, err));
    a->tile_col = to;
    RC_TRY(rc_cuda_keep(m, col, (size_t)columns * sizeof *col, &to, err));
    a->col = to;
    RC_TRY(rc_cuda_keep(m, from->rest_col, (size_t)n->nnz_rest * sizeof *from->rest_col, &to, err));
    a->rest_col = to;
    a->panels = (int32_t)n->panels;
done:
    return st;
}

/* Pointers of the cut are narrowed: it is of no use after this. */
static rc_status_t keep_parts(rc_cuda_aspt_t *s, rc_aspt_cut_t *c, rc_err_t *err)
{
    rc_status_t st;
    RC_TRY(rc_cuda_aspt_keep_tiles(&s->memory, c, &s->parts, err));
    RC_TRY(rc_cuda_keep_pointers(&s->memory, c->parts.rest_ptr, c->parts.slots + 1,
        s->parts.ptr_bytes, &s->parts.rest_ptr, err));
    s->tile_cols = c->parts.size.widest;
done:
    return st;
}

/* The row of C of a row of the sparse part; -1: there is none. */
static int32_t row_of_rest(const rc_aspt_cut_t *c, const int32_t *row, int64_t i)
{
    int32_t slot = c->rest_row ? c->rest_row[i] : (int32_t)i;
    return row ? row[slot] : slot;
}

/* Where the rows of the sparse part go that are multiplied by themselves: not those that the tiles take, nor
 * those in pieces. */
static rc_status_t keep_rest_rows(
    rc_cuda_aspt_t *s, const rc_aspt_cut_t *c, const int32_t *row, rc_err_t *err)
{
    const rc_tile_parts_t *a = &c->parts;
    int32_t *to_row = rc_alloc((size_t)a->slots, sizeof *to_row, "the sparse part", err);
    void *to = NULL;
    int64_t panel = 0;
    if (!to_row)
        return RC_ENOMEM;
    s->has_rest = 0;
    for (int64_t i = 0; i < a->slots; i++) {
        while (panel < a->size.panels && a->panel[panel].slot + (int64_t)c->rule.panel <= i)
            panel++;
        int is_tiled = !s->parts.apart && panel < a->size.panels && i >= a->panel[panel].slot;
        int is_long = a->rest_ptr[i + 1] - a->rest_ptr[i] > RC_ASPT_PIECE;
        to_row[i] = is_tiled || is_long ? -1 : row_of_rest(c, row, i);
        s->has_rest |= to_row[i] >= 0;
    }
    rc_status_t st = rc_cuda_keep(&s->memory, to_row, (size_t)a->slots * sizeof *to_row, &to, err);
    s->rest.args.row = to;
    free(to_row);
    return st;
}

static rc_status_t keep_pieces(
    rc_cuda_aspt_t *s, const rc_aspt_cut_t *c, const int32_t *row, rc_err_t *err)
{
    rc_aspt_pieces_t n = {.longs = 0};
    rc_rowmajor_args_t *a = &s->pieces.args;
    void *to = NULL;
    rc_status_t st;
    RC_TRY(rc_aspt_pieces(&c->parts, &n, err));
    if (n.longs == 0)
        goto done;
    for (int64_t i = 0; i < n.longs; i++)
        n.long_row[i].row = row_of_rest(c, row, n.long_row[i].row);
    size_t places = (size_t)(n.pieces + n.longs);
    RC_TRY(rc_cuda_keep(&s->memory, n.long_row, (size_t)n.longs * sizeof *n.long_row, &to, err));
    s->long_row = to;
    RC_TRY(rc_cuda_keep_pointers(
        &s->memory, n.ptr, (int64_t)places + 1, s->parts.ptr_bytes, &a->ptr, err));
    RC_TRY(rc_cuda_keep(&s->memory, n.piece, places * sizeof *n.piece, &to, err));
    a->row = to;
    a->slots = (int32_t)places;
    s->longs = n.longs;
done:
    rc_aspt_pieces_free(&n);
    return st;
}

static rc_status_t keep_all(
    rc_cuda_aspt_t *s, const rc_problem_t *p, rc_aspt_cut_t *c, rc_err_t *err)
{
    const int32_t *row = rc_cuda_slots_named(p) ? p->schedule->row : NULL;
    rc_status_t st;
    s->parts.apart |= c->rest_row != NULL;
    RC_TRY(keep_rest_rows(s, c, row, err)); /* these two read pointers, which are narrowed by the next */
    RC_TRY(keep_pieces(s, c, row, err));
    RC_TRY(keep_parts(s, c, err));
done:
    return st;
}

static rc_status_t build_here(
    rc_cuda_aspt_t *s, const rc_problem_t *p, const rc_tile_group_size_t *groups, rc_err_t *err)
{
    rc_executor_t *x = s->memory.x;
    rc_slots_t host = {0};
    rc_aspt_cut_t cut = {.tile_col = NULL};
    rc_places_t places = {0};
    rc_status_t st;
    RC_TRY(rc_slots_arrange(x, p, &host, err));
    RC_TRY(rc_slots_number(p, &host, err));
    const rc_segments_source_t source = {.rows = host.slots,
        .cols = host.cols,
        .ptr = host.ptr,
        .col = host.col,
        .val = host.entry,
        .value_bytes = rc_places_bytes(p->a)};
    RC_TRY(rc_aspt_cut(p, &source, x->threads, &cut, err));
    rc_slots_drop_entries(&host);
    if (groups->rows > 1)
        RC_TRY(rc_tile_groups_build(
            &cut.parts, &cut.rule, cut.tile_col, groups, &cut.groups, err));
    RC_TRY(keep_all(s, p, &cut, err));
    RC_TRY(put_places(s, p, &cut, &places, err));
    RC_TRY(rc_places_fill(p, &places, (void *)(uintptr_t)s->parts.val, err));
done:
    rc_places_free(&places);
    rc_aspt_cut_free(&cut);
    rc_slots_free(&host);
    return st;
}

/* Room for the parts, as rc_build_tiles fills it. */
static rc_status_t room_for_tiles(rc_cuda_aspt_t *s, const rc_problem_t *p, const rc_analysis_t *n,
    rc_build_tiles_t *b, rc_places_t *at, rc_err_t *err)
{
    rc_cuda_memory_t *m = &s->memory;
    size_t columns = (size_t)n->chosen[RC_CUDA_ASPT_COLUMNS];
    size_t rest = (size_t)(s->values - (int64_t)columns * b->rows);
    size_t places = (size_t)(b->pieces + b->longs);
    void *to = NULL;
    rc_status_t st;
    RC_TRY(rc_cuda_room(m, (size_t)b->panels * sizeof *b->panel, &to, err));
    b->panel = to;
    RC_TRY(rc_cuda_room(m, ((size_t)b->ptrs + 1) * sizeof *b->ptr, &to, err));
    b->ptr = to;
    RC_TRY(rc_cuda_room(m, (size_t)b->cols * sizeof *b->tile_col, &to, err));
    b->tile_col = to;
    RC_TRY(rc_cuda_room(m, columns * sizeof *b->col, &to, err));
    b->col = to;
    RC_TRY(keep_values(s, p, (int64_t)columns * b->rows, at, err));
    RC_TRY(m->x->fill(m->x, at->at, 0, columns * (size_t)b->rows * (size_t)at->bytes, err));
    b->entry = at->at;
    b->rest_entry = (char *)at->at + columns * (size_t)b->rows * (size_t)at->bytes;
    RC_TRY(rc_cuda_room(m, ((size_t)s->parts.slots + 1) * sizeof *b->rest_ptr, &to, err));
    b->rest_ptr = to;
    RC_TRY(rc_cuda_room(m, rest * sizeof *b->rest_col, &to, err));
    b->rest_col = to;
    RC_TRY(rc_cuda_room(m, (size_t)s->parts.slots * sizeof *b->rest_row, &to, err));
    b->rest_row = to;
    if (b->longs == 0)
        goto done;
    RC_TRY(rc_cuda_room(m, (size_t)b->longs * sizeof *b->long_row, &to, err));
    b->long_row = to;
    RC_TRY(rc_cuda_room(m, (places + 1) * sizeof *b->piece_ptr, &to, err));
    b->piece_ptr = to;
    RC_TRY(rc_cuda_room(m, places * sizeof *b->piece, &to, err));
    b->piece = to;
done:
    return st;
}

static void take_tiles(rc_cuda_aspt_t *s, const rc_build_tiles_t *b)
{
    rc_aspt_parts_t *a = &s->parts;
    a->panel = b->panel;
    a->panels = (int32_t)b->panels;
    a->ptr = b->ptr;
    a->tile_col = b->tile_col;
    a->col = b->col;
    a->rest_ptr = b->rest_ptr;
    a->rest_col = b->rest_col;
    a->rows = b->rows > 1 ? (int)b->rows : 1;
    s->rest.args.row = b->rest_row;
    s->long_row = b->long_row;
    s->longs = b->longs;
    if (b->longs == 0)
        return;
    s->pieces.args.ptr = b->piece_ptr;
    s->pieces.args.row = b->piece;
    s->pieces.args.slots = (int32_t)(b->pieces + b->longs);
}

static rc_status_t build_there(
    rc_cuda_aspt_t *s, const rc_problem_t *p, const rc_analysis_t *n, rc_err_t *err)
{
    rc_executor_t *x = s->memory.x;
    rc_build_tiles_t b = {.rule = rc_aspt_rule(p),
        .width = p->a->cols,
        .panels = n->chosen[RC_CUDA_ASPT_PANELS],
        .cols = n->chosen[RC_CUDA_ASPT_COLS],
        .nnz_dense = n->chosen[RC_CUDA_ASPT_NNZ_DENSE],
        .rows = n->chosen[RC_CUDA_ASPT_ROWS],
        .ptrs = n->chosen[RC_CUDA_ASPT_PTRS],
        .longs = n->chosen[RC_CUDA_ASPT_LONGS],
        .pieces = n->chosen[RC_CUDA_ASPT_PIECES],
        .apart = s->parts.apart,
        .row = s->parts.row};
    rc_build_csr_t c = {.slots = 0};
    rc_cuda_memory_t flag = {.x = x};
    int32_t has_rest = 0;
    rc_places_t places = {0};
    void *to = NULL;
    rc_status_t st;
    s->values = n->chosen[RC_CUDA_ASPT_COLUMNS] * b.rows + p->a->nnz - b.nnz_dense;
    s->tile_cols = n->chosen[RC_CUDA_ASPT_WIDEST] % RC_CUDA_ASPT_APART;
    RC_TRY(room_for_tiles(s, p, n, &b, &places, err));
    RC_TRY(rc_cuda_keep(&flag, NULL, sizeof *b.has_rest, &to, err));
    b.has_rest = to;
    RC_TRY(rc_build_csr_begin(p, &c, err));
    RC_TRY(rc_build_tiles(&c, &b, err));
    RC_TRY(rc_places_fill(p, &places, (void *)(uintptr_t)s->parts.val, err));
    RC_TRY(x->download(x, &has_rest, b.has_rest, sizeof has_rest, err)); /* waits: it is part of the time to prepare */
    s->has_rest = has_rest;
    take_tiles(s, &b);
done:
    rc_places_free(&places);
    rc_build_csr_end(&c);
    rc_cuda_memory_free(&flag);
    return st;
}

/* 1: the matrix is on the GPU, and what is asked for is made there. */
static int is_there(const rc_cuda_aspt_t *s, const rc_problem_t *p)
{
    return p->resident && p->a->nnz > 0 && p->a->nnz <= RC_BUILD_TILES_MOST &&
           s->parts.ptr_bytes == (int)sizeof(int32_t) && p->param[RC_ASPT_REST] == RC_ASPT_KEEP;
}

rc_status_t rc_cuda_aspt_build(
    rc_cuda_aspt_t *s, const rc_problem_t *p, const rc_analysis_t *n, rc_err_t *err)
{
    const rc_tile_group_size_t groups = {n->chosen[RC_CUDA_ASPT_ROWS], n->chosen[RC_CUDA_ASPT_PTRS],
        n->chosen[RC_CUDA_ASPT_COLUMNS]};
    rc_cuda_slots_t slots;
    rc_status_t st;
    s->precision = p->precision;
    s->cols = p->a->cols;
    s->steps = rc_aspt_steps(p);
    s->parts = rc_cuda_aspt_parts(p);
    s->parts.apart = n->chosen[RC_CUDA_ASPT_WIDEST] >= RC_CUDA_ASPT_APART;
    RC_TRY(rc_cuda_keep_rows(&s->memory, p, &slots, err));
    s->parts.row = slots.row;
    s->absent = slots.absent;
    s->absents = slots.absents;
    RC_TRY(is_there(s, p) ? build_there(s, p, n, err) : build_here(s, p, &groups, err));
    s->rest.args.ptr = s->parts.rest_ptr;
    s->rest.args.slots = s->parts.slots;
    s->rest.args.col = s->pieces.args.col = s->parts.rest_col;
    s->rest.args.val = s->pieces.args.val = s->parts.rest_val;
    rc_cuda_memory_seal(&s->memory);
done:
    return st;
}
