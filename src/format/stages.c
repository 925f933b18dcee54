#include "config.h"
#include "format/stages.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/places.h"
#include "format/stages_cut.h"

#include <stdlib.h>
#include <string.h>

/* What one thread fills blocks with. */
typedef struct filling {
    const rc_problem_t *p;
    const rc_stages_cuts_t *c;
    rc_stages_t *out;
    rc_stages_set_t piece; /* places of columns in the piece */
    rc_stages_set_t held;  /* numbers of columns in the block */
    int32_t *word;         /* of the block, before they are sorted */
    int32_t *line;         /* of the block */
    uint16_t *number;
    int32_t lines;
    int32_t batches; /* of the pieces so far */
} filling_t;

/* ------------------------------------------------------------------ blocks */

/* Pieces with more batches first, equal ones in their order: by counting. */
static void sort_pieces(const int32_t *word, int64_t pieces, int64_t words, int32_t *to)
{
    int64_t more = 0; /* pieces before those of so many batches */
    for (int64_t n = (int64_t)UINT16_MAX + 1; more < pieces;) {
        int64_t next = -1;
        for (int64_t i = 0; i < pieces; i++) {
            int64_t batches = (uint32_t)word[i * words] >> 16;
            if (batches < n && batches > next)
                next = batches;
        }
        n = next;
        for (int64_t i = 0; i < pieces; i++)
            if ((int64_t)((uint32_t)word[i * words] >> 16) == n)
                memcpy(to + more++ * words, word + i * words, (size_t)words * sizeof *word);
    }
}

static void put_entry(const filling_t *f, int64_t batch, int64_t place, int64_t r, int64_t number)
{
    int64_t to = ((batch + place / RC_STAGES_BATCH) * f->c->shape.rows + r) * RC_STAGES_BATCH +
                 place % RC_STAGES_BATCH;
    rc_place_put(f->out->entry, f->out->entry_bytes, to, number);
}

/* Row r of a piece.  \param[in] batch  the first one of the piece
 * \param[in,out] columns  of the piece so far */
static void fill_row(
    filling_t *f, const rc_stages_row_t *row, int64_t r, int64_t batch, int32_t *columns)
{
    const int32_t *col = f->p->a->col_idx + row->first;
    for (int64_t e = 0; e < row->length; e++) {
        int32_t place = *columns;
        if (f->c->shape.rows == 1 || rc_stages_set_add(&f->piece, col[e], place, &place)) {
            int32_t number;
            if (rc_stages_set_add(&f->held, col[e], f->lines + 1, &number))
                f->line[f->lines++] = col[e];
            f->number[f->batches * RC_STAGES_BATCH + place] = (uint16_t)number;
            ++*columns;
        }
        put_entry(f, batch, place, r, row->first + e);
    }
}

/* The piece that begins with a row of a block.  \return its rows */
static int64_t fill_piece(
    filling_t *f, const rc_stages_row_t *row, int64_t left, int64_t batch, int32_t *word)
{
    int64_t rows = 0;
    int32_t columns = 0;
    rc_stages_set_clear(&f->piece);
    for (int64_t r = 0; r < f->c->shape.rows; r++) {
        int mine = rows == r && r < left && (r == 0 || row[r].columns < 0);
        word[1 + r] = mine ? row[r].row : -1;
        if (mine) {
            fill_row(f, &row[r], r, batch + f->batches, &columns);
            rows++;
        }
    }
    uint32_t batches = (uint32_t)rc_ceil_div(columns, RC_STAGES_BATCH);
    word[0] = (int32_t)(batches << 16 | (uint32_t)f->batches);
    f->batches += (int32_t)batches;
    return rows;
}

/* Block `number`, of a span with so much before it. */
static void fill_block(
    filling_t *f, const rc_stages_cut_t *cut, const rc_stages_size_t *before, int64_t number)
{
    rc_stages_t *s = f->out;
    int64_t words = 1 + s->shape.rows;
    int64_t unit = before->units + cut->unit;
    int64_t batch = before->batches + cut->batch;
    rc_stages_block_t of = {.unit = (uint32_t)unit,
        .units = (uint32_t)rc_stages_units(s->shape.rows, cut->pieces, cut->batches),
        .batch = (uint32_t)batch,
        .batches = cut->batches,
        .lines = cut->lines,
        .pieces = cut->pieces,
        .columns = (int32_t)rc_stages_words(s->shape.rows, cut->pieces)};
    unsigned char *to = s->unit + unit * RC_STAGES_UNIT;
    const rc_stages_row_t *row = f->c->row + cut->first;
    int32_t *word = f->word;
    memset(to, 0, (size_t)of.units * RC_STAGES_UNIT);
    f->number = (uint16_t *)(void *)(to + of.columns);
    f->line = s->line + number * s->size.most;
    f->lines = 0;
    f->batches = 0;
    rc_stages_set_clear(&f->held);
    for (int64_t i = 0; i < cut->rows; word += words) {
        of.parts += row[i].row < -1;
        i += fill_piece(f, row + i, cut->rows - i, batch, word);
    }
    sort_pieces(f->word, cut->pieces, words, (int32_t *)(void *)to);
    for (int64_t i = cut->lines; i < s->size.most; i++)
        f->line[i] = -1;
    s->block[number] = of;
}

