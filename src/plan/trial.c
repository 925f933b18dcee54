/* One candidate: its order, its preparation, its time. */
#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/stats.h"
#include "kernels/prepared.h"
#include "plan/plan_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------- matrix on the device */

const rc_resident_t *rc_plan_resident(rc_plan_t *plan)
{
    enum { part = 8 }; /* of the memory that the plan may take */
    int64_t bytes = rc_resident_bytes(&plan->a, plan->precision);
    rc_err_t why = {0};
    if (plan->given.row_ptr)
        return &plan->given;
    if (plan->resident_bytes < 0)
        return NULL;
    if (plan->resident_bytes > 0)
        return &plan->resident;
    int64_t start = rc_clock_ns();
    plan->resident_bytes = -1;
    if (plan->memory > 0 && bytes > plan->memory / part)
        return NULL;
    rc_resident_t *r = &plan->resident;
    rc_status_t st = rc_resident_pattern(plan->place.x, &plan->a, r, &why);
    if (st == RC_OK)
        st = rc_plan_values_there(plan, &r->owned[2], &why);
    r->val = r->owned[2];
    r->type = plan->precision;
    if (st < 0) {
        rc_resident_free(r);
        return NULL;
    }
    plan->resident_bytes = bytes;
    plan->resident_ns = (double)(rc_clock_ns() - start);
    return &plan->resident;
}

void rc_plan_resident_drop(rc_plan_t *plan)
{
    if (plan->resident_bytes > 0)
        rc_resident_free(&plan->resident);
    plan->resident_bytes = 0;
    plan->given = (rc_resident_t){0};
    plan->pointers = (rc_resident_t){0};
}

/* ------------------------------------------------------------------ orders */

static int same_geometry(const rc_geometry_t *a, const rc_geometry_t *b)
{
    return a->nw == b->nw && a->nt == b->nt && a->line == b->line;
}

rc_status_t rc_plan_order_add(
    rc_plan_t *plan, const rc_plan_order_t *order, int *index, rc_err_t *err)
{
    rc_plan_order_t *o = rc_alloc0(1, sizeof *o, "an order", err);
    size_t bytes = ((size_t)plan->orders + 1) * sizeof *plan->order;
    rc_plan_order_t **grown = o ? realloc(plan->order, bytes) : NULL;
    if (!grown) {
        rc_schedule_t schedule = order->schedule;
        free(o);
        rc_schedule_free(&schedule);
        return rc_fail(err, RC_ENOMEM, "no memory for the orders of a plan");
    }
    *o = *order;
    o->identity = rc_schedule_is_identity(&o->schedule);
    plan->order = grown;
    plan->order[plan->orders] = o;
    *index = plan->orders++;
    return RC_OK;
}

/* On the device, where it has the matrix and this order.  \return RC_ENOTSUP: the host has to */
static rc_status_t build_there(rc_plan_t *plan, const char *text, rc_schedule_t *out, rc_err_t *err)
{
    const rc_plan_place_t *at = &plan->place;
    const rc_resident_t *m = NULL;
    if (at->order && at->order(at->x, text, &plan->a, NULL, NULL, err) == RC_OK)
        m = rc_plan_resident(plan);
    if (!m)
        return RC_ENOTSUP;
    rc_status_t st;
    RC_TRY(rc_schedule_alloc(plan->a.rows, plan->a.rows, out, err));
    RC_TRY(at->order(at->x, text, &plan->a, m, out->row, err));
    RC_TRY(rc_schedule_fits(out, &plan->a, err));
    return RC_OK;
done:
    rc_schedule_free(out);
    return st;
}

/* Asked by threads that build an order. */
static int is_over_time(void *user)
{
    const rc_plan_t *plan = user;
    const rc_plan_place_t *at = &plan->place;
    return rc_plan_now(at) > plan->until_ns || (at->watch && at->watch(at->watcher, NULL, 0));
}

