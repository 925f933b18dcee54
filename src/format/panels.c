#include "config.h"
#include "format/panels.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLACES = 65536,
    PIECES_OF_PLACE = 16 /* where there are more pieces than places */
};

/* What the pieces before this one took. */
typedef struct cursor {
    const rc_items_t *items;
    const rc_panels_shape_t *shape;
    int longs; /* 1: at the long rows, 0: at the others */
    int64_t item;
    int64_t done; /* entries of the item that earlier parts have */
    rc_panels_size_t size;
} cursor_t;

/* A piece and what it is made of. */
typedef struct found {
    rc_panels_piece_t piece;
    rc_item_t item[RC_PANELS_ROWS_MAX]; /* of a part: its entries */
    int64_t part_of; /* parts of the row when this is the first of several, else 0 */
} found_t;

static int64_t up(int64_t n, int64_t to)
{
    return (n + to - 1) / to;
}

/* The next item from i on that is stored, of the long ones or the others; the number of items:
 * there is none. */
static int64_t next_item(const cursor_t *at, int64_t i)
{
    for (; i < at->items->count; i++) {
        rc_item_t it = rc_item_at(at->items, i);
        if (it.row >= 0 && (it.length > at->shape->longest) == at->longs)
            break;
    }
    return i;
}

/* Columns that one of two rows has. */
static int64_t union_of(const int32_t *col, const rc_item_t *x, const rc_item_t *y)
{
    int64_t i = 0;
    int64_t j = 0;
    int64_t n = 0;
    for (; i < x->length && j < y->length; n++) {
        int32_t a = col[x->first + i];
        int32_t b = col[y->first + j];
        i += a <= b;
        j += b <= a;
    }
    return n + x->length - i + y->length - j;
}

/* Entries of each part of a long row: equal, in whole batches; not many more parts than entries
 * of a part, because one group adds them. */
static int64_t part_entries(int64_t length, int64_t longest)
{
    while (longest * longest < length)
        longest += RC_PANELS_BATCH;
    int64_t parts = up(length, longest);
    return up(up(length, parts), RC_PANELS_BATCH) * RC_PANELS_BATCH;
}

static void next_part(cursor_t *at, found_t *f)
{
    rc_item_t it = f->item[0];
    int64_t entries = part_entries(it.length, at->shape->longest);
    int64_t left = it.length - at->done;
    f->part_of = at->done == 0 ? up(it.length, entries) : 0;
    f->item[0] = (rc_item_t){it.first + at->done, left < entries ? left : entries, it.row};
    f->piece.count = (int32_t)f->item[0].length;
    f->piece.row = (int32_t)(-2 - at->size.parts++);
    at->size.longs += f->part_of > 0;
    at->done += entries;
    if (at->done >= it.length) {
        at->done = 0;
        at->item++;
    }
}

/* Take the row after a short one into its piece when they share a quarter of their entries. */
static void join_next(cursor_t *at, found_t *f)
{
    int64_t next = at->shape->rows < 2 ? at->items->count : next_item(at, at->item);
    if (next == at->items->count || next / RC_PANELS_SEGMENT != (at->item - 1) / RC_PANELS_SEGMENT)
        return;
    rc_item_t it = rc_item_at(at->items, next);
    if (it.length == 0)
        return;
    int64_t columns = union_of(at->items->p->a->col_idx, &f->item[0], &it);
    if (4 * columns > 3 * (f->item[0].length + it.length))
        return;
    f->item[1] = it;
    f->piece.count = (int32_t)columns;
    f->piece.second = (int32_t)it.row;
    at->item = next + 1;
}

