/** \file tests/dropin/memory.h  The little that a program of products needs of a device, so that the same one runs on a GPU
 *  with cuSPARSE and on a CPU with a fake of it. */
#ifndef RC_TESTS_DROPIN_MEMORY_H
#define RC_TESTS_DROPIN_MEMORY_H

#include <stddef.h>

/** Ends the program when there is none: a test without memory is no test. */
void *device_new(size_t bytes);
void device_free(void *p);
void device_put(void *to, const void *from, size_t bytes, void *stream);
/** Waits for the stream. */
void device_get(void *to, const void *from, size_t bytes, void *stream);
void *stream_new(void);
void stream_free(void *stream);
/** What is put on the stream in between becomes a graph, which runs once.  \return it; NULL: it cannot run again */
void capture_begin(void *stream);
void *capture_end(void *stream);
/** Waits for the stream. */
void graph_run(void *graph, void *stream);
/** NULL is allowed. */
void graph_free(void *graph);
/** 1: cuSPARSE's products in a graph are right for a pattern that has changed since. */
int graphs_take_patterns(void);
/** How many devices there are; 0: none. */
int devices_there(void);
/** What comes next is of this device, from 0. */
void device_use(int device);
/** What the device of now calls itself. */
void device_name(char *name, size_t bytes);

#endif
