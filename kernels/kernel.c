#include "config.h"
#include "kernels/kernel.h"
#include "base/error.h"
#include "base/type.h"

#include <string.h>

int rc_kernel_always(const int64_t *param)
{
    (void)param;
    return 1;
}

int rc_kernel_rank(const rc_kernel_t *kernel, int64_t k, int beyond)
{
    int rank = RC_KERNEL_UNRANKED;
    for (int i = 0; i < RC_KERNEL_RANKS && kernel->rank[i].from_k > 0; i++)
        if (k >= kernel->rank[i].from_k)
            rank = beyond ? kernel->rank[i].beyond : kernel->rank[i].rank;
    return rank;
}

int rc_kernel_takes(const rc_kernel_t *kernel, rc_precision_t type)
{
    return rc_type_among(kernel->types ? kernel->types : RC_TYPES_IEEE, type);
}

int rc_kernel_takes_out(const rc_kernel_t *kernel, rc_precision_t type, int out_sums)
{
    return rc_kernel_takes(kernel, type) &&
           (kernel->out_sums || rc_type_out(type, out_sums) == type);
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
    if (!rc_kernel_takes(kernel, p->precision))
        return rc_fail(err, RC_ENOTSUP, "no instance for %s", rc_precision_name(p->precision));
    if (!rc_kernel_takes_out(kernel, p->precision, p->out_sums))
        return rc_fail(err, RC_ENOTSUP, "kernel %s does not store %s in %s from %s", kernel->name,
            o->out.name, rc_precision_name(rc_type_out(p->precision, p->out_sums)),
            rc_precision_name(p->precision));
    if (!rc_kernel_stores(kernel, p->c_order))
        return rc_fail(err, RC_ENOTSUP, "kernel %s does not store %s in %s order", kernel->name,
            o->out.name, rc_c_order_name(p->c_order));
    rc_analysis_t a = {.fill = 1};
    rc_problem_t asked = *p;
    asked.kernel = kernel;
    rc_status_t st = kernel->analyse(&asked, &a, err);
    if (st == RC_OK)
        *out = a;
    return st;
}

int64_t rc_analysis_column_bytes(const rc_analysis_t *a, int64_t k)
{
    int64_t columns = a->columns > 0 && a->columns < k ? a->columns : k;
    return rc_sat_mul(a->bytes_per_column, columns);
}

int64_t rc_analysis_bytes(const rc_analysis_t *a, int64_t k)
{
    return rc_sat_add(a->bytes, rc_analysis_column_bytes(a, k));
}

int64_t rc_analysis_traffic(
    const rc_analysis_t *a, const rc_operation_t *o, const rc_problem_t *p, int64_t k)
{
    int64_t dense = rc_operation_dense_bytes(
        o, p->a, a->stored_rows, k, p->precision, rc_type_out(p->precision, p->out_sums));
    int64_t copies = rc_sat_mul(a->traffic_per_column, k);
    return rc_sat_add(rc_sat_add(a->traffic, dense), copies);
}

const rc_kernel_t *rc_kernel_at(rc_device_kind_t device, int i)
{
    for (int others = 0; others < 2; others++)
        for (int k = 0; rc_kernels[k]; k++)
            if ((rc_kernels[k]->device != device) == others && i-- == 0)
                return rc_kernels[k];
    return NULL;
}

const rc_kernel_t *rc_kernel_find(const char *name, rc_device_kind_t device)
{
    const rc_kernel_t *k;
    for (int i = 0; (k = rc_kernel_at(device, i)); i++)
        if (strcmp(k->name, name) == 0)
            return k;
    return NULL;
}

static int member(rc_device_kind_t device, int i, rc_member_t *out)
{
    const rc_kernel_t *k = rc_kernel_at(device, i);
    if (k)
        *out = (rc_member_t){.name = k->name, .param = k->param};
    return k != NULL;
}

static int member_cpu(int i, rc_member_t *out)
{
    return member(RC_DEVICE_CPU, i, out);
}

static int member_cuda(int i, rc_member_t *out)
{
    return member(RC_DEVICE_CUDA, i, out);
}

static rc_status_t identify(
    rc_device_kind_t device, int i, const rc_params_t *values, char *text, rc_err_t *err)
{
    const rc_kernel_t *k = rc_kernel_at(device, i);
    return k->identify ? k->identify(k->param, values, text, err) : RC_OK;
}

static rc_status_t identify_cpu(int i, const rc_params_t *values, char *text, rc_err_t *err)
{
    return identify(RC_DEVICE_CPU, i, values, text, err);
}

static rc_status_t identify_cuda(int i, const rc_params_t *values, char *text, rc_err_t *err)
{
    return identify(RC_DEVICE_CUDA, i, values, text, err);
}

const rc_family_t rc_kernel_family[] = {
    [RC_DEVICE_CPU] = {.noun = "kernel",
        .plural = "kernels",
        .member = member_cpu,
        .identify = identify_cpu},
    [RC_DEVICE_CUDA] = {.noun = "kernel",
        .plural = "kernels",
        .member = member_cuda,
        .identify = identify_cuda},
};

rc_status_t rc_kernel_spec_parse(
    const char *text, rc_device_kind_t device, rc_kernel_spec_t *out, rc_err_t *err)
{
    rc_spec_t spec;
    rc_status_t st = rc_spec_parse(&rc_kernel_family[device], text, &spec, err);
    if (st == RC_OK)
        rc_kernel_spec_set(&spec, device, out);
    return st;
}

void rc_kernel_spec_set(const rc_spec_t *spec, rc_device_kind_t device, rc_kernel_spec_t *out)
{
    *out = (rc_kernel_spec_t){.kernel = rc_kernel_at(device, spec->member)};
    memcpy(out->param, spec->value.value, sizeof out->param);
    memcpy(out->text, spec->value.text, sizeof out->text);
    memcpy(out->params, spec->params, sizeof out->params);
}
