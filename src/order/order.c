#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/threads.h"
#include "order/parts.h"
#include "order/policy.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* policies.def ends the macros that it takes */
#define RC_POLICY(id) extern const rc_policy_t rc_policy_##id;
#define RC_POLICY_ABSENT(name, reason)
#include "order/policies.def"

#define RC_POLICY(id) &rc_policy_##id,
#define RC_POLICY_ABSENT(name, reason)
const rc_policy_t *const rc_policies[] = {
#include "order/policies.def"
    NULL};

#define RC_POLICY(id)
#define RC_POLICY_ABSENT(name, reason) {name, reason},
const rc_policy_absent_t rc_policies_absent[] = {
#include "order/policies.def"
    {NULL, NULL}};

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

/* ------------------------------------------------------------------- specs */

static int policy_count(void)
{
    int n = 0;
    while (rc_policies[n])
        n++;
    return n;
}

/* Policies first, then what the build lacks. */
static int member(int i, rc_member_t *out)
{
    int n = policy_count();
    if (i < n)
        *out = (rc_member_t){.name = rc_policies[i]->name, .param = rc_policies[i]->param};
    else if (rc_policies_absent[i - n].name)
        *out = (rc_member_t){
            .name = rc_policies_absent[i - n].name, .absent = rc_policies_absent[i - n].reason};
    else
        return 0;
    return 1;
}

static rc_status_t identify(int i, const rc_params_t *values, char *text, rc_err_t *err)
{
    return rc_policies[i]->identify ? rc_policies[i]->identify(values, text, err) : RC_OK;
}

static const rc_family_t family = {
    .noun = "order", .plural = "orders", .member = member, .identify = identify};

static void set_spec(const rc_spec_t *spec, rc_policy_spec_t *out)
{
    out->policy = rc_policies[spec->member];
    out->value = spec->value;
    memcpy(out->params, spec->params, sizeof out->params);
}

rc_status_t rc_policy_spec_parse(const char *text, rc_policy_spec_t *out, rc_err_t *err)
{
    rc_spec_t spec;
    rc_status_t st = rc_spec_parse(&family, text, &spec, err);
    if (st == RC_OK)
        set_spec(&spec, out);
    return st;
}

static int in_all(int i, const void *user)
{
    (void)user;
    return !rc_policies[i]->on_request;
}

rc_status_t rc_policy_specs_parse(
    const char *text, int most, rc_policy_spec_t **out, int *count, rc_err_t *err)
{
    const rc_specs_rule_t rule = {.in_all = in_all, .where = "", .most = most};
    rc_spec_t *spec = NULL;
    int n = 0;
    RC_PASS(rc_specs_parse(&family, &rule, text, &spec, &n, err));
    rc_policy_spec_t *list = rc_alloc((size_t)n, sizeof *list, "orders", err);
    for (int i = 0; list && i < n; i++)
        set_spec(&spec[i], &list[i]);
    free(spec);
    RC_PASS(list ? RC_OK : RC_ENOMEM);
    *out = list;
    *count = n;
    return RC_OK;
}

void rc_policy_spec_for(const rc_policy_spec_t *given, const char *fullname, rc_policy_spec_t *out)
{
    char group[RC_PARAM_VALUE];
    const char *slash = strchr(fullname, '/');
    size_t n = slash ? (size_t)(slash - fullname) : 0;
    *out = *given;
    if (!given->policy->for_matrix || n >= sizeof group)
        return;
    memcpy(group, fullname, n);
    group[n] = '\0';
    given->policy->for_matrix(group, slash ? slash + 1 : fullname, &out->value, out->params);
}

void rc_policy_spec_text(const rc_policy_spec_t *spec, char *text)
{
    snprintf(text, RC_POLICY_TEXT, "%s%s%s", spec->policy->name, spec->params[0] ? ":" : "",
        spec->params);
}

/* ------------------------------------------------------------------- build */

static rc_status_t check_input(
    const rc_policy_t *p, const rc_csr_t *a, const rc_geometry_t *g, int threads, rc_err_t *err)
{
    RC_PASS(rc_geometry_check(g, err));
    if (a->rows < 0 || a->rows > INT32_MAX || a->cols < 0 || a->cols > INT32_MAX)
        return rc_fail(err, RC_EINVAL,
            "matrix of %" PRId64 " x %" PRId64 ": expected at most %" PRId32 " each way", a->rows,
            a->cols, INT32_MAX);
    if (threads < 0)
        return rc_fail(err, RC_EINVAL, "threads: expected 0 or more, found %d", threads);
    if (p->columns && a->rows != a->cols)
        return rc_fail(err, RC_ENOTSUP,
            "a symmetric order needs a square matrix, this one is %" PRId64 " x %" PRId64, a->rows,
            a->cols);
    return RC_OK;
}

void rc_fact_number(rc_facts_t *f, const char *name, int64_t value)
{
    if (f && f->count < RC_FACTS_MAX)
        f->fact[f->count++] = (rc_fact_t){.name = name, .value = value};
}

