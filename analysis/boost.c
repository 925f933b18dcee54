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

/* \param[in,out] out  NULL; free what it is then, also after an error */
static rc_status_t make_matrix(
    const rc_boost_rows_t *rows, int labelled, DMatrixHandle *out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    bst_ulong n = (bst_ulong)rows->count;
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
    return st;
}

/* ---------------------------------------------------------------- booster */

static rc_status_t set_options(BoosterHandle b, const rc_boost_options_t *o, rc_err_t *err)
{
    const struct {
        const char *name;
        const char *word; /* NULL: a number */
        double number;
    } option[] = {{"verbosity", "0", 0}, {"nthread", "1", 0}, {"tree_method", o->method, 0},
        {"objective", o->objective, 0}, {"max_depth", NULL, o->depth}, {"eta", NULL, o->rate},
        {"lambda", NULL, o->lambda}, {"min_child_weight", NULL, o->leaf_weight_min},
        {"base_score", NULL, o->base}, {"num_class", NULL, o->outputs}};
    size_t count =
        sizeof option / sizeof *option - (o->outputs == 1); /* has no number of classes */
    rc_status_t st = RC_OK;
    for (size_t i = 0; i < count; i++) {
        char text[40];
        snprintf(text, sizeof text, "%.9g", option[i].number); /* parsed as float */
        const char *value = option[i].word ? option[i].word : text;
        TRY_XGB(XGBoosterSetParam(b, option[i].name, value), option[i].name);
    }
done:
    return st;
}

/* ------------------------------------------------------------------ trees */

static rc_status_t foreign(const char *what, rc_err_t *err)
{
    return rc_fail(err, RC_EFORMAT, "XGBoost's model: expected %s, found something else", what);
}

/* A tree of the model file, arrays over its nodes with node 0 the root
 * (https://xgboost.readthedocs.io/en/stable/tutorials/saving_model.html).  Borrowed. */
typedef struct tree {
    const json_t *left; /* < 0: a leaf */
    const json_t *right;
    const json_t *feature;
    const json_t *value; /* threshold; at leaves what is added */
    const json_t *gain;  /* of the split */
    int64_t nodes;
} tree_t;

static int64_t whole_at(const json_t *list, int64_t i)
{
    return json_integer_value(json_array_get(list, (size_t)i));
}

/* Numbers of the library are floats. */
static float real_at(const json_t *list, int64_t i)
{
    return (float)json_number_value(json_array_get(list, (size_t)i));
}

static rc_status_t read_tree(const json_t *trees, size_t i, tree_t *out, rc_err_t *err)
{
    const json_t *t = json_array_get(trees, i);
    *out = (tree_t){.left = json_object_get(t, "left_children"),
        .right = json_object_get(t, "right_children"),
        .feature = json_object_get(t, "split_indices"),
        .value = json_object_get(t, "split_conditions"),
        .gain = json_object_get(t, "loss_changes")};
    const json_t *const arrays[] = {out->left, out->right, out->feature, out->value, out->gain};
    size_t nodes = json_array_size(out->left);
    for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
        if (nodes < 1 || nodes > INT32_MAX || json_array_size(arrays[a]) != nodes)
            return foreign("trees with arrays over their nodes", err);
    out->nodes = (int64_t)nodes;
    return RC_OK;
}

/* The nodes that the root leads to, breadth first, so that children stand side by side behind their
 * parent.
 * \param[out] from   [t->nodes] number in the file of each
 * \param[out] depth  [t->nodes]
 * \param[out] used   how many */
static rc_status_t walk(
    const tree_t *t, int inputs, int32_t *from, int32_t *depth, int32_t *used, rc_err_t *err)
{
    int32_t n = 1;
    from[0] = depth[0] = 0;
    for (int32_t i = 0; i < n; i++) {
        const int64_t child[] = {whole_at(t->left, from[i]), whole_at(t->right, from[i])};
        int64_t feature = whole_at(t->feature, from[i]);
        if (child[0] < 0)
            continue;
        if (child[0] >= t->nodes || child[1] < 0 || child[1] >= t->nodes || feature < 0 ||
            feature >= inputs || n + 2 > t->nodes)
            return foreign("nodes and features in range", err);
        for (int side = 0; side < 2; side++) {
            depth[n] = depth[i] + 1;
            from[n++] = (int32_t)child[side];
        }
    }
    *used = n;
    return RC_OK;
}

