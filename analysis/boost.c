#include "config.h"
#include "analysis/boost.h"
#include "analysis/boost_trees.h"
#include "base/alloc.h"
#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xgboost/c_api.h>

/* XGBoost's messages are "[time] file:line: text" and a stack; the text is what helps. */
static rc_status_t library_error(const char *what, rc_err_t *err)
{
    const char *text = XGBGetLastError();
    const char *end = strstr(text, "] ");
    if (text[0] == '[' && end)
        text = end + 2;
    size_t length = strcspn(text, "\n");
    rc_status_t status = strstr(text, "bad_alloc") ? RC_ENOMEM : RC_EINVAL;
    return rc_fail(err, status, "%s: XGBoost: %.*s", what, (int)(length < 300 ? length : 300),
        length ? text : "unknown error");
}

#define TRY_XGB(call, what)                                                                        \
    do {                                                                                           \
        if ((call) != 0) {                                                                         \
            st = library_error(what, err);                                                         \
            goto done;                                                                             \
        }                                                                                          \
    } while (0)

/* ------------------------------------------------------------------- rows */

static rc_status_t make_matrix(
    const rc_boost_rows_t *rows, int labelled, DMatrixHandle *out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    bst_ulong n = (bst_ulong)rows->count;
    *out = NULL;
    for (int64_t i = 0; i < rows->count * rows->inputs; i++)
        if (!isfinite(rows->x[i]))
            return rc_fail(err, RC_EINVAL, "row %lld of a fit: input %d is not finite",
                (long long)(i / rows->inputs), (int)(i % rows->inputs));
    TRY_XGB(XGDMatrixCreateFromMat(rows->x, n, (bst_ulong)rows->inputs, NAN, out), "rows of a fit");
    if (labelled) {
        TRY_XGB(XGDMatrixSetFloatInfo(*out, "label", rows->label, n), "labels of a fit");
        if (rows->weight)
            TRY_XGB(XGDMatrixSetFloatInfo(*out, "weight", rows->weight, n), "weights of a fit");
    }
done:
    if (st < 0 && *out) {
        XGDMatrixFree(*out);
        *out = NULL;
    }
    return st;
}

/* ---------------------------------------------------------------- booster */

static rc_status_t set_number(BoosterHandle b, const char *name, double value, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    char text[40];
    snprintf(text, sizeof text, "%.9g", value); /* parsed as float */
    TRY_XGB(XGBoosterSetParam(b, name, text), name);
done:
    return st;
}

static rc_status_t set_word(BoosterHandle b, const char *name, const char *value, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    TRY_XGB(XGBoosterSetParam(b, name, value), name);
done:
    return st;
}

static rc_status_t set_options(BoosterHandle b, const rc_boost_options_t *o, rc_err_t *err)
{
    rc_status_t st;
    RC_TRY(set_word(b, "verbosity", "0", err));
    RC_TRY(set_word(b, "nthread", "1", err));
    RC_TRY(set_word(b, "tree_method", o->method, err));
    RC_TRY(set_word(b, "objective", o->objective, err));
    if (o->outputs > 1)
        RC_TRY(set_number(b, "num_class", o->outputs, err));
    RC_TRY(set_number(b, "max_depth", o->depth, err));
    RC_TRY(set_number(b, "eta", o->rate, err));
    RC_TRY(set_number(b, "lambda", o->lambda, err));
    RC_TRY(set_number(b, "min_child_weight", o->leaf_weight_min, err));
    RC_TRY(set_number(b, "base_score", o->base, err));
done:
    return st;
}

static rc_status_t check_options(
    const rc_boost_options_t *o, const rc_boost_rows_t *train, rc_err_t *err)
{
    if (train->count < 1 || train->inputs < 1)
        return rc_fail(err, RC_EINVAL, "trees: expected rows and inputs, found %lld and %d",
            (long long)train->count, train->inputs);
    if (o->outputs < 1 || o->rounds < 1 || o->stride < 1 || o->depth < 1 ||
        o->depth > RC_BOOST_DEPTH_MAX)
        return rc_fail(err, RC_EINVAL,
            "trees: expected outputs, rounds and stride >= 1 and depth 1 to %d, found %d, %d, %d "
            "and %d",
            (int)RC_BOOST_DEPTH_MAX, o->outputs, o->rounds, o->stride, o->depth);
    if (!(o->rate > 0 && o->rate <= 1) || !(o->lambda >= 0) || !(o->leaf_weight_min >= 0) ||
        !isfinite(o->base))
        return rc_fail(err, RC_EINVAL,
            "trees: expected rate in (0, 1], penalties >= 0 and a finite base, found %g, %g, %g "
            "and %g",
            o->rate, o->lambda, o->leaf_weight_min, o->base);
    return RC_OK;
}

