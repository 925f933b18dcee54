#include "config.h"
#include "unit.h"

#include "system_properties.h"

#include <stdlib.h>
#include <string.h>

enum { WIDEST = 5, PAD = 3, UNTOUCHED = 0xa5 };

const char *const system_orders[] = {"auto", "rcm", "bandk", "multilevel", "mincol", "minlabel", "labels", "community",
    "cells", "blk", "lsh", "jiang", "random:seed=3", "csr", NULL};

static int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

given_t square_any(rc_rng_t *rng)
{
    given_how_t how = given_any(rng);
    how.cols = how.rows;
    how.type = (rc_precision_t)below(rng, RC_TYPES);
    if (below(rng, 8) == 0 && how.rows > 0)
        how.longest = how.rows;
    return given_new(rng, &how);
}

/* -------------------------------------------------------------------- memory */

/* An array of the host, and the same where the system is. */
typedef struct both {
    unsigned char *here;
    void *there;
    size_t bytes;
} both_t;

static both_t both_new(const system_where_t *w, size_t bytes)
{
    rc_err_t err = {0};
    both_t b = {.here = malloc(bytes + 1), .bytes = bytes};
    assert_non_null(b.here);
    memset(b.here, UNTOUCHED, bytes);
    assert_int_equal(w->x->alloc(w->x, bytes + 1, &b.there, &err), RC_OK);
    return b;
}

static void push(const system_where_t *w, both_t *b)
{
    rc_err_t err = {0};
    if (b->bytes > 0)
        assert_int_equal(w->x->upload(w->x, b->there, b->here, b->bytes, &err), RC_OK);
}

static void pull(const system_where_t *w, both_t *b)
{
    rc_err_t err = {0};
    if (b->bytes > 0)
        assert_int_equal(w->x->download(w->x, b->here, b->there, b->bytes, &err), RC_OK);
}

static both_t both_of(const system_where_t *w, const void *from, size_t bytes)
{
    both_t b = both_new(w, bytes);
    if (bytes > 0)
        memcpy(b.here, from, bytes);
    push(w, &b);
    return b;
}

static void both_free(const system_where_t *w, both_t *b)
{
    free(b->here);
    w->x->release(w->x, b->there);
}

/* --------------------------------------------------------------------- order */

/* A system with its order on the host. */
typedef struct made {
    const system_where_t *w;
    rc_system_t *s;
    int64_t n;
    int32_t *row;
    int32_t *slot;
} made_t;

static void said(rc_status_t st, const rc_err_t *err)
{
    if (st != RC_OK)
        fail_msg("%s", err->text);
}

static int32_t *brought(const made_t *m, const int32_t *from)
{
    both_t b = both_new(m->w, (size_t)m->n * sizeof *from);
    rc_err_t err = {0};
    if (b.bytes > 0)
        said(m->w->x->download(m->w->x, b.here, from, b.bytes, &err), &err);
    m->w->x->release(m->w->x, b.there);
    return (int32_t *)b.here;
}

/* Row and slot are permutations, and the inverse of each other. */
static void check_order(made_t *m, const given_t *g)
{
    rc_system_info_t info;
    rc_err_t err = {0};
    int identity = 1;
    said(rc_system_info(m->s, &info, &err), &err);
    assert_int_equal(info.rows, g->m.rows);
    assert_true(info.order_ns > 0 && info.permute_ns == 0);
    m->n = info.rows;
    m->row = brought(m, info.row);
    m->slot = brought(m, info.slot);
    for (int64_t p = 0; p < m->n; p++) {
        assert_in_range(m->row[p], 0, m->n - 1);
        assert_int_equal(m->slot[m->row[p]], p);
        identity &= m->row[p] == p;
    }
    assert_int_equal(info.identity, identity);
    if (identity) {
        assert_true(info.gain == 1);
        assert_true(info.break_even == 0);
    }
}

/* -------------------------------------------------------------------- matrix */

/* A permuted matrix where the system is. */
typedef struct permuted {
    rc_system_matrix_t to;
    both_t part[4]; /* row pointers, columns, values, places */
} permuted_t;

