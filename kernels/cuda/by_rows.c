#include "config.h"
#include "kernels/cuda/by_rows.h"
#include "base/error.h"
#include "device/cuda/overlap.h"
#include "device/cuda/ranges.h"

#include <limits.h>

enum {
    LOAD_BYTES = 16, /* of a row of the copies, or a multiple */
    COLUMNS = 32     /* whose multiples strips are */
};
static const int64_t ROOM_BYTES = (int64_t)1 << 31; /* for copies of wide operands */

const char *const rc_by_rows_choices[] = {"auto", "32", "128", NULL};
static const int64_t columns_of[] = {0, 32, 128};

static const rc_kernel_t *product_of(const rc_problem_t *p)
{
    return p->kernel->kind;
}

/* What stands behind the state of the kernel of rows. */
static rc_by_rows_t *own_of(void *state)
{
    const rc_prepared_t *s = state;
    return (void *)((unsigned char *)state + product_of(&s->p)->state_bytes);
}

static int is_turned_in(const rc_problem_t *p)
{
    return rc_layout_in(p->kernel->layout) == RC_COL_MAJOR;
}

static int is_turned_out(const rc_problem_t *p)
{
    return rc_layout_out(p->kernel->layout) == RC_COL_MAJOR;
}

/* Columns at most that fill up 16 bytes. */
static int64_t spare_of(const rc_problem_t *p)
{
    return LOAD_BYTES / (int64_t)rc_precision_bytes(p->precision) - 1;
}

/* ---------------------------------------------------------------- analysis */

static int64_t in_bytes(const rc_problem_t *p)
{
    const rc_shape_t *in = &rc_operation_of(p->kernel->op)->in[0];
    int64_t rows = is_turned_in(p) ? rc_shape_rows(in, p->a) : 0;
    return rc_sat_mul(rows, (int64_t)rc_precision_bytes(p->precision));
}

static int64_t out_bytes(const rc_problem_t *p)
{
    int64_t rows = is_turned_out(p) ? p->c_rows : 0;
    return rc_sat_mul(rows, (int64_t)rc_precision_bytes(rc_type_out(p->precision, p->out_sums)));
}

static int64_t most_columns(const rc_problem_t *p)
{
    int64_t asked = columns_of[p->param[rc_params_count(product_of(p)->param)]];
    int64_t column = rc_sat_add(in_bytes(p), out_bytes(p));
    int64_t room = column > 0 ? ROOM_BYTES / column / COLUMNS * COLUMNS : INT32_MAX;
    if (asked > 0)
        return asked;
    return room > COLUMNS ? room : COLUMNS;
}

rc_status_t rc_by_rows_analyse(const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    rc_problem_t asked = *p;
    int64_t column = rc_sat_add(in_bytes(p), out_bytes(p));
    asked.kernel = product_of(p);
    RC_PASS(asked.kernel->analyse(&asked, out, err));
    out->bytes_per_column = rc_sat_add(out->bytes_per_column, column);
    out->bytes = rc_sat_add(out->bytes, rc_sat_mul(spare_of(p), out->bytes_per_column));
    out->columns = most_columns(p);
    out->traffic_per_column = rc_sat_mul(2, column);
    return RC_OK;
}

/* ----------------------------------------------------------------- prepare */

rc_status_t rc_by_rows_build(
    void *state, const rc_problem_t *p, const rc_analysis_t *analysis, rc_err_t *err)
{
    rc_problem_t asked = *p;
    asked.kernel = product_of(p);
    return asked.kernel->build(state, &asked, analysis, err);
}

/* What is stored for a pad of the order means nothing, but is copied. */
static rc_status_t keep(rc_prepared_t *s, int64_t columns, int64_t bytes, void **out, rc_err_t *err)
{
    size_t all = (size_t)rc_sat_mul(columns, bytes);
    return s->p.c_order == RC_C_ORIGINAL ? rc_memory_room(&s->memory, all, out, err)
                                         : rc_memory_keep(&s->memory, NULL, all, out, err);
}

rc_status_t rc_by_rows_own(void *state, rc_err_t *err)
{
    rc_prepared_t *s = state;
    rc_by_rows_t *w = own_of(state);
    const rc_kernel_t *product = product_of(&s->p);
    int64_t k = s->p.k;
    int64_t most = most_columns(&s->p);
    w->most = most < k ? most : k;
    int64_t columns = w->most + spare_of(&s->p);
    s->p.k = columns;
    rc_status_t st = product->own ? product->own(state, err) : RC_OK;
    s->p.k = k;
    RC_PASS(st);
    RC_PASS(keep(s, columns, in_bytes(&s->p), &w->in, err));
    return keep(s, columns, out_bytes(&s->p), &w->out, err);
}

/* Values of a row of the copies. */
static int64_t width_of(const rc_problem_t *p, int64_t columns)
{
    int64_t values = spare_of(p) + 1;
    return rc_ceil_div(columns, values) * values;
}

/* Columns that the product has: those that fill up 16 bytes among them, for wide loads, where
 * nobody sees them. */
static int64_t taken_of(const rc_problem_t *p, int64_t columns)
{
    return is_turned_in(p) && is_turned_out(p) ? width_of(p, columns) : columns;
}

