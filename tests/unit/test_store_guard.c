/* The guard: what a child does ends with it, and how it ended is known. */
#include "config.h"
#include "unit.h"
#include "scratch.h"

#include "store/guard.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rc_status_t child_that(void (*does)(int), int with, int seconds, int *code, rc_err_t *err)
{
    int child = 0;
    const rc_guard_limits_t limits = {.cpu_s = seconds};
    rc_status_t st = rc_guard_fork("x.h5", &limits, &child, code, err);
    if (child) {
        does(with);
        _exit(0);
    }
    return st;
}

static void ends(int code)
{
    _exit(code);
}

static void dies(int signal_number)
{
    raise(signal_number);
}

static void spins(int unused)
{
    (void)unused;
    for (volatile unsigned i = 0;; i++)
        ;
}

static void exit_codes_arrive(void **state)
{
    static const int codes[] = {0, 1, 3, 75};
    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        rc_err_t err = {0};
        int code = -1;
        assert_int_equal(child_that(ends, codes[i], 0, &code, &err), RC_OK);
        assert_int_equal(code, codes[i]);
    }
}

static void deaths_are_said(void **state)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGKILL};
    (void)state;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        rc_err_t err = {0};
        int code = -1;
        assert_int_equal(child_that(dies, signals[i], 0, &code, &err), RC_ESTORE);
        assert_int_equal(err.status, RC_ESTORE);
        assert_non_null(strstr(err.text, "x.h5: has no seal"));
        assert_non_null(strstr(err.text, strsignal(signals[i])));
        assert_int_equal(code, -1);
    }
}

static void handlers_do_not_hide_a_death(void **state)
{
    rc_err_t err = {0};
    int code = -1;
    (void)state;
    void (*before)(int) = signal(SIGSEGV, SIG_IGN);
    assert_int_equal(child_that(dies, SIGSEGV, 0, &code, &err), RC_ESTORE);
    signal(SIGSEGV, before);
}

static void a_hang_ends(void **state)
{
    rc_err_t err = {0};
    int code = -1;
    (void)state;
    assert_int_equal(child_that(spins, 0, 1, &code, &err), RC_ESTORE);
}

/* A child that has a file open, as `with` says, with two seconds of patience. */
static rc_status_t child_with_file(void (*does)(int), const char *path, int *code, rc_err_t *err)
{
    int child = 0;
    char *file[] = {(char *)path, NULL};
    const rc_guard_limits_t limits = {.idle_s = 2, .file = file, .files = 3};
    rc_status_t st = rc_guard_fork("x.h5", &limits, &child, code, err);
    if (child) {
        does(open(path, O_RDONLY));
        _exit(7);
    }
    return st;
}

static void waits(int fd)
{
    while (fd >= 0)
        pause();
}

static void closes_and_waits(int fd)
{
    close(fd);
    sleep(4);
}

/* slower than any limit in all, and never without a byte for long */
static void reads_slowly(int fd)
{
    enum { reads = 40, pause_us = 100000 };
    char byte;
    for (int i = 0; i < reads; i++) {
        if (pread(fd, &byte, 1, 0) != 1)
            _exit(1);
        usleep(pause_us);
    }
}

static void no_progress_is_a_death(void **state)
{
    char path[SCRATCH_PATH];
    rc_err_t err = {0};
    int code = -1;
    scratch_path(state, "store", path);
    scratch_write(path, "x", 1);
    assert_int_equal(child_with_file(waits, path, &code, &err), RC_ESTORE);
    assert_non_null(strstr(err.text, "no further for 2 s (ROWCAST_UNSEALED_SECONDS)"));
    assert_int_equal(code, -1);
    err = (rc_err_t){0};
    assert_int_equal(child_with_file(spins, path, &code, &err), RC_ESTORE);
    assert_non_null(strstr(err.text, "no further for 2 s"));
}

static void progress_is_none(void **state)
{
    char path[SCRATCH_PATH];
    rc_err_t err = {0};
    int code = -1;
    scratch_path(state, "store", path);
    scratch_write(path, "x", 1);
    assert_int_equal(child_with_file(reads_slowly, path, &code, &err), RC_OK);
    assert_int_equal(code, 7);
    code = -1;
    assert_int_equal(child_with_file(closes_and_waits, path, &code, &err), RC_OK);
    assert_int_equal(code, 7);
}

static void patience_is_a_number(void **state)
{
    static const struct {
        const char *text;
        rc_status_t status;
        int seconds;
    } t[] = {{"", RC_OK, 60}, {"0", RC_OK, 0}, {"5", RC_OK, 5}, {"-1", RC_EINVAL, 0},
        {"5s", RC_EINVAL, 0}, {"99999999999999999999", RC_EINVAL, 0}};
    (void)state;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++) {
        int seconds = -1;
        rc_err_t err = {0};
        assert_int_equal(setenv("ROWCAST_UNSEALED_SECONDS", t[i].text, 1), 0);
        assert_int_equal(rc_guard_idle(&seconds, &err), t[i].status);
        if (t[i].status == RC_OK)
            assert_int_equal(seconds, t[i].seconds);
        else
            assert_non_null(strstr(err.text, "ROWCAST_UNSEALED_SECONDS"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_codes_arrive),
        cmocka_unit_test(deaths_are_said),
        cmocka_unit_test(handlers_do_not_hide_a_death),
        cmocka_unit_test(a_hang_ends),
        cmocka_unit_test(no_progress_is_a_death),
        cmocka_unit_test(progress_is_none),
        cmocka_unit_test(patience_is_a_number),
    };
    return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
