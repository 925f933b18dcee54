/* Formats of equal shares: the tiles of CSR5 and the points of the merge, against what their
 * definitions say of one entry and one step at a time. */
#include "config.h"
#include "unit.h"

#include "format_matrices.h"
#include "format/vector/csr5.h"
#include "format/places.h"
#include "format/vector/merge.h"

#include <stdlib.h>

enum { OMEGA = 32 };

/* ------------------------------------------------------------------- CSR5 */

/* The tiles of a matrix by their definition. */
typedef struct naive {
    const rc_csr_t *a;
    int64_t sigma;
    int64_t entries; /* of a full tile */
    int64_t tiles;
    int64_t *begins; /* [nnz] row that begins with an entry, -1: none */
} naive_t;

static naive_t naive_of(const rc_csr_t *a, int64_t sigma)
{
    naive_t n = {.a = a, .sigma = sigma, .entries = OMEGA * sigma};
    while (n.tiles * n.entries < a->nnz)
        n.tiles++;
    n.begins = calloc((size_t)a->nnz + 1, sizeof *n.begins);
    assert_non_null(n.begins);
    for (int64_t i = 0; i < a->nnz; i++)
        n.begins[i] = -1;
    for (int64_t r = 0; r < a->rows; r++)
        if (a->row_ptr[r] < a->row_ptr[r + 1])
            n.begins[a->row_ptr[r]] = r;
    return n;
}

static int64_t naive_row(const naive_t *n, int64_t t)
{
    int64_t entry = t * n->entries < n->a->nnz ? t * n->entries : n->a->nnz;
    int64_t row = n->a->rows;
    while (n->a->row_ptr[row] > entry)
        row--;
    return row;
}

static int naive_flag(const naive_t *n, int64_t t, int64_t c, int64_t s)
{
    return n->begins[t * n->entries + c * n->sigma + s] >= 0;
}

static int64_t naive_flags(const naive_t *n, int64_t t, int64_t c)
{
    int64_t flags = 0;
    for (int64_t s = 0; s < n->sigma; s++)
        flags += naive_flag(n, t, c, s);
    return flags;
}

static int64_t flag_of(const rc_csr5_t *f, int64_t t, int64_t c, int64_t s)
{
    return rc_csr5_flag(f, (t * OMEGA + c) * f->size.sigma + s);
}

static void check_columns(const naive_t *n, const rc_csr5_t *f, int64_t t)
{
    for (int64_t c = 0; c < OMEGA; c++) {
        int64_t before = 0;
        int64_t seg = 0;
        for (int64_t s = 0; s < n->sigma; s++)
            assert_int_equal(flag_of(f, t, c, s), naive_flag(n, t, c, s));
        for (int64_t d = 0; d < c; d++)
            before += naive_flags(n, t, d) + (d == 0 && !naive_flag(n, t, 0, 0));
        assert_int_equal(rc_csr5_y_offset(f, t * OMEGA + c), c > 0 ? before - 1 : 0);
        if (naive_flags(n, t, c) > 0)
            for (int64_t d = c + 1; d < OMEGA && naive_flags(n, t, d) == 0; d++)
                seg++;
        assert_int_equal(rc_csr5_seg_offset(f, t * OMEGA + c), seg);
    }
}

static void check_tile(const naive_t *n, const rc_csr5_t *f, int64_t t)
{
    int64_t row = naive_row(n, t);
    int64_t next = naive_row(n, t + 1);
    int64_t at = f->empty_ptr[t];
    int dirty = 0;
    for (int64_t r = row; r < next; r++)
        dirty |= n->a->row_ptr[r] == n->a->row_ptr[r + 1];
    assert_true(rc_csr5_row(f, t) == row && rc_csr5_row(f, t + 1) == next);
    assert_int_equal(rc_csr5_dirty(f, t), dirty);
    if ((t + 1) * n->entries <= n->a->nnz) {
        check_columns(n, f, t);
        for (int64_t i = 1; dirty && i < n->entries; i++) {
            int64_t r = n->begins[t * n->entries + i];
            if (r >= 0)
                assert_true(f->empty_offset[at++] == r - row - 1);
        }
    }
    assert_true(f->empty_ptr[t + 1] == at);
}

/* Where entry i of CSR is stored. */
static int64_t stored(const naive_t *n, int64_t i)
{
    int64_t base = i / n->entries * n->entries;
    if (base + n->entries > n->a->nnz)
        return i;
    return base + (i - base) % n->sigma * OMEGA + (i - base) / n->sigma;
}

/* Segment q of a full tile, numbered from the one that goes on from before, as a row. */
static int64_t row_of_segment(const rc_csr5_t *f, int64_t t, int64_t q)
{
    int64_t row = rc_csr5_row(f, t);
    if (q == 0 || !rc_csr5_dirty(f, t))
        return row + q;
    return row + 1 + f->empty_offset[f->empty_ptr[t] + q - 1];
}

static double value_at(const rc_csr_t *a, const rc_csr_view_t *e, const rc_csr5_t *f, int64_t at)
{
    return a->val[rc_place_at(f->entry, e->entry_bytes, at) - 1];
}

