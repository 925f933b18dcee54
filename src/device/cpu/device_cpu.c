#include "config.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "device/cpu/core.h"
#include "device/cpu/crowd.h"
#include "device/cpu/delay.h"
#include "device/cpu/simd.h"
#include "device/cpu/spread.h"
#include "device/device.h"

#include <inttypes.h>
#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct cpu_impl {
    unsigned char *flush_buffer; /* NULL until the first flush */
    size_t flush_bytes;
    int first_cpu; /* whose clock is read */
    rc_crowd_meter_t meter;
    rc_delay_t delay;
    int hidden; /* 1: who shares our cores, only looking at them tells */
    rc_core_t core;
    double hop_ns; /* when the measurement began */
} cpu_impl_t;

/* --------------------------------------------------------- any device */

rc_device_state_t rc_device_state_unknown(void)
{
    return (rc_device_state_t){.clock_mhz = NAN,
        .memory_clock_mhz = NAN,
        .temperature_c = NAN,
        .throttle = -1,
        .hop_ns = NAN,
        .others = NAN,
        .crowded = -1};
}

/* 1: enough of what was timed to make times longer. */
static int is_shared(const rc_device_t *d)
{
    enum { part = 4 };
    return d->shared > d->timed / part;
}

void rc_device_company(rc_device_t *d, char text[RC_COMPANY_MAX])
{
    rc_device_state_t state;
    d->read_state(d, &state);
    text[0] = '\0';
    if (is_shared(d))
        (void)snprintf(text, RC_COMPANY_MAX,
            "the host shares cores: %" PRId64 " of %" PRId64 " batches were timed beside others",
            d->shared, d->timed);
    else if (state.crowded > 0 && d->executor.kind == RC_DEVICE_CPU)
        (void)snprintf(text, RC_COMPANY_MAX,
            "load %.*f on %d CPU%s: other programs made these times", state.others < 10,
            state.others, state.cpus, state.cpus == 1 ? "" : "s");
    else if (state.crowded > 0)
        (void)snprintf(text, RC_COMPANY_MAX, "%.0f other processes on the GPU", state.others);
}

int rc_device_is_alone(rc_device_t *d)
{
    if (d->executor.kind != RC_DEVICE_CPU || is_shared(d))
        return 0;
    cpu_impl_t *impl = d->impl;
    const rc_crowd_t crowd = rc_crowd_end(&impl->meter);
    return crowd.others >= 0 && !rc_crowd_shares(&crowd);
}

rc_status_t rc_device_time_alone(
    rc_device_t *d, rc_launch_fn *launch, void *state, int64_t batch, int64_t *ns, rc_err_t *err)
{
    enum { tries = 4 };
    const double most = 0.05;
    double lost = 1;
    for (int i = 0; i < tries && lost > most; i++) {
        const double before = d->lost(d, 0);
        int64_t one = 0;
        RC_PASS(d->time_batch(d, launch, state, batch, &one, err));
        lost = fmax(before, d->lost(d, 1));
        if (i == 0 || lost <= most || one < *ns)
            *ns = one;
    }
    d->timed++;
    d->shared += lost > most;
    return RC_OK;
}

void rc_device_close(rc_device_t *d)
{
    if (d)
        d->close(d);
}

/* ------------------------------------------------------------- discovery */

/* Value of the first line "key : value" of /proc/cpuinfo, or of the one of processor `cpu` when
 * it is not negative. */
static int cpuinfo(const char *key, int cpu, char *out, size_t size)
{
    FILE *f = fopen("/proc/cpuinfo", "r");
    if (!f)
        return 0;
    char line[512];
    int current = -1;
    int found = 0;
    size_t n = strlen(key);
    while (!found && fgets(line, sizeof line, f)) {
        if (sscanf(line, "processor : %d", &current) == 1)
            continue;
        char *colon = strchr(line, ':');
        if (!colon || strncmp(line, key, n) != 0 || !strchr("\t :", line[n]) ||
            (cpu >= 0 && cpu != current))
            continue;
        colon += 1 + strspn(colon + 1, " \t");
        colon[strcspn(colon, "\n")] = '\0';
        snprintf(out, size, "%s", colon);
        found = 1;
    }
    fclose(f);
    return found;
}

