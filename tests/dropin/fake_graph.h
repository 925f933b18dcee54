/** \file tests/dropin/fake_graph.h  Graphs of the fakes: what a stream that is captured is asked for is done at once, and put here
 *  to be done again.  A part of the fake cuSPARSE, which all programs have. */
#ifndef RC_TESTS_DROPIN_FAKE_GRAPH_H
#define RC_TESTS_DROPIN_FAKE_GRAPH_H

#include <stddef.h>

/** What the first number of a stream says. */
enum { FAKE_STREAM_CAPTURED = 1 };
/** 1: the stream is captured; NULL is not. */
int fake_graph_captures(const void *stream);
/** \param[in] arg  bytes that are copied, and that run gets */
void fake_graph_add(void (*run)(void *arg), const void *arg, size_t bytes);
/** All that was added since the last one was taken; NULL: nothing was. */
void *fake_graph_take(void);
/** In the order in which it was added. */
void fake_graph_run(void *graph);
void fake_graph_free(void *graph);

#endif