/* \param[in] from  [used] of `walk`  \param[in] first  number in the forest of the root */
static void copy_tree(
    const tree_t *t, const int32_t *from, int32_t used, int32_t first, rc_tree_node_t *to)
{
    int32_t next = first + 1; /* where children go */
    for (int32_t i = 0; i < used; i++) {
        to[i] = (rc_tree_node_t){.value = real_at(t->value, from[i]), .feature = -1};
        if (whole_at(t->left, from[i]) < 0)
            continue;
        to[i].feature = (int32_t)whole_at(t->feature, from[i]);
        to[i].left = next;
        next += 2;
    }
}

/* \param[in] depth  [used], as from  \param[in,out] count, gain  [inputs] of the round */
static void add_splits(const tree_t *t, const int32_t *from, const int32_t *depth, int32_t used,
    int64_t at, rc_boost_splits_t *s)
{
    for (int32_t i = 0; i < used; i++) {
        int64_t to = at + whole_at(t->feature, from[i]);
        s->depth = depth[i] > s->depth ? depth[i] : s->depth;
        if (whole_at(t->left, from[i]) < 0)
            continue;
        s->count[to]++;
        s->gain[to] += real_at(t->gain, from[i]);
    }
}

/* Trees come round by round; a forest has them output by output, the splits are of all.
 * \param[out] splits  NULL: not wanted  \param[out] out  also after an error */
static rc_status_t read_trees(const rc_boost_options_t *o, int inputs, const json_t *model,
    rc_boost_splits_t *splits, rc_forest_t **out, rc_err_t *err)
{
    const json_t *trees = json_object_get(model, "trees");
    const json_t *outputs = json_object_get(model, "tree_info");
    size_t count = (size_t)o->rounds * (size_t)o->outputs;
    size_t size = (size_t)o->rounds * (size_t)inputs;
    int32_t at = 0; /* tree and node that come next */
    int32_t node = 0;
    rc_status_t st;
    if (json_array_size(trees) != count || json_array_size(outputs) != count)
        return foreign("a tree per round and output", err);
    int64_t nodes = 0;
    for (size_t i = 0; i < count; i++)
        nodes +=
            (int64_t)json_array_size(json_object_get(json_array_get(trees, i), "left_children"));
    if (nodes > INT32_MAX)
        return rc_fail(err, RC_EINVAL, "trees: too many nodes, %lld", (long long)nodes);
    rc_forest_t *f = *out = rc_forest_new(inputs, o->outputs, (int32_t)count, (int32_t)nodes, err);
    RC_PASS(f ? RC_OK : RC_ENOMEM);
    for (int i = 0; i < o->outputs; i++)
        f->base[i] = (float)o->base;
    int32_t *from = rc_alloc((size_t)f->nodes, 2 * sizeof *from, "trees", err);
    int32_t *depth = from ? from + f->nodes : NULL;
    RC_TRY(from ? RC_OK : RC_ENOMEM);
    if (splits) {
        memset(splits->count, 0, size * sizeof *splits->count);
        memset(splits->gain, 0, size * sizeof *splits->gain);
        splits->depth = 0;
    }
    for (int c = 0; c < o->outputs; c++) {
        f->first[c] = at;
        for (size_t i = 0; i < count; i++) {
            tree_t t;
            int32_t used = 0;
            if (whole_at(outputs, (int64_t)i) != c)
                continue;
            RC_TRY(read_tree(trees, i, &t, err));
            RC_TRY(walk(&t, inputs, from, depth, &used, err));
            f->root[at++] = node;
            copy_tree(&t, from, used, node, f->node + node);
            if (splits)
                add_splits(&t, from, depth, used, (int64_t)i / o->outputs * inputs, splits);
            node += used;
        }
    }
    f->first[o->outputs] = at;
    f->root[f->trees] = f->nodes = node;
    RC_TRY((size_t)at == count ? RC_OK : foreign("an output for each tree", err));
done:
    free(from);
    return st;
}

static rc_status_t take_model(BoosterHandle b, const rc_boost_options_t *o, int inputs,
    rc_boost_splits_t *splits, rc_forest_t **out, rc_err_t *err)
{
    rc_status_t st = RC_OK;
    bst_ulong bytes = 0;
    const char *text = NULL;
    json_t *file = NULL;
    json_error_t flaw;
    rc_forest_t *f = NULL;
    TRY_XGB(XGBoosterSaveModelToBuffer(b, "{\"format\": \"json\"}", &bytes, &text), "trees");
    file = json_loadb(text, bytes, 0, &flaw);
    if (!file)
        RC_TRY(rc_fail(err, RC_EFORMAT, "XGBoost's model: %s", flaw.text));
    const json_t *booster = json_object_get(json_object_get(file, "learner"), "gradient_booster");
    RC_TRY(read_trees(o, inputs, json_object_get(booster, "model"), splits, &f, err));
    if (out) {
        *out = f;
        f = NULL;
    }
done:
    json_decref(file);
    rc_forest_free(f);
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
