/* New values on the same pattern: they are put into the prepared matrices where the kernels say
 * where they have them, else everything is prepared anew.  The places of the values in a prepared
 * matrix are found out at the first update: preparing it once more leaves them (format/places.h).
 * A plan for A and A' has them in both or, after an error, in neither. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "format/places.h"
#include "kernels/prepared.h"
#include "plan/plan_private.h"
#include "plan/use.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------ new values */

rc_status_t rc_plan_prepare_again(rc_plan_t *plan, const rc_plan_entry_t *e,
    const rc_plan_trial_t *of, rc_plan_trial_t *out, rc_err_t *err)
{
    rc_plan_scratch_t scratch = {0};
    rc_plan_candidate_t c = e->candidate[e->part.chosen];
    const rc_plan_try_t what = {.k = e->part.k, .of = of, .scratch = &scratch, .candidate = &c};
    rc_status_t st = rc_plan_trial_prepare(plan, &what, out, err);
    rc_plan_scratch_free(plan, &scratch);
    rc_plan_resident_drop(plan);
    return st == RC_OK && !out->state ? rc_fail(err, c.status, "%s", c.text) : st;
}

/* ------------------------------------------------------------------- places */

void rc_plan_gather_free(rc_plan_t *plan, rc_plan_entry_t *e)
{
    const void *place = e->gather.place;
    void *p;
    memcpy(&p, &place, sizeof p);
    plan->place.x->release(plan->place.x, p);
    e->gather = (rc_gather_t){0};
}

/* Prepare the matrix of an entry once more, for its places.
 * \param[in]  resident  NULL, or the matrix in the memory of the executor
 * \param[out] out  free with rc_places_free; of as many places as the kernel has values, or of
 *         none */
static rc_status_t leave_places(rc_plan_t *plan, const rc_plan_entry_t *e,
    const rc_resident_t *resident, rc_places_t *out, rc_err_t *err)
{
    const rc_kernel_t *kernel = e->trial.spec.kernel;
    rc_problem_t p = e->trial.problem;
    void *state = NULL;
    void *array = NULL;
    *out = (rc_places_t){0};
    p.places = out;
    RC_PASS(rc_plan_give(plan, &e->trial, resident, &p, err));
    /* as it was analysed then: a kernel that reads a tuning file would choose by what is in it
     * now */
    RC_PASS(rc_kernel_prepare(kernel, plan->place.x, &p, &e->trial.analysis, &state, err));
    if (out->count != rc_kernel_values(state, &array))
        rc_places_free(out);
    rc_kernel_release(kernel, state);
    return RC_OK;
}

/* The same on the device, where the kernel builds there and the memory allows it, else from the
 * host. */
static rc_status_t find_there(
    rc_plan_t *plan, const rc_plan_entry_t *e, rc_places_t *out, rc_err_t *err)
{
    rc_err_t why = {0};
    const rc_resident_t *held = e->trial.spec.kernel->builds ? rc_plan_resident(plan) : NULL;
    if (!held)
        return leave_places(plan, e, NULL, out, err);
    rc_status_t st = leave_places(plan, e, held, out, &why);
    if (st != RC_ENOMEM)
        return st < 0 ? rc_fail(err, st, "%s", why.text) : st;
    rc_places_free(out);
    RC_PASS(rc_plan_withdraw(plan, err));
    return leave_places(plan, e, NULL, out, err);
}

/* The first type whose values are as wide as the numbers of places, which are moved as such. */
static rc_precision_t as_wide(int place_bytes)
{
    int t = 0;
    while (t < RC_TYPES - 1 && rc_type((rc_precision_t)t)->bytes != place_bytes)
        t++;
    return (rc_precision_t)t;
}

/* Where the device has the caller's order: a place is what it has for the entry that is there. */
static rc_status_t renumber_there(const rc_plan_t *plan, rc_places_t *places, rc_err_t *err)
{
    const rc_there_t *t = &plan->pattern->there;
    const rc_precision_t type = as_wide(places->bytes);
    const rc_gather_t g = {.to = places->at,
        .to_type = type,
        .place = places->at,
        .place_bytes = places->bytes,
        .count = places->count,
        .from = t->from,
        .from_type = type};
    return places->x->gather(places->x, &g, err);
}

