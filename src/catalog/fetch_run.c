#include "config.h"
#include "catalog/fetch_private.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "catalog/fetch_check.h"
#include "catalog/fetch_part.h"
#include "catalog/fetch_text.h"
#include "catalog/list.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum {
    slice_ms = 50,             /* between looks at signals and at the answers of the checker */
    enough_progress = 1 << 20, /* bytes that make a try count as a good one */
    check_threads = 4,
    hopeless = 10 /* archives in a row that failed without a word from the server */
};

/* A server that wants to be left alone for longer gets its wish: the run ends. */
static const double longest_wait_s = 3600;

typedef enum state {
    WAITING, /* for its turn, or for another try */
    ACTIVE,
    CHECKING,
    THERE,
    FETCHED,
    FAILED,
    LEFT
} state_t;

typedef struct item {
    struct run *run;
    const rc_entry_t *entry;
    state_t state;
    int looked; /* part and url are there */
    char *url;
    rc_part_t part;
    rc_check_t check;
    int is_old; /* what is being checked was there before */
    int tries;  /* failed ones */
    int64_t not_before_ns;
    int64_t tried_from;
    int pieces;      /* 1: what has come is of more than one transfer */
    int begun_again; /* it was, and was damaged: from the start */
    int mismatch;    /* the server sent another range than was asked for */
} item_t;

typedef struct run {
    rc_fetch_t *f;
    const rc_fetch_config_t *config;
    const rc_log_t *log;
    rc_manifest_t *manifest;
    rc_checker_t *checker;
    item_t *item;
    int64_t count;
    int64_t in_state[LEFT + 1];
    int64_t first; /* items before are not WAITING */
    int64_t start_ns;
    int64_t unreachable; /* in a row */
    int given_up;        /* the server cannot be reached, or wants to be left alone */
    int refused;         /* it is the latter */
    double seen_bytes;   /* of archives whose size is known, and their entries */
    double seen_entries;
} run_t;

static void to_state(item_t *i, state_t s)
{
    i->run->in_state[i->state]--;
    i->run->in_state[s]++;
    i->state = s;
}

static int64_t entries_of(const rc_entry_t *e)
{
    return e->pattern_nnz > e->nnz ? e->pattern_nnz : e->nnz;
}

static double bytes_per_entry(const run_t *r)
{
    static const double weight = 1e5; /* of the guess, in entries */
    return (r->seen_bytes + RC_FETCH_BYTES_PER_ENTRY * weight) / (r->seen_entries + weight);
}

static int64_t expected_bytes(const item_t *i)
{
    int64_t n = i->looked && i->part.total >= 0 && i->part.bytes > 0
                    ? i->part.total
                    : rc_archive_estimate(i->entry, bytes_per_entry(i->run));
    return n > i->part.bytes ? n : i->part.bytes;
}

/* ------------------------------------------------------------------------- ends */

static void fail(item_t *i, const char *text)
{
    rc_log(i->run->log, RC_LOG_ERROR, "fetch", "%s: %s", i->entry->name, text);
    rc_part_pause(&i->part);
    to_state(i, FAILED);
}

static rc_status_t look(item_t *i, rc_err_t *err)
{
    rc_str_t dir = {0};
    rc_str_t name = {0};
    rc_status_t st = RC_OK;
    i->url = rc_fetch_url(i->run->f, i->entry, err);
    if (!i->url)
        return RC_ENOMEM;
    RC_TRY(rc_fetch_names(i->run->f, i->entry, &dir, &name, err));
    RC_TRY(rc_part_look(dir.text, name.text, i->url, &i->part, err));
    i->looked = 1;
    i->pieces = i->part.bytes > 0;
done:
    rc_str_free(&dir);
    rc_str_free(&name);
    return st;
}

/* What a kill left behind of an archive that is there: after the rename, or from before somebody
 * put the file there. */
static void tidy(item_t *i)
{
    if (!i->looked && look(i, NULL) < 0)
        return; /* no memory: it does no harm */
    rc_part_discard(&i->part);
}

