#include "config.h"
#include "sweep/worklist.h"
#include "base/alloc.h"
#include "base/error.h"
#include "feature/feature.h"
#include "order/policy.h"
#include "sparse/csr.h"
#include "store/comm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -------------------------------------------------------------------- known */

static int is_final(int32_t status)
{
    return status > RC_CASE_PENDING && status < RC_CASE_STATUSES;
}

/* What was in flight when a run died.  \return 0: the store does not say what */
static int inflight_of(const rc_view_t *v, int64_t i, rc_digest_t *id)
{
    char hex[RC_DIGEST_HEX + 1];
    rc_view_inflight_id(v, i, hex);
    return rc_digest_parse(hex, id) == RC_OK;
}

/* Cases of these without a final row. */
static rc_status_t know_suspects(const rc_view_t *v, rc_map_t *k, rc_err_t *err)
{
    rc_digest_t id;
    for (int64_t i = 0; i < rc_view_inflights(v); i++)
        if (inflight_of(v, i, &id) && rc_worklist_state(k, id) == RC_WORKLIST_PENDING)
            RC_PASS(rc_map_set(k, id, RC_WORKLIST_SUSPECT, err));
    return RC_OK;
}

static rc_status_t know_features(const rc_view_t *v, rc_map_t *k, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int64_t i = 0; i < rc_view_feature_rows(v) && st == RC_OK; i++)
        st = rc_map_set(k, rc_view_feature_row(v, i), RC_WORKLIST_DONE, err);
    return st;
}

/* 1: what was skipped for want of memory is worth another try under a limit: it fits now, or it
 * fitted then and the system had none to give. */
static int may_fit(int32_t status, const char *text, int64_t limit)
{
    int64_t need = rc_memory_needed(text);
    return status == RC_CASE_SKIPPED && need >= 0 && need <= limit;
}

/* What a final row says of its case. */
static rc_worklist_state_t state_of_row(
    const rc_view_t *v, const rc_row_result_t *r, const rc_profile_t *profile, int profiles)
{
    const char *text = rc_view_message(v, r->message);
    const char *device = rc_view_device(v, r->device);
    if (r->status == RC_CASE_NOISY) /* the machine may be quieter now */
        return RC_WORKLIST_PENDING;
    if (r->status == RC_CASE_OK)
        return RC_WORKLIST_TIMED;
    if (r->status == RC_CASE_SKIPPED && rc_memory_needed(text) < 0)
        return RC_WORKLIST_DONE;
    for (int p = 0; p < profiles; p++)
        if (strcmp(profile[p].class_name, device) == 0 &&
            may_fit(r->status, text, profile[p].device_limit))
            return RC_WORKLIST_PENDING;
    return RC_WORKLIST_FAILED;
}

/* When the last run began that left nothing to do; 0: none.  A sweep that was stopped goes on with
 * what is left, and nothing of it is timed twice. */
static int64_t last_complete(const rc_view_t *v)
{
    int64_t last = 0;
    for (int64_t i = 0; v && i < rc_view_runs(v); i++) {
        const rc_row_run_t *run = rc_view_run(v, i);
        if (run->state == RC_RUN_COMPLETE && run->started_ns > last)
            last = run->started_ns;
    }
    return last;
}

rc_status_t rc_worklist_gather(const rc_view_t *v, const rc_expr_t *redo_cases,
    const rc_profile_t *profile, int profiles, const rc_digest_t *fresh, size_t fresh_count,
    rc_map_t *out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_map_t k = {0};
    const int64_t complete_ns = last_complete(v);
    for (int64_t i = 0; v && i < rc_view_count(v); i++) {
        const rc_row_result_t *r = rc_view_result(v, i);
        rc_cursor_t cursor;
        rc_digest_t id;
        if (!rc_view_is_newest(v, i) || !is_final(r->status))
            continue;
        rc_view_seek(v, i, &cursor);
        if (rc_digest_parse(cursor.case_id, &id) < 0)
            continue;
        if (redo_cases && rc_expr_match(redo_cases, rc_view_get, &cursor))
            continue;
        rc_worklist_state_t state = state_of_row(v, r, profile, profiles);
        if (state == RC_WORKLIST_TIMED && rc_view_run(v, r->run)->started_ns > complete_ns)
            state = RC_WORKLIST_DONE;
        if (state != RC_WORKLIST_PENDING)
            RC_TRY(rc_map_set(&k, id, state, err));
    }
    for (size_t i = 0; i < fresh_count; i++)
        RC_TRY(rc_map_set(&k, fresh[i], RC_WORKLIST_DONE, err));
    if (v)
        RC_TRY(know_suspects(v, &k, err));
    if (v)
        RC_TRY(know_features(v, &k, err));
    *out = k;
    memset(&k, 0, sizeof k);
done:
    rc_map_free(&k);
    return st;
}

