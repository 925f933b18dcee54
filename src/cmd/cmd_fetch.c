#include "config.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/visible.h"
#include "catalog/fetch.h"
#include "cmd/cmd.h"
#include "table/print.h"
#include "store/lock.h"
#include "sweep/drain.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct options {
    rc_fetch_config_t config;
    const char *where;
    int64_t limit;
    const char *index;
    int64_t retries;
    int dry_run;
    const char *format;
    int quiet;
    int verbose;
};

static const rc_opt_t table[] = {
    RC_OPT("to", 0, RC_OPT_TEXT, RC_AT(config.to), "DIR",
        "Folder of the collection: DIR/Group/Name.tar.gz; made when it is not there. Required."),
    RC_OPT("where", 'w', RC_OPT_TEXT, RC_AT(where), "EXPR",
        "Matrices of the index to have, e.g. 'square && rows <= 30000 && !duplicate'; 'rowcast "
        "catalog --fields' lists the fields. '--where true' is the whole collection. Required, "
        "unless there is a --limit."),
    RC_OPT("limit", 'l', RC_OPT_INT, RC_AT(limit), "N", "Only the first N matrices that match."),
    RC_OPT("mirror", 0, RC_OPT_TEXT, RC_AT(config.mirror), "URL|DIR",
        "Where from: URL/MM/Group/Name.tar.gz, or a folder with this layout or that of --to. "
        "Default: " RC_FETCH_MIRROR "."),
    RC_OPT("index", 'i', RC_OPT_TEXT, RC_AT(index), "FILE|URL",
        "Index of the collection. Default: MIRROR/files/ssstats.csv, which is kept as "
        "DIR/ssstats.csv."),
    {"retries", 0, RC_OPT_INT, RC_AT(retries), "N",
        "Tries after a failed one, for each archive. Default: 5.", 0, 1000},
    {"rate", 0, RC_OPT_DOUBLE, RC_AT(config.rate), "X",
        "Requests a second at most; 0: no limit. Default: 4.", 0, 1e6},
    RC_OPT("max-rate", 0, RC_OPT_BYTES, RC_AT(config.max_rate), "BYTES",
        "Bytes a second at most. Default: no limit."),
    {"backoff", 0, RC_OPT_DOUBLE, RC_AT(config.backoff_s), "SECONDS",
        "Wait before the first retry; it doubles up to a minute, and is longer when the server "
        "says so (Retry-After). Default: 1.",
        0, 60},
    {"stall", 0, RC_OPT_DOUBLE, RC_AT(config.stall_s), "SECONDS",
        "Try again when a transfer brings nothing for so long. Default: 60.", 1, 3600},
    {"timeout", 0, RC_OPT_DOUBLE, RC_AT(config.timeout_s), "SECONDS",
        "Try again when a transfer takes longer, but for a second more for each 16 KiB that it has "
        "brought: a server that drips is not waited for. Default: 600.",
        1, 1e6},
    RC_OPT("cacert", 0, RC_OPT_TEXT, RC_AT(config.certificates), "FILE",
        "Certificates that HTTPS trusts, instead of the system's (PEM). Default: what "
        "CURL_CA_BUNDLE or, without it, SSL_CERT_FILE names."),
    RC_OPT(
        "seed", 0, RC_OPT_INT, RC_AT(config.seed), "N", "Seed of the waiting times. Default: 1."),
    RC_OPT("verify", 0, RC_OPT_FLAG, RC_AT(config.verify), NULL,
        "Read all that is there again, and compare it with the index and with the digests of the "
        "manifest."),
    RC_OPT("dry-run", 'n', RC_OPT_FLAG, RC_AT(dry_run), NULL,
        "Print what would be done and change nothing; asks for the index only."),
    RC_OPT("format", 'f', RC_OPT_TEXT, RC_AT(format), "FORMAT",
        "Of the dry run and of the result: table, csv or json. Default: table."),
    RC_OPT("quiet", 'q', RC_OPT_FLAG, RC_AT(quiet), NULL, "Only warnings and errors on stderr."),
    RC_OPT("verbose", 'v', RC_OPT_FLAG, RC_AT(verbose), NULL, "A line for each archive."),
    RC_OPT_END,
};