/* Places of the caller's order of entries, where the plan has sorted them. */
static rc_status_t renumber(rc_plan_t *plan, rc_places_t *places, rc_err_t *err)
{
    rc_executor_t *x = places->x;
    const rc_there_t *t = &plan->pattern->there;
    size_t bytes = (size_t)places->count * (size_t)places->bytes;
    if (!rc_plan_is_moved(plan))
        return RC_OK;
    if (t->from && t->from_bytes == places->bytes)
        return renumber_there(plan, places, err);
    RC_PASS(rc_plan_pattern_here(plan, err));
    void *place = rc_alloc(1, bytes, "the places of values", err);
    rc_status_t st = place ? x->download(x, place, places->at, bytes, err) : RC_ENOMEM;
    for (int64_t i = 0; st == RC_OK && i < places->count; i++) {
        int64_t at = rc_place_at(place, places->bytes, i);
        if (at > 0)
            rc_place_put(place, places->bytes, i, plan->from[at - 1]);
    }
    if (st == RC_OK)
        st = x->upload(x, places->at, place, bytes, err);
    free(place);
    return st;
}

/* Find the places of an entry; without an error and without places: new values are prepared
 * anew. */
static rc_status_t find_places(rc_plan_t *plan, rc_plan_entry_t *e, rc_err_t *err)
{
    rc_places_t places = {0};
    void *array = NULL;
    int64_t count = e->placed || e->trial.shares ? 0 : rc_kernel_values(e->trial.state, &array);
    if (count == 0)
        return RC_OK;
    e->placed = 1;
    rc_status_t st = find_there(plan, e, &places, err);
    if (st == RC_OK && places.count == count && (st = renumber(plan, &places, err)) == RC_OK) {
        e->gather = (rc_gather_t){.to = array,
            .to_type = plan->precision,
            .place = places.at,
            .place_bytes = places.bytes,
            .count = count,
            .conjugates = plan->conjugates};
        places.at = NULL;
    }
    rc_places_free(&places);
    return st;
}

/* 1: no entry is known to be one whose values cannot be put in place, and no other plan would
 * have them too. */
static int all_can(const rc_plan_t *plan)
{
    if (rc_users_others(plan->users))
        return 0;
    for (int i = 0; i < plan->entries; i++) {
        const rc_plan_entry_t *e = &plan->entry[i];
        void *array;
        if (!e->trial.shares &&
            (rc_kernel_values(e->trial.state, &array) == 0 || (e->placed && !e->gather.place)))
            return 0;
    }
    return 1;
}

static int is_async(const rc_plan_t *plan)
{
    for (int i = 0; i < plan->entries; i++)
        if (!plan->entry[i].trial.shares && !plan->entry[i].gather.place)
            return 0;
    return !rc_users_others(plan->users);
}

int rc_plan_updates_async(const rc_plan_t *plan)
{
    return is_async(plan) && (!plan->transpose || is_async(plan->transpose));
}

/* ------------------------------------------------------------------- update */

/* A plan that gets new values, until it is known whether it has them. */
typedef struct renewal {
    rc_plan_t *plan;            /* NULL: none */
    rc_plan_values_t old;       /* what it had */
    rc_plan_trial_t *old_trial; /* [entries] likewise, of one that was prepared anew, owned; NULL:
                                   its values are put in place */
    rc_users_t *users;          /* of what was prepared anew */
} renewal_t;

/* Exchange what the entries have prepared for `other`.  \param[in,out] other  [entries] */
static void swap_trials(rc_plan_t *plan, rc_plan_trial_t *other)
{
    for (int i = 0; i < plan->entries; i++) {
        rc_plan_trial_t t = plan->entry[i].trial;
        plan->entry[i].trial = other[i];
        other[i] = t;
    }
}

/* The entries have matrices of their own now; the places that were found are those of the old
 * ones. */
static void adopt(rc_plan_t *plan, rc_users_t *users)
{
    for (int i = 0; i < plan->entries; i++) {
        rc_plan_entry_t *e = &plan->entry[i];
        if (e->gather.place)
            e->placed = 0;
        rc_plan_gather_free(plan, e);
    }
    (void)rc_users_leave(plan->users);
    plan->users = users;
    plan->stale = 0;
}

/* Prepare all entries anew of the values that the plan has now.  After an error some are of the old
 * ones. */
static rc_status_t prepare_all(renewal_t *r, rc_err_t *err)
{
    rc_plan_t *plan = r->plan;
    RC_PASS(RC_NEW0(r->old_trial, plan->entries, "values", err));
    RC_PASS(rc_users_new(&r->users, err));
    swap_trials(plan, r->old_trial); /* so that nothing is shared with the old ones */
    for (int i = 0; i < plan->entries; i++)
        RC_PASS(rc_plan_prepare_again(plan, &plan->entry[i], NULL, &plan->entry[i].trial, err));
    return rc_plan_values_settle(plan, err);
}

