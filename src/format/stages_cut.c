#include "config.h"
#include "format/stages_cut.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>

/* What one thread cuts a span with. */
typedef struct walk {
    const rc_items_t *items;
    const rc_stages_cuts_t *c;
    rc_stages_set_t piece; /* columns of the piece */
    rc_stages_set_t held;  /* of the block that is open */
    int32_t *col;          /* [most] columns of the piece */
    int64_t columns;
    int64_t item; /* the next one, and the end of the span */
    int64_t end;
    rc_stages_row_t *row; /* of the span, those so far */
    int64_t rows;
    rc_stages_cut_t *block;
    rc_stages_cut_t open;
    uint32_t filled;       /* batches of the blocks, the open one too */
    int64_t place;         /* of the span */
    rc_stages_size_t size; /* of the span */
} walk_t;

/* ------------------------------------------------------------------- sets */

rc_status_t rc_stages_set_new(int64_t most, rc_stages_set_t *out, rc_err_t *err)
{
    enum { bits = 32, spare = 2 };
    int log = 1;
    while (((int64_t)1 << log) < spare * most)
        log++;
    size_t places = (size_t)1 << log;
    *out = (rc_stages_set_t){.now = 1, .shift = bits - log};
    out->key = rc_alloc(places, sizeof *out->key, "a set of columns", err);
    out->number = rc_alloc(places, sizeof *out->number, "a set of columns", err);
    out->stamp = rc_alloc0(places, sizeof *out->stamp, "a set of columns", err);
    return out->key && out->number && out->stamp ? RC_OK : RC_ENOMEM;
}

void rc_stages_set_free(rc_stages_set_t *s)
{
    free(s->key);
    free(s->number);
    free(s->stamp);
    *s = (rc_stages_set_t){0};
}

/* ------------------------------------------------------------------ blocks */

static void close_block(walk_t *w)
{
    const rc_stages_shape_t *shape = &w->c->shape;
    rc_stages_cut_t *b = &w->open;
    if (b->pieces == 0)
        return;
    int64_t fast = rc_stages_fast(shape, w->c->value, b->lines, b->pieces, b->batches);
    b->batch = w->filled - (uint32_t)b->batches;
    b->unit = (uint32_t)w->size.units;
    w->block[w->size.blocks++] = *b;
    w->size.lines += b->lines;
    w->size.units += rc_stages_units(shape->rows, b->pieces, b->batches);
    w->size.most = b->lines > w->size.most ? b->lines : w->size.most;
    w->size.bytes = fast > w->size.bytes ? fast : w->size.bytes;
    *b = (rc_stages_cut_t){0};
}

/* Put the piece whose columns are in `col` and whose rows are the last so many into the open
 * block, or a new one. */
static void add_piece(walk_t *w, const int32_t *col, int64_t columns, int64_t rows)
{
    rc_stages_cut_t *b = &w->open;
    int64_t batches = rc_ceil_div(columns, RC_STAGES_BATCH);
    int64_t lines = b->lines;
    int32_t number;
    w->row[w->rows - rows].columns = (int32_t)columns;
    w->size.pieces++;
    w->size.columns += columns;
    w->size.batches += batches;
    if (!w->c->whole)
        return;
    for (int64_t i = 0; b->pieces > 0 && i < columns; i++)
        lines += !rc_stages_set_has(&w->held, col[i]);
    if (b->pieces > 0 &&
        !rc_stages_fits(&w->c->shape, w->c->value, lines, b->pieces + 1, b->batches + batches))
        close_block(w);
    if (b->pieces == 0) {
        rc_stages_set_clear(&w->held);
        b->first = w->place + w->rows - rows;
    }
    for (int64_t i = 0; i < columns; i++)
        b->lines += rc_stages_set_add(&w->held, col[i], 0, &number);
    b->rows += (int32_t)rows;
    b->pieces++;
    b->batches += (int32_t)batches;
    w->filled += (uint32_t)batches;
}

/* ------------------------------------------------------------------ pieces */

/* The next row of the span that is neither a pad nor long.  \return 0: there is none */
static int next_row(const walk_t *w, int64_t *item, rc_item_t *out)
{
    for (; *item < w->end; ++*item) {
        *out = rc_item_at(w->items, *item);
        if (out->row >= 0 && out->length <= w->c->shape.longest)
            return 1;
    }
    return 0;
}

static void add_row(walk_t *w, const rc_item_t *it)
{
    w->row[w->rows++] = (rc_stages_row_t){
        .first = it->first, .length = (int32_t)it->length, .columns = -1, .row = (int32_t)it->row};
}

