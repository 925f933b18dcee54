/* New values on the same pattern: put into the prepared matrices where the kernels say where they have
 * them, else everything is prepared anew.
 *
 * Where a prepared matrix has which value is found out once, by preparing one whose values are their own
 * numbers. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "kernels/resident.h"
#include "plan/plan_private.h"

#include <stdlib.h>
#include <string.h>

rc_status_t rc_plan_prepare_again(
    rc_plan_t *plan, const rc_plan_entry_t *e, const rc_plan_trial_t *of, rc_plan_trial_t *out,
    rc_err_t *err)
{
    rc_plan_scratch_t scratch = {0};
    rc_plan_candidate_t c = e->candidate[e->part.chosen];
    rc_status_t st = rc_plan_trial_prepare(plan, e->part.k, of, 0, &scratch, &c, out, err);
    rc_plan_scratch_free(plan, &scratch);
    rc_plan_resident_drop(plan);
    return st == RC_OK && !out->state ? rc_fail(err, c.status, "%s", c.text) : st;
}

/* ------------------------------------------------------------------- places */

/* Values that are not worth a second thread. */
enum { ALONE = 1 << 16 };

void rc_plan_gather_free(rc_plan_t *plan, rc_plan_entry_t *e)
{
    const void *place = e->gather.place;
    void *p;
    memcpy(&p, &place, sizeof p);
    plan->place.x->release(plan->place.x, p);
    e->gather = (rc_gather_t){0};
}

/* The places as integers, in the memory of the device.  \param[in] number  [count] as fp64 */
static rc_status_t keep_places(
    rc_plan_t *plan, const double *number, int64_t count, rc_gather_t *out, rc_err_t *err)
{
    rc_executor_t *x = plan->place.x;
    int bytes = plan->a.nnz < INT32_MAX ? 4 : 8;
    void *to = NULL;
    void *host = rc_alloc((size_t)count, (size_t)bytes, "the places of values", err);
    rc_status_t st = RC_OK;
    RC_TRY(host ? RC_OK : RC_ENOMEM);
#pragma omp parallel for num_threads(x->threads) schedule(static) if (count > ALONE)
    for (int64_t i = 0; i < count; i++)
        if (bytes == 4)
            ((int32_t *)host)[i] = (int32_t)number[i];
        else
            ((int64_t *)host)[i] = (int64_t)number[i];
    RC_TRY(x->alloc(x, (size_t)count * (size_t)bytes, &to, err));
    RC_TRY(x->upload(x, to, host, (size_t)count * (size_t)bytes, err));
    out->place = to;
    out->place_bytes = bytes;
    to = NULL;
done:
    x->release(x, to);
    free(host);
    return st;
}

/* A matrix of other values, prepared as an entry has its own.
 * \param[in]  resident  NULL, or the same matrix in the memory of the executor
 * \param[out] out       [count] those that the kernel put somewhere, in the precision of the plan */
static rc_status_t put_values(rc_plan_t *plan, const rc_plan_entry_t *e, const rc_csr_t *a,
    const rc_resident_t *resident, int64_t count, void *out, int *alike, rc_err_t *err)
{
    const rc_kernel_t *kernel = e->trial.spec.kernel;
    rc_executor_t *x = plan->place.x;
    rc_problem_t p = e->trial.problem;
    void *state = NULL;
    void *array = NULL;
    p.a = a;
    p.resident = resident;
    /* as it was analysed then: a kernel that reads a tuning file would choose by what is in it now */
    rc_status_t st = kernel->prepare(x, &p, &e->trial.analysis, &state, err);
    if (st < 0)
        return st;
    *alike = kernel->values(state, &array) == count;
    if (*alike)
        st = x->download(x, out, array, (size_t)count * rc_precision_bytes(plan->precision), err);
    kernel->release(state);
    return st;
}

/* The same on the device, where the kernel builds there and the memory allows it, else from the host.
 * \param[in] val  [nnz] */
