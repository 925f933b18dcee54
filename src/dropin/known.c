/* Patterns, what is known of them, and what becomes of a product that is understood. */
#include "config.h"
#include "dropin/dropin.h"
#include "dropin/type.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- table */

/* Of strides one is 1, the other one is from line to line. */
static int is_wide(const rc_asked_t *p)
{
    const int64_t bytes = rc_dropin_type(p->a.precision)->bytes;
    const int64_t lines =
        (p->ldb | p->ldc | p->left_by.row * p->left_by.col | p->b_by.row * p->b_by.col) * bytes;
    return p->k > 0 && (((uintptr_t)p->left | (uintptr_t)p->b | (uintptr_t)p->c) % 16) == 0 &&
           lines % 16 == 0;
}

rc_key_t rc_key_of(const rc_asked_t *p, int device)
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
    key.op = (int)p->op;
    key.form = (int)p->a.form;
    key.direct = p->direct;
    /* plans are for all that are understood; cuSPARSE's time is another one where it promises */
    key.algorithm = p->direct ? p->algorithm : p->promises;
    key.layout = (int)p->layout;
    key.row_ptr_bytes = p->a.row_ptr_bytes;
    key.col_idx_bytes = p->a.col_idx_bytes;
    key.precision = (int)p->a.precision;
    key.wide = p->direct && is_wide(p);
    key.c_sums = p->c_sums;
    return key;
}

void rc_key_types(const rc_key_t *key, char *text)
{
    const rc_dropin_type_t *type = rc_dropin_type((rc_precision_t)key->precision);
    (void)snprintf(text, RC_KEY_TYPES, "%.4s%s%.4s", type->name, key->c_sums ? " to " : "",
        key->c_sums ? rc_dropin_type(type->sum)->name : "");
}

const char *rc_key_form(const rc_key_t *key)
{
    static const char *const names[] = {
        [RC_PLAN_CSR] = "csr", [RC_PLAN_CSC] = "csc", [RC_PLAN_COO] = "coo"};
    return names[key->form];
}

/* Move an entry to the front, where the next product looks first. */
static rc_known_t *to_front(rc_dropin_t *d, int at)
{
    rc_known_t *known = d->known[at];
    memmove(d->known + 1, d->known, (size_t)at * sizeof *d->known);
    d->known[0] = known;
    return known;
}

void rc_known_leave(rc_dropin_t *d, rc_held_t *held)
{
    if (!held || --held->users > 0)
        return;
    d->bytes -= held->made.bytes;
    held->next = d->dead;
    d->dead = held;
    (void)rc_making_wake(d);
}

void rc_known_leave_next(rc_dropin_t *d, rc_known_t *known)
{
    if (!known->next)
        return;
    rc_worth_tried(d, known);
    rc_known_leave(d, known->next);
    known->next = NULL;
}

void rc_known_drop(rc_dropin_t *d, rc_known_t *known)
{
    rc_worth_settle(d, known);
    rc_known_leave(d, known->held);
    rc_known_leave_next(d, known);
    rc_known_leave(d, known->sibling);
    known->held = NULL;
    known->won = 0;
    known->kept_ns = 0;
    known->sibling = NULL;
    known->compared = 0;
    known->first_check = 0;
    for (int i = 0; i < RC_TRUSTED_MOST; i++)
        if (d->trusted[i].known == known) {
            d->trusted[i].known = NULL;
            d->trusted[i].number = 0;
        }
}

void rc_known_changed(rc_dropin_t *d, rc_known_t *known)
{
    rc_known_drop(d, known);
    rc_times_renew(known);
    known->changes++;
    known->turns = 0;
    known->since = known->calls;
    known->sums = (rc_pattern_sums_t){0, 0};
    known->looked_up = 0;
    free(known->choice);
    known->choice = NULL;
    known->stage = known->changes < RC_CHANGES ? RC_STAGE_WATCHING : RC_STAGE_OFF;
    known->off = RC_WHY_CHANGES;
}

uint64_t rc_known_number(rc_dropin_t *d, const rc_known_t *known)
{
    return ++d->number << 16 | known->tag;
}

static int may_go(const rc_dropin_t *d, const rc_known_t *known)
{
    return !known->busy && d->job.known != known;
}

static void forget(rc_dropin_t *d, int at)
{
    rc_known_t *known = d->known[at];
    rc_known_drop(d, known);
    rc_times_free(d, &known->reference);
    rc_times_free(d, &known->ours);
    rc_times_free(d, &known->better);
    if (known->sum)
        d->engine->sum_free(known->sum);
    free(known->choice);
    free(known);
    d->count--;
    memmove(d->known + at, d->known + at + 1, (size_t)(d->count - at) * sizeof *d->known);
    d->forgotten++;
}

/* What is kept rather than others: a plan, then a pattern that has come back. */
static int worth_of(const rc_known_t *known)
{
    return known->held ? 2 : known->calls > 1;
}

/* Room for one more: of those that are worth least the one that was used longest ago goes.  A
 * program with many matrices that never come back would push out the one that does. */
