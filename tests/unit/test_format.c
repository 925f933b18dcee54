/* Storage formats of rows: coordinates, ELLPACK, both, and what all of them would take. */
#include "config.h"
#include "unit.h"

#include "failing_alloc.h"
#include "format/vector/csr.h"
#include "format/vector/hyb.h"
#include "format/places.h"
#include "format_matrices.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------- back to CSR */

static void check_coo(const format_matrix_t *m, rc_rng_t *rng)
{
    (void)rng;
    rc_coo_t c = {0};
    format_back_t back = {.m = m};
    assert_int_equal(rc_coo_build(&m->e, 0, m->threads, &c, NULL), RC_OK);
    for (int64_t i = 0; i < c.entries; i++)
        format_back_entry(&back, c.row[i], c.col[i], c.entry, i);
    format_back_end(&back);
    rc_coo_free(&c);
}

static void coordinates(void **state)
{
    (void)state;
    for_every_matrix(check_coo);
}

/* Places after the first pad of a row are pads, without an entry. */
static void check_pads(const format_matrix_t *m, const rc_ell_t *l, int64_t r, int64_t from)
{
    for (int64_t k = from; k < l->width; k++) {
        assert_int_equal(l->col[k * l->pitch + r], -1);
        assert_true(rc_place_at(l->entry, m->e.entry_bytes, k * l->pitch + r) == 0);
    }
}

/* Rows come back from ELLPACK and then from the coordinates, in which `next` is the next one. */
static void check_split(
    const format_matrix_t *m, const rc_ell_t *l, const rc_coo_t *c, format_back_t *back)
{
    int64_t next = 0;
    assert_true(l->pitch % 32 == 0 && l->pitch >= m->a.rows && l->pitch < m->a.rows + 32);
    for (int64_t r = 0; r < l->pitch; r++) {
        int64_t k = 0;
        for (; k < l->width && l->col[k * l->pitch + r] >= 0; k++)
            format_back_entry(back, r, l->col[k * l->pitch + r], l->entry, k * l->pitch + r);
        check_pads(m, l, r, k);
        for (; c && next < c->entries && c->row[next] == r; next++) {
            assert_true(k == l->width);
            format_back_entry(back, r, c->col[next], c->entry, next);
        }
    }
    assert_true(!c || next == c->entries);
    format_back_end(back);
}

static void check_ell(const format_matrix_t *m, rc_rng_t *rng)
{
    (void)rng;
    rc_ell_t l = {0};
    format_back_t back = {.m = m};
    int64_t longest = rc_format_longest(&m->e);
    assert_int_equal(rc_ell_build(&m->e, longest, m->threads, &l, NULL), RC_OK);
    assert_true(l.width == longest);
    check_split(m, &l, NULL, &back);
    rc_ell_free(&l);
}

static void ellpack(void **state)
{
    (void)state;
    for_every_matrix(check_ell);
}

static int64_t rows_with(const rc_csr_t *a, int64_t entries)
{
    int64_t n = 0;
    for (int64_t r = 0; r < a->rows; r++)
        n += a->row_ptr[r + 1] - a->row_ptr[r] >= entries;
    return n;
}

/* The widths as they are defined, by trying. */
static int64_t width_by_rule(const rc_csr_t *a, int64_t width)
{
    int64_t most = 0;
    if (width >= 0)
        return width;
    if (width == RC_HYB_MU) {
        while (most * a->rows < a->nnz)
            most++;
        return most;
    }
    for (int64_t k = 1; a->rows >= 4096 && k <= a->cols; k++)
        if (rows_with(a, k) >= 4096 && 3 * rows_with(a, k) >= a->rows)
            most = k;
    return most;
}

static void check_hyb(const format_matrix_t *m, rc_rng_t *rng)
{
    const int64_t widths[] = {RC_HYB_MU, RC_HYB_BELL, 0, 1, format_below(rng, 40)};
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        rc_hyb_t h = {.ell = {0}};
        format_back_t back = {.m = m};
        int64_t width = -7;
        int64_t over = 0;
        assert_int_equal(rc_hyb_width(&m->e, widths[i], &width, NULL), RC_OK);
        assert_true(width == width_by_rule(&m->a, widths[i]));
        for (int64_t k = width + 1; k <= m->a.cols; k++)
            over += rows_with(&m->a, k);
        assert_int_equal(rc_hyb_build(&m->e, width, m->threads, &h, NULL), RC_OK);
        assert_true(h.ell.width == width && h.coo.entries == over);
        check_split(m, &h.ell, &h.coo, &back);
        rc_hyb_free(&h);
    }
}

