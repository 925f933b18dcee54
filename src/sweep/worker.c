#include "config.h"
#include "sweep/worker.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "feature/feature.h"
#include "sparse/csr.h"
#include "sparse/mtx.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An order of the current matrix, built when a block first needs it. */
typedef struct ordered {
    int policy;
    rc_geometry_t geometry;
    rc_schedule_t schedule;
    int64_t order_ns;
    rc_status_t status;
    rc_err_t err;
} ordered_t;

/* The matrix in hand. */
typedef struct job {
    rc_worker_t *w;
    const rc_entry_t *entry;
    const rc_sweep_item_t *item;
    rc_csr_t a;
    rc_digest_t digest;
    ordered_t *order;
    size_t orders;
    size_t order_capacity;
    rc_progress_t progress;
    double cost_left_s;
    rc_err_t *err;
} job_t;

/* The pending cases of one block. */
typedef struct batch {
    job_t *job;
    const rc_block_t *block;
    rc_case_t *id;           /* [n] */
    rc_measured_t *measured; /* [n] */
    int64_t *order_ns;       /* [n] */
    int n;
    rc_status_t failed; /* the journal could not be written inside a callback */
} batch_t;

/* ------------------------------------------------------------------ journal */

static rc_status_t journal_begin(job_t *j, const rc_case_t *c, rc_phase_t phase)
{
    rc_rec_begin_t b;
    memset(&b, 0, sizeof b);
    b.utc_ns = rc_utc_ns();
    b.phase = phase;
    if (c) {
        b.id = rc_case_id(c);
        b.c = *c;
    } else {
        const rc_entry_t *e = j->entry;
        b.is_source = 1;
        b.id = rc_source_case_id(e->name, e->location, e->bytes, e->mtime_ns);
        b.bytes = e->bytes;
        b.mtime_ns = e->mtime_ns;
        b.where = e->where;
        rc_status_t st = rc_strcpy(b.name, sizeof b.name, e->name, "name", j->err);
        if (st == RC_OK)
            st = rc_strcpy(b.location, sizeof b.location, e->location, "location", j->err);
        if (st < 0)
            return st;
    }
    rc_rec_put_begin(&j->w->buffer, &b);
    return rc_journal_append(j->w->journal, RC_REC_BEGIN, &j->w->buffer, j->err);
}

static rc_status_t journal_settled(rc_worker_t *w, rc_err_t *err)
{
    w->buffer.len = 0;
    w->buffer.failed = 0;
    return rc_journal_append(w->journal, RC_REC_SETTLED, &w->buffer, err);
}

/* A text cut to the width of the store. */
static void set_text(char *to, const char *from)
{
    snprintf(to, RC_MESSAGE_MAX + 1, "%s", from);
}

/* What is skipped for want of memory says so first. */
static int is_too_large(rc_case_status_t status, const char *text)
{
    return status == RC_CASE_SKIPPED && strncmp(text, "memory:", 7) == 0;
}

static rc_status_t journal_source(rc_worker_t *w, const rc_entry_t *e, const rc_csr_t *a,
    const rc_digest_t *digest, int seeded, int64_t load_ns, rc_case_status_t status,
    rc_phase_t phase, const char *text, rc_err_t *err)
{
    rc_rec_source_t r;
    memset(&r, 0, sizeof r);
    rc_status_t st = rc_strcpy(r.name, sizeof r.name, e->name, "name", err);
    if (st == RC_OK)
        st = rc_strcpy(r.location, sizeof r.location, e->location, "location", err);
    if (st < 0)
        return st;
    snprintf(r.kind, sizeof r.kind, "%s", e->kind);
    set_text(r.text, text);
    r.ssid = e->id;
    r.bytes = e->bytes;
    r.mtime_ns = e->mtime_ns;
    r.load_ns = load_ns;
    r.utc_ns = rc_utc_ns();
    r.rows = r.cols = r.nnz = -1;
    if (a) {
        r.rows = a->rows;
        r.cols = a->cols;
        r.nnz = a->nnz;
        r.digest = *digest;
        r.loaded = 1;
        r.values_seeded = seeded;
    }
    r.where = e->where;
    r.status = (int32_t)status;
    r.phase = phase;
    rc_rec_put_source(&w->buffer, &r);
    st = rc_journal_append(w->journal, RC_REC_SOURCE, &w->buffer, err);
    if (st == RC_OK) {
        w->result->matrices[status]++;
        w->result->too_large += is_too_large(status, text);
    }
    return st;
}

