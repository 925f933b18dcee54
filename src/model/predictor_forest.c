/* Sums of decision trees. */
#include "config.h"
#include "base/alloc.h"
#include "base/error.h"
#include "model/forest.h"
#include "model/member.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Sizes beyond these are mistakes; inputs are copied to the stack of exported code. */
enum { MOST_INPUTS = 4096, MOST_OUTPUTS = 4096, MOST_NODES = 1 << 28 };

/* ------------------------------------------------------------------ state */

rc_forest_t *rc_forest_new(int inputs, int outputs, int32_t trees, int32_t nodes, rc_err_t *err)
{
    if (inputs < 1 || inputs > MOST_INPUTS || outputs < 1 || outputs > MOST_OUTPUTS || trees < 0 ||
        nodes < trees || nodes > MOST_NODES) {
        rc_fail(err, RC_EINVAL,
            "a forest has 1 to %d inputs, 1 to %d outputs, at most %d nodes and not more trees "
            "than nodes, found %d, %d, %" PRId32 " and %" PRId32 " trees",
            (int)MOST_INPUTS, (int)MOST_OUTPUTS, (int)MOST_NODES, inputs, outputs, nodes, trees);
        return NULL;
    }
    rc_forest_t *f = rc_alloc0(1, sizeof *f, "a forest", err);
    if (!f)
        return NULL;
    *f = (rc_forest_t){.inputs = inputs, .outputs = outputs, .trees = trees, .nodes = nodes};
    f->base = rc_pool_get0(&f->memory, (size_t)outputs, sizeof *f->base);
    f->first = rc_pool_get0(&f->memory, (size_t)outputs + 1, sizeof *f->first);
    f->root = rc_pool_get0(&f->memory, (size_t)trees + 1, sizeof *f->root);
    f->node = rc_pool_get0(&f->memory, (size_t)nodes, sizeof *f->node);
    if (rc_pool_check(&f->memory, "a forest", err) == RC_OK)
        return f;
    rc_forest_free(f);
    return NULL;
}

void rc_forest_free(void *state)
{
    rc_forest_t *f = state;
    if (f)
        rc_pool_free(&f->memory);
    free(f);
}

/* ------------------------------------------------------------------ check */

/* offset[0 .. count] goes from 0 to `end` in steps of at least `step`. */
static rc_status_t check_offsets(
    const char *key, const int32_t *offset, int count, int32_t end, int step, rc_err_t *err)
{
    for (int i = 0; i <= count; i++) {
        int32_t least = i == 0 ? 0 : offset[i - 1] + step;
        int32_t most = i == 0 ? 0 : end;
        if (i == count)
            least = least > end ? least : end;
        if (offset[i] < least || offset[i] > most)
            return rc_fail(err, RC_EFORMAT,
                "%s[%d]: expected a whole number from %" PRId32 " to %" PRId32 ", found %" PRId32,
                key, i, least, most, offset[i]);
    }
    return RC_OK;
}

/* A node of the tree that ends before `end`; `child` marks the nodes that are one already. */
static rc_status_t check_node(
    const rc_forest_t *f, int32_t i, int32_t end, unsigned char *child, rc_err_t *err)
{
    const rc_tree_node_t *n = &f->node[i];
    if (n->feature < -1 || n->feature >= f->inputs)
        return rc_fail(err, RC_EFORMAT,
            "feature[%" PRId32 "]: expected a whole number from -1 to %d, found %" PRId32, i,
            f->inputs - 1, n->feature);
    if (n->feature < 0) {
        if (n->left != 0)
            return rc_fail(err, RC_EFORMAT,
                "left[%" PRId32 "]: expected 0 for a leaf, found %" PRId32, i, n->left);
        return RC_OK;
    }
    if (n->left <= i || n->left > end - 2)
        return rc_fail(err, RC_EFORMAT,
            "left[%" PRId32 "]: expected two nodes after it and before %" PRId32 ", found %" PRId32,
            i, end, n->left);
    for (int side = 0; side < 2; side++) {
        if (child[n->left + side])
            return rc_fail(err, RC_EFORMAT,
                "left[%" PRId32 "]: expected nodes without a parent, found %" PRId32
                ", which has one",
                i, n->left + side);
        child[n->left + side] = 1;
    }
    return RC_OK;
}

/* Everything that the declaration of rc_forest_t promises but the sizes of the arrays; that numbers
 * are finite is seen where they are read and written. */
