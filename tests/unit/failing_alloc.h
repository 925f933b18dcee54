/* Allocation that fails on request.  A program that uses this links with
 * $(failing_alloc_ldflags), which sends the calls of our code (not those of shared libraries)
 * through it. */
#ifndef RC_TESTS_FAILING_ALLOC_H
#define RC_TESTS_FAILING_ALLOC_H

/* Let the n-th allocation from now on fail, and only that one; negative: none. */
void failing_alloc_set(long n);

/* Whether the failure has happened. */
int failing_alloc_happened(void);

#endif
