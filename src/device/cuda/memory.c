#include "config.h"
#include "device/cuda/memory.h"
#include "base/error.h"
#include "device/cuda/executor.h"

static rc_status_t place_for(const rc_cuda_memory_t *m, rc_err_t *err)
{
    return m->pieces < RC_CUDA_PIECES
               ? RC_OK
               : rc_fail(err, RC_EINVAL, "a kernel keeps more than %d arrays", RC_CUDA_PIECES);
}

rc_status_t rc_cuda_room(rc_cuda_memory_t *m, size_t bytes, void **out, rc_err_t *err)
{
    *out = NULL;
    if (bytes == 0)
        return RC_OK;
    if (place_for(m, err) < 0)
        return RC_EINVAL;
    rc_status_t st = m->x->alloc(m->x, bytes, out, err);
    if (st == RC_OK) {
        m->bytes[m->pieces] = bytes;
        m->piece[m->pieces++] = *out;
    }
    return st;
}

rc_status_t rc_cuda_keep(
    rc_cuda_memory_t *m, const void *from, size_t bytes, void **out, rc_err_t *err)
{
    rc_executor_t *x = m->x;
    rc_status_t st = rc_cuda_room(m, bytes, out, err);
    if (st < 0 || !*out)
        return st;
    return from ? x->upload(x, *out, from, bytes, err) : x->fill(x, *out, 0, bytes, err);
}

rc_status_t rc_cuda_keep_or_room(
    rc_cuda_memory_t *m, const void *from, size_t bytes, void **out, rc_err_t *err)
{
    return from ? rc_cuda_keep(m, from, bytes, out, err) : rc_cuda_room(m, bytes, out, err);
}

rc_status_t rc_cuda_take(rc_cuda_memory_t *m, void *piece, size_t bytes, rc_err_t *err)
{
    rc_status_t st = piece ? place_for(m, err) : RC_OK;
    if (st == RC_OK && piece) {
        m->bytes[m->pieces] = bytes;
        m->piece[m->pieces++] = piece;
    }
    return st;
}

int64_t rc_cuda_memory_bytes(const rc_cuda_memory_t *m)
{
    int64_t bytes = 0;
    for (int i = 0; i < m->pieces; i++)
        bytes += (int64_t)m->bytes[i];
    return bytes;
}

void rc_cuda_memory_seal(rc_cuda_memory_t *m)
{
    m->matrix = m->pieces;
}

rc_status_t rc_cuda_memory_share(
    rc_cuda_memory_t *of, rc_executor_t *x, rc_cuda_memory_t *to, rc_err_t *err)
{
    *to = (rc_cuda_memory_t){.x = x};
    rc_status_t st = of->users ? RC_OK : rc_users_new(&of->users, err);
    if (st < 0)
        return st;
    rc_users_join(of->users);
    for (int i = 0; i < of->matrix; i++) {
        to->piece[i] = of->piece[i];
        to->bytes[i] = of->bytes[i];
    }
    to->pieces = to->matrix = of->matrix;
    to->users = of->users;
    return RC_OK;
}

void rc_cuda_memory_free(rc_cuda_memory_t *m)
{
    rc_err_t why = {0};
    while (m->pieces > m->matrix)
        m->x->release(m->x, m->piece[--m->pieces]);
    if (rc_users_others(m->users)) /* one of them may free the matrix next */
        (void)rc_executor_cuda_wait(m->x, &why);
    if (rc_users_leave(m->users))
        while (m->pieces > 0)
            m->x->release(m->x, m->piece[--m->pieces]);
    *m = (rc_cuda_memory_t){.x = m->x};
}