static rc_status_t check(const rc_forest_t *f, rc_err_t *err)
{
    rc_status_t st;
    unsigned char *child = NULL;
    RC_TRY(check_offsets("first", f->first, f->outputs, f->trees, 0, err));
    RC_TRY(check_offsets("root", f->root, f->trees, f->nodes, 1, err));
    RC_TRY(RC_NEW0(child, f->nodes, "the nodes of a forest", err));
    for (int32_t t = 0; t < f->trees; t++)
        for (int32_t i = f->root[t]; i < f->root[t + 1]; i++) {
            /* parents come first, so a node that has none by now has none */
            if (i > f->root[t] && !child[i]) {
                st = rc_fail(err, RC_EFORMAT,
                    "node %" PRId32 ": expected a child of a node of its tree %" PRId32
                    ", found no parent",
                    i, t);
                goto done;
            }
            RC_TRY(check_node(f, i, f->root[t + 1], child, err));
        }
done:
    free(child);
    return st;
}

/* ------------------------------------------------------------------- JSON */

static const char *const members[] = {"base", "first", "root", "feature", "left", "value", NULL};

/* What the nodes have in common with the lists of the file. */
static rc_status_t read_nodes(const json_t *object, rc_forest_t *f, rc_err_t *err)
{
    rc_status_t st;
    size_t n = (size_t)f->nodes;
    int32_t *feature = rc_alloc(n, 2 * sizeof *feature, "the nodes of a forest", err);
    double *value = rc_alloc(n, sizeof *value, "the nodes of a forest", err);
    RC_TRY(feature && value ? RC_OK : RC_ENOMEM);
    int32_t *left = feature + n;
    RC_TRY(rc_numbers_int(object, "", "feature", n, -1, f->inputs - 1, feature, err));
    RC_TRY(rc_numbers_int(object, "", "left", n, 0, f->nodes, left, err));
    RC_TRY(rc_numbers_real(object, "", "value", n, value, err));
    for (size_t i = 0; i < n; i++)
        f->node[i] = (rc_tree_node_t){value[i], feature[i], left[i]};
done:
    free(feature);
    free(value);
    return st;
}

static rc_status_t forest_read(
    const json_t *object, int inputs, int outputs, void **state, rc_err_t *err)
{
    rc_status_t st;
    rc_forest_t *f = NULL;
    const json_t *features;
    const json_t *roots;
    RC_TRY(rc_member_only(object, "", members, err));
    RC_TRY(rc_member_array(object, "", "feature", 0, MOST_NODES, &features, err));
    int32_t nodes = (int32_t)json_array_size(features);
    RC_TRY(rc_member_array(object, "", "root", 1, nodes + 1, &roots, err));
    f = rc_forest_new(inputs, outputs, (int32_t)json_array_size(roots) - 1, nodes, err);
    RC_TRY(f ? RC_OK : RC_ENOMEM);
    RC_TRY(rc_numbers_real(object, "", "base", (size_t)outputs, f->base, err));
    RC_TRY(rc_numbers_int(object, "", "root", (size_t)f->trees + 1, 0, nodes, f->root, err));
    RC_TRY(rc_numbers_int(object, "", "first", (size_t)outputs + 1, 0, f->trees, f->first, err));
    RC_TRY(read_nodes(object, f, err));
    RC_TRY(check(f, err));
    *state = f;
    f = NULL;
done:
    rc_forest_free(f);
    return st;
}

static rc_status_t write_nodes(json_t *object, const rc_forest_t *f, rc_err_t *err)
{
    rc_status_t st;
    size_t n = (size_t)f->nodes;
    int32_t *feature = rc_alloc(n, 2 * sizeof *feature, "the nodes of a forest", err);
    double *value = rc_alloc(n, sizeof *value, "the nodes of a forest", err);
    RC_TRY(feature && value ? RC_OK : RC_ENOMEM);
    for (size_t i = 0; i < n; i++) {
        feature[i] = f->node[i].feature;
        feature[n + i] = f->node[i].left;
        value[i] = f->node[i].value;
    }
    RC_TRY(rc_numbers_set_int(object, "feature", feature, n, err));
    RC_TRY(rc_numbers_set_int(object, "left", feature + n, n, err));
    RC_TRY(rc_numbers_set_real(object, "", "value", value, n, err));
done:
    free(feature);
    free(value);
    return st;
}

static json_t *forest_write(const void *state, rc_err_t *err)
{
    const rc_forest_t *f = state;
    json_t *object = NULL;
    rc_status_t st;
    object = json_object();
    RC_TRY(object ? RC_OK : rc_fail(err, RC_ENOMEM, "no memory for the forest of a model"));
    RC_TRY(rc_numbers_set_real(object, "", "base", f->base, (size_t)f->outputs, err));
    RC_TRY(rc_numbers_set_int(object, "first", f->first, (size_t)f->outputs + 1, err));
    RC_TRY(rc_numbers_set_int(object, "root", f->root, (size_t)f->trees + 1, err));
    RC_TRY(write_nodes(object, f, err));
    return object;
done:
    json_decref(object);
    return NULL;
}

/* ------------------------------------------------------------------ score */

static size_t forest_scratch(const void *state)
{
    const rc_forest_t *f = state;
    return (size_t)f->inputs;
}

