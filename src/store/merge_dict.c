#include "config.h"
#include "store/merge_private.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The entries of one dictionary over all stores. */
typedef struct entries {
    rc_table_id_t table;
    rc_dict_t d;   /* united rows */
    int32_t *from; /* [d.count] store that each was first seen in */
    size_t capacity;
} entries_t;

/* Two stores that have an entry. */
typedef struct pair {
    const char *a;
    const char *b;
    char of[64]; /* the entry */
    rc_err_t *err;
} pair_t;

static rc_status_t same(const pair_t *p, const char *what, int64_t x, int64_t y)
{
    if (x == y)
        return RC_OK;
    return rc_fail(p->err, RC_ESTORE,
        "%s and %s contradict each other: %s of %s is %" PRId64 " in one and %" PRId64
        " in the other",
        p->a, p->b, what, p->of, x, y);
}

static int compare_sources(const rc_row_matrix_t *a, const rc_row_matrix_t *b)
{
    int c = memcmp(a->name, b->name, sizeof a->name);
    c = c ? c : memcmp(a->kind, b->kind, sizeof a->kind);
    c = c ? c : (a->ssid > b->ssid) - (a->ssid < b->ssid);
    return c ? c : (a->values_seeded > b->values_seeded) - (a->values_seeded < b->values_seeded);
}

/* A matrix that several catalogue rows are equal to has the name of one of them: which, must not
 * depend on the order of the stores. */
static rc_status_t unite_matrix(pair_t *p, rc_row_matrix_t *to, const rc_row_matrix_t *row)
{
    snprintf(p->of, sizeof p->of, "matrix %.32s", row->digest);
    if (row->rows < 0) /* known by its digest alone */
        return RC_OK;
    if (to->rows >= 0) {
        RC_PASS(same(p, "rows", to->rows, row->rows));
        RC_PASS(same(p, "cols", to->cols, row->cols));
        RC_PASS(same(p, "nnz", to->nnz, row->nnz));
    }
    if (to->rows < 0 || compare_sources(row, to) < 0)
        *to = *row;
    return RC_OK;
}

/* A store that was copied while a run was on, or lost the first record of a journal, knows less. */
static rc_status_t unite_run(pair_t *p, rc_row_run_t *to, const rc_row_run_t *row)
{
    snprintf(p->of, sizeof p->of, "run %.32s", row->uuid);
    if (row->ended_ns > to->ended_ns)
        to->ended_ns = row->ended_ns;
    if (to->state == RC_RUN_OPEN)
        to->state = row->state;
    else if (row->state != RC_RUN_OPEN)
        RC_PASS(same(p, "state", to->state, row->state));
    if (row->ranks == 0)
        return RC_OK;
    if (to->ranks == 0) {
        to->ranks = row->ranks;
        to->started_ns = row->started_ns;
        memcpy(to->version, row->version, sizeof to->version);
        memcpy(to->git, row->git, sizeof to->git);
        return RC_OK;
    }
    RC_PASS(same(p, "ranks", to->ranks, row->ranks));
    RC_PASS(same(p, "started_ns", to->started_ns, row->started_ns));
    if (memcmp(to->version, row->version, sizeof to->version) != 0 ||
        memcmp(to->git, row->git, sizeof to->git) != 0)
        return rc_fail(p->err, RC_ESTORE,
            "%s and %s contradict each other: %s is of version %.32s (%.64s) in one and %.32s "
            "(%.64s) in the other",
            p->a, p->b, p->of, to->version, to->git, row->version, row->git);
    return RC_OK;
}

static rc_status_t collect(const rc_merge_t *m, entries_t *e, rc_err_t *err)
{
    for (int s = 0; s < m->stores; s++) {
        const rc_dict_t *d = &m->store[s].dicts.d[e->table];
        for (size_t i = 0; i < d->count; i++) {
            const void *row = (const char *)d->rows + i * d->table->row_bytes;
            int32_t at = rc_dict_find(&e->d, row);
            if (at >= 0) { /* rows of other tables are all key */
                pair_t p = {.a = m->store[e->from[at]].path, .b = m->store[s].path, .err = err};
                void *to = (char *)e->d.rows + (size_t)at * d->table->row_bytes;
                if (e->table == RC_T_MATRIX)
                    RC_PASS(unite_matrix(&p, to, row));
                else if (e->table == RC_T_RUN)
                    RC_PASS(unite_run(&p, to, row));
                continue;
            }
            RC_PASS(RC_GROW(e->from, e->capacity, e->d.count + 1, d->table->title, err));
            e->from[e->d.count] = s;
            RC_PASS(rc_dict_push(&e->d, row, err));
        }
    }
    return RC_OK;
}

/* The identity of a run sorts by its start, and later runs need larger ids. */
static const char *const orders[RC_MERGE_DICTS] = {
    [RC_T_MATRIX] = "name,digest",
    [RC_T_POLICY] = "name,params,version",
    [RC_T_KERNEL] = "name,params,version",
    [RC_T_DEVICE] = "class_name",
    [RC_T_MESSAGE] = "text",
    [RC_T_RUN] = "uuid",
};