/* --------------------------------------------------------------------- work list */

/* What the store knows of the catalogue rows. */
typedef struct known_source {
    int found;
    int same; /* same location, size and time of change as now */
    rc_source_row_t row;
} known_source_t;

typedef struct maker {
    const rc_sweep_config_t *c;
    rc_sweep_config_t own;    /* of the last item made */
    rc_policy_spec_t *policy; /* [policies] of it */
    const rc_profile_t *profile;
    int profiles;
    const rc_view_t *v;
    const rc_expr_t *redo;
    rc_map_t *known;
    rc_known_block_t *known_block; /* [blocks] to work in */
    int few; /* matrices with a baseline that is there for the link to earlier runs alone */
    rc_worklist_t *list;
    rc_map_t source;      /* name -> number of the catalogue row in the view */
    rc_map_t died_in;     /* what was in flight -> last run that died with it */
    double *block_s;      /* [blocks] of the last item made: estimated time of the pending cases,
                            ... */
    int64_t *block_cases; /* ... and how many they are */
    rc_effort_t *block_effort;
    int64_t *first; /* [blocks + 1] of a divided matrix */
    rc_pool_t pool; /* of these */
    size_t item_capacity;
    size_t absent_capacity;
    rc_err_t *err;
} maker_t;

static void find_source(const maker_t *m, const rc_entry_t *e, known_source_t *out)
{
    char name[RC_NAME_MAX + 1]; /* as the ledger writes them */
    char location[RC_LOCATION_MAX + 1];
    memset(out, 0, sizeof *out);
    rc_digest_shorten(e->name, name, sizeof name);
    rc_digest_shorten(e->location, location, sizeof location);
    int64_t at = rc_map_get(&m->source, rc_map_text(name), -1);
    if (at < 0)
        return;
    rc_view_source(m->v, at, &out->row);
    out->found = 1;
    out->same = strcmp(out->row.location, location) == 0 && out->row.bytes == e->bytes &&
                out->row.mtime_ns == e->mtime_ns;
    if (m->redo && rc_expr_match(m->redo, rc_source_get, &out->row))
        out->same = 0;
}

/* Rough costs for sorting, for the share of work that is done, and for a first guess of the time;
 * the guess is corrected by what is measured. */
static rc_work_size_t size_of(const rc_entry_t *e)
{
    const double entries = e->nnz > 0 ? (double)e->nnz : (double)e->bytes / 4;
    return (rc_work_size_t){.entries = entries,
        .rows = e->rows > 0 ? (double)e->rows : entries / 10,
        .cols = e->cols > 0 ? e->cols : 1};
}

static double load_s(const rc_work_size_t *size)
{
    return 2e-3 + 3e-7 * size->entries + 2e-6 * size->rows;
}

rc_effort_t rc_worklist_effort(
    const rc_profile_t *p, const rc_work_size_t *size, int64_t k, int64_t cases)
{
    const double value_s = 4e-9;                                /* on the host */
    const double products = p->kind == RC_DEVICE_CPU ? 10 : 50; /* the first is of cold memory */
    const double columns = (double)cases * (double)(k > 0 ? k : 1);
    return (rc_effort_t){{[RC_EFFORT_CASE] = (double)cases * p->case_s,
        [RC_EFFORT_DENSE] = columns * size->rows * value_s,
        [RC_EFFORT_SPARSE] = columns * size->entries * products * p->entry_s}};
}

rc_effort_t rc_worklist_load_effort(const rc_profile_t *p, const rc_work_size_t *size, int policies)
{
    return (rc_effort_t){{[RC_EFFORT_LOAD] = load_s(size) * policies * p->prepare_s}};
}

