/* A matrix as an application has it, checked and copied. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "format/given.h"
#include "plan/plan_private.h"
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ arrays */

/* The arrays of a matrix on the host. */
typedef struct arrays {
    const void *ptr;
    const void *col;
    int col_bytes;
    void *owned[2]; /* copies of those that are on the device */
} arrays_t;

static rc_status_t bring(
    rc_executor_t *x, const void *from, size_t bytes, const char *what, void **owned, rc_err_t *err)
{
    *owned = rc_alloc(bytes, 1, what, err);
    RC_PASS(*owned ? RC_OK : RC_ENOMEM);
    return bytes > 0 ? x->download(x, *owned, from, bytes, err) : RC_OK;
}

static rc_status_t bring_arrays(
    rc_executor_t *x, const rc_plan_matrix_t *m, arrays_t *out, rc_err_t *err)
{
    int64_t pointers = m->form == RC_PLAN_COO ? m->nnz : rc_given_majors(m) + 1;
    *out = (arrays_t){.ptr = m->row_ptr, .col = m->col_idx, .col_bytes = rc_given_col_bytes(m)};
    if (!m->on_device)
        return RC_OK;
    RC_PASS(bring(x, m->row_ptr, (size_t)pointers * (size_t)m->row_ptr_bytes, "row pointers",
        &out->owned[0], err));
    RC_PASS(bring(
        x, m->col_idx, (size_t)m->nnz * (size_t)out->col_bytes, "columns", &out->owned[1], err));
    out->ptr = out->owned[0];
    out->col = out->owned[1];
    return RC_OK;
}

static void free_arrays(arrays_t *in)
{
    free(in->owned[0]);
    free(in->owned[1]);
}

/* ------------------------------------------------------------------ checks */

/* \param[out] to  [rows + 1], of CSC [cols + 1] */
static rc_status_t copy_pointers(
    const rc_plan_matrix_t *m, const arrays_t *in, int64_t *to, rc_err_t *err)
{
    for (int64_t r = 0; r <= rc_given_majors(m); r++) {
        int64_t p = rc_place_at(in->ptr, m->row_ptr_bytes, r);
        int64_t before = r > 0 ? to[r - 1] : 0;
        if (!rc_given_follows(r, rc_given_majors(m), m->nnz, before, p))
            return rc_given_no_pointer(m, r, before, p, err);
        to[r] = p;
    }
    return RC_OK;
}

/* Copy numbers from 0 to below `end`.  \return the first that is none, or n */
static int64_t copy_numbers(
    const void *from, int bytes, int64_t first, int64_t n, int64_t end, int32_t *to)
{
    for (int64_t i = first; i < n; i++) {
        int64_t x = rc_place_at(from, bytes, i);
        if (x < 0 || x >= end)
            return i;
        to[i] = (int32_t)x;
    }
    return n;
}

static rc_status_t take_csr(
    const rc_plan_matrix_t *m, const arrays_t *in, int threads, rc_csr_t *a, rc_err_t *err)
{
    int64_t bad = a->rows;
    RC_PASS(copy_pointers(m, in, a->row_ptr, err));
#pragma omp parallel for num_threads(threads) schedule(static) reduction(min : bad)
    for (int64_t r = 0; r < a->rows; r++)
        if (r < bad && copy_numbers(in->col, in->col_bytes, a->row_ptr[r], a->row_ptr[r + 1],
                           a->cols, a->col_idx) < a->row_ptr[r + 1])
            bad = r;
    if (bad == a->rows)
        return RC_OK;
    int64_t i = copy_numbers(
        in->col, in->col_bytes, a->row_ptr[bad], a->row_ptr[bad + 1], a->cols, a->col_idx);
    return rc_given_no_column(m, bad, rc_place_at(in->col, in->col_bytes, i), err);
}

/* ----------------------------------------------------------------- other forms */

/* The column of each entry of CSC. */
static rc_status_t take_pointers(
    const rc_plan_matrix_t *m, const arrays_t *in, int32_t *major, rc_err_t *err)
{
    int64_t *ptr = rc_alloc((size_t)m->cols + 1, sizeof *ptr, "column pointers", err);
    RC_PASS(ptr ? RC_OK : RC_ENOMEM);
    rc_status_t st = copy_pointers(m, in, ptr, err);
    for (int64_t c = 0; st == RC_OK && c < m->cols; c++)
        for (int64_t i = ptr[c]; i < ptr[c + 1]; i++)
            major[i] = (int32_t)c;
    free(ptr);
    return st;
}