static double forest_cost_ns(const void *state)
{
    const double ns = 3; /* of a step down a tree, several trees at once */
    const rc_forest_t *f = state;
    double steps = 0;
    for (int32_t t = 0; t < f->trees; t++)
        steps += log2(1 + (double)(f->root[t + 1] - f->root[t]));
    return ns * steps;
}

/* Trees that are walked at once: a step of one tree waits for its node and then for its input, so
 * several are taken by turns. */
enum { GROUP = 8 };

/* Values of the leaves that GROUP trees reach. */
static inline void walk_group(
    const rc_tree_node_t *node, const int32_t *root, const double *x, double *value)
{
    int32_t at[GROUP];
    int32_t inner;
    for (int t = 0; t < GROUP; t++)
        at[t] = root[t];
    do {
        inner = 0;
#pragma GCC unroll 8
        for (int t = 0; t < GROUP; t++) {
            const rc_tree_node_t *n = &node[at[t]];
            int32_t leaf = -(int32_t)((uint32_t)n->feature >> 31); /* all bits, or none */
            int32_t next = n->left + !(x[n->feature & ~leaf] < n->value);
            at[t] = (at[t] & leaf) | (next & ~leaf);
            inner |= ~leaf;
        }
    } while (inner);
    for (int t = 0; t < GROUP; t++)
        value[t] = node[at[t]].value;
}

static double walk(const rc_tree_node_t *node, int32_t root, const double *x)
{
    const rc_tree_node_t *n = node + root;
    while (n->feature >= 0)
        n = node + n->left + !(x[n->feature] < n->value);
    return n->value;
}

static void forest_score(const void *state, const double *x, double *scratch, double *out)
{
    const rc_forest_t *f = state;
    for (int i = 0; i < f->inputs; i++)
        scratch[i] = (float)x[i];
    for (int o = 0; o < f->outputs; o++) {
        double sum = f->base[o];
        int32_t t = f->first[o];
        for (; t + GROUP <= f->first[o + 1]; t += GROUP) {
            double value[GROUP];
            walk_group(f->node, f->root + t, scratch, value);
            for (int i = 0; i < GROUP; i++)
                sum += value[i];
        }
        for (; t < f->first[o + 1]; t++)
            sum += walk(f->node, f->root[t], scratch);
        out[o] = sum;
    }
}

/* --------------------------------------------------------------- C source */

static void emit_nodes(const rc_forest_t *f, const char *name, FILE *out)
{
    fprintf(out,
        "static const struct {\n"
        "    double value;\n"
        "    int feature;\n"
        "    int left;\n"
        "} %s_node[%" PRId32 "] = {",
        name, f->nodes ? f->nodes : 1);
    if (f->nodes == 0)
        fputs("{0, -1, 0}", out);
    for (int32_t i = 0; i < f->nodes; i++) {
        fputs(i % 4 ? ", {" : i ? ",\n    {" : "\n    {", out);
        fprintf(out, "%a, %" PRId32 ", %" PRId32 "}", f->node[i].value, f->node[i].feature,
            f->node[i].left);
    }
    fputs("};\n", out);
}

static rc_status_t forest_emit(const void *state, const char *name, FILE *out, rc_err_t *err)
{
    const rc_forest_t *f = state;
    rc_emit_reals(out, name, "base", f->base, (size_t)f->outputs);
    rc_emit_ints(out, name, "first", f->first, (size_t)f->outputs + 1);
    rc_emit_ints(out, name, "root", f->root, (size_t)f->trees + 1);
    emit_nodes(f, name, out);
    fprintf(out,
        "\n"
        "static void %s_score(const double *x, double *out)\n"
        "{\n"
        "    double r[%d];\n"
        "    int o, t, i;\n"
        "    for (i = 0; i < %d; i++)\n"
        "        r[i] = (float)x[i];\n"
        "    for (o = 0; o < %d; o++) {\n"
        "        double sum = %s_base[o];\n"
        "        for (t = %s_first[o]; t < %s_first[o + 1]; t++) {\n"
        "            i = %s_root[t];\n"
        "            while (%s_node[i].feature >= 0)\n"
        "                i = %s_node[i].left + !(r[%s_node[i].feature] < %s_node[i].value);\n"
        "            sum += %s_node[i].value;\n"
        "        }\n"
        "        out[o] = sum;\n"
        "    }\n"
        "}\n",
        name, f->inputs, f->inputs, f->outputs, name, name, name, name, name, name, name, name,
        name);
    return rc_emit_end(out, err);
}

const rc_predictor_kind_t rc_predictor_forest = {
    .name = "forest",
    .summary = "a sum of decision trees per output",
    .version = 1,
    .read = forest_read,
    .write = forest_write,
    .scratch = forest_scratch,
    .cost_ns = forest_cost_ns,
    .score = forest_score,
    .emit = forest_emit,
    .free = rc_forest_free,
};
