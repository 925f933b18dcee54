#include "config.h"
#include "analysis/boost.h"
#include "base/alloc.h"
#include "base/error.h"

#include <jansson.h>
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

/* The model is read from XGBoost's own JSON: learner.gradient_booster.model has the trees, each as
 * arrays over nodes with node 0 the root, and tree_info, the output of each tree
 * (https://xgboost.readthedocs.io/en/stable/tutorials/saving_model.html, "JSON Schema"). */
typedef struct tree {
    json_t *left; /* -1 at leaves */
    json_t *right;
    json_t *feature;
    json_t *value; /* threshold; at leaves what is added */
    size_t nodes;
} tree_t;

static rc_status_t foreign(const char *what, rc_err_t *err)
{
    return rc_fail(err, RC_EFORMAT, "XGBoost's model: expected %s, found something else", what);
}

static rc_status_t open_tree(const json_t *object, tree_t *t, rc_err_t *err)
{
    *t = (tree_t){.left = json_object_get(object, "left_children"),
        .right = json_object_get(object, "right_children"),
        .feature = json_object_get(object, "split_indices"),
        .value = json_object_get(object, "split_conditions")};
    t->nodes = json_array_size(t->left);
    if (t->nodes == 0 || t->nodes > INT32_MAX || json_array_size(t->right) != t->nodes ||
        json_array_size(t->feature) != t->nodes || json_array_size(t->value) != t->nodes)
        return foreign("children, features and thresholds of each node", err);
    return RC_OK;
}

static int64_t whole(const json_t *array, int64_t at)
{
    return json_integer_value(json_array_get(array, (size_t)at));
}

/* Breadth first from the root, so that children stand side by side behind their parent.
 * \param[out] node  [t->nodes] at place `first` of the forest
 * \param[out] used  nodes that the root leads to */
static rc_status_t copy_tree(const tree_t *t, int inputs, int32_t first, rc_tree_node_t *node,
    int32_t *from, int32_t *used, rc_err_t *err)
{
    int32_t n = 1;
    from[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        int64_t left = whole(t->left, from[i]);
        int64_t right = whole(t->right, from[i]);
        int64_t feature = whole(t->feature, from[i]);
        double value = json_number_value(json_array_get(t->value, (size_t)from[i]));
        /* the library's numbers are floats, and so are these, bit by bit */
        node[i] = (rc_tree_node_t){.value = (float)value, .feature = -1};
        if (left < 0)
            continue;
        if ((size_t)left >= t->nodes || right < 0 || (size_t)right >= t->nodes || feature < 0 ||
            feature >= inputs || (size_t)n + 2 > t->nodes)
            return foreign("nodes and features in range", err);
        node[i].feature = (int32_t)feature;
        node[i].left = first + n;
        from[n++] = (int32_t)left;
        from[n++] = (int32_t)right;
    }
    *used = n;
    return RC_OK;
}

/* Trees come round by round; a forest has them output by output. */
static rc_status_t copy_trees(
    const json_t *trees, const json_t *info, rc_forest_t *f, rc_err_t *err)
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
            if (whole(info, i) != o)
                continue;
            tree_t t;
            int32_t used = 0;
            f->root[at++] = node;
            RC_TRY(open_tree(json_array_get(trees, (size_t)i), &t, err));
            RC_TRY(copy_tree(&t, f->inputs, node, f->node + node, from, &used, err));
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

