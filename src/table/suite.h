/** \file table/suite.h  Products with a vector by class of matrix, as Lane and Booth 2022 show
 *  them: rates of every kernel and order on regular and irregular matrices, and what they gain over
 *  the library.  Local.
 *
 *  A matrix is regular where the variance of its row length is at most 10.  Real and generated
 *  matrices are never in one line. */
#ifndef RC_TABLE_SUITE_H
#define RC_TABLE_SUITE_H

#include "table/counted.h"

typedef enum rc_suite_class {
    RC_SUITE_REGULAR = 0,
    RC_SUITE_IRREGULAR = 1,
    RC_SUITE_UNKNOWN = 2, /**< its features are missing */
    RC_SUITE_CLASSES = 3
} rc_suite_class_t;
extern const char *const rc_suite_class_names[]; /**< "regular", ...; NULL-terminated */

/** A kernel and order on a matrix. */
typedef struct rc_suite_cell {
    int64_t row;    /**< of the view */
    int32_t matrix; /**< id in the view */
    int32_t variant;
    int setting;
    int generated;
    rc_suite_class_t class;
    double ns; /**< its median */
    double gflops;
    double over_natural; /**< the best of the library's CSR in natural order over it; NaN */
    double over_rcm;     /**< the same under rcm */
    double products;     /**< after which the order has paid against the library in natural order;
                              INFINITY: never; NaN: not known */
} rc_suite_cell_t;

/** A kernel and order over a class. */
typedef struct rc_suite_line {
    rc_setting_t setting;
    const char *kernel; /**< borrowed from the view */
    const char *policy;
    int generated;
    rc_suite_class_t class;
    int64_t matrices;
    double mean; /**< Gflop/s */
    double geomean;
    int64_t compared[2]; /**< matrices that the library has a time of: natural, rcm */
    double over[2];      /**< geomeans of rc_suite_cell_t.over_natural and over_rcm */
    double worst[2];     /**< their least */
    double products;     /**< median of those of the cells that are known */
    double order_ns;     /**< median time of the order */
    double permute_ns;   /**< median time to permute x and y; NaN: not known */
    double pointers;     /**< most bytes of pointers over those of CSR; NaN: not known */
} rc_suite_line_t;

typedef struct rc_suite {
    rc_counted_t counted;
    rc_suite_cell_t *cell; /**< [cells] in the order of rc_counted_t, the fastest of each kernel and
                                order */
    int64_t cells;
    rc_suite_line_t *line; /**< [lines] by setting, generated, class, mean rate (largest first) */
    int lines;
} rc_suite_t;

/** \param[in] where  NULL: all  \param[out] out  free with rc_suite_free, after an error too
 *  \return RC_OK, RC_ENOMEM */
rc_status_t rc_suite_make(
    const rc_view_t *v, const rc_expr_t *where, rc_suite_t *out, rc_err_t *err);
void rc_suite_free(rc_suite_t *s);

/** The class of a matrix of the view. */
rc_suite_class_t rc_suite_class_of(const rc_view_t *v, int64_t row);

/** 1: the paper shows this pair: CSR-k with Band-k, the library with RCM, CSR5 in natural order. */
int rc_suite_is_published(const char *kernel, const char *policy);

#endif
