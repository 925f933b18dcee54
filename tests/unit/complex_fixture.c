#include "config.h"
#include "unit.h"

#include "base/type.h"
#include "complex_fixture.h"
#include "operation/operand.h"

#include <math.h>
#include <string.h>

operands_t now;

static rc_precision_t part_of(rc_precision_t type)
{
    return rc_type(type)->part;
}

number_t number_get(rc_precision_t type, const void *from, int64_t i)
{
    const int parts = rc_type(type)->parts;
    number_t x = {{rc_type(part_of(type))->load(from, i * parts), 0}};
    if (parts > 1)
        x.part[1] = rc_type(part_of(type))->load(from, i * parts + 1);
    return x;
}

void number_put(rc_precision_t type, void *to, int64_t i, number_t x)
{
    const int parts = rc_type(type)->parts;
    for (int q = 0; q < parts; q++)
        rc_type(part_of(type))->store(to, i * parts + q, x.part[q]);
}

int64_t below(rc_rng_t *rng, int64_t bound)
{
    return (int64_t)rc_rng_below(rng, (uint64_t)bound);
}

number_t random_number(rc_rng_t *rng, rc_precision_t type)
{
    const rc_type_t *part = rc_type(part_of(type));
    number_t x = {{part->round(2 * rc_rng_unit(rng) - 1), 0}};
    if (rc_type(type)->parts > 1)
        x.part[1] = part->round(2 * rc_rng_unit(rng) - 1);
    return x;
}

/* The entry of a row with that column; -1: there is none. */
static int64_t entry_at(const input_t *in, int64_t r, int32_t c)
{
    for (int64_t e = in->ptr[r]; e < in->ptr[r + 1]; e++)
        if (in->col[e] == c)
            return e;
    return -1;
}

static void give(input_t *in)
{
    int64_t n = 0;
    for (int64_t c = 0; in->form == RC_PLAN_CSC && c < in->cols; c++) {
        in->given_ptr[c] = n;
        for (int64_t r = 0; r < in->rows; r++) {
            int64_t e = entry_at(in, r, (int32_t)c);
            if (e >= 0) {
                in->given_col[n] = (int32_t)r;
                in->place[e] = n++;
            }
        }
    }
    if (in->form == RC_PLAN_CSC)
        in->given_ptr[in->cols] = n;
    for (int64_t e = 0; in->form != RC_PLAN_CSC && e < in->nnz; e++) {
        in->place[e] = in->form == RC_PLAN_COO ? in->nnz - 1 - e : e;
        in->given_col[in->place[e]] = in->col[e];
        in->given_ptr[in->place[e]] = in->row[e];
    }
    if (in->form == RC_PLAN_CSR)
        memcpy(in->given_ptr, in->ptr, sizeof in->ptr);
}

void new_values(rc_rng_t *rng, input_t *in, rc_precision_t exact)
{
    for (int64_t e = 0; e < in->nnz; e++) {
        in->val[e] = random_number(rng, exact);
        number_put(in->type, in->given, in->place[e], in->val[e]);
    }
}

void make(rc_rng_t *rng, rc_precision_t type, rc_plan_form_t form, input_t *in)
{
    static const rc_precision_t types[] = {RC_C64, RC_C128, RC_FP32, RC_FP64};
    memset(in, 0, sizeof *in);
    in->rows = 1 + below(rng, MOST);
    in->cols = 1 + below(rng, MOST);
    in->form = form;
    in->type = types[below(rng, 4)];
    const int64_t dense = 1 + below(rng, 4);
    for (int64_t r = 0; r < in->rows; r++) {
        const int empty = below(rng, 4) == 0;
        for (int32_t c = 0; c < in->cols; c++)
            if (!empty && below(rng, 4) < dense) {
                in->row[in->nnz] = (int32_t)r;
                in->col[in->nnz++] = c;
            }
        in->ptr[r + 1] = in->nnz;
    }
    give(in);
    new_values(rng, in, rc_type(in->type)->unit > rc_type(type)->unit || rc_type(in->type)->parts == 1 ? in->type : type);
}

rc_plan_matrix_t matrix_of(const input_t *in)
{
    return (rc_plan_matrix_t){.rows = in->rows,
        .cols = in->cols,
        .nnz = in->nnz,
        .row_ptr = in->given_ptr,
        .row_ptr_bytes = 8,
        .col_idx = in->given_col,
        .val = in->given,
        .precision = in->type,
        .form = in->form};
}

static void sum_add(sum_t *s, number_t x, number_t y)
{
    const long double a = x.part[0], b = x.part[1], c = y.part[0], d = y.part[1];
    s->part[0] += a * c - b * d;
    s->part[1] += a * d + b * c;
    s->mag += (fabsl(a) + fabsl(b)) * (fabsl(c) + fabsl(d));
    s->terms += 2;
}

sum_t sum_end(const sum_t *s, number_t alpha, number_t beta, number_t c)
{
    const long double re = s->part[0], im = s->part[1];
    sum_t out = {.mag = s->mag * (fabs(alpha.part[0]) + fabs(alpha.part[1])), .terms = s->terms + 4};
    out.part[0] = alpha.part[0] * re - alpha.part[1] * im;
    out.part[1] = alpha.part[0] * im + alpha.part[1] * re;
    if (beta.part[0] != 0 || beta.part[1] != 0)
        sum_add(&out, beta, c);
    return out;
}

