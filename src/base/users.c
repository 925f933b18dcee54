#include "config.h"
#include "base/users.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdatomic.h>
#include <stdlib.h>

struct rc_users {
    atomic_int count;
};

rc_status_t rc_users_new(rc_users_t **out, rc_err_t *err)
{
    RC_PASS(RC_NEW(*out, 1, "a count of owners", err));
    atomic_init(&(*out)->count, 1);
    return RC_OK;
}

void rc_users_join(rc_users_t *users)
{
    (void)atomic_fetch_add(&users->count, 1);
}

int rc_users_leave(rc_users_t *users)
{
    if (!users)
        return 1;
    /* what the others did with it has happened before the last one frees it */
    if (atomic_fetch_sub(&users->count, 1) > 1)
        return 0;
    free(users);
    return 1;
}

int rc_users_others(const rc_users_t *users)
{
    return users && atomic_load(&users->count) > 1;
}
