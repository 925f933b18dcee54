#include "config.h"
#include "format/vector/csr5.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------- sizes */

static int64_t sigma_of(const rc_csr_view_t *e)
{
    enum { least = 4, most = 32, longest = 256, beyond = 6 };
    int64_t mean = e->rows > 0 ? e->nnz / e->rows : 0;
    if (mean <= least)
        return least;
    if (mean <= most)
        return mean;
    return mean <= longest ? most : beyond;
}

rc_csr5_size_t rc_csr5_size(const rc_csr_view_t *e, int64_t sigma)
{
    enum { word_bits = 32 };
    rc_csr5_size_t s = {.sigma = sigma == RC_CSR5_SIGMA_AUTO ? sigma_of(e) : sigma};
    int64_t entries = RC_CSR5_OMEGA * s.sigma;
    s.full = e->nnz / entries;
    s.tiles = s.full + (e->nnz % entries != 0);
    while ((int64_t)1 << s.y_bits < entries)
        s.y_bits++;
    s.words = (int)((s.y_bits + RC_CSR5_SEG_BITS + s.sigma + word_bits - 1) / word_bits);
    return s;
}

/* The last place of ptr[0 .. rows] that is at most `entry`. */
static int64_t row_at(const rc_csr_view_t *e, int64_t entry)
{
    int64_t low = 0;
    int64_t high = e->rows + 1;
    while (high - low > 1) {
        int64_t mid = low + (high - low) / 2;
        if (e->ptr[mid] <= entry)
            low = mid;
        else
            high = mid;
    }
    return low;
}

static int64_t tile_begin(const rc_csr_view_t *e, const rc_csr5_size_t *s, int64_t t)
{
    int64_t entry = t * RC_CSR5_OMEGA * s->sigma;
    return entry < e->nnz ? entry : e->nnz;
}

static int is_empty(const rc_csr_view_t *e, int64_t r)
{
    return e->ptr[r] == e->ptr[r + 1];
}

static int has_empty(const rc_csr_view_t *e, int64_t first, int64_t last)
{
    for (int64_t r = first; r < last; r++)
        if (is_empty(e, r))
            return 1;
    return 0;
}

/* Rows that begin in a tile after its first entry. */
static int64_t count_begins(
    const rc_csr_view_t *e, const rc_csr5_size_t *s, int64_t t, int64_t first_row)
{
    int64_t begin = tile_begin(e, s, t);
    int64_t end = tile_begin(e, s, t + 1);
    int64_t n = 0;
    for (int64_t r = first_row; r < e->rows && e->ptr[r] < end; r++)
        n += e->ptr[r] > begin && !is_empty(e, r);
    return n;
}

/* Empty offsets of a tile between two rows: of full tiles with an empty row. */
static int64_t count_offsets(
    const rc_csr_view_t *e, const rc_csr5_size_t *s, int64_t t, int64_t row, int64_t next)
{
    return t < s->full && has_empty(e, row, next) ? count_begins(e, s, t, row) : 0;
}

/* ---------------------------------------------------------------- contents */

int64_t rc_csr5_row(const void *of, int64_t t)
{
    const rc_csr5_t *f = of;
    return (int64_t)(f->tile_ptr[t] & ~RC_CSR5_DIRTY);
}

int64_t rc_csr5_dirty(const void *of, int64_t t)
{
    const rc_csr5_t *f = of;
    return (f->tile_ptr[t] & RC_CSR5_DIRTY) != 0;
}

static uint32_t *word_of(const rc_csr5_t *f, int64_t t, int64_t c, int64_t word)
{
    return f->desc + (t * f->size.words + word) * RC_CSR5_OMEGA + c;
}

/* Bits of a descriptor, by the column over all tiles, that lie in its first word. */
static int64_t first_bits(const rc_csr5_t *f, int64_t column, int from, int bits)
{
    const uint32_t *word = word_of(f, column / RC_CSR5_OMEGA, column % RC_CSR5_OMEGA, 0);
    return (int64_t)(*word >> from & ((1u << bits) - 1));
}

int64_t rc_csr5_flag(const void *of, int64_t i)
{
    const rc_csr5_t *f = of;
    const int64_t column = i / f->size.sigma;
    const int64_t bit = f->size.y_bits + RC_CSR5_SEG_BITS + i % f->size.sigma;
    return *word_of(f, column / RC_CSR5_OMEGA, column % RC_CSR5_OMEGA, bit / 32) >> bit % 32 & 1u;
}

int64_t rc_csr5_y_offset(const void *of, int64_t column)
{
    const rc_csr5_t *f = of;
    return first_bits(f, column, 0, f->size.y_bits);
}

int64_t rc_csr5_seg_offset(const void *of, int64_t column)
{
    const rc_csr5_t *f = of;
    return first_bits(f, column, f->size.y_bits, RC_CSR5_SEG_BITS);
}

/* ---------------------------------------------------------------- building */

