#include "config.h"
#include "kernels/stages.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    NUMBERS = UINT16_MAX, /* of columns and batches of a block */
    WORD = sizeof(int32_t),
    PAIR = 2 * WORD
};

/* Rows that belong together, or a part of a long one. */
typedef struct found {
    rc_item_t item[RC_STAGES_ROWS_MAX];
    int64_t items;
    int64_t part_of; /* parts of the row when this is the first of several, else 0 */
    int64_t columns; /* in walk_t.col; 0 too where there are no rows */
    int32_t row;     /* the first word about where it goes */
} found_t;

/* Of a block that is not full. */
typedef struct open {
    rc_stages_block_t of;
    int32_t *word;    /* [pieces][1 + rows] */
    uint16_t *number; /* [batches][BATCH] */
} open_t;

/* All blocks from the first one on. */
typedef struct walk {
    const rc_items_t *items;
    rc_stages_shape_t shape;
    rc_stages_t *out; /* NULL: only measure */
    rc_stages_size_t size;
    int longs; /* 1: at the long rows, 0: at the others */
    int64_t item;
    int64_t done;   /* entries of the item that earlier parts have */
    int64_t most;   /* columns of a piece */
    int64_t value;  /* bytes */
    int64_t *used;  /* [cols] last row of a piece that has the column, counted through; 0: none */
    int32_t *place; /* [cols] number of the column in that piece */
    int64_t *held;  /* [cols] last block that has the column, counted from 1 */
    uint16_t *name; /* [cols] its number there */
    int64_t stamp;  /* of the first row of the piece in `used` */
    int32_t *col;   /* [most] columns of the piece */
    int32_t *at;    /* [rows * most] number in the piece of every entry */
    open_t open;
    int32_t *sorted; /* of the words of a block */
} walk_t;

static int64_t up(int64_t n, int64_t to)
{
    return (n + to - 1) / to * to;
}

/* ------------------------------------------------------------------ pieces */

static int64_t next_item(const walk_t *w, int64_t i)
{
    for (; i < w->items->count; i++) {
        rc_item_t it = rc_item_at(w->items, i);
        if (it.row >= 0 && (it.length > w->shape.longest) == w->longs)
            break;
    }
    return i;
}

/* Entries of each part of a long row: equal, in whole batches; not many more parts than entries of a
 * part, because one CTA adds them, as far as a block holds them. */
static int64_t part_entries(const walk_t *w, int64_t length)
{
    int64_t longest = w->shape.longest;
    while (longest < w->most && longest * longest < length)
        longest += RC_STAGES_BATCH;
    longest = longest < w->most ? longest : w->most;
    int64_t parts = (length + longest - 1) / longest;
    return up((length + parts - 1) / parts, RC_STAGES_BATCH);
}

static void take_part(walk_t *w, found_t *f)
{
    rc_item_t it = f->item[0];
    int64_t entries = part_entries(w, it.length);
    int64_t left = it.length - w->done;
    f->part_of = w->done == 0 ? (it.length + entries - 1) / entries : 0;
    f->item[0] = (rc_item_t){it.first + w->done, left < entries ? left : entries, it.row};
    f->row = (int32_t)(-2 - w->size.parts++);
    w->size.longs += f->part_of > 0;
    w->done += entries;
    if (w->done >= it.length) {
        w->done = 0;
        w->item++;
    }
}

/* Add the columns of row r of the piece.  A column that the row has twice is twice in the piece. */
static void add_columns(walk_t *w, found_t *f, int64_t r)
{
    const int32_t *col = w->items->p->a->col_idx + f->item[r].first;
    int32_t *at = w->at + r * w->most;
    int64_t mine = w->stamp + r;
    for (int64_t e = 0; e < f->item[r].length; e++) {
        int32_t c = col[e];
        if (w->used[c] < w->stamp || w->used[c] == mine) {
            w->place[c] = (int32_t)f->columns;
            w->col[f->columns++] = c;
        }
        w->used[c] = mine;
        at[e] = w->place[c];
    }
}

/* Entries of a row whose column the piece does not have. */
static int64_t fresh_columns(const walk_t *w, const rc_item_t *it)
{
    const int32_t *col = w->items->p->a->col_idx + it->first;
    int64_t n = 0;
    for (int64_t e = 0; e < it->length; e++)
        n += w->used[col[e]] < w->stamp;
    return n;
}

/* Take the rows after a short one into its piece as long as they share half of their entries with it.
 * (A row twice in a piece would have a column twice: it is not taken then.) */
