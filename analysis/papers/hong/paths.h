/** \file analysis/papers/hong/paths.h  What models of rs are fitted to, from times of a store.
 *
 *  Of the published one (Hong et al. 2018, sections 4.2 and 4.3) the values of t, cfv and cfh that
 *  are most often best on training matrices, and the best t of each, what a tree is fitted to.
 *
 *  The second model (kernels/tuning/rs_paths.h), and what both keep of the best.  It needs the
 *  matrices: the store has no counts of theirs at every t and w.  Local. */
#ifndef RC_ANALYSIS_PAPERS_HONG_PATHS_H
#define RC_ANALYSIS_PAPERS_HONG_PATHS_H

#include "analysis/papers/hong/c45.h"
#include "base/stats.h"
#include "base/type.h"
#include "kernels/tuning/rs_tuning.h"
#include "table/view.h"

enum {
    RC_PARAMETERS_T = 16,    /**< t is 1 .. 16 */
    RC_PARAMETERS_STEPS = 3, /**< cfv and cfh are 1, 2 or 4 */
    RC_PARAMETERS_CELLS = RC_PARAMETERS_T * RC_PARAMETERS_STEPS * RC_PARAMETERS_STEPS
};

typedef struct rc_parameters {
    int cfh;         /**< most often best of all three */
    int cfv;         /**< most often best at that cfh */
    int t;           /**< most often best at both */
    int64_t counted; /**< matrices that have a time at both */
} rc_parameters_t;

/** Where the time of a triple is in the times of a matrix.
 *  \param[in] t  1 .. 16
 *  \param[in] cfv, cfh  1, 2 or 4 */
int rc_parameters_cell(int t, int cfv, int cfh);

/** Of equally frequent or fast values the smallest.
 *  \param[in]  ns  [n][RC_PARAMETERS_CELLS] NaN: not measured
 *  \param[out] label  [n] the best t at cfv and cfh, less 1; -1: the matrix has no time there
 *  \return RC_OK; RC_EINVAL: no matrix has a time */
rc_status_t rc_parameters_choose(
    const double *ns, int64_t n, int32_t *label, rc_parameters_t *out, rc_err_t *err);

enum { RC_NONNEGATIVE_MAX = 32 /**< inputs */ };

/** Linear least squares without negative coefficients: minimise
 *  sum_i (sum_j coef[j] x[i][j] - y[i])^2 over coef >= 0, by turns through the coefficients until
 *  none moves.
 *  \param[in]  x       [rows * inputs], finite
 *  \param[in]  inputs  at most RC_NONNEGATIVE_MAX
 *  \param[out] coef    [inputs] 0 for an input that is 0 in every row
 *  Cost O(rows inputs^2), then O(inputs^2) a turn. */
void rc_nonnegative(const double *x, int64_t rows, int inputs, const double *y, double *coef);

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