/* What is known of an entry by its pointers or rows, and its other number. */
static rc_status_t take_numbers(
    const rc_plan_matrix_t *m, const arrays_t *in, int32_t *major, int32_t *minor, rc_err_t *err)
{
    int64_t bad = m->nnz;
    if (m->form == RC_PLAN_CSC)
        RC_PASS(take_pointers(m, in, major, err));
    else
        bad = copy_numbers(in->ptr, m->row_ptr_bytes, 0, m->nnz, m->rows, major);
    if (bad < m->nnz)
        return rc_given_no_row(m, bad, rc_place_at(in->ptr, m->row_ptr_bytes, bad), err);
    bad = copy_numbers(in->col, in->col_bytes, 0, m->nnz, rc_given_minors(m), minor);
    if (bad < m->nnz)
        return rc_given_no_column(m, m->form == RC_PLAN_CSC ? major[bad] : bad,
            rc_place_at(in->col, in->col_bytes, bad), err);
    return RC_OK;
}

/* Entries row by row, those of a row in their order.
 * \param[out] from  [nnz]  \return 1: entries have moved */
static int put_by_rows(const int32_t *row, const int32_t *col, rc_csr_t *a, int64_t *from)
{
    int moved = 0;
    memset(a->row_ptr, 0, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
    for (int64_t i = 0; i < a->nnz; i++)
        a->row_ptr[row[i] + 1]++;
    for (int64_t r = 0; r < a->rows; r++)
        a->row_ptr[r + 1] += a->row_ptr[r];
    for (int64_t i = 0; i < a->nnz; i++) {
        int64_t at = a->row_ptr[row[i]]++;
        a->col_idx[at] = col[i];
        from[at] = i;
        moved |= at != i;
    }
    for (int64_t r = a->rows; r > 0; r--) /* each is where the next row begins */
        a->row_ptr[r] = a->row_ptr[r - 1];
    a->row_ptr[0] = 0;
    return moved;
}

/* CSC and COO.  \param[out] from  as of rc_plan_matrix_read */
static rc_status_t take_entries(
    const rc_plan_matrix_t *m, const arrays_t *in, rc_csr_t *a, int64_t **from, rc_err_t *err)
{
    size_t nnz = (size_t)m->nnz;
    int32_t *major = rc_alloc(nnz, sizeof *major, "numbers of entries", err);
    int32_t *minor = rc_alloc(nnz, sizeof *minor, "numbers of entries", err);
    int by_columns = m->form == RC_PLAN_CSC;
    *from = rc_alloc(nnz, sizeof **from, "the order of the entries", err);
    rc_status_t st = major && minor && *from ? take_numbers(m, in, major, minor, err) : RC_ENOMEM;
    if (st < 0 || !put_by_rows(by_columns ? minor : major, by_columns ? major : minor, a, *from)) {
        free(*from);
        *from = NULL;
    }
    free(major);
    free(minor);
    return st;
}

/* --------------------------------------------------------------------- rows */

typedef struct place {
    int32_t col;
    int64_t from;
} place_t;

static int by_column(const void *a, const void *b)
{
    const place_t *x = a;
    const place_t *y = b;
    return x->col != y->col ? (x->col > y->col) - (x->col < y->col)
                            : (x->from > y->from) - (x->from < y->from);
}

static int is_sorted(const rc_csr_t *a, int64_t r)
{
    for (int64_t i = a->row_ptr[r] + 1; i < a->row_ptr[r + 1]; i++)
        if (a->col_idx[i] <= a->col_idx[i - 1])
            return 0;
    return 1;
}

static int all_sorted(const rc_csr_t *a, int threads)
{
    int all = 1;
#pragma omp parallel for num_threads(threads) schedule(static) reduction(& : all)
    for (int64_t r = 0; r < a->rows; r++)
        all &= is_sorted(a, r);
    return all;
}

/* Sort a row, and with it where its entries come from. */
static rc_status_t sort_row(rc_csr_t *a, int64_t r, int64_t *from, place_t *place, rc_err_t *err)
{
    int64_t begin = a->row_ptr[r];
    int64_t n = a->row_ptr[r + 1] - begin;
    for (int64_t i = 0; i < n; i++)
        place[i] = (place_t){a->col_idx[begin + i], from[begin + i]};
    qsort(place, (size_t)n, sizeof *place, by_column);
    for (int64_t i = 0; i < n; i++) {
        if (i > 0 && place[i].col == place[i - 1].col)
            return rc_given_twice(r, place[i].col, err);
        a->col_idx[begin + i] = place[i].col;
        from[begin + i] = place[i].from;
    }
    return RC_OK;
}

/* \param[in,out] from  [nnz] where every entry comes from; NULL: from its own place */
static rc_status_t sort_rows(rc_csr_t *a, int64_t **from, rc_err_t *err)
{
    int64_t longest = 0;
    rc_status_t st = RC_OK;
    for (int64_t r = 0; r < a->rows; r++)
        if (a->row_ptr[r + 1] - a->row_ptr[r] > longest)
            longest = a->row_ptr[r + 1] - a->row_ptr[r];
    place_t *place = rc_alloc((size_t)longest, sizeof *place, "a row", err); /* the longest */
    RC_PASS(place ? RC_OK : RC_ENOMEM);
    if (!*from) {
        *from = rc_alloc((size_t)a->nnz, sizeof **from, "the order of the entries", err);
        st = *from ? RC_OK : RC_ENOMEM;
        for (int64_t i = 0; st == RC_OK && i < a->nnz; i++)
            (*from)[i] = i;
    }
    for (int64_t r = 0; st == RC_OK && r < a->rows; r++)
        if (!is_sorted(a, r))
            st = sort_row(a, r, *from, place, err);
    free(place);
    return st;
}

rc_plan_facts_t rc_plan_facts_of(const rc_csr_t *a)
{
    rc_plan_facts_t f = {0};
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t n = a->row_ptr[i + 1] - a->row_ptr[i];
        f.longest = n > f.longest ? n : f.longest;
        f.empty_rows += n == 0;
    }
    return f;
}

