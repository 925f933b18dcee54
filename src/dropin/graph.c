/* Plans in graphs.  A graph runs whenever the program says so, beside any other work, and nobody
 * hears of that or of its end.  So a plan that one holds is that graph's alone, and stays for good.
 * In each of its runs the values are put anew and the pattern is compared: the product is right
 * whatever has changed in the program's arrays. */
#include "config.h"
#include "dropin/dropin.h"

#include <stdlib.h>
#include <string.h>

/* What was captured before on the same stream comes before: one plan does for both. */
static rc_captured_t *find(const rc_dropin_t *d, const rc_key_t *key, uint64_t capture)
{
    for (rc_captured_t *g = d->captured; g; g = g->next)
        if (g->capture == capture && memcmp(&g->key, key, sizeof *key) == 0)
            return g;
    return NULL;
}

/* A plan that is kept, as far as its checks have said until now, and that nothing else uses or
 * will.  NULL: there is none */
static rc_known_t *find_free(rc_dropin_t *d, const rc_asked_t *p, int device)
{
    rc_known_t *known = rc_known_kept(d, p, device);
    if (!known || d->in_graphs >= RC_GRAPHS_MOST)
        return NULL;
    rc_known_changes(d, known->held);
    return known->stage == RC_STAGE_ON && known->held->users == 1 &&
                   d->engine->ended(known->held->plan)
               ? known
               : NULL;
}

/* The pattern is watched again then: products out of graphs have another plan where they pay. */
static rc_captured_t *take(
    rc_dropin_t *d, const rc_asked_t *p, const rc_key_t *key, uint64_t capture)
{
    rc_known_t *known = find_free(d, p, key->device);
    rc_captured_t *g = known ? calloc(1, sizeof *g) : NULL;
    if (!g)
        return NULL;
    if (known->unsaved)
        rc_past_save(d, known);
    *g = (rc_captured_t){.key = *key, .capture = capture, .held = known->held, .next = d->captured};
    g->held->users++;
    d->captured = g;
    d->in_graphs++;
    rc_known_drop(d, known);
    known->stage = RC_STAGE_WATCHING;
    known->turns = 0;
    return g;
}

rc_why_t rc_graph_capture(rc_dropin_t *d, const rc_asked_t *p, int device)
{
    const rc_key_t key = rc_key_of(p, device);
    uint64_t capture = d->engine->capture(p->stream);
    if (capture == 0)
        return RC_WHY_CAPTURE;
    rc_captured_t *g = find(d, &key, capture);
    if (!g)
        g = take(d, p, &key, capture);
    if (!g || g->refuses)
        return RC_WHY_CAPTURE;
    g->held->runs++;
    /* cuSPARSE's product, which comes behind what failed, stores all of C */
    g->refuses = d->engine->record(g->held->plan, p, ++d->number << 16) != 0;
    return g->refuses ? RC_WHY_CAPTURE : RC_WHY_PLAN;
}
