#include "config.h"
#include "analysis/split.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/rng.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const rc_split_names[] = {"group", "random", "stratified", NULL};

/* What goes to one side as a whole: the rows of a group or of a matrix. */
typedef struct unit {
    const char *name; /* of the group; digest of the matrix */
    int64_t rows;
    uint64_t lot; /* drawn: units of one key come in this order */
    int side;
    int64_t key; /* that they are ordered by: the label of stratified folds, minus the rows of
                    others, 0 of a share */
} unit_t;

typedef struct units {
    unit_t *unit; /* in order of name */
    int count;
    int *of; /* [n] unit of each row */
} units_t;

typedef struct named {
    const char *name;
    int64_t at;
} named_t;

static int by_name(const void *a, const void *b)
{
    const named_t *x = a;
    const named_t *y = b;
    int c = strcmp(x->name, y->name);
    return c ? c : (x->at > y->at) - (x->at < y->at);
}

static rc_status_t make_units(const rc_split_t *split, rc_pool_t *pool, units_t *out, rc_err_t *err)
{
    const rc_dataset_t *d = split->d;
    int64_t n = split->n;
    named_t *list = rc_pool_get(pool, (size_t)n, sizeof *list);
    units_t u = {.unit = rc_pool_get(pool, (size_t)n, sizeof *u.unit),
        .of = rc_pool_get(pool, (size_t)n, sizeof *u.of)};
    RC_PASS(rc_pool_check(pool, "a split", err));
    for (int64_t i = 0; i < n; i++) {
        const rc_sample_t *s = &d->sample[split->row ? split->row[i] : i];
        list[i] = (named_t){split->kind == RC_SPLIT_GROUP ? d->group[s->group] : s->digest, i};
    }
    qsort(list, (size_t)n, sizeof *list, by_name);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(list[i].name, list[i - 1].name) != 0) {
            /* it draws its lot by its name: what other units there are does not change it */
            rc_digest_t own = rc_digest(list[i].name, strlen(list[i].name));
            uint64_t lot = rc_rng_hash(split->seed ^ own.hi, own.lo);
            u.unit[u.count++] = (unit_t){.name = list[i].name, .lot = lot, .side = -1};
        }
        u.unit[u.count - 1].rows++;
        u.of[list[i].at] = u.count - 1;
    }
    *out = u;
    return RC_OK;
}

static int by_key(const void *a, const void *b)
{
    const unit_t *x = *(unit_t *const *)a;
    const unit_t *y = *(unit_t *const *)b;
    int c = (x->key > y->key) - (x->key < y->key);
    if (c == 0)
        c = (x->lot > y->lot) - (x->lot < y->lot);
    return c ? c : strcmp(x->name, y->name);
}

/* Units in order; of the pool, which the caller checks. */
static unit_t **order_units(const units_t *u, rc_pool_t *pool)
{
    unit_t **list = rc_pool_get(pool, (size_t)u->count, sizeof *list);
    for (int i = 0; list && i < u->count; i++)
        list[i] = &u->unit[i];
    if (list)
        qsort(list, (size_t)u->count, sizeof *list, by_key);
    return list;
}

static const char *plural(rc_split_kind_t kind)
{
    return kind == RC_SPLIT_GROUP ? "groups" : "matrices";
}

static const char *hint(rc_split_kind_t kind)
{
    return kind == RC_SPLIT_GROUP ? " (the split 'random' divides by matrix)" : "";
}

/* Largest first, each to the fold with fewest rows: the sizes of the folds come out alike. */
static void deal(unit_t *const *list, int n, int folds, int64_t *rows)
{
    for (int i = 0; i < n; i++) {
        int to = 0;
        for (int f = 1; f < folds; f++)
            if (rows[f] < rows[to])
                to = f;
        list[i]->side = to;
        rows[to] += list[i]->rows;
    }
}

