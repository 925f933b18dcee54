#include "fake_graph.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define FAKE __attribute__((visibility("default")))

typedef struct work {
    void (*run)(void *arg);
    void *arg;
    struct work *before;
} work_t;

static work_t *last;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

FAKE int fake_graph_captures(const void *stream)
{
    return stream && *(const int *)stream == FAKE_STREAM_CAPTURED;
}

FAKE void fake_graph_add(void (*run)(void *arg), const void *arg, size_t bytes)
{
    work_t *w = malloc(sizeof *w);
    void *copy = malloc(bytes);
    if (!w || !copy)
        exit(99);
    memcpy(copy, arg, bytes);
    (void)pthread_mutex_lock(&lock);
    *w = (work_t){run, copy, last};
    last = w;
    (void)pthread_mutex_unlock(&lock);
}

FAKE void *fake_graph_take(void)
{
    (void)pthread_mutex_lock(&lock);
    work_t *w = last;
    last = NULL;
    (void)pthread_mutex_unlock(&lock);
    return w;
}

FAKE void fake_graph_run(void *graph)
{
    work_t *w = graph;
    if (!w)
        return;
    fake_graph_run(w->before);
    w->run(w->arg);
}

FAKE void fake_graph_free(void *graph)
{
    for (work_t *w = graph; w;) {
        work_t *before = w->before;
        free(w->arg);
        free(w);
        w = before;
    }
}
