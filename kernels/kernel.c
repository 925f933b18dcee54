#include "config.h"
#include "kernels/kernel.h"
#include "base/error.h"

#include <string.h>

#define RC_KERNEL(id) extern const rc_kernel_t rc_kernel_##id;
#include "kernels/kernels.def"
#undef RC_KERNEL

#define RC_KERNEL(id) &rc_kernel_##id,
const rc_kernel_t *const rc_kernels[] = {
#include "kernels/kernels.def"
    NULL};
#undef RC_KERNEL

int rc_kernel_always(const int64_t *param)
{
    (void)param;
    return 1;
}

int rc_kernel_stores(const rc_kernel_t *kernel, rc_c_order_t order)
{
    return (kernel->c_orders >> order & 1u) != 0;
}

rc_status_t rc_kernel_analyse(
    const rc_kernel_t *kernel, const rc_problem_t *p, rc_analysis_t *out, rc_err_t *err)
{
    const rc_operation_t *o = rc_operation_of(kernel->op);
    if (p->k < 1)
        return rc_fail(err, RC_ENOTSUP, "shape: %s has no columns", o->in[0].name);
    if (!rc_kernel_stores(kernel, p->c_order))
        return rc_fail(err, RC_ENOTSUP, "kernel %s does not store %s in %s order", kernel->name,
            o->out.name, rc_c_order_name(p->c_order));
    rc_analysis_t a = {.fill = 1};
    rc_status_t st = kernel->analyse(p, &a, err);
    if (st == RC_OK)
        *out = a;
    return st;
}

int64_t rc_analysis_bytes(const rc_analysis_t *a, int64_t k)
{
    return rc_sat_add(a->bytes, rc_sat_mul(a->bytes_per_column, k));
}

int64_t rc_analysis_traffic(
    const rc_analysis_t *a, const rc_operation_t *o, const rc_problem_t *p, int64_t k)
{
    return rc_sat_add(
        a->traffic, rc_operation_dense_bytes(o, p->a, a->stored_rows, k, p->precision));
}

const rc_kernel_t *rc_kernel_find(const char *name)
{
    for (int i = 0; rc_kernels[i]; i++)
        if (strcmp(rc_kernels[i]->name, name) == 0)
            return rc_kernels[i];
    return NULL;
}

static int member(int i, rc_member_t *out)
{
    const rc_kernel_t *k = rc_kernels[i];
    if (k)
        *out = (rc_member_t){.name = k->name, .param = k->param};
    return k != NULL;
}

const rc_family_t rc_kernel_family = {.noun = "kernel", .plural = "kernels", .member = member};

rc_status_t rc_kernel_spec_parse(const char *text, rc_kernel_spec_t *out, rc_err_t *err)
{
    rc_spec_t spec;
    rc_status_t st = rc_spec_parse(&rc_kernel_family, text, &spec, err);
    if (st == RC_OK)
        rc_kernel_spec_set(&spec, out);
    return st;
}

void rc_kernel_spec_set(const rc_spec_t *spec, rc_kernel_spec_t *out)
{
    *out = (rc_kernel_spec_t){.kernel = rc_kernels[spec->member]};
    memcpy(out->param, spec->value.value, sizeof out->param);
    memcpy(out->params, spec->params, sizeof out->params);
}
