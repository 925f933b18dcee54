/** \file measure/measure.h  Verify and time kernels.  Local.
 *
 *  A group is one (matrix, kernel, K, precision) under several schedules; its cases are verified
 *  one by one, then timed in interleaved rounds (A B C A B C ...) so that drift hits all alike.
 *  Verification before timing (measure/verify.h): the output is poisoned, the operation is run
 *  once, then every value is covered: by the poison, by the zeros of empty rows, for products by
 *  the sums of the rows with random signs, and a seeded sample value by value.  Operands never
 *  leave the device.
 *
 *  Tiles.  When B and C of K columns do not fit the memory, a product is a sequence of launches
 *  over tiles of columns (rc_measured_t.k_tile), as a user of that memory would run it.  Every
 *  tile is verified with its own columns of B, then all are timed in the same memory of B and C.
 *  The traffic is that of the product all the same: each launch reads and writes a whole tile,
 *  which is about as large as the memory, and what the caches may hand from one tile to the next
 *  is at most their size out of that, below a percent on every machine that needs tiles.  (With
 *  an artificially small memory_limit it is not: then a tile may stay in the caches.)
 *  A row-major tile is packed, its rows k_tile long, and so may be faster than the same columns
 *  of a wide matrix: on an H200 100,489 columns took growmajor 58 ms whole and 38 ms in tiles
 *  of 25,152.  Compare cases of equal k_tile. */
#ifndef RC_MEASURE_MEASURE_H
#define RC_MEASURE_MEASURE_H

#include "base/digest.h"
#include "base/outcome.h"
#include "device/device.h"
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
    int64_t max_batch;    /**< launches of a batch at most; 0: any */
    int cold;             /**< 1: flush the caches before every batch, batch = 1 */
    uint64_t seed;        /**< of B and of the verification sample */
    int64_t verify_rows;  /**< sampled rows (the longest and the first and last are always in) */
    int64_t verify_cols;  /**< sampled columns (of each tile) */
} rc_measure_config_t;

/** What suits a kind of device. */
void rc_measure_defaults(rc_measure_config_t *cfg, rc_device_kind_t kind);

/** A case of a group and its result. */
typedef struct rc_measured {
    /* in */
    const rc_schedule_t *schedule; /**< borrowed */
    const rc_csr_t *a;   /**< borrowed: of a symmetric order the matrix with its columns renumbered,
                            its rows as they were; else NULL: the group's */
    const double *parts; /**< its values where the precision is complex, as of the group */
    /* out */
    rc_case_status_t status;
    rc_phase_t phase;      /**< where it ended when not ok */
    char text[200];        /**< why, when not ok */
    int64_t prepare_ns;    /**< rearranging and uploading; of kernels that build on the device
                                rearranging there alone; once, also when the last tile is
                                narrower and needs a preparation of its own */
    int64_t preprocess_ns; /**< the kernel's own work before its first product, 0 for none;
                                likewise */
    int64_t first_ns;      /**< the first run (of each tile), cold code and data */
    double median_ns;      /**< per product */
    double min_ns;
    double mean_ns;
    double sd_ns;
    double rel_err; /**< of the median */
    double waited;  /**< share of the median that its threads waited for a CPU; 0: none is known */
    double lost;    /**< share of the time that a shared core added; 0: none is known */
    int64_t again;  /**< batches that were not kept, for a core was shared */
    int64_t reps;   /**< batches */
    int64_t batch;  /**< products per batch */
    int64_t k_tile; /**< columns per launch: K, or less when B and C did not fit */
    rc_stop_t stop;
    double error_max;      /**< largest |C - ref| / bound over the sample; <= 1 is right */
    double error_rel;      /**< largest |C - ref| / sum |a||b| over the sample */
    int64_t bytes_min;     /**< compulsory traffic of one product; A once per tile */
    int64_t device_bytes;  /**< that the prepared matrix takes on the device; -1 unknown */
    double fill;           /**< stored entries, padding included, over nnz; NaN unknown */
    int64_t pointer_bytes; /**< of the pointers of groups beside CSR; -1 unknown */
    rc_device_state_t state;
    int64_t *sample_ns; /**< [reps] total of each batch; free with rc_measured_free */
} rc_measured_t;

