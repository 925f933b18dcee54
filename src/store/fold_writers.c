#include "config.h"
#include "store/fold.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
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

/* A writer on another machine, while it is waited for a sign of life of it. */
typedef struct watched {
    rc_str_t path;
    rc_pulse_t pulse;
    rc_owner_t who;
    int64_t part; /* -1: it is known what became of it */
} watched_t;

/* Of a writer that left no name: as the sweep that it belongs to. */
static int nameless_is_gone(const char *dir, const rc_fold_writers_t *w)
{
    return w->owns_store || rc_lock_state(dir, "sweep.lock") == RC_OWNER_GONE;
}

static rc_status_t start_watching(
    const char *dir, const rc_fold_t *f, int64_t part, watched_t *out, rc_err_t *err)
{
    rc_str_addf(&out->path, "%s/%s", dir, f->part[part].name);
    out->part = part;
    (void)rc_journal_writer(f->view[part], &out->who);
    return out->path.failed ? rc_fail(err, RC_ENOMEM, "no memory for the name of a journal")
                            : RC_OK;
}

/* 1: still not known */
static int look_again(rc_fold_t *f, watched_t *w, int64_t silent_ns)
{
    rc_owner_state_t state = rc_pulse_look(&w->pulse, w->path.text, silent_ns);
    if (state == RC_OWNER_ELSEWHERE)
        return 1;
    /* what grew between reading and the first look was written by somebody */
    int grew = w->pulse.size != rc_journal_size(f->view[w->part]);
    f->part[w->part].dead = state == RC_OWNER_GONE && !grew;
    w->part = -1;
    return 0;
}

static void watch(rc_fold_t *f, watched_t *w, int64_t count, int64_t silent_ns, const rc_log_t *log)
{
    static const int64_t pause_ns = 200000000;
    int64_t begun = rc_clock_ns();
    int told = 0;
    for (int64_t open = count; open > 0;) {
        open = 0;
        for (int64_t i = 0; i < count; i++)
            if (w[i].part >= 0) {
                open += look_again(f, &w[i], silent_ns);
                if (open && !told && rc_clock_ns() - begun > pause_ns) {
                    char text[32];
                    rc_text_seconds((double)silent_ns * 1e-9, text, sizeof text);
                    rc_log(log, RC_LOG_INFO, "store",
                        "%s: written by process %" PRId64
                        " on %s: waiting up to %s for a sign of life of it",
                        w[i].path.text, w[i].who.pid, w[i].who.host, text);
                    told = 1;
                }
            }
        if (open)
            rc_sleep_ns(pause_ns);
    }
}

rc_status_t rc_fold_settle(const char *dir, rc_fold_t *f, const rc_fold_writers_t *writers,
    const rc_log_t *log, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int64_t count = 0;
    watched_t *w = rc_alloc0((size_t)f->parts, sizeof *w, "writers of journals", err);
    RC_PASS(w ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < f->parts && st == RC_OK; i++) {
        rc_owner_state_t state = rc_journal_writer(f->view[i], NULL);
        f->part[i].dead = f->part[i].dead || state == RC_OWNER_GONE ||
                          (state == RC_OWNER_UNKNOWN && nameless_is_gone(dir, writers));
        if (!f->part[i].dead && state == RC_OWNER_ELSEWHERE)
            st = start_watching(dir, f, i, &w[count++], err);
    }
    if (st == RC_OK)
        watch(f, w, count, writers->silent_ns ? writers->silent_ns : RC_OWNER_SILENT_NS, log);
    for (int64_t i = 0; i < count; i++)
        rc_str_free(&w[i].path);
    free(w);
    for (int64_t i = 0; i < f->parts && st == RC_OK; i++)
        f->alive += !f->part[i].dead;
    return st;
}
