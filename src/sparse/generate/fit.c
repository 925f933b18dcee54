#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/csr.h"
#include "sparse/generate/form.h"
#include "sparse/generate/permute.h"
#include "sparse/generate/rows.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* The items that are counted: pairs (i, j), i < j, of a symmetric pattern, or entries; the diagonal
 * of a square matrix is none of them. */
typedef struct fit {
    const rc_csr_t *a;
    int64_t *before; /* [rows + 1] items before each row */
    int32_t *extra;  /* [rows] items to add to each row; NULL: none */
    int square;
    int pairs;      /* 1: items are pairs */
    int diagonal;   /* RC_DIAGONAL_* */
    int64_t keep;   /* items that stay */
    int64_t single; /* pairs of which one side stays, of those that stay */
    int flip; /* 1: the last entry of the diagonal goes where there is one, and comes where not */
    uint64_t *gone;   /* a bit for each item that goes */
    uint64_t *lonely; /* a bit for each pair of which one side goes; NULL: none */
    uint64_t key;
} fit_t;

/* Counts items and, into diagonal, entries on it. */
static rc_status_t count_items(fit_t *f, int64_t *diagonal, rc_err_t *err)
{
    const rc_csr_t *a = f->a;
    int64_t on = 0;
    if (!f->before)
        RC_PASS(RC_NEW0(f->before, (size_t)a->rows + 1, "counts of rows", err));
#pragma omp parallel for schedule(static) reduction(+ : on)
    for (int64_t i = 0; i < a->rows; i++) {
        int loop = f->square && rc_csr_has(a, i, i);
        on += loop;
        f->before[i + 1] =
            a->row_ptr[i + 1] - (f->pairs ? rc_csr_seek(a, i, i + 1) : a->row_ptr[i] + loop);
    }
    for (int64_t i = 0; i < a->rows; i++)
        f->before[i + 1] += f->before[i];
    *diagonal = on;
    return RC_OK;
}

/* Number of the item at place k of row i, which is not on the diagonal. */
static int64_t item_of(const fit_t *f, int64_t i, int64_t k)
{
    const rc_csr_t *a = f->a;
    int64_t j = a->col_idx[k];
    if (!f->pairs)
        return f->before[i] + (k - a->row_ptr[i]) -
               (f->square && j > i &&
                   a->row_ptr[i + 1] - a->row_ptr[i] > f->before[i + 1] - f->before[i]);
    if (j > i)
        return f->before[i + 1] - (a->row_ptr[i + 1] - k);
    return f->before[j + 1] - (a->row_ptr[j + 1] - rc_csr_seek(a, j, i));
}

/* ------------------------------------------------------------------ a row */

static void copy_row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    const fit_t *f = r->of;
    for (int64_t k = f->a->row_ptr[i]; k < f->a->row_ptr[i + 1]; k++)
        rc_row_add(out, f->a->col_idx[k]);
    if (f->square && f->diagonal == RC_DIAGONAL_FULL)
        rc_row_add(out, i);
}

/* The row, and what it gets beside: the free columns nearest to one that it has. */
static void filled_row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    const fit_t *f = r->of;
    const rc_csr_t *a = f->a;
    copy_row(r, i, out);
    int64_t low = f->pairs ? i + 1 : 0;
    int64_t first = f->pairs ? rc_csr_seek(a, i, low) : a->row_ptr[i];
    int64_t n = a->row_ptr[i + 1] - first;
    rc_draw_t d = {rc_rng_keyed(f->key, (uint64_t)i), 0};
    int64_t centre = n > 0
                         ? a->col_idx[first + rc_draw_below(&d, n)]
                         : low + (int64_t)((double)(a->cols - low) * ((double)i / (double)a->rows));
    int64_t missing = f->extra[i];
    for (int64_t step = 0; missing > 0 && step < a->cols; step++)
        for (int side = 0; side < (step ? 2 : 1) && missing > 0; side++) {
            int64_t c = side ? centre - step : centre + step;
            if (c < low || c >= a->cols || (f->square && c == i) || rc_csr_has(a, i, c))
                continue;
            rc_row_add(out, c);
            missing--;
        }
}

static int bit_of(const uint64_t *bits, int64_t at)
{
    return bits[at >> 6] >> (at & 63) & 1;
}

static int stays(const fit_t *f, int64_t i, int64_t k)
{
    int64_t j = f->a->col_idx[k];
    if (f->square && j == i)
        return !(f->flip && i == f->a->rows - 1);
    int64_t item = item_of(f, i, k);
    if (bit_of(f->gone, item))
        return 0;
    if (!f->lonely || !bit_of(f->lonely, item))
        return 1;
    int upper = (int)(rc_rng_keyed(f->key, (uint64_t)item) & 1);
    return (j > i) == upper;
}

