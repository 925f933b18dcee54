/* What a plan says of itself. */
#include "config.h"
#include "base/error.h"
#include "base/str.h"
#include "model/choose.h"
#include "plan/plan_private.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *rc_plan_why_name(rc_plan_why_t why)
{
    static const char *const names[] = {"named", "timed", "model", "default", "loaded"};
    return (size_t)why < sizeof names / sizeof *names ? names[why] : "unknown";
}

double rc_plan_time_err(const rc_plan_t *plan, int part, int index)
{
    const rc_plan_entry_t *e = &plan->entry[part];
    return e->timing && e->timing[index].batch > 0 ? e->timing[index].rel_err : NAN;
}

double rc_plan_break_even(const rc_plan_part_t *part, int index)
{
    if (!part || !part->candidate || index < 0 || index >= part->candidates ||
        part->reference < 0 || part->reference >= part->candidates)
        return NAN;
    const rc_plan_candidate_t *c = &part->candidate[index];
    const rc_plan_candidate_t *r = &part->candidate[part->reference];
    int measured = !isnan(c->time_ns) && !isnan(r->time_ns);
    const double time[] = {
        measured ? r->time_ns : r->predicted_ns, measured ? c->time_ns : c->predicted_ns};
    const double setup[] = {measured ? r->order_ns + r->prepare_ns : r->predicted_setup_ns,
        measured ? c->order_ns + c->prepare_ns : c->predicted_setup_ns};
    return c == r ? 0 : rc_break_even(0, time, setup, 0, 1);
}

int rc_plan_parts(const rc_plan_t *plan)
{
    return plan ? plan->entries : 0;
}

rc_status_t rc_plan_part(const rc_plan_t *plan, int index, rc_plan_part_t *out, rc_err_t *err)
{
    if (!plan || !out)
        return rc_fail(
            err, RC_EINVAL, "part: expected %s, found NULL", plan ? "where to put it" : "a plan");
    if (index < 0 || index >= plan->entries)
        return rc_fail(
            err, RC_EINVAL, "part: expected 0 to %d, found %d", plan->entries - 1, index);
    *out = plan->entry[index].part;
    return RC_OK;
}

static void add_part(rc_str_t *s, const rc_plan_t *plan, int index)
{
    rc_plan_answer_t a;
    const rc_plan_part_t *part = &plan->entry[index].part;
    if (rc_plan_answer(plan, index, &a, NULL) < 0) {
        s->failed = 1;
        return;
    }
    rc_str_addf(s, "%s %s on the device\n", a.sentence,
        rc_text_bytes((double)part->candidate[part->chosen].bytes).text);
    rc_plan_answer_free(&a);
}

size_t rc_plan_describe(const rc_plan_t *plan, char *text, size_t size)
{
    rc_str_t s = {0};
    if (text && size > 0)
        text[0] = '\0';
    if (!plan)
        return 0;
    rc_str_addf(&s, "%s, %s, layout %s, %" PRId64 " x %" PRId64 ", %" PRId64 " entries\n",
        rc_op_name(plan->op), rc_precision_name(plan->precision), rc_layout_name(plan->layout),
        plan->a.rows, plan->a.cols, plan->a.nnz);
    for (int i = 0; i < plan->entries; i++)
        add_part(&s, plan, i);
    if (text && size > 0) {
        size_t n = s.failed || !s.text ? 0 : s.len < size - 1 ? s.len : size - 1;
        if (n > 0)
            memcpy(text, s.text, n);
        text[n] = '\0';
    }
    size_t whole = s.failed ? 0 : s.len;
    rc_str_free(&s);
    return whole;
}