static int make_room(rc_dropin_t *d)
{
    int at = -1;
    if (d->count < RC_KNOWN_MOST)
        return 1;
    for (int i = d->count - 1; i >= 0; i--)
        if (may_go(d, d->known[i]) && (at < 0 || worth_of(d->known[i]) < worth_of(d->known[at])))
            at = i;
    if (at >= 0)
        forget(d, at);
    return at >= 0;
}

void rc_known_make_memory(rc_dropin_t *d)
{
    for (int i = d->count - 1; i > 0 && d->bytes >= d->settings.memory; i--) {
        rc_known_t *known = d->known[i];
        int has = known->held && known->held->made.bytes > 0;
        if (!has || !may_go(d, known) || d->calls - known->last < RC_IDLE)
            continue;
        rc_known_drop(d, known);
        known->stage = RC_STAGE_WATCHING;
        known->turns = 0;
        known->ways = 0;
    }
}

/* 1: all that a call would ask for is known, and the account is not looked at in it. */
static int is_counted(const rc_dropin_t *d, const rc_known_t *known)
{
    return known->stage == RC_STAGE_WATCHING && known->reference.count == RC_TIMES && !known->sum &&
           !known->sibling && !d->job.known && !d->cache.path && !d->settings.always &&
           !rc_worth_is_time(known);
}

int rc_known_passes(rc_dropin_t *d, const rc_asked_t *p, rc_why_t *why)
{
    rc_key_t key = rc_key_of(p, 0);
    for (int i = 0; i < d->count; i++) {
        rc_known_t *known = d->known[i];
        key.device = known->key.device; /* which is not known yet */
        if (memcmp(&known->key, &key, sizeof key) != 0)
            continue;
        /* a capture may take what is kept on another stream */
        if (known->stage != RC_STAGE_OFF &&
            (!is_counted(d, known) || rc_known_kept(d, p, known->key.device)))
            return 0;
        *why = rc_known_why(known);
        rc_pace_call(d, known, p->stream);
        known->calls++;
        known->turns++;
        known->last = d->calls;
        (void)to_front(d, i);
        return 1;
    }
    return 0;
}

rc_known_t *rc_known_kept(rc_dropin_t *d, const rc_asked_t *p, int device)
{
    rc_key_t key = rc_key_of(p, device);
    for (int i = 0; i < d->count; i++) {
        rc_known_t *known = d->known[i];
        key.stream = known->key.stream;
        if (known->stage == RC_STAGE_ON && !known->busy && known->held->made.captures &&
            memcmp(&known->key, &key, sizeof key) == 0)
            return known;
    }
    return NULL;
}

rc_known_t *rc_known_find(rc_dropin_t *d, const rc_asked_t *p, int device)
{
    const rc_key_t key = rc_key_of(p, device);
    for (int i = 0; i < d->count; i++)
        if (memcmp(&d->known[i]->key, &key, sizeof key) == 0)
            return to_front(d, i);
    rc_known_t *known = make_room(d) ? calloc(1, sizeof *known) : NULL;
    if (!known)
        return NULL;
    d->account.fresh++;
    known->key = key;
    known->tag = d->tags++ & 0xffff;
    d->known[d->count++] = known;
    return to_front(d, d->count - 1);
}

/* -------------------------------------------------------------------- resets */

/* A plan that is gone with its context: memory of the host is all that is left. */
static void lose(rc_dropin_t *d, rc_held_t *held)
{
    if (!held || --held->users > 0)
        return;
    d->bytes -= held->made.bytes;
    free(held);
}

/* The pattern is as a new one; what has been counted stays. */
static void begin_anew(rc_dropin_t *d, rc_known_t *known)
{
    rc_worth_settle(d, known);
    lose(d, known->held);
    lose(d, known->next);
    lose(d, known->sibling);
    free(known->choice);
    *known = (rc_known_t){.key = known->key,
        .tag = known->tag,
        .calls = known->calls,
        .since = known->calls,
        .by_plan = known->by_plan,
        .settled = known->settled,
        .begun_at = known->begun_at,
        .busy = known->busy, /* a call of another thread ends it */
        .last = known->last,
        .make_seconds = known->make_seconds};
}

void rc_known_context(rc_dropin_t *d, int device, uint64_t context)
{
    if (device < 0 || device >= RC_DEVICES || context == 0)
        return;
    uint64_t before = d->context[device];
    d->context[device] = context;
    if (before == 0 || before == context)
        return;
    d->resets++;
    for (int i = 0; i < d->count; i++)
        begin_anew(d, d->known[i]);
    for (int i = 0; i < RC_TRUSTED_MOST; i++) {
        d->trusted[i].known = NULL;
        d->trusted[i].number = 0;
    }
    while (d->dead) {
        rc_held_t *next = d->dead->next;
        free(d->dead);
        d->dead = next;
    }
    while (d->captured) {
        rc_captured_t *next = d->captured->next;
        lose(d, d->captured->held);
        free(d->captured);
        d->captured = next;
    }
    d->in_graphs = 0;
    d->prepared = RC_PREPARED_NOT;
    d->engine->lost();
}