static rc_status_t put_there(rc_plan_t *plan, const rc_plan_entry_t *e, double *val, int64_t count,
    void *out, int *alike, rc_err_t *err)
{
    rc_executor_t *x = plan->place.x;
    rc_csr_t a = plan->a;
    rc_err_t why = {0};
    void *there = NULL;
    a.val = val;
    const rc_resident_t *held = e->trial.spec.kernel->builds ? rc_plan_resident(plan) : NULL;
    if (!held)
        return put_values(plan, e, &a, NULL, count, out, alike, err);
    rc_resident_t numbered = *held;
    rc_status_t st = rc_resident_values(x, val, a.nnz, held->value_bytes, &there, &why);
    numbered.val = there;
    if (st == RC_OK)
        st = put_values(plan, e, &a, &numbered, count, out, alike, &why);
    x->release(x, there);
    if (st != RC_ENOMEM)
        return st < 0 ? rc_fail(err, st, "%s", why.text) : st;
    rc_plan_resident_drop(plan);
    return put_values(plan, e, &a, NULL, count, out, alike, err);
}

/* What stands for the values: the low or the high digits of their numbers. */
static void write_numbers(const rc_plan_t *plan, int bits, int high, double *val)
{
    const int64_t low = ((int64_t)1 << bits) - 1;
#pragma omp parallel for num_threads(plan->place.x->threads) schedule(static) if (plan->a.nnz > ALONE)
    for (int64_t i = 0; i < plan->a.nnz; i++) {
        int64_t number = plan->from ? plan->from[i] : i;
        val[i] = (double)(high ? number >> bits : (number & low) + 1);
    }
}

/* Add the digits that were put to the numbers. */
static void read_numbers(const rc_plan_t *plan, int bits, int high, const void *put, int64_t count, double *out)
{
    const int narrow = plan->precision == RC_FP32;
    const double base = (double)((int64_t)1 << bits);
#pragma omp parallel for num_threads(plan->place.x->threads) schedule(static) if (count > ALONE)
    for (int64_t i = 0; i < count; i++) {
        double digit = narrow ? (double)((const float *)put)[i] : ((const double *)put)[i];
        out[i] = high ? out[i] + digit * base : digit;
    }
}

/* The numbers of the values, as the kernel of an entry puts them, from 1 on; 0: padding.  In the precision of
 * the plan, because a kernel may put values of another one elsewhere: fp32 holds integers up to 2^24, so
 * larger numbers take two preparations, of their low and their high digits. */
static rc_status_t number_values(rc_plan_t *plan, const rc_plan_entry_t *e, int64_t count,
    double *out, int *alike, rc_err_t *err)
{
    const int bits = plan->precision == RC_FP32 ? 23 : 52;
    double *val = rc_alloc((size_t)plan->a.nnz, sizeof *val, "the numbers of values", err);
    void *put = rc_alloc((size_t)count, rc_precision_bytes(plan->precision), "the numbers of values", err);
    rc_status_t st = val && put ? RC_OK : RC_ENOMEM;
    *alike = 1;
    for (int high = 0; st == RC_OK && *alike && high <= (plan->a.nnz >> bits > 0); high++) {
        write_numbers(plan, bits, high, val);
        st = put_there(plan, e, val, count, put, alike, err);
        if (st == RC_OK && *alike)
            read_numbers(plan, bits, high, put, count, out);
    }
    free(put);
    free(val);
    return st;
}

/* 1: every value of the matrix has one place. */
static int covers(const rc_plan_t *plan, const double *number, int64_t count)
{
    int64_t placed = 0;
#pragma omp parallel for num_threads(plan->place.x->threads) schedule(static) reduction(+ : placed) if (count > ALONE)
    for (int64_t i = 0; i < count; i++)
        placed += number[i] > 0;
    return placed == plan->a.nnz;
}