static permuted_t permuted_new(rc_rng_t *rng, const made_t *m, const given_t *g)
{
    const size_t nnz = (size_t)g->m.nnz;
    permuted_t t = {.to = {.nnz = g->m.nnz,
                        .row_ptr_bytes = below(rng, 2) ? 4 : 8,
                        .col_idx_bytes = below(rng, 2) ? 4 : 8,
                        .place_bytes = below(rng, 2) ? 4 : 8,
                        .precision = (rc_precision_t)below(rng, RC_TYPES)}};
    if (rc_type(t.to.precision)->parts < rc_type(g->m.precision)->parts) /* nothing is left out */
        t.to.precision = g->m.precision;
    t.part[0] = both_new(m->w, ((size_t)m->n + 1) * (size_t)t.to.row_ptr_bytes);
    t.part[1] = both_new(m->w, nnz * (size_t)t.to.col_idx_bytes);
    t.part[2] = both_new(m->w, nnz * (size_t)rc_type(t.to.precision)->bytes);
    t.part[3] = both_new(m->w, nnz * (size_t)t.to.place_bytes);
    t.to.row_ptr = t.part[0].there;
    t.to.col_idx = t.part[1].there;
    t.to.val = t.part[2].there;
    t.to.place = t.part[3].there;
    return t;
}

static void permuted_free(const made_t *m, permuted_t *t)
{
    for (int i = 0; i < 4; i++)
        both_free(m->w, &t->part[i]);
}

static int64_t pointer(const permuted_t *t, int64_t p)
{
    return rc_place_at(t->part[0].here, t->to.row_ptr_bytes, p);
}

static int64_t column(const permuted_t *t, int64_t i)
{
    return rc_place_at(t->part[1].here, t->to.col_idx_bytes, i);
}

/* A part of a value; the imaginary one of a real number is 0. */
static double part_at(rc_precision_t of, const void *val, int64_t i, int part)
{
    const rc_type_t *type = rc_type(of);
    return part < type->parts ? rc_type(type->part)->load(val, i * type->parts + part) : 0;
}

static double value(const permuted_t *t, int64_t i)
{
    return part_at(t->to.precision, t->part[2].here, i, 0);
}

/* The entry of a row of g that has a column. */
static int64_t entry_of(const given_t *g, int64_t row, int64_t col)
{
    for (int64_t e = g->a.row_ptr[row]; e < g->a.row_ptr[row + 1]; e++)
        if (g->a.col_idx[e] == col)
            return e;
    fail_msg("no entry %d, %d", (int)row, (int)col);
    return -1;
}

/* Entry (p, q) is entry (row[p], row[q]) of A, columns ascend, and places are where that was. */
static void check_matrix(const made_t *m, const given_t *g, permuted_t *t)
{
    for (int i = 0; i < 4; i++)
        pull(m->w, &t->part[i]);
    assert_int_equal(pointer(t, 0), 0);
    assert_int_equal(pointer(t, m->n), g->m.nnz);
    for (int64_t p = 0; p < m->n; p++) {
        int64_t of = m->row[p];
        assert_int_equal(pointer(t, p + 1) - pointer(t, p), g->a.row_ptr[of + 1] - g->a.row_ptr[of]);
        for (int64_t i = pointer(t, p); i < pointer(t, p + 1); i++) {
            assert_in_range(column(t, i), 0, m->n - 1);
            assert_true(i == pointer(t, p) || column(t, i) > column(t, i - 1));
            int64_t e = entry_of(g, of, m->row[column(t, i)]);
            int64_t number = g->from[e];
            if (t->to.place)
                assert_int_equal(rc_place_at(t->part[3].here, t->to.place_bytes, i), number + 1);
            for (int q = 0; t->to.val && q < 2; q++)
                assert_true(part_at(t->to.precision, t->part[2].here, i, q) ==
                            part_at(g->m.precision, g->owned[2], number, q));
        }
    }
}

