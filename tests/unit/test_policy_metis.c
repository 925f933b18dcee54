/* METIS beside the signals of a program. */
#include "config.h"
#include "unit.h"

#include "base/error.h"
#include "order/policy.h"
#include "sparse/csr.h"
#include "sparse/generate.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

static void keep_on(int number)
{
    (void)number;
}

typedef struct {
    const rc_csr_t *a;
    rc_status_t status;
    atomic_int ended;
} ordering_t;

static void *order_by_metis(void *arg)
{
    ordering_t *o = arg;
    rc_schedule_t s = {0};
    rc_err_t err = {0};
    o->status = rc_order_build("metis", o->a, NULL, 1, &s, &err);
    rc_schedule_free(&s);
    atomic_store(&o->ended, 1);
    return NULL;
}

/* METIS has its own handler of SIGTERM, which only the thread that called it survives: at nearly every look the
 * program's is there.  No signal is sent: METIS may take it between a look and that. */
static void a_program_keeps_its_signals_while_metis_works(void **state)
{
    (void)state;
    const struct timespec pause = {.tv_nsec = 2000000};
    const struct sigaction mine = {.sa_handler = keep_on};
    struct timespec worked = {0};
    struct sigaction before;
    struct sigaction now;
    rc_csr_t mesh = {0};
    clockid_t clock;
    pthread_t thread;
    int looks = 0;
    int kept = 0;
    if (!rc_policy_find("metis"))
        skip();
    assert_int_equal(rc_generate("mesh2d:n=500", &mesh, NULL, NULL), RC_OK);
    ordering_t o = {.a = &mesh};
    assert_int_equal(sigaction(SIGTERM, &mine, &before), 0);
    assert_int_equal(pthread_create(&thread, NULL, order_by_metis, &o), 0);
    assert_int_equal(pthread_getcpuclockid(thread, &clock), 0);
    while (!atomic_load(&o.ended) && clock_gettime(clock, &worked) == 0) {
        (void)nanosleep(&pause, NULL);
        if (worked.tv_sec == 0 && worked.tv_nsec < 300000000) /* its own time: METIS has begun */
            continue;
        assert_int_equal(sigaction(SIGTERM, NULL, &now), 0);
        looks++;
        kept += now.sa_handler == keep_on;
    }
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(sigaction(SIGTERM, &before, NULL), 0);
    assert_int_equal(o.status, RC_OK);
    assert_true(looks < 10 || 2 * kept > looks);
    rc_csr_free(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_keeps_its_signals_while_metis_works),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