/* "Intel(R)  Xeon(R)" and the like come with runs of blanks. */
static void squeeze_blanks(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++)
        if (*from != ' ' || (to > text && to[-1] != ' '))
            *to++ = *from;
    if (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

static int64_t last_level_cache(void)
{
    int64_t best = 0;
    for (int index = 0; index < 8; index++) {
        char path[96];
        char unit = 'B';
        int64_t size = 0;
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
        FILE *f = fopen(path, "r");
        if (!f)
            break;
        int got = fscanf(f, "%" SCNd64 "%c", &size, &unit);
        fclose(f);
        if (got < 1)
            continue;
        size *= got == 2 && unit == 'K' ? 1024 : got == 2 && unit == 'M' ? 1024 * 1024 : 1;
        best = size > best ? size : best;
    }
#ifdef _SC_LEVEL3_CACHE_SIZE
    if (best == 0 && sysconf(_SC_LEVEL3_CACHE_SIZE) > 0)
        best = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
    return best;
}

/* The CPUs that the process may run on, as "cpu-0-1" or "cpu-0-3,8" (a range is first-last); a list
 * that does not fit ends in "+N" for the N CPUs that were left out. */
static int affinity(char *text, size_t size, int *first)
{
    cpu_set_t set;
    CPU_ZERO(&set);
    *first = 0;
    snprintf(text, size, "cpu");
    if (sched_getaffinity(0, sizeof set, &set) != 0) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        return n > 0 ? (int)n : 1;
    }
    enum { tail = 8 }; /* room for "+N" */
    int count = CPU_COUNT(&set);
    int listed = 0;
    size_t at = strlen(text);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (!CPU_ISSET((size_t)i, &set))
            continue;
        int last = i;
        while (last + 1 < CPU_SETSIZE && CPU_ISSET((size_t)last + 1, &set))
            last++;
        char range[32];
        if (last > i)
            snprintf(range, sizeof range, "%c%d-%d", listed ? ',' : '-', i, last);
        else
            snprintf(range, sizeof range, "%c%d", listed ? ',' : '-', i);
        if (!listed)
            *first = i;
        if (at + strlen(range) + tail >= size) {
            snprintf(text + at, size - at, "+%d", count - listed);
            break;
        }
        at += (size_t)snprintf(text + at, size - at, "%s", range);
        listed += last - i + 1;
        i = last;
    }
    return count > 0 ? count : 1;
}

/* ---------------------------------------------------------------- caches */

static rc_status_t cpu_flush(rc_device_t *d, rc_err_t *err)
{
    enum { least = 64 * 1024 * 1024, line = 64 };
    cpu_impl_t *impl = d->impl;
    if (!impl->flush_buffer) {
        /* twice the cache: one pass then leaves nothing of what was there */
        size_t bytes = d->cache_bytes > least / 2 ? 2 * (size_t)d->cache_bytes : least;
        impl->flush_buffer = rc_alloc_aligned(bytes, 1, "the cache flush", err);
        RC_PASS(impl->flush_buffer ? RC_OK : RC_ENOMEM);
        memset(impl->flush_buffer, 0, bytes);
        impl->flush_bytes = bytes;
    }
    /* every thread walks the whole buffer, so that its private caches are evicted as well */
    volatile unsigned char *buffer = impl->flush_buffer;
    size_t bytes = impl->flush_bytes;
    int threads = d->executor.threads;
#pragma omp parallel num_threads(threads)
    {
        unsigned char sum = 0;
        for (size_t i = 0; i < bytes; i += line)
            sum = (unsigned char)(sum + buffer[i]);
#pragma omp critical(rc_cpu_flush)
        buffer[0] = (unsigned char)(buffer[0] + sum + 1);
    }
    return RC_OK;
}

/* --------------------------------------------------------------- timing */

static rc_status_t cpu_time_batch(
    rc_device_t *d, rc_launch_fn *launch, void *state, int64_t batch, int64_t *ns, rc_err_t *err)
{
    const cpu_impl_t *impl = d->impl;
    if (impl->meter.shared == 0) /* where others have CPUs the system knows better */
        (void)rc_spread(d->executor.threads);
    int64_t start = rc_clock_ns();
    for (int64_t i = 0; i < batch; i++) {
        RC_PASS(launch(state, err));
    }
    *ns = rc_clock_ns() - start;
    d->active_ns += *ns;
    return RC_OK;
}

/* Others on our CPUs would be what is measured. */
static double hop_now(const rc_device_t *d)
{
    const cpu_impl_t *impl = d->impl;
    const int team = d->executor.threads;
    return impl->meter.shared > 0 || team > impl->meter.crowd.mask ? NAN : rc_core_hop_ns(team);
}

static void cpu_read_state(rc_device_t *d, rc_device_state_t *out)
{
    cpu_impl_t *impl = d->impl;
    char text[64];
    double mhz = NAN;
    if (cpuinfo("cpu MHz", impl->first_cpu, text, sizeof text) && sscanf(text, "%lf", &mhz) != 1)
        mhz = NAN;
    rc_crowd_t crowd = rc_crowd_end(&impl->meter);
    *out = rc_device_state_unknown();
    out->clock_mhz = mhz;
    out->hop_ns = fmax(impl->hop_ns, hop_now(d)); /* which may have moved */
    if (crowd.others < 0)
        return;
    out->others = crowd.others;
    out->cpus = crowd.mask;
    out->crowded = rc_crowd_shares(&crowd);
}

