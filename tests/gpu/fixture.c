#include "config.h"
#include "unit.h"

#include "base/rng.h"
#include "base/type.h"
#include "fixture.h"
#include "order/policy.h"

#include <math.h>
#include <stdlib.h>

const shape_t shapes[] = {
    {"random", 129, 130, 0.07, 0, 0, 0},
    {"empty rows and columns", 67, 59, 0.2, 0, 1, 0},
    {"one dense row", 40, 301, 0.01, 1, 0, 0},
    {"no rows", 0, 5, 0, 0, 0, 0},
    {"one entry", 1, 1, 1, 0, 0, 0},
    {"one empty value", 1, 1, 0, 0, 0, 0},
    {"no entries", 7, 9, 0, 0, 0, 0},
    {"wide", 13, 400, 0.1, 0, 0, 0},
    {"tall", 2500, 11, 0.2, 0, 0, 0},
    {"long rows", 5, 12000, 0.3, 1, 0, 0},
    {"rows with gaps", 3000, 50, 0.2, 1, 1, 0},
    {"rows of all lengths", 12, 6000, 0.9, 0, 0, 1},
};
const int shape_count = sizeof shapes / sizeof shapes[0];

int schedule_count(void)
{
    int n = SCHEDULE_POLICIES;
    for (int i = 0; rc_policies[i] && !rc_policies[i]->on_request; i++)
        n++;
    return n;
}

const char *schedule_name(int which)
{
    static const char *const own[] = {"identity", "random", "random with pads", "no empty rows"};
    return which < SCHEDULE_POLICIES ? own[which] : rc_policies[which - SCHEDULE_POLICIES]->name;
}

static void shuffle(rc_schedule_t *s)
{
    rc_rng_t rng;
    rc_rng_seed(&rng, 17);
    for (int64_t i = s->slots - 1; i > 0; i--) {
        int64_t j = (int64_t)rc_rng_below(&rng, (uint64_t)i + 1);
        int32_t t = s->row[i];
        s->row[i] = s->row[j];
        s->row[j] = t;
    }
}

rc_schedule_t make_schedule(const rc_csr_t *a, int which, rc_geometry_t geometry)
{
    rc_schedule_t s = {.rows = a->rows};
    if (which >= SCHEDULE_POLICIES) {
        rc_err_t err = {0};
        if (rc_order_build(schedule_name(which), a, &geometry, 1, &s, &err) < 0)
            fail_msg("policy %s: %s", schedule_name(which), err.text);
        return s;
    }
    s.row = malloc((2 * (size_t)a->rows + 8) * sizeof *s.row);
    assert_non_null(s.row);
    for (int64_t r = 0; r < a->rows; r++)
        if (which != SCHEDULE_NO_EMPTY || a->row_ptr[r] < a->row_ptr[r + 1])
            s.row[s.slots++] = (int32_t)r;
    if (which == SCHEDULE_PADS)
        for (int64_t i = 0; i < a->rows / 2 + 3; i++)
            s.row[s.slots++] = -1;
    if (which != SCHEDULE_IDENTITY)
        shuffle(&s);
    return s;
}

double input_value(int operand, int64_t r, int64_t j)
{
    return rc_rng_signed(3 + (uint64_t)operand, (uint64_t)(r * K_MAX + j));
}

double input_part(int operand, int64_t r, int64_t j, int part)
{
    return part ? rc_rng_signed(31 + (uint64_t)operand, (uint64_t)(r * K_MAX + j)) : input_value(operand, r, j);
}

double entry_part(const rc_csr_t *a, int64_t e, int part)
{
    return part ? rc_rng_signed(41, (uint64_t)e) : a->val[e];
}

double narrowed(rc_precision_t precision, double v)
{
    return rc_type(precision)->round(v);
}

/* A number by its parts, the second one 0 of real ones. */
typedef struct parts {
    double part[2];
} parts_t;

static parts_t input_of(rc_precision_t precision, int operand, int64_t r, int64_t j)
{
    parts_t x = {{0, 0}};
    for (int q = 0; q < rc_type(precision)->parts; q++)
        x.part[q] = narrowed(precision, input_part(operand, r, j, q));
    return x;
}

static parts_t times(parts_t a, parts_t b)
{
    return (parts_t){{a.part[0] * b.part[0] - a.part[1] * b.part[1], a.part[0] * b.part[1] + a.part[1] * b.part[0]}};
}

static double size_of(parts_t x)
{
    return fabs(x.part[0]) + fabs(x.part[1]);
}

static void add_term(reference_t *ref, int64_t row, int64_t col, parts_t x, double mag)
{
    for (int q = 0; q < 2; q++)
        ref->sum[q][row * ref->cols + col] += x.part[q];
    ref->mag[row * ref->cols + col] += mag;
}

/* What entry e in row r adds to the output. */
static void add_entry(reference_t *ref, const rc_csr_t *a, rc_precision_t precision, rc_op_t op,
    int64_t k, int64_t r, int64_t e)
{
    parts_t v = {{0, 0}};
    for (int q = 0; q < rc_type(precision)->parts; q++)
        v.part[q] = narrowed(precision, entry_part(a, e, q));
    int64_t c = a->col_idx[e];
    if (op == RC_OP_SDDMM) {
        for (int64_t j = 0; j < k; j++) {
            const parts_t y = input_of(precision, 0, r, j);
            const parts_t x = input_of(precision, 1, c, j);
            add_term(ref, e, 0, times(v, times(y, x)), size_of(v) * size_of(y) * size_of(x));
        }
        ref->terms[e] = k;
        return;
    }
    int64_t to = op == RC_OP_SPMM_T ? c : r;
    int64_t from = op == RC_OP_SPMM_T ? r : c;
    for (int64_t j = 0; j < ref->cols; j++) {
        const parts_t x = input_of(precision, 0, from, j);
        add_term(ref, to, j, times(v, x), size_of(v) * size_of(x));
    }
    ref->terms[to]++;
}

reference_t make_reference(const rc_csr_t *a, rc_precision_t precision, rc_op_t op, int64_t k)
{
    reference_t ref = {
        .rows = op == RC_OP_SDDMM    ? a->nnz
                : op == RC_OP_SPMM_T ? a->cols
                                     : a->rows,
        .cols = op == RC_OP_SPMM || op == RC_OP_SPMM_T ? k : 1,
    };
    size_t n = (size_t)(ref.rows * ref.cols) + 1;
    for (int q = 0; q < 2; q++)
        ref.sum[q] = calloc(n, sizeof *ref.sum[q]);
    ref.mag = calloc(n, sizeof *ref.mag);
    ref.terms = calloc((size_t)ref.rows + 1, sizeof *ref.terms);
    assert_true(ref.sum[0] && ref.sum[1] && ref.mag && ref.terms);
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t e = a->row_ptr[r]; e < a->row_ptr[r + 1]; e++)
            add_entry(&ref, a, precision, op, k, r, e);
    return ref;
}

void free_reference(reference_t *ref)
{
    free(ref->sum[0]);
    free(ref->sum[1]);
    free(ref->mag);
    free(ref->terms);
}
