#include "config.h"
#include "cmd/plan/verify.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"
#include "base/type.h"
#include "device/dense_parts.h"
#include "format/places.h"
#include "operation/exact.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SEED = 20210601, SAMPLES = 2000, MOST_PARTS = 2 };

typedef struct check {
    rc_device_t *d;
    const rc_csr_t *a;   /* as the reference reads it */
    const double *parts; /* of its values, where they are complex */
    const rc_operation_t *op;
    rc_precision_t precision;
    int transposed; /* 1: by rc_plan_run_transposed */
    int64_t k;
    rc_operands_t o;
    int input_part[RC_INPUTS_MAX]; /* of the values that the reference asks for */
    int64_t row[SAMPLES];
    int64_t col[SAMPLES];
    int64_t row_there[SAMPLES]; /* as the device has them */
    int64_t col_there[SAMPLES];
    unsigned char part[SAMPLES];
    double found[SAMPLES];
    unsigned char poison[SAMPLES];
} check_t;

static double input_value(const void *user, int operand, int64_t row, int64_t col)
{
    const check_t *c = user;
    const rc_type_t *type = rc_type(c->precision);
    int64_t cols = c->o.in[operand].cols;
    uint64_t at = (uint64_t)((row * cols + col) * type->parts + c->input_part[operand]);
    return type->round(rc_rng_signed(SEED + (uint64_t)operand, at));
}

static rc_status_t compare(check_t *c, rc_err_t *err)
{
    const rc_type_t *type = rc_type(c->precision);
    const rc_reference_matrix_t m = {
        .a = c->a, .precision = type->part, .threads = 1, .parts = c->parts};
    const rc_input_parts_t in = {input_value, c, type->parts, c->k, c->input_part};
    int overflows = 0;
    for (int i = 0; i < SAMPLES; i++) {
        rc_exact_t of[MOST_PARTS];
        rc_operation_value(c->op, &m, &in, c->row[i], c->col[i], of);
        const rc_exact_t want = of[c->part[i]];
        if (c->poison[i] || rc_exact_error(type->part, &want, c->found[i]) > 1)
            return rc_fail(err, RC_EWRONG,
                "the plan is wrong at (%" PRId64 ", %" PRId64
                ")%s: expected %g within %g, found %g",
                c->row[i], c->col[i], c->part[i] ? ", imaginary part" : "", want.value,
                rc_exact_bound(type->part, want.mag, want.terms), c->found[i]);
        overflows += !isfinite(c->found[i]);
    }
    if (overflows)
        fprintf(stderr,
            "rowcast plan: K = %" PRId64
            ": %d of %d sampled values are beyond %s (overflow, infinity or NaN)\n",
            c->k, overflows, (int)SAMPLES, rc_precision_name(c->precision));
    return RC_OK;
}

static rc_status_t alloc_operand(check_t *c, const rc_shape_t *s, const rc_csr_t *a,
    rc_layout_t layout, rc_dense_t *out, rc_err_t *err)
{
    rc_executor_t *x = &c->d->executor;
    *out = (rc_dense_t){.rows = rc_shape_rows(s, a),
        .cols = rc_shape_cols(s, c->k),
        .precision = c->precision,
        .layout = s->wide ? layout : RC_COL_MAJOR};
    out->ld = out->layout == RC_ROW_MAJOR ? out->cols : out->rows;
    int64_t bytes =
        rc_sat_mul(rc_sat_mul(out->rows, out->cols), (int64_t)rc_precision_bytes(c->precision));
    return x->alloc(x, (size_t)bytes, &out->data, err);
}

/* The sample, as the device has it. */
static rc_status_t gather(check_t *c, rc_err_t *err)
{
    const rc_dense_places_t at = {
        SAMPLES, c->row_there, c->col_there, c->part, c->found, c->poison};
    memcpy(c->row_there, c->row, sizeof c->row);
    memcpy(c->col_there, c->col, sizeof c->col);
    return rc_dense_gather_parts(c->d, &c->o.out, &at, err);
}

/* Run the plan once on random operands and compare a sample of its output.
 * \param[in] a  whose shape the operands have: the transpose of the matrix for `transposed` */
