/* Calls of a system that has its order: matrices, values, vectors. */
#include "config.h"
#include "plan/system.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/type.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

rc_status_t rc_system_give_home(rc_plan_home_t *home, rc_status_t st, rc_system_t **out)
{
    if (st == RC_OK)
        (*out)->home = home;
    else
        home->free(home);
    return st;
}

void rc_system_free(rc_system_t *s)
{
    if (!s)
        return;
    if (s->memory.x)
        (void)rc_memory_free(&s->memory);
    if (s->home)
        s->home->free(s->home);
    free(s);
}

rc_status_t rc_system_info(const rc_system_t *s, rc_system_info_t *out, rc_err_t *err)
{
    if (!s || !out)
        return rc_fail(err, RC_EINVAL, "%s: expected one, found NULL", s ? "info" : "system");
    *out = s->info;
    double saved = s->now_ns - s->now_ns / out->gain;
    double spent = out->order_ns + out->permute_ns;
    out->break_even = out->identity ? 0 : saved > 0 ? spent / saved : saved <= 0 ? INFINITY : NAN;
    return RC_OK;
}

/* A system that is asked for something on a stream. */
static rc_status_t ask(rc_system_t *s, struct CUstream_st *stream, rc_err_t *err)
{
    if (!s)
        return rc_fail(err, RC_EINVAL, "system: expected one, found NULL");
    return s->home ? s->home->use(s->home, stream, err) : RC_OK;
}

/* ------------------------------------------------------------------ matrices */

static rc_status_t check_bytes(const char *what, int bytes, int64_t most, rc_err_t *err)
{
    if (bytes != 4 && bytes != 8)
        return rc_fail(err, RC_EINVAL, "permuted %s: expected 4 or 8 bytes, found %d", what, bytes);
    return bytes == 8 || most <= INT32_MAX
               ? RC_OK
               : rc_fail(err, RC_ERANGE,
                     "permuted %s: expected 8 bytes for numbers of up to %" PRId64, what, most);
}

/* Numbers of a GPU are read and written where they are. */
static rc_status_t check_aligned(const char *what, const void *p, int bytes, rc_err_t *err)
{
    return (uintptr_t)p % (uintptr_t)bytes == 0
               ? RC_OK
               : rc_fail(err, RC_ENOTSUP, "%s: expected an array at a multiple of %d bytes", what,
                     bytes);
}

/* Whether values can become those of a permuted matrix. */
static rc_status_t check_values(const rc_executor_t *x, const void *val, rc_precision_t type,
    const rc_system_matrix_t *to, rc_err_t *err)
{
    if (!to->val && to->nnz > 0)
        return rc_fail(err, RC_EINVAL, "permuted values: expected an array, found NULL");
    RC_PASS(rc_type_check(to->precision, "permuted values", err));
    RC_PASS(rc_type_check(type, "values", err));
    RC_PASS(rc_type_becomes(type, to->precision, "values", err));
    RC_PASS(check_aligned("values", val, rc_executor_aligned(x, type), err));
    return check_aligned("permuted values", to->val, rc_executor_aligned(x, to->precision), err);
}

static rc_status_t check_to(
    const rc_executor_t *x, const rc_plan_matrix_t *a, const rc_system_matrix_t *to, rc_err_t *err)
{
    if (to->nnz != a->nnz)
        return rc_fail(err, RC_EINVAL,
            "permuted matrix: expected %" PRId64 " entries, found %" PRId64, a->nnz, to->nnz);
    if (!to->row_ptr || (!to->col_idx && to->nnz > 0))
        return rc_fail(err, RC_EINVAL, "permuted %s: expected an array, found NULL",
            to->row_ptr ? "columns" : "row pointers");
    RC_PASS(check_bytes("row pointers", to->row_ptr_bytes, to->nnz, err));
    RC_PASS(check_bytes("columns", to->col_idx_bytes, a->cols, err));
    RC_PASS(check_aligned("permuted row pointers", to->row_ptr, to->row_ptr_bytes, err));
    RC_PASS(check_aligned("permuted columns", to->col_idx, to->col_idx_bytes, err));
    if (to->place) {
        RC_PASS(check_bytes("places", to->place_bytes, to->nnz, err));
        RC_PASS(check_aligned("permuted places", to->place, to->place_bytes, err));
    }
    return to->val ? check_values(x, a->val, a->precision, to, err) : RC_OK;
}

