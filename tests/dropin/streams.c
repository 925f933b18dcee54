/* Which streams the drop-in takes, and which context it says that they are of, where contexts are reset and become others, and
 * streams come and go: each answer is that of the model of the driver.  Run by dropin.t. */
#include "fake_driver.h"
#include "dropin/stream.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int tests;

static void ok(int passed, const char *name)
{
    printf("%sok %d - %s\n", passed ? "" : "not ", ++tests, name);
}

static void context_new(int context)
{
    fake_driver()->contexts[context].id = ++fake_driver()->ids;
}

/* What was on a context is gone with it. */
static void context_reset(int context)
{
    fake_driver_t *d = fake_driver();
    context_new(context);
    for (int i = 0; i < STREAMS; i++)
        if (d->streams[i].context == context)
            d->streams[i] = (fake_stream_t){++d->ids, context, 0};
}

static void begin(void)
{
    fake_driver_t *d = fake_driver();
    *d = (fake_driver_t){.ids = 1};
    *fake_current() = 0;
    for (int i = 0; i < CONTEXTS; i++)
        context_new(i);
    for (int i = 0; i < STREAMS; i++)
        d->streams[i] = (fake_stream_t){++d->ids, i % CONTEXTS, 0};
}

/* 1: the answer for a stream is the model's. */
static int right(fake_stream_t *s)
{
    const fake_driver_t *d = fake_driver();
    int current = *fake_current();
    int device = -1;
    uint64_t context = 0;
    int st = rc_stream_usable(s, &device, &context);
    if (d->error || current >= DEVICES || (s && s->context != current))
        return st == -1;
    return st == (s && s->captured) && device == current && context == (d->unknown ? 0 : d->contexts[current].id);
}

static unsigned draw(unsigned *state, unsigned below)
{
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 16) % below;
}

/* Something happens to the contexts and streams. */
static void change(unsigned *state)
{
    fake_driver_t *d = fake_driver();
    fake_stream_t *s = &d->streams[draw(state, STREAMS)];
    switch (draw(state, 6)) {
    case 0:
        *fake_current() = (int)draw(state, CONTEXTS);
        break;
    case 1:
        context_reset((int)draw(state, DEVICES));
        break;
    case 2: /* another one at its address */
        *s = (fake_stream_t){++d->ids, (int)draw(state, CONTEXTS), 0};
        break;
    case 3:
        s->captured = !s->captured;
        break;
    case 4:
        d->error = draw(state, 4) == 0;
        break;
    default:
        d->unknown = draw(state, 8) == 0;
    }
}

static void *beside(void *wrong)
{
    *fake_current() = DEVICES;
    *(int *)wrong = !right(NULL) || !right(&fake_driver()->streams[0]);
    return NULL;
}

int main(void)
{
    fake_driver_t *d = fake_driver();
    unsigned state = 1;
    int wrong = 0;
    begin();
    for (int i = 0; i < 100; i++)
        wrong += !right(&d->streams[0]);
    ok(!wrong && d->retained == 1, "a stream that is asked for again is not looked up again");
    d->unknown = 1;
    ok(right(&d->streams[0]) && right(&d->streams[0]) && d->retained == 3, "where numbers are not known it is");
    d->unknown = 0;
    context_reset(0);
    ok(right(&d->streams[0]) && d->retained == 4, "a context that was reset is seen");
    pthread_t other;
    wrong = pthread_create(&other, NULL, beside, &wrong) != 0 || pthread_join(other, NULL) != 0 || wrong;
    ok(!wrong && right(&d->streams[0]), "another thread has a current context of its own");
    wrong = 0;
    for (int i = 0; i < 200000; i++) {
        if (draw(&state, 3) == 0)
            change(&state);
        unsigned at = draw(&state, STREAMS + 1);
        wrong += !right(at < STREAMS ? &d->streams[at] : NULL);
    }
    ok(!wrong, "every answer is that of the driver");
    ok(d->held == 0 && d->unsafe == 0, "nothing is held, and no capture is endangered");
    printf("1..%d\n", tests);
    return 0;
}
