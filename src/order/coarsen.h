/** \file order/coarsen.h  Groups of neighbouring vertices of a graph, and the graph of the
 *  groups. */
#ifndef RC_ORDER_COARSEN_H
#define RC_ORDER_COARSEN_H

#include "order/rcm.h"

/** Groups of vertices; members in increasing number. */
typedef struct rc_grouping {
    int64_t count;   /**< groups */
    int32_t *group;  /**< [n] of each vertex */
    int64_t *ptr;    /**< [count + 1] into member */
    int32_t *member; /**< [n] */
    int32_t *named;  /**< [count] the group of each index, set by rc_coarse_level; NULL before */
} rc_grouping_t;

void rc_grouping_free(rc_grouping_t *g);

/** Members of the largest group; 0 without groups. */
int64_t rc_grouping_most(const rc_grouping_t *g);

/** Runs of `size` consecutive vertices, counted from the last one: of a graph in Cuthill-McKee
 *  order those of the reverse one.
 *  \param[out] out  free with rc_grouping_free
 *  \return RC_OK, RC_ENOMEM.  Local. */
rc_status_t rc_group_runs(int64_t n, int64_t size, rc_grouping_t *out, rc_err_t *err);

/** Groups that grow along the heaviest edges.  Seeds in the order of the vertices; a group grows by
 *  the ungrouped neighbour with the largest sum of edge weights to it (ties: first vertex) until it
 *  is full or has none.  Then, in the order of creation, each group that was not merged yet and has
 *  at most half the size goes into the neighbouring group with most edge weight that has room
 *  (ties: created first); if none has room, into the waiting group of its key, the neighbouring
 *  group with most edge weight (no neighbour: -1), if there is one with room; else it becomes the
 *  waiting group of that key.
 *  \param[in] g     in Cuthill-McKee order; all weights together fit 31 bits
 *  \param[in] size  vertices of a group at most, >= 1
 *  \param[out] out  free with rc_grouping_free
 *  \return RC_OK, RC_ENOMEM.  Local.  Cost O(e log d) of e edges and d neighbours; those of a
 *          vertex in a small group may be read once for each group that it is merged into. */
rc_status_t rc_group_heavy(const rc_graph_t *g, int64_t size, rc_grouping_t *out, rc_err_t *err);

/** The graph of the groups: weights add up, edges within a group are left out.  A group's index is
 *  the rank of the smallest index among its members.
 *  \param[in,out] groups  named is set
 *  \param[out] out  free with rc_level_free, whatever the outcome
 *  \return RC_OK, RC_ENOMEM.  Local.  Cost O(edges). */
rc_status_t rc_coarse_level(
    const rc_level_t *fine, rc_grouping_t *groups, int threads, rc_level_t *out, rc_err_t *err);

#endif
