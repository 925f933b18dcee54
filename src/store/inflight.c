#include "config.h"
#include "store/fold.h"
#include "base/alloc.h"
#include "base/outcome.h"

#include <string.h>

static void take_out(rc_inflight_t *f, size_t *i)
{
    f->item[*i] = f->item[--f->count];
    --*i; /* wraps at 0, and the loop's ++ wraps it back */
}

static void remove_case(rc_inflight_t *f, rc_digest_t id)
{
    for (size_t i = 0; i < f->count; i++)
        if (rc_digest_compare(&f->item[i].begin.id, &id) == 0)
            take_out(f, &i);
}

/* What a job did last, up to ordering, is over when it begins something else. */
static void step(rc_inflight_t *f, int64_t job)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->item[i].begin.job == job && f->item[i].begin.phase <= RC_PHASE_ORDER)
            take_out(f, &i);
}

static rc_status_t begin(rc_inflight_t *f, const rc_rec_begin_t *b, rc_err_t *err)
{
    step(f, b->job);
    remove_case(f, b->id); /* a case that enters its next phase is in flight once */
    rc_status_t st = RC_GROW(f->item, f->capacity, f->count + 1, "cases in flight", err);
    if (st == RC_OK)
        f->item[f->count++] = (rc_inflight_item_t){.begin = *b, .lost = 0};
    return st;
}

/* \param[in] job  NULL: every one */
static void settle(rc_inflight_t *f, const int64_t *job)
{
    for (size_t i = 0; i < f->count; i++)
        if (!f->item[i].lost && (!job || f->item[i].begin.job == *job))
            take_out(f, &i);
}

static void lose(rc_inflight_t *f, int64_t job)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->item[i].begin.job == job)
            f->item[i].lost = 1;
}

rc_status_t rc_inflight_track(
    rc_inflight_t *f, const rc_record_t *r, const rc_rec_t *what, rc_err_t *err)
{
    switch (r->type) {
    case RC_REC_BEGIN:
        return begin(f, &what->begin, err);
    case RC_REC_RESULT:
        remove_case(f, rc_case_id(&what->result.c));
        break;
    case RC_REC_SETTLED:
        settle(f, r->len > 0 ? &what->settled.job : NULL);
        break;
    case RC_REC_LOST:
        if (r->len > 0)
            lose(f, what->settled.job);
        break;
    case RC_REC_END:
        settle(f, NULL);
        break;
    case RC_REC_ASKED:
        f->asked = 1;
        break;
    case RC_REC_DIED:
        if (r->len == sizeof(int64_t)) {
            int64_t number;
            memcpy(&number, r->payload, sizeof number);
            f->signal = (int32_t)number;
        }
        break;
    default: /* says nothing of what is in flight */
        break;
    }
    return RC_OK;
}
