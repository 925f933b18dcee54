#include "config.h"
#include "events.h"
#include "base/alloc.h"

#include <stdlib.h>
#include <string.h>

static int before(const sim_event_t *a, const sim_event_t *b)
{
    return a->at_s < b->at_s || (!(b->at_s < a->at_s) && a->nth < b->nth);
}

rc_status_t sim_events_put(sim_events_t *q, double at_s, int kind, int who, int64_t what, rc_err_t *err)
{
    void *p = q->e;
    rc_status_t st = rc_grow(&p, &q->capacity, q->count + 1, sizeof *q->e, "events", err);
    q->e = p;
    if (st < 0)
        return st;
    sim_event_t e = {at_s, q->put++, kind, who, what};
    size_t i = q->count++;
    for (; i > 0 && before(&e, &q->e[(i - 1) / 2]); i = (i - 1) / 2)
        q->e[i] = q->e[(i - 1) / 2];
    q->e[i] = e;
    return RC_OK;
}

int sim_events_take(sim_events_t *q, sim_event_t *out)
{
    if (q->count == 0)
        return 0;
    *out = q->e[0];
    sim_event_t last = q->e[--q->count];
    size_t i = 0;
    for (size_t c = 1; c < q->count; i = c, c = 2 * i + 1) {
        if (c + 1 < q->count && before(&q->e[c + 1], &q->e[c]))
            c++;
        if (!before(&q->e[c], &last))
            break;
        q->e[i] = q->e[c];
    }
    if (q->count > 0)
        q->e[i] = last;
    return 1;
}

void sim_events_free(sim_events_t *q)
{
    free(q->e);
    memset(q, 0, sizeof *q);
}
