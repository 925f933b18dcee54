#include "config.h"
#include "operation/operation.h"
#include "base/error.h"
#include "base/family.h"

#define RC_OPERATION(id) extern const rc_operation_t rc_operation_##id;
#include "operation/operations.def"
#undef RC_OPERATION

#define RC_OPERATION(id) &rc_operation_##id,
const rc_operation_t *const rc_operations[] = {
#include "operation/operations.def"
    NULL};
#undef RC_OPERATION

const rc_operation_t *rc_operation_of(rc_op_t op)
{
    for (int i = 0; rc_operations[i]; i++)
        if (rc_operations[i]->op == op)
            return rc_operations[i];
    return NULL;
}

const char *rc_op_name(rc_op_t op)
{
    const rc_operation_t *o = rc_operation_of(op);
    return o ? o->name : "unknown";
}

static int member(int i, rc_member_t *out)
{
    const rc_operation_t *o = i < RC_OPS ? rc_operations[i] : NULL;
    if (o)
        *out = (rc_member_t){.name = o->name};
    return o != NULL;
}

rc_status_t rc_op_parse(const char *text, rc_op_t *out, rc_err_t *err)
{
    static const rc_family_t family = {.noun = "operation", .member = member};
    rc_spec_t spec;
    RC_PASS(rc_spec_parse(&family, text, &spec, err));
    *out = rc_operations[spec.member]->op;
    return RC_OK;
}

int rc_operation_inputs(const rc_operation_t *o)
{
    int n = 0;
    while (n < RC_INPUTS_MAX && o->in[n].name)
        n++;
    return n;
}

/* Of each factor of the terms either part, and every imaginary one turns the product by a right
 * angle. */
void rc_operation_value(const rc_operation_t *o, const rc_reference_matrix_t *m,
    const rc_input_parts_t *in, int64_t r, int64_t j, rc_exact_t *out)
{
    const int factors = 1 + rc_operation_inputs(o);
    const int choices = in->parts > 1 ? 1 << factors : 1;
    for (int q = 0; q < in->parts; q++)
        out[q] = (rc_exact_t){0};
    for (int choice = 0; choice < choices; choice++) {
        rc_reference_matrix_t part = *m;
        rc_exact_t e;
        int turns = choice & 1;
        part.part = choice & 1;
        for (int i = 0; i < factors - 1; i++) {
            in->part[i] = choice >> (i + 1) & 1;
            turns += in->part[i];
        }
        o->value(&part, r, j, in->k, in->value, in->user, &e);
        rc_exact_t *to = &out[turns % 2];
        to->value += turns & 2 ? -e.value : e.value;
        to->mag += e.mag;
        to->terms += e.terms;
    }
}

int64_t rc_shape_rows(const rc_shape_t *s, const rc_csr_t *a)
{
    return s->rows == RC_DIM_ROWS ? a->rows : s->rows == RC_DIM_COLS ? a->cols : a->nnz;
}

int64_t rc_shape_cols(const rc_shape_t *s, int64_t k)
{
    return s->wide ? k : 1;
}

int64_t rc_operation_dense_bytes(const rc_operation_t *o, const rc_csr_t *a, int64_t out_rows,
    int64_t k, rc_precision_t in, rc_precision_t out)
{
    int64_t value = (int64_t)rc_precision_bytes(in);
    int64_t bytes = rc_sat_mul(
        rc_sat_mul(out_rows, rc_shape_cols(&o->out, k)), (int64_t)rc_precision_bytes(out));
    for (int i = 0; i < rc_operation_inputs(o); i++) {
        int64_t values = rc_sat_mul(rc_shape_rows(&o->in[i], a), rc_shape_cols(&o->in[i], k));
        bytes = rc_sat_add(bytes, rc_sat_mul(values, value));
    }
    return bytes;
}
