/* Several threads, processes, streams and devices with the fakes.  Run by dropin.t, which preloads the drop-in. */
#include "small.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct shared {
    cusparseSpMatDescr_t spare;
    pthread_t program;
    atomic_int destroyed;
    atomic_int made;       /* plans */
    atomic_int freed;
    atomic_int by_program; /* of the freed, by the thread of the products */
    atomic_int locked;     /* of both, while another thread could not call */
    atomic_int running;
    atomic_int forked;
} shared;

static void nap(void)
{
    const struct timespec ms = {0, 1000000};
    (void)nanosleep(&ms, NULL);
}

/* 1: it is set before 20 s are over. */
static int comes(atomic_int *what)
{
    for (int i = 0; i < 20000 && !atomic_load(what); i++)
        nap();
    return atomic_load(what);
}

static void *destroys(void *none)
{
    (void)cusparseDestroySpMat(shared.spare);
    atomic_store(&shared.destroyed, 1);
    return none;
}

/* A plan is being made or freed, which may wait for the program: it must be able to go on. */
static void others_call(void)
{
    pthread_t other;
    if (pthread_create(&other, NULL, destroys, NULL) != 0)
        exit(99);
    (void)pthread_detach(other);
    if (!comes(&shared.destroyed))
        atomic_fetch_add(&shared.locked, 1);
}

static void in_make(void)
{
    others_call();
    atomic_fetch_add(&shared.made, 1);
}

/* Products so long that a plan takes less than two of them, and a stream that waits for another thread. */
static void making(void)
{
    small_t s;
    small_t spare;
    small_new(&s);
    small_new(&spare);
    shared.spare = spare.a;
    engine()->other_ns = 1e9;
    engine()->in_make = in_make;
    for (int i = 0; i < 20000 && !atomic_load(&shared.made); i++) {
        (void)plain(&s);
        nap();
    }
    ok(atomic_load(&shared.made) == 1 && !atomic_load(&shared.locked), "other threads call while a plan is made");
    engine()->in_make = NULL;
    int there = 0;
    for (int i = 0; i < 20000 && !(there = until_plan(&s, 1)); i++)
        nap();
    ok(there, "which then multiplies");
    small_free(&s);
}

/* The plan of a matrix that is not used any more is made: it is in nobody's way. */
static void idle(void)
{
    small_t s;
    small_t t;
    small_new(&s);
    small_new(&t);
    t.idx[1] = 0;
    for (int i = 0; i < 20000 && !until_plan(&s, 1); i++)
        nap();
    for (int i = 0; i < 20; i++)
        (void)until_plan(&s, 1);
    for (int i = 0; i < 20000 && engine()->copied < 2; i++)
        (void)plain(&t);
    for (int i = 0; i < 20000 && engine()->made < 2; i++)
        nap();
    nap();
    ok(engine()->made == 2 && engine()->tuned == 0, "a second pattern has a plan, and is never used again");
    for (int i = 0; i < 20000 && engine()->tuned < 1; i++)
        (void)plain(&s);
    for (int i = 0; i < 20000 && engine()->tuned < 1; i++)
        nap();
    ok(engine()->tuned == 1 && right(&s), "a better one is made for the first");
    small_free(&s);
    small_free(&t);
}

/* The program is killed when a plan is kept: the choice is there even so. */
static void killed(const char *folder)
{
    small_t s;
    char command[1000];
    int there = 0;
    small_new(&s);
    (void)snprintf(command, sizeof command, "ls '%s'/*.choice >/dev/null 2>&1", folder);
    for (int i = 0; i < 2000 && !there; i++) {
        (void)until_plan(&s, 1);
        there = i % 100 == 99 && system(command) == 0;
    }
    ok(there, "a choice is in the folder while the program runs");
    (void)fflush(stdout);
    _exit(0);
}

