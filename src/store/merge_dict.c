#include "config.h"
#include "store/merge_private.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The entries of one dictionary over all stores. */
typedef struct entries {
    rc_table_id_t table;
    unsigned char *row; /* [count] united rows */
    int32_t *from;      /* [count] store that each was first seen in */
    size_t count;
    rc_map_t index; /* key -> entry */
} entries_t;

/* ------------------------------------------------------ one entry of two stores */

static rc_status_t contradict(const rc_merge_t *m, int a, int b, const char *what, const char *of,
    int64_t x, int64_t y, rc_err_t *err)
{
    return rc_fail(err, RC_ESTORE,
        "%s and %s contradict each other: %s of %s is %" PRId64 " in one and %" PRId64
        " in the other",
        m->store[a].path, m->store[b].path, what, of, x, y);
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
static rc_status_t unite_matrix(const rc_merge_t *m, int a, int b, rc_row_matrix_t *to,
    const rc_row_matrix_t *row, rc_err_t *err)
{
    char of[sizeof row->digest + 16] = "matrix ";
    memcpy(of + strlen(of), row->digest, sizeof row->digest);
    if (row->rows < 0) /* known by its digest alone */
        return RC_OK;
    if (to->rows < 0) {
        *to = *row;
        return RC_OK;
    }
    if (to->rows != row->rows)
        return contradict(m, a, b, "rows", of, to->rows, row->rows, err);
    if (to->cols != row->cols)
        return contradict(m, a, b, "cols", of, to->cols, row->cols, err);
    if (to->nnz != row->nnz)
        return contradict(m, a, b, "nnz", of, to->nnz, row->nnz, err);
    if (compare_sources(row, to) < 0)
        *to = *row;
    return RC_OK;
}

/* A store that was copied while a run was on, or lost the first record of a journal, knows less. */
static rc_status_t unite_run(
    const rc_merge_t *m, int a, int b, rc_row_run_t *to, const rc_row_run_t *row, rc_err_t *err)
{
    char of[sizeof row->uuid + 16] = "run ";
    memcpy(of + strlen(of), row->uuid, sizeof row->uuid);
    if (row->ended_ns > to->ended_ns)
        to->ended_ns = row->ended_ns;
    if (to->state == RC_RUN_OPEN)
        to->state = row->state;
    else if (row->state != RC_RUN_OPEN && row->state != to->state)
        return contradict(m, a, b, "state", of, to->state, row->state, err);
    if (row->ranks == 0)
        return RC_OK;
    if (to->ranks == 0) {
        to->ranks = row->ranks;
        to->started_ns = row->started_ns;
        memcpy(to->version, row->version, sizeof to->version);
        memcpy(to->git, row->git, sizeof to->git);
        return RC_OK;
    }
    if (to->ranks != row->ranks)
        return contradict(m, a, b, "ranks", of, to->ranks, row->ranks, err);
    if (to->started_ns != row->started_ns)
        return contradict(m, a, b, "started_ns", of, to->started_ns, row->started_ns, err);
    if (memcmp(to->version, row->version, sizeof to->version) != 0 ||
        memcmp(to->git, row->git, sizeof to->git) != 0)
        return rc_fail(err, RC_ESTORE,
            "%s and %s contradict each other: %s is of version %.32s (%.64s) in one and %.32s "
            "(%.64s) in the other",
            m->store[a].path, m->store[b].path, of, to->version, to->git, row->version, row->git);
    return RC_OK;
}

static rc_status_t unite_row(
    const rc_merge_t *m, entries_t *e, size_t at, int from, const void *row, rc_err_t *err)
{
    void *to = e->row + at * rc_schema[e->table].row_bytes;
    if (e->table == RC_T_MATRIX)
        return unite_matrix(m, e->from[at], from, to, row, err);
    if (e->table == RC_T_RUN)
        return unite_run(m, e->from[at], from, to, row, err);
    return RC_OK; /* the others are all key */
}

static rc_status_t collect(const rc_merge_t *m, entries_t *e, rc_err_t *err)
{
    size_t bytes = rc_schema[e->table].row_bytes;
    size_t all = 0;
    for (int s = 0; s < m->stores; s++)
        all += m->store[s].dicts.d[e->table].count;
    e->row = rc_alloc(all, bytes, rc_schema[e->table].title, err);
    e->from = rc_alloc(all, sizeof *e->from, rc_schema[e->table].title, err);
    if (!e->row || !e->from)
        return RC_ENOMEM;
    for (int s = 0; s < m->stores; s++) {
        const rc_dict_t *d = &m->store[s].dicts.d[e->table];
        for (size_t i = 0; i < d->count; i++) {
            const unsigned char *row = (const unsigned char *)d->rows + i * bytes;
            rc_digest_t key;
            rc_status_t st = RC_OK;
            rc_dict_key(d, row, &key);
            int64_t at = rc_map_get(&e->index, key, -1);
            if (at >= 0)
                st = unite_row(m, e, (size_t)at, s, row, err);
            else {
                memcpy(e->row + e->count * bytes, row, bytes);
                e->from[e->count] = s;
                st = rc_map_set(&e->index, key, (int64_t)e->count++, err);
            }
            if (st < 0)
                return st;
        }
    }
    return RC_OK;
}

/* ------------------------------------------------------------------ their order */

#define COMPARE_TEXT(a, b, member)                                                                 \
    do {                                                                                           \
        int c_ = memcmp((a)->member, (b)->member, sizeof(a)->member);                              \
        if (c_)                                                                                    \
            return c_;                                                                             \
    } while (0)
#define COMPARE_NUMBER(a, b, member)                                                               \
    do {                                                                                           \
        if ((a)->member != (b)->member)                                                            \
            return (a)->member < (b)->member ? -1 : 1;                                             \
    } while (0)

static int by_matrix(const void *x, const void *y)
{
    const rc_row_matrix_t *a = x;
    const rc_row_matrix_t *b = y;
    COMPARE_TEXT(a, b, name);
    COMPARE_TEXT(a, b, digest);
    return 0;
}

static int by_policy(const void *x, const void *y)
{
    const rc_row_policy_t *a = x;
    const rc_row_policy_t *b = y;
    COMPARE_TEXT(a, b, name);
    COMPARE_TEXT(a, b, params);
    COMPARE_NUMBER(a, b, version);
    return 0;
}

static int by_kernel(const void *x, const void *y)
{
    const rc_row_kernel_t *a = x;
    const rc_row_kernel_t *b = y;
    COMPARE_TEXT(a, b, name);
    COMPARE_TEXT(a, b, params);
    COMPARE_NUMBER(a, b, version);
    return 0;
}

static int by_device(const void *x, const void *y)
{
    const rc_row_device_t *a = x;
    const rc_row_device_t *b = y;
    COMPARE_TEXT(a, b, class_name);
    return 0;
}

static int by_message(const void *x, const void *y)
{
    const rc_row_message_t *a = x;
    const rc_row_message_t *b = y;
    COMPARE_TEXT(a, b, text);
    return 0;
}

/* The identity of a run sorts by its start, and later runs need larger ids. */
static int by_run(const void *x, const void *y)
{
    const rc_row_run_t *a = x;
    const rc_row_run_t *b = y;
    COMPARE_TEXT(a, b, uuid);
    return 0;
}

static int (*const orders[RC_MERGE_DICTS])(const void *, const void *) = {
    [RC_T_MATRIX] = by_matrix,
    [RC_T_POLICY] = by_policy,
    [RC_T_KERNEL] = by_kernel,
    [RC_T_DEVICE] = by_device,
    [RC_T_MESSAGE] = by_message,
    [RC_T_RUN] = by_run,
};

static void number(rc_table_id_t t, void *row, int32_t id)
{
    switch (t) {
    case RC_T_MATRIX:
        ((rc_row_matrix_t *)row)->id = id;
        break;
    case RC_T_POLICY:
        ((rc_row_policy_t *)row)->id = id;
        break;
    case RC_T_KERNEL:
        ((rc_row_kernel_t *)row)->id = id;
        break;
    case RC_T_DEVICE:
        ((rc_row_device_t *)row)->id = id;
        break;
    case RC_T_RUN:
        ((rc_row_run_t *)row)->id = id;
        break;
    default:
        break;
    }
}

static rc_status_t publish(rc_merge_t *m, entries_t *e, rc_err_t *err)
{
    size_t bytes = rc_schema[e->table].row_bytes;
    rc_dict_t *to = &m->dicts.d[e->table];
    if (e->count > INT32_MAX)
        return rc_fail(
            err, RC_ENOTSUP, "%s: %zu entries are too many", rc_schema[e->table].path, e->count);
    if (e->count)
        qsort(e->row, e->count, bytes, orders[e->table]);
    for (size_t i = 0; i < e->count; i++) {
        number(e->table, e->row + i * bytes, (int32_t)i);
        RC_PASS(rc_dict_push(to, e->row + i * bytes, err));
    }
    for (int s = 0; s < m->stores; s++) {
        const rc_dict_t *d = &m->store[s].dicts.d[e->table];
        int32_t *id = rc_alloc(d->count, sizeof *id, "ids", err);
        m->store[s].id[e->table] = id;
        if (!id)
            return RC_ENOMEM;
        for (size_t i = 0; i < d->count; i++) {
            rc_digest_t key;
            rc_dict_key(d, (const unsigned char *)d->rows + i * bytes, &key);
            id[i] = rc_dict_find(to, key);
        }
    }
    return RC_OK;
}

rc_status_t rc_merge_dicts(rc_merge_t *m, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (int t = 0; t < RC_MERGE_DICTS && st == RC_OK; t++) {
        entries_t e = {.table = (rc_table_id_t)t};
        st = collect(m, &e, err);
        if (st == RC_OK)
            st = publish(m, &e, err);
        free(e.row);
        free(e.from);
        rc_map_free(&e.index);
    }
    return st;
}

rc_status_t rc_merge_id(const rc_merge_store_t *s, rc_table_id_t dict, int none, const char *path,
    int64_t row, int32_t *id, rc_err_t *err)
{
    if (none && *id == -1)
        return RC_OK;
    if (*id < 0 || (size_t)*id >= s->dicts.d[dict].count)
        return rc_fail(err, RC_ESTORE,
            "%s: row %" PRId64 " of %s refers to row %d of %s, which has %zu rows", s->path, row,
            path, (int)*id, rc_schema[dict].path, s->dicts.d[dict].count);
    *id = s->id[dict][*id];
    return RC_OK;
}
