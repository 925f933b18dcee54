#include "config.h"
#include "sweep/session.h"
#include "base/clock.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "store/comm.h"
#include "store/commit.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

/* Tasks that the launcher says it started; 0 when it does not say.  mpirun comes before srun:
 * inside a step of several tasks it may start a job of one. */
static int64_t launched_tasks(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *text = getenv(names[i]);
        int64_t n;
        if (text && rc_parse_int(text, 1, INT32_MAX, names[i], &n, NULL) == RC_OK)
            return n;
    }
    return 0;
}

/* Whether a process manager left a word for MPI: PMIx and PMI-1/2 set PMIX_*, PMI_*, other
 * launchers names of their own. */
static int has_manager(void)
{
    static const char *const begins[] = {"PMI", "OMPI_COMM_WORLD_SIZE=", "SLURM_MPI_TYPE=",
        "MV2_COMM_WORLD_SIZE=", "ALPS_APP_PE=", "PALS_RANKID="};
    for (char **e = environ; e && *e; e++)
        for (size_t i = 0; i < sizeof begins / sizeof *begins; i++)
            if (strncmp(*e, begins[i], strlen(begins[i])) == 0)
                return 1;
    return 0;
}

/* Open MPI under srun without a plugin ends the process inside MPI_Init: so ask before. */
static rc_status_t check_launcher(rc_err_t *err)
{
    const char *tasks = getenv("SLURM_STEP_NUM_TASKS");
    int64_t n;
    if (!tasks || rc_parse_int(tasks, 1, INT32_MAX, "tasks", &n, NULL) != RC_OK || n < 2 ||
        has_manager())
        return RC_OK;
    return rc_fail(err, RC_EMPI,
        "srun started %lld tasks without an MPI plugin, so each would be alone: say srun "
        "--mpi=pmix (srun --mpi=list names those there are)",
        (long long)n);
}

static rc_status_t start_mpi(int *argc, char ***argv, rc_session_t *s, rc_err_t *err)
{
    int provided = MPI_THREAD_SINGLE;
    if (MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided) != MPI_SUCCESS)
        return rc_fail(err, RC_EMPI, "MPI does not start");
    s->comm = MPI_COMM_WORLD;
    MPI_Comm_set_errhandler(s->comm, MPI_ERRORS_RETURN);
    s->threads_ok = provided >= MPI_THREAD_MULTIPLE;
    MPI_Comm_rank(s->comm, &s->rank);
    if (MPI_Comm_split_type(s->comm, MPI_COMM_TYPE_SHARED, s->rank, MPI_INFO_NULL, &s->node) ==
        MPI_SUCCESS)
        return RC_OK;
    rc_session_close(s);
    return rc_fail(err, RC_EMPI, "MPI cannot tell which ranks share a node");
}

rc_status_t rc_session_open(int *argc, char ***argv, rc_session_t *out, rc_err_t *err)
{
    rc_session_t s = {.comm = MPI_COMM_NULL, .node = MPI_COMM_NULL, .threads_ok = 1};
    RC_PASS(check_launcher(err));
    rc_status_t st = RC_OK;
    /* to a job, a closed pipe is an error of the write that hits it, not a silent death */
    signal(SIGPIPE, SIG_IGN);
    if (has_manager())
        st = start_mpi(argc, argv, &s, err);
    if (st < 0)
        return st;
    s.size = rc_comm_size(s.comm);
    s.node_rank = rc_comm_rank(s.node);
    s.node_size = rc_comm_size(s.node);
    if (gethostname(s.host, sizeof s.host - 1) != 0)
        snprintf(s.host, sizeof s.host, "unknown");
    int64_t tasks = launched_tasks();
    if (s.size == 1 && tasks > 1) {
        rc_session_close(&s);
        return rc_fail(err, RC_EMPI,
            "the launcher started %lld tasks, but MPI sees one: wrong MPI plugin (try srun "
            "--mpi=pmix, or mpirun)",
            (long long)tasks);
    }
    *out = s;
    return RC_OK;
}

void rc_session_close(rc_session_t *s)
{
    if (s->node != MPI_COMM_NULL)
        MPI_Comm_free(&s->node);
    int started = 0;
    int ended = 0;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (started && !ended && rc_store_can_finish())
        MPI_Finalize();
}

rc_status_t rc_session_agree(const rc_session_t *s, rc_status_t st, rc_err_t *err)
{
    rc_status_t all = rc_comm_agree(s->comm, st);
    if (all < 0 && st >= 0)
        rc_fail(err, all, "another rank failed (%s)", rc_status_name(all));
    return all;
}

int rc_session_first(const rc_session_t *s, int yes)
{
    int mine = yes ? s->rank : s->size;
    int first = mine;
    if (rc_comm_reduce(s->comm, &mine, &first, 1, sizeof mine, MPI_INT, MPI_MIN) < 0)
        return mine;
    return first;
}

rc_status_t rc_session_broadcast(
    const rc_session_t *s, void **data, int64_t count, size_t size, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    if (s->rank != 0) {
        *data = rc_alloc((size_t)count, size, "what rank 0 sends", err);
        st = *data ? RC_OK : RC_ENOMEM;
    }
    st = rc_session_agree(s, st, err);
    if (st < 0)
        return st;
    if (rc_comm_broadcast(s->comm, *data, (size_t)count * size) < 0)
        return rc_fail(err, RC_EMPI, "an array cannot be broadcast");
    return RC_OK;
}

void *rc_session_gather(const rc_session_t *s, MPI_Comm comm, const char *what, const void *mine,
    size_t size, rc_err_t *err)
{
    void *all = rc_alloc((size_t)rc_comm_size(comm), size, what, err);
    rc_status_t st = rc_session_agree(s, all ? RC_OK : RC_ENOMEM, err);
    if (st == RC_OK && rc_comm_gather(comm, mine, all, size) < 0)
        st = rc_fail(err, RC_EMPI, "MPI: %s cannot be compared", what);
    if (rc_session_agree(s, st, err) == RC_OK)
        return all;
    free(all);
    return NULL;
}

void rc_session_wait_all(const rc_session_t *s)
{
    static const int64_t pause_ns = 2000000;
    MPI_Request request;
    int done = 0;
    if (s->size == 1 || MPI_Ibarrier(s->comm, &request) != MPI_SUCCESS)
        return;
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done)
        rc_sleep_ns(pause_ns);
}