static rc_status_t check_matrix(const rc_system_t *s, const rc_plan_matrix_t *a, rc_err_t *err)
{
    int64_t n = s->info.rows;
    if (a->rows != n || a->cols != n)
        return rc_fail(err, RC_EINVAL,
            "matrix: expected %" PRId64 " x %" PRId64 ", found %" PRId64 " x %" PRId64, n, n,
            a->rows, a->cols);
    if (!a->on_device != !s->place.permute)
        return rc_fail(err, RC_EINVAL, "matrix: expected one of %s, where the system is",
            s->place.permute ? "its GPU" : "the host");
    return rc_given_check(a, err);
}

static rc_status_t permute_there(
    const rc_system_t *s, const rc_plan_matrix_t *a, const rc_permuted_t *p, rc_err_t *err)
{
    rc_executor_t *x = s->place.at.x;
    rc_there_t there = {.from = NULL};
    rc_status_t st = s->place.at.read(x, a, &there, err);
    if (st == RC_OK)
        st = s->place.permute(x, &there, p, err);
    rc_there_free(&there);
    return st;
}

static rc_status_t permute_here(
    const rc_system_t *s, const rc_plan_matrix_t *a, const rc_permuted_t *p, rc_err_t *err)
{
    rc_csr_t here = {0};
    int64_t *from = NULL;
    rc_status_t st = rc_plan_matrix_read(&s->place.at, a, &here, &from, err);
    if (st == RC_OK)
        st = rc_permute_host(&here, from, p, rc_plan_threads(s->place.at.x, a->nnz), err);
    rc_csr_free(&here);
    free(from);
    return st;
}

static rc_status_t gather(rc_system_t *s, const void *val, rc_precision_t precision,
    const rc_system_matrix_t *to, rc_err_t *err)
{
    rc_executor_t *x = s->place.at.x;
    const rc_gather_t g = {.to = to->val,
        .to_type = to->precision,
        .place = to->place,
        .place_bytes = to->place_bytes,
        .count = to->nnz,
        .from = val,
        .from_type = precision};
    return to->nnz > 0 ? x->gather(x, &g, err) : RC_OK;
}

/* \param[in] a  its values are there where they are wanted */
static rc_status_t permute(
    rc_system_t *s, const rc_plan_matrix_t *a, const rc_system_matrix_t *to, rc_err_t *err)
{
    rc_executor_t *x = s->place.at.x;
    rc_permuted_t p = {.rows = s->info.rows, .row = s->row, .slot = s->slot, .to = *to};
    const rc_plan_matrix_t pattern = rc_system_pattern(a);
    void *own = NULL;
    rc_status_t st;
    if (!to->place) {
        p.to.place_bytes = to->nnz < INT32_MAX ? 4 : 8;
        RC_TRY(x->alloc(x, (size_t)to->nnz * (size_t)p.to.place_bytes, &own, err));
        p.to.place = own;
    }
    RC_TRY(s->place.permute ? permute_there(s, &pattern, &p, err)
                            : permute_here(s, &pattern, &p, err));
    if (to->val)
        RC_TRY(gather(s, a->val, a->precision, &p.to, err));
    st = x->wait(x, err);
done:
    x->release(x, own);
    return st;
}

rc_status_t rc_system_permute(rc_system_t *s, const rc_plan_matrix_t *a,
    const rc_system_matrix_t *to, struct CUstream_st *stream, rc_err_t *err)
{
    if (!a || !to)
        return rc_fail(
            err, RC_EINVAL, "%s: expected one, found NULL", a ? "permuted matrix" : "matrix");
    int64_t start = rc_clock_ns();
    if (s && s->place.waits)
        RC_PASS(s->place.waits(stream, err));
    RC_PASS(ask(s, stream, err));
    const rc_plan_matrix_t wanted = to->val ? *a : rc_system_pattern(a);
    RC_PASS(check_matrix(s, &wanted, err));
    RC_PASS(check_to(s->place.at.x, a, to, err));
    RC_PASS(permute(s, a, to, err));
    s->info.permute_ns = (double)(rc_clock_ns() - start);
    return RC_OK;
}

