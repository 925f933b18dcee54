/** \file kernels/tuning/rs_cost.h What a product of rs takes, from what its split counts, and the
 *  choice of cfv by that. Hong et al. 2018, section 4.3; the terms of light segments are rowcast's.
 *  All local, nothing is owned. */
#ifndef RC_KERNELS_TUNING_RS_COST_H
#define RC_KERNELS_TUNING_RS_COST_H

#include "sparse/segments.h"

enum { RC_RS_COSTS = 3 /**< of cfv 1, 2, 4 */ };

/** Times of one device class, K and precision, in one unit. */
typedef struct rc_rs_cost {
    double heavy_segment[RC_RS_COSTS]; /**< C1 */
    double heavy_entry[RC_RS_COSTS];   /**< C2 */
    double light_row;                  /**< D1 */
    double light_entry;                /**< D2 */
} rc_rs_cost_t;

/** Times of two calibration products, an N x N matrix each: a dense one, all of it heavy, and one
 *  with `tau` entries in each of the N times `panels` segments, all of them heavy too. */
typedef struct rc_rs_heavy_times {
    int64_t n;
    int64_t panels;
    int64_t tau;
    double dense;
    double sparse;
} rc_rs_heavy_times_t;

/** Times of two products of N x N matrices with so many entries a row, all of them light. */
typedef struct rc_rs_light_times {
    int64_t n;
    int64_t few_entries;
    int64_t many_entries;
    double few;
    double many;
} rc_rs_light_times_t;

/** Solve for C1 and C2 of cfv number i; what comes out negative becomes 0.
 *  \return RC_OK; RC_EINVAL: times that are not positive and finite, or two matrices of as many
 *      entries */
rc_status_t rc_rs_cost_heavy(const rc_rs_heavy_times_t *t, int i, rc_rs_cost_t *out, rc_err_t *err);

/** The same for D1 and D2. */
rc_status_t rc_rs_cost_light(const rc_rs_light_times_t *t, rc_rs_cost_t *out, rc_err_t *err);

/** What a product takes with a split, of cfv number i. */
double rc_rs_cost_time(const rc_rs_cost_t *c, int i, const rc_segments_size_t *s);

/** The number of the cfv that takes least; of equal ones the smallest.
 *  \param[in] s  [RC_RS_COSTS] the split at the W of each */
int rc_rs_cost_choose(const rc_rs_cost_t *c, const rc_segments_size_t *s);

#endif
