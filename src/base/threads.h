/** \file base/threads.h  How many OpenMP threads a call starts. */
#ifndef RC_BASE_THREADS_H
#define RC_BASE_THREADS_H

/** Threads that `threads` asks for: all of the process when it is 0; at most four for each CPU of
 *  the process, or 64 where that is more, for the runtime ends a program that can start no more.
 *  In a child of fork() whose parent had threads always 1: the runtime believes that its threads
 *  are still there, and would wait for them.
 *  \return >= 1 */
int rc_thread_count(int threads);

/** In a child of fork(): no team was started before, whatever threads the parent had, so all
 *  threads may be used. */
void rc_thread_fresh(void);

#endif
