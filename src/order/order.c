#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "order/policy.h"

#include <inttypes.h>
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#define RC_POLICY(id) extern const rc_policy_t rc_policy_##id;
#include "order/policies.def"
#undef RC_POLICY

#define RC_POLICY(id) &rc_policy_##id,
const rc_policy_t *const rc_policies[] = {
#include "order/policies.def"
    NULL};
#undef RC_POLICY

const rc_policy_t *rc_policy_find(const char *name)
{
    for (int i = 0; rc_policies[i]; i++)
        if (strcmp(rc_policies[i]->name, name) == 0)
            return rc_policies[i];
    return NULL;
}

rc_status_t rc_geometry_check(const rc_geometry_t *g, rc_err_t *err)
{
    enum { most = 65536 };
    const struct {
        const char *name;
        int32_t value;
    } part[] = {{"nw", g->nw}, {"nt", g->nt}, {"line", g->line}};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++)
        if (part[i].value < 1 || part[i].value > most)
            return rc_fail(err, RC_EINVAL, "geometry: expected %s in [1, %d], found %" PRId32,
                part[i].name, most, part[i].value);
    return RC_OK;
}

static rc_status_t unknown_policy(const char *name, rc_err_t *err)
{
    rc_str_t list = {0};
    int count = 0;
    for (; rc_policies[count]; count++)
        rc_str_addf(&list, "%s%s", count ? ", " : "", rc_policies[count]->name);
    const char **names = rc_alloc((size_t)count, sizeof *names, "policy names", NULL);
    for (int i = 0; names && i < count; i++)
        names[i] = rc_policies[i]->name;
    const char *near = names ? rc_similar(name, names, count) : NULL;
    rc_fail(err, RC_ENOENT, "no policy '%.60s'%s%s%sthere are: %s", name,
        near ? "; did you mean '" : "", near ? near : "", near ? "'? " : "; ",
        list.failed ? "those of rowcast info" : list.text);
    free(names);
    rc_str_free(&list);
    return RC_ENOENT;
}

rc_status_t rc_order_build(const char *policy, const rc_csr_t *a, const rc_geometry_t *geometry,
    int threads, rc_schedule_t *out, rc_err_t *err)
{
    static const rc_geometry_t paper = {.nw = 32, .nt = 32, .line = 32};
    const rc_geometry_t *g = geometry ? geometry : &paper;
    const rc_policy_t *p = rc_policy_find(policy);
    if (!p)
        return unknown_policy(policy, err);
    rc_status_t st = rc_geometry_check(g, err);
    if (st < 0)
        return st;
    if (a->rows < 0 || a->rows > INT32_MAX || a->cols < 0 || a->cols > INT32_MAX)
        return rc_fail(err, RC_EINVAL,
            "matrix of %" PRId64 " x %" PRId64 ": expected at most %" PRId32 " each way", a->rows,
            a->cols, INT32_MAX);
    if (threads < 0)
        return rc_fail(err, RC_EINVAL, "threads: expected 0 or more, found %d", threads);
    rc_schedule_t s = {0};
    st = p->build(a, g, threads ? threads : omp_get_max_threads(), &s, err);
    if (st == RC_OK)
        st = rc_schedule_check(&s, a, err);
    if (st < 0) {
        rc_err_context(err, "policy %s", p->name);
        rc_schedule_free(&s);
        return st;
    }
    *out = s;
    return RC_OK;
}