/* Strips are about equal. */
rc_status_t rc_by_rows_fit(void *state, int64_t k, rc_err_t *err)
{
    rc_prepared_t *s = state;
    rc_by_rows_t *w = own_of(state);
    int64_t each = rc_ceil_div(k, rc_ceil_div(k, w->most));
    w->strip = k <= w->most ? k : rc_ceil_div(each, COLUMNS) * COLUMNS;
    w->taken = taken_of(&s->p, w->strip);
    RC_PASS(product_of(&s->p)->fit(state, w->taken, err));
    s->p.k = k;
    return RC_OK;
}

/* --------------------------------------------------------------------- run */

/* n columns of a matrix from one on. */
static rc_dense_t strip_of(const rc_dense_t *m, int turned, int64_t first, int64_t n)
{
    rc_dense_t part = *m;
    int64_t step = turned ? m->ld : 1;
    part.data =
        (unsigned char *)m->data + (size_t)(first * step) * rc_precision_bytes(m->precision);
    part.cols = n;
    return part;
}

/* Columns into rows of a copy, or with beta those into columns. */
static rc_status_t turn(const rc_prepared_t *s, const rc_dense_t *columns, const rc_dense_t *rows,
    const double beta[2], rc_err_t *err)
{
    rc_by_rows_copy_t a = {.columns = columns->data,
        .rows = rows->data,
        .ld = columns->ld,
        .height = columns->rows,
        .count = (int32_t)columns->cols,
        .width = (int32_t)rows->ld,
        .seen = (int32_t)(beta ? columns->cols : rows->ld)};
    int log = RC_BY_ROWS_LOG_MIN;
    while (log < RC_BY_ROWS_LOG_MAX && 1 << log < a.seen)
        log++;
    int64_t height =
        RC_BY_ROWS_BYTES / (int64_t)rc_sum_bytes(rows->precision) >> log; /* of a tile */
    a.across = (int32_t)rc_ceil_div(a.seen, 1 << log);
    a.tiles = rc_ceil_div(a.height, height) * a.across;
    if (beta) {
        const rc_operands_t copy = {.in = {*rows}, .out = *columns, .beta_im = beta[1]};
        a.scalars = rc_cuda_scalars(&copy, 1, beta[0]);
    }
    const rc_cuda_launch_t l = {.entry = rc_by_rows_entry(rows->precision, log, !beta),
        .ctas = (unsigned)(a.tiles < INT_MAX ? a.tiles : INT_MAX),
        .rows = 1,
        .threads = RC_BY_ROWS_THREADS};
    return rc_cuda_launch_overlapping(s->memory.x, &l, &a, "launch of a copy by rows", err);
}

/* Rows of a copy in the place of columns. */
static rc_dense_t rows_for(const rc_problem_t *p, const rc_dense_t *m, void *rows)
{
    rc_dense_t copy = *m;
    copy.data = rows;
    copy.layout = RC_ROW_MAJOR;
    copy.ld = width_of(p, m->cols);
    copy.cols = taken_of(p, m->cols);
    return copy;
}

/* The product of a strip, by launches for so many columns; the last one may have fewer. */
static rc_status_t multiply(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    rc_prepared_t *s = state;
    rc_by_rows_t *w = own_of(state);
    const int64_t k = s->p.k;
    if (o->in[0].cols != w->taken) {
        w->taken = 0; /* what there is fits none, if it fails */
        rc_status_t st = product_of(&s->p)->fit(state, o->in[0].cols, err);
        s->p.k = k;
        RC_PASS(st);
        w->taken = o->in[0].cols;
    }
    return product_of(&s->p)->run(state, o, alpha, beta, err);
}

static rc_status_t run_strip(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_prepared_t *s = state;
    const rc_by_rows_t *w = own_of(state);
    const rc_problem_t *p = &s->p;
    rc_operands_t by_rows = *o;
    if (is_turned_in(p)) {
        by_rows.in[0] = rows_for(p, &o->in[0], w->in);
        RC_PASS(turn(s, &o->in[0], &by_rows.in[0], NULL, err));
    }
    if (!is_turned_out(p))
        return multiply(state, &by_rows, alpha, beta, err);
    by_rows.out = rows_for(p, &o->out, w->out);
    by_rows.beta_im = 0;
    RC_PASS(multiply(state, &by_rows, alpha, 0, err));
    return turn(s, &o->out, &by_rows.out, (const double[]){beta, o->beta_im}, err);
}

rc_status_t rc_by_rows_run(
    void *state, const rc_operands_t *o, double alpha, double beta, rc_err_t *err)
{
    const rc_prepared_t *s = state;
    int64_t strip = own_of(state)->strip;
    int64_t k = o->out.cols;
    rc_status_t st = RC_OK;
    for (int64_t first = 0; st == RC_OK && first < k; first += strip) {
        int64_t n = k - first < strip ? k - first : strip;
        rc_operands_t part = *o;
        part.in[0] = strip_of(&o->in[0], is_turned_in(&s->p), first, n);
        part.out = strip_of(&o->out, is_turned_out(&s->p), first, n);
        st = run_strip(state, &part, alpha, beta, err);
    }
    return st;
}
