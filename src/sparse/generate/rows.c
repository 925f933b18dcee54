#include "config.h"
#include "sparse/generate/rows.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1024 /* rows that a thread makes at a time */ };

void rc_row_add(rc_row_t *r, int64_t col)
{
    if (r->failed)
        return;
    size_t n = (size_t)r->n;
    if (n >= r->capacity && RC_GROW(r->col, r->capacity, n + 1, "a row", NULL) < 0) {
        r->failed = 1;
        return;
    }
    r->col[r->n++] = (uint64_t)col;
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Increasing, in place. */
static void sort(uint64_t *a, int64_t n)
{
    enum { few = 64 };
    int64_t sorted = 1;
    while (sorted < n && a[sorted - 1] <= a[sorted])
        sorted++;
    if (sorted >= n)
        return;
    if (n > few) {
        qsort(a, (size_t)n, sizeof *a, compare_u64);
        return;
    }
    for (int64_t i = sorted; i < n; i++) {
        uint64_t x = a[i];
        int64_t j = i;
        for (; j > 0 && a[j - 1] > x; j--)
            a[j] = a[j - 1];
        a[j] = x;
    }
}

double rc_skewed_share(int64_t r, int64_t n, int skew)
{
    double x = (double)r / (double)n;
    if (skew == 1 || r <= 0 || r >= n)
        return x;
    double low = 0;
    double high = 1;
    for (int k = 0; k < 48; k++) {
        double middle = (low + high) / 2;
        double power = middle;
        for (int i = 1; i < skew; i++)
            power *= middle;
        if (power <= x)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t rc_run_of(const int32_t *start, int64_t runs, int64_t i)
{
    int64_t low = 0;
    int64_t high = runs;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (start[middle] <= i)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t rc_whole_root(int64_t n, int power)
{
    int64_t low = 0;
    int64_t high = power == 1 ? n : INT64_C(1) << (62 / power);
    while (low < high) {
        int64_t middle = (low + high) / 2;
        int64_t p = middle;
        for (int k = 1; k < power; k++)
            p = rc_sat_mul(p, middle);
        if (p >= n)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* ---------------------------------------------------------------- half-made */

/* Sorted rows in blocks of BLOCK, those of a block one behind the other. */
typedef struct pattern {
    int64_t rows;
    int64_t blocks;
    int32_t **block; /* [blocks] */
    int32_t *length; /* [rows] */
} pattern_t;

static void pattern_free(pattern_t *p)
{
    for (int64_t b = 0; p->block && b < p->blocks; b++)
        free(p->block[b]);
    free(p->block);
    free(p->length);
    *p = (pattern_t){0};
}

static rc_status_t pattern_make(pattern_t *p, int64_t rows, rc_err_t *err)
{
    p->rows = rows;
    p->blocks = (rows + BLOCK - 1) / BLOCK;
    p->block = rc_alloc0((size_t)p->blocks, sizeof *p->block, "blocks of rows", err);
    p->length = p->block ? rc_alloc((size_t)rows, sizeof *p->length, "lengths of rows", err) : NULL;
    return p->length ? RC_OK : RC_ENOMEM;
}

static int64_t block_end(const pattern_t *p, int64_t b)
{
    return (b + 1) * BLOCK < p->rows ? (b + 1) * BLOCK : p->rows;
}

/* Sorts the row, once each column, and leaves out what is outside the matrix. */
static void tidy(int64_t cols, rc_row_t *row)
{
    sort(row->col, row->n);
    int64_t kept = 0;
    for (int64_t k = 0; k < row->n; k++) {
        uint64_t c = row->col[k];
        if (c < (uint64_t)cols && (kept == 0 || row->col[kept - 1] != c))
            row->col[kept++] = c;
    }
    row->n = kept;
}

/* Append row i, whose columns are sorted, to the block.  \return how many they are without what is
 * left out */
static int32_t append(const rc_rows_t *r, int64_t i, const rc_row_t *row, int32_t *to)
{
    int32_t n = 0;
    for (int64_t k = 0; k < row->n; k++)
        if (r->loops || row->col[k] != (uint64_t)i)
            to[n++] = (int32_t)row->col[k];
    return n;
}

/* The rows of block b.  Returns 0 when there is no memory. */
static int make_block(const rc_rows_t *r, pattern_t *p, int64_t b, rc_row_t *row)
{
    size_t n = 0;
    size_t capacity = 0;
    int32_t *col = NULL;
    const int64_t first = b * BLOCK;
    for (int64_t i = first; i < block_end(p, b); i++) {
        if (i == first || r->same < 2 || i % r->same == 0) {
            row->n = 0;
            r->row(r, i, row);
            if (row->failed)
                break;
            tidy(r->cols, row);
        }
        if (RC_GROW(col, capacity, n + (size_t)row->n, "rows", NULL) < 0) {
            row->failed = 1;
            break;
        }
        p->length[i] = append(r, i, row, col + n);
        n += (size_t)p->length[i];
    }
    p->block[b] = col;
    return !row->failed;
}

static rc_status_t make_rows(const rc_rows_t *r, pattern_t *p, rc_err_t *err)
{
    int failed = 0;
#pragma omp parallel reduction(| : failed)
    {
        rc_row_t row = {0};
#pragma omp for schedule(dynamic, 1)
        for (int64_t b = 0; b < p->blocks; b++)
            if (!failed)
                failed = !make_block(r, p, b, &row);
        free(row.col);
    }
    return failed
               ? rc_fail(err, RC_ENOMEM, "no memory for the entries of %" PRId64 " rows", r->rows)
               : RC_OK;
}

/* -------------------------------------------------------------------- result */

static rc_status_t finish(const rc_rows_t *r, pattern_t *p, rc_csr_t *out, rc_err_t *err)
{
    int64_t nnz = 0;
    for (int64_t i = 0; i < p->rows; i++)
        nnz += p->length[i];
    RC_PASS(r->mirror ? rc_csr_alloc_pattern(r->rows, r->cols, nnz, out, err)
                      : rc_csr_alloc(r->rows, r->cols, nnz, out, err));
    for (int64_t i = 0; i < p->rows; i++)
        out->row_ptr[i + 1] = out->row_ptr[i] + p->length[i];
    uint64_t key = rc_rng_key(r->seed);
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t b = 0; b < p->blocks; b++) {
        const int32_t *col = p->block[b];
        for (int64_t i = b * BLOCK; i < block_end(p, b); i++)
            for (int64_t k = out->row_ptr[i]; k < out->row_ptr[i + 1]; k++) {
                out->col_idx[k] = *col++;
                if (out->val)
                    out->val[k] =
                        rc_rng_keyed_signed(key, (uint64_t)i << 32 | (uint32_t)out->col_idx[k]);
            }
        free(p->block[b]);
        p->block[b] = NULL;
    }
    return RC_OK;
}

static int64_t bytes_of(int64_t rows, double entries)
{
    /* row pointers, of the sides of a mirrored matrix too, and lengths; columns while they are
     * made, with room to grow, and in the matrix, values */
    double bytes = 28.0 * (double)rows + 30.0 * entries;
    return bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}

rc_status_t rc_rows_memory(int64_t bytes, int64_t rows, double entries, rc_err_t *err)
{
    int64_t available = rc_memory_available();
    return bytes <= available ? RC_OK
                              : rc_fail(err, RC_ENOMEM,
                                    "%" PRId64 " rows with about %.4g entries need %" PRId64
                                    " bytes of memory, %" PRId64 " are available",
                                    rows, entries, bytes, available);
}

rc_status_t rc_rows_check(const rc_rows_t *r, rc_err_t *err)
{
    double entries = r->mean * (double)r->rows;
    return rc_rows_memory(bytes_of(r->rows, entries), r->rows, entries, err);
}

static rc_status_t build(const rc_rows_t *r, rc_csr_t *out, rc_err_t *err)
{
    pattern_t p = {0};
    rc_status_t st;
    RC_TRY(pattern_make(&p, r->rows, err));
    RC_TRY(make_rows(r, &p, err));
    st = finish(r, &p, out, err);
done:
    pattern_free(&p);
    return st;
}

/* The sides of a mirrored matrix. */
typedef struct sides {
    rc_csr_t made;
    rc_csr_t mirrored;
} sides_t;

static void both_rows(const rc_rows_t *r, int64_t i, rc_row_t *out)
{
    const sides_t *s = r->of;
    for (int64_t k = s->made.row_ptr[i]; k < s->made.row_ptr[i + 1]; k++)
        rc_row_add(out, s->made.col_idx[k]);
    for (int64_t k = s->mirrored.row_ptr[i]; k < s->mirrored.row_ptr[i + 1]; k++)
        rc_row_add(out, s->mirrored.col_idx[k]);
}

rc_status_t rc_rows_build(const rc_rows_t *r, rc_csr_t *out, rc_err_t *err)
{
    sides_t s = {.made = {0}};
    const rc_rows_t both = {
        .rows = r->rows, .cols = r->cols, .loops = 1, .seed = r->seed, .row = both_rows, .of = &s};
    rc_status_t st;
    RC_PASS(rc_rows_check(r, err));
    if (!r->mirror)
        return build(r, out, err);
    RC_TRY(build(r, &s.made, err));
    RC_TRY(rc_csr_transpose(&s.made, &s.mirrored, err));
    st = build(&both, out, err);
done:
    rc_csr_free(&s.made);
    rc_csr_free(&s.mirrored);
    return st;
}
