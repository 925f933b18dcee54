/* Which GPU each rank takes.  A file of its own: a test stands in for the GPUs that there are. */
#include "config.h"
#include "sweep/placement.h"
#include "base/error.h"
#include "store/comm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rc_seat_choose(int node_rank, int visible, int share)
{
    if (visible == 1)
        return 0;
    if (node_rank < visible)
        return node_rank;
    return share && visible > 0 ? node_rank % visible : -1;
}

int rc_seat_shared(const rc_seat_t *seat, int n, int *first, int *second)
{
    for (int i = 0; i < n; i++)
        for (int j = i + 1; j < n; j++)
            if (strcmp(seat[i].uuid, seat[j].uuid) == 0 &&
                strcmp(seat[i].host, seat[j].host) == 0) {
                *first = i;
                *second = j;
                return 1;
            }
    return 0;
}

/* This rank's choice among what it sees; local. */
static rc_status_t choose(
    const rc_session_t *s, int share, int *index, rc_seat_t *seat, rc_err_t *err)
{
    rc_gpu_info_t *list = NULL;
    int n = 0;
    RC_PASS(rc_gpu_list(&list, &n, err));
    rc_status_t st = RC_OK;
    int i = rc_seat_choose(s->node_rank, n, share);
    if (n == 0)
        st = rc_fail(err, RC_EDEVICE,
            "rank %d on %s sees no GPU (is CUDA_VISIBLE_DEVICES empty, or were none asked of the "
            "launcher?); use --device cpu to measure the CPUs",
            s->rank, s->host);
    else if (i < 0)
        st = rc_fail(err, RC_EDEVICE,
            "%d ranks on %s, which has %d GPUs: start one rank per GPU (mpirun -n %d, srun "
            "--ntasks-per-node %d), or insist with --share-device",
            s->node_size, s->host, n, n, n);
    else {
        *index = list[i].index;
        snprintf(seat->host, sizeof seat->host, "%s", s->host);
        snprintf(seat->uuid, sizeof seat->uuid, "%s", list[i].uuid);
    }
    free(list);
    return st;
}

rc_status_t rc_seat_take(
    const rc_session_t *s, int share, const rc_log_t *log, int *index, rc_err_t *err)
{
    rc_seat_t mine;
    int first;
    int second;
    memset(&mine, 0, sizeof mine); /* all of it is sent */
    RC_PASS(rc_session_agree(s, choose(s, share, index, &mine, err), err));
    rc_seat_t *all =
        rc_session_gather(s, s->comm, "the GPUs of the ranks", &mine, sizeof mine, err);
    RC_PASS(all ? RC_OK : err->status);
    rc_status_t st = RC_OK;
    if (rc_seat_shared(all, s->size, &first, &second)) {
        if (!share)
            st = rc_fail(err, RC_EDEVICE,
                "ranks %d and %d on %s both have %s: start one rank per GPU (mpirun -n N with N "
                "GPUs; srun --gpus-per-task 1), or insist with --share-device",
                first, second, all[first].host, all[first].uuid);
        else if (s->rank == 0)
            rc_log(log, RC_LOG_WARN, "sweep",
                "ranks %d and %d on %s share %s, as asked: their times disturb each other", first,
                second, all[first].host, all[first].uuid);
    }
    free(all);
    return rc_session_agree(s, st, err);
}
