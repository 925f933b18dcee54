/** \file device/cpu/crowd.h  Other programs on the CPUs that this one uses. */
#ifndef RC_DEVICE_CPU_CROWD_H
#define RC_DEVICE_CPU_CROWD_H

/** Who wants CPUs. */
typedef struct rc_crowd {
    int others; /**< threads of other programs that run or are ready to; -1: unknown */
    int cpus;   /**< of the machine */
    int mask;   /**< of them, that this process may run on: threads of a team */
    int quota;  /**< that it may use at once; 0: all */
} rc_crowd_t;

/** The others, of a line of /proc/loadavg that the caller's running thread counts in.
 *  \return -1: the line does not say */
int rc_crowd_parse(const char *loadavg);

/** CPUs that a quota of the form "MICROSECONDS|max PERIOD" (cpu.max of cgroups) amounts to, rounded
 *  up.  \return 0: none */
int rc_crowd_quota(const char *cpu_max);

/** Now.  Local; 20 us, and where the CPUs are shared 1 ms for each further look.
 *  \param[in] looks  threads that are not there in each of so many, 1 ms apart, are left out */
rc_crowd_t rc_crowd_now(int looks);

/** 1: threads of others and a team of ours are more than there are CPUs, or a team is more than its
 *  quota. */
int rc_crowd_shares(const rc_crowd_t *c);

/** Where CPUs are shared, begin the program anew with OMP_WAIT_POLICY=passive: threads of a team
 *  that wait for each other then sleep, instead of taking the CPU from the one that they wait for
 *  (products of 150 us take 5 to 16 ms so).  OpenMP reads its settings before main() only.  Does
 *  nothing where OMP_WAIT_POLICY or GOMP_SPINCOUNT is set.  To be called first in main().
 *  \param[in] argv  of main() */
void rc_crowd_wait_passively(char *const *argv);

#endif
