#include "config.h"
#include "store/fold.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/open.h"
#include "base/outcome.h"
#include "base/str.h"

#include <inttypes.h>
#include <signal.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct scan {
    const char *dir;
    const char *store; /* NULL: there is none, or its results are among the landed */
    rc_dicts_t *d;
    const rc_log_t *log;
    rc_fold_t *fold;
    rc_err_t *err;
    const rc_fold_writers_t *writers;
    rc_map_t landed; /* case -> run of its last row */
} scan_t;

static rc_status_t push_provenance(scan_t *s, const rc_rec_kv_t *kv, int32_t run)
{
    size_t left = strlen(kv->value);
    const char *at = kv->value;
    for (int32_t part = 0; part == 0 || left > 0; part++) {
        rc_row_provenance_t row = {.run = run, .rank = kv->rank, .part = part};
        size_t n = left < sizeof row.value ? left : sizeof row.value;
        memcpy(row.value, at, n);
        RC_PASS(rc_field_set(row.key, sizeof row.key, kv->key, "key", s->err));
        RC_PASS(rc_dict_push(&s->d->d[RC_T_PROVENANCE], &row, s->err));
        at += n;
        left -= n;
    }
    return RC_OK;
}

static rc_status_t push_source(scan_t *s, const rc_rec_source_t *r, int32_t run)
{
    rc_row_source_t row = {.bytes = r->bytes,
        .mtime_ns = r->mtime_ns,
        .load_ns = r->load_ns,
        .utc_ns = r->utc_ns,
        .where = r->where,
        .matrix = -1,
        .status = r->status,
        .phase = r->phase,
        .run = run};
    RC_PASS(rc_field_set(row.name, sizeof row.name, r->name, "name", s->err));
    RC_PASS(rc_field_set(row.location, sizeof row.location, r->location, "location", s->err));
    if (r->loaded)
        RC_PASS(rc_dict_matrix(s->d, r->digest, r, &row.matrix, s->err));
    RC_PASS(rc_dict_message(s->d, r->text, &row.message, s->err));
    return rc_dict_push(&s->d->d[RC_T_SOURCE], &row, s->err);
}

/* The identity of a result row and its ids, which the dictionaries get where they lack them. */
static rc_status_t name_case(scan_t *s, const rc_case_t *c, const char *text, rc_row_result_t *row)
{
    memcpy(row->case_id, rc_digest_hex(rc_case_id(c)).text, sizeof row->case_id);
    row->k = c->k;
    row->nw = c->nw;
    row->nt = c->nt;
    row->line = c->line;
    row->op = c->op;
    row->precision = c->precision;
    row->layout = c->layout;
    row->c_order = c->c_order;
    row->cache = c->cache;
    RC_PASS(rc_dict_matrix(s->d, c->matrix, NULL, &row->matrix, s->err));
    RC_PASS(
        rc_dict_policy(s->d, c->policy, c->policy_version, c->policy_params, &row->policy, s->err));
    RC_PASS(rc_dict_kernel(s->d, c->kernel, c->kernel_version, c->params, &row->kernel, s->err));
    RC_PASS(rc_dict_device(s->d, c->device, &row->device, s->err));
    return rc_dict_message(s->d, text, &row->message, s->err);
}

static rc_status_t push_result(
    scan_t *s, const rc_rec_result_t *r, const rc_fold_part_t *part, int64_t seq)
{
    rc_fold_t *f = s->fold;
    rc_row_result_t row = r->row;
    size_t reps = (size_t)row.reps;
    row.run = part->run;
    row.rank = part->rank;
    row.seq = seq;
    row.sample_offset = reps ? (int64_t)f->samples : -1;
    RC_PASS(rc_map_set(&s->landed, rc_case_id(&r->c), part->run, s->err));
    RC_PASS(name_case(s, &r->c, r->text, &row));
    RC_PASS(rc_dict_push(&f->result, &row, s->err));
    RC_PASS(RC_GROW(f->sample, f->sample_capacity, f->samples + reps, "samples", s->err));
    if (reps)
        memcpy(f->sample + f->samples, r->sample_ns, reps * sizeof *f->sample);
    f->samples += reps;
    return RC_OK;
}

static rc_status_t push_order(scan_t *s, const rc_rec_order_t *o, int32_t run)
{
    rc_row_order_t row = {.order_ns = o->order_ns,
        .slots = o->slots,
        .pads = o->pads,
        .utc_ns = o->utc_ns,
        .nw = o->nw,
        .nt = o->nt,
        .line = o->line,
        .run = run};
    RC_PASS(rc_dict_matrix(s->d, o->matrix, NULL, &row.matrix, s->err));
    RC_PASS(rc_dict_policy(s->d, o->policy, o->version, o->params, &row.policy, s->err));
    return rc_dict_push(&s->fold->order, &row, s->err);
}