static void in_free(void)
{
    others_call();
    if (pthread_equal(pthread_self(), shared.program))
        atomic_fetch_add(&shared.by_program, 1);
    atomic_fetch_add(&shared.freed, 1);
}

static void freeing(int beside)
{
    small_t s;
    small_t spare;
    small_new(&s);
    small_new(&spare);
    shared.spare = spare.a;
    shared.program = pthread_self();
    engine()->in_free = in_free;
    int there = 0;
    for (int i = 0; i < 20000 && !(there = until_plan(&s, 1)); i++)
        nap();
    s.idx[1] = 0;
    (void)plain(&s);
    ok(there, "a pattern that has a plan changes");
    for (int i = 0; i < 20000 && !atomic_load(&shared.freed); i++) {
        (void)plain(&s);
        nap();
    }
    ok(atomic_load(&shared.freed) == 1 && right(&s), "its plan is freed");
    ok(!atomic_load(&shared.locked), "while other threads call");
    ok(atomic_load(&shared.by_program) == !beside, beside ? "by the thread that makes plans" : "by the program's, which is alone");
    engine()->in_free = NULL;
    small_free(&s);
}

static void in_run(void)
{
    atomic_store(&shared.running, 1);
    (void)comes(&shared.forked);
}

static void *runs(void *small)
{
    (void)plain(small);
    return NULL;
}

/* The child of a process one of whose threads is in a product. */
static void forked(void)
{
    small_t s;
    pthread_t other;
    int status = -1;
    small_new(&s);
    ok(until_plan(&s, 40), "a pattern has a plan");
    engine()->in_run = in_run;
    if (pthread_create(&other, NULL, runs, &s) != 0 || !comes(&shared.running))
        exit(99);
    pid_t child = fork();
    if (child == 0) {
        (void)alarm(20);
        int before = engine()->runs;
        s.val[0] = 5;
        memset(s.c, 0, sizeof s.c);
        int passed = plain(&s) == CUSPARSE_STATUS_SUCCESS && right(&s) && engine()->runs == before;
        small_free(&s);
        _exit(passed ? 0 : 1);
    }
    atomic_store(&shared.forked, 1);
    (void)pthread_join(other, NULL);
    ok(child > 0 && waitpid(child, &status, 0) == child && status == 0, "a child of fork has cuSPARSE's products");
    engine()->in_run = NULL;
    small_free(&s);
}

/* The same arrays, as unified memory has them, on one device and then on another. */
static void devices(void)
{
    small_t s;
    small_new(&s);
    int made = engine()->made;
    ok(until_plan(&s, 40) && engine()->made == made + 1, "a pattern has a plan on the first device");
    for (int i = 0; i < 12; i++)
        (void)until_plan(&s, 1); /* it is kept */
    int runs = engine()->runs;
    int spmm_before = fake_counts()->spmm;
    engine()->device = 1;
    (void)plain(&s);
    ok(engine()->runs == runs && fake_counts()->spmm == spmm_before + 1 && right(&s), "which does not run on the second");
    ok(until_plan(&s, 40) && engine()->made == made + 2, "that has a plan of its own");
    engine()->device = 0;
    ok(until_plan(&s, 1) && engine()->made == made + 2, "the first one's is there again");
    ok(engine()->strays == 0, "no plan ran on another device than its own");
    small_free(&s);
}

/* A plan is of one stream: its values are put into memory of its own. */
static void streams(void)
{
    small_t s;
    int other = 3; /* a stream like any other for the fake */
    small_new(&s);
    int made = engine()->made;
    ok(until_plan(&s, 40) && engine()->made == made + 1, "a pattern has a plan in the first stream");
    for (int i = 0; i < 12; i++)
        (void)until_plan(&s, 1); /* it is kept, so that others could have it */
    (void)cusparseSetStream(s.handle, (cudaStream_t)(void *)&other);
    int runs = engine()->runs;
    (void)plain(&s);
    ok(engine()->runs == runs && right(&s), "which does not run in the second");
    ok(until_plan(&s, 40) && engine()->made == made + 2, "that has a plan of its own");
    (void)cusparseSetStream(s.handle, NULL);
    ok(until_plan(&s, 1) && engine()->made == made + 2, "the first one's is there again");
    small_free(&s);
}