static rc_status_t build_order(rc_plan_t *plan, const char *text, const rc_policy_spec_t *spec,
    const rc_geometry_t *g, rc_schedule_t *out, rc_err_t *err)
{
    rc_err_t why = {0};
    rc_status_t st = build_there(plan, text, out, &why);
    if (st == RC_OK)
        return st;
    if (st != RC_ENOTSUP && st != RC_ENOMEM)
        return rc_fail(err, st, "%s", why.text);
    const rc_order_watch_t watch = {.stop = is_over_time, .user = plan};
    return rc_policy_build(
        spec, &plan->a, g, plan->threads, plan->until_ns ? &watch : NULL, out, err);
}

/* The order of a text, as it was named where it was. */
static rc_status_t spec_of(
    const rc_plan_t *plan, const char *text, rc_policy_spec_t *out, rc_err_t *err)
{
    char name[RC_POLICY_TEXT];
    for (int i = 0; i < plan->names; i++) {
        rc_policy_spec_text(&plan->named[i], name);
        if (strcmp(name, text) == 0) {
            *out = plan->named[i];
            return RC_OK;
        }
    }
    return rc_policy_spec_parse(text, out, err);
}

/* The order of that text for a geometry, built when it is not there yet.
 * \param[out] index  in plan->order */
static rc_status_t get_order(
    rc_plan_t *plan, const char *text, const rc_geometry_t *g, int *index, rc_err_t *err)
{
    for (int i = 0; i < plan->orders; i++)
        if (strcmp(plan->order[i]->text, text) == 0 &&
            same_geometry(&plan->order[i]->geometry, g)) {
            *index = i;
            return RC_OK;
        }
    rc_policy_spec_t spec;
    rc_plan_order_t o = {.geometry = *g};
    RC_PASS(spec_of(plan, text, &spec, err));
    int held = plan->resident_bytes > 0;
    int64_t start = rc_clock_ns();
    RC_PASS(build_order(plan, text, &spec, g, &o.schedule, err));
    if (o.schedule.cols > 0) {
        rc_schedule_free(&o.schedule);
        return rc_fail(err, RC_ENOTSUP,
            "order %s renumbers the columns too: a plan takes B in original order", text);
    }
    /* the upload counts with the preparations */
    double upload = !held && plan->resident_bytes > 0 ? plan->resident_ns : 0;
    o.ns = (double)(rc_clock_ns() - start) - upload;
    (void)snprintf(o.text, sizeof o.text, "%s", text);
    return rc_plan_order_add(plan, &o, index, err);
}

/* ----------------------------------------------------------------- prepare */

static rc_status_t check_kernel(const rc_plan_t *plan, const rc_kernel_spec_t *spec, rc_err_t *err)
{
    const rc_kernel_t *k = spec->kernel;
    if (k->device != plan->place.x->kind)
        return rc_fail(err, RC_ENOTSUP, "kernel %s runs on %s", k->name,
            k->device == RC_DEVICE_CPU ? "CPUs" : "GPUs");
    if (k->op != plan->op)
        return rc_fail(err, RC_ENOTSUP, "kernel %s computes %s, expected %s", k->name,
            rc_op_name(k->op), rc_op_name(plan->op));
    if (rc_operation_of(plan->op)->has_k && k->layout != plan->layout)
        return rc_fail(err, RC_ENOTSUP, "kernel %s takes operands of layout %s, expected %s",
            k->name, rc_layout_name(k->layout), rc_layout_name(plan->layout));
    if (!k->computes)
        return rc_fail(err, RC_ENOTSUP, "kernel %s computes nothing", k->name);
    if (plan->k_range && !k->any_k)
        return rc_fail(err, RC_ENOTSUP, "kernel %s takes one K, expected a range", k->name);
    if (plan->deterministic & RC_PLAN_SAME_BITS &&
        (!k->deterministic || !k->deterministic(spec->param)))
        return rc_fail(
            err, RC_ENOTSUP, "kernel %s does not promise the same bits each run", k->name);
    if (plan->deterministic & RC_PLAN_STRICT && (!k->strict || !k->strict(spec->param)))
        return rc_fail(err, RC_ENOTSUP, "kernel %s may spread NaN and infinity", k->name);
    return RC_OK;
}