/* With the caller's values as those of the plan, which renewal_end decides on. */
static rc_status_t renewal_begin(renewal_t *r, rc_plan_t *plan, rc_plan_values_t val, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_plan_use_free(plan); /* its candidates have the old ones */
    *r = (renewal_t){.plan = plan, .old = plan->values};
    plan->values = val;
    for (int i = 0; st == RC_OK && all_can(plan) && i < plan->entries; i++)
        st = find_places(plan, &plan->entry[i], err);
    rc_plan_resident_drop(plan);
    return st == RC_OK && !is_async(plan) ? prepare_all(r, err) : st;
}

/* \param[in] st  RC_OK: the new values are those of the plan; else it is as it was */
static void renewal_end(renewal_t *r, rc_status_t st)
{
    rc_plan_t *plan = r->plan;
    if (!plan)
        return;
    const int anew = st == RC_OK && r->old_trial;
    if (r->users && !anew) /* the old ones were taken out */
        swap_trials(plan, r->old_trial);
    for (int i = 0; r->old_trial && i < plan->entries; i++)
        rc_plan_trial_free(&r->old_trial[i]);
    free(r->old_trial);
    if (anew)
        adopt(plan, r->users);
    else if (r->users)
        (void)rc_users_leave(r->users);
    rc_plan_values_free(anew ? &r->old : &plan->values);
    if (!anew)
        plan->values = r->old;
}

static rc_status_t gather_all(rc_plan_t *plan, const void *val, rc_precision_t type, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int i = 0; st == RC_OK && i < plan->entries; i++) {
        rc_gather_t g = plan->entry[i].gather;
        if (plan->entry[i].trial.shares)
            continue;
        g.from = val;
        g.from_type = type;
        st = plan->place.x->gather(plan->place.x, &g, err);
    }
    plan->stale = 1;
    return st;
}

enum { BOTH = 2 }; /* plans that new values reach at most */

/* 1: new values are put in place. */
static int gathers(const renewal_t *r)
{
    return r->plan && !r->old_trial;
}

/* Put values that are in memory of the device in place. */
static rc_status_t put(const renewal_t r[BOTH], const void *val, rc_precision_t type, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int i = 0; st == RC_OK && i < BOTH; i++)
        st = gathers(&r[i]) ? gather_all(r[i].plan, val, type, err) : RC_OK;
    return st;
}

/* Values of the host pass through memory of the device. */
static rc_status_t put_from_host(
    const renewal_t r[BOTH], const void *val, rc_precision_t type, rc_err_t *err)
{
    rc_executor_t *x = r[0].plan->place.x;
    size_t bytes = (size_t)r[0].plan->a.nnz * rc_precision_bytes(type);
    void *staged = NULL;
    rc_status_t st;
    RC_TRY(x->alloc(x, bytes, &staged, err));
    RC_TRY(x->upload(x, staged, val, bytes, err));
    st = put(r, staged, type, err);
done:
    x->release(x, staged);
    return st;
}

rc_status_t rc_plan_update(
    rc_plan_t *plan, const void *val, rc_precision_t type, int on_device, rc_err_t *err)
{
    renewal_t r[BOTH] = {{0}};
    if (!plan)
        return rc_fail(err, RC_EINVAL, "plan: expected one, found NULL");
    RC_PASS(rc_plan_type_check(plan->place.x, type, "values", err));
    RC_PASS(rc_type_becomes(type, plan->precision, "values", err));
    if (plan->a.nnz > 0 && !val)
        return rc_fail(err, RC_EINVAL, "values: expected an array, found NULL");
    const int aligned = rc_executor_aligned(plan->place.x, type);
    if (on_device && (uintptr_t)val % (uintptr_t)aligned != 0)
        return rc_fail(
            err, RC_EINVAL, "values: expected memory aligned to %d bytes, found %p", aligned, val);
    const rc_plan_values_t given = rc_plan_values_of(val, type, on_device);
    rc_status_t st = renewal_begin(&r[0], plan, given, err);
    if (st == RC_OK && plan->transpose)
        st = renewal_begin(&r[1], plan->transpose, given, err);
    if (st == RC_OK && (gathers(&r[0]) || gathers(&r[1])))
        st = on_device ? put(r, val, type, err) : put_from_host(r, val, type, err);
    for (int i = 0; i < BOTH; i++)
        renewal_end(&r[i], st);
    return st;
}
