/* One candidate: its preparation, its time. */
#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/stats.h"
#include "kernels/prepared.h"
#include "plan/plan_private.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------- matrix on the device */

/* Row pointers and columns, where they are not there yet, and values. */
static rc_status_t bring(rc_plan_t *plan, const void *val, rc_resident_t *r, rc_err_t *err)
{
    const rc_resident_t *there = rc_plan_pattern_there(plan);
    if (there) {
        *r = *there;
        memset(r->owned, 0, sizeof r->owned);
    } else
        RC_PASS(rc_resident_pattern(plan->place.x, &plan->a, r, err));
    r->type = val ? plan->values.type : plan->precision;
    rc_status_t st = val ? RC_OK : rc_plan_values_there(plan, &r->owned[2], err);
    r->val = val ? val : r->owned[2];
    return st;
}

/* What is brought there for it. */
static int64_t bytes_to_bring(const rc_plan_t *plan, const void *val)
{
    const rc_csr_t *a = &plan->a;
    const rc_csr_t none = {.rows = a->rows, .nnz = 0};
    int64_t values = rc_sat_mul(a->nnz, (int64_t)rc_precision_bytes(plan->precision));
    int64_t columns = rc_sat_mul(a->nnz, (int64_t)sizeof *a->col_idx);
    int64_t pattern = rc_sat_add(columns, rc_resident_bytes(&none, plan->precision));
    return rc_sat_add(rc_plan_pattern_there(plan) ? 0 : pattern, val ? 0 : values);
}

const rc_resident_t *rc_plan_resident(rc_plan_t *plan)
{
    const void *val = rc_plan_values_borrow(plan);
    int64_t bytes = bytes_to_bring(plan, val);
    rc_err_t why = {0};
    if (plan->resident_state != 0)
        return plan->resident_state > 0 ? &plan->resident : NULL;
    int64_t start = rc_clock_ns();
    plan->resident_state = -1;
    if (plan->memory > 0 && bytes > plan->memory / RC_PLAN_RESIDENT_PART)
        return NULL;
    if (bring(plan, val, &plan->resident, &why) < 0) {
        rc_resident_free(&plan->resident);
        return NULL;
    }
    plan->resident_state = 1;
    plan->resident_bytes = bytes;
    plan->resident_ns = bytes > 0 ? (double)(rc_clock_ns() - start) : 0;
    return &plan->resident;
}

void rc_plan_resident_drop(rc_plan_t *plan)
{
    if (plan->resident_state > 0)
        rc_resident_free(&plan->resident);
    plan->resident_state = 0;
    plan->resident_bytes = 0;
    plan->pointers = (rc_resident_t){0};
}

rc_status_t rc_plan_withdraw(rc_plan_t *plan, rc_err_t *err)
{
    RC_PASS(rc_plan_pattern_here(plan, err));
    rc_plan_resident_drop(plan);
    rc_plan_pattern_leave(plan);
    if (plan->values.given)
        rc_plan_values_leave(plan);
    plan->resident_state = -1;
    return RC_OK;
}

