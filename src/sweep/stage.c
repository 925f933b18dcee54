#include "config.h"
#include "sweep/stage.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "feature/feature.h"
#include "sparse/csr.h"
#include "io/mtx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rc_job_t *rc_job_new(const rc_worker_t *w, int64_t number, int threads, rc_err_t *err)
{
    size_t policies = (size_t)w->config->policies;
    rc_policy_spec_t *policy = rc_alloc(policies, sizeof *policy, "a matrix in hand", err);
    rc_job_t *j = policy ? rc_alloc0(1, sizeof *j, "a matrix in hand", err) : NULL;
    if (!j) {
        free(policy);
        return NULL;
    }
    j->w = w;
    j->number = number;
    j->item = &w->work->item[number];
    j->entry = &w->config->catalog->entry[j->item->entry];
    j->policy = policy;
    rc_worklist_own(w->config, j->entry, policy, &j->config);
    j->threads = threads;
    j->effort_left = j->item->effort;
    return j;
}

void rc_job_free(rc_job_t *j)
{
    if (!j)
        return;
    for (size_t i = 0; i < j->orders; i++) {
        rc_schedule_free(&j->order[i].schedule);
        rc_csr_free(&j->order[i].a);
        free(j->order[i].parts);
    }
    free(j->policy);
    free(j->order);
    rc_csr_free(&j->a);
    free(j->parts);
    free(j);
}

static int same_geometry(const rc_geometry_t *a, const rc_geometry_t *b)
{
    return a->nw == b->nw && a->nt == b->nt && a->line == b->line;
}

static rc_status_t interrupted(const rc_job_t *j, rc_err_t *err)
{
    return rc_queue_draining(j->w->queue) ? rc_fail(err, RC_EINTR, "drained") : RC_OK;
}

/* ----------------------------------------------------------------- features */

/* The job in the journal that features are part of.  Beside measuring it is another one, so that
 * neither says that what the other does is over. */
static int64_t feature_job(const rc_job_t *j)
{
    return j->behind ? -1 - j->number : j->number;
}

static rc_status_t compute_set(
    rc_job_t *j, const rc_feature_set_t *f, const rc_geometry_t *g, rc_err_t *err)
{
    rc_str_t names = {0};
    rc_err_t why = {0};
    rc_status_t st =
        rc_ledger_begin(j->w->ledger, feature_job(j), j->entry, NULL, RC_PHASE_FEATURE, err);
    if (st < 0)
        return st;
    double *value = rc_alloc((size_t)f->count, sizeof *value, "features", err);
    RC_PASS(value ? RC_OK : RC_ENOMEM);
    int64_t start = rc_clock_ns();
    st = f->compute(&j->a, g, j->threads, value, &why);
    int64_t end = rc_clock_ns();
    if (st < 0) {
        /* no row: the cases can be measured all the same, and a rerun tries again */
        rc_log(j->w->log, RC_LOG_WARN, "sweep", "%s: features %s: %s", j->entry->name, f->name,
            why.text);
        free(value);
        return RC_OK;
    }
    for (int k = 0; k < f->count; k++) {
        rc_str_add(&names, k ? "," : "");
        rc_str_add(&names, f->feature[k].name);
    }
    rc_rec_feature_t r = {.matrix = j->digest,
        .version = f->version,
        .nw = g->nw,
        .nt = g->nt,
        .line = g->line,
        .feature_ns = end - start,
        .count = f->count,
        .value = value,
        .names = names.failed || !names.text ? "" : names.text};
    st = rc_strcpy(r.set, sizeof r.set, f->name, "name of a feature set", err);
    if (st == RC_OK)
        st = rc_ledger_put(j->w->ledger, RC_REC_FEATURE, &r, err);
    rc_str_free(&names);
    free(value);
    return st;
}

static rc_status_t featurise(rc_job_t *j, const rc_geometry_t *g, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int i = 0; rc_feature_sets[i] && st == RC_OK; i++) {
        const rc_feature_set_t *f = rc_feature_sets[i];
        rc_digest_t id = rc_feature_id(j->digest, f->name, f->version, g->nw, g->nt, g->line);
        if (rc_worklist_is_done(j->w->known, id))
            continue;
        st = interrupted(j, err);
        if (st == RC_OK)
            st = compute_set(j, f, g, err);
    }
    return st;
}