static rc_status_t journal_result(
    job_t *j, const rc_case_t *c, const rc_measured_t *m, int64_t order_ns, uint64_t seed)
{
    rc_rec_result_t r;
    memset(&r, 0, sizeof r);
    r.c = *c;
    set_text(r.text, m->text);
    r.row.order_ns = order_ns;
    r.row.prepare_ns = m->prepare_ns;
    r.row.preprocess_ns = m->preprocess_ns;
    r.row.first_ns = m->first_ns;
    r.row.median_ns = m->median_ns;
    r.row.min_ns = m->min_ns;
    r.row.mean_ns = m->mean_ns;
    r.row.sd_ns = m->sd_ns;
    r.row.rel_err = m->rel_err;
    r.row.error_max = m->error_max;
    r.row.error_rel = m->error_rel;
    r.row.clock_mhz = m->state.clock_mhz;
    r.row.memory_clock_mhz = m->state.memory_clock_mhz;
    r.row.temperature_c = m->state.temperature_c;
    r.row.throttle = m->state.throttle;
    r.row.reps = m->sample_ns ? m->reps : 0;
    r.row.batch = m->batch;
    r.row.k_tile = m->k_tile;
    r.row.bytes_min = m->bytes_min;
    r.row.seed = (int64_t)seed;
    r.row.utc_ns = rc_utc_ns();
    r.row.status = (int32_t)m->status;
    r.row.phase = (int32_t)m->phase;
    r.row.stop = (int32_t)m->stop;
    r.sample_ns = m->sample_ns;
    rc_rec_put_result(&j->w->buffer, &r);
    rc_status_t st = rc_journal_append(j->w->journal, RC_REC_RESULT, &j->w->buffer, j->err);
    if (st == RC_OK) {
        j->w->result->measured[m->status]++;
        j->w->result->too_large += is_too_large(m->status, m->text);
        j->progress.cases[m->status]++;
    }
    return st;
}

rc_status_t rc_worker_absent(rc_worker_t *w, const rc_entry_t *e, rc_err_t *err)
{
    return journal_source(w, e, NULL, NULL, 0, 0, RC_CASE_SKIPPED, RC_PHASE_LOAD,
        "absent: not in the collection", err);
}

/* ------------------------------------------------------------------- stages */

static int same_geometry(const rc_geometry_t *a, const rc_geometry_t *b)
{
    return a->nw == b->nw && a->nt == b->nt && a->line == b->line;
}

