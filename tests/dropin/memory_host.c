#include "memory.h"
#include "fake_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *device_new(size_t bytes)
{
    void *p = malloc(bytes);
    if (!p)
        exit(99);
    return p;
}

void device_free(void *p)
{
    free(p);
}

void device_put(void *to, const void *from, size_t bytes, void *stream)
{
    (void)stream;
    memcpy(to, from, bytes);
}

void device_get(void *to, const void *from, size_t bytes, void *stream)
{
    (void)stream;
    memcpy(to, from, bytes);
}

/* What the fake engine sees in a stream: 0 an ordinary one, 1 captured, 2 of another context. */
void *stream_new(void)
{
    return calloc(1, sizeof(int));
}

void stream_free(void *stream)
{
    free(stream);
}

void capture_begin(void *stream)
{
    fake_graph_free(fake_graph_take()); /* of one that ended with an error */
    *(int *)stream = FAKE_STREAM_CAPTURED;
}

void *capture_end(void *stream)
{
    *(int *)stream = 0;
    return fake_graph_take();
}

void graph_run(void *graph, void *stream)
{
    (void)stream;
    fake_graph_run(graph);
}

void graph_free(void *graph)
{
    fake_graph_free(graph);
}

int graphs_take_patterns(void)
{
    return 1;
}

int devices_there(void)
{
    return 1;
}

void device_use(int device)
{
    (void)device;
}

void device_name(char *name, size_t bytes)
{
    (void)snprintf(name, bytes, "host");
}
