#include "config.h"
#include "store/merge_private.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>

/* Rows of one table over all stores, with the ids of the output. */
typedef struct pile {
    const rc_schema_table_t *t;
    size_t bytes; /* of a row */
    unsigned char *row;
    size_t rows;
    size_t capacity;
    size_t *end;           /* [stores] rows up to and with those of each store */
    rc_merge_item_t *item; /* [count] after unite() */
    size_t count;
    const rc_schema_field_t *by[RC_MERGE_BY_MAX];
} pile_t;

static rc_status_t pile_start(
    const rc_merge_t *m, const rc_schema_table_t *t, const char *by, pile_t *p, rc_err_t *err)
{
    *p = (pile_t){.t = t, .bytes = t->row_bytes};
    rc_merge_sort_by(t, by, p->by);
    p->end = rc_alloc0((size_t)m->stores, sizeof *p->end, "rows of stores", err);
    return p->end ? RC_OK : RC_ENOMEM;
}

/* Add n rows of store number `from`: of a table, or of one with numbers behind each row. */
static rc_status_t pile_up(
    pile_t *p, const rc_merge_t *m, int from, const void *rows, size_t n, rc_err_t *err)
{
    RC_PASS(rc_grow(&p->row, &p->capacity, p->rows + n, p->bytes, p->t->title, err));
    if (n)
        memcpy(p->row + p->rows * p->bytes, rows, n * p->bytes);
    for (size_t i = 0; i < n; i++)
        RC_PASS(rc_merge_ids(
            &m->store[from], p->t, (int64_t)i, p->row + (p->rows + i) * p->bytes, err));
    p->end[from] = p->rows += n;
    return RC_OK;
}

static void pile_free(pile_t *p)
{
    free(p->end);
    free(p->row);
    free(p->item);
}

/* --------------------------------------------------------------------- the union */

/* Of equal rows as many are kept as the store has that has most of them: two stores with the same
 * row have it from the same measurement, one store with two of them measured twice. */
static rc_status_t unite(pile_t *p, rc_err_t *err)
{
    p->item = rc_alloc(p->rows, sizeof *p->item, p->t->title, err);
    RC_PASS(p->item ? RC_OK : RC_ENOMEM);
    int from = 0;
    for (size_t i = 0; i < p->rows; i++) {
        while (i >= p->end[from])
            from++;
        p->item[i] = (rc_merge_item_t){p->row + i * p->bytes, p->bytes, p->by, from};
    }
    if (p->rows)
        qsort(p->item, p->rows, sizeof *p->item, rc_merge_compare);
    size_t first = 0; /* item of the output that begins the present group of equal rows */
    int32_t times = 0;
    for (size_t i = 0; i < p->rows; i++) {
        const rc_merge_item_t now = p->item[i];
        int equal = p->count > 0 && memcmp(p->item[first].row, now.row, p->bytes) == 0;
        times = equal && i > 0 && from == now.from ? times + 1 : 1;
        from = now.from;
        if (!equal)
            first = p->count;
        if ((size_t)times > p->count - first)
            p->item[p->count++] = now;
    }
    return RC_OK;
}

static const char *name_of(const rc_merge_t *m, const rc_merge_item_t *i)
{
    return m->store[i->from].path;
}

/* A key of a run has one value. */
static rc_status_t check_provenance(const rc_merge_t *m, const pile_t *p, rc_err_t *err)
{
    for (size_t i = 1; i < p->count; i++) {
        const rc_row_provenance_t *a = p->item[i - 1].row;
        const rc_row_provenance_t *b = p->item[i].row;
        if (a->run != b->run || a->rank != b->rank || a->part != b->part ||
            memcmp(a->key, b->key, sizeof a->key) != 0 || memcmp(a, b, sizeof *a) == 0)
            continue;
        const rc_row_run_t *run = m->dicts.d[RC_T_RUN].rows;
        return rc_fail(err, RC_ESTORE,
            "%s and %s contradict each other: %.64s of run %.32s is '%.80s' in one and '%.80s' in "
            "the other",
            name_of(m, &p->item[i - 1]), name_of(m, &p->item[i]), a->key, run[a->run].uuid,
            a->value, b->value);
    }
    return RC_OK;
}

