/* The values of a plan's matrix.  While something is prepared they are the caller's, where they
 * are; afterwards the prepared matrices have them, and the plan keeps them only for preparing once
 * more what cannot be shared. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "format/places.h"
#include "plan/plan_private.h"

#include <stdlib.h>
#include <string.h>

rc_plan_values_t rc_plan_values_of(const void *val, int value_bytes, int on_device)
{
    return (rc_plan_values_t){
        .given = val, .on_device = on_device, .type = rc_type_of_bytes(value_bytes)};
}

void rc_plan_values_free(rc_plan_values_t *v)
{
    free(v->host);
    *v = (rc_plan_values_t){0};
}

static void *new_values(const rc_plan_t *plan, rc_precision_t type, rc_err_t *err)
{
    return rc_alloc((size_t)plan->a.nnz, rc_precision_bytes(type), "values", err);
}

/* From the caller's order of entries to the plan's. */
static void arrange(const rc_plan_t *plan, size_t bytes, const void *from, void *to)
{
    int threads = rc_plan_threads(plan->place.x, plan->a.nnz);
    if (!plan->from) {
        memcpy(to, from, (size_t)plan->a.nnz * bytes);
        return;
    }
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < plan->a.nnz; i++) {
        size_t at = (size_t)plan->from[i] * bytes;
        memcpy((char *)to + (size_t)i * bytes, (const char *)from + at, bytes);
    }
}

/* A copy on the host in the plan's order. */
static rc_status_t fetch(rc_plan_t *plan, rc_err_t *err)
{
    rc_plan_values_t *v = &plan->values;
    rc_executor_t *x = plan->place.x;
    size_t bytes = rc_precision_bytes(v->type);
    size_t all = (size_t)plan->a.nnz * bytes;
    void *there = NULL; /* as the device has them */
    rc_status_t st = RC_OK;
    v->host = new_values(plan, v->type, err);
    RC_PASS(v->host ? RC_OK : RC_ENOMEM);
    if (v->on_device && plan->from) {
        there = new_values(plan, v->type, err);
        st = there ? x->download(x, there, v->given, all, err) : RC_ENOMEM;
    } else if (v->on_device)
        st = x->download(x, v->host, v->given, all, err);
    if (st == RC_OK && (!v->on_device || plan->from))
        arrange(plan, bytes, there ? there : v->given, v->host);
    free(there);
    if (st < 0) {
        free(v->host);
        v->host = NULL;
    }
    return st;
}

rc_status_t rc_plan_values_here(rc_plan_t *plan, const void **out, rc_err_t *err)
{
    rc_plan_values_t *v = &plan->values;
    rc_status_t st = RC_OK;
    *out = NULL;
    if (plan->a.nnz == 0)
        return RC_OK;
    if (!v->host && !v->given)
        return rc_fail(err, RC_ENOTSUP, "the plan keeps no values, which its matrices have");
    if (!v->host && (v->on_device || plan->from))
        st = fetch(plan, err);
    *out = v->host ? v->host : v->given;
    return st;
}

rc_status_t rc_plan_values_there(rc_plan_t *plan, void **out, rc_err_t *err)
{
    const rc_plan_values_t *v = &plan->values;
    rc_executor_t *x = plan->place.x;
    rc_gather_t g = {
        .to_type = plan->precision, .count = plan->a.nnz, .from = v->given, .from_type = v->type};
    int moves = v->given && v->on_device && !plan->from; /* from memory of the device to it */
    rc_status_t st = moves ? RC_OK : rc_plan_values_here(plan, &g.from, err);
    *out = NULL;
    if (st == RC_OK && g.count > 0)
        st = x->alloc(x, (size_t)g.count * rc_precision_bytes(g.to_type), out, err);
    g.to = *out;
    if (st < 0 || g.count == 0)
        return st;
    return moves ? x->gather(x, &g, err) : rc_resident_put(x, &g, *out, err);
}

/* 1: a copy of the plan prepares a matrix of its own.  Teams of hosts differ, and their orders. */
static int keeps(const rc_plan_t *plan)
{
    int anew = plan->place.x->kind == RC_DEVICE_CPU;
    for (int i = 0; i < plan->entries; i++)
        anew |= !plan->entry[i].trial.spec.kernel->shares;
    return anew;
}

rc_status_t rc_plan_values_settle(rc_plan_t *plan, rc_err_t *err)
{
    rc_plan_values_t *v = &plan->values;
    rc_status_t st = RC_OK;
    if (!keeps(plan) || plan->a.nnz == 0) {
        free(v->host);
        v->host = NULL;
    } else if (!v->host)
        st = fetch(plan, err);
    v->given = NULL;
    return st;
}

/* ---------------------------------------------------------------- the newest */

/* What a gather has put, by the caller's numbers of values.  \param[out] out  [nnz] of its type */
static rc_status_t by_number(const rc_plan_t *plan, const rc_gather_t *g, void *out, rc_err_t *err)
{
    rc_executor_t *x = plan->place.x;
    size_t count = (size_t)g->count;
    size_t bytes = rc_precision_bytes(g->to_type);
    void *place = rc_alloc(count, (size_t)g->place_bytes, "the places of values", err);
    char *val = rc_alloc(count, bytes, "values", err);
    rc_status_t st;
    RC_TRY(place && val ? RC_OK : RC_ENOMEM);
    RC_TRY(x->download(x, place, g->place, count * (size_t)g->place_bytes, err));
    RC_TRY(x->download(x, val, g->to, count * bytes, err));
    for (size_t i = 0; i < count; i++) {
        int64_t at = rc_place_at(place, g->place_bytes, (int64_t)i) - 1;
        if (at >= 0)
            memcpy((char *)out + (size_t)at * bytes, val + i * bytes, bytes);
    }
done:
    free(place);
    free(val);
    return st;
}

rc_status_t rc_plan_values_newest(const rc_plan_t *plan, rc_plan_values_t *out, rc_err_t *err)
{
    const rc_gather_t *g = &plan->entry[0].gather;
    *out = (rc_plan_values_t){.type = plan->stale ? g->to_type : plan->values.type};
    if (plan->a.nnz == 0 || !keeps(plan))
        return RC_OK;
    size_t bytes = rc_precision_bytes(out->type);
    out->host = new_values(plan, out->type, err);
    RC_PASS(out->host ? RC_OK : RC_ENOMEM);
    if (!plan->stale) {
        memcpy(out->host, plan->values.host, (size_t)plan->a.nnz * bytes);
        return RC_OK;
    }
    void *number = new_values(plan, out->type, err);
    rc_status_t st = number ? by_number(plan, g, number, err) : RC_ENOMEM;
    if (st == RC_OK)
        arrange(plan, bytes, number, out->host);
    free(number);
    if (st < 0)
        rc_plan_values_free(out);
    return st;
}
