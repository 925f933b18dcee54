/* The parts of a matrix in the memory of a state: cut on the device where the matrix is there, or
 * on the host and uploaded. */
#include "config.h"
#include "format/cuda/tiles.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/cuda/slots.h"
#include "format/slots.h"

#include <stdlib.h>

static int pointer_bytes(const rc_problem_t *p)
{
    return rc_cuda_slots_wide(p) ? (int)sizeof(int64_t) : (int)sizeof(int32_t);
}

void rc_cuda_tiles_arrays(rc_keeping_t *k, rc_aspt_cut_t *cut, rc_build_tiles_t *out)
{
    const rc_tile_parts_t *from = &cut->parts;
    const int grouped = out->rows > 1;
    const size_t rest = (size_t)(k->p->a->nnz - out->nnz_dense);
    out->panel = rc_keep_array(
        k, grouped ? cut->groups.panel : from->panel, (size_t)out->panels, sizeof *out->panel);
    out->ptr = rc_keep_pointers(
        k, grouped ? cut->groups.ptr : from->ptr, out->ptrs + 1, pointer_bytes(k->p));
    out->tile_col = rc_keep_array(k, cut->tile_col, (size_t)out->cols, sizeof *out->tile_col);
    out->col = rc_keep_array(
        k, grouped ? cut->groups.col : from->col, (size_t)out->columns, sizeof *out->col);
    out->rest_col = rc_keep_array(k, from->rest_col, rest, sizeof *out->rest_col);
}

/* What is on the host while a matrix is cut there; zeroed where it is cut on the device. */
typedef struct host {
    rc_aspt_cut_t cut; /* of places */
    rc_aspt_pieces_t pieces;
    int32_t *rest_row;
} host_t;

static void host_free(host_t *h)
{
    rc_aspt_cut_free(&h->cut);
    rc_aspt_pieces_free(&h->pieces);
    free(h->rest_row);
}

/* The row of C of a row of the sparse part; -1: there is none. */
static int32_t row_of_rest(const rc_aspt_cut_t *c, const int32_t *row, int64_t i)
{
    int32_t slot = c->rest_row ? c->rest_row[i] : (int32_t)i;
    return row ? row[slot] : slot;
}

/* Where the rows of the sparse part go that are multiplied by themselves: not those that the tiles
 * take, nor those in pieces. */
static rc_status_t list_rest_rows(
    host_t *h, const int32_t *row, int apart, int *has_rest, rc_err_t *err)
{
    const rc_aspt_cut_t *c = &h->cut;
    const rc_tile_parts_t *a = &c->parts;
    int64_t panel = 0;
    RC_PASS(RC_NEW(h->rest_row, a->slots, "the sparse part", err));
    *has_rest = 0;
    for (int64_t i = 0; i < a->slots; i++) {
        while (panel < a->size.panels && a->panel[panel].slot + (int64_t)c->rule.panel <= i)
            panel++;
        int is_tiled = !apart && panel < a->size.panels && i >= a->panel[panel].slot;
        int is_long = a->rest_ptr[i + 1] - a->rest_ptr[i] > RC_ASPT_PIECE;
        h->rest_row[i] = is_tiled || is_long ? -1 : row_of_rest(c, row, i);
        *has_rest |= h->rest_row[i] >= 0;
    }
    return RC_OK;
}

static rc_status_t cut_here(rc_keeping_t *k, rc_build_tiles_t *b, int *has_rest, host_t *h)
{
    const rc_problem_t *p = k->p;
    const int32_t *row = rc_slots_named(p) ? p->schedule->row : NULL;
    const rc_tile_group_size_t groups = {b->rows, b->ptrs, b->columns};
    rc_slots_t slots = {0};
    rc_status_t st;
    RC_TRY(rc_slots_arrange(k->m->x, p, &slots, k->err));
    RC_TRY(rc_slots_number(p, &slots, k->err));
    const rc_segments_source_t source = rc_slots_source(&slots, p);
    RC_TRY(rc_aspt_cut(p, &source, k->m->x->threads, &h->cut, k->err));
    rc_slots_drop_entries(&slots);
    if (b->rows > 1)
        RC_TRY(rc_tile_groups_build(
            &h->cut.parts, &h->cut.rule, h->cut.tile_col, &groups, &h->cut.groups, k->err));
    b->apart |= h->cut.rest_row != NULL;
    RC_TRY(list_rest_rows(h, row, b->apart, has_rest, k->err));
    RC_TRY(rc_aspt_pieces(&h->cut.parts, &h->pieces, k->err));
    for (int64_t i = 0; i < h->pieces.longs; i++)
        h->pieces.long_row[i].row = row_of_rest(&h->cut, row, h->pieces.long_row[i].row);
done:
    rc_slots_free(&slots);
    return st;
}

