#include "config.h"
#include "sweep/placement.h"
#include "base/error.h"
#include "store/comm.h"
#include "sweep/binding.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ------------------------------------------------------------- CPUs */

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

/* The CPUs that this process may use. */
static rc_status_t own_cpus(cpu_set_t *out, rc_err_t *err)
{
    CPU_ZERO(out);
    if (sched_getaffinity(0, sizeof *out, out) != 0)
        return rc_fail_errno(err, RC_EDEVICE, errno, "cannot read the CPU set of the process");
    return RC_OK;
}

/* Bind the rank to its part of the CPUs of its node.  Collective.
 * \param[out] shared  1: there is no part for each, and nothing was bound
 * \param[out] cpus  that the rank had before */
static rc_status_t bind_part(const rc_session_t *s, int *shared, int *cpus, rc_err_t *err)
{
    cpu_set_t mine;
    rc_status_t st = RC_OK;
    RC_PASS(rc_session_agree(s, own_cpus(&mine, err), err));
    cpu_set_t *sets =
        rc_session_gather(s, s->node, "the CPU sets of the ranks", &mine, sizeof mine, err);
    RC_PASS(sets ? RC_OK : err->status);
    cpu_set_t part;
    *cpus = CPU_COUNT(&mine);
    *shared = !divide(sets, s->node_rank, s->node_size, &part);
    if (!*shared && !CPU_EQUAL(&part, &mine) && sched_setaffinity(0, sizeof part, &part) != 0)
        st = rc_fail_errno(err, RC_EDEVICE, errno, "cannot bind the process to its CPUs");
    free(sets);
    return rc_session_agree(s, st, err);
}

static rc_status_t place_cpu(
    const rc_session_t *s, int threads, int share, const rc_log_t *log, rc_err_t *err)
{
    int shared = 0;
    int cpus = 0;
    RC_PASS(bind_part(s, &shared, &cpus, err));
    rc_status_t st = RC_OK;
    if (shared && !share)
        st = rc_fail(err, RC_EDEVICE,
            "%d ranks on %s, and rank %d has to share its %d CPUs, so times would disturb each "
            "other; start at most one rank per CPU, bound to CPUs of its own or not at all "
            "(--bind-to none), or insist with --share-device",
            s->node_size, s->host, s->rank, cpus);
    else if (shared && s->node_rank == 0)
        rc_log(log, RC_LOG_WARN, "sweep", "%d ranks on %s share %d CPUs, as asked", s->node_size,
            s->host, cpus);
    cpu_set_t mine;
    if (st == RC_OK)
        st = own_cpus(&mine, err);
    if (st == RC_OK && threads > CPU_COUNT(&mine) && !share)
        st = rc_fail(err, RC_EINVAL,
            "--threads %d, but rank %d has %d CPUs; insist with --share-device", threads, s->rank,
            CPU_COUNT(&mine));
    return rc_session_agree(s, st, err);
}

/* The CPUs of a GPU rank load, order and launch: sharing them costs time, but spoils no figure. */
static rc_status_t place_gpu(
    const rc_session_t *s, int share, const rc_log_t *log, int *index, rc_err_t *err)
{
    int shared = 0;
    int cpus = 0;
    rc_status_t st = rc_seat_take(s, share, log, index, err);
    if (st == RC_OK)
        st = bind_part(s, &shared, &cpus, err);
    if (st < 0 || s->node_rank != 0)
        return st;
    if (shared)
        rc_log(log, RC_LOG_WARN, "sweep",
            "%d ranks on %s share %d CPUs: preparing matrices may hold up their GPUs", s->node_size,
            s->host, cpus);
    return RC_OK;
}

