/* Allocation that fails on request, and how much is there at once.  A program that uses this links with
 * $(failing_alloc_ldflags), which sends the calls of our code (not those of shared libraries)
 * through it. */
#ifndef RC_TESTS_FAILING_ALLOC_H
#define RC_TESTS_FAILING_ALLOC_H

/* Let the n-th allocation from now on fail, and only that one; negative: none. */
void failing_alloc_set(long n);

/* Whether the failure has happened. */
int failing_alloc_happened(void);

/* Count what is allocated from now on. */
void failing_alloc_count(void);

/* The most bytes that there were at once since then, beside those of before. */
long long failing_alloc_peak(void);

#endif
