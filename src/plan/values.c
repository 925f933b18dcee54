/* The values of a plan's matrix.  While something is prepared they are the caller's, where they
 * are; afterwards the prepared matrices have them, and the plan keeps them only for preparing once
 * more what cannot be shared. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/type.h"
#include "format/places.h"
#include "format/resident.h"
#include "plan/plan_private.h"

#include <stdlib.h>
#include <string.h>

rc_status_t rc_plan_type_check(
    const rc_executor_t *x, rc_precision_t t, const char *what, rc_err_t *err)
{
    RC_PASS(rc_type_check(t, what, err));
    return rc_executor_takes(x, t) ? RC_OK
                                   : rc_fail(err, RC_ENOTSUP, "%s: this device has no values of %s",
                                         what, rc_precision_name(t));
}

rc_plan_values_t rc_plan_values_of(const void *val, rc_precision_t type, int on_device)
{
    return (rc_plan_values_t){.given = val, .on_device = on_device, .type = type};
}

void rc_plan_values_free(rc_plan_values_t *v)
{
    free(v->host);
    if (v->there)
        v->x->release(v->x, v->there);
    *v = (rc_plan_values_t){0};
}

void rc_plan_values_leave(rc_plan_t *plan)
{
    rc_plan_values_t *v = &plan->values;
    if (v->there)
        v->x->release(v->x, v->there);
    v->there = NULL;
}

/* In memory of the executor, in the caller's order; NULL: not there. */
static const void *source_of(const rc_plan_values_t *v)
{
    return v->given && v->on_device ? v->given : v->there;
}

/* 1: the caller's, on the host. */
static int is_here(const rc_plan_values_t *v)
{
    return v->given && !v->on_device;
}

const void *rc_plan_values_borrow(const rc_plan_t *plan)
{
    enum { widest_load = 16 };
    const void *source = source_of(&plan->values);
    return rc_plan_is_moved(plan) || (uintptr_t)source % widest_load != 0 ? NULL : source;
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
    const int here = is_here(v);
    const int moved = rc_plan_is_moved(plan);
    size_t bytes = rc_precision_bytes(v->type);
    size_t all = (size_t)plan->a.nnz * bytes;
    void *there = NULL; /* as the device has them */
    RC_PASS(moved && !plan->from ? rc_plan_pattern_here(plan, err) : RC_OK);
    rc_status_t st = RC_OK;
    v->host = new_values(plan, v->type, err);
    RC_PASS(v->host ? RC_OK : RC_ENOMEM);
    if (!here && moved) {
        there = new_values(plan, v->type, err);
        st = there ? x->download(x, there, source_of(v), all, err) : RC_ENOMEM;
    } else if (!here)
        st = x->download(x, v->host, source_of(v), all, err);
    if (st == RC_OK && (here || moved))
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
    if (!v->host && !v->given && !v->there)
        return rc_fail(err, RC_ENOTSUP, "the plan keeps no values, which its matrices have");
    if (!v->host && (!is_here(v) || rc_plan_is_moved(plan)))
        st = fetch(plan, err);
    *out = v->host ? v->host : v->given;
    return st;
}

/* A copy of the caller's in memory of the executor. */
static rc_status_t keep_there(rc_plan_t *plan, rc_err_t *err)
{
    rc_plan_values_t *v = &plan->values;
    rc_executor_t *x = plan->place.x;
    size_t bytes = (size_t)plan->a.nnz * rc_precision_bytes(v->type);
    if (v->there)
        return RC_OK;
    v->x = x;
    RC_PASS(x->alloc(x, bytes, &v->there, err));
    rc_status_t st = v->on_device ? x->move(x, v->there, v->given, bytes, err)
                                  : x->upload(x, v->there, v->given, bytes, err);
    if (st < 0)
        rc_plan_values_leave(plan);
    return st;
}

rc_status_t rc_plan_values_there(rc_plan_t *plan, void **out, rc_err_t *err)
{
    const rc_there_t *t = &plan->pattern->there;
    rc_executor_t *x = plan->place.x;
    rc_gather_t g = {
        .to_type = plan->precision, .count = plan->a.nnz, .from_type = plan->values.type};
    rc_status_t st = RC_OK;
    *out = NULL;
    if (g.count == 0)
        return RC_OK;
    if (t->from && is_here(&plan->values)) /* the device has their order */
        st = keep_there(plan, err);
    g.from = source_of(&plan->values);
    int moves = g.from && (t->from || !rc_plan_is_moved(plan)); /* from its memory to it */
    if (moves) { /* those of the host are in the plan's order */
        g.place = t->from;
        g.place_bytes = t->from_bytes;
    }
    if (st == RC_OK && !moves)
        st = rc_plan_values_here(plan, &g.from, err);
    if (st == RC_OK)
        st = x->alloc(x, (size_t)g.count * rc_precision_bytes(g.to_type), out, err);
    g.to = *out;
    if (st < 0)
        return st;
    return moves ? x->gather(x, &g, err) : rc_resident_put(x, &g, *out, err);
}

