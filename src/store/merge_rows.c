#include "config.h"
#include "store/merge_private.h"
#include "base/alloc.h"
#include "base/error.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Rows of one table over all stores, with the ids of the output. */
typedef struct pile {
    size_t bytes; /* of a row */
    unsigned char *row;
    size_t rows;
    size_t capacity;
    rc_merge_item_t *item; /* [count] after unite() */
    size_t count;
    const rc_schema_field_t *by[RC_MERGE_BY_MAX];
} pile_t;

static rc_status_t push(pile_t *p, const void *row, const char *what, rc_err_t *err)
{
    void *rows = p->row;
    rc_status_t st = rc_grow(&rows, &p->capacity, p->rows + 1, p->bytes, what, err);
    p->row = rows;
    if (st < 0)
        return st;
    memcpy(p->row + p->rows++ * p->bytes, row, p->bytes);
    return RC_OK;
}

static void pile_free(pile_t *p)
{
    free(p->row);
    free(p->item);
}

/* --------------------------------------------------------------------- the union */

/* Of equal rows as many are kept as the store has that has most of them: two stores with the same
 * row have it from the same measurement, one store with two of them measured twice.
 * \param[in] end  [stores] rows of the pile up to and with those of each store */
static rc_status_t unite(pile_t *p, const size_t *end, const char *what, rc_err_t *err)
{
    p->item = rc_alloc(p->rows, sizeof *p->item, what, err);
    RC_PASS(p->item ? RC_OK : RC_ENOMEM);
    int from = 0;
    for (size_t i = 0; i < p->rows; i++) {
        while (i >= end[from])
            from++;
        p->item[i] = (rc_merge_item_t){p->row + i * p->bytes, p->bytes, p->by, from, 1};
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

/* Fill a pile with the rows of one of the small tables. */
static rc_status_t pile_up(rc_merge_t *m, rc_table_id_t table, pile_t *p, rc_err_t *err)
{
    const rc_schema_table_t *t = &rc_schema[table];
    rc_status_t st = RC_OK;
    size_t *end = rc_alloc((size_t)m->stores, sizeof *end, "rows of stores", err);
    RC_PASS(end ? RC_OK : RC_ENOMEM);
    p->bytes = t->row_bytes;
    for (int s = 0; s < m->stores; s++) {
        const rc_dict_t *d = &m->store[s].dicts.d[table];
        for (size_t i = 0; i < d->count; i++) {
            RC_TRY(push(p, (const char *)d->rows + i * p->bytes, t->title, err));
            RC_TRY(rc_merge_ids(
                &m->store[s], t, t->path, (int64_t)i, p->row + (p->rows - 1) * p->bytes, err));
        }
        end[s] = p->rows;
    }
    st = unite(p, end, t->title, err);
done:
    free(end);
    return st;
}

static int same_key(const rc_row_provenance_t *a, const rc_row_provenance_t *b)
{
    return a->run == b->run && a->rank == b->rank && a->part == b->part &&
           memcmp(a->key, b->key, sizeof a->key) == 0;
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
        if (!same_key(a, b) || memcmp(a, b, sizeof *a) == 0)
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

static rc_status_t publish(rc_merge_t *m, rc_table_id_t t, const pile_t *p, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    for (size_t i = 0; i < p->count && st == RC_OK; i++) {
        const rc_row_journal_t *row = p->item[i].row;
        const rc_row_journal_t *next = i + 1 < p->count ? p->item[i + 1].row : NULL;
        /* of a journal the store counts that has most of it */
        if (t == RC_T_JOURNAL && next && memcmp(row->name, next->name, sizeof row->name) == 0)
            continue;
        st = rc_dict_push(&m->dicts.d[t], p->item[i].row, err);
    }
    return st;
}

rc_status_t rc_merge_tables(rc_merge_t *m, rc_err_t *err)
{
    static const struct {
        rc_table_id_t table;
        const char *by;
        rc_status_t (*check)(const rc_merge_t *m, const pile_t *p, rc_err_t *err);
    } kind[] = {
        {RC_T_SOURCE, "utc_ns,run", NULL}, /* the last row of a name counts */
        {RC_T_PROVENANCE, "run,rank,key,part", check_provenance},
        {RC_T_JOURNAL, "name,bytes", NULL},
        {RC_T_INFLIGHT, "run,rank", check_inflight}, /* then by the case, which comes first */
    };
    rc_status_t st = RC_OK;
    for (size_t i = 0; i < sizeof kind / sizeof *kind && st == RC_OK; i++) {
        pile_t p = {0};
        rc_merge_sort_by(&rc_schema[kind[i].table], kind[i].by, p.by);
        st = pile_up(m, kind[i].table, &p, err);
        if (st == RC_OK && kind[i].check)
            st = kind[i].check(m, &p, err);
        if (st == RC_OK)
            st = publish(m, kind[i].table, &p, err);
        pile_free(&p);
    }
    return st;
}

/* ------------------------------------------------------------------------ orders */

static rc_status_t pile_orders(const rc_merge_store_t *s, pile_t *p, rc_err_t *err)
{
    const rc_schema_table_t *t = &rc_schema[RC_T_ORDER];
    void *rows = NULL;
    int64_t n = 0;
    rc_status_t st = rc_h5_read(&s->h, t, &rows, &n, err);
    for (int64_t i = 0; i < n && st == RC_OK; i++) {
        void *row = (char *)rows + (size_t)i * t->row_bytes;
        st = rc_merge_ids(s, t, t->path, i, row, err);
        if (st == RC_OK)
            st = push(p, row, t->title, err);
    }
    free(rows);
    return st;
}

/* The items of a pile, one after the other; free(). */
static void *flatten(const pile_t *p, size_t from, size_t bytes, const char *what, rc_err_t *err)
{
    unsigned char *out = rc_alloc(p->count, bytes, what, err);
    for (size_t i = 0; out && i < p->count; i++)
        memcpy(out + i * bytes, (const char *)p->item[i].row + from, bytes);
    return out;
}

rc_status_t rc_merge_orders(rc_merge_t *m, rc_err_t *err)
{
    const rc_schema_table_t *t = &rc_schema[RC_T_ORDER];
    rc_status_t st = RC_OK;
    pile_t p = {.bytes = t->row_bytes};
    void *rows = NULL;
    size_t *end = rc_alloc((size_t)m->stores, sizeof *end, "rows of stores", err);
    RC_PASS(end ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < m->stores; s++) {
        RC_TRY(pile_orders(&m->store[s], &p, err));
        end[s] = p.rows;
    }
    rc_merge_sort_by(t, "utc_ns,run", p.by);
    RC_TRY(unite(&p, end, t->title, err));
    rows = flatten(&p, 0, t->row_bytes, t->title, err);
    RC_TRY(rows ? RC_OK : RC_ENOMEM);
    st = rc_h5_append(&m->h, t, rows, (int64_t)p.count, NULL, err);
done:
    free(rows);
    free(end);
    pile_free(&p);
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
    both = rc_alloc(1, p->bytes, "a row of features", err);
    RC_TRY(both ? RC_OK : RC_ENOMEM);
    for (int64_t i = 0; i < n; i++) {
        RC_TRY(rc_merge_ids(store, &rc_schema_feature_rows, RC_FEATURES_PATH, i, &row[i], err));
        memcpy(both, &row[i], sizeof *row);
        memcpy(both + sizeof *row, value + i * columns, (size_t)columns * sizeof *value);
        RC_TRY(push(p, both, "features", err));
    }
done:
    free(both);
    free(names);
    free(value);
    free(row);
    return st;
}

static int has_set(char **list, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(list[i], name) == 0)
            return 1;
    return 0;
}

static rc_status_t merge_set(
    rc_merge_t *m, char ***list, const int *count, const char *name, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    set_t set = {.name = name};
    pile_t p = {0};
    void *rows = NULL;
    void *values = NULL;
    size_t *end = rc_alloc((size_t)m->stores, sizeof *end, "rows of stores", err);
    RC_PASS(end ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < m->stores; s++) {
        if (has_set(list[s], count[s], name))
            RC_TRY(pile_features(m, s, &set, &p, err));
        end[s] = p.rows;
    }
    rc_merge_sort_by(&rc_schema_feature_rows, "run,matrix,version", p.by);
    RC_TRY(unite(&p, end, "features", err));
    rows = flatten(&p, 0, sizeof(rc_row_feature_t), "features", err);
    values = flatten(
        &p, sizeof(rc_row_feature_t), (size_t)set.columns * sizeof(double), "features", err);
    RC_TRY(rows && values ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_h5_make_features(&m->h, name, set.columns, set.names, err));
    st = rc_h5_append_features(&m->h, name, set.columns, rows, values, (int64_t)p.count, err);
done:
    free(values);
    free(rows);
    free(end);
    free(set.names);
    pile_free(&p);
    return st;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

rc_status_t rc_merge_features(rc_merge_t *m, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    size_t all = 0;
    const char **name = NULL;
    char ***list = rc_alloc0((size_t)m->stores, sizeof *list, "feature sets", err);
    int *count = rc_alloc0((size_t)m->stores, sizeof *count, "feature sets", err);
    RC_TRY(list && count ? RC_OK : RC_ENOMEM);
    for (int s = 0; s < m->stores; s++) {
        RC_TRY(rc_h5_feature_sets(&m->store[s].h, &list[s], &count[s], err));
        all += (size_t)count[s];
    }
    name = rc_alloc(all, sizeof *name, "feature sets", err);
    RC_TRY(name ? RC_OK : RC_ENOMEM);
    all = 0;
    for (int s = 0; s < m->stores; s++)
        for (int i = 0; i < count[s]; i++)
            name[all++] = list[s][i];
    if (all)
        qsort(name, all, sizeof *name, by_name);
    for (size_t i = 0; i < all; i++)
        if (i == 0 || strcmp(name[i], name[i - 1]) != 0)
            RC_TRY(merge_set(m, list, count, name[i], err));
done:
    for (int s = 0; list && count && s < m->stores; s++) {
        for (int i = 0; i < count[s]; i++)
            free(list[s][i]);
        free(list[s]);
    }
    free(list);
    free(count);
    free(name);
    return st;
}
