#include "config.h"
#include "unit.h"

#include "given_fixture.h"
#include "sparse/csr.h"
#include "real_types.h"

#include <stdlib.h>
#include <string.h>

/* An entry, its number in the caller's arrays, and by what it is sorted there. */
typedef struct entry {
    int32_t row;
    int32_t col;
    int64_t number;
    uint64_t key[2];
} entry_t;

static int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

given_how_t given_any(rc_rng_t *rng)
{
    static const int64_t sizes[] = {0, 1, 2, 7, 31, 300, 3000};
    enum { SIZES = sizeof sizes / sizeof *sizes };
    return (given_how_t){.form = (rc_plan_form_t)below(rng, 3),
        .ptr_bytes = below(rng, 2) ? 4 : 8,
        .col_bytes = below(rng, 2) ? 4 : 8,
        .type = real_type(below(rng, REAL_TYPES)),
        .shuffled = (int)below(rng, 2),
        .rows = sizes[below(rng, SIZES)],
        .cols = sizes[below(rng, SIZES)],
        .mean = below(rng, 12)};
}

static void *made(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    assert_non_null(p);
    return p;
}

static void put(void *array, int bytes, int64_t i, int64_t x)
{
    if (bytes == 4)
        ((int32_t *)array)[i] = (int32_t)x;
    else
        ((int64_t *)array)[i] = x;
}

/* ------------------------------------------------------------------ entries */

/* Columns of a row in steps of at least 1; about `mean`, or as many as there are below `most`. */
static int64_t fill_row(rc_rng_t *rng, const given_how_t *how, int64_t r, entry_t *to)
{
    int is_long = how->longest > 0 && r == how->rows / 2;
    int64_t want = is_long ? how->longest : below(rng, 4) ? below(rng, 2 * how->mean + 1) : 0;
    int64_t step = want > 0 ? how->cols / want : 1;
    int64_t n = 0;
    for (int64_t c = below(rng, step > 1 ? step : 2); c < how->cols && n < want;
         c += 1 + below(rng, step > 1 ? 2 * step - 1 : 2))
        to[n++] = (entry_t){.row = (int32_t)r, .col = (int32_t)c};
    return n;
}

