#include "config.h"
#include "model/model.h"
#include "base/error.h"
#include "feature/feature.h"
#include "order/policy.h"

#include <string.h>

/* Inputs that are not features. */
static const char *const request_inputs[] = {"k", "value_bytes", NULL};

static int is_input(const rc_feature_set_t *set, const char *name)
{
    for (int i = 0; request_inputs[i]; i++)
        if (strcmp(request_inputs[i], name) == 0)
            return 1;
    return rc_feature_find(set, name) != NULL;
}

static rc_status_t check_features(const rc_model_t *m, const char *name, rc_err_t *err)
{
    const rc_feature_set_t *set = rc_feature_set_find(m->feature_set);
    if (!set)
        return rc_fail(err, RC_ENOTSUP,
            "%s: fitted on the feature set %s@%d, which this library does not have", name,
            m->feature_set, (int)m->feature_version);
    if (set->version != m->feature_version)
        return rc_fail(err, RC_ENOTSUP,
            "%s: fitted on the feature set %s@%d, this library has %s@%d", name, m->feature_set,
            (int)m->feature_version, set->name, set->version);
    for (int i = 0; i < m->inputs; i++)
        if (!is_input(set, m->input[i].name))
            return rc_fail(err, RC_ENOTSUP,
                "%s: inputs[%d] is '%s', expected k, value_bytes or a feature of %s@%d", name, i,
                m->input[i].name, set->name, set->version);
    return RC_OK;
}

rc_status_t rc_model_check(const rc_model_t *m, const char *name, rc_err_t *err)
{
    rc_status_t st = check_features(m, name, err);
    for (int c = 0; c < m->classes && st == RC_OK; c++) {
        const rc_model_class_t *k = &m->cls[c];
        const rc_policy_t *p = NULL;
        rc_policy_spec_t spec;
        rc_err_t why = {0};
        rc_status_t parsed = rc_policy_spec_parse(k->policy, &spec, &why);
        if (parsed == RC_OK)
            p = spec.policy;
        if (parsed == RC_ENOMEM)
            st = rc_fail(err, RC_ENOMEM, "%s", why.text);
        else if (!p)
            st = rc_fail(err, RC_ENOTSUP,
                "%s: class %s was fitted with the policy %s@%d, which this library does not have "
                "(%.160s)",
                name, k->name, k->policy, (int)k->policy_version, why.text);
        else if (p->version != k->policy_version)
            st = rc_fail(err, RC_ENOTSUP,
                "%s: class %s was fitted with the policy %s@%d, this library has %s@%d", name,
                k->name, k->policy, (int)k->policy_version, p->name, p->version);
    }
    return st;
}