static void split(void **state)
{
    (void)state;
    for_every_matrix(check_hyb);
}

/* Bell's width on matrices that have the rows: n rows, of which `longer` have 5 entries, others 2. */
static void bell_widths(void **state)
{
    (void)state;
    static const struct {
        int64_t rows;
        int64_t longer;
        int64_t width;
    } cases[] = {{4095, 4095, 0}, {4096, 4096, 5}, {4097, 4095, 2}, {4097, 4096, 5},
        {12288, 4096, 5}, {12289, 4096, 2}, {12289, 4097, 5}, {15001, 5000, 2}, {15001, 5001, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t n = cases[i].rows;
        int64_t *ptr = calloc((size_t)n + 1, sizeof *ptr);
        int64_t width = -1;
        assert_non_null(ptr);
        for (int64_t r = 0; r < n; r++)
            ptr[r + 1] = ptr[r] + (r < cases[i].longer ? 5 : 2);
        rc_csr_view_t e = {.rows = n, .nnz = ptr[n], .ptr = ptr};
        assert_int_equal(rc_hyb_width(&e, RC_HYB_BELL, &width, NULL), RC_OK);
        assert_int_equal(width, cases[i].width);
        free(ptr);
    }
}

static rc_status_t count_beyond(void *user, int64_t entries, int64_t *rows, rc_err_t *err)
{
    const rc_csr_view_t *e = user;
    (void)err;
    *rows = 0;
    for (int64_t r = 0; r < e->rows; r++)
        *rows += e->ptr[r + 1] - e->ptr[r] > entries;
    return RC_OK;
}

/* Where rows are counted alone Bell's width is the same: of random lengths, some or all 0, around the 4096 rows. */
static void bell_widths_by_counts(void **state)
{
    (void)state;
    enum { most = 20000, trials = 400 };
    static int64_t ptr[most + 1];
    static const int64_t lengths[] = {1, 2, 6, 40, 3000};
    rc_rng_t rng;
    int wide = 0;
    rc_rng_seed(&rng, 11);
    for (int i = 0; i < trials; i++) {
        const int64_t some = i % 3 ? most : 4200;
        const int64_t rows = i % 16 == 0 ? 0 : (int64_t)rc_rng_below(&rng, (uint64_t)some + 1);
        const uint64_t below = (uint64_t)lengths[rc_rng_below(&rng, 5)];
        const uint64_t empty = rc_rng_below(&rng, 100); /* of 100 rows */
        int64_t longest = 0;
        int64_t width[2] = {-1, -2};
        for (int64_t r = 0; r < rows; r++) {
            int64_t length = rc_rng_below(&rng, 100) < empty ? 0 : (int64_t)rc_rng_below(&rng, below);
            longest = length > longest ? length : longest;
            ptr[r + 1] = ptr[r] + length;
        }
        rc_csr_view_t e = {.rows = rows, .nnz = ptr[rows], .ptr = ptr};
        assert_int_equal(rc_hyb_width(&e, RC_HYB_BELL, &width[0], NULL), RC_OK);
        assert_int_equal(rc_hyb_bell_by(rows, longest, count_beyond, &e, &width[1], NULL), RC_OK);
        assert_int_equal(width[0], width[1]);
        wide += width[0] > 1;
    }
    assert_in_range(wide, trials / 10, trials);
}

/* ------------------------------------------------------------------- sizes */

static void size_of(const char *spec, const rc_csr_view_t *e, rc_format_size_t *out)
{
    rc_spec_t s;
    rc_err_t err = {0};
    *out = (rc_format_size_t){0};
    if (rc_spec_parse(&rc_format_family, spec, &s, &err) != RC_OK ||
        rc_formats[s.member]->measure(e, s.value.value, out, &err) != RC_OK)
        fail_msg("%s: %s", spec, err.text);
}

/* The bytes as they are defined; v is a value. */
static void check_bytes(const format_matrix_t *m, rc_rng_t *rng)
{
    rc_format_size_t s;
    int64_t n = m->a.rows;
    int64_t nnz = m->a.nnz;
    int64_t v = (int64_t)rc_precision_bytes(m->e.precision);
    int64_t pitch = (n + 31) / 32 * 32;
    int64_t csr = 4 * (n + 1) + nnz * (4 + v);
    char spec[64];
    size_of("coo", &m->e, &s);
    assert_true(rc_format_bytes(&s) == nnz * (8 + v));
    size_of("csr", &m->e, &s);
    assert_true(rc_format_bytes(&s) == csr && format_array(&s, "row_ptr") == 4 * (n + 1));
    size_of("merge", &m->e, &s);
    assert_true(rc_format_bytes(&s) == csr && format_number(&s, "items") == 128 * 7);
    size_of("ell", &m->e, &s);
    int64_t width = format_number(&s, "width");
    assert_true(format_number(&s, "pitch") == pitch && width == rc_format_longest(&m->e));
    assert_true(rc_format_bytes(&s) == width * pitch * (4 + v) && s.places == width * pitch);
    width = format_below(rng, 50);
    snprintf(spec, sizeof spec, "hyb:width=%" PRId64, width);
    size_of(spec, &m->e, &s);
    int64_t over = format_number(&s, "over");
    assert_true(rc_format_bytes(&s) == width * pitch * (4 + v) + over * (8 + v));
    assert_true(s.places == width * pitch + over);
    int64_t sigma = 1 + format_below(rng, 70);
    snprintf(spec, sizeof spec, "csr5:sigma=%" PRId64, sigma);
    size_of(spec, &m->e, &s);
    int64_t p = (nnz + 32 * sigma - 1) / (32 * sigma);
    int64_t q = format_number(&s, "words");
    assert_true(format_number(&s, "tiles") == p && format_number(&s, "sigma") == sigma);
    assert_true(rc_format_bytes(&s) == csr + 4 * (p + 1) + 128 * p * q);
}

static void bytes(void **state)
{
    (void)state;
    for_every_matrix(check_bytes);
}

/* Lanes: the smallest power of two that is at least nnz / rows, at most 32. */
static void lanes(void **state)
{
    (void)state;
    static const int64_t cases[][3] = {{0, 0, 1}, {10, 0, 1}, {10, 10, 1}, {10, 11, 2}, {10, 20, 2},
        {10, 21, 4}, {10, 160, 16}, {10, 161, 32}, {10, 9999, 32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_csr_view_t e = {.rows = cases[i][0], .nnz = cases[i][1]};
        assert_int_equal(rc_csr_lanes(&e, RC_CSR_LANES_AUTO), cases[i][2]);
        assert_int_equal(rc_csr_lanes(&e, 8), 8);
    }
}

/* More than 2^31 places and entries: sizes in 64 bits, and no attempt to build. */
static void large(void **state)
{
    (void)state;
    enum { rows = 1 << 20, longest = 1 << 30 };
    static const int64_t one_row[] = {0, (int64_t)1 << 31};
    static const rc_format_sink_t nobody = {NULL, NULL};
    rc_format_size_t s;
    rc_err_t err = {0};
    int64_t param[RC_PARAMS_MAX] = {0};
    int64_t *ptr = calloc(rows + 1, sizeof *ptr);
    assert_non_null(ptr);
    for (int64_t r = 0; r < rows; r++)
        ptr[r + 1] = ptr[r] + (r == 5 ? longest : 1);
    rc_csr_view_t e = {.rows = rows, .nnz = ptr[rows], .ptr = ptr, .precision = RC_FP64};
    size_of("ell", &e, &s);
    assert_true(s.places == (int64_t)1 << 50 && rc_format_bytes(&s) == (int64_t)12 << 50);
    for (int i = 0; rc_formats[i]; i++)
        if (strcmp(rc_formats[i]->name, "ell") == 0)
            assert_int_equal(rc_formats[i]->dump(&e, param, 1, &nobody, &err), RC_ENOMEM);
    assert_non_null(strstr(err.text, "needs 13510798882111488 bytes, "));
    size_of("hyb:width=2147483647", &e, &s);
    assert_true(s.places == (int64_t)INT32_MAX << 20);
    free(ptr);
    e = (rc_csr_view_t){.rows = 1, .nnz = one_row[1], .ptr = one_row};
    size_of("csr", &e, &s);
    assert_true(format_array(&s, "row_ptr") == 16 && format_array(&s, "col") == (int64_t)4 << 31);
    size_of("ell", &e, &s);
    assert_true(s.places == (int64_t)32 << 31);
}

/* CUSP's limit: over 10^6 places, and over three times the entries. */
static void cusp_limit(void **state)
{
    (void)state;
    static const struct {
        int64_t rows;    /* a multiple of 32 */
        int64_t entries; /* of every row, but for the first one */
        int64_t longest;
        rc_status_t status;
    } cases[] = {{32 * 100, 1, 312, RC_OK}, {32 * 100, 1, 313, RC_ENOTSUP},
        {32 * 1000, 30, 89, RC_OK}, {32 * 1000, 30, 95, RC_ENOTSUP}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rc_format_size_t s = {0};
        rc_spec_t spec;
        int64_t *ptr = calloc((size_t)cases[i].rows + 1, sizeof *ptr);
        assert_non_null(ptr);
        for (int64_t r = 0; r < cases[i].rows; r++)
            ptr[r + 1] = ptr[r] + (r == 0 ? cases[i].longest : cases[i].entries);
        rc_csr_view_t e = {.rows = cases[i].rows, .nnz = ptr[cases[i].rows], .ptr = ptr};
        assert_int_equal(rc_spec_parse(&rc_format_family, "ell:limit=cusp", &spec, NULL), RC_OK);
        assert_int_equal(
            rc_formats[spec.member]->measure(&e, spec.value.value, &s, NULL), cases[i].status);
        size_of("ell", &e, &s);
        free(ptr);
    }
}

/* ------------------------------------------------------------------ failures */

static rc_status_t count_numbers(void *user, const char *name, rc_format_at_fn *at,
    const void *from, int64_t count, rc_err_t *err)
{
    (void)name;
    (void)err;
    for (int64_t i = 0; i < count; i++)
        *(int64_t *)user += at(from, i) != 0;
    return RC_OK;
}

static rc_status_t refuse(void *user, const char *name, rc_format_at_fn *at, const void *from,
    int64_t count, rc_err_t *err)
{
    (void)at;
    (void)from;
    (void)count;
    (void)err;
    return strcmp(name, user) == 0 ? RC_EIO : RC_OK;
}

/* Any allocation may fail, the sink too; without values as well. */
static void check_failures(const format_matrix_t *m, rc_rng_t *rng)
{
    static const char *const specs[] = {
        "coo", "csr", "ell", "hyb", "hyb:width=bell", "csr5", "merge:items=7"};
    if (format_below(rng, 4) != 0)
        return; /* some will do */
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        rc_spec_t spec;
        rc_csr_view_t e = m->e;
        int64_t sum = 0;
        const rc_format_sink_t counter = {&sum, count_numbers};
        char last[] = "col";
        const rc_format_sink_t broken = {last, refuse};
        assert_int_equal(rc_spec_parse(&rc_format_family, specs[i], &spec, NULL), RC_OK);
        const rc_format_t *f = rc_formats[spec.member];
        rc_status_t st = RC_ENOMEM;
        for (long n = 0; st != RC_OK; n++) {
            failing_alloc_set(n);
            e.entry_bytes = n % 2 ? 0 : m->e.entry_bytes;
            st = f->dump(&e, spec.value.value, 1, &counter, NULL);
            int failed = failing_alloc_happened();
            failing_alloc_set(-1);
            assert_true(st == (failed ? RC_ENOMEM : RC_OK));
        }
        st = f->dump(&e, spec.value.value, 2, &broken, NULL);
        assert_int_equal(st, strcmp(f->name, "merge") == 0 ? RC_OK : RC_EIO);
    }
}

static void failures(void **state)
{
    (void)state;
    for_every_matrix(check_failures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coordinates),
        cmocka_unit_test(ellpack),
        cmocka_unit_test(split),
        cmocka_unit_test(bell_widths),
        cmocka_unit_test(bell_widths_by_counts),
        cmocka_unit_test(bytes),
        cmocka_unit_test(lanes),
        cmocka_unit_test(large),
        cmocka_unit_test(cusp_limit),
        cmocka_unit_test(failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
