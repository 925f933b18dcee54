/** \file device/cpu/spread.h  Threads of a team on CPUs of their own. */
#ifndef RC_DEVICE_CPU_SPREAD_H
#define RC_DEVICE_CPU_SPREAD_H

/** Threads of one team that are woken together may be put on one CPU, and stay there for some ticks
 *  of 4 ms though another CPU is idle: products of 100 us take 8 ms so.  Each of them that is not
 *  the first on its CPU goes to one that no thread of the team is on.  It may still run on all CPUs
 *  that it might before.  Collective over the team; 1 us where nothing is to do.
 *  Threads that wait asleep take turns on a CPU, which looks alike: 60 us.
 *  \param[in] team  threads, >= 1; more than the caller may use CPUs are left as they are, as
 *                   are those that are bound to CPUs of their own
 *  \return threads that were moved */
int rc_spread(int team);

#endif
