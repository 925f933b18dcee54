#include "config.h"
#include "format/cuda/keep.h"
#include "base/alloc.h"

#include <string.h>

rc_keeping_t rc_keep_begin(rc_memory_t *m, const rc_problem_t *p, rc_err_t *err)
{
    return (rc_keeping_t){.m = m, .p = p, .err = err};
}

void *rc_keep_array(rc_keeping_t *k, const void *from, size_t count, size_t bytes)
{
    void *to = NULL;
    if (k->st == RC_OK)
        k->st = from ? rc_memory_keep(k->m, from, count * bytes, &to, k->err)
                     : rc_memory_room(k->m, count * bytes, &to, k->err);
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

static void keep_room(rc_keeping_t *k, int64_t count)
{
    k->stored = count;
    k->val = rc_keep_array(k, NULL, (size_t)count, rc_precision_bytes(k->p->precision));
}

void rc_keep_own_values(rc_keeping_t *k)
{
    keep_room(k, k->p->a->nnz);
    k->places = rc_places_own(k->m->x, k->p);
}

void *rc_keep_values(rc_keeping_t *k, const void *entry, int64_t count)
{
    keep_room(k, count);
    if (k->st == RC_OK)
        k->st = rc_places_keep(k->m->x, k->p, entry, count, &k->places, k->err);
    return k->places.at;
}

void rc_keep_places(rc_keeping_t *k, int64_t first, const void *from, int64_t n)
{
    if (k->st == RC_OK && !k->p->resident)
        k->st = rc_places_put(&k->places, first, from, n, k->err);
}

void *rc_keep_place_at(const rc_keeping_t *k, int64_t i)
{
    return k->places.at ? (char *)k->places.at + i * k->places.bytes : NULL;
}

void *rc_keep_value_at(const rc_keeping_t *k, int64_t i)
{
    return k->val ? (char *)k->val + i * (int64_t)rc_precision_bytes(k->p->precision) : NULL;
}

void *rc_keep_host(rc_keeping_t *k, size_t count, size_t bytes, const char *what)
{
    void *array = NULL;
    if (k->st == RC_OK && !k->p->resident) {
        array = rc_alloc0(count, bytes, what, k->err);
        k->st = array ? RC_OK : RC_ENOMEM;
    }
    return array;
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