/* The features of every geometry, each once: by the part that has the first block of it. */
static rc_status_t featurise_all(rc_job_t *j, rc_err_t *err)
{
    const rc_sweep_config_t *c = j->w->config;
    rc_status_t st = RC_OK;
    for (int i = j->item->first_block; i < j->item->end_block && st == RC_OK; i++) {
        rc_block_t block;
        rc_block_t before;
        int seen = 0;
        rc_worklist_block(c, j->w->profile, i, j->a.cols, &block);
        for (int k = 0; k < i && !seen; k++) {
            rc_worklist_block(c, j->w->profile, k, j->a.cols, &before);
            seen = !before.empty && same_geometry(&before.geometry, &block.geometry);
        }
        if (!block.empty && !seen)
            st = featurise(j, &block.geometry, err);
    }
    return st;
}

/* ------------------------------------------------------------------- orders */

const rc_ordered_t *rc_job_order(const rc_job_t *j, int policy, const rc_geometry_t *g)
{
    for (size_t i = 0; i < j->orders; i++)
        if (j->order[i].policy == policy && (!j->config.policy[policy].policy->needs_geometry ||
                                                same_geometry(&j->order[i].geometry, g)))
            return &j->order[i];
    return NULL;
}

static rc_status_t journal_order(const rc_job_t *j, const rc_ordered_t *o, rc_err_t *err)
{
    const rc_policy_spec_t *spec = &j->config.policy[o->policy];
    const rc_policy_t *policy = spec->policy;
    rc_rec_order_t r = {.matrix = j->digest,
        .version = policy->version,
        .order_ns = o->order_ns,
        .slots = o->schedule.slots,
        .utc_ns = rc_utc_ns()};
    if (policy->needs_geometry) {
        r.nw = o->geometry.nw;
        r.nt = o->geometry.nt;
        r.line = o->geometry.line;
    }
    for (int64_t s = 0; s < o->schedule.slots; s++)
        r.pads += o->schedule.row[s] < 0;
    RC_PASS(rc_strcpy(r.policy, sizeof r.policy, policy->name, "name of an order", err));
    RC_PASS(rc_strcpy(r.params, sizeof r.params, spec->params, "parameters of an order", err));
    return rc_ledger_put(j->w->ledger, RC_REC_ORDER, &r, err);
}

#define COMPLEX
#define INSTANCES "sweep/stage.inc"
#include "device/cpu/instances.inc"

/* The time of it: the second time, as pages are there then.  Without memory for the vectors it
 * stays unknown, which says nothing about the order. */
static void time_vectors(const rc_job_t *j, rc_ordered_t *o)
{
    static void (*const permute[])(const rc_job_t *, const rc_schedule_t *, void *const *) =
        RC_INSTANCES_ANY(permute);
    enum { types = sizeof permute / sizeof *permute, most_bytes = 16 };
    int there = 1;
    void *v[4];
    for (int t = 0; t < RC_TYPES; t++)
        o->permute_ns[t] = -1;
    for (int i = 0; i < 4; i++) {
        v[i] = rc_alloc0((size_t)o->schedule.slots + 1, most_bytes, "vectors to permute", NULL);
        there = there && v[i];
    }
    for (int t = 0; there && t < types; t++)
        for (int i = 0; i < 2; i++) {
            int64_t start = rc_clock_ns();
            permute[t](j, &o->schedule, v);
            o->permute_ns[t] = rc_clock_ns() - start;
        }
    for (int i = 0; i < 4; i++)
        free(v[i]);
}

/* The matrix with its columns renumbered.  Where it has complex values, entries carry their numbers
 * there and have their values by them. */
static rc_status_t renumber(const rc_job_t *j, rc_ordered_t *o, rc_err_t *err)
{
    rc_csr_t a = j->a;
    if (!j->parts)
        return rc_csr_renumber_columns(&a, o->schedule.col, &o->a, err);
    a.val = NULL;
    RC_PASS(RC_NEW(a.val, a.nnz, "numbers of entries", err));
    for (int64_t e = 0; e < a.nnz; e++)
        a.val[e] = (double)e; /* below 2^53: exact */
    rc_status_t st = rc_csr_renumber_columns(&a, o->schedule.col, &o->a, err);
    free(a.val);
    if (st == RC_OK)
        st = RC_NEW(o->parts, 2 * a.nnz, "complex values", err);
    for (int64_t e = 0; st == RC_OK && e < a.nnz; e++) {
        const int64_t from = (int64_t)o->a.val[e];
        o->parts[2 * e] = j->parts[2 * from];
        o->parts[2 * e + 1] = j->parts[2 * from + 1];
        o->a.val[e] = j->a.val[from];
    }
    return st;
}

