#include "config.h"
#include "kernels/cuda/memory.h"
#include "base/error.h"

rc_status_t rc_cuda_room(rc_cuda_memory_t *m, size_t bytes, void **out, rc_err_t *err)
{
    *out = NULL;
    if (bytes == 0)
        return RC_OK;
    if (m->pieces == RC_CUDA_PIECES)
        return rc_fail(err, RC_EINVAL, "a kernel keeps more than %d arrays", RC_CUDA_PIECES);
    rc_status_t st = m->x->alloc(m->x, bytes, out, err);
    if (st == RC_OK)
        m->piece[m->pieces++] = *out;
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

void rc_cuda_memory_free(rc_cuda_memory_t *m)
{
    while (m->pieces > 0)
        m->x->release(m->x, m->piece[--m->pieces]);
}
