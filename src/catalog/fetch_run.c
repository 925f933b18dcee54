#include "config.h"
#include "catalog/fetch_private.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "catalog/fetch_check.h"
#include "catalog/fetch_text.h"
#include "catalog/list.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    enough_progress = 1 << 20, /* bytes that make a try count as a good one */
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
    rc_check_t check;
    int is_old; /* what is being checked was there before */
    int tries;  /* failed ones */
    int64_t tried_from;
    int pieces;      /* 1: what has come is of more than one transfer */
    int begun_again; /* it was, and was damaged: from the start */
    int mismatch;    /* the server sent another range than was asked for */
} item_t;

static int64_t expected_bytes(const item_t *i)
{
    int64_t n =
        i->part.total >= 0 && i->part.bytes > 0 ? i->part.total : rc_fetch_estimate(i->entry);
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
    p.bytes_per_s = elapsed > 0 ? (double)rc_http_received(r->f->http) / elapsed : 0;
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
    const rc_check_t *c = &i->check;
    rc_err_t err = {0};
    rc_str_t file = {0};
    rc_status_t st = RC_OK;
    if (!i->is_old)
        st = rc_fetch_part_finish(&i->part, 0, &err);
    if (i->is_old)
        rc_str_add(&file, rc_fetch_file(r->f, i->entry));
    else
        rc_str_addf(&file, "%s.tar.gz", i->entry->name);
    rc_manifest_line_t line = {.name = i->entry->name,
        .file = file.text,
        .url = i->is_old ? "" : i->part.url,
        .bytes = c->bytes,
        .mtime_ns = c->mtime_ns,
        .digest = c->digest,
        .rows = c->rows,
        .cols = c->cols,
        .entries = c->entries};
    const rc_manifest_line_t *before = rc_manifest_find(r->manifest, line.name);
    if (i->is_old && before && !file.failed && strcmp(before->file, file.text) == 0)
        line.url = before->url; /* it is the same file, read again */
    if (st == RC_OK)
        st = file.failed ? rc_fail(&err, RC_ENOMEM, "no memory for a file name")
                         : rc_manifest_add(r->manifest, &line, &err);
    rc_str_free(&file);
    if (st < 0)
        return fail(i, err.text);
    rc_log(r->log, RC_LOG_DEBUG, "fetch", "%s: %s, %" PRId64 " bytes", i->entry->name,
        i->is_old ? "is right" : "fetched", c->bytes);
    return i->is_old ? THERE : FETCHED;
}

/* Another try, or the end of them. */
static outcome_t retry(item_t *i, const rc_err_t *why, double retry_after_s)
{
    run_t *r = i->run;
    rc_fetch_part_pause(&i->part);
    if (i->part.bytes >= i->tried_from + enough_progress)
        i->tries = 0;
    rc_err_t end = {0};
    if (rc_fetch_may_return(i->entry->name, why, retry_after_s, &end) < 0) {
        rc_log(r->log, RC_LOG_ERROR, "fetch", "%s", end.text);
        r->given_up = r->refused = 1;
        return LEFT;
    }
    if (i->tries >= r->config->retries) {
        char text[sizeof why->text];
        snprintf(text, sizeof text, "%.300s (tried %d times): %.150s", why->text, i->tries + 1,
            i->part.url);
        return fail(i, text);
    }
    rc_fetch_back_off(r->f, i->entry->name, why, i->tries++, retry_after_s);
    return AGAIN;
}

/* ------------------------------------------------------------------------ check */

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
    i->pieces = 0;
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
        rc_digest_compare(&l->digest, &i->check.digest) != 0)
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
    if (c->status == RC_EFORMAT)
        rc_fetch_part_discard(&i->part);
    if (c->status == RC_EFORMAT && i->pieces && !i->begun_again) {
        rc_log(i->run->log, RC_LOG_INFO, "fetch",
            "%s: what came in pieces is damaged (%s): once more", i->entry->name, c->err.text);
        i->begun_again = 1;
        i->pieces = 0;
        return AGAIN;
    }
    return fail(i, c->err.text);
}

/* --------------------------------------------------------------------- transfers */

static rc_status_t begin(void *sink, const rc_http_head_t *head, rc_err_t *err)
{
    item_t *i = sink;
    rc_fetch_part_t *p = &i->part;
    char mark[RC_FETCH_MARK_MAX];
    memcpy(mark, head->mark[0] ? head->mark : p->mark, sizeof mark);
    if (head->status != 206) {
        i->pieces = 0;
        return rc_fetch_part_begin(p, 0, head->mark, head->total, err);
    }
    if (head->from != p->bytes || (p->total >= 0 && head->total >= 0 && head->total != p->total)) {
        i->mismatch = 1;
        return rc_fail(err, RC_EIO,
            "the server sends bytes from %" PRId64 " of %" PRId64 ", expected from %" PRId64
            " of %" PRId64,
            head->from, head->total, p->bytes, p->total);
    }
    i->pieces = 1;
    return rc_fetch_part_begin(p, p->bytes, mark, head->total >= 0 ? head->total : p->total, err);
}

static rc_status_t write_body(void *sink, const void *data, size_t n, rc_err_t *err)
{
    item_t *i = sink;
    return rc_fetch_part_write(&i->part, data, n, err);
}

