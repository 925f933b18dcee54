#include "config.h"
#include "sweep/placement.h"
#include "base/alloc.h"
#include "base/error.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* The n-th of `parts` slices of a CPU set. */
static void slice(const cpu_set_t *all, int part, int parts, cpu_set_t *out)
{
    int n = CPU_COUNT(all);
    int first = (int)((int64_t)n * part / parts);
    int last = (int)((int64_t)n * (part + 1) / parts);
    int at = 0;
    CPU_ZERO(out);
    for (size_t cpu = 0; cpu < CPU_SETSIZE; cpu++)
        if (CPU_ISSET(cpu, all)) {
            if (at >= first && at < last)
                CPU_SET(cpu, out);
            at++;
        }
}

/* CPUs of this rank among those of its node: ranks with the same set divide it.  0 when CPUs would
 * have to be shared: too many ranks for a set, or sets that overlap without being the same. */
static int divide(const cpu_set_t *sets, int rank, int size, cpu_set_t *mine)
{
    int part = 0;
    int parts = 0;
    for (int i = 0; i < size; i++) {
        cpu_set_t both;
        CPU_AND(&both, &sets[i], &sets[rank]);
        if (CPU_EQUAL(&sets[i], &sets[rank])) {
            part += i < rank;
            parts++;
        } else if (CPU_COUNT(&both) > 0)
            return 0;
    }
    if (CPU_COUNT(&sets[rank]) < parts)
        return 0;
    slice(&sets[rank], part, parts, mine);
    return 1;
}

static rc_status_t place_cpu(const rc_session_t *s, int share, const rc_log_t *log, rc_err_t *err)
{
    cpu_set_t mine;
    rc_status_t st = RC_OK;
    CPU_ZERO(&mine);
    cpu_set_t *sets = rc_alloc((size_t)s->node_size, sizeof *sets, "CPU sets", err);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        st = rc_fail_errno(err, RC_EDEVICE, errno, "cannot read the CPU set of the process");
    if (!sets)
        st = RC_ENOMEM;
    st = rc_session_agree(s, st, err);
    if (st < 0) {
        free(sets);
        return st;
    }
    MPI_Allgather(&mine, (int)sizeof mine, MPI_BYTE, sets, (int)sizeof mine, MPI_BYTE, s->node);
    cpu_set_t part;
    if (divide(sets, s->node_rank, s->node_size, &part)) {
        if (!CPU_EQUAL(&part, &mine) && sched_setaffinity(0, sizeof part, &part) != 0)
            st = rc_fail_errno(err, RC_EDEVICE, errno, "cannot bind the process to its CPUs");
    } else if (!share)
        st = rc_fail(err, RC_EDEVICE,
            "%d ranks on %s, and rank %d has to share its %d CPUs, so times would disturb each "
            "other; start at most one rank per CPU, bound to CPUs of its own or not at all "
            "(--bind-to none), or insist with --share-device",
            s->node_size, s->host, s->rank, CPU_COUNT(&mine));
    else if (s->node_rank == 0)
        rc_log(log, RC_LOG_WARN, "sweep", "%d ranks on %s share %d CPUs, as asked", s->node_size,
            s->host, CPU_COUNT(&mine));
    free(sets);
    return rc_session_agree(s, st, err);
}

rc_status_t rc_placement_open(const rc_session_t *s, rc_device_kind_t kind, int threads, int share,
    const rc_log_t *log, rc_device_t **out, rc_err_t *err)
{
    if (kind != RC_DEVICE_CPU)
        return rc_fail(err, RC_ENOTSUP, "this build has no CUDA kernels; use --device cpu");
    rc_status_t st = place_cpu(s, share, log, err);
    if (st < 0)
        return st;
    rc_device_t *d = NULL;
    cpu_set_t mine;
    CPU_ZERO(&mine);
    if (sched_getaffinity(0, sizeof mine, &mine) != 0)
        st = rc_fail_errno(err, RC_EDEVICE, errno, "cannot read the CPU set of the process");
    else if (threads > CPU_COUNT(&mine) && !share)
        st = rc_fail(err, RC_EINVAL,
            "--threads %d, but rank %d has %d CPUs; insist with --share-device", threads, s->rank,
            CPU_COUNT(&mine));
    st = rc_session_agree(s, st < 0 ? st : rc_device_open_cpu(threads, &d, err), err);
    if (st < 0) {
        rc_device_close(d);
        return st;
    }
    *out = d;
    return RC_OK;
}
