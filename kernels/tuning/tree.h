/** \file kernels/tuning/tree.h  A binary tree of questions on numbers, and its answer.  Local. */
#ifndef RC_KERNELS_TUNING_TREE_H
#define RC_KERNELS_TUNING_TREE_H

#include "rowcast.h"

/** A node: at most the threshold goes to the left. */
typedef struct rc_question {
    int32_t input; /**< -1: a leaf */
    int32_t left;  /**< a later node */
    int32_t right;
    int32_t label;    /**< of the most samples, of equal ones the first */
    double threshold; /**< a value of the input that a sample has */
} rc_question_t;

/** The label of an input.  Cost O(depth).
 *  \param[in] node  the root first  \param[in] x  for every input that a node names */
static inline int32_t rc_tree_predict(const rc_question_t *node, const double *x)
{
    const rc_question_t *at = node;
    while (at->input >= 0)
        at = &node[x[at->input] <= at->threshold ? at->left : at->right];
    return at->label;
}

#endif
