#include "config.h"
#include "unit.h"

#include "kernels/specs.h"
#include "plan_types.h"
#include "real_types.h"

#include <stdlib.h>

/* Of one kernel. */
static unsigned types_of(const rc_kernel_spec_t *s, rc_device_kind_t kind, const rc_plan_problem_t *p, const rc_plan_options_t *o)
{
    const rc_kernel_t *k = s->kernel;
    unsigned types = 0;
    if (k->device != kind || k->op != p->op || !k->computes || (rc_operation_of(p->op)->has_k && k->layout != p->layout) ||
        (p->k_range && !k->any_k) ||
        (o->deterministic & RC_PLAN_SAME_BITS && !(k->deterministic && k->deterministic(s->param))) ||
        (o->deterministic & RC_PLAN_STRICT && !(k->strict && k->strict(s->param))))
        return 0;
    for (int t = 0; t < RC_TYPES; t++)
        types |= rc_kernel_takes_out(k, (rc_precision_t)t, p->out_fp32) ? 1u << t : 0;
    return types;
}

unsigned types_for(rc_device_kind_t kind, const rc_plan_problem_t *p, const rc_plan_options_t *o)
{
    enum { LISTED = 256 };
    rc_kernel_spec_t *spec = NULL;
    int count = 0;
    unsigned types = 0;
    rc_err_t err = {0};
    if (o->kernels && rc_kernel_specs_parse(o->kernels, kind, 1u << p->op, LISTED, &spec, &count, &err) < 0)
        fail_msg("%s: %s", o->kernels, err.text);
    for (int i = 0; i < count; i++)
        types |= types_of(&spec[i], kind, p, o);
    free(spec);
    for (int i = 0; !o->kernels && rc_kernels[i]; i++) {
        rc_kernel_spec_t any;
        if (rc_kernels[i]->device == kind && !rc_kernels[i]->for_testing &&
            rc_kernel_spec_parse(rc_kernels[i]->name, kind, &any, NULL) == RC_OK)
            types |= types_of(&any, kind, p, o);
    }
    return types;
}

rc_precision_t any_type(rc_rng_t *rng)
{
    return real_type((int64_t)rc_rng_below(rng, REAL_TYPES));
}

rc_precision_t some_type(rc_rng_t *rng, unsigned types)
{
    rc_precision_t t;
    assert_true(types != 0);
    do
        t = any_type(rng);
    while (!(types >> t & 1u));
    return t;
}

unsigned pick_types(rc_rng_t *rng, rc_device_kind_t kind, rc_plan_problem_t *p, const rc_plan_options_t *o)
{
    enum { in = 4 }; /* one problem stores sums as they are */
    p->out_fp32 = rc_rng_below(rng, in) == 0;
    unsigned types = types_for(kind, p, o) & (p->out_fp32 ? (unsigned)RC_TYPES_SHORT : ~0u);
    if (!types) {
        p->out_fp32 = 0;
        types = types_for(kind, p, o);
    }
    p->precision = types ? some_type(rng, types) : RC_FP32;
    return types;
}