static rc_status_t read_forest(
    const json_t *model, const rc_boost_options_t *o, int inputs, rc_forest_t **out, rc_err_t *err)
{
    rc_status_t st;
    rc_forest_t *f = NULL;
    const json_t *trees = NULL;
    const json_t *info = NULL;
    int64_t nodes = 0;
    json_error_t at;
    if (json_unpack_ex((json_t *)model, &at, 0, "{s:{s:{s:{s:o,s:o}}}}", "learner",
            "gradient_booster", "model", "trees", &trees, "tree_info", &info) != 0)
        return rc_fail(err, RC_EFORMAT, "XGBoost's model: %s", at.text);
    size_t count = json_array_size(trees);
    if (count != (size_t)o->rounds * (size_t)o->outputs || json_array_size(info) != count)
        return foreign("a tree per round and output", err);
    for (size_t i = 0; i < count; i++) {
        tree_t t;
        RC_TRY(open_tree(json_array_get(trees, i), &t, err));
        nodes += (int64_t)t.nodes;
    }
    if (nodes > INT32_MAX)
        return rc_fail(err, RC_EINVAL, "trees: too many nodes, %lld", (long long)nodes);
    f = rc_forest_new(inputs, o->outputs, (int32_t)count, (int32_t)nodes, err);
    RC_TRY(f ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < o->outputs; i++)
        f->base[i] = (float)o->base;
    RC_TRY(copy_trees(trees, info, f, err));
    *out = f;
    f = NULL;
done:
    rc_forest_free(f);
    return st;
}

/* Add the splits of a tree that its root leads to.
 * \param[out] at     [t->nodes] scratch, a node each
 * \param[out] depth  [t->nodes] scratch */
static rc_status_t add_splits(const tree_t *t, const json_t *gains, int inputs, int32_t *at,
    int32_t *depth, double *count, double *gain, int *deepest, rc_err_t *err)
{
    size_t n = 1;
    at[0] = 0;
    depth[0] = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t left = whole(t->left, at[i]);
        int64_t feature = whole(t->feature, at[i]);
        *deepest = depth[i] > *deepest ? depth[i] : *deepest;
        if (left < 0)
            continue;
        if (n + 2 > t->nodes || feature < 0 || feature >= inputs)
            return foreign("nodes and features in range", err);
        count[feature]++;
        gain[feature] += json_number_value(json_array_get(gains, (size_t)at[i]));
        for (int side = 0; side < 2; side++) {
            depth[n] = depth[i] + 1;
            at[n++] = (int32_t)whole(side ? t->right : t->left, at[i]);
        }
    }
    return RC_OK;
}

static rc_status_t read_splits(const json_t *model, const rc_boost_options_t *o, int inputs,
    rc_boost_splits_t *s, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    const json_t *trees = NULL;
    int32_t *scratch = NULL;
    size_t capacity = 0;
    size_t size = (size_t)o->rounds * (size_t)inputs;
    if (json_unpack((json_t *)model, "{s:{s:{s:{s:o}}}}", "learner", "gradient_booster", "model",
            "trees", &trees) != 0 || json_array_size(trees) != (size_t)o->rounds * (size_t)o->outputs)
        return foreign("a tree per round and output", err);
    memset(s->count, 0, size * sizeof *s->count);
    memset(s->gain, 0, size * sizeof *s->gain);
    s->depth = 0;
    for (size_t i = 0; i < json_array_size(trees); i++) {
        const json_t *object = json_array_get(trees, i);
        const json_t *gains = json_object_get(object, "loss_changes");
        size_t row = i / (size_t)o->outputs * (size_t)inputs;
        void *p = scratch;
        tree_t t;
        RC_TRY(open_tree(object, &t, err));
        RC_TRY(json_array_size(gains) == t.nodes ? RC_OK : foreign("a gain for each node", err));
        st = rc_grow(&p, &capacity, 2 * t.nodes, sizeof *scratch, "splits of trees", err);
        scratch = p;
        RC_TRY(st);
        RC_TRY(add_splits(&t, gains, inputs, scratch, scratch + t.nodes, s->count + row,
            s->gain + row, &s->depth, err));
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
    json_t *model = NULL;
    json_error_t at;
    TRY_XGB(XGBoosterSaveModelToBuffer(b, "{\"format\": \"json\"}", &bytes, &text), "trees");
    model = json_loadb(text, bytes, 0, &at);
    if (!model) {
        st = rc_fail(err, RC_EFORMAT, "XGBoost's model: line %d: %s", at.line, at.text);
        goto done;
    }
    st = splits ? read_splits(model, o, inputs, splits, err) : RC_OK;
    if (st == RC_OK && out)
        st = read_forest(model, o, inputs, out, err);
done:
    json_decref(model);
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
