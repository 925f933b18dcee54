#include "config.h"
#include "store/watch.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"
#include "base/outcome.h"
#include "base/str.h"
#include "store/dict.h"
#include "store/held.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What a store holds, as far as a successor must have it. */
typedef struct mark {
    rc_dict_t runs;
    int64_t results;
} mark_t;

struct rc_watch {
    char *path;
    int fd;             /* -1: there is no store */
    int fresh;          /* 1: the mark is still that of the file before */
    int64_t changed_ns; /* when the file had last been written as the mark was read: it may be
                           written in place */
    mark_t mark;
    int64_t first; /* results when watching began */
};

static void mark_free(mark_t *m)
{
    free(m->runs.rows);
    rc_map_free(&m->runs.index);
}

/* Free with mark_free, on failure too. */
static rc_status_t read_mark(const char *path, mark_t *out, rc_err_t *err)
{
    rc_h5_t h;
    *out = (mark_t){.runs = {.table = &rc_schema[RC_T_RUN]}};
    RC_PASS(rc_h5_open(path, 0, &h, err));
    rc_status_t st = rc_dict_read(&out->runs, &h, err);
    if (st == RC_OK)
        st = rc_h5_rows(&h, &rc_schema[RC_T_RESULT], &out->results, err);
    return rc_h5_closed(st, &h, err);
}

static int is_successor(const mark_t *next, const mark_t *m)
{
    const rc_row_run_t *run = m->runs.rows;
    int is = next->results >= m->results;
    for (size_t i = 0; is && i < m->runs.count; i++)
        is = rc_dict_find(&next->runs, &run[i]) >= 0;
    return is;
}

static int64_t changed_ns(int fd)
{
    struct stat s;
    return fstat(fd, &s) == 0 ? (int64_t)s.st_mtim.tv_sec * 1000000000 + s.st_mtim.tv_nsec : -1;
}

/* Watch the file that is under the name now, if it holds what the one before did. */
static rc_status_t take(rc_watch_t *w, rc_err_t *err)
{
    enum { attempts = 20 };
    for (int i = 0; i < attempts; i++) {
        mark_t m;
        int fd;
        rc_status_t st = rc_open_file(w->path, RC_OPEN_GIVEN, 0, &fd, err);
        if (st == RC_ENOENT && w->fd < 0 && w->mark.results == 0)
            return RC_OK;
        if (st < 0)
            return RC_EIO;
        int64_t changed = changed_ns(fd);
        st = read_mark(w->path, &m, err);
        int stayed = st == RC_OK && rc_held_is(fd, w->path);
        int is = stayed && is_successor(&m, &w->mark);
        mark_t *old = is ? &w->mark : &m;
        int left = is ? w->fd : fd;
        mark_free(old);
        if (left >= 0)
            close(left);
        if (is) {
            w->mark = m;
            w->fd = fd;
            w->fresh = 0;
            w->changed_ns = changed;
        }
        if (is || st < 0)
            return st;
        if (stayed)
            return rc_fail(err, RC_EIO,
                "%s: was replaced while it was in use: expected its %zu runs and %" PRId64
                " results or more, found another store",
                w->path, w->mark.runs.count, w->mark.results);
    }
    return rc_fail(err, RC_EBUSY, "%s: is replaced again and again", w->path);
}

rc_status_t rc_watch_open(const char *path, int64_t results, rc_watch_t **out, rc_err_t *err)
{
    rc_watch_t *w = rc_alloc0(1, sizeof *w, "watching the store", err);
    RC_PASS(w ? RC_OK : RC_ENOMEM);
    w->fd = -1;
    w->mark = (mark_t){.runs = {.table = &rc_schema[RC_T_RUN]}, .results = results};
    w->path = rc_strdup(path, err);
    rc_status_t st = w->path ? take(w, err) : RC_ENOMEM;
    if (st < 0) {
        rc_watch_close(w);
        return st;
    }
    w->first = w->mark.results;
    *out = w;
    return RC_OK;
}

void rc_watch_close(rc_watch_t *w)
{
    if (!w)
        return;
    if (w->fd >= 0)
        close(w->fd);
    mark_free(&w->mark);
    free(w->path);
    free(w);
}

void rc_watch_hold(rc_watch_t *w, int fd)
{
    if (w->fd >= 0)
        close(w->fd);
    w->fd = fd;
    w->fresh = 1;
}

rc_status_t rc_watch_check(rc_watch_t *w, rc_err_t *err)
{
    if (w->fd >= 0 && !w->fresh && rc_held_is(w->fd, w->path) && changed_ns(w->fd) == w->changed_ns)
        return RC_OK;
    if (w->fd >= 0 && access(w->path, F_OK) != 0)
        return rc_held_check(w->fd, w->path, err);
    return take(w, err);
}

/* Rows of a run among the n results from `first` on. */
static rc_status_t count_results(
    const rc_h5_t *h, int64_t first, int64_t n, int64_t run, int64_t *count, rc_err_t *err)
{
    rc_row_result_t *row = rc_alloc((size_t)n, sizeof *row, "results of the run", err);
    RC_PASS(row ? RC_OK : RC_ENOMEM);
    rc_status_t st = rc_h5_read_rows(h, &rc_schema[RC_T_RESULT], first, n, row, err);
    for (int64_t i = 0; i < n && st == RC_OK; i++)
        *count += row[i].run == run && row[i].seq >= 0;
    free(row);
    return st;
}

static rc_status_t count_sources(const rc_h5_t *h, int64_t run, int64_t *count, rc_err_t *err)
{
    void *rows = NULL;
    int64_t n = 0;
    rc_status_t st = rc_h5_read(h, &rc_schema[RC_T_SOURCE], &rows, &n, err);
    const rc_row_source_t *row = rows;
    for (int64_t i = 0; i < n && st == RC_OK; i++)
        *count += row[i].run == run && row[i].status != RC_CASE_CRASHED;
    free(rows);
    return st;
}

rc_status_t rc_watch_count(
    const rc_watch_t *w, const char *uuid, int64_t *results, int64_t *sources, rc_err_t *err)
{
    rc_h5_t h;
    rc_row_run_t row;
    *results = *sources = 0;
    RC_PASS(rc_field_set(row.uuid, sizeof row.uuid, uuid, "identity of a run", err));
    int64_t run = w->fd < 0 ? -1 : rc_dict_find(&w->mark.runs, &row);
    if (run < 0)
        return RC_OK;
    RC_PASS(rc_h5_open(w->path, 0, &h, err));
    rc_status_t st = count_results(&h, w->first, w->mark.results - w->first, run, results, err);
    if (st == RC_OK)
        st = count_sources(&h, run, sources, err);
    return rc_h5_closed(st, &h, err);
}

rc_status_t rc_watch_save(const rc_watch_t *w, const char *to, int *saved, rc_err_t *err)
{
    *saved = 0;
    if (w->fd < 0 || rc_held_is(w->fd, w->path))
        return RC_OK;
    rc_status_t st = rc_held_save(w->fd, w->path, to, err);
    *saved = st == RC_OK;
    return st;
}
