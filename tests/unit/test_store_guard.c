/* The guard: what a child does ends with it, and how it ended is known. */
#include "config.h"
#include "unit.h"

#include "store/guard.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static rc_status_t child_that(void (*does)(int), int with, int seconds, int *code, rc_err_t *err)
{
    int child = 0;
    rc_status_t st = rc_guard_fork("x.h5", seconds, &child, code, err);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exit_codes_arrive),
        cmocka_unit_test(deaths_are_said),
        cmocka_unit_test(handlers_do_not_hide_a_death),
        cmocka_unit_test(a_hang_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