/* Build the order that a case needs; a policy that does not depend on the geometry is built once
 * and recorded with a geometry of zeros.  A failure is kept: it is the outcome of that case. */
static rc_status_t build_order(
    rc_job_t *j, const rc_case_t *c, int policy, const rc_geometry_t *g, rc_err_t *err)
{
    rc_status_t st = RC_GROW(j->order, j->order_capacity, j->orders + 1, "orders", err);
    if (st == RC_OK)
        st = rc_ledger_begin(j->w->ledger, j->number, j->entry, c, RC_PHASE_ORDER, err);
    if (st < 0)
        return st;
    const rc_order_watch_t watch = {.stop = rc_queue_draining, .user = j->w->queue};
    rc_ordered_t *o = &j->order[j->orders];
    memset(o, 0, sizeof *o);
    o->policy = policy;
    o->geometry = *g;
    int64_t start = rc_clock_ns();
    o->status = rc_policy_build(
        &j->config.policy[policy], &j->a, g, j->threads, &watch, &o->schedule, &o->err);
    if (o->status == RC_EINTR)
        return rc_fail(err, RC_EINTR, "drained");
    if (o->status == RC_OK && o->schedule.cols > 0)
        o->status = renumber(j, o, &o->err);
    o->order_ns = rc_clock_ns() - start;
    if (o->status == RC_OK && o->schedule.cols > 0)
        time_vectors(j, o);
    j->orders++;
    return o->status < 0 ? RC_OK : journal_order(j, o, err);
}

/* The orders of the pending cases of a block that no earlier block brought. */
static rc_status_t order_block(rc_job_t *j, const rc_block_t *block, rc_err_t *err)
{
    const rc_sweep_config_t *c = &j->config;
    rc_status_t st = RC_OK;
    for (int p = 0; p < c->policies && st == RC_OK; p++) {
        rc_case_t one;
        if (!rc_worklist_case(c, j->w->profile, block, p, j->digest, &one) ||
            !rc_worklist_is_left(c, p, rc_worklist_state(j->w->known, rc_case_id(&one))))
            continue;
        j->ready = 1;
        if (rc_job_order(j, p, &block->geometry))
            continue;
        st = interrupted(j, err);
        if (st == RC_OK)
            st = build_order(j, &one, p, &block->geometry, err);
    }
    return st;
}

static rc_status_t order_all(rc_job_t *j, rc_err_t *err)
{
    const rc_sweep_config_t *c = j->w->config;
    rc_status_t st = RC_OK;
    for (int i = j->item->first_block; i < j->item->end_block && st == RC_OK; i++) {
        rc_block_t block;
        rc_worklist_block(c, j->w->profile, i, j->a.cols, &block);
        if (!block.empty)
            st = order_block(j, &block, err);
    }
    return st;
}

/* --------------------------------------------------------------------- load */

/* The catalogue row has its final status.  Each part of a matrix says so, since its results need
 * the row in the same journal; together they are one matrix. */
static rc_status_t name_row(const rc_job_t *j, const rc_mtx_info_t *info, int64_t load_ns,
    rc_case_status_t status, const char *text, rc_err_t *err)
{
    int ok = status == RC_CASE_OK;
    return rc_ledger_source(j->w->ledger, j->entry, ok ? &j->a : NULL, ok ? &j->digest : NULL,
        ok ? info : NULL, load_ns, status, ok ? RC_PHASE_NONE : RC_PHASE_LOAD, text, err);
}

/* Values that a precision of the sweep has infinity for; a matrix in parts says so once. */
static void tell_beyond(const rc_job_t *j)
{
    const rc_sweep_config_t *c = j->w->config;
    char text[RC_BEYOND_MAX + 1];
    for (int i = 0; i < c->precisions && j->item->part == 0; i++) {
        const int is_complex = rc_type(c->precision[i])->parts > 1;
        rc_type_beyond(
            c->precision[i], is_complex ? j->parts : j->a.val, 1 + is_complex, j->a.nnz, text);
        if (text[0])
            rc_log(j->w->log, RC_LOG_INFO, "sweep", "%s: %s", j->entry->name, text);
    }
}