static void add_columns(walk_t *w, const rc_item_t *it)
{
    const int32_t *col = w->items->p->a->col_idx + it->first;
    int32_t number;
    for (int64_t e = 0; e < it->length; e++)
        if (rc_stages_set_add(&w->piece, col[e], 0, &number))
            w->col[w->columns++] = col[e];
}

static int64_t fresh_columns(const walk_t *w, const rc_item_t *it)
{
    const int32_t *col = w->items->p->a->col_idx + it->first;
    int64_t n = 0;
    for (int64_t e = 0; e < it->length; e++)
        n += !rc_stages_set_has(&w->piece, col[e]);
    return n;
}

/* Take the rows after the first one into its piece as long as they share half of their entries.
 * \return rows of the piece */
static int64_t join_rows(walk_t *w, const rc_item_t *first)
{
    int64_t rows = 1;
    rc_item_t it;
    rc_stages_set_clear(&w->piece);
    w->columns = 0;
    add_columns(w, first);
    for (int64_t item = w->item; rows < w->c->shape.rows && next_row(w, &item, &it); rows++) {
        if (it.length == 0 || 2 * fresh_columns(w, &it) > it.length ||
            w->columns + it.length > w->c->most)
            break;
        add_row(w, &it);
        add_columns(w, &it);
        w->item = ++item;
    }
    return rows;
}

static void cut_items(walk_t *w)
{
    rc_item_t it;
    while (next_row(w, &w->item, &it)) {
        w->item++;
        add_row(w, &it);
        if (it.length == 0 || w->c->shape.rows == 1) {
            add_piece(w, w->items->p->a->col_idx + it.first, it.length, 1);
        } else {
            int64_t rows = join_rows(w, &it);
            add_piece(w, w->col, w->columns, rows);
        }
    }
}

/* Parts of long rows from number `first` to before `end`. */
static void cut_parts(walk_t *w, int64_t first, int64_t end)
{
    const rc_stages_cuts_t *c = w->c;
    for (int64_t i = first; i < end; i++) {
        rc_item_t it = rc_item_at(w->items, c->item[c->of[i]]);
        int64_t entries = rc_stages_part_entries(c->shape.longest, c->most, it.length);
        int64_t from = (i - c->lengthy[c->of[i]].first) * entries;
        int64_t left = it.length - from;
        it.first += from;
        it.length = left < entries ? left : entries;
        it.row = -2 - i;
        add_row(w, &it);
        add_piece(w, w->items->p->a->col_idx + it.first, it.length, 1);
    }
}

/* ------------------------------------------------------------------- spans */

static void cut_span(walk_t *w, int64_t span, int64_t parts)
{
    const rc_stages_cuts_t *c = w->c;
    w->place = rc_stages_place(span, c->part_spans, c->shape.span, parts);
    w->row = c->row + w->place;
    w->block = c->block + w->place;
    w->rows = 0;
    w->filled = 0;
    w->size = (rc_stages_size_t){0};
    if (span < c->part_spans) {
        int64_t left = parts - w->place;
        cut_parts(w, w->place, left < RC_STAGES_PARTS ? parts : w->place + RC_STAGES_PARTS);
    } else {
        w->item = w->place - parts;
        int64_t left = w->items->count - w->item;
        w->end = left < c->shape.span ? w->items->count : w->item + c->shape.span;
        cut_items(w);
    }
    close_block(w);
    c->total[span] = w->size;
}

static void walk_free(walk_t *w)
{
    rc_stages_set_free(&w->piece);
    rc_stages_set_free(&w->held);
    free(w->col);
}

static rc_status_t walk_new(
    const rc_items_t *items, const rc_stages_cuts_t *c, walk_t *w, rc_err_t *err)
{
    int64_t lines = c->shape.bytes / c->shape.line; /* and those of one piece */
    *w = (walk_t){.items = items, .c = c};
    w->col = rc_alloc((size_t)c->most, sizeof *w->col, "columns of a piece", err);
    rc_status_t st = w->col ? rc_stages_set_new(c->most, &w->piece, err) : RC_ENOMEM;
    return st == RC_OK ? rc_stages_set_new(lines + c->most, &w->held, err) : st;
}