/* The set of that name and those columns, which is made when it is new. */
static rc_status_t set_of(scan_t *s, const rc_rec_feature_t *r, rc_fold_set_t **out)
{
    rc_fold_t *f = s->fold;
    int i = 0;
    while (i < f->sets && strcmp(f->set[i].set, r->set) != 0)
        i++;
    if (i == RC_FOLD_SETS_MAX)
        return rc_fail(s->err, RC_ENOTSUP, "more than %d feature sets", RC_FOLD_SETS_MAX);
    rc_fold_set_t *set = *out = &f->set[i];
    if (i < f->sets)
        return set->columns == r->count
                   ? RC_OK
                   : rc_fail(s->err, RC_ESTORE,
                         "feature set %s has %d columns in one journal and %d in another", r->set,
                         set->columns, r->count);
    set->columns = r->count;
    RC_PASS(rc_strcpy(set->set, sizeof set->set, r->set, "name of a feature set", s->err));
    RC_PASS(rc_strcpy(set->names, sizeof set->names, r->names, "names of features", s->err));
    f->sets++;
    return RC_OK;
}

static rc_status_t push_feature(scan_t *s, const rc_rec_feature_t *r, int32_t run)
{
    rc_fold_set_t *t = NULL;
    size_t count = (size_t)r->count;
    rc_row_feature_t row = {.feature_ns = r->feature_ns,
        .nw = r->nw,
        .nt = r->nt,
        .line = r->line,
        .version = r->version,
        .run = run};
    RC_PASS(rc_dict_matrix(s->d, r->matrix, NULL, &row.matrix, s->err));
    RC_PASS(set_of(s, r, &t));
    RC_PASS(RC_GROW(t->row, t->row_capacity, t->rows + 1, "feature rows", s->err));
    RC_PASS(RC_GROW(t->value, t->value_capacity, t->values + count, "features", s->err));
    t->row[t->rows++] = row;
    memcpy(t->value + t->values, r->value, count * sizeof *t->value);
    t->values += count;
    return RC_OK;
}

/* A record that the store does not have yet. */
static rc_status_t take_new(
    scan_t *s, const rc_record_t *r, const rc_rec_t *what, const rc_fold_part_t *part)
{
    rc_row_run_t *run = (rc_row_run_t *)s->d->d[RC_T_RUN].rows + part->run;
    switch (r->type) {
    case RC_REC_KV:
        return push_provenance(s, &what->kv, part->run);
    case RC_REC_SOURCE:
        return push_source(s, &what->source, part->run);
    case RC_REC_FEATURE:
        return push_feature(s, &what->feature, part->run);
    case RC_REC_ORDER:
        return push_order(s, &what->order, part->run);
    case RC_REC_RESULT:
        return push_result(s, &what->result, part, r->seq);
    case RC_REC_END:
        if (what->end.utc_ns > run->ended_ns)
            run->ended_ns = what->end.utc_ns;
        if (part->rank == 0)
            run->state = what->end.state;
        return RC_OK;
    default: /* no row, or of a newer version: left alone */
        return RC_OK;
    }
}

/* The store lacks what a record says, or it tells what is in flight. */
static int is_used(const rc_record_t *r, const rc_fold_part_t *part)
{
    return r->type == RC_REC_BEGIN || r->type == RC_REC_RESULT || r->type == RC_REC_SETTLED ||
           r->type == RC_REC_LOST ||
           (r->type != RC_REC_RUN && r->type != RC_REC_PLAN && r->end > part->start);
}

/* Last run that got done with a catalogue row: it has a row and did not die with it in flight, or
 * the row is crashed.  -1: none. */
static int32_t last_run_of_source(const scan_t *s, const rc_rec_begin_t *b, const char case_id[32])
{
    const rc_dict_t *t = &s->d->d[RC_T_SOURCE];
    const rc_row_source_t *row = t->rows;
    const rc_dict_t *lost = &s->d->d[RC_T_INFLIGHT];
    const rc_row_inflight_t *died_in = lost->rows;
    int32_t since = -1;
    for (size_t i = 0; i < t->count; i++) {
        int died = 0;
        if (row[i].run <= since || row[i].bytes != b->bytes || row[i].mtime_ns != b->mtime_ns ||
            strncmp(row[i].name, b->name, sizeof row->name) != 0 ||
            strncmp(row[i].location, b->location, sizeof row->location) != 0)
            continue;
        for (size_t k = 0; k < lost->count && row[i].status != RC_CASE_CRASHED; k++)
            died = died || (died_in[k].run == row[i].run &&
                               memcmp(died_in[k].case_id, case_id, sizeof died_in[k].case_id) == 0);
        since = died ? since : row[i].run;
    }
    return since;
}

