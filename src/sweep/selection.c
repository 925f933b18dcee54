#include "config.h"
#include "sweep/selection.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/open.h"
#include "base/str.h"
#include "kernels/rs_notice.h"
#include "kernels/vendor/vendor.h"
#include "store/comm.h"
#include "sweep/worklist.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static rc_status_t check_config(const rc_sweep_config_t *c, rc_err_t *err)
{
    if (c->kernels > RC_WORKLIST_KERNELS_MAX)
        return rc_fail(err, RC_EINVAL, "%d kernels, at most %d in one sweep", c->kernels,
            RC_WORKLIST_KERNELS_MAX);
    if (c->policies < 1 || c->kernels < 1 || c->ks < 1 || c->precisions < 1)
        return rc_fail(err, RC_EINVAL, "nothing to sweep: a list is empty");
    return RC_OK;
}

/* Every rank has read the collection for itself; the work list speaks of entries by number. */
static rc_status_t check_catalog(const rc_session_t *s, const rc_sweep_config_t *c, rc_err_t *err)
{
    rc_hasher_t *h = rc_hasher_new(err);
    rc_status_t st = rc_session_agree(s, h ? RC_OK : RC_ENOMEM, err);
    if (st < 0) {
        rc_hasher_free(h);
        return st;
    }
    for (int64_t i = 0; i < c->catalog->count; i++) {
        const rc_entry_t *e = &c->catalog->entry[i];
        rc_hasher_add(h, e->name, strlen(e->name) + 1);
        rc_hasher_add(h, e->location, strlen(e->location) + 1);
        rc_hasher_add(h, &e->bytes, sizeof e->bytes);
        rc_hasher_add(h, &e->mtime_ns, sizeof e->mtime_ns);
    }
    rc_digest_t mine = rc_hasher_digest(h);
    rc_digest_t first = mine;
    rc_hasher_free(h);
    rc_comm_broadcast(s->comm, &first, sizeof first);
    if (rc_digest_compare(&mine, &first) != 0)
        st = rc_fail(err, RC_EINVAL,
            "rank %d on %s sees another collection than rank 0; put it on a shared file system",
            s->rank, s->host);
    return rc_session_agree(s, st, err);
}

rc_status_t rc_selection_check(const rc_session_t *s, const rc_sweep_config_t *c, rc_err_t *err)
{
    RC_PASS(rc_session_agree(s, check_config(c, err), err));
    return check_catalog(s, c, err);
}

rc_status_t rc_selection_redo(
    const char *text, rc_expr_t **cases, rc_expr_t **sources, rc_err_t *err)
{
    rc_err_t other;
    *cases = *sources = NULL;
    if (!text)
        return RC_OK;
    rc_status_t st = rc_expr_compile(text, rc_view_fields.field, rc_view_fields.count, cases, err);
    rc_status_t st2 =
        rc_expr_compile(text, rc_source_fields.field, rc_source_fields.count, sources, &other);
    if (st < 0 && st2 < 0)
        return rc_err_context(err, "--redo");
    return RC_OK;
}

/* 1: a name is one of those of a list, which ", " separates. */
static int is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)); at++)
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || !at[length]))
            return 1;
    return 0;
}

int rc_selection_unselected(
    const rc_sweep_config_t *c, const char *class_name, const rc_view_t *v, const rc_log_t *log)
{
    rc_str_t names = {0};
    int n = 0;
    for (int64_t i = 0; v && i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        const char *kernel = rc_view_kernel(v, r->kernel);
        const char *policy = rc_view_policy(v, r->policy);
        int known = !rc_vendor_is(kernel) || is_listed(names.text, kernel);
        if (known || r->status != RC_CASE_OK || strcmp(policy, "csr") != 0 ||
            strcmp(rc_view_device(v, r->device), class_name) != 0)
            continue;
        for (int k = 0; k < c->kernels && !known; k++) {
            const size_t name = strlen(c->kernel[k].kernel->name);
            known = strncmp(kernel, c->kernel[k].kernel->name, name) == 0 &&
                    strcmp(kernel + name + (kernel[name] == ':'), c->kernel[k].params) == 0;
        }
        if (!known)
            rc_str_addf(&names, "%s%s", n++ ? ", " : "", kernel);
    }
    if (n > 0 && !names.failed)
        rc_log(log, RC_LOG_INFO, "sweep",
            "csr of %s is in the store, and is not timed again beside what is added: --kernels "
            "leaves it out",
            names.text);
    rc_str_free(&names);
    return n;
}

/* ------------------------------------------------------------------ the folder */

enum { text_max = 256 };
static const int64_t patience_ns = INT64_C(10000000000);
static const int64_t pause_ns = INT64_C(100000000);

/* What a file begins with; nothing when it is not there. */
static void read_text(const char *path, char text[text_max])
{
    memset(text, 0, text_max);
    FILE *f = rc_open_stream(path, RC_OPEN_READ, NULL);
    if (!f)
        return;
    size_t n = fread(text, 1, text_max - 1, f);
    text[n] = '\0';
    fclose(f);
}

rc_status_t rc_selection_folder(
    const rc_session_t *s, const char *dir, const char *name, rc_err_t *err)
{
    char mine[text_max];
    char first[text_max];
    if (s->size == 1)
        return RC_OK;
    char *path = rc_strf("a path", err, "%s/%s", dir, name);
    rc_status_t st = rc_session_agree(s, path ? RC_OK : RC_ENOMEM, err);
    if (st == RC_OK) {
        read_text(path, mine);
        memcpy(first, mine, sizeof first);
        st = rc_comm_broadcast(s->comm, first, sizeof first);
        if (st < 0)
            rc_fail(err, st, "MPI: the folders of the ranks cannot be compared");
        int64_t until = rc_clock_ns() + patience_ns;
        while (st == RC_OK && memcmp(mine, first, sizeof mine) != 0 && rc_clock_ns() < until) {
            rc_sleep_ns(pause_ns);
            read_text(path, mine);
        }
        if (st == RC_OK && memcmp(mine, first, sizeof mine) != 0)
            st = rc_fail(err, RC_EIO,
                "%s: on %s it is not the folder that it is for rank 0; the store has to be on a "
                "file system that all nodes share",
                dir, s->host);
        st = rc_session_agree(s, st, err);
    }
    free(path);
    return st;
}

/* ------------------------------------------------------------------ the tunings */

/* Log a line that was not said; all that was said, each with a newline behind it, is `said`. */
static void say(const rc_log_t *log, const char *line, rc_str_t *said)
{
    if (said->text && strstr(said->text, line))
        return;
    rc_str_addf(said, "%s\n", line);
    rc_log(log, RC_LOG_WARN, "sweep", "%s", line);
}

rc_status_t rc_selection_notice(
    const rc_sweep_config_t *c, const rc_device_t *d, const rc_log_t *log, rc_err_t *err)
{
    rc_str_t said = {0};
    for (int i = 0; i < c->kernels * c->ks * c->precisions; i++) {
        int64_t k = c->k[i / c->precisions % c->ks];
        rc_str_t line = {0};
        if (k > 0) /* n is another for each matrix */
            rc_rs_tuning_notice(&c->kernel[i / c->precisions / c->ks], d->class_name, k,
                c->precision[i % c->precisions], &line);
        if (line.text)
            say(log, line.text, &said);
        said.failed |= line.failed;
        rc_str_free(&line);
    }
    rc_status_t st = said.failed ? rc_fail(err, RC_ENOMEM, "no memory for a line") : RC_OK;
    rc_str_free(&said);
    return st;
}
