#include "config.h"
#include "plan/plan.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "plan/plan_private.h"
#include "plan/use.h"
#include "sparse/csr.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ problem */

static rc_status_t check_range(const rc_plan_problem_t *p, rc_err_t *err)
{
    if (p->ks != 2 || !p->k)
        return rc_fail(err, RC_EINVAL, "K: expected the least and the most of a range");
    if (p->k[0] < 1 || p->k[1] < p->k[0] || p->k[1] > INT32_MAX)
        return rc_fail(err, RC_EINVAL,
            "K: expected a range in 1 to 2^31 - 1, found %" PRId64 " to %" PRId64, p->k[0],
            p->k[1]);
    return RC_OK;
}

static rc_status_t check_ks(const rc_plan_problem_t *p, rc_err_t *err)
{
    if (p->k_range)
        return check_range(p, err);
    if (p->ks < 1 || !p->k)
        return rc_fail(err, RC_EINVAL, "K: expected at least one, found none");
    for (int i = 0; i < p->ks; i++) {
        if (p->k[i] < 1 || p->k[i] > INT32_MAX)
            return rc_fail(err, RC_EINVAL, "K: expected 1 to 2^31 - 1, found %" PRId64, p->k[i]);
        for (int j = 0; j < i; j++)
            if (p->k[i] == p->k[j])
                return rc_fail(
                    err, RC_EINVAL, "K: expected each once, found %" PRId64 " twice", p->k[i]);
    }
    return RC_OK;
}

rc_status_t rc_plan_problem_check(const rc_plan_problem_t *p, rc_err_t *err)
{
    if (!p)
        return rc_fail(err, RC_EINVAL, "problem: expected one, found NULL");
    if ((unsigned)p->op >= RC_OPS)
        return rc_fail(err, RC_EINVAL, "problem: found no operation of number %d", (int)p->op);
    RC_PASS(rc_type_check(p->precision, "problem", err));
    if (p->out_fp32 && rc_type(p->precision)->sum == p->precision)
        return rc_fail(err, RC_EINVAL, "out_fp32: expected dense operands of 16 bits, found %s",
            rc_precision_name(p->precision));
    if ((unsigned)p->layout >= RC_LAYOUTS)
        return rc_fail(err, RC_EINVAL, "problem: found no layout of number %d", (int)p->layout);
    if (!rc_operation_of(p->op)->has_k)
        return p->ks == 0
                   ? RC_OK
                   : rc_fail(err, RC_EINVAL, "K: %s has none, found %d", rc_op_name(p->op), p->ks);
    return check_ks(p, err);
}

rc_status_t rc_plan_turn_check(int transposed, rc_err_t *err)
{
    const int both = RC_PLAN_TRANSPOSED | RC_PLAN_ADJOINT;
    return transposed & ~(both | RC_PLAN_CONJUGATED) || (transposed & both) == both
               ? rc_fail(err, RC_EINVAL,
                     "transposed: expected RC_PLAN_TRANSPOSED or RC_PLAN_ADJOINT, and "
                     "RC_PLAN_CONJUGATED, found %d",
                     transposed)
               : RC_OK;
}

static rc_status_t check_options(const rc_plan_options_t *o, rc_err_t *err)
{
    if (!(o->reuse >= 0) || isinf(o->reuse))
        return rc_fail(err, RC_EINVAL, "reuse: expected at least 0, found %g", o->reuse);
    if (o->tune < RC_PLAN_SEARCH || o->tune_ns < 0 || o->memory < 0 || o->threads < 0 ||
        o->tune_in_use < 0)
        return rc_fail(err, RC_EINVAL, "options: expected no negative number");
    if (o->tune_in_use > 0 && o->tune != 0)
        return rc_fail(
            err, RC_EINVAL, "tune_in_use: expected tune = 0 beside it, found %d", o->tune);
    if (o->deterministic & ~(RC_PLAN_SAME_BITS | RC_PLAN_STRICT))
        return rc_fail(err, RC_EINVAL,
            "deterministic: expected bits of RC_PLAN_SAME_BITS and RC_PLAN_STRICT, found %d",
            o->deterministic);
    return rc_plan_turn_check(o->transposed, err);
}

