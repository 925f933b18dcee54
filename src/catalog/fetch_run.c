#include "config.h"
#include "catalog/fetch_private.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "catalog/list.h"
#include "io/file.h"
#include "io/mtx.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    check_threads = 4,
    hopeless = 10 /* archives in a row that failed without a word from the server */
};

/* How it ends for an archive; AGAIN: it does not yet. */
typedef enum outcome { AGAIN = -1, THERE = 0, FETCHED, FAILED, LEFT, OUTCOMES } outcome_t;

typedef struct run {
    rc_fetch_t *f;
    const rc_fetch_config_t *config;
    const rc_log_t *log;
    rc_manifest_t *manifest;
    int64_t matrices;
    int64_t count[OUTCOMES];
    int64_t start_ns;
    int64_t done_bytes;  /* of archives that came */
    int64_t rest_bytes;  /* estimated, of archives whose turn has not come */
    int64_t rest;        /* how many they are */
    int64_t unreachable; /* in a row */
    int given_up;        /* the server cannot be reached, or wants to be left alone */
    int refused;         /* it is the latter */
} run_t;

/* The archive in hand. */
typedef struct item {
    run_t *run;
    const rc_entry_t *entry;
    rc_fetch_part_t part;
    rc_download_t download;
    rc_check_t check;
    int is_old;      /* what is being checked was there before */
    int begun_again; /* what came in pieces was damaged: from the start */
} item_t;

static int64_t expected_bytes(const item_t *i)
{
    int64_t n =
        i->part.total >= 0 && i->part.bytes > 0 ? i->part.total : rc_archive_estimate(i->entry);
    return n > i->part.bytes ? n : i->part.bytes;
}

static void report(const item_t *i)
{
    const run_t *r = i->run;
    const rc_fetch_config_t *c = r->config;
    rc_fetch_progress_t p = {.matrices = r->matrices,
        .there = r->count[THERE],
        .fetched = r->count[FETCHED],
        .failed = r->count[FAILED],
        .bytes_done = r->done_bytes + i->part.bytes,
        .bytes_expected = r->done_bytes + expected_bytes(i) + r->rest_bytes,
        .left_s = NAN};
    if (!c->progress)
        return;
    double elapsed = (double)(rc_clock_ns() - r->start_ns) * 1e-9;
    p.bytes_per_s = elapsed > 0 ? (double)r->f->received / elapsed : 0;
    if (p.bytes_per_s > 0 && elapsed > 1) {
        double by_rate = c->rate > 0 ? (double)r->rest / c->rate : 0;
        p.left_s = fmax((double)(p.bytes_expected - p.bytes_done) / p.bytes_per_s, by_rate);
    }
    c->progress(c->arg, &p);
}

/* ------------------------------------------------------------------------- ends */

static outcome_t fail(item_t *i, const char *text)
{
    rc_log(i->run->log, RC_LOG_ERROR, "fetch", "%s: %s", i->entry->name, text);
    rc_fetch_part_pause(&i->part);
    return FAILED;
}

/* The file is right: it gets its name, and a line in the manifest. */
static outcome_t accept(item_t *i)
{
    run_t *r = i->run;
    rc_err_t err = {0};
    rc_status_t st = RC_OK;
    if (!i->is_old)
        st = rc_fetch_part_finish(&i->part, 0, &err);
    char *file = i->is_old ? rc_strdup(rc_fetch_file(r->f, i->entry), &err)
                           : rc_strf("a file name", &err, "%s.tar.gz", i->entry->name);
    rc_manifest_line_t line = i->check.line;
    line.name = i->entry->name;
    line.file = file;
    line.url = i->is_old ? "" : i->part.url;
    const rc_manifest_line_t *before = rc_manifest_find(r->manifest, line.name);
    if (i->is_old && before && file && strcmp(before->file, file) == 0)
        line.url = before->url; /* it is the same file, read again */
    if (st == RC_OK)
        st = file ? rc_manifest_add(r->manifest, &line, &err) : RC_ENOMEM;
    free(file);
    if (st < 0)
        return fail(i, err.text);
    rc_log(r->log, RC_LOG_DEBUG, "fetch", "%s: %s, %" PRId64 " bytes", i->entry->name,
        i->is_old ? "is right" : "fetched", line.bytes);
    return i->is_old ? THERE : FETCHED;
}