rc_status_t rc_split_folds(const rc_split_t *split, int folds, int *fold, rc_err_t *err)
{
    rc_split_kind_t kind = split->kind;
    int stratified = kind == RC_SPLIT_STRATIFIED;
    rc_pool_t pool = {0};
    units_t u = {0};
    rc_status_t st;
    if (folds < 2)
        return rc_fail(err, RC_EINVAL, "expected at least 2 folds, found %d", folds);
    RC_TRY(make_units(split, &pool, &u, err));
    if (u.count < folds)
        RC_TRY(rc_fail(err, RC_EINVAL, "%d folds of %d %s: expected at least as many%s%s%s%s",
            folds, u.count, plural(kind), stratified ? "" : " ", stratified ? "" : plural(kind),
            stratified ? "" : " as folds", hint(kind)));
    for (int i = 0; i < u.count; i++)
        u.unit[i].key = -u.unit[i].rows;
    for (int64_t i = split->n - 1; stratified && i >= 0; i--) /* the first row of a unit stays */
        u.unit[u.of[i]].key = rc_dataset_best(split->d, split->row ? split->row[i] : i);
    unit_t **list = order_units(&u, &pool);
    int64_t *rows = rc_pool_get0(&pool, (size_t)folds, sizeof *rows);
    RC_TRY(rc_pool_check(&pool, "folds", err));
    if (!stratified)
        deal(list, u.count, folds, rows);
    for (int i = 0; stratified && i < u.count; i++)
        list[i]->side = i % folds; /* through the labels: about the same share of each in a fold */
    for (int64_t i = 0; i < split->n; i++)
        fold[i] = u.unit[u.of[i]].side;
done:
    rc_pool_free(&pool);
    return st;
}

rc_status_t rc_split_inside(const rc_split_t *split, int *fold, int *folds, rc_err_t *err)
{
    enum { FOLDS = 5 };
    rc_split_t by = *split;
    rc_status_t st = RC_EINVAL;
    if (by.kind != RC_SPLIT_GROUP)
        by.kind = RC_SPLIT_STRATIFIED;
    for (int k = FOLDS; k >= 2 && st == RC_EINVAL; k--) {
        st = rc_split_folds(&by, k, fold, err);
        *folds = k;
    }
    return st < 0 ? rc_err_context(err, "validation parts") : RC_OK;
}

/* Units in the order of their lots, each taken when that brings the test part nearer to its size;
 * one that is too large is passed over, and smaller ones behind it still may come. */
static void take(unit_t *const *list, int n, double wanted)
{
    double rows = 0;
    int taken = 0;
    int smallest = 0;
    for (int i = 0; i < n; i++) {
        double with = rows + (double)list[i]->rows;
        int nearer = fabs(with - wanted) < fabs(rows - wanted);
        list[i]->side = nearer && taken < n - 1;
        if (list[i]->side) {
            rows = with;
            taken++;
        }
        if (list[i]->rows < list[smallest]->rows)
            smallest = i;
    }
    if (taken == 0)
        list[smallest]->side = 1;
}

rc_status_t rc_split_share(const rc_split_t *split, double share, int *test, rc_err_t *err)
{
    rc_split_kind_t kind = split->kind;
    rc_pool_t pool = {0};
    units_t u = {0};
    rc_status_t st;
    if (!(share > 0 && share < 1))
        return rc_fail(
            err, RC_EINVAL, "expected a share between 0 and 1 for the test part, found %g", share);
    RC_TRY(make_units(split, &pool, &u, err));
    if (u.count < 2)
        RC_TRY(rc_fail(
            err, RC_EINVAL, "a split needs two %s, found %d%s", plural(kind), u.count, hint(kind)));
    unit_t **list = order_units(&u, &pool);
    RC_TRY(rc_pool_check(&pool, "a split", err));
    take(list, u.count, share * (double)split->n);
    for (int64_t i = 0; i < split->n; i++)
        test[i] = u.unit[u.of[i]].side;
done:
    rc_pool_free(&pool);
    return st;
}