static rc_status_t featurise(job_t *j, const rc_geometry_t *g)
{
    rc_status_t st = RC_OK;
    for (int i = 0; rc_feature_sets[i] && st == RC_OK; i++) {
        const rc_feature_set_t *f = rc_feature_sets[i];
        rc_digest_t id = rc_feature_id(j->digest, f->name, f->version, g->nw, g->nt, g->line);
        rc_str_t names = {0};
        if (rc_map_get(&j->w->known->state, id, RC_PLAN_PENDING) == RC_PLAN_DONE)
            continue;
        st = journal_begin(j, NULL, RC_PHASE_FEATURE);
        if (st < 0)
            return st;
        double *value = rc_alloc((size_t)f->count, sizeof *value, "features", j->err);
        if (!value)
            return RC_ENOMEM;
        int64_t start = rc_clock_ns();
        rc_err_t why = {0};
        st = f->compute(&j->a, g, j->w->device->threads, value, &why);
        int64_t end = rc_clock_ns();
        if (st < 0) {
            /* no row: the cases can be measured all the same, and a rerun tries again */
            rc_log(j->w->log, RC_LOG_WARN, "sweep", "%s: features %s: %s", j->entry->name, f->name,
                why.text);
            free(value);
            st = RC_OK;
            continue;
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
        st = rc_strcpy(r.set, sizeof r.set, f->name, "name of a feature set", j->err);
        if (st == RC_OK) {
            rc_rec_put_feature(&j->w->buffer, &r);
            st = rc_journal_append(j->w->journal, RC_REC_FEATURE, &j->w->buffer, j->err);
        }
        if (st == RC_OK) {
            j->w->result->features++;
            st = rc_map_set(&j->w->known->state, id, RC_PLAN_DONE, j->err);
        }
        rc_str_free(&names);
        free(value);
    }
    return st;
}

/* The order that a case needs, from the cache or built now.  A failure to build is kept in the
 * entry: it is the outcome of the cases that need it. */
static rc_status_t order_for(
    job_t *j, const rc_case_t *c, int policy, const rc_geometry_t *g, size_t *out)
{
    for (size_t i = 0; i < j->orders; i++)
        if (j->order[i].policy == policy && same_geometry(&j->order[i].geometry, g)) {
            *out = i;
            return RC_OK;
        }
    void *p = j->order;
    rc_status_t st =
        rc_grow(&p, &j->order_capacity, j->orders + 1, sizeof *j->order, "orders", j->err);
    j->order = p;
    if (st < 0)
        return st;
    ordered_t *o = &j->order[j->orders];
    memset(o, 0, sizeof *o);
    o->policy = policy;
    o->geometry = *g;
    const rc_policy_t *desc = j->w->config->policy[policy];
    st = journal_begin(j, c, RC_PHASE_ORDER);
    if (st < 0)
        return st;
    int64_t start = rc_clock_ns();
    o->status = rc_order_build(desc->name, &j->a, g, j->w->device->threads, &o->schedule, &o->err);
    o->order_ns = rc_clock_ns() - start;
    *out = j->orders++;
    if (o->status < 0)
        return RC_OK;
    rc_rec_order_t r = {.matrix = j->digest,
        .version = desc->version,
        .nw = g->nw,
        .nt = g->nt,
        .line = g->line,
        .order_ns = o->order_ns,
        .slots = o->schedule.slots,
        .utc_ns = rc_utc_ns()};
    for (int64_t s = 0; s < o->schedule.slots; s++)
        r.pads += o->schedule.row[s] < 0;
    st = rc_strcpy(r.policy, sizeof r.policy, desc->name, "name of a policy", j->err);
    if (st < 0)
        return st;
    rc_rec_put_order(&j->w->buffer, &r);
    return rc_journal_append(j->w->journal, RC_REC_ORDER, &j->w->buffer, j->err);
}

/* ---------------------------------------------------------------- measuring */

static int asked_to_stop(void *user)
{
    batch_t *b = user;
    return b->failed < 0 || rc_queue_draining(b->job->w->queue);
}

static void entering(void *user, int index, rc_phase_t phase)
{
    batch_t *b = user;
    int first = index < 0 ? 0 : index;
    int last = index < 0 ? b->n - 1 : index;
    for (int i = first; i <= last && b->failed >= 0; i++)
        if (b->measured[i].status == RC_CASE_PENDING)
            b->failed = journal_begin(b->job, &b->id[i], phase);
}

static void spend(job_t *j, double part)
{
    j->progress.cost_s += part;
    j->cost_left_s -= part;
}

/* Measure and journal the cases [first, first + n) of a batch. */
static rc_status_t measure(batch_t *all, int first, int n)
{
    job_t *j = all->job;
    rc_worker_t *w = j->w;
    const rc_sweep_config_t *c = w->config;
    batch_t b = {.job = j,
        .block = all->block,
        .id = all->id + first,
        .measured = all->measured + first,
        .order_ns = all->order_ns + first,
        .n = n};
    rc_group_t g = {.a = &j->a,
        .digest = j->digest,
        .kernel = &c->kernel[all->block->kernel],
        .k = all->block->k,
        .precision = all->block->precision,
        .c_order = RC_C_ORIGINAL,
        .geometry = all->block->geometry,
        .memory_limit = w->memory_limit};
    rc_status_t st = rc_turn_own(w->turn, rc_queue_draining, w->queue);
    if (st < 0)
        return rc_fail(j->err, st, "drained");
    int64_t start = rc_clock_ns();
    st = rc_measure_group(
        w->measure, &c->measure, &g, b.measured, n, asked_to_stop, entering, &b, j->err);
    w->busy_ns += rc_clock_ns() - start;
    rc_turn_leave(w->turn);
    if (b.failed < 0)
        st = b.failed;
    rc_status_t written = RC_OK;
    for (int i = 0; i < n; i++) {
        if (b.measured[i].status != RC_CASE_PENDING && written == RC_OK)
            written = journal_result(j, &b.id[i], &b.measured[i], b.order_ns[i], c->measure.seed);
        rc_measured_free(&b.measured[i]);
    }
    return st < 0 ? st : written;
}

static rc_status_t tell(job_t *j)
{
    rc_status_t st = rc_queue_tell(j->w->queue, &j->progress, j->err);
    memset(&j->progress, 0, sizeof j->progress);
    return st;
}

/* Put the pending cases of a block into a batch: those that a dead run left in flight come last and
 * are counted, for they are measured one by one. */
static rc_status_t fill_batch(job_t *j, const rc_block_t *block, batch_t *b, int *suspects)
{
    const rc_sweep_config_t *c = j->w->config;
    for (int pass = RC_PLAN_PENDING; pass <= RC_PLAN_SUSPECT; pass += RC_PLAN_SUSPECT)
        for (int p = 0; p < c->policies; p++) {
            rc_case_t one;
            size_t at;
            rc_plan_case(c, j->w->profile, block, p, j->digest, &one);
            if (rc_map_get(&j->w->known->state, rc_case_id(&one), RC_PLAN_PENDING) != pass)
                continue;
            if (rc_queue_draining(j->w->queue))
                return rc_fail(j->err, RC_EINTR, "drained");
            rc_status_t st = order_for(j, &one, p, &block->geometry, &at);
            if (st < 0)
                return st;
            rc_measured_t *m = &b->measured[b->n];
            memset(m, 0, sizeof *m);
            b->id[b->n] = one;
            b->order_ns[b->n] = j->order[at].order_ns;
            if (j->order[at].status < 0) {
                rc_status_t why = j->order[at].status;
                m->status = why == RC_ENOMEM ? RC_CASE_SKIPPED : RC_CASE_FAILED;
                m->phase = RC_PHASE_ORDER;
                m->median_ns = m->min_ns = m->mean_ns = m->sd_ns = m->rel_err = NAN;
                m->error_max = m->error_rel = NAN;
                m->state.clock_mhz = m->state.memory_clock_mhz = m->state.temperature_c = NAN;
                m->state.throttle = -1;
                snprintf(m->text, sizeof m->text, "%s%.180s", why == RC_ENOMEM ? "memory: " : "",
                    j->order[at].err.text);
                st = journal_result(j, &one, m, 0, c->measure.seed);
                if (st < 0)
                    return st;
                continue;
            }
            b->n++;
            *suspects += pass == RC_PLAN_SUSPECT;
        }
    /* the schedules stay where they are from here on: the cache does not grow any more */
    for (int i = 0; i < b->n; i++)
        for (int p = 0; p < c->policies; p++) {
            size_t at;
            if (strcmp(c->policy[p]->name, b->id[i].policy) != 0)
                continue;
            rc_status_t st = order_for(j, &b->id[i], p, &block->geometry, &at);
            if (st < 0)
                return st;
            b->measured[i].schedule = &j->order[at].schedule;
        }
    return RC_OK;
}

static rc_status_t do_block(job_t *j, const rc_block_t *block)
{
    const rc_sweep_config_t *c = j->w->config;
    size_t most = (size_t)c->policies;
    batch_t b = {.job = j, .block = block};
    int suspects = 0;
    b.id = rc_alloc(most, sizeof *b.id, "cases", j->err);
    b.measured = rc_alloc0(most, sizeof *b.measured, "cases", j->err);
    b.order_ns = rc_alloc(most, sizeof *b.order_ns, "cases", j->err);
    rc_status_t st = b.id && b.measured && b.order_ns ? RC_OK : RC_ENOMEM;
    if (st == RC_OK)
        st = rc_turn_share(j->w->turn, rc_queue_draining, j->w->queue);
    if (st == RC_OK)
        st = fill_batch(j, block, &b, &suspects);
    rc_turn_leave(j->w->turn);
    int together = b.n - suspects;
    if (st == RC_OK && together > 0)
        st = measure(&b, 0, together);
    for (int i = together; i < b.n && st == RC_OK; i++)
        st = measure(&b, i, 1);
    free(b.id);
    free(b.measured);
    free(b.order_ns);
    return st;
}

/* ------------------------------------------------------------------- an item */

/* 1: loaded; 0: the row has its final status; negative: an error of the rank. */
static int load(job_t *j, int *mine)
{
    rc_worker_t *w = j->w;
    const rc_entry_t *e = j->entry;
    rc_mtx_info_t info = {.values_are_seeded = 0};
    rc_err_t why = {0};
    rc_status_t st = journal_begin(j, NULL, RC_PHASE_LOAD);
    if (st < 0)
        return st;
    int64_t need = rc_entry_load_bytes(e);
    int64_t start = rc_clock_ns();
    if (need > w->memory_limit)
        st = rc_fail(&why, RC_ENOMEM,
            "loading takes about %" PRId64 " bytes, the limit is %" PRId64, need, w->memory_limit);
    else
        st = rc_entry_load(e, w->device->threads, &j->a, &info, &why);
    int64_t load_ns = rc_clock_ns() - start;
    if (st == RC_OK)
        st = rc_csr_digest(&j->a, &j->digest, &why);
    if (st < 0) {
        char text[RC_MESSAGE_MAX + 1];
        snprintf(text, sizeof text, "%s%.240s", st == RC_ENOMEM ? "memory: " : "", why.text);
        rc_log(w->log, RC_LOG_WARN, "sweep", "%s: %s", e->name, why.text);
        st = journal_source(w, e, NULL, NULL, 0, load_ns,
            st == RC_ENOMEM ? RC_CASE_SKIPPED : RC_CASE_FAILED, RC_PHASE_LOAD, text, j->err);
        return st < 0 ? (int)st : 0;
    }
    if (strcmp(info.field, "complex") == 0)
        rc_log(w->log, RC_LOG_INFO, "sweep", "%s: " RC_COMPLEX_NOTICE, e->name);
    st = journal_source(w, e, &j->a, &j->digest, info.values_are_seeded, load_ns, RC_CASE_OK,
        RC_PHASE_NONE, "", j->err);
    if (st == RC_OK)
        st = rc_queue_claim(w->queue, j->digest, mine, j->err);
    return st < 0 ? (int)st : 1;
}

static rc_status_t measure_matrix(job_t *j)
{
    const rc_sweep_config_t *c = j->w->config;
    int blocks = rc_plan_blocks(c);
    double part = j->cost_left_s / (blocks + 1);
    rc_status_t st = rc_turn_share(j->w->turn, rc_queue_draining, j->w->queue);
    for (int i = 0; i < blocks && st == RC_OK; i++) {
        rc_block_t block;
        rc_plan_block(c, j->w->profile, i, j->a.cols, &block);
        if (block.k > 0)
            st = featurise(j, &block.geometry);
    }
    rc_turn_leave(j->w->turn);
    spend(j, part);
    for (int i = 0; i < blocks && st == RC_OK; i++) {
        rc_block_t block;
        rc_plan_block(c, j->w->profile, i, j->a.cols, &block);
        if (block.k > 0)
            st = do_block(j, &block);
        spend(j, part);
        if (st == RC_OK)
            st = tell(j);
    }
    return st;
}

rc_status_t rc_worker_do(rc_worker_t *w, const rc_sweep_item_t *item, rc_err_t *err)
{
    int mine = 1;
    job_t j = {.w = w,
        .entry = &w->config->catalog->entry[item->entry],
        .item = item,
        .cost_left_s = item->cost_s,
        .err = err};
    int64_t start = rc_clock_ns();
    rc_status_t st = rc_turn_share(w->turn, rc_queue_draining, w->queue);
    if (st < 0)
        return rc_fail(err, st, "drained");
    int loaded = load(&j, &mine);
    rc_turn_leave(w->turn);
    if (loaded < 0)
        st = (rc_status_t)loaded;
    else if (loaded && mine)
        st = measure_matrix(&j);
    else if (loaded)
        w->result->aliases++;
    if (st == RC_OK || st == RC_EINTR) {
        /* whatever was begun and not finished was given up in good order */
        rc_status_t settled = journal_settled(w, st == RC_OK ? err : NULL);
        st = st == RC_OK ? settled : st;
    }
    spend(&j, j.cost_left_s);
    if (st == RC_OK)
        st = tell(&j);
    for (size_t i = 0; i < j.orders; i++)
        rc_schedule_free(&j.order[i].schedule);
    free(j.order);
    rc_csr_free(&j.a);
    double seconds = (double)(rc_clock_ns() - start) * 1e-9;
    if (seconds > w->result->slowest_s) {
        w->result->slowest_s = seconds;
        snprintf(w->result->slowest, sizeof w->result->slowest, "%s", j.entry->name);
    }
    return st;
}