/* Estimated peak of host memory to load a matrix and to order it, without B and C. */
static int64_t host_bytes(const rc_sweep_config_t *c, const rc_entry_t *e)
{
    if (e->rows < 0 || e->nnz < 0)
        return rc_entry_load_bytes(e);
    /* beside the matrix: the orders, which are kept until it is measured, and what the builder of
     * an order holds for a moment */
    double orders = (double)e->rows * (4.0 * c->policies * c->kernels + RC_ORDER_ROW_BYTES) +
                    RC_ORDER_ENTRY_BYTES * (double)e->nnz;
    /* a symmetric one has its columns and a matrix of its own; the four vectors that it permutes
     * come when its builder has given back more than they take */
    _Static_assert(4 * sizeof(double) <= RC_ORDER_ROW_BYTES, "vectors fit where the builder was");
    int64_t load = rc_entry_load_bytes(e);
    double matrix = (double)rc_csr_bytes(e->rows, e->nnz);
    for (int p = 0; p < c->policies && e->rows == e->cols; p++)
        if (c->policy[p].policy->columns)
            orders += matrix + 4.0 * (double)e->rows;
    double all = matrix + orders;
    return all > (double)load ? (all < 4e18 ? (int64_t)all : INT64_MAX) : load;
}

static rc_status_t push_item(maker_t *m, const rc_sweep_item_t *item)
{
    RC_PASS(RC_GROW(
        m->list->item, m->item_capacity, (size_t)m->list->items + 1, "the work list", m->err));
    m->list->item[m->list->items++] = *item;
    m->list->plan.cases += item->cases;
    rc_effort_add(&m->list->effort, &item->effort, 1);
    return RC_OK;
}

static rc_status_t push_absent(maker_t *m, int64_t entry)
{
    rc_status_t st = RC_GROW(
        m->list->absent, m->absent_capacity, (size_t)m->list->absents + 1, "the work list", m->err);
    if (st == RC_OK)
        m->list->absent[m->list->absents++] = entry;
    return st;
}

/* 1 when a feature row of the block's geometry is missing. */
static int lacks_features(const maker_t *m, const rc_block_t *b, rc_digest_t matrix)
{
    for (int i = 0; rc_feature_sets[i]; i++) {
        const rc_feature_set_t *f = rc_feature_sets[i];
        rc_digest_t id = rc_feature_id(
            matrix, f->name, f->version, b->geometry.nw, b->geometry.nt, b->geometry.line);
        if (!rc_worklist_is_done(m->known, id))
            return 1;
    }
    return 0;
}

/* Bytes of A on a GPU under one schedule, B and C: what a case takes when nothing is tiled. */
static int64_t case_device_bytes(
    const rc_sweep_config_t *c, const rc_entry_t *e, const rc_block_t *b)
{
    const rc_operation_t *o = rc_operation_of(c->kernel[b->kernel].kernel->op);
    const rc_csr_t a = {.rows = e->rows, .cols = e->cols, .nnz = e->nnz > 0 ? e->nnz : 0};
    int64_t entry = (int64_t)(rc_precision_bytes(b->precision) + sizeof(int32_t));
    int64_t matrix = rc_sat_add(rc_sat_mul(a.nnz, entry), rc_sat_mul(e->rows, 16));
    int64_t rows = rc_shape_rows(&o->out, &a);
    return rc_sat_add(matrix,
        rc_operation_dense_bytes(o, &a, rows, b->k > 0 ? b->k : 1, b->precision, b->precision));
}

static void add_bytes(const maker_t *m, const rc_entry_t *e, const rc_block_t *b,
    const rc_profile_t *profile, rc_sweep_item_t *item)
{
    if (e->rows < 1 || e->cols < 1)
        return;
    int64_t device = case_device_bytes(m->c, e, b);
    if (profile->kind != RC_DEVICE_CPU) {
        item->device_bytes = device > item->device_bytes ? device : item->device_bytes;
        return;
    }
    int64_t host = host_bytes(m->c, e);
    int64_t peak = device > INT64_MAX - host ? INT64_MAX : host + device;
    item->bytes = peak > item->bytes ? peak : item->bytes;
}