/* --------------------------------------------------------------------- progress */

typedef struct progress {
    int is_terminal;
    int64_t next_ns;
    int shown; /* a line without its end is on the terminal */
} progress_t;

static void show(void *arg, const rc_fetch_progress_t *p)
{
    static const int64_t often_ns = 200 * INT64_C(1000000);
    static const int64_t seldom_ns = 10 * INT64_C(1000000000);
    progress_t *s = arg;
    int64_t now = rc_clock_ns();
    if (s->next_ns == 0) /* a run that is over at once says nothing */
        s->next_ns = now + (s->is_terminal ? often_ns : seldom_ns);
    if (now < s->next_ns)
        return;
    s->next_ns = now + (s->is_terminal ? often_ns : seldom_ns);
    fprintf(stderr, "%s%" PRId64 " of %" PRId64 " matrices, %s of about %s, %s/s, %s%s",
        s->is_terminal ? "\r" : "", p->there + p->fetched, p->matrices,
        rc_text_bytes((double)p->bytes_done).text, rc_text_bytes((double)p->bytes_expected).text,
        rc_text_bytes(p->bytes_per_s).text, isnan(p->left_s) ? "" : "about ",
        isnan(p->left_s) ? "time left unknown" : rc_text_seconds(p->left_s).text);
    if (p->failed)
        fprintf(stderr, ", %" PRId64 " failed", p->failed);
    fputs(s->is_terminal ? "\033[K" : "\n", stderr);
    fflush(stderr);
    s->shown = s->is_terminal;
}

/* ------------------------------------------------------------------------- work */

static rc_status_t print_plan(
    const rc_catalog_t *c, const rc_fetch_item_t *item, rc_table_format_t format, rc_err_t *err)
{
    static const char columns[] = "name|rows|cols|nnz|state|have:bytes|size:bytes|estimated|url";
    static const char *const state[] = {"there", "unchecked", "part", "absent"};
    int64_t count[4] = {0};
    double missing = 0;
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    for (int64_t i = 0; i < c->count; i++) {
        const rc_entry_t *e = &c->entry[i];
        RC_CELLS(t, RC_TEXT(e->name), RC_INT(e->rows), RC_INT(e->cols), RC_INT(e->nnz),
            RC_TEXT(state[item[i].need]), RC_INT(item[i].have), RC_INT(item[i].bytes),
            RC_BOOL(item[i].estimated), RC_TEXT(item[i].url));
        count[item[i].need]++;
        missing += (double)(item[i].bytes - item[i].have);
    }
    rc_status_t st = rc_table_end(t, err);
    fprintf(stderr,
        "%" PRId64 " matrices: %" PRId64 " there, %" PRId64 " there but not checked, %" PRId64
        " to continue, %" PRId64 " to download, about %s\n",
        c->count, count[RC_FETCH_THERE], count[RC_FETCH_UNCHECKED], count[RC_FETCH_PART],
        count[RC_FETCH_ABSENT], rc_text_bytes(missing).text);
    return st;
}

static rc_status_t print_result(const char *to, int64_t matrices, const rc_fetch_result_t *r,
    rc_table_format_t format, int quiet, rc_err_t *err)
{
    static const char columns[] = "matrices|there|fetched|failed|left|received:bytes|wall:s";
    rc_table_t *t = rc_table_of(stdout, format, columns, 0, err);
    RC_CELLS(t, RC_INT(matrices), RC_INT(r->there), RC_INT(r->fetched), RC_INT(r->failed),
        RC_INT(r->left), RC_INT(r->received), RC_REAL(r->wall_s, 3));
    rc_status_t st = rc_table_end(t, err);
    if (r->failed)
        fprintf(stderr, "%s: %" PRId64 " %s failed, the lines above say why\n", to, r->failed,
            rc_matrices(r->failed));
    if (r->left)
        fprintf(stderr, "%s: %" PRId64 " %s left; run the same command again\n", to, r->left,
            r->left == 1 ? "matrix is" : "matrices are");
    if (!quiet && r->failed + r->left == 0)
        fprintf(stderr, "%s: %s%" PRId64 " %s there\n", to, matrices == 1 ? "the " : "all ",
            matrices, matrices == 1 ? "matrix is" : "matrices are");
    return st;
}

