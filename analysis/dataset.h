/** \file analysis/dataset.h  What a trainer learns from: a row per (matrix, K, precision) with the
 *  raw inputs and the measured time of every class, made from a store.  Only newest, current and
 *  verified (`ok`) results enter; C in original order; one device class.  Local. */
#ifndef RC_ANALYSIS_DATASET_H
#define RC_ANALYSIS_DATASET_H

#include "base/digest.h"
#include "base/outcome.h"
#include "model/model.h"
#include "rowcast.h"
#include "table/six.h"
#include "table/split_half.h"

/** What the command line says about a data set.  NULL and 0 stand for the defaults. */
typedef struct rc_dataset_options {
    rc_task_t task;
    const char *op;        /**< operation; NULL: "spmm".  Rows of two operations are never mixed */
    const char *kernel;    /**< order task: the kernel with parameters or a glob that fits exactly
                               one kernel of the store; NULL: the one with most results */
    const char *classes;   /**< comma-separated patterns; order task: of policies (NULL:
                               "csr,dcsr,lpt,warp"; "all"); plan task: KERNEL/POLICY, both globs
                               (NULL: a greedy portfolio of all pairs, see `portfolio`); format
                               task: names of formats (NULL: all six), see formats.c */
    const char *baseline;  /**< class of that name; NULL: csr; plan: the pair that is best always
                               taken alone (geometric mean over the rows) */
    const char *features;  /**< "mehrabi"; "matrix": its matrix-only part (n_row ..
                                nnz_blocks_per_row); "nisa", "nisa-1", "nisa-2" (sets 1 and 2);
                                "top:N:MODEL" (rc_importance_top of a model file); or
                                comma-separated feature names; NULL: mehrabi, format task: nisa */
    const char *k;         /**< "n", "8,32,n": NULL: all; n alone is the default of no task */
    const char *precision; /**< "fp32" or several with commas; NULL: all that the store has */
    const char *device;    /**< device class or glob; NULL: the only one, an error lists them */
    const char *where;     /**< filter over result rows, as of `rowcast query`; NULL: all */
    int portfolio;         /**< plan task without `classes`: at most so many; 0: 16 */
    double portfolio_loss; /**< ... and stop when the portfolio's geomean loss against all pairs is
                                below this; 0: 0.005 */
    int missing_worst;     /**< format task: 1: a format that failed or was skipped on a matrix has
                                an infinite time there; 0: such matrices are left out */
} rc_dataset_options_t;

/** Whose measurement a row is. */
typedef struct rc_sample {
    char name[129];  /**< "Group/Name" */
    char kind[129];  /**< of the collection, "" unknown */
    char digest[33]; /**< of the matrix, hexadecimal */
    int32_t matrix;  /**< id in the store */
    int32_t group;   /**< index into `group` */
    int64_t k;       /**< columns of B; 0: the operation has no K */
    int64_t cols;    /**< n_col of the matrix */
    int k_is_n;      /**< 1: k equals n_col (and was asked for as n) */
    rc_precision_t precision;
    double feature_ns; /**< that featurising took when it was stored; NaN unknown */
} rc_sample_t;

/** Why rows were left out. */
typedef struct rc_dataset_dropped {
    int64_t incomplete; /**< (matrix, K, precision) without an ok result of every class */
    int64_t features;   /**< without features of the set, version and geometry */
    int64_t coo;        /**< format task without the class coo: where that is fastest */
    /** Format task: (matrix, precision) without an ok result of a format, by the status of what
     *  it has instead; RC_CASE_PENDING: nothing.  They are in `incomplete`, each once, but for
     *  those that missing_worst keeps. */
    int64_t format[RC_SIX][RC_CASE_STATUSES];
} rc_dataset_dropped_t;

/** Times of the vendor's library in original order among the results that were selected, ns; NaN:
 *  there is none. */
typedef struct rc_library_time {
    double fastest; /**< of all its kernels */
    double timed;   /**< of those that plans time beside their own (kernels/vendor/vendor.h) */
} rc_library_time_t;

typedef struct rc_dataset {
    rc_task_t task;
    int32_t operation; /**< number of it, as of rc_model_t */
    char device[RC_DEVICE_NAME_MAX + 1];
    char feature_set[32];
    int32_t feature_version;
    rc_model_geometry_t geometry; /**< the most common one of the selected results per precision */
    int inputs;
    rc_model_input_t *input; /**< [inputs]: names and transforms; the rest is the trainer's */
    int classes;
    rc_model_class_t *cls; /**< [classes] */
    int baseline;
    int64_t rows;
    rc_sample_t *sample; /**< [rows], sorted by (digest, precision, k): independent of the order
                              of rows in the store */
    double *value;       /**< [rows * inputs] raw */
    double *time;        /**< [rows * classes] median ns, > 0; INFINITY only with missing_worst */
    rc_halves_t half;    /**< the same times split in halves, for figures that are held out; its
                              `cost` is NULL where the errors of the times are not known */
    rc_library_time_t *library; /**< [rows] */
    double *setup; /**< [rows * classes] ns: building the order and preprocessing; NaN with an
                              infinite time */
    int groups;
    char **group; /**< [groups] names before the "/", sorted; of the built-in set alone its
                       generators */
    rc_dataset_dropped_t dropped;
    rc_digest_t digest; /**< of everything a trainer sees: inputs, classes, samples, times */
} rc_dataset_t;

/** Read a data set.
 *  \param[out] out  free with rc_dataset_free
 *  \return RC_OK, RC_ENOENT, RC_EINVAL (an option that matches nothing: says what there is),
 *          RC_ESTORE, RC_ENOMEM.  Cost: reads results and features of the store whole. */
rc_status_t rc_dataset_read(
    const char *store, const rc_dataset_options_t *options, rc_dataset_t *out, rc_err_t *err);

/** The rows of a store as a given model sees them: its inputs, classes, kernel, geometry, device.
 *  \param[in] where  may be NULL */
rc_status_t rc_dataset_read_for(
    const char *store, const rc_model_t *m, const char *where, rc_dataset_t *out, rc_err_t *err);

void rc_dataset_free(rc_dataset_t *d);

/** The class of smallest time of a row, its label; the first of equals. */
int rc_dataset_best(const rc_dataset_t *d, int64_t row);

/** The class whose geomean time over some rows is smallest.
 *  \param[in] row  [n] NULL: all, n = d->rows */
int rc_best_single(const rc_dataset_t *d, const int64_t *row, int64_t n);

/** What a part of a data set has. */
typedef struct rc_dataset_part {
    const int64_t *row; /**< [rows] ascending; NULL: all */
    int64_t rows;
    const int *cls; /**< [classes] ascending; NULL: all */
    int classes;
    const int *input; /**< [inputs]; NULL: all */
    int inputs;
} rc_dataset_part_t;

/** A data set of some rows, classes and inputs of another; digest and groups are its own.  The
 *  baseline is that of `d` where it is a class, else csr, else the class that is best always taken.
 *  \param[out] out  free with rc_dataset_free
 *  \return RC_OK, RC_EINVAL (no row, class or input), RC_ENOMEM */
rc_status_t rc_dataset_take(
    const rc_dataset_t *d, const rc_dataset_part_t *part, rc_dataset_t *out, rc_err_t *err);

#endif