/* Find the places of an entry; without an error and without places: new values are prepared anew. */
static rc_status_t find_places(rc_plan_t *plan, rc_plan_entry_t *e, rc_err_t *err)
{
    const rc_kernel_t *kernel = e->trial.spec.kernel;
    void *array = NULL;
    int64_t count = e->placed || e->trial.shares ? 0 : kernel->values(e->trial.state, &array);
    int alike = 0;
    if (count == 0)
        return RC_OK;
    e->placed = 1;
    double *number = rc_alloc((size_t)count, sizeof *number, "the numbers of values", err);
    rc_status_t st = number ? number_values(plan, e, count, number, &alike, err) : RC_ENOMEM;
    if (st == RC_OK && alike && covers(plan, number, count)) {
        e->gather = (rc_gather_t){.to = array,
            .to_bytes = (int)rc_precision_bytes(plan->precision),
            .count = count};
        st = keep_places(plan, number, count, &e->gather, err);
    }
    free(number);
    return st;
}

/* 1: no entry is known to be one whose values cannot be put in place, and no other plan would have them too. */
static int all_can(const rc_plan_t *plan)
{
    if (rc_users_others(plan->users))
        return 0;
    for (int i = 0; i < plan->entries; i++) {
        const rc_plan_entry_t *e = &plan->entry[i];
        if (!e->trial.shares && (!e->trial.spec.kernel->values || (e->placed && !e->gather.place)))
            return 0;
    }
    return 1;
}

int rc_plan_updates_async(const rc_plan_t *plan)
{
    for (int i = 0; i < plan->entries; i++)
        if (!plan->entry[i].trial.shares && !plan->entry[i].gather.place)
            return 0;
    return !rc_users_others(plan->users);
}

/* ------------------------------------------------------------------- update */

static rc_status_t gather_all(rc_plan_t *plan, const void *val, int value_bytes, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int i = 0; st == RC_OK && i < plan->entries; i++) {
        rc_gather_t g = plan->entry[i].gather;
        if (plan->entry[i].trial.shares)
            continue;
        g.from = val;
        g.from_bytes = value_bytes;
        st = plan->place.x->gather(plan->place.x, &g, err);
    }
    plan->stale = 1;
    return st;
}

/* Values of the host pass through memory of the device. */
static rc_status_t gather_from_host(
    rc_plan_t *plan, const void *val, int value_bytes, rc_err_t *err)
{
    rc_executor_t *x = plan->place.x;
    size_t bytes = (size_t)plan->a.nnz * (size_t)value_bytes;
    void *staged = NULL;
    rc_status_t st = x->alloc(x, bytes, &staged, err);
    if (st == RC_OK)
        st = x->upload(x, staged, val, bytes, err);
    if (st == RC_OK)
        st = gather_all(plan, staged, value_bytes, err);
    x->release(x, staged);
    return st;
}

/* Exchange what the entries have prepared for `other`.  \param[in,out] other  [entries] */
static void swap_trials(rc_plan_t *plan, rc_plan_trial_t *other)
{
    for (int i = 0; i < plan->entries; i++) {
        rc_plan_trial_t t = plan->entry[i].trial;
        plan->entry[i].trial = other[i];
        other[i] = t;
    }
}

/* The entries have matrices of their own now; the places that were found are those of the old ones. */
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
}

