/** \file base/error.h  Filling an rc_err_t.  The function that detects an error words it; callers
 *  pass the status on and may put context in front. */
#ifndef RC_BASE_ERROR_H
#define RC_BASE_ERROR_H

#include "rowcast.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Set `err` (when not NULL) to a status and one formatted line; returns the status, so that a
 *  failing function can end in `return rc_fail(err, RC_EIO, ...)`. */
rc_status_t rc_fail(rc_err_t *err, rc_status_t status, const char *fmt, ...) RC_PRINTF(3, 4);

/** As rc_fail, with ": <strerror(errnum)>" appended. */
rc_status_t rc_fail_errno(rc_err_t *err, rc_status_t status, int errnum, const char *fmt, ...)
    RC_PRINTF(4, 5);

/** Put "<formatted context>: " before the text of `err`; keeps and returns its status.  NULL is
 *  allowed and gives RC_EINVAL: who may be called without an error and has a status returns that
 *  one. */
rc_status_t rc_err_context(rc_err_t *err, const char *fmt, ...) RC_PRINTF(2, 3);

/** A thread of a team tells how its share went: of those that failed one is kept, with its text.
 *  \param[in] said  of `st`  \param[in,out] all  of the team, with err  \param[out] err  may be
 *      NULL */
void rc_err_keep(rc_status_t st, const rc_err_t *said, rc_status_t *all, rc_err_t *err);

/** Return from the enclosing scope through its `done:` label when a call fails.
 *  The scope has `rc_status_t st` and a label `done`. */
#define RC_TRY(call)                                                                               \
    do {                                                                                           \
        st = (call);                                                                               \
        if (st < 0)                                                                                \
            goto done;                                                                             \
    } while (0)

/** Return the status of a call that fails, from a function that has nothing to clean up.
 *  With RC_TRY the only control-flow macro. */
#define RC_PASS(call)                                                                              \
    do {                                                                                           \
        rc_status_t status_ = (call);                                                              \
        if (status_ < 0)                                                                           \
            return status_;                                                                        \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