void rc_fact_text(rc_facts_t *f, const char *name, const char *fmt, ...)
{
    if (!f || f->count == RC_FACTS_MAX)
        return;
    rc_fact_t *fact = &f->fact[f->count++];
    va_list args;
    va_start(args, fmt);
    *fact = (rc_fact_t){.name = name};
    vsnprintf(fact->text, sizeof fact->text, fmt, args);
    va_end(args);
}

/* The input of a policy.  \return as check_input */
static rc_status_t make_input(const rc_policy_spec_t *spec, const rc_csr_t *a,
    const rc_geometry_t *geometry, int threads, rc_order_input_t *out, rc_err_t *err)
{
    static const rc_geometry_t paper = {.nw = 32, .nt = 32, .line = 32};
    *out = (rc_order_input_t){.policy = spec->policy,
        .a = a,
        .geometry = geometry ? geometry : &paper,
        .params = &spec->value,
        .identity = spec->params,
        .threads = rc_thread_count(threads)};
    return check_input(spec->policy, a, out->geometry, threads, err);
}

rc_status_t rc_policy_build(const rc_policy_spec_t *spec, const rc_csr_t *a,
    const rc_geometry_t *geometry, int threads, const rc_order_watch_t *watch, rc_schedule_t *out,
    rc_err_t *err)
{
    const rc_policy_t *p = spec->policy;
    rc_order_input_t in;
    rc_schedule_t s = {0};
    rc_status_t st;
    RC_TRY(make_input(spec, a, geometry, threads, &in, err));
    if (watch)
        in.watch = *watch;
    RC_TRY(p->build(&in, &s, err));
    RC_TRY(rc_schedule_fits(&s, a, err));
    if ((s.cols > 0) != (p->columns && a->cols > 0))
        RC_TRY(rc_fail(err, RC_EINVAL, "it %s columns, and does not say so",
            s.cols > 0 ? "returned" : "did not return"));
    *out = s;
    return RC_OK;
done:
    rc_err_context(err, "order %s", p->name);
    rc_schedule_free(&s);
    return st;
}

void rc_order_stages_free(rc_order_stages_t *s)
{
    rc_csr_free(&s->coarse);
    rc_schedule_free(&s->order);
}

rc_status_t rc_policy_stages(const rc_policy_spec_t *spec, const rc_csr_t *a,
    const rc_geometry_t *geometry, int threads, rc_order_stages_t *out, rc_err_t *err)
{
    const rc_policy_t *p = spec->policy;
    rc_order_input_t in;
    rc_order_stages_t s = {.coarse = {0}};
    rc_status_t st = make_input(spec, a, geometry, threads, &in, err);
    if (st == RC_OK)
        st = p->stages ? p->stages(&in, &s, err)
                       : rc_fail(err, RC_ENOTSUP, "it has no stages; bandk has");
    if (st < 0) {
        rc_err_context(err, "order %s", p->name);
        rc_order_stages_free(&s);
        return st;
    }
    *out = s;
    return RC_OK;
}

rc_status_t rc_order_build(const char *policy, const rc_csr_t *a, const rc_geometry_t *geometry,
    int threads, rc_schedule_t *out, rc_err_t *err)
{
    rc_policy_spec_t spec;
    int team = 1;
    if (!policy || !out)
        return rc_fail(
            err, RC_EINVAL, "%s: expected one, found NULL", policy ? "order of rows" : "order");
    RC_PASS(rc_policy_spec_parse(policy, &spec, err));
    RC_PASS(rc_csr_given(a, threads, &team, err));
    return rc_policy_build(&spec, a, geometry, team, NULL, out, err);
}

/* ------------------------------------------------------------------- parts */

rc_status_t rc_order_go_on(const rc_order_input_t *in, rc_err_t *err)
{
    int ended = 0;
    if (in && in->watch.stop) {
#pragma omp critical(rc_order_stop)
        ended = in->watch.stop(in->watch.user);
    }
    return ended ? rc_fail(err, RC_EINTR, "drained") : RC_OK;
}

rc_status_t rc_parts_number(const rc_order_input_t *in, rc_schedule_t *out, rc_err_t *err)
{
    rc_order_input_t of_auto = *in;
    of_auto.watch.facts = NULL;
    of_auto.watch.placed = NULL;
    return rc_policy_auto.build(&of_auto, out, err);
}

rc_status_t rc_parts_share(
    int64_t parts, int threads, rc_parts_take_fn *take, void *of, rc_err_t *err)
{
    rc_status_t all = RC_OK;
    _Atomic int64_t next = 0;
    int team = parts < threads ? (int)parts : threads;
    if (team <= 1) /* the part may have a team of its own, which inside another one is made anew for
                      each search */
        return take(of, &next, err);
#pragma omp parallel num_threads(team)
    {
        rc_err_t why = {0};
        rc_status_t st = take(of, &next, &why);
        if (st < 0)
            next = parts;
        rc_err_keep(st, &why, &all, err);
    }
    return all;
}
