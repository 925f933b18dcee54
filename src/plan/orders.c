/* Row orders of a plan: built once, where the matrix is or on the host, for all that run them. */
#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "plan/plan_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rc_plan_same_geometry(const rc_geometry_t *a, const rc_geometry_t *b)
{
    return a->nw == b->nw && a->nt == b->nt && a->line == b->line;
}

static void order_free(rc_plan_order_t *o)
{
    rc_schedule_free(&o->schedule);
    if (o->memory.x)
        (void)rc_memory_free(&o->memory);
}

void rc_plan_orders_free(rc_plan_t *plan)
{
    for (int i = 0; i < plan->orders; i++) {
        order_free(plan->order[i]);
        free(plan->order[i]);
    }
    free(plan->order);
}

rc_status_t rc_plan_order_add(
    rc_plan_t *plan, const rc_plan_order_t *order, int *index, rc_err_t *err)
{
    rc_plan_order_t *o = rc_alloc0(1, sizeof *o, "an order", err);
    size_t bytes = ((size_t)plan->orders + 1) * sizeof *plan->order;
    rc_plan_order_t **grown = o ? realloc(plan->order, bytes) : NULL;
    if (!grown) {
        rc_plan_order_t lost = *order;
        free(o);
        order_free(&lost);
        return rc_fail(err, RC_ENOMEM, "no memory for the orders of a plan");
    }
    *o = *order;
    rc_memory_seal(&o->memory); /* for copies of the plan */
    if (o->schedule.row)
        o->identity = rc_schedule_is_identity(&o->schedule);
    plan->order = grown;
    plan->order[plan->orders] = o;
    *index = plan->orders++;
    return RC_OK;
}

rc_status_t rc_plan_order_here(rc_plan_order_t *o, rc_err_t *err)
{
    rc_schedule_t s;
    rc_executor_t *x = o->memory.x;
    const size_t bytes = (size_t)o->schedule.slots * sizeof *s.row;
    rc_status_t st = RC_OK;
    if (o->schedule.row)
        return RC_OK;
    RC_PASS(rc_schedule_alloc(o->schedule.slots, o->schedule.rows, &s, err));
    for (int64_t p = 0; o->identity && p < s.slots; p++)
        s.row[p] = (int32_t)p;
    if (!o->identity && bytes > 0)
        st = x->download(x, s.row, o->memory.piece[0], bytes, err);
    if (st < 0)
        rc_schedule_free(&s);
    else
        o->schedule = s;
    return st;
}

const int32_t *rc_plan_order_there(rc_plan_t *plan, rc_plan_order_t *o)
{
    rc_err_t why = {0};
    void *to;
    if (o->memory.pieces == 0 && o->schedule.row && o->schedule.slots > 0) {
        o->memory.x = plan->place.x;
        if (rc_memory_keep(&o->memory, o->schedule.row,
                (size_t)o->schedule.slots * sizeof *o->schedule.row, &to, &why) < 0)
            (void)rc_memory_free(&o->memory);
    }
    return o->memory.pieces > 0 ? o->memory.piece[0] : NULL;
}

/* 1: its rows are nowhere: no part ran it when the plan was made. */
static int is_lost(const rc_plan_order_t *o)
{
    return !o->identity && !o->schedule.row && o->memory.pieces == 0 && o->schedule.slots > 0;
}

void rc_plan_orders_settle(rc_plan_t *plan)
{
    for (int i = 0; i < plan->orders; i++) {
        rc_plan_order_t *o = plan->order[i];
        int used = 0;
        for (int e = 0; e < plan->entries; e++)
            used |= plan->entry[e].trial.order == i;
        if (o->memory.pieces > 0 && (!used || o->schedule.row))
            (void)rc_memory_free(&o->memory);
        else
            rc_memory_seal(&o->memory); /* copies of the plan share it */
    }
}