/* ------------------------------------------------------------------------ check */

static rc_status_t compare(rc_check_t *c, const rc_mtx_counts_t *found, rc_err_t *err)
{
    const rc_entry_t *e = c->entry;
    c->line.rows = found->rows;
    c->line.cols = found->cols;
    c->line.entries = found->expanded;
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
        limits.source =
            (rc_source_limits_t){rc_entry_short_name(c->entry), rc_archive_most_bytes(c->entry)};
        snprintf(label, sizeof label, "%.200s.tar.gz", limits.source.name);
        limits.label = label;
    }
    c->err = (rc_err_t){.status = RC_OK};
    c->status = rc_mtx_count(c->path, threads, &limits, &found, &c->err);
    if (c->status == RC_OK)
        c->status = compare(c, &found, &c->err);
    if (c->status == RC_OK)
        c->status =
            rc_file_digest(c->path, &c->line.digest, &c->line.bytes, &c->line.mtime_ns, &c->err);
    else if (c->status == RC_ERANGE)
        c->status = RC_EFORMAT;
}

static int stop(void *sink)
{
    const item_t *i = sink;
    report(i);
    return rc_fetch_stopping(i->run->f);
}

static void check(item_t *i, int is_old)
{
    i->is_old = is_old;
    i->check = (rc_check_t){.entry = i->entry,
        .path = is_old ? i->entry->location : i->part.path,
        .is_archive = !is_old || strstr(rc_fetch_file(i->run->f, i->entry), ".tar.gz") != NULL};
    rc_check_file(&i->check, check_threads, stop, i);
}

/* What was there is not what it should be.  An archive is replaced, in the end by a rename; of
 * another form the user has to decide, for it hides the archive. */
static outcome_t reject_old(item_t *i)
{
    const rc_check_t *c = &i->check;
    char text[sizeof c->err.text];
    snprintf(text, sizeof text, "%.200s is there: %.280s", i->entry->location, c->err.text);
    if (c->status != RC_EFORMAT)
        return fail(i, text);
    if (!c->is_archive) {
        rc_log(i->run->log, RC_LOG_ERROR, "fetch", "%s: remove it, then it can be downloaded",
            i->entry->location);
        return fail(i, text);
    }
    rc_log(i->run->log, RC_LOG_WARN, "fetch", "%s: %s: downloading it again", i->entry->name, text);
    rc_fetch_part_discard(&i->part);
    return AGAIN;
}

static outcome_t check_old(item_t *i)
{
    run_t *r = i->run;
    const rc_manifest_line_t *l = rc_manifest_find(r->manifest, i->entry->name);
    check(i, 1);
    if (i->check.status == RC_EINTR)
        return LEFT;
    if (i->check.status == RC_OK && r->config->verify && l &&
        strcmp(l->file, rc_fetch_file(r->f, i->entry)) == 0 &&
        rc_digest_compare(&l->digest, &i->check.line.digest) != 0)
        i->check.status = rc_fail(&i->check.err, RC_EFORMAT,
            "its digest is not that of the manifest: it was changed since");
    return i->check.status == RC_OK ? accept(i) : reject_old(i);
}

static outcome_t check_new(item_t *i)
{
    check(i, 0);
    const rc_check_t *c = &i->check;
    if (c->status == RC_EINTR)
        return LEFT;
    if (c->status == RC_OK)
        return accept(i);
    int pieces = i->part.pieces;
    if (c->status == RC_EFORMAT)
        rc_fetch_part_discard(&i->part);
    if (c->status == RC_EFORMAT && pieces && !i->begun_again) {
        rc_log(i->run->log, RC_LOG_INFO, "fetch",
            "%s: what came in pieces is damaged (%s): once more", i->entry->name, c->err.text);
        i->begun_again = 1;
        return AGAIN;
    }
    return fail(i, c->err.text);
}