/* Of operands and matrix: a place has room for them, and the first for the second. */
static rc_status_t check_types(const rc_plan_place_t *place, const rc_plan_problem_t *p,
    const rc_plan_matrix_t *a, rc_err_t *err)
{
    RC_PASS(rc_plan_type_check(place->x, p->precision, "problem", err));
    RC_PASS(rc_plan_type_check(place->x, a->precision, "matrix: values", err));
    return rc_type_becomes(a->precision, p->precision, "matrix: values", err);
}

/* ----------------------------------------------------------------- new, free */

/* The next K that a range is cut at. */
static int64_t cut_after(const rc_plan_problem_t *p, int64_t k)
{
    int64_t cut = 1;
    while (cut < k)
        cut *= 2;
    return cut < p->k[1] ? cut : p->k[1];
}

static int count_parts(const rc_plan_problem_t *p)
{
    int parts = 1;
    if (!p->k_range)
        return p->ks > 0 ? p->ks : 1;
    for (int64_t k = cut_after(p, p->k[0]); k < p->k[1]; k = cut_after(p, k + 1))
        parts++;
    return parts;
}

static void list_parts(const rc_plan_problem_t *p, rc_plan_t *plan)
{
    int64_t least = p->ks > 0 ? p->k[0] : 1;
    for (int i = 0; i < plan->entries; i++) {
        rc_plan_part_t *part = &plan->entry[i].part;
        if (!p->k_range && p->ks > 0)
            least = p->k[i];
        *part = (rc_plan_part_t){.k = p->k_range ? cut_after(p, least) : least, .k_least = least};
        least = part->k + 1;
    }
}

rc_status_t rc_plan_begin(const rc_plan_place_t *place, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, int64_t memory, rc_plan_t **out, rc_err_t *err)
{
    rc_status_t st;
    *out = NULL;
    RC_PASS(rc_plan_problem_check(problem, err));
    if (!a)
        return rc_fail(err, RC_EINVAL, "matrix: expected one, found NULL");
    RC_PASS(check_types(place, problem, a, err));
    rc_plan_t *plan = rc_alloc0(1, sizeof *plan, "a plan", err);
    RC_PASS(plan ? RC_OK : RC_ENOMEM);
    *plan = (rc_plan_t){.place = *place,
        .op = problem->op,
        .precision = problem->precision,
        .out_sums = problem->out_fp32 != 0,
        .layout = problem->layout,
        .ld_in = {problem->ld_in[0], problem->ld_in[1]},
        .ld_out = problem->ld_out,
        .k_range = problem->k_range,
        .memory = memory,
        .entries = count_parts(problem)};
    (void)snprintf(plan->device_class, sizeof plan->device_class, "%s",
        place->device_class ? place->device_class : "");
    plan->entry = rc_alloc0((size_t)plan->entries, sizeof *plan->entry, "a plan", err);
    RC_TRY(plan->entry ? rc_users_new(&plan->users, err) : RC_ENOMEM);
    list_parts(problem, plan);
    plan->pattern = rc_alloc0(1, sizeof *plan->pattern, "a plan", err);
    RC_TRY(plan->pattern ? RC_OK : RC_ENOMEM);
    plan->values = rc_plan_values_of(a->val, a->precision, a->on_device);
    const int by_entry = rc_operation_of(plan->op)->out.rows == RC_DIM_NNZ;
    if (!(by_entry && a->form == RC_PLAN_CSC))
        RC_TRY(rc_plan_pattern_read(plan, a, err));
    if (a->on_device && a->form == RC_PLAN_CSR && !rc_plan_pattern_there(plan))
        plan->pointers = (rc_resident_t){
            .x = place->x, .row_ptr = a->row_ptr, .row_ptr_bytes = a->row_ptr_bytes};
    if (by_entry && (a->form == RC_PLAN_CSC || rc_plan_is_moved(plan)))
        RC_TRY(rc_fail(err, RC_ENOTSUP,
            "matrix: %s has a value for each entry, expected row by row, columns in ascending "
            "order",
            rc_op_name(plan->op)));
    for (int i = 0; i < plan->entries; i++)
        RC_TRY(rc_plan_strides_check(plan, plan->entry[i].part.k, err));
    *out = plan;
    return RC_OK;
done:
    rc_plan_free(plan);
    return st;
}