rc_status_t rc_system_values(rc_system_t *s, const void *val, rc_precision_t precision,
    const rc_system_matrix_t *to, struct CUstream_st *stream, rc_err_t *err)
{
    if (!to || (to->nnz > 0 && (!val || !to->place)))
        return rc_fail(err, RC_EINVAL, "%s: expected an array, found NULL",
            !to    ? "permuted matrix"
            : !val ? "values"
                   : "places");
    if (to->nnz < 0)
        return rc_fail(err, RC_EINVAL,
            "permuted matrix: expected at least 0 entries, found %" PRId64, to->nnz);
    RC_PASS(ask(s, stream, err));
    RC_PASS(check_values(s->place.at.x, val, precision, to, err));
    RC_PASS(check_bytes("places", to->nnz > 0 ? to->place_bytes : 8, to->nnz, err));
    if (to->nnz > 0)
        RC_PASS(check_aligned("permuted places", to->place, to->place_bytes, err));
    return gather(s, val, precision, to, err);
}

/* ------------------------------------------------------------------- vectors */

static rc_dense_t dense_of(const rc_system_t *s, const rc_system_block_t *b, const void *data,
    int64_t ld, rc_layout_t layout)
{
    int64_t least = layout == RC_ROW_MAJOR ? b->k : s->info.rows;
    return (rc_dense_t){.data = (void *)data,
        .rows = s->info.rows,
        .cols = b->k,
        .ld = ld == 0 || (layout == RC_COL_MAJOR && b->k == 1) ? least : ld,
        .precision = b->precision,
        .layout = layout};
}

/* \param[out] step  values from a row to the next, and from a column to the next */
static void steps_of(const rc_dense_t *m, int64_t step[2])
{
    step[0] = m->layout == RC_ROW_MAJOR ? m->ld : 1;
    step[1] = m->layout == RC_ROW_MAJOR ? 1 : m->ld;
    if (m->ld == 1 && m->cols == 1) /* a vector: its rows are side by side */
        step[1] = m->rows;
}

/* \param[in] row  of `from`, by the row of `to` */
static rc_status_t take(
    rc_system_t *s, const rc_system_block_t *b, const int32_t *row, rc_err_t *err)
{
    rc_executor_t *x = s->place.at.x;
    const rc_dense_t from = dense_of(s, b, b->from, b->ld_from, rc_layout_in(b->layout));
    const rc_dense_t to = dense_of(s, b, b->to, b->ld_to, rc_layout_out(b->layout));
    rc_take_t t = {.to = to.data,
        .from = from.data,
        .row = row,
        .rows = to.rows,
        .cols = to.cols,
        .type = b->precision};
    RC_PASS(rc_plan_dense_check(x, &from, "from", err));
    RC_PASS(rc_plan_dense_check(x, &to, "to", err));
    if (rc_plan_dense_overlap(&from, &to))
        return rc_fail(err, RC_EINVAL, "from and to: expected memory apart, found an overlap");
    steps_of(&from, t.from_step);
    steps_of(&to, t.to_step);
    return t.rows > 0 && t.cols > 0 ? x->take(x, &t, err) : RC_OK;
}

static rc_status_t check_block(const rc_system_block_t *b, rc_err_t *err)
{
    if (!b)
        return rc_fail(err, RC_EINVAL, "block: expected one, found NULL");
    if (b->k < 0)
        return rc_fail(err, RC_EINVAL, "k: expected at least 0 columns, found %" PRId64, b->k);
    if ((unsigned)b->layout >= RC_LAYOUTS)
        return rc_fail(
            err, RC_EINVAL, "layout: expected 0 to %d, found %d", RC_LAYOUTS - 1, (int)b->layout);
    return rc_type_check(b->precision, "block", err);
}

rc_status_t rc_system_to(
    rc_system_t *s, const rc_system_block_t *x, struct CUstream_st *stream, rc_err_t *err)
{
    RC_PASS(ask(s, stream, err));
    RC_PASS(check_block(x, err));
    return take(s, x, s->row, err);
}

rc_status_t rc_system_back(
    rc_system_t *s, const rc_system_block_t *x, struct CUstream_st *stream, rc_err_t *err)
{
    RC_PASS(ask(s, stream, err));
    RC_PASS(check_block(x, err));
    return take(s, x, s->slot, err);
}