/* --------------------------------------------------------------------- transfers */

static outcome_t transfer(item_t *i)
{
    run_t *r = i->run;
    rc_download_t *d = &i->download;
    rc_err_t err = {0};
    char tries[40] = "";
    char text[sizeof err.text];
    int is_same;
    rc_status_t st = rc_fetch_download(d, &is_same, &err);
    if (d->reached)
        r->unreachable = 0;
    if (st == RC_OK)
        return check_new(i);
    if (st == RC_EINTR && d->busy) {
        rc_log(r->log, RC_LOG_ERROR, "fetch", "%s", err.text);
        r->given_up = r->refused = 1;
    }
    if (st == RC_EINTR)
        return LEFT;
    if (d->exhausted)
        snprintf(tries, sizeof tries, " (tried %d times)", d->tries + 1);
    snprintf(text, sizeof text, "%.300s%s: %.150s", err.text, tries, i->part.url);
    outcome_t end = fail(i, text);
    if (d->unreachable && ++r->unreachable >= hopeless) {
        rc_log(r->log, RC_LOG_ERROR, "fetch",
            "the server could not be reached for %d archives in a row: the run ends here",
            hopeless);
        r->given_up = 1;
    }
    return end;
}

/* --------------------------------------------------------------------------- run */

static outcome_t take(item_t *i)
{
    run_t *r = i->run;
    outcome_t end = AGAIN;
    rc_err_t err = {0};
    if (rc_fetch_look(r->f, i->entry, &i->part, &err) < 0)
        return fail(i, err.text);
    i->download = (rc_download_t){.f = r->f,
        .what = i->entry->name,
        .request = {.part = &i->part,
            .most_bytes = rc_archive_most_bytes(i->entry),
            .tick = stop,
            .arg = i}};
    if (i->entry->where == RC_WHERE_FILE) {
        end = !r->config->verify && rc_fetch_is_known(r->f, r->manifest, i->entry) ? THERE
                                                                                   : check_old(i);
        if (end == THERE) /* what a kill after the rename left */
            rc_fetch_part_discard(&i->part);
    }
    while (end == AGAIN)
        end = transfer(i);
    if (end == FETCHED)
        r->done_bytes += i->check.line.bytes;
    return end;
}

static void run_all(run_t *r, const rc_catalog_t *c)
{
    for (int64_t k = 0; k < c->count; k++)
        if (c->entry[k].where != RC_WHERE_FILE) {
            r->rest_bytes += rc_archive_estimate(&c->entry[k]);
            r->rest++;
        }
    for (int64_t k = 0; k < c->count; k++) {
        item_t i = {.run = r, .entry = &c->entry[k], .part = {.fd = -1}};
        if (r->given_up || rc_fetch_stopping(r->f)) {
            r->count[LEFT]++;
            continue;
        }
        if (i.entry->where != RC_WHERE_FILE) {
            r->rest_bytes -= rc_archive_estimate(i.entry);
            r->rest--;
        }
        r->count[take(&i)]++;
        rc_fetch_part_free(&i.part);
    }
}

rc_status_t rc_fetch_run(
    rc_fetch_t *f, const rc_catalog_t *c, rc_fetch_result_t *out, rc_err_t *err)
{
    run_t r = {.f = f,
        .config = f->config,
        .log = f->config->log,
        .matrices = c->count,
        .start_ns = rc_clock_ns()};
    int64_t received = f->received;
    RC_PASS(rc_manifest_read(f->config->to, r.log, &r.manifest, err));
    run_all(&r, c);
    *out = (rc_fetch_result_t){.there = r.count[THERE],
        .fetched = r.count[FETCHED],
        .failed = r.count[FAILED],
        .left = r.count[LEFT],
        .received = f->received - received,
        .wall_s = (double)(rc_clock_ns() - r.start_ns) * 1e-9,
        .stopped = r.refused || (r.count[LEFT] > 0 && !r.given_up)};
    rc_manifest_free(r.manifest);
    return RC_OK;
}
