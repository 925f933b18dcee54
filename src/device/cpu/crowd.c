#include "config.h"
#include "device/cpu/crowd.h"
#include "base/clock.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int rc_crowd_parse(const char *loadavg)
{
    int running = 0;
    return sscanf(loadavg, "%*f %*f %*f %d/", &running) == 1 && running > 0 ? running - 1 : -1;
}

int rc_crowd_quota(const char *cpu_max)
{
    long long quota = 0;
    long long period = 0;
    if (sscanf(cpu_max, "%lld %lld", &quota, &period) != 2 || quota <= 0 || period <= 0)
        return 0;
    long long cpus = (quota + period - 1) / period;
    return cpus < CPU_SETSIZE ? (int)cpus : CPU_SETSIZE;
}

/* The first line of a file; empty where there is none. */
static void read_line(const char *path, char *line, int size)
{
    FILE *f = fopen(path, "r");
    line[0] = '\0';
    if (f && !fgets(line, size, f))
        line[0] = '\0';
    if (f)
        fclose(f);
}

static int others_now(void)
{
    char line[128];
    read_line("/proc/loadavg", line, sizeof line);
    return rc_crowd_parse(line);
}

rc_crowd_t rc_crowd_now(int looks)
{
    enum { between_ns = 1000000 };
    char line[64];
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    rc_crowd_t c = {.others = others_now(), .cpus = online > 0 ? (int)online : 1};
    c.mask = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : c.cpus;
    read_line("/sys/fs/cgroup/cpu.max", line, sizeof line);
    c.quota = rc_crowd_quota(line);
    for (int i = 1; i < looks && rc_crowd_shares(&c); i++) {
        rc_sleep_ns(between_ns);
        int others = others_now();
        c.others = others < c.others ? others : c.others;
    }
    return c;
}

int rc_crowd_shares(const rc_crowd_t *c)
{
    return c->others > c->cpus - c->mask || (c->quota > 0 && c->quota < c->mask);
}

void rc_crowd_wait_passively(char *const *argv)
{
    static const char policy[] = "OMP_WAIT_POLICY";
    if (getenv(policy) || getenv("GOMP_SPINCOUNT"))
        return;
    enum { looks = 6 };
    rc_crowd_t c = rc_crowd_now(looks);
    if (rc_crowd_shares(&c) && setenv(policy, "passive", 1) == 0)
        (void)execv("/proc/self/exe", argv); /* where it fails, the program goes on as it is */
}
