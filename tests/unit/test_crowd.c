/* Other programs on the CPUs, of a made /proc: what is read, what it means for a measurement, and how teams of threads
 * wait in a program meanwhile.  The program of the tests is also that program: "probe ROOT". */
#include "config.h"
#include "unit.h"
#include "scratch.h"

#include "base/clock.h"
#include "device/cpu/crowd.h"
#include "device/cpu/delay.h"
#include "device/cpu/spread.h"

#include <math.h>
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void lines_are_read(void **state)
{
    (void)state;
    assert_int_equal(rc_crowd_parse("6.53 5.92 6.13 9/174 3041\n"), 8);
    assert_int_equal(rc_crowd_parse("0.00 0.00 0.00 1/90 7\n"), 0);
    assert_int_equal(rc_crowd_parse("0.00 0.00 0.00 0/0 7\n"), -1);
    assert_int_equal(rc_crowd_parse(""), -1);
    assert_int_equal(rc_crowd_quota("800000 100000\n"), 8);
    assert_int_equal(rc_crowd_quota("150000 100000\n"), 2);
    assert_int_equal(rc_crowd_quota("max 100000\n"), 0);
    assert_int_equal(rc_crowd_quota(""), 0);
    assert_int_equal(rc_crowd_stolen("cpu  47904 1 10048 26586 436 2 88 61 5 6\n"), 61);
    assert_int_equal(rc_crowd_stolen("cpu  47904 1 10048 26586\n"), -1);
    assert_int_equal(rc_crowd_stolen(""), -1);
}

