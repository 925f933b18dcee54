/** \file analysis/report/report.h  A report: page, figures and the numbers behind them. */
#ifndef RC_ANALYSIS_REPORT_H
#define RC_ANALYSIS_REPORT_H

#include "base/expr.h"
#include "model/model.h"

/** What the device of the results can do at most, as `rowcast calibrate --limits` measures it, in
 *  bytes a ns. */
typedef struct rc_report_limits {
    const char *device; /**< class: results of another one have no limits */
    double memory;
    double l1;
    double shared;
} rc_report_limits_t;

typedef struct rc_report_options {
    const char *store;
    const char *dir;        /**< is created; what is in it and not of a report is left alone */
    const char *model;      /**< path of a model file; NULL: none */
    const char *topologies; /**< path of what `rowcast evaluate --topologies -f json` printed; NULL:
                               none */
    const char *where;      /**< filter over result rows, as of `rowcast query`; NULL: all */
    const char *op;         /**< operation; NULL: spmm where there is any, else the first */
    const char *collection; /**< directory with the matrices, for spy plots; NULL: where the store
                                 says they were read from */
    const char *assets;     /**< directory with page/ and figures/ */
    const rc_report_limits_t *limits; /**< of the device of the results; NULL: not known */
    int noisy;                        /**< 1: noisy results are taken for ok */
    int spies;                        /**< as the limit of rc_spies_make */
    int quiet;                        /**< 1: no progress */
} rc_report_options_t;

/** What was made. */
typedef struct rc_report_made {
    int64_t rows; /**< result rows that entered */
    int64_t matrices;
    int figures; /**< drawn */
    int left_out;
    int without_gnuplot; /**< 1: that is why */
    int spies;           /**< matrices with spy plots */
    int64_t bytes;       /**< of the page */
    char said[1024]; /**< the sentence that the page opens with; "" where there are no results */
} rc_report_made_t;

/** \return RC_OK; RC_ENOENT, RC_ESTORE, RC_EINVAL (filter), RC_EFORMAT (model), RC_EIO, RC_ENOMEM.
 *  Local.  Cost: the store is read once; spy plots read their matrices. */
rc_status_t rc_report_make(
    const rc_report_options_t *options, rc_report_made_t *out, rc_err_t *err);

#endif
