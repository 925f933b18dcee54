/* The same plan once more, on another executor. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "plan/plan_private.h"
#include "sparse/csr.h"

#include <stdlib.h>
#include <string.h>

static rc_status_t copy_matrix(const rc_plan_t *plan, rc_plan_t *to, rc_err_t *err)
{
    const rc_csr_t *a = &plan->a;
    size_t nnz = (size_t)a->nnz;
    RC_PASS(rc_plan_matrix_alloc(a->rows, a->cols, a->nnz, &to->a, err));
    if (plan->from) {
        to->from = rc_alloc(nnz, sizeof *to->from, "the order of the entries", err);
        RC_PASS(to->from ? RC_OK : RC_ENOMEM);
    }
    memcpy(to->a.row_ptr, a->row_ptr, ((size_t)a->rows + 1) * sizeof *a->row_ptr);
    if (nnz > 0)
        memcpy(to->a.col_idx, a->col_idx, nnz * sizeof *a->col_idx);
    if (plan->from && nnz > 0)
        memcpy(to->from, plan->from, nnz * sizeof *plan->from);
    return rc_plan_values_newest(plan, &to->values, err);
}

/* The order of an entry: preparing finds it by its text and geometry. */
static rc_status_t copy_order(const rc_plan_order_t *o, rc_plan_t *to, rc_err_t *err)
{
    rc_schedule_t s = {0};
    int index;
    for (int i = 0; i < to->orders; i++)
        if (strcmp(to->order[i]->text, o->text) == 0 &&
            memcmp(&to->order[i]->geometry, &o->geometry, sizeof o->geometry) == 0)
            return RC_OK;
    RC_PASS(rc_schedule_alloc(o->schedule.slots, o->schedule.rows, &s, err));
    if (o->schedule.slots > 0)
        memcpy(s.row, o->schedule.row, (size_t)o->schedule.slots * sizeof *s.row);
    rc_plan_order_t copied = *o;
    copied.schedule = s;
    return rc_plan_order_add(to, &copied, &index, err);
}

static rc_status_t copy_entry(const rc_plan_t *plan, const rc_plan_entry_t *e, rc_plan_t *to,
    rc_plan_entry_t *out, rc_err_t *err)
{
    size_t n = (size_t)e->part.candidates;
    out->part = e->part;
    out->part.candidate = NULL;
    out->candidate = rc_alloc(n, sizeof *out->candidate, "the candidates of a plan", err);
    RC_PASS(out->candidate ? RC_OK : RC_ENOMEM);
    memcpy(out->candidate, e->candidate, n * sizeof *out->candidate);
    out->reuse = e->reuse;
    if (e->timing) {
        out->timing = rc_alloc(n, sizeof *out->timing, "the times of a plan", err);
        RC_PASS(out->timing ? RC_OK : RC_ENOMEM);
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
    to->op = plan->op;
    to->precision = plan->precision;
    to->layout = plan->layout;
    memcpy(to->ld_in, plan->ld_in, sizeof to->ld_in);
    to->ld_out = plan->ld_out;
    to->memory = plan->memory;
    to->deterministic = plan->deterministic;
    to->threads = plan->threads;
    to->k_range = plan->k_range;
    RC_TRY(join(plan, to, err));
    to->entry = rc_alloc0((size_t)plan->entries, sizeof *to->entry, "a plan", err);
    RC_TRY(to->entry ? RC_OK : RC_ENOMEM);
    to->entries = plan->entries;
    RC_TRY(copy_matrix(plan, to, err));
    for (int i = 0; i < plan->entries; i++)
        RC_TRY(copy_entry(plan, &plan->entry[i], to, &to->entry[i], err));
    *out = to;
    return RC_OK;
done:
    rc_plan_free(to);
    return st;
}
