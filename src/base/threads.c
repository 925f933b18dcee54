#include "config.h"
#include "base/threads.h"

#include <omp.h>
#include <pthread.h>
#include <sys/stat.h>

/* Of the thread that forks, and so of the one that the child begins with: it was the only one. */
static _Thread_local int was_alone;

/* Set in a child before it has a second thread, or never. */
static int threads_are_gone;

static void before_fork(void)
{
    enum { links_of_one = 3 }; /* of the folder: itself, its own dot, one thread */
    struct stat s;
    was_alone = stat("/proc/self/task", &s) == 0 && s.st_nlink == links_of_one;
}

static void in_child(void)
{
    threads_are_gone |= !was_alone;
}

__attribute__((constructor)) static void watch_forks(void)
{
    (void)pthread_atfork(before_fork, NULL, in_child);
}

void rc_thread_fresh(void)
{
    threads_are_gone = 0;
}

int rc_thread_count(int threads)
{
    enum { each = 4, least = 64 };
    if (threads_are_gone)
        return 1;
    if (threads <= 0)
        return omp_get_max_threads();
    if (threads <= least)
        return threads; /* asking for the processors is a call of the system */
    int most = omp_get_num_procs() > least / each ? omp_get_num_procs() * each : least;
    return threads < most ? threads : most;
}
