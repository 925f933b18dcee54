/** \file order/graph.h  The undirected graph of a square matrix: what symmetric orders and
 *  partitions look at. */
#ifndef RC_ORDER_GRAPH_H
#define RC_ORDER_GRAPH_H

#include "rowcast.h"

/** Pattern of A + A' without the diagonal.  Each edge is there from both ends. */
typedef struct rc_graph {
    int64_t n;       /**< vertices */
    int64_t *ptr;    /**< [n + 1] into adj and weight */
    int32_t *adj;    /**< [ptr[n]] neighbours, increasing in each vertex */
    int32_t *weight; /**< [ptr[n]] entries of A between the two: 1 or 2 */
} rc_graph_t;

/** \param[in] a  square
 *  \param[out] out  free with rc_graph_free
 *  \return RC_OK, RC_ENOTSUP (not square), RC_ENOMEM.  Local.  Cost O(nnz + rows). */
rc_status_t rc_graph_build(const rc_csr_t *a, rc_graph_t *out, rc_err_t *err);

void rc_graph_free(rc_graph_t *g);

/** The pattern of A': the rows of every column of A, increasing.
 *  \param[out] ptr  [cols + 2] of which the first cols + 1 bound the columns; free with free()
 *  \param[out] idx  [nnz]; free with free()
 *  \return RC_OK, RC_ENOMEM.  Local.  Cost O(nnz + cols). */
rc_status_t rc_pattern_transpose(const rc_csr_t *a, int64_t **ptr, int32_t **idx, rc_err_t *err);

/** Groups of rows as a schedule: group after group in the order of their smallest rows, in each the
 *  rows in original order; one level of groups.
 *  \param[in] group  [rows] number of the group of each row, in [0, count)
 *  \param[in] by_number  1: groups in the order of their numbers instead; empty ones are left out
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_schedule_of_groups(const int32_t *group, int64_t rows, int64_t count, int by_number,
    const char *name, rc_schedule_t *out, rc_err_t *err);

#endif