static rc_status_t check_inflight(const rc_merge_t *m, const pile_t *p, rc_err_t *err)
{
    for (size_t i = 1; i < p->count; i++) {
        const rc_row_inflight_t *a = p->item[i - 1].row;
        const rc_row_inflight_t *b = p->item[i].row;
        if (a->run == b->run && a->rank == b->rank &&
            memcmp(a->case_id, b->case_id, sizeof a->case_id) == 0)
            return rc_fail(err, RC_ESTORE,
                "%s and %s contradict each other: /inflight has case %.32s of one run and rank in "
                "two ways",
                name_of(m, &p->item[i - 1]), name_of(m, &p->item[i]), a->case_id);
    }
    return RC_OK;
}

/* A table that no dictionary is. */
typedef struct kind {
    rc_table_id_t table;
    const char *by;
    rc_status_t (*check)(const rc_merge_t *m, const pile_t *p, rc_err_t *err);
} kind_t;

static rc_status_t merge_table(rc_merge_t *m, const kind_t *k, rc_dict_t *out, rc_err_t *err)
{
    const rc_schema_table_t *t = &rc_schema[k->table];
    rc_dict_t read = {.table = t};
    pile_t p;
    rc_status_t st;
    RC_TRY(pile_start(m, t, k->by, &p, err));
    for (int s = 0; s < m->stores; s++) {
        const rc_dict_t *d = (int)k->table < RC_DICTS ? &m->store[s].dicts.d[k->table] : &read;
        if (d == &read)
            RC_TRY(rc_dict_read(&read, &m->store[s].h, err));
        RC_TRY(pile_up(&p, m, s, d->rows, d->count, err));
    }
    RC_TRY(unite(&p, err));
    if (k->check)
        RC_TRY(k->check(m, &p, err));
    for (size_t i = 0; i < p.count; i++) {
        const rc_row_journal_t *row = p.item[i].row;
        const rc_row_journal_t *next = i + 1 < p.count ? p.item[i + 1].row : NULL;
        /* of a journal the store counts that has most of it */
        if (k->table == RC_T_JOURNAL && next &&
            memcmp(row->name, next->name, sizeof row->name) == 0)
            continue;
        RC_TRY(rc_dict_push(out, row, err));
    }
done:
    free(read.rows);
    pile_free(&p);
    return st;
}

rc_status_t rc_merge_tables(rc_merge_t *m, rc_err_t *err)
{
    static const kind_t kinds[] = {
        {RC_T_SOURCE, "utc_ns,run", NULL}, /* the last row of a name counts */
        {RC_T_PROVENANCE, "run,rank,key,part", check_provenance},
        {RC_T_JOURNAL, "name,bytes", NULL},
        {RC_T_INFLIGHT, "run,rank", check_inflight}, /* then by the case, which comes first */
    };
    for (const kind_t *k = kinds; k < kinds + sizeof kinds / sizeof *kinds; k++)
        RC_PASS(merge_table(m, k, &m->dicts.d[k->table], err));
    return RC_OK;
}

rc_status_t rc_merge_orders(rc_merge_t *m, rc_err_t *err)
{
    rc_dict_t all = {.table = &rc_schema[RC_T_ORDER]};
    rc_status_t st = merge_table(m, &(kind_t){RC_T_ORDER, "utc_ns,run", NULL}, &all, err);
    if (st == RC_OK)
        st = rc_h5_append(&m->h, all.table, all.rows, (int64_t)all.count, NULL, err);
    free(all.rows);
    return st;
}

/* ---------------------------------------------------------------------- features */

/* One feature set over all stores. */
typedef struct set {
    const char *name;
    char *names; /* of its columns */
    int columns;
    int first; /* store that it was first seen in */
} set_t;

