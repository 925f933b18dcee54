/** \file base/users.h  A count of owners, who may be in several threads: what they share is freed
 *  with the last of them. */
#ifndef RC_BASE_USERS_H
#define RC_BASE_USERS_H

#include "rowcast.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rc_users rc_users_t;

/** One owner, the caller.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_users_new(rc_users_t **out, rc_err_t *err);

/** One owner more. */
void rc_users_join(rc_users_t *users);

/** One owner less, who does not use `users` any more; NULL: the caller is the only one.
 *  \return 1: the caller was the last one and frees what was shared */
int rc_users_leave(rc_users_t *users);

/** 1: there are others; NULL: none. */
int rc_users_others(const rc_users_t *users);

#ifdef __cplusplus
}
#endif
#endif
