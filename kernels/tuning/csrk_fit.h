/** \file kernels/tuning/csrk_fit.h Re-tuning of CSR-k for a device (Lane and Booth 2022, section
 *  4), automated: from the times of all pairs of sizes on some matrices to the formulas of
 *  kernels/tuning/csrk.h. */
#ifndef RC_KERNELS_TUNING_CSRK_FIT_H
#define RC_KERNELS_TUNING_CSRK_FIT_H

#include "kernels/tuning/csrk.h"

enum { RC_CSRK_SIZES = 8 };

/** 4, 6, 8, 12, 16, 24, 32, 48: SSRS and SRS of the pairs. */
extern const int32_t rc_csrk_fit_sizes[RC_CSRK_SIZES];

/** Nanoseconds by SSRS and SRS; NaN: not measured. */
typedef struct rc_csrk_grid {
    double ns[RC_CSRK_SIZES][RC_CSRK_SIZES];
} rc_csrk_grid_t;

/** One matrix. */
typedef struct rc_csrk_times {
    const char *name; /**< borrowed */
    double rdensity;
    int64_t rows;
    rc_csrk_grid_t serial; /**< by GPUSpMV-3, whatever its case */
    rc_csrk_grid_t own;    /**< by the kernel of its case */
} rc_csrk_times_t;

typedef struct rc_csrk_fit {
    rc_csrk_tuning_t tuning;
    rc_csrk_line_t regressed[2]; /**< SSRS and SRS, before their slopes are lowered */
    double share[2];             /**< of the slope that is kept */
    double serial_loss[2];       /**< by GPUSpMV-3: of the lines as regressed, and as lowered */
    double loss[RC_CSRK_CASES];  /**< by case, own kernels; NaN without a matrix */
    double all;                  /**< of all matrices, own kernels */
} rc_csrk_fit_t;

/** The pair of least time, of equal ones the smallest SSRS, then SRS; indices. \return its time;
 *  NaN: one is missing */
double rc_csrk_fit_best(const rc_csrk_grid_t *g, int *ssrs, int *srs);

/** Time of the measured pair next to what a tuning says over the least time, by the kernel of the
 *  case. */
double rc_csrk_fit_loss(
    const rc_csrk_times_t *m, const rc_csrk_tuning_t *t, rc_csrk_reading_t reading);

/** Least squares of the best sizes by GPUSpMV-3 on ln rdensity; the slopes are lowered to those of
 *  0, .05, .. 1 times themselves, and the factors of cases 2 to 4 taken from .5, 1, 1.5, 2, 2.5, 3,
 *  4, 5, that have the least geomean of time over least time. Ties: larger slopes, smaller factors.
 *  Losses are geomeans of that.
 *  \param[in] m [count] \param[in] rounds 1: the tuning rounds to rc_csrk_fit_sizes, so that what
 *  it says is what was measured \param[in] device name that the tuning gets, under RC_CSRK_DEVICE
 *  bytes
 *  \return RC_OK; RC_EINVAL: a pair is missing, a case has no matrix, or all have one rdensity.
 *          Local; cost O(count) times the pairs and shares */
rc_status_t rc_csrk_fit(const rc_csrk_times_t *m, int64_t count, int rounds, const char *device,
    rc_csrk_fit_t *out, rc_err_t *err);

/** The other form: no line, a pair for each case, changed by rc_csrk_fill for a device of so many
 *  multiprocessors: that of the 64 with the least geomean of time over least time by the kernel of
 *  the case. Ties: smaller SSRS, then SRS.
 *  \param[in] m  [count]  \param[in] multiprocessors  >= 1
 *  \param[out] out  regressed: the constants; both shares 0; serial_loss NaN
 *  \return as rc_csrk_fit */
rc_status_t rc_csrk_fit_filled(const rc_csrk_times_t *m, int64_t count, int32_t multiprocessors,
    const char *device, rc_csrk_fit_t *out, rc_err_t *err);

/** Write a tuning file with its loss and the matrices that it was fitted on.
 *  \return RC_OK, RC_ENOMEM, RC_EIO */
rc_status_t rc_csrk_tuning_write(const char *path, const rc_csrk_fit_t *f, const rc_csrk_times_t *m,
    int64_t count, rc_err_t *err);

/* ------------------------------------------------------------ CSR-2 on CPUs */

enum { RC_CSRK_SRS_SIZES = 18 };

/** 8, 12, 16, 24, .. 2048, 3072: SRS that are tried on a CPU. */
extern const int32_t rc_csrk_srs_sizes[RC_CSRK_SRS_SIZES];

/** Nanoseconds of csr2 by SRS on one matrix; NaN: not measured. */
typedef struct rc_csrk_srs_times {
    const char *name; /**< borrowed */
    double rdensity;
    double ns[RC_CSRK_SRS_SIZES];
    double loop; /**< of the plain row loop with a static schedule; NaN: not measured */
} rc_csrk_srs_times_t;

/** The index of the size of least time, of equal ones the smallest; -1: one is missing. */
int rc_csrk_srs_best(const rc_csrk_srs_times_t *m);

/** The constant SRS: the size next to the geometric mean of the best ones, by their ratio (Lane and
 *  Booth 2022: 96).
 *  \param[in] m  [count] with all sizes  \param[out] mean  that geometric mean
 *  \return its index; -1 without a matrix */
int rc_csrk_srs_constant(const rc_csrk_srs_times_t *m, int64_t count, double *mean);

#endif
