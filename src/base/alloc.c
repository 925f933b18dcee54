#include "config.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

static int size_of(size_t count, size_t size, size_t *bytes)
{
    if (size && count > SIZE_MAX / 2 / size)
        return 0;
    *bytes = count * size;
    if (*bytes == 0)
        *bytes = 1;
    return 1;
}

static void no_memory(size_t count, size_t size, const char *what, rc_err_t *err)
{
    rc_fail(err, RC_ENOMEM, "no memory for %s: %zu x %zu bytes", what, count, size);
}

/* Large arrays are mapped afresh, and touching them costs a fault per page: ask for large pages.
 * Only advice; where it is not taken nothing else changes. */
static void *advise(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    enum { large = 1 << 23, page = 1 << 12 };
    if (p && bytes >= large) {
        uintptr_t first = ((uintptr_t)p + page - 1) & ~(uintptr_t)(page - 1);
        uintptr_t last = ((uintptr_t)p + bytes) & ~(uintptr_t)(page - 1);
        (void)madvise((void *)first, last - first, MADV_HUGEPAGE);
    }
#else
    (void)bytes;
#endif
    return p;
}

void *rc_alloc(size_t count, size_t size, const char *what, rc_err_t *err)
{
    size_t bytes;
    void *p = size_of(count, size, &bytes) ? advise(malloc(bytes), bytes) : NULL;
    if (!p)
        no_memory(count, size, what, err);
    return p;
}

void *rc_alloc0(size_t count, size_t size, const char *what, rc_err_t *err)
{
    size_t bytes;
    void *p = size_of(count, size, &bytes) ? calloc(1, bytes) : NULL;
    if (!p)
        no_memory(count, size, what, err);
    return p;
}

void *rc_alloc_aligned(size_t count, size_t size, const char *what, rc_err_t *err)
{
    enum { align = 64 };
    size_t bytes;
    void *p = NULL;
    if (size_of(count, size, &bytes) && posix_memalign(&p, align, bytes) != 0)
        p = NULL;
    if (!p)
        no_memory(count, size, what, err);
    return p;
}

rc_status_t rc_grow(
    void *array, size_t *capacity, size_t need, size_t size, const char *what, rc_err_t *err)
{
    void *p;
    memcpy(&p, array, sizeof p); /* a pointer of another type may not be looked at as this one */
    if (need <= *capacity && p)
        return RC_OK;
    size_t want = *capacity + *capacity / 2;
    if (want < need)
        want = need;
    if (want < 16)
        want = 16;
    size_t bytes;
    p = size_of(want, size, &bytes) ? realloc(p, bytes) : NULL;
    if (!p) {
        no_memory(want, size, what, err);
        return RC_ENOMEM;
    }
    memcpy(array, &p, sizeof p);
    *capacity = want;
    return RC_OK;
}

/* The number behind a word in a file of the system, of "" its first one; `missing` when there is
 * none ("max" in a control group means no limit). */
static int64_t number_in(const char *path, const char *word, int64_t missing)
{
    char line[128];
    int64_t value;
    int64_t found = missing;
    size_t n = strlen(word);
    FILE *f = fopen(path, "r");
    while (f && found == missing && fgets(line, sizeof line, f))
        if (strncmp(line, word, n) == 0 && sscanf(line + n, " %" SCNd64, &value) == 1)
            found = value;
    if (f)
        fclose(f);
    return found;
}

/* What a control group leaves; page cache that can be dropped counts as free. */
static int64_t left_in_group(const char *group)
{
    char path[512];
    snprintf(path, sizeof path, "/sys/fs/cgroup%.400s/memory.max", group);
    int64_t limit = number_in(path, "", INT64_MAX);
    snprintf(path, sizeof path, "/sys/fs/cgroup%.400s/memory.current", group);
    int64_t used = number_in(path, "", INT64_MAX);
    if (limit == INT64_MAX || used == INT64_MAX)
        return INT64_MAX;
    snprintf(path, sizeof path, "/sys/fs/cgroup%.400s/memory.stat", group);
    used -= number_in(path, "inactive_file ", 0);
    return limit > used ? limit - used : 0;
}

