#include "config.h"
#include "dropin/heard.h"

#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

/* There is one in a process, as there is one host. */
static struct pieces {
    pthread_mutex_t lock;
    rc_heard_t *at; /* [RC_HEARD_PIECES] */
    int failed;
    unsigned char used[RC_HEARD_PIECES];
    unsigned char awaited[RC_HEARD_PIECES];
} pieces = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void begin(void)
{
    void *memory = NULL;
    void *there = NULL;
    cudaError_t e = cudaHostAlloc(
        &memory, RC_HEARD_PIECES * sizeof *pieces.at, cudaHostAllocMapped | cudaHostAllocPortable);
    if (e == cudaSuccess)
        e = cudaHostGetDevicePointer(&there, memory, 0);
    /* one address serves all devices and the host, as it has for long on 64 bits */
    pieces.failed = e != cudaSuccess || there != memory;
    if (e != cudaSuccess)
        (void)cudaGetLastError();
    if (pieces.failed && memory && cudaFreeHost(memory) != cudaSuccess)
        (void)cudaGetLastError();
    pieces.at = pieces.failed ? NULL : memory;
}

void rc_heard_lost(void)
{
    (void)pthread_mutex_lock(&pieces.lock);
    pieces.at = NULL;
    pieces.failed = 0;
    memset(pieces.used, 0, sizeof pieces.used);
    memset(pieces.awaited, 0, sizeof pieces.awaited);
    (void)pthread_mutex_unlock(&pieces.lock);
}

/* 1: a piece of the memory that there is. */
static int is_there(const rc_heard_t *h)
{
    const uintptr_t at = (uintptr_t)pieces.at;
    return pieces.at && (uintptr_t)h >= at && (uintptr_t)h < at + RC_HEARD_PIECES * sizeof *h;
}

rc_heard_t *rc_heard_new(int awaited)
{
    rc_heard_t *h = NULL;
    (void)pthread_mutex_lock(&pieces.lock);
    if (!pieces.at && !pieces.failed)
        begin();
    for (int i = 0; pieces.at && !h && i < RC_HEARD_PIECES; i++)
        if (!pieces.used[i] && (!pieces.awaited[i] || pieces.at[i].summed)) {
            pieces.used[i] = 1;
            pieces.awaited[i] = (unsigned char)awaited;
            h = &pieces.at[i];
            *h = (rc_heard_t){.equal = 0};
        }
    (void)pthread_mutex_unlock(&pieces.lock);
    return h;
}

int rc_heard_number(const rc_heard_t *h)
{
    (void)pthread_mutex_lock(&pieces.lock);
    const int number = is_there(h) ? (int)(h - pieces.at) : 0;
    (void)pthread_mutex_unlock(&pieces.lock);
    return number;
}

void rc_heard_free(rc_heard_t *h)
{
    if (!h)
        return;
    (void)pthread_mutex_lock(&pieces.lock);
    if (is_there(h))
        pieces.used[h - pieces.at] = 0;
    (void)pthread_mutex_unlock(&pieces.lock);
}