/* On the device, where it has the matrix and this order.  \return RC_ENOTSUP: the host has to */
static rc_status_t build_there(
    rc_plan_t *plan, const char *text, rc_plan_order_t *out, rc_err_t *err)
{
    const rc_plan_place_t *at = &plan->place;
    const rc_csr_t *a = &plan->a;
    const rc_resident_t *m = NULL;
    rc_resident_rows_t rows = {0};
    void *room = NULL;
    rc_status_t st;
    if (!at->order || at->order(at->x, text, a, NULL, NULL, err) < 0)
        return RC_ENOTSUP;
    m = rc_plan_pattern_there(plan);
    m = m ? m : rc_plan_resident(plan);
    if (!m)
        return RC_ENOTSUP;
    out->memory.x = at->x;
    RC_TRY(rc_memory_room(&out->memory, (size_t)a->rows * sizeof *out->schedule.row, &room, err));
    rows.row = room;
    RC_TRY(at->order(at->x, text, a, m, &rows, err));
    out->identity = rows.identity;
    out->schedule = (rc_schedule_t){.slots = a->rows, .rows = a->rows};
done:
    if (st < 0 || out->identity)
        (void)rc_memory_free(&out->memory);
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
    rc_plan_order_t *out, rc_err_t *err)
{
    rc_err_t why = {0};
    if (strcmp(text, "csr") == 0) { /* the original order needs no list of rows */
        out->identity = 1;
        out->schedule = (rc_schedule_t){.slots = plan->a.rows, .rows = plan->a.rows};
        return RC_OK;
    }
    rc_status_t st = build_there(plan, text, out, &why);
    if (st == RC_OK)
        return st;
    if (st != RC_ENOTSUP && st != RC_ENOMEM)
        return rc_fail(err, st, "%s", why.text);
    const rc_order_watch_t watch = {.stop = is_over_time, .user = plan};
    RC_PASS(rc_plan_pattern_here(plan, err));
    return rc_policy_build(spec, &plan->a, &out->geometry, plan->threads,
        plan->until_ns ? &watch : NULL, &out->schedule, err);
}

/* What an order takes that took so long the first time: where it is cheap the least of some
 * makings. */
static double time_order(rc_plan_t *plan, const char *text, const rc_policy_spec_t *spec,
    const rc_plan_order_t *made, double ns)
{
    for (int i = 1; !made->identity && rc_plan_makes_again(plan, i, ns); i++) {
        rc_plan_order_t again = {.geometry = made->geometry};
        rc_err_t why = {0};
        const int64_t start = rc_clock_ns();
        if (build_order(plan, text, spec, &again, &why) < 0)
            break;
        ns = fmin(ns, (double)(rc_clock_ns() - start));
        order_free(&again);
    }
    return ns;
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

int rc_plan_order_keeps(const rc_plan_t *plan, const char *text)
{
    for (int i = 0; i < plan->orders; i++)
        if (strcmp(plan->order[i]->text, text) == 0 && plan->order[i]->identity)
            return 1;
    return 0;
}

rc_status_t rc_plan_order_get(
    rc_plan_t *plan, const char *text, const rc_geometry_t *g, int *index, rc_err_t *err)
{
    for (int i = 0; i < plan->orders; i++)
        if (strcmp(plan->order[i]->text, text) == 0 &&
            rc_plan_same_geometry(&plan->order[i]->geometry, g) && !is_lost(plan->order[i])) {
            *index = i;
            return RC_OK;
        }
    rc_policy_spec_t spec;
    rc_plan_order_t o = {.geometry = *g};
    RC_PASS(spec_of(plan, text, &spec, err));
    int held = plan->resident_state > 0;
    int64_t start = rc_clock_ns();
    RC_PASS(build_order(plan, text, &spec, &o, err));
    const double took = (double)(rc_clock_ns() - start);
    if (o.schedule.cols > 0) {
        order_free(&o);
        return rc_fail(err, RC_ENOTSUP,
            "order %s renumbers the columns too: a plan takes B in original order", text);
    }
    /* the upload counts with the preparations */
    double upload = !held && plan->resident_state > 0 ? plan->resident_ns : 0;
    o.ns = time_order(plan, text, &spec, &o, took - upload);
    (void)snprintf(o.text, sizeof o.text, "%s", text);
    return rc_plan_order_add(plan, &o, index, err);
}
