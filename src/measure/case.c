#include "config.h"
#include "base/clock.h"
#include "base/error.h"
#include "kernels/prepared.h"
#include "measure/session.h"

#include <math.h>
#include <stdio.h>

void rc_trial_end(rc_measured_t *m, rc_case_status_t status, rc_phase_t phase, const char *text)
{
    m->status = status;
    m->phase = phase;
    snprintf(m->text, sizeof m->text, "%.*s", (int)sizeof m->text - 1, text);
    for (char *p = m->text; *p; p++)
        if (*p == '\n' || *p == '\r')
            *p = ' ';
}

/* Does the device still work?  Storing a byte tells. */
rc_status_t rc_trial_fail(
    rc_measuring_t *s, rc_trial_t *j, rc_phase_t phase, const rc_err_t *why, rc_err_t *err)
{
    int memory = why->status == RC_ENOMEM;
    rc_case_status_t status = why->status == RC_EWRONG              ? RC_CASE_WRONG
                              : memory || why->status == RC_ENOTSUP ? RC_CASE_SKIPPED
                                                                    : RC_CASE_FAILED;
    char text[sizeof why->text + 16];
    snprintf(text, sizeof text, "%s%s", memory ? "memory: " : "", why->text);
    rc_trial_end(j->m, status, phase, text);
    if (why->status != RC_EDEVICE || !s->ctx->buffer[RC_BUFFER_OUT].data)
        return RC_OK;
    rc_err_t probe = {0};
    if (s->d->executor.fill(&s->d->executor, s->ctx->buffer[RC_BUFFER_OUT].data, 0, 1, &probe) ==
        RC_OK)
        return RC_OK;
    return rc_fail(err, RC_EDEVICE, "the device is unusable: %s", probe.text);
}

void rc_trial_release(rc_measuring_t *s, rc_trial_t *j)
{
    for (int w = 0; w < RC_WIDTHS; w++) {
        if (j->held[w])
            rc_kernel_release(s->kernel, j->state[w]);
        j->held[w] = 0;
        j->state[w] = NULL;
    }
    if (j->prepared)
        s->used -= j->bytes;
    j->prepared = 0;
}

static int width_of(const rc_measuring_t *s, const rc_trial_t *j, int64_t tile)
{
    return tile == s->tiling.count - 1 && j->held[RC_LAST] ? RC_LAST : RC_WIDE;
}

rc_status_t rc_trial_launch(void *launch, rc_err_t *err)
{
    const rc_launch_t *l = launch;
    const rc_measuring_t *s = l->s;
    int64_t first = l->tile < 0 ? 0 : l->tile;
    int64_t end = l->tile < 0 ? s->tiling.count : l->tile + 1;
    rc_status_t st = RC_OK;
    for (int64_t i = first; i < end && st == RC_OK; i++) {
        int w = width_of(s, l->job, i);
        st = rc_kernel_run(s->kernel, l->job->state[w], &l->job->operands[w], 1, 0, err);
    }
    return st;
}

/* One of the states of a case; the times are those of the wide tiles. */
static rc_status_t prepare_width(rc_measuring_t *s, rc_trial_t *j, int width, rc_err_t *why)
{
    int64_t start = rc_clock_ns();
    int64_t tile = width == RC_WIDE ? 0 : s->tiling.count - 1;
    j->operands[width] = rc_operands_of(s->ctx, j->problem[width].c_rows, tile);
    RC_PASS(rc_kernel_prepare(
        s->kernel, &s->d->executor, &j->problem[width], &j->analysis, &j->state[width], why));
    rc_status_t st = RC_OK;
    int64_t prepared = rc_clock_ns();
    j->held[width] = 1;
    if (s->kernel->preprocess)
        st = s->kernel->preprocess(j->state[width], &j->operands[width], why);
    if (st < 0)
        return st;
    if (width == RC_WIDE) {
        j->m->prepare_ns = prepared - start;
        j->m->preprocess_ns = s->kernel->preprocess ? rc_clock_ns() - prepared : 0;
    }
    return RC_OK;
}

