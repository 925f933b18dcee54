#include "config.h"
#include "catalog/fetch_check.h"
#include "base/alloc.h"
#include "base/error.h"
#include "catalog/fetch_text.h"
#include "io/file.h"
#include "catalog/list.h"
#include "io/mtx.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------- one file */

static rc_status_t compare(rc_check_t *c, const rc_mtx_counts_t *found, rc_err_t *err)
{
    const rc_entry_t *e = c->entry;
    c->rows = found->rows;
    c->cols = found->cols;
    c->entries = found->expanded;
    if (found->rows == e->rows && found->cols == e->cols &&
        (found->expanded == e->pattern_nnz || found->expanded == e->nnz))
        return RC_OK;
    return rc_fail(err, RC_EFORMAT,
        "another matrix: the catalogue has %" PRId64 " x %" PRId64 " with %" PRId64
        " entries, the file %" PRId64 " x %" PRId64 " with %" PRId64,
        e->rows, e->cols, e->pattern_nnz, found->rows, found->cols, found->expanded);
}

void rc_check_file(rc_check_t *c, int threads, int (*stop)(void *), void *arg)
{
    rc_mtx_counts_t found;
    const char *slash = strrchr(c->path, '/');
    rc_mtx_limits_t limits = {.label = slash ? slash + 1 : c->path, .stop = stop, .stop_arg = arg};
    char label[300];
    if (c->is_archive) {
        limits.name = rc_entry_short_name(c->entry);
        limits.member_bytes = limits.total_bytes = rc_archive_most_bytes(c->entry);
        snprintf(label, sizeof label, "%.200s.tar.gz", limits.name);
        limits.label = label;
    }
    c->err = (rc_err_t){.status = RC_OK};
    c->status = rc_mtx_count(c->path, threads, &limits, &found, &c->err);
    if (c->status == RC_OK)
        c->status = compare(c, &found, &c->err);
    if (c->status == RC_OK)
        c->status = rc_file_digest(c->path, &c->digest, &c->bytes, &c->mtime_ns, &c->err);
    else if (c->status == RC_ERANGE)
        c->status = RC_EFORMAT;
}

/* ------------------------------------------------------------------- the thread */

struct rc_checker {
    pthread_t thread;
    int has_thread;
    int threads;
    pthread_mutex_t mutex; /* of everything below */
    pthread_cond_t asked;
    rc_check_t *first; /* questions */
    rc_check_t *last;
    rc_check_t *answered;
    int stopping;
};

static int is_stopping(void *arg)
{
    rc_checker_t *k = arg;
    pthread_mutex_lock(&k->mutex);
    int stopping = k->stopping;
    pthread_mutex_unlock(&k->mutex);
    return stopping;
}

static void *answer(void *arg)
{
    rc_checker_t *k = arg;
    pthread_mutex_lock(&k->mutex);
    for (;;) {
        while (!k->first && !k->stopping)
            pthread_cond_wait(&k->asked, &k->mutex);
        if (!k->first)
            break;
        rc_check_t *c = k->first;
        k->first = c->next;
        k->last = k->first ? k->last : NULL;
        if (k->stopping)
            c->status = rc_fail(&c->err, RC_EINTR, "asked to stop");
        else {
            pthread_mutex_unlock(&k->mutex);
            rc_check_file(c, k->threads, is_stopping, k);
            pthread_mutex_lock(&k->mutex);
        }
        c->next = k->answered;
        k->answered = c;
    }
    pthread_mutex_unlock(&k->mutex);
    return NULL;
}

rc_status_t rc_checker_open(int threads, rc_checker_t **out, rc_err_t *err)
{
    rc_checker_t *k = rc_alloc0(1, sizeof *k, "a thread that checks", err);
    if (!k)
        return RC_ENOMEM;
    k->threads = threads;
    if (pthread_mutex_init(&k->mutex, NULL) != 0) {
        free(k);
        return rc_fail(err, RC_ENOMEM, "no memory for a lock");
    }
    if (pthread_cond_init(&k->asked, NULL) != 0) {
        pthread_mutex_destroy(&k->mutex);
        free(k);
        return rc_fail(err, RC_ENOMEM, "no memory for a lock");
    }
    k->has_thread = pthread_create(&k->thread, NULL, answer, k) == 0;
    *out = k;
    return RC_OK;
}

void rc_checker_ask(rc_checker_t *k, rc_check_t *c)
{
    c->next = NULL;
    if (!k->has_thread) { /* none could be had: do it now */
        rc_check_file(c, k->threads, is_stopping, k);
        c->next = k->answered;
        k->answered = c;
        return;
    }
    pthread_mutex_lock(&k->mutex);
    if (k->last)
        k->last->next = c;
    else
        k->first = c;
    k->last = c;
    pthread_cond_signal(&k->asked);
    pthread_mutex_unlock(&k->mutex);
}

rc_check_t *rc_checker_take(rc_checker_t *k)
{
    pthread_mutex_lock(&k->mutex);
    rc_check_t *c = k->answered;
    if (c)
        k->answered = c->next;
    pthread_mutex_unlock(&k->mutex);
    return c;
}

void rc_checker_stop(rc_checker_t *k)
{
    pthread_mutex_lock(&k->mutex);
    k->stopping = 1;
    pthread_cond_broadcast(&k->asked);
    pthread_mutex_unlock(&k->mutex);
}

void rc_checker_close(rc_checker_t *k)
{
    if (!k)
        return;
    rc_checker_stop(k);
    if (k->has_thread)
        pthread_join(k->thread, NULL);
    pthread_cond_destroy(&k->asked);
    pthread_mutex_destroy(&k->mutex);
    free(k);
}