/* ------------------------------------------------------------------ trees */

static rc_status_t foreign(const char *what, rc_err_t *err)
{
    return rc_fail(err, RC_EFORMAT, "XGBoost's model: expected %s, found something else", what);
}

static int is_inside(const rc_boost_tree_t *t, int inputs, int32_t at)
{
    return t->left[at] < t->nodes && t->right[at] >= 0 && t->right[at] < t->nodes &&
           t->feature[at] >= 0 && t->feature[at] < inputs;
}

/* Breadth first from the root, so that children stand side by side behind their parent.
 * \param[out] node  [t->nodes] at place `first` of the forest
 * \param[out] used  nodes that the root leads to */
static rc_status_t copy_tree(const rc_boost_tree_t *t, int inputs, int32_t first,
    rc_tree_node_t *node, int32_t *from, int32_t *used, rc_err_t *err)
{
    int32_t n = 1;
    from[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t at = from[i];
        node[i] = (rc_tree_node_t){.value = t->value[at], .feature = -1};
        if (t->left[at] < 0)
            continue;
        if (!is_inside(t, inputs, at) || n + 2 > t->nodes)
            return foreign("nodes and features in range", err);
        node[i].feature = t->feature[at];
        node[i].left = first + n;
        from[n++] = t->left[at];
        from[n++] = t->right[at];
    }
    *used = n;
    return RC_OK;
}

/* Trees come round by round; a forest has them output by output. */
static rc_status_t copy_trees(const rc_boost_trees_t *trees, rc_forest_t *f, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int32_t *from = rc_alloc((size_t)f->nodes, sizeof *from, "trees", err);
    int32_t at = 0;
    int32_t node = 0;
    if (!from)
        return RC_ENOMEM;
    for (int o = 0; o < f->outputs; o++) {
        f->first[o] = at;
        for (int32_t i = 0; i < f->trees; i++) {
            int32_t used = 0;
            if (trees->tree[i].output != o)
                continue;
            f->root[at++] = node;
            RC_TRY(copy_tree(&trees->tree[i], f->inputs, node, f->node + node, from, &used, err));
            node += used;
        }
    }
    f->first[f->outputs] = at;
    f->root[f->trees] = node;
    f->nodes = node;
    if (at != f->trees)
        st = foreign("an output for each tree", err);
done:
    free(from);
    return st;
}

static rc_status_t read_forest(const rc_boost_trees_t *trees, const rc_boost_options_t *o,
    int inputs, rc_forest_t **out, rc_err_t *err)
{
    rc_status_t st;
    rc_forest_t *f = NULL;
    int64_t nodes = 0;
    for (int64_t i = 0; i < trees->count; i++)
        nodes += trees->tree[i].nodes;
    if (nodes > INT32_MAX)
        return rc_fail(err, RC_EINVAL, "trees: too many nodes, %lld", (long long)nodes);
    f = rc_forest_new(inputs, o->outputs, (int32_t)trees->count, (int32_t)nodes, err);
    RC_TRY(f ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < o->outputs; i++)
        f->base[i] = (float)o->base;
    RC_TRY(copy_trees(trees, f, err));
    *out = f;
    f = NULL;
done:
    rc_forest_free(f);
    return st;
}

/* Add the splits of a tree that its root leads to.
 * \param[out] at     [t->nodes] scratch, a node each
 * \param[out] depth  [t->nodes] scratch */
static rc_status_t add_splits(const rc_boost_tree_t *t, int inputs, int32_t *at, int32_t *depth,
    double *count, double *gain, int *deepest, rc_err_t *err)
{
    int64_t n = 1;
    at[0] = 0;
    depth[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        *deepest = depth[i] > *deepest ? depth[i] : *deepest;
        if (t->left[at[i]] < 0)
            continue;
        if (!is_inside(t, inputs, at[i]) || n + 2 > t->nodes)
            return foreign("nodes and features in range", err);
        count[t->feature[at[i]]]++;
        gain[t->feature[at[i]]] += t->gain[at[i]];
        for (int side = 0; side < 2; side++) {
            depth[n] = depth[i] + 1;
            at[n++] = side ? t->right[at[i]] : t->left[at[i]];
        }
    }
    return RC_OK;
}

