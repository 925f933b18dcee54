/** \file order/rcm.h  Weighted Cuthill-McKee of a graph. */
#ifndef RC_ORDER_RCM_H
#define RC_ORDER_RCM_H

#include "order/graph.h"

/** A graph whose vertices are numbered as it suits the memory, with what the definitions call
 *  them. */
typedef struct rc_level {
    rc_graph_t g;   /**< neighbours in any order */
    int32_t *index; /**< [g.n] by which ties go: a permutation of 0 .. n - 1 */
    int32_t *rank;  /**< [g.n] place by (degree, index), set by rc_level_rank and rc_cuthill_mckee;
                         NULL before */
} rc_level_t;

/** The graph of a square matrix, its vertices named by their rows.
 *  \param[out] out  free with rc_level_free, whatever the outcome
 *  \return as rc_graph_build */
rc_status_t rc_level_of_matrix(const rc_csr_t *a, rc_level_t *out, rc_err_t *err);

void rc_level_free(rc_level_t *l);

/** Find the ranks, from the weights and the indices.
 *  \return RC_OK, RC_ENOMEM (l is then fit for rc_level_free alone).  Cost O(edges + vertices),
 *      memory 16 bytes a vertex. */
rc_status_t rc_level_rank(rc_level_t *l, rc_err_t *err);

/** Number the vertices anew: vertex p becomes what was order[p].  The ranks are gone then.
 *  \param[in] order  [n], a permutation
 *  \return RC_OK, RC_ENOMEM (l is then fit for rc_level_free alone).  Cost O(edges), memory
 *          that of the graph and 4 bytes a vertex. */
rc_status_t rc_level_renumber(rc_level_t *l, const int32_t *order, int threads, rc_err_t *err);

/** The Cuthill-McKee order, not reversed.  The degree of a vertex is the sum of the weights of its
 *  edges, and every tie goes by (degree, index).  Components by their smallest vertex.  The root of
 *  a component: from its vertex of least (degree, index), step to the vertex of least (degree,
 *  index) in the last breadth-first level as long as the step makes the depth grow (George and Liu
 *  1979).  From there breadth first, unseen neighbours by (degree, index).
 *  \param[in,out] l   its vertices are numbered anew on the way, neighbours close together; those
 *          of a vertex are by rank in the end
 *  \param[out] order  [n], caller's: position -> vertex in the new numbers
 *  \return RC_OK, RC_ENOMEM (l is then fit for rc_level_free alone).  Local.  Cost O(edges +
 *          vertices) a breadth-first search; a component takes three of itself, and one more for
 *          each step. */
rc_status_t rc_cuthill_mckee(rc_level_t *l, int threads, int32_t *order, rc_err_t *err);

/** The reverse Cuthill-McKee order of the rows of a square matrix, of A + A' without the diagonal,
 *  weights as rc_graph_t has them.
 *  \param[out] order  [a->rows], caller's: position -> row
 *  \return as rc_graph_build */
rc_status_t rc_reverse_cuthill_mckee(const rc_csr_t *a, int threads, int32_t *order, rc_err_t *err);

#endif
