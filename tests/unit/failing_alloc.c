#include "config.h"
#include "failing_alloc.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_long left = -1;
static atomic_int happened;

void failing_alloc_set(long n)
{
    atomic_store(&happened, 0);
    atomic_store(&left, n);
}

int failing_alloc_happened(void)
{
    return atomic_load(&happened);
}

static int fails(void)
{
    if (atomic_load(&left) < 0 || atomic_fetch_sub(&left, 1) != 0)
        return 0;
    atomic_store(&happened, 1);
    return 1;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
int __real_posix_memalign(void **p, size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
int __wrap_posix_memalign(void **p, size_t align, size_t size);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *p, size_t size)
{
    return fails() ? NULL : __real_realloc(p, size);
}

int __wrap_posix_memalign(void **p, size_t align, size_t size)
{
    return fails() ? ENOMEM : __real_posix_memalign(p, align, size);
}