/* \return 0: there are no more pieces */
static int next_piece(cursor_t *at, found_t *f)
{
    at->item = next_item(at, at->item);
    if (at->item == at->items->count && at->longs) {
        at->longs = 0;
        at->item = next_item(at, 0);
    }
    if (at->item == at->items->count)
        return 0;
    rc_item_t it = rc_item_at(at->items, at->item);
    *f = (found_t){.item = {it},
        .piece = {.first = (uint32_t)at->size.batches,
            .count = (int32_t)it.length,
            .row = (int32_t)it.row,
            .second = -1}};
    if (at->longs) {
        next_part(at, f);
    } else {
        at->item++;
        if (it.length > 0)
            join_next(at, f);
    }
    at->size.pieces++;
    at->size.columns += f->piece.count;
    at->size.batches += up(f->piece.count, RC_PANELS_BATCH);
    return 1;
}

int64_t rc_panels_places(int64_t pieces)
{
    int64_t places = pieces / PIECES_OF_PLACE > PLACES ? pieces / PIECES_OF_PLACE : PLACES;
    return pieces < places ? pieces : places;
}

rc_status_t rc_panels_check(const rc_panels_size_t *s, rc_err_t *err)
{
    /* twice the pieces, because a group of threads looks ahead */
    if (s->batches <= UINT32_MAX && s->pieces <= INT32_MAX / 2)
        return RC_OK;
    return rc_fail(err, RC_ENOTSUP,
        "shape: %" PRId64 " pieces of rows with %" PRId64 " batches, too many", s->pieces,
        s->batches);
}

rc_status_t rc_panels_measure(
    const rc_items_t *items, const rc_panels_shape_t *shape, rc_panels_size_t *out, rc_err_t *err)
{
    cursor_t at = {.items = items, .shape = shape, .longs = 1};
    found_t f;
    while (next_piece(&at, &f))
        continue;
    at.size.batches++;
    *out = at.size;
    return rc_panels_check(out, err);
}

int64_t rc_panels_bytes(
    const rc_panels_shape_t *shape, const rc_panels_size_t *s, rc_precision_t precision)
{
    int64_t column = shape->col_bytes + shape->rows * (int64_t)rc_precision_bytes(precision);
    int64_t pieces = s->pieces * (int64_t)sizeof(rc_panels_piece_t);
    int64_t places = (rc_panels_places(s->pieces) + 1) * (int64_t)sizeof(int32_t);
    return rc_sat_add(rc_sat_mul(s->batches * RC_PANELS_BATCH, column), pieces + places);
}

/* ------------------------------------------------------------------- build */

/* Where the value of a column is: that of the other rows of the piece are RC_PANELS_BATCH apart. */
static size_t value_at(const rc_panels_t *p, size_t column)
{
    size_t batch = column / RC_PANELS_BATCH;
    return batch * (size_t)p->shape.rows * RC_PANELS_BATCH + column % RC_PANELS_BATCH;
}

/* \param[in] number  [rows] of the entries, -1: none */
static void put(const rc_panels_t *p, size_t at, int32_t col, const int64_t *number)
{
    size_t to = value_at(p, at);
    if (p->shape.col_bytes == 2)
        ((uint16_t *)p->col)[at] = (uint16_t)col;
    else
        ((int32_t *)p->col)[at] = col;
    for (int64_t r = 0; r < p->shape.rows; r++, to += RC_PANELS_BATCH)
        rc_place_put(p->entry, p->entry_bytes, (int64_t)to, number[r]);
}

/* Entries of one or two rows, by column. */
static void put_entries(const rc_items_t *items, const found_t *f, const rc_panels_t *p)
{
    const rc_csr_t *a = items->p->a;
    const rc_item_t *x = &f->item[0];
    const rc_item_t *y = &f->item[1];
    size_t at = (size_t)f->piece.first * RC_PANELS_BATCH;
    size_t end = at + (size_t)up(f->piece.count, RC_PANELS_BATCH) * RC_PANELS_BATCH;
    for (int64_t i = 0, j = 0; i < x->length || j < y->length; at++) {
        int32_t from_x = i < x->length ? a->col_idx[x->first + i] : INT32_MAX;
        int32_t from_y = j < y->length ? a->col_idx[y->first + j] : INT32_MAX;
        int32_t col = from_x < from_y ? from_x : from_y;
        int64_t number[RC_PANELS_ROWS_MAX] = {-1, -1};
        if (from_x == col)
            number[0] = x->first + i++;
        if (from_y == col)
            number[1] = y->first + j++;
        put(p, at, col, number);
    }
    for (; at < end; at++)
        put(p, at, 0, (int64_t[RC_PANELS_ROWS_MAX]){-1, -1});
}