/* ------------------------------------------------------------------ siblings */

/* The same pattern at another address: programs copy matrices, and make transposed ones anew for
 * each product.  One plan does for all of them, since it reads the values each time; that the
 * pattern is the same is found out on the device, while cuSPARSE multiplies. */

static int alike(const rc_key_t *a, const rc_key_t *b)
{
    return a->stream == b->stream && a->device == b->device && a->op == b->op &&
           a->form == b->form && a->rows == b->rows && a->cols == b->cols && a->nnz == b->nnz &&
           a->k == b->k && a->layout == b->layout && a->precision == b->precision &&
           a->c_sums == b->c_sums && a->algorithm == b->algorithm && a->direct == b->direct;
}

static rc_held_t *find_sibling(const rc_dropin_t *d, const rc_known_t *known)
{
    for (int i = 0; i < d->count; i++)
        if (d->known[i] != known && d->known[i]->stage == RC_STAGE_ON &&
            alike(&d->known[i]->key, &known->key))
            return d->known[i]->held;
    return NULL;
}

int rc_known_waits(const rc_dropin_t *d, const rc_known_t *known)
{
    for (int i = 0; known->compared == 0 && i < d->count; i++) {
        const rc_known_t *other = d->known[i];
        int soon = other->stage == RC_STAGE_MAKING || other->stage == RC_STAGE_TRYING;
        /* one that is not used any more is not tried to the end */
        if (other != known && soon && d->calls - other->last <= RC_KNOWN_MOST &&
            alike(&other->key, &known->key))
            return 1;
    }
    return 0;
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

int rc_known_adopt(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p)
{
    int same = 0;
    if (known->compared == 0) {
        rc_held_t *held = find_sibling(d, known);
        if (!held)
            return 0;
        known->compared = rc_known_number(d, known);
        if (d->engine->compare(held->plan, p, known->compared) < 0)
            return 0;
        known->sibling = held;
        held->users++;
    }
    if (!known->sibling || !outcome(d, known, &same))
        return 0;
    if (!same)
        rc_known_leave(d, known->sibling);
    else {
        known->held = known->sibling;
        memcpy(known->text, known->held->made.text, sizeof known->text);
    }
    known->sibling = NULL;
    return same;
}

/* --------------------------------------------------------------------- trust */

/* ROWCAST_TRUST=preprocess: between two calls of cusparseSpMM_preprocess a descriptor's pattern
 * stays.  That of cusparseSpMV is another buffer, which says nothing of it. */

void rc_distrust(rc_dropin_t *d, cusparseConstSpMatDescr_t descr)
{
    for (int i = 0; i < RC_TRUSTED_MOST; i++)
        if (d->trusted[i].descr == descr)
            d->trusted[i] = (rc_trusted_t){0};
}

void rc_trust(rc_dropin_t *d, cusparseConstSpMatDescr_t descr, rc_op_t op, const rc_asked_t *p)
{
    rc_trusted_t *place = NULL;
    for (int i = 0; i < RC_TRUSTED_MOST; i++) {
        rc_trusted_t *t = &d->trusted[i];
        if (t->descr == descr && t->op == op)
            *t = (rc_trusted_t){0};
        if (!t->descr && !place)
            place = t;
    }
    if (place && p)
        *place = (rc_trusted_t){descr, op, p->a.row_ptr, p->a.col_idx, NULL, 0};
}

rc_trusted_t *rc_known_trusted(rc_dropin_t *d, cusparseConstSpMatDescr_t descr, const rc_asked_t *p)
{
    for (int i = 0; d->settings.trust && descr && i < RC_TRUSTED_MOST; i++)
        if (d->trusted[i].descr == descr && d->trusted[i].op == p->op &&
            d->trusted[i].row_ptr == p->a.row_ptr && d->trusted[i].col_idx == p->a.col_idx)
            return &d->trusted[i];
    return NULL;
}

/* --------------------------------------------------------------------- plans */

/* The one of a plan's patterns that a check, by its number, was of; NULL: of an earlier plan's. */
static rc_known_t *checked(const rc_dropin_t *d, const rc_held_t *held, uint64_t number)
{
    for (int i = 0; i < d->count; i++) {
        rc_known_t *known = d->known[i];
        if ((known->held == held || known->next == held) && known->tag == (number & 0xffff))
            return known->first_check != 0 && number >= known->first_check ? known : NULL;
    }
    return NULL;
}

/* A pattern was found to be another one: C was right, but slow to make.  A plan keeps only the last
 * such number, so whoever sees it first acts on it, though it may be of another pattern. */
void rc_known_changes(rc_dropin_t *d, const rc_held_t *held)
{
    uint64_t equal = 0;
    uint64_t differs = 0;
    d->engine->checks(held->plan, &equal, &differs);
    rc_known_t *known = differs > 0 ? checked(d, held, differs) : NULL;
    if (!known)
        return;
    rc_worth_repaired(d, known);
    rc_known_changed(d, known);
}