/* \param[in] bytes  that a candidate takes */
static rc_status_t check_memory(const rc_plan_t *plan, int64_t bytes, int64_t kept, rc_err_t *err)
{
    bytes = rc_sat_add(bytes, kept);
    if (plan->memory == 0 || bytes <= plan->memory)
        return RC_OK;
    return rc_fail(err, RC_ENOMEM,
        "needs %" PRId64 " bytes of device memory, expected at most %" PRId64, bytes, plan->memory);
}

/* The problem of a candidate, without the matrix on the device. */
static rc_status_t pose(
    rc_plan_t *plan, int64_t k, const rc_plan_candidate_t *c, rc_plan_trial_t *t, rc_err_t *err)
{
    RC_PASS(rc_kernel_spec_parse(c->kernel, plan->place.x->kind, &t->spec, err));
    RC_PASS(check_kernel(plan, &t->spec, err));
    const rc_kernel_t *kernel = t->spec.kernel;
    rc_geometry_t g = kernel->geometry(plan->place.x, t->spec.param, plan->precision);
    RC_PASS(get_order(plan, c->order, &g, &t->order, err));
    const rc_plan_order_t *o = plan->order[t->order];
    t->problem = (rc_problem_t){.k = k,
        .precision = plan->precision,
        .c_order = RC_C_ORIGINAL,
        .a = &plan->a,
        .schedule = &o->schedule,
        .identity = o->identity,
        .geometry = g,
        .c_rows = rc_shape_rows(&rc_operation_of(plan->op)->out, &plan->a)};
    memcpy(t->problem.param, t->spec.param, sizeof t->problem.param);
    t->problem.text = t->spec.text;
    t->problem.named = t->spec.params;
    return RC_OK;
}

/* What another K of the plan has prepared of the same matrix, kernel and order; NULL: nothing. */
static const rc_plan_trial_t *prepared_alike(const rc_plan_t *plan, const rc_plan_trial_t *t)
{
    for (int i = 0; i < plan->entries; i++) {
        const rc_plan_trial_t *other = &plan->entry[i].trial;
        if (other->state && !other->shares && plan->entry[i].part.k != t->problem.k &&
            other->spec.kernel == t->spec.kernel && other->order == t->order &&
            strcmp(other->spec.params, t->spec.params) == 0)
            return other;
    }
    return NULL;
}

/* Whose matrix a candidate shares; NULL: it is prepared.  \param[in] of  of another plan, or
 * NULL */
static const rc_plan_trial_t *shared_with(
    const rc_plan_t *plan, const rc_plan_trial_t *of, rc_plan_trial_t *t)
{
    if (!t->spec.kernel->shares)
        return NULL;
    if (of && !same_geometry(&of->problem.geometry, &t->problem.geometry))
        return NULL; /* its order may be another one */
    const rc_plan_trial_t *other = of ? of : prepared_alike(plan, t);
    t->shares = of ? of->shares : other != NULL;
    return other;
}

rc_status_t rc_plan_give_values(rc_plan_t *plan, rc_problem_t *p, rc_err_t *err)
{
    p->val_type = plan->values.type;
    return p->resident ? RC_OK : rc_plan_values_here(plan, &p->val, err);
}

/* \param[in] of  NULL, or whose matrix is to be shared */
static rc_status_t prepare(rc_plan_t *plan, const rc_plan_trial_t *of, rc_plan_scratch_t *scratch,
    rc_plan_trial_t *t, rc_err_t *err)
{
    const rc_kernel_t *kernel = t->spec.kernel;
    rc_executor_t *x = plan->place.x;
    RC_PASS(of ? RC_OK : rc_plan_give_values(plan, &t->problem, err));
    rc_status_t st = of ? rc_kernel_share(kernel, x, &t->problem, of->state, &t->state, err)
                        : rc_kernel_prepare(kernel, x, &t->problem, &t->analysis, &t->state, err);
    if (st < 0) {
        t->state = NULL;
        return st;
    }
    if (kernel->preprocess && !scratch->held)
        st = rc_plan_scratch_new(plan, t->problem.k, scratch, err);
    if (st == RC_OK && kernel->preprocess)
        st = kernel->preprocess(t->state, &scratch->o, err);
    return st;
}

