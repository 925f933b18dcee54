/** \file kernels/tuning/rs_tuning.h What chooses the parameters of rs: per K and precision the
 *  values most often best, a tree for t and the cost model for cfv, and where it is there the model
 *  of kernels/tuning/rs_paths.h for both, in a tuning file that `rowcast train --task parameters`
 *  writes. Source: Hong et al. 2018, section 4; the second model is rowcast's. All local. */
#ifndef RC_KERNELS_TUNING_RS_TUNING_H
#define RC_KERNELS_TUNING_RS_TUNING_H

#include "base/str.h"
#include "format/problem.h"
#include "kernels/tuning/rs_paths.h"
#include "sparse/distances.h"
#include "sparse/segments.h"

enum {
    RC_RS_TUNING_VERSION = 1, /**< of the file */
    RC_RS_TUNING_DEVICE = 160,
    RC_RS_TUNING_T = 16, /**< t is one of 1 .. 16 */
    /** of the tree: the distances, and the segments with entries */
    RC_RS_INPUTS = RC_DISTANCES + 1,
    RC_RS_ACCUMULATIONS_W = 256 /**< columns of a panel that those segments are of */
};

/** A node: at most the threshold goes to the left. */
typedef struct rc_question {
    int32_t input; /**< -1: a leaf */
    int32_t left;  /**< a later node */
    int32_t right;
    int32_t label;    /**< of the most samples, of equal ones the first */
    double threshold; /**< a value of the input that a sample has */
} rc_question_t;

/** The label of an input.  Cost O(depth).
 *  \param[in] node  the root first  \param[in] x  for every input that a node names */
static inline int32_t rc_tree_predict(const rc_question_t *node, const double *x)
{
    const rc_question_t *at = node;
    while (at->input >= 0)
        at = &node[x[at->input] <= at->threshold ? at->left : at->right];
    return at->label;
}

/** The file that `tune=auto` stands for. */
#define RC_RS_TUNING_USUAL "rs-h200"

/* ------------------------------------------------------------------- costs */

/* What a product of rs takes, from what its split counts, and the choice of cfv by that. Hong et
 * al. 2018, section 4.3; the terms of light segments are rowcast's. */

enum { RC_RS_COSTS = 3 /**< of cfv 1, 2, 4 */ };

/** Times of one device class, K and precision, in one unit. */
typedef struct rc_rs_cost {
    double heavy_segment[RC_RS_COSTS]; /**< C1 */
    double heavy_entry[RC_RS_COSTS];   /**< C2 */
    double light_row;                  /**< D1 */
    double light_entry;                /**< D2 */
} rc_rs_cost_t;

/** Times of two calibration products, an N x N matrix each: a dense one, all of it heavy, and one
 *  with `tau` entries in each of the N times `panels` segments, all of them heavy too. */
typedef struct rc_rs_heavy_times {
    int64_t n;
    int64_t panels;
    int64_t tau;
    double dense;
    double sparse;
} rc_rs_heavy_times_t;

/** Times of two products of N x N matrices with so many entries a row, all of them light. */
typedef struct rc_rs_light_times {
    int64_t n;
    int64_t few_entries;
    int64_t many_entries;
    double few;
    double many;
} rc_rs_light_times_t;

/** Solve for C1 and C2 of cfv number i; what comes out negative becomes 0.
 *  \return RC_OK; RC_EINVAL: times that are not positive and finite, or two matrices of as many
 *      entries */
rc_status_t rc_rs_cost_heavy(const rc_rs_heavy_times_t *t, int i, rc_rs_cost_t *out, rc_err_t *err);

/** The same for D1 and D2. */
rc_status_t rc_rs_cost_light(const rc_rs_light_times_t *t, rc_rs_cost_t *out, rc_err_t *err);

/** What a product takes with a split, of cfv number i. */
double rc_rs_cost_time(const rc_rs_cost_t *c, int i, const rc_segments_size_t *s);

/** The number of the cfv that takes least; of equal ones the smallest.
 *  \param[in] s  [RC_RS_COSTS] the split at the W of each */
int rc_rs_cost_choose(const rc_rs_cost_t *c, const rc_segments_size_t *s);

/* ------------------------------------------------------------------ tuning */

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
