#include "config.h"
#include "kernels/specs.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/kernel.h"

#include <stdlib.h>

static const char *device_name(rc_device_kind_t device)
{
    return device == RC_DEVICE_CPU ? "cpu" : "cuda";
}

/* What a list is for. */
typedef struct purpose {
    rc_device_kind_t device;
    unsigned ops;
} purpose_t;

static int in_all(int member, const void *user)
{
    const purpose_t *u = user;
    const rc_kernel_t *k = rc_kernel_at(u->device, member);
    return k->device == u->device && (u->ops >> k->op & 1u) && k->computes && !k->for_testing;
}

static rc_status_t allowed(int member, const void *user, rc_err_t *err)
{
    const purpose_t *u = user;
    const rc_kernel_t *k = rc_kernel_at(u->device, member);
    if (k->device != u->device)
        return rc_fail(err, RC_EINVAL, "kernel %s is for --device %s, expected one for %s",
            k->name, device_name(k->device), device_name(u->device));
    if (!(u->ops >> k->op & 1u))
        return rc_fail(err, RC_EINVAL, "kernel %s is for --op %s, which is not asked for", k->name,
            rc_op_name(k->op));
    return RC_OK;
}

rc_status_t rc_kernel_specs_parse(const char *text, rc_device_kind_t device, unsigned ops, int most,
    rc_kernel_spec_t **out, int *count, rc_err_t *err)
{
    const purpose_t purpose = {device, ops};
    const rc_specs_rule_t rule = {.user = &purpose,
        .in_all = in_all,
        .allowed = allowed,
        .where = device == RC_DEVICE_CPU ? " for --device cpu" : " for --device cuda",
        .most = most};
    rc_spec_t *spec = NULL;
    int n = 0;
    rc_status_t st = rc_specs_parse(&rc_kernel_family[device], &rule, text, &spec, &n, err);
    if (st < 0)
        return st;
    rc_kernel_spec_t *list = rc_alloc((size_t)n, sizeof *list, "kernels", err);
    for (int i = 0; list && i < n; i++)
        rc_kernel_spec_set(&spec[i], device, &list[i]);
    free(spec);
    if (!list)
        return RC_ENOMEM;
    *out = list;
    *count = n;
    return RC_OK;
}
