/* A classification tree (Breiman, Friedman, Olshen and Stone 1984): Gini impurity, split at the
 * middle between two neighbouring raw values, grown until every leaf is of one class or all its
 * inputs are the same.  Of equal splits the one of the first input, there the lowest.  No
 * parameters, no library. */
#include "config.h"
#include "analysis/trainer.h"
#include "base/alloc.h"
#include "base/error.h"
#include "model/forest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A node in the making holds the rows at [first, end) of the list. */
typedef struct node {
    int64_t first;
    int64_t end;
    int32_t feature; /* -1: a leaf */
    float threshold;
    int32_t left;
} node_t;

typedef struct value {
    float x;
    int32_t label;
    int64_t row; /* number in the fit */
} value_t;

typedef struct tree {
    rc_pool_t pool;
    const rc_fit_job_t *job;
    const rc_model_t *m;
    float *x;       /* [n * inputs] as the predictor sees them */
    int32_t *label; /* [n] */
    int64_t *list;  /* [n] rows by node */
    value_t *sorted;
    int64_t *left; /* [classes] counts while a split is searched */
    int64_t *all;
    node_t *node; /* [2 n] */
    int32_t nodes;
} tree_t;

static rc_status_t tree_new(const rc_fit_job_t *job, tree_t *t, rc_err_t *err)
{
    size_t n = (size_t)job->n;
    size_t inputs = (size_t)job->d->inputs;
    size_t classes = (size_t)job->d->classes;
    t->x = rc_pool_get(&t->pool, n * inputs, sizeof *t->x);
    t->label = rc_pool_get(&t->pool, n, sizeof *t->label);
    t->list = rc_pool_get(&t->pool, n, sizeof *t->list);
    t->sorted = rc_pool_get(&t->pool, n, sizeof *t->sorted);
    t->left = rc_pool_get(&t->pool, classes, sizeof *t->left);
    t->all = rc_pool_get(&t->pool, classes, sizeof *t->all);
    t->node = rc_pool_get(&t->pool, 2 * n, sizeof *t->node);
    RC_PASS(rc_pool_check(&t->pool, "a tree", err));
    for (size_t i = 0; i < n * inputs; i++)
        t->x[i] = (float)job->x[i];
    for (size_t i = 0; i < n; i++) {
        t->label[i] = rc_dataset_best(job->d, job->row[i]);
        t->list[i] = (int64_t)i;
    }
    t->node[t->nodes++] = (node_t){.first = 0, .end = job->n, .feature = -1};
    return RC_OK;
}

static int by_value(const void *a, const void *b)
{
    const value_t *x = a;
    const value_t *y = b;
    int c = (x->x > y->x) - (x->x < y->x);
    return c ? c : (x->row > y->row) - (x->row < y->row);
}

static double raw(const tree_t *t, int64_t row, int input)
{
    const rc_dataset_t *d = t->job->d;
    return d->value[t->job->row[row] * d->inputs + input];
}

/* The middle between a value and the next one, which goes to the left itself. */
static float middle(const tree_t *t, const value_t *v, int input)
{
    double low = raw(t, v[0].row, input);
    double high = raw(t, v[1].row, input);
    float at = nextafterf(rc_threshold(t->m, input, low + (high - low) / 2), INFINITY);
    return at > v[0].x && at < v[1].x ? at : v[1].x;
}

/* The Gini impurity of both sides, weighted, is n minus this. */
static double purity(const tree_t *t, int64_t left, int64_t right)
{
    double of_left = 0;
    double of_right = 0;
    for (int c = 0; c < t->job->d->classes; c++) {
        double l = (double)t->left[c];
        double r = (double)(t->all[c] - t->left[c]);
        of_left += l * l;
        of_right += r * r;
    }
    return of_left / (double)left + of_right / (double)right;
}

/* The best split of a node by one input, if it is better than `best`. */
static void try_input(tree_t *t, node_t *node, int input, double *best)
{
    int64_t n = node->end - node->first;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = t->list[node->first + i];
        t->sorted[i] = (value_t){t->x[row * t->job->d->inputs + input], t->label[row], row};
    }
    qsort(t->sorted, (size_t)n, sizeof *t->sorted, by_value);
    memset(t->left, 0, (size_t)t->job->d->classes * sizeof *t->left);
    for (int64_t i = 0; i + 1 < n; i++) {
        t->left[t->sorted[i].label]++;
        if (t->sorted[i].x == t->sorted[i + 1].x)
            continue;
        double found = purity(t, i + 1, n - i - 1);
        if (!(found > *best))
            continue;
        *best = found;
        node->feature = input;
        node->threshold = middle(t, &t->sorted[i], input);
    }
}

