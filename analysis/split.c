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
    uint64_t lot; /* drawn: units of one size come in this order */
    int side;
    int label; /* of stratified splits */
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

static void free_units(units_t *u)
{
    free(u->unit);
    free(u->of);
}

/* A unit draws its lot by itself, from its name: what other units there are does not change it. */
static uint64_t draw(const char *name, uint64_t seed)
{
    rc_digest_t d = rc_digest(name, strlen(name));
    return rc_rng_hash(seed ^ d.hi, d.lo);
}

static rc_status_t make_units(const rc_split_t *split, units_t *out, rc_err_t *err)
{
    const rc_dataset_t *d = split->d;
    int64_t n = split->n;
    units_t u = {0};
    named_t *list = rc_alloc((size_t)n, sizeof *list, "a split", err);
    u.unit = rc_alloc((size_t)n, sizeof *u.unit, "a split", err);
    u.of = rc_alloc((size_t)n, sizeof *u.of, "a split", err);
    if (!list || !u.unit || !u.of) {
        free(list);
        free_units(&u);
        return RC_ENOMEM;
    }
    for (int64_t i = 0; i < n; i++) {
        const rc_sample_t *s = &d->sample[split->row ? split->row[i] : i];
        list[i] = (named_t){split->kind == RC_SPLIT_GROUP ? d->group[s->group] : s->digest, i};
    }
    qsort(list, (size_t)n, sizeof *list, by_name);
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || strcmp(list[i].name, list[i - 1].name) != 0)
            u.unit[u.count++] =
                (unit_t){.name = list[i].name, .lot = draw(list[i].name, split->seed), .side = -1};
        u.unit[u.count - 1].rows++;
        u.of[list[i].at] = u.count - 1;
    }
    free(list);
    *out = u;
    return RC_OK;
}

static int by_lot(const void *a, const void *b)
{
    const unit_t *x = *(unit_t *const *)a;
    const unit_t *y = *(unit_t *const *)b;
    int c = (x->lot > y->lot) - (x->lot < y->lot);
    return c ? c : strcmp(x->name, y->name);
}

static int by_size(const void *a, const void *b)
{
    const unit_t *x = *(unit_t *const *)a;
    const unit_t *y = *(unit_t *const *)b;
    int c = (x->rows < y->rows) - (x->rows > y->rows);
    return c ? c : by_lot(a, b);
}

static int by_label(const void *a, const void *b)
{
    const unit_t *x = *(unit_t *const *)a;
    const unit_t *y = *(unit_t *const *)b;
    return x->label != y->label ? x->label - y->label : by_lot(a, b);
}

static unit_t **order_units(
    const units_t *u, int (*compare)(const void *, const void *), rc_err_t *err)
{
    unit_t **list = rc_alloc((size_t)u->count, sizeof *list, "a split", err);
    for (int i = 0; list && i < u->count; i++)
        list[i] = &u->unit[i];
    if (list)
        qsort(list, (size_t)u->count, sizeof *list, compare);
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

/* One after the other, through the labels: each fold has about the same share of every one. */
static void deal_evenly(unit_t *const *list, int n, int folds)
{
    for (int i = 0; i < n; i++)
        list[i]->side = i % folds;
}

rc_status_t rc_split_folds(const rc_split_t *split, int folds, int *fold, rc_err_t *err)
{
    rc_split_kind_t kind = split->kind;
    int stratified = kind == RC_SPLIT_STRATIFIED;
    units_t u = {0};
    unit_t **list = NULL;
    int64_t *rows = NULL;
    rc_status_t st;
    if (folds < 2)
        return rc_fail(err, RC_EINVAL, "expected at least 2 folds, found %d", folds);
    RC_TRY(make_units(split, &u, err));
    if (u.count < folds)
        RC_TRY(rc_fail(err, RC_EINVAL, "%d folds of %d %s: expected at least as many%s%s%s%s",
            folds, u.count, plural(kind), stratified ? "" : " ", stratified ? "" : plural(kind),
            stratified ? "" : " as folds", hint(kind)));
    for (int64_t i = split->n - 1; i >= 0; i--) /* the first row of a unit stays: its label */
        u.unit[u.of[i]].label = rc_dataset_best(split->d, split->row ? split->row[i] : i);
    list = order_units(&u, stratified ? by_label : by_size, err);
    rows = rc_alloc0((size_t)folds, sizeof *rows, "folds", err);
    RC_TRY(list && rows ? RC_OK : RC_ENOMEM);
    if (stratified)
        deal_evenly(list, u.count, folds);
    else
        deal(list, u.count, folds, rows);
    for (int64_t i = 0; i < split->n; i++)
        fold[i] = u.unit[u.of[i]].side;
done:
    free(list);
    free(rows);
    free_units(&u);
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
    units_t u = {0};
    unit_t **list = NULL;
    rc_status_t st;
    if (!(share > 0 && share < 1))
        return rc_fail(
            err, RC_EINVAL, "expected a share between 0 and 1 for the test part, found %g", share);
    RC_TRY(make_units(split, &u, err));
    if (u.count < 2)
        RC_TRY(rc_fail(
            err, RC_EINVAL, "a split needs two %s, found %d%s", plural(kind), u.count, hint(kind)));
    list = order_units(&u, by_lot, err);
    RC_TRY(list ? RC_OK : RC_ENOMEM);
    take(list, u.count, share * (double)split->n);
    for (int64_t i = 0; i < split->n; i++)
        test[i] = u.unit[u.of[i]].side;
done:
    free(list);
    free_units(&u);
    return st;
}
