#include "config.h"
#include "random_predictor.h"

#include <stdlib.h>

static double between(rc_rng_t *r, double low, double high)
{
    return low + (high - low) * rc_rng_unit(r);
}

static int one_of(rc_rng_t *r, int low, int high)
{
    return low + (int)rc_rng_below(r, (uint64_t)(high - low + 1));
}

void random_inputs(rc_rng_t *r, int n, double *x)
{
    static const double beside[] = {0, 0, 1e-11, -1e-11};
    for (int i = 0; i < n; i++)
        x[i] = rc_rng_below(r, 8) ? between(r, -2, 2)
                                  : one_of(r, -8, 7) * 0.25 + beside[rc_rng_below(r, 4)];
}

rc_network_t *random_network(rc_rng_t *r, int nets, int layers, const int *size)
{
    rc_network_t *n = rc_network_new(nets, layers, size, NULL);
    for (int i = 0; n && i < nets; i++)
        for (int k = 0; k < layers; k++) {
            rc_layer_t *l = &n->net[i].layer[k];
            for (int w = 0; w < l->in * l->out; w++)
                l->weight[w] = between(r, -1, 1);
            for (int o = 0; o < l->out; o++)
                l->bias[o] = between(r, -0.5, 0.5);
        }
    return n;
}

/* Append a tree to node[*n ...], which must have room for 2^(depth + 1) - 1 more. */
static void grow_tree(
    rc_rng_t *r, int inputs, int depth, double split, rc_tree_node_t *node, int32_t *n)
{
    int32_t level = *n;
    int32_t end = *n + 1;
    for (int d = 0; level < end; d++) {
        int32_t next = end;
        for (int32_t i = level; i < next; i++) {
            if (d < depth && rc_rng_unit(r) < split) {
                double at = rc_rng_below(r, 2) ? between(r, -1.5, 1.5) : one_of(r, -6, 6) * 0.25;
                node[i] = (rc_tree_node_t){(float)at, one_of(r, 0, inputs - 1), end};
                end += 2;
            } else {
                node[i] = (rc_tree_node_t){one_of(r, -4096, 4096) / 1024.0, -1, 0};
            }
        }
        level = next;
    }
    *n = end;
}

rc_forest_t *random_forest(rc_rng_t *r, int inputs, int outputs, int trees, int depth, double split)
{
    size_t room = ((size_t)trees + 1) << (depth + 1);
    rc_tree_node_t *node = calloc(room, sizeof *node);
    int32_t *root = calloc((size_t)trees + 1, sizeof *root);
    int32_t nodes = 0;
    for (int t = 0; node && root && t < trees; t++) {
        root[t] = nodes;
        grow_tree(r, inputs, depth, split, node, &nodes);
    }
    rc_forest_t *f = node && root ? rc_forest_new(inputs, outputs, trees, nodes, NULL) : NULL;
    if (f) {
        for (int32_t i = 0; i < nodes; i++)
            f->node[i] = node[i];
        for (int t = 0; t < trees; t++)
            f->root[t] = root[t];
        f->root[trees] = nodes;
        for (int o = 0; o < outputs; o++) {
            f->base[o] = one_of(r, -1024, 1024) / 1024.0;
            f->first[o + 1] = o == outputs - 1 ? trees : one_of(r, f->first[o], trees);
        }
    }
    free(node);
    free(root);
    return f;
}

rc_svm_t *random_svm(rc_rng_t *r, int inputs, int outputs, int present, int most)
{
    int32_t *count = calloc((size_t)present, sizeof *count);
    int vectors = 0;
    for (int i = 0; count && i < present; i++) {
        count[i] = one_of(r, present == 1 ? 0 : 1, most);
        vectors += count[i];
    }
    rc_svm_t *s = count ? rc_svm_new(inputs, outputs, present, vectors, NULL) : NULL;
    if (s) {
        int left = present;
        for (int c = 0; c < outputs; c++) /* some of the classes, then shuffled */
            if (one_of(r, 0, outputs - 1 - c) < left)
                s->label[present - left--] = c;
        for (int i = present - 1; i > 0; i--) {
            int j = one_of(r, 0, i);
            int32_t swap = s->label[i];
            s->label[i] = s->label[j];
            s->label[j] = swap;
        }
        for (int i = 0; i < present; i++)
            s->count[i] = count[i];
        s->gamma = between(r, 0.01, 1);
        random_inputs(r, vectors * inputs, s->vector);
        for (int i = 0; i < (present - 1) * vectors; i++)
            s->coef[i] = between(r, -2, 2);
        for (int i = 0; i < present * (present - 1) / 2; i++)
            s->rho[i] = between(r, -0.5, 0.5);
    }
    free(count);
    return s;
}

random_state_t random_predictor(rc_rng_t *r, const rc_predictor_kind_t *kind)
{
    random_state_t s = {kind, one_of(r, 1, 12), one_of(r, 1, 6), NULL};
    if (kind == &rc_predictor_network) {
        int size[4] = {s.inputs, one_of(r, 1, 40), one_of(r, 1, 40), 0};
        int layers = one_of(r, 1, 3);
        size[layers] = s.outputs;
        s.state = random_network(r, one_of(r, 1, 3), layers, size);
    } else if (kind == &rc_predictor_forest) {
        s.state = random_forest(
            r, s.inputs, s.outputs, one_of(r, 0, 40), one_of(r, 0, 5), between(r, 0.3, 1));
    } else {
        s.state = random_svm(r, s.inputs, s.outputs, one_of(r, 1, s.outputs), 8);
    }
    return s;
}
