#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "format/places.h"
#include "format_matrices.h"
#include "order_matrix.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 200, MOST_ROWS = 200 };

int64_t format_below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

/* The place of entry i of a matrix, in its view. */
static int64_t place_of(const rc_csr_view_t *e, int64_t i)
{
    return e->entry ? rc_place_at(e->entry, e->entry_bytes, i) : i + 1;
}

void format_back_entry(format_back_t *b, int64_t row, int64_t col, const void *entry, int64_t at)
{
    const rc_csr_t *a = &b->m->a;
    int64_t i = b->entry++;
    assert_true(i < a->nnz);
    assert_true(row >= 0 && row < a->rows && a->row_ptr[row] <= i && i < a->row_ptr[row + 1]);
    assert_true(col == a->col_idx[i]);
    assert_true(rc_place_at(entry, b->m->e.entry_bytes, at) == place_of(&b->m->e, i));
}

void format_back_end(const format_back_t *b)
{
    assert_true(b->entry == b->m->a.nnz);
}

int64_t format_number(const rc_format_size_t *s, const char *name)
{
    for (int i = 0; i < s->numbers; i++)
        if (strcmp(s->number[i].name, name) == 0)
            return s->number[i].value;
    fail_msg("no number %s", name);
    return -1;
}

int64_t format_array(const rc_format_size_t *s, const char *name)
{
    for (int i = 0; i < s->arrays; i++)
        if (strcmp(s->array[i].name, name) == 0)
            return s->array[i].bytes;
    fail_msg("no array %s", name);
    return -1;
}

/* -------------------------------------------------------------- edge cases */

/* Rows by their lengths; entry k of a row is in column k, or spread over all columns. */
static void from_lengths(const int64_t *length, int64_t rows, int64_t cols, rc_csr_t *out)
{
    unsigned char *flag = calloc((size_t)(rows * cols) + 1, 1);
    assert_non_null(flag);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < length[r]; k++)
            flag[r * cols + k * cols / length[r]] = 1;
    matrix_from_flags(flag, rows, cols, out);
    free(flag);
}

/* n rows of `each` entries, some of them empty. */
static void rows_of(int64_t n, int64_t each, int64_t before, int64_t after, rc_csr_t *out)
{
    int64_t rows = before + n + after;
    int64_t *length = calloc((size_t)rows + 1, sizeof *length);
    assert_non_null(length);
    for (int64_t r = 0; r < n; r++)
        length[before + r] = each;
    from_lengths(length, rows, each > 0 ? 2 * each : 3, out);
    free(length);
}

enum { EDGE_CASES = 14, NOT_FINITE = 13 };

static void edge_case(int i, rc_csr_t *out)
{
    static const int64_t dense_row[] = {1, 0, 500, 0, 2};
    static const struct {
        int64_t n;
        int64_t each;
        int64_t before;
        int64_t after;
    } shape[] = {
        {0, 0, 0, 0},     /* 0 rows */
        {0, 0, 40, 0},    /* no entries */
        {1, 1, 0, 0},     /* one entry */
        {9, 4, 3, 5},     /* empty first and last rows */
        {64, 4, 0, 0},    /* fills two tiles of sigma 4 */
        {64, 4, 0, 7},    /* the same with trailing empty rows */
        {65, 4, 1, 1},    /* and an entry more than that */
        {1, 1300, 2, 2},  /* one row has all entries */
        {333, 1, 0, 0},   /* an entry a row */
        {3, 1, 20000, 0}, /* many empty rows */
        {2, 2, 0, 20000}, /* the same at the end */
        {32, 40, 0, 0},   /* whole pitches, sigma 32 */
    };
    if (i < (int)(sizeof shape / sizeof *shape))
        rows_of(shape[i].n, shape[i].each, shape[i].before, shape[i].after, out);
    else if (i == NOT_FINITE)
        rows_of(70, 3, 1, 1, out);
    else
        from_lengths(dense_row, 5, 1000, out);
    if (i == 0)
        out->cols = 0;
}

/* ------------------------------------------------------------------- tries */

static void try_matrix(rc_csr_t *a, int i, int finite, rc_rng_t *rng, format_check_fn *check)
{
    static const double other[] = {NAN, INFINITY, -INFINITY, -0.0};
    format_matrix_t m = {.a = *a, .finite = finite, .threads = 1 + i % 3};
    m.e = (rc_csr_view_t){.rows = a->rows, .nnz = a->nnz, .ptr = a->row_ptr, .col = a->col_idx};
    m.e.precision = (rc_precision_t)(i % RC_TYPES);
    m.e.entry_bytes = i % 4 < 2 ? 4 : 8;
    m.entry = calloc((size_t)a->nnz + 1, (size_t)m.e.entry_bytes);
    assert_non_null(m.entry);
    for (int64_t k = 0; k < a->nnz; k++) {
        m.a.val[k] = finite ? (double)(format_below(rng, 17) - 8) : other[k % 4];
        rc_place_put(m.entry, m.e.entry_bytes, k, m.a.nnz - 1 - k);
    }
    m.e.entry = i % 2 ? m.entry : NULL;
    check(&m, rng);
    free(m.entry);
    free_matrix(a);
}

void for_every_matrix(format_check_fn *check)
{
    rc_rng_t rng;
    rc_csr_t a;
    rc_rng_seed(&rng, 14);
    for (int i = 0; i < EDGE_CASES; i++)
        for (int precision = 0; precision < RC_TYPES; precision++) {
            edge_case(i, &a);
            try_matrix(&a, precision, i != NOT_FINITE, &rng, check);
        }
    for (int i = 0; i < ROUNDS; i++) {
        random_matrix(&rng, MOST_ROWS, &a);
        try_matrix(&a, i, 1, &rng, check);
    }
}
