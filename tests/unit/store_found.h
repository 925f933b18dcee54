/* What a verification of a store finds. */
#ifndef RC_TESTS_STORE_FOUND_H
#define RC_TESTS_STORE_FOUND_H

#include "store/verify.h"

/* The problems of one verification, a line each. */
typedef struct found {
    char text[8192];
    int count;
} found_t;

/* rc_verify_problem_fn of a found_t. */
void note(void *user, const rc_verify_problem_t *p);

/* Verify a store; the test fails when that cannot be done. */
rc_verify_info_t verify(const char *store, int deep, found_t *f);

/* Verify a store that has no problem. */
rc_verify_info_t is_sound(const char *store);

#endif