static void thinned_row(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    const fit_t *f = r->of;
    for (int64_t k = f->a->row_ptr[i]; k < f->a->row_ptr[i + 1]; k++)
        if (stays(f, i, k))
            rc_row_add(out, f->a->col_idx[k]);
    if (f->flip && i == f->a->rows - 1 && !rc_csr_has(f->a, i, i))
        rc_row_add(out, i);
}

/* ------------------------------------------------------------------ choice */

/* Bits of the items that a permutation takes to the places [first, end). */
static rc_status_t mark(
    const rc_permute_t *p, int64_t items, int64_t first, int64_t end, uint64_t **out, rc_err_t *err)
{
    uint64_t *bits = rc_alloc0((size_t)items / 64 + 1, sizeof *bits, "chosen entries", err);
    RC_PASS(bits ? RC_OK : RC_ENOMEM);
#pragma omp parallel for schedule(static)
    for (int64_t place = first; place < end; place++) {
        int64_t item = rc_permute_from(p, place);
#pragma omp atomic
        bits[item >> 6] |= UINT64_C(1) << (item & 63);
    }
    free(*out);
    *out = bits;
    return RC_OK;
}

/* A permutation of the items says what goes: places from `keep` on, and of those below `single` one
 * side.  From the places back to the items: these are few, and each is computed once, not on either
 * side of a pair. */
static rc_status_t choose(fit_t *f, int64_t items, rc_err_t *err)
{
    rc_permute_t p = rc_permute_make(f->key, items);
    rc_status_t st = mark(&p, items, f->keep, items, &f->gone, err);
    if (st == RC_OK && f->pairs && f->single > 0)
        st = mark(&p, items, 0, f->single, &f->lonely, err);
    return st;
}

/* ------------------------------------------------------------------ passes */

/* Replaces a by what `row` makes of it. */
static rc_status_t pass(fit_t *f, rc_rows_make_fn *row, int mirror, double entries, uint64_t seed,
    rc_csr_t *a, rc_err_t *err)
{
    rc_csr_t b = {0};
    const rc_rows_t r = {.rows = a->rows,
        .cols = a->cols,
        .mean = a->rows > 0 ? entries / (double)a->rows : 0,
        .mirror = mirror,
        .loops = !f->square || f->diagonal != RC_DIAGONAL_NONE || row == thinned_row,
        .seed = seed,
        .row = row,
        .of = f};
    f->a = a;
    RC_PASS(rc_rows_build(&r, &b, err));
    rc_csr_free(a);
    *a = b;
    return RC_OK;
}

/* Deals `missing` items to the rows: each the same, what does not fit into one to the next. */
static rc_status_t deal(fit_t *f, int64_t missing, rc_err_t *err)
{
    const rc_csr_t *a = f->a;
    RC_PASS(RC_NEW0(f->extra, a->rows, "added entries of rows", err));
    int64_t carried = 0;
    int64_t share = missing / a->rows;
    int64_t rest = missing % a->rows;
    int64_t sum = 0;
    for (int round = 0; round < 2; round++)
        for (int64_t i = 0; i < a->rows; i++) {
            if (round == 0) {
                sum += rest;
                carried += share + (sum >= a->rows);
                sum -= sum >= a->rows ? a->rows : 0;
            }
            int64_t room = a->cols - (f->pairs ? i + 1 : f->square) -
                           (f->before[i + 1] - f->before[i]) - f->extra[i];
            int64_t take = carried < room ? carried : room;
            f->extra[i] += (int32_t)take;
            carried -= take;
        }
    return RC_OK;
}

/* Items that must be there, and pairs of which one side goes, for so many entries off the
 * diagonal. */
static void items_of(fit_t *f, const rc_form_t *form, int64_t off)
{
    int64_t matched = (int64_t)(form->symmetry * (double)off + 0.5);
    f->keep = off;
    f->single = 0;
    if (f->pairs) {
        f->single = off - 2 * (matched / 2);
        f->keep = matched / 2 + f->single;
    }
}