/* Products until those of both kinds are the engine's; 1: they are, and all were right. */
static int until_both(small_t *s, int most)
{
    int wrong = 0;
    int vectors = 0;
    int plans = 0;
    for (int i = 0; i < most; i++) {
        int directs = engine()->directs;
        int runs = engine()->runs;
        wrong += vector(s) != CUSPARSE_STATUS_SUCCESS || !right_vector(s);
        vectors = engine()->directs > directs;
        runs += vectors;
        wrong += plain(s) != CUSPARSE_STATUS_SUCCESS || !right(s);
        plans = engine()->runs > runs;
    }
    return vectors && plans && !wrong;
}

/* What the engine has made is gone when the program resets the device. */
static void reset(void)
{
    small_t s;
    small_new(&s);
    ok(until_both(&s, 130), "there are a plan and a kernel");
    for (int context = 2; context < 5; context++) {
        int made = engine()->made;
        int ways = engine()->ways;
        engine()->context = context;
        s.val[1] = (float)context;
        ok(until_both(&s, 130), "after the device was reset there are others");
        ok(engine()->made == made + 1 && engine()->ways > ways, "made anew");
        ok(engine()->lost == context - 1 && engine()->strays == 0, "and nothing of the first is used or freed");
    }
    small_free(&s);
}

/* Patterns change in place twice, since a third time would leave them to cuSPARSE. */
enum { THREADS = 8, PRODUCTS = 400, CHANGES = 2, EVERY = PRODUCTS / (CHANGES + 1) };

/* Of a thread of its own: each has its values, so that the products of another are wrong.  \return NULL: every product was
 * right */
static void *multiplies(void *number)
{
    small_t s;
    small_new(&s);
    int wrong = 0;
    for (int i = 0; i < PRODUCTS; i++) {
        s.val[0] = (float)i + 1000 * (float)*(const int *)number;
        if (i > 0 && i % EVERY == 0 && i < (CHANGES + 1) * EVERY)
            s.idx[1] = (s.idx[1] + 1) % 2;
        memset(s.c, 0, sizeof s.c);
        wrong += plain(&s) != CUSPARSE_STATUS_SUCCESS || !right(&s);
        (void)sched_yield(); /* so that changes come one between another's */
    }
    small_free(&s);
    return wrong ? &shared : NULL;
}

static void threads(void)
{
    pthread_t all[THREADS];
    int number[THREADS];
    int wrong = 0;
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        if (pthread_create(&all[i], NULL, multiplies, &number[i]) != 0)
            exit(99);
    }
    for (int i = 0; i < THREADS; i++) {
        void *failed = NULL;
        (void)pthread_join(all[i], &failed);
        wrong += failed != NULL;
    }
    ok(!wrong, "threads with a matrix each have right products");
    /* of a pattern that is new the first few are cuSPARSE's */
    ok(engine()->runs > THREADS * (PRODUCTS - 20 * (CHANGES + 1)), "nearly all by plans");
    ok(engine()->repaired == THREADS * CHANGES, "each change was found on the device, once");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "freeing") == 0)
        freeing(argc > 2);
    else if (strcmp(what, "making") == 0)
        making();
    else if (strcmp(what, "idle") == 0)
        idle();
    else if (strcmp(what, "killed") == 0 && argc > 2)
        killed(argv[2]);
    else if (strcmp(what, "forked") == 0)
        forked();
    else if (strcmp(what, "devices") == 0)
        devices();
    else if (strcmp(what, "streams") == 0)
        streams();
    else if (strcmp(what, "reset") == 0)
        reset();
    else
        threads();
    return ok_end();
}