/* Where equal shares of the work begin. */
static void put_places(rc_panels_t *p)
{
    int64_t total = 0;
    int64_t before = 0;
    int64_t n = 0;
    for (int64_t i = 0; i < p->size.pieces; i++)
        total += p->piece[i].count + RC_PANELS_PIECE_COST;
    for (int64_t i = 0; i < p->size.pieces; i++) {
        while (n < p->places && (double)before * (double)p->places >= (double)total * (double)n)
            p->place[n++] = (int32_t)i;
        before += p->piece[i].count + RC_PANELS_PIECE_COST;
    }
    while (n <= p->places)
        p->place[n++] = (int32_t)p->size.pieces;
}

/* The pieces, without their entries. */
static void put_pieces(cursor_t *at, found_t *found, rc_panels_t *p)
{
    found_t f;
    for (int64_t i = 0; next_piece(at, &f); i++) {
        p->piece[i] = f.piece;
        found[i] = f;
        if (f.part_of > 0)
            p->lengthy[at->size.longs - 1] = (rc_long_row_t){.row = (int32_t)f.item[0].row,
                .first = -2 - f.piece.row,
                .parts = (int32_t)f.part_of};
        if (f.piece.row < -1)
            p->of[-2 - f.piece.row] = (int32_t)(at->size.longs - 1);
    }
}

static rc_status_t alloc_arrays(rc_panels_t *p, rc_err_t *err)
{
    size_t columns = (size_t)p->size.batches * RC_PANELS_BATCH;
    size_t places = (size_t)p->shape.rows * (size_t)p->entry_bytes;
    p->piece = rc_alloc((size_t)p->size.pieces, sizeof *p->piece, "pieces of rows", err);
    p->col = rc_alloc(columns, (size_t)p->shape.col_bytes, "columns of pieces", err);
    p->entry = rc_alloc(columns, places, "places of pieces", err);
    p->of = rc_alloc((size_t)p->size.parts, sizeof *p->of, "parts of long rows", err);
    p->lengthy = rc_alloc((size_t)p->size.longs, sizeof *p->lengthy, "long rows", err);
    p->place = rc_alloc((size_t)p->places + 1, sizeof *p->place, "shares of the work", err);
    return p->piece && p->col && p->entry && p->of && p->lengthy && p->place ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_panels_build(const rc_items_t *items, const rc_panels_shape_t *shape,
    const rc_panels_size_t *size, int threads, rc_panels_t *out, rc_err_t *err)
{
    rc_panels_t p = {.shape = *shape,
        .size = *size,
        .entry_bytes = rc_places_bytes(items->p->a),
        .places = rc_panels_places(size->pieces)};
    cursor_t at = {.items = items, .shape = shape, .longs = 1};
    found_t *found = rc_alloc((size_t)size->pieces, sizeof *found, "pieces of rows", err);
    if (!found || alloc_arrays(&p, err) < 0) {
        free(found);
        rc_panels_free(&p);
        return RC_ENOMEM;
    }
    put_pieces(&at, found, &p);
    put_places(&p);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < size->pieces; i++)
        put_entries(items, &found[i], &p);
    /* the batch that is only loaded */
    for (int64_t i = 1; i <= RC_PANELS_BATCH; i++)
        put(&p, (size_t)(size->batches * RC_PANELS_BATCH - i), 0,
            (int64_t[RC_PANELS_ROWS_MAX]){-1, -1});
    free(found);
    *out = p;
    return RC_OK;
}

void rc_panels_free(rc_panels_t *p)
{
    free(p->piece);
    free(p->col);
    free(p->entry);
    free(p->of);
    free(p->lengthy);
    free(p->place);
    *p = (rc_panels_t){0};
}