/* The entries of the index that match, with what is there of them; the index is used up. */
static rc_status_t select_entries(const struct options *o, rc_catalog_t *index,
    const rc_expr_t *where, rc_catalog_t *out, rc_err_t *err)
{
    rc_expr_t *listed = NULL;
    struct stat s;
    RC_PASS(rc_expr_compile("id > 0", rc_entry_fields, RC_ENTRY_FIELDS, &listed, err));
    rc_status_t st = RC_OK;
    if (stat(o->config.to, &s) != 0 && errno == ENOENT) { /* a dry run makes no folder */
        *out = *index;
        *index = (rc_catalog_t){0};
    } else
        st = rc_catalog_scan(o->config.to, index, out, err);
    if (st == RC_OK) {
        rc_catalog_select(out, listed, -1);
        rc_catalog_select(out, where, o->limit);
    }
    rc_expr_free(listed);
    return st;
}

static rc_status_t dry_run(
    rc_fetch_t *f, const rc_catalog_t *c, rc_table_format_t format, rc_err_t *err)
{
    rc_fetch_item_t *item = NULL;
    rc_status_t st = rc_fetch_plan(f, c, &item, err);
    if (st == RC_OK)
        st = print_plan(c, item, format, err);
    rc_fetch_items_free(item, c->count);
    return st;
}

static int exit_code(const rc_fetch_result_t *r)
{
    if (r->stopped)
        return RC_EXIT_AGAIN;
    return r->failed + r->left > 0 ? RC_EXIT_FAILED : RC_EXIT_OK;
}

/* Two at once would write into each other's files.  Where there are no locks, nobody knows. */
static rc_status_t take_lock(const rc_fetch_config_t *c, rc_lock_t **lock, rc_err_t *err)
{
    rc_err_t why = {0};
    rc_status_t st =
        rc_lock_take(c->to, ".fetch.lock", &(rc_lock_wait_t){.log = c->log}, lock, &why);
    if (st == RC_EIO && access(c->to, W_OK) == 0) {
        rc_log(
            c->log, RC_LOG_WARN, "fetch", "%s: no lock; do not run a second fetch there", why.text);
        return RC_OK;
    }
    if (st < 0)
        *err = why;
    return st;
}

static rc_status_t fetch(rc_call_t *call, const rc_expr_t *where, rc_err_t *err)
{
    const struct options *o = call->options;
    const rc_fetch_config_t *config = &o->config;
    rc_fetch_t *f = NULL;
    rc_lock_t *lock = NULL;
    rc_catalog_t index = {0};
    rc_catalog_t c = {0};
    rc_fetch_result_t r = {0};
    rc_status_t st;
    progress_t *p = config->arg;
    RC_TRY(rc_fetch_open(config, &f, err));
    if (!o->dry_run)
        RC_TRY(take_lock(config, &lock, err));
    RC_TRY(rc_fetch_index(f, o->index, !o->dry_run, &index, err));
    RC_TRY(select_entries(o, &index, where, &c, err));
    if (c.count == 0)
        fprintf(stderr, "no matrix of the index matches\n");
    if (o->dry_run) {
        st = dry_run(f, &c, call->format, err);
        goto done;
    }
    RC_TRY(rc_fetch_run(f, &c, &r, err));
    if (p->shown)
        fputc('\n', stderr);
    p->shown = 0;
    call->code = exit_code(&r);
    RC_TRY(print_result(o->config.to, c.count, &r, call->format, o->quiet, err));
done:
    if (p->shown)
        fputc('\n', stderr);
    rc_catalog_free(&c);
    rc_catalog_free(&index);
    rc_lock_release(lock);
    rc_fetch_close(f);
    return st;
}