int rc_plan_threads(const rc_executor_t *x, int64_t nnz)
{
    enum { alone = 1 << 18 }; /* below it a team costs more than it brings */
    return nnz < alone || x->threads < 1 ? 1 : x->threads;
}

rc_status_t rc_plan_matrix_alloc(
    int64_t rows, int64_t cols, int64_t nnz, rc_csr_t *out, rc_err_t *err)
{
    *out = (rc_csr_t){.rows = rows, .cols = cols, .nnz = nnz};
    out->row_ptr = rc_alloc((size_t)rows + 1, sizeof *out->row_ptr, "row pointers", err);
    out->col_idx = rc_alloc((size_t)nnz, sizeof *out->col_idx, "columns", err);
    return out->row_ptr && out->col_idx ? RC_OK : RC_ENOMEM; /* the plan frees them */
}

rc_status_t rc_plan_matrix_read(const rc_plan_place_t *place, const rc_plan_matrix_t *m,
    rc_csr_t *out, int64_t **from, rc_err_t *err)
{
    arrays_t in = {0};
    int threads = rc_plan_threads(place->x, m->nnz);
    rc_status_t st;
    *from = NULL;
    RC_PASS(rc_given_check(m, err));
    RC_TRY(rc_plan_matrix_alloc(m->rows, m->cols, m->nnz, out, err));
    RC_TRY(bring_arrays(place->x, m, &in, err));
    RC_TRY(m->form == RC_PLAN_CSR ? take_csr(m, &in, threads, out, err)
                                  : take_entries(m, &in, out, from, err));
    if (!all_sorted(out, threads))
        RC_TRY(sort_rows(out, from, err));
done:
    free_arrays(&in);
    return st;
}

rc_status_t rc_plan_pattern(const rc_csr_t *a, rc_digest_t *out, rc_err_t *err)
{
    int64_t shape[] = {a->rows, a->cols, a->nnz};
    rc_hasher_t *h = rc_hasher_new(err);
    RC_PASS(h ? RC_OK : RC_ENOMEM);
    rc_hasher_add(h, shape, sizeof shape);
    rc_hasher_add(h, a->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
    rc_hasher_add(h, a->col_idx, (size_t)a->nnz * sizeof *a->col_idx);
    *out = rc_hasher_digest(h);
    rc_hasher_free(h);
    return RC_OK;
}