static void begin(rc_device_t *d)
{
    cpu_impl_t *impl = d->impl;
    d->timed = d->shared = 0;
    rc_crowd_begin(&impl->meter, "");
    rc_delay_team(&impl->delay, d->executor.threads, &impl->meter.crowd);
}

/* How the team waits is decided as a measurement begins, or a part of it, so that cases that are
 * compared are alike; later only that it sleeps. */
static void cpu_watch(rc_device_t *d, int anew)
{
    enum { looks = 6, surely = 5 };
    cpu_impl_t *impl = d->impl;
    if (anew) {
        const rc_crowd_t now = rc_crowd_look("", looks);
        (void)rc_crowd_wait(&now, d->executor.threads);
        if (anew == RC_WATCH_BEGIN)
            begin(d);
        impl->meter.shared = rc_crowd_shares(&now);
        if (anew == RC_WATCH_BEGIN)
            impl->hop_ns = hop_now(d);
    }
    rc_crowd_watch(&impl->meter);
    if (impl->meter.shared >= surely)
        (void)rc_crowd_wait(&impl->meter.crowd, d->executor.threads);
}

static int64_t cpu_waited(rc_device_t *d, int anew)
{
    cpu_impl_t *impl = d->impl;
    if (!anew)
        return rc_delay_end(&impl->delay);
    rc_delay_begin(&impl->delay);
    return 0;
}

/* Where others of this machine are on its CPUs, the load tells, and a look would see them, too. */
static double cpu_lost(rc_device_t *d, int anew)
{
    cpu_impl_t *impl = d->impl;
    const int team = d->executor.threads;
    if (!impl->hidden || impl->meter.shared > 0 || team > impl->meter.crowd.mask)
        return 0;
    return rc_core_lost(&impl->core, team, anew);
}

static void cpu_close(rc_device_t *d)
{
    cpu_impl_t *impl = d->impl;
    if (impl) {
        rc_delay_close(&impl->delay);
        free(impl->flush_buffer);
    }
    free(impl);
    free(d);
}

/* The class of a device has its threads, so OpenMP has to give them. */
static rc_status_t check_team(int threads, rc_err_t *err)
{
    int given = 0;
#pragma omp parallel num_threads(threads)
#pragma omp single
    given = omp_get_num_threads();
    if (given == threads)
        return RC_OK;
    return rc_fail(err, RC_EDEVICE,
        "OpenMP gives %d of %d threads (OMP_THREAD_LIMIT, OMP_MAX_ACTIVE_LEVELS): unset that, or "
        "say --threads %d",
        given, threads, given);
}

rc_status_t rc_device_open_cpu(int threads, rc_device_t **out, rc_err_t *err)
{
    enum { most_threads = 4096 };
    if (threads < 0 || threads > most_threads)
        return rc_fail(
            err, RC_EINVAL, "threads: expected 0 to %d, found %d", (int)most_threads, threads);
    rc_device_t *d = rc_alloc0(1, sizeof *d, "the device", err);
    cpu_impl_t *impl = rc_alloc0(1, sizeof *impl, "the device", err);
    if (!d || !impl) {
        free(d);
        free(impl);
        return RC_ENOMEM;
    }
    const char *isa;
    *d = (rc_device_t){
        .cache_bytes = last_level_cache(),
        .memory_bytes = rc_memory_available(),
        .impl = impl,
        .flush = cpu_flush,
        .time_batch = cpu_time_batch,
        .watch = cpu_watch,
        .waited = cpu_waited,
        .lost = cpu_lost,
        .read_state = cpu_read_state,
        .close = cpu_close,
    };
    rc_cpu_dense(d);
    rc_crowd_begin(&impl->meter, "");
    int cpus = affinity(d->uuid, sizeof d->uuid, &impl->first_cpu);
    rc_executor_cpu(threads ? threads : cpus, &d->executor);
    (void)rc_simd_lanes32(&isa);
    impl->hidden = rc_core_hidden("", impl->first_cpu);
    if (!cpuinfo("model name", -1, d->name, sizeof d->name))
        snprintf(d->name, sizeof d->name, "unknown CPU");
    squeeze_blanks(d->name);
    snprintf(
        d->class_name, sizeof d->class_name, "cpu:%s:%dt:%s", d->name, d->executor.threads, isa);
    rc_status_t st = check_team(d->executor.threads, err);
    if (st == RC_OK)
        st = rc_delay_open(&impl->delay, "", d->executor.threads, err);
    if (st < 0) {
        rc_device_close(d);
        return st;
    }
    *out = d;
    return RC_OK;
}
