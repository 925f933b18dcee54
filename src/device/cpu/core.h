/** \file device/cpu/core.h  What a virtual machine has of the cores that it runs on.
 *
 *  Hosts put two CPUs of guests on the two threads of one core.  Then each has about half of it,
 *  and no file of the guest says so: no load, no time that was stolen.  But additions that do not
 *  wait for each other take longer then, up to twice, and multiplications of which each waits for
 *  the one before do not: their ratio tells, at any clock. */
#ifndef RC_DEVICE_CPU_CORE_H
#define RC_DEVICE_CPU_CORE_H

#include <stdint.h>

/** Looks at the cores of a team.  Zero-initialise. */
typedef struct rc_core {
    double alone;  /**< the ratio where a core is ours alone, as far as is known; 0: not yet */
    double most;   /**< of the looks in a row that were below it */
    int lower;     /**< these */
    int64_t at_ns; /**< of the last look ... */
    int64_t took_ns;
    double lost; /**< ... as it said */
} rc_core_t;

/** 1: looking is worth it: the machine is virtual and shows no two CPUs of one core.
 *  \param[in] root  folder that `sys` is in, "" of the machine  \param[in] cpu  one of ours */
int rc_core_hidden(const char *root, int cpu);

/** Take note of a ratio.  What a core alone gives is learnt: three in a row that are lower by 2 %
 *  are it.
 *  \return by which share of its time a thread was slower than alone, 0 to 1 */
double rc_core_note(rc_core_t *c, double ratio);

/** The same of a team now, of the thread that has least of its core; 10 us, the first time .4 ms.
 *  One that is four times as old as it took will do: where teams sleep it takes 100 us.
 *  \param[in] team    threads that the caller leads
 *  \param[in] anew    0: so will one of the last 50 us */
double rc_core_lost(rc_core_t *c, int team, int anew);

/** What a line of cache takes from a thread of a team to its neighbour, in ns, of the two that are
 *  farthest apart: 25 or 160 in a virtual machine on an EPYC 9004, as its host put them.  15 us.
 *  \param[in] team  threads that the caller leads, of which the first 64 are looked at
 *  \return NaN: there is one, or two did not run at once */
double rc_core_hop_ns(int team);

#endif