/* The results of the store, where the journals have no newer one: read when they are asked for. */
static rc_status_t read_landed(scan_t *s)
{
    rc_h5_t h;
    void *rows = NULL;
    int64_t n = 0;
    char hex[RC_DIGEST_HEX + 1];
    RC_PASS(rc_h5_open(s->store, 0, &h, s->err));
    rc_status_t st = rc_h5_read(&h, &rc_schema[RC_T_RESULT], &rows, &n, s->err);
    const rc_row_result_t *row = rows;
    for (int64_t i = n - 1; st == RC_OK && i >= 0; i--) {
        rc_digest_t id;
        if (rc_digest_parse(rc_field_text(row[i].case_id, RC_DIGEST_HEX, hex), &id) == RC_OK &&
            rc_map_get(&s->landed, id, -1) < 0)
            st = rc_map_set(&s->landed, id, row[i].run, s->err);
    }
    free(rows);
    s->store = NULL;
    return rc_h5_closed(st, &h, s->err);
}

/* Dead runs in which a case was in flight after its last final row, and of them those that died by
 * themselves. */
static rc_status_t times_in_flight(
    scan_t *s, const rc_rec_begin_t *b, const char case_id[32], int64_t *times, int64_t *own)
{
    const rc_dict_t *t = &s->d->d[RC_T_INFLIGHT];
    const rc_row_inflight_t *row = t->rows;
    int32_t since;
    *times = *own = 0;
    if (b->is_source)
        since = last_run_of_source(s, b, case_id);
    else {
        RC_PASS(s->store ? read_landed(s) : RC_OK);
        since = (int32_t)rc_map_get(&s->landed, b->id, -1);
    }
    for (size_t i = 0; i < t->count; i++) {
        int counts = row[i].run > since && memcmp(row[i].case_id, case_id, 32) == 0;
        /* ranks of two device classes may have had a catalogue row in hand in one run */
        for (size_t k = 0; k < i && counts; k++)
            counts = row[k].run != row[i].run || memcmp(row[k].case_id, case_id, 32) != 0;
        *times += counts;
        *own += counts && row[i].signal != 0; /* one of its own, or its device failed */
    }
    return RC_OK;
}

static void crash_text(
    char *text, size_t size, int64_t runs, int32_t signal, const rc_inflight_item_t *f)
{
    char by[64] = "";
    if (f->lost)
        snprintf(by, sizeof by, " or lost their device, last the device");
    else if (signal == SIGALRM)
        snprintf(by, sizeof by, ", last because it hung (--hang-limit)");
    else if (signal)
        snprintf(by, sizeof by, ", last by signal %d", signal);
    else
        snprintf(by, sizeof by, ", last without a word (killed, or out of memory)");
    snprintf(text, size, "in flight in %" PRId64 " runs that died%s, last in phase %s", runs, by,
        rc_phase_name((rc_phase_t)f->begin.phase));
}

static rc_status_t push_crashed(
    scan_t *s, const rc_rec_begin_t *b, const rc_fold_part_t *part, const char *text)
{
    rc_fold_t *p = s->fold;
    if (b->is_source) {
        rc_rec_source_t r = {.bytes = b->bytes,
            .mtime_ns = b->mtime_ns,
            .utc_ns = b->utc_ns,
            .where = b->where,
            .status = RC_CASE_CRASHED,
            .phase = b->phase};
        memcpy(r.name, b->name, sizeof r.name);
        memcpy(r.location, b->location, sizeof r.location);
        snprintf(r.text, sizeof r.text, "%s", text);
        p->info.crashed_sources++;
        return push_source(s, &r, part->run);
    }
    const rc_schema_table_t *t = &rc_schema[RC_T_RESULT];
    const double unknown = NAN;
    rc_row_result_t row = {.throttle = -1,
        .sample_offset = -1,
        .device_bytes = -1,
        .permute_ns = -1,
        .pointer_bytes = -1,
        .load = NAN,
        .cpus = -1,
        .hop_ns = NAN,
        .utc_ns = b->utc_ns,
        .seq = -1,
        .run = part->run,
        .rank = part->rank,
        .status = RC_CASE_CRASHED,
        .phase = b->phase};
    for (const rc_schema_field_t *f = t->field; f < t->field + t->fields; f++)
        if (f->type == RC_FT_FLOAT64)
            memcpy((char *)&row + f->offset, &unknown, sizeof unknown);
    RC_PASS(name_case(s, &b->c, text, &row));
    RC_PASS(rc_dict_push(&p->crashed, &row, s->err));
    /* whatever died with it later, in journals that are folded together, did not know that */
    return rc_map_set(&s->landed, b->id, INT32_MAX, s->err);
}