static void join_rows(walk_t *w, found_t *f)
{
    while (f->items < w->shape.rows) {
        int64_t next = next_item(w, w->item);
        if (next == w->items->count)
            return;
        rc_item_t it = rc_item_at(w->items, next);
        if (it.length == 0 || 2 * fresh_columns(w, &it) > it.length ||
            f->columns + it.length > w->most)
            return;
        f->item[f->items] = it;
        add_columns(w, f, f->items++);
        w->item = next + 1;
    }
}

/* \return 0: there are no more pieces */
static int next_piece(walk_t *w, found_t *f)
{
    w->item = next_item(w, w->item);
    if (w->item == w->items->count && w->longs) {
        w->longs = 0;
        w->item = next_item(w, 0);
    }
    if (w->item == w->items->count)
        return 0;
    rc_item_t it = rc_item_at(w->items, w->item);
    *f = (found_t){.item = {it}, .items = 1, .row = (int32_t)it.row};
    w->stamp += RC_STAGES_ROWS_MAX;
    if (w->longs)
        take_part(w, f);
    else
        w->item++;
    add_columns(w, f, 0);
    if (!w->longs && f->columns > 0)
        join_rows(w, f);
    return 1;
}

/* ------------------------------------------------------------------ blocks */

static int64_t words_bytes(const rc_stages_shape_t *s, int64_t pieces)
{
    return up(pieces * (1 + s->rows) * WORD, PAIR);
}

static int64_t units_bytes(const rc_stages_shape_t *s, int64_t pieces, int64_t batches)
{
    int64_t columns = batches * RC_STAGES_BATCH * (int64_t)sizeof(uint16_t);
    return up(words_bytes(s, pieces) + columns, RC_STAGES_UNIT);
}

/* Fast memory of a block with the row of zeros. */
static int64_t block_bytes(const walk_t *w, int64_t lines, int64_t pieces, int64_t batches)
{
    int64_t rows = (1 + lines) * w->shape.line;
    return (rows > w->shape.least ? rows : w->shape.least) +
           units_bytes(&w->shape, pieces, batches) +
           batches * RC_STAGES_BATCH * w->shape.rows * w->value;
}

/* The most columns that a piece may have for a block to hold it. */
static int64_t capacity(const walk_t *w)
{
    int64_t n = RC_STAGES_BATCH;
    while (block_bytes(w, n + RC_STAGES_BATCH, 1, n / RC_STAGES_BATCH + 1) <= w->shape.bytes)
        n += RC_STAGES_BATCH;
    return n;
}

/* Pieces with more batches first, equal ones in their order: by counting. */
static void sort_pieces(walk_t *w, const open_t *o, int32_t *to)
{
    int64_t words = 1 + w->shape.rows;
    int32_t more = 0; /* pieces before those of so many batches */
    for (int64_t left = o->of.pieces, n = INT32_MAX; left > 0;) {
        int64_t next = -1;
        for (int64_t i = 0; i < o->of.pieces; i++) {
            int64_t batches = (uint32_t)o->word[i * words] >> 16;
            if (batches < n && batches > next)
                next = batches;
        }
        n = next;
        for (int64_t i = 0; i < o->of.pieces; i++)
            if ((int64_t)((uint32_t)o->word[i * words] >> 16) == n) {
                memcpy(to + more++ * words, o->word + i * words, (size_t)words * WORD);
                left--;
            }
    }
}

static void close_block(walk_t *w)
{
    open_t *o = &w->open;
    int64_t words = words_bytes(&w->shape, o->of.pieces);
    int64_t bytes = units_bytes(&w->shape, o->of.pieces, o->of.batches);
    int64_t fast = block_bytes(w, o->of.lines, o->of.pieces, o->of.batches);
    if (o->of.pieces == 0)
        return;
    if (w->out) {
        unsigned char *to = w->out->unit + w->size.units * RC_STAGES_UNIT;
        sort_pieces(w, o, w->sorted);
        memset(to, 0, (size_t)bytes);
        memcpy(to, w->sorted, (size_t)o->of.pieces * (size_t)(1 + w->shape.rows) * WORD);
        memcpy(to + words, o->number, (size_t)o->of.batches * RC_STAGES_BATCH * sizeof *o->number);
        o->of.unit = (uint32_t)w->size.units;
        o->of.units = (uint32_t)(bytes / RC_STAGES_UNIT);
        o->of.batch = (uint32_t)(w->size.batches - o->of.batches);
        o->of.columns = (int32_t)words;
        w->out->block[w->size.blocks] = o->of;
        for (int64_t i = o->of.lines; i < w->out->size.most; i++)
            w->out->line[w->size.blocks * w->out->size.most + i] = -1;
    }
    w->size.blocks++;
    w->size.lines += o->of.lines;
    w->size.units += bytes / RC_STAGES_UNIT;
    w->size.most = o->of.lines > w->size.most ? o->of.lines : w->size.most;
    w->size.bytes = fast > w->size.bytes ? fast : w->size.bytes;
    o->of = (rc_stages_block_t){0};
}