static rc_status_t aim(fit_t *f, const rc_form_t *form, int64_t diagonal, rc_err_t *err)
{
    const rc_csr_t *a = f->a;
    int64_t items = f->before[a->rows];
    double most = (double)a->rows * (double)a->cols - (f->square ? (double)a->rows : 0);
    int64_t off = form->entries - diagonal;
    f->flip = 0;
    if (form->entries < 0) /* of the pairs that there are, as many single ones as it takes */
        off = f->pairs ? (int64_t)floor((double)items / (1 - form->symmetry / 2)) : items;
    else if (f->pairs && form->symmetry == 1 && off % 2 != 0 && a->rows > 0) {
        f->flip = 1;
        off += rc_csr_has(a, a->rows - 1, a->rows - 1) ? 1 : -1;
    }
    if (off < 0)
        return rc_fail(err, RC_EINVAL,
            "entries: expected at least the %" PRId64 " of the diagonal, found %" PRId64, diagonal,
            form->entries);
    items_of(f, form, off);
    double room = f->pairs ? most / 2 : most;
    if ((double)f->keep > room)
        return rc_fail(err, RC_EINVAL,
            "entries: found %" PRId64 ", but %" PRId64 " x %" PRId64 " with %" PRId64
            " on the diagonal and that symmetry have room for fewer",
            form->entries, a->rows, a->cols, diagonal);
    if (form->entries < 0 && f->keep > items)
        f->keep = items;
    return RC_OK;
}

/* Whether each entry has its mirror image: most generators of graphs see to that.  It has when each
 * above the diagonal has one, and below it are no more. */
static int is_symmetric(const rc_csr_t *a)
{
    int missing = 0;
    int64_t above = 0;
    int64_t below = 0;
#pragma omp parallel for schedule(dynamic, 1024) reduction(| : missing) reduction(+ : above, below)
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t diagonal = rc_csr_seek(a, i, i);
        int64_t first = rc_csr_seek(a, i, i + 1);
        below += diagonal - a->row_ptr[i];
        above += a->row_ptr[i + 1] - first;
        for (int64_t k = first; !missing && k < a->row_ptr[i + 1]; k++)
            missing = !rc_csr_has(a, a->col_idx[k], i);
    }
    return !missing && above == below;
}

/* Whether the diagonal is already what it has to be. */
static int has_diagonal(const fit_t *f, const rc_csr_t *a)
{
    int64_t on = 0;
    if (f->diagonal == RC_DIAGONAL_KEEP)
        return 1;
#pragma omp parallel for schedule(static) reduction(+ : on)
    for (int64_t i = 0; i < a->rows; i++)
        on += rc_csr_has(a, i, i);
    return on == (f->diagonal == RC_DIAGONAL_FULL ? a->rows : 0);
}

static rc_status_t fit(fit_t *f, const rc_form_t *form, rc_csr_t *a, rc_err_t *err)
{
    uint64_t seed = (uint64_t)form->seed;
    double entries = (double)(form->entries > a->nnz ? form->entries : a->nnz);
    int64_t on = 0;
    if (f->pairs && !is_symmetric(a))
        RC_PASS(pass(f, copy_row, 1, 2 * entries, seed, a, err));
    else if (!has_diagonal(f, a))
        RC_PASS(pass(f, copy_row, 0, entries, seed, a, err));
    RC_PASS(count_items(f, &on, err));
    RC_PASS(aim(f, form, on, err));
    int64_t items = f->before[a->rows];
    if (items < f->keep) {
        RC_PASS(deal(f, f->keep - items, err));
        RC_PASS(pass(f, filled_row, f->pairs, entries, seed, a, err));
        RC_PASS(count_items(f, &on, err));
        items = f->before[a->rows];
    }
    if (items > f->keep || f->single > 0 || f->flip) {
        RC_PASS(choose(f, items, err));
        RC_PASS(pass(f, thinned_row, 0, entries, seed, a, err));
    }
    return RC_OK;
}

rc_status_t rc_form_fit(const rc_form_t *form, rc_csr_t *a, rc_err_t *err)
{
    enum { stream = 0x466974 };
    fit_t f = {.a = a,
        .square = a->rows == a->cols,
        .pairs = form->symmetry >= 0,
        .diagonal = (int)form->diagonal,
        .key = rc_rng_keyed(rc_rng_key((uint64_t)form->seed), stream)};
    rc_status_t st = RC_OK;
    if (!f.square && (f.pairs || f.diagonal != RC_DIAGONAL_KEEP))
        st = rc_fail(err, RC_EINVAL, "%s: expected a square matrix, found %" PRId64 " x %" PRId64,
            f.pairs ? "symmetry" : "diagonal", a->rows, a->cols);
    else if ((form->entries >= 0 || f.pairs || f.diagonal != RC_DIAGONAL_KEEP) && a->rows > 0)
        st = fit(&f, form, a, err);
    free(f.before);
    free(f.extra);
    free(f.gone);
    free(f.lonely);
    if (st < 0)
        rc_csr_free(a);
    return st;
}
