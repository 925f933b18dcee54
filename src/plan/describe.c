/* What a plan says of itself. */
#include "config.h"
#include "base/error.h"
#include "base/str.h"
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
    double gain = measured ? r->time_ns - c->time_ns : r->predicted_ns - c->predicted_ns;
    double cost = measured ? c->order_ns + c->prepare_ns - r->order_ns - r->prepare_ns
                           : c->predicted_setup_ns - r->predicted_setup_ns;
    if (c == r)
        return 0;
    if (isnan(gain) || isnan(cost))
        return NAN;
    if (cost <= 0 && gain >= 0)
        return 0;
    return gain > 0 ? ceil(cost / gain) : INFINITY;
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

/* "12.3 us" */
static void add_time(rc_str_t *s, const char *before, double ns)
{
    const double s_per_ns = 1e-9;
    rc_str_addf(s, "%s%s", before, rc_text_seconds(ns * s_per_ns).text);
}

static void add_comparison(rc_str_t *s, const rc_plan_part_t *part)
{
    const rc_plan_candidate_t *c = &part->candidate[part->chosen];
    const rc_plan_candidate_t *r = &part->candidate[part->reference];
    double products = rc_plan_break_even(part, part->chosen);
    if (r == c)
        return;
    if (!isnan(c->time_ns) && !isnan(r->time_ns))
        rc_str_addf(s, ", %.2f times as fast as %s in order %s", r->time_ns / c->time_ns, r->kernel,
            r->order);
    if (isinf(products))
        rc_str_add(s, ", which it never wins back");
    else if (!isnan(products))
        rc_str_addf(s, ", won back after %.0f products", products);
}

static void add_part(rc_str_t *s, const rc_plan_t *plan, const rc_plan_part_t *part)
{
    const rc_plan_candidate_t *c = &part->candidate[part->chosen];
    int passed_over = 0;
    for (int i = 0; i < part->candidates; i++)
        passed_over += part->candidate[i].status != RC_OK;
    if (rc_operation_of(plan->op)->has_k)
        rc_str_add(s, "K = ");
    if (part->k_least < part->k)
        rc_str_addf(s, "%" PRId64 " to ", part->k_least);
    if (rc_operation_of(plan->op)->has_k)
        rc_str_addf(s, "%" PRId64 ": ", part->k);
    rc_str_addf(s, "%s in order %s, %s", c->kernel, c->order, rc_plan_why_name(part->why));
    if (!isnan(c->time_ns))
        add_time(s, ": ", c->time_ns);
    if (!isnan(c->predicted_ns))
        add_time(s, ", predicted ", c->predicted_ns);
    if (!isnan(c->prepare_ns))
        add_time(s, "; order and preparation ", c->order_ns + c->prepare_ns);
    add_comparison(s, part);
    rc_str_addf(s, "; %s on the device", rc_text_bytes((double)c->bytes).text);
    if (passed_over > 0)
        rc_str_addf(s, "; %d of %d candidates passed over", passed_over, part->candidates);
    rc_str_add(s, "\n");
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
        add_part(&s, plan, &plan->entry[i].part);
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
