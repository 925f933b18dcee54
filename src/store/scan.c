#include "config.h"
#include "store/scan.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "store/journal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The matrices in hand while a journal is read; zero-initialise. */
typedef struct hands {
    rc_scan_hand_t *hand; /* [count], oldest first */
    size_t count;
    size_t capacity;
} hands_t;

static rc_status_t take_begin(hands_t *h, const rc_rec_begin_t *b, rc_err_t *err)
{
    size_t at = 0;
    while (at < h->count && h->hand[at].job != b->job)
        at++;
    if (at == h->count) {
        RC_PASS(RC_GROW(h->hand, h->capacity, at + 1, "matrices in hand", err));
        h->hand[h->count++] = (rc_scan_hand_t){.job = b->job};
    }
    if (b->is_source)
        memcpy(h->hand[at].name, b->name, sizeof b->name);
    h->hand[at].phase = b->phase;
    h->hand[at].waits = 0;
    return RC_OK;
}

/* \param[in] s  NULL: of every matrix */
static void take_settled(hands_t *h, const rc_rec_settled_t *s)
{
    if (!s)
        h->count = 0;
    for (size_t i = 0; s && i < h->count; i++)
        if (h->hand[i].job == s->job && s->over) {
            h->count--;
            memmove(&h->hand[i], &h->hand[i + 1], (h->count - i) * sizeof *h->hand);
            return;
        } else if (h->hand[i].job == s->job)
            h->hand[i].waits = 1;
}

static int urgency(const rc_scan_hand_t *h)
{
    return h->waits ? 0 : h->phase <= RC_PHASE_ORDER ? 1 : 2;
}

static int measured_first(const void *a, const void *b)
{
    const rc_scan_hand_t *x = a;
    const rc_scan_hand_t *y = b;
    if (urgency(x) != urgency(y))
        return urgency(y) - urgency(x);
    return (x->job > y->job) - (x->job < y->job);
}

static rc_status_t take_result(
    rc_scan_t *s, rc_scan_journal_t *j, const rc_rec_result_t *r, rc_err_t *err)
{
    if (r->row.status > RC_CASE_PENDING && r->row.status < RC_CASE_STATUSES)
        j->cases[r->row.status]++;
    if (r->row.utc_ns > j->last_utc_ns)
        j->last_utc_ns = r->row.utc_ns;
    RC_PASS(RC_GROW(s->fresh, s->capacity, s->freshes + 1, "new cases", err));
    s->fresh[s->freshes++] = rc_case_id(&r->c);
    return RC_OK;
}

static rc_status_t take(rc_scan_t *s, rc_scan_journal_t *j, hands_t *h, const rc_record_t *r,
    int64_t start, rc_err_t *err)
{
    rc_rec_t what;
    if (rc_rec_get(r, &what) < 0)
        return RC_OK; /* fold will say so */
    switch (r->type) {
    case RC_REC_RUN:
        j->run = what.run;
        break;
    case RC_REC_PLAN:
        j->has_plan = 1;
        j->plan = what.plan;
        break;
    case RC_REC_BEGIN:
        j->last_utc_ns = what.begin.utc_ns;
        return take_begin(h, &what.begin, err);
    case RC_REC_SETTLED:
        take_settled(h, r->len > 0 ? &what.settled : NULL);
        break;
    case RC_REC_SOURCE:
        if (r->end > start) {
            j->matrices++;
            j->last_utc_ns = what.source.utc_ns;
        }
        break;
    case RC_REC_RESULT:
        return r->end > start ? take_result(s, j, &what.result, err) : RC_OK;
    case RC_REC_END:
        j->ended = 1;
        j->state = what.end.state;
        h->count = 0;
        break;
    default: /* says nothing of how far the run is */
        break;
    }
    return RC_OK;
}

static rc_status_t scan_one(const char *dir, const char *name, int64_t start, rc_scan_t *s,
    rc_scan_journal_t *j, rc_err_t *err)
{
    rc_journal_view_t *v = NULL;
    rc_record_t r;
    hands_t hands = {0};
    rc_owner_t who;
    RC_PASS(rc_strcpy(j->name, sizeof j->name, name, "name of a journal", err));
    char *path = rc_strf("a path", err, "%s/%s", dir, name);
    rc_status_t st = path ? rc_journal_open(path, 0, &v, err) : RC_ENOMEM;
    if (st == RC_ENOENT)
        st = RC_OK; /* folded and removed since the folder was read */
    while (st == RC_OK && v && rc_journal_next(v, &r)) {
        j->end = r.end;
        st = take(s, j, &hands, &r, start, err);
    }
    if (st == RC_OK && v)
        st = rc_journal_read_status(v, err);
    if (st == RC_OK && v) {
        rc_owner_state_t state = rc_journal_writer(v, &who);
        j->alive = state == RC_OWNER_ALIVE || state == RC_OWNER_ELSEWHERE;
        if (state == RC_OWNER_ELSEWHERE)
            snprintf(j->host, sizeof j->host, "%s", who.host);
    }
    if (hands.count)
        qsort(hands.hand, hands.count, sizeof *hands.hand, measured_first);
    j->hand = hands.hand;
    j->hands = (int64_t)hands.count;
    rc_journal_view_close(v);
    free(path);
    return st;
}

rc_status_t rc_scan_journals(
    const char *store, rc_scan_folded_fn *folded, void *user, rc_scan_t *out, rc_err_t *err)
{
    char **names = NULL;
    int64_t n = 0;
    rc_status_t st = RC_OK;
    rc_scan_t s = {0};
    char *dir = rc_journal_dir(store, err);
    RC_PASS(dir ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_journal_list(dir, &names, &n, err));
    RC_TRY(RC_NEW0(s.journal, n, "journals", err));
    for (int64_t i = 0; i < n; i++)
        RC_TRY(scan_one(
            dir, names[i], folded ? folded(user, names[i]) : 0, &s, &s.journal[s.journals++], err));
    *out = s;
    memset(&s, 0, sizeof s);
done:
    rc_scan_free(&s);
    rc_journal_names_free(names, n);
    free(dir);
    return st;
}

void rc_scan_free(rc_scan_t *s)
{
    for (int64_t i = 0; s->journal && i < s->journals; i++)
        free(s->journal[i].hand);
    free(s->journal);
    free(s->fresh);
    memset(s, 0, sizeof *s);
}
