/* Wrong calls, each in a child process: what becomes of them, and matrices that are none. */
#ifndef RC_TESTS_WRONG_H
#define RC_TESTS_WRONG_H

#include "rowcast.h"

/* A call.  Where the function has no status: RC_EINVAL with a text when it came back as it should. */
typedef rc_status_t wrong_fn(const void *with, rc_err_t *err);

/* What became of calls. */
typedef struct wrong {
    int calls;
    int refused;  /* by a negative status and a line that agrees with it */
    int accepted; /* by RC_OK */
    int wordless; /* refused without a line, or with another status in it */
    int died;     /* by a signal or an exit; also one that hangs, after 60 s */
} wrong_t;

/* Make a call in a child process and count what becomes of it. \param[in] name  of a call that is to be refused, and printed when it is
 * not; NULL: anything may happen */
void wrong_call(wrong_t *n, const char *name, wrong_fn *call, const void *with);

/* Ways to spoil a matrix of 12 x 12. */
extern const int wrong_matrices;
const char *wrong_matrix_name(int which);

/* That matrix spoilt, each array in front of memory that cannot be touched; -1: as it should be.  For a child process: nothing is
 * freed. */
rc_csr_t wrong_matrix(int which);

/* What a call without a status returns. */
rc_status_t wrong_came_back(rc_err_t *err);

#endif