/* 1: a copy of the plan prepares a matrix of its own.  Teams of hosts differ, and their orders. */
static int copies_prepare(const rc_plan_t *plan)
{
    int anew = plan->place.x->kind == RC_DEVICE_CPU;
    for (int i = 0; i < plan->entries; i++)
        anew |= !plan->entry[i].trial.spec.kernel->shares;
    return anew;
}

/* 1: something is prepared anew later: a candidate in use, a copy of the plan. */
static int keeps(const rc_plan_t *plan)
{
    return plan->use || copies_prepare(plan);
}

rc_status_t rc_plan_values_settle(rc_plan_t *plan, rc_err_t *err)
{
    rc_plan_values_t *v = &plan->values;
    rc_err_t why = {0};
    rc_status_t st = RC_OK;
    if (!keeps(plan) || plan->a.nnz == 0) {
        free(v->host);
        v->host = NULL;
        rc_plan_values_leave(plan);
    } else if (v->host)
        rc_plan_values_leave(plan);
    else {
        st = v->on_device && plan->memory == 0 && rc_plan_pattern_there(plan)
                 ? keep_there(plan, &why)
                 : RC_ENOMEM;
        if (st == RC_ENOMEM) {
            st = fetch(plan, err);
            if (st == RC_OK)
                rc_plan_values_leave(plan);
        } else if (st < 0)
            st = rc_fail(err, st, "%s", why.text);
    }
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
    const rc_gather_t back = {.to = val,
        .to_type = g->to_type,
        .count = g->count,
        .from = val,
        .from_type = g->to_type,
        .conjugates = g->conjugates};
    if (g->conjugates)
        rc_gather_host(&back, 1);
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

/* In the caller's order, which the device turns into the plan's. */
static rc_status_t newest_there(
    const rc_plan_t *plan, const void *number, rc_plan_t *to, rc_err_t *err)
{
    rc_plan_values_t *out = &to->values;
    rc_executor_t *x = to->place.x;
    size_t bytes = (size_t)plan->a.nnz * rc_precision_bytes(out->type);
    out->x = x;
    RC_PASS(x->alloc(x, bytes, &out->there, err));
    RC_PASS(number ? x->upload(x, out->there, number, bytes, err)
                   : x->move(x, out->there, plan->values.there, bytes, err));
    return x->wait(x, err); /* the plan that is copied may go */
}

/* Where new values were put: of an entry that owns its matrix. */
static const rc_gather_t *newest_gather(const rc_plan_t *plan)
{
    int i = 0;
    while (i < plan->entries - 1 && !plan->entry[i].gather.place)
        i++;
    return &plan->entry[i].gather;
}

/* What was put into prepared matrices since. */
static rc_status_t newest_put(const rc_plan_t *plan, rc_plan_t *to, rc_err_t *err)
{
    rc_plan_values_t *out = &to->values;
    void *number = new_values(plan, out->type, err);
    rc_status_t st = number ? by_number(plan, newest_gather(plan), number, err) : RC_ENOMEM;
    if (st == RC_OK && rc_plan_is_moved(plan) && !plan->from)
        st = newest_there(plan, number, to, err);
    else if (st == RC_OK) {
        out->host = new_values(plan, out->type, err);
        st = out->host ? RC_OK : RC_ENOMEM;
        if (st == RC_OK)
            arrange(plan, rc_precision_bytes(out->type), number, out->host);
    }
    free(number);
    return st;
}

rc_status_t rc_plan_values_newest(const rc_plan_t *plan, rc_plan_t *to, rc_err_t *err)
{
    const rc_gather_t *g = newest_gather(plan);
    rc_plan_values_t *out = &to->values;
    *out = (rc_plan_values_t){.type = plan->stale ? g->to_type : plan->values.type};
    if (plan->a.nnz == 0 || !copies_prepare(plan))
        return RC_OK;
    if (plan->stale)
        return newest_put(plan, to, err);
    if (!plan->values.host)
        return newest_there(plan, NULL, to, err);
    out->host = new_values(plan, out->type, err);
    RC_PASS(out->host ? RC_OK : RC_ENOMEM);
    memcpy(out->host, plan->values.host, (size_t)plan->a.nnz * rc_precision_bytes(out->type));
    return RC_OK;
}
