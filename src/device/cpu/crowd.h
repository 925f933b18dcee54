/** \file device/cpu/crowd.h  Other programs on the CPUs that this one uses. */
#ifndef RC_DEVICE_CPU_CROWD_H
#define RC_DEVICE_CPU_CROWD_H

#include <stdint.h>

/** Who wants CPUs. */
typedef struct rc_crowd {
    double others; /**< threads of other programs that run or are ready to; -1: unknown */
    int cpus;      /**< of the machine */
    int mask;      /**< of them, that this process may run on: threads of a team */
    int quota;     /**< that it may use at once; 0: all */
} rc_crowd_t;

/** The company of a measurement: looks at the others while it lasts. */
typedef struct rc_crowd_meter {
    const char *root; /**< folder that `proc` and `sys` are in, "" of the machine; borrowed */
    int64_t since_ns;
    int64_t last_ns;  /**< of the last look */
    double stolen_s;  /**< CPU time that a hypervisor had withheld when it began */
    double sum;       /**< of `others` in the looks that found it */
    int looks;        /**< these */
    int shared;       /**< the last so many of them found shared CPUs */
    rc_crowd_t crowd; /**< as the last one found it */
} rc_crowd_meter_t;

/** The others, of a line of /proc/loadavg that the caller's running thread counts in.
 *  \return -1: the line does not say */
int rc_crowd_parse(const char *loadavg);

/** CPUs that a quota of the form "MICROSECONDS|max PERIOD" (cpu.max of cgroups) amounts to, rounded
 *  up.  \return 0: none */
int rc_crowd_quota(const char *cpu_max);

/** CPU time that a hypervisor gave to others, of the first line of /proc/stat, in its ticks.
 *  \return -1: the line does not say */
int64_t rc_crowd_stolen(const char *stat);

/** The first line of a file of the machine, empty where there is none.
 *  \param[in] root  as in the meter  \param[in] name  "/proc/loadavg" */
void rc_crowd_line(const char *root, const char *name, char *line, int size);

/** Now.  Local; 20 us, and where the CPUs are shared 1 ms for each further look.
 *  \param[in] root   as in the meter
 *  \param[in] looks  threads that are not there in each of so many, 1 ms apart, are left out */
rc_crowd_t rc_crowd_look(const char *root, int looks);

/** Begin to watch.  \param[in] root  as in the meter */
void rc_crowd_begin(rc_crowd_meter_t *m, const char *root);

/** Look; often enough costs nothing: it does once in 2 ms, in 20 us. */
void rc_crowd_watch(rc_crowd_meter_t *m);

/** On average since it began, with the CPUs that a hypervisor withheld; at least one look. */
rc_crowd_t rc_crowd_end(rc_crowd_meter_t *m);

/** 1: threads of others and a team of ours are more than there are CPUs, or a team is more than its
 *  quota. */
int rc_crowd_shares(const rc_crowd_t *c);

/** That a program lets us say how the teams of its process wait. */
typedef struct rc_crowd_hold {
    int held;         /**< 0: it does not */
    int blocktime_ms; /**< how long threads of LLVM's teams spun before */
} rc_crowd_hold_t;

/** From now on rc_crowd_wait says how the teams of this process wait, unless OMP_WAIT_POLICY,
 *  GOMP_SPINCOUNT or KMP_BLOCKTIME is set.  Any thread may; holds of several overlap.
 *  \param[in] team  threads of the caller's teams: one waits for nobody, and holds nothing
 *  \return to be released by rc_crowd_release, by the same thread */
rc_crowd_hold_t rc_crowd_hold(int team);

/** Teams wait as they did before, after the last of several holds. */
void rc_crowd_release(const rc_crowd_hold_t *h);

/** Say how the teams of this process wait for each other while it is held: asleep where CPUs are
 *  shared, else spinning, which is 50 to 100 us faster a product where a thread has to be woken.
 *  But one that spins takes the CPU from the thread that it waits for: products of 90 us take 2 to
 *  30 ms so.  Among several holds who wants them asleep has them so.
 *  \param[in] team  threads of the teams that are to wait so; of one nothing changes
 *  \return 1: asleep; 0: spinning: it is not for us to say (rc_crowd_hold), say, or OpenMP has
 *      too few threads for it */
int rc_crowd_wait(const rc_crowd_t *c, int team);

/** How teams wait now: "asleep", "spinning", or "as OpenMP is set" where that is not for us to say.
 */
const char *rc_crowd_waits(void);

/** What a team without work takes now, from its begin to its end, in ns: the median of 15.  Each
 *  product of a team takes so long at least.  \param[in] team  threads, >= 1 */
int64_t rc_crowd_team_ns(int team);

/** A program holds for good (rc_crowd_hold), and says how its teams wait at once.  To be called
 *  first in main().
 *  \param[in] root  as in the meter */
void rc_crowd_choose(const char *root);

#endif
