#include "config.h"
#include "format/bsr.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/places.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CHUNK = 64 }; /* block rows that a thread takes at once */

/* A walk over the blocks of one block row, in increasing order of their columns. */
typedef struct walk {
    const rc_csr_t *a;
    int64_t block;
    int rows;
    int64_t at[RC_BSR_BLOCK_MAX]; /* next entry of each row */
    int64_t end[RC_BSR_BLOCK_MAX];
} walk_t;

static walk_t walk_of(const rc_problem_t *p, int64_t block, int64_t block_row)
{
    walk_t w = {.a = p->a, .block = block};
    int64_t first = block_row * block;
    for (int64_t i = first; i < first + block && i < p->schedule->slots; i++, w.rows++) {
        int64_t r = p->schedule->row[i];
        w.at[w.rows] = r < 0 ? 0 : p->a->row_ptr[r];
        w.end[w.rows] = r < 0 ? 0 : p->a->row_ptr[r + 1];
    }
    return w;
}

/* The column of the next block, -1 at the end; the entries of the block are still to be passed. */
static int64_t next_block(const walk_t *w)
{
    int64_t least = INT64_MAX;
    for (int i = 0; i < w->rows; i++)
        if (w->at[i] < w->end[i] && w->a->col_idx[w->at[i]] < least)
            least = w->a->col_idx[w->at[i]];
    return least == INT64_MAX ? -1 : least / w->block;
}

/* \param[in] to  NULL, or where the entries go: the block is zeroed, and begins at place `first` */
static void pass_block(walk_t *w, int64_t column, int64_t first, const rc_bsr_t *to)
{
    int64_t end = (column + 1) * w->block;
    for (int i = 0; i < w->rows; i++)
        for (; w->at[i] < w->end[i] && w->a->col_idx[w->at[i]] < end; w->at[i]++) {
            int64_t place = i * w->block + (w->a->col_idx[w->at[i]] - column * w->block);
            if (to)
                rc_place_put(to->entry, to->entry_bytes, first + place, w->at[i]);
        }
}

static int64_t count_row(const rc_problem_t *p, int64_t block, int64_t block_row)
{
    walk_t w = walk_of(p, block, block_row);
    int64_t n = 0;
    for (int64_t c = next_block(&w); c >= 0; c = next_block(&w), n++)
        pass_block(&w, c, 0, NULL);
    return n;
}

static int64_t block_rows_of(const rc_problem_t *p, int64_t block)
{
    return (p->schedule->slots + block - 1) / block;
}

int64_t rc_bsr_bytes(const rc_problem_t *p, int64_t block, int64_t blocks)
{
    int64_t one = block * block * (int64_t)rc_precision_bytes(p->precision);
    one += (int64_t)sizeof(int32_t);
    int64_t rows = block_rows_of(p, block) + 1;
    return rc_sat_add(rc_sat_mul(blocks, one), rows * (int64_t)sizeof(int32_t));
}

int64_t rc_bsr_csr_bytes(const rc_problem_t *p)
{
    int64_t entry = (int64_t)(sizeof(int32_t) + rc_precision_bytes(p->precision));
    return rc_sat_add(
        rc_sat_mul(p->a->nnz, entry), (p->schedule->slots + 1) * (int64_t)sizeof(int32_t));
}

int64_t rc_bsr_count(const rc_problem_t *p, int64_t block, int64_t most, int64_t *block_rows)
{
    int64_t rows = block_rows_of(p, block);
    int64_t blocks = 0;
    int64_t i = 0;
    while (i < rows && blocks <= most)
        blocks += count_row(p, block, i++);
    *block_rows = i;
    return blocks;
}

static void fill_row(const rc_problem_t *p, int64_t block_row, rc_bsr_t *b)
{
    int64_t places = b->block * b->block;
    walk_t w = walk_of(p, b->block, block_row);
    int64_t n = b->ptr[block_row];
    for (int64_t c = next_block(&w); c >= 0; c = next_block(&w), n++) {
        memset(
            (char *)b->entry + n * places * b->entry_bytes, 0, (size_t)(places * b->entry_bytes));
        pass_block(&w, c, n * places, b);
        b->col[n] = (int32_t)c;
    }
}

/* Pointers from the lengths in ptr[1 ..]. */
static rc_status_t sum_lengths(rc_bsr_t *b, rc_err_t *err)
{
    int64_t at = 0;
    for (int64_t i = 0; i < b->block_rows; i++) {
        at += b->ptr[i + 1];
        if (at > INT32_MAX)
            return rc_fail(err, RC_ENOTSUP, "shape: more than %d blocks of %" PRId64 " x %" PRId64,
                INT32_MAX, b->block, b->block);
        b->ptr[i + 1] = (int32_t)at;
    }
    b->blocks = at;
    return RC_OK;
}

rc_status_t rc_bsr_build(
    const rc_problem_t *p, int64_t block, int threads, rc_bsr_t *out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_bsr_t b = {.block = block,
        .block_rows = block_rows_of(p, block),
        .entry_bytes = rc_places_bytes(p->a)};
    RC_TRY(RC_NEW0(b.ptr, (size_t)b.block_rows + 1, "block pointers", err));
#pragma omp parallel for num_threads(threads) schedule(dynamic, CHUNK)
    for (int64_t i = 0; i < b.block_rows; i++)
        b.ptr[i + 1] = (int32_t)count_row(p, block, i); /* at most the block columns */
    RC_TRY(sum_lengths(&b, err));
    b.col = rc_alloc_aligned((size_t)b.blocks, sizeof *b.col, "block columns", err);
    b.entry = rc_alloc_aligned(
        (size_t)b.blocks * (size_t)(block * block), (size_t)b.entry_bytes, "places of blocks", err);
    RC_TRY(b.col && b.entry ? RC_OK : RC_ENOMEM);
#pragma omp parallel for num_threads(threads) schedule(dynamic, CHUNK)
    for (int64_t i = 0; i < b.block_rows; i++)
        fill_row(p, i, &b);
    *out = b;
    b = (rc_bsr_t){0};
done:
    rc_bsr_free(&b);
    return st;
}

void rc_bsr_free(rc_bsr_t *b)
{
    free(b->ptr);
    free(b->col);
    free(b->entry);
    *b = (rc_bsr_t){0};
}