/* Prepare all entries anew; after an error they are as they were. */
static rc_status_t prepare_all(
    rc_plan_t *plan, const void *val, int value_bytes, int on_device, rc_err_t *err)
{
    rc_status_t st;
    rc_users_t *users = NULL;
    double *old = plan->a.val;
    double *fresh = rc_alloc((size_t)plan->a.nnz, sizeof *fresh, "values", err);
    rc_plan_trial_t *trial = rc_alloc0((size_t)plan->entries, sizeof *trial, "values", err);
    RC_TRY(fresh && trial ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_users_new(&users, err));
    RC_TRY(rc_plan_values_read(plan, val, value_bytes, on_device, fresh, err));
    plan->a.val = fresh;
    swap_trials(plan, trial); /* so that nothing is shared with the old ones */
    for (int i = 0; st == RC_OK && i < plan->entries; i++)
        st = rc_plan_prepare_again(plan, &plan->entry[i], NULL, &plan->entry[i].trial, err);
    if (st < 0) {
        swap_trials(plan, trial);
        goto done;
    }
    for (int i = 0; i < plan->entries; i++)
        rc_plan_trial_free(&trial[i]);
    adopt(plan, users);
    users = NULL;
    fresh = old;
    old = plan->a.val;
    plan->stale = 0;
done:
    plan->a.val = old;
    for (int i = 0; trial && i < plan->entries; i++)
        rc_plan_trial_free(&trial[i]);
    (void)(users && rc_users_leave(users));
    free(trial);
    free(fresh);
    return st;
}

rc_status_t rc_plan_update(
    rc_plan_t *plan, const void *val, int value_bytes, int on_device, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    if (!plan)
        return rc_fail(err, RC_EINVAL, "plan: expected one, found NULL");
    if (value_bytes != 4 && value_bytes != 8)
        return rc_fail(err, RC_EINVAL, "expected values of 4 or 8 bytes, found %d", value_bytes);
    if (plan->a.nnz > 0 && !val)
        return rc_fail(err, RC_EINVAL, "values: expected an array, found NULL");
    for (int i = 0; st == RC_OK && all_can(plan) && i < plan->entries; i++)
        st = find_places(plan, &plan->entry[i], err);
    rc_plan_resident_drop(plan);
    if (st < 0)
        return st;
    if (!rc_plan_updates_async(plan))
        return prepare_all(plan, val, value_bytes, on_device, err);
    return on_device ? gather_all(plan, val, value_bytes, err)
                     : gather_from_host(plan, val, value_bytes, err);
}

/* ---------------------------------------------------------------- the newest */

static int64_t place_at(const rc_gather_t *g, const void *place, int64_t i)
{
    return g->place_bytes == 4 ? ((const int32_t *)place)[i] : ((const int64_t *)place)[i];
}

static double value_at(const rc_gather_t *g, const void *val, int64_t i)
{
    return g->to_bytes == 4 ? (double)((const float *)val)[i] : ((const double *)val)[i];
}

/* By the caller's numbers of values. */
static rc_status_t by_number(
    const rc_plan_t *plan, const rc_gather_t *g, double *out, rc_err_t *err)
{
    rc_executor_t *x = plan->place.x;
    size_t count = (size_t)g->count;
    void *place = rc_alloc(count, (size_t)g->place_bytes, "the places of values", err);
    void *val = rc_alloc(count, (size_t)g->to_bytes, "values", err);
    rc_status_t st = place && val ? RC_OK : RC_ENOMEM;
    if (st == RC_OK)
        st = x->download(x, place, g->place, count * (size_t)g->place_bytes, err);
    if (st == RC_OK)
        st = x->download(x, val, g->to, count * (size_t)g->to_bytes, err);
    for (int64_t i = 0; st == RC_OK && i < g->count; i++)
        if (place_at(g, place, i) > 0)
            out[place_at(g, place, i) - 1] = value_at(g, val, i);
    free(place);
    free(val);
    return st;
}

rc_status_t rc_plan_values_newest(const rc_plan_t *plan, rc_csr_t *a, rc_err_t *err)
{
    size_t nnz = (size_t)a->nnz;
    if (nnz == 0)
        return RC_OK;
    if (!plan->stale) {
        memcpy(a->val, plan->a.val, nnz * sizeof *a->val);
        return RC_OK;
    }
    double *number = rc_alloc(nnz, sizeof *number, "values", err);
    rc_status_t st = number ? by_number(plan, &plan->entry[0].gather, number, err) : RC_ENOMEM;
    for (int64_t i = 0; st == RC_OK && i < a->nnz; i++)
        a->val[i] = number[plan->from ? plan->from[i] : i];
    free(number);
    return st;
}
