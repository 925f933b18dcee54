/** \file measure/measure.h  Verify and time kernels.  Local.
 *
 *  A group is one (matrix, kernel, K, precision) under several schedules; its cases are verified
 *  one by one, then timed in interleaved rounds (A B C A B C ...) so that drift hits all alike.
 *  Verification before timing: C is poisoned, the product is run once, and a seeded sample of rows
 *  and columns is compared with fp64; rows that the schedule leaves out must still be zero and no
 *  poison may be left anywhere. */
#ifndef RC_MEASURE_MEASURE_H
#define RC_MEASURE_MEASURE_H

#include "base/outcome.h"
#include "kernels/kernel.h"
#include "rowcast.h"

/** How to measure; rc_measure_defaults fills it. */
typedef struct rc_measure_config {
    double target_rel_err; /**< of the median, e.g. 0.01 */
    int64_t budget_ns;     /**< timed span per case, without warm-up; stretched up to
                                100 times until there are 3 batches */
    int64_t warmup_ns;     /**< warm-up ends after this ... */
    int64_t warmup_runs;   /**< ... or this many runs, whichever is first; at least one run */
    int64_t min_reps;      /**< batches at least, unless the budget ends */
    int64_t max_reps;
    int64_t min_batch_ns; /**< launches are batched until a batch takes this long */
    int cold;             /**< 1: flush the caches before every batch, batch = 1 */
    uint64_t seed;        /**< of B and of the verification sample */
    int64_t verify_rows;  /**< sampled rows (the longest and the first and last are always in) */
    int64_t verify_cols;  /**< sampled columns */
} rc_measure_config_t;

void rc_measure_defaults(rc_measure_config_t *cfg);

/** A case of a group and its result. */
typedef struct rc_measured {
    /* in */
    const rc_schedule_t *schedule; /**< borrowed */
    /* out */
    rc_case_status_t status;
    rc_phase_t phase;      /**< where it ended when not ok */
    char text[200];        /**< why, when not ok */
    int64_t prepare_ns;    /**< rearranging and uploading */
    int64_t preprocess_ns; /**< the kernel's own work before its first product, 0 for none */
    int64_t first_ns;      /**< the first run, cold code and data */
    double median_ns;      /**< per product */
    double min_ns;
    double mean_ns;
    double sd_ns;
    double rel_err; /**< of the median */
    int64_t reps;   /**< batches */
    int64_t batch;  /**< products per batch */
    int64_t k_tile; /**< columns per launch: K, or less when B and C did not fit */
    rc_stop_t stop;
    double error_max;  /**< largest |C - ref| / bound over the sample; <= 1 is right */
    double error_rel;  /**< largest |C - ref| / sum |a||b| over the sample */
    int64_t bytes_min; /**< compulsory traffic of one product */
    rc_device_state_t state;
    int64_t *sample_ns; /**< [reps] total of each batch; free with rc_measured_free */
} rc_measured_t;

/** What every case of a group shares. */
typedef struct rc_group {
    const rc_csr_t *a;
    const rc_kernel_spec_t *kernel;
    int64_t k;
    rc_precision_t precision;
    rc_c_order_t c_order;
    rc_geometry_t geometry;
    int64_t memory_limit; /**< bytes that B, C and the prepared matrices may take together */
} rc_group_t;

/** Asked between runs; non-zero ends the measurement with RC_EINTR. */
typedef int rc_stop_fn(void *user);

/** Told before a case enters a phase that may crash or hang, so that a journal can name it.
 *  index is the case, or -1 when all cases of the group are being timed in turn. */
typedef void rc_enter_fn(void *user, int index, rc_phase_t phase);

/** Verify and time the cases of a group.
 *  \param[in,out] cases  [n]; every case that was not interrupted has a final status afterwards
 *  \param[in] stop, enter, user  may be NULL
 *  Cases whose preparation does not fit memory_limit together are timed in smaller sets, the
 *  first case (the baseline) in each; a case that does not fit alone is RC_CASE_SKIPPED with the
 *  figures in its text.
 *  \return RC_OK (also when cases failed), RC_EINTR, RC_EDEVICE (the device is unusable), RC_ENOMEM
 */
rc_status_t rc_measure_group(rc_device_t *d, const rc_measure_config_t *cfg, const rc_group_t *g,
    rc_measured_t *cases, int n, rc_stop_fn *stop, rc_enter_fn *enter, void *user, rc_err_t *err);

/** Bytes of B and C together; INT64_MAX when that overflows. */
int64_t rc_group_dense_bytes(const rc_csr_t *a, int64_t k, rc_precision_t precision);

/** Free the samples of a case; the rest stays readable. */
void rc_measured_free(rc_measured_t *m);

#endif