/* Bytes of the device that the matrix takes to be prepared from. */
static int64_t held_bytes(const rc_plan_t *plan)
{
    int64_t values = rc_sat_mul(plan->a.nnz, (int64_t)rc_precision_bytes(plan->values.type));
    int64_t bytes = rc_sat_add(plan->resident_bytes, rc_plan_pattern_bytes(plan));
    for (int i = 0; i < plan->orders; i++)
        bytes = rc_sat_add(bytes, rc_memory_bytes(&plan->order[i]->memory));
    return rc_sat_add(bytes, plan->values.there ? values : 0);
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
    RC_PASS(rc_plan_order_get(plan, c->order, &g, &t->order, err));
    const rc_plan_order_t *o = plan->order[t->order];
    t->problem = (rc_problem_t){.k = k,
        .precision = plan->precision,
        .out_sums = plan->out_sums,
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

static int is_alike(const rc_plan_trial_t *a, const rc_plan_trial_t *b)
{
    return a->state && a->spec.kernel == b->spec.kernel && a->order == b->order &&
           strcmp(a->spec.params, b->spec.params) == 0;
}

/* What another K of the plan has prepared of the same matrix, kernel and order; NULL: nothing. */
static const rc_plan_trial_t *prepared_alike(const rc_plan_t *plan, const rc_plan_trial_t *t)
{
    for (int i = 0; i < plan->entries; i++) {
        const rc_plan_trial_t *other = &plan->entry[i].trial;
        if (!other->shares && plan->entry[i].part.k != t->problem.k && is_alike(other, t))
            return other;
    }
    return NULL;
}

void rc_plan_trial_hand_over(rc_plan_t *plan, const rc_plan_trial_t *trial)
{
    for (int i = 0; i < plan->entries && !trial->shares; i++) {
        rc_plan_trial_t *other = &plan->entry[i].trial;
        if (other->shares && is_alike(other, trial)) {
            other->shares = 0;
            return;
        }
    }
}

int rc_plan_trial_has_owner(const rc_plan_t *plan, const rc_plan_trial_t *trial)
{
    void *own = NULL;
    void *array = NULL;
    const rc_plan_trial_t *other = trial->shares ? prepared_alike(plan, trial) : NULL;
    if (!other)
        return 0;
    (void)rc_kernel_values(trial->state, &own);
    (void)rc_kernel_values(other->state, &array);
    return own == array;
}

/* Whose matrix a candidate shares; NULL: it is prepared. */
static const rc_plan_trial_t *shared_with(
    const rc_plan_t *plan, const rc_plan_try_t *w, rc_plan_trial_t *t)
{
    const rc_plan_trial_t *of = w->of;
    if (!t->spec.kernel->shares || w->alone)
        return NULL;
    if (of && !rc_plan_same_geometry(&of->problem.geometry, &t->problem.geometry))
        return NULL; /* its order may be another one */
    const rc_plan_trial_t *other = of ? of : prepared_alike(plan, t);
    t->shares = of ? of->shares : other != NULL;
    return other;
}

/* Order and pattern, which analysing reads too. */
static rc_status_t give_pattern(rc_plan_t *plan, const rc_plan_trial_t *t,
    const rc_resident_t *resident, rc_problem_t *p, rc_err_t *err)
{
    rc_plan_order_t *o = plan->order[t->order];
    p->resident = resident;
    p->rows_there = resident && !o->identity ? rc_plan_order_there(plan, o) : NULL;
    if (resident && t->spec.kernel->builds == RC_BUILDS_ALONE)
        return RC_OK;
    RC_PASS(rc_plan_pattern_here(plan, err));
    return rc_plan_order_here(o, err);
}

static rc_status_t give_values(rc_plan_t *plan, rc_problem_t *p, rc_err_t *err)
{
    p->val_type = plan->values.type;
    p->conjugates = plan->conjugates;
    return p->resident ? RC_OK : rc_plan_values_here(plan, &p->val, err);
}

rc_status_t rc_plan_give(rc_plan_t *plan, const rc_plan_trial_t *trial,
    const rc_resident_t *resident, rc_problem_t *p, rc_err_t *err)
{
    RC_PASS(give_pattern(plan, trial, resident, p, err));
    return give_values(plan, p, err);
}

/* \param[in] of  NULL, or whose matrix is to be shared */
static rc_status_t prepare(rc_plan_t *plan, const rc_plan_trial_t *of, rc_plan_scratch_t *scratch,
    rc_plan_trial_t *t, rc_err_t *err)
{
    const rc_kernel_t *kernel = t->spec.kernel;
    rc_executor_t *x = plan->place.x;
    RC_PASS(of ? RC_OK : give_values(plan, &t->problem, err));
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
        *bytes = rc_analysis_column_bytes(&t->analysis, t->problem.k + spare);
        return RC_OK;
    }
    const rc_resident_t *resident = kernel->builds ? rc_plan_resident(plan) : NULL;
    RC_PASS(give_pattern(plan, t, resident, &t->problem, err));
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
    rc_handover_t handover = {0};
    *t = (rc_plan_trial_t){0};
    RC_TRY(pose(plan, w->k, c, t, why));
    t->problem.handover = &handover;
    int64_t start = rc_clock_ns();
    const rc_plan_trial_t *of = shared_with(plan, w, t);
    RC_TRY(analyse(plan, of, t, &c->bytes, why));
    c->order_ns = plan->order[t->order]->ns;
    RC_TRY(check_memory(plan, c->bytes, rc_sat_add(w->kept, held_bytes(plan)), why));
    RC_TRY(prepare(plan, of, w->scratch, t, why));
    c->prepare_ns = (double)(rc_clock_ns() - start) +
                    (t->problem.resident ? plan->resident_ns + plan->pattern->ns : 0);
    RC_TRY(try_runs(plan, w->scratch, t, why));
done:
    rc_handover_drop(&handover);
    t->problem.handover = NULL;
    t->problem.resident = NULL;
    t->problem.rows_there = NULL;
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

/* Once more from the host.  What was not the plan's the next candidate may have enough with. */
static rc_status_t try_from_host(
    rc_plan_t *plan, const rc_plan_try_t *what, rc_plan_trial_t *t, rc_err_t *why)
{
    int owned = held_bytes(plan) > 0;
    *why = (rc_err_t){0};
    if (owned)
        RC_PASS(rc_plan_withdraw(plan, why));
    plan->resident_state = -1;
    rc_status_t st = try_prepare(plan, what, t, why);
    plan->resident_state = owned ? -1 : 0;
    return st;
}

void rc_plan_candidate_is(rc_plan_candidate_t *c, rc_status_t st, const rc_err_t *why)
{
    c->status = st;
    (void)snprintf(c->text, sizeof c->text, "%.*s", (int)sizeof c->text - 1, why->text);
}

/* Memory that is short may be enough without the matrix on the device. */
rc_status_t rc_plan_trial_prepare(
    rc_plan_t *plan, const rc_plan_try_t *what, rc_plan_trial_t *t, rc_err_t *err)
{
    rc_err_t why = {0};
    rc_plan_candidate_t *c = what->candidate;
    rc_status_t st = try_prepare(plan, what, t, &why);
    if (st == RC_ENOMEM &&
        (held_bytes(plan) > 0 || (plan->resident_state > 0 && !is_over(plan, c))))
        st = try_from_host(plan, what, t, &why);
    rc_plan_candidate_is(c, st, &why);
    return st == RC_EDEVICE ? rc_fail(err, st, "%s", why.text) : RC_OK;
}

void rc_plan_trial_free(rc_plan_trial_t *t)
{
    if (t->state)
        rc_kernel_release(t->spec.kernel, t->state);
    *t = (rc_plan_trial_t){0};
}

void rc_plan_trial_move(rc_plan_trial_t *from, rc_plan_trial_t *to)
{
    *to = *from;
    to->problem.text = to->spec.text; /* which has moved */
    to->problem.named = to->spec.params;
    *from = (rc_plan_trial_t){0};
}

int rc_plan_makes_again(rc_plan_t *plan, int times, double ns)
{
    enum { most = 3, part = 4 }; /* of what is left */
    if (times >= most || !(ns < (double)(plan->again_ns / part)))
        return 0;
    plan->again_ns -= (int64_t)ns;
    return 1;
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

rc_status_t rc_plan_trial_batch(rc_plan_t *plan, const rc_plan_scratch_t *scratch,
    const rc_plan_trial_t *trial, int64_t batch, int64_t *ns, rc_err_t *err)
{
    rc_plan_time_fn *time = plan->place.time ? plan->place.time : time_on_host;
    launch_t l = {trial, &scratch->o};
    if (plan->place.look)
        plan->place.look(plan->place.user, 0);
    return time(plan->place.user, launch, &l, batch, ns, err);
}

int64_t rc_plan_batch_of(int64_t product_ns, int64_t batch_ns)
{
    const int64_t most = 1000;
    int64_t batch = product_ns > 0 ? batch_ns / product_ns : most;
    return batch < 1 ? 1 : batch > most ? most : batch;
}

void rc_plan_timing_add(rc_plan_timing_t *t, int64_t ns, rc_plan_candidate_t *c)
{
    rc_stats_t s;
    t->ns[t->samples++] = (double)ns / (double)t->batch;
    rc_stats_compute(t->ns, t->samples, &s); /* sorts them */
    c->time_ns = s.median;
    t->rel_err = s.rel_err;
    t->rel_sd = s.sd / s.median;
}

void rc_plan_timing_few(rc_plan_timing_t *t, int64_t ns, rc_plan_candidate_t *c)
{
    enum { few = 3, some = 12 };
    const double noise = 0.015; /* that a batch has at least, whatever a few of them show */
    rc_plan_timing_add(t, ns, c);
    if (t->samples < few)
        return;
    if (t->samples <= some) /* the median deviation of so few is often far too small */
        t->rel_err = fmax(t->rel_err, t->rel_sd / sqrt(t->samples));
    t->rel_err = fmax(t->rel_err, noise / sqrt(t->samples));
}

void rc_plan_timing_fastest(rc_plan_timing_t *t, rc_plan_candidate_t *c)
{
    enum { few = 4 };
    const double least = 0.05; /* none of the batches may have had the machine to itself */
    int quarter = t->samples < few ? t->samples - 1 : t->samples / few;
    if (t->samples < 1)
        return;
    c->time_ns = t->ns[0];
    t->rel_err = t->samples > 1 ? fmax(t->ns[quarter] / t->ns[0] - 1, least) : NAN;
}

rc_status_t rc_plan_trial_time(rc_plan_t *plan, const rc_plan_scratch_t *scratch,
    rc_plan_candidate_t *c, const rc_plan_trial_t *trial, rc_plan_timing_t *t, rc_err_t *err)
{
    enum { samples = 5 };
    const int64_t batch_ns =
        300000; /* a batch: long beside the clock, short beside a preparation */
    int64_t ns = 0;
    rc_status_t st = RC_OK;
    if (t->batch == 0) {
        st = rc_plan_trial_batch(plan, scratch, trial, 1, &ns, err); /* cold code and data */
        t->single = t->slow_ns > 0 && (double)ns > t->slow_ns;
        if (st == RC_OK && !t->single)
            st = rc_plan_trial_batch(plan, scratch, trial, 1, &ns, err);
        t->batch = rc_plan_batch_of(ns, batch_ns);
    }
    RC_PASS(st);
    for (int i = 0; i < (t->single ? 1 : samples) && t->samples < RC_PLAN_SAMPLES_MOST; i++) {
        RC_PASS(rc_plan_trial_batch(plan, scratch, trial, t->batch, &ns, err));
        rc_plan_timing_add(t, ns, c);
    }
    return RC_OK;
}