/** What every case of a group shares. */
typedef struct rc_group {
    const rc_csr_t *a;
    const double *parts; /**< [2 * nnz] its values where the precision is complex; NULL: those of
                              `a`, with imaginary parts of 0 */
    rc_digest_t digest;  /**< of the matrix: what was computed for its products serves the next
                             group with the same digest; zero: unknown, nothing is kept */
    const rc_kernel_spec_t *kernel;
    int64_t k; /**< 1 where the operation of the kernel has no K */
    rc_precision_t precision;
    rc_c_order_t c_order;
    rc_geometry_t geometry;
    const int32_t *place; /**< [cols] row of B that column c meets, for the reference of a symmetric
                               order; NULL: row c */
    rc_digest_t order;    /**< of that symmetric order: what was computed through it serves the next
                            group with the same; zero: none */
    int64_t memory_limit; /**< bytes that the operands and the prepared matrices may take together,
                               with the matrix itself where kernels build from it on the device and
                               it takes more than a sixteenth; less is beside; the verification
                               needs some 17 bytes per row beside */
} rc_group_t;

/** Asked between runs; non-zero ends the measurement with RC_EINTR. */
typedef int rc_stop_fn(void *user);

/** Told before a case enters a phase that may crash or hang, so that a journal can name it.
 *  index is the case, or -1 when all cases of the group are being timed in turn. */
typedef void rc_enter_fn(void *user, int index, rc_phase_t phase);

/** What is kept from group to group: the memory of B and C, and what the last product must be.
 *  For one device, one thread at a time. */
typedef struct rc_measure_context rc_measure_context_t;

/** \param[in] d  borrowed until rc_measure_context_free
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_measure_context_new(rc_device_t *d, rc_measure_context_t **out, rc_err_t *err);

void rc_measure_context_free(rc_measure_context_t *ctx);

/** What verifying took since the context was made, wall time. */
typedef struct rc_verify_spent {
    int64_t refer_ns; /**< filling the inputs, computing what the output must be */
    int64_t run_ns;   /**< poisoning the output, the first run */
    int64_t check_ns; /**< summing and fetching the output, comparing */
} rc_verify_spent_t;

/** \return borrowed */
const rc_verify_spent_t *rc_measure_verify_spent(const rc_measure_context_t *ctx);

/** Verify and time the cases of a group.
 *  \param[in,out] cases  [n]; every case that was not interrupted has a final status afterwards
 *  \param[in] stop, enter, user  may be NULL
 *  A case of a symmetric order (its schedule has columns) runs on its renumbered matrix, with B and
 *  C in the new numbering; what C must be is computed from the matrix of the group, through the
 *  order, so that the renumbering is verified too.  Only products with A itself have such cases.
 *  K is tiled when B and C do not fit memory_limit beside the largest preparation.
 *  Cases whose preparation does not fit together are timed in smaller sets, the first case (the
 *  baseline) in each; a case that does not fit alone beside a tile of RC_TILE_STEP columns is
 *  RC_CASE_SKIPPED with the figures in its text.
 *  \return RC_OK (also when cases failed), RC_EINTR, RC_EDEVICE (the device is unusable), RC_ENOMEM
 */
rc_status_t rc_measure_group(rc_measure_context_t *ctx, const rc_measure_config_t *cfg,
    const rc_group_t *g, rc_measured_t *cases, int n, rc_stop_fn *stop, rc_enter_fn *enter,
    void *user, rc_err_t *err);

/** Relative error of a median, with caution: the share that was waited or lost, where that is
 *  larger, for batches that wait alike agree.  That of less than min_reps batches says little, two
 *  of three are alike by chance: there the error of their mean counts too, and what the first run
 *  took, if that is less than half of it. */
double rc_measured_error(const rc_measure_config_t *cfg, const rc_measured_t *m);

/** Free the samples of a case; the rest stays readable. */
void rc_measured_free(rc_measured_t *m);

#endif
