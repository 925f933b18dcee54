#include "config.h"
#include "device/cpu/crowd.h"
#include "base/clock.h"
#include "base/stats.h"

#include <dirent.h>
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
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

int64_t rc_crowd_stolen(const char *stat)
{
    long long ticks = 0;
    int found = sscanf(stat, "cpu %*d %*d %*d %*d %*d %*d %*d %lld", &ticks);
    return found == 1 && ticks >= 0 ? ticks : -1;
}

void rc_crowd_line(const char *root, const char *name, char *line, int size)
{
    enum { longest = 4096 };
    char path[longest];
    int n = snprintf(path, sizeof path, "%s%s", root, name);
    FILE *f = n < longest ? fopen(path, "r") : NULL;
    line[0] = '\0';
    if (f && !fgets(line, size, f))
        line[0] = '\0';
    if (f)
        fclose(f);
}

/* Threads of this process, but the caller, that run or are ready to: a team that waits for its next
 * product spins. */
static int ours_now(const char *root)
{
    enum { longest = 4096 };
    char name[longest];
    char line[256];
    int n = snprintf(name, sizeof name, "%s/proc/self/task", root);
    DIR *tasks = n < longest ? opendir(name) : NULL;
    int running = 0;
    for (const struct dirent *task; tasks && (task = readdir(tasks));) {
        if (task->d_name[0] == '.') /* `..` has the caller's state, too */
            continue;
        (void)snprintf(name, sizeof name, "/proc/self/task/%s/stat", task->d_name);
        rc_crowd_line(root, name, line, sizeof line);
        const char *state = strrchr(line, ')');
        running += state && strncmp(state, ") R", 3) == 0;
    }
    if (tasks)
        closedir(tasks);
    return running > 0 ? running - 1 : 0;
}

/* Ours may have come or gone since the load was read: they count as they were before it and after
 * it, whichever are more. */
static int others_now(const char *root)
{
    char line[128];
    int least = -1;
    for (int round = 0; round < 2 && least != 0; round++) {
        const int before = round ? ours_now(root) : 0;
        rc_crowd_line(root, "/proc/loadavg", line, sizeof line);
        const int all = rc_crowd_parse(line);
        if (all < 0)
            return -1;
        const int after = all > before ? ours_now(root) : 0;
        const int ours = before > after ? before : after;
        const int others = all > ours ? all - ours : 0;
        least = round == 0 || others < least ? others : least;
    }
    return least;
}

/* The CPUs, and nothing of who wants them. */
static rc_crowd_t cpus_of(const char *root)
{
    char line[64];
    cpu_set_t set;
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    rc_crowd_t c = {.others = -1, .cpus = online > 0 ? (int)online : 1};
    c.mask = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : c.cpus;
    rc_crowd_line(root, "/sys/fs/cgroup/cpu.max", line, sizeof line);
    c.quota = rc_crowd_quota(line);
    return c;
}

rc_crowd_t rc_crowd_look(const char *root, int looks)
{
    enum { between_ns = 1000000 };
    rc_crowd_t c = cpus_of(root);
    c.others = others_now(root);
    for (int i = 1; i < looks && rc_crowd_shares(&c); i++) {
        rc_sleep_ns(between_ns);
        int others = others_now(root);
        c.others = others < c.others ? others : c.others;
    }
    return c;
}