static void crowds_share_cpus(void **state)
{
    (void)state;
    static const struct {
        rc_crowd_t crowd;
        int shares;
    } cases[] = {
        {{.others = 0, .cpus = 2, .mask = 2}, 0},
        {{.others = 0.4, .cpus = 2, .mask = 2}, 0}, /* now and then */
        {{.others = 0.5, .cpus = 2, .mask = 2}, 1},
        {{.others = -1, .cpus = 2, .mask = 2}, 0},
        {{.others = 56, .cpus = 64, .mask = 8}, 0}, /* ranks beside this one */
        {{.others = 57, .cpus = 64, .mask = 8}, 1},
        {{.others = 0, .cpus = 64, .mask = 64, .quota = 8}, 1},
        {{.others = 0, .cpus = 64, .mask = 8, .quota = 8}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(rc_crowd_shares(&cases[i].crowd), cases[i].shares);
}

/* ------------------------------------------------------------------- a made machine */

static void put(const char *root, const char *name, const char *text)
{
    char path[2 * SCRATCH_PATH];
    snprintf(path, sizeof path, "%s%s", root, name);
    scratch_write(path, text, strlen(text));
}

/* A folder with what a machine says; NULL: it does not say. */
static void make_machine(void **state, const char *name, const char *loadavg, const char *stat, const char *max,
    char root[SCRATCH_PATH])
{
    static const char *const folder[] = {"", "/proc", "/sys", "/sys/fs", "/sys/fs/cgroup"};
    char path[2 * SCRATCH_PATH];
    scratch_path(state, name, root);
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
        snprintf(path, sizeof path, "%s%s", root, folder[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    if (loadavg)
        put(root, "/proc/loadavg", loadavg);
    if (stat)
        put(root, "/proc/stat", stat);
    if (max)
        put(root, "/sys/fs/cgroup/cpu.max", max);
}

/* Others enough for any machine that the test may run on. */
static const char many[] = "1.0 1.0 1.0 9001/9999 7\n";
static const char none[] = "1.0 1.0 1.0 1/90 7\n";

static void a_machine_is_looked_at(void **state)
{
    char root[SCRATCH_PATH];
    make_machine(state, "look", many, NULL, "50000 100000\n", root);
    rc_crowd_t c = rc_crowd_look(root, 3);
    assert_true(c.others == 9000 && c.quota == 1 && rc_crowd_shares(&c));
    assert_in_range(c.mask, 1, c.cpus);
    put(root, "/proc/loadavg", none);
    c = rc_crowd_look(root, 3);
    assert_true(c.others == 0);
    /* a team of ours that spins: three threads, of which one sleeps; the caller is the other */
    static const char *const ours[] = {"", "/1", "/2", "/3"};
    static const char *const states[] = {"1 (a) R) R 1\n", "2 (a) R 1\n", "3 (a) S 1\n"};
    put(root, "/proc/loadavg", "1.0 1.0 1.0 6/90 7\n");
    assert_true(rc_crowd_look(root, 1).others == 5);
    for (int i = -1; i < 4; i++) {
        char path[2 * SCRATCH_PATH];
        snprintf(path, sizeof path, "%s/proc/self%s%s", root, i < 0 ? "" : "/task", i < 0 ? "" : ours[i]);
        assert_int_equal(mkdir(path, 0700), 0);
        char name[64];
        snprintf(name, sizeof name, "/proc/self/task/%d/stat", i);
        if (i > 0)
            put(root, name, states[i - 1]);
    }
    put(root, "/proc/self/stat", "1 (a) R 1\n"); /* which is `..` of the folder of threads */
    assert_true(rc_crowd_look(root, 1).others == 4);
    c = rc_crowd_look("/nowhere", 3);
    assert_true(c.others == -1 && !rc_crowd_shares(&c));
    c = rc_crowd_look("", 1); /* the machine that the test runs on */
    assert_in_range(c.mask, 1, c.cpus);
}

/* The mean of the looks; what a hypervisor took comes on top. */
static void a_measurement_has_company(void **state)
{
    char root[SCRATCH_PATH];
    rc_crowd_meter_t m;
    make_machine(state, "meter", "0 0 0 5/90 7\n", "cpu 0 0 0 0 0 0 0 100\n", NULL, root);
    rc_crowd_begin(&m, root);
    m.crowd.cpus = 6;
    m.crowd.mask = 2; /* whatever this machine has */
    rc_crowd_watch(&m);
    rc_crowd_watch(&m); /* at once: no second look */
    assert_int_equal(m.shared, 0);
    m.crowd.cpus = 2;
    put(root, "/proc/loadavg", "0 0 0 2/90 7\n");
    m.last_ns = 0;
    rc_crowd_watch(&m);
    rc_crowd_t c = rc_crowd_end(&m);
    assert_int_equal(m.looks, 2);
    assert_int_equal(m.shared, 1);
    assert_true(m.crowd.others == 1);
    assert_true(fabs(c.others - 2.5) < 1e-9);
    put(root, "/proc/stat", "cpu 0 0 0 0 0 0 0 200\n");
    c = rc_crowd_end(&m);
    assert_true(c.others > 2.5);
    put(root, "/proc/loadavg", "0 0 0 1/90 7\n");
    m.last_ns = 0;
    rc_crowd_watch(&m);
    assert_int_equal(m.shared, 0); /* the others went */
    put(root, "/proc/loadavg", "0 0 0 2/90 7\n");
    rc_crowd_begin(&m, root);
    c = rc_crowd_end(&m); /* without a look it takes one */
    assert_true(fabs(c.others - 1) < 1e-9);
    rc_crowd_begin(&m, "/nowhere");
    rc_crowd_watch(&m);
    assert_true(rc_crowd_end(&m).others == -1);
}

/* ------------------------------------------------------------- how teams of threads wait */

static double cpu_s(clockid_t of)
{
    struct timespec t;
    assert_int_equal(clock_gettime(of, &t), 0);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* CPU time of the other thread of a team of two that has nothing to do, in seconds.  That of the process has more in it:
 * threads of OpenBLAS spin, too, when a program begins. */
static double waiting_s(void)
{
    enum { turns = 20, between_ns = 20000000 };
    clockid_t other = CLOCK_THREAD_CPUTIME_ID; /* where there is none */
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1)
        assert_int_equal(pthread_getcpuclockid(pthread_self(), &other), 0);
    const double start_s = cpu_s(other);
    for (int i = 0; i < turns; i++) {
#pragma omp parallel num_threads(2)
        (void)omp_get_thread_num();
        rc_sleep_ns(between_ns);
    }
    return cpu_s(other) - start_s;
}

/* What a program finds out: whether its teams wait asleep at first, among many, and alone. */
static int probe(const char *root)
{
    static const rc_crowd_t alone = {.others = 0, .cpus = 2, .mask = 2};
    static const rc_crowd_t among = {.others = 9, .cpus = 2, .mask = 2};
    rc_crowd_choose(root);
    const double first_s = waiting_s();
    const int among_many = rc_crowd_wait(&among, 2);
    const double asleep_s = waiting_s();
    const int by_itself = rc_crowd_wait(&alone, 2);
    const double spinning_s = waiting_s();
    if (rc_crowd_team_ns(1) < 0 || rc_crowd_team_ns(2) <= 0)
        return 1; /* a team takes time */
    const int single = rc_crowd_wait(&among, 1); /* which waits for nobody */
    const int again = rc_crowd_wait(&among, 2);
    const double last_s = waiting_s();
    printf("%d%d%d%d", among_many, by_itself, single, again);
    /* a thread that spins does so for a number of turns: no other program makes that less */
    if (omp_get_num_procs() > 1)
        printf(" %s %s %s", first_s < spinning_s / 2 ? "asleep" : "spinning", asleep_s < spinning_s / 2 ? "asleep" : "-",
            last_s < spinning_s / 2 ? "asleep" : "-");
    return 0;
}

static int is_said(const char *how)
{
    return strcmp(rc_crowd_waits(), how) == 0;
}

static const rc_crowd_t alone_there = {.others = 0, .cpus = 2, .mask = 2};

/* Another call of the library, which sees no others: who sees some keeps the teams asleep. */
static void *hold_beside(void *right)
{
    const rc_crowd_hold_t h = rc_crowd_hold(2);
    *(int *)right = rc_crowd_wait(&alone_there, 2) == 1;
    rc_crowd_release(&h);
    return NULL;
}

/* What a program finds out that leaves it to calls of the library: 1 for each thing that is right. */
static int holding(void)
{
    static const rc_crowd_t among = {.others = 9, .cpus = 2, .mask = 2};
    pthread_t other;
    int beside = 0;
    const double before_s = waiting_s();
    const int free = is_said("as OpenMP is set") && rc_crowd_wait(&among, 2) == 0;
    const rc_crowd_hold_t none_held = rc_crowd_hold(1); /* which waits for nobody */
    const rc_crowd_hold_t h = rc_crowd_hold(2);
    const int asleep = !none_held.held && h.held && rc_crowd_wait(&among, 2) == 1 && is_said("asleep");
    const double asleep_s = waiting_s();
    if (pthread_create(&other, NULL, hold_beside, &beside) != 0 || pthread_join(other, NULL) != 0)
        return 1;
    const int still = is_said("asleep");
    rc_crowd_release(&h);
    const int released = is_said("as OpenMP is set") && rc_crowd_wait(&among, 2) == 0;
    printf("%d%d%d%d%d", free, asleep, beside, still, released);
    if (omp_get_num_procs() > 1)
        printf(" %s %s", asleep_s < before_s / 2 ? "asleep" : "-", asleep_s < waiting_s() / 2 ? "spinning" : "-");
    return 0;
}

/* Where the team without work cannot have its threads nothing ends: prints 0, or "-" where no such limit can be set. */
static int limited(void)
{
    enum { SOMEBODY = 54321, THREADS = 2 }; /* a user who runs nothing else, for the limit is of all that one runs */
    static const rc_crowd_t among = {.others = 9, .cpus = 2, .mask = 2};
    const struct rlimit most = {THREADS, THREADS};
    const rc_crowd_hold_t h = rc_crowd_hold(2);
    if (geteuid() != 0 || setuid(SOMEBODY) != 0 || setrlimit(RLIMIT_NPROC, &most) != 0)
        puts("-");
    else
        printf("%d\n", rc_crowd_wait(&among, 2));
    rc_crowd_release(&h);
    (void)fflush(stdout);
    _exit(0); /* what looks for leaks needs a thread */
}

/* One line of a program of its own, "probe ROOT", "hold ROOT" or "limited ROOT", with a setting of the user's. */
static void run_probe(const char *setting, const char *what, const char *root, char found[128])
{
    char self[SCRATCH_PATH];
    char command[3 * SCRATCH_PATH];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(n > 0);
    self[n] = '\0';
    snprintf(command, sizeof command, "env -u OMP_WAIT_POLICY -u GOMP_SPINCOUNT -u KMP_BLOCKTIME -u OMP_THREAD_LIMIT %s '%s' %s '%s'",
        setting, self, what, root);
    FILE *f = popen(command, "r"); /* NOLINT(cert-env33-c) */
    assert_non_null(f);
    assert_non_null(fgets(found, 128, f));
    assert_int_equal(pclose(f), 0);
}

static void teams_wait_asleep_where_cpus_are_shared(void **state)
{
    static const struct {
        const char *name;
        const char *loadavg;
        const char *setting;
        const char *found;
    } cases[] = {{"shared", many, "", "1001 asleep asleep asleep"}, {"alone", none, "", "1001 spinning asleep asleep"},
        {"unknown", NULL, "", "1001 spinning asleep asleep"}, {"active", many, "OMP_WAIT_POLICY=active", "0000"},
        {"spin", many, "GOMP_SPINCOUNT=1", "0000"}, {"blocktime", many, "KMP_BLOCKTIME=1", "0000"},
        {"limit", many, "OMP_THREAD_LIMIT=1", "0000"}}; /* no thread more makes a team sleep */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char root[SCRATCH_PATH];
        char found[128] = "";
        make_machine(state, cases[i].name, cases[i].loadavg, NULL, NULL, root);
        /* others that take the CPU keep a team from spinning now and then, not each time */
        for (int tries = 0; tries < 50 && strcmp(found, cases[i].found) != 0; tries++) {
            run_probe(cases[i].setting, "probe", root, found);
            if (cases[i].setting[0] || !strchr(found, ' ')) /* as the user says, or of one CPU: nothing was timed */
                found[4] = '\0';
            if (strlen(found) == 4)
                break;
        }
        assert_memory_equal(found, cases[i].found, strlen(found) == 4 ? 4 : strlen(cases[i].found) + 1);
    }
}

static void a_hold_ends(void **state)
{
    (void)state;
    char found[128] = "";
    const char *const right = "11111 asleep spinning";
    for (int tries = 0; tries < 50 && strcmp(found, right) != 0; tries++) {
        run_probe("", "hold", "", found);
        if (strlen(found) == 5) /* of one CPU: nothing was timed */
            break;
    }
    assert_memory_equal(found, right, strlen(found) == 5 ? 5 : strlen(right) + 1);
    run_probe("OMP_WAIT_POLICY=active", "hold", "", found); /* as the user says */
    assert_memory_equal(found, "10001", 5);
}

static void a_limit_of_threads_ends_nothing(void **state)
{
    (void)state;
    char found[128] = "";
    run_probe("", "limited", "", found);
    assert_non_null(strchr("01-", found[0])); /* 1: of LLVM's runtime, which has no such team */
}

/* ------------------------------------------------------------------- waiting for a CPU */

/* What thread `id` has waited. */
static void put_waited(const char *root, int id, const char *text)
{
    char name[64];
    snprintf(name, sizeof name, "/proc/self/task/%d/schedstat", id);
    put(root, name, text);
}

static void a_thread_that_waits_is_seen(void **state)
{
    char root[SCRATCH_PATH];
    char path[2 * SCRATCH_PATH];
    rc_delay_t d;
    const rc_crowd_t c = {.mask = 1};
    const int id = (int)syscall(SYS_gettid);
    assert_int_equal(rc_delay_parse("12 345 6\n"), 345);
    assert_int_equal(rc_delay_parse(""), -1);
    make_machine(state, "delay", NULL, NULL, NULL, root);
    for (int i = 0; i < 3; i++) {
        static const char *const folder[] = {"", "/task", "/task/"};
        snprintf(path, sizeof path, "%s/proc/self%s", root, folder[i]);
        if (i == 2)
            snprintf(path + strlen(path), sizeof path - strlen(path), "%d", id);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    assert_int_equal(rc_delay_open(&d, root, 2, NULL), RC_OK);
    const int64_t hour = INT64_C(3600000000000); /* no test waits for so long by itself */
    rc_delay_team(&d, 1, &c);
    put_waited(root, id, "5 1000 1\n");
    rc_delay_begin(&d);
    put_waited(root, id, "5 3600000001000 1\n");
    assert_true(rc_delay_end(&d) == hour);
    rc_delay_begin(&d); /* of this span nothing */
    assert_true(rc_delay_end(&d) < hour);
    /* a team of more threads than it has CPUs waits for itself */
    const rc_crowd_t few[] = {{.mask = 1}, {.mask = 2, .quota = 1}};
    for (int i = 0; i < 2; i++) {
        rc_delay_team(&d, 2, &few[i]);
        put_waited(root, id, "5 1000 1\n");
        rc_delay_begin(&d);
        put_waited(root, id, "5 3600000001000 1\n");
        assert_int_equal(rc_delay_end(&d), 0);
    }
    /* where the machine does not tell: while none of the process runs; teams before may spin for a while */
    enum { nap_ns = 20000000, naps = 3000 };
    int64_t waited = 0;
    d.root = "/nowhere";
    rc_delay_team(&d, 1, &c);
    for (int i = 0; i < naps && waited < nap_ns / 2; i++) {
        rc_delay_begin(&d);
        rc_sleep_ns(nap_ns);
        waited = rc_delay_end(&d);
    }
    assert_true(waited >= nap_ns / 2 && waited < hour);
    rc_delay_close(&d);
}

static void on_one_cpu(void)
{
    cpu_set_t all;
    cpu_set_t one;
    CPU_ZERO(&one);
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    for (size_t i = 0; i < CPU_SETSIZE && CPU_COUNT(&one) == 0; i++)
        if (CPU_ISSET(i, &all))
            CPU_SET(i, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
}

/* A loop of another program on the same CPU: sooner or later it is its turn. */
static void another_program_makes_it_wait(void **state)
{
    enum { span_ns = 20000000, turns = 3000, parts = 10 };
    (void)state;
    rc_delay_t d;
    cpu_set_t before;
    const rc_crowd_t c = {.mask = 1};
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    on_one_cpu();
    pid_t child = fork();
    assert_true(child >= 0);
    for (volatile int on = 1; child == 0 && on;)
        ;
    assert_int_equal(rc_delay_open(&d, "", 1, NULL), RC_OK);
    rc_delay_team(&d, 1, &c);
    int64_t waited = 0;
    for (int i = 0; i < turns && waited < span_ns / parts; i++) {
        rc_delay_begin(&d);
        for (int64_t until = rc_clock_ns() + span_ns; rc_clock_ns() < until;)
            ;
        waited = rc_delay_end(&d);
    }
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    rc_delay_close(&d);
    assert_true(waited >= span_ns / parts);
}

/* Puts a team on one CPU, where it may leave at once.  \return CPUs that its threads may run on, the fewest */
static int together(int team)
{
    int least = CPU_SETSIZE;
#pragma omp parallel num_threads(team) reduction(min : least)
    {
        cpu_set_t before;
        assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
        on_one_cpu();
        assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
        least = CPU_COUNT(&before);
    }
    return least;
}

/* The system may do it first: now and then it does not.  Nor is it over then: threads that wait asleep take turns on a
 * CPU, and one of them is moved each time. */
static void a_team_on_one_cpu_is_spread(void **state)
{
    enum { team = 2, tries = 200 };
    int moved = 0;
    (void)state;
    const int cpus = together(team);
    if (cpus < team)
        skip();
    for (int i = 0; i < tries && moved == 0; i++) {
        assert_int_equal(together(team), cpus);
        moved = rc_spread(team);
    }
    assert_int_equal(moved, team - 1);      /* the first one stays */
    assert_int_equal(together(team), cpus); /* all are theirs still */
    assert_int_equal(rc_spread(1), 0);
}

static void a_team_that_is_too_large_stays(void **state)
{
    enum { tries = 20 };
    (void)state;
    const int team = together(1) + 1;
    for (int i = 0; i < tries; i++) {
        (void)together(team);
        assert_int_equal(rc_spread(team), 0);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "probe") == 0)
        return probe(argv[2]);
    if (argc == 3 && strcmp(argv[1], "hold") == 0)
        return holding();
    if (argc == 3 && strcmp(argv[1], "limited") == 0)
        return limited();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_read),
        cmocka_unit_test(crowds_share_cpus),
        cmocka_unit_test(a_machine_is_looked_at),
        cmocka_unit_test(a_measurement_has_company),
        cmocka_unit_test(a_thread_that_waits_is_seen),
        cmocka_unit_test(another_program_makes_it_wait),
        cmocka_unit_test(a_team_on_one_cpu_is_spread),
        cmocka_unit_test(a_team_that_is_too_large_stays),
        cmocka_unit_test(teams_wait_asleep_where_cpus_are_shared),
        cmocka_unit_test(a_hold_ends),
        cmocka_unit_test(a_limit_of_threads_ends_nothing),
    };
    return cmocka_run_group_tests_name("crowd", tests, scratch_setup, scratch_teardown);
}
