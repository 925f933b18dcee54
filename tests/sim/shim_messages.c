/* Counts the messages to the server thread of src/sweep/queue.c: preloaded into every rank.  What rank 0
 * took from its inbox is appended to the file MESSAGES_LOG when MPI ends: messages by kind, and the
 * server's time for one, which is from where it finds the message to where it looks for the next. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { REQUEST = 1, KINDS = 6, NEXT = 0, CLAIM = 1, TELL = 2, LEAVE = 4 };

static long count[KINDS];
static double wall_s;
static double cpu_s;
static double most_s;
static double first_s; /* when the first message came, ... */
static double last_s;  /* ... and the last */
static __thread struct timespec from[2]; /* wall and CPU, when a message was found */
static __thread int serving;

static double since(const struct timespec *a, clockid_t clock)
{
    struct timespec b;
    clock_gettime(clock, &b);
    return (double)(b.tv_sec - a->tv_sec) + 1e-9 * (double)(b.tv_nsec - a->tv_nsec);
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag, MPI_Status *status)
{
    static const struct timespec zero;
    if (serving) {
        double s = since(&from[0], CLOCK_MONOTONIC);
        wall_s += s;
        most_s = s > most_s ? s : most_s;
        cpu_s += since(&from[1], CLOCK_THREAD_CPUTIME_ID);
        serving = 0;
        last_s = since(&zero, CLOCK_MONOTONIC);
    }
    struct timespec wall;
    struct timespec cpu;
    clock_gettime(CLOCK_MONOTONIC, &wall);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    int st = PMPI_Iprobe(source, tag, comm, flag, status);
    if (source == MPI_ANY_SOURCE && tag == REQUEST && st == MPI_SUCCESS && *flag) {
        from[0] = wall;
        from[1] = cpu;
        serving = 1;
        if (first_s <= 0)
            first_s = since(&zero, CLOCK_MONOTONIC);
    }
    return st;
}

int MPI_Recv(void *data, int n, MPI_Datatype type, int from_rank, int tag, MPI_Comm comm, MPI_Status *status)
{
    int st = PMPI_Recv(data, n, type, from_rank, tag, comm, status);
    /* signs of life have the tag too, and are a byte */
    if (serving && tag == REQUEST && n > 1 && st == MPI_SUCCESS) {
        int kind = *(const int *)data; /* request_t begins with it */
        if (kind >= 0 && kind < KINDS)
            count[kind]++;
    }
    return st;
}

int MPI_Finalize(void)
{
    const char *name = getenv("MESSAGES_LOG");
    long all = 0;
    for (int k = 0; k < KINDS; k++)
        all += count[k];
    FILE *f = name && all ? fopen(name, "a") : NULL;
    if (f) {
        fprintf(f, "next %ld claim %ld tell %ld leave %ld others %ld\n", count[NEXT], count[CLAIM],
            count[TELL], count[LEAVE], count[3] + count[5]);
        fprintf(f, "served %ld in %.3f s: wall %.2f us, CPU %.2f us, longest %.0f us\n", all,
            last_s - first_s, 1e6 * wall_s / (double)all, 1e6 * cpu_s / (double)all, 1e6 * most_s);
        fclose(f);
    }
    return PMPI_Finalize();
}