/* 1: the sweep measures numbers of so many parts. */
static int measures(const rc_sweep_config_t *c, int parts)
{
    int n = 0;
    for (int i = 0; i < c->precisions; i++)
        n += rc_type(c->precision[i])->parts == parts;
    return n > 0;
}

/* Complex values of the matrix in hand, where they are measured: those of a complex file. */
static rc_status_t load_parts(rc_job_t *j, const rc_mtx_info_t *info, rc_err_t *err)
{
    const rc_entry_t *e = j->entry;
    if (!measures(j->w->config, 2))
        return RC_OK;
    RC_PASS(RC_NEW(j->parts, 2 * j->a.nnz, "complex values", err));
    return rc_mtx_parts(e->where == RC_WHERE_GENERATED ? NULL : e->location, info, j->threads,
        &j->a, j->parts, err);
}

/* What the sweep knows the matrix by.  Parts that are made are the same for the same matrix; those
 * of a file are not, and enter. */
static rc_status_t identify(rc_job_t *j, const rc_mtx_info_t *info, rc_err_t *err)
{
    return j->parts && strcmp(info->field, "complex") == 0
               ? rc_csr_digest_complex(&j->a, j->parts, &j->digest, err)
               : rc_csr_digest(&j->a, &j->digest, err);
}

/* \param[out] loaded  0: the row has its final status, and that is all */
static rc_status_t load(rc_job_t *j, int *loaded, rc_err_t *err)
{
    const rc_worker_t *w = j->w;
    const rc_entry_t *e = j->entry;
    rc_mtx_info_t info = {.values_are_seeded = 0};
    rc_err_t why = {0};
    *loaded = 0;
    RC_PASS(rc_ledger_begin(w->ledger, j->number, e, NULL, RC_PHASE_LOAD, err));
    rc_status_t st = RC_OK;
    const rc_mtx_bound_t bound = {.bytes = w->memory_limit, .option = "--memory", .log = w->log};
    int64_t need = rc_entry_load_bytes(e);
    int64_t start = rc_clock_ns();
    char text[RC_MESSAGE_MAX + 1];
    if (need > w->memory_limit) {
        rc_memory_reason(text, sizeof text, "loading takes", need, w->memory_limit);
        st = rc_fail(&why, RC_ENOMEM, "%s; --memory sets it", text + strlen("memory: "));
    } else
        st = rc_entry_load(e, w->cache, j->threads, &bound, &j->a, &info, &why);
    if (st == RC_OK)
        st = load_parts(j, &info, &why);
    int64_t load_ns = rc_clock_ns() - start;
    if (st == RC_OK)
        st = identify(j, &info, &why);
    if (st < 0) {
        snprintf(text, sizeof text, "%s%.240s", st == RC_ENOMEM ? "memory: " : "", why.text);
        rc_log(w->log, RC_LOG_WARN, "sweep", "%s: %s", e->name, why.text);
        return name_row(
            j, NULL, load_ns, st == RC_ENOMEM ? RC_CASE_SKIPPED : RC_CASE_FAILED, text, err);
    }
    if (strcmp(info.field, "complex") == 0 && measures(w->config, 1))
        rc_log(w->log, RC_LOG_INFO, "sweep", "%s: " RC_COMPLEX_NOTICE, e->name);
    tell_beyond(j);
    *loaded = 1;
    return name_row(j, &info, load_ns, RC_CASE_OK, "", err);
}

/* What a matrix took before it can be measured, for who tunes. */
static void tell_stages(const rc_job_t *j, const int64_t *at)
{
    rc_log(j->w->log, RC_LOG_DEBUG, "sweep",
        "%s: loaded in %.3f s, orders %.3f s, features %.3f s%s, %d threads", j->entry->name,
        (double)(at[1] - at[0]) * 1e-9, (double)(at[2] - at[1]) * 1e-9,
        (double)(at[3] - at[2]) * 1e-9, j->ready && j->behind ? " so far" : "", j->threads);
}

