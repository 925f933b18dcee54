/* One order for rows, columns and vectors: built where the matrix is, where that can, else on the
 * host. */
#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/type.h"
#include "order/sample.h"
#include "plan/system.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* What an order is built from. */
typedef struct building {
    rc_system_t *s;
    rc_plan_matrix_t m; /* the pattern */
    rc_csr_t sizes;
    rc_policy_spec_t spec;
    char text[RC_POLICY_TEXT];
} building_t;

rc_plan_options_t rc_system_as_plan(const rc_system_options_t *options)
{
    rc_plan_options_t o = {0};
    if (options) {
        o.threads = options->threads;
        o.allocator = options->allocator;
    }
    return o;
}

/* Who reads a matrix wants values to be there, and does not look at them. */
rc_plan_matrix_t rc_system_pattern(const rc_plan_matrix_t *a)
{
    rc_plan_matrix_t m = *a;
    m.val = a->col_idx;
    m.precision = (rc_precision_t)0;
    return m;
}

/* ------------------------------------------------------------------- options */

static rc_status_t set_order(building_t *b, const char *name, rc_err_t *err)
{
    RC_PASS(rc_policy_spec_parse(name ? name : "auto", &b->spec, err));
    rc_policy_spec_text(&b->spec, b->text);
    const rc_policy_t *p = b->spec.policy;
    return p->needs_geometry || p->rows_only
               ? rc_fail(err, RC_ENOTSUP,
                     "order %s: of rows alone; a system takes one of rows and columns, such as "
                     "auto, multilevel, rcm or bandk",
                     p->name)
               : RC_OK;
}

static rc_status_t set_product(building_t *b, const rc_system_options_t *o, rc_err_t *err)
{
    const rc_plan_place_t *at = &b->s->place.at;
    if (o->k < 0)
        return rc_fail(err, RC_EINVAL, "k: expected at least 0 columns, found %" PRId64, o->k);
    RC_PASS(rc_type_check(o->precision, "precision", err));
    b->s->product = (rc_guess_problem_t){.op = o->k > 0 ? RC_OP_SPMM : RC_OP_SPMV,
        .layout = RC_ROW_MAJOR,
        .value_bytes = rc_type(o->precision)->bytes,
        .k = o->k > 0 ? o->k : 1,
        .rows = b->m.rows,
        .cols = b->m.cols,
        .nnz = b->m.nnz,
        .cache_bytes = at->cache_bytes,
        .multiprocessors = at->multiprocessors};
    return RC_OK;
}

static rc_status_t begin(
    building_t *b, const rc_plan_matrix_t *a, const rc_system_options_t *options, rc_err_t *err)
{
    static const rc_system_options_t by_default = {0};
    const rc_system_options_t *o = options ? options : &by_default;
    if (a->rows != a->cols)
        return rc_fail(err, RC_EINVAL,
            "matrix: expected a square one, found %" PRId64 " x %" PRId64, a->rows, a->cols);
    b->m = rc_system_pattern(a);
    b->sizes = (rc_csr_t){.rows = a->rows, .cols = a->cols, .nnz = a->nnz};
    RC_PASS(rc_given_check(&b->m, err));
    RC_PASS(set_order(b, o->order, err));
    return set_product(b, o, err);
}

static rc_status_t make_room(building_t *b, rc_err_t *err)
{
    rc_system_t *s = b->s;
    const size_t bytes = (size_t)b->m.rows * sizeof *s->row;
    void *to = NULL;
    s->memory.x = s->place.at.x;
    RC_PASS(rc_memory_room(&s->memory, bytes, &to, err));
    s->row = to;
    RC_PASS(rc_memory_room(&s->memory, bytes, &to, err));
    s->slot = to;
    return RC_OK;
}

/* --------------------------------------------------------------------- there */

/* \return RC_ENOTSUP, RC_ENOMEM: the host has to */
static rc_status_t build_there(building_t *b, rc_err_t *err)
{
    rc_system_t *s = b->s;
    const rc_system_place_t *place = &s->place;
    rc_executor_t *x = place->at.x;
    rc_resident_rows_t rows = {.row = s->row};
    rc_there_t there = {.from = NULL};
    rc_status_t st;
    if (!b->m.on_device || !place->at.order || !place->at.read ||
        place->at.order(x, b->text, &b->sizes, NULL, NULL, err) < 0)
        return RC_ENOTSUP;
    RC_TRY(place->at.read(x, &b->m, &there, err));
    RC_TRY(place->at.order(x, b->text, &b->sizes, &there.m, &rows, err));
    RC_TRY(place->invert(x, s->row, b->m.rows, s->slot, err));
    RC_TRY(place->runs(x, &b->sizes, &there.m, s->row, s->runs, err));
    s->info.identity = rows.identity;
done:
    rc_there_free(&there);
    return st;
}

