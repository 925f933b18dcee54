/** \file order/rcm.h  Weighted reverse Cuthill-McKee of a graph. */
#ifndef RC_ORDER_RCM_H
#define RC_ORDER_RCM_H

#include "order/graph.h"

/** The Cuthill-McKee order, not reversed.  The degree of a vertex is the sum of the weights of its
 *  edges, and every tie goes by (degree, index).  Components by their smallest vertex.  The root of a
 *  component: from its vertex of least (degree, index), step to the vertex of least (degree, index)
 *  in the last breadth-first level as long as the step makes the depth grow (George and Liu 1979).
 *  From there breadth first, unseen neighbours by (degree, index).
 *  \param[out] order  [g->n], caller's: position -> vertex
 *  \return RC_OK, RC_ENOMEM.  Local.  Cost O(edges + vertices) a breadth-first search; a component
 *          takes four of itself, and one more for each step. */
rc_status_t rc_cuthill_mckee(const rc_graph_t *g, int32_t *order, rc_err_t *err);

#endif