rc_status_t rc_plan_make(const rc_plan_place_t *place, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, const rc_plan_options_t *o, rc_plan_t **out, rc_err_t *err)
{
    rc_plan_t *plan = NULL;
    rc_status_t st;
    *out = NULL;
    RC_PASS(rc_plan_begin(place, problem, a, o->memory, &plan, err));
    plan->deterministic = o->deterministic;
    plan->threads = o->threads;
    plan->conjugates =
        (o->transposed & RC_PLAN_CONJUGATED) != 0 && rc_type(plan->precision)->parts > 1;
    for (int i = 0; i < plan->entries; i++) {
        RC_TRY(rc_plan_candidates(plan, o, &plan->entry[i], err));
        RC_TRY(rc_plan_choose(plan, o, &plan->entry[i], err));
    }
    if (o->tune_in_use > 0 && !(o->deterministic & RC_PLAN_SAME_BITS))
        RC_TRY(rc_plan_use_new(plan, o, err));
    RC_TRY(rc_plan_settle(plan, err));
    *out = plan;
    return RC_OK;
done:
    rc_plan_free(plan);
    return st;
}

rc_status_t rc_plan_new(const rc_plan_place_t *place, const rc_plan_problem_t *problem,
    const rc_plan_matrix_t *a, const rc_plan_options_t *options, rc_plan_t **out, rc_err_t *err)
{
    const rc_plan_options_t defaults = {0};
    const rc_plan_options_t *o = options ? options : &defaults;
    *out = NULL;
    RC_PASS(check_options(o, err));
    if (!(o->transposed & ~RC_PLAN_CONJUGATED) || !problem || !a) /* which is said there */
        return rc_plan_make(place, problem, a, o, out, err);
    return rc_plan_both_new(&(rc_plan_request_t){*place, *problem, *a}, o, out, err);
}

rc_status_t rc_plan_settle(rc_plan_t *plan, rc_err_t *err)
{
    rc_plan_resident_drop(plan);
    rc_plan_orders_settle(plan);
    RC_PASS(rc_plan_values_settle(plan, err));
    RC_PASS(rc_plan_pattern_settle(plan, err));
    return plan->place.x->wait(plan->place.x, err); /* what was copied is the caller's till then */
}

void rc_plan_free(rc_plan_t *plan)
{
    if (!plan)
        return;
    rc_plan_free(plan->transpose);
    rc_plan_use_free(plan);
    for (int i = 0; plan->entry && i < plan->entries; i++) {
        rc_plan_gather_free(plan, &plan->entry[i]);
        rc_plan_trial_free(&plan->entry[i].trial);
        free(plan->entry[i].candidate);
        free(plan->entry[i].timing);
    }
    rc_plan_resident_drop(plan);
    if (plan->pattern)
        rc_plan_pattern_leave(plan);
    rc_plan_orders_free(plan);
    (void)rc_users_leave(plan->users);
    free(plan->pattern);
    free(plan->named);
    free(plan->entry);
    free(plan->from);
    rc_csr_free(&plan->a);
    rc_plan_values_free(&plan->values);
    if (plan->home)
        plan->home->free(plan->home);
    free(plan);
}

/* ----------------------------------------------------------------------- run */

rc_status_t rc_plan_entry_of(const rc_plan_t *plan, int64_t k, rc_plan_entry_t **out, rc_err_t *err)
{
    int has_k = rc_operation_of(plan->op)->has_k;
    for (int i = 0; i < plan->entries; i++)
        if (!has_k || (plan->entry[i].part.k_least <= k && k <= plan->entry[i].part.k)) {
            *out = &plan->entry[i];
            return RC_OK;
        }
    char known[80] = "";
    size_t at = 0;
    if (plan->k_range)
        return rc_fail(err, RC_ERANGE, "K = %" PRId64 ": the plan is for %" PRId64 " to %" PRId64,
            k, plan->entry[0].part.k_least, plan->entry[plan->entries - 1].part.k);
    for (int i = 0; i < plan->entries && at + 24 < sizeof known; i++)
        at += (size_t)snprintf(
            known + at, sizeof known - at, "%s%" PRId64, i ? ", " : "", plan->entry[i].part.k);
    return rc_fail(err, RC_ERANGE, "K = %" PRId64 ": the plan is for %s", k, known);
}

/* ----------------------------------------------------------------------- copy */