/* The group of the process and all groups above it: a batch job's limit is usually in the middle.
 */
static int64_t left_in_groups(void)
{
    char line[512];
    char group[400] = "";
    int64_t left = left_in_group("");
    FILE *f = fopen("/proc/self/cgroup", "r");
    if (!f)
        return left;
    while (fgets(line, sizeof line, f))
        if (strncmp(line, "0::/", 4) == 0 && strlen(line) < sizeof group)
            snprintf(group, sizeof group, "%.*s", (int)strcspn(line + 3, "\n"), line + 3);
    fclose(f);
    while (group[0]) {
        int64_t here = left_in_group(group);
        left = here < left ? here : left;
        char *slash = strrchr(group, '/');
        if (!slash)
            break;
        *slash = '\0';
    }
    return left;
}

/* Bytes that the process has mapped: all of them, and the writable private ones. */
static void mapped(int64_t *all, int64_t *data)
{
    int64_t pages[6] = {0}; /* size, resident, shared, text, library, data */
    int64_t page = sysconf(_SC_PAGESIZE);
    FILE *f = fopen("/proc/self/statm", "r");
    for (int i = 0; f && i < 6; i++)
        if (fscanf(f, "%" SCNd64, &pages[i]) != 1)
            pages[i] = 0;
    if (f)
        fclose(f);
    *all = pages[0] * page;
    *data = pages[5] * page;
}

static int64_t left_of(int resource, int64_t used)
{
    struct rlimit r;
    if (getrlimit(resource, &r) != 0 || r.rlim_cur == RLIM_INFINITY || r.rlim_cur > INT64_MAX)
        return INT64_MAX;
    return (int64_t)r.rlim_cur > used ? (int64_t)r.rlim_cur - used : 0;
}

/* What ulimit -v and -d leave. */
static int64_t left_in_limits(void)
{
    int64_t all;
    int64_t data;
    mapped(&all, &data);
    int64_t v = left_of(RLIMIT_AS, all);
    int64_t d = left_of(RLIMIT_DATA, data);
    return v < d ? v : d;
}

int64_t rc_memory_available(void)
{
    int64_t left = rc_sat_mul(number_in("/proc/meminfo", "MemAvailable:", INT64_MAX), 1024);
    int64_t group = left_in_groups();
    int64_t limits = left_in_limits();
    left = group < left ? group : left;
    return limits < left ? limits : left;
}

static void *pool_take(
    rc_pool_t *p, size_t count, size_t size, void *get(size_t, size_t, const char *, rc_err_t *))
{
    void *made = NULL;
    if (!p->failed && RC_GROW(p->block, p->capacity, p->blocks + 1, "", NULL) == RC_OK)
        made = get(count, size, "", NULL);
    if (made) {
        p->block[p->blocks++] = made;
    } else if (!p->failed) {
        p->failed = 1;
        p->count = count;
        p->size = size;
    }
    return made;
}

void *rc_pool_get(rc_pool_t *p, size_t count, size_t size)
{
    return pool_take(p, count, size, rc_alloc);
}

void *rc_pool_get0(rc_pool_t *p, size_t count, size_t size)
{
    return pool_take(p, count, size, rc_alloc0);
}

void *rc_pool_get_aligned(rc_pool_t *p, size_t count, size_t size)
{
    return pool_take(p, count, size, rc_alloc_aligned);
}

rc_status_t rc_pool_check(const rc_pool_t *p, const char *what, rc_err_t *err)
{
    if (p->failed)
        no_memory(p->count, p->size, what, err);
    return p->failed ? RC_ENOMEM : RC_OK;
}

void rc_pool_free(rc_pool_t *p)
{
    for (size_t i = 0; i < p->blocks; i++)
        free(p->block[i]);
    free(p->block);
    *p = (rc_pool_t){0};
}

int64_t rc_sat_add(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

int64_t rc_sat_mul(int64_t a, int64_t b)
{
    return b && a > INT64_MAX / b ? INT64_MAX : a * b;
}
