#include "config.h"
#include "device/memory.h"
#include "base/error.h"

static rc_status_t place_for(const rc_memory_t *m, rc_err_t *err)
{
    return m->pieces < RC_MEMORY_PIECES
               ? RC_OK
               : rc_fail(err, RC_EINVAL, "a kernel keeps more than %d arrays", RC_MEMORY_PIECES);
}

rc_status_t rc_memory_room(rc_memory_t *m, size_t bytes, void **out, rc_err_t *err)
{
    *out = NULL;
    if (bytes == 0)
        return RC_OK;
    RC_PASS(place_for(m, err));
    RC_PASS(m->x->alloc(m->x, bytes, out, err));
    return rc_memory_take(m, *out, bytes, err);
}

rc_status_t rc_memory_keep(
    rc_memory_t *m, const void *from, size_t bytes, void **out, rc_err_t *err)
{
    rc_executor_t *x = m->x;
    rc_status_t st = rc_memory_room(m, bytes, out, err);
    if (st < 0 || !*out)
        return st;
    return from ? x->upload(x, *out, from, bytes, err) : x->fill(x, *out, 0, bytes, err);
}

rc_status_t rc_memory_take(rc_memory_t *m, void *piece, size_t bytes, rc_err_t *err)
{
    if (!piece)
        return RC_OK;
    RC_PASS(place_for(m, err));
    m->bytes[m->pieces] = bytes;
    m->piece[m->pieces++] = piece;
    return RC_OK;
}

int64_t rc_memory_bytes(const rc_memory_t *m)
{
    int64_t bytes = 0;
    for (int i = 0; i < m->pieces; i++)
        bytes += (int64_t)m->bytes[i];
    return bytes;
}

void rc_memory_seal(rc_memory_t *m)
{
    m->matrix = m->pieces;
}

rc_status_t rc_memory_share(rc_memory_t *of, rc_executor_t *x, rc_memory_t *to, rc_err_t *err)
{
    *to = (rc_memory_t){.x = x};
    RC_PASS(of->users ? RC_OK : rc_users_new(&of->users, err));
    rc_users_join(of->users);
    for (int i = 0; i < of->matrix; i++) {
        to->piece[i] = of->piece[i];
        to->bytes[i] = of->bytes[i];
    }
    to->pieces = to->matrix = of->matrix;
    to->users = of->users;
    return RC_OK;
}

int rc_memory_free(rc_memory_t *m)
{
    rc_err_t why = {0};
    while (m->pieces > m->matrix)
        m->x->release(m->x, m->piece[--m->pieces]);
    if (rc_users_others(m->users)) /* one of them may free the matrix next */
        (void)m->x->wait(m->x, &why);
    int last = rc_users_leave(m->users);
    while (last && m->pieces > 0)
        m->x->release(m->x, m->piece[--m->pieces]);
    *m = (rc_memory_t){.x = m->x};
    return last;
}
