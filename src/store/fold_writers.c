#include "config.h"
#include "store/fold.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/outcome.h"
#include "base/str.h"
#include "store/lock.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int64_t rc_fold_ended_at(const rc_fold_writers_t *w, const char *name)
{
    char own[RC_JOURNAL_NAME];
    for (int r = 0; w->uuid && r < w->ranks; r++)
        if (w->bytes[r] >= 0 && rc_journal_name(w->uuid, r, own, NULL) == RC_OK &&
            strcmp(own, name) == 0)
            return w->bytes[r];
    return -1;
}

rc_status_t rc_fold_unseen(const rc_fold_writers_t *w, char ***names, int64_t *count, rc_err_t *err)
{
    char own[RC_JOURNAL_NAME];
    size_t capacity = (size_t)*count;
    rc_status_t st = RC_OK;
    for (int r = 0; w->uuid && r < w->ranks && st == RC_OK; r++) {
        int seen = 0;
        st = w->bytes[r] < 0 ? RC_OK : rc_journal_name(w->uuid, r, own, err);
        for (int64_t i = 0; i < *count && !seen; i++)
            seen = strcmp((*names)[i], own) == 0;
        if (st < 0 || seen || w->bytes[r] < 0)
            continue;
        st = RC_GROW(*names, capacity, (size_t)*count + 1, "journals", err);
        char *copy = st == RC_OK ? rc_strdup(own, err) : NULL;
        RC_PASS(copy ? RC_OK : RC_ENOMEM);
        (*names)[(*count)++] = copy;
    }
    return st;
}

/* Look whether a writer on another machine has given a sign of life. */
static void look_again(rc_fold_part_t *p, const char *path, int64_t silent_ns)
{
    rc_owner_state_t state = rc_pulse_look(&p->pulse, path, silent_ns);
    if (state == RC_OWNER_ELSEWHERE)
        return;
    /* what grew between reading and the first look was written by somebody */
    int grew = p->pulse.size != rc_journal_size(p->view);
    p->dead = state == RC_OWNER_GONE && !grew;
    p->waits = 0;
}

static void tell(
    const rc_journal_view_t *v, const char *path, int64_t silent_ns, const rc_log_t *log)
{
    rc_owner_t who;
    (void)rc_journal_writer(v, &who);
    rc_log(log, RC_LOG_INFO, "store",
        "%s: written by process %" PRId64 " on %s: waiting up to %s for a sign of life of it", path,
        who.pid, who.host, rc_text_seconds((double)silent_ns * 1e-9).text);
}

/* Until it is known of all. */
static rc_status_t watch(
    const char *dir, rc_fold_t *f, int64_t silent_ns, const rc_log_t *log, rc_err_t *err)
{
    static const int64_t pause_ns = 200000000;
    int64_t begun = rc_clock_ns();
    int told = 0;
    for (int64_t open = f->parts; open > 0;) {
        open = 0;
        for (rc_fold_part_t *p = f->part; p < f->part + f->parts; p++) {
            if (!p->waits)
                continue;
            char *path = rc_strf("a path", err, "%s/%s", dir, p->name);
            RC_PASS(path ? RC_OK : RC_ENOMEM);
            look_again(p, path, silent_ns);
            open += p->waits;
            if (p->waits && !told && rc_clock_ns() - begun > pause_ns) {
                tell(p->view, path, silent_ns, log);
                told = 1;
            }
            free(path);
        }
        if (open)
            rc_sleep_ns(pause_ns);
    }
    return RC_OK;
}

rc_status_t rc_fold_settle(const char *dir, rc_fold_t *f, const rc_fold_writers_t *writers,
    const rc_log_t *log, rc_err_t *err)
{
    for (rc_fold_part_t *p = f->part; p < f->part + f->parts; p++) {
        rc_owner_state_t state = rc_journal_writer(p->view, NULL);
        p->dead = p->dead || state == RC_OWNER_GONE;
        if (state == RC_OWNER_UNKNOWN && !p->dead) /* as the sweep that it belongs to */
            p->dead = writers->owns_store || rc_lock_state(dir, "sweep.lock") == RC_OWNER_GONE;
        p->waits = !p->dead && state == RC_OWNER_ELSEWHERE;
    }
    RC_PASS(watch(dir, f, writers->silent_ns ? writers->silent_ns : RC_OWNER_SILENT_NS, log, err));
    for (int64_t i = 0; i < f->parts; i++)
        f->info.alive += !f->part[i].dead;
    return RC_OK;
}

/* ---------------------------------------------------- what they had in flight */

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

static rc_status_t begin(rc_inflight_t *f, const rc_rec_begin_t *b, rc_err_t *err)
{
    /* what a job did last, up to ordering, is over when it begins something else */
    for (size_t i = 0; i < f->count; i++)
        if (f->item[i].begin.job == b->job && f->item[i].begin.phase <= RC_PHASE_ORDER)
            take_out(f, &i);
    remove_case(f, b->id); /* a case that enters its next phase is in flight once */
    RC_PASS(RC_GROW(f->item, f->capacity, f->count + 1, "cases in flight", err));
    f->item[f->count++] = (rc_inflight_item_t){.begin = *b, .lost = 0};
    return RC_OK;
}

/* \param[in] job  NULL: every one */
static void settle(rc_inflight_t *f, const int64_t *job)
{
    for (size_t i = 0; i < f->count; i++)
        if (!f->item[i].lost && (!job || f->item[i].begin.job == *job))
            take_out(f, &i);
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
        for (size_t i = 0; i < f->count && r->len > 0; i++)
            f->item[i].lost |= f->item[i].begin.job == what->settled.job;
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
