/* What a team has of its cores, and how far its threads are from each other. */
#include "config.h"
#include "unit.h"
#include "scratch.h"

#include "base/clock.h"
#include "device/cpu/core.h"
#include "device/cpu/crowd.h"

#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

static void what_is_lost_is_of_a_core_alone(void **state)
{
    (void)state;
    rc_core_t c = {0};
    assert_true(rc_core_note(&c, 1) == 0); /* the first is all that is known */
    assert_true(is_near(rc_core_note(&c, 2), 0.5));
    assert_true(is_near(rc_core_note(&c, 1.25), 0.2));
    assert_true(rc_core_note(&c, 0.99) == 0);
}

/* One or two looks that are lower are a clock that was read late; three are the core alone. */
static void a_core_alone_is_learnt(void **state)
{
    (void)state;
    rc_core_t c = {0};
    (void)rc_core_note(&c, 2); /* it began with others beside it */
    for (int i = 0; i < 5; i++) {
        assert_true(rc_core_note(&c, 1) == 0 && rc_core_note(&c, 1) == 0);
        assert_true(rc_core_note(&c, 2) == 0);
    }
    (void)rc_core_note(&c, 1);
    (void)rc_core_note(&c, 1.01);
    assert_true(rc_core_note(&c, 0.8) == 0 && is_near(c.alone, 1.01)); /* the largest of the three */
    assert_true(is_near(rc_core_note(&c, 2.02), 0.5));
}

static void make_siblings(void **state, const char *name, const char *list, char root[SCRATCH_PATH])
{
    static const char *const folder[] = {"", "/sys", "/sys/devices", "/sys/devices/system", "/sys/devices/system/cpu",
        "/sys/devices/system/cpu/cpu3", "/sys/devices/system/cpu/cpu3/topology"};
    char path[2 * SCRATCH_PATH];
    scratch_path(state, name, root);
    for (size_t i = 0; i < sizeof folder / sizeof *folder; i++) {
        snprintf(path, sizeof path, "%s%s", root, folder[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", root);
    scratch_write(path, list, strlen(list));
}

/* A machine that shows its siblings, or says nothing of them, is not looked at. */
static void what_shows_siblings_hides_nothing(void **state)
{
    static const char *const list[] = {"3,7\n", "2-3\n", ""};
    char root[SCRATCH_PATH];
    for (int i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "siblings%d", i);
        make_siblings(state, name, list[i], root);
        assert_false(rc_core_hidden(root, 3));
        assert_false(rc_core_hidden(root, 4)); /* of which there is no file */
    }
    /* only a virtual machine hides them: the same answer for each CPU that has none */
    make_siblings(state, "alone", "3\n", root);
    assert_in_range(rc_core_hidden(root, 3), 0, 1);
}

static void a_team_is_looked_at(void **state)
{
    (void)state;
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    const int team = CPU_COUNT(&set) < 3 ? CPU_COUNT(&set) : 3;
    rc_core_t c = {0};
    for (int i = 0; i < 20; i++) {
        const double lost = rc_core_lost(&c, team, i % 2);
        assert_true(lost >= 0 && lost < 1 && lost == c.lost);
    }
    assert_true(c.at_ns > 0 && c.alone > 0);
}

/* Of any size; who does not run is not waited for. */
static void neighbours_have_a_distance(void **state)
{
    static const int teams[] = {2, 3, 5, 70};
    (void)state;
    assert_true(isnan(rc_core_hop_ns(1)));
    for (size_t i = 0; i < sizeof teams / sizeof *teams; i++) {
        const double ns = rc_core_hop_ns(teams[i]);
        assert_true(isnan(ns) || (ns > 0 && ns < 1e9));
    }
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    int known = CPU_COUNT(&set) < 2;
    for (int i = 0; !known && i < 1000; i++)
        known = !isnan(rc_core_hop_ns(2));
    if (!known && rc_crowd_look("", 1).others > 0)
        skip(); /* others have the CPUs */
    assert_true(known);
}

static double hop_after(int64_t ns)
{
    rc_sleep_ns(ns);
    return rc_core_hop_ns(2);
}

/* A thread that comes late is no farther away: a team that slept has the distance of one that spins. */
static void who_comes_late_is_as_near(void **state)
{
    enum { tries = 200, few = 5, enough = 20, asleep_ns = 10000000 };
    cpu_set_t set;
    int known = 0;
    int near = 0;
    (void)state;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    for (int i = 0; i < tries && known < enough && CPU_COUNT(&set) > 1; i++) {
        const double late = hop_after(asleep_ns);
        const double spinning = hop_after(0);
        known += !isnan(late) && !isnan(spinning);
        near += late < 1.5 * spinning; /* false for NaN */
    }
    if (known < few)
        skip(); /* others have the CPUs, or there is one */
    assert_true(2 * near > known);
}

int main(int argc, char **argv)
{
    (void)argc;
    /* who sleeps at once is woken on the CPU of who spins for it, and is never there; OpenMP reads it once */
    if (getenv("OMP_WAIT_POLICY") && unsetenv("OMP_WAIT_POLICY") == 0)
        (void)execv("/proc/self/exe", argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_lost_is_of_a_core_alone),
        cmocka_unit_test(a_core_alone_is_learnt),
        cmocka_unit_test(what_shows_siblings_hides_nothing),
        cmocka_unit_test(a_team_is_looked_at),
        cmocka_unit_test(neighbours_have_a_distance),
        cmocka_unit_test(who_comes_late_is_as_near),
    };
    return cmocka_run_group_tests_name("cores", tests, scratch_setup, scratch_teardown);
}