static rc_status_t cut_spans(
    const rc_items_t *items, const rc_stages_cuts_t *c, int64_t parts, int threads, rc_err_t *err)
{
    int64_t walkers = threads < c->spans ? threads : c->spans;
    rc_status_t st = RC_OK;
    walk_t *w = rc_alloc0((size_t)walkers, sizeof *w, "walks over a matrix", err);
    RC_PASS(w ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; st == RC_OK && i < walkers; i++)
        st = walk_new(items, c, &w[i], err);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int64_t i = 0; i < walkers; i++)
        for (int64_t s = i; st == RC_OK && s < c->spans; s += walkers)
            cut_span(&w[i], s, parts);
    for (int64_t i = 0; i < walkers; i++)
        walk_free(&w[i]);
    free(w);
    return st;
}

/* Replace what spans have by what those before them have. */
static void add_up(rc_stages_cuts_t *c, int64_t parts, int64_t longs)
{
    rc_stages_size_t sum = {.parts = parts, .longs = longs};
    for (int64_t i = 0; i < c->spans; i++) {
        rc_stages_size_t s = c->total[i];
        c->total[i] = sum;
        sum.blocks += s.blocks;
        sum.pieces += s.pieces;
        sum.columns += s.columns;
        sum.batches += s.batches;
        sum.lines += s.lines;
        sum.units += s.units;
        sum.most = s.most > sum.most ? s.most : sum.most;
        sum.bytes = s.bytes > sum.bytes ? s.bytes : sum.bytes;
    }
    c->total[c->spans] = sum;
}

/* Number the long rows and their parts; with no room for them only count. */
static void number_longs(
    const rc_items_t *items, const rc_stages_cuts_t *c, int64_t *longs, int64_t *parts)
{
    *longs = *parts = 0;
    for (int64_t i = 0; i < items->count; i++) {
        rc_item_t it = rc_item_at(items, i);
        if (it.row < 0 || it.length <= c->shape.longest)
            continue;
        int64_t entries = rc_stages_part_entries(c->shape.longest, c->most, it.length);
        int64_t n = rc_ceil_div(it.length, entries);
        if (c->item) {
            c->item[*longs] = i;
            c->lengthy[*longs] = (rc_long_row_t){(int32_t)it.row, (int32_t)*parts, (int32_t)n};
            for (int64_t k = 0; k < n; k++)
                c->of[*parts + k] = (int32_t)*longs;
        }
        ++*longs;
        *parts += n;
    }
}

rc_status_t rc_stages_check(const rc_stages_size_t *size, rc_err_t *err)
{
    if (size->batches <= UINT32_MAX && size->units <= UINT32_MAX && size->pieces <= INT32_MAX)
        return RC_OK;
    return rc_fail(err, RC_ENOTSUP,
        "shape: %" PRId64 " pieces of rows with %" PRId64 " batches, too many", size->pieces,
        size->batches);
}

rc_status_t rc_stages_cut(const rc_items_t *items, const rc_stages_shape_t *shape, int threads,
    int whole, rc_stages_cuts_t *out, rc_err_t *err)
{
    rc_stages_cuts_t *c = out;
    int64_t longs;
    int64_t parts;
    *c = (rc_stages_cuts_t){
        .shape = *shape, .value = (int64_t)rc_precision_bytes(items->p->precision), .whole = whole};
    c->most = rc_stages_capacity(shape, c->value);
    if (c->shape.longest > c->most)
        c->shape.longest = c->most;
    number_longs(items, c, &longs, &parts);
    c->part_spans = rc_ceil_div(parts, RC_STAGES_PARTS);
    c->spans = c->part_spans + rc_ceil_div(items->count, shape->span);
    size_t places = (size_t)(parts + items->count);
    c->row = rc_alloc(places, sizeof *c->row, "rows of blocks", err);
    c->block = rc_alloc(places, sizeof *c->block, "blocks of spans", err);
    c->total = rc_alloc((size_t)c->spans + 1, sizeof *c->total, "spans of rows", err);
    c->of = rc_alloc((size_t)parts, sizeof *c->of, "parts of long rows", err);
    c->lengthy = rc_alloc((size_t)longs, sizeof *c->lengthy, "long rows", err);
    c->item = rc_alloc((size_t)longs, sizeof *c->item, "long rows", err);
    RC_PASS(c->row && c->block && c->total && c->of && c->lengthy && c->item ? RC_OK : RC_ENOMEM);
    number_longs(items, c, &longs, &parts);
    RC_PASS(cut_spans(items, c, parts, threads, err));
    add_up(c, parts, longs);
    return rc_stages_check(&c->total[c->spans], err);
}

void rc_stages_cuts_free(rc_stages_cuts_t *c)
{
    free(c->row);
    free(c->block);
    free(c->total);
    free(c->of);
    free(c->lengthy);
    free(c->item);
    *c = (rc_stages_cuts_t){0};
}