/* What was in flight when the writer of a journal died, or its device: crashed, when it died so
 * often that it is to blame, else a suspect.
 * \param[in] spared  1: only what its device failed under */
static rc_status_t mark_crashed(scan_t *s, const rc_fold_part_t *part, int spared)
{
    const rc_inflight_t *f = &part->inflight;
    for (size_t i = 0; i < f->count; i++) {
        const rc_rec_begin_t *b = &f->item[i].begin;
        if (spared && !f->item[i].lost)
            continue;
        rc_row_inflight_t row = {.utc_ns = b->utc_ns,
            .run = part->run,
            .rank = part->rank,
            .phase = b->phase,
            .signal = f->item[i].lost ? RC_SIGNAL_DEVICE : f->signal};
        char text[RC_MESSAGE_MAX + 1];
        memcpy(row.case_id, rc_digest_hex(b->id).text, sizeof row.case_id);
        rc_dict_t *t = &s->d->d[RC_T_INFLIGHT];
        /* the journal was folded before and could not be removed: counted already */
        if (rc_dict_find(t, &row) >= 0)
            continue;
        RC_PASS(rc_dict_push(t, &row, s->err));
        s->fold->info.changed = 1;
        int64_t runs;
        int64_t own;
        RC_PASS(times_in_flight(s, b, row.case_id, &runs, &own));
        if (own < RC_CRASHED_OWN && runs < RC_CRASHED_ANY) {
            s->fold->info.suspects++;
            continue;
        }
        crash_text(text, sizeof text, runs, f->signal, &f->item[i]);
        RC_PASS(push_crashed(s, b, part, text));
    }
    return RC_OK;
}

/* A journal whose first record is damaged is placed by its name, <run uuid>.<rank>.rcj. */
static rc_status_t run_of_name(const scan_t *s, const char *name, rc_rec_run_t *out)
{
    int end = 0;
    memset(out, 0, sizeof *out);
    if (sscanf(name, "%32[^.].%9" SCNd32 ".rcj%n", out->uuid, &out->rank, &end) == 2 && end > 0 &&
        name[end] == '\0' && out->rank >= 0)
        return RC_OK;
    return rc_fail(s->err, RC_ESTORE,
        "%s/%s: expected the record of its run first, or a name that tells run and rank; move it "
        "away to go on without it",
        s->dir, name);
}

/* What one journal of a run lost, another one may tell. */
static rc_status_t place(scan_t *s, const rc_rec_run_t *run, rc_fold_part_t *part)
{
    part->rank = run->rank;
    RC_PASS(rc_dict_run(s->d, run, &part->run, s->err));
    if (run->ranks == 0)
        return RC_OK;
    rc_row_run_t *row = (rc_row_run_t *)s->d->d[RC_T_RUN].rows + part->run;
    if (row->ranks == 0) {
        row->ranks = run->ranks;
        row->started_ns = run->started_ns;
        RC_PASS(rc_field_set(row->version, sizeof row->version, run->version, "version", s->err));
        RC_PASS(rc_field_set(row->git, sizeof row->git, run->git, "commit", s->err));
    }
    if (!s->fold->first_start_ns || run->started_ns < s->fold->first_start_ns)
        s->fold->first_start_ns = run->started_ns;
    return RC_OK;
}

static rc_status_t scan_records(scan_t *s, rc_fold_part_t *part)
{
    rc_record_t r;
    rc_rec_t what;
    int have_run = 0;
    while (rc_journal_next(part->view, &r)) {
        rc_status_t st = RC_OK;
        rc_status_t understood = rc_rec_get(&r, &what);
        if (!have_run) {
            rc_rec_run_t run;
            if (r.type == RC_REC_RUN && understood == RC_OK)
                run = what.run;
            else
                st = run_of_name(s, part->name, &run);
            if (st == RC_OK)
                st = place(s, &run, part);
            have_run = 1;
        }
        if (st == RC_OK && is_used(&r, part))
            st = understood;
        if (st == RC_OK && r.end > part->start)
            st = take_new(s, &r, &what, part);
        if (st == RC_OK)
            st = rc_inflight_track(&part->inflight, &r, &what, s->err);
        if (st < 0 && s->err->status)
            return st;
        if (st < 0)
            return rc_fail(s->err, RC_ESTORE,
                "%s: record %" PRId64
                " of type %d cannot be understood: it is damaged, or of a newer rowcast; nothing "
                "was folded",
                part->name, r.seq, (int)r.type);
        part->end = r.end;
    }
    return rc_journal_read_status(part->view, s->err);
}

