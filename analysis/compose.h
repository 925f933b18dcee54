/** \file analysis/compose.h  One forest from parts of others. */
#ifndef RC_ANALYSIS_COMPOSE_H
#define RC_ANALYSIS_COMPOSE_H

#include "model/forest.h"

/** factor times an output of a forest, to be added to output `to` of the new one. */
typedef struct rc_forest_term {
    int to;
    const rc_forest_t *forest; /**< borrowed */
    int output;
    double factor;
} rc_forest_term_t;

/** The forest whose outputs are the sums of these terms; each output has the trees of its terms in
 *  the order of the terms, so a tree that enters twice is there twice.
 *  \param[out] out  free with rc_forest_free
 *  \return RC_OK, RC_EINVAL (sizes that do not agree), RC_ENOMEM */
rc_status_t rc_forest_compose(int inputs, int outputs, const rc_forest_term_t *term, int terms,
    rc_forest_t **out, rc_err_t *err);

#endif