/* ------------------------------------------------------------------ arrays */

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

static void filling_free(filling_t *f)
{
    rc_stages_set_free(&f->piece);
    rc_stages_set_free(&f->held);
    free(f->word);
}

static rc_status_t filling_new(
    const rc_items_t *items, const rc_stages_cuts_t *c, rc_stages_t *s, filling_t *f, rc_err_t *err)
{
    size_t words = (size_t)(c->shape.bytes / (int64_t)sizeof *f->word + 1);
    *f = (filling_t){.p = items->p, .c = c, .out = s};
    f->word = rc_alloc(words, sizeof *f->word, "pieces of a block", err);
    rc_status_t st = f->word ? rc_stages_set_new(c->most, &f->piece, err) : RC_ENOMEM;
    return st == RC_OK ? rc_stages_set_new(s->size.most, &f->held, err) : st;
}

static rc_status_t fill(
    const rc_items_t *items, const rc_stages_cuts_t *c, int threads, rc_stages_t *s, rc_err_t *err)
{
    int64_t workers = threads < c->spans ? threads : c->spans;
    rc_status_t st = RC_OK;
    filling_t *f = rc_alloc0((size_t)workers, sizeof *f, "blocks of a matrix", err);
    RC_PASS(f ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; st == RC_OK && i < workers; i++)
        st = filling_new(items, c, s, &f[i], err);
#pragma omp parallel for num_threads(threads) schedule(static, 1)
    for (int64_t w = 0; w < workers; w++)
        for (int64_t i = w; st == RC_OK && i < c->spans; i += workers) {
            const rc_stages_size_t *before = &c->total[i];
            int64_t place = rc_stages_place(i, c->part_spans, c->shape.span, s->size.parts);
            for (int64_t b = 0; b < before[1].blocks - before->blocks; b++)
                fill_block(&f[w], &c->block[place + b], before, before->blocks + b);
        }
    for (int64_t i = 0; i < workers; i++)
        filling_free(&f[i]);
    free(f);
    return st;
}

static rc_status_t measure(const rc_items_t *items, const rc_stages_shape_t *shape, int threads,
    int whole, rc_stages_size_t *out, rc_err_t *err)
{
    rc_stages_cuts_t c;
    rc_status_t st = rc_stages_cut(items, shape, threads, whole, &c, err);
    if (st == RC_OK)
        *out = c.total[c.spans];
    rc_stages_cuts_free(&c);
    return st;
}

rc_status_t rc_stages_measure(const rc_items_t *items, const rc_stages_shape_t *shape, int threads,
    rc_stages_size_t *out, rc_err_t *err)
{
    return measure(items, shape, threads, 1, out, err);
}

rc_status_t rc_stages_batches(const rc_items_t *items, const rc_stages_shape_t *shape, int threads,
    int64_t *out, rc_err_t *err)
{
    rc_stages_size_t size = {0};
    rc_status_t st = measure(items, shape, threads, 0, &size, err);
    *out = size.batches;
    return st;
}

/* The arrays of a size.  `of` and `lengthy` are there. */
static rc_status_t make_arrays(rc_stages_t *s, rc_err_t *err)
{
    const rc_stages_size_t *size = &s->size;
    size_t lines = (size_t)size->blocks * (size_t)size->most;
    s->block = rc_alloc((size_t)size->blocks, sizeof *s->block, "blocks", err);
    s->line = rc_alloc(lines, sizeof *s->line, "columns of blocks", err);
    s->unit = rc_alloc((size_t)size->units, RC_STAGES_UNIT, "pieces of blocks", err);
    s->entry =
        rc_alloc0((size_t)stored(&s->shape, size), (size_t)s->entry_bytes, "places of blocks", err);
    return s->block && s->line && s->unit && s->entry ? RC_OK : RC_ENOMEM;
}

rc_status_t rc_stages_build(const rc_items_t *items, const rc_stages_shape_t *shape, int threads,
    rc_stages_t *out, rc_err_t *err)
{
    rc_stages_cuts_t c;
    rc_stages_t s = {.shape = *shape, .entry_bytes = rc_places_bytes(items->p->a)};
    rc_status_t st;
    RC_TRY(rc_stages_cut(items, shape, threads, 1, &c, err));
    s.size = c.total[c.spans];
    s.of = c.of;
    s.lengthy = c.lengthy;
    c.of = NULL;
    c.lengthy = NULL;
    RC_TRY(make_arrays(&s, err));
    RC_TRY(fill(items, &c, threads, &s, err));
done:
    if (st < 0)
        rc_stages_free(&s);
    *out = s;
    rc_stages_cuts_free(&c);
    return st;
}

void rc_stages_free(rc_stages_t *s)
{
    free(s->block);
    free(s->line);
    free(s->unit);
    free(s->entry);
    free(s->of);
    free(s->lengthy);
    *s = (rc_stages_t){0};
}
