/** \file measure/session.h  A group while it is measured, as the parts of this room share it:
 *  measure.c runs the rounds, fit.c decides on tiles and what fits, case.c handles one case. */
#ifndef RC_MEASURE_SESSION_H
#define RC_MEASURE_SESSION_H

#include "measure/measure.h"
#include "measure/operands.h"
#include "measure/timing.h"

/** Tiles of a product come in two widths; each has a prepared state of its own. */
enum { RC_WIDE = 0, RC_LAST = 1, RC_WIDTHS = 2 };

typedef struct rc_measuring rc_measuring_t;
typedef struct rc_trial rc_trial_t;

/** What a launch needs. */
typedef struct rc_launch {
    const rc_measuring_t *s;
    const rc_trial_t *job;
    int64_t tile; /**< or -1: all of them, the product */
} rc_launch_t;

/** A case while it is worked on. */
struct rc_trial {
    rc_measured_t *m;
    rc_problem_t problem[RC_WIDTHS];
    rc_operands_t operands[RC_WIDTHS];
    rc_analysis_t analysis; /**< of the matrix under the schedule, at every K */
    int64_t bytes;          /**< that its preparation takes on the device */
    void *state[RC_WIDTHS]; /**< of the kernel */
    int held[RC_WIDTHS];    /**< there is such a state */
    int prepared;
    int verified; /**< in all tiles */
    int tried;    /**< it was prepared once, or found not to fit */
    rc_timing_t timing;
    rc_launch_t first;  /**< of the verification and ... */
    rc_launch_t launch; /**< ... of the timing: a device may tell them apart by the address */
};

struct rc_measuring {
    rc_measure_context_t *ctx;
    rc_device_t *d;
    const rc_measure_config_t *cfg;
    const rc_group_t *g; /**< `within` */
    rc_group_t within;   /**< the group, its limit less `inside` */
    int64_t inside;      /**< bytes of the matrix on the device that the limit counts */
    const rc_kernel_t *kernel;
    const rc_operation_t *op;
    rc_trial_t *job;
    int n;
    rc_stop_fn *stop;
    rc_enter_fn *enter;
    void *user;
    rc_tiling_t tiling;
    int64_t c_rows; /**< of the output, the most of all cases */
    int64_t used;   /**< bytes of the operands and the preparations that are held */
};

/* -------------------------------------------------------------------- fit.c */

/** Choose the tiling and every case's bytes, and give a final status to cases that the kernel does
 *  not support or that never fit.
 *  \return RC_OK, RC_EDEVICE */
rc_status_t rc_measuring_fit(rc_measuring_t *s, rc_err_t *err);

/** Bytes of all preparations that are still to come. */
int64_t rc_measuring_wanted(const rc_measuring_t *s);

/* ------------------------------------------------------------------- case.c */

void rc_trial_end(rc_measured_t *m, rc_case_status_t status, rc_phase_t phase, const char *text);

/** Give a case that failed its status.
 *  \return RC_OK, or RC_EDEVICE when the device does not work any more */
rc_status_t rc_trial_fail(
    rc_measuring_t *s, rc_trial_t *j, rc_phase_t phase, const rc_err_t *why, rc_err_t *err);

void rc_trial_release(rc_measuring_t *s, rc_trial_t *j);

/** Launch a tile or a product (rc_launch_t). */
rc_status_t rc_trial_launch(void *launch, rc_err_t *err);

/** Where the memory is short: from here on the cases are built on the host.
 *  \return 1: they were not before, so that what failed may be tried again */
int rc_measuring_leave_device(rc_measuring_t *s);

/** Prepare one case; afterwards it is prepared or has its final status. */
rc_status_t rc_trial_prepare(rc_measuring_t *s, int index, rc_err_t *err);

/** Verify a tile of a prepared case; afterwards it is prepared or has its final status. */
rc_status_t rc_trial_verify(rc_measuring_t *s, int index, int64_t tile, rc_err_t *err);

#endif
