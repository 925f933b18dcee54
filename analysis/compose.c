#include "config.h"
#include "analysis/compose.h"
#include "base/error.h"

static int32_t first_tree(const rc_forest_term_t *t)
{
    return t->forest->first[t->output];
}

static int32_t end_tree(const rc_forest_term_t *t)
{
    return t->forest->first[t->output + 1];
}

static rc_status_t count(int inputs, int outputs, const rc_forest_term_t *term, int terms,
    int64_t *trees, int64_t *nodes, rc_err_t *err)
{
    *trees = *nodes = 0;
    for (int i = 0; i < terms; i++) {
        const rc_forest_term_t *t = &term[i];
        if (t->to < 0 || t->to >= outputs || t->output < 0 || t->output >= t->forest->outputs ||
            t->forest->inputs != inputs)
            return rc_fail(err, RC_EINVAL,
                "term %d of a forest: expected %d inputs and outputs below %d and %d, found %d, %d "
                "and %d",
                i, inputs, outputs, t->forest->outputs, t->forest->inputs, t->to, t->output);
        *trees += end_tree(t) - first_tree(t);
        *nodes += t->forest->root[end_tree(t)] - t->forest->root[first_tree(t)];
    }
    if (*nodes > INT32_MAX)
        return rc_fail(err, RC_EINVAL, "a forest of %lld nodes", (long long)*nodes);
    return RC_OK;
}

static void append(rc_forest_t *to, const rc_forest_term_t *t, int32_t *tree, int32_t *node)
{
    const rc_forest_t *from = t->forest;
    for (int32_t i = first_tree(t); i < end_tree(t); i++) {
        int32_t move = *node - from->root[i];
        to->root[(*tree)++] = *node;
        for (int32_t k = from->root[i]; k < from->root[i + 1]; k++) {
            rc_tree_node_t n = from->node[k];
            if (n.feature < 0)
                n.value *= t->factor;
            else
                n.left += move;
            to->node[(*node)++] = n;
        }
    }
    to->base[t->to] += t->factor * from->base[t->output];
}

rc_status_t rc_forest_compose(int inputs, int outputs, const rc_forest_term_t *term, int terms,
    rc_forest_t **out, rc_err_t *err)
{
    int64_t trees;
    int64_t nodes;
    rc_status_t st = count(inputs, outputs, term, terms, &trees, &nodes, err);
    if (st < 0)
        return st;
    rc_forest_t *f = rc_forest_new(inputs, outputs, (int32_t)trees, (int32_t)nodes, err);
    if (!f)
        return RC_ENOMEM;
    int32_t tree = 0;
    int32_t node = 0;
    for (int o = 0; o < outputs; o++) {
        f->first[o] = tree;
        for (int i = 0; i < terms; i++)
            if (term[i].to == o)
                append(f, &term[i], &tree, &node);
    }
    f->first[outputs] = tree;
    f->root[tree] = node;
    *out = f;
    return RC_OK;
}
