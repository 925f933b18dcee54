/* Sums of patterns, and the choices of earlier runs that are found by them. */
#include "config.h"
#include "dropin/dropin.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int is_known(const rc_pattern_sums_t *s)
{
    return s->columns != 0 || s->pointers != 0;
}

int rc_past_sum(rc_dropin_t *d, rc_known_t *known, const rc_asked_t *p, int wanted)
{
    if (is_known(&known->sums))
        return 1;
    if (!known->sum && wanted && !rc_making_prepare(d, known->key.device))
        return 0;
    if (!known->sum && wanted)
        known->sum = d->engine->sum(p);
    if (!known->sum)
        return wanted; /* there is none to be had now */
    if (d->engine->summed(known->sum, &known->sums)) {
        d->engine->sum_free(known->sum);
        known->sum = NULL;
    }
    return 0;
}

/* \param[out] key  [RC_CHOICES_KEY]  \return 0: it has none */
static int key_of(rc_dropin_t *d, const rc_known_t *known, char *key)
{
    const rc_key_t *k = &known->key;
    if (!d->cache.path || !is_known(&known->sums) || k->device < 0 || k->device >= RC_DEVICES)
        return 0;
    char *device = d->device[k->device];
    double start = rc_making_now(d);
    int named = device[0] || d->engine->device_name(k->device, device) == 0;
    d->account.spent += rc_making_now(d) - start;
    if (!named)
        return 0;
    char types[RC_KEY_TYPES];
    rc_key_types(k, types);
    int n = snprintf(key, RC_CHOICES_KEY,
        "%s of %s, %s, layout %d, K %" PRId64 ", %" PRId64 " x %" PRId64 ", %" PRId64
        " entries, sums %016" PRIx64 " %016" PRIx64 ", on %.100s",
        rc_function(k->op)->op, types, rc_key_form(k), k->layout, k->k, k->rows, k->cols, k->nnz,
        known->sums.columns, known->sums.pointers, device);
    return n > 0 && n < RC_CHOICES_KEY && !strchr(key, '\n');
}

void rc_past_load(rc_dropin_t *d, rc_known_t *known)
{
    char key[RC_CHOICES_KEY];
    if (known->looked_up || !key_of(d, known, key))
        return;
    known->looked_up = 1;
    known->choice = calloc(1, sizeof *known->choice);
    if (known->choice && !rc_choices_load(&d->cache, key, known->choice)) {
        free(known->choice);
        known->choice = NULL;
    }
}

/* \param[out] key  [RC_CHOICES_KEY]  \return 1: there is a choice to keep */
static int choice_of(rc_dropin_t *d, const rc_known_t *known, char *key, rc_past_t *out)
{
    if (known->stage != RC_STAGE_ON)
        return 0;
    *out = (rc_past_t){.tuned = known->held->tuned && !known->next && d->job.known != known,
        .plan_ns = rc_times_median(&known->ours),
        .reference_ns = rc_times_median(&known->reference),
        .calls = known->calls};
    (void)snprintf(out->kernel, sizeof out->kernel, "%s", known->held->made.kernel);
    (void)snprintf(out->order, sizeof out->order, "%s", known->held->made.order);
    return out->plan_ns > 0 && out->reference_ns > 0 && out->kernel[0] && key_of(d, known, key);
}

void rc_past_save(rc_dropin_t *d, rc_known_t *known)
{
    char key[RC_CHOICES_KEY];
    rc_past_t choice;
    double start = rc_making_now(d);
    known->unsaved = 0;
    if (choice_of(d, known, key, &choice))
        rc_choices_save(&d->cache, key, &choice);
    d->account.spent += rc_making_now(d) - start;
}

void rc_past_save_later(rc_dropin_t *d, rc_known_t *known)
{
    known->unsaved = d->cache.path != NULL;
    if (known->unsaved && !rc_making_wake(d))
        rc_past_save(d, known);
}

void rc_past_write(rc_dropin_t *d)
{
    char key[RC_CHOICES_KEY];
    rc_past_t choice;
    for (int i = 0; i < d->count; i++) {
        if (!d->known[i]->unsaved)
            continue;
        d->known[i]->unsaved = 0;
        if (!choice_of(d, d->known[i], key, &choice))
            continue;
        rc_choice_folder_t c = d->cache;
        (void)pthread_mutex_unlock(&d->lock);
        rc_choices_save(&c, key, &choice);
        (void)pthread_mutex_lock(&d->lock);
        /* others read meanwhile, which may count */
        d->cache.ignored += c.saved == d->cache.saved;
        d->cache.saved = c.saved;
        d->cache.bytes = c.bytes;
        d->cache.looked = c.looked;
        i = -1; /* patterns may have moved */
    }
}