static rc_status_t scan_one(scan_t *s, const char *name, rc_fold_part_t *part)
{
    rc_commit_info_t *info = &s->fold->info;
    int64_t where;
    rc_status_t st;
    RC_PASS(rc_strcpy(part->name, sizeof part->name, name, "name of a journal", s->err));
    char *path = rc_strf("a path", s->err, "%s/%s", s->dir, name);
    RC_PASS(path ? RC_OK : RC_ENOMEM);
    part->start = part->end = rc_dict_journal_bytes(s->d, name);
    int64_t bytes = rc_fold_ended_at(s->writers, name);
    part->dead = bytes >= 0;
    RC_TRY(rc_journal_open(path, bytes, &part->view, s->err));
    RC_TRY(scan_records(s, part));
    int64_t damage = rc_journal_damage(part->view, &where);
    if (damage) {
        rc_log(s->log, RC_LOG_WARN, "store",
            "%s: %" PRId64 " damaged bytes from offset %" PRId64
            " were stepped over; the records behind them are used",
            path, damage, where);
        info->damaged_bytes += damage;
    }
    if (part->end > part->start) {
        info->journals++;
        info->changed = 1;
        RC_TRY(rc_dict_journal(s->d, name, part->end, s->err));
    }
done:
    free(path);
    return st;
}

/* A rank that a signal of its own killed takes the others with it: then their cases are innocent;
 * so are those of a rank that was asked to end, and was killed when it did not in time. */
static int killed_by_another(const scan_t *s, const rc_fold_part_t *part)
{
    const rc_fold_t *f = s->fold;
    int another = 0;
    for (const rc_fold_part_t *p = f->part; p < f->part + f->parts; p++)
        another = another || (p != part && p->run == part->run && p->inflight.signal != 0);
    /* its journal may be folded and gone already */
    const rc_dict_t *t = &s->d->d[RC_T_INFLIGHT];
    const rc_row_inflight_t *row = t->rows;
    for (size_t i = 0; i < t->count; i++)
        another =
            another || (row[i].run == part->run && row[i].rank != part->rank && row[i].signal > 0);
    return (another || part->inflight.asked) && part->inflight.signal == 0;
}

rc_status_t rc_fold_read(const char *dir, const char *store, rc_dicts_t *d,
    const rc_fold_writers_t *writers, const rc_log_t *log, rc_fold_t *out, rc_err_t *err)
{
    rc_err_t local = {0};
    rc_status_t st = RC_OK;
    char **names = NULL;
    int64_t n = 0;
    *out = (rc_fold_t){.crashed = {.table = &rc_schema[RC_T_RESULT]},
        .result = {.table = &rc_schema[RC_T_RESULT]},
        .order = {.table = &rc_schema[RC_T_ORDER]}};
    scan_t s = {.dir = dir,
        .store = store,
        .d = d,
        .log = log,
        .writers = writers,
        .fold = out,
        .err = &local};
    RC_TRY(rc_journal_list(dir, &names, &n, &local));
    RC_TRY(rc_fold_unseen(s.writers, &names, &n, &local));
    RC_TRY(RC_NEW0(out->part, n, "journals", &local));
    out->parts = n;
    rc_open_more(n); /* each stays open, for its lock */
    for (int64_t i = 0; i < n; i++)
        RC_TRY(scan_one(&s, names[i], &out->part[i]));
    RC_TRY(rc_fold_settle(dir, out, s.writers, log, &local));
    for (const rc_fold_part_t *p = out->part; p < out->part + n; p++)
        if (p->dead)
            RC_TRY(mark_crashed(&s, p, killed_by_another(&s, p)));
done:
    rc_journal_names_free(names, n);
    rc_map_free(&s.landed);
    if (st < 0) {
        rc_fold_free(out);
        if (err)
            *err = local;
    }
    return st;
}

void rc_fold_free(rc_fold_t *f)
{
    for (rc_fold_part_t *p = f->part; p < f->part + f->parts; p++) {
        rc_journal_view_close(p->view);
        free(p->inflight.item);
    }
    for (int i = 0; i < RC_FOLD_SETS_MAX; i++) {
        free(f->set[i].row);
        free(f->set[i].value);
    }
    free(f->part);
    free(f->crashed.rows);
    free(f->result.rows);
    free(f->order.rows);
    free(f->sample);
    memset(f, 0, sizeof *f);
}