static int by_key(const void *a, const void *b)
{
    const entry_t *x = a;
    const entry_t *y = b;
    for (int i = 0; i < 2; i++)
        if (x->key[i] != y->key[i])
            return x->key[i] < y->key[i] ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Into the order of the caller. */
static void arrange(rc_rng_t *rng, const given_how_t *how, entry_t *e, int64_t nnz)
{
    for (int64_t i = 0; i < nnz; i++) {
        uint64_t any = rc_rng_below(rng, UINT64_MAX);
        int by_columns = how->form == RC_PLAN_CSC;
        e[i].key[0] = (uint64_t)(by_columns ? e[i].col : e[i].row);
        e[i].key[1] = (uint64_t)(by_columns ? e[i].row : e[i].col);
        if (how->shuffled && how->form == RC_PLAN_COO)
            e[i].key[0] = any;
        if (how->shuffled)
            e[i].key[1] = any;
    }
    qsort(e, (size_t)nnz, sizeof *e, by_key);
    for (int64_t i = 0; i < nnz; i++)
        e[i].number = i;
}

/* ------------------------------------------------------------------- arrays */

static void put_arrays(const given_how_t *how, const entry_t *e, given_t *g)
{
    int64_t nnz = g->m.nnz;
    int by_columns = how->form == RC_PLAN_CSC;
    int64_t majors = by_columns ? how->cols : how->rows;
    int64_t pointers = how->form == RC_PLAN_COO ? nnz : majors + 1;
    g->owned[0] = made((size_t)pointers, (size_t)how->ptr_bytes);
    g->owned[1] = made((size_t)nnz, (size_t)how->col_bytes);
    g->owned[2] = made((size_t)nnz, (size_t)rc_type(how->type)->bytes);
    for (int64_t i = 0; i < nnz; i++)
        put(g->owned[1], how->col_bytes, i, by_columns ? e[i].row : e[i].col);
    if (how->form == RC_PLAN_COO) {
        for (int64_t i = 0; i < nnz; i++)
            put(g->owned[0], how->ptr_bytes, i, e[i].row);
        return;
    }
    for (int64_t r = 0, i = 0; r <= majors; r++) {
        while (i < nnz && (by_columns ? e[i].col : e[i].row) < r)
            i++;
        put(g->owned[0], how->ptr_bytes, r, i);
    }
}

/* What reading is to give. */
static void put_expected(entry_t *e, given_t *g)
{
    rc_csr_t *a = &g->a;
    for (int64_t i = 0; i < a->nnz; i++) {
        e[i].key[0] = (uint64_t)e[i].row;
        e[i].key[1] = (uint64_t)e[i].col;
    }
    qsort(e, (size_t)a->nnz, sizeof *e, by_key);
    a->row_ptr = made((size_t)a->rows + 1, sizeof *a->row_ptr);
    a->col_idx = made((size_t)a->nnz, sizeof *a->col_idx);
    g->from = made((size_t)a->nnz, sizeof *g->from);
    for (int64_t i = 0; i < a->nnz; i++) {
        a->row_ptr[e[i].row + 1]++;
        a->col_idx[i] = e[i].col;
        g->from[i] = e[i].number;
    }
    for (int64_t r = 0; r < a->rows; r++)
        a->row_ptr[r + 1] += a->row_ptr[r];
}

/* ------------------------------------------------------------------- wrongs */

/* A number that is none below `end`. */
static int64_t no_number(rc_rng_t *rng, int64_t end, int bytes)
{
    int64_t wide[] = {-1, end, INT32_MIN, INT32_MAX, INT64_C(1) << 32, INT64_MIN};
    return wide[below(rng, bytes == 4 ? 4 : 6)];
}

static void spoil_pointer(rc_rng_t *rng, const given_how_t *how, given_t *g)
{
    int64_t majors = how->form == RC_PLAN_CSC ? how->cols : how->rows;
    if (how->form == RC_PLAN_COO)
        put(g->owned[0], how->ptr_bytes, below(rng, g->m.nnz), no_number(rng, how->rows, how->ptr_bytes));
    else
        put(g->owned[0], how->ptr_bytes, below(rng, majors + 1), no_number(rng, g->m.nnz + 1, how->ptr_bytes));
    g->wrong = GIVEN_POINTER;
}

/* An entry gets the place of another one of its row, or of its column. */
static void spoil_twice(rc_rng_t *rng, const given_how_t *how, given_t *g)
{
    const rc_csr_t *a = &g->a;
    for (int64_t tries = 0; tries < 3 * a->rows; tries++) {
        int64_t r = below(rng, a->rows);
        int64_t i = a->row_ptr[r];
        if (a->row_ptr[r + 1] - i < 2)
            continue;
        int64_t other = i + 1 + below(rng, a->row_ptr[r + 1] - i - 1);
        if (how->form == RC_PLAN_CSC) /* the columns differ: one row would be twice in a column */
            return;
        put(g->owned[1], how->col_bytes, g->from[i], a->col_idx[other]);
        g->wrong = GIVEN_TWICE;
        return;
    }
}

/* Likewise of CSC. */
static void spoil_column_twice(rc_rng_t *rng, const given_how_t *how, given_t *g)
{
    const int64_t *ptr64 = g->owned[0];
    const int32_t *ptr32 = g->owned[0];
    for (int64_t tries = 0; tries < 3 * how->cols; tries++) {
        int64_t c = below(rng, how->cols);
        int64_t i = how->ptr_bytes == 4 ? ptr32[c] : ptr64[c];
        int64_t end = how->ptr_bytes == 4 ? ptr32[c + 1] : ptr64[c + 1];
        if (end - i < 2)
            continue;
        const int64_t *wide = g->owned[1];
        const int32_t *narrow = g->owned[1];
        int64_t other = i + 1 + below(rng, end - i - 1);
        put(g->owned[1], how->col_bytes, i, how->col_bytes == 4 ? narrow[other] : wide[other]);
        g->wrong = GIVEN_TWICE;
        return;
    }
}

static void spoil(rc_rng_t *rng, const given_how_t *how, given_t *g)
{
    int64_t minors = how->form == RC_PLAN_CSC ? how->rows : how->cols;
    int64_t times = 1 + below(rng, 3);
    if (how->wrong == GIVEN_RIGHT || g->m.nnz == 0)
        return;
    for (int64_t n = 0; n < times; n++) {
        if (how->wrong == GIVEN_POINTER)
            spoil_pointer(rng, how, g);
        else if (how->wrong == GIVEN_TWICE && how->form == RC_PLAN_CSC)
            spoil_column_twice(rng, how, g);
        else if (how->wrong == GIVEN_TWICE)
            spoil_twice(rng, how, g);
        else {
            put(g->owned[1], how->col_bytes, below(rng, g->m.nnz), no_number(rng, minors, how->col_bytes));
            g->wrong = GIVEN_COLUMN;
        }
    }
}

/* -------------------------------------------------------------------- whole */

given_t given_new(rc_rng_t *rng, const given_how_t *how)
{
    given_t g = {0};
    int64_t widest = how->longest > 2 * how->mean ? how->longest : 2 * how->mean;
    entry_t *e = made((size_t)(how->rows * 2 * how->mean + widest), sizeof *e);
    int64_t nnz = 0;
    for (int64_t r = 0; r < how->rows; r++)
        nnz += fill_row(rng, how, r, e + nnz);
    arrange(rng, how, e, nnz);
    g.a = (rc_csr_t){.rows = how->rows, .cols = how->cols, .nnz = nnz};
    g.m = (rc_plan_matrix_t){.rows = how->rows,
        .cols = how->cols,
        .nnz = nnz,
        .row_ptr_bytes = how->ptr_bytes,
        .precision = how->type,
        .col_idx_bytes = how->col_bytes == 4 && below(rng, 2) ? 0 : how->col_bytes,
        .form = how->form};
    put_arrays(how, e, &g);
    put_expected(e, &g);
    free(e);
    spoil(rng, how, &g);
    g.m.row_ptr = g.owned[0];
    g.m.col_idx = g.owned[1];
    g.m.val = g.owned[2];
    return g;
}

void given_free(given_t *g)
{
    for (int i = 0; i < 3; i++)
        free(g->owned[i]);
    rc_csr_free(&g->a);
    free(g->from);
}

/* ------------------------------------------------------------------ product */

double given_value(rc_rng_t *rng)
{
    return (double)(below(rng, 17) - 8) / 8;
}

void given_values(rc_rng_t *rng, given_t *g)
{
    const rc_type_t *type = rc_type(g->m.precision);
    for (int64_t i = 0; i < g->m.nnz * type->parts; i++)
        rc_type(type->part)->store(g->owned[2], i, given_value(rng));
}

void given_multiply(const given_t *g, int64_t k, const double *b, double *c)
{
    for (int64_t r = 0; r < g->a.rows; r++)
        for (int64_t j = 0; j < k; j++) {
            double sum = 0;
            for (int64_t i = g->a.row_ptr[r]; i < g->a.row_ptr[r + 1]; i++)
                sum += rc_type(g->m.precision)->load(g->owned[2], g->from[i]) * b[g->a.col_idx[i] * k + j];
            c[r * k + j] = sum;
        }
}