static rc_status_t read_splits(const rc_boost_trees_t *trees, const rc_boost_options_t *o,
    int inputs, rc_boost_splits_t *s, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    int32_t *scratch = NULL;
    size_t capacity = 0;
    size_t size = (size_t)o->rounds * (size_t)inputs;
    memset(s->count, 0, size * sizeof *s->count);
    memset(s->gain, 0, size * sizeof *s->gain);
    s->depth = 0;
    for (int64_t i = 0; i < trees->count; i++) {
        const rc_boost_tree_t *t = &trees->tree[i];
        size_t row = (size_t)(i / o->outputs) * (size_t)inputs;
        void *p = scratch;
        st = rc_grow(&p, &capacity, 2 * (size_t)t->nodes, sizeof *scratch, "splits of trees", err);
        scratch = p;
        RC_TRY(st);
        RC_TRY(add_splits(
            t, inputs, scratch, scratch + t->nodes, s->count + row, s->gain + row, &s->depth, err));
    }
done:
    free(scratch);
    return st;
}

static rc_status_t take_model(BoosterHandle b, const rc_boost_options_t *o, int inputs,
    rc_boost_splits_t *splits, rc_forest_t **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    bst_ulong bytes = 0;
    const char *text = NULL;
    rc_boost_trees_t trees = {0};
    TRY_XGB(XGBoosterSaveModelToBuffer(b, "{\"format\": \"ubj\"}", &bytes, &text), "trees");
    RC_TRY(rc_boost_trees_read(text, bytes, &trees, err));
    if (trees.count != (int64_t)o->rounds * o->outputs)
        RC_TRY(foreign("a tree per round and output", err));
    if (splits)
        RC_TRY(read_splits(&trees, o, inputs, splits, err));
    if (out)
        RC_TRY(read_forest(&trees, o, inputs, out, err));
done:
    rc_boost_trees_free(&trees);
    return st;
}

/* -------------------------------------------------------------------- fit */

static rc_status_t watch_round(BoosterHandle b, DMatrixHandle rows, size_t want, float *margin,
    const rc_boost_options_t *o, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    enum { MARGIN = 1 };
    bst_ulong found = 0;
    const float *value = NULL;
    TRY_XGB(XGBoosterPredict(b, rows, MARGIN, 0, 0, &found, &value), "predictions of trees");
    if (found != want)
        st = rc_fail(err, RC_EINVAL, "objective %s: expected %d outputs, found %g", o->objective,
            o->outputs, (double)found / ((double)want / o->outputs));
    else
        memcpy(margin, value, want * sizeof *margin);
done:
    return st;
}

rc_status_t rc_boost_fit(const rc_boost_options_t *o, const rc_boost_rows_t *train,
    const rc_boost_rows_t *watch, float *margin, rc_boost_splits_t *splits, rc_forest_t **out,
    rc_err_t *err)
{
    rc_status_t st;
    DMatrixHandle rows[2] = {NULL, NULL};
    BoosterHandle b = NULL;
    size_t watched = watch ? (size_t)watch->count * (size_t)o->outputs : 0;
    RC_TRY(check_options(o, train, err));
    TRY_XGB(XGBSetGlobalConfig("{\"verbosity\": 0}"), "trees"); /* of this thread */
    RC_TRY(make_matrix(train, 1, &rows[0], err));
    if (watched)
        RC_TRY(make_matrix(watch, 0, &rows[1], err));
    /* a booster keeps the predictions of the rows that it is made with, and only adds to them */
    TRY_XGB(XGBoosterCreate(rows, watched ? 2 : 1, &b), "trees");
    RC_TRY(set_options(b, o, err));
    for (int r = 0; r < o->rounds; r++) {
        TRY_XGB(XGBoosterUpdateOneIter(b, r, rows[0]), "trees");
        if (watched && (r + 1) % o->stride == 0)
            RC_TRY(watch_round(b, rows[1], watched,
                margin + ((size_t)(r + 1) / (size_t)o->stride - 1) * watched, o, err));
    }
    if (out || splits)
        RC_TRY(take_model(b, o, train->inputs, splits, out, err));
done:
    if (b)
        XGBoosterFree(b);
    for (int i = 0; i < 2; i++)
        if (rows[i])
            XGDMatrixFree(rows[i]);
    return st;
}