/* The cases of block number `at` that are pending, into the item. */
static void add_block(maker_t *m, int at, const rc_block_t *b, const rc_entry_t *e,
    rc_digest_t matrix, rc_sweep_item_t *item)
{
    const rc_profile_t *profile = &m->profile[item->class_id];
    int64_t before = item->cases;
    for (int p = 0; p < m->c->policies; p++) {
        rc_case_t one;
        if (!rc_worklist_case(&m->own, profile, b, p, matrix, &one))
            continue;
        rc_worklist_state_t state =
            item->known ? rc_worklist_state(m->known, rc_case_id(&one)) : RC_WORKLIST_PENDING;
        m->list->plan.again += state == RC_WORKLIST_AGAIN;
        if (state != RC_WORKLIST_AGAIN && m->c->added_csr && p == m->c->policies - 1)
            continue;
        if (state >= RC_WORKLIST_DONE) {
            m->list->plan.done++;
            m->list->plan.failed += state == RC_WORKLIST_FAILED;
            m->list->plan.failed_csr +=
                state == RC_WORKLIST_FAILED && strcmp(one.policy, "csr") == 0;
            continue;
        }
        item->suspect = item->suspect || state == RC_WORKLIST_SUSPECT;
        item->cases++;
    }
    m->block_cases[at] = item->cases - before;
    m->block_effort[at] = rc_worklist_effort(profile, &item->size, b->k, m->block_cases[at]);
    m->block_s[at] = rc_effort_sum(&m->block_effort[at], NULL);
    rc_effort_add(&item->effort, &m->block_effort[at], 1);
    if (item->cases > before)
        add_bytes(m, e, b, profile, item);
}

/* 1: the catalogue row was in flight when a run died, and was not done with since. */
static int was_in_flight(const maker_t *m, const rc_entry_t *e, const known_source_t *s)
{
    rc_digest_t id = rc_source_case_id(e->name, e->location, e->bytes, e->mtime_ns);
    int64_t run = rc_map_get(&m->died_in, id, -1);
    return run >= 0 && (!s->same || run >= s->row.run);
}

/* The catalogue row, with the sizes of what the store knows of the same source: those of a spec are
 * not in any catalogue.  Borrows from `e`. */
static rc_entry_t entry_of(const rc_entry_t *e, const rc_source_row_t *known)
{
    rc_entry_t sized = *e;
    if (known) {
        sized.rows = known->rows;
        sized.cols = known->cols;
        sized.nnz = known->nnz;
    }
    return sized;
}

/* The item of a catalogue row, undivided.  \return 1; 0: nothing is left to do */
static int make_item(
    maker_t *m, int64_t index, int class_id, const known_source_t *s, rc_sweep_item_t *out)
{
    const rc_sweep_config_t *c = m->c;
    const rc_profile_t *profile = &m->profile[class_id];
    rc_digest_t matrix = {0, 0};
    int known = s->same && s->row.status_code == RC_CASE_OK &&
                rc_digest_parse(s->row.digest, &matrix) == RC_OK;
    const rc_entry_t sized = entry_of(&c->catalog->entry[index], known ? &s->row : NULL);
    const rc_entry_t *e = &sized;
    const rc_work_size_t size = size_of(e);
    int features = 0;
    int blocks = 0;
    rc_sweep_item_t item = {.entry = index,
        .class_id = class_id,
        .known = known,
        .suspect = was_in_flight(m, e, s),
        .lead_s = load_s(&size),
        .size = size,
        .effort = rc_worklist_load_effort(profile, &size, c->policies),
        .parts = 1,
        .end_block = (int32_t)rc_worklist_blocks(c),
        .bytes = host_bytes(c, e),
        .host_bytes = e->where == RC_WHERE_GENERATED && e->rows < 0 ? -1 : host_bytes(c, e)};
    m->own = *c;
    if (known) {
        rc_worklist_own(c, e, m->policy, &m->own);
        rc_worklist_repeat(&(rc_known_matrix_t){&m->own, profile, matrix, size.cols,
                               m->known, m->known_block},
            &m->few);
    }
    for (int b = 0; b < rc_worklist_blocks(c); b++) {
        rc_block_t block;
        rc_worklist_block(c, profile, b, size.cols, &block);
        m->block_s[b] = 0;
        m->block_cases[b] = 0;
        m->block_effort[b] = (rc_effort_t){{0}};
        if (block.empty)
            continue;
        blocks++;
        if (known && !features)
            features = lacks_features(m, &block, matrix);
        add_block(m, b, &block, e, matrix, &item);
    }
    item.cost_s = rc_effort_sum(&item.effort, NULL);
    *out = item;
    return blocks > 0 && (item.cases > 0 || !known || features);
}

