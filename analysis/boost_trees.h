/** \file analysis/boost_trees.h  The trees of XGBoost's own model file, in memory.
 *
 *  The file is read in its binary form (UBJSON, https://ubjson.org), whose arrays are typed and so
 *  are copied, not parsed: learner.gradient_booster.model has the trees, each as arrays over nodes
 *  with node 0 the root, and tree_info, the output of each tree
 *  (https://xgboost.readthedocs.io/en/stable/tutorials/saving_model.html).  Read as text they took
 *  35 % of a fit of a grid. */
#ifndef RC_ANALYSIS_BOOST_TREES_H
#define RC_ANALYSIS_BOOST_TREES_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

/** A tree; arrays over its nodes, which belong to the list. */
typedef struct rc_boost_tree {
    int64_t nodes;    /**< >= 1 */
    int32_t *left;    /**< < 0: a leaf */
    int32_t *right;   /**< likewise */
    int32_t *feature; /**< number of the input that a node asks for */
    float *value;     /**< threshold; at leaves what is added */
    float *gain;      /**< of the split */
    int32_t output;   /**< that it adds to */
} rc_boost_tree_t;

/** Trees in the order in which they were grown. */
typedef struct rc_boost_trees {
    int64_t count;
    rc_boost_tree_t *tree; /**< [count] */
} rc_boost_trees_t;

/** Read a model.
 *  \param[in]  bytes  as XGBoosterSaveModelToBuffer writes format "ubj"; borrowed, not needed
 *      afterwards
 *  \param[in]  size   of them
 *  \param[out] out    free with rc_boost_trees_free, also after a failure
 *  \return RC_OK, RC_EFORMAT (where it is not as described), RC_ENOMEM.  Local.  Cost: O(size). */
rc_status_t rc_boost_trees_read(
    const char *bytes, size_t size, rc_boost_trees_t *out, rc_err_t *err);

/** Free what a list has; one of zeros is fine. */
void rc_boost_trees_free(rc_boost_trees_t *t);

#endif
