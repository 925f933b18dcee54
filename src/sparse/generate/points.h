/** \file sparse/generate/points.h  Random points in a square or a cube, made where they are needed;
 *  inner header of the room.
 *
 *  Cells of one unit are numbered along x, then y, then z; points along their cells.  The position
 *  of a point is a hash of its number in units of 2^-20, so distances are whole numbers. */
#ifndef RC_SPARSE_GENERATE_POINTS_H
#define RC_SPARSE_GENERATE_POINTS_H

#include "sparse/generate/rows.h"

enum { RC_POINT_BITS = 20 };

/** A set of points; there are as many cells as points. */
typedef struct rc_points {
    int64_t n;
    int64_t side; /**< cells along x, and along y where dim is 3 */
    int dim;      /**< 2 or 3 */
    uint64_t seed;
    double jitter;  /**< how far from the middle of its cell a point may be, 1: anywhere in it */
    int32_t *start; /**< [n + 1] first point of each cell; NULL: one point in each */
} rc_points_t;

/** Make a matrix whose rows ask for the points near others.
 *  \param[in,out] p   n, dim and jitter are set; the rest is, as long as rows are made
 *  \param[in] lattice  1: one point in each cell; 0: each point in a random cell
 *  \param[in] r        its seed is also that of the points
 *  \return as rc_rows_build */
rc_status_t rc_points_rows(
    rc_points_t *p, int lattice, const rc_rows_t *r, rc_csr_t *out, rc_err_t *err);

/** Called for a point and the square of its distance. */
typedef void rc_near_fn(void *of, int64_t point, int64_t squared);

/** Visit the points other than `i` of which the square of the distance is at most `within` and
 *  whose cells are at most `reach` cells from that of i along each axis.
 *  \return 1 when no point lies beyond these cells */
int rc_points_near(
    const rc_points_t *p, int64_t i, int64_t reach, int64_t within, rc_near_fn *visit, void *of);

/** The largest radius, in the units of distances, whose circle (dim 2) or ball (dim 3) has room for
 *  `nodes` points, one for each cell. */
int64_t rc_points_radius(double nodes, int dim);

#endif
