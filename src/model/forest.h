/** \file model/forest.h  Sums of decision trees, a list of trees per output: the state of the
 *  predictor kind "forest".  Trainers fill it. */
#ifndef RC_MODEL_FOREST_H
#define RC_MODEL_FOREST_H

#include "model/predictor.h"

/** A node: feature < 0 is a leaf with `value`; else go to `left` when (float)x[feature] < value
 *  (compared as float: boosting libraries store thresholds so), else to `right`. */
typedef struct rc_tree_node {
    int32_t feature;
    int32_t left; /**< index in the node array, larger than that of the node itself */
    int32_t right;
    double value;
} rc_tree_node_t;

/** Output o is base[o] + the sum of its trees in order: trees first[o] .. first[o + 1] - 1, tree t
 *  has its root at node root[t]. */
typedef struct rc_forest {
    int outputs;
    double *base;   /**< [outputs] */
    int32_t *first; /**< [outputs + 1] */
    int32_t *root;  /**< [trees] */
    rc_tree_node_t *node;
    int32_t trees;
    int32_t nodes;
} rc_forest_t;

extern const rc_predictor_kind_t rc_predictor_forest;

void rc_forest_free(rc_forest_t *f);

#endif
