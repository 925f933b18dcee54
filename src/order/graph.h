/** \file order/graph.h  The undirected graph of a square matrix: what symmetric orders and
 *  partitions look at. */
#ifndef RC_ORDER_GRAPH_H
#define RC_ORDER_GRAPH_H

#include "rowcast.h"

/** Pattern of A + A' without the diagonal.  Each edge is there from both ends. */
typedef struct rc_graph {
    int64_t n;        /**< vertices */
    int64_t *ptr;     /**< [n + 1] into adj and weight */
    int32_t *adj;     /**< [ptr[n]] neighbours, increasing in each vertex */
    void *weight;     /**< [ptr[n]] entries of A between the two, 1 or 2, in weight_bytes each */
    int weight_bytes; /**< 1, 2 or 4: what the largest possible weight needs */
    int32_t heaviest; /**< no weight is above it */
} rc_graph_t;

/** The weight of an edge: weights take most of the memory where they have more bytes than they
 *  need.
 *  \param[in] e  an index of adj */
static inline int32_t rc_graph_weight(const rc_graph_t *g, int64_t e)
{
    if (g->weight_bytes == 1)
        return ((const uint8_t *)g->weight)[e];
    return g->weight_bytes == 2 ? ((const uint16_t *)g->weight)[e]
                                : ((const int32_t *)g->weight)[e];
}

/** \param[in] weight  in [0, heaviest] */
static inline void rc_graph_set_weight(rc_graph_t *g, int64_t e, int32_t weight)
{
    if (g->weight_bytes == 1)
        ((uint8_t *)g->weight)[e] = (uint8_t)weight;
    else if (g->weight_bytes == 2)
        ((uint16_t *)g->weight)[e] = (uint16_t)weight;
    else
        ((int32_t *)g->weight)[e] = weight;
}

/** Room for the edges that ptr counts: sets adj, weight, weight_bytes and heaviest.
 *  \param[in] heaviest  no weight will be above it
 *  \return RC_OK, RC_ENOMEM (free with rc_graph_free as before) */
rc_status_t rc_graph_alloc_edges(rc_graph_t *g, int32_t heaviest, const char *what, rc_err_t *err);

/** Give back what the weights do not need: heaviest becomes the largest of them.  Cost O(edges). */
void rc_graph_narrow(rc_graph_t *g);

/** \param[in] a  square
 *  \param[out] out  free with rc_graph_free
 *  \return RC_OK, RC_ENOTSUP (not square), RC_ENOMEM.  Local.  Cost O(nnz + rows). */
rc_status_t rc_graph_build(const rc_csr_t *a, rc_graph_t *out, rc_err_t *err);

void rc_graph_free(rc_graph_t *g);

/** The pattern of A': the rows of every column of A, increasing.
 *  \param[out] out  free with rc_csr_free
 *  \return RC_OK, RC_ENOMEM.  Local.  Cost O(nnz + cols). */
rc_status_t rc_pattern_transpose(const rc_csr_t *a, rc_csr_t *out, rc_err_t *err);

/** Groups of rows as a schedule: group after group by number, empty ones left out, in each the rows
 *  in original order; one level of groups.
 *  \param[in] group  [rows] number of the group of each row, in [0, count)
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_schedule_of_groups(const int32_t *group, int64_t rows, int64_t count,
    const char *name, rc_schedule_t *out, rc_err_t *err);

#endif
