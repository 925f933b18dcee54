#include "config.h"
#include "format/cuda/keep.h"

#include <string.h>

rc_keeping_t rc_keep_begin(rc_memory_t *m, const rc_problem_t *p, rc_err_t *err)
{
    return (rc_keeping_t){.m = m, .p = p, .err = err};
}

void *rc_keep_array(rc_keeping_t *k, const void *from, size_t count, size_t bytes)
{
    void *to = NULL;
    if (k->st == RC_OK)
        k->st = rc_memory_keep_or_room(k->m, from, count * bytes, &to, k->err);
    return to;
}

void *rc_keep_zeros(rc_keeping_t *k, const void *from, size_t count, size_t bytes)
{
    void *to = NULL;
    if (k->st == RC_OK)
        k->st = rc_memory_keep(k->m, from, count * bytes, &to, k->err);
    return to;
}

/* Each is read before its place is overwritten. */
void *rc_narrow_pointers(int64_t *ptr, int64_t count)
{
    unsigned char *to = (unsigned char *)ptr;
    for (int64_t i = 0; i < count; i++) {
        int32_t at = (int32_t)ptr[i];
        memcpy(to + (size_t)i * sizeof at, &at, sizeof at);
    }
    return to;
}

void *rc_keep_pointers(rc_keeping_t *k, int64_t *ptr, int64_t count, int bytes)
{
    if (ptr && bytes == (int)sizeof(int32_t))
        (void)rc_narrow_pointers(ptr, count);
    return rc_keep_array(k, ptr, (size_t)count, (size_t)bytes);
}

void *rc_keep_values(rc_keeping_t *k, const void *entry, int64_t count)
{
    k->stored = count;
    k->val = rc_keep_array(k, NULL, (size_t)count, rc_precision_bytes(k->p->precision));
    if (k->st == RC_OK)
        k->st = rc_places_keep(k->m->x, k->p, entry, count, &k->places, k->err);
    return k->places.at;
}

rc_status_t rc_keep_end(rc_keeping_t *k)
{
    rc_executor_t *x = k->m->x;
    if (k->st == RC_OK)
        k->st = rc_places_fill(k->p, &k->places, k->val, k->err);
    rc_places_free(&k->places);
    if (k->st == RC_OK && k->p->resident)
        k->st = x->wait(x, k->err);
    return k->st;
}
