/** \file cmd/lane_paper.h  What Lane and Booth 2022 print, to stand beside our figures: Table 1, the means of Figures 6 and 7,
 *  and what the prose says of scaling and of CSR-2 on GPUs. */
#ifndef RC_CMD_LANE_PAPER_H
#define RC_CMD_LANE_PAPER_H

#include "table/suite.h"

/** Table 1; counts are rounded there. */
typedef struct rc_lane_matrix {
    const char *id;   /**< "r1" (regular), "i1" (irregular) */
    const char *name; /**< "Group/Name" */
    double symmetry;  /**< of the pattern, a share */
    double rows;      /**< millions */
    double nnz;       /**< millions */
    double longest;   /**< entries of the longest row */
    double rdensity;
} rc_lane_matrix_t;

/** \param[in] name  "Group/Name" of a matrix, or of a twin of it
 *  \return NULL: it is none of the 64 */
const rc_lane_matrix_t *rc_lane_matrix(const char *name);

typedef enum rc_lane_machine {
    RC_LANE_ICE_LAKE = 0, /**< 40 cores */
    RC_LANE_ROME = 1,     /**< 64 cores */
    RC_LANE_VOLTA = 2,
    RC_LANE_AMPERE = 3,
    RC_LANE_MACHINES = 4
} rc_lane_machine_t;

/** Arithmetic mean in Gflop/s of a kernel, in the order that the paper gives it, over a class; NaN: not printed. */
double rc_lane_rate(const char *kernel, rc_suite_class_t class, rc_lane_machine_t machine);

/** Rate of csr2 over that of csr3 on a GPU, where it is named as more than 5 % above; "": it is not. */
const char *rc_lane_lead(const char *kernel, const char *matrix, rc_lane_machine_t machine);

/** Speedup of a kernel on so many cores over one; "": not printed. */
const char *rc_lane_scaling(const char *kernel, int threads);

#endif