static void set_flag(rc_csr5_t *f, int64_t t, int64_t place)
{
    int64_t bit = f->size.y_bits + RC_CSR5_SEG_BITS + place % f->size.sigma;
    *word_of(f, t, place / f->size.sigma, bit / 32) |= 1u << bit % 32;
}

/* Flags and empty offsets of a full tile.  \param[out] flags  [OMEGA] of a column */
static void describe_rows(const rc_csr_view_t *e, int64_t t, rc_csr5_t *f, int64_t *flags)
{
    int64_t begin = tile_begin(e, &f->size, t);
    int64_t end = tile_begin(e, &f->size, t + 1);
    int64_t row = rc_csr5_row(f, t);
    int64_t to = f->empty_ptr[t];
    int64_t dirty = rc_csr5_dirty(f, t);
    memset(flags, 0, RC_CSR5_OMEGA * sizeof *flags);
    for (int64_t r = row; r < e->rows && e->ptr[r] < end; r++) {
        int64_t place = e->ptr[r] - begin;
        if (place < 0 || is_empty(e, r))
            continue;
        set_flag(f, t, place);
        flags[place / f->size.sigma]++;
        if (dirty && place > 0)
            f->empty_offset[to++] = (int32_t)(r - row - 1);
    }
}

static void describe_tile(const rc_csr_view_t *e, int64_t t, rc_csr5_t *f)
{
    int64_t flags[RC_CSR5_OMEGA];
    describe_rows(e, t, f, flags);
    /* the first is counted as set, less 1 */
    int64_t y = rc_csr5_flag(f, t * RC_CSR5_OMEGA * f->size.sigma) ? -1 : 0;
    for (int64_t c = 0; c < RC_CSR5_OMEGA; c++) {
        int64_t seg = 0;
        while (flags[c] > 0 && c + seg + 1 < RC_CSR5_OMEGA && flags[c + seg + 1] == 0)
            seg++;
        int64_t offset = c > 0 ? y : 0;
        *word_of(f, t, c, 0) |= (uint32_t)(offset | seg << f->size.y_bits);
        y += flags[c];
    }
}

/* Columns and places of a tile in stored order. */
static void store_tile(const rc_csr_view_t *e, int64_t t, rc_csr5_t *f)
{
    int64_t begin = tile_begin(e, &f->size, t);
    int64_t sigma = f->size.sigma;
    if (t == f->size.full) {
        memcpy(f->col + begin, e->col + begin, (size_t)(e->nnz - begin) * sizeof *f->col);
        rc_format_copy_places(e, begin, 1, e->nnz - begin, f->entry, begin, 1);
        return;
    }
    for (int64_t s = 0; s < sigma; s++) {
        int64_t to = begin + s * RC_CSR5_OMEGA;
        for (int64_t c = 0; c < RC_CSR5_OMEGA; c++)
            f->col[to + c] = e->col[begin + c * sigma + s];
        rc_format_copy_places(e, begin + s, sigma, RC_CSR5_OMEGA, f->entry, to, 1);
    }
}

/* Rows of the tiles, and where their empty offsets begin. */
static void find_rows(const rc_csr_view_t *e, int threads, rc_csr5_t *f)
{
    int64_t tiles = f->size.tiles;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t t = 0; t <= tiles; t++)
        f->tile_ptr[t] = (uint32_t)row_at(e, tile_begin(e, &f->size, t));
    f->empty_ptr[0] = 0;
    for (int64_t t = 0; t < tiles; t++) {
        int64_t row = rc_csr5_row(f, t);
        int64_t next = rc_csr5_row(f, t + 1);
        f->empty_ptr[t + 1] = f->empty_ptr[t] + count_offsets(e, &f->size, t, row, next);
        if (has_empty(e, row, next))
            f->tile_ptr[t] |= RC_CSR5_DIRTY;
    }
}

static rc_status_t alloc_arrays(const rc_csr_view_t *e, rc_csr5_t *f, rc_err_t *err)
{
    size_t tiles = (size_t)f->size.tiles;
    size_t words = tiles * (size_t)f->size.words * RC_CSR5_OMEGA;
    f->tile_ptr = rc_alloc(tiles + 1, sizeof *f->tile_ptr, "tile pointers", err);
    f->desc = rc_alloc0(words, sizeof *f->desc, "tile descriptors", err);
    f->empty_ptr = rc_alloc(tiles + 1, sizeof *f->empty_ptr, "pointers to empty offsets", err);
    f->col = rc_alloc((size_t)e->nnz, sizeof *f->col, "columns of tiles", err);
    return rc_format_new_places(e, (size_t)e->nnz, &f->entry, err) && f->tile_ptr && f->desc &&
                   f->empty_ptr && f->col
               ? RC_OK
               : RC_ENOMEM;
}