/* The same matrix where the system is; its values may be others than before. */
static rc_plan_matrix_t placed_matrix(const made_t *m, const given_t *g, both_t part[3])
{
    rc_plan_matrix_t a = g->m;
    int64_t majors = a.form == RC_PLAN_COO ? a.nnz : (a.form == RC_PLAN_CSC ? a.cols : a.rows) + 1;
    int col_bytes = a.col_idx_bytes == 8 ? 8 : 4;
    part[0] = both_of(m->w, a.row_ptr, (size_t)majors * (size_t)a.row_ptr_bytes);
    part[1] = both_of(m->w, a.col_idx, (size_t)a.nnz * (size_t)col_bytes);
    part[2] = both_of(m->w, g->owned[2], (size_t)a.nnz * (size_t)rc_type(a.precision)->bytes);
    a.row_ptr = part[0].there;
    a.col_idx = part[1].there;
    a.val = part[2].there;
    a.on_device = m->w->on_device;
    return a;
}

/* --------------------------------------------------------------------- blocks */

static int64_t block_at(rc_layout_t layout, int64_t ld, int64_t r, int64_t j)
{
    return layout == RC_ROW_MAJOR ? r * ld + j : j * ld + r;
}

/* Values with room between the lines. */
typedef struct block {
    both_t data;
    rc_layout_t layout;
    int64_t ld;
} block_t;

static block_t block_new(rc_rng_t *rng, const made_t *m, rc_layout_t layout, int64_t k, rc_precision_t type)
{
    int64_t length = layout == RC_ROW_MAJOR ? k : m->n;
    int64_t lines = layout == RC_ROW_MAJOR ? m->n : k;
    block_t b = {.layout = layout, .ld = length + below(rng, PAD)};
    b.data = both_new(m->w, (size_t)(lines * b.ld) * (size_t)rc_type(type)->bytes);
    push(m->w, &b.data);
    return b;
}

/* Every byte of `to` is that of the row of `from` that belongs there, or was not touched. */
static void compare(const made_t *m, const rc_system_block_t *b, const block_t *from, const block_t *to,
    const int32_t *row)
{
    const size_t bytes = (size_t)rc_type(b->precision)->bytes;
    unsigned char *want = malloc(to->data.bytes + 1);
    assert_non_null(want);
    memset(want, UNTOUCHED, to->data.bytes);
    for (int64_t p = 0; p < m->n; p++)
        for (int64_t j = 0; j < b->k; j++)
            memcpy(want + (size_t)block_at(to->layout, to->ld, p, j) * bytes,
                from->data.here + (size_t)block_at(from->layout, from->ld, row[p], j) * bytes, bytes);
    assert_memory_equal(want, to->data.here, to->data.bytes);
    free(want);
}

/* There, and back again, of random bits. */
static void check_blocks(rc_rng_t *rng, const made_t *m)
{
    static const rc_layout_t of[][2] = {[RC_COL_MAJOR] = {RC_COL_MAJOR, RC_COL_MAJOR},
        [RC_ROW_MAJOR] = {RC_ROW_MAJOR, RC_ROW_MAJOR},
        [RC_ROW_COL] = {RC_ROW_MAJOR, RC_COL_MAJOR},
        [RC_COL_ROW] = {RC_COL_MAJOR, RC_ROW_MAJOR}};
    rc_err_t err = {0};
    rc_system_block_t b = {.k = below(rng, WIDEST + 1),
        .layout = (rc_layout_t)below(rng, RC_LAYOUTS),
        .precision = (rc_precision_t)below(rng, RC_TYPES)};
    block_t x = block_new(rng, m, of[b.layout][0], b.k, b.precision);
    block_t y = block_new(rng, m, of[b.layout][1], b.k, b.precision);
    block_t z = block_new(rng, m, of[b.layout][1], b.k, b.precision);
    for (size_t i = 0; i < x.data.bytes; i++)
        x.data.here[i] = (unsigned char)below(rng, 256);
    push(m->w, &x.data);
    b.from = x.data.there;
    b.ld_from = x.ld;
    b.to = y.data.there;
    b.ld_to = y.ld;
    said(rc_system_to(m->s, &b, NULL, &err), &err);
    pull(m->w, &y.data);
    compare(m, &b, &x, &y, m->row);
    b.to = z.data.there;
    b.ld_to = z.ld;
    said(rc_system_back(m->s, &b, NULL, &err), &err);
    pull(m->w, &z.data);
    compare(m, &b, &x, &z, m->slot);
    both_free(m->w, &x.data);
    both_free(m->w, &y.data);
    both_free(m->w, &z.data);
}

