#include "config.h"
#include "sweep/worklist.h"
#include "base/error.h"
#include "store/comm.h"
#include "sweep/session.h"

rc_status_t rc_worklist_share(
    const rc_session_t *s, rc_worklist_t *work, rc_worklist_known_t *known, rc_err_t *err)
{
    rc_worklist_t head = *work;
    int64_t count = (int64_t)known->count;
    void *item = work->item;
    void *list = known->list;
    if (rc_comm_broadcast(s->comm, &head, sizeof head) < 0 ||
        rc_comm_broadcast(s->comm, &count, sizeof count) < 0)
        return rc_fail(err, RC_EMPI, "a work list cannot be broadcast");
    if (s->rank != 0) {
        head.item = NULL;
        head.absent = NULL;
        *work = head;
    }
    rc_status_t st = rc_session_broadcast(s, &item, work->items, sizeof *work->item, err);
    work->item = item;
    if (st == RC_OK)
        st = rc_session_broadcast(s, &list, count, sizeof *known->list, err);
    known->list = list;
    if (st < 0)
        return st;
    if (s->rank != 0)
        known->count = known->capacity = (size_t)count;
    for (size_t i = 0; s->rank != 0 && i < known->count && st == RC_OK; i++)
        st = rc_map_set(&known->state, known->list[i].id, (int64_t)known->list[i].state, err);
    return rc_session_agree(s, st, err);
}