void same(rc_precision_t type, const sum_t *want, number_t found, const char *what)
{
    const double unit = rc_type(type)->unit;
    const long double off = 4 * unit * (long double)(want->terms + 4) * want->mag + rc_type(type)->least * (long double)(want->terms + 4);
    for (int q = 0; q < 2; q++)
        if (!(fabsl(found.part[q] - want->part[q]) <= off))
            fail_msg("%s: part %d: expected %Lg within %Lg, found %g", what, q, want->part[q], off, found.part[q]);
}

int64_t at(const operand_t *o, int64_t r, int64_t j)
{
    return o->by_row ? r * o->ld + j : j * o->ld + r;
}

static void operand_make(rc_rng_t *rng, rc_precision_t type, int64_t rows, int64_t cols, int by_row, int pad, operand_t *o)
{
    o->rows = rows;
    o->cols = cols;
    o->by_row = by_row;
    o->ld = (by_row ? cols : rows) + pad;
    for (int64_t i = 0; i < VALUES; i++)
        number_put(type, o->data, i, random_number(rng, type));
}

void operands_make(rc_rng_t *rng, const rc_plan_problem_t *p, const input_t *a, int64_t k)
{
    const int by_row = rc_layout_in(p->layout) == RC_ROW_MAJOR;
    const int pad = (int)below(rng, PAD + 1);
    const int turned = p->op == RC_OP_SPMM_T;
    if (p->op == RC_OP_SDDMM) {
        operand_make(rng, p->precision, a->rows, k, by_row, pad, &now.in[0]);
        operand_make(rng, p->precision, a->cols, k, by_row, 0, &now.in[1]);
        operand_make(rng, p->precision, a->nnz, 1, 0, 0, &now.out);
    } else {
        operand_make(rng, p->precision, turned ? a->rows : a->cols, k, by_row, p->op == RC_OP_SPMV ? 0 : pad, &now.in[0]);
        operand_make(
            rng, p->precision, turned ? a->cols : a->rows, k, rc_layout_out(p->layout) == RC_ROW_MAJOR, 0, &now.out);
    }
    now.before = now.out;
}

sum_t expected(rc_op_t op, rc_precision_t type, const input_t *a, int64_t r, int64_t j)
{
    sum_t s = {0};
    if (op == RC_OP_SDDMM) {
        for (int64_t i = 0; i < now.in[0].cols; i++)
            sum_add(&s, number_get(type, now.in[0].data, at(&now.in[0], a->row[r], i)), number_get(type, now.in[1].data, at(&now.in[1], a->col[r], i)));
        sum_t whole = {.terms = s.terms, .mag = s.mag * (fabs(a->val[r].part[0]) + fabs(a->val[r].part[1]))};
        whole.part[0] = a->val[r].part[0] * s.part[0] - a->val[r].part[1] * s.part[1];
        whole.part[1] = a->val[r].part[0] * s.part[1] + a->val[r].part[1] * s.part[0];
        return whole;
    }
    for (int64_t e = 0; e < a->nnz; e++) {
        const int64_t to = op == RC_OP_SPMM_T ? a->col[e] : a->row[e];
        const int64_t from = op == RC_OP_SPMM_T ? a->row[e] : a->col[e];
        if (to == r)
            sum_add(&s, a->val[e], number_get(type, now.in[0].data, at(&now.in[0], from, j)));
    }
    return s;
}

rc_status_t execute(rc_plan_t *plan, int64_t k, number_t alpha, number_t beta, rc_err_t *err)
{
    const rc_plan_product_t p = {.k = k,
        .alpha = {alpha.part[0], alpha.part[1]},
        .beta = {beta.part[0], beta.part[1]},
        .in = {now.in[0].data, now.in[1].data},
        .ld_in = {now.in[0].ld, now.in[1].ld},
        .out = now.out.data,
        .ld_out = now.out.ld};
    return rc_plan_execute_complex(plan, &p, NULL, err);
}

void check(const rc_plan_problem_t *p, const input_t *a, number_t alpha, number_t beta, const char *what)
{
    for (int64_t r = 0; r < now.out.rows; r++)
        for (int64_t j = 0; j < now.out.cols; j++) {
            const sum_t s = expected(p->op, p->precision, a, r, j);
            const sum_t want = sum_end(&s, alpha, beta, number_get(p->precision, now.before.data, at(&now.before, r, j)));
            same(p->precision, &want, number_get(p->precision, now.out.data, at(&now.out, r, j)), what);
        }
}

void run_and_check(rc_plan_t *plan, const rc_plan_problem_t *p, const input_t *a, int64_t k, number_t alpha,
    number_t beta, const char *what)
{
    rc_err_t err = {0};
    if (execute(plan, k, alpha, beta, &err) < 0)
        fail_msg("%s: %s", what, err.text);
    check(p, a, alpha, beta, what);
}