static rc_status_t run_and_compare(
    check_t *c, rc_plan_t *plan, const rc_csr_t *a, rc_layout_t layout, rc_err_t *err)
{
    rc_status_t st;
    rc_rng_t rng;
    rc_rng_seed(&rng, SEED);
    RC_TRY(alloc_operand(c, &c->op->out, a, rc_layout_out(layout), &c->o.out, err));
    for (int i = 0; i < rc_operation_inputs(c->op); i++) {
        rc_dense_t *in = &c->o.in[i];
        RC_TRY(alloc_operand(c, &c->op->in[i], a, rc_layout_in(layout), in, err));
        RC_TRY(c->d->dense_random(c->d, in, SEED + (uint64_t)i, in->cols, 0, err));
    }
    if (c->o.out.rows == 0 || c->o.out.cols == 0)
        goto done;
    RC_TRY(c->d->dense_poison(c->d, &c->o.out, NULL, err));
    RC_TRY((c->transposed ? rc_plan_run_transposed : rc_plan_run)(plan, c->k, &c->o, 1, 0, err));
    for (int i = 0; i < SAMPLES; i++) {
        c->row[i] = (int64_t)rc_rng_below(&rng, (uint64_t)c->o.out.rows);
        c->col[i] = (int64_t)rc_rng_below(&rng, (uint64_t)c->o.out.cols);
        c->part[i] = (unsigned char)(i % rc_type(c->precision)->parts);
    }
    RC_TRY(gather(c, err));
    st = compare(c, err);
done:
    for (int i = 0; i < RC_INPUTS_MAX; i++)
        c->d->executor.release(&c->d->executor, c->o.in[i].data);
    c->d->executor.release(&c->d->executor, c->o.out.data);
    return st;
}

/* What the two products of a plan are held against. */
typedef struct reference {
    const rc_csr_t *of[2];  /* the matrix and its transpose */
    const double *parts[2]; /* complex values of theirs */
    const rc_plan_problem_t *p;
    check_t *c;
} reference_t;

static rc_status_t verify_one(
    rc_device_t *d, rc_plan_t *plan, const reference_t *r, int64_t k, int transposed, rc_err_t *err)
{
    const rc_operation_t *op = rc_operation_of(r->p->op);
    *r->c = (check_t){.d = d,
        .a = r->of[transposed != op->transposed],
        .parts = r->parts[transposed != op->transposed],
        .op = op,
        .precision = r->p->precision,
        .transposed = transposed,
        .k = k};
    return run_and_compare(r->c, plan, r->of[transposed], r->p->layout, err);
}

/* 1: of the product with the transposed matrix, too. */
static int has_transposed(const rc_plan_t *plan)
{
    rc_plan_part_t last;
    return rc_plan_part(plan, rc_plan_parts(plan) - 1, &last, NULL) == RC_OK && last.transposed;
}

/* \param[out] out  frees() both  \return RC_OK, RC_ENOMEM */
static rc_status_t transpose(const rc_valued_t *g, rc_valued_t *out, rc_err_t *err)
{
    const rc_problem_t complex = {.a = &g->a, .val = g->parts, .val_type = RC_HOST_COMPLEX};
    void *parts = NULL;
    if (!g->parts)
        return rc_csr_transpose(&g->a, &out->a, err);
    const rc_status_t st = rc_places_transpose(&complex, &out->a, &parts, err);
    out->parts = parts;
    return st;
}

void rc_valued_free(rc_valued_t *g)
{
    rc_csr_free(&g->a);
    free(g->parts);
}

rc_status_t rc_plan_verify(rc_device_t *d, rc_plan_t *plan, const rc_plan_problem_t *p,
    const rc_valued_t *g, int both, rc_err_t *err)
{
    const int apart = has_transposed(plan);
    rc_valued_t t = {.parts = NULL};
    rc_plan_part_t part;
    rc_status_t st;
    reference_t r = {
        {&g->a, &t.a}, {g->parts, NULL}, p, rc_alloc(1, sizeof *r.c, "the verification", err)};
    RC_TRY(r.c ? RC_OK : RC_ENOMEM);
    if (rc_operation_of(p->op)->transposed || apart || both)
        RC_TRY(transpose(g, &t, err));
    r.parts[1] = t.parts;
    for (int i = 0; i < rc_plan_parts(plan); i++) {
        RC_TRY(rc_plan_part(plan, i, &part, err));
        RC_TRY(verify_one(d, plan, &r, part.k, part.transposed, err));
        if (both && !apart)
            RC_TRY(verify_one(d, plan, &r, part.k, 1, err));
    }
done:
    free(r.c);
    rc_valued_free(&t);
    return st;
}
