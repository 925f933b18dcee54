/** \file model/forest.h  Sums of decision trees, a list of trees per output: the state of the
 *  predictor kind "forest".  Trainers fill it. */
#ifndef RC_MODEL_FOREST_H
#define RC_MODEL_FOREST_H

#include "base/alloc.h"
#include "model/predictor.h"

/** A node of 16 bytes: four share a cache line.  feature < 0 is a leaf with `value`; else go to
 *  node `left` when (float)x[feature] < value (the input is rounded to float, since boosting
 *  libraries compare and store thresholds so), else to node left + 1. */
typedef struct rc_tree_node {
    double value;    /**< finite; a threshold that comes from a float is exact */
    int32_t feature; /**< < inputs; -1 for a leaf */
    int32_t left;    /**< larger than the index of the node itself; 0 for a leaf */
} rc_tree_node_t;

/** Output o is base[o] + the sum of its trees in order: trees first[o] .. first[o + 1] - 1.  Tree t
 *  is nodes root[t] .. root[t + 1] - 1, its root is the first of them, and each of the others is
 *  the child of exactly one. */
typedef struct rc_forest {
    rc_pool_t memory;
    int inputs;
    int outputs;
    int32_t trees;
    int32_t nodes;
    double *base;         /**< [outputs] */
    int32_t *first;       /**< [outputs + 1], first[0] = 0, first[outputs] = trees */
    int32_t *root;        /**< [trees + 1], root[0] = 0, root[trees] = nodes */
    rc_tree_node_t *node; /**< [nodes] */
} rc_forest_t;

extern const rc_predictor_kind_t rc_predictor_forest;

/** A forest with arrays of these sizes, all zero; free with rc_forest_free.
 *  NULL with err set when a size is out of range or there is no memory. */
rc_forest_t *rc_forest_new(int inputs, int outputs, int32_t trees, int32_t nodes, rc_err_t *err);

/** Free one; NULL is allowed. */
void rc_forest_free(void *state);

#endif