/* The items of a pile, one after the other, from a byte of each on; free(). */
static void *flatten(const pile_t *p, size_t from, size_t bytes, rc_err_t *err)
{
    unsigned char *out = rc_alloc(p->count, bytes, p->t->title, err);
    for (size_t i = 0; out && i < p->count; i++)
        memcpy(out + i * bytes, (const char *)p->item[i].row + from, bytes);
    return out;
}

static rc_status_t pile_features(const rc_merge_t *m, int s, set_t *set, pile_t *p, rc_err_t *err)
{
    const rc_merge_store_t *store = &m->store[s];
    rc_row_feature_t *row = NULL;
    double *value = NULL;
    char *names = NULL;
    unsigned char *both = NULL;
    int64_t n = 0;
    int columns = 0;
    rc_status_t st;
    RC_TRY(rc_h5_read_features(&store->h, set->name, &row, &value, &n, &columns, &names, err));
    if (!set->names) {
        set->names = names;
        set->columns = columns;
        set->first = s;
        p->bytes = sizeof *row + (size_t)columns * sizeof *value;
        names = NULL;
    } else if (columns != set->columns || strcmp(names, set->names) != 0)
        RC_TRY(rc_fail(err, RC_ESTORE,
            "%s and %s contradict each other: feature set %s has other columns in one than in the "
            "other",
            m->store[set->first].path, store->path, set->name));
    both = rc_alloc((size_t)n, p->bytes, p->t->title, err);
    RC_TRY(both ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < n; i++) {
        unsigned char *at = both + (size_t)i * p->bytes;
        memcpy(at, &row[i], sizeof *row);
        memcpy(at + sizeof *row, value + i * columns, (size_t)columns * sizeof *value);
    }
    st = pile_up(p, m, s, both, (size_t)n, err);
done:
    free(both);
    free(names);
    free(value);
    free(row);
    return st;
}

static rc_status_t merge_set(rc_merge_t *m, const rc_words_t *list, const char *name, rc_err_t *err)
{
    set_t set = {.name = name};
    rc_schema_table_t t = rc_schema_feature_rows;
    t.path = RC_FEATURES_PATH;
    pile_t p;
    void *rows = NULL;
    void *values = NULL;
    size_t row_bytes = sizeof(rc_row_feature_t);
    rc_status_t st;
    RC_TRY(pile_start(m, &t, "run,matrix,version", &p, err));
    for (int s = 0; s < m->stores; s++) {
        p.end[s] = p.rows;
        for (int i = 0; i < list[s].count; i++)
            if (strcmp(list[s].word[i], name) == 0)
                RC_TRY(pile_features(m, s, &set, &p, err));
    }
    RC_TRY(unite(&p, err));
    rows = flatten(&p, 0, row_bytes, err);
    values = flatten(&p, row_bytes, p.bytes - row_bytes, err);
    RC_TRY(rows && values ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_h5_make_features(&m->h, name, set.columns, set.names, err));
    st = rc_h5_append_features(&m->h, name, set.columns, rows, values, (int64_t)p.count, err);
done:
    free(values);
    free(rows);
    free(set.names);
    pile_free(&p);
    return st;
}

rc_status_t rc_merge_features(rc_merge_t *m, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    size_t all = 0;
    size_t capacity = 0;
    const char **name = NULL;
    rc_words_t *list = rc_alloc0((size_t)m->stores, sizeof *list, "feature sets", err);
    RC_PASS(list ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < m->stores; s++) {
        RC_TRY(rc_h5_feature_sets(&m->store[s].h, &list[s], err));
        RC_TRY(RC_GROW(name, capacity, all + (size_t)list[s].count, "feature sets", err));
        for (int i = 0; i < list[s].count; i++)
            name[all++] = list[s].word[i];
    }
    if (all)
        qsort(name, all, sizeof *name, rc_str_compare);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || strcmp(name[i], name[i - 1]) != 0)
            RC_TRY(merge_set(m, list, name[i], err));
done:
    for (int s = 0; s < m->stores; s++)
        rc_words_free(&list[s]);
    free(list);
    free(name);
    return st;
}