static double stolen_s(const char *root)
{
    char line[256];
    rc_crowd_line(root, "/proc/stat", line, sizeof line);
    int64_t ticks = rc_crowd_stolen(line);
    return ticks < 0 ? 0 : (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

static void look(rc_crowd_meter_t *m, int64_t now)
{
    int others = others_now(m->root);
    m->last_ns = now;
    if (others < 0)
        return;
    m->crowd.others = others;
    m->shared = rc_crowd_shares(&m->crowd) ? m->shared + 1 : 0;
    m->sum += others;
    m->looks++;
}

void rc_crowd_begin(rc_crowd_meter_t *m, const char *root)
{
    *m = (rc_crowd_meter_t){.root = root,
        .since_ns = rc_clock_ns(),
        .stolen_s = stolen_s(root),
        .crowd = cpus_of(root)};
}

void rc_crowd_watch(rc_crowd_meter_t *m)
{
    enum { between_ns = 2000000 };
    int64_t now = rc_clock_ns();
    if (now - m->last_ns >= between_ns)
        look(m, now);
}

rc_crowd_t rc_crowd_end(rc_crowd_meter_t *m)
{
    rc_crowd_t c = m->crowd;
    int64_t now = rc_clock_ns();
    if (m->looks == 0)
        look(m, now);
    if (m->looks == 0)
        return c;
    /* of all CPUs, of which ours are a part */
    double stolen = (stolen_s(m->root) - m->stolen_s) * c.mask / c.cpus;
    double seconds = (double)(now - m->since_ns) * 1e-9;
    c.others = m->sum / m->looks + (seconds > 0 && stolen > 0 ? stolen / seconds : 0);
    return c;
}

int rc_crowd_shares(const rc_crowd_t *c)
{
    const double least = 0.5; /* a thread that is there now and then is in every machine */
    return c->others - (c->cpus - c->mask) >= least || (c->quota > 0 && c->quota < c->mask);
}

/* ------------------------------------------------------------- how teams wait */

/* OpenMP has one setting for all of a process, and so has this. */
static struct {
    pthread_mutex_t lock; /* of the others */
    int holders;          /* who let us say how teams wait: the program, calls of the library */
    int began;            /* CPUs of the process when this was loaded, as OpenMP */
    int cpus;             /* the same; 0: how teams wait is not for us to say */
    int spare;            /* threads that the team without work should have; 0: there is none */
    int got;              /* and has: OMP_THREAD_LIMIT and the like give fewer */
    pthread_t thread;
    sem_t there;
    sem_t over;
} waiting = {.lock = PTHREAD_MUTEX_INITIALIZER};

__attribute__((constructor)) static void begin(void)
{
    waiting.began = omp_get_num_procs();
}

/* That of LLVM and Intel is told, by each thread that leads a team. */
extern void kmp_set_blocktime(int ms) __attribute__((weak));
extern int kmp_get_blocktime(void) __attribute__((weak));

/* 1: teams are of LLVM, which may stand beside GNU's in a process. */
static int is_llvm(void)
{
    Dl_info teams;
    Dl_info told;
    int (*const procs)(void) = omp_get_num_procs;
    void (*const tell)(int) = kmp_set_blocktime;
    const void *at[2];
    memcpy(&at[0], &procs, sizeof procs);
    memcpy(&at[1], &tell, sizeof tell);
    return kmp_set_blocktime && kmp_get_blocktime && dladdr(at[0], &teams) &&
           dladdr(at[1], &told) && teams.dli_fbase == told.dli_fbase;
}

static void *be_one(void *gate)
{
    while (sem_wait(gate) != 0)
        ; /* a signal */
    return gate;
}

/* 1: so many threads more can be there: where one of a team cannot, OpenMP ends the process. */
static int can_start(int count)
{
    sem_t gate;
    int n = 0;
    pthread_t *thread = calloc((size_t)count + 1, sizeof *thread);
    if (!thread || sem_init(&gate, 0, 0) != 0) {
        free(thread);
        return 0;
    }
    while (n < count && pthread_create(&thread[n], NULL, be_one, &gate) == 0)
        n++;
    for (int i = 0; i < n; i++)
        (void)sem_post(&gate);
    for (int i = 0; i < n; i++)
        (void)pthread_join(thread[i], NULL);
    (void)sem_destroy(&gate);
    free(thread);
    return n == count;
}

/* That of GNU spins for 300,000 turns, 5 ms, but for 100 where it has more threads than the process
 * began with CPUs: a team without work, asleep, makes them so many. */
static void *be_spare(void *unused)
{
    (void)pthread_setname_np(pthread_self(), "spare"); /* for who looks */
    waiting.got = 0;
    if (can_start(waiting.spare - 1)) {
#pragma omp parallel num_threads(waiting.spare)
        if (omp_get_thread_num() == 0)
            waiting.got = omp_get_num_threads();
    }
    (void)sem_post(&waiting.there);
    while (sem_wait(&waiting.over) != 0)
        ; /* a signal */
    return unused;
}

static int is_asleep(void)
{
    return waiting.spare > 0 && waiting.got >= waiting.spare;
}

/* The team without work becomes one of so many threads; 0: there is none.  LLVM's needs none: with
 * more threads than CPUs a thread of it offers its CPU to others before it sleeps, who keep it. */
static void keep_spare(int want)
{
    if (want == waiting.spare)
        return;
    if (is_llvm()) {
        waiting.spare = want;
        waiting.got = omp_get_thread_limit() > 1 ? want : 0;
        return;
    }
    if (waiting.spare) {
        (void)sem_post(&waiting.over);
        (void)pthread_join(waiting.thread, NULL);
    }
    waiting.spare = want;
    if (want && pthread_create(&waiting.thread, NULL, be_spare, NULL) != 0)
        waiting.spare = 0;
    while (waiting.spare && sem_wait(&waiting.there) != 0)
        ; /* a signal */
}

static int wait_so(const rc_crowd_t *c, int team)
{
    enum { usual_ms = 200 };
    const int few = waiting.cpus - team + 2;
    int want = waiting.cpus > 0 && rc_crowd_shares(c) ? (few > 2 ? few : 2) : 0;
    if (waiting.holders > 1 && want < waiting.spare) /* what another one wants */
        want = waiting.spare;
    keep_spare(want);
    if (waiting.cpus > 0 && is_llvm())
        kmp_set_blocktime(waiting.spare ? 0 : usual_ms);
    return is_asleep();
}

int rc_crowd_wait(const rc_crowd_t *c, int team)
{
    if (team < 2) /* which waits for nobody; and a child of fork() has no more, nor this lock */
        return 0;
    (void)pthread_mutex_lock(&waiting.lock);
    const int asleep = wait_so(c, team);
    (void)pthread_mutex_unlock(&waiting.lock);
    return asleep;
}

const char *rc_crowd_waits(void)
{
    (void)pthread_mutex_lock(&waiting.lock);
    const char *how = waiting.cpus == 0 ? "as OpenMP is set" : is_asleep() ? "asleep" : "spinning";
    (void)pthread_mutex_unlock(&waiting.lock);
    return how;
}

int64_t rc_crowd_team_ns(int team)
{
    enum { tries = 15, between_ns = 100000 };
    double ns[tries];
    rc_stats_t stats;
    for (int i = 0; i < tries; i++) {
        int64_t begin = rc_clock_ns();
#pragma omp parallel num_threads(team)
        (void)omp_get_thread_num();
        ns[i] = (double)(rc_clock_ns() - begin);
        rc_sleep_ns(between_ns); /* as between products: who waits asleep is asleep by then */
    }
    rc_stats_compute(ns, tries, &stats);
    return (int64_t)stats.median;
}

/* 1: the user says how teams wait. */
static int is_set(void)
{
    return getenv("OMP_WAIT_POLICY") || getenv("GOMP_SPINCOUNT") || getenv("KMP_BLOCKTIME");
}

rc_crowd_hold_t rc_crowd_hold(int team)
{
    rc_crowd_hold_t h = {0};
    if (team < 2 || is_set())
        return h;
    (void)pthread_mutex_lock(&waiting.lock);
    if (waiting.holders == 0 && sem_init(&waiting.there, 0, 0) == 0 &&
        sem_init(&waiting.over, 0, 0) == 0)
        waiting.cpus = waiting.began;
    h.held = waiting.cpus > 0;
    waiting.holders += h.held;
    h.blocktime_ms = is_llvm() ? kmp_get_blocktime() : 0;
    (void)pthread_mutex_unlock(&waiting.lock);
    return h;
}

void rc_crowd_release(const rc_crowd_hold_t *h)
{
    if (!h->held)
        return;
    (void)pthread_mutex_lock(&waiting.lock);
    if (--waiting.holders == 0) {
        keep_spare(0);
        waiting.cpus = 0;
        (void)sem_destroy(&waiting.there);
        (void)sem_destroy(&waiting.over);
    }
    if (is_llvm())
        kmp_set_blocktime(h->blocktime_ms);
    (void)pthread_mutex_unlock(&waiting.lock);
}

void rc_crowd_choose(const char *root)
{
    enum { looks = 6, any = 2 };
    const rc_crowd_hold_t h = rc_crowd_hold(any); /* which is never released */
    if (!h.held)
        return;
    const rc_crowd_t c = rc_crowd_look(root, looks);
    (void)rc_crowd_wait(&c, omp_get_max_threads());
}