/* What a kernel does not take of leading dimensions and K it says in a run. */
static rc_status_t try_runs(
    const rc_plan_t *plan, rc_plan_scratch_t *scratch, const rc_plan_trial_t *t, rc_err_t *err)
{
    enum { load_bytes = 16 }; /* the widest load */
    const rc_kernel_t *kernel = t->spec.kernel;
    int strides = plan->ld_out > 0 || plan->ld_in[0] > 0 || plan->ld_in[1] > 0;
    if (!strides && !plan->k_range)
        return RC_OK;
    rc_status_t st = scratch->held ? RC_OK : rc_plan_scratch_new(plan, t->problem.k, scratch, err);
    if (st == RC_ENOMEM)
        return RC_OK; /* not tried: a run of the plan will say it */
    if (st == RC_OK && strides)
        st = rc_kernel_run(kernel, t->state, &scratch->o, 1, 0, err);
    /* of smaller K one that loads of each width divide, down to the least there may be: what is
     * refused hangs on that */
    for (int64_t values = load_bytes / (int64_t)rc_precision_bytes(plan->precision);
         st == RC_OK && plan->k_range && values > 0; values /= 2) {
        int64_t k = values > 1 ? t->problem.k - t->problem.k % values : 1;
        rc_operands_t some = rc_plan_operands(plan, plan->op, k, &scratch->o);
        if (k > 0)
            st = rc_kernel_run(kernel, t->state, &some, 1, 0, err);
    }
    return st;
}

/* Of the matrix, or as it was for another K.  \param[in] of  NULL, or whose matrix is to be shared
 * \param[out] bytes  that preparing takes */
static rc_status_t analyse(
    rc_plan_t *plan, const rc_plan_trial_t *of, rc_plan_trial_t *t, int64_t *bytes, rc_err_t *err)
{
    const rc_kernel_t *kernel = t->spec.kernel;
    if (of) {
        enum { load_bytes = 16 }; /* which may reach beyond K */
        int64_t spare = load_bytes / (int64_t)rc_precision_bytes(plan->precision) - 1;
        t->analysis = of->analysis;
        *bytes = rc_sat_mul(t->analysis.bytes_per_column, t->problem.k + spare);
        return RC_OK;
    }
    t->problem.resident = kernel->builds ? rc_plan_resident(plan) : NULL;
    rc_status_t st = rc_kernel_analyse(kernel, &t->problem, &t->analysis, err);
    *bytes = rc_analysis_bytes(&t->analysis, t->problem.k);
    return st;
}

/* As rc_plan_trial_prepare, with every status returned. */
static rc_status_t try_prepare(
    rc_plan_t *plan, const rc_plan_try_t *w, rc_plan_trial_t *t, rc_err_t *why)
{
    rc_plan_candidate_t *c = w->candidate;
    rc_status_t st;
    *t = (rc_plan_trial_t){0};
    RC_TRY(pose(plan, w->k, c, t, why));
    int64_t start = rc_clock_ns();
    const rc_plan_trial_t *of = shared_with(plan, w->of, t);
    RC_TRY(analyse(plan, of, t, &c->bytes, why));
    int64_t resident = plan->resident_bytes > 0 ? plan->resident_bytes : 0;
    c->order_ns = plan->order[t->order]->ns;
    RC_TRY(check_memory(plan, c->bytes, rc_sat_add(w->kept, resident), why));
    RC_TRY(prepare(plan, of, w->scratch, t, why));
    c->prepare_ns = (double)(rc_clock_ns() - start) + (t->problem.resident ? plan->resident_ns : 0);
    RC_TRY(try_runs(plan, w->scratch, t, why));
done:
    t->problem.resident = NULL;
    t->problem.val = NULL;
    if (st < 0)
        rc_plan_trial_free(t);
    return st;
}

