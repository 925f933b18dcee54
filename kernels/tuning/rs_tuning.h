/** \file kernels/tuning/rs_tuning.h What chooses the parameters of rs: per K and precision the
 *  values most often best, a tree for t and the cost model for cfv, and where it is there the model
 *  of kernels/tuning/rs_paths.h for both, in a tuning file that `rowcast train --task parameters`
 *  writes. Source: Hong et al. 2018, section 4; the second model is rowcast's. All local. */
#ifndef RC_KERNELS_TUNING_RS_TUNING_H
#define RC_KERNELS_TUNING_RS_TUNING_H

#include "base/str.h"
#include "kernels/tuning/tree.h"
#include "format/problem.h"
#include "kernels/tuning/rs_cost.h"
#include "kernels/tuning/rs_paths.h"
#include "sparse/distances.h"

enum {
    RC_RS_TUNING_VERSION = 1, /**< of the file */
    RC_RS_TUNING_DEVICE = 160,
    RC_RS_TUNING_T = 16, /**< t is one of 1 .. 16 */
    /** of the tree: the distances, and the segments with entries */
    RC_RS_INPUTS = RC_DISTANCES + 1,
    RC_RS_ACCUMULATIONS_W = 256 /**< columns of a panel that those segments are of */
};

/** The file that `tune=auto` stands for. */
#define RC_RS_TUNING_USUAL "rs-h200"

/** Of one K and precision. */
typedef struct rc_rs_setting {
    int64_t k;
    rc_precision_t precision;
    int t;   /**< most often best at cfv and cfh */
    int cfv; /**< most often best at cfh: what the tree was made at */
    int cfh; /**< most often best */
    rc_rs_cost_t cost;
    rc_question_t *node; /**< [nodes] whose labels are t */
    int32_t nodes;
    int has_paths; /**< 1: `paths` chooses t and cfv, and neither the tree nor `cost` */
    double paths[RC_RS_PATHS_TERMS]; /**< ns, of kernels/tuning/rs_paths.h */
} rc_rs_setting_t;

typedef struct rc_rs_tuning {
    char device[RC_RS_TUNING_DEVICE]; /**< class that it was measured on */
    int kernel_version;               /**< of rs then */
    rc_rs_setting_t *setting;         /**< [settings] */
    int settings;
} rc_rs_tuning_t;

/** What the tree is asked about.  \param[in] threads  >= 1  \param[out] x  [RC_RS_INPUTS]
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + rows). */
rc_status_t rc_rs_inputs(const rc_csr_t *a, int threads, double *x, rc_err_t *err);

/** Name of input i as a file has it: as the features of the sets hong and segments. */
const char *rc_rs_input_name(int i);

/** Read the file of a word (rc_tuning_find).  \param[out] out  free with rc_rs_tuning_free
 *  \return RC_OK; RC_ENOENT, RC_EIO; RC_ENOMEM; RC_EFORMAT with the member, what was expected and
 *      what was found */
rc_status_t rc_rs_tuning_read(const char *word, rc_rs_tuning_t *out, rc_err_t *err);
void rc_rs_tuning_free(rc_rs_tuning_t *t);

/** 1: `word` asks for no file: it is "auto" and there is none of RC_RS_TUNING_USUAL, so usual
 *  values stand. */
int rc_rs_tuning_is_none(const char *word);

/** The setting for a precision whose K is nearest by ratio, of equally near ones the smaller; NULL:
 *  none of that precision. */
const rc_rs_setting_t *rc_rs_tuning_setting(
    const rc_rs_tuning_t *t, int64_t k, rc_precision_t precision);

/** What is asked for, and what it becomes. */
typedef struct rc_rs_choice {
    int64_t t;               /**< 0: what the tree says */
    int64_t w;               /**< 0: rc_rs_width of the cfv */
    int cfv;                 /**< 0: the one of least cost */
    rc_segments_size_t size; /**< out: of the split with them */
} rc_rs_choice_t;

/** Fill what is 0 in the choice. A t that is given and above RC_RS_PATHS_T leaves cfv to the costs
 *  of the paper.
 *  \return RC_OK, RC_ENOMEM.  Cost O(nnz + rows), at most five times. */
rc_status_t rc_rs_tuning_choose(const rc_rs_setting_t *s, const rc_csr_t *a,
    rc_precision_t precision, rc_rs_choice_t *choice, rc_err_t *err);

#endif
