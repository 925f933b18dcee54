#include "config.h"
#include "sweep/totals.h"
#include "base/clock.h"
#include "store/comm.h"

/* Sum the counts of the ranks.  Collective. */
static void add_counts(const rc_session_t *s, rc_sweep_result_t *r)
{
    enum { others = 5, counts = RC_CASE_STATUSES + others };
    int64_t sums[counts];
    int64_t all[counts];
    int64_t *const other[] = {
        &r->features, &r->aliases, &r->too_large, &r->devices_lost, &r->named};
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        sums[i] = r->measured[i];
    for (int i = 0; i < others; i++)
        sums[RC_CASE_STATUSES + i] = *other[i];
    rc_comm_reduce(s->comm, sums, all, counts, sizeof *sums, MPI_INT64_T, MPI_SUM);
    for (int i = 0; i < RC_CASE_STATUSES; i++)
        r->measured[i] = all[i];
    for (int i = 0; i < others; i++)
        *other[i] = all[RC_CASE_STATUSES + i];
    int drained = r->drained;
    rc_comm_reduce(s->comm, &drained, &r->drained, 1, sizeof drained, MPI_INT, MPI_MAX);
}

/* Count the catalogue rows of all ranks: each once, under the highest status that a rank gave it.
 * Collective. */
static void count_rows(const rc_session_t *s, const rc_named_t *named, rc_sweep_result_t *r)
{
    enum { piece = 4096 };
    unsigned char all[piece];
    for (int64_t first = 0; first < named->catalog->count; first += piece) {
        int64_t left = named->catalog->count - first;
        int n = left < piece ? (int)left : piece;
        rc_comm_reduce(s->comm, named->status + first, all, n, 1, MPI_UNSIGNED_CHAR, MPI_MAX);
        for (int i = 0; i < n; i++)
            if (all[i] != RC_CASE_PENDING)
                r->matrices[all[i]]++;
    }
}

void rc_totals(const rc_session_t *s, const rc_spent_t *spent, const rc_named_t *named,
    double work_s, int64_t out_of_work_ns, rc_sweep_result_t *r)
{
    add_counts(s, r);
    count_rows(s, named, r);
    double times[4] = {(double)spent->busy_ns * 1e-9, (double)spent->active_ns * 1e-9,
        (double)spent->waiting_ns * 1e-9, work_s};
    double totals[4];
    rc_comm_reduce(s->comm, times, totals, 4, sizeof *times, MPI_DOUBLE, MPI_SUM);
    double all = totals[3] > 0 ? totals[3] : 1;
    r->busy_share = totals[0] / all;
    r->active_share = totals[1] / all;
    r->waiting_share = totals[2] / all;
    /* clocks of nodes may differ; the tail is measured against a common event, the end barrier */
    double idle = (double)(rc_clock_ns() - out_of_work_ns) * 1e-9;
    double ends[2] = {idle, -idle};
    double most[2];
    rc_comm_reduce(s->comm, ends, most, 2, sizeof *ends, MPI_DOUBLE, MPI_MAX);
    r->idle_tail_s = most[0] + most[1];
    struct {
        double value;
        int rank;
    } mine = {r->slowest_s, s->rank}, slowest;
    rc_comm_reduce(s->comm, &mine, &slowest, 1, sizeof mine, MPI_DOUBLE_INT, MPI_MAXLOC);
    r->slowest_s = slowest.value;
    if (s->comm != MPI_COMM_NULL)
        MPI_Bcast(r->slowest, (int)sizeof r->slowest, MPI_CHAR, slowest.rank, s->comm);
}