rc_status_t rc_job_prepare(rc_job_t *j, rc_err_t *err)
{
    int loaded = 0;
    int64_t start = rc_clock_ns();
    int64_t at[] = {start, start, start, start};
    rc_status_t st = load(j, &loaded, err);
    at[1] = rc_clock_ns();
    if (st == RC_OK && loaded)
        st = rc_queue_claim(j->w->queue, j->number, j->digest, &j->claimed, err);
    if (st == RC_OK && loaded && !j->claimed && j->item->part == 0)
        rc_ledger_alias(j->w->ledger);
    if (st == RC_OK && j->claimed)
        st = order_all(j, err);
    at[2] = rc_clock_ns();
    j->behind = j->behind && j->ready;
    if (st == RC_OK && j->claimed && !j->behind)
        st = featurise_all(j, err);
    at[3] = rc_clock_ns();
    if (st == RC_OK && j->claimed)
        tell_stages(j, at);
    if (st < 0)
        j->ready = 0;
    /* while it waits, nothing of it is in flight */
    if (j->ready)
        st = rc_ledger_settled(j->w->ledger, RC_REC_SETTLED, j->number, 0, err);
    j->span_ns += rc_clock_ns() - start;
    return st;
}

rc_status_t rc_job_featurise(rc_job_t *j, rc_err_t *err)
{
    int64_t start = rc_clock_ns();
    rc_status_t st = featurise_all(j, err);
    rc_log(j->w->log, RC_LOG_DEBUG, "sweep", "%s: features %.3f s beside measuring, %d threads",
        j->entry->name, (double)(rc_clock_ns() - start) * 1e-9, j->threads);
    rc_status_t settled =
        rc_ledger_settled(j->w->ledger, RC_REC_SETTLED, feature_job(j), 1, st < 0 ? NULL : err);
    return st < 0 ? st : settled;
}

static int64_t schedule_bytes(const rc_ordered_t *o)
{
    int64_t bytes = (o->schedule.slots + o->schedule.cols) * (int64_t)sizeof *o->schedule.row;
    for (int l = 0; l < o->schedule.levels; l++)
        bytes += o->schedule.group[l].count * (int64_t)sizeof *o->schedule.group[l].ptr;
    return o->schedule.cols > 0 ? bytes + rc_csr_bytes(o->a.rows, o->a.nnz) : bytes;
}

int64_t rc_job_bytes(const rc_job_t *j)
{
    int64_t bytes = rc_csr_bytes(j->a.rows, j->a.nnz);
    if (j->parts)
        bytes += j->a.nnz * 2 * (int64_t)sizeof *j->parts;
    for (size_t i = 0; i < j->orders; i++)
        bytes += schedule_bytes(&j->order[i]);
    /* a copy in schedule order on its way to the device */
    return bytes + j->a.nnz * 12 + j->a.rows * 16;
}

/* ---------------------------------------------------------------------- end */

void rc_job_spend(rc_job_t *j, const rc_effort_t *effort)
{
    const rc_effort_t e = *effort; /* which may be what is left */
    rc_effort_add(&j->progress.effort, &e, 1);
    rc_effort_add(&j->effort_left, &e, -1);
}

rc_status_t rc_job_tell(rc_job_t *j, rc_err_t *err)
{
    rc_status_t st = rc_queue_tell(j->w->queue, &j->progress, err);
    memset(&j->progress, 0, sizeof j->progress);
    return st;
}

rc_status_t rc_job_end(rc_job_t *j, rc_status_t st, rc_err_t *err)
{
    if (st == RC_OK || st == RC_EINTR || st == RC_EDEVICE) {
        /* whatever was begun and not finished was given up in good order */
        rc_status_t settled =
            rc_ledger_settled(j->w->ledger, RC_REC_SETTLED, j->number, 1, st == RC_OK ? err : NULL);
        st = st == RC_OK ? settled : st;
    }
    /* the next run does what cannot be given back */
    if (st < 0 && !j->touched)
        (void)rc_queue_put_back(j->w->queue, j->number, NULL);
    rc_ledger_span(j->w->ledger, j->entry->name, j->span_ns);
    if (st == RC_OK) {
        rc_job_spend(j, &j->effort_left);
        st = rc_job_tell(j, err);
    }
    return st;
}