void rc_merge_sort_by(
    const rc_schema_table_t *t, const char *names, const rc_schema_field_t *by[RC_MERGE_BY_MAX])
{
    char name[32];
    int n = 0;
    for (size_t length; *names; names += length + (names[length] == ',')) {
        length = strcspn(names, ",");
        (void)snprintf(name, sizeof name, "%.*s", (int)length, names);
        by[n++] = rc_schema_field(t, name);
    }
    by[n] = NULL;
}

static int compare_field(const rc_schema_field_t *f, const char *a, const char *b)
{
    int64_t x = 0;
    int64_t y = 0;
    int32_t narrow[2];
    if (f->type == RC_FT_TEXT)
        return memcmp(a + f->offset, b + f->offset, f->size);
    if (f->type == RC_FT_INT64) {
        memcpy(&x, a + f->offset, sizeof x);
        memcpy(&y, b + f->offset, sizeof y);
    } else {
        memcpy(&narrow[0], a + f->offset, sizeof *narrow);
        memcpy(&narrow[1], b + f->offset, sizeof *narrow);
        x = narrow[0];
        y = narrow[1];
    }
    return (x > y) - (x < y);
}

int rc_merge_compare(const void *x, const void *y)
{
    const rc_merge_item_t *a = x;
    const rc_merge_item_t *b = y;
    int order = 0;
    for (int i = 0; a->by[i] && order == 0; i++)
        order = compare_field(a->by[i], a->row, b->row);
    if (order == 0)
        order = memcmp(a->row, b->row, a->bytes);
    return order ? order : (a->from > b->from) - (a->from < b->from);
}

/* Put the entries into the dictionary of the output, numbered in their order. */
static rc_status_t put_in_order(rc_merge_t *m, entries_t *e, rc_err_t *err)
{
    const rc_schema_table_t *t = e->d.table;
    const rc_schema_field_t *by[RC_MERGE_BY_MAX];
    const rc_schema_field_t *id = rc_schema_field(t, "id");
    rc_status_t st = RC_OK;
    rc_merge_item_t *item = rc_alloc(e->d.count, sizeof *item, t->title, err);
    RC_PASS(item ? RC_OK : RC_ENOMEM);
    rc_merge_sort_by(t, orders[e->table], by);
    for (size_t i = 0; i < e->d.count; i++)
        item[i] =
            (rc_merge_item_t){(char *)e->d.rows + i * t->row_bytes, t->row_bytes, by, e->from[i]};
    if (e->d.count)
        qsort(item, e->d.count, sizeof *item, rc_merge_compare);
    for (size_t i = 0; i < e->d.count && st == RC_OK; i++) {
        char *row = (char *)e->d.rows + ((const char *)item[i].row - (const char *)e->d.rows);
        int32_t number = (int32_t)i;
        if (id)
            memcpy(row + id->offset, &number, sizeof number);
        st = rc_dict_push(&m->dicts.d[e->table], row, err);
    }
    free(item);
    return st;
}

static rc_status_t publish(rc_merge_t *m, entries_t *e, rc_err_t *err)
{
    if (e->d.count > INT32_MAX)
        return rc_fail(
            err, RC_ENOTSUP, "%s: %zu entries are too many", e->d.table->path, e->d.count);
    RC_PASS(put_in_order(m, e, err));
    for (int s = 0; s < m->stores; s++) {
        const rc_dict_t *d = &m->store[s].dicts.d[e->table];
        int32_t *id = rc_alloc(d->count, sizeof *id, "ids", err);
        m->store[s].id[e->table] = id;
        RC_PASS(id ? RC_OK : RC_ENOMEM);
        for (size_t i = 0; i < d->count; i++)
            id[i] = rc_dict_find(
                &m->dicts.d[e->table], (const char *)d->rows + i * d->table->row_bytes);
    }
    return RC_OK;
}

rc_status_t rc_merge_dicts(rc_merge_t *m, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int t = 0; t < RC_MERGE_DICTS && st == RC_OK; t++) {
        entries_t e = {.table = (rc_table_id_t)t, .d = {.table = &rc_schema[t]}};
        st = collect(m, &e, err);
        if (st == RC_OK)
            st = publish(m, &e, err);
        free(e.d.rows);
        rc_map_free(&e.d.index);
        free(e.from);
    }
    return st;
}

rc_status_t rc_merge_ids(
    const rc_merge_store_t *s, const rc_schema_table_t *t, int64_t row, void *at, rc_err_t *err)
{
    for (const rc_schema_field_t *f = t->field; f < t->field + t->fields; f++) {
        int32_t id;
        if (f->dict == RC_T_COUNT)
            continue;
        memcpy(&id, (char *)at + f->offset, sizeof id);
        if (f->may_be_none && id == -1)
            continue;
        if (id < 0 || (size_t)id >= s->dicts.d[f->dict].count)
            return rc_fail(err, RC_ESTORE,
                "%s: row %" PRId64 " of %s refers to row %d of %s, which has %zu rows", s->path,
                row, t->path, (int)id, rc_schema[f->dict].path, s->dicts.d[f->dict].count);
        memcpy((char *)at + f->offset, &s->id[f->dict][id], sizeof id);
    }
    return RC_OK;
}
