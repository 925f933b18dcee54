#include "config.h"
#include "sweep/worklist.h"
#include "store/comm.h"
#include "sweep/session.h"

rc_status_t rc_worklist_share(
    const rc_session_t *s, rc_worklist_t *work, rc_worklist_known_t *known, rc_err_t *err)
{
    int64_t head[6] = {
        work->items, (int64_t)known->count, work->cases, work->done, work->absents, work->matrices};
    rc_comm_broadcast(s->comm, head, sizeof head);
    rc_comm_broadcast(s->comm, &work->cost_s, sizeof work->cost_s);
    void *item = work->item;
    rc_status_t st = rc_session_broadcast(s, &item, head[0], sizeof *work->item, err);
    work->item = item;
    if (st < 0)
        return st;
    void *id = known->id;
    st = rc_session_broadcast(s, &id, head[1], sizeof *known->id, err);
    known->id = id;
    if (st < 0)
        return st;
    void *value = known->value;
    st = rc_session_broadcast(s, &value, head[1], 1, err);
    known->value = value;
    if (st < 0)
        return st;
    if (s->rank != 0) {
        work->items = head[0];
        work->cases = head[2];
        work->done = head[3];
        work->matrices = head[5];
        known->count = known->capacity = (size_t)head[1];
        for (size_t i = 0; i < known->count && st == RC_OK; i++)
            st = rc_map_set(&known->state, known->id[i], (int64_t)known->value[i], err);
    }
    return rc_session_agree(s, st, err);
}