int rc_measuring_leave_device(rc_measuring_t *s)
{
    for (int i = 0; i < s->n; i++)
        for (int w = 0; w < RC_WIDTHS; w++)
            s->job[i].problem[w].resident = NULL;
    s->within.memory_limit += s->inside;
    s->inside = 0;
    return rc_operands_resident_drop(s->ctx);
}

static rc_status_t prepare_widths(rc_measuring_t *s, rc_trial_t *j, rc_err_t *why)
{
    rc_status_t st = prepare_width(s, j, RC_WIDE, why);
    if (st == RC_OK && s->tiling.last < s->tiling.width)
        st = prepare_width(s, j, RC_LAST, why);
    if (st < 0)
        rc_trial_release(s, j);
    return st;
}

rc_status_t rc_trial_prepare(rc_measuring_t *s, int index, rc_err_t *err)
{
    rc_trial_t *j = &s->job[index];
    rc_err_t why = {0};
    j->tried = 1;
    if (s->enter)
        s->enter(s->user, index, RC_PHASE_PREPARE);
    rc_status_t st = prepare_widths(s, j, &why);
    if (st == RC_ENOMEM && rc_measuring_leave_device(s)) {
        why = (rc_err_t){0};
        st = prepare_widths(s, j, &why);
    }
    if (st == RC_OK) {
        j->prepared = 1;
        s->used += j->bytes;
        return RC_OK;
    }
    return rc_trial_fail(s, j, RC_PHASE_PREPARE, &why, err);
}

static void spend(int64_t *ns, int64_t *at)
{
    int64_t now = rc_clock_ns();
    *ns += now - *at;
    *at = now;
}

/* Poison the output, run once, compare. */
static rc_status_t verify(rc_measuring_t *s, rc_trial_t *j, int64_t tile, rc_err_t *why)
{
    int64_t ns = 0;
    j->first = (rc_launch_t){s, j, tile};
    double max = NAN;
    double rel = NAN;
    if (!s->kernel->computes) {
        rc_status_t ran = rc_operands_fill(s->ctx, tile, why);
        if (ran == RC_OK)
            ran = s->d->time_batch(s->d, rc_trial_launch, &j->first, 1, &ns, why);
        j->m->first_ns += ns;
        return ran;
    }
    rc_product_t p = {
        .c = j->operands[width_of(s, j, tile)].out,
        .schedule = j->m->schedule,
        .by_slot = j->problem[RC_WIDE].c_order != RC_C_ORIGINAL,
    };
    rc_verify_spent_t *spent = &s->ctx->spent;
    rc_status_t st;
    int64_t at = rc_clock_ns();
    RC_TRY(rc_operands_refer(s->ctx, tile, p.schedule, why));
    spend(&spent->refer_ns, &at);
    RC_TRY(s->d->dense_poison(s->d, &p.c, NULL, why));
    RC_TRY(s->d->time_batch(s->d, rc_trial_launch, &j->first, 1, &ns, why));
    spend(&spent->run_ns, &at);
    j->m->first_ns += ns;
    st = rc_reference_check(s->ctx->ref, &s->ctx->finds, s->d, &p, &max, &rel, why);
    spend(&spent->check_ns, &at);
    if (st < 0 && st != RC_EWRONG)
        goto done;
    j->m->error_max = fmax(j->m->error_max, max); /* of a NaN and a number the number */
    j->m->error_rel = fmax(j->m->error_rel, rel);
done:
    return st;
}

rc_status_t rc_trial_verify(rc_measuring_t *s, int index, int64_t tile, rc_err_t *err)
{
    rc_trial_t *j = &s->job[index];
    rc_err_t why = {0};
    if (s->enter)
        s->enter(s->user, index, RC_PHASE_VERIFY);
    if (verify(s, j, tile, &why) == RC_OK) {
        j->verified = tile == s->tiling.count - 1;
        return RC_OK;
    }
    rc_trial_release(s, j);
    return rc_trial_fail(s, j, RC_PHASE_VERIFY, &why, err);
}