/* 1: the candidate alone takes more than the plan may. */
static int is_over(const rc_plan_t *plan, const rc_plan_candidate_t *c)
{
    return plan->memory > 0 && c->bytes > plan->memory;
}

/* Memory that is short may be enough without the matrix on the device. */
rc_status_t rc_plan_trial_prepare(
    rc_plan_t *plan, const rc_plan_try_t *what, rc_plan_trial_t *t, rc_err_t *err)
{
    rc_err_t why = {0};
    rc_plan_candidate_t *c = what->candidate;
    rc_status_t st = try_prepare(plan, what, t, &why);
    if (st == RC_ENOMEM &&
        (plan->resident_bytes > 0 || (plan->given.row_ptr && !is_over(plan, c)))) {
        const rc_resident_t given = plan->given; /* the next candidate may have enough with it */
        rc_plan_resident_drop(plan);
        plan->resident_bytes = -1;
        why = (rc_err_t){0};
        st = try_prepare(plan, what, t, &why);
        plan->given = given;
    }
    c->status = st;
    (void)snprintf(c->text, sizeof c->text, "%.*s", (int)sizeof c->text - 1, why.text);
    return st == RC_EDEVICE ? rc_fail(err, st, "%s", why.text) : RC_OK;
}

void rc_plan_trial_free(rc_plan_trial_t *t)
{
    if (t->state)
        rc_kernel_release(t->spec.kernel, t->state);
    *t = (rc_plan_trial_t){0};
}

/* ------------------------------------------------------------------ timing */

typedef struct launch {
    const rc_plan_trial_t *trial;
    const rc_operands_t *o;
} launch_t;

static rc_status_t launch(void *state, rc_err_t *err)
{
    const launch_t *l = state;
    return rc_kernel_run(l->trial->spec.kernel, l->trial->state, l->o, 1, 0, err);
}

/* For executors whose runs are waited for. */
static rc_status_t time_on_host(
    void *user, rc_launch_fn *fn, void *state, int64_t batch, int64_t *ns, rc_err_t *err)
{
    (void)user;
    rc_status_t st = RC_OK;
    int64_t start = rc_clock_ns();
    for (int64_t i = 0; st == RC_OK && i < batch; i++)
        st = fn(state, err);
    *ns = rc_clock_ns() - start;
    return st;
}

rc_status_t rc_plan_trial_time(rc_plan_t *plan, const rc_plan_scratch_t *scratch,
    rc_plan_candidate_t *c, const rc_plan_trial_t *trial, rc_plan_timing_t *t, rc_err_t *err)
{
    enum { samples = 5, most_batch = 1000 };
    const int64_t batch_ns =
        300000; /* a batch: long beside the clock, short beside a preparation */
    rc_plan_time_fn *time = plan->place.time ? plan->place.time : time_on_host;
    launch_t l = {trial, &scratch->o};
    int64_t ns = 0;
    rc_status_t st = RC_OK;
    if (t->batch == 0) {
        st = time(plan->place.user, launch, &l, 1, &ns, err); /* cold code and data */
        t->single = t->slow_ns > 0 && (double)ns > t->slow_ns;
        if (st == RC_OK && !t->single)
            st = time(plan->place.user, launch, &l, 1, &ns, err);
        int64_t batch = ns > 0 ? batch_ns / ns : most_batch;
        t->batch = batch < 1 ? 1 : batch > most_batch ? most_batch : batch;
    }
    RC_PASS(st);
    for (int i = 0; i < (t->single ? 1 : samples) && t->samples < RC_PLAN_SAMPLES; i++) {
        RC_PASS(time(plan->place.user, launch, &l, t->batch, &ns, err));
        t->ns[t->samples++] = (double)ns / (double)t->batch;
    }
    rc_stats_t s;
    rc_stats_compute(t->ns, t->samples, &s); /* sorts them, which later ones do not mind */
    c->time_ns = s.median;
    t->rel_err = s.rel_err;
    return RC_OK;
}