/* The order of an entry: preparing finds it by its text and geometry. */
static rc_status_t copy_order(rc_plan_order_t *o, rc_plan_t *to, rc_err_t *err)
{
    rc_plan_order_t copied = *o;
    int index;
    for (int i = 0; i < to->orders; i++)
        if (strcmp(to->order[i]->text, o->text) == 0 &&
            memcmp(&to->order[i]->geometry, &o->geometry, sizeof o->geometry) == 0)
            return RC_OK;
    copied.schedule = (rc_schedule_t){.slots = o->schedule.slots, .rows = o->schedule.rows};
    copied.memory = (rc_memory_t){0};
    if (o->schedule.row) {
        RC_PASS(rc_schedule_alloc(o->schedule.slots, o->schedule.rows, &copied.schedule, err));
        if (o->schedule.slots > 0)
            memcpy(copied.schedule.row, o->schedule.row,
                (size_t)o->schedule.slots * sizeof *o->schedule.row);
    } else if (o->memory.pieces > 0)
        RC_PASS(rc_memory_share(&o->memory, to->place.x, &copied.memory, err));
    return rc_plan_order_add(to, &copied, &index, err);
}

static rc_status_t copy_entry(const rc_plan_t *plan, const rc_plan_entry_t *e, rc_plan_t *to,
    rc_plan_entry_t *out, rc_err_t *err)
{
    size_t n = (size_t)e->part.candidates;
    out->part = e->part;
    out->part.candidate = NULL;
    RC_PASS(RC_NEW(out->candidate, n, "the candidates of a plan", err));
    memcpy(out->candidate, e->candidate, n * sizeof *out->candidate);
    out->reuse = e->reuse;
    out->uncertain = e->uncertain;
    if (e->timing) {
        RC_PASS(RC_NEW(out->timing, n, "the times of a plan", err));
        memcpy(out->timing, e->timing, n * sizeof *out->timing);
    }
    out->part.candidate = out->candidate;
    RC_PASS(copy_order(plan->order[e->trial.order], to, err));
    return rc_plan_prepare_again(to, out, &e->trial, &out->trial, err);
}

/* Copies that share no prepared matrix do not count as users of it. */
static rc_status_t join(const rc_plan_t *plan, rc_plan_t *to, rc_err_t *err)
{
    int shares = 0;
    for (int i = 0; i < plan->entries; i++)
        shares |= plan->entry[i].trial.spec.kernel->shares > 0;
    if (!shares)
        return rc_users_new(&to->users, err);
    to->users = plan->users;
    rc_users_join(to->users);
    return RC_OK;
}

rc_status_t rc_plan_copy(
    const rc_plan_t *plan, const rc_plan_place_t *place, rc_plan_t **out, rc_err_t *err)
{
    rc_status_t st;
    *out = NULL;
    rc_plan_t *to = rc_alloc0(1, sizeof *to, "a plan", err);
    RC_PASS(to ? RC_OK : RC_ENOMEM);
    to->place = *place;
    memcpy(to->device_class, plan->device_class, sizeof to->device_class);
    memcpy(to->company, plan->company, sizeof to->company);
    to->op = plan->op;
    to->precision = plan->precision;
    to->out_sums = plan->out_sums;
    to->conjugates = plan->conjugates;
    to->adjoint = plan->adjoint;
    to->layout = plan->layout;
    memcpy(to->ld_in, plan->ld_in, sizeof to->ld_in);
    to->ld_out = plan->ld_out;
    to->memory = plan->memory;
    to->deterministic = plan->deterministic;
    to->threads = plan->threads;
    to->k_range = plan->k_range;
    RC_TRY(join(plan, to, err));
    RC_TRY(RC_NEW0(to->entry, plan->entries, "a plan", err));
    to->entries = plan->entries;
    to->pattern = rc_alloc0(1, sizeof *to->pattern, "a plan", err);
    RC_TRY(to->pattern ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_plan_pattern_clone(plan, to, err));
    RC_TRY(rc_plan_values_newest(plan, to, err));
    for (int i = 0; i < plan->entries; i++)
        RC_TRY(copy_entry(plan, &plan->entry[i], to, &to->entry[i], err));
    to->both = plan->both;
    if (plan->transpose)
        RC_TRY(rc_plan_copy(plan->transpose, place, &to->transpose, err));
    *out = to;
    return RC_OK;
done:
    rc_plan_free(to);
    return st;
}