/* What the first rank of a node found, where that is not all that there is. */
static void tell_cpus(const rc_session_t *s, int threads, const rc_log_t *log)
{
    cpu_set_t mine;
    rc_str_t left_out = {0};
    if (s->node_rank != 0 || own_cpus(&mine, NULL) < 0)
        return;
    int cpus = CPU_COUNT(&mine);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    rc_binding_left_out(&left_out);
    if (left_out.len)
        rc_log(log, RC_LOG_WARN, "sweep",
            "%s: not used, threads run on the CPUs that a rank was started with; rank %d on %s has "
            "%d of %ld",
            left_out.text, s->rank, s->host, cpus, online);
    if (cpus == 1 && threads != 1 && online > s->node_size)
        rc_log(log, RC_LOG_WARN, "sweep",
            "a rank on %s has 1 of %ld CPUs: --bind-to none (mpirun) or --cpus-per-task (srun) "
            "gives it more",
            s->host, online);
    rc_str_free(&left_out);
}

rc_status_t rc_placement_open(const rc_session_t *s, rc_device_kind_t kind, int threads, int share,
    const rc_log_t *log, rc_device_t **out, rc_err_t *err)
{
    rc_device_t *d = NULL;
    int index = 0;
    RC_PASS(kind == RC_DEVICE_CPU ? place_cpu(s, threads, share, log, err)
                                  : place_gpu(s, share, log, &index, err));
    rc_status_t st = RC_OK;
    if (kind == RC_DEVICE_CPU)
        st = rc_device_open_cpu(threads, &d, err);
    else
        st = rc_device_open_gpu(index, threads, &d, err);
    st = rc_session_agree(s, st, err);
    if (st < 0) {
        rc_device_close(d);
        return st;
    }
    tell_cpus(s, threads, log);
    *out = d;
    return RC_OK;
}

/* ------------------------------------------------------------- the kind */

/* What --device auto means to this rank: a GPU when there is one.  Local. */
static rc_device_kind_t best_kind(const rc_log_t *log)
{
    rc_gpu_info_t *list = NULL;
    rc_gpu_versions_t v;
    int n = 0;
    rc_err_t err = {0};
    rc_status_t st = rc_gpu_list(&list, &n, &err);
    free(list);
    /* a machine with a driver, and the driver says no */
    if (st == RC_EDEVICE && rc_gpu_versions(&v, NULL) == RC_OK && v.driver > 0)
        rc_log(log, RC_LOG_WARN, "sweep", "the CPUs are measured: %s", err.text);
    return st == RC_OK && n > 0 ? RC_DEVICE_CUDA : RC_DEVICE_CPU;
}

/* --device cuda: what stands in the way for every rank is said before anything is opened. */
static rc_status_t check_gpu(rc_err_t *err)
{
    rc_gpu_info_t *list = NULL;
    int n = 0;
    rc_status_t st = rc_gpu_list(&list, &n, err);
    free(list);
    return st < 0 ? rc_err_context(err, "--device cuda") : RC_OK;
}

rc_status_t rc_placement_kind(const rc_session_t *s, const char *device, const rc_log_t *log,
    rc_device_kind_t *out, rc_err_t *err)
{
    *out = RC_DEVICE_CPU;
    if (strcmp(device, "cpu") == 0)
        return RC_OK;
    if (strcmp(device, "cuda") == 0) {
        *out = RC_DEVICE_CUDA;
        return check_gpu(err);
    }
    if (strcmp(device, "auto") != 0)
        return rc_fail(err, RC_EINVAL, "--device: expected cpu, cuda or auto, found '%s'", device);
    *out = best_kind(log);
    struct {
        int has;
        int rank;
    } mine = {*out == RC_DEVICE_CUDA, s->rank}, least, most;
    if (rc_comm_reduce(s->comm, &mine, &least, 1, sizeof mine, MPI_2INT, MPI_MINLOC) < 0 ||
        rc_comm_reduce(s->comm, &mine, &most, 1, sizeof mine, MPI_2INT, MPI_MAXLOC) < 0)
        return rc_fail(err, RC_EMPI, "MPI: the devices of the ranks cannot be compared");
    if (least.has != most.has)
        return rc_fail(err, RC_EDEVICE,
            "rank %d sees a GPU and rank %d sees none: start one rank per GPU, or say --device cpu",
            most.rank, least.rank);
    return RC_OK;
}