static int fits(const walk_t *w, const found_t *f)
{
    const rc_stages_block_t *b = &w->open.of;
    int64_t lines = b->lines;
    int64_t batches = b->batches + up(f->columns, RC_STAGES_BATCH) / RC_STAGES_BATCH;
    for (int64_t i = 0; i < f->columns; i++)
        lines += w->held[w->col[i]] != w->size.blocks + 1;
    return b->pieces < w->shape.pieces && lines < NUMBERS && batches < NUMBERS &&
           block_bytes(w, lines, b->pieces + 1, batches) <= w->shape.bytes;
}

/* The number of a column in the block that is open. */
static uint16_t name_of(walk_t *w, int32_t col)
{
    rc_stages_block_t *b = &w->open.of;
    if (w->held[col] != w->size.blocks + 1) {
        if (w->out)
            w->out->line[w->size.blocks * w->out->size.most + b->lines] = col;
        w->held[col] = w->size.blocks + 1;
        w->name[col] = (uint16_t)++b->lines;
    }
    return w->name[col];
}

static void put_value(const walk_t *w, int64_t batch, int64_t column, int64_t r, double value)
{
    int64_t to = ((batch + column / RC_STAGES_BATCH) * w->shape.rows + r) * RC_STAGES_BATCH +
                 column % RC_STAGES_BATCH;
    if (w->value == (int64_t)sizeof(float))
        ((float *)w->out->val)[to] = (float)value;
    else
        ((double *)w->out->val)[to] = value;
}

/* The values of a piece; the others are zero already. */
static void put_values(const walk_t *w, const found_t *f)
{
    const double *val = w->items->p->a->val;
    for (int64_t r = 0; r < f->items; r++)
        for (int64_t e = 0; e < f->item[r].length; e++)
            put_value(w, w->size.batches, w->at[r * w->most + e], r, val[f->item[r].first + e]);
}

static void put_part(walk_t *w, const found_t *f)
{
    if (f->part_of > 0)
        w->out->lengthy[w->size.longs - 1] = (rc_long_row_t){
            .row = (int32_t)f->item[0].row, .first = -2 - f->row, .parts = (int32_t)f->part_of};
    w->out->of[-2 - f->row] = (int32_t)(w->size.longs - 1);
}

static void add_piece(walk_t *w, const found_t *f)
{
    open_t *o = &w->open;
    int64_t batches = up(f->columns, RC_STAGES_BATCH) / RC_STAGES_BATCH;
    if (w->out) {
        int32_t *word = o->word + o->of.pieces * (1 + w->shape.rows);
        word[0] = (int32_t)((uint32_t)batches << 16 | (uint32_t)o->of.batches);
        for (int64_t r = 0; r < w->shape.rows; r++)
            word[1 + r] = r < f->items ? (int32_t)f->item[r].row : -1;
        word[1] = f->row;
        if (f->row < -1)
            put_part(w, f);
        put_values(w, f);
    }
    for (int64_t i = 0; i < batches * RC_STAGES_BATCH; i++) {
        uint16_t number = i < f->columns ? name_of(w, w->col[i]) : 0;
        if (w->out)
            o->number[o->of.batches * RC_STAGES_BATCH + i] = number;
    }
    o->of.parts += f->row < -1;
    o->of.pieces++;
    o->of.batches += (int32_t)batches;
    w->size.pieces++;
    w->size.columns += f->columns;
    w->size.batches += batches;
}

static void drop(walk_t *w)
{
    free(w->used);
    free(w->place);
    free(w->held);
    free(w->name);
    free(w->col);
    free(w->at);
    free(w->open.word);
    free(w->open.number);
    free(w->sorted);
}