/* Part number `part` of an item, whose blocks were made last. */
static rc_sweep_item_t part_of(
    const maker_t *m, const rc_sweep_item_t *item, int64_t part, int64_t parts)
{
    rc_sweep_item_t one = *item;
    one.part = (int32_t)part;
    one.parts = (int32_t)parts;
    one.first_block = (int32_t)m->first[part];
    one.end_block = (int32_t)m->first[part + 1];
    one.cases = 0;
    one.effort = (rc_effort_t){{[RC_EFFORT_LOAD] = item->effort.s[RC_EFFORT_LOAD]}};
    for (int b = one.first_block; b < one.end_block; b++) {
        one.cases += m->block_cases[b];
        rc_effort_add(&one.effort, &m->block_effort[b], 1);
    }
    one.cost_s = rc_effort_sum(&one.effort, NULL);
    return one;
}

/* Divide the item at a place of the list, if it takes too long beside what each rank has to do. */
static rc_status_t divide_item(maker_t *m, int64_t at, double share_s)
{
    const rc_sweep_item_t item = m->list->item[at];
    int64_t blocks = item.end_block;
    known_source_t s;
    rc_sweep_item_t again;
    const rc_sweep_plan_t counts = m->list->plan;
    rc_status_t st = RC_OK;
    /* what may have killed a run is tried alone */
    if (item.suspect || rc_worklist_parts(item.cost_s, item.lead_s, share_s, blocks) < 2)
        return RC_OK;
    find_source(m, &m->c->catalog->entry[item.entry], &s);
    (void)make_item(m, item.entry, item.class_id, &s, &again);
    m->list->plan = counts; /* once */
    int64_t parts = rc_worklist_cut(
        m->block_s, blocks, rc_worklist_parts(item.cost_s, item.lead_s, share_s, blocks), m->first);
    m->list->item[at] = part_of(m, &item, 0, parts);
    m->list->plan.divided += parts > 1;
    m->list->plan.cases += m->list->item[at].cases - item.cases;
    rc_effort_add(&m->list->effort, &m->list->item[at].effort, 1);
    rc_effort_add(&m->list->effort, &item.effort, -1);
    for (int64_t k = 1; k < parts && st == RC_OK; k++) {
        const rc_sweep_item_t one = part_of(m, &item, k, parts);
        st = push_item(m, &one);
    }
    return st;
}

static rc_status_t divide(maker_t *m)
{
    rc_status_t st = RC_OK;
    int64_t whole = m->list->items;
    m->list->plan.matrices = whole;
    for (int p = 0; p < m->profiles; p++) {
        double all_s = 0;
        for (int64_t i = 0; i < whole; i++)
            all_s += m->list->item[i].class_id == p ? m->list->item[i].cost_s : 0;
        for (int64_t i = 0; i < whole && m->profile[p].ranks > 1 && st == RC_OK; i++)
            if (m->list->item[i].class_id == p)
                st = divide_item(m, i, all_s / m->profile[p].ranks);
    }
    return st;
}

/* 1: a file that could not be loaded is still what it was, and nothing says that it would load
 * now. */
static int is_given_up(const maker_t *m, const known_source_t *s)
{
    if (!s->same || s->row.status_code == RC_CASE_OK || !is_final(s->row.status_code))
        return 0;
    for (int p = 0; p < m->profiles; p++)
        if (may_fit(s->row.status_code, s->row.message, m->profile[p].memory_limit))
            return 0;
    return 1;
}

static int longest_first(const void *a, const void *b)
{
    const rc_sweep_item_t *x = a;
    const rc_sweep_item_t *y = b;
    double x_s = x->cost_s + x->lead_s;
    double y_s = y->cost_s + y->lead_s;
    if (x_s != y_s)
        return x_s > y_s ? -1 : 1;
    if (x->entry != y->entry)
        return x->entry > y->entry ? 1 : -1;
    return (x->part > y->part) - (x->part < y->part);
}

