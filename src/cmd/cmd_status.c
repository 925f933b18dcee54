#include "config.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "cmd/cmd.h"
#include "table/print.h"
#include "store/path.h"
#include "store/scan.h"
#include "sweep/progress.h"
#include "table/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct options {
    const char *format;
    int unsealed;
};

static const rc_opt_t table[] = {
    RC_FORMAT_OPTION(RC_AT(format)),
    RC_UNSEALED_OPTION(RC_AT(unsealed)),
    RC_OPT_END,
};

static void put_counts(rc_table_t *t, const int64_t *counts)
{
    for (int i = RC_CASE_OK; i < RC_CASE_STATUSES; i++)
        rc_table_int(t, counts[i]);
}

static void put_store(rc_table_t *t, const rc_view_t *v)
{
    int64_t matrices[RC_CASE_STATUSES] = {0};
    int64_t cases[RC_CASE_STATUSES] = {0};
    for (int64_t i = 0; i < rc_view_sources(v); i++) {
        rc_source_row_t row;
        rc_view_source(v, i, &row);
        if (row.status_code > 0 && row.status_code < RC_CASE_STATUSES)
            matrices[row.status_code]++;
    }
    for (int64_t i = 0; i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        if (rc_view_is_newest(v, i) && r->status > 0 && r->status < RC_CASE_STATUSES)
            cases[r->status]++;
    }
    RC_CELLS(t, RC_TEXT("store: matrices"), RC_TEXT(""));
    put_counts(t, matrices);
    RC_CELLS(t, RC_TEXT(""), RC_TEXT("store: cases"), RC_TEXT(""));
    put_counts(t, cases);
    rc_table_text(t, "");
}

enum { RC_STATUS_HANDS = 4 };

/* "G/a (time), G/b (order), G/c (prepared), 5 more" */
static void put_hands(const rc_scan_journal_t *j, char *text, size_t size)
{
    size_t at = 0;
    text[0] = '\0';
    for (int64_t i = 0; i < j->hands && i < RC_STATUS_HANDS; i++) {
        const rc_scan_hand_t *h = &j->hand[i];
        const char *comma = i > 0 ? ", " : "";
        int n = i + 1 == RC_STATUS_HANDS && j->hands > RC_STATUS_HANDS
                    ? snprintf(text + at, size - at, "%s%" PRId64 " more", comma, j->hands - i)
                    : snprintf(text + at, size - at, "%s%s (%s)", comma, h->name,
                          h->waits ? "prepared" : rc_phase_name((rc_phase_t)h->phase));
        if (n < 0 || (size_t)n >= size - at)
            return;
        at += (size_t)n;
    }
}

static void put_journal(rc_table_t *t, const rc_scan_journal_t *j)
{
    char what[48];
    char state[64 + sizeof j->host];
    char hand[RC_STATUS_HANDS * (RC_NAME_MAX + 32)];
    snprintf(what, sizeof what, "journal: rank %d of %d", j->run.rank, j->run.ranks);
    if (j->alive && j->last_utc_ns > 0) {
        snprintf(state, sizeof state, "running%s%s, last word %s ago", j->host[0] ? " on " : "",
            j->host, rc_text_seconds((double)(rc_utc_ns() - j->last_utc_ns) * 1e-9).text);
    } else
        snprintf(state, sizeof state, "%s",
            j->alive   ? "running"
            : j->ended ? "ended, to be folded"
                       : "died, to be folded");
    put_hands(j, hand, sizeof hand);
    RC_CELLS(t, RC_TEXT(what), RC_TEXT(state));
    put_counts(t, j->cases);
    rc_table_text(t, hand);
}

/* How far the running sweep is, on stderr: its plan against its journals. */
static void print_progress(const rc_scan_t *s, const rc_view_t *v)
{
    for (int64_t i = 0; i < s->journals; i++) {
        const rc_scan_journal_t *j = &s->journal[i];
        int64_t done = 0;
        if (!j->has_plan || !j->alive)
            continue;
        for (int64_t k = 0; k < s->journals; k++)
            if (strcmp(s->journal[k].run.uuid, j->run.uuid) == 0)
                for (int c = RC_CASE_OK; c < RC_CASE_STATUSES; c++)
                    done += s->journal[k].cases[c];
        /* what was folded half-way is in the store under the same run */
        for (int64_t r = 0; v && r < rc_view_count(v); r++) {
            const rc_row_run_t *run = rc_view_run(v, rc_view_result(v, r)->run);
            done += strncmp(run->uuid, j->run.uuid, sizeof run->uuid) == 0;
        }
        fprintf(stderr,
            "running for %s: %" PRId64 " of %" PRId64 " cases (%.0f %%), %" PRId64
            " were done before\n",
            rc_text_seconds((double)(rc_utc_ns() - j->run.started_ns) * 1e-9).text, done,
            j->plan.cases, rc_progress_percent(done, j->plan.cases), j->plan.done);
    }
}

static rc_status_t run(rc_call_t *call, rc_err_t *err)
{
    char *store = NULL;
    static const char columns[] = "what|state|ok|wrong|skipped|failed|crashed|noisy|in_hand";
    rc_status_t st = RC_OK;
    rc_view_t *v = NULL;
    rc_scan_t scan = {0};
    RC_TRY(rc_store_path(call->operand[0], &store, err));
    int exists = access(store, F_OK) == 0;
    if (exists)
        RC_TRY(rc_view_read(store, &v, err));
    RC_TRY(rc_scan_journals(store, rc_view_journal_bytes, v, &scan, err));
    if (!exists && scan.journals == 0)
        RC_TRY(rc_fail(err, RC_ENOENT, "%s: no such store, and no journals beside it", store));
    rc_table_t *t = rc_table_of(stdout, call->format, columns, 0, err);
    if (v)
        put_store(t, v);
    for (int64_t i = 0; i < scan.journals; i++)
        put_journal(t, &scan.journal[i]);
    RC_TRY(rc_table_end(t, err));
    print_progress(&scan, v);
done:
    free(store);
    rc_scan_free(&scan);
    rc_view_free(v);
    return st;
}

const rc_command_t rc_command_status = {
    .name = "status",
    .summary = "show how far a sweep is, also while it runs",
    .usage = "[OPTIONS] FILE",
    .description =
        "Reads the store and the journals beside it, without disturbing a running sweep. The table "
        "has the matrices and cases in the store by status, then one row for each journal that is "
        "not folded yet: which rank, whether it is running, "
        "what it has finished and what it has in "
        "hand.",
    .examples = "watch -n 5 rowcast status real.h5|follow a sweep from another terminal",
    .options = table,
    RC_COMMAND_DEFAULTS(struct options, 0),
    .operands = {1, 1},
    .work = run,
};