/* The file of certificates that curl takes; NULL: the system's. */
static const char *certificates(void)
{
    static const char *const names[] = {"CURL_CA_BUNDLE", "SSL_CERT_FILE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *file = getenv(names[i]);
        if (file && *file)
            return file;
    }
    return NULL;
}

static rc_status_t check_options(const struct options *o, rc_expr_t **where, rc_err_t *err)
{
    const char *cacert = o->config.certificates;
    if (cacert && access(cacert, R_OK) != 0)
        return rc_fail_errno(err, RC_EIO, errno, "--cacert: cannot read '%s'", cacert);
    if (!o->config.to)
        return rc_fail(err, RC_EINVAL, "--to DIR is missing");
    if (!o->where && o->limit < 0)
        return rc_fail(err, RC_EINVAL,
            "--where EXPR is missing: which matrices? '--where true' is the whole collection");
    if (!o->where)
        return RC_OK;
    rc_status_t st = rc_expr_compile(o->where, rc_entry_fields, RC_ENTRY_FIELDS, where, err);
    return st < 0 ? rc_err_context(err, "--where") : RC_OK;
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    struct options *o = call->options;
    rc_fetch_config_t *c = &o->config;
    rc_expr_t *where = NULL;
    RC_PASS(check_options(o, &where, err));
    rc_log_t log = {.stream = stderr,
        .level = o->quiet     ? RC_LOG_WARN
                 : o->verbose ? RC_LOG_DEBUG
                              : RC_LOG_INFO,
        .rank = -1};
    progress_t p = {.is_terminal = isatty(STDERR_FILENO)};
    c->retries = (int)o->retries;
    c->certificates = c->certificates ? c->certificates : certificates();
    c->log = &log;
    c->stop = rc_drain_asked;
    c->progress = o->quiet ? NULL : show;
    c->arg = &p;
    /* a closed connection is an error, not the end */
    signal(SIGPIPE, SIG_IGN);
    rc_status_t st = rc_drain_install(err);
    if (st == RC_OK)
        st = fetch(call, where, err);
    rc_expr_free(where);
    call->words_are_right = 1;
    return st;
}

const rc_command_t rc_command_fetch = {
    .name = "fetch",
    .summary = "download matrices of the SuiteSparse collection",
    .usage = "[OPTIONS] --where EXPR --to DIR",
    .description =
        "Downloads the archives of the matrices that match, one after the other, into a folder "
        "that 'rowcast sweep --collection DIR --catalog DIR/ssstats.csv' takes as it is. An "
        "archive gets its name when it was read to its end and has the rows, columns and entries "
        "of the index; DIR/manifest.jsonl says of each what it is, with digest, origin and time. "
        "What is there and was checked is not asked for again; what was there before is read "
        "once.\n\n"
        "A server that fails is asked again later, and at the time that it names. What has come of "
        "an archive is kept and continued, also after kill -9; SIGTERM, SIGINT and SIGUSR1 end the "
        "run (exit 75): run the same command again. An archive that cannot be had, is damaged, "
        "holds another matrix, links, names outside its folder or much more than its matrix, is "
        "not kept; one line on stderr says why, the rest goes on, and the exit code is 1.\n\n"
        "Proxies are taken from the environment (https_proxy, no_proxy). The collection is under "
        "CC-BY 4.0: cite it and the authors of the matrices.",
    .examples =
        "rowcast fetch --where 'square && rows <= 30000 && !duplicate' --to matrices|the matrices "
        "of the published results, and more\n"
        "rowcast fetch --where 'group == SNAP' --to matrices --dry-run|what is missing of a group\n"
        "rowcast fetch --where true --to copy --mirror matrices|a copy of what was downloaded, "
        "checked",
    .options = table,
    RC_COMMAND_DEFAULTS(struct options, .limit = -1, .retries = 5,
        .config = {.rate = 4, .backoff_s = 1, .stall_s = 60, .timeout_s = 600, .seed = 1}),
    .operands = {0, 0},
    .work = run,
};