/* The file is right: it gets its name, and a line in the manifest. */
static void accept(item_t *i)
{
    run_t *r = i->run;
    const rc_check_t *c = &i->check;
    rc_err_t err = {0};
    rc_str_t file = {0};
    rc_status_t st = RC_OK;
    if (!i->is_old)
        st = rc_part_finish(&i->part, 0, &err);
    if (i->is_old)
        rc_str_add(&file, rc_fetch_file(r->f, i->entry));
    else
        rc_str_addf(&file, "%s.tar.gz", i->entry->name);
    rc_manifest_line_t line = {.name = i->entry->name,
        .file = file.text,
        .url = i->is_old ? "" : i->url,
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
    if (st < 0) {
        fail(i, err.text);
        return;
    }
    if (!i->is_old) {
        r->seen_bytes += (double)c->bytes;
        r->seen_entries += (double)entries_of(i->entry);
    }
    if (i->is_old)
        tidy(i);
    rc_log(r->log, RC_LOG_DEBUG, "fetch", "%s: %s, %" PRId64 " bytes", i->entry->name,
        i->is_old ? "is right" : "fetched", c->bytes);
    to_state(i, i->is_old ? THERE : FETCHED);
}

/* Another try, or the end of them. */
static void retry(item_t *i, const rc_err_t *why, double retry_after_s)
{
    run_t *r = i->run;
    const rc_fetch_config_t *c = r->config;
    rc_part_pause(&i->part);
    if (i->part.bytes >= i->tried_from + enough_progress)
        i->tries = 0;
    if (retry_after_s > longest_wait_s) {
        rc_log(r->log, RC_LOG_ERROR, "fetch",
            "%s: %s, and asks to come back in %.0f s: the run ends here", i->entry->name, why->text,
            retry_after_s);
        r->given_up = r->refused = 1;
        to_state(i, LEFT);
        return;
    }
    if (i->tries >= c->retries) {
        char text[sizeof why->text];
        snprintf(
            text, sizeof text, "%.300s (tried %d times): %.150s", why->text, i->tries + 1, i->url);
        fail(i, text);
        return;
    }
    int64_t wait = rc_backoff_ns(c->backoff_s, i->tries++, c->seed, i->entry->name);
    if (retry_after_s >= 0) {
        /* it speaks for all requests */
        int64_t pause = (int64_t)(retry_after_s * 1e9);
        int64_t until = rc_clock_ns() + pause;
        wait = pause > wait ? pause : wait;
        if (until > r->f->pause_ns)
            r->f->pause_ns = until;
    }
    i->not_before_ns = rc_clock_ns() + wait;
    rc_log(r->log, RC_LOG_INFO, "fetch", "%s: %s; again in %.1f s", i->entry->name, why->text,
        (double)wait * 1e-9);
    to_state(i, WAITING);
    if (i - r->item < r->first)
        r->first = i - r->item;
}

static void again_at_once(item_t *i)
{
    if (i->looked)
        rc_part_discard(&i->part);
    i->pieces = 0;
    i->not_before_ns = 0;
    to_state(i, WAITING);
    if (i - i->run->item < i->run->first)
        i->run->first = i - i->run->item;
}

/* ------------------------------------------------------------------------ check */

static void ask(item_t *i, int is_old)
{
    i->is_old = is_old;
    i->check = (rc_check_t){.entry = i->entry,
        .path = is_old ? i->entry->location : i->part.path,
        .is_archive = !is_old || strstr(rc_fetch_file(i->run->f, i->entry), ".tar.gz") != NULL,
        .owner = i};
    to_state(i, CHECKING);
    rc_checker_ask(i->run->checker, &i->check);
}

/* What was there is not what it should be.  An archive is replaced, in the end by a rename; of
 * another form the user has to decide, for it hides the archive. */
static void reject_old(item_t *i)
{
    const rc_check_t *c = &i->check;
    char text[sizeof c->err.text];
    snprintf(text, sizeof text, "%.200s is there: %.280s", i->entry->location, c->err.text);
    if (c->status != RC_EFORMAT)
        fail(i, text);
    else if (!c->is_archive) {
        rc_log(i->run->log, RC_LOG_ERROR, "fetch", "%s: remove it, then it can be downloaded",
            i->entry->location);
        fail(i, text);
    } else {
        rc_log(i->run->log, RC_LOG_WARN, "fetch", "%s: %s: downloading it again", i->entry->name,
            text);
        again_at_once(i);
    }
}

static void answered(item_t *i)
{
    run_t *r = i->run;
    const rc_check_t *c = &i->check;
    const rc_manifest_line_t *l = rc_manifest_find(r->manifest, i->entry->name);
    if (c->status == RC_EINTR)
        to_state(i, LEFT);
    else if (c->status == RC_OK && i->is_old && r->config->verify && l &&
             strcmp(l->file, rc_fetch_file(r->f, i->entry)) == 0 &&
             rc_digest_compare(&l->digest, &c->digest) != 0) {
        i->check.status = rc_fail(&i->check.err, RC_EFORMAT,
            "its digest is not that of the manifest: it was changed since");
        reject_old(i);
    } else if (c->status == RC_OK)
        accept(i);
    else if (i->is_old)
        reject_old(i);
    else if (c->status == RC_EFORMAT && i->pieces && !i->begun_again) {
        rc_log(r->log, RC_LOG_INFO, "fetch", "%s: what came in pieces is damaged (%s): once more",
            i->entry->name, c->err.text);
        i->begun_again = 1;
        again_at_once(i);
    } else {
        if (c->status == RC_EFORMAT)
            rc_part_discard(&i->part);
        fail(i, c->err.text);
    }
}

/* --------------------------------------------------------------------- transfers */

static rc_status_t begin(void *sink, const rc_http_head_t *head, rc_err_t *err)
{
    item_t *i = sink;
    rc_part_t *p = &i->part;
    char mark[RC_PART_MARK_MAX];
    memcpy(mark, head->mark[0] ? head->mark : p->mark, sizeof mark);
    if (head->status != 206) {
        i->pieces = 0;
        return rc_part_begin(p, 0, head->mark, head->total, err);
    }
    if (head->from != p->bytes || (p->total >= 0 && head->total >= 0 && head->total != p->total)) {
        i->mismatch = 1;
        return rc_fail(err, RC_EIO,
            "the server sends bytes from %" PRId64 " of %" PRId64 ", expected from %" PRId64
            " of %" PRId64,
            head->from, head->total, p->bytes, p->total);
    }
    i->pieces = 1;
    return rc_part_begin(p, p->bytes, mark, head->total >= 0 ? head->total : p->total, err);
}

static rc_status_t write_body(void *sink, const void *data, size_t n, rc_err_t *err)
{
    item_t *i = sink;
    return rc_part_write(&i->part, data, n, err);
}

/* Whether there is surely no room: asking for what cannot be kept helps nobody. */
static int is_full(const item_t *i, char *text, size_t size)
{
    enum { doubt = 4 }; /* the size may be an estimate */
    struct statvfs v;
    if (statvfs(i->run->config->to, &v) != 0)
        return 0;
    double room = (double)v.f_bavail * (double)v.f_frsize;
    double need = (double)(expected_bytes(i) - i->part.bytes);
    if (room >= need / doubt && room > 0)
        return 0;
    snprintf(text, size, "no space left in %s: %.0f bytes, about %.0f are needed",
        i->run->config->to, room, need);
    return 1;
}

static rc_status_t start(item_t *i, rc_err_t *err)
{
    run_t *r = i->run;
    char text[300];
    rc_status_t st = i->looked ? RC_OK : look(i, err);
    if (st < 0)
        return st;
    if (i->part.bytes > 0 && i->part.bytes == i->part.total) {
        ask(i, 0); /* a kill came between its last byte and the check */
        return RC_OK;
    }
    if (is_full(i, text, sizeof text)) {
        fail(i, text);
        return RC_OK;
    }
    rc_http_request_t q = {.url = i->url,
        .from = i->part.bytes,
        .mark = i->part.bytes > 0 ? i->part.mark : NULL,
        .most_bytes = rc_archive_most_bytes(i->entry),
        .begin = begin,
        .write = write_body,
        .sink = i};
    i->tried_from = i->part.bytes;
    i->mismatch = 0;
    st = rc_http_start(r->f->http, &q, err);
    if (st == RC_OK) {
        to_state(i, ACTIVE);
        rc_fetch_requested(r->f, rc_clock_ns());
    }
    return st;
}

/* The body came to its end, as far as the connection knows. */
static void have(item_t *i, const rc_http_reply_t *reply)
{
    const rc_part_t *p = &i->part;
    rc_err_t err;
    rc_part_pause(&i->part);
    if (p->total >= 0 && p->bytes != p->total) {
        rc_fail(&err, RC_EIO, "%" PRId64 " of %" PRId64 " bytes came", p->bytes, p->total);
        retry(i, &err, reply->head.retry_after_s);
    } else
        ask(i, 0);
}

/* There is nothing behind what has come: it is complete, or of something else. */
static void range_refused(item_t *i, const rc_http_reply_t *reply)
{
    rc_err_t err;
    if (i->part.bytes > 0 &&
        (reply->head.total == i->part.bytes || i->part.total == i->part.bytes)) {
        ask(i, 0);
        return;
    }
    rc_fail(&err, RC_EIO, "the server does not have the rest");
    rc_part_discard(&i->part);
    i->pieces = 0;
    retry(i, &err, reply->head.retry_after_s);
}

static void replied(item_t *i, const rc_http_reply_t *reply)
{
    run_t *r = i->run;
    rc_err_t why = {0};
    rc_verdict_t v = rc_fetch_judge(reply, &why);
    char text[sizeof why.text];
    if (!reply->unreachable)
        r->unreachable = 0;
    if (i->mismatch) {
        rc_part_discard(&i->part);
        v = RC_VERDICT_RETRY;
    }
    switch (v) {
    case RC_VERDICT_HAVE:
        have(i, reply);
        break;
    case RC_VERDICT_RANGE:
        range_refused(i, reply);
        break;
    case RC_VERDICT_SAME:
        rc_fail(&why, RC_EIO, "the server answers 304 Not Modified, which was not asked");
        retry(i, &why, reply->head.retry_after_s);
        break;
    case RC_VERDICT_RETRY:
        retry(i, &why, reply->head.retry_after_s);
        break;
    case RC_VERDICT_FAIL:
        if (reply->end == RC_HTTP_REFUSED && why.status == RC_EFORMAT)
            rc_part_discard(&i->part); /* it sends without end */
        snprintf(text, sizeof text, "%.300s: %.150s", why.text, i->url);
        fail(i, text);
        break;
    }
    if (reply->unreachable && i->state == FAILED && ++r->unreachable >= hopeless) {
        rc_log(r->log, RC_LOG_ERROR, "fetch",
            "the server could not be reached for %d archives in a row: the run ends here",
            hopeless);
        r->given_up = 1;
    }
}

/* --------------------------------------------------------------------------- run */

static item_t *next_item(run_t *r, int64_t now)
{
    while (r->first < r->count && r->item[r->first].state != WAITING)
        r->first++;
    for (int64_t k = r->first; k < r->count; k++)
        if (r->item[k].state == WAITING && r->item[k].not_before_ns <= now)
            return &r->item[k];
    return NULL;
}

static rc_status_t start_some(run_t *r, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    while (st == RC_OK && rc_http_active(r->f->http) < r->config->jobs) {
        int64_t now = rc_clock_ns();
        item_t *i = rc_fetch_delay(r->f, now) > 0 ? NULL : next_item(r, now);
        if (!i)
            break;
        st = start(i, err);
    }
    return st;
}

static void report(run_t *r)
{
    const rc_fetch_config_t *c = r->config;
    rc_fetch_progress_t p = {.matrices = r->count,
        .there = r->in_state[THERE],
        .fetched = r->in_state[FETCHED],
        .failed = r->in_state[FAILED],
        .active = rc_http_active(r->f->http),
        .left_s = NAN};
    if (!c->progress)
        return;
    for (int64_t k = 0; k < r->count; k++) {
        const item_t *i = &r->item[k];
        int counts = i->state == WAITING || i->state == ACTIVE ||
                     (i->state == CHECKING && !i->is_old) || i->state == FETCHED;
        if (!counts)
            continue;
        p.bytes_done += i->state == FETCHED ? i->check.bytes : i->part.bytes;
        p.bytes_expected += i->state == FETCHED ? i->check.bytes : expected_bytes(i);
    }
    double elapsed = (double)(rc_clock_ns() - r->start_ns) * 1e-9;
    int64_t received = rc_http_received(r->f->http);
    p.bytes_per_s = elapsed > 0 ? (double)received / elapsed : 0;
    if (p.bytes_per_s > 0 && elapsed > 1) {
        double by_rate = c->rate > 0 ? (double)r->in_state[WAITING] / c->rate : 0;
        p.left_s = fmax((double)(p.bytes_expected - p.bytes_done) / p.bytes_per_s, by_rate);
    }
    c->progress(c->arg, &p);
}

static int is_unfinished(const run_t *r)
{
    return r->in_state[WAITING] + r->in_state[ACTIVE] + r->in_state[CHECKING] > 0;
}

static void take_answers(run_t *r)
{
    rc_check_t *c;
    while ((c = rc_checker_take(r->checker)) != NULL)
        answered(c->owner);
}

static rc_status_t transfer_all(run_t *r, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    while (is_unfinished(r) && !r->given_up && !rc_fetch_stopping(r->f)) {
        rc_http_reply_t reply;
        RC_TRY(start_some(r, err));
        RC_TRY(rc_http_wait(r->f->http, slice_ms, err));
        while (rc_http_next(r->f->http, &reply))
            replied(reply.sink, &reply);
        take_answers(r);
        report(r);
    }
done:
    return st;
}

/* What is open stays where it is; the checker gives everything back. */
static void leave_rest(run_t *r)
{
    rc_http_cancel(r->f->http);
    rc_checker_stop(r->checker);
    while (r->in_state[CHECKING] > 0) {
        take_answers(r);
        if (r->in_state[CHECKING] > 0)
            rc_sleep_ns(1000000);
    }
    for (int64_t k = 0; k < r->count; k++) {
        item_t *i = &r->item[k];
        rc_part_pause(&i->part);
        if (i->state == WAITING || i->state == ACTIVE)
            to_state(i, LEFT);
    }
}

static rc_status_t open_run(run_t *r, const rc_catalog_t *c, rc_err_t *err)
{
    rc_status_t st;
    r->item = rc_alloc0((size_t)c->count, sizeof *r->item, "a list of archives", err);
    if (!r->item)
        return RC_ENOMEM;
    r->count = c->count;
    for (int64_t k = 0; k < c->count; k++) {
        r->item[k] = (item_t){.run = r, .entry = &c->entry[k], .part = {.fd = -1}};
        r->in_state[WAITING]++;
    }
    RC_TRY(rc_manifest_read(r->config->to, r->log, &r->manifest, err));
    RC_TRY(rc_checker_open(check_threads, &r->checker, err));
    for (int64_t k = 0; k < c->count; k++) {
        item_t *i = &r->item[k];
        if (i->entry->where != RC_WHERE_FILE)
            continue;
        if (!r->config->verify && rc_fetch_is_known(r->f, r->manifest, i->entry)) {
            to_state(i, THERE);
            tidy(i);
        } else
            ask(i, 1);
    }
done:
    return st;
}

rc_status_t rc_fetch_run(
    rc_fetch_t *f, const rc_catalog_t *c, rc_fetch_result_t *out, rc_err_t *err)
{
    run_t r = {.f = f, .config = f->config, .log = f->config->log, .start_ns = rc_clock_ns()};
    int64_t received = rc_http_received(f->http);
    rc_status_t st = open_run(&r, c, err);
    if (st == RC_OK)
        st = transfer_all(&r, err);
    if (r.checker)
        leave_rest(&r);
    if (st == RC_OK)
        *out = (rc_fetch_result_t){.there = r.in_state[THERE],
            .fetched = r.in_state[FETCHED],
            .failed = r.in_state[FAILED],
            .left = r.in_state[LEFT],
            .received = rc_http_received(f->http) - received,
            .wall_s = (double)(rc_clock_ns() - r.start_ns) * 1e-9,
            .stopped = r.refused || (r.in_state[LEFT] > 0 && !r.given_up)};
    rc_checker_close(r.checker);
    for (int64_t k = 0; r.item && k < r.count; k++) {
        rc_part_free(&r.item[k].part);
        free(r.item[k].url);
    }
    free(r.item);
    rc_manifest_free(r.manifest);
    return st;
}