/* y from the tiles alone: x is 1, 2, 3, ... */
static void multiply_tile(
    const naive_t *n, const rc_csr5_t *f, int64_t t, const rc_csr_view_t *e, double *y)
{
    for (int64_t c = 0; c < OMEGA; c++) {
        int64_t q = rc_csr5_y_offset(f, t * OMEGA + c);
        for (int64_t s = 0; s < n->sigma; s++) {
            int64_t at = t * n->entries + s * OMEGA + c;
            q += flag_of(f, t, c, s) && !(c == 0 && s == 0);
            y[row_of_segment(f, t, q)] += value_at(n->a, e, f, at) * (double)(1 + f->col[at]);
        }
    }
}

static void check_product(const naive_t *n, const rc_csr5_t *f, const rc_csr_view_t *e)
{
    const rc_csr_t *a = n->a;
    double *y = calloc((size_t)a->rows + 1, sizeof *y);
    assert_non_null(y);
    for (int64_t t = 0; t < f->size.full; t++)
        multiply_tile(n, f, t, e, y);
    for (int64_t r = 0; r < a->rows; r++) {
        double sum = 0;
        for (int64_t i = a->row_ptr[r]; i < a->row_ptr[r + 1]; i++)
            if (i < f->size.full * n->entries)
                sum += a->val[e->entry ? a->nnz - 1 - i : i] * (double)(1 + a->col_idx[i]);
        assert_true(y[r] == sum);
    }
    free(y);
}

static void check_csr5(const format_matrix_t *m, rc_rng_t *rng)
{
    const int64_t sigmas[] = {RC_CSR5_SIGMA_AUTO, 1, 4, 1 + format_below(rng, 40), 100};
    for (size_t i = 0; i < sizeof sigmas / sizeof *sigmas; i++) {
        rc_csr5_t f = {.nnz = 0};
        format_back_t back = {.m = m};
        rc_csr5_size_t size = rc_csr5_size(&m->e, sigmas[i]);
        naive_t n = naive_of(&m->a, size.sigma);
        assert_int_equal(rc_csr5_build(&m->e, &size, m->threads, &f, NULL), RC_OK);
        assert_true(size.tiles == n.tiles && size.full == m->a.nnz / n.entries);
        assert_true(f.empty_ptr[0] == 0 && rc_csr5_row(&f, n.tiles) == m->a.rows);
        for (int64_t t = 0; t < n.tiles; t++)
            check_tile(&n, &f, t);
        for (int64_t e = 0, r = 0; e < m->a.nnz; e++) {
            r = n.begins[e] >= 0 ? n.begins[e] : r;
            format_back_entry(&back, r, f.col[stored(&n, e)], f.entry, stored(&n, e));
        }
        format_back_end(&back);
        if (m->finite)
            check_product(&n, &f, &m->e);
        rc_csr5_free(&f);
        free(n.begins);
    }
}

static void tiles(void **state)
{
    (void)state;
    for_every_matrix(check_csr5);
}

/* sigma by the mean row, and the words that a descriptor takes then. */
static void sigma_by_rule(void **state)
{
    (void)state;
    static const int64_t cases[][4] = {/* rows, nnz, sigma, words */
        {0, 0, 4, 1}, {10, 0, 4, 1}, {10, 49, 4, 1}, {10, 50, 5, 1}, {10, 179, 17, 1},
        {10, 180, 18, 2}, {10, 329, 32, 2}, {10, 2569, 32, 2}, {10, 2570, 6, 1},
        {1, 1000000, 6, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_csr_view_t e = {.rows = cases[i][0], .nnz = cases[i][1]};
        rc_csr5_size_t s = rc_csr5_size(&e, RC_CSR5_SIGMA_AUTO);
        assert_int_equal(s.sigma, cases[i][2]);
        assert_int_equal(s.words, cases[i][3]);
        assert_int_equal(rc_csr5_size(&e, 7).sigma, 7);
    }
}

/* ------------------------------------------------------------------- merge */

/* Walk the path step by step: down the entries, along the row ends, those first. */
static void check_merge(const format_matrix_t *m, rc_rng_t *rng)
{
    const int64_t wide[] = {1, 896, 2 + format_below(rng, 60), 1 << 20};
    const rc_csr_t *a = &m->a;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        int64_t items = wide[i];
        int64_t parts = rc_merge_parts(&m->e, items);
        int64_t row = 0;
        int64_t entry = 0;
        int64_t k = 0;
        for (;;) {
            int end = row == a->rows && entry == a->nnz;
            if ((row + entry) % items == 0 || end) {
                rc_merge_point_t p = rc_merge_point(&m->e, items, k++);
                assert_true(p.row == row && p.entry == entry);
            }
            if (end)
                break;
            if (row < a->rows && a->row_ptr[row + 1] <= entry)
                row++;
            else
                entry++;
        }
        assert_true(k == parts + 1);
    }
}

static void merge_points(void **state)
{
    (void)state;
    for_every_matrix(check_merge);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiles),
        cmocka_unit_test(sigma_by_rule),
        cmocka_unit_test(merge_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
