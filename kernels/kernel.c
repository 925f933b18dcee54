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

const char *rc_op_name(rc_op_t op)
{
    return op == RC_OP_SPMM ? "spmm" : "unknown";
}

const char *rc_precision_name(rc_precision_t p)
{
    return p == RC_FP32 ? "fp32" : "fp64";
}

const char *rc_layout_name(rc_layout_t l)
{
    return l == RC_COL_MAJOR ? "col" : "row";
}

const char *rc_c_order_name(rc_c_order_t o)
{
    return o == RC_C_ORIGINAL ? "original" : "schedule";
}

rc_status_t rc_precision_parse(const char *text, rc_precision_t *out, rc_err_t *err)
{
    static const rc_precision_t all[] = {RC_FP32, RC_FP64};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(text, rc_precision_name(all[i])) == 0) {
            *out = all[i];
            return RC_OK;
        }
    return rc_fail(err, RC_EINVAL, "unknown precision '%s'; expected fp32 or fp64", text);
}

size_t rc_precision_bytes(rc_precision_t p)
{
    return p == RC_FP32 ? sizeof(float) : sizeof(double);
}

void rc_device_close(rc_device_t *d)
{
    if (d)
        d->close(d);
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