static rc_status_t begin(
    const rc_items_t *items, const rc_stages_shape_t *shape, walk_t *w, rc_err_t *err)
{
    size_t cols = (size_t)items->p->a->cols;
    *w = (walk_t){.items = items,
        .shape = *shape,
        .longs = 1,
        .value = (int64_t)rc_precision_bytes(items->p->precision)};
    w->most = capacity(w);
    if (w->shape.longest > w->most)
        w->shape.longest = w->most;
    int64_t pieces = shape->bytes / WORD / (1 + shape->rows) + 1;
    int64_t words = (pieces < shape->pieces ? pieces : shape->pieces) * (1 + shape->rows);
    w->used = rc_alloc0(cols, sizeof *w->used, "columns of pieces", err);
    w->place = rc_alloc0(cols, sizeof *w->place, "columns of pieces", err);
    w->held = rc_alloc0(cols, sizeof *w->held, "columns of blocks", err);
    w->name = rc_alloc0(cols, sizeof *w->name, "columns of blocks", err);
    w->col = rc_alloc((size_t)w->most, sizeof *w->col, "columns of a piece", err);
    w->at = rc_alloc((size_t)(w->most * shape->rows), sizeof *w->at, "entries of a piece", err);
    w->open.word = rc_alloc((size_t)words, WORD, "pieces of a block", err);
    w->sorted = rc_alloc((size_t)words, WORD, "pieces of a block", err);
    w->open.number = rc_alloc((size_t)shape->bytes, 1, "columns of a block", err);
    if (!w->used || !w->place || !w->held || !w->name || !w->col || !w->at || !w->open.word ||
        !w->sorted || !w->open.number)
        return RC_ENOMEM;
    return RC_OK;
}

/* Measure, or with an `out` whose arrays are there build. */
static rc_status_t walk(const rc_items_t *items, const rc_stages_shape_t *shape, rc_stages_t *out,
    rc_stages_size_t *size, rc_err_t *err)
{
    walk_t w;
    found_t f;
    rc_status_t st = begin(items, shape, &w, err);
    w.out = out;
    while (st == RC_OK && next_piece(&w, &f)) {
        if (!fits(&w, &f))
            close_block(&w);
        add_piece(&w, &f);
    }
    if (st == RC_OK)
        close_block(&w);
    *size = w.size;
    drop(&w);
    return st;
}

rc_status_t rc_stages_measure(
    const rc_items_t *items, const rc_stages_shape_t *shape, rc_stages_size_t *out, rc_err_t *err)
{
    rc_status_t st = walk(items, shape, NULL, out, err);
    if (st == RC_OK &&
        (out->batches > UINT32_MAX || out->units > UINT32_MAX || out->pieces > INT32_MAX))
        return rc_fail(err, RC_ENOTSUP,
            "shape: %" PRId64 " pieces of rows with %" PRId64 " batches, too many", out->pieces,
            out->batches);
    return st;
}

/* Of the values. */
static int64_t stored(const rc_stages_shape_t *shape, const rc_stages_size_t *s)
{
    return s->batches * RC_STAGES_BATCH * shape->rows;
}

int64_t rc_stages_bytes(
    const rc_stages_shape_t *shape, const rc_stages_size_t *s, rc_precision_t precision)
{
    int64_t bytes = s->blocks * (int64_t)sizeof(rc_stages_block_t) + s->units * RC_STAGES_UNIT;
    bytes = rc_sat_add(bytes, rc_sat_mul(s->blocks, s->most * (int64_t)sizeof(int32_t)));
    return rc_sat_add(bytes, rc_sat_mul(stored(shape, s), (int64_t)rc_precision_bytes(precision)));
}

rc_status_t rc_stages_build(const rc_items_t *items, const rc_stages_shape_t *shape,
    const rc_stages_size_t *size, rc_stages_t *out, rc_err_t *err)
{
    rc_stages_t s = {.shape = *shape, .size = *size};
    size_t lines = (size_t)size->blocks * (size_t)size->most;
    s.block = rc_alloc((size_t)size->blocks, sizeof *s.block, "blocks", err);
    s.line = rc_alloc(lines, sizeof *s.line, "columns of blocks", err);
    s.unit = rc_alloc((size_t)size->units, RC_STAGES_UNIT, "pieces of blocks", err);
    s.val = rc_alloc0((size_t)stored(shape, size), rc_precision_bytes(items->p->precision),
        "values of blocks", err);
    s.of = rc_alloc((size_t)size->parts, sizeof *s.of, "parts of long rows", err);
    s.lengthy = rc_alloc((size_t)size->longs, sizeof *s.lengthy, "long rows", err);
    rc_status_t st = RC_ENOMEM;
    rc_stages_size_t again;
    if (s.block && s.line && s.unit && s.val && s.of && s.lengthy)
        st = walk(items, shape, &s, &again, err);
    if (st < 0)
        rc_stages_free(&s);
    *out = s;
    return st;
}

void rc_stages_free(rc_stages_t *s)
{
    free(s->block);
    free(s->line);
    free(s->unit);
    free(s->val);
    free(s->of);
    free(s->lengthy);
    *s = (rc_stages_t){0};
}
