#include "config.h"
#include "device/cpu/spread.h"

#include <omp.h>
#include <sched.h>
#include <stdatomic.h>

/* Goes to a CPU that it may use and that is not taken.  \return 1: there was one */
static int move(atomic_uchar taken[CPU_SETSIZE])
{
    cpu_set_t all;
    cpu_set_t one;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return 0;
    for (size_t i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET(i, &all) || atomic_exchange(&taken[i], 1))
            continue;
        CPU_ZERO(&one);
        CPU_SET(i, &one);
        const int moved = sched_setaffinity(0, sizeof one, &one) == 0;
        (void)sched_setaffinity(0, sizeof all, &all);
        return moved;
    }
    return 0;
}

int rc_spread(int team)
{
    atomic_uchar taken[CPU_SETSIZE] = {0};
    int moved = 0;
    cpu_set_t mine;
    if (team < 2 || sched_getaffinity(0, sizeof mine, &mine) != 0 || team > CPU_COUNT(&mine))
        return 0;
#pragma omp parallel num_threads(team) reduction(+ : moved)
    {
        const int at = sched_getcpu();
        const int known = at >= 0 && at < CPU_SETSIZE;
        const int second = known && atomic_exchange(&taken[at], 1);
#pragma omp barrier
        moved = second && move(taken);
    }
    return moved;
}