static rc_status_t make_scratch(maker_t *m)
{
    const size_t blocks = (size_t)rc_worklist_blocks(m->c);
    m->block_s = rc_pool_get(&m->pool, blocks, sizeof *m->block_s);
    m->block_cases = rc_pool_get(&m->pool, blocks, sizeof *m->block_cases);
    m->block_effort = rc_pool_get(&m->pool, blocks, sizeof *m->block_effort);
    m->known_block = rc_pool_get(&m->pool, blocks, sizeof *m->known_block);
    m->first = rc_pool_get(&m->pool, blocks + 1, sizeof *m->first);
    m->policy = rc_pool_get(&m->pool, (size_t)m->c->policies, sizeof *m->policy);
    return rc_pool_check(&m->pool, "the work list", m->err);
}

rc_status_t rc_worklist_make(const rc_sweep_config_t *c, const rc_profile_t *profile, int profiles,
    const rc_view_t *v, const rc_expr_t *redo_sources, rc_map_t *known, rc_worklist_t *out,
    rc_err_t *err)
{
    rc_status_t st = RC_OK;
    rc_worklist_t list = {0};
    maker_t m = {.c = c,
        .profile = profile,
        .profiles = profiles,
        .v = v,
        .redo = redo_sources,
        .known = known,
        .list = &list,
        .err = err};
    RC_TRY(make_scratch(&m));
    for (int64_t i = 0; v && i < rc_view_sources(v); i++) {
        rc_source_row_t row;
        rc_view_source(v, i, &row);
        RC_TRY(rc_map_set(&m.source, rc_map_text(row.name), i, err));
    }
    for (int64_t i = 0; v && i < rc_view_inflights(v); i++) {
        rc_digest_t id;
        int64_t run = rc_view_inflight_run(v, i);
        if (inflight_of(v, i, &id) && run > rc_map_get(&m.died_in, id, -1))
            RC_TRY(rc_map_set(&m.died_in, id, run, err));
    }
    for (int64_t i = 0; i < c->catalog->count; i++) {
        const rc_entry_t *e = &c->catalog->entry[i];
        known_source_t s;
        char why[RC_MESSAGE_MAX + 1];
        find_source(&m, e, &s);
        if (is_given_up(&m, &s)) {
            list.plan.given_up += e->where != RC_WHERE_ABSENT;
            continue;
        }
        if (e->where == RC_WHERE_ABSENT || rc_worklist_unfit(e, why)) {
            /* what an earlier sweep has read stays what it was */
            if (e->where != RC_WHERE_ABSENT || !s.found || s.row.matrix < 0)
                RC_TRY(push_absent(&m, i));
            continue;
        }
        for (int p = 0; p < profiles; p++) {
            rc_sweep_item_t item;
            if (make_item(&m, i, p, &s, &item))
                RC_TRY(push_item(&m, &item));
        }
    }
    RC_TRY(divide(&m));
    if (list.items)
        qsort(list.item, (size_t)list.items, sizeof *list.item, longest_first);
    *out = list;
    memset(&list, 0, sizeof list);
done:
    rc_pool_free(&m.pool);
    rc_map_free(&m.source);
    rc_map_free(&m.died_in);
    rc_worklist_free(&list);
    return st;
}

void rc_worklist_free(rc_worklist_t *p)
{
    free(p->item);
    free(p->absent);
    memset(p, 0, sizeof *p);
}

rc_status_t rc_worklist_share(
    const rc_session_t *s, rc_worklist_t *work, rc_map_t *known, rc_err_t *err)
{
    rc_worklist_t head = *work;
    rc_map_t map = *known;
    if (rc_comm_broadcast(s->comm, &head, sizeof head) < 0 ||
        rc_comm_broadcast(s->comm, &map, sizeof map) < 0)
        return rc_fail(err, RC_EMPI, "a work list cannot be broadcast");
    if (s->rank != 0) {
        head.item = NULL;
        head.absent = NULL;
        map.slot = NULL;
    }
    void *item = head.item;
    void *slot = map.slot;
    rc_status_t st = rc_session_broadcast(s, &item, head.items, sizeof *head.item, err);
    if (st == RC_OK)
        st = rc_session_broadcast(s, &slot, 1, rc_map_bytes(&map), err);
    head.item = item;
    map.slot = slot;
    *work = head;
    *known = map;
    return st;
}