/* ------------------------------------------------------------------- products */

/* A vector of fp64 through the system.  \param[out] to  [n] */
static void carry(const made_t *m, const double *from, double *to, int back)
{
    rc_err_t err = {0};
    const size_t bytes = (size_t)m->n * sizeof *from;
    both_t x = both_of(m->w, from, bytes);
    both_t y = both_new(m->w, bytes);
    const rc_system_block_t b = {.from = x.there, .to = y.there, .k = 1, .precision = RC_FP64};
    said((back ? rc_system_back : rc_system_to)(m->s, &b, NULL, &err), &err);
    pull(m->w, &y);
    memcpy(to, y.here, bytes);
    both_free(m->w, &x);
    both_free(m->w, &y);
}

/* P' ((P A P') (P x)) is A x, to the bit: any sum of these values is exact. */
static void check_product(rc_rng_t *rng, const made_t *m, const given_t *g, const permuted_t *t)
{
    const size_t n = (size_t)m->n + 1;
    double *x = calloc(4 * n, sizeof *x);
    assert_non_null(x);
    double *px = x + n, *y = px + n, *back = y + n;
    for (int64_t r = 0; r < m->n; r++)
        x[r] = given_value(rng);
    carry(m, x, px, 0);
    for (int64_t p = 0; p < m->n; p++)
        for (int64_t i = pointer(t, p); i < pointer(t, p + 1); i++)
            y[p] += value(t, i) * px[column(t, i)];
    carry(m, y, back, 1);
    given_multiply(g, 1, x, y);
    for (int64_t r = 0; r < m->n; r++)
        assert_true(back[r] == y[r]);
    free(x);
}

/* ------------------------------------------------------------------------ all */

/* The pattern alone, and the matrix without places. */
static void check_parts(rc_rng_t *rng, const made_t *m, const given_t *g, const rc_plan_matrix_t *a)
{
    rc_err_t err = {0};
    for (int without = 0; without < 2; without++) {
        permuted_t t = permuted_new(rng, m, g);
        rc_plan_matrix_t of = *a;
        if (without) {
            t.to.val = NULL;
            of.val = NULL;
        } else
            t.to.place = NULL;
        said(rc_system_permute(m->s, &of, &t.to, NULL, &err), &err);
        check_matrix(m, g, &t);
        permuted_free(m, &t);
    }
}

void check_system(rc_rng_t *rng, const system_where_t *w, given_t *g, const char *order)
{
    made_t m = {.w = w};
    both_t part[3];
    rc_err_t err = {0};
    rc_system_info_t info;
    rc_system_options_t o = {.order = order, .threads = 1 + (int)below(rng, 3)};
    rc_plan_matrix_t a = placed_matrix(&m, g, part);
    said(w->order(&a, &o, &m.s, &err), &err);
    check_order(&m, g);
    permuted_t t = permuted_new(rng, &m, g);
    said(rc_system_permute(m.s, &a, &t.to, NULL, &err), &err);
    check_matrix(&m, g, &t);
    said(rc_system_info(m.s, &info, &err), &err);
    assert_true(info.permute_ns > 0);
    check_product(rng, &m, g, &t);
    check_parts(rng, &m, g, &a);
    given_values(rng, g);
    if (part[2].bytes > 0)
        memcpy(part[2].here, g->owned[2], part[2].bytes);
    push(w, &part[2]);
    said(rc_system_values(m.s, a.val, a.precision, &t.to, NULL, &err), &err);
    check_matrix(&m, g, &t);
    for (int i = 0; i < 4; i++)
        check_blocks(rng, &m);
    permuted_free(&m, &t);
    rc_system_free(m.s);
    for (int i = 0; i < 3; i++)
        both_free(w, &part[i]);
    free(m.row);
    free(m.slot);
}