/* ---------------------------------------------------------------------- here */

/* A row in every slot.  \param[out] identity  1: its own */
static rc_status_t invert(
    const building_t *b, const rc_schedule_t *order, int32_t *slot, int *identity, rc_err_t *err)
{
    int64_t rows = 0;
    *identity = 1;
    for (int64_t p = 0; p < order->slots; p++) {
        int32_t row = order->row[p];
        if (row < 0)
            continue;
        slot[row] = (int32_t)p;
        *identity &= row == p;
        rows++;
    }
    return rows == b->m.rows && order->slots == rows
               ? RC_OK
               : rc_fail(err, RC_ENOTSUP,
                     "order %s: expected a slot for each of %" PRId64 " rows, found %" PRId64
                     " slots with %" PRId64,
                     b->text, b->m.rows, order->slots, rows);
}

static rc_status_t put(building_t *b, const rc_schedule_t *order, rc_err_t *err)
{
    rc_system_t *s = b->s;
    rc_executor_t *x = s->place.at.x;
    const size_t bytes = (size_t)b->m.rows * sizeof *s->row;
    int32_t *slot = rc_alloc((size_t)b->m.rows, sizeof *slot, "an order", err);
    RC_PASS(slot ? RC_OK : RC_ENOMEM);
    rc_status_t st = invert(b, order, slot, &s->info.identity, err);
    if (st == RC_OK && bytes > 0)
        st = x->upload(x, s->row, order->row, bytes, err);
    if (st == RC_OK && bytes > 0)
        st = x->upload(x, s->slot, slot, bytes, err);
    free(slot);
    return st;
}

static rc_status_t build_here(building_t *b, rc_err_t *err)
{
    rc_system_t *s = b->s;
    rc_csr_t a = {0};
    int64_t *from = NULL;
    rc_schedule_t order = {0};
    int threads = s->place.at.x->threads;
    rc_status_t st;
    RC_TRY(rc_plan_matrix_read(&s->place.at, &b->m, &a, &from, err));
    RC_TRY(rc_policy_build(&b->spec, &a, NULL, threads, NULL, &order, err));
    RC_TRY(put(b, &order, err));
    if (s->product.multiprocessors > 0) { /* else nothing is predicted */
        rc_sample_runs(&a, NULL, threads, &s->runs[0]);
        rc_sample_runs(&a, order.row, threads, &s->runs[1]);
    }
done:
    rc_schedule_free(&order);
    rc_csr_free(&a);
    free(from);
    return st;
}

/* --------------------------------------------------------------------- gains */

static double expected_ns(const rc_system_t *s, const rc_sharing_t *runs)
{
    return runs->distinct > 0
               ? rc_guess_shared(&s->product, (double)runs->entries / (double)runs->distinct)
               : NAN;
}

static void predict(rc_system_t *s)
{
    s->now_ns = expected_ns(s, &s->runs[0]);
    s->info.gain = s->info.identity ? 1 : s->now_ns / expected_ns(s, &s->runs[1]);
}

rc_status_t rc_system_new(const rc_system_place_t *place, const rc_plan_matrix_t *a,
    const rc_system_options_t *options, rc_system_t **out, rc_err_t *err)
{
    rc_err_t why = {0};
    int64_t start = rc_clock_ns();
    rc_status_t st;
    building_t b = {.s = rc_alloc0(1, sizeof *b.s, "a system", err)};
    *out = NULL;
    RC_PASS(b.s ? RC_OK : RC_ENOMEM);
    b.s->place = *place;
    RC_TRY(begin(&b, a, options, err));
    RC_TRY(make_room(&b, err));
    st = build_there(&b, &why);
    if (st == RC_ENOTSUP || st == RC_ENOMEM)
        RC_TRY(build_here(&b, err));
    else if (st < 0)
        RC_TRY(rc_fail(err, st, "%s", why.text));
    RC_TRY(place->at.x->wait(place->at.x, err));
    predict(b.s);
    (void)snprintf(b.s->info.order, sizeof b.s->info.order, "%.*s", RC_PLAN_ORDER_MAX - 1, b.text);
    b.s->info.rows = a->rows;
    b.s->info.row = b.s->row;
    b.s->info.slot = b.s->slot;
    b.s->info.order_ns = (double)(rc_clock_ns() - start);
    *out = b.s;
    return RC_OK;
done:
    rc_system_free(b.s);
    return st;
}
