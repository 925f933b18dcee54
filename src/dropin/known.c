/* What becomes of a product that is understood. */
#include "config.h"
#include "dropin/dropin.h"

#include <stdlib.h>
#include <string.h>

double rc_times_median(const rc_times_t *t)
{
    double sorted[RC_TIMES];
    for (int i = 0; i < t->count; i++) {
        int at = i;
        for (; at > 0 && sorted[at - 1] > t->ns[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = t->ns[i];
    }
    return t->count > 0 ? sorted[t->count / 2] : 0;
}

rc_why_t rc_known_why(const rc_known_t *known)
{
    switch (known->stage) {
    case RC_STAGE_WATCHING:
        return RC_WHY_WATCHING;
    case RC_STAGE_MAKING:
        return RC_WHY_MAKING;
    case RC_STAGE_OFF:
        return known->off;
    default:
        return RC_WHY_PLAN;
    }
}

/* --------------------------------------------------------------------- table */

static rc_key_t key_of(const rc_spmm_t *p, int device)
{
    rc_key_t key;
    memset(&key, 0, sizeof key);
    key.col_idx = p->a.col_idx;
    key.stream = p->stream;
    key.rows = p->a.rows;
    key.cols = p->a.cols;
    key.nnz = p->a.nnz;
    key.k = p->k;
    key.device = device;
    key.layout = (int)p->layout;
    key.row_ptr_bytes = p->a.row_ptr_bytes;
    key.col_idx_bytes = p->a.col_idx_bytes;
    key.value_bytes = p->a.value_bytes;
    return key;
}

/* Move an entry to the front, where the next product looks first. */
static rc_known_t *to_front(rc_dropin_t *d, int at)
{
    rc_known_t *known = d->known[at];
    memmove(d->known + 1, d->known, (size_t)at * sizeof *d->known);
    d->known[0] = known;
    return known;
}

/* After the last user a plan is among the dead. */
static void leave(rc_dropin_t *d, rc_held_t *held)
{
    if (!held || --held->users > 0)
        return;
    d->bytes -= held->bytes;
    held->next = d->dead;
    d->dead = held;
    (void)pthread_cond_signal(&d->wake);
}

static void drop_plan(rc_dropin_t *d, rc_known_t *known)
{
    leave(d, known->held);
    leave(d, known->sibling);
    known->held = NULL;
    known->sibling = NULL;
    known->compared = 0;
    known->first_check = 0;
    for (int i = 0; i < RC_TRUSTED_MOST; i++)
        if (d->trusted[i].known == known) {
            d->trusted[i].known = NULL;
            d->trusted[i].number = 0;
        }
}

void rc_known_try(rc_known_t *known)
{
    known->stage = RC_STAGE_TRYING;
    known->turns = 0;
    known->ours.count = 0;
    known->ours.marked = 0;
}

/* Of the next check for a pattern. */
static uint64_t number_of(rc_dropin_t *d, const rc_known_t *known)
{
    return ++d->number << 16 | known->tag;
}

static void times_free(rc_dropin_t *d, rc_times_t *t)
{
    for (int i = 0; i < RC_TIMES; i++)
        if (t->mark[i])
            d->engine->marks_free(t->mark[i]);
}

static int may_go(const rc_known_t *known)
{
    return !known->busy && known->stage != RC_STAGE_MAKING;
}

/* Room for one more: the one that was used longest ago goes. */
static int make_room(rc_dropin_t *d)
{
    if (d->count < RC_KNOWN_MOST)
        return 1;
    for (int i = d->count - 1; i >= 0; i--)
        if (may_go(d->known[i])) {
            drop_plan(d, d->known[i]);
            times_free(d, &d->known[i]->reference);
            times_free(d, &d->known[i]->ours);
            free(d->known[i]);
            d->count--;
            memmove(d->known + i, d->known + i + 1, (size_t)(d->count - i) * sizeof *d->known);
            d->forgotten++;
            return 1;
        }
    return 0;
}

void rc_known_make_memory(rc_dropin_t *d)
{
    for (int i = d->count - 1; i > 0 && d->bytes >= d->settings.memory; i--) {
        rc_known_t *known = d->known[i];
        if (!known->held || !may_go(known) || d->calls - known->last < RC_IDLE)
            continue;
        drop_plan(d, known);
        known->stage = RC_STAGE_WATCHING;
        known->turns = 0;
    }
}

static rc_known_t *find(rc_dropin_t *d, const rc_key_t *key)
{
    for (int i = 0; i < d->count; i++)
        if (memcmp(&d->known[i]->key, key, sizeof *key) == 0)
            return to_front(d, i);
    rc_known_t *known = make_room(d) ? calloc(1, sizeof *known) : NULL;
    if (!known)
        return NULL;
    known->key = *key;
    known->tag = d->tags++ & 0xffff;
    d->known[d->count++] = known;
    return to_front(d, d->count - 1);
}

/* -------------------------------------------------------------------- times */

/* Take the times of earlier calls that the stream has got to. */
static void take_times(rc_dropin_t *d, rc_times_t *t)
{
    while (t->count < t->marked) {
        double ns = d->engine->between(t->mark[t->count]);
        if (ns == 0)
            return;
        if (ns > 0)
            t->ns[t->count++] = ns;
        else { /* no time: the last one takes its place */
            void *mark = t->mark[t->count];
            t->mark[t->count] = t->mark[--t->marked];
            t->mark[t->marked] = mark;
        }
    }
}

/* Begin to time a call.  1: its end is to be marked. */
static int begin_time(rc_dropin_t *d, rc_known_t *known, rc_times_t *t, void *stream)
{
    if (known->turns <= RC_UNTIMED || t->marked >= RC_TIMES)
        return 0;
    if (!t->mark[t->marked])
        t->mark[t->marked] = d->engine->marks();
    if (!t->mark[t->marked] || d->engine->mark(t->mark[t->marked], 0, stream) < 0)
        return 0;
    known->busy = 1;
    return 1;
}

static void end_time(rc_dropin_t *d, rc_known_t *known, rc_times_t *t, void *stream)
{
    known->busy = 0;
    if (d->engine->mark(t->mark[t->marked], 1, stream) >= 0)
        t->marked++;
}

/* ------------------------------------------------------------------ siblings */

/* The same pattern at another address: programs copy matrices, and make transposed ones anew for
 * each product.  One plan does for all of them, since it reads the values each time; that the
 * pattern is the same is found out on the device, while cuSPARSE multiplies. */

static int alike(const rc_key_t *a, const rc_key_t *b)
{
    return a->stream == b->stream && a->device == b->device && a->rows == b->rows &&
           a->cols == b->cols && a->nnz == b->nnz && a->k == b->k && a->layout == b->layout &&
           a->value_bytes == b->value_bytes;
}

static rc_held_t *find_sibling(const rc_dropin_t *d, const rc_known_t *known)
{
    for (int i = 0; i < d->count; i++)
        if (d->known[i] != known && d->known[i]->stage == RC_STAGE_ON &&
            alike(&d->known[i]->key, &known->key))
            return d->known[i]->held;
    return NULL;
}

/* 1: the outcome is known, or never will be. */
static int outcome(const rc_dropin_t *d, const rc_known_t *known, int *same)
{
    uint64_t equal = 0;
    uint64_t differs = 0;
    d->engine->compared(known->sibling->plan, &equal, &differs);
    *same = equal == known->compared;
    return equal >= known->compared || differs >= known->compared;
}

/* 1: the entry has a plan of the same pattern at another address now. */
static int adopt(rc_dropin_t *d, rc_known_t *known, const rc_spmm_t *p)
{
    int same = 0;
    if (known->compared == 0) {
        rc_held_t *held = find_sibling(d, known);
        if (!held)
            return 0;
        known->compared = number_of(d, known);
        if (d->engine->compare(held->plan, p, known->compared) < 0)
            return 0;
        known->sibling = held;
        held->users++;
    }
    if (!known->sibling || !outcome(d, known, &same))
        return 0;
    if (!same)
        leave(d, known->sibling);
    else {
        known->held = known->sibling;
        memcpy(known->text, known->held->text, sizeof known->text);
    }
    known->sibling = NULL;
    return same;
}

/* --------------------------------------------------------------------- trust */

/* ROWCAST_TRUST=preprocess: between two calls of cusparseSpMM_preprocess a descriptor's pattern
 * stays. */

void rc_distrust(rc_dropin_t *d, cusparseConstSpMatDescr_t descr)
{
    for (int i = 0; i < RC_TRUSTED_MOST; i++)
        if (d->trusted[i].descr == descr)
            d->trusted[i] = (rc_trusted_t){0};
}

void rc_trust(rc_dropin_t *d, cusparseConstSpMatDescr_t descr, const rc_spmm_t *p)
{
    rc_distrust(d, descr);
    for (int i = 0; i < RC_TRUSTED_MOST; i++)
        if (!d->trusted[i].descr) {
            d->trusted[i] = (rc_trusted_t){descr, p->a.row_ptr, p->a.col_idx, NULL, 0};
            return;
        }
}

static rc_trusted_t *find_trusted(
    rc_dropin_t *d, cusparseConstSpMatDescr_t descr, const rc_spmm_t *p)
{
    for (int i = 0; d->settings.trust && descr && i < RC_TRUSTED_MOST; i++)
        if (d->trusted[i].descr == descr && d->trusted[i].row_ptr == p->a.row_ptr &&
            d->trusted[i].col_idx == p->a.col_idx)
            return &d->trusted[i];
    return NULL;
}

/* --------------------------------------------------------------------- plans */

/* The one of a plan's patterns that a check, by its number, was of; NULL: of an earlier plan's. */
static rc_known_t *checked(const rc_dropin_t *d, const rc_held_t *held, uint64_t number)
{
    for (int i = 0; i < d->count; i++) {
        rc_known_t *known = d->known[i];
        if (known->held == held && known->tag == (number & 0xffff))
            return known->first_check != 0 && number >= known->first_check ? known : NULL;
    }
    return NULL;
}

/* A pattern was found to be another one: C was right, but slow to make.  A plan keeps only the last
 * such number, so whoever sees it first acts on it, though it may be of another pattern. */
static void look_for_changes(rc_dropin_t *d, const rc_held_t *held)
{
    uint64_t equal = 0;
    uint64_t differs = 0;
    d->engine->checks(held->plan, &equal, &differs);
    rc_known_t *known = differs > 0 ? checked(d, held, differs) : NULL;
    if (!known)
        return;
    drop_plan(d, known);
    known->changes++;
    known->turns = 0;
    known->stage = known->changes < RC_CHANGES ? RC_STAGE_WATCHING : RC_STAGE_OFF;
    known->off = RC_WHY_CHANGES;
}

static void decide(rc_dropin_t *d, rc_known_t *known)
{
    if (known->ours.count < RC_TIMES && !d->settings.always)
        return;
    known->stage = RC_STAGE_ON;
    if (d->settings.always ||
        rc_times_median(&known->ours) <= RC_KEEP * rc_times_median(&known->reference))
        return;
    drop_plan(d, known);
    known->stage = RC_STAGE_OFF;
    known->off = RC_WHY_SLOWER;
}

static int trusted(rc_dropin_t *d, const rc_known_t *known, rc_trusted_t *t, uint64_t number)
{
    uint64_t equal = 0;
    uint64_t differs = 0;
    if (!t)
        return 0;
    if (t->known != known) {
        t->known = known;
        t->number = number;
        return 0;
    }
    d->engine->checks(known->held->plan, &equal, &differs);
    return known->held->users == 1 && equal >= t->number && differs < t->number;
}

static rc_why_t run_plan(rc_dropin_t *d, rc_known_t *known, const rc_spmm_t *p, rc_trusted_t *t)
{
    uint64_t number = number_of(d, known);
    int timed = known->stage == RC_STAGE_TRYING && begin_time(d, known, &known->ours, p->stream);
    rc_checking_t check = trusted(d, known, t, number) ? RC_CHECK_NOT
                          : t                          ? RC_CHECK_TOLD
                                                       : RC_CHECK_QUIET;
    int st = d->engine->run(known->held->plan, p, check, number);
    if (st == 0) {
        if (timed)
            end_time(d, known, &known->ours, p->stream);
        if (known->first_check == 0)
            known->first_check = number;
        known->by_plan++;
        return RC_WHY_PLAN;
    }
    /* what it refuses once it would refuse each time, at the price of a check */
    known->busy = 0;
    drop_plan(d, known);
    known->stage = RC_STAGE_OFF;
    known->off = RC_WHY_REFUSED;
    return RC_WHY_REFUSED;
}

/* --------------------------------------------------------------------- a call */

/* What a plan is compared with is there. */
static int is_timed(const rc_dropin_t *d, const rc_known_t *known)
{
    return d->settings.always ? known->turns >= RC_UNTIMED : known->reference.count >= RC_TIMES;
}

/* Enough products for a plan, and their times, are there. */
static int worth_it(const rc_dropin_t *d, const rc_known_t *known)
{
    if (d->settings.always)
        return known->turns > RC_UNTIMED;
    double spent = 1e-9 * (double)known->calls * rc_times_median(&known->reference);
    double making = rc_making_estimate(d, known);
    return known->turns > RC_UNTIMED && known->reference.count >= RC_TIMES &&
           spent >= RC_BEGIN * making &&
           d->seconds + making <= d->settings.share * (rc_making_now() - d->start);
}

static rc_why_t advance(rc_dropin_t *d, rc_known_t *known, const rc_spmm_t *p)
{
    take_times(d, &known->reference);
    take_times(d, &known->ours);
    if (known->held)
        look_for_changes(d, known->held);
    if (known->stage == RC_STAGE_WATCHING && is_timed(d, known) && adopt(d, known, p))
        rc_known_try(known);
    if (known->stage == RC_STAGE_WATCHING && !known->sibling && worth_it(d, known))
        rc_making_begin(d, known, p);
    if (known->stage == RC_STAGE_MAKING)
        rc_making_end(d, known);
    if (known->stage == RC_STAGE_TRYING)
        decide(d, known);
    known->turns++;
    return rc_known_why(known);
}

static rc_turn_t begin(rc_dropin_t *d, const rc_spmm_t *p, cusparseConstSpMatDescr_t descr)
{
    rc_turn_t turn = {RC_WHY_OFF, NULL, p->stream};
    int device = 0;
    if (!d->engine || d->forked)
        return turn;
    int st = d->engine->stream(p->stream, &device);
    turn.why = st > 0 ? RC_WHY_CAPTURE : RC_WHY_STREAM;
    if (st != 0)
        return turn;
    rc_key_t key = key_of(p, device);
    rc_known_t *known = find(d, &key);
    turn.why = RC_WHY_MANY;
    if (!known || known->busy)
        return turn;
    if (d->start == 0)
        d->start = rc_making_now();
    known->calls++;
    known->last = d->calls;
    turn.why = advance(d, known, p);
    if (turn.why == RC_WHY_PLAN)
        turn.why = run_plan(d, known, p, find_trusted(d, descr, p));
    else if (turn.why == RC_WHY_WATCHING && begin_time(d, known, &known->reference, p->stream))
        turn.known = known;
    return turn;
}

rc_turn_t rc_dropin_begin(rc_dropin_t *d, const rc_spmm_t *p, cusparseConstSpMatDescr_t descr)
{
    rc_dropin_enter();
    (void)pthread_mutex_lock(&d->lock);
    rc_turn_t turn = begin(d, p, descr);
    if (d->settings.wait)
        rc_making_bury(d); /* there is no thread */
    (void)pthread_mutex_unlock(&d->lock);
    rc_dropin_leave();
    return turn;
}

void rc_dropin_end(rc_dropin_t *d, const rc_turn_t *turn)
{
    if (!turn->known)
        return;
    (void)pthread_mutex_lock(&d->lock);
    end_time(d, turn->known, &turn->known->reference, turn->stream);
    (void)pthread_mutex_unlock(&d->lock);
}