/* Rows of the left child first, each side in its order.  \return where the right one begins */
static int64_t divide(tree_t *t, const node_t *node)
{
    int64_t at = node->first;
    int64_t right = 0;
    for (int64_t i = node->first; i < node->end; i++) {
        int64_t row = t->list[i];
        if (t->x[row * t->job->d->inputs + node->feature] < node->threshold)
            t->list[at++] = row;
        else
            t->sorted[right++].row = row;
    }
    for (int64_t i = 0; i < right; i++)
        t->list[at + i] = t->sorted[i].row;
    return at;
}

/* Breadth first, so that children stand side by side behind their parent. */
static void grow(tree_t *t)
{
    for (int32_t at = 0; at < t->nodes; at++) {
        node_t *node = &t->node[at];
        double best = -1;
        memset(t->all, 0, (size_t)t->job->d->classes * sizeof *t->all);
        for (int64_t i = node->first; i < node->end; i++)
            t->all[t->label[t->list[i]]]++;
        if (t->all[t->label[t->list[node->first]]] == node->end - node->first)
            continue; /* pure */
        for (int input = 0; input < t->job->d->inputs; input++)
            try_input(t, node, input, &best);
        if (node->feature < 0)
            continue;
        int64_t middle = divide(t, node);
        node->left = t->nodes;
        t->node[t->nodes++] = (node_t){.first = node->first, .end = middle, .feature = -1};
        t->node[t->nodes++] = (node_t){.first = middle, .end = node->end, .feature = -1};
    }
}

/* The share of a class in a leaf. */
static double share(const tree_t *t, const node_t *leaf, int cls)
{
    int64_t count = 0;
    for (int64_t i = leaf->first; i < leaf->end; i++)
        count += t->label[t->list[i]] == cls;
    return (double)count / (double)(leaf->end - leaf->first);
}

/* One tree a class, all of one shape. */
static rc_status_t export_tree(const tree_t *t, rc_forest_t **out, rc_err_t *err)
{
    int classes = t->job->d->classes;
    if ((int64_t)t->nodes * classes > INT32_MAX)
        return rc_fail(err, RC_EINVAL, "cart: too many nodes, %d for each of %d classes",
            (int)t->nodes, classes);
    rc_forest_t *f = rc_forest_new(t->job->d->inputs, classes, classes, t->nodes * classes, err);
    RC_PASS(f ? RC_OK : RC_ENOMEM);
    for (int c = 0; c < classes; c++) {
        int32_t first = c * t->nodes;
        f->first[c + 1] = c + 1;
        f->root[c + 1] = first + t->nodes;
        for (int32_t i = 0; i < t->nodes; i++) {
            const node_t *n = &t->node[i];
            f->node[first + i] =
                (rc_tree_node_t){.value = n->feature < 0 ? share(t, n, c) : (double)n->threshold,
                    .feature = n->feature,
                    .left = n->feature < 0 ? 0 : first + n->left};
        }
    }
    *out = f;
    return RC_OK;
}

static rc_status_t fit(
    const rc_trainer_t *self, const rc_fit_job_t *job, rc_model_t *m, rc_err_t *err)
{
    tree_t t = {.job = job, .m = m};
    rc_forest_t *f = NULL;
    rc_status_t st;
    (void)self;
    RC_TRY(tree_new(job, &t, err));
    grow(&t);
    RC_TRY(export_tree(&t, &f, err));
    m->output = RC_OUTPUT_SCORE;
    m->predictor = (rc_predictor_t){.kind = &rc_predictor_forest, .state = f};
    if (json_object_set_new(m->training, "nodes", json_integer(t.nodes)) < 0)
        st = rc_fail(err, RC_ENOMEM, "no memory to describe a fit");
done:
    rc_pool_free(&t.pool);
    return st;
}

const rc_trainer_t rc_trainer_cart = {
    .name = "cart",
    .summary = "a classification tree, Gini impurity, grown until pure",
    .source = "Nisa et al. 2018; Breiman et al. 1984",
    .version = 1,
    .rows_min = 2,
    .fit = fit,
};