/* The body came to its end, as far as the connection knows. */
static outcome_t have(item_t *i, const rc_http_reply_t *reply)
{
    const rc_fetch_part_t *p = &i->part;
    rc_err_t err;
    rc_fetch_part_pause(&i->part);
    if (p->total < 0 || p->bytes == p->total)
        return check_new(i);
    rc_fail(&err, RC_EIO, "%" PRId64 " of %" PRId64 " bytes came", p->bytes, p->total);
    return retry(i, &err, reply->head.retry_after_s);
}

/* There is nothing behind what has come: it is complete, or of something else. */
static outcome_t range_refused(item_t *i, const rc_http_reply_t *reply)
{
    rc_err_t err;
    if (i->part.bytes > 0 && (reply->head.total == i->part.bytes || i->part.total == i->part.bytes))
        return check_new(i);
    rc_fail(&err, RC_EIO, "the server does not have the rest");
    rc_fetch_part_discard(&i->part);
    i->pieces = 0;
    return retry(i, &err, reply->head.retry_after_s);
}

static outcome_t failed(item_t *i, const rc_http_reply_t *reply, const rc_err_t *why)
{
    char text[sizeof why->text];
    if (reply->end == RC_HTTP_REFUSED && why->status == RC_EFORMAT)
        rc_fetch_part_discard(&i->part); /* it sends without end */
    snprintf(text, sizeof text, "%.300s: %.150s", why->text, i->part.url);
    return fail(i, text);
}

static outcome_t replied(item_t *i, const rc_http_reply_t *reply)
{
    rc_err_t why = {0};
    rc_fetch_answer_t a = rc_fetch_judge(reply, &why);
    if (i->mismatch) {
        rc_fetch_part_discard(&i->part);
        a = RC_ANSWER_RETRY;
    }
    switch (a) {
    case RC_ANSWER_HAVE:
        return have(i, reply);
    case RC_ANSWER_RANGE:
        return range_refused(i, reply);
    case RC_ANSWER_FAIL:
        return failed(i, reply, &why);
    case RC_ANSWER_SAME:
        rc_fail(&why, RC_EIO, "the server answers 304 Not Modified, which was not asked");
        break;
    case RC_ANSWER_RETRY:
        break;
    }
    return retry(i, &why, reply->head.retry_after_s);
}

/* Servers that are never there end the run. */
static void count_unreachable(run_t *r, const rc_http_reply_t *reply, outcome_t end)
{
    if (!reply->unreachable)
        r->unreachable = 0;
    else if (end == FAILED && ++r->unreachable >= hopeless) {
        rc_log(r->log, RC_LOG_ERROR, "fetch",
            "the server could not be reached for %d archives in a row: the run ends here",
            hopeless);
        r->given_up = 1;
    }
}

static outcome_t try_once(item_t *i)
{
    run_t *r = i->run;
    rc_err_t err = {0};
    rc_http_reply_t reply;
    if (i->part.bytes > 0 && i->part.bytes == i->part.total)
        return check_new(i); /* a kill came between its last byte and the check */
    rc_http_request_t q = {.url = i->part.url,
        .from = i->part.bytes,
        .mark = i->part.bytes > 0 ? i->part.mark : NULL,
        .most_bytes = rc_archive_most_bytes(i->entry),
        .begin = begin,
        .write = write_body,
        .tick = stop,
        .sink = i};
    i->tried_from = i->part.bytes;
    i->mismatch = 0;
    rc_status_t st = rc_fetch_ask(r->f, &q, &reply, &err);
    if (st < 0)
        return st == RC_EINTR ? LEFT : fail(i, err.text);
    outcome_t end = replied(i, &reply);
    count_unreachable(r, &reply, end);
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
    i->pieces = i->part.bytes > 0;
    if (i->entry->where == RC_WHERE_FILE) {
        end = !r->config->verify && rc_fetch_is_known(r->f, r->manifest, i->entry) ? THERE
                                                                                   : check_old(i);
        if (end == THERE) /* what a kill after the rename left */
            rc_fetch_part_discard(&i->part);
    }
    while (end == AGAIN)
        end = rc_fetch_stopping(r->f) ? LEFT : try_once(i);
    if (end == FETCHED)
        r->done_bytes += i->check.bytes;
    return end;
}

static void run_all(run_t *r, const rc_catalog_t *c)
{
    for (int64_t k = 0; k < c->count; k++)
        if (c->entry[k].where != RC_WHERE_FILE) {
            r->rest_bytes += rc_fetch_estimate(&c->entry[k]);
            r->rest++;
        }
    for (int64_t k = 0; k < c->count; k++) {
        item_t i = {.run = r, .entry = &c->entry[k], .part = {.fd = -1}};
        if (r->given_up || rc_fetch_stopping(r->f)) {
            r->count[LEFT]++;
            continue;
        }
        if (i.entry->where != RC_WHERE_FILE) {
            r->rest_bytes -= rc_fetch_estimate(i.entry);
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
    int64_t received = rc_http_received(f->http);
    RC_PASS(rc_manifest_read(f->config->to, r.log, &r.manifest, err));
    run_all(&r, c);
    *out = (rc_fetch_result_t){.there = r.count[THERE],
        .fetched = r.count[FETCHED],
        .failed = r.count[FAILED],
        .left = r.count[LEFT],
        .received = rc_http_received(f->http) - received,
        .wall_s = (double)(rc_clock_ns() - r.start_ns) * 1e-9,
        .stopped = r.refused || (r.count[LEFT] > 0 && !r.given_up)};
    rc_manifest_free(r.manifest);
    return RC_OK;
}
