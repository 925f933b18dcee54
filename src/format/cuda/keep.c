#include "config.h"
#include "format/cuda/keep.h"

#include <string.h>

/* Pointers as numbers of 4 bytes, in their own memory: each is read before its place is overwritten. */
static void narrow(int64_t *ptr, int64_t count)
{
    unsigned char *to = (unsigned char *)ptr;
    for (int64_t i = 0; i < count; i++) {
        int32_t at = (int32_t)ptr[i];
        memcpy(to + (size_t)i * sizeof at, &at, sizeof at);
    }
}

rc_status_t rc_cuda_keep_pointers(rc_cuda_memory_t *m, int64_t *ptr, int64_t count, int bytes,
    const void **out, rc_err_t *err)
{
    void *to = NULL;
    if (bytes == (int)sizeof(int32_t))
        narrow(ptr, count);
    rc_status_t st = rc_cuda_keep(m, ptr, (size_t)(count * bytes), &to, err);
    *out = to;
    return st;
}

rc_status_t rc_cuda_keep_rows(
    rc_cuda_memory_t *m, const rc_problem_t *p, rc_cuda_slots_t *out, rc_err_t *err)
{
    rc_status_t st = rc_cuda_slots_rows(m->x, p, out, err);
    if (st < 0)
        return st;
    st = rc_cuda_take(m, out->row, (size_t)out->slots * sizeof *out->row, err);
    if (st == RC_OK)
        st = rc_cuda_take(m, out->absent, (size_t)out->absents * sizeof *out->absent, err);
    return st;
}
