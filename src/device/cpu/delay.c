#include "config.h"
#include "device/cpu/delay.h"
#include "base/alloc.h"
#include "base/clock.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int64_t rc_delay_parse(const char *schedstat)
{
    long long waited = 0;
    return sscanf(schedstat, "%*d %lld", &waited) == 1 && waited >= 0 ? waited : -1;
}

rc_status_t rc_delay_open(rc_delay_t *d, const char *root, int most, rc_err_t *err)
{
    *d = (rc_delay_t){.root = root, .most = most};
    d->id = rc_alloc((size_t)most, sizeof *d->id, "the threads", err);
    d->since = rc_alloc((size_t)most, sizeof *d->since, "the threads", err);
    return d->id && d->since ? RC_OK : RC_ENOMEM;
}

void rc_delay_close(rc_delay_t *d)
{
    free(d->id);
    free(d->since);
    *d = (rc_delay_t){0};
}

void rc_delay_team(rc_delay_t *d, int team, const rc_crowd_t *c)
{
    const int cpus = c->quota > 0 && c->quota < c->mask ? c->quota : c->mask;
    int *id = d->id;
    d->threads = team <= cpus && team <= d->most ? team : 0;
    if (d->threads == 0)
        return;
    for (int i = 0; i < team; i++)
        id[i] = 0;
#pragma omp parallel num_threads(team)
    id[omp_get_thread_num()] = (int)syscall(SYS_gettid);
}

static int64_t waited_ns(const rc_delay_t *d, int thread)
{
    char name[64];
    char line[128];
    (void)snprintf(name, sizeof name, "/proc/self/task/%d/schedstat", d->id[thread]);
    rc_crowd_line(d->root, name, line, sizeof line);
    return rc_delay_parse(line);
}

static int64_t process_ns(void)
{
    struct timespec t;
    if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) != 0)
        return -1;
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void rc_delay_begin(rc_delay_t *d)
{
    for (int i = 0; i < d->threads; i++)
        d->since[i] = waited_ns(d, i);
    d->cpu_ns = process_ns();
    d->begin_ns = rc_clock_ns();
}

int64_t rc_delay_end(const rc_delay_t *d)
{
    const int64_t span = rc_clock_ns() - d->begin_ns;
    const int64_t cpu = process_ns();
    int64_t most = 0;
    if (d->threads > 0 && d->cpu_ns >= 0 && cpu >= 0 && span > cpu - d->cpu_ns)
        most = span - (cpu - d->cpu_ns);
    for (int i = 0; i < d->threads; i++) {
        const int64_t now = waited_ns(d, i);
        /* a thread may be gone */
        if (d->since[i] >= 0 && now - d->since[i] > most)
            most = now - d->since[i];
    }
    return most;
}
