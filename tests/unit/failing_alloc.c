#include "config.h"
#include "failing_alloc.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_long left = -1;
static atomic_int happened;
static atomic_llong live;
static atomic_llong peak;

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

void failing_alloc_count(void)
{
    atomic_store(&live, 0);
    atomic_store(&peak, 0);
}

long long failing_alloc_peak(void)
{
    return atomic_load(&peak);
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *p, size_t size);
int __real_posix_memalign(void **p, size_t align, size_t size);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *p, size_t size);
int __wrap_posix_memalign(void **p, size_t align, size_t size);
void __wrap_free(void *p);

/* p is there now, instead of so many bytes; NULL: nothing is. */
static void *add(void *p, size_t before)
{
    long long more = (p ? (long long)malloc_usable_size(p) : 0) - (long long)before;
    long long now = atomic_fetch_add(&live, more) + more;
    long long most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now))
        continue;
    return p;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : add(__real_malloc(size), 0);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : add(__real_calloc(count, size), 0);
}

void *__wrap_realloc(void *p, size_t size)
{
    if (fails())
        return NULL;
    size_t before = p ? malloc_usable_size(p) : 0;
    void *to = __real_realloc(p, size);
    return to ? add(to, before) : NULL;
}

int __wrap_posix_memalign(void **p, size_t align, size_t size)
{
    int e = fails() ? ENOMEM : __real_posix_memalign(p, align, size);
    if (e == 0)
        (void)add(*p, 0);
    return e;
}

void __wrap_free(void *p)
{
    if (p)
        (void)add(NULL, malloc_usable_size(p));
    __real_free(p);
}