rc_status_t rc_csr5_build(
    const rc_csr_view_t *e, const rc_csr5_size_t *size, int threads, rc_csr5_t *out, rc_err_t *err)
{
    rc_csr5_t f = {.size = *size, .nnz = e->nnz};
    rc_status_t st;
    RC_TRY(alloc_arrays(e, &f, err));
    find_rows(e, threads, &f);
    RC_TRY(RC_NEW(f.empty_offset, f.empty_ptr[size->tiles], "empty offsets", err));
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16)
    for (int64_t t = 0; t < size->tiles; t++) {
        if (t < size->full)
            describe_tile(e, t, &f);
        store_tile(e, t, &f);
    }
    *out = f;
done:
    if (st < 0)
        rc_csr5_free(&f);
    return st;
}

void rc_csr5_free(rc_csr5_t *f)
{
    free(f->tile_ptr);
    free(f->desc);
    free(f->empty_ptr);
    free(f->empty_offset);
    free(f->col);
    free(f->entry);
    *f = (rc_csr5_t){0};
}

/* -------------------------------------------------------------- descriptor */

static rc_status_t measure(
    const rc_csr_view_t *e, const int64_t *param, rc_format_size_t *out, rc_err_t *err)
{
    (void)err;
    rc_csr5_size_t s = rc_csr5_size(e, param[0]);
    int64_t dirty = 0;
    int64_t offsets = 0;
    int64_t row = row_at(e, 0);
    for (int64_t t = 0; t < s.tiles; t++) {
        int64_t next = row_at(e, tile_begin(e, &s, t + 1));
        dirty += has_empty(e, row, next);
        offsets += count_offsets(e, &s, t, row, next);
        row = next;
    }
    rc_format_add_csr(out, e);
    rc_format_add_array(out, "tile_ptr", s.tiles + 1, (int64_t)sizeof(uint32_t));
    rc_format_add_array(
        out, "tile_desc", s.tiles * s.words, RC_CSR5_OMEGA * (int64_t)sizeof(uint32_t));
    rc_format_add_number(out, "omega", "columns of a tile", RC_CSR5_OMEGA);
    rc_format_add_number(out, "sigma", "entries of a column of a tile", s.sigma);
    rc_format_add_number(out, "tiles", "the last one may be partial", s.tiles);
    rc_format_add_number(out, "words", "of 4 bytes, a column of a descriptor", s.words);
    rc_format_add_number(out, "dirty", "tiles with an empty row", dirty);
    rc_format_add_number(out, "empty_offsets", "of those, not in the bytes", offsets);
    return RC_OK;
}

static rc_status_t put(const rc_format_sink_t *sink, const rc_csr5_t *f, rc_err_t *err)
{
    int64_t omega = RC_CSR5_OMEGA;
    int64_t columns = f->size.full * omega;
    int64_t tiles = f->size.tiles;
    void *user = sink->user;
    RC_PASS(rc_format_put_int64(sink, "omega", &omega, 1, err));
    RC_PASS(rc_format_put_int64(sink, "sigma", &f->size.sigma, 1, err));
    RC_PASS(rc_format_put_int64(sink, "tiles", &tiles, 1, err));
    RC_PASS(sink->put(user, "tile_ptr", rc_csr5_row, f, tiles + 1, err));
    RC_PASS(sink->put(user, "tile_dirty", rc_csr5_dirty, f, tiles, err));
    RC_PASS(sink->put(user, "bit_flag", rc_csr5_flag, f, columns * f->size.sigma, err));
    RC_PASS(sink->put(user, "y_offset", rc_csr5_y_offset, f, columns, err));
    RC_PASS(sink->put(user, "seg_offset", rc_csr5_seg_offset, f, columns, err));
    RC_PASS(rc_format_put_int64(sink, "empty_ptr", f->empty_ptr, tiles + 1, err));
    RC_PASS(rc_format_put_int32(sink, "empty_offset", f->empty_offset, f->empty_ptr[tiles], err));
    return rc_format_put_int32(sink, "col", f->col, f->nnz, err);
}

static rc_status_t dump(const rc_csr_view_t *e, const int64_t *param, int threads,
    const rc_format_sink_t *sink, rc_err_t *err)
{
    rc_format_size_t size = {0};
    rc_csr5_size_t shape = rc_csr5_size(e, param[0]);
    rc_csr5_t f = {.nnz = 0};
    rc_status_t st;
    RC_TRY(measure(e, param, &size, err));
    RC_TRY(rc_format_room(rc_format_bytes(&size), err));
    RC_TRY(rc_csr5_build(e, &shape, threads, &f, err));
    st = put(sink, &f, err);
done:
    rc_csr5_free(&f);
    return st;
}

const char *const rc_csr5_sigmas[] = {"auto", NULL};

const rc_format_t rc_format_csr5 = {
    .name = "csr5",
    .summary = "compressed rows, and tiles of equal numbers of entries with a descriptor each",
    .source = "Liu and Vinter 2015",
    .param = {RC_CSR5_SIGMA_PARAM},
    .measure = measure,
    .dump = dump,
};
