/** \file feature/feature.h  Feature sets.  A set is one file that ends in one constant descriptor,
 *  and one line in src/feature/feature.am. */
#ifndef RC_FEATURE_FEATURE_H
#define RC_FEATURE_FEATURE_H

#include "rowcast.h"

/** What a feature costs to compute. */
typedef enum rc_feature_cost {
    RC_COST_SHAPE = 0, /**< O(1) */
    RC_COST_ROWS = 1,  /**< O(rows), from row_ptr */
    RC_COST_NNZ = 2    /**< O(nnz) */
} rc_feature_cost_t;

typedef struct rc_feature {
    const char *name; /**< "nnz_per_row_min" */
    const char *unit; /**< "entries", "lines", "1", ... */
    rc_feature_cost_t cost;
    const char *help; /**< one sentence: the exact meaning */
} rc_feature_t;

typedef struct rc_feature_set {
    const char *name; /**< "mehrabi" */
    const char *summary;
    const char *source;
    int version; /**< bump when a number may change */
    int count;
    const rc_feature_t *feature; /**< [count] */
    /** \param[in] geometry  never NULL; threads >= 1
     *  \param[out] out  [count]; the same for every `threads` */
    rc_status_t (*compute)(
        const rc_csr_t *a, const rc_geometry_t *geometry, int threads, double *out, rc_err_t *err);
} rc_feature_set_t;

/** All feature sets; NULL-terminated. */
extern const rc_feature_set_t *const rc_feature_sets[];

/** The set of that name, or NULL. */
const rc_feature_set_t *rc_feature_set_find(const char *name);

/** Threads, at most `threads`, that pay for a pass over the entries of a matrix. */
int rc_feature_threads(const rc_csr_t *a, int threads);

#endif
