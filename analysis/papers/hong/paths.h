/** \file analysis/papers/hong/paths.h  The second model of rs (kernels/tuning/rs_paths.h) fitted
 *  to times of a store, and what it and the published one keep of the best.  It needs the
 *  matrices: the store has no counts of theirs at every t and w. */
#ifndef RC_ANALYSIS_PAPERS_HONG_PATHS_H
#define RC_ANALYSIS_PAPERS_HONG_PATHS_H

#include "analysis/papers/hong/c45.h"
#include "base/stats.h"
#include "base/type.h"
#include "kernels/tuning/rs_tuning.h"
#include "table/view.h"

/** Of a matrix. */
typedef struct rc_path_matrix {
    int64_t rows;
    char family[64]; /**< its generator, or else its group: held out together */
    double input[RC_RS_INPUTS];
    rc_rs_counts_t count[RC_TYPES][RC_RS_COSTS][RC_RS_PATHS_T + 1]; /**< by precision, cfv 1, 2, 4
                                                                         and t */
} rc_path_matrix_t;

/** Matrices of one K and precision. */
typedef struct rc_path_times {
    const rc_path_matrix_t *matrix; /**< [n] */
    const double *ns;               /**< [n][RC_PARAMETERS_CELLS] NaN: not measured */
    int64_t n;
    rc_precision_t precision;
    int cfh; /**< the cells of this one are used */
} rc_path_times_t;

/** Where matrices come from. */
typedef struct rc_path_source {
    const char *dir; /**< has Group/name.mtx or .mtx.xz of those that no generator makes */
    /** Read a file, or make what a spec of a generator says.  Free with rc_csr_free. */
    rc_status_t (*load)(const char *word, rc_csr_t *out, rc_err_t *err);
} rc_path_source_t;

/** Make or read the matrices, and count.
 *  \param[out] out  [n]
 *  \return RC_OK; as load; RC_ENOENT: no such file */
rc_status_t rc_path_matrices(const rc_view_t *v, const int32_t *id, int64_t n,
    const rc_path_source_t *from, rc_path_matrix_t *out, rc_err_t *err);

/** Fit to relative errors; a time counts the less the further it is from the best of its matrix.
 *  \param[in]  without  a family that is left out; NULL: none
 *  \param[out] cost     [RC_RS_PATHS_TERMS] ns  \return RC_OK, RC_ENOMEM */
rc_status_t rc_path_fit(const rc_path_times_t *t, const char *without, double *cost, rc_err_t *err);

/** What the model keeps on the matrices that have as many times as any of `t`; it chooses among
 *  these times.
 *  \param[in] only  a family; NULL: all  \param[in,out] kept  best time over the chosen one */
void rc_path_keep(const rc_path_times_t *t, const double *cost, const char *only, rc_sums_t *kept);

/** The same of the published choice, the tree and the costs. */
void rc_path_keep_published(
    const rc_path_times_t *t, const rc_c45_t *tree, const rc_rs_cost_t *cost, rc_sums_t *kept);

/** Every family held out once.  \return RC_OK, RC_ENOMEM */
rc_status_t rc_path_held_out(const rc_path_times_t *t, rc_sums_t *kept, rc_err_t *err);

#endif