/* Copies of what the host has, or room.  Pointers of the host are narrowed. */
static void keep(rc_keeping_t *k, host_t *h, rc_build_tiles_t *out)
{
    const rc_problem_t *p = k->p;
    const int64_t tiles = out->columns * out->rows;
    const int64_t slots = p->schedule->slots;
    const size_t places = (size_t)(out->pieces + out->longs);
    rc_cuda_tiles_arrays(k, &h->cut, out);
    out->entry = rc_keep_values(k, NULL, tiles + p->a->nnz - out->nnz_dense);
    out->rest_entry =
        out->entry ? (char *)out->entry + (size_t)tiles * (size_t)k->places.bytes : NULL;
    out->rest_ptr = rc_keep_pointers(k, h->cut.parts.rest_ptr, slots + 1, pointer_bytes(p));
    out->rest_row = rc_keep_array(k, h->rest_row, (size_t)slots, sizeof *out->rest_row);
    if (out->longs == 0)
        return;
    out->long_row = rc_keep_array(k, h->pieces.long_row, (size_t)out->longs, sizeof *out->long_row);
    out->piece_ptr = rc_keep_pointers(k, h->pieces.ptr, (int64_t)places + 1, pointer_bytes(p));
    out->piece = rc_keep_array(k, h->pieces.piece, places, sizeof *out->piece);
}

static rc_status_t put_places(rc_keeping_t *k, const rc_build_tiles_t *b, const rc_aspt_cut_t *c)
{
    const rc_tile_parts_t *from = &c->parts;
    const int64_t tiles = b->columns * b->rows;
    const void *val = b->rows > 1 ? c->groups.val : from->val;
    RC_PASS(rc_places_put(&k->places, 0, val, tiles, k->err));
    return rc_places_put(&k->places, tiles, from->rest_val, from->size.nnz_rest, k->err);
}

static rc_status_t cut_there(rc_keeping_t *k, rc_build_tiles_t *b, int *has_rest)
{
    rc_executor_t *x = k->m->x;
    const size_t tiles = (size_t)(b->columns * b->rows);
    rc_memory_t flag = {.x = x};
    rc_build_csr_t c = {.slots = 0};
    int32_t found = 0;
    void *to = NULL;
    rc_status_t st;
    RC_TRY(x->fill(x, b->entry, 0, tiles * (size_t)k->places.bytes, k->err));
    RC_TRY(rc_memory_keep(&flag, NULL, sizeof *b->has_rest, &to, k->err));
    b->has_rest = to;
    RC_TRY(rc_build_csr_begin(k->p, &c, k->err));
    RC_TRY(rc_build_tiles(&c, b, k->err));
    RC_TRY(x->download(x, &found, b->has_rest, sizeof found, k->err));
    *has_rest = found;
done:
    rc_build_csr_end(&c);
    rc_memory_free(&flag);
    return st;
}

/* 1: the matrix is on the GPU, and what is asked for is made there. */
static int is_there(const rc_problem_t *p)
{
    return p->resident && p->a->nnz > 0 && p->a->nnz <= RC_BUILD_TILES_MOST &&
           !rc_cuda_slots_wide(p) && p->param[RC_ASPT_REST] == RC_ASPT_KEEP;
}

rc_status_t rc_cuda_tiles_keep(rc_keeping_t *k, rc_build_tiles_t *out, int *has_rest)
{
    const int there = is_there(k->p);
    host_t h = {.rest_row = NULL};
    if (!there)
        k->st = cut_here(k, out, has_rest, &h);
    keep(k, &h, out);
    if (k->st == RC_OK)
        k->st = there ? cut_there(k, out, has_rest) : put_places(k, out, &h.cut);
    (void)rc_keep_end(k);
    host_free(&h);
    return k->st;
}
